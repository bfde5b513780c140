"""Walk of a character through its corridor: forces, body, guard (cmm-2007).

    attraction point --> F = F_0 + F_s + F_rand + F_perp + ... + F_n --> velocity --> guard --> step

Leapfrog integration, which is velocity Verlet with the velocities between the samples: the velocity
of a sample leads exactly to the next one. Speed and turn rate are clamped. The guard cuts a step
where it would leave the balls: the disc stays in free space, whatever the forces are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from footway._numba.jit import inner, kernel
from footway._numba.math import sincos
from footway.corridor.kernels.backbone import extract_balls, length_of_balls
from footway.corridor.kernels.layouts import FOUND, FULL
from footway.corridor.kernels.tangents import Ends
from footway.follow.kernels.corridor import (
    BLOCK,
    advance_far,
    advance_near,
    distance_to,
    furthest_valid,
    holds,
    longest_stride,
    make_blocks,
    reaches,
)
from footway.follow.kernels.discs import position_to_avoid, until_disc
from footway.follow.kernels.forces import (
    attraction,
    corner_bias,
    lane_bias,
    published_attraction,
    random_bias,
    repulsion,
    shortening,
)
from footway.follow.kernels.layouts import ARRIVED, RADIUS, STALLED, WALKING, Settings, rows_from
from footway.follow.kernels.vectors import (
    between,
    distance,
    dot,
    minus,
    moved,
    plus,
    row,
    scaled,
    size,
    unit,
)

if TYPE_CHECKING:
    import numpy as np

RELAXATION = 0.2  # s, time constant with which the velocity follows the force
LOOK_AHEAD = 4.0  # steps; a closer attraction point would be overshot
BRAKING = 1.0  # m/s2, before the goal
TIGHT = 1.5e-3  # m, value of R - r below which the character walks on the backbone itself
SAGGING = 5e-7  # m by which a step may cut the backbone where R = r
PROGRESS = 0.01  # s of walking that count as progress
SLOWEST = 1e-9  # m/s, below which the character stands
LONGEST, DELAY = 10.0, 120.0  # time limit: relative to the time for the backbone, and additional s
CHECK = 8  # steps between two checks of progress
PATIENCE = 10.0  # s without progress toward the attraction point
CALM = 4.0  # m before the goal over which lane, noise and corner forces fade out
AROUND = 1.0  # m, minimum length of backbone ahead in which corners are detected
REFRESH = 1.0  # m between two updates of alpha(x, dt); more if it is far away
WINDOW = 256  # balls ahead that may hold one step
HESITATE = 0.5  # force below which the character slows down: the forces nearly cancel
ROUNDED = 1.0 + 1e-13  # tolerance of squared limits
SHRINK = 1.0 - 1e-6  # of a step that is cut at the rim
ZERO = (0.0, 0.0, 0.0)

NO_CORRIDOR, DONE, LATER = -1, 0, 1  # of a query in a batch; LATER: exceeds memory or step limit


class CorridorArrays(NamedTuple):
    """A corridor, and memory for values that are derived from it."""

    balls: np.ndarray  # (n, 4) x, y, z, R
    blocks: np.ndarray  # (n / BLOCK, 4) bounding balls of blocks
    lengths: np.ndarray  # (n,) m along the backbone; (1,) without shortcuts
    horizons: np.ndarray  # (n,) see corridor/kernels/surface; (1,) in the plane: no limits
    paces: np.ndarray  # (n,) m/s, maximum speed in plan at each ball; (1,): `speed` everywhere


class WalkState(NamedTuple):
    """A character between two calls of `walk`."""

    position: tuple[float, float, float]  # m
    velocity: tuple[float, float, float] = ZERO  # m/s
    heading: tuple[float, float, float] = ZERO  # unit vector; zero: not turned anywhere yet
    time: float = 0.0  # s
    stood: int = 0  # samples in which it stood
    # Progress in one corridor:
    is_begun: bool = False  # whether the values below are those of this corridor
    at: int = 0  # ball t of the attraction point
    target: int = 0  # ball that it steers for
    short: int = 0  # ball of alpha(x, dt)
    far_gap: float = 0.0  # m to walk until all balls are searched for the attraction point
    short_gap: float = 0.0  # m to walk until alpha(x, dt) is updated
    idle: float = 0.0  # s without progress
    best: float = math.inf  # m, least distance to the attraction point
    stride: float = 0.0  # m, see `longest_stride`
    brake_from: int = 0  # first ball of the part in which it may have to brake
    calm_from: int = 0  # first ball of the part in which forces fade out
    limit: float = 0.0  # s, time at which it counts as stalled


class _Scene(NamedTuple):
    """What does not change during a call of `walk`."""

    s: Settings
    seed: int
    balls: np.ndarray  # (n, 4)
    discs: np.ndarray  # (m, 7)
    own: tuple[float, float, float]  # sum of user-defined forces
    turn: tuple[float, float]  # cosine and sine of the maximum turn between two samples
    stride: float
    calm_from: int
    horizons: np.ndarray  # as in CorridorArrays


@inner
def _horizon(t, balls, horizons):
    """Last ball that a character near ball t may be in: on stairs others lie above it in plan."""
    return len(balls) - 1 if len(horizons) == 1 else horizons[t]


@inner
def _pace(x, t, balls, paces):
    """Maximum speed at the ball nearest to x, going back from ball t."""
    while t > 0 and distance_to(x, t - 1, balls) <= distance_to(x, t, balls):
        t -= 1
    return paces[t]


@inner
def _turned(h, w, turn):
    """Unit vector w, or h turned toward it by the angle that one step allows; and its cosine."""
    cosine, sine = turn
    along = dot(h, w)
    if along >= cosine:
        return w, along
    side = unit(minus(w, scaled(h, along)))
    off = dot(side, h)  # not 0 if w is opposite to h
    side = unit(minus(side, scaled(h, off)))
    if side[0] == 0.0 and side[1] == 0.0 and side[2] == 0.0:
        side = unit((-h[1], h[0], 0.0)) if h[0] != 0.0 or h[1] != 0.0 else (1.0, 0.0, 0.0)
    return moved(scaled(h, cosine), sine, side), along


@inner
def _is_off(x, to, time, scene):
    """Whether a step touches no disc."""
    s, discs = scene.s, scene.discs
    return len(discs) == 0 or until_disc(x, to, s.radius, time + s.step, discs) >= 1.0


@inner
def _allowed(x, h, length, t, time, scene):
    """Fraction of a step that stays inside the balls and touches no disc."""
    s, balls, discs = scene.s, scene.balls, scene.discs
    to, share = moved(x, length, h), 1.0
    if not holds(to, t, s.radius, balls):
        last = min(_horizon(t, balls, scene.horizons), t + WINDOW)
        share = reaches(x, to, t, last, s.radius, scene.stride, balls)
    if len(discs) > 0:
        share = min(share, until_disc(x, to, s.radius, time, discs))
    return share if share == 1.0 else share * SHRINK


@inner(inline=False)
def _on_backbone(x, t, length, balls, r):
    """Follow the backbone itself for a length, or until it widens: (x, t)."""
    while length > 0.0 and t + 1 < len(balls):
        piece = distance_to(x, t + 1, balls)
        if piece > length:
            return between(x, row(balls, t + 1), length / piece), t
        x = row(balls, t + 1)
        length -= piece
        t += 1
        if t + 1 < len(balls) and balls[t + 1, RADIUS] - r > TIGHT and holds(x, t, r, balls):
            break
    return x, t


@inner(inline=False)
def _second_attraction_point(x, t, guess, s, stride, corridor):
    """Index of alpha(x, dt); dt is a fraction of the backbone's length."""
    balls, lengths = corridor.balls, corridor.lengths
    limit = lengths[t] + s.shortcut * lengths[len(balls) - 1]
    last, horizon = guess, _horizon(t, balls, corridor.horizons)
    while last + 1 <= horizon and lengths[last + 1] <= limit:
        last += 1
    while last > t and lengths[last] > limit:
        last -= 1
    return furthest_valid(x, t, guess, last, s.radius, stride, balls)


@inner(inline=False)
def _direction_ahead(k, balls):
    """Direction of the backbone from ball k over a radius; shorter than 1 if it bends or ends."""
    x, far, reach = row(balls, k), k, max(balls[k, RADIUS], AROUND)
    while far + 1 < len(balls) and distance_to(x, far, balls) < reach:
        far += 1
    return scaled(minus(row(balls, far), x), 1.0 / max(reach, distance_to(x, far, balls)))


@inner(inline=False)
def _other_forces(x, v, e, t, target, short, time, scene):
    """F_s + F_rand + F_perp + F_corner + F_1 + ... + F_n."""
    s, balls, discs = scene.s, scene.balls, scene.discs
    R, r, d = balls[t, RADIUS], s.radius, distance_to(x, t, balls)
    F = ZERO
    calm = 1.0  # fade out before the goal, or the character would circle it
    if t >= scene.calm_from:
        calm = min(1.0, distance_to(x, len(balls) - 1, balls) / CALM)
        calm *= calm
    if s.shortcut > 0.0 and short > t:
        F = plus(F, shortening(x, row(balls, short)))
    if s.noise != 0.0:
        F = plus(F, random_bias(e, row(balls, target), calm * s.noise, s.wavelength, scene.seed))
    if s.lane != 0.0:
        F = plus(F, lane_bias(e, max(d, 0.5 * (R - r)), R, r, calm * s.lane))
    if s.corner != 0.0:
        F = plus(F, corner_bias(e, _direction_ahead(target, balls), calm * s.corner))
    if len(discs) > 0:  # those in the attraction point's ball
        repulsions = ZERO
        for i in range(len(discs)):
            o = position_to_avoid(x, v, time, i, discs)
            if distance_to(o, t, balls) - discs[i, RADIUS] < R:
                repulsions = plus(repulsions, repulsion(x, o, discs[i, RADIUS], r, s.repulsion))
        F = plus(F, repulsions)
    return F


@inner
def _heading(v, pace, h):
    """Heading: along the velocity, or the last one while standing."""
    return h if pace == 0.0 else scaled(v, 1.0 / pace)


@inner
def _free_step(x, v, h, pace, t, target, short, most, time, scene):
    """A step under the forces: (velocity, heading, pace, whether ball t is known to hold it).

    The heading is valid only while it stands. The velocity follows the force. If it respects speed
    and turn rate and stays in the ball of the attraction point, no further checks are needed.
    """
    s, balls, own, turn = scene.s, scene.balls, scene.own, scene.turn
    to_target = minus(row(balls, target), x)
    d = size(to_target)
    e = scaled(to_target, 1.0 / max(d, 1e-300))
    is_last = t == len(balls) - 1
    F = e
    if s.published and not is_last:
        F = published_attraction(e, d, balls[t, RADIUS], s.radius)
    elif target == t and not is_last:
        F = attraction(e, d, balls[t, RADIUS], s.radius)
    has_bias = s.shortcut > 0.0 or s.noise != 0.0 or s.lane != 0.0 or s.corner != 0.0
    is_pushed = own[0] != 0.0 or own[1] != 0.0 or own[2] != 0.0
    if has_bias or is_pushed or len(scene.discs) > 0:
        F = plus(plus(F, _other_forces(x, v, e, t, target, short, time, scene)), own)
    squared = dot(F, F)
    gain = s.speed
    if abs(squared - 1.0) > 1e-12:
        gain = s.speed / max(HESITATE, math.sqrt(squared))
    new = moved(v, min(1.0, s.step / RELAXATION), minus(scaled(F, gain), v))
    if s.published and not is_last:  # the integral of F, for a mass of 1
        new = moved(v, s.step, F)
    along, before, after = dot(v, new), pace * pace, dot(new, new)
    if along > 0.0 and turn[0] > 0.0 and after <= most * most * ROUNDED:
        to = (x[0] + new[0] * s.step, x[1] + new[1] * s.step, x[2] + new[2] * s.step)
        is_slight = along * along >= turn[0] * turn[0] * before * after
        if is_slight and holds(to, t, s.radius, balls) and _is_off(x, to, time, scene):
            return new, h, math.sqrt(after), True
    return _limited_step(x, _heading(v, pace, h), new, t, target, most, time, scene)


@inner(inline=False)
def _limited_step(x, h, v, t, target, most, time, scene):
    """A step toward velocity v, limited by speed, turn rate and guard: as `_free_step`."""
    s, balls, turn = scene.s, scene.balls, scene.turn
    pace = size(v)
    new, along = _turned(h, _heading(v, pace, h), turn)
    if along < turn[0]:
        # Slow enough to turn to the attraction point instead of circling it.
        across = 1.0 if along < 0.0 else math.sqrt(max(0.0, 1.0 - along * along))
        pace = min(pace, s.turn_rate * distance_to(x, target, balls) / (2.0 * across))
    pace = min(pace, most)
    share = _allowed(x, new, pace * s.step, t, time + s.step, scene)
    if share < 1.0:
        # The next centre lies in this ball: the line there is free, if the turn rate allows it.
        k = min(t + 1, len(balls) - 1)
        inward, _ = _turned(h, unit(minus(row(balls, k), x)), turn)
        other = _allowed(x, inward, pace * s.step, t, time + s.step, scene)
        if other > share:
            share, new = other, inward
    pace *= share
    if pace < SLOWEST:
        pace = 0.0
    return scaled(new, pace), new, pace, False


@inner(inline=False)
def _tight_step(x, h, pace, t, most, time, scene):
    """A step where the corridor is hardly wider than the character: (x, heading, pace, t).

    It walks on the backbone itself, as far as turn rate and corners allow, or turns on the spot.
    """
    s, balls, turn = scene.s, scene.balls, scene.turn
    pace = min(most, pace + 0.5 * (s.speed - pace))
    w = h
    for _ in range(10):
        to, k = _on_backbone(x, t, pace * s.step, balls, s.radius)
        length = distance(to, x)
        w = unit(minus(to, x))
        is_ahead = dot(h, w) >= turn[0]
        if is_ahead and length > 0.0 and _is_off(x, to, time, scene):
            step, is_close = minus(to, x), True
            squared = max(dot(step, step), 1e-300)
            for j in range(t + 1, k + 1):  # the straight step must pass through these balls
                off = minus(row(balls, j), x)
                share = min(1.0, max(0.0, dot(off, step) / squared))
                off = minus(off, scaled(step, share))
                is_close = is_close and (
                    dot(off, off) <= max(SAGGING, balls[j, RADIUS] - s.radius) ** 2
                )
            if is_close:
                return to, w, length / s.step, k
        pace *= 0.5
    new, _ = _turned(h, w, turn)
    return x, new, 0.0, t


@inner(inline=False)
def _is_last_step(x, h, pace, t, time, scene):
    """Whether the goal is within this step, nearly ahead, and the line to it free."""
    s, balls = scene.s, scene.balls
    last = len(balls) - 1
    goal = row(balls, last)
    rest = distance(goal, x)
    if rest == 0.0:
        return True
    if rest > min(s.speed, max(1.5 * pace, 2.2 * BRAKING * s.step)) * s.step:
        return False
    if dot(unit(minus(goal, x)), h) < scene.turn[0]:
        return False
    if balls[last, RADIUS] - s.radius > TIGHT:
        if reaches(x, goal, t, last, s.radius, scene.stride, balls) < 1.0:
            return False
    elif t + 1 < last:
        return False
    return _is_off(x, goal, time, scene)


@inner
def _last_stretch(balls, length):
    """First ball of the last part of the backbone of at least this length."""
    rest, k = 0.0, len(balls) - 1
    while k > 0 and rest < length:
        rest += distance(row(balls, k - 1), row(balls, k))
        k -= 1
    return k


@inner(inline=False)
def _begin(position, velocity, heading, time, stood, s, corridor):
    """State with the values that depend on the corridor, whose memory is filled."""
    balls, lengths = corridor.balls, corridor.lengths
    make_blocks(balls, corridor.blocks)
    if s.shortcut > 0.0:
        lengths[0] = 0.0
        for k in range(1, len(balls)):
            lengths[k] = lengths[k - 1] + distance(row(balls, k - 1), row(balls, k))
    stop = s.speed * s.speed / (2.0 * BRAKING) + LOOK_AHEAD * s.speed * s.step
    return WalkState(
        position, velocity, heading, time, stood, True,
        0, 0, 0, 0.0, 0.0, 0.0, math.inf, longest_stride(balls), _last_stretch(balls, stop),
        _last_stretch(balls, CALM), time + DELAY + LONGEST * length_of_balls(balls) / s.speed,
    )  # fmt: skip


@inner
def _steering_target(x, t, target, look, scene):
    """Index of the first ball from alpha(x) on that is far enough ahead to steer for."""
    balls = scene.balls
    if scene.s.published:
        return t
    if (
        t >= target
        and t + 1 < len(balls)
        and balls[t, RADIUS] - scene.s.radius > look + scene.stride
    ):
        return t  # the next ball does not hold x, so x is within a stride of this one's rim
    target = max(target, t)
    while target + 1 < len(balls):
        off = minus(row(balls, target), x)
        if dot(off, off) >= look * look:
            break
        target += 1
    return target


@inner
def _write(k, x, v, h, trail):
    """Write a sample; the heading is stored only while it stands, else it follows from v."""
    points, velocities, directions = trail.points, trail.velocities, trail.directions
    if v[0] == 0.0 and v[1] == 0.0 and v[2] == 0.0:
        directions[k, 0], directions[k, 1], directions[k, 2] = h[0], h[1], h[2]
    points[k, 0], points[k, 1], points[k, 2] = x[0], x[1], x[2]
    velocities[k, 0], velocities[k, 1], velocities[k, 2] = v[0], v[1], v[2]


@inner(inline=False)
def _walk(state, steps, s, seed, corridor, discs, own, trail):
    """Walk up to `steps` steps: (status, samples written, state).

    Writes the position of every sample and the velocity with which the character leaves it; while
    it stands, also its heading: it may turn on the spot.
    """
    balls = corridor.balls
    last = len(balls) - 1
    x, v, h, time, stood = state.position, state.velocity, state.heading, state.time, state.stood
    t, target, short = state.at, state.target, state.short
    far_gap, short_gap, idle, best = state.far_gap, state.short_gap, state.idle, state.best
    sine, cosine = sincos(min(math.pi, s.turn_rate * s.step))
    turn = (cosine, sine)
    horizons = corridor.horizons
    scene = _Scene(s, seed, balls, discs, own, turn, state.stride, state.calm_from, horizons)
    pace, dt, look = size(v), s.step, LOOK_AHEAD * s.speed * s.step
    if distance_to(x, last, balls) == 0.0 and _horizon(t, balls, horizons) == last:
        target = last  # it is there
    patience = max(PATIENCE, 20.0 * dt)
    status, k, held = WALKING, 0, False
    while k < steps and status == WALKING:
        before = t
        t = advance_near(x, t, s.radius, balls)  # alpha(x), definition 5
        if far_gap <= 0.0:
            far = _horizon(t, balls, horizons)
            t, far_gap = advance_far(x, t, far, s.radius, balls, corridor.blocks)
        if t > before:
            idle, best, held = 0.0, math.inf, True
        elif k % CHECK == 0:
            d = distance_to(x, t, balls)
            if d < best - PROGRESS * s.speed:
                idle, best = 0.0, d
        target = _steering_target(x, t, target, look, scene)
        if s.shortcut > 0.0 and (short_gap <= 0.0 or (short <= t and t > before)):
            short = _second_attraction_point(x, t, max(short, t), s, state.stride, corridor)
            short_gap = min(4.0 * REFRESH, max(REFRESH, 0.25 * distance_to(x, short, balls)))
        most = s.speed
        if t >= state.brake_from:  # the speed from which it can stop at the goal
            most = min(s.speed, math.sqrt(2.0 * BRAKING * distance_to(x, last, balls)))
        if len(corridor.paces) > 1:
            most = min(most, _pace(x, t, balls, corridor.paces))
        tight = t < last and balls[t + 1, RADIUS] - s.radius < TIGHT
        tight = tight or not (held or holds(x, t, s.radius, balls))
        held = False
        if h[0] == 0.0 and h[1] == 0.0 and h[2] == 0.0:
            h = unit(minus(row(balls, min(t + 1, last) if tight else target), x))
        if target == last and _is_last_step(x, _heading(v, pace, h), pace, t, time, scene):
            to, status = row(balls, last), ARRIVED
            v = ((to[0] - x[0]) / dt, (to[1] - x[1]) / dt, (to[2] - x[2]) / dt)
            pace = distance_to(x, last, balls) / dt
        elif tight:
            to, h, pace, t = _tight_step(x, _heading(v, pace, h), pace, t, most, time, scene)
            v = scaled(h, pace)
            if pace > 0.0:  # on the backbone every step is progress
                idle, best = 0.0, math.inf
        else:
            v, h, pace, held = _free_step(x, v, h, pace, t, target, short, most, time, scene)
            to = (x[0] + v[0] * dt, x[1] + v[1] * dt, x[2] + v[2] * dt)
        _write(k, x, v, h, trail)
        far_gap, short_gap = far_gap - pace * dt, short_gap - pace * dt
        if pace == 0.0:
            stood += 1
        x, time, idle, k = to, time + dt, idle + dt, k + 1
        if status == WALKING and (idle > patience or time > state.limit):
            status = STALLED
    if status == ARRIVED:
        _write(k, x, ZERO, h, trail)
        k += 1
    state = WalkState(
        x, v, _heading(v, pace, h), time, stood, True, t, target, short, far_gap, short_gap, idle,
        best, state.stride, state.brake_from, state.calm_from, state.limit,
    )  # fmt: skip
    return status, k, state


@kernel
def walk(state, steps, s, seed, corridor, discs, own, trail, first):
    """Walk up to `steps` steps, as `_walk`, and write samples from row `first` on.

    `own` is the sum of user-defined forces.
    """
    if not state.is_begun:
        state = _begin(
            state.position, state.velocity, state.heading, state.time, state.stood, s, corridor
        )
    return _walk(state, steps, s, seed, corridor, discs, own, rows_from(trail, first))


class Batch(NamedTuple):
    """Queries of a batch and their results."""

    ends: np.ndarray  # (n, 4) x, y of start and goal
    seeds: np.ndarray  # (n,)
    statuses: np.ndarray  # (n,) NO_CORRIDOR, DONE or LATER
    offsets: np.ndarray  # (n + 1,) walk k has the samples offsets[k] to offsets[k + 1] - 1
    stood: np.ndarray  # (n,) whether the character stood in some sample


@kernel
def walk_many(batch, s, spacing, balls, corridor, no_discs, trail, index, workspace):
    """Compute corridors and walks of a batch without returning to Python.

    balls: BallBuffer for `extract_balls`; corridor: memory of the same size.
    """
    ends, count = batch.ends, 0
    for k in range(len(ends)):
        batch.offsets[k] = count
        query = Ends(ends[k, 0], ends[k, 1], ends[k, 2], ends[k, 3], s.radius, -1, -1)
        found, n, _, _ = extract_balls(query, spacing, balls, index, workspace)
        batch.statuses[k] = LATER if found in (FOUND, FULL) else NO_CORRIDOR
        capacity = len(trail.points) - count - 2
        if found != FOUND or capacity < 64:
            continue
        blocks = corridor.blocks[: (n + BLOCK - 1) // BLOCK]
        here = CorridorArrays(
            balls[0][:n], blocks, corridor.lengths, corridor.horizons, corridor.paces
        )
        start = _begin((balls[0][0, 0], balls[0][0, 1], 0.0), ZERO, ZERO, 0.0, 0, s, here)
        status, samples, state = _walk(
            start, capacity, s, batch.seeds[k], here, no_discs, ZERO, rows_from(trail, count)
        )
        if status == ARRIVED:
            batch.statuses[k], batch.stood[k] = DONE, state.stood > 0
            count += samples
    batch.offsets[len(ends)] = count
