"""Crossings of a path: which sides of triangles it crosses, and where.

The optimal crossings of a fixed sequence of sides are a convex problem, solved by Newton's method.
The variables are the fractions of the sides at which they are crossed. Each crossing interacts only
with its neighbours, so the Hessian is tridiagonal. Where the terrain changes, the minimum obeys
Snell's law (Mitchell and Papadimitriou, 1991).

The length of a line is not differentiable at 0, which is common between crossings in one corner. So
the method is primal-dual, with the pull of each line and the push of each corner as additional
unknowns (Chan, Golub and Mulet, 1999); these change less than the crossings.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footway._numba.jit import inner, kernel
from footway._numba.math import log
from footway.terrain.kernels.search import length
from footway.terrain.kernels.triangles import corner_of, highest_rate

ROUGH, FINE, FINEST = 2, 4, 6  # levels of smoothing: accurate to centimetres, millimetres, rounding
BLUNT = 0.1  # m, smoothing of lengths near 0 on the first level
SHARPER = 0.03  # factor of BLUNT from level to level
PUSH = 0.1  # m of weighted length per m of smoothing: strength of the barrier at corners
ENOUGH = 1.0  # minimum gain of a step per crossing, in pushes; below it the next level begins
STEPS = 12  # maximum number of Newton steps per level
INSIDE = 0.95  # maximum fraction of the distance to a corner, and of a push, that a step may use
CLOSEST = 1e-14  # minimum distance from a corner, fraction of a side
OFF_CORNER = 0.02  # fraction of a side at which crossings in a corner start
FAN = 256  # maximum number of triangles around one corner
AT_END = 1e-7  # fraction of a side, or m, within which a crossing is at a corner
FLAT = 1e-3  # minimum sine of the angle between a side and the border of worse terrain
OPEN = 0.2  # fraction of a side that remains if the margin does not fit

X, Y, DX, DY = range(4)  # columns of lines: one end of a side, and the vector to the other


class Chain(NamedTuple):
    """A path as n crossings of sides; the arrays may be longer."""

    passed: np.ndarray  # (n + 1,) int32, triangles that are passed
    sides: np.ndarray  # (n,) int32, side of the triangle before each crossing
    share: np.ndarray  # (n,) fraction of each line at which it is crossed
    lines: np.ndarray  # (n, 4) each side, shortened to keep a margin from worse terrain, m
    weight: np.ndarray  # (n + 1,) of the terrain between crossings
    rise: np.ndarray  # (n + 1, 2) of the terrain between crossings: see `TerrainMesh`
    around: np.ndarray  # (points,) greatest highest rate around each point: see `rates_around`


class NewtonWorkspace(NamedTuple):
    """Memory of Newton's method, (n + 1,) each."""

    slope: np.ndarray  # gradient
    diagonal: np.ndarray  # of the matrix that replaces the Hessian
    above: np.ndarray  # its upper diagonal
    step: np.ndarray
    trial: np.ndarray  # crossings after a part of the step
    low: np.ndarray  # pushes of the corners at both ends of each side
    high: np.ndarray
    pull_x: np.ndarray  # pulls of the lines between crossings, z by their rise
    pull_y: np.ndarray
    pull_z: np.ndarray
    along_x: np.ndarray  # directions of these lines
    along_y: np.ndarray
    along_z: np.ndarray
    stiff: np.ndarray  # inverses of their smoothed lengths


@kernel
def rates_around(weights, mesh):
    """Return the greatest highest rate of the triangles around each point of a mesh, (points,)."""
    around = np.zeros(len(mesh.points))
    for t in range(len(mesh.triangles)):
        here = highest_rate(mesh.kind[t], weights, mesh)
        for k in range(3):
            p = mesh.triangles[t, k]
            around[p] = max(around[p], here)
    return around


@kernel
def _make_chain(n, around):
    return Chain(
        np.empty(n + 1, np.int32),
        np.empty(n, np.int32),
        np.empty(n),
        np.empty((n, 4)),
        np.empty(n + 1),
        np.empty((n + 1, 2)),
        around,
    )


@kernel
def make_chains(path, nodes, around):
    """Allocate the chain of a path over nodes, a chain around one corner, and a workspace.

    The capacity suffices for paths around the corners of the path. `around` is the result of
    `rates_around`.
    """
    n = 256
    for i in range(len(path)):
        n += 3 * (nodes.first[path[i] + 1] - nodes.first[path[i]])
    m = np.empty((14, n + 1))
    work = NewtonWorkspace(
        m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], m[12], m[13]
    )
    return _make_chain(n, around), _make_chain(FAN, around), work


# Optimal crossings -------------------------------------------------------------------------------


@inner
def point(i, n, ends, lines, share):
    """Crossing i of n; -1 is the start and n the goal."""
    if i < 0:
        return ends[0], ends[1]
    if i >= n:
        return ends[2], ends[3]
    return lines[i, X] + share[i] * lines[i, DX], lines[i, Y] + share[i] * lines[i, DY]


@inner
def _rise(i, x, y, chain):
    """Rise of the vector (x, y) on the terrain between crossings i - 1 and i."""
    return chain.rise[i, 0] * x + chain.rise[i, 1] * y


@inner
def _value(n, ends, chain, share, blunt, push):
    """Smoothed weighted length of the path through n crossings, with a barrier at corners."""
    total, x, y = 0.0, ends[0], ends[1]
    for i in range(n + 1):
        u, v = point(i, n, ends, chain.lines, share)
        z = _rise(i, u - x, v - y, chain)
        size = (u - x) * (u - x) + (v - y) * (v - y) + z * z + blunt * blunt
        total += chain.weight[i] * math.sqrt(size)
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
def _set_slopes(n, ends, chain, blunt, push, work):
    """Write gradient (n,) of `_value` and the two diagonals that replace its Hessian."""
    lines, weight, share = chain.lines, chain.weight, chain.share
    slope, diagonal, above = work.slope, work.diagonal, work.above
    for i in range(n):
        below, beyond = 1.0 / share[i], 1.0 / (1.0 - share[i])
        slope[i] = push * (beyond - below)
        diagonal[i] = work.low[i] * below + work.high[i] * beyond
    x, y = ends[0], ends[1]
    ax = ay = bx = by = 0.0
    for i in range(n + 1):
        u, v = point(i, n, ends, lines, share)
        dx, dy = u - x, v - y
        dz = _rise(i, dx, dy, chain)
        size = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz + blunt * blunt)
        dx, dy, dz, hard = dx * size, dy * size, dz * size, weight[i] * size
        work.along_x[i], work.along_y[i], work.along_z[i], work.stiff[i] = dx, dy, dz, size
        px, py, pz = work.pull_x[i], work.pull_y[i], work.pull_z[i]
        az = before = before_pull = 0.0
        if i > 0:
            ax, ay, az = bx, by, _rise(i, bx, by, chain)
            before, before_pull = ax * dx + ay * dy + az * dz, ax * px + ay * py + az * pz
            slope[i - 1] -= weight[i] * before
            diagonal[i - 1] += hard * (ax * ax + ay * ay + az * az - before * before_pull)
        if i < n:
            bx, by = lines[i, DX], lines[i, DY]
            bz = _rise(i, bx, by, chain)
            after, after_pull = bx * dx + by * dy + bz * dz, bx * px + by * py + bz * pz
            slope[i] += weight[i] * after
            diagonal[i] += hard * (bx * bx + by * by + bz * bz - after * after_pull)
            if i > 0:
                both = 0.5 * (before * after_pull + before_pull * after)
                above[i - 1] = -hard * (ax * bx + ay * by + az * bz - both)
        x, y = u, v


@inner
def _solve(n, work):
    """Write Newton's step (n,) and return the slope along it (Thomas algorithm).

    `diagonal` then contains inverses: one division per crossing, and none in the backward pass.
    """
    slope, diagonal, above, step = work.slope, work.diagonal, work.above, work.step
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
def _update_duals(n, chain, push, work):
    """Update pushes and pulls for a step; fraction of it that stays between the corners."""
    share, lines, step, low, high = chain.share, chain.lines, work.step, work.low, work.high
    most = 1.0
    for i in range(n):
        below, beyond = 1.0 / share[i], 1.0 / (1.0 - share[i])
        most = max(most, max(-step[i] * below, step[i] * beyond) / INSIDE)
        low[i] = max((1.0 - INSIDE) * low[i], below * (push - low[i] * step[i]))
        high[i] = max((1.0 - INSIDE) * high[i], beyond * (push + high[i] * step[i]))
    x = y = 0.0
    for i in range(n + 1):
        u = step[i] * lines[i, DX] if i < n else 0.0
        v = step[i] * lines[i, DY] if i < n else 0.0
        ex, ey, ez, stiff = work.along_x[i], work.along_y[i], work.along_z[i], work.stiff[i]
        dx, dy = (u - x) * stiff, (v - y) * stiff
        dz = _rise(i, dx, dy, chain)
        along = ex * dx + ey * dy + ez * dz
        px, py = ex + dx - work.pull_x[i] * along, ey + dy - work.pull_y[i] * along
        pz = ez + dz - work.pull_z[i] * along
        hard = max(1.0, math.sqrt(px * px + py * py + pz * pz))  # each pull is at most 1
        work.pull_x[i], work.pull_y[i], work.pull_z[i] = px / hard, py / hard, pz / hard
        x, y = u, v
    return 1.0 / most


@inner
def _tighten_once(n, ends, chain, blunt, push, now, work):
    """One Newton step with line search: slope along it, new value."""
    share, step, trial = chain.share, work.step, work.trial
    _set_slopes(n, ends, chain, blunt, push, work)
    down = _solve(n, work)
    if not down < 0.0:
        return 0.0, now
    reach = _update_duals(n, chain, push, work)
    for _ in range(30):
        for i in range(n):
            trial[i] = min(1.0 - CLOSEST, max(CLOSEST, share[i] + reach * step[i]))
        value = _value(n, ends, chain, trial, blunt, push)
        if value <= now + 1e-3 * reach * down:
            for i in range(n):
                share[i] = trial[i]
            return down, value
        reach *= 0.3
    return 0.0, now


@inner(inline=False)
def tighten(n, ends, chain, work, levels):
    """Move n crossings between `ends` (x, y, x, y) to minimize the weighted length; return it.

    Lengths are smoothed near 0 and crossings pushed away from corners, less from level to level.
    """
    blunt, share = BLUNT, chain.share
    for i in range(n):
        share[i] = min(1.0 - OFF_CORNER, max(OFF_CORNER, share[i]))
        work.low[i], work.high[i] = PUSH * blunt / share[i], PUSH * blunt / (1.0 - share[i])
    work.pull_x[: n + 1] = 0.0
    work.pull_y[: n + 1] = 0.0
    work.pull_z[: n + 1] = 0.0
    for _ in range(levels):
        push = PUSH * blunt
        now = _value(n, ends, chain, share, blunt, push)
        for _ in range(STEPS):
            down, now = _tighten_once(n, ends, chain, blunt, push, now, work)
            if down >= -ENOUGH * n * push:
                break
        blunt *= SHARPER
    return _value(n, ends, chain, share, 0.0, 0.0)


# Chains ------------------------------------------------------------------------------------------


@inner(inline=False)
def fan(t, last, p, clockwise, at, chain, mesh):
    """Write the triangles after t up to `last` around corner p, and the sides crossed.

    Writes passed[at + 1 ..], sides[at ..]; returns the index of `last` in `passed`, or -1 if a wall
    is in between.
    """
    now = t
    while now != last:
        k = corner_of(now, p, mesh.triangles)
        k = k if clockwise else (k + 2) % 3
        now = mesh.neighbours[now, k]
        if now < 0 or now == t or at + 2 >= len(chain.passed):
            return -1
        chain.sides[at] = k
        at += 1
        chain.passed[at] = now
    return at


@inner(inline=False)
def lay_out(path, through, ends, nodes, mesh, chain):
    """Write the crossings of a path over nodes: passed (n + 1,), sides and share (n,); return n.

    A path through a corner crosses all sides around it, on the side of the smaller angle.
    """
    points, triangles = mesh.points, mesh.triangles
    places, passed, sides, share = nodes.places, chain.passed, chain.sides, chain.share
    n = 0
    passed[0] = through[0]
    for i in range(len(path)):
        node, t, u = path[i], through[i], through[i + 1]
        x, y = places[node, 0], places[node, 1]
        if node >= nodes.corners:
            k = corner_of(t, u, mesh.neighbours)
            p, q = triangles[t, k], triangles[t, (k + 1) % 3]
            whole = length(points[q, 0] - points[p, 0], points[q, 1] - points[p, 1])
            sides[n], share[n] = k, length(x - points[p, 0], y - points[p, 1]) / whole
            n += 1
            passed[n] = u
            continue
        slot = nodes.offsets[t]
        first, second = nodes.of_triangle[slot], nodes.of_triangle[slot + 1]
        p = triangles[t, 0 if first == node else (1 if second == node else 2)]
        ax, ay, bx, by = ends[0], ends[1], ends[2], ends[3]
        if i > 0:
            ax, ay = places[path[i - 1], 0], places[path[i - 1], 1]
        if i + 1 < len(path):
            bx, by = places[path[i + 1], 0], places[path[i + 1], 1]
        clockwise = (ax - x) * (by - y) - (ay - y) * (bx - x) < 0.0
        end = fan(t, u, p, clockwise, n, chain, mesh)
        if end < 0:
            end = fan(t, u, p, not clockwise, n, chain, mesh)
        if end < 0:
            return -1
        for j in range(n, end):
            share[j] = 0.0 if triangles[passed[j], sides[j]] == p else 1.0
        n = end
    return n


@inner(inline=False)
def _near_worse(t, k, p, margin, allowed, weights, mesh):
    """Length of side k of t, from its corner p on, within `margin` of worse terrain around p.

    Worse terrain has a highest rate above `allowed`. Checks both directions around p, up to a wall.
    """
    points, triangles, neighbours = mesh.points, mesh.triangles, mesh.neighbours
    a, b = triangles[t, k], triangles[t, (k + 1) % 3]
    x, y = points[p, 0], points[p, 1]
    ux, uy = points[a, 0] + points[b, 0] - 2.0 * x, points[a, 1] + points[b, 1] - 2.0 * y
    size, off = length(ux, uy), 0.0
    for clockwise in range(2):
        now = t if (clockwise == 0) == (a == p) else neighbours[t, k]
        slant = 0.0  # sine of the angle turned so far; 1 from a right angle on
        for _ in range(FAN):
            if now < 0:
                break
            if highest_rate(mesh.kind[now], weights, mesh) > allowed:
                off = max(off, margin / max(slant, FLAT))
                break
            c = corner_of(now, p, triangles)
            q = triangles[now, (c + 1) % 3 if clockwise else (c + 2) % 3]
            dx, dy = points[q, 0] - x, points[q, 1] - y
            slant = abs(ux * dy - uy * dx) / (size * length(dx, dy)) if slant < 1.0 else 1.0
            if ux * dx + uy * dy <= 0.0:
                slant = 1.0
            now = neighbours[now, c if clockwise else (c + 2) % 3]
    return off


@inner
def _touches(i, p, chain, triangles):
    """Whether p is an end of the side that crossing i crosses."""
    t, k = chain.passed[i], chain.sides[i]
    return triangles[t, k] == p or triangles[t, (k + 1) % 3] == p


@inner
def _worst_around(i, p, n, chain, weights, mesh):
    """Greatest highest rate of the terrain on which the path passes corner p, at crossing i."""
    triangles, worst, first, last = mesh.triangles, 0.0, i, i + 1
    while first > 0 and _touches(first - 1, p, chain, triangles):
        first -= 1
    while last < n and _touches(last, p, chain, triangles):
        last += 1
    for m in range(first, last + 1):
        worst = max(worst, highest_rate(mesh.kind[chain.passed[m]], weights, mesh))
    return worst


@inner(inline=False)
def fill(n, margin, weights, mesh, chain):
    """Write lines of n crossings and weights between them; whether any line was shortened.

    Sides are shortened near worse terrain, and their crossings clamped.
    """
    points, triangles, kind = mesh.points, mesh.triangles, mesh.kind
    passed, sides, lines, share = chain.passed, chain.sides, chain.lines, chain.share
    for i in range(n + 1):
        chain.weight[i] = weights[kind[passed[i]]]
        chain.rise[i, 0] = mesh.rise[kind[passed[i]], 0]
        chain.rise[i, 1] = mesh.rise[kind[passed[i]], 1]
    is_shortened = False
    for i in range(n):
        t, k = passed[i], sides[i]
        p, q = triangles[t, k], triangles[t, (k + 1) % 3]
        lines[i, X], lines[i, Y] = points[p, 0], points[p, 1]
        dx, dy = points[q, 0] - points[p, 0], points[q, 1] - points[p, 1]
        lines[i, DX], lines[i, DY] = dx, dy
        if margin == 0.0:
            continue
        first = last = 0.0
        here = highest_rate(kind[t], weights, mesh)
        if chain.around[p] > here:  # else there is no worse terrain around it
            worst = _worst_around(i, p, n, chain, weights, mesh)
            first = _near_worse(t, k, p, margin, worst, weights, mesh)
        if chain.around[q] > here:
            worst = _worst_around(i, q, n, chain, weights, mesh)
            last = _near_worse(t, k, q, margin, worst, weights, mesh)
        if first + last == 0.0:
            continue
        size = length(dx, dy)
        fit = min(1.0, (1.0 - OPEN) * size / (first + last)) / size
        first, last = first * fit, last * fit
        rest = 1.0 - first - last
        lines[i, X], lines[i, Y] = lines[i, X] + first * dx, lines[i, Y] + first * dy
        lines[i, DX], lines[i, DY] = rest * dx, rest * dy
        share[i] = min(1.0, max(0.0, (share[i] - first) / rest))
        is_shortened = True
    return is_shortened


@inner
def corner_at(i, chain, mesh):
    """Corner at which crossing i lies; -1: none. A shortened side has no corner at that end."""
    lines, share, t, k = chain.lines, chain.share[i], chain.passed[i], chain.sides[i]
    near = min(0.4, AT_END + AT_END / length(lines[i, DX], lines[i, DY]))
    if near < share < 1.0 - near:
        return -1
    p, x, y = mesh.triangles[t, k], lines[i, X], lines[i, Y]
    if share > 0.5:
        p, x, y = mesh.triangles[t, (k + 1) % 3], x + lines[i, DX], y + lines[i, DY]
    return p if abs(mesh.points[p, 0] - x) + abs(mesh.points[p, 1] - y) <= AT_END else -1


@inner
def _copy_crossing(m, to, source, chain):
    """Copy crossing m of `source` to crossing `to` of a chain."""
    chain.sides[to], chain.share[to] = source.sides[m], source.share[m]
    for column in range(4):
        chain.lines[to, column] = source.lines[m, column]


@inner
def _copy_terrain(m, to, source, chain):
    """Copy the triangle before crossing m of `source`, and its terrain, to crossing `to`."""
    chain.passed[to], chain.weight[to] = source.passed[m], source.weight[m]
    chain.rise[to, 0], chain.rise[to, 1] = source.rise[m, 0], source.rise[m, 1]


@inner
def cost_between(i, dx, dy, chain):
    """Cost of the line (dx, dy) on the terrain between crossings i - 1 and i."""
    z = _rise(i, dx, dy, chain)
    return chain.weight[i] * math.sqrt(dx * dx + dy * dy + z * z)


@inner(inline=False)
def replace(i, j, n, count, chain, other):
    """Replace crossings i to j - 1 by `count` crossings of `other`; new count, -1: memory full."""
    shift = count - (j - i)
    if n + shift + 1 >= len(chain.passed):
        return -1
    for q in range(n + 1 - j):  # in an order in which nothing is overwritten
        m = n - q if shift > 0 else j + q
        _copy_terrain(m, m + shift, chain, chain)
        if m < n:
            _copy_crossing(m, m + shift, chain, chain)
    for m in range(count):
        _copy_crossing(m, i + m, other, chain)
        if m > 0:
            _copy_terrain(m, i + m, other, chain)
    return n + shift
