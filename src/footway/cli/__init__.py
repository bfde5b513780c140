"""The command line: one file per subcommand, which parses, calls and prints."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the `footway` command; return its exit code.

    0: done. 2: bad input or wrong usage. 3: no path exists. 130: interrupted.
    """
    # Imports make a million objects and no garbage: not looking for any saves 0.25 s of 1.6 s.
    gc.disable()
    try:
        from footway.cli.run import run

        return run(arguments)
    finally:
        gc.enable()
