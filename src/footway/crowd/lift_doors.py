"""What happens while the doors of a lift are open: people get out, then others get in.

Those who are nearest to the door get out first. Then people who go in the direction of travel get
in, in the order in which they came, up to the capacity. In the cabin each takes the free place that
is farthest from the door. The doors may shut once the doorway is free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from footway.crowd.kernels.layouts import AIM_X, AIM_Y, ARRIVED, LOOK, UNREACHABLE, WALKING
from footway.crowd.lift_passengers import ABOARD, BOARDING
from footway.crowd.lift_places import first_free

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.crowd.lift_passengers import Service
    from footway.crowd.lifts import Lifts
    from footway.crowd.simulation import Simulation


IN_CABIN: Final = 0.05  # m from a place in the cabin, at which people stand
_SETTLE: Final = 2.5  # s after which those who got in stand where they are
_BLOCKED: Final = 4.0  # s after which those inside step out to let others out
_TRY: Final = 10.0  # s after which those who cannot get in wait for the next time
_JAM: Final = 6.0  # s after which those in the doorway step back


class LiftDoors:
    """The open doors of the lifts of a crowd."""

    def __init__(self, simulation: Simulation, lifts: Lifts) -> None:
        self._simulation, self._lifts = simulation, lifts

    def attend(self, lift: int, service: Service) -> bool:
        """Let people out and in; return whether the doors may close."""
        self._notice(service)
        now = self._simulation.time
        if service.leaving:
            if now - service.last > _BLOCKED:
                self.step_out(service, list(service.aboard))
            return False
        self._admit(lift, service)
        if service.boarding:
            if now - service.last > _TRY:
                self.give_up(service)
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
            passenger = self._lifts.passengers[number]
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
        if self._simulation.time - service.last > _BLOCKED:
            abreast = 1  # two may be wedged at one side of the door
        for k in order[abreast:].tolist():
            self._lifts.stand(leaving[k])
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
        lift = self._lifts.passengers[number].lift
        slots = characters.slots(np.array(service.aboard, np.int64))
        places = self._lifts.cabin_places(lift, stop, widest)
        taken = np.vstack([characters.goal_point[slots], characters.position[slots]])
        place = first_free(places, taken, 1.6 * widest)
        if place is None:
            place = first_free(places, characters.goal_point[slots], widest)
        if place is not None:
            self._lifts.send(number, place, service.shaft.cabins[stop], IN_CABIN)

    def _admit(self, lift: int, service: Service) -> None:
        """Let people in who go in the direction of travel, as many as fit."""
        stop = service.control.stop
        queue = [k for k in service.queues[stop] if k not in service.tried]
        if not queue or self._lifts.is_closed(lift):
            return
        room = self._lifts.capacity(lift) - len(service.aboard) - len(service.boarding)
        abreast = service.shaft.abreast(stop, self._simulation.widest)
        room = min(room, 2 * abreast - len(service.boarding))  # others wait until they are in
        for number in queue:
            passenger = self._lifts.passengers[number]
            sign = 1 if passenger.end > stop else -1
            serves = service.control.serves(self._lifts.calls(lift, service))
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
            middle = self._lifts.cabin_places(lift, stop, self._simulation.widest)[0]
            self._lifts.send(number, middle, service.shaft.cabins[stop], IN_CABIN)
            room -= 1

    def give_up(self, service: Service) -> None:
        """Let people who cannot get in wait for the next call."""
        for number in list(service.boarding):
            service.boarding.remove(number)
            service.tried.append(number)
            self._lifts.join(self._lifts.passengers[number], is_first=True)
        service.last = self._simulation.time

    def step_out(self, service: Service, numbers: Sequence[int]) -> None:
        """Let passengers step out to clear the door; they are the first to get in again."""
        stop = service.control.stop
        for number in reversed(numbers):
            service.aboard.remove(number)
            passenger = self._lifts.passengers[number]
            passenger.start, passenger.until = stop, self._simulation.time
            self._lifts.join(passenger, is_first=True)
        service.last = self._simulation.time

    def _are_settled(self, service: Service) -> bool:
        """Return whether all inside stand; after some time they stand where they are."""
        characters, now = self._simulation.characters, self._simulation.time
        for number in service.aboard:
            if characters.mode[characters.slots(number)] == ARRIVED:
                continue
            if now - self._lifts.passengers[number].since < _SETTLE:
                return False
            self._lifts.stand(number)
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
            self.step_out(service, inside)
        return False
