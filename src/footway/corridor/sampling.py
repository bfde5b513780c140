"""Sample points along the medial axis, in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points, cross, foot_parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Index
    from footway.medial import MedialAxis

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Axis(NamedTuple):
    """The medial axis as polylines."""

    points: Floats  # (m, 2) m
    clearance: Floats  # (m,) m
    offsets: Ints  # (ne + 1,) edge e has the points offsets[e] to offsets[e + 1] - 1


class Samples(NamedTuple):
    """Points of the axis with their contacts on either side."""

    points: Floats  # (n, 2) m
    clearance: Floats  # (n,) m
    left: Floats  # (n, 2) m
    right: Floats  # (n, 2) m


def sample_axis(index: Index, step: float) -> Axis:
    """Sample every edge as a polyline; points are at most `step` m apart, 2 `step` on parabolas.

    Points of a parabola are equally spaced along its directrix: see `on_pieces`.
    """
    axis = index.axis
    count = np.where(
        axis.piece_left >= 0, np.maximum(1, np.ceil(axis.piece_length / step)), 1
    ).astype(np.int64)
    piece, t = subdivide(np.arange(len(axis.events)), count)
    first = np.concatenate([[0], np.cumsum(count)])
    samples = on_pieces(axis, piece, t)
    return Axis(samples.points, samples.clearance, first[axis.offsets])


def subdivide(piece: Ints, count: Ints) -> tuple[Ints, Floats]:
    """Return piece and share in [0, 1) of `count[k]` equally spaced points on piece k."""
    repeated = np.repeat(piece, count)
    start = np.repeat(np.concatenate([[0], np.cumsum(count)[:-1]]), count)
    return repeated, (np.arange(len(repeated)) - start) / np.repeat(count, count)


def on_pieces(axis: MedialAxis, piece: Ints, t: Floats) -> Samples:
    """Return points at share t of pieces (t = 0 at the piece's event), with clearance and contacts.

    On a parabola the share is measured along the directrix, where its closed form is simple.
    """
    last = axis.piece_left[piece] < 0
    own = np.where(last, piece - 1, piece)
    t = np.where(last, 1.0, t)
    left, right = axis.piece_left[own], axis.piece_right[own]
    start, end = axis.events[own], axis.events[own + 1]
    points = start + t[:, None] * (end - start)
    curved = axis.is_point[left] != axis.is_point[right]
    focus = np.where(axis.is_point[left], left, right)[curved]
    wall = np.where(axis.is_point[left], right, left)[curved]
    points[curved] = _on_parabola(
        axis.sites[focus, :2], axis.sites[wall], start[curved], end[curved], t[curved]
    )
    on_left = closest_points(points, axis.sites[left])
    on_right = closest_points(points, axis.sites[right])
    clearance = np.minimum(hypot(*(points - on_left).T), hypot(*(points - on_right).T))
    if not axis.is_point.any():  # a roadmap: between events other walls may be nearer
        clearance = axis.clearance[own]
        clearance = clearance + t * (axis.clearance[own + 1] - clearance)
    return Samples(points, clearance, on_left, on_right)


def share_on_piece(axis: MedialAxis, piece: int, point: Floats) -> float:
    """Return the share of a piece at which a point on it lies: the inverse of `on_pieces`."""
    left, right = axis.piece_left[piece], axis.piece_right[piece]
    ends, at = axis.events[[piece, piece + 1]], point[None]
    line = ends.reshape(1, 4)
    if axis.is_point[left] != axis.is_point[right]:
        line = axis.sites[[right if axis.is_point[left] else left]]
    x0, x1, x = (float(foot_parameter(p[None], line)[0]) for p in (*ends, *at))
    return min(1.0, max(0.0, (x - x0) / (x1 - x0))) if x1 != x0 else 0.0


def _on_parabola(focus: Floats, wall: Floats, start: Floats, end: Floats, t: Floats) -> Floats:
    """Return points (n, 2) equidistant to a focus and a wall, with feet on the wall at share t."""
    x0, x1 = foot_parameter(start, wall), foot_parameter(end, wall)
    x = x0 + t * (x1 - x0)
    along = wall[:, 2:] - wall[:, :2]
    along /= hypot(*along.T)[:, None]
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    height = cross(along, focus - wall[:, :2])  # signed: the focus may be on either side
    offset = x - foot_parameter(focus, wall)
    y = (offset * offset + height * height) / (2.0 * height)
    points: Floats = wall[:, :2] + x[:, None] * along + y[:, None] * normal
    return points
