"""F_c: collision avoidance between characters (cmm-crowds-2008, section 4).

Equation 3 of Helbing and Molnar (1995): the potential V0 exp(-b / sigma) around another character,
where b is the semi-minor axis of an ellipse that extends along its motion in `look` seconds.
Distances are between the discs, not the centres, so contact is the limit. The velocity is relative
to the character's own (Johansson, Helbing and Shukla, 2007): in the printed form, a character flees
from one that walks ahead at the same velocity, and a dense one-way crowd stops. All in 32 bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from footway._numba.jit import inner

V0 = 2.1  # m2/s2
SIGMA = 0.3  # m
BODY = 0.5  # m, two radii: V0 refers to centres, so this is subtracted for distances of discs
BEHIND = 0.5  # factor for characters outside the field of view
SIGHT = 100.0  # degrees to either side
RANGE = 3.0  # m between discs, beyond which F_c is 0
LANES = 8  # pairs per SIMD batch
NEARBY = 1024  # greatest number of neighbours of one character; more do not fit around it
PAIRS = 2064  # capacity of `pairs`, which holds the pairs of several characters
ROWS = (
    12  # of `pairs`: offset x, y, radii, motion x, y, heading x, y; force x, y, direction x, y, gap
)
TIGHT = 128  # greatest number of neighbours that a character may touch in a step

_ZERO, _HALF, _QUARTER, _ONE = (np.float32(v) for v in (0.0, 0.5, 0.25, 1.0))
_SIXTH = np.float32(1.0 / 6.0)
_STRENGTH = (
    V0 / SIGMA * 0.18887560283756183
)  # m/s2, at contact; the last factor is exp(-BODY / SIGMA)
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
        dx, dy = x - bodies[other, 0], y - bodies[other, 1]
        far = r + bodies[other, 4] + _RANGE
        near[count] = other
        count += (dx * dx + dy * dy <= far * far) & (other != row)
    return count


@inner
def load(row, ex, ey, model, count, bodies, others, near, used, pairs):
    """Append the inputs of F_c for the rows `near` of `others` to `pairs`; return the new count.

    The motion of another character is its relative velocity times the look-ahead time.
    """
    x, y, r = bodies[row, 0], bodies[row, 1], bodies[row, 4]
    vx, vy, look = model[0] * bodies[row, 2], model[0] * bodies[row, 3], model[1]
    for m in range(count):
        other, at = near[m], used + m
        dx, dy = x - others[other, 0], y - others[other, 1]
        if dx == _ZERO and dy == _ZERO:  # at the same point: push them apart in opposite directions
            dx = _TINY if other > row else -_TINY
        pairs[0, at], pairs[1, at], pairs[2, at] = dx, dy, r + others[other, 4]
        pairs[3, at] = (others[other, 2] - vx) * look
        pairs[4, at] = (others[other, 3] - vy) * look
        pairs[5, at], pairs[6, at] = ex, ey
    return used + count


@inner
def whole_lanes(used, pairs):
    """Pad with pairs without effect to a multiple of LANES; return the number of pairs."""
    lanes = (used + LANES - 1) // LANES * LANES
    for m in range(used, lanes):
        pairs[0, m], pairs[1, m], pairs[2, m] = _NOWHERE, _ZERO, _ONE
        pairs[3, m], pairs[4, m], pairs[5, m], pairs[6, m] = _ZERO, _ZERO, _ZERO, _ZERO
    return lanes


@inner
def avoid(lanes, pairs):
    """Compute F_c (m/s2), direction and gap of each pair.

    There are no branches, so that the compiler vectorises eight pairs; pairs of several characters
    are processed together, so that few SIMD lanes are empty.
    """
    for m in range(lanes):
        dx, dy, reach = pairs[0, m], pairs[1, m], pairs[2, m]
        sx, sy, ex, ey = pairs[3, m], pairs[4, m], pairs[5, m], pairs[6, m]
        d = math.sqrt(dx * dx + dy * dy)
        per_d = _ONE / d
        nx, ny = dx * per_d, dy * per_d
        g = max(d - reach, _NEAREST)
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
        pairs[7, m], pairs[8, m] = f * (gx * h + hx * g), f * (gy * h + hy * g)
        pairs[9, m], pairs[10, m], pairs[11, m] = nx, ny, d - reach


@inner
def total_force(first, end, pairs):
    """Return the sum of F_c of the pairs first to end - 1. m/s2."""
    fx, fy = _ZERO, _ZERO
    for m in range(first, end):
        fx, fy = fx + pairs[7, m], fy + pairs[8, m]
    return fx, fy


@inner
def keep_close(close, first, end, pairs, held, tight):
    """Append the pairs that are closer than `close` m to the `held` rows of `tight`; new count.

    `tight` (4, m): direction x, y, usable share of the gap, m, and the velocity of an obstacle
    along the direction. Each of two characters may use half of the gap.
    """
    for m in range(first, end):
        if pairs[11, m] < close and held < TIGHT:
            tight[0, held], tight[1, held] = pairs[9, m], pairs[10, m]
            tight[2, held], tight[3, held] = _HALF * pairs[11, m], _ZERO
            held += 1
    return held


@inner
def keep_off(count, near, discs, pairs, held, tight):
    """Like `keep_close` for dynamic obstacles: a character may use the whole gap."""
    for m in range(count):
        if pairs[11, m] < _RANGE and held < TIGHT:
            nx, ny = pairs[9, m], pairs[10, m]
            tight[0, held], tight[1, held], tight[2, held] = nx, ny, pairs[11, m]
            tight[3, held] = discs[near[m], 2] * nx + discs[near[m], 3] * ny
            held += 1
    return held


@inner
def kept_apart(vx, vy, held, dt, tight):
    """Limit a velocity to the usable share of every gap in a step, and resolve overlaps.

    With half of the gap each, two characters never touch. Two passes, since one correction may
    violate another.
    """
    for _ in range(2):
        for m in range(held):
            nx, ny = tight[0, m], tight[1, m]
            short = tight[3, m] - tight[2, m] / dt - (vx * nx + vy * ny)
            if short > 0.0:
                vx, vy = vx + short * nx, vy + short * ny
    return vx, vy
