"""In which order to visit places: the shortest way that begins at the first."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

EXACT = 12
"""places. Up to here the shortest order is found for certain (Held and Karp 1962), in 0.1 s."""


def shortest_order(lengths: Floats) -> list[int]:
    """Order of n places that begins at place 0; `lengths` (n, n) m, symmetric.

    The shortest one of all up to EXACT places; beyond, one that no reversal of a stretch (2-opt)
    and no move of up to three places in a row (or-opt) shortens.
    """
    if len(lengths) <= 2:
        return list(range(len(lengths)))
    return _exact(lengths) if len(lengths) <= EXACT else _improved(lengths, _nearest(lengths))


def order_length(lengths: Floats, order: list[int]) -> float:
    """Length of the way in this order, m."""
    return float(lengths[order[:-1], order[1:]].sum())


def _exact(lengths: Floats) -> list[int]:
    """Held and Karp's dynamic programming over sets of places, for an open way."""
    count = len(lengths) - 1  # place 0 is in every set and always first
    best = np.full((1 << count, count), np.inf)
    came = np.zeros((1 << count, count), np.int64)
    ways = lengths[1:, 1:]
    for k in range(count):
        best[1 << k, k] = lengths[0, k + 1]
    for size in range(2, count + 1):
        for chosen in combinations(range(count), size):
            members = list(chosen)
            whole = sum(1 << k for k in members)
            rest = np.array([whole ^ (1 << k) for k in members])
            options = best[rest][:, members] + ways[np.ix_(members, members)]
            came[whole, members] = np.array(members)[options.argmin(axis=1)]
            best[whole, members] = options.min(axis=1)
    whole = (1 << count) - 1
    order = [int(best[whole].argmin())]
    while whole.bit_count() > 1:
        last = order[-1]
        order.append(int(came[whole, last]))
        whole ^= 1 << last
    return [0, *(k + 1 for k in reversed(order))]


def _nearest(lengths: Floats) -> list[int]:
    """Always on to the nearest place that is left."""
    order, left = [0], set(range(1, len(lengths)))
    while left:
        order.append(min(left, key=lambda k: (lengths[order[-1], k], k)))
        left.remove(order[-1])
    return order


def _improved(lengths: Floats, order: list[int]) -> list[int]:
    """Reverse stretches and move places until nothing gets shorter."""
    best = order_length(lengths, order)
    while True:
        shorter = min(_changes(order), key=lambda other: order_length(lengths, other))
        length = order_length(lengths, shorter)
        if length >= best - 1e-9:
            return order
        order, best = shorter, length


def _changes(order: list[int]) -> list[list[int]]:
    """Every order that one reversal or one move of up to three places gives."""
    n = len(order)
    changes: list[list[int]] = []
    for i in range(1, n):
        changes.extend(
            [*order[:i], *order[i : j + 1][::-1], *order[j + 1 :]] for j in range(i + 1, n)
        )
        for size in range(1, min(3, n - i) + 1):
            moved, rest = order[i : i + size], order[:i] + order[i + size :]
            changes.extend(
                [*rest[:k], *moved, *rest[k:]] for k in range(1, len(rest) + 1) if k != i
            )
    return changes
