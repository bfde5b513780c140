"""Read a whole file, or raise a one-line error."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from footway.constants import MAX_MAP_BYTES
from footway.errors import BadFile

if TYPE_CHECKING:
    import os
    from pathlib import Path


def read_bytes(path: Path, *, limit: int = MAX_MAP_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Devices and pipes are rejected, because reading them may never end.

    Raises:
        BadFile: missing, a directory, not readable, empty or larger than `limit` bytes.

    """
    try:
        _check(path.stat(), limit=limit)
        content = path.read_bytes()
    except BadFile:
        raise
    except FileNotFoundError as error:
        raise BadFile("does not exist; check the path") from error
    except OSError as error:
        raise BadFile(f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadFile(f"cannot be read: {error}; check the path") from error
    if not content.strip():
        raise BadFile("is empty; give a map file")
    return content


def _check(status: os.stat_result, *, limit: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise BadFile("is a directory; give a map file")
    if not stat.S_ISREG(status.st_mode):
        raise BadFile("is not a regular file; give a map file")
    if status.st_size > limit:
        raise BadFile(
            f"is {status.st_size / 2**20:,.0f} MiB, more than the {limit / 2**20:,.0f} MiB "
            "that a map may have; cut out the part that you need"
        )


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 (or ASCII) file, without a byte order mark.

    Raises:
        BadFile: as `read_bytes`, or the bytes are not text.

    """
    content = read_bytes(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadFile(f"line {line}: is not text (byte {error.start}); give a text file") from error
