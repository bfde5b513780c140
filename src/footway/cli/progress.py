"""Run a crowd under the eyes of a person: progress, what each step costs, and Ctrl-C."""

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
    """Is told how many steps are done, and how many there are."""


@dataclass
class Clock:
    """What the steps of a run cost.

    Attributes:
        moments: s, when each step began, and when the last one ended.
        present: characters in each step.
        empty_at: s of simulated time when the last character had left; None while some are there.
        left_at: the same for each population of which nobody is there any more, by its name.

    """

    moments: list[float] = field(default_factory=list)
    present: list[int] = field(default_factory=list)
    empty_at: float | None = None
    left_at: dict[str, float] = field(default_factory=dict)
    _there: list[int] = field(default_factory=list)  # of each population, when that changed last
    _known: tuple[int, int] = (-1, -1)  # who was there and who had left, then

    def tick(self, crowd: Crowd) -> None:
        """Note that a step begins; the crowd calls it."""
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
        """Note that the last step has ended."""
        self.tick(crowd)
        self.present.pop()

    def _count(self, crowd: Crowd) -> None:
        """Note of which populations the last one has left since the last time."""
        from numpy import bincount  # heavy, and help should be fast

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
    stopped: int = 0  # number of the signal that stopped it; 0: it ran to its end
    torn: bool = False  # stopped in the middle of a step: the crowd is not whole

    @property
    def cost(self) -> Cost:
        """What its steps took."""
        return self.clock.cost


@contextmanager
def stopped_between_steps(run: Run, progress: Progress | None) -> Iterator[Progress]:
    """Let Ctrl-C and SIGTERM stop a run between two steps, where it is whole; twice is at once.

    Gives what is to be called after every step, which passes on to `progress`.
    """
    asked = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        run.stopped = number
        if asked.is_set() and not is_in_callback(frame):
            run.torn = True
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
    """Run without a recording, which would fill memory for nothing; else as `Crowd.run`."""
    total = round(seconds / crowd.dt)
    due = max(1, round((checkpoint_every or seconds) / crowd.dt))
    for done in range(1, total + 1):
        crowd.step()
        if checkpoint is not None and crowd.steps % due == 0 and done < total:
            crowd.save(checkpoint)
        progress(done, total)


@contextmanager
def progress_bar(doing: str) -> Iterator[Progress | None]:
    """A bar on a terminal, to be called with what is done and what there is; None in a pipe."""
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
