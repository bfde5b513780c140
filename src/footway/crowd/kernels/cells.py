"""Neighbour search: characters sorted by the cells of a uniform grid, rebuilt in every step."""

from __future__ import annotations

import numpy as np

from footway._numba.jit import inner, kernel
from footway.crowd.kernels.layouts import (
    BODY_RADIUS,
    BODY_VX,
    BODY_VY,
    BODY_X,
    BODY_Y,
    GONE,
    HEADING_X,
    HEADING_Y,
    ID,
    LANE,
    LANE_THERE,
    MODE,
    RADIUS,
    RANK,
    SHEET,
    VX,
    VY,
    X,
    Y,
)
from footway.follow.kernels.forces import mix
from footway.follow.kernels.vectors import segment_at


@inner
def cell_at(x, y, box, shape):
    """Return the cell of a point; the border is one cell wide."""
    i = min(shape[0] - 2, max(1, int((x - box[0]) / box[2])))
    j = min(shape[1] - 2, max(1, int((y - box[1]) / box[2])))
    return j * shape[0] + i


@inner
def cell_of_row(row, offsets):
    """Return the last cell that begins at or before a row."""
    return segment_at(offsets, row)


@kernel
def count_cells(first, end, n_cells, state, box, shape, cells, counts):
    """Compute the cells of the slots first to end - 1, and count the characters per cell.

    In a building each sheet has cells of its own, one after the other.
    """
    counts[:n_cells] = 0
    per_sheet = shape[0] * shape[1]
    for k in range(first, end):
        if state.cursor[k, MODE] == GONE:
            cells[k] = n_cells  # removed characters are skipped
            continue
        cell = cell_at(state.place[k, X], state.place[k, Y], box, shape)
        if n_cells > per_sheet:
            cell += (state.sheet[k, SHEET] - 1) * per_sheet
        cells[k] = cell
        counts[cell] += 1


@kernel
def begin_cells(n_cells, counts, offsets):
    """Compute the first row of each cell; counts (threads, cells) become first rows per thread."""
    total = 0
    for c in range(n_cells):
        offsets[c] = total
        for t in range(len(counts)):
            here = counts[t, c]
            counts[t, c] = total
            total += here
    offsets[n_cells] = total
    return total


@kernel
def fill_cells(
    first, end, n_cells, epoch, state, box, shape, cells, cursor, bodies, headings, ids, slots
):
    """Write the bodies of the slots first to end - 1, sorted by cells."""
    cx, cy = box[0] + 0.5 * box[2] * shape[0], box[1] + 0.5 * box[2] * shape[1]
    for k in range(first, end):
        cell = cells[k]
        if cell == n_cells:
            continue
        row = cursor[cell]
        cursor[cell] = row + 1
        slots[row], ids[row] = k, state.cursor[k, ID]
        bodies[row, BODY_X] = np.float32(state.place[k, X] - cx)
        bodies[row, BODY_Y] = np.float32(state.place[k, Y] - cy)
        bodies[row, BODY_VX], bodies[row, BODY_VY] = state.body[k, VX], state.body[k, VY]
        bodies[row, BODY_RADIUS] = state.body[k, RADIUS]
        headings[row, X], headings[row, Y] = state.body[k, HEADING_X], state.body[k, HEADING_Y]
        headings[row, LANE_THERE] = state.body[k, LANE]
        headings[row, RANK] = np.float32(mix(0, ids[row], epoch) >> np.uint64(40))
