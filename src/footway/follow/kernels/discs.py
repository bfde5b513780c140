"""Dynamic obstacles: predicted positions, steps that stop before them, gaps of a finished walk.

`discs` is (m, 7): centre, radius and velocity at time 0.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway.follow.kernels.corridor import INSIDE, distance_to
from footway.follow.kernels.forces import repulsion

FORESIGHT = 1.5  # s, horizon for predicting the position of a moving disc


@inner
def met_at(x, v, time, i, discs):
    """Position of disc i to avoid: the current one or, if it moves, its closest approach soon."""
    wx, wy, wz = discs[i, 4], discs[i, 5], discs[i, 6]
    o = (discs[i, 0] + time * wx, discs[i, 1] + time * wy, discs[i, 2] + time * wz)
    if wx == 0.0 and wy == 0.0 and wz == 0.0:
        return o
    wx, wy, wz = wx - v[0], wy - v[1], wz - v[2]
    squared = max(wx * wx + wy * wy + wz * wz, 1e-12)
    closing = -((o[0] - x[0]) * wx + (o[1] - x[1]) * wy + (o[2] - x[2]) * wz) / squared
    soon = min(FORESIGHT, max(0.0, closing))
    return o[0] + soon * wx, o[1] + soon * wy, o[2] + soon * wz


@inner(inline=False)
def repulsions(x, v, t, time, s, balls, discs):
    """Sum of F_1 to F_n over the discs in the attraction point's ball."""
    fx = fy = fz = 0.0
    for i in range(len(discs)):
        o = met_at(x, v, time, i, discs)
        if distance_to(o, t, balls) - discs[i, 3] < balls[t, 3]:
            f = repulsion(x, o, discs[i, 3], s.radius, s.repulsion)
            fx, fy, fz = fx + f[0], fy + f[1], fz + f[2]
    return fx, fy, fz


@inner(inline=False)
def until_disc(x, to, r, time, discs):
    """Fraction of a step before it touches a disc."""
    share = 1.0
    bx, by, bz = to[0] - x[0], to[1] - x[1], to[2] - x[2]
    a = bx * bx + by * by + bz * bz
    for i in range(len(discs)):
        ax = x[0] - discs[i, 0] - time * discs[i, 4]
        ay = x[1] - discs[i, 1] - time * discs[i, 5]
        az = x[2] - discs[i, 2] - time * discs[i, 6]
        reach = discs[i, 3] + r + INSIDE
        b, c = ax * bx + ay * by + az * bz, ax * ax + ay * ay + az * az - reach * reach
        root = b * b - a * c
        if b < 0.0 and root > 0.0:
            share = min(share, max(0.0, (-b - math.sqrt(root)) / a))
    return share


@inner
def is_off(x, to, time, s, discs):
    """Whether a step touches no disc."""
    return len(discs) == 0 or until_disc(x, to, s.radius, time + s.step, discs) >= 1.0


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
