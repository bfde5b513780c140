"""Triangle mesh on an integer lattice: locate a point, split a triangle, flip a side.

Corners are int64 lattice steps, so that orientation tests are exact: every triangle is
counterclockwise and none is degenerate. Only the choice of a quadrilateral's diagonal (the circle
test) is rounded, which affects the shape of triangles but not correctness.

Triangle t has corners triangles[t, k], and neighbours[t, k] across the side from corner k to
corner k + 1; fixed[t, k] is the mark of the segments that the side belongs to, 0 for none.
home[p] is one of the triangles with corner p.
"""

from __future__ import annotations

from footway._numba.jit import inner

ROUNDING = 1e-10  # fraction of the terms of the circle test below which its sign is unreliable


@inner
def side_of(xy, a, b, c):
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
def side_to(t, other, neighbours):
    """Return the side of triangle t shared with triangle `other`."""
    if neighbours[t, 0] == other:
        return 0
    return 1 if neighbours[t, 1] == other else 2


@inner
def corner_of(t, p, triangles):
    """Return the index of point p among the corners of triangle t."""
    if triangles[t, 0] == p:
        return 0
    return 1 if triangles[t, 1] == p else 2


@inner
def put(t, a, b, c, triangles, home):
    """Set the corners of triangle t."""
    triangles[t, 0], triangles[t, 1], triangles[t, 2] = a, b, c
    home[a], home[b], home[c] = t, t, t


@inner
def _join(t, k, other, is_fixed, before, neighbours, fixed):
    """Make `other`, whose neighbour was `before`, the neighbour of t across side k."""
    neighbours[t, k] = other
    fixed[t, k] = is_fixed
    if other >= 0:
        neighbours[other, side_to(other, before, neighbours)] = t


@inner(inline=False)
def flip(t, k, triangles, neighbours, fixed, home):
    """Flip side k of t: replace it by the other diagonal of the quadrilateral.

    With the ends a, b of the side and the opposite corners c of t and d of the neighbour, t
    becomes (a, d, c) and the neighbour (d, b, c).
    """
    u = neighbours[t, k]
    j = side_to(u, t, neighbours)
    k1, k2, j1, j2 = (k + 1) % 3, (k + 2) % 3, (j + 1) % 3, (j + 2) % 3
    a, b, c, d = triangles[t, k], triangles[t, k1], triangles[t, k2], triangles[u, j2]
    ad, db = neighbours[u, j1], neighbours[u, j2]
    bc, ca = neighbours[t, k1], neighbours[t, k2]
    fix_ad, fix_db = fixed[u, j1], fixed[u, j2]
    fix_bc, fix_ca = fixed[t, k1], fixed[t, k2]
    put(t, a, d, c, triangles, home)
    put(u, d, b, c, triangles, home)
    _join(t, 0, ad, fix_ad, u, neighbours, fixed)
    _join(t, 2, ca, fix_ca, t, neighbours, fixed)
    _join(u, 0, db, fix_db, u, neighbours, fixed)
    _join(u, 1, bc, fix_bc, t, neighbours, fixed)
    neighbours[t, 1], neighbours[u, 2] = u, t
    fixed[t, 1], fixed[u, 2] = 0, 0


@inner
def is_convex(xy, t, k, triangles, neighbours):
    """Whether the two triangles at side k of t form a strictly convex quadrilateral."""
    u = neighbours[t, k]
    d = triangles[u, (side_to(u, t, neighbours) + 2) % 3]
    a, b, c = triangles[t, k], triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
    return side_of(xy, a, d, c) > 0 and side_of(xy, d, b, c) > 0


@inner
def wants_flip(xy, t, k, triangles, neighbours, fixed):
    """Whether side k of t may be flipped and the other diagonal is better."""
    u = neighbours[t, k]
    if u < 0 or fixed[t, k] != 0:
        return False
    d = triangles[u, (side_to(u, t, neighbours) + 2) % 3]
    if not _is_in_circle(xy, triangles[t, 0], triangles[t, 1], triangles[t, 2], d):
        return False
    return is_convex(xy, t, k, triangles, neighbours)


@inner
def find(xy, p, start, triangles, neighbours):
    """Locate p by walking from triangle `start`: return (triangle, side that contains p or -1)."""
    t, first = start, 0
    while True:
        # The first side to test changes from step to step, so that the walk cannot cycle.
        first = (first * 5 + 1) % 7
        side, on = -1, -1
        for i in range(3):
            k = (first + i) % 3
            turn = side_of(xy, triangles[t, k], triangles[t, (k + 1) % 3], p)
            if turn < 0:
                side = k
                break
            if turn == 0:
                on = k
        if side < 0:
            return t, on
        t = neighbours[t, side]


@inner
def fix(t, k, mark, neighbours, fixed):
    """Mark side k of t in both triangles; the greater mark is kept."""
    u = neighbours[t, k]
    mark = max(mark, fixed[t, k])
    fixed[t, k] = mark
    if u >= 0:
        fixed[u, side_to(u, t, neighbours)] = mark


@inner
def unfix(t, k, neighbours, fixed):
    """Remove the mark of side k of t."""
    u = neighbours[t, k]
    fixed[t, k] = 0
    fixed[u, side_to(u, t, neighbours)] = 0


@inner(inline=False)
def insert_point(xy, p, t, on, count, triangles, neighbours, fixed, home, stack):
    """Split triangle t at p, and its neighbour if p is on side `on`; then restore Delaunay."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    u, v = count, count + 1
    bc, ca = neighbours[t, 1], neighbours[t, 2]
    fix_bc, fix_ca = fixed[t, 1], fixed[t, 2]
    put(t, a, b, p, triangles, home)
    put(u, b, c, p, triangles, home)
    put(v, c, a, p, triangles, home)
    _join(u, 0, bc, fix_bc, t, neighbours, fixed)
    _join(v, 0, ca, fix_ca, t, neighbours, fixed)
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
        flip(flat, 0, triangles, neighbours, fixed, home)
        fix(flat, 2, mark, neighbours, fixed)
        fix(beyond, 1, mark, neighbours, fixed)
    while n > 0:
        n -= 1
        t = stack[n]
        k = (corner_of(t, p, triangles) + 1) % 3
        if wants_flip(xy, t, k, triangles, neighbours, fixed):
            stack[n], stack[n + 1] = t, neighbours[t, k]
            n += 2
            flip(t, k, triangles, neighbours, fixed, home)
