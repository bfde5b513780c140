"""Measurements of a finished walk."""

from __future__ import annotations

import math

from footway._numba.jit import kernel


@kernel
def least_gap(points, step, discs):
    """Least distance of a point moving along samples (n, 3) to moving discs (m, 7)."""
    least = math.inf
    for i in range(len(discs)):
        for k in range(len(points)):
            ax = points[k, 0] - discs[i, 0] - k * step * discs[i, 4]
            ay = points[k, 1] - discs[i, 1] - k * step * discs[i, 5]
            az = points[k, 2] - discs[i, 2] - k * step * discs[i, 6]
            share = 0.0
            if k + 1 < len(points):
                bx = points[k + 1, 0] - points[k, 0] - step * discs[i, 4]
                by = points[k + 1, 1] - points[k, 1] - step * discs[i, 5]
                bz = points[k + 1, 2] - points[k, 2] - step * discs[i, 6]
                squared = bx * bx + by * by + bz * bz
                if squared > 0.0:
                    share = min(1.0, max(0.0, -(ax * bx + ay * by + az * bz) / squared))
                ax, ay, az = ax + share * bx, ay + share * by, az + share * bz
            least = min(least, math.sqrt(ax * ax + ay * ay + az * az) - discs[i, 3])
    return least


@kernel
def least_depth(points, balls):
    """Least distance from samples (n, 3) to the outside of the union of balls (m, 4)."""
    least = math.inf
    for k in range(len(points)):
        best = -math.inf
        for i in range(len(balls)):
            dx = points[k, 0] - balls[i, 0]
            dy = points[k, 1] - balls[i, 1]
            dz = points[k, 2] - balls[i, 2]
            best = max(best, balls[i, 3] - math.sqrt(dx * dx + dy * dy + dz * dz))
        least = min(least, best)
    return least
