"""Move the characters of some cells: F = F_a + F_c + F_perp (cmm-crowds-2008, section 5.1).

    attraction point --> preferred velocity --> F_c of the neighbours --> velocity --> guards

Forces are gathered from the bodies before the step, each character writes only its own rows, and
random numbers come from counters. So the result does not depend on the order of the cells or on
the number of threads.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from footway._numba.jit import inner, kernel, prefetch
from footway._numba.math import sincos
from footway.crowd.kernels import layouts as col
from footway.crowd.kernels.attraction import advance, contains, move_back
from footway.crowd.kernels.cells import cell_of_row
from footway.crowd.kernels.floors import (
    gather_obstacles,
    gather_through_portals,
    is_goal_straight_ahead,
    speed_on_slope,
)
from footway.crowd.kernels.guard import (
    LIMITS,
    SLACK,
    TIGHT,
    at_most,
    describe_pairs,
    evade_pairs,
    keep_limits,
    keep_pairs_apart,
    limit_pairs,
    limit_to_characters,
    limit_to_obstacles,
    limit_to_wall,
    limit_turn,
    measure_crowding,
    move,
    safe_share,
    sidestep,
    step_back,
)
from footway.crowd.kernels.look_ahead import look_ahead
from footway.crowd.kernels.pairs import (
    CONTACT,
    DX,
    DY,
    GAP,
    NEARBY,
    NORMAL_X,
    NORMAL_Y,
    OTHER_VX,
    OTHER_VY,
    PAIR_ROWS,
    PAIRS,
    Own,
    gather,
    load,
    total_force,
)
from footway.crowd.models import (
    FORCE_MODELS,
    GIVEN_FORCE,
    GIVEN_VELOCITY,
    SCRATCH,
    choose_velocity,
    prepare_pairs,
    repulsion_of_obstacles,
)
from footway.follow.kernels.forces import NEAREST, coherent_noise

RELAXATION = 0.5  # s, relaxation time toward the preferred velocity (Helbing and Molnar)
LOST = 1.5  # m outside its ball, at which a character requests a new path
WAVE = 8.0  # m, wavelength of the coherent noise
BATCH = 24  # characters whose pairs are processed together
AHEAD = 8  # characters by which memory is prefetched ahead
HOLD = 1.0  # m/s2: a smaller F_c does not move standing characters
ASIDE = 0.7  # greatest speed aside in a crowd, as a share of that ahead; found by trying doors
PATIENCE = 3.0  # s without progress, after which this limit rises
IMPATIENCE = 0.2  # m/s2, by which it rises
RETURN = 0.5  # s, in which standing characters that were pushed away return

NO_REQUEST, REQUEST_GOAL, REQUEST_PATH = range(3)

# Columns of `Workspace.preferred`: direction and speed, m/s.
DIRECTION_X, DIRECTION_Y, PACE = range(3)
# Columns of `Workspace.marks`: request, end of the character's pairs with characters and with
# obstacles, which follow.
REQUEST, CHARACTERS_END, PAIRS_END = range(3)
# Rows of the result of `inspect_forces`.
STEERING, AVOIDANCE, OBSTACLES, USER, GUARD = range(5)

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


class Workspace(NamedTuple):
    """Arrays of one thread for a batch of characters."""

    near: Any  # (NEARBY + 1,) rows of the neighbours of one character
    pairs: Any  # (PAIR_ROWS, PAIRS) of all characters of the batch
    limits: Any  # (4, LIMITS) of one character
    scratch: Any  # SCRATCH, of the local model
    preferred: Any  # (BATCH, 3)
    marks: Any  # (BATCH, 3)


@inner
def _attraction_point(k, x, y, r, ends, world, state):
    """Return the point to walk to: (x, y, R there, share of its speed); the goal if `ends`.

    The attraction points of a group do not pass alpha_max: who is ahead of its centre waits. In a
    building, who is not on its floor waits, too: a straight line does not lead there.
    """
    balls, at, group = world.tracks.balls, state.cursor[k, col.AT], state.cursor[k, col.GROUP]
    if group >= 0 and at > world.front_limits[group] >= 0:
        limit, share = world.front_limits[group], 1.0
        sheet = state.sheet[k, col.SHEET]
        if sheet > 0 and world.tracks.sheets[limit] != sheet:
            return balls[at, col.BALL_X], balls[at, col.BALL_Y], balls[at, col.BALL_RADIUS], 0.0
        limit_x, limit_y = balls[limit, col.BALL_X], balls[limit, col.BALL_Y]
        if contains(limit, x, y, r, balls):
            ux, uy = balls[at, col.BALL_X] - limit_x, balls[at, col.BALL_Y] - limit_y
            share = 0.0 if (x - limit_x) * ux + (y - limit_y) * uy >= 0.0 else 1.0
        return limit_x, limit_y, balls[limit, col.BALL_RADIUS], share
    ax, ay = balls[at, col.BALL_X], balls[at, col.BALL_Y]
    if ends:
        ax, ay = state.place[k, col.GOAL_X], state.place[k, col.GOAL_Y]
    return ax, ay, balls[at, col.BALL_RADIUS], 1.0


@inner
def _sees_goal(k, at, x, y, r, state, balls, grid):
    """Return whether the ball of the attraction point contains a character and its goal.

    The space between is free then, and the character does not follow the backbone past its goal.
    """
    if state.cursor[k, col.FOLLOWS] != col.ON_PATH or state.cursor[k, col.GROUP] >= 0:
        return False
    goal_x, goal_y = state.place[k, col.GOAL_X], state.place[k, col.GOAL_Y]
    return (
        contains(at, goal_x, goal_y, r, balls)
        and contains(at, x, y, r, balls)
        and is_goal_straight_ahead(k, x, y, state, grid)
    )


@inner
def _add_lane_and_noise(k, ex, ey, d, R, ax, ay, seed, state):
    """Return the unit vector of F_a + F_perp + F_rand, where F_a = e.

    Blocked characters keep no lane: people wait all around a door, not only on its right.
    """
    lane, noise, r = state.body[k, col.LANE], state.body[k, col.NOISE], state.body[k, col.RADIUS]
    fx, fy = ex, ey
    if lane != 0.0 and 2.0 * r < R:
        vx, vy, speed = state.body[k, col.VX], state.body[k, col.VY], state.body[k, col.SPEED]
        lane *= min(_ONE, (vx * vx + vy * vy) / (speed * speed))
        c = lane * (R - 2.0 * r) / max(d, 0.5 * (R - r))
        fx, fy = fx - c * ey, fy + c * ex
    if noise != 0.0:
        own_seed = seed + state.cursor[k, col.ID]
        theta = 0.5 * math.pi * coherent_noise(own_seed, ax / WAVE, ay / WAVE)
        sine, cosine = sincos(theta)
        along, across = noise * cosine, noise * sine
        fx, fy = fx + along * ex - across * ey, fy + along * ey + across * ex
    scale = 1.0 / math.sqrt(fx * fx + fy * fy)
    return fx * scale, fy * scale


@inner
def _walk_to(k, x, y, ax, ay, R, share, ends, request, seed, state, grid):
    """Return direction and speed toward an attraction point, which is the goal if `ends`."""
    dx, dy = ax - x, ay - y
    d = math.sqrt(dx * dx + dy * dy)
    if ends and d < state.body[k, col.REACH] and share == 1.0:
        if not is_goal_straight_ahead(k, x, y, state, grid):
            return 1.0, 0.0, 0.0, REQUEST_PATH  # it is on another floor
        state.cursor[k, col.MODE] = col.ARRIVED
        state.progress[k, col.X], state.progress[k, col.Y] = x, y
        return 1.0, 0.0, 0.0, REQUEST_GOAL
    if d < 1e-9:
        return 1.0, 0.0, 0.0, request
    per_d = 1.0 / d
    ex, ey, speed = dx * per_d, dy * per_d, share * float(state.body[k, col.SPEED])
    if ends:
        speed = min(speed, 2.0 * d)
    if not ends:  # with the goal in sight, walk straight to it: a lane would lead around it
        ex, ey = _add_lane_and_noise(k, ex, ey, d, R, ax, ay, seed, state)
    return ex, ey, speed, request


@inner
def _add_boundary_force(ex, ey, bx, by):
    """Return the unit vector of F_s + F_b, where F_s = e (miran-2013, section 3.4).

    Half of F_s always leads to the attraction point, so that F_b holds nobody before a narrow door.
    """
    back = max(0.0, -0.5 - (bx * ex + by * ey))
    fx, fy = ex + bx + back * ex, ey + by + back * ey
    scale = 1.0 / math.sqrt(fx * fx + fy * fy)
    return fx * scale, fy * scale


@inner(inline=False)
def _walk_along_route(k, seed, state, guide_progress, guide_facts, grid):
    """Like `_preferred_velocity`, for a character on a route over terrain; it keeps no lane."""
    row, x, y = state.cursor[k, col.GUIDE], state.place[k, col.X], state.place[k, col.Y]
    visibility = guide_facts[row, col.VISIBILITY]
    request = REQUEST_PATH if visibility == col.NOTHING_VISIBLE else NO_REQUEST
    ends = visibility == col.GOAL_VISIBLE
    ax, ay = guide_progress[row, col.TARGET_X], guide_progress[row, col.TARGET_Y]
    if ends:
        ax, ay = state.place[k, col.GOAL_X], state.place[k, col.GOAL_Y]
    ex, ey, speed, request = _walk_to(k, x, y, ax, ay, 0.0, 1.0, ends, request, seed, state, grid)
    bx, by = guide_progress[row, col.PUSH_X], guide_progress[row, col.PUSH_Y]
    if bx != 0.0 or by != 0.0:
        ex, ey = _add_boundary_force(ex, ey, bx, by)
    return ex, ey, speed, request


@inner
def _stand(k, vx, vy, state):
    """Like `_preferred_velocity`, for a character that stands: back to where it was pushed from."""
    dx = state.progress[k, col.X] - state.place[k, col.X]
    dy = state.progress[k, col.Y] - state.place[k, col.Y]
    away, pace = math.sqrt(dx * dx + dy * dy), math.sqrt(vx * vx + vy * vy)
    if away > 1e-3:
        speed = min(away / RETURN, 0.5 * float(state.body[k, col.SPEED]))
        return dx / away, dy / away, speed, NO_REQUEST
    if pace < 1e-6:
        return 1.0, 0.0, 0.0, NO_REQUEST
    return vx / pace, vy / pace, 0.0, NO_REQUEST


@inner
def _preferred_velocity(k, world, state):
    """Return the preferred direction and speed, and the request: (ex, ey, speed, request)."""
    mode = state.cursor[k, col.MODE]
    if mode == col.WAITING and world.step >= state.journey[k, col.FIRST_STEP]:
        has_path = state.cursor[k, col.HALF] >= 0
        mode = col.WALKING if has_path else col.ARRIVED  # a path is requested already
        state.cursor[k, col.MODE] = mode
        state.journey[k, col.SINCE] = world.step
    vx, vy = float(state.body[k, col.VX]), float(state.body[k, col.VY])
    if mode != col.WALKING:
        return _stand(k, vx, vy, state)
    if state.cursor[k, col.FOLLOWS] == col.ON_ROUTE:
        return _walk_along_route(
            k, world.seed, state, world.guides.progress, world.guides.facts, world.grid
        )
    x, y, r = state.place[k, col.X], state.place[k, col.Y], float(state.body[k, col.RADIUS])
    tracks, balls = world.tracks, world.tracks.balls
    ends = advance(
        k, x, y, r, world.step, world.seed, state, world.path_halves, tracks, world.graph
    )
    request = NO_REQUEST
    at = state.cursor[k, col.AT]
    if not ends and not contains(at, x, y, r, balls):
        dx, dy = x - balls[at, col.BALL_X], y - balls[at, col.BALL_Y]
        outside = math.sqrt(dx * dx + dy * dy) - balls[at, col.BALL_RADIUS]
        if not move_back(k, x, y, r, state, tracks):
            sheet = state.sheet[k, col.SHEET]  # beside stairs, a wall is between
            is_beside = sheet > 0 and sheet != tracks.sheets[state.cursor[k, col.AT]]
            request = REQUEST_PATH if outside > LOST or is_beside else request
    sees_goal = _sees_goal(k, state.cursor[k, col.AT], x, y, r, state, balls, world.grid)
    is_alone, looks_ahead = state.cursor[k, col.GROUP] < 0, state.body[k, col.SHORTCUT] > 0.0
    if is_alone and looks_ahead and not sees_goal:
        if state.body[k, col.LOOK] <= 0.0:
            look_ahead(k, x, y, r, state, world.path_halves, tracks)
        ax, ay = state.place[k, col.AIM_X], state.place[k, col.AIM_Y]
        ends = ax == state.place[k, col.GOAL_X] and ay == state.place[k, col.GOAL_Y]
        return _walk_to(k, x, y, ax, ay, 0.0, 1.0, ends, request, world.seed, state, world.grid)
    ends = ends or sees_goal
    ax, ay, R, share = _attraction_point(k, x, y, r, ends, world, state)
    return _walk_to(k, x, y, ax, ay, R, share, ends, request, world.seed, state, world.grid)


@inner
def pair_up(row, cell, ex, ey, cells, grid, near, used, pairs):
    """Append the pairs with all neighbours in the nine cells; return the new count.

    In a building, also with those in cells that are joined through portals.
    """
    bodies = cells.bodies
    x, y, r = bodies[row, col.BODY_X], bodies[row, col.BODY_Y], bodies[row, col.BODY_RADIUS]
    count = 0
    for line in range(-1, 2):  # three adjacent cells are consecutive rows
        middle = cell + line * cells.columns
        first, last = cells.offsets[middle - 1], cells.offsets[middle + 2]
        while first < last and count < NEARBY:
            end = min(last, first + NEARBY - count)
            count = gather(x, y, r, row, first, end, count, bodies, near)
            first = end
    if len(cells.joined.cells) > 0:
        count = gather_through_portals(row, cell, count, cells, grid, near)
    return load(row, ex, ey, count, bodies, bodies, near, used, pairs)


@inner(inline=False)
def _pair_up_obstacles(row, cell, ex, ey, cells, obstacles, grid, near, used, pairs):
    """Append the pairs with the dynamic obstacles of a cell; return the new count."""
    if len(obstacles.sheets) > 0:
        n = gather_obstacles(row, cell, cells, obstacles, grid, near)
    else:
        n = min(NEARBY, obstacles.offsets[cell + 1] - obstacles.offsets[cell])
        for m in range(n):
            near[m] = obstacles.rows[obstacles.offsets[cell] + m]
    return load(row, ex, ey, n, cells.bodies, obstacles.discs, near, used, pairs)


@inner
def _pair_up_all(b, row, cell, used, world, workspace):
    """Append the pairs with characters and obstacles; return the new count."""
    preferred, near, pairs = workspace.preferred, workspace.near, workspace.pairs
    ex, ey = np.float32(preferred[b, DIRECTION_X]), np.float32(preferred[b, DIRECTION_Y])
    used = pair_up(row, cell, ex, ey, world.cells, world.grid, near, used, pairs)
    workspace.marks[b, CHARACTERS_END] = used
    if world.obstacles.n > 0:
        used = _pair_up_obstacles(
            row, cell, ex, ey, world.cells, world.obstacles, world.grid, near, used, pairs
        )
    workspace.marks[b, PAIRS_END] = used
    return used


@inner
def _prepare_batch(first, end, cell, world, state, workspace):
    """Compute preferred velocities and pairs of a batch; return the next row and cell."""
    slots, offsets = world.cells.slots, world.cells.offsets
    preferred, marks = workspace.preferred, workspace.marks
    row, used = first, 0
    while row < end and row < first + BATCH and used + 2 * NEARBY < PAIRS:
        while offsets[cell + 1] <= row:
            cell += 1
        later = slots[min(row + 2 * AHEAD, end - 1)]
        prefetch(state.cursor, later)
        prefetch(state.place, later)
        prefetch(state.body, later)
        soon = slots[min(row + AHEAD, end - 1)]
        prefetch(world.tracks.balls, state.cursor[soon, col.AT])
        if state.body[soon, col.LOOK] <= 0.0:
            prefetch(world.tracks.sides, state.cursor[soon, col.AT])
        ex, ey, speed, request = _preferred_velocity(slots[row], world, state)
        if len(world.slopes) > 0:
            ex, ey, speed = speed_on_slope(slots[row], ex, ey, speed, world.slopes, state)
        b = row - first
        preferred[b, DIRECTION_X], preferred[b, DIRECTION_Y], preferred[b, PACE] = ex, ey, speed
        k = slots[row]
        state.body[k, col.HEADING_X], state.body[k, col.HEADING_Y] = ex, ey
        marks[b, REQUEST] = request
        used = _pair_up_all(b, row, cell, used, world, workspace)
        row += 1
    _prepare_pairs(first, row, used, world, state, workspace)
    return row, cell


@inner
def _prepare_pairs(first, end, used, world, state, workspace):
    """Compute forces and limits of the pairs of a batch."""
    pairs, marks, headway = workspace.pairs, workspace.marks, world.motion.headway
    dt = np.float32(world.dt)
    n = prepare_pairs(used, world.avoidance, pairs)
    if headway.time == _ZERO:
        keep_pairs_apart(n, dt, pairs)
        return
    measure_crowding(n, pairs)
    pair = 0
    for b in range(end - first):
        k, at = world.cells.slots[first + b], -1
        if workspace.preferred[b, PACE] > 0.0 and state.cursor[k, col.FOLLOWS] != col.ON_ROUTE:
            at = state.cursor[k, col.AT]
        speed, last = state.body[k, col.SPEED], marks[b, CHARACTERS_END]
        describe_pairs(first + b, speed, at, pair, last, world, pairs)
        pair = marks[b, PAIRS_END]
    limit_pairs(n, dt, world.avoidance.close, headway, pairs)
    evade_pairs(n, pairs)


@inner
def _steering(b, k, state, workspace):
    """Return the acceleration toward the preferred velocity: F_a with F_perp and F_rand. m/s2."""
    preferred = workspace.preferred
    speed = preferred[b, PACE]
    ax = (speed * preferred[b, DIRECTION_X] - state.body[k, col.VX]) / RELAXATION
    ay = (speed * preferred[b, DIRECTION_Y] - state.body[k, col.VY]) / RELAXATION
    return ax, ay


@inner(inline=False)
def _repulsion(k, strength, first, end, world, state, pairs):
    """Return the sum of F_i: k / (d_i - r_i - r) away from each obstacle. m/s2.

    As published (cmm-2007, adding forces), only of those in the ball of the attraction point; on a
    route, which has none, of all (F_o of miran-2013). A force of 1 is that of the preferred
    velocity, as of a single walk.
    """
    x, y, r = state.place[k, col.X], state.place[k, col.Y], state.body[k, col.RADIUS]
    balls, at = world.tracks.balls, state.cursor[k, col.AT]
    is_anywhere = state.cursor[k, col.FOLLOWS] == col.ON_ROUTE
    unit = float(strength * state.body[k, col.SPEED]) / RELAXATION
    fx, fy = 0.0, 0.0
    for m in range(first, end):
        dx = x - pairs[DX, m] - balls[at, col.BALL_X]
        dy = y - pairs[DY, m] - balls[at, col.BALL_Y]
        reach = balls[at, col.BALL_RADIUS] + pairs[CONTACT, m] - r
        if is_anywhere or dx * dx + dy * dy < reach * reach:
            f = unit / max(pairs[GAP, m], NEAREST)
            fx, fy = fx + f * pairs[NORMAL_X, m], fy + f * pairs[NORMAL_Y, m]
    return fx, fy


@inner
def _avoid(b, k, first, world, state, workspace):
    """Return what the local model adds to the steering: because of characters and of obstacles.

    Four numbers, m/s2. Models that choose a velocity do not separate the two. Also whether the
    character walks in a crowd that walks its way.
    """
    is_along = False
    model, pairs, preferred = world.avoidance, workspace.pairs, workspace.preferred
    middle, end = workspace.marks[b, CHARACTERS_END], workspace.marks[b, PAIRS_END]
    if model.number == GIVEN_FORCE:
        return float(model.given[k, 0]), float(model.given[k, 1]), 0.0, 0.0, is_along
    if 0 <= model.number < FORCE_MODELS:
        fx, fy = total_force(first, middle, pairs)
        if preferred[b, PACE] == 0.0 and fx * fx + fy * fy < HOLD * HOLD:
            fx, fy = _ZERO, _ZERO  # characters that are only near do not move standing ones
        elif preferred[b, PACE] > 0.0 and world.motion.headway.time > _ZERO:
            left, is_along = sidestep(state.cursor[k, col.ID], first, middle, world, pairs)
            fx -= left * np.float32(preferred[b, DIRECTION_Y])
            fy += left * np.float32(preferred[b, DIRECTION_X])
        strength = repulsion_of_obstacles(model)
        if strength > _ZERO and middle < end:
            gx, gy = _repulsion(k, strength, middle, end, world, state, pairs)
            return float(fx), float(fy), gx, gy, is_along
        gx, gy = total_force(middle, end, pairs)
        return float(fx), float(fy), float(gx), float(gy), is_along
    body = state.body
    own = Own(
        preferred[b, DIRECTION_X], preferred[b, DIRECTION_Y], preferred[b, PACE],
        float(body[k, col.VX]), float(body[k, col.VY]), float(body[k, col.SPEED]),
        float(body[k, col.RADIUS]), world.dt, RELAXATION,
    )  # fmt: skip
    if model.number == GIVEN_VELOCITY:
        vx, vy = float(model.given[k, 0]), float(model.given[k, 1])
    else:
        vx, vy = choose_velocity(first, middle, end, own, model, pairs, workspace.scratch)
    ax, ay = _steering(b, k, state, workspace)
    per_dt = 1.0 / (own.dt * world.motion.gain)
    return (vx - own.vx) * per_dt - ax, (vy - own.vy) * per_dt - ay, 0.0, 0.0, is_along


@inner
def _find_limits(b, first, world, workspace):
    """Write the limits to the velocity because of close characters and obstacles.

    Returns their number, and the greatest speed in the preferred direction, m/s.
    """
    middle, end = workspace.marks[b, CHARACTERS_END], workspace.marks[b, PAIRS_END]
    pairs, limits = workspace.pairs, workspace.limits
    count, most = limit_to_characters(world.avoidance.close, first, middle, pairs, limits)
    return limit_to_obstacles(middle, end, pairs, world.dt, count, limits), most


@inner
def _limit_aside(k, vx, vy, ex, ey, most, world, state):
    """Limit the speed aside to a share of the greatest speed ahead: people queue, and do not mill.

    Who makes no progress for some time may move aside faster and faster, around those who stand.
    """
    aside, bound = vy * ex - vx * ey, ASIDE * max(0.0, most)
    if abs(aside) > bound:
        idle = world.dt * (world.step - state.journey[k, col.SINCE])
        bound += IMPATIENCE * max(0.0, idle - PATIENCE)
        over = aside - min(bound, max(-bound, aside))
        vx, vy = vx + over * ey, vy - over * ex
    return vx, vy


@inner
def _apply(b, k, ax, ay, most, is_along, count, world, state, workspace):
    """Change the velocity by an acceleration, within the limits, and move.

    `most` is the greatest speed in the preferred direction, `count` the number of other limits. In
    a crowd that walks its way (`is_along`) the speed aside is limited, too.
    """
    dt, motion, limits = world.dt, world.motion, workspace.limits
    old_vx, old_vy = float(state.body[k, col.VX]), float(state.body[k, col.VY])
    vx, vy = old_vx + ax * dt, old_vy + ay * dt
    vx, vy = at_most(vx, vy, float(state.body[k, col.SPEED]))
    ex, ey = workspace.preferred[b, DIRECTION_X], workspace.preferred[b, DIRECTION_Y]
    excess = vx * ex + vy * ey - most
    if excess > 0.0:
        vx, vy = vx - excess * ex, vy - excess * ey
    if is_along and state.cursor[k, col.GROUP] < 0:  # a group gathers around its goal
        vx, vy = _limit_aside(k, vx, vy, ex, ey, most, world, state)
    if count > 0:
        x, y, r = state.place[k, col.X], state.place[k, col.Y], float(state.body[k, col.RADIUS])
        if state.body[k, col.WALL_BUDGET] < math.sqrt(vx * vx + vy * vy) * dt:
            layer = state.sheet[k, col.SHEET] - 1
            count = limit_to_wall(x, y, r, dt, count, layer, world.grid, limits)
        vx, vy = keep_limits(vx, vy, count, limits)
    vx, vy = limit_turn(vx, vy, old_vx, old_vy, motion)
    if count > 0:
        share = safe_share(vx, vy, count, limits)
        if share < 1.0 and share * math.sqrt(vx * vx + vy * vy) < TIGHT:
            least = -TIGHT if motion.headway.time > _ZERO else SLACK
            vx, vy = step_back(vx, vy, least, count, limits)
            vx, vy = at_most(vx, vy, motion.side_step)
            share = safe_share(vx, vy, count, limits)
        vx, vy = share * vx, share * vy
    move(k, vx, vy, count, dt, motion, world.grid, world.slopes, state, limits)


@inner
def _makes_no_progress(k, step, speed, motion, state):
    """Update the clock of the last progress; return whether a new path is to be requested."""
    x, y, r = state.place[k, col.X], state.place[k, col.Y], state.body[k, col.RADIUS]
    dx, dy = x - state.progress[k, col.X], y - state.progress[k, col.Y]
    if state.cursor[k, col.MODE] != col.WALKING:
        state.journey[k, col.SINCE] = step
        return False
    if speed == 0.0 or dx * dx + dy * dy > r * r:
        state.progress[k, col.X], state.progress[k, col.Y] = x, y
        state.journey[k, col.SINCE] = step
        return False
    idle = step - state.journey[k, col.SINCE]
    return idle >= motion.tired and idle % motion.tired < motion.check


@inner
def _move_batch(first, end, world, state, workspace, n_requests, requests):
    """Compute velocities and move a batch; return the number of requests."""
    user_forces, gain = world.user_forces, world.motion.gain
    pair = 0
    for b in range(end - first):
        k = world.cells.slots[first + b]
        fx, fy, gx, gy, is_along = _avoid(b, k, pair, world, state, workspace)
        count, most = _find_limits(b, pair, world, workspace)
        pair = workspace.marks[b, PAIRS_END]
        ax, ay = _steering(b, k, state, workspace)
        ax, ay = ax + fx, ay + fy
        if user_forces.are_given:
            ux, uy = user_forces.by_slot[k, col.X], user_forces.by_slot[k, col.Y]
            ax, ay = ax + ux, ay + uy
            if (ux != _ZERO or uy != _ZERO) and state.cursor[k, col.MODE] != col.WALKING:
                state.progress[k, col.X] = state.place[k, col.X]  # it stays where it is moved to
                state.progress[k, col.Y] = state.place[k, col.Y]
        ax, ay = ax + gx, ay + gy
        _apply(b, k, gain * ax, gain * ay, most, is_along, count, world, state, workspace)
        request = workspace.marks[b, REQUEST]
        number, speed = state.cursor[k, col.ID], workspace.preferred[b, PACE]
        if (world.step + number) % world.motion.check == 0 and state.cursor[
            k, col.MODE
        ] != col.UNREACHABLE:
            is_tired = _makes_no_progress(k, world.step, speed, world.motion, state)
            request = REQUEST_PATH if is_tired and request == NO_REQUEST else request
        if request != NO_REQUEST:
            requests[n_requests, 0], requests[n_requests, 1] = number, request
            n_requests += 1
    return n_requests


@inner
def _move_rows(first, end, world, state, workspace, requests):
    n_requests, row, cell = 0, first, cell_of_row(first, world.cells.offsets)
    while row < end:
        after, cell = _prepare_batch(row, end, cell, world, state, workspace)
        n_requests = _move_batch(row, after, world, state, workspace, n_requests, requests)
        row = after
    return n_requests


@kernel
def move_cells(first, end, world, state, requests):
    """Move the characters of the rows first to end - 1 of the cells; return the number of requests.

    `requests` (n, 2) are the ids and kinds of the requests.
    """
    workspace = Workspace(
        np.empty(NEARBY + 1, np.int64), np.empty((PAIR_ROWS, PAIRS), np.float32),
        np.empty((4, LIMITS), np.float32), np.empty(SCRATCH), np.empty((BATCH, 3)),
        np.empty((BATCH, 3), np.int64),
    )  # fmt: skip
    return _move_rows(first, end, world, state, workspace, requests)


@kernel
def inspect_forces(row, world, state, forces):
    """Move one character by what a step uses, and write the forces (5, 2) on it, m/s2.

    `row` is that of the character in the cells; its slot there must be that in `state`, a copy.
    The last force is what the guards change: limits of speed, gaps and walls.
    """
    workspace = Workspace(
        np.empty(NEARBY + 1, np.int64), np.empty((PAIR_ROWS, PAIRS), np.float32),
        np.empty((4, LIMITS), np.float32), np.empty(SCRATCH), np.empty((BATCH, 3)),
        np.empty((BATCH, 3), np.int64),
    )  # fmt: skip
    _inspect(row, world, state, workspace, forces)


@inner
def _inspect(row, world, state, workspace, forces):
    k = world.cells.slots[row]
    vx, vy = float(state.body[k, col.VX]), float(state.body[k, col.VY])
    _prepare_batch(row, row + 1, cell_of_row(row, world.cells.offsets), world, state, workspace)
    gain = world.motion.gain
    fx, fy, gx, gy, is_along = _avoid(0, k, 0, world, state, workspace)
    count, most = _find_limits(0, 0, world, workspace)
    forces[AVOIDANCE, col.X], forces[AVOIDANCE, col.Y] = gain * fx, gain * fy
    forces[OBSTACLES, col.X], forces[OBSTACLES, col.Y] = gain * gx, gain * gy
    fx, fy = _steering(0, k, state, workspace)
    forces[STEERING, col.X], forces[STEERING, col.Y] = gain * fx, gain * fy
    if world.user_forces.are_given:
        forces[USER, col.X] = gain * world.user_forces.by_slot[k, col.X]
        forces[USER, col.Y] = gain * world.user_forces.by_slot[k, col.Y]
    ax, ay = 0.0, 0.0
    for f in range(GUARD):
        ax, ay = ax + forces[f, col.X], ay + forces[f, col.Y]
    _apply(0, k, ax, ay, most, is_along, count, world, state, workspace)
    forces[GUARD, col.X] = (state.body[k, col.VX] - vx) / world.dt - ax
    forces[GUARD, col.Y] = (state.body[k, col.VY] - vy) / world.dt - ay


# -- models of users -----------------------------------------------------------------------------

# Columns of `plans`: preferred direction and speed, request, cell of a row.
REQUESTED, AT_CELL = 3, 4
# Columns of `user_pairs`: offset from the other, gap, normal, velocity of the other, its row or -1.
(
    OFFSET_X, OFFSET_Y, PAIR_GAP, PAIR_NORMAL_X, PAIR_NORMAL_Y, THEIR_VX, THEIR_VY, THEIR_ROW,
) = range(8)  # fmt: skip


@kernel
def plan_rows(first, end, world, state, plans, counts):
    """Write the plans (n, 5) and the numbers of pairs (n,) of the rows first to end - 1."""
    workspace = Workspace(
        np.empty(NEARBY + 1, np.int64), np.empty((PAIR_ROWS, PAIRS), np.float32),
        np.empty((4, LIMITS), np.float32), np.empty(SCRATCH), np.empty((BATCH, 3)),
        np.empty((BATCH, 3), np.int64),
    )  # fmt: skip
    _plan_rows(first, end, world, state, workspace, plans, counts)


@inner
def _plan_rows(first, end, world, state, workspace, plans, counts):
    cell = cell_of_row(first, world.cells.offsets)
    for row in range(first, end):
        _, cell = _prepare_batch(row, row + 1, cell, world, state, workspace)
        for column in range(3):
            plans[row, column] = workspace.preferred[0, column]
        plans[row, REQUESTED], plans[row, AT_CELL] = workspace.marks[0, REQUEST], cell
        counts[row] = workspace.marks[0, PAIRS_END]


@inner
def _recall(b, row, plans, workspace):
    """Restore what was planned for a row."""
    for column in range(3):
        workspace.preferred[b, column] = plans[row, column]
    workspace.marks[b, REQUEST] = int(plans[row, REQUESTED])
    return int(plans[row, AT_CELL])


@kernel
def write_pairs(first, end, world, plans, offsets, user_pairs):
    """Write the pairs of the rows first to end - 1 for a model of the user; rows at `offsets`."""
    workspace = Workspace(
        np.empty(NEARBY + 1, np.int64), np.empty((PAIR_ROWS, PAIRS), np.float32),
        np.empty((4, LIMITS), np.float32), np.empty(SCRATCH), np.empty((BATCH, 3)),
        np.empty((BATCH, 3), np.int64),
    )  # fmt: skip
    _write_pairs(first, end, world, plans, offsets, user_pairs, workspace)


@inner
def _write_pairs(first, end, world, plans, offsets, user_pairs, workspace):
    pairs = workspace.pairs
    for row in range(first, end):
        cell = _recall(0, row, plans, workspace)
        used = pair_up(
            row, cell, np.float32(0.0), np.float32(0.0), world.cells, world.grid, workspace.near, 0,
            pairs,
        )  # fmt: skip
        for m in range(used):
            user_pairs[offsets[row] + m, THEIR_ROW] = workspace.near[m]
        end_of_pairs = _pair_up_all(0, row, cell, 0, world, workspace)
        for m in range(used, end_of_pairs):
            user_pairs[offsets[row] + m, THEIR_ROW] = -1.0
        prepare_pairs(end_of_pairs, world.avoidance, pairs)
        for m in range(end_of_pairs):
            to = offsets[row] + m
            user_pairs[to, OFFSET_X], user_pairs[to, OFFSET_Y] = pairs[DX, m], pairs[DY, m]
            user_pairs[to, PAIR_GAP] = pairs[GAP, m]
            user_pairs[to, PAIR_NORMAL_X] = pairs[NORMAL_X, m]
            user_pairs[to, PAIR_NORMAL_Y] = pairs[NORMAL_Y, m]
            user_pairs[to, THEIR_VX] = pairs[OTHER_VX, m]
            user_pairs[to, THEIR_VY] = pairs[OTHER_VY, m]


@kernel
def move_planned(first, end, world, state, plans, requests):
    """Do the same as `move_cells` for rows whose plans and results of a model are given."""
    workspace = Workspace(
        np.empty(NEARBY + 1, np.int64), np.empty((PAIR_ROWS, PAIRS), np.float32),
        np.empty((4, LIMITS), np.float32), np.empty(SCRATCH), np.empty((BATCH, 3)),
        np.empty((BATCH, 3), np.int64),
    )  # fmt: skip
    return _move_planned(first, end, world, state, plans, requests, workspace)


@inner
def _move_planned(first, end, world, state, plans, requests, workspace):
    n_requests = 0
    for row in range(first, end):
        cell = _recall(0, row, plans, workspace)
        used = _pair_up_all(0, row, cell, 0, world, workspace)
        _prepare_pairs(row, row + 1, used, world, state, workspace)
        n_requests = _move_batch(row, row + 1, world, state, workspace, n_requests, requests)
    return n_requests
