"""The heap returns its entries in the order of their keys."""

from __future__ import annotations

import numpy as np
import pytest

from footway._numba import heap
from footway._numba.jit import kernel


@kernel
def sort(values, keys, queue):
    """Push all values, then pop them; some are popped in between and pushed again."""
    size = 0
    for i in range(len(values)):
        size = heap.push(values[i], i, size, keys, queue)
        if i % 3 == 2:
            key, node = keys[0], queue[0]
            size = heap.pop(size, keys, queue)
            size = heap.push(key, node, size, keys, queue)
    out = np.empty(len(values))
    nodes = np.empty(len(values), np.int64)
    for i in range(len(values)):
        out[i], nodes[i] = keys[0], queue[0]
        size = heap.pop(size, keys, queue)
    return size, out, nodes


@pytest.mark.parametrize("count", [1, 2, 3, 10, 500])
@pytest.mark.parametrize("seed", range(4))
def test_entries_come_in_order(count, seed):
    values = np.random.default_rng(seed).integers(0, 300, count).astype(float)  # some are equal
    size, out, nodes = sort(values, np.empty(count), np.empty(count, np.int32))
    assert size == 0
    np.testing.assert_array_equal(out, np.sort(values))
    np.testing.assert_array_equal(values[nodes], out)
    assert sorted(nodes) == list(range(count))
