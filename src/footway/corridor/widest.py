"""Find the widest path between two points, and the narrowest passages of a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.segments import dot
from footway.constants import ON_WALL, TOUCH
from footway.corridor.corridor import Pinch, pinch_at
from footway.corridor.kernels.locate import CLEARANCE, WALL_X, WALL_Y

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.corridor.kernels.layouts import Index
    from footway.corridor.search import Solver


class _Narrow(NamedTuple):
    """Least clearance of a path, m, and its event (-1 if the path has no event)."""

    clearance: float
    event: int


_NOTHING = _Narrow(np.inf, -1)


def find_bottleneck(solver: Solver, a: Floats, b: Floats) -> Pinch | None:
    """Return the narrowest point of the widest path between two points; None if unconnected."""
    pieces, values = solver.locate(a, b)
    contacts = values[:, [WALL_X, WALL_Y]]
    for piece, point, contact, what in zip(
        pieces, (a, b), contacts, ("start", "goal"), strict=True
    ):
        if piece < 0:
            raise solver.explain_unlocated_end(what, point, contact, 0.0)
    narrow = _narrowest_on_widest_path(solver.index, int(pieces[0]), int(pieces[1]))
    if narrow is None:
        return None
    pinches = [
        pinch_at(
            clearance,
            point,
            contact,
            contact,
            solver.name_of_edge(solver.index.graph.edge_of[piece]),
        )
        for clearance, point, contact, piece in zip(
            values[:, CLEARANCE], (a, b), contacts, pieces, strict=True
        )
    ]
    if narrow.event >= 0:
        where = solver.name_of_edge(solver.index.graph.edge_of[narrow.event])
        pinches.insert(0, _pinch_at_event(solver.index, narrow.event, where))
    return min(pinches, key=lambda pinch: pinch.radius)


def find_passages(solver: Solver, most: int) -> list[Pinch]:
    """Return the narrowest passages, narrowest first; at most one for each edge.

    A passage has walls on roughly opposite sides and widens in both directions.
    """
    index = solver.index
    axis = index.axis
    inner = np.flatnonzero(axis.piece_left >= 0)
    inner = inner[(inner > 0) & (axis.piece_left[inner - 1] >= 0)]
    clearance = axis.clearance[inner]
    least = (clearance <= axis.clearance[inner - 1] + TOUCH) & (
        clearance <= axis.clearance[inner + 1] + TOUCH
    )
    across = dot(axis.left[inner] - axis.events[inner], axis.right[inner] - axis.events[inner])
    found = inner[least & (across <= -0.5 * clearance * clearance) & (clearance > ON_WALL)]
    found = found[np.argsort(axis.clearance[found], kind="stable")]
    _, first = np.unique(index.graph.edge_of[found], return_index=True)
    return [
        _pinch_at_event(index, event, solver.name_of_edge(index.graph.edge_of[event]))
        for event in found[np.sort(first)][:most].tolist()
    ]


def _pinch_at_event(index: Index, event: int, where: str = "") -> Pinch:
    axis = index.axis
    left, right = axis.left[event], axis.right[event]
    return pinch_at(axis.clearance[event], axis.events[event], left, right, where)


def _narrowest_on_widest_path(index: Index, piece_s: int, piece_g: int) -> _Narrow | None:
    """Return the narrowest event on the widest path between two pieces; None if unconnected."""
    graph = index.graph
    edge_s, edge_g = int(graph.edge_of[piece_s]), int(graph.edge_of[piece_g])
    candidates = []
    if edge_s == edge_g:
        low, high = sorted((piece_s, piece_g))
        candidates.append(_least(index, low + 1, high))
    for v, from_start in _ends(index, edge_s, piece_s):
        for w, to_goal in _ends(index, edge_g, piece_g):
            between = _climb(index, v, w)
            if between is not None:
                candidates.append(min(from_start, between, to_goal))
    return max(candidates) if candidates else None


def _least(index: Index, first: int, last: int) -> _Narrow:
    """Return the narrowest of the events first to last."""
    if first > last:
        return _NOTHING
    event = first + int(np.argmin(index.axis.clearance[first : last + 1]))
    return _Narrow(float(index.axis.clearance[event]), event)


def _ends(index: Index, edge: int, piece: int) -> list[tuple[int, _Narrow]]:
    """Return both ends of an edge, with the narrowest event between its piece and that end."""
    first, last = int(index.axis.offsets[edge]), int(index.axis.offsets[edge + 1]) - 1
    v, w = index.graph.edges[edge].tolist()
    return [(v, _least(index, first, piece)), (w, _least(index, piece + 1, last))]


def _climb(index: Index, v: int, w: int) -> _Narrow | None:
    """Return the narrowest join between two vertices of the forest; None if unconnected."""
    graph = index.graph
    least, edge = np.inf, -1
    while v != w:  # climb from the vertex with the wider join
        if graph.join_clearance[v] < graph.join_clearance[w]:
            v, w = w, v
        if graph.join[v] == v:
            return None
        if graph.join_clearance[v] < least:
            least, edge = float(graph.join_clearance[v]), int(graph.join_edge[v])
        v = int(graph.join[v])
    if edge < 0:
        return _NOTHING
    return _least(index, int(index.axis.offsets[edge]), int(index.axis.offsets[edge + 1]) - 1)
