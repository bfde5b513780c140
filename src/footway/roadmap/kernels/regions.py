"""Reachability regions, found block by block: which corners of a lattice a corner sees.

The lines from a source to the corners of a block form a pyramid. Its cross-section at share t of
its length is a box of t times the size of the block. If every cross-section fits into cubes of free
cells, the source sees the whole block; if the lines cross a layer of cells none of which is free,
it sees no corner of the block. Otherwise the block is divided, down to single lines. So
the result is that of one line for each corner, but most corners are decided in large blocks.

Units and conventions are those of kernels/space.py.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.roadmap.kernels.space import FREE, ON_PLANE, hit_among

BLOCK = 16  # corners per side of the largest blocks
SMALL = 1  # corners per side of blocks that are decided by a line
LAYERS = 8  # layers of cells from the first obstacle on that may hide a whole block
STRICT = 1e-6  # cells; tolerance with which a layer must hide a block


@inner
def _limit(g, d, s, t, low, high):
    """Return up to which share of a line its cross-section stays between low and high, one axis.

    0 if it is not between them at share t.
    """
    if g + t * (d + s) > high + ON_PLANE or g + t * (d - s) < low - ON_PLANE:
        return 0.0
    share = math.inf
    if d + s > 0.0:
        share = (high - g) / (d + s)
    if s - d > 0.0:
        share = min(share, (g - low) / (s - d))
    return share


@inner
def _cell_at(p, d):
    """Return the cell, along one axis, that contains the line at p and just after it."""
    return int(math.floor(p + ON_PLANE)) if d >= 0.0 else int(math.ceil(p - ON_PLANE)) - 1


@inner(inline=False)
def _sees_all(gx, gy, gz, dx, dy, dz, sx, sy, sz, jump):
    """Return whether a pyramid lies in free cells: apex g, axis d, half the size s of its base."""
    nz, ny, nx = jump.shape
    t = 0.0
    while t < 1.0:
        i, j, k = _cell_at(gx + t * dx, dx), _cell_at(gy + t * dy, dy), _cell_at(gz + t * dz, dz)
        if nz == 1:
            k = 0
        if not (0 <= i < nx and 0 <= j < ny and 0 <= k < nz):
            return False
        reach = int(jump[k, j, i])
        if reach == 0:
            return False
        share = _limit(gx, dx, sx, t, i - reach + 1, i + reach)
        share = min(share, _limit(gy, dy, sy, t, j - reach + 1, j + reach))
        if nz > 1:
            share = min(share, _limit(gz, dz, sz, t, k - reach + 1, k + reach))
        if share <= t + ON_PLANE:
            return False
        t = share
    return True


@inner
def _crossed(g, d, s, near, far):
    """Return the cells, along one axis, that lines cross at shares `near` to `far` of their length.

    The lines lead from g to points within s of g + d.
    """
    low, high = d - s, d + s
    first = min(near * low, far * low)
    last = max(near * high, far * high)
    return int(math.floor(g + first - STRICT)), int(math.floor(g + last + STRICT))


@inner
def count_free(i0, i1, j0, j1, k0, k1, table):
    """Return the number of free cells from (i0, j0, k0) to (i1, j1, k1), ends included."""
    nz, ny, nx = table.shape
    i0, j0, k0 = max(i0, 0), max(j0, 0), max(k0, 0)
    i1, j1, k1 = min(i1, nx - 2) + 1, min(j1, ny - 2) + 1, min(k1, nz - 2) + 1
    if i0 >= i1 or j0 >= j1 or k0 >= k1:
        return 0
    upper = table[k1, j1, i1] - table[k1, j0, i1] - table[k1, j1, i0] + table[k1, j0, i0]
    lower = table[k0, j1, i1] - table[k0, j0, i1] - table[k0, j1, i0] + table[k0, j0, i0]
    return upper - lower


@inner(inline=False)
def _sees_none(gx, gy, gz, dx, dy, dz, sx, sy, sz, hit, table):
    """Return whether a layer of blocked cells stops all lines of a pyramid, from share `hit` on."""
    flat = table.shape[0] == 2
    ax, ay, az = abs(dx), abs(dy), abs(dz)
    axis = 0 if ax >= ay and ax >= az else 1 if ay >= az else 2
    g, d, s = (gx, dx, sx) if axis == 0 else (gy, dy, sy) if axis == 1 else (gz, dz, sz)
    sign = 1 if d > 0.0 else -1
    layer = int(math.floor(g + hit * d + sign * STRICT))
    for _ in range(LAYERS):
        along = abs(layer + 0.5 - g)  # to the middle of the layer
        if along >= abs(d) - s - STRICT:
            return False
        near, far = along / (abs(d) + s), along / (abs(d) - s)
        i0 = i1 = j0 = j1 = k0 = k1 = layer
        if axis != 0:
            i0, i1 = _crossed(gx, dx, sx, near, far)
        if axis != 1:
            j0, j1 = _crossed(gy, dy, sy, near, far)
        if flat:
            k0 = k1 = 0
        elif axis != 2:
            k0, k1 = _crossed(gz, dz, sz, near, far)
        if count_free(i0, i1, j0, j1, k0, k1, table) == 0:
            return True
        layer += sign
    return False


@inner
def _push(size, stack, i, j, k, ni, nj, nk):
    stack[size, 0], stack[size, 1], stack[size, 2] = i, j, k
    stack[size, 3], stack[size, 4], stack[size, 5] = ni, nj, nk
    return size + 1


@kernel
def mark_region(source, jump, table, is_node, seen):
    """Set seen, bool with the shape of `is_node`, at the free corners that a source sees.

    `source` (3,) is a point in lattice units; `table` (nz + 1, ny + 1, nx + 1) has the number of
    free cells below, before and left of each corner. Corners that are set already are not tested
    again.
    """
    gx, gy, gz = source[0], source[1], source[2]
    mz, my, mx = is_node.shape
    stack = np.empty((64, 6), np.int64)
    for bk in range(0, mz, BLOCK):
        for bj in range(0, my, BLOCK):
            for bi in range(0, mx, BLOCK):
                size = _push(
                    0, stack, bi, bj, bk,
                    min(BLOCK, mx - bi), min(BLOCK, my - bj), min(BLOCK, mz - bk),
                )  # fmt: skip
                while size > 0:
                    size -= 1
                    i, j, k = stack[size, 0], stack[size, 1], stack[size, 2]
                    ni, nj, nk = stack[size, 3], stack[size, 4], stack[size, 5]
                    if max(ni, nj, nk) <= SMALL:
                        _mark_lines(i, j, k, ni, nj, nk, gx, gy, gz, jump, is_node, seen)
                        continue
                    sx, sy, sz = 0.5 * (ni - 1), 0.5 * (nj - 1), 0.5 * (nk - 1)
                    dx, dy, dz = i + sx - gx, j + sy - gy, k + sz - gz
                    if _sees_all(gx, gy, gz, dx, dy, dz, sx, sy, sz, jump):
                        for c in range(k, k + nk):
                            for b in range(j, j + nj):
                                for a in range(i, i + ni):
                                    seen[c, b, a] |= is_node[c, b, a]
                        continue
                    hit = hit_among(gx, gy, gz, gx + dx, gy + dy, gz + dz, jump)
                    if hit != FREE and _sees_none(gx, gy, gz, dx, dy, dz, sx, sy, sz, hit, table):
                        continue
                    hi, hj, hk = (ni + 1) // 2, (nj + 1) // 2, (nk + 1) // 2
                    for part in range(8):
                        a, b, c = part % 2, part // 2 % 2, part // 4
                        wi = ni - hi if a else hi
                        wj = nj - hj if b else hj
                        wk = nk - hk if c else hk
                        if wi > 0 and wj > 0 and wk > 0:
                            size = _push(
                                size, stack, i + a * hi, j + b * hj, k + c * hk, wi, wj, wk
                            )


@inner(inline=False)
def _mark_lines(i, j, k, ni, nj, nk, gx, gy, gz, jump, is_node, seen):
    """Set seen at the corners of a small block, by one line for each."""
    for c in range(k, k + nk):
        for b in range(j, j + nj):
            for a in range(i, i + ni):
                if is_node[c, b, a] and not seen[c, b, a]:
                    hit = hit_among(gx, gy, gz, float(a), float(b), float(c), jump)
                    seen[c, b, a] = hit == FREE


@kernel
def nearest_in_layers(blocked, first, last, squared, cell):
    """Find the nearest blocked cell of each layer to each of its corners, first <= layer < last.

    `blocked` (nz + 2, ny + 2, nx + 2) has a layer of blocked cells around the lattice. Writes the
    squared distance within the layer, squared (nz + 2, ny + 1, nx + 1), and x and y of the cell,
    cell (nz + 2, ny + 1, nx + 1, 2). Of equally near cells, the one with the lowest y is
    taken, and of these the one ahead along x.
    """
    ny, nx = blocked.shape[1] - 2, blocked.shape[2] - 2
    along = np.empty((ny + 2, nx + 1), np.int64)  # x of the nearest blocked cell in each row
    for layer in range(first, last):
        for r in range(ny + 2):
            behind, ahead = -1, nx
            for i in range(nx + 1):
                if blocked[layer, r, i]:
                    behind = i - 1
                along[r, i] = behind
            for i in range(nx, -1, -1):
                if blocked[layer, r, i + 1]:
                    ahead = i
                if ahead - i <= i - along[r, i] - 1:
                    along[r, i] = ahead
        for j in range(ny + 1):
            for i in range(nx + 1):
                least, which = 1 << 30, 0
                for out in range(ny + 2):
                    if out * out > least:
                        break
                    for r in (j - out, j + 1 + out):
                        if 0 <= r < ny + 2:
                            x = max(0, along[r, i] - i, i - along[r, i] - 1)
                            d = out * out + x * x
                            if d < least or (d == least and r < which):
                                least, which = d, r
                squared[layer, j, i] = least
                cell[layer, j, i, 0], cell[layer, j, i, 1] = along[which, i], which - 1


@kernel
def nearest_over_layers(squared, cell, first, last, near):
    """Write the nearest point of a blocked cell to each corner, for heights first <= k < last.

    Takes the result of `nearest_in_layers`; near (nz + 1, ny + 1, nx + 1, 3) has columns x, y, z.
    Of equally near cells, the one with the lowest z is taken.
    """
    layers, rows, columns = squared.shape
    for k in range(first, last):
        for j in range(rows):
            for i in range(columns):
                least, which = 1 << 30, 0
                for out in range(layers):
                    if out * out > least:
                        break
                    for layer in (k - out, k + 1 + out):
                        if 0 <= layer < layers:
                            d = out * out + squared[layer, j, i]
                            if d < least or (d == least and layer < which):
                                least, which = d, layer
                cx, cy, cz = int(cell[which, j, i, 0]), int(cell[which, j, i, 1]), which - 1
                near[k, j, i, 0] = min(cx + 1, max(cx, i))
                near[k, j, i, 1] = min(cy + 1, max(cy, j))
                near[k, j, i, 2] = min(cz + 1, max(cz, k))
