"""The shortest path of a disc, over all corridors at once.

The search is Polyanya's (Cui, Harabor and Grastien, IJCAI 2017) carried over from points in
triangles to discs on the medial axis. A node is a root, the last corner that the path turned
around, and a wedge of directions from it that reach some half-edge of the axis. Along a half-edge
the path passes corners on its left and right (beads); each narrows the wedge, closes it, or leaves
free space beside it, where the path may turn around the corner that bounds the wedge. Corners are
circles of the disc's radius, so turns are arcs and the path is C1. Nodes are expanded in the order
of a lower bound on the whole path, so the first one that reaches the goal is the shortest.

The kernels' arguments are listed in kernels/search_nodes.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.graph_search import mark_dead_ends
from footway.corridor.kernels.search_nodes import (
    ARRIVED,
    BEAD,
    BLIND,
    BLOCKER,
    BOUNDED,
    FINAL,
    FIRST,
    FLAGS,
    HALF,
    INX,
    INY,
    MENDED,
    PARENT,
    PORTAL,
    ROOT,
    SIGMA,
    SPAWNED,
    STOPS,
    TIGHT,
    TINY,
    UX,
    UY,
    WAITING,
    F,
    G,
    compare,
    copy,
    first_node,
    first_to_turn,
    is_worse,
    lower_bound,
    pop,
    push,
    release,
    root_xy,
    try_goal,
)
from footway.corridor.kernels.tangents import SLACK, chain_length, reverse_chain, tangent, tighten

FOUND, NOWHERE, FULL = 0, 1, 2

BACKWARD = 0.5  # sine of the angle beyond which a portal is crossed from its far side


@inner
def _beyond_goal(half, event, q):
    """Whether the path has passed the goal when it reaches this event of the goal's edge."""
    return event > q.goal_event if half % 2 == 0 else event <= q.goal_event


@inner
def _write_wedge(node, bead, lx, ly, rx, ry, lb, rb, lp, rp, flags, nf, ni):
    """Write the state that `_run` keeps in local variables back to the node."""
    nf[node, UX], nf[node, UY], nf[node, UX + 1], nf[node, UY + 1] = lx, ly, rx, ry
    ni[node, BLOCKER], ni[node, BLOCKER + 1] = lb, rb
    ni[node, PORTAL], ni[node, PORTAL + 1] = lp, rp
    ni[node, BEAD], ni[node, FLAGS] = bead, flags


@inner
def _run(node, nf, ni, heap, turns, count, edges, strings, beads, ahead, xy, q):
    """Advance a node along its half-edge to the vertex at the end, and push it there.

    It passes its FIRST points, if any, then the beads from its own on. Each narrows the wedge,
    leaves free space beside it, or closes it; in the last two cases a node that turns there is
    released. The search spends most of its time here.
    """
    half, root, sigma = ni[node, HALF], ni[node, ROOT], ni[node, SIGMA]
    cx, cy = root_xy(node, ni, xy, q)
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
                try_goal(node, nf, ni, heap, turns, count, xy, q)
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
        bead = max(b, first - 1)  # a released node continues after this bead
        turn, turn_side, passes, is_closed = -1, side, point, False
        ux, uy, length = 0.0, 0.0, -1.0
        if flags & (BOUNDED << side):
            beside = compare(bx, by, dx, dy, k, sign)
            if beside == 0:  # collinear: the path turns at the farther corner
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
                    turn, turn_side = first_to_turn(point, side, rival, vx, vy, ahead, xy, q)
                    if turn == -2:
                        continue
                    is_closed = True
                    if turn_side == side:
                        passes = rival
                        flags &= ~(SPAWNED << side)
                elif inside < 0.0:
                    ux, uy = vx, vy  # a passage of exactly the disc's size: a single direction
        if is_closed or turn >= 0:
            _write_wedge(node, bead, lx, ly, rx, ry, lb, rb, lp, rp, flags, nf, ni)
            # The goal may lie before the point, though beyond its chord.
            if is_closed and (awaits_goal or edges[half // 2, 1 - half % 2] == q.goal_vertex):
                try_goal(node, nf, ni, heap, turns, count, xy, q)
            passed_side = side if passes == point else 1 - side
            release(node, turn, turn_side, passes, passed_side, nf, ni, heap, turns, count, xy, q)
            if is_closed:
                return
            flags = ni[node, FLAGS]
            continue
        flags = (flags | (BOUNDED << side)) & ~(SPAWNED << side)
        if side == 0:
            lx, ly, lb = ux, uy, point
        else:
            rx, ry, rb = ux, uy, point
    both = flags & (BOUNDED | BOUNDED << 1) == (BOUNDED | BOUNDED << 1)
    if both and lp >= 0 and rp >= 0:
        # A straight line cannot cross the portal backward: it would lead around an obstacle.
        wx, wy = xy[rp, 0] - xy[lp, 0], xy[rp, 1] - xy[lp, 1]
        back = BACKWARD * math.sqrt(wx * wx + wy * wy)
        if lx * wy - ly * wx > back and rx * wy - ry * wx > back:
            return
    _write_wedge(node, strings[half + 1], lx, ly, rx, ry, lb, rb, lp, rp, flags, nf, ni)
    if awaits_goal:
        try_goal(node, nf, ni, heap, turns, count, xy, q)
    if flags & STOPS:
        return
    if edges[half // 2, 1 - half % 2] == q.goal_vertex:
        try_goal(node, nf, ni, heap, turns, count, xy, q)
    ni[node, FLAGS] |= ARRIVED
    nf[node, F] = max(nf[node, F], lower_bound(node, True, nf, ni, xy, q))
    push(node, nf, heap, count)


@inner
def _may_enter(half, clearance, is_core, marks, count, q):
    edge = half // 2
    if edge == q.goal_edge and (q.goal_open_forward if half % 2 == 0 else q.goal_open_backward):
        return True
    if clearance[edge] < q.radius - SLACK:
        return False
    return is_core[edge] or marks[edge] == count[2]


@inner(inline=False)
def _start(half, portal, sees_goal, passable, nf, ni, heap, turns, count, string, q):
    """Create the first node along a half-edge, for a start in the cell before its portal."""
    strings, beads = string.offsets, string.beads
    backward = half % 2 == 1
    node = first_node(half, ni, nf, count)
    if sees_goal and _beyond_goal(half, portal, q):
        try_goal(node, nf, ni, heap, turns, count, string.xy, q)
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
    """Create the first nodes: in both directions of the start's edge, or out of its vertex."""
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
        node = first_node(graph.out[graph.offsets[v]], ni, nf, count)
        try_goal(node, nf, ni, heap, turns, count, string.xy, q)
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        half = graph.out[slot]
        e = half // 2
        if _may_enter(half, graph.clearance, graph.is_core, marks, count, q):
            is_open = graph.clearance[e] >= q.radius - SLACK
            portal = axis.offsets[e + 1] - 1 if half % 2 else axis.offsets[e]
            sees = e == q.goal_edge
            _start(half, portal, sees, is_open, nf, ni, heap, turns, count, string, q)


@inner
def _has_circled(node, leaving, ni):
    """Whether a node has circled an island around its root and enters a half-edge a second time.

    Then nothing on the root's side has bounded its wedge since the turn.
    """
    root, sigma = ni[node, ROOT], ni[node, SIGMA]
    if sigma == 0 or ni[node, FLAGS] & (BOUNDED << (0 if sigma > 0 else 1)):
        return False
    while node >= 0 and ni[node, ROOT] == root:
        if ni[node, HALF] == leaving:
            return True
        node = ni[node, PARENT]
    return False


@inner
def _expand(node, nf, ni, count, marks, graph, strings, q):
    """Create a waiting node for each half-edge that leaves the vertex at which a node arrived."""
    clearance, is_core, out = graph.clearance, graph.is_core, graph.out
    half = ni[node, HALF]
    v = graph.edges[half // 2, 1 - half % 2]
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        leaving = out[slot]
        if leaving == half ^ 1:
            continue
        if not _may_enter(leaving, clearance, is_core, marks, count, q):
            continue
        if _has_circled(node, leaving, ni):
            continue
        new = copy(node, nf, ni, count)
        ni[new, HALF], ni[new, BEAD] = leaving, strings[leaving]
        stops = STOPS if clearance[leaving // 2] < q.radius - SLACK else 0
        ni[new, FLAGS] = (ni[new, FLAGS] & ~(BLIND | ARRIVED)) | WAITING | stops


@inner(inline=False)
def _mend(node, chain, legs, ni, xy, grid, q):
    """Repair the chain of a final node to be clear of walls: (corners, least clearance, length).

    -1 corners if that fails, -2 if the chain is too long for the workspace.

    Wedges are based on chords of the axis: a corner that hides the start or the goal can be missing
    or superfluous.
    """
    ends = (q.sx, q.sy, q.gx, q.gy, q.radius)
    n = _read_chain(node, chain, ni)
    if n < 0:
        return -2, 0.0, 0.0
    n, least = tighten(n, chain, legs, grid, xy, ends)
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
    edges = graph.edges
    count[0], count[1] = 0, 0
    count[2] += 1
    mark_dead_ends(q.start_edge, q.start_vertex, count[2], graph, marks)
    mark_dead_ends(q.goal_edge, q.goal_vertex, count[2], graph, marks)
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
        node = pop(nf, heap, count)
        first, last = node, node
        if ni[node, FLAGS] & FINAL:
            n, least, length = _mend(node, ws.chain, ws.legs, ni, xy, index.grid, q)
            if n == -2:
                return FULL, -1, -1, 0.0
            if n < 0:
                continue
            if length <= nf[node, F] + SLACK or ni[node, FLAGS] & MENDED:
                return FOUND, node, n, least
            ni[node, FLAGS] |= MENDED
            nf[node, F] = length
            push(node, nf, heap, count)
            continue
        if ni[node, ROOT] >= 0:
            key = 2 * ni[node, ROOT] + (0 if ni[node, SIGMA] > 0 else 1)
            if is_worse(key, nf[node, G], nf[node, INX], nf[node, INY], turns, count, q):
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
    """Corners of the path that ends in a node, from start to goal: their number, -1 if too many."""
    n = 0
    last = -1
    while node >= 0:
        root = ni[node, ROOT]
        if root >= 0 and root != last:
            chain[n, 0], chain[n, 1] = root, ni[node, SIGMA]
            n += 1
            if n == len(chain):
                return -1
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
