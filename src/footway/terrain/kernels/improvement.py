"""Pull a path over triangles taut: move its crossings to minimize the weighted length.

Where the path touches a corner, the other side of the corner is tried, until none is better.

To keep a margin from worse terrain, the crossed sides are shortened where they end at it, and the
path is pulled taut once more.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.terrain.kernels.crossings import (
    AT_END,
    FINE,
    FINEST,
    ROUGH,
    corner_at,
    cost_between,
    fan,
    fill,
    lay_out,
    make_chains,
    point,
    replace,
    tighten,
)
from footway.terrain.kernels.search import length
from footway.terrain.kernels.triangles import (
    FREE,
    corner_of,
    highest_rate,
    locate,
    trace,
    trace_from,
)

MARGIN_COST = 0.05  # relative additional cost that a margin may cause
HALVINGS = 4  # number of margins tried, each half of the previous one
GAIN = 1e-9  # minimum relative gain for passing a corner on its other side
ROUNDS = 20  # of pulling taut and releasing
SAME = 1e-12  # relative difference below which costs are equal
STRAIGHT = 0.01  # m, tolerance for removing points of a path with a margin
_UNKNOWN = -2  # triangle of a point that was not located yet


@inner
def _fan_beyond(i, n, chain, other, mesh):
    """Crossings of the path on the other side of the corner at which crossing i lies.

    Returns the corner, -1 if there is none; the end j of the crossings at it; and the number of
    crossings on the other side, written to `other`: 0 if the path turns back, -1 at a wall.
    """
    p, j = corner_at(i, chain, mesh), i + 1
    if p < 0:
        return p, j, -1
    while j < n and corner_at(j, chain, mesh) == p:
        j += 1
    t, u = chain.passed[i], chain.passed[j]
    if t == u:
        return p, j, 0
    clockwise = chain.sides[i] != corner_of(t, p, mesh.triangles)
    other.passed[0] = t
    return p, j, fan(t, u, p, clockwise, 0, other, mesh)


@inner(inline=False)
def _release(n, ends, margin, levels, weights, mesh, chain, other, work):
    """Pass corners on their other side where that is cheaper: (new count, number of changes)."""
    points, triangles = mesh.points, mesh.triangles
    i, changed = 0, 0
    while i < n:
        p, j, count = _fan_beyond(i, n, chain, other, mesh)
        if count > 0:
            ax, ay = point(i - 1, n, ends, chain.lines, chain.share)
            bx, by = point(j, n, ends, chain.lines, chain.share)
            x, y = points[p, 0], points[p, 1]
            now = cost_between(i, x - ax, y - ay, chain)
            now += cost_between(j, bx - x, by - y, chain)
            for m in range(count):
                is_begin = triangles[other.passed[m], other.sides[m]] == p
                other.share[m] = 0.02 if is_begin else 0.98
            fill(count, margin, weights, mesh, other)
            value = tighten(count, (ax, ay, bx, by), other, work, levels)
            if value >= now * (1.0 - GAIN) - GAIN:
                count = -1
        if count < 0:
            i = j
            continue
        grown = replace(i, j, n, count, chain, other)
        if grown < 0:
            return n, changed
        n = grown
        changed += 1
        i += count
    return n, changed


@inner
def _worst(first, last, passed, weights, mesh):
    """Greatest highest rate of the triangles `first` to `last` - 1 that are passed."""
    worst = 0.0
    for m in range(first, last):
        worst = max(worst, highest_rate(mesh.kind[passed[m]], weights, mesh))
    return worst


@inner(inline=False)
def _turn_to_better(n, weights, mesh, chain, other):
    """Pass corners on the side of the better terrain if both sides are equally long: new count."""
    triangles, i = mesh.triangles, 0
    while i < n:
        p, j, count = _fan_beyond(i, n, chain, other, mesh)
        if count > 0:
            here = _worst(i + 1, j, chain.passed, weights, mesh)
            for m in range(count):
                is_begin = triangles[other.passed[m], other.sides[m]] == p
                other.share[m] = 0.0 if is_begin else 1.0
            fill(count, 0.0, weights, mesh, other)
            if _worst(1, count, other.passed, weights, mesh) < here:
                grown = replace(i, j, n, count, chain, other)
                if grown >= 0:
                    n, j = grown, i + count
        i = j
    return n


@inner
def _pull(n, ends, margin, levels, weights, mesh, chain, other, work):
    """Pull taut and release from corners until neither improves the path: new count."""
    for _ in range(ROUNDS):
        tighten(n, ends, chain, work, levels)
        n, changed = _release(n, ends, margin, levels, weights, mesh, chain, other, work)
        if changed == 0:
            break
    return n


@kernel
def _points_of(n, ends, most, weights, mesh, chain):
    """Points (n, 2) of a chain of n crossings: start, crossings (exact at corners) and goal.

    Points at most `most` m from the line between their neighbours are removed if that line is as
    good.
    """
    out, costs = np.empty((n + 2, 2)), np.empty(n + 1)
    out[0, 0], out[0, 1] = ends[0], ends[1]
    count, total = 1, 0.0
    for i in range(n + 1):
        x, y = point(i, n, ends, chain.lines, chain.share)
        p = corner_at(i, chain, mesh) if i < n else -1
        if p >= 0:
            x, y = mesh.points[p, 0], mesh.points[p, 1]
        size = length(x - out[count - 1, 0], y - out[count - 1, 1])
        if size > AT_END or (i == n and size > 0.0):
            out[count, 0], out[count, 1] = x, y
            dx, dy = x - out[count - 1, 0], y - out[count - 1, 1]
            costs[count - 1] = cost_between(i, dx, dy, chain)
            total += costs[count - 1]
            count += 1
    kept, here, start = 0, costs[0], _UNKNOWN
    for i in range(1, count - 1):
        x, y, to_x, to_y = out[kept, 0], out[kept, 1], out[i + 1, 0], out[i + 1, 1]
        off = abs((to_x - x) * (out[i, 1] - y) - (to_y - y) * (out[i, 0] - x))
        straight, stop = here + costs[i], -1.0
        if off <= most * length(to_x - x, to_y - y):
            if start == _UNKNOWN:
                start = locate(x, y, mesh)
            straight, stop, _ = trace(x, y, to_x, to_y, start, weights, None, mesh)
        if stop == FREE and straight <= here + costs[i] + SAME * total:
            here = straight
        else:
            kept += 1
            out[kept, 0], out[kept, 1] = out[i, 0], out[i, 1]
            start, here = _UNKNOWN, costs[i]
    out[kept + 1, 0], out[kept + 1, 1] = out[count - 1, 0], out[count - 1, 1]
    return out[: kept + 2]


@kernel
def weigh(points, weights, mesh):
    """Weighted length of a polyline (n, 2), m; infinite if rounding moved it through a wall."""
    costs = np.empty(len(points) - 1)
    for k in range(len(costs)):
        x, y, to_x, to_y = points[k, 0], points[k, 1], points[k + 1, 0], points[k + 1, 1]
        costs[k], stop = trace_from(x, y, to_x, to_y, weights, None, mesh)
        if stop != FREE:
            return math.inf
    return costs.sum()


@kernel
def pull_roughly(path, through, ends, weights, margin, mesh, nodes, around):
    """Pull a path over nodes taut to some centimetres, `margin` m from worse terrain: (n, 2).

    Empty if its crossings cannot be determined. `around` is the result of `rates_around`.
    """
    ends = (ends[0], ends[1], ends[2], ends[3])
    chain, other, work = make_chains(path, nodes, around)
    n = lay_out(path, through, ends, nodes, mesh, chain)
    if n < 0:
        return np.empty((0, 2))
    fill(n, 0.0, weights, mesh, chain)
    n = _turn_to_better(n, weights, mesh, chain, other)
    fill(n, margin, weights, mesh, chain)
    tighten(n, ends, chain, work, ROUGH)
    return _points_of(n, ends, STRAIGHT, weights, mesh, chain)


@kernel
def pull_taut(path, through, ends, weights, margin, mesh, nodes, around):
    """Pull a path over nodes taut: points (n, 2) and weighted length.

    It keeps `margin` m from worse terrain if that costs at most MARGIN_COST, else half of it, and
    so on. Empty if its crossings cannot be determined.
    """
    ends = (ends[0], ends[1], ends[2], ends[3])
    chain, other, work = make_chains(path, nodes, around)
    n = lay_out(path, through, ends, nodes, mesh, chain)
    if n < 0:
        return np.empty((0, 2)), math.inf
    fill(n, 0.0, weights, mesh, chain)
    n = _pull(n, ends, 0.0, FINEST, weights, mesh, chain, other, work)
    taut = _points_of(n, ends, math.inf, weights, mesh, chain)
    cost = weigh(taut, weights, mesh)
    if margin > 0.0:
        n = _turn_to_better(n, weights, mesh, chain, other)
        for _ in range(HALVINGS):
            if not fill(n, margin, weights, mesh, chain):
                break
            n = _pull(n, ends, margin, FINE, weights, mesh, chain, other, work)
            off = _points_of(n, ends, STRAIGHT, weights, mesh, chain)
            with_margin = weigh(off, weights, mesh)
            if with_margin <= (1.0 + MARGIN_COST) * cost:
                return off, with_margin
            margin *= 0.5
    return taut, cost
