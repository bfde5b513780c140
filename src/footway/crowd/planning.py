"""Ways for those who ask, some in every step, so that no step takes long."""

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

    from footway.corridor.index import Index
    from footway.corridor.solver import Solver
    from footway.crowd.places import Places
    from footway.crowd.stepping import Engine
    from footway.crowd.terrain_routes import Routes

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_BATCH = 64  # askers that a thread takes at a time
_SHARE = 500  # one in so many characters may get a new way in a step, however long it is
_LEAST = 8  # ways in a step that are always allowed
_SEARCH = 0.15  # half-edges of new ways in a step for each character: as long as a step takes
_SHORTEST = 8  # half-edges that a way costs at the least
_LOST = 64  # half-edges that it costs to find out that there is no way


class Wishes(NamedTuple):
    """Where characters want to go: to one of some places."""

    ids: Ints  # (n,)
    pools: Ints  # (n, 3) first place, number of places, goals drawn so far
    within: Floats  # (n,) m, greatest distance

    def part(self, rows: Any) -> Wishes:
        """Some of them."""
        return Wishes(self.ids[rows], self.pools[rows], self.within[rows])


class Planner:
    """Finds ways in batches, and keeps a queue of those who wait for one."""

    def __init__(self, engine: Engine, solver: Solver, places: Places, routes: Routes) -> None:
        self._engine, self._solver, self._places = engine, solver, places
        self._routes = routes
        self.index: Index = solver.index  # with what obstacles close
        self._queue: deque[int] = deque()
        self._wish: dict[int, bool] = {}  # of those in the queue: whether the goal stays

    def ask(self, number: int, *, keep_goal: bool) -> None:
        """Queue a character; who is in the queue already keeps its turn, with the new wish."""
        if number not in self._wish:
            self._queue.append(number)
        self._wish[number] = keep_goal

    def cancel(self, number: int) -> None:
        """Somebody wants nothing any more."""
        self._wish.pop(number, None)

    @property
    def share(self) -> int:
        """Ways that a step may have, however long they are."""
        return max(_LEAST, self._engine.n // _SHARE)

    @property
    def budget(self) -> float:
        """Half-edges of ways that a step may have beyond that: it depends on no clock."""
        return _SEARCH * self._engine.n

    def due(
        self, most: float | None = None, weigh: Callable[[int, bool], int] | None = None
    ) -> list[tuple[int, bool]]:
        """Those whose turn it is: (id, whether the goal stays).

        They weigh `most` together, the usual share of a step if it is not given; `weigh` says how
        many ways the wish of each is worth.
        """
        left = float(self.share) if most is None else most
        chosen: list[tuple[int, bool]] = []
        while self._queue and left >= 1.0:
            number = self._queue.popleft()
            keep = self._wish.pop(number, None)
            slot = self._engine.slot_of[number]
            if keep is None or slot < 0:
                continue
            if not keep or self._engine.state.track[slot, MODE] != STAYING:
                chosen.append((number, keep))
                left -= 1 if weigh is None else weigh(number, keep)
        return chosen

    def find(self, wishes: Wishes) -> NDArray[np.int32]:
        """Put characters on ways to where they want to go; (n, 5) what was found.

        Where obstacles close every way, the way is found as if they were not there: it waits.
        """
        everything = self._solver.index
        found = self._search(wishes, self.index, give_up=self.index is everything)
        shut = found[:, STATUS] == NONE
        if shut.any() and self.index is not everything:
            found[shut] = self._search(wishes.part(shut), everything, give_up=True)
        self._routes.follow(wishes.ids[found[:, STATUS] == FOUND], self.index.graph)
        return found

    def _search(self, wishes: Wishes, index: Index, *, give_up: bool) -> NDArray[np.int32]:
        """In batches on all threads; the answers do not depend on their number."""
        starts = list(range(0, len(wishes.ids), _BATCH))
        parts = [wishes.part(slice(a, a + _BATCH)) for a in starts]
        engine = self._engine
        if len(parts) > 1 and engine.threads > 1:
            answers = list(engine.workers.map(lambda part: self._batch(part, index), parts))
        else:
            answers = [self._batch(part, index) for part in parts]
        for part, (found, halves) in zip(parts, answers, strict=True):
            self._set_off(part, found, halves, give_up=give_up)
        return np.concatenate([np.empty((0, 5), np.int32), *(found for found, _ in answers)])

    def _batch(self, wishes: Wishes, index: Index) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        engine, places, ladder = self._engine, self._places, self._solver.ladder
        slots = engine.slot_of[wishes.ids]
        starts = engine.state.place[slots, :2]
        radii = engine.state.body[slots, RADIUS].astype(np.float64)
        found = np.zeros((len(slots), 5), np.int32)
        buffer = np.empty(4 * len(ladder.halves), np.int32)
        halves, done = [], 0
        while done < len(slots):
            before = done
            done = plan(
                done, starts, radii, wishes.ids, wishes.pools, wishes.within, engine.seed,
                places.spots, places.pieces, engine.tracks, index, ladder, found, buffer,
            )  # fmt: skip
            halves.append(buffer[: found[before:done, HALVES].sum()].copy())
        return found, np.concatenate(halves)

    def _set_off(
        self,
        wishes: Wishes,
        found: NDArray[np.int32],
        halves: NDArray[np.int32],
        *,
        give_up: bool,
    ) -> None:
        engine, places = self._engine, self._places
        slots = engine.slot_of[wishes.ids]
        engine.state.story[slots, DRAWN] += 1
        done = 0
        while True:
            rest = halves[found[:done, HALVES].sum() :]
            done += set_off(
                slots[done:], found[done:], rest, give_up, places.spots, places.reach, engine.state,
                engine.pool, engine.lists, engine.tracks,
            )  # fmt: skip
            if done == len(slots):
                return
            engine.pool = np.concatenate([engine.pool, np.zeros_like(engine.pool)])

    def forget(self, ids: Ints) -> None:
        """Free the routes of characters that leave."""
        engine = self._engine
        forget_routes(engine.slot_of[ids], engine.state, engine.pool, engine.lists)
        self._routes.forget(ids)

    def using(self, edges: Ints) -> Ints:
        """Ids of those whose way leads along one of these edges, where they do not fit now."""
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
        return [(number, self._wish[number]) for number in self._queue if number in self._wish]


def cost_of(found: NDArray[np.int32]) -> Ints:
    """What searches cost, as half-edges of ways (n,): about 1 or 2 microseconds each."""
    halves = np.maximum(found[:, HALVES].astype(np.int64), _SHORTEST)
    return np.where(found[:, STATUS] == FOUND, halves, _LOST)
