"""Files of compiled kernels: one per kernel, signature and setting, named by their hash.

A file holds a checksum and pickled data. It is written to a temporary name and then renamed, so
that several processes can share a folder; the checksum is verified before the data are used.
Pickles can run code: files are read only from the user's own cache folder and from the installed
package `footway_kernels`, which contains precompiled kernels (see kernels/build.py).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import sysconfig
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

SUFFIX = ".kernel"
UNUSED = 30 * 86400.0  # s without use after which a file is removed
LARGEST = 1 << 30  # bytes of all files together; the least recently used are removed first

_DAY = 86400.0  # s
_CHECKSUM = 32  # bytes


def choose_directory() -> Path | None:
    """Return the folder of the user's compiled kernels; None when caching is off."""
    setting = os.environ.get("FOOTWAY_JIT_CACHE", "")
    if setting == "0":
        return None
    if setting:
        return Path(setting).absolute() / "kernels"
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "footway" / "kernels"
    except RuntimeError:  # the user has no home folder
        return None


@cache
def shipped_directory() -> Path | None:
    """Return the folder of the package `footway_kernels`; None if it is not installed."""
    folder = Path(sysconfig.get_path("platlib")) / "footway_kernels"
    return folder if folder.is_dir() else None


def load(directory: Path, name: str) -> bytes | None:
    """Return the data of a file; None if it is missing or damaged, which is reported."""
    path = directory / (name + SUFFIX)
    try:
        with path.open("rb") as file:
            content = file.read()
            age = time.time() - os.fstat(file.fileno()).st_mtime
    except OSError:
        return None
    if age > _DAY:
        with suppress(OSError):  # a read-only folder
            os.utime(path)  # `prune` removes files that are not used
    data = content[_CHECKSUM:]
    if hashlib.sha256(data).digest() != content[:_CHECKSUM]:
        report_damage(directory)
        return None
    return data


def save(directory: Path, name: str, data: bytes) -> None:
    """Write a file. If that fails, print a warning and continue without it."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _prune_once(directory)
        handle, beside = tempfile.mkstemp(suffix=".tmp", dir=directory)
        try:
            with open(handle, "wb") as file:  # noqa: PTH123 - an open file
                file.write(hashlib.sha256(data).digest())
                file.write(data)
            Path(beside).replace(directory / (name + SUFFIX))
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as problem:
        _warn(
            f"compiled kernels cannot be kept in {directory} ({problem.strerror}): "
            "set FOOTWAY_JIT_CACHE to a folder that can be written to"
        )


@cache
def report_damage(directory: Path) -> None:
    """Warn about a damaged file, once per folder."""
    _warn(f"damaged kernels in {directory} are compiled again")


@cache
def _warn(text: str) -> None:
    """Print a warning to standard error; each text only once."""
    sys.stderr.write(f"footway: {text}\n")


@cache
def _prune_once(directory: Path) -> None:
    with suppress(OSError):  # another process removed or, on Windows, uses a file
        prune(directory)


def prune(directory: Path) -> None:
    """Remove files that have not been used for long, and the oldest files above the size limit.

    Also remove temporary files of killed processes and cache folders of earlier versions.
    """
    now, total = time.time(), 0
    for age, size, path in sorted(_files(directory, now)):
        total += size
        left_over = path.suffix == ".tmp" and age > _DAY
        if age > UNUSED or total > LARGEST or left_over:
            path.unlink(missing_ok=True)
    for folder in directory.parent.glob("[0-9a-f]" * 16):
        if now - _used(folder) > UNUSED and any(folder.glob("*/*.nbi")):
            shutil.rmtree(folder, ignore_errors=True)


def _files(directory: Path, now: float) -> list[tuple[float, int, Path]]:
    """Return age in seconds, size in bytes and path of the kernel files in a folder."""
    found = []
    for path in directory.iterdir():
        if path.suffix in (SUFFIX, ".tmp"):
            try:
                status = path.stat()
            except OSError:
                continue  # another process removed it
            found.append((now - status.st_mtime, status.st_size, path))
    return found


def _used(folder: Path) -> float:
    """Return the time of the latest change in a folder."""
    return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
