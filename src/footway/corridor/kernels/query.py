"""Locate the ends of a query on the map, and test whether they are connected."""

from __future__ import annotations

import numpy as np

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.layouts import FOUND, START_IN_WALL, START_TIGHT, Query
from footway.corridor.kernels.tangents import SLACK

NO_CHORD = 5e-8  # m, contacts closer than this are one point
POINT = 1e-7  # m, radius of the disc that represents a point
THIN = 1e-6  # m, least radius of a search: lines that keep it touch no wall


@inner
def check_ends(start, goal, radius):
    """Return the status and clearance of an end in a wall or too narrow a place; else FOUND.

    `start` and `goal` are Places.
    """
    for k in range(2):
        end = start if k == 0 else goal
        if end.piece < 0:
            return START_IN_WALL + k, end.clearance
        if end.clearance < radius - SLACK:
            return START_TIGHT + k, end.clearance
    return FOUND, 0.0


@inner
def is_past(x, y, event, backward, left, right):
    """Whether a point lies beyond the chord between the two contacts of an event.

    A dead end that ends in a corner has no chord there, and nothing beyond it.
    """
    lx, ly = left[event, 0], left[event, 1]
    wx, wy = right[event, 0] - lx, right[event, 1] - ly
    if wx * wx + wy * wy < NO_CHORD * NO_CHORD:
        return False
    side = wx * (y - ly) - wy * (x - lx)
    return side < 0.0 if backward else side > 0.0


@inner
def _is_wide(axis, first, last, radius):
    """Whether events first to last have at least this clearance; true if there are none."""
    for i in range(first, last + 1):
        if axis.clearance[i] < radius - SLACK:
            return False
    return True


@inner
def is_wide_to_end(piece, edge, end, radius, axis):
    """Whether the axis is wide enough from a piece to an end of its edge."""
    if end == 0:
        return _is_wide(axis, axis.offsets[edge], piece, radius)
    return _is_wide(axis, piece + 1, axis.offsets[edge + 1] - 1, radius)


@inner(inline=False)
def _find_cell(x, y, piece, axis, graph):
    """Find the cell of a point; the chords of events divide the free space into cells.

    Returns (edge, event, -1) for a cell between an event and the next one, (-1, -1, vertex) for the
    cell around a vertex. The search starts from the point's piece of the axis, which is near.
    """
    edge = graph.edge_of[piece]
    if is_past(x, y, piece + 1, False, axis.left, axis.right):
        half, event = 2 * edge, piece + 1
    elif is_past(x, y, piece, True, axis.left, axis.right):
        half, event = 2 * edge + 1, piece
    else:
        return edge, piece, -1
    for _ in range(len(graph.out)):  # along the half-edge, the point is past the event's chord
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
def make_query(ends, piece_s, piece_g, index):
    """Build the Query of two ends that lie next to the given pieces of the axis."""
    axis, graph, radius = index.axis, index.graph, ends.radius
    edge_s, event_s, vertex_s = _find_cell(ends.sx, ends.sy, piece_s, axis, graph)
    edge_g, event_g, vertex_g = _find_cell(ends.gx, ends.gy, piece_g, axis, graph)
    ahead_s = edge_s >= 0 and is_wide_to_end(event_s, edge_s, 1, radius, axis)
    behind_s = edge_s >= 0 and is_wide_to_end(event_s, edge_s, 0, radius, axis)
    ahead_g = edge_g >= 0 and is_wide_to_end(event_g, edge_g, 1, radius, axis)
    behind_g = edge_g >= 0 and is_wide_to_end(event_g, edge_g, 0, radius, axis)
    ahead, behind = False, False
    if edge_s >= 0 and edge_s == edge_g:
        along = float(event_g - event_s)
        if along == 0:
            dx = axis.events[event_s + 1, 0] - axis.events[event_s, 0]
            dy = axis.events[event_s + 1, 1] - axis.events[event_s, 1]
            along = (ends.gx - ends.sx) * dx + (ends.gy - ends.sy) * dy
        ahead, behind = along > 0, along < 0
    return Query(
        ends.sx, ends.sy, ends.gx, ends.gy, radius, len(axis.sites),
        edge_s, event_s, vertex_s, ahead_s, behind_s,
        edge_g, event_g, vertex_g, behind_g, ahead_g, ahead, behind,
        ends.start_layer, ends.goal_layer,
    )  # fmt: skip


@inner
def _representative(v, radius, graph):
    """Representative vertex of all vertices that are reachable from v at this radius."""
    while graph.join[v] != v and graph.join_clearance[v] >= radius - SLACK:
        v = graph.join[v]
    return v


@inner
def is_connected(piece_s, piece_g, radius, index):
    """Whether the widest path between two pieces of the axis is wide enough."""
    axis, graph = index.axis, index.graph
    edge_s, edge_g = graph.edge_of[piece_s], graph.edge_of[piece_g]
    low, high = min(piece_s, piece_g), max(piece_s, piece_g)
    if edge_s == edge_g and _is_wide(axis, low + 1, high, radius):
        return True
    for from_end in range(2):
        if not is_wide_to_end(piece_s, edge_s, from_end, radius, axis):
            continue
        here = _representative(graph.edges[edge_s, from_end], radius, graph)
        for to_end in range(2):
            if not is_wide_to_end(piece_g, edge_g, to_end, radius, axis):
                continue
            if here == _representative(graph.edges[edge_g, to_end], radius, graph):
                return True
    return False


@kernel
def find_cell(x, y, piece, index):
    """Cell of a point, as the search sees it: (edge, event, vertex), -1 for none."""
    return _find_cell(x, y, piece, index.axis, index.graph)


@kernel
def are_connected(piece, pieces, radius, index):
    """Return which pieces of the axis a disc can reach from a given one. (n,)."""
    found = np.zeros(len(pieces), np.bool_)
    for k in range(len(pieces)):
        if pieces[k] >= 0:
            found[k] = is_connected(piece, pieces[k], radius, index)
    return found
