"""From half-edges of the map to a corridor, and the half-edges of the shortest backbone."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.corridor.corridor import Corridor
from footway.corridor.sampling import on_pieces, share_on_piece

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Index

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Place(NamedTuple):
    """A query point and where it is retracted to."""

    point: Floats  # (2,) m
    piece: int
    position: Floats  # (2,) m, on the axis
    clearance: float  # of that position, m


def corridor_along(
    index: Index, halves: Ints, start: Place, goal: Place, *, radius: float, step: float
) -> Corridor:
    """Corridor through half-edges, its balls at most `step` metres apart (cmm-2007, def. 4)."""
    piece, begin, end = _pieces_along(index, halves, start, goal)
    length = index.axis.piece_length[piece] * np.abs(end - begin)
    count = np.maximum(1, np.ceil(length / step)).astype(np.int64)
    share = np.concatenate([np.arange(n) / n for n in count])
    t = np.repeat(begin, count) + share * np.repeat(end - begin, count)
    samples = on_pieces(
        index.axis, np.append(np.repeat(piece, count), piece[-1]), np.append(t, end[-1])
    )
    backward = np.append(np.repeat(end < begin, count), end[-1] < begin[-1])[:, None]
    left = np.where(backward, samples.right, samples.left)
    right = np.where(backward, samples.left, samples.right)
    # Figure 3: on the straight way to the axis the balls shrink by the distance from it.
    room = [p.clearance - float(np.hypot(*(p.point - p.position))) for p in (start, goal)]
    return Corridor(
        start=(float(start.point[0]), float(start.point[1])),
        goal=(float(goal.point[0]), float(goal.point[1])),
        radius=radius,
        backbone=np.vstack([start.point, samples.points, goal.point]),
        radii=np.concatenate([room[:1], samples.clearance, room[1:]]),
        left=np.vstack([left[:1], left, left[-1:]]),
        right=np.vstack([right[:1], right, right[-1:]]),
        edges=halves,
    )


def _pieces_along(
    index: Index, halves: Ints, start: Place, goal: Place
) -> tuple[Ints, Floats, Floats]:
    """Pieces on the way and the shares between which each is walked; falling when backward."""
    offsets = index.axis.offsets
    pieces, final = [], len(halves) - 1
    for k, half in enumerate(halves):
        first, last = int(offsets[half // 2]), int(offsets[half // 2 + 1]) - 2
        if half % 2:
            first, last = last, first
        first = start.piece if k == 0 else first
        last = goal.piece if k == final else last
        pieces.append(np.arange(first, last - 1, -1) if half % 2 else np.arange(first, last + 1))
    backward = np.concatenate(
        [np.full(len(run), half % 2) for run, half in zip(pieces, halves, strict=True)]
    )
    begin, end = backward.astype(np.float64), 1.0 - backward
    begin[0] = share_on_piece(index.axis, start.piece, start.position)
    end[-1] = share_on_piece(index.axis, goal.piece, goal.position)
    return np.concatenate(pieces), begin, end


def backbone_of_search(
    index: Index, halves: list[int], vertices: tuple[int, int], start: Place, goal: Place
) -> Ints | None:
    """Half-edges from the start's piece of the axis to the goal's, along those of a search.

    The search goes from cell to cell between chords, so its first and last half-edge need not be
    those that the ends retract to. `vertices` holds the vertex of the start's and the goal's cell,
    -1 where the cell lies along an edge. None: an end retracts to some edge farther away.
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
    before = _way_to(index, start, first)
    after = [half ^ 1 for half in reversed(_way_to(index, goal, last))]
    way = _reduce([*before, *inner, *after])
    if len(way) == 1:
        return _along_one_edge(way[0] // 2, start, goal)
    return np.array(way)


def _along_one_edge(edge: int, start: Place, goal: Place) -> Ints:
    return np.array([2 * edge + (goal.piece < start.piece)])


def _way_to(index: Index, place: Place, vertex: int) -> list[int]:
    """Half-edges of the shortest way from a place of the axis to a vertex: one, or a few."""
    graph = index.graph
    edge = int(graph.edge_of[place.piece])
    heap = [
        (0.0, int(graph.edges[edge, 1 - half % 2]), [half]) for half in (2 * edge, 2 * edge + 1)
    ]
    done: set[int] = set()
    while heap:
        length, v, way = heapq.heappop(heap)
        if v == vertex:
            return way
        if v in done:
            continue
        done.add(v)
        for half in graph.out[graph.offsets[v] : graph.offsets[v + 1]].tolist():
            far = int(graph.edges[half // 2, 1 - half % 2])
            heapq.heappush(heap, (length + float(graph.length[half // 2]), far, [*way, half]))
    raise AssertionError("a place and a vertex of two components")


def _reduce(halves: list[int]) -> list[int]:
    """Cancel half-edges that are walked there and back.

    The first and last are walked in part: a way that turns back on one of them begins or ends
    inside it, in the other direction.
    """
    way = halves[:1]
    for half in halves[1:]:
        if way[-1] != half ^ 1:
            way.append(half)
        elif len(way) == 1:
            way[0] = half
        else:
            way.pop()
    if halves[-1] // 2 != way[-1] // 2:
        way.append(halves[-1] ^ 1)
    return way


def shortest_backbone(index: Index, start: Place, goal: Place, *, radius: float) -> Ints | None:
    """Half-edges of the shortest way along the axis for a disc; None where there is none.

    Dijkstra in plain Python: it only steps in where the search of taut paths gives up.
    """
    graph, axis = index.graph, index.axis
    edge_s, edge_g = int(graph.edge_of[start.piece]), int(graph.edge_of[goal.piece])
    if edge_s == edge_g:
        low, high = sorted((start.piece, goal.piece))
        if (axis.clearance[low + 1 : high + 1] >= radius).all():
            return _along_one_edge(edge_s, start, goal)
    first, last = axis.offsets[edge_s], axis.offsets[edge_s + 1]
    heap: list[tuple[float, int, tuple[int, ...]]] = []
    for half, events in (
        (2 * edge_s, slice(start.piece + 1, last)),
        (2 * edge_s + 1, slice(first, start.piece + 1)),
    ):
        if (axis.clearance[events] >= radius).all():
            length = float(axis.piece_length[events].sum())
            heapq.heappush(heap, (length, int(graph.edges[edge_s, 1 - half % 2]), (half,)))
    first, last = axis.offsets[edge_g], axis.offsets[edge_g + 1]
    opens = {
        2 * edge_g: bool((axis.clearance[first : goal.piece + 1] >= radius).all()),
        2 * edge_g + 1: bool((axis.clearance[goal.piece + 1 : last] >= radius).all()),
    }
    done: set[int] = set()
    while heap:
        length, v, way = heapq.heappop(heap)
        if way[-1] // 2 == edge_g and len(way) > 1:
            return np.array(way)
        if v in done:
            continue
        done.add(v)
        for half in graph.out[graph.offsets[v] : graph.offsets[v + 1]].tolist():
            edge = half // 2
            if opens.get(half, False) or (edge != edge_g and graph.clearance[edge] >= radius):
                far = int(graph.edges[edge, 1 - half % 2])
                heapq.heappush(heap, (length + float(graph.length[edge]), far, (*way, half)))
    return None
