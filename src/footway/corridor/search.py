"""Search one map, with scratch memory for each thread."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway._numba.held import Held, hold
from footway._numba.jit import entry
from footway._numba.portable_math import hypot
from footway.constants import LANDMARKS
from footway.corridor.kernels.alternatives import find_paths
from footway.corridor.kernels.backbone import balls_along, extract
from footway.corridor.kernels.distances import measure_distances, sweep_from
from footway.corridor.kernels.graph_search import GraphWorkspace, make_graph_workspace
from footway.corridor.kernels.layouts import FOUND, FULL, BallBuffer, PathBuffer, SearchWorkspace
from footway.corridor.kernels.path import (
    N_COLUMNS,
    SWEEP,
    X0,
    X1,
    Y0,
    Y1,
    solve,
    solve_many,
)
from footway.corridor.kernels.query import THIN
from footway.corridor.kernels.search import ALL_NODES, N_FLOATS, N_INTS
from footway.corridor.landmarks import ACTIVE, NO_LANDMARKS, Landmarks, measure_landmarks
from footway.corridor.nearest import nearest_fitting
from footway.corridor.points import locate
from footway.corridor.turn_table import (
    MOST_LABELS,
    NO_TABLE,
    make_table,
    make_turn_workspace,
)
from footway.errors import BadQuery
from footway.validation import as_text

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints
    from footway.corridor.kernels.layouts import Graph, Index, TurnTable
    from footway.errors import NoPath

    Point = tuple[float, float]

SPACING = 0.5  # m, largest distance between balls of a corridor
_BALLS = 1 << 12  # initial capacity: balls of a corridor
_PIECES = 512  # initial capacity: lines and arcs of a path
_BATCH = 64  # queries per task of a thread pool
_BATCH_PIECES = 256
_FEW = 24  # nodes of a search that is over before landmarks are worth their time
_LARGEST_WITHOUT_ASKING = 50_000  # half-edges: landmarks of larger maps take minutes
_NODES_BEFORE_LANDMARKS = 32  # per half-edge: then searches took about as long as landmarks take
_ROUNDED = 1e-3  # m, more than a point in a message is moved by rounding
_MOST_NODES = 64  # per half-edge: a larger search is given up
_MOST_NODES_OF_ALL = 1 << 20  # of a search for several paths: 250 MB


class Solution(NamedTuple):
    """Result of a search for a shortest path."""

    status: int
    pieces: Floats  # (n, 9) lines and arcs: see TautPath
    length: float
    clearance: float
    crossed: tuple[int, ...] = ()  # half-edges that the search crossed; empty without a search
    method: str = "shortest"  # see Path
    refusal: BadQuery | NoPath | None = None  # why there is no path, if the solver explains it


class Balls(NamedTuple):
    """Result of a search for a corridor."""

    status: int
    balls: Floats  # (n, 4) x, y, 0, clearance
    pieces: Ints  # (n,) piece of the axis; overwritten by the thread's next search for a corridor
    shares: Floats  # (n,) share of the piece; likewise
    halves: Ints  # (k,)
    clearance: float  # clearance of an end that is too narrow, m


class Solver:
    """Searches one map. Safe to use from several threads: each has its own scratch memory.

    Attributes:
        index: search structures of the map.
        made_for: radius of the disc, m, for which the map was made; None: for every radius.
        uses_landmarks: whether landmarks are measured after many searches, without `prepare`.
        can_widen: whether paths may be moved to get the preferred clearance. Lines and arcs of a
            blended roadmap keep the clearance that it was built with.
        corner_edges: (ne,) edges that lead to a corner although an arc leads around it; None if
            the map has no arcs.

    """

    uses_landmarks = True
    can_widen = True
    corner_edges: Bools | None = None

    def __init__(self, index: Index) -> None:
        self.index = index
        self.made_for: float | None = None
        self._local = threading.local()
        self._solve: Any = None  # compiled code of `solve`
        self._kind: Any = None  # type of the arrays that it takes
        self._extract: Any = None  # compiled code of `extract`
        self._landmarks = NO_LANDMARKS
        self.tables: dict[float, TurnTable] = {}  # by radius, at least THIN
        self._measuring = threading.Lock()

    def explain_unlocated_end(
        self,
        what: str,
        point: Floats,
        contact: Floats,  # noqa: ARG002  # a solver of a roadmap names it
        radius: float,
    ) -> BadQuery | NoPath:
        """Return the error for a start or goal that is not on the map; `contact`: nearest wall."""
        return BadQuery(
            f"the {what} {self.text_of(point)} is inside an obstacle or outside the map: "
            f"{self.describe_free_point(point, radius)}"
        )

    def describe_free_point(self, point: Floats, radius: float) -> str:
        """Describe the nearest point at which a disc fits, as printed, for an error message."""
        place = self.nearest_fitting(point, radius + _ROUNDED)
        if place is None:
            return f"a disc of radius {radius:g} m fits nowhere there, or hardly anywhere"
        away = float(hypot(*(point[:2] - place)))
        disc = f" for a radius of {radius:g} m" if radius > THIN else ""
        return f"the nearest free point{disc} is {away:.3f} m away at {as_text(place)}"

    def nearest_fitting(self, point: Floats, radius: float) -> Floats | None:
        """Return the nearest point (x, y) at which a disc fits; None if it fits nowhere."""
        place: Floats = nearest_fitting(point[None], radius, self.index)[0]
        return None if np.isnan(place).any() else place

    def locate(self, *points: Floats) -> tuple[Ints, Floats]:
        """Locate a few points: pieces (n,), values (n, 6) with the columns of kernels/locate."""
        return locate(np.vstack(points), self.index)

    def text_of(self, point: Floats) -> str:
        """Return a point for messages."""
        return as_text(point)

    def name_of_edge(self, edge: int) -> str:  # noqa: ARG002  # that of a building does
        """Name of the floor or link of an edge; empty if the map is not of a building."""
        return ""

    @property
    def is_roadmap(self) -> bool:
        """Whether the map was made from a roadmap."""
        return self.index.boundaries.of_roadmap

    @cached_property
    def extent(self) -> float:
        """Longest side of the box around all walls, m: the largest sensible radius."""
        corners = self.index.grid.walls.reshape(-1, 2)
        return float(np.ptp(corners, axis=0).max())

    @property
    def workspace(self) -> SearchWorkspace:
        """Scratch memory of the calling thread for searches of shortest paths."""
        try:
            workspace: SearchWorkspace = self._local.workspace
        except AttributeError:
            self._grow(1 << 14, _PIECES)
            return self._local.workspace  # type: ignore[no-any-return]
        if workspace.landmarks is not self._landmarks.distances:
            self._grow(len(workspace.queue), len(self._local.out))
            return self._local.workspace  # type: ignore[no-any-return]
        return workspace

    def _grow(self, nodes: int, pieces: int) -> None:
        self._local.workspace = _make_workspace(self.index, nodes, self._landmarks)
        self._local.out = np.empty((pieces, N_COLUMNS))
        self._local.held = {}

    def _hold(self, radius: float, index: Index) -> Held:
        """Unpack the arrays of a search; for the solver's own index, once for each table."""
        table = NO_TABLE
        if self.tables:
            table = self.tables.get(max(radius, THIN), NO_TABLE)
        known: dict[int, Held] = self._local.held
        if index is self.index and (held := known.get(id(table))) is not None:
            return held
        if index is not self.index:
            table = NO_TABLE
        values = (self._local.out, self._local.workspace, index, table, make_turn_workspace(table))
        held = hold(values, self._kind)
        self._kind = held.kind
        if index is self.index:
            known[id(table)] = held
        return held

    @property
    def landmarks(self) -> Landmarks:
        """Landmarks that bound searches from below; none before they were measured."""
        return self._landmarks

    def measure_landmarks(self) -> None:
        """Measure the landmarks, if that was not done: all further searches use them.

        They change no path. A thread does this once searches have taken as long as it takes.
        """
        with self._measuring:
            if self._landmarks is NO_LANDMARKS:
                self._landmarks = measure_landmarks(self.index, _make_workspace)
                self.uses_landmarks = len(self._landmarks.places) > 0  # a map without corners

    def prepare(self, radius: float, *, wait: bool) -> None:
        """Make the table of turns for a radius, if there is none, and the landmarks."""
        if not wait:
            threading.Thread(target=self._prepare, args=(radius,), daemon=True).start()
        elif not self._prepare(radius):
            raise BadQuery(
                f"a table for the radius {radius:g} m would have more than {MOST_LABELS:,} labels: "
                "the map has too many corners; paths are searched as before"
            )

    def _prepare(self, radius: float) -> bool:
        self.measure_landmarks()
        with self._measuring:
            disc = max(radius, THIN)
            if disc not in self.tables:
                table = make_table(self.index, disc)
                if table is None:
                    return False
                self.tables = {**self.tables, disc: table}
        return True

    def _measure_if_worth_it(self, workspace: SearchWorkspace) -> None:
        """Start to measure the landmarks in the background after enough searches."""
        if (
            self._landmarks is NO_LANDMARKS
            and self.uses_landmarks
            and len(self.index.graph.out) <= _LARGEST_WITHOUT_ASKING
            and workspace.count[ALL_NODES] > _NODES_BEFORE_LANDMARKS * len(self.index.graph.out)
            and not self._measuring.locked()
        ):
            threading.Thread(target=self.measure_landmarks, daemon=True).start()

    @property
    def graph_workspace(self) -> GraphWorkspace:
        """Scratch memory of the calling thread for searches along the axis."""
        try:
            return self._local.graph_workspace  # type: ignore[no-any-return]
        except AttributeError:
            axis = self.index.axis
            self._local.graph_workspace = make_graph_workspace(
                len(axis.vertices), len(axis.edges), self._vertex_landmarks
            )
            return self._local.graph_workspace  # type: ignore[no-any-return]

    @property
    def balls(self) -> BallBuffer:
        """Memory of the calling thread for the balls of a corridor."""
        try:
            return self._local.balls  # type: ignore[no-any-return]
        except AttributeError:
            self._grow_balls(_BALLS)
            return self._local.balls  # type: ignore[no-any-return]

    def _grow_balls(self, count: int) -> None:
        self._local.balls = BallBuffer(
            np.empty((count, 4)), np.empty(count, np.int64), np.empty(count)
        )

    @cached_property
    def _vertex_landmarks(self) -> Floats:
        """Distances along the axis from vertices, computed for the first corridor."""
        return landmark_distances(self.index.graph, LANDMARKS)

    def corridor(
        self,
        start: Floats | Point,
        goal: Floats | Point,
        radius: float,
        *,
        step: float = SPACING,
        index: Index | None = None,
    ) -> Balls:
        """Return balls along the shortest backbone; scratch memory grows as needed.

        `index`, if given, is the solver's own index with some edges narrowed.
        """
        (sx, sy), (gx, gy), workspace = start, goal, self.graph_workspace
        while True:
            out = self.balls
            arguments = (sx, sy, gx, gy, radius, step, out, index or self.index, workspace)
            if self._extract is None:
                self._extract = entry(extract, *arguments)
            status, n, count, clearance = self._extract(*arguments)
            if status != FULL:
                halves = workspace.halves[:count].astype(np.int64)
                balls, pieces, shares = out
                return Balls(status, balls[:n].copy(), pieces[:n], shares[:n], halves, clearance)
            self._grow_balls(4 * len(out.balls))

    def corridor_along(self, start: Floats, goal: Floats, halves: Ints, radius: float) -> Balls:
        """Return balls along the given half-edges."""
        workspace = self.graph_workspace
        workspace.halves[: len(halves)] = halves
        while True:
            out = self.balls
            n = balls_along(*start, *goal, radius, SPACING, len(halves), out, self.index, workspace)
            if n >= 0:
                balls, pieces, shares = out
                return Balls(FOUND, balls[:n].copy(), pieces[:n], shares[:n], halves, 0.0)
            self._grow_balls(4 * len(out.balls))

    def solve(
        self,
        start: Floats | Point,
        goal: Floats | Point,
        radius: float,
        *,
        shortcut: bool = True,
        index: Index | None = None,
    ) -> Solution:
        """Answer one query; scratch memory grows as needed.

        With `shortcut` a free straight line is returned without a search.
        `index`, if given, is the solver's own index with some edges narrowed.
        """
        found = None
        while found is None:
            found = self._try(start, goal, radius, index or self.index, shortcut=shortcut)
        return found

    def _try(
        self,
        start: Floats | Point,
        goal: Floats | Point,
        radius: float,
        index: Index,
        *,
        shortcut: bool,
    ) -> Solution | None:
        """Answer one query; None if the scratch memory was too small and was enlarged."""
        workspace, held = self.workspace, self._hold(radius, index)
        (sx, sy), (gx, gy) = start, goal
        arguments = (sx, sy, gx, gy, radius, shortcut, held.address, held.kind)
        if self._solve is None:
            self._solve = entry(solve, *arguments)
        status, rows, length, clearance, count = self._solve(*arguments)
        if self._landmarks is NO_LANDMARKS:
            self._measure_if_worth_it(workspace)
        if status == FULL:
            most = max(_MOST_NODES * len(self.index.graph.out), 1 << 16)
            if len(workspace.queue) <= most:
                self._grow(4 * len(workspace.queue), 4 * len(held.values[0]))
                return None
        crossed = tuple(workspace.halves[:count].tolist()) if count else ()
        return Solution(status, held.values[0][:rows].copy(), length, clearance, crossed)

    def solve_alternatives(
        self,
        start: Floats,
        goal: Floats,
        radius: float,
        *,
        most: int,
        shortest: float,
        longest: float,
    ) -> list[Solution] | None:
        """Return the shortest paths in different corridors, shortest first; None: too many nodes.

        `shortest` is the length of the shortest path, `longest` a limit, m.
        """
        limits = (radius, most, shortest, longest)
        found = self._solve_alternatives(start, goal, *limits)
        if found is None:
            return None
        paths, failed = found
        if failed:  # a search in the other direction finds what this one missed
            found = self._solve_alternatives(goal, start, *limits)
            if found is None:
                return None
            for chain, solution in found[0].items():
                paths.setdefault(
                    tuple((corner, -turn) for corner, turn in reversed(chain)),
                    reversed_solution(solution),
                )
        return sorted(paths.values(), key=lambda solution: solution.length)[:most]

    def _solve_alternatives(
        self,
        start: Floats,
        goal: Floats,
        radius: float,
        most: int,
        shortest: float,
        longest: float,
    ) -> tuple[dict[tuple[tuple[int, int], ...], Solution], bool] | None:
        """Search in one direction: solutions by the corners at which they turn, and if one failed.

        None if the search needs too much memory.
        """
        nodes, pieces = 1 << 14, 64 * most
        while True:
            back = _make_workspace(self.index, nodes)
            workspace = _make_workspace(self.index, nodes)._replace(to_goal=back.turns)
            out = PathBuffer(
                np.empty((pieces, N_COLUMNS)),
                np.empty(4 * pieces, np.int32),
                np.empty((pieces, 2), np.int32),
                np.zeros((most + 1, 3), np.int64),
                np.empty((most, 2)),
            )
            status, count, failed = find_paths(
                *start, *goal, radius, most, shortest, longest, out, workspace, back, self.index
            )
            if status != FULL:
                break
            nodes, pieces = 4 * nodes, 4 * pieces
            if nodes > _MOST_NODES_OF_ALL:
                return None
        paths = {}
        for k in range(count):
            (row, half, corner), (last_row, last_half, last_corner) = out.ends[k : k + 2].tolist()
            chain = tuple((c, turn) for c, turn in out.chains[corner:last_corner].tolist())
            length, clearance = out.certificates[k].tolist()
            halves = tuple(out.halves[half:last_half].tolist())
            pieces_of_path = out.pieces[row:last_row].copy()
            paths[chain] = Solution(FOUND, pieces_of_path, length, clearance, halves)
        return paths, failed

    def solve_many(
        self, starts: Floats, goals: Floats, radius: float, *, threads: int
    ) -> list[Solution]:
        """Answer many queries on several threads; the kernel runs without Python's lock."""
        parts = [
            slice(first, min(first + _BATCH, len(starts)))
            for first in range(0, len(starts), _BATCH)
        ]
        with ThreadPoolExecutor(max_workers=threads) as pool:
            batches = pool.map(
                lambda part: self._solve_batch(starts[part], goals[part], radius), parts
            )
            return [solution for batch in batches for solution in batch]

    def measure_distances(
        self, start: Floats, points: Floats, radius: float, *, threads: int
    ) -> tuple[Floats, Ints]:
        """Return the lengths of the shortest paths to points (n, 2), (n,) m, and statuses (n,).

        By one search of the map. Infinite if there is no path, or with the status NOWHERE, if this
        search found none.
        """
        back = self._sweep(start, radius)
        lengths, statuses = np.empty(len(points)), np.empty(len(points), np.int64)

        def measure(first: int) -> None:
            part = slice(first, first + _BATCH)
            measure_distances(
                *start.tolist(), points[part], radius, lengths[part], statuses[part],
                self.workspace, back, self.index,
            )  # fmt: skip

        with ThreadPoolExecutor(max_workers=threads) as pool:
            list(pool.map(measure, range(0, len(points), _BATCH)))
        return lengths, statuses

    def _sweep(self, start: Floats, radius: float) -> SearchWorkspace:
        """Return the workspace of a search of the whole map from a start."""
        capacity = 8 * len(self.index.graph.out)
        while True:
            workspace = _make_workspace(self.index, capacity)
            if sweep_from(*start.tolist(), radius, workspace, self.index):
                return workspace
            capacity *= 2

    @property
    def _batch_pieces(self) -> Floats:
        """Memory of the calling thread for the paths of `_solve_batch`."""
        try:
            return self._local.batch_pieces  # type: ignore[no-any-return]
        except AttributeError:
            self._local.batch_pieces = np.empty((_BATCH, _BATCH_PIECES, N_COLUMNS))
            return self._local.batch_pieces  # type: ignore[no-any-return]

    def _solve_batch(self, starts: Floats, goals: Floats, radius: float) -> list[Solution]:
        n, workspace, out = len(starts), self.workspace, self._batch_pieces
        rows, statuses, certificates = np.zeros(n, int), np.zeros(n, int), np.zeros((n, 2))
        *_, table, work = self._hold(radius, self.index).values
        arrays = (out, rows, certificates, statuses)
        solve_many(starts, goals, radius, *arrays, workspace, self.index, table, work)
        self._measure_if_worth_it(workspace)
        return [
            self.solve(starts[k], goals[k], radius)
            if status == FULL
            else Solution(status, out[k, :count].copy(), length, clearance)
            for k, (status, count, (length, clearance)) in enumerate(
                zip(statuses.tolist(), rows.tolist(), certificates.tolist(), strict=True)
            )
        ]


def reversed_solution(solution: Solution) -> Solution:
    """Return the same path from its goal to its start."""
    pieces = solution.pieces[::-1].copy()
    pieces[:, [X0, Y0, X1, Y1]] = pieces[:, [X1, Y1, X0, Y0]]
    pieces[:, SWEEP] *= -1.0
    crossed = tuple(half ^ 1 for half in reversed(solution.crossed))
    return solution._replace(pieces=pieces, crossed=crossed)


def _make_workspace(
    index: Index, capacity: int, landmarks: Landmarks = NO_LANDMARKS
) -> SearchWorkspace:
    """Allocate a workspace for searches of about `capacity` nodes."""
    # Along a half-edge a node creates at most two others at each point.
    step = 4 * int(np.diff(index.corners.offsets).max()) + 2 * int(
        np.diff(index.graph.offsets).max()
    )
    capacity = max(capacity, 4 * step)
    return SearchWorkspace(
        floats=np.empty((capacity, N_FLOATS)),
        ints=np.empty((capacity, N_INTS), np.int32),
        keys=np.empty(capacity),
        queue=np.empty(capacity, np.int32),
        halves=np.empty(capacity, np.int32),
        turns=np.zeros((2 * len(index.axis.sites), 4)),
        second_turns=np.zeros((2 * len(index.axis.sites), 5)),
        marks=np.zeros(len(index.axis.edges), np.int64),
        count=np.array([0, 0, 0, step + 64, 0, 0, 0, 0, 0, 0, _FEW]),
        chain=np.empty((capacity // 4, 2), np.int32),
        tangents=np.empty((capacity // 4 + 1, 6)),
        limit=np.array([np.inf, 0.0, landmarks.error]),
        to_goal=np.zeros((0, 4)),
        polyline=np.empty((capacity + 2, 2)),
        on_path=np.zeros(len(index.axis.edges), np.bool_),
        landmarks=landmarks.distances,
        goal_distances=np.empty(landmarks.distances.shape[1]),
        active=np.zeros(min(ACTIVE, landmarks.distances.shape[1]), np.int64),
        bounds=np.zeros((len(index.corners.xy), 2)),
        portals=np.empty((2 * len(index.axis.edges), 2)),
    )


def landmark_distances(graph: Graph, count: int) -> Floats:
    """Distances from each vertex to landmarks, (nv, count), for lower bounds.

    Each landmark is the vertex farthest from those before it (Goldberg and Harrelson, SODA 2005). A
    vertex in another component than a landmark gets the distance 0, which gives a trivial bound.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra  # slow to import

    heads = graph.edges[graph.out // 2, 1 - graph.out % 2]
    n = len(graph.offsets) - 1
    lengths = csr_array((graph.length[graph.out // 2], heads, graph.offsets), (n, n))
    table, nearest, source = np.empty((n, count)), np.full(n, np.inf), 0
    for column in range(count):
        table[:, column] = dijkstra(lengths, indices=source)
        nearest = np.minimum(nearest, table[:, column])
        # Every second landmark is in a component that has none, as long as there is one.
        reachable = nearest if column % 2 == 1 else np.where(nearest < np.inf, nearest, -1.0)
        source = int(reachable.argmax())
        if column == 0:  # the first vertex was arbitrary: start from the one farthest from it
            nearest[:] = np.inf
    table[table == np.inf] = 0.0
    return table
