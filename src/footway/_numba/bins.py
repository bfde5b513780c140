"""The cell grid: cells of points, and items sorted into rows by a counting sort.

A grid is a box (x0, y0, size), metres, and a shape (columns, rows); cell (i, j) has the number
j * columns + i. Items are kept in compressed rows: the items of cell (or key) k are
members[offsets[k]] to members[offsets[k + 1] - 1], in increasing order.

In Python, `rows_by_key` makes rows if each item has one key. In a kernel, `group` does the same,
and `add` and `close` make rows of items that belong to several cells, in two passes:

    offsets, members = np.zeros(n_cells + 1, np.int64), np.empty(0, np.int32)
    for fill in range(2):  # count, then store
        for item in range(n_items - 1, -1, -1):  # backward, since rows are filled from their ends
            for cell in ...:
                add(item, cell, fill, offsets, members)
        if fill == 0:
            members = np.empty(close(offsets), np.int32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.jit import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Ints


def rows_by_key(keys: NDArray[np.integer], count: int) -> tuple[Ints, Ints]:
    """Sort items by keys (n,) from 0 to count - 1: offsets (count + 1,) and items (n,)."""
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=count), out=offsets[1:])
    return offsets, np.argsort(keys, kind="stable")


@inner
def cell_along(value, origin, size, count):
    """Cell of a coordinate along one axis; the first or last cell if it is outside the grid."""
    return min(count - 1, max(0, int((value - origin) / size)))


@inner
def cell_range(low, high, origin, size, count):
    """First and last cell of an interval along one axis."""
    return cell_along(low, origin, size, count), cell_along(high, origin, size, count)


@inner
def cell_of(x, y, box, shape):
    """Number of the cell of a point; points outside the grid belong to its border cells."""
    i = cell_along(x, box[0], box[2], shape[0])
    return cell_along(y, box[1], box[2], shape[1]) * shape[0] + i


@inner
def add(item, cell, fill, offsets, members):
    """Count an item of a cell, or store it (fill), between its calls of `close`."""
    if fill:
        offsets[cell] -= 1
        members[offsets[cell]] = item
    else:
        offsets[cell] += 1


@inner
def close(offsets):
    """Turn counts of items into the ends of rows; return the number of items.

    Storing an item moves the end of its row back by one. After the last one, every end has become
    the beginning of its row.
    """
    for k in range(1, len(offsets)):
        offsets[k] += offsets[k - 1]
    return offsets[-1]


@inner
def group(keys, offsets, members):
    """Write rows of the items 0 to n - 1 by their keys (n,); offsets must be zero."""
    for i in range(len(keys)):
        offsets[keys[i]] += 1
    close(offsets)
    for i in range(len(keys) - 1, -1, -1):
        add(i, keys[i], True, offsets, members)
