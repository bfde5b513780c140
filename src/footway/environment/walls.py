"""The walls of an environment as arrays of segments, the input of `medial`, and their offsets.

A disc among walls is a point among walls that are offset by its radius. The offset of a wall
consists of rectangles along it and wedges about its ends. An arc is replaced by a chain of tangents
outside the circle: the disc keeps at least its radius from every wall, and at most 1 % more than
necessary.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely

from footway._numba.portable_math import atan2, cos, hypot, sin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Bools, Floats, Ints

TANGENT: Final = math.pi / 12
"""rad. Maximum angle covered by one tangent: its ends are 0.9 % of the radius off the circle."""

_STRAIGHT: Final = 1e-9  # rad beyond a straight angle up to which no wedge is needed


class Walls(NamedTuple):
    """Noded walls in metres, every coordinate on the grid.

    Segments meet at end points only; there are no duplicates and none has length zero.

    Attributes:
        segments: (n, 4) float64, x0, y0, x1, y1.
        two_sided: (n,) bool. True: a single-line wall with free space on both sides.
            False: free space lies only on the left of the direction from (x0, y0) to (x1, y1).
        points: (m, 2) float64, point obstacles that lie on no segment.
    """

    segments: Floats
    two_sided: Bools
    points: Floats


def walls_of(
    walkable: shapely.MultiPolygon, lines: shapely.MultiLineString, points: shapely.MultiPoint
) -> Walls:
    """Return the walls around walkable space and the lines and points inside it.

    Polygons must be oriented (exterior counterclockwise, holes clockwise) and everything noded,
    as `assemble` guarantees.
    """
    around = segments_of(shapely.get_rings(shapely.get_parts(walkable)))
    inside = segments_of(shapely.get_parts(lines))
    return Walls(
        segments=np.concatenate([around, inside]),
        two_sided=np.arange(len(around) + len(inside)) >= len(around),
        points=shapely.get_coordinates(points),
    )


def segments_of(curves: Any) -> Floats:
    """Return the (n, 4) segments x0, y0, x1, y1 of rings or linestrings, in their order."""
    xy, owner = shapely.get_coordinates(curves, return_index=True)
    same = owner[1:] == owner[:-1]
    return np.hstack([xy[:-1][same], xy[1:][same]])


def segment_keys(segments: Floats) -> NDArray[np.void]:
    """Return (n,) keys that are equal for equal segments, regardless of direction."""
    x0, y0, x1, y1 = segments.T
    swap = (x0 > x1) | ((x0 == x1) & (y0 > y1))
    ordered = np.where(swap[:, None], segments[:, [2, 3, 0, 1]], segments) + 0.0
    return np.ascontiguousarray(ordered).view([("", np.float64)] * 4).ravel()


class Wedges(NamedTuple):
    """Sectors about the ends of walls."""

    tips: Floats  # (n, 2) m
    starts: Floats  # (n,) rad, direction of the first side of the sector
    turns: Floats  # (n,) rad, angle of the sector, counterclockwise


def offset_lines(walls: Walls, radius: float) -> Floats:
    """Return lines (n, 4) m that contain the outline of the walls offset by `radius` (m)."""
    segments = walls.segments
    left = radius * _left(segments[:, 2:] - segments[:, :2])
    aside = np.hstack([left, left])
    return np.concatenate(
        [
            segments + aside,
            (segments - aside)[walls.two_sided],
            _tangents(wedges(walls), radius),
            _joints(walls, radius),
        ]
    )


def wedges(walls: Walls) -> Wedges:
    """Return the sectors about wall ends and point obstacles in which nothing else is nearer.

    Around each end the walls are sorted by direction; where the free angle between two of them
    exceeds a straight angle, a wedge fills the space between the rectangles beside them.
    """
    gaps = _gaps(walls)
    wide = gaps.turns > math.pi + _STRAIGHT
    return Wedges(
        np.concatenate([gaps.tips[wide], walls.points]),
        np.concatenate([gaps.starts[wide] + math.pi / 2, np.zeros(len(walls.points))]),
        np.concatenate([gaps.turns[wide] - math.pi, np.full(len(walls.points), 2 * math.pi)]),
    )


def _tangents(around: Wedges, radius: float) -> Floats:
    """Return lines (n, 4) m that touch the circles of `radius` (m) about the tips, end to end."""
    pieces = _pieces(around)
    # A chain of k tangents has k + 1 lines: the first and the last are half tangents.
    owner = np.repeat(np.arange(len(pieces)), pieces + 1)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(pieces + 1) - pieces - 1, pieces + 1)
    return np.hstack(
        [
            _chain_point(around, radius, pieces, owner, number),
            _chain_point(around, radius, pieces, owner, number + 1),
        ]
    )


def _joints(walls: Walls, radius: float) -> Floats:
    """Return lines (n, 4) m that close gaps between the offset lines of two walls.

    The lines beside two almost collinear walls cross at less than a lattice step, if at all, and
    rounding may separate end points that should meet: these lines close the outline on any
    lattice. They lie inside the offset walls, or have no length.
    """
    gaps = _gaps(walls)
    after, before = gaps.tips + radius * gaps.after, gaps.tips - radius * gaps.before
    wide = gaps.turns > math.pi + _STRAIGHT
    around = Wedges(gaps.tips[wide], gaps.starts[wide] + math.pi / 2, gaps.turns[wide] - math.pi)
    pieces, owner = _pieces(around), np.arange(len(around.tips))
    first = _chain_point(around, radius, pieces, owner, np.zeros_like(pieces))
    last = _chain_point(around, radius, pieces, owner, pieces + 1)
    return np.concatenate(
        [
            np.hstack([after[~wide], before[~wide]]),
            np.hstack([after[wide], first]),
            np.hstack([last, before[wide]]),
        ]
    )


class _Gaps(NamedTuple):
    """Free angle between a wall and the next one about the same corner, counterclockwise."""

    tips: Floats  # (n, 2) m
    starts: Floats  # (n,) rad, direction of the wall
    turns: Floats  # (n,) rad to the next
    after: Floats  # (n, 2) unit vector to the left of the wall
    before: Floats  # (n, 2) unit vector to the left of the next


def _gaps(walls: Walls) -> _Gaps:
    segments = walls.segments
    at = np.concatenate([segments[:, :2], segments[:, 2:]])
    along = segments[:, 2:] - segments[:, :2]
    outward = np.concatenate([along, -along])
    angle = atan2(outward[:, 1], outward[:, 0])
    corner = np.unique(at + 0.0, axis=0, return_inverse=True)[1].ravel()
    order = np.lexsort((angle, corner))
    # The next wall about the same corner, cyclically.
    corner = corner[order]
    first = np.flatnonzero(np.r_[True, corner[1:] != corner[:-1]])
    following = np.arange(1, len(corner) + 1)
    following[np.r_[first[1:], len(corner)] - 1] = first
    turn = angle[order][following] - angle[order]
    turn[turn <= 0] += 2 * math.pi
    left = _left(outward)[order]
    # Free space is on the left of a wall, in the direction from its first end.
    free = np.concatenate([np.ones(len(segments), dtype=bool), walls.two_sided])[order]
    gaps = (at[order], angle[order], turn, left, left[following])
    return _Gaps(*(field[free] for field in gaps))


def _left(along: Floats) -> Floats:
    """Return (n, 2) unit vectors to the left."""
    left: Floats = np.column_stack([-along[:, 1], along[:, 0]]) / hypot(*along.T)[:, None]
    return left


def _pieces(around: Wedges) -> Ints:
    """Return (n,) the number of tangents about each tip."""
    return np.maximum(np.ceil(around.turns / TANGENT - 1e-9), 1).astype(np.int64)


def _chain_point(around: Wedges, radius: float, pieces: Ints, owner: Ints, number: Ints) -> Floats:
    """Return (n, 2) m: point `number` (0 to k + 1) of the chain of k tangents of each owner."""
    count = pieces[owner]
    step = around.turns[owner] / count
    is_end = (number == 0) | (number == count + 1)
    share = np.clip(number - 0.5, 0, count)
    angle = around.starts[owner] + share * step
    reach = np.where(is_end, radius, radius / cos(step / 2))
    chain: Floats = around.tips[owner] + reach[:, None] * np.column_stack([cos(angle), sin(angle)])
    return chain


def is_in_wedge(points: Floats, around: Wedges, which: Ints, radius: float) -> Bools:
    """Return (n,) bool: the point lies in wedge `which` (n,), below its tangents."""
    x, y = (points - around.tips[which]).T
    turns = around.turns[which]
    angle = (atan2(y, x) - around.starts[which]) % (2 * math.pi)
    step = turns / _pieces(around)[which]
    from_touch = np.abs(angle % step - step / 2)
    # The tangents are farthest from the tip halfway between two touching points.
    height = hypot(x, y) * cos(step / 2 - from_touch)
    hit: Bools = (angle <= turns) & (height < radius)
    return hit
