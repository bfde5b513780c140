"""What a character sees of its route: exact visibility by triangular expansion.

From the triangle that holds the character, cones of sight go from triangle to triangle through
the sides that are no walls, and get narrower at the corners they pass (Bungiu et al., Efficient
computation of visibility polygons, 2014). The pieces of the route in a triangle are clipped to the
cone: no line of sight is tried, and nothing is sampled. Seen is the closed set: a piece that a wall
just touches is seen.

Only what lies in the directions of the route, and not beyond it, is looked at: see `window`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._jit import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOUCH = 1e-9  # m, by which a piece may lie outside a cone, and a point off a side that it is on
SPECK = 1e-7  # m, length of an interval that is seen through rounding alone
TOO_MUCH = -1  # more is seen than there is memory for
WIDER = 1e-3  # rad, by which the character looks past the route on either side


class Eyes(NamedTuple):
    """Memory for looking around: see `make_eyes`."""

    cones: NDArray[np.float64]  # (n, 4) left and right limit, from the character, m
    doors: NDArray[np.int32]  # (n, 2) triangle, and the side of it that the cone comes through
    intervals: NDArray[np.float64]  # (n, 2) m along the route
    marks: NDArray[np.int64]  # (t,) last flood that came to each triangle


def make_eyes(triangles: int, pieces: int) -> Eyes:
    """Memory for a ground of so many triangles and a course of so many pieces."""
    count = 64 + triangles + 2 * pieces
    return Eyes(
        np.empty((count, 4)),
        np.empty((count, 2), np.int32),
        np.empty((count, 2)),
        np.zeros(triangles, np.int64),
    )


@inner
def cross(ax, ay, bx, by):
    """More than 0 where b points to the left of a."""
    return ax * by - ay * bx


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
def window(x, y, low, high, k, points, lengths):
    """Where the route lies from curve length `low`, on line k, to `high`, as seen from (x, y).

    Returns: x0, y0, x1, y1 of the box around it; whether it lies all around the point; and if not,
    directions to the left and to the right of it.
    """
    px, py = point_at(low, k, points, lengths)
    x0, y0, x1, y1 = px, py, px, py
    lx, ly, rx, ry, around = 0.0, 0.0, 0.0, 0.0, False
    while True:
        dx, dy = px - x, py - y
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
    return box, around, lx, ly, rx, ry


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
def _note(a, b, low, high, count, intervals):
    """Add an interval, cut to the window; the number of intervals then."""
    a, b = max(a, low), min(b, high)
    if a > b:
        return count
    if count > 0 and a >= intervals[count - 1, 0] and a <= intervals[count - 1, 1] + TOUCH:
        intervals[count - 1, 1] = max(b, intervals[count - 1, 1])
        return count
    intervals[count, 0], intervals[count, 1] = a, b
    return count + 1


@inner
def _clip(x, y, lx, ly, rx, ry, i, pieces, along):
    """Curve lengths between which piece i lies in a cone; empty where it does not."""
    ax, ay = pieces[i, 0] - x, pieces[i, 1] - y
    bx, by = pieces[i, 2] - x, pieces[i, 3] - y
    slack = TOUCH * math.sqrt(lx * lx + ly * ly)
    a, b = cross(ax, ay, lx, ly) + slack, cross(bx, by, lx, ly) + slack
    first, last = 0.0, 1.0
    for _ in range(2):
        if a < 0.0 and b < 0.0:
            return 1.0, 0.0
        if a < 0.0:
            first = max(first, a / (a - b))
        elif b < 0.0:
            last = min(last, a / (a - b))
        slack = TOUCH * math.sqrt(rx * rx + ry * ry)
        a, b = cross(rx, ry, ax, ay) + slack, cross(rx, ry, bx, by) + slack
    length = along[i, 1] - along[i, 0]
    return along[i, 0] + first * length, along[i, 0] + last * length


@inner
def _entrance(t, n, neighbours):
    """Side of triangle n beyond which t lies."""
    if neighbours[n, 0] == t:
        return 0
    return 1 if neighbours[n, 1] == t else 2


@inner
def _look_from(x, y, t, low, high, sight, course, ground, eyes):
    """Begin: all triangles that hold the point; (cones that leave them, intervals)."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    along, offsets = course.along, course.offsets
    cones, doors, intervals = eyes.cones, eyes.doors, eyes.intervals
    box, around, lx, ly, rx, ry = sight
    most = len(doors) - 1
    fan, done, waiting, count = 1, 0, 0, 0
    doors[most, 0], doors[most, 1] = t, -1  # the fan is kept at the end of the memory
    while done < fan:
        t = doors[most - done, 0]
        done += 1
        for i in range(offsets[t], offsets[t + 1]):
            if along[i, 1] >= low and along[i, 0] <= high:
                count = _note(along[i, 0], along[i, 1], low, high, count, intervals)
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
    return waiting, count


@inner
def see(x, y, t, low, high, k, course, ground, eyes):
    """Parts of the route from curve length `low` (on line k) to `high` that are seen from (x, y).

    The point lies in triangle t. The intervals [a, b] are in `eyes`, in order and apart from each
    other; returned is their number, or TOO_MUCH.
    """
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    pieces, along, offsets = course.pieces, course.along, course.offsets
    cones, doors, intervals = eyes.cones, eyes.doors, eyes.intervals
    sight = window(x, y, low, high, k, course.points, course.lengths)
    box = sight[0]
    waiting, count = _look_from(x, y, t, low, high, sight, course, ground, eyes)
    while waiting > 0:
        waiting -= 1
        n, s = doors[waiting, 0], doors[waiting, 1]
        lx, ly = cones[waiting, 0], cones[waiting, 1]
        rx, ry = cones[waiting, 2], cones[waiting, 3]
        while n >= 0:
            for i in range(offsets[n], offsets[n + 1]):
                if along[i, 1] >= low and along[i, 0] <= high:
                    a, b = _clip(x, y, lx, ly, rx, ry, i, pieces, along)
                    count = _note(a, b, low, high, count, intervals)
            if count + 8 > len(intervals) or waiting + 2 > len(doors):
                count = merge(count, intervals)
                if 2 * count > len(intervals) or waiting + 2 > len(doors):
                    return TOO_MUCH
            u = s + 1 if s < 2 else 0
            v = u + 1 if u < 2 else 0
            p, q, c = triangles[n, s], triangles[n, u], triangles[n, v]
            px, py, qx, qy = points[p, 0], points[p, 1], points[q, 0], points[q, 1]
            ex, ey = points[c, 0], points[c, 1]
            cx, cy = ex - x, ey - y
            beside_left, beside_right = cross(lx, ly, cx, cy), cross(rx, ry, cx, cy)
            on_left, on_right = -1, -1
            if beside_left < 0.0 and not _is_past(ex, ey, px, py, x, y, box):
                on_left = neighbours[n, v]
            if beside_right > 0.0 and not _is_past(qx, qy, ex, ey, x, y, box):
                on_right = neighbours[n, u]
            if on_left >= 0 and on_right >= 0:
                cones[waiting, 0], cones[waiting, 1] = lx, ly
                cones[waiting, 2], cones[waiting, 3] = cx, cy
                doors[waiting, 0], doors[waiting, 1] = on_left, _entrance(n, on_left, neighbours)
                waiting += 1
                lx, ly = cx, cy
                n, s = on_right, _entrance(n, on_right, neighbours)
            elif on_left >= 0:
                if beside_right > 0.0:
                    rx, ry = cx, cy
                n, s = on_left, _entrance(n, on_left, neighbours)
            elif on_right >= 0:
                if beside_left < 0.0:
                    lx, ly = cx, cy
                n, s = on_right, _entrance(n, on_right, neighbours)
            else:
                n = -1
    return without_specks(merge(count, intervals), intervals)


@inner
def merge(count, intervals):
    """Put intervals in order and join those that touch; how many are left."""
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
    """Leave out intervals that are seen through rounding alone, unless there are no others."""
    kept = 0
    for i in range(count):
        if intervals[i, 1] - intervals[i, 0] > SPECK:
            intervals[kept, 0], intervals[kept, 1] = intervals[i, 0], intervals[i, 1]
            kept += 1
    return kept if kept > 0 else count
