"""Widen a shortest path: keep a preferred clearance where the corridor is wide enough.

The taut path around circles of the disc's radius becomes the taut path around larger circles: each
corner of the corridor gets the preferred clearance, or less where the corridor is narrower
(miran-2013, section 3). The path stays in the same corridor.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import atan2, hypot
from footway.corridor.kernels.path import CX, CY, RADIUS, SWEEP, X0, X1, Y0, Y1, polyline_clearance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.kernels.layouts import Index
    from footway.corridor.path import TautPath

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_SHARE = 0.98  # of a passage's half width: largest circle of a corner, so that two do not touch
_ROUNDS = 500  # corners added or dropped before giving up
_SLACK = 1e-7  # m


class Corners(NamedTuple):
    """Corners along a corridor."""

    xy: Floats  # (n, 2) m
    side: Floats  # (n,) +1 on the left of the path, -1 on the right
    radius: Floats  # (n,) distance to keep, m


class _Stop(NamedTuple):
    """A circle that the path turns around; the start and the goal have radius 0."""

    x: float
    y: float
    k: float  # signed radius: positive on the left of the path


class _Tangent(NamedTuple):
    """A straight line between two circles, and its direction."""

    x0: float
    y0: float
    x1: float
    y1: float
    ux: float
    uy: float


def widen(index: Index, path: TautPath, halves: Ints, wanted: float) -> TautPath:
    """Return the path with up to `wanted` metres of clearance; the path itself if that fails."""
    corners = _corners_along(index, path, halves, wanted)
    stops = [_Stop(*path.start, 0.0)]
    arcs = path.pieces[path.pieces[:, RADIUS] > 0]
    for x, y, side in zip(arcs[:, CX], arcs[:, CY], np.sign(arcs[:, SWEEP]), strict=True):
        near = np.flatnonzero((corners.side == side) & (hypot(*(corners.xy - (x, y)).T) < _SLACK))
        keep = float(corners.radius[near[0]]) if len(near) else path.radius
        stops.append(_Stop(float(x), float(y), float(side * keep)))
    tangents = _tighten([*stops, _Stop(*path.goal, 0.0)], corners)
    if tangents is None:
        return path
    pieces = _pieces(*tangents)
    lines = hypot(pieces[:, X1] - pieces[:, X0], pieces[:, Y1] - pieces[:, Y0])
    arc_lengths = pieces[:, RADIUS] * np.abs(pieces[:, SWEEP])
    length = float(np.where(pieces[:, RADIUS] > 0, arc_lengths, lines).sum())
    wide = replace(path, length=length, pieces=pieces, method="widened")
    clearance = float(polyline_clearance(wide.points, index.grid))
    if clearance < path.clearance - _SLACK or length < path.length - _SLACK:
        return path  # a path shorter than the shortest one would cross a wall
    return replace(wide, clearance=clearance)


def _corners_along(index: Index, path: TautPath, halves: Ints, wanted: float) -> Corners:
    """Return the corners on both sides of the half-edges, and the distance to keep from each."""
    offsets, corners, n_corners = index.axis.offsets, index.corners, len(index.axis.sites)
    clearances: dict[tuple[int, int], float] = {}
    for half in halves.tolist():
        events = np.arange(offsets[half // 2], offsets[half // 2 + 1])
        clear = index.axis.clearance[events]
        for points, side in ((corners.at_left[events], 1), (corners.at_right[events], -1)):
            own = -side if half % 2 else side
            for point, distance in zip(points.tolist(), clear.tolist(), strict=True):
                if 0 <= point < n_corners and distance >= path.radius:
                    key = (point, own)
                    clearances[key] = min(clearances.get(key, math.inf), distance)
    xy = corners.xy[[point for point, _ in clearances]].reshape(-1, 2)
    free = np.array(list(clearances.values()))
    for end in (path.start, path.goal):
        free = np.minimum(free, hypot(*(xy - end).T))
    keep = np.maximum(np.minimum(wanted, _SHARE * free), path.radius)
    return Corners(xy, np.array([side for _, side in clearances], dtype=np.float64), keep)


def _tighten(stops: list[_Stop], corners: Corners) -> tuple[list[_Stop], list[_Tangent]] | None:
    """Add corners that a line comes too close to, drop those that bend the path wrongly."""
    for _ in range(_ROUNDS):
        tangents = [tangent for a, b in pairwise(stops) if (tangent := _tangent(a, b)) is not None]
        if len(tangents) < len(stops) - 1:
            return None
        for k, (a, b) in enumerate(pairwise(tangents), start=1):
            if math.copysign(1.0, stops[k].k) * (a.ux * b.uy - a.uy * b.ux) < -1e-12:
                del stops[k]
                break
        else:
            added = _first_blocking_corner(stops, tangents, corners)
            if added is None:
                return stops, tangents
            stops.insert(*added)
    return None


def _tangent(a: _Stop, b: _Stop) -> _Tangent | None:
    """Return the tangent from one circle to the next; None where they overlap."""
    dx, dy, k = b.x - a.x, b.y - a.y, b.k - a.k
    squared = dx * dx + dy * dy
    rest = squared - k * k
    if rest <= 0.0:
        return None
    along = math.sqrt(rest)
    ux, uy = (dx * along + dy * k) / squared, (dy * along - dx * k) / squared
    return _Tangent(a.x + a.k * uy, a.y - a.k * ux, b.x + b.k * uy, b.y - b.k * ux, ux, uy)


def _first_blocking_corner(
    stops: list[_Stop], tangents: list[_Tangent], corners: Corners
) -> tuple[int, _Stop] | None:
    """Return position and stop to insert, for the first line that is too close to a corner."""
    for k, line in enumerate(tangents):
        length = hypot(line.x1 - line.x0, line.y1 - line.y0)
        dx, dy = corners.xy[:, 0] - line.x0, corners.xy[:, 1] - line.y0
        along = np.clip(dx * line.ux + dy * line.uy, 0.0, length)
        lack = corners.radius - hypot(dx - along * line.ux, dy - along * line.uy)
        for i in np.argsort(-lack):
            if lack[i] <= _SLACK:
                break
            x, y = corners.xy[i]
            stop = _Stop(float(x), float(y), float(corners.side[i] * corners.radius[i]))
            if stop not in (stops[k], stops[k + 1]):
                return k + 1, stop
    return None


def _pieces(stops: list[_Stop], tangents: list[_Tangent]) -> Floats:
    """Return the lines and arcs of a taut chain: rows as in TautPath.pieces."""
    rows = []
    for k, line in enumerate(tangents):
        rows.append([line.x0, line.y0, line.x1, line.y1, 0.0, 0.0, 0.0, 0.0, 0.0])
        if k + 1 < len(tangents):
            stop, after = stops[k + 1], tangents[k + 1]
            cross = line.ux * after.uy - line.uy * after.ux
            turn = atan2(cross, line.ux * after.ux + line.uy * after.uy)
            turn = math.copysign(abs(turn), stop.k)
            ends = [line.x1, line.y1, after.x0, after.y0]
            rows.append([*ends, stop.x, stop.y, abs(stop.k), turn, 0.0])
    return np.array(rows)
