"""Browsers that watch: what waits for each of them, and how it gets there.

Answers and events wait in a queue. Of the frames only the newest waits, in one slot: a browser
that reads slowly sees fewer of them, and one that does not read at all is sent away. The
simulation never waits for any of them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from footway.studio.wire import Message

MOST_WAITING: Final = 1000
"""Answers and events that may wait for a watcher."""

MOST_BYTES: Final = 128_000_000
"""Likewise, all together."""


class Client:
    """One browser."""

    def __init__(self) -> None:
        self.is_gone = False
        self.asked = 0  # asks that have no answer yet
        self.path = 0  # number of its newest path that waits or was found
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self._frame: bytes | None = None
        self._wake = asyncio.Event()

    def put(self, message: Message) -> None:
        """Send it an answer or an event."""
        if self.is_gone:
            return
        self._waiting.append(message)
        self._bytes += len(message)
        if len(self._waiting) > MOST_WAITING or self._bytes > MOST_BYTES:
            self.leave()
        self._wake.set()

    def show(self, frame: bytes) -> None:
        """Send it a frame, instead of one that has not been sent yet."""
        self._frame = frame
        self._wake.set()

    def leave(self) -> None:
        """Send it nothing more."""
        self.is_gone = True
        self._waiting.clear()
        self._frame = None
        self._wake.set()

    async def next(self) -> Message | None:
        """Return what is to be sent next, as soon as there is something; None: nothing more."""
        while not self.is_gone:
            if self._waiting:
                message = self._waiting.popleft()
                self._bytes -= len(message)
                return message
            if self._frame is not None:
                frame, self._frame = self._frame, None
                return frame
            self._wake.clear()
            await self._wake.wait()
        return None


class Clients:
    """All watchers. `say` and `show` may be called from any thread, and never wait."""

    def __init__(self) -> None:
        self.all: set[Client] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._newest: bytes | None = None
        self._is_due = False

    def begin(self) -> None:
        """Remember the loop that the server runs in."""
        self._loop = asyncio.get_running_loop()

    def join(self, watcher: Client) -> None:
        """Let a browser watch; it sees the newest frame at once."""
        self.all.add(watcher)
        if self._newest is not None:
            watcher.show(self._newest)

    def say(self, message: Message) -> None:
        """Tell everybody an event."""
        self._call(self._spread, message)

    def show(self, frame: bytes) -> None:
        """Show everybody a frame."""
        self._newest = frame
        if not self._is_due:
            self._is_due = True
            self._call(self._show)

    def _call(self, function: object, *arguments: object) -> None:
        if self._loop is None:
            self._is_due = False
            return
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)  # type: ignore[arg-type]

    def _spread(self, message: Message) -> None:
        for watcher in self.all:
            watcher.put(message)

    def _show(self) -> None:
        self._is_due = False
        if self._newest is not None:
            for watcher in self.all:
                watcher.show(self._newest)
