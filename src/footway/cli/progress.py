"""Show the progress of a command on a terminal, time its steps, and stop a run between steps."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footway.cli.interrupts import is_in_callback
from footway.cli.reports import count, milliseconds, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    Progress = Callable[[int, int], None]
    """Called with the number of finished steps and of all steps."""


@dataclass
class Steps:
    """Time the long steps of a command, and show them on a terminal."""

    seconds: dict[str, float] = field(default_factory=dict)  # duration of each step, s

    @contextmanager
    def step(self, name: str, doing: str) -> Iterator[None]:
        """Time a step; on a terminal, show `doing` with a spinner."""
        begin = time.perf_counter()
        with _spinner(doing):
            yield
        self.seconds[name] = time.perf_counter() - begin

    @contextmanager
    def bar(self, name: str, doing: str) -> Iterator[Progress | None]:
        """Time a step with a progress bar, and yield its update function; None in a pipe."""
        begin = time.perf_counter()
        try:
            with progress_bar(doing) as progress:
                yield progress
        finally:
            self.seconds[name] = time.perf_counter() - begin

    def in_ms(self) -> dict[str, float]:
        """Return the duration of each step in milliseconds."""
        return {name: round(1000.0 * seconds, 3) for name, seconds in self.seconds.items()}

    def as_text(self) -> str:
        """Return the durations of all steps on one line."""
        return ", ".join(f"{name} {milliseconds(s)}" for name, s in self.seconds.items())


@contextmanager
def timed_steps() -> Iterator[Steps]:
    """Yield the steps of a command; print one message if kernels are compiled in them."""
    from footway._numba.jit import announce_compilation

    compiled = 0

    def tell() -> bool:
        nonlocal compiled
        if not compiled:
            say_compiling()
        compiled += 1
        for show in _spinning[-1:]:
            show(f"compiling kernels ({count(compiled, 'function')})")
        return False  # call again for the next kernel

    with announce_compilation(tell):
        yield Steps()


def say_compiling() -> None:
    """Print that kernels are being compiled."""
    say("compiling kernels, once after an install or update (up to a minute) ...")


_spinning: list[Callable[[str], None]] = []  # functions that append text to the visible spinners


@contextmanager
def _spinner(doing: str) -> Iterator[None]:
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{doing} ...") as status:
        _spinning.append(lambda more: status.update(f"{doing} ... {more}"))
        try:
            yield
        finally:
            _spinning.pop()


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


class StopSignals:
    """Ctrl-C and SIGTERM stop a run between two steps; a second signal stops it at once.

    Attributes:
        received: number of the last signal; 0 if there was none.
    """

    def __init__(self, progress: Progress | None) -> None:
        self.received = 0
        self._progress = progress

    def after_step(self, done: int, total: int) -> None:
        """Raise KeyboardInterrupt if a signal came; call this after every step."""
        if self.received:
            raise KeyboardInterrupt
        if self._progress is not None:
            self._progress(done, total)

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle the signals in here; does nothing outside the main thread."""

        def handle(number: int, frame: FrameType | None) -> None:
            is_second, self.received = self.received != 0, number
            if is_second and not is_in_callback(frame):
                raise KeyboardInterrupt

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {n: signal.signal(n, handle) for n in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
