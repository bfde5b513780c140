"""What only kernels can call, opened to Python."""

from footway._numba.jit import kernel
from footway.crowd.kernels.avoidance import (
    avoid,
    gather,
    keep_close,
    kept_apart,
    load,
    total_force,
    whole_lanes,
)
from footway.crowd.kernels.cells import cell_at
from footway.crowd.kernels.planning import _give_back, _take
from footway.crowd.kernels.step import _pair_up
from footway.crowd.kernels.tracks import drawn_edge, follow_on
from footway.crowd.kernels.walls import beside_wall


@kernel
def avoid_all(row, ex, ey, model, bodies, others, near, pairs):
    """Compute F_c of the rows `near` on one of the bodies; return the number of padded pairs."""
    lanes = whole_lanes(load(row, ex, ey, model, len(near), bodies, others, near, 0, pairs), pairs)
    avoid(lanes, pairs)
    return lanes


@kernel
def keep_apart_all(vx, vy, count, close, dt, pairs, tight):
    held = keep_close(close, 0, count, pairs, 0, tight)
    return kept_apart(vx, vy, held, dt, tight)


@kernel
def gather_all(x, y, r, row, first, end, bodies, near):
    return gather(x, y, r, row, first, end, 0, bodies, near)


@kernel
def cell_of(x, y, box, shape):
    return cell_at(x, y, box, shape)


@kernel
def avoided(row, cell, ex, ey, model, columns, offsets, bodies, near, used, pairs):
    """Return the force of all neighbours, with some pairs in use already."""
    end = _pair_up(row, cell, ex, ey, model, columns, offsets, bodies, near, used, pairs)
    avoid(whole_lanes(end, pairs), pairs)
    return total_force(used, end, pairs)


@kernel
def draw_edges(half, row, r, bits, tracks, graph, found):
    for k in range(len(bits)):
        found[k] = drawn_edge(half, row, r, bits[k], tracks, graph)


@kernel
def follow_all(x, y, r, steps, state, pool, tracks, graph):
    """Let the attraction point of slot 0 move on for a character that stands still."""
    done = False
    for step in range(steps):
        done = follow_on(0, x, y, r, step, 0, state, pool, tracks, graph)
    return done


@kernel
def take(size, pool, lists):
    return _take(size, pool, lists)


@kernel
def give_back(route, size, pool, lists):
    _give_back(route, size, pool, lists)


@kernel
def step_beside_wall(x, y, to_x, to_y, r, grid):
    return beside_wall(x, y, to_x, to_y, r, grid)
