"""Nonsense in any argument of anything public is refused in one line: no traceback, crash or hang.

The calls are made in other processes, several functions in each: see `runner`.
"""

from __future__ import annotations

import inspect
import queue
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import typer

from footway import plot
from footway.cli.app import app
from footway.plot.arguments import CHECKS
from tests.misuse.calls import CALLS
from tests.misuse.commands import COMMANDS
from tests.misuse.names import MODULES, NOT_FOR_USERS, RESULTS, public

ROOT = Path(__file__).parents[2]
SILENCE = 300.0  # s without a line after which a call hangs; compiling takes some of it
PICTURES = [name for name in CALLS if name.startswith("plot")]
FAST = ["build", "check", "demo", "path", "route", "studio"]

GROUPS = {
    "pictures": PICTURES,
    "other calls": [name for name in CALLS if name not in PICTURES],
    "commands": FAST,
    "other commands": [name for name in COMMANDS if name not in FAST],
}


def faults(kind, names):
    """Everything that went wrong when these were called with nonsense."""
    command = [sys.executable, "-m", "tests.misuse.runner", kind, *names]
    found, last = [], "nothing yet"
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        lines = queue.Queue()
        reader = threading.Thread(target=lambda: [*map(lines.put, process.stdout), lines.put("")])
        reader.start()
        try:
            while (line := lines.get(timeout=SILENCE).rstrip("\n")) and line != "DONE":
                if line.startswith("WRONG"):
                    found.append(f"{last}: {line}")
                elif line.endswith(")"):
                    last = line
        except queue.Empty:
            found.append(f"{last}: no answer after {SILENCE:g} s")
        process.kill()
        reader.join()
    return found if line == "DONE" else [*found, f"{last}: ended by {process.returncode}"]


@pytest.mark.parametrize("group", sorted(set(GROUPS) - {"other commands"}))
def test_some_nonsense(group):
    assert faults("few", GROUPS[group]) == []


@pytest.mark.slow
@pytest.mark.parametrize("group", sorted(GROUPS))
def test_much_nonsense(group):
    assert faults("all", GROUPS[group]) == []


def test_everything_public_has_a_call():
    """A new public function needs an entry in `calls`, or a reason in `names` why not."""
    assert sorted(public()) == sorted(CALLS)


def test_what_is_left_out_exists():
    known = {name for module in MODULES for name in vars(__import__(module, fromlist=["_"]))}
    assert {name.split(".")[0] for name in NOT_FOR_USERS} | RESULTS <= known


def test_every_command_has_a_call():
    commands = typer.main.get_command(app).commands
    assert {call()[0] for call in COMMANDS.values()} == set(commands)


def test_every_argument_of_a_picture_is_checked():
    for name in PICTURES:
        draw = getattr(plot, name.removeprefix("plot."))
        assert set(inspect.signature(draw).parameters) <= set(CHECKS), name


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("import os; print('f(a = nan)', flush=True); os.abort()", "f(a = nan): ended by -6"),
        ("print('f(a = nan)'); print('WRONG TypeError')", "f(a = nan): WRONG TypeError"),
    ],
)
def test_a_crash_and_a_wrong_error_are_seen(monkeypatch, code, fault):
    start = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda _, **how: start([sys.executable, "-c", code], **how)
    )
    assert faults("few", ["f"])[0].startswith(fault)
