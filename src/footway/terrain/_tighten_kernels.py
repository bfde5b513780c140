"""Where a fixed sequence of sides is best crossed: a convex problem, by Newton's method.

The weighted length depends on the share of each side at which it is crossed, and each crossing on
its neighbours only: the second derivatives are two diagonals. Where the ground changes, the least
value obeys Snell's law (Mitchell and Papadimitriou, 1991).
"""

from __future__ import annotations

import math

from footway._jit import inner

FINE, FINEST = 4, 6  # levels of bluntness: to some millimetres, and to rounding
BLUNT = 0.1  # m, by which lengths are rounded off near 0 on the first level
SHARPER = 0.03  # of it from level to level
PUSH = 0.1  # m of weighted length per m of bluntness: how hard crossings are pushed off corners
STEPS = 12  # of Newton's method on one level
INSIDE = 0.95  # of the way to a corner that a step may go
CLOSEST = 1e-14  # share of a side
OFF_CORNER = 0.02  # share of a side at which crossings in a corner begin


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
                total -= push * math.log(product)
                product = 1.0
    return total


@inner
def _slopes(n, ends, lines, weight, share, blunt, push, slope, diagonal, above):
    """Gradient (n,) of `_value` and the two diagonals of its second derivatives."""
    for i in range(n):
        low, high = 1.0 / share[i], 1.0 / (1.0 - share[i])
        slope[i] = push * (high - low)
        diagonal[i] = push * (low * low + high * high)
    x, y = ends[0], ends[1]
    ax = ay = bx = by = 0.0
    for i in range(n + 1):
        u, v = point(i, n, ends, lines, share)
        dx, dy = u - x, v - y
        size = 1.0 / math.sqrt(dx * dx + dy * dy + blunt * blunt)
        dx, dy, stiff = dx * size, dy * size, weight[i] * size
        before = after = 0.0
        if i > 0:
            ax, ay = bx, by
            before = ax * dx + ay * dy
            slope[i - 1] -= weight[i] * before
            diagonal[i - 1] += stiff * (ax * ax + ay * ay - before * before)
        if i < n:
            bx, by = lines[i, 2], lines[i, 3]
            after = bx * dx + by * dy
            slope[i] += weight[i] * after
            diagonal[i] += stiff * (bx * bx + by * by - after * after)
        if 0 < i < n:
            above[i - 1] = -stiff * (ax * bx + ay * by - before * after)
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
def _reach(n, share, step):
    """Share of a step that stays well between the corners."""
    reach = 1.0
    for i in range(n):
        if step[i] < 0.0:
            reach = min(reach, -INSIDE * share[i] / step[i])
        elif step[i] > 0.0:
            reach = min(reach, INSIDE * (1.0 - share[i]) / step[i])
    return reach


@inner
def _tighten_once(n, ends, lines, weight, blunt, push, now, share, work):
    """One step of Newton's method, shortened until it is good: slope along it, new value."""
    slope, diagonal, above, step, trial = work[0], work[1], work[2], work[3], work[4]
    _slopes(n, ends, lines, weight, share, blunt, push, slope, diagonal, above)
    down = _solve(n, slope, diagonal, above, step)
    if not down < 0.0:
        return 0.0, now
    reach = _reach(n, share, step)
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
    `weight` (n + 1,) between crossings, `share` (n,) of each side, `work` (5, n). Lengths are
    blunted near 0 and crossings pushed away from corners, less from level to level.
    """
    for i in range(n):
        share[i] = min(1.0 - OFF_CORNER, max(OFF_CORNER, share[i]))
    blunt = BLUNT
    for _ in range(levels):
        push = PUSH * blunt
        now = _value(n, ends, lines, weight, share, blunt, push)
        for _ in range(STEPS):
            down, now = _tighten_once(n, ends, lines, weight, blunt, push, now, share, work)
            if down >= -push:
                break
        blunt *= SHARPER
    return _value(n, ends, lines, weight, share, 0.0, 0.0)
