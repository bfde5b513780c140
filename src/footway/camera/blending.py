"""Round the corners of a course with arcs as large as their clearance allows (section 2.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import cos, sin, tan
from footway.camera.course import EMPTY, SHARP, Course

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SMALLEST = 0.05
"""m. Least radius of an arc; a smaller one is no better than a corner."""


def tangent_lengths(course: Course, deviation: Floats, reach: Floats) -> Floats:
    """Return the tangent length (n + 1,) of the arc at each corner, m; 0 if no arc fits.

    The distance between an arc and its corner is at most `h tan(angle / 4)`, where h is the tangent
    length. An arc may use half of a line with two rounded corners, and all of a line with one.

    Args:
        course: with corners.
        deviation: (n + 1,) m, largest distance of each arc from the course.
        reach: (n + 1,) m, greatest tangent lengths.

    """
    angles = course.corners
    is_line = np.concatenate([[False], course.curvatures == 0.0, [False]])
    open_ = (angles > 0.0) & is_line[:-1] & is_line[1:] & ~course.halts
    share = course.lengths / np.maximum(1, open_[:-1].astype(int) + open_[1:])
    share = np.concatenate([[0.0], share, [0.0]])
    bend = np.maximum(tan(0.25 * angles), 1e-12)
    lengths = np.minimum.reduce([share[:-1], share[1:], deviation / bend, reach])
    round_enough = lengths > SMALLEST * tan(0.5 * angles)
    return np.where(open_ & round_enough, lengths, 0.0)


def blended(course: Course, tangents: Floats) -> tuple[Course, Floats]:
    """Return the course with arcs of these tangent lengths (n + 1,) at its corners.

    Also returns the new arc length (n + 1,) of every old break: the middle of its arc.
    """
    n = len(course.starts)
    angles, inner = course.corners[1:-1], tangents[1:-1]
    chain = 2 * np.arange(n)  # even rows are pieces, odd rows the arcs between them
    starts, directions, normals = (np.zeros((2 * n - 1, course.dimension)) for _ in range(3))
    starts[chain] = course.starts + tangents[:-1, None] * course.tangents
    directions[chain], normals[chain] = course.tangents, course.normals
    before, after = course.tangents[:-1], course.tangents[1:]
    sine = np.where(inner > 0.0, sin(angles), 1.0)
    aside = (after - cos(angles)[:, None] * before) / sine[:, None]
    starts[1::2] = course.starts[1:] - inner[:, None] * before
    directions[1::2], normals[1::2] = before, np.where(inner[:, None] > 0.0, aside, 0.0)
    curvatures, lengths = np.zeros(2 * n - 1), np.zeros(2 * n - 1)
    curvatures[chain] = course.curvatures
    lengths[chain] = np.maximum(course.lengths - tangents[:-1] - tangents[1:], 0.0)
    curvatures[1::2] = tan(0.5 * angles) / np.where(inner > 0.0, inner, np.inf)
    lengths[1::2] = angles * inner / np.where(inner > 0.0, tan(0.5 * angles), 1.0)
    lengths[lengths <= EMPTY] = 0.0
    ends = np.concatenate([[0.0], np.cumsum(lengths)])
    breaks = np.concatenate([[0.0], 0.5 * (ends[1:-1:2] + ends[2::2]), ends[-1:]])
    kept = lengths > 0.0
    halts = np.zeros(int(kept.sum()) + 1, bool)  # if a piece is used up, the next halts
    halts[np.searchsorted(np.flatnonzero(kept), chain[course.halts[:-1]])] = True
    return (
        Course(
            starts=starts[kept],
            tangents=directions[kept],
            normals=normals[kept],
            curvatures=curvatures[kept],
            lengths=lengths[kept],
            goal=course.goal,
            halts=halts,
        ),
        breaks,
    )


def with_halts(course: Course) -> Course:
    """Return the course with halts at all remaining corners that are too sharp to pass.

    A cluster of small corners with a turning radius below SMALLEST counts as one sharp corner: a
    walk has such clusters where it turns on the spot.
    """
    halts = course.halts | (course.corners > SHARP)
    cluster: list[int] = []
    for k in np.flatnonzero((course.corners > 0.0) & ~halts).tolist():
        cluster.append(k)
        turned = float(course.corners[cluster].sum())
        if course.breaks[k] - course.breaks[cluster[0]] >= SMALLEST * turned:
            cluster = [k]
        elif turned > SHARP:
            halts[cluster] = True
    return replace(course, halts=halts)
