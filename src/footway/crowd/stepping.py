"""Engine: the arrays of a crowd, and the motion of all characters in a step.

sort by cells --> move all characters --> collect requests for goals and paths
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from footway.crowd.kernels.avoidance import RANGE
from footway.crowd.kernels.cells import begin_cells, count_cells, fill_cells
from footway.crowd.kernels.step import move_cells
from footway.crowd.state import (
    GONE,
    ID,
    MODE,
    NO_BLOCKS,
    NO_GUIDES,
    RADIUS,
    SPEED,
    State,
    grown,
    make_state,
    reordered,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.tracks import Tracks

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_REORDER = 32  # steps between two sorts of the memory by cells
_FEW = 2000  # characters below which one thread is faster
_CLOSE = 0.4  # m between discs, below which a step may use at most half of the gap
_BANDS = 4  # parts of the work per thread, for load balancing


class Engine:
    """State and motion of characters, independent of populations."""

    def __init__(
        self,
        cmap: CorridorMap,
        tracks: Tracks,
        *,
        seed: int,
        dt: float,
        threads: int,
        model: NDArray[np.float32],
    ) -> None:
        self.index = cmap.solver.index
        self.tracks = tracks
        self.seed, self.dt, self.threads = seed, dt, threads
        self.model = np.append(model, np.float32(_CLOSE))
        self.steps = 0
        self.n = 0  # slots in use, including those of removed characters
        self.state, self._spare = make_state(0), make_state(0)
        self.slot_of = np.empty(0, np.int32)  # by id; -1: not present
        self.pool = np.zeros(1 << 12, np.int32)  # half-edges of all paths
        self.lists = np.full(32, -1, np.int32)  # free blocks of the pool, by log2 of their length
        self.lists[0] = 0
        self.caps = np.empty(0, np.int32)
        self.own = np.empty((0, 2), np.float32)
        self.blocks = NO_BLOCKS
        self.guides = NO_GUIDES
        self._bounds = cmap.bounds
        self._workers: ThreadPoolExecutor | None = None
        self._fit_grid(0.25)

    # -- characters --------------------------------------------------------------------------

    def append(self, ids: Ints, **columns: Any) -> Ints:
        """Add characters and return their slots; `columns` are rows of the arrays by name."""
        first, end = self.n, self.n + len(ids)
        if end > len(self.state.place):
            capacity = max(end, 2 * len(self.state.place))
            self.state, self._spare = grown(self.state, capacity), make_state(capacity)
            self._fit_rows(capacity)
        for name, rows in columns.items():
            getattr(self.state, name)[first:end] = rows
        self.n = end
        if len(ids) and ids.max() >= len(self.slot_of):
            more = np.full(max(int(ids.max()) + 1, 2 * len(self.slot_of)), -1, np.int32)
            more[: len(self.slot_of)] = self.slot_of
            self.slot_of = more
        slots = np.arange(first, end)
        self.slot_of[ids] = slots
        self.fit_to(self.state.body[first:end])
        return slots

    def fit_to(self, bodies: NDArray[np.float32]) -> None:
        """Adapt the cells to the greatest radius, and the guarded gap to the greatest speed."""
        widest, fastest = bodies[:, RADIUS].max(initial=0.0), bodies[:, SPEED].max(initial=0.0)
        if widest > self.widest:
            self._fit_grid(float(widest))
        self.model[2] = max(self.model[2], min(RANGE, 2.2 * fastest * self.dt))

    def remove(self, ids: Ints) -> None:
        """Remove characters; their slots are reused after the next sort."""
        slots = self.slot_of[ids]
        self.state.track[slots, MODE] = GONE
        self.slot_of[ids] = -1

    def restore(self, state: State, slot_of: NDArray[np.int32], steps: int, widest: float) -> None:
        """Restore the state of a checkpoint."""
        self.state, self._spare = state, make_state(len(state.place))
        self.n, self.slot_of, self.steps = len(state.place), slot_of, steps
        self._fit_rows(self.n)
        self._fit_grid(widest)
        self.fit_to(state.body)

    @property
    def present(self) -> Ints:
        """Ids of all characters present, ascending."""
        return np.flatnonzero(self.slot_of >= 0)

    # -- memory ------------------------------------------------------------------------------

    def _fit_grid(self, widest: float) -> None:
        """Make cells as wide as the range of F_c, so that nine hold all neighbours (section 4)."""
        self.widest = widest
        size = RANGE + 2.0 * widest
        x0, y0, x1, y1 = self._bounds
        self.box = np.array([x0 - size, y0 - size, size])
        columns, rows = int((x1 - x0) / size) + 3, int((y1 - y0) / size) + 3
        self.shape = np.array([columns, rows])
        self._offsets = np.zeros(columns * rows + 1, np.int32)
        self._counts = np.zeros((self.threads, columns * rows), np.int32)

    def _fit_rows(self, capacity: int) -> None:
        self._cells = np.empty(capacity, np.int32)
        self._slots = np.empty(capacity, np.int32)
        self._bodies = np.empty((capacity, 5), np.float32)
        self._requests = np.empty((capacity, 2), np.int32)

    # -- the step ----------------------------------------------------------------------------

    def advance(self) -> NDArray[np.int32]:
        """Move all characters by one step; return requests (k, 2): id and kind, ascending by id."""
        if self.n == 0:
            self.steps += 1
            return np.empty((0, 2), np.int32)
        total = self._sort_bodies()
        if self.steps % _REORDER == 0:
            self._sort_slots(total)
        requests = self._move(total)
        self.steps += 1
        return requests[np.argsort(requests[:, 0])]

    def _sort_bodies(self) -> int:
        """Sort the bodies by cells; return their number."""
        threads = self._n_threads
        parts = _split(self.n, threads)
        cells = len(self._offsets) - 1

        def count(part: tuple[int, int, int]) -> None:
            k, a, b = part
            count_cells(a, b, cells, self.state, self.box, self.shape, self._cells, self._counts[k])

        def fill(part: tuple[int, int, int]) -> None:
            k, a, b = part
            fill_cells(
                a, b, cells, self.state, self.box, self.shape, self._cells, self._counts[k],
                self._bodies, self._slots,
            )  # fmt: skip

        self._on_threads(count, parts)
        total: int = begin_cells(cells, self._counts[: len(parts)], self._offsets)
        self._on_threads(fill, parts)
        return total

    def _sort_slots(self, total: int) -> None:
        """Sort the slots by cells, and drop those of removed characters."""
        order = self._slots[:total]
        self.state, self._spare = reordered(self.state, order, self._spare)
        if len(self.own):
            self.own = self.own[order]
        self.n = total
        self._slots[:total] = np.arange(total)
        self.slot_of[self.state.track[:total, ID]] = self._slots[:total]

    def _move(self, total: int) -> NDArray[np.int32]:
        threads = self._n_threads

        def move(part: tuple[int, int, int]) -> NDArray[np.int32]:
            _, a, b = part
            requests = self._requests[a:b]
            count = move_cells(
                a, b, self.steps, self.dt, self.seed, self.model, self.shape[0], self._offsets,
                self._bodies, self._slots, self.blocks, self.caps, self.own, self.state, self.pool,
                self.tracks, self.index, self.guides, requests,
            )  # fmt: skip
            return requests[:count]

        return np.concatenate(
            self._on_threads(move, _split(total, threads * _BANDS if threads > 1 else 1))
        )

    @property
    def _n_threads(self) -> int:
        return self.threads if self.n >= _FEW else 1

    def _on_threads(
        self, work: Callable[[Any], Any], parts: list[tuple[int, int, int]]
    ) -> list[Any]:
        """Run the work on every part, on all threads."""
        if len(parts) == 1:
            return [work(parts[0])]
        return list(self.workers.map(work, parts))

    @property
    def workers(self) -> ThreadPoolExecutor:
        """Threads that live as long as the crowd."""
        if self._workers is None:
            self._workers = ThreadPoolExecutor(max_workers=self.threads)
        return self._workers


def _split(n: int, parts: int) -> list[tuple[int, int, int]]:
    """Return number, begin and end of equal parts of n."""
    parts = max(1, min(parts, n))
    return [(k, k * n // parts, (k + 1) * n // parts) for k in range(parts)]
