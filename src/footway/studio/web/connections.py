"""Connections with time limits: clients that send or read too slowly are disconnected.

uvicorn waits for ever for the rest of a request and for a browser that does not read, and counts
both against its limit of connections: a few hundred half-sent requests would lock the server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

if TYPE_CHECKING:
    import asyncio

    import h11

HEAD_SECONDS: Final = 10.0
"""s. Time limit for the complete head of a request."""

BODY_SECONDS: Final = 10.0
"""s. Time limit for the body of a request, plus one second for each `BODY_RATE` bytes received."""

BODY_RATE: Final = 20_000.0
"""Bytes per second that a body must have on average."""

READ_SECONDS: Final = 30.0
"""s. Time limit for a client to read buffered data (64 kB) while the server waits to send more."""

END_SECONDS: Final = 15.0
"""s. Time limit for the client to close its side of a web socket."""

MAX_IDLE: Final = 128
"""Connections on which the server waits for the client; for one more, the oldest is closed."""

_State = Literal["idle", "body", "work", "stalled", "gone"]
_ALLOWED: Final = {"idle": HEAD_SECONDS, "body": BODY_SECONDS, "stalled": READ_SECONDS}


class Connection(H11Protocol):
    """An HTTP connection, which is in one of five states.

    idle        the server waits for the head of a request
    body        the server waits for the rest of a request that it works on already
    work        the client waits for the answer
    stalled     the client does not read the answer
    gone        the connection has ended, or has become a web socket

    In the states idle, body and stalled the server waits for the client, and a timer limits how
    long. The server itself limits the number of bodies; this class limits the number of
    connections that are idle or stalled.
    """

    _state: _State = "idle"
    _since = 0.0  # s, start of the state
    _bytes = 0  # received of this request
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start; if too many connections wait for their clients, close the oldest."""
        super().connection_made(transport)
        self._enter("idle")
        waiting = [
            connection
            for connection in self.connections
            if isinstance(connection, Connection) and connection._state in ("idle", "stalled")  # noqa: SLF001
        ]
        if len(waiting) > MAX_IDLE:
            min(waiting, key=lambda connection: connection._since).drop()  # noqa: SLF001

    def data_received(self, data: bytes) -> None:
        """Process received bytes."""
        self._bytes += len(data)
        super().data_received(data)
        self._update_state()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._update_state()

    def pause_writing(self) -> None:
        """Limit the time that a client does not read."""
        super().pause_writing()
        self._update_state()

    def resume_writing(self) -> None:
        """Resume sending."""
        super().resume_writing()
        self._update_state()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection to another protocol."""
        self._enter("gone")
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._enter("gone")
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close the connection now; unsent data is lost."""
        self._enter("gone")
        self.transport.abort()

    def _update_state(self) -> None:
        """Update the state of the connection."""
        cycle, state = self.cycle, self._state
        if state == "gone":
            return
        if self.flow.write_paused:
            found: _State = "stalled"
        elif cycle is None or cycle.response_complete:
            found = "idle"
        else:
            found = "body" if cycle.more_body else "work"
        if found != state:
            self._enter(found)

    def _enter(self, state: _State) -> None:
        self._state, self._since = state, self.loop.time()
        if state == "idle":
            self._bytes = 0
        _cancel(self._timer)
        if state in _ALLOWED:
            self._check()

    def _check(self) -> None:
        """Drop the connection if its time is up; else check again then."""
        until = self._since + _ALLOWED[self._state]
        if self._state == "body":
            until += self._bytes / BODY_RATE
        if self.loop.time() >= until:
            self.drop()
        else:
            self._timer = self.loop.call_at(until, self._check)


class SocketConnection(WebSocketsSansIOProtocol):
    """A web socket that is closed if its client does not read, or does not close it."""

    _stalled: asyncio.TimerHandle | None = None
    _ending: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Limit the time that a client does not read."""
        super().pause_writing()
        self._stalled = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Resume sending."""
        super().resume_writing()
        _cancel(self._stalled)

    def on_task_complete(self, task: asyncio.Task[Any]) -> None:
        """Give the client a limited time to close its side."""
        super().on_task_complete(task)
        self._end_soon()

    def keepalive_timeout(self) -> None:
        """Disconnect a client that does not answer."""
        super().keepalive_timeout()
        self._end_soon()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        super().connection_lost(exc)
        _cancel(self._stalled)
        _cancel(self._ending)

    def _end_soon(self) -> None:
        if self._ending is None and not self.disconnected:
            self._ending = self.loop.call_later(END_SECONDS, self.transport.abort)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
