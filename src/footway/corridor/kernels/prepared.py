"""Answer queries by a table: labels connect the turns that are visible from both ends."""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway.corridor.kernels.layouts import Query
from footway.corridor.kernels.search import HEAP_SIZE, TABLE_ERROR, see_turns
from footway.corridor.kernels.tangents import (
    CORNER,
    TURN,
    VIOLATION,
    X0,
    X1,
    Y0,
    Y1,
    chain_length,
    draw_tangents,
    drop_straight_stops,
    goes_through,
    stop_xy,
    tangent,
    tighten,
)
from footway.corridor.kernels.turns import TIE, find_label, may_turn, turn_cost
from footway.corridor.kernels.wall_grid import clearance_up_to

ARCS = 2.0 * (math.pi + 1.0)  # radii by which two turns may shorten a path between their corners


@inner
def _goal_first(q):
    """Return the query of a search from the goal."""
    return Query(
        q.gx, q.gy, q.sx, q.sy, q.radius, q.n_corners,
        q.goal_edge, q.goal_event, q.goal_vertex, q.goal_open_backward, q.goal_open_forward,
        q.start_edge, q.start_event, q.start_vertex, q.start_open_backward, q.start_open_forward,
        q.goal_is_behind, q.goal_is_ahead, q.goal_layer, q.start_layer,
    )  # fmt: skip


@inner
def _list_turns(end, x, y, ws, xy, table, work):
    """List the turns that an end sees at (x, y), from ws.queue: how many there are.

    Their lengths are those of the line and the arc to the reference of the turn.
    """
    n, radius = 0, table.radius[0]
    work.count[0] += 1
    for k in range(ws.count[HEAP_SIZE]):
        site, side = ws.queue[k] // 2, ws.queue[k] % 2
        corner = table.corner_of[site]
        turn = 2 * corner + side
        if corner < 0 or work.seen[turn] == work.count[0]:
            continue
        work.seen[turn] = work.count[0]
        ux, uy, length = tangent(xy[site, 0] - x, xy[site, 1] - y, (1 - 2 * side) * radius)
        if length >= 0.0 and may_turn(ux, uy, corner, side, table.references, table.cosines):
            work.turns[end, n] = turn
            work.lengths[end, n] = length - turn_cost(
                ux, uy, corner, side, radius, table.references
            )
            n += 1
    return n


@inner
def _least_length(i, j, xy, table, work):
    """Lower bound on the length of a path over turn i of the start and turn j of the goal."""
    a, b = table.sites[work.turns[0, i] // 2], table.sites[work.turns[1, j] // 2]
    dx, dy = xy[a, 0] - xy[b, 0], xy[a, 1] - xy[b, 1]
    between = math.sqrt(dx * dx + dy * dy)
    ends = work.lengths[0, i] + work.lengths[1, j] - ARCS * table.radius[0] - TIE
    return ends + between


@inner
def _landmark_length(i, j, ws, table, work):
    """`_least_length` by landmarks."""
    a, b = table.sites[work.turns[0, i] // 2], table.sites[work.turns[1, j] // 2]
    between = 0.0
    for k in range(ws.landmarks.shape[1]):
        difference = float(abs(ws.landmarks[a, k] - ws.landmarks[b, k]))
        if difference > between:  # noqa: PLR1730  # `max` may return NaN, an unknown distance
            between = difference
    ends = work.lengths[0, i] + work.lengths[1, j] - ARCS * table.radius[0] - TIE
    return ends + between - ws.limit[TABLE_ERROR]


@inner
def _set_goal(j, table, work):
    """Write the distances from hubs to the goal over its turn j."""
    turn = work.turns[1, j]
    for e in range(table.offsets[turn], table.offsets[turn + 1]):
        hub = table.hubs[e] ^ 1
        work.from_hub[hub], work.label[hub] = work.lengths[1, j] + table.distances[e], e


@inner
def _clear_goal(j, table, work):
    turn = work.turns[1, j]
    for e in range(table.offsets[turn], table.offsets[turn + 1]):
        work.from_hub[table.hubs[e] ^ 1] = math.inf


@inner
def _join(i, best, table, work):
    """Shortest path over turn i of the start, if it is not longer than `best`: (length, label).

    The label is -1 if there are several, -2 if there is none.
    """
    label, turn = -2, work.turns[0, i]
    for e in range(table.offsets[turn], table.offsets[turn + 1]):
        there = work.lengths[0, i] + table.distances[e] + work.from_hub[table.hubs[e]]
        if there > best + TIE:
            continue
        is_tied = there >= best - TIE
        if is_tied or table.is_tied[e] or table.is_tied[work.label[table.hubs[e]]]:
            label = -1
        else:
            label = e
        best = min(best, there)
    return best, label


@inner
def _nearest(end, n, x, y, xy, table, work):
    """Turn of an end from which the straight line to the other end at (x, y) is shortest.

    work.least gets the lower bound on the length of a path over each.
    """
    best = 0
    for k in range(n):
        site = table.sites[work.turns[end, k] // 2]
        dx, dy = xy[site, 0] - x, xy[site, 1] - y
        straight = math.sqrt(dx * dx + dy * dy)
        work.least[end, k] = work.lengths[end, k] + straight - ARCS * table.radius[0] - TIE
        if work.least[end, k] < work.least[end, best]:
            best = k
    return best


@inner
def _shortest(n_start, n_goal, q, ws, xy, table, work):
    """Shortest path over turns that the ends see: (length, turn of start, of goal, label).

    The label is -1 if there are several, or none.
    """
    first = _nearest(0, n_start, q.gx, q.gy, xy, table, work)
    last = _nearest(1, n_goal, q.sx, q.sy, xy, table, work)
    best, at_start, at_goal, label = math.inf, -1, -1, -1
    for slot in range(-1, n_goal):  # first the pair that seems shortest
        j, is_set = last if slot < 0 else slot, False
        if work.least[1, j] > best + TIE:
            continue
        for k in range(n_start):
            i = first if slot < 0 else k
            if slot >= 0 and (
                (i == first and j == last)
                or work.least[0, i] > best + TIE
                or _least_length(i, j, xy, table, work) > best + TIE
                or _landmark_length(i, j, ws, table, work) > best + TIE
            ):
                continue
            if not is_set:
                _set_goal(j, table, work)
                is_set = True
            length, found = _join(i, best, table, work)
            if found > -2:
                best, at_start, at_goal, label = length, i, j, found
            if slot < 0:
                break
        if is_set:
            _clear_goal(j, table, work)
    return best, at_start, at_goal, label


@inner
def _walk_to_hub(turn, hub, n, table, work):
    """Write the turns from a turn to before a hub in its labels to work.chain: how many there are.

    `n` turns are there already.
    """
    while turn != hub and n < len(work.chain) - 1:
        work.chain[n] = turn
        n += 1
        turn = table.nexts[find_label(turn, hub, table)]
    return n


@inner
def _write_chain(first, last, label, ws, table, work):
    """Write the corners of a path over a hub to ws.chain: how many; -1 if there are too many."""
    hub = table.hubs[label]
    n = _walk_to_hub(first, hub, 0, table, work)
    work.chain[n] = hub
    n_first = n + 1
    n = _walk_to_hub(last, hub ^ 1, n_first, table, work)
    if n > len(ws.chain):
        return -1
    for k in range(n):
        turn = work.chain[k] if k < n_first else work.chain[n + n_first - 1 - k] ^ 1
        ws.chain[k, CORNER], ws.chain[k, TURN] = table.sites[turn // 2], 1 - 2 * (turn % 2)
    return n


@inner
def _is_clear(n, ws, grid, xy, ends):
    """Whether a chain is a path: its first and last line are clear.

    The other lines are tangents of the table: when it was made they were found to be clear, and to
    meet no wall of their corners.
    """
    floor = ends.radius - VIOLATION
    if draw_tangents(n, ws.chain, ws.tangents, xy, ends) >= 0:
        return False
    for k in range(0, n + 1, n):
        line = ws.tangents[k]
        clear, _ = clearance_up_to(floor, line[X0], line[Y0], line[X1], line[Y1], floor, grid)
        if clear < floor:
            return False
    for k in range(1, n + 1, max(1, n - 1)):
        if goes_through(k, ws.chain, ws.tangents, grid, xy):
            return False
    return True


@inner
def _may_be_passed(k, n, ws, xy, ends):
    """Whether a search may find the path without stop k, which is hardly in the way."""
    ax, ay, ka = stop_xy(k - 1, n, ws.chain, xy, ends)
    bx, by, kb = stop_xy(k + 1, n, ws.chain, xy, ends)
    cx, cy, kc = stop_xy(k, n, ws.chain, xy, ends)
    ux, uy, length = tangent(bx - ax, by - ay, kb - ka)
    offset = ux * (cy - ay) - uy * (cx - ax) + ka
    return length >= 0.0 and ws.chain[k - 1, TURN] * offset >= abs(kc) - 2.0 * VIOLATION


@inner(inline=False)
def find_by_table(ends, q, ws, index, table, work):
    """Find the only shortest path between ends without a free line: (corners, clearance).

    The chain and its tangents are left in ws. -1 if there are several paths of about that length,
    or if one of them is not clear of walls: then a search has to decide.
    """
    xy = index.corners.xy
    if not see_turns(ws, index, _goal_first(q)):
        return -1, 0.0
    n_goal = _list_turns(1, q.gx, q.gy, ws, xy, table, work)
    if not see_turns(ws, index, q):
        return -1, 0.0
    n_start = _list_turns(0, q.sx, q.sy, ws, xy, table, work)
    if n_start == 0 or n_goal == 0:
        return -1, 0.0
    length, i, j, label = _shortest(n_start, n_goal, q, ws, xy, table, work)
    if label < 0:
        return -1, 0.0
    n = _write_chain(work.turns[0, i], work.turns[1, j], label, ws, table, work)
    if n < 0:
        return -1, 0.0
    least = ends.radius
    if not _is_clear(n, ws, index.grid, xy, ends):
        n, least = tighten(n, ws.chain, ws.tangents, index.grid, xy, ends)
        if n < 0:
            return -1, 0.0
    if abs(chain_length(n, ws.chain, ws.tangents, ends.radius) - length) > TIE:
        return -1, 0.0
    if _may_be_passed(1, n, ws, xy, ends) or _may_be_passed(n, n, ws, xy, ends):
        return -1, 0.0
    turns = drop_straight_stops(n, ws.chain, ws.tangents)
    if turns < n:
        return tighten(turns, ws.chain, ws.tangents, index.grid, xy, ends)
    return n, least
