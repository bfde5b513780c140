"""Joints of start and goal with a roadmap with blends; lines and arcs of a path that was found.

A joint is a straight line from the start or goal to a place, a blend, and the rest of the path to
the middle of a half-edge (voronoi-roadmaps-2004, section 2.5). Places are the vertices and the
point at a quarter of each half-edge. A joint of kind 0 is at the tail of its half-edge, one of
kind 1 at the quarter.
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
from footway.roadmap.kernels.layouts import FROM_START, Arc, QueueCodes, Turn

HERE = 1e-9  # m, closer places coincide

# Columns of a corner: place, direction in, direction out, tangent length, and distances to walls of
# the arc (-1: not measured), of the line before it, and of the region between arc and corner.
PX, PY, IX, IY, OX, OY, TANGENT, ARC, BEFORE, BETWEEN = range(10)


@inner
def queue_codes(net):
    """Codes of queue entries; two per half-edge for joints, one per place for meetings."""
    n_halves = len(net.tails)
    meet = 9 * n_halves
    return QueueCodes(
        n_halves, 3 * n_halves, 5 * n_halves, 7 * n_halves, meet, meet + len(net.places)
    )


@inner
def apart(ax, ay, bx, by):
    """Distance of two points; faster than math.hypot, which guards against overflow."""
    return math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))


@inner
def _toward(px, py, x, y, ox, oy):
    """Unit vector from p to a point, and the distance; -o if the point is p itself."""
    d = apart(px, py, x, y)
    if d < HERE:
        return -ox, -oy, 0.0
    return (x - px) / d, (y - py) / d, d


@inner
def _joint(end, h, kind, net):
    """Joint of a start or goal to a half-edge: (place, turn, distance, length left).

    The turn has the direction to the start or goal and that of the half-edge. The length left is
    that from the place to the middle of the half-edge.
    """
    p = net.tails[h] if kind == 0 else len(net.out_offsets) - 1 + h
    x, y, dx, dy = net.places[p, 0], net.places[p, 1], net.directions[h, 0], net.directions[h, 1]
    ax, ay, distance = _toward(x, y, end.x, end.y, dx, dy)
    left = net.lengths[h // 2] * (0.5 if kind == 0 else 0.25)
    return p, Turn(x, y, ax, ay, dx, dy), distance, left


@inner
def _blend_cost(turn, one, two, rate_one, rate_two, tangent):
    """Cost of `one` metres, a blend and `two` metres; infinite if the turn folds back."""
    cosine, sine = half_angle(turn.ax, turn.ay, turn.bx, turn.by)
    if cosine >= STRAIGHT and tangent * sine < FOLD * cosine:
        return math.inf
    saved = 0.5 * (rate_one + rate_two) * saving(tangent, cosine, sine)
    return rate_one * one + rate_two * two - saved


@inner
def joint_at_least(end, h, kind, net):
    """Lower bound on the cost of a joint: with the largest blend that its lines allow."""
    _, turn, distance, left = _joint(end, h, kind, net)
    tangent = min(distance, left)
    return _blend_cost(turn, distance, left, net.off_road, net.costs[h // 2], tangent)


@inner
def _kept_clearance(radius, one, two, net):
    """Distance to the walls that a blend between two lines keeps."""
    return min(max(net.preferred, radius), one, two)


@inner
def _measured_joint(end, h, kind, radius, net):
    """Joint whose place is visible: (place, turn, distance, length left, exact tangent length)."""
    p, turn, distance, left = _joint(end, h, kind, net)
    keep = _kept_clearance(radius, end.clear[p], net.clearances[h // 2], net)
    return p, turn, distance, left, largest_tangent(turn, min(distance, left), keep, net.ends)


@inner
def joint_cost(end, h, kind, radius, net):
    """Cost of a joint whose place is visible."""
    _, turn, distance, left, tangent = _measured_joint(end, h, kind, radius, net)
    return _blend_cost(turn, distance, left, net.off_road, net.costs[h // 2], tangent)


@inner
def _turn_at_vertex(number, radius, net):
    """Turn between two half-edges, and its tangent length.

    It is smaller than that of the turn's blend if the disc is too wide for the blend.
    """
    a, b, blend = net.turn_from[number], net.turn_to[number], net.turn_blend[number]
    v = net.tails[b]
    turn = Turn(
        net.places[v, 0], net.places[v, 1], -net.directions[a, 0], -net.directions[a, 1],
        net.directions[b, 0], net.directions[b, 1],
    )  # fmt: skip
    tangent = net.blend_tangent[blend]
    if net.blend_clearance[blend] < radius - SLACK:
        tangent = largest_tangent(turn, tangent, radius, net.ends)
    return turn, tangent


@inner
def turn_cost(number, radius, net):
    """Return the cost of a turn, m: of its blend, or of a tighter one for a larger radius."""
    if net.blend_clearance[net.turn_blend[number]] >= radius - SLACK:
        return net.turn_cost[number]
    a, b = net.turn_from[number] // 2, net.turn_to[number] // 2
    turn, tangent = _turn_at_vertex(number, radius, net)
    half_a, half_b = 0.5 * net.lengths[a], 0.5 * net.lengths[b]
    return _blend_cost(turn, half_a, half_b, net.costs[a], net.costs[b], tangent)


@inner
def meeting(p, start, goal, radius, exact, net):
    """Tangent length and cost of the path from the start over a place to the goal."""
    px, py = net.places[p, 0], net.places[p, 1]
    ax, ay, one = _toward(px, py, start.x, start.y, 1.0, 0.0)
    bx, by, two = _toward(px, py, goal.x, goal.y, ax, ay)
    if one == 0.0:
        ax, ay = -bx, -by
    turn, tangent = Turn(px, py, ax, ay, bx, by), min(one, two)
    if exact:
        keep = _kept_clearance(radius, start.clear[p], goal.clear[p], net)
        tangent = largest_tangent(turn, tangent, keep, net.ends)
    return tangent, _blend_cost(turn, one, two, net.off_road, net.off_road, tangent)


# -- lines and arcs ------------------------------------------------------------------------------


@inner
def _write_corner(row, turn, tangent, before, after):
    """Write a corner; the turn has the direction back and the direction out."""
    row[PX], row[PY], row[IX], row[IY] = turn.x, turn.y, -turn.ax, -turn.ay
    row[OX], row[OY], row[TANGENT], row[ARC] = turn.bx, turn.by, tangent, -1.0
    row[BEFORE], row[BETWEEN] = before, min(before, after)


@inner(inline=False)
def read_corners(code, start, goal, radius, net, ws):
    """Write the corners of the path that the search found: (number, clearance of the last line)."""
    codes, corners = queue_codes(net), ws.corners
    if code >= codes.met:
        p = code - codes.met
        tangent, _ = meeting(p, start, goal, radius, True, net)
        px, py = net.places[p, 0], net.places[p, 1]
        ax, ay, _ = _toward(px, py, start.x, start.y, 1.0, 0.0)
        bx, by, _ = _toward(px, py, goal.x, goal.y, ax, ay)
        turn = Turn(px, py, ax, ay, bx, by)
        _write_corner(corners[0], turn, tangent, start.clear[p], goal.clear[p])
        return 1, goal.clear[p]
    last, kind = (code - codes.end) // 2, (code - codes.end) % 2
    count, h = 2, last
    while ws.arrival[h] >= 0:
        h = net.turn_from[ws.arrival[h]]
        count += 1
    p, turn, _, _, tangent = _measured_joint(start, h, FROM_START - ws.arrival[h], radius, net)
    _write_corner(corners[0], turn, tangent, start.clear[p], net.clearances[h // 2])
    p, turn, _, _, tangent = _measured_joint(goal, last ^ 1, kind, radius, net)
    back = Turn(turn.x, turn.y, turn.bx, turn.by, turn.ax, turn.ay)  # from the road to the goal
    _write_corner(corners[count - 1], back, tangent, net.clearances[last // 2], goal.clear[p])
    h = last
    for k in range(count - 2, 0, -1):
        number = ws.arrival[h]
        before = net.turn_from[number]
        turn, tangent = _turn_at_vertex(number, radius, net)
        row, blend = corners[k], net.turn_blend[number]
        _write_corner(row, turn, tangent, net.clearances[before // 2], net.clearances[h // 2])
        if tangent == net.blend_tangent[blend]:
            row[ARC] = net.blend_clearance[blend]
        h = before
    return count, goal.clear[p]


@inner
def write_line(n, x0, y0, x1, y1, clearance, out):
    """Append a line, with its clearance in MARGIN for `certify`; return the number of pieces."""
    row = out[n]
    row[X0], row[Y0], row[X1], row[Y1] = x0, y0, x1, y1
    row[CX], row[CY], row[RADIUS], row[SWEEP], row[MARGIN] = 0.0, 0.0, 0.0, 0.0, clearance
    return n + 1


@inner
def _write_arc(n, corner, out, cells):
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
        corner[ARC] = arc_distance(Arc(row[CX], row[CY], radius, sx, sy, ex, ey, side), cells)
    row[MARGIN] = corner[ARC]
    return n + 1


@inner(inline=False)
def write_pieces(start, goal, count, clearance, out, net, ws):
    """Write the lines and arcs along corners: (pieces, length); -1 if full.

    `clearance` is that of the last line.
    """
    if 2 * count + 1 > len(out):
        return -1, 0.0
    x, y, n, before, length = start.x, start.y, 0, math.inf, 0.0
    for k in range(count):
        corner = ws.corners[k]
        before = min(before, corner[BEFORE])
        if corner[TANGENT] <= 0.0:
            continue  # no turn: the line continues
        t = corner[TANGENT]
        tx, ty = corner[PX] - corner[IX] * t, corner[PY] - corner[IY] * t
        if hypot(tx - x, ty - y) >= HERE:
            n = write_line(n, x, y, tx, ty, before, out)
            length += hypot(tx - x, ty - y)
        n = _write_arc(n, corner, out, net.walls)
        length += out[n - 1, RADIUS] * abs(out[n - 1, SWEEP])
        x, y, before = out[n - 1, X1], out[n - 1, Y1], math.inf
    if hypot(goal.x - x, goal.y - y) >= HERE or n == 0:
        n = write_line(n, x, y, goal.x, goal.y, min(before, clearance), out)
        length += hypot(goal.x - x, goal.y - y)
    return n, length


@inner(inline=False)
def _replaced_lines(corner, grid):
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
        if corner[BETWEEN] < least - SLACK and _replaced_lines(corner, grid) < least - SLACK:
            out[k, MARGIN] -= least
        k += 1
    return least
