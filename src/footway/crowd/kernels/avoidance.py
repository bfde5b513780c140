"""F_c: collision avoidance between characters (cmm-crowds-2008, section 4).

Equation 3 of Helbing and Molnar (1995): the potential V0 exp(-b / sigma) around another character,
where b is the semi-minor axis of an ellipse that extends along its motion in `look_ahead` seconds.
Distances are between the discs, not the centres, so contact is the limit. The velocity is relative
to the character's own (Johansson, Helbing and Shukla, 2007): in the printed form, a character flees
from one that walks ahead at the same velocity, and a dense one-way crowd stops. All in 32 bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from footway._numba.jit import inner
from footway.crowd.kernels.layouts import BODY_RADIUS, BODY_VX, BODY_VY, BODY_X, BODY_Y

V0 = 2.1  # m2/s2
SIGMA = 0.3  # m
BODY = 0.5  # m, two radii: V0 refers to centres, so this is subtracted for distances of discs
BEHIND = 0.5  # factor for characters outside the field of view
SIGHT = 100.0  # degrees to either side
RANGE = 3.0  # m between discs, beyond which F_c is 0
VECTOR = 8  # pairs per SIMD batch
NEARBY = 1024  # greatest number of neighbours of one character; more do not fit around it
PAIRS = 2064  # capacity of `pairs`, which holds the pairs of several characters

# Rows of `pairs`: offset from the other, sum of the radii, motion of the other, heading; results:
# F_c, direction from the other, gap between the discs.
DX, DY, CONTACT, MOTION_X, MOTION_Y, HEADING_X, HEADING_Y = range(7)
FORCE_X, FORCE_Y, NORMAL_X, NORMAL_Y, GAP = range(7, 12)
PAIR_ROWS = 12

_ZERO, _HALF, _QUARTER, _ONE = (np.float32(v) for v in (0.0, 0.5, 0.25, 1.0))
_SIXTH = np.float32(1.0 / 6.0)
_STRENGTH = V0 / SIGMA * 0.18887560283756183  # m/s2 at contact; the factor is exp(-BODY / SIGMA)
_QUARTER_STRENGTH = np.float32(0.25 * _STRENGTH)
_PER_16_SIGMA = np.float32(1.0 / (16.0 * SIGMA))
_RANGE, _BEHIND = np.float32(RANGE), np.float32(BEHIND)
_COS_SIGHT = np.float32(-0.17364817766693036)  # cosine of SIGHT
_NEAREST: Any = np.float32(0.05)  # m between discs, below which the force is constant
_LEAST: Any = np.float32(0.0025)  # m2, of b squared
_SIDE = np.float32(0.05)  # m: lateral offset that breaks the symmetry of head-on encounters
_TINY: Any = np.float32(1e-6)
_NOWHERE = np.float32(1e3)


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
def load(row, ex, ey, avoidance, count, bodies, others, near, used, pairs):
    """Append the inputs of F_c for the rows `near` of `others` to `pairs`; return the new count.

    The motion of another character is its relative velocity times the look-ahead time.
    """
    x, y, r = bodies[row, BODY_X], bodies[row, BODY_Y], bodies[row, BODY_RADIUS]
    vx = avoidance.own_share * bodies[row, BODY_VX]
    vy = avoidance.own_share * bodies[row, BODY_VY]
    for m in range(count):
        other, at = near[m], used + m
        dx, dy = x - others[other, BODY_X], y - others[other, BODY_Y]
        if dx == _ZERO and dy == _ZERO:  # at the same point: push them apart in opposite directions
            dx = _TINY if other > row else -_TINY
        pairs[DX, at], pairs[DY, at] = dx, dy
        pairs[CONTACT, at] = r + others[other, BODY_RADIUS]
        pairs[MOTION_X, at] = (others[other, BODY_VX] - vx) * avoidance.look_ahead
        pairs[MOTION_Y, at] = (others[other, BODY_VY] - vy) * avoidance.look_ahead
        pairs[HEADING_X, at], pairs[HEADING_Y, at] = ex, ey
    return used + count


@inner
def compute_forces(used, pairs):
    """Compute F_c (m/s2), direction and gap of each pair.

    There are no branches, so that the compiler vectorises eight pairs; pairs of several characters
    are processed together, and the last batch is filled with pairs without effect.
    """
    padded = (used + VECTOR - 1) // VECTOR * VECTOR
    for m in range(used, padded):
        pairs[DX, m], pairs[DY, m], pairs[CONTACT, m] = _NOWHERE, _ZERO, _ONE
        pairs[MOTION_X, m], pairs[MOTION_Y, m] = _ZERO, _ZERO
        pairs[HEADING_X, m], pairs[HEADING_Y, m] = _ZERO, _ZERO
    for m in range(padded):
        dx, dy, contact = pairs[DX, m], pairs[DY, m], pairs[CONTACT, m]
        sx, sy = pairs[MOTION_X, m], pairs[MOTION_Y, m]
        ex, ey = pairs[HEADING_X, m], pairs[HEADING_Y, m]
        d = math.sqrt(dx * dx + dy * dy)
        per_d = _ONE / d
        nx, ny = dx * per_d, dy * per_d
        g = max(d - contact, _NEAREST)
        gx, gy = g * nx + _SIDE * ey, g * ny - _SIDE * ex
        hx, hy = gx - sx, gy - sy
        h = max(math.sqrt(hx * hx + hy * hy), _NEAREST)
        total = g + h
        b = math.sqrt(max(_QUARTER * (total * total - sx * sx - sy * sy), _LEAST))
        v = b * _PER_16_SIGMA
        p = _ONE + v * (_ONE + v * (_HALF + v * _SIXTH))  # exp(-b / sigma) is p^-16, to 1 %
        p *= p
        p *= p
        p *= p
        p *= p
        # grad b = (g + h) / 4 b (g / |g| + h / |h|)
        f = _QUARTER_STRENGTH * total / (p * b * g * h)
        f = f * _BEHIND if -(ex * nx + ey * ny) < _COS_SIGHT else f
        pairs[FORCE_X, m], pairs[FORCE_Y, m] = f * (gx * h + hx * g), f * (gy * h + hy * g)
        pairs[NORMAL_X, m], pairs[NORMAL_Y, m], pairs[GAP, m] = nx, ny, d - contact


@inner
def total_force(first, end, pairs):
    """Return the sum of F_c of the pairs first to end - 1. m/s2."""
    fx, fy = _ZERO, _ZERO
    for m in range(first, end):
        fx, fy = fx + pairs[FORCE_X, m], fy + pairs[FORCE_Y, m]
    return fx, fy
