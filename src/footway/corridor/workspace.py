"""Scratch memory of the search: made once for a map, used by every query."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Index


class Workspace(NamedTuple):
    """Nodes, heap and marks of one search. Not to be shared between threads."""

    nf: NDArray[np.float64]  # (capacity, 8) nodes: see kernels/search
    ni: NDArray[np.int32]  # (capacity, 12)
    heap: NDArray[np.int32]  # (capacity,)
    turns: NDArray[np.float64]  # (2 ns, 4)
    marks: NDArray[np.int64]  # (ne,) query that may use this dead end
    count: NDArray[np.int64]  # type: ignore[assignment]  # (4,) hides tuple.count, unused
    chain: NDArray[np.int32]  # (capacity / 4, 2) corner and side
    legs: NDArray[np.float64]  # (capacity / 4 + 1, 6)
    edges: NDArray[np.int32]  # (2 ne + 2,) half-edges of the path


class BackboneWorkspace(NamedTuple):
    """Costs, queue and answer of one search along the axis. Not to be shared between threads."""

    cost: NDArray[np.float64]  # (nv,) length of the shortest way to a vertex, m
    arrival: NDArray[np.int32]  # (nv,) half-edge by which it comes: see kernels/half_edges
    seen: NDArray[np.int64]  # (nv, 2) query that reached, and that finished, a vertex
    marks: NDArray[np.int64]  # (ne,) query whose goal lies up this dead end
    keys: NDArray[np.float64]  # (2 ne + 2,) heap: lower bounds, m; see `heap_holds`
    queue: NDArray[np.int32]  # (2 ne + 2,) heap: vertices
    halves: NDArray[np.int32]  # (2 ne + 2,) half-edges of the way
    landmarks: NDArray[np.float64]  # (nv, k) length of the way from each landmark, at any radius
    goal: NDArray[np.float64]  # (k,) length of the way from each landmark to the goal, m
    query: NDArray[np.int64]  # (1,) number of the query


def make_ladder(index: Index, landmarks: NDArray[np.float64]) -> BackboneWorkspace:
    """Scratch memory for `kernels/backbone`."""
    vertices, edges = len(index.axis.vertices), len(index.axis.edges)
    return BackboneWorkspace(
        cost=np.empty(vertices),
        arrival=np.empty(vertices, np.int32),
        seen=np.zeros((vertices, 2), np.int64),
        marks=np.zeros(edges, np.int64),
        keys=np.empty(2 * edges + 2),
        queue=np.empty(2 * edges + 2, np.int32),
        halves=np.empty(2 * edges + 2, np.int32),
        landmarks=landmarks,
        goal=np.empty(landmarks.shape[1]),
        query=np.zeros(1, np.int64),
    )


def make_workspace(index: Index, *, capacity: int = 1 << 14) -> Workspace:
    """Workspace for searches of about `capacity` nodes."""
    corners, edges = 2 * len(index.axis.sites), len(index.axis.edges)
    # Along a half-edge a node sets free two others at each bead, at the most.
    step = 4 * int(np.diff(index.string.offsets).max()) + 2 * int(
        np.diff(index.graph.offsets).max()
    )
    capacity = max(capacity, 4 * step)
    return Workspace(
        nf=np.empty((capacity, 8)),
        ni=np.empty((capacity, 12), np.int32),
        heap=np.empty(capacity, np.int32),
        turns=np.zeros((corners, 4)),
        marks=np.zeros(edges, np.int64),
        count=np.array([0, 0, 0, step + 64]),
        chain=np.empty((capacity // 4, 2), np.int32),
        legs=np.empty((capacity // 4 + 1, 6)),
        edges=np.empty(2 * edges + 2, np.int32),
    )
