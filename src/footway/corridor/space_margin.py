"""What an object in three dimensions has beyond the cells in which it fits.

A cell is free when the object fits wherever in the closed cell its centre is, so mostly it has some
room there that a distance to cells does not count. In every closed free cell the object is at least
a margin away from solid voxels. On the straight way from a place to the nearest solid point the
last free place is as far away as the cells are, or farther, and from there the margin is still to
go: the clearance of the object is its distance to the cells that are not free, and the margin more.
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

_ROUNDING = 1e-9  # by which a size in cells may be above a whole number


def margin_of(space: Space) -> float:
    """Clearance that the object has wherever in a closed free cell its centre is, m.

    A box of half the size h is swept over whole voxels: the margin is what ceil(h) is more than h.
    A free cell keeps the radius of a ball from solid voxels, and two cells of one lattice are as
    far apart as the root of a sum of three squares.

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
    """By Legendre: unless it is 4^a (8b + 7)."""
    while n % 4 == 0:
        n //= 4
    return n % 8 != 7


def nearest_within(points: Floats, space: Space, reach: float) -> tuple[Floats, Floats]:
    """Nearest place in a free cell of each point (n, 3) m, and how far it is, (n,) m.

    The point itself and infinity where none is within `reach` metres.
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
    """Place in a free cell that is nearest to a point, (3,) m."""
    at = space.lattice(point[None])[0]
    cells = np.argwhere(space.free)[:, ::-1]
    places = np.clip(at, cells, cells + 1)
    nearest = places[np.argmin(((places - at) ** 2).sum(axis=1))]
    return space.positions(nearest)


def _is_free(cells: Ints, space: Space) -> NDArray[np.bool_]:
    """Which cells (n, 3), columns i, j, k, are in the lattice and free."""
    shape = np.array(space.free.shape[::-1])
    inside = ((cells >= 0) & (cells < shape)).all(axis=1)
    i, j, k = np.clip(cells, 0, shape - 1).T
    free: NDArray[np.bool_] = inside & space.free[k, j, i]
    return free
