"""Cones of sight: limits of directions, and which lines of a route lie outside of them."""

from __future__ import annotations

import numpy as np

from footway._numba.jit import inner
from footway.follow.kernels.interval import TOUCH, cross

SURELY = 1e-6  # m by which a line must miss a cone to be skipped


@inner
def widened(lx, ly, rx, ry, dx, dy):
    """Extend the directions r to l by d: (whether they span half a turn or more, new l and r)."""
    left, right = cross(lx, ly, dx, dy), cross(rx, ry, dx, dy)
    if left > 0.0:
        if right > 0.0:
            return False, dx, dy, rx, ry
        return True, lx, ly, rx, ry
    if right < 0.0:
        if left < 0.0:
            return False, lx, ly, dx, dy
        return True, lx, ly, rx, ry
    return (lx + rx) * dx + (ly + ry) * dy <= 0.0, lx, ly, rx, ry


@inner
def narrowed(ax, ay, bx, by, around, lx, ly, rx, ry):
    """Intersect the directions a to b with r to l: (whether any are left, left, right)."""
    if around:
        return True, bx, by, ax, ay
    to_x, to_y, from_x, from_y = bx, by, ax, ay
    if cross(bx, by, lx, ly) < 0.0 or cross(rx, ry, bx, by) < 0.0:
        to_x, to_y = lx, ly
        if cross(ax, ay, lx, ly) < 0.0 or cross(lx, ly, bx, by) < 0.0:
            return False, bx, by, ax, ay
    if cross(ax, ay, lx, ly) < 0.0 or cross(rx, ry, ax, ay) < 0.0:
        from_x, from_y = rx, ry
        if cross(ax, ay, rx, ry) < 0.0 or cross(rx, ry, bx, by) < 0.0:
            return False, bx, by, ax, ay
    return True, to_x, to_y, from_x, from_y


@inner
def is_touched(x, y, ax, ay, bx, by):
    """Whether a point lies on the side ab."""
    dx, dy = bx - ax, by - ay
    squared = dx * dx + dy * dy
    off = dx * (y - ay) - dy * (x - ax)
    if off > 0.0 and off * off > TOUCH * TOUCH * squared:
        return False
    share = min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / squared))
    ex, ey = ax + share * dx - x, ay + share * dy - y
    return ex * ex + ey * ey <= TOUCH * TOUCH


@inner
def is_past(ax, ay, bx, by, x, y, box):
    """Whether everything visible through ab lies outside the box: all rays lead outward."""
    return (
        min(ax, bx) > max(x, box[2])
        or max(ax, bx) < min(x, box[0])
        or min(ay, by) > max(y, box[3])
        or max(ay, by) < min(y, box[1])
    )


@inner
def _is_off(j, vx, vy, bar, ahead):
    """Whether line j lies more than `bar` to the left of direction v."""
    j = np.uintp(j)
    k = j + np.uintp(1)
    return (cross(vx, vy, ahead[j, 0], ahead[j, 1]) > bar) & (
        cross(vx, vy, ahead[k, 0], ahead[k, 1]) > bar
    )


@inner
def without_left(first, last, vx, vy, bar, ahead):
    """Drop lines at both ends of `first` to `last` that lie to the left of direction v."""
    bar += SURELY * (abs(vx) + abs(vy))
    while first <= last and _is_off(first, vx, vy, bar, ahead):
        first += 1
    while last > first and _is_off(last, vx, vy, bar, ahead):
        last -= 1
    return first, last


@inner
def beyond(first, last, ax, ay, bx, by, ahead):
    """Drop lines at both ends of `first` to `last` on this side of ab, with a on the left."""
    dx, dy = ax - bx, ay - by
    return without_left(first, last, dx, dy, cross(dx, dy, ax, ay), ahead)
