"""The thread that simulates and records the crowd.

    commands --> step, when due --> frame, at most 30 per second --> status, twice per second

Only this thread accesses the crowd: other threads put commands into a queue, which are run between
two steps. Frames and status are sent without waiting for the clients.
"""

from __future__ import annotations

import queue
import tempfile
import threading
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from footway.errors import BadInput, FootwayError
from footway.studio.crowd_requests import model_name, population_facts
from footway.studio.protocol.replies import Answer, RecordingFacts, Status
from footway.studio.protocol.wire import ZERO_ORIGIN, Origin, crowd_frame, crowd_obstacles, event

if TYPE_CHECKING:
    from collections.abc import Callable

    from footway.crowd import Crowd
    from footway.studio.protocol.wire import Message

T = TypeVar("T")

FRAMES: Final = 30.0
"""Frames per second, at most."""

_STATUS: Final = 0.5  # s between two status events
_LATE: Final = 0.25  # s of delay beyond which the crowd does not try to catch up
_IDLE: Final = 0.5  # s that the thread waits for a command if nothing is due
_END_TIMEOUT: Final = 2.0  # s to wait for the last step at shutdown
_TIMED: Final = 50  # steps over which the time of a step is measured
_STUCK: Final = 5.0  # s between two counts of stuck characters, at least
_STUCK_SHARE: Final = 0.05  # of the time that may be spent on counting them

MAX_BYTES: Final = 1_000_000_000
"""Maximum size of a recording, which has about 20 bytes per character and step."""

MAX_FRAMES: Final = 500_000
"""Maximum number of frames: each frame also takes some memory."""


@dataclass
class Pace:
    """Duration and rate of the last steps."""

    _ends: deque[float] = field(default_factory=lambda: deque(maxlen=_TIMED))
    _costs: deque[float] = field(default_factory=lambda: deque(maxlen=_TIMED))

    def note(self, begin: float, end: float) -> None:
        """Add one step."""
        self._ends.append(end)
        self._costs.append(end - begin)

    def facts(self, now: float) -> dict[str, float]:
        """Return steps per second and milliseconds per step."""
        recent = [end for end in self._ends if now - end < 2.0]
        rate = (len(recent) - 1) / (recent[-1] - recent[0]) if len(recent) > 1 else 0.0
        cost = sum(self._costs) / len(self._costs) if self._costs else 0.0
        return {"steps_per_second": rate, "milliseconds_per_step": 1000.0 * cost}


class CrowdThread:
    """A crowd that is simulated in real time, in its own thread.

    Args:
        crowd: crowd at the start.
        send_event: sends an event to all clients; must not block.
        send_frame: sends a frame to all clients; must not block.
        origin: origin of the coordinates on the wire, m.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> thread = CrowdThread(
        ...     fw.Crowd(cmap), send_event=lambda _: None, send_frame=lambda _: None
        ... )
        >>> thread.between_steps(lambda: len(thread.crowd.add(20)))
        20
        >>> thread.between_steps(thread.step)
        >>> thread.status.time
        0.1
        >>> thread.end()
        True
    """

    def __init__(
        self,
        crowd: Crowd,
        *,
        send_event: Callable[[Message], None],
        send_frame: Callable[[bytes], None],
        origin: Origin = ZERO_ORIGIN,
    ) -> None:
        self.crowd, self._origin = crowd, origin
        self.version = 0  # of the document that the crowd walks on
        self.is_running, self.speed = False, 1.0
        self.is_touched = False  # by clients: it is not the crowd that the document describes
        self.fault: str | None = None  # why the simulation stopped by itself
        self._send_event, self._send_frame = send_event, send_frame
        self._commands: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]
        self._commands = queue.SimpleQueue()
        self._pace = Pace()
        self._due = self._frame_at = self._status_at = self._stuck_due = 0.0
        self._stuck = 0
        self._obstacles: bytes | None = None
        self.live_recording: LiveRecording | None = None  # the last or current recording
        self._is_changed = True  # since the last frame
        self.has_ended = False  # `end` was called
        self.update_status()
        self._thread = threading.Thread(target=self._run, name="studio-crowd", daemon=True)
        self._thread.start()

    # -- for other threads ---------------------------------------------------------------------

    def between_steps(self, work: Callable[[], T]) -> T:
        """Run a function in the crowd's thread, between two steps; return its result."""
        future: Future[T] = Future()
        self._commands.put((future, work))
        return future.result()

    def send_again(self) -> None:
        """Send frame, obstacles and status soon, because there is a new client."""

        def forget() -> None:
            self._obstacles = None

        self._commands.put((Future(), forget))

    def end(self) -> bool:
        """Stop the thread and delete the recording; return whether the thread stopped in time."""
        self.has_ended = True
        self._commands.put(None)
        self._thread.join(timeout=_END_TIMEOUT)
        if self._thread.is_alive():
            return False
        if self.live_recording is not None:
            self.live_recording.drop()
        return True

    # -- in the crowd's thread -----------------------------------------------------------------

    def start(self) -> None:
        """Start or resume the simulation."""
        self.is_running, self.fault = True, None
        self._due = time.monotonic()

    def pause(self) -> None:
        """Pause the simulation."""
        self.is_running = False

    def step(self) -> None:
        """Simulate one step now."""
        begin = time.monotonic()
        self.is_touched = True
        self.crowd.step()
        self._pace.note(begin, time.monotonic())
        self._is_changed = True
        if self.live_recording is not None:
            self.live_recording.add(self.crowd)

    def record(self, name: str = "run") -> None:
        """Start a recording with a file name; delete the one before."""
        if self.live_recording is not None:
            self.live_recording.drop()
        self.live_recording = None  # also if the new recording fails
        self.live_recording = LiveRecording(self.crowd, name)

    def stop_recording(self, why: str | None = None) -> None:
        """Stop the recording; `why` is the reason if no client asked for it."""
        if self.live_recording is not None:
            self.live_recording.end(why)

    def replace(
        self, crowd: Crowd, origin: Origin = ZERO_ORIGIN, *, why: str = "the crowd was replaced"
    ) -> None:
        """Continue with another crowd; a recording ends with the reason `why`."""
        self.stop_recording(why)
        self.crowd, self._origin = crowd, origin
        self._obstacles = None
        self._stuck, self._stuck_due = 0, 0.0

    def _run(self) -> None:
        while self._run_commands(self._spare_time()):
            try:
                if self.is_running and time.monotonic() >= self._due:
                    self._advance()
                self._publish()
            except Exception as error:  # noqa: BLE001 - reported in the status
                self._stop(error)

    def _stop(self, error: Exception) -> None:
        """Pause the simulation after an error, which the status reports."""
        self.is_running, self._status_at = False, 0.0
        self.fault = " ".join(f"the crowd stopped: {type(error).__name__}: {error}".split())[:300]

    def _spare_time(self) -> float:
        """Return the seconds until a step or a frame is due."""
        now = time.monotonic()
        waits = [_IDLE]
        if self.is_running:
            waits.append(self._due - now)
        if self._is_changed:
            waits.append(self._frame_at + 1.0 / FRAMES - now)
        return max(0.0, min(waits))

    def _run_commands(self, timeout: float) -> bool:
        """Run the queued commands, or wait for one; return False if the thread must end."""
        try:
            command = self._commands.get(block=timeout > 0.0, timeout=timeout)
            while True:
                if command is None:
                    return False
                self._execute(*command)
                command = self._commands.get_nowait()
        except queue.Empty:
            return True

    def _execute(self, future: Future[Any], work: Callable[[], Any]) -> None:
        """Run a command and update the status before its caller continues."""
        try:
            made = work()
            self._is_changed, self._status_at = True, 0.0
            self.update_status()
        except BaseException as error:  # noqa: BLE001 - passed on to the caller
            future.set_exception(error)
        else:
            future.set_result(made)

    def _advance(self) -> None:
        """Simulate a step and compute when the next one is due."""
        self.step()
        now = time.monotonic()
        self._due += self.crowd.dt / self.speed
        if self._due < now - _LATE:
            self._due = now

    def _publish(self) -> None:
        """Send a frame and the status when they are due."""
        now = time.monotonic()
        if self._is_changed and now >= self._frame_at + 1.0 / FRAMES:
            self._frame_at, self._is_changed = now, False
            version, origin = self.version, self._origin
            self._send_frame(crowd_frame(self.crowd, version=version, origin=origin))
            answer = crowd_obstacles(self.crowd)
            key = b"".join(array.tobytes() for array in answer.arrays.values())
            if key != self._obstacles:
                self._obstacles = key
                self._send_event(event("obstacles", answer, version=version, origin=origin))
        if now >= self._status_at + _STATUS:
            self.send_status()

    def send_status(self) -> None:
        """Update the status, and send it to all clients."""
        self._status_at = time.monotonic()
        self.update_status()
        self._send_event(event("status", Answer(self.status), version=self.version))

    def update_status(self) -> Status:
        """Update the status, and return it."""
        crowd, now = self.crowd, time.monotonic()
        if now > self._stuck_due:
            self._stuck = len(crowd.stuck)
            took = time.monotonic() - now
            self._stuck_due = now + max(_STUCK, took / _STUCK_SHARE)
        self.status = Status(
            running=self.is_running,
            touched=self.is_touched,
            time=round(crowd.time, 6),
            characters=len(crowd),
            to_come=crowd.to_come,
            speed=self.speed,
            arrivals=crowd.arrivals,
            exited=crowd.exited,
            stuck=self._stuck,
            seed=crowd.seed,
            model=model_name(crowd),
            fault=self.fault,
            closed=crowd.closed_links if hasattr(crowd.map, "building") else [],
            recording=None if self.live_recording is None else self.live_recording.facts(),
            populations=population_facts(crowd),
            **self._pace.facts(now),
        )
        return self.status


class LiveRecording:
    """A recording of a crowd from now on, one frame per step; it ends before it is too large.

    Frames are written to the file as they come, so memory use stays constant.

    Args:
        crowd: crowd to record.
        name: name of the file that it is saved as, without suffix.

    Raises:
        BadInput: the file cannot be created.

    Example:
        >>> import footway as fw
        >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
        >>> _ = crowd.add(5)
        >>> live_recording = LiveRecording(crowd)
        >>> crowd.step()
        >>> live_recording.add(crowd)
        >>> live_recording.end()
        >>> fw.Recording.load(live_recording.file).n_frames
        2
        >>> live_recording.drop()
    """

    def __init__(self, crowd: Crowd, name: str = "run") -> None:
        self.name = name
        self.is_running = True
        self.ended: str | None = None  # why it ended by itself
        self._begin = self._last = crowd.time
        folder = None
        try:
            folder = tempfile.TemporaryDirectory(
                prefix="footway-studio-", ignore_cleanup_errors=True
            )
            self.file = Path(folder.name) / "run.parquet"
            self._recorder = crowd.recorder(self.file)
        except (FootwayError, OSError) as error:
            if folder is not None:
                folder.cleanup()
            reason = " ".join(str(error).split())[:200]
            raise BadInput(
                f"the recording cannot begin: {reason}; free some space for temporary files"
            ) from None
        self._folder = folder
        self.add(crowd)

    def add(self, crowd: Crowd) -> None:
        """Add a frame; an error ends the recording, never the crowd."""
        if not self.is_running:
            return
        try:
            crowd.record(self._recorder)
        except (FootwayError, OSError) as error:
            self._fail(error)
            return
        self._last = crowd.time
        if self.bytes > MAX_BYTES:
            self.end(f"it has {MAX_BYTES // 1_000_000:,} MB, and cannot be longer")
        elif len(self._recorder.steps) >= MAX_FRAMES:
            self.end(f"it has {MAX_FRAMES:,} frames, and cannot be longer")

    def end(self, why: str | None = None) -> None:
        """Finish the file; `why` is the reason if no client asked for it."""
        if not self.is_running:
            return
        self.is_running, self.ended = False, why
        try:
            self._recorder.close()
        except (FootwayError, OSError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.is_running = False
        with suppress(FootwayError, OSError):
            self._recorder.__exit__()  # closes the file and keeps the frames so far
        self.ended = " ".join(f"it could not be written: {error}".split())[:300]

    def drop(self) -> None:
        """Stop recording and delete the file."""
        self.end()
        self._folder.cleanup()

    def remove_file(self) -> None:
        """Delete the file without waiting for pending writes."""
        self._folder.cleanup()

    @property
    def bytes(self) -> int:
        """Size of the file so far."""
        return self.file.stat().st_size if self.file.exists() else self._recorder.size

    def facts(self) -> RecordingFacts:
        """Return facts for the page."""
        return RecordingFacts(
            running=self.is_running,
            seconds=round(self._last - self._begin, 6),
            frames=len(self._recorder.steps),
            megabytes=round(self.bytes / 1e6, 1),
            ended=self.ended,
        )
