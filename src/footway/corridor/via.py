"""Paths that differ much from each other: the best corridor through each edge of the map."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway.corridor.backbone import path_between
from footway.corridor.kernels.layouts import FOUND
from footway.corridor.kernels.query import THIN, find_cell
from footway.corridor.kernels.tangents import SLACK
from footway.corridor.kernels.via import Memory, Wanted, grow_tree, next_backbone, sort_by_length
from footway.corridor.search import reversed_solution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.arrays import Bools, Floats, Ints
    from footway.corridor.kernels.layouts import Index
    from footway.corridor.kernels.via import Tree
    from footway.corridor.search import Solution, Solver


def solve_via_edges(
    solver: Solver,
    a: Floats,
    b: Floats,
    radius: float,
    *,
    different: float,
    longest: float,
    taken: Bools,
) -> Iterator[tuple[Ints, Solution]]:
    """Yield half-edges of backbones and the shortest path in the corridor around each.

    For each edge of the map, the shortest backbone of a disc that follows it and passes no vertex
    twice, in the order of the length of the backbones. The share `different` of each is outside the
    edges that are `taken` (ne,); the caller adds to them. Paths longer than `longest` are left out.
    """
    axis, graph = solver.index.axis, solver.index.graph
    disc = max(radius, THIN)
    start, goal = (_tree(solver, point, disc) for point in (a, b))
    first, last = (_cell(solver, point) for point in (a, b))
    wanted = Wanted(
        different, taken, longest, disc, float(a[0]), float(a[1]), float(b[0]), float(b[1]),
        np.array(first.joint, np.int64) // 2, np.array(last.joint, np.int64) // 2,
    )  # fmt: skip
    order = sort_by_length(start, goal, disc, graph)
    n_vertices = len(graph.offsets)
    memory = Memory(
        np.full(n_vertices, -1), np.empty(n_vertices + 2, np.int64),
        np.empty((len(axis.events) + 1, 4)),
    )  # fmt: skip
    known, at = set(), 0
    while True:
        memory.marks[:] = -1
        count, at, least = next_backbone(at, order, wanted, start, goal, axis, graph, memory)
        if count == 0:
            return
        halves = memory.out[:count].copy()
        if (key := halves.tobytes()) not in known:
            known.add(key)
            chain = _chain(halves.tolist(), first, last)
            index = _narrowed_to(chain, first, last, disc, solver.index)
            solution = _solve_in(index, solver, a, b, radius, least)
            if solution is not None and solution.length <= longest:
                yield halves, solution


def _solve_in(
    index: Index, solver: Solver, a: Floats, b: Floats, radius: float, least: float
) -> Solution | None:
    """Return the path in a corridor; None if both searches, from either end, miss it.

    A search can miss a corner that hides the start. Its repaired path may then lead around an
    obstacle on the other side, through another corridor: it is shorter than any in this one.
    """
    for ends in ((a, b), (b, a)):
        found = solver.solve(*ends, radius, shortcut=False, index=index)
        if found.status == FOUND and found.length >= least:
            return found if ends[0] is a else reversed_solution(found)
    return None


class _Cell(NamedTuple):
    """The cell of the map in which a search begins or ends."""

    edge: int  # that it is on; -1: it is around a vertex
    joint: list[int]  # half-edges to it from the piece of the axis to which the point retracts


def _cell(solver: Solver, point: Floats) -> _Cell:
    graph = solver.index.graph
    piece = int(solver.locate(point)[0][0])
    edge, _, vertex = find_cell(*point.tolist(), piece, solver.index)
    if edge == graph.edge_of[piece]:
        return _Cell(edge, [])
    if vertex >= 0:
        return _Cell(-1, path_between(solver.index, piece, vertex))
    paths = [[*path_between(solver.index, piece, int(graph.edges[edge, k])), 2 * edge + k]
            for k in range(2)]  # fmt: skip
    return _Cell(edge, min(paths, key=len))


def _chain(halves: list[int], start: _Cell, goal: _Cell) -> list[int]:
    """Return the half-edges from cell to cell along a backbone, which leads from piece to piece.

    Half-edges that are followed by their twin cancel. Where a cell is on an edge, the chain begins
    or ends inside this edge.
    """
    chain: list[int] = []
    for half in [*(half ^ 1 for half in reversed(start.joint)), *halves, *goal.joint]:
        if chain and chain[-1] == half ^ 1:
            chain.pop()
            if not chain and start.edge >= 0:
                chain.append(half)
        elif not chain or chain[-1] != half:  # the edge of a piece, as a whole
            chain.append(half)
    if goal.edge >= 0 and (not chain or chain[-1] // 2 != goal.edge):
        chain.append(goal.joint[-1] ^ 1)
    return chain


def _narrowed_to(chain: list[int], start: _Cell, goal: _Cell, disc: float, index: Index) -> Index:
    """Return the index with all other edges closed, and the part of an edge behind a cell on it."""
    axis, graph = index.axis, index.graph
    edges = np.array(chain) // 2
    open_edges, open_events = np.zeros(len(graph.clearance)), axis.clearance
    open_edges[edges] = graph.clearance[edges]
    entered = [half for half, cell in ((chain[0], start), (chain[-1] ^ 1, goal)) if cell.edge >= 0]
    if entered and edges[0] != edges[-1]:
        open_events = open_events.copy()
        for half in entered:
            open_edges[half // 2] = 0.0  # its events say on which side of the cell it is open
            behind = axis.offsets[half // 2 + half % 2] - half % 2
            closed = disc - 10.0 * SLACK
            open_events[behind] = min(open_events[behind], closed)
    return index._replace(
        axis=axis._replace(clearance=open_events), graph=graph._replace(clearance=open_edges)
    )


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
