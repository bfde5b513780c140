"""Who uses which lift: paths with rides, what rides cost, and second thoughts of people who wait.

A ride costs its time and the expected wait: that of an idle lift, and one trip of the cabin up and
down for each full load of people who are to use it before. So crowds divide between lifts and
stairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from footway.crowd.kernels.layouts import PathRequests
from footway.crowd.kernels.planning import FOUND, GOAL_FOUND, HALVES, STATUS
from footway.crowd.lift_graph import waiting_seconds
from footway.crowd.lift_passengers import ABOARD, HEADING, QUEUED, Passenger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.arrays import Ints
    from footway.corridor.kernels.layouts import Index
    from footway.crowd.floors import Floors
    from footway.crowd.lifts import Lifts
    from footway.crowd.simulation import Simulation


_SHARE: Final = 4  # of the demand for a lift, that decides at the same time
_PATIENCE: Final = 15.0  # s, least wait after which people search for another path


class LiftChoice:
    """The choice of lifts by the people of a crowd."""

    def __init__(self, simulation: Simulation, floors: Floors, lifts: Lifts) -> None:
        self._simulation, self._floors, self._lifts = simulation, floors, lifts
        self._demand = [-1] * len(floors.shafts)

    def divert(
        self, ids: Ints, found: NDArray[np.int32], halves: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Let paths that use a lift end at its door, and note who uses it.

        The arguments are results of `Planner.find`; so is what is returned. If many choose a lift
        at once, they choose one part after the other, and know those before them.
        """
        rides = self._first_rides(found, halves)
        for row, number in enumerate(ids.tolist()):
            if row not in rides and found[row, STATUS] == FOUND:
                self._keep_or_drop(number, int(found[row, GOAL_FOUND]))
        if not rides:
            return found, halves
        found, parts = found.copy(), _split(found, halves)
        final = found[:, GOAL_FOUND].astype(np.int64)
        while rides:
            rows = self._next_part(rides)
            for row in rows:
                final[row] = self._register(int(ids[row]), rides.pop(row), int(final[row]))
            goals = [self._lifts.door_goal(self._lifts.passengers[int(ids[row])]) for row in rows]
            index = self._floors.without_lifts(self._simulation.planner.index)
            self._search(ids, rows, np.array(goals), index, found, parts)
            self.charge()
            if rides:
                rows = sorted(rides)
                index = self._simulation.planner.index
                self._search(ids, rows, final[rows], index, found, parts)
                rides = self._first_rides(found, np.concatenate(parts), rows)
        return found, np.concatenate(parts)

    def _first_rides(
        self, found: NDArray[np.int32], halves: NDArray[np.int32], rows: Sequence[int] = ()
    ) -> dict[int, int]:
        """Return the half-edge of the first ride of each path that has one, by row."""
        end = np.cumsum(found[:, HALVES])
        rides = np.flatnonzero(halves >= 2 * self._floors.n_edges)
        of = np.searchsorted(end, rides, side="right")
        of, first = np.unique(of, return_index=True)
        every = dict(zip(of.tolist(), halves[rides[first]].tolist(), strict=True))
        return {row: every[row] for row in rows if row in every} if len(rows) else every

    def _next_part(self, rides: dict[int, int]) -> list[int]:
        """Return the rows that choose now: a full load of each lift, or a share of its demand."""
        services = self._lifts.services
        room = [
            max(service.shaft.lift.capacity, demand // _SHARE)
            for service, demand in zip(services, self._demand, strict=True)
        ]
        rows = []
        for row in sorted(rides):
            lift = self._floors.ride_of(rides[row])[0]
            if room[lift] > 0:
                room[lift] -= 1
                rows.append(row)
        return rows

    def _search(
        self,
        ids: Ints,
        rows: Sequence[int],
        goals: Ints,
        index: Index,
        found: NDArray[np.int32],
        parts: list[NDArray[np.int32]],
    ) -> None:
        """Find paths of some rows to goals (n,), and write them to `found` and `parts`."""
        simulation, characters = self._simulation, self._simulation.characters
        some = ids[rows]
        slots = characters.slots(some)
        ranges = np.column_stack([goals, np.ones_like(goals), characters.drawn[slots]])
        populations = [simulation.populations[k] for k in characters.population[slots].tolist()]
        weights = np.array([simulation.congestion.weight(one) for one in populations])
        requests = PathRequests(
            some, characters.position[slots], characters.radii(slots), ranges,
            np.full(len(some), np.inf), weights, simulation.sheets_of(slots),
        )  # fmt: skip
        planner = simulation.planner
        for which, answer, path in planner.find(requests, index, planner.openings):
            for k, one, part in zip(which.tolist(), answer, _split(answer, path), strict=True):
                found[rows[k]], parts[rows[k]] = one, part

    def _keep_or_drop(self, number: int, goal: int) -> None:
        """Drop a passenger whose new path does not lead to the lift."""
        characters = self._simulation.characters
        if number in self._lifts.passengers and goal != characters.goal[characters.slots(number)]:
            self._lifts.forget([number])

    def _register(self, number: int, half: int, goal: int) -> int:
        """Register a passenger of a lift; return its goal behind the lift."""
        characters = self._simulation.characters
        before = self._lifts.passengers.get(number)
        if before is not None and goal == characters.goal[characters.slots(number)]:
            goal = before.goal  # to get to the door of one lift, it uses another one
        self._lifts.forget([number])
        lift, start, end = self._floors.ride_of(half)
        now = self._simulation.time
        until = now + self.patience(lift)
        self._lifts.passengers[number] = Passenger(
            number, lift, start, end, goal, HEADING, now, until
        )
        return goal

    def patience(self, lift: int) -> float:
        """Return the time for which somebody waits for a lift, s: as long as it expects."""
        return max(_PATIENCE, waiting_seconds(self._lifts.services[lift].shaft, self._demand[lift]))

    def reconsider(self) -> None:
        """Let people who have waited longer than expected search for another path."""
        now, characters = self._simulation.time, self._simulation.characters
        late = sorted(
            p.id
            for p in self._lifts.passengers.values()
            if p.until <= now
            and (p.stage == QUEUED or (p.stage == HEADING and self._lifts.is_closed(p.lift)))
        )
        if not late:
            return
        ids, rows = np.array(late), list(range(len(late)))
        found = np.zeros((len(ids), 5), np.int32)
        parts = [np.empty(0, np.int32)] * len(ids)
        goals = np.array([self._lifts.passengers[number].goal for number in late])
        index = self._simulation.planner.index
        self._search(ids, rows, goals, index, found, parts)
        rides = self._first_rides(found, np.concatenate(parts))
        leave = found[:, STATUS] == FOUND
        for row, number in enumerate(late):
            passenger = self._lifts.passengers[number]
            where = self._floors.ride_of(rides[row])[:2] if row in rides else None
            if not leave[row] or where == (passenger.lift, passenger.start):
                leave[row] = False
                passenger.until = now + self.patience(passenger.lift)
        if leave.any():
            characters.goal[characters.slots(ids[leave])] = goals[leave]
            self._lifts.forget(ids[leave].tolist())
            paths = [part for part, goes in zip(parts, leave, strict=True) if goes]
            self._simulation.planner.assign(
                ids[leave], found[leave], np.concatenate(paths), give_up=False
            )

    def charge(self) -> None:
        """Set the costs of rides by the expected waits."""
        # People who are to use a lift and are not inside yet.
        demand = [0] * len(self._lifts.services)
        for passenger in self._lifts.passengers.values():
            demand[passenger.lift] += passenger.stage != ABOARD
        for lift, service in enumerate(self._lifts.services):
            if demand[lift] != self._demand[lift]:
                self._floors.charge(lift, waiting_seconds(service.shaft, demand[lift]))
        self._demand = demand


def _split(found: NDArray[np.int32], halves: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Return the half-edges of each path."""
    return np.split(halves, np.cumsum(found[:, HALVES])[:-1])
