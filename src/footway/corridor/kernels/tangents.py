"""Taut chains: the straight lines and arcs around a list of corners, clear of all walls.

A line tangent to a circle has a direction u, and the circle's centre c lies at the signed distance
cross(u, c - p) = k from it: k = +radius where the circle is on the left of the path, -radius on
its right, 0 for a point. A chain is a list of corners with the side on which each is passed.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway._numba.math import atan2, hypot
from footway.corridor.kernels.wall_grid import cell_of, line_clearance

SLACK = 1e-9  # m, tolerance when lengths are compared
VIOLATION = 1e-7  # m, a tenth of the tolerance of certificates
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
        chain[k, 1] *= -1


@inner
def stop_xy(k, n, chain, xy, ends):
    """Centre and signed radius of stop k of the chain; stops 0 and n + 1 are the path's ends."""
    if k == 0:
        return ends[0], ends[1], 0.0
    if k == n + 1:
        return ends[2], ends[3], 0.0
    c = chain[k - 1, 0]
    return xy[c, 0], xy[c, 1], chain[k - 1, 1] * ends[4]


@inner(inline=False)
def draw_legs(n, chain, legs, xy, ends):
    """Tangents between the stops of a chain: rows (x0, y0, x1, y1, ux, uy) of `legs`.

    `ends` are the start's and the goal's coordinates and the radius. Returns -1 on success, else
    the stop at which the path turns to the wrong side.
    """
    for k in range(n + 1):
        ax, ay, ka = stop_xy(k, n, chain, xy, ends)
        bx, by, kb = stop_xy(k + 1, n, chain, xy, ends)
        ux, uy, length = tangent(bx - ax, by - ay, kb - ka)
        if length < 0.0:
            return max(1, min(k, n))
        legs[k, 0], legs[k, 1] = ax + ka * uy, ay - ka * ux
        legs[k, 2], legs[k, 3] = bx + kb * uy, by - kb * ux
        legs[k, 4], legs[k, 5] = ux, uy
        if k > 0:
            px, py = legs[k - 1, 4], legs[k - 1, 5]
            turn = chain[k - 1, 1] * atan2(px * uy - py * ux, px * ux + py * uy)
            if -0.5 * math.pi < turn < -1e-12:
                return k
    return -1


@inner
def _drop_stop(k, n, chain):
    for i in range(k - 1, n - 1):
        chain[i, 0], chain[i, 1] = chain[i + 1, 0], chain[i + 1, 1]


@inner
def _add_stop(k, n, corner, sigma, chain):
    """Insert a corner behind stop k."""
    for i in range(n, k, -1):
        chain[i, 0], chain[i, 1] = chain[i - 1, 0], chain[i - 1, 1]
    chain[k, 0], chain[k, 1] = corner, sigma


@inner
def draw_taut(n, chain, legs, xy, ends):
    """`draw_legs` without stops at which the path turns wrongly: number of stops left, or -1."""
    while True:
        wrong = draw_legs(n, chain, legs, xy, ends)
        if wrong < 0:
            return n
        if n == 0:
            return -1
        _drop_stop(wrong, n, chain)
        n -= 1


@inner
def _goes_through(k, chain, legs, grid, xy):
    """Whether the turn around stop k crosses a wall that begins at its corner.

    Such a wall lies between the two legs, on the side on which the path passes the corner. A wall
    that extends beyond a leg by more than VIOLATION, within the leg's length, is crossed.
    """
    corner, sigma = chain[k - 1, 0], chain[k - 1, 1]
    cx, cy = xy[corner, 0], xy[corner, 1]
    ux, uy, vx, vy = legs[k - 1, 4], legs[k - 1, 5], legs[k, 4], legs[k, 5]
    before = hypot(legs[k - 1, 2] - legs[k - 1, 0], legs[k - 1, 3] - legs[k - 1, 1])
    after = hypot(legs[k, 2] - legs[k, 0], legs[k, 3] - legs[k, 1])
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


@inner(inline=False)
def tighten(n, chain, legs, grid, xy, ends):
    """Repair a chain until every leg is clear of all walls: (number of stops or -1, clearance).

    The search bases the first and last leg on chords of the axis; a corner that hides the start or
    the goal may be missing or superfluous. Even if all legs are clear, a chain may turn into an
    obstacle around one corner and out of it around another, which is rejected.
    """
    floor = ends[4] - VIOLATION
    for _ in range(REPAIRS):
        wrong = draw_legs(n, chain, legs, xy, ends)
        if wrong >= 0:
            if n == 0:
                return -1, 0.0
            _drop_stop(wrong, n, chain)
            n -= 1
            continue
        least = math.inf
        blocked = False
        for k in range(n + 1):
            x0, y0 = legs[k, 0], legs[k, 1]
            clear, wall = line_clearance(x0, y0, legs[k, 2], legs[k, 3], floor, grid)
            if clear < floor:
                ux, uy = legs[k, 4], legs[k, 5]
                corner, sigma = corner_in_the_way(x0, y0, ux, uy, clear, wall, grid.ends, xy)
                around = k > 0 and chain[k - 1, 0] == corner
                around = around or (k < n and chain[k, 0] == corner)
                if around or n + 1 >= len(chain):
                    return -1, 0.0
                _add_stop(k, n, corner, sigma, chain)
                n += 1
                blocked = True
                break
            least = min(least, clear)
        if not blocked:
            for k in range(1, n + 1):
                if _goes_through(k, chain, legs, grid, xy):
                    return -1, 0.0
            return n, least
    return -1, 0.0


@inner
def chain_length(n, chain, legs, radius):
    """Length of the legs and arcs of a chain."""
    length = 0.0
    for k in range(n + 1):
        length += hypot(legs[k, 2] - legs[k, 0], legs[k, 3] - legs[k, 1])
        if k > 0:
            length += radius * turn_angle(
                legs[k - 1, 4], legs[k - 1, 5], legs[k, 4], legs[k, 5], chain[k - 1, 1]
            )
    return length
