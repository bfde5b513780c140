"""The best way over nodes on the sides of triangles: A*, with landmarks where there are any.

No way from a node to the goal is shorter than the difference of their distances to a landmark
(Goldberg and Harrelson, 2005), and that is much more than a straight line over the best ground
tells. Landmarks only save time. The way that is found does not depend on them, to the last bit: a
node is looked at again whenever its cost gets less, bounds are lowered by more than rounding, and
of ways that cost the same the one over the first nodes counts.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway.terrain.kernels.route import HOLDERS, holders, least_weight, length

USED = 3  # landmarks that one search looks at: those that tell most about its start
SURE = 1e-9  # share of a length, and m: more than sums of lengths are off by rounding
SINGLE = 2.0**-23  # the same share for numbers of 32 bits


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
def _choose(of_start, of_goal, used):
    """Write the landmarks that tell most about the way from start to goal; how many."""
    count = min(len(used), len(of_start))
    for i in range(count):
        best = -1.0
        for k in range(len(of_start)):
            taken = False
            for j in range(i):
                taken = taken or used[j] == k
            tells = abs(of_start[k] - of_goal[k])
            if tells > best and not taken:
                best, used[i] = tells, k
    return count


@inner
def _bound(v, x, y, gx, gy, least, count, away, of_goal, used):
    """Weighted length that is left from node v at (x, y) to the goal, at the least."""
    most = least * length(gx - x, gy - y)
    for i in range(count):
        k = used[i]
        a, b = away[v, k], of_goal[k]
        most = max(most, abs(a - b) - SINGLE * (a + b))
    return most - SURE * (1.0 + most)


@inner
def _relax(x, y, here, node, t, weight, gx, gy, least, best, turn, size, nodes, table, hint):
    """Try the ways through triangle t from a node at (x, y) to the others of t: size of heap."""
    places, offsets, members = nodes.places, nodes.offsets, nodes.of_triangle
    cost, before, through, seen, left, keys, queue = table
    count, away, of_goal, used = hint
    for slot in range(offsets[t], offsets[t + 1]):
        v = members[slot]
        vx, vy = places[v, 0], places[v, 1]
        if seen[v] != turn:  # first met by this search
            seen[v], cost[v] = turn, math.inf
            left[v] = _bound(v, vx, vy, gx, gy, least, count, away, of_goal, used)
        spare = cost[v] - here
        squared = weight * weight * ((vx - x) * (vx - x) + (vy - y) * (vy - y))
        if spare <= 0.0 or squared > (spare + SURE) * (spare + SURE):  # a root where it counts
            continue
        there = here + math.sqrt(squared)
        if there < cost[v] and there + left[v] <= best and size < len(keys):
            cost[v], before[v], through[v] = there, node, t
            size = push(there + left[v], v, size, keys, queue)
        elif there == cost[v] and (node < before[v] or (node == before[v] and t < through[v])):
            before[v], through[v] = node, t
    return size


@inner(inline=False)
def search(start, goal, turn, weights, least, ground, nodes, away, table, memory):
    """Best way over nodes: (last node, triangle after it, weighted length).

    Node -1 and a triangle: straight on; triangle -1: there is none, and all nodes that can be
    reached have been: `table` has their costs, and which they are. `least` is the weight of the
    best ground, `turn` is greater than 0, and another one for each search with the same `table`.
    """
    cost, _, _, _, left, keys, queue = table
    is_goal, held, of_start, of_goal, used = memory
    kind, places, first, triangles = ground.kind, nodes.places, nodes.first, nodes.triangles
    sx, sy, gx, gy = start[0], start[1], goal[0], goal[1]
    at_goal = _away_from(gx, gy, weights, ground, nodes, away, held, of_goal)
    for i in range(at_goal):
        is_goal[held[i]] = turn
    at_start = _away_from(sx, sy, weights, ground, nodes, away, held, of_start)
    last, final, best, size = -1, -1, math.inf, 0
    hint = (_choose(of_start, of_goal, used), away, of_goal, used)
    for i in range(at_start):
        t = held[i]
        weight = weights[kind[t]]
        if is_goal[t] == turn and weight * length(gx - sx, gy - sy) < best:
            best, final = weight * length(gx - sx, gy - sy), t
        size = _relax(
            sx, sy, 0.0, -1, t, weight, gx, gy, least, best, turn, size, nodes, table, hint
        )
    while size > 0 and keys[0] <= best:
        u, key = queue[0], keys[0]
        size = pop(size, keys, queue)
        here = cost[u]
        if key > here + left[u]:  # it was reached for less since
            continue
        x, y = places[u, 0], places[u, 1]
        for slot in range(first[u], first[u + 1]):
            t = triangles[slot]
            weight = weights[kind[t]]
            if is_goal[t] == turn:
                there = here + weight * length(gx - x, gy - y)
                is_first = there == best and (u < last or (u == last and t < final))
                if there < best or is_first:
                    best, last, final = there, u, t
            size = _relax(
                x, y, here, u, t, weight, gx, gy, least, best, turn, size, nodes, table, hint
            )
    return last, final, best


@inner
def read_way(last, final, table, way, passed):
    """Write the nodes of a way and the triangles before, between and after them; how many nodes.

    Nodes are left out where the way stays in its triangle.
    """
    before, through = table[1], table[2]
    count, node, t = 0, last, final
    passed[0] = final
    while node >= 0:
        if through[node] != t:
            t = through[node]
            way[count], passed[count + 1] = node, t
            count += 1
        node = before[node]
    for i in range(count // 2):
        way[i], way[count - 1 - i] = way[count - 1 - i], way[i]
    for i in range((count + 1) // 2):
        passed[i], passed[count - i] = passed[count - i], passed[i]
    return count


@kernel
def make_table(nodes):
    """Memory of searches for each node, and their heap."""
    n, room = len(nodes.places), nodes.links + 8 * HOLDERS
    return (
        np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), np.zeros(n, np.int64),
        np.empty(n), np.empty(room), np.empty(room, np.int32),
    )  # fmt: skip


@kernel
def make_memory(ground, away):
    """Memory of searches for their ends."""
    count = away.shape[1]
    return (
        np.zeros(len(ground.triangles), np.int64), np.empty(HOLDERS, np.int32), np.empty(count),
        np.empty(count), np.empty(USED, np.int64),
    )  # fmt: skip


@kernel
def search_nodes(start, goal, weights, ground, nodes, away):
    """Best way over nodes: its nodes and its triangles, int32, and its weighted length.

    One triangle more than nodes: before the first, between them, and after the last. No triangles
    where there is no way. `away` is what `landmarks` returned, or has no columns.
    """
    table, memory = make_table(nodes), make_memory(ground, away)
    least = least_weight(weights, ground.kind)
    last, final, cost = search(start, goal, 1, weights, least, ground, nodes, away, table, memory)
    n = len(nodes.places)
    way, passed = np.empty(n, np.int32), np.empty(n + 1, np.int32)
    if final < 0:
        return way[:0].copy(), passed[:0].copy(), cost
    steps = read_way(last, final, table, way, passed)
    return way[:steps].copy(), passed[: steps + 1].copy(), cost


@kernel
def landmarks(count, weights, ground, nodes):
    """Weighted length from each of `count` landmarks to every node, (nodes, count); 0: no way.

    All are in the largest part of the ground, each at the node that is farthest from those before.
    """
    n, nowhere = len(nodes.places), ground.box[:2] - 1.0
    none, away = np.zeros((n, 0), np.float32), np.zeros((n, count), np.float32)
    table, memory = make_table(nodes), make_memory(ground, none)
    cost, seen, near = table[0], table[3], np.full(n, math.inf)
    turn, most, at = 0, 0, 0
    for v in range(n):
        if seen[v] == 0:  # in a part of its own
            turn += 1
            search(nodes.places[v], nowhere, turn, weights, 0.0, ground, nodes, none, table, memory)
            size = np.sum(seen == turn)
            if size > most:
                most, at = size, int(np.argmax(np.where(seen == turn, cost, 0.0)))
    for k in range(count):
        turn += 1
        search(nodes.places[at], nowhere, turn, weights, 0.0, ground, nodes, none, table, memory)
        farthest = -1.0
        for v in range(n):
            if seen[v] == turn:
                away[v, k], near[v] = cost[v], min(near[v], cost[v])
                if near[v] > farthest:
                    farthest, at = near[v], v
    return away
