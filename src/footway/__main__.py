"""The `footway` command, also as `python -m footway`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command; return its exit code. Ctrl-C during the first imports prints one line."""
    try:
        from footway.cli import main as run
    except KeyboardInterrupt:
        print("footway: interrupted", file=sys.stderr)  # noqa: T201
        return 130
    return run()


if __name__ == "__main__":
    sys.exit(main())
