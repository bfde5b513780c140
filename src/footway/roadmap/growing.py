"""Add samples and retracted edges to a draft roadmap."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points
from footway.roadmap.kernels.prm import nearest_edges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap.draft import Draft

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def add_samples(draft: Draft, points: Floats, clearance: Floats) -> None:
    """Add vertices for samples (n, 2) m on the Voronoi diagram with `clearance` (n,) m.

    If the free disc of a sample reaches an edge, the edge is split at its point nearest to the
    sample instead, unless a vertex is within a radius of that point.
    """
    places, edges = draft.places, draft.edges
    edge, away = np.empty(len(points), np.int64), np.empty(len(points))
    nearest_edges(points, places, edges, edge, away)
    reaches = away < clearance
    draft.add_vertices(points[~reaches])
    _split_edges(draft, points[reaches], edges[edge[reaches]])


def _split_edges(draft: Draft, points: Floats, edges: Ints) -> None:
    """Split edge k (n, 2) at its point nearest to point k (n, 2) m."""
    places = draft.places
    start, end = places[edges[:, 0]], places[edges[:, 1]]
    foot = closest_points(points, np.hstack([start, end]))
    along, length = hypot(*(foot - start).T), hypot(*(end - start).T)
    chains: dict[tuple[int, int], list[int]] = {}
    last = 0.0
    for k in np.lexsort((along, edges[:, 1], edges[:, 0])).tolist():
        a, b = edges[k].tolist()
        if (a, b) not in chains:
            chains[a, b], last = [], 0.0
        if along[k] - last >= draft.radius <= length[k] - along[k]:
            chains[a, b].append(k)
            last = along[k]
    rows = [row for chosen in chains.values() for row in chosen]
    new = iter(draft.add_vertices(foot[rows]).tolist())
    vertex_chains = [[a, *(next(new) for _ in chosen), b] for (a, b), chosen in chains.items()]
    for a, b in chains:
        draft.drop(a, b)
    draft.add_edges(_steps(vertex_chains), is_passage=True)


def add_chains(draft: Draft, edges: Ints, chains: list[Floats]) -> None:
    """Add edges (m, 2) as chains of points (k, 2) m from end to end; empty chains are skipped."""
    inner = np.concatenate([np.empty((0, 2)), *(chain[1:-1] for chain in chains)])
    new = iter(draft.add_vertices(inner).tolist())
    vertex_chains = [
        [a, *(next(new) for _ in chain[1:-1]), b]
        for (a, b), chain in zip(edges.tolist(), chains, strict=True)
        if len(chain)
    ]
    draft.add_edges(_steps(vertex_chains), is_passage=False)


def _steps(vertex_chains: list[list[int]]) -> Ints:
    """Return edges (m, 2) between consecutive vertices of each chain."""
    pairs = [pair for chain in vertex_chains for pair in itertools.pairwise(chain)]
    return np.array(pairs, np.int64).reshape(-1, 2)
