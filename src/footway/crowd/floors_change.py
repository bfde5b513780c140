"""Which floors and links of an edited building are those of the building before.

Floors and links keep their name. A part of stairs keeps its number if the stairs still have as
many parts, and a cabin of a lift its floor. People on sheets that are gone are put onto the nearest
floor behind their portals; those in a lift that has changed get out where it stopped last.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points
from footway.crowd.lift_passengers import ABOARD
from footway.errors import BadQuery

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.crowd.floors import Floors
    from footway.crowd.simulation import Simulation
    from footway.environment.shafts import Shaft


Key = tuple[str, str, int]


class Sheets:
    """The sheets of a building by those of the building before.

    Attributes:
        new: (sheets before,) the same sheet now; -1 if it is gone.

    """

    def __init__(self, before: Floors, after: Floors) -> None:
        self._before, self._after = before, after
        known = {key: k for k, key in enumerate(_keys(after))}
        keys = _keys(before)
        count, counts = (Counter(key[:2] for key in some) for some in (keys, known))
        self.new = np.array(
            [known.get(key, -1) if count[key[:2]] == counts[key[:2]] else -1 for key in keys],
            np.int64,
        )
        self._lifts = {shaft.lift.name: k for k, shaft in enumerate(after.shafts)}
        for shaft in before.shafts:
            if self.lift(shaft) < 0:
                self.new[shaft.cabins] = -1

    def lift(self, shaft: Shaft) -> int:
        """Return the number of the same lift now, with the same cabin and stops; -1 if none."""
        number = self._lifts.get(shaft.lift.name, -1)
        if number < 0:
            return -1
        other = self._after.shafts[number]
        is_same = (
            self.new[shaft.floors].tolist() == other.floors
            and self.new[shaft.cabins].tolist() == other.cabins
            and np.array_equal(shaft.doors, other.doors)
            and shaft.heights == other.heights
            and np.array_equal(np.asarray(shaft.lift.cabin), np.asarray(other.lift.cabin))
        )
        return number if is_same else -1

    def places(self, points: Floats, sheets: Ints) -> tuple[Floats, Ints]:
        """Return points (n, 2) and sheets (n,) now of those before; sheets that are gone differ."""
        found, on = points.copy(), self.new[sheets]
        for k in np.flatnonzero(on < 0).tolist():
            found[k], on[k] = self._nearest(points[k], int(sheets[k]))
        return found, on

    def _nearest(self, point: Floats, sheet: int) -> tuple[Floats, int]:
        """Return the nearest point, by portals, of a floor that is still there."""
        n_floors = len(self._before.building.floors)
        waiting, done = [(0.0, sheet, point)], set()
        while waiting:
            waiting.sort(key=lambda some: some[:2])
            away, here, at = waiting.pop(0)
            if here in done:
                continue
            done.add(here)
            if here < n_floors and self.new[here] >= 0:
                return at, int(self.new[here])
            for portal, beyond in self._before.portals_beyond(here):
                foot = closest_points(at[None], portal[None])[0]
                waiting.append((away + float(hypot(*(foot - at))), beyond, foot))
        return point, 0


def _keys(floors: Floors) -> list[Key]:
    """Return kind, name and number of each sheet; of a cabin the name of its floor."""
    building, seen, keys = floors.building, Counter[tuple[str, str]](), []
    for layer in building.layers:
        link = building.links[layer.link] if layer.link >= 0 else None
        kind = "floor" if link is None else link.kind
        name = (building.floors[layer.floor] if link is None else link).name
        keys.append((kind, name, seen[kind, name]))
        seen[kind, name] += 1
    for shaft in floors.shafts:
        for cabin, floor in zip(shaft.cabins, shaft.floors, strict=True):
            where = building.floors[floor].name
            keys[cabin] = (f"lift at {where}", shaft.lift.name, 0)
    return keys


def sheets_after(simulation: Simulation, new: Simulation) -> Sheets | None:
    """Return the sheets of a new building by those before; None in the plane."""
    if simulation.floors is None and new.floors is None:
        return None
    if simulation.floors is None or new.floors is None:
        kinds = "a plan", "a building"
        before, after = kinds if simulation.floors is None else kinds[::-1]
        raise BadQuery(
            f"the crowd is on the map of {before} and cannot move to that of {after}: make a new "
            "crowd"
        )
    return Sheets(simulation.floors, new.floors)


def move_passengers(
    simulation: Simulation, new: Simulation, sheets: Sheets
) -> tuple[Ints, dict[int, int]]:
    """Take over lifts that have not changed, with those inside.

    Returns their ids, and the goals behind the lift of others with a path to one, by id: they plan
    again.
    """
    before, after = simulation.lifts, new.lifts
    inside: list[int] = []
    goals: dict[int, int] = {}
    if before is None:
        return np.array(inside, np.int64), goals
    numbers = [sheets.lift(service.shaft) for service in before.services]
    for service, number in zip(before.services, numbers, strict=True):
        if number >= 0 and after is not None:
            other, control = after.services[number], service.control
            other.control = replace(
                other.control, phase=control.phase, stop=control.stop, heading=control.heading,
                direction=control.direction, since=control.since,
            )  # fmt: skip
            other.aboard, other.last = list(service.aboard), service.last
            other.leaving = service.leaving
    for passenger in before.passengers.values():
        number = numbers[passenger.lift]
        if passenger.stage == ABOARD and number >= 0 and after is not None:
            after.passengers[passenger.id] = replace(passenger, lift=number)
            inside.append(passenger.id)
        else:
            goals[passenger.id] = passenger.goal
    if after is not None:
        after.show_doors()
    return np.array(sorted(inside), np.int64), goals
