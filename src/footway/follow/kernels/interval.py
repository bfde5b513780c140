"""Pieces of a route in a cone of sight, as intervals of curve length."""

from __future__ import annotations

import math

from footway._numba.jit import inner

TOUCH = 1e-9  # m, tolerance for pieces at the limit of a cone and points on a side
SPECK = 1e-7  # m, maximum length of an interval that is visible only due to rounding


@inner
def cross(ax, ay, bx, by):
    """Cross product: positive if b points to the left of a."""
    return ax * by - ay * bx


@inner
def note(a, b, low, high, count, intervals):
    """Add an interval, clipped to the window; return the new number of intervals."""
    a, b = max(a, low), min(b, high)
    if a > b:
        return count
    if count > 0 and a >= intervals[count - 1, 0] and a <= intervals[count - 1, 1] + TOUCH:
        intervals[count - 1, 1] = max(b, intervals[count - 1, 1])
        return count
    intervals[count, 0], intervals[count, 1] = a, b
    return count + 1


@inner
def clip(x, y, lx, ly, rx, ry, i, pieces, along):
    """Curve lengths between which piece i lies in a cone; empty if it does not."""
    ax, ay = pieces[i, 0] - x, pieces[i, 1] - y
    bx, by = pieces[i, 2] - x, pieces[i, 3] - y
    left_a, left_b = cross(ax, ay, lx, ly), cross(bx, by, lx, ly)
    right_a, right_b = cross(rx, ry, ax, ay), cross(rx, ry, bx, by)
    first, last = 0.0, 1.0
    if min(left_a, left_b) < 0.0:
        slack = TOUCH * math.sqrt(lx * lx + ly * ly)
        first, last = _inside(first, last, left_a + slack, left_b + slack)
    if min(right_a, right_b) < 0.0:
        slack = TOUCH * math.sqrt(rx * rx + ry * ry)
        first, last = _inside(first, last, right_a + slack, right_b + slack)
    length = along[i, 1] - along[i, 0]
    if first > last:
        return 1.0, 0.0
    return along[i, 0] + first * length, along[i, 0] + last * length


@inner
def _inside(first, last, a, b):
    """Clip the fractions `first` to `last` of a line to where a value from a to b is >= 0."""
    if a < 0.0 and b < 0.0:
        return 1.0, 0.0
    if a < 0.0:
        return max(first, a / (a - b)), last
    if b < 0.0:
        return first, min(last, a / (a - b))
    return first, last


@inner
def merge(count, intervals):
    """Sort intervals and merge those that touch; return their new number."""
    for i in range(1, count):
        a, b = intervals[i, 0], intervals[i, 1]
        j = i
        while j > 0 and intervals[j - 1, 0] > a:
            intervals[j, 0], intervals[j, 1] = intervals[j - 1, 0], intervals[j - 1, 1]
            j -= 1
        intervals[j, 0], intervals[j, 1] = a, b
    kept = 0
    for i in range(count):
        if kept > 0 and intervals[i, 0] <= intervals[kept - 1, 1] + SPECK:
            intervals[kept - 1, 1] = max(intervals[kept - 1, 1], intervals[i, 1])
        else:
            intervals[kept, 0], intervals[kept, 1] = intervals[i, 0], intervals[i, 1]
            kept += 1
    return kept


@inner
def without_specks(count, intervals):
    """Drop intervals that are visible only due to rounding, unless there are no others."""
    kept = 0
    for i in range(count):
        if intervals[i, 1] - intervals[i, 0] > SPECK:
            intervals[kept, 0], intervals[kept, 1] = intervals[i, 0], intervals[i, 1]
            kept += 1
    return kept if kept > 0 else count
