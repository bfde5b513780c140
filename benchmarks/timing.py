"""Seconds, measured in rounds."""

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
    """A quantity measured in several rounds: its values, in the order of the rounds."""

    values: tuple[float, ...]

    @property
    def minimum(self) -> float:
        """What the machine can do when nobody disturbs it."""
        return min(self.values)

    @property
    def median(self) -> float:
        """What it did; targets and ratios are judged by this."""
        return median(self.values)

    def scaled(self, factor: float) -> Spread:
        """In another unit, or for another count."""
        return Spread(tuple(value * factor for value in self.values))


def stopwatch(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of one call, and what it returned."""
    gc.collect()  # the garbage of whoever came before is not this call's
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def in_turn(calls: Mapping[str, Callable[[], Any]], *, repeats: int) -> dict[str, Spread]:
    """Seconds of each call in each round.

    A round runs all of them one after the other, so that a busy minute of the machine falls on
    all, and ratios stay fair.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            seconds[name].append(stopwatch(call)[0])
    return {name: spread(values) for name, values in seconds.items()}


def spread(values: Iterable[float]) -> Spread:
    """Values of the rounds as a Spread."""
    return Spread(tuple(float(value) for value in values))
