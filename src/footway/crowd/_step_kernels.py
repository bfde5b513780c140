"""One step of everybody in some cells: F = F_a + F_c + F_perp (cmm-crowds-2008, section 5.1).

    attraction point --> wanted velocity --> F_c of the neighbours --> velocity --> wall guard

Forces are gathered from the bodies as they were before the step, each character writes only its
own rows, and random numbers come from counters: the order of the cells, and so the number of
threads, does not matter.
"""

from __future__ import annotations

import math

import numpy as np

from footway._jit import inner, kernel
from footway.crowd._avoid_kernels import (
    NEARBY,
    RANGE,
    ROWS,
    avoid,
    gather,
    keep_close,
    kept_apart,
    load,
)
from footway.crowd._track_kernels import FLOOR, fall_back, follow_on, holds
from footway.crowd._wall_kernels import beside_wall
from footway.crowd.state import (
    ARRIVED,
    AT,
    BEGIN,
    GOAL_X,
    GOAL_Y,
    GROUP,
    HALF,
    ID,
    IDLE,
    LANE,
    MODE,
    NOISE,
    RADIUS,
    REACH,
    ROOM,
    SINCE,
    SPEED,
    UNREACHABLE,
    VX,
    VY,
    WAITING,
    WALKING,
    X,
    Y,
)
from footway.follow._noise_kernels import coherent_noise

RELAXATION = 0.5  # s, in which the velocity follows what is wanted (Helbing and Molnar)
LOST = 1.5  # m outside its ball: a character looks for a new way
TIRED = 40  # steps without coming on, after which it looks for a new way
WATCH = 8  # steps between two looks at whether a character comes on
WAVE = 8.0  # m, of the coherent noise
HOLD = 1.0  # m/s2, of F_c, below which those who stand stay where they are

NOTHING, WANTS_GOAL, WANTS_WAY = 0, 1, 2

_ZERO, _HALF, _ONE, _RANGE = (np.float32(v) for v in (0.0, 0.5, 1.0, RANGE))


@inner
def _aim(k, x, y, r, done, caps, state, tracks):
    """Where the character is drawn to: (x, y, R there, share of its speed).

    Nobody of a group goes beyond the ball of alpha_max. Who is in its front half slows down, to
    nothing at its rim: so all walk at the pace of the last. Would they stand until the last has
    come on, the group would creep, for they stand in its way.
    """
    balls, at, group = tracks.balls, state.track[k, AT], state.track[k, GROUP]
    if group >= 0 and at > caps[group] >= 0:
        cap = caps[group]
        if not holds(cap, x, y, r, balls):
            return balls[cap, 0], balls[cap, 1], balls[cap, 2], 1.0
        ux, uy = balls[at, 0] - balls[cap, 0], balls[at, 1] - balls[cap, 1]
        ahead = (x - balls[cap, 0]) * ux + (y - balls[cap, 1]) * uy
        ahead /= max(math.sqrt(ux * ux + uy * uy), 1e-9)
        share = min(1.0, max(0.0, 1.0 - ahead / max(balls[cap, 2] - r, FLOOR)))
        return balls[at, 0], balls[at, 1], balls[at, 2], share
    if done:
        return state.place[k, GOAL_X], state.place[k, GOAL_Y], balls[at, 2], 1.0
    return balls[at, 0], balls[at, 1], balls[at, 2], 1.0


@inner
def _habits(k, ex, ey, d, R, aim_x, aim_y, seed, state):
    """Unit vector of F_a + F_perp + F_rand, where F_a = e."""
    lane, noise, r = state.body[k, LANE], state.body[k, NOISE], state.body[k, RADIUS]
    fx, fy = ex, ey
    if lane != 0.0 and 2.0 * r < R:
        c = lane * (R - 2.0 * r) / max(d, 0.5 * (R - r))
        fx, fy = fx - c * ey, fy + c * ex
    if noise != 0.0:
        own = seed + state.track[k, ID]
        theta = 0.5 * math.pi * coherent_noise(own, aim_x / WAVE, aim_y / WAVE)
        along, across = noise * math.cos(theta), noise * math.sin(theta)
        fx, fy = fx + along * ex - across * ey, fy + along * ey + across * ex
    scale = 1.0 / math.sqrt(fx * fx + fy * fy)
    return fx * scale, fy * scale


@inner
def _wanted(k, step, seed, caps, state, pool, tracks, graph):
    """Direction and speed that a character wants, and what it asks for: (ex, ey, speed, ask)."""
    mode = state.track[k, MODE]
    if mode == WAITING and step >= state.story[k, BEGIN]:
        mode = WALKING if state.track[k, HALF] >= 0 else ARRIVED  # it has asked for a way already
        state.track[k, MODE] = mode
        state.story[k, SINCE] = step
    vx, vy = float(state.body[k, VX]), float(state.body[k, VY])
    if mode != WALKING:
        pace = math.sqrt(vx * vx + vy * vy)
        if pace < 1e-6:
            return 1.0, 0.0, 0.0, NOTHING
        return vx / pace, vy / pace, 0.0, NOTHING
    x, y, r = state.place[k, X], state.place[k, Y], float(state.body[k, RADIUS])
    done = follow_on(k, x, y, r, step, seed, state, pool, tracks, graph)
    ask = NOTHING
    at = state.track[k, AT]
    if not done and not holds(at, x, y, r, tracks.balls):
        dx, dy = x - tracks.balls[at, 0], y - tracks.balls[at, 1]
        out = math.sqrt(dx * dx + dy * dy) - tracks.balls[at, 2]
        if not fall_back(k, x, y, r, state, tracks) and out > LOST:
            ask = WANTS_WAY
    ax, ay, R, share = _aim(k, x, y, r, done, caps, state, tracks)
    dx, dy = ax - x, ay - y
    d = math.sqrt(dx * dx + dy * dy)
    if done and d < state.body[k, REACH] and share == 1.0:
        state.track[k, MODE] = ARRIVED
        return 1.0, 0.0, 0.0, WANTS_GOAL
    if d < 1e-9:
        return 1.0, 0.0, 0.0, ask
    per_d = 1.0 / d
    ex, ey, speed = dx * per_d, dy * per_d, share * float(state.body[k, SPEED])
    if done:
        speed = min(speed, 2.0 * d)
    if not done:  # who has its goal in sight goes straight to it: to one side is around it
        ex, ey = _habits(k, ex, ey, d, R, ax, ay, seed, state)
    return ex, ey, speed, ask


@inner
def _sum_pairs(row, ex, ey, model, count, bodies, others, near, pairs):
    """Sum of F_c of the gathered neighbours, rows of `others`. m/s2."""
    x, y, r = bodies[row, 0], bodies[row, 1], bodies[row, 4]
    lanes = load(x, y, r, row, count, others, near, pairs)
    avoid(
        ex,
        ey,
        model[0] * bodies[row, 2],
        model[0] * bodies[row, 3],
        model[1],
        lanes,
        pairs,
    )
    fx, fy = _ZERO, _ZERO
    for m in range(count):
        fx, fy = fx + pairs[5, m], fy + pairs[6, m]
    return fx, fy


@inner
def _avoided(row, cell, ex, ey, model, columns, offsets, bodies, near, pairs, tight):
    """F_c of all neighbours in the nine cells (m/s2), and how many close ones are in `tight`."""
    x, y, r = bodies[row, 0], bodies[row, 1], bodies[row, 4]
    fx, fy, count, held = _ZERO, _ZERO, 0, 0
    for line in range(-1, 2):  # three cells side by side are one run of rows
        middle = cell + line * columns
        first, last = offsets[middle - 1], offsets[middle + 2]
        while first < last:
            end = min(last, first + NEARBY - count)
            count = gather(x, y, r, row, first, end, count, bodies, near)
            first = end
            if count == NEARBY:  # a dense crowd: do these before there are more
                ax, ay = _sum_pairs(row, ex, ey, model, count, bodies, bodies, near, pairs)
                held = keep_close(model[2], _HALF, count, pairs, held, tight)
                fx, fy, count = fx + ax, fy + ay, 0
    ax, ay = _sum_pairs(row, ex, ey, model, count, bodies, bodies, near, pairs)
    held = keep_close(model[2], _HALF, count, pairs, held, tight)
    return fx + ax, fy + ay, held


@inner(inline=False)
def _blocked(row, cell, ex, ey, model, bodies, blocks, near, pairs, held, tight):
    """F_c of dynamic obstacles (m/s2), and how many are in `tight` with them."""
    count = min(NEARBY, blocks.offsets[cell + 1] - blocks.offsets[cell])
    for m in range(count):
        near[m] = blocks.rows[blocks.offsets[cell] + m]
    fx, fy = _sum_pairs(row, ex, ey, model, count, bodies, blocks.discs, near, pairs)
    return fx, fy, keep_close(_RANGE, _ONE, count, pairs, held, tight)


@inner
def _watch(k, step, speed, state):
    """Count the steps in which a character that wants to come on does not; true: it is tired."""
    x, y, r = state.place[k, X], state.place[k, Y], state.body[k, RADIUS]
    ax, ay = x - state.anchor[k, 0], y - state.anchor[k, 1]
    if speed == 0.0 or ax * ax + ay * ay > r * r:
        state.anchor[k, 0], state.anchor[k, 1] = x, y
        state.story[k, SINCE] = step
        state.track[k, IDLE] = 0
        return False
    idle = step - state.story[k, SINCE]
    state.track[k, IDLE] = idle
    return idle >= TIRED and idle % TIRED < WATCH


@inner
def _at_most(vx, vy, top):
    """A velocity, or one of the same direction that is not too fast."""
    pace = math.sqrt(vx * vx + vy * vy)
    if pace > top:
        vx, vy = vx * top / pace, vy * top / pace
    return vx, vy


@inner
def _move(k, vx, vy, dt, grid, state):
    """Go on, and keep off the walls."""
    x, y, r = state.place[k, X], state.place[k, Y], float(state.body[k, RADIUS])
    to_x, to_y = x + vx * dt, y + vy * dt
    dx, dy = to_x - x, to_y - y
    room = state.body[k, ROOM] - math.sqrt(dx * dx + dy * dy)
    if room < 0.0:
        to_x, to_y, room, nx, ny = beside_wall(x, y, to_x, to_y, r, grid)
        into = vx * nx + vy * ny
        if into < 0.0:
            vx, vy = vx - into * nx, vy - into * ny
        elif to_x == x and to_y == y:
            vx, vy = 0.0, 0.0
    state.place[k, X], state.place[k, Y] = to_x, to_y
    vx, vy = _at_most(vx, vy, float(state.body[k, SPEED]))
    state.body[k, VX], state.body[k, VY] = vx, vy
    state.body[k, ROOM] = room - 1e-6


@inner
def _cell_of_row(row, offsets):
    """Last cell that begins at or before a row."""
    low, high = 0, len(offsets) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if offsets[middle] <= row:
            low = middle
        else:
            high = middle
    return low


@kernel
def move_cells(
    first, end, step, dt, seed, model, columns, offsets, bodies, slots, blocks, caps, own, state,
    pool, tracks, index, asks,
):  # fmt: skip
    """Step the characters of the rows first to end - 1; returns how many ask for something.

    `asks` (n, 2): id, and what. `own` (n, 2) are accelerations of the user's, by slot, or empty.
    `model` (3,) is the share of one's own velocity in F_c, how far it looks ahead, s, and how close
    others are, m, that may be met in a step.
    """
    count, cell = 0, _cell_of_row(first, offsets)
    near = np.empty(NEARBY + 1, np.int64)
    pairs, tight = np.empty((ROWS, NEARBY), np.float32), np.empty((4, NEARBY), np.float32)
    graph, grid = index.graph, index.grid
    for row in range(first, end):
        while offsets[cell + 1] <= row:
            cell += 1
        k = slots[row]
        ex, ey, speed, ask = _wanted(k, step, seed, caps, state, pool, tracks, graph)
        wx, wy = np.float32(ex), np.float32(ey)
        fx, fy, held = _avoided(
            row, cell, wx, wy, model, columns, offsets, bodies, near, pairs, tight
        )
        if speed == 0.0 and fx * fx + fy * fy < HOLD * HOLD:
            fx, fy = _ZERO, _ZERO  # who stands is not moved by those who are only near
        ax = (speed * ex - state.body[k, VX]) / RELAXATION + fx
        ay = (speed * ey - state.body[k, VY]) / RELAXATION + fy
        if len(own) > 0:
            ax, ay = ax + own[k, 0], ay + own[k, 1]
        if len(blocks.discs) > 0:
            fx, fy, held = _blocked(
                row, cell, wx, wy, model, bodies, blocks, near, pairs, held, tight
            )
            ax, ay = ax + fx, ay + fy
        vx, vy = state.body[k, VX] + ax * dt, state.body[k, VY] + ay * dt
        vx, vy = _at_most(vx, vy, float(state.body[k, SPEED]))
        vx, vy = kept_apart(vx, vy, held, dt, tight)
        _move(k, vx, vy, dt, grid, state)
        if (step + state.track[k, ID]) % WATCH == 0 and state.track[k, MODE] != UNREACHABLE:
            tired = _watch(k, step, speed, state)
            ask = WANTS_WAY if tired and ask == NOTHING else ask
        if ask != NOTHING:
            asks[count, 0], asks[count, 1] = state.track[k, ID], ask
            count += 1
    return count
