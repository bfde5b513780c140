"""Layouts of the search for a sub-corridor, and the clearance at points (see kernels/detour)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from footway._numba.jit import inner
from footway.follow.kernels.discs import gap_to_disc, velocity_of
from footway.follow.kernels.layouts import RADIUS
from footway.follow.kernels.vectors import distance, moved, row, segment_at, size

if TYPE_CHECKING:
    import numpy as np

LEAST = 1e-4  # m, minimum clearance at the points of a path
MARGIN = 0.3 * LEAST  # m, minimum clearance of a new ball: what a link guarantees between points
LINK = 0.7  # maximum distance of two points of a path, relative to the sum of their clearances
ROUNDING = 2e-6  # m by which the clearance of a ball of the corridor may be negative

# Columns of points: nodes of the search, and points of a path.
X, Y, Z, ARC, TIME, CLEARANCE, OWNER = range(7)
REACH, METRE_COST = 7, 8  # of nodes only: possible change of clearance in the cell; cost per metre
DISC, SECOND = 7, 8  # of paths only: disc with the nearest rim, or -1; clearance without that disc
COLUMNS = 9

UX, UY, UZ, WX, WY, WZ, FRAME_COLUMNS = range(7)  # columns of frames: directions of u and w

OPEN, BLOCKED, ON_START, ON_GOAL, PINCHED = range(5)
UNDECIDED, FULL = 5, 6  # of searches only


class Run(NamedTuple):
    """A stretch of the corridor, and the discs that touch it."""

    balls: np.ndarray  # (k, 4) x, y, z, R
    arcs: np.ndarray  # (k,) arc length of the backbone, m
    changes: np.ndarray  # (k,) arc length plus the sum of all changes of R, m
    times: np.ndarray  # (k,) expected arrival of the character, s
    frames: np.ndarray  # (k, FRAME_COLUMNS) two normals of the backbone
    discs: np.ndarray  # (m, 7) x, y, z, radius, vx, vy, vz
    enabled: np.ndarray  # (m,) whether each disc is enabled
    radius: float  # of the character, m
    dimension: int
    begins: bool  # whether it begins with the corridor's first ball
    ends: bool  # whether it ends with the corridor's last ball
    across: bool  # paths may leave out parts of the backbone: cells lie along x, y and z


@inner
def place_at(run, arc, u, w):
    """Point with offsets u, w from the backbone: (point, time, segment)."""
    i = segment_at(run.arcs, arc)
    f = (arc - run.arcs[i]) / (run.arcs[i + 1] - run.arcs[i])
    g = min(1.0, max(0.0, f))  # beyond the ends normals and time are constant
    b, n = run.balls, run.frames
    e, h = 1.0 - f, 1.0 - g
    x = e * b[i, 0] + f * b[i + 1, 0] + u * (h * n[i, UX] + g * n[i + 1, UX])
    y = e * b[i, 1] + f * b[i + 1, 1] + u * (h * n[i, UY] + g * n[i + 1, UY])
    z = e * b[i, 2] + f * b[i + 1, 2] + u * (h * n[i, UZ] + g * n[i + 1, UZ])
    if w != 0.0:
        second = (
            h * n[i, WX] + g * n[i + 1, WX],
            h * n[i, WY] + g * n[i + 1, WY],
            h * n[i, WZ] + g * n[i + 1, WZ],
        )
        x, y, z = moved((x, y, z), w, second)
    return (x, y, z), h * run.times[i] + g * run.times[i + 1], i


@inner
def depth_inside(balls, t, x):
    """Depth of a point inside ball t; negative outside."""
    return balls[t, RADIUS] - distance(x, row(balls, t))


@inner
def best_ball(run, i, x):
    """Depth of a point beside segment i inside the corridor, and the ball it is deepest in."""
    best, owner = depth_inside(run.balls, i, x), i
    # On a straight backbone whose radii grow no faster than its length, the best ball is within
    # twice the point's distance; the rest is for bends.
    window = 2.0 * (run.balls[i, RADIUS] - best) + 0.5 * run.balls[i, RADIUS]
    for direction in (-1, 1):
        t = i + direction
        while 0 <= t < len(run.arcs) and abs(run.arcs[t] - run.arcs[i]) <= window:
            inside = depth_inside(run.balls, t, x)
            if inside > best:
                best, owner = inside, t
            t += direction
    return best, owner


@inner
def nearest_disc(run, x, time):
    """Distance to the nearest rim at a time, the disc, and the distance to the next one's rim.

    (inf, -1, inf) without discs.
    """
    best, disc, second = math.inf, -1, math.inf
    for j in range(len(run.discs)):
        if run.enabled[j]:
            gap = gap_to_disc(x, time, j, run.discs)
            if gap < best:
                best, disc, second = gap, j, best
            elif gap < second:
                second = gap
    return best, disc, second


@inner
def fastest_disc(run):
    """Speed of the fastest enabled disc, m/s."""
    best = 0.0
    for j in range(len(run.discs)):
        if run.enabled[j]:
            best = max(best, size(velocity_of(j, run.discs)))
    return best


@inner
def copy_row(p, a, q, b):
    """Copy row b of q to row a of p."""
    for column in range(COLUMNS):
        p[a, column] = q[b, column]


@inner
def gap_between(p, a, q, b):
    """Distance between row a of p and row b of q."""
    return distance(row(p, a), row(q, b))


@inner
def are_linked(p, a, b, fastest):
    """Whether the line between two points of a path is certainly free, with some clearance.

    Clearance changes by at most one metre per metre that the point or a disc moves.
    """
    change = gap_between(p, a, p, b) + fastest * abs(p[a, TIME] - p[b, TIME])
    least = min(p[a, CLEARANCE], p[b, CLEARANCE])
    return least >= LEAST and change <= LINK * (p[a, CLEARANCE] + p[b, CLEARANCE])


@inner
def covered(p, a, q, b):
    """Whether two shrunken balls cover the straight line between their centres."""
    low, high = min(p[a, CLEARANCE], q[b, CLEARANCE]), max(p[a, CLEARANCE], q[b, CLEARANCE])
    return low >= -ROUNDING and gap_between(p, a, q, b) <= high + max(0.0, low)


@inner
def is_free(p, k, a, b, fastest):
    """Whether the line between two nodes is free; lines between the k balls always are."""
    return are_linked(p, a, b, fastest) or (max(a, b) < k and covered(p, a, p, b))


@inner
def skip(values, t, by):
    """First index after t at which ascending values have grown by `by`, or their count."""
    n, step, least = len(values), 1, values[t] + by
    while t + step < n and values[t + step] < least:
        t += step
        step *= 2
    while step > 1:
        step //= 2
        if t + step < n and values[t + step] < least:
            t += step
    return t + 1
