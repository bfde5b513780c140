"""Files of compiled kernels: one for each kernel, signature and setting, named by their hash.

A file holds a checksum and pickled data. It is written beside its place and moved there, so that
several processes can share a folder, and a damaged file is noticed before anything in it is used.
Pickles can run code: files are read only from the user's own cache folder, and from the installed
package `footway_kernels`, which brings kernels that are compiled already (see kernels/build.py).
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
UNUSED = 30 * 86400.0  # s, after which a file is removed
LARGEST = 1 << 30  # bytes of all files; the least recently used are removed first

_DAY = 86400.0  # s
_CHECKSUM = 32  # bytes


def choose_directory() -> Path | None:
    """Folder of the user's compiled kernels; None when caching is off."""
    wish = os.environ.get("FOOTWAY_JIT_CACHE", "")
    if wish == "0":
        return None
    if wish:
        return Path(wish).absolute() / "kernels"
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "footway" / "kernels"
    except RuntimeError:  # this user has no home
        return None


@cache
def shipped_directory() -> Path | None:
    """Folder of the installed package of compiled kernels; None if it is not installed."""
    folder = Path(sysconfig.get_path("platlib")) / "footway_kernels"
    return folder if folder.is_dir() else None


def load(directory: Path, name: str) -> bytes | None:
    """Return the data of a file; None if there is none, or a damaged one (the user is told)."""
    path = directory / (name + SUFFIX)
    try:
        with path.open("rb") as file:
            content = file.read()
            age = time.time() - os.fstat(file.fileno()).st_mtime
    except OSError:
        return None
    if age > _DAY:
        _keep(path)
    data = content[_CHECKSUM:]
    if hashlib.sha256(data).digest() != content[:_CHECKSUM]:
        report_damage(directory)
        return None
    return data


def _keep(path: Path) -> None:
    """Note that a file was used today: what is not used is removed some day."""
    with suppress(OSError):  # a folder that can only be read
        os.utime(path)


def save(directory: Path, name: str, data: bytes) -> None:
    """Write a file. If that is not possible, the user is told and nothing is kept."""
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
        _say(
            f"compiled kernels cannot be kept in {directory} ({problem.strerror}): "
            "set FOOTWAY_JIT_CACHE to a folder that can be written to"
        )


@cache
def report_damage(directory: Path) -> None:
    """Tell the user that a file was damaged; once for each folder."""
    _say(f"damaged kernels in {directory} are compiled anew")


@cache
def _say(text: str) -> None:
    """Tell the user on standard error; the same only once."""
    sys.stderr.write(f"footway: {text}\n")


@cache
def _prune_once(directory: Path) -> None:
    with suppress(OSError):  # another process removed or, on Windows, uses a file
        prune(directory)


def prune(directory: Path) -> None:
    """Remove files that were not used for long, and the oldest of too many.

    Also what a killed process left, and the folders beside this one of earlier versions.
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
    """Age in seconds, bytes and path of our files in a folder."""
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
    """When the newest part of a folder was written."""
    return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
