"""Serve the built page from `static`, with headers that forbid content from other servers."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from starlette.datastructures import MutableHeaders
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, StreamingResponse
from starlette.staticfiles import StaticFiles

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from footway.studio.access import Access

_PIECE: Final = 262_144  # bytes of a file that are read at once

STATIC: Final = Path(__file__).parent / "static"

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

_MISSING: Final = """<!doctype html><html lang="en"><meta charset="utf-8">
<title>Footway studio</title>
<h1>The page of Footway studio has not been built</h1>
<p>The server runs, but this copy of Footway has no page: it is built when Footway is installed
with <code>pip install .</code>. In a source folder, build it with
<code>npm ci &amp;&amp; npm run build</code> in the folder <code>web</code>, then load this page
again.</p></html>"""


async def index(_: Request) -> Response:
    """Return the page, or a page that says how to build it."""
    file = STATIC / "index.html"
    if not file.is_file():
        return HTMLResponse(_MISSING, status_code=503)
    return FileResponse(file)


class BuiltFiles(StaticFiles):
    """The other files of the page."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC, check_dir=False)

    async def check_config(self) -> None:
        """Accept a missing folder: its files are then not found."""


class OpenFile(StreamingResponse):
    """Sends an open file and closes it, also if the client disconnects."""

    def __init__(self, file: BinaryIO, *, kind: str, headers: dict[str, str]) -> None:
        self._file = file
        pieces = iter(partial(file.read, _PIECE), b"")
        length = {"Content-Length": str(os.fstat(file.fileno()).st_size)}
        super().__init__(pieces, media_type=kind, headers=headers | length)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        with self._file:
            await super().__call__(scope, receive, send)


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
                if not scope["path"].startswith("/assets/"):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._access.knows_host(hosts[0].decode("latin-1")):
            refusal = PlainTextResponse("this server does not answer to that name", 400)
            await refusal(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)
