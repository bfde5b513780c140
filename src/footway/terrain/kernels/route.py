"""Cheapest path over triangles, and shared parts of searches (miran-2013, section 4).

Nodes of the weighted dual graph are triangles, or the cells of a grid; an edge leads from the
centre of one over the shared side to the centre of the other, and costs its length, each part times
the weight of its terrain. Both searches are A*; the heuristic is the straight line on the best
terrain.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway.terrain.kernels.triangles import NEAR, cell_at, distance_squared

AT_START, AT_GOAL, DONE = 1, 2, 3  # roles of triangles in a search
HOLDERS = 64  # maximum number of triangles that contain one point: more than meet in a corner


@inner
def length(dx, dy):
    """Length of a vector; math.hypot guards against overflow, at several times the cost."""
    return math.sqrt(dx * dx + dy * dy)


@inner
def least_weight(weights, kind):
    """Least weight of any triangle."""
    least = math.inf
    for t in range(len(kind)):
        least = min(least, weights[kind[t]])
    return least


@inner
def holders(x, y, ground, out):
    """Write all triangles that contain a point, within rounding; return their number."""
    offsets, members, points, triangles = (
        ground.offsets, ground.members, ground.points, ground.triangles,
    )  # fmt: skip
    cell, count = cell_at(x, y, ground.box, ground.shape), 0
    if cell < 0:
        return 0
    for slot in range(offsets[cell], offsets[cell + 1]):
        t = members[slot]
        if distance_squared(x, y, t, points, triangles) <= NEAR * NEAR and count < len(out):
            out[count] = t
            count += 1
    return count


@inner
def _centre(t, points, triangles):
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    x = (points[a, 0] + points[b, 0] + points[c, 0]) / 3.0
    return x, (points[a, 1] + points[b, 1] + points[c, 1]) / 3.0


@inner
def _middle(t, k, points, triangles):
    """Middle of side k of triangle t."""
    a, b = triangles[t, k], triangles[t, (k + 1) % 3]
    return 0.5 * (points[a, 0] + points[b, 0]), 0.5 * (points[a, 1] + points[b, 1])


@inner
def read_back(last, before, out):
    """Write the nodes of a path from its first to `last`; return their number."""
    count, node = 0, last
    while node >= 0:
        out[count] = node
        count += 1
        node = before[node]
    for i in range(count // 2):
        out[i], out[count - 1 - i] = out[count - 1 - i], out[i]
    return count


@inner
def _search(sx, sy, gx, gy, weights, least, bound, size, ground, role, cost, before, keys, queue):
    """A* over triangles from those in the heap: last triangle of the path; -1: no path."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    kind = ground.kind
    while size > 0 and keys[0] < bound:
        t = queue[0]
        size = pop(size, keys, queue)
        if role[t] == AT_GOAL:
            return t
        if role[t] == DONE:
            continue
        x, y = _centre(t, points, triangles)
        if role[t] == AT_START:
            x, y = sx, sy
        role[t] = DONE
        for k in range(3):
            u = neighbours[t, k]
            if u < 0 or role[u] == DONE:
                continue
            mx, my = _middle(t, k, points, triangles)
            ux, uy = _centre(u, points, triangles)
            if role[u] == AT_GOAL:
                ux, uy = gx, gy
            there = cost[t] + weights[kind[t]] * length(mx - x, my - y)
            there += weights[kind[u]] * length(ux - mx, uy - my)
            if there < cost[u]:
                cost[u], before[u] = there, t
                size = push(there + least * length(gx - ux, gy - uy), u, size, keys, queue)
    return -1


@kernel
def search_triangles(start, goal, weights, bound, ground):
    """Triangles of the cheapest path over the dual graph, (n,) int32.

    Empty if there is no path with a weighted length below `bound`. `start` and `goal` (2,) m.
    """
    count, least = len(ground.triangles), least_weight(weights, ground.kind)
    cost = np.full(count, math.inf)
    role, before = np.zeros(count, np.int8), np.full(count, -1, np.int32)
    keys, queue = np.empty(3 * count + HOLDERS), np.empty(3 * count + HOLDERS, np.int32)
    held = np.empty(HOLDERS, np.int32)
    for i in range(holders(goal[0], goal[1], ground, held)):
        role[held[i]] = AT_GOAL
    size = 0
    for i in range(holders(start[0], start[1], ground, held)):
        t = held[i]
        if role[t] == AT_GOAL:  # both in one triangle
            return held[i : i + 1].copy()
        cost[t], role[t] = 0.0, AT_START
        key = least * length(goal[0] - start[0], goal[1] - start[1])
        size = push(key, t, size, keys, queue)
    last = _search(
        start[0], start[1], goal[0], goal[1], weights, least, bound, size, ground, role, cost,
        before, keys, queue,
    )  # fmt: skip
    way = np.empty(count, np.int32)
    return way[: read_back(last, before, way)].copy()


@kernel
def dual_path(start, goal, way, ground):
    """Points (n, 2) of a path of the dual graph: centres of triangles and of the sides between."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    out = np.empty((max(2, 2 * len(way) - 1), 2))
    out[0] = start
    for i in range(1, len(way)):
        t, u = way[i - 1], way[i]
        k = 0 if neighbours[t, 0] == u else (1 if neighbours[t, 1] == u else 2)
        out[2 * i - 1, 0], out[2 * i - 1, 1] = _middle(t, k, points, triangles)
        out[2 * i, 0], out[2 * i, 1] = _centre(u, points, triangles)
    out[-1] = goal
    return out
