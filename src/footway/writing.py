"""Write files atomically."""

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
def whole_file(
    file: str | os.PathLike[str], *, temporary: Path | None = None, name: str = ""
) -> Iterator[Path]:
    """Yield a temporary path that replaces `file` on success and is removed on failure.

    Readers see the old file or the complete new one, also after a power cut. Each writer has its
    own temporary path; of two writers at the same time, the last one wins. Links are followed;
    devices and pipes are written directly.

    Args:
        file: the file to write.
        temporary: the temporary path, on the same disk; by default a new one beside the file.
        name: name of the file in messages.

    Raises:
        BadFile: the file cannot be written.
    """
    path = _target(file)
    if path.is_dir():
        raise BadFile(f"{name or file}: cannot be written: Is a directory")
    is_special = path.exists() and not path.is_file()
    beside = path.with_name(f".{path.stem}.{secrets.token_hex(4)}.part{path.suffix}")
    part = Path(file) if is_special else temporary or beside
    try:
        yield part
        if not is_special:
            # Flush to disk, then move over the old file, whose permissions it gets.
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
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise BadFile(f"{name or file}: cannot be written: {reason}") from None
    finally:
        if not is_special:
            with suppress(OSError):
                part.unlink()


def _target(file: str | os.PathLike[str]) -> Path:
    """Return the path of a file, with links resolved."""
    from footway import validation  # slow: it imports NumPy, which help texts do not need

    path = validation.file(file)
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise BadFile(f"{file!r}: cannot be written: {error}") from None
