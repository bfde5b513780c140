"""Sample the medial axis: points in closed form, polylines, and balls that cover the free space."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway import validation
from footway._numba.portable_math import hypot
from footway._numba.random_stream import RandomStream
from footway._numba.segments import closest_points, on_parabola
from footway.corridor.kernels.locate import share_covered
from footway.corridor.points import clearances
from footway.errors import BadQuery

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Index
    from footway.medial import MedialAxis


_PROBES = 10_000  # random points: the coverage is known to about 0.1 %
_SMALLEST = 0.05  # m, smaller balls cover a negligible area
_FARTHEST, _CLOSEST = 2.0, 0.02  # spacing of balls relative to their radius


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
    points[curved] = on_parabola(
        axis.sites[focus, :2], axis.sites[wall], start[curved], end[curved], t[curved]
    )
    on_left = closest_points(points, axis.sites[left])
    on_right = closest_points(points, axis.sites[right])
    clearance = np.minimum(hypot(*(points - on_left).T), hypot(*(points - on_right).T))
    if not axis.is_point.any():  # a roadmap: between events other walls may be nearer
        clearance = axis.clearance[own]
        clearance = clearance + t * (axis.clearance[own + 1] - clearance)
    return Samples(points, clearance, on_left, on_right)


class Balls(NamedTuple):
    """Balls of maximal clearance on the medial axis (cmm-crowds-2008, section 2.1)."""

    centres: Floats  # (k, 2) m
    radii: Floats  # (k,) m
    edges: Ints  # (k,) edge of the map
    coverage: float  # measured share of the free space that they cover


def cover(index: Index, coverage: float) -> Balls:
    """Find the sparsest spacing of balls, relative to their radii, that covers this share."""
    coverage = validation.number(coverage, "coverage", above=0.0)
    if coverage >= 1.0:
        raise BadQuery(f"the coverage is {coverage:g}: it must be between 0 and 1")
    box, shape = index.grid.box, index.grid.shape
    points = box[:2] + RandomStream(0).uniform(4 * _PROBES, 2) * box[2] * shape
    probes = points[clearances(points, index) > 0][:_PROBES]
    sparse, dense = _FARTHEST, _CLOSEST
    best: Balls | None = None
    for _ in range(8):
        middle = float(np.sqrt(sparse * dense))
        balls = _balls(index, middle, probes)
        if balls.coverage >= coverage:
            best, dense = balls, middle
        else:
            sparse = middle
    if best is None:  # try the closest spacing last: it takes longer than all others together
        best = _balls(index, _CLOSEST, probes)
    if best.coverage < coverage:
        raise BadQuery(
            f"balls on the axis of this map reach a coverage of at most {best.coverage:.4f}, not "
            f"{coverage:g}: give a smaller coverage"
        )
    return best


def _balls(index: Index, spacing: float, probes: Floats) -> Balls:
    """Balls whose distance along the axis is at most `spacing` times the smaller radius."""
    axis = index.axis
    piece = np.flatnonzero(axis.piece_left >= 0)
    narrow = np.minimum(axis.clearance[piece], axis.clearance[piece + 1])
    gap = spacing * np.maximum(narrow, _SMALLEST)
    count = np.maximum(1, np.ceil(axis.piece_length[piece] / gap)).astype(np.int64)
    piece, t = subdivide(piece, count)
    samples = on_pieces(axis, piece, t)
    keep = samples.clearance > _SMALLEST
    centres, radii = samples.points[keep], samples.clearance[keep]
    largest_first = np.argsort(-radii)
    covered = share_covered(probes, centres[largest_first], radii[largest_first])
    return Balls(centres, radii, index.graph.edge_of[piece][keep], covered)
