"""The way of least weighted length, or nearly so: what miran-2013 (section 6) leaves open.

A search over points on the sides of triangles finds the triangles to pass through; then the points
at which their sides are crossed move to where the weighted length is least.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from footway.terrain.kernels.improvement import pull_taut
from footway.terrain.kernels.search import landmarks, search_nodes
from footway.terrain.kernels.steiner import Nodes, make_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.terrain.terrain import Ground, Terrain

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]

FEWEST, MOST = 4, 16  # nodes between the corners of a long side, on large and on small maps
NODES = 100_000  # triangles times such nodes: more of them find better ways, but take longer
GAPS = 16  # times those nodes: their gaps along the map's longer side
LANDMARKS = 16  # nodes from which the way to all others is known, for searches
OFTEN = 16  # searches with the same weights from which on landmarks are worth their time
KEPT = 8  # weights that a network remembers


def best_way(
    terrain: Terrain, start: Floats, goal: Floats, weights: Floats, margin: float
) -> tuple[Floats, float]:
    """Points (n, 2) of the best way that was found, in m, and its weighted length; none: no way.

    It bends only at corners of walls, and where the ground changes: there by Snell's law. It keeps
    `margin` m off the borders of worse ground, where there is room and it costs little.
    """
    ground, network = terrain.ground, network_of(terrain)
    nodes, away = network.nodes, network.landmarks(weights, OFTEN)
    way, through, cost = search_nodes(start, goal, weights, ground, nodes, away)
    if len(through) == 0:
        return np.empty((0, 2)), cost
    ends = np.concatenate([start, goal])
    points, cost = pull_taut(way, through, ends, weights, margin, ground, nodes)
    return points, cost


class Network:
    """Nodes to search over on one ground, and landmarks for the weights that are asked for."""

    def __init__(self, ground: Ground, nodes: Nodes) -> None:
        self._ground, self.nodes = ground, nodes
        self._lock = Lock()
        # By weights, those asked for last at the end: how often they were, and their landmarks.
        self._known: dict[bytes, tuple[int, Singles | None]] = {}

    def landmarks(self, weights: Floats, often: int = 1) -> Singles:
        """Weighted length from landmarks to each node, (nodes, landmarks), for searches.

        There are none, (nodes, 0), before these weights have been asked for `often` times: to make
        them takes as long as some dozens of searches without them.
        """
        key = weights.tobytes()
        with self._lock:
            asked, away = self._known.pop(key, (0, None))
            if away is None and asked + 1 >= often:
                away = landmarks(LANDMARKS, weights, self._ground, self.nodes)
            self._known[key] = asked + 1, away
            if len(self._known) > KEPT:
                del self._known[next(iter(self._known))]
        return np.empty((len(self.nodes.places), 0), np.float32) if away is None else away


_kept: WeakKeyDictionary[Terrain, dict[int, Network]] = WeakKeyDictionary()


def network_of(terrain: Terrain, most: int | None = None) -> Network:
    """Nodes on the sides of triangles, `most` on a long one, to search over; made once for each.

    By default they are as many as the map has room for.
    """
    if most is None:
        most = min(MOST, max(FEWEST, NODES // len(terrain.ground.triangles)))
    kept = _kept.setdefault(terrain, {})
    if most not in kept:
        x0, y0, x1, y1 = terrain.environment.bounds
        gap = max(x1 - x0, y1 - y0) / (GAPS * most)
        kept[most] = Network(terrain.ground, make_nodes(gap, most, terrain.ground))
    return kept[most]
