"""From a query to a certified path of tangents and arcs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

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
    VIOLATION,
    corner_in_the_way,
    is_past,
    search,
    tangent,
)

START_IN_WALL, GOAL_IN_WALL, START_TIGHT, GOAL_TIGHT, APART = 3, 4, 5, 6, 7  # goal = start + 1

# Columns of a path's pieces: a line has radius 0; `slack` is an arc's room to other walls.
X0, Y0, X1, Y1, CX, CY, RADIUS, SWEEP, ROOM = range(9)

REPAIRS = 32
FINEST = 5e-7  # m, how far sampled points may leave an arc that has no room: half of 1e-6
COARSEST = 1e-3  # of the radius, how far they leave an arc that has all the room it wants
POINT = 1e-7  # m, radius of the disc that stands for a point


class Query(NamedTuple):
    """One question, with the places of its ends on the map."""

    sx: float
    sy: float
    gx: float
    gy: float
    radius: float
    n_corners: int
    start_edge: int  # cell of the start: behind start_event of this edge; -1: at start_vertex
    start_event: int
    start_vertex: int
    start_open_forward: bool  # wide enough from the start to the edge's last vertex
    start_open_backward: bool
    goal_edge: int  # cell of the goal, likewise
    goal_event: int
    goal_vertex: int
    goal_open_forward: bool  # wide enough from the edge's first vertex to the goal
    goal_open_backward: bool


@inner
def _is_wide(axis, first, last, radius):
    """Whether events first to last have at least this clearance; true where there are none."""
    for i in range(first, last + 1):
        if axis.clearance[i] < radius - SLACK:
            return False
    return True


@inner
def _is_wide_to_end(piece, edge, end, radius, axis):
    """Whether the axis is wide enough from a piece to an end of its edge."""
    if end == 0:
        return _is_wide(axis, axis.offsets[edge], piece, radius)
    return _is_wide(axis, piece + 1, axis.offsets[edge + 1] - 1, radius)


@inner(inline=False)
def _find_cell(x, y, piece, axis, graph):
    """Cell of a point among those that the chords of events cut the free space into.

    Returns (edge, event, -1) between an event and the next one, (-1, -1, vertex) among the chords
    around a vertex. The point's piece of the axis is near: walk from there.
    """
    edge = graph.edge_of[piece]
    if is_past(x, y, piece + 1, False, axis.left, axis.right):
        half, event = 2 * edge, piece + 1
    elif is_past(x, y, piece, True, axis.left, axis.right):
        half, event = 2 * edge + 1, piece
    else:
        return edge, piece, -1
    for _ in range(len(graph.out)):  # the point is past the event's chord, seen along the half-edge
        edge, backward = half // 2, half % 2 == 1
        step = -1 if backward else 1
        last = axis.offsets[edge] if backward else axis.offsets[edge + 1] - 1
        while event != last:
            if not is_past(x, y, event + step, backward, axis.left, axis.right):
                return edge, event - 1 if backward else event, -1
            event += step
        v = graph.edges[edge, 1 - half % 2]
        leaving = -1
        for slot in range(graph.offsets[v], graph.offsets[v + 1]):
            out = graph.out[slot]
            first = axis.offsets[out // 2 + 1] - 1 if out % 2 else axis.offsets[out // 2]
            if out != half ^ 1 and is_past(x, y, first, out % 2 == 1, axis.left, axis.right):
                leaving, event = out, first
        if leaving < 0:
            return -1, -1, v
        half = leaving
    return graph.edge_of[piece], piece, -1


@inner(inline=False)
def make_query(ends, radius, piece_s, piece_g, index):
    """Fill in the Query."""
    sx, sy, gx, gy = ends[0], ends[1], ends[2], ends[3]
    axis, graph = index.axis, index.graph
    edge_s, event_s, vertex_s = _find_cell(sx, sy, piece_s, axis, graph)
    edge_g, event_g, vertex_g = _find_cell(gx, gy, piece_g, axis, graph)
    ahead_s = behind_s = ahead_g = behind_g = False
    if edge_s >= 0:
        ahead_s = _is_wide(axis, event_s + 1, axis.offsets[edge_s + 1] - 1, radius)
        behind_s = _is_wide(axis, axis.offsets[edge_s], event_s, radius)
    if edge_g >= 0:
        ahead_g = _is_wide(axis, event_g + 1, axis.offsets[edge_g + 1] - 1, radius)
        behind_g = _is_wide(axis, axis.offsets[edge_g], event_g, radius)
    return Query(
        sx, sy, gx, gy, radius, len(axis.sites),
        edge_s, event_s, vertex_s, ahead_s, behind_s,
        edge_g, event_g, vertex_g, behind_g, ahead_g,
    )  # fmt: skip


@inner
def _representative(v, radius, graph):
    """Vertex that stands for all that can be reached from v at this radius."""
    while graph.join[v] != v and graph.join_clearance[v] >= radius - SLACK:
        v = graph.join[v]
    return v


@inner
def is_connected(piece_s, piece_g, radius, index):
    """Whether the widest way between two places of the axis is wide enough."""
    axis, graph = index.axis, index.graph
    edge_s, edge_g = graph.edge_of[piece_s], graph.edge_of[piece_g]
    low, high = min(piece_s, piece_g), max(piece_s, piece_g)
    if edge_s == edge_g and _is_wide(axis, low + 1, high, radius):
        return True
    for from_end in range(2):
        if not _is_wide_to_end(piece_s, edge_s, from_end, radius, axis):
            continue
        here = _representative(graph.edges[edge_s, from_end], radius, graph)
        for to_end in range(2):
            if not _is_wide_to_end(piece_g, edge_g, to_end, radius, axis):
                continue
            if here == _representative(graph.edges[edge_g, to_end], radius, graph):
                return True
    return False


@inner
def _reverse_chain(n, chain):
    """Turn a chain into that of the way back: the other order, the other sides."""
    for k in range(n // 2):
        for c in range(2):
            swap = chain[k, c]
            chain[k, c] = chain[n - 1 - k, c]
            chain[n - 1 - k, c] = swap
    for k in range(n):
        chain[k, 1] *= -1


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
    for k in range(n):
        ws.chain[k, 1] *= -1
    _reverse_chain(n, ws.chain)
    return n


@kernel
def find_cell(x, y, piece, index):
    """Cell of a point, as the search sees it: (edge, event, vertex), -1 for none."""
    return _find_cell(x, y, piece, index.axis, index.graph)


@kernel
def polyline_clearance(points, grid):
    """Least distance from a polyline (n, 2) to any wall."""
    least = math.inf
    for k in range(len(points) - 1):
        clear, _ = line_clearance(
            points[k, 0], points[k, 1], points[k + 1, 0], points[k + 1, 1], -2.0, grid
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
def _stop_xy(k, n, chain, xy, ends):
    """Centre and signed radius of stop k of the chain; stops 0 and n + 1 are the path's ends."""
    if k == 0:
        return ends[0], ends[1], 0.0
    if k == n + 1:
        return ends[2], ends[3], 0.0
    c = chain[k - 1, 0]
    return xy[c, 0], xy[c, 1], chain[k - 1, 1] * ends[4]


@inner(inline=False)
def _legs(n, chain, legs, xy, ends):
    """Tangents between the stops of a chain: rows (x0, y0, x1, y1, ux, uy) of `legs`.

    `ends` are the start's and the goal's coordinates and the radius. Returns -1 when all is well,
    else the stop that the path does not turn around as it should.
    """
    for k in range(n + 1):
        ax, ay, ka = _stop_xy(k, n, chain, xy, ends)
        bx, by, kb = _stop_xy(k + 1, n, chain, xy, ends)
        ux, uy, length = tangent(bx - ax, by - ay, kb - ka)
        if length < 0.0:
            return max(1, min(k, n))
        legs[k, 0], legs[k, 1] = ax + ka * uy, ay - ka * ux
        legs[k, 2], legs[k, 3] = bx + kb * uy, by - kb * ux
        legs[k, 4], legs[k, 5] = ux, uy
        if k > 0:
            px, py = legs[k - 1, 4], legs[k - 1, 5]
            turn = chain[k - 1, 1] * math.atan2(px * uy - py * ux, px * ux + py * uy)
            if -0.5 * math.pi < turn < -1e-12:
                return k
    return -1


@inner
def _drop_stop(k, n, chain):
    for i in range(k - 1, n - 1):
        chain[i, 0], chain[i, 1] = chain[i + 1, 0], chain[i + 1, 1]


@inner
def _add_stop(k, n, corner, sigma, chain):
    """Insert a corner behind stop k."""
    for i in range(n, k, -1):
        chain[i, 0], chain[i, 1] = chain[i - 1, 0], chain[i - 1, 1]
    chain[k, 0], chain[k, 1] = corner, sigma


@inner(inline=False)
def _tighten(n, chain, legs, grid, xy, ends):
    """Mend a chain until every leg is clear of all walls: (number of stops or -1, clearance).

    The search takes the first and last stretch from the chords of the axis; where the start or the
    goal lies in the shade of a corner, that corner is missing or one too many.
    """
    floor = ends[4] - VIOLATION
    for _ in range(REPAIRS):
        wrong = _legs(n, chain, legs, xy, ends)
        if wrong >= 0:
            if n == 0:
                return -1, 0.0
            _drop_stop(wrong, n, chain)
            n -= 1
            continue
        least = math.inf
        blocked = False
        for k in range(n + 1):
            x0, y0 = legs[k, 0], legs[k, 1]
            clear, wall = line_clearance(x0, y0, legs[k, 2], legs[k, 3], floor, grid)
            if clear < floor:
                ux, uy = legs[k, 4], legs[k, 5]
                corner, sigma = corner_in_the_way(x0, y0, ux, uy, clear, wall, grid.ends, xy)
                around = k > 0 and chain[k - 1, 0] == corner
                around = around or (k < n and chain[k, 0] == corner)
                if around or n + 1 >= len(chain):
                    return -1, 0.0
                _add_stop(k, n, corner, sigma, chain)
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
def _write_pieces(n, out, chain, legs, grid, xy, ends):
    """Lines and arcs of a mended chain: (pieces, length, least clearance of arcs)."""
    rows, length, least = 0, 0.0, math.inf
    for k in range(n + 1):
        x0, y0, x1, y1 = legs[k, 0], legs[k, 1], legs[k, 2], legs[k, 3]
        if rows + 2 > len(out):
            return -1, 0.0, 0.0
        _write_line(out[rows], x0, y0, x1, y1)
        rows += 1
        length += math.hypot(x1 - x0, y1 - y0)
        if k == n or ends[4] == 0.0:
            continue
        ux, uy, vx, vy = legs[k, 4], legs[k, 5], legs[k + 1, 4], legs[k + 1, 5]
        sigma = chain[k, 1]
        turn = sigma * math.atan2(ux * vy - uy * vx, ux * vx + uy * vy)
        if turn < -0.5 * math.pi:
            turn += 2.0 * math.pi
        turn = max(turn, 0.0)
        cx, cy, _ = _stop_xy(k + 1, n, chain, xy, ends)
        room = arc_clearance(
            cx, cy, sigma * uy, -sigma * ux, sigma * vy, -sigma * vx, sigma * turn, ends[4],
            grid,
        )  # fmt: skip
        row = out[rows]
        row[X0], row[Y0], row[X1], row[Y1] = x1, y1, legs[k + 1, 0], legs[k + 1, 1]
        row[CX], row[CY], row[RADIUS], row[SWEEP] = cx, cy, ends[4], sigma * turn
        row[ROOM] = max(0.0, room - ends[4])
        rows += 1
        length += ends[4] * turn
        least = min(least, room, ends[4])
    return rows, length, least


@inner(inline=False)
def _solve(sx, sy, gx, gy, radius, shortcut, out, ws, index):
    """Shortest path of a disc: (status, pieces written to out, length, clearance, final node).

    With `shortcut` a straight way is not searched for: quicker, but there is no final node.
    """
    grid, xy, chain, legs = index.grid, index.string.xy, ws.chain, ws.legs
    piece_s, piece_g, room = -1, -1, math.inf
    for k in range(2):
        x, y = (sx, sy) if k == 0 else (gx, gy)
        piece, _, _, _, clear, _, _ = locate_point(x, y, index.axis, grid, index.fans)
        if piece < 0:
            return START_IN_WALL + k, 0, 0.0, clear, -1
        if clear < radius - SLACK:
            return START_TIGHT + k, 0, 0.0, clear, -1
        room = min(room, clear)
        if k == 0:
            piece_s = piece
        else:
            piece_g = piece
    ends = (sx, sy, gx, gy, radius)
    if math.hypot(gx - sx, gy - sy) < SLACK:
        _write_line(out[0], sx, sy, gx, gy)
        return FOUND, 1, 0.0, room, -1
    # A point is searched for as a tiny disc: it cannot slip between walls that touch.
    size = max(radius, POINT)
    if not is_connected(piece_s, piece_g, size, index):
        return APART, 0, 0.0, 0.0, -1
    clear = -1.0
    if shortcut:
        clear, _ = line_clearance(sx, sy, gx, gy, size - VIOLATION, grid)
    if clear >= size - VIOLATION:
        _write_line(out[0], sx, sy, gx, gy)
        return FOUND, 1, math.hypot(gx - sx, gy - sy), clear, -1
    n, least, node, status = -1, 0.0, -1, NOWHERE
    # Where a corner shades the start, the way back has it at its goal: there the search sees it.
    for back in range(2):
        if back == 1:
            ends = (gx, gy, sx, sy, radius)
            piece_s, piece_g = piece_g, piece_s
        q = make_query(ends, size, piece_s, piece_g, index)
        status, node = search(ws, index, q)
        if status == FOUND:
            way = (ends[0], ends[1], ends[2], ends[3], size)
            n, least = _tighten(_read_chain(node, ws), chain, legs, grid, xy, way)
        if n >= 0:
            break
    if n < 0:
        return max(status, NOWHERE), 0, 0.0, 0.0, -1
    if back == 1:
        node = -1
        _reverse_chain(n, chain)
    ends = (sx, sy, gx, gy, radius)
    _legs(n, chain, legs, xy, ends)
    rows, length, least_arc = _write_pieces(n, out, chain, legs, grid, xy, ends)
    if rows < 0:
        return FULL, 0, 0.0, 0.0, -1
    least = min(least, least_arc)
    if n > 0 and least < radius + VIOLATION:
        least = radius  # it touches the corners' circles: the rest is rounding
    return FOUND, rows, length, least, node


@kernel
def solve(sx, sy, gx, gy, radius, shortcut, out, ws, index):
    """`_solve`, for Python."""
    return _solve(sx, sy, gx, gy, radius, shortcut, out, ws, index)


@inner
def _arc_steps(piece):
    """Into how many steps an arc is cut, so that its polyline stays within the room it has."""
    radius = piece[RADIUS]
    room = min(max(piece[ROOM], FINEST), COARSEST * radius)
    return max(1, int(math.ceil(abs(piece[SWEEP]) / (2.0 * math.acos(radius / (radius + room))))))


@kernel
def sample_pieces(pieces):
    """Polyline (n, 2) along lines and arcs that keeps their distance to the walls.

    The polyline goes around an arc, not through it: no chord cuts a corner.
    """
    count = 1
    for i in range(len(pieces)):
        count += 1 + (_arc_steps(pieces[i]) if pieces[i, RADIUS] > 0.0 else 0)
    points = np.empty((count, 2))
    points[0, 0], points[0, 1] = pieces[0, X0], pieces[0, Y0]
    n = 1
    for i in range(len(pieces)):
        piece = pieces[i]
        if piece[RADIUS] > 0.0:
            steps = _arc_steps(piece)
            half = 0.5 * piece[SWEEP] / steps
            angle = math.atan2(piece[Y0] - piece[CY], piece[X0] - piece[CX]) - half
            outer = piece[RADIUS] / math.cos(half)
            for _ in range(steps):
                angle += 2.0 * half
                points[n, 0] = piece[CX] + outer * math.cos(angle)
                points[n, 1] = piece[CY] + outer * math.sin(angle)
                n += 1
        step = math.hypot(piece[X1] - points[n - 1, 0], piece[Y1] - points[n - 1, 1])
        if step > 0.0 or i == len(pieces) - 1:
            points[n, 0], points[n, 1] = piece[X1], piece[Y1]
            n += 1
    return points[:n].copy()


@kernel
def solve_many(starts, goals, radius, out, rows, certificates, statuses, ws, index):
    """`solve` for every query of a batch, one after the other."""
    for k in range(len(starts)):
        status, n, length, clearance, _ = _solve(
            starts[k, 0], starts[k, 1], goals[k, 0], goals[k, 1], radius, True, out[k], ws, index
        )
        statuses[k] = status
        rows[k] = n
        certificates[k, 0] = length
        certificates[k, 1] = clearance
