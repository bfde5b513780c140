"""Paths along the half-edges of a graph: 2 e along edge e, 2 e + 1 against it."""

from __future__ import annotations

import math

from footway._numba.jit import inner

FIRST = -2
"""Arrival at a node from the start's own edge is stored as FIRST - half, any other as half."""


@inner
def heap_holds(keys, out):
    """Whether a heap is large enough for every search on a graph with the half-edges `out`.

    A node is settled once, and each half-edge that leaves it adds at most one entry; so does each
    end of the start's edge.
    """
    return len(keys) >= len(out) + 2


@inner
def read_back(last, edges, arrival, halves):
    """Write the half-edges of the path that ends with `last`, from the start; return how many."""
    halves[0] = last
    count, v = 1, edges[last // 2, last % 2]
    while True:
        half = arrival[v]
        first = half < 0
        if first:
            half = FIRST - half
        halves[count] = half
        count += 1
        if first:
            break
        v = edges[half // 2, half % 2]
    for k in range(count // 2):
        halves[k], halves[count - 1 - k] = halves[count - 1 - k], halves[k]
    return count


@inner
def write_events(at, there, count, halves, offsets, rooms, out):
    """Write the events along the half-edges: (how many, least clearance of the pieces); -1: full.

    From event `at` of the first one to event `there` of the last one, both included. `offsets`
    (ne + 1,) says where the events of each edge begin, `rooms` (m,) the clearance after each.
    """
    out[0] = at
    n, clear = 1, math.inf
    for k in range(count):
        half = halves[k]
        first, last = offsets[half // 2], offsets[half // 2 + 1] - 1
        if half % 2 == 1:
            first, last = last, first
        e = at if k == 0 else first
        end = there if k == count - 1 else last
        step = 1 if end > e else -1
        while e != end:
            clear = min(clear, rooms[e if step == 1 else e - 1])
            e += step
            if n == len(out):
                return -1, 0.0
            out[n] = e
            n += 1
    return n, clear
