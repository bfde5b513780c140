"""Shortest paths on the lattice, without an explicit list of edges.

Bit b of a corner's links is set if the corner is joined to its neighbour at STEPS[b], along a side
or a diagonal of a free cell.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from footway._numba.jit import kernel

STEPS = np.array([s for s in itertools.product((-1, 0, 1), repeat=3) if any(s)], np.int64)
"""(26, 3) steps to neighbours, columns x, y, z. Step 25 - b is the reverse of step b."""

LENGTHS = np.sqrt((STEPS**2).sum(axis=1))  # (26,) cells


@kernel
def find_links(free, is_node, links):
    """Fill links, uint32 with the shape of `is_node`."""
    nz, ny, nx = free.shape
    for k in range(links.shape[0]):
        for j in range(links.shape[1]):
            for i in range(links.shape[2]):
                links[k, j, i] = 0
                if not is_node[k, j, i]:
                    continue
                for b in range(26):
                    x, y, z = STEPS[b, 0], STEPS[b, 1], STEPS[b, 2]
                    if not 0 <= k + z < links.shape[0]:
                        continue
                    # Cells that contain both ends: one along axes of the step, two along others.
                    found = False
                    for ck in range(k - 1 + max(z, 0), k + min(z, 0) + 1):
                        for cj in range(j - 1 + max(y, 0), j + min(y, 0) + 1):
                            for ci in range(i - 1 + max(x, 0), i + min(x, 0) + 1):
                                if 0 <= ci < nx and 0 <= cj < ny and 0 <= ck < nz:
                                    found = found or free[ck, cj, ci]
                    if found:
                        links[k, j, i] |= np.uint32(1 << b)


@kernel
def lattice_distances(source, targets, links, strides, distance, stacks, stacked):
    """Return the lengths of the shortest paths from a corner to others, cells: (len(targets),).

    Infinite if there is no path. Corners are flat indices; `links` is flat, and `strides` (26,) are
    the steps in it. Buckets one cell wide replace a heap: no edge is shorter than a cell, so
    distances in the current bucket are final; no edge is longer than two, so three buckets suffice.
    `distance` (n,), `stacks` (3, n) and `stacked` (n,) are scratch memory.
    """
    distance[:] = math.inf
    stacked[:] = -1
    is_target = np.zeros(len(links), np.bool_)
    waiting = 0
    for t in targets:
        waiting += not is_target[t]
        is_target[t] = True
    heights = np.zeros(3, np.int64)
    distance[source] = 0.0
    stacks[0, 0] = source
    stacked[source] = 0
    heights[0] = 1
    turn = 0
    while waiting > 0 and heights.sum() > 0:
        bucket = turn % 3
        for slot in range(heights[bucket]):
            here = stacks[bucket, slot]
            base = distance[here]
            if base < turn:
                continue  # it was processed in an earlier bucket
            waiting -= is_target[here]
            is_target[here] = False
            bits = links[here]
            for b in range(26):
                if not (bits >> np.uint32(b)) & np.uint32(1):
                    continue
                there = here + strides[b]
                length = base + LENGTHS[b]
                if length >= distance[there]:
                    continue
                distance[there] = length
                later = int(length)
                if stacked[there] != later:
                    stacked[there] = later
                    stacks[later % 3, heights[later % 3]] = there
                    heights[later % 3] += 1
        heights[bucket] = 0
        turn += 1
    out = np.empty(len(targets))
    for row in range(len(targets)):
        out[row] = distance[targets[row]]
    return out
