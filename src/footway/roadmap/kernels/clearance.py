"""Exact clearance of the object at points and along lines (rrm-roadmaps-2006, section V.A).

The clearance along a line is its distance to the walls minus the radius in two dimensions, and its
distance to the non-free cells in three.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway.roadmap.kernels.space import clearance_at, to_segment

FEW_CELLS = 16
"""Most cells around a line whose walls are looked up; a longer line is tested with all walls."""


@inner
def obstacle_near(x, y, z, space):
    """Return the clearance at a point and the nearest obstacle point; all in lattice units."""
    size, origin = space.resolution, space.origin
    clearance, px, py, pz = clearance_at(
        origin[0] + x * size, origin[1] + y * size, origin[2] + z * size, space
    )
    x, y, z = (px - origin[0]) / size, (py - origin[1]) / size, (pz - origin[2]) / size
    return clearance / size, x, y, z


@inner
def clearance_in_cells(x, y, z, space):
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
    best = clearance_in_cells(ax, ay, az, space)
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


# -- least clearance of many lines ---------------------------------------------------------------


FINE = 1e-3  # accuracy of the least clearance in 3D, as a share of the resolution


@inner
def _next_crossing(p, d, t):
    """Return the share of a line, after t, at which a coordinate (cells) enters the next cell."""
    if d == 0.0:
        return 1.0
    here = p + t * d
    plane = math.floor(here) + 1.0 if d > 0.0 else math.ceil(here) - 1.0
    return min(1.0, (plane - p) / d)


@inner
def least_among_walls(ax, ay, bx, by, space):
    """Return the exact least clearance of a line (m): each part against the walls of its cell."""
    x0, y0, side = space.origin[0], space.origin[1], space.resolution
    ny, nx = space.jump.shape[1], space.jump.shape[2]
    px, py, dx, dy = (ax - x0) / side, (ay - y0) / side, (bx - ax) / side, (by - ay) / side
    t, best = 0.0, math.inf
    while True:
        end = max(t, min(_next_crossing(px, dx, t), _next_crossing(py, dy, t)))
        if end - t < 1e-12:
            end = min(1.0, t + 1e-12)  # step over a grid plane that rounding keeps the line on
        middle = 0.5 * (t + end)
        i = min(nx - 1, max(0, math.floor(px + middle * dx)))
        j = min(ny - 1, max(0, math.floor(py + middle * dy)))
        cell = j * nx + i
        sx, sy, ex, ey = px + t * dx, py + t * dy, px + end * dx, py + end * dy
        for slot in range(space.wall_offsets[cell], space.wall_offsets[cell + 1]):
            w, walls = space.wall_members[slot], space.walls
            away = between_lines(
                x0 + sx * side, y0 + sy * side, x0 + ex * side, y0 + ey * side,
                walls[w, 0], walls[w, 1], walls[w, 2], walls[w, 3],
            )  # fmt: skip
            best = min(best, away)
        t = end
        if t >= 1.0:
            return max(0.0, best - space.radius)


@inner
def _floor_between(low, high, length):
    """Return a lower bound of the clearance between two points, from the values at both.

    Clearance changes by no more than the distance, and its curvature is at most 1 / clearance.
    """
    steep = 0.5 * (low + high - length)
    if steep <= 0.0:
        return steep
    return max(steep, min(low, high) - length * length / (8.0 * steep))


@inner(inline=False)
def least_among_cells(a, b, space, stack):
    """Return the least clearance of a line (m): halve parts that may have less than the best."""
    length = math.sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2)
    first = clearance_at(a[0], a[1], a[2], space)[0]
    last = clearance_at(b[0], b[1], b[2], space)[0]
    best = min(first, last)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0.0, 1.0, first, last
    height = 1
    while height > 0 and best > 0.0:
        height -= 1
        t, end, low, high = stack[height, 0], stack[height, 1], stack[height, 2], stack[height, 3]
        part = (end - t) * length
        if _floor_between(low, high, part) >= best - FINE * space.resolution:
            continue
        q = 0.5 * (t + end)
        x, y = a[0] + q * (b[0] - a[0]), a[1] + q * (b[1] - a[1])
        middle = clearance_at(x, y, a[2] + q * (b[2] - a[2]), space)[0]
        best = min(best, middle)
        if height + 2 > len(stack) or part < FINE * space.resolution:
            continue
        stack[height, 0], stack[height, 1] = t, q
        stack[height, 2], stack[height, 3] = low, middle
        stack[height + 1, 0], stack[height + 1, 1] = q, end
        stack[height + 1, 2], stack[height + 1, 3] = middle, high
        height += 2
    return best


@kernel
def line_clearances(starts, ends, space, stack, out):
    """Write the least clearance along each line, starts and ends (n, 3) m, into out (n,).

    `stack` (64, 4) is scratch memory.
    """
    for row in range(len(starts)):
        a, b = starts[row], ends[row]
        if space.dimension == 2:
            out[row] = least_among_walls(a[0], a[1], b[0], b[1], space)
        else:
            out[row] = least_among_cells(a, b, space, stack)
