"""Shortest paths over the lines and arcs of a roadmap with blends (voronoi-roadmaps-2004, 2.5).

The search goes from middle to middle of half-edges: half an edge, a blend, half an edge. Start and
goal are joined to places: vertices, and a point at a quarter of each half-edge. A* orders entries
by a lower bound and measures them when they are popped. Kinds of queue entries, by their codes,
where `join` to `met` are those of `QueueCodes`:

    h                 the middle of half-edge h, at a known cost
    join + 2 h + k    from the start onto h, by its tail (k = 0) or by its quarter (k = 1)
    turn + 2 h + k    the same, with the turn that it takes
    leave + 2 h + k   from h to the goal, by its head or by the quarter of its twin
    end + 2 h + k     the same, measured
    meet + p          from the start by place p to the goal
    met + p           the same, measured

The lower bound of an unmeasured entry assumes that no wall limits its blend; that of a `join`
entry, that it is straight. A joint is a straight line from the start or goal to a place, a blend,
and the rest of the path to the middle of a half-edge.
"""

from __future__ import annotations

import math

from footway._numba.bins import cell_along
from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway._numba.math import hypot
from footway.corridor.kernels.layouts import FOUND, FULL, NOWHERE
from footway.corridor.kernels.tangents import SLACK
from footway.corridor.kernels.wall_grid import is_outside, line_clearance, nearest_wall
from footway.roadmap.kernels.blend_pieces import (
    apart,
    certify,
    joint_at_least,
    joint_cost,
    meeting,
    queue_codes,
    read_corners,
    turn_cost,
    write_line,
    write_pieces,
)
from footway.roadmap.kernels.layouts import FROM_START, QueryEnd

ENOUGH = 16  # vertices around a start or goal that are considered
UNSEEN, IN_SIGHT, HIDDEN = 0, 1, 2  # visibility of a place; states are 4 query + this


@inner(inline=False)
def _near_places(x, y, net, found):
    """Write the places around a point, by rings of cells until there are enough: how many."""
    box, offsets, members = net.place_box, net.place_offsets, net.members
    n, nx, ny = len(net.out_offsets) - 1, net.place_shape[0], net.place_shape[1]
    ci, cj = cell_along(x, box[0], box[2], nx), cell_along(y, box[1], box[2], ny)
    count, vertices = 0, 0
    for ring in range(max(nx, ny) + 1):
        for j in range(max(0, cj - ring), min(ny, cj + ring + 1)):
            step = 1 if abs(j - cj) == ring else 2 * ring
            for i in range(ci - ring, ci + ring + 1, step):
                if i < 0 or i >= nx:
                    continue
                for slot in range(offsets[j * nx + i], offsets[j * nx + i + 1]):
                    if count == len(found):
                        return count
                    found[count] = members[slot]
                    vertices += members[slot] < n
                    count += 1
        if vertices >= ENOUGH:
            break
    return count


@inner
def _sees(end, p, radius, query, places, grid):
    """Whether the straight line to a place keeps the radius; measured once per query."""
    if end.state[p] == 4 * query + UNSEEN:
        x, y = places[p, 0], places[p, 1]
        clear, _ = line_clearance(end.x, end.y, x, y, radius - SLACK, grid)
        seen = clear >= radius - SLACK and clear > 0.0
        end.state[p] = 4 * query + (IN_SIGHT if seen else HIDDEN)
        end.clear[p] = clear
    return end.state[p] == 4 * query + IN_SIGHT


@inner(inline=False)
def _begin(start, goal, radius, query, n_near, net, ws):
    """Push all joints of the start and meeting places; return the size of the queue."""
    n, codes, size = len(net.out_offsets) - 1, queue_codes(net), 0
    for slot in range(n_near):
        p = ws.found[slot]
        if ws.component[net.components[p]] != query:
            continue  # no place around the goal is connected with it
        first, last = (net.out_offsets[p], net.out_offsets[p + 1]) if p < n else (0, 1)
        for leaving in range(first, last):
            h, kind = (net.out[leaving], 0) if p < n else (p - n, 1)
            if net.clearances[h // 2] < radius - SLACK:
                continue
            x, y = net.middles[h // 2, 0], net.middles[h // 2, 1]
            key = apart(start.x, start.y, x, y) + apart(x, y, goal.x, goal.y)
            size = push(key, codes.join + 2 * h + kind, size, ws.keys, ws.queue)
        if goal.state[p] // 4 == query:
            _, cost = meeting(p, start, goal, radius, False, net)
            if cost < math.inf:
                size = push(cost, codes.meet + p, size, ws.keys, ws.queue)
    return size


@inner
def _relax(h, cost, arrival, goal, query, size, net, ws):
    """Record a path to the middle of half-edge h if it is cheaper; return the queue's size."""
    if ws.reached[h] == query and cost >= ws.cost[h]:
        return size
    ws.reached[h], ws.cost[h], ws.arrival[h] = query, cost, arrival
    x, y = net.middles[h // 2, 0], net.middles[h // 2, 1]
    return push(cost + apart(x, y, goal.x, goal.y), h, size, ws.keys, ws.queue)


@inner(inline=False)
def _settle(h, goal, radius, query, size, net, ws):
    """Push the successors of a half-edge's middle: joints of the goal and turns at its head."""
    n, leave = len(net.out_offsets) - 1, queue_codes(net).leave
    twin, cost = h ^ 1, ws.cost[h]
    for kind in range(2):
        p = net.tails[twin] if kind == 0 else n + twin
        if goal.state[p] // 4 == query and goal.state[p] != 4 * query + HIDDEN:
            more = joint_at_least(goal, twin, kind, net)
            if more < math.inf:
                size = push(cost + more, leave + 2 * h + kind, size, ws.keys, ws.queue)
    for turn in range(net.turn_offsets[h], net.turn_offsets[h + 1]):
        to = net.turn_to[turn]
        if ws.settled[to] == query or net.clearances[to // 2] < radius - SLACK:
            continue
        more = turn_cost(turn, radius, net)
        if more < math.inf:
            size = _relax(to, cost + more, turn, goal, query, size, net, ws)
    return size


@inner(inline=False)
def _search(start, goal, radius, query, size, net, ws, grid):
    """Return the queue entry, `end` or `met`, of the shortest path; -1 if there is none."""
    n, places = len(net.out_offsets) - 1, net.places
    join, turn, leave, end, meet, met = queue_codes(net)
    keys, queue = ws.keys, ws.queue
    while size > 0:
        code = queue[0]
        size = pop(size, keys, queue)
        if code < join:
            if ws.settled[code] != query:
                ws.settled[code] = query
                size = _settle(code, goal, radius, query, size, net, ws)
        elif code < turn:
            h, kind = (code - join) // 2, (code - join) % 2
            if ws.settled[h] != query:
                x, y = net.middles[h // 2, 0], net.middles[h // 2, 1]
                cost = joint_at_least(start, h, kind, net) + apart(x, y, goal.x, goal.y)
                if cost < math.inf:
                    size = push(cost, code - join + turn, size, keys, queue)
        elif code < leave:
            h, kind = (code - turn) // 2, (code - turn) % 2
            p = net.tails[h] if kind == 0 else n + h
            if ws.settled[h] != query and _sees(start, p, radius, query, places, grid):
                cost = joint_cost(start, h, kind, radius, net)
                if cost < math.inf:
                    size = _relax(h, cost, FROM_START - kind, goal, query, size, net, ws)
        elif code < end:
            h, kind = (code - leave) // 2, (code - leave) % 2
            p = net.tails[h ^ 1] if kind == 0 else n + (h ^ 1)
            if _sees(goal, p, radius, query, places, grid):
                cost = joint_cost(goal, h ^ 1, kind, radius, net)
                if cost < math.inf:
                    size = push(ws.cost[h] + cost, code - leave + end, size, keys, queue)
        elif meet <= code < met:
            p = code - meet
            if _sees(start, p, radius, query, places, grid) and _sees(
                goal, p, radius, query, places, grid
            ):
                _, cost = meeting(p, start, goal, radius, True, net)
                if cost < math.inf:
                    size = push(cost, code - meet + met, size, keys, queue)
        else:
            return code
    return -1


@inner
def _is_straight(start, goal, radius, query, n_near, net, ws, grid):
    """Whether the straight line is free and not inside an obstacle, and its clearance."""
    clear, _ = line_clearance(start.x, start.y, goal.x, goal.y, radius - SLACK, grid)
    if clear >= radius - SLACK and clear > 0.0:
        for slot in range(n_near):  # inside an obstacle no place is visible
            if _sees(start, ws.found[slot], radius, query, net.places, grid):
                return True, clear
    return False, 0.0


@kernel
def solve_blended(sx, sy, gx, gy, radius, shortcut, out, net, ws, grid):
    """Path of a disc over lines and arcs: (status, pieces written to out, length, clearance).

    NOWHERE if the roadmap has no answer; the exact map may have one, or explains why not. With
    `shortcut` a free straight line is returned.
    """
    start = QueryEnd(sx, sy, ws.start_state, ws.start_clear)
    goal = QueryEnd(gx, gy, ws.goal_state, ws.goal_clear)
    for x, y in ((sx, sy), (gx, gy)):
        if is_outside(x, y, grid) or nearest_wall(x, y, grid)[1] < radius - SLACK:
            return NOWHERE, 0, 0.0, 0.0
    ws.query[0] += 1
    query = ws.query[0]
    n_goal = _near_places(gx, gy, net, ws.found)
    for slot in range(n_goal):
        goal.state[ws.found[slot]] = 4 * query + UNSEEN
        ws.component[net.components[ws.found[slot]]] = query
    n_near = _near_places(sx, sy, net, ws.found)
    for slot in range(n_near):
        start.state[ws.found[slot]] = 4 * query + UNSEEN
    length = hypot(gx - sx, gy - sy)
    if shortcut or length < SLACK:
        is_free, clear = _is_straight(start, goal, radius, query, n_near, net, ws, grid)
        if is_free:
            write_line(0, sx, sy, gx, gy, 0.0, out)
            return FOUND, 1, length, clear
    size = _begin(start, goal, radius, query, n_near, net, ws)
    code = _search(start, goal, radius, query, size, net, ws, grid)
    if code < 0:
        return NOWHERE, 0, 0.0, 0.0
    count, clear = read_corners(code, start, goal, radius, net, ws)
    n, length = write_pieces(start, goal, count, clear, out, net, ws)
    if n < 0:
        return FULL, 0, 0.0, 0.0
    return FOUND, n, length, certify(count, n, out, ws, grid)
