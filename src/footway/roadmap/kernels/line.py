"""Exact clearance of the object at points and along straight lines, in lattice units.

The clearance along a line is its distance to the walls minus the radius in two dimensions, and its
distance to the non-free cells in three (rrm-roadmaps-2006, section V.A).
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway.roadmap.kernels.space import clearance_at, to_segment

FEW_CELLS = 16
"""Most cells around a line whose walls are looked up; a longer line is tested with all walls."""


@inner
def obstacle_near(x, y, z, space):
    """Return the clearance at a point and the nearest obstacle point; all in lattice units."""
    size, origin = space.resolution, space.origin
    room, px, py, pz = clearance_at(
        origin[0] + x * size, origin[1] + y * size, origin[2] + z * size, space
    )
    return room / size, (px - origin[0]) / size, (py - origin[1]) / size, (pz - origin[2]) / size


@inner
def room_at(x, y, z, space):
    """Return the clearance of the object at a point in lattice units, in cells."""
    return obstacle_near(x, y, z, space)[0]


@inner(inline=False)
def line_clearance(ax, ay, az, bx, by, bz, space):
    """Return the exact least clearance along a line in lattice units, in cells."""
    if space.dimension == 2:
        return _line_to_walls(ax, ay, bx, by, space)
    return _line_to_cells(ax, ay, az, bx, by, bz, space)


@inner(inline=False)
def _line_to_walls(ax, ay, bx, by, space):
    """Return the least distance between a line and the walls, minus the radius, in cells."""
    size = space.resolution
    px, py = space.origin[0] + ax * size, space.origin[1] + ay * size
    qx, qy = space.origin[0] + bx * size, space.origin[1] + by * size
    ny, nx = space.jump.shape[1], space.jump.shape[2]
    i0, i1 = int(math.floor(min(ax, bx))), int(math.floor(max(ax, bx)))
    j0, j1 = int(math.floor(min(ay, by))), int(math.floor(max(ay, by)))
    best = math.inf
    if i0 < 0 or j0 < 0 or i1 >= nx or j1 >= ny or (i1 - i0 + 1) * (j1 - j0 + 1) > FEW_CELLS:
        for w in range(len(space.walls)):
            best = _nearer(px, py, qx, qy, w, best, space.walls)
    else:  # the wall nearest to the line is nearest to some point of one of its cells
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                for slot in range(
                    space.wall_offsets[j * nx + i], space.wall_offsets[j * nx + i + 1]
                ):
                    best = _nearer(px, py, qx, qy, space.wall_members[slot], best, space.walls)
    return max(0.0, best - space.radius) / size


@inner
def _nearer(px, py, qx, qy, w, best, walls):
    """Return the smaller of `best` and the distance between a line and wall w."""
    x0, y0, x1, y1 = walls[w, 0], walls[w, 1], walls[w, 2], walls[w, 3]
    gap_x = max(min(px, qx) - max(x0, x1), min(x0, x1) - max(px, qx))
    gap_y = max(min(py, qy) - max(y0, y1), min(y0, y1) - max(py, qy))
    if max(gap_x, gap_y) >= best:
        return best
    return min(best, between_lines(px, py, qx, qy, x0, y0, x1, y1))


@inner
def between_lines(px, py, qx, qy, x0, y0, x1, y1):
    """Return the distance between two line segments in the plane."""
    a = _side(px, py, qx, qy, x0, y0) * _side(px, py, qx, qy, x1, y1)
    b = _side(x0, y0, x1, y1, px, py) * _side(x0, y0, x1, y1, qx, qy)
    if a < 0.0 and b < 0.0:
        return 0.0
    return min(
        to_segment(px, py, x0, y0, x1, y1)[0], to_segment(qx, qy, x0, y0, x1, y1)[0],
        to_segment(x0, y0, px, py, qx, qy)[0], to_segment(x1, y1, px, py, qx, qy)[0],
    )  # fmt: skip


@inner
def _side(px, py, qx, qy, x, y):
    return (qx - px) * (y - py) - (qy - py) * (x - px)


@inner(inline=False)
def _line_to_cells(ax, ay, az, bx, by, bz, space):
    """Return the least distance between a line and the non-free cells, in cells."""
    nz, ny, nx = space.free.shape
    best = room_at(ax, ay, az, space)
    i0, i1 = int(math.floor(min(ax, bx) - best)), int(math.floor(max(ax, bx) + best))
    j0, j1 = int(math.floor(min(ay, by) - best)), int(math.floor(max(ay, by) + best))
    k0, k1 = int(math.floor(min(az, bz) - best)), int(math.floor(max(az, bz) + best))
    for k in range(k0, k1 + 1):
        gap_z = max(0.0, k - max(az, bz), min(az, bz) - k - 1)
        if gap_z >= best:
            continue
        for j in range(j0, j1 + 1):
            gap_y = max(0.0, j - max(ay, by), min(ay, by) - j - 1)
            if gap_y * gap_y + gap_z * gap_z >= best * best:
                continue
            for i in range(i0, i1 + 1):
                inside = 0 <= i < nx and 0 <= j < ny and 0 <= k < nz
                if inside and space.free[k, j, i]:
                    continue
                gap_x = max(0.0, i - max(ax, bx), min(ax, bx) - i - 1)
                if gap_x * gap_x + gap_y * gap_y + gap_z * gap_z < best * best:
                    best = min(best, _line_to_cell(ax, ay, az, bx, by, bz, i, j, k))
    return best


@inner(inline=False)
def _line_to_cell(ax, ay, az, bx, by, bz, i, j, k):
    """Return the distance between a line and a unit cube.

    The squared distance along the line is convex, and its derivative is linear between the planes
    of the cube's faces.
    """
    low, high = 0.0, 1.0
    if _slope(0.0, ax, ay, az, bx, by, bz, i, j, k) >= 0.0:
        high = 0.0
    elif _slope(1.0, ax, ay, az, bx, by, bz, i, j, k) <= 0.0:
        low = 1.0
    else:
        for axis in range(3):
            start = ax if axis == 0 else (ay if axis == 1 else az)
            along = (bx if axis == 0 else (by if axis == 1 else bz)) - start
            if along == 0.0:
                continue
            for face in range(2):
                at = ((i if axis == 0 else (j if axis == 1 else k)) + face - start) / along
                if low < at < high:
                    if _slope(at, ax, ay, az, bx, by, bz, i, j, k) < 0.0:
                        low = at
                    else:
                        high = at
    share = low
    if high > 0.0 and low < 1.0:
        down = _slope(low, ax, ay, az, bx, by, bz, i, j, k)
        up = _slope(high, ax, ay, az, bx, by, bz, i, j, k)
        share = low + (high - low) * (-down / (up - down) if up > down else 0.0)
    x = _beyond(ax + share * (bx - ax), i)
    y = _beyond(ay + share * (by - ay), j)
    z = _beyond(az + share * (bz - az), k)
    return math.sqrt(x * x + y * y + z * z)


@inner
def _slope(share, ax, ay, az, bx, by, bz, i, j, k):
    """Return half the derivative of the squared distance to a cube at a share of a line."""
    dx, dy, dz = bx - ax, by - ay, bz - az
    return (
        _beyond(ax + share * dx, i) * dx
        + _beyond(ay + share * dy, j) * dy
        + _beyond(az + share * dz, k) * dz
    )


@inner
def _beyond(x, i):
    """Return how far x is above i + 1, or below i (negative); 0 between them."""
    return max(x - i - 1.0, 0.0) + min(x - i, 0.0)
