"""Solve a query: a certified path of tangents and arcs."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.held import held
from footway._numba.jit import inner, kernel
from footway._numba.math import acos, atan2, cos, hypot, sincos
from footway.corridor.kernels.layouts import APART, FOUND, FULL, NOWHERE
from footway.corridor.kernels.locate import locate_on
from footway.corridor.kernels.prepared import find_by_table
from footway.corridor.kernels.query import POINT, THIN, check_ends, is_connected, make_query
from footway.corridor.kernels.search import search, write_half_edges
from footway.corridor.kernels.surface import (
    is_on_layer,
    last_layer,
    surface_arc,
    surface_line,
)
from footway.corridor.kernels.tangents import (
    DX,
    DY,
    SLACK,
    TURN,
    VIOLATION,
    Ends,
    draw_taut,
    layer_after,
    reverse_chain,
    stop_xy,
    turn_after,
)

# Columns of a path's pieces. A line has radius 0; MARGIN is the distance of an arc to other walls.
X0, Y0, X1, Y1, CX, CY, RADIUS, SWEEP, MARGIN, N_COLUMNS = range(10)

FINEST = 5e-7  # m, largest deviation of sampled points from an arc close to a wall: half of 1e-6
COARSEST = 1e-3  # of the radius, their largest deviation from an arc far from walls


@kernel
def polyline_clearance(points, grid):
    """Least distance from a polyline (n, 2) to any wall."""
    least, layer = math.inf, grid.layers.start
    for k in range(len(points) - 1):
        clear, _, _, layer = surface_line(
            points[k, 0], points[k, 1], points[k + 1, 0], points[k + 1, 1], -2.0, layer, grid
        )
        least = min(least, clear)
    return least


@inner
def _write_line(row, x0, y0, x1, y1):
    row[X0], row[Y0], row[X1], row[Y1] = x0, y0, x1, y1
    row[CX], row[CY], row[RADIUS], row[SWEEP], row[MARGIN] = 0.0, 0.0, 0.0, 0.0, 0.0


@inner
def _write_pieces(n, ends, out, ws, grid, xy):
    """Write the lines and arcs of a repaired chain: (pieces, length, least clearance of arcs)."""
    chain, tangents, radius = ws.chain, ws.tangents, ends.radius
    rows, length, least, layer = 0, 0.0, math.inf, ends.start_layer
    for k in range(n + 1):
        line = tangents[k]
        layer = last_layer(line[X0], line[Y0], line[X1], line[Y1], layer, grid)
        if rows + 2 > len(out):
            return -1, 0.0, 0.0
        _write_line(out[rows], line[X0], line[Y0], line[X1], line[Y1])
        rows += 1
        length += hypot(line[X1] - line[X0], line[Y1] - line[Y0])
        if k == n or radius == 0.0:
            continue
        after, sigma = tangents[k + 1], chain[k, TURN]
        turn = turn_after(k, chain, tangents)
        cx, cy, _ = stop_xy(k + 1, n, chain, xy, ends)
        clear, layer = surface_arc(
            cx, cy, sigma * line[DY], -sigma * line[DX], sigma * after[DY], -sigma * after[DX],
            sigma * turn, radius, layer, grid,
        )  # fmt: skip
        row = out[rows]
        row[X0], row[Y0], row[X1], row[Y1] = line[X1], line[Y1], after[X0], after[Y0]
        row[CX], row[CY], row[RADIUS], row[SWEEP] = cx, cy, radius, sigma * turn
        row[MARGIN] = max(0.0, clear - radius)
        rows += 1
        length += radius * turn
        least = min(least, clear, radius)
    return rows, length, least


@inner
def fitting_position(x, y, disc, place, axis):
    """Position of the disc for the search: (x, y), or moved away from the wall until it fits.

    `place` is the result of `locate_point`. It is moved straight away from the wall first, then
    along the axis.
    """
    if place.clearance >= disc:
        return x, y
    if place.axis_clearance >= disc:
        share, wx, wy = disc / place.axis_clearance, place.wall_x, place.wall_y
        return wx + share * (place.x - wx), wy + share * (place.y - wy)
    piece = place.piece
    wider = piece if axis.clearance[piece] > axis.clearance[piece + 1] else piece + 1
    widest = axis.clearance[wider]
    if widest < disc:
        return x, y
    share = (disc - place.axis_clearance) / (widest - place.axis_clearance)
    dx, dy = axis.events[wider, 0] - place.x, axis.events[wider, 1] - place.y
    return place.x + share * dx, place.y + share * dy


@inner(inline=False)
def draw_certified(n, least, disc, ends, out, ws, grid, xy):
    """Draw the chain of a search into `out`: (status, pieces, length, clearance).

    `least` is the clearance of its lines, certified for the radius `disc`.
    """
    radius = ends.radius
    n = draw_taut(n, ws.chain, ws.tangents, xy, ends)
    if n < 0:
        return NOWHERE, 0, 0.0, 0.0
    if disc > radius:  # the chain is certified for a larger disc; measure its lines for this one
        least, layer = math.inf, ends.start_layer
        for k in range(n + 1):
            line = ws.tangents[k]
            clear, _, _, layer = surface_line(
                line[X0], line[Y0], line[X1], line[Y1], 0.0, layer, grid
            )
            least = min(least, clear)
            if k < n:
                layer = layer_after(k, ws.chain, ws.tangents, radius, layer, grid, xy)
    rows, length, least_arc = _write_pieces(n, ends, out, ws, grid, xy)
    if rows < 0:
        return FULL, 0, 0.0, 0.0
    least = min(least, least_arc)
    if least < radius - VIOLATION:
        return NOWHERE, 0, 0.0, 0.0
    if n > 0 and least < radius + VIOLATION:
        least = radius  # it touches the corners' circles: the difference is rounding
    return FOUND, rows, length, least


@inner(inline=False)
def _solve(sx, sy, gx, gy, radius, shortcut, out, ws, index, table, work):
    """Shortest path of a disc: (status, pieces in `out`, length, clearance, number of ws.halves).

    With `shortcut` a free straight line, or a path in the table for this radius, is returned
    without a search, and without half-edges.
    """
    grid, xy = index.grid, index.corners.xy
    layers = grid.layers
    start, goal = locate_on(sx, sy, layers.start, index), locate_on(gx, gy, layers.goal, index)
    status, clear = check_ends(start, goal, radius)
    if status != FOUND:
        return status, 0, 0.0, clear, 0
    if hypot(gx - sx, gy - sy) < SLACK and layers.start == layers.goal:
        _write_line(out[0], sx, sy, gx, gy)
        return FOUND, 1, 0.0, min(start.clearance, goal.clearance), 0
    # A point is treated as a tiny disc, which does not fit between walls that touch.
    if not is_connected(start.piece, goal.piece, max(radius, POINT), index):
        return APART, 0, 0.0, 0.0, 0
    disc = max(radius, THIN)
    if shortcut:
        clear, _, _, last = surface_line(sx, sy, gx, gy, disc - VIOLATION, layers.start, grid)
        if clear >= disc - VIOLATION and is_on_layer(gx, gy, last, layers.goal, grid):
            _write_line(out[0], sx, sy, gx, gy)
            return FOUND, 1, hypot(gx - sx, gy - sy), clear, 0
    from_x, from_y = fitting_position(sx, sy, disc, start, index.axis)
    to_x, to_y = fitting_position(gx, gy, disc, goal, index.axis)
    is_moved = from_x != sx or from_y != sy or to_x != gx or to_y != gy
    if shortcut and table.radius[0] == disc and not is_moved:
        ends = Ends(sx, sy, gx, gy, disc, layers.start, layers.goal)
        q = make_query(ends, start.piece, goal.piece, index)
        n, least = find_by_table(ends, q, ws, index, table, work)
        if n > 0:
            ends = Ends(sx, sy, gx, gy, radius, layers.start, layers.goal)
            status, rows, length, least = draw_certified(n, least, disc, ends, out, ws, grid, xy)
            if status == FOUND:
                return status, rows, length, least, 0
    n, least, node, status = -1, 0.0, -1, NOWHERE
    # The search may miss a corner that hides the start, but not one that hides the goal: if it
    # fails, search from goal to start.
    for back in range(2):
        if back == 0:
            ends = Ends(from_x, from_y, to_x, to_y, disc, layers.start, layers.goal)
            first, last = start.piece, goal.piece
        else:
            ends = Ends(to_x, to_y, from_x, from_y, disc, layers.goal, layers.start)
            first, last = goal.piece, start.piece
        status, node, n, least = search(ws, index, make_query(ends, first, last, index))
        if status == FOUND:
            break
    if status != FOUND:
        return status, 0, 0.0, 0.0, 0
    count = 0
    if back == 0:
        count = write_half_edges(node, ws)
    else:
        reverse_chain(n, ws.chain)
    ends = Ends(sx, sy, gx, gy, radius, layers.start, layers.goal)
    status, rows, length, least = draw_certified(n, least, disc, ends, out, ws, grid, xy)
    return status, rows, length, least, count


@inner
def _solve_held(sx, sy, gx, gy, radius, shortcut, address, kind):
    out, ws, index, table, work = held(address, kind)
    return _solve(sx, sy, gx, gy, radius, shortcut, out, ws, index, table, work)


@kernel
def solve(sx, sy, gx, gy, radius, shortcut, address, kind):
    """`_solve` for Python, with the arrays (out, ws, index, table, work) of a Held."""
    return _solve_held(sx, sy, gx, gy, radius, shortcut, address, kind)


@inner
def _arc_steps(piece, tolerance):
    """Number of chords for an arc, so that its polyline stays clear of the walls."""
    radius = piece[RADIUS]
    margin = min(max(piece[MARGIN], FINEST), max(COARSEST * radius, tolerance))
    return max(1, int(math.ceil(abs(piece[SWEEP]) / (2.0 * acos(radius / (radius + margin))))))


@kernel
def sample_pieces(pieces, tolerance):
    """Polyline (n, 2) along lines and arcs that keeps their distance to the walls.

    Its points lie outside the arcs, so that no chord cuts a corner: at most `tolerance` metres
    where there are no other walls, or 0.1 % of the radius, if that is more.
    """
    count = 1
    for i in range(len(pieces)):
        count += 1 + (_arc_steps(pieces[i], tolerance) if pieces[i, RADIUS] > 0.0 else 0)
    points = np.empty((count, 2))
    points[0, 0], points[0, 1] = pieces[0, X0], pieces[0, Y0]
    n = 1
    for i in range(len(pieces)):
        piece = pieces[i]
        if piece[RADIUS] > 0.0:
            steps = _arc_steps(piece, tolerance)
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
def solve_many(starts, goals, radius, out, rows, certificates, statuses, ws, index, table, work):
    """`solve` for every query of a batch, one after the other."""
    for k in range(len(starts)):
        status, n, length, clearance, _ = _solve(
            starts[k, 0],
            starts[k, 1],
            goals[k, 0],
            goals[k, 1],
            radius,
            True,
            out[k],
            ws,
            index,
            table,
            work,
        )
        statuses[k] = status
        rows[k] = n
        certificates[k, 0] = length
        certificates[k, 1] = clearance
