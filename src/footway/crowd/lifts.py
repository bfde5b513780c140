"""Lifts of a building: people wait, get in, ride and get out.

A path that uses a lift leads to its door first (`lift_choice`). Near the door, people join the
queue at a place beside the exit. `lift_doors` lets people out and in, `lift_control` decides where
the cabin goes.

    heading --> queued --> boarding --> aboard --> (out, on a new path to the goal)

A cabin has a sheet for each of its stops. People inside change from that of one stop to that of
the next when the doors open there. Nothing else moves anybody to another floor: doors that are shut
let nobody pass, and open ones only those who get in or out (see `kernels.floors`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.crowd.kernels.floors import DOORS, OPEN, SHUT
from footway.crowd.kernels.layouts import ARRIVED
from footway.crowd.lift_choice import LiftChoice
from footway.crowd.lift_control import MOVING, Calls, Control
from footway.crowd.lift_control import OPEN as DOORS_OPEN
from footway.crowd.lift_doors import LiftDoors
from footway.crowd.lift_passengers import ABOARD, HEADING, QUEUED, Passenger, Service
from footway.crowd.lift_places import first_free, queue_places
from footway.environment.shafts import cabin_places

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.crowd.floors import Floors
    from footway.crowd.populations import GoalRange
    from footway.crowd.simulation import Simulation

_NEAR: Final = 3.0  # m from the door, at which people join the queue
_AT_PLACE: Final = 0.3  # m from a place in the queue, at which they stand


class Lifts:
    """The lifts of a crowd and their passengers.

    Attributes:
        services: the lifts.
        passengers: by id.
        choice: who uses which lift.
        doors: what happens while doors are open.

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
        self.choice, self.doors = LiftChoice(simulation, floors, self), LiftDoors(simulation, self)
        self._places: dict[tuple[int, int, float], Any] = {}
        self.show_doors()

    def show_doors(self) -> None:
        """Tell the kernels which doors are open, and the planner how long people wait."""
        self._shut_doors()
        self.choice.charge()

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
            self.choice.charge()

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

    # -- requests of characters ------------------------------------------------------------------

    def handles(self, number: int, *, has_arrived: bool) -> bool:
        """Handle the request of a passenger; return False if it is not for a lift."""
        passenger = self.passengers.get(number)
        if passenger is None:
            return False
        if passenger.stage == HEADING:
            if has_arrived:
                self.join(passenger)
            return has_arrived
        if passenger.stage == QUEUED and not has_arrived:
            self.stand(number)  # its place is not free: it waits where it is
        return has_arrived or passenger.stage == QUEUED

    def join(self, passenger: Passenger, *, is_first: bool = False) -> None:
        """Put a passenger into the queue of its stop, and send it to a place there."""
        queue = self.services[passenger.lift].queues[passenger.start]
        passenger.stage, passenger.since = QUEUED, self._simulation.time
        queue.insert(0 if is_first else len(queue), passenger.id)
        self._take_place_in_queue(passenger)

    def _take_place_in_queue(self, passenger: Passenger) -> None:
        """Send a passenger to a free place of its queue; without one it stands where it is."""
        place = self._free_place(passenger)
        if place is None:
            self.stand(passenger.id)
        else:
            sheet = self.services[passenger.lift].shaft.floors[passenger.start]
            self.send(passenger.id, place, sheet, _AT_PLACE)

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
        return first_free(places, taken, 2.0 * widest + 0.05)

    def _queue_places(self, lift: int, stop: int, widest: float) -> Floats:
        key = (lift, stop, widest)
        if key not in self._places:
            shaft = self.services[lift].shaft
            self._places[key] = queue_places(shaft, stop, widest, self._floors)
        found: Floats = self._places[key]
        return found

    def cabin_places(self, lift: int, stop: int, widest: float) -> Floats:
        """Return the places (n, 2) of a cabin at a stop, the first to be taken first, m."""
        key = (lift, -1 - stop, widest)
        if key not in self._places:
            self._places[key] = cabin_places(self.services[lift].shaft, stop, widest)
        found: Floats = self._places[key]
        return found

    def send(self, number: int, point: Floats, sheet: int, reach: float) -> None:
        """Send a character to a point (2,) of a sheet."""
        characters = self._simulation.characters
        slot = characters.slots(np.array([number]))
        goal = self._goal_at(float(point[0]), float(point[1]), sheet, reach)
        characters.set_goals(slot, np.array([goal]), np.array([point]))
        characters.goal_sheet[slot] = sheet + 1
        self._simulation.planner.request(number, keep_goal=True)

    def stand(self, number: int) -> None:
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

    def door_goal(self, passenger: Passenger) -> int:
        """Return the goal in front of the door at which a passenger gets in."""
        shaft, stop = self.services[passenger.lift].shaft, passenger.start
        x, y = shaft.front(stop, self._simulation.widest).tolist()
        return self._goal_at(x, y, shaft.floors[stop], _NEAR)

    # -- every step ------------------------------------------------------------------------------

    def update(self) -> None:
        """Move the cabins, and let people in and out."""
        for lift, service in enumerate(self.services):
            self._update(lift, service)
        self._shut_doors()
        self.choice.charge()
        self.choice.reconsider()

    def _update(self, lift: int, service: Service) -> None:
        control, now = service.control, self._simulation.time
        may_close = control.phase == DOORS_OPEN and self.doors.attend(lift, service)
        was = control.phase
        control.advance(now, self.calls(lift, service), may_close=may_close)
        if control.phase == DOORS_OPEN and was != DOORS_OPEN:
            self._open(service)
            self.doors.attend(lift, service)
        elif was == DOORS_OPEN and control.phase != DOORS_OPEN:
            service.tried.clear()

    def calls(self, lift: int, service: Service) -> Calls:
        """Return where people want to get out and in."""
        up: set[int] = set()
        down: set[int] = set()
        if not self.is_closed(lift):
            for stop, queue in enumerate(service.queues):
                for number in queue:
                    (up if self.passengers[number].end > stop else down).add(stop)
            inside = {self.passengers[number].end for number in service.aboard}
        else:
            inside = {self._next_stop(service)} if service.aboard else set()
        is_full = len(service.aboard) >= self.capacity(lift)
        return Calls(inside, up, down, is_full)

    def capacity(self, lift: int) -> int:
        """Return how many people fit, by the widest of the crowd."""
        places = self.cabin_places(lift, 0, self._simulation.widest)
        return min(self.services[lift].shaft.lift.capacity, len(places))

    def is_closed(self, lift: int) -> bool:
        """Return whether a lift is out of service now."""
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
        if self.is_closed(self._number(service)):
            self.doors.step_out(service, list(service.aboard))

    def _number(self, service: Service) -> int:
        return next(k for k, one in enumerate(self.services) if one is service)

    def _let_go(self, number: int, goal: int) -> None:
        """Send somebody on to its goal behind the lift."""
        characters, table = self._simulation.characters, self._simulation.goals.table
        slot = characters.slots(np.array([number]))
        characters.set_goals(slot, np.array([goal]), table.located[[goal], :2])
        characters.goal_sheet[slot] = table.sheets[goal]
        self._simulation.planner.request(number, keep_goal=True)

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
                self.doors.give_up(service)
            for passenger in self.passengers.values():
                if passenger.lift == lift and passenger.stage != ABOARD:
                    passenger.until = now
        self.choice.reconsider()

    def _drop(self, passenger: Passenger) -> None:
        """Remove somebody from the lists of a lift."""
        service = self.services[passenger.lift]
        for some in (*service.queues, service.boarding, service.aboard):
            if passenger.id in some:
                some.remove(passenger.id)
