"""Visible parts of a route: exact visibility by triangular expansion.

From the triangle of the character, cones of sight extend from triangle to triangle through the
sides that are not walls, and become narrower at the corners they pass (Bungiu et al., Efficient
computation of visibility polygons, 2014). The pieces of the route in a triangle are clipped to the
cone; nothing is sampled. The visible set is closed: a piece that a wall just touches is visible.

Only directions and distances of the route are searched: see `_window`. Each cone stores which lines
of the route it may contain, and ends if none are left.

Directions and points are relative to the character. A cone is (left x, y, right x, y): its limits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.jit import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints

TOO_MUCH = -1  # the result exceeds the memory
TOUCH = 1e-9  # m, tolerance for pieces at the limit of a cone and points on a side
SPECK = 1e-7  # m, maximum length of an interval that is visible only due to rounding
ALONG = 1e-7  # m, tolerance for a corner on the limit of a cone
SURELY = 1e-6  # m by which a line must miss a cone to be skipped
WIDER = 1e-3  # rad, margin of the searched directions on either side of the route

LEFT_X, LEFT_Y, RIGHT_X, RIGHT_Y = range(4)  # columns of `VisibilityWorkspace.cones`
BEGIN, END = 0, 1  # columns of intervals, of `CutRoute.along`, and of `VisibilityWorkspace.lines`


class VisibilityWorkspace(NamedTuple):
    """Memory for visibility queries: see `make_workspace`."""

    cones: Floats  # (n, 4) left and right limit of waiting cones, m
    triangles: NDArray[np.int32]  # (n,) triangle that a waiting cone enters
    sides: NDArray[np.int32]  # (n,) its side through which the cone enters
    lines: Ints  # (n, 2) first and last line of the route that the cone may contain
    intervals: Floats  # (n, 2) m along the route
    marks: Ints  # (t,) last flood that reached each triangle
    ahead: Floats  # (n, 2) points of the route, m


class _View(NamedTuple):
    """A visibility query."""

    x: float  # of the character, m
    y: float
    low: float  # the part of the route in question, m along it
    high: float
    route: NamedTuple
    mesh: NamedTuple
    workspace: VisibilityWorkspace


def make_workspace(triangles: int, pieces: int) -> VisibilityWorkspace:
    """Allocate memory for a terrain with `triangles` and a route with `pieces`."""
    count = 64 + triangles + 2 * pieces
    return VisibilityWorkspace(
        cones=np.empty((count, 4)),
        triangles=np.empty(count, np.int32),
        sides=np.empty(count, np.int32),
        lines=np.empty((count, 2), np.int64),
        intervals=np.empty((count, 2)),
        marks=np.zeros(triangles, np.int64),
        ahead=np.empty((64 + pieces, 2)),
    )


@inner
def point_at(s, k, route):
    """Point of the route at curve length s, which lies on line k or later."""
    points, lengths = route.points, route.lengths
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
def see(x, y, t, low, high, k, around):
    """Find the parts of the route from `low` (on line k) to `high` that are visible from (x, y).

    The point lies in triangle t. Writes disjoint, ascending intervals [a, b] to the workspace.
    Returns their number, or TOO_MUCH, and the kinds of terrain (bits) that lines of sight pass.
    """
    workspace = around.workspace
    intervals = workspace.intervals
    view = _View(x, y, low, high, around.route, around.mesh, workspace)
    box, surrounds, cone, seen = _window(view, k)
    waiting, count, kinds = _look_from(t, box, surrounds, cone, view)
    rest = high - low - SPECK  # m of the window that are not visible yet
    for i in range(count):
        rest -= intervals[i, END] - intervals[i, BEGIN]
    for i in range(waiting):
        workspace.lines[i, BEGIN], workspace.lines[i, END] = 0, seen - 2
    while waiting > 0:
        waiting, count, rest, kinds = _expand(waiting - 1, count, rest, kinds, view)
    if count == TOO_MUCH:
        return TOO_MUCH, kinds
    count, kept = _merge(count, intervals), 0
    for i in range(count):  # drop intervals that are visible only due to rounding
        if intervals[i, END] - intervals[i, BEGIN] > SPECK:
            intervals[kept, BEGIN], intervals[kept, END] = intervals[i, BEGIN], intervals[i, END]
            kept += 1
    return (kept if kept > 0 else count), kinds


# Intervals ---------------------------------------------------------------------------------------


@inner
def _add_interval(a, b, count, view):
    """Add an interval, clipped to the window; return the new number of intervals."""
    intervals, last = view.workspace.intervals, count - 1
    a, b = max(a, view.low), min(b, view.high)
    if a > b:
        return count
    if count > 0 and a >= intervals[last, BEGIN] and a <= intervals[last, END] + TOUCH:
        intervals[last, END] = max(b, intervals[last, END])
        return count
    intervals[count, BEGIN], intervals[count, END] = a, b
    return count + 1


@inner
def _merge(count, intervals):
    """Sort intervals and merge those that touch; return their new number."""
    for i in range(1, count):
        a, b = intervals[i, BEGIN], intervals[i, END]
        j = i
        while j > 0 and intervals[j - 1, BEGIN] > a:
            intervals[j, BEGIN], intervals[j, END] = intervals[j - 1, BEGIN], intervals[j - 1, END]
            j -= 1
        intervals[j, BEGIN], intervals[j, END] = a, b
    kept = 0
    for i in range(count):
        if kept > 0 and intervals[i, BEGIN] <= intervals[kept - 1, END] + SPECK:
            intervals[kept - 1, END] = max(intervals[kept - 1, END], intervals[i, END])
        else:
            intervals[kept, BEGIN], intervals[kept, END] = intervals[i, BEGIN], intervals[i, END]
            kept += 1
    return kept


@inner
def _clip(cone, i, view):
    """Curve lengths between which piece i of the route lies in a cone; empty if it does not."""
    pieces, along = view.route.pieces, view.route.along
    lx, ly, rx, ry = cone
    ax, ay = pieces[i, 0] - view.x, pieces[i, 1] - view.y
    bx, by = pieces[i, 2] - view.x, pieces[i, 3] - view.y
    left_a, left_b = cross(ax, ay, lx, ly), cross(bx, by, lx, ly)
    right_a, right_b = cross(rx, ry, ax, ay), cross(rx, ry, bx, by)
    first, last = 0.0, 1.0
    if min(left_a, left_b) < 0.0:
        slack = TOUCH * math.sqrt(lx * lx + ly * ly)
        first, last = _inside(first, last, left_a + slack, left_b + slack)
    if min(right_a, right_b) < 0.0:
        slack = TOUCH * math.sqrt(rx * rx + ry * ry)
        first, last = _inside(first, last, right_a + slack, right_b + slack)
    length = along[i, END] - along[i, BEGIN]
    if first > last:
        return 1.0, 0.0
    return along[i, BEGIN] + first * length, along[i, BEGIN] + last * length


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


# Cones -------------------------------------------------------------------------------------------


@inner
def cross(ax, ay, bx, by):
    """Cross product: positive if b points to the left of a."""
    return ax * by - ay * bx


@inner
def _widened(cone, dx, dy):
    """Extend a cone by a direction: (whether it spans half a turn or more, new cone)."""
    lx, ly, rx, ry = cone
    left, right = cross(lx, ly, dx, dy), cross(rx, ry, dx, dy)
    if left > 0.0:
        return (False, (dx, dy, rx, ry)) if right > 0.0 else (True, cone)
    if right < 0.0:
        return (False, (lx, ly, dx, dy)) if left < 0.0 else (True, cone)
    return (lx + rx) * dx + (ly + ry) * dy <= 0.0, cone


@inner
def _narrowed(ax, ay, bx, by, cone):
    """Intersect the directions a to b with a cone: (whether any are left, new cone)."""
    lx, ly, rx, ry = cone
    to_x, to_y, from_x, from_y = bx, by, ax, ay
    if cross(bx, by, lx, ly) < 0.0 or cross(rx, ry, bx, by) < 0.0:
        to_x, to_y = lx, ly
        if cross(ax, ay, lx, ly) < 0.0 or cross(lx, ly, bx, by) < 0.0:
            return False, cone
    if cross(ax, ay, lx, ly) < 0.0 or cross(rx, ry, ax, ay) < 0.0:
        from_x, from_y = rx, ry
        if cross(ax, ay, rx, ry) < 0.0 or cross(rx, ry, bx, by) < 0.0:
            return False, cone
    return True, (to_x, to_y, from_x, from_y)


@inner
def _window(view, k):
    """Extent of the route from `low`, on line k, to `high`, as seen from the character.

    Returns x0, y0, x1, y1 of its bounding box; whether it surrounds the character; if not, the cone
    that contains it; number of points written to `ahead`.
    """
    x, y, high, route, ahead = view.x, view.y, view.high, view.route, view.workspace.ahead
    points, lengths = route.points, route.lengths
    px, py = point_at(view.low, k, route)
    x0, y0, x1, y1 = px, py, px, py
    cone, surrounds, count = (0.0, 0.0, 0.0, 0.0), False, 0
    while True:
        dx, dy = px - x, py - y
        if count < len(ahead):
            ahead[count, 0], ahead[count, 1] = dx, dy
        count += 1
        if not surrounds and dx * dx + dy * dy > TOUCH * TOUCH:
            if cone[0] == 0.0 and cone[1] == 0.0:
                cone = (dx, dy, dx, dy)
            else:
                surrounds, cone = _widened(cone, dx, dy)
        x0, y0, x1, y1 = min(x0, px), min(y0, py), max(x1, px), max(y1, py)
        if k + 1 >= len(lengths) or lengths[k] >= high:
            break
        k += 1
        px, py = points[k, 0], points[k, 1]
        if lengths[k] >= high:
            px, py = point_at(high, k - 1, route)
    lx, ly, rx, ry = cone
    lx, ly, rx, ry = lx - WIDER * ly, ly + WIDER * lx, rx + WIDER * ry, ry - WIDER * rx
    surrounds = surrounds or cross(rx, ry, lx, ly) <= 0.0
    box = (x0 - TOUCH, y0 - TOUCH, x1 + TOUCH, y1 + TOUCH)
    if count < 2 or count > len(ahead):  # one line that is never dropped
        ahead[0, 0], ahead[1, 0], count = np.nan, np.nan, 2
    return box, surrounds, (lx, ly, rx, ry), count


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
def _without_left(first, last, vx, vy, bar, ahead):
    """Drop lines at both ends of `first` to `last` more than `bar` to the left of direction v."""
    bar += SURELY * (abs(vx) + abs(vy))
    while first <= last and _is_left(first, vx, vy, bar, ahead):
        first += 1
    while last > first and _is_left(last, vx, vy, bar, ahead):
        last -= 1
    return first, last


@inner
def _is_left(j, vx, vy, bar, ahead):
    """Whether line j lies more than `bar` to the left of direction v."""
    j = np.uintp(j)
    k = j + np.uintp(1)
    return (cross(vx, vy, ahead[j, 0], ahead[j, 1]) > bar) & (
        cross(vx, vy, ahead[k, 0], ahead[k, 1]) > bar
    )


# Expansion ---------------------------------------------------------------------------------------


@inner
def _entrance(t, n, neighbours):
    """Side of triangle n beyond which t lies."""
    n = np.uintp(n)
    if neighbours[n, 0] == t:
        return 0
    return 1 if neighbours[n, 1] == t else 2


@inner
def _look_from(t, box, surrounds, cone, view):
    """Start at all triangles that contain the point: (cones that leave them, intervals, kinds)."""
    x, y, mesh, workspace = view.x, view.y, view.mesh, view.workspace
    points, triangles, neighbours = mesh.points, mesh.triangles, mesh.neighbours
    along, offsets, queue = view.route.along, view.route.offsets, workspace.triangles
    most, kinds = len(queue) - 1, 0
    fan, done, waiting, count = 1, 0, 0, 0
    queue[most] = t  # triangles around the point are stored at the end of the memory
    while done < fan:
        t = queue[most - done]
        kinds |= 1 << (mesh.kind[t] & 63)
        done += 1
        for i in range(offsets[t], offsets[t + 1]):
            if along[i, END] >= view.low and along[i, BEGIN] <= view.high:
                count = _add_interval(along[i, BEGIN], along[i, END], count, view)
        for k in range(3):
            n = neighbours[t, k]
            if n < 0:
                continue
            a, b = triangles[t, k], triangles[t, k + 1 if k < 2 else 0]
            ax, ay, bx, by = points[a, 0], points[a, 1], points[b, 0], points[b, 1]
            if _is_touched(x, y, ax, ay, bx, by):
                known = False
                for j in range(fan):
                    known = known or queue[most - j] == n
                if not known and fan + waiting < most:
                    queue[most - fan] = n
                    fan += 1
                continue
            is_past = (  # all rays through the side lead away from the box
                min(ax, bx) > max(x, box[2])
                or max(ax, bx) < min(x, box[0])
                or min(ay, by) > max(y, box[3])
                or max(ay, by) < min(y, box[1])
            )
            if is_past or fan + waiting >= most or cross(ax - x, ay - y, bx - x, by - y) <= 0.0:
                continue
            is_seen, part = True, (bx - x, by - y, ax - x, ay - y)
            if not surrounds:
                is_seen, part = _narrowed(ax - x, ay - y, bx - x, by - y, cone)
            if is_seen:
                _push(waiting, part, n, _entrance(t, n, neighbours), 0, 0, workspace)
                waiting += 1
    return waiting, count, kinds


@inner
def _push(w, cone, n, side, first, last, workspace):
    """Store a waiting cone: limits, triangle, side of entry, lines that it may contain."""
    cones, lines = workspace.cones, workspace.lines
    w = np.uintp(w)
    cones[w, LEFT_X], cones[w, LEFT_Y], cones[w, RIGHT_X], cones[w, RIGHT_Y] = cone
    workspace.triangles[w], workspace.sides[w] = n, side
    lines[w, BEGIN], lines[w, END] = first, last


@inner
def _through(t, k, lines, is_cut, vx, vy, a, b, view):
    """Triangle beyond side k of t, from b to a, and the lines of the route that may lie there.

    is_cut: only the part of the cone to the right of direction v leads there. -1: no triangle.
    """
    n, ahead = view.mesh.neighbours[t, np.uintp(k)], view.workspace.ahead
    first, last = lines
    if n < 0:
        return -1, first, last
    if is_cut:
        first, last = _without_left(first, last, vx, vy, 0.0, ahead)
    dx, dy = a[0] - b[0], a[1] - b[1]  # lines on this side of ab are not beyond it
    first, last = _without_left(first, last, dx, dy, cross(dx, dy, a[0], a[1]), ahead)
    return (n if first <= last else -1), first, last


@inner
def _tidy(rest, waiting, count, view):
    """Merge intervals if all may be visible or memory runs out: (rest, waiting, count).

    No cone waits if all is visible, or if memory is exhausted: then count is TOO_MUCH.
    """
    intervals, capacity = view.workspace.intervals, len(view.workspace.triangles)
    if rest <= 0.0:
        count, rest = _merge(count, intervals), SPECK
        if count == 1 and intervals[0, BEGIN] <= view.low and intervals[0, END] >= view.high:
            return rest, -1, count
    if count + 8 > len(intervals) or waiting + 2 > capacity:
        count = _merge(count, intervals)
        if 2 * count > len(intervals) or waiting + 2 > capacity:
            return rest, -1, TOO_MUCH
    return rest, waiting, count


@inner
def _expand(waiting, count, rest, kinds, view):
    """Follow the last waiting cone to its end; push cones that branch off.

    Returns number of waiting cones, intervals, m not visible yet, kinds of terrain (bits).
    """
    x, y, mesh, workspace = view.x, view.y, view.mesh, view.workspace
    points, triangles, neighbours = mesh.points, mesh.triangles, mesh.neighbours
    along, offsets = view.route.along, view.route.offsets
    w, cones = np.uintp(waiting), workspace.cones
    lx, ly, rx, ry = cones[w, LEFT_X], cones[w, LEFT_Y], cones[w, RIGHT_X], cones[w, RIGHT_Y]
    n, s = workspace.triangles[w], workspace.sides[w]
    lines = workspace.lines[w, BEGIN], workspace.lines[w, END]
    i, j = triangles[n, s], triangles[n, s + 1 if s < 2 else 0]
    p, q = (points[i, 0] - x, points[i, 1] - y), (points[j, 0] - x, points[j, 1] - y)
    while n >= 0:
        t = np.uintp(n)
        kinds |= 1 << (mesh.kind[t] & 63)
        for i in range(offsets[t], offsets[t + np.uintp(1)]):
            if along[i, END] >= view.low and along[i, BEGIN] <= view.high:
                a, b = _clip((lx, ly, rx, ry), i, view)
                count = _add_interval(a, b, count, view)
                rest -= max(0.0, min(b, view.high) - max(a, view.low))
        rest, waiting, count = _tidy(rest, waiting, count, view)
        if waiting < 0:
            return 0, count, rest, kinds
        u, v = s + 1 if s < 2 else 0, s - 1 if s > 0 else 2
        tip = np.uintp(triangles[t, np.uintp(v)])
        c = cx, cy = points[tip, 0] - x, points[tip, 1] - y
        off_left, off_right = cross(lx, ly, cx, cy), cross(rx, ry, cx, cy)
        on_limit = abs(off_left) <= ALONG * (abs(lx) + abs(ly))
        if on_limit or abs(off_right) <= ALONG * (abs(rx) + abs(ry)):
            kinds = -1  # a line of sight along a side counts as the terrain on either side
        goes_left, goes_right = off_left < 0.0, off_right > 0.0
        on_left, on_right, left_lines, right_lines = -1, -1, lines, lines
        if goes_left:
            on_left, first, last = _through(t, v, lines, goes_right, -cx, -cy, p, c, view)
            left_lines = first, last
        if goes_right:
            on_right, first, last = _through(t, u, lines, goes_left, cx, cy, c, q, view)
            right_lines = first, last
        if on_left >= 0 and on_right >= 0:
            side, (first, last) = _entrance(n, on_left, neighbours), left_lines
            _push(waiting, (lx, ly, cx, cy), on_left, side, first, last, workspace)
            waiting, on_left = waiting + 1, -1
        if on_left >= 0:
            rx, ry = c if goes_right else (rx, ry)
            s = _entrance(n, on_left, neighbours)
            n, q, lines = on_left, c, left_lines
        elif on_right >= 0:
            lx, ly = c if goes_left else (lx, ly)
            s = _entrance(n, on_right, neighbours)
            n, p, lines = on_right, c, right_lines
        else:
            n = -1
    return waiting, count, rest, kinds
