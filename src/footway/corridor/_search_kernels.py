"""The shortest path of a disc, over all corridors at once.

The search is Polyanya's (Cui, Harabor and Grastien, IJCAI 2017) carried over from points in
triangles to discs on the medial axis. A node is a root, the last corner that the path turned
around, and a wedge of directions from it that reach as far as some half-edge of the axis. Along a
half-edge the path passes corners on its left and right (beads); each narrows the wedge, closes it,
or opens room beside it where the path may turn around the corner that bounds the wedge. Corners
are circles of the disc's radius, so turns are arcs and the path is C1. Nodes are expanded in the
order of a lower bound on the whole path, so the first one that arrives is the shortest.

Kernels here take the arrays they use one by one, not in named tuples: reading an array out of a
tuple counts references, atomically, and that made the search ten times slower.
    nf, ni   nodes: floats (capacity, 8) and integers (capacity, 12), columns below
    heap     nodes in the order of their lower bound (capacity,)
    turns    shortest known way to each turn: length, arrival direction, query (2 corners, 4)
    count    nodes, heap size, query, most nodes that one step adds (4,)
    ahead    corner at the end of the wall of a point that is no corner (points - corners, 2)
    xy       points of the beads (n, 2);  q  the Query
"""

from __future__ import annotations

import math

import numpy as np

from footway._jit import inner, kernel
from footway.corridor._taut_kernels import (
    SLACK,
    chain_length,
    reverse_chain,
    tangent,
    tighten,
    turn_angle,
)

# Columns of nf and ni. In a pair the left side is first: UX + side, side 0 left and 1 right.
F, G, INX, INY, UX, UY = 0, 1, 2, 3, 4, 6
HALF, BEAD, ROOT, SIGMA, BLOCKER, PORTAL, FLAGS, PARENT, FIRST = 0, 1, 2, 3, 4, 6, 8, 9, 10

BOUNDED, SPAWNED = 1, 4  # << side: a bound is known; another node turns at its corner
BLIND = 16  # the goal is on this edge, but behind
STOPS = 32  # the half-edge is too narrow farther on
ARRIVED = 64  # at the vertex at the end of the half-edge
FINAL = 128  # at the goal
WAITING = 512  # to be carried along its half-edge
MENDED = 256  # at the goal, and its length is that of the mended chain

FOUND, NOWHERE, FULL = 0, 1, 2

PARALLEL = 1e-10  # sine of an angle below which two directions are one
TIGHT = 5e-8  # m, by which a disc may be too large for a passage: doors of exactly its size count
TINY = 2e-4  # m, square root of TIGHT: how far a tangent of two touching circles wanders


@inner
def _compare(bx, by, dx, dy, k, sign):
    """Where the tangent of `tangent` lies against direction b: 1 toward the side, 0 in line, -1.

    Without the tangent's divisions: most points that a path passes do not narrow its wedge.
    """
    across = bx * dy - by * dx
    if k == 0.0:
        measure, one = sign * across, abs(dx) + abs(dy)
    else:
        one = dx * dx + dy * dy
        length = math.sqrt(max(one - k * k, 0.0))
        measure = sign * (length * across - k * (bx * dx + by * dy))
    if measure > PARALLEL * one:
        return 1
    return 0 if measure > -PARALLEL * one else -1


@inner
def _push(node, nf, heap, count):
    """Add a node to the heap."""
    f = nf[node, F]
    i = count[1]
    count[1] += 1
    while i > 0:
        above = (i - 1) >> 1
        if nf[heap[above], F] <= f:
            break
        heap[i] = heap[above]
        i = above
    heap[i] = node


@inner
def _pop(nf, heap, count):
    """Take the node with the least lower bound."""
    top = heap[0]
    count[1] -= 1
    n = count[1]
    last = heap[n]
    f = nf[last, F]
    i = 0
    while True:
        below = 2 * i + 1
        if below >= n:
            break
        if below + 1 < n and nf[heap[below + 1], F] < nf[heap[below], F]:
            below += 1
        if nf[heap[below], F] >= f:
            break
        heap[i] = heap[below]
        i = below
    heap[i] = last
    return top


@inner
def _copy(node, nf, ni, count):
    """A new node with the same state, whose parent is `node`."""
    new = count[0]
    count[0] += 1
    for k in range(8):
        nf[new, k] = nf[node, k]
    for k in range(9):
        ni[new, k] = ni[node, k]
    ni[new, PARENT] = node
    ni[new, FIRST], ni[new, FIRST + 1] = -1, -1
    return new


@inner
def _root_xy(node, ni, xy, q):
    root = ni[node, ROOT]
    if root < 0:
        return q.sx, q.sy
    return xy[root, 0], xy[root, 1]


@inner
def _arc_to(node, ux, uy, nf, ni, q):
    """Length of the arc around the root from the direction of arrival to u."""
    sigma = ni[node, SIGMA]
    if sigma == 0 or q.radius == 0.0:
        return 0.0
    return q.radius * turn_angle(nf[node, INX], nf[node, INY], ux, uy, sigma)


@inner
def _arc_at_least(node, ux, uy, nf, ni, q):
    """Lower bound of `_arc_to` without trigonometry: an angle is not less than its sine."""
    sigma = ni[node, SIGMA]
    vx, vy = nf[node, INX], nf[node, INY]
    ahead = vx * ux + vy * uy
    if ahead < 0.0:
        return abs(sigma) * q.radius * (0.5 * math.pi - ahead)
    return q.radius * max(0.0, sigma * (vx * uy - vy * ux))


@inner
def _violated_side(node, ux, uy, nf, ni):
    """Side on which a direction leaves the wedge; -1 inside it."""
    flags = ni[node, FLAGS]
    if flags & BOUNDED and nf[node, UX] * uy - nf[node, UY] * ux > PARALLEL:
        return 0
    if flags & (BOUNDED << 1) and nf[node, UX + 1] * uy - nf[node, UY + 1] * ux < -PARALLEL:
        return 1
    return -1


@inner
def _lower_bound(node, nf, ni, xy, q):
    """Lower bound on the length of a path through this node's wedge and portal to the goal."""
    tx, ty = q.gx, q.gy
    left, right = ni[node, PORTAL], ni[node, PORTAL + 1]
    lx = ly = wx = wy = 0.0
    if left >= 0 and right >= 0:
        lx, ly = xy[left, 0], xy[left, 1]
        wx, wy = xy[right, 0] - lx, xy[right, 1] - ly
        beyond = wx * (ty - ly) - wy * (tx - lx)
        if beyond < 0.0:  # the goal lies on this side: the way there and back, mirrored
            scale = 2.0 * beyond / (wx * wx + wy * wy)
            tx, ty = tx + scale * wy, ty - scale * wx
    cx, cy = _root_xy(node, ni, xy, q)
    k = ni[node, SIGMA] * q.radius
    ux, uy, length = tangent(tx - cx, ty - cy, -k)
    if length < 0.0:
        return nf[node, G]
    side = _violated_side(node, ux, uy, nf, ni)
    if side >= 0:  # along the wedge's bound to the line of the portal, then straight on
        ux, uy = nf[node, UX + side], nf[node, UY + side]
        px, py = cx + k * uy, cy - k * ux
        slope = ux * wy - uy * wx
        length = 0.0
        if abs(slope) > PARALLEL:
            length = max(0.0, ((lx - px) * wy - (ly - py) * wx) / slope)
        point = ni[node, BLOCKER + side]
        if point >= 0 and not ni[node, FLAGS] & (SPAWNED << side):  # it may still turn there
            length = min(length, ux * (xy[point, 0] - px) + uy * (xy[point, 1] - py))
        ex, ey = tx - px - length * ux, ty - py - length * uy
        length += math.sqrt(ex * ex + ey * ey)
    return nf[node, G] + _arc_at_least(node, ux, uy, nf, ni, q) + length


@inner
def _is_worse(key, g, ux, uy, turns, count, q):
    """Whether this turn was reached on a shorter way; if not, remember this one.

    Two arrivals are compared where both have turned to the same direction.
    """
    if turns[key, 3] == count[2]:
        before = turns[key, 0]
        if q.radius > 0.0 and abs(g - before) < 4.0 * q.radius:
            vx, vy = turns[key, 1], turns[key, 2]
            if vx != ux or vy != uy:
                angle = math.atan2(vx * uy - vy * ux, vx * ux + vy * uy)
                before += q.radius * (angle if key % 2 == 0 else -angle)
        if g > before - SLACK:
            return g > before + SLACK
    turns[key, 0], turns[key, 1], turns[key, 2], turns[key, 3] = g, ux, uy, count[2]
    return False


@inner
def _turn_at(node, corner, side, nf, ni, turns, count, xy, q):
    """New node that turns around a corner on one side of the wedge; -1 if not, or if worse."""
    if corner < 0 or corner >= q.n_corners or ni[node, FLAGS] & (SPAWNED << side):
        return -1
    ni[node, FLAGS] |= SPAWNED << side
    sigma = 1 - 2 * side
    cx, cy = _root_xy(node, ni, xy, q)
    k = (sigma - ni[node, SIGMA]) * q.radius
    ux, uy, length = tangent(xy[corner, 0] - cx, xy[corner, 1] - cy, k)
    if length < 0.0:
        return -1
    g = nf[node, G] + _arc_to(node, ux, uy, nf, ni, q) + length
    if _is_worse(2 * corner + side, g, ux, uy, turns, count, q):
        return -1
    new = _copy(node, nf, ni, count)
    nf[new, G], nf[new, INX], nf[new, INY] = g, ux, uy
    ni[new, ROOT], ni[new, SIGMA] = corner, sigma
    # It turns toward its own side: the other bound is the way straight on, with no corner.
    other = 1 - side
    ni[new, FLAGS] = (BOUNDED << other) | (ni[node, FLAGS] & (BLIND | STOPS))
    ni[new, BLOCKER], ni[new, BLOCKER + 1] = -1, -1
    nf[new, UX + other], nf[new, UY + other] = ux, uy
    return new


@inner
def _release(node, corner, corner_side, point, side, nf, ni, heap, turns, count, xy, q):
    """Set free the node that turns at a corner on one side of the wedge, and passes `point`."""
    new = _turn_at(node, corner, corner_side, nf, ni, turns, count, xy, q)
    if new < 0:
        return
    other = 1 - side
    sign = 1 - 2 * side
    cx, cy = _root_xy(new, ni, xy, q)
    k = (sign - ni[new, SIGMA]) * q.radius
    ux, uy, length = tangent(xy[point, 0] - cx, xy[point, 1] - cy, k)
    flags = ni[new, FLAGS]
    if length >= 0.0:
        if flags & (BOUNDED << other):
            vx, vy = nf[new, UX + other], nf[new, UY + other]
            inside = sign * (vx * uy - vy * ux)
            if inside < -TIGHT / (length + TINY):
                return
            if inside < 0.0:
                ux, uy = vx, vy
        open_side = not flags & (BOUNDED << side)
        if open_side or sign * (nf[new, UX + side] * uy - nf[new, UY + side] * ux) <= PARALLEL:
            nf[new, UX + side], nf[new, UY + side] = ux, uy
            ni[new, BLOCKER + side] = point
            ni[new, FLAGS] = flags | (BOUNDED << side)
    ni[new, BEAD] += 1
    nf[new, F] = max(nf[node, F], _lower_bound(new, nf, ni, xy, q))
    _push(new, nf, heap, count)


@inner
def _first_to_turn(point, side, rival, bx, by, ahead, xy, q):
    """Corner at which a path turns when its wedge closed between a point and its other bound.

    For a point-like disc that is the bound's corner, `rival`, whose chord comes first. A wide disc
    can meet the later one first; then turning at the rival would be a turn to the wrong side.
    Returns the corner and its side; corner -1 for none, -2 when the point lies inside a wall and
    a corner of that wall will decide.
    """
    other = 1 - side
    sign = 1 - 2 * other
    if rival < 0:
        return -1, other
    dx, dy = xy[point, 0] - xy[rival, 0], xy[point, 1] - xy[rival, 1]
    ux, uy, length = tangent(dx, dy, -2.0 * sign * q.radius)
    if length >= 0.0 and sign * (bx * uy - by * ux) >= -PARALLEL:
        if rival >= q.n_corners:  # inside a wall: the path turns at its end
            return ahead[rival - q.n_corners, other], other
        return rival, other
    return point if point < q.n_corners else -2, side


@inner
def _finish(node, nf, ni, heap, count, xy, q):
    """Push the last stretch, straight from this node's root to the goal."""
    cx, cy = _root_xy(node, ni, xy, q)
    ux, uy, length = tangent(q.gx - cx, q.gy - cy, -ni[node, SIGMA] * q.radius)
    if length < 0.0:
        return
    new = _copy(node, nf, ni, count)
    nf[new, F] = nf[new, G] + _arc_to(new, ux, uy, nf, ni, q) + length
    ni[new, FLAGS] |= FINAL
    _push(new, nf, heap, count)


@inner(inline=False)
def _try_goal(node, nf, ni, heap, turns, count, xy, q):
    """The goal is on this node's half-edge: go there, straight and around the wedge's corner.

    The wedge may leave out a goal that lies before its corner, so the straight way is always
    tried; whether it is clear is looked at when its turn comes.
    """
    cx, cy = _root_xy(node, ni, xy, q)
    ux, uy, length = tangent(q.gx - cx, q.gy - cy, -ni[node, SIGMA] * q.radius)
    if length < 0.0:
        return
    _finish(node, nf, ni, heap, count, xy, q)
    side = _violated_side(node, ux, uy, nf, ni)
    if side >= 0:
        flags = ni[node, FLAGS]
        new = _turn_at(node, ni[node, BLOCKER + side], side, nf, ni, turns, count, xy, q)
        ni[node, FLAGS] = flags  # its own turn, to go on beyond the goal, is still to come
        if new >= 0:
            _finish(new, nf, ni, heap, count, xy, q)


@inner
def _beyond_goal(half, event, q):
    """Whether the path has passed the goal when it comes to this event of the goal's edge."""
    return event > q.goal_event if half % 2 == 0 else event <= q.goal_event


@inner
def _write_wedge(node, bead, lx, ly, rx, ry, lb, rb, lp, rp, flags, nf, ni):
    """Put the state that `_run` keeps in registers back into the node."""
    nf[node, UX], nf[node, UY], nf[node, UX + 1], nf[node, UY + 1] = lx, ly, rx, ry
    ni[node, BLOCKER], ni[node, BLOCKER + 1] = lb, rb
    ni[node, PORTAL], ni[node, PORTAL + 1] = lp, rp
    ni[node, BEAD], ni[node, FLAGS] = bead, flags


@inner
def _run(node, nf, ni, heap, turns, count, edges, strings, beads, ahead, xy, q):
    """Carry a node along its half-edge to the vertex at the end, and push it there.

    Past its FIRST points, if any, then past the beads from its own on. Each narrows the wedge,
    leaves room beside it, or closes it; where there is room, or it closes, a node that turns there
    is set free. This is where the search spends its time.
    """
    half, root, sigma = ni[node, HALF], ni[node, ROOT], ni[node, SIGMA]
    cx, cy = _root_xy(node, ni, xy, q)
    lx, ly, rx, ry = nf[node, UX], nf[node, UY], nf[node, UX + 1], nf[node, UY + 1]
    lb, rb = ni[node, BLOCKER], ni[node, BLOCKER + 1]
    lp, rp = ni[node, PORTAL], ni[node, PORTAL + 1]
    flags, first = ni[node, FLAGS] & ~WAITING, ni[node, BEAD]
    left, right = ni[node, FIRST], ni[node, FIRST + 1]
    awaits_goal = half // 2 == q.goal_edge and not flags & BLIND
    for b in range(first if left < 0 and right < 0 else first - 2, strings[half + 1]):
        if b >= first:
            point, side = beads[b, 0], beads[b, 1]
            if awaits_goal and _beyond_goal(half, beads[b, 2], q):
                awaits_goal = False
                _write_wedge(node, b, lx, ly, rx, ry, lb, rb, lp, rp, flags, nf, ni)
                _try_goal(node, nf, ni, heap, turns, count, xy, q)
                flags = ni[node, FLAGS]
        else:
            side = np.int32(b - first + 2)
            point = left if side == 0 else right
        if point < 0 or point == (lp if side == 0 else rp):
            continue
        if side == 0:
            lp = point
        else:
            rp = point
        if point == root:
            continue
        sign = 1 - 2 * side
        k = (sign - sigma) * q.radius
        dx, dy = xy[point, 0] - cx, xy[point, 1] - cy
        bx, by = (lx, ly) if side == 0 else (rx, ry)
        bead = max(b, first - 1)  # a node that is set free goes on behind the bead that did it
        turn, turn_side, passes, is_closed = -1, side, point, False
        ux, uy, length = 0.0, 0.0, -1.0
        if flags & (BOUNDED << side):
            beside = _compare(bx, by, dx, dy, k, sign)
            if beside == 0:  # in line: the farther of two corners is the one to turn at
                if point < q.n_corners:
                    flags &= ~(SPAWNED << side)
                    if side == 0:
                        lb = point
                    else:
                        rb = point
                continue
            if beside > 0:
                turn = lb if side == 0 else rb
                if turn < 0 or flags & (SPAWNED << side):
                    continue
        if turn < 0:
            ux, uy, length = tangent(dx, dy, k)
            if length < 0.0:
                continue
            if flags & (BOUNDED << (1 - side)):
                vx, vy = (rx, ry) if side == 0 else (lx, ly)
                inside = sign * (vx * uy - vy * ux)
                if inside < -TIGHT / (length + TINY):
                    rival = rb if side == 0 else lb
                    turn, turn_side = _first_to_turn(point, side, rival, vx, vy, ahead, xy, q)
                    if turn == -2:
                        continue
                    is_closed = True
                    if turn_side == side:
                        passes = rival
                        flags &= ~(SPAWNED << side)
                elif inside < 0.0:
                    ux, uy = vx, vy  # a passage of exactly the disc's size: one direction is left
        if is_closed or turn >= 0:
            _write_wedge(node, bead, lx, ly, rx, ry, lb, rb, lp, rp, flags, nf, ni)
            # The goal may lie before the point, though beyond its chord.
            if is_closed and (awaits_goal or edges[half // 2, 1 - half % 2] == q.goal_vertex):
                _try_goal(node, nf, ni, heap, turns, count, xy, q)
            passed_side = side if passes == point else 1 - side
            _release(node, turn, turn_side, passes, passed_side, nf, ni, heap, turns, count, xy, q)
            if is_closed:
                return
            flags = ni[node, FLAGS]
            continue
        flags = (flags | (BOUNDED << side)) & ~(SPAWNED << side)
        if side == 0:
            lx, ly, lb = ux, uy, point
        else:
            rx, ry, rb = ux, uy, point
    _write_wedge(node, strings[half + 1], lx, ly, rx, ry, lb, rb, lp, rp, flags, nf, ni)
    if awaits_goal:
        _try_goal(node, nf, ni, heap, turns, count, xy, q)
    if flags & STOPS:
        return
    if edges[half // 2, 1 - half % 2] == q.goal_vertex:
        _try_goal(node, nf, ni, heap, turns, count, xy, q)
    ni[node, FLAGS] |= ARRIVED
    nf[node, F] = max(nf[node, F], _lower_bound(node, nf, ni, xy, q))
    _push(node, nf, heap, count)


@inner
def _may_enter(half, clearance, is_core, marks, count, q):
    edge = half // 2
    if edge == q.goal_edge and (q.goal_open_forward if half % 2 == 0 else q.goal_open_backward):
        return True
    if clearance[edge] < q.radius - SLACK:
        return False
    return is_core[edge] or marks[edge] == count[2]


@inner(inline=False)
def _mark_way_up(edge, vertex, marks, edges, is_core, up, count):
    """Allow the dead ends between a place and the core: only they can lead to it."""
    stamp = count[2]
    if edge >= 0:
        if is_core[edge]:
            return
        marks[edge] = stamp
    for k in range(2):
        v = edges[edge, k] if edge >= 0 else vertex
        while up[v] >= 0 and marks[up[v] // 2] != stamp:
            half = up[v]
            marks[half // 2] = stamp
            v = edges[half // 2, 1 - half % 2]


@inner
def _first_node(half, ni, nf, count):
    """A node at the start, with nothing known yet."""
    node = count[0]
    count[0] += 1
    for k in range(8):
        nf[node, k] = 0.0
    ni[node, HALF], ni[node, ROOT], ni[node, SIGMA] = half, -1, 0
    ni[node, BLOCKER], ni[node, BLOCKER + 1] = -1, -1
    ni[node, PORTAL], ni[node, PORTAL + 1] = -1, -1
    ni[node, FLAGS], ni[node, PARENT] = 0, -1
    ni[node, FIRST], ni[node, FIRST + 1] = -1, -1
    return node


@inner(inline=False)
def _start(half, portal, sees_goal, passable, nf, ni, heap, turns, count, string, q):
    """First node along a half-edge, from the start in the cell before a portal of it."""
    strings, beads = string.offsets, string.beads
    backward = half % 2 == 1
    node = _first_node(half, ni, nf, count)
    if sees_goal and _beyond_goal(half, portal, q):
        _try_goal(node, nf, ni, heap, turns, count, string.xy, q)
        sees_goal = False
    if not passable and not sees_goal:
        return
    ni[node, FLAGS] = WAITING | (0 if sees_goal else BLIND) | (0 if passable else STOPS)
    b = strings[half]
    while b < strings[half + 1] and (beads[b, 2] > portal if backward else beads[b, 2] < portal):
        b += 1
    ni[node, BEAD] = b
    ni[node, FIRST] = string.at_right[portal] if backward else string.at_left[portal]
    ni[node, FIRST + 1] = string.at_left[portal] if backward else string.at_right[portal]


@inner(inline=False)
def _start_everywhere(nf, ni, heap, turns, count, marks, axis, graph, string, q):
    """First nodes: both ways along the edge of the start's cell, or out of its vertex."""
    edge, event = q.start_edge, q.start_event
    if edge >= 0:
        for backward in range(2):
            sees = edge == q.goal_edge and (
                q.goal_event <= event if backward else q.goal_event >= event
            )
            is_open = q.start_open_backward if backward else q.start_open_forward
            half = 2 * edge + backward
            portal = event if backward else event + 1
            _start(half, portal, sees, is_open, nf, ni, heap, turns, count, string, q)
        return
    v = q.start_vertex
    if v == q.goal_vertex:
        node = _first_node(graph.out[graph.offsets[v]], ni, nf, count)
        _try_goal(node, nf, ni, heap, turns, count, string.xy, q)
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        half = graph.out[slot]
        e = half // 2
        if _may_enter(half, graph.clearance, graph.is_core, marks, count, q):
            is_open = graph.clearance[e] >= q.radius - SLACK
            portal = axis.offsets[e + 1] - 1 if half % 2 else axis.offsets[e]
            sees = e == q.goal_edge
            _start(half, portal, sees, is_open, nf, ni, heap, turns, count, string, q)


@inner
def _expand(node, nf, ni, count, marks, graph, strings, q):
    """Make a waiting node for every half-edge that leaves the vertex at which a node arrived."""
    clearance, is_core, out = graph.clearance, graph.is_core, graph.out
    half = ni[node, HALF]
    v = graph.edges[half // 2, 1 - half % 2]
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        leaving = out[slot]
        if leaving == half ^ 1:
            continue
        if not _may_enter(leaving, clearance, is_core, marks, count, q):
            continue
        new = _copy(node, nf, ni, count)
        ni[new, HALF], ni[new, BEAD] = leaving, strings[leaving]
        stops = STOPS if clearance[leaving // 2] < q.radius - SLACK else 0
        ni[new, FLAGS] = (ni[new, FLAGS] & ~(BLIND | ARRIVED)) | WAITING | stops


@inner(inline=False)
def _mend(node, chain, legs, ni, xy, grid, q):
    """Chain of a final node, made clear of all walls: (corners or -1, least clearance, length).

    Wedges come from the chords of the axis: where an end lies in the shade of a corner, that
    corner can be missing or one too many.
    """
    ends = (q.sx, q.sy, q.gx, q.gy, q.radius)
    n, least = tighten(_read_chain(node, chain, ni), chain, legs, grid, xy, ends)
    if n < 0:
        return -1, 0.0, 0.0
    return n, least, chain_length(n, chain, legs, q.radius)


@inner
def search(ws, index, q):
    """Find the shortest path: (status, final node, corners of its chain, least clearance).

    The chain and its legs are left in ws.chain and ws.legs.
    """
    nf, ni, heap, turns, count, marks = ws.nf, ws.ni, ws.heap, ws.turns, ws.count, ws.marks
    axis, graph, string = index.axis, index.graph, index.string
    edges, is_core, up = graph.edges, graph.is_core, graph.up
    count[0], count[1] = 0, 0
    count[2] += 1
    _mark_way_up(q.start_edge, q.start_vertex, marks, edges, is_core, up, count)
    _mark_way_up(q.goal_edge, q.goal_vertex, marks, edges, is_core, up, count)
    _start_everywhere(nf, ni, heap, turns, count, marks, axis, graph, string, q)
    strings, beads, ahead, xy = string.offsets, string.beads, string.ahead, string.xy
    limit = len(heap) - count[3]
    first, last = 0, count[0]
    while True:
        for node in range(first, last):
            if ni[node, FLAGS] & WAITING:
                _run(node, nf, ni, heap, turns, count, edges, strings, beads, ahead, xy, q)
        if count[1] == 0:
            return NOWHERE, -1, -1, 0.0
        if count[0] > limit:
            return FULL, -1, -1, 0.0
        node = _pop(nf, heap, count)
        first, last = node, node
        if ni[node, FLAGS] & FINAL:
            n, least, length = _mend(node, ws.chain, ws.legs, ni, xy, index.grid, q)
            if n < 0:
                continue
            if length <= nf[node, F] + SLACK or ni[node, FLAGS] & MENDED:
                return FOUND, node, n, least
            ni[node, FLAGS] |= MENDED
            nf[node, F] = length
            _push(node, nf, heap, count)
            continue
        if ni[node, ROOT] >= 0:
            key = 2 * ni[node, ROOT] + (0 if ni[node, SIGMA] > 0 else 1)
            if _is_worse(key, nf[node, G], nf[node, INX], nf[node, INY], turns, count, q):
                continue
        if ni[node, FLAGS] & ARRIVED:
            first = count[0]
            _expand(node, nf, ni, count, marks, graph, strings, q)
            last = count[0]
        else:
            ni[node, FLAGS] |= WAITING
            last = node + 1


@inner
def _read_chain(node, chain, ni):
    """Corners of the path that ends in a node, from start to goal: their number."""
    n = 0
    last = -1
    while node >= 0:
        root = ni[node, ROOT]
        if root >= 0 and root != last:
            chain[n, 0], chain[n, 1] = root, ni[node, SIGMA]
            n += 1
            if n == len(chain):
                break
        last = root
        node = ni[node, PARENT]
    for k in range(n):
        chain[k, 1] *= -1
    reverse_chain(n, chain)
    return n


@kernel
def read_edges(node, ws):
    """Half-edges of the path that ends in a node, from start to goal: their number."""
    n = 0
    last = -1
    while node >= 0:
        half = ws.ni[node, HALF]
        if half != last:
            if n == len(ws.edges):
                return -1
            ws.edges[n] = half
            n += 1
        last = half
        node = ws.ni[node, PARENT]
    for k in range(n // 2):
        swap = ws.edges[k]
        ws.edges[k] = ws.edges[n - 1 - k]
        ws.edges[n - 1 - k] = swap
    return n
