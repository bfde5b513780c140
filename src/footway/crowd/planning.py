"""Plan requested paths; a budget per step keeps the duration of a step bounded."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway.crowd.kernels.planning import (
    FOUND,
    HALVES,
    NONE,
    STATUS,
    find_users,
    forget_routes,
    plan,
    set_off,
)
from footway.crowd.state import DRAWN, MODE, RADIUS, STAYING

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.corridor.kernels.layouts import Index
    from footway.corridor.search import Solver
    from footway.crowd.places import Places
    from footway.crowd.stepping import Engine
    from footway.crowd.terrain_routes import Routes

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_BATCH = 64  # requests per task of a thread
_SHARE = 500  # characters per path that a step may plan regardless of its length
_LEAST = 8  # paths that every step may plan
_SEARCH = 0.15  # half-edges of new paths per step and character: about the duration of a step
_SHORTEST = 8  # half-edges, least cost of a path
_LOST = 64  # half-edges, cost of finding that there is no path


class PathRequests(NamedTuple):
    """Requests of characters for a path to one of several places."""

    ids: Ints  # (n,)
    pools: Ints  # (n, 3) first place, number of places, goals drawn so far
    within: Floats  # (n,) m, greatest distance of a goal

    def part(self, rows: Any) -> PathRequests:
        """Return some of the requests."""
        return PathRequests(self.ids[rows], self.pools[rows], self.within[rows])


class Planner:
    """Plans paths in batches, and keeps the queue of requests."""

    def __init__(self, engine: Engine, solver: Solver, places: Places, routes: Routes) -> None:
        self._engine, self._solver, self._places = engine, solver, places
        self._routes = routes
        self.index: Index = solver.index  # with the edges that obstacles close
        self._queue: deque[int] = deque()
        self._keep_goal: dict[int, bool] = {}  # by id in the queue: whether to keep the goal

    def request(self, number: int, *, keep_goal: bool) -> None:
        """Queue a request; a character that is queued keeps its position with the new request."""
        if number not in self._keep_goal:
            self._queue.append(number)
        self._keep_goal[number] = keep_goal

    def cancel(self, number: int) -> None:
        """Cancel the request of a character."""
        self._keep_goal.pop(number, None)

    @property
    def share(self) -> int:
        """Number of paths that a step may plan, regardless of their length."""
        return max(_LEAST, self._engine.n // _SHARE)

    @property
    def budget(self) -> float:
        """Half-edges of further paths that a step may plan; independent of any clock."""
        return _SEARCH * self._engine.n

    def due(
        self, most: float | None = None, cost: Callable[[int, bool], int] | None = None
    ) -> list[tuple[int, bool]]:
        """Take the next requests from the queue: (id, whether to keep the goal).

        Their total cost is about `most` paths, by default the share of a step; `weigh` returns the
        cost of each request in paths.
        """
        left = float(self.share) if most is None else most
        chosen: list[tuple[int, bool]] = []
        while self._queue and left >= 1.0:
            number = self._queue.popleft()
            keep = self._keep_goal.pop(number, None)
            slot = self._engine.slot_of[number]
            if keep is None or slot < 0:
                continue
            if not keep or self._engine.state.track[slot, MODE] != STAYING:
                chosen.append((number, keep))
                left -= 1 if cost is None else cost(number, keep)
        return chosen

    def find(self, requests: PathRequests) -> NDArray[np.int32]:
        """Plan the requested paths and assign them; return the results (n, 5).

        If obstacles close every path, the path ignores them, and the character waits there.
        """
        everything = self._solver.index
        found = self._search(requests, self.index, give_up=self.index is everything)
        shut = found[:, STATUS] == NONE
        if shut.any() and self.index is not everything:
            found[shut] = self._search(requests.part(shut), everything, give_up=True)
        self._routes.follow(requests.ids[found[:, STATUS] == FOUND], self.index.graph)
        return found

    def _search(self, requests: PathRequests, index: Index, *, give_up: bool) -> NDArray[np.int32]:
        """Search in batches on all threads; the results do not depend on their number."""
        starts = list(range(0, len(requests.ids), _BATCH))
        parts = [requests.part(slice(a, a + _BATCH)) for a in starts]
        engine = self._engine
        if len(parts) > 1 and engine.threads > 1:
            answers = list(engine.workers.map(lambda part: self._batch(part, index), parts))
        else:
            answers = [self._batch(part, index) for part in parts]
        for part, (found, halves) in zip(parts, answers, strict=True):
            self._assign_paths(part, found, halves, give_up=give_up)
        return np.concatenate([np.empty((0, 5), np.int32), *(found for found, _ in answers)])

    def _batch(
        self, requests: PathRequests, index: Index
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        engine, places, workspace = self._engine, self._places, self._solver.graph_workspace
        slots = engine.slot_of[requests.ids]
        starts = engine.state.place[slots, :2]
        radii = engine.state.body[slots, RADIUS].astype(np.float64)
        found = np.zeros((len(slots), 5), np.int32)
        buffer = np.empty(4 * len(workspace.halves), np.int32)
        halves, done = [], 0
        while done < len(slots):
            before = done
            done = plan(
                done, starts, radii, requests.ids, requests.pools, requests.within, engine.seed,
                places.located, places.pieces, engine.tracks, index, workspace, found, buffer,
            )  # fmt: skip
            halves.append(buffer[: found[before:done, HALVES].sum()].copy())
        return found, np.concatenate(halves)

    def _assign_paths(
        self,
        requests: PathRequests,
        found: NDArray[np.int32],
        halves: NDArray[np.int32],
        *,
        give_up: bool,
    ) -> None:
        engine, places = self._engine, self._places
        slots = engine.slot_of[requests.ids]
        engine.state.story[slots, DRAWN] += 1
        done = 0
        while True:
            rest = halves[found[:done, HALVES].sum() :]
            done += set_off(
                slots[done:], found[done:], rest, give_up, places.located, places.reach,
                engine.state, engine.pool, engine.lists, engine.tracks,
            )  # fmt: skip
            if done == len(slots):
                return
            engine.pool = np.concatenate([engine.pool, np.zeros_like(engine.pool)])

    def forget(self, ids: Ints) -> None:
        """Free the paths of characters that leave."""
        engine = self._engine
        forget_routes(engine.slot_of[ids], engine.state, engine.pool, engine.lists)
        self._routes.forget(ids)

    def using(self, edges: Ints) -> Ints:
        """Return ids of characters whose path uses one of these edges, where they do not fit."""
        engine = self._engine
        if not len(edges):
            return np.empty(0, np.int64)
        marked = np.zeros(len(self.index.graph.clearance), bool)
        marked[edges] = True
        ids = np.empty(engine.n, np.int64)
        count = find_users(
            engine.n, marked, self.index.graph.clearance, engine.state, engine.pool, ids
        )
        return np.sort(ids[:count])

    @property
    def waiting(self) -> list[tuple[int, bool]]:
        """The queue, for a checkpoint."""
        return [
            (number, self._keep_goal[number]) for number in self._queue if number in self._keep_goal
        ]


def cost_of(found: NDArray[np.int32]) -> Ints:
    """Return the cost of searches in half-edges (n,), about 1 or 2 microseconds each."""
    halves = np.maximum(found[:, HALVES].astype(np.int64), _SHORTEST)
    return np.where(found[:, STATUS] == FOUND, halves, _LOST)
