"""A way over triangles pulled taut: every crossing of a side moves to where the whole is best.

A way that ends up in a corner is tried on the other side of the corner, until none is better.
"""

from __future__ import annotations

import numpy as np

from footway._jit import inner, kernel
from footway.terrain._ground_kernels import FREE, locate, walk_line
from footway.terrain._route_kernels import length
from footway.terrain._tighten_kernels import point, tighten

GAIN = 1e-9  # relative gain for which a corner is passed on its other side
ROUNDS = 20  # of pulling taut and releasing
FAN = 256  # triangles around one corner that are tried
SAME = 1e-12  # relative difference of ways that are equally good
AT_END = 1e-7  # share of a side, or m, within which a crossing is at a corner


@inner
def _corner(t, p, triangles):
    return 0 if triangles[t, 0] == p else (1 if triangles[t, 1] == p else 2)


@inner(inline=False)
def fan(t, last, p, way, at, passed, sides, triangles, neighbours):
    """Write the triangles after t up to `last` around corner p, and the sides crossed; the end.

    Way 0 is clockwise, 1 counterclockwise. Writes passed[at + 1 ..], sides[at ..]; returns the
    index of `last` in `passed`, or -1 where a wall is in the way.
    """
    now = t
    while now != last:
        k = _corner(now, p, triangles)
        k = k if way == 0 else (k + 2) % 3
        now = neighbours[now, k]
        if now < 0 or now == t or at + 2 >= len(passed):
            return -1
        sides[at] = k
        at += 1
        passed[at] = now
    return at


@inner
def _side(t, k, line, points, triangles):
    p, q = triangles[t, k], triangles[t, (k + 1) % 3]
    line[0], line[1] = points[p, 0], points[p, 1]
    line[2], line[3] = points[q, 0] - points[p, 0], points[q, 1] - points[p, 1]


@inner
def _across(ax, ay, vx, vy, bx, by):
    """Which way round v the lines va and vb have less than half a turn between them."""
    return 0 if (ax - vx) * (by - vy) - (ay - vy) * (bx - vx) < 0.0 else 1


@inner(inline=False)
def lay_out(way, through, ends, nodes, ground, passed, sides, share):
    """Crossings of a way over nodes: how many; passed (n + 1,), sides and share (n,) are written.

    A way through a corner crosses all sides around it, where it turns less.
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
        k = (
            0
            if nodes.of_triangle[slot] == node
            else (1 if nodes.of_triangle[slot + 1] == node else 2)
        )
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
def _fill(n, passed, sides, weights, lines, weight, ground):
    points, triangles, kind = ground.points, ground.triangles, ground.kind
    for i in range(n):
        _side(passed[i], sides[i], lines[i], points, triangles)
        weight[i] = weights[kind[passed[i]]]
    weight[n] = weights[kind[passed[n]]]


@inner
def _corner_at(i, passed, sides, share, lines, triangles):
    """Corner in which crossing i ends; -1: none."""
    size = length(lines[i, 2], lines[i, 3])
    near = min(0.4, AT_END + AT_END / size)
    if share[i] <= near:
        return triangles[passed[i], sides[i]]
    if share[i] >= 1.0 - near:
        return triangles[passed[i], (sides[i] + 1) % 3]
    return -1


@inner(inline=False)
def _swap(i, j, turned, n, passed, sides, share, other, other_sides, other_share):
    """Put `turned` crossings (other) in the place of crossings i to j - 1; new count, -1: full."""
    shift = turned - (j - i)
    if n + shift + 1 >= len(passed):
        return -1
    if shift > 0:
        for m in range(n, j - 1, -1):
            passed[m + shift] = passed[m]
            if m < n:
                sides[m + shift], share[m + shift] = sides[m], share[m]
    elif shift < 0:
        for m in range(j, n + 1):
            passed[m + shift] = passed[m]
            if m < n:
                sides[m + shift], share[m + shift] = sides[m], share[m]
    for m in range(turned):
        sides[i + m], share[i + m] = other_sides[m], other_share[m]
        if m > 0:
            passed[i + m] = other[m]
    return n + shift


@inner(inline=False)
def _release(n, ends, weights, ground, chain, spare):
    """Pass corners on their other side where that is better: (new count, how many)."""
    passed, sides, share, lines, weight, work = chain
    other, other_sides, other_share, other_lines, other_weight, local = spare
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    i, changed = 0, 0
    while i < n:
        p = _corner_at(i, passed, sides, share, lines, triangles)
        j = i + 1
        if p < 0:
            i = j
            continue
        while j < n and _corner_at(j, passed, sides, share, lines, triangles) == p:
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
            k = _corner(t, p, triangles)
            clockwise = sides[i] == k
            other[0] = t
            turned = fan(
                t, u, p, 1 if clockwise else 0, 0, other, other_sides, triangles, neighbours
            )
            if turned >= 0:
                for m in range(turned):
                    start = triangles[other[m], other_sides[m]] == p
                    other_share[m] = 0.02 if start else 0.98
                _fill(turned, other, other_sides, weights, other_lines, other_weight, ground)
                value = tighten(turned, local, other_lines, other_weight, other_share, work)
                if value >= best:
                    turned = -1
        if turned < 0:
            i = j
            continue
        grown = _swap(i, j, turned, n, passed, sides, share, other, other_sides, other_share)
        if grown < 0:
            return n, changed
        n = grown
        _fill(n, passed, sides, weights, lines, weight, ground)
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
            p = _corner_at(i, passed, sides, share, lines, triangles)
            if p >= 0:
                x, y = points[p, 0], points[p, 1]
        size = length(x - out[count - 1, 0], y - out[count - 1, 1])
        if size > AT_END or (i == n and size > 0.0):
            out[count, 0], out[count, 1] = x, y
            costs[count - 1] = size * weight[i]
            count += 1
    return count


@inner
def _straighten(count, out, costs, weights, ground):
    """Leave out points between which the straight way is as good: new count."""
    total, kept, here = 0.0, 0, costs[0]
    for i in range(count - 1):
        total += costs[i]
    start = locate(out[0, 0], out[0, 1], ground)
    for i in range(1, count - 1):
        x, y = out[kept, 0], out[kept, 1]
        straight, stop, _ = walk_line(x, y, out[i + 1, 0], out[i + 1, 1], start, weights, ground)
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


@kernel
def refine(way, through, start, goal, weights, ground, nodes):
    """Points (n, 2) of a way over nodes, pulled taut and released from corners."""
    room = _room(way, nodes)
    ends = np.array([start[0], start[1], goal[0], goal[1]])
    passed, sides, share = np.empty(room + 1, np.int32), np.empty(room, np.int32), np.empty(room)
    lines, weight, work = np.empty((room, 4)), np.empty(room + 1), np.empty((5, room))
    other, other_sides = np.empty(FAN + 1, np.int32), np.empty(FAN, np.int32)
    other_share, other_lines, other_weight = np.empty(FAN), np.empty((FAN, 4)), np.empty(FAN + 1)
    chain = (passed, sides, share, lines, weight, work)
    spare = (other, other_sides, other_share, other_lines, other_weight, np.empty(4))
    n = lay_out(way, through, ends, nodes, ground, passed, sides, share)
    if n < 0:
        return np.empty((0, 2))
    _fill(n, passed, sides, weights, lines, weight, ground)
    for _ in range(ROUNDS):
        tighten(n, ends, lines, weight, share, work)
        n, changed = _release(n, ends, weights, ground, chain, spare)
        if changed == 0:
            break
    out, costs = np.empty((n + 2, 2)), np.empty(n + 1)
    count = _write(n, ends, ground.points, ground.triangles, chain, out, costs)
    return out[: _straighten(count, out, costs, weights, ground)].copy()
