"""Requests of characters for goals and paths; a budget per step bounds the duration of a step.

requests after a step --> queue --> nearest destination --> search --> path, and route on terrain
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway.corridor.kernels.layouts import FOUND as SHORTEST_FOUND
from footway.corridor.kernels.query import are_connected
from footway.corridor.points import locate
from footway.crowd.kernels.layouts import (
    FIRST_GOAL,
    N_DRAWN,
    N_GOALS,
    ON_ROUTE,
    STAYING,
    Openings,
    PathPool,
    PathRequests,
)
from footway.crowd.kernels.planning import (
    FOUND,
    HALVES,
    NONE,
    STATUS,
    assign_paths,
    find_paths,
    find_users,
    forget_paths,
    start_wandering,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Index
    from footway.crowd.populations import Alternatives, Population
    from footway.crowd.simulation import Simulation

    Batches = list[tuple[Ints, NDArray[np.int32], NDArray[np.int32]]]


_BATCH = 64  # least requests per task of a thread
_BATCHES = 256  # tasks, if requests are many
_STRIP = 50.0  # m, width of the strips in whose order many requests are handled
_CHOICES = 16  # choices of a destination per task of a thread
_SHARE = 500  # characters per path that a step may plan regardless of its length
_LEAST = 8  # paths that every step may plan
_SEARCH = 0.15  # half-edges of new paths per step and character: about the duration of a step
_SHORTEST = 8  # half-edges, least cost of a path
_LOST = 64  # half-edges, cost of finding that there is no path
_ROUTE = 400  # cost of planning a route over terrain, in half-edges of paths
_CHOICE = 4  # cost of a shortest path, in paths

_POOL = 1 << 12  # half-edges, least capacity of the pool
_SMALLEST = 3  # log2 of the smallest block of the pool


def make_pool(sizes: Ints | None = None) -> tuple[PathPool, Ints]:
    """Return a pool with a block for each path of `sizes` half-edges; and where blocks begin."""
    sizes = np.empty(0, np.int64) if sizes is None else 1 << sizes
    used = int(sizes.sum())
    free = np.full(32, -1, np.int32)
    free[0] = used
    pool = PathPool(np.zeros(max(_POOL, 2 * used), np.int32), free)
    return pool, np.cumsum(sizes) - sizes


def block_size(count: Ints) -> Ints:
    """Return log2 of the size of blocks for so many half-edges. (n,)."""
    bits = np.frexp(np.maximum(count, 1) - 1)[1].astype(np.int64)  # 2**bits is count or more
    size: Ints = np.maximum(bits, _SMALLEST)
    return size


NO_OPENINGS = Openings(False, np.empty(0))


class Planner:
    """Plans paths in batches, and keeps the queue of requests."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.index: Index = simulation.index  # with the edges that obstacles close
        self.openings = NO_OPENINGS
        self.pool, _ = make_pool()
        self._queue: deque[int] = deque()
        self._keep_goal: dict[int, bool] = {}  # by id in the queue: whether to keep the goal

    # -- the queue ---------------------------------------------------------------------------

    def request(self, number: int, *, keep_goal: bool) -> None:
        """Queue a request; a character that is queued keeps its position with the new request."""
        if number not in self._keep_goal:
            self._queue.append(number)
        self._keep_goal[number] = keep_goal

    def cancel(self, number: int) -> None:
        """Cancel the request of a character."""
        self._keep_goal.pop(number, None)

    @property
    def waiting(self) -> list[tuple[int, bool]]:
        """The queue, for a checkpoint."""
        return [
            (number, self._keep_goal[number]) for number in self._queue if number in self._keep_goal
        ]

    @property
    def share(self) -> int:
        """Number of paths that a step may plan, regardless of their length."""
        return max(_LEAST, self._simulation.characters.n // _SHARE)

    def due(self, most: float | None = None) -> list[tuple[int, bool]]:
        """Take the next requests from the queue: (id, whether to keep the goal).

        Their total cost is about `most` paths, by default the share of a step.
        """
        characters = self._simulation.characters
        left = float(self.share) if most is None else most
        chosen: list[tuple[int, bool]] = []
        while self._queue and left >= 1.0:
            number = self._queue.popleft()
            keep = self._keep_goal.pop(number, None)
            slot = characters.slots(number)
            if keep is None or slot < 0:
                continue
            if not keep or characters.mode[slot] != STAYING:
                chosen.append((number, keep))
                left -= self._cost(number, keep)
        return chosen

    def _cost(self, number: int, keep: bool) -> int:
        """Return the cost of a request, in paths; a choice compares shortest paths."""
        choices = 1 if keep else self.n_alternatives(number)
        return 1 if choices == 1 else 1 + _CHOICE * choices

    def n_alternatives(self, number: int) -> int:
        """Return how many alternative destinations a character has."""
        characters = self._simulation.characters
        slot = characters.slots(number)
        population = self._simulation.populations[characters.population[slot]]
        return len(population.alternatives(characters.stage[slot]))

    def plan_within_budget(self) -> None:
        """Plan requested paths until the budget of a step is used up.

        The budget is a number of half-edges, since results must not depend on a clock.
        """
        characters = self._simulation.characters
        left, most = _SEARCH * characters.n, float(self.share)
        while most >= 1.0:
            due = self.due(most)
            if not due:
                return
            ids, keep = np.array([n for n, _ in due]), np.array([k for _, k in due])
            weights = np.array([self._cost(n, k) for n, k in due])
            costs = weights * search_costs(self.plan(ids, keep))
            costs[characters.follows[characters.slots(ids)] == ON_ROUTE] += _ROUTE
            left -= float(costs.sum())
            most = left * float(weights.sum()) / float(costs.sum())

    # -- paths -------------------------------------------------------------------------------

    def plan(self, ids: Ints, keep: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Plan and assign paths of characters (n,); those in `keep` keep their goal.

        Returns the results (n, 5): see `kernels.planning`. If obstacles close every path, the path
        ignores them, and the character waits there.
        """
        requests, is_narrowed = self.make_requests(ids, keep), self.openings.are_narrowed
        found = self._search(requests, self.index, self.openings, give_up=not is_narrowed)
        is_closed = found[:, STATUS] == NONE
        if is_closed.any() and is_narrowed:
            part, everything = requests.part(is_closed), self._simulation.open_index
            found[is_closed] = self._search(part, everything, NO_OPENINGS, give_up=True)
        self._simulation.routes.follow(ids[found[:, STATUS] == FOUND], self.index.graph)
        return found

    def make_requests(self, ids: Ints, keep: NDArray[np.bool_]) -> PathRequests:
        """Return path requests of characters (n,); those in `keep` keep their goal."""
        simulation, characters = self._simulation, self._simulation.characters
        slots = characters.slots(ids)
        ranges = np.zeros((len(ids), 3), np.int64)
        within, weights = np.full(len(ids), np.inf), np.zeros(len(ids))
        congestion, populations = simulation.congestion, simulation.populations
        n_stages = np.array([len(p.stages) for p in populations], np.int64)
        numbers = characters.population[slots].astype(np.int64)
        kinds = numbers << 32 | characters.stage[slots] % n_stages[numbers]
        for kind in np.unique(kinds).tolist():
            population, mine = populations[kind >> 32], kinds == kind
            within[mine], weights[mine] = population.within, congestion.weight(population)
            weights[mine & keep] *= 1.0 - population.profile.habit
            mine &= ~keep
            if not mine.any():
                continue
            alternatives = population.stages[kind & 0xFFFFFFFF]
            is_timed = simulation.floors is not None or weights[mine].any()
            choose = self.choose_fastest if is_timed else self.choose_nearest
            ranges[mine, :N_DRAWN] = (
                alternatives[0] if len(alternatives) == 1 else choose(ids[mine], alternatives)
            )
            if population.has_own_goals:
                ranges[mine, FIRST_GOAL] += ids[mine] - population.first
                ranges[mine, N_GOALS] = 1
        ranges[keep, FIRST_GOAL], ranges[keep, N_GOALS] = characters.goal[slots[keep]], 1
        ranges[:, N_DRAWN] = characters.drawn[slots]
        return PathRequests(
            ids, characters.position[slots], characters.radii(slots), ranges, within, weights,
            simulation.sheets_of(slots),
        )  # fmt: skip

    def _search(
        self, requests: PathRequests, index: Index, openings: Openings, *, give_up: bool
    ) -> NDArray[np.int32]:
        """Find and assign paths; return the results (n, 5)."""
        found = np.zeros((len(requests.ids), 5), np.int32)
        batches = self.find(requests, index, openings)
        self._reserve([answer for _, answer, _ in batches])
        if self._simulation.lifts is not None:  # those who choose a lift know all before them
            batches = [join_batches(batches)] if batches else []
        for rows, answer, halves in batches:
            found[rows] = answer
            self.assign(requests.ids[rows], answer, halves, give_up=give_up)
        return found

    def find(
        self, requests: PathRequests, index: Index, openings: Openings
    ) -> list[tuple[Ints, NDArray[np.int32], NDArray[np.int32]]]:
        """Find paths in batches on all threads; the results do not depend on their number.

        Returns for each batch the numbers of its requests (k,), the results (k, 5) and the
        half-edges of all its paths. The requests of a batch have the same weight of delays.
        """
        batches: list[Ints] = []
        for weight in np.unique(requests.weights):
            rows = np.flatnonzero(requests.weights == weight)
            if len(rows) > _BATCH:  # neighbours search the same part of the map, which is cached
                x, y = requests.starts[rows].T
                rows = rows[np.lexsort((y, x // _STRIP))]
            size = max(_BATCH, len(rows) // _BATCHES)
            batches += [rows[a : a + size] for a in range(0, len(rows), size)]
        answers = self._simulation.on_threads(
            lambda rows: self._find_batch(requests.part(rows), index, openings), batches
        )
        return [(rows, *answer) for rows, answer in zip(batches, answers, strict=True)]

    def _find_batch(
        self, requests: PathRequests, index: Index, openings: Openings
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the results (n, 5) of a batch, and the half-edges of all paths."""
        simulation, workspace = self._simulation, self._simulation.graph_workspace
        index, delays = simulation.congestion.include_delays(index, float(requests.weights[0]))
        found = np.zeros((len(requests.ids), 5), np.int32)
        buffer = np.empty(4 * len(workspace.halves), np.int32)
        halves, done = [], 0
        while done < len(requests.ids):
            before = done
            done = find_paths(
                done, requests, simulation.seed, simulation.goals.table, simulation.tracks,
                openings, delays, index, workspace, found, buffer,
            )  # fmt: skip
            halves.append(buffer[: found[before:done, HALVES].sum()].copy())
        return found, np.concatenate(halves)

    def assign(
        self, ids: Ints, found: NDArray[np.int32], halves: NDArray[np.int32], *, give_up: bool
    ) -> None:
        """Assign paths; if `give_up`, characters that have none count as unreachable."""
        simulation, characters = self._simulation, self._simulation.characters
        slots = characters.slots(ids)
        if simulation.lifts is not None:
            found, halves = simulation.lifts.choice.divert(ids, found, halves)
        characters.drawn[slots] += 1
        done = 0
        while True:
            rest = halves[found[:done, HALVES].sum() :]
            done += assign_paths(
                slots[done:], found[done:], rest, give_up, simulation.goals.table,
                characters.state, self.pool, simulation.tracks,
            )  # fmt: skip
            if done == len(slots):
                return
            self._grow_pool(2 * len(self.pool.halves))

    def _reserve(self, answers: list[NDArray[np.int32]]) -> None:
        """Make room for the paths of results (k, 5) at once: each growth copies the pool."""
        sizes = [block_size(found[:, HALVES].astype(np.int64)) for found in answers]
        more = sum(int((1 << size).sum()) for size in sizes)
        if self.pool.free[0] + more > 2 * len(self.pool.halves):
            self._grow_pool(int(self.pool.free[0]) + more)

    def _grow_pool(self, capacity: int) -> None:
        halves = np.zeros(capacity, np.int32)
        halves[: len(self.pool.halves)] = self.pool.halves
        self.pool = self.pool._replace(halves=halves)

    def start_wandering(self, ids: Ints, population: Population) -> None:
        """Put wanderers on the nearest edge."""
        simulation, characters = self._simulation, self._simulation.characters
        slots, seed = characters.slots(ids), simulation.seed + simulation.steps
        characters.weights_row[slots] = population.row
        if simulation.floors is None:
            start_wandering(slots, seed, characters.state, simulation.tracks, simulation.index)
        else:
            simulation.floors.start_wandering(slots, seed, simulation)

    def forget(self, ids: Ints) -> None:
        """Free the paths and cancel the requests of characters that leave."""
        for number in ids.tolist():
            self.cancel(number)
        characters = self._simulation.characters
        forget_paths(characters.slots(ids), characters.state, self.pool)
        self._simulation.routes.forget(ids)

    def users_of(self, edges: Ints) -> Ints:
        """Return ids of characters whose path uses one of these edges, where they do not fit."""
        if not len(edges):
            return np.empty(0, np.int64)
        characters, clearance = self._simulation.characters, self.index.graph.clearance
        is_marked = np.zeros(len(clearance), bool)
        is_marked[edges] = True
        ids = np.empty(characters.n, np.int64)
        count = find_users(
            characters.n, is_marked, clearance, characters.state, self.pool.halves, ids
        )
        return np.sort(ids[:count])

    # -- the nearest destination -------------------------------------------------------------

    def choose_fastest(self, ids: Ints, alternatives: Alternatives) -> Ints:
        """Return first goal and number of goals of the fastest destination, with delays. (n, 2).

        The cost of a destination is that of the path to its closest goal in a straight line.
        """
        simulation, characters = self._simulation, self._simulation.characters
        slots = characters.slots(ids)
        costs = np.full((len(ids), len(alternatives)), math.inf)
        weight = simulation.congestion.weight(
            simulation.populations[characters.population[slots[0]]]
        )
        for k, some in enumerate(alternatives):
            goals = np.array([
                some.first + int(hypot(*(simulation.goals.points[some.rows] - position).T).argmin())
                for position in characters.position[slots]
            ])  # fmt: skip
            ranges = np.column_stack([goals, np.ones_like(goals), np.zeros_like(goals)])
            anywhere, weights = np.full(len(ids), math.inf), np.full(len(ids), weight)
            requests = PathRequests(
                ids, characters.position[slots], characters.radii(slots), ranges, anywhere, weights,
                simulation.sheets_of(slots),
            )  # fmt: skip
            for rows, found, halves in self.find(requests, self.index, self.openings):
                costs[rows, k] = simulation.congestion.measure(found, halves, weights[rows])
        chosen: Ints = np.array(alternatives, np.int64)[costs.argmin(axis=1)]
        return chosen

    def choose_nearest(self, ids: Ints, alternatives: Alternatives) -> Ints:
        """Return first goal and number of goals of the nearest destination. (n, 2).

        The distance of a destination is the length of the shortest path to its closest goal in a
        straight line. Paths that obstacles close do not count, unless all are closed.
        """
        simulation = self._simulation
        slots = simulation.characters.slots(ids)
        positions = np.ascontiguousarray(simulation.characters.position[slots])
        pieces, _ = locate(positions, simulation.index)
        radii = simulation.characters.radii(slots)

        def choose(part: range) -> list[int]:
            return [
                self._nearest(positions[k], int(pieces[k]), float(radii[k]), alternatives)
                for k in part
            ]

        count = len(ids)
        parts = [range(a, min(a + _CHOICES, count)) for a in range(0, count, _CHOICES)]
        chosen = [k for answer in simulation.on_threads(choose, parts) for k in answer]
        return np.array(alternatives, np.int64)[np.array(chosen, np.int64)]

    def _nearest(
        self, position: Floats, piece: int, radius: float, alternatives: Alternatives
    ) -> int:
        """Return the number of the nearest destination; the first of equal ones."""
        goals, everything = self._simulation.goals, self._simulation.index
        distances, closest = [], []  # in a straight line, m; and goal
        for some in alternatives:
            away = hypot(*(goals.points[some.rows] - position).T)
            is_reachable = are_connected(piece, goals.table.pieces[some.rows], radius, everything)
            away[~is_reachable] = math.inf
            distances.append(float(away.min()))
            closest.append(some.first + int(away.argmin()))
        order = sorted(range(len(alternatives)), key=lambda k: distances[k])
        for index in (self.index, everything):
            best, least = order[0], math.inf
            for k in order:
                if distances[k] >= least:
                    break  # no path is shorter than the straight line
                length = self._length(position, radius, closest[k], index)
                if length < least:
                    best, least = k, length
            if least < math.inf:
                break
        return best

    def _length(self, position: Floats, radius: float, goal: int, index: Index) -> float:
        """Return the length of the shortest path, m; infinite if there is none."""
        solver, goals = self._simulation.map.solver, self._simulation.goals
        point, has_closed_edges = goals.points[goal], index is not solver.index
        if has_closed_edges:
            edge = index.graph.edge_of[goals.table.pieces[goal]]  # searches do not check this edge
            if index.graph.clearance[edge] < min(radius, solver.index.graph.clearance[edge]):
                return math.inf
            # The search for the shortest path would visit everything before it gives up.
            found = solver.corridor(position, point, radius, index=index)
            if found.status != SHORTEST_FOUND:
                return math.inf
        path = solver.solve(position, point, radius, shortcut=not has_closed_edges, index=index)
        return path.length if path.status == SHORTEST_FOUND else math.inf


def join_batches(batches: Batches) -> tuple[Ints, NDArray[np.int32], NDArray[np.int32]]:
    """Return the results of `Planner.find` as one batch, in the order of the requests."""
    rows = np.concatenate([rows for rows, _, _ in batches])
    found = np.concatenate([answer for _, answer, _ in batches])
    halves = np.concatenate([halves for _, _, halves in batches])
    order, paths = np.argsort(rows), np.split(halves, np.cumsum(found[:, HALVES])[:-1])
    return rows[order], found[order], np.concatenate([paths[k] for k in order.tolist()])


def search_costs(found: NDArray[np.int32]) -> Ints:
    """Return the cost of searches in half-edges (n,), about 1 or 2 microseconds each."""
    halves = np.maximum(found[:, HALVES].astype(np.int64), _SHORTEST)
    return np.where(found[:, STATUS] == FOUND, halves, _LOST)
