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
    fan,
    fill,
    lay_out,
    make_chain,
    point,
    swap,
    tighten,
)
from footway.terrain.kernels.search import length
from footway.terrain.kernels.triangles import FREE, corner_of, locate, trace_lines, walk_line

PRICE = 0.05  # relative additional cost that a margin may cause
HALVINGS = 4  # number of margins tried, each half of the previous one
GAIN = 1e-9  # minimum relative gain for passing a corner on its other side
ROUNDS = 20  # of pulling taut and releasing
SAME = 1e-12  # relative difference below which costs are equal
STRAIGHT = 0.01  # m, tolerance for removing points of a path with a margin


@inner(inline=False)
def _release(n, ends, weights, margin, levels, ground, chain, spare):
    """Pass corners on their other side where that is cheaper: (new count, number of changes)."""
    passed, sides, share, lines, weight, work = chain
    other, other_sides, other_share, other_lines, other_weight, local = spare
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    i, changed = 0, 0
    while i < n:
        p = corner_at(i, passed, sides, share, lines, points, triangles)
        j = i + 1
        if p < 0:
            i = j
            continue
        while j < n and corner_at(j, passed, sides, share, lines, points, triangles) == p:
            j += 1
        t, u = passed[i], passed[j]
        local[0], local[1] = point(i - 1, n, ends, lines, share)
        local[2], local[3] = point(j, n, ends, lines, share)
        x, y = points[p, 0], points[p, 1]
        now = weight[i] * length(x - local[0], y - local[1])
        now += weight[j] * length(local[2] - x, local[3] - y)
        best, turned = now * (1.0 - GAIN) - GAIN, -1
        if t == u:  # around the corner and back: remove
            turned = 0
        else:
            k = corner_of(t, p, triangles)
            clockwise = sides[i] == k
            other[0] = t
            turned = fan(
                t, u, p, 1 if clockwise else 0, 0, other, other_sides, triangles, neighbours
            )
            if turned >= 0:
                for m in range(turned):
                    start = triangles[other[m], other_sides[m]] == p
                    other_share[m] = 0.02 if start else 0.98
                fill(
                    turned, other, other_sides, other_share, weights, margin,
                    other_lines, other_weight, ground,
                )  # fmt: skip
                value = tighten(turned, local, other_lines, other_weight, other_share, work, levels)
                if value >= best:
                    turned = -1
        if turned < 0:
            i = j
            continue
        grown = swap(i, j, turned, n, chain, spare)
        if grown < 0:
            return n, changed
        n = grown
        changed += 1
        i += turned
    return n, changed


@inner
def _write(n, ends, points, triangles, chain, out, costs):
    """Write start, crossings (exact at corners) and goal, and the costs between: count."""
    passed, sides, share, lines, weight, _ = chain
    out[0, 0], out[0, 1] = ends[0], ends[1]
    count = 1
    for i in range(n + 1):
        x, y = point(i, n, ends, lines, share)
        if i < n:
            p = corner_at(i, passed, sides, share, lines, points, triangles)
            if p >= 0:
                x, y = points[p, 0], points[p, 1]
        size = length(x - out[count - 1, 0], y - out[count - 1, 1])
        if size > AT_END or (i == n and size > 0.0):
            out[count, 0], out[count, 1] = x, y
            costs[count - 1] = size * weight[i]
            count += 1
    return count


@inner
def _straighten(count, out, costs, most, weights, ground):
    """Remove points if the straight line between their neighbours is as good: new count.

    Only points at most `most` m from that line are removed.
    """
    total, kept, here = 0.0, 0, costs[0]
    for i in range(count - 1):
        total += costs[i]
    start = locate(out[0, 0], out[0, 1], ground)
    for i in range(1, count - 1):
        x, y, to_x, to_y = out[kept, 0], out[kept, 1], out[i + 1, 0], out[i + 1, 1]
        off = abs((to_x - x) * (out[i, 1] - y) - (to_y - y) * (out[i, 0] - x))
        straight, stop = here + costs[i], -1.0
        if off <= most * length(to_x - x, to_y - y):
            straight, stop, _ = walk_line(x, y, to_x, to_y, start, weights, ground)
        if stop == FREE and straight <= here + costs[i] + SAME * total:
            here = straight
        else:
            kept += 1
            out[kept, 0], out[kept, 1] = out[i, 0], out[i, 1]
            start = locate(out[i, 0], out[i, 1], ground)
            here = costs[i]
    out[kept + 1, 0], out[kept + 1, 1] = out[count - 1, 0], out[count - 1, 1]
    return kept + 2


@inner
def _worst(first, last, passed, weights, kind):
    """Greatest weight of the triangles `first` to `last` - 1 that are passed."""
    worst = 0.0
    for m in range(first, last):
        worst = max(worst, weights[kind[passed[m]]])
    return worst


@inner(inline=False)
def _turn_to_better(n, weights, ground, chain, spare):
    """Pass corners on the side of the better terrain if both sides are equally long: new count."""
    passed, sides, share, lines, _, _ = chain
    other, other_sides, other_share, other_lines, other_weight, _ = spare
    points, triangles, kind = ground.points, ground.triangles, ground.kind
    i = 0
    while i < n:
        p = corner_at(i, passed, sides, share, lines, points, triangles)
        j = i + 1
        if p >= 0:
            while j < n and corner_at(j, passed, sides, share, lines, points, triangles) == p:
                j += 1
            t, u = passed[i], passed[j]
            way = 1 if sides[i] == corner_of(t, p, triangles) else 0
            other[0], turned = t, -1
            if t != u:
                turned = fan(t, u, p, way, 0, other, other_sides, triangles, ground.neighbours)
            if turned >= 0:
                here = _worst(i + 1, j, passed, weights, kind)
                there = _worst(1, turned, other, weights, kind)
                for m in range(turned):
                    other_share[m] = 0.0 if triangles[other[m], other_sides[m]] == p else 1.0
                fill(
                    turned, other, other_sides, other_share, weights, 0.0, other_lines,
                    other_weight, ground,
                )  # fmt: skip
                grown = swap(i, j, turned, n, chain, spare) if there < here else -1
                if grown >= 0:
                    n, j = grown, i + turned
        i = j
    return n


@inner
def _pull(n, ends, weights, margin, levels, ground, chain, spare):
    """Pull taut and release from corners until neither improves the path: new count."""
    _, _, share, lines, weight, work = chain
    for _ in range(ROUNDS):
        tighten(n, ends, lines, weight, share, work, levels)
        n, changed = _release(n, ends, weights, margin, levels, ground, chain, spare)
        if changed == 0:
            break
    return n


@kernel
def _points_of(n, ends, most, weights, ground, chain):
    """Points (n, 2) of a chain of n crossings, without those up to `most` m from a line."""
    out, costs = np.empty((n + 2, 2)), np.empty(n + 1)
    count = _write(n, ends, ground.points, ground.triangles, chain, out, costs)
    return out[: _straighten(count, out, costs, most, weights, ground)]


@kernel
def weigh(points, weights, ground):
    """Weighted length of a polyline (n, 2), m; infinite if rounding moved it through a wall."""
    n = len(points) - 1
    lines, costs, stops = np.empty((n, 4)), np.empty(n), np.empty(n)
    lines[:, :2], lines[:, 2:] = points[:-1], points[1:]
    trace_lines(lines, weights, ground, np.empty((n, 0)), costs, stops)
    for stop in stops:
        if stop != FREE:
            return math.inf
    return costs.sum()


@kernel
def pull_roughly(way, through, ends, weights, margin, ground, nodes):
    """Pull a path over nodes taut to some centimetres, `margin` m from worse terrain: (n, 2).

    Empty if its crossings cannot be determined.
    """
    chain, spare = make_chain(way, nodes)
    passed, sides, share, lines, weight, work = chain
    n = lay_out(way, through, ends, nodes, ground, passed, sides, share)
    if n < 0:
        return np.empty((0, 2))
    fill(n, passed, sides, share, weights, 0.0, lines, weight, ground)
    n = _turn_to_better(n, weights, ground, chain, spare)
    fill(n, passed, sides, share, weights, margin, lines, weight, ground)
    tighten(n, ends, lines, weight, share, work, ROUGH)
    return _points_of(n, ends, STRAIGHT, weights, ground, chain)


@kernel
def pull_taut(way, through, ends, weights, margin, ground, nodes):
    """Pull a path over nodes taut: points (n, 2) and weighted length.

    It keeps `margin` m from worse terrain if that costs at most PRICE, else half of it, and so on.
    Empty if its crossings cannot be determined.
    """
    chain, spare = make_chain(way, nodes)
    passed, sides, share, lines, weight, _ = chain
    n = lay_out(way, through, ends, nodes, ground, passed, sides, share)
    if n < 0:
        return np.empty((0, 2)), math.inf
    fill(n, passed, sides, share, weights, 0.0, lines, weight, ground)
    n = _pull(n, ends, weights, 0.0, FINEST, ground, chain, spare)
    taut = _points_of(n, ends, math.inf, weights, ground, chain)
    cost = weigh(taut, weights, ground)
    if margin > 0.0:
        n = _turn_to_better(n, weights, ground, chain, spare)
        for _ in range(HALVINGS):
            if not fill(n, passed, sides, share, weights, margin, lines, weight, ground):
                break
            n = _pull(n, ends, weights, margin, FINE, ground, chain, spare)
            off = _points_of(n, ends, STRAIGHT, weights, ground, chain)
            with_margin = weigh(off, weights, ground)
            if with_margin <= (1.0 + PRICE) * cost:
                return off, with_margin
            margin *= 0.5
    return taut, cost
