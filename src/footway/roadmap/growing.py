"""New vertices and edges for a roadmap in the making."""

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


def put_in_samples(draft: Draft, points: Floats, room: Floats) -> None:
    """Make vertices of samples (n, 2) m on the Voronoi diagram, which have `room` (n,) m.

    A sample whose free disc reaches an edge stands for the place of that edge that is nearest,
    unless a vertex is within a radius of it.
    """
    places, edges = draft.places, draft.edges
    edge, away = np.empty(len(points), np.int64), np.empty(len(points))
    nearest_edges(points, places, edges, edge, away)
    reaches = away < room
    draft.add_vertices(points[~reaches])
    _split_edges(draft, points[reaches], edges[edge[reaches]])


def _split_edges(draft: Draft, points: Floats, edges: Ints) -> None:
    """Put a vertex into edge k (n, 2) at the place that is nearest to point k (n, 2) m."""
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
    walks = [[a, *(next(new) for _ in chosen), b] for (a, b), chosen in chains.items()]
    for a, b in chains:
        draft.drop(a, b)
    draft.add_edges(_steps(walks), is_passage=True)


def put_in_chains(draft: Draft, edges: Ints, chains: list[Floats]) -> None:
    """Put in edges (m, 2) as chains of points (k, 2) m from end to end; none for an empty one."""
    inner = np.concatenate([np.empty((0, 2)), *(chain[1:-1] for chain in chains)])
    new = iter(draft.add_vertices(inner).tolist())
    walks = [
        [a, *(next(new) for _ in chain[1:-1]), b]
        for (a, b), chain in zip(edges.tolist(), chains, strict=True)
        if len(chain)
    ]
    draft.add_edges(_steps(walks), is_passage=False)


def _steps(walks: list[list[int]]) -> Ints:
    """Edges (m, 2) from each vertex of a walk to the next."""
    pairs = [pair for walk in walks for pair in itertools.pairwise(walk)]
    return np.array(pairs, np.int64).reshape(-1, 2)
