"""Search one map, with scratch memory for each thread."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway.constants import LANDMARKS
from footway.corridor.kernels.backbone import balls_along, extract
from footway.corridor.kernels.graph_search import GraphWorkspace, make_graph_workspace
from footway.corridor.kernels.landmark import landmark_distances
from footway.corridor.kernels.path import solve, solve_many
from footway.corridor.kernels.search import FOUND, FULL
from footway.corridor.workspace import Workspace, make_workspace
from footway.errors import BadQuery
from footway.validation import as_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Index
    from footway.errors import NoPath

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

SPACING = 0.5  # m, largest distance between balls of a corridor
_BALLS = 1 << 12  # initial capacity: balls of a corridor
_PIECES = 512  # initial capacity: lines and arcs of a path
_BATCH = 64  # queries per task of a thread pool
_BATCH_PIECES = 256
_MOST_NODES = 64  # per half-edge: a larger search is given up


class Solution(NamedTuple):
    """Result of a search for a shortest path."""

    status: int
    pieces: Floats  # (n, 9)
    length: float
    clearance: float
    node: int  # last node of the search, from which the corridor is read
    method: str = "shortest"  # see Path
    refusal: BadQuery | NoPath | None = None  # why there is no path, if the solver explains it


class Balls(NamedTuple):
    """Result of a search for a corridor."""

    status: int
    balls: Floats  # (n, 4) x, y, 0, clearance
    piece: Ints  # (n,) piece of the axis; overwritten by the thread's next search for a corridor
    share: Floats  # (n,) share of the piece; likewise
    halves: Ints  # (k,)
    clearance: float  # clearance of an end that is too narrow, m


class Solver:
    """Searches one map. Safe to use from several threads: each has its own scratch memory.

    Attributes:
        index: search structures of the map.
        made_for: radius of the disc, m, for which the map was made; None: for every radius.
        can_widen: whether paths may be moved to get the preferred clearance. Lines and arcs of a
            blended roadmap keep the clearance that it was built with.

    """

    can_widen = True

    def __init__(self, index: Index) -> None:
        self.index = index
        self.made_for: float | None = None
        self._local = threading.local()

    def explain_unlocated_end(
        self,
        what: str,
        point: Floats,
        contact: Floats,
        radius: float,  # noqa: ARG002  # a solver of a roadmap distinguishes by it
    ) -> BadQuery | NoPath:
        """Return the error for a start or goal that is not on the map; `contact`: nearest wall."""
        distance = float(hypot(*(point - contact)))
        return BadQuery(
            f"the {what} {as_text(point)} is inside an obstacle or outside the map: "
            f"the nearest free point is {distance:.3f} m away at {as_text(contact)}"
        )

    @cached_property
    def extent(self) -> float:
        """Longest side of the box around all walls, m: the largest sensible radius."""
        corners = self.index.grid.walls.reshape(-1, 2)
        return float(np.ptp(corners, axis=0).max())

    @property
    def workspace(self) -> Workspace:
        """Scratch memory of the calling thread."""
        try:
            return self._local.workspace  # type: ignore[no-any-return]
        except AttributeError:
            self._grow(1 << 14, _PIECES)
            return self._local.workspace  # type: ignore[no-any-return]

    def _grow(self, nodes: int, pieces: int) -> None:
        self._local.workspace = make_workspace(self.index, capacity=nodes)
        self._local.out = np.empty((pieces, 9))

    @property
    def ladder(self) -> GraphWorkspace:
        """Scratch memory of the calling thread for searches along the axis."""
        try:
            return self._local.ladder  # type: ignore[no-any-return]
        except AttributeError:
            self._local.ladder = make_graph_workspace(
                len(self.index.axis.vertices), len(self.index.axis.edges), self._landmarks
            )
            self._grow_balls(_BALLS)
            return self._local.ladder  # type: ignore[no-any-return]

    @property
    def balls(self) -> tuple[Floats, Ints, Floats]:
        """Scratch memory of the calling thread for the balls of a corridor and their places."""
        _ = self.ladder
        return self._local.balls  # type: ignore[no-any-return]

    @cached_property
    def _landmarks(self) -> Floats:
        """Distances from landmarks, computed for the first corridor; paths do not need them."""
        graph = self.index.graph
        found: Floats = landmark_distances(
            graph.edges, graph.offsets, graph.out, graph.length, LANDMARKS
        )
        return found

    def _grow_balls(self, count: int) -> None:
        self._local.balls = np.empty((count, 4)), np.empty(count, np.int64), np.empty(count)

    def corridor(
        self,
        start: Floats,
        goal: Floats,
        radius: float,
        *,
        step: float = SPACING,
        index: Index | None = None,
    ) -> Balls:
        """Return balls along the shortest backbone; scratch memory grows as needed.

        `index`, if given, is the solver's own index with some edges narrowed.
        """
        ladder = self.ladder
        while True:
            balls, piece, share = self._local.balls
            status, n, count, clearance = extract(
                start[0], start[1], goal[0], goal[1], radius, step, balls, piece, share,
                index or self.index, ladder,
            )  # fmt: skip
            if status != FULL:
                halves = ladder.halves[:count].astype(np.int64)
                return Balls(status, balls[:n].copy(), piece[:n], share[:n], halves, clearance)
            self._grow_balls(4 * len(balls))

    def corridor_along(
        self, start: Floats, goal: Floats, halves: Ints, radius: float, *, step: float = SPACING
    ) -> Balls:
        """Return balls along the given half-edges."""
        ladder = self.ladder
        ladder.halves[: len(halves)] = halves
        while True:
            balls, piece, share = self._local.balls
            n = balls_along(
                start[0], start[1], goal[0], goal[1], len(halves), radius, step,
                balls, piece, share, self.index, ladder,
            )  # fmt: skip
            if n >= 0:
                return Balls(
                    FOUND, balls[:n].copy(), piece[:n].copy(), share[:n].copy(), halves, 0.0
                )
            self._grow_balls(4 * len(balls))

    def solve(
        self,
        start: Floats,
        goal: Floats,
        radius: float,
        *,
        shortcut: bool = True,
        index: Index | None = None,
    ) -> Solution:
        """Answer one query; scratch memory grows as needed.

        With `shortcut` a free straight line is returned without a search, and so without corridor.
        `index`, if given, is the solver's own index with some edges narrowed.
        """
        found = None
        while found is None:
            found = self._try(start, goal, radius, index or self.index, shortcut=shortcut)
        return found

    def _try(
        self, start: Floats, goal: Floats, radius: float, index: Index, *, shortcut: bool
    ) -> Solution | None:
        """Answer one query; None if the scratch memory was too small and was enlarged."""
        workspace = self.workspace
        out = self._local.out
        status, rows, length, clearance, node = solve(
            start[0], start[1], goal[0], goal[1], radius, shortcut, out, workspace, index
        )
        most = max(_MOST_NODES * len(self.index.graph.out), 1 << 16)
        if status == FULL and len(workspace.heap) <= most:
            self._grow(4 * len(workspace.heap), 4 * len(out))
            return None
        return Solution(status, out[:rows].copy(), length, clearance, node)

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

    def _solve_batch(self, starts: Floats, goals: Floats, radius: float) -> list[Solution]:
        n = len(starts)
        out = np.empty((n, _BATCH_PIECES, 9))
        rows, statuses, certificates = np.zeros(n, int), np.zeros(n, int), np.zeros((n, 2))
        solve_many(
            starts, goals, radius, out, rows, certificates, statuses, self.workspace, self.index
        )
        return [
            self.solve(starts[k], goals[k], radius)
            if status == FULL
            else Solution(status, out[k, :count].copy(), length, clearance, -1)
            for k, (status, count, (length, clearance)) in enumerate(
                zip(statuses.tolist(), rows.tolist(), certificates.tolist(), strict=True)
            )
        ]
