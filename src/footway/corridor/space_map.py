"""The corridor map of a roadmap in three dimensions."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from footway._jit import thread_count
from footway.corridor import _space_map_kernels as codes
from footway.corridor._space_map_kernels import Memory, Roads, balls_between, solve_in_space
from footway.corridor.corridor import Corridor
from footway.corridor.path import Path
from footway.corridor.space_roads import make_roads
from footway.errors import BadInput, BadQuery, NoPath

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from footway.roadmap import Roadmap

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Point = tuple[float, float, float] | ArrayLike

_EVENTS = 1 << 12  # of a way before the output grows
_NEST = 0.25  # distance of balls, of what their radius is more than the object's
_ROOMY = 0.02  # of a cell: clearance that a corridor has, if there is one that has it


@dataclass(frozen=True, eq=False, repr=False)
class SpacePath(Path):
    """A path of the object in three dimensions: straight lines along the roads."""

    start: tuple[float, ...]
    goal: tuple[float, ...]
    radius: float
    length: float
    clearance: float
    points: Floats = field(repr=False)

    def __repr__(self) -> str:
        return (
            f"Path({self.length:.2f} m, clearance {self.clearance:.3f} m, "
            f"{len(self.points)} points, radius {self.radius:g} m)"
        )


class _Way(NamedTuple):
    """What the kernel found."""

    points: Floats  # (n, 3) m
    length: float  # m
    clearance: float  # of the object, m
    halves: Ints  # (k,)


class SpaceMap:
    """A roadmap in three dimensions with clearance attached (rrm-roadmaps-2006, section V.B.2).

    Its obstacles are the cells in which the object does not fit, so a path is free of collisions
    wherever it goes. For a ball, clearance is counted from its centre, as in the plane; for a box,
    from the box: the radius is 0 then, or the clearance that is wanted.

    Example:
        >>> import footway as fw
        >>> space = fw.Volume.from_boxes((0, 0, 0, 8, 6, 4), [(3, 0, 0, 4, 3, 4)], resolution=1.0)
        >>> roadmap = fw.roadmap.rrm(space, size=(1, 1, 1))
        >>> smap = fw.CorridorMap.from_roadmap(roadmap)
        >>> smap.path((1, 1, 1), (7, 1, 1)).points.shape[1]
        3

    """

    def __init__(self, roadmap: Roadmap) -> None:
        if not roadmap.n_nodes:
            raise BadInput("the roadmap has no nodes: nothing can be found on it")
        self.roadmap, self.name = roadmap, roadmap.name
        self._space = roadmap.in_effect.space
        self._roads: Roads = make_roads(roadmap.in_effect)
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
        return self._roads.edges

    @property
    def edge_clearance(self) -> Floats:
        """(ne,) m. Narrowest clearance of each edge."""
        return self._roads.clearance + self.radius

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
        """Number of parts with no way between them."""
        return self.roadmap.in_effect.n_components

    @property
    def bounds(self) -> tuple[float, ...]:
        """Box of the space: xmin, ymin, zmin, xmax, ymax, zmax in m."""
        return self.roadmap.bounds

    def clearance(self, points: ArrayLike) -> Floats:
        """Distance of each point (n, 3) to the nearest obstacle, (n,) m; 0 inside obstacles."""
        there = np.atleast_2d(np.asarray(points, np.float64))
        if there.ndim != 2 or there.shape[1] != 3 or not np.isfinite(there).all():
            raise BadQuery(f"points must be finite numbers in an (n, 3) array, not {there.shape}")
        return np.where(self._is_free(there), self._space.clearance(there)[0] + self.radius, 0.0)

    def _is_free(self, points: Floats) -> NDArray[np.bool_]:
        """Which points (n, 3) lie in a free cell: a line of no length is free there."""
        return self._space.lines_are_free(points, points)

    # -- queries -----------------------------------------------------------------------------

    def path(self, start: Point, goal: Point, *, radius: float | None = None) -> SpacePath:
        """Path along the roadmap, or a straight one where that is free.

        Args:
            start: x, y, z in metres, of the object's centre.
            goal: x, y, z in metres.
            radius: m, that the path keeps from every obstacle; that of the object if not given.

        Raises:
            BadQuery: a point in an obstacle, a NaN, a negative radius.
            NoPath: the object does not get through.

        """
        a, b, size = _point(start, "start"), _point(goal, "goal"), self._radius(radius)
        way = self._solve(a, b, size, shortcut=True)
        clearance = way.clearance + self.radius
        ends = tuple(a.tolist()), tuple(b.tolist())
        return SpacePath(*ends, size, way.length, clearance, way.points)

    def paths(
        self,
        starts: ArrayLike,
        goals: ArrayLike,
        *,
        radius: float | None = None,
        threads: int | None = None,
    ) -> list[SpacePath | None]:
        """Paths for (n, 3) starts and goals; None where there is none."""
        a, b = _points(starts, "starts"), _points(goals, "goals")
        if len(a) != len(b):
            raise BadQuery(f"{len(a)} starts and {len(b)} goals: give as many of each")
        count = threads if threads is not None else thread_count()
        if not isinstance(count, int) or count < 1:
            raise BadQuery(f"threads is {count!r}: it must be a whole number, 1 or more")

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
        if around not in {"backbone", "path"}:
            raise BadQuery(f'around is {around!r}: it must be "backbone" or "path"')
        a, b, size = _point(start, "start"), _point(goal, "goal"), self._radius(radius)
        way = self._roomy_way(a, b, size)
        balls = self._balls(way.points, size - self.radius)
        balls[:, 3] += self.radius
        return Corridor(tuple(a.tolist()), tuple(b.tolist()), size, balls, 3, way.halves)

    def _roomy_way(self, a: Floats, b: Floats, radius: float) -> _Way:
        """Way whose balls overlap, if there is any: nobody walks where the clearance is 0."""
        try:
            return self._solve(a, b, max(radius, self.radius) + self._least_room, shortcut=False)
        except NoPath:
            return self._solve(a, b, radius, shortcut=False)

    @property
    def _least_room(self) -> float:
        return _ROOMY * float(self._space.resolution)

    def _balls(self, points: Floats, radius: float) -> Floats:
        """Balls with exact clearance along a polyline, close enough to overlap. (n, 4)."""
        room = self._space.clearance(points)[0]
        balls = np.column_stack([points, room])
        gap = np.linalg.norm(np.diff(points, axis=0), axis=1)
        wide = gap > _NEST * (np.minimum(room[:-1], room[1:]) - max(0.0, radius))
        found = [
            self._balls_between(points[k], points[k + 1], radius) if wide[k] else balls[k : k + 1]
            for k in range(len(gap))
        ]
        return np.ascontiguousarray(np.concatenate([*found, balls[-1:]]))

    def _balls_between(self, a: Floats, b: Floats, radius: float) -> Floats:
        out = np.empty((64, 4))
        while True:
            count = balls_between(a, b, max(0.0, radius), _NEST, self._space, out)
            if count >= 0:
                return out[:count]
            out = np.empty((4 * len(out), 4))

    def _solve(self, a: Floats, b: Floats, radius: float, *, shortcut: bool) -> _Way:
        room = max(0.0, radius - self.radius)
        while True:
            memory, out, line = self._memory
            status, n, length, clear, count = solve_in_space(
                a, b, room, shortcut, self._space, self._roads, memory, out, line
            )
            if status != codes.FULL:
                break
            self._grow(4 * len(out))
        if status != codes.FOUND:
            raise self._refusal(status, a, b, radius, clear)
        return _Way(line[:n].copy(), length, clear, memory.halves[:count].copy())

    @property
    def _memory(self) -> tuple[Memory, Ints, Floats]:
        """Scratch memory of the calling thread."""
        try:
            return self._local.memory  # type: ignore[no-any-return]
        except AttributeError:
            self._grow(_EVENTS)
            return self._local.memory  # type: ignore[no-any-return]

    def _grow(self, events: int) -> None:
        out, line = np.empty(events, np.int64), np.empty((events + 4, 3))
        self._local.memory = _make_memory(self._roads), out, line

    def _refusal(
        self, status: int, a: Floats, b: Floats, radius: float, clear: float
    ) -> BadQuery | NoPath:
        if status in (codes.START_IN_WALL, codes.GOAL_IN_WALL):
            what, point = ("start", a) if status == codes.START_IN_WALL else ("goal", b)
            return BadQuery(
                f"the {what} {_text(point)} is inside an obstacle, outside the map, or too near to "
                "an obstacle for the object: move it"
            )
        if status in (codes.START_TIGHT, codes.GOAL_TIGHT):
            what, point = ("start", a) if status == codes.START_TIGHT else ("goal", b)
            return NoPath(
                f"a ball of radius {radius:g} m does not get from the {what} {_text(point)} to the "
                f"roadmap: the way has a clearance of {clear + self.radius:.3f} m",
                reason="no room",
            )
        if radius > self.radius:
            try:
                self._solve(a, b, 0.0, shortcut=False)
            except NoPath:
                return _apart(a, b)
            return NoPath(
                f"a ball of radius {radius:g} m does not get from {_text(a)} to {_text(b)} along "
                "the roadmap: an edge on every way is too narrow",
                reason="pinch",
            )
        return _apart(a, b)

    def _radius(self, value: float | None) -> float:
        if value is None:
            return self.radius
        try:
            radius = float(value)
        except (TypeError, ValueError):
            raise BadQuery(f"the radius must be a number in metres, not {value!r}") from None
        if not 0.0 <= radius < np.inf:
            raise BadQuery(f"the radius is {radius:g} m: it must be 0 or more, and finite")
        return radius

    # -- files -------------------------------------------------------------------------------

    def save(self, file: str | PathLike[str]) -> None:
        """Write the roadmap to one file: see `Roadmap.save`."""
        self.roadmap.save(file)

    def __repr__(self) -> str:
        return f"SpaceMap({self.name!r}, {self.n_vertices} vertices, {self.n_edges} edges)"


def _make_memory(roads: Roads) -> Memory:
    nodes, edges = len(roads.nodes), len(roads.edges)
    return Memory(
        cost=np.empty(nodes),
        arrival=np.empty(nodes, np.int64),
        mark=np.zeros((nodes, 2), np.int64),
        keys=np.empty(4 * edges + 4),
        queue=np.empty(4 * edges + 4, np.int64),
        halves=np.empty(edges + 4, np.int64),
        query=np.zeros(1, np.int64),
        stack=np.empty((64, 4)),
        vias=np.empty((2, 3)),
    )


def _apart(a: Floats, b: Floats) -> NoPath:
    return NoPath(
        f"{_text(a)} and {_text(b)} are in parts of the roadmap with no way between them",
        reason="components",
    )


def _points(values: ArrayLike, what: str) -> Floats:
    """(n, 3) numbers, or a clear error."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise BadQuery(f"the {what} must be numbers in an (n, 3) array, in metres") from None
    if array.size == 0:
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise BadQuery(f"the {what} must have the shape (n, 3), not {array.shape}")
    return array


def _point(value: Any, what: str) -> Floats:
    try:
        x, y, z = value
        place = float(x), float(y), float(z)
    except (TypeError, ValueError):
        raise BadQuery(
            f"the {what} must be three numbers x, y, z in metres, not {value!r}"
        ) from None
    if not all(map(math.isfinite, place)):
        raise BadQuery(f"the {what} is {_text(place)}: coordinates must be finite")
    return np.array(place)


def _text(point: Iterable[float]) -> str:
    return "({:.3f}, {:.3f}, {:.3f})".format(*point)
