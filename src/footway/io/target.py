"""Write a file whole, or say in one line why not."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from footway.errors import BadFile

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator


@contextmanager
def whole_file(file: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name to write to, which becomes `file` if all goes well, and is removed if not.

    Raises:
        BadFile: the file cannot be written.

    """
    path = Path(file)
    part = path.with_name(f"{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        yield part
        part.replace(path)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFile(f"{path}: cannot be written: {reason}") from None
    finally:
        if part.is_file():
            part.unlink()
