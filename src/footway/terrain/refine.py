"""The way of least weighted length, or nearly so: what miran-2013 (section 6) leaves open.

A search over points on the sides of triangles finds the triangles to pass through; then the points
at which their sides are crossed move to where the weighted length is least.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from footway.terrain._refine_kernels import refine
from footway.terrain._steiner_kernels import Nodes, make_nodes, search_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.terrain.ground import Terrain

    Floats = NDArray[np.float64]

FEWEST, MOST = 4, 16  # nodes between the corners of a long side, on large and on small maps
NODES = 100_000  # triangles times such nodes: more of them find better ways, but take longer
GAPS = 16  # times those nodes: their gaps along the map's longer side

_kept: WeakKeyDictionary[Terrain, Nodes] = WeakKeyDictionary()


def best_way(
    terrain: Terrain, start: Floats, goal: Floats, weights: Floats, margin: float
) -> tuple[Floats, Floats]:
    """Points (n, 2) of the best way that was found, in m; none: there is none.

    It bends only at corners of walls, and where the ground changes: there by Snell's law. The
    second way keeps `margin` m off the borders of worse ground, where there is room; it has no
    points where it is the same.
    """
    nodes = nodes_of(terrain)
    way, through = search_nodes(start, goal, weights, terrain.ground, nodes)
    if len(through) == 0:
        return np.empty((0, 2)), np.empty((0, 2))
    taut, off = refine(way, through, start, goal, weights, margin, terrain.ground, nodes)
    return taut, off


def nodes_of(terrain: Terrain) -> Nodes:
    """Points on the sides of triangles, to search over; made once for each terrain."""
    if terrain not in _kept:
        x0, y0, x1, y1 = terrain.environment.bounds
        most = min(MOST, max(FEWEST, NODES // len(terrain.ground.triangles)))
        gap = max(x1 - x0, y1 - y0) / (GAPS * most)
        _kept[terrain] = make_nodes(gap, most, terrain.ground)
    return _kept[terrain]
