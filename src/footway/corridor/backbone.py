"""Derive the backbone, as half-edges, from the result of a search for a shortest path."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Index

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Place(NamedTuple):
    """A query point and its retraction onto the axis."""

    point: Floats  # (2,) m
    piece: int
    position: Floats  # (2,) m, on the axis
    clearance: float  # of that position, m


def backbone_of_search(
    index: Index, halves: list[int], vertices: tuple[int, int], start: Place, goal: Place
) -> Ints | None:
    """Return half-edges from the start's piece of the axis to the goal's, along those of a search.

    The search moves between cells bounded by chords, so the ends may retract to other edges than
    its first and last half-edge. `vertices` are the vertices of the start's and the goal's cell,
    -1 for a cell along an edge. None if an end retracts to an edge farther away.
    """
    from_vertex, to_vertex = vertices[0] >= 0, vertices[1] >= 0
    inner = halves[0 if from_vertex else 1 : len(halves) if to_vertex else len(halves) - 1]
    if from_vertex and vertices[0] == vertices[1] and len(halves) == 1:
        inner = []
    edges = index.graph.edges
    if from_vertex or len(halves) > 1 or to_vertex:
        first = vertices[0] if from_vertex else int(edges[halves[0] // 2, 1 - halves[0] % 2])
        last = vertices[1] if to_vertex else int(edges[halves[-1] // 2, halves[-1] % 2])
    elif index.graph.edge_of[start.piece] == index.graph.edge_of[goal.piece] == halves[0] // 2:
        return _along_one_edge(halves[0] // 2, start, goal)
    else:
        return None
    before = _path_to(index, start, first)
    after = [half ^ 1 for half in reversed(_path_to(index, goal, last))]
    path = _reduce([*before, *inner, *after])
    if len(path) == 1:
        return _along_one_edge(path[0] // 2, start, goal)
    return np.array(path)


def _along_one_edge(edge: int, start: Place, goal: Place) -> Ints:
    return np.array([2 * edge + (goal.piece < start.piece)])


def _path_to(index: Index, place: Place, vertex: int) -> list[int]:
    """Return the half-edges of the shortest path from a place on the axis to a vertex."""
    graph = index.graph
    edge = int(graph.edge_of[place.piece])
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
    raise AssertionError("the place and the vertex are in different components")


def _reduce(halves: list[int]) -> list[int]:
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
