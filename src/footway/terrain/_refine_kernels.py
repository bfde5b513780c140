"""A way over triangles pulled taut: every crossing of a side moves to where the whole is best.

A way that ends up in a corner is tried on the other side of the corner, until none is better.

To keep a margin off worse ground, the sides that the way crosses are cut short where they end at
it, and the way is pulled taut once more.
"""

from __future__ import annotations

import numpy as np

from footway._jit import inner, kernel
from footway.terrain._ground_kernels import FREE, locate, walk_line
from footway.terrain._route_kernels import length
from footway.terrain._steiner_kernels import corner_of, fan, lay_out
from footway.terrain._tighten_kernels import FINE, FINEST, point, tighten

GAIN = 1e-9  # relative gain for which a corner is passed on its other side
ROUNDS = 20  # of pulling taut and releasing
FAN = 256  # triangles around one corner that are tried
SAME = 1e-12  # relative difference of ways that are equally good
AT_END = 1e-7  # share of a side, or m, within which a crossing is at a corner
FLAT = 1e-3  # least sine of the angle between a side and the border of worse ground
OPEN = 0.2  # share of a side that is left where there is no room for the margin
STRAIGHT = 0.01  # m, by which a point of a way with a margin may be off its neighbours' line


@inner
def _side(t, k, line, points, triangles):
    p, q = triangles[t, k], triangles[t, (k + 1) % 3]
    line[0], line[1] = points[p, 0], points[p, 1]
    line[2], line[3] = points[q, 0] - points[p, 0], points[q, 1] - points[p, 1]


@inner(inline=False)
def _kept_off(t, k, p, margin, allowed, weights, ground):
    """Metres of side k of t, from its corner p on, within `margin` of worse ground around p.

    Worse is ground that weighs more than `allowed`. Looks both ways around p, up to a wall.
    """
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    a, b = triangles[t, k], triangles[t, (k + 1) % 3]
    x, y = points[p, 0], points[p, 1]
    ux, uy = points[a, 0] + points[b, 0] - 2.0 * x, points[a, 1] + points[b, 1] - 2.0 * y
    size, off = length(ux, uy), 0.0
    for way in range(2):  # counterclockwise, clockwise
        now = t if (way == 0) == (a == p) else neighbours[t, k]
        slant = 0.0  # sine of the angle that was turned by; 1 from a right angle on
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
    """Greatest weight of the ground on which the way passes corner p, at crossing i."""
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
    """Cut side i short at worse ground, and keep its crossing on it; whether there is any."""
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
def _fill(n, passed, sides, share, weights, margin, lines, weight, ground):
    """Lines of n crossings and weights between them; whether any line was cut short."""
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
def _corner_at(i, passed, sides, share, lines, points, triangles):
    """Corner in which crossing i ends; -1: none. A side that was cut short has no corner there."""
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
    """Move crossing m, and what lies before it, to another place."""
    passed, sides, share, lines, weight, _ = chain
    passed[to], weight[to] = passed[m], weight[m]
    if m < n:
        sides[to], share[to] = sides[m], share[m]
        for c in range(4):
            lines[to, c] = lines[m, c]


@inner(inline=False)
def _swap(i, j, turned, n, chain, spare):
    """Put `turned` crossings (spare) in the place of crossings i to j - 1; new count, -1: full."""
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


@inner(inline=False)
def _release(n, ends, weights, margin, levels, ground, chain, spare):
    """Pass corners on their other side where that is better: (new count, how many)."""
    passed, sides, share, lines, weight, work = chain
    other, other_sides, other_share, other_lines, other_weight, local = spare
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    i, changed = 0, 0
    while i < n:
        p = _corner_at(i, passed, sides, share, lines, points, triangles)
        j = i + 1
        if p < 0:
            i = j
            continue
        while j < n and _corner_at(j, passed, sides, share, lines, points, triangles) == p:
            j += 1
        t, u = passed[i], passed[j]
        local[0], local[1] = point(i - 1, n, ends, lines, share)
        local[2], local[3] = point(j, n, ends, lines, share)
        x, y = points[p, 0], points[p, 1]
        now = weight[i] * length(x - local[0], y - local[1])
        now += weight[j] * length(local[2] - x, local[3] - y)
        best, turned = now * (1.0 - GAIN) - GAIN, -1
        if t == u:  # around the corner and back: cut off
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
                _fill(
                    turned, other, other_sides, other_share, weights, margin,
                    other_lines, other_weight, ground,
                )  # fmt: skip
                value = tighten(turned, local, other_lines, other_weight, other_share, work, levels)
                if value >= best:
                    turned = -1
        if turned < 0:
            i = j
            continue
        grown = _swap(i, j, turned, n, chain, spare)
        if grown < 0:
            return n, changed
        n = grown
        changed += 1
        i += turned
    return n, changed


@inner
def _write(n, ends, points, triangles, chain, out, costs):
    """Write start, crossings and goal, those at corners exactly, and what lies between: count."""
    passed, sides, share, lines, weight, _ = chain
    out[0, 0], out[0, 1] = ends[0], ends[1]
    count = 1
    for i in range(n + 1):
        x, y = point(i, n, ends, lines, share)
        if i < n:
            p = _corner_at(i, passed, sides, share, lines, points, triangles)
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
    """Leave out points between which the straight way is as good: new count.

    Only points that are at most `most` m off the line between their neighbours.
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
def _room(way, nodes):
    """Crossings that a way over nodes may have, and as many again for those around corners."""
    room = 256
    for i in range(len(way)):
        room += 3 * (nodes.first[way[i] + 1] - nodes.first[way[i]])
    return room


@inner
def _worst(first, last, passed, weights, kind):
    """Greatest weight of the triangles `first` to `last` - 1 that are passed."""
    worst = 0.0
    for m in range(first, last):
        worst = max(worst, weights[kind[passed[m]]])
    return worst


@inner(inline=False)
def _turn_to_better(n, weights, ground, chain, spare):
    """Pass corners on the side of the better ground, where both sides are as long: new count."""
    passed, sides, share, lines, _, _ = chain
    other, other_sides, other_share, other_lines, other_weight, _ = spare
    points, triangles, kind = ground.points, ground.triangles, ground.kind
    i = 0
    while i < n:
        p = _corner_at(i, passed, sides, share, lines, points, triangles)
        j = i + 1
        if p >= 0:
            while j < n and _corner_at(j, passed, sides, share, lines, points, triangles) == p:
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
                _fill(
                    turned, other, other_sides, other_share, weights, 0.0, other_lines,
                    other_weight, ground,
                )  # fmt: skip
                grown = _swap(i, j, turned, n, chain, spare) if there < here else -1
                if grown >= 0:
                    n, j = grown, i + turned
        i = j
    return n


@inner
def _pull(n, ends, weights, margin, levels, ground, chain, spare):
    """Pull taut and release from corners, until neither helps: new count."""
    _, _, share, lines, weight, work = chain
    for _ in range(ROUNDS):
        tighten(n, ends, lines, weight, share, work, levels)
        n, changed = _release(n, ends, weights, margin, levels, ground, chain, spare)
        if changed == 0:
            break
    return n


@kernel
def refine(way, through, start, goal, weights, margin, ground, nodes):
    """A way over nodes, pulled taut: points (n, 2); and the same `margin` (m) off worse ground.

    The second has no points where it would be the same.
    """
    room = _room(way, nodes)
    ends = np.array([start[0], start[1], goal[0], goal[1]])
    passed, sides, share = np.empty(room + 1, np.int32), np.empty(room, np.int32), np.empty(room)
    lines, weight, work = np.empty((room, 4)), np.empty(room + 1), np.empty((5, room))
    other, other_sides = np.empty(FAN + 1, np.int32), np.empty(FAN, np.int32)
    other_share, other_lines, other_weight = np.empty(FAN), np.empty((FAN, 4)), np.empty(FAN + 1)
    chain = (passed, sides, share, lines, weight, work)
    spare = (other, other_sides, other_share, other_lines, other_weight, np.empty(4))
    out, costs = np.empty((0, 2)), np.empty(0)
    n = lay_out(way, through, ends, nodes, ground, passed, sides, share)
    if n < 0:
        return out, out
    _fill(n, passed, sides, share, weights, 0.0, lines, weight, ground)
    n = _pull(n, ends, weights, 0.0, FINEST, ground, chain, spare)
    out, costs = np.empty((n + 2, 2)), np.empty(n + 1)
    count = _write(n, ends, ground.points, ground.triangles, chain, out, costs)
    taut = out[: _straighten(count, out, costs, np.inf, weights, ground)].copy()
    if margin <= 0.0:
        return taut, out[:0]
    n = _turn_to_better(n, weights, ground, chain, spare)
    if not _fill(n, passed, sides, share, weights, margin, lines, weight, ground):
        return taut, out[:0]
    n = _pull(n, ends, weights, margin, FINE, ground, chain, spare)
    out, costs = np.empty((n + 2, 2)), np.empty(n + 1)
    count = _write(n, ends, ground.points, ground.triangles, chain, out, costs)
    return taut, out[: _straighten(count, out, costs, STRAIGHT, weights, ground)].copy()
