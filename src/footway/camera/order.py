"""Shortest order in which to visit places, starting at the first."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

EXACT = 12
"""places. Up to this number the order is optimal (Held and Karp 1962) and found in 0.1 s."""


_SIZES = (1, 2, 3)  # numbers of consecutive places that are moved


def shortest_order(lengths: Floats) -> list[int]:
    """Return a short order of n places that starts at place 0; `lengths` (n, n) m, symmetric.

    Optimal up to EXACT places; beyond, no reversal of a stretch (2-opt) and no move of up to three
    consecutive places (or-opt) makes it shorter.
    """
    if len(lengths) <= 2:
        return list(range(len(lengths)))
    return _exact(lengths) if len(lengths) <= EXACT else _improved(lengths, _nearest(lengths))


def order_length(lengths: Floats, order: list[int]) -> float:
    """Return the length of the path in this order, m."""
    return float(lengths[order[:-1], order[1:]].sum())


def _exact(lengths: Floats) -> list[int]:
    """Run Held and Karp's dynamic programming over sets of places, for an open path."""
    count = len(lengths) - 1  # place 0 is in every set and always first
    best = np.full((1 << count, count), np.inf)
    previous = np.zeros((1 << count, count), np.int64)
    distances = lengths[1:, 1:]
    for k in range(count):
        best[1 << k, k] = lengths[0, k + 1]
    for size in range(2, count + 1):
        for chosen in combinations(range(count), size):
            members = list(chosen)
            whole = sum(1 << k for k in members)
            rest = np.array([whole ^ (1 << k) for k in members])
            options = best[rest][:, members] + distances[np.ix_(members, members)]
            previous[whole, members] = np.array(members)[options.argmin(axis=1)]
            best[whole, members] = options.min(axis=1)
    whole = (1 << count) - 1
    order = [int(best[whole].argmin())]
    while whole.bit_count() > 1:
        last = order[-1]
        order.append(int(previous[whole, last]))
        whole ^= 1 << last
    return [0, *(k + 1 for k in reversed(order))]


def _nearest(lengths: Floats) -> list[int]:
    """Return the nearest-neighbour order."""
    order, left = [0], set(range(1, len(lengths)))
    while left:
        order.append(min(left, key=lambda k: (lengths[order[-1], k], k)))
        left.remove(order[-1])
    return order


def _improved(lengths: Floats, order: list[int]) -> list[int]:
    """Reverse stretches and move places, best change first, until nothing gets shorter.

    Each step evaluates all n^2 changes at once, by the few legs that each replaces.
    """
    n = len(order)
    distances = np.zeros((n + 1, n + 1))  # an artificial last place at distance 0 from all others
    distances[:n, :n] = lengths
    chain = np.array([*order, n])
    while True:
        reversal, moves = (
            _reversals(distances, chain),
            [_moves(distances, chain, k) for k in _SIZES],
        )
        changes = [reversal, *moves]
        k = int(np.argmin([change.min() for change in changes]))
        i, j = (int(x) for x in np.unravel_index(changes[k].argmin(), changes[k].shape))
        if changes[k][i, j] >= -1e-9:
            return [int(place) for place in chain[:-1]]
        if k == 0:
            chain[i : j + 1] = chain[i : j + 1][::-1].copy()
        else:
            chain = _moved(chain, i, _SIZES[k - 1], j)


def _reversals(distances: Floats, chain: NDArray[np.int64]) -> Floats:
    """Return the change of length (n, n) m if places i to j are reversed; infinite if invalid."""
    n = len(chain) - 1
    legs = distances[chain[:-1], chain[1:]]
    longer = np.full((n, n), np.inf)
    i, j = np.triu_indices(n, 1)
    i, j = i[i > 0], j[i > 0]
    joins = distances[chain[i - 1], chain[j]] + distances[chain[i], chain[j + 1]]
    longer[i, j] = joins - legs[i - 1] - legs[j]
    return longer


def _moves(distances: Floats, chain: NDArray[np.int64], size: int) -> Floats:
    """Return the change of length (n, n) m if `size` places from i are moved after place j."""
    n = len(chain) - 1
    legs = distances[chain[:-1], chain[1:]]
    i, j = np.indices((n, n))
    last = np.minimum(i + size - 1, n - 1)
    taken = legs[i - 1] + legs[last] - distances[chain[i - 1], chain[last + 1]]
    put = distances[chain[j], chain[i]] + distances[chain[last], chain[j + 1]] - legs[j]
    possible = (i > 0) & (i + size <= n) & ((j < i - 1) | (j > last))
    return np.where(possible, put - taken, np.inf)


def _moved(chain: NDArray[np.int64], i: int, size: int, j: int) -> NDArray[np.int64]:
    moved, rest = chain[i : i + size], np.delete(chain, slice(i, i + size))
    after = j + 1 if j < i else j + 1 - size
    return np.concatenate([rest[:after], moved, rest[after:]])
