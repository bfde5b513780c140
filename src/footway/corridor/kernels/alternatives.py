"""The shortest paths of a disc in different corridors, in the order of length.

Two paths are in the same corridor if one can be moved to the other without crossing an obstacle
(they are homotopic); then the search crosses the same half-edges. Each corridor has one taut path.

First a search from the goal finds the shortest path to every turn that a path up to some limit
can have. Then a search from the start follows every taut path: the first search says how long each
will be, so that paths beyond the limit are dropped at once and the others are completed in the
order of length. If too few are found, the limit is raised.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from footway._numba.jit import inner, kernel
from footway._numba.math import hypot, sincos
from footway.corridor.kernels.layouts import (
    CORNERS_END,
    FOUND,
    FULL,
    HALVES_END,
    NOWHERE,
    PIECES_END,
)
from footway.corridor.kernels.locate import locate_on
from footway.corridor.kernels.path import draw_certified, fitting_position
from footway.corridor.kernels.query import THIN, make_query
from footway.corridor.kernels.search import (
    ALL,
    ALL_ON_PATHS,
    CUT,
    FAILED,
    GOAL_QUERY,
    HEAP_SIZE,
    LONGEST,
    MODE,
    QUERY,
    TO_ALL,
    begin_search,
    next_path,
    reach,
    write_half_edges,
)
from footway.corridor.kernels.tangents import (
    CORNER,
    SLACK,
    TURN,
    X0,
    X1,
    Y0,
    Y1,
    Ends,
    turn_after,
)

FIRST_EXCESS = 0.02  # of the shortest path: by how much the first paths may be longer
RAISE = 3.0  # factor on the excess when too few paths were found
STRAIGHT = 1e-7  # radians, a turn below this is rounding


class Blocks(NamedTuple):
    """Blocks of the graph: two edges of one block are on a common cycle. Shapes: see layouts."""

    block: Any  # (ne,) block of each edge; -1 for edges not reached
    arrival: Any  # (nv,) half-edge by which a vertex was reached; -1 at a root
    order: Any  # (nv,) when a vertex was reached; -1 for never
    low: Any  # (nv,) least order that is reached from a vertex and those behind it
    slot: Any  # (nv,) next half-edge of a vertex to follow
    stack: Any  # (nv,) vertices from the root to the present one
    edges: Any  # (ne,) edges whose block is not complete
    is_between: Any  # (ne,) blocks between start and goal


@inner(inline=False)
def _mark_blocks(root, blocks, graph, radius):
    """Assign the edges that a root reaches to blocks: Tarjan's search in depth."""
    block, arrival, order, low = blocks.block, blocks.arrival, blocks.order, blocks.low
    slot, stack, edges = blocks.slot, blocks.stack, blocks.edges
    n_stack, n_edges, n_blocks, count = 1, 0, 0, 0
    for e in range(len(block)):  # from an earlier root
        n_blocks = max(n_blocks, block[e] + 1)
    for v in range(len(order)):
        count = max(count, order[v] + 1)
    stack[0], order[root], low[root] = root, count, count
    slot[root], arrival[root] = graph.offsets[root], -1
    while n_stack > 0:
        v = stack[n_stack - 1]
        if slot[v] < graph.offsets[v + 1]:
            half = graph.out[slot[v]]
            slot[v] += 1
            edge, w = half // 2, graph.edges[half // 2, 1 - half % 2]
            if graph.clearance[edge] < radius - SLACK or arrival[v] == half ^ 1:
                continue
            if order[w] < 0:
                count += 1
                order[w], low[w], slot[w], arrival[w] = count, count, graph.offsets[w], half
                stack[n_stack] = w
                n_stack += 1
                edges[n_edges] = edge
                n_edges += 1
            elif order[w] < order[v]:
                low[v] = min(low[v], order[w])
                edges[n_edges] = edge
                n_edges += 1
            continue
        n_stack -= 1
        if n_stack == 0:
            return
        parent = stack[n_stack - 1]
        low[parent] = min(low[parent], low[v])
        if low[v] >= order[parent]:
            edge = -1
            while edge != arrival[v] // 2:
                n_edges -= 1
                edge = edges[n_edges]
                block[edge] = n_blocks
            n_blocks += 1


@inner(inline=False)
def _mark_on_path(on_path, blocks, graph, q):
    """Mark the edges that a loopless path from start to goal may follow.

    They are in the blocks between the ends of the start's edge and those of the goal's.
    """
    block, arrival, order = blocks.block, blocks.arrival, blocks.order
    is_between = blocks.is_between
    for k in range(2):
        v = q.start_vertex if q.start_edge < 0 else graph.edges[q.start_edge, k]
        if order[v] < 0:
            _mark_blocks(v, blocks, graph, q.radius)
    for k in range(4):
        if k < 2:
            v = q.start_vertex if q.start_edge < 0 else graph.edges[q.start_edge, k]
        else:
            v = q.goal_vertex if q.goal_edge < 0 else graph.edges[q.goal_edge, k - 2]
        while order[v] >= 0 and arrival[v] >= 0:
            half = arrival[v]
            is_between[block[half // 2]] = True
            v = graph.edges[half // 2, half % 2]
    for e in range(len(on_path)):
        on_path[e] = block[e] >= 0 and is_between[block[e]]


@inner
def _write_turns(n, first, chains, ws):
    """Append the corners at which a path turns to `chains`: where they end; -1 if it is full."""
    end = first
    for k in range(n):
        if turn_after(k, ws.chain, ws.tangents) > STRAIGHT:
            if end == len(chains):
                return -1
            chains[end, CORNER], chains[end, TURN] = ws.chain[k, CORNER], ws.chain[k, TURN]
            end += 1
    return end


@inner
def _is_known(found, end, out):
    """Whether one of the paths found before turns at the same corners as the new one."""
    first = out.ends[found, CORNERS_END]
    for path in range(found):
        begin = out.ends[path, CORNERS_END]
        k = 0
        while (
            first + k < end
            and begin + k < out.ends[path + 1, CORNERS_END]
            and out.chains[begin + k, CORNER] == out.chains[first + k, CORNER]
            and out.chains[begin + k, TURN] == out.chains[first + k, TURN]
        ):
            k += 1
        if first + k == end and begin + k == out.ends[path + 1, CORNERS_END]:
            return True
    return False


@inner
def _write_polyline(n, ws, xy):
    """Write the ends of the lines of ws.chain to ws.polyline; arcs as three chords: how many."""
    lines, points, m = ws.tangents, ws.polyline, 0
    for k in range(n + 1):
        points[m, 0], points[m, 1] = lines[k, X0], lines[k, Y0]
        points[m + 1, 0], points[m + 1, 1] = lines[k, X1], lines[k, Y1]
        m += 2
        if k == n:
            break
        sigma, corner = ws.chain[k, TURN], ws.chain[k, CORNER]
        sine, cosine = sincos(sigma * turn_after(k, ws.chain, lines) / 3.0)
        dx, dy = lines[k, X1] - xy[corner, 0], lines[k, Y1] - xy[corner, 1]
        for _ in range(2):
            dx, dy = cosine * dx - sine * dy, sine * dx + cosine * dy
            points[m, 0], points[m, 1] = xy[corner, 0] + dx, xy[corner, 1] + dy
            m += 1
    return m


@inner
def _next_crossing(event, at, share, m, axis, points):
    """First crossing of an event's chord by a polyline, after a place on it: (segment, share).

    Segment -1 if there is none. A start or a goal on the chord counts as a crossing.
    """
    lx, ly = axis.left[event, 0], axis.left[event, 1]
    wx, wy = axis.right[event, 0] - lx, axis.right[event, 1] - ly
    touches = SLACK * hypot(wx, wy)
    while at < m - 1:
        ax, ay = points[at, 0] - lx, points[at, 1] - ly
        bx, by = points[at + 1, 0] - lx, points[at + 1, 1] - ly
        before, after = wx * ay - wy * ax, wx * by - wy * bx
        if min(before, after) <= touches and max(before, after) >= -touches:
            t = 0.0 if before == after else min(1.0, max(0.0, before / (before - after)))
            px, py = ax + t * (bx - ax), ay + t * (by - ay)
            along = (px * wx + py * wy) / (wx * wx + wy * wy)
            if t >= share - SLACK and 0.0 <= along <= 1.0:
                return at, t
        at, share = at + 1, 0.0
    return -1, 0.0


@inner
def _is_along(n, count, ws, index):
    """Whether the path of ws.chain crosses the chords at the vertices that its half-edges pass.

    A repaired path may lead around an obstacle on the other side: then it is in another corridor.
    """
    axis, at, share = index.axis, 0, 0.0
    m = _write_polyline(n, ws, index.corners.xy)
    for i in range(2 * (count - 1)):  # the chord before a vertex and the one after it
        half = ws.halves[(i + 1) // 2]
        is_last = (half % 2 == 0) == (i % 2 == 0)
        event = axis.offsets[half // 2 + 1] - 1 if is_last else axis.offsets[half // 2]
        at, share = _next_crossing(event, at, share, m, axis, ws.polyline)
        if at < 0:
            return False
    return True


@inner
def _find(most, disc, ends, q, out, ws, index):
    """Write the shortest paths up to the limit: (status, how many)."""
    found = 0
    for k in range(3):
        out.ends[0, k] = 0
    begin_search(ws, index, q)
    while found < most:
        status, node, n, least = next_path(ws, index, q)
        if status == NOWHERE:
            break
        if status == FULL:
            return FULL, 0
        row, half = out.ends[found, PIECES_END], out.ends[found, HALVES_END]
        corner = out.ends[found, CORNERS_END]
        end, count = _write_turns(n, corner, out.chains, ws), write_half_edges(node, ws)
        if end < 0 or half + count > len(out.halves):
            return FULL, 0
        if _is_known(found, end, out):
            continue
        if not _is_along(n, count, ws, index):
            ws.count[FAILED] = 1
            continue
        for k in range(count):
            out.halves[half + k] = ws.halves[k]
        status, rows, length, clearance = draw_certified(
            n, least, disc, ends, out.pieces[row:], ws, index.grid, index.corners.xy
        )
        if status == FULL:
            return FULL, 0
        if status == FOUND:
            out.certificates[found, 0], out.certificates[found, 1] = length, clearance
            found += 1
            out.ends[found, PIECES_END], out.ends[found, HALVES_END] = row + rows, half + count
            out.ends[found, CORNERS_END] = end
    return FOUND, found


@kernel
def find_paths(sx, sy, gx, gy, radius, most, shortest, longest, out, ws, back, index):
    """Find up to `most` paths of at most `longest` metres: (status, how many, whether one failed).

    `shortest` is the length of the shortest path. Status FULL: `out` or a workspace is too small.
    A path may fail because a corner that hides the start was missed; a search from the goal to the
    start finds it. ws.to_goal must be back.turns.
    """
    layers = index.grid.layers
    start, goal = locate_on(sx, sy, layers.start, index), locate_on(gx, gy, layers.goal, index)
    disc = max(radius, THIN)
    from_x, from_y = fitting_position(sx, sy, disc, start, index.axis)
    to_x, to_y = fitting_position(gx, gy, disc, goal, index.axis)
    there = Ends(from_x, from_y, to_x, to_y, disc, layers.start, layers.goal)
    homeward = Ends(to_x, to_y, from_x, from_y, disc, layers.goal, layers.start)
    q = make_query(there, start.piece, goal.piece, index)
    reverse = make_query(homeward, goal.piece, start.piece, index)
    ends = Ends(sx, sy, gx, gy, radius, layers.start, layers.goal)
    back.count[MODE], back.limit[LONGEST] = TO_ALL, math.inf
    begin_search(back, index, reverse)
    excess, ws.count[MODE] = max(FIRST_EXCESS * shortest, 8.0 * disc), ALL
    while True:
        limit = min(shortest + excess, longest) + SLACK
        if not reach(limit, back, index, reverse):
            return FULL, 0, False
        if back.count[HEAP_SIZE] == 0:
            limit = longest + SLACK
        ws.limit[LONGEST], ws.limit[GOAL_QUERY] = limit, back.count[QUERY]
        status, found = _find(most, disc, ends, q, out, ws, index)
        if status == FULL or found == most or limit >= longest or ws.count[CUT] == 0:
            return status, found, ws.count[FAILED] > 0
        if ws.count[MODE] == ALL:
            nv, ne = len(index.graph.offsets) - 1, len(index.graph.edges)
            blocks = Blocks(
                np.full(ne, -1), np.full(nv, -1), np.full(nv, -1), np.empty(nv, np.int64),
                np.empty(nv, np.int64), np.empty(nv, np.int64), np.empty(ne, np.int64),
                np.zeros(ne, np.bool_),
            )  # fmt: skip
            _mark_on_path(ws.on_path, blocks, index.graph, q)
            ws.count[MODE] = ALL_ON_PATHS
        excess *= RAISE
