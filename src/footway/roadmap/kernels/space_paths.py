"""Paths along a roadmap in three dimensions, for an object that fits in every free cell."""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.graph_search import PlaceOnEdge, find_path
from footway.roadmap.kernels.clearance import least_among_cells
from footway.roadmap.kernels.roads import write_events
from footway.roadmap.kernels.space import ON_PLANE, clearance_at, hit_among, segment_is_free

FOUND, FULL, APART, START_IN_WALL, GOAL_IN_WALL, START_TIGHT, GOAL_TIGHT = range(7)
SLACK = 1e-9  # m, tolerance of clearances
ROUNDS = 8  # at most, in which a path is pulled straight
GAIN = 0.002  # share of the length that a round must save for another one
SPREAD = 1.4  # ratio of the distances at which a path around an obstacle is tried
FARTHEST, CLOSEST = 8.0, 0.25  # cells, by which turns are moved
CUTS = 48  # points between which straight lines are tried in a round


@inner
def _distance(a, b):
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


@inner
def _copy(source, target):
    target[0], target[1], target[2] = source[0], source[1], source[2]


@inner
def _is_free(a, b, space):
    """Whether the line between two points, m, lies in free cells."""
    o, r = space.origin, space.resolution
    return segment_is_free(
        (a[0] - o[0]) / r, (a[1] - o[1]) / r, (a[2] - o[2]) / r,
        (b[0] - o[0]) / r, (b[1] - o[1]) / r, (b[2] - o[2]) / r, space,
    )  # fmt: skip


@inner
def _free_cell(point, space):
    """Free cell that contains a point, m; -1, -1, -1: none. Faces belong to both cells."""
    o, r, free = space.origin, space.resolution, space.free
    x, y, z = (point[0] - o[0]) / r, (point[1] - o[1]) / r, (point[2] - o[2]) / r
    nz, ny, nx = free.shape
    for side in range(8):
        i = int(math.ceil(x - ON_PLANE)) - 1 if side % 2 else int(math.floor(x + ON_PLANE))
        j = int(math.ceil(y - ON_PLANE)) - 1 if side // 2 % 2 else int(math.floor(y + ON_PLANE))
        k = int(math.ceil(z - ON_PLANE)) - 1 if side // 4 else int(math.floor(z + ON_PLANE))
        if 0 <= i < nx and 0 <= j < ny and 0 <= k < nz and free[k, j, i]:
            return i, j, k
    return -1, -1, -1


@inner(inline=False)
def _join(point, via, space, roads):
    """Event that a point joins; -1: in an obstacle. Writes the place by which it does to `via`.

    In a free cell a point can reach the corners of the cell, each of which joins an event. Of these
    events: the one whose ball contains the point deepest (section V.B.2), else a visible one, else,
    via the corner, the event of the corner with the most clearance.
    """
    o, r = space.origin, space.resolution
    i, j, k = _free_cell(point, space)
    if i < 0:
        return -1
    best, deepest, other, widest = -1, -math.inf, -1, -1.0
    for corner in range(8):
        ci, cj, ck = i + corner % 2, j + corner // 2 % 2, k + corner // 4
        e = int(roads.seen[ck, cj, ci])
        if e < 0:
            continue
        q = roads.points[e]
        margin = roads.event_clearance[e] - _distance(point, q)
        if margin > deepest and (margin > 0.0 or _is_free(point, q, space)):
            best, deepest = e, margin
        if space.corner_clearance[ck, cj, ci] > widest:
            other, widest = e, space.corner_clearance[ck, cj, ci]
            via[0], via[1], via[2] = o[0] + r * ci, o[1] + r * cj, o[2] + r * ck
    if best < 0:
        return other
    _copy(roads.points[best], via)
    return best


@inner
def _clearance_of_join(point, via, event, space, stack):
    """Least clearance between a point and the event that it joins via the point `via`."""
    first = least_among_cells(point, via, space, stack)
    return min(first, least_among_cells(via, event, space, stack))


@inner
def _is_wide(e, end, needed, roads):
    """Whether the pieces between two events of an edge have this clearance."""
    for piece in range(min(e, end), max(e, end)):
        if roads.piece_clearance[piece] < needed - SLACK:
            return False
    return True


@inner
def _place_on_edge(event, length, needed, roads):
    """Place of an event on its edge, which has this length, with costs to the nodes of the edge."""
    edge = roads.edge_of[event]
    first, last = roads.offsets[edge], roads.offsets[edge + 1] - 1
    return PlaceOnEdge(
        edge,
        roads.arc[event] * roads.cost[edge],
        (length - roads.arc[event]) * roads.cost[edge],
        _is_wide(event, first, needed, roads),
        _is_wide(event, last, needed, roads),
    )


@inner(inline=False)
def _search(at, there, needed, roads, workspace):
    """Write the half-edges of the shortest path between two events; return how many, -1: none."""
    last = roads.offsets[roads.edge_of[at] + 1] - 1
    start = _place_on_edge(at, roads.arc[last], needed, roads)
    goal = _place_on_edge(there, roads.length[roads.edge_of[there]], needed, roads)
    direct = math.inf
    if start.edge == goal.edge and _is_wide(at, there, needed, roads):
        direct = abs(roads.arc[at] - roads.arc[there]) * roads.cost[start.edge]
    x, y, z = roads.points[there, 0], roads.points[there, 1], roads.points[there, 2]
    count = find_path(
        start, goal, (x, y, z), direct, needed, roads.graph, roads.nodes, workspace.graph
    )
    if count != 0:
        return count
    workspace.graph.halves[0] = 2 * start.edge + (0 if there >= at else 1)
    return 1


@inner
def _append(n, point, line):
    """Append a point to a path unless it repeats the last one; return the number of points."""
    if n > 0:
        last = line[n - 1]
        if last[0] == point[0] and last[1] == point[1] and last[2] == point[2]:
            return n
    _copy(point, line[n])
    return n + 1


@kernel
def solve_in_space(start, goal, needed, shortcut, pull, space, roads, workspace, out, line):
    """Path of the object along the roads that keeps a clearance of `needed` metres.

    Its points are written to line (n, 3), its events to out (n - 4,). Returns (status, points,
    length, clearance, half-edges in the workspace). With `shortcut` a straight line that is wide
    enough is returned; with `pull` the path leaves the roads where straight lines are shorter.
    """
    stack, from_start, to_goal = workspace.stack, workspace.vias[0], workspace.vias[1]
    at, there = _join(start, from_start, space, roads), _join(goal, to_goal, space, roads)
    if at < 0 or there < 0:
        return START_IN_WALL if at < 0 else GOAL_IN_WALL, 0, 0.0, 0.0, 0
    if shortcut and _is_free(start, goal, space):
        clear = least_among_cells(start, goal, space, stack)
        if clear >= needed - SLACK:
            _copy(start, line[0])
            _copy(goal, line[1])
            return FOUND, 2, _distance(start, goal), clear, 0
    clear_s = _clearance_of_join(start, from_start, roads.points[at], space, stack)
    clear_g = _clearance_of_join(goal, to_goal, roads.points[there], space, stack)
    if clear_s < needed - SLACK or clear_g < needed - SLACK:
        tight = START_TIGHT if clear_s < needed - SLACK else GOAL_TIGHT
        return tight, 0, 0.0, min(clear_s, clear_g), 0
    count = _search(at, there, needed, roads, workspace)
    if count < 0:
        return APART, 0, 0.0, 0.0, 0
    n_events, clear = write_events(
        at, there, count, workspace.graph.halves, roads.offsets, roads.piece_clearance, out
    )
    if n_events < 0:
        return FULL, 0, 0.0, 0.0, 0
    n = _append(_append(0, start, line), from_start, line)
    for k in range(n_events):
        n = _append(n, roads.points[out[k]], line)
    n = _append(_append(n, to_goal, line), goal, line)
    if n == 1:
        _copy(goal, line[1])
        n = 2
    clear = min(clear, clear_s, clear_g)
    if pull:
        n, clear = _pull_straight(line, n, needed, space, workspace)
    length = 0.0
    for k in range(n - 1):
        length += _distance(line[k], line[k + 1])
    return FOUND, n, length, clear, count


@inner
def _is_open(a, b, needed, space, stack):
    """Whether the line between two points, m, is free and keeps the clearance."""
    return _is_free(a, b, space) and (
        needed <= 0.0 or least_among_cells(a, b, space, stack) >= needed - SLACK
    )


@inner(inline=False)
def _pull_straight(line, n, needed, space, workspace):
    """Shorten a path by straight lines that keep the clearance; return its points and clearance.

    First points between which a line is open are skipped. Then the path is cut into pieces, and the
    shortest path along open lines between the cuts is taken, as long as that saves something. The
    result turns at obstacles only, and these turns are moved along them.
    """
    stack, cuts, before = workspace.stack, workspace.cuts, workspace.before
    k, last = 0, 0
    while k < n - 1:
        step = n - 1 - k
        while step > 1 and not _is_open(line[k], line[k + step], needed, space, stack):
            step //= 2
        k += step
        last += 1
        _copy(line[k], line[last])
    n = last + 1
    length = math.inf
    for _ in range(ROUNDS):
        if n == 2 or n > len(cuts):
            break
        m = _cut_evenly(line, n, cuts)
        cost = workspace.cost
        cost[0] = 0.0
        for b in range(1, m):
            cost[b], before[b] = cost[b - 1] + _distance(cuts[b - 1], cuts[b]), b - 1
            for a in range(b - 1):
                via = cost[a] + _distance(cuts[a], cuts[b])
                if via < cost[b] - SLACK and _is_open(cuts[a], cuts[b], needed, space, stack):
                    cost[b], before[b] = via, a
        n, b = 1, m - 1
        while b > 0:
            b = before[b]
            n += 1
        b = m - 1
        for at in range(n - 1, -1, -1):
            _copy(cuts[b], line[at])
            b = before[b]
        if cost[m - 1] > (1.0 - GAIN) * length:
            break
        length = cost[m - 1]
    length = 0.0
    for k in range(n - 1):
        length += _distance(line[k], line[k + 1])
    if n > 2 and _find_via(line[0], line[n - 1], length, needed, space, workspace):
        _copy(line[n - 1], line[2])
        _copy(workspace.vias[1], line[1])
        n = 3
    _slide(line, n, needed, space, workspace)
    last = 0
    for k in range(1, n):  # cuts between which the path goes straight on
        if k == n - 1 or not _is_open(line[last], line[k + 1], needed, space, stack):
            last += 1
            _copy(line[k], line[last])
    n = last + 1
    clear = math.inf
    for k in range(n - 1):
        clear = min(clear, least_among_cells(line[k], line[k + 1], space, stack))
    return n, clear


@inner(inline=False)
def _find_via(a, b, length, needed, space, workspace):
    """Write the place by which a path of one turn from a to b is shortest to vias[1]; m.

    Returns whether one was found that is shorter than `length`. Places are around the middle of the
    blocked part of the line: a path that was pulled straight may lead around the far end of an
    obstacle that can be passed here.
    """
    stack, via, best = workspace.stack, workspace.vias[0], workspace.vias[1]
    o, r = space.origin, space.resolution
    ax, ay, az = (a[0] - o[0]) / r, (a[1] - o[1]) / r, (a[2] - o[2]) / r
    bx, by, bz = (b[0] - o[0]) / r, (b[1] - o[1]) / r, (b[2] - o[2]) / r
    first = hit_among(ax, ay, az, bx, by, bz, space.jump)
    last = 1.0 - hit_among(bx, by, bz, ax, ay, az, space.jump)
    middle, found = 0.5 * (min(first, 1.0) + max(last, 0.0)), False
    far = r
    while 2.0 * far < length:
        for direction in range(27):
            x, y, z = direction % 3 - 1, direction // 3 % 3 - 1, direction // 9 - 1
            away = far / math.sqrt(max(1, x * x + y * y + z * z))
            via[0] = a[0] + middle * (b[0] - a[0]) + x * away
            via[1] = a[1] + middle * (b[1] - a[1]) + y * away
            via[2] = a[2] + middle * (b[2] - a[2]) + z * away
            new = _distance(a, via) + _distance(via, b)
            if (
                new < length - SLACK
                and _is_open(a, via, needed, space, stack)
                and _is_open(via, b, needed, space, stack)
            ):
                length, found = new, True
                _copy(via, best)
        far *= SPREAD
    return found


@inner(inline=False)
def _slide(line, n, needed, space, workspace):
    """Move the turns of a path along obstacles while that shortens it, in ever smaller steps."""
    stack, moved = workspace.stack, workspace.vias[0]
    step = FARTHEST * space.resolution
    while step >= CLOSEST * space.resolution:
        shorter = False
        for k in range(1, n - 1):
            before, here, after = line[k - 1], line[k], line[k + 1]
            best = _distance(before, here) + _distance(here, after)
            for direction in range(27):
                moved[0] = here[0] + step * (direction % 3 - 1)
                moved[1] = here[1] + step * (direction // 3 % 3 - 1)
                moved[2] = here[2] + step * (direction // 9 - 1)
                length = _distance(before, moved) + _distance(moved, after)
                if (
                    length < best - 1e-3 * step
                    and _is_open(before, moved, needed, space, stack)
                    and _is_open(moved, after, needed, space, stack)
                ):
                    best, shorter = length, True
                    _copy(moved, here)
        if not shorter:
            step *= 0.5


@inner
def _cut_evenly(line, n, cuts):
    """Write the points of a path and points between them to cuts; return how many."""
    length = 0.0
    for k in range(n - 1):
        length += _distance(line[k], line[k + 1])
    spare, m = len(cuts) - n, 0
    for k in range(n - 1):
        pieces = 1
        if spare > 0 and length > 0.0:
            pieces += int(spare * _distance(line[k], line[k + 1]) / length)
        for piece in range(pieces):
            share = piece / pieces
            for axis in range(3):
                cuts[m, axis] = line[k, axis] + share * (line[k + 1, axis] - line[k, axis])
            m += 1
    _copy(line[n - 1], cuts[m])
    return m + 1


@kernel
def join_corners(points, clearance, chosen, space, seen, depth):
    """Write the event whose ball contains each free corner deepest to seen, its margin to depth."""
    o, r = space.origin, space.resolution
    nz, ny, nx = seen.shape
    for c in range(len(chosen)):
        e = chosen[c]
        x, y, z = (points[e, 0] - o[0]) / r, (points[e, 1] - o[1]) / r, (points[e, 2] - o[2]) / r
        reach = clearance[e] / r
        for k in range(max(0, math.ceil(z - reach)), min(nz, math.floor(z + reach) + 1)):
            for j in range(max(0, math.ceil(y - reach)), min(ny, math.floor(y + reach) + 1)):
                for i in range(max(0, math.ceil(x - reach)), min(nx, math.floor(x + reach) + 1)):
                    margin = reach - _distance((x, y, z), (i, j, k))
                    if margin > depth[k, j, i]:
                        seen[k, j, i], depth[k, j, i] = e, margin


@inner
def _sees(i, j, k, e, points, o, r, space):
    """Whether the line from a corner to an event is free."""
    x, y, z = (points[e, 0] - o[0]) / r, (points[e, 1] - o[1]) / r, (points[e, 2] - o[2]) / r
    return segment_is_free(float(i), float(j), float(k), x, y, z, space)


@kernel
def spread_sight(points, space, seen, queue):
    """Join each free corner to the event of a neighbouring corner if it is visible; into seen.

    Breadth first from the corners that are joined, so that events are near. `queue` (n, 3) has a
    row for each free corner.
    """
    o, r, is_node = space.origin, space.resolution, space.is_node
    nz, ny, nx = seen.shape
    size = 0
    for k in range(nz):
        for j in range(ny):
            for i in range(nx):
                if seen[k, j, i] >= 0:
                    queue[size, 0], queue[size, 1], queue[size, 2] = i, j, k
                    size += 1
    head = 0
    while head < size:
        i, j, k = queue[head, 0], queue[head, 1], queue[head, 2]
        head += 1
        e = seen[k, j, i]
        for side in range(6):
            step = 1 if side % 2 else -1
            ci = i + (step if side // 2 == 0 else 0)
            cj = j + (step if side // 2 == 1 else 0)
            ck = k + (step if side // 2 == 2 else 0)
            if not (0 <= ci < nx and 0 <= cj < ny and 0 <= ck < nz):
                continue
            dark = is_node[ck, cj, ci] and seen[ck, cj, ci] < 0
            if dark and _sees(ci, cj, ck, e, points, o, r, space):
                seen[ck, cj, ci] = e
                queue[size, 0], queue[size, 1], queue[size, 2] = ci, cj, ck
                size += 1


@kernel
def look_around(corners, near, points, clearance, space, seen):
    """Write the widest visible event of the nearest of each corner to seen.

    `corners` (n, 3) are columns i, j, k; `near` (n, c) events, nearest first.
    """
    o, r = space.origin, space.resolution
    for row in range(len(corners)):
        i, j, k = corners[row, 0], corners[row, 1], corners[row, 2]
        widest = -1.0
        for slot in range(near.shape[1]):
            e = near[row, slot]
            if clearance[e] > widest and _sees(i, j, k, e, points, o, r, space):
                seen[k, j, i], widest = e, clearance[e]


@kernel
def balls_between(a, b, radius, share, space, out):
    """Write balls (n, 4) with exact clearance from a to just before b: how many; -1: full.

    The distance to the next ball is `share` times the excess of its radius over `radius`, and at
    least a thousandth of a cell.
    """
    length = _distance(a, b)
    s, n = 0.0, 0
    while s < length - 1e-12:
        if n == len(out):
            return -1
        q = s / length
        x, y, z = a[0] + q * (b[0] - a[0]), a[1] + q * (b[1] - a[1]), a[2] + q * (b[2] - a[2])
        out[n, 0], out[n, 1], out[n, 2] = x, y, z
        out[n, 3] = clearance_at(x, y, z, space)[0]
        s += max(share * (out[n, 3] - radius), 1e-3 * space.resolution)
        n += 1
    return n
