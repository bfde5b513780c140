"""Run a command, and turn whatever goes wrong into one line and an exit code."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from footway.cli import interrupts
from footway.cli.app import app
from footway.cli.interrupts import INTERRUPTED, Stopped
from footway.cli.output import pinch_facts, print_json, say
from footway.errors import FootwayError, NoPath
from footway.extras import explain_missing

if TYPE_CHECKING:
    from collections.abc import Sequence

BAD_INPUT: Final = 2
BROKEN_PIPE: Final = 141
"""128 + the number of the signal, as shells count."""

_USAGE_ERROR: Final = typer.BadParameter.__mro__[1]
"""Click's UsageError, which Typer carries inside itself in some versions and not in others."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code. Never a traceback for what users do."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    try:
        code = _run_app(given)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # Typer turns the first into the second
        _mute_stdout()
        return BROKEN_PIPE
    except OSError as error:
        _mute_stdout()
        say(f"cannot write: {error.strerror or error}")
        return BAD_INPUT
    return code


def _prepare_streams() -> None:
    """Open what the shell closed, and print what the terminal's alphabet has no letter for."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    warnings.simplefilter("ignore", RuntimeWarning)  # huge coordinates: the error says it better


def _run_app(given: list[str]) -> int:
    try:
        result = app(given, prog_name="footway", standalone_mode=False)
    except BaseException as error:  # noqa: BLE001 - what is not explained is raised again
        if interrupts.was_asked() or isinstance(error, KeyboardInterrupt | typer.Abort):
            interrupts.hear()  # whatever it has become on its way
            return _refuse(given, "interrupted", INTERRUPTED, kind="Interrupted")
        return _explained(given, error)
    if result == INTERRUPTED:  # newer Typer returns this where older ones raise Abort
        interrupts.hear()
        return _refuse(given, "interrupted", INTERRUPTED, kind="Interrupted")
    return result if isinstance(result, int) else 0


def _explained(given: list[str], error: BaseException) -> int:
    """Say what an error means; errors that are our own mistakes are raised."""
    if isinstance(error, Stopped):
        return _refuse(given, str(error), error.exit_code, kind=error.kind)
    if isinstance(error, FootwayError):
        return _refuse(given, str(error), error.exit_code, **_explain(error))
    if isinstance(error, ModuleNotFoundError) and (missing := explain_missing(error)):
        return _refuse(given, str(missing), BAD_INPUT, kind="MissingExtra")
    if isinstance(error, MemoryError):
        detail = f" ({error})" if str(error) else ""
        message = f"out of memory{detail}; give a smaller map or close other programs"
        return _refuse(given, message, BAD_INPUT, kind="MemoryError")
    if isinstance(error, _USAGE_ERROR):
        return _refuse(given, _usage_message(error), BAD_INPUT, kind="Usage")
    raise error


def _refuse(given: list[str], message: str, code: int, **facts: Any) -> int:
    """Say what went wrong on standard error, and as JSON where JSON was asked for."""
    line = " ".join(message.split())
    say(line)
    if "--json" in given:
        print_json({"error": line, "exit_code": code, **facts})
    return code


def _explain(error: FootwayError) -> dict[str, Any]:
    """Return what a program wants to know about an error."""
    facts: dict[str, Any] = {"kind": type(error).__name__}
    if isinstance(error, NoPath):
        facts["reason"] = error.reason
        facts["pinch"] = None if error.pinch is None else pinch_facts(error.pinch)
        facts["obstacles"] = list(error.obstacles)
    return facts


def _usage_message(error: BaseException) -> str:
    """Return Click's message, and which help to read."""
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "footway")
    words = getattr(error, "format_message", error.__str__)()
    words = words.replace("Value error, ", "")  # some versions of Typer have it before choices
    return f"{words.rstrip('.')}; see `{command} --help`"


def _mute_stdout() -> None:
    """Send the rest of standard output nowhere, or the interpreter complains as it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
