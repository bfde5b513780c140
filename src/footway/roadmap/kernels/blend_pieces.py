"""Convert the result of a search with blends to lines and arcs, with length and clearance."""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway._numba.math import hypot
from footway.corridor.kernels.path import CX, CY, RADIUS, ROOM, SWEEP, X0, X1, Y0, Y1
from footway.corridor.kernels.tangents import SLACK
from footway.corridor.kernels.wall_grid import line_clearance
from footway.roadmap.kernels.blend import arc_distance, arc_of, half_angle
from footway.roadmap.kernels.blend_joints import (
    HERE,
    joint,
    joint_tangent,
    meeting,
    toward,
    turn_tangent,
)

# Columns of a corner: place, direction in, direction out, tangent length, and distances to walls of
# the arc (-1: not measured), of the line before it, and of the region between arc and corner.
PX, PY, IX, IY, OX, OY, TANGENT, ARC, BEFORE, BETWEEN = range(10)


@inner
def _write_corner(row, px, py, ix, iy, ox, oy, tangent, before):
    row[PX], row[PY], row[IX], row[IY], row[OX], row[OY] = px, py, ix, iy, ox, oy
    row[TANGENT], row[ARC], row[BEFORE] = tangent, -1.0, before


@inner(inline=False)
def read_corners(code, sx, sy, gx, gy, radius, net, ws):
    """Write the corners of the path that the search found: (number, clearance of the last line)."""
    n_halves = len(net.tails)
    end, met = 7 * n_halves, 9 * n_halves + len(net.places)
    corners, places, directions = ws.corners, net.places, net.directions
    if code >= met:
        p = code - met
        tangent, _ = meeting(p, sx, sy, gx, gy, radius, True, net, ws)
        px, py = places[p, 0], places[p, 1]
        ax, ay, _ = toward(px, py, sx, sy, 1.0, 0.0)
        bx, by, _ = toward(px, py, gx, gy, ax, ay)
        _write_corner(corners[0], px, py, -ax, -ay, bx, by, tangent, ws.start_clear[p])
        corners[0, BETWEEN] = min(ws.start_clear[p], ws.goal_clear[p])
        return 1, ws.goal_clear[p]
    h, k_goal = (code - end) // 2, (code - end) % 2
    count = 2
    at = h
    while ws.arrival[at] >= 0:
        at = net.turn_from[ws.arrival[at]]
        count += 1
    k_start = -2 - ws.arrival[at]
    p, ax, ay, _, _ = joint(sx, sy, at, k_start, net)
    tangent = joint_tangent(sx, sy, at, k_start, radius, ws.start_clear, net)
    ox, oy = directions[at, 0], directions[at, 1]
    _write_corner(
        corners[0], places[p, 0], places[p, 1], -ax, -ay, ox, oy, tangent, ws.start_clear[p]
    )
    corners[0, BETWEEN] = min(ws.start_clear[p], net.clearances[at // 2])
    p, ax, ay, _, _ = joint(gx, gy, h ^ 1, k_goal, net)
    tangent = joint_tangent(gx, gy, h ^ 1, k_goal, radius, ws.goal_clear, net)
    ix, iy, room = directions[h, 0], directions[h, 1], net.clearances[h // 2]
    row = corners[count - 1]
    _write_corner(row, places[p, 0], places[p, 1], ix, iy, ax, ay, tangent, room)
    row[BETWEEN] = min(ws.goal_clear[p], room)
    at = h
    for k in range(count - 2, 0, -1):
        turn = ws.arrival[at]
        a, v = net.turn_from[turn], net.tails[at]
        row, blend = corners[k], net.turn_blend[turn]
        _write_corner(
            row, places[v, 0], places[v, 1], directions[a, 0], directions[a, 1],
            directions[at, 0], directions[at, 1], turn_tangent(turn, radius, net),
            net.clearances[a // 2],
        )  # fmt: skip
        if row[TANGENT] == net.blend_tangent[blend]:
            row[ARC] = net.blend_clearance[blend]
        row[BETWEEN] = min(net.clearances[a // 2], net.clearances[at // 2])
        at = a
    return count, ws.goal_clear[p]


@inner
def write_line(n, x0, y0, x1, y1, room, out):
    """Append a line, with its clearance in ROOM for `certify`; return the number of pieces."""
    row = out[n]
    row[X0], row[Y0], row[X1], row[Y1] = x0, y0, x1, y1
    row[CX], row[CY], row[RADIUS], row[SWEEP], row[ROOM] = 0.0, 0.0, 0.0, 0.0, room
    return n + 1


@inner
def _write_arc(n, corner, out, grid):
    """Append an arc, with its distance to the walls in ROOM; return the number of pieces."""
    px, py, t = corner[PX], corner[PY], corner[TANGENT]
    ix, iy, ox, oy = corner[IX], corner[IY], corner[OX], corner[OY]
    cosine, sine = half_angle(-ix, -iy, ox, oy)
    radius, turn = arc_of(t, cosine, sine)
    side = 1.0 if ix * oy - iy * ox > 0.0 else -1.0
    sx, sy, ex, ey = side * iy, -side * ix, side * oy, -side * ox
    x0, y0 = px - ix * t, py - iy * t
    row = out[n]
    row[X0], row[Y0], row[X1], row[Y1] = x0, y0, px + ox * t, py + oy * t
    row[CX], row[CY] = x0 - radius * sx, y0 - radius * sy
    row[RADIUS], row[SWEEP] = radius, side * turn
    if corner[ARC] < 0.0:
        corner[ARC] = arc_distance(
            row[CX], row[CY], radius, sx, sy, ex, ey, side, grid.box[0], grid.box[1], grid.box[2],
            grid.shape[0], grid.shape[1], grid.offsets, grid.candidates, grid.walls,
        )  # fmt: skip
    row[ROOM] = corner[ARC]
    return n + 1


@inner(inline=False)
def write_pieces(sx, sy, gx, gy, count, room, out, ws, grid):
    """Write the lines and arcs along corners: (pieces, length); -1 if full."""
    if 2 * count + 1 > len(out):
        return -1, 0.0
    corners = ws.corners
    x, y, n, before, length = sx, sy, 0, math.inf, 0.0
    for k in range(count):
        corner = corners[k]
        before = min(before, corner[BEFORE])
        if corner[TANGENT] <= 0.0:
            continue  # no turn: the line continues
        t = corner[TANGENT]
        tx, ty = corner[PX] - corner[IX] * t, corner[PY] - corner[IY] * t
        if hypot(tx - x, ty - y) >= HERE:
            n = write_line(n, x, y, tx, ty, before, out)
            length += hypot(tx - x, ty - y)
        n = _write_arc(n, corner, out, grid)
        length += out[n - 1, RADIUS] * abs(out[n - 1, SWEEP])
        x, y, before = out[n - 1, X1], out[n - 1, Y1], math.inf
    if hypot(gx - x, gy - y) >= HERE or n == 0:
        n = write_line(n, x, y, gx, gy, min(before, room), out)
        length += hypot(gx - x, gy - y)
    return n, length


@inner(inline=False)
def _cut_off(corner, grid):
    """Distance to the walls of the two lines that a blend replaces."""
    px, py, t = corner[PX], corner[PY], corner[TANGENT]
    x0, y0 = px - corner[IX] * t, py - corner[IY] * t
    x1, y1 = px + corner[OX] * t, py + corner[OY] * t
    one, _ = line_clearance(x0, y0, px, py, -2.0, grid)
    two, _ = line_clearance(px, py, x1, y1, -2.0, grid)
    return min(one, two)


@inner(inline=False)
def certify(count, n, out, ws, grid):
    """Exact least distance of the pieces to the walls; sets ROOM of the arcs.

    The clearance of its edge is a lower bound for a line, so most lines need not be measured. The
    region between an arc and its corner has the clearance of the two edges or the arc, so a
    polyline may pass there.
    """
    least = math.inf
    for k in range(n):
        if out[k, RADIUS] > 0.0:
            least = min(least, out[k, ROOM])
    for k in range(n):
        row = out[k]
        if row[RADIUS] == 0.0:
            if row[ROOM] < least:
                clear, _ = line_clearance(row[X0], row[Y0], row[X1], row[Y1], -2.0, grid)
                least = min(least, clear)
            row[ROOM] = 0.0
    k = 0
    for c in range(count):
        corner = ws.corners[c]
        if corner[TANGENT] <= 0.0:
            continue
        while out[k, RADIUS] == 0.0:
            k += 1
        if corner[BETWEEN] < least - SLACK and _cut_off(corner, grid) < least - SLACK:
            out[k, ROOM] -= least
        k += 1
    return least
