"""The output of a run: one writer at a time, parts while it runs, one file at its end.

    run.parquet            the recording; it is there when the run has ended
    run.parquet.parts/     while it runs, and after a kill
        lock               held by the process that writes; has its id and its host
        00000.parquet      the facts of the run, no frames
        00001.parquet      frames; each part has its name when it is a whole Parquet file
        ...

The system releases the lock of a process that was killed, so no lock is ever stale.
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
    from io import BufferedWriter

_LOCK: Final = "lock"
_NEW: Final = ".new"  # suffix of a file that is being written
_SUFFIX: Final = ".parquet"
_HELD: Final = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
_BEYOND: Final = 1 << 30  # byte that is locked on Windows: those before it stay readable


def folder_of(file: Path) -> Path:
    """Return the folder of the parts of an output."""
    return file.with_name(f"{file.name}.parts")


def parts_in(folder: Path) -> list[Path]:
    """Return the parts in a folder, in their order; none where there is no folder."""
    try:
        found = [one for one in folder.iterdir() if one.suffix == _SUFFIX and one.stem.isdecimal()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(found, key=lambda one: int(one.stem))


class Output:
    """The right to write a file, held until `release`. A link is followed.

    Args:
        file: that is going to be written.

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
        # Released also when forgotten: an unused recorder must not lock its file for ever.
        self.release = weakref.finalize(self, _unlock, self._lock, self.folder)

    @property
    def released(self) -> bool:
        """Whether the file is left to others."""
        return not self.release.alive

    @property
    def parts(self) -> list[Path]:
        """The parts that are there, in their order."""
        return parts_in(self.folder)

    def part(self, number: int) -> Path:
        """Return the path of a part."""
        return self.folder / f"{number:05d}{_SUFFIX}"

    def clear(self) -> None:
        """Remove all parts, last one first: after a kill, the first ones remain, without a gap."""
        with self.failure_named():
            for file in [*self.folder.glob(f"*{_NEW}"), *reversed(self.parts)]:
                file.unlink(missing_ok=True)

    @contextmanager
    def new_file(self, file: Path) -> Iterator[BufferedWriter]:
        """Yield a stream whose content becomes `file` on success, and is removed on failure."""
        new = self.folder / f"{file.name}{_NEW}"
        with self.failure_named():
            try:
                with new.open("wb") as stream:
                    yield stream
                    stream.flush()
                    os.fsync(stream.fileno())
                new.replace(file)
            except BaseException:
                with suppress(OSError):
                    new.unlink()
                raise

    @contextmanager
    def failure_named(self) -> Iterator[None]:
        """Turn whatever the system says into one line with the name of the output."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or " ".join(str(error).split())
            raise BadFile(f"{self.name}: cannot be written: {reason}") from None


def _locked(lock: Path, name: str) -> int:
    """Return the descriptor of a lock file, locked; its folder is made where there is none."""
    while True:
        # Not mkdir(exist_ok=True), which fails if the folder is removed while it looks at it.
        with suppress(FileExistsError):
            lock.parent.mkdir()
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:
            if lock.parent.is_symlink():  # to a folder that does not exist
                raise
            continue  # another writer has just finished, and removed the folder
        if not _try_to_lock(descriptor):
            holder = os.read(descriptor, 200).decode(errors="replace").strip() or "another run"
            os.close(descriptor)
            raise BadFile(
                f"{name}: is being written by {holder}; wait for its end, or give another name"
            )
        if _is_there(descriptor, lock):
            with suppress(
                OSError
            ):  # the disk is full: others cannot see which process has the lock
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode())
            return descriptor
        os.close(descriptor)


def _is_there(descriptor: int, lock: Path) -> bool:
    """Whether an open file still has its name: the writer before us may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), lock.stat())
    except FileNotFoundError:
        return False


def _try_to_lock(descriptor: int) -> bool:
    """Lock a file for this process; False where another one has it."""
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
    """Release a lock, and remove its file, and the folder where no part is left in it."""
    is_windows = sys.platform == "win32"  # which removes no open files
    if is_windows:
        os.close(descriptor)
    with suppress(OSError):
        (folder / _LOCK).unlink()
    with suppress(OSError):
        folder.rmdir()
    if not is_windows:
        os.close(descriptor)
