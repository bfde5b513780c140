"""Checks before a run: the characters must fit and be able to reach their goals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway._numba.random_stream import RandomStream
from footway.crowd.free_space import describe_free_point
from footway.errors import NoPath
from footway.scenario.quantities import Spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap, Pinch
    from footway.crowd.free_space import FreeSamples
    from footway.scenario.problems import Keys, Origin

    Floats = NDArray[np.float64]
    Box = tuple[float, float, float, float]

_SAMPLE: Final = 12  # points of an area between which paths are searched
_SLACK: Final = 1e-6  # m, rounding error of the map


class Location(NamedTuple):
    """A start or goal of characters.

    Attributes:
        label: its name in messages.
        keys: its key path in the file.
        points: (n, 2) m, points of it at which the characters fit.

    """

    label: str
    keys: Keys
    points: Floats


class Leg(NamedTuple):
    """The goal of one leg of a journey: one location, or the nearest of several.

    Attributes:
        keys: its key path in the file.
        locations: the alternatives.

    """

    keys: Keys
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
                f"has no room for a radius of {self.radius:g} m: the widest place of {label} has "
                f"{free.clearance.max(initial=0.0):.3f} m to the nearest wall",
            )
        return Location(label, keys, _sample(centres))

    def point(self, at: tuple[float, float], keys: Keys) -> Location:
        """Return the location of a point; raise an error if the characters do not fit there."""
        clearance = float(self._cmap.clearance([at])[0])
        if clearance < self.radius - _SLACK:
            where = f"({at[0]:g}, {at[1]:g})"
            why = (
                f"a radius of {self.radius:g} m does not fit there: {clearance:.3f} m to the next "
                "wall"
                if clearance > 0.0
                else "it is in an obstacle or outside the map"
            )
            hint = describe_free_point(self._cmap, at, self.radius)
            raise self._origin.refuse(
                keys, f"is {where}, but {why}" + (f"; {hint}" if hint else "")
            )
        return Location(f"({at[0]:g}, {at[1]:g})", keys, np.array([at]))

    def check_obstacle(self, box: Box, keys: Keys) -> None:
        """Raise an error if the box in which a dynamic obstacle moves is outside the map."""
        x0, y0, x1, y1 = self._cmap.bounds
        if box[2] < x0 or box[0] > x1 or box[3] < y0 or box[1] > y1:
            bounds = f"x from {x0:g} to {x1:g}, y from {y0:g} to {y1:g} m"
            raise self._origin.refuse(keys, f"never comes onto the map, which has {bounds}")

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
        self, starts: Sequence[Location], legs: Sequence[Leg], *, repeat: bool
    ) -> None:
        """Raise an error if a leg cannot be reached from the possible ends of the previous one."""
        again = [legs[0]] if repeat and len(legs) > 1 else []
        before = list(starts)
        for leg in [*legs, *again]:
            reached = [self._reached(start, leg) for start in before]
            before = [
                location
                for k, location in enumerate(leg.locations)
                if any(k in indices for indices in reached)
            ]

    def _reached(self, start: Location, leg: Leg) -> list[int]:
        """Return the indices of the reachable locations of a leg; none is an error."""
        widest = [self._widest(start, location) for location in leg.locations]
        reached = [k for k, pinch in enumerate(widest) if self._is_passable(pinch)]
        if not reached:
            best = max(range(len(widest)), key=lambda k: _radius_of(widest[k]))
            others = f" (nor any other of the {len(widest)})" if len(widest) > 1 else ""
            message = self._unreachable_message(start, leg.locations[best], widest[best])
            raise self._origin.no_path(leg.keys, message + others, widest[best])
        return reached

    def check_reachable(self, start: Location, goal: Location) -> None:
        """Raise an error if a goal cannot be reached from any point of the start."""
        self._reached(start, Leg(goal.keys, [goal]))

    def _is_passable(self, pinch: Pinch | None) -> bool:
        return _radius_of(pinch) >= self.radius - _SLACK

    def _widest(self, start: Location, goal: Location) -> Pinch | None:
        """Return the bottleneck of a wide enough path, or else that of the widest path."""
        widest: Pinch | None = None
        for a in start.points:
            for b in goal.points:
                pinch = self._pinch(a, b)
                if self._is_passable(pinch):
                    return pinch
                if _radius_of(pinch) > _radius_of(widest):
                    widest = pinch
        return widest

    def _pinch(self, a: Floats, b: Floats) -> Pinch | None:
        """Return the bottleneck of the widest path between two points; None if there is no path."""
        try:
            return self._cmap.bottleneck(a, b)
        except NoPath:
            return None

    def _unreachable_message(self, start: Location, goal: Location, widest: Pinch | None) -> str:
        between = f"{goal.label} cannot be reached from {start.label}"
        if widest is None:
            return f"{between}: they are in different parts of the map, with walls between"
        return (
            f"{between}: the widest way is {widest.width:.3f} m wide at "
            f"({widest.at[0]:.2f}, {widest.at[1]:.2f}), and a radius of {self.radius:g} m needs "
            f"{2 * self.radius:g} m"
        )


def mean_of(value: float | Spread) -> float:
    """Return the mean of a spread, or the number itself."""
    return value.mean if isinstance(value, Spread) else value


def most_of(value: float | Spread) -> float:
    """Return the greatest value that a character may have."""
    return value.mean + 2.0 * value.deviation if isinstance(value, Spread) else value


def _sample(points: Floats) -> Floats:
    """Return a deterministic random sample of the points."""
    if len(points) <= _SAMPLE:
        return points
    order = RandomStream(0).permutation(len(points))
    return np.ascontiguousarray(points[order[:_SAMPLE]])


def _radius_of(pinch: Pinch | None) -> float:
    """Return the largest passable radius, m; -inf if there is no path."""
    return -math.inf if pinch is None else pinch.radius
