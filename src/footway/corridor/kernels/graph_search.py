"""A* along the half-edges of a graph, between two places on its edges.

Half-edge 2 e follows edge e from its first to its last vertex, 2 e + 1 follows it back. Any graph
can be searched that has the fields `edges`, `offsets`, `out`, `clearance`, `length`, `is_core` and
`up` of `index.Graph`, in any number of dimensions. If no edge is to be treated as a dead end,
`is_core` is true everywhere and `up` is -1.

The lower bound is the straight distance, or the landmarks' if that is larger (Goldberg and
Harrelson, SODA 2005): by the triangle inequality, no path is shorter than the difference of the
distances of its ends from a landmark. A dead end is entered only if the goal lies in it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Bools, Floats, Ints


TOLERANCE = 1e-9  # m, by which a clearance may be below the radius
REACHED, SETTLED = range(2)  # columns of GraphWorkspace.seen


class PlaceOnEdge(NamedTuple):
    """Start or goal of a search: a place on an edge of the graph."""

    edge: int
    to_first: float  # cost along the edge to its first vertex
    to_last: float  # cost along the edge to its last vertex
    first_is_open: bool  # whether the edge is wide enough up to its first vertex
    last_is_open: bool


class GraphWorkspace(NamedTuple):
    """Scratch memory and result of `find_path`. Threads must not share it."""

    cost: Floats  # (nv,) of the shortest path to a vertex
    arrival: NDArray[np.int32]  # (nv,) half-edge by which it arrives
    from_start: Bools  # (nv,) whether that is the edge of the start
    seen: Ints  # (nv, 2) last query that reached, and that settled, a vertex
    marks: Ints  # (ne,) last query whose goal lies in this dead end
    keys: Floats  # (2 ne + 2,) heap: lower bounds
    queue: NDArray[np.int32]  # (2 ne + 2,) heap: vertices
    halves: NDArray[np.int32]  # (2 ne + 2,) half-edges of the path
    landmarks: Floats  # (nv, k) distance of each vertex from each landmark; k = 0: no landmarks
    goal_landmarks: Floats  # (k,) distance of the goal from each landmark
    query: Ints  # (1,) number of the query


def make_graph_workspace(n_vertices: int, n_edges: int, landmarks: Floats) -> GraphWorkspace:
    """Allocate scratch memory; `landmarks` (nv, k).

    A vertex is settled once and then adds at most one heap entry for each half-edge that leaves it;
    each end of the start's edge adds one: the heap never holds more than 2 ne + 2 entries.
    """
    return GraphWorkspace(
        cost=np.empty(n_vertices),
        arrival=np.empty(n_vertices, np.int32),
        from_start=np.empty(n_vertices, np.bool_),
        seen=np.zeros((n_vertices, 2), np.int64),
        marks=np.zeros(n_edges, np.int64),
        keys=np.empty(2 * n_edges + 2),
        queue=np.empty(2 * n_edges + 2, np.int32),
        halves=np.empty(2 * n_edges + 2, np.int32),
        landmarks=landmarks,
        goal_landmarks=np.empty(landmarks.shape[1]),
        query=np.zeros(1, np.int64),
    )


@inner
def mark_dead_ends(edge, vertex, query, graph, marks):
    """Mark the dead ends between a place and the core: no other dead end leads to it.

    The place is on an edge, or at a vertex if `edge` is -1.
    """
    if edge >= 0:
        if graph.is_core[edge]:
            return
        marks[edge] = query
    for end in range(2):
        v = graph.edges[edge, end] if edge >= 0 else vertex
        while graph.up[v] >= 0 and marks[graph.up[v] // 2] != query:
            half = graph.up[v]
            marks[half // 2] = query
            v = graph.edges[half // 2, 1 - half % 2]


@inner
def _lower_bound(v, target, vertices, workspace):
    """Lower bound on the length from a vertex to the goal, which has the coordinates `target`."""
    squared = 0.0
    for c in range(len(target)):
        d = vertices[v, c] - target[c]
        squared += d * d
    bound = math.sqrt(squared)
    for k in range(len(workspace.goal_landmarks)):
        bound = max(bound, abs(workspace.landmarks[v, k] - workspace.goal_landmarks[k]))
    return bound


@inner
def _reach(v, cost, half, is_first, size, target, vertices, workspace):
    """Record a path to a vertex if it is the shortest so far; return the size of the heap."""
    query, seen = workspace.query[0], workspace.seen
    if seen[v, SETTLED] == query or (seen[v, REACHED] == query and workspace.cost[v] <= cost):
        return size
    seen[v, REACHED], workspace.cost[v] = query, cost
    workspace.arrival[v], workspace.from_start[v] = half, is_first
    bound = cost + _lower_bound(v, target, vertices, workspace)
    return push(bound, v, size, workspace.keys, workspace.queue)


@inner
def _read_back(last, edges, workspace):
    """Write the half-edges of the path that ends with `last`, from the start; return how many."""
    halves = workspace.halves
    halves[0] = last
    count, v = 1, edges[last // 2, last % 2]
    while True:
        half = workspace.arrival[v]
        halves[count] = half
        count += 1
        if workspace.from_start[v]:
            break
        v = edges[half // 2, half % 2]
    for k in range(count // 2):
        halves[k], halves[count - 1 - k] = halves[count - 1 - k], halves[k]
    return count


@inner
def find_path(start, goal, target, direct, radius, graph, vertices, workspace):
    """Write the half-edges of the shortest path between two places to workspace.halves.

    `start` and `goal` are PlaceOnEdge, `target` is the tuple of the goal's coordinates. `direct` is
    the cost between them if they are on the same edge and it is wide enough, else infinite.
    `graph.length` (ne,) are costs, `vertices` (nv, d) coordinates.

    Returns the number of half-edges; 0 if the direct path is the shortest, -1 if there is none.
    """
    edges, keys, queue, seen = graph.edges, workspace.keys, workspace.queue, workspace.seen
    assert len(keys) >= len(graph.out) + 2
    workspace.query[0] += 1
    query, size, best, last = workspace.query[0], 0, direct, -1
    mark_dead_ends(goal.edge, -1, query, graph, workspace.marks)
    for k in range(len(workspace.goal_landmarks)):
        workspace.goal_landmarks[k] = min(
            workspace.landmarks[edges[goal.edge, 0], k] + goal.to_first,
            workspace.landmarks[edges[goal.edge, 1], k] + goal.to_last,
        )
    if start.first_is_open:
        half, v = 2 * start.edge + 1, edges[start.edge, 0]
        size = _reach(v, start.to_first, half, True, size, target, vertices, workspace)
    if start.last_is_open:
        half, v = 2 * start.edge, edges[start.edge, 1]
        size = _reach(v, start.to_last, half, True, size, target, vertices, workspace)
    from_first = goal.to_first if goal.first_is_open else math.inf
    from_last = goal.to_last if goal.last_is_open else math.inf
    while size > 0 and keys[0] < best:
        v = queue[0]
        size = pop(size, keys, queue)
        if seen[v, SETTLED] == query:
            continue
        seen[v, SETTLED] = query
        cost = workspace.cost[v]
        if v == edges[goal.edge, 0] and cost + from_first < best:
            best, last = cost + from_first, 2 * goal.edge
        if v == edges[goal.edge, 1] and cost + from_last < best:
            best, last = cost + from_last, 2 * goal.edge + 1
        back = -1 if workspace.from_start[v] else workspace.arrival[v] ^ 1
        for slot in range(graph.offsets[v], graph.offsets[v + 1]):
            half = graph.out[slot]
            if half == back:
                continue  # it leads to a vertex that is settled
            edge = half // 2
            if graph.clearance[edge] < radius - TOLERANCE or edge == goal.edge:
                continue
            if graph.is_core[edge] or half == graph.up[v] or workspace.marks[edge] == query:
                w, there = edges[edge, 1 - half % 2], cost + graph.length[edge]
                size = _reach(w, there, half, False, size, target, vertices, workspace)
    if best == math.inf:
        return -1
    if last < 0:
        return 0
    return _read_back(last, edges, workspace)
