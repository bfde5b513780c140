"""What can be known before anything runs: is there room, is there a way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway._numba.random_stream import RandomStream
from footway.crowd.capacity import free_place
from footway.errors import NoPath
from footway.scenario.quantities import Spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap, Pinch
    from footway.crowd.capacity import Free
    from footway.scenario.problems import Keys, Origin

    Floats = NDArray[np.float64]
    Box = tuple[float, float, float, float]

_SAMPLE: Final = 12  # places of an area between which ways are looked for
_SLACK: Final = 1e-6  # m, rounding of the map


class Spot(NamedTuple):
    """Where characters come from or go to.

    Attributes:
        words: how messages call it.
        keys: where it is in the file.
        points: (n, 2) m, places of it where the characters fit.

    """

    words: str
    keys: Keys
    points: Floats


class Leg(NamedTuple):
    """Where a part of a journey leads: to one place, or to the nearest of several.

    Attributes:
        keys: where it is in the file.
        spots: the places.

    """

    keys: Keys
    spots: list[Spot]


class Checker:
    """Asks the map on behalf of characters of one radius (the widest of them), m."""

    def __init__(self, cmap: CorridorMap, origin: Origin, radius: float) -> None:
        self._cmap = cmap
        self._origin = origin
        self.radius = radius

    def area(self, free: Free, words: str, keys: Keys) -> Spot:
        """An area in which the characters fit somewhere."""
        centres = free.centres(self.radius)
        if not len(centres):
            raise self._origin.refuse(
                keys,
                f"has no room for a radius of {self.radius:g} m: the widest place of {words} has "
                f"{free.clearance.max(initial=0.0):.3f} m to the nearest wall",
            )
        return Spot(words, keys, _some(centres))

    def point(self, at: tuple[float, float], keys: Keys) -> Spot:
        """A point at which the characters fit."""
        room = float(self._cmap.clearance([at])[0])
        if room < self.radius - _SLACK:
            where = f"({at[0]:g}, {at[1]:g})"
            why = (
                f"a radius of {self.radius:g} m does not fit there: {room:.3f} m to the next wall"
                if room > 0.0
                else "it is in an obstacle or outside the map"
            )
            hint = free_place(self._cmap, at, self.radius)
            raise self._origin.refuse(
                keys, f"is {where}, but {why}" + (f"; {hint}" if hint else "")
            )
        return Spot(f"({at[0]:g}, {at[1]:g})", keys, np.array([at]))

    def disc(self, box: Box, keys: Keys) -> None:
        """Refuse a dynamic obstacle that never leaves a box outside of the map."""
        x0, y0, x1, y1 = self._cmap.bounds
        if box[2] < x0 or box[0] > x1 or box[3] < y0 or box[1] > y1:
            bounds = f"x from {x0:g} to {x1:g}, y from {y0:g} to {y1:g} m"
            raise self._origin.refuse(keys, f"never comes onto the map, which has {bounds}")

    def capacity(self, free: Free, spot: Spot, count: int, radius: float) -> None:
        """Refuse an area that is too small for so many of this (mean) radius."""
        fit = free.capacity(radius)
        if count > fit:
            raise self._origin.refuse(
                spot.keys,
                f"{spot.words} is too small for {count:,} characters of radius {radius:g} m: "
                f"about {fit:,} fit; make it larger or count smaller",
            )

    def journey(self, starts: Sequence[Spot], legs: Sequence[Leg], *, repeat: bool) -> None:
        """Refuse a leg of which nothing can be reached from where the one before may end."""
        again = [legs[0]] if repeat and len(legs) > 1 else []
        before = list(starts)
        for leg in [*legs, *again]:
            reached = [self._reached(start, leg) for start in before]
            before = [
                spot for k, spot in enumerate(leg.spots) if any(k in some for some in reached)
            ]

    def _reached(self, start: Spot, leg: Leg) -> list[int]:
        """Which places of a leg can be reached from a start; one of them at least."""
        widest = [self._widest(start, spot) for spot in leg.spots]
        reached = [k for k, pinch in enumerate(widest) if self._passes(pinch)]
        if not reached:
            best = max(range(len(widest)), key=lambda k: _radius_of(widest[k]))
            others = f" (nor any other of the {len(widest)})" if len(widest) > 1 else ""
            message = self._no_way(start, leg.spots[best], widest[best])
            raise self._origin.no_path(leg.keys, message + others, widest[best])
        return reached

    def way(self, start: Spot, goal: Spot) -> None:
        """Refuse a goal that cannot be reached from anywhere in the start."""
        self._reached(start, Leg(goal.keys, [goal]))

    def _passes(self, pinch: Pinch | None) -> bool:
        return _radius_of(pinch) >= self.radius - _SLACK

    def _widest(self, start: Spot, goal: Spot) -> Pinch | None:
        """The narrowest place of a way that is wide enough, or else of the widest."""
        widest: Pinch | None = None
        for a in start.points:
            for b in goal.points:
                pinch = self._pinch(a, b)
                if self._passes(pinch):
                    return pinch
                if _radius_of(pinch) > _radius_of(widest):
                    widest = pinch
        return widest

    def _pinch(self, a: Floats, b: Floats) -> Pinch | None:
        """The narrowest place of the widest way; None where there is no way."""
        try:
            return self._cmap.bottleneck(a, b)
        except NoPath:
            return None

    def _no_way(self, start: Spot, goal: Spot, widest: Pinch | None) -> str:
        between = f"{goal.words} cannot be reached from {start.words}"
        if widest is None:
            return f"{between}: they are in different parts of the map, with walls between"
        return (
            f"{between}: the widest way is {widest.width:.3f} m wide at "
            f"({widest.at[0]:.2f}, {widest.at[1]:.2f}), and a radius of {self.radius:g} m needs "
            f"{2 * self.radius:g} m"
        )


def mean_of(value: float | Spread) -> float:
    """The mean of a spread, or the number itself."""
    return value.mean if isinstance(value, Spread) else value


def most_of(value: float | Spread) -> float:
    """The greatest value that somebody may have."""
    return value.mean + 2.0 * value.deviation if isinstance(value, Spread) else value


def _some(points: Floats) -> Floats:
    """A few of the points, all over them, the same in each run."""
    if len(points) <= _SAMPLE:
        return points
    order = RandomStream(0).permutation(len(points))
    return np.ascontiguousarray(points[order[:_SAMPLE]])


def _radius_of(pinch: Pinch | None) -> float:
    """Radius that passes, m; less than nothing where there is no way."""
    return -math.inf if pinch is None else pinch.radius
