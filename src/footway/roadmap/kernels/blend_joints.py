"""Join a start or a goal to a roadmap with blends, and compute the cost of blends.

A joint is a straight line from the point to a place, a blend, and the rest of the path to the
middle of a half-edge (voronoi-roadmaps-2004, section 2.5). Places are the vertices and the point at
a quarter of each half-edge.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway.corridor.kernels.tangents import SLACK
from footway.roadmap.kernels.blend import FOLD, STRAIGHT, half_angle, largest_tangent, saving

HERE = 1e-9  # m, closer places coincide


@inner
def apart(ax, ay, bx, by):
    """Distance of two points; faster than math.hypot, which guards against overflow."""
    return math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))


@inner
def toward(px, py, x, y, ox, oy):
    """Unit vector from p to a point, and the distance; -o if the point is p itself."""
    d = apart(px, py, x, y)
    if d < HERE:
        return -ox, -oy, 0.0
    return (x - px) / d, (y - py) / d, d


@inner
def joint(x, y, h, k, net):
    """Joint of a point to a half-edge: (place, direction to the point, distance, length left).

    The length left is that from the place to the middle of the half-edge.
    """
    n = len(net.out_offsets) - 1
    p = net.tails[h] if k == 0 else n + h
    ax, ay, d = toward(
        net.places[p, 0], net.places[p, 1], x, y, net.directions[h, 0], net.directions[h, 1]
    )
    return p, ax, ay, d, net.lengths[h // 2] * (0.5 if k == 0 else 0.25)


@inner
def _blend_cost(ax, ay, bx, by, one, two, rate_one, rate_two, tangent):
    """Cost of `one` metres, a blend and `two` metres; infinite if the turn folds back."""
    cosine, sine = half_angle(ax, ay, bx, by)
    if cosine >= STRAIGHT and tangent * sine < FOLD * cosine:
        return math.inf
    saved = 0.5 * (rate_one + rate_two) * saving(tangent, cosine, sine)
    return rate_one * one + rate_two * two - saved


@inner
def joint_at_least(x, y, h, k, net):
    """Lower bound on the cost of a joint: with the largest blend that its lines allow."""
    _, ax, ay, d, left = joint(x, y, h, k, net)
    return _blend_cost(
        ax, ay, net.directions[h, 0], net.directions[h, 1], d, left, net.off_road,
        net.costs[h // 2], min(d, left),
    )  # fmt: skip


@inner
def _keep(radius, one, two, net):
    """Distance to the walls that a blend between two lines keeps."""
    return min(max(net.preferred, radius), one, two)


@inner
def joint_tangent(x, y, h, k, radius, rooms, net):
    """Tangent length of the largest blend of a joint, exact."""
    p, ax, ay, d, left = joint(x, y, h, k, net)
    return largest_tangent(
        net.places[p, 0], net.places[p, 1], ax, ay, net.directions[h, 0], net.directions[h, 1],
        min(d, left), _keep(radius, rooms[p], net.clearances[h // 2], net), net.ends,
    )  # fmt: skip


@inner
def joint_cost(x, y, h, k, radius, rooms, net):
    """Cost of a joint whose place is visible."""
    _, ax, ay, d, left = joint(x, y, h, k, net)
    tangent = joint_tangent(x, y, h, k, radius, rooms, net)
    return _blend_cost(
        ax, ay, net.directions[h, 0], net.directions[h, 1], d, left, net.off_road,
        net.costs[h // 2], tangent,
    )  # fmt: skip


@inner
def turn_tangent(turn, radius, net):
    """Tangent length of a turn; smaller than its blend's if the disc is too wide for that."""
    blend = net.turn_blend[turn]
    if net.blend_clearance[blend] >= radius - SLACK:
        return net.blend_tangent[blend]
    a, b = net.turn_from[turn], net.turn_to[turn]
    v = net.tails[b]
    return largest_tangent(
        net.places[v, 0], net.places[v, 1], -net.directions[a, 0], -net.directions[a, 1],
        net.directions[b, 0], net.directions[b, 1], net.blend_tangent[blend], radius, net.ends,
    )  # fmt: skip


@inner
def turn_cost(turn, radius, net):
    """Return the cost of a turn, m: of its blend, or of a tighter one for a larger radius."""
    if net.blend_clearance[net.turn_blend[turn]] >= radius - SLACK:
        return net.turn_cost[turn]
    a, b = net.turn_from[turn], net.turn_to[turn]
    return _blend_cost(
        -net.directions[a, 0], -net.directions[a, 1], net.directions[b, 0], net.directions[b, 1],
        0.5 * net.lengths[a // 2], 0.5 * net.lengths[b // 2], net.costs[a // 2], net.costs[b // 2],
        turn_tangent(turn, radius, net),
    )  # fmt: skip


@inner
def meeting(p, sx, sy, gx, gy, radius, exact, net, ws):
    """Tangent length and cost of the path from the start over a place to the goal."""
    px, py = net.places[p, 0], net.places[p, 1]
    ax, ay, one = toward(px, py, sx, sy, 1.0, 0.0)
    bx, by, two = toward(px, py, gx, gy, ax, ay)
    if one == 0.0:
        ax, ay = -bx, -by
    tangent = min(one, two)
    if exact:
        keep = _keep(radius, ws.start_clear[p], ws.goal_clear[p], net)
        tangent = largest_tangent(px, py, ax, ay, bx, by, tangent, keep, net.ends)
    return tangent, _blend_cost(ax, ay, bx, by, one, two, net.off_road, net.off_road, tangent)
