"""Array kernels that retract local paths to the medial axis (rrm-roadmaps-2006, section IV).

A local path is a chain of configurations (n, 3) in lattice units with their clearance `room` (n,)
in cells. Every change of the chain keeps three things, and is dropped where it would not: all
straight lines from one configuration to the next lie in free cells, none comes nearer to an
obstacle than the straight local path did (`least`), and the ends stay where they are.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.roadmap.kernels.line import line_clearance, obstacle_near, room_at
from footway.roadmap.kernels.space import segment_is_free

STEP = 1.0
"""cells. Configurations are at most this far apart: the lattice says nothing about less."""

GROWTH = 0.5
"""A configuration moves on while its clearance grows by this share of the move. It grows by all of
it before the axis, by the cosine of the angle between the directions to the two closest obstacle
points beyond: so branches into flat corners, and between the steps of a voxel ramp, are passed."""

FINEST = 2.0**-7
"""cells. The shortest move: how near to the axis a configuration comes."""

DETOUR = 1.5
"""A part of the chain is walked forth and back when it is this many times the line."""

CROWDED = 0.7 * STEP
"""cells. Of configurations whose neighbours are this close to each other one is enough."""

MOVING, ON_AXIS, BLOCKED, FIXED = 0, 1, 2, 3
"""What became of a configuration at its last push. The ends are fixed, and so is what comes between
them and a neighbour that moves away: the way from an end that is not on the axis to the axis."""

SLACK = 0.1
"""cells. Clearance that a configuration may give up for a smoother path."""

SWEEPS = 200
"""Most rounds of pushing: a configuration moves by at most STEP in each."""

CUT_EVERY = 8
"""Rounds of pushing after which branches are cut, so that nothing runs far into them."""

ROUNDS = 30
"""Rounds of smoothing."""

LAST_BITS = 1e-12
"""cells. Rounding of a distance."""


@kernel
def retract_path(path, most, space):
    """Local path (k, 3) in lattice units, pushed to the medial axis: (n, 3) from end to end.

    The path lies in free cells. It stops growing where it has `most` configurations.
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
    """Configurations on the path, at most one step apart if there is memory; how many."""
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
    """Push every configuration that may move once; whether any moved."""
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

    MOVING if it moved, ON_AXIS if its clearance does not grow, BLOCKED if it would but a line to a
    neighbour would not be good.
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
    """Direction away from the closest obstacle; zero where it is unknown."""
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
    """Sum of the directions to the free cells around a place that touches an obstacle."""
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
    """Whether the lines to both neighbours stay good when configuration k is moved to x, y, z."""
    for other in (k - 1, k + 1):
        if not _is_good(
            points[other, 0], points[other, 1], points[other, 2], x, y, z,
            room[other], there, least, space,
        ):  # fmt: skip
            return False
    return True


@inner(inline=False)
def _is_good(ax, ay, az, bx, by, bz, room_a, room_b, least, space):
    """Whether a line lies in free cells and nowhere has less than the least clearance."""
    if not segment_is_free(ax, ay, az, bx, by, bz, space):
        return False
    apart = math.sqrt((bx - ax) ** 2 + (by - ay) ** 2 + (bz - az) ** 2)
    if 0.5 * (room_a + room_b - apart) >= least:  # clearance changes no faster than the place
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
    """Whether the straight line between two configurations of the chain is good."""
    return _is_good(
        points[a, 0], points[a, 1], points[a, 2], points[b, 0], points[b, 1], points[b, 2],
        room[a], room[b], least, space,
    )  # fmt: skip


@inner(inline=False)
def _refine(points, other, room, state, n, space):
    """Put a configuration in the middle of every line that is longer than a step."""
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
    """Leave out what is walked forth and back: the way between two places within a step."""
    last = 0  # of what is kept
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
        k = goal  # what is ahead keeps its numbers: the chain behind is compacted in place
    return last + 1


@inner
def _is_detour(points, a, b, apart):
    """Whether the chain between two configurations is much longer than the line."""
    along = 0.0
    for k in range(a, b):
        along += _between(points, k, points, k + 1)
        if along > STEP and along > DETOUR * apart:
            return True
    return False


@inner(inline=False)
def _thin(points, room, n, least, space):
    """Leave out configurations that crowd together."""
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
    """Draw configurations to the middle of their neighbours, for a little of their clearance."""
    for _ in range(ROUNDS):
        for k in range(1, n - 1):
            x = 0.5 * points[k, 0] + 0.25 * (points[k - 1, 0] + points[k + 1, 0])
            y = 0.5 * points[k, 1] + 0.25 * (points[k - 1, 1] + points[k + 1, 1])
            z = 0.5 * points[k, 2] + 0.25 * (points[k - 1, 2] + points[k + 1, 2])
            enough = min(floor[k - 1], floor[k], floor[k + 1]) - SLACK
            there = room_at(x, y, z, space)
            if there >= enough and _fits(k, x, y, z, there, points, room, least, space):
                points[k, 0], points[k, 1], points[k, 2], room[k] = x, y, z, there
