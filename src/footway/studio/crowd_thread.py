"""The crowd, alive in a thread of its own.

    commands --> step, when it is time --> frame, at most 30 a second --> status, twice a second

Nobody else touches the crowd: what others want done is put in a queue and done between two steps.
Frames and status are handed on without waiting for whoever looks at them.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from footway.studio.crowd_requests import populations_of
from footway.studio.frames import frame_of, obstacles_of
from footway.studio.live_recording import LiveRecording
from footway.studio.wire import Answer, told
from footway.studio.wire_origin import NOWHERE_ELSE, Origin

if TYPE_CHECKING:
    from collections.abc import Callable

    from footway.crowd import Crowd
    from footway.studio.wire import Message

T = TypeVar("T")

FRAMES: Final = 30.0
"""Frames per second, at most."""

_STATUS: Final = 0.5  # s between two of them
_LATE: Final = 0.25  # s behind its time, beyond which the crowd does not try to catch up
_IDLE: Final = 0.5  # s that the thread sleeps when there is nothing to do
_ENDING: Final = 2.0  # s that a step may take at the end, before it is given up
_TIMED: Final = 50  # steps over which the time of a step is measured
_STUCK: Final = 5.0  # s between two looks at who is stuck: it takes long in large crowds


@dataclass
class Pace:
    """What steps cost and how often they are, over the last few."""

    _ends: deque[float] = field(default_factory=lambda: deque(maxlen=_TIMED))
    _costs: deque[float] = field(default_factory=lambda: deque(maxlen=_TIMED))

    def note(self, begin: float, end: float) -> None:
        """Note one step."""
        self._ends.append(end)
        self._costs.append(end - begin)

    def facts(self, now: float) -> dict[str, float]:
        """Steps per second and milliseconds per step."""
        recent = [end for end in self._ends if now - end < 2.0]
        rate = (len(recent) - 1) / (recent[-1] - recent[0]) if len(recent) > 1 else 0.0
        cost = sum(self._costs) / len(self._costs) if self._costs else 0.0
        return {"steps_per_second": rate, "milliseconds_per_step": 1000.0 * cost}


class CrowdThread:
    """A crowd that goes on by itself.

    Args:
        crowd: that is there at first.
        say: tells an event; must not wait.
        show: shows a frame; must not wait.
        origin: from which places on the wire are measured, m.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> live = CrowdThread(fw.Crowd(cmap), say=lambda _: None, show=lambda _: None)
        >>> live.do(lambda: len(live.crowd.add(20)))
        20
        >>> live.do(live.step)
        >>> live.status["time"]
        0.1
        >>> live.end()
        True

    """

    def __init__(
        self,
        crowd: Crowd,
        *,
        say: Callable[[Message], None],
        show: Callable[[bytes], None],
        origin: Origin = NOWHERE_ELSE,
    ) -> None:
        self.crowd, self._origin = crowd, origin
        self.is_running, self.speed = False, 1.0
        self.fault: str | None = None  # why it stopped by itself
        self.status: dict[str, Any] = {}
        self._say, self._show = say, show
        self._commands: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]
        self._commands = queue.SimpleQueue()
        self._pace = Pace()
        self._due = self._shown = self._told = self._looked = 0.0
        self._stuck = 0
        self._discs: bytes | None = None
        self.take: LiveRecording | None = None  # the last recording, or the one that runs
        self._has_news = True  # something changed that no frame has shown yet
        self.has_ended = False  # it was stopped for good
        self._update_status()
        self._thread = threading.Thread(target=self._live, name="studio-crowd", daemon=True)
        self._thread.start()

    # -- for other threads ---------------------------------------------------------------------

    def do(self, work: Callable[[], T]) -> T:
        """Do something between two steps, in the crowd's thread; return what it returns."""
        future: Future[T] = Future()
        self._commands.put((future, work))
        return future.result()

    def end(self) -> bool:
        """Stop for good, what was recorded is gone; tell whether the crowd stopped in time."""
        self.has_ended = True
        self._commands.put(None)
        self._thread.join(timeout=_ENDING)
        if self._thread.is_alive():
            return False
        if self.take is not None:
            self.take.drop()
        return True

    # -- in the crowd's thread -----------------------------------------------------------------

    def start(self) -> None:
        """Let time run."""
        self.is_running, self.fault = True, None
        self._due = time.monotonic()

    def pause(self) -> None:
        """Stop the time."""
        self.is_running = False

    def step(self) -> None:
        """Do one step now."""
        begin = time.monotonic()
        self.crowd.step()
        self._pace.note(begin, time.monotonic())
        self._has_news = True
        if self.take is not None:
            self.take.add(self.crowd)

    def record(self, name: str = "run") -> None:
        """Record from now on, for a file of that name; what was recorded before is dropped."""
        before, self.take = self.take, None  # there is none where the next one cannot begin
        if before is not None:
            before.drop()
        self.take = LiveRecording(self.crowd, name)

    def stop_recording(self, why: str | None = None) -> None:
        """Record no more; `why` is what ended it, where nobody asked for that."""
        if self.take is not None:
            self.take.end(why)

    def replace(
        self, crowd: Crowd, origin: Origin = NOWHERE_ELSE, *, why: str = "there is another crowd"
    ) -> None:
        """Go on with another crowd; a recording ends, and says why."""
        self.stop_recording(why)
        self.crowd, self._origin = crowd, origin
        self._discs = None
        self._stuck, self._looked = 0, 0.0

    def _live(self) -> None:
        while self._obey(self._spare_time()):
            try:
                if self.is_running and time.monotonic() >= self._due:
                    self._advance()
                self._publish()
            except Exception as error:  # noqa: BLE001 - the page is told, and the server goes on
                self._stop(error)

    def _stop(self, error: Exception) -> None:
        """Stop the time by itself; the status says why."""
        self.is_running, self._told = False, 0.0
        self.fault = " ".join(f"the crowd stopped: {type(error).__name__}: {error}".split())[:300]

    def _spare_time(self) -> float:
        """Seconds until there is something to do."""
        now = time.monotonic()
        waits = [_IDLE]
        if self.is_running:
            waits.append(self._due - now)
        if self._has_news:
            waits.append(self._shown + 1.0 / FRAMES - now)
        return max(0.0, min(waits))

    def _obey(self, patience: float) -> bool:
        """Do what waits in the queue, or wait for it a while; False: end."""
        try:
            command = self._commands.get(timeout=patience) if patience else self._next()
            while True:
                if command is None:
                    return False
                self._carry_out(*command)
                command = self._next()
        except queue.Empty:
            return True

    def _carry_out(self, future: Future[Any], work: Callable[[], Any]) -> None:
        """Do what somebody wants; who waits for it finds the status of afterwards."""
        try:
            made = work()
            self._has_news, self._told = True, 0.0
            self._update_status()
        except BaseException as error:  # noqa: BLE001 - it belongs to who asked
            future.set_exception(error)
        else:
            future.set_result(made)

    def _next(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        return self._commands.get_nowait()

    def _advance(self) -> None:
        """Do a step, and say when the next one is due."""
        self.step()
        now = time.monotonic()
        self._due += self.crowd.dt / self.speed
        if self._due < now - _LATE:
            self._due = now

    def _publish(self) -> None:
        """Show a frame and tell the status, where it is time."""
        now = time.monotonic()
        if self._has_news and now >= self._shown + 1.0 / FRAMES:
            self._shown, self._has_news = now, False
            self._show(frame_of(self.crowd, self._origin))
            self._tell_obstacles()
        if now >= self._told + _STATUS:
            self._told = now
            self._update_status()
            self._say(told("status", Answer(self.status)))

    def _tell_obstacles(self) -> None:
        """Tell where the dynamic obstacles are, where that has changed."""
        answer = obstacles_of(self.crowd, self._origin)
        key = b"".join(array.tobytes() for array in answer.arrays.values())
        if key != self._discs:
            self._discs = key
            self._say(told("obstacles", answer))

    def _update_status(self) -> None:
        crowd, now = self.crowd, time.monotonic()
        if now > self._looked + _STUCK:
            self._stuck, self._looked = len(crowd.stuck) if len(crowd) < 50_000 else 0, now
        self.status = {
            "running": self.is_running,
            "time": round(crowd.time, 6),
            "characters": len(crowd),
            "to_come": crowd.to_come,
            "speed": self.speed,
            "arrivals": crowd.arrivals,
            "exited": crowd.exited,
            "stuck": self._stuck,
            "seed": crowd.seed,
            "fault": self.fault,
            "recording": None if self.take is None else self.take.facts(),
            "populations": populations_of(crowd),
            **self._pace.facts(now),
        }
