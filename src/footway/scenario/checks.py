"""Checks before a run: areas are on the map, characters fit and can reach their goals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway._numba.random_stream import RandomStream
from footway.crowd.free_space import describe_free_point, sample_free_space
from footway.environment.areas import as_polygon, ring_problem, union
from footway.errors import NoPath
from footway.scenario.values import in_plan
from footway.validation import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Floats
    from footway.corridor import CorridorMap, Pinch
    from footway.crowd.free_space import FreeSamples
    from footway.environment import Environment
    from footway.environment.areas import Polygon
    from footway.scenario.models import Obstacle, Scenario
    from footway.scenario.problems import Keys, Origin
    from footway.scenario.values import Point, Ring

_SAMPLE: Final = 12  # points of an area between which paths are searched
_SLACK: Final = 1e-6  # m, rounding error of the map


class Areas:
    """The areas of a map and of a scenario, by name or by corners, and the free space in them."""

    def __init__(
        self,
        scenario: Scenario,
        cmap: CorridorMap,
        environment: Environment | None,
        *,
        origin: Origin | None = None,  # of the keys with areas, if not the scenario's file
    ) -> None:
        self._origin = origin or scenario.origin
        self._cmap = cmap
        self._free: dict[int, tuple[Polygon | None, FreeSamples]] = {}
        of_map: dict[str, list[Polygon]] = {}
        for area in environment.areas if environment is not None else ():
            of_map.setdefault(area.name, []).append(area.polygon)
        self._regions = {
            name: as_polygon(parts[0] if len(parts) == 1 else union(parts))
            for name, parts in of_map.items()
        }
        for name, ring in scenario.area.items():
            keys = ("area", name)
            if name in self._regions:
                message = "is also an area of the map; choose another name"
                raise self._origin.refuse(keys, message)
            self._regions[name] = self._region(ring, keys)
        for name in scenario.area:
            self._check_on_map(self._regions[name], ("area", name))

    def find(self, given: str | Ring, keys: Keys) -> Polygon:
        """Return the region with this name or these corners, which must lie on the map."""
        if not isinstance(given, str):
            region = self._region(given, keys)
        elif given in self._regions:
            region = self._regions[given]
        else:
            hint = did_you_mean(given, self._regions) or f"add it to [area]: {given} = [0, 0, 9, 9]"
            raise self._origin.refuse(keys, f"there is no area {shown(given)}; {hint}")
        self._check_on_map(region, keys)
        return region

    def free(self, region: Polygon | None) -> FreeSamples:
        """Return sample points of a region, or of the whole map, with their clearance."""
        key = id(region)  # the region is stored too, so that its id is not reused
        if key not in self._free:
            self._free[key] = region, sample_free_space(self._cmap, region)
        return self._free[key][1]

    def _region(self, ring: Ring, keys: Keys) -> Polygon:
        corners = in_plan(ring)
        if problem := ring_problem(corners):
            raise self._origin.refuse(keys, problem)
        return as_polygon(corners)

    def _check_on_map(self, region: Polygon, keys: Keys) -> None:
        """Raise an error if a region contains no free space."""
        if self.free(region).clearance.max(initial=0.0) > 0.0:
            return
        if _is_outside(region.bounds, self._cmap):
            raise self._origin.refuse(
                keys, f"lies outside the map, which has {_extent(self._cmap)}"
            )
        raise self._origin.refuse(keys, "lies entirely in obstacles; move it into free space")


class Location(NamedTuple):
    """A start or goal of characters."""

    label: str  # its name in messages
    keys: Keys  # its key path in the file
    points: Floats  # (n, 2) m, points of it at which the characters fit


class Alternatives(NamedTuple):
    """One destination of a journey: a location, or the nearest of several."""

    keys: Keys  # its key path in the file
    locations: list[Location]


class Checker:
    """Checks against the map for characters of one radius (the largest of them), m."""

    def __init__(self, cmap: CorridorMap, origin: Origin, radius: float) -> None:
        self._cmap = cmap
        self._origin = origin
        self.radius = radius

    def area(self, free: FreeSamples, label: str, keys: Keys) -> Location:
        """Return the location of an area; raise an error if the characters fit nowhere in it."""
        centres = free.centres(self.radius)
        if not len(centres):
            raise self._origin.refuse(
                keys,
                f"is too narrow for a radius of {self.radius:g} m: the widest place of {label} has "
                f"{free.clearance.max(initial=0.0):.3f} m to the nearest wall",
            )
        if len(centres) > _SAMPLE:
            order = RandomStream(0).permutation(len(centres))
            centres = np.ascontiguousarray(centres[order[:_SAMPLE]])
        return Location(label, keys, centres)

    def point(self, at: Point, keys: Keys) -> Location:
        """Return the location of a point; raise an error if the characters do not fit there."""
        clearance = float(self._cmap.clearance([at])[0])
        where = f"({at[0]:g}, {at[1]:g})"
        if clearance < self.radius - _SLACK:
            reason = "it is in an obstacle or outside the map"
            if clearance > 0.0:
                fits = f"a radius of {self.radius:g} m does not fit there"
                reason = f"{fits}: {clearance:.3f} m to the nearest wall"
            hint = describe_free_point(self._cmap, (at[0], at[1]), self.radius)
            message = f"is {where}, but {reason}" + (f"; {hint}" if hint else "")
            raise self._origin.refuse(keys, message)
        return Location(where, keys, np.array([at]))

    def check_capacity(
        self, free: FreeSamples, location: Location, count: int, radius: float
    ) -> None:
        """Raise an error if an area is too small for `count` characters of this mean radius."""
        fit = free.capacity(radius)
        if count > fit:
            raise self._origin.refuse(
                location.keys,
                f"{location.label} is too small for {count:,} characters of radius {radius:g} m: "
                f"about {fit:,} fit; make it larger or count smaller",
            )

    def check_journey(
        self, starts: Sequence[Location], stops: Sequence[Alternatives], *, repeat: bool
    ) -> None:
        """Raise an error if a stop cannot be reached from the possible places of the one before."""
        again = [stops[0]] if repeat and len(stops) > 1 else []
        before = list(starts)
        for stop in [*stops, *again]:
            reached = {k for start in before for k in self._reached(start, stop)}
            before = [stop.locations[k] for k in sorted(reached)]

    def check_reachable(self, start: Location, goal: Location) -> None:
        """Raise an error if a goal cannot be reached from any point of the start."""
        self._reached(start, Alternatives(goal.keys, [goal]))

    def _reached(self, start: Location, stop: Alternatives) -> list[int]:
        """Return the indices of the reachable locations of a stop; none is an error."""
        widest = [self._widest(start, location) for location in stop.locations]
        reached = [k for k, pinch in enumerate(widest) if self._is_passable(pinch)]
        if reached:
            return reached
        best = max(range(len(widest)), key=lambda k: _radius_of(widest[k]))
        pinch = widest[best]
        message = f"{stop.locations[best].label} cannot be reached from {start.label}"
        if pinch is None:
            message += ": they are in different parts of the map, with walls between"
        else:
            message += (
                f": the widest path is {pinch.width:.3f} m wide at ({pinch.at[0]:.2f}, "
                f"{pinch.at[1]:.2f}), and a radius of {self.radius:g} m needs {2 * self.radius:g} m"
            )
        if len(widest) > 1:
            message += f" (nor any other of the {len(widest)})"
        raise self._origin.no_path(stop.keys, message, pinch)

    def _is_passable(self, pinch: Pinch | None) -> bool:
        return _radius_of(pinch) >= self.radius - _SLACK

    def _widest(self, start: Location, goal: Location) -> Pinch | None:
        """Return the bottleneck of a wide enough path, or else that of the widest path."""
        widest: Pinch | None = None
        for a in start.points:
            for b in goal.points:
                try:
                    pinch = self._cmap.bottleneck(a, b)
                except NoPath:
                    continue
                if self._is_passable(pinch):
                    return pinch
                if _radius_of(pinch) > _radius_of(widest):
                    widest = pinch
        return widest


def check_obstacle(
    cmap: CorridorMap, obstacle: Obstacle, duration: float, origin: Origin, keys: Keys
) -> None:
    """Raise an error if an obstacle is outside the map during the whole run of `duration` (s)."""
    if _is_outside(obstacle.box(duration), cmap):
        raise origin.refuse(keys, f"never reaches the map, which has {_extent(cmap)}")


def _is_outside(box: tuple[float, float, float, float], cmap: CorridorMap) -> bool:
    """Return whether xmin, ymin, xmax, ymax is outside the bounds of the map."""
    x0, y0, x1, y1 = cmap.bounds
    return box[2] < x0 or box[0] > x1 or box[3] < y0 or box[1] > y1


def _extent(cmap: CorridorMap) -> str:
    x0, y0, x1, y1 = cmap.bounds
    return f"x from {x0:g} to {x1:g}, y from {y0:g} to {y1:g} m"


def _radius_of(pinch: Pinch | None) -> float:
    """Return the largest passable radius, m; -inf if there is no path."""
    return -math.inf if pinch is None else pinch.radius
