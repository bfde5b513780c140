"""The corridor map and its queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway import validation
from footway._numba.jit import one_parallel_kernel, thread_count
from footway.archive import loader_of
from footway.corridor import archive, queries
from footway.corridor.balls import Balls, cover
from footway.corridor.index import Index, build_index
from footway.corridor.kernels.locate import clearances, locate_points
from footway.corridor.sampling import Axis, sample_axis
from footway.corridor.solver import Solver
from footway.errors import BadInput
from footway.medial import medial_axis
from footway.notebook_display import NotebookDisplay

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from footway.corridor.corridor import Corridor, Pinch
    from footway.corridor.path import TautPath
    from footway.environment import Environment
    from footway.roadmap import Roadmap
    from footway.roadmap.space_map import SpaceMap

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Point = tuple[float, float] | ArrayLike


class Location(NamedTuple):
    """Retractions of points onto the medial axis."""

    edge: Ints  # (n,) edge of the map; -1 inside obstacles and outside the map
    piece: Ints  # (n,) event at which the piece begins; -1 likewise
    position: Floats  # (n, 2) retraction of the point, m
    clearance: Floats  # (n,) clearance of that position, m


class CorridorMap(NotebookDisplay):
    """The medial axis of an environment with exact clearance: one map for every radius.

    cmm-2007, definition 2, built as the explicit corridor map of miran-2013, section 2.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:mckenna"))
        >>> cmap.path((5, 5), (190, 180), radius=0.5).clearance >= 0.5
        True

    """

    def __init__(self, index: Index, *, name: str = "", solver: Solver | None = None) -> None:
        self._index = index
        self.solver = solver or Solver(index)
        self.name = name
        self.roadmap: Roadmap | None = None  # that the map was made from

    @classmethod
    def build(cls, environment: Environment) -> CorridorMap:
        """Build the map of an environment; 0.3 s for a city of 600 buildings."""
        if not hasattr(environment, "walls"):
            raise BadInput(
                f"build takes an Environment, not {validation.shown(environment)}: see footway.load"
            )
        axis = medial_axis(environment.walls, grid=environment.grid)
        return cls(build_index(axis), name=environment.name)

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
        archive.save(file, self._index.axis, name=self.name)

    @classmethod
    def load(cls, file: str | PathLike[str]) -> CorridorMap | SpaceMap:
        """Read a map written by `save`; a SpaceMap if it is of a roadmap in three dimensions.

        Raises:
            BadFile: when the file is missing, damaged, or of a newer Footway.

        """
        load_roadmap = loader_of(file)
        if load_roadmap is not None:
            return cls.from_roadmap(load_roadmap(file))
        index, name = archive.load(file)
        return cls(index, name=name)

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
        with one_parallel_kernel:
            return clearances(as_points(points), self._index.grid, self._index.fans)  # type: ignore[no-any-return]

    def nearest_obstacle(self, points: ArrayLike) -> Floats:
        """Nearest wall point of each point, (n, 2) m. Points outside the map: see `clearance`."""
        _, values = self._locate(points)
        return np.ascontiguousarray(values[:, 4:6])

    def locate(self, points: ArrayLike) -> Location:
        """Retraction of each point onto the medial axis, exact."""
        piece, values = self._locate(points)
        edge = np.where(piece >= 0, self._index.graph.edge_of[piece], -1)
        position, clearance = np.ascontiguousarray(values[:, :2]), values[:, 2].copy()
        if self.roadmap is not None:  # there the kernel returns that of the line to it
            clearance = np.where(piece >= 0, self.clearance(position), 0.0)
        return Location(edge, piece, position, clearance)

    def _locate(self, points: ArrayLike) -> tuple[Ints, Floats]:
        index = self._index
        with one_parallel_kernel:
            return locate_points(as_points(points), index.axis, index.grid, index.fans)  # type: ignore[no-any-return]

    def retract(self, points: ArrayLike) -> Floats:
        """Move points away from their nearest obstacle up to the medial axis. (n, 2) m."""
        return self.locate(points).position

    # -- queries -----------------------------------------------------------------------------

    def path(
        self,
        start: Point,
        goal: Point,
        *,
        radius: float = 0.25,
        clearance: float | None = None,
    ) -> TautPath:
        """Shortest path of a disc.

        Args:
            start: x, y in metres.
            goal: x, y in metres.
            radius: of the disc, m; the path keeps this distance from every wall.
            clearance: preferred distance from walls, m, kept where the corridor is wide enough.

        Raises:
            BadQuery: a point in a wall, a NaN, a radius that is negative or larger than the map.
            NoPath: the disc does not fit or does not get through; says where.

        """
        return queries.path(self.solver, start, goal, radius, clearance)

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

        `threads` is at most 1,024. With a preferred clearance, paths are computed one by one.
        """
        count = validation.threads(threads) or thread_count()
        a, b = as_points(starts), as_points(goals)
        return queries.paths(self.solver, a, b, radius, clearance, threads=count)

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
        return queries.corridor(self.solver, start, goal, radius, around)

    def bottleneck(self, start: Point, goal: Point) -> Pinch:
        """Widest disc that gets from start to goal, and the narrowest point of its path.

        Raises:
            BadQuery: a point in a wall.
            NoPath: with the reason "components" when no path exists at any radius.

        """
        return queries.bottleneck(self.solver, start, goal)

    def passages(self, most: int = 5) -> list[Pinch]:
        """The narrowest passages of the whole map, narrowest first: doors, alleys, gaps."""
        return queries.passages(self.solver, most)

    def __repr__(self) -> str:
        return (
            f"CorridorMap({self.name!r}, {self.n_vertices} vertices, {self.n_edges} edges, "
            f"{self.n_cycles} cycles)"
        )


def as_points(points: ArrayLike) -> Floats:
    """Return (n, 2) C-contiguous floats; points far outside the map are allowed."""
    return validation.points(points, farthest=np.inf)
