"""A roadmap as a corridor map: exact distances to walls, balls by cells, paths along roads."""

from __future__ import annotations

import math

from footway._numba.bins import cell_of, cell_range
from footway._numba.jit import inner, kernel
from footway._numba.math import hypot
from footway.corridor.kernels.backbone import find_backbone_of_disc
from footway.corridor.kernels.layouts import APART, FOUND, FULL
from footway.corridor.kernels.locate import SEEN, ball_at, locate_end
from footway.corridor.kernels.query import check_ends
from footway.corridor.kernels.tangents import SLACK
from footway.corridor.kernels.wall_grid import line_clearance, nearest_wall

ENOUGH = 0.9  # of a point's own clearance: a line with this clearance ends the search
DETOUR = 2.0  # times the straight line: a longer path near an end is a detour


@inner
def _nearest_beside(x, y, ux, uy, walls, w):
    """Nearest point of wall w to the left of direction u: (squared distance, point)."""
    ax, ay = walls[w, 0], walls[w, 1]
    dx, dy = walls[w, 2] - ax, walls[w, 3] - ay
    begin, end = 0.0, 1.0
    side_a = ux * (ay - y) - uy * (ax - x)
    side_b = ux * (ay + dy - y) - uy * (ax + dx - x)
    if side_a < 0.0 and side_b < 0.0:
        return math.inf, x, y
    if side_a < 0.0:
        begin = side_a / (side_a - side_b)
    elif side_b < 0.0:
        end = side_a / (side_a - side_b)
    squared = dx * dx + dy * dy
    t = begin
    if squared > 0.0:
        t = min(end, max(begin, ((x - ax) * dx + (y - ay) * dy) / squared))
    px, py = ax + t * dx, ay + t * dy
    return (x - px) * (x - px) + (y - py) * (y - py), px, py


@inner
def _box_gap(x, y, walls, w):
    """Squared distance of a point to the box around wall w: a lower bound of that to the wall."""
    dx = max(0.0, min(walls[w, 0], walls[w, 2]) - x, x - max(walls[w, 0], walls[w, 2]))
    dy = max(0.0, min(walls[w, 1], walls[w, 3]) - y, y - max(walls[w, 1], walls[w, 3]))
    return (dx * dx + dy * dy) * (1.0 - 1e-12)  # also with rounding errors


@kernel
def contacts(points, directions, walls, touch, wall):
    """Nearest obstacle points to the left and right of points (n, 2), seen along `directions`.

    Written to touch (n, 2, 2), and their walls to wall (n, 2). A side without walls gets the
    contact of the other side.
    """
    for k in range(len(points)):
        x, y, ux, uy = points[k, 0], points[k, 1], directions[k, 0], directions[k, 1]
        wall[k, 0] = wall[k, 1] = -1
        left = right = math.inf
        for w in range(len(walls)):
            gap = _box_gap(x, y, walls, w)
            if gap < left:
                d, px, py = _nearest_beside(x, y, ux, uy, walls, w)
                if d < left:
                    left, touch[k, 0, 0], touch[k, 0, 1], wall[k, 0] = d, px, py, w
            if gap < right:
                d, px, py = _nearest_beside(x, y, -ux, -uy, walls, w)
                if d < right:
                    right, touch[k, 1, 0], touch[k, 1, 1], wall[k, 1] = d, px, py, w
        for side in range(2):
            if wall[k, side] < 0:
                wall[k, side] = wall[k, 1 - side]
                touch[k, side, 0], touch[k, side, 1] = touch[k, 1 - side, 0], touch[k, 1 - side, 1]


@inner
def _keep(b, margin, row, depths):
    """Insert a ball into its row, sorted by depth, if it is among the deepest."""
    slot = len(row)
    while slot > 0 and margin > depths[slot - 1]:
        slot -= 1
    for k in range(len(row) - 1, slot, -1):
        row[k], depths[k] = row[k - 1], depths[k - 1]
    if slot < len(row):
        row[slot], depths[slot] = b, margin


@kernel
def bin_balls(balls, chosen, box, shape, members, depths):
    """Find the chosen balls that contain the centre of each cell deepest, or nearly contain it.

    Written to members (cells, k), and their margins to depths (cells, k), deepest first. A ball
    that contains any point of the cell has a margin above minus half the cell's diagonal.
    """
    nx, ny, size = shape[0], shape[1], box[2]
    half = size * math.sqrt(0.5)
    for c in range(len(chosen)):
        b = chosen[c]
        x, y, reach = balls[b, 0], balls[b, 1], balls[b, 2] + half
        i0, i1 = cell_range(x - reach, x + reach, box[0], size, nx)
        j0, j1 = cell_range(y - reach, y + reach, box[1], size, ny)
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                dx, dy = box[0] + (i + 0.5) * size - x, box[1] + (j + 0.5) * size - y
                margin = balls[b, 2] - math.sqrt(dx * dx + dy * dy)
                cell = j * nx + i
                if margin > -half and margin > depths[cell, 0] - 2.0 * half:
                    _keep(b, margin, members[cell], depths[cell])


@kernel
def look(points, near, balls, grid, best):
    """Find the ball to which the straight line from each point has the most clearance.

    Among its row of `near` (n, k), nearest first. Written to best (n,); -1 if none is visible.
    """
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        best[k], widest = -1, SEEN
        _, own, _ = nearest_wall(x, y, grid)
        for slot in range(near.shape[1]):
            if widest > ENOUGH * own:
                break  # a line is no wider than its beginning
            b = near[k, slot]
            if balls[b, 2] <= widest:
                continue  # a line is no wider than its end
            clear, _ = line_clearance(x, y, balls[b, 0], balls[b, 1], widest, grid)
            if clear > widest:
                best[k], widest = b, clear


@kernel
def join(points, cells, grid, boundaries, clear):
    """Write the clearance of the line from each point (n, 2) to the ball that it joins to `clear`.

    -1 if it joins none. Only points in cells (nc,) that are true are updated.
    """
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        if cells[cell_of(x, y, boundaries.ball_box, boundaries.ball_shape)]:
            _, own, _ = nearest_wall(x, y, grid)
            ball, line = ball_at(x, y, own, grid, boundaries)
            clear[k] = line if ball >= 0 else -1.0


@inner
def _event_of(end, axis):
    """Event at which an end is joined: the beginning of its piece, or the next one."""
    piece = end.piece
    if axis.events[piece, 0] == end.x and axis.events[piece, 1] == end.y:
        return piece
    return piece + 1


@inner
def write_events(at, there, count, halves, offsets, clearances, out):
    """Write the events along the half-edges: (how many, least clearance of the pieces); -1: full.

    From event `at` of the first one to event `there` of the last one, both included. `offsets`
    (ne + 1,) are the first events of each edge, `clearances` (m,) are those of the pieces
    that begin at each event.
    """
    out[0] = at
    n, clear = 1, math.inf
    for k in range(count):
        half = halves[k]
        first, last = offsets[half // 2], offsets[half // 2 + 1] - 1
        if half % 2 == 1:
            first, last = last, first
        e = at if k == 0 else first
        end = there if k == count - 1 else last
        step = 1 if end > e else -1
        while e != end:
            clear = min(clear, clearances[e if step == 1 else e - 1])
            e += step
            if n == len(out):
                return -1, 0.0
            out[n] = e
            n += 1
    return n, clear


@inner
def _append(n, x, y, out):
    """Append a point to a path unless it repeats the last one; return the number of points."""
    if n > 0 and out[n - 1, 0] == x and out[n - 1, 1] == y:
        return n
    out[n, 0], out[n, 1] = x, y
    return n + 1


@inner(inline=False)
def _write_path(ends, start, goal, count, roads, index, workspace, events, out):
    """Write the points along workspace.halves: (how many, clearance); -1 if full."""
    axis = index.axis
    at, there = _event_of(start, axis), _event_of(goal, axis)
    many, clear = write_events(
        at, there, count, workspace.halves, axis.offsets, roads.piece_clearance, events
    )
    if many < 0:
        return -1, 0.0
    n = _append(0, ends.sx, ends.sy, out)
    n = _append(n, start.x, start.y, out)
    for k in range(1, many):
        e = events[k]
        if roads.turns[e] or k == many - 1:
            n = _append(n, axis.events[e, 0], axis.events[e, 1], out)
    return _append(n, ends.gx, ends.gy, out), min(clear, start.clearance, goal.clearance)


@inner
def _reverse(n, out):
    """Reverse the points of a path."""
    for k in range(n // 2):
        m = n - 1 - k
        x, y = out[k, 0], out[k, 1]
        out[k, 0], out[k, 1] = out[m, 0], out[m, 1]
        out[m, 0], out[m, 1] = x, y


@inner(inline=False)
def _cut_detour(n, least, out, grid):
    """Remove a detour at the end of a path, which passes its last point; return points left.

    Where several roads end in a node, a point may be joined to the wrong one. The straight line
    that replaces the detour keeps the clearance `least` of the path.
    """
    x, y = out[n - 1, 0], out[n - 1, 1]
    best, along = n - 2, 0.0
    for k in range(n - 2, -1, -1):
        along += hypot(out[k + 1, 0] - out[k, 0], out[k + 1, 1] - out[k, 1])
        if along > DETOUR * hypot(out[k, 0] - x, out[k, 1] - y):
            clear, _ = line_clearance(out[k, 0], out[k, 1], x, y, least, grid)
            if clear >= least:
                best = k
    out[best + 1, 0], out[best + 1, 1] = x, y
    return best + 2


@kernel
def solve_on_roads(ends, shortcut, roads, index, workspace, events, out):
    """Path of a disc along the roads: (status, points written to out, length, clearance).

    With `shortcut` a free straight line is returned. `events` is scratch memory; `out` (n, 2) has
    at least three more points than it.
    """
    sx, sy, gx, gy, radius = ends.sx, ends.sy, ends.gx, ends.gy, ends.radius
    grid = index.grid
    start, goal = locate_end(sx, sy, index), locate_end(gx, gy, index)
    status, clear = check_ends(start, goal, radius)
    if status != FOUND:
        return status, 0, 0.0, clear
    if shortcut:
        clear, _ = line_clearance(sx, sy, gx, gy, radius - SLACK, grid)
        if clear >= radius - SLACK and clear > 0.0:
            out[0, 0], out[0, 1], out[1, 0], out[1, 1] = sx, sy, gx, gy
            return FOUND, 2, hypot(gx - sx, gy - sy), clear
    count = find_backbone_of_disc(start, goal, radius, index, workspace)
    if count < 0:
        return APART, 0, 0.0, 0.0
    n, clear = _write_path(ends, start, goal, count, roads, index, workspace, events, out)
    if n < 0:
        return FULL, 0, 0.0, 0.0
    before = n
    if n > 2:
        for _ in range(2):  # at the goal, then at the start
            n = _cut_detour(n, clear, out, grid)
            _reverse(n, out)
    is_measured, length = n == before, 0.0
    clear = clear if is_measured else math.inf
    for k in range(n - 1):
        x, y, tx, ty = out[k, 0], out[k, 1], out[k + 1, 0], out[k + 1, 1]
        length += hypot(tx - x, ty - y)
        if not is_measured:
            clear = min(clear, line_clearance(x, y, tx, ty, -2.0, grid)[0])
    if n == 1:
        out[1, 0], out[1, 1] = gx, gy
        n = 2
    return FOUND, n, length, clear
