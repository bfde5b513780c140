"""Ways home from a square: the journeys of the demo, the same in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap

    Floats = NDArray[np.float64]


def ways_home(cmap: CorridorMap, number: int, *, room: float, seed: int) -> tuple[Floats, Floats]:
    """Return starts in the middle of the widest square and goals all over the map.

    Both are (number, 2), in metres. Goals are at least `room` metres from every wall and far from
    each other.
    """
    widest = cmap.clearance(cmap.vertices).argmax()
    starts = np.repeat(cmap.vertices[[widest]], number, axis=0)
    return starts, _spread(cmap, number, room, seed)


def _spread(cmap: CorridorMap, number: int, room: float, seed: int) -> Floats:
    """Return free points, each chosen as the one that is farthest from those before it."""
    candidates = _free_points(cmap, 20 * number, room, seed)
    chosen = [0]
    distance = np.full(len(candidates), np.inf)
    while len(chosen) < number:
        step = candidates - candidates[chosen[-1]]
        distance = np.minimum(distance, np.hypot(step[:, 0], step[:, 1]))
        chosen.append(int(distance.argmax()))
    return np.ascontiguousarray(candidates[chosen])


def _free_points(cmap: CorridorMap, number: int, room: float, seed: int) -> Floats:
    random = np.random.default_rng(seed)
    x0, y0, x1, y1 = cmap.bounds
    found = np.empty((0, 2))
    while len(found) < number:
        points = random.uniform((x0, y0), (x1, y1), (2 * number, 2))
        found = np.vstack([found, points[cmap.clearance(points) >= room]])
    return found[:number]
