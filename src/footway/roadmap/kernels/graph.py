"""Kernels of RRM*: useful nodes and useful edges (rrm-roadmaps-2006, section III).

A growing graph is stored as linked lists: `first` (n,) holds the latest half-edge of each node,
`after` (h,) the previous half-edge of the same node, `to` (h,) the node that a half-edge leads to,
`length` (h,) its length; -1 for none. Half-edges 2e and 2e + 1 belong to edge e. Places are rows
x, y, z in lattice units; lengths are in cells.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.heap import pop as _pop
from footway._numba.heap import push as _push
from footway._numba.jit import inner, kernel
from footway.roadmap.kernels.space import segment_is_free


@kernel
def best_place(ways, sights, is_probe, saving):
    """Return the place that shortens the paths between nodes and probes most, and by how much.

    A path through a place enters it from a visible node, or starts at a visible probe, and leaves
    it in the same way.

    Args:
        ways: (n, n) lengths of the shortest paths between nodes and probes.
        sights: (c, n) distance of each place to each node and probe that it sees, else infinite.
        is_probe: (n,) paths start and end at probes, but do not pass through them.
        saving: (c,) saving of each place at its last evaluation, infinite before the first. It is
            nearly always an upper bound of the current saving, so only the leading places are
            evaluated again; updated.

    """
    checked = np.zeros(len(saving), np.bool_)
    to_place = np.empty(len(ways))
    while True:
        best = np.argmax(saving)
        if checked[best]:
            return best, saving[best]
        saving[best] = _saving(best, ways, sights, is_probe, to_place)
        checked[best] = True


@kernel
def sight_lengths(places, nodes, space):
    """Return the distance of each place (c, 3) to each node (n, 3), infinite if hidden: (c, n)."""
    out = np.full((len(places), len(nodes)), np.inf)
    for p in range(len(places)):
        for v in range(len(nodes)):
            if _sees(places, p, nodes, v, space):
                out[p, v] = _apart(places, p, nodes, v)
    return out


@kernel
def useful_edges(pairs, lengths, usefulness, n):
    """Return the pairs that are K-useful edges when added from the shortest to the longest.

    A pair is added if the path between its nodes along earlier edges is longer than `usefulness`
    times its length, or if there is no path (algorithm 2, definition 3).

    Args:
        pairs: (p, 2) mutually visible nodes, by increasing length.
        lengths: (p,).
        usefulness: the paper's K.
        n: number of nodes.

    Returns:
        Whether each pair is useful, (p,).

    """
    p = len(pairs)
    first = np.full(n, -1, np.int64)
    after, to, length = np.empty(2 * p, np.int64), np.empty(2 * p, np.int64), np.empty(2 * p)
    way = np.empty(n)
    keys, queue = np.empty(2 * p + 1), np.empty(2 * p + 1, np.int64)
    is_useful = np.zeros(p, np.bool_)
    total = 0
    for e in range(p):
        a, b = pairs[e, 0], pairs[e, 1]
        limit = usefulness * lengths[e]
        way[:] = np.inf
        _search(a, b, limit, way, keys, queue, first, after, to, length)
        if way[b] == np.inf or limit < way[b]:
            join(a, b, total, lengths[e], first, after, to, length)
            is_useful[e] = True
            total += 1
    return is_useful


@kernel
def pairs_in_sight(nodes, space):
    """Return pairs of mutually visible nodes a < b (p, 2), and their distances (p,)."""
    n = len(nodes)
    pairs, lengths = np.empty((n * (n - 1) // 2, 2), np.int64), np.empty(n * (n - 1) // 2)
    total = 0
    for a in range(n):
        for b in range(a + 1, n):
            if _sees(nodes, a, nodes, b, space):
                pairs[total, 0], pairs[total, 1] = a, b
                lengths[total] = _apart(nodes, a, nodes, b)
                total += 1
    return pairs[:total].copy(), lengths[:total].copy()


@inner
def _sees(one, a, other, b, space):
    return segment_is_free(
        one[a, 0], one[a, 1], one[a, 2], other[b, 0], other[b, 1], other[b, 2], space
    )


@inner
def _apart(one, a, other, b):
    """Return the distance in cells."""
    x, y, z = one[a, 0] - other[b, 0], one[a, 1] - other[b, 1], one[a, 2] - other[b, 2]
    return math.sqrt(x * x + y * y + z * z)


@inner(inline=False)
def _saving(place, ways, sights, is_probe, to_place):
    """Return by how much a place shortens all paths in total; to_place (n,) is scratch."""
    n = len(ways)
    for i in range(n):
        to_place[i] = sights[place, i]
    for v in range(n):
        if not is_probe[v] and sights[place, v] < np.inf:
            for i in range(n):
                to_place[i] = min(to_place[i], ways[v, i] + sights[place, v])
    saved = 0.0
    for i in range(n):
        for j in range(n):
            through = to_place[i] + to_place[j]
            if through < ways[i, j] < np.inf:
                saved += ways[i, j] - through
    return saved


@inner
def join(a, b, e, apart, first, after, to, length):
    """Add edge e to the graph."""
    after[2 * e], to[2 * e], length[2 * e], first[a] = first[a], b, apart, 2 * e
    after[2 * e + 1], to[2 * e + 1], length[2 * e + 1], first[b] = first[b], a, apart, 2 * e + 1


@inner(inline=False)
def _search(start, goal, limit, way, keys, queue, first, after, to, length):
    """Run Dijkstra from start until the goal is reached or all paths exceed the limit.

    `way` holds path lengths and must be infinite initially. Afterwards way[goal] is the length of
    the shortest path if that is within the limit, and above the limit otherwise.
    """
    way[start] = 0.0
    size = _push(0.0, start, 0, keys, queue)
    while size > 0 and keys[0] <= limit:
        key, u = keys[0], queue[0]
        if u == goal:
            return
        size = _pop(size, keys, queue)
        if key > way[u]:
            continue
        half = first[u]
        while half >= 0:
            w, longer = to[half], key + length[half]
            if longer < way[w]:
                way[w] = longer
                size = _push(longer, w, size, keys, queue)
            half = after[half]
