"""Taut paths around circles of several radii: see `widen` of corridor/path."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway._numba.math import atan2, hypot
from footway.corridor.kernels.path import (
    CX,
    CY,
    MARGIN,
    N_COLUMNS,
    RADIUS,
    SWEEP,
    X0,
    X1,
    Y0,
    Y1,
)
from footway.corridor.kernels.wall_grid import arc_clearance, line_clearance

X, Y, K = range(3)  # columns of stops and corners; K is the signed radius, positive on the left
AX, AY, BX, BY, UX, UY = range(6)  # columns of tangents: ends and direction
SHARE = 0.98  # of a passage's half width: largest circle of a corner, so that two do not touch
ROUNDS = 500  # corners added or dropped before giving up
TOLERANCE = 1e-7  # m
WRONG_TURN = -1e-12  # sine of a turn to the wrong side


@kernel
def corners_along(ends, radius, wanted, halves, axis, corners):
    """Corners on both sides of the half-edges, (n, 3): x, y and the signed distance to keep.

    The distance is `wanted`, or less where the corridor or an end (`ends`, x0, y0, x1, y1) is
    nearer, but at least the radius.
    """
    size = 0
    for half in halves:
        size += 2 * (axis.offsets[half // 2 + 1] - axis.offsets[half // 2])
    keys, free = np.empty(size, np.int64), np.empty(size)
    n = 0
    for half in halves:
        for i in range(axis.offsets[half // 2], axis.offsets[half // 2 + 1]):
            if axis.clearance[i] < radius:
                continue
            for side in range(2):
                point = corners.at_left[i] if side == 0 else corners.at_right[i]
                if 0 <= point < len(axis.sites):
                    keys[n], free[n] = 2 * point + (side ^ (half % 2)), axis.clearance[i]
                    n += 1
    order = np.argsort(keys[:n])
    out, signs = np.empty((n, 3)), np.empty(n)
    found = 0
    for slot in range(n):
        key, distance = keys[order[slot]], free[order[slot]]
        if slot > 0 and keys[order[slot - 1]] == key:
            out[found - 1, K] = min(out[found - 1, K], distance)
            continue
        x, y = corners.xy[key // 2, 0], corners.xy[key // 2, 1]
        for end in range(2):
            distance = min(distance, hypot(x - ends[2 * end], y - ends[2 * end + 1]))
        out[found, X], out[found, Y], out[found, K] = x, y, distance
        signs[found] = 1.0 - 2.0 * (key % 2)
        found += 1
    for k in range(found):
        out[k, K] = signs[k] * max(min(wanted, SHARE * out[k, K]), radius)
    return out[:found].copy()


@inner
def _first_stops(ends, radius, pieces, corners, stops):
    """Write the ends of a path and the circles of its arcs, as large as they may be: how many."""
    stops[0, X], stops[0, Y], stops[0, K] = ends[0], ends[1], 0.0
    n = 1
    for row in range(len(pieces)):
        if pieces[row, RADIUS] == 0.0:
            continue
        x, y, sign = pieces[row, CX], pieces[row, CY], np.sign(pieces[row, SWEEP])
        stops[n, X], stops[n, Y], stops[n, K] = x, y, sign * radius
        for i in range(len(corners)):
            is_there = hypot(corners[i, X] - x, corners[i, Y] - y) < TOLERANCE
            if is_there and corners[i, K] * sign > 0.0:
                stops[n, K] = corners[i, K]
                break
        n += 1
    stops[n, X], stops[n, Y], stops[n, K] = ends[2], ends[3], 0.0
    return n + 1


@inner
def _draw(n, stops, tangents):
    """Write the tangents between stops: -1, or the first stop that turns wrongly; n: failure."""
    for k in range(n - 1):
        dx, dy = stops[k + 1, X] - stops[k, X], stops[k + 1, Y] - stops[k, Y]
        offset = stops[k + 1, K] - stops[k, K]
        squared = dx * dx + dy * dy
        rest = squared - offset * offset
        if rest <= 0.0:
            return n
        along = math.sqrt(rest)
        ux, uy = (dx * along + dy * offset) / squared, (dy * along - dx * offset) / squared
        tangents[k, AX] = stops[k, X] + stops[k, K] * uy
        tangents[k, AY] = stops[k, Y] - stops[k, K] * ux
        tangents[k, BX] = stops[k + 1, X] + stops[k + 1, K] * uy
        tangents[k, BY] = stops[k + 1, Y] - stops[k + 1, K] * ux
        tangents[k, UX], tangents[k, UY] = ux, uy
    for k in range(1, n - 1):
        cross = tangents[k - 1, UX] * tangents[k, UY] - tangents[k - 1, UY] * tangents[k, UX]
        if math.copysign(1.0, stops[k, K]) * cross < WRONG_TURN:
            return k
    return -1


@inner
def _is_stop(corner, stop):
    return corner[X] == stop[X] and corner[Y] == stop[Y] and corner[K] == stop[K]


@inner
def _blocking_corner(n, stops, tangents, corners):
    """First line that is too close to a corner, and the corner that it lacks most: -1, -1: none."""
    for k in range(n - 1):
        line = tangents[k]
        length = hypot(line[BX] - line[AX], line[BY] - line[AY])
        most, corner = TOLERANCE, -1
        for i in range(len(corners)):
            dx, dy = corners[i, X] - line[AX], corners[i, Y] - line[AY]
            along = min(max(dx * line[UX] + dy * line[UY], 0.0), length)
            ex, ey = dx - along * line[UX], dy - along * line[UY]
            keep = abs(corners[i, K])
            if ex * ex + ey * ey > keep * keep:
                continue
            lack = keep - math.sqrt(ex * ex + ey * ey)
            is_new = not (_is_stop(corners[i], stops[k]) or _is_stop(corners[i], stops[k + 1]))
            if lack > most and is_new:
                most, corner = lack, i
        if corner >= 0:
            return k, corner
    return -1, -1


@inner
def _tighten(n, stops, tangents, corners):
    """Add corners that a line is too close to, drop those that bend the path wrongly: stops or -1.

    `stops` and `tangents` have ROUNDS rows more than stops.
    """
    for _ in range(ROUNDS):
        wrong = _draw(n, stops, tangents)
        if wrong == n:
            return -1
        if wrong > 0:
            for k in range(wrong, n - 1):
                for c in range(3):
                    stops[k, c] = stops[k + 1, c]
            n -= 1
            continue
        line, corner = _blocking_corner(n, stops, tangents, corners)
        if line < 0:
            return n
        for k in range(n, line + 1, -1):
            for c in range(3):
                stops[k, c] = stops[k - 1, c]
        for c in range(3):
            stops[line + 1, c] = corners[corner, c]
        n += 1
    return -1


@kernel
def taut_around(ends, radius, pieces, corners, grid):
    """Lines and arcs of the taut path around corners: (rows as in TautPath.pieces, length).

    `pieces` is the path that is widened. There are no rows if that fails. An arc gets the distance
    by which it may be moved outward without coming closer to a wall than the path does elsewhere.
    """
    stops, tangents = (
        np.empty((len(pieces) + 2 + ROUNDS, 3)),
        np.empty((len(pieces) + 2 + ROUNDS, 6)),
    )
    n = _tighten(_first_stops(ends, radius, pieces, corners, stops), stops, tangents, corners)
    out = np.zeros((max(0, 2 * n - 3), N_COLUMNS))
    length, least = 0.0, math.inf
    for k in range(n - 1):
        line, row = tangents[k], out[2 * k]
        row[X0], row[Y0], row[X1], row[Y1] = line[AX], line[AY], line[BX], line[BY]
        length += hypot(line[BX] - line[AX], line[BY] - line[AY])
        clear, _ = line_clearance(line[AX], line[AY], line[BX], line[BY], 0.0, grid)
        least = min(least, clear)
        if k == n - 2:
            break
        after, arc, stop = tangents[k + 1], out[2 * k + 1], stops[k + 1]
        cross = line[UX] * after[UY] - line[UY] * after[UX]
        turn = abs(atan2(cross, line[UX] * after[UX] + line[UY] * after[UY]))
        sign = math.copysign(1.0, stop[K])
        arc[X0], arc[Y0], arc[X1], arc[Y1] = line[BX], line[BY], after[AX], after[AY]
        arc[CX], arc[CY], arc[RADIUS], arc[SWEEP] = stop[X], stop[Y], abs(stop[K]), sign * turn
        arc[MARGIN] = arc_clearance(
            stop[X], stop[Y], sign * line[UY], -sign * line[UX], sign * after[UY],
            -sign * after[UX], sign * turn, abs(stop[K]), grid,
        )  # fmt: skip
        least = min(least, arc[MARGIN], abs(stop[K]))
        length += abs(stop[K]) * turn
    for k in range(1, len(out), 2):
        out[k, MARGIN] = max(0.0, out[k, MARGIN] - least)
    return out, length
