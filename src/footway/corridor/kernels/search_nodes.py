"""Nodes of the search: a root, and a wedge of directions from it.

Nodes are rows of `ws.floats` and `ws.ints`, with the columns below; `ws` is the SearchWorkspace,
`q` the Query, and `xy` (n, 2) are the points of the CornerSequence.
"""

from __future__ import annotations

import math

from footway._numba.heap import push
from footway._numba.jit import inner
from footway._numba.math import atan2
from footway.corridor.kernels.tangents import SLACK, tangent, turn_angle

# Columns of floats and ints. In a pair the left side is first: UX + side, side 0 left and 1 right.
F, G, INX, INY, UX, UY = 0, 1, 2, 3, 4, 6
HALF, NEXT, ROOT, SIGMA, BLOCKER, PORTAL, FLAGS, PARENT, FIRST = 0, 1, 2, 3, 4, 6, 8, 9, 10
N_FLOATS, N_INTS = 8, 12

# Rows of SearchWorkspace.count, and columns of SearchWorkspace.turns.
N_NODES, HEAP_SIZE, QUERY, STEP = range(4)
LENGTH, ARRIVAL_X, ARRIVAL_Y, TURN_QUERY = range(4)

BOUNDED, SPAWNED = 1, 4  # << side: the wedge has a bound; a node that turns there was created
BLIND = 16  # the goal is on this edge, but behind
STOPS = 32  # the half-edge is too narrow further along
ARRIVED = 64  # at the vertex at the end of the half-edge
FINAL = 128  # at the goal
WAITING = 512  # to be advanced along its half-edge
REPAIRED = 256  # at the goal, and F is the length of the repaired chain

PARALLEL = 1e-10  # sine of the angle below which two directions are equal
TIGHT = (
    5e-8  # m, by which a disc may exceed a passage, so that doors of exactly its size are passed
)
TINY = 2e-4  # m, square root of TIGHT: uncertainty of a tangent of two touching circles


@inner
def first_node(half, ws):
    """Create a node at the start, with an unbounded wedge."""
    nf, ni = ws.floats, ws.ints
    node = ws.count[N_NODES]
    ws.count[N_NODES] += 1
    for k in range(N_FLOATS):
        nf[node, k] = 0.0
    ni[node, HALF], ni[node, ROOT], ni[node, SIGMA] = half, -1, 0
    ni[node, BLOCKER], ni[node, BLOCKER + 1] = -1, -1
    ni[node, PORTAL], ni[node, PORTAL + 1] = -1, -1
    ni[node, FLAGS], ni[node, PARENT] = 0, -1
    ni[node, FIRST], ni[node, FIRST + 1] = -1, -1
    return node


@inner
def compare(bx, by, dx, dy, k, sign):
    """Compare the tangent of `tangent` with direction b: 1 on the outer side, 0 in line, -1 inside.

    Avoids the tangent's divisions: most points that a path passes do not narrow its wedge.
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
def enqueue(node, ws):
    """Add a node to the heap, in the order of its lower bound."""
    key, size = ws.floats[node, F], ws.count[HEAP_SIZE]
    ws.count[HEAP_SIZE] = push(key, node, size, ws.keys, ws.queue)


@inner
def copy(node, ws):
    """Create a node with the same state, whose parent is `node`."""
    nf, ni = ws.floats, ws.ints
    new = ws.count[N_NODES]
    ws.count[N_NODES] += 1
    for k in range(N_FLOATS):
        nf[new, k] = nf[node, k]
    for k in range(9):
        ni[new, k] = ni[node, k]
    ni[new, PARENT] = node
    ni[new, FIRST], ni[new, FIRST + 1] = -1, -1
    return new


@inner
def root_xy(node, ws, xy, q):
    """Return the place of the root of a node: the start, or a corner."""
    ni = ws.ints
    root = ni[node, ROOT]
    if root < 0:
        return q.sx, q.sy
    return xy[root, 0], xy[root, 1]


@inner
def arc_to(node, ux, uy, ws, q):
    """Length of the arc around the root from the direction of arrival to u."""
    nf, ni = ws.floats, ws.ints
    sigma = ni[node, SIGMA]
    if sigma == 0 or q.radius == 0.0:
        return 0.0
    return q.radius * turn_angle(nf[node, INX], nf[node, INY], ux, uy, sigma)


@inner
def arc_at_least(node, ux, uy, ws, q):
    """Lower bound of `arc_to` without trigonometry: an angle is not less than its sine."""
    nf, ni = ws.floats, ws.ints
    sigma = ni[node, SIGMA]
    vx, vy = nf[node, INX], nf[node, INY]
    ahead = vx * ux + vy * uy
    if ahead < 0.0:
        return abs(sigma) * q.radius * (0.5 * math.pi - ahead)
    return q.radius * max(0.0, sigma * (vx * uy - vy * ux))


@inner
def violated_side(node, ux, uy, ws):
    """Side on which a direction leaves the wedge; -1 inside it."""
    nf, ni = ws.floats, ws.ints
    flags = ni[node, FLAGS]
    if flags & BOUNDED and nf[node, UX] * uy - nf[node, UY] * ux > PARALLEL:
        return 0
    if flags & (BOUNDED << 1) and nf[node, UX + 1] * uy - nf[node, UY + 1] * ux < -PARALLEL:
        return 1
    return -1


@inner
def lower_bound(node, at_vertex, ws, xy, q):
    """Lower bound on the length of a path through this node's wedge to the goal.

    At a vertex the path crosses the node's portal, the chord between the last points on either
    side. Between vertices one of them may be outdated, in a straight wall, so no chord is used.
    """
    nf, ni = ws.floats, ws.ints
    tx, ty = q.gx, q.gy
    left, right = ni[node, PORTAL], ni[node, PORTAL + 1]
    lx = ly = wx = wy = 0.0
    if at_vertex and left >= 0 and right >= 0:
        lx, ly = xy[left, 0], xy[left, 1]
        wx, wy = xy[right, 0] - lx, xy[right, 1] - ly
        beyond = wx * (ty - ly) - wy * (tx - lx)
        if beyond < 0.0:  # the goal lies on this side of the portal: mirror it
            scale = 2.0 * beyond / (wx * wx + wy * wy)
            tx, ty = tx + scale * wy, ty - scale * wx
    cx, cy = root_xy(node, ws, xy, q)
    k = ni[node, SIGMA] * q.radius
    ux, uy, length = tangent(tx - cx, ty - cy, -k)
    if length < 0.0:
        return nf[node, G]
    side = violated_side(node, ux, uy, ws)
    if side >= 0:  # along the wedge's bound to the portal, then straight
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
    return nf[node, G] + arc_at_least(node, ux, uy, ws, q) + length


@inner
def is_worse(key, g, ux, uy, ws, q):
    """Whether this turn was reached by a shorter path; if not, record this one.

    Two arrivals are compared after both have turned to the same direction.
    """
    turn = ws.turns[key]
    if turn[TURN_QUERY] == ws.count[QUERY]:
        before = turn[LENGTH]
        if q.radius > 0.0 and abs(g - before) < 4.0 * q.radius:
            vx, vy = turn[ARRIVAL_X], turn[ARRIVAL_Y]
            if vx != ux or vy != uy:
                angle = atan2(vx * uy - vy * ux, vx * ux + vy * uy)
                before += q.radius * (angle if key % 2 == 0 else -angle)
        if g > before - SLACK:
            return g > before + SLACK
    turn[LENGTH], turn[ARRIVAL_X], turn[ARRIVAL_Y], turn[TURN_QUERY] = g, ux, uy, ws.count[QUERY]
    return False


@inner
def turn_at(node, corner, side, ws, xy, q):
    """Create the node that turns around a corner of the wedge; -1 if impossible or worse."""
    nf, ni = ws.floats, ws.ints
    if corner < 0 or corner >= q.n_corners or ni[node, FLAGS] & (SPAWNED << side):
        return -1
    ni[node, FLAGS] |= SPAWNED << side
    sigma = 1 - 2 * side
    cx, cy = root_xy(node, ws, xy, q)
    k = (sigma - ni[node, SIGMA]) * q.radius
    ux, uy, length = tangent(xy[corner, 0] - cx, xy[corner, 1] - cy, k)
    if length < 0.0:
        return -1
    g = nf[node, G] + arc_to(node, ux, uy, ws, q) + length
    if is_worse(2 * corner + side, g, ux, uy, ws, q):
        return -1
    new = copy(node, ws)
    nf[new, G], nf[new, INX], nf[new, INY] = g, ux, uy
    ni[new, ROOT], ni[new, SIGMA] = corner, sigma
    # It turns toward its own side: the other bound is straight ahead, without a corner.
    other = 1 - side
    ni[new, FLAGS] = (BOUNDED << other) | (ni[node, FLAGS] & (BLIND | STOPS))
    ni[new, BLOCKER], ni[new, BLOCKER + 1] = -1, -1
    nf[new, UX + other], nf[new, UY + other] = ux, uy
    return new


@inner
def release(node, corner, corner_side, point, side, ws, xy, q):
    """Create and push the node that turns at a corner of the wedge and passes `point`."""
    nf, ni = ws.floats, ws.ints
    new = turn_at(node, corner, corner_side, ws, xy, q)
    if new < 0:
        return
    other = 1 - side
    sign = 1 - 2 * side
    cx, cy = root_xy(new, ws, xy, q)
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
    ni[new, NEXT] += 1
    nf[new, F] = max(nf[node, F], lower_bound(new, False, ws, xy, q))
    enqueue(new, ws)


@inner
def first_to_turn(point, side, rival, bx, by, corners, q):
    """Corner at which a path turns when its wedge closed between a point and its other bound.

    For a small disc that is the bound's corner, `rival`, whose chord comes first. A wide disc can
    reach the later one first; turning at the rival would then be a turn to the wrong side.
    Returns the corner and its side; corner -1 for none, -2 if the point lies inside a wall and a
    corner of that wall decides later.
    """
    other = 1 - side
    sign = 1 - 2 * other
    if rival < 0:
        return -1, other
    xy = corners.xy
    dx, dy = xy[point, 0] - xy[rival, 0], xy[point, 1] - xy[rival, 1]
    ux, uy, length = tangent(dx, dy, -2.0 * sign * q.radius)
    if length >= 0.0 and sign * (bx * uy - by * ux) >= -PARALLEL:
        if rival >= q.n_corners:  # a contact: the path turns at the end of its wall
            return corners.ahead[rival - q.n_corners, other], other
        return rival, other
    return point if point < q.n_corners else -2, side


@inner
def finish(node, ws, xy, q):
    """Push a final node: straight from this node's root to the goal."""
    nf, ni = ws.floats, ws.ints
    cx, cy = root_xy(node, ws, xy, q)
    ux, uy, length = tangent(q.gx - cx, q.gy - cy, -ni[node, SIGMA] * q.radius)
    if length < 0.0:
        return
    new = copy(node, ws)
    nf[new, F] = nf[new, G] + arc_to(new, ux, uy, ws, q) + length
    ni[new, FLAGS] |= FINAL
    enqueue(new, ws)


@inner(inline=False)
def try_goal(node, ws, xy, q):
    """Push final nodes to a goal on this half-edge: straight, and around the wedge's corner.

    The wedge may exclude a goal that lies before its corner, so the straight line is always tried;
    whether it is clear is checked when it is popped.
    """
    ni = ws.ints
    cx, cy = root_xy(node, ws, xy, q)
    ux, uy, length = tangent(q.gx - cx, q.gy - cy, -ni[node, SIGMA] * q.radius)
    if length < 0.0:
        return
    finish(node, ws, xy, q)
    side = violated_side(node, ux, uy, ws)
    if side >= 0:
        flags = ni[node, FLAGS]
        new = turn_at(node, ws.ints[node, BLOCKER + side], side, ws, xy, q)
        ni[node, FLAGS] = flags  # it may still turn there to continue beyond the goal
        if new >= 0:
            finish(new, ws, xy, q)
