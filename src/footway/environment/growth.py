"""Grow walls by a radius: a disc among walls is a point among grown walls.

The grown walls are rectangles along the walls and wedges about their ends. An arc becomes a chain
of tangents, which lies outside the circle: the disc never comes nearer to a wall than its radius,
and is kept away by less than 1 % of it beyond that.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.environment.walls import Walls

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TANGENT: Final = math.pi / 12
"""rad that one tangent covers, at most: its ends are 0.9 % of the radius outside the circle."""


class Wedges(NamedTuple):
    """Sectors about the ends of walls.

    Attributes:
        tips: (n, 2) m.
        starts: (n,) rad, direction in which the sector begins.
        turns: (n,) rad, angle that it covers, counterclockwise.

    """

    tips: Floats
    starts: Floats
    turns: Floats


def sides(walls: Walls, radius: float) -> Floats:
    """Return the lines beside walls at distance `radius` (m), (n, 4) m, on the free sides only."""
    segments = walls.segments
    along = segments[:, 2:] - segments[:, :2]
    left = radius * np.column_stack([-along[:, 1], along[:, 0]]) / np.hypot(*along.T)[:, None]
    aside = np.hstack([left, left])
    return np.concatenate([segments + aside, (segments - aside)[walls.two_sided]])


def wedges(walls: Walls) -> Wedges:
    """Return the sectors about ends of walls and point obstacles from which these are nearest.

    Around each end the walls are sorted by direction; where free space between two of them is
    wider than a straight angle, a wedge fills what the rectangles beside them leave open.
    """
    segments = walls.segments
    at = np.concatenate([segments[:, :2], segments[:, 2:]])
    along = segments[:, 2:] - segments[:, :2]
    outward = np.concatenate([along, -along])
    angle = np.arctan2(outward[:, 1], outward[:, 0])
    # Free space is on the left of a wall, seen from its first end.
    free = np.concatenate([np.ones(len(segments), dtype=bool), walls.two_sided])
    corner = np.unique(at + 0.0, axis=0, return_inverse=True)[1].ravel()
    order = np.lexsort((angle, corner))
    gap = _to_the_next(angle[order], corner[order])
    wide = free[order] & (gap > math.pi + 1e-9)
    return Wedges(
        np.concatenate([at[order][wide], walls.points]),
        np.concatenate([angle[order][wide] + math.pi / 2, np.zeros(len(walls.points))]),
        np.concatenate([gap[wide] - math.pi, np.full(len(walls.points), 2 * math.pi)]),
    )


def _to_the_next(angle: Floats, corner: Ints) -> Floats:
    """Return (n,) rad to the next angle at the same corner; both are sorted, corner first."""
    first = np.flatnonzero(np.r_[True, corner[1:] != corner[:-1]])
    following = np.arange(1, len(corner) + 1)
    following[np.r_[first[1:], len(corner)] - 1] = first
    gap: Floats = angle[following] - angle
    gap[gap <= 0] += 2 * math.pi
    return gap


def tangents(around: Wedges, radius: float) -> Floats:
    """Return lines (n, 4) m that touch the circles of `radius` (m) about the tips, end to end."""
    pieces = np.maximum(np.ceil(around.turns / TANGENT - 1e-9), 1).astype(np.int64)
    # The chain of k tangents has k + 1 lines: the first and the last are half of one.
    owner = np.repeat(np.arange(len(pieces)), pieces + 1)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(pieces + 1) - pieces - 1, pieces + 1)
    return np.hstack(
        [
            _chain_point(around, radius, pieces, owner, number),
            _chain_point(around, radius, pieces, owner, number + 1),
        ]
    )


def _chain_point(around: Wedges, radius: float, pieces: Ints, owner: Ints, number: Ints) -> Floats:
    """Return (n, 2) m: point 0 to k + 1 of the chain of k tangents of each owner."""
    count = pieces[owner]
    step = around.turns[owner] / count
    is_end = (number == 0) | (number == count + 1)
    share = np.clip(number - 0.5, 0, count)
    angle = around.starts[owner] + share * step
    reach = np.where(is_end, radius, radius / np.cos(step / 2))
    chain: Floats = around.tips[owner] + reach[:, None] * np.column_stack(
        [np.cos(angle), np.sin(angle)]
    )
    return chain


def is_in_wedge(points: Floats, around: Wedges, which: Ints, radius: float) -> NDArray[np.bool_]:
    """Return (n,) bool: the point lies in wedge `which` (n,), below its tangents."""
    x, y = (points - around.tips[which]).T
    turns = around.turns[which]
    angle = (np.arctan2(y, x) - around.starts[which]) % (2 * math.pi)
    step = turns / np.maximum(np.ceil(turns / TANGENT - 1e-9), 1)
    from_touch = np.abs(angle % step - step / 2)
    # Between touching points the tangents are farthest away: where the middle of a piece is.
    height = np.hypot(x, y) * np.cos(step / 2 - from_touch)
    hit: NDArray[np.bool_] = (angle <= turns) & (height < radius)
    return hit
