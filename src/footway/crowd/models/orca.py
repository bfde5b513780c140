"""ORCA: van den Berg, Guy, Lin and Manocha (2011).

"Reciprocal n-body collision avoidance", Robotics Research (Springer Tracts in Advanced Robotics
70). Each neighbour excludes a half-plane of velocities, so that no two characters that do the same
collide within `time_horizon` (section 4).
The velocity is the permitted one that is nearest to the preferred velocity: a linear program in two
dimensions (section 5.1). If none is permitted, the greatest violation is minimised: a linear
program in three dimensions (section 5.3).

A half-plane is a point and a unit direction; velocities to its left are permitted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from footway._numba.jit import inner
from footway.crowd.kernels.pairs import (
    CONTACT,
    GAP,
    NORMAL_X,
    NORMAL_Y,
    OTHER_VX,
    OTHER_VY,
)
from footway.crowd.models.declaration import LocalModel, parameter

MOST_NEIGHBOURS = 48

# Parameters of the kernel.
TIME_HORIZON, NEIGHBOURS = range(2)
# Rows of `scratch`: half-planes by character, then those of the third dimension; sorted columns of
# `pairs` and their gaps.
PX, PY, DIRECTION_X, DIRECTION_Y, QX, QY, Q_DIRECTION_X, Q_DIRECTION_Y, COLUMN, NEAR = range(10)
SCRATCH_ROWS = 10

_PARALLEL = 1e-5  # sine of the angle below which lines are parallel


@dataclass(frozen=True)
class Orca(LocalModel):
    """Optimal reciprocal collision avoidance: no collision within a time horizon.

    Example:
        >>> import footway as fw
        >>> fw.crowd.models.Orca(time_horizon=3.0).time_horizon
        3.0

    """

    name: ClassVar[str] = "orca"
    label: ClassVar[str] = "ORCA"
    idea: ClassVar[str] = (
        "The velocity nearest to the preferred one that avoids collisions within a time horizon, "
        "if others do their half."
    )
    use: ClassVar[str] = "Games and robots: hardly any overlaps, smooth paths."
    source: ClassVar[str] = "van den Berg, Guy, Lin and Manocha (2011)"

    time_horizon: float = parameter(
        2.0, unit="s", above=0.0, high=60.0, source="van den Berg et al. (2011), section 4.1",
        help="Time in which no collision may occur.",
    )  # fmt: skip
    neighbours: float = parameter(
        10.0, low=1.0, high=MOST_NEIGHBOURS, source="default of the authors' library RVO2",
        help="Greatest number of neighbours, the nearest ones.",
    )  # fmt: skip


@inner(inline=False)
def orca_velocity(first, obstacles, end, own, parameters, pairs, scratch):
    """Return the velocity, m/s; pairs from `obstacles` on do not react."""
    count = _sort_nearest(first, end, int(parameters[NEIGHBOURS]), pairs, scratch)
    for n in range(count):
        m = int(scratch[COLUMN, n])
        share = 0.5 if m < obstacles else 1.0
        _write_half_plane(n, m, share, float(parameters[TIME_HORIZON]), own, pairs, scratch)
    wx, wy = own.speed * own.ex, own.speed * own.ey
    failed, vx, vy = _nearest_permitted(count, PX, wx, wy, own.greatest, False, scratch)
    if failed < count:
        vx, vy = _least_violating(failed, count, own.greatest, vx, vy, scratch)
    return vx, vy


@inner
def _sort_nearest(first, end, most, pairs, scratch):
    """Write the columns of the nearest pairs, nearest first; return their number."""
    count = 0
    for m in range(first, end):
        gap = pairs[GAP, m]
        if count == most and gap >= scratch[NEAR, count - 1]:
            continue
        at = count if count < most else count - 1
        while at > 0 and scratch[NEAR, at - 1] > gap:
            scratch[NEAR, at], scratch[COLUMN, at] = scratch[NEAR, at - 1], scratch[COLUMN, at - 1]
            at -= 1
        scratch[NEAR, at], scratch[COLUMN, at] = gap, m
        count = min(most, count + 1)
    return count


@inner
def _write_half_plane(n, m, share, horizon, own, pairs, scratch):
    """Write ORCA of one pair: the boundary of the velocity obstacle, moved by a share of u."""
    R = float(pairs[CONTACT, m])
    d = max(1e-6, float(pairs[GAP, m]) + R)
    x, y = -d * pairs[NORMAL_X, m], -d * pairs[NORMAL_Y, m]  # relative position of the other
    vx, vy = own.vx - pairs[OTHER_VX, m], own.vy - pairs[OTHER_VY, m]
    if d < R:
        horizon = own.dt  # they overlap: move apart within the step
    wx, wy = vx - x / horizon, vy - y / horizon  # from the centre of the cut-off circle
    dot, w2 = wx * x + wy * y, wx * wx + wy * wy
    if d < R or (dot < 0.0 and dot * dot > R * R * w2):
        w = max(1e-12, math.sqrt(w2))
        nx, ny = wx / w, wy / w
        ex, ey, u = ny, -nx, R / horizon - w
        ux, uy = u * nx, u * ny
    else:
        leg = math.sqrt(max(0.0, d * d - R * R))
        if x * wy - y * wx > 0.0:  # left leg
            ex, ey = (x * leg - y * R) / (d * d), (x * R + y * leg) / (d * d)
        else:
            ex, ey = -(x * leg + y * R) / (d * d), (x * R - y * leg) / (d * d)
        along = vx * ex + vy * ey
        ux, uy = along * ex - vx, along * ey - vy
    scratch[PX, n], scratch[PY, n] = own.vx + share * ux, own.vy + share * uy
    scratch[DIRECTION_X, n], scratch[DIRECTION_Y, n] = ex, ey


@inner(inline=False)
def _on_line(n, lines, wx, wy, greatest, is_direction, scratch):
    """Return the best velocity on the boundary of half-plane n within those before it.

    (whether there is one, vx, vy). It is nearest to w, or furthest along w if `is_direction`;
    `lines` is the first of four rows of `scratch`.
    """
    px, py = scratch[lines, n], scratch[lines + 1, n]
    ex, ey = scratch[lines + 2, n], scratch[lines + 3, n]
    dot = px * ex + py * ey
    room = dot * dot + greatest * greatest - (px * px + py * py)
    if room < 0.0:
        return False, 0.0, 0.0
    root = math.sqrt(room)
    low, high = -dot - root, -dot + root
    for j in range(n):
        fx, fy = scratch[lines + 2, j], scratch[lines + 3, j]
        cross = ex * fy - ey * fx
        qx, qy = px - scratch[lines, j], py - scratch[lines + 1, j]
        ahead = fx * qy - fy * qx
        if abs(cross) <= _PARALLEL:
            if ahead < 0.0:
                return False, 0.0, 0.0
            continue
        t = ahead / cross
        if cross >= 0.0:
            high = min(high, t)
        else:
            low = max(low, t)
        if low > high:
            return False, 0.0, 0.0
    if is_direction:
        t = high if wx * ex + wy * ey > 0.0 else low
    else:
        t = min(high, max(low, ex * (wx - px) + ey * (wy - py)))
    return True, px + t * ex, py + t * ey


@inner(inline=False)
def _nearest_permitted(count, lines, wx, wy, greatest, is_direction, scratch):
    """Return (count or the first half-plane that cannot be met, the best velocity up to there)."""
    if is_direction:
        vx, vy = greatest * wx, greatest * wy
    else:
        scale = min(1.0, greatest / max(1e-12, math.sqrt(wx * wx + wy * wy)))
        vx, vy = scale * wx, scale * wy
    for n in range(count):
        qx, qy = scratch[lines, n] - vx, scratch[lines + 1, n] - vy
        if scratch[lines + 2, n] * qy - scratch[lines + 3, n] * qx > 0.0:
            found, nx, ny = _on_line(n, lines, wx, wy, greatest, is_direction, scratch)
            if not found:
                return n, vx, vy
            vx, vy = nx, ny
    return count, vx, vy


@inner(inline=False)
def _least_violating(begin, count, greatest, vx, vy, scratch):
    """Return the velocity that minimises the greatest distance to a violated half-plane."""
    distance = 0.0
    for n in range(begin, count):
        px, py = scratch[PX, n], scratch[PY, n]
        ex, ey = scratch[DIRECTION_X, n], scratch[DIRECTION_Y, n]
        if ex * (py - vy) - ey * (px - vx) <= distance:
            continue
        used = 0
        for j in range(n):  # where half-plane j is violated as much as n
            qx, qy = scratch[PX, j], scratch[PY, j]
            fx, fy = scratch[DIRECTION_X, j], scratch[DIRECTION_Y, j]
            cross = ex * fy - ey * fx
            if abs(cross) <= _PARALLEL:
                if ex * fx + ey * fy > 0.0:
                    continue
                scratch[QX, used], scratch[QY, used] = 0.5 * (px + qx), 0.5 * (py + qy)
            else:
                t = (fx * (py - qy) - fy * (px - qx)) / cross
                scratch[QX, used], scratch[QY, used] = px + t * ex, py + t * ey
            gx, gy = fx - ex, fy - ey
            g = math.sqrt(gx * gx + gy * gy)
            scratch[Q_DIRECTION_X, used], scratch[Q_DIRECTION_Y, used] = gx / g, gy / g
            used += 1
        met, nx, ny = _nearest_permitted(used, QX, -ey, ex, greatest, True, scratch)
        if met == used:  # else: an error of rounding, keep the previous velocity
            vx, vy = nx, ny
        distance = ex * (py - vy) - ey * (px - vx)
    return vx, vy
