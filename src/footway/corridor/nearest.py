"""The nearest points at which a disc fits, exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.parallel import in_parts
from footway._numba.portable_math import hypot
from footway._numba.segments import cross, foot_parameter
from footway.corridor.balls import on_pieces
from footway.corridor.kernels.locate import BEYOND
from footway.corridor.kernels.nearest import find_nearest
from footway.corridor.kernels.query import THIN

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Index
    from footway.medial import MedialAxis


_BATCH = 64  # points of one call


def nearest_fitting(points: Floats, radius: float, index: Index, *, piece: int = -1) -> Floats:
    """Return the nearest points at which a disc fits, (n, 2) m; NaN if it fits nowhere.

    With a `piece` of the axis, the disc gets there from that piece.
    """
    # By rounding, a disc may not fit at the exact distance from a wall; THIN farther off it does.
    # Within BEYOND of a corner nobody can tell the obstacle from the free space.
    offsets = np.maximum([radius, radius + THIN], 4.0 * BEYOND)
    crossings = np.concatenate([with_clearance(index.axis, value) for value in offsets])
    out = np.empty((len(points), 2))

    def work(part: slice) -> None:
        find_nearest(points[part], radius, offsets, crossings, piece, index, out[part])

    in_parts(len(points), _BATCH, work)
    return out


def with_clearance(axis: MedialAxis, value: float) -> Floats:
    """Return the points of the medial axis with a given clearance, (n, 2) m.

    Along a piece of the axis the clearance is monotone, so a piece has at most one, or both ends.
    """
    piece = np.flatnonzero(axis.piece_left >= 0)
    low = np.minimum(axis.clearance[piece], axis.clearance[piece + 1])
    high = np.maximum(axis.clearance[piece], axis.clearance[piece + 1])
    piece = piece[(low - THIN <= value) & (value <= high + THIN)]
    share = np.clip(_share_with_clearance(axis, piece, value), 0.0, 1.0)
    inside = on_pieces(axis, piece, share).points
    return np.concatenate([inside, axis.events[piece], axis.events[piece + 1]])


def _share_with_clearance(axis: MedialAxis, piece: Ints, value: float) -> Floats:
    """Return the share, as of `on_pieces`, at which pieces have this clearance; 0 if nowhere."""
    left, right = axis.piece_left[piece], axis.piece_right[piece]
    start, end = axis.events[piece], axis.events[piece + 1]
    first, last = axis.clearance[piece], axis.clearance[piece + 1]
    straight = _ratio(value - first, last - first)
    # The line between two corners: where its distance from one of them is the clearance.
    along, off = end - start, start - axis.sites[left, :2]
    squared, ahead = (along * along).sum(axis=1), (along * off).sum(axis=1)
    root = ahead * ahead - squared * ((off * off).sum(axis=1) - value * value)
    sign = np.where(last >= first, 1.0, -1.0)
    between = _ratio(sign * np.sqrt(np.maximum(0.0, root)) - ahead, squared)
    # The parabola of a corner and a wall: its distance from the wall is the clearance.
    left_is_corner = axis.is_point[left]
    focus = axis.sites[np.where(left_is_corner, left, right), :2]
    wall = axis.sites[np.where(left_is_corner, right, left)]
    x0, x1, middle = (foot_parameter(at, wall) for at in (start, end, focus))
    direction = wall[:, 2:] - wall[:, :2]
    height = np.abs(_ratio(cross(direction, focus - wall[:, :2]), hypot(*direction.T)))
    offset = np.sqrt(np.maximum(0.0, height * (2.0 * value - height)))
    curved = _ratio(middle + sign * np.sign(x1 - x0) * offset - x0, x1 - x0)
    is_curved = axis.is_point[left] != axis.is_point[right]
    return np.where(is_curved, curved, np.where(left_is_corner, between, straight))


def _ratio(a: Floats, b: Floats) -> Floats:
    """Return a / b; 0 where b is 0."""
    return np.divide(a, b, out=np.zeros(len(a)), where=b != 0.0)
