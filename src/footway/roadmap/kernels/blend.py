"""Largest blend of a turn, and exact distance of an arc to the walls.

A turn has a vertex and two unit directions a and b that leave it along its edges. A blend with
tangent length t starts t metres before the vertex and ends t metres after it. If h is half of the
angle between a and b, its radius is t tan(h), and its centre lies t / cos(h) from the vertex.
"""

from __future__ import annotations

import math

from footway._numba.bins import cell_range
from footway._numba.jit import inner, kernel
from footway._numba.math import atan2, hypot, sin, sincos
from footway.roadmap.kernels.layouts import Arc, Turn
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


@inner(inline=False)
def largest_tangent(turn, most, keep, ends):
    """Return the largest tangent length, up to `most`, of a blend with clearance `keep` (m).

    Exact. Both edges have that clearance. The region between blend and
    vertex grows with t, so a blend is free until its distance to a wall first becomes `keep`. That
    wall is not on the outer side, nor beyond the ends of the arc, because an edge is nearer there.
    Between the ends the distance to the centre is convex along a wall, so the first contact is an
    end point p of a wall, with |p - C(t)| = r(t) - keep. With w = p - v this is
    t^2 - 2 t (w.u - keep sin h) / cos h + w.w - keep^2 = 0, where u points along the bisector. p
    lies inside the circle between the roots, and the blend reaches it at the larger root.
    """
    x, y, ax, ay, bx, by = turn
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
    i0, i1 = cell_range(min(px, qx, rx), max(px, qx, rx), box[0], box[2], shape[0])
    j0, j1 = cell_range(min(py, qy, ry), max(py, qy, ry), box[1], box[2], shape[1])
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
def _within(dx, dy, arc):
    """Return whether direction d lies between the directions of the arc's ends."""
    after_start = arc.side * (arc.sx * dy - arc.sy * dx) >= 0.0
    return after_start and arc.side * (dx * arc.ey - dy * arc.ex) >= 0.0


@inner
def _meets(arc, walls, w):
    """Return whether wall w crosses an arc."""
    fx, fy = walls[w, 0] - arc.cx, walls[w, 1] - arc.cy
    dx, dy = walls[w, 2] - walls[w, 0], walls[w, 3] - walls[w, 1]
    a, b = dx * dx + dy * dy, fx * dx + fy * dy
    rest = b * b - a * (fx * fx + fy * fy - arc.radius * arc.radius)
    if a == 0.0 or rest < 0.0:
        return False
    for sign in (-1.0, 1.0):
        t = (-b + sign * math.sqrt(rest)) / a
        if 0.0 <= t <= 1.0 and _within(fx + t * dx, fy + t * dy, arc):
            return True
    return False


@inner
def _wall_to_arc(arc, best, walls, w):
    """Return the smaller of `best` and the distance between wall w and an arc."""
    cx, cy, radius = arc.cx, arc.cy, arc.radius
    near, px, py = wall_distance(cx, cy, walls, w)
    if near - radius >= best:
        return best
    if near > radius and _within(px - cx, py - cy, arc):
        best = min(best, near - radius)
    best = min(best, wall_distance(cx + radius * arc.sx, cy + radius * arc.sy, walls, w)[0])
    best = min(best, wall_distance(cx + radius * arc.ex, cy + radius * arc.ey, walls, w)[0])
    for end in range(2):
        dx, dy = walls[w, 2 * end] - cx, walls[w, 2 * end + 1] - cy
        if _within(dx, dy, arc):
            best = min(best, abs(hypot(dx, dy) - radius))
    if near <= radius and _meets(arc, walls, w):
        return 0.0
    return best


@inner(inline=False)
def arc_distance(arc, cells):
    """Return the exact least distance of an arc to any wall; 0 if it crosses one.

    The walls of the cells along short parts of the arc are tested.
    """
    cx, cy, radius, sx, sy, ex, ey, side = arc
    box, nx, ny = cells.box, cells.shape[0], cells.shape[1]
    sweep = atan2(side * (sx * ey - sy * ex), sx * ex + sy * ey)
    parts = int(math.ceil(radius * sweep / box[2])) + 1
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
        i0, i1 = cell_range(left, right, box[0], box[2], nx)
        j0, j1 = cell_range(low, high, box[1], box[2], ny)
        for j in range(j0, j1 + 1):
            for slot in range(cells.offsets[j * nx + i0], cells.offsets[j * nx + i1 + 1]):
                best = _wall_to_arc(arc, best, cells.walls, cells.members[slot])
    return best


@inner
def _measure(turn, tangent, cells, row):
    """Write the values of the blend with this tangent length, from a to b, into row."""
    x, y, ax, ay, bx, by = turn
    cosine, sine = half_angle(ax, ay, bx, by)
    radius, angle = arc_of(tangent, cosine, sine)
    # Motion is along -a, then b: it turns left if b is to the right of a.
    side = -1.0 if ax * by - ay * bx > 0.0 else 1.0
    sx, sy, ex, ey = -side * ay, side * ax, side * by, -side * bx
    cx, cy = x + ax * tangent - radius * sx, y + ay * tangent - radius * sy
    row[TANGENT], row[RADIUS], row[CX], row[CY], row[SWEEP] = tangent, radius, cx, cy, side * angle
    row[CLEARANCE] = arc_distance(Arc(cx, cy, radius, sx, sy, ex, ey, side), cells)


@inner(inline=False)
def _cuts_off_wall(turn, row, ends):
    """Return whether a wall ends between blend and vertex: the blend is on its other side."""
    x, y, ax, ay, bx, by = turn
    t, side = row[TANGENT], (1.0 if ax * by - ay * bx > 0.0 else -1.0)
    box, shape = ends.box, ends.shape
    i0, i1 = cell_range(
        x + t * min(0.0, ax, bx), x + t * max(0.0, ax, bx), box[0], box[2], shape[0]
    )
    j0, j1 = cell_range(
        y + t * min(0.0, ay, by), y + t * max(0.0, ay, by), box[1], box[2], shape[1]
    )
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


@kernel
def blend_turns(turns, places, directions, most, keep, halved, ends, cells, rows):
    """Write the blends of turns into rows (k, 6); radius 0 if a turn is too sharp for a blend.

    The clearance of straight turns is not set. Turns (k, 3) have a vertex and its two outgoing
    half-edges; `directions` (h, 2) are those of half-edges; `most` (k,) m limits tangent lengths,
    and `keep` (k,) m is the least clearance. With `halved`, the paper's procedure, the radius is
    halved until the blend has that clearance.
    """
    for k in range(len(turns)):
        v, a, b = turns[k, 0], turns[k, 1], turns[k, 2]
        turn = Turn(
            places[v, 0], places[v, 1], directions[a, 0], directions[a, 1],
            directions[b, 0], directions[b, 1],
        )  # fmt: skip
        row = rows[k]
        cosine, sine = half_angle(turn.ax, turn.ay, turn.bx, turn.by)
        if cosine < STRAIGHT:
            row[TANGENT], row[RADIUS], row[SWEEP] = 0.0, math.inf, 0.0
            row[CX], row[CY] = math.nan, math.nan
        elif most[k] * sine / cosine < FOLD:
            row[RADIUS] = 0.0
        elif halved:
            tangent, fits = min(most[k], MOST_RADIUS * cosine / sine), False
            while not fits and tangent * sine / cosine >= FOLD:
                _measure(turn, tangent, cells, row)
                fits = row[CLEARANCE] >= keep[k] - SLACK and not _cuts_off_wall(turn, row, ends)
                tangent *= 0.5
            if not fits:
                row[RADIUS] = 0.0
        else:
            _measure(turn, largest_tangent(turn, most[k], keep[k], ends), cells, row)
