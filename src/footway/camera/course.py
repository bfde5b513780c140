"""Course of a camera: lines and arcs by arc length, in two or three dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import atan2, cos, sin
from footway.corridor.kernels.path import CX, CY, RADIUS, SWEEP, X0, X1, Y1

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

SHARP = 0.35
"""rad. The camera stops and turns at a sharper corner that has no arc. Smaller corners, such as
those between samples of a walk, are passed: looking ahead smooths the view there."""

STRAIGHT = 1e-7
"""rad. Smaller corners are rounding errors."""

EMPTY = 1e-9
"""m. Shorter pieces are rounding errors."""


@dataclass(frozen=True, eq=False, repr=False)
class Course:
    """A chain of n lines and arcs in d dimensions, parametrised by arc length.

    Attributes:
        starts: (n, d) m. Start of each piece.
        tangents: (n, d) unit. Direction at the start.
        normals: (n, d) unit. Direction from the start to the centre of an arc; zeros for a line.
        curvatures: (n,) 1/m. 0 for a line.
        lengths: (n,) m.
        goal: (d,) m. End of the last piece.
        halts: (n + 1,) whether the camera must stop at the start of piece k; False at both ends.

    """

    starts: Floats
    tangents: Floats
    normals: Floats
    curvatures: Floats
    lengths: Floats
    goal: Floats
    halts: Flags

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.starts.shape[1])

    @cached_property
    def breaks(self) -> Floats:
        """(n + 1,) m. Arc length at the start of each piece, and the total length."""
        return np.concatenate([[0.0], np.cumsum(self.lengths)])

    @property
    def length(self) -> float:
        """Total length, m."""
        return float(self.breaks[-1])

    @cached_property
    def corners(self) -> Floats:
        """(n + 1,) rad. Angle between consecutive pieces at each break; 0 at both ends."""
        angles = np.zeros(len(self.starts) + 1)
        ends = self._tangents_in(np.arange(len(self.starts)), self.lengths)
        angles[1:-1] = angles_between(ends[:-1], self.tangents[1:])
        angles[angles < STRAIGHT] = 0.0
        return angles

    def piece_at(self, s: ArrayLike) -> NDArray[np.int64]:
        """Return the piece at each arc length; at a break the one that starts there."""
        found = np.searchsorted(self.breaks, s, side="right") - 1
        return np.clip(found, 0, len(self.starts) - 1)

    def position(self, s: ArrayLike) -> Floats:
        """Return positions (..., d) m at arc lengths s (m); s is clamped to the course."""
        s = np.asarray(s, np.float64)
        k = self.piece_at(s)
        u = np.clip(s - self.breaks[k], 0.0, self.lengths[k])
        half = 0.5 * self.curvatures[k] * u
        # Along and across the arc: sin(cu) / c and (1 - cos(cu)) / c; valid for c = 0 too.
        sine = sin(half)
        flat = np.where(half == 0.0, 1.0, sine / np.where(half == 0.0, 1.0, half))
        ahead = u * flat * cos(half)
        aside = u * flat * sine
        place = (
            self.starts[k]
            + ahead[..., None] * self.tangents[k]
            + aside[..., None] * self.normals[k]
        )
        return np.where((s >= self.length)[..., None], self.goal, place)

    def tangent(self, s: ArrayLike) -> Floats:
        """Return unit directions (..., d) at arc lengths s (m); at a corner of the next piece."""
        s = np.asarray(s, np.float64)
        k = self.piece_at(s)
        return self._tangents_in(k, np.clip(s - self.breaks[k], 0.0, self.lengths[k]))

    def _tangents_in(self, k: NDArray[np.int64], u: Floats) -> Floats:
        turned = (self.curvatures[k] * u)[..., None]
        tangents: Floats = cos(turned) * self.tangents[k] + sin(turned) * self.normals[k]
        return tangents

    def __repr__(self) -> str:
        return f"Course({self.length:.2f} m, {len(self.starts)} pieces)"


def angles_between(a: Floats, b: Floats) -> Floats:
    """Return the angles (...) between unit vectors (..., d), rad; accurate for small angles."""
    apart, together = np.linalg.norm(b - a, axis=-1), np.linalg.norm(b + a, axis=-1)
    angles: Floats = 2.0 * atan2(apart, together)
    return angles


def course_of_points(points: Floats) -> Course:
    """Return the course along a polyline (n, d), with its corners."""
    step = np.diff(points, axis=0)
    lengths = np.linalg.norm(step, axis=1)
    kept = lengths > EMPTY
    step, lengths, starts = step[kept], lengths[kept], points[:-1][kept]
    return Course(
        starts=starts,
        tangents=step / lengths[:, None],
        normals=np.zeros_like(starts),
        curvatures=np.zeros(len(starts)),
        lengths=lengths,
        goal=points[-1].copy(),
        halts=np.zeros(len(starts) + 1, bool),
    )


def course_of_pieces(pieces: Floats) -> Course:
    """Return the course along the lines and arcs (n, 9) of a shortest path; the same curve."""
    step = pieces[:, X1 : Y1 + 1] - pieces[:, X0:X1]
    is_arc = pieces[:, RADIUS] > 0.0
    radius = np.where(is_arc, pieces[:, RADIUS], 1.0)
    outward = (pieces[:, X0:X1] - pieces[:, CX : CY + 1]) / radius[:, None]
    side = np.sign(pieces[:, SWEEP])
    around = np.column_stack([-side * outward[:, 1], side * outward[:, 0]])
    chord = np.linalg.norm(step, axis=1)
    lengths = np.where(is_arc, radius * np.abs(pieces[:, SWEEP]), chord)
    straight = step / np.maximum(chord, EMPTY)[:, None]
    kept = lengths > EMPTY
    mask = is_arc[:, None]
    tangents = np.where(mask, around, straight)[kept]
    return Course(
        starts=pieces[kept, X0:X1],
        tangents=tangents / np.linalg.norm(tangents, axis=1)[:, None],
        normals=np.where(mask, -outward, 0.0)[kept],
        curvatures=np.where(is_arc, 1.0 / radius, 0.0)[kept],
        lengths=lengths[kept],
        goal=pieces[-1, X1 : Y1 + 1].copy(),
        halts=np.zeros(int(kept.sum()) + 1, bool),
    )


def joined(courses: Sequence[Course]) -> tuple[Course, NDArray[np.int64]]:
    """Concatenate k courses; also return the first piece of each but the first, (k - 1,)."""
    first = np.cumsum([len(course.starts) for course in courses])[:-1]
    halts = [courses[0].halts, *(course.halts[1:] for course in courses[1:])]
    whole = Course(
        starts=np.concatenate([course.starts for course in courses]),
        tangents=np.concatenate([course.tangents for course in courses]),
        normals=np.concatenate([course.normals for course in courses]),
        curvatures=np.concatenate([course.curvatures for course in courses]),
        lengths=np.concatenate([course.lengths for course in courses]),
        goal=courses[-1].goal,
        halts=np.concatenate(halts),
    )
    return whole, first
