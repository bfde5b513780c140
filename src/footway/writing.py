"""Write files atomically."""

from __future__ import annotations

import glob
import os
import secrets
import sqlite3
import sys
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from footway.errors import BadFile

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def whole_file(
    file: str | os.PathLike[str], *, temporary: Path | None = None, name: str = ""
) -> Iterator[Path]:
    """Yield a temporary path that replaces `file` on success and is removed on failure.

    Readers see the old file or the complete new one, also after a power cut. Each writer has its
    own temporary path; of two writers at the same time, the last one wins. What a killed writer
    left is removed by the next one. Links are followed; devices and pipes are written directly.

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
    try:
        if path.exists() and not path.is_file():
            yield Path(file)
        else:
            with _beside(path) if temporary is None else nullcontext(temporary) as part:
                try:
                    yield part
                    _replace(part, path)
                finally:
                    with suppress(OSError):
                        part.unlink()
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise BadFile(f"{name or file}: cannot be written: {reason}") from None


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Yield a new path beside a file; remove those of writers that do not exist any more.

    A writer locks its file, and the lock of a process ends with it.
    """
    if sys.platform == "win32":  # cannot replace open files
        yield _new_name(path)
        return
    stem, suffix = glob.escape(path.stem), glob.escape(path.suffix)
    for left in path.parent.glob(f".{stem}.????????.part{suffix}"):
        with suppress(OSError), left.open("rb") as stream:
            _lock(stream)
            left.unlink()
    while True:
        part = _new_name(path)
        with part.open("xb") as stream:
            try:
                _lock(stream)
            except BlockingIOError:  # another writer is about to remove it
                continue
            except OSError:  # a file system without locks
                pass
            if part.exists():
                yield part
                return


def _new_name(path: Path) -> Path:
    return path.with_name(f".{path.stem}.{secrets.token_hex(4)}.part{path.suffix}")


def _lock(stream: BinaryIO) -> None:
    """Lock a file until it is closed; an OSError if another one has locked it."""
    import fcntl

    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _target(file: str | os.PathLike[str]) -> Path:
    """Return the path of a file, with links resolved."""
    from footway import validation  # slow: it imports NumPy, which help texts do not need

    path = validation.file(file)
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise BadFile(f"{file!r}: cannot be written: {error}") from None


def _replace(part: Path, path: Path) -> None:
    """Flush a file to disk and move it over another one, whose permissions it gets."""
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
