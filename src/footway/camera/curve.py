"""The curve of a camera: lines and arcs by arc length, with rounded corners and measured clearance.

Corners are rounded with arcs as large as their clearance allows (voronoi-roadmaps-2004, section
2.4). Where no arc fits, the camera halts and turns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import atan2, cos, sin, tan
from footway.corridor import CorridorMap
from footway.corridor.kernels.path import CX, CY, RADIUS, SWEEP, X0, X1, Y1, polyline_clearance

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import ArrayLike

    from footway.arrays import Bools, Floats, Ints
    from footway.roadmap.maps.space_map import SpaceMap

SHARP = 0.35
"""rad. The camera stops and turns at a sharper corner that has no arc. Smaller corners, such as
those between samples of a walk, are passed: looking ahead smooths the view there."""

STRAIGHT = 1e-7  # rad. Smaller corners are rounding errors
EMPTY = 1e-9  # m. Shorter pieces are rounding errors
SMALLEST = 0.05  # m. Least radius of an arc; a smaller one is no better than a corner

_SAGITTA = 1e-6  # m. Distance between an arc and its chords; subtracted from the clearance
_STEP = 0.01  # m. Distance of samples in 3D; half of it is subtracted from the clearance
_MOST = 200_000  # most samples


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """A chain of n lines and arcs in d dimensions, parametrised by arc length."""

    starts: Floats  # (n, d) m. Start of each piece
    tangents: Floats  # (n, d) unit. Direction at the start
    normals: Floats  # (n, d) unit. From the start to the centre of an arc; zeros for a line
    curvatures: Floats  # (n,) 1/m. 0 for a line
    lengths: Floats  # (n,) m
    goal: Floats  # (d,) m. End of the last piece
    halts: Bools  # (n + 1,) whether the camera stops at the start of piece k; False at both ends

    @classmethod
    def from_points(cls, points: Floats) -> Self:
        """Return the curve along a polyline (n, d), with its corners."""
        step = np.diff(points, axis=0)
        lengths = np.linalg.norm(step, axis=1)
        kept = lengths > EMPTY
        step, lengths, starts = step[kept], lengths[kept], points[:-1][kept]
        return cls(
            starts=starts,
            tangents=step / lengths[:, None],
            normals=np.zeros_like(starts),
            curvatures=np.zeros(len(starts)),
            lengths=lengths,
            goal=points[-1].copy(),
            halts=np.zeros(len(starts) + 1, bool),
        )

    @classmethod
    def from_pieces(cls, pieces: Floats) -> Self:
        """Return the curve along the lines and arcs (n, 9) of a shortest path; the same curve."""
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
        return cls(
            starts=pieces[kept, X0:X1],
            tangents=tangents / np.linalg.norm(tangents, axis=1)[:, None],
            normals=np.where(mask, -outward, 0.0)[kept],
            curvatures=np.where(is_arc, 1.0 / radius, 0.0)[kept],
            lengths=lengths[kept],
            goal=pieces[-1, X1 : Y1 + 1].copy(),
            halts=np.zeros(int(kept.sum()) + 1, bool),
        )

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

    def piece_at(self, s: ArrayLike) -> Ints:
        """Return the piece at each arc length; at a break the one that starts there."""
        found = np.searchsorted(self.breaks, s, side="right") - 1
        return np.clip(found, 0, len(self.starts) - 1)

    def position(self, s: ArrayLike) -> Floats:
        """Return positions (..., d) m at arc lengths s (m); s is clamped to the curve."""
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
        """Return unit directions (..., d) at arc lengths s (m): at a corner, of the next piece."""
        s = np.asarray(s, np.float64)
        k = self.piece_at(s)
        return self._tangents_in(k, np.clip(s - self.breaks[k], 0.0, self.lengths[k]))

    def _tangents_in(self, k: Ints, u: Floats) -> Floats:
        turned = (self.curvatures[k] * u)[..., None]
        return cos(turned) * self.tangents[k] + sin(turned) * self.normals[k]

    def clearance(self, cmap: CorridorMap | SpaceMap) -> float:
        """Return a lower bound of the distance to any wall, m; 0 if the curve meets one."""
        if isinstance(cmap, CorridorMap):
            return max(0.0, polyline_distance(self._chords(), cmap) - _SAGITTA)
        count = min(_MOST, math.ceil(self.length / _STEP))
        places = self.position(np.linspace(0.0, self.length, count + 1))
        # Every point is within half a step of a sample, and clearance changes by no more than that.
        return max(0.0, float(cmap.clearance(places).min()) - 0.5 * self.length / count)

    def _chords(self) -> Floats:
        """Return points (n, 2) on the curve: ends of its lines, and of chords of its arcs."""
        # The sagitta of a chord that turns by a is radius * a^2 / 8.
        widest = np.sqrt(8.0 * _SAGITTA * np.maximum(self.curvatures, 1e-12))
        counts = np.ceil(self.curvatures * self.lengths / widest).astype(int)
        parts = [
            np.linspace(first, last, max(1, count), endpoint=False)
            for first, last, count in zip(self.breaks, self.breaks[1:], counts, strict=False)
        ]
        return self.position(np.append(np.concatenate(parts), self.length))

    def __repr__(self) -> str:
        return f"Curve({self.length:.2f} m, {len(self.starts)} pieces)"


def angles_between(a: Floats, b: Floats) -> Floats:
    """Return the angles (...) between unit vectors (..., d), rad; accurate for small angles."""
    apart, together = np.linalg.norm(b - a, axis=-1), np.linalg.norm(b + a, axis=-1)
    angles: Floats = 2.0 * atan2(apart, together)
    return angles


def join(curves: Sequence[Curve]) -> tuple[Curve, Ints]:
    """Concatenate k curves; also return the first piece of each but the first, (k - 1,)."""
    first = np.cumsum([len(curve.starts) for curve in curves])[:-1]
    parts = {
        field.name: np.concatenate([getattr(curve, field.name) for curve in curves])
        for field in fields(Curve)
        if field.name not in ("goal", "halts")
    }
    halts = [curves[0].halts, *(curve.halts[1:] for curve in curves[1:])]
    return Curve(goal=curves[-1].goal, halts=np.concatenate(halts), **parts), first


def polyline_distance(points: Floats, cmap: CorridorMap) -> float:
    """Return the least distance of a polyline (n, 2) to any wall, m; 0 if it meets one."""
    # A polyline that starts outside obstacles and crosses no wall stays outside.
    least = min(
        float(cmap.clearance(points).min()),
        float(polyline_clearance(np.ascontiguousarray(points), cmap.solver.index.grid)),
    )
    return max(0.0, least)


def tangent_lengths(curve: Curve, deviation: Floats, reach: Floats) -> Floats:
    """Return the tangent length (n + 1,) of the arc at each corner, m; 0 if no arc fits.

    The distance between an arc and its corner is at most `h tan(angle / 4)`, where h is the tangent
    length. An arc may use half of a line with two rounded corners, and all of a line with one.

    Args:
        curve: with corners.
        deviation: (n + 1,) m, largest distance of each arc from the curve.
        reach: (n + 1,) m, greatest tangent lengths.
    """
    angles = curve.corners
    is_line = np.concatenate([[False], curve.curvatures == 0.0, [False]])
    open_ = (angles > 0.0) & is_line[:-1] & is_line[1:] & ~curve.halts
    share = curve.lengths / np.maximum(1, open_[:-1].astype(int) + open_[1:])
    share = np.concatenate([[0.0], share, [0.0]])
    bend = np.maximum(tan(0.25 * angles), 1e-12)
    lengths = np.minimum.reduce([share[:-1], share[1:], deviation / bend, reach])
    round_enough = lengths > SMALLEST * tan(0.5 * angles)
    return np.where(open_ & round_enough, lengths, 0.0)


def blended(curve: Curve, tangents: Floats) -> tuple[Curve, Floats]:
    """Return the curve with arcs of these tangent lengths (n + 1,) at its corners.

    Also returns the new arc length (n + 1,) of every old break: the middle of its arc.
    """
    n = len(curve.starts)
    angles, inner = curve.corners[1:-1], tangents[1:-1]
    chain = 2 * np.arange(n)  # even rows are pieces, odd rows the arcs between them
    starts, directions, normals = (np.zeros((2 * n - 1, curve.dimension)) for _ in range(3))
    starts[chain] = curve.starts + tangents[:-1, None] * curve.tangents
    directions[chain], normals[chain] = curve.tangents, curve.normals
    before, after = curve.tangents[:-1], curve.tangents[1:]
    sine = np.where(inner > 0.0, sin(angles), 1.0)
    aside = (after - cos(angles)[:, None] * before) / sine[:, None]
    starts[1::2] = curve.starts[1:] - inner[:, None] * before
    directions[1::2], normals[1::2] = before, np.where(inner[:, None] > 0.0, aside, 0.0)
    curvatures, lengths = np.zeros(2 * n - 1), np.zeros(2 * n - 1)
    curvatures[chain] = curve.curvatures
    lengths[chain] = np.maximum(curve.lengths - tangents[:-1] - tangents[1:], 0.0)
    curvatures[1::2] = tan(0.5 * angles) / np.where(inner > 0.0, inner, np.inf)
    lengths[1::2] = angles * inner / np.where(inner > 0.0, tan(0.5 * angles), 1.0)
    lengths[lengths <= EMPTY] = 0.0
    ends = np.concatenate([[0.0], np.cumsum(lengths)])
    breaks = np.concatenate([[0.0], 0.5 * (ends[1:-1:2] + ends[2::2]), ends[-1:]])
    kept = lengths > 0.0
    halts = np.zeros(int(kept.sum()) + 1, bool)  # if a piece is used up, the next halts
    halts[np.searchsorted(np.flatnonzero(kept), chain[curve.halts[:-1]])] = True
    found = Curve(
        starts=starts[kept], tangents=directions[kept], normals=normals[kept],
        curvatures=curvatures[kept], lengths=lengths[kept], goal=curve.goal, halts=halts,
    )  # fmt: skip
    return found, breaks


def with_halts(curve: Curve) -> Curve:
    """Return the curve with halts at all remaining corners that are too sharp to pass.

    A cluster of small corners with a turning radius below SMALLEST counts as one sharp corner: a
    walk has such clusters where it turns on the spot.
    """
    halts = curve.halts | (curve.corners > SHARP)
    cluster: list[int] = []
    for k in np.flatnonzero((curve.corners > 0.0) & ~halts).tolist():
        cluster.append(k)
        turned = float(curve.corners[cluster].sum())
        if curve.breaks[k] - curve.breaks[cluster[0]] >= SMALLEST * turned:
            cluster = [k]
        elif turned > SHARP:
            halts[cluster] = True
    return replace(curve, halts=halts)
