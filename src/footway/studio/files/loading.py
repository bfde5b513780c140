"""Load files in a separate process, with limits of time and memory.

A file can make the libraries that read it crash, loop for ever or take all memory. So the server
does not read files of users itself: another process does (`loading_process`) and returns plain data
(`handover`). It starts in a second or two; to hide that, the next process is started in advance.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, Final

from footway.errors import BadInput, FootwayError, NoPath
from footway.formats.registry import plans_in_one_file
from footway.studio.documents import RECORDING, SCENARIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from footway.studio.documents import Document

COMMAND: tuple[str, ...] = (sys.executable, "-P", "-m", "footway.studio.files.loading_process")
"""Starts a loading process; -P keeps the current folder from being searched for modules."""

_START: Final = 120.0  # s until a process must be ready
_COMPILING: Final = 120.0  # s for each kernel that has to be compiled
_MAX_COMPILING: Final = 1200.0  # s for all kernels
_POLL: Final = 0.1  # s between two checks whether the file is still wanted
_MAX_MESSAGES: Final = 10_000  # of one process, which a hostile file may control
_LONGEST: Final = 65_536  # bytes of a message
_REASONS: Final = ("components", "pinch", "no room", "blocked")  # why there is no path


@dataclass(frozen=True)
class Limits:
    """Limits of time and memory for loading a file.

    Attributes:
        seconds: wall-clock time; compiling kernels does not count.
        megabytes: memory beyond what Footway itself takes (on Linux; elsewhere memory is not
            limited), and size of each file that the process writes.
    """

    seconds: float = 60.0
    megabytes: float = 4000.0


@dataclass(frozen=True)
class Order:
    """A file to load.

    Attributes:
        file: its path.
        display_name: name that is shown to users; by default that of the file.
        map_name: map of a recording.
        scale: metres per cell, pixel or unit of a map.
        between: heights, m, between which a plan is cut out of a three-dimensional map.
        up: axis of a mesh that points up, "y" or "z".
        uploaded: whether a browser sent it; then it must not name other files of this machine.
    """

    file: str
    display_name: str | None = None
    map_name: str | None = None
    scale: float | None = None
    between: tuple[float, float] | None = None
    up: str | None = None
    uploaded: bool = False

    @property
    def is_built_in(self) -> bool:
        """Whether the document and its map come with Footway, so that no file is read."""
        return not self._files

    @property
    def _files(self) -> list[str]:
        names = (self.file, self.map_name)
        return [name for name in names if name and not name.startswith(("gallery:", "demo:"))]

    def check_files(self) -> None:
        """Refuse a missing file before a process is started."""
        for name in self._files:
            if not os.path.exists(name):  # noqa: PTH110 - a Path cannot have every name
                raise BadInput(f"{name}: does not exist; check the path")


class Loader:
    """Loads files, one at a time, each in a new process.

    Args:
        limits: limits for each file.
        ahead: whether `prepare` starts the process for the next file in advance.
        command: command that starts a loading process.

    Example:
        >>> loader = Loader(Limits(seconds=30))
        >>> try:
        ...     loader.load(Order("missing.geojson"))
        ... except BadInput as error:
        ...     print(error)
        ... finally:
        ...     loader.close()
        missing.geojson: does not exist; check the path
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        ahead: bool = True,
        command: Sequence[str] | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self._ahead = ahead
        self._command = command or COMMAND
        self._turn = threading.Lock()  # held while a file is loaded
        # Guards the attributes below. Reentrant: a signal handler may call `close` again.
        self._changing = threading.RLock()
        self._has_ended = False
        self._is_prepared = False
        self._spare: _Process | None = None
        self._all: set[_Process] = set()
        self._base: tempfile.TemporaryDirectory[str] | None = None

    def prepare(self) -> None:
        """Start a process for the next file in advance, now and after each file."""
        self._is_prepared = True
        with self._changing, suppress(BadInput):  # loading the next file reports it
            if self._ahead and self._spare is None:
                self._spare = self._new()

    def close(self) -> None:
        """End all processes and remove all folders; loading that is in progress is cancelled."""
        with self._changing:
            self._has_ended = True
            processes = list(self._all)
        for process in processes:
            process.end()
        if self._base is not None:
            self._base.cleanup()

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Yield a temporary folder, which is removed afterwards or when the loader is closed."""
        with self._changing:
            self._check_open()
            if self._base is None:
                self._base = tempfile.TemporaryDirectory(
                    prefix="footway-studio-", ignore_cleanup_errors=True
                )
        with tempfile.TemporaryDirectory(dir=self._base.name, ignore_cleanup_errors=True) as made:
            yield Path(made)

    def load(
        self,
        order: Order,
        *,
        is_wanted: Callable[[], bool] = lambda: True,
        compiling: Callable[[], object] = lambda: None,
    ) -> Document:
        """Load a file and return its document.

        Args:
            order: the file, and how to read it.
            is_wanted: returns whether the caller still waits for the file; called often.
            compiling: called when kernels have to be compiled.

        Raises:
            BadInput: what is wrong with the file, or which limit it exceeds, on one line.
            NoPath: characters of a scenario cannot reach their goal.
        """
        from footway.studio.files.handover import unpack

        display_name = order.display_name or order.file
        order.check_files()
        with self._turn, self.folder() as folder:
            process = self._take()
            wait = _Wait(process, display_name, self.limits, is_wanted, compiling)
            try:
                wait.until_ready()
                process.give({**asdict(order), **asdict(self.limits), "folder": str(folder)})
                wait.until_done()
                process.end()  # before its files are read: it must not change them
                try:
                    return unpack(folder, file=order.file)
                except FootwayError as error:
                    raise BadInput(f"{display_name}: {_one_line(error):.300}") from None
            finally:
                process.end()
                with self._changing:
                    self._all.discard(process)
                if self._is_prepared:
                    self.prepare()

    def _take(self) -> _Process:
        """Return the process that was started in advance, or a new one."""
        with self._changing:
            spare, self._spare = self._spare, None
            if spare is not None and spare.is_alive:
                return spare
            if spare is not None:
                self._all.discard(spare)
            return self._new()

    def _new(self) -> _Process:
        self._check_open()
        process = _Process(self._command)
        self._all.add(process)
        return process

    def _check_open(self) -> None:
        if self._has_ended:
            raise BadInput("the studio is ending")


@dataclass
class _Wait:
    """Waits for messages of a loading process, with a time limit."""

    process: _Process
    display_name: str
    limits: Limits
    is_wanted: Callable[[], bool]
    compiling: Callable[[], object]

    def until_ready(self) -> None:
        """Wait until the process can take an order."""
        message = self._next(_START)
        if message is None or not message.get("ready"):
            raise BadInput(
                f"{self.display_name}: the process that loads files does not start"
                f"{self._how_it_ended()}; see whether `footway check` works"
            )

    def until_done(self) -> None:
        """Wait until the document is written, or raise the error."""
        message = self._next(self.limits.seconds)
        if message is None:
            raise self._crashed()
        if message.get("memory"):
            megabytes = self.limits.megabytes
            raise BadInput(
                f"{self.display_name}: takes more than {megabytes:,.0f} MB of memory to load and "
                "was stopped; cut out a part, or start "
                f"`footway studio --load-megabytes {2 * megabytes:.0f}`"
            )
        if message.get("fault"):
            text = _one_line(message["fault"])
            raise BadInput(f"{self.display_name}: this is a fault in Footway: {text:.300}")
        if "error" in message:
            raise _error_of(message)
        if not message.get("done"):
            raise self._crashed()

    def _next(self, seconds: float) -> dict[str, Any] | None:
        """Return the next message that is not about compiling; None if the process has ended."""
        begin = time.monotonic()
        end, last = begin + seconds, begin + seconds + _MAX_COMPILING
        while True:
            if not self.is_wanted():
                raise BadInput(f"{self.display_name}: cancelled: the browser has disconnected")
            try:
                message = self.process.messages.get(timeout=_POLL)
            except queue.Empty:
                if time.monotonic() > end:
                    raise self._too_slow() from None
                continue
            if message is None or not message.get("compiling"):
                return message
            self.compiling()
            end = min(last, max(end, time.monotonic() + max(seconds, _COMPILING)))

    def _too_slow(self) -> BadInput:
        seconds = self.limits.seconds
        return BadInput(
            f"{self.display_name}: took more than {seconds:g} s to load and was stopped; cut out a "
            f"part, or start `footway studio --load-seconds {2 * seconds:g}`"
        )

    def _crashed(self) -> BadInput:
        if "SIGXCPU" in self._how_it_ended():
            return self._too_slow()
        return BadInput(
            f"{self.display_name}: the process that loads it crashed{self._how_it_ended()}: the "
            f"file is damaged, or takes more than {self.limits.megabytes:,.0f} MB of memory "
            "(`footway studio --load-megabytes N`)"
        )

    def _how_it_ended(self) -> str:
        code = self.process.end()
        if code is None or code == 0:
            return ""
        with suppress(ValueError):
            return f" ({signal.Signals(-code).name})"
        return f" (exit code {code})"


def _error_of(message: dict[str, Any]) -> FootwayError:
    text, reason = _one_line(message["error"]), message.get("reason")
    if reason in _REASONS:
        return NoPath(text, reason=reason)
    return BadInput(text)


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


class _Process:
    """One loading process.

    Attributes:
        messages: messages of the process; None is the last one.
    """

    def __init__(self, command: Sequence[str]) -> None:
        folders = os.pathsep.join(filter(None, sys.path))  # so that it imports the same Footway
        detached: dict[str, Any] = {"start_new_session": True}  # without Ctrl-C of the terminal
        if sys.platform == "win32":
            flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
            detached = {"creationflags": flags}
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": folders},
                **detached,
            )
        except (OSError, ValueError) as error:
            raise BadInput(f"cannot start a process that loads files: {error}") from None
        self.messages: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._ending = threading.RLock()  # a signal handler may call `end` while it runs
        threading.Thread(target=self._listen, name="studio-loading", daemon=True).start()

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def give(self, order: dict[str, Any]) -> None:
        """Send an order; ignored if the process has ended."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()

    def end(self) -> int | None:
        """End the process, whatever it is doing; return its exit code, None if unknown."""
        with self._ending:
            with suppress(subprocess.TimeoutExpired):
                # A process that has closed its pipe has ended by itself, or is about to.
                self._process.wait(timeout=1.0 if self._has_hung_up else 0.0)
            if self.is_alive:
                with suppress(OSError):  # with its children
                    if sys.platform == "win32":
                        self._process.kill()
                    else:
                        os.killpg(self._process.pid, signal.SIGKILL)
            with suppress(OSError):
                assert self._process.stdin is not None
                self._process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                return self._process.wait(timeout=5.0)
        return None

    _has_hung_up = False

    def _listen(self) -> None:
        assert self._process.stdout is not None
        try:
            with self._process.stdout as lines:
                for line in islice(iter(lambda: lines.readline(_LONGEST), b""), _MAX_MESSAGES):
                    message = json.loads(line)
                    if not isinstance(message, dict):
                        break
                    self.messages.put(message)
        except (OSError, ValueError, RecursionError):
            pass  # not a message: ignore all further output
        finally:
            self._has_hung_up = True
            self.messages.put(None)


def clean_name(name: str) -> str:
    """Return the name of an uploaded file without folders and special characters.

    Raises:
        BadInput: it has no name, or is of a kind that cannot be uploaded.

    Example:
        >>> clean_name("../plans/house.geojson")
        'house.geojson'
    """
    plain = PureWindowsPath(PurePosixPath(name).name).name
    plain = "".join(c for c in plain if c.isprintable() and c not in '<>:"|?*')[-100:]
    known = (*plans_in_one_file(), SCENARIO, RECORDING)
    if Path(plain).suffix.lower() not in known or not Path(plain).stem.strip(". "):
        raise BadInput(f"{plain or 'a file'}: cannot be uploaded; known are {', '.join(known)}")
    return plain


def open_upload(
    name: str,
    content: bytes,
    loader: Loader,
    *,
    scale: float | None = None,
    is_wanted: Callable[[], bool] = lambda: True,
    compiling: Callable[[], object] = lambda: None,
) -> Document:
    """Open an uploaded file; for `is_wanted` and `compiling` see `Loader.load`.

    Raises:
        BadInput: what is wrong with it, on one line without folders of this machine.
    """
    plain = clean_name(name)
    with loader.folder() as folder:
        path = folder / f"upload{Path(plain).suffix.lower()}"
        path.write_bytes(content)
        order = Order(str(path), display_name=plain, scale=scale, uploaded=True)
        try:
            return loader.load(order, is_wanted=is_wanted, compiling=compiling)
        except FootwayError as error:
            message = str(error).replace(str(path), plain).replace(str(folder), "")
            raise BadInput(message) from None
