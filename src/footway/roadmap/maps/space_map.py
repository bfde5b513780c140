"""The corridor map of a roadmap in three dimensions."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway import validation
from footway._numba.jit import thread_count
from footway.corridor.corridor import Corridor
from footway.corridor.path import Path
from footway.errors import BadInput, BadQuery, NoPath
from footway.roadmap.kernels import space_paths as codes
from footway.roadmap.kernels.space_paths import balls_between, solve_in_space
from footway.roadmap.maps.space_index import (
    make_roads,
    make_workspace,
    margin_of,
    nearest_free,
    nearest_within,
)
from footway.roadmap.roadmap import a_roadmap
from footway.validation import as_text

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike

    from footway.arrays import Bools, Floats, Ints
    from footway.roadmap import Roadmap

    Point = tuple[float, float, float] | ArrayLike

_EVENTS = 1 << 12  # initial capacity: events of a path
_NEST = 0.25  # spacing of balls relative to the excess of their radius over the object's
_SPARE = 0.02  # of a cell: clearance beyond the object's that corridors should have


@dataclass(frozen=True, eq=False, repr=False)
class SpacePath(Path):
    """A path of the object in three dimensions: straight lines in free cells."""

    start: tuple[float, ...]
    goal: tuple[float, ...]
    radius: float
    length: float
    clearance: float
    points: Floats = field(repr=False)
    method: str = "roadmap"

    def __repr__(self) -> str:
        return (
            f"Path({self.length:.2f} m, clearance {self.clearance:.3f} m, "
            f"{len(self.points)} points, radius {self.radius:g} m)"
        )


class SpacePinch(NamedTuple):
    """The narrowest point of the widest path between two points."""

    radius: float  # m, of the widest ball that gets through
    at: tuple[float, ...]  # (x, y, z) m, centre of that ball
    obstacle: tuple[float, ...]  # (x, y, z) m, its nearest obstacle point


class _Found(NamedTuple):
    """A path that the kernel found."""

    points: Floats  # (n, 3) m
    length: float  # m
    margin: float  # m, least distance to occupied cells; negative if an end is in one
    halves: Ints  # (k,)
    away: Floats  # (2,) m, distance of the first and the last point from the free cells


class SpaceMap:
    """A roadmap in three dimensions with clearance attached (rrm-roadmaps-2006, section V.B.2).

    A path stays in cells in which the object fits, so it is free of collisions. For a ball,
    clearance is measured from its centre, as in the plane; for a box, from the box: the radius is
    then 0, or the preferred clearance. It is a lower bound: the distance to the cells in which the
    object does not fit, plus the margin that it has in every other cell (see space_index.py).

    Example:
        >>> import footway as fw
        >>> space = fw.Volume.from_boxes((0, 0, 0, 8, 6, 4), [(3, 0, 0, 4, 3, 4)], resolution=1.0)
        >>> roadmap = fw.roadmap.rrm(space, size=(1, 1, 1))
        >>> smap = fw.CorridorMap.from_roadmap(roadmap)
        >>> smap.path((1, 1, 1), (7, 1, 1)).points.shape[1]
        3
    """

    def __init__(self, roadmap: Roadmap) -> None:
        a_roadmap(roadmap)
        if roadmap.dimension != 3:
            raise BadInput("the roadmap is in the plane: see CorridorMap.from_roadmap")
        if not roadmap.n_nodes:
            raise BadInput("the roadmap has no nodes: no path can be found on it")
        self.roadmap, self.name = roadmap, roadmap.name
        self._space = roadmap.in_effect.space
        # Next to a fake obstacle an edge may leave the cells that are known to be free.
        self._margin = 0.0 if roadmap.fake_obstacles else margin_of(self._space)
        self._least = self.radius + self._margin  # m, clearance in a free cell
        self._roads = make_roads(roadmap.in_effect)
        self._local = threading.local()

    # -- the graph ---------------------------------------------------------------------------

    @property
    def dimension(self) -> int:
        """3."""
        return 3

    @property
    def radius(self) -> float:
        """Radius of the ball that the roadmap was made for, m; 0 for a box."""
        return float(self._space.radius)

    @property
    def vertices(self) -> Floats:
        """(nv, 3) m."""
        return self._roads.nodes

    @property
    def edges(self) -> Ints:
        """(ne, 2) vertex indices."""
        return self._roads.graph.edges

    @property
    def edge_clearance(self) -> Floats:
        """(ne,) m. Narrowest clearance of each edge."""
        return self._roads.graph.clearance + self._least

    @property
    def edge_length(self) -> Floats:
        """(ne,) m."""
        return self._roads.length

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.vertices)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @property
    def n_components(self) -> int:
        """Number of connected components."""
        return self.roadmap.in_effect.n_components

    @property
    def bounds(self) -> tuple[float, ...]:
        """Box of the space: xmin, ymin, zmin, xmax, ymax, zmax in m."""
        return self.roadmap.bounds

    def clearance(self, points: ArrayLike) -> Floats:
        """Distance of each point (n, 3) to the nearest obstacle, (n,) m; 0 inside obstacles."""
        given = validation.floats(points, "(n, 3)", name="points")
        there = validation.points(given[None] if given.shape == (3,) else given, 3)
        margin, free = self._space.clearance(there)[0], self._is_free(there)
        margin[~free] = -nearest_within(there[~free], self._space, self._margin)[1]
        return np.where(np.isinf(margin), 0.0, margin + self._least)

    def _is_free(self, points: Floats) -> Bools:
        """Return which points (n, 3) lie in a free cell: a line of length 0 is free there."""
        return self._space.lines_are_free(points, points)

    # -- queries -----------------------------------------------------------------------------

    def path(self, start: Point, goal: Point, *, radius: float | None = None) -> SpacePath:
        """Path along the roadmap, pulled straight: it turns only at obstacles.

        Args:
            start: x, y, z in metres, of the object's centre.
            goal: x, y, z in metres.
            radius: distance to keep from obstacles, m; the object's radius if not given.

        Raises:
            BadQuery: a point in an obstacle, a NaN, a negative radius.
            NoPath: the object does not get through.
        """
        (a, b), size = _ends(start, goal), self._radius(radius)
        found = self._solve(a, b, size, shortcut=True, pull=True)
        ends = tuple(a.tolist()), tuple(b.tolist())
        return SpacePath(*ends, size, found.length, found.margin + self._least, found.points)

    def paths(
        self,
        starts: ArrayLike,
        goals: ArrayLike,
        *,
        radius: float | None = None,
        threads: int | None = None,
    ) -> list[SpacePath | None]:
        """Paths for (n, 3) starts and goals; None where no path exists."""
        a, b = validation.points(starts, 3), validation.points(goals, 3)
        count = validation.threads(threads) or thread_count()
        validation.as_many(a, b)

        def answer(k: int) -> SpacePath | None:
            try:
                return self.path(a[k], b[k], radius=radius)
            except (BadQuery, NoPath):
                return None

        self._radius(radius)
        with ThreadPoolExecutor(max_workers=count) as pool:
            return list(pool.map(answer, range(len(a))))

    def corridor(
        self,
        start: Point,
        goal: Point,
        *,
        radius: float | None = None,
        around: Literal["backbone", "path"] = "backbone",
    ) -> Corridor:
        """Corridor along the roadmap, for `follow.cmm`. Raises as `path` does."""
        validation.one_of(around, "line that the corridor follows", ("backbone", "path"))
        (a, b), size = _ends(start, goal), self._radius(radius)
        found = self._path_with_overlap(a, b, size)
        balls = self._balls(found, size)
        return Corridor(tuple(a.tolist()), tuple(b.tolist()), size, balls, 3, found.halves)

    def bottleneck(self, start: Point, goal: Point) -> SpacePinch:
        """Widest ball that gets from start to goal along the roadmap, and its narrowest point.

        For a box, the radius is the most clearance that it can keep.

        Raises:
            BadQuery: a point in an obstacle.
            NoPath: no path exists at any radius.
        """
        a, b = _ends(start, goal)
        found = self._widest_path(a, b)
        balls = self._balls(found, 0.0)
        at = balls[np.argmin(balls[:, 3]), :3]
        wall = tuple(self._space.clearance(at)[1][0].tolist())
        return SpacePinch(found.margin + self._least, tuple(at.tolist()), wall)

    def _widest_path(self, a: Floats, b: Floats) -> _Found:
        """Find the path of most clearance, by bisection over the clearances of the pieces."""
        best = self._solve(a, b, 0.0, shortcut=True)
        margins = np.unique(self._roads.piece_clearance)
        low, high = 0, int(np.isfinite(margins).sum())
        while low < high:
            middle = (low + high) // 2
            wide = self._path_with_margin(a, b, max(float(margins[middle]), best.margin))
            if wide is None:
                high = middle
            else:
                low, best = middle + 1, max(best, wide, key=lambda found: found.margin)
        while (wide := self._path_with_margin(a, b, best.margin + 2.0 * codes.SLACK)) is not None:
            best = wide
        return best

    def _path_with_margin(self, a: Floats, b: Floats, margin: float) -> _Found | None:
        try:
            return self._solve(a, b, self._least + margin, shortcut=True)
        except NoPath:
            return None

    def _path_with_overlap(self, a: Floats, b: Floats, radius: float) -> _Found:
        """Find a path whose balls overlap: followers cannot move where the clearance is 0.

        If there is none, push a path off the obstacles that it touches, as `retract` does.
        """
        spare = _SPARE * float(self._space.resolution)
        try:
            return self._solve(a, b, max(radius, self.radius) + spare, shortcut=False)
        except NoPath:
            found = self._solve(a, b, radius, shortcut=False)
        if found.away.any():
            return found
        from footway.roadmap.lattice.rrrm import retract_line

        return found._replace(points=np.ascontiguousarray(retract_line(found.points, self._space)))

    def _balls(self, found: _Found, radius: float) -> Floats:
        """Return balls along a path, (n, 4), close enough to overlap for this radius."""
        first, last = (found.away > 0.0).tolist()
        inside = self._balls_inside(found.points[first : len(found.points) - last], radius)
        inside[:, 3] += self._least
        ends = np.column_stack([found.points[[0, -1]], self._least - found.away])
        return np.ascontiguousarray(np.concatenate([ends[:first], inside, ends[2 - last :]]))

    def _balls_inside(self, points: Floats, radius: float) -> Floats:
        """Return balls that reach to the occupied cells, along a polyline in free cells."""
        margin, need = self._space.clearance(points)[0], max(radius, self.radius) - self._least
        balls = np.column_stack([points, margin])
        gap = np.linalg.norm(np.diff(points, axis=0), axis=1)
        wide = gap > _NEST * (np.minimum(margin[:-1], margin[1:]) - need)
        found = [balls[k : k + 1] for k in range(len(balls))]
        out = np.empty((64, 4))
        for k in np.flatnonzero(wide).tolist():
            a, b = points[k], points[k + 1]
            while (count := balls_between(a, b, need, _NEST, self._space, out)) < 0:
                out = np.empty((4 * len(out), 4))
            found[k] = out[:count].copy()
        return np.concatenate(found)

    def _solve(
        self, a: Floats, b: Floats, radius: float, *, shortcut: bool, pull: bool = False
    ) -> _Found:
        """Find a path between two places in free cells, or closer to them than the margin."""
        ends, away = np.stack([a, b]), np.zeros(2)
        out = ~self._is_free(ends)
        if out.any():
            ends[out], away[out] = nearest_within(ends[out], self._space, self._margin)
        for what, point, far in zip(("start", "goal"), (a, b), away.tolist(), strict=True):
            if np.isinf(far):
                raise self._in_obstacle(what, point)
            if far > 0.0 and self._least - far < radius - codes.SLACK:
                raise self._too_tight(what, point, radius, self._least - far)
        found = self._solve_inside(ends[0], ends[1], radius, shortcut=shortcut, pull=pull)
        if not out.any():
            return found
        points = np.concatenate([a[None][out[:1]], found.points, b[None][out[1:]]])
        margin = min(found.margin, -float(away.max()))
        return _Found(points, found.length + float(away.sum()), margin, found.halves, away)

    def _solve_inside(
        self, a: Floats, b: Floats, radius: float, *, shortcut: bool, pull: bool
    ) -> _Found:
        margin = max(0.0, radius - self._least)
        if not hasattr(self._local, "memory"):
            self._allocate(_EVENTS)
        while True:
            workspace, out, line = self._local.memory
            status, n, length, clear, count = solve_in_space(
                a, b, margin, shortcut, pull, self._space, self._roads, workspace, out, line
            )
            if status != codes.FULL:
                break
            self._allocate(4 * len(out))
        if status != codes.FOUND:
            raise self._refusal(status, a, b, radius, clear)
        # Clearances are measured to a thousandth of a cell: pulling may lose as much.
        if pull and clear < margin - codes.SLACK:
            return self._solve_inside(a, b, radius, shortcut=shortcut, pull=False)
        halves = workspace.graph.halves[:count].astype(np.int64)
        return _Found(line[:n].copy(), length, clear, halves, np.zeros(2))

    def _allocate(self, events: int) -> None:
        """Allocate the scratch memory of the calling thread, for a path with this many events."""
        out, line = np.empty(events, np.int64), np.empty((events + 4, 3))
        self._local.memory = make_workspace(self._roads), out, line

    # -- errors ------------------------------------------------------------------------------

    def _refusal(
        self, status: int, a: Floats, b: Floats, radius: float, clear: float
    ) -> BadQuery | NoPath:
        """Return the error that explains why there is no path."""
        at_start = status in (codes.START_IN_WALL, codes.START_TIGHT)
        what, point = ("start", a) if at_start else ("goal", b)
        if status in (codes.START_IN_WALL, codes.GOAL_IN_WALL):
            return self._in_obstacle(what, point)
        if status in (codes.START_TIGHT, codes.GOAL_TIGHT):
            return self._too_tight(what, point, radius, clear + self._least)
        apart = NoPath(
            f"{as_text(a)} and {as_text(b)} are in parts of the roadmap with no path between them",
            reason="components",
        )
        if radius <= self.radius:
            return apart
        try:
            self._solve_inside(a, b, 0.0, shortcut=False, pull=False)
        except NoPath:
            return apart
        return NoPath(
            f"{self._body(radius)} does not get from {as_text(a)} to {as_text(b)} along the "
            "roadmap: an edge on every path is too narrow; see bottleneck",
            reason="pinch",
        )

    def _in_obstacle(self, what: str, point: Floats) -> BadQuery:
        """Return the error for a start or a goal in no free cell, with the nearest free place."""
        roadmap, body = self.roadmap, self._body(self.radius)
        low, high = roadmap.bounds[:3], roadmap.bounds[3:]
        if not all(a <= x <= b for a, x, b in zip(low, point, high, strict=True)):
            why = f"is outside the map, which reaches from {as_text(low)} to {as_text(high)}"
        elif roadmap.fake_obstacles and roadmap.space.lines_are_free(point[None], point[None])[0]:
            why = f"is inside a fake obstacle, or too near to one for {body}"
        else:
            why = f"is inside an obstacle, or too near to one for {body}"
        nearest = as_text(nearest_free(point, self._space))
        return BadQuery(
            f"the {what} {as_text(point)} {why}: the nearest free position is {nearest}"
        )

    def _too_tight(self, what: str, point: Floats, radius: float, clear: float) -> NoPath:
        """Return the error for a radius above the clearance between an end and the roadmap."""
        return NoPath(
            f"{self._body(radius)} does not get from the {what} {as_text(point)} to the roadmap: "
            f"the path there has a clearance of {clear:.3f} m",
            reason="no room",
        )

    def _body(self, radius: float) -> str:
        """Describe the moving object with the requested radius or clearance."""
        if self.radius > 0.0:
            return f"a ball of radius {radius:g} m"
        box = f"a box of {' x '.join(f'{side:g}' for side in self._space.size)} m"
        return f"{box} with {radius:g} m around it" if radius > 0.0 else box

    def _radius(self, value: float | None) -> float:
        if value is None:
            return self.radius
        return validation.radius(value, validation.extent_of(self.bounds))

    # -- files -------------------------------------------------------------------------------

    def save(self, file: str | PathLike[str]) -> None:
        """Write the roadmap to one file: see `Roadmap.save`."""
        self.roadmap.save(file)

    def __repr__(self) -> str:
        return f"SpaceMap({self.name!r}, {self.n_vertices} vertices, {self.n_edges} edges)"


def _ends(start: Point, goal: Point) -> tuple[Floats, Floats]:
    return validation.point(start, "start", 3), validation.point(goal, "goal", 3)
