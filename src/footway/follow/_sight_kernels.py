"""What a character sees of its route: exact visibility by triangular expansion.

From the triangle that holds the character, cones of sight go from triangle to triangle through
the sides that are no walls, and get narrower at the corners they pass (Bungiu et al., Efficient
computation of visibility polygons, 2014). The pieces of the route in a triangle are clipped to the
cone: no line of sight is tried, and nothing is sampled. Seen is the closed set: a piece that a wall
just touches is seen.

Only what lies in the directions of the route, and not beyond it, is looked at: see `window`. And
each cone knows which lines of the route it may hold: it ends where none are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._jit import inner
from footway.follow._interval_kernels import (
    SPECK,
    TOUCH,
    clip,
    cross,
    merge,
    note,
    without_specks,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOO_MUCH = -1  # more is seen than there is memory for
SURELY = 1e-6  # m, by which a line must miss a cone to be left out
ALONG = 1e-7  # m, off a limit of a cone, for a corner from which a side may lead along it
WIDER = 1e-3  # rad, by which the character looks past the route on either side


class Eyes(NamedTuple):
    """Memory for looking around: see `make_eyes`."""

    cones: NDArray[np.float64]  # (n, 4) left and right limit, from the character, m
    doors: NDArray[np.int32]  # (n, 2) triangle, and the side of it that the cone comes through
    intervals: NDArray[np.float64]  # (n, 2) m along the route
    marks: NDArray[np.int64]  # (t,) last flood that came to each triangle
    lines: NDArray[np.int64]  # (n, 2) first and last line of the route that the cone may hold
    ahead: NDArray[np.float64]  # (n, 2) points of the route, from the character, m
    kinds: NDArray[np.int64]  # (1,) bits: kinds of ground that a look passed over


def make_eyes(triangles: int, pieces: int) -> Eyes:
    """Memory for a ground of so many triangles and a course of so many pieces."""
    count = 64 + triangles + 2 * pieces
    return Eyes(
        np.empty((count, 4)),
        np.empty((count, 2), np.int32),
        np.empty((count, 2)),
        np.zeros(triangles, np.int64),
        np.empty((count, 2), np.int64),
        np.empty((64 + pieces, 2)),
        np.zeros(1, np.int64),
    )


@inner
def _widened(lx, ly, rx, ry, dx, dy):
    """Directions r to l and d, as seen from a point: whether they span half a turn; new l and r."""
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
def window(x, y, low, high, k, points, lengths, ahead):
    """Where the route lies from curve length `low`, on line k, to `high`, as seen from (x, y).

    Returns: x0, y0, x1, y1 of the box around it; whether it lies all around the point; if not,
    directions to the left and to the right of it; how many points are written to `ahead`, 0 where
    they are too many.
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
                around, lx, ly, rx, ry = _widened(lx, ly, rx, ry, dx, dy)
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
        ahead[0, 0], ahead[1, 0], count = np.nan, np.nan, 2  # one line that is never left out
    return box, around, lx, ly, rx, ry, count


@inner
def _is_off(j, vx, vy, bar, ahead):
    """Whether line j lies more than `bar` to the left of direction v."""
    j = np.uintp(j)
    k = j + np.uintp(1)
    return (cross(vx, vy, ahead[j, 0], ahead[j, 1]) > bar) & (
        cross(vx, vy, ahead[k, 0], ahead[k, 1]) > bar
    )


@inner
def _cut(first, last, vx, vy, bar, ahead):
    """Lines `first` to `last`, without those at both ends that lie to the left of direction v."""
    bar += SURELY * (abs(vx) + abs(vy))
    while first <= last and _is_off(first, vx, vy, bar, ahead):
        first += 1
    while last > first and _is_off(last, vx, vy, bar, ahead):
        last -= 1
    return first, last


@inner
def _beyond(first, last, ax, ay, bx, by, ahead):
    """Lines `first` to `last`, without those at both ends on this side of ab, a on the left."""
    dx, dy = ax - bx, ay - by
    return _cut(first, last, dx, dy, cross(dx, dy, ax, ay), ahead)


@inner
def _narrowed(ax, ay, bx, by, around, lx, ly, rx, ry):
    """Directions from a to b that also lie from r to l: whether there are any, left, right."""
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
def _is_touched(x, y, ax, ay, bx, by):
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
def _is_past(ax, ay, bx, by, x, y, box):
    """Whether all that is seen through ab lies outside the box: every ray goes on outward."""
    return (
        min(ax, bx) > max(x, box[2])
        or max(ax, bx) < min(x, box[0])
        or min(ay, by) > max(y, box[3])
        or max(ay, by) < min(y, box[1])
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
    """Begin: all triangles that hold the point; (cones that leave them, intervals, kinds)."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    along, offsets = course.along, course.offsets
    cones, doors, intervals = eyes.cones, eyes.doors, eyes.intervals
    kind, kinds = ground.kind, 0
    box, around, lx, ly, rx, ry, _ = sight
    most = len(doors) - 1
    fan, done, waiting, count = 1, 0, 0, 0
    doors[most, 0], doors[most, 1] = t, -1  # the fan is kept at the end of the memory
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
            if _is_touched(x, y, ax, ay, bx, by):
                known = False
                for j in range(fan):
                    known = known or doors[most - j, 0] == n
                if not known and fan + waiting < most:
                    doors[most - fan, 0] = n
                    fan += 1
            elif not _is_past(ax, ay, bx, by, x, y, box) and fan + waiting < most:
                if cross(ax - x, ay - y, bx - x, by - y) <= 0.0:
                    continue
                some, ux, uy, vx, vy = _narrowed(
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
def see(x, y, t, low, high, k, course, ground, eyes):
    """Parts of the route from curve length `low` (on line k) to `high` that are seen from (x, y).

    The point lies in triangle t. The intervals [a, b] are in `eyes`, in order and apart from each
    other; returned is their number, or TOO_MUCH. No line of sight to them leads over other kinds of
    ground than those in `eyes`.
    """
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    pieces, along, offsets = course.pieces, course.along, course.offsets
    cones, doors, intervals = eyes.cones, eyes.doors, eyes.intervals
    ahead, lines = eyes.ahead, eyes.lines
    sight = window(x, y, low, high, k, course.points, course.lengths, ahead)
    kind = ground.kind
    waiting, count, kinds = _look_from(x, y, t, low, high, sight, course, ground, eyes)
    rest = high - low - SPECK  # m of the window that were not seen yet
    for i in range(count):
        rest -= intervals[i, 1] - intervals[i, 0]
    for i in range(waiting):
        lines[i, 0], lines[i, 1] = 0, sight[6] - 2
    while waiting > 0:
        waiting -= 1
        w = np.uintp(waiting)
        n, s, first, last = doors[w, 0], doors[w, 1], lines[w, 0], lines[w, 1]
        lx, ly, rx, ry = cones[w, 0], cones[w, 1], cones[w, 2], cones[w, 3]
        i, j = triangles[n, s], triangles[n, s + 1 if s < 2 else 0]
        px, py, qx, qy = points[i, 0] - x, points[i, 1] - y, points[j, 0] - x, points[j, 1] - y
        while n >= 0:
            t = np.uintp(n)
            kinds |= 1 << (kind[t] & 63)
            for i in range(offsets[t], offsets[t + np.uintp(1)]):
                if along[i, 1] >= low and along[i, 0] <= high:
                    a, b = clip(x, y, lx, ly, rx, ry, i, pieces, along)
                    count = note(a, b, low, high, count, intervals)
                    rest -= max(0.0, min(b, high) - max(a, low))
            if rest <= 0.0:
                count = merge(count, intervals)
                if count == 1 and intervals[0, 0] <= low and intervals[0, 1] >= high:
                    eyes.kinds[0] = kinds
                    return 1
                rest = SPECK
            if count + 8 > len(intervals) or waiting + 2 > len(doors):
                count = merge(count, intervals)
                if 2 * count > len(intervals) or waiting + 2 > len(doors):
                    return TOO_MUCH
            u = s + 1 if s < 2 else 0
            v = s - 1 if s > 0 else 2
            c = np.uintp(triangles[t, np.uintp(v)])
            cx, cy = points[c, 0] - x, points[c, 1] - y
            beside_left, beside_right = cross(lx, ly, cx, cy), cross(rx, ry, cx, cy)
            if abs(beside_left) <= ALONG * (abs(lx) + abs(ly)) or abs(beside_right) <= ALONG * (
                abs(rx) + abs(ry)
            ):  # a line of sight along a side counts as the ground on either side of it
                kinds = -1
            on_left, on_right = -1, -1
            first_left, last_left, first_right, last_right = first, last, first, last
            if beside_left < 0.0:
                on_left = neighbours[t, np.uintp(v)]
                if on_left >= 0:
                    if beside_right > 0.0:
                        first_left, last_left = _cut(first, last, -cx, -cy, 0.0, ahead)
                    first_left, last_left = _beyond(first_left, last_left, px, py, cx, cy, ahead)
                    if first_left > last_left:
                        on_left = -1
            if beside_right > 0.0:
                on_right = neighbours[t, np.uintp(u)]
                if on_right >= 0:
                    if beside_left < 0.0:
                        first_right, last_right = _cut(first, last, cx, cy, 0.0, ahead)
                    first_right, last_right = _beyond(
                        first_right, last_right, cx, cy, qx, qy, ahead
                    )
                    if first_right > last_right:
                        on_right = -1
            if on_left >= 0 and on_right >= 0:
                w = np.uintp(waiting)
                cones[w, 0], cones[w, 1], cones[w, 2], cones[w, 3] = lx, ly, cx, cy
                doors[w, 0], doors[w, 1] = on_left, _entrance(n, on_left, neighbours)
                lines[w, 0], lines[w, 1] = first_left, last_left
                waiting += 1
                on_left = -1
            if on_left >= 0:
                if beside_right > 0.0:
                    rx, ry = cx, cy
                s = _entrance(n, on_left, neighbours)
                n, qx, qy, first, last = on_left, cx, cy, first_left, last_left
            elif on_right >= 0:
                if beside_left < 0.0:
                    lx, ly = cx, cy
                s = _entrance(n, on_right, neighbours)
                n, px, py, first, last = on_right, cx, cy, first_right, last_right
            else:
                n = -1
    eyes.kinds[0] = kinds
    return without_specks(merge(count, intervals), intervals)
