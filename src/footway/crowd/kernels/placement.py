"""Place discs without overlaps, and test sight and connectivity of points."""

from __future__ import annotations

import numpy as np

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.wall_grid import line_clearance

DISC_RADIUS = 2  # column of discs after x and y


@inner
def _is_free(x, y, r, i, j, columns, rows, heads, links, discs):
    """Return whether a disc overlaps none of the discs in the cells around it."""
    for cj in range(max(0, j - 1), min(rows, j + 2)):
        for ci in range(max(0, i - 1), min(columns, i + 2)):
            other = heads[cj * columns + ci]
            while other >= 0:
                dx, dy = x - discs[other, 0], y - discs[other, 1]
                reach = r + discs[other, DISC_RADIUS]
                if dx * dx + dy * dy < reach * reach:
                    return False
                other = links[other]
    return True


@kernel
def keep_apart(points, radii, taken, size, low, columns, rows):
    """Place discs of `radii` (n,) at the first free ones of `points` (m, 2): (placed, tried).

    `taken` (k, 3) are existing discs x, y, r. Cells are `size` m wide, at least the sum of the two
    largest radii.
    """
    n_taken = len(taken)
    heads = np.full(columns * rows, -1, np.int64)
    links = np.full(n_taken + len(radii), -1, np.int64)
    discs = np.empty((n_taken + len(radii), 3))
    count, tried = 0, 0
    while count < len(discs):
        if count < n_taken:
            x, y, r = taken[count, 0], taken[count, 1], taken[count, DISC_RADIUS]
        elif tried == len(points):
            break
        else:
            x, y, r = points[tried, 0], points[tried, 1], radii[count - n_taken]
            tried += 1
        i = min(columns - 1, max(0, int((x - low[0]) / size)))
        j = min(rows - 1, max(0, int((y - low[1]) / size)))
        if count >= n_taken and not _is_free(x, y, r, i, j, columns, rows, heads, links, discs):
            continue
        discs[count, 0], discs[count, 1], discs[count, DISC_RADIUS] = x, y, r
        cell = j * columns + i
        links[count], heads[cell] = heads[cell], count
        count += 1
    return discs[n_taken:count, :2].copy(), tried


@kernel
def in_sight(x, y, points, grid):
    """Return which points have no wall between them and (x, y). (n,)."""
    found = np.zeros(len(points), np.bool_)
    for k in range(len(points)):
        found[k] = line_clearance(x, y, points[k, 0], points[k, 1], 0.0, grid)[0] >= 0.0
    return found
