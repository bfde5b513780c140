"""Paths that differ much from each other: the best corridor through each edge of the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway.corridor.kernels.layouts import FOUND
from footway.corridor.kernels.tangents import SLACK
from footway.corridor.kernels.via import grow_tree, next_backbone, sort_by_length

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.arrays import Bools, Floats, Ints
    from footway.corridor.kernels.via import Tree
    from footway.corridor.search import Solution, Solver


def solve_via_edges(
    solver: Solver, a: Floats, b: Floats, radius: float, *, different: float, taken: Bools
) -> Iterator[tuple[Ints, Solution]]:
    """Yield half-edges of backbones and the shortest path in the corridor around each.

    For each edge of the map, the shortest backbone of a disc that follows it and passes no vertex
    twice, in the order of the length of the backbones. The share `different` of each is outside the
    edges that are `taken` (ne,); the caller adds to them.
    """
    graph = solver.index.graph
    start, goal = (_tree(solver, point, radius) for point in (a, b))
    order = sort_by_length(start, goal, radius, graph)
    marks, out = np.full(len(graph.offsets), -1), np.empty(len(graph.offsets) + 2, np.int64)
    count, at = next_backbone(0, order, different, taken, start, goal, graph, marks, out)
    known = set()
    while count:
        halves = out[:count].copy()
        if (key := halves.tobytes()) not in known:
            known.add(key)
            clearance = np.zeros(len(graph.clearance))
            clearance[halves // 2] = graph.clearance[halves // 2]
            corridor = solver.index._replace(graph=graph._replace(clearance=clearance))
            solution = solver.solve(a, b, radius, shortcut=False, index=corridor)
            if solution.status == FOUND:
                yield halves, solution
        marks[:] = -1
        count, at = next_backbone(at, order, different, taken, start, goal, graph, marks, out)


def _tree(solver: Solver, point: Floats, radius: float) -> Tree:
    """Return the shortest backbones of a disc from a point to all vertices."""
    axis, graph = solver.index.axis, solver.index.graph
    pieces, values = solver.locate(point)
    piece = int(pieces[0])
    edge = int(graph.edge_of[piece])
    first, end = axis.offsets[edge], axis.offsets[edge + 1]
    along = float(hypot(*(values[0, :2] - axis.events[piece])))
    whole = float(graph.length[edge])
    to_first = min(whole, float(axis.piece_length[first:piece].sum()) + along)
    is_wide = axis.clearance[first:end] >= radius - SLACK
    parts = np.array([
        to_first if is_wide[: piece + 1 - first].all() else np.inf,
        whole - to_first if is_wide[piece + 1 - first :].all() else np.inf,
    ])  # fmt: skip
    tree: Tree = grow_tree(edge, parts, radius, graph)
    return tree
