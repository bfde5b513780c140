"""The command line: `commands` has one module per subcommand, beside what they share."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from footway.cli import interrupts

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the `footway` command; return its exit code.

    0: done. 2: bad input or wrong usage. 3: no path exists. 130: interrupted.
    """
    # Imports create a million objects and no garbage: no collection saves 0.25 s of 1.6 s.
    gc.disable()
    try:
        with interrupts.repeated_until_acknowledged():
            try:
                from footway.cli.app import run

                return run(arguments)
            except BaseException:
                if not interrupts.was_interrupted():
                    raise
                interrupts.acknowledge()  # Ctrl-C came during the imports
                print("footway: interrupted", file=sys.stderr, flush=True)  # noqa: T201
                return interrupts.INTERRUPTED
    finally:
        gc.enable()
        if arguments is None:  # the process ends: Ctrl-C prints no message from now on
            interrupts.end_silently()
