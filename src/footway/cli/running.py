"""Run a crowd under the eyes of a person: progress, what each step costs, and Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from footway.crowd import Crowd
    from footway.io.scenario import Scenario


@dataclass
class Clock:
    """What the steps of a run cost.

    Attributes:
        moments: s, when each step began, and when the last one ended.
        present: characters in each step.
        empty_at: s of simulated time when the last character had left; None while some are there.

    """

    moments: list[float] = field(default_factory=list)
    present: list[int] = field(default_factory=list)
    empty_at: float | None = None

    def tick(self, crowd: Crowd) -> None:
        """Note that a step begins; the crowd calls it."""
        number = len(crowd)
        if number:
            self.empty_at = None
        elif self.empty_at is None and any(self.present[-1:]):
            self.empty_at = crowd.time
        self.present.append(number)
        self.moments.append(time.perf_counter())

    def stop(self, crowd: Crowd) -> None:
        """Note that the last step has ended."""
        self.tick(crowd)
        self.present.pop()

    @property
    def cost(self) -> Cost:
        """What the steps took; the first one, which loads compiled kernels, is left out."""
        seconds = [b - a for a, b in pairwise(self.moments)]
        present = self.present
        if len(seconds) > 1:
            seconds, present = seconds[1:], present[1:]
        total = sum(seconds)
        return Cost(
            total / max(1, len(seconds)),
            max(seconds, default=0.0),
            sum(present) / total if total > 0.0 else 0.0,
        )


class Cost(NamedTuple):
    """What steps took, recording included."""

    mean: float  # s per step
    longest: float  # s
    rate: float  # character-steps per second


@dataclass
class Run:
    """A run and what is to be said about it."""

    scenario: Scenario
    crowd: Crowd
    clock: Clock = field(default_factory=Clock)
    stopped: bool = False

    @property
    def cost(self) -> Cost:
        """What its steps took."""
        return self.clock.cost


@contextmanager
def stopped_between_steps(crowd: Crowd) -> Iterator[None]:
    """Let Ctrl-C stop a run between two steps, where the crowd is whole; twice is at once."""
    asked = threading.Event()

    def note(_number: int, _frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    def stop(_crowd: Crowd) -> None:
        if asked.is_set():
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    crowd.each_step(stop)
    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def walk(crowd: Crowd, seconds: float, progress: Callable[[int, int], None] | None) -> None:
    """Run without a recording, which would fill memory for nothing."""
    total = round(seconds / crowd.dt)
    for done in range(1, total + 1):
        crowd.step()
        if progress is not None:
            progress(done, total)


@contextmanager
def progress_bar(doing: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, to be called with what is done and what there is; None in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show
