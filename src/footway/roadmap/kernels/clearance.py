"""Least clearance of the object along straight lines (rrm-roadmaps-2006, section V.A)."""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway.roadmap.kernels.line import between_lines
from footway.roadmap.kernels.space import clearance_at

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
