"""Optimal crossings of a fixed sequence of sides: a convex problem, solved by Newton's method.

The variables are the fractions of the sides at which they are crossed. Each crossing interacts only
with its neighbours, so the Hessian is tridiagonal. Where the terrain changes, the minimum obeys
Snell's law (Mitchell and Papadimitriou, 1991).

The length of a line is not differentiable at 0, which is common between crossings in one corner. So
the method is primal-dual, with the pull of each line and the push of each corner as additional
unknowns (Chan, Golub and Mulet, 1999); these change less than the crossings.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway._numba.math import log

ROUGH, FINE, FINEST = 2, 4, 6  # levels of smoothing: accurate to centimetres, millimetres, rounding
BLUNT = 0.1  # m, smoothing of lengths near 0 on the first level
SHARPER = 0.03  # factor of BLUNT from level to level
PUSH = 0.1  # m of weighted length per m of smoothing: strength of the barrier at corners
ENOUGH = 1.0  # minimum gain of a step per crossing, in pushes; below it the next level begins
STEPS = 12  # maximum number of Newton steps per level
INSIDE = 0.95  # maximum fraction of the distance to a corner, and of a push, that a step may use
CLOSEST = 1e-14  # minimum distance from a corner, fraction of a side
OFF_CORNER = 0.02  # fraction of a side at which crossings in a corner start
WORK = 12  # rows of memory


@inner
def point(i, n, ends, lines, share):
    """Crossing i of n; -1 is the start and n the goal."""
    if i < 0:
        return ends[0], ends[1]
    if i >= n:
        return ends[2], ends[3]
    return lines[i, 0] + share[i] * lines[i, 2], lines[i, 1] + share[i] * lines[i, 3]


@inner
def _value(n, ends, lines, weight, share, blunt, push):
    """Smoothed weighted length of the path through n crossings, with a barrier at corners."""
    total, x, y = 0.0, ends[0], ends[1]
    for i in range(n + 1):
        u, v = point(i, n, ends, lines, share)
        total += weight[i] * math.sqrt((u - x) * (u - x) + (v - y) * (v - y) + blunt * blunt)
        x, y = u, v
    if push > 0.0:
        product = 1.0
        for i in range(n):
            product *= share[i] * (1.0 - share[i])
            if i % 8 == 7 or i == n - 1:  # one logarithm for several factors
                total -= push * log(product)
                product = 1.0
    return total


@inner
def _slopes(n, ends, lines, weight, share, blunt, push, work):
    """Gradient (n,) of `_value` and the two diagonals that replace its Hessian."""
    slope, diagonal, above, low, high = work[0], work[1], work[2], work[5], work[6]
    pull_x, pull_y, along_x, along_y, stiff = work[7], work[8], work[9], work[10], work[11]
    for i in range(n):
        below, beyond = 1.0 / share[i], 1.0 / (1.0 - share[i])
        slope[i] = push * (beyond - below)
        diagonal[i] = low[i] * below + high[i] * beyond
    x, y = ends[0], ends[1]
    ax = ay = bx = by = 0.0
    for i in range(n + 1):
        u, v = point(i, n, ends, lines, share)
        dx, dy = u - x, v - y
        size = 1.0 / math.sqrt(dx * dx + dy * dy + blunt * blunt)
        dx, dy, hard = dx * size, dy * size, weight[i] * size
        along_x[i], along_y[i], stiff[i] = dx, dy, size
        px, py = pull_x[i], pull_y[i]
        before = before_pull = 0.0
        if i > 0:
            ax, ay = bx, by
            before, before_pull = ax * dx + ay * dy, ax * px + ay * py
            slope[i - 1] -= weight[i] * before
            diagonal[i - 1] += hard * (ax * ax + ay * ay - before * before_pull)
        if i < n:
            bx, by = lines[i, 2], lines[i, 3]
            after, after_pull = bx * dx + by * dy, bx * px + by * py
            slope[i] += weight[i] * after
            diagonal[i] += hard * (bx * bx + by * by - after * after_pull)
            if i > 0:
                both = 0.5 * (before * after_pull + before_pull * after)
                above[i - 1] = -hard * (ax * bx + ay * by - both)
        x, y = u, v


@inner
def _solve(n, slope, diagonal, above, step):
    """Newton's step (n,) and the slope along it (Thomas algorithm); overwrites `diagonal`.

    `diagonal` then contains inverses: one division per crossing, and none in the backward pass.
    """
    for i in range(n):
        step[i] = -slope[i]
        if i > 0:
            factor = above[i - 1] * diagonal[i - 1]
            diagonal[i] -= factor * above[i - 1]
            step[i] -= factor * step[i - 1]
        diagonal[i] = 1.0 / diagonal[i]
    down = 0.0
    for i in range(n - 1, -1, -1):
        rest = step[i] - (above[i] * step[i + 1] if i + 1 < n else 0.0)
        step[i] = rest * diagonal[i]
        down += step[i] * slope[i]
    return down


@inner
def _push_on(n, share, push, step, low, high):
    """Update the pushes of corners for a step; fraction of it that stays between the corners."""
    most = 1.0
    for i in range(n):
        below, beyond = 1.0 / share[i], 1.0 / (1.0 - share[i])
        most = max(most, max(-step[i] * below, step[i] * beyond) / INSIDE)
        low[i] = max((1.0 - INSIDE) * low[i], below * (push - low[i] * step[i]))
        high[i] = max((1.0 - INSIDE) * high[i], beyond * (push + high[i] * step[i]))
    return 1.0 / most


@inner
def _pull_on(n, lines, step, work):
    """Update the pulls of lines for a step, each at most 1."""
    pull_x, pull_y, along_x, along_y, stiff = work[7], work[8], work[9], work[10], work[11]
    x = y = 0.0
    for i in range(n + 1):
        u = step[i] * lines[i, 2] if i < n else 0.0
        v = step[i] * lines[i, 3] if i < n else 0.0
        dx, dy = (u - x) * stiff[i], (v - y) * stiff[i]
        along = along_x[i] * dx + along_y[i] * dy
        px, py = along_x[i] + dx - pull_x[i] * along, along_y[i] + dy - pull_y[i] * along
        hard = max(1.0, math.sqrt(px * px + py * py))
        pull_x[i], pull_y[i] = px / hard, py / hard
        x, y = u, v


@inner
def _tighten_once(n, ends, lines, weight, blunt, push, now, share, work):
    """One Newton step with line search: slope along it, new value."""
    step, trial = work[3], work[4]
    _slopes(n, ends, lines, weight, share, blunt, push, work)
    down = _solve(n, work[0], work[1], work[2], step)
    if not down < 0.0:
        return 0.0, now
    reach = _push_on(n, share, push, step, work[5], work[6])
    _pull_on(n, lines, step, work)
    for _ in range(30):
        for i in range(n):
            trial[i] = min(1.0 - CLOSEST, max(CLOSEST, share[i] + reach * step[i]))
        value = _value(n, ends, lines, weight, trial, blunt, push)
        if value <= now + 1e-3 * reach * down:
            for i in range(n):
                share[i] = trial[i]
            return down, value
        reach *= 0.3
    return 0.0, now


@inner(inline=False)
def tighten(n, ends, lines, weight, share, work, levels):
    """Move n crossings to minimize the weighted length, which is returned.

    `ends` (4,) start and goal, `lines` (n, 4) one end of each side and the vector to the other,
    `weight` (n + 1,) between crossings, `share` (n,) of each side, `work` (WORK, n + 1). Lengths
    are smoothed near 0 and crossings pushed away from corners, less from level to level.
    """
    blunt = BLUNT
    for i in range(n):
        share[i] = min(1.0 - OFF_CORNER, max(OFF_CORNER, share[i]))
        work[5, i], work[6, i] = PUSH * blunt / share[i], PUSH * blunt / (1.0 - share[i])
    work[7, : n + 1] = 0.0
    work[8, : n + 1] = 0.0
    for _ in range(levels):
        push = PUSH * blunt
        now = _value(n, ends, lines, weight, share, blunt, push)
        for _ in range(STEPS):
            down, now = _tighten_once(n, ends, lines, weight, blunt, push, now, share, work)
            if down >= -ENOUGH * n * push:
                break
        blunt *= SHARPER
    return _value(n, ends, lines, weight, share, 0.0, 0.0)
