"""A roadmap under construction: straight edges that are split, joined and dropped one by one."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import dist, hypot
from footway._numba.segments import closest_points
from footway.roadmap.kernels.clearance import line_clearances
from footway.roadmap.kernels.prm import nearest_edges
from footway.roadmap.kernels.straight import MOST_STRIDES
from footway.roadmap.roadmap import clearance_along

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Point = tuple[float, float]

SLACK = 1e-9
"""m. Clearance that may be missing, for rounding."""


STRIDE = 1.9
"""Radii that the end of an edge moves per step. The edge before and after a step are less than a
disc diameter apart everywhere, so an obstacle between them would be too close to one of them."""


class Edge(NamedTuple):
    """Properties of an edge."""

    clearance: float  # m, distance to the walls
    is_passage: bool  # whether it leads through a passage; such an edge is never dropped as useless


class Draft:
    """Vertices and straight edges with their clearance (distance to the nearest wall).

    A change is made only if every new edge keeps the clearance of the edges that it replaces; more
    than the `desired` clearance need not be kept.
    """

    def __init__(self, walls: Space, *, radius: float, desired: float) -> None:
        """Create an empty draft. `walls` is a space of radius 0."""
        self.walls = walls
        self.radius = radius
        self.desired = desired
        self.at: list[Point] = []
        self.edges_of: list[dict[int, Edge]] = []

    def add_vertices(self, points: Floats) -> Ints:
        """Add vertices at points (n, 2) m and return their numbers."""
        first = len(self.at)
        self.at += [(x, y) for x, y in points.tolist()]
        self.edges_of += [{} for _ in range(len(points))]
        return np.arange(first, len(self.at))

    def add_edges(self, edges: Ints, *, is_passage: bool) -> None:
        """Join pairs of vertices (m, 2) and measure the clearance of the new edges."""
        places = self.places
        clearances = clearance_along(places[edges[:, 0]], places[edges[:, 1]], self.walls)
        for (a, b), clearance in zip(edges.tolist(), clearances.tolist(), strict=True):
            self.join(a, b, Edge(clearance, is_passage))

    @property
    def places(self) -> Floats:
        """(n, 2) m. Positions of the vertices."""
        return np.array(self.at, np.float64).reshape(-1, 2)

    @property
    def edges(self) -> Ints:
        """(m, 2) End vertices a < b of all edges, sorted."""
        pairs = [(a, b) for a, row in enumerate(self.edges_of) for b in row if a < b]
        return np.array(sorted(pairs), np.int64).reshape(-1, 2)

    def degree(self, vertex: int) -> int:
        """Return the number of edges of a vertex."""
        return len(self.edges_of[vertex])

    def join(self, a: int, b: int, edge: Edge) -> None:
        """Add or replace an edge; a passage stays a passage."""
        if a == b:
            return
        known = self.edges_of[a].get(b)
        merged = Edge(edge.clearance, edge.is_passage or (known is not None and known.is_passage))
        self.edges_of[a][b] = self.edges_of[b][a] = merged

    def drop(self, a: int, b: int) -> Edge:
        """Remove an edge and return it."""
        del self.edges_of[b][a]
        return self.edges_of[a].pop(b)

    def floor(self, *edges: Edge) -> float:
        """Return the clearance (m) that must be kept when these edges are replaced."""
        return min(self.desired, *(edge.clearance for edge in edges)) - SLACK

    def clearances(self, lines: Sequence[tuple[Point, Point]]) -> Floats:
        """Return the clearance along straight lines between points, (n,) m."""
        ends = np.array(lines, np.float64).reshape(-1, 2, 2)
        placed = np.zeros((2, len(ends), 3))
        placed[:, :, :2] = ends.transpose(1, 0, 2)
        out = np.empty(len(ends))
        line_clearances(placed[0], placed[1], self.walls, np.empty((64, 4)), out)
        return out

    def move_vertices(self, places: Floats) -> None:
        """Move all vertices to places (n, 2) m and measure their edges; nothing is checked."""
        self.at = [(x, y) for x, y in places.tolist()]
        edges = self.edges
        clearances = clearance_along(places[edges[:, 0]], places[edges[:, 1]], self.walls)
        for (a, b), clearance in zip(edges.tolist(), clearances.tolist(), strict=True):
            self.join(a, b, Edge(clearance, self.edges_of[a][b].is_passage))

    def insert(self, vertex: int, a: int, b: int) -> bool:
        """Split edge a-b at a vertex, if both halves keep its clearance; return if it was done."""
        edge, here = self.edges_of[a][b], self.at[vertex]
        ends = {end: edge for end in (a, b) if end != vertex}
        halves = self._swept(_foot(here, self.at[a], self.at[b]), here, ends)
        if halves is None:
            return False
        self.drop(a, b)
        for end, half in halves.items():
            self.join(vertex, end, half)
        return True

    def bypass(self, vertex: int, most: float) -> bool:
        """Replace the two edges of a vertex by one between its neighbours, if clearance is kept.

        The new edge is at most `most` metres from the vertex. Returns whether it was done.
        """
        a, b = self.edges_of[vertex]
        here = self.at[vertex]
        foot = _foot(here, self.at[a], self.at[b])
        if b in self.edges_of[a] or dist(here, foot) > most:
            return False
        halves = self._swept(here, foot, self.edges_of[vertex])
        if halves is None:
            return False
        self.drop(vertex, a)
        self.drop(vertex, b)
        clearance = min(half.clearance for half in halves.values())
        self.join(a, b, Edge(clearance, any(half.is_passage for half in halves.values())))
        return True

    def unite(self, gone: int, vertex: int) -> bool:
        """Move all edges of one vertex to another, if they keep their clearance."""
        here, there = self.at[gone], self.at[vertex]
        others = {b: edge for b, edge in self.edges_of[gone].items() if b != vertex}
        is_free = (
            vertex in self.edges_of[gone] or self.clearances([(here, there)])[0] >= self.radius
        )
        moved = self._swept(here, there, others) if is_free else None
        if moved is None:
            return False
        for b in list(self.edges_of[gone]):
            self.drop(gone, b)
        for b, edge in moved.items():
            self.join(vertex, b, edge)
        return True

    def _swept(self, start: Point, goal: Point, edges: dict[int, Edge]) -> dict[int, Edge] | None:
        """Return the edges after their common end moves from start to goal; None if it cannot.

        At the goal they must keep their clearance, up to the desired one, and at every step before
        it the radius. Steps are shorter than a disc diameter, so no obstacle lies between
        an edge before and after. If a tiny disc would need too many steps, the move is refused.
        """
        steps = max(1, math.ceil(dist(start, goal) / (STRIDE * self.radius)))
        if steps > MOST_STRIDES:
            return None
        shares = [step / steps for step in range(1, steps + 1)]
        (x0, y0), (x1, y1) = start, goal
        stops = [(x0 + share * (x1 - x0), y0 + share * (y1 - y0)) for share in shares[:-1]]
        clearances = self.clearances([(at, self.at[b]) for at in (*stops, goal) for b in edges])
        clearances = clearances.reshape(steps, len(edges))
        floors = [self.floor(edge) for edge in edges.values()]
        if (clearances < self.radius - SLACK).any() or (clearances[-1] < floors).any():
            return None
        return {
            b: Edge(clearance, edge.is_passage)
            for (b, edge), clearance in zip(edges.items(), clearances[-1].tolist(), strict=True)
        }

    def compacted(self, keep: Sequence[int]) -> tuple[Floats, Ints]:
        """Return the vertices (n, 2) that have edges or are listed in `keep`, and edges (m, 2)."""
        edges = self.edges
        used, ends = np.unique([*edges.ravel().tolist(), *keep], return_inverse=True)
        return self.places[used.astype(np.int64)], ends[: edges.size].reshape(-1, 2)


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


def _foot(point: Point, a: Point, b: Point) -> Point:
    """Return the point of segment a-b nearest to a point."""
    ((x, y),) = closest_points(np.array([point]), np.array([(*a, *b)])).tolist()
    return x, y
