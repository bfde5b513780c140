"""What commands print: answers on standard output, everything else on standard error."""

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
    """Print one line for a person on standard error."""
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
    """Return a duration in milliseconds, with three digits where it is short."""
    ms = 1000.0 * seconds
    if ms < 10:
        return f"{ms:.2f} ms"
    return f"{ms:,.1f} ms" if ms < 100 else f"{ms:,.0f} ms"


def place(point: tuple[float, ...]) -> str:
    """Return a place as (x, y) or (x, y, z) in metres, to the centimetre."""
    return f"({', '.join(f'{value:.2f}' for value in point)})"


def pinch_facts(pinch: Pinch) -> dict[str, Any]:
    """Return a pinch as plain values, for JSON."""
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
    """The long steps of a command: shown on a terminal while they last, and timed.

    Attributes:
        seconds: how long each step took.

    """

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str, doing: str) -> Iterator[None]:
        """Time a step, and show `doing` with a spinner while it lasts, on a terminal only."""
        begin = time.perf_counter()
        with _spinner(doing):
            yield
        self.seconds[name] = time.perf_counter() - begin

    def in_ms(self) -> dict[str, float]:
        """Return milliseconds by step, for JSON."""
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
"""Functions that add words to the spinners which are shown."""


@contextmanager
def announced_compilation() -> Iterator[None]:
    """Say so, once, if kernels have to be compiled in here; show how many on a terminal."""
    from footway._numba.jit import announce_compilation

    compiled = 0

    def tell() -> bool:
        nonlocal compiled
        if not compiled:
            say_compiling()
        compiled += 1
        for show in _spinning[-1:]:
            show(f"compiling kernels ({count(compiled, 'function')})")
        return False  # and be asked again

    with announce_compilation(tell):
        yield


def say_compiling() -> None:
    """Say what a person has to wait for."""
    say("compiling kernels, once after an install or update (up to a minute) ...")
