"""Whole commands, each in its own process: what a user waits for.

From the start of the process to its end, with output to a pipe. `python -c pass` is what any
Python program takes here. A first call after an install finds no compiled kernels: it runs with
an empty cache of its own and compiles what it needs; a later call finds them. The commands run in
turn, round by round.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.checks import TOLERANCE, WrongAnswer
from benchmarks.report import Outcome, Table, Target
from benchmarks.timing import in_turn, spread, stopwatch

if TYPE_CHECKING:
    from benchmarks.effort import Effort
    from benchmarks.timing import Spread

PASS, IMPORT, HELP = "python -c pass", "python -c 'import footway'", "footway --help"
FIRST, LATER = "footway path gallery:city, first", "footway path gallery:city, later"
QUERY = ("path", "gallery:city", "--start", "2,3", "--goal", "480,451", "--json")
COLD_ROUNDS = 3


def run(effort: Effort) -> Outcome:
    """Check the output of the commands, then time them."""
    with TemporaryDirectory() as cache:
        checked = _check(cache)
        warm = in_turn(
            {
                PASS: lambda: _run([sys.executable, "-c", "pass"]),
                IMPORT: lambda: _run([sys.executable, "-c", "import footway"]),
                HELP: lambda: _run([*_footway(), "--help"]),
                LATER: lambda: _path(cache),
            },
            repeats=effort.repeats,
        )
    times = warm | {FIRST: spread(_first() for _ in range(min(effort.repeats, COLD_ROUNDS)))}
    columns = ("command", "min, s", "median, s")
    rows = [(name, s.minimum, s.median) for name, s in times.items()]
    return Outcome([Table("Whole commands", columns, rows)], checked, _targets(times))


def _targets(times: dict[str, Spread]) -> list[Target]:
    pairs = zip(times[IMPORT].values, times[PASS].values, strict=True)
    alone = spread(imported - bare for imported, bare in pairs)

    def seconds(what: str, limit: float, s: Spread) -> Target:
        return Target(what, limit, "s", s.median, s.minimum)

    return [
        seconds("`import footway`, the interpreter not counted", 0.3, alone),
        seconds("`footway --help`", 0.5, times[HELP]),
        seconds("first `footway path` after an install", 20, times[FIRST]),
        seconds("every later one", 1.5, times[LATER]),
    ]


def _check(cache: str) -> str:
    """Require the same path of the first and a later call, and the message about compiling."""
    first, later = _path(cache), _path(cache)
    paths = [json.loads(done.stdout) for done in (first, later)]
    if paths[0]["points"] != paths[1]["points"]:
        raise WrongAnswer("the first call and a later one find different paths")
    if paths[0]["clearance"] < 0.25 - TOLERANCE:
        raise WrongAnswer(f"the path's clearance is {paths[0]['clearance']} m")
    if "compiling" not in first.stderr or "compiling" in later.stderr:
        raise WrongAnswer("the first call, and only that, must say that it compiles")
    return (
        f"first and later calls print the same path of {paths[0]['length']:.3f} m, clearance "
        f"{paths[0]['clearance']:.3f} m, and only the first says that it compiles."
    )


def _first() -> float:
    """Return the duration of a call without compiled kernels, s."""
    with TemporaryDirectory() as cache:
        return stopwatch(lambda: _path(cache))[0]


def _path(cache: str) -> subprocess.CompletedProcess[str]:
    """Run `footway path` with the compiled kernels of this folder."""
    return _run([*_footway(), *QUERY], FOOTWAY_JIT_CACHE=cache)


def _footway() -> list[str]:
    """Return the installed command, or the module if it is not installed."""
    script = Path(sys.executable).with_name("footway")
    return [str(script)] if script.exists() else [sys.executable, "-m", "footway"]


def _run(command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command.

    Raises:
        WrongAnswer: it failed; with the last line of its output.
    """
    done = subprocess.run(  # noqa: S603 - ourselves
        command, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stderr.strip() or "nothing").splitlines()[-1]
        raise WrongAnswer(f"exit code {done.returncode} of {Path(command[0]).name}: {said}")
    return done
