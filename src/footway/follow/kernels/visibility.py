"""Visible parts of a route: exact visibility by triangular expansion.

From the triangle of the character, cones of sight extend from triangle to triangle through the
sides that are not walls, and become narrower at the corners they pass (Bungiu et al., Efficient
computation of visibility polygons, 2014). The pieces of the route in a triangle are clipped to the
cone; nothing is sampled. The visible set is closed: a piece that a wall just touches is visible.

Only directions and distances of the route are searched: see `window`. Each cone stores which lines
of the route it may contain, and ends if none are left.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.jit import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


TOO_MUCH = -1  # the result exceeds the memory
ALONG = 1e-7  # m, tolerance for a corner on the limit of a cone
WIDER = 1e-3  # rad, margin of the searched directions on either side of the route


class VisibilityWorkspace(NamedTuple):
    """Memory for visibility queries: see `make_workspace`."""

    cones: NDArray[np.float64]  # (n, 4) left and right limit, from the character, m
    doors: NDArray[np.int32]  # (n, 2) triangle, and its side through which the cone enters
    intervals: NDArray[np.float64]  # (n, 2) m along the route
    marks: NDArray[np.int64]  # (t,) last flood that reached each triangle
    lines: NDArray[np.int64]  # (n, 2) first and last line of the route that the cone may contain
    ahead: NDArray[np.float64]  # (n, 2) points of the route, from the character, m
    kinds: NDArray[np.int64]  # (1,) bits: kinds of terrain that a query visited


def make_workspace(triangles: int, pieces: int) -> VisibilityWorkspace:
    """Allocate memory for a terrain with `triangles` and a course with `pieces`."""
    count = 64 + triangles + 2 * pieces
    return VisibilityWorkspace(
        np.empty((count, 4)),
        np.empty((count, 2), np.int32),
        np.empty((count, 2)),
        np.zeros(triangles, np.int64),
        np.empty((count, 2), np.int64),
        np.empty((64 + pieces, 2)),
        np.zeros(1, np.int64),
    )


@inner
def window(x, y, low, high, k, points, lengths, ahead):
    """Extent of the route from curve length `low`, on line k, to `high`, as seen from (x, y).

    Returns: x0, y0, x1, y1 of its bounding box; whether it surrounds the point; if not, directions
    to its left and right end; number of points written to `ahead`, 0 if there are too many.
    """
    px, py = point_at(low, k, points, lengths)
    x0, y0, x1, y1 = px, py, px, py
    lx, ly, rx, ry, around, count = 0.0, 0.0, 0.0, 0.0, False, 0
    while True:
        dx, dy = px - x, py - y
        if count < len(ahead):
            ahead[count, 0], ahead[count, 1] = dx, dy
        count += 1
        if not around and dx * dx + dy * dy > TOUCH * TOUCH:
            if lx == 0.0 and ly == 0.0:
                lx, ly, rx, ry = dx, dy, dx, dy
            else:
                around, lx, ly, rx, ry = widened(lx, ly, rx, ry, dx, dy)
        x0, y0, x1, y1 = min(x0, px), min(y0, py), max(x1, px), max(y1, py)
        if k + 1 >= len(lengths) or lengths[k] >= high:
            break
        k += 1
        px, py = points[k, 0], points[k, 1]
        if lengths[k] >= high:
            px, py = point_at(high, k - 1, points, lengths)
    lx, ly, rx, ry = lx - WIDER * ly, ly + WIDER * lx, rx + WIDER * ry, ry - WIDER * rx
    around = around or cross(rx, ry, lx, ly) <= 0.0
    box = (x0 - TOUCH, y0 - TOUCH, x1 + TOUCH, y1 + TOUCH)
    if count < 2 or count > len(ahead):
        ahead[0, 0], ahead[1, 0], count = (
            np.nan,
            np.nan,
            2,
        )  # one line that is never dropped
    return box, around, lx, ly, rx, ry, count


@inner
def point_at(s, k, points, lengths):
    """Point of the route at curve length s, which lies on line k or later."""
    while k + 2 < len(lengths) and lengths[k + 1] < s:
        k += 1
    share = (s - lengths[k]) / (lengths[k + 1] - lengths[k])
    if share >= 1.0:
        return points[k + 1, 0], points[k + 1, 1]
    return (
        points[k, 0] + share * (points[k + 1, 0] - points[k, 0]),
        points[k, 1] + share * (points[k + 1, 1] - points[k, 1]),
    )


@inner
def _entrance(t, n, neighbours):
    """Side of triangle n beyond which t lies."""
    n = np.uintp(n)
    if neighbours[n, 0] == t:
        return 0
    return 1 if neighbours[n, 1] == t else 2


@inner
def _look_from(x, y, t, low, high, sight, course, ground, eyes):
    """Start at all triangles that contain the point: (cones that leave them, intervals, kinds)."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    along, offsets = course.along, course.offsets
    cones, doors, intervals = eyes.cones, eyes.doors, eyes.intervals
    kind, kinds = ground.kind, 0
    box, around, lx, ly, rx, ry, _ = sight
    most = len(doors) - 1
    fan, done, waiting, count = 1, 0, 0, 0
    doors[most, 0], doors[most, 1] = t, -1  # the fan is stored at the end of the memory
    while done < fan:
        t = doors[most - done, 0]
        kinds |= 1 << (kind[t] & 63)
        done += 1
        for i in range(offsets[t], offsets[t + 1]):
            if along[i, 1] >= low and along[i, 0] <= high:
                count = note(along[i, 0], along[i, 1], low, high, count, intervals)
        for k in range(3):
            n = neighbours[t, k]
            if n < 0:
                continue
            a, b = triangles[t, k], triangles[t, k + 1 if k < 2 else 0]
            ax, ay, bx, by = points[a, 0], points[a, 1], points[b, 0], points[b, 1]
            if is_touched(x, y, ax, ay, bx, by):
                known = False
                for j in range(fan):
                    known = known or doors[most - j, 0] == n
                if not known and fan + waiting < most:
                    doors[most - fan, 0] = n
                    fan += 1
            elif not is_past(ax, ay, bx, by, x, y, box) and fan + waiting < most:
                if cross(ax - x, ay - y, bx - x, by - y) <= 0.0:
                    continue
                some, ux, uy, vx, vy = narrowed(
                    ax - x, ay - y, bx - x, by - y, around, lx, ly, rx, ry
                )
                if not some:
                    continue
                cones[waiting, 0], cones[waiting, 1] = ux, uy
                cones[waiting, 2], cones[waiting, 3] = vx, vy
                doors[waiting, 0], doors[waiting, 1] = n, _entrance(t, n, neighbours)
                waiting += 1
    return waiting, count, kinds


@inner
def _note_pieces(t, x, y, lx, ly, rx, ry, low, high, count, rest, course, intervals):
    """Add the route pieces of a cone in triangle t: (intervals, m that are not visible yet)."""
    pieces, along, offsets = course.pieces, course.along, course.offsets
    for i in range(offsets[t], offsets[t + np.uintp(1)]):
        if along[i, 1] >= low and along[i, 0] <= high:
            a, b = clip(x, y, lx, ly, rx, ry, i, pieces, along)
            count = note(a, b, low, high, count, intervals)
            rest -= max(0.0, min(b, high) - max(a, low))
    return count, rest


@inner
def _through(t, k, first, last, is_cut, vx, vy, ax, ay, bx, by, neighbours, ahead):
    """Triangle beyond side k of t, from b to a, and the lines of the route that may lie there.

    is_cut: only the part of the cone to the right of direction v leads there. -1: no triangle.
    """
    n = neighbours[t, np.uintp(k)]
    if n < 0:
        return -1, first, last
    if is_cut:
        first, last = without_left(first, last, vx, vy, 0.0, ahead)
    first, last = beyond(first, last, ax, ay, bx, by, ahead)
    return (n if first <= last else -1), first, last


@inner
def _is_beside(beside, x, y):
    """Whether a corner lies on the limit of a cone, in direction (x, y)."""
    return abs(beside) <= ALONG * (abs(x) + abs(y))


@inner
def _put(w, lx, ly, rx, ry, n, s, first, last, eyes):
    """Push a cone: limits, triangle, side of entry, lines that it may contain."""
    cones, doors, lines = eyes.cones, eyes.doors, eyes.lines
    w = np.uintp(w)
    cones[w, 0], cones[w, 1], cones[w, 2], cones[w, 3] = lx, ly, rx, ry
    doors[w, 0], doors[w, 1] = n, s
    lines[w, 0], lines[w, 1] = first, last


@inner
def _take(w, eyes):
    """Pop a cone pushed by `_put`."""
    w = np.uintp(w)
    cones, doors, lines = eyes.cones, eyes.doors, eyes.lines
    limits = cones[w, 0], cones[w, 1], cones[w, 2], cones[w, 3]
    return limits, doors[w, 0], doors[w, 1], lines[w, 0], lines[w, 1]


@inner
def _ends(n, s, x, y, points, triangles):
    """Both ends of side s of triangle n, from the character."""
    i, j = triangles[n, s], triangles[n, s + 1 if s < 2 else 0]
    return points[i, 0] - x, points[i, 1] - y, points[j, 0] - x, points[j, 1] - y


@inner
def _tidy(rest, waiting, count, low, high, eyes):
    """Merge intervals if all may be visible or memory runs out: (rest, waiting, count).

    No cone waits if all is visible, or if memory is exhausted: then count is TOO_MUCH.
    """
    intervals, room = eyes.intervals, len(eyes.doors)
    if rest <= 0.0:
        count, rest = merge(count, intervals), SPECK
        if count == 1 and intervals[0, 0] <= low and intervals[0, 1] >= high:
            return rest, -1, count
    if count + 8 > len(intervals) or waiting + 2 > room:
        count = merge(count, intervals)
        if 2 * count > len(intervals) or waiting + 2 > room:
            return rest, -1, TOO_MUCH
    return rest, waiting, count


@inner
def _expand(x, y, low, high, waiting, count, rest, kinds, course, ground, eyes):
    """Follow the last waiting cone to its end; push cones that branch off.

    Returns number of waiting cones, intervals, m not visible yet, kinds of terrain (bits).
    """
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    kind, ahead = ground.kind, eyes.ahead
    (lx, ly, rx, ry), n, s, first, last = _take(waiting, eyes)
    px, py, qx, qy = _ends(n, s, x, y, points, triangles)
    while n >= 0:
        t = np.uintp(n)
        kinds |= 1 << (kind[t] & 63)
        count, rest = _note_pieces(
            t, x, y, lx, ly, rx, ry, low, high, count, rest, course, eyes.intervals
        )
        rest, waiting, count = _tidy(rest, waiting, count, low, high, eyes)
        if waiting < 0:
            return 0, count, rest, kinds
        u, v = s + 1 if s < 2 else 0, s - 1 if s > 0 else 2
        c = np.uintp(triangles[t, np.uintp(v)])
        cx, cy = points[c, 0] - x, points[c, 1] - y
        beside_left, beside_right = cross(lx, ly, cx, cy), cross(rx, ry, cx, cy)
        if _is_beside(beside_left, lx, ly) or _is_beside(beside_right, rx, ry):
            kinds = -1  # a line of sight along a side counts as the terrain on either side
        goes_left, goes_right = beside_left < 0.0, beside_right > 0.0
        on_left, on_right = -1, -1
        from_left, to_left, from_right, to_right = first, last, first, last
        if goes_left:
            on_left, from_left, to_left = _through(
                t,
                v,
                first,
                last,
                goes_right,
                -cx,
                -cy,
                px,
                py,
                cx,
                cy,
                neighbours,
                ahead,
            )
        if goes_right:
            on_right, from_right, to_right = _through(
                t, u, first, last, goes_left, cx, cy, cx, cy, qx, qy, neighbours, ahead
            )
        if on_left >= 0 and on_right >= 0:
            side = _entrance(n, on_left, neighbours)
            _put(waiting, lx, ly, cx, cy, on_left, side, from_left, to_left, eyes)
            waiting, on_left = waiting + 1, -1
        if on_left >= 0:
            rx, ry = (cx, cy) if goes_right else (rx, ry)
            s = _entrance(n, on_left, neighbours)
            n, qx, qy, first, last = on_left, cx, cy, from_left, to_left
        elif on_right >= 0:
            lx, ly = (cx, cy) if goes_left else (lx, ly)
            s = _entrance(n, on_right, neighbours)
            n, px, py, first, last = on_right, cx, cy, from_right, to_right
        else:
            n = -1
    return waiting, count, rest, kinds


@inner
def see(x, y, t, low, high, k, course, ground, eyes):
    """Find the parts of the route from `low` (on line k) to `high` that are visible from (x, y).

    The point lies in triangle t. Writes disjoint, ascending intervals [a, b] to `eyes` and returns
    their number, or TOO_MUCH. Lines of sight to them pass only over the kinds of terrain in `eyes`.
    """
    intervals, lines = eyes.intervals, eyes.lines
    sight = window(x, y, low, high, k, course.points, course.lengths, eyes.ahead)
    waiting, count, kinds = _look_from(x, y, t, low, high, sight, course, ground, eyes)
    rest = high - low - SPECK  # m of the window that are not visible yet
    for i in range(count):
        rest -= intervals[i, 1] - intervals[i, 0]
    for i in range(waiting):
        lines[i, 0], lines[i, 1] = 0, sight[6] - 2
    while waiting > 0:
        waiting, count, rest, kinds = _expand(
            x, y, low, high, waiting - 1, count, rest, kinds, course, ground, eyes
        )
    eyes.kinds[0] = kinds
    if count == TOO_MUCH:
        return TOO_MUCH
    return without_specks(merge(count, intervals), intervals)
