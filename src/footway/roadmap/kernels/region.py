"""Visibility between corners: blocks of the visibility matrix, and greedy set cover."""

from __future__ import annotations

import numpy as np

from footway._numba.jit import kernel
from footway.roadmap.kernels.space import FREE, hit_among


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
def can_go(node, seen, count):
    """Return whether other nodes see all corners that a node sees; `count` (m,) nodes see each."""
    for corner in range(len(count)):
        if seen[node, corner] and count[corner] < 2:
            return False
    return True


@kernel
def joins_nothing(node, sight, kept):
    """Return whether the kept nodes that a node sees, sight bool (n, n), stay connected."""
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
def mark_seen(eyes, corners, jump, first, last, seen):
    """Set seen (m,) for the corners (m, 3) first <= c < last that see one of the eyes (n, 3).

    Eyes are arbitrary points in lattice units. Corners that are already marked are skipped.
    """
    for c in range(first, last):
        x, y, z = float(corners[c, 0]), float(corners[c, 1]), float(corners[c, 2])
        for e in range(len(eyes)):
            if seen[c]:
                break
            seen[c] = hit_among(x, y, z, eyes[e, 0], eyes[e, 1], eyes[e, 2], jump) == FREE
