"""Searches over the nodes of a terrain for many characters that share their preferences.

The result is that of `kernels/search.search`, to the last bit: the same nodes, links and rule for
paths of equal cost. It takes about half of the time, because the cost of each link is computed once
for all searches, links that cannot matter are left out, what a search knows about a node is one
row of memory, and the bounds of all landmarks are compared at once, as whole numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway.terrain.kernels.search import (
    HOLDERS,
    SURE,
    TerrainGraph,
    find_distances,
    find_holders,
)
from footway.terrain.kernels.triangles import cost_of

CLEARLY = 1e-6  # m: more than the rounding error of the cost of a path
UNITS = 2.0**28  # whole numbers for the greatest distance from a landmark
DOUBT = 64  # units: more than the rounding errors of a bound, of distances in float32 too

# Columns of `LinkWorkspace.known`.
COST, LEFT = range(2)
# Columns of `LinkWorkspace.arrival`.
BEFORE, THROUGH = range(2)


class Links(NamedTuple):
    """Links from each node to the nodes that share a triangle with it."""

    first: np.ndarray  # (n + 1,) int32, those of node u are first[u] to first[u + 1] - 1
    to: np.ndarray  # (m,) int32
    through: np.ndarray  # (m,) int32, triangle
    cost: np.ndarray  # (m,) weighted length


class Bounds(NamedTuple):
    """Weighted lengths from landmarks to all nodes, as whole numbers of a unit."""

    unit: float
    away: np.ndarray  # (n, landmarks) int32


class LinkWorkspace(NamedTuple):
    """Memory of searches over links, which may share it."""

    known: np.ndarray  # (n, 2) least known cost, infinite before a search; bound of that to go
    arrival: np.ndarray  # (n, 2) int32, previous node (-1: the start), and triangle
    touched: np.ndarray  # (n,) int32, nodes that the search reached
    is_near_goal: np.ndarray  # (n,) whether a triangle of the goal holds the node
    is_goal: np.ndarray  # (t,) whether a triangle holds the goal
    keys: np.ndarray  # (capacity,) of the heap
    queue: np.ndarray  # (capacity,) int32, nodes of the heap
    path: np.ndarray  # (n,) int32, see `read_links`
    passed: np.ndarray  # (n + 1,) int32
    at_start: np.ndarray  # (HOLDERS,) int32, triangles that contain the start
    at_goal: np.ndarray  # (HOLDERS,) int32
    of_goal: np.ndarray  # (landmarks,) cost from the landmarks to the goal
    units: np.ndarray  # (landmarks,) int32, the same in units of `Bounds`


@kernel
def make_links(weights, mesh, nodes):
    """Compute the links of all nodes.

    Of two links to one node, through two triangles, the costlier one is left out.
    """
    n = len(nodes.places)
    first = np.zeros(n + 1, np.int32)
    to, through = np.empty(nodes.links, np.int32), np.empty(nodes.links, np.int32)
    cost = np.empty(nodes.links)
    count = 0
    for u in range(n):
        begin = count
        for slot in range(nodes.first[u], nodes.first[u + 1]):
            t = nodes.triangles[slot]
            for member in range(nodes.offsets[t], nodes.offsets[t + 1]):
                v = nodes.of_triangle[member]
                if v == u:
                    continue
                dx = nodes.places[v, 0] - nodes.places[u, 0]
                dy = nodes.places[v, 1] - nodes.places[u, 1]
                there = _cost_of_link(dx, dy, mesh.kind[t], weights, mesh)
                known = _find_link(v, there, begin, count, to, cost)
                if known < 0:
                    known, count = count, count + 1
                elif there >= cost[known]:
                    continue
                to[known], through[known], cost[known] = v, t, there
        first[u + 1] = count
    return Links(first, to[:count].copy(), through[:count].copy(), cost[:count].copy())


@inner
def _cost_of_link(dx, dy, kind, weights, mesh):
    """Cost of a link, in the order of operations of `kernels/search`."""
    rise = mesh.rise[kind, 0] * dx + mesh.rise[kind, 1] * dy
    return math.sqrt(weights[kind] * weights[kind] * (dx * dx + dy * dy + rise * rise))


@inner
def _find_link(v, cost, begin, end, to, costs):
    """Return a link to v that a link of this cost replaces or that replaces it; -1: none.

    Costs that differ only by rounding may be equal as parts of paths: both links are kept then,
    and the first of two equal ones.
    """
    for k in range(begin, end):
        if to[k] == v and (costs[k] == cost or abs(costs[k] - cost) > CLEARLY):
            return k
    return -1


@kernel
def make_bounds(away):
    """Return the `Bounds` of weighted lengths (n, landmarks) from landmarks to nodes."""
    greatest = 1e-3
    for v in range(len(away)):
        for k in range(away.shape[1]):
            greatest = max(greatest, float(away[v, k]))
    unit = greatest / UNITS
    units = np.empty(away.shape, np.int32)
    for v in range(len(away)):
        for k in range(away.shape[1]):
            units[v, k] = int(away[v, k] / unit)
    return Bounds(unit, units)


@kernel
def make_link_workspace(graph):
    """Allocate the memory of searches over links."""
    n, capacity = len(graph.nodes.places), graph.nodes.links + 8 * HOLDERS
    landmarks = graph.away.shape[1]
    return LinkWorkspace(
        np.full((n, 2), math.inf), np.empty((n, 2), np.int32), np.empty(n, np.int32),
        np.zeros(n, np.bool_), np.zeros(len(graph.mesh.triangles), np.bool_), np.empty(capacity),
        np.empty(capacity, np.int32), np.empty(n, np.int32), np.empty(n + 1, np.int32),
        np.empty(HOLDERS, np.int32), np.empty(HOLDERS, np.int32), np.empty(landmarks),
        np.empty(landmarks, np.int32),
    )  # fmt: skip


@inner
def _bound(v, bounds, work):
    """Lower bound of the cost from a node to the goal, by the triangle inequality."""
    away, units, most = bounds.away, work.units, np.int32(0)
    for k in range(away.shape[1]):
        most = max(most, np.int32(abs(away[v, k] - units[k])))
    bound = max(0, most - DOUBT) * bounds.unit
    return bound - SURE * (1.0 + bound)


@inner
def _relax(v, there, node, t, best, count, size, bounds, work):
    """Relax a link to v at this cost: new numbers of touched nodes and of the heap."""
    known, arrival = work.known, work.arrival
    cost = known[v, COST]
    if there < cost:
        if cost == math.inf:
            known[v, LEFT] = _bound(v, bounds, work)
        if there + known[v, LEFT] <= best and size < len(work.keys):
            if cost == math.inf:
                work.touched[count] = v
                count += 1
            known[v, COST], arrival[v, BEFORE], arrival[v, THROUGH] = there, node, t
            size = push(there + known[v, LEFT], v, size, work.keys, work.queue)
    elif there == cost and there < math.inf:
        before = arrival[v, BEFORE]
        if node < before or (node == before and t < arrival[v, THROUGH]):
            arrival[v, BEFORE], arrival[v, THROUGH] = node, t
    return count, size


@inner
def _mark_goal(count, value, nodes, work):
    """Mark the triangles of the goal and their nodes, or remove the marks."""
    for i in range(count):
        t = work.at_goal[i]
        work.is_goal[t] = value
        for slot in range(nodes.offsets[t], nodes.offsets[t + 1]):
            work.is_near_goal[nodes.of_triangle[slot]] = value


@inner(inline=False)
def search_links(start, goal, links, bounds, graph, work):
    """Cheapest path: as `kernels/search.search`, with the costs of all links known.

    `bounds` are those of the landmarks in `graph.away`.
    """
    kind, nodes, weights, mesh = graph.mesh.kind, graph.nodes, graph.weights, graph.mesh
    keys, known, queue = work.keys, work.known, work.queue
    sx, sy, gx, gy = start[0], start[1], goal[0], goal[1]
    goals = find_distances(gx, gy, graph, work.at_goal, work.of_goal)
    starts = find_holders(sx, sy, mesh, work.at_start)
    last, final, best, size, count = -1, -1, math.inf, 0, 0
    if starts == 0 or goals == 0:
        return last, final, best
    for k in range(len(work.of_goal)):
        work.units[k] = int(work.of_goal[k] / bounds.unit)
    _mark_goal(goals, True, nodes, work)
    for i in range(starts):
        t = work.at_start[i]
        straight = cost_of(gx - sx, gy - sy, kind[t], weights, mesh)
        if work.is_goal[t] and straight < best:
            best, final = straight, t
        for slot in range(nodes.offsets[t], nodes.offsets[t + 1]):
            v = nodes.of_triangle[slot]
            dx, dy = nodes.places[v, 0] - sx, nodes.places[v, 1] - sy
            there = 0.0 + _cost_of_link(dx, dy, kind[t], weights, mesh)
            count, size = _relax(v, there, -1, t, best, count, size, bounds, work)
    while size > 0 and keys[0] <= best:
        u, key = queue[0], keys[0]
        size = pop(size, keys, queue)
        here = known[u, COST]
        if key > here + known[u, LEFT]:  # outdated entry: it was reached at a lower cost since
            continue
        if work.is_near_goal[u]:
            x, y = nodes.places[u, 0], nodes.places[u, 1]
            for slot in range(nodes.first[u], nodes.first[u + 1]):
                t = nodes.triangles[slot]
                if not work.is_goal[t]:
                    continue
                there = here + cost_of(gx - x, gy - y, kind[t], weights, mesh)
                is_first = there == best and (u < last or (u == last and t < final))
                if there < best or is_first:
                    best, last, final = there, u, t
        for k in range(links.first[u], links.first[u + 1]):
            v = links.to[k]
            there = here + links.cost[k]
            if there > known[v, COST]:
                continue
            t = links.through[k]
            count, size = _relax(v, there, u, t, best, count, size, bounds, work)
    for i in range(count):
        known[work.touched[i], COST] = math.inf
    _mark_goal(goals, False, nodes, work)
    return last, final, best


@kernel
def distances_from(goal, weights, mesh, nodes, links):
    """Weighted length from a goal to every node, (nodes, 1) float32; 0: no path."""
    n = len(nodes.places)
    graph = TerrainGraph(mesh, weights, 0.0, nodes, np.zeros((n, 0), np.float32))
    work, size = make_link_workspace(graph), 0
    cost, keys, queue = np.full(n, math.inf), work.keys, work.queue
    for i in range(find_holders(goal[0], goal[1], mesh, work.at_goal)):
        t = work.at_goal[i]
        for slot in range(nodes.offsets[t], nodes.offsets[t + 1]):
            v = nodes.of_triangle[slot]
            dx, dy = nodes.places[v, 0] - goal[0], nodes.places[v, 1] - goal[1]
            there = cost_of(dx, dy, mesh.kind[t], weights, mesh)
            if there < cost[v]:
                cost[v] = there
                size = push(there, v, size, keys, queue)
    while size > 0:
        u, here = queue[0], keys[0]
        size = pop(size, keys, queue)
        if here > cost[u]:
            continue
        for k in range(links.first[u], links.first[u + 1]):
            there = here + links.cost[k]
            if there < cost[links.to[k]]:
                cost[links.to[k]] = there
                size = push(there, links.to[k], size, keys, queue)
    away = np.zeros((n, 1), np.float32)
    for v in range(n):
        if cost[v] < math.inf:
            away[v, 0] = cost[v]
    return away


@inner
def read_links(last, final, work):
    """Write the nodes of a path and the triangles around them: as `kernels/search.read_path`."""
    path, passed, count, node, t = work.path, work.passed, 0, last, final
    passed[0] = final
    while node >= 0:
        if work.arrival[node, THROUGH] != t:
            t = work.arrival[node, THROUGH]
            path[count], passed[count + 1] = node, t
            count += 1
        node = work.arrival[node, BEFORE]
    for i in range(count // 2):
        path[i], path[count - 1 - i] = path[count - 1 - i], path[i]
    for i in range((count + 1) // 2):
        passed[i], passed[count - i] = passed[count - i], passed[i]
    return count
