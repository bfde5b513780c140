"""The clearance margin that an object in three dimensions has in every free cell.

A cell is free if the object fits with its centre anywhere in the closed cell. There the object is
at least a margin away from solid voxels. On the straight line from a place to the nearest solid
point, the last free place is at least as far away as the occupied cells, and the margin follows:
the clearance of the object is at least its distance to the occupied cells plus the margin.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_ROUNDING = 1e-9  # tolerance, cells, when a size is rounded up to a whole number of cells


def margin_of(space: Space) -> float:
    """Return the least clearance of an object with its centre in a closed free cell, m.

    A box of half the size h is swept over whole voxels: the margin is ceil(h) - h. For a ball, a
    free cell is at least the radius away from solid voxels, and the distance of two cells of a
    lattice is the root of a sum of three squares.

    Example:
        >>> from footway.environment import Volume
        >>> from footway.roadmap.space import make_space
        >>> room = Volume.from_boxes((0, 0, 0, 6, 6, 6), [], resolution=1.0)
        >>> margin_of(make_space(room, size=(1, 1, 1))), margin_of(make_space(room, radius=0.4))
        (0.5, 0.6)

    """
    side = float(space.resolution)
    if space.radius > 0.0:
        least = (float(space.radius) / side * (1.0 - 2.0 * _ROUNDING)) ** 2
        squares = max(1, math.ceil(least))
        while not _is_sum_of_three_squares(squares):
            squares += 1
        return max(0.0, math.sqrt(squares) * side - float(space.radius))
    half = 0.5 * np.asarray(space.size) / side
    return max(0.0, float((np.ceil(half - _ROUNDING) - half).min())) * side


def _is_sum_of_three_squares(n: int) -> bool:
    """Legendre: n is a sum of three squares unless it is 4^a (8b + 7)."""
    while n % 4 == 0:
        n //= 4
    return n % 8 != 7


def nearest_within(points: Floats, space: Space, reach: float) -> tuple[Floats, Floats]:
    """Return the nearest place in a free cell of each point (n, 3) m, and its distance (n,) m.

    The point itself and infinity if none is within `reach` metres.
    """
    at = space.lattice(points)
    cell, far = np.floor(at).astype(np.int64), math.ceil(reach / space.resolution)
    best, where = np.full(len(at), np.inf), at.copy()
    for shift in itertools.product(range(-far, far + 1), repeat=3):
        other = cell + np.array(shift)
        place = np.clip(at, other, other + 1)
        away = np.linalg.norm(place - at, axis=1)
        nearer = (away < best) & (away * space.resolution <= reach) & _is_free(other, space)
        best[nearer], where[nearer] = away[nearer], place[nearer]
    return np.where(
        np.isinf(best)[:, None], points, space.positions(where)
    ), best * space.resolution


def nearest_free(point: Floats, space: Space) -> Floats:
    """Return the place in a free cell that is nearest to a point, (3,) m."""
    at = space.lattice(point[None])[0]
    cells = np.argwhere(space.free)[:, ::-1]
    places = np.clip(at, cells, cells + 1)
    nearest = places[np.argmin(((places - at) ** 2).sum(axis=1))]
    return space.positions(nearest)


def _is_free(cells: Ints, space: Space) -> NDArray[np.bool_]:
    """Return which cells (n, 3), columns i, j, k, are in the lattice and free."""
    shape = np.array(space.free.shape[::-1])
    inside = ((cells >= 0) & (cells < shape)).all(axis=1)
    i, j, k = np.clip(cells, 0, shape - 1).T
    free: NDArray[np.bool_] = inside & space.free[k, j, i]
    return free
