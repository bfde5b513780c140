"""A roadmap in the making: straight edges that are split, joined and dropped one by one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import dist
from footway._numba.segments import closest_points
from footway.roadmap.kernels.clearance import line_clearances
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
"""m. Room that may be missing: the last bits of a distance do not matter."""


STRIDE = 1.9
"""Radii that the end of an edge moves at a time: an edge before and after such a step are less than
a disc apart everywhere, so an obstacle between them would be too close to one of the two."""


class Edge(NamedTuple):
    """What is known of an edge."""

    room: float  # m, its distance to the walls
    is_passage: bool  # it leads through a passage: it is not dropped for being of little use


class Draft:
    """Vertices and straight edges with their room: their distance to the nearest wall.

    Edges keep `wish` metres of room where they have it. A change is made only where every new edge
    keeps what the edges that it replaces had, up to the wish.
    """

    def __init__(self, walls: Space, *, radius: float, wish: float) -> None:
        """Nothing yet. `walls` is a space of radius 0."""
        self.walls = walls
        self.radius = radius
        self.wish = wish
        self.at: list[Point] = []
        self.edges_of: list[dict[int, Edge]] = []

    def add_vertices(self, points: Floats) -> Ints:
        """Numbers of new vertices at points (n, 2) m."""
        first = len(self.at)
        self.at += [(x, y) for x, y in points.tolist()]
        self.edges_of += [{} for _ in range(len(points))]
        return np.arange(first, len(self.at))

    def add_edges(self, edges: Ints, *, is_passage: bool) -> None:
        """Join vertices (m, 2); their room is measured."""
        places = self.places
        rooms = clearance_along(places[edges[:, 0]], places[edges[:, 1]], self.walls)
        for (a, b), room in zip(edges.tolist(), rooms.tolist(), strict=True):
            self.join(a, b, Edge(room, is_passage))

    @property
    def places(self) -> Floats:
        """(n, 2) m, where the vertices are."""
        return np.array(self.at, np.float64).reshape(-1, 2)

    @property
    def edges(self) -> Ints:
        """(m, 2) vertices a < b that edges join, sorted."""
        pairs = [(a, b) for a, row in enumerate(self.edges_of) for b in row if a < b]
        return np.array(sorted(pairs), np.int64).reshape(-1, 2)

    def degree(self, vertex: int) -> int:
        """How many edges a vertex has."""
        return len(self.edges_of[vertex])

    def join(self, a: int, b: int, edge: Edge) -> None:
        """Put an edge in; one that is there already stays a passage if it was one."""
        if a == b:
            return
        known = self.edges_of[a].get(b)
        merged = Edge(edge.room, edge.is_passage or (known is not None and known.is_passage))
        self.edges_of[a][b] = self.edges_of[b][a] = merged

    def drop(self, a: int, b: int) -> Edge:
        """Take an edge out."""
        del self.edges_of[b][a]
        return self.edges_of[a].pop(b)

    def floor(self, *edges: Edge) -> float:
        """Room that has to be kept when these edges are replaced, m."""
        return min(self.wish, *(edge.room for edge in edges)) - SLACK

    def rooms(self, lines: Sequence[tuple[Point, Point]]) -> Floats:
        """Room along straight lines between points, (n,) m."""
        ends = np.array(lines, np.float64).reshape(-1, 2, 2)
        placed = np.zeros((2, len(ends), 3))
        placed[:, :, :2] = ends.transpose(1, 0, 2)
        out = np.empty(len(ends))
        line_clearances(placed[0], placed[1], self.walls, np.empty((64, 4)), out)
        return out

    def move_vertices(self, places: Floats) -> None:
        """Put all vertices elsewhere, (n, 2) m, and measure their edges; nothing is checked."""
        self.at = [(x, y) for x, y in places.tolist()]
        edges = self.edges
        rooms = clearance_along(places[edges[:, 0]], places[edges[:, 1]], self.walls)
        for (a, b), room in zip(edges.tolist(), rooms.tolist(), strict=True):
            self.join(a, b, Edge(room, self.edges_of[a][b].is_passage))

    def insert(self, vertex: int, a: int, b: int) -> bool:
        """Lead edge a-b over a vertex, if both halves keep its room."""
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
        """Join the two neighbours of a vertex directly, if that keeps the room of both edges.

        The new edge is at most `most` metres from the vertex.
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
        room = min(half.room for half in halves.values())
        self.join(a, b, Edge(room, any(half.is_passage for half in halves.values())))
        return True

    def unite(self, gone: int, vertex: int) -> bool:
        """Give all edges of one vertex to another, if they keep their room."""
        here, there = self.at[gone], self.at[vertex]
        others = {b: edge for b, edge in self.edges_of[gone].items() if b != vertex}
        is_free = vertex in self.edges_of[gone] or self.rooms([(here, there)])[0] >= self.radius
        moved = self._swept(here, there, others) if is_free else None
        if moved is None:
            return False
        for b in list(self.edges_of[gone]):
            self.drop(gone, b)
        for b, edge in moved.items():
            self.join(vertex, b, edge)
        return True

    def _swept(self, start: Point, goal: Point, edges: dict[int, Edge]) -> dict[int, Edge] | None:
        """Edges to these vertices when their common end goes from start to goal; None if it cannot.

        At the goal they must keep their room, up to the wish, and on the way there the radius, in
        steps of less than a disc: so no obstacle is between an edge before and after. A tiny disc
        would take too many steps across a hall: then it cannot either.
        """
        steps = max(1, math.ceil(dist(start, goal) / (STRIDE * self.radius)))
        if steps > MOST_STRIDES:
            return None
        shares = [step / steps for step in range(1, steps + 1)]
        (x0, y0), (x1, y1) = start, goal
        stops = [(x0 + share * (x1 - x0), y0 + share * (y1 - y0)) for share in shares[:-1]]
        rooms = self.rooms([(at, self.at[b]) for at in (*stops, goal) for b in edges])
        rooms = rooms.reshape(steps, len(edges))
        floors = [self.floor(edge) for edge in edges.values()]
        if (rooms < self.radius - SLACK).any() or (rooms[-1] < floors).any():
            return None
        return {
            b: Edge(room, edge.is_passage)
            for (b, edge), room in zip(edges.items(), rooms[-1].tolist(), strict=True)
        }

    def compacted(self, keep: Sequence[int]) -> tuple[Floats, Ints]:
        """Vertices (n, 2) that have edges, or that are to be kept without, and edges (m, 2)."""
        edges = self.edges
        used, ends = np.unique([*edges.ravel().tolist(), *keep], return_inverse=True)
        return self.places[used.astype(np.int64)], ends[: edges.size].reshape(-1, 2)


def _foot(point: Point, a: Point, b: Point) -> Point:
    """Point of the line from a to b that is nearest to a point."""
    ((x, y),) = closest_points(np.array([point]), np.array([(*a, *b)])).tolist()
    return x, y
