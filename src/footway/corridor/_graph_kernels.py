"""Array kernels that turn the axis into a graph for searching."""

from __future__ import annotations

import numpy as np

from footway._jit import inner, kernel
from footway.corridor._heap_kernels import pop, push


@kernel
def strip_trees(edges, offsets, out):
    """Peel dead ends until only cycles and the ways between them are left.

    Returns which edges remain (ne,), and for each vertex that was peeled off the half-edge that
    leads toward what remains (nv,), -1 for the others.
    """
    n = len(offsets) - 1
    degree = offsets[1:] - offsets[:-1]
    is_core = np.ones(len(edges), np.bool_)
    up = np.full(n, -1, np.int64)
    stack = np.empty(n, np.int64)
    for first in range(n):
        stack[0] = first
        height = 1
        while height > 0:
            height -= 1
            v = stack[height]
            if degree[v] != 1:
                continue
            for slot in range(offsets[v], offsets[v + 1]):
                half = out[slot]
                if not is_core[half // 2]:
                    continue
                is_core[half // 2] = False
                up[v] = half
                w = edges[half // 2, 1 - half % 2]
                degree[v] -= 1
                degree[w] -= 1
                if degree[w] == 1:
                    stack[height] = w
                    height += 1
                break
    return is_core, up


@kernel
def widest_forest(edges, clearance, order, n_vertices):
    """Join vertices by edges from the widest to the narrowest, small trees under large ones.

    Returns for each vertex its parent (itself at a root), the clearance and the edge of the join.
    No path compression: the heights stay logarithmic, and the clearances fall toward the root.
    """
    parent = np.arange(n_vertices)
    weight = np.full(n_vertices, -1.0)
    by = np.full(n_vertices, -1, np.int64)
    size = np.ones(n_vertices, np.int64)
    for e in order:
        a, b = edges[e, 0], edges[e, 1]
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a == b:
            continue
        if size[a] > size[b]:
            a, b = b, a
        parent[a] = b
        weight[a] = clearance[e]
        by[a] = e
        size[b] += size[a]
    return parent, weight, by


@kernel
def bead_strings(offsets, at_left, at_right):
    """For each half-edge, the points that come into play on either side, in order of its events.

    A point is listed when it first appears; -1 marks an event inside a straight wall.
    """
    n = len(offsets) - 1
    starts = np.zeros(2 * n + 1, np.int64)
    total = 2 * len(at_left) * 2
    beads = np.empty((total, 3), np.int32)
    count = 0
    for half in range(2 * n):
        e, backward = half // 2, half % 2 == 1
        first, last = offsets[e], offsets[e + 1] - 1
        on_left, on_right = np.int32(-1), np.int32(-1)
        for k in range(last - first + 1):
            i = last - k if backward else first + k
            left = at_right[i] if backward else at_left[i]
            right = at_left[i] if backward else at_right[i]
            if left >= 0 and left != on_left:
                beads[count, 0], beads[count, 1], beads[count, 2] = left, 0, i
                count += 1
                on_left = left
            if right >= 0 and right != on_right:
                beads[count, 0], beads[count, 1], beads[count, 2] = right, 1, i
                count += 1
                on_right = right
        starts[half + 1] = count
    return starts, beads[:count].copy()


@inner(inline=False)
def _distances_from(source, column, edges, offsets, out, length, table, keys, queue):
    """Dijkstra: length of the shortest way from one vertex to all others, into a column."""
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
    """Lengths of the ways from each vertex to landmarks, (nv, count), for lower bounds.

    Each landmark is a vertex as far as possible from those before it. A vertex in another part of
    the map than a landmark has the distance 0, which says nothing.
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
        if column == 0:  # the first vertex was any; begin with the one farthest from it
            for v in range(n):
                nearest[v] = np.inf
    for v in range(n):
        for column in range(count):
            if table[v, column] == np.inf:
                table[v, column] = 0.0
    return table
