"""Rows of items by cell or key, compared with plain Python."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from footway._numba.bins import add, cell_of, cell_range, close, group, rows_by_key
from footway._numba.jit import kernel


@kernel
def cells_of(points, box, shape, out):
    for i in range(len(points)):
        out[i] = cell_of(points[i, 0], points[i, 1], box, shape)


@kernel
def intervals_by_cell(intervals, origin, size, count):
    """Rows of the intervals (n, 2) that overlap each cell of a line."""
    offsets, members = np.zeros(count + 1, np.int64), np.empty(0, np.int32)
    for fill in range(2):
        for k in range(len(intervals) - 1, -1, -1):
            first, last = cell_range(intervals[k, 0], intervals[k, 1], origin, size, count)
            for cell in range(first, last + 1):
                add(k, cell, fill, offsets, members)
        if fill == 0:
            members = np.empty(close(offsets), np.int32)
    return offsets, members


@kernel
def grouped(keys, count):
    offsets, members = np.zeros(count + 1, np.int32), np.empty(len(keys), np.int32)
    group(keys, offsets, members)
    return offsets, members


def rows(offsets, members):
    assert offsets[0] == 0
    assert offsets[-1] == len(members)
    return [members[a:b].tolist() for a, b in itertools.pairwise(offsets)]


def test_cells_of_points():
    box, shape = np.array([-1.0, 2.0, 0.5]), np.array([4, 3])
    inside = [(-1.0, 2.0, 0), (-0.5, 2.0, 1), (0.9, 3.4, 11)]
    outside = [(-9.0, -9.0, 0), (9.0, 9.0, 11), (-1.2, 2.6, 4)]
    x, y, expected = np.array(inside + outside).T
    found = np.empty(len(x), np.int64)
    cells_of(np.column_stack([x, y]), box, shape, found)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_items_of_several_cells(seed):
    random = np.random.default_rng(seed)
    low = random.uniform(-3, 9, 40)
    intervals = np.column_stack([low, low + random.uniform(0, 4, 40)])
    found = rows(*intervals_by_cell(intervals, 1.0, 0.75, 7))
    first = np.clip(np.floor((intervals[:, 0] - 1.0) / 0.75), 0, 6)
    last = np.clip(np.floor((intervals[:, 1] - 1.0) / 0.75), 0, 6)
    assert found == [np.flatnonzero((first <= c) & (c <= last)).tolist() for c in range(7)]


@pytest.mark.parametrize("size", [0, 1, 50])
def test_items_of_one_key(size):
    keys = np.random.default_rng(size).integers(0, 9, size)
    expected = [np.flatnonzero(keys == key).tolist() for key in range(9)]
    assert rows(*rows_by_key(keys, 9)) == expected
    assert rows(*grouped(keys, 9)) == expected
