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
