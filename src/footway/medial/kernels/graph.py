"""Graphs of the medial axis: chains of pieces, connected components (SciPy is slow to import)."""

from __future__ import annotations

import numpy as np

from footway._numba.bins import group
from footway._numba.jit import inner, kernel


@kernel
def incidence(ends, n_vertices):
    """Pieces at each vertex in compressed rows: (offsets (nv + 1,), pieces (2 np,))."""
    offsets = np.zeros(n_vertices + 1, np.int64)
    at = np.empty(2 * len(ends), np.int64)
    group(ends.ravel(), offsets, at)
    return offsets, at // 2


@kernel
def chain_pieces(ends, n_vertices):
    """Join pieces (n, 2) into chains that end where the degree is not two.

    Returns the pieces in chain order (n,), whether each is walked forward (n,), and where each
    chain begins (chains + 1,). A ring without such a vertex is cut at one of its vertices.
    """
    n = len(ends)
    offsets, at = incidence(ends, n_vertices)
    order = np.empty(n, np.int64)
    forward = np.empty(n, np.bool_)
    starts = [0]
    used = np.zeros(n, np.bool_)
    count = 0
    for rings in range(2):  # first the chains between branch vertices, then the remaining rings
        for v in range(n_vertices):
            if rings == 0 and offsets[v + 1] - offsets[v] == 2:
                continue
            for slot in range(offsets[v], offsets[v + 1]):
                piece, here = at[slot], v
                if used[piece]:
                    continue
                while True:
                    used[piece] = True
                    order[count] = piece
                    forward[count] = ends[piece, 0] == here
                    count += 1
                    here = ends[piece, 1] if forward[count - 1] else ends[piece, 0]
                    if offsets[here + 1] - offsets[here] != 2 or (rings == 1 and here == v):
                        break
                    first = at[offsets[here]]
                    piece = at[offsets[here] + 1] if first == piece else first
                starts.append(count)
    return order, forward, np.array(starts)


@kernel
def components(links, size):
    """Label nodes by connected component, in the order of the first node of each.

    Args:
        links: (n, 2) int64 nodes that are joined.
        size: number of nodes.

    Returns:
        The number of components, and the label of each node, (size,) int64.
    """
    parent = np.arange(size)
    for k in range(len(links)):
        a, b = _root(parent, links[k, 0]), _root(parent, links[k, 1])
        parent[max(a, b)] = min(a, b)
    label = np.empty(size, np.int64)
    count = 0
    for node in range(size):
        if parent[node] == node:
            label[node] = count
            count += 1
        else:
            label[node] = label[parent[node]]  # a parent has a smaller number
    return count, label


@inner
def _root(parent, node):
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node
