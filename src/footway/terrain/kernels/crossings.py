"""Crossings of a path: which sides of triangles it crosses, and where.

A chain is (passed, sides, share, lines, weight, work): n + 1 triangles that are passed; the n sides
between them, and the fraction of each at which it is crossed; each side as a line, one end and the
vector to the other, shortened to keep a margin from worse terrain; and the n + 1 weights between
crossings.
"""

from __future__ import annotations

import numpy as np

from footway._numba.jit import inner, kernel
from footway.terrain.kernels.optimal_crossings import WORK
from footway.terrain.kernels.route import length
from footway.terrain.kernels.triangles import corner_of

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
