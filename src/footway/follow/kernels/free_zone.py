"""A convex zone without walls around a character and its route: all of the route in it is visible.

It extends beyond the requested part of the route and is reused for later queries, which then take a
few comparisons, while `see` takes a microsecond. It is an octagon in a frame aligned with the
route, so that a long stretch of route has a narrow zone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.jit import inner
from footway.follow.kernels.visibility import point_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Fields of a zone: least and greatest u, v, u + v and u - v in its frame; then scalars.
LEAST, MOST = 0, 4
FRAME, BEGIN, END, AGAIN, TRIES = 8, 10, 11, 12, 13
FIELDS = 14

FURTHER = 0.25  # length of the zone beyond sigma, relative to sigma
PAD = 0.02  # margin of the zone, relative to sigma
PAUSE = 0.0625  # progress before the next attempt after a failure, relative to sigma


def make_zone() -> NDArray[np.float64]:
    """Allocate an empty zone."""
    zone = np.zeros(FIELDS)
    zone[BEGIN] = np.inf
    return zone


@inner
def _framed(x, y, zone):
    """u, v, u + v and u - v of a point."""
    u, v = zone[FRAME] * x + zone[FRAME + 1] * y, zone[FRAME] * y - zone[FRAME + 1] * x
    return u, v, u + v, u - v


@inner
def is_open(x, y, low, high, zone):
    """Whether the zone contains a point and the route from curve length `low` to `high`."""
    if low < zone[BEGIN] or high > zone[END]:
        return False
    a, b, c, d = _framed(x, y, zone)
    return (
        (zone[0] <= a) & (a <= zone[4])
        & (zone[1] <= b) & (b <= zone[5])
        & (zone[2] <= c) & (c <= zone[6])
        & (zone[3] <= d) & (d <= zone[7])
    )  # fmt: skip


@inner
def _take_in(x, y, zone):
    """Extend the zone to contain a point."""
    a, b, c, d = _framed(x, y, zone)
    zone[0], zone[1] = min(zone[0], a), min(zone[1], b)
    zone[2], zone[3] = min(zone[2], c), min(zone[3], d)
    zone[4], zone[5] = max(zone[4], a), max(zone[5], b)
    zone[6], zone[7] = max(zone[6], c), max(zone[7], d)


@inner
def _span(x, y, low, high, k, pad, points, lengths, zone):
    """Set the zone to contain a point and the route from `low`, on line k, to `high`."""
    to_x, to_y = point_at(high, k, points, lengths)
    length = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    zone[FRAME], zone[FRAME + 1] = 1.0, 0.0
    if length > 0.0:
        zone[FRAME], zone[FRAME + 1] = (to_x - x) / length, (to_y - y) / length
    zone[LEAST:MOST], zone[MOST:FRAME] = np.inf, -np.inf
    _take_in(x, y, zone)
    _take_in(to_x, to_y, zone)
    from_x, from_y = point_at(low, k, points, lengths)
    _take_in(from_x, from_y, zone)
    k += 1
    while k < len(lengths) and lengths[k] < high:
        _take_in(points[k, 0], points[k, 1], zone)
        k += 1
    for i in range(4):
        zone[LEAST + i] -= pad if i < 2 else 1.5 * pad
        zone[MOST + i] += pad if i < 2 else 1.5 * pad


@inner
def _is_met(ax, ay, bx, by, zone):
    """Whether the line ab meets the zone."""
    first, last = 0.0, 1.0
    from_a, from_b = _framed(ax, ay, zone), _framed(bx, by, zone)
    for i in range(4):
        a, b = from_a[i], from_b[i]
        low, high = zone[LEAST + i], zone[MOST + i]
        if max(a, b) < low or min(a, b) > high:
            return False
        if a != b:
            at_low, at_high = (low - a) / (b - a), (high - a) / (b - a)
            first = max(first, min(at_low, at_high))
            last = min(last, max(at_low, at_high))
    return first <= last


@inner
def _is_free(t, zone, stamp, ground, doors, marks):
    """Whether no wall intersects the zone, which t meets; and the kinds of terrain in it (bits)."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    kind, kinds = ground.kind, 0
    doors[0, 0], marks[t], waiting = t, stamp, 1
    while waiting > 0:
        waiting -= 1
        t = doors[waiting, 0]
        kinds |= 1 << (kind[t] & 63)
        for k in range(3):
            n = neighbours[t, k]
            if n >= 0 and marks[n] == stamp:
                continue
            i, j = triangles[t, k], triangles[t, k + 1 if k < 2 else 0]
            if not _is_met(points[i, 0], points[i, 1], points[j, 0], points[j, 1], zone):
                continue
            if n < 0 or waiting >= len(doors):
                return False, kinds
            doors[waiting, 0], marks[n] = n, stamp
            waiting += 1
    return True, kinds


@inner(inline=False)
def renew(x, y, t, low, high, k, sigma, course, ground, eyes, zone):
    """Try to build a zone around a point in triangle t and the route from `low` to beyond `high`.

    Writes the kinds of terrain in it to `eyes`. Returns whether there is a zone.
    """
    lengths = course.lengths
    zone[BEGIN] = math.inf
    if low < zone[AGAIN]:
        return False
    zone[AGAIN] = low + PAUSE * sigma
    zone[TRIES] += 1.0
    high = min(lengths[len(lengths) - 1], high + FURTHER * sigma)
    _span(x, y, low, high, k, PAD * sigma, course.points, lengths, zone)
    free, kinds = _is_free(t, zone, -int(zone[TRIES]), ground, eyes.doors, eyes.marks)
    if free:
        zone[BEGIN], zone[END], eyes.kinds[0] = low, high, kinds
    return free
