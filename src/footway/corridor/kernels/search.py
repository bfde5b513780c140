"""The shortest path of a disc, over all corridors at once.

The search is Polyanya's (Cui, Harabor and Grastien, IJCAI 2017) carried over from points in
triangles to discs on the medial axis. A node is a root, the last corner that the path turned
around, and a wedge of directions from it that reach some half-edge of the axis. Along a half-edge
the path passes corners on its left and right; each narrows the wedge, closes it, or leaves
free space beside it, where the path may turn around the corner that bounds the wedge. Corners are
circles of the disc's radius, so turns are arcs and the path is C1. Nodes are expanded in the order
of a lower bound on the whole path, so the first one that reaches the goal is the shortest.

Arguments are named as in kernels/search_nodes; `corners` is the CornerSequence.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.heap import pop
from footway._numba.jit import inner
from footway.corridor.kernels.graph_search import mark_dead_ends
from footway.corridor.kernels.layouts import EVENT, FOUND, FULL, NOWHERE, POINT, SIDE
from footway.corridor.kernels.search_nodes import (
    ARRIVED,
    BLIND,
    BLOCKER,
    BOUNDED,
    FINAL,
    FIRST,
    FLAGS,
    HALF,
    HEAP_SIZE,
    INX,
    INY,
    N_NODES,
    NEXT,
    PARENT,
    PORTAL,
    QUERY,
    REPAIRED,
    ROOT,
    SIGMA,
    SPAWNED,
    STEP,
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
    enqueue,
    first_node,
    first_to_turn,
    is_worse,
    lower_bound,
    release,
    root_xy,
    try_goal,
)
from footway.corridor.kernels.tangents import (
    CORNER,
    SLACK,
    TURN,
    Ends,
    chain_length,
    reverse_chain,
    tangent,
    tighten,
)

BACKWARD = 0.5  # sine of the angle beyond which a portal is crossed from its far side


@inner
def _beyond_goal(half, event, q):
    """Whether the path has passed the goal when it reaches this event of the goal's edge."""
    return event > q.goal_event if half % 2 == 0 else event <= q.goal_event


@inner
def _write_wedge(node, following, left, right, flags, ws):
    """Write the state that `_advance` keeps in local variables back to the node.

    `left` and `right` are the bounds of the wedge: direction, blocker and portal.
    """
    nf, ni = ws.floats, ws.ints
    nf[node, UX], nf[node, UY], ni[node, BLOCKER], ni[node, PORTAL] = left
    nf[node, UX + 1], nf[node, UY + 1], ni[node, BLOCKER + 1], ni[node, PORTAL + 1] = right
    ni[node, NEXT], ni[node, FLAGS] = following, flags


@inner
def _advance(node, edges, corners, ws, q):
    """Advance a node along its half-edge to the vertex at the end, and push it there.

    It passes its FIRST points, if any, then the points of the half-edge from NEXT on. Each narrows
    the wedge, leaves free space beside it, or closes it; in the last two cases a node that turns
    there is released. The search spends most of its time here.
    """
    nf, ni, points, xy = ws.floats, ws.ints, corners.points, corners.xy
    half, root, sigma = ni[node, HALF], ni[node, ROOT], ni[node, SIGMA]
    cx, cy = root_xy(node, ws, xy, q)
    lx, ly, rx, ry = nf[node, UX], nf[node, UY], nf[node, UX + 1], nf[node, UY + 1]
    lb, rb = ni[node, BLOCKER], ni[node, BLOCKER + 1]
    lp, rp = ni[node, PORTAL], ni[node, PORTAL + 1]
    flags, first = ni[node, FLAGS] & ~WAITING, ni[node, NEXT]
    left, right = ni[node, FIRST], ni[node, FIRST + 1]
    awaits_goal = half // 2 == q.goal_edge and not flags & BLIND
    for b in range(first if left < 0 and right < 0 else first - 2, corners.offsets[half + 1]):
        if b >= first:
            point, side = points[b, POINT], points[b, SIDE]
            if awaits_goal and _beyond_goal(half, points[b, EVENT], q):
                awaits_goal = False
                _write_wedge(node, b, (lx, ly, lb, lp), (rx, ry, rb, rp), flags, ws)
                try_goal(node, ws, xy, q)
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
        here = max(b, first - 1)  # a released node continues after this point
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
                    turn, turn_side = first_to_turn(point, side, rival, vx, vy, corners, q)
                    if turn == -2:
                        continue
                    is_closed = True
                    if turn_side == side:
                        passes = rival
                        flags &= ~(SPAWNED << side)
                elif inside < 0.0:
                    ux, uy = vx, vy  # a passage of exactly the disc's size: a single direction
        if is_closed or turn >= 0:
            _write_wedge(node, here, (lx, ly, lb, lp), (rx, ry, rb, rp), flags, ws)
            # The goal may lie before the point, though beyond its chord.
            if is_closed and (awaits_goal or edges[half // 2, 1 - half % 2] == q.goal_vertex):
                try_goal(node, ws, xy, q)
            passed_side = side if passes == point else 1 - side
            release(node, turn, turn_side, passes, passed_side, ws, xy, q)
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
    following = corners.offsets[half + 1]
    _write_wedge(node, following, (lx, ly, lb, lp), (rx, ry, rb, rp), flags, ws)
    if awaits_goal:
        try_goal(node, ws, xy, q)
    if flags & STOPS:
        return
    if edges[half // 2, 1 - half % 2] == q.goal_vertex:
        try_goal(node, ws, xy, q)
    ni[node, FLAGS] |= ARRIVED
    nf[node, F] = max(nf[node, F], lower_bound(node, True, ws, xy, q))
    enqueue(node, ws)


@inner
def _may_enter(half, graph, ws, q):
    edge = half // 2
    if edge == q.goal_edge and (q.goal_open_forward if half % 2 == 0 else q.goal_open_backward):
        return True
    if graph.clearance[edge] < q.radius - SLACK:
        return False
    return graph.is_core[edge] or ws.marks[edge] == ws.count[QUERY]


@inner(inline=False)
def _start(half, portal, sees_goal, passable, corners, ws, q):
    """Create the first node along a half-edge, for a start in the cell before its portal."""
    ni, backward = ws.ints, half % 2 == 1
    node = first_node(half, ws)
    if sees_goal and _beyond_goal(half, portal, q):
        try_goal(node, ws, corners.xy, q)
        sees_goal = False
    if not passable and not sees_goal:
        return
    ni[node, FLAGS] = WAITING | (0 if sees_goal else BLIND) | (0 if passable else STOPS)
    b = corners.offsets[half]
    while b < corners.offsets[half + 1]:
        event = corners.points[b, EVENT]
        if event <= portal if backward else event >= portal:
            break
        b += 1
    ni[node, NEXT] = b
    ni[node, FIRST] = corners.at_right[portal] if backward else corners.at_left[portal]
    ni[node, FIRST + 1] = corners.at_left[portal] if backward else corners.at_right[portal]


@inner(inline=False)
def _start_everywhere(axis, graph, corners, ws, q):
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
            _start(half, portal, sees, is_open, corners, ws, q)
        return
    v = q.start_vertex
    if v == q.goal_vertex:
        node = first_node(graph.out[graph.offsets[v]], ws)
        try_goal(node, ws, corners.xy, q)
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        half = graph.out[slot]
        e = half // 2
        if _may_enter(half, graph, ws, q):
            is_open = graph.clearance[e] >= q.radius - SLACK
            portal = axis.offsets[e + 1] - 1 if half % 2 else axis.offsets[e]
            sees = e == q.goal_edge
            _start(half, portal, sees, is_open, corners, ws, q)


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
def _expand(node, graph, corners, ws, q):
    """Create a waiting node for each half-edge that leaves the vertex at which a node arrived."""
    ni = ws.ints
    half = ni[node, HALF]
    v = graph.edges[half // 2, 1 - half % 2]
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        leaving = graph.out[slot]
        if leaving == half ^ 1 or not _may_enter(leaving, graph, ws, q):
            continue
        if _has_circled(node, leaving, ni):
            continue
        new = copy(node, ws)
        ni[new, HALF], ni[new, NEXT] = leaving, corners.offsets[leaving]
        stops = STOPS if graph.clearance[leaving // 2] < q.radius - SLACK else 0
        ni[new, FLAGS] = (ni[new, FLAGS] & ~(BLIND | ARRIVED)) | WAITING | stops


@inner(inline=False)
def _repair(node, corners, grid, ws, q):
    """Repair the chain of a final node to be clear of walls: (corners, least clearance, length).

    -1 corners if that fails, -2 if the chain is too long for the workspace.

    Wedges are based on chords of the axis: a corner that hides the start or the goal can be missing
    or superfluous.
    """
    n = _read_chain(node, ws)
    if n < 0:
        return -2, 0.0, 0.0
    ends = Ends(q.sx, q.sy, q.gx, q.gy, q.radius)
    n, least = tighten(n, ws.chain, ws.tangents, grid, corners.xy, ends)
    if n < 0:
        return -1, 0.0, 0.0
    return n, least, chain_length(n, ws.chain, ws.tangents, q.radius)


@inner
def search(ws, index, q):
    """Find the shortest path: (status, final node, corners of its chain, least clearance).

    The chain and its tangents are left in ws.chain and ws.tangents.
    """
    nf, ni, count, graph, corners = ws.floats, ws.ints, ws.count, index.graph, index.corners
    count[N_NODES], count[HEAP_SIZE] = 0, 0
    count[QUERY] += 1
    mark_dead_ends(q.start_edge, q.start_vertex, count[QUERY], graph, ws.marks)
    mark_dead_ends(q.goal_edge, q.goal_vertex, count[QUERY], graph, ws.marks)
    _start_everywhere(index.axis, graph, corners, ws, q)
    limit = len(ws.queue) - count[STEP]
    first, last = 0, count[N_NODES]
    while True:
        for node in range(first, last):
            if ni[node, FLAGS] & WAITING:
                _advance(node, graph.edges, corners, ws, q)
        if count[HEAP_SIZE] == 0:
            return NOWHERE, -1, -1, 0.0
        if count[N_NODES] > limit:
            return FULL, -1, -1, 0.0
        node = ws.queue[0]
        count[HEAP_SIZE] = pop(count[HEAP_SIZE], ws.keys, ws.queue)
        first, last = node, node
        if ni[node, FLAGS] & FINAL:
            n, least, length = _repair(node, corners, index.grid, ws, q)
            if n == -2:
                return FULL, -1, -1, 0.0
            if n < 0:
                continue
            if length <= nf[node, F] + SLACK or ni[node, FLAGS] & REPAIRED:
                return FOUND, node, n, least
            ni[node, FLAGS] |= REPAIRED
            nf[node, F] = length
            enqueue(node, ws)
            continue
        if ni[node, ROOT] >= 0:
            key = 2 * ni[node, ROOT] + (0 if ni[node, SIGMA] > 0 else 1)
            if is_worse(key, nf[node, G], nf[node, INX], nf[node, INY], ws, q):
                continue
        if ni[node, FLAGS] & ARRIVED:
            first = count[N_NODES]
            _expand(node, graph, corners, ws, q)
            last = count[N_NODES]
        else:
            ni[node, FLAGS] |= WAITING
            last = node + 1


@inner
def _read_chain(node, ws):
    """Corners of the path that ends in a node, from start to goal: their number, -1 if too many."""
    ni, chain = ws.ints, ws.chain
    n, last = 0, -1
    while node >= 0:
        root = ni[node, ROOT]
        if root >= 0 and root != last:
            chain[n, CORNER], chain[n, TURN] = root, ni[node, SIGMA]
            n += 1
            if n == len(chain):
                return -1
        last = root
        node = ni[node, PARENT]
    for k in range(n):
        chain[k, TURN] *= -1
    reverse_chain(n, chain)
    return n


@inner
def write_half_edges(node, ws):
    """Write the half-edges of the path that ends in a node to ws.halves; return how many."""
    n = 0
    while node >= 0:
        half = ws.ints[node, HALF]
        if n == 0 or half != ws.halves[n - 1]:
            ws.halves[n] = half
            n += 1
        node = ws.ints[node, PARENT]
    for k in range(n // 2):
        ws.halves[k], ws.halves[n - 1 - k] = ws.halves[n - 1 - k], ws.halves[k]
    return n
