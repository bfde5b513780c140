"""Derive the backbone of a path from the half-edges that its search crossed."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway.constants import TOUCH
from footway.corridor.corridor import Corridor, corridor_from_search
from footway.corridor.kernels.layouts import FOUND
from footway.corridor.kernels.path import N_COLUMNS, X0, X1, Y0, Y1, polyline_clearance
from footway.corridor.kernels.query import find_cell
from footway.corridor.kernels.wall_grid import TOUCHES
from footway.corridor.path import TautPath

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Index
    from footway.corridor.search import Solver


def corridor_of_path(solver: Solver, path: TautPath) -> Corridor:
    """Return the corridor of a shortest path, or of the path moved away from walls."""
    a, b, radius, crossed = np.array(path.start), np.array(path.goal), path.radius, path.crossed
    if not crossed:  # a straight line, which needed no search
        crossed = solver.solve(a, b, radius, shortcut=False).crossed
    halves = backbone_of_path(solver, a, b, radius, crossed)
    found = solver.corridor_along(a, b, halves, radius)
    return corridor_from_search(solver, path.start, path.goal, radius, found)


def backbone_of_path(
    solver: Solver, a: Floats, b: Floats, radius: float, crossed: tuple[int, ...]
) -> Ints:
    """Return the half-edges of the backbone of a path whose search crossed the given half-edges.

    They are those of the shortest backbone if the path was found without a search, or if an end
    retracts to an edge far from those crossed.
    """
    halves = _connect_ends(solver.index, a, b, solver.locate(a, b)[0], crossed) if crossed else None
    return solver.corridor(a, b, radius).halves if halves is None else halves


def _connect_ends(
    index: Index, a: Floats, b: Floats, pieces: Ints, crossed: tuple[int, ...]
) -> Ints | None:
    """Return half-edges from the start's piece of the axis to the goal's, along those crossed.

    The search moves between cells bounded by chords, so the ends may retract to other edges than
    its first and last half-edge.
    """
    piece_s, piece_g = int(pieces[0]), int(pieces[1])
    vertex_s, vertex_g = (  # of the cell of an end; -1 for a cell along an edge
        find_cell(*point, piece, index)[2] for point, piece in ((a, piece_s), (b, piece_g))
    )
    edges, edge_of = index.graph.edges, index.graph.edge_of
    inner = crossed[0 if vertex_s >= 0 else 1 : None if vertex_g >= 0 else -1]
    if vertex_s >= 0 and vertex_s == vertex_g and len(crossed) == 1:
        inner = ()
    first, last = crossed[0], crossed[-1]
    if vertex_s < 0 and vertex_g < 0 and len(crossed) == 1:
        if not edge_of[piece_s] == edge_of[piece_g] == first // 2:
            return None
        path = [first]
    else:
        begin = vertex_s if vertex_s >= 0 else int(edges[first // 2, 1 - first % 2])
        end = vertex_g if vertex_g >= 0 else int(edges[last // 2, last % 2])
        after = [half ^ 1 for half in reversed(path_between(index, piece_g, end))]
        path = _without_detours([*path_between(index, piece_s, begin), *inner, *after])
    if len(path) == 1:
        return np.array([2 * (path[0] // 2) + (piece_g < piece_s)])
    return np.array(path)


def path_between(index: Index, piece: int, vertex: int) -> list[int]:
    """Return the half-edges of the shortest path from a piece of the axis to a vertex nearby."""
    graph = index.graph
    edge = int(graph.edge_of[piece])
    heap = [
        (0.0, int(graph.edges[edge, 1 - half % 2]), [half]) for half in (2 * edge, 2 * edge + 1)
    ]
    done: set[int] = set()
    while heap:
        length, v, path = heapq.heappop(heap)
        if v == vertex:
            return path
        if v in done:
            continue
        done.add(v)
        for half in graph.out[graph.offsets[v] : graph.offsets[v + 1]].tolist():
            far = int(graph.edges[half // 2, 1 - half % 2])
            heapq.heappush(heap, (length + float(graph.length[half // 2]), far, [*path, half]))
    raise AssertionError("the piece and the vertex are in different components")


def _without_detours(halves: list[int]) -> list[int]:
    """Cancel half-edges that are followed by their twin.

    The first and last are used in part: a path that turns back on one of them begins or ends
    inside it, in the opposite direction.
    """
    path = halves[:1]
    for half in halves[1:]:
        if path[-1] != half ^ 1:
            path.append(half)
        elif len(path) == 1:
            path[0] = half
        else:
            path.pop()
    if halves[-1] // 2 != path[-1] // 2:
        path.append(halves[-1] ^ 1)
    return path


def path_along_backbone(solver: Solver, a: Floats, b: Floats, radius: float) -> TautPath | None:
    """Path along the medial axis: longer and with corners, for queries that the search gives up on.

    It must keep the radius, and touch no wall between its ends, so that it stays in free space.
    None where no sampled polyline along the axis does.
    """
    for step in (0.05, 0.01, 0.002):  # chords of a parabola cut its corners a little
        found = solver.corridor(a, b, radius, step=step)
        assert found.status == FOUND, "the widest-path forest says that a path exists"
        points = np.ascontiguousarray(found.balls[:, :2])
        clearance = float(polyline_clearance(points, solver.index.grid))
        between = float(polyline_clearance(points[1:-1], solver.index.grid))
        if clearance >= radius - TOUCH and between > TOUCHES:
            pieces = np.zeros((len(points) - 1, N_COLUMNS))
            pieces[:, [X0, Y0]], pieces[:, [X1, Y1]] = points[:-1], points[1:]
            length = float(hypot(*np.diff(points, axis=0).T).sum())
            start, goal = (float(a[0]), float(a[1])), (float(b[0]), float(b[1]))
            return TautPath(start, goal, radius, length, clearance, pieces, "backbone", solver)
    return None
