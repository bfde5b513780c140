"""What can be known before anything runs: is there room, is there a way."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway.errors import NoPath
from footway.io.scenario.quantities import Spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.corridor import CorridorMap, Pinch
    from footway.io.scenario.areas import Free
    from footway.io.scenario.problems import Keys, Origin

    Floats = NDArray[np.float64]

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
            raise self._origin.refuse(keys, f"is {where}, but {why}")
        return Spot(f"({at[0]:g}, {at[1]:g})", keys, np.array([at]))

    def capacity(self, free: Free, spot: Spot, count: int, radius: float) -> None:
        """Refuse an area that is too small for so many of this (mean) radius."""
        fit = free.capacity(radius)
        if count > fit:
            raise self._origin.refuse(
                spot.keys,
                f"{spot.words} is too small for {count:,} characters of radius {radius:g} m: "
                f"about {fit:,} fit; make it larger or count smaller",
            )

    def way(self, start: Spot, goal: Spot) -> None:
        """Refuse a goal that cannot be reached from anywhere in the start."""
        widest: Pinch | None = None
        for a in start.points:
            for b in goal.points:
                pinch = self._pinch(a, b)
                if pinch is not None and pinch.radius >= self.radius - _SLACK:
                    return
                if pinch is not None and (widest is None or pinch.radius > widest.radius):
                    widest = pinch
        raise self._origin.refuse(goal.keys, self._no_way(start, goal, widest))

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
    order = np.random.default_rng(0).permutation(len(points))
    return np.ascontiguousarray(points[order[:_SAMPLE]])


def legs(start: Spot, goals: Sequence[Spot], *, repeat: bool) -> list[tuple[Spot, Spot]]:
    """From where to where a journey goes, one after the other."""
    spots = [start, *goals]
    found = list(pairwise(spots))
    return [*found, (goals[-1], goals[0])] if repeat and len(goals) > 1 else found
