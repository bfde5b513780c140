"""Cheapest path over nodes on the sides of triangles: A*, optionally with landmarks.

The distance of a node to the goal is at least the difference of their distances to a landmark
(Goldberg and Harrelson, 2005), a much better bound than a straight line over the best terrain.
Landmarks only save time; the path found does not depend on them, to the last bit: a node is
expanded again whenever its cost decreases, bounds are lowered by more than rounding errors, and of
paths with equal cost the one over the first nodes is chosen.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway.terrain.kernels.route import HOLDERS, holders, least_weight, length

USED = 3  # landmarks used by one search: those with the best bounds for its start
SURE = 1e-9  # relative, and m: more than the rounding error of sums of lengths
SINGLE = 2.0**-23  # the same for float32


@inner
def _away_from(x, y, weights, ground, nodes, away, held, out):
    """Write the weighted length from the landmarks to a point, out (count,); its triangles."""
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
    """Write the landmarks with the best bounds from start to goal; return their number."""
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
    """Lower bound of the weighted length from node v at (x, y) to the goal."""
    most = least * length(gx - x, gy - y)
    for i in range(count):
        k = used[i]
        a, b = away[v, k], of_goal[k]
        most = max(most, abs(a - b) - SINGLE * (a + b))
    return most - SURE * (1.0 + most)


@inner
def _relax(x, y, here, node, t, weight, gx, gy, least, best, turn, size, nodes, table, hint):
    """Relax the links through triangle t from a node at (x, y): new size of the heap."""
    places, offsets, members = nodes.places, nodes.offsets, nodes.of_triangle
    cost, before, through, seen, left, keys, queue = table
    count, away, of_goal, used = hint
    for slot in range(offsets[t], offsets[t + 1]):
        v = members[slot]
        vx, vy = places[v, 0], places[v, 1]
        if seen[v] != turn:  # first reached by this search
            seen[v], cost[v] = turn, math.inf
            left[v] = _bound(v, vx, vy, gx, gy, least, count, away, of_goal, used)
        spare = cost[v] - here
        squared = weight * weight * ((vx - x) * (vx - x) + (vy - y) * (vy - y))
        if spare <= 0.0 or squared > (spare + SURE) * (spare + SURE):  # avoids square roots
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
    """Cheapest path over nodes: (last node, triangle after it, weighted length).

    Node -1 and a triangle: a straight line; triangle -1: no path, and `table` has the costs of all
    reachable nodes. `least` is the weight of the best terrain; `turn` is positive and unique for
    each search with the same `table`.
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
        if key > here + left[u]:  # outdated entry: it was reached at a lower cost since
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
    """Write the nodes of a path and the triangles around them; return the number of nodes.

    Nodes are dropped if the path stays in its triangle.
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
    """Allocate the memory of searches per node, and their heap."""
    n, room = len(nodes.places), nodes.links + 8 * HOLDERS
    return (
        np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), np.zeros(n, np.int64),
        np.empty(n), np.empty(room), np.empty(room, np.int32),
    )  # fmt: skip


@kernel
def make_memory(ground, away):
    """Allocate the memory of searches for start and goal."""
    count = away.shape[1]
    return (
        np.zeros(len(ground.triangles), np.int64), np.empty(HOLDERS, np.int32), np.empty(count),
        np.empty(count), np.empty(USED, np.int64),
    )  # fmt: skip


@kernel
def search_nodes(start, goal, weights, ground, nodes, away):
    """Cheapest path over nodes: its nodes and triangles, int32, and its weighted length.

    There is one triangle more than nodes: before the first, between them, and after the last; none
    if there is no path. `away` is the result of `landmarks`, or has no columns.
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
    """Weighted length from each of `count` landmarks to every node, (nodes, count); 0: no path.

    All are in the largest component, each at the node farthest from the previous ones.
    """
    n, nowhere = len(nodes.places), ground.box[:2] - 1.0
    none, away = np.zeros((n, 0), np.float32), np.zeros((n, count), np.float32)
    table, memory = make_table(nodes), make_memory(ground, none)
    cost, seen, near = table[0], table[3], np.full(n, math.inf)
    turn, most, at = 0, 0, 0
    for v in range(n):
        if seen[v] == 0:  # in another component
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
