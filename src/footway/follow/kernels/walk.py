"""Walk of a character through its corridor: forces, body, guard (cmm-2007).

    attraction point --> F = F_0 + F_s + F_rand + F_perp + ... + F_n --> velocity --> guard --> step

Leapfrog integration, which is velocity Verlet with the velocities between the samples: the velocity
of a sample leads exactly to the next one. Speed and turn rate are clamped. The guard cuts a step
where it would leave the balls: the disc stays in free space, whatever the forces are.

`state` keeps a character between calls: see the names of its fields.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway._numba.math import sincos
from footway.corridor.kernels.backbone import extract_balls
from footway.corridor.kernels.backbone import length_of_balls as length_of
from footway.corridor.kernels.search import FOUND, FULL
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
from footway.follow.kernels.discs import is_off, repulsions, until_disc
from footway.follow.kernels.forces import (
    add,
    attraction,
    corner_bias,
    lane_bias,
    random_bias,
    shortening,
    unit,
)
from footway.follow.settings import Settings

ARRIVED, WALKING, STALLED = 0, 1, 2

# Fields of `state`: position, velocity, heading, then scalars.
X, V, H = 0, 3, 6
AT, AIM, FAR_GAP, SHORT, SHORT_GAP, STRIDE, TIME = range(9, 16)
IDLE, BEST, BRAKE_FROM, CALM_FROM, STOOD, LIMIT, BEGUN = range(16, 23)
FIELDS = 23

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


@inner(inline=False)
def _course_ahead(k, balls):
    """Direction of the backbone from ball k over a radius; shorter than 1 if it bends or ends."""
    x, far, reach = (balls[k, 0], balls[k, 1], balls[k, 2]), k, max(balls[k, 3], AROUND)
    while far + 1 < len(balls) and distance_to(x, far, balls) < reach:
        far += 1
    scale = 1.0 / max(reach, distance_to(x, far, balls))
    return (
        (balls[far, 0] - x[0]) * scale,
        (balls[far, 1] - x[1]) * scale,
        (balls[far, 2] - x[2]) * scale,
    )


@inner
def _turn_of_a_step(s):
    """Cosine and sine of the maximum turn between two samples."""
    angle = min(math.pi, s.turn_rate * s.step)
    sine, cosine = sincos(angle)
    return cosine, sine


@inner
def _turned(h, w, turn):
    """Unit vector w, or h turned toward it by the angle that one step allows; and its cosine."""
    cosine, sine = turn
    along = h[0] * w[0] + h[1] * w[1] + h[2] * w[2]
    if along >= cosine:
        return w, along
    side = unit(w[0] - along * h[0], w[1] - along * h[1], w[2] - along * h[2])
    off = side[0] * h[0] + side[1] * h[1] + side[2] * h[2]  # not 0 if w is opposite to h
    side = unit(side[0] - off * h[0], side[1] - off * h[1], side[2] - off * h[2])
    if side[0] == 0.0 and side[1] == 0.0 and side[2] == 0.0:
        side = unit(-h[1], h[0], 0.0) if h[0] != 0.0 or h[1] != 0.0 else (1.0, 0.0, 0.0)
    return (
        cosine * h[0] + sine * side[0],
        cosine * h[1] + sine * side[1],
        cosine * h[2] + sine * side[2],
    ), along


@inner
def _allowed(x, h, length, t, stride, time, s, balls, discs):
    """Fraction of a step that stays inside the balls and touches no disc."""
    to = (x[0] + length * h[0], x[1] + length * h[1], x[2] + length * h[2])
    share = 1.0
    if not holds(to, t, s.radius, balls):
        last = min(len(balls) - 1, t + WINDOW)
        share = reaches(x, to, t, last, s.radius, stride, balls)
    if len(discs) > 0:
        share = min(share, until_disc(x, to, s.radius, time, discs))
    return share if share == 1.0 else share * SHRINK


@inner
def _brake(x, t, from_index, speed, balls):
    """Maximum speed from which the character can stop at the goal."""
    if t < from_index:
        return speed
    return min(speed, math.sqrt(2.0 * BRAKING * distance_to(x, len(balls) - 1, balls)))


@inner(inline=False)
def _on_backbone(x, t, length, balls, r):
    """Follow the backbone itself for a length, or until it widens: (x, t)."""
    while length > 0.0 and t + 1 < len(balls):
        piece = distance_to(x, t + 1, balls)
        if piece > length:
            q = length / piece
            x = (
                x[0] + q * (balls[t + 1, 0] - x[0]),
                x[1] + q * (balls[t + 1, 1] - x[1]),
                x[2] + q * (balls[t + 1, 2] - x[2]),
            )
            break
        x = (balls[t + 1, 0], balls[t + 1, 1], balls[t + 1, 2])
        length -= piece
        t += 1
        if t + 1 < len(balls) and balls[t + 1, 3] - r > TIGHT and holds(x, t, r, balls):
            break
    return x, t


@inner(inline=False)
def _second_attraction_point(x, t, guess, s, stride, balls, lengths):
    """Index of alpha(x, dt); dt is a fraction of the backbone's length."""
    limit = lengths[t] + s.shortcut * lengths[len(balls) - 1]
    last = guess
    while last + 1 < len(balls) and lengths[last + 1] <= limit:
        last += 1
    while last > t and lengths[last] > limit:
        last -= 1
    return furthest_valid(x, t, guess, last, s.radius, stride, balls)


@inner
def _force(x, v, t, aim, short, calm_from, time, s, balls, discs, own):
    """F = F_0 + (F_s + F_rand + F_perp + F_corner + F_1 + ... + F_n + the user's own)."""
    ax, ay, az = balls[aim, 0] - x[0], balls[aim, 1] - x[1], balls[aim, 2] - x[2]
    d = math.sqrt(ax * ax + ay * ay + az * az)
    scale = 1.0 / max(d, 1e-300)
    e = (ax * scale, ay * scale, az * scale)
    F = attraction(e, d, balls[t, 3], s.radius) if aim == t and t < len(balls) - 1 else e
    if has_habits(s) or len(discs) > 0 or own[0] != 0.0 or own[1] != 0.0 or own[2] != 0.0:
        F = add(F, _other_forces(x, v, e, t, aim, short, calm_from, time, s, balls, discs))
        F = add(F, own)
    return F


@inner
def has_habits(s):
    """Whether any force besides F_0 and obstacles is enabled."""
    return s.shortcut > 0.0 or s.noise != 0.0 or s.lane != 0.0 or s.corner != 0.0


@inner(inline=False)
def _other_forces(x, v, e, t, aim, short, calm_from, time, s, balls, discs):
    """F_s + F_rand + F_perp + F_corner + F_1 + ... + F_n."""
    R, r, d = balls[t, 3], s.radius, distance_to(x, t, balls)
    F = (0.0, 0.0, 0.0)
    calm = 1.0  # fade out before the goal, or the character would circle it
    if t >= calm_from:
        calm = min(1.0, distance_to(x, len(balls) - 1, balls) / CALM)
        calm *= calm
    if s.shortcut > 0.0 and short > t:
        F = add(F, shortening(x, (balls[short, 0], balls[short, 1], balls[short, 2])))
    if s.noise != 0.0:
        alpha = (balls[aim, 0], balls[aim, 1], balls[aim, 2])
        F = add(F, random_bias(e, alpha, calm * s.noise, s.wavelength, s.seed))
    if s.lane != 0.0:
        F = add(F, lane_bias(e, max(d, 0.5 * (R - r)), R, r, calm * s.lane))
    if s.corner != 0.0:
        F = add(F, corner_bias(e, _course_ahead(aim, balls), calm * s.corner))
    if len(discs) > 0:
        F = add(F, repulsions(x, v, t, time, s, balls, discs))
    return F


@inner
def _write(row, x, v, h, points, velocities, directions):
    """Write a sample; the heading is stored only while it stands, else it follows from v."""
    if v[0] == 0.0 and v[1] == 0.0 and v[2] == 0.0:
        directions[row, 0], directions[row, 1], directions[row, 2] = h[0], h[1], h[2]
    points[row, 0], points[row, 1], points[row, 2] = x[0], x[1], x[2]
    velocities[row, 0], velocities[row, 1], velocities[row, 2] = v[0], v[1], v[2]


@inner(inline=False)
def _load(state, balls, blocks, lengths, s):
    """Initialize values that depend on the corridor, at its first call."""
    if state[BEGUN] != 0.0:
        return
    state[BEGUN], state[STRIDE] = 1.0, longest_stride(balls)
    make_blocks(balls, blocks)
    state[AT] = state[AIM] = state[SHORT] = 0.0
    state[FAR_GAP] = state[SHORT_GAP] = state[IDLE] = 0.0
    state[BEST] = math.inf
    stop = s.speed * s.speed / (2.0 * BRAKING) + LOOK_AHEAD * s.speed * s.step
    state[BRAKE_FROM], state[CALM_FROM] = _last_stretch(balls, stop), _last_stretch(balls, CALM)
    state[LIMIT] = state[TIME] + DELAY + LONGEST * length_of(balls) / s.speed
    if s.shortcut > 0.0:
        lengths[0] = 0.0
        for k in range(1, len(balls)):
            x = (balls[k, 0], balls[k, 1], balls[k, 2])
            lengths[k] = lengths[k - 1] + distance_to(x, k - 1, balls)


@inner
def _last_stretch(balls, length):
    """First ball of the last part of the backbone of at least this length."""
    rest, k = 0.0, len(balls) - 1
    while k > 0 and rest < length:
        x = (balls[k, 0], balls[k, 1], balls[k, 2])
        rest += distance_to(x, k - 1, balls)
        k -= 1
    return k


@inner
def _attraction_point(x, t, far_gap, r, balls, blocks):
    """Index of alpha(x) (definition 5), and the distance until the next search of all balls."""
    t = advance_near(x, t, r, balls)
    if far_gap <= 0.0:
        t, far_gap = advance_far(x, t, r, balls, blocks)
    return t, far_gap


@inner
def _steering_point(x, t, aim, look, r, stride, balls):
    """Index of the first ball from alpha(x) on that is far enough ahead to steer for."""
    if t >= aim and t + 1 < len(balls) and balls[t, 3] - r > look + stride:
        return t  # the next ball does not hold x, so x is within a stride of this one's rim
    aim = max(aim, t)
    while aim + 1 < len(balls):
        dx, dy, dz = balls[aim, 0] - x[0], balls[aim, 1] - x[1], balls[aim, 2] - x[2]
        if dx * dx + dy * dy + dz * dz >= look * look:
            break
        aim += 1
    return aim


@inner
def _heading(v, pace, h):
    """Heading: along the velocity, or the last one while standing."""
    if pace == 0.0:
        return h
    scale = 1.0 / pace
    return v[0] * scale, v[1] * scale, v[2] * scale


@inner
def _free_step(
    x, v, h, pace, t, aim, short, calm_from, most, time, own, turn, stride, s, balls, discs
):  # fmt: skip
    """A step under the forces: (velocity, heading, pace, whether ball t is known to hold it).

    The heading is valid only while it stands. The velocity follows the force. If it respects speed
    and turn rate and stays in the ball of the attraction point, no further checks are needed.
    """
    F = _force(x, v, t, aim, short, calm_from, time, s, balls, discs, own)
    squared = F[0] * F[0] + F[1] * F[1] + F[2] * F[2]
    gain = s.speed
    if abs(squared - 1.0) > 1e-12:
        gain = s.speed / max(HESITATE, math.sqrt(squared))
    blend = min(1.0, s.step / RELAXATION)
    new = (
        v[0] + blend * (gain * F[0] - v[0]),
        v[1] + blend * (gain * F[1] - v[1]),
        v[2] + blend * (gain * F[2] - v[2]),
    )
    along = v[0] * new[0] + v[1] * new[1] + v[2] * new[2]
    before, after = pace * pace, new[0] * new[0] + new[1] * new[1] + new[2] * new[2]
    if along > 0.0 and turn[0] > 0.0 and after <= most * most * ROUNDED:
        to = (x[0] + new[0] * s.step, x[1] + new[1] * s.step, x[2] + new[2] * s.step)
        is_slight = along * along >= turn[0] * turn[0] * before * after
        if is_slight and holds(to, t, s.radius, balls) and is_off(x, to, time, s, discs):
            return new, h, math.sqrt(after), True
    return _bodily_step(
        x, _heading(v, pace, h), new, t, aim, most, time, turn, stride, s, balls, discs
    )


@inner(inline=False)
def _bodily_step(x, h, v, t, aim, most, time, turn, stride, s, balls, discs):
    """A step toward velocity v, limited by speed, turn rate and guard: as `_free_step`."""
    pace = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    new, along = _turned(h, _heading(v, pace, h), turn)
    if along < turn[0]:
        # Slow enough to turn to the attraction point instead of circling it.
        across = 1.0 if along < 0.0 else math.sqrt(max(0.0, 1.0 - along * along))
        pace = min(pace, s.turn_rate * distance_to(x, aim, balls) / (2.0 * across))
    pace = min(pace, most)
    share = _allowed(x, new, pace * s.step, t, stride, time + s.step, s, balls, discs)
    if share < 1.0:
        # The next centre lies in this ball: the line there is free, if the turn rate allows it.
        k = min(t + 1, len(balls) - 1)
        e = unit(balls[k, 0] - x[0], balls[k, 1] - x[1], balls[k, 2] - x[2])
        inward, _ = _turned(h, e, turn)
        other = _allowed(x, inward, pace * s.step, t, stride, time + s.step, s, balls, discs)
        if other > share:
            share, new = other, inward
    pace *= share
    if pace < SLOWEST:
        pace = 0.0
    return (pace * new[0], pace * new[1], pace * new[2]), new, pace, False


@inner
def _is_close(x, to, t, k, r, balls):
    """Whether the straight line from x to `to` passes through balls t + 1 to k."""
    bx, by, bz = to[0] - x[0], to[1] - x[1], to[2] - x[2]
    squared = max(bx * bx + by * by + bz * bz, 1e-300)
    for j in range(t + 1, k + 1):
        ax, ay, az = balls[j, 0] - x[0], balls[j, 1] - x[1], balls[j, 2] - x[2]
        share = min(1.0, max(0.0, (ax * bx + ay * by + az * bz) / squared))
        dx, dy, dz = ax - share * bx, ay - share * by, az - share * bz
        if dx * dx + dy * dy + dz * dz > max(SAGGING, balls[j, 3] - r) ** 2:
            return False
    return True


@inner(inline=False)
def _tight_step(x, h, pace, t, most, time, turn, s, balls, discs):
    """A step where the corridor is hardly wider than the character: (x, heading, pace, t).

    It walks on the backbone itself, as far as turn rate and corners allow, or turns on the spot.
    """
    pace = min(most, pace + 0.5 * (s.speed - pace))
    w = h
    for _ in range(10):
        to, k = _on_backbone(x, t, pace * s.step, balls, s.radius)
        length = math.sqrt((to[0] - x[0]) ** 2 + (to[1] - x[1]) ** 2 + (to[2] - x[2]) ** 2)
        w = unit(to[0] - x[0], to[1] - x[1], to[2] - x[2])
        free = is_off(x, to, time, s, discs)
        ahead = h[0] * w[0] + h[1] * w[1] + h[2] * w[2] >= turn[0]
        if ahead and free and length > 0.0 and _is_close(x, to, t, k, s.radius, balls):
            return to, w, length / s.step, k
        pace *= 0.5
    new, _ = _turned(h, w, turn)
    return x, new, 0.0, t


@inner(inline=False)
def _is_last_step(x, h, pace, t, turn, stride, time, s, balls, discs):
    """Whether the goal is within this step, nearly ahead, and the line to it free."""
    last = len(balls) - 1
    goal = (balls[last, 0], balls[last, 1], balls[last, 2])
    rest = distance_to(x, last, balls)
    if rest == 0.0:
        return True
    if rest > min(s.speed, max(1.5 * pace, 2.2 * BRAKING * s.step)) * s.step:
        return False
    w = unit(goal[0] - x[0], goal[1] - x[1], goal[2] - x[2])
    if w[0] * h[0] + w[1] * h[1] + w[2] * h[2] < turn[0]:
        return False
    if balls[last, 3] - s.radius > TIGHT:
        if reaches(x, goal, t, last, s.radius, stride, balls) < 1.0:
            return False
    elif t + 1 < last:
        return False
    return is_off(x, goal, time, s, discs)


@inner(inline=False)
def walk(state, steps, s, balls, blocks, lengths, discs, own, points, velocities, directions):
    """Walk up to `steps` steps: (status, samples written).

    Writes the position of every sample and the velocity with which the character leaves it; while
    it stands, also its heading: it may turn on the spot.
    """
    _load(state, balls, blocks, lengths, s)
    stride, last = state[STRIDE], len(balls) - 1
    brake_from, calm_from = int(state[BRAKE_FROM]), int(state[CALM_FROM])
    x = (state[X], state[X + 1], state[X + 2])
    v = (state[V], state[V + 1], state[V + 2])
    h = (state[H], state[H + 1], state[H + 2])
    t, aim, short = int(state[AT]), int(state[AIM]), int(state[SHORT])
    far_gap, short_gap, time = state[FAR_GAP], state[SHORT_GAP], state[TIME]
    idle, best = state[IDLE], state[BEST]
    pace = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    turn, dt, look = _turn_of_a_step(s), s.step, LOOK_AHEAD * s.speed * s.step
    if distance_to(x, last, balls) == 0.0:
        aim = last  # it is there
    limit, patience = state[LIMIT], max(PATIENCE, 20.0 * dt)
    status, row, held = WALKING, 0, False
    while row < steps and status == WALKING:
        before = t
        t, far_gap = _attraction_point(x, t, far_gap, s.radius, balls, blocks)
        if t > before:
            idle, best, held = 0.0, math.inf, True
        elif row % CHECK == 0:
            d = distance_to(x, t, balls)
            if d < best - PROGRESS * s.speed:
                idle, best = 0.0, d
        aim = _steering_point(x, t, aim, look, s.radius, stride, balls)
        if s.shortcut > 0.0 and (short_gap <= 0.0 or (short <= t and t > before)):
            short = _second_attraction_point(x, t, max(short, t), s, stride, balls, lengths)
            short_gap = min(4.0 * REFRESH, max(REFRESH, 0.25 * distance_to(x, short, balls)))
        most = _brake(x, t, brake_from, s.speed, balls)
        tight = t < last and balls[t + 1, 3] - s.radius < TIGHT
        tight = tight or not (held or holds(x, t, s.radius, balls))
        held = False
        if h[0] == 0.0 and h[1] == 0.0 and h[2] == 0.0:
            k = min(t + 1, last) if tight else aim
            h = unit(balls[k, 0] - x[0], balls[k, 1] - x[1], balls[k, 2] - x[2])
        if aim == last and _is_last_step(
            x, _heading(v, pace, h), pace, t, turn, stride, time, s, balls, discs
        ):
            to, status = (balls[last, 0], balls[last, 1], balls[last, 2]), ARRIVED
            v = ((to[0] - x[0]) / dt, (to[1] - x[1]) / dt, (to[2] - x[2]) / dt)
            pace = distance_to(x, last, balls) / dt
        elif tight:
            to, h, pace, t = _tight_step(
                x, _heading(v, pace, h), pace, t, most, time, turn, s, balls, discs
            )
            v = (pace * h[0], pace * h[1], pace * h[2])
            if pace > 0.0:  # on the backbone every step is progress
                idle, best = 0.0, math.inf
        else:
            v, h, pace, held = _free_step(
                x, v, h, pace, t, aim, short, calm_from, most, time, own, turn, stride, s, balls,
                discs,
            )  # fmt: skip
            to = (x[0] + v[0] * dt, x[1] + v[1] * dt, x[2] + v[2] * dt)
        _write(row, x, v, h, points, velocities, directions)
        far_gap, short_gap = far_gap - pace * dt, short_gap - pace * dt
        if pace == 0.0:
            state[STOOD] += 1.0
        x, time, idle, row = to, time + dt, idle + dt, row + 1
        if status == WALKING and (idle > patience or time > limit):
            status = STALLED
    state[X], state[X + 1], state[X + 2] = x
    state[V], state[V + 1], state[V + 2] = v
    state[H], state[H + 1], state[H + 2] = _heading(v, pace, h)
    state[AT], state[AIM], state[SHORT] = t, aim, short
    state[FAR_GAP], state[SHORT_GAP], state[TIME] = far_gap, short_gap, time
    state[IDLE], state[BEST] = idle, best
    if status == ARRIVED:
        _write(row, x, (0.0, 0.0, 0.0), h, points, velocities, directions)
        row += 1
    return status, row


@inner
def stand_at(x, y, z, state):
    """Initialize the state of a character standing at a position."""
    for k in range(FIELDS):
        state[k] = 0.0
    state[X], state[X + 1], state[X + 2] = x, y, z


@kernel
def walk_on(state, steps, s, balls, blocks, lengths, discs, own, points, velocities, directions):
    """`walk` for Python; `own` is the sum of user-defined forces (3,)."""
    force = (own[0], own[1], own[2])
    return walk(
        state, steps, s, balls, blocks, lengths, discs, force, points, velocities, directions
    )


NOWHERE, DONE, LATER = -1, 0, 1  # no corridor; done; memory or step limit exceeded


@inner
def _with_seed(s, seed):
    return Settings(
        s.radius, s.speed, s.step, s.turn_rate, s.shortcut, s.noise, s.wavelength, seed, s.lane,
        s.corner, s.repulsion,
    )  # fmt: skip


@kernel
def walk_many(
    ends, seeds, s, spacing, balls, places, shares, blocks, lengths, state, statuses, offsets,
    stood, points, velocities, directions, no_discs, index, ladder,
):  # fmt: skip
    """Compute walks of queries (n, 4); walk k has the samples offsets[k] to offsets[k + 1] - 1."""
    row = 0
    for k in range(len(ends)):
        offsets[k] = row
        found, n, _, _ = extract_balls(
            ends[k, 0], ends[k, 1], ends[k, 2], ends[k, 3], s.radius, spacing,
            balls, places, shares, index, ladder,
        )  # fmt: skip
        statuses[k] = LATER if found in (FOUND, FULL) else NOWHERE
        room = len(points) - row - 2
        if found != FOUND or room < 64:
            continue
        stand_at(balls[0, 0], balls[0, 1], 0.0, state)
        status, count = walk(
            state, room, _with_seed(s, seeds[k]), balls[:n], blocks[: (n + BLOCK - 1) // BLOCK],
            lengths, no_discs, (0.0, 0.0, 0.0), points[row:], velocities[row:], directions[row:],
        )  # fmt: skip
        if status == ARRIVED:
            statuses[k], stood[k] = DONE, state[STOOD] > 0.0
            row += count
    offsets[len(ends)] = row
