"""Solve a query: a certified path of tangents and arcs."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway._numba.math import acos, atan2, cos, hypot, sincos
from footway.corridor.kernels.locate import locate_point
from footway.corridor.kernels.query import is_connected, make_query
from footway.corridor.kernels.search import FOUND, FULL, NOWHERE, search
from footway.corridor.kernels.tangents import (
    SLACK,
    VIOLATION,
    draw_taut,
    reverse_chain,
    stop_xy,
    turn_angle,
)
from footway.corridor.kernels.wall_grid import arc_clearance, line_clearance

START_IN_WALL, GOAL_IN_WALL, START_TIGHT, GOAL_TIGHT, APART = 3, 4, 5, 6, 7  # goal = start + 1

# Columns of a path's pieces. A line has radius 0; ROOM is the distance of an arc to other walls.
X0, Y0, X1, Y1, CX, CY, RADIUS, SWEEP, ROOM = range(9)

FINEST = 5e-7  # m, largest deviation of sampled points from an arc close to a wall: half of 1e-6
COARSEST = 1e-3  # of the radius, their largest deviation from an arc far from walls
POINT = 1e-7  # m, radius of the disc that represents a point
THIN = 1e-6  # m, least radius of a search: legs that keep it touch no wall


@kernel
def polyline_clearance(points, grid):
    """Least distance from a polyline (n, 2) to any wall."""
    least = math.inf
    for k in range(len(points) - 1):
        clear, _ = line_clearance(
            points[k, 0], points[k, 1], points[k + 1, 0], points[k + 1, 1], -2.0, grid
        )
        least = min(least, clear)
    return least


@inner
def _write_line(row, x0, y0, x1, y1):
    row[X0], row[Y0], row[X1], row[Y1] = x0, y0, x1, y1
    row[CX], row[CY], row[RADIUS], row[SWEEP], row[ROOM] = 0.0, 0.0, 0.0, 0.0, 0.0


@inner
def _write_pieces(n, out, chain, legs, grid, xy, ends):
    """Write the lines and arcs of a repaired chain: (pieces, length, least clearance of arcs)."""
    rows, length, least = 0, 0.0, math.inf
    for k in range(n + 1):
        x0, y0, x1, y1 = legs[k, 0], legs[k, 1], legs[k, 2], legs[k, 3]
        if rows + 2 > len(out):
            return -1, 0.0, 0.0
        _write_line(out[rows], x0, y0, x1, y1)
        rows += 1
        length += hypot(x1 - x0, y1 - y0)
        if k == n or ends[4] == 0.0:
            continue
        ux, uy, vx, vy = legs[k, 4], legs[k, 5], legs[k + 1, 4], legs[k + 1, 5]
        sigma = chain[k, 1]
        turn = turn_angle(ux, uy, vx, vy, sigma)
        cx, cy, _ = stop_xy(k + 1, n, chain, xy, ends)
        room = arc_clearance(
            cx, cy, sigma * uy, -sigma * ux, sigma * vy, -sigma * vx, sigma * turn, ends[4],
            grid,
        )  # fmt: skip
        row = out[rows]
        row[X0], row[Y0], row[X1], row[Y1] = x1, y1, legs[k + 1, 0], legs[k + 1, 1]
        row[CX], row[CY], row[RADIUS], row[SWEEP] = cx, cy, ends[4], sigma * turn
        row[ROOM] = max(0.0, room - ends[4])
        rows += 1
        length += ends[4] * turn
        least = min(least, room, ends[4])
    return rows, length, least


@inner
def _stand(x, y, disc, place, axis):
    """Position of the disc for the search: (x, y), or moved away from the wall until it fits.

    `place` is the result of `locate_point`. It is moved straight away from the wall first, then
    along the axis.
    """
    piece, qx, qy, reach, clear, ox, oy = place
    if clear >= disc:
        return x, y
    if reach >= disc:
        share = disc / reach
        return ox + share * (qx - ox), oy + share * (qy - oy)
    wider = piece if axis.clearance[piece] > axis.clearance[piece + 1] else piece + 1
    widest = axis.clearance[wider]
    if widest < disc:
        return x, y
    share = (disc - reach) / (widest - reach)
    return qx + share * (axis.events[wider, 0] - qx), qy + share * (axis.events[wider, 1] - qy)


@inner
def _clearance_of_legs(n, legs, grid):
    """Least distance of the legs of a chain to any wall; -1 if one crosses a wall."""
    least = math.inf
    for k in range(n + 1):
        clear, _ = line_clearance(legs[k, 0], legs[k, 1], legs[k, 2], legs[k, 3], 0.0, grid)
        least = min(least, clear)
    return least


@inner(inline=False)
def _solve(sx, sy, gx, gy, radius, shortcut, out, ws, index):
    """Shortest path of a disc: (status, pieces written to out, length, clearance, final node).

    With `shortcut` a free straight line is returned without a search, and without a final node.
    """
    grid, xy, chain, legs = index.grid, index.string.xy, ws.chain, ws.legs
    piece_s, piece_g, room = -1, -1, math.inf
    disc = max(radius, THIN)
    asx, asy, agx, agy = sx, sy, gx, gy
    for k in range(2):
        x, y = (sx, sy) if k == 0 else (gx, gy)
        place = locate_point(x, y, index.axis, grid, index.fans)
        piece, clear = place[0], place[4]
        if piece < 0:
            return START_IN_WALL + k, 0, 0.0, clear, -1
        if clear < radius - SLACK:
            return START_TIGHT + k, 0, 0.0, clear, -1
        room = min(room, clear)
        if k == 0:
            piece_s = piece
            asx, asy = _stand(x, y, disc, place, index.axis)
        else:
            piece_g = piece
            agx, agy = _stand(x, y, disc, place, index.axis)
    if hypot(gx - sx, gy - sy) < SLACK:
        _write_line(out[0], sx, sy, gx, gy)
        return FOUND, 1, 0.0, room, -1
    # A point is treated as a tiny disc, which does not fit between walls that touch.
    if not is_connected(piece_s, piece_g, max(radius, POINT), index):
        return APART, 0, 0.0, 0.0, -1
    clear = -1.0
    if shortcut:
        clear, _ = line_clearance(sx, sy, gx, gy, disc - VIOLATION, grid)
    if clear >= disc - VIOLATION:
        _write_line(out[0], sx, sy, gx, gy)
        return FOUND, 1, hypot(gx - sx, gy - sy), clear, -1
    n, least, node, status = -1, 0.0, -1, NOWHERE
    ends = (asx, asy, agx, agy, disc)
    # The search may miss a corner that hides the start, but not one that hides the goal: if it
    # fails, search from goal to start.
    for back in range(2):
        if back == 1:
            ends = (agx, agy, asx, asy, disc)
            piece_s, piece_g = piece_g, piece_s
        q = make_query(ends, disc, piece_s, piece_g, index)
        status, node, n, least = search(ws, index, q)
        if status == FOUND:
            break
    if status != FOUND:
        return status, 0, 0.0, 0.0, -1
    if back == 1:
        node = -1
        reverse_chain(n, chain)
    ends = (sx, sy, gx, gy, radius)
    n = draw_taut(n, chain, legs, xy, ends)
    if n < 0:
        return NOWHERE, 0, 0.0, 0.0, -1
    if disc > radius:  # the chain is certified for a larger disc; measure its legs for this one
        least = _clearance_of_legs(n, legs, grid)
    rows, length, least_arc = _write_pieces(n, out, chain, legs, grid, xy, ends)
    if rows < 0:
        return FULL, 0, 0.0, 0.0, -1
    least = min(least, least_arc)
    if least < radius - VIOLATION:
        return NOWHERE, 0, 0.0, 0.0, -1
    if n > 0 and least < radius + VIOLATION:
        least = radius  # it touches the corners' circles: the difference is rounding
    return FOUND, rows, length, least, node


@kernel
def solve(sx, sy, gx, gy, radius, shortcut, out, ws, index):
    """`_solve`, for Python."""
    return _solve(sx, sy, gx, gy, radius, shortcut, out, ws, index)


@inner
def _arc_steps(piece):
    """Number of chords for an arc, so that its polyline stays clear of the walls."""
    radius = piece[RADIUS]
    room = min(max(piece[ROOM], FINEST), COARSEST * radius)
    return max(1, int(math.ceil(abs(piece[SWEEP]) / (2.0 * acos(radius / (radius + room))))))


@kernel
def sample_pieces(pieces):
    """Polyline (n, 2) along lines and arcs that keeps their distance to the walls.

    Its points lie outside the arcs, so that no chord cuts a corner.
    """
    count = 1
    for i in range(len(pieces)):
        count += 1 + (_arc_steps(pieces[i]) if pieces[i, RADIUS] > 0.0 else 0)
    points = np.empty((count, 2))
    points[0, 0], points[0, 1] = pieces[0, X0], pieces[0, Y0]
    n = 1
    for i in range(len(pieces)):
        piece = pieces[i]
        if piece[RADIUS] > 0.0:
            steps = _arc_steps(piece)
            half = 0.5 * piece[SWEEP] / steps
            angle = atan2(piece[Y0] - piece[CY], piece[X0] - piece[CX]) - half
            outer = piece[RADIUS] / cos(half)
            for _ in range(steps):
                angle += 2.0 * half
                sine, cosine = sincos(angle)
                points[n, 0] = piece[CX] + outer * cosine
                points[n, 1] = piece[CY] + outer * sine
                n += 1
        step = hypot(piece[X1] - points[n - 1, 0], piece[Y1] - points[n - 1, 1])
        if step > 0.0 or i == len(pieces) - 1:
            points[n, 0], points[n, 1] = piece[X1], piece[Y1]
            n += 1
    return points[:n].copy()


@kernel
def solve_many(starts, goals, radius, out, rows, certificates, statuses, ws, index):
    """`solve` for every query of a batch, one after the other."""
    for k in range(len(starts)):
        status, n, length, clearance, _ = _solve(
            starts[k, 0], starts[k, 1], goals[k, 0], goals[k, 1], radius, True, out[k], ws, index
        )
        statuses[k] = status
        rows[k] = n
        certificates[k, 0] = length
        certificates[k, 1] = clearance
