"""Write a file whole, or say in one line why not."""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from footway.errors import BadFile

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def whole_file(file: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name to write to, which becomes `file` if all goes well and is removed if not.

    A reader sees the old file or the new one, never a part of either, and so does whoever looks
    after a power cut. Two who write the same file at once do not share the name: the one who is
    last wins. Links are followed; devices and pipes are written directly.

    Raises:
        BadFile: the file cannot be written.

    """
    path = _target(file)
    is_special = path.exists() and not path.is_file() and not path.is_dir()
    token = secrets.token_hex(4)
    part = Path(file) if is_special else path.with_name(f".{path.stem}.{token}.part{path.suffix}")
    try:
        yield part
        if not is_special:
            _replace(part, path)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFile(f"{file}: cannot be written: {reason}") from None
    finally:
        if not is_special:
            with suppress(OSError):
                part.unlink()


def _target(file: str | os.PathLike[str]) -> Path:
    """Return the file that a name leads to."""
    from footway import validation  # imports NumPy, which help texts do without

    try:
        return Path(os.path.realpath(validation.file(file)))
    except (OSError, ValueError) as error:
        raise BadFile(f"{file!r}: cannot be written: {error}") from None


def _replace(part: Path, path: Path) -> None:
    """Put a written file in the place of another, with its permissions, once it is on the disk."""
    with part.open("rb+") as stream:
        os.fsync(stream.fileno())
    if path.exists():
        part.chmod(path.stat().st_mode)
    part.replace(path)
    if hasattr(os, "O_DIRECTORY"):  # not on Windows
        with suppress(OSError):
            folder = os.open(path.parent, os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
