"""Constrained Delaunay triangulation of segments on an integer lattice.

Corners are int64 lattice steps, so that orientation tests are exact: every triangle is
counterclockwise and none is degenerate. Only the choice of a quadrilateral's diagonal (the circle
test) is rounded, which affects the shape of triangles but not correctness.

Segments may cross, overlap and end on each other. Where two cross, both are routed through the
lattice point nearest to the crossing, which moves them by less than a step. All else is exact.

The library CDT (pythoncdt 2.0.2) was tried instead: where segments cross, its new points are not on
the lattice (433 of 25,273 points of the built-in city), and it is no faster (28 ms for its 30,588
segments, without copying the result to arrays; 25 ms here).

The first four points are the corners of a box around all others, so that every other point is
surrounded by triangles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footway._numba.jit import inner, kernel

ROUNDING = 1e-10  # fraction of the terms of the circle test below which its sign is unreliable
N_POINTS, N_TRIANGLES = 0, 1  # entries of `Mesh.size`


class Mesh(NamedTuple):
    """A triangle mesh; arrays have spare rows at their ends."""

    xy: np.ndarray  # (p, 2) int64 points, lattice steps
    triangles: np.ndarray  # (t, 3) int32 corners, counterclockwise
    neighbours: np.ndarray  # (t, 3) int32, triangle across side k, from corner k to k + 1; -1: none
    fixed: np.ndarray  # (t, 3) uint8, mark of the segments that the side belongs to; 0: none
    home: np.ndarray  # (p,) int32, one of the triangles with this corner
    size: np.ndarray  # (2,) int64, number of points and triangles in use
    stack: np.ndarray  # int32, triangles to check after an insertion
    crossed: np.ndarray  # (n, 2) int32, sides that a new segment crosses


# -- the mesh ----------------------------------------------------------------------------------


@inner
def _side_of(xy, a, b, c):
    """Twice the signed area of abc (exact): positive if c is left of ab, 0 if on the line."""
    return (xy[b, 0] - xy[a, 0]) * (xy[c, 1] - xy[a, 1]) - (xy[b, 1] - xy[a, 1]) * (
        xy[c, 0] - xy[a, 0]
    )


@inner
def _is_in_circle(xy, a, b, c, d):
    """Whether d lies inside the circle through a, b, c (counterclockwise), beyond rounding."""
    ax, ay = float(xy[a, 0] - xy[d, 0]), float(xy[a, 1] - xy[d, 1])
    bx, by = float(xy[b, 0] - xy[d, 0]), float(xy[b, 1] - xy[d, 1])
    cx, cy = float(xy[c, 0] - xy[d, 0]), float(xy[c, 1] - xy[d, 1])
    a2, b2, c2 = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
    bc, ca, ab = bx * cy - by * cx, cx * ay - cy * ax, ax * by - ay * bx
    size = (
        a2 * (abs(bx * cy) + abs(by * cx))
        + b2 * (abs(cx * ay) + abs(cy * ax))
        + c2 * (abs(ax * by) + abs(ay * bx))
    )
    return a2 * bc + b2 * ca + c2 * ab > ROUNDING * size


@inner
def _side_to(t, other, neighbours):
    """Return the side of triangle t shared with triangle `other`."""
    if neighbours[t, 0] == other:
        return 0
    return 1 if neighbours[t, 1] == other else 2


@inner
def _corner_of(t, p, triangles):
    """Return the index of point p among the corners of triangle t."""
    if triangles[t, 0] == p:
        return 0
    return 1 if triangles[t, 1] == p else 2


@inner
def _put(t, a, b, c, mesh):
    """Set the corners of triangle t."""
    mesh.triangles[t, 0], mesh.triangles[t, 1], mesh.triangles[t, 2] = a, b, c
    mesh.home[a], mesh.home[b], mesh.home[c] = t, t, t


@inner
def _join(t, k, other, mark, before, mesh):
    """Make `other`, whose neighbour was `before`, the neighbour of t across side k."""
    mesh.neighbours[t, k] = other
    mesh.fixed[t, k] = mark
    if other >= 0:
        mesh.neighbours[other, _side_to(other, before, mesh.neighbours)] = t


@inner(inline=False)
def _flip(t, k, mesh):
    """Flip side k of t: replace it by the other diagonal of the quadrilateral.

    With the ends a, b of the side and the opposite corners c of t and d of the neighbour, t
    becomes (a, d, c) and the neighbour (d, b, c).
    """
    triangles, neighbours, fixed = mesh.triangles, mesh.neighbours, mesh.fixed
    u = neighbours[t, k]
    j = _side_to(u, t, neighbours)
    k1, k2, j1, j2 = (k + 1) % 3, (k + 2) % 3, (j + 1) % 3, (j + 2) % 3
    a, b, c, d = triangles[t, k], triangles[t, k1], triangles[t, k2], triangles[u, j2]
    ad, db = neighbours[u, j1], neighbours[u, j2]
    bc, ca = neighbours[t, k1], neighbours[t, k2]
    fix_ad, fix_db = fixed[u, j1], fixed[u, j2]
    fix_bc, fix_ca = fixed[t, k1], fixed[t, k2]
    _put(t, a, d, c, mesh)
    _put(u, d, b, c, mesh)
    _join(t, 0, ad, fix_ad, u, mesh)
    _join(t, 2, ca, fix_ca, t, mesh)
    _join(u, 0, db, fix_db, u, mesh)
    _join(u, 1, bc, fix_bc, t, mesh)
    neighbours[t, 1], neighbours[u, 2] = u, t
    fixed[t, 1], fixed[u, 2] = 0, 0


@inner
def _is_convex(t, k, mesh):
    """Whether the two triangles at side k of t form a strictly convex quadrilateral."""
    triangles, u = mesh.triangles, mesh.neighbours[t, k]
    d = triangles[u, (_side_to(u, t, mesh.neighbours) + 2) % 3]
    a, b, c = triangles[t, k], triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
    return _side_of(mesh.xy, a, d, c) > 0 and _side_of(mesh.xy, d, b, c) > 0


@inner
def _is_flip_better(t, k, mesh):
    """Whether side k of t may be flipped and the other diagonal is better."""
    triangles, u = mesh.triangles, mesh.neighbours[t, k]
    if u < 0 or mesh.fixed[t, k] != 0:
        return False
    d = triangles[u, (_side_to(u, t, mesh.neighbours) + 2) % 3]
    if not _is_in_circle(mesh.xy, triangles[t, 0], triangles[t, 1], triangles[t, 2], d):
        return False
    return _is_convex(t, k, mesh)


@inner
def _find(p, start, mesh):
    """Locate p by walking from triangle `start`: return (triangle, side that contains p or -1)."""
    triangles = mesh.triangles
    t, first = start, 0
    while True:
        # The first side to test changes from step to step, so that the walk cannot cycle.
        first = (first * 5 + 1) % 7
        side, on = -1, -1
        for i in range(3):
            k = (first + i) % 3
            turn = _side_of(mesh.xy, triangles[t, k], triangles[t, (k + 1) % 3], p)
            if turn < 0:
                side = k
                break
            if turn == 0:
                on = k
        if side < 0:
            return t, on
        t = mesh.neighbours[t, side]


@inner
def _fix(t, k, mark, mesh):
    """Mark side k of t in both triangles; the greater mark is kept."""
    u = mesh.neighbours[t, k]
    mark = max(mark, mesh.fixed[t, k])
    mesh.fixed[t, k] = mark
    if u >= 0:
        mesh.fixed[u, _side_to(u, t, mesh.neighbours)] = mark


@inner(inline=False)
def _insert_point(p, t, on, mesh):
    """Split triangle t at p, and its neighbour if p is on side `on`; then restore Delaunay."""
    triangles, neighbours, fixed, stack = mesh.triangles, mesh.neighbours, mesh.fixed, mesh.stack
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    u, v = mesh.size[N_TRIANGLES], mesh.size[N_TRIANGLES] + 1
    mesh.size[N_TRIANGLES] += 2
    bc, ca = neighbours[t, 1], neighbours[t, 2]
    fix_bc, fix_ca = fixed[t, 1], fixed[t, 2]
    _put(t, a, b, p, mesh)
    _put(u, b, c, p, mesh)
    _put(v, c, a, p, mesh)
    _join(u, 0, bc, fix_bc, t, mesh)
    _join(v, 0, ca, fix_ca, t, mesh)
    neighbours[t, 1], neighbours[t, 2] = u, v
    neighbours[u, 1], neighbours[u, 2] = v, t
    neighbours[v, 1], neighbours[v, 2] = t, u
    for k in range(1, 3):
        fixed[t, k], fixed[u, k], fixed[v, k] = 0, 0, 0
    stack[0], stack[1], stack[2] = t, u, v
    n = 3
    if on >= 0:
        # The triangle between p and the side that contains it is degenerate: flip it away.
        flat = t if on == 0 else (u if on == 1 else v)
        beyond, mark = neighbours[flat, 0], fixed[flat, 0]
        stack[3] = beyond
        n = 4
        _flip(flat, 0, mesh)
        _fix(flat, 2, mark, mesh)
        _fix(beyond, 1, mark, mesh)
    while n > 0:
        n -= 1
        t = stack[n]
        k = (_corner_of(t, p, triangles) + 1) % 3
        if _is_flip_better(t, k, mesh):
            stack[n], stack[n + 1] = t, neighbours[t, k]
            n += 2
            _flip(t, k, mesh)


# -- segments ----------------------------------------------------------------------------------


@inner
def _side_between(p, q, mesh):
    """Return triangle and side from p to q, which must exist."""
    triangles, neighbours = mesh.triangles, mesh.neighbours
    t = mesh.home[p]
    while t >= 0:
        k = _corner_of(t, p, triangles)
        if triangles[t, (k + 1) % 3] == q:
            return t, k
        t = neighbours[t, (k + 2) % 3]  # counterclockwise about p
    # The triangles about a corner of the box do not close a circle: now turn clockwise.
    t = mesh.home[p]
    while True:
        k = _corner_of(t, p, triangles)
        if triangles[t, (k + 1) % 3] == q:
            return t, k
        t = neighbours[t, k]


@inner
def _toward(p, q, mesh):
    """Find the triangle about p that the segment to q enters, or whose next corner it meets.

    Returns: triangle, index of corner p, whether the corner after p lies on the segment.
    """
    xy, triangles = mesh.xy, mesh.triangles
    dx, dy = xy[q, 0] - xy[p, 0], xy[q, 1] - xy[p, 1]
    t = mesh.home[p]
    while True:
        k = _corner_of(t, p, triangles)
        a, b = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
        turn = _side_of(xy, p, q, a)
        if turn == 0 and dx * (xy[a, 0] - xy[p, 0]) >= 0 and dy * (xy[a, 1] - xy[p, 1]) >= 0:
            return t, k, True
        if turn < 0 and _side_of(xy, p, q, b) > 0:
            return t, k, False
        t = mesh.neighbours[t, (k + 2) % 3]  # counterclockwise about p


@inner
def _list_crossed(p, q, t, k, mesh):
    """List the sides that the segment from p to q crosses, as pairs of corners (right, left).

    Returns: their number, the corner at which the segment ends (q, or a corner on it), and
    whether the last side is fixed, in which case the segment ends before it.
    """
    triangles = mesh.triangles
    right, left = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
    side = (k + 1) % 3
    n = 0
    while True:
        mesh.crossed[n, 0], mesh.crossed[n, 1] = right, left
        n += 1
        if mesh.fixed[t, side] != 0:
            return n, q, True
        u = mesh.neighbours[t, side]
        j = _side_to(u, t, mesh.neighbours)
        tip = triangles[u, (j + 2) % 3]
        turn = _side_of(mesh.xy, p, q, tip)
        if tip == q or turn == 0:
            return n, tip, False
        if turn > 0:
            left, side = tip, (j + 1) % 3
        else:
            right, side = tip, (j + 2) % 3
        t = u


@inner
def _flip_crossed(p, end, n, mesh):
    """Flip the n crossed sides until none crosses the segment from p to `end` (Sloan 1993)."""
    xy, queue = mesh.xy, mesh.crossed
    head, size = 0, len(queue)
    while n > 0:
        a, b = queue[head, 0], queue[head, 1]
        head = (head + 1) % size
        n -= 1
        t, k = _side_between(a, b, mesh)
        if _is_convex(t, k, mesh):
            _flip(t, k, mesh)
            a, b = mesh.triangles[t, 1], mesh.triangles[t, 2]  # ends of the new diagonal
            if a in (p, end) or b in (p, end):
                continue
            if (_side_of(xy, p, end, a) > 0) == (_side_of(xy, p, end, b) > 0):
                continue
        tail = (head + n) % size
        queue[tail, 0], queue[tail, 1] = a, b
        n += 1


@inner
def _cross(p, q, right, left, mesh):
    """Return the point where the segments pq and right-left cross, on the lattice; insert it."""
    xy, p_new = mesh.xy, mesh.size[N_POINTS]
    below, above = float(-_side_of(xy, p, q, right)), float(_side_of(xy, p, q, left))
    share = below / (below + above)
    x = xy[right, 0] + np.int64(np.rint(share * (xy[left, 0] - xy[right, 0])))
    y = xy[right, 1] + np.int64(np.rint(share * (xy[left, 1] - xy[right, 1])))
    xy[p_new, 0], xy[p_new, 1] = x, y
    t, on = _find(p_new, mesh.home[right], mesh)
    for k in range(3):
        there = mesh.triangles[t, k]
        if xy[there, 0] == x and xy[there, 1] == y:
            return there
    _insert_point(p_new, t, on, mesh)
    mesh.size[N_POINTS] += 1
    return p_new


@inner
def _push(todo, n, p, q, mark):
    """Push a segment on the stack `todo`, unless it has no length."""
    if p == q:
        return n
    todo[n, 0], todo[n, 1], todo[n, 2] = p, q, mark
    return n + 1


@inner(inline=False)
def _insert_segments(todo, n, mesh):
    """Insert the n segments on the stack `todo`; return False if the capacity was exceeded."""
    for _ in range(100 * (len(todo) + len(mesh.xy))):
        if n == 0:
            return True
        if n + 4 > len(todo) or mesh.size[N_POINTS] >= len(mesh.xy):
            return False
        n -= 1
        p, q, mark = todo[n, 0], todo[n, 1], todo[n, 2]
        t, k, meets = _toward(p, q, mesh)
        if meets:
            end = mesh.triangles[t, (k + 1) % 3]
            _fix(t, k, mark, mesh)
            n = _push(todo, n, end, q, mark)
            continue
        count, end, stopped = _list_crossed(p, q, t, k, mesh)
        if not stopped:
            _flip_crossed(p, end, count, mesh)
            t, k = _side_between(p, end, mesh)
            _fix(t, k, mark, mesh)
            n = _push(todo, n, end, q, mark)
            continue
        right, left = mesh.crossed[count - 1, 0], mesh.crossed[count - 1, 1]
        t, k = _side_between(right, left, mesh)
        other, u = mesh.fixed[t, k], mesh.neighbours[t, k]
        mesh.fixed[t, k], mesh.fixed[u, _side_to(u, t, mesh.neighbours)] = 0, 0
        at = _cross(p, q, right, left, mesh)
        n = _push(todo, n, at, q, mark)
        n = _push(todo, n, p, at, mark)
        n = _push(todo, n, at, left, other)
        n = _push(todo, n, right, at, other)
    return False


@inner
def _improve(mesh):
    """Flip sides until all are Delaunay: sweep over all triangles until nothing changes."""
    for _ in range(64):
        flips = 0
        for t in range(mesh.size[N_TRIANGLES]):
            for k in range(3):
                if _is_flip_better(t, k, mesh):
                    _flip(t, k, mesh)
                    flips += 1
        if flips == 0:
            break


@kernel
def triangulate(points, order, segments, capacity):
    """Triangulate points (n, 2) int64, with segments (m, 3) among its sides.

    The first four points are the corners of a box, counterclockwise, with all others inside;
    `order` (n - 4,) is the order in which the others are inserted; successive points should be
    near. Points are distinct. Segments have two points and a mark above 0; where they overlap,
    the greater mark counts. Up to `capacity` crossings can be stored.

    Returns: points (p, 2) int64, triangles and neighbours (t, 3) int32, marks (t, 3) uint8; no
    points if there are more crossings.
    """
    most = len(points) + capacity
    mesh = Mesh(
        np.empty((most, 2), np.int64),
        np.empty((2 * most, 3), np.int32),
        np.full((2 * most, 3), -1, np.int32),
        np.zeros((2 * most, 3), np.uint8),
        np.zeros(most, np.int32),
        np.array([len(points), 2]),
        np.empty(2 * most + 8, np.int32),
        np.empty((3 * most + 8, 2), np.int32),
    )
    mesh.xy[: len(points)] = points
    _put(0, 0, 1, 2, mesh)
    _put(1, 0, 2, 3, mesh)
    mesh.neighbours[0, 2], mesh.neighbours[1, 0] = 1, 0
    t = 0
    for i in range(len(order)):
        t, on = _find(order[i], t, mesh)
        _insert_point(order[i], t, on, mesh)
        t = mesh.home[order[i]]
    todo = np.empty((len(segments) + 4 * capacity + 8, 3), np.int32)
    todo[: len(segments)] = segments[::-1]
    n, m = 0, 0
    if _insert_segments(todo, len(segments), mesh):
        _improve(mesh)
        n, m = mesh.size[N_POINTS], mesh.size[N_TRIANGLES]
    return (
        mesh.xy[:n].copy(), mesh.triangles[:m].copy(), mesh.neighbours[:m].copy(),
        mesh.fixed[:m].copy(),
    )  # fmt: skip


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
