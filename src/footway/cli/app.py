"""The command tree, and errors as one line and an exit code."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import sys
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway import __version__
from footway.cli import interrupts
from footway.cli.interrupts import INTERRUPTED, Stopped
from footway.cli.reports import pinch_facts, print_json, print_lines, say
from footway.errors import FootwayError, NoPath
from footway.extras import explain_missing

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: Final = (
    *("build", "edit", "path", "route", "check", "camera", "simulate", "study", "report"),
    *("export", "replay_hash", "diff", "studio", "demo", "reproduce", "validate", "fit"),
    *("gallery", "warmup"),
)
"""In the order of the help: each is a module of `commands`, with a function of the same name."""

BAD_INPUT: Final = 2
BROKEN_PIPE: Final = 141
"""128 + the number of the signal, as in shells."""

_USAGE_ERROR: Final = typer.BadParameter.__mro__[1]
"""Click's UsageError; some versions of Typer contain their own copy of Click."""

_NOT_WHOLE: Final = re.compile(r"Input should be a valid integer.*|'.*' is not a valid integer.*")
"""Words of Pydantic and of Click."""

app = typer.Typer(
    name="footway",
    help="Turn maps into natural motion: exact corridor maps, certified paths, crowds and cameras.",
    epilog=(
        "[bold]Examples[/bold]\n\n"
        "  footway demo\n\n"
        "  footway build plan.geojson -o plan.fwmap --plot plan.png\n\n"
        "  footway path plan.fwmap --start 2,3 --goal 40,12 --radius 0.25\n\n"
        "  footway check plan.geojson\n\n"
        '  footway camera plan.geojson --stops "2,3; 9,4; 20,12" -o tour.glb\n\n'
        "  footway simulate demo:evacuation --plot evacuation.png\n\n"
        "  footway studio plan.geojson\n\n"
        "Exit codes: 0 done, 2 bad input, 3 no path exists."
    ),
    rich_markup_mode="rich",
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
        print_lines([f"footway {__version__}"])
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Turn maps into natural motion: exact corridor maps, certified paths, crowds and cameras."""
    del version  # handled by its callback
    if context.invoked_subcommand is None:
        print_lines([context.get_help()])


for _name in COMMANDS:
    _module = import_module(f"footway.cli.commands.{_name}")
    _command = getattr(_module, _name)
    # One line per paragraph of the docstring, which the terminal wraps to its width.
    _paragraphs = inspect.cleandoc(_command.__doc__ or "").split("\n\n")
    _help = "\n\n".join(" ".join(paragraph.split()) for paragraph in _paragraphs)
    app.command(help=_help, epilog=getattr(_module, "EXAMPLES", None))(_command)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; user errors give no traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Replace closed streams; escape characters that the terminal cannot encode.
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    warnings.simplefilter("ignore", RuntimeWarning)  # huge coordinates give an error anyway
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


@cache
def _command_tree() -> Any:
    """Return the command tree, which takes longer to build than many commands take."""
    return typer.main.get_command(app)


def _run_app(given: list[str]) -> int:
    try:
        result = _command_tree()(given, prog_name="footway", standalone_mode=False)
    except BaseException as error:  # noqa: BLE001 - unknown errors are raised again
        # Libraries may have converted KeyboardInterrupt to another exception.
        is_interrupt = isinstance(error, KeyboardInterrupt | typer.Abort)
        if isinstance(error, Stopped) or not (interrupts.was_interrupted() or is_interrupt):
            return _explained(given, error)
        result = INTERRUPTED
    if result == INTERRUPTED:  # newer versions of Typer return this, older ones raise Abort
        interrupts.acknowledge()
        return _refuse(given, "interrupted", INTERRUPTED, kind="Interrupted")
    return result if isinstance(result, int) else 0


def _explained(given: list[str], error: BaseException) -> int:
    """Print the message of a known error; raise others, which are defects of Footway."""
    if isinstance(error, Stopped):
        return _refuse(given, str(error), error.exit_code, kind=error.kind)
    if isinstance(error, FootwayError):
        facts: dict[str, Any] = {"kind": type(error).__name__}
        if isinstance(error, NoPath):
            facts["reason"] = error.reason
            facts["pinch"] = None if error.pinch is None else pinch_facts(error.pinch)
            facts["obstacles"] = list(error.obstacles)
        return _refuse(given, str(error), error.exit_code, **facts)
    if isinstance(error, ModuleNotFoundError) and (missing := explain_missing(error)):
        return _refuse(given, str(missing), BAD_INPUT, kind="MissingExtra")
    if isinstance(error, MemoryError):
        detail = f" ({error})" if str(error) else ""
        message = f"out of memory{detail}; give a smaller map or close other programs"
        return _refuse(given, message, BAD_INPUT, kind="MemoryError")
    if isinstance(error, _USAGE_ERROR):
        command = getattr(getattr(error, "ctx", None), "command_path", "footway")
        words = getattr(error, "format_message", error.__str__)()
        words = words.replace("Value error, ", "")  # some versions of Typer prepend it
        words = _NOT_WHOLE.sub("give a whole number, such as 3", words)
        message = f"{words.rstrip('.')}; see `{command} --help`"
        return _refuse(given, message, BAD_INPUT, kind="Usage")
    raise error


def _refuse(given: list[str], message: str, code: int, **facts: Any) -> int:
    """Print an error on standard error, and also as JSON with --json."""
    line = " ".join(message.split())
    say(line)
    if "--json" in given:
        print_json({"error": line, "exit_code": code, **facts})
    return code


def _mute_stdout() -> None:
    """Discard the rest of standard output, so that the interpreter exits without an error."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
