"""The shortest backbone through each edge of the map, in the order of length."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway.corridor.kernels.tangents import SLACK

if TYPE_CHECKING:
    from footway.arrays import Floats


class Tree(NamedTuple):
    """Shortest backbones of a disc from a place on an edge to all vertices."""

    edge: int
    parts: Floats  # (2,) m along the edge to its first and last vertex; infinite: too narrow
    cost: Floats  # (nv,) m; infinite: not reachable
    arrival: Any  # (nv,) half-edge by which the backbone arrives; -1 for none


@kernel
def grow_tree(edge, parts, radius, graph):
    """Return the `Tree` of a place on an edge (Dijkstra), which is not followed as a whole."""
    n = len(graph.offsets) - 1
    cost, arrival = np.full(n, math.inf), np.full(n, -1)
    keys, queue = np.empty(len(graph.out) + 2), np.empty(len(graph.out) + 2, np.int64)
    size = 0
    for end in range(2):
        if parts[end] < math.inf:
            size = push(parts[end], 2 * edge + 1 - end, size, keys, queue)
    while size > 0:
        here, half = keys[0], queue[0]
        size = pop(size, keys, queue)
        v = graph.edges[half // 2, 1 - half % 2]
        if arrival[v] >= 0:
            continue
        cost[v], arrival[v] = here, half
        for slot in range(graph.offsets[v], graph.offsets[v + 1]):
            out = graph.out[slot]
            is_open = graph.clearance[out // 2] >= radius - SLACK and out // 2 != edge
            if is_open and arrival[graph.edges[out // 2, 1 - out % 2]] < 0:
                size = push(here + graph.length[out // 2], out, size, keys, queue)
    return Tree(edge, parts, cost, arrival)


@kernel
def sort_by_length(start, goal, radius, graph):
    """Half-edges by the length of the shortest backbone through them; those without are left out.

    `start` and `goal` are the trees of both ends.
    """
    total = np.full(2 * len(graph.edges), math.inf)
    for half in range(len(total)):
        edge = half // 2
        if graph.clearance[edge] >= radius - SLACK:
            first, last = graph.edges[edge, half % 2], graph.edges[edge, 1 - half % 2]
            total[half] = start.cost[first] + graph.length[edge] + goal.cost[last]
    order = np.argsort(total, kind="mergesort")
    return order[: np.sum(total < math.inf)].copy()


@inner
def _write_backbone(half, start, goal, graph, marks, out):
    """Write the half-edges of the backbone through one: how many; 0 if it has a loop.

    marks[v] is the half-edge of the last backbone that passed vertex v.
    """
    edges, n, v = graph.edges, 0, graph.edges[half // 2, half % 2]
    if start.edge == goal.edge or half // 2 == start.edge or half // 2 == goal.edge:
        return 0
    while v >= 0:  # back to the start
        marks[v], out[n] = half, start.arrival[v]
        v = -1 if out[n] // 2 == start.edge else edges[out[n] // 2, out[n] % 2]
        n += 1
    for k in range(n // 2):
        out[k], out[n - 1 - k] = out[n - 1 - k], out[k]
    out[n] = half
    n, v = n + 1, edges[half // 2, 1 - half % 2]
    while v >= 0:  # on to the goal
        if marks[v] == half:
            return 0
        marks[v], out[n] = half, goal.arrival[v] ^ 1
        v = -1 if out[n] // 2 == goal.edge else edges[out[n] // 2, 1 - out[n] % 2]
        n += 1
    return n


@kernel
def next_backbone(at, order, different, taken, start, goal, graph, marks, out):
    """Write the next backbone with this share outside the edges taken: (half-edges, next place).

    From place `at` of `order` on; 0 half-edges if there is none.
    """
    for place in range(at, len(order)):
        n = _write_backbone(order[place], start, goal, graph, marks, out)
        outside, whole = 0.0, 0.0
        for k in range(n):
            length = graph.length[out[k] // 2]
            if k == 0:
                length = start.parts[1 - out[k] % 2]
            elif k == n - 1:
                length = goal.parts[out[k] % 2]
            whole += length
            outside += 0.0 if taken[out[k] // 2] else length
        if n > 0 and outside >= different * max(whole, SLACK):
            return n, place + 1
    return 0, len(order)
