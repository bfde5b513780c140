"""Measure a run while it goes on: egress times, flow through lines, density in areas, queues."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway.environment.areas import contains
from footway.measure.flow import steps_over

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footway.arrays import Bools, Floats, Ints
    from footway.crowd import Crowd
    from footway.environment import Building
    from footway.environment.areas import Polygon
    from footway.runs.study import Line

PERCENTILES: Final = (50, 90, 95)
"""Shares of the characters, in per cent, for which the time of egress is given."""

LEVELS: Final = (("A", 0.31), ("B", 0.43), ("C", 0.72), ("D", 1.08), ("E", 2.17), ("F", math.inf))
"""Greatest density of each level of service of walkways, 1/m2 (Fruin, 1971)."""

QUEUING: Final = 0.4
"""Share of its preferred speed below which a walking character counts as queuing."""


class _Line(NamedTuple):
    """A line through which the flow is measured."""

    start: Floats  # (2,) m
    end: Floats  # (2,) m
    sheets: Bools | None  # (sheets,) those on which it is; None on a plane


class _Region(NamedTuple):
    """An area in which density is measured."""

    polygon: Polygon | None  # None: all of a floor
    size: float  # m2
    sheets: Bools | None  # (sheets,) those on which it is; None on a plane

    def people(self, positions: Floats, sheets: Ints | None) -> int:
        """Return how many of these places (n, 2), on sheets (n,), are inside."""
        if not len(positions):
            return 0
        inside = np.ones(len(positions), bool)
        if self.polygon is not None:
            inside = contains(self.polygon, positions)
        if sheets is not None and self.sheets is not None:
            inside &= self.sheets[sheets]
        return int(inside.sum())


class Observer:
    """Measurements of one run; call `note` before the first step and after each one.

    In a building ends of lines are (x, y, floor), and areas are (polygon, floor) or floors.
    """

    def __init__(
        self,
        crowd: Crowd,
        lines: Mapping[str, Line],
        areas: Mapping[str, Any],
        every: float,
    ) -> None:
        building: Building | None = getattr(crowd.map, "building", None)
        self._crowd, self._building = crowd, building
        self._areas = {name: _region(area, building) for name, area in areas.items()}
        self._lines = {
            name: _Line(np.array(a[:2]), np.array(b[:2]), _sheets_of(a[2:], building))
            for name, (a, b) in lines.items()
        }
        self._every = max(1, round(every / crowd.dt))
        self._population: dict[int, int] = {}  # of every character that was ever present
        self._left: dict[int, float] = {}  # time of egress by id, s
        self._before: tuple[Ints, Floats] = (np.empty(0, np.int64), np.empty((0, 2)))
        self._sheets_before = np.empty(0, np.int64)
        floors = () if building is None else building.floors
        self._most_people = np.zeros(len(floors), np.int64)  # on each floor
        self._cleared = np.full(len(floors), np.nan)  # s, when the last one left it
        self._passed: dict[str, list[tuple[float, bool]]] = {name: [] for name in lines}
        self._densities: dict[str, list[float]] = {name: [] for name in areas}
        self._queues: list[int] = []
        self._changes = (-1, -1)  # numbers of characters that left and are to come, at the last one

    def note(self) -> None:
        """Measure the crowd as it is now."""
        crowd = self._crowd
        sheets = self._note_floors()
        is_due = crowd.steps % self._every == 0
        changes = (crowd.exited, crowd.to_come)
        if changes == self._changes and not self._lines and not is_due:
            return
        ids, positions = crowd.ids, crowd.positions
        known, places = self._before
        stayed: Any = slice(None)
        before: Any = slice(None)
        if changes != self._changes:
            _, stayed, before = np.intersect1d(ids, known, assume_unique=True, return_indices=True)
            self._left |= dict.fromkeys(np.delete(known, before).tolist(), crowd.time)
            new, of = np.delete(ids, stayed), np.delete(crowd.populations, stayed)
            self._population |= dict(zip(new.tolist(), of.tolist(), strict=True))
        for name, line in self._lines.items():
            rows, share, is_left = steps_over(
                places[before], positions[stayed], line.start, line.end
            )
            if sheets is not None and line.sheets is not None:
                there = line.sheets[sheets[stayed][rows]]
                there |= line.sheets[self._sheets_before[before][rows]]
                share, is_left = share[there], is_left[there]
            times = crowd.time - (1.0 - share) * crowd.dt
            self._passed[name] += zip(times.tolist(), is_left.tolist(), strict=True)
        self._before, self._changes = (ids, positions), changes
        if sheets is not None:
            self._sheets_before = sheets
        if is_due:
            for name, area in self._areas.items():
                self._densities[name].append(area.people(positions, sheets) / area.size)
            self._queues.append(self._queue())

    def _note_floors(self) -> Ints | None:
        """Count the people on each floor; return the sheets of all, None on a plane."""
        if self._building is None:
            return None
        sheets, floors = self._crowd.sheets, len(self._building.floors)
        people = np.bincount(sheets, minlength=floors)[:floors]  # floors are the first sheets
        emptied = (people == 0) & (self._most_people > 0) & np.isnan(self._cleared)
        self._cleared[emptied] = self._crowd.time
        self._cleared[people > 0] = np.nan
        self._most_people = np.maximum(self._most_people, people)
        return sheets

    def _queue(self) -> int:
        """Return how many characters walk much slower than they prefer."""
        crowd = self._crowd
        speed = np.sqrt((crowd.velocities**2).sum(axis=1))
        return int((crowd.is_walking & (speed < QUEUING * crowd.speeds)).sum())

    def measures(self) -> dict[str, float | None]:
        """Return all measures by name; None for what did not happen."""
        crowd = self._crowd
        found: dict[str, float | None] = self._egress("", None)
        if len(crowd.names) > 1:
            for number, name in enumerate(crowd.names):
                found |= self._egress(f" {name}", number)
        found |= {
            "arrivals": float(crowd.arrivals),
            "exited": float(crowd.exited),
            "present": float(len(crowd)),
            "stuck": float(len(crowd.stuck)),
            "longest_queue": float(max(self._queues, default=0)),
        }
        for floor, most, time in zip(
            () if self._building is None else self._building.floors,
            self._most_people.tolist(), self._cleared.tolist(), strict=True,
        ):  # fmt: skip
            found[f"most_people {floor.name}"] = float(most)
            found[f"cleared {floor.name}"] = None if math.isnan(time) else time
        for name, passed in self._passed.items():
            times = sorted(time for time, _ in passed)
            lasted = times[-1] - times[0] if len(times) > 1 else 0.0
            found |= {
                f"passed {name}": float(len(times)),
                f"net {name}": float(sum(1 if left else -1 for _, left in passed)),
                f"flow {name}": (len(times) - 1) / lasted if lasted > 0.0 else None,
            }
        for name, densities in self._densities.items():
            found |= {
                f"density {name}": float(np.mean(densities)),
                f"greatest_density {name}": float(max(densities)),
            }
            low = 0.0
            for level, high in LEVELS:
                share = np.mean([low <= density < high for density in densities])
                found[f"level_{level} {name}"] = float(share)
                low = high
        return found

    def _egress(self, suffix: str, population: int | None) -> dict[str, Any]:
        """Return times of egress of a population, or of everybody, s.

        The time of the last one is None while somebody is left, and a percentile while fewer than
        that share have left.
        """
        ids = [
            number
            for number, of in self._population.items()
            if population is None or of == population
        ]
        times = sorted(self._left[number] for number in ids if number in self._left)
        to_come = self._crowd.to_come if population is None else self._crowd.to_come_of(population)
        total = len(ids) + to_come
        found: dict[str, float | None] = {
            f"egress_time{suffix}": times[-1] if times and len(times) == total else None,
            f"egress_mean{suffix}": float(np.mean(times)) if times else None,
        }
        for percent in PERCENTILES:
            needed = math.ceil(percent / 100.0 * total)
            enough = 0 < needed <= len(times)
            found[f"egress_{percent}{suffix}"] = times[needed - 1] if enough else None
        return found


def _sheets_of(floor: tuple[Any, ...], building: Building | None) -> Bools | None:
    """Return which sheets are a floor or a link, given as (name,); None on a plane."""
    if building is None:
        return None
    owners = [
        building.floors[layer.floor] if layer.floor >= 0 else building.links[layer.link]
        for layer in building.layers
    ]
    return np.array([owner.name == floor[0] for owner in owners])


def _region(area: Any, building: Building | None) -> _Region:
    if building is None:
        return _Region(area, float(area.area), None)
    if isinstance(area, str):
        floor = building.floors[building.floor_index(area)]
        return _Region(None, floor.environment.area, _sheets_of((area,), building))
    polygon, name = area
    return _Region(polygon, float(polygon.area), _sheets_of((name,), building))
