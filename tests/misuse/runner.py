"""Call public functions with nonsense, in a process of its own: a crash must not end the tests.

    python -m tests.misuse.runner few Crowd.add CorridorMap.path

Writes one line before each call, and one that begins with "WRONG" for each wrong outcome: anything
but success or a FootwayError with one line of text.
"""

from __future__ import annotations

import faulthandler
import inspect
import io
import os
import resource
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout

import typer

from footway.cli.app import app, run
from footway.errors import FootwayError
from tests.misuse.calls import CALLS, files
from tests.misuse.commands import COMMANDS, FEW_NUMBERS, NUMBERS
from tests.misuse.values import FEW, VALUES

MEMORY = 6 * 2**30  # bytes of address space: what asks for more must have been refused
LONGEST = 400  # characters of a message
MOST_DIGITS = 700  # of a number that was typed, which a message may repeat


FILES = ("-o", "--plot", "--animate", "--checkpoint", "--resume")  # options with file names


def main(kind, names):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("error")
    sys.set_int_max_str_digits(0)  # or Python refuses to print a result with such a number
    os.chdir(files())
    for name in names:
        if name in COMMANDS:
            misuse_command(name, kind)
        else:
            misuse(name, kind)
    print("DONE", flush=True)


def misuse_command(name, kind):
    """Run a command with each of its options set to each of some numbers."""
    valid = COMMANDS[name]()
    command = typer.main.get_command(app).commands[valid[0]]
    options = [one.opts[0] for one in command.params if not getattr(one, "is_flag", False)]
    for turn, option in enumerate(options):
        if option.startswith("-") and option not in FILES:
            for label in every_second(FEW_NUMBERS, turn) if kind == "few" else NUMBERS:
                attempt_command(f"footway {name}", [*valid, f"{option}={NUMBERS[label]}"], label)


def every_second(few, turn):
    """Return half of the few, the other half at every second turn: `make test` has 5 minutes."""
    return list(few)[turn % 2 :: 2]


def attempt_command(name, arguments, label):
    """Run a command in this process: 0, or one line and 2 or 3 (no path)."""
    print(f"{name}({arguments[-1].split('=')[0]} = {label})", flush=True)
    errors = io.StringIO()
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(errors):
            code = run(arguments)
    except BaseException as error:  # noqa: BLE001
        print(f"WRONG {type(error).__name__}: {str(error)!r:.150} {_place(error)}", flush=True)
        return
    lines = [line for line in errors.getvalue().splitlines() if "compiling" not in line]
    is_one_line = len(lines) == 1 and len(lines[0]) <= LONGEST + MOST_DIGITS
    if code not in (0, 2, 3) or (code and not is_one_line):
        print(f"WRONG exit code {code}: {lines!r:.200}", flush=True)


def misuse(name, kind):
    """Call one function as it should be called, then with each argument replaced by each value."""
    attempt(name, "", None)
    called, arguments = CALLS[name]()
    for turn, parameter in enumerate(parameters(called, arguments)):
        for label in every_second(FEW, turn) if kind == "few" else VALUES:
            attempt(name, parameter, VALUES[label], label)


def parameters(called, arguments):
    """Names of all arguments, those that only a valid call names among them."""
    try:
        given = list(inspect.signature(called).parameters.values())
    except ValueError:
        given = []
    plain = [p.name for p in given if p.kind not in (p.VAR_KEYWORD, p.POSITIONAL_ONLY)]
    return list(dict.fromkeys([*plain, *arguments]))


def attempt(name, parameter, value, label="as it should be"):
    print(f"{name}({parameter} = {label})", flush=True)
    try:
        called, arguments = CALLS[name]()
        if parameter:
            arguments = {**arguments, parameter: value}
        use(called, call(called, arguments))
    except FootwayError as error:
        text = str(error)
        if not parameter:
            print(f"WRONG refused a valid call: {text}", flush=True)
        elif "\n" in text or not text or len(text) > LONGEST:
            print(
                f"WRONG {type(error).__name__} of {len(text)} characters: {text!r:.200}", flush=True
            )
    except BaseException as error:  # noqa: BLE001
        where = _place(error)
        print(f"WRONG {type(error).__name__}: {str(error)!r:.150} {where}", flush=True)


def call(called, arguments):
    """Call with arguments by name; the one of `*others` by its place."""
    star = [
        p.name for p in inspect.signature(called).parameters.values() if p.kind == p.VAR_POSITIONAL
    ]
    rest = {name: value for name, value in arguments.items() if name not in star}
    return called(*[arguments[name] for name in star], **rest)


def use(called, result):
    """Use what came out: nonsense that was let in may do harm later."""
    import matplotlib.pyplot as plt

    from footway import Crowd

    repr(result)
    if hasattr(result, "to_dict"):
        result.to_dict()
    crowd = result if isinstance(result, Crowd) else getattr(called, "__self__", None)
    if isinstance(crowd, Crowd):
        crowd.step()
    plt.close("all")


def _place(error):
    frames = inspect.getinnerframes(error.__traceback__)
    own = [f for f in frames if "footway" in f.filename and "misuse" not in f.filename]
    if not own:
        return ""
    frame = own[-1]
    return f"at {frame.filename.split('footway/')[-1]}:{frame.lineno} via " + " ".join(
        f"{f.filename.split('footway/')[-1]}:{f.lineno}" for f in own[-4:-1]
    )


if __name__ == "__main__":
    faulthandler.enable()
    main(sys.argv[1], sys.argv[2:])
