"""Guards of a step, independent of the forces: gaps between discs, and walls.

Each of two characters may use half of the gap between them in a step, so they never touch. For
walls each character has a distance budget: the gap to the nearest wall when it was last measured,
minus the distance walked since. While it is positive, no wall can be near and no query is needed.
It is measured in 64 bits at the stored position.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner
from footway.corridor.kernels.wall_grid import line_clearance, nearest_wall
from footway.crowd.kernels.layouts import (
    RADIUS,
    SPEED,
    VX,
    VY,
    WALL_BUDGET,
    X,
    Y,
)
from footway.crowd.kernels.pairs import GAP, NORMAL_X, NORMAL_Y, OTHER_VX, OTHER_VY, RANGE

LIMITS = 128  # greatest number of neighbours that a character may touch in a step
SKIN = 1e-4  # m between a wall and a character that slides along it
SURE = 1e-6  # m, greater than all rounding errors of the distance budget in 32 bits

# Rows of `limits`: direction from the other, usable share of the gap, m, and velocity of an
# obstacle along the direction, m/s.
LIMIT_X, LIMIT_Y, USABLE, APPROACH = range(4)

_ZERO, _HALF, _RANGE = np.float32(0.0), np.float32(0.5), np.float32(RANGE)


@inner
def limit_to_characters(close, first, end, pairs, count, limits):
    """Append the pairs that are closer than `close` m to the limits; return the new count."""
    for m in range(first, end):
        if pairs[GAP, m] < close and count < LIMITS:
            limits[LIMIT_X, count], limits[LIMIT_Y, count] = pairs[NORMAL_X, m], pairs[NORMAL_Y, m]
            limits[USABLE, count], limits[APPROACH, count] = _HALF * pairs[GAP, m], _ZERO
            count += 1
    return count


@inner
def limit_to_obstacles(first, end, pairs, count, limits):
    """Append the pairs with dynamic obstacles: a character may use the whole gap."""
    for m in range(first, end):
        if pairs[GAP, m] < _RANGE and count < LIMITS:
            nx, ny = pairs[NORMAL_X, m], pairs[NORMAL_Y, m]
            limits[LIMIT_X, count], limits[LIMIT_Y, count] = nx, ny
            limits[USABLE, count] = pairs[GAP, m]
            limits[APPROACH, count] = pairs[OTHER_VX, m] * nx + pairs[OTHER_VY, m] * ny
            count += 1
    return count


@inner
def keep_gaps(vx, vy, count, dt, limits):
    """Limit a velocity to the usable share of every gap in a step, and resolve overlaps.

    Two passes, since one correction may violate another.
    """
    for _ in range(2):
        for m in range(count):
            nx, ny = limits[LIMIT_X, m], limits[LIMIT_Y, m]
            short = limits[APPROACH, m] - limits[USABLE, m] / dt - (vx * nx + vy * ny)
            if short > 0.0:
                vx, vy = vx + short * nx, vy + short * ny
    return vx, vy


@inner
def at_most(vx, vy, speed):
    """Limit a velocity to a speed."""
    pace = math.sqrt(vx * vx + vy * vy)
    if pace > speed:
        vx, vy = vx * speed / pace, vy * speed / pace
    return vx, vy


@inner
def move(k, vx, vy, dt, grid, state):
    """Move a character, guarded against walls."""
    x, y, r = state.place[k, X], state.place[k, Y], float(state.body[k, RADIUS])
    to_x, to_y = x + vx * dt, y + vy * dt
    dx, dy = to_x - x, to_y - y
    budget = state.body[k, WALL_BUDGET] - math.sqrt(dx * dx + dy * dy)
    if budget < 0.0:
        to_x, to_y, budget, nx, ny = slide_along_wall(x, y, to_x, to_y, r, grid)
        into = vx * nx + vy * ny
        if into < 0.0:
            vx, vy = vx - into * nx, vy - into * ny
        elif to_x == x and to_y == y:
            vx, vy = 0.0, 0.0
    state.place[k, X], state.place[k, Y] = to_x, to_y
    vx, vy = at_most(vx, vy, float(state.body[k, SPEED]))
    state.body[k, VX], state.body[k, VY] = vx, vy
    state.body[k, WALL_BUDGET] = budget - 1e-6


@inner(inline=False)
def slide_along_wall(x, y, to_x, to_y, r, grid):
    """Return the end of a step that may hit a wall: (x, y, distance budget, normal of that wall).

    The step is changed to slide along the wall; if that fails, the character stays.
    """
    length = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    wall, distance, share = nearest_wall(to_x, to_y, grid)
    whole = length < 1.9 * r or line_clearance(x, y, to_x, to_y, r, grid)[0] >= r
    if distance >= r and whole:
        return to_x, to_y, distance - r - SURE, 0.0, 0.0
    if not whole or distance < 1e-9:
        return x, y, -SURE, 0.0, 0.0
    ox = grid.walls[wall, 0] + share * (grid.walls[wall, 2] - grid.walls[wall, 0])
    oy = grid.walls[wall, 1] + share * (grid.walls[wall, 3] - grid.walls[wall, 1])
    nx, ny = (to_x - ox) / distance, (to_y - oy) / distance
    if nx * (x - ox) + ny * (y - oy) < 0.0:  # the centre has crossed the wall
        return x, y, -SURE, 0.0, 0.0
    to_x, to_y = ox + nx * (r + SKIN), oy + ny * (r + SKIN)
    _, distance, _ = nearest_wall(to_x, to_y, grid)
    slid = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    if distance < r or slid >= 1.9 * r:
        return x, y, -SURE, nx, ny
    return to_x, to_y, distance - r - SURE, nx, ny
