"""Connected browsers and the messages that wait to be sent to them.

Replies and events wait in a queue. Only the newest frame is kept, in one slot: a browser that reads
slowly gets fewer frames, and one that does not read at all is disconnected. The simulation never
waits for a browser.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from footway.studio.protocol.wire import Message

MAX_WAITING: Final = 1000
"""Replies and events that may wait for one client."""

MAX_BYTES: Final = 128_000_000
"""Total size of the replies and events that may wait for one client."""


class Client:
    """One browser."""

    def __init__(self) -> None:
        self.is_gone = False
        self.pending = 0  # requests without a reply
        self.path = 0  # number of its newest path request
        self.cancelled = set[int]()  # numbers of layers that it no longer wants
        self.progress_sent = 0.0  # s, when the progress of a layer was sent last
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self._frame: bytes | None = None
        self._wake = asyncio.Event()

    def put(self, message: Message) -> None:
        """Queue a reply or an event; disconnect the client if too much is waiting."""
        if self.is_gone:
            return
        self._waiting.append(message)
        self._bytes += len(message)
        if len(self._waiting) > MAX_WAITING or self._bytes > MAX_BYTES:
            self.leave()
        self._wake.set()

    def put_frame(self, frame: bytes) -> None:
        """Replace the frame that is sent next."""
        self._frame = frame
        self._wake.set()

    def leave(self) -> None:
        """Discard everything that waits, and send nothing more."""
        self.is_gone = True
        self._waiting.clear()
        self._frame = None
        self._wake.set()

    async def next(self) -> Message | None:
        """Wait for the next message to send; return None if the client is gone."""
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
    """All connected browsers.

    `send_event` and `send_frame` may be called from any thread and never block.
    """

    def __init__(self) -> None:
        self.all: set[Client] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._newest: bytes | None = None
        self._is_due = False

    def begin(self) -> None:
        """Store the event loop that the server runs in."""
        self._loop = asyncio.get_running_loop()

    def join(self, client: Client) -> None:
        """Add a client and send it the newest frame."""
        self.all.add(client)
        if self._newest is not None:
            client.put_frame(self._newest)

    def send_event(self, message: Message) -> None:
        """Send an event to all clients."""
        self._call(self._put_event, message)

    def send_to(self, client: Client, message: Message) -> None:
        """Send an event to one client."""
        self._call(client.put, message)

    def send_frame(self, frame: bytes) -> None:
        """Send a frame to all clients."""
        self._newest = frame
        if not self._is_due:
            self._is_due = True
            self._call(self._put_frame)

    def _call(self, function: object, *arguments: object) -> None:
        if self._loop is None:
            self._is_due = False
            return
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)  # type: ignore[arg-type]

    def _put_event(self, message: Message) -> None:
        for client in self.all:
            client.put(message)

    def _put_frame(self) -> None:
        self._is_due = False
        if self._newest is not None:
            for client in self.all:
                client.put_frame(self._newest)
