"""Printing and timing: results go to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from footway.corridor import Pinch


def say(line: str) -> None:
    """Print a message on standard error."""
    print(f"footway: {line}", file=sys.stderr, flush=True)  # noqa: T201


def print_json(answer: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    print(json.dumps(answer, allow_nan=False))  # noqa: T201


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output."""
    for line in lines:
        print(line)  # noqa: T201


def facts(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return names and values in two aligned columns."""
    rows = list(pairs)
    width = max((len(name) for name, _ in rows), default=0)
    return [f"  {name:<{width}}   {value}" for name, value in rows]


def milliseconds(seconds: float) -> str:
    """Format a duration in milliseconds, with three significant digits if it is short."""
    ms = 1000.0 * seconds
    if ms < 10:
        return f"{ms:.2f} ms"
    return f"{ms:,.1f} ms" if ms < 100 else f"{ms:,.0f} ms"


def place(point: tuple[float, ...]) -> str:
    """Format a point as (x, y) or (x, y, z) in metres, to the centimetre."""
    return f"({', '.join(f'{value:.2f}' for value in point)})"


def pinch_facts(pinch: Pinch) -> dict[str, Any]:
    """Return a pinch as JSON values."""
    return {
        "width": pinch.width,
        "radius": pinch.radius,
        "at": list(pinch.at),
        "left": list(pinch.left),
        "right": list(pinch.right),
    }


def count(number: int, thing: str) -> str:
    """Return "1 path", "2 paths"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


@dataclass
class Steps:
    """Time the long steps of a command, and show them on a terminal.

    Attributes:
        seconds: duration of each step, s.

    """

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str, doing: str) -> Iterator[None]:
        """Time a step; on a terminal, show `doing` with a spinner."""
        begin = time.perf_counter()
        with _spinner(doing):
            yield
        self.seconds[name] = time.perf_counter() - begin

    def in_ms(self) -> dict[str, float]:
        """Return the duration of each step in milliseconds."""
        return {name: round(1000.0 * seconds, 3) for name, seconds in self.seconds.items()}


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


_spinning: list[Callable[[str], None]] = []
"""Functions that append text to the visible spinners."""


@contextmanager
def announced_compilation() -> Iterator[None]:
    """Print one message if kernels are compiled; on a terminal, show how many."""
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
        yield


def say_compiling() -> None:
    """Print that kernels are being compiled."""
    say("compiling kernels, once after an install or update (up to a minute) ...")
