"""Connected components of a graph. SciPy has them too, but it is slow to import."""

from __future__ import annotations

import numpy as np

from footway._numba.jit import inner, kernel


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
