"""MIRAN's attraction point, and the walk of a character that follows it (miran-2013, section 3).

`bounded_look` is for characters that others push. The weight of section 3.3 is the cost of a
straight line relative to the route length that it gains. Optimal routes run along the border of
disliked terrain; if a character is pushed slightly across that border, every line is expensive, and
the one of least weight may lead right through the terrain. So there a line may cost at most as much
as the path back to the route plus the route itself, and the bends of the route are additional
candidates. If no line qualifies, the character returns to its route at a slant. On uniform terrain
only the additional candidates matter.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._numba.jit import inner, kernel
from footway.follow.kernels.free_zone import is_open, renewed
from footway.follow.kernels.layouts import NO_MEMORY, OUT_OF_SIGHT, WALKING, Guide, rows_from
from footway.follow.kernels.steering import (
    PATIENCE,
    guided,
    is_due,
    take_step,
    turn_of_a_step,
)
from footway.follow.kernels.vectors import segment_at
from footway.follow.kernels.visibility import BEGIN, END, TOO_MUCH, point_at, see
from footway.terrain.kernels.triangles import FREE, ON_LINE, highest_rate, rate, trace, trace_within

SAME = 1e-9  # m, between points that are the same
TIE = 1e-9  # relative difference below which weights are equal
COSTLIER = 1.05  # maximum cost of a line relative to the route, if it is bounded
SLANT = 2.0  # route length gained on the path back, relative to the distance to the route
BACK = 0.5  # m, minimum of that length


# Cost of free lines ------------------------------------------------------------------------------


@inner
def _corner(t, k, x, y, ux, uy, mesh):
    """Corner k of triangle t: distance to the left of the line through (x, y), and along it."""
    p = np.uintp(mesh.triangles[np.uintp(t), np.uintp(k)])
    px, py = mesh.points[p, 0] - x, mesh.points[p, 1] - y
    return ux * py - uy * px, ux * px + uy * py


@inner
def _follow_line(x, y, ux, uy, length, t, limit, least, weights, mesh):
    """`line_cost` for a line that meets no corner and no wall; -1 if it does."""
    neighbours, kind = mesh.neighbours, mesh.kind
    s0, d0 = _corner(t, 0, x, y, ux, uy, mesh)
    s1, d1 = _corner(t, 1, x, y, ux, uy, mesh)
    s2, d2 = _corner(t, 2, x, y, ux, uy, mesh)
    if s0 < -ON_LINE and s1 > ON_LINE:  # the line leaves clearly between two corners
        k, right, along_right, left, along_left = 0, s0, d0, s1, d1
    elif s1 < -ON_LINE and s2 > ON_LINE:
        k, right, along_right, left, along_left = 1, s1, d1, s2, d2
    elif s2 < -ON_LINE and s0 > ON_LINE:
        k, right, along_right, left, along_left = 2, s2, d2, s0, d0
    else:
        return -1.0
    weight, done, cost = rate(kind[t], ux, uy, weights, mesh), 0.0, 0.0
    spare = limit - least * length
    while True:
        # The line leaves the triangle at ahead / wide metres.
        ahead, wide = along_right * left - along_left * right, left - right
        if ahead >= length * wide:
            return cost + (length - done) * weight
        if (weight - least) * ahead > (spare - cost + weight * done) * wide:
            return math.inf
        n = neighbours[np.uintp(t), np.uintp(k)]
        if n < 0:
            return -1.0
        m = np.uintp(n)
        j = 0 if neighbours[m, 0] == t else (1 if neighbours[m, 1] == t else 2)
        t = n
        tip = 2 if j == 0 else j - 1
        side, along = _corner(t, tip, x, y, ux, uy, mesh)
        other = rate(np.uintp(kind[m]), ux, uy, weights, mesh)
        if other != weight:
            reach = max(done, ahead / wide)
            cost, done, weight = cost + (reach - done) * weight, reach, other
        if side > ON_LINE:
            left, along_left, k = side, along, 0 if j == 2 else j + 1
        elif side < -ON_LINE:
            right, along_right, k = side, along, tip
        else:
            return -1.0


@inner
def line_cost(x, y, px, py, t, limit, least, weights, mesh):
    """Weighted length of the free line from (x, y) in triangle t to p; more than limit: infinite.

    A metre weighs at least `least`. Same result as `trace_within`, in half the time: only the new
    corner of each further triangle is checked, and the exit from a triangle is computed only where
    the weight of the terrain changes. Lines through corners are left to `trace_within`.
    """
    dx, dy = px - x, py - y
    length = math.sqrt(dx * dx + dy * dy)
    if length == 0.0:
        return 0.0
    cost = _follow_line(x, y, dx / length, dy / length, length, t, limit, least, weights, mesh)
    if cost >= 0.0:
        return cost
    return trace_within(x, y, px, py, t, limit, least, weights, None, mesh)[0]


# Candidates --------------------------------------------------------------------------------------


class _Candidates(NamedTuple):
    """What `_choose` compares."""

    x: float  # of the character, m
    y: float
    triangle: int
    reference: float  # m along the route
    intervals: int  # number of visible intervals
    spacing: float  # m between candidates
    least: float  # least and greatest weight of the terrain that lines pass
    most: float
    spare: float  # cost of the path back minus the route's cost up to there; infinite: no bound


@inner
def reference_point(x, y, guide, route):
    """First closest point of the route from the last reference to the last attraction point.

    See section 3.1. A character on its last attraction point has progressed to it: if the route
    passes the same position earlier, the first closest point would be that one, and the candidate
    of weight 0 under the character would attract it forever. Returns (curve length, line).
    """
    points, lengths = route.points, route.lengths
    low, high, k = guide.reference, guide.attraction, guide.line
    best, nearest, line = low, math.inf, k
    while True:
        ax, ay = points[k, 0], points[k, 1]
        dx, dy = points[k + 1, 0] - ax, points[k + 1, 1] - ay
        length = lengths[k + 1] - lengths[k]
        along = ((x - ax) * dx + (y - ay) * dy) / length
        s = max(low, min(high, lengths[k] + min(length, max(0.0, along))))
        share = (s - lengths[k]) / length
        ex, ey = ax + share * dx - x, ay + share * dy - y
        distance = math.sqrt(ex * ex + ey * ey)
        if distance < nearest - SAME:
            best, nearest, line = s, distance, k
        if lengths[k + 1] >= high or k + 2 >= len(lengths):
            break
        k += 1
    share = (high - lengths[k]) / length
    ex, ey = ax + share * dx - x, ay + share * dy - y
    if ex * ex + ey * ey <= SAME * SAME:
        return high, k
    return best, line


@inner
def _range_of_rates(kinds, weights, mesh, least, most):
    """Least and greatest rate of kinds of terrain (bits); of all kinds if there are no bits."""
    if len(weights) > 63:
        return least, most
    low, high = math.inf, 0.0
    for i in range(len(weights)):
        if (kinds >> i) & 1:
            low, high = min(low, weights[i]), max(high, highest_rate(i, weights, mesh))
    return low, high


@inner
def _range_of_all(weights, mesh):
    """Least and greatest rate of any kind of terrain."""
    low, high = math.inf, 0.0
    for i in range(len(weights)):
        low, high = min(low, weights[i]), max(high, highest_rate(i, weights, mesh))
    return low, high


@inner
def _last(i, spacing, intervals):
    """Number of the last candidate of interval i; the first is 0."""
    return int(math.ceil((intervals[i, END] - intervals[i, BEGIN]) / spacing - SAME))


@inner
def _candidate(i, m, last, spacing, intervals):
    """Curve length of candidate m of interval i; candidate `last` is at its end."""
    return intervals[i, BEGIN] + m * spacing if m < last else intervals[i, END]


@inner
def _cost_at(s, k, lengths, costs):
    """Cost of the route up to curve length s, on line k."""
    share = (s - lengths[k]) / (lengths[k + 1] - lengths[k])
    return costs[k] + min(1.0, share) * (costs[k + 1] - costs[k])


@inner
def _weight(s, k, limit, c, costs, around):
    """Weight of the line to the candidate at s, on line k (section 3.3), and its x and y.

    Infinite if it is `limit` or more, or the line is too expensive.
    """
    d = s - c.reference
    px, py = point_at(s, k, around.route)
    if costs is not None:
        bound = COSTLIER * (c.spare + _cost_at(s, k, around.route.lengths, costs))
        limit = min(limit, bound / d)
    distance = math.sqrt((px - c.x) * (px - c.x) + (py - c.y) * (py - c.y))
    if c.least * distance >= limit * d or c.least == c.most:  # uniform terrain
        weight = c.least * distance / d
    else:
        weight = line_cost(
            c.x, c.y, px, py, c.triangle, limit * d, c.least, around.weights, around.mesh
        ) / d  # fmt: skip
    return (weight if weight < limit else math.inf), px, py


@inner
def _choose(high, is_on_route, c, costs, around):
    """Attraction point: the candidate of least weight; of equal ones the farthest (section 3.3).

    Candidates are the ends of the visible intervals and every `spacing` between, but not the
    reference point if the character stands on it (`is_on_route`). Returns (curve length, x, y); -1
    if there is no candidate. With costs (n,) of the route up to each of its points, a line may not
    cost much more than `spare` plus the route.

    The candidate nearest to the last attraction point, at `high`, is tried first: it is usually
    nearly the best, so that tracing the other lines can stop early.
    """
    route, intervals, spacing = around.route, around.workspace.intervals, c.spacing
    lengths = route.lengths
    best, at, at_x, at_y, guess, before = math.inf, -1.0, 0.0, 0.0, -1.0, -1.0
    if c.intervals == 0:
        return at, at_x, at_y
    i = 0
    while i + 1 < c.intervals and intervals[i + 1, BEGIN] <= high:
        i += 1
    last, number = _last(i, spacing, intervals), int((high - intervals[i, BEGIN]) / spacing + 0.5)
    s = _candidate(i, min(last, max(0, number)), last, spacing, intervals)
    if s - c.reference > SAME:
        guess = s
        weight, px, py = _weight(s, segment_at(lengths, s), math.inf, c, costs, around)
        if weight < math.inf:
            best, at, at_x, at_y = weight, s, px, py
    k = segment_at(lengths, intervals[c.intervals - 1, END])
    for i in range(c.intervals - 1, -1, -1):
        last = _last(i, spacing, intervals)
        for m in range(last, -1, -1):
            s = _candidate(i, m, last, spacing, intervals)
            d = s - c.reference
            if s in (guess, before) or (is_on_route and d <= SAME):  # intervals may share an end
                continue
            before = s
            while k > 0 and lengths[k] >= s:
                k -= 1
            if d <= 0.0:
                if at < 0.0:
                    at = s
                    at_x, at_y = point_at(s, k, route)
                continue
            # Prefer the farthest of equal ones: only candidates beyond the best may weigh more.
            limit = best * (1.0 + TIE if s > at else 1.0 - TIE)
            weight, px, py = _weight(s, k, limit, c, costs, around)
            if weight < math.inf:
                best, at, at_x, at_y = weight, s, px, py
    return at, at_x, at_y


@inner
def _sees(x, y, t, px, py, around):
    """Whether the straight line to a point is free and has a length."""
    if px == x and py == y:
        return False
    return trace(x, y, px, py, t, around.weights, None, around.mesh)[1] == FREE


# Updates -----------------------------------------------------------------------------------------


@inner
def look(x, y, t, guide, s, least, most, around, zone):
    """Lines 4 to 6 of algorithm 1: update reference point and attraction point.

    least, most: range of the rates. Returns (status, guide, zone).
    """
    route, intervals = around.route, around.workspace.intervals
    r, k = reference_point(x, y, guide, route)
    end = route.lengths[len(route.lengths) - 1]
    if r + s.sigma < end - SAME:
        end = r + s.sigma
    if not is_open(x, y, r, end, zone):
        zone = renewed(x, y, t, r, end, k, s.sigma, around, zone)
    if zone.begin < math.inf:
        intervals[0, BEGIN], intervals[0, END], count, kinds = r, end, 1, zone.kinds
    else:
        count, kinds = see(x, y, t, r, end, k, around)
    if count == TOO_MUCH:
        return NO_MEMORY, guide, zone
    rx, ry = point_at(r, k, route)
    is_on_route = (rx - x) * (rx - x) + (ry - y) * (ry - y) <= SAME * SAME
    # Lines to visible candidates stay on the kinds of terrain that the query visited.
    least, most = _range_of_rates(kinds, around.weights, around.mesh, least, most)
    candidates = _Candidates(x, y, t, r, count, s.spacing, least, most, math.inf)
    at, ax, ay = _choose(guide.attraction, is_on_route, candidates, None, around)
    if at >= 0.0:
        return WALKING, Guide(r, k, at, ax, ay), zone
    # By lemma 1 the last attraction point is still visible: only rounding can hide it.
    for c in (guide.attraction, r):
        ax, ay = point_at(c, k, route)
        if _sees(x, y, t, ax, ay, around):
            return WALKING, Guide(r, k, c, ax, ay), zone
    return OUT_OF_SIGHT, guide, zone


@inner
def _add_bends(count, lengths, intervals):
    """Cut intervals at the bends of the route, which become candidates; return their number."""
    n, more, k = len(lengths), 0, 1
    for i in range(count):
        while k < n - 1 and lengths[k] <= intervals[i, BEGIN] + SAME:
            k += 1
        while k < n - 1 and lengths[k] < intervals[i, END] - SAME:
            more += 1
            k += 1
    if count + more > len(intervals):
        return count
    at = count + more
    for i in range(count - 1, -1, -1):  # from the end, so that nothing is overwritten
        a, b = intervals[i, BEGIN], intervals[i, END]
        while k > 1 and lengths[k - 1] >= b - SAME:
            k -= 1
        while k > 1 and lengths[k - 1] > a + SAME:
            at -= 1
            intervals[at, BEGIN], intervals[at, END] = lengths[k - 1], b
            b = lengths[k - 1]
            k -= 1
        at -= 1
        intervals[at, BEGIN], intervals[at, END] = a, b
    return count + more


@inner
def bounded_look(x, y, t, guide, s, costs, around):
    """Like `look`, bounded by the costs (n,) of the route up to each of its points.

    `s` has sigma, spacing, least and most, the range of the rates. Returns (status, guide).
    """
    route, lengths, weights = around.route, around.route.lengths, around.weights
    end = lengths[len(lengths) - 1]
    r, k = reference_point(x, y, guide, route)
    count, kinds = see(x, y, t, r, min(end, r + s.sigma), k, around)
    if count == TOO_MUCH:
        return NO_MEMORY, guide
    rx, ry = point_at(r, k, route)
    off = math.sqrt((rx - x) * (rx - x) + (ry - y) * (ry - y))
    spare, least, most = math.inf, s.least, s.most  # uniform terrain needs no bound
    if least < most:
        spare = trace(x, y, rx, ry, t, weights, None, around.mesh)[0]
        spare -= _cost_at(r, k, lengths, costs)
        least, most = _range_of_rates(kinds, weights, around.mesh, least, most)
    count = _add_bends(count, lengths, around.workspace.intervals)
    candidates = _Candidates(x, y, t, r, count, s.spacing, least, most, spare)
    at, ax, ay = _choose(guide.attraction, True, candidates, costs, around)
    if at >= 0.0:
        return WALKING, Guide(r, k, at, ax, ay)
    for c in (min(end, r + max(BACK, SLANT * off)), r, guide.attraction):
        ax, ay = point_at(c, k, route)
        if _sees(x, y, t, ax, ay, around):
            return WALKING, Guide(r, k, c, ax, ay)
    return OUT_OF_SIGHT, guide


@kernel
def miran_walk(state, steps, s, zone, discs, around, trail, first):
    """Walk up to `steps` steps: (status, samples written, state, zone)."""
    least, most = _range_of_all(around.weights, around.mesh)
    turn, patience = turn_of_a_step(s), PATIENCE + 2.0 * s.sigma / s.speed
    trail, status, k = rows_from(trail, first), WALKING, 0
    while k < steps and status == WALKING:
        if is_due(state, s):
            body = state.body
            status, guide, zone = look(
                body.x, body.y, body.triangle, state.guide, s, least, most, around, zone
            )
            if status != WALKING:
                break
            state = guided(state, guide)
        status, k, state = take_step(k, state, s, turn, patience, discs, around, trail)
    return status, k, state, zone
