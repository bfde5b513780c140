"""Cheapest path over nodes on the sides of triangles: A*, optionally with landmarks.

The distance of a node to the goal is at least the difference of their distances to a landmark
(Goldberg and Harrelson, 2005), a much better bound than a straight line over the best terrain.
Landmarks only save time; the path found does not depend on them, to the last bit: a node is
expanded again whenever its cost decreases, bounds are lowered by more than rounding errors, and of
paths with equal cost the one over the first nodes is chosen.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway.terrain.kernels.triangles import (
    FREE,
    NEAR,
    cell_at,
    distance_squared,
    locate,
    walk_line,
)


class Nodes(NamedTuple):
    """Nodes of a terrain: corners first, then points between them."""

    places: np.ndarray  # (n, 2) m
    corners: int  # number of corners
    offsets: np.ndarray  # (t + 1,) int32
    of_triangle: np.ndarray  # nodes on the border of each triangle: three corners, then the others
    first: np.ndarray  # (n + 1,) int32
    triangles: np.ndarray  # (..,) int32 triangles around each node
    links: int  # pairs of nodes that share a triangle, counted from both


@inner
def _name_corner(t, k, name, names, triangles, neighbours):
    """Assign a node to a corner of t and of all triangles connected to t around the corner.

    Walls that meet in a corner split it into several nodes, which are not connected.
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
    """Number all corners, and the points between them on all sides: (corners, nodes)."""
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
    """Create nodes: on each side one for every `gap` (m) of its length, at most `most`."""
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
def _search_dual(
    sx, sy, gx, gy, weights, least, bound, size, ground, role, cost, before, keys, queue
):
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
    last = _search_dual(
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


UNKNOWN = -2  # triangle of a cell that was not located yet
REACH = 2  # cells around the start and the goal in which a path over the grid may begin


@inner
def _cell_centre(cell, x0, y0, size, nx):
    return x0 + (cell % nx + 0.5) * size, y0 + (cell // nx + 0.5) * size


@inner
def _triangle(cell, x0, y0, size, nx, found, ground):
    """Triangle that contains the centre of a cell; -1: the disc does not fit there."""
    if found[cell] == UNKNOWN:
        x, y = _cell_centre(cell, x0, y0, size, nx)
        found[cell] = locate(x, y, ground)
    return found[cell]


@inner
def _around(x, y, x0, y0, size, nx, ny):
    """Ranges of the cells around a point."""
    i, j = int(math.floor((x - x0) / size)), int(math.floor((y - y0) / size))
    return max(0, i - REACH), min(nx, i + REACH + 1), max(0, j - REACH), min(ny, j + REACH + 1)


@inner(inline=False)
def _joins(x, y, x0, y0, size, nx, ny, weights, found, ground, out):
    """Write the weighted length from a point to the centre of each visible cell around it.

    out (cells,) is infinite elsewhere. Returns the triangle of the point.
    """
    start = locate(x, y, ground)
    i0, i1, j0, j1 = _around(x, y, x0, y0, size, nx, ny)
    for j in range(j0, j1):
        for i in range(i0, i1):
            cell = j * nx + i
            if start < 0 or _triangle(cell, x0, y0, size, nx, found, ground) < 0:
                continue
            mx, my = _cell_centre(cell, x0, y0, size, nx)
            cost, stop, _ = walk_line(x, y, mx, my, start, weights, ground)
            if stop == FREE:
                out[cell] = cost
    return start


@inner(inline=False)
def _cell_step(cell, to, x0, y0, size, nx, weights, found, ground):
    """Cost of the edge between two cells, half of it on the terrain of each; infinite: a wall."""
    t, u = found[cell], _triangle(to, x0, y0, size, nx, found, ground)
    if u < 0:
        return math.inf
    x, y = _cell_centre(cell, x0, y0, size, nx)
    mx, my = _cell_centre(to, x0, y0, size, nx)
    if t != u:
        _, stop, _ = walk_line(x, y, mx, my, t, weights, ground)
        if stop != FREE:
            return math.inf
    kind = ground.kind
    return 0.5 * length(mx - x, my - y) * (weights[kind[t]] + weights[kind[u]])


@inner
def _search_grid(gx, gy, x0, y0, size, nx, ny, weights, least, count, best, ground, table):
    """A* over cells from those in the heap: last cell of the path; -1: no path."""
    found, cost, before, done, ends, keys, queue = table
    last = -1
    while count > 0 and keys[0] < best:
        cell = queue[0]
        count = pop(count, keys, queue)
        if done[cell]:
            continue
        done[cell] = True
        if cost[cell] + ends[cell] < best:
            best, last = cost[cell] + ends[cell], cell
        i, j = cell % nx, cell // nx
        for v in range(max(0, j - 1), min(ny, j + 2)):
            for u in range(max(0, i - 1), min(nx, i + 2)):
                to = v * nx + u
                if done[to]:
                    continue
                there = cost[cell] + _cell_step(cell, to, x0, y0, size, nx, weights, found, ground)
                if there < cost[to]:
                    cost[to], before[to] = there, cell
                    mx, my = _cell_centre(to, x0, y0, size, nx)
                    key = there + least * length(gx - mx, gy - my)
                    count = push(key, to, count, keys, queue)
    return last


@kernel
def search_cells(start, goal, corner, size, nx, ny, weights, ground):
    """Points (n, 2) of the cheapest path over nx x ny cells of side `size` (m) from `corner` (2,).

    Start, centres of cells, goal; empty if there is no path.
    """
    cells, x0, y0 = nx * ny, corner[0], corner[1]
    found, cost = np.full(cells, UNKNOWN, np.int32), np.full(cells, math.inf)
    before, done = np.full(cells, -1, np.int32), np.zeros(cells, np.bool_)
    ends = np.full(cells, math.inf)
    keys, queue = np.empty(8 * cells + 64), np.empty(8 * cells + 64, np.int32)
    sx, sy, gx, gy = start[0], start[1], goal[0], goal[1]
    least = least_weight(weights, ground.kind)
    _joins(sx, sy, x0, y0, size, nx, ny, weights, found, ground, cost)
    _joins(gx, gy, x0, y0, size, nx, ny, weights, found, ground, ends)
    count = 0
    i0, i1, j0, j1 = _around(sx, sy, x0, y0, size, nx, ny)
    for j in range(j0, j1):
        for i in range(i0, i1):
            cell = j * nx + i
            if cost[cell] < math.inf:
                mx, my = _cell_centre(cell, x0, y0, size, nx)
                key = cost[cell] + least * length(gx - mx, gy - my)
                count = push(key, cell, count, keys, queue)
    table = (found, cost, before, done, ends, keys, queue)
    last = _search_grid(
        gx, gy, x0, y0, size, nx, ny, weights, least, count, math.inf, ground, table
    )
    if last < 0:
        return np.empty((0, 2))
    steps = read_back(last, before, queue)
    out = np.empty((steps + 2, 2))
    out[0], out[-1] = start, goal
    for i in range(steps):
        out[i + 1, 0], out[i + 1, 1] = _cell_centre(queue[i], x0, y0, size, nx)
    return out


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
