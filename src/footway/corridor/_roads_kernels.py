"""A roadmap as a corridor map: exact distances to walls, balls by cells, ways along the roads."""

from __future__ import annotations

import math

from footway._jit import inner, kernel
from footway.corridor._backbone_kernels import find_backbone
from footway.corridor._grid_kernels import line_clearance, nearest_wall
from footway.corridor._locate_kernels import SEEN, locate_point
from footway.corridor._path_kernels import APART, POINT, START_IN_WALL, START_TIGHT
from footway.corridor._query_kernels import is_connected
from footway.corridor._search_kernels import FOUND, FULL
from footway.corridor._taut_kernels import SLACK

ENOUGH = 0.9  # of a point's own clearance, for a way from it that ends the looking for others


@kernel
def line_distances(starts, ends, grid, out):
    """Least distance of each line, starts and ends (n, 2), to any wall, into out (n,); -1: hit."""
    for k in range(len(starts)):
        out[k], _ = line_clearance(starts[k, 0], starts[k, 1], ends[k, 0], ends[k, 1], -2.0, grid)


@kernel
def wall_distances(points, grid, out):
    """Distance of each point (n, 2) to the nearest wall, into out (n,)."""
    for k in range(len(points)):
        _, out[k], _ = nearest_wall(points[k, 0], points[k, 1], grid)


@inner
def _nearest_beside(x, y, ux, uy, walls, w):
    """Nearest point of the part of wall w on the left of direction u: (squared distance, point)."""
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


@kernel
def contacts(points, courses, walls, touch, wall):
    """Nearest obstacle points on the left and right of points (n, 2) on a way with these courses.

    Into touch (n, 2, 2), and their walls (n, 2). Where one side has none, the other's.
    """
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        for side in range(2):
            sign = 1.0 - 2.0 * side
            ux, uy = sign * courses[k, 0], sign * courses[k, 1]
            best = math.inf
            wall[k, side] = -1
            for w in range(len(walls)):
                d, px, py = _nearest_beside(x, y, ux, uy, walls, w)
                if d < best:
                    best = d
                    touch[k, side, 0], touch[k, side, 1], wall[k, side] = px, py, w
        for side in range(2):
            if wall[k, side] < 0:
                wall[k, side] = wall[k, 1 - side]
                touch[k, side, 0], touch[k, side, 1] = touch[k, 1 - side, 0], touch[k, 1 - side, 1]


@inner
def _cells_near(low, high, origin, size, count):
    first = max(0, min(count - 1, int(math.floor((low - origin) / size))))
    last = max(0, min(count - 1, int(math.floor((high - origin) / size))))
    return first, last


@inner
def _keep(b, margin, row, depths):
    """Put a ball into its row, deepest first, if it is among the deepest."""
    slot = len(row)
    while slot > 0 and margin > depths[slot - 1]:
        slot -= 1
    for k in range(len(row) - 1, slot, -1):
        row[k], depths[k] = row[k - 1], depths[k - 1]
    if slot < len(row):
        row[slot], depths[slot] = b, margin


@kernel
def bin_balls(balls, chosen, box, shape, members, depths):
    """Of the chosen balls those that hold the centre of each cell deepest, or nearly hold it.

    Into members (cells, k), and their margins there into depths (cells, k), deepest first. A ball
    that holds any point of the cell has a margin above minus half the cell's diagonal.
    """
    nx, ny, size = shape[0], shape[1], box[2]
    half = size * math.sqrt(0.5)
    for c in range(len(chosen)):
        b = chosen[c]
        x, y, reach = balls[b, 0], balls[b, 1], balls[b, 2] + half
        i0, i1 = _cells_near(x - reach, x + reach, box[0], size, nx)
        j0, j1 = _cells_near(y - reach, y + reach, box[1], size, ny)
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                dx, dy = box[0] + (i + 0.5) * size - x, box[1] + (j + 0.5) * size - y
                margin = balls[b, 2] - math.sqrt(dx * dx + dy * dy)
                cell = j * nx + i
                if margin > -half and margin > depths[cell, 0] - 2.0 * half:
                    _keep(b, margin, members[cell], depths[cell])


@kernel
def look(points, near, balls, grid, best):
    """Ball to which the straight way from each point has the most clearance, into best (n,).

    Of its row of `near` (n, k), nearest first; -1 where none is in sight.
    """
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        best[k], widest = -1, SEEN
        _, own, _ = nearest_wall(x, y, grid)
        for slot in range(near.shape[1]):
            if widest > ENOUGH * own:
                break  # a way is no wider than its beginning
            b = near[k, slot]
            if balls[b, 2] <= widest:
                continue  # a way is no wider than its end
            clear, _ = line_clearance(x, y, balls[b, 0], balls[b, 1], widest, grid)
            if clear > widest:
                best[k], widest = b, clear


@inner
def _find_end(x, y, index):
    """A query point, its place on the roads, the clearance of the way there, the piece."""
    piece, px, py, room, clear, _, _ = locate_point(x, y, index.axis, index.grid, index.fans)
    return x, y, px, py, room, clear, piece


@inner
def _event_of(end, axis):
    """Event that an end was located at: where its piece begins, or the next one."""
    piece = end[6]
    if axis.events[piece, 0] == end[2] and axis.events[piece, 1] == end[3]:
        return piece
    return piece + 1


@inner
def _append(n, x, y, out):
    """One more point of a way, unless it is the last one again."""
    if n > 0 and out[n - 1, 0] == x and out[n - 1, 1] == y:
        return n
    out[n, 0], out[n, 1] = x, y
    return n + 1


@inner(inline=False)
def _write_way(start, goal, count, out, index, ladder, rooms, turns):
    """Points of the way in the ladder: (how many, clearance); -1 when they do not fit."""
    axis = index.axis
    at, there = _event_of(start, axis), _event_of(goal, axis)
    clear = min(start[5], goal[5])
    n = _append(0, start[0], start[1], out)
    n = _append(n, start[2], start[3], out)
    for k in range(count):
        half = ladder.halves[k]
        first, last = axis.offsets[half // 2], axis.offsets[half // 2 + 1] - 1
        if half % 2 == 1:
            first, last = last, first
        begin = at if k == 0 else first
        end = there if k == count - 1 else last
        step = 1 if end > begin else -1
        e = begin
        while e != end:
            clear = min(clear, rooms[e if step == 1 else e - 1])
            e += step
            if turns[e] or e == end:
                if n + 3 > len(out):
                    return -1, 0.0
                n = _append(n, axis.events[e, 0], axis.events[e, 1], out)
    return _append(n, goal[0], goal[1], out), clear


@kernel
def solve_on_roads(sx, sy, gx, gy, radius, shortcut, out, index, ladder, rooms, turns):
    """Way of a disc along the roads: (status, points written to out, length, clearance).

    With `shortcut` a straight way that is free is taken. `rooms` (m,) is the exact clearance of
    the piece after each event, `turns` (m,) says where pieces that follow each other make an angle.
    """
    start, goal = _find_end(sx, sy, index), _find_end(gx, gy, index)
    for k in range(2):
        clear, piece = (start[5], start[6]) if k == 0 else (goal[5], goal[6])
        if piece < 0:
            return START_IN_WALL + k, 0, 0.0, clear
        if clear < radius - SLACK:
            return START_TIGHT + k, 0, 0.0, clear
    if shortcut:
        clear, _ = line_clearance(sx, sy, gx, gy, radius - SLACK, index.grid)
        if clear >= radius - SLACK and clear > 0.0:
            out[0, 0], out[0, 1], out[1, 0], out[1, 1] = sx, sy, gx, gy
            return FOUND, 2, math.hypot(gx - sx, gy - sy), clear
    count, size = -1, max(radius, POINT)
    if is_connected(start[6], goal[6], size, index):
        count = find_backbone(start, goal, size, index, ladder)
    if count < 0:
        return APART, 0, 0.0, 0.0
    n, clear = _write_way(start, goal, count, out, index, ladder, rooms, turns)
    if n < 0:
        return FULL, 0, 0.0, 0.0
    length = 0.0
    for k in range(n - 1):
        length += math.hypot(out[k + 1, 0] - out[k, 0], out[k + 1, 1] - out[k, 1])
    if n == 1:
        out[1, 0], out[1, 1] = gx, gy
        n = 2
    return FOUND, n, length, clear
