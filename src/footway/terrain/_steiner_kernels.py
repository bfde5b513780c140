"""The best way over points on the sides of triangles (Aleksandrov, Maheshwari and Sack, 2005).

Nodes are the corners of triangles and points between them on the sides; within a triangle every
node is joined to every other one by a straight line, which weighs its length times the weight of
the triangle's ground. So a way may follow a border on its better side.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._heap_kernels import pop, push
from footway._jit import inner, kernel
from footway.terrain._route_kernels import HOLDERS, holders, least_weight, length, read_back


class Nodes(NamedTuple):
    """Nodes of a ground: corners first, then points between them."""

    places: np.ndarray  # (n, 2) m
    corners: int  # how many nodes are corners
    offsets: np.ndarray  # (t + 1,) int32
    of_triangle: np.ndarray  # nodes on the border of each triangle: three corners, then the others
    first: np.ndarray  # (n + 1,) int32
    triangles: np.ndarray  # (..,) int32 triangles around each node
    links: int  # pairs of nodes that share a triangle, counted from both


@inner
def _name_corner(t, k, name, names, triangles, neighbours):
    """Give a name to a corner of t and of all triangles that are joined to t about the corner.

    Walls that meet in a corner divide it: nobody passes from one part to the other.
    """
    p = triangles[t, k]
    for way in range(2):
        now = t
        while now >= 0:
            j = 0 if triangles[now, 0] == p else (1 if triangles[now, 1] == p else 2)
            if names[now, j] == name and now != t:
                return
            names[now, j] = name
            now = neighbours[now, j if way == 0 else (j + 2) % 3]
            if now == t:
                return


@inner
def _name_all(gap, most, names, begins, counts, ground):
    """Name all corners, and the points between on all sides: (corners, nodes)."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    corners = 0
    for t in range(len(triangles)):
        for k in range(3):
            if names[t, k] < 0:
                _name_corner(t, k, corners, names, triangles, neighbours)
                corners += 1
    nodes = corners
    for t in range(len(triangles)):
        for k in range(3):
            u = neighbours[t, k]
            if u < t:
                continue
            p, q = triangles[t, k], triangles[t, (k + 1) % 3]
            side = length(points[q, 0] - points[p, 0], points[q, 1] - points[p, 1])
            count = min(most, int(side / gap))
            j = 0 if neighbours[u, 0] == t else (1 if neighbours[u, 1] == t else 2)
            begins[t, k] = begins[u, j] = nodes
            counts[t, k] = counts[u, j] = count
            nodes += count
    return corners, nodes


@kernel
def make_nodes(gap, most, ground):
    """Nodes of a ground: on each side one for every `gap` (m) of its length, at most `most`."""
    points, triangles = ground.points, ground.triangles
    size = len(triangles)
    names = np.full((size, 3), -1, np.int32)
    begins, counts = np.zeros((size, 3), np.int32), np.zeros((size, 3), np.int32)
    corners, nodes = _name_all(gap, most, names, begins, counts, ground)
    offsets = np.zeros(size + 1, np.int32)
    for t in range(size):
        offsets[t + 1] = offsets[t] + 3 + counts[t, 0] + counts[t, 1] + counts[t, 2]
    places = np.empty((nodes, 2))
    of_triangle = np.empty(offsets[-1], np.int32)
    first = np.zeros(nodes + 1, np.int32)
    links = 0
    for t in range(size):
        slot = offsets[t]
        links += (offsets[t + 1] - slot) ** 2
        for k in range(3):
            of_triangle[slot + k] = names[t, k]
            places[names[t, k]] = points[triangles[t, k]]
        slot += 3
        for k in range(3):
            a, b = points[triangles[t, k]], points[triangles[t, (k + 1) % 3]]
            for i in range(counts[t, k]):
                of_triangle[slot] = begins[t, k] + i
                share = (i + 1.0) / (counts[t, k] + 1.0)
                if ground.neighbours[t, k] > t:
                    places[begins[t, k] + i] = a + share * (b - a)
                slot += 1
    for node in of_triangle:
        first[node + 1] += 1
    first = np.cumsum(first).astype(np.int32)
    cursor = first[:-1].copy()
    around = np.empty(len(of_triangle), np.int32)
    for t in range(size):
        for slot in range(offsets[t], offsets[t + 1]):
            node = of_triangle[slot]
            around[cursor[node]] = t
            cursor[node] += 1
    return Nodes(places, corners, offsets, of_triangle, first, around, links)


@inner
def _relax(x, y, cost_here, node, t, weight, gx, gy, least, bound, size, nodes, table):
    """Try the ways through triangle t from a node at (x, y) to the others of t: size of heap."""
    places, offsets, members = nodes.places, nodes.offsets, nodes.of_triangle
    cost, before, through, done, keys, queue = table
    for slot in range(offsets[t], offsets[t + 1]):
        v = members[slot]
        spare = cost[v] - cost_here
        if spare <= 0.0:
            continue
        vx, vy = places[v, 0], places[v, 1]
        squared = weight * weight * ((vx - x) * (vx - x) + (vy - y) * (vy - y))
        if squared < spare * spare and not done[v]:  # a root only where it counts
            there = cost_here + math.sqrt(squared)
            key = there + least * length(gx - vx, gy - vy)
            if key < bound:
                cost[v], before[v], through[v] = there, node, t
                size = push(key, v, size, keys, queue)
    return size


@inner
def _search(gx, gy, weights, least, best, size, is_goal, kind, nodes, table):
    """A* over nodes from those in the heap: (last node, triangle after it, weighted length).

    A way straight through the first triangle, of weighted length `best`, has last node -1.
    """
    places, first, triangles = nodes.places, nodes.first, nodes.triangles
    cost, _, through, done, keys, queue = table
    last, final = -1, -1
    while size > 0 and keys[0] < best:
        u = queue[0]
        size = pop(size, keys, queue)
        if done[u]:
            continue
        done[u] = True
        x, y, here = places[u, 0], places[u, 1], cost[u]
        for slot in range(first[u], first[u + 1]):
            t = triangles[slot]
            if t == through[u]:  # straight on through t is never longer
                continue
            weight = weights[kind[t]]
            if is_goal[t]:
                there = here + weight * length(gx - x, gy - y)
                if there < best:
                    best, last, final = there, u, t
            size = _relax(x, y, here, u, t, weight, gx, gy, least, best, size, nodes, table)
    return last, final, best


@kernel
def search_nodes(start, goal, weights, ground, nodes):
    """Best way over nodes: its nodes and its triangles, int32.

    One triangle more than nodes: before the first, between them, and after the last. No triangles
    where there is no way.
    """
    least = least_weight(weights, ground.kind)
    count, size_ground = len(nodes.places), len(ground.triangles)
    cost, before = np.full(count, math.inf), np.empty(count, np.int32)
    through, done = np.empty(count, np.int32), np.zeros(count, np.bool_)
    keys, queue = np.empty(nodes.links + 8 * HOLDERS), np.empty(nodes.links + 8 * HOLDERS, np.int32)
    table = (cost, before, through, done, keys, queue)
    is_goal = np.zeros(size_ground, np.bool_)
    held = np.empty(HOLDERS, np.int32)
    gx, gy, sx, sy = goal[0], goal[1], start[0], start[1]
    for i in range(holders(gx, gy, ground, held)):
        is_goal[held[i]] = True
    size, best, only = 0, math.inf, -1
    for i in range(holders(sx, sy, ground, held)):
        t = held[i]
        weight = weights[ground.kind[t]]
        if is_goal[t] and weight * length(gx - sx, gy - sy) < best:
            best, only = weight * length(gx - sx, gy - sy), t
        size = _relax(sx, sy, 0.0, -1, t, weight, gx, gy, least, best, size, nodes, table)
    last, final, _ = _search(gx, gy, weights, least, best, size, is_goal, ground.kind, nodes, table)
    way = np.empty(count, np.int32)
    steps = read_back(last, before, way)
    if last < 0:
        final = only
    if final < 0:
        return way[:0].copy(), way[:0].copy()
    passed = np.empty(steps + 1, np.int32)
    for i in range(steps):
        passed[i] = through[way[i]]
    passed[steps] = final
    return way[:steps].copy(), passed


@inner
def corner_of(t, p, triangles):
    """Which corner of triangle t is point p."""
    return 0 if triangles[t, 0] == p else (1 if triangles[t, 1] == p else 2)


@inner(inline=False)
def fan(t, last, p, way, at, passed, sides, triangles, neighbours):
    """Write the triangles after t up to `last` around corner p, and the sides crossed; the end.

    Way 0 is clockwise, 1 counterclockwise. Writes passed[at + 1 ..], sides[at ..]; returns the
    index of `last` in `passed`, or -1 where a wall is in the way.
    """
    now = t
    while now != last:
        k = corner_of(now, p, triangles)
        k = k if way == 0 else (k + 2) % 3
        now = neighbours[now, k]
        if now < 0 or now == t or at + 2 >= len(passed):
            return -1
        sides[at] = k
        at += 1
        passed[at] = now
    return at


@inner
def _across(ax, ay, vx, vy, bx, by):
    """Which way round v the lines va and vb have less than half a turn between them."""
    return 0 if (ax - vx) * (by - vy) - (ay - vy) * (bx - vx) < 0.0 else 1


@inner(inline=False)
def lay_out(way, through, ends, nodes, ground, passed, sides, share):
    """Crossings of a way over nodes: how many; passed (n + 1,), sides and share (n,) are written.

    A way through a corner crosses all sides around it, where it turns less.
    """
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    places = nodes.places
    n = 0
    passed[0] = through[0]
    for i in range(len(way)):
        node, t, u = way[i], through[i], through[i + 1]
        x, y = places[node, 0], places[node, 1]
        if node >= nodes.corners:
            k = 0 if neighbours[t, 0] == u else (1 if neighbours[t, 1] == u else 2)
            p, q = triangles[t, k], triangles[t, (k + 1) % 3]
            whole = length(points[q, 0] - points[p, 0], points[q, 1] - points[p, 1])
            sides[n], share[n] = k, length(x - points[p, 0], y - points[p, 1]) / whole
            n += 1
            passed[n] = u
            continue
        slot = nodes.offsets[t]
        k = (
            0
            if nodes.of_triangle[slot] == node
            else (1 if nodes.of_triangle[slot + 1] == node else 2)
        )
        p = triangles[t, k]
        ax, ay = ends[0], ends[1]
        bx, by = ends[2], ends[3]
        if i > 0:
            ax, ay = places[way[i - 1], 0], places[way[i - 1], 1]
        if i + 1 < len(way):
            bx, by = places[way[i + 1], 0], places[way[i + 1], 1]
        turn = _across(ax, ay, x, y, bx, by)
        end = fan(t, u, p, turn, n, passed, sides, triangles, neighbours)
        if end < 0:
            end = fan(t, u, p, 1 - turn, n, passed, sides, triangles, neighbours)
        if end < 0:
            return -1
        for j in range(n, end):
            share[j] = 0.0 if triangles[passed[j], sides[j]] == p else 1.0
        n = end
    return n
