"""An index with the scratch memory to search it."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.corridor._path_kernels import solve, solve_many
from footway.corridor._search_kernels import FULL
from footway.corridor.workspace import Workspace, make_workspace

if TYPE_CHECKING:
    from footway.corridor.index import Index
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_PIECES = 512  # lines and arcs of a path before the output grows
_BATCH = 1024  # queries of one parallel call: keeps its output to a few megabytes
_BATCH_PIECES = 192


class Solution(NamedTuple):
    """What the kernel found."""

    status: int
    pieces: Floats  # (n, 9)
    length: float
    clearance: float
    node: int  # last node of the search, for reading the corridor


class Solver:
    """Searches one map. Safe to use from several threads: each has memory of its own."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._local = threading.local()

    @property
    def workspace(self) -> Workspace:
        """This thread's scratch memory."""
        try:
            return self._local.workspace  # type: ignore[no-any-return]
        except AttributeError:
            self._grow(1 << 14, _PIECES)
            return self._local.workspace  # type: ignore[no-any-return]

    def _grow(self, nodes: int, pieces: int) -> None:
        self._local.workspace = make_workspace(self.index, capacity=nodes)
        self._local.out = np.empty((pieces, 9))

    def solve(self, start: Floats, goal: Floats, radius: float) -> Solution:
        """Answer one query; the memory grows until it is enough."""
        workspace = self.workspace
        while True:
            out = self._local.out
            status, rows, length, clearance, node = solve(
                start[0], start[1], goal[0], goal[1], radius, out, workspace, self.index
            )
            if status != FULL:
                return Solution(status, out[:rows].copy(), length, clearance, node)
            self._grow(4 * len(workspace.heap), 4 * len(out))
            workspace = self.workspace

    def solve_many(self, starts: Floats, goals: Floats, radius: float) -> list[Solution]:
        """Answer many queries on all cores."""
        threads = min(int(os.environ.get("NUMBA_NUM_THREADS", os.cpu_count() or 1)), len(starts))
        workspaces = tuple(make_workspace(self.index) for _ in range(threads))
        out = np.empty((min(_BATCH, len(starts)), _BATCH_PIECES, 9))
        solutions: list[Solution] = []
        for first in range(0, len(starts), _BATCH):
            part = slice(first, first + _BATCH)
            solutions += self._solve_batch(starts[part], goals[part], radius, out, workspaces)
        return solutions

    def _solve_batch(
        self,
        starts: Floats,
        goals: Floats,
        radius: float,
        out: Floats,
        workspaces: tuple[Workspace, ...],
    ) -> list[Solution]:
        n = len(starts)
        rows, statuses, certificates = np.zeros(n, int), np.zeros(n, int), np.zeros((n, 2))
        solve_many(
            starts, goals, radius, out, rows, certificates, statuses, workspaces, self.index
        )
        return [
            self.solve(starts[k], goals[k], radius)
            if statuses[k] == FULL
            else Solution(int(statuses[k]), out[k, : rows[k]].copy(), *certificates[k], -1)
            for k in range(n)
        ]
