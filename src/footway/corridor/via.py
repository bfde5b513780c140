"""Paths that differ much from each other: the best corridor through each edge of the map."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway.corridor.kernels.layouts import FOUND
from footway.corridor.kernels.tangents import SLACK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from footway.corridor.kernels.layouts import Index
    from footway.corridor.search import Solution, Solver

    Floats = NDArray[np.float64]


class Backbone(NamedTuple):
    """Edges along the medial axis between two points, and how far each is followed."""

    halves: tuple[int, ...]
    lengths: tuple[float, ...]  # m; the first and the last edge are followed in part

    def share_outside(self, edges: set[int]) -> float:
        """Return the share of the length that is not along the given edges."""
        outside = sum(
            length
            for half, length in zip(self.halves, self.lengths, strict=True)
            if half // 2 not in edges
        )
        return outside / max(sum(self.lengths), SLACK)


class _Tree(NamedTuple):
    """Shortest backbones from a place on an edge to all vertices."""

    edge: int
    parts: tuple[float, float]  # m along the edge to its first and to its last vertex
    cost: dict[int, float]  # m, of each vertex that a disc can reach
    arrival: dict[int, int]  # half-edge by which the backbone arrives

    def halves_to(self, vertex: int, index: Index) -> list[int]:
        """Return the half-edges of the backbone to a vertex."""
        halves, edges = [self.arrival[vertex]], index.graph.edges
        while halves[-1] // 2 != self.edge:
            halves.append(self.arrival[int(edges[halves[-1] // 2, halves[-1] % 2])])
        return halves[::-1]


def solve_via_edges(
    solver: Solver, a: Floats, b: Floats, radius: float, *, shortest: Backbone, different: float
) -> list[tuple[Backbone, Solution]]:
    """Return paths through edges of the map that differ from the shortest, shortest first.

    For each edge, the shortest backbone of a disc that follows it and passes no vertex twice; of
    those that differ enough, the shortest path in the corridor around each.
    """
    index, known, found = solver.index, {shortest.halves}, []
    taken = {half // 2 for half in shortest.halves}
    for backbone in _through_edges(solver, a, b, radius):
        if backbone.halves in known or backbone.share_outside(taken) < different:
            continue
        known.add(backbone.halves)
        clearance = np.zeros(len(index.graph.clearance))
        edges = np.array(backbone.halves) // 2
        clearance[edges] = index.graph.clearance[edges]
        corridor = index._replace(graph=index.graph._replace(clearance=clearance))
        solution = solver.solve(a, b, radius, shortcut=False, index=corridor)
        if solution.status == FOUND:
            found.append((backbone, solution))
    return sorted(found, key=lambda one: one[1].length)


def backbone_along(solver: Solver, a: Floats, b: Floats, halves: tuple[int, ...]) -> Backbone:
    """Return the backbone of half-edges between two points."""
    lengths = solver.index.graph.length[np.array(halves) // 2].tolist()
    if len(halves) == 1:
        return Backbone(halves, tuple(lengths))
    lengths[0] = _place(solver, a)[2][1 - halves[0] % 2]
    lengths[-1] = _place(solver, b)[2][halves[-1] % 2]
    return Backbone(halves, tuple(lengths))


def _through_edges(solver: Solver, a: Floats, b: Floats, radius: float) -> Iterator[Backbone]:
    """Return the shortest backbone through each edge in each direction, if it has no loop."""
    index = solver.index
    start, goal = _tree(solver, a, radius), _tree(solver, b, radius)
    for half in range(2 * len(index.graph.edges)):
        first, last = index.graph.edges[half // 2, [half % 2, 1 - half % 2]].tolist()
        is_open = index.graph.clearance[half // 2] >= radius - SLACK
        if not is_open or first not in start.cost or last not in goal.cost:
            continue
        before = start.halves_to(first, index)
        after = [half ^ 1 for half in reversed(goal.halves_to(last, index))]
        halves = (*before, half, *after)
        edges, passed = {one // 2 for one in halves}, [*_ends(before, index), last]
        passed += _ends(after[:-1], index)
        if len(edges) == len(halves) and len(set(passed)) == len(passed):
            lengths = index.graph.length[np.array(halves) // 2].tolist()
            lengths[0] = start.parts[1 - before[0] % 2]
            lengths[-1] = goal.parts[after[-1] % 2]
            yield Backbone(halves, tuple(lengths))


def _ends(halves: list[int], index: Index) -> list[int]:
    """Return the vertices at the ends of half-edges."""
    return [int(index.graph.edges[half // 2, 1 - half % 2]) for half in halves]


def _place(solver: Solver, point: Floats) -> tuple[int, int, tuple[float, float]]:
    """Return piece and edge that a point retracts to, and the lengths to the edge's vertices, m."""
    pieces, values = solver.locate(point)
    axis, piece = solver.index.axis, int(pieces[0])
    edge = int(solver.index.graph.edge_of[piece])
    along = float(hypot(*(values[0, :2] - axis.events[piece])))
    before = float(axis.piece_length[axis.offsets[edge] : piece].sum())
    whole = float(solver.index.graph.length[edge])
    to_first = min(whole, before + along)
    return piece, edge, (to_first, whole - to_first)


def _tree(solver: Solver, point: Floats, radius: float) -> _Tree:
    """Return the shortest backbones of a disc from a point to all vertices (Dijkstra)."""
    axis, graph = solver.index.axis, solver.index.graph
    piece, edge, parts = _place(solver, point)
    first, last = graph.edges[edge].tolist()
    is_wide = axis.clearance >= radius - SLACK
    heap = []
    if is_wide[axis.offsets[edge] : piece + 1].all():
        heap.append((parts[0], first, 2 * edge + 1))
    if is_wide[piece + 1 : axis.offsets[edge + 1]].all():
        heap.append((parts[1], last, 2 * edge))
    heapq.heapify(heap)
    cost: dict[int, float] = {}
    arrival: dict[int, int] = {}
    length = np.where(graph.clearance >= radius - SLACK, graph.length, math.inf).tolist()
    length[edge] = math.inf
    offsets, out, ends = graph.offsets.tolist(), graph.out.tolist(), graph.edges.tolist()
    while heap:
        here, v, half = heapq.heappop(heap)
        if v in cost:
            continue
        cost[v], arrival[v] = here, half
        for one in out[offsets[v] : offsets[v + 1]]:
            if length[one // 2] < math.inf:
                far = ends[one // 2][1 - one % 2]
                heapq.heappush(heap, (here + length[one // 2], far, one))
    return _Tree(edge, parts, cost, arrival)
