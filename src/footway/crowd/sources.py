"""Sources: characters that appear in an area over time, once there is free space."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from footway.crowd.checks import LONGEST
from footway.crowd.kernels.placement import keep_apart
from footway.crowd.places import overlapping
from footway.crowd.state import POPULATION
from footway.errors import BadQuery
from footway.validation import number, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway._numba.random_stream import RandomStream

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_SLOWEST, _FASTEST = 1e-6, 1e6  # characters per second: other values are probably in another unit
_TRIES = 64  # points that are tried per character and step
_AT_ONCE = 200  # characters of a source that may appear per step


@dataclass
class Source:
    """Characters that will appear, with their times and possible start points."""

    ids: Ints  # (n,)
    times: Floats  # (n,) s, ascending
    rows: dict[str, NDArray[np.generic]]  # rows of the state's arrays, without positions
    points: Floats  # (m, 2) m, possible start points
    next: int = 0  # first character that has not appeared

    @property
    def population(self) -> int:
        """Index of the population; -1 if the source is empty."""
        return int(self.rows["story"][0, POPULATION]) if len(self.ids) else -1

    def due(self, time: float) -> int:
        """Return the number of characters that are due and have not appeared."""
        return int(np.searchsorted(self.times, time + 1e-9, side="right")) - self.next

    def places(self, count: int, there: Floats, obstacles: Floats, rng: RandomStream) -> Floats:
        """Return free points for at most the next `count` characters. (k, 2).

        `there` (m, 3) are the discs of all characters, `blocks` (m, 3) those of obstacles.
        """
        count = min(count, _AT_ONCE)
        radii = self.rows["body"][self.next : self.next + count, 2].astype(np.float64)
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        widest = float(max(radii.max(), there[:, 2].max(initial=0.0)))
        near = ((there[:, :2] > low - 2 * widest) & (there[:, :2] < high + 2 * widest)).all(axis=1)
        size = 2.0 * widest
        low = low - 2 * widest
        shape = np.floor((high + 2 * widest - low) / size).astype(np.int64) + 1
        points = self.points[rng.integers(len(self.points), _TRIES * count)]
        points = points[~overlapping(points, np.full(len(points), radii.max()), obstacles)]
        found, _ = keep_apart(points, radii, there[near], size, low, shape[0], shape[1])
        places: Floats = found
        return places


def times_of(
    count: int, rate: float | None, start: float, schedule: Sequence[tuple[float, int]] | None
) -> Floats:
    """Return the time at which each character of a source is due, s. (count,)."""
    if schedule is not None:
        return _scheduled(count, schedule)
    if rate is None:
        raise BadQuery("a source has a rate per second, or a schedule: give one of them")
    number(rate, "rate", "per second", low=_SLOWEST, high=_FASTEST)
    number(start, "time at which the source starts", "s", low=0.0, high=LONGEST)
    times: Floats = start + np.arange(count) / rate
    return times


def _scheduled(count: int, schedule: Sequence[tuple[float, int]]) -> Floats:
    try:
        times = [number(t, "time", "s", high=LONGEST) for t, _ in schedule]
        sizes = [int(n) for _, n in schedule]
        whole = all(int(n) == n for _, n in schedule)
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole:
        raise BadQuery(f"the schedule is {shown(schedule)}: give (time in s, count) pairs")
    if any(b < a for a, b in pairwise(times)) or min(times, default=0.0) < 0.0:
        raise BadQuery("the times of a schedule must be 0 or later and ascend")
    if min(sizes, default=0) < 0 or sum(sizes) != count:
        raise BadQuery(f"the schedule has {shown(sum(sizes))} characters: the source has {count}")
    return np.repeat(np.array(times), sizes)
