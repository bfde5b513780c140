"""Find paths: over the cells of a grid, or nearly optimal ones by weighted length.

miran-2013 (section 6) leaves optimal paths open. Here a search over nodes on the sides of triangles
finds the sequence of triangles; then the crossings of their sides are moved to minimize the
weighted length.
"""

from __future__ import annotations

import math
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from footway.errors import BadQuery
from footway.terrain.kernels.crossings import rates_around
from footway.terrain.kernels.improvement import pull_taut
from footway.terrain.kernels.search import (
    Cells,
    Nodes,
    landmarks,
    make_nodes,
    search_cells,
    search_nodes,
)
from footway.validation import FARTHEST, number

if TYPE_CHECKING:
    from footway.arrays import Floats, Singles
    from footway.terrain.terrain import Terrain, TerrainMesh

CELLS = 512  # along the map's longer side, by default
MOST_CELLS = 2**24  # per grid: 1 GB
FEWEST, MOST = 4, 16  # nodes between the corners of a long side, for large and small maps
NODES = 100_000  # triangles times nodes per side: more give better paths, but take longer
GAPS = 16  # gaps along the map's longer side, per node of a side
LANDMARKS = 16  # nodes with known costs to all others, to speed up searches
OFTEN = 16  # searches with the same weights after which landmarks are computed
KEPT = 8  # cached weights per network


def path_over_cells(
    terrain: Terrain, start: Floats, goal: Floats, weights: Floats, resolution: float | None
) -> Floats | None:
    """Return points (n, 2) of the cheapest path over cells of side `resolution` (m), or None.

    A cell has the kind of terrain of its centre, and is free if the disc fits there. Collinear
    points are removed.

    Raises:
        BadQuery: the resolution is not a positive number, or is too fine for the map.
    """
    x0, y0, x1, y1 = terrain.environment.bounds
    width, height = x1 - x0, y1 - y0
    size = max(width, height) / CELLS
    if resolution is not None:
        size = number(resolution, "resolution", "m", above=0.0, high=FARTHEST)
        if width * height > MOST_CELLS * size * size:
            raise BadQuery(
                f"a resolution of {size:g} m makes more than {MOST_CELLS} cells on this map: "
                f"give {math.sqrt(width * height / MOST_CELLS):.3g} m or more"
            )
    cells = Cells(x0, y0, size, math.ceil(width / size), math.ceil(height / size))
    path: Floats = search_cells(start, goal, cells, weights, terrain.mesh)
    if len(path) < 5:
        return path if len(path) else None
    # Cells are equally far apart, so the second difference of those in line is 0.
    turns = np.abs(path[1:-3] - 2.0 * path[2:-2] + path[3:-1]).max(axis=1) > 1e-9
    return np.ascontiguousarray(path[np.r_[True, True, turns, True, True]])


def best_path(
    terrain: Terrain, start: Floats, goal: Floats, weights: Floats, margin: float
) -> tuple[Floats, float]:
    """Return points (n, 2) m of the cheapest path found and its cost; no points: no path.

    It bends only at corners of walls and, by Snell's law, where the terrain changes. It keeps
    `margin` m from the borders of worse terrain if there is enough space and the cost is low.
    """
    network = network_of(terrain)
    nodes, away = network.nodes, network.landmarks(weights, OFTEN)
    path, through, cost = search_nodes(start, goal, weights, terrain.mesh, nodes, away)
    if len(through) == 0:
        return np.empty((0, 2)), cost
    ends = np.concatenate([start, goal])
    around = network.rates_around(weights)
    points, cost = pull_taut(path, through, ends, weights, margin, terrain.mesh, nodes, around)
    return points, cost


class Network:
    """Search nodes of one terrain, and cached landmarks for requested weights."""

    def __init__(self, mesh: TerrainMesh, nodes: Nodes) -> None:
        self._ground, self.nodes = mesh, nodes
        self._lock = Lock()
        # By weights, least recently used first: number of requests, and landmarks.
        self._known: dict[bytes, tuple[int, Singles | None]] = {}
        self._around: dict[bytes, Floats] = {}  # by weights, oldest first

    def landmarks(self, weights: Floats, often: int = 1) -> Singles:
        """Return the weighted length from landmarks to each node, (nodes, landmarks).

        The result is empty, (nodes, 0), until these weights were requested `often` times, because
        computing landmarks takes as long as dozens of searches.
        """
        key = weights.tobytes()
        with self._lock:
            requests, away = self._known.pop(key, (0, None))
            if away is None and requests + 1 >= often:
                away = landmarks(LANDMARKS, weights, self._ground, self.nodes)
            self._known[key] = requests + 1, away
            if len(self._known) > KEPT:
                del self._known[next(iter(self._known))]
        return np.empty((len(self.nodes.places), 0), np.float32) if away is None else away

    def rates_around(self, weights: Floats) -> Floats:
        """Return the greatest rate around each point of the mesh, see `kernels.crossings`."""
        key = weights.tobytes()
        with self._lock:
            if key not in self._around:
                self._around[key] = rates_around(weights, self._ground)
                if len(self._around) > KEPT:
                    del self._around[next(iter(self._around))]
            return self._around[key]


_kept: WeakKeyDictionary[Terrain, dict[int, Network]] = WeakKeyDictionary()


def network_of(terrain: Terrain, most: int | None = None) -> Network:
    """Return the cached search network with up to `most` nodes on each side of a triangle.

    By default `most` depends on the number of triangles.
    """
    if most is None:
        most = min(MOST, max(FEWEST, NODES // len(terrain.mesh.triangles)))
    kept = _kept.setdefault(terrain, {})
    if most not in kept:
        x0, y0, x1, y1 = terrain.environment.bounds
        gap = max(x1 - x0, y1 - y0) / (GAPS * most)
        kept[most] = Network(terrain.mesh, make_nodes(gap, most, terrain.mesh))
    return kept[most]
