"""The Indicative Route Method's attraction point, and the walk toward it (miran-2013, 1.2)."""

from __future__ import annotations

import math
from typing import NamedTuple

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.locate import locate_point
from footway.follow.kernels.layouts import OUT_OF_SIGHT, WALKING, Guide, rows_from
from footway.follow.kernels.miran import reference_point
from footway.follow.kernels.steering import (
    PATIENCE,
    go,
    guided,
    is_due,
    take_step,
    turn_of_a_step,
)
from footway.follow.kernels.visibility import point_at
from footway.terrain.kernels.triangles import FREE


class ClearanceIndex(NamedTuple):
    """The parts of a map's index that `locate_point` reads."""

    axis: NamedTuple
    grid: NamedTuple
    boundaries: NamedTuple


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


@inner
def irm_look(x, y, t, guide, radius, index, around):
    """Update reference point and attraction point: (status, guide).

    The attraction point is the furthest point of the route in the clearance disc, reduced by the
    character's radius, of the point that (x, y) retracts to. It never moves back.
    """
    route, high = around.route, guide.attraction
    r, k = reference_point(x, y, guide, route)
    piece, cx, cy, reach, _, _, _ = locate_point(x, y, index.axis, index.grid, index.boundaries)
    at = high
    if piece >= 0:
        at = furthest_in_disc(cx, cy, reach - radius, route.points, route.lengths)
        at = max(at, high)
    ax, ay = point_at(at, k, route)
    if at <= high and go(x, y, ax, ay, t, around.weights, around.mesh)[0] != FREE:
        return OUT_OF_SIGHT, guide
    return WALKING, Guide(r, k, at, ax, ay)


@kernel
def irm_walk(state, steps, s, index, discs, around, trail, first):
    """Walk up to `steps` steps: (status, samples written, state); as `miran_walk`."""
    lengths = around.route.lengths
    turn, patience = turn_of_a_step(s), PATIENCE + 2.0 * lengths[len(lengths) - 1] / s.speed
    trail, status, k = rows_from(trail, first), WALKING, 0
    while k < steps and status == WALKING:
        if is_due(state, s):
            body = state.body
            status, guide = irm_look(
                body.x, body.y, body.triangle, state.guide, s.radius, index, around
            )
            if status != WALKING:
                break
            state = guided(state, guide)
        status, k, state = take_step(k, state, s, turn, patience, discs, around, trail)
    return status, k, state
