"""Access control: Host, Origin and token checks, response headers, and the rate limit."""

from __future__ import annotations

import ipaddress
import socket
import time
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import TYPE_CHECKING, Final

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
"""Names of this machine that no other machine can reach."""

MAX_TEXT: Final = 1_000_000
"""Bytes of a message; longer messages are refused."""

MAX_SOCKET: Final = 4_000_000
"""Bytes of a message; the socket is closed without a reply if a message is longer."""

MAX_UPLOAD: Final = 64_000_000
"""Bytes of an uploaded file."""

MAX_CLIENTS: Final = 16
"""Browsers that may be connected at the same time."""

_ANYWHERE: Final = ("0.0.0.0", "::", "")  # noqa: S104 - what a user may type, not what is served
_FOR_EVER: Final = "public, max-age=31536000, immutable"  # their names have a hash of the content
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' blob: data:; connect-src 'self'; worker-src 'self' blob:; "
        "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host.

    Example:
        >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
        (True, False)
    """
    return host in LOOPBACK or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


@dataclass(frozen=True)
class Access:
    """The host names that a server accepts, and the token that its clients must send.

    Attributes:
        host: address that the server is bound to.
        port: port that the server is bound to.
        token: None if only this machine can reach the server.

    Example:
        >>> access = Access("127.0.0.1", 8000)
        >>> access.knows_host("localhost:8000"), access.knows_host("evil.example:8000")
        (True, False)
        >>> access.knows_origin("http://localhost:8000", "localhost:8000")
        True
    """

    host: str
    port: int
    token: str | None = None

    def knows_host(self, header: str | None) -> bool:
        """Return whether a Host header names this server (protects against DNS rebinding)."""
        name, port = _split(header or "")
        if name is None or port != self.port:
            return False
        if name in LOOPBACK or name == self.host.lower():
            return True
        own = socket.gethostname().lower()
        return self.host in _ANYWHERE and (_is_address(name) or name in (own, f"{own}.local"))

    def knows_origin(self, origin: str | None, host: str | None) -> bool:
        """Return whether a page was loaded from this server."""
        return origin is not None and origin.lower() == f"http://{(host or '').lower()}"

    def knows_token(self, given: str | None) -> bool:
        """Return whether the given token is right, or no token is needed."""
        return self.token is None or compare_digest((given or "").encode(), self.token.encode())


def _split(header: str) -> tuple[str | None, int]:
    """Return name and port of a Host header; name None if the header is malformed."""
    name, colon, port = header.lower().rpartition(":")
    if not colon or "]" in port:
        name, port = header.lower(), "80"
    if not port.isascii() or not port.isdigit() or len(port) > 5:
        return None, 0
    return name.removeprefix("[").removesuffix("]"), int(port)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@dataclass
class Rate:
    """Token bucket: limits the messages per second, with a burst.

    Example:
        >>> rate = Rate(per_second=1.0, burst=2)
        >>> [rate.allows(now=5.0) for _ in range(3)], rate.allows(now=6.0)
        ([True, True, False], True)
    """

    per_second: float = 200.0
    burst: float = 400.0
    _left: float = field(default=-1.0, init=False)
    _at: float = field(default=0.0, init=False)

    def allows(self, now: float | None = None) -> bool:
        """Consume one token if there is one left, and return whether there was."""
        now = time.monotonic() if now is None else now
        if self._left < 0.0:
            self._left, self._at = self.burst, now
        self._left = min(self.burst, self._left + (now - self._at) * self.per_second)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class Guard:
    """Refuses requests for other hosts, and adds `HEADERS` to every response."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                is_asset = scope["path"].startswith("/assets/") and message["status"] == 200
                headers["Cache-Control"] = _FOR_EVER if is_asset else "no-store"
            await send(message)

        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._access.knows_host(hosts[0].decode("latin-1")):
            refusal = PlainTextResponse("this host name is not allowed", 400)
            await refusal(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)
