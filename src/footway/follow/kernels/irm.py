"""The Indicative Route Method's attraction point, and the walk toward it (miran-2013, 1.2)."""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.locate import locate_point
from footway.follow.kernels.miran import reference_point
from footway.follow.kernels.steering import (
    ATTRACTION,
    LINE,
    OUT_OF_SIGHT,
    PATIENCE,
    REFERENCE,
    TRIANGLE,
    WALKING,
    X,
    go,
    is_due,
    note_look,
    take_step,
    turn_of_a_step,
)
from footway.follow.kernels.visibility import point_at
from footway.terrain.kernels.triangles import FREE


@inner
def _last_inside(k, cx, cy, radius, points):
    """Last fraction of line k of the route that lies in a disc; -1: none."""
    ax, ay = points[k, 0] - cx, points[k, 1] - cy
    bx, by = points[k + 1, 0] - cx, points[k + 1, 1] - cy
    if bx * bx + by * by <= radius * radius:
        return 1.0
    dx, dy = bx - ax, by - ay
    a, b = dx * dx + dy * dy, ax * dx + ay * dy
    root = b * b - a * (ax * ax + ay * ay - radius * radius)
    if root < 0.0:
        return -1.0
    share = (math.sqrt(root) - b) / a
    return share if 0.0 <= share <= 1.0 else -1.0


@inner(inline=False)
def furthest_in_disc(cx, cy, radius, points, lengths):
    """Curve length of the route's last point in a disc; -1: none."""
    for k in range(len(lengths) - 2, -1, -1):
        share = _last_inside(k, cx, cy, radius, points)
        if share >= 0.0:
            return lengths[k] + share * (lengths[k + 1] - lengths[k])
    return -1.0


@inner(inline=False)
def irm_attraction(x, y, high, r, axis, grid, fans, points, lengths):
    """Furthest point of the route in the clearance disc of the point that x retracts to.

    The disc is reduced by the character's radius. `high` is the previous attraction point, m along
    the route, which never decreases. Returns (curve length, centre and radius of the disc).
    """
    piece, cx, cy, reach, _, _, _ = locate_point(x, y, axis, grid, fans)
    if piece < 0:
        return high, x, y, 0.0
    at = furthest_in_disc(cx, cy, reach - r, points, lengths)
    return max(at, high), cx, cy, reach - r


@kernel
def irm_walk(
    state, steps, s, weights, discs, course, ground, eyes, axis, grid, fans, points, velocities,
    directions, places,
):  # fmt: skip
    """Walk up to `steps` steps: (status, samples written); as `miran_walk`."""
    route, lengths = course.points, course.lengths
    turn, patience = turn_of_a_step(s), PATIENCE + 2.0 * lengths[len(lengths) - 1] / s.speed
    status, row = WALKING, 0
    while row < steps and status == WALKING:
        if is_due(state, s):
            x, y, high = state[X], state[X + 1], state[ATTRACTION]
            r, k = reference_point(x, y, state[REFERENCE], high, int(state[LINE]), route, lengths)
            at, _, _, _ = irm_attraction(x, y, high, s.radius, axis, grid, fans, route, lengths)
            ax, ay = point_at(at, k, route, lengths)
            t = int(state[TRIANGLE])
            if at <= high and go(x, y, ax, ay, t, weights, ground)[0] != FREE:
                return OUT_OF_SIGHT, row
            note_look(state, r, k, at, ax, ay)
        status, row = take_step(
            row, state, s, turn, patience, weights, discs, lengths, ground, eyes, points,
            velocities, directions, places,
        )  # fmt: skip
    return status, row
