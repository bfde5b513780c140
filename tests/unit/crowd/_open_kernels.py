"""What only kernels can call, opened to Python."""

import numpy as np

from footway._numba.jit import kernel
from footway.crowd.kernels.attraction import advance, draw_edge
from footway.crowd.kernels.cells import cell_at
from footway.crowd.kernels.guard import (
    HARD,
    LIMIT_X,
    LIMIT_Y,
    MOST,
    keep_limits,
    safe_share,
    slide_along_wall,
    speed_in_gap,
)
from footway.crowd.kernels.pairs import NORMAL_X, NORMAL_Y, gather, load, total_force
from footway.crowd.kernels.planning import free_block, take_block
from footway.crowd.kernels.step import pair_up
from footway.crowd.models import choose_velocity, prepare_pairs


@kernel
def avoid_all(row, ex, ey, avoidance, bodies, others, near, pairs):
    """Compute F_c of the rows `near` on one of the bodies."""
    used = load(row, ex, ey, len(near), bodies, others, near, 0, pairs)
    prepare_pairs(used, avoidance, pairs)


@kernel
def keep_apart_all(vx, vy, count, dt, pairs, limits):
    """Limit a velocity by the guard between discs alone."""
    for m in range(count):
        limits[LIMIT_X, m], limits[LIMIT_Y, m] = pairs[NORMAL_X, m], pairs[NORMAL_Y, m]
        limits[MOST, m] = limits[HARD, m] = speed_in_gap(
            m, np.float32(0.49), np.float32(0.05), dt, pairs
        )
    vx, vy = keep_limits(vx, vy, count, limits)
    share = safe_share(vx, vy, count, limits)
    return share * vx, share * vy


@kernel
def gather_all(x, y, r, row, first, end, bodies, near):
    return gather(x, y, r, row, first, end, 0, bodies, near)


@kernel
def cell_of(x, y, box, shape):
    return cell_at(x, y, box, shape)


@kernel
def avoided(row, cell, ex, ey, avoidance, cells, grid, near, used, pairs):
    """Return the force of all neighbours, with some pairs in use already."""
    end = pair_up(row, cell, ex, ey, cells, grid, near, used, pairs)
    prepare_pairs(end, avoidance, pairs)
    return total_force(used, end, pairs)


@kernel
def draw_edges(half, row, r, bits, tracks, graph, found):
    for k in range(len(bits)):
        found[k] = draw_edge(half, row, r, bits[k], tracks, graph)


@kernel
def follow_all(x, y, r, steps, state, path_halves, tracks, graph):
    """Let the attraction point of slot 0 move on for a character that stands still."""
    done = False
    for step in range(steps):
        done = advance(0, x, y, r, step, 0, state, path_halves, tracks, graph)
    return done


@kernel
def take(size, pool):
    return take_block(size, pool)


@kernel
def give_back(block, size, pool):
    free_block(block, size, pool)


@kernel
def step_beside_wall(x, y, to_x, to_y, r, grid):
    return slide_along_wall(x, y, to_x, to_y, r, -1, grid)


@kernel
def chosen_velocity(own, obstacles, avoidance, bodies, others, near, pairs, scratch):
    """Return the velocity that a velocity model chooses for the first body."""
    used = load(
        0, np.float32(own.ex), np.float32(own.ey), len(near), bodies, others, near, 0, pairs
    )
    prepare_pairs(used, avoidance, pairs)
    return choose_velocity(0, obstacles, used, own, avoidance, pairs, scratch)
