"""A roadmap under construction: straight edges that are split, joined, dropped and straightened.

voronoi-roadmaps-2004, sections 2.2 and 2.3.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import dist, hypot
from footway._numba.segments import closest_points
from footway.roadmap.kernels.clearance import line_clearances
from footway.roadmap.kernels.prm import (
    MOST_STRIDES,
    close_pairs,
    crossing_pairs,
    nearest_edges,
    straighten,
)
from footway.roadmap.roadmap import clearance_along

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Floats, Ints
    from footway.roadmap.lattice.space import Space

    Point = tuple[float, float]

SLACK = 1e-9  # m. Clearance that may be missing, for rounding

STRIDE = 1.9
"""Radii that the end of an edge moves per step. The edge before and after a step are less than a
disc diameter apart everywhere, so an obstacle between them would be too close to one of them."""

MOST_ROUNDS = 8
"""Most rounds of joining, since joined edges can be close to others; no map needed more."""

CLOSE = 0.3
"""Anything within this share of a vertex's clearance, and at least the radius, is close to it. In
open space, two roads a step apart become one."""

OFF_VERTEX = 0.4
"""Largest distance of a new edge from the vertex that it bypasses, as a share of the clearance of
the vertex. It keeps roads in the middle of wide corridors."""

FARTHEST = 0.6
"""Largest single move of a junction that straightens a road, as a share of its clearance."""


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
        a, b = self.places[edges.T]
        clearances = clearance_along(a, b, self.walls).tolist()
        for (v, w), clearance in zip(edges.tolist(), clearances, strict=True):
            self.join(v, w, Edge(clearance, is_passage))

    def add_chains(self, chains: list[list[int]], *, is_passage: bool) -> None:
        """Join consecutive vertices of each chain."""
        pairs = [pair for chain in chains for pair in itertools.pairwise(chain)]
        self.add_edges(np.array(pairs, np.int64).reshape(-1, 2), is_passage=is_passage)

    @property
    def places(self) -> Floats:
        """(n, 2) m. Positions of the vertices."""
        return np.array(self.at, np.float64).reshape(-1, 2)

    @property
    def clearances(self) -> Floats:
        """(n,) m. Distance of the vertices to the walls."""
        return self.walls.clearance(self.places)[0] if self.at else np.empty(0)

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

    def floor(self, edge: Edge) -> float:
        """Return the clearance (m) that must be kept when an edge is replaced."""
        return min(self.desired, edge.clearance) - SLACK

    def move_vertices(self, places: Floats) -> None:
        """Move all vertices to places (n, 2) m and measure their edges; nothing is checked."""
        self.at = [(x, y) for x, y in places.tolist()]
        self.add_edges(self.edges, is_passage=False)  # a passage stays a passage

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
        is_free = vertex in self.edges_of[gone] or self._measure([(here, there)])[0] >= self.radius
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
        (x0, y0), (x1, y1) = start, goal
        shares = [step / steps for step in range(1, steps)]
        stops = [(x0 + share * (x1 - x0), y0 + share * (y1 - y0)) for share in shares]
        clearances = self._measure([(at, self.at[b]) for at in (*stops, goal) for b in edges])
        clearances = clearances.reshape(steps, len(edges))
        floors = [self.floor(edge) for edge in edges.values()]
        if (clearances < self.radius - SLACK).any() or (clearances[-1] < floors).any():
            return None
        return {
            b: Edge(clearance, edge.is_passage)
            for (b, edge), clearance in zip(edges.items(), clearances[-1].tolist(), strict=True)
        }

    def _measure(self, lines: Sequence[tuple[Point, Point]]) -> Floats:
        """Return the clearance along straight lines between points, (n,) m; fast for a few."""
        ends = np.array(lines, np.float64).reshape(-1, 2, 2)
        placed = np.zeros((2, len(ends), 3))
        placed[:, :, :2] = ends.transpose(1, 0, 2)
        out = np.empty(len(ends))
        line_clearances(placed[0], placed[1], self.walls, np.empty((64, 4)), out)
        return out

    def compacted(self, keep: Sequence[int]) -> tuple[Floats, Ints]:
        """Return the vertices (n, 2) that have edges or are listed in `keep`, and edges (m, 2)."""
        edges = self.edges
        used, ends = np.unique([*edges.ravel().tolist(), *keep], return_inverse=True)
        return self.places[used.astype(np.int64)], ends[: edges.size].reshape(-1, 2)


def _foot(point: Point, a: Point, b: Point) -> Point:
    """Return the point of segment a-b nearest to a point."""
    ((x, y),) = closest_points(np.array([point]), np.array([(*a, *b)])).tolist()
    return x, y


def add_samples(draft: Draft, points: Floats, clearance: Floats) -> None:
    """Add vertices for samples (n, 2) m on the Voronoi diagram with `clearance` (n,) m.

    If the free disc of a sample reaches an edge, the edge is split at its point nearest to the
    sample instead, unless a vertex is within a radius of that point.
    """
    places, edges = draft.places, draft.edges
    nearest, away = np.empty(len(points), np.int64), np.empty(len(points))
    nearest_edges(points, places, edges, nearest, away)
    reaches = away < clearance
    draft.add_vertices(points[~reaches])
    edges = edges[nearest[reaches]]
    start, end = places[edges[:, 0]], places[edges[:, 1]]
    foot = closest_points(points[reaches], np.hstack([start, end]))
    along, length = hypot(*(foot - start).T), hypot(*(end - start).T)
    splits: dict[tuple[int, int], list[int]] = {}
    last = 0.0
    for k in np.lexsort((along, edges[:, 1], edges[:, 0])).tolist():
        a, b = edges[k].tolist()
        if (a, b) not in splits:
            splits[a, b], last = [], 0.0
        if along[k] - last >= draft.radius <= length[k] - along[k]:
            splits[a, b].append(k)
            last = along[k]
    rows = [row for chosen in splits.values() for row in chosen]
    new = iter(draft.add_vertices(foot[rows]).tolist())
    chains = [[a, *(next(new) for _ in chosen), b] for (a, b), chosen in splits.items()]
    for a, b in splits:
        draft.drop(a, b)
    draft.add_chains(chains, is_passage=True)


# -- overlaps (section 2.2 and figure 6) ---------------------------------------------------------
# Three operations cover the four cases of the figure: an edge is split at a vertex close to it, two
# close vertices are united, and two edges between the same vertices become one. Each is done only
# if the edges keep their clearance.


def join_overlaps(draft: Draft) -> None:
    """Unite close vertices and split close edges until nothing changes."""
    tried: set[tuple[int, ...]] = set()
    for _ in range(MOST_ROUNDS):
        if not (unite_vertices(draft, tried) + split_edges(draft, tried)):
            return


def unite_vertices(draft: Draft, tried: set[tuple[int, ...]]) -> int:
    """Unite close vertices and return how many were united. Pairs in `tried` are skipped."""
    from scipy.spatial import cKDTree

    places, close = draft.places, closeness(draft)
    alive = np.array([v for v in range(len(places)) if draft.degree(v) > 0], np.int64)
    if len(alive) == 0:
        return 0
    pairs = alive[cKDTree(places[alive]).query_pairs(close.max(), output_type="ndarray")]
    apart = hypot(*(places[pairs[:, 0]] - places[pairs[:, 1]]).T)
    near = apart <= close[pairs].min(axis=1)
    pairs, apart = pairs[near], apart[near]
    count = 0
    for a, b in pairs[np.lexsort((pairs[:, 1], pairs[:, 0], apart))].tolist():
        if draft.degree(a) and draft.degree(b) and (a, b) not in tried:
            gone, kept = (a, b) if draft.degree(a) < draft.degree(b) else (b, a)
            count += draft.unite(gone, kept) or draft.unite(kept, gone)
            tried.add((a, b))
    return count


def split_edges(draft: Draft, tried: set[tuple[int, ...]]) -> int:
    """Split edges at vertices close to them and return how many were split."""
    places, edges, close = draft.places, draft.edges, closeness(draft)
    pairs = close_pairs(places, edges, close)
    vertex, (a, b) = pairs[:, 0], edges[pairs[:, 1]].T
    foot = closest_points(places[vertex], np.hstack([places[a], places[b]]))
    away = hypot(*(places[vertex] - foot).T)
    inside = np.minimum(hypot(*(foot - places[a]).T), hypot(*(foot - places[b]).T)) > 0.0
    count = 0
    for k in np.lexsort((pairs[:, 1], vertex, away)).tolist():
        v, p, q = int(vertex[k]), int(a[k]), int(b[k])
        if inside[k] and draft.degree(v) and q in draft.edges_of[p] and (v, p, q) not in tried:
            count += draft.insert(v, p, q)
            tried.add((v, p, q))
    return count


def join_crossings(draft: Draft) -> None:
    """Add a vertex wherever a sampled edge crosses another edge."""
    for _ in range(MOST_ROUNDS):
        places, edges = draft.places, draft.edges
        is_new = np.array([not draft.edges_of[a][b].is_passage for a, b in edges.tolist()], bool)
        pairs = edges[crossing_pairs(places, edges, is_new)]
        if not len(pairs):
            return
        for (a, b), (c, d) in pairs.tolist():
            if b in draft.edges_of[a] and d in draft.edges_of[c]:
                (new,) = draft.add_vertices(_crossing(*places[[a, b, c, d]])[None]).tolist()
                draft.insert(new, a, b)
                draft.insert(new, c, d)


def _crossing(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Return the intersection of the lines a-b and c-d."""
    along, other = b - a, d - c
    across = along[0] * other[1] - along[1] * other[0]
    share = ((c - a)[0] * other[1] - (c - a)[1] * other[0]) / across
    place: Floats = a + share * along
    return place


def closeness(draft: Draft) -> Floats:
    """Return the distance (n,) m within which anything counts as close to each vertex."""
    return np.maximum(draft.radius, CLOSE * draft.clearances)


# -- simplification (section 2.3) ----------------------------------------------------------------


def drop_dead_ends(draft: Draft, steep: float, *, all_of_them: bool) -> list[int]:
    """Drop sampled dead ends that run into corners or are stubs, or all sampled dead ends.

    A dead end runs into a corner if clearance grows by more than `steep` for each metre away from
    its end. A stub lies in the free disc around the vertex at which it starts. Passages are kept.
    Returns the vertices that have become the only vertex of their component.
    """
    clearance = draft.clearances.tolist()
    queue = [v for v in range(len(draft.at)) if draft.degree(v) == 1]
    last: list[int] = []
    while queue:
        end = queue.pop()
        if draft.degree(end) != 1:
            continue
        ((base, edge),) = draft.edges_of[end].items()
        if draft.degree(base) == 1 and clearance[base] < clearance[end]:
            end, base = base, end
        apart = dist(draft.at[end], draft.at[base])
        is_corner = clearance[base] - clearance[end] > steep * apart
        if not edge.is_passage and (all_of_them or is_corner or apart < clearance[base]):
            draft.drop(end, base)
            (queue if draft.degree(base) else last).append(base)
    return last


def drop_useless_chains(draft: Draft, usefulness: float) -> None:
    """Drop sampled chains of edges that are no longer useful after joining, longest first.

    A chain is useful if every other path between its ends is more than `usefulness` times longer.
    """
    for chain in sorted(_sampled_chains(draft), key=lambda chain: -_length(draft, chain)):
        dropped = [draft.drop(a, b) for a, b in itertools.pairwise(chain)]
        limit = usefulness * _length(draft, chain)
        if chain[0] == chain[-1] or not _is_within(draft, chain[0], chain[-1], limit):
            for (a, b), edge in zip(itertools.pairwise(chain), dropped, strict=True):
                draft.join(a, b, edge)


def _sampled_chains(draft: Draft) -> list[list[int]]:
    """Return the vertices of each maximal chain of sampled edges; inner vertices have degree 2."""
    seen: set[tuple[int, int]] = set()
    chains = []
    for start in range(len(draft.at)):
        if draft.degree(start) == 2:
            continue
        for after, edge in draft.edges_of[start].items():
            if edge.is_passage or (start, after) in seen:
                continue
            chain = [start, after]
            while draft.degree(chain[-1]) == 2:
                one, other = draft.edges_of[chain[-1]]
                chain.append(other if one == chain[-2] else one)
            if not any(draft.edges_of[a][b].is_passage for a, b in itertools.pairwise(chain)):
                chains.append(chain)
            seen.add((chain[-1], chain[-2]))
    return chains


def _length(draft: Draft, chain: list[int]) -> float:
    return sum(dist(draft.at[a], draft.at[b]) for a, b in itertools.pairwise(chain))


def _is_within(draft: Draft, start: int, goal: int, limit: float) -> bool:
    """Return whether a path between two vertices is no longer than the limit (m)."""
    best, queue = {start: 0.0}, [(0.0, start)]
    while queue:
        key, v = heapq.heappop(queue)
        if v == goal:
            return True
        for w in draft.edges_of[v] if key <= best[v] else ():
            length = key + dist(draft.at[v], draft.at[w])
            straight = dist(draft.at[w], draft.at[goal])
            if length < best.get(w, math.inf) and length + straight <= limit:
                best[w] = length
                heapq.heappush(queue, (length, w))
    return False


def improve(draft: Draft) -> None:
    """Bypass vertices and straighten roads, twice, since each enables more of the other."""
    for _ in range(2):
        bypass_vertices(draft)
        straighten_roads(draft)
    bypass_vertices(draft)


def bypass_vertices(draft: Draft) -> None:
    """Remove vertices of degree 2 if one straight edge keeps the clearance of both edges.

    The straightest come first: with the largest distance between their neighbours, as a share of
    the path length over the vertex.
    """

    def straightness(vertex: int) -> float:
        a, b = (draft.at[n] for n in draft.edges_of[vertex])
        length = dist(a, draft.at[vertex]) + dist(draft.at[vertex], b)
        return dist(a, b) / length if length > 0.0 else 1.0

    clearance = draft.clearances.tolist()
    queue = [v for v in range(len(draft.at)) if draft.degree(v) == 2]
    for v in sorted(queue, key=lambda v: -straightness(v)):
        if draft.degree(v) == 2:
            draft.bypass(v, OFF_VERTEX * clearance[v])


def straighten_roads(draft: Draft) -> None:
    """Move junctions so that roads pass them straight, if all edges keep their clearance."""
    edges = draft.edges
    if not len(edges):
        return
    halves = np.concatenate([edges, edges[:, ::-1]])
    halves = halves[np.lexsort((halves[:, 1], halves[:, 0]))]
    offsets = np.searchsorted(halves[:, 0], np.arange(len(draft.at) + 1))
    floor = np.array([draft.floor(draft.edges_of[a][b]) for a, b in halves.tolist()])
    places = draft.places
    straighten(
        places, offsets, np.ascontiguousarray(halves[:, 1]), floor, draft.radius - SLACK,
        STRIDE * draft.radius, FARTHEST, draft.walls,
    )  # fmt: skip
    draft.move_vertices(places)
