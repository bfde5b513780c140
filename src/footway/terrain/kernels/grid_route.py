"""Cheapest path over the cells of a grid with eight neighbours each (miran-2013, section 4).

Lines between cells are traced over the triangles, so that none crosses a thin wall.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway.terrain.kernels.route import least_weight, length, read_back
from footway.terrain.kernels.triangles import FREE, locate, walk_line

UNKNOWN = -2  # triangle of a cell that was not located yet
REACH = 2  # cells around the start and the goal in which a path over the grid may begin


@inner
def _middle(cell, x0, y0, size, nx):
    return x0 + (cell % nx + 0.5) * size, y0 + (cell // nx + 0.5) * size


@inner
def _triangle(cell, x0, y0, size, nx, found, ground):
    """Triangle that contains the centre of a cell; -1: the disc does not fit there."""
    if found[cell] == UNKNOWN:
        x, y = _middle(cell, x0, y0, size, nx)
        found[cell] = locate(x, y, ground)
    return found[cell]


@inner
def _around(x, y, x0, y0, size, nx, ny):
    """Ranges of the cells around a point."""
    i, j = int(math.floor((x - x0) / size)), int(math.floor((y - y0) / size))
    return max(0, i - REACH), min(nx, i + REACH + 1), max(0, j - REACH), min(ny, j + REACH + 1)


@inner(inline=False)
def _joins(x, y, x0, y0, size, nx, ny, weights, found, ground, out):
    """Write the weighted length from a point to the centre of each visible cell around it.

    out (cells,) is infinite elsewhere. Returns the triangle of the point.
    """
    start = locate(x, y, ground)
    i0, i1, j0, j1 = _around(x, y, x0, y0, size, nx, ny)
    for j in range(j0, j1):
        for i in range(i0, i1):
            cell = j * nx + i
            if start < 0 or _triangle(cell, x0, y0, size, nx, found, ground) < 0:
                continue
            mx, my = _middle(cell, x0, y0, size, nx)
            cost, stop, _ = walk_line(x, y, mx, my, start, weights, ground)
            if stop == FREE:
                out[cell] = cost
    return start


@inner(inline=False)
def _step(cell, to, x0, y0, size, nx, weights, found, ground):
    """Cost of the edge between two cells, half of it on the terrain of each; infinite: a wall."""
    t, u = found[cell], _triangle(to, x0, y0, size, nx, found, ground)
    if u < 0:
        return math.inf
    x, y = _middle(cell, x0, y0, size, nx)
    mx, my = _middle(to, x0, y0, size, nx)
    if t != u:
        _, stop, _ = walk_line(x, y, mx, my, t, weights, ground)
        if stop != FREE:
            return math.inf
    kind = ground.kind
    return 0.5 * length(mx - x, my - y) * (weights[kind[t]] + weights[kind[u]])


@inner
def _search(gx, gy, x0, y0, size, nx, ny, weights, least, count, best, ground, table):
    """A* over cells from those in the heap: last cell of the path; -1: no path."""
    found, cost, before, done, ends, keys, queue = table
    last = -1
    while count > 0 and keys[0] < best:
        cell = queue[0]
        count = pop(count, keys, queue)
        if done[cell]:
            continue
        done[cell] = True
        if cost[cell] + ends[cell] < best:
            best, last = cost[cell] + ends[cell], cell
        i, j = cell % nx, cell // nx
        for v in range(max(0, j - 1), min(ny, j + 2)):
            for u in range(max(0, i - 1), min(nx, i + 2)):
                to = v * nx + u
                if done[to]:
                    continue
                there = cost[cell] + _step(cell, to, x0, y0, size, nx, weights, found, ground)
                if there < cost[to]:
                    cost[to], before[to] = there, cell
                    mx, my = _middle(to, x0, y0, size, nx)
                    key = there + least * length(gx - mx, gy - my)
                    count = push(key, to, count, keys, queue)
    return last


@kernel
def search_cells(start, goal, corner, size, nx, ny, weights, ground):
    """Points (n, 2) of the cheapest path over nx x ny cells of side `size` (m) from `corner` (2,).

    Start, centres of cells, goal; empty if there is no path.
    """
    cells, x0, y0 = nx * ny, corner[0], corner[1]
    found, cost = np.full(cells, UNKNOWN, np.int32), np.full(cells, math.inf)
    before, done = np.full(cells, -1, np.int32), np.zeros(cells, np.bool_)
    ends = np.full(cells, math.inf)
    keys, queue = np.empty(8 * cells + 64), np.empty(8 * cells + 64, np.int32)
    sx, sy, gx, gy = start[0], start[1], goal[0], goal[1]
    least = least_weight(weights, ground.kind)
    _joins(sx, sy, x0, y0, size, nx, ny, weights, found, ground, cost)
    _joins(gx, gy, x0, y0, size, nx, ny, weights, found, ground, ends)
    count = 0
    i0, i1, j0, j1 = _around(sx, sy, x0, y0, size, nx, ny)
    for j in range(j0, j1):
        for i in range(i0, i1):
            cell = j * nx + i
            if cost[cell] < math.inf:
                mx, my = _middle(cell, x0, y0, size, nx)
                key = cost[cell] + least * length(gx - mx, gy - my)
                count = push(key, cell, count, keys, queue)
    table = (found, cost, before, done, ends, keys, queue)
    last = _search(gx, gy, x0, y0, size, nx, ny, weights, least, count, math.inf, ground, table)
    if last < 0:
        return np.empty((0, 2))
    steps = read_back(last, before, queue)
    out = np.empty((steps + 2, 2))
    out[0], out[-1] = start, goal
    for i in range(steps):
        out[i + 1, 0], out[i + 1, 1] = _middle(queue[i], x0, y0, size, nx)
    return out
