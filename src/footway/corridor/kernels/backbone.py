"""The shortest backbone along the medial axis, and the balls along it (cmm-2007, definitions 3, 4).

The search is A* on the half-edges of the axis: see kernels/graph_search.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.graph_search import PlaceOnEdge, find_path
from footway.corridor.kernels.locate import locate_point
from footway.corridor.kernels.path import APART, POINT, START_IN_WALL, START_TIGHT
from footway.corridor.kernels.query import is_connected, is_wide_to_end
from footway.corridor.kernels.search import FOUND, FULL
from footway.corridor.kernels.tangents import SLACK

NEST = (
    0.25  # spacing of balls relative to R - r: each centre lies well inside its neighbours' balls
)
CLOSEST = 1e-3  # m, between balls where R is nearly r
SAG = 1.6e-6  # m, times R: square of the spacing at which a chord leaves a parabola by 1e-7 m


@inner
def _length(dx, dy):
    """Length of a vector; several times faster than math.hypot, which guards against overflow."""
    return math.sqrt(dx * dx + dy * dy)


@inner
def spacing(room, radius, step):
    """Distance to the next ball, m, for a ball of radius `room` and a disc of `radius`."""
    gap = NEST * (room - radius)
    if gap < CLOSEST:
        gap = max(gap, min(CLOSEST, math.sqrt(SAG * max(room, 1e-6))))
    return min(step, gap)


@inner
def _length_to_end(piece, x, y, edge, end, axis):
    """Length along an edge from a point on one of its pieces to its first or last vertex."""
    if end == 0:
        length = _length(x - axis.events[piece, 0], y - axis.events[piece, 1])
        for i in range(axis.offsets[edge], piece):
            length += axis.piece_length[i]
        return length
    length = _length(x - axis.events[piece + 1, 0], y - axis.events[piece + 1, 1])
    for i in range(piece + 1, axis.offsets[edge + 1] - 1):
        length += axis.piece_length[i]
    return length


@inner
def _length_between(piece_s, sx, sy, piece_g, gx, gy, radius, axis):
    """Length between two points on one edge; infinite if the edge is too narrow between them."""
    low, high = min(piece_s, piece_g), max(piece_s, piece_g)
    if low == high:
        return _length(gx - sx, gy - sy)
    length = 0.0
    for i in range(low + 1, high + 1):
        if axis.clearance[i] < radius - SLACK:
            return math.inf
        if i < high:
            length += axis.piece_length[i]
    lx, ly, hx, hy = (sx, sy, gx, gy) if piece_s == low else (gx, gy, sx, sy)
    length += _length(lx - axis.events[low + 1, 0], ly - axis.events[low + 1, 1])
    return length + _length(hx - axis.events[high, 0], hy - axis.events[high, 1])


@inner
def _place_on_edge(end, radius, index):
    """Place of a located end on its edge, with costs to the vertices of the edge."""
    _, _, x, y, _, _, piece = end
    axis = index.axis
    edge = index.graph.edge_of[piece]
    weight = index.graph.weight[edge]
    return PlaceOnEdge(
        edge,
        _length_to_end(piece, x, y, edge, 0, axis) * weight,
        _length_to_end(piece, x, y, edge, 1, axis) * weight,
        is_wide_to_end(piece, edge, 0, radius, axis),
        is_wide_to_end(piece, edge, 1, radius, axis),
    )


@inner
def find_backbone(start, goal, radius, index, ladder):
    """Write the half-edges of the shortest path between two points on the axis to ladder.halves.

    Returns their number; -1 if there is no path. `ladder` is a GraphWorkspace.
    """
    axis, graph = index.axis, index.graph
    _, _, sx, sy, _, _, piece_s = start
    _, _, gx, gy, _, _, piece_g = goal
    here, there = _place_on_edge(start, radius, index), _place_on_edge(goal, radius, index)
    direct = math.inf
    if here.edge == there.edge:
        direct = _length_between(piece_s, sx, sy, piece_g, gx, gy, radius, axis)
        direct *= graph.weight[here.edge]
    ladder.goal[0], ladder.goal[1] = gx, gy
    count = find_path(here, there, direct, radius, graph, axis.vertices, ladder)
    if count != 0:
        return count
    ahead = piece_g > piece_s or (piece_g == piece_s and _is_ahead(piece_s, sx, sy, gx, gy, axis))
    ladder.halves[0] = 2 * here.edge + (0 if ahead else 1)
    return 1


@inner
def _is_ahead(piece, sx, sy, gx, gy, axis):
    """Whether g comes after s on a piece."""
    dx = axis.events[piece + 1, 0] - axis.events[piece, 0]
    dy = axis.events[piece + 1, 1] - axis.events[piece, 1]
    return (gx - sx) * dx + (gy - sy) * dy >= 0.0


@inner
def _write_ball(n, x, y, room, piece, share, balls, places, shares):
    balls[n, 0], balls[n, 1], balls[n, 2], balls[n, 3] = x, y, 0.0, room
    places[n], shares[n] = piece, share


@inner
def _directrix(piece, axis):
    """Return the point site and the segment site of a parabola; -1, -1 for a straight piece."""
    left, right = axis.piece_left[piece], axis.piece_right[piece]
    if axis.is_point[left] == axis.is_point[right]:
        return -1, -1
    return (left, right) if axis.is_point[left] else (right, left)


@inner
def share_of(piece, x, y, axis):
    """Share of a piece at which a point on it lies; on a parabola, along its directrix."""
    x0, y0 = axis.events[piece, 0], axis.events[piece, 1]
    x1, y1 = axis.events[piece + 1, 0], axis.events[piece + 1, 1]
    dx, dy = x1 - x0, y1 - y0
    _, wall = _directrix(piece, axis)
    if wall >= 0:
        dx = axis.sites[wall, 2] - axis.sites[wall, 0]
        dy = axis.sites[wall, 3] - axis.sites[wall, 1]
    whole = (x1 - x0) * dx + (y1 - y0) * dy
    if whole == 0.0:
        return 0.0
    return min(1.0, max(0.0, ((x - x0) * dx + (y - y0) * dy) / whole))


@inner
def _balls_on_piece(piece, begin, end, radius, step, n, balls, places, shares, axis):
    """Write balls from share `begin` of a piece up to, excluding, share `end`; -1 if full."""
    x0, y0 = axis.events[piece, 0], axis.events[piece, 1]
    x1, y1 = axis.events[piece + 1, 0], axis.events[piece + 1, 1]
    room_0, room_1 = axis.clearance[piece], axis.clearance[piece + 1]
    left = axis.piece_left[piece]
    focus, wall = _directrix(piece, axis)
    between_points = focus < 0 and axis.is_point[left]
    ax, ay, ux, uy = axis.sites[left, 0], axis.sites[left, 1], 0.0, 0.0
    from_x = to_x = foot = height = slope = 0.0
    length = _length(x1 - x0, y1 - y0)
    if focus >= 0:
        ax, ay = axis.sites[wall, 0], axis.sites[wall, 1]
        ux, uy = axis.sites[wall, 2] - ax, axis.sites[wall, 3] - ay
        norm = 1.0 / _length(ux, uy)
        ux, uy = ux * norm, uy * norm
        fx, fy = axis.sites[focus, 0] - ax, axis.sites[focus, 1] - ay
        foot, height = fx * ux + fy * uy, ux * fy - uy * fx
        from_x = (x0 - ax) * ux + (y0 - ay) * uy
        to_x = (x1 - ax) * ux + (y1 - ay) * uy
        length = abs(to_x - from_x)
    t, sign = begin, 1.0 if end > begin else -1.0
    per_metre = 1.0 / max(length, 1e-300)
    while (end - t) * sign > 1e-12:
        if n + 2 > len(balls):
            return -1
        if focus >= 0:  # equidistant to the wall and the point
            along = from_x + t * (to_x - from_x)
            slope = (along - foot) / height
            up = 0.5 * height * (slope * slope + 1.0)
            x, y = ax + along * ux - up * uy, ay + along * uy + up * ux
            room = abs(up)
        else:
            x, y = x0 + t * (x1 - x0), y0 + t * (y1 - y0)
            room = room_0 + t * (room_1 - room_0)
            if between_points:
                room = _length(x - ax, y - ay)
        _write_ball(n, x, y, room, piece, t, balls, places, shares)
        n += 1
        if length <= 0.0:
            break
        gap = spacing(room, radius, step) * per_metre
        if focus >= 0:  # the slope may increase up to the next ball
            next_slope = (from_x + (t + sign * gap) * (to_x - from_x) - foot) / height
            steepest = max(abs(slope), abs(next_slope))
            gap /= math.sqrt(1.0 + steepest * steepest)
        t += sign * gap
    return n


@inner(inline=False)
def _balls_on_spoke(
    x0, y0, x1, y1, room_0, room_1, piece, share, radius, step, n, balls, places, shares
):
    """Write balls on the line between an end and the axis (figure 3), without the last one."""
    length, s = _length(x1 - x0, y1 - y0), 0.0
    while s == 0.0 or s < length - 1e-12:
        if n + 2 > len(balls):
            return -1
        q = s / length if length > 0.0 else 0.0
        room = room_0 + q * (room_1 - room_0)
        x, y = x0 + q * (x1 - x0), y0 + q * (y1 - y0)
        _write_ball(n, x, y, room, piece, share, balls, places, shares)
        n += 1
        s += spacing(room, radius, step)
    return n


@inner(inline=False)
def write_balls(start, goal, count, radius, step, balls, places, shares, index, ladder):
    """Write the balls along ladder.halves from start to goal; return their number, -1 if full."""
    sx, sy, px, py, room_s, clear_s, piece_s = start
    gx, gy, qx, qy, room_g, clear_g, piece_g = goal
    axis = index.axis
    share_s, share_g = share_of(piece_s, px, py, axis), share_of(piece_g, qx, qy, axis)
    n = _balls_on_spoke(
        sx, sy, px, py, clear_s, room_s, piece_s, share_s, radius, step, 0, balls, places, shares
    )
    for k in range(count):
        if n < 0:
            return -1
        half = ladder.halves[k]
        backward = half % 2
        first, last = axis.offsets[half // 2], axis.offsets[half // 2 + 1] - 2
        if backward:
            first, last = last, first
        if k == 0:
            first = piece_s
        if k == count - 1:
            last = piece_g
        piece = first
        while True:
            begin, end = float(backward), 1.0 - backward
            if k == 0 and piece == piece_s:
                begin = share_s
            if k == count - 1 and piece == piece_g:
                end = share_g
            n = _balls_on_piece(piece, begin, end, radius, step, n, balls, places, shares, axis)
            if n < 0 or piece == last:
                break
            piece += -1 if backward else 1
    if n < 0:
        return -1
    n = _balls_on_spoke(
        qx, qy, gx, gy, room_g, clear_g, piece_g, share_g, radius, step, n, balls, places, shares
    )
    if n < 0:
        return -1
    _write_ball(n, gx, gy, clear_g, piece_g, share_g, balls, places, shares)
    return n + 1


@inner
def find_end(x, y, index):
    """Locate a query point: (point, retraction, clearance of the retraction and point, piece)."""
    piece, px, py, room, clear, _, _ = locate_point(x, y, index.axis, index.grid, index.fans)
    return x, y, px, py, room, clear, piece


@inner
def check_ends(start, goal, radius):
    """Return the status and clearance of an end in a wall or too narrow a place; else FOUND."""
    for k in range(2):
        clear, piece = (start[5], start[6]) if k == 0 else (goal[5], goal[6])
        if piece < 0:
            return START_IN_WALL + k, clear
        if clear < radius - SLACK:
            return START_TIGHT + k, clear
    return FOUND, 0.0


@inner
def find_way(start, goal, radius, index, ladder):
    """`find_backbone` between two checked ends: number of half-edges, -1 if there is no path."""
    size = max(radius, POINT)
    if not is_connected(start[6], goal[6], size, index):
        return -1
    return find_backbone(start, goal, size, index, ladder)


@inner(inline=False)
def extract_balls(sx, sy, gx, gy, radius, step, balls, places, shares, index, ladder):
    """Corridor of the shortest backbone: (status, balls, half-edges, clearance of a bad end)."""
    start, goal = find_end(sx, sy, index), find_end(gx, gy, index)
    status, clear = check_ends(start, goal, radius)
    if status != FOUND:
        return status, 0, 0, clear
    count = find_way(start, goal, radius, index, ladder)
    if count < 0:
        return APART, 0, 0, 0.0
    n = write_balls(start, goal, count, radius, step, balls, places, shares, index, ladder)
    if n < 0:
        return FULL, 0, 0, 0.0
    return FOUND, n, count, 0.0


@kernel
def extract(sx, sy, gx, gy, radius, step, balls, places, shares, index, ladder):
    """`extract_balls`, for Python."""
    return extract_balls(sx, sy, gx, gy, radius, step, balls, places, shares, index, ladder)


@kernel
def balls_along(sx, sy, gx, gy, count, radius, step, balls, places, shares, index, ladder):
    """Write the balls along ladder.halves, for Python; return their number, -1 if full."""
    start, goal = find_end(sx, sy, index), find_end(gx, gy, index)
    return write_balls(start, goal, count, radius, step, balls, places, shares, index, ladder)


@inner
def length_of_balls(balls):
    """Length of the line through the centres of balls."""
    length = 0.0
    for k in range(len(balls) - 1):
        dx, dy = balls[k + 1, 0] - balls[k, 0], balls[k + 1, 1] - balls[k, 1]
        dz = balls[k + 1, 2] - balls[k, 2]
        length += math.sqrt(dx * dx + dy * dy + dz * dz)
    return length


@kernel
def length_of(balls):
    """`length_of_balls`, for Python."""
    return length_of_balls(balls)


@kernel
def refine(balls, radius, step):
    """Insert balls so that each centre lies well inside its neighbours' balls. (n, 4).

    A new ball lies inside one of its two neighbours, so it is free where they are.
    """
    count = 1
    for fill in range(2):
        out = np.empty((count if fill == 1 else 1, 4))
        count = 0
        for k in range(len(balls)):
            if fill == 1:
                for c in range(4):
                    out[count, c] = balls[k, c]
            count += 1
            if k + 1 == len(balls):
                break
            dx = balls[k + 1, 0] - balls[k, 0]
            dy = balls[k + 1, 1] - balls[k, 1]
            dz = balls[k + 1, 2] - balls[k, 2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            s = spacing(balls[k, 3], radius, step)
            while s < length - 1e-9:
                room = max(balls[k, 3] - s, balls[k + 1, 3] - (length - s))
                if fill == 1:
                    q = s / length
                    out[count, 0], out[count, 1] = balls[k, 0] + q * dx, balls[k, 1] + q * dy
                    out[count, 2], out[count, 3] = balls[k, 2] + q * dz, room
                count += 1
                s += spacing(room, radius, step)
    return out
