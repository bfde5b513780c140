"""Output files of a run: one writer at a time, parts during the run, one file at the end.

    run.parquet            the recording; written when the run has ended
    run.parquet.parts/     exists during the run, and after the process was killed
        lock               held by the writing process; contains its id and host
        00000.parquet      metadata of the run, without frames
        00001.parquet      frames; a part gets its name once it is a complete Parquet file
        ...

The operating system releases the lock of a killed process, so a lock is never stale.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import weakref
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from footway.errors import BadFile

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOCK: Final = "lock"
NEW: Final = ".new"
"""Suffix of a file that is being written."""

_SUFFIX: Final = ".parquet"
_HELD: Final = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
_BEYOND: Final = 1 << 30  # byte that is locked on Windows: those before it stay readable


def folder_of(file: Path) -> Path:
    """Return the folder for the parts of an output."""
    return file.with_name(f"{file.name}.parts")


def parts_in(folder: Path) -> list[Path]:
    """Return the parts in a folder in order; none if the folder does not exist."""
    try:
        found = [one for one in folder.iterdir() if one.suffix == _SUFFIX and one.stem.isdecimal()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(found, key=lambda one: int(one.stem))


class Output:
    """Exclusive right to write a file, held until `release`. Links are followed.

    Args:
        file: the file to write.

    Raises:
        BadFile: another process or recorder is writing it, or it cannot be written.
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.name = str(file)
        self.file = Path(os.path.realpath(file))
        self.folder = folder_of(self.file)
        with self.failure_named():
            if self.file.exists() and not self.file.is_file():
                raise BadFile(f"{file}: cannot be written: it is not a file")
            self._lock = _locked(self.folder / _LOCK, self.name)
        # Also released by garbage collection: an unused recorder must not lock its file forever.
        self.release = weakref.finalize(self, _unlock, self._lock, self.folder)

    @property
    def released(self) -> bool:
        """Whether the lock was released."""
        return not self.release.alive

    @property
    def parts(self) -> list[Path]:
        """The existing parts in order."""
        return parts_in(self.folder)

    def part(self, number: int) -> Path:
        """Return the path of a part."""
        return self.folder / f"{number:05d}{_SUFFIX}"

    def clear(self) -> None:
        """Remove all parts, last one first, so that an interruption leaves no gap."""
        with self.failure_named():
            for file in [*self.folder.glob(f"*{NEW}"), *reversed(self.parts)]:
                file.unlink(missing_ok=True)

    @contextmanager
    def failure_named(self) -> Iterator[None]:
        """Convert OSError to BadFile with the name of the output."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or " ".join(str(error).split())
            raise BadFile(f"{self.name}: cannot be written: {reason}") from None


def _locked(lock: Path, name: str) -> int:
    """Create and lock a lock file and return its descriptor; creates the folder if necessary."""
    while True:
        # mkdir(exist_ok=True) would fail if the folder is removed at the same time.
        with suppress(FileExistsError):
            lock.parent.mkdir()
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:
            if lock.parent.is_symlink():  # link to a folder that does not exist
                raise
            continue  # another writer has just finished and removed the folder
        if not _try_to_lock(descriptor):
            holder = os.read(descriptor, 200).decode(errors="replace").strip() or "another run"
            os.close(descriptor)
            raise BadFile(
                f"{name}: is being written by {holder}; wait for its end, or give another name"
            )
        # The previous writer may have removed the file that is locked now.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), lock.stat()):
                with suppress(OSError):  # disk full: others cannot see which process has the lock
                    os.ftruncate(descriptor, 0)
                    holder = f"process {os.getpid()} on {socket.gethostname()}"
                    os.write(descriptor, holder.encode())
                return descriptor
        os.close(descriptor)


def _try_to_lock(descriptor: int) -> bool:
    """Lock a file for this process; False if another process holds the lock."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _BEYOND, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _HELD  # continue unlocked on a file system without locks
    return True


def _unlock(descriptor: int, folder: Path) -> None:
    """Release a lock, remove its file, and remove the folder if it has no parts."""
    is_windows = sys.platform == "win32"  # cannot remove open files
    if is_windows:
        os.close(descriptor)
    with suppress(OSError):
        (folder / _LOCK).unlink()
    with suppress(OSError):
        folder.rmdir()
    if not is_windows:
        os.close(descriptor)
