"""The true shortest path of a disc amid walls: a visibility graph of tangents and arcs.

The centre of the disc keeps the radius from all walls, so its shortest path is a chain of
straight tangents and arcs about wall vertices (see `corners`). All taut and clear tangents
between these circles are found by brute force, exactly: no circle becomes a polygon. A* over
their contacts then gives the optimum, up to the tolerance of 1e-9 m in clearance.

A radius of 0 is the limit of small radii: the graph is built for 1e-7 m, which keeps a point from
slipping between walls that touch, and lengths are then measured through the vertices themselves.
"""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

from tests.oracle import _tangent_kernels as kernels
from tests.oracle.clearance import clearance, wall_segments
from tests.oracle.corners import TOLERANCE, Runs, free_runs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tests.oracle.clearance import Geometries

POINT_RADIUS = 1e-7
"""m. Stands for a radius of 0."""

NUDGE = 20 * POINT_RADIUS
"""m. With radius 0 a point on a wall starts from this far beside it, on each side in turn."""


class Contact(NamedTuple):
    """Where a path touches a circle."""

    group: int
    angle: float


class ShortestOracle:
    """Shortest paths of one disc in one environment; built once, queried often.

    `polygon` is the walkable Polygon or MultiPolygon, `lines` are walls without thickness,
    `points` are point obstacles; all in metres.
    """

    def __init__(
        self,
        polygon: shapely.Geometry,
        radius: float,
        *,
        lines: Geometries = (),
        points: Geometries = (),
    ) -> None:
        self.radius = radius
        self._r = max(radius, POINT_RADIUS)
        self._polygon = polygon
        shapely.prepare(self._polygon)
        self.walls = wall_segments(polygon, lines=lines, points=points)
        self.runs = free_runs(polygon, self.walls, radius=self._r)
        self._grid = make_grid(self.walls, reach=self._r)
        groups, values = kernels.bitangents(*self._circles, self._r, self.walls, self._grid)
        self._graph = make_graph(self.runs, groups, values, radius=self._r)

    @property
    def tangents(self) -> int:
        """Number of tangents in the graph."""
        return int(np.count_nonzero(self._graph.partner >= 0)) // 2

    def fits(self, point: ArrayLike) -> bool:
        """Whether the centre of the disc can be at the point, to the tolerance of 1e-9 m."""
        return bool(self._standing_points(_pair(point)))

    def length(self, start: ArrayLike, goal: ArrayLike) -> float:
        """Length in metres of the shortest path; infinite where there is none."""
        return self._best(_pair(start), _pair(goal))[0]

    def path(self, start: ArrayLike, goal: ArrayLike, *, step: float = 0.03) -> NDArray[np.float64]:
        """Points (n, 2) of the shortest path, on arcs every `step` radians; (0, 2) for none.

        All points keep the radius; the chord between two of them dips below it by at most
        radius * (1 - cos(step / 2)).
        """
        begin, end = _pair(start), _pair(goal)
        length, contacts = self._best(begin, end)
        if math.isinf(length):
            return np.empty((0, 2))
        return np.array([begin, *self._sampled(contacts, step=step), end])

    @property
    def _circles(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        return self.runs.centres, self.runs.lowest, self.runs.width

    def _best(self, start: _Pair, goal: _Pair) -> tuple[float, list[Contact]]:
        best: tuple[float, list[Contact]] = (math.inf, [])
        for begin, end in product(self._standing_points(start), self._standing_points(goal)):
            length, contacts = self._search(begin, end)
            if length < best[0] and self.radius == 0:
                corners = [self.runs.centres[contact.group // 2] for contact in contacts]
                length = _polyline_length([start, *corners, goal])
            if length < best[0]:
                best = length, contacts
        return best

    def _standing_points(self, point: _Pair) -> list[_Pair]:
        """Places from which to search: the point, or its surroundings if it is on a wall."""
        if not self._polygon.intersects(shapely.Point(point)):
            return []
        gap = clearance(point, self.walls)[0]
        if gap >= self._r - TOLERANCE:
            return [point]
        if self.radius > 0:
            return []
        turns = np.arange(16) * math.tau / 16
        ring = point + NUDGE * np.column_stack([np.cos(turns), np.sin(turns)])
        roomy = clearance(ring, self.walls) >= self._r
        inside = shapely.intersects_xy(self._polygon, ring[:, 0], ring[:, 1])
        return [(float(x), float(y)) for x, y in ring[roomy & inside]]

    def _search(self, start: _Pair, goal: _Pair) -> tuple[float, list[Contact]]:
        scene = (self._r, self.walls, self._grid)
        if kernels.segment_clear(*start, *goal, *scene):
            return math.dist(start, goal), []
        leaving = kernels.point_tangents(*start, *self._circles, *scene)
        # A path that arrives is one that leaves, walked backwards: left turns become right turns.
        arriving = kernels.point_tangents(*goal, *self._circles, *scene)
        arriving = np.ascontiguousarray(arriving.reshape(-1, 2, 2)[:, ::-1]).reshape(-1, 2)
        self._to_progress(leaving)
        self._to_progress(arriving)
        length, last, group, before = kernels.search(
            self._graph, self._r, leaving, arriving, np.array(goal)
        )
        if math.isinf(length):
            return math.inf, []
        chain = [last]
        while chain[-1] >= 0:
            chain.append(int(before[chain[-1]]))
        contacts = [self._contact_of(contact) for contact in reversed(chain[:-1])]
        first = contacts[0].group if contacts else int(group)
        return float(length), [
            self._contact(first, leaving[first, 0]),
            *contacts,
            self._contact(int(group), arriving[group, 0]),
        ]

    def _to_progress(self, tangents: NDArray[np.float64]) -> None:
        right = tangents[1::2]
        right[:, 0] = np.where(right[:, 0] >= 0, self.runs.width - right[:, 0], -1)

    def _contact_of(self, contact: int) -> Contact:
        return self._contact(int(self._graph.group[contact]), self._graph.progress[contact])

    def _contact(self, group: int, progress: float) -> Contact:
        run = group // 2
        angle = self.runs.width[run] - progress if group % 2 else progress
        return Contact(group, float(self.runs.lowest[run] + angle))

    def _sampled(self, contacts: list[Contact], *, step: float) -> list[NDArray[np.float64]]:
        if self.radius == 0:
            return [self.runs.centres[contact.group // 2] for contact in contacts]
        samples = [self._place(contact) for contact in contacts[:1]]
        for a, b in pairwise(contacts):
            if a.group == b.group:
                samples += [self._place(contact) for contact in _along_arc(a, b, step=step)]
            samples.append(self._place(b))
        return samples

    def _place(self, contact: Contact) -> NDArray[np.float64]:
        normal = np.array([math.cos(contact.angle), math.sin(contact.angle)])
        return np.asarray(self.runs.centres[contact.group // 2] + self._r * normal)


_Pair = tuple[float, float]


def _pair(point: ArrayLike) -> _Pair:
    x, y = np.asarray(point, dtype=float)
    return float(x), float(y)


def _polyline_length(points: list[ArrayLike]) -> float:
    return float(np.hypot(*np.diff(np.array(points), axis=0).T).sum())


def _along_arc(a: Contact, b: Contact, *, step: float) -> list[Contact]:
    """Contacts strictly between two of the same group."""
    turn = -1 if a.group % 2 else 1
    sweep = turn * (b.angle - a.angle)
    if sweep < -2 * kernels.ANGLE:
        sweep += math.tau
    count = math.ceil(max(sweep, 0.0) / step)
    return [Contact(a.group, a.angle + turn * sweep * i / count) for i in range(1, count)]


def make_grid(walls: NDArray[np.float64], *, reach: float) -> kernels.Grid:
    """Grid of about as many cells as walls; each lists the walls within `reach` metres."""
    xy = walls.reshape(-1, 2)
    low, high = xy.min(axis=0), xy.max(axis=0)
    size = max(math.sqrt(np.prod(high - low) / len(walls)), np.max(high - low) / 2000, 2 * reach)
    columns, rows = (np.floor((high - low) / size).astype(int) + 1).tolist()
    frame = np.array([*low, size, columns, rows])
    slack = reach + 2 * TOLERANCE
    counts = np.zeros(columns * rows, dtype=np.int64)
    kernels.fill_grid(walls, frame, slack, counts, np.empty(0, np.int64))
    start = np.concatenate([[0], np.cumsum(counts)])
    items = np.empty(start[-1], np.int64)
    kernels.fill_grid(walls, frame, slack, start[:-1].copy(), items)
    return kernels.Grid(float(low[0]), float(low[1]), float(size), columns, rows, start, items)


def make_graph(
    runs: Runs, groups: NDArray[np.int64], values: NDArray[np.float64], *, radius: float
) -> kernels.Graph:
    """Contacts of all tangents, each walked in both directions, sorted along the arcs."""
    a, b = groups.T
    at_a, at_b, length = values.T
    count = len(length)
    none = np.full(count, -1)
    there, back = np.arange(count), np.arange(count) + 2 * count
    # Rows: leaving a, reaching b; walked backwards, leaving b, reaching a with opposite turns.
    group = np.concatenate([a, b, b ^ 1, a ^ 1])
    angle = np.concatenate([at_a, at_b, at_b, at_a])
    partner = np.concatenate([there + count, none, back + count, none])
    run = group // 2
    progress = np.where(group % 2 == 1, runs.width[run] - angle, angle)
    order = np.lexsort((progress, group))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    normal = runs.lowest[run] + angle
    xy = runs.centres[run] + radius * np.column_stack([np.cos(normal), np.sin(normal)])
    return kernels.Graph(
        start=np.searchsorted(group[order], np.arange(2 * len(runs.width) + 1)).astype(np.int64),
        group=group[order],
        progress=progress[order],
        partner=np.where(partner >= 0, place[partner], -1)[order],
        length=np.tile(length, 4)[order],
        xy=np.ascontiguousarray(xy[order]),
        whole=np.repeat(runs.whole, 2),
    )


if __name__ == "__main__":
    # Compile the kernels of this oracle, which several workers of `make test` need at once.
    room = shapely.box(0, 0, 6, 6).difference(shapely.box(2, 2, 4, 4))
    assert 4.0 * math.sqrt(2.0) < ShortestOracle(room, 0.5).length((1, 1), (5, 5)) < 8.0
