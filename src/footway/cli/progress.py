"""Run a crowd with a progress bar, timed steps and a safe reaction to Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from footway.cli.interrupts import is_in_callback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from footway.crowd import Crowd
    from footway.scenario import Scenario

    Progress = Callable[[int, int], None]
    """Called with the number of finished steps and of all steps."""


@dataclass
class Clock:
    """Measure the duration of steps and the time at which populations have left.

    Attributes:
        moments: clock at the begin of each step and at the end of the last one, s.
        present: number of characters in each step.
        empty_at: simulated time when the last character left, s; None while some are present.
        left_at: the same by name for each population of which nobody is present any more.

    """

    moments: list[float] = field(default_factory=list)
    present: list[int] = field(default_factory=list)
    empty_at: float | None = None
    left_at: dict[str, float] = field(default_factory=dict)
    _there: list[int] = field(default_factory=list)  # size of each population at the last change
    _known: tuple[int, int] = (-1, -1)  # numbers of present and exited characters at that time

    def tick(self, crowd: Crowd) -> None:
        """Record the begin of a step; called by the crowd."""
        number = len(crowd)
        if number:
            self.empty_at = None
        elif self.empty_at is None and any(self.present[-1:]):
            self.empty_at = crowd.time
        if (number, crowd.exited) != self._known:
            self._count(crowd)
        self.present.append(number)
        self.moments.append(time.perf_counter())

    def stop(self, crowd: Crowd) -> None:
        """Record the end of the last step."""
        self.tick(crowd)
        self.present.pop()

    def _count(self, crowd: Crowd) -> None:
        """Record which populations have left since the last call."""
        from numpy import bincount  # slow to import: --help does not need it

        there = bincount(crowd.populations, minlength=len(crowd.names)).tolist()
        before = self._there + [0] * (len(there) - len(self._there))
        for name, number, was in zip(crowd.names, there, before, strict=True):
            if number:
                self.left_at.pop(name, None)
            elif was:
                self.left_at[name] = crowd.time
        self._there, self._known = there, (len(crowd), crowd.exited)

    @property
    def cost(self) -> Cost:
        """Cost of the steps, without the first one, which loads compiled kernels."""
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
    """Cost of the steps, recording included."""

    mean: float  # s per step
    longest: float  # s
    rate: float  # character-steps per second


@dataclass
class Run:
    """A run and its measurements."""

    scenario: Scenario
    crowd: Crowd
    clock: Clock = field(default_factory=Clock)
    stopped: int = 0  # number of the signal that stopped it; 0 if it ran to its end
    is_partial: bool = False  # stopped within a step: the state of the crowd is inconsistent

    @property
    def cost(self) -> Cost:
        """Cost of its steps."""
        return self.clock.cost


@contextmanager
def stopped_between_steps(run: Run, progress: Progress | None) -> Iterator[Progress]:
    """Let Ctrl-C and SIGTERM stop a run between two steps; a second signal stops it at once.

    Yields a function to call after every step, which also calls `progress`.
    """
    asked = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        run.stopped = number
        if asked.is_set() and not is_in_callback(frame):
            run.is_partial = True
            raise KeyboardInterrupt
        asked.set()

    def after_step(done: int, total: int) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        if progress is not None:
            progress(done, total)

    if threading.current_thread() is not threading.main_thread():
        yield after_step
        return
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield after_step
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def walk(
    crowd: Crowd,
    seconds: float,
    progress: Progress,
    *,
    checkpoint: str | None = None,
    checkpoint_every: float | None = None,
) -> None:
    """Run as `Crowd.run` does, but without a recording, which would fill memory."""
    total = round(seconds / crowd.dt)
    due = max(1, round((checkpoint_every or seconds) / crowd.dt))
    for done in range(1, total + 1):
        crowd.step()
        if checkpoint is not None and crowd.steps % due == 0 and done < total:
            crowd.save(checkpoint)
        progress(done, total)


@contextmanager
def progress_bar(doing: str) -> Iterator[Progress | None]:
    """Show a progress bar on a terminal and yield its update function; None in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    with progress.Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show
