"""Where a fixed sequence of sides is best crossed: a convex problem, by Newton's method.

The weighted length depends on the share of each side at which it is crossed, and each crossing on
its neighbours only: the second derivatives are two diagonals. Where the ground changes, the least
value obeys Snell's law (Mitchell and Papadimitriou, 1991).

The length of a line has no slope where it is 0, and many are between crossings in one corner. So
Newton's method also has unknowns for how hard each line pulls its ends, and each corner pushes
(Chan, Golub and Mulet, 1999): the matrix is made of these, which change less than the crossings.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway._numba.math import log

ROUGH, FINE, FINEST = 2, 4, 6  # levels of bluntness: to centimetres, millimetres, rounding
BLUNT = 0.1  # m, by which lengths are rounded off near 0 on the first level
SHARPER = 0.03  # of it from level to level
PUSH = 0.1  # m of weighted length per m of bluntness: how hard crossings are pushed off corners
ENOUGH = 1.0  # pushes that a step must gain for each crossing; with less the next level begins
STEPS = 12  # of Newton's method on one level, at most
INSIDE = 0.95  # of the way to a corner that a step may go, and of a push that it may take away
CLOSEST = 1e-14  # share of a side
OFF_CORNER = 0.02  # share of a side at which crossings in a corner begin
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
    """Weighted length of the way through n crossings, blunted, with a push away from corners."""
    total, x, y = 0.0, ends[0], ends[1]
    for i in range(n + 1):
        u, v = point(i, n, ends, lines, share)
        total += weight[i] * math.sqrt((u - x) * (u - x) + (v - y) * (v - y) + blunt * blunt)
        x, y = u, v
    if push > 0.0:
        product = 1.0
        for i in range(n):
            product *= share[i] * (1.0 - share[i])
            if i % 8 == 7 or i == n - 1:  # one logarithm for several is as good
                total -= push * log(product)
                product = 1.0
    return total


@inner
def _slopes(n, ends, lines, weight, share, blunt, push, work):
    """Gradient (n,) of `_value` and two diagonals in the place of its second derivatives."""
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
    """Newton's step (n,), and the slope along it; uses `diagonal` up (Thomas algorithm).

    `diagonal` then holds inverses: one division for each crossing, and none waits for another one
    on the way back.
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
    """Let the corners push as a step asks for; share of it that stays well between them."""
    most = 1.0
    for i in range(n):
        below, beyond = 1.0 / share[i], 1.0 / (1.0 - share[i])
        most = max(most, max(-step[i] * below, step[i] * beyond) / INSIDE)
        low[i] = max((1.0 - INSIDE) * low[i], below * (push - low[i] * step[i]))
        high[i] = max((1.0 - INSIDE) * high[i], beyond * (push + high[i] * step[i]))
    return 1.0 / most


@inner
def _pull_on(n, lines, step, work):
    """Let the lines pull as a step asks for, none harder than 1."""
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
    """One step of Newton's method, shortened until it is good: slope along it, new value."""
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
    """Move n crossings to where the weighted length is least; it is returned.

    `ends` (4,) start and goal, `lines` (n, 4) one end of each side and the vector to the other,
    `weight` (n + 1,) between crossings, `share` (n,) of each side, `work` (WORK, n + 1). Lengths
    are blunted near 0 and crossings pushed away from corners, less from level to level.
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
