"""Move the characters of some cells: F = F_a + F_c + F_perp (cmm-crowds-2008, section 5.1).

    attraction point --> preferred velocity --> F_c of the neighbours --> velocity --> wall guard

Forces are gathered from the bodies before the step, each character writes only its own rows, and
random numbers come from counters. So the result does not depend on the order of the cells or on
the number of threads.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel, prefetch
from footway._numba.math import sincos
from footway.crowd.kernels.avoidance import (
    NEARBY,
    PAIRS,
    ROWS,
    TIGHT,
    avoid,
    gather,
    keep_close,
    keep_off,
    kept_apart,
    load,
    total_force,
    whole_lanes,
)
from footway.crowd.kernels.tracks import FLOOR, fall_back, follow_on, holds
from footway.crowd.kernels.walls import beside_wall
from footway.crowd.state import (
    AIM_X,
    AIM_Y,
    ARRIVED,
    AT,
    BEGIN,
    FINAL,
    GOAL_AHEAD,
    GOAL_X,
    GOAL_Y,
    GROUP,
    GUIDED,
    HALF,
    ID,
    IDLE,
    LANE,
    LEFT,
    MODE,
    NO_SIGHT,
    NOISE,
    RADIUS,
    REACH,
    ROOM,
    SIGHT,
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
from footway.follow.kernels.forces import coherent_noise

RELAXATION = 0.5  # s, relaxation time toward the preferred velocity (Helbing and Molnar)
LOST = 1.5  # m outside its ball, at which a character requests a new path
TIRED = 40  # steps without progress, after which it requests a new path
WATCH = 8  # steps between two checks of the progress of a character
WAVE = 8.0  # m, wavelength of the coherent noise
BATCH = 24  # characters whose pairs are processed together
AHEAD = 8  # characters by which memory is prefetched ahead
HOLD = 1.0  # m/s2: a smaller F_c does not move standing characters

NOTHING, WANTS_GOAL, WANTS_WAY = 0, 1, 2

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


@inner
def _aim(k, x, y, r, done, caps, state, tracks):
    """Return the point to walk to: (x, y, R there, share of its speed).

    Members of a group stay within the ball of alpha_max. In its front half they slow down, to 0 at
    its boundary, so that all walk at the pace of the last. If they stopped until the last has
    caught up, they would block it and the group would creep.
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
def _sees_goal(k, at, x, y, r, state, balls):
    """Return whether the ball of the attraction point contains a character and its goal.

    The space between is free then, and the character does not follow the backbone past its goal.
    """
    if state.track[k, LEFT] < 0 or state.track[k, GROUP] >= 0:
        return False
    goal_x, goal_y = state.place[k, GOAL_X], state.place[k, GOAL_Y]
    return holds(at, goal_x, goal_y, r, balls) and holds(at, x, y, r, balls)


@inner
def _habits(k, ex, ey, d, R, aim_x, aim_y, seed, state):
    """Return the unit vector of F_a + F_perp + F_rand, where F_a = e.

    Blocked characters keep no lane: people wait all around a door, not only on its right.
    """
    lane, noise, r = state.body[k, LANE], state.body[k, NOISE], state.body[k, RADIUS]
    fx, fy = ex, ey
    if lane != 0.0 and 2.0 * r < R:
        vx, vy, speed = state.body[k, VX], state.body[k, VY], state.body[k, SPEED]
        lane *= min(_ONE, (vx * vx + vy * vy) / (speed * speed))
        c = lane * (R - 2.0 * r) / max(d, 0.5 * (R - r))
        fx, fy = fx - c * ey, fy + c * ex
    if noise != 0.0:
        own = seed + state.track[k, ID]
        theta = 0.5 * math.pi * coherent_noise(own, aim_x / WAVE, aim_y / WAVE)
        sine, cosine = sincos(theta)
        along, across = noise * cosine, noise * sine
        fx, fy = fx + along * ex - across * ey, fy + along * ey + across * ex
    scale = 1.0 / math.sqrt(fx * fx + fy * fy)
    return fx * scale, fy * scale


@inner
def _toward(k, x, y, ax, ay, R, share, done, ask, seed, state):
    """Return direction and speed toward an attraction point, which is the goal if `done`."""
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
    if not done:  # with the goal in sight, walk straight to it: a lane would lead around it
        ex, ey = _habits(k, ex, ey, d, R, ax, ay, seed, state)
    return ex, ey, speed, ask


@inner(inline=False)
def _guided(k, seed, state, marks, notes):
    """Like `_wanted`, for a character on a route over terrain; it keeps no lane."""
    row, x, y = state.track[k, FINAL], state.place[k, X], state.place[k, Y]
    ask = WANTS_WAY if notes[row, SIGHT] == NO_SIGHT else NOTHING
    if notes[row, SIGHT] == GOAL_AHEAD:
        ax, ay = state.place[k, GOAL_X], state.place[k, GOAL_Y]
        return _toward(k, x, y, ax, ay, 0.0, 1.0, True, ask, seed, state)
    ax, ay = marks[row, AIM_X], marks[row, AIM_Y]
    return _toward(k, x, y, ax, ay, 0.0, 1.0, False, ask, seed, state)


@inner
def _wanted(k, step, seed, caps, state, pool, tracks, graph, guides):
    """Return the preferred direction and speed, and the request: (ex, ey, speed, ask)."""
    mode = state.track[k, MODE]
    if mode == WAITING and step >= state.story[k, BEGIN]:
        mode = WALKING if state.track[k, HALF] >= 0 else ARRIVED  # its path is requested already
        state.track[k, MODE] = mode
        state.story[k, SINCE] = step
    vx, vy = float(state.body[k, VX]), float(state.body[k, VY])
    if mode != WALKING:
        pace = math.sqrt(vx * vx + vy * vy)
        if pace < 1e-6:
            return 1.0, 0.0, 0.0, NOTHING
        return vx / pace, vy / pace, 0.0, NOTHING
    if state.track[k, LEFT] == GUIDED:
        return _guided(k, seed, state, guides.marks, guides.notes)
    x, y, r = state.place[k, X], state.place[k, Y], float(state.body[k, RADIUS])
    done = follow_on(k, x, y, r, step, seed, state, pool, tracks, graph)
    ask = NOTHING
    at = state.track[k, AT]
    if not done and not holds(at, x, y, r, tracks.balls):
        dx, dy = x - tracks.balls[at, 0], y - tracks.balls[at, 1]
        out = math.sqrt(dx * dx + dy * dy) - tracks.balls[at, 2]
        if not fall_back(k, x, y, r, state, tracks) and out > LOST:
            ask = WANTS_WAY
    done = done or _sees_goal(k, at, x, y, r, state, tracks.balls)
    ax, ay, R, share = _aim(k, x, y, r, done, caps, state, tracks)
    return _toward(k, x, y, ax, ay, R, share, done, ask, seed, state)


@inner
def _pair_up(row, cell, ex, ey, model, columns, offsets, bodies, near, used, pairs):
    """Append the pairs with all neighbours in the nine cells; return the new count."""
    x, y, r = bodies[row, 0], bodies[row, 1], bodies[row, 4]
    count = 0
    for line in range(-1, 2):  # three adjacent cells are consecutive rows
        middle = cell + line * columns
        first, last = offsets[middle - 1], offsets[middle + 2]
        while first < last and count < NEARBY:
            end = min(last, first + NEARBY - count)
            count = gather(x, y, r, row, first, end, count, bodies, near)
            first = end
    return load(row, ex, ey, model, count, bodies, bodies, near, used, pairs)


@inner(inline=False)
def _blocked(row, cell, ex, ey, model, bodies, blocks, near, pairs, held, tight):
    """Return F_c of dynamic obstacles (m/s2), and the new count of `tight`."""
    count = min(NEARBY, blocks.offsets[cell + 1] - blocks.offsets[cell])
    for m in range(count):
        near[m] = blocks.rows[blocks.offsets[cell] + m]
    load(row, ex, ey, model, count, bodies, blocks.discs, near, 0, pairs)
    avoid(whole_lanes(count, pairs), pairs)
    fx, fy = total_force(0, count, pairs)
    return fx, fy, keep_off(count, near, blocks.discs, pairs, held, tight)


@inner
def _watch(k, step, speed, state):
    """Count steps without progress; return whether a new path is to be requested."""
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
    """Limit a velocity to a speed."""
    pace = math.sqrt(vx * vx + vy * vy)
    if pace > top:
        vx, vy = vx * top / pace, vy * top / pace
    return vx, vy


@inner
def _move(k, vx, vy, dt, grid, state):
    """Move a character, guarded against walls."""
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
    """Return the last cell that begins at or before a row."""
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
    pool, tracks, index, guides, asks,
):  # fmt: skip
    """Move the characters of the rows first to end - 1; return the number of requests.

    `asks` (n, 2) are the requests: id and kind. `own` (n, 2) are accelerations of user functions,
    by slot, or empty. `model` (3,) is the factor of the own velocity in F_c, the look-ahead time,
    s, and the gap, m, below which characters may touch in a step.
    """
    near, tight = np.empty(NEARBY + 1, np.int64), np.empty((4, TIGHT), np.float32)
    pairs, others = np.empty((ROWS, PAIRS), np.float32), np.empty((ROWS, PAIRS), np.float32)
    wishes, marks = np.empty((BATCH, 3)), np.empty((BATCH, 3), np.int64)
    count, row, cell = 0, first, _cell_of_row(first, offsets)
    graph, grid = index.graph, index.grid  # once, since each access counts references
    while row < end:
        upto, cell = _look(
            row, end, cell, step, seed, model, columns, offsets, bodies, slots, caps, state, pool,
            tracks, graph, guides, near, pairs, wishes, marks,
        )  # fmt: skip
        count = _go(
            row, upto, step, dt, model, bodies, slots, blocks, own, state, grid, near, pairs,
            others, tight, wishes, marks, count, asks,
        )  # fmt: skip
        row = upto
    return count


@inner
def _look(
    first, end, cell, step, seed, model, columns, offsets, bodies, slots, caps, state, pool, tracks,
    graph, guides, near, pairs, wishes, marks,
):  # fmt: skip
    """Compute preferred velocities and pair forces of a batch; return the next row and cell.

    `wishes` (b, 3): preferred direction and speed; `marks` (b, 3): request, end of the character's
    pairs and its cell.
    """
    row, used = first, 0
    while row < end and row < first + BATCH and used + NEARBY < PAIRS:
        while offsets[cell + 1] <= row:
            cell += 1
        later = slots[min(row + 2 * AHEAD, end - 1)]
        prefetch(state.track, later)
        prefetch(state.place, later)
        prefetch(state.body, later)
        prefetch(tracks.balls, state.track[slots[min(row + AHEAD, end - 1)], AT])
        ex, ey, speed, ask = _wanted(
            slots[row], step, seed, caps, state, pool, tracks, graph, guides
        )
        used = _pair_up(
            row, cell, np.float32(ex), np.float32(ey), model, columns, offsets, bodies, near, used,
            pairs,
        )  # fmt: skip
        b = row - first
        wishes[b, 0], wishes[b, 1], wishes[b, 2] = ex, ey, speed
        marks[b, 0], marks[b, 1], marks[b, 2] = ask, used, cell
        row += 1
    avoid(whole_lanes(used, pairs), pairs)
    return row, cell


@inner
def _go(
    first, end, step, dt, model, bodies, slots, blocks, own, state, grid, near, pairs, others,
    tight, wishes, marks, count, asks,
):  # fmt: skip
    """Compute velocities and move a batch; return the number of requests."""
    used = 0
    for b in range(end - first):
        row, k = first + b, slots[first + b]
        ex, ey, speed = wishes[b, 0], wishes[b, 1], wishes[b, 2]
        ask, upto, cell = marks[b, 0], marks[b, 1], marks[b, 2]
        fx, fy = total_force(used, upto, pairs)
        held = keep_close(model[2], used, upto, pairs, 0, tight)
        used = upto
        if speed == 0.0 and fx * fx + fy * fy < HOLD * HOLD:
            fx, fy = _ZERO, _ZERO  # characters that are only near do not move standing ones
        ax = (speed * ex - state.body[k, VX]) / RELAXATION + fx
        ay = (speed * ey - state.body[k, VY]) / RELAXATION + fy
        if len(own) > 0:
            ax, ay = ax + own[k, 0], ay + own[k, 1]
        if len(blocks.discs) > 0:
            fx, fy, held = _blocked(
                row, cell, np.float32(ex), np.float32(ey), model, bodies, blocks, near, others,
                held, tight,
            )  # fmt: skip
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
