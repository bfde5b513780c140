"""Run a command, and turn errors into one line and an exit code."""

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
"""128 + the number of the signal, as in shells."""

_USAGE_ERROR: Final = typer.BadParameter.__mro__[1]
"""Click's UsageError; some versions of Typer contain their own copy of Click."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; user errors give no traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    try:
        code = _run_app(given)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # Typer converts BrokenPipeError to SystemExit
        _mute_stdout()
        return BROKEN_PIPE
    except OSError as error:
        _mute_stdout()
        say(f"cannot write: {error.strerror or error}")
        return BAD_INPUT
    return code


def _prepare_streams() -> None:
    """Replace closed streams, and escape characters that the terminal cannot encode."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    warnings.simplefilter("ignore", RuntimeWarning)  # huge coordinates give an error anyway


def _run_app(given: list[str]) -> int:
    try:
        result = app(given, prog_name="footway", standalone_mode=False)
    except BaseException as error:  # noqa: BLE001 - unknown errors are raised again
        if interrupts.was_interrupted() or isinstance(error, KeyboardInterrupt | typer.Abort):
            interrupts.acknowledge()  # libraries may have converted the exception
            return _refuse(given, "interrupted", INTERRUPTED, kind="Interrupted")
        return _explained(given, error)
    if result == INTERRUPTED:  # newer versions of Typer return this, older ones raise Abort
        interrupts.acknowledge()
        return _refuse(given, "interrupted", INTERRUPTED, kind="Interrupted")
    return result if isinstance(result, int) else 0


def _explained(given: list[str], error: BaseException) -> int:
    """Print the message of a known error; raise others, which are defects of Footway."""
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
    """Print an error on standard error, and also as JSON with --json."""
    line = " ".join(message.split())
    say(line)
    if "--json" in given:
        print_json({"error": line, "exit_code": code, **facts})
    return code


def _explain(error: FootwayError) -> dict[str, Any]:
    """Return the fields of an error for JSON."""
    facts: dict[str, Any] = {"kind": type(error).__name__}
    if isinstance(error, NoPath):
        facts["reason"] = error.reason
        facts["pinch"] = None if error.pinch is None else pinch_facts(error.pinch)
        facts["obstacles"] = list(error.obstacles)
    return facts


def _usage_message(error: BaseException) -> str:
    """Return Click's message with a reference to the help."""
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "footway")
    words = getattr(error, "format_message", error.__str__)()
    words = words.replace("Value error, ", "")  # some versions of Typer prepend it
    return f"{words.rstrip('.')}; see `{command} --help`"


def _mute_stdout() -> None:
    """Discard the rest of standard output, so that the interpreter exits without an error."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
