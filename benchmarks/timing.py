"""Measure durations in rounds."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


@dataclass(frozen=True)
class Spread:
    """Values of a quantity in several rounds."""

    values: tuple[float, ...]

    @property
    def minimum(self) -> float:
        """Least value: that of an otherwise idle machine."""
        return min(self.values)

    @property
    def median(self) -> float:
        """Median value, used for targets and ratios."""
        return median(self.values)

    def scaled(self, factor: float) -> Spread:
        """Return the values multiplied by a factor."""
        return Spread(tuple(value * factor for value in self.values))


def stopwatch(
    call: Callable[[], Any], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """Return the duration of a call, s, and its result."""
    gc.collect()  # garbage of earlier calls is not part of this one
    begin = clock()
    result = call()
    return clock() - begin, result


def processor_time(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time of a call, s, and its result.

    For work on one thread: it depends less on what else the machine does.
    """
    return stopwatch(call, time.process_time)


def in_turn(calls: Mapping[str, Callable[[], Any]], *, repeats: int) -> dict[str, Spread]:
    """Return the duration of each call in each round, s.

    A round makes all calls one after the other, so that other load of the machine affects all of
    them, and ratios stay fair.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            seconds[name].append(stopwatch(call)[0])
    return {name: spread(values) for name, values in seconds.items()}


def spread(values: Iterable[float]) -> Spread:
    """Values of the rounds as a Spread."""
    return Spread(tuple(float(value) for value in values))
