"""Kernels that retract local paths to the medial axis (rrm-roadmaps-2006, section IV).

A local path is a chain of configurations (n, 3) in lattice units with their clearance `room` (n,)
in cells. Every change of the chain keeps three invariants, or is not made: all lines between
consecutive configurations lie in free cells; none has less clearance than the original local path
(`least`); the ends do not move.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.roadmap.kernels.clearance import line_clearance, obstacle_near, room_at
from footway.roadmap.kernels.space import segment_is_free

STEP = 1.0
"""cells. Largest distance between configurations; the lattice resolves no finer detail."""

GROWTH = 0.5
"""A configuration moves while its clearance grows by at least this share of the move: 1 before the
axis, beyond it the cosine of the angle between the directions to the two closest obstacle points.
So branches into flat corners and between the steps of a voxel ramp are skipped."""

FINEST = 2.0**-7
"""cells. Shortest move: the accuracy with which configurations reach the axis."""

DETOUR = 1.5
"""A part of the chain leads forth and back if it is this many times longer than its chord."""

CROWDED = 0.7 * STEP
"""cells. A configuration is redundant if its neighbours are this close to each other."""

MOVING, ON_AXIS, BLOCKED, FIXED = 0, 1, 2, 3
"""State of a configuration after its last push. The ends are fixed, and so are configurations that
are inserted next to them: the connection from an end that is not on the axis to the axis."""

SLACK = 0.1
"""cells. Clearance that a configuration may lose for a smoother path."""

SWEEPS = 200
"""Most rounds of pushing; a configuration moves by at most STEP in each."""

CUT_EVERY = 8
"""Rounds of pushing between cuts of branches, so that branches stay short."""

ROUNDS = 30
"""Rounds of smoothing."""

LAST_BITS = 1e-12
"""cells. Rounding of a distance."""


@kernel
def retract_path(path, most, space):
    """Return a local path (k, 3) in lattice units, pushed to the medial axis: (n, 3).

    The path must lie in free cells. It gets at most `most` configurations.
    """
    least = math.inf
    for k in range(1, len(path)):
        least = min(least, _clearance_between(path, k - 1, k, space))
    points, other = np.empty((most, 3)), np.empty((most, 3))
    room, state = np.empty(most), np.zeros(most, np.int64)
    n = _subdivide(path, points, room, space)
    state[0] = state[n - 1] = FIXED
    for sweep in range(SWEEPS):
        moved = _push_all(points, room, state, n, least, space)
        n = _refine(points, other, room, state, n, space)
        if not moved or sweep % CUT_EVERY == CUT_EVERY - 1:
            n = _cut_branches(points, room, state, n, least, space)
        if not moved:
            break
    n = _thin(points, room, n, least, space)
    _smooth(points, room, room[:n].copy(), n, least, space)
    return points[:n].copy()


@inner(inline=False)
def _subdivide(path, points, room, space):
    """Sample the path, at most one step apart if memory allows; return the number of samples."""
    _copy(path, 0, points, 0)
    n = 1
    for k in range(1, len(path)):
        left = len(points) - n - (len(path) - k) + 1
        pieces = min(left, max(1, int(math.ceil(_between(path, k - 1, path, k) / STEP))))
        for piece in range(1, pieces):
            for axis in range(3):
                along = path[k, axis] - path[k - 1, axis]
                points[n, axis] = path[k - 1, axis] + piece / pieces * along
            n += 1
        _copy(path, k, points, n)
        n += 1
    for k in range(n):
        room[k] = room_at(points[k, 0], points[k, 1], points[k, 2], space)
    return n


@inner(inline=False)
def _push_all(points, room, state, n, least, space):
    """Push every configuration that may move once; return whether any moved."""
    moved = False
    for k in range(1, n - 1):
        if state[k] != MOVING:
            continue
        state[k] = _push(k, points, room, least, space)
        if state[k] == MOVING:
            moved = True
            for other in (k - 1, k + 1):
                if state[other] == BLOCKED:
                    state[other] = MOVING
    return moved


@inner(inline=False)
def _push(k, points, room, least, space):
    """Move a configuration away from its closest obstacle by up to a step.

    Returns MOVING if it moved, ON_AXIS if its clearance would not grow enough, BLOCKED if a line to
    a neighbour would violate the invariants.
    """
    x, y, z = points[k, 0], points[k, 1], points[k, 2]
    ux, uy, uz = _away(x, y, z, space)
    state = ON_AXIS
    move = STEP
    while move >= FINEST:
        px, py, pz = x + move * ux, y + move * uy, z + move * uz
        there = room_at(px, py, pz, space)
        if there >= room[k] + GROWTH * move:
            if _fits(k, px, py, pz, there, points, room, least, space):
                points[k, 0], points[k, 1], points[k, 2], room[k] = px, py, pz, there
                return MOVING
            state = BLOCKED
        move *= 0.5
    return state


@inner
def _away(x, y, z, space):
    """Return the unit direction away from the closest obstacle; zero if unknown."""
    _, px, py, pz = obstacle_near(x, y, z, space)
    ux, uy, uz = x - px, y - py, z - pz if space.dimension == 3 else 0.0
    norm = math.sqrt(ux * ux + uy * uy + uz * uz)
    if norm < 1e-9:
        ux, uy, uz = _into_the_free(x, y, z, space)
        norm = math.sqrt(ux * ux + uy * uy + uz * uz)
    if norm == 0.0:
        return 0.0, 0.0, 0.0
    return ux / norm, uy / norm, uz / norm


@inner(inline=False)
def _into_the_free(x, y, z, space):
    """Return the sum of the directions to the free cells around a point on an obstacle."""
    nz, ny, nx = space.free.shape
    ux, uy, uz = 0.0, 0.0, 0.0
    for sz in range(2 if space.dimension == 3 else 1):
        for sy in range(2):
            for sx in range(2):
                i, j = int(math.floor(x + sx - 0.5)), int(math.floor(y + sy - 0.5))
                k = int(math.floor(z + sz - 0.5)) if space.dimension == 3 else 0
                if 0 <= i < nx and 0 <= j < ny and 0 <= k < nz and space.free[k, j, i]:
                    ux, uy = ux + i + 0.5 - x, uy + j + 0.5 - y
                    uz += (k + 0.5 - z) if space.dimension == 3 else 0.0
    return ux, uy, uz


@inner(inline=False)
def _fits(k, x, y, z, there, points, room, least, space):
    """Return whether the lines to both neighbours are valid if configuration k moves to x, y, z."""
    for other in (k - 1, k + 1):
        if not _is_good(
            points[other, 0], points[other, 1], points[other, 2], x, y, z,
            room[other], there, least, space,
        ):  # fmt: skip
            return False
    return True


@inner(inline=False)
def _is_good(ax, ay, az, bx, by, bz, room_a, room_b, least, space):
    """Return whether a line lies in free cells and has at least the clearance `least`."""
    if not segment_is_free(ax, ay, az, bx, by, bz, space):
        return False
    apart = math.sqrt((bx - ax) ** 2 + (by - ay) ** 2 + (bz - az) ** 2)
    if 0.5 * (room_a + room_b - apart) >= least:  # clearance changes by at most the distance
        return True
    return line_clearance(ax, ay, az, bx, by, bz, space) >= least - LAST_BITS


@inner
def _copy(source, a, target, b):
    target[b, 0], target[b, 1], target[b, 2] = source[a, 0], source[a, 1], source[a, 2]


@inner
def _between(one, a, other, b):
    x, y, z = one[a, 0] - other[b, 0], one[a, 1] - other[b, 1], one[a, 2] - other[b, 2]
    return math.sqrt(x * x + y * y + z * z)


@inner
def _clearance_between(path, a, b, space):
    return line_clearance(
        path[a, 0], path[a, 1], path[a, 2], path[b, 0], path[b, 1], path[b, 2], space
    )


@inner
def _joins(points, room, a, b, least, space):
    """Return whether the straight line between two configurations of the chain is valid."""
    return _is_good(
        points[a, 0], points[a, 1], points[a, 2], points[b, 0], points[b, 1], points[b, 2],
        room[a], room[b], least, space,
    )  # fmt: skip


@inner(inline=False)
def _refine(points, other, room, state, n, space):
    """Insert a configuration in the middle of every line longer than a step; return the count."""
    long = 0
    for k in range(1, n):
        long += _between(points, k - 1, points, k) > STEP
    if long == 0 or n + long > len(points):
        return n
    at = n + long - 1
    for k in range(n - 1, 0, -1):
        is_long = _between(points, k - 1, points, k) > STEP
        _copy(points, k, other, at)
        room[at], state[at] = room[k], state[k]
        at -= 1
        if is_long:
            for axis in range(3):
                other[at, axis] = 0.5 * (points[k - 1, axis] + points[k, axis])
            room[at] = room_at(other[at, 0], other[at, 1], other[at, 2], space)
            is_end = state[k - 1] == FIXED or state[at + 1] == FIXED
            state[at] = FIXED if is_end else MOVING
            at -= 1
    for k in range(1, n + long):
        _copy(other, k, points, k)
    return n + long


@inner(inline=False)
def _cut_branches(points, room, state, n, least, space):
    """Cut parts that lead forth and back between configurations within a step; return the count."""
    last = 0  # index of the last configuration kept
    k = 0
    while k < n - 1:
        goal = k + 1
        for b in range(n - 1, k + 1, -1):
            apart = _between(points, k, points, b)
            is_branch = apart <= STEP and _is_detour(points, k, b, apart)
            if is_branch and _joins(points, room, k, b, least, space):
                goal = b
                break
        last += 1
        _copy(points, goal, points, last)
        room[last], state[last] = room[goal], state[goal]
        if goal > k + 1:
            for end in (last - 1, last):
                state[end] = FIXED if state[end] == FIXED else MOVING
        k = goal  # the chain is compacted in place; indices ahead are unchanged
    return last + 1


@inner
def _is_detour(points, a, b, apart):
    """Return whether the chain between two configurations is much longer than its chord."""
    along = 0.0
    for k in range(a, b):
        along += _between(points, k, points, k + 1)
        if along > STEP and along > DETOUR * apart:
            return True
    return False


@inner(inline=False)
def _thin(points, room, n, least, space):
    """Remove redundant configurations; return the count."""
    last = 0
    for k in range(1, n):
        ahead = k + 1 < n and _between(points, last, points, k + 1) <= CROWDED
        if ahead and _joins(points, room, last, k + 1, least, space):
            continue
        last += 1
        _copy(points, k, points, last)
        room[last] = room[k]
    return last + 1


@inner(inline=False)
def _smooth(points, room, floor, n, least, space):
    """Move configurations towards the middle of their neighbours, for at most SLACK clearance."""
    for _ in range(ROUNDS):
        for k in range(1, n - 1):
            x = 0.5 * points[k, 0] + 0.25 * (points[k - 1, 0] + points[k + 1, 0])
            y = 0.5 * points[k, 1] + 0.25 * (points[k - 1, 1] + points[k + 1, 1])
            z = 0.5 * points[k, 2] + 0.25 * (points[k - 1, 2] + points[k + 1, 2])
            enough = min(floor[k - 1], floor[k], floor[k + 1]) - SLACK
            there = room_at(x, y, z, space)
            if there >= enough and _fits(k, x, y, z, there, points, room, least, space):
                points[k, 0], points[k, 1], points[k, 2], room[k] = x, y, z, there
