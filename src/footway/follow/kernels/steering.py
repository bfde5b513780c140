"""Steering toward an attraction point on the terrain of a disc (miran-2013, section 3.4).

    F = F_s + F_b + F_o --> velocity --> turn rate, speed --> guard --> step

Shared by the followers of indicative routes, which differ in the choice of the attraction point.
The disc is a point on triangles made for its radius: a point in them is a disc that overlaps no
wall. A step that would leave them slides along their border, so the distance to walls is never
below the radius.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway._numba.math import sincos
from footway.follow.kernels.discs import position_to_avoid, until_disc
from footway.follow.kernels.forces import NEAREST
from footway.follow.kernels.layouts import (
    ALPHA_X,
    ALPHA_Y,
    ARRIVED,
    ATTRACTION,
    RADIUS,
    REFERENCE,
    STALLED,
    WALKING,
    Body,
    Guide,
    RouteState,
)
from footway.terrain.kernels.triangles import FREE, closest_on_side, trace

RELAXATION = 0.3  # s, time constant with which the velocity follows the force
BRAKING = 1.0  # m/s2, before the goal
HESITATE = 0.5  # force below which the character slows down: the forces nearly cancel
SLOWEST = 1e-6  # m/s, below which the character stands
SHRINK = 1.0 - 1e-6  # of a step that is cut at a disc
FELT = 3.0  # m, gap beyond which a disc has no effect
BESIDE = 0.05  # m, minimum gap for passing beside a disc
ASIDE = 2.0  # sideways force of a disc, relative to its force against the direction of walking
PATIENCE = 10.0  # s without progress on the route, in addition to the time for twice sigma
SKIN = 1e-7  # m between a wall and a character that slid along it


# Steps on triangles ------------------------------------------------------------------------------


@inner
def holds(t, x, y, mesh):
    """Whether triangle t holds a point."""
    points, triangles = mesh.points, mesh.triangles
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ax, ay, bx, by = points[a, 0], points[a, 1], points[b, 0], points[b, 1]
    cx, cy = points[c, 0], points[c, 1]
    return (
        (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0.0
        and (cx - bx) * (y - by) - (cy - by) * (x - bx) >= 0.0
        and (ax - cx) * (y - cy) - (ay - cy) * (x - cx) >= 0.0
    )


@inner(inline=False)
def go(x, y, to_x, to_y, t, weights, mesh):
    """Move straight from (x, y) in triangle t: (free fraction of the line, triangle at its end)."""
    if holds(t, to_x, to_y, mesh):
        return FREE, t
    _, share, end = trace(x, y, to_x, to_y, t, weights, None, mesh)
    return share, int(end)


@inner(inline=False)
def _wall_met(t, to_x, to_y, mesh):
    """Wall of triangle t that a line to a point outside meets: corner, unit vector along it."""
    points, triangles, neighbours = mesh.points, mesh.triangles, mesh.neighbours
    deepest, px, py, ux, uy = math.inf, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        if neighbours[t, k] >= 0:
            continue
        a, b = triangles[t, k], triangles[t, k + 1 if k < 2 else 0]
        dx, dy = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1]
        length = math.sqrt(dx * dx + dy * dy)
        depth = (dx * (to_y - points[a, 1]) - dy * (to_x - points[a, 0])) / length
        if depth < deepest:
            deepest, px, py, ux, uy = depth, points[a, 0], points[a, 1], dx / length, dy / length
    return px, py, ux, uy


@inner(inline=False)
def slide(x, y, to_x, to_y, t, weights, mesh):
    """End of a step that may meet a wall: (x, y, triangle, fraction before the wall or FREE).

    It stops just before the wall and continues along it; a second wall ends the step.
    """
    share, end = go(x, y, to_x, to_y, t, weights, mesh)
    if share == FREE:
        return to_x, to_y, end, FREE
    px, py, ux, uy = _wall_met(end, to_x, to_y, mesh)
    before = ux * (y - py) - uy * (x - px)
    after = ux * (to_y - py) - uy * (to_x - px)
    part = min(share, max(0.0, (before - SKIN) / max(before - after, 1e-300)))
    mx, my = x + part * (to_x - x), y + part * (to_y - y)
    free, middle = go(x, y, mx, my, t, weights, mesh)
    if free != FREE:
        return x, y, t, 0.0
    along = (1.0 - part) * (ux * (to_x - x) + uy * (to_y - y))
    lift = max(0.0, SKIN - (ux * (my - py) - uy * (mx - px)))
    ex, ey = mx + along * ux - lift * uy, my + along * uy + lift * ux
    free, end = go(mx, my, ex, ey, middle, weights, mesh)
    if free != FREE:
        free = max(0.0, free - 2.0 * SKIN / max(abs(along), SKIN))
        ex, ey = mx + free * (ex - mx), my + free * (ey - my)
        free, end = go(mx, my, ex, ey, middle, weights, mesh)
        if free != FREE:
            return mx, my, middle, part
    return ex, ey, end, part


# Forces ------------------------------------------------------------------------------------------


@inner(inline=False)
def _nearest_border(x, y, t, reach, mesh, workspace, stamp):
    """Nearest point of the terrain's border: (distance, x, y); infinite beyond `reach`.

    Floods the triangles around the character; the nearest point is always visible.
    """
    neighbours, queue, marks = mesh.neighbours, workspace.triangles, workspace.marks
    best, bx, by = reach, 0.0, 0.0
    queue[0], marks[t], waiting = t, stamp, 1
    while waiting > 0:
        waiting -= 1
        t = queue[waiting]
        for k in range(3):
            ox, oy, squared = closest_on_side(x, y, t, k, mesh)
            d = math.sqrt(squared)
            if d >= best:
                continue
            n = neighbours[t, k]
            if n < 0:
                best, bx, by = d, ox, oy
            elif marks[n] != stamp and waiting < len(queue):
                queue[waiting], marks[n] = n, stamp
                waiting += 1
    return (best if best < reach else math.inf), bx, by


@inner(inline=False)
def push_from_border(x, y, t, d, nx, ny, clearance, boundary, weights, mesh):
    """Strength of F_b at the distance d < clearance from a border with the normal n.

    From 0 at the preferred clearance to c_b at the border; between two borders that are both too
    close it is 0 in the middle.
    """
    other = 2.0 * clearance - d
    share, _ = go(x, y, x + other * nx, y + other * ny, t, weights, mesh)
    wanted = clearance if share == FREE else 0.5 * (d + share * other)
    return boundary * max(0.0, wanted - d) / clearance


@inner(inline=False)
def _boundary_force(body, s, around, stamp):
    """F_b: away from the nearest border."""
    x, y, t, mesh, weights = body.x, body.y, body.triangle, around.mesh, around.weights
    d, bx, by = _nearest_border(x, y, t, s.clearance, mesh, around.workspace, stamp)
    if d == math.inf or d < 1e-12:
        return 0.0, 0.0
    nx, ny = (x - bx) / d, (y - by) / d
    f = push_from_border(x, y, t, d, nx, ny, s.clearance, s.boundary, weights, mesh)
    return f * nx, f * ny


@inner(inline=False)
def _obstacle_force(body, e, time, s, discs, around):
    """F_o: away from each disc, with the magnitude c_o / gap.

    The component against the direction of walking e is turned to the side on which the disc can be
    passed: otherwise a disc before the attraction point would block the character forever.
    """
    x, y, fx, fy = body.x, body.y, 0.0, 0.0
    for i in range(len(discs)):
        o = position_to_avoid((x, y, 0.0), (body.vx, body.vy, 0.0), time, i, discs)
        ax, ay = x - o[0], y - o[1]
        distance = math.sqrt(ax * ax + ay * ay)
        reach = discs[i, RADIUS] + s.radius
        if distance == 0.0 or distance - reach > FELT:
            continue
        f = s.repulsion * (1.0 / max(distance - reach, NEAREST) - 1.0 / FELT) / distance
        fx, fy = fx + f * ax, fy + f * ay
        against = -f * (ax * e[0] + ay * e[1])
        if against > 0.0:
            side = _free_side(body, o[0], o[1], reach + BESIDE, e, around)
            fx, fy = fx - side * ASIDE * against * e[1], fy + side * ASIDE * against * e[0]
    return fx, fy


@inner
def _free_side(body, ox, oy, reach, e, around):
    """1 to pass a disc at o, with distance `reach` of the centres, on its left; -1: on its right.

    Prefers the side of the disc on which the character is, if there is free space.
    """
    x, y = body.x, body.y
    preferred = 1.0 if e[0] * (y - oy) - e[1] * (x - ox) > 0.0 else -1.0
    for side in (preferred, -preferred):
        px, py = ox - side * reach * e[1], oy + side * reach * e[0]
        if go(x, y, px, py, body.triangle, around.weights, around.mesh)[0] == FREE:
            return side
    return preferred


# Steps -------------------------------------------------------------------------------------------


@inner
def turn_of_a_step(s):
    """Cosine and sine of the maximum turn between two samples."""
    sine, cosine = sincos(min(math.pi, s.turn_rate * s.step))
    return cosine, sine


@inner
def _turned(h, w, turn):
    """Unit vector w, or h turned toward it by the maximum angle; and the cosine between them."""
    cosine, sine = turn
    along = h[0] * w[0] + h[1] * w[1]
    if along >= cosine:
        return w, along
    side = sine if h[0] * w[1] - h[1] * w[0] >= 0.0 else -sine
    return (cosine * h[0] - side * h[1], cosine * h[1] + side * h[0]), along


@inner
def _until(x, y, to_x, to_y, s, time, discs):
    """Fraction of a step before it touches a disc."""
    if len(discs) == 0:
        return 1.0
    share = until_disc((x, y, 0.0), (to_x, to_y, 0.0), s.radius, time + s.step, discs)
    return 1.0 if share >= 1.0 else share * SHRINK


@inner(inline=False)
def _guarded_step(body, h, w, length, e, turn, time, s, discs, around):
    """Take a step along unit vector w as far as walls, discs and turn rate allow.

    Returns (x, y, triangle, heading). h is the previous heading, e points to the attraction point.
    The character slides along a wall if the turn rate allows it and it does not move away from the
    attraction point; otherwise it stops before the wall, or turns on the spot.
    """
    x, y, t, weights, mesh = body.x, body.y, body.triangle, around.weights, around.mesh
    to_x, to_y, end, met = slide(x, y, x + length * w[0], y + length * w[1], t, weights, mesh)
    dx, dy = to_x - x, to_y - y
    gone = math.sqrt(dx * dx + dy * dy)
    too_sharp = dx * h[0] + dy * h[1] < turn[0] * gone
    if met != FREE and (too_sharp or dx * e[0] + dy * e[1] < 0.0):
        to_x, to_y = x + met * length * w[0], y + met * length * w[1]
        free, end = go(x, y, to_x, to_y, t, weights, mesh)
        gone = met * length if free == FREE else 0.0
    share = _until(x, y, to_x, to_y, s, time, discs)
    if share < 1.0 and gone > 0.0:
        to_x, to_y = x + share * (to_x - x), y + share * (to_y - y)
        free, end = go(x, y, to_x, to_y, t, weights, mesh)
        gone = share * gone if free == FREE else 0.0
    if gone < SLOWEST * s.step:
        return x, y, t, _turned(h, e, turn)[0]
    return to_x, to_y, end, ((to_x - x) / gone, (to_y - y) / gone)


@inner
def _free_step(body, guide, is_goal, turn, time, steps, s, discs, around):
    """Take a step under the forces: (x, y, triangle, heading, whether it reached the goal)."""
    x, y, t, mesh = body.x, body.y, body.triangle, around.mesh
    ax, ay = guide.x - x, guide.y - y
    rest = math.sqrt(ax * ax + ay * ay)
    e = (ax / rest, ay / rest) if rest > 0.0 else (body.hx, body.hy)
    if not s.smooth:  # as in the proofs: straight toward the attraction point, or onto it
        stride = s.speed * s.step
        to_x, to_y = x + stride * e[0], y + stride * e[1]
        if rest <= stride:
            to_x, to_y = guide.x, guide.y
        to_x, to_y, end, _ = slide(x, y, to_x, to_y, t, around.weights, mesh)
        return to_x, to_y, end, e, is_goal and to_x == guide.x and to_y == guide.y
    h = e if body.hx == 0.0 and body.hy == 0.0 else (body.hx, body.hy)
    pace = math.sqrt(body.vx * body.vx + body.vy * body.vy)
    if (
        is_goal  # within this step, nearly ahead, and reachable
        and rest <= min(s.speed, max(1.5 * pace, 2.2 * BRAKING * s.step)) * s.step
        and not (rest > 0.0 and (ax * h[0] + ay * h[1]) < turn[0] * rest)
        and go(x, y, x + ax, y + ay, t, around.weights, mesh)[0] == FREE
        and _until(x, y, x + ax, y + ay, s, time, discs) >= 1.0
    ):
        return guide.x, guide.y, t, e, True
    fx, fy = s.steering * e[0], s.steering * e[1]
    if s.clearance > 0.0:
        bx, by = _boundary_force(body, s, around, steps + 1)
        fx, fy = fx + bx, fy + by
        back = -0.5 * s.steering - (bx * e[0] + by * e[1])
        if is_goal and back > 0.0:  # half of the steering force leads to a goal near a border
            fx, fy = fx + back * e[0], fy + back * e[1]
    if len(discs) > 0:
        ox, oy = _obstacle_force(body, e, time, s, discs, around)
        fx, fy = fx + ox, fy + oy
    # The velocity adapts to the force within the relaxation time.
    gain = s.speed / max(HESITATE * s.steering, math.sqrt(fx * fx + fy * fy))
    blend = min(1.0, s.step / RELAXATION)
    wx, wy = body.vx + blend * (gain * fx - body.vx), body.vy + blend * (gain * fy - body.vy)
    pace = math.sqrt(wx * wx + wy * wy)
    w, along = _turned(h, (wx / pace, wy / pace) if pace > 0.0 else e, turn)
    if along < turn[0]:
        # Slow enough to turn to the attraction point instead of circling it.
        across = 1.0 if along < 0.0 else math.sqrt(max(0.0, 1.0 - along * along))
        pace = min(pace, s.turn_rate * rest / (2.0 * across))
    most = min(s.speed, math.sqrt(2.0 * BRAKING * rest)) if is_goal else s.speed
    length = min(pace, most) * s.step
    to_x, to_y = x + length * w[0], y + length * w[1]
    is_plain = len(discs) == 0 and length >= SLOWEST * s.step
    if is_plain and holds(t, to_x, to_y, mesh):
        return to_x, to_y, t, w, False
    to_x, to_y, end, h = _guarded_step(body, h, w, length, e, turn, time, s, discs, around)
    return to_x, to_y, end, h, False


@inner
def is_due(state, s):
    """Whether the attraction point is due for an update: by distance walked, or nearly reached."""
    if state.walked >= s.look or not s.smooth:
        return True
    ax, ay = state.guide.x - state.body.x, state.guide.y - state.body.y
    near = 2.0 * s.speed * s.step
    return ax * ax + ay * ay < near * near


@inner
def guided(state, guide):
    """State after an update of reference point and attraction point."""
    idle = 0.0 if guide.reference > state.guide.reference else state.idle
    return RouteState(state.body, guide, 0.0, state.time, idle, state.steps, state.stood)


@inner
def _write(k, body, guide, trail):
    """Write a sample: position, heading, reference and attraction point; velocity 0 for now."""
    points, directions, velocities = trail.points, trail.directions, trail.velocities
    points[k, 0], points[k, 1] = body.x, body.y
    directions[k, 0], directions[k, 1] = body.hx, body.hy
    velocities[k, 0], velocities[k, 1] = 0.0, 0.0
    trail.progress[k, REFERENCE], trail.progress[k, ATTRACTION] = guide.reference, guide.attraction
    trail.progress[k, ALPHA_X], trail.progress[k, ALPHA_Y] = guide.x, guide.y


@inner
def take_step(k, state, s, turn, patience, discs, around, trail):
    """Write sample k and take the step to the next: (status, next row, state)."""
    body, guide, lengths = state.body, state.guide, around.route.lengths
    last = lengths[len(lengths) - 1]
    _write(k, body, guide, trail)
    to_x, to_y, end, h, arrived = _free_step(
        body, guide, guide.attraction >= last, turn, state.time, state.steps, s, discs, around
    )
    dx, dy = to_x - body.x, to_y - body.y
    body = Body(to_x, to_y, end, dx / s.step, dy / s.step, h[0], h[1])
    trail.velocities[k, 0], trail.velocities[k, 1] = body.vx, body.vy
    if arrived:
        guide = Guide(last, guide.line, guide.attraction, guide.x, guide.y)
        _write(k + 1, body, guide, trail)
    stood = state.stood + (1 if dx == 0.0 and dy == 0.0 else 0)
    walked, time = state.walked + math.sqrt(dx * dx + dy * dy), state.time + s.step
    state = RouteState(body, guide, walked, time, state.idle + s.step, state.steps + 1, stood)
    if arrived:
        return ARRIVED, k + 2, state
    return (STALLED if state.idle > patience else WALKING), k + 1, state
