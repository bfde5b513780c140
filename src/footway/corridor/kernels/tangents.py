"""Taut chains: the straight lines and arcs around a list of corners, clear of all walls.

A line tangent to a circle has a direction u, and the circle's centre c lies at the signed distance
cross(u, c - p) = k from it: k = +radius where the circle is on the left of the path, -radius on
its right, 0 for a point. A chain is a list of corners with the side on which each is passed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from footway._numba.bins import cell_of
from footway._numba.jit import inner
from footway._numba.math import atan2, hypot
from footway.corridor.kernels.surface import (
    is_on_layer,
    last_layer,
    layer_after_turn,
    layer_grid,
    surface_line_up_to,
)


class Ends(NamedTuple):
    """Start and goal of a path, and the radius of its disc."""

    sx: float
    sy: float
    gx: float
    gy: float
    radius: float
    start_layer: int  # sheet of the start; -1 on a flat map
    goal_layer: int


CORNER, TURN = range(2)  # columns of a chain; TURN is 1 for a turn to the left, -1 to the right
X0, Y0, X1, Y1, DX, DY = range(6)  # columns of tangents: ends and unit direction
SLACK = 1e-9  # m, tolerance when lengths are compared
VIOLATION = 1e-7  # m, a tenth of the tolerance of certificates
STRAIGHT = 1e-8  # m, by which a path may be moved to go straight on: a tenth of VIOLATION
REPAIRS = 32  # corners added to or dropped from a chain before giving up


@inner
def tangent(dx, dy, k):
    """Unit direction u with cross(u, d) = k, and the length along u; -1 if d is too short."""
    squared = dx * dx + dy * dy
    rest = squared - k * k
    if rest < 0.0 or squared == 0.0:
        if rest < -abs(k) * VIOLATION or squared == 0.0:
            return 0.0, 0.0, -1.0
        rest = 0.0
    length = math.sqrt(rest)
    return (dx * length + dy * k) / squared, (dy * length - dx * k) / squared, length


@inner
def turn_angle(ax, ay, bx, by, sigma):
    """Angle from direction a to b, turning left (sigma 1) or right (-1); not negative."""
    angle = sigma * atan2(ax * by - ay * bx, ax * bx + ay * by)
    if angle < -0.5 * math.pi:
        return angle + 2.0 * math.pi
    return max(angle, 0.0)


@inner
def _tangent_length(row):
    return hypot(row[X1] - row[X0], row[Y1] - row[Y0])


@inner
def turn_after(k, chain, tangents):
    """Angle by which the path turns between tangent k and the next one; not negative."""
    before, after = tangents[k], tangents[k + 1]
    return turn_angle(before[DX], before[DY], after[DX], after[DY], chain[k, TURN])


@inner
def corner_in_the_way(px, py, ux, uy, clear, wall, ends, xy):
    """End of a wall that the line from p along u comes closest to, and the side to pass it on.

    The line comes too close to the wall, or crosses it (clear < 0) and has to go around its end.
    """
    best, corner, sigma = math.inf, -1, 1
    for end in range(2):
        c = ends[wall, end]
        offset = ux * (xy[c, 1] - py) - uy * (xy[c, 0] - px)
        if abs(offset) < best:
            best, corner, sigma = abs(offset), c, 1 if (offset > 0.0) == (clear >= 0.0) else -1
    return corner, sigma


@inner
def reverse_chain(n, chain):
    """Reverse a chain: the opposite order and the opposite sides."""
    for k in range(n // 2):
        for c in range(2):
            swap = chain[k, c]
            chain[k, c] = chain[n - 1 - k, c]
            chain[n - 1 - k, c] = swap
    for k in range(n):
        chain[k, TURN] *= -1


@inner
def stop_xy(k, n, chain, xy, ends):
    """Centre and signed radius of stop k of the chain; stops 0 and n + 1 are the path's ends."""
    if k == 0:
        return ends.sx, ends.sy, 0.0
    if k == n + 1:
        return ends.gx, ends.gy, 0.0
    c = chain[k - 1, CORNER]
    return xy[c, 0], xy[c, 1], chain[k - 1, TURN] * ends.radius


@inner(inline=False)
def draw_tangents(n, chain, tangents, xy, ends):
    """Tangents between the stops of a chain: rows (x0, y0, x1, y1, ux, uy) of `tangents`.

    Returns -1 on success, else the stop at which the path turns to the wrong side.
    """
    for k in range(n + 1):
        ax, ay, ka = stop_xy(k, n, chain, xy, ends)
        bx, by, kb = stop_xy(k + 1, n, chain, xy, ends)
        ux, uy, length = tangent(bx - ax, by - ay, kb - ka)
        if length < 0.0:
            return max(1, min(k, n))
        tangents[k, X0], tangents[k, Y0] = ax + ka * uy, ay - ka * ux
        tangents[k, X1], tangents[k, Y1] = bx + kb * uy, by - kb * ux
        tangents[k, DX], tangents[k, DY] = ux, uy
        if k > 0:
            px, py = tangents[k - 1, DX], tangents[k - 1, DY]
            turn = chain[k - 1, TURN] * atan2(px * uy - py * ux, px * ux + py * uy)
            if -0.5 * math.pi < turn < -1e-12:
                return k
    return -1


@inner
def _drop_stop(k, n, chain):
    for i in range(k - 1, n - 1):
        chain[i, CORNER], chain[i, TURN] = chain[i + 1, CORNER], chain[i + 1, TURN]


@inner
def drop_straight_stops(n, chain, tangents):
    """Drop the stops of a drawn chain at which the path goes straight on: how many are left.

    Walls in line have several such corners, and the search may find the path by any of them.
    """
    kept = 0
    before = 0.0  # length since the last stop that was kept
    for k in range(n):
        before += _tangent_length(tangents[k])
        turn = turn_after(k, chain, tangents)
        if turn * min(before, _tangent_length(tangents[k + 1])) > STRAIGHT:
            chain[kept, CORNER], chain[kept, TURN] = chain[k, CORNER], chain[k, TURN]
            kept, before = kept + 1, 0.0
    return kept


@inner
def draw_taut(n, chain, tangents, xy, ends):
    """`draw_tangents` without stops at which the path turns wrongly: how many are left, or -1."""
    while True:
        wrong = draw_tangents(n, chain, tangents, xy, ends)
        if wrong < 0:
            return n
        if n == 0:
            return -1
        _drop_stop(wrong, n, chain)
        n -= 1


@inner
def goes_through(k, chain, tangents, grid, xy):
    """Whether the turn around stop k crosses a wall that begins at its corner.

    Such a wall lies between the two tangents, on the side on which the path passes the corner. A
    wall that extends beyond a tangent by more than VIOLATION, within its length, is crossed.
    """
    corner, sigma = chain[k - 1, CORNER], chain[k - 1, TURN]
    cx, cy = xy[corner, 0], xy[corner, 1]
    ux, uy, vx, vy = tangents[k - 1, DX], tangents[k - 1, DY], tangents[k, DX], tangents[k, DY]
    before, after = _tangent_length(tangents[k - 1]), _tangent_length(tangents[k])
    cell = cell_of(cx, cy, grid.box, grid.shape)
    for slot in range(grid.offsets[cell], grid.offsets[cell + 1]):
        w = grid.candidates[slot]
        for end in range(2):
            if grid.ends[w, end] != corner:
                continue
            wx, wy = grid.walls[w, 2 - 2 * end] - cx, grid.walls[w, 3 - 2 * end] - cy
            length = VIOLATION * hypot(wx, wy)
            off_before = max(VIOLATION, length / max(before, VIOLATION))
            off_after = max(VIOLATION, length / max(after, VIOLATION))
            if sigma * (ux * wy - uy * wx) < -off_before:
                return True
            if sigma * (vx * wy - vy * wx) < -off_after:
                return True
            if wx * (vx - ux) + wy * (vy - uy) < -off_before - off_after:
                return True
    return False


@inner
def layer_after(k, chain, tangents, radius, layer, grid, xy):
    """Sheet after the turn between tangent k and the next one; -1 on a flat map."""
    if layer < 0:
        return -1
    corner, sigma = chain[k, CORNER], float(chain[k, TURN])
    turn = turn_after(k, chain, tangents)
    return layer_after_turn(
        xy[corner, 0], xy[corner, 1], tangents[k, DX], tangents[k, DY], sigma, turn, radius, layer,
        grid,
    )  # fmt: skip


@inner(inline=False)
def tighten(n, chain, tangents, grid, xy, ends):
    """Repair a chain until every tangent is clear of all walls: (number of stops or -1, clearance).

    The search bases the first and last tangent on chords of the axis; a corner that hides the start
    or the goal may be missing or superfluous. Even if all tangents are clear, a chain may turn into
    an obstacle around one corner and out of it around another, which is rejected.

    With stops the clearance is the radius, up to VIOLATION: every tangent touches a circle of it.
    """
    floor, clear = ends.radius - VIOLATION, 0.0
    for _ in range(REPAIRS):
        wrong = draw_tangents(n, chain, tangents, xy, ends)
        if wrong >= 0:
            if n == 0:
                return -1, 0.0
            _drop_stop(wrong, n, chain)
            n -= 1
            continue
        blocked, layer = False, ends.start_layer
        most = floor if n > 0 else math.inf
        for k in range(n + 1):
            x0, y0 = tangents[k, X0], tangents[k, Y0]
            clear, wall, of, layer = surface_line_up_to(
                most, x0, y0, tangents[k, X1], tangents[k, Y1], floor, layer, grid
            )
            if clear < floor:
                ux, uy = tangents[k, DX], tangents[k, DY]
                ends_of_wall = layer_grid(of, grid).ends
                corner, sigma = corner_in_the_way(x0, y0, ux, uy, clear, wall, ends_of_wall, xy)
                around = k > 0 and chain[k - 1, CORNER] == corner
                around = around or (k < n and chain[k, CORNER] == corner)
                if around or n + 1 >= len(chain):
                    return -1, 0.0
                for i in range(n, k, -1):  # insert the corner after stop k
                    chain[i, CORNER], chain[i, TURN] = chain[i - 1, CORNER], chain[i - 1, TURN]
                chain[k, CORNER], chain[k, TURN] = corner, sigma
                n += 1
                blocked = True
                break
            if k < n:
                layer = layer_after(k, chain, tangents, ends.radius, layer, grid, xy)
        if not blocked:
            if layer >= 0 and not is_on_layer(ends.gx, ends.gy, layer, ends.goal_layer, grid):
                return -1, 0.0
            layer = ends.start_layer
            for k in range(1, n + 1):
                line = tangents[k - 1]
                layer = last_layer(line[X0], line[Y0], line[X1], line[Y1], layer, grid)
                if goes_through(k, chain, tangents, layer_grid(layer, grid), xy):
                    return -1, 0.0
                before = layer
                layer = layer_after(k - 1, chain, tangents, ends.radius, layer, grid, xy)
                if layer != before and goes_through(
                    k, chain, tangents, layer_grid(layer, grid), xy
                ):
                    return -1, 0.0
            return n, ends.radius if n > 0 else clear
    return -1, 0.0


@inner
def chain_length(n, chain, tangents, radius):
    """Length of the tangents and arcs of a chain."""
    length = 0.0
    for k in range(n + 1):
        length += _tangent_length(tangents[k])
        if k > 0:
            length += radius * turn_after(k - 1, chain, tangents)
    return length
