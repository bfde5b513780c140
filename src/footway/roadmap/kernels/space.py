"""Straight lines through cells: the local planner, visibility of corners, and exact clearance.

Lattice units: cell (i, j, k) is the closed cube from (i, j, k) to (i + 1, j + 1, k + 1), corner
(i, j, k) its lower corner. In two dimensions there is one layer of cells, and everything lies in
the plane z = 0, a face of that layer. F is the union of the closed free cells; a line is free if it
lies in F.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway._numba.math import hypot
from footway._numba.segments import share_of_segment

ON_PLANE = 1e-9  # cells; a coordinate this close to a grid plane counts as on it
FREE = 2.0  # result of hit_among for a line that hits nothing


@inner
def _at_rest(p):
    """Return the first and last cell, along one axis, of a line perpendicular to that axis.

    They differ if the line lies in a grid plane, the face that both cells share.
    """
    plane = math.floor(p + 0.5)
    if abs(p - plane) < ON_PLANE:
        return plane - 1, plane
    return math.floor(p), math.floor(p)


@inner
def _ahead(p, d):
    """Return the cell, along one axis, that contains the line just after coordinate p."""
    return math.floor(p + ON_PLANE) if d > 0.0 else math.ceil(p - ON_PLANE) - 1


@inner
def _cell_with_largest_jump(i0, i1, j0, j1, k0, k1, jump):
    """Return the cell with the largest jump among cells that share a face: (jump, i, j, k)."""
    nz, ny, nx = jump.shape
    if i0 == i1 and j0 == j1 and k0 == k1:
        if 0 <= i0 < nx and 0 <= j0 < ny and 0 <= k0 < nz:
            return int(jump[k0, j0, i0]), i0, j0, k0
        return 0, i0, j0, k0
    best, bi, bj, bk = 0, i0, j0, k0
    for k in range(max(0, k0), min(nz - 1, k1) + 1):
        for j in range(max(0, j0), min(ny - 1, j1) + 1):
            for i in range(max(0, i0), min(nx - 1, i1) + 1):
                if jump[k, j, i] > best:
                    best, bi, bj, bk = int(jump[k, j, i]), i, j, k
    return best, bi, bj, bk


@inner
def _leaves(a, d, inverse, cell, reach):
    """Return the share of the line at which it leaves the free cube around a cell, on one axis."""
    if d == 0.0:
        return math.inf
    plane = cell + reach if d > 0.0 else cell - reach + 1
    return (plane - a) * inverse


@inner
def _moving(d):
    """Return a difference of coordinates and its inverse; 0 if it is only rounding."""
    return (d, 1.0 / d) if abs(d) > ON_PLANE else (0.0, 0.0)


@inner
def hit_among(ax, ay, az, bx, by, bz, jump):
    """Return the share of the line a-b, 0 to 1, at which it leaves F; FREE (2.0) if never.

    Lattice units; a and b may be any points. It takes only `jump` of the space, which is faster in
    loops over many lines.
    """
    dx, ix = _moving(bx - ax)
    dy, iy = _moving(by - ay)
    dz, iz = _moving(bz - az)
    i0, i1 = _at_rest(ax)
    j0, j1 = _at_rest(ay)
    k0, k1 = _at_rest(az)
    if jump.shape[0] == 1 and k1 == 0:
        k0 = 0  # one layer: there is no cell below its lower face
    t = 0.0
    while True:
        if dx != 0.0:
            i0 = i1 = _ahead(ax + t * dx, dx)
        if dy != 0.0:
            j0 = j1 = _ahead(ay + t * dy, dy)
        if dz != 0.0:
            k0 = k1 = _ahead(az + t * dz, dz)
        reach, i, j, k = _cell_with_largest_jump(i0, i1, j0, j1, k0, k1, jump)
        if reach == 0:
            return t
        t = min(
            _leaves(ax, dx, ix, i, reach),
            _leaves(ay, dy, iy, j, reach),
            _leaves(az, dz, iz, k, reach),
        )
        if t >= 1.0 - ON_PLANE:
            return FREE


@inner
def segment_is_free(ax, ay, az, bx, by, bz, space):
    """Return whether the line from a to b lies in F: the local planner. Lattice units."""
    return hit_among(ax, ay, az, bx, by, bz, space.jump) == FREE


@kernel
def first_hits(starts, ends, space, out):
    """Write `hit_among` of each line, starts and ends (n, 3) in lattice units, into out (n,)."""
    for row in range(len(starts)):
        a, b = starts[row], ends[row]
        out[row] = hit_among(a[0], a[1], a[2], b[0], b[1], b[2], space.jump)


@inner
def to_segment(x, y, ax, ay, bx, by):
    """Return the distance of a point to segment a-b, and the nearest point of the segment."""
    dx, dy = bx - ax, by - ay
    t = share_of_segment(x - ax, y - ay, dx, dy)
    px, py = ax + t * dx, ay + t * dy
    return hypot(x - px, y - py), px, py


@inner
def wall_distance(x, y, walls, w):
    """Return the distance of a point to wall w, and the nearest point of the wall."""
    return to_segment(x, y, walls[w, 0], walls[w, 1], walls[w, 2], walls[w, 3])


@kernel
def near_walls(walls, above, members, ratio, x0, y0, size, nx, ny):
    """Return the walls nearest to any point of each square, in compressed rows (offsets, walls).

    There are nx by ny squares of side `size` from (x0, y0). Candidates are taken from the rows
    `above` of squares that are `ratio` times as wide.
    """
    offsets = np.zeros(nx * ny + 1, np.int64)
    out = np.empty(4 * nx * ny + len(walls), np.int32)
    distance = np.empty(len(walls))
    wide = (nx + ratio - 1) // ratio
    count = 0
    for square in range(nx * ny):
        i, j = square % nx, square // nx
        x, y = x0 + (i + 0.5) * size, y0 + (j + 0.5) * size
        row = (j // ratio) * wide + i // ratio
        best = math.inf
        for slot in range(above[row], above[row + 1]):
            distance[slot - above[row]] = wall_distance(x, y, walls, members[slot])[0]
            best = min(best, distance[slot - above[row]])
        if count + above[row + 1] - above[row] > len(out):
            bigger = np.empty(2 * (count + len(walls)), np.int32)
            bigger[:count] = out[:count]
            out = bigger
        # A wall nearest to any point of the square is at most a diagonal farther from the centre.
        for slot in range(above[row], above[row + 1]):
            if distance[slot - above[row]] <= best + 1.5 * size:
                out[count] = members[slot]
                count += 1
        offsets[square + 1] = count
    return offsets, out[:count].copy()


@inner
def _clearance_among_walls(x, y, space):
    """Return the distance to the nearest wall minus the radius (at least 0), nearest point."""
    i = math.floor((x - space.origin[0]) / space.resolution)
    j = math.floor((y - space.origin[1]) / space.resolution)
    ny, nx = space.jump.shape[1], space.jump.shape[2]
    best, nx_, ny_ = math.inf, x, y
    if 0 <= i < nx and 0 <= j < ny:
        for slot in range(space.wall_offsets[j * nx + i], space.wall_offsets[j * nx + i + 1]):
            d, px, py = wall_distance(x, y, space.walls, space.wall_members[slot])
            if d < best:
                best, nx_, ny_ = d, px, py
    else:
        for w in range(len(space.walls)):
            d, px, py = wall_distance(x, y, space.walls, w)
            if d < best:
                best, nx_, ny_ = d, px, py
    return max(0.0, best - space.radius), nx_, ny_


@inner
def _outside(p, cell):
    """Return how far coordinate p is outside the cell, along one axis."""
    return max(0.0, cell - p, p - cell - 1)


@inner
def _blocked_ahead(p, across, best, step, j, k, jump):
    """Return the squared distance to the first blocked cell of a row from p, and its index.

    `step` (1 or -1) is the direction; `across` is the squared distance from the point to the row.
    Returns `best` if no cell is nearer.
    """
    n = jump.shape[2]
    i = math.floor(p)
    while True:
        along = _outside(p, i)
        if across + along * along >= best:
            return best, i
        inside = 0 <= i < n and 0 <= j < jump.shape[1] and 0 <= k < jump.shape[0]
        if not inside or jump[k, j, i] == 0:
            return across + along * along, i
        i += step * int(jump[k, j, i])


@inner(inline=False)
def _clearance_among_cells(x, y, z, space):
    """Return the distance to the nearest blocked cell, and its nearest point; lattice units."""
    jump = space.jump
    nz, ny, nx = jump.shape
    ci = min(nx, max(0, math.floor(x + 0.5)))
    cj = min(ny, max(0, math.floor(y + 0.5)))
    ck = min(nz, max(0, math.floor(z + 0.5)))
    off = math.sqrt((x - ci) ** 2 + (y - cj) ** 2 + (z - ck) ** 2)
    bound = space.corner_clearance[ck, cj, ci] / space.resolution + off + 1e-6
    best, bi, bj, bk = bound * bound, ci, cj, ck
    for k in range(max(-1, math.floor(z - bound)), min(nz, math.floor(z + bound)) + 1):
        away = _outside(z, k) ** 2
        if away >= best:
            continue
        for j in range(max(-1, math.floor(y - bound)), min(ny, math.floor(y + bound)) + 1):
            across = away + _outside(y, j) ** 2
            for step in (1, -1):
                squared, i = _blocked_ahead(x, across, best, step, j, k, jump)
                if squared < best:
                    best, bi, bj, bk = squared, i, j, k
    px = min(bi + 1.0, max(float(bi), x))
    py = min(bj + 1.0, max(float(bj), y))
    pz = min(bk + 1.0, max(float(bk), z))
    return math.sqrt(best), px, py, pz


@inner(inline=False)
def clearance_at(x, y, z, space):
    """Return the clearance of the object at a point, and the nearest obstacle point; metres.

    In two dimensions the exact distance to the walls minus the radius, for points in walkable
    space; in three the distance to the nearest non-free cell. At least 0.
    """
    if space.dimension == 2:
        clearance, px, py = _clearance_among_walls(x, y, space)
        return clearance, px, py, 0.0
    o, r = space.origin, space.resolution
    clearance, px, py, pz = _clearance_among_cells(
        (x - o[0]) / r, (y - o[1]) / r, (z - o[2]) / r, space
    )
    return clearance * r, o[0] + px * r, o[1] + py * r, o[2] + pz * r


@kernel
def clearances_at(points, space, out):
    """Write `clearance_at` of points (n, 3) in metres into out (n, 4)."""
    for row in range(len(points)):
        c, x, y, z = clearance_at(points[row, 0], points[row, 1], points[row, 2], space)
        out[row, 0], out[row, 1], out[row, 2], out[row, 3] = c, x, y, z


@kernel
def spread_regions(fits, regions):
    """Give each voxel that fits, bool (nz, ny, nx), the number of the nearest region; int32.

    `regions` has a number from 1 in the voxels of each region, else 0; it is updated. Breadth
    first over faces. Returns the number of steps from the region, int32 with the same shape.
    """
    nz, ny, nx = regions.shape
    away = np.zeros(regions.shape, np.int32)
    queue = np.empty(regions.size, np.int32)
    size = 0
    for cell in range(regions.size):
        if regions.flat[cell] > 0:
            queue[size] = cell
            size += 1
    head = 0
    while head < size:
        cell = queue[head]
        head += 1
        i, j, k = cell % nx, cell // nx % ny, cell // (nx * ny)
        for side in range(6):
            step = 1 if side % 2 else -1
            ci = i + (step if side // 2 == 0 else 0)
            cj = j + (step if side // 2 == 1 else 0)
            ck = k + (step if side // 2 == 2 else 0)
            if not (0 <= ci < nx and 0 <= cj < ny and 0 <= ck < nz):
                continue
            if fits[ck, cj, ci] and regions[ck, cj, ci] == 0:
                regions[ck, cj, ci] = regions[k, j, i]
                away[ck, cj, ci] = away[k, j, i] + 1
                queue[size] = (ck * ny + cj) * nx + ci
                size += 1
    return away
