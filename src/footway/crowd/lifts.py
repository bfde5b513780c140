"""Lifts of a building: people wait, get in, ride and get out.

A path that uses a lift leads to its door first. Near the door, people join the queue at a place
beside the exit. When the doors are open, arriving people get out; then people who go in the
direction of travel get in, in the order in which they came, up to the capacity. In the cabin each
takes the free place that is farthest from the door. The doors shut once the doorway is free.
`lift_control` decides where the cabin goes.

    heading --> queued --> boarding --> aboard --> (out, on a new path to the goal)

A cabin has a sheet for each of its stops. People inside change from that of one stop to that of
the next when the doors open there. Nothing else moves anybody to another floor: doors that are shut
let nobody pass, and open ones only those who get in or out (see `kernels.floors`).

A ride costs its time and the expected wait: that of an idle lift, and one trip of the cabin up and
down for each full load of people who are to use it before. So crowds divide between lifts and
stairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway._numba.portable_math import hypot
from footway.crowd.kernels.floors import DOORS, OPEN, SHUT
from footway.crowd.kernels.layouts import (
    AIM_X,
    AIM_Y,
    ARRIVED,
    LOOK,
    UNREACHABLE,
    WALKING,
    PathRequests,
)
from footway.crowd.kernels.planning import FOUND, GOAL_FOUND, HALVES, STATUS
from footway.crowd.lift_control import MOVING, Calls, Control
from footway.crowd.lift_control import OPEN as DOORS_OPEN
from footway.crowd.lift_graph import waiting_seconds
from footway.crowd.lift_places import queue_places
from footway.environment.shafts import cabin_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Index
    from footway.crowd.floors import Floors
    from footway.crowd.populations import GoalRange
    from footway.crowd.simulation import Simulation
    from footway.environment.shafts import Shaft

HEADING, QUEUED, BOARDING, ABOARD = range(4)
"""Stages of a passenger: on the way to the lift, waiting, walking into the cabin, in it."""

_NEAR: Final = 3.0  # m from the door, at which people join the queue
_AT_PLACE: Final = 0.3  # m from a place in the queue, at which they stand
_IN_CABIN: Final = 0.05  # m, likewise in the cabin
_SETTLE: Final = 2.5  # s after which those who got in stand where they are
_BLOCKED: Final = 4.0  # s after which those inside step out to let others out
_TRY: Final = 10.0  # s after which those who cannot get in wait for the next time
_SHARE: Final = 4  # of the demand for a lift, that decides at the same time
_PATIENCE: Final = 15.0  # s, least wait after which people search for another path
_JAM: Final = 6.0  # s after which those in the doorway step back


@dataclass
class Passenger:
    """A character that uses a lift."""

    id: int
    lift: int
    start: int  # stop
    end: int  # stop
    goal: int  # in the table of goals, behind the lift
    stage: int
    since: float  # s, when this stage began
    until: float  # s, when it searches for another path, if it still waits then


@dataclass
class Service:
    """A running lift.

    Attributes:
        shaft: where it is.
        control: where its cabin is, and goes.
        queues: ids of those who wait at each stop, in their order.
        boarding: ids of those who walk in.
        aboard: ids of those inside.
        leaving: how many of those inside get out here.
        tried: ids of those who could not get in while the doors were open.
        last: s, when somebody got in or out last.

    """

    shaft: Shaft
    control: Control
    queues: list[list[int]]
    boarding: list[int] = field(default_factory=list)
    aboard: list[int] = field(default_factory=list)
    leaving: int = 0
    tried: list[int] = field(default_factory=list)
    last: float = 0.0


class Lifts:
    """The lifts of a crowd and their passengers.

    Attributes:
        services: the lifts.
        passengers: by id.

    """

    def __init__(self, simulation: Simulation, floors: Floors) -> None:
        self._simulation, self._floors = simulation, floors
        self.passengers: dict[int, Passenger] = {}
        self.services = [
            Service(
                shaft,
                Control(shaft.heights, shaft.lift.speed, shaft.lift.door_time),
                [[] for _ in shaft.cabins],
            )
            for shaft in floors.shafts
        ]
        self._goals: dict[tuple[float, float, int, float], int] = {}
        self._demand = [-1] * len(self.services)
        self._places: dict[tuple[int, int, float], Any] = {}
        self.show_doors()

    def show_doors(self) -> None:
        """Tell the kernels which doors are open, and the planner how long people wait."""
        self._shut_doors()
        self._charge()

    # -- what the crowd asks -------------------------------------------------------------------

    def heights(self, sheets: Ints, heights: Floats) -> Floats:
        """Return heights (n,) of people on sheets (n,); in a cabin, that of the cabin."""
        for service in self.services:
            inside = np.isin(sheets, service.shaft.cabins)
            heights[inside] = service.control.height(self._simulation.time)
        return heights

    def is_under_way(self, ids: Ints) -> NDArray[np.bool_]:
        """Return which characters (n,) use a lift."""
        return np.isin(ids, list(self.passengers))

    def forget(self, ids: Iterable[int]) -> None:
        """Drop characters that leave the crowd, or get another goal outside a cabin."""
        gone = [self.passengers.pop(number) for number in ids if number in self.passengers]
        for passenger in gone:
            self._drop(passenger)
        if gone:
            self._charge()

    def redirect(self, ids: Ints, goals: Ints) -> NDArray[np.bool_]:
        """Give other goals to passengers (n,); return who gets there from the next stop.

        Those are the people in cabins. The others are passengers no more.
        """
        is_inside = np.zeros(len(ids), bool)
        for k, number in enumerate(ids.tolist()):
            passenger = self.passengers.get(number)
            if passenger is None:
                continue
            if passenger.stage == ABOARD:
                is_inside[k], passenger.goal = True, int(goals[k])
                passenger.end = self._next_stop(self.services[passenger.lift])
            else:
                self.forget([number])
        return is_inside

    def is_at_door(self, number: int) -> bool:
        """Return whether a character waits for a lift, walks in, or is in it."""
        passenger = self.passengers.get(number)
        return passenger is not None and passenger.stage != HEADING

    # -- changed profiles ------------------------------------------------------------------------

    def make_space(self, ids: Ints) -> None:
        """Let characters whose radius has grown search again, or wait where they fit.

        Those who wait get another place in the queue. Those inside stay where they are.
        """
        characters = self._simulation.characters
        for number in ids.tolist():
            passenger = self.passengers.get(number)
            if passenger is None:
                continue
            if passenger.stage == QUEUED:
                self._take_place_in_queue(passenger)
            elif passenger.stage == HEADING:
                self.forget([number])
                characters.hold_until_planned(np.array([number]))
                self._let_go(number, passenger.goal)

    def move_goals(self, ids: Ints, goals: GoalRange, first: int) -> None:
        """Move goals behind a lift of characters (n,) to the goals that begin at `first`."""
        for number in ids.tolist():
            passenger = self.passengers.get(number)
            if passenger is not None and goals.first <= passenger.goal < goals.first + goals.size:
                passenger.goal += first - goals.first

    def find_space(self, ids: Ints) -> None:
        """Move goals behind a lift at which characters (n,) do not fit to where they do."""
        simulation = self._simulation
        for number in ids.tolist():
            passenger = self.passengers.get(number)
            if passenger is None:
                continue
            goals, at = simulation.goals, slice(passenger.goal, passenger.goal + 1)
            radius = simulation.characters.radii(simulation.characters.slots(np.array([number])))
            if simulation.clearances(goals.points[at], goals.sheets[at])[0] < radius[0]:
                place, on = simulation.nearest_free(goals.points[at], goals.sheets[at], radius)
                passenger.goal = goals.add(place, goals.table.reach[at], on).first

    @property
    def goals(self) -> Ints:
        """Numbers of the goals behind lifts."""
        return np.array([p.goal for p in self.passengers.values()], np.int64)

    def renumber_goals(self, number: Ints) -> None:
        """Take over the new numbers of goals from `Goals.keep`."""
        for passenger in self.passengers.values():
            passenger.goal = int(number[passenger.goal])
        self._goals.clear()

    @property
    def waiting(self) -> dict[int, float]:
        """Time since when each character in a queue has waited, s, by id."""
        return {p.id: p.since for p in self.passengers.values() if p.stage == QUEUED}

    # -- checkpoints -----------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return lifts (n, 7) and passengers (m, 7), those in a list in its order."""
        lists = [(*s.queues, s.boarding, s.aboard) for s in self.services]
        order = [number for some in lists for one in some for number in one]
        order += sorted(set(self.passengers).difference(order))
        passengers = [self.passengers[number] for number in order]
        tried = {number for service in self.services for number in service.tried}
        rows = [(p.id, p.lift, p.start, p.end, p.goal, p.stage, p.id in tried) for p in passengers]
        controls = [
            (c.phase, c.stop, c.heading, c.direction, c.since, s.last, s.leaving)
            for s in self.services
            for c in (s.control,)
        ]
        return {
            "lifts": np.array(controls, np.float64).reshape(-1, 7),
            "passengers": np.array(rows, np.int64).reshape(-1, 7),
            "passenger_times": np.array(
                [(p.since, p.until) for p in passengers], np.float64
            ).reshape(-1, 2),
        }

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Restore lifts and passengers from the arrays of a checkpoint."""
        for service, row in zip(self.services, arrays["lifts"].tolist(), strict=True):
            phase, stop, heading, direction = (int(value) for value in row[:4])
            service.control.phase, service.control.stop = phase, stop
            service.control.heading, service.control.direction = heading, direction
            service.control.since, service.last, service.leaving = row[4], row[5], int(row[6])
        for row, times in zip(
            arrays["passengers"].tolist(), arrays["passenger_times"].tolist(), strict=True
        ):
            *values, was_tried = row
            passenger = Passenger(*values, *times)
            service = self.services[passenger.lift]
            lists = (None, service.queues[passenger.start], service.boarding, service.aboard)
            mine = lists[passenger.stage]
            if mine is not None:
                mine.append(passenger.id)
            if was_tried:
                service.tried.append(passenger.id)
            self.passengers[passenger.id] = passenger
        self.show_doors()

    # -- paths ---------------------------------------------------------------------------------

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
            goals = [self._door_goal(self.passengers[int(ids[row])]) for row in rows]
            index = self._floors.without_lifts(self._simulation.planner.index)
            self._search(ids, rows, np.array(goals), index, found, parts)
            self._charge()
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
        room = [max(service.shaft.lift.capacity, demand // _SHARE)
                for service, demand in zip(self.services, self._demand, strict=True)]  # fmt: skip
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
        if number in self.passengers and goal != characters.goal[characters.slots(number)]:
            self.forget([number])

    def _register(self, number: int, half: int, goal: int) -> int:
        """Register a passenger of a lift; return its goal behind the lift."""
        characters = self._simulation.characters
        before = self.passengers.get(number)
        if before is not None and goal == characters.goal[characters.slots(number)]:
            goal = before.goal  # to get to the door of one lift, it uses another one
        self.forget([number])
        lift, start, end = self._floors.ride_of(half)
        now = self._simulation.time
        until = now + self._patience(lift)
        self.passengers[number] = Passenger(number, lift, start, end, goal, HEADING, now, until)
        return goal

    def _patience(self, lift: int) -> float:
        """Return the time for which somebody waits for a lift, s: as long as it expects."""
        return max(_PATIENCE, waiting_seconds(self.services[lift].shaft, self._demand[lift]))

    def _reconsider(self) -> None:
        """Let people who have waited longer than expected search for another path."""
        now, characters = self._simulation.time, self._simulation.characters
        late = sorted(
            p.id
            for p in self.passengers.values()
            if p.until <= now
            and (p.stage == QUEUED or (p.stage == HEADING and self._is_closed(p.lift)))
        )
        if not late:
            return
        ids, rows = np.array(late), list(range(len(late)))
        found = np.zeros((len(ids), 5), np.int32)
        parts = [np.empty(0, np.int32)] * len(ids)
        goals = np.array([self.passengers[number].goal for number in late])
        index = self._simulation.planner.index
        self._search(ids, rows, goals, index, found, parts)
        rides = self._first_rides(found, np.concatenate(parts))
        leave = found[:, STATUS] == FOUND
        for row, number in enumerate(late):
            passenger = self.passengers[number]
            where = self._floors.ride_of(rides[row])[:2] if row in rides else None
            if not leave[row] or where == (passenger.lift, passenger.start):
                leave[row] = False
                passenger.until = now + self._patience(passenger.lift)
        if leave.any():
            characters.goal[characters.slots(ids[leave])] = goals[leave]
            self.forget(ids[leave].tolist())
            paths = [part for part, goes in zip(parts, leave, strict=True) if goes]
            self._simulation.planner.assign(
                ids[leave], found[leave], np.concatenate(paths), give_up=False
            )

    def _charge(self) -> None:
        """Set the costs of rides by the expected waits."""
        demand = [0] * len(self.services)  # people who are to use a lift and are not inside yet
        for passenger in self.passengers.values():
            demand[passenger.lift] += passenger.stage != ABOARD
        for lift, service in enumerate(self.services):
            if demand[lift] != self._demand[lift]:
                self._floors.charge(lift, waiting_seconds(service.shaft, demand[lift]))
        self._demand = demand

    # -- requests of characters ------------------------------------------------------------------

    def handles(self, number: int, *, has_arrived: bool) -> bool:
        """Handle the request of a passenger; return False if it is not for a lift."""
        passenger = self.passengers.get(number)
        if passenger is None:
            return False
        if passenger.stage == HEADING:
            if has_arrived:
                self._join(passenger)
            return has_arrived
        if passenger.stage == QUEUED and not has_arrived:
            self._stand(number)  # its place is not free: it waits where it is
        return has_arrived or passenger.stage == QUEUED

    def _join(self, passenger: Passenger, *, is_first: bool = False) -> None:
        """Put a passenger into the queue of its stop, and send it to a place there."""
        queue = self.services[passenger.lift].queues[passenger.start]
        passenger.stage, passenger.since = QUEUED, self._simulation.time
        queue.insert(0 if is_first else len(queue), passenger.id)
        self._take_place_in_queue(passenger)

    def _take_place_in_queue(self, passenger: Passenger) -> None:
        """Send a passenger to a free place of its queue; without one it stands where it is."""
        place = self._free_place(passenger)
        if place is None:
            self._stand(passenger.id)
        else:
            sheet = self.services[passenger.lift].shaft.floors[passenger.start]
            self._send(passenger.id, place, sheet, _AT_PLACE)

    def _free_place(self, passenger: Passenger) -> Floats | None:
        """Return the nearest place of a queue that nobody has."""
        service = self.services[passenger.lift]
        sheet = service.shaft.floors[passenger.start]
        characters, widest = self._simulation.characters, self._simulation.widest
        others = [
            number
            for other in self.services
            for stop, queue in enumerate(other.queues)
            if other.shaft.floors[stop] == sheet
            for number in queue
            if number != passenger.id
        ]
        taken = characters.goal_point[characters.slots(np.array(others, np.int64))]
        places = self._queue_places(passenger.lift, passenger.start, widest)
        return _first_free(places, taken, 2.0 * widest + 0.05)

    def _queue_places(self, lift: int, stop: int, widest: float) -> Floats:
        key = (lift, stop, widest)
        if key not in self._places:
            shaft = self.services[lift].shaft
            self._places[key] = queue_places(shaft, stop, widest, self._floors)
        found: Floats = self._places[key]
        return found

    def _cabin_places(self, lift: int, stop: int, widest: float) -> Floats:
        key = (lift, -1 - stop, widest)
        if key not in self._places:
            self._places[key] = cabin_places(self.services[lift].shaft, stop, widest)
        found: Floats = self._places[key]
        return found

    def _send(self, number: int, point: Floats, sheet: int, reach: float) -> None:
        """Send a character to a point (2,) of a sheet."""
        characters = self._simulation.characters
        slot = characters.slots(np.array([number]))
        goal = self._goal_at(float(point[0]), float(point[1]), sheet, reach)
        characters.set_goals(slot, np.array([goal]), np.array([point]))
        characters.goal_sheet[slot] = sheet + 1
        self._simulation.planner.request(number, keep_goal=True)

    def _stand(self, number: int) -> None:
        """Let a character stand where it is."""
        simulation, characters = self._simulation, self._simulation.characters
        slot = characters.slots(number)
        simulation.planner.cancel(number)
        characters.mode[slot] = ARRIVED
        characters.state.progress[slot] = characters.position[slot]

    def _goal_at(self, x: float, y: float, sheet: int, reach: float) -> int:
        """Return the number of a goal in the table; it is added once."""
        key = (x, y, sheet, reach)
        if key not in self._goals:
            goals = self._simulation.goals
            same = np.flatnonzero(
                (goals.points == (x, y)).all(axis=1)
                & (goals.table.sheets == sheet + 1)
                & (goals.table.reach == np.float32(reach))
            )
            self._goals[key] = (
                int(same[0])
                if len(same)
                else goals.add(np.array([[x, y]]), reach, np.array([sheet])).first
            )
        return self._goals[key]

    def _door_goal(self, passenger: Passenger) -> int:
        shaft, stop = self.services[passenger.lift].shaft, passenger.start
        x, y = shaft.front(stop, self._simulation.widest).tolist()
        return self._goal_at(x, y, shaft.floors[stop], _NEAR)

    # -- every step ------------------------------------------------------------------------------

    def update(self) -> None:
        """Move the cabins, and let people in and out."""
        for lift, service in enumerate(self.services):
            self._update(lift, service)
        self._shut_doors()
        self._charge()
        self._reconsider()

    def _update(self, lift: int, service: Service) -> None:
        control, now = service.control, self._simulation.time
        may_close = control.phase == DOORS_OPEN and self._attend(lift, service)
        was = control.phase
        control.advance(now, self._calls(lift, service), may_close=may_close)
        if control.phase == DOORS_OPEN and was != DOORS_OPEN:
            self._open(service)
            self._attend(lift, service)
        elif was == DOORS_OPEN and control.phase != DOORS_OPEN:
            service.tried.clear()

    def _calls(self, lift: int, service: Service) -> Calls:
        up: set[int] = set()
        down: set[int] = set()
        if not self._is_closed(lift):
            for stop, queue in enumerate(service.queues):
                for number in queue:
                    (up if self.passengers[number].end > stop else down).add(stop)
            inside = {self.passengers[number].end for number in service.aboard}
        else:
            inside = {self._next_stop(service)} if service.aboard else set()
        is_full = len(service.aboard) >= self._capacity(lift)
        return Calls(inside, up, down, is_full)

    def _capacity(self, lift: int) -> int:
        places = self._cabin_places(lift, 0, self._simulation.widest)
        return min(self.services[lift].shaft.lift.capacity, len(places))

    def _is_closed(self, lift: int) -> bool:
        return self.services[lift].shaft.lift.name in self._floors.closed

    def _next_stop(self, service: Service) -> int:
        """Return the stop at which the doors open next, if somebody wants to get out."""
        control = service.control
        return control.heading if control.phase == MOVING else control.stop

    def _shut_doors(self) -> None:
        """Tell the kernels which doors are open."""
        for service in self.services:
            shaft, control = service.shaft, service.control
            self._floors.slopes[shaft.cabins, DOORS] = SHUT
            if control.phase == DOORS_OPEN:
                self._floors.slopes[shaft.cabins[control.stop], DOORS] = OPEN

    def _open(self, service: Service) -> None:
        """Put the people inside on the sheet of this stop, and let out those whose stop it is."""
        characters, stop = self._simulation.characters, service.control.stop
        service.last = self._simulation.time
        slots = characters.slots(np.array(service.aboard, np.int64))
        characters.sheet[slots] = characters.goal_sheet[slots] = service.shaft.cabins[stop] + 1
        characters.wall_budget[slots] = 0.0
        self._let_out(service)

    def _let_out(self, service: Service) -> None:
        """Let people out whose stop this is."""
        for number in list(service.aboard):
            passenger = self.passengers[number]
            if passenger.end == service.control.stop:
                service.aboard.remove(number)
                del self.passengers[number]
                self._let_go(number, passenger.goal)
        if self._is_closed(self._number(service)):
            self._step_out(service, list(service.aboard))

    def _number(self, service: Service) -> int:
        return next(k for k, one in enumerate(self.services) if one is service)

    def _let_go(self, number: int, goal: int) -> None:
        """Send somebody on to its goal behind the lift."""
        characters, table = self._simulation.characters, self._simulation.goals.table
        slot = characters.slots(np.array([number]))
        characters.set_goals(slot, np.array([goal]), table.located[[goal], :2])
        characters.goal_sheet[slot] = table.sheets[goal]
        self._simulation.planner.request(number, keep_goal=True)

    # -- open doors ------------------------------------------------------------------------------

    def _attend(self, lift: int, service: Service) -> bool:
        """Let people out and in; return whether the doors may close."""
        self._notice(service)
        now = self._simulation.time
        if service.leaving:
            if now - service.last > _BLOCKED:
                self._step_out(service, list(service.aboard))
            return False
        self._admit(lift, service)
        if service.boarding:
            if now - service.last > _TRY:
                self._give_up(service)
            return False
        return self._are_settled(service) and self._is_doorway_free(service)

    def _inside(self, service: Service) -> list[int]:
        """Return the ids of those in the cabin at its stop."""
        characters = self._simulation.characters
        ids = characters.ids
        sheets = characters.sheet[characters.slots(ids)]
        found = ids[sheets == service.shaft.cabins[service.control.stop] + 1]
        inside: list[int] = found.tolist()
        return inside

    def _notice(self, service: Service) -> None:
        """Update the lists by who got out and in since the last step."""
        now, stop = self._simulation.time, service.control.stop
        inside = self._inside(service)
        for number in [k for k in service.boarding if k in inside]:
            service.boarding.remove(number)
            passenger = self.passengers[number]
            passenger.stage, passenger.since = ABOARD, now
            self._take_place(service, number, stop)
            service.aboard.append(number)
            service.last = now
        leaving = sorted(set(inside).difference(service.aboard))
        if len(leaving) < service.leaving:
            service.last = now
        service.leaving = len(leaving)
        self._aim(service, leaving)

    def _aim(self, service: Service, leaving: list[int]) -> None:
        """Let those out who are nearest to the door, as many as fit abreast; the others stand.

        All walk straight, to the door or to their places: the axis of the map would lead people in
        corners of the cabin into each other.
        """
        characters, stop = self._simulation.characters, service.control.stop
        slots = characters.slots(np.array(leaving, np.int64))
        away = service.shaft.distance(stop, characters.position[slots])
        order = np.argsort(np.round(away, 6), kind="stable")
        abreast = service.shaft.abreast(stop, self._simulation.widest)
        for k in order[abreast:].tolist():
            self._stand(leaving[k])
        out = slots[order[:abreast]]
        for slot in out.tolist():
            if characters.mode[slot] == ARRIVED:
                self._simulation.planner.request(int(characters.id[slot]), keep_goal=True)
            elif characters.mode[slot] == UNREACHABLE:
                characters.mode[slot] = WALKING  # it gets out, and then stands there
        if not service.shaft.is_convex:
            return
        state = characters.state
        points = service.shaft.way_out(stop, characters.position[out], characters.radii(out))
        inside = characters.slots(np.array(service.aboard, np.int64))
        state.place[out, AIM_X : AIM_Y + 1] = points
        state.place[inside, AIM_X : AIM_Y + 1] = characters.goal_point[inside]
        state.body[out, LOOK] = state.body[inside, LOOK] = 1.0

    def _take_place(self, service: Service, number: int, stop: int) -> None:
        """Send a character that has entered to the free place farthest from the door."""
        characters, widest = self._simulation.characters, self._simulation.widest
        lift = self.passengers[number].lift
        slots = characters.slots(np.array(service.aboard, np.int64))
        places = self._cabin_places(lift, stop, widest)
        taken = np.vstack([characters.goal_point[slots], characters.position[slots]])
        place = _first_free(places, taken, 1.6 * widest)
        if place is None:
            place = _first_free(places, characters.goal_point[slots], widest)
        if place is not None:
            self._send(number, place, service.shaft.cabins[stop], _IN_CABIN)

    def _admit(self, lift: int, service: Service) -> None:
        """Let people in who go in the direction of travel, as many as fit."""
        stop = service.control.stop
        queue = [k for k in service.queues[stop] if k not in service.tried]
        if not queue or self._is_closed(lift):
            return
        room = self._capacity(lift) - len(service.aboard) - len(service.boarding)
        abreast = service.shaft.abreast(stop, self._simulation.widest)
        room = min(room, 2 * abreast - len(service.boarding))  # others wait until they are in
        for number in queue:
            passenger = self.passengers[number]
            sign = 1 if passenger.end > stop else -1
            serves = service.control.serves(self._calls(lift, service))
            if room <= 0:
                return
            if serves not in (0, sign):
                continue
            service.control.direction = sign
            service.queues[stop].remove(number)
            if not service.boarding:
                service.last = self._simulation.time
            service.boarding.append(number)
            passenger.stage, passenger.since = BOARDING, self._simulation.time
            middle = self._cabin_places(lift, stop, self._simulation.widest)[0]
            self._send(number, middle, service.shaft.cabins[stop], _IN_CABIN)
            room -= 1

    def _give_up(self, service: Service) -> None:
        """Let people who cannot get in wait for the next call."""
        for number in list(service.boarding):
            service.boarding.remove(number)
            service.tried.append(number)
            self._join(self.passengers[number], is_first=True)
        service.last = self._simulation.time

    def _step_out(self, service: Service, numbers: Sequence[int]) -> None:
        """Let passengers step out to clear the door; they are the first to get in again."""
        stop = service.control.stop
        for number in reversed(numbers):
            service.aboard.remove(number)
            passenger = self.passengers[number]
            passenger.start, passenger.until = stop, self._simulation.time
            self._join(passenger, is_first=True)
        service.last = self._simulation.time

    def _are_settled(self, service: Service) -> bool:
        """Return whether all inside stand; after some time they stand where they are."""
        characters, now = self._simulation.characters, self._simulation.time
        for number in service.aboard:
            if characters.mode[characters.slots(number)] == ARRIVED:
                continue
            if now - self.passengers[number].since < _SETTLE:
                return False
            self._stand(number)
        return True

    def _is_doorway_free(self, service: Service) -> bool:
        """Return whether nobody is in the doorway; after some time those in it step back."""
        simulation, characters = self._simulation, self._simulation.characters
        shaft, stop = service.shaft, service.control.stop
        here = characters.slots(characters.ids)
        sheets = characters.sheet[here]
        here = here[(sheets == shaft.cabins[stop] + 1) | (sheets == shaft.floors[stop] + 1)]
        away = shaft.distance(stop, characters.position[here])
        blocking = here[away < characters.radii(here)]
        if not len(blocking):
            return True
        if simulation.time - service.last > _JAM:
            numbers = characters.id[blocking].tolist()
            inside = [number for number in numbers if number in service.aboard]
            service.tried += inside
            self._step_out(service, inside)
        return False

    # -- closures --------------------------------------------------------------------------------

    def close(self, names: Iterable[str]) -> None:
        """Let those inside out at the next stop, and all others look for another way.

        Who finds none waits until the lift runs again.
        """
        now = self._simulation.time
        for lift, service in enumerate(self.services):
            if service.shaft.lift.name not in names:
                continue
            if service.control.phase == DOORS_OPEN:
                self._let_out(service)
                self._give_up(service)
            for passenger in self.passengers.values():
                if passenger.lift == lift and passenger.stage != ABOARD:
                    passenger.until = now
        self._reconsider()

    def _drop(self, passenger: Passenger) -> None:
        """Remove somebody from the lists of a lift."""
        service = self.services[passenger.lift]
        for some in (*service.queues, service.boarding, service.aboard):
            if passenger.id in some:
                some.remove(passenger.id)


def _split(found: NDArray[np.int32], halves: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Return the half-edges of each path."""
    return np.split(halves, np.cumsum(found[:, HALVES])[:-1])


def _first_free(places: Floats, taken: Floats, apart: float) -> Floats | None:
    """Return the first of places (n, 2) that is this far from all others (m, 2)."""
    for place in places:
        if not len(taken) or hypot(*(taken - place).T).min() >= apart:
            found: Floats = place
            return found
    return None
