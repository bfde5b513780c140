"""MIRAN's attraction point, and the walk of a character that follows it (miran-2013, section 3)."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.follow.kernels.free_zone import is_open, renew
from footway.follow.kernels.steering import (
    ATTRACTION,
    LINE,
    NO_MEMORY,
    OUT_OF_SIGHT,
    PATIENCE,
    REFERENCE,
    TRIANGLE,
    WALKING,
    X,
    is_due,
    note_look,
    take_step,
    turn_of_a_step,
)
from footway.follow.kernels.visibility import TOO_MUCH, point_at, see
from footway.terrain.kernels.triangles import FREE, ON_LINE, trace, trace_within


@inner
def _corner(t, k, x, y, ux, uy, points, triangles):
    """Corner k of triangle t: distance to the left of the line through (x, y), and along it."""
    p = np.uintp(triangles[np.uintp(t), np.uintp(k)])
    px, py = points[p, 0] - x, points[p, 1] - y
    return ux * py - uy * px, ux * px + uy * py


@inner
def _way_out(t, x, y, ux, uy, points, triangles):
    """Side of t through which the line leaves it, and its ends: right, along, left, along; or -1.

    -1: not clearly between two corners.
    """
    s0, d0 = _corner(t, 0, x, y, ux, uy, points, triangles)
    s1, d1 = _corner(t, 1, x, y, ux, uy, points, triangles)
    s2, d2 = _corner(t, 2, x, y, ux, uy, points, triangles)
    if s0 < -ON_LINE and s1 > ON_LINE:
        return 0, s0, d0, s1, d1
    if s1 < -ON_LINE and s2 > ON_LINE:
        return 1, s1, d1, s2, d2
    if s2 < -ON_LINE and s0 > ON_LINE:
        return 2, s2, d2, s0, d0
    return -1, s0, d0, s1, d1


@inner
def _follow(x, y, ux, uy, length, t, limit, least, weights, ground):
    """`weigh` for a line that meets no corner and no wall; -1 if it does."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    kind = ground.kind
    k, right, along_right, left, along_left = _way_out(t, x, y, ux, uy, points, triangles)
    if k < 0:
        return -1.0
    weight, done, cost = weights[kind[t]], 0.0, 0.0
    room = limit - least * length
    while True:
        # The line leaves the triangle at ahead / wide metres.
        ahead, wide = along_right * left - along_left * right, left - right
        if ahead >= length * wide:
            return cost + (length - done) * weight
        if (weight - least) * ahead > (room - cost + weight * done) * wide:
            return math.inf
        n = neighbours[np.uintp(t), np.uintp(k)]
        if n < 0:
            return -1.0
        m = np.uintp(n)
        j = 0 if neighbours[m, 0] == t else (1 if neighbours[m, 1] == t else 2)
        t = n
        tip = 2 if j == 0 else j - 1
        side, along = _corner(t, tip, x, y, ux, uy, points, triangles)
        other = weights[np.uintp(kind[m])]
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
def weigh(x, y, px, py, t, limit, least, weights, ground):
    """Weighted length of the free line from (x, y) in triangle t to p; more than limit: infinite.

    A metre weighs at least `least`.
    """
    dx, dy = px - x, py - y
    length = math.sqrt(dx * dx + dy * dy)
    if length == 0.0:
        return 0.0
    cost = _follow(x, y, dx / length, dy / length, length, t, limit, least, weights, ground)
    if cost >= 0.0:
        return cost
    return trace_within(x, y, px, py, t, limit, least, weights, weights[:0], ground)[0]


SAME = 1e-9  # m, between points that are the same
TIE = 1e-9  # relative difference below which weights are equal
DEARER = 1.05  # maximum cost of a line relative to the route, if costs are given


@inner
def reference_point(x, y, low, high, k, points, lengths):
    """First closest point of the route from `low`, on line k, to `high` (section 3.1).

    A character on its last attraction point has progressed to `high`: if the route passes the same
    position earlier, the first closest point would be that one, and the candidate of weight 0 under
    the character would attract it forever. Returns (curve length, line).
    """
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
def _weight(x, y, t, px, py, d, limit, weights, least, most, ground):
    """Weight of the line from the character to a candidate (section 3.3), or `limit` or more."""
    distance = math.sqrt((px - x) * (px - x) + (py - y) * (py - y))
    if least * distance >= limit * d or least == most:  # uniform terrain
        return least * distance / d
    return weigh(x, y, px, py, t, limit * d, least, weights, ground) / d


@inner
def range_of(kinds, weights, least, most):
    """Least and greatest weight of kinds of terrain (bits); of all kinds if there are no bits."""
    if len(weights) > 63:
        return least, most
    low, high = math.inf, 0.0
    for i in range(len(weights)):
        if (kinds >> i) & 1:
            low, high = min(low, weights[i]), max(high, weights[i])
    return low, high


@inner
def _line_of(s, lengths):
    """Line of the route on which curve length s lies."""
    low, high = 0, len(lengths) - 2
    while low < high:
        middle = (low + high + 1) // 2
        if lengths[middle] > s:
            high = middle - 1
        else:
            low = middle
    return low


@inner
def _last(i, spacing, intervals):
    """Number of the last candidate of interval i; the first is 0."""
    return int(math.ceil((intervals[i, 1] - intervals[i, 0]) / spacing - SAME))


@inner
def _candidate(i, m, last, spacing, intervals):
    """Curve length of candidate m of interval i; candidate `last` is at its end."""
    return intervals[i, 0] + m * spacing if m < last else intervals[i, 1]


@inner
def _guess(high, count, spacing, intervals):
    """Candidate that is nearest to curve length `high`: (its interval, its number there)."""
    i = 0
    while i + 1 < count and intervals[i + 1, 0] <= high:
        i += 1
    number = int((high - intervals[i, 0]) / spacing + 0.5)
    return i, min(_last(i, spacing, intervals), max(0, number))


@inner
def cost_at(s, k, lengths, costs):
    """Cost of the route up to curve length s, on line k."""
    share = (s - lengths[k]) / (lengths[k + 1] - lengths[k])
    return costs[k] + min(1.0, share) * (costs[k + 1] - costs[k])


@inner
def _allowed(s, k, spare, lengths, costs):
    """Maximum cost of a line to curve length s, on line k; infinite without costs."""
    if len(costs) == 0:
        return math.inf
    return DEARER * (spare + cost_at(s, k, lengths, costs))


@inner
def choose(
    x, y, t, r, high, own, count, spacing, weights, least, most, course, spare, costs, ground,
    intervals,
):  # fmt: skip
    """Attraction point: the candidate of least weight; of equal ones the farthest (section 3.3).

    Candidates are the ends of the visible intervals and every `spacing` between, but not the
    reference point r if the character stands on it (`own`). Returns (curve length, x, y); -1 if
    there is no candidate. With costs (n,) of the route up to each of its points, a line may not
    cost much more than `spare` plus the route.

    The candidate nearest to the last attraction point, at `high`, is tried first: it is usually
    nearly the best, so that tracing the other lines can stop early.
    """
    points, lengths = course.points, course.lengths
    best, at, at_x, at_y, guess, before = math.inf, -1.0, 0.0, 0.0, -1.0, -1.0
    if count == 0:
        return at, at_x, at_y
    i, m = _guess(high, count, spacing, intervals)
    s = _candidate(i, m, _last(i, spacing, intervals), spacing, intervals)
    if s - r > SAME:
        k, guess = _line_of(s, lengths), s
        px, py = point_at(s, k, points, lengths)
        limit = _allowed(s, k, spare, lengths, costs) / (s - r)
        weight = _weight(x, y, t, px, py, s - r, limit, weights, least, most, ground)
        if weight < limit:
            best, at, at_x, at_y = weight, s, px, py
    k = _line_of(intervals[count - 1, 1], lengths)
    for i in range(count - 1, -1, -1):
        last = _last(i, spacing, intervals)
        for m in range(last, -1, -1):
            s = _candidate(i, m, last, spacing, intervals)
            d = s - r
            if s in (guess, before) or (own and d <= SAME):  # intervals may share an end
                continue
            before = s
            while k > 0 and lengths[k] >= s:
                k -= 1
            px, py = point_at(s, k, points, lengths)
            if d <= 0.0:
                if at < 0.0:
                    at, at_x, at_y = s, px, py
                continue
            # Prefer the farthest of equal ones: only candidates beyond the best may weigh more.
            limit = best * (1.0 + TIE if s > at else 1.0 - TIE)
            limit = min(limit, _allowed(s, k, spare, lengths, costs) / d)
            weight = _weight(x, y, t, px, py, d, limit, weights, least, most, ground)
            if weight < limit:
                best, at, at_x, at_y = weight, s, px, py
    return at, at_x, at_y


@inner
def look(x, y, t, low, high, k, sigma, spacing, weights, least, most, course, ground, eyes, zone):
    """Lines 4 to 6 of algorithm 1: update reference point and attraction point.

    low, high: the last reference and attraction point, m along the route; k: line of `low`; least,
    most: range of the weights.

    Returns: status, reference point and its line, attraction point (m along the route, x, y).
    """
    points, lengths = course.points, course.lengths
    r, k = reference_point(x, y, low, high, k, points, lengths)
    end = lengths[len(lengths) - 1]
    if r + sigma < end - SAME:
        end = r + sigma
    count = 1
    if is_open(x, y, r, end, zone) or renew(x, y, t, r, end, k, sigma, course, ground, eyes, zone):
        eyes.intervals[0, 0], eyes.intervals[0, 1] = r, end
    else:
        count = see(x, y, t, r, end, k, course, ground, eyes)
    if count == TOO_MUCH:
        return NO_MEMORY, r, k, high, x, y
    rx, ry = point_at(r, k, points, lengths)
    own = (rx - x) * (rx - x) + (ry - y) * (ry - y) <= SAME * SAME
    # Lines to visible candidates stay on the kinds of terrain that the query visited.
    least, most = range_of(eyes.kinds[0], weights, least, most)
    at, ax, ay = choose(
        x, y, t, r, high, own, count, spacing, weights, least, most, course, 0.0, weights[:0],
        ground, eyes.intervals,
    )  # fmt: skip
    if at >= 0.0:
        return WALKING, r, k, at, ax, ay
    # By lemma 1 the last attraction point is still visible: only rounding can hide it.
    for s in (high, r):
        ax, ay = point_at(s, k, points, lengths)
        if (ax != x or ay != y) and trace(x, y, ax, ay, t, weights, weights[:0], ground)[1] == FREE:
            return WALKING, r, k, s, ax, ay
    return OUT_OF_SIGHT, r, k, high, x, y


@kernel
def miran_walk(
    state, steps, s, weights, discs, course, ground, eyes, zone, points, velocities, directions,
    places,
):  # fmt: skip
    """Walk up to `steps` steps: (status, samples written).

    The velocity of a sample leads to the next sample. places (n, 4): reference and
    attraction point of each sample, m along the route, and x, y of the latter.
    """
    least, most = weights.min(), weights.max()
    turn, patience = turn_of_a_step(s), PATIENCE + 2.0 * s.sigma / s.speed
    status, row = WALKING, 0
    while row < steps and status == WALKING:
        if is_due(state, s):
            status, r, k, at, ax, ay = look(
                state[X], state[X + 1], int(state[TRIANGLE]), state[REFERENCE], state[ATTRACTION],
                int(state[LINE]), s.sigma, s.spacing, weights, least, most, course, ground, eyes,
                zone,
            )  # fmt: skip
            if status != WALKING:
                break
            note_look(state, r, k, at, ax, ay)
        status, row = take_step(
            row, state, s, turn, patience, weights, discs, course.lengths, ground, eyes, points,
            velocities, directions, places,
        )  # fmt: skip
    return status, row


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
