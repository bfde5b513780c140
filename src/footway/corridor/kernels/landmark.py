"""Distances from landmarks, for lower bounds (Goldberg and Harrelson, SODA 2005)."""

from __future__ import annotations

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel


@inner(inline=False)
def _distances_from(source, column, edges, offsets, out, length, table, keys, queue):
    """Dijkstra: write the distances from one vertex to all others to a column of `table`."""
    size = push(0.0, source, 0, keys, queue)
    table[source, column] = 0.0
    while size > 0:
        cost, v = keys[0], queue[0]
        size = pop(size, keys, queue)
        if cost > table[v, column]:
            continue
        for slot in range(offsets[v], offsets[v + 1]):
            half = out[slot]
            w, there = edges[half // 2, 1 - half % 2], cost + length[half // 2]
            if there < table[w, column]:
                table[w, column] = there
                size = push(there, w, size, keys, queue)


@kernel
def landmark_distances(edges, offsets, out, length, count):
    """Distances from each vertex to landmarks, (nv, count), for lower bounds.

    Each landmark is the vertex farthest from those before it. A vertex in another component than a
    landmark gets the distance 0, which gives a trivial bound.
    """
    n = len(offsets) - 1
    table = np.full((n, count), np.inf)
    nearest = np.full(n, np.inf)
    keys, queue = np.empty(len(out) + 1), np.empty(len(out) + 1, np.int32)
    source = 0
    for column in range(count):
        _distances_from(source, column, edges, offsets, out, length, table, keys, queue)
        farthest = -1.0
        for v in range(n):
            nearest[v] = min(nearest[v], table[v, column])
            if nearest[v] > farthest and (nearest[v] < np.inf or column % 2 == 1):
                farthest, source = nearest[v], v
        if column == 0:  # the first vertex was arbitrary: start from the one farthest from it
            for v in range(n):
                nearest[v] = np.inf
    for v in range(n):
        for column in range(count):
            if table[v, column] == np.inf:
                table[v, column] = 0.0
    return table
