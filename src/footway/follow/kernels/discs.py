"""Dynamic obstacles: predicted positions, steps that stop before them, gaps of a finished walk.

`discs` is (m, 7): centre, radius and velocity at time 0.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway.follow.kernels.layouts import INSIDE, RADIUS, VX, VY, VZ
from footway.follow.kernels.vectors import distance, dot, minus, moved, row, size

FORESIGHT = 1.5  # s, horizon for predicting the position of a moving disc


@inner
def velocity_of(i, discs):
    """Velocity of disc i."""
    return discs[i, VX], discs[i, VY], discs[i, VZ]


@inner
def from_disc(x, time, i, discs):
    """Vector from the centre of disc i at a time to a point."""
    return (
        x[0] - discs[i, 0] - time * discs[i, VX],
        x[1] - discs[i, 1] - time * discs[i, VY],
        x[2] - discs[i, 2] - time * discs[i, VZ],
    )


@inner
def gap_to_disc(x, time, i, discs):
    """Distance of a point to the rim of disc i at a time; negative inside."""
    return size(from_disc(x, time, i, discs)) - discs[i, RADIUS]


@inner
def position_to_avoid(x, v, time, i, discs):
    """Position of disc i that a character at x with velocity v has to avoid.

    A standing disc has its actual position. A moving disc has its position relative to the
    character at their closest approach within the next FORESIGHT seconds, if both keep their
    velocities. So x minus the result is the vector between them at that time, and forces along it
    turn the character to the correct side.
    """
    w = velocity_of(i, discs)
    o = moved(row(discs, i), time, w)
    if w[0] == 0.0 and w[1] == 0.0 and w[2] == 0.0:
        return o
    w = minus(w, v)
    closing = -dot(minus(o, x), w) / max(dot(w, w), 1e-12)
    return moved(o, min(FORESIGHT, max(0.0, closing)), w)


@inner(inline=False)
def until_disc(x, to, r, time, discs):
    """Fraction of a step before it touches a disc."""
    share, step = 1.0, minus(to, x)
    a = dot(step, step)
    for i in range(len(discs)):
        off = from_disc(x, time, i, discs)
        reach = discs[i, RADIUS] + r + INSIDE
        b, c = dot(off, step), dot(off, off) - reach * reach
        root = b * b - a * c
        if b < 0.0 and root > 0.0:
            share = min(share, max(0.0, (-b - math.sqrt(root)) / a))
    return share


@kernel
def least_gap(points, step, discs):
    """Least distance of a point moving along samples (n, 3) to moving discs (m, 7)."""
    least = math.inf
    for i in range(len(discs)):
        for k in range(len(points)):
            off = from_disc(row(points, k), k * step, i, discs)
            if k + 1 < len(points):
                w = velocity_of(i, discs)
                change = minus(row(points, k + 1), row(points, k))
                change = (
                    change[0] - step * w[0],
                    change[1] - step * w[1],
                    change[2] - step * w[2],
                )
                squared, share = dot(change, change), 0.0
                if squared > 0.0:
                    share = min(1.0, max(0.0, -dot(off, change) / squared))
                off = moved(off, share, change)
            least = min(least, size(off) - discs[i, RADIUS])
    return least


@kernel
def least_depth(points, balls):
    """Least distance from samples (n, 3) to the outside of the union of balls (m, 4)."""
    least = math.inf
    for k in range(len(points)):
        best = -math.inf
        for i in range(len(balls)):
            best = max(best, balls[i, RADIUS] - distance(row(points, k), row(balls, i)))
        least = min(least, best)
    return least
