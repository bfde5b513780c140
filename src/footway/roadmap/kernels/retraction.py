"""Kernels that retract local paths to the medial axis (rrm-roadmaps-2006, section IV).

A local path is a chain of configurations in lattice units. Every change of the chain keeps three
invariants, or is not made: all lines between consecutive configurations lie in free cells; none has
less clearance than the original local path (`least`); the ends do not move.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.roadmap.kernels.clearance import clearance_in_cells, line_clearance, obstacle_near
from footway.roadmap.kernels.layouts import Chain
from footway.roadmap.kernels.space import segment_is_free

STEP = 1.0  # cells. Largest distance between configurations; the lattice resolves no finer detail

GROWTH = 0.5
"""A configuration moves while its clearance grows by at least this share of the move: 1 before the
axis, beyond it the cosine of the angle between the directions to the two closest obstacle points.
So branches into flat corners and between the steps of a voxel ramp are skipped."""

FINEST = 2.0**-7  # cells. Shortest move: the accuracy with which configurations reach the axis

DETOUR = 1.5
"""A part of the chain goes back and forth if it is this many times longer than its chord."""

CROWDED = 0.7 * STEP
"""cells. A configuration is redundant if its neighbours are this close to each other."""

MOVING, ON_AXIS, BLOCKED, FIXED = 0, 1, 2, 3
"""State of a configuration after its last push. The ends are fixed, and so are configurations that
are inserted next to them: the connection from an end that is not on the axis to the axis."""

SLACK = 0.1  # cells. Clearance that a configuration may lose for a smoother path
SWEEPS = 200  # most rounds of pushing; a configuration moves by at most STEP in each
CUT_EVERY = 8  # rounds of pushing between cuts of branches, so that branches stay short
ROUNDS = 30  # rounds of smoothing
LAST_BITS = 1e-12  # cells. Rounding of a distance


@kernel
def retract_path(path, most, space):
    """Return a local path (k, 3) in lattice units, pushed to the medial axis: (n, 3).

    The path must lie in free cells. It gets at most `most` configurations.
    """
    least = math.inf
    for k in range(1, len(path)):
        a, b = path[k - 1], path[k]
        least = min(least, line_clearance(a[0], a[1], a[2], b[0], b[1], b[2], space))
    chain = Chain(
        np.empty((most, 3)), np.empty(most), np.zeros(most, np.int64), np.empty((most, 3))
    )
    n = _subdivide(path, chain, space)
    chain.state[0] = chain.state[n - 1] = FIXED
    for sweep in range(SWEEPS):
        moved = _push_all(chain, n, least, space)
        n = _refine(chain, n, space)
        if not moved or sweep % CUT_EVERY == CUT_EVERY - 1:
            n = _cut_branches(chain, n, least, space)
        if not moved:
            break
    n = _thin(chain, n, least, space)
    _smooth(chain, chain.clearance[:n].copy(), n, least, space)
    return chain.points[:n].copy()


@inner(inline=False)
def _subdivide(path, chain, space):
    """Sample the path, at most one step apart if memory allows; return the number of samples."""
    points = chain.points
    _copy(path, 0, points, 0)
    n = 1
    for k in range(1, len(path)):
        left = len(points) - n - (len(path) - k) + 1
        pieces = min(left, max(1, int(math.ceil(_between(path, k - 1, k) / STEP))))
        for piece in range(1, pieces):
            for axis in range(3):
                along = path[k, axis] - path[k - 1, axis]
                points[n, axis] = path[k - 1, axis] + piece / pieces * along
            n += 1
        _copy(path, k, points, n)
        n += 1
    for k in range(n):
        chain.clearance[k] = clearance_in_cells(points[k, 0], points[k, 1], points[k, 2], space)
    return n


@inner(inline=False)
def _push_all(chain, n, least, space):
    """Push every configuration that may move once; return whether any moved."""
    state, moved = chain.state, False
    for k in range(1, n - 1):
        if state[k] != MOVING:
            continue
        state[k] = _push(k, chain, least, space)
        if state[k] == MOVING:
            moved = True
            for other in (k - 1, k + 1):
                if state[other] == BLOCKED:
                    state[other] = MOVING
    return moved


@inner(inline=False)
def _push(k, chain, least, space):
    """Move a configuration away from its closest obstacle by up to a step.

    Returns MOVING if it moved, ON_AXIS if its clearance would not grow enough, BLOCKED if a line to
    a neighbour would violate the invariants.
    """
    x, y, z = chain.points[k, 0], chain.points[k, 1], chain.points[k, 2]
    ux, uy, uz = _away(x, y, z, space)
    state, move = ON_AXIS, STEP
    while move >= FINEST:
        px, py, pz = x + move * ux, y + move * uy, z + move * uz
        there = clearance_in_cells(px, py, pz, space)
        if there >= chain.clearance[k] + GROWTH * move:
            if _move(k, px, py, pz, there, chain, least, space):
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
def _move(k, x, y, z, there, chain, least, space):
    """Move configuration k to x, y, z, where the clearance is `there`, if both lines are valid."""
    for other in (k - 1, k + 1):
        if not _is_valid(other, x, y, z, there, chain, least, space):
            return False
    chain.points[k, 0], chain.points[k, 1], chain.points[k, 2] = x, y, z
    chain.clearance[k] = there
    return True


@inner(inline=False)
def _is_valid(a, x, y, z, there, chain, least, space):
    """Return whether the line from configuration a to a point lies in free cells, and is wide.

    The point has the clearance `there`; the line must have at least the clearance `least`.
    """
    ax, ay, az = chain.points[a, 0], chain.points[a, 1], chain.points[a, 2]
    if not segment_is_free(ax, ay, az, x, y, z, space):
        return False
    apart = math.sqrt((x - ax) ** 2 + (y - ay) ** 2 + (z - az) ** 2)
    # Clearance changes by at most the distance.
    if 0.5 * (chain.clearance[a] + there - apart) >= least:
        return True
    return line_clearance(ax, ay, az, x, y, z, space) >= least - LAST_BITS


@inner
def _joins(a, b, chain, least, space):
    """Return whether the straight line between two configurations of the chain is valid."""
    x, y, z = chain.points[b, 0], chain.points[b, 1], chain.points[b, 2]
    return _is_valid(a, x, y, z, chain.clearance[b], chain, least, space)


@inner
def _copy(source, a, target, b):
    target[b, 0], target[b, 1], target[b, 2] = source[a, 0], source[a, 1], source[a, 2]


@inner
def _between(points, a, b):
    """Return the distance of two configurations, cells."""
    x, y, z = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1], points[a, 2] - points[b, 2]
    return math.sqrt(x * x + y * y + z * z)


@inner(inline=False)
def _refine(chain, n, space):
    """Insert a configuration in the middle of every line longer than a step; return the count."""
    points, other, clearance, state = chain.points, chain.other, chain.clearance, chain.state
    long = 0
    for k in range(1, n):
        long += _between(points, k - 1, k) > STEP
    if long == 0 or n + long > len(points):
        return n
    at = n + long - 1
    for k in range(n - 1, 0, -1):
        is_long = _between(points, k - 1, k) > STEP
        _copy(points, k, other, at)
        clearance[at], state[at] = clearance[k], state[k]
        at -= 1
        if is_long:
            for axis in range(3):
                other[at, axis] = 0.5 * (points[k - 1, axis] + points[k, axis])
            clearance[at] = clearance_in_cells(other[at, 0], other[at, 1], other[at, 2], space)
            is_end = state[k - 1] == FIXED or state[at + 1] == FIXED
            state[at] = FIXED if is_end else MOVING
            at -= 1
    for k in range(1, n + long):
        _copy(other, k, points, k)
    return n + long


@inner(inline=False)
def _cut_branches(chain, n, least, space):
    """Cut parts that go back and forth between configurations within a step; return the count."""
    points, clearance, state = chain.points, chain.clearance, chain.state
    last = 0  # index of the last configuration kept
    k = 0
    while k < n - 1:
        goal = k + 1
        for b in range(n - 1, k + 1, -1):
            apart = _between(points, k, b)
            is_branch = apart <= STEP and _is_detour(points, k, b, apart)
            if is_branch and _joins(k, b, chain, least, space):
                goal = b
                break
        last += 1
        _copy(points, goal, points, last)
        clearance[last], state[last] = clearance[goal], state[goal]
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
        along += _between(points, k, k + 1)
        if along > STEP and along > DETOUR * apart:
            return True
    return False


@inner(inline=False)
def _thin(chain, n, least, space):
    """Remove redundant configurations; return the count."""
    points, last = chain.points, 0
    for k in range(1, n):
        ahead = k + 1 < n and _between(points, last, k + 1) <= CROWDED
        if ahead and _joins(last, k + 1, chain, least, space):
            continue
        last += 1
        _copy(points, k, points, last)
        chain.clearance[last] = chain.clearance[k]
    return last + 1


@inner(inline=False)
def _smooth(chain, floor, n, least, space):
    """Move configurations towards the middle of their neighbours, for at most SLACK clearance."""
    points = chain.points
    for _ in range(ROUNDS):
        for k in range(1, n - 1):
            x = 0.5 * points[k, 0] + 0.25 * (points[k - 1, 0] + points[k + 1, 0])
            y = 0.5 * points[k, 1] + 0.25 * (points[k - 1, 1] + points[k + 1, 1])
            z = 0.5 * points[k, 2] + 0.25 * (points[k - 1, 2] + points[k + 1, 2])
            there = clearance_in_cells(x, y, z, space)
            if there >= min(floor[k - 1], floor[k], floor[k + 1]) - SLACK:
                _move(k, x, y, z, there, chain, least, space)
