"""Limits to the velocity of a step: headway and turn rate, and the guards against discs and walls.

The headway is behaviour: people keep a distance that grows with their speed. The guards are
independent of it and of all forces. Two characters share the gap between them in a step, so they
never touch. For walls each character has a distance budget: the gap to the nearest
wall when it was last measured, minus the distance walked since. While it is positive, no wall can
be near and no query is needed. It is measured in 64 bits at the stored position.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner
from footway.corridor.kernels.surface import last_layer, layer_grid, surface_line
from footway.corridor.kernels.wall_grid import nearest_wall
from footway.crowd.kernels.floors import keep_off_doors, pass_portals
from footway.crowd.kernels.layouts import (
    BALL_RADIUS,
    LANE_THERE,
    LOOK,
    RADIUS,
    RANK,
    RANKED,
    SHEET,
    SPEED,
    VX,
    VY,
    WALL_BUDGET,
    X,
    Y,
)
from footway.crowd.kernels.pairs import (
    AHEAD,
    ANOTHER_WAY,
    APART,
    BESIDE,
    BOTH_ENDS,
    CONTACT,
    FASTEST,
    GAP,
    GREATEST,
    HEAD_ON,
    HEADING_X,
    HEADING_Y,
    LANES,
    LONGEST,
    MEETS,
    NORMAL_X,
    NORMAL_Y,
    OTHER_VX,
    OTHER_VY,
    OWN_VX,
    OWN_VY,
    PASSAGE,
    PRESS,
    RANGE,
    RANKS,
    ROW,
    SAME_END,
    SIDE,
    THEIR_X,
    THEIR_Y,
    TOWARD,
    URGENCY,
    WIDE,
)
from footway.follow.kernels.forces import mix

LIMITS = 128  # greatest number of neighbours and walls that a character may touch in a step
PASSES = 4  # over all limits, since one correction may violate another
SKIN = 1e-4  # m between a wall and a character that slides along it
SURE = 1e-6  # m, greater than all rounding errors of the distance budget in 32 bits
SLACK = 1e-4  # m/s, by which a velocity may exceed a limit
TINY = 1e-9  # m/s, of rounding errors
GIVE = 0.01  # of the distance at contact: discs in a dense crowd may overlap by this much
RETREAT = 0.15  # m/s, greatest speed at which characters make room for others
TIGHT = 0.02  # m/s, speed below which a character is wedged
DOUBT = 0.3  # greatest difference of positions in front that ranks outweigh

# Rows of `limits`: direction from the other; greatest speeds toward it that keep the headway, and
# that keep the discs apart, m/s.
LIMIT_X, LIMIT_Y, MOST, HARD = range(4)

_ZERO, _RANGE, _GIVE = np.float32(0.0), np.float32(RANGE), np.float32(GIVE)
_HALF, _ONE = np.float32(0.5), np.float32(1.0)
# Leeway: the share of a gap that who follows gets more than half; and the speed, m/s, at which half
# of it is used. With a headway, which keeps a distance of its own, and without one.
_LEEWAY, _SLOW = np.float32(0.49), np.float32(0.05)
_LEEWAY_WITHOUT, _SLOW_WITHOUT = np.float32(0.4), np.float32(0.4)
_QUARTER, _TWO = np.float32(0.25), np.float32(2.0)
_TWELFTH = np.float32(1.0 / 12.0)
_EVADE = np.float32(1.5)  # m between discs, within which a character evades who comes toward it
_SIDESTEP = np.float32(8.0)  # m/s2; these three were found by trying dense two-way flow
_IN_THE_WAY = np.float32(1.5)  # sums of the radii to either side
_DOUBT = np.float32(DOUBT)
_STRAIGHT = np.float32(0.02)  # sums of the radii aside, within which chance decides on a side
_PRESSING = np.float32(5.0)  # per m; this and _MAKE_ROOM were found by trying doors
_MAKE_ROOM = np.float32(4.0)  # 1/s, rate at which characters restore the space
_OPPOSED = np.float32(-0.8)  # cosine between the directions of two who meet
# Two in a passage that only one passes come from both ends if four times the product of what their
# directions have along it is less than _ENDS. Otherwise, if the cosine between their directions is
# less than _CONVERGING, one waits at a distance, m. Found by trying a door of 0.5 m.
_ENDS, _CONVERGING, _WAIT = np.float32(-1.0), np.float32(0.3), np.float32(0.2)
_RETREAT, _FAST = np.float32(RETREAT), np.float32(1e3)


@inner
def measure_crowding(n, pairs):
    """Write how far ahead the others of the first n pairs are, and what they add to the crowding.

    This loop and those of `limit_pairs` and `evade_pairs` have no branches: they are vectorised.
    """
    for m in range(np.uint64(n)):
        behind = pairs[HEADING_X, m] * pairs[NORMAL_X, m] + pairs[HEADING_Y, m] * pairs[NORMAL_Y, m]
        beside = _ONE - behind * behind
        near = max(_ZERO, _HALF - pairs[GAP, m])
        pairs[BESIDE, m] = near * beside * beside
        pairs[PRESS, m] = near * behind
        pairs[AHEAD, m] = -behind


@inner
def describe_pairs(row, speed, at, first, end, world, pairs):
    """Write what `limit_pairs` and `evade_pairs` must know of the pairs first to end - 1.

    `at` is the sample of the passage that the character walks through, -1 if it is not known. Where
    it is too narrow for two, those who come from both ends do not go back; of two who come from the
    same end one goes first.
    """
    headway, headings = world.motion.headway, world.cells.headings
    room = world.tracks.balls[at, BALL_RADIUS] if at >= 0 else math.inf
    beside, pressing = _crowding(first, end, pairs)
    longest = headway.time / (_ONE + beside + pressing)
    lane, rank = headings[row, LANE_THERE], headings[row, RANK]
    for m in range(first, end):
        other = int(pairs[ROW, m])
        pairs[FASTEST, m], pairs[LONGEST, m] = speed, longest
        pairs[THEIR_X, m], pairs[THEIR_Y, m] = headings[other, X], headings[other, Y]
        pairs[LANES, m] = lane + headings[other, LANE_THERE]
        pairs[RANKS, m] = rank - headings[other, RANK]
        pairs[PASSAGE, m] = WIDE
        if room < pairs[CONTACT, m]:
            pairs[PASSAGE, m] = _ends(m, at, world.tracks.sides, pairs)


@inner(inline=False)
def _ends(m, at, sides, pairs):
    """Return whether two come from both ends of the passage at a sample, or from the same.

    Samples of a group's corridor, at the end, have no sides: there both ends are assumed.
    """
    if at >= len(sides):
        return BOTH_ENDS
    across_x, across_y = sides[at, 0] - sides[at, 2], sides[at, 1] - sides[at, 3]
    own = pairs[HEADING_X, m] * across_y - pairs[HEADING_Y, m] * across_x
    other = pairs[THEIR_X, m] * across_y - pairs[THEIR_Y, m] * across_x
    return BOTH_ENDS if own * other < _ENDS else SAME_END


@inner
def limit_pairs(n, dt, close, headway, pairs):
    """Write the limits to the velocity because of the first n pairs.

    Headway: with the distance d - space before it touches the next one ahead, a character walks at
    most at the speed d / T (1 - d / (4 T v0)), which reaches its greatest speed v0 at d = 2 T v0;
    somebody beside whom it passes is not ahead. The distance relaxes exponentially to that which
    belongs to the speed of the other. The limit is the mean speed of this motion over a step, which
    makes the headway independent of the time step. If the other walks away, at a speed u > d / T,
    the limit is (d + u A) / (T + A) with the anticipation A, which is the same in a steady flow.
    In a crowd T is shorter, the more so with more people behind than ahead, as in front of a door:
    they walk closer behind each other than in a file.

    To all sides it keeps the space with a shorter time, but only from those who are in front: the
    others make room. Who is in front is a matter of both preferred directions; if it is not clear,
    the ranks of both decide, which change from time to time. Two whose paths converge in front of a
    door that only one passes do not both press into it: one waits at a distance, and the other
    keeps no headway to it.
    """
    for m in range(np.uint64(n)):
        gap, contact, ahead = pairs[GAP, m], pairs[CONTACT, m], pairs[AHEAD, m]
        nx, ny, speed = pairs[NORMAL_X, m], pairs[NORMAL_Y, m], pairs[FASTEST, m]
        ex, ey, ux, uy = (
            pairs[HEADING_X, m],
            pairs[HEADING_Y, m],
            pairs[OTHER_VX, m],
            pairs[OTHER_VY, m],
        )
        hx, hy, d = pairs[THEIR_X, m], pairs[THEIR_Y, m], gap + contact
        clear = ahead - (nx * hx + ny * hy)
        doubt = np.float32(DOUBT * pairs[RANKS, m] * (1.0 / RANKED))
        is_in_front = (clear >= _DOUBT) | ((clear > -_DOUBT) & (clear > doubt))
        alike = ex * hx + ey * hy
        converge = (pairs[PASSAGE, m] == SAME_END) & (alike < _CONVERGING)
        space = _WAIT if converge else headway.space
        space = space if is_in_front else _ZERO
        meet = (pairs[PASSAGE, m] == BOTH_ENDS) & (alike < _OPPOSED)
        back = _ZERO if meet else -_RETREAT
        longest = pairs[LONGEST, m] if is_in_front | ~converge else headway.beside
        aside = (ex * ny - ey * nx) * d
        depth = contact * contact - aside * aside
        offset = aside / (headway.shoulders * contact)
        behind = max(_ZERO, _ONE - offset * offset)
        time = headway.beside + (longest - headway.beside) * behind
        distance = d * ahead - math.sqrt(depth) - space
        time /= _ONE - _QUARTER * min(_TWO, max(_ZERO, distance) / (time * speed))
        u = ex * ux + ey * uy
        slow = time + headway.anticipation if u * time > distance else time
        greatest = max(back, _mean_speed(distance, u, time, slow, dt))
        reach = max(close, _TWO * headway.time * speed + headway.space)
        is_ahead = (gap < reach) & (ahead > _ZERO) & (depth > _ZERO)
        pairs[GREATEST, m] = greatest if is_ahead else _FAST
        u = -(ux * nx + uy * ny)
        most = _mean_speed(gap - space, u, headway.beside, headway.beside, dt)
        hard = speed_in_gap(m, _LEEWAY, _SLOW, dt, pairs)
        most = min(hard, max(most, back, min(_ZERO, _MAKE_ROOM * (gap - space))))
        pairs[TOWARD, m], pairs[APART, m] = most, hard


@inner
def keep_pairs_apart(n, dt, pairs):
    """`limit_pairs` without a headway: only the guard keeps discs apart."""
    for m in range(np.uint64(n)):
        hard = speed_in_gap(m, _LEEWAY_WITHOUT, _SLOW_WITHOUT, dt, pairs)
        pairs[GREATEST, m], pairs[TOWARD, m], pairs[APART, m] = _FAST, hard, hard


@inner
def limit_to_characters(close, first, end, pairs, limits):
    """Limit the velocity by the pairs first to end - 1 of a character, see `limit_pairs`.

    Returns the number of limits, and the greatest speed in the preferred direction, m/s.
    """
    count, greatest = 0, _FAST
    for m in range(first, end):
        greatest = min(greatest, pairs[GREATEST, m])
        if pairs[GAP, m] < close:
            limits[LIMIT_X, count], limits[LIMIT_Y, count] = pairs[NORMAL_X, m], pairs[NORMAL_Y, m]
            limits[MOST, count], limits[HARD, count] = pairs[TOWARD, m], pairs[APART, m]
            count += 1
            if count == LIMITS:
                break
    return count, greatest


@inner
def evade_pairs(n, pairs):
    """Write what the first n pairs contribute to a sidestep: see `sidestep`."""
    for m in range(np.uint64(n)):
        gap, contact, ahead = pairs[GAP, m], pairs[CONTACT, m], pairs[AHEAD, m]
        nx, ny, ex, ey = (
            pairs[NORMAL_X, m],
            pairs[NORMAL_Y, m],
            pairs[HEADING_X, m],
            pairs[HEADING_Y, m],
        )
        alike = ex * pairs[THEIR_X, m] + ey * pairs[THEIR_Y, m]
        left = (ey * nx - ex * ny) * (gap + contact) / contact  # of the other one
        weight = ahead * (_ONE - gap / _EVADE)
        aside = min(_ONE, max(-_ONE, left))
        agreed = min(_ONE, max(-_ONE, pairs[LANES, m])) * (_ONE - abs(aside))
        is_near = (gap < _EVADE) & (ahead > _ZERO)
        comes, goes = is_near & (alike < -_HALF), is_near & (alike > _HALF)
        pairs[SIDE, m] = weight * (agreed - aside) if comes else (weight * aside if goes else _ZERO)
        pairs[URGENCY, m] = weight if comes & (abs(left) < _IN_THE_WAY) else _ZERO
        meets = ANOTHER_WAY if is_near & (alike <= _ZERO) else _ZERO
        pairs[MEETS, m] = HEAD_ON if comes & (abs(aside) < _STRAIGHT) else meets


@inner
def sidestep(number, first, end, world, pairs):
    """Return the acceleration to the left (m/s2) of a character who is in the way of others.

    Also whether all others ahead of it walk its way.

    It evades those who come toward it, by their preferred directions: in a jam nobody has a
    velocity. It goes to the side where fewer of them are and where others walk in its own
    direction, so that lanes form. Two who come straight toward each other agree on a side, by the
    mean of their lanes, and by chance if they have none: with sides of their own both may go toward
    the same wall. Nobody comes toward it in one-way flow, so nothing changes there.
    """
    urgency, side, meets = _ZERO, _ZERO, _ZERO
    for m in range(first, end):
        meets = max(meets, pairs[MEETS, m])
        urgency = max(urgency, pairs[URGENCY, m])
        if pairs[MEETS, m] == HEAD_ON:
            side += _side_by_chance(m, number, world, pairs)
        else:
            side += pairs[SIDE, m]
    left = _SIDESTEP * urgency * min(_ONE, max(-_ONE, side + side))
    return left, meets == _ZERO


@inner(inline=False)
def _side_by_chance(m, number, world, pairs):
    """Return what a pair that comes straight toward a character contributes to its sidestep."""
    gap, contact = pairs[GAP, m], pairs[CONTACT, m]
    nx, ny, ex, ey = (
        pairs[NORMAL_X, m],
        pairs[NORMAL_Y, m],
        pairs[HEADING_X, m],
        pairs[HEADING_Y, m],
    )
    left = (ey * nx - ex * ny) * (gap + contact) / contact
    aside = min(_ONE, max(-_ONE, left))
    other = world.cells.ids[int(pairs[ROW, m])]
    agreed = pairs[LANES, m] + _chance(number, other, world.motion.epoch)
    agreed = min(_ONE, max(-_ONE, agreed)) * (_ONE - abs(aside))
    return pairs[AHEAD, m] * (_ONE - gap / _EVADE) * (agreed - aside)


@inner
def _chance(a, b, epoch):
    """Return a number from -1/4 to 1/4 that two characters share for some time."""
    bits = mix(min(a, b), max(a, b), epoch >> 2) >> np.uint64(40)
    return np.float32(np.int64(bits) * (0.5 / 16777216.0) - 0.25)


@inner
def _crowding(first, end, pairs):
    """Return how crowded it is beside a character, 0 (in a file) to 0.5, and how much they press.

    The latter is 0 with as many people behind as ahead, at most 2.
    """
    total, press = _ZERO, _ZERO
    for m in range(first, end):
        total += pairs[BESIDE, m]
        press += pairs[PRESS, m]
    return min(_HALF, total), min(_TWO, _PRESSING * max(_ZERO, press))


@inner
def _mean_speed(distance, u, time, slow, dt):
    """Return the mean speed over a step at which a distance relaxes to u T as exp(-t / slow)."""
    x = dt / slow
    share = _ONE / (_ONE + x * (_HALF + x * _TWELFTH))  # (1 - exp(-x)) / x, to 0.1 % for x < 1
    return u + share * (distance - u * time) / slow


@inner
def speed_in_gap(m, leeway, half_at, dt, pairs):
    """Return the greatest speed toward another one at which both cannot meet in a step. m/s.

    Two characters share the gap; who follows gets more of it than who walks ahead. The shares of
    both add up to one if they use the same `leeway` and `half_at`.
    """
    nx, ny = pairs[NORMAL_X, m], pairs[NORMAL_Y, m]
    own = max(_ZERO, -(pairs[OWN_VX, m] * nx + pairs[OWN_VY, m] * ny))
    other = max(_ZERO, pairs[OTHER_VX, m] * nx + pairs[OTHER_VY, m] * ny)
    share = _HALF + leeway * (own - other) / (own + other + half_at)
    return share * (pairs[GAP, m] + _GIVE * pairs[CONTACT, m]) / dt


@inner
def limit_to_obstacles(first, end, pairs, dt, count, limits):
    """Append the pairs with dynamic obstacles: a character may use the whole gap."""
    for m in range(first, end):
        if pairs[GAP, m] < _RANGE and count < LIMITS:
            nx, ny = pairs[NORMAL_X, m], pairs[NORMAL_Y, m]
            toward = pairs[OTHER_VX, m] * nx + pairs[OTHER_VY, m] * ny
            limits[LIMIT_X, count], limits[LIMIT_Y, count] = nx, ny
            limits[MOST, count] = limits[HARD, count] = pairs[GAP, m] / dt - toward
            count += 1
    return count


@inner(inline=False)
def limit_to_wall(x, y, r, dt, count, layer, grid, limits):
    """Append the nearest wall: who is pressed against it evades along it.

    `layer` is the sheet of a building, -1 in the plane.
    """
    grid = layer_grid(layer, grid)
    wall, distance, share = nearest_wall(x, y, grid)
    if count < LIMITS and distance > 1e-9:
        ox = grid.walls[wall, 0] + share * (grid.walls[wall, 2] - grid.walls[wall, 0])
        oy = grid.walls[wall, 1] + share * (grid.walls[wall, 3] - grid.walls[wall, 1])
        limits[LIMIT_X, count], limits[LIMIT_Y, count] = (x - ox) / distance, (y - oy) / distance
        limits[MOST, count] = max(0.0, distance - r - SKIN) / dt
        limits[HARD, count] = _FAST  # `move` slides along the wall
        count += 1
    return count


@inner
def keep_limits(vx, vy, count, limits):
    """Change a velocity as little as necessary, so that it keeps the limits to all others."""
    for _ in range(PASSES):
        is_kept = True
        for m in range(count):
            nx, ny = limits[LIMIT_X, m], limits[LIMIT_Y, m]
            excess = -(vx * nx + vy * ny) - limits[MOST, m]
            if excess > 0.5 * SLACK:
                vx, vy = vx + excess * nx, vy + excess * ny
                is_kept = False
        if is_kept:
            break
    return vx, vy


@inner
def safe_share(vx, vy, count, limits):
    """Return the share of a velocity that brings the character into no other disc."""
    share = 1.0
    for m in range(count):
        toward = -(vx * limits[LIMIT_X, m] + vy * limits[LIMIT_Y, m])
        most = max(0.0, limits[HARD, m] + SLACK)
        if toward > most:
            share = min(share, most / toward)
    return share


@inner
def step_back(vx, vy, least, count, limits):
    """Return the velocity of somebody who must make room, but is wedged: away from all who touch.

    Others keep their velocity. Without this, two who block a door with others behind them stay.
    Those who may approach another one only at a speed below `least` must make room.
    """
    x, y, must = 0.0, 0.0, False
    for m in range(count):
        if limits[MOST, m] < TIGHT:
            x, y = x + limits[LIMIT_X, m], y + limits[LIMIT_Y, m]
            must = must or limits[MOST, m] < least
    length = math.sqrt(x * x + y * y)
    if not must or length < 1e-3:
        return vx, vy
    return RETREAT * x / length, RETREAT * y / length


@inner
def _is_safe(vx, vy, slack, count, limits):
    """Return whether a velocity brings the character into no other disc, up to a slack, m/s."""
    for m in range(count):
        toward = -(vx * limits[LIMIT_X, m] + vy * limits[LIMIT_Y, m])
        if toward > max(TINY, limits[HARD, m] + slack):
            return False
    return True


@inner
def limit_turn(vx, vy, old_vx, old_vy, motion):
    """Limit the change of direction of somebody who walks; slow steps may go to any side."""
    along, across = old_vx * vx + old_vy * vy, old_vx * vy - old_vy * vx
    if abs(across) <= motion.tan_turn * along:
        return vx, vy
    old_pace, pace = math.sqrt(old_vx * old_vx + old_vy * old_vy), math.sqrt(vx * vx + vy * vy)
    if old_pace <= motion.side_step or pace <= motion.side_step:
        return vx, vy
    sine = motion.sin_turn if across >= 0.0 else -motion.sin_turn
    ex = (old_vx * motion.cos_turn - old_vy * sine) / old_pace
    ey = (old_vy * motion.cos_turn + old_vx * sine) / old_pace
    along = vx * ex + vy * ey
    if along > motion.side_step:
        return along * ex, along * ey
    return vx * motion.side_step / pace, vy * motion.side_step / pace


@inner
def at_most(vx, vy, speed):
    """Limit a velocity to a speed."""
    pace = math.sqrt(vx * vx + vy * vy)
    if pace > speed:
        vx, vy = vx * speed / pace, vy * speed / pace
    return vx, vy


@inner
def move(k, vx, vy, count, dt, motion, grid, slopes, state, limits):
    """Move a character, guarded against walls and, where it slides along one, against discs."""
    x, y, r = state.place[k, X], state.place[k, Y], float(state.body[k, RADIUS])
    to_x, to_y = x + vx * dt, y + vy * dt
    dx, dy = to_x - x, to_y - y
    length = math.sqrt(dx * dx + dy * dy)
    budget = state.body[k, WALL_BUDGET] - length
    state.body[k, LOOK] -= length
    if budget < 0.0:
        layer = state.sheet[k, SHEET] - 1
        to_x, to_y, budget, wx, wy = _meet_wall(x, y, vx, vy, r, dt, layer, grid)
        old_vx, old_vy = float(state.body[k, VX]), float(state.body[k, VY])
        slow_x, slow_y = limit_turn(wx, wy, old_vx, old_vy, motion)
        if slow_x != wx or slow_y != wy:  # the wall turns it too fast: only at a slow pace
            share = motion.side_step * dt / length
            wx, wy = share * vx, share * vy
            to_x, to_y, budget, wx, wy = _meet_wall(x, y, wx, wy, r, dt, layer, grid)
        vx, vy = wx, wy
        if not _is_safe((to_x - x) / dt, (to_y - y) / dt, 2.0 * SKIN / dt, count, limits):
            to_x, to_y, budget, vx, vy = x, y, -SURE, 0.0, 0.0
    if len(grid.layers.beyond) > 0:
        off_x, off_y = keep_off_doors(k, x, y, to_x, to_y, r, state, grid, slopes)
        if off_x != to_x or off_y != to_y:
            to_x, to_y, budget = off_x, off_y, -SURE
            vx, vy = (to_x - x) / dt, (to_y - y) / dt
            layer = last_layer(x, y, to_x, to_y, state.sheet[k, SHEET] - 1, grid)
            if nearest_wall(to_x, to_y, layer_grid(layer, grid))[1] < r or not _is_safe(
                vx, vy, 2.0 * SKIN / dt, count, limits
            ):
                to_x, to_y, vx, vy = x, y, 0.0, 0.0
        if not pass_portals(k, x, y, to_x, to_y, state, grid, slopes):
            to_x, to_y, budget, vx, vy = x, y, -SURE, 0.0, 0.0
    state.place[k, X], state.place[k, Y] = to_x, to_y
    vx, vy = at_most(vx, vy, float(state.body[k, SPEED]))
    state.body[k, VX], state.body[k, VY] = vx, vy
    state.body[k, WALL_BUDGET] = budget - 1e-6


@inner
def _meet_wall(x, y, vx, vy, r, dt, layer, grid):
    """Return the end of a step that may hit a wall, the distance budget and the velocity there."""
    to_x, to_y = x + vx * dt, y + vy * dt
    to_x, to_y, budget, nx, ny = slide_along_wall(x, y, to_x, to_y, r, layer, grid)
    into = vx * nx + vy * ny
    if into < 0.0:
        vx, vy = vx - into * nx, vy - into * ny
    elif to_x == x and to_y == y:
        vx, vy = 0.0, 0.0
    return to_x, to_y, budget, vx, vy


@inner(inline=False)
def slide_along_wall(x, y, to_x, to_y, r, layer, grid):
    """Return the end of a step that may hit a wall: (x, y, distance budget, normal of that wall).

    The step is changed to slide along the wall; if that fails, the character stays. `layer` is the
    sheet of a building on which it begins, -1 in the plane.
    """
    length = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    here = layer_grid(last_layer(x, y, to_x, to_y, layer, grid), grid)
    wall, distance, share = nearest_wall(to_x, to_y, here)
    whole = length < 1.9 * r or surface_line(x, y, to_x, to_y, r, layer, grid)[0] >= r
    if distance >= r and whole:
        return to_x, to_y, distance - r - SURE, 0.0, 0.0
    if not whole or distance < 1e-9:
        return x, y, -SURE, 0.0, 0.0
    ox = here.walls[wall, 0] + share * (here.walls[wall, 2] - here.walls[wall, 0])
    oy = here.walls[wall, 1] + share * (here.walls[wall, 3] - here.walls[wall, 1])
    nx, ny = (to_x - ox) / distance, (to_y - oy) / distance
    if nx * (x - ox) + ny * (y - oy) < 0.0:  # the centre has crossed the wall
        return x, y, -SURE, 0.0, 0.0
    to_x, to_y = ox + nx * (r + SKIN), oy + ny * (r + SKIN)
    here = layer_grid(last_layer(x, y, to_x, to_y, layer, grid), grid)
    _, distance, _ = nearest_wall(to_x, to_y, here)
    slid = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    if distance < r or slid >= 1.9 * r:
        return x, y, -SURE, nx, ny
    return to_x, to_y, distance - r - SURE, nx, ny
