"""The corridor map and its queries."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import numpy as np

from footway import validation
from footway._numba.jit import thread_count
from footway._numba.portable_math import hypot
from footway._numba.random_stream import RandomStream
from footway.archive import loader_of
from footway.constants import TOUCH
from footway.corridor import archive
from footway.corridor.backbone import backbone_of_path, path_along_backbone
from footway.corridor.balls import Axis, Balls, cover, sample_axis
from footway.corridor.corridor import Corridor, corridor_from_search
from footway.corridor.explain import explain_components, explain_failure
from footway.corridor.index import build_index
from footway.corridor.kernels.layouts import FOUND, FULL, NOWHERE
from footway.corridor.kernels.locate import (
    AXIS_CLEARANCE,
    WALL_X,
    WALL_Y,
    X,
    Y,
)
from footway.corridor.kernels.query import POINT, THIN, are_connected
from footway.corridor.kernels.tangents import SLACK, VIOLATION
from footway.corridor.kernels.wall_grid import line_distances
from footway.corridor.nearest import nearest_fitting
from footway.corridor.path import TautPath, widen
from footway.corridor.points import clearances, locate
from footway.corridor.search import Solver
from footway.corridor.turn_table import size_of
from footway.corridor.via import solve_via_edges
from footway.corridor.widest import find_bottleneck, find_passages
from footway.errors import BadInput, BadQuery, NoPath
from footway.medial import medial_axis
from footway.notebook_display import NotebookDisplay

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike

    from footway.arrays import Bools, Floats, Ints
    from footway.corridor.corridor import Pinch
    from footway.corridor.kernels.layouts import Index
    from footway.corridor.search import Solution
    from footway.environment import Building, Environment
    from footway.roadmap import Roadmap
    from footway.roadmap.maps.space_map import SpaceMap

    XY = tuple[float, float]
    Point = XY | ArrayLike


_MOST_PATHS = 1000  # between the same ends
_MANY = 200  # distances from one place that are measured by a search of the whole map
_MOST_POINTS = 10_000_000  # of one call
_ROUNDS = 200  # batches of random points without a free one


class Location(NamedTuple):
    """Retractions of points onto the medial axis."""

    edge: Ints  # (n,) edge of the map; -1 inside obstacles and outside the map
    piece: Ints  # (n,) event at which the piece begins; -1 likewise
    position: Floats  # (n, 2) retraction of the point, m
    clearance: Floats  # (n,) clearance of that position, m


class PathToward(NamedTuple):
    """A path as near to a goal as a disc gets."""

    path: TautPath
    remaining: float  # m, straight distance from the end of the path to the goal


class CorridorMap(NotebookDisplay):
    """The medial axis of an environment with exact clearance: one map for every radius.

    cmm-2007, definition 2, built as the explicit corridor map of miran-2013, section 2.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:mckenna"))
        >>> cmap.path((5, 5), (190, 180), radius=0.5).clearance >= 0.5
        True

    """

    def __init__(
        self,
        index: Index,
        *,
        name: str = "",
        solver: Solver | None = None,
        environment: Environment | None = None,
    ) -> None:
        self._index = index
        self._environment = environment
        self.solver = solver or Solver(index)
        self.name = name
        self.roadmap: Roadmap | None = None  # that the map was made from

    @classmethod
    def build(cls, environment: Environment | Building) -> CorridorMap:
        """Build the map of an environment; 0.3 s for a city of 600 buildings.

        For a `Building` it is one map over all floors and links, in which points are
        (x, y, floor): see `corridor.building.map.BuildingMap`.
        """
        if hasattr(environment, "seams"):  # a Building; plans need not import it
            from footway.corridor.building.map import BuildingMap

            return BuildingMap(cast("Building", environment))
        if not hasattr(environment, "walls"):
            raise BadInput(
                "build takes an Environment or a Building, not "
                f"{validation.shown(environment)}: see footway.load"
            )
        axis = medial_axis(environment.walls, grid=environment.grid)
        return cls(build_index(axis), name=environment.name, environment=environment)

    @classmethod
    def from_roadmap(cls, roadmap: Roadmap) -> CorridorMap | SpaceMap:
        """Attach clearance to a roadmap (rrm-roadmaps-2006, section V.B.2).

        Paths, corridors and crowds follow its edges; walls and clearance are exact. Edges that a
        level designer closed stay closed, and edge weights multiply lengths. A roadmap in three
        dimensions gives a SpaceMap.

        Example:
            >>> import footway as fw
            >>> roadmap = fw.roadmap.rrm(fw.load("gallery:field"), resolution=0.5, radius=0.5)
            >>> cmap = fw.CorridorMap.from_roadmap(roadmap)
            >>> cmap.path((2, 2), (17, 11), radius=0.25).clearance >= 0.25
            True

        """
        if not hasattr(roadmap, "path_offsets"):
            raise BadInput(
                f"a Roadmap is needed, not {validation.shown(roadmap)}: see footway.roadmap"
            )
        return roadmap.corridor_map()

    def save(self, file: str | PathLike[str]) -> None:
        """Write the map to one file of arrays and JSON; for the map of a roadmap, the roadmap."""
        if self.roadmap is not None:
            self.roadmap.save(file)
            return
        archive.save(file, self._index.axis, self.solver.tables.values(), name=self.name)

    @classmethod
    def load(cls, file: str | PathLike[str]) -> CorridorMap | SpaceMap:
        """Read a map written by `save`; a SpaceMap if it is of a roadmap in three dimensions.

        Raises:
            BadFile: when the file is missing, damaged, or of a newer Footway.

        """
        load_other = loader_of(file)
        if load_other is not None:
            other = load_other(file)
            return other if isinstance(other, CorridorMap) else cls.from_roadmap(other)
        index, tables, name = archive.load(file)
        found = cls(index, name=name)
        found.solver.tables |= {float(table.radius[0]): table for table in tables}
        return found

    @property
    def environment(self) -> Environment:
        """The environment that the map was built from.

        For a map from a file or a roadmap it is reconstructed from the walls: it has the same
        walkable space, but no areas and no terrain.
        """
        if self._environment is None:
            from footway.environment.from_walls import environment_from_walls

            self._environment = environment_from_walls(
                self.walls, lambda at: self.clearance(at) > 0.0, name=self.name
            )
        return self._environment

    # -- the graph ---------------------------------------------------------------------------

    @property
    def vertices(self) -> Floats:
        """(nv, 2) m. Ends and branches of the medial axis."""
        return self._index.axis.vertices

    @property
    def edges(self) -> Ints:
        """(ne, 2) vertex indices."""
        return self._index.axis.edges

    @property
    def edge_clearance(self) -> Floats:
        """(ne,) m. Narrowest clearance of each edge: a disc of this radius just passes."""
        return self._index.graph.clearance

    @property
    def edge_length(self) -> Floats:
        """(ne,) m."""
        return np.add.reduceat(self._index.axis.piece_length, self._index.axis.offsets[:-1])

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
        """Number of connected components of the free space."""
        return int((self._index.graph.join == np.arange(self.n_vertices)).sum())

    @property
    def n_cycles(self) -> int:
        """Independent cycles of the graph: holes of the free space; touching holes count as one."""
        return self.n_edges - self.n_vertices + self.n_components

    @property
    def walls(self) -> Floats:
        """(n, 4) m. Wall segments x0, y0, x1, y1; point obstacles have both ends the same."""
        return self._index.grid.walls

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Box around all walls: xmin, ymin, xmax, ymax in m."""
        corners = self.walls.reshape(-1, 2)
        (xmin, ymin), (xmax, ymax) = corners.min(axis=0), corners.max(axis=0)
        return float(xmin), float(ymin), float(xmax), float(ymax)

    def axis(self, step: float = 0.5) -> Axis:
        """Medial axis as polylines for drawing, with points at most `step` metres apart.

        On parabolas they are equally spaced along the wall and up to twice as far apart.
        """
        step = validation.number(step, "step", "m", above=0.0)
        count = float(self._index.axis.piece_length.sum()) / step
        validation.number_of_samples(count, "the axis", "take a longer step")
        return sample_axis(self._index, step)

    def balls(self, coverage: float = 0.99) -> Balls:
        """Balls along the edges that cover this share of the free space.

        Sampled corridors as in cmm-crowds-2008, section 2.1; `coverage` of the result is measured.
        """
        return cover(self._index, coverage)

    # -- points ------------------------------------------------------------------------------

    def clearance(self, points: ArrayLike) -> Floats:
        """Distance of each point to the nearest wall, (n,) m; 0 inside obstacles."""
        return clearances(as_points(points), self._index)

    def nearest_obstacle(self, points: ArrayLike) -> Floats:
        """Nearest wall point of each point, (n, 2) m. Points outside the map: see `clearance`."""
        _, values = locate(as_points(points), self._index)
        return np.ascontiguousarray(values[:, WALL_X : WALL_Y + 1])

    def locate(self, points: ArrayLike) -> Location:
        """Retraction of each point onto the medial axis, exact."""
        piece, values = locate(as_points(points), self._index)
        edge = np.where(piece >= 0, self._index.graph.edge_of[piece], -1)
        position = np.ascontiguousarray(values[:, X : Y + 1])
        clearance = values[:, AXIS_CLEARANCE].copy()
        if self.roadmap is not None:  # there the kernel returns that of the line to it
            clearance = np.where(piece >= 0, self.clearance(position), 0.0)
        return Location(edge, piece, position, clearance)

    def retract(self, points: ArrayLike) -> Floats:
        """Move points away from their nearest obstacle up to the medial axis. (n, 2) m."""
        return self.locate(points).position

    # -- queries -----------------------------------------------------------------------------

    def prepare(self, radius: float | None = None, *, wait: bool = True) -> None:
        """Prepare the map for many paths; it changes no path.

        Without a radius it measures landmarks: about 32 corners whose distances to all others
        bound every search from below, for every radius. Without this call a thread measures them
        after some hundreds of searches. They take 128 bytes for each corner and contact.

        With a radius it also makes a table of the turns of that disc, in which most of its paths
        are found without a search. `save` writes it with the map. It takes seconds for hundreds
        of buildings, and 17 bytes for each label, at most 285 MB: see `prepared`.

        Args:
            radius: of the disc, m.
            wait: False to make the table in a thread; paths use it once it is complete.

        Raises:
            BadQuery: the table would be larger, and `wait` is true; the map was made from a
                roadmap.

        Example:
            >>> import footway as fw
            >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
            >>> before = cmap.path((2, 2), (17, 11), radius=0.25)
            >>> cmap.prepare(radius=0.25)
            >>> cmap.path((2, 2), (17, 11), radius=0.25).length == before.length
            True

        """
        is_waiting = validation.flag(wait, "wait")
        if radius is not None:
            size = validation.radius(radius, self.solver.extent)
            self._check_exact("a table for a radius needs")
            self.solver.prepare(size, wait=is_waiting)
        elif self.roadmap is None:
            self.solver.measure_landmarks()

    @property
    def prepared(self) -> dict[float, int]:
        """Radii (m) for which `prepare` made a table, and the memory of each in bytes."""
        tables = self.solver.tables.items()
        return {0.0 if disc == THIN else disc: size_of(table) for disc, table in tables}

    def path(
        self,
        start: Point,
        goal: Point,
        *,
        radius: float = 0.25,
        clearance: float | None = None,
        tolerance: float = 0.0,
    ) -> TautPath:
        """Shortest path of a disc.

        Args:
            start: x, y in metres.
            goal: x, y in metres.
            radius: of the disc, m; the path keeps this distance from every wall.
            clearance: preferred distance from walls, m, kept where the corridor is wide enough.
            tolerance: by which `points` may deviate from the arcs of the curve, m. They are fewer,
                with the same clearance; the curve is the same.

        Raises:
            BadQuery: a point in a wall, a NaN, a radius that is negative or larger than the map.
            NoPath: the disc does not fit or does not get through; the message gives the position.

        """
        a, b = validation.place(start, "start"), validation.place(goal, "goal")
        radius = validation.radius(radius, self.solver.extent)
        path = self._find_path(a, b, radius, _check_clearance(clearance, radius))
        is_exact = isinstance(tolerance, float) and tolerance == 0.0
        return path if is_exact else path.with_tolerance(tolerance)

    def paths(
        self,
        starts: ArrayLike,
        goals: ArrayLike,
        *,
        radius: float = 0.25,
        clearance: float | None = None,
        threads: int | None = None,
    ) -> list[TautPath | None]:
        """Paths for (n, 2) starts and goals, on all cores; None where no path exists.

        `threads` is at most 1,024.
        """
        count = validation.threads(threads) or thread_count()
        a, b = as_points(starts), as_points(goals)
        validation.as_many(a, b)
        radius = validation.radius(radius, self.solver.extent)
        wanted = _check_clearance(clearance, radius)
        if wanted > radius:
            with ThreadPoolExecutor(max_workers=count) as pool:
                find = partial(self._path_or_none, radius=radius, wanted=wanted)
                return list(pool.map(find, a, b))
        solutions = self.solver.solve_many(a, b, radius, threads=count)
        queries = zip(solutions, _pairs(a), _pairs(b), strict=True)
        return [self._as_path(*query, radius) for query in queries]

    def paths_between(
        self,
        start: Point,
        goal: Point,
        k: int = 5,
        *,
        radius: float = 0.25,
        longer: float = math.inf,
        different: float = 0.0,
    ) -> list[TautPath]:
        """Return the k shortest paths of a disc in different corridors, shortest first.

        Two paths are in the same corridor if one can be moved to the other without crossing an
        obstacle (they are homotopic). Each path is the shortest in its corridor, and certified. A
        path may pass each branching of the map only once: corridors that circle an obstacle or
        come back to a vertex of the medial axis are left out (future work of cmm-2007).

        Args:
            start: x, y in metres.
            goal: x, y in metres.
            k: number of paths, at most 1,000; the result has fewer if fewer exist.
            radius: of the disc, m.
            longer: by which share of the shortest path the others may be longer; 0.2 is 20 %.
            different: share of each path that must be away from all paths before it, measured along
                the medial axis; 0.3 is 30 %. Then not all corridors are tried: for each edge of the
                map, the one around the shortest backbone through that edge, unless it passes a
                vertex or an edge twice. They are tried after the shortest path, in the order of the
                length of their backbones, and kept if they differ enough from all kept before.

        Raises:
            BadQuery: as `path` does; the map was made from a roadmap; the search needs too much
                memory.
            NoPath: as `path` does.

        Example:
            >>> import footway as fw
            >>> env = fw.Environment.from_polygons(bounds=(0, 0, 9, 5), obstacles=[
            ...     [(3, 1.5), (6, 1.5), (6, 3), (3, 3)]])
            >>> cmap = fw.CorridorMap.build(env)
            >>> [round(path.length, 2) for path in cmap.paths_between((1, 2), (8, 2))]
            [7.28, 7.73]

        """
        a, b, radius = self._check_query(start, goal, radius)
        most = validation.whole(k, "number of paths", low=1, high=_MOST_PATHS)
        limit = validation.number(longer, "share `longer`", low=0.0, endless=True)
        least = validation.number(different, "share `different`", low=0.0, high=1.0)
        self._check_exact("alternative paths need")
        shortest = self._find_path(a, b, radius, radius)
        if most == 1 or shortest.length == 0.0 or shortest.method != "shortest":
            return [shortest]
        if least > 0.0:
            return self._different_paths(shortest, most, shortest.length * (1.0 + limit), least)
        found = self.solver.solve_alternatives(
            a, b, radius, most=most, shortest=shortest.length,
            longest=shortest.length * (1.0 + limit),
        )  # fmt: skip
        if found is None:
            raise BadQuery(
                f"there are too many corridors between {validation.as_text(a)} and "
                f"{validation.as_text(b)} for a search for {most} paths: ask for fewer, or limit "
                "how much `longer` they may be"
            )
        paths = [path for one in found if (path := self._as_path(one, a, b, radius)) is not None]
        if not paths or paths[0].length > shortest.length + TOUCH:
            paths.insert(0, shortest)
        return paths[:most]

    def _different_paths(
        self, shortest: TautPath, most: int, longest: float, different: float
    ) -> list[TautPath]:
        """Return the shortest path and others, of at most `longest` m: see `paths_between`."""
        a, b, radius = np.array(shortest.start), np.array(shortest.goal), shortest.radius
        crossed = shortest.crossed or self.solver.solve(a, b, radius, shortcut=False).crossed
        kept, taken = [shortest], np.zeros(self.n_edges, bool)
        taken[backbone_of_path(self.solver, a, b, radius, crossed) // 2] = True
        for halves, solution in solve_via_edges(
            self.solver, a, b, radius, different=different, longest=longest, taken=taken
        ):
            path = self._as_path(solution, a, b, radius)
            if path is not None:
                kept.append(path)
                taken[halves // 2] = True
            if len(kept) == most:
                break
        return sorted(kept, key=lambda path: path.length)

    def path_toward(self, start: Point, goal: Point, *, radius: float = 0.25) -> PathToward:
        """Shortest path to the goal, or else to the reachable point nearest to it.

        Nearest is by the straight distance, which may lead through walls. The goal may be in a
        wall, outside the map, in another part of it, or behind a passage that is too narrow.
        Exact as `nearest_free` is.

        Args:
            start: x, y in metres.
            goal: x, y in metres.
            radius: of the disc, m.

        Raises:
            BadQuery: the start is in a wall; the map was made from a roadmap.
            NoPath: the disc does not fit at the start.

        Example:
            >>> import footway as fw
            >>> env = fw.Environment.from_polygons(bounds=(0, 0, 9, 5), obstacles=[
            ...     [(3, 1.5), (6, 1.5), (6, 3), (3, 3)]])
            >>> cmap = fw.CorridorMap.build(env)
            >>> path, remaining = cmap.path_toward((1, 2), (5.5, 2.5), radius=0.5)
            >>> [round(x, 3) for x in path.goal], round(remaining, 3)
            ([5.5, 3.5], 1.0)

        """
        a, b, radius = self._check_query(start, goal, radius)
        self._check_exact("a path toward a goal needs")
        self._find_path(a, a, radius, radius)
        (piece, *_), _ = locate(a[None], self._index)
        (end,) = nearest_fitting(b[None], radius, self._index, piece=int(piece))
        if np.isnan(end).any():  # the disc fits exactly at the start, and nowhere else
            end = a
        return PathToward(self._find_path(a, end, radius, radius), float(hypot(*(end - b))))

    def distances(
        self,
        start: Point,
        points: ArrayLike,
        *,
        radius: float = 0.25,
        threads: int | None = None,
    ) -> Floats:
        """Lengths of the shortest paths from a start to points (n, 2), (n,) m.

        Infinite where there is no path. Raises as `path` does if the disc does not fit at the
        start. For many points the map is searched once, and each point costs a few microseconds.

        Example:
            >>> import footway as fw
            >>> env = fw.Environment.from_polygons(bounds=(0, 0, 4, 3), obstacles=[
            ...     [(1.5, 1), (2.5, 1), (2.5, 3), (1.5, 3)]])
            >>> cmap = fw.CorridorMap.build(env)
            >>> cmap.distances((0.5, 2), [(0.5, 1), (3.5, 2), (2, 2)]).round(3).tolist()
            [1.0, 4.265, inf]

        """
        a, _, radius = self._check_query(start, start, radius)
        self._find_path(a, a, radius, radius)
        goals, count = as_points(points), validation.threads(threads) or thread_count()
        if len(goals) >= _MANY and not self.solver.is_roadmap:
            found, statuses = self.solver.measure_distances(a, goals, radius, threads=count)
        else:
            found, statuses = np.full(len(goals), np.inf), np.full(len(goals), NOWHERE)
        rest = np.flatnonzero(statuses == NOWHERE)
        solutions = self.solver.solve_many(
            np.tile(a, (len(rest), 1)), goals[rest], radius, threads=count
        )
        for k, solution in zip(rest, solutions, strict=True):
            if solution.status == FOUND:
                found[k] = solution.length
            elif solution.status in (NOWHERE, FULL):
                path = self._as_path(solution, a, goals[k], radius)
                found[k] = np.inf if path is None else path.length
        return found

    def is_reachable(self, start: Point, points: ArrayLike, *, radius: float = 0.25) -> Bools:
        """Whether a disc gets from a start to each of the points (n, 2). (n,).

        No path is searched: the widest path to each point is known. Raises as `path` does if the
        disc does not fit at the start.

        Example:
            >>> import footway as fw
            >>> room = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 4, 3)))
            >>> room.is_reachable((1, 1), [(3, 2), (3.9, 2), (9, 9)]).tolist()
            [True, False, False]

        """
        a, _, radius = self._check_query(start, start, radius)
        self._find_path(a, a, radius, radius)
        goals = as_points(points)
        (piece, *_), _ = locate(a[None], self._index)
        pieces, _ = locate(goals, self._index)
        fits = self.clearance(goals) >= radius - SLACK
        connected = are_connected(int(piece), pieces, max(radius, POINT), self._index)
        return np.asarray(fits & connected)

    def line_of_sight(self, a: ArrayLike, b: ArrayLike, *, radius: float = 0.0) -> Bools:
        """Whether a disc gets straight from each point of `a` (n, 2) to that of `b` (n, 2). (n,).

        With radius 0, whether they see each other: no wall is between them.

        Example:
            >>> import footway as fw
            >>> env = fw.Environment.from_polygons(bounds=(0, 0, 4, 3), lines=[[(2, 1), (2, 3)]])
            >>> cmap = fw.CorridorMap.build(env)
            >>> cmap.line_of_sight([(1, 2), (1, 0.5)], [(3, 2), (3, 0.5)]).tolist()
            [False, True]

        """
        starts, ends = as_points(a), as_points(b)
        validation.as_many(starts, ends)
        disc = max(validation.radius(radius, self.solver.extent), THIN)
        distance = np.empty(len(starts))
        line_distances(starts, ends, self._index.grid, distance)
        inside = (self.clearance(starts) > 0.0) & (self.clearance(ends) > 0.0)
        return np.asarray(inside & (distance >= disc - VIOLATION))

    def random_points(
        self,
        n: int = 1,
        *,
        radius: float = 0.25,
        seed: int = 0,
        reachable_from: Point | None = None,
    ) -> Floats:
        """Random points where a disc fits, uniformly distributed, (n, 2) m.

        With `reachable_from` they are those that it gets to from there. The same seed gives the
        same points on every machine.

        Raises:
            BadQuery: the disc fits nowhere, or hardly anywhere.

        Example:
            >>> import footway as fw
            >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
            >>> points = cmap.random_points(100, radius=0.5, seed=7, reachable_from=(2, 2))
            >>> points.shape, bool((cmap.clearance(points) >= 0.5).all())
            ((100, 2), True)

        """
        count = validation.whole(n, "number of points", high=_MOST_POINTS)
        radius = validation.radius(radius, self.solver.extent)
        stream = RandomStream(validation.seed(seed))
        low, high = np.array(self.bounds[:2]), np.array(self.bounds[2:])
        found: list[Floats] = []
        missing, tries = count, 0
        while missing > 0:
            points = low + stream.uniform(2 * missing + 64, 2) * (high - low)
            points = points[self.clearance(points) > radius]
            if reachable_from is not None:
                points = points[self.is_reachable(reachable_from, points, radius=radius)]
            found.append(points[:missing])
            missing -= len(found[-1])
            tries = 0 if len(points) else tries + 1
            if tries == _ROUNDS:
                raise BadQuery(
                    f"a disc of radius {radius:g} m fits nowhere on the map, or hardly anywhere: "
                    "use a smaller radius"
                )
        return np.concatenate(found) if found else np.empty((0, 2))

    def nearest_free(self, points: ArrayLike, *, radius: float = 0.25) -> Floats:
        """Nearest point to each of the points (n, 2) at which a disc fits, (n, 2) m.

        That is the point itself if the disc fits there. Points may be in walls or outside the map.
        The result is exact up to rounding, which may move it by a few micrometres: at each of the
        points the disc fits, so that `path` takes them as start and goal.

        Raises:
            BadQuery: the disc fits nowhere; the map was made from a roadmap.

        Example:
            >>> import footway as fw
            >>> env = fw.Environment.from_polygons(bounds=(0, 0, 9, 5), obstacles=[
            ...     [(3, 1.5), (6, 1.5), (6, 3), (3, 3)]])
            >>> cmap = fw.CorridorMap.build(env)
            >>> cmap.nearest_free([(1, 2), (4, 2), (9.5, -1)], radius=0.5).round(3).tolist()
            [[1.0, 2.0], [4.0, 1.0], [8.5, 0.5]]

        """
        self._check_exact("the nearest free point needs")
        places = validation.points(points)
        radius = validation.radius(radius, self.solver.extent)
        found = nearest_fitting(places, radius, self._index)
        if np.isnan(found).any():
            raise BadQuery(
                f"a disc of radius {radius:g} m fits nowhere on the map: use a smaller radius"
            )
        return found

    def corridor(
        self,
        start: Point,
        goal: Point,
        *,
        radius: float = 0.25,
        around: Literal["backbone", "path"] = "backbone",
    ) -> Corridor:
        """Corridor of a disc around the shortest backbone (cmm-2007, definition 3).

        With `around="path"` it is the corridor of the shortest path, which takes longer to find and
        may have a longer backbone. Raises as `path` does.

        Example:
            >>> import footway as fw
            >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
            >>> corridor = cmap.corridor((2, 2), (17, 11), radius=0.25)
            >>> corridor.narrowest >= 0.25
            True

        """
        begin, end = validation.place(start, "start"), validation.place(goal, "goal")
        radius = validation.radius(radius, self.solver.extent)
        validation.one_of(around, "kind of corridor", ("backbone", "path"))
        if around == "backbone":
            found = self.solver.corridor(begin, end, radius)
            if found.status != FOUND:
                raise explain_failure(self.solver, np.array(begin), np.array(end), radius, found)
        else:
            a, b = np.array(begin), np.array(end)
            solution = self.solver.solve(a, b, radius, shortcut=False)
            if solution.status not in (FOUND, NOWHERE, FULL):
                raise solution.refusal or explain_failure(self.solver, a, b, radius, solution)
            halves = backbone_of_path(self.solver, a, b, radius, solution.crossed)
            found = self.solver.corridor_along(a, b, halves, radius)
        return corridor_from_search(self.solver, begin, end, radius, found)

    def bottleneck(self, start: Point, goal: Point) -> Pinch:
        """Widest disc that gets from start to goal, and the narrowest point of its path.

        Raises:
            BadQuery: a point in a wall.
            NoPath: with the reason "components" when no path exists at any radius.

        """
        a, b = validation.point(start, "start"), validation.point(goal, "goal")
        pinch = find_bottleneck(self.solver, a, b)
        if pinch is None:
            raise explain_components(self.solver, a, b)
        return pinch

    def passages(self, most: int = 5) -> list[Pinch]:
        """The narrowest passages of the whole map, narrowest first: doors, alleys, gaps."""
        return find_passages(self.solver, validation.whole(most, "number of passages"))

    def _check_query(
        self, start: Point, goal: Point, radius: float
    ) -> tuple[Floats, Floats, float]:
        """Check the arguments that all queries share."""
        a, b = validation.point(start, "start"), validation.point(goal, "goal")
        return a, b, validation.radius(radius, self.solver.extent)

    def _check_exact(self, what: str) -> None:
        """Raise BadQuery if the map was made from a roadmap; `what` begins the message."""
        if self.roadmap is not None:
            raise BadQuery(
                f"{what} the exact map, and this one was made from a roadmap: use CorridorMap.build"
            )

    def _find_path(self, a: Floats | XY, b: Floats | XY, radius: float, wanted: float) -> TautPath:
        """Return the shortest path, moved away from walls if `wanted` exceeds the radius."""
        is_widened = wanted > radius and self.solver.can_widen
        solution = self.solver.solve(a, b, radius, shortcut=not is_widened)
        path = self._as_path(solution, a, b, radius)
        if path is None:
            raise solution.refusal or explain_failure(
                self.solver, np.array(a), np.array(b), radius, solution
            )
        if not is_widened or solution.status != FOUND:
            return path
        halves = backbone_of_path(self.solver, np.array(a), np.array(b), radius, solution.crossed)
        return widen(self._index, path, halves, wanted)

    def _as_path(
        self, solution: Solution, a: Floats | XY, b: Floats | XY, radius: float
    ) -> TautPath | None:
        """Return the path of a solution; along the backbone if the search gave up; or None."""
        if solution.status in (NOWHERE, FULL):
            return path_along_backbone(self.solver, np.array(a), np.array(b), radius)
        if solution.status != FOUND:
            return None
        return TautPath.from_solution(solution, _xy(a), _xy(b), radius, self.solver)

    def _path_or_none(self, a: Floats, b: Floats, radius: float, wanted: float) -> TautPath | None:
        try:
            return self._find_path(a, b, radius, wanted)
        except (BadQuery, NoPath):
            return None

    def __repr__(self) -> str:
        return (
            f"CorridorMap({self.name!r}, {self.n_vertices} vertices, {self.n_edges} edges, "
            f"{self.n_cycles} cycles)"
        )


def as_points(points: ArrayLike) -> Floats:
    """Return (n, 2) C-contiguous floats; points far outside the map are allowed."""
    return validation.points(points, farthest=np.inf)


def _xy(point: Floats | XY) -> XY:
    """Return a point as two floats."""
    if isinstance(point, tuple):
        return point
    x, y = point.tolist()
    return x, y


def _pairs(points: Floats) -> list[XY]:
    """Return points (n, 2) as pairs of floats."""
    return [(x, y) for x, y in points.tolist()]


def _check_clearance(value: float | None, radius: float) -> float:
    """Return the checked preferred clearance; the radius if none is given."""
    if value is None:
        return radius
    wanted = validation.as_float(value)
    if wanted is None:
        raise BadQuery(f"the clearance must be a number in metres, not {validation.shown(value)}")
    if not radius <= wanted < math.inf:
        raise BadQuery(
            f"the clearance is {wanted:g} m: it must be finite and not below the radius, "
            f"{radius:g} m"
        )
    return wanted
