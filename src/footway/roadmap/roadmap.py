"""Roadmap: a graph in the free space with a local path for each edge, the result of all methods."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway._numba.parallel import in_parts
from footway.constants import ROADMAPS, TOUCH, RoadmapMethod
from footway.errors import BadInput, BadQuery
from footway.roadmap.kernels.clearance import line_clearances
from footway.validation import (
    floats,
    ids,
    index,
    instance,
    number,
    number_of_samples,
    one_of,
    points,
    sequence,
    shown,
    text,
    whole_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from numpy.typing import ArrayLike
    from scipy.sparse import csr_array

    from footway.arrays import Bools, Floats, Ints
    from footway.corridor import CorridorMap
    from footway.roadmap.fake_obstacles import FakeObstacle
    from footway.roadmap.lattice.resolution import ClosedPassage
    from footway.roadmap.lattice.space import Space
    from footway.roadmap.maps.space_map import SpaceMap

    Progress = Callable[[int, int], None]
    """Called with the work done and all work."""

    Paths = Sequence[ArrayLike] | tuple[Floats, Ints]

_BATCH = 4096  # lines per call of a thread


class Samples(NamedTuple):
    """Configurations on local paths."""

    points: Floats  # (n, d) m
    clearance: Floats  # (n,) m, of the object
    edge: Ints  # (n,)


class NodePath(NamedTuple):
    """A shortest path between two nodes."""

    length: float  # m, weighted
    nodes: Ints  # (k,) from the start to the goal
    edges: Ints  # (k - 1,)


@dataclass(frozen=True, eq=False, repr=False)
class Roadmap:
    """Nodes and edges in the free space of an object (rrm-roadmaps-2006, section II).

    Built by `grid`, `rrm`, `rrm_star`, `rrrm`, `retract` and `voronoi_prm`.
    `CorridorMap.from_roadmap` adds clearance, for paths, walks and crowds (section V.B.2).

    Attributes:
        nodes: (n, d) m, in two or three dimensions.
        edges: (m, 2) nodes that each edge joins.
        path_points: (p, d) m. Local paths of all edges, one after the other, from node to node.
        path_offsets: (m + 1,) edge e has the points path_offsets[e] to path_offsets[e + 1] - 1.
        weights: (m,) factor on the length of each edge in searches; 1 unless edited.
        method: "grid", "rrm", "rrm_star", "rrrm" or "voronoi_prm".
        space: the discretised free space that it was built in.
        name: of the environment.
        parameters: parameters of the construction: resolution, radius, size, usefulness, seed.
        seconds: duration of each step of the construction, s.
        fake_obstacles: regions that a level designer closed: see `Editor`.
        closed: passages that the object fits through but that the cells close, the narrowest
            first, with position and width; in three dimensions only those that cut regions of free
            cells apart. A finer resolution may open them. `voronoi_prm` does not depend on cells.
    """

    nodes: Floats
    edges: Ints
    path_points: Floats
    path_offsets: Ints
    weights: Floats
    method: RoadmapMethod
    space: Space
    name: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    fake_obstacles: tuple[FakeObstacle, ...] = ()
    closed: tuple[ClosedPassage, ...] = ()

    @classmethod
    def make(
        cls,
        nodes: ArrayLike,
        edges: ArrayLike,
        space: Space,
        *,
        method: RoadmapMethod,
        paths: Paths | None = None,
        weights: ArrayLike | None = None,
        name: str = "",
        parameters: dict[str, Any] | None = None,
        seconds: dict[str, float] | None = None,
    ) -> Roadmap:
        """Create a roadmap from arrays, checked for consistency (not for collisions: see `Editor`).

        Args:
            nodes: (n, d) m.
            edges: (m, 2) nodes.
            space: discretised free space.
            method: name of the method that built it.
            paths: local path of each edge from its first node to its second, (k, d) each; or all
                paths concatenated, with their offsets. None: straight.
            weights: (m,) above 0; None: 1.
            name: of the environment.
            parameters: of the method.
            seconds: of each step.

        Raises:
            BadInput: arrays that do not fit together.
        """
        if not hasattr(space, "corner_clearance"):
            raise BadInput(f"a Space is needed, not {shown(space)}: use the `space` of a roadmap")
        places = points(nodes, int(space.dimension), name="nodes", error=BadInput)
        pairs = _checked_edges(edges, len(places))
        path_points, offsets = _joined_paths(paths, places, pairs)
        factor = _checked_weights(weights, len(pairs))
        one_of(method, "method", tuple(ROADMAPS), error=BadInput)
        text(name, "name", error=BadInput)
        for what, given in (("parameters", parameters), ("seconds", seconds)):
            instance(given, (dict, type(None)), f"the {what} must be a dictionary")
        return cls(
            places, pairs, path_points, offsets, factor, method, space, name,
            dict(parameters or {}), dict(seconds or {}),
        )  # fmt: skip

    def with_changes(self, **changes: Any) -> Roadmap:
        """Return a copy with other fields; nothing is checked."""
        return replace(self, **changes)

    @cached_property
    def in_effect(self) -> Roadmap:
        """The roadmap without what its fake obstacles block; itself if it has none."""
        from footway.roadmap.fake_obstacles import without_blocked

        return without_blocked(self) if self.fake_obstacles else self

    # -- size --------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.nodes.shape[1])

    @cached_property
    def component(self) -> Ints:
        """(n,) number of the connected component of each node."""
        return components(self.edges[self._is_open], self.n_nodes)

    @property
    def n_components(self) -> int:
        """Number of connected components."""
        return int(self.component.max(initial=-1)) + 1

    @property
    def n_cycles(self) -> int:
        """Number of independent cycles of edges that no fake obstacle blocks."""
        return int(self._is_open.sum()) - self.n_nodes + self.n_components

    @property
    def bounds(self) -> tuple[float, ...]:
        """Bounding box of the space: lower corner, then upper corner, m."""
        cells = np.array(self.space.free.shape[::-1], np.float64)[: self.dimension]
        low = np.asarray(self.space.origin)[: self.dimension]
        high = low + cells * self.space.resolution
        return (*low.tolist(), *high.tolist())

    # -- local paths -------------------------------------------------------------------------

    def path_of(self, edge: int) -> Floats:
        """Return the local path of one edge, from its first node to its second, (k, d) m."""
        edge = index(edge, "edge", self.n_edges)
        return self.path_points[self.path_offsets[edge] : self.path_offsets[edge + 1]]

    @cached_property
    def lengths(self) -> Floats:
        """(m,) m. Length of each local path."""
        return np.add.reduceat(self._steps, self.path_offsets[:-1]) if self.n_edges else np.empty(0)

    @cached_property
    def _steps(self) -> Floats:
        """(p,) m. Distance from each point of a local path to the next; 0 at its last point."""
        step = np.zeros(len(self.path_points))
        step[:-1] = np.linalg.norm(np.diff(self.path_points, axis=0), axis=1)
        step[self.path_offsets[1:] - 1] = 0.0
        return step

    @cached_property
    def node_clearance(self) -> Floats:
        """(n,) m. Distance between the object at each node and the nearest obstacle."""
        return self.space.clearance(self.nodes)[0]

    @cached_property
    def edge_clearance(self) -> Floats:
        """(m,) m. Least clearance of the object along each local path (section V.A).

        Exact in two dimensions; to a thousandth of the resolution in three.
        """
        lines = np.flatnonzero(has_next(self.path_offsets))
        clearance = np.full(len(self.path_points), np.inf)
        clearance[lines] = clearance_along(
            self.path_points[lines], self.path_points[lines + 1], self.space
        )
        return (
            np.minimum.reduceat(clearance, self.path_offsets[:-1]) if self.n_edges else np.empty(0)
        )

    def samples(self, step: float | None = None) -> Samples:
        """Return configurations on all local paths, at most `step` metres apart, with clearance.

        Both ends of every path are included. The default step is the resolution. Results are
        cached for each step.
        """
        size = number(self.space.resolution if step is None else step, "step", "m", above=0.0)
        number_of_samples(
            self.n_edges + float(self.lengths.sum()) / size, "the roadmap", "take a longer step"
        )
        known: dict[float, Samples] = self.__dict__.setdefault("_samples", {})
        if size not in known:
            count = np.maximum(1, np.ceil(self._steps / size - TOUCH)).astype(np.int64)
            piece = np.repeat(np.arange(len(count)), count)
            start = np.repeat(np.cumsum(count) - count, count)
            share = (np.arange(len(piece)) - start) / count[piece]
            after = np.arange(len(count)) + has_next(self.path_offsets)
            begin = self.path_points[piece]
            points = begin + share[:, None] * (self.path_points[after[piece]] - begin)
            edge = np.repeat(np.arange(self.n_edges), np.diff(self.path_offsets))[piece]
            known[size] = Samples(points, self.space.clearance(points)[0], edge)
        return known[size]

    # -- searching ---------------------------------------------------------------------------

    @cached_property
    def _graph(self) -> csr_array:
        """Weighted lengths as a symmetric sparse matrix; the shortest of parallel edges.

        Edges that a fake obstacle blocks are left out.
        """
        from scipy.sparse import coo_array  # slow to import

        cost = (self.lengths * self.weights)[self._is_open]
        edges = self.edges[self._is_open]
        low, high = np.sort(edges, axis=1).T if len(edges) else np.empty((2, 0), np.int64)
        order = np.lexsort((cost, high, low))
        low, high, cost = low[order], high[order], cost[order]
        first = np.ones(len(order), bool)
        first[1:] = (np.diff(low) != 0) | (np.diff(high) != 0)
        low, high, cost = low[first], high[first], cost[first]
        rows, columns = np.concatenate([low, high]), np.concatenate([high, low])
        shape = (self.n_nodes, self.n_nodes)
        return coo_array((np.concatenate([cost, cost]), (rows, columns)), shape).tocsr()

    @cached_property
    def _is_open(self) -> Bools:
        """(m,) Whether no fake obstacle blocks each edge."""
        from footway.roadmap.fake_obstacles import open_parts

        return open_parts(self)[1] if self.fake_obstacles else np.ones(self.n_edges, bool)

    def distances(self, sources: ArrayLike | None = None) -> Floats:
        """Return the length of the shortest path from each source to every node, (k, n) m.

        Infinite if there is none. By default all nodes are sources.
        """
        from scipy.sparse.csgraph import dijkstra  # slow to import

        which = None if sources is None else self._nodes_named(sources)
        return np.atleast_2d(dijkstra(self._graph, directed=False, indices=which))

    def shortest_path(self, start: int, goal: int) -> NodePath | None:
        """Return the shortest path between two nodes along the edges; None if there is none."""
        from scipy.sparse.csgraph import dijkstra  # slow to import

        first, last = self._nodes_named([start, goal]).tolist()
        length, before = dijkstra(
            self._graph, directed=False, indices=first, return_predecessors=True
        )
        if not np.isfinite(length[last]):
            return None
        nodes = [last]
        while nodes[-1] != first:
            nodes.append(int(before[nodes[-1]]))
        path, cost, edges = np.array(nodes[::-1]), self.lengths * self.weights, []
        for a, b in itertools.pairwise(path.tolist()):
            joins = ((self.edges == (a, b)) | (self.edges == (b, a))).all(axis=1)
            parallel = np.flatnonzero(joins)
            edges.append(parallel[np.argmin(cost[parallel])])
        return NodePath(float(length[last]), path, np.array(edges, np.int64))

    def _nodes_named(self, nodes: ArrayLike) -> Ints:
        found = ids(nodes, "nodes")
        if (found < 0).any() or (found >= self.n_nodes).any():
            raise BadQuery(f"nodes are numbered 0 to {self.n_nodes - 1}, not {shown(nodes)}")
        return found

    def corridor_map(self) -> CorridorMap | SpaceMap:
        """Attach clearance for paths, walks and crowds: see `CorridorMap.from_roadmap`."""
        from footway.corridor import CorridorMap  # slow to import, like the others
        from footway.roadmap.maps.blend_solver import BlendSolver
        from footway.roadmap.maps.conversion import RoadSolver
        from footway.roadmap.maps.space_map import SpaceMap

        if self.dimension == 3:
            return SpaceMap(self)
        solver = (BlendSolver if self.method == "voronoi_prm" else RoadSolver)(self)
        cmap = CorridorMap(solver.index, name=self.name, solver=solver)
        cmap.roadmap = self
        return cmap

    # -- files -------------------------------------------------------------------------------

    def save(self, file: str | PathLike[str]) -> None:
        """Write the roadmap to one file (suffix .fwmap) of arrays and JSON, without pickle."""
        from footway.roadmap import archive  # it imports this module

        archive.save(file, self)

    @classmethod
    def load(cls, file: str | PathLike[str]) -> Roadmap:
        """Read a roadmap that `save` wrote.

        Raises:
            BadFile: the file is missing, damaged, or from a newer version of Footway.
        """
        from footway.roadmap import archive  # it imports this module

        return archive.load(file)

    def __repr__(self) -> str:
        return (
            f"Roadmap({self.name!r}, {self.method}, {self.dimension}D, {self.n_nodes} nodes, "
            f"{self.n_edges} edges, {self.n_components} components)"
        )


def clearance_along(starts: Floats, ends: Floats, space: Space) -> Floats:
    """Return the least clearance of the object along straight lines (n, d), (n,) m."""
    a, b = (np.ascontiguousarray(space.with_z(points)) for points in (starts, ends))
    out = np.empty(len(a))

    def measure(part: slice) -> None:
        line_clearances(a[part], b[part], space, np.empty((64, 4)), out[part])

    in_parts(len(a), _BATCH, measure)
    return out


def with_edges(roadmap: Roadmap, kept: Bools) -> Roadmap:
    """Return the roadmap with the kept edges (m,) only."""
    size = np.diff(roadmap.path_offsets)
    return roadmap.with_changes(
        edges=roadmap.edges[kept],
        path_points=roadmap.path_points[np.repeat(kept, size)],
        path_offsets=np.concatenate([[0], np.cumsum(size[kept])]),
        weights=roadmap.weights[kept],
    )


def components(edges: Ints, count: int) -> Ints:
    """Return the number of the component (n,) of each of `count` nodes of a graph, edges (m, 2)."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(edges)), tuple(edges.T)), (count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def has_next(offsets: Ints) -> Bools:
    """Return which points of the local paths are not the last of their path, (p,)."""
    found = np.ones(int(offsets[-1]), bool)
    found[offsets[1:] - 1] = False
    return found


# -- checks --------------------------------------------------------------------------------------


LEAST_WEIGHT, MOST_WEIGHT = 1e-9, 1e9
"""Limits of edge weights: beyond them a weighted length loses the precision of the length."""


def a_roadmap(value: object) -> None:
    """Raise BadInput if the value is not a Roadmap."""
    if not hasattr(value, "path_offsets"):
        raise BadInput(f"a Roadmap is needed, not {shown(value)}: see footway.roadmap")


def _checked_edges(edges: ArrayLike, nodes: int) -> Ints:
    """Return checked edges (m, 2) between the given number of nodes."""
    array = whole_numbers(edges, "edges", "(m, 2)", error=BadInput)
    if (array.ndim != 2 and array.size) or array.shape[-1] not in (0, 2):
        raise BadInput(f"edges have the shape {array.shape}: give (m, 2)")
    array = array.reshape(-1, 2)
    outside = (array < 0) | (array >= nodes)
    if outside.any():
        edge = int(np.flatnonzero(outside.any(axis=1))[0])
        raise BadInput(f"edge {edge} joins {array[edge].tolist()}, but there are {nodes} nodes")
    loops = np.flatnonzero(array[:, 0] == array[:, 1])
    if len(loops):
        raise BadInput(f"edge {int(loops[0])} joins node {int(array[loops[0], 0])} to itself")
    return array


def _checked_weights(weights: ArrayLike | None, count: int) -> Floats:
    """Return checked weights (m,) for the given number of edges; None: 1."""
    if weights is None:
        return np.ones(count)
    array = floats(weights, "(m,)", name="weights", error=BadInput)
    if array.shape != (count,):
        raise BadInput(f"weights have the shape {array.shape}: give one for each of {count} edges")
    if not ((array >= LEAST_WEIGHT) & (array <= MOST_WEIGHT)).all():
        raise BadInput(f"weights must be between {LEAST_WEIGHT:g} and {MOST_WEIGHT:g}")
    return array


def _joined_paths(paths: Paths | None, nodes: Floats, edges: Ints) -> tuple[Floats, Ints]:
    """Return the concatenated points of all local paths, and their offsets (m + 1,)."""
    if paths is None:
        straight = np.ascontiguousarray(nodes[edges].reshape(-1, nodes.shape[1]))
        return straight, np.arange(0, 2 * len(edges) + 1, 2)
    dimension = nodes.shape[1]
    if isinstance(paths, tuple) and len(paths) == 2:
        given = points(paths[0], dimension, name="points of local paths", error=BadInput)
        offsets = whole_numbers(paths[1], "offsets of local paths", "(m + 1,)", error=BadInput)
    else:
        lines = [
            points(path, dimension, name="points of a local path", error=BadInput)
            for path in sequence(paths, "local paths", error=BadInput)
        ]
        given = np.concatenate([np.empty((0, dimension)), *lines])
        offsets = np.concatenate([[0], np.cumsum([len(line) for line in lines])]).astype(np.int64)
    if offsets.shape != (len(edges) + 1,):
        raise BadInput(f"{len(offsets) - 1} local paths for {len(edges)} edges: give one for each")
    if offsets[0] != 0 or offsets[-1] != len(given) or (np.diff(offsets) < 2).any():
        raise BadInput("a local path needs two points or more, from node to node")
    for end, at in ((0, offsets[:-1]), (1, offsets[1:] - 1)):
        away = np.abs(given[at] - nodes[edges[:, end]]).max(axis=1, initial=0.0) > TOUCH
        if away.any():
            edge = int(np.flatnonzero(away)[0])
            raise BadInput(
                f"the local path of edge {edge} does not {('begin', 'end')[end]} at node "
                f"{int(edges[edge, end])}"
            )
    return given, offsets
