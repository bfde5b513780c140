"""Build the search graph of the medial axis."""

from __future__ import annotations

import numpy as np

from footway._numba.jit import kernel
from footway.corridor.kernels.layouts import EVENT, POINT, SIDE


@kernel
def strip_trees(edges, offsets, out):
    """Remove dead ends repeatedly until only the core is left: cycles and edges between them.

    Returns which edges are in the core (ne,), and for each removed vertex the half-edge that leads
    toward the core (nv,); -1 for the others.
    """
    n = len(offsets) - 1
    degree = offsets[1:] - offsets[:-1]
    is_core = np.ones(len(edges), np.bool_)
    up = np.full(n, -1, np.int64)
    for first in range(n):
        v = first
        while degree[v] == 1:  # removing its edge may turn the next vertex into a dead end
            slot = offsets[v]
            while not is_core[out[slot] // 2]:
                slot += 1
            half = out[slot]
            is_core[half // 2] = False
            up[v] = half
            degree[v] -= 1
            v = edges[half // 2, 1 - half % 2]
            degree[v] -= 1
    return is_core, up


@kernel
def widest_forest(edges, clearance, order, n_vertices):
    """Join vertices by edges from the widest to the narrowest, smaller trees under larger ones.

    Returns for each vertex its parent (itself at a root), the clearance and the edge of the join.
    No path compression: heights stay logarithmic, and clearances decrease toward the root.
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
def corner_sequences(offsets, at_left, at_right):
    """List for each half-edge the points that bound a path on either side, in order of its events.

    A point is listed when it first appears; events with point -1 (interior of a wall) are skipped.
    """
    n = len(offsets) - 1
    starts = np.zeros(2 * n + 1, np.int64)
    total = 2 * len(at_left) * 2
    points = np.empty((total, 3), np.int32)
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
                points[count, POINT], points[count, SIDE], points[count, EVENT] = left, 0, i
                count += 1
                on_left = left
            if right >= 0 and right != on_right:
                points[count, POINT], points[count, SIDE], points[count, EVENT] = right, 1, i
                count += 1
                on_right = right
        starts[half + 1] = count
    return starts, points[:count].copy()
