"""Pairs of neighbours: what local models read (see `footway.crowd.models`).

The pairs of several characters are columns of one array, so that the compiler vectorises eight
pairs at a time; the last batch is filled with pairs without effect. All in 32 bits. The pairs of a
character are consecutive columns: first those with other characters, then those with obstacles.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from footway._numba.jit import inner
from footway.crowd.kernels.layouts import BODY_RADIUS, BODY_VX, BODY_VY, BODY_X, BODY_Y

RANGE = 3.0  # m between discs, beyond which characters do not affect each other, in any model
VECTOR = 16  # pairs per SIMD batch, at most
NEARBY = 1024  # greatest number of neighbours of one character; more do not fit around it
PAIRS = 3088  # capacity of `pairs`: characters and obstacles around one, and those of a batch

# Rows of `pairs`. Given: offset from the other, sum of the radii, velocity of the other and own
# velocity, direction to the attraction point.
DX, DY, CONTACT, OTHER_VX, OTHER_VY, OWN_VX, OWN_VY, HEADING_X, HEADING_Y = range(9)
# Results: force, m/s2; direction from the other and gap between the discs, by `measure`.
FORCE_X, FORCE_Y, NORMAL_X, NORMAL_Y, GAP = range(9, 14)
ROW = 14  # given: row of the other
MODEL_ROWS = 15  # that local models know; the others are of `kernels.guard`
# For the limits of velocities (`kernels.guard`). Given: own greatest speed, headway close behind,
# preferred direction of the other in the last step, sum of both lanes, difference of both ranks,
# whether the passage is too narrow for both: WIDE, or from where they come.
FASTEST, LONGEST, THEIR_X, THEIR_Y, LANES, RANKS, PASSAGE = range(15, 22)
WIDE, BOTH_ENDS, SAME_END = np.float32(0.0), np.float32(1.0), np.float32(2.0)
# Results: how far ahead the other is (cosine), shares of the crowding beside and of the pressing;
# greatest speeds in the preferred direction and toward the other, and that which keeps the discs
# apart, m/s; contributions to side and urgency of a sidestep, and how the other meets oneself.
AHEAD, BESIDE, PRESS, GREATEST, TOWARD, APART, SIDE, URGENCY, MEETS = range(22, 31)
ANOTHER_WAY, HEAD_ON = np.float32(1.0), np.float32(2.0)  # of those ahead; chance decides on a side
PAIR_ROWS = 31

_ZERO, _ONE, _RANGE = np.float32(0.0), np.float32(1.0), np.float32(RANGE)
_TINY: Any = np.float32(1e-6)
_NOWHERE = np.float32(1e3)


class Own(NamedTuple):
    """What a local model knows about the character itself."""

    ex: float  # unit vector of the preferred direction
    ey: float
    speed: float  # m/s, preferred in this step; 0 if the character stands
    vx: float  # m/s, velocity before the step
    vy: float
    greatest: float  # m/s, greatest speed
    radius: float  # m
    dt: float  # s
    relaxation: float  # s, of the acceleration toward the preferred velocity


@inner
def gather(x, y, r, row, first, end, count, bodies, near):
    """Append the rows first to end - 1 in range of a body to `near`, without branches: count."""
    for other in range(first, end):
        dx, dy = x - bodies[other, BODY_X], y - bodies[other, BODY_Y]
        far = r + bodies[other, BODY_RADIUS] + _RANGE
        near[count] = other
        count += (dx * dx + dy * dy <= far * far) & (other != row)
    return count


@inner
def load(row, ex, ey, count, bodies, others, near, used, pairs):
    """Append the pairs of a body with the rows `near` of `others`; return the new count."""
    x, y, r = bodies[row, BODY_X], bodies[row, BODY_Y], bodies[row, BODY_RADIUS]
    vx, vy = bodies[row, BODY_VX], bodies[row, BODY_VY]
    for m in range(count):
        other, at = near[m], used + m
        dx, dy = x - others[other, BODY_X], y - others[other, BODY_Y]
        if dx == _ZERO and dy == _ZERO:  # at the same point: push them apart in opposite directions
            dx = _TINY if other > row else -_TINY
        pairs[DX, at], pairs[DY, at] = dx, dy
        pairs[CONTACT, at] = r + others[other, BODY_RADIUS]
        pairs[OTHER_VX, at], pairs[OTHER_VY, at] = others[other, BODY_VX], others[other, BODY_VY]
        pairs[OWN_VX, at], pairs[OWN_VY, at] = vx, vy
        pairs[HEADING_X, at], pairs[HEADING_Y, at] = ex, ey
        pairs[ROW, at] = np.float32(other)
    return used + count


@inner
def pad(used, pairs):
    """Fill the last batch with pairs without effect; return the number of pairs."""
    padded = (used + VECTOR - 1) // VECTOR * VECTOR
    for m in range(used, padded):
        pairs[DX, m], pairs[DY, m], pairs[CONTACT, m] = _NOWHERE, _ZERO, _ONE
        pairs[OTHER_VX, m], pairs[OTHER_VY, m] = _ZERO, _ZERO
        pairs[OWN_VX, m], pairs[OWN_VY, m] = _ZERO, _ZERO
        pairs[HEADING_X, m], pairs[HEADING_Y, m], pairs[ROW, m] = _ZERO, _ZERO, _ZERO
    return padded


@inner
def measure(m, pairs):
    """Write direction and gap of a pair, which the guards need of every model, and return them."""
    dx, dy = pairs[DX, m], pairs[DY, m]
    d = math.sqrt(dx * dx + dy * dy)
    per_d = _ONE / d
    nx, ny, gap = dx * per_d, dy * per_d, d - pairs[CONTACT, m]
    pairs[NORMAL_X, m], pairs[NORMAL_Y, m], pairs[GAP, m] = nx, ny, gap
    return nx, ny, gap


@inner
def measure_all(n, pairs):
    """Write direction and gap of the first n pairs."""
    for m in range(np.uint64(n)):
        measure(m, pairs)


@inner
def total_force(first, end, pairs):
    """Return the sum of the forces of the pairs first to end - 1. m/s2."""
    fx, fy = _ZERO, _ZERO
    for m in range(first, end):
        fx, fy = fx + pairs[FORCE_X, m], fy + pairs[FORCE_Y, m]
    return fx, fy
