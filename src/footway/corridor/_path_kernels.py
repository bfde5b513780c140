"""From a query to a certified path of tangents and arcs."""

from __future__ import annotations

import math
from typing import NamedTuple


from footway._jit import inner, kernel
from footway.corridor._grid_kernels import arc_clearance, line_clearance
from footway.corridor._locate_kernels import locate_point
from footway.corridor._search_kernels import (
    FOUND,
    FULL,
    HALF,
    NOWHERE,
    PARENT,
    ROOT,
    SIGMA,
    SLACK,
    is_past,
    search,
    tangent,
)

START_IN_WALL, GOAL_IN_WALL, START_TIGHT, GOAL_TIGHT, APART = 3, 4, 5, 6, 7

# Columns of a path's pieces: a line has radius 0; `slack` is an arc's room to other walls.
X0, Y0, X1, Y1, CX, CY, RADIUS, SWEEP, ROOM = range(9)

VIOLATION = 1e-7  # m, a tenth of what a certificate may be off
REPAIRS = 32


class Query(NamedTuple):
    """One question, with the places of its ends on the map."""

    sx: float
    sy: float
    gx: float
    gy: float
    radius: float
    n_corners: int
    goal_edge: int
    goal_forward: int  # last event before the goal, seen along the edge
    goal_backward: int  # last event before the goal, seen against it
    goal_open_forward: bool  # wide enough from the edge's first vertex to the goal
    goal_open_backward: bool
    start_open_forward: bool  # wide enough from the start to the edge's last vertex
    start_open_backward: bool


@inner
def _is_wide(axis, first, last, radius):
    """Whether events first to last have at least this clearance; true where there are none."""
    for i in range(first, last + 1):
        if axis.clearance[i] < radius - SLACK:
            return False
    return True


@inner
def make_query(sx, sy, gx, gy, radius, piece_s, piece_g, index):
    """Fill in the Query."""
    axis, graph = index.axis, index.graph
    edge_s, edge_g = graph.edge_of[piece_s], graph.edge_of[piece_g]
    first_s, last_s = axis.offsets[edge_s], axis.offsets[edge_s + 1] - 1
    first_g, last_g = axis.offsets[edge_g], axis.offsets[edge_g + 1] - 1
    forward = piece_g
    while forward >= first_g and not is_past(gx, gy, forward, False, axis.left, axis.right):
        forward -= 1
    backward = piece_g + 1
    while backward <= last_g and not is_past(gx, gy, backward, True, axis.left, axis.right):
        backward += 1
    return Query(
        sx, sy, gx, gy, radius, len(axis.sites), edge_g, forward, backward,
        _is_wide(axis, first_g, piece_g, radius), _is_wide(axis, piece_g + 1, last_g, radius),
        _is_wide(axis, piece_s + 1, last_s, radius), _is_wide(axis, first_s, piece_s, radius),
    )  # fmt: skip


@inner
def _representative(v, radius, graph):
    """Vertex that stands for all that can be reached from v at this radius."""
    while graph.join[v] != v and graph.join_clearance[v] >= radius - SLACK:
        v = graph.join[v]
    return v


@inner
def is_connected(piece_s, piece_g, q, index):
    """Whether the widest way between two places of the axis is wide enough."""
    axis, graph = index.axis, index.graph
    edge_s = graph.edge_of[piece_s]
    if edge_s == q.goal_edge:
        low, high = min(piece_s, piece_g), max(piece_s, piece_g)
        if _is_wide(axis, low + 1, high, q.radius):
            return True
    for from_end in range(2):
        if not (q.start_open_forward if from_end == 1 else q.start_open_backward):
            continue
        here = _representative(graph.edges[edge_s, from_end], q.radius, graph)
        for to_end in range(2):
            # The goal is reached along its edge from the first vertex, against it from the last.
            if not (q.goal_open_forward if to_end == 0 else q.goal_open_backward):
                continue
            if here == _representative(graph.edges[q.goal_edge, to_end], q.radius, graph):
                return True
    return False


@inner
def _read_chain(node, ws):
    """Corners of the path that ends in a node, from start to goal: their number."""
    n = 0
    last = -1
    while node >= 0:
        root = ws.ni[node, ROOT]
        if root >= 0 and root != last:
            ws.chain[n, 0], ws.chain[n, 1] = root, ws.ni[node, SIGMA]
            n += 1
            if n == len(ws.chain):
                break
        last = root
        node = ws.ni[node, PARENT]
    for k in range(n // 2):
        for c in range(2):
            swap = ws.chain[k, c]
            ws.chain[k, c] = ws.chain[n - 1 - k, c]
            ws.chain[n - 1 - k, c] = swap
    return n


@kernel
def polyline_clearance(points, grid):
    """Least distance from a polyline (n, 2) to any wall."""
    least = math.inf
    for k in range(len(points) - 1):
        clear, _ = line_clearance(
            points[k, 0], points[k, 1], points[k + 1, 0], points[k + 1, 1], grid
        )
        least = min(least, clear)
    return least


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


@inner
def _stop_xy(k, n, ws, string, q):
    """Centre and signed radius of stop k of the chain; stops 0 and n + 1 are the query's ends."""
    if k == 0:
        return q.sx, q.sy, 0.0
    if k == n + 1:
        return q.gx, q.gy, 0.0
    c = ws.chain[k - 1, 0]
    return string.xy[c, 0], string.xy[c, 1], ws.chain[k - 1, 1] * q.radius


@inner
def _legs(n, ws, string, q):
    """Tangents between the stops of a chain, into ws.legs: (x0, y0, x1, y1, ux, uy).

    Returns -1 when all is well, else the stop that the path does not turn around as it should.
    """
    for k in range(n + 1):
        ax, ay, ka = _stop_xy(k, n, ws, string, q)
        bx, by, kb = _stop_xy(k + 1, n, ws, string, q)
        ux, uy, length = tangent(bx - ax, by - ay, kb - ka)
        if length < 0.0:
            return max(1, min(k, n))
        ws.legs[k, 0], ws.legs[k, 1] = ax + ka * uy, ay - ka * ux
        ws.legs[k, 2], ws.legs[k, 3] = bx + kb * uy, by - kb * ux
        ws.legs[k, 4], ws.legs[k, 5] = ux, uy
        if k > 0:
            px, py = ws.legs[k - 1, 4], ws.legs[k - 1, 5]
            turn = ws.chain[k - 1, 1] * math.atan2(px * uy - py * ux, px * ux + py * uy)
            if -0.5 * math.pi < turn < -1e-12:
                return k
    return -1


@inner
def _drop_stop(k, n, ws):
    for i in range(k - 1, n - 1):
        ws.chain[i, 0], ws.chain[i, 1] = ws.chain[i + 1, 0], ws.chain[i + 1, 1]


@inner
def _add_stop(k, n, corner, sigma, ws):
    """Insert a corner behind stop k."""
    for i in range(n, k, -1):
        ws.chain[i, 0], ws.chain[i, 1] = ws.chain[i - 1, 0], ws.chain[i - 1, 1]
    ws.chain[k, 0], ws.chain[k, 1] = corner, sigma


@inner
def _corner_in_the_way(k, wall, ws, grid, string):
    """End of the wall that leg k comes closest to, and the side on which it has to be passed."""
    ux, uy = ws.legs[k, 4], ws.legs[k, 5]
    px, py = ws.legs[k, 0], ws.legs[k, 1]
    best, corner, sigma = math.inf, -1, 1
    for end in range(2):
        c = grid.ends[wall, end]
        offset = ux * (string.xy[c, 1] - py) - uy * (string.xy[c, 0] - px)
        if abs(offset) < best:
            best, corner, sigma = abs(offset), c, 1 if offset > 0.0 else -1
    return corner, sigma


@inner
def _tighten(n, ws, index, q):
    """Mend a chain until every leg is clear of all walls: (number of stops or -1, clearance).

    The search takes the first and last stretch from the chords of the axis; where the start or the
    goal lies in the shade of a corner, that corner is missing or one too many.
    """
    grid, string = index.grid, index.string
    for _ in range(REPAIRS):
        wrong = _legs(n, ws, string, q)
        if wrong >= 0:
            if n == 0:
                return -1, 0.0
            _drop_stop(wrong, n, ws)
            n -= 1
            continue
        least = math.inf
        blocked = False
        for k in range(n + 1):
            x0, y0, x1, y1 = ws.legs[k, 0], ws.legs[k, 1], ws.legs[k, 2], ws.legs[k, 3]
            clear, wall = line_clearance(x0, y0, x1, y1, grid)
            if clear < q.radius - VIOLATION:
                corner, sigma = _corner_in_the_way(k, wall, ws, grid, string)
                around = k > 0 and ws.chain[k - 1, 0] == corner
                around = around or (k < n and ws.chain[k, 0] == corner)
                if around or n + 1 >= len(ws.chain):
                    return -1, 0.0
                _add_stop(k, n, corner, sigma, ws)
                n += 1
                blocked = True
                break
            least = min(least, clear)
        if not blocked:
            return n, least
    return -1, 0.0


@inner
def _write_line(row, x0, y0, x1, y1):
    row[X0], row[Y0], row[X1], row[Y1] = x0, y0, x1, y1
    row[CX], row[CY], row[RADIUS], row[SWEEP], row[ROOM] = 0.0, 0.0, 0.0, 0.0, 0.0


@inner
def _write_pieces(n, out, ws, index, q):
    """Lines and arcs of a mended chain: (pieces, length, least clearance of arcs)."""
    rows, length, least = 0, 0.0, math.inf
    for k in range(n + 1):
        x0, y0, x1, y1 = ws.legs[k, 0], ws.legs[k, 1], ws.legs[k, 2], ws.legs[k, 3]
        if rows + 2 > len(out):
            return -1, 0.0, 0.0
        _write_line(out[rows], x0, y0, x1, y1)
        rows += 1
        length += math.hypot(x1 - x0, y1 - y0)
        if k == n or q.radius == 0.0:
            continue
        ux, uy, vx, vy = ws.legs[k, 4], ws.legs[k, 5], ws.legs[k + 1, 4], ws.legs[k + 1, 5]
        sigma = ws.chain[k, 1]
        turn = sigma * math.atan2(ux * vy - uy * vx, ux * vx + uy * vy)
        if turn < -0.5 * math.pi:
            turn += 2.0 * math.pi
        turn = max(turn, 0.0)
        cx, cy, _ = _stop_xy(k + 1, n, ws, index.string, q)
        room = arc_clearance(
            cx, cy, sigma * uy, -sigma * ux, sigma * vy, -sigma * vx, sigma * turn, q.radius,
            index.grid,
        )  # fmt: skip
        row = out[rows]
        row[X0], row[Y0], row[X1], row[Y1] = x1, y1, ws.legs[k + 1, 0], ws.legs[k + 1, 1]
        row[CX], row[CY], row[RADIUS], row[SWEEP] = cx, cy, q.radius, sigma * turn
        row[ROOM] = max(0.0, room - q.radius)
        rows += 1
        length += q.radius * turn
        least = min(least, room, q.radius)
    return rows, length, least


@kernel
def solve(sx, sy, gx, gy, radius, out, ws, index):
    """Shortest path of a disc: (status, pieces written to out, length, clearance, final node)."""
    axis, grid, fans = index.axis, index.grid, index.fans
    piece_s, _, _, _, room_s, _, _ = locate_point(sx, sy, axis, grid, fans)
    piece_g, _, _, _, room_g, _, _ = locate_point(gx, gy, axis, grid, fans)
    if piece_s < 0:
        return START_IN_WALL, 0, 0.0, room_s, -1
    if piece_g < 0:
        return GOAL_IN_WALL, 0, 0.0, room_g, -1
    if room_s < radius - SLACK:
        return START_TIGHT, 0, 0.0, room_s, -1
    if room_g < radius - SLACK:
        return GOAL_TIGHT, 0, 0.0, room_g, -1
    q = make_query(sx, sy, gx, gy, radius, piece_s, piece_g, index)
    if not is_connected(piece_s, piece_g, q, index):
        return APART, 0, 0.0, 0.0, -1
    status, node = search(piece_s, piece_g, ws, index, q)
    if status != FOUND:
        return status, 0, 0.0, 0.0, -1
    n = _read_chain(node, ws)
    n, least = _tighten(n, ws, index, q)
    if n < 0:
        return NOWHERE, 0, 0.0, 0.0, node
    rows, length, least_arc = _write_pieces(n, out, ws, index, q)
    if rows < 0:
        return FULL, 0, 0.0, 0.0, -1
    return FOUND, rows, length, min(least, least_arc), node


@kernel
def solve_many(starts, goals, radius, out, rows, certificates, statuses, ws, index):
    """`solve` for every query of a batch, one after the other."""
    for k in range(len(starts)):
        status, n, length, clearance, _ = solve(
            starts[k, 0], starts[k, 1], goals[k, 0], goals[k, 1], radius, out[k], ws, index
        )
        statuses[k] = status
        rows[k] = n
        certificates[k, 0] = length
        certificates[k, 1] = clearance
