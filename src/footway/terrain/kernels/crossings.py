"""Crossings of a path: which sides of triangles it crosses, and where.

A chain is (passed, sides, share, lines, weight, work): n + 1 triangles that are passed; the n sides
between them, and the fraction of each at which it is crossed; each side as a line, one end and the
vector to the other, shortened to keep a margin from worse terrain; and the n + 1 weights between
crossings.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway._numba.math import log
from footway.terrain.kernels.search import length
from footway.terrain.kernels.triangles import corner_of

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


FAN = 256  # maximum number of triangles around one corner
AT_END = 1e-7  # fraction of a side, or m, within which a crossing is at a corner
FLAT = 1e-3  # minimum sine of the angle between a side and the border of worse terrain
OPEN = 0.2  # fraction of a side that remains if the margin does not fit


@inner(inline=False)
def fan(t, last, p, way, at, passed, sides, triangles, neighbours):
    """Write the triangles after t up to `last` around corner p, and the sides crossed.

    `way` 0 is clockwise, 1 counterclockwise. Writes passed[at + 1 ..], sides[at ..]; returns the
    index of `last` in `passed`, or -1 if a wall is in between.
    """
    now = t
    while now != last:
        k = corner_of(now, p, triangles)
        k = k if way == 0 else (k + 2) % 3
        now = neighbours[now, k]
        if now < 0 or now == t or at + 2 >= len(passed):
            return -1
        sides[at] = k
        at += 1
        passed[at] = now
    return at


@inner
def _across(ax, ay, vx, vy, bx, by):
    """Direction around v in which the angle from va to vb is less than half a turn."""
    return 0 if (ax - vx) * (by - vy) - (ay - vy) * (bx - vx) < 0.0 else 1


@inner(inline=False)
def lay_out(way, through, ends, nodes, ground, passed, sides, share):
    """Write the crossings of a path over nodes: passed (n + 1,), sides and share (n,); return n.

    A path through a corner crosses all sides around it, on the side of the smaller angle.
    """
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    places = nodes.places
    n = 0
    passed[0] = through[0]
    for i in range(len(way)):
        node, t, u = way[i], through[i], through[i + 1]
        x, y = places[node, 0], places[node, 1]
        if node >= nodes.corners:
            k = 0 if neighbours[t, 0] == u else (1 if neighbours[t, 1] == u else 2)
            p, q = triangles[t, k], triangles[t, (k + 1) % 3]
            whole = length(points[q, 0] - points[p, 0], points[q, 1] - points[p, 1])
            sides[n], share[n] = k, length(x - points[p, 0], y - points[p, 1]) / whole
            n += 1
            passed[n] = u
            continue
        slot = nodes.offsets[t]
        first, second = nodes.of_triangle[slot], nodes.of_triangle[slot + 1]
        k = 0 if first == node else (1 if second == node else 2)
        p = triangles[t, k]
        ax, ay = ends[0], ends[1]
        bx, by = ends[2], ends[3]
        if i > 0:
            ax, ay = places[way[i - 1], 0], places[way[i - 1], 1]
        if i + 1 < len(way):
            bx, by = places[way[i + 1], 0], places[way[i + 1], 1]
        turn = _across(ax, ay, x, y, bx, by)
        end = fan(t, u, p, turn, n, passed, sides, triangles, neighbours)
        if end < 0:
            end = fan(t, u, p, 1 - turn, n, passed, sides, triangles, neighbours)
        if end < 0:
            return -1
        for j in range(n, end):
            share[j] = 0.0 if triangles[passed[j], sides[j]] == p else 1.0
        n = end
    return n


@inner
def _side(t, k, line, points, triangles):
    p, q = triangles[t, k], triangles[t, (k + 1) % 3]
    line[0], line[1] = points[p, 0], points[p, 1]
    line[2], line[3] = points[q, 0] - points[p, 0], points[q, 1] - points[p, 1]


@inner(inline=False)
def _kept_off(t, k, p, margin, allowed, weights, ground):
    """Length of side k of t, from its corner p on, within `margin` of worse terrain around p.

    Worse terrain weighs more than `allowed`. Checks both directions around p, up to a wall.
    """
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    a, b = triangles[t, k], triangles[t, (k + 1) % 3]
    x, y = points[p, 0], points[p, 1]
    ux, uy = points[a, 0] + points[b, 0] - 2.0 * x, points[a, 1] + points[b, 1] - 2.0 * y
    size, off = length(ux, uy), 0.0
    for way in range(2):  # counterclockwise, clockwise
        now = t if (way == 0) == (a == p) else neighbours[t, k]
        slant = 0.0  # sine of the angle turned so far; 1 from a right angle on
        for _ in range(FAN):
            if now < 0:
                break
            if weights[ground.kind[now]] > allowed:
                off = max(off, margin / max(slant, FLAT))
                break
            c = corner_of(now, p, triangles)
            q = triangles[now, (c + 2) % 3 if way == 0 else (c + 1) % 3]
            dx, dy = points[q, 0] - x, points[q, 1] - y
            slant = abs(ux * dy - uy * dx) / (size * length(dx, dy)) if slant < 1.0 else 1.0
            if ux * dx + uy * dy <= 0.0:
                slant = 1.0
            now = neighbours[now, (c + 2) % 3 if way == 0 else c]
    return off


@inner
def _touches(i, p, passed, sides, triangles):
    """Whether p is an end of the side that crossing i crosses."""
    return triangles[passed[i], sides[i]] == p or triangles[passed[i], (sides[i] + 1) % 3] == p


@inner
def _worst_around(i, p, n, passed, sides, weight, triangles):
    """Greatest weight of the terrain on which the path passes corner p, at crossing i."""
    first, last = i, i + 1
    while first > 0 and _touches(first - 1, p, passed, sides, triangles):
        first -= 1
    while last < n and _touches(last, p, passed, sides, triangles):
        last += 1
    worst = weight[first]
    for m in range(first + 1, last + 1):
        worst = max(worst, weight[m])
    return worst


@inner
def _shorten(i, n, passed, sides, share, weights, margin, lines, weight, ground):
    """Shorten side i near worse terrain and clamp its crossing; whether it was shortened."""
    t, k, triangles = passed[i], sides[i], ground.triangles
    p, q = triangles[t, k], triangles[t, (k + 1) % 3]
    worst = _worst_around(i, p, n, passed, sides, weight, triangles)
    first = _kept_off(t, k, p, margin, worst, weights, ground)
    worst = _worst_around(i, q, n, passed, sides, weight, triangles)
    last = _kept_off(t, k, q, margin, worst, weights, ground)
    if first + last == 0.0:
        return False
    size = length(lines[i, 2], lines[i, 3])
    fit = min(1.0, (1.0 - OPEN) * size / (first + last)) / size
    first, last = first * fit, last * fit
    rest = 1.0 - first - last
    lines[i, 0], lines[i, 1] = lines[i, 0] + first * lines[i, 2], lines[i, 1] + first * lines[i, 3]
    lines[i, 2], lines[i, 3] = rest * lines[i, 2], rest * lines[i, 3]
    share[i] = min(1.0, max(0.0, (share[i] - first) / rest))
    return True


@inner(inline=False)
def fill(n, passed, sides, share, weights, margin, lines, weight, ground):
    """Write lines of n crossings and weights between them; whether any line was shortened."""
    points, triangles, kind = ground.points, ground.triangles, ground.kind
    short = False
    for i in range(n):
        _side(passed[i], sides[i], lines[i], points, triangles)
        weight[i] = weights[kind[passed[i]]]
    weight[n] = weights[kind[passed[n]]]
    if margin > 0.0:
        for i in range(n):
            cut = _shorten(i, n, passed, sides, share, weights, margin, lines, weight, ground)
            short = short or cut
    return short


@inner
def corner_at(i, passed, sides, share, lines, points, triangles):
    """Corner at which crossing i lies; -1: none. A shortened side has no corner at that end."""
    size = length(lines[i, 2], lines[i, 3])
    near = min(0.4, AT_END + AT_END / size)
    if near < share[i] < 1.0 - near:
        return -1
    p, x, y = triangles[passed[i], sides[i]], lines[i, 0], lines[i, 1]
    if share[i] > 0.5:
        p, x, y = triangles[passed[i], (sides[i] + 1) % 3], x + lines[i, 2], y + lines[i, 3]
    return p if abs(points[p, 0] - x) + abs(points[p, 1] - y) <= AT_END else -1


@inner
def _move(m, to, n, chain):
    """Move crossing m, and the triangle and weight before it, to another index."""
    passed, sides, share, lines, weight, _ = chain
    passed[to], weight[to] = passed[m], weight[m]
    if m < n:
        sides[to], share[to] = sides[m], share[m]
        for c in range(4):
            lines[to, c] = lines[m, c]


@inner(inline=False)
def swap(i, j, turned, n, chain, spare):
    """Replace crossings i to j - 1 by `turned` crossings (spare); new count, -1: memory full."""
    passed, sides, share, lines, weight, _ = chain
    other, other_sides, other_share, other_lines, other_weight, _ = spare
    shift = turned - (j - i)
    if n + shift + 1 >= len(passed):
        return -1
    if shift > 0:
        for m in range(n, j - 1, -1):
            _move(m, m + shift, n, chain)
    elif shift < 0:
        for m in range(j, n + 1):
            _move(m, m + shift, n, chain)
    for m in range(turned):
        sides[i + m], share[i + m] = other_sides[m], other_share[m]
        for c in range(4):
            lines[i + m, c] = other_lines[m, c]
        if m > 0:
            passed[i + m], weight[i + m] = other[m], other_weight[m]
    return n + shift


@kernel
def make_chain(way, nodes):
    """Allocate the chain of a path over nodes, with capacity for paths around corners, and a spare.

    The spare holds the crossings around one corner, and the ends of the path around it.
    """
    room = 256
    for i in range(len(way)):
        room += 3 * (nodes.first[way[i] + 1] - nodes.first[way[i]])
    chain = (
        np.empty(room + 1, np.int32), np.empty(room, np.int32), np.empty(room),
        np.empty((room, 4)), np.empty(room + 1), np.empty((WORK, room + 1)),
    )  # fmt: skip
    spare = (
        np.empty(FAN + 1, np.int32), np.empty(FAN, np.int32), np.empty(FAN), np.empty((FAN, 4)),
        np.empty(FAN + 1), np.empty(4),
    )  # fmt: skip
    return chain, spare
