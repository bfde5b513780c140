"""Scratch memory of searches: allocated once per map and thread, reused by every query."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Index


class Workspace(NamedTuple):
    """Nodes, heap and marks of a search for a shortest path. Threads must not share it."""

    nf: NDArray[np.float64]  # (capacity, 8) nodes: see kernels/search
    ni: NDArray[np.int32]  # (capacity, 12)
    heap: NDArray[np.int32]  # (capacity,)
    turns: NDArray[np.float64]  # (2 ns, 4)
    marks: NDArray[np.int64]  # (ne,) last query that may enter this dead end
    count: NDArray[np.int64]  # type: ignore[assignment]  # (4,) hides tuple.count, unused
    chain: NDArray[np.int32]  # (capacity / 4, 2) corner and side
    legs: NDArray[np.float64]  # (capacity / 4 + 1, 6)
    edges: NDArray[np.int32]  # (2 ne + 2,) half-edges of the path


class BackboneWorkspace(NamedTuple):
    """Costs, queue and result of a search along the axis. Threads must not share it."""

    cost: NDArray[np.float64]  # (nv,) length of the shortest path to a vertex, m
    arrival: NDArray[np.int32]  # (nv,) half-edge by which it arrives: see kernels/half_edges
    seen: NDArray[np.int64]  # (nv, 2) last query that reached, and that settled, a vertex
    marks: NDArray[np.int64]  # (ne,) last query whose goal lies in this dead end
    keys: NDArray[np.float64]  # (2 ne + 2,) heap: lower bounds, m; see `heap_holds`
    queue: NDArray[np.int32]  # (2 ne + 2,) heap: vertices
    halves: NDArray[np.int32]  # (2 ne + 2,) half-edges of the path
    landmarks: NDArray[np.float64]  # (nv, k) distance from each landmark, whatever the radius, m
    goal: NDArray[np.float64]  # (k,) distance from each landmark to the goal, m
    query: NDArray[np.int64]  # (1,) number of the query


def make_backbone_workspace(index: Index, landmarks: NDArray[np.float64]) -> BackboneWorkspace:
    """Allocate the scratch memory of `kernels/backbone`."""
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
    """Allocate a workspace for searches of about `capacity` nodes."""
    corners, edges = 2 * len(index.axis.sites), len(index.axis.edges)
    # Along a half-edge a node creates at most two others at each bead.
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
