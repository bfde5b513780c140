"""F_c: how characters keep off each other (cmm-crowds-2008, section 4).

Equation 3 of Helbing and Molnar (1995): the potential V0 exp(-b / sigma) around another character,
b the shorter half axis of an ellipse that reaches ahead along the way it makes in `look` seconds.
Distances are between the discs, not the centres, so contact is the limit. The velocity is taken
relative to one's own (Johansson, Helbing and Shukla, 2007): as printed, who walks ahead in the same
direction at the same speed is fled from, and a dense one-way crowd comes to rest. All in 32 bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from footway._numba.jit import inner

V0 = 2.1  # m2/s2
SIGMA = 0.3  # m
BODY = 0.5  # m, two radii: at which distance of the centres V0 was measured as if it were 0
BEHIND = 0.5  # factor for those outside the field of view
SIGHT = 100.0  # degrees to either side
RANGE = 3.0  # m between discs: those further off do not matter
LANES = 8  # pairs that are done at once
NEARBY = 1024  # neighbours of one character that count; more do not fit around it
PAIRS = 2064  # pairs that fit into `pairs`: of some characters, one after the other
ROWS = 12  # of `pairs`: offset x, y, radii, way x, y, wish x, y; force x, y, direction x, y, gap
TIGHT = 128  # neighbours of one character that may be met in a step

_ZERO, _HALF, _QUARTER, _ONE = (np.float32(v) for v in (0.0, 0.5, 0.25, 1.0))
_SIXTH = np.float32(1.0 / 6.0)
_STRENGTH = V0 / SIGMA * 0.18887560283756183  # m/s2, at contact: the last is exp(-BODY / SIGMA)
_QUARTER_STRENGTH = np.float32(0.25 * _STRENGTH)
_PER_16_SIGMA = np.float32(1.0 / (16.0 * SIGMA))
_RANGE, _BEHIND = np.float32(RANGE), np.float32(BEHIND)
_COS_SIGHT = np.float32(-0.17364817766693036)  # cosine of SIGHT
_NEAREST: Any = np.float32(0.05)  # m, between discs, below which the force grows no more
_LEAST: Any = np.float32(0.0025)  # m2, of b squared
_SIDE = np.float32(0.05)  # m: who meets another head on sees it this much to the left
_TINY: Any = np.float32(1e-6)
_NOWHERE = np.float32(1e3)


@inner
def gather(x, y, r, row, first, end, count, bodies, near):
    """Note the rows first to end - 1 that are in range of a body, without a branch: how many."""
    for other in range(first, end):
        dx, dy = x - bodies[other, 0], y - bodies[other, 1]
        far = r + bodies[other, 4] + _RANGE
        near[count] = other
        count += (dx * dx + dy * dy <= far * far) & (other != row)
    return count


@inner
def load(row, ex, ey, model, count, bodies, others, near, used, pairs):
    """Append to `pairs` what the force of the rows `near` of `others` needs: how many there are.

    The way of another is what it makes in the time that one looks ahead, relative to one's own.
    """
    x, y, r = bodies[row, 0], bodies[row, 1], bodies[row, 4]
    vx, vy, look = model[0] * bodies[row, 2], model[0] * bodies[row, 3], model[1]
    for m in range(count):
        other, at = near[m], used + m
        dx, dy = x - others[other, 0], y - others[other, 1]
        if dx == _ZERO and dy == _ZERO:  # in one place: each goes its own way
            dx = _TINY if other > row else -_TINY
        pairs[0, at], pairs[1, at], pairs[2, at] = dx, dy, r + others[other, 4]
        pairs[3, at] = (others[other, 2] - vx) * look
        pairs[4, at] = (others[other, 3] - vy) * look
        pairs[5, at], pairs[6, at] = ex, ey
    return used + count


@inner
def whole_lanes(used, pairs):
    """Fill the last lanes up with pairs that do not matter: how many pairs there are."""
    lanes = (used + LANES - 1) // LANES * LANES
    for m in range(used, lanes):
        pairs[0, m], pairs[1, m], pairs[2, m] = _NOWHERE, _ZERO, _ONE
        pairs[3, m], pairs[4, m], pairs[5, m], pairs[6, m] = _ZERO, _ZERO, _ZERO, _ZERO
    return lanes


@inner
def avoid(lanes, pairs):
    """F_c of each pair (m/s2), and how close they are.

    Straight on without branches, so that the compiler does eight pairs at once; pairs of several
    characters follow each other, so that few lanes are empty.
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
    """Sum of F_c of the pairs first to end - 1. m/s2."""
    fx, fy = _ZERO, _ZERO
    for m in range(first, end):
        fx, fy = fx + pairs[7, m], fy + pairs[8, m]
    return fx, fy


@inner
def keep_close(close, first, end, pairs, held, tight):
    """Add the pairs that are closer than `close` m to those `held` in `tight`: how many there are.

    `tight` (4, m): direction x, y, what one may take of the gap, m, and the velocity along it of
    one that does not give way. Two characters take one half each.
    """
    for m in range(first, end):
        if pairs[11, m] < close and held < TIGHT:
            tight[0, held], tight[1, held] = pairs[9, m], pairs[10, m]
            tight[2, held], tight[3, held] = _HALF * pairs[11, m], _ZERO
            held += 1
    return held


@inner
def keep_off(count, near, discs, pairs, held, tight):
    """As `keep_close` for dynamic obstacles: they give no way, so one may take all of the gap."""
    for m in range(count):
        if pairs[11, m] < _RANGE and held < TIGHT:
            nx, ny = pairs[9, m], pairs[10, m]
            tight[0, held], tight[1, held], tight[2, held] = nx, ny, pairs[11, m]
            tight[3, held] = discs[near[m], 2] * nx + discs[near[m], 3] * ny
            held += 1
    return held


@inner
def kept_apart(vx, vy, held, dt, tight):
    """Velocity that takes up no more than its share of any gap in a step, and undoes overlaps.

    With a share of one half each, two characters never meet. Twice, for one may push into another.
    """
    for _ in range(2):
        for m in range(held):
            nx, ny = tight[0, m], tight[1, m]
            short = tight[3, m] - tight[2, m] / dt - (vx * nx + vy * ny)
            if short > 0.0:
                vx, vy = vx + short * nx, vy + short * ny
    return vx, vy
