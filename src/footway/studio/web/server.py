"""The web server: routes, web sockets, start and shutdown."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket as sockets
import sys
import threading
import time
from contextlib import asynccontextmanager, suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn, TypeVar

import anyio
import uvicorn
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocketDisconnect

from footway.errors import BadInput, FootwayError
from footway.studio import STATIC
from footway.studio.files.loading import Loader, clean_name, open_upload
from footway.studio.files.recent import RecentDocuments
from footway.studio.layers import LAYERS
from footway.studio.protocol.replies import Answer, Cancelled, Progress
from footway.studio.protocol.requests import Cancel, Layer, parse, request_number
from footway.studio.protocol.wire import event, packed, refused, reply
from footway.studio.session import Session, fault_message
from footway.studio.web.access import MAX_CLIENTS, MAX_SOCKET, MAX_TEXT, MAX_UPLOAD, Guard, Rate
from footway.studio.web.clients import Client, Clients
from footway.studio.web.connections import Connection, SocketConnection

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path
    from types import FrameType

    from starlette.requests import Request as HttpRequest
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.websockets import WebSocket

    from footway.studio.documents import Document
    from footway.studio.protocol.requests import Request
    from footway.studio.protocol.wire import Message
    from footway.studio.web.access import Access

T = TypeVar("T")

QUEUES: Final = {
    "hello": "quick", "ground": "quick", "path": "path", "walk": "walk", "layer": "layer",
    "crowd": "crowd", "population": "crowd", "character": "crowd", "obstacle": "crowd",
    "open": "document", "edit": "document", "replay": "replay", "trails": "replay",
    "cancel": "quick", "item": "quick", "roadmap": "layer",
}  # fmt: skip
"""Queue for each type of request."""

_CHANGES: Final = frozenset({"open", "edit", "roadmap", "crowd", "population", "obstacle"})
"""Requests that change something: they are done even if their browser has disconnected."""

_SLOW: Final = "slow layers"  # queue of layers that take seconds
_LOADING: Final = "loading"  # queue of uploaded files
_MAX_UPLOADS: Final = 4  # at the same time: each may take as much memory as a file may have
_CAPACITY: Final = {_SLOW: 4, _LOADING: _MAX_UPLOADS}  # requests in a queue
_DEFAULT_CAPACITY: Final = 256
_FIRST_MESSAGE: Final = 20.0  # s that a client has to send its first message
_SEND_TIMEOUT: Final = 30.0  # s to send one message, before a client counts as gone
_MAX_PENDING: Final = 64  # unanswered requests of one client
_MAX_WARNINGS: Final = 1000  # messages over the rate limit, before a client is disconnected
_SHUTDOWN_TIMEOUT: Final = 5.0  # s for an orderly shutdown
_PROGRESS: Final = 0.2  # s between two events about the progress of a layer
_PORTS: Final = 50  # number of ports that are tried
_PIECE: Final = 262_144  # bytes of a file that are read at once

_MISSING: Final = """<!doctype html><html lang="en"><meta charset="utf-8">
<title>Footway studio</title>
<h1>The page of Footway studio has not been built</h1>
<p>The server runs, but this copy of Footway has no page: it is built when Footway is installed
with <code>pip install .</code>. In a source folder, build it with
<code>npm ci &amp;&amp; npm run build</code> in the folder <code>web</code>, then load this page
again.</p></html>"""


class _Busy(Exception):
    """A queue is full."""


class WorkQueue:
    """Runs functions in a worker thread, one at a time, and limits how many wait.

    Each type of request has its own queue, so that slow requests do not delay fast ones. Functions
    whose request was cancelled are dropped; one that already runs still occupies its queue.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.count = 0  # functions that wait or run

    @cached_property
    def _limiter(self) -> anyio.CapacityLimiter:
        return anyio.CapacityLimiter(1)  # needs the event loop

    def check(self) -> None:
        """Raise `_Busy` if the queue is full."""
        if self.count >= self.capacity:
            raise _Busy

    async def run(self, work: Callable[[], T]) -> T:
        """Run a function and return its result."""
        self.check()
        self.count += 1
        try:
            return await run_sync(work, limiter=self._limiter)
        finally:
            self.count -= 1


class Studio:
    """The web application: one session that all connected browsers share.

    Args:
        document: document that is open at the start.
        access: accepted host names and token.
        loader: loads uploaded files; it is closed with the server.
        autosave: folder for copies of edited maps; None writes none.
    """

    def __init__(
        self,
        document: Document,
        access: Access,
        loader: Loader | None = None,
        *,
        autosave: Path | None = None,
    ) -> None:
        self.access = access
        self.loader = loader or Loader()
        self.clients = Clients()
        self.session = Session(
            document,
            send_event=self.clients.send_event,
            send_frame=self.clients.send_frame,
            recent=RecentDocuments(autosave),
            load=self._load_recent,
        )
        self.queues = {
            name: WorkQueue(_CAPACITY.get(name, _DEFAULT_CAPACITY))
            for name in {*QUEUES.values(), _SLOW, _LOADING}
        }
        self.answering = set[asyncio.Task[None]]()  # requests of all clients
        self.uploads = 0  # in progress
        self.has_stopped = True  # whether the crowd stopped in time at shutdown

    @property
    def app(self) -> ASGIApp:
        """The ASGI application."""
        routes = [
            Route("/", index),
            Route("/upload", self._upload, methods=["POST"]),
            Route("/save", self._save),
            WebSocketRoute("/ws", self._serve_client),
            Mount("/", GZipMiddleware(BuiltFiles())),
        ]
        return Guard(Starlette(routes=routes, lifespan=self._lifespan), self.access)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.clients.begin()
        threading.Thread(target=self._prepare, name="studio-prepare", daemon=True).start()
        yield
        self.loader.close()
        self.has_stopped = self.session.end()

    def _prepare(self) -> None:
        """Compile kernels ahead of use; the loader comes last because it needs the same kernels."""
        self.session.warm_up()
        self.loader.prepare()

    # -- files ---------------------------------------------------------------------------------

    async def _upload(self, request: HttpRequest) -> Response:
        """Open an uploaded file."""
        headers, query = request.headers, request.query_params
        if not self.access.knows_origin(headers.get("origin"), headers.get("host")):
            return _refusal("this file does not come from the page", 403)
        if not self.access.knows_token(query.get("token")):
            return _refusal("the token is missing or wrong", 403)
        if self.uploads >= _MAX_UPLOADS:
            return _refusal("too many files at once; wait for the others", 503)
        self.uploads += 1
        try:
            name = clean_name(query.get("name", ""))
            content = await _body(request)
            gone = asyncio.create_task(_disconnect(request))
            try:
                return await self._open_upload(
                    name, content, query.get("scale"), is_wanted=lambda: not gone.done()
                )
            finally:
                gone.cancel()
        except _Busy:
            return _refusal("too much to do", 503)
        except FootwayError as error:
            return _refusal(str(error), 400)
        except Exception as error:  # noqa: BLE001 - a file must never take the server down
            return _refusal(fault_message(error), 500)
        finally:
            self.uploads -= 1

    async def _open_upload(
        self, name: str, content: bytes, scale: str | None, *, is_wanted: Callable[[], bool]
    ) -> Response:
        """Load a file while other requests are answered, then open it in the session."""
        metres = None if scale is None else _number(scale)

        def load() -> Document:
            with self.session.preparing.announce_process("maps") as compiling:
                return open_upload(
                    name, content, self.loader, scale=metres, is_wanted=is_wanted,
                    compiling=compiling,
                )  # fmt: skip

        document = await self.queues[_LOADING].run(load)
        facts = await self.queues[QUEUES["open"]].run(lambda: self.session.open(document))
        return Response(packed({"ok": facts.model_dump()}, {}), media_type="application/json")

    def _load_recent(self, file: Path) -> Document:
        """Load the copy of an edited map."""
        name = f"{file.stem.rpartition('@')[0]}{file.suffix}"
        try:
            return open_upload(name, file.read_bytes(), self.loader)
        except OSError as error:
            raise BadInput(f"{name}: cannot be read: {error.strerror}") from None

    async def _save(self, request: HttpRequest) -> Response:
        """Send the document or the live recording as a file."""
        if not self.access.knows_token(request.query_params.get("token")):
            return _refusal("the token is missing or wrong", 403)
        kind = request.query_params.get("as", "")
        try:
            file = await self.queues[QUEUES["open"]].run(lambda: self.session.save(kind))
        except _Busy:
            return _refusal("too much to do", 503)
        except FootwayError as error:
            return _refusal(str(error), 400)
        except Exception as error:  # noqa: BLE001 - likewise
            return _refusal(fault_message(error), 500)
        headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
        if isinstance(file.content, bytes):
            return Response(file.content, media_type=file.kind, headers=headers)
        return OpenFile(file.content, kind=file.kind, headers=headers)

    # -- one client ----------------------------------------------------------------------------

    async def _serve_client(self, socket: WebSocket) -> None:
        """Serve one browser until it disconnects."""
        headers, access = socket.headers, self.access
        if not (
            len(headers.getlist("host")) == 1
            and access.knows_host(headers.get("host"))
            and access.knows_origin(headers.get("origin"), headers.get("host"))
            and access.knows_token(socket.query_params.get("token"))
        ):
            await socket.close(1008)
            return
        await socket.accept()
        if len(self.clients.all) >= MAX_CLIENTS:
            message = f"{MAX_CLIENTS} browsers are connected already; close one of them"
            await socket.send_text(refused(None, message, "busy"))
            await socket.close(1013)
            return
        client = Client()
        self.clients.join(client)
        sender = asyncio.create_task(_send(socket, client))
        try:
            async for text in _messages(socket, client):
                task = asyncio.create_task(self._answer(text, client))
                self.answering.add(task)
                task.add_done_callback(self.answering.discard)
        finally:
            sender.cancel()
            self.clients.all.discard(client)
            client.leave()
            with suppress(asyncio.CancelledError):
                await sender
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.close()

    async def _answer(self, text: str | bytes, client: Client) -> None:
        """Parse a request and put its reply into the client's queue."""
        try:
            request = parse(text)
        except BadInput as error:
            client.put(refused(request_number(text), str(error), "bad-input"))
            return
        if isinstance(request, Cancel):
            client.cancelled.add(request.of)
            client.put(reply(request.n, Answer(Cancelled())))
            return
        if client.pending >= _MAX_PENDING:
            client.put(refused(request.n, "too many requests at once; wait for answers", "busy"))
            return
        client.pending += 1
        try:
            client.put(await self._reply(request, client))
        except _Busy:
            message = "the server is busy with similar requests; try again"
            client.put(refused(request.n, message, "busy"))
        finally:
            client.pending -= 1

    async def _reply(self, request: Request, client: Client) -> Message:
        """Answer a request in a worker thread.

        Of the path requests of one client that wait, only the newest is answered: dragging a start
        point or a radius sends many, and only the last one matters. After a client has
        disconnected, what it changed last is still done: a page may be reloaded at any time.
        """
        is_path, number = request.type == "path", client.path + 1

        def work() -> Message:
            if client.is_gone and request.type not in _CHANGES:
                return refused(request.n, "the browser has disconnected", "dropped")
            if is_path and client.path > number:
                return refused(request.n, "a newer request replaced it", "dropped")
            return self.session.answer(request, partial(self._progress, client, request.n))

        queue = self.queues[queue_of(request)]
        queue.check()  # if this one is refused, the paths requested before stay valid
        if is_path:
            client.path = number
        return await queue.run(work)

    def _progress(self, client: Client, n: int, done: int, total: int) -> None:
        """Tell a client how far its layer is; raise BadInput if it is no longer wanted."""
        if client.is_gone or n in client.cancelled:
            client.cancelled.discard(n)
            raise BadInput("cancelled")
        now = time.monotonic()
        if total and now >= client.progress_sent + _PROGRESS:
            client.progress_sent = now
            message = event("progress", Answer(Progress(of=n, done=done, total=total)))
            self.clients.send_to(client, message)


def queue_of(request: Request) -> str:
    """Return the name of the queue for a request."""
    is_slow = isinstance(request, Layer) and request.name in LAYERS and LAYERS[request.name].is_slow
    return _SLOW if is_slow else QUEUES[request.type]


def _refusal(message: str, code: int) -> Response:
    return JSONResponse({"error": " ".join(message.split())}, status_code=code)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput(f"the scale is {text[:40]!r}; give metres per pixel or unit") from None


async def _body(request: HttpRequest) -> bytes:
    """Return the body of a request; refuse one that is too large."""
    too_much = BadInput(f"the file has more than {MAX_UPLOAD // 1_000_000} MB; cut out a part")
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > MAX_UPLOAD:
        raise too_much
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > MAX_UPLOAD:
                raise too_much
            parts.append(part)
    except ClientDisconnect:
        raise BadInput("the upload was interrupted; send the file again") from None
    return b"".join(parts)


async def _disconnect(request: HttpRequest) -> None:
    """Wait until a browser that has sent its whole request disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _messages(socket: WebSocket, client: Client) -> AsyncIterator[str | bytes]:
    """Yield the messages of a client; refuse binary, long and too frequent ones."""
    rate, warnings = Rate(), 0
    timeout: float | None = _FIRST_MESSAGE  # afterwards a client may be silent
    while not client.is_gone and warnings <= _MAX_WARNINGS:
        try:
            async with asyncio.timeout(timeout):
                message = await socket.receive()
        except TimeoutError:
            return
        if message["type"] == "websocket.disconnect":
            return
        timeout = None
        text: str | bytes | None = message.get("text")
        if text is None:
            client.put(refused(None, "not text; requests are JSON", "bad-input"))
        elif len(text) > MAX_TEXT:
            client.put(refused(None, f"the message has more than {MAX_TEXT:,} bytes", "bad-input"))
        elif rate.allows():
            yield text
        else:
            warnings += 1
            client.put(refused(request_number(text), "too many messages; slow down", "busy"))


async def _send(socket: WebSocket, client: Client) -> None:
    """Send the waiting messages of a client, as fast as it reads them."""
    with suppress(OSError, RuntimeError, WebSocketDisconnect, TimeoutError):
        while (message := await client.next()) is not None:
            async with asyncio.timeout(_SEND_TIMEOUT):
                if isinstance(message, str):
                    await socket.send_text(message)
                else:
                    await socket.send_bytes(message)
    client.leave()
    with suppress(OSError, RuntimeError, WebSocketDisconnect):
        await socket.close(1008)


# -- the built page ----------------------------------------------------------------------------


async def index(_: HttpRequest) -> Response:
    """Return the page, or a page that says how to build it."""
    file = STATIC / "index.html"
    return FileResponse(file) if file.is_file() else HTMLResponse(_MISSING, status_code=503)


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


# -- start and shutdown ------------------------------------------------------------------------


def bind(host: str, port: int, *, exact: bool) -> sockets.socket:
    """Return a socket that listens on a port, or on the next free port unless `exact`.

    Raises:
        BadInput: the host is not an address of this machine, or no port is free.
    """
    ports = [port] if exact or port == 0 else range(port, min(port + _PORTS, 65536))
    family = sockets.AF_INET6 if ":" in host else sockets.AF_INET
    problem = "no port is free"
    for candidate in ports:
        listening = sockets.socket(family, sockets.SOCK_STREAM)
        try:
            listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
            listening.bind((host, candidate))
            listening.listen(128)
        except OSError as error:
            listening.close()
            problem = error.strerror or str(error)
        else:
            return listening
    raise BadInput(f"cannot listen on {host}:{port}: {problem}; give another --port or --host")


class Server(uvicorn.Server):
    """A server that shuts down on request, whatever its threads and processes are doing.

    The first Ctrl-C or SIGTERM starts an orderly shutdown; after a few seconds, or at the second
    signal, the process exits immediately.
    """

    def __init__(self, config: uvicorn.Config, studio: Studio) -> None:
        super().__init__(config)
        self._studio = studio
        self.last_resort: threading.Timer | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start an orderly shutdown; at the second signal exit immediately."""
        if self.should_exit:
            self.give_up(sig)
        super().handle_exit(sig, frame)
        self.last_resort = threading.Timer(_SHUTDOWN_TIMEOUT, self.give_up, (sig,))
        self.last_resort.daemon = True
        self.last_resort.start()

    def give_up(self, sig: int) -> NoReturn:
        """Exit now, and kill the loading processes."""
        with suppress(Exception):
            self._studio.loader.close()
        with suppress(Exception):
            live_recording = self._studio.session.crowd_thread.live_recording
            if live_recording is not None:
                live_recording.remove_file()
        with suppress(Exception):
            print("footway: studio ended without waiting", file=sys.stderr, flush=True)  # noqa: T201
        os._exit(128 + sig)


def build_server(studio: Studio) -> Server:
    """Return a server that logs nothing; `run` serves until Ctrl-C, SIGTERM or `should_exit`."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "websockets"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [logging.NullHandler()], False
    options: dict[str, Any] = {"http": Connection, "ws": SocketConnection}
    config = uvicorn.Config(
        studio.app, ws_max_size=MAX_SOCKET, ws_per_message_deflate=False, log_config=None,
        access_log=False, server_header=False, timeout_graceful_shutdown=1, limit_concurrency=256,
        **options,
    )  # fmt: skip
    return Server(config, studio)


def serve(studio: Studio, listening: sockets.socket) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    server = build_server(studio)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    if not studio.has_stopped:
        server.give_up(signal.SIGINT)  # the interpreter might wait for the crowd's thread
    if server.last_resort is not None:
        server.last_resort.cancel()
