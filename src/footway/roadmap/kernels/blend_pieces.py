"""Joints of start and goal with a roadmap with blends; lines and arcs of a path that was found.

A joint is a straight line from the start or goal to a place, a blend, and the rest of the path to
the middle of a half-edge (voronoi-roadmaps-2004, section 2.5). Places are the vertices and the
point at a quarter of each half-edge.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway._numba.math import hypot
from footway.corridor.kernels.path import CX, CY, MARGIN, RADIUS, SWEEP, X0, X1, Y0, Y1
from footway.corridor.kernels.tangents import SLACK
from footway.corridor.kernels.wall_grid import line_clearance
from footway.roadmap.kernels.blend import (
    FOLD,
    STRAIGHT,
    arc_distance,
    arc_of,
    half_angle,
    largest_tangent,
    saving,
)

HERE = 1e-9  # m, closer places coincide

# Columns of a corner: place, direction in, direction out, tangent length, and distances to walls of
# the arc (-1: not measured), of the line before it, and of the region between arc and corner.
PX, PY, IX, IY, OX, OY, TANGENT, ARC, BEFORE, BETWEEN = range(10)


@inner
def apart(ax, ay, bx, by):
    """Distance of two points; faster than math.hypot, which guards against overflow."""
    return math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))


@inner
def toward(px, py, x, y, ox, oy):
    """Unit vector from p to a point, and the distance; -o if the point is p itself."""
    d = apart(px, py, x, y)
    if d < HERE:
        return -ox, -oy, 0.0
    return (x - px) / d, (y - py) / d, d


@inner
def joint(x, y, h, k, net):
    """Joint of a point to a half-edge: (place, direction to the point, distance, length left).

    The length left is that from the place to the middle of the half-edge.
    """
    n = len(net.out_offsets) - 1
    p = net.tails[h] if k == 0 else n + h
    ax, ay, d = toward(
        net.places[p, 0], net.places[p, 1], x, y, net.directions[h, 0], net.directions[h, 1]
    )
    return p, ax, ay, d, net.lengths[h // 2] * (0.5 if k == 0 else 0.25)


@inner
def _blend_cost(ax, ay, bx, by, one, two, rate_one, rate_two, tangent):
    """Cost of `one` metres, a blend and `two` metres; infinite if the turn folds back."""
    cosine, sine = half_angle(ax, ay, bx, by)
    if cosine >= STRAIGHT and tangent * sine < FOLD * cosine:
        return math.inf
    saved = 0.5 * (rate_one + rate_two) * saving(tangent, cosine, sine)
    return rate_one * one + rate_two * two - saved


@inner
def joint_at_least(x, y, h, k, net):
    """Lower bound on the cost of a joint: with the largest blend that its lines allow."""
    _, ax, ay, d, left = joint(x, y, h, k, net)
    return _blend_cost(
        ax, ay, net.directions[h, 0], net.directions[h, 1], d, left, net.off_road,
        net.costs[h // 2], min(d, left),
    )  # fmt: skip


@inner
def _keep(radius, one, two, net):
    """Distance to the walls that a blend between two lines keeps."""
    return min(max(net.preferred, radius), one, two)


@inner
def joint_tangent(x, y, h, k, radius, rooms, net):
    """Tangent length of the largest blend of a joint, exact."""
    p, ax, ay, d, left = joint(x, y, h, k, net)
    return largest_tangent(
        net.places[p, 0], net.places[p, 1], ax, ay, net.directions[h, 0], net.directions[h, 1],
        min(d, left), _keep(radius, rooms[p], net.clearances[h // 2], net), net.ends,
    )  # fmt: skip


@inner
def joint_cost(x, y, h, k, radius, rooms, net):
    """Cost of a joint whose place is visible."""
    _, ax, ay, d, left = joint(x, y, h, k, net)
    tangent = joint_tangent(x, y, h, k, radius, rooms, net)
    return _blend_cost(
        ax, ay, net.directions[h, 0], net.directions[h, 1], d, left, net.off_road,
        net.costs[h // 2], tangent,
    )  # fmt: skip


@inner
def turn_tangent(turn, radius, net):
    """Tangent length of a turn; smaller than its blend's if the disc is too wide for that."""
    blend = net.turn_blend[turn]
    if net.blend_clearance[blend] >= radius - SLACK:
        return net.blend_tangent[blend]
    a, b = net.turn_from[turn], net.turn_to[turn]
    v = net.tails[b]
    return largest_tangent(
        net.places[v, 0], net.places[v, 1], -net.directions[a, 0], -net.directions[a, 1],
        net.directions[b, 0], net.directions[b, 1], net.blend_tangent[blend], radius, net.ends,
    )  # fmt: skip


@inner
def turn_cost(turn, radius, net):
    """Return the cost of a turn, m: of its blend, or of a tighter one for a larger radius."""
    if net.blend_clearance[net.turn_blend[turn]] >= radius - SLACK:
        return net.turn_cost[turn]
    a, b = net.turn_from[turn], net.turn_to[turn]
    return _blend_cost(
        -net.directions[a, 0], -net.directions[a, 1], net.directions[b, 0], net.directions[b, 1],
        0.5 * net.lengths[a // 2], 0.5 * net.lengths[b // 2], net.costs[a // 2], net.costs[b // 2],
        turn_tangent(turn, radius, net),
    )  # fmt: skip


@inner
def meeting(p, sx, sy, gx, gy, radius, exact, net, ws):
    """Tangent length and cost of the path from the start over a place to the goal."""
    px, py = net.places[p, 0], net.places[p, 1]
    ax, ay, one = toward(px, py, sx, sy, 1.0, 0.0)
    bx, by, two = toward(px, py, gx, gy, ax, ay)
    if one == 0.0:
        ax, ay = -bx, -by
    tangent = min(one, two)
    if exact:
        keep = _keep(radius, ws.start_clear[p], ws.goal_clear[p], net)
        tangent = largest_tangent(px, py, ax, ay, bx, by, tangent, keep, net.ends)
    return tangent, _blend_cost(ax, ay, bx, by, one, two, net.off_road, net.off_road, tangent)


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
    """Append a line, with its clearance in MARGIN for `certify`; return the number of pieces."""
    row = out[n]
    row[X0], row[Y0], row[X1], row[Y1] = x0, y0, x1, y1
    row[CX], row[CY], row[RADIUS], row[SWEEP], row[MARGIN] = 0.0, 0.0, 0.0, 0.0, room
    return n + 1


@inner
def _write_arc(n, corner, out, grid):
    """Append an arc, with its distance to the walls in MARGIN; return the number of pieces."""
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
    row[MARGIN] = corner[ARC]
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
    """Exact least distance of the pieces to the walls; sets MARGIN of the arcs.

    The clearance of its edge is a lower bound for a line, so most lines need not be measured. The
    region between an arc and its corner has the clearance of the two edges or the arc, so a
    polyline may pass there.
    """
    least = math.inf
    for k in range(n):
        if out[k, RADIUS] > 0.0:
            least = min(least, out[k, MARGIN])
    for k in range(n):
        row = out[k]
        if row[RADIUS] == 0.0:
            if row[MARGIN] < least:
                clear, _ = line_clearance(row[X0], row[Y0], row[X1], row[Y1], -2.0, grid)
                least = min(least, clear)
            row[MARGIN] = 0.0
    k = 0
    for c in range(count):
        corner = ws.corners[c]
        if corner[TANGENT] <= 0.0:
            continue
        while out[k, RADIUS] == 0.0:
            k += 1
        if corner[BETWEEN] < least - SLACK and _cut_off(corner, grid) < least - SLACK:
            out[k, MARGIN] -= least
        k += 1
    return least
