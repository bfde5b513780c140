"""A convex zone without walls around a character and its route: all of the route in it is visible.

It extends beyond the requested part of the route and is reused for later queries, which then take a
few comparisons, while `see` takes a microsecond. It is an octagon in a frame aligned with the
route, so that a long stretch of route has a narrow zone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from footway._numba.jit import inner
from footway.follow.kernels.visibility import point_at

FURTHER = 0.25  # length of the zone beyond sigma, relative to sigma
PAD = 0.02  # margin of the zone, relative to sigma
PAUSE = 0.0625  # progress before the next attempt after a failure, relative to sigma


class FreeZone(NamedTuple):
    """An octagon: limits of u, v, u + v and u - v in its frame. By default there is no zone yet."""

    least: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # m
    most: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # m
    frame: tuple[float, float] = (1.0, 0.0)  # direction of u
    begin: float = math.inf  # m along the route: first and last point in the zone
    end: float = 0.0
    kinds: int = 0  # bits: kinds of terrain in it
    again: float = 0.0  # m along the route, from which the next attempt is made
    attempts: int = 0


@inner
def _framed(x, y, frame):
    """u, v, u + v and u - v of a point."""
    u, v = frame[0] * x + frame[1] * y, frame[0] * y - frame[1] * x
    return u, v, u + v, u - v


@inner
def is_open(x, y, low, high, zone):
    """Whether the zone contains a point and the route from curve length `low` to `high`."""
    if low < zone.begin or high > zone.end:
        return False
    a, b, c, d = _framed(x, y, zone.frame)
    least, most = zone.least, zone.most
    return (
        (least[0] <= a) & (a <= most[0])
        & (least[1] <= b) & (b <= most[1])
        & (least[2] <= c) & (c <= most[2])
        & (least[3] <= d) & (d <= most[3])
    )  # fmt: skip


@inner
def _extended(x, y, frame, least, most):
    """Limits of an octagon that also contains a point."""
    a, b, c, d = _framed(x, y, frame)
    least = min(least[0], a), min(least[1], b), min(least[2], c), min(least[3], d)
    return least, (max(most[0], a), max(most[1], b), max(most[2], c), max(most[3], d))


@inner
def _octagon(x, y, low, high, k, pad, route):
    """Least octagon, plus a margin, around a point and the route from `low`, on line k, to `high`.

    Returns (frame, least, most).
    """
    points, lengths = route.points, route.lengths
    to_x, to_y = point_at(high, k, route)
    length = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    frame = (1.0, 0.0)
    if length > 0.0:
        frame = ((to_x - x) / length, (to_y - y) / length)
    least = most = _framed(x, y, frame)
    least, most = _extended(to_x, to_y, frame, least, most)
    from_x, from_y = point_at(low, k, route)
    least, most = _extended(from_x, from_y, frame, least, most)
    k += 1
    while k < len(lengths) and lengths[k] < high:
        least, most = _extended(points[k, 0], points[k, 1], frame, least, most)
        k += 1
    more = 1.5 * pad  # for the slanting sides
    least = least[0] - pad, least[1] - pad, least[2] - more, least[3] - more
    return frame, least, (most[0] + pad, most[1] + pad, most[2] + more, most[3] + more)


@inner
def _is_met(ax, ay, bx, by, frame, least, most):
    """Whether the line ab meets the octagon."""
    first, last = 0.0, 1.0
    from_a, from_b = _framed(ax, ay, frame), _framed(bx, by, frame)
    for i in range(4):
        a, b, low, high = from_a[i], from_b[i], least[i], most[i]
        if max(a, b) < low or min(a, b) > high:
            return False
        if a != b:
            at_low, at_high = (low - a) / (b - a), (high - a) / (b - a)
            first = max(first, min(at_low, at_high))
            last = min(last, max(at_low, at_high))
    return first <= last


@inner
def _is_free(t, frame, least, most, stamp, mesh, workspace):
    """Whether no wall meets the octagon, which t meets; and the kinds of terrain in it (bits)."""
    points, triangles, neighbours = mesh.points, mesh.triangles, mesh.neighbours
    queue, marks, kinds = workspace.triangles, workspace.marks, 0
    queue[0], marks[t], waiting = t, stamp, 1
    while waiting > 0:
        waiting -= 1
        t = queue[waiting]
        kinds |= 1 << (mesh.kind[t] & 63)
        for k in range(3):
            n = neighbours[t, k]
            if n >= 0 and marks[n] == stamp:
                continue
            i, j = triangles[t, k], triangles[t, k + 1 if k < 2 else 0]
            ax, ay, bx, by = points[i, 0], points[i, 1], points[j, 0], points[j, 1]
            if not _is_met(ax, ay, bx, by, frame, least, most):
                continue
            if n < 0 or waiting >= len(queue):
                return False, kinds
            queue[waiting], marks[n] = n, stamp
            waiting += 1
    return True, kinds


@inner
def _closed(again, attempts):
    """A zone that contains nothing."""
    none = (0.0, 0.0, 0.0, 0.0)
    return FreeZone(none, none, (1.0, 0.0), math.inf, 0.0, 0, again, attempts)


@inner(inline=False)
def renewed(x, y, t, low, high, k, sigma, around, zone):
    """Try to build a zone around a point in triangle t and the route from `low` to beyond `high`.

    After a failure, and before the next attempt is due, the zone contains nothing.
    """
    if low < zone.again:
        return _closed(zone.again, zone.attempts)
    again, attempts = low + PAUSE * sigma, zone.attempts + 1
    lengths = around.route.lengths
    high = min(lengths[len(lengths) - 1], high + FURTHER * sigma)
    frame, least, most = _octagon(x, y, low, high, k, PAD * sigma, around.route)
    stamp = -attempts  # other floods have positive stamps
    free, kinds = _is_free(t, frame, least, most, stamp, around.mesh, around.workspace)
    if not free:
        return _closed(again, attempts)
    return FreeZone(least, most, frame, low, high, kinds, again, attempts)
