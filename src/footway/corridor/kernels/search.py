"""The shortest path of a disc, over all corridors at once.

The search extends Polyanya (Cui, Harabor and Grastien, IJCAI 2017) from points in triangles to
discs on the medial axis. A node is a root, the last corner that the path turned
around, and a wedge of directions from it that reach some half-edge of the axis. Along a half-edge
the path passes corners on its left and right; each narrows the wedge, closes it, or leaves
free space beside it, where the path may turn around the corner that bounds the wedge. Corners are
circles of the disc's radius, so turns are arcs and the path is C1. Nodes are expanded in the order
of a lower bound on the whole path, so the first one that reaches the goal is the shortest.

Nodes are rows of `ws.floats` and `ws.ints`, with the columns below. In all functions `ws` is the
SearchWorkspace, `corners` the CornerSequence, `xy` (n, 2) its points, and `q` the Query.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner
from footway._numba.math import atan2
from footway._numba.segments import share_of_segment
from footway.corridor.kernels.graph_search import mark_dead_ends
from footway.corridor.kernels.layouts import EVENT, FOUND, FULL, NOWHERE, POINT, SIDE, Query
from footway.corridor.kernels.query import THIN, is_wide_to_end
from footway.corridor.kernels.tangents import (
    CORNER,
    SLACK,
    TURN,
    Ends,
    chain_length,
    drop_straight_stops,
    reverse_chain,
    tangent,
    tighten,
    turn_angle,
)

# Columns of floats: lower bound F of the whole path, length G up to the turn around the root,
# direction IN of arrival at the root, directions U of the wedge's left and right bound.
F, G, INX, INY, UX, UY = 0, 1, 2, 3, 4, 6  # UX + side and UY + side, side 0 left and 1 right
# Columns of ints: half-edge, the next of its points, root (-1: the start) and side of the turn
# around it, points that bound the wedge and last points passed (left, right), flags, parent node,
# and points that come before the next one (left, right).
HALF, NEXT, ROOT, SIGMA, BLOCKER, PORTAL, FLAGS, PARENT, FIRST = 0, 1, 2, 3, 4, 6, 8, 9, 10
N_FLOATS, N_INTS = 8, 12

# Instead of a corner, and instead of a number of corners; -1 is none.
DECIDED_LATER = -2  # by another corner of the same wall
TOO_LONG = -2  # the chain exceeds the workspace

# Rows of SearchWorkspace.count and .limit, and columns of SearchWorkspace.turns.
N_NODES, HEAP_SIZE, QUERY, STEP, MODE, CUT, FAILED, MEASURED, UNBOUNDED, ALL_NODES, FEW = range(11)
LONGEST, GOAL_QUERY, TABLE_ERROR = range(3)
LENGTH, ARRIVAL_X, ARRIVAL_Y, TURN_QUERY, ARRIVALS = range(5)
NODE = ARRIVALS  # of second_turns in the mode TO_POINTS
MOST_ARRIVALS = 32.0  # at a turn, besides the shortest

# Values of count[MODE]. A search for the shortest path follows only the shortest arrival at a turn;
# one for the shortest paths to all turns, the shortest for each direction in which it may leave.
# One for all paths follows every arrival whose lower bound is within ws.limit, along corridors
# without loops; count[CUT] tells whether it dropped any because of the limit, count[FAILED] whether
# it could not repair one. The last mode also stays on edges that are on a loopless path from start
# to goal: ws.on_path.
SHORTEST, TO_ALL, ALL, ALL_ON_PATHS = range(4)
# Modes without a goal (kernels/distances). One records the distance of every point, the other those
# of the landmarks to the start, over the points that it sees: it turns nowhere. The last lists the
# turns that the start sees: see_turns.
TO_POINTS, SEE, TURNS = -1, -2, -3

BOUNDED, SPAWNED = 1, 4  # << side: the wedge has a bound; a node that turns there was created
BLIND = 16  # the goal is on this edge, but behind
STOPS = 32  # the half-edge is too narrow further along
ARRIVED = 64  # at the vertex at the end of the half-edge
FINAL = 128  # at the goal
WAITING = 512  # to be advanced along its half-edge
REPAIRED = 256  # at the goal, and F is the length of the repaired chain

NEARLY = 16.0 * THIN  # m, by which paths of a thin disc may be longer than those of a point
PARALLEL = 1e-10  # sine of the angle below which two directions are equal
TIGHT = (
    5e-8  # m, by which a disc may exceed a passage, so that doors of exactly its size are passed
)
TINY = 2e-4  # m, square root of TIGHT: uncertainty of a tangent of two touching circles
STEEP = 1e-3  # sine of the angle to a portal above which it is intersected
BACKWARD = 0.5  # sine of the angle beyond which a portal is crossed from its far side


@inner
def _first_node(half, ws):
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
def _compare(bx, by, dx, dy, k, sign):
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
def _enqueue(node, ws):
    """Add a node to the heap, in the order of its lower bound; not beyond ws.limit."""
    key, size = ws.floats[node, F], ws.count[HEAP_SIZE]
    if key > ws.limit[LONGEST]:
        ws.count[CUT] = 1
        return
    ws.count[HEAP_SIZE] = push(key, node, size, ws.keys, ws.queue)


@inner
def _copy(node, ws):
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
def _root_xy(node, ws, xy, q):
    """Return the place of the root of a node: the start, or a corner."""
    ni = ws.ints
    root = ni[node, ROOT]
    if root < 0:
        return q.sx, q.sy
    return xy[root, 0], xy[root, 1]


@inner
def _arc_to(node, ux, uy, ws, q):
    """Length of the arc around the root from the direction of arrival to u."""
    nf, ni = ws.floats, ws.ints
    sigma = ni[node, SIGMA]
    if sigma == 0 or q.radius == 0.0:
        return 0.0
    return q.radius * turn_angle(nf[node, INX], nf[node, INY], ux, uy, sigma)


@inner
def _arc_at_least(node, ux, uy, ws, q):
    """Lower bound of `_arc_to` without trigonometry: an angle is not less than its sine."""
    nf, ni = ws.floats, ws.ints
    sigma = ni[node, SIGMA]
    vx, vy = nf[node, INX], nf[node, INY]
    ahead = vx * ux + vy * uy
    if ahead < 0.0:
        return abs(sigma) * q.radius * (0.5 * math.pi - ahead)
    return q.radius * max(0.0, sigma * (vx * uy - vy * ux))


@inner
def _violated_side(node, ux, uy, ws):
    """Side on which a direction leaves the wedge; -1 inside it."""
    nf, ni = ws.floats, ws.ints
    flags = ni[node, FLAGS]
    if flags & BOUNDED and nf[node, UX] * uy - nf[node, UY] * ux > PARALLEL:
        return 0
    if flags & (BOUNDED << 1) and nf[node, UX + 1] * uy - nf[node, UY + 1] * ux < -PARALLEL:
        return 1
    return -1


@inner
def _to_goal(point, ws):
    """Lower bound on the distance from a point to the goal, of any disc; may be negative.

    No path is shorter than the difference of the distances of its ends from a landmark (Goldberg
    and Harrelson, SODA 2005), and no path of a disc is shorter than that of a point.
    """
    if ws.bounds[point, 1] == ws.count[QUERY]:
        return ws.bounds[point, 0]
    bound = 0.0
    for slot in range(len(ws.active)):
        k = ws.active[slot]
        difference = abs(ws.landmarks[point, k] - ws.goal_distances[k])
        if difference > bound:  # noqa: PLR1730  # `max` may return NaN, an unknown distance
            bound = difference
    bound -= ws.limit[TABLE_ERROR]
    ws.bounds[point, 0], ws.bounds[point, 1] = bound, ws.count[QUERY]
    return bound


@inner
def _is_measured(ws):
    return ws.count[MEASURED] == ws.count[QUERY]


@inner
def _bound_by_landmarks(node, ws, xy, q):
    """Lower bound on the length of a path through the portal of a node that is at a vertex.

    At the distance t from the portal's left end l the remaining path is at least d(l) - t, and from
    its right end r at least d(r) - (width - t). The distance to the portal changes by at most t
    along it, so their sum is least where both are equal, or at the end of the wedge nearest to it.
    """
    nf, ni = ws.floats, ws.ints
    left, right, flags = ni[node, PORTAL], ni[node, PORTAL + 1], ni[node, FLAGS]
    if left < 0 or right < 0:
        return 0.0
    lx, ly = xy[left, 0], xy[left, 1]
    wx, wy = xy[right, 0] - lx, xy[right, 1] - ly
    width = math.sqrt(wx * wx + wy * wy)
    if width < TINY:
        return 0.0
    wx, wy = wx / width, wy / width
    cx, cy = _root_xy(node, ws, xy, q)
    k = ni[node, SIGMA] * q.radius
    low, high = 0.0, width
    for side in range(2):
        may_turn = ni[node, BLOCKER + side] >= 0 and not flags & (SPAWNED << side)
        if may_turn or not flags & (BOUNDED << side):
            continue
        ux, uy = nf[node, UX + side], nf[node, UY + side]
        slope = wx * uy - wy * ux
        if abs(slope) > STEEP:
            t = ((cx + k * uy - lx) * uy - (cy - k * ux - ly) * ux) / slope
            if side == 0:
                low = max(low, t)
            else:
                high = min(high, t)
    if low > high:
        return 0.0
    from_left, from_right = _to_goal(left, ws), _to_goal(right, ws)
    t = min(max(0.5 * (from_left - from_right + width), low), high)
    dx = lx + t * wx - cx - k * nf[node, INY]
    dy = ly + t * wy - cy + k * nf[node, INX]
    to_portal = math.sqrt(dx * dx + dy * dy)
    return nf[node, G] + to_portal + max(from_left - t, from_right - width + t)


@inner
def _rebound(node, ws, xy, q):
    """Raise the bound of a node created before the goal was measured; whether it was raised."""
    nf, ni = ws.floats, ws.ints
    bound, root = nf[node, F], ni[node, ROOT]
    if root >= 0:
        bound = max(bound, nf[node, G] + _to_goal(root, ws) - q.radius)
    if ni[node, FLAGS] & ARRIVED:
        bound = max(bound, _bound_by_landmarks(node, ws, xy, q))
    is_raised = bound > nf[node, F]
    nf[node, F] = bound
    return is_raised


@inner
def _record(node, point, side, ws, xy, q):
    """Record the distance to a point that a node sees, in the modes without a goal."""
    if ws.count[MODE] >= SHORTEST or ws.count[MODE] == TURNS:
        return
    cx, cy = _root_xy(node, ws, xy, q)
    dx, dy = xy[point, 0] - cx, xy[point, 1] - cy
    length = ws.floats[node, G] + math.sqrt(dx * dx + dy * dy)
    if ws.count[MODE] == TO_POINTS:
        ws.bounds[point, 0] = min(ws.bounds[point, 0], length)
        k = (1 - 2 * side - ws.ints[node, SIGMA]) * q.radius
        ux, uy, length = tangent(dx, dy, k)
        if point < q.n_corners and length >= 0.0:
            g = ws.floats[node, G] + _arc_to(node, ux, uy, ws, q) + length
            _note_turn(node, point, side, g, ux, uy, ws, q)
        return
    for slot in range(len(ws.active)):
        k = ws.active[slot]
        there = ws.landmarks[point, k] + length
        if there < ws.goal_distances[k]:  # noqa: PLR1730  # as above
            ws.goal_distances[k] = there


@inner
def _is_dominated(node, ws, xy, q):
    """Whether a sweep knows shorter paths to the whole portal of a node that is at a vertex.

    They lead to an end of the portal, and along it: free space for a point. A thin disc differs
    from a point by less than NEARLY. Ends are those of one half-edge, since the same point may be
    on both sides of a wall; this node updates their distances.
    """
    ni, half = ws.ints, ws.ints[node, HALF]
    left, right = ni[node, PORTAL], ni[node, PORTAL + 1]
    if ws.count[MODE] != TO_POINTS or q.radius > THIN or left < 0 or right < 0:
        return False
    known, (cx, cy), g = ws.portals[half], _root_xy(node, ws, xy, q), ws.floats[node, G]
    for side in range(2):
        point = ni[node, PORTAL + side]
        if point in (ni[node, BLOCKER + side], ni[node, ROOT]):  # the root sees it
            dx, dy = xy[point, 0] - cx, xy[point, 1] - cy
            known[side] = min(known[side], g + math.sqrt(dx * dx + dy * dy))
    wx, wy = xy[right, 0] - xy[left, 0], xy[right, 1] - xy[left, 1]
    farthest = 0.5 * (known[0] + known[1] + math.sqrt(wx * wx + wy * wy))
    if farthest == math.inf:
        return False
    dx, dy = cx - xy[left, 0], cy - xy[left, 1]
    t = share_of_segment(dx, dy, wx, wy)
    ex, ey = dx - t * wx, dy - t * wy
    return g + math.sqrt(ex * ex + ey * ey) > farthest + NEARLY


@inner
def _lower_bound(node, at_vertex, ws, xy, q):
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
    cx, cy = _root_xy(node, ws, xy, q)
    k = ni[node, SIGMA] * q.radius
    ux, uy, length = tangent(tx - cx, ty - cy, -k)
    if length < 0.0:
        return nf[node, G]
    side = _violated_side(node, ux, uy, ws)
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
    return nf[node, G] + _arc_at_least(node, ux, uy, ws, q) + length


@inner
def _turned(key, vx, vy, ux, uy):
    """Sine of the angle by which an arrival in direction u has turned further than one in v."""
    return (1 - 2 * (key % 2)) * (vx * uy - vy * ux)


@inner
def _is_second_worse(key, g, ux, uy, ws, q):
    """`_is_worse` for an arrival in a direction to which the shortest one cannot turn back.

    It is compared with the last arrival of this kind. Around a single post directions have no
    order, so that paths that circle it might replace each other for ever: there is a limit.
    """
    turn = ws.second_turns[key]
    if turn[TURN_QUERY] != ws.count[QUERY]:
        turn[ARRIVALS] = 0.0
    if turn[ARRIVALS] >= MOST_ARRIVALS:
        return True
    turn[ARRIVALS] += 1.0
    vx, vy = turn[ARRIVAL_X], turn[ARRIVAL_Y]
    if turn[TURN_QUERY] == ws.count[QUERY] and _turned(key, vx, vy, ux, uy) >= -PARALLEL:
        angle = atan2(vx * uy - vy * ux, vx * ux + vy * uy)
        before = turn[LENGTH] + q.radius * (angle if key % 2 == 0 else -angle)
        if g > before - SLACK:
            return g > before + SLACK
    turn[LENGTH], turn[ARRIVAL_X], turn[ARRIVAL_Y], turn[TURN_QUERY] = g, ux, uy, ws.count[QUERY]
    return False


@inner
def _is_worse(key, g, ux, uy, ws, q):
    """Whether this turn was reached by a shorter path; if not, record this one.

    Two arrivals are compared after both have turned to the same direction.
    """
    turn = ws.turns[key]
    if turn[TURN_QUERY] == ws.count[QUERY]:
        before, vx, vy = turn[LENGTH], turn[ARRIVAL_X], turn[ARRIVAL_Y]
        if q.radius > 0.0 and abs(g - before) < 4.0 * q.radius and (vx != ux or vy != uy):
            angle = atan2(vx * uy - vy * ux, vx * ux + vy * uy)
            before += q.radius * (angle if key % 2 == 0 else -angle)
        if g > before - SLACK:
            if ws.count[MODE] == TO_ALL and _turned(key, vx, vy, ux, uy) < -PARALLEL:
                return _is_second_worse(key, g, ux, uy, ws, q)
            return g > before + SLACK
    turn[LENGTH], turn[ARRIVAL_X], turn[ARRIVAL_Y], turn[TURN_QUERY] = g, ux, uy, ws.count[QUERY]
    return False


@inner
def _length_through(key, g, ux, uy, ws, q):
    """Lower bound on the length of a path that arrives at a turn after g metres in direction u.

    It is exact unless the corridor behind the turn is closed to this path. ws.to_goal has the
    shortest path from the goal to each turn, on the other side of the path that comes from there;
    a turn that it does not have is farther than the limit.
    """
    turn = ws.to_goal[key ^ 1]
    if turn[TURN_QUERY] != ws.limit[GOAL_QUERY]:
        return math.inf
    vx, vy = -turn[ARRIVAL_X], -turn[ARRIVAL_Y]
    angle = atan2(ux * vy - uy * vx, ux * vx + uy * vy)
    return g + turn[LENGTH] + q.radius * (angle if key % 2 == 0 else -angle)


@inner
def _turn_at(node, corner, side, to_goal, ws, xy, q):
    """Create the node that turns around a corner of the wedge; -1 if impossible or worse.

    `to_goal`: it goes straight to the goal from there, so its length will be known.
    """
    nf, ni = ws.floats, ws.ints
    if corner < 0 or corner >= q.n_corners or ni[node, FLAGS] & (SPAWNED << side):
        return -1
    if ws.count[MODE] == SEE:
        return -1
    ni[node, FLAGS] |= SPAWNED << side
    if ws.count[MODE] == TURNS:
        ws.queue[ws.count[HEAP_SIZE]] = 2 * corner + side
        ws.count[HEAP_SIZE] += 1
        return -1
    sigma = 1 - 2 * side
    cx, cy = _root_xy(node, ws, xy, q)
    k = (sigma - ni[node, SIGMA]) * q.radius
    ux, uy, length = tangent(xy[corner, 0] - cx, xy[corner, 1] - cy, k)
    if length < 0.0:
        return -1
    g = nf[node, G] + _arc_to(node, ux, uy, ws, q) + length
    bound = nf[node, F]
    if _is_measured(ws):
        bound = max(bound, g + _to_goal(corner, ws) - q.radius)
    if ws.count[MODE] == TO_POINTS:
        _note_turn(node, corner, side, g, ux, uy, ws, q)
    if ws.count[MODE] < ALL:
        if _is_worse(2 * corner + side, g, ux, uy, ws, q):
            return -1
    elif not to_goal:
        bound = max(bound, _length_through(2 * corner + side, g, ux, uy, ws, q))
        if bound > ws.limit[LONGEST] or bound == math.inf:
            ws.count[CUT] = 1
            return -1
    new = _copy(node, ws)
    nf[new, F] = bound
    nf[new, G], nf[new, INX], nf[new, INY] = g, ux, uy
    ni[new, ROOT], ni[new, SIGMA] = corner, sigma
    # It turns toward its own side: the other bound is straight ahead, without a corner.
    other = 1 - side
    ni[new, FLAGS] = (BOUNDED << other) | (ni[node, FLAGS] & (BLIND | STOPS))
    ni[new, BLOCKER], ni[new, BLOCKER + 1] = -1, -1
    nf[new, UX + other], nf[new, UY + other] = ux, uy
    return new


@inner
def _release(node, corner, corner_side, point, side, ws, xy, q):
    """Create and push the node that turns at a corner of the wedge and passes `point`."""
    nf, ni = ws.floats, ws.ints
    new = _turn_at(node, corner, corner_side, False, ws, xy, q)
    if new < 0:
        return
    _record(new, point, side, ws, xy, q)
    other = 1 - side
    sign = 1 - 2 * side
    cx, cy = _root_xy(new, ws, xy, q)
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
    nf[new, F] = max(nf[new, F], _lower_bound(new, False, ws, xy, q))
    _enqueue(new, ws)


@inner
def _first_to_turn(point, side, rival, bx, by, corners, q):
    """Corner at which a path turns when its wedge closed between a point and its other bound.

    For a small disc that is the bound's corner, `rival`, whose chord comes first. A wide disc can
    reach the later one first; turning at the rival would then be a turn to the wrong side.
    Returns the corner and its side; corner -1 for none, DECIDED_LATER if the point lies inside a
    wall and a corner of that wall decides later.
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
    return point if point < q.n_corners else DECIDED_LATER, side


@inner
def _finish(node, ws, xy, q):
    """Push a final node: straight from this node's root to the goal."""
    nf, ni = ws.floats, ws.ints
    cx, cy = _root_xy(node, ws, xy, q)
    ux, uy, length = tangent(q.gx - cx, q.gy - cy, -ni[node, SIGMA] * q.radius)
    if length < 0.0 or ws.count[MODE] == TURNS:
        return
    new = _copy(node, ws)
    nf[new, F] = nf[new, G] + _arc_to(new, ux, uy, ws, q) + length
    ni[new, FLAGS] |= FINAL
    _enqueue(new, ws)


@inner
def _goal_is_past(node, point, side, ws, xy, q):
    """Whether the line from this node's root to the goal passes a point on the correct side.

    A line that ends before a point that bounds the wedge may leave the wedge and be clear of walls.
    """
    if point < 0:
        return False
    cx, cy = _root_xy(node, ws, xy, q)
    k = ws.ints[node, SIGMA] * q.radius
    ux, uy, _ = tangent(q.gx - cx, q.gy - cy, -k)
    dx, dy = xy[point, 0] - cx - k * uy, xy[point, 1] - cy + k * ux
    return (1 - 2 * side) * (ux * dy - uy * dx) >= 0.0


@inner(inline=False)
def _try_goal(node, ws, xy, q):
    """Push final nodes to a goal on this half-edge: straight, and around the wedge's corner.

    The wedge may exclude a goal that lies before its corner, so the straight line is always tried;
    whether it is clear is checked when it is popped.
    """
    ni = ws.ints
    cx, cy = _root_xy(node, ws, xy, q)
    ux, uy, length = tangent(q.gx - cx, q.gy - cy, -ni[node, SIGMA] * q.radius)
    if length < 0.0:
        return
    side = _violated_side(node, ux, uy, ws)
    finds_all = ws.count[MODE] >= ALL
    is_straight = side < 0 or (
        finds_all and _goal_is_past(node, ni[node, BLOCKER + side], side, ws, xy, q)
    )
    if is_straight or not finds_all:
        _finish(node, ws, xy, q)
    if not is_straight:
        flags = ni[node, FLAGS]
        new = _turn_at(node, ws.ints[node, BLOCKER + side], side, True, ws, xy, q)
        ni[node, FLAGS] = flags  # it may still turn there to continue beyond the goal
        if new >= 0:
            _finish(new, ws, xy, q)


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
    cx, cy = _root_xy(node, ws, xy, q)
    lx, ly, rx, ry = nf[node, UX], nf[node, UY], nf[node, UX + 1], nf[node, UY + 1]
    lb, rb = ni[node, BLOCKER], ni[node, BLOCKER + 1]
    lp, rp = ni[node, PORTAL], ni[node, PORTAL + 1]
    flags, first = ni[node, FLAGS] & ~WAITING, ni[node, NEXT]
    left, right = ni[node, FIRST], ni[node, FIRST + 1]
    awaits_goal = half // 2 == q.goal_edge and not flags & BLIND
    if awaits_goal and ws.count[MODE] >= ALL and first > corners.offsets[half]:
        # Beyond the goal the path would come back to it, around an obstacle.
        awaits_goal = not _beyond_goal(half, points[first - 1, EVENT], q)
    for b in range(first if left < 0 and right < 0 else first - 2, corners.offsets[half + 1]):
        if b >= first:
            point, side = points[b, POINT], points[b, SIDE]
            if awaits_goal and _beyond_goal(half, points[b, EVENT], q):
                awaits_goal = False
                _write_wedge(node, b, (lx, ly, lb, lp), (rx, ry, rb, rp), flags, ws)
                _try_goal(node, ws, xy, q)
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
            _record(node, point, side, ws, xy, q)
            continue
        sign = 1 - 2 * side
        k = (sign - sigma) * q.radius
        dx, dy = xy[point, 0] - cx, xy[point, 1] - cy
        bx, by = (lx, ly) if side == 0 else (rx, ry)
        here = max(b, first - 1)  # a released node continues after this point
        turn, turn_side, passes, is_closed = -1, side, point, False
        ux, uy, length = 0.0, 0.0, -1.0
        if flags & (BOUNDED << side):
            beside = _compare(bx, by, dx, dy, k, sign)
            if beside == 0:  # collinear: the path turns at the farther corner
                _record(node, point, side, ws, xy, q)
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
                _record(node, point, side, ws, xy, q)  # a contact at the root
                continue
            if flags & (BOUNDED << (1 - side)):
                vx, vy = (rx, ry) if side == 0 else (lx, ly)
                inside = sign * (vx * uy - vy * ux)
                if inside < -TIGHT / (length + TINY):
                    rival = rb if side == 0 else lb
                    turn, turn_side = _first_to_turn(point, side, rival, vx, vy, corners, q)
                    if turn == DECIDED_LATER:
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
            near = awaits_goal or edges[half // 2, 1 - half % 2] == q.goal_vertex
            any_corridor = ws.count[MODE] < ALL
            if (
                is_closed and near
                and (any_corridor or _goal_is_past(node, point, side, ws, xy, q))
            ):  # fmt: skip
                _try_goal(node, ws, xy, q)
            passed_side = side if passes == point else 1 - side
            _release(node, turn, turn_side, passes, passed_side, ws, xy, q)
            if is_closed:
                return
            flags = ni[node, FLAGS]
            continue
        _record(node, point, side, ws, xy, q)
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
        _try_goal(node, ws, xy, q)
    if flags & STOPS:
        return
    if edges[half // 2, 1 - half % 2] == q.goal_vertex:
        _try_goal(node, ws, xy, q)
    ni[node, FLAGS] |= ARRIVED
    if ws.count[MODE] <= SEE or _is_dominated(node, ws, xy, q):
        return
    nf[node, F] = max(nf[node, F], _lower_bound(node, True, ws, xy, q))
    if _is_measured(ws):
        nf[node, F] = max(nf[node, F], _bound_by_landmarks(node, ws, xy, q))
    _enqueue(node, ws)


@inner
def _may_enter(half, graph, ws, q):
    edge = half // 2
    if edge == q.goal_edge and (q.goal_open_forward if half % 2 == 0 else q.goal_open_backward):
        return True
    if graph.clearance[edge] < q.radius - SLACK:
        return False
    if ws.count[MODE] == ALL_ON_PATHS:
        return ws.on_path[edge]
    if ws.count[MODE] == TO_POINTS or ws.count[MODE] == SEE:
        return True
    return graph.is_core[edge] or ws.marks[edge] == ws.count[QUERY]


@inner(inline=False)
def _start(half, portal, sees_goal, passable, corners, ws, q):
    """Create the first node along a half-edge, for a start in the cell before its portal."""
    ni, backward = ws.ints, half % 2 == 1
    node = _first_node(half, ws)
    if sees_goal and _beyond_goal(half, portal, q):
        _try_goal(node, ws, corners.xy, q)
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
        node = _first_node(graph.out[graph.offsets[v]], ws)
        _try_goal(node, ws, corners.xy, q)
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
def _loop_flags(node, leaving, edges, ni, q):
    """Flags of a node that enters a half-edge: -1 where its corridor would have a loop, else 0.

    A corridor without loops passes no vertex twice. So a half-edge to a vertex that it has passed
    is entered only to a goal on it (STOPS), and if that is the edge of the start, only to a goal
    behind the start.
    """
    far = edges[leaving // 2, 1 - leaving % 2]
    is_passed = far == q.start_vertex
    while node >= 0:
        half = ni[node, HALF]
        is_passed = is_passed or edges[half // 2, 1 - half % 2] == far
        node = ni[node, PARENT]
    if not is_passed:
        return 0
    if leaving // 2 != q.goal_edge:
        return -1
    if q.start_edge == q.goal_edge and not (
        q.goal_is_behind if leaving % 2 == 0 else q.goal_is_ahead
    ):
        return -1
    return STOPS


@inner
def _expand(node, graph, corners, ws, q):
    """Create a waiting node for each half-edge that leaves the vertex at which a node arrived."""
    ni, finds_all = ws.ints, ws.count[MODE] >= ALL
    half = ni[node, HALF]
    v = graph.edges[half // 2, 1 - half % 2]
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        leaving = graph.out[slot]
        if leaving == half ^ 1 or not _may_enter(leaving, graph, ws, q):
            continue
        if _has_circled(node, leaving, ni):
            continue
        stops = _loop_flags(node, leaving, graph.edges, ni, q) if finds_all else 0
        if stops < 0:
            continue
        if graph.clearance[leaving // 2] < q.radius - SLACK:
            stops = STOPS
        new = _copy(node, ws)
        ni[new, HALF], ni[new, NEXT] = leaving, corners.offsets[leaving]
        ni[new, FLAGS] = (ni[new, FLAGS] & ~(BLIND | ARRIVED)) | WAITING | stops


@inner(inline=False)
def _repair(node, corners, grid, ws, q):
    """Repair the chain of a final node to be clear of walls: (corners, least clearance, length).

    -1 corners if that fails, TOO_LONG if the chain is too long for the workspace.

    Wedges are based on chords of the axis: a corner that hides the start or the goal can be missing
    or superfluous.
    """
    n = _read_chain(node, ws.ints, ws.chain)
    if n < 0:
        return TOO_LONG, 0.0, 0.0
    ends = Ends(q.sx, q.sy, q.gx, q.gy, q.radius, q.start_layer, q.goal_layer)
    return _repair_chain(n, ends, corners, grid, ws)


@inner
def _repair_chain(n, ends, corners, grid, ws):
    """`_repair` for the n corners in ws.chain."""
    n, least = tighten(n, ws.chain, ws.tangents, grid, corners.xy, ends)
    turns = drop_straight_stops(n, ws.chain, ws.tangents)
    if turns < n:
        n, least = tighten(turns, ws.chain, ws.tangents, grid, corners.xy, ends)
    if n < 0:
        return -1, 0.0, 0.0
    return n, least, chain_length(n, ws.chain, ws.tangents, ends.radius)


@inner
def begin_search(ws, index, q):
    """Create the first nodes, in a workspace whose mode and limit are set."""
    count, graph, corners = ws.count, index.graph, index.corners
    count[N_NODES], count[HEAP_SIZE], count[CUT], count[FAILED] = 0, 0, 0, 0
    count[QUERY] += 1
    mark_dead_ends(q.start_edge, q.start_vertex, count[QUERY], graph, ws.marks)
    mark_dead_ends(q.goal_edge, q.goal_vertex, count[QUERY], graph, ws.marks)
    _start_everywhere(index.axis, graph, corners, ws, q)
    _advance_waiting(0, count[N_NODES], graph, corners, ws, q)


@inner
def sweep(ws, index, q):
    """Search all shortest paths from the start to points, in the mode TO_POINTS; False: too many.

    The distances are left in ws.bounds[:, 0]; infinite where there is no path.
    """
    count = ws.count
    ws.bounds[:, 0] = math.inf
    ws.portals[:] = math.inf
    count[N_NODES], count[HEAP_SIZE], count[MODE] = 0, 0, TO_POINTS
    count[QUERY] += 1
    ws.limit[LONGEST] = math.inf
    _start_everywhere(index.axis, index.graph, index.corners, ws, q)
    _advance_waiting(0, count[N_NODES], index.graph, index.corners, ws, q)
    return reach(math.inf, ws, index, q)


@inner(inline=False)
def _look(first, ws, index, q):
    """Follow all that the start sees, in the modes SEE and TURNS, with nodes from `first` on."""
    count, most, node = ws.count, len(ws.queue) - ws.count[STEP], first
    _start_everywhere(index.axis, index.graph, index.corners, ws, q)
    while node < count[N_NODES] and count[N_NODES] <= most:
        if ws.ints[node, FLAGS] & WAITING:
            _advance(node, index.graph.edges, index.corners, ws, q)
        if ws.ints[node, FLAGS] & ARRIVED:
            _expand(node, index.graph, index.corners, ws, q)
        node += 1


@inner
def see_turns(ws, index, q):
    """List the turns that the start sees, 2 corner + side, in ws.queue; False: too many nodes.

    ws.count[HEAP_SIZE] is their number; some may be there twice. As the search does, it looks into
    dead ends only if the start or the goal is there.
    """
    count = ws.count
    count[N_NODES], count[HEAP_SIZE], count[MODE] = 0, 0, TURNS
    count[QUERY] += 1
    mark_dead_ends(q.start_edge, q.start_vertex, count[QUERY], index.graph, ws.marks)
    mark_dead_ends(q.goal_edge, q.goal_vertex, count[QUERY], index.graph, ws.marks)
    _look(0, ws, index, q)
    return count[N_NODES] <= len(ws.queue) - count[STEP]


@inner
def _choose_landmarks(point, one, two, ws):
    """Choose the landmarks that bound the distance from a point to one of two best: ws.active."""
    bounds, far = ws.goal_distances, ws.landmarks
    for k in range(len(bounds)):
        bounds[k] = 0.0
        for near in (one, two):
            bound = abs(far[point, k] - far[near, k])
            if bound > bounds[k]:  # noqa: PLR1730  # as above
                bounds[k] = bound
    for slot in range(len(ws.active)):
        best = 0
        for k in range(1, len(bounds)):
            if bounds[k] > bounds[best]:
                best = k
        ws.active[slot], bounds[best] = best, -1.0


@inner(inline=False)
def _measure_goal(here, ws, index, q):
    """Compute the distances of some landmarks to the goal, for lower bounds from now on.

    The shortest path from a landmark turns last at a corner that the goal sees, or begins there:
    landmarks are corners. The nodes of this search begin after those of the main one. The landmarks
    are those that are best for the node `here` and the contacts of a vertex near the goal.
    """
    count, first, graph = ws.count, ws.count[N_NODES], index.graph
    mode, most = count[MODE], len(ws.queue) - count[STEP]
    count[UNBOUNDED] = first
    edge = q.goal_edge if q.goal_edge >= 0 else graph.out[graph.offsets[q.goal_vertex]] // 2
    event, corners = index.axis.offsets[edge], index.corners
    left, right = corners.at_left[event], corners.at_right[event]
    _choose_landmarks(max(ws.ints[here, PORTAL], 0), left, right, ws)
    ws.goal_distances[:] = math.inf
    ahead = q.goal_edge >= 0 and is_wide_to_end(q.goal_event, q.goal_edge, 1, THIN, index.axis)
    behind = q.goal_edge >= 0 and is_wide_to_end(q.goal_event, q.goal_edge, 0, THIN, index.axis)
    goal = Query(
        q.gx, q.gy, q.gx, q.gy, THIN, q.n_corners,
        q.goal_edge, q.goal_event, q.goal_vertex, ahead, behind,
        -1, -1, -1, False, False, False, False, q.goal_layer, q.goal_layer,
    )  # fmt: skip
    count[MODE] = SEE
    _look(first, ws, index, goal)
    for k in range(len(ws.goal_distances)):
        if ws.goal_distances[k] == math.inf or count[N_NODES] > most:
            ws.goal_distances[k] = math.nan
    count[MODE], count[N_NODES], count[MEASURED] = mode, first, count[QUERY]


@inner
def _advance_waiting(first, last, graph, corners, ws, q):
    for node in range(first, last):
        if ws.ints[node, FLAGS] & WAITING:
            _advance(node, graph.edges, corners, ws, q)


@inner
def _pop_node(ws):
    """Remove the node with the least lower bound from the heap."""
    node = ws.queue[0]
    ws.count[HEAP_SIZE] = pop(ws.count[HEAP_SIZE], ws.keys, ws.queue)
    return node


@inner
def _is_overtaken(node, ws, q):
    """Whether a shorter path to the node's turn was found after the node was created."""
    nf, ni = ws.floats, ws.ints
    if ni[node, ROOT] < 0 or ws.count[MODE] >= ALL:
        return False
    key = 2 * ni[node, ROOT] + (0 if ni[node, SIGMA] > 0 else 1)
    return _is_worse(key, nf[node, G], nf[node, INX], nf[node, INY], ws, q)


@inner
def _follow(node, graph, corners, ws, q):
    """Expand a node that arrived at a vertex; advance any other along its half-edge."""
    first, last = node, node + 1
    if ws.ints[node, FLAGS] & ARRIVED:
        first = ws.count[N_NODES]
        _expand(node, graph, corners, ws, q)
        last = ws.count[N_NODES]
    else:
        ws.ints[node, FLAGS] |= WAITING
    _advance_waiting(first, last, graph, corners, ws, q)


@inner
def _rank(n, chain):
    """Number that orders chains: the same for the same corners, whatever the map's other walls."""
    rank = np.int64(n)
    for k in range(n):
        rank = 1000003 * rank + 2 * chain[k, CORNER] + (chain[k, TURN] > 0)
    return rank


@inner
def next_path(ws, index, q):
    """Continue to the next path, in the order of length: (status, final node, corners, clearance).

    The number of corners of its chain and its least clearance; the chain and its tangents are left
    in ws.chain and ws.tangents. NOWHERE if there is none. In the mode ALL the same path may be
    found again.

    Of several shortest paths of the same length the first by `_rank` is returned, so that the
    answer does not depend on the order in which they are found, and so not on lower bounds.
    """
    nf, ni, count, graph, corners = ws.floats, ws.ints, ws.count, index.graph, index.corners
    most = len(ws.queue) - count[STEP]
    is_single = count[MODE] == SHORTEST
    has_bounds = is_single and len(ws.goal_distances) > 0
    best, drawn, first_rank, longest = -1, -1, np.int64(0), math.inf
    corners_of_best, least_of_best = -1, 0.0
    n, least, length = -1, 0.0, 0.0
    while count[HEAP_SIZE] > 0 and ws.keys[0] <= longest:
        if count[N_NODES] > most:
            if best >= 0:
                break
            return FULL, -1, -1, 0.0
        node = _pop_node(ws)
        if has_bounds and count[N_NODES] > count[FEW]:
            if not _is_measured(ws):
                _measure_goal(node, ws, index, q)
            is_old = node < count[UNBOUNDED] and not ni[node, FLAGS] & FINAL
            if is_old and _rebound(node, ws, corners.xy, q):
                _enqueue(node, ws)
                continue
        if ni[node, FLAGS] & FINAL:
            if node != drawn:
                n, least, length = _repair(node, corners, index.grid, ws, q)
            drawn = node
            if n == TOO_LONG:
                return FULL, -1, -1, 0.0
            if n < 0:
                count[FAILED] = 1
                continue
            if length <= nf[node, F] + SLACK or ni[node, FLAGS] & REPAIRED:
                if not is_single:
                    return FOUND, node, n, least
                rank = _rank(n, ws.chain)
                if best < 0 or rank < first_rank:
                    best, first_rank, longest = node, rank, min(longest, length + SLACK)
                    corners_of_best, least_of_best = n, least
                continue
            ni[node, FLAGS] |= REPAIRED
            nf[node, F] = length
            _enqueue(node, ws)
        elif not _is_overtaken(node, ws, q):
            _follow(node, graph, corners, ws, q)
    if best < 0:
        return NOWHERE, -1, -1, 0.0
    if drawn != best:
        _repair(best, corners, index.grid, ws, q)
    return FOUND, best, corners_of_best, least_of_best


@inner
def search(ws, index, q):
    """Find the shortest path: see `next_path`."""
    ws.count[MODE], ws.limit[LONGEST] = SHORTEST, math.inf
    begin_search(ws, index, q)
    found = next_path(ws, index, q)
    ws.count[ALL_NODES] += ws.count[N_NODES]
    return found


@inner
def reach(limit, ws, index, q):
    """Continue a search for shortest paths to all turns that a path of this length may have.

    The turns are left in ws.turns. False if the workspace is too small.
    """
    graph, corners, count = index.graph, index.corners, ws.count
    most = len(ws.queue) - count[STEP]
    while count[HEAP_SIZE] > 0 and ws.keys[0] <= limit:
        if count[N_NODES] > most:
            if count[MODE] == TO_POINTS:
                _drop_closed(ws)
            if 2 * count[N_NODES] > most:
                return False
        node = _pop_node(ws)
        if ws.ints[node, FLAGS] & FINAL or _is_overtaken(node, ws, q):
            continue
        if not (ws.ints[node, FLAGS] & ARRIVED and _is_dominated(node, ws, corners.xy, q)):
            _follow(node, graph, corners, ws, q)
    return True


@inner
def _read_chain(node, ni, chain):
    """Corners of the path that ends in a node, from start to goal: their number, -1 if too many."""
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


# From one place to many ---------------------------------------------------------------------------


@inner
def _mark_ancestors(node, ws):
    """Mark a node and those that it comes from in ws.halves."""
    while node >= 0 and ws.halves[node] < 0:
        ws.halves[node] = 0
        node = ws.ints[node, PARENT]


@inner(inline=False)
def _drop_closed(ws):
    """Make room in a sweep: drop nodes from which no open node or noted turn comes."""
    nf, ni, count, number = ws.floats, ws.ints, ws.count, ws.halves
    n = count[N_NODES]
    number[:n] = -1
    for slot in range(count[HEAP_SIZE]):
        _mark_ancestors(ws.queue[slot], ws)
    for key in range(len(ws.second_turns)):
        if ws.second_turns[key, TURN_QUERY] == count[QUERY]:
            _mark_ancestors(int(ws.second_turns[key, NODE]), ws)
    kept = 0
    for node in range(n):
        if number[node] < 0:
            continue
        number[node] = kept
        for k in range(N_FLOATS):
            nf[kept, k] = nf[node, k]
        for k in range(N_INTS):
            ni[kept, k] = ni[node, k]
        if ni[kept, PARENT] >= 0:  # a parent has a smaller number than its children
            ni[kept, PARENT] = number[ni[kept, PARENT]]
        kept += 1
    count[N_NODES] = kept
    for slot in range(count[HEAP_SIZE]):
        ws.queue[slot] = number[ws.queue[slot]]
    for key in range(len(ws.second_turns)):
        if ws.second_turns[key, TURN_QUERY] == count[QUERY]:
            ws.second_turns[key, NODE] = number[int(ws.second_turns[key, NODE])]


@inner
def _note_turn(node, corner, side, g, ux, uy, ws, q):
    """In a sweep, note the shortest path to a turn, made or not: its node has not turned yet.

    Two arrivals are compared after both have turned to the same direction, as in `_is_worse`.
    """
    key = 2 * corner + side
    turn = ws.second_turns[key]
    if turn[TURN_QUERY] == ws.count[QUERY]:
        before, vx, vy = turn[LENGTH], turn[ARRIVAL_X], turn[ARRIVAL_Y]
        if vx != ux or vy != uy:
            angle = atan2(vx * uy - vy * ux, vx * ux + vy * uy)
            before += q.radius * (angle if side == 0 else -angle)
        if g >= before:
            return
    turn[LENGTH], turn[ARRIVAL_X], turn[ARRIVAL_Y], turn[TURN_QUERY] = g, ux, uy, ws.count[QUERY]
    turn[NODE] = node


@inner
def search_to_sweep(ws, back, index, q):
    """Find the shortest path from the start of a sweep to q.s: (corners, length); -1: none.

    The search runs from q.s to the first turn; the sweep in `back` contains the rest. Every path is
    repaired before its length counts, as in `next_path`. The chain and its tangents are left in
    ws.chain and ws.tangents.
    """
    ni, count, graph, corners = ws.ints, ws.count, index.graph, index.corners
    ends = Ends(q.gx, q.gy, q.sx, q.sy, q.radius, q.goal_layer, q.start_layer)
    most = len(ws.queue) - count[STEP]
    count[MODE], ws.limit[LONGEST] = SHORTEST, math.inf
    begin_search(ws, index, q)
    best, best_node = math.inf, -1
    while count[HEAP_SIZE] > 0 and ws.keys[0] < best:
        if count[N_NODES] > most:
            return -1, math.inf
        node = _pop_node(ws)
        if not ni[node, FLAGS] & FINAL and ni[node, ROOT] < 0:
            _follow(node, graph, corners, ws, q)
            continue
        if ni[node, FLAGS] & FINAL or _through_sweep(node, back, ws, q) < best:
            n, length = _repair_by_sweep(node, back, ends, index, ws)
            if n >= 0 and length < best:
                best, best_node = length, node
    count[ALL_NODES] += count[N_NODES]
    if best_node < 0:
        return -1, math.inf
    return _repair_by_sweep(best_node, back, ends, index, ws)


@inner
def _through_sweep(node, back, ws, q):
    """Lower bound on the length of a path that turns at the root of a node: `_length_through`."""
    nf, ni = ws.floats, ws.ints
    key = 2 * ni[node, ROOT] + (0 if ni[node, SIGMA] > 0 else 1)
    turn = back.second_turns[key ^ 1]
    if turn[TURN_QUERY] != back.count[QUERY]:
        return math.inf
    ux, uy, vx, vy = nf[node, INX], nf[node, INY], -turn[ARRIVAL_X], -turn[ARRIVAL_Y]
    angle = atan2(ux * vy - uy * vx, ux * vx + uy * vy)
    return nf[node, G] + turn[LENGTH] + q.radius * (angle if key % 2 == 0 else -angle)


@inner(inline=False)
def _repair_by_sweep(node, back, ends, index, ws):
    """`_repair` for the path of a sweep to a node that has turned: (corners, length); -1: none."""
    ni, chain, n = ws.ints, ws.chain, 0
    if ni[node, FLAGS] & FINAL:  # without the sweep
        n = _read_chain(node, ni, chain)
        reverse_chain(n, chain)
    else:
        root, sigma = ni[node, ROOT], ni[node, SIGMA]
        turn = back.second_turns[2 * root + (1 if sigma > 0 else 0)]
        n = _read_chain(int(turn[NODE]), back.ints, chain)
        if 0 <= n < len(chain):
            chain[n, CORNER], chain[n, TURN] = root, -sigma
            n += 1
    if n < 0:
        return -1, math.inf
    n, _, length = _repair_chain(n, ends, index.corners, index.grid, ws)
    return n, length
