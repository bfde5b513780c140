"""Kernels of RRM and RRM*: visibility, greedy set cover, useful nodes and edges.

rrm-roadmaps-2006, sections II and III. Places are rows x, y, z in lattice units; lengths are in
cells.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway._numba.math import hypot
from footway.roadmap.kernels.layouts import GrowingGraph, LimitedSearch
from footway.roadmap.kernels.space import FREE, hit_among, segment_is_free


@kernel
def sight(sources, targets, jump, first, last, out):
    """Write whether source s sees target t, for the pairs first <= s m + t < last.

    Sources (n, 3) and targets (m, 3) are corners; out is bool (n, m). Pairs are numbered so that
    threads can share a single long row as well as many rows.
    """
    m = len(targets)
    for pair in range(first, last):
        s, t = pair // m, pair % m
        hit = hit_among(
            float(sources[s, 0]), float(sources[s, 1]), float(sources[s, 2]),
            float(targets[t, 0]), float(targets[t, 1]), float(targets[t, 2]),
            jump,
        )  # fmt: skip
        out[s, t] = hit == FREE


@kernel
def greedy_rows(seen, enough):
    """Choose rows of seen, bool (n, m), each with the most columns not covered by earlier rows.

    The first of equal rows is chosen. Stops when at most `enough` columns are uncovered, or when no
    row covers any of them.
    """
    n, m = seen.shape
    gain = np.zeros(n, np.int64)
    for row in range(n):
        gain[row] = seen[row].sum()
    left = np.ones(m, np.bool_)
    n_left = m
    picks = np.empty(n, np.int64)
    count = 0
    while n > 0 and n_left > enough:
        best = np.argmax(gain)
        if gain[best] == 0:
            break
        picks[count] = best
        count += 1
        fresh = np.flatnonzero(seen[best] & left)
        left[fresh] = False
        n_left -= len(fresh)
        for row in range(n):
            for column in fresh:
                gain[row] -= seen[row, column]
    return picks[:count].copy()


@kernel
def can_go(seen, count):
    """Return whether other nodes see all corners that a node sees, `seen` in bits, (m / 8,).

    `count` (m,) nodes see each corner.
    """
    for byte in range(len(seen)):
        for bit in range(8):
            if (seen[byte] >> (7 - bit)) & 1 and count[8 * byte + bit] < 2:
                return False
    return True


@kernel
def joins_nothing(node, sight, kept):
    """Return whether the kept nodes that a node sees are connected without it: sight (n, n)."""
    n = len(kept)
    waiting = np.zeros(n, np.bool_)  # seen by the node, not reached yet
    fresh = kept.copy()  # not reached yet
    fresh[node] = False
    stack = np.empty(n, np.int64)
    height, n_waiting = 0, 0
    for other in range(n):
        if fresh[other] and sight[node, other]:
            waiting[other] = True
            n_waiting += 1
            stack[0] = other
            height = 1
    if height == 1:
        fresh[stack[0]] = False
        n_waiting -= 1
    while height > 0 and n_waiting > 0:
        height -= 1
        here = stack[height]
        for other in range(n):
            if fresh[other] and sight[here, other]:
                fresh[other] = False
                n_waiting -= waiting[other]
                stack[height] = other
                height += 1
    return n_waiting == 0


@kernel
def mark_seen(points, corners, jump, first, last, seen):
    """Set seen (m,) for the corners (m, 3) first <= c < last that see one of the points (n, 3).

    Points are in lattice units. Corners that are already marked are skipped.
    """
    for c in range(first, last):
        x, y, z = float(corners[c, 0]), float(corners[c, 1]), float(corners[c, 2])
        for p in range(len(points)):
            if seen[c]:
                break
            seen[c] = hit_among(x, y, z, points[p, 0], points[p, 1], points[p, 2], jump) == FREE


# -- useful nodes and edges ----------------------------------------------------------------------


@kernel
def best_place(path_lengths, sights, is_probe, saving):
    """Return the place that shortens the paths between nodes and probes most, and by how much.

    A path through a place enters it from a visible node, or starts at a visible probe, and leaves
    it in the same way.

    Args:
        path_lengths: (n, n) lengths of the shortest paths between nodes and probes.
        sights: (c, n) distance of each place to each node and probe that it sees, else infinite.
        is_probe: (n,) paths start and end at probes, but do not pass through them.
        saving: (c,) saving of each place at its last evaluation, infinite before the first. It is
            nearly always an upper bound of the current saving, so only the leading places are
            evaluated again; updated.
    """
    checked = np.zeros(len(saving), np.bool_)
    to_place = np.empty(len(path_lengths))
    while True:
        best = np.argmax(saving)
        if checked[best]:
            return best, saving[best]
        saving[best] = _saving(best, path_lengths, sights, is_probe, to_place)
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
def useful_edges(pairs, lengths, usefulness, graph, search):
    """Return the pairs that are K-useful edges when added from the shortest to the longest.

    A pair is added if the path between its nodes along earlier edges is longer than `usefulness`
    times its length, or if there is no path (algorithm 2, definition 3).

    Args:
        pairs: (p, 2) mutually visible nodes, by increasing length.
        lengths: (p,).
        usefulness: the paper's K.
        graph: without edges, updated.
        search: scratch memory.

    Returns:
        Whether each pair is useful, (p,).
    """
    is_useful = np.zeros(len(pairs), np.bool_)
    places = np.empty((0, 2))  # not read
    total = 0
    for e in range(len(pairs)):
        a, b = pairs[e, 0], pairs[e, 1]
        if is_far(a, b, usefulness * lengths[e], False, places, graph, search):
            add_edge(a, b, total, lengths[e], graph)
            is_useful[e] = True
            total += 1
    return is_useful


def make_growing_graph(nodes: int, edges: int) -> tuple[GrowingGraph, LimitedSearch]:
    """Allocate a graph without edges, with memory for this many, and the memory of `is_far`."""
    halves = 2 * edges
    graph = GrowingGraph(
        first=np.full(nodes, -1),
        after=np.empty(halves, np.int64),
        to=np.empty(halves, np.int64),
        length=np.empty(halves),
    )
    search = LimitedSearch(
        cost=np.full(nodes, np.inf),
        reached=np.empty(nodes, np.int64),
        keys=np.empty(halves + 1),
        queue=np.empty(halves + 1, np.int64),
    )
    return graph, search


@inner
def add_edge(a, b, e, length, graph):
    """Add edge e between nodes a and b to the graph."""
    for half, tail, head in ((2 * e, a, b), (2 * e + 1, b, a)):
        graph.after[half], graph.to[half], graph.length[half] = graph.first[tail], head, length
        graph.first[tail] = half


@inner(inline=False)
def is_far(a, b, limit, has_places, places, graph, search):
    """Return whether the shortest path from a to b is longer than the limit, or does not exist.

    If it has the places (n, 2) of the nodes, the search skips nodes through which a path would be
    too long even if it continued straight to b; otherwise it is Dijkstra's.
    """
    cost, reached, keys, queue = search.cost, search.reached, search.keys, search.queue
    cost[a], reached[0] = 0.0, a
    count, size, far = 1, push(0.0, a, 0, keys, queue), True
    while size > 0 and far:
        key, u = keys[0], queue[0]
        size = pop(size, keys, queue)
        if key > cost[u]:
            continue
        half = graph.first[u]
        while half >= 0:
            w, longer, straight = graph.to[half], key + graph.length[half], 0.0
            if has_places:
                straight = hypot(places[w, 0] - places[b, 0], places[w, 1] - places[b, 1])
            if longer < cost[w] and longer + straight <= limit:
                if cost[w] == math.inf:
                    reached[count] = w
                    count += 1
                cost[w] = longer
                size = push(longer, w, size, keys, queue)
                far = far and w != b
            half = graph.after[half]
    for k in range(count):
        cost[reached[k]] = math.inf
    return far


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
def _saving(place, path_lengths, sights, is_probe, to_place):
    """Return by how much a place shortens all paths in total; to_place (n,) is scratch."""
    n = len(path_lengths)
    for i in range(n):
        to_place[i] = sights[place, i]
    for v in range(n):
        if not is_probe[v] and sights[place, v] < np.inf:
            for i in range(n):
                to_place[i] = min(to_place[i], path_lengths[v, i] + sights[place, v])
    saved = 0.0
    for i in range(n):
        for j in range(n):
            through = to_place[i] + to_place[j]
            if through < path_lengths[i, j] < np.inf:
                saved += path_lengths[i, j] - through
    return saved
