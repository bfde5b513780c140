"""Routes over terrain for many who share their preferences: searched, pulled taut, and weighed.

A search over nodes knows how far every node is from a few landmarks. No way from a node to the goal
is shorter than the difference of their distances to a landmark (Goldberg and Harrelson, 2005), and
that is much more than a straight line over the best ground tells.

What is found is pulled taut at once with its margin, to some centimetres. Only where that is dear
the best way is found first, as `fw.route` does, to know whether it may have a margin.
"""

from __future__ import annotations

import math

import numpy as np

from footway._heap_kernels import pop, push
from footway._jit import inner, kernel
from footway.terrain._course_kernels import cut
from footway.terrain._ground_kernels import FREE, trace_lines
from footway.terrain._refine_kernels import (
    FAN,
    STRAIGHT,
    _fill,
    _room,
    _straighten,
    _turn_to_better,
    _write,
    refine,
)
from footway.terrain._route_kernels import HOLDERS, holders, length, read_back
from footway.terrain._steiner_kernels import lay_out
from footway.terrain._tighten_kernels import tighten

PRICE = 0.05  # share by which a route off worse ground may weigh more than the best way
DEAR = 1.02  # times the best way over nodes: what weighs more is compared with the best way at all
ROUGH = 2  # levels of bluntness: to some centimetres
SAME = 1e-6  # m between places that are the same
USED = 3  # landmarks that one search looks at: those that tell most about its start


@inner
def _spread_out(size, weights, kind, nodes, cost, done, keys, queue):
    """Weighted length of the best way to every node from those in the heap: Dijkstra's method."""
    places, first, triangles = nodes.places, nodes.first, nodes.triangles
    offsets, members = nodes.offsets, nodes.of_triangle
    last = -1
    while size > 0:
        u = queue[0]
        size = pop(size, keys, queue)
        if done[u]:
            continue
        done[u], last = True, u
        for slot in range(first[u], first[u + 1]):
            t = triangles[slot]
            weight = weights[kind[t]]
            for other in range(offsets[t], offsets[t + 1]):
                v = members[other]
                there = cost[u] + weight * length(
                    places[v, 0] - places[u, 0], places[v, 1] - places[u, 1]
                )
                if there < cost[v]:
                    cost[v] = there
                    size = push(there, v, size, keys, queue)
    return last


@kernel
def landmarks(count, weights, ground, nodes):
    """Weighted length from each of `count` landmarks to every node, (nodes, count); 0: no way.

    Each landmark is the node that is farthest from those before it.
    """
    n = len(nodes.places)
    away = np.zeros((n, count), np.float32)
    cost, done, near = np.empty(n), np.empty(n, np.bool_), np.full(n, math.inf)
    keys, queue = np.empty(nodes.links + 8), np.empty(nodes.links + 8, np.int32)
    at = 0
    for k in range(-1, count):  # the first search only finds an end of the map
        cost[:], done[:] = math.inf, False
        cost[at] = 0.0
        size = push(0.0, at, 0, keys, queue)
        at = _spread_out(size, weights, ground.kind, nodes, cost, done, keys, queue)
        if k < 0:
            continue
        farthest = -1.0
        for v in range(n):
            if cost[v] < math.inf:
                away[v, k] = cost[v]
            near[v] = min(near[v], cost[v])
            if near[v] < math.inf and near[v] > farthest:
                farthest, at = near[v], v
    return away


@inner
def _away_from(x, y, weights, ground, nodes, away, held, out):
    """Weighted length from the landmarks to a place, out (count,); how many triangles hold it."""
    out[:] = math.inf
    found = holders(x, y, ground, held)
    for i in range(found):
        t = held[i]
        for slot in range(nodes.offsets[t], nodes.offsets[t + 1]):
            v = nodes.of_triangle[slot]
            part = weights[ground.kind[t]] * length(nodes.places[v, 0] - x, nodes.places[v, 1] - y)
            for k in range(len(out)):
                out[k] = min(out[k], away[v, k] + part)
    return found


@inner
def _bound(v, x, y, gx, gy, least, away, of_goal, used):
    """Weighted length that is left from node v at (x, y) to the goal, at the least."""
    most = least * length(gx - x, gy - y)
    for i in range(USED):
        k = used[i]
        most = max(most, abs(away[v, k] - of_goal[k]))
    return most


@inner
def _relax(x, y, here, node, t, weight, gx, gy, least, best, turn, size, nodes, table, hint):
    """Try the ways through triangle t from a node at (x, y) to the others of t: size of heap."""
    places, offsets, members = nodes.places, nodes.offsets, nodes.of_triangle
    cost, before, through, seen, left, keys, queue = table
    away, of_goal, used = hint
    for slot in range(offsets[t], offsets[t + 1]):
        v = members[slot]
        if seen[v] < turn:  # first met by this search
            seen[v], cost[v] = turn, math.inf
            left[v] = _bound(v, places[v, 0], places[v, 1], gx, gy, least, away, of_goal, used)
        spare = cost[v] - here
        if spare <= 0.0 or seen[v] > turn:
            continue
        vx, vy = places[v, 0] - x, places[v, 1] - y
        squared = weight * weight * (vx * vx + vy * vy)
        if squared < spare * spare:  # a root only where it counts
            there = here + math.sqrt(squared)
            if there + left[v] < best:
                cost[v], before[v], through[v] = there, node, t
                size = push(there + left[v], v, size, keys, queue)
    return size


@inner(inline=False)
def _search(start, goal, turn, weights, least, ground, nodes, away, is_goal, held, table, memory):
    """Best way over nodes: (last node, triangle after it, weighted length).

    Node -1 and a triangle: straight on; triangle -1: there is none.

    `turn` is even, and greater from search to search.
    """
    cost, _, through, seen, _, keys, queue = table
    of_start, of_goal, used = memory
    kind, places, first, triangles = ground.kind, nodes.places, nodes.first, nodes.triangles
    sx, sy, gx, gy = start[0], start[1], goal[0], goal[1]
    at_goal = _away_from(gx, gy, weights, ground, nodes, away, held, of_goal)
    for i in range(at_goal):
        is_goal[held[i]] = turn
    at_start = _away_from(sx, sy, weights, ground, nodes, away, held, of_start)
    last, final, best, size = -1, -1, math.inf, 0
    if at_goal == 0 or at_start == 0:
        return last, final, best
    _choose(of_start, of_goal, used)
    hint = (away, of_goal, used)
    for i in range(at_start):
        t = held[i]
        weight = weights[kind[t]]
        if is_goal[t] == turn and weight * length(gx - sx, gy - sy) < best:
            best, final = weight * length(gx - sx, gy - sy), t
        size = _relax(
            sx, sy, 0.0, -1, t, weight, gx, gy, least, best, turn, size, nodes, table, hint
        )
    while size > 0 and keys[0] < best:
        u = queue[0]
        size = pop(size, keys, queue)
        if seen[u] > turn:
            continue
        seen[u] = turn + 1  # done
        x, y, here = places[u, 0], places[u, 1], cost[u]
        for slot in range(first[u], first[u + 1]):
            t = triangles[slot]
            if t == through[u]:  # straight on through t is never longer
                continue
            weight = weights[kind[t]]
            if is_goal[t] == turn:
                there = here + weight * length(gx - x, gy - y)
                if there < best:
                    best, last, final = there, u, t
            size = _relax(
                x, y, here, u, t, weight, gx, gy, least, best, turn, size, nodes, table, hint
            )
    return last, final, best


@inner
def _choose(of_start, of_goal, used):
    """Landmarks that tell most about the way from start to goal: used (USED,)."""
    for i in range(USED):
        best, used[i] = -1.0, 0
        for k in range(len(of_start)):
            taken = False
            for j in range(i):
                taken = taken or used[j] == k
            tells = abs(of_start[k] - of_goal[k])
            if tells > best and not taken:
                best, used[i] = tells, k


@kernel
def _weigh(points, weights, ground):
    """Weighted length of a polyline; infinite where it meets a wall."""
    n = len(points) - 1
    lines, costs, stops = np.empty((n, 4)), np.empty(n), np.empty(n)
    lines[:, :2], lines[:, 2:] = points[:-1], points[1:]
    trace_lines(lines, weights, ground, np.zeros((n, len(weights))), costs, stops)
    for stop in stops:
        if stop != FREE:
            return math.inf
    return costs.sum()


@kernel
def _pulled(way, through, start, goal, weights, margin, ground, nodes):
    """A way over nodes, roughly pulled taut with a margin (m) off worse ground: points (n, 2).

    None where it cannot be laid out.
    """
    room = _room(way, nodes)
    ends = np.array([start[0], start[1], goal[0], goal[1]])
    passed, sides, share = np.empty(room + 1, np.int32), np.empty(room, np.int32), np.empty(room)
    lines, weight, work = np.empty((room, 4)), np.empty(room + 1), np.empty((5, room))
    chain = (passed, sides, share, lines, weight, work)
    spare = (
        np.empty(FAN + 1, np.int32), np.empty(FAN, np.int32), np.empty(FAN), np.empty((FAN, 4)),
        np.empty(FAN + 1), np.empty(4),
    )  # fmt: skip
    n = lay_out(way, through, ends, nodes, ground, passed, sides, share)
    if n < 0:
        return np.empty((0, 2))
    _fill(n, passed, sides, share, weights, 0.0, lines, weight, ground)
    n = _turn_to_better(n, weights, ground, chain, spare)
    _fill(n, passed, sides, share, weights, margin, lines, weight, ground)
    tighten(n, ends, lines, weight, share, work, ROUGH)
    out, costs = np.empty((n + 2, 2)), np.empty(n + 1)
    count = _write(n, ends, ground.points, ground.triangles, chain, out, costs)
    return out[: _straighten(count, out, costs, STRAIGHT, weights, ground)]


@kernel
def _best(way, through, start, goal, most, weights, margin, ground, nodes):
    """The route that a way over nodes becomes, (n, 2): with its margin where that costs little.

    What weighs less than `most` is good enough.
    """
    quick = _pulled(way, through, start, goal, weights, margin, ground, nodes)
    if len(quick) > 1 and _weigh(quick, weights, ground) < most:
        return quick
    best, off = refine(way, through, start, goal, weights, margin, ground, nodes)
    if len(off) > 1:
        limit = (1.0 + PRICE) * _weigh(best, weights, ground)
        if _weigh(off, weights, ground) <= limit:
            return off
    return best


@kernel
def _rates(along, paid, lengths, least):
    """Where the ground of a route changes: knots (k,), m along it, and weights between (k - 1,).

    Pieces along (m, 2), in the order of their beginnings, have weights paid (m,); of two that lie
    on a border the better one counts. Bends of the route, at `lengths`, are knots.
    """
    ends = np.sort(along.ravel())
    knots = np.empty(len(ends) + len(lengths))
    count, j = 0, 0
    for i in range(len(lengths)):
        while j < len(ends) and ends[j] < lengths[i] - SAME:
            if ends[j] > knots[count - 1] + SAME:
                knots[count] = ends[j]
                count += 1
            j += 1
        while j < len(ends) and ends[j] <= lengths[i] + SAME:
            j += 1
        knots[count] = lengths[i]
        count += 1
    rates = np.full(count - 1, math.inf)
    k = 0
    for i in range(len(along)):
        while k < count - 1 and 0.5 * (knots[k] + knots[k + 1]) < along[i, 0]:
            k += 1
        m = k
        while m < count - 1 and 0.5 * (knots[m] + knots[m + 1]) <= along[i, 1]:
            rates[m] = min(rates[m], paid[i])
            m += 1
    for k in range(count - 1):
        if rates[k] == math.inf:  # no piece: rounding
            rates[k] = least
    return knots[:count], rates


@kernel
def _record(points, weights, least, ground):
    """A route as the pool keeps it, (n + m, 4), and how many of it are points: see `Guides`."""
    lengths = np.zeros(len(points))
    for i in range(1, len(points)):
        lengths[i] = lengths[i - 1] + length(
            points[i, 0] - points[i - 1, 0], points[i, 1] - points[i - 1, 1]
        )
    triangle, along, _ = cut(points, lengths, ground)
    order = np.argsort(along[:, 0].copy(), kind="mergesort")
    triangle, along = triangle[order], along[order]
    m = len(triangle)
    paid = np.empty(m)
    for i in range(m):
        paid[i] = weights[ground.kind[triangle[i]]]
    knots, rates = _rates(along, paid, lengths, least)
    out = np.zeros((len(knots) + m, 4))
    out[0, 0], out[0, 1] = points[0, 0], points[0, 1]
    count, line, paid_so_far = 1, 0, 0.0
    for k in range(1, len(knots)):
        paid_so_far += rates[k - 1] * (knots[k] - knots[k - 1])
        is_bend = knots[k] >= lengths[line + 1]
        if is_bend or rates[k] != rates[k - 1]:
            share = (knots[k] - lengths[line]) / (lengths[line + 1] - lengths[line])
            share = 1.0 if is_bend else share
            for c in range(2):
                a, b = points[line, c], points[line + 1, c]
                out[count, c] = b if is_bend else a + share * (b - a)
            out[count, 2], out[count, 3] = knots[k], paid_so_far
            count += 1
        line = line + 1 if is_bend else line
    for i in range(m):
        out[count + i, 0], out[count + i, 1] = along[i, 0], along[i, 1]
        out[count + i, 2] = 2.0 * triangle[i]
    return out[: count + m], count


@kernel
def plan_routes(starts, goals, margin, weights, least, ground, nodes, away):
    """Plan routes from starts to goals (n, 2), m: rows of the pool (r, 4), and sizes (n, 2) int64.

    Sizes are how many points and pieces each has; 0: there is no way. They keep `margin` m off
    worse ground where there is room. `least` is the weight of the best ground, `away` what
    `landmarks` returned.
    """
    n, count = len(nodes.places), away.shape[1]
    table = (
        np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), np.zeros(n, np.int64),
        np.empty(n), np.empty(nodes.links + 8 * HOLDERS),
        np.empty(nodes.links + 8 * HOLDERS, np.int32),
    )  # fmt: skip
    memory = (np.empty(count), np.empty(count), np.empty(USED, np.int64))
    is_goal, held = np.zeros(len(ground.triangles), np.int64), np.empty(HOLDERS, np.int32)
    way = np.empty(n, np.int32)
    sizes = np.zeros((len(starts), 2), np.int64)
    rows, used = np.empty((256, 4)), 0
    for q in range(len(starts)):
        last, final, cost = _search(
            starts[q], goals[q], 2 * q + 2, weights, least, ground, nodes, away, is_goal, held,
            table, memory,
        )  # fmt: skip
        if final < 0:
            continue
        steps = read_back(last, table[1], way)
        through = np.empty(steps + 1, np.int32)
        for i in range(steps):
            through[i] = table[2][way[i]]
        through[steps] = final
        best = _best(
            way[:steps], through, starts[q], goals[q], DEAR * cost, weights, margin, ground, nodes
        )
        if len(best) < 2:
            continue
        record, points = _record(best, weights, least, ground)
        if len(record) == points:
            continue
        while used + len(record) > len(rows):
            rows = np.concatenate((rows, np.empty_like(rows)))
        rows[used : used + len(record)] = record
        used += len(record)
        sizes[q, 0], sizes[q, 1] = points, len(record) - points
    return rows[:used].copy(), sizes
