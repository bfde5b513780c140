"""Largest blend of a turn, and exact distance of an arc to the walls.

A turn has a vertex and two unit directions a and b that leave it along its edges. A blend with
tangent length t starts t metres before the vertex and ends t metres after it. If h is half of the
angle between a and b, its radius is t tan(h), and its centre lies t / cos(h) from the vertex.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway._numba.math import atan2, hypot, sin, sincos
from footway.roadmap.kernels.space import wall_distance

STRAIGHT = 1e-9  # cosine of h below which a turn is straight: the heading jumps by 2e-9 radians
FOLD = 1e-3  # m, least radius of a blend: no walk or camera can follow a smaller one
MOST_RADIUS = 1e6  # m, beyond which centres lose the digits that positions need
SLACK = 1e-9  # m, clearance that may be missing, for rounding

TANGENT, RADIUS, CX, CY, SWEEP, CLEARANCE = range(6)  # columns of the output rows


@inner
def half_angle(ax, ay, bx, by):
    """Return cosine and sine of half the angle between unit vectors, exact near 0 and pi."""
    cosine = 0.5 * math.sqrt((ax + bx) * (ax + bx) + (ay + by) * (ay + by))
    return cosine, 0.5 * math.sqrt((ax - bx) * (ax - bx) + (ay - by) * (ay - by))


@inner
def arc_of(tangent, cosine, sine):
    """Return radius and turning angle (radians, >= 0) of the blend with this tangent length."""
    return tangent * sine / cosine, 2.0 * atan2(cosine, sine)


@inner
def saving(tangent, cosine, sine):
    """Return how much shorter (m) the blend is than the two tangents that it replaces."""
    if cosine < STRAIGHT:
        return 0.0
    radius, turn = arc_of(tangent, cosine, sine)
    return 2.0 * tangent - radius * turn


@inner
def _cells(low, high, origin, size, count):
    first = max(0, min(count - 1, int(math.floor((low - origin) / size))))
    last = max(0, min(count - 1, int(math.floor((high - origin) / size))))
    return first, last


@inner(inline=False)
def largest_tangent(x, y, ax, ay, bx, by, most, keep, ends):
    """Return the largest tangent length, up to `most`, of a blend with clearance `keep` (m).

    Exact. Both edges have that clearance; (x, y) is their vertex. The region between blend and
    vertex grows with t, so a blend is free until its distance to a wall first becomes `keep`. That
    wall is not on the outer side, nor beyond the ends of the arc, because an edge is nearer there.
    Between the ends the distance to the centre is convex along a wall, so the first contact is an
    end point p of a wall, with |p - C(t)| = r(t) - keep. With w = p - v this is
    t^2 - 2 t (w.u - keep sin h) / cos h + w.w - keep^2 = 0, where u points along the bisector. p
    lies inside the circle between the roots, and the blend reaches it at the larger root.
    """
    cosine, sine = half_angle(ax, ay, bx, by)
    if cosine < STRAIGHT or sine < STRAIGHT:
        return 0.0
    keep -= SLACK
    best = min(most, MOST_RADIUS * cosine / sine)
    if best * sine / cosine <= keep:
        return best  # every point inside is nearer to an edge than `keep`
    side = 1.0 if ax * by - ay * bx > 0.0 else -1.0
    ux, uy = 0.5 * (ax + bx) / cosine, 0.5 * (ay + by) / cosine
    # Contacts lie between the edges, moved inward by `keep`, and their tangent points.
    px, py = x + ux * keep / sine, y + uy * keep / sine
    qx, qy = x + ax * best - side * ay * keep, y + ay * best + side * ax * keep
    rx, ry = x + bx * best + side * by * keep, y + by * best - side * bx * keep
    box, shape, offsets, xy = ends.box, ends.shape, ends.offsets, ends.xy
    i0, i1 = _cells(min(px, qx, rx), max(px, qx, rx), box[0], box[2], shape[0])
    j0, j1 = _cells(min(py, qy, ry), max(py, qy, ry), box[1], box[2], shape[1])
    for j in range(j0, j1 + 1):
        for slot in range(offsets[j * shape[0] + i0], offsets[j * shape[0] + i1 + 1]):
            wx, wy = xy[slot, 0] - x, xy[slot, 1] - y
            if side * (ax * wy - ay * wx) < keep or side * (by * wx - bx * wy) < keep:
                continue
            middle = (wx * ux + wy * uy - keep * sine) / cosine
            rest = middle * middle - (wx * wx + wy * wy - keep * keep)
            best = min(best, middle + math.sqrt(max(0.0, rest)))
    return best


@inner
def _within(dx, dy, sx, sy, ex, ey, side):
    """Return whether direction d lies between s and e, turning to `side` by less than pi."""
    return side * (sx * dy - sy * dx) >= 0.0 and side * (dx * ey - dy * ex) >= 0.0


@inner
def _meets(cx, cy, radius, sx, sy, ex, ey, side, walls, w):
    """Return whether wall w crosses an arc."""
    fx, fy = walls[w, 0] - cx, walls[w, 1] - cy
    dx, dy = walls[w, 2] - walls[w, 0], walls[w, 3] - walls[w, 1]
    a, b = dx * dx + dy * dy, fx * dx + fy * dy
    rest = b * b - a * (fx * fx + fy * fy - radius * radius)
    if a == 0.0 or rest < 0.0:
        return False
    for sign in (-1.0, 1.0):
        t = (-b + sign * math.sqrt(rest)) / a
        if 0.0 <= t <= 1.0 and _within(fx + t * dx, fy + t * dy, sx, sy, ex, ey, side):
            return True
    return False


@inner
def _wall_to_arc(cx, cy, radius, sx, sy, ex, ey, side, best, walls, w):
    """Return the smaller of `best` and the distance between wall w and an arc."""
    near, px, py = wall_distance(cx, cy, walls, w)
    if near - radius >= best:
        return best
    if near > radius and _within(px - cx, py - cy, sx, sy, ex, ey, side):
        best = min(best, near - radius)
    best = min(best, wall_distance(cx + radius * sx, cy + radius * sy, walls, w)[0])
    best = min(best, wall_distance(cx + radius * ex, cy + radius * ey, walls, w)[0])
    for k in range(2):
        dx, dy = walls[w, 2 * k] - cx, walls[w, 2 * k + 1] - cy
        if _within(dx, dy, sx, sy, ex, ey, side):
            best = min(best, abs(hypot(dx, dy) - radius))
    if near <= radius and _meets(cx, cy, radius, sx, sy, ex, ey, side, walls, w):
        return 0.0
    return best


@inner(inline=False)
def arc_distance(cx, cy, radius, sx, sy, ex, ey, side, x0, y0, size, nx, ny, rows, members, walls):
    """Return the exact least distance of an arc to any wall; 0 if it crosses one.

    The arc runs from unit direction s to e around (cx, cy), to the left (side 1) or right (-1) by
    less than pi. Rows of `members` list the walls nearest to any point of each of nx by ny cells
    from (x0, y0); the walls of the cells along short parts of the arc are tested.
    """
    sweep = atan2(side * (sx * ey - sy * ex), sx * ex + sy * ey)
    parts = int(math.ceil(radius * sweep / size)) + 1
    step = sweep / parts
    sine, cosine = sincos(step)
    sine *= side
    sagitta = 2.0 * radius * sin(0.25 * step) ** 2
    best, dx, dy = math.inf, sx, sy
    for _ in range(parts):
        ux, uy = dx, dy
        dx, dy = cosine * ux - sine * uy, sine * ux + cosine * uy
        left, right = cx + radius * min(ux, dx) - sagitta, cx + radius * max(ux, dx) + sagitta
        low, high = cy + radius * min(uy, dy) - sagitta, cy + radius * max(uy, dy) + sagitta
        i0, i1 = _cells(left, right, x0, size, nx)
        j0, j1 = _cells(low, high, y0, size, ny)
        for j in range(j0, j1 + 1):
            for slot in range(rows[j * nx + i0], rows[j * nx + i1 + 1]):
                w = members[slot]
                best = _wall_to_arc(cx, cy, radius, sx, sy, ex, ey, side, best, walls, w)
    return best


@inner
def _measure(x, y, ax, ay, bx, by, tangent, space, row):
    """Write the values of the blend with this tangent length, from a to b, into row."""
    cosine, sine = half_angle(ax, ay, bx, by)
    radius, turn = arc_of(tangent, cosine, sine)
    # Motion is along -a, then b: it turns left if b is to the right of a.
    side = -1.0 if ax * by - ay * bx > 0.0 else 1.0
    sx, sy, ex, ey = -side * ay, side * ax, side * by, -side * bx
    cx, cy = x + ax * tangent - radius * sx, y + ay * tangent - radius * sy
    row[TANGENT], row[RADIUS], row[CX], row[CY], row[SWEEP] = tangent, radius, cx, cy, side * turn
    row[CLEARANCE] = arc_distance(
        cx, cy, radius, sx, sy, ex, ey, side, space.origin[0], space.origin[1], space.resolution,
        space.jump.shape[2], space.jump.shape[1], space.wall_offsets, space.wall_members,
        space.walls,
    )  # fmt: skip


@inner(inline=False)
def _leaps(x, y, ax, ay, bx, by, row, ends):
    """Return whether a wall ends between blend and vertex: the blend is on its other side."""
    t, side = row[TANGENT], (1.0 if ax * by - ay * bx > 0.0 else -1.0)
    box, shape = ends.box, ends.shape
    i0, i1 = _cells(x + t * min(0.0, ax, bx), x + t * max(0.0, ax, bx), box[0], box[2], shape[0])
    j0, j1 = _cells(y + t * min(0.0, ay, by), y + t * max(0.0, ay, by), box[1], box[2], shape[1])
    reach = t * (1.0 + ax * bx + ay * by)  # of both tangent points, along a + b
    for j in range(j0, j1 + 1):
        for slot in range(ends.offsets[j * shape[0] + i0], ends.offsets[j * shape[0] + i1 + 1]):
            px, py = ends.xy[slot, 0], ends.xy[slot, 1]
            wx, wy = px - x, py - y
            inside = side * (ax * wy - ay * wx) > 0.0 and side * (by * wx - bx * wy) > 0.0
            nearer = wx * (ax + bx) + wy * (ay + by) < reach
            if inside and nearer and hypot(px - row[CX], py - row[CY]) > row[RADIUS]:
                return True
    return False


@inner(inline=False)
def _halve(x, y, ax, ay, bx, by, most, keep, ends, space, row):
    """Halve the radius until the blend has the clearance: the paper's procedure."""
    cosine, sine = half_angle(ax, ay, bx, by)
    tangent = min(most, MOST_RADIUS * cosine / sine)
    while tangent * sine / cosine >= FOLD:
        _measure(x, y, ax, ay, bx, by, tangent, space, row)
        if row[CLEARANCE] >= keep - SLACK and not _leaps(x, y, ax, ay, bx, by, row, ends):
            return
        tangent *= 0.5
    row[RADIUS] = 0.0


@kernel
def blend_turns(turns, places, directions, most, keep, halved, ends, space, rows):
    """Write the blends of turns into rows (k, 6); radius 0 if a turn is too sharp for a blend.

    The clearance of straight turns is not set. Turns (k, 3) have a vertex and its two outgoing
    half-edges; `directions` (h, 2) are those of half-edges; `most` (k,) m limits tangent lengths,
    and `keep` (k,) m is the least clearance.
    """
    for k in range(len(turns)):
        x, y = places[turns[k, 0], 0], places[turns[k, 0], 1]
        ax, ay = directions[turns[k, 1], 0], directions[turns[k, 1], 1]
        bx, by = directions[turns[k, 2], 0], directions[turns[k, 2], 1]
        row = rows[k]
        cosine, sine = half_angle(ax, ay, bx, by)
        if cosine < STRAIGHT:
            row[TANGENT], row[RADIUS], row[SWEEP] = 0.0, math.inf, 0.0
            row[CX], row[CY] = math.nan, math.nan
        elif most[k] * sine / cosine < FOLD:
            row[RADIUS] = 0.0
        elif halved:
            _halve(x, y, ax, ay, bx, by, most[k], keep[k], ends, space, row)
        else:
            tangent = largest_tangent(x, y, ax, ay, bx, by, most[k], keep[k], ends)
            _measure(x, y, ax, ay, bx, by, tangent, space, row)
