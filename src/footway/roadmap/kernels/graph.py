"""Array kernels of RRM*: useful nodes, and useful edges (rrm-roadmaps-2006, section III).

A growing graph is a few arrays: `first` (n,) holds a node's latest half-edge, `after` (h,) the
half-edge of the same node that came before it, `to` (h,) the node that a half-edge leads to and
`length` (h,) how long it is. -1 stands for none. Half-edges 2e and 2e + 1 belong to edge e.
Places are rows x, y, z in lattice units; lengths are in cells.
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
    """The place that shortens the ways between nodes and probes most, and by how much in all.

    A way through a place comes from a node that the place sees, or begins at a probe that it sees,
    and goes on in the same manner.

    Args:
        ways: (n, n) lengths of the shortest ways between nodes and probes.
        sights: (c, n) distance of each place to each of them that it sees, infinite to the others.
        is_probe: (n,) ways start and end at a probe, but do not pass.
        saving: (c,) what each place saved when it was last looked at, infinite before. Nearly
            always that is no less than what it saves now, so only the places that lead are looked
            at again; updated.

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
    """Distance of each place (c, 3) to each node (n, 3) that it sees, else infinite: (c, n)."""
    out = np.full((len(places), len(nodes)), np.inf)
    for p in range(len(places)):
        for v in range(len(nodes)):
            if _sees(places, p, nodes, v, space):
                out[p, v] = _apart(places, p, nodes, v)
    return out


@kernel
def useful_edges(pairs, lengths, usefulness, n):
    """Pairs that are K-useful edges when they are added from the shortest to the longest.

    A pair is added when the way between its nodes along what was added before is longer than
    `usefulness` times its length, or when there is no such way (algorithm 2, definition 3).

    Args:
        pairs: (p, 2) nodes in straight sight of each other, by increasing length.
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
    """Pairs of nodes a < b that a free straight line joins (p, 2), and their distances (p,)."""
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
    """Distance in cells."""
    x, y, z = one[a, 0] - other[b, 0], one[a, 1] - other[b, 1], one[a, 2] - other[b, 2]
    return math.sqrt(x * x + y * y + z * z)


@inner(inline=False)
def _saving(place, ways, sights, is_probe, to_place):
    """By how much a place shortens all ways together; to_place (n,) is working space."""
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
    """Dijkstra from start until the goal is reached or all ways are longer than the limit.

    `way` is infinite where it begins; afterwards way[goal] is the length of the shortest way if
    that is not above the limit, and above the limit otherwise.
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
