"""`python -m footway` is the `footway` command."""

from __future__ import annotations

import sys

from footway.cli import main

if __name__ == "__main__":
    sys.exit(main())
