"""The shortest backbone along the medial axis, and the balls along it (cmm-2007, definitions 3, 4).

The search is A* on the half-edges of the axis: see kernels/graph_search.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.graph_search import PlaceOnEdge, find_path
from footway.corridor.kernels.layouts import (
    APART,
    BALL_COLUMNS,
    BALL_RADIUS,
    BALL_Z,
    FOUND,
    FULL,
)
from footway.corridor.kernels.locate import locate_on
from footway.corridor.kernels.query import POINT, check_ends, is_connected, is_wide_to_end
from footway.corridor.kernels.tangents import SLACK, Ends

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
def spacing(clearance, radius, step):
    """Distance to the next ball, m, for a ball of radius `clearance` and a disc of `radius`."""
    gap = NEST * (clearance - radius)
    if gap < CLOSEST:
        gap = max(gap, min(CLOSEST, math.sqrt(SAG * max(clearance, 1e-6))))
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
def _length_between(start, goal, radius, axis):
    """Length between two places on one edge; infinite if the edge is too narrow between them."""
    low, high = min(start.piece, goal.piece), max(start.piece, goal.piece)
    if low == high:
        return _length(goal.x - start.x, goal.y - start.y)
    length = 0.0
    for i in range(low + 1, high + 1):
        if axis.clearance[i] < radius - SLACK:
            return math.inf
        if i < high:
            length += axis.piece_length[i]
    lower_x, lower_y = (start.x, start.y) if start.piece == low else (goal.x, goal.y)
    upper_x, upper_y = (goal.x, goal.y) if start.piece == low else (start.x, start.y)
    length += _length(lower_x - axis.events[low + 1, 0], lower_y - axis.events[low + 1, 1])
    return length + _length(upper_x - axis.events[high, 0], upper_y - axis.events[high, 1])


@inner
def place_on_edge(end, radius, index):
    """Place of a located end on its edge, with costs to the vertices of the edge."""
    axis, edge = index.axis, index.graph.edge_of[end.piece]
    weight = index.graph.weight[edge]
    return PlaceOnEdge(
        edge,
        _length_to_end(end.piece, end.x, end.y, edge, 0, axis) * weight,
        _length_to_end(end.piece, end.x, end.y, edge, 1, axis) * weight,
        is_wide_to_end(end.piece, edge, 0, radius, axis),
        is_wide_to_end(end.piece, edge, 1, radius, axis),
    )


@inner
def direct_cost(start, goal, edge, radius, index):
    """Cost between two places on one edge; infinite if the edge is too narrow between them."""
    return _length_between(start, goal, radius, index.axis) * index.graph.weight[edge]


@inner
def find_backbone(start, goal, radius, index, workspace):
    """Write the half-edges of the shortest path along the axis to workspace.halves.

    `start` and `goal` are OnAxis or Place. Returns the number of half-edges; -1: there is no path.
    """
    here, there = place_on_edge(start, radius, index), place_on_edge(goal, radius, index)
    direct = math.inf
    if here.edge == there.edge:
        direct = direct_cost(start, goal, here.edge, radius, index)
    return find_backbone_between(start, goal, here, there, direct, radius, index, workspace)


@inner
def find_backbone_between(start, goal, here, there, direct, radius, index, workspace):
    """`find_backbone` between two places on edges, `direct` apart if they are on the same edge."""
    axis, target = index.axis, (goal.x, goal.y)
    count = find_path(here, there, target, direct, radius, index.graph, axis.vertices, workspace)
    if count != 0:
        return count
    piece = start.piece
    is_ahead = goal.piece > piece
    if goal.piece == piece:
        dx = axis.events[piece + 1, 0] - axis.events[piece, 0]
        dy = axis.events[piece + 1, 1] - axis.events[piece, 1]
        is_ahead = (goal.x - start.x) * dx + (goal.y - start.y) * dy >= 0.0
    workspace.halves[0] = 2 * here.edge + (0 if is_ahead else 1)
    return 1


@inner
def _write_ball(n, x, y, clearance, piece, share, out):
    """Write ball n; return the number of balls."""
    balls = out.balls
    balls[n, 0], balls[n, 1], balls[n, BALL_Z], balls[n, BALL_RADIUS] = x, y, 0.0, clearance
    out.pieces[n], out.shares[n] = piece, share
    return n + 1


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
def _balls_on_piece(piece, begin, end, radius, step, n, out, axis):
    """Write balls from share `begin` of a piece up to, excluding, share `end`; -1 if full."""
    x0, y0 = axis.events[piece, 0], axis.events[piece, 1]
    x1, y1 = axis.events[piece + 1, 0], axis.events[piece + 1, 1]
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
        if n + 2 > len(out.balls):
            return -1
        if focus >= 0:  # equidistant to the wall and the point
            along = from_x + t * (to_x - from_x)
            slope = (along - foot) / height
            up = 0.5 * height * (slope * slope + 1.0)
            x, y = ax + along * ux - up * uy, ay + along * uy + up * ux
            clear = abs(up)
        else:
            x, y = x0 + t * (x1 - x0), y0 + t * (y1 - y0)
            clear = axis.clearance[piece]
            clear += t * (axis.clearance[piece + 1] - clear)
            if between_points:
                clear = _length(x - ax, y - ay)
        n = _write_ball(n, x, y, clear, piece, t, out)
        if length <= 0.0:
            break
        gap = spacing(clear, radius, step) * per_metre
        if focus >= 0:  # the slope may increase up to the next ball
            next_slope = (from_x + (t + sign * gap) * (to_x - from_x) - foot) / height
            steepest = max(abs(slope), abs(next_slope))
            gap /= math.sqrt(1.0 + steepest * steepest)
        t += sign * gap
    return n


@inner(inline=False)
def _balls_on_line(x0, y0, clear_0, x1, y1, clear_1, piece, share, radius, step, n, out):
    """Write balls on the line between an end and the axis (figure 3), without the last one."""
    length, s = _length(x1 - x0, y1 - y0), 0.0
    while s == 0.0 or s < length - 1e-12:
        if n + 2 > len(out.balls):
            return -1
        q = s / length if length > 0.0 else 0.0
        clear = clear_0 + q * (clear_1 - clear_0)
        n = _write_ball(n, x0 + q * (x1 - x0), y0 + q * (y1 - y0), clear, piece, share, out)
        s += spacing(clear, radius, step)
    return n


@inner(inline=False)
def write_balls(ends, start, goal, count, step, out, index, workspace):
    """Write the balls along workspace.halves: their number, -1 if they are too many for `out`.

    `start` and `goal` are the Places of the ends.
    """
    axis, radius = index.axis, ends.radius
    share_s = share_of(start.piece, start.x, start.y, axis)
    share_g = share_of(goal.piece, goal.x, goal.y, axis)
    n = _balls_on_line(
        ends.sx, ends.sy, start.clearance, start.x, start.y, start.axis_clearance,
        start.piece, share_s, radius, step, 0, out,
    )  # fmt: skip
    for k in range(count):
        if n < 0:
            return -1
        half = workspace.halves[k]
        backward = half % 2
        first, last = axis.offsets[half // 2], axis.offsets[half // 2 + 1] - 2
        if backward:
            first, last = last, first
        if k == 0:
            first = start.piece
        if k == count - 1:
            last = goal.piece
        piece = first
        while True:
            begin, end = float(backward), 1.0 - backward
            if k == 0 and piece == start.piece:
                begin = share_s
            if k == count - 1 and piece == goal.piece:
                end = share_g
            n = _balls_on_piece(piece, begin, end, radius, step, n, out, axis)
            if n < 0 or piece == last:
                break
            piece += -1 if backward else 1
    if n < 0:
        return -1
    n = _balls_on_line(
        goal.x, goal.y, goal.axis_clearance, ends.gx, ends.gy, goal.clearance,
        goal.piece, share_g, radius, step, n, out,
    )  # fmt: skip
    if n < 0:
        return -1
    return _write_ball(n, ends.gx, ends.gy, goal.clearance, goal.piece, share_g, out)


@inner
def find_backbone_of_disc(start, goal, radius, index, workspace):
    """`find_backbone` between two checked Places, for a disc of any radius; -1: no path."""
    size = max(radius, POINT)
    if not is_connected(start.piece, goal.piece, size, index):
        return -1
    return find_backbone(start, goal, size, index, workspace)


@inner(inline=False)
def extract_balls(ends, step, out, index, workspace):
    """Corridor of the shortest backbone: (status, balls, half-edges, clearance of a bad end)."""
    start = locate_on(ends.sx, ends.sy, ends.start_layer, index)
    goal = locate_on(ends.gx, ends.gy, ends.goal_layer, index)
    status, clear = check_ends(start, goal, ends.radius)
    if status != FOUND:
        return status, 0, 0, clear
    count = find_backbone_of_disc(start, goal, ends.radius, index, workspace)
    if count < 0:
        return APART, 0, 0, 0.0
    n = write_balls(ends, start, goal, count, step, out, index, workspace)
    if n < 0:
        return FULL, 0, 0, 0.0
    return FOUND, n, count, 0.0


@kernel
def extract(sx, sy, gx, gy, radius, step, out, index, workspace):
    """`extract_balls`, for Python."""
    layers = index.grid.layers
    ends = Ends(sx, sy, gx, gy, radius, layers.start, layers.goal)
    return extract_balls(ends, step, out, index, workspace)


@kernel
def balls_along(sx, sy, gx, gy, radius, step, count, out, index, workspace):
    """Write the balls along workspace.halves, for Python; return their number, -1 if too many."""
    layers = index.grid.layers
    start, goal = locate_on(sx, sy, layers.start, index), locate_on(gx, gy, layers.goal, index)
    ends = Ends(sx, sy, gx, gy, radius, layers.start, layers.goal)
    return write_balls(ends, start, goal, count, step, out, index, workspace)


@inner
def length_of_balls(balls):
    """Length of the line through the centres of balls."""
    length = 0.0
    for k in range(len(balls) - 1):
        dx, dy = balls[k + 1, 0] - balls[k, 0], balls[k + 1, 1] - balls[k, 1]
        dz = balls[k + 1, BALL_Z] - balls[k, BALL_Z]
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
        out = np.empty((count if fill == 1 else 1, BALL_COLUMNS))
        count = 0
        for k in range(len(balls)):
            if fill == 1:
                for c in range(BALL_COLUMNS):
                    out[count, c] = balls[k, c]
            count += 1
            if k + 1 == len(balls):
                break
            dx = balls[k + 1, 0] - balls[k, 0]
            dy = balls[k + 1, 1] - balls[k, 1]
            dz = balls[k + 1, BALL_Z] - balls[k, BALL_Z]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            s = spacing(balls[k, BALL_RADIUS], radius, step)
            while s < length - 1e-9:
                beyond = balls[k + 1, BALL_RADIUS] - (length - s)
                radius_here = max(balls[k, BALL_RADIUS] - s, beyond)
                if fill == 1:
                    q = s / length
                    out[count, 0], out[count, 1] = balls[k, 0] + q * dx, balls[k, 1] + q * dy
                    out[count, BALL_Z] = balls[k, BALL_Z] + q * dz
                    out[count, BALL_RADIUS] = radius_here
                count += 1
                s += spacing(radius_here, radius, step)
    return out
