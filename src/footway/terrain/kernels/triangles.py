"""Find the triangle of a point, and walk along a line from triangle to triangle.

Triangles and corners are those of `environment.partition`: counterclockwise, neighbour k across the
side from corner k to corner k + 1, -1 at a wall.

A walk classifies each corner once as left of the line, right of it, or on it (within ON_LINE). So
all triangles agree about a corner, and lines through a corner or along a side are explicit cases
that do not depend on rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._numba.bins import add, cell_range, close
from footway._numba.jit import inner, kernel
from footway._numba.segments import share_of_segment

ON_LINE = 1e-9  # m, maximum distance of a corner that counts as on the line
NEAR = 1e-9  # m, maximum distance of a point that counts as inside a triangle
FREE = 2.0  # fraction returned for a line that no wall stops
REACH = 1e-6  # m beyond a triangle that its cells cover: more than NEAR


@inner
def _misses_cell(points, triangles, t, cx, cy, half):
    """Whether a side of the triangle has the whole square around (cx, cy) on its outer side."""
    for k in range(3):
        p, q = triangles[t, k], triangles[t, (k + 1) % 3]
        dx, dy = points[q, 0] - points[p, 0], points[q, 1] - points[p, 1]
        inward = dx * (cy - points[p, 1]) - dy * (cx - points[p, 0])
        if inward < -(half + REACH) * (abs(dx) + abs(dy)):
            return True
    return False


@kernel
def bin_triangles(points, triangles, x0, y0, size, nx, ny):
    """Triangles that touch each cell, in compressed rows: (offsets (nx ny + 1,), members)."""
    offsets, members = np.zeros(nx * ny + 1, np.int64), np.empty(0, np.int32)
    for fill in range(2):
        for t in range(len(triangles) - 1, -1, -1):
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            x = points[a, 0], points[b, 0], points[c, 0]
            y = points[a, 1], points[b, 1], points[c, 1]
            i0, i1 = cell_range(min(x) - REACH, max(x) + REACH, x0, size, nx)
            j0, j1 = cell_range(min(y) - REACH, max(y) + REACH, y0, size, ny)
            for j in range(j0, j1 + 1):
                for i in range(i0, i1 + 1):
                    mx, my = x0 + (i + 0.5) * size, y0 + (j + 0.5) * size
                    if not _misses_cell(points, triangles, t, mx, my, 0.5 * size):
                        add(t, j * nx + i, fill == 1, offsets, members)
        if fill == 0:
            members = np.empty(close(offsets), np.int32)
    return offsets, members


@inner
def _outside(x, y, points, p, q):
    """Squared distance of a point to the side pq if it lies on its right; else 0."""
    px, py = points[p, 0], points[p, 1]
    dx, dy = points[q, 0] - px, points[q, 1] - py
    ex, ey = x - px, y - py
    if dx * ey - dy * ex >= 0.0:
        return 0.0
    share = share_of_segment(ex, ey, dx, dy)
    ex, ey = ex - share * dx, ey - share * dy
    # A point on the right is outside, even if it is very close.
    return max(ex * ex + ey * ey, 1e-300)


@inner
def closest_on_side(x, y, t, k, mesh):
    """Point of side k of triangle t that is closest to a point, and its squared distance."""
    points, p, q = mesh.points, mesh.triangles[t, k], mesh.triangles[t, k + 1 if k < 2 else 0]
    px, py = points[p, 0], points[p, 1]
    dx, dy = points[q, 0] - px, points[q, 1] - py
    share = share_of_segment(x - px, y - py, dx, dy)
    ox, oy = px + share * dx, py + share * dy
    return ox, oy, (x - ox) * (x - ox) + (y - oy) * (y - oy)


@inner
def cell_at(x, y, box, shape):
    """Cell of a point; less than a cell beyond the border counts as at the border; -1: none."""
    i = int(math.floor((x - box[0]) / box[2])) if math.isfinite(x) else -9
    j = int(math.floor((y - box[1]) / box[2])) if math.isfinite(y) else -9
    if i < -1 or j < -1 or i > shape[0] or j > shape[1]:
        return -1
    return min(max(j, 0), shape[1] - 1) * shape[0] + min(max(i, 0), shape[0] - 1)


@inner
def distance_squared(x, y, t, mesh):
    """Squared distance of a point to triangle t; 0 inside and on the border."""
    points, triangles = mesh.points, mesh.triangles
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    off = max(_outside(x, y, points, a, b), _outside(x, y, points, b, c))
    return max(off, _outside(x, y, points, c, a))


@inner(inline=False)
def locate(x, y, mesh):
    """Triangle that contains a point, or else the nearest within 1e-9 m; -1: none."""
    cell = cell_at(x, y, mesh.box, mesh.shape)
    if cell < 0:
        return -1
    best, nearest = NEAR * NEAR, -1
    for slot in range(mesh.offsets[cell], mesh.offsets[cell + 1]):
        t = int(mesh.members[slot])
        off = distance_squared(x, y, t, mesh)
        if off == 0.0:
            return t
        if off <= best:
            best, nearest = off, t
    return nearest


class Line(NamedTuple):
    """A line to walk along."""

    x: float  # m, its begin
    y: float
    ux: float  # its direction, a unit vector
    uy: float
    length: float  # m


@inner
def _place(p, line, points):
    """Position of a corner: m to the left of the line (0: on it), and m along it."""
    px, py = points[p, 0] - line.x, points[p, 1] - line.y
    side = line.ux * py - line.uy * px
    if abs(side) <= ON_LINE:
        side = 0.0
    return side, line.ux * px + line.uy * py


@inner
def _exit(t, line, mesh):
    """Exit of a line from triangle t: (corner or side, m along the line, how).

    How: 0 through side k, 1 at corner k, 2 at corner k after running along the side from k, 3 at
    corner k after running along the side to k, -1: it does not meet the triangle.
    """
    points, triangles = mesh.points, mesh.triangles
    s0, d0 = _place(triangles[t, 0], line, points)
    s1, d1 = _place(triangles[t, 1], line, points)
    s2, d2 = _place(triangles[t, 2], line, points)
    # Through the side whose first corner is on the right and whose second is on the left.
    if s0 < 0.0 < s1:
        return 0, (d0 * s1 - d1 * s0) / (s1 - s0), 0
    if s1 < 0.0 < s2:
        return 1, (d1 * s2 - d2 * s1) / (s2 - s1), 0
    if s2 < 0.0 < s0:
        return 2, (d2 * s0 - d0 * s2) / (s0 - s2), 0
    corner, along = -1, -math.inf
    if s0 == 0.0:
        corner, along = 0, d0
    if s1 == 0.0 and d1 > along:
        corner, along = 1, d1
    if s2 == 0.0 and d2 > along:
        corner, along = 2, d2
    how = -1 if corner < 0 else 1
    if corner == 0:
        how = 3 if s2 == 0.0 else (2 if s1 == 0.0 else 1)
    elif corner == 1:
        how = 3 if s0 == 0.0 else (2 if s2 == 0.0 else 1)
    elif corner == 2:
        how = 3 if s1 == 0.0 else (2 if s0 == 0.0 else 1)
    return corner, along, how


@inner
def _leads_on(t, k, line, mesh):
    """Whether a line through corner k of triangle t continues into it or along a side."""
    points, triangles = mesh.points, mesh.triangles
    _, here = _place(triangles[t, k], line, points)
    s1, d1 = _place(triangles[t, (k + 1) % 3], line, points)
    s2, d2 = _place(triangles[t, (k + 2) % 3], line, points)
    if s1 < 0.0 < s2:
        return True
    if s1 == 0.0 and d1 > here:
        return s2 > 0.0
    return s2 == 0.0 and d2 > here and s1 < 0.0


@inner
def centre_of(t, mesh):
    """Centre of triangle t."""
    points, triangles = mesh.points, mesh.triangles
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    x = (points[a, 0] + points[b, 0] + points[c, 0]) / 3.0
    return x, (points[a, 1] + points[b, 1] + points[c, 1]) / 3.0


@inner
def corner_of(t, p, triangles):
    """Index of point p among the corners of triangle t."""
    if triangles[t, 0] == p:
        return 0
    return 1 if triangles[t, 1] == p else 2


@inner(inline=False)
def _turn(t, p, line, mesh):
    """Triangle around corner p into which the line continues without crossing a wall; -1: none.

    Turns around the corner from triangle t, first in one direction, then in the other.
    """
    for clockwise in range(2):
        now = t
        while True:
            k = corner_of(now, p, mesh.triangles)
            if _leads_on(now, k, line, mesh):
                return now
            now = int(mesh.neighbours[now, (k + 2) % 3 if clockwise else k])
            if now < 0 or now == t:
                break
    return -1


@inner
def rate(kind, ux, uy, weights, mesh):
    """Cost of a metre in the direction (ux, uy), a unit vector, on one kind of terrain."""
    rise = mesh.rise[kind, 0] * ux + mesh.rise[kind, 1] * uy
    return weights[kind] if rise == 0.0 else weights[kind] * math.sqrt(1.0 + rise * rise)


@inner
def cost_of(dx, dy, kind, weights, mesh):
    """Cost of the line (dx, dy) on one kind of terrain."""
    rise = mesh.rise[kind, 0] * dx + mesh.rise[kind, 1] * dy
    return weights[kind] * math.sqrt(dx * dx + dy * dy + rise * rise)


@inner
def highest_rate(kind, weights, mesh):
    """Cost of a metre straight up or down one kind of terrain."""
    x, y = mesh.rise[kind, 0], mesh.rise[kind, 1]
    return weights[kind] * math.sqrt(1.0 + x * x + y * y)


@inner
def _beside(t, corner, how, line, weights, mesh):
    """Kind of terrain of a line through t and its rate; along a border the cheaper of both."""
    own = int(mesh.kind[t])
    cost = rate(own, line.ux, line.uy, weights, mesh)
    if how < 2:
        return own, cost
    other = int(mesh.neighbours[t, corner if how == 2 else (corner + 2) % 3])
    if other < 0:
        return own, cost
    beyond = int(mesh.kind[other])
    there = rate(beyond, line.ux, line.uy, weights, mesh)
    if there < cost or (there == cost and beyond < own):
        return beyond, there
    return own, cost


@inner
def _outermost(t, x, y, points, triangles):
    """Side of triangle t that has the point farthest on its outer side."""
    best, side = math.inf, 0
    for k in range(3):
        p, q = triangles[t, k], triangles[t, (k + 1) % 3]
        dx, dy = points[q, 0] - points[p, 0], points[q, 1] - points[p, 1]
        inward = (dx * (y - points[p, 1]) - dy * (x - points[p, 0])) / math.sqrt(dx * dx + dy * dy)
        if inward < best:
            best, side = inward, k
    return side


@inner
def _run(t, k, done, line, cost, limit, least, weights, metres, mesh):
    """Continue through side k of t and further sides until a corner is met.

    Only the new corner of each further triangle has to be checked.

    Returns: last triangle, metres along the line, weighted length, side at which a wall stops
    (-1: none; the line ends, meets a corner of the last triangle, or exceeds the limit).
    """
    points, triangles, neighbours = mesh.points, mesh.triangles, mesh.neighbours
    kind, length = mesh.kind, line.length
    right, along_right = _place(triangles[t, k], line, points)
    left, along_left = _place(triangles[t, (k + 1) % 3], line, points)
    while True:
        u = int(neighbours[t, k])
        if u < 0:
            return t, done, cost, k
        j = corner_of(u, t, neighbours)  # the side of u beyond which t lies
        t = u
        tip = 2 if j == 0 else j - 1
        side, along = _place(triangles[t, tip], line, points)
        if side > 0.0:
            left, along_left, k = side, along, 0 if j == 2 else j + 1
        elif side < 0.0:
            right, along_right, k = side, along, tip
        else:
            return t, done, cost, -1
        reach = (along_right * left - along_left * right) / (left - right)
        reach = min(max(reach, done), length)
        cost += (reach - done) * rate(kind[t], line.ux, line.uy, weights, mesh)
        if metres is not None:
            metres[kind[t]] += reach - done
        done = reach
        if done >= length or cost + least * (length - done) > limit:
            return t, done, cost, -1


@inner(inline=False)
def trace_within(ax, ay, bx, by, start, limit, least, weights, metres, mesh):
    """Walk along the line ab from triangle `start`, which contains a, up to the cost `limit`.

    It stops as soon as the limit must be exceeded, given that a metre costs at least `least`, and
    then returns `limit` or more.

    Adds the lengths on each kind to `metres` (k,) unless that is None. A line along the border of
    two kinds counts as the cheaper one. A line may touch walls.

    Returns: weighted length (m, up to the stop), fraction of ab at which a wall or the limit stops
    it (FREE: neither), triangle in which it ends.
    """
    points, triangles, neighbours = mesh.points, mesh.triangles, mesh.neighbours
    length = math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
    if start < 0:
        return 0.0, 0.0, -1
    if length == 0.0:
        return 0.0, FREE, start
    line = Line(ax, ay, (bx - ax) / length, (by - ay) / length, length)
    t, done, cost = start, 0.0, 0.0
    for _ in range(4 * len(triangles) + 16):
        k, along, how = _exit(t, line, mesh)
        along = min(max(along, done), length)
        counts, of_metre = _beside(t, k, how, line, weights, mesh)
        cost += (along - done) * of_metre
        if metres is not None:
            metres[counts] += along - done
        done = along
        if done >= length:
            break
        stuck = False
        if how == 0:
            t, done, cost, wall = _run(t, k, done, line, cost, limit, least, weights, metres, mesh)
            stuck = wall >= 0
        else:
            if how > 0:
                following = _turn(t, triangles[t, k], line, mesh)
            else:
                # The line only touches the triangle: the point lies within rounding of a side.
                x, y = ax + done * line.ux, ay + done * line.uy
                k = _outermost(t, x, y, points, triangles)
                following = int(neighbours[t, k])
            stuck = following < 0
            t = t if stuck else following
        # A line that ends at a wall touches it, whatever rounding says.
        if done >= length or (stuck and length - done <= ON_LINE):
            break
        bound = cost + least * (length - done)
        if stuck or bound > limit:
            return (cost if stuck else bound), done / length, t
    return cost, FREE if length - done <= ON_LINE else done / length, t


@inner(inline=False)
def trace(ax, ay, bx, by, start, weights, metres, mesh):
    """Walk along the line ab to its end, or to a wall: see `trace_within`."""
    return trace_within(ax, ay, bx, by, start, math.inf, 0.0, weights, metres, mesh)


@kernel
def locate_all(points, mesh, out):
    """Triangle of each point (n, 2), -1 outside: out (n,) int32."""
    for i in range(len(points)):
        out[i] = locate(points[i, 0], points[i, 1], mesh)


@inner(inline=False)
def trace_from(ax, ay, bx, by, weights, metres, mesh):
    """Trace the line ab from the triangle at a in which it gets farthest.

    A point on a wall with free space on both sides, or where two walls touch, belongs to triangles
    that are not connected around the point.
    """
    start = locate(ax, ay, mesh)
    cost, stop, _ = trace(ax, ay, bx, by, start, weights, metres, mesh)
    length = math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
    if start < 0 or stop * length > ON_LINE:
        return cost, stop
    cell = cell_at(ax, ay, mesh.box, mesh.shape)
    for slot in range(mesh.offsets[cell], mesh.offsets[cell + 1]):
        t = int(mesh.members[slot])
        if t == start or distance_squared(ax, ay, t, mesh) > NEAR * NEAR:
            continue
        _, reach, _ = trace(ax, ay, bx, by, t, weights, None, mesh)
        if reach > stop:
            if metres is not None:
                metres[:] = 0.0
            cost, stop, _ = trace(ax, ay, bx, by, t, weights, metres, mesh)
    return cost, stop


@kernel
def trace_lines(lines, weights, mesh, metres, costs, stops):
    """Trace lines (n, 4): writes metres (n, k), which must be 0, costs and stops (n,)."""
    for i in range(len(lines)):
        costs[i], stops[i] = trace_from(
            lines[i, 0], lines[i, 1], lines[i, 2], lines[i, 3], weights, metres[i], mesh
        )
