"""Constrained Delaunay triangulation of segments on an integer lattice.

Segments may cross, overlap and end on each other. Where two cross, both are routed through the
lattice point nearest to the crossing, which moves them by less than a step. All else is exact.

Arrays are those of `kernels/mesh`. The first four points are the corners of a box around all
others, so that every other point is surrounded by triangles.
"""

from __future__ import annotations

import numpy as np

from footway._numba.jit import inner, kernel
from footway.environment.kernels.mesh import (
    corner_of,
    find,
    fix,
    flip,
    insert_point,
    is_convex,
    put,
    side_of,
    side_to,
    unfix,
    wants_flip,
)


@inner
def _around(t, k, neighbours):
    """Return the next triangle counterclockwise about corner k of t."""
    return neighbours[t, (k + 2) % 3]


@inner
def _side_between(p, q, triangles, neighbours, home):
    """Return triangle and side from p to q, which must exist."""
    t = home[p]
    while t >= 0:
        k = corner_of(t, p, triangles)
        if triangles[t, (k + 1) % 3] == q:
            return t, k
        t = _around(t, k, neighbours)
    # The fan about a corner of the box is open: now turn clockwise.
    t = home[p]
    while True:
        k = corner_of(t, p, triangles)
        if triangles[t, (k + 1) % 3] == q:
            return t, k
        t = neighbours[t, k]


@inner
def _is_ahead(xy, p, q, a):
    """Whether a, on the line through p and q, lies on the same side of p as q."""
    forward_x = (xy[q, 0] - xy[p, 0]) * (xy[a, 0] - xy[p, 0]) >= 0
    return forward_x and (xy[q, 1] - xy[p, 1]) * (xy[a, 1] - xy[p, 1]) >= 0


@inner
def _toward(xy, p, q, triangles, neighbours, home):
    """Find the triangle about p that the segment to q enters, or whose next corner it meets.

    Returns: triangle, index of corner p, whether the corner after p lies on the segment.
    """
    t = home[p]
    while True:
        k = corner_of(t, p, triangles)
        a, b = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
        turn = side_of(xy, p, q, a)
        if turn == 0 and _is_ahead(xy, p, q, a):
            return t, k, True
        if turn < 0 and side_of(xy, p, q, b) > 0:
            return t, k, False
        t = _around(t, k, neighbours)


@inner
def _crossed(xy, p, q, t, k, triangles, neighbours, fixed, queue):
    """List the sides that the segment from p to q crosses, as pairs of corners (right, left).

    Returns: their number, the corner at which the segment ends (q, or a corner on it), and
    whether the last side is fixed, in which case the segment ends before it.
    """
    right, left = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
    side = (k + 1) % 3
    n = 0
    while True:
        queue[n, 0], queue[n, 1] = right, left
        n += 1
        if fixed[t, side] != 0:
            return n, q, True
        u = neighbours[t, side]
        j = side_to(u, t, neighbours)
        tip = triangles[u, (j + 2) % 3]
        turn = side_of(xy, p, q, tip)
        if tip == q or turn == 0:
            return n, tip, False
        if turn > 0:
            left, side = tip, (j + 1) % 3
        else:
            right, side = tip, (j + 2) % 3
        t = u


@inner
def _clear_way(xy, p, end, n, triangles, neighbours, fixed, home, queue):
    """Flip the n sides in the queue until none crosses the segment from p to `end` (Sloan 1993)."""
    head, size = 0, len(queue)
    while n > 0:
        a, b = queue[head, 0], queue[head, 1]
        head = (head + 1) % size
        n -= 1
        t, k = _side_between(a, b, triangles, neighbours, home)
        if is_convex(xy, t, k, triangles, neighbours):
            flip(t, k, triangles, neighbours, fixed, home)
            a, b = triangles[t, 1], triangles[t, 2]  # ends of the new diagonal
            if a in (p, end) or b in (p, end):
                continue
            if (side_of(xy, p, end, a) > 0) == (side_of(xy, p, end, b) > 0):
                continue
        tail = (head + n) % size
        queue[tail, 0], queue[tail, 1] = a, b
        n += 1


@inner
def _crossing(xy, p, q, right, left):
    """Return the lattice point nearest to the crossing of the segments pq and right-left."""
    below, above = float(-side_of(xy, p, q, right)), float(side_of(xy, p, q, left))
    share = below / (below + above)
    x = xy[right, 0] + np.int64(np.rint(share * (xy[left, 0] - xy[right, 0])))
    y = xy[right, 1] + np.int64(np.rint(share * (xy[left, 1] - xy[right, 1])))
    return x, y


@inner
def _point_at(xy, x, y, near, size, triangles, neighbours, fixed, home, stack):
    """Return the existing point at (x, y), or insert a new one with number size[0]."""
    p = size[0]
    xy[p, 0], xy[p, 1] = x, y
    t, on = find(xy, p, home[near], triangles, neighbours)
    for k in range(3):
        there = triangles[t, k]
        if xy[there, 0] == x and xy[there, 1] == y:
            return there
    insert_point(xy, p, t, on, size[1], triangles, neighbours, fixed, home, stack)
    size[0] += 1
    size[1] += 2
    return p


@inner
def _push(todo, n, p, q, mark):
    """Push a segment on the stack `todo`, unless it has no length."""
    if p == q:
        return n
    todo[n, 0], todo[n, 1], todo[n, 2] = p, q, mark
    return n + 1


@inner(inline=False)
def _insert_segments(xy, todo, n, size, triangles, neighbours, fixed, home, stack, queue):
    """Insert the n segments on the stack `todo`; return False if the capacity was exceeded."""
    for _ in range(100 * (len(todo) + len(xy))):
        if n == 0:
            return True
        if n + 4 > len(todo) or size[0] >= len(xy):
            return False
        n -= 1
        p, q, mark = todo[n, 0], todo[n, 1], todo[n, 2]
        t, k, meets = _toward(xy, p, q, triangles, neighbours, home)
        if meets:
            end = triangles[t, (k + 1) % 3]
            fix(t, k, mark, neighbours, fixed)
            n = _push(todo, n, end, q, mark)
            continue
        count, end, stopped = _crossed(xy, p, q, t, k, triangles, neighbours, fixed, queue)
        if not stopped:
            _clear_way(xy, p, end, count, triangles, neighbours, fixed, home, queue)
            t, k = _side_between(p, end, triangles, neighbours, home)
            fix(t, k, mark, neighbours, fixed)
            n = _push(todo, n, end, q, mark)
            continue
        right, left = queue[count - 1, 0], queue[count - 1, 1]
        t, k = _side_between(right, left, triangles, neighbours, home)
        other = fixed[t, k]
        unfix(t, k, neighbours, fixed)
        x, y = _crossing(xy, p, q, right, left)
        at = _point_at(xy, x, y, right, size, triangles, neighbours, fixed, home, stack)
        n = _push(todo, n, at, q, mark)
        n = _push(todo, n, p, at, mark)
        n = _push(todo, n, at, left, other)
        n = _push(todo, n, right, at, other)
    return False


@inner
def _improve(xy, count, triangles, neighbours, fixed, home):
    """Flip sides until all are Delaunay: sweep over all triangles until nothing changes."""
    for _ in range(64):
        flips = 0
        for t in range(count):
            for k in range(3):
                if wants_flip(xy, t, k, triangles, neighbours, fixed):
                    flip(t, k, triangles, neighbours, fixed, home)
                    flips += 1
        if flips == 0:
            break


@kernel
def triangulate(points, order, segments, room):
    """Triangulate points (n, 2) int64, with segments (m, 3) among its sides.

    The first four points are the corners of a box, counterclockwise, with all others inside;
    `order` (n - 4,) is the order in which the others are inserted; successive points should be
    near. Points are distinct. Segments have two points and a mark above 0; where they overlap,
    the greater mark counts. Up to `room` crossings can be stored.

    Returns: points (p, 2) int64, triangles and neighbours (t, 3) int32, marks (t, 3) uint8; no
    points if there are more crossings.
    """
    most = len(points) + room
    xy = np.empty((most, 2), np.int64)
    xy[: len(points)] = points
    triangles = np.empty((2 * most, 3), np.int32)
    neighbours = np.full((2 * most, 3), -1, np.int32)
    fixed = np.zeros((2 * most, 3), np.uint8)
    home = np.zeros(most, np.int32)
    stack = np.empty(2 * most + 8, np.int32)
    queue = np.empty((3 * most + 8, 2), np.int32)
    put(0, 0, 1, 2, triangles, home)
    put(1, 0, 2, 3, triangles, home)
    neighbours[0, 2], neighbours[1, 0] = 1, 0
    size = np.array([len(points), 2])
    t = 0
    for i in range(len(order)):
        t, on = find(xy, order[i], t, triangles, neighbours)
        insert_point(xy, order[i], t, on, size[1], triangles, neighbours, fixed, home, stack)
        size[1] += 2
        t = home[order[i]]
    todo = np.empty((len(segments) + 4 * room + 8, 3), np.int32)
    todo[: len(segments)] = segments[::-1]
    done = _insert_segments(
        xy, todo, len(segments), size, triangles, neighbours, fixed, home, stack, queue
    )
    if not done:
        return xy[:0], triangles[:0], neighbours[:0], fixed[:0]
    _improve(xy, size[1], triangles, neighbours, fixed, home)
    n, m = size[0], size[1]
    return xy[:n].copy(), triangles[:m].copy(), neighbours[:m].copy(), fixed[:m].copy()


@kernel
def faces_of(triangles, neighbours, fixed):
    """Return the face index of each triangle, (t,); faces are bounded by fixed sides."""
    face = np.full(len(triangles), -1, np.int32)
    stack = np.empty(len(triangles), np.int32)
    count = 0
    for start in range(len(triangles)):
        if face[start] >= 0:
            continue
        face[start] = count
        stack[0] = start
        n = 1
        while n > 0:
            n -= 1
            t = stack[n]
            for k in range(3):
                u = neighbours[t, k]
                if u >= 0 and fixed[t, k] == 0 and face[u] < 0:
                    face[u] = count
                    stack[n] = u
                    n += 1
        count += 1
    return face
