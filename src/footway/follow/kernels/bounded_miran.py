"""MIRAN's attraction point for characters that others push: no shortcut costs more than the route.

The weight of miran-2013 (section 3.3) is the cost of a straight line relative to the route length
that it gains. Optimal routes run along the border of disliked terrain; if a character is pushed
slightly across that border, every line is expensive, and the one of least weight may lead right
through the terrain. So here a line may cost at most as much as the path back to the route plus the
route itself, and the bends of the route are additional candidates. If no line qualifies, the
character returns to its route at a slant. On uniform terrain only the additional candidates matter.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway.follow.kernels.miran import SAME, choose, cost_at, range_of, reference_point
from footway.follow.kernels.steering import NO_MEMORY, OUT_OF_SIGHT, WALKING
from footway.follow.kernels.visibility import TOO_MUCH, point_at, see
from footway.terrain.kernels.triangles import FREE, trace

SLANT = 2.0  # route length gained on the way back, relative to the distance to the route
BACK = 0.5  # m, minimum of that length


@inner
def _split(count, lengths, intervals):
    """Cut intervals at the bends of the route, which become candidates; return their number."""
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
def _sees(x, y, t, px, py, weights, ground):
    """Whether the straight line to a point is free and has a length."""
    there = px != x or py != y
    return there and trace(x, y, px, py, t, weights, weights[:0], ground)[1] == FREE


@inner
def heed(x, y, t, low, high, k, s, weights, course, costs, ground, eyes):
    """Like `look`, bounded by the costs (n,) of the route up to each of its points.

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
    spare, least, most = 0.0, s.least, s.most
    if least < most:
        spare = trace(x, y, rx, ry, t, weights, weights[:0], ground)[0]
        spare -= cost_at(r, k, lengths, costs)
        least, most = range_of(eyes.kinds[0], weights, least, most)
    else:
        costs = costs[:0]
    count = _split(count, lengths, eyes.intervals)
    at, ax, ay = choose(
        x, y, t, r, high, True, count, s.spacing, weights, least, most, course, spare, costs,
        ground, eyes.intervals,
    )  # fmt: skip
    if at >= 0.0:
        return WALKING, r, k, at, ax, ay
    for c in (min(end, r + max(BACK, SLANT * off)), r, high):
        ax, ay = point_at(c, k, points, lengths)
        if _sees(x, y, t, ax, ay, weights, ground):
            return WALKING, r, k, c, ax, ay
    return OUT_OF_SIGHT, r, k, high, x, y
