"""Searches over a terrain: A* over nodes on the sides of triangles, triangles, or cells of a grid.

Nodes are the corners of triangles and points between them on the sides (Aleksandrov, Maheshwari and
Sack, 2005); within a triangle every node is joined to every other one by a straight line, whose
cost is its length times the weight of the triangle's terrain. So a path may follow a border on its
better side.

The distance of a node to the goal is at least the difference of their distances to a landmark
(Goldberg and Harrelson, 2005), a much better bound than a straight line over the best terrain.
Landmarks only save time; the path found does not depend on them, to the last bit: a node is
expanded again whenever its cost decreases, bounds are lowered by more than rounding errors, and of
paths with equal cost the one over the first nodes is chosen.

The searches over triangles and cells are those of miran-2013, section 4: an edge leads from the
centre of one to the centre of the next and costs its length, each part times the weight of its
terrain. The heuristic is the straight line on the best terrain.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._numba.bins import group
from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway.terrain.kernels.triangles import (
    FREE,
    NEAR,
    cell_at,
    centre_of,
    corner_of,
    cost_of,
    distance_squared,
    locate,
    rate,
    trace,
)

AT_START, AT_GOAL, DONE = 1, 2, 3  # roles of triangles in a search
HOLDERS = 64  # maximum number of triangles that contain one point: more than meet in a corner
UNKNOWN = -2  # triangle of a cell that was not located yet
JOINED = 2  # cells around the start and the goal in which a path over the grid may begin
USED = 3  # landmarks used by one search: those with the best bounds for its start
SURE = 1e-9  # relative, and m: more than the rounding error of sums of lengths
SINGLE = 2.0**-23  # the same for float32


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
def find_holders(x, y, mesh, out):
    """Write all triangles that contain a point, within rounding; return their number."""
    cell, count = cell_at(x, y, mesh.box, mesh.shape), 0
    if cell < 0:
        return 0
    for slot in range(mesh.offsets[cell], mesh.offsets[cell + 1]):
        t = mesh.members[slot]
        if distance_squared(x, y, t, mesh) <= NEAR * NEAR and count < len(out):
            out[count] = t
            count += 1
    return count


@inner
def _read_back(last, before, out):
    """Write the nodes of a path from its first to `last`; return their number."""
    count, node = 0, last
    while node >= 0:
        out[count] = node
        count += 1
        node = before[node]
    for i in range(count // 2):
        out[i], out[count - 1 - i] = out[count - 1 - i], out[i]
    return count


# Nodes -------------------------------------------------------------------------------------------


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
def _number_corner(t, k, number, numbers, triangles, neighbours):
    """Assign a node to a corner of t and of all triangles connected to t around the corner.

    Walls that meet in a corner split it into several nodes, which are not connected.
    """
    p = triangles[t, k]
    for clockwise in range(2):
        now = t
        while now >= 0:
            j = corner_of(now, p, triangles)
            if numbers[now, j] == number and now != t:
                return
            numbers[now, j] = number
            now = neighbours[now, (j + 2) % 3 if clockwise else j]
            if now == t:
                return


@kernel
def make_nodes(gap, most, mesh):
    """Create nodes: on each side one for every `gap` (m) of its length, at most `most`."""
    points, triangles, neighbours = mesh.points, mesh.triangles, mesh.neighbours
    size = len(triangles)
    numbers = np.full((size, 3), -1, np.int32)  # nodes of the corners
    begins, counts = np.zeros((size, 3), np.int32), np.zeros((size, 3), np.int32)  # of the sides
    corners = 0
    for t in range(size):
        for k in range(3):
            if numbers[t, k] < 0:
                _number_corner(t, k, corners, numbers, triangles, neighbours)
                corners += 1
    nodes = corners
    for t in range(size):
        for k in range(3):
            u = neighbours[t, k]
            if u < t:
                continue
            p, q = triangles[t, k], triangles[t, (k + 1) % 3]
            side = length(points[q, 0] - points[p, 0], points[q, 1] - points[p, 1])
            j = corner_of(u, t, neighbours)
            begins[t, k] = begins[u, j] = nodes
            counts[t, k] = counts[u, j] = min(most, int(side / gap))
            nodes += counts[t, k]
    offsets = np.zeros(size + 1, np.int32)
    for t in range(size):
        offsets[t + 1] = offsets[t] + 3 + counts[t, 0] + counts[t, 1] + counts[t, 2]
    places = np.empty((nodes, 2))
    of_triangle = np.empty(offsets[-1], np.int32)
    owner = np.empty(offsets[-1], np.int32)  # triangle of each entry of `of_triangle`
    first = np.zeros(nodes + 1, np.int32)
    links = 0
    for t in range(size):
        slot = offsets[t]
        links += (offsets[t + 1] - slot) ** 2
        owner[slot : offsets[t + 1]] = t
        for k in range(3):
            of_triangle[slot + k] = numbers[t, k]
            places[numbers[t, k]] = points[triangles[t, k]]
        slot += 3
        for k in range(3):
            a, b = points[triangles[t, k]], points[triangles[t, (k + 1) % 3]]
            for i in range(counts[t, k]):
                of_triangle[slot] = begins[t, k] + i
                share = (i + 1.0) / (counts[t, k] + 1.0)
                if neighbours[t, k] > t:
                    places[begins[t, k] + i] = a + share * (b - a)
                slot += 1
    around = np.empty(len(of_triangle), np.int32)
    group(of_triangle, first, around)
    around = owner[around]
    return Nodes(places, corners, offsets, of_triangle, first, around, links)


class TerrainGraph(NamedTuple):
    """What a search over nodes reads."""

    mesh: NamedTuple
    weights: np.ndarray  # (k,) of the kinds of terrain
    least: float  # weight of the best terrain
    nodes: Nodes
    away: np.ndarray  # (n, landmarks) float32, see `landmarks`; no columns: without landmarks


class SearchWorkspace(NamedTuple):
    """Memory of searches over nodes, which may share it."""

    cost: np.ndarray  # (n,) least known cost of each node
    before: np.ndarray  # (n,) int32, previous node; -1: the start
    through: np.ndarray  # (n,) int32, triangle through which it was reached
    seen: np.ndarray  # (n,) number of the last search that reached it
    left: np.ndarray  # (n,) lower bound of the cost to the goal
    keys: np.ndarray  # (capacity,) of the heap
    queue: np.ndarray  # (capacity,) int32, nodes of the heap
    path: np.ndarray  # (n,) int32, see `read_path`
    passed: np.ndarray  # (n + 1,) int32
    is_goal: np.ndarray  # (t,) number of the last search whose goal each triangle contains
    held: np.ndarray  # (HOLDERS,) int32, triangles that contain a point
    of_start: np.ndarray  # (landmarks,) cost to the start
    of_goal: np.ndarray  # (landmarks,) cost to the goal
    used: np.ndarray  # (USED,) landmarks of the search


@kernel
def make_workspace(graph):
    """Allocate the memory of searches."""
    n, capacity = len(graph.nodes.places), graph.nodes.links + 8 * HOLDERS
    landmarks = graph.away.shape[1]
    return SearchWorkspace(
        np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), np.zeros(n, np.int64),
        np.empty(n), np.empty(capacity), np.empty(capacity, np.int32), np.empty(n, np.int32),
        np.empty(n + 1, np.int32), np.zeros(len(graph.mesh.triangles), np.int64),
        np.empty(HOLDERS, np.int32), np.empty(landmarks), np.empty(landmarks),
        np.empty(USED, np.int64),
    )  # fmt: skip


@inner
def find_distances(x, y, graph, held, out):
    """Write the weighted length from the landmarks to a point, out (count,), and its triangles.

    Returns the number of triangles.
    """
    nodes, away = graph.nodes, graph.away
    out[:] = math.inf
    found = find_holders(x, y, graph.mesh, held)
    for i in range(found):
        t = held[i]
        kind = graph.mesh.kind[t]
        for slot in range(nodes.offsets[t], nodes.offsets[t + 1]):
            v = nodes.of_triangle[slot]
            dx, dy = nodes.places[v, 0] - x, nodes.places[v, 1] - y
            part = cost_of(dx, dy, kind, graph.weights, graph.mesh)
            for k in range(len(out)):
                out[k] = min(out[k], away[v, k] + part)
    return found


@inner
def _choose_landmarks(of_start, of_goal, used):
    """Write the landmarks with the best bounds from start to goal; return their number."""
    count = min(len(used), len(of_start))
    for i in range(count):
        best = -1.0
        for k in range(len(of_start)):
            taken = False
            for j in range(i):
                taken = taken or used[j] == k
            bound = abs(of_start[k] - of_goal[k])
            if bound > best and not taken:
                best, used[i] = bound, k
    return count


@inner
def _relax(x, y, here, node, t, goal, best, number, size, landmarks, graph, work):
    """Relax the links through triangle t from a node at (x, y): new size of the heap."""
    places, members = graph.nodes.places, graph.nodes.of_triangle
    cost, before, through, seen, left = work.cost, work.before, work.through, work.seen, work.left
    kind = graph.mesh.kind[t]
    weight = graph.weights[kind]
    rise_x, rise_y = graph.mesh.rise[kind, 0], graph.mesh.rise[kind, 1]
    for slot in range(graph.nodes.offsets[t], graph.nodes.offsets[t + 1]):
        v = members[slot]
        vx, vy = places[v, 0], places[v, 1]
        if seen[v] != number:  # first reached by this search
            seen[v], cost[v] = number, math.inf
            most = graph.least * length(goal[0] - vx, goal[1] - vy)
            for i in range(landmarks):
                a, b = graph.away[v, work.used[i]], work.of_goal[work.used[i]]
                most = max(most, abs(a - b) - SINGLE * (a + b))
            left[v] = most - SURE * (1.0 + most)
        spare = cost[v] - here
        rise = rise_x * (vx - x) + rise_y * (vy - y)
        squared = weight * weight * ((vx - x) * (vx - x) + (vy - y) * (vy - y) + rise * rise)
        if spare <= 0.0 or squared > (spare + SURE) * (spare + SURE):  # avoids square roots
            continue
        there = here + math.sqrt(squared)
        if there < cost[v] and there + left[v] <= best and size < len(work.keys):
            cost[v], before[v], through[v] = there, node, t
            size = push(there + left[v], v, size, work.keys, work.queue)
        elif there == cost[v] and (node < before[v] or (node == before[v] and t < through[v])):
            before[v], through[v] = node, t
    return size


@inner(inline=False)
def search(start, goal, number, graph, work):
    """Cheapest path over nodes: (last node, triangle after it, weighted length).

    Node -1 and a triangle: a straight line; triangle -1: no path, and the workspace has the costs
    of all reachable nodes. `number` is positive and unique for each search with one workspace.
    """
    kind, nodes, weights = graph.mesh.kind, graph.nodes, graph.weights
    keys, is_goal, held = work.keys, work.is_goal, work.held
    sx, sy, gx, gy = start[0], start[1], goal[0], goal[1]
    for i in range(find_distances(gx, gy, graph, held, work.of_goal)):
        is_goal[held[i]] = number
    at_start = find_distances(sx, sy, graph, held, work.of_start)
    last, final, best, size = -1, -1, math.inf, 0
    landmarks = _choose_landmarks(work.of_start, work.of_goal, work.used)
    for i in range(at_start):
        t = held[i]
        straight = cost_of(gx - sx, gy - sy, kind[t], weights, graph.mesh)
        if is_goal[t] == number and straight < best:
            best, final = straight, t
        size = _relax(sx, sy, 0.0, -1, t, goal, best, number, size, landmarks, graph, work)
    while size > 0 and keys[0] <= best:
        u, key = work.queue[0], keys[0]
        size = pop(size, keys, work.queue)
        here = work.cost[u]
        if key > here + work.left[u]:  # outdated entry: it was reached at a lower cost since
            continue
        x, y = nodes.places[u, 0], nodes.places[u, 1]
        for slot in range(nodes.first[u], nodes.first[u + 1]):
            t = nodes.triangles[slot]
            if is_goal[t] == number:
                there = here + cost_of(gx - x, gy - y, kind[t], weights, graph.mesh)
                is_first = there == best and (u < last or (u == last and t < final))
                if there < best or is_first:
                    best, last, final = there, u, t
            size = _relax(x, y, here, u, t, goal, best, number, size, landmarks, graph, work)
    return last, final, best


@inner
def read_path(last, final, work):
    """Write the nodes of a path and the triangles around them; return the number of nodes.

    Nodes are dropped if the path stays in its triangle.
    """
    path, passed, count, node, t = work.path, work.passed, 0, last, final
    passed[0] = final
    while node >= 0:
        if work.through[node] != t:
            t = work.through[node]
            path[count], passed[count + 1] = node, t
            count += 1
        node = work.before[node]
    for i in range(count // 2):
        path[i], path[count - 1 - i] = path[count - 1 - i], path[i]
    for i in range((count + 1) // 2):
        passed[i], passed[count - i] = passed[count - i], passed[i]
    return count


@kernel
def search_nodes(start, goal, weights, mesh, nodes, away):
    """Cheapest path over nodes: its nodes and triangles, int32, and its weighted length.

    There is one triangle more than nodes: before the first, between them, and after the last; none
    if there is no path. `away` is the result of `landmarks`, or has no columns.
    """
    graph = TerrainGraph(mesh, weights, least_weight(weights, mesh.kind), nodes, away)
    work = make_workspace(graph)
    last, final, cost = search(start, goal, 1, graph, work)
    if final < 0:
        return work.path[:0].copy(), work.passed[:0].copy(), cost
    steps = read_path(last, final, work)
    return work.path[:steps].copy(), work.passed[: steps + 1].copy(), cost


@kernel
def landmarks(count, weights, mesh, nodes):
    """Weighted length from each of `count` landmarks to every node, (nodes, count); 0: no path.

    All are in the largest component, each at the node farthest from the previous ones.
    """
    n, nowhere = len(nodes.places), mesh.box[:2] - 1.0
    graph = TerrainGraph(mesh, weights, 0.0, nodes, np.zeros((n, 0), np.float32))
    away, work, near = np.zeros((n, count), np.float32), make_workspace(graph), np.full(n, math.inf)
    cost, seen = work.cost, work.seen
    number, most, at = 0, 0, 0
    for v in range(n):
        if seen[v] == 0:  # in another component
            number += 1
            search(nodes.places[v], nowhere, number, graph, work)
            size = np.sum(seen == number)
            if size > most:
                most, at = size, int(np.argmax(np.where(seen == number, cost, 0.0)))
    for k in range(count):
        number += 1
        search(nodes.places[at], nowhere, number, graph, work)
        farthest = -1.0
        for v in range(n):
            if seen[v] == number:
                away[v, k], near[v] = cost[v], min(near[v], cost[v])
                if near[v] > farthest:
                    farthest, at = near[v], v
    return away


# Triangles ---------------------------------------------------------------------------------------


@inner
def _middle(t, k, mesh):
    """Middle of side k of triangle t."""
    points, a, b = mesh.points, mesh.triangles[t, k], mesh.triangles[t, (k + 1) % 3]
    return 0.5 * (points[a, 0] + points[b, 0]), 0.5 * (points[a, 1] + points[b, 1])


@kernel
def search_triangles(start, goal, weights, bound, mesh):
    """Triangles of the cheapest path over the dual graph, (n,) int32.

    Empty if there is no path with a weighted length below `bound`. `start` and `goal` (2,) m.
    """
    neighbours, kind = mesh.neighbours, mesh.kind
    count, least = len(mesh.triangles), least_weight(weights, kind)
    sx, sy, gx, gy = start[0], start[1], goal[0], goal[1]
    cost = np.full(count, math.inf)
    role, before = np.zeros(count, np.int8), np.full(count, -1, np.int32)
    keys, queue = np.empty(3 * count + HOLDERS), np.empty(3 * count + HOLDERS, np.int32)
    held = np.empty(HOLDERS, np.int32)
    for i in range(find_holders(gx, gy, mesh, held)):
        role[held[i]] = AT_GOAL
    size = 0
    for i in range(find_holders(sx, sy, mesh, held)):
        t = held[i]
        if role[t] == AT_GOAL:  # both in one triangle
            return held[i : i + 1].copy()
        cost[t], role[t] = 0.0, AT_START
        size = push(least * length(gx - sx, gy - sy), t, size, keys, queue)
    last = -1
    while size > 0 and keys[0] < bound:
        t = queue[0]
        size = pop(size, keys, queue)
        if role[t] == AT_GOAL:
            last = t
            break
        if role[t] == DONE:
            continue
        x, y = (sx, sy) if role[t] == AT_START else centre_of(t, mesh)
        role[t] = DONE
        for k in range(3):
            u = neighbours[t, k]
            if u < 0 or role[u] == DONE:
                continue
            mx, my = _middle(t, k, mesh)
            ux, uy = (gx, gy) if role[u] == AT_GOAL else centre_of(u, mesh)
            there = cost[t] + cost_of(mx - x, my - y, kind[t], weights, mesh)
            there += cost_of(ux - mx, uy - my, kind[u], weights, mesh)
            if there < cost[u]:
                cost[u], before[u] = there, t
                size = push(there + least * length(gx - ux, gy - uy), u, size, keys, queue)
    path = np.empty(count, np.int32)
    return path[: _read_back(last, before, path)].copy()


@kernel
def dual_path(start, goal, path, mesh):
    """Points (n, 2) of a path of the dual graph: centres of triangles and of the sides between."""
    out = np.empty((max(2, 2 * len(path) - 1), 2))
    out[0] = start
    for i in range(1, len(path)):
        t, u = path[i - 1], path[i]
        k = corner_of(t, u, mesh.neighbours)
        out[2 * i - 1, 0], out[2 * i - 1, 1] = _middle(t, k, mesh)
        out[2 * i, 0], out[2 * i, 1] = centre_of(u, mesh)
    out[-1] = goal
    return out


# Cells of a grid ---------------------------------------------------------------------------------
# Lines between cells are traced over the triangles, so that none crosses a thin wall.


class Cells(NamedTuple):
    """A grid of cells, numbered row by row."""

    x: float  # m, lower left corner
    y: float
    size: float  # m, side of a cell
    columns: int
    rows: int


@inner
def _cell_centre(cell, cells):
    x = cells.x + (cell % cells.columns + 0.5) * cells.size
    return x, cells.y + (cell // cells.columns + 0.5) * cells.size


@inner
def _triangle_of(cell, cells, found, mesh):
    """Triangle that contains the centre of a cell; -1: the disc does not fit there."""
    if found[cell] == UNKNOWN:
        x, y = _cell_centre(cell, cells)
        found[cell] = locate(x, y, mesh)
    return found[cell]


@inner
def _around(x, y, cells):
    """Columns and rows of the cells around a point: first, end, first, end."""
    i = int(math.floor((x - cells.x) / cells.size))
    j = int(math.floor((y - cells.y) / cells.size))
    return (
        max(0, i - JOINED),
        min(cells.columns, i + JOINED + 1),
        max(0, j - JOINED),
        min(cells.rows, j + JOINED + 1),
    )


@inner(inline=False)
def _join(x, y, cells, weights, found, mesh, out):
    """Write the weighted length from a point to the centre of each visible cell around it.

    out (cells,) is infinite elsewhere.
    """
    start = locate(x, y, mesh)
    i0, i1, j0, j1 = _around(x, y, cells)
    for j in range(j0, j1):
        for i in range(i0, i1):
            cell = j * cells.columns + i
            if start < 0 or _triangle_of(cell, cells, found, mesh) < 0:
                continue
            mx, my = _cell_centre(cell, cells)
            cost, stop, _ = trace(x, y, mx, my, start, weights, None, mesh)
            if stop == FREE:
                out[cell] = cost


@inner(inline=False)
def _step_cost(cell, to, cells, weights, found, mesh):
    """Cost of the edge between two cells, half of it on the terrain of each; infinite: a wall."""
    t, u = found[cell], _triangle_of(to, cells, found, mesh)
    if u < 0:
        return math.inf
    x, y = _cell_centre(cell, cells)
    mx, my = _cell_centre(to, cells)
    if t != u and trace(x, y, mx, my, t, weights, None, mesh)[1] != FREE:
        return math.inf
    size = length(mx - x, my - y)
    ux, uy = (mx - x) / size, (my - y) / size
    both = rate(mesh.kind[t], ux, uy, weights, mesh)
    both += rate(mesh.kind[u], ux, uy, weights, mesh)
    return 0.5 * size * both


@kernel
def search_cells(start, goal, cells, weights, mesh):
    """Points (n, 2) of the cheapest path over the cells of a grid with eight neighbours each.

    Start, centres of cells, goal; empty if there is no path.
    """
    n, columns, rows = cells.columns * cells.rows, cells.columns, cells.rows
    found, cost = np.full(n, UNKNOWN, np.int32), np.full(n, math.inf)
    before, done, ends = np.full(n, -1, np.int32), np.zeros(n, np.bool_), np.full(n, math.inf)
    keys, queue = np.empty(8 * n + 64), np.empty(8 * n + 64, np.int32)
    gx, gy, least = goal[0], goal[1], least_weight(weights, mesh.kind)
    _join(start[0], start[1], cells, weights, found, mesh, cost)
    _join(gx, gy, cells, weights, found, mesh, ends)
    size, best, last = 0, math.inf, -1
    i0, i1, j0, j1 = _around(start[0], start[1], cells)
    for j in range(j0, j1):
        for i in range(i0, i1):
            cell = j * columns + i
            if cost[cell] < math.inf:
                mx, my = _cell_centre(cell, cells)
                key = cost[cell] + least * length(gx - mx, gy - my)
                size = push(key, cell, size, keys, queue)
    while size > 0 and keys[0] < best:
        cell = queue[0]
        size = pop(size, keys, queue)
        if done[cell]:
            continue
        done[cell] = True
        if cost[cell] + ends[cell] < best:
            best, last = cost[cell] + ends[cell], cell
        i, j = cell % columns, cell // columns
        for v in range(max(0, j - 1), min(rows, j + 2)):
            for u in range(max(0, i - 1), min(columns, i + 2)):
                to = v * columns + u
                if done[to]:
                    continue
                there = cost[cell] + _step_cost(cell, to, cells, weights, found, mesh)
                if there < cost[to]:
                    cost[to], before[to] = there, cell
                    mx, my = _cell_centre(to, cells)
                    key = there + least * length(gx - mx, gy - my)
                    size = push(key, to, size, keys, queue)
    if last < 0:
        return np.empty((0, 2))
    steps = _read_back(last, before, queue)
    out = np.empty((steps + 2, 2))
    out[0], out[-1] = start, goal
    for i in range(steps):
        out[i + 1, 0], out[i + 1, 1] = _cell_centre(queue[i], cells)
    return out
