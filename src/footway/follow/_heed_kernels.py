"""MIRAN's look for those who are pushed about: no shortcut costs more than the route.

The weight of miran-2013 (section 3.3) is what a straight line costs for the length of route that it
gains. Routes of least cost run along the very border of ground that is disliked; who is pushed over
that border by a hand's breadth has no good line any more, and the one of least weight may lead
right through. So here a line must cost no more than the way back to the route and the route itself,
and the bends of the route are candidates too. Where no line is good enough, the character goes back
to its route at a slant. On ground of one kind all this makes no difference but for the bends.
"""

from __future__ import annotations

import math

from footway._jit import inner
from footway.follow._miran_kernels import SAME, TIE, reference_point
from footway.follow._sight_kernels import TOO_MUCH, point_at, see
from footway.follow._steer_kernels import NO_MEMORY, OUT_OF_SIGHT, WALKING
from footway.terrain._ground_kernels import FREE, trace, trace_until

DEARER = 1.05  # times the cost of the route that a line may cost
SLANT = 2.0  # times its distance to the route that a character gains on the way back to it
BACK = 0.5  # m that it gains at the least


@inner
def cost_at(s, k, lengths, costs):
    """Cost of the route up to curve length s, on line k."""
    share = (s - lengths[k]) / (lengths[k + 1] - lengths[k])
    return costs[k] + min(1.0, share) * (costs[k + 1] - costs[k])


@inner
def _split(count, lengths, intervals):
    """Cut intervals at the bends of the route, so that their ends are candidates; how many."""
    room, n = len(intervals), len(lengths)
    more = 0
    k = 1
    for i in range(count):
        while k < n - 1 and lengths[k] <= intervals[i, 0] + SAME:
            k += 1
        while k < n - 1 and lengths[k] < intervals[i, 1] - SAME:
            more += 1
            k += 1
    if count + more > room:
        return count
    at = count + more
    for i in range(count - 1, -1, -1):  # from the end, so that nothing is overwritten
        a, b = intervals[i, 0], intervals[i, 1]
        while k > 1 and lengths[k - 1] >= b - SAME:
            k -= 1
        while k > 1 and lengths[k - 1] > a + SAME:
            at -= 1
            intervals[at, 0], intervals[at, 1] = lengths[k - 1], b
            b = lengths[k - 1]
            k -= 1
        at -= 1
        intervals[at, 0], intervals[at, 1] = a, b
    return count + more


@inner
def _pick(x, y, t, r, k, limit, count, s, weights, course, costs, ground, intervals):
    """Candidate of least weight, of equal ones the farthest: (curve length, x, y); -1: none.

    The reference point r lies on line k. A line to a candidate costs at most `limit` more than the
    route up to there. From near to far: then lines to far ones need not be followed to their ends.
    """
    points, lengths = course.points, course.lengths
    best, at, at_x, at_y = math.inf, -1.0, 0.0, 0.0
    for i in range(count):
        a, b = intervals[i, 0], intervals[i, 1]
        last = int(math.ceil((b - a) / s.spacing - SAME))
        for m in range(last + 1):
            c = a + m * s.spacing if m < last else b
            d = c - r
            if d <= SAME:
                continue
            while k + 2 < len(lengths) and lengths[k + 1] < c:
                k += 1
            px, py = point_at(c, k, points, lengths)
            distance = math.sqrt((px - x) * (px - x) + (py - y) * (py - y))
            cost, most = s.least * distance, best * d * (1.0 + TIE)
            if cost > most:
                continue
            if s.least < s.most:
                most = min(most, DEARER * (limit + cost_at(c, k, lengths, costs)))
                cost = trace_until(x, y, px, py, t, most, weights, weights[:0], ground)[0]
            if cost <= most:
                best, at, at_x, at_y = min(best, cost / d), c, px, py
    return at, at_x, at_y


@inner
def _sees(x, y, t, px, py, weights, ground):
    """Whether the straight way to a point is free, and leads somewhere."""
    there = px != x or py != y
    return there and trace(x, y, px, py, t, weights, weights[:0], ground)[1] == FREE


@inner
def heed(x, y, t, low, high, k, s, weights, course, costs, ground, eyes):
    """As `look`, with costs (n,) of the route up to each of its points.

    Returns: status, reference point and its line, attraction point (m along the route, x, y).
    """
    points, lengths = course.points, course.lengths
    end = lengths[len(lengths) - 1]
    r, k = reference_point(x, y, low, high, k, points, lengths)
    far = min(end, r + s.sigma)
    count = see(x, y, t, r, far, k, course, ground, eyes)
    if count == TOO_MUCH:
        return NO_MEMORY, r, k, high, x, y
    rx, ry = point_at(r, k, points, lengths)
    off = math.sqrt((rx - x) * (rx - x) + (ry - y) * (ry - y))
    limit = 0.0
    if s.least < s.most:
        limit = trace(x, y, rx, ry, t, weights, weights[:0], ground)[0]
        limit -= cost_at(r, k, lengths, costs)
    count = _split(count, lengths, eyes.intervals)
    at, ax, ay = _pick(
        x, y, t, r, k, limit, count, s, weights, course, costs, ground, eyes.intervals
    )
    if at >= 0.0:
        return WALKING, r, k, at, ax, ay
    for c in (min(end, r + max(BACK, SLANT * off)), r, high):
        ax, ay = point_at(c, k, points, lengths)
        if _sees(x, y, t, ax, ay, weights, ground):
            return WALKING, r, k, c, ax, ay
    return OUT_OF_SIGHT, r, k, high, x, y
