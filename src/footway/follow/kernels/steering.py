"""Steering toward an attraction point on the terrain of a disc (miran-2013, section 3.4).

    F = F_s + F_b + F_o --> velocity --> turn rate, speed --> guard --> step

Shared by the followers of indicative routes, which differ in the choice of the attraction point.
The disc is a point on triangles made for its radius: a step that would leave them slides along
their border, so the distance to walls is never below the radius.

`state` keeps a character between calls: see the names of its fields.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from footway._numba.jit import inner
from footway._numba.math import sincos
from footway.follow.kernels.discs import met_at, until_disc
from footway.follow.kernels.forces import NEAREST
from footway.terrain.kernels.triangles import FREE, trace

SKIN = 1e-7  # m between a wall and a character that slid along it


@inner
def holds(t, x, y, points, triangles):
    """Whether triangle t holds a point."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ax, ay, bx, by = points[a, 0], points[a, 1], points[b, 0], points[b, 1]
    cx, cy = points[c, 0], points[c, 1]
    return (
        (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0.0
        and (cx - bx) * (y - by) - (cy - by) * (x - bx) >= 0.0
        and (ax - cx) * (y - cy) - (ay - cy) * (x - cx) >= 0.0
    )


@inner(inline=False)
def go(x, y, to_x, to_y, t, weights, ground):
    """Move straight from (x, y) in triangle t: (free fraction of the line, triangle at its end)."""
    if holds(t, to_x, to_y, ground.points, ground.triangles):
        return FREE, t
    _, share, end = trace(x, y, to_x, to_y, t, weights, weights[:0], ground)
    return share, int(end)


@inner(inline=False)
def _wall_met(t, to_x, to_y, ground):
    """Wall of triangle t that a line to a point outside meets: corner, unit vector along it."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
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
def slide(x, y, to_x, to_y, t, weights, ground):
    """End of a step that may meet a wall: (x, y, triangle, fraction before the wall or FREE).

    It stops just before the wall and continues along it; a second wall ends the step.
    """
    share, end = go(x, y, to_x, to_y, t, weights, ground)
    if share == FREE:
        return to_x, to_y, end, FREE
    px, py, ux, uy = _wall_met(end, to_x, to_y, ground)
    before = ux * (y - py) - uy * (x - px)
    after = ux * (to_y - py) - uy * (to_x - px)
    part = min(share, max(0.0, (before - SKIN) / max(before - after, 1e-300)))
    mx, my = x + part * (to_x - x), y + part * (to_y - y)
    free, middle = go(x, y, mx, my, t, weights, ground)
    if free != FREE:
        return x, y, t, 0.0
    along = (1.0 - part) * (ux * (to_x - x) + uy * (to_y - y))
    lift = max(0.0, SKIN - (ux * (my - py) - uy * (mx - px)))
    ex, ey = mx + along * ux - lift * uy, my + along * uy + lift * ux
    free, end = go(mx, my, ex, ey, middle, weights, ground)
    if free != FREE:
        free = max(0.0, free - 2.0 * SKIN / max(abs(along), SKIN))
        ex, ey = mx + free * (ex - mx), my + free * (ey - my)
        free, end = go(mx, my, ex, ey, middle, weights, ground)
        if free != FREE:
            return mx, my, middle, part
    return ex, ey, end, part


ARRIVED, WALKING, STALLED, OUT_OF_SIGHT, NO_MEMORY = range(5)

# Fields of `state`: position, velocity, heading, attraction point, then scalars.
X, V, H, ALPHA = 0, 2, 4, 6
TRIANGLE, REFERENCE, ATTRACTION, LINE, GONE, TIME, IDLE, STOOD, COUNT = range(8, 17)
FIELDS = 17

RELAXATION = 0.3  # s, time constant with which the velocity follows the force
BRAKING = 1.0  # m/s2, before the goal
HESITATE = 0.5  # force below which the character slows down: the forces nearly cancel
SLOWEST = 1e-6  # m/s, below which the character stands
SHRINK = 1.0 - 1e-6  # of a step that is cut at a disc
FELT = 3.0  # m, gap beyond which a disc has no effect
BESIDE = 0.05  # m, minimum gap for passing beside a disc
ASIDE = 2.0  # sideways force of a disc, relative to its force against the direction of walking
PATIENCE = 10.0  # s without progress on the route, in addition to the time for twice sigma


class BodyParameters(NamedTuple):
    """Body and movement parameters of one character; see `miran`."""

    radius: float  # m
    speed: float  # m/s, maximum
    step: float  # s between samples
    turn_rate: float  # rad/s, maximum
    sigma: float  # m, shortcut parameter
    spacing: float  # m, the paper's d
    look: float  # m walked between two updates of the attraction point
    clearance: float  # m, preferred distance beyond the radius
    steering: float  # c_s
    boundary: float  # c_b
    obstacle: float  # c_o, m: gap at which the force of a disc is 1
    smooth: bool  # False: straight toward each attraction point, as the proofs assume


@inner(inline=False)
def nearest_border(x, y, t, reach, ground, doors, marks, stamp):
    """Nearest point of the terrain's border: (distance, x, y); infinite beyond `reach`.

    Floods the triangles around the character; the nearest point is always visible.
    """
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    best, bx, by = reach, 0.0, 0.0
    waiting = 1
    doors[0, 0] = t
    marks[t] = stamp
    while waiting > 0:
        waiting -= 1
        t = doors[waiting, 0]
        for k in range(3):
            a, b = triangles[t, k], triangles[t, k + 1 if k < 2 else 0]
            ax, ay = points[a, 0], points[a, 1]
            dx, dy = points[b, 0] - ax, points[b, 1] - ay
            share = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)
            share = min(1.0, max(0.0, share))
            ox, oy = ax + share * dx, ay + share * dy
            d = math.sqrt((x - ox) * (x - ox) + (y - oy) * (y - oy))
            if d >= best:
                continue
            n = neighbours[t, k]
            if n < 0:
                best, bx, by = d, ox, oy
            elif marks[n] != stamp and waiting < len(doors):
                marks[n] = stamp
                doors[waiting, 0] = n
                waiting += 1
    return (best if best < reach else math.inf), bx, by


@inner(inline=False)
def boundary_force(x, y, t, s, weights, ground, eyes, stamp):
    """F_b: away from the nearest border, from 0 at the preferred clearance to c_b at the border.

    Between two borders that are both too close it is 0 in the middle.
    """
    d, bx, by = nearest_border(x, y, t, s.clearance, ground, eyes.doors, eyes.marks, stamp)
    if d == math.inf or d < 1e-12:
        return 0.0, 0.0
    nx, ny = (x - bx) / d, (y - by) / d
    other = 2.0 * s.clearance - d
    share, _ = go(x, y, x + other * nx, y + other * ny, t, weights, ground)
    wanted = s.clearance if share == FREE else 0.5 * (d + share * other)
    f = s.boundary * max(0.0, wanted - d) / s.clearance
    return f * nx, f * ny


@inner
def _free_side(x, y, t, ox, oy, reach, e, weights, ground):
    """1 to pass a disc at o, with distance `reach` of the centres, on its left; -1: on its right.

    Prefers the side of the disc on which the character is, if there is free space.
    """
    side = 1.0 if e[0] * (y - oy) - e[1] * (x - ox) > 0.0 else -1.0
    for way in (side, -side):
        px, py = ox - way * reach * e[1], oy + way * reach * e[0]
        if go(x, y, px, py, t, weights, ground)[0] == FREE:
            return way
    return side


@inner(inline=False)
def obstacle_force(x, y, v, e, t, time, s, weights, discs, ground):
    """F_o: away from each disc, with the magnitude c_o / gap.

    The component against the direction of walking is turned to the side on which the disc can be
    passed: otherwise a disc before the attraction point would block the character forever.
    """
    fx, fy = 0.0, 0.0
    for i in range(len(discs)):
        o = met_at((x, y, 0.0), (v[0], v[1], 0.0), time, i, discs)
        ax, ay = x - o[0], y - o[1]
        distance = math.sqrt(ax * ax + ay * ay)
        reach = discs[i, 3] + s.radius
        if distance == 0.0 or distance - reach > FELT:
            continue
        f = s.obstacle * (1.0 / max(distance - reach, NEAREST) - 1.0 / FELT) / distance
        fx, fy = fx + f * ax, fy + f * ay
        against = -f * (ax * e[0] + ay * e[1])
        if against > 0.0:
            side = _free_side(x, y, t, o[0], o[1], reach + BESIDE, e, weights, ground)
            fx, fy = fx - side * ASIDE * against * e[1], fy + side * ASIDE * against * e[0]
    return fx, fy


@inner
def turn_of_a_step(s):
    """Cosine and sine of the greatest turn between two samples."""
    angle = min(math.pi, s.turn_rate * s.step)
    sine, cosine = sincos(angle)
    return cosine, sine


@inner
def turned(hx, hy, wx, wy, cosine, sine):
    """Unit vector w, or h turned toward it by the maximum angle; and the cosine between them."""
    along = hx * wx + hy * wy
    if along >= cosine:
        return wx, wy, along
    side = sine if hx * wy - hy * wx >= 0.0 else -sine
    return cosine * hx - side * hy, cosine * hy + side * hx, along


@inner
def _forces(x, y, vx, vy, ex, ey, t, time, s, weights, discs, ground, eyes, stamp):
    """F = F_s + F_b + F_o."""
    fx, fy = s.steering * ex, s.steering * ey
    if s.clearance > 0.0:
        bx, by = boundary_force(x, y, t, s, weights, ground, eyes, stamp)
        fx, fy = fx + bx, fy + by
    if len(discs) > 0:
        ox, oy = obstacle_force(x, y, (vx, vy), (ex, ey), t, time, s, weights, discs, ground)
        fx, fy = fx + ox, fy + oy
    return fx, fy


@inner
def _wanted_velocity(vx, vy, fx, fy, s):
    """Velocity that adapts to the force within the relaxation time."""
    strength = math.sqrt(fx * fx + fy * fy)
    gain = s.speed / max(HESITATE * s.steering, strength)
    blend = min(1.0, s.step / RELAXATION)
    return vx + blend * (gain * fx - vx), vy + blend * (gain * fy - vy)


@inner
def _until(x, y, to_x, to_y, s, time, discs):
    """Fraction of a step before it touches a disc."""
    if len(discs) == 0:
        return 1.0
    share = until_disc((x, y, 0.0), (to_x, to_y, 0.0), s.radius, time + s.step, discs)
    return 1.0 if share >= 1.0 else share * SHRINK


@inner(inline=False)
def _guarded(
    x, y, t, hx, hy, wx, wy, length, ex, ey, cosine, sine, time, s, weights, discs, ground
):
    """Take a step along unit vector w as far as walls, discs and turn rate allow.

    Returns (x, y, triangle, heading). h is the previous heading, e points to the attraction point.
    The character slides along a wall if the turn rate allows it and it does not move away from the
    attraction point; otherwise it stops before the wall, or turns on the spot.
    """
    to_x, to_y, end, met = slide(x, y, x + length * wx, y + length * wy, t, weights, ground)
    dx, dy = to_x - x, to_y - y
    gone = math.sqrt(dx * dx + dy * dy)
    too_sharp = dx * hx + dy * hy < cosine * gone
    if met != FREE and (too_sharp or dx * ex + dy * ey < 0.0):
        to_x, to_y = x + met * length * wx, y + met * length * wy
        free, end = go(x, y, to_x, to_y, t, weights, ground)
        gone = met * length if free == FREE else 0.0
    share = _until(x, y, to_x, to_y, s, time, discs)
    if share < 1.0 and gone > 0.0:
        to_x, to_y = x + share * (to_x - x), y + share * (to_y - y)
        free, end = go(x, y, to_x, to_y, t, weights, ground)
        gone = share * gone if free == FREE else 0.0
    if gone < SLOWEST * s.step:
        hx, hy, _ = turned(hx, hy, ex, ey, cosine, sine)
        return x, y, t, hx, hy
    return to_x, to_y, end, (to_x - x) / gone, (to_y - y) / gone


@inner
def _arrives(x, y, t, hx, hy, ax, ay, rest, pace, cosine, time, s, weights, discs, ground):
    """Whether the goal, at (ax, ay) from here, is within a step, nearly ahead, and reachable."""
    if rest > min(s.speed, max(1.5 * pace, 2.2 * BRAKING * s.step)) * s.step:
        return False
    if rest > 0.0 and (ax * hx + ay * hy) < cosine * rest:
        return False
    if go(x, y, x + ax, y + ay, t, weights, ground)[0] != FREE:
        return False
    return _until(x, y, x + ax, y + ay, s, time, discs) >= 1.0


@inner
def advance(state, s, turn, is_goal, weights, discs, ground, eyes, stamp):
    """Take one step toward the attraction point; return whether it reached the goal."""
    x, y, t = state[X], state[X + 1], int(state[TRIANGLE])
    ax, ay = state[ALPHA] - x, state[ALPHA + 1] - y
    rest = math.sqrt(ax * ax + ay * ay)
    ex, ey = (ax / rest, ay / rest) if rest > 0.0 else (state[H], state[H + 1])
    if not s.smooth:
        return _advance_straight(state, s, is_goal, rest, ex, ey, weights, ground)
    vx, vy, hx, hy = state[V], state[V + 1], state[H], state[H + 1]
    if hx == 0.0 and hy == 0.0:
        hx, hy = ex, ey
    cosine, sine = turn
    pace = math.sqrt(vx * vx + vy * vy)
    time = state[TIME]
    if is_goal and _arrives(
        x, y, t, hx, hy, ax, ay, rest, pace, cosine, time, s, weights, discs, ground
    ):
        to_x, to_y, end, arrived = state[ALPHA], state[ALPHA + 1], t, True
        hx, hy = ex, ey
    else:
        fx, fy = _forces(x, y, vx, vy, ex, ey, t, time, s, weights, discs, ground, eyes, stamp)
        wx, wy = _wanted_velocity(vx, vy, fx, fy, s)
        pace = math.sqrt(wx * wx + wy * wy)
        if pace > 0.0:
            wx, wy = wx / pace, wy / pace
        else:
            wx, wy = ex, ey
        nx, ny, along = turned(hx, hy, wx, wy, cosine, sine)
        if along < cosine:
            # Slow enough to turn to the attraction point instead of circling it.
            across = 1.0 if along < 0.0 else math.sqrt(max(0.0, 1.0 - along * along))
            pace = min(pace, s.turn_rate * rest / (2.0 * across))
        most = min(s.speed, math.sqrt(2.0 * BRAKING * rest)) if is_goal else s.speed
        length, arrived = min(pace, most) * s.step, False
        to_x, to_y, end = x + length * nx, y + length * ny, t
        is_plain = len(discs) == 0 and length >= SLOWEST * s.step
        if is_plain and holds(t, to_x, to_y, ground.points, ground.triangles):
            hx, hy = nx, ny
        else:
            to_x, to_y, end, hx, hy = _guarded(
                x, y, t, hx, hy, nx, ny, length, ex, ey, cosine, sine, time, s, weights, discs,
                ground,
            )  # fmt: skip
    _leave(state, to_x, to_y, end, hx, hy, s.step)
    return arrived


@inner
def _advance_straight(state, s, is_goal, rest, ex, ey, weights, ground):
    """`advance` as in the proofs: straight toward the attraction point, or onto it."""
    x, y, stride = state[X], state[X + 1], s.speed * s.step
    to_x, to_y = x + stride * ex, y + stride * ey
    if rest <= stride:
        to_x, to_y = state[ALPHA], state[ALPHA + 1]
    to_x, to_y, end, _ = slide(x, y, to_x, to_y, int(state[TRIANGLE]), weights, ground)
    _leave(state, to_x, to_y, end, ex, ey, s.step)
    return is_goal and to_x == state[ALPHA] and to_y == state[ALPHA + 1]


@inner
def _leave(state, to_x, to_y, end, hx, hy, step):
    """Move the character to a position; its velocity is the one that led there."""
    dx, dy = to_x - state[X], to_y - state[X + 1]
    state[X], state[X + 1], state[TRIANGLE] = to_x, to_y, end
    state[V], state[V + 1], state[H], state[H + 1] = dx / step, dy / step, hx, hy
    state[GONE] += math.sqrt(dx * dx + dy * dy)
    state[TIME] += step
    state[IDLE] += step
    state[COUNT] += 1.0
    if dx == 0.0 and dy == 0.0:
        state[STOOD] += 1.0


@inner
def is_due(state, s):
    """Whether the attraction point is due for an update: by distance walked, or nearly reached."""
    if state[GONE] >= s.look or not s.smooth:
        return True
    ax, ay = state[ALPHA] - state[X], state[ALPHA + 1] - state[X + 1]
    near = 2.0 * s.speed * s.step
    return ax * ax + ay * ay < near * near


@inner
def note_look(state, r, k, at, ax, ay):
    """Store the result of an update: reference point and its line, attraction point."""
    if r > state[REFERENCE]:
        state[IDLE] = 0.0
    state[REFERENCE], state[LINE], state[ATTRACTION] = r, k, at
    state[ALPHA], state[ALPHA + 1], state[GONE] = ax, ay, 0.0


@inner
def _write(row, state, points, velocities, directions, places):
    """Write a sample: position, heading, reference and attraction point; velocity 0 for now."""
    points[row, 0], points[row, 1] = state[X], state[X + 1]
    directions[row, 0], directions[row, 1] = state[H], state[H + 1]
    velocities[row, 0], velocities[row, 1] = 0.0, 0.0
    places[row, 0], places[row, 1] = state[REFERENCE], state[ATTRACTION]
    places[row, 2], places[row, 3] = state[ALPHA], state[ALPHA + 1]


@inner
def take_step(
    row, state, s, turn, patience, weights, discs, lengths, ground, eyes, points, velocities,
    directions, places,
):  # fmt: skip
    """Write a sample and take the step to the next: (status, next row)."""
    last = lengths[len(lengths) - 1]
    _write(row, state, points, velocities, directions, places)
    stamp = int(state[COUNT]) + 1
    arrived = advance(
        state, s, turn, state[ATTRACTION] >= last, weights, discs, ground, eyes, stamp
    )
    velocities[row, 0], velocities[row, 1] = state[V], state[V + 1]
    if arrived:
        state[REFERENCE] = last
        _write(row + 1, state, points, velocities, directions, places)
        return ARRIVED, row + 2
    return (STALLED if state[IDLE] > patience else WALKING), row + 1
