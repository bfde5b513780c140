"""The narrowest passages of a map: where the clearance along the axis is least."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.constants import ON_WALL, TOUCH
from footway.corridor import Pinch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def narrowest_passages(cmap: CorridorMap, *, most: int) -> list[Pinch]:
    """Return the narrowest passages, narrowest first, at most `most` of them.

    A passage is a place where the clearance is least along the axis in both directions. It
    touches a wall on either side, straight across.
    """
    at, clearance = _least_clearances(cmap)
    order = np.argsort(clearance, kind="stable")
    chosen = _apart(at[order], clearance[order], most=most)
    places = np.ascontiguousarray(at[order][chosen])
    if not len(places):
        return []
    left = cmap.nearest_obstacle(places)
    right = 2.0 * places - left
    return [
        Pinch(float(radius), tuple(a), tuple(b), tuple(c))
        for radius, a, b, c in zip(
            clearance[order][chosen],
            places.tolist(),
            left.tolist(),
            right.tolist(),
            strict=True,
        )
    ]


def _least_clearances(cmap: CorridorMap) -> tuple[Floats, Floats]:
    """Places of the edges' least clearance that are least on the neighbouring edges, too."""
    axis = cmap.axis(np.inf)  # event points only: the clearance is monotone between them
    first, last = axis.offsets[:-1], axis.offsets[1:] - 1
    least = np.minimum.reduceat(axis.clearance, first)
    edge_of = np.repeat(np.arange(len(first)), np.diff(axis.offsets))
    candidates = np.flatnonzero(axis.clearance <= least[edge_of] + TOUCH)
    where = candidates[np.unique(edge_of[candidates], return_index=True)[1]]
    around = _least_around(cmap, least)
    at_start, at_end = where == first, where == last
    lower = at_start & (around[cmap.edges[:, 0]] < least - TOUCH)
    lower |= at_end & (around[cmap.edges[:, 1]] < least - TOUCH)
    keep = (least > ON_WALL) & ~lower
    return axis.points[where[keep]], least[keep]


def _least_around(cmap: CorridorMap, least: Floats) -> Floats:
    """Least clearance on the edges at each vertex, but for dead ends into corners. (nv,) m."""
    around = np.full(cmap.n_vertices, np.inf)
    passable = least > ON_WALL
    for side in (0, 1):
        np.minimum.at(around, cmap.edges[passable, side], least[passable])
    return around


def _apart(at: Floats, clearance: Floats, *, most: int) -> list[int]:
    """Choose the narrowest that are not one long passage seen twice."""
    chosen: list[int] = []
    for k in range(len(at)):
        if len(chosen) >= most:
            break
        gap = np.hypot(*(at[chosen] - at[k]).T)
        if (gap > 4.0 * clearance[k]).all():
            chosen.append(k)
    return chosen
