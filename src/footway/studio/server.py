"""The web server: routes, web sockets, start and shutdown."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket as sockets
import sys
import threading
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn

import uvicorn
from starlette.applications import Starlette
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
from footway.studio.access import MAX_CLIENTS, MAX_SOCKET, MAX_TEXT, MAX_UPLOAD, Guard, Rate
from footway.studio.clients import Client, Clients
from footway.studio.connections import Connection, SocketConnection
from footway.studio.loading import Loader, clean_name, open_upload
from footway.studio.requests import parse, request_number
from footway.studio.session import ROADMAPS, WORKERS, Session, fault_message, worker_of
from footway.studio.wire import packed, refused
from footway.studio.workers import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from types import FrameType

    from starlette.requests import Request as HttpRequest
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.websockets import WebSocket

    from footway.studio.access import Access
    from footway.studio.documents import Document
    from footway.studio.requests import Request
    from footway.studio.wire import Message

_FIRST_MESSAGE: Final = 20.0  # s that a client has to send its first message
_SEND_TIMEOUT: Final = 30.0  # s to send one message, before a client counts as gone
_MAX_PENDING: Final = 64  # unanswered requests of one client
_MAX_WARNINGS: Final = 1000  # messages over the rate limit, before a client is disconnected
_MAX_WAITING: Final = 256  # requests in the queue of a worker
_MAX_ROADMAPS: Final = 4  # requests for roadmaps and discs in their queue
_LOADING: Final = "loading"  # name of the worker that waits for files to be loaded
_MAX_UPLOADS: Final = 4  # at the same time: each may take as much memory as a file may have
_SHUTDOWN_TIMEOUT: Final = 5.0  # s for an orderly shutdown
_PORTS: Final = 50  # number of ports that are tried
_PIECE: Final = 262_144  # bytes of a file that are read at once

_MISSING: Final = """<!doctype html><html lang="en"><meta charset="utf-8">
<title>Footway studio</title>
<h1>The page of Footway studio has not been built</h1>
<p>The server runs, but this copy of Footway has no page: it is built when Footway is installed
with <code>pip install .</code>. In a source folder, build it with
<code>npm ci &amp;&amp; npm run build</code> in the folder <code>web</code>, then load this page
again.</p></html>"""


class Studio:
    """The web application: one session that all connected browsers share.

    Args:
        document: document that is open at the start.
        access: accepted host names and token.
        loader: loads uploaded files; it is closed with the server.

    """

    def __init__(self, document: Document, access: Access, loader: Loader | None = None) -> None:
        self.access = access
        self.loader = loader or Loader()
        self.clients = Clients()
        self.session = Session(
            document, send_event=self.clients.send_event, send_frame=self.clients.send_frame
        )
        self._workers = {
            name: Worker(name, capacity=_MAX_WAITING) for name in sorted(set(WORKERS.values()))
        }
        self._workers[ROADMAPS] = Worker(ROADMAPS, capacity=_MAX_ROADMAPS)
        self._workers[_LOADING] = Worker(_LOADING, capacity=_MAX_UPLOADS)
        self._early = Worker("early", capacity=1)  # compiles kernels ahead of the first request
        self._uploads = 0  # uploads in progress
        self.has_stopped = True  # whether the crowd stopped in time at shutdown

    @property
    def app(self) -> ASGIApp:
        """The ASGI application."""
        routes = [
            Route("/", index),
            Route("/upload", self._upload, methods=["POST"]),
            Route("/save", self._save),
            WebSocketRoute("/ws", self._watch),
            Mount("/", BuiltFiles()),
        ]
        return Guard(Starlette(routes=routes, lifespan=self._life), self.access)

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        self.clients.begin()
        first = self._workers[WORKERS["path"]].do(self.session.warm_up)
        if first is not None:
            first.add_done_callback(lambda _: self._early.do(self._prepare))
        yield
        self.end()

    def _prepare(self) -> None:
        """Compile kernels ahead of use; the loader comes last because it needs the same kernels."""
        self.session.compile_rest()
        self.loader.prepare()

    def end(self) -> None:
        """Stop the crowd and the loader."""
        self.loader.close()
        self.has_stopped = self.session.end()

    # -- files ---------------------------------------------------------------------------------

    async def _upload(self, request: HttpRequest) -> Response:
        """Open an uploaded file."""
        headers = request.headers
        if not self.access.knows_origin(headers.get("origin"), headers.get("host")):
            return _refusal("this file does not come from the page", 403)
        if not self.access.knows_token(request.query_params.get("token")):
            return _refusal("the token is missing or wrong", 403)
        if self._uploads >= _MAX_UPLOADS:
            return _refusal("too many files at once; wait for the others", 503)
        self._uploads += 1
        try:
            return await self._open_sent(request)
        finally:
            self._uploads -= 1

    async def _open_sent(self, request: HttpRequest) -> Response:
        name, scale = request.query_params.get("name", ""), request.query_params.get("scale")
        try:
            clean_name(name)
            metres = None if scale is None else _number(scale)
            content = await _body(request)
        except BadInput as error:
            return _refusal(str(error), 400)

        gone = asyncio.create_task(_disconnect(request))
        try:
            return await self._load(name, content, metres, is_wanted=lambda: not gone.done())
        finally:
            gone.cancel()

    async def _load(
        self, name: str, content: bytes, scale: float | None, *, is_wanted: Callable[[], bool]
    ) -> Response:
        """Load a file while other requests are answered, then open it in the session."""

        def load() -> Document:
            with self.session.preparing.announce_process("maps") as compiling:
                return open_upload(
                    name, content, self.loader, scale=scale, is_wanted=is_wanted,
                    compiling=compiling,
                )  # fmt: skip

        busy = _refusal("too much to do", 503)
        try:
            document = await self._in_worker(_LOADING, load, None)
            if document is None:
                return busy
            facts = await self._in_worker(
                WORKERS["edit"], lambda: self.session.open(document), None
            )
        except FootwayError as error:
            return _refusal(str(error), 400)
        except Exception as error:  # noqa: BLE001 - a file must never take the server down
            return _refusal(fault_message(error), 500)
        if facts is None:
            return busy
        return Response(packed({"ok": facts}, {}), media_type="application/json")

    async def _save(self, request: HttpRequest) -> Response:
        """Send the document or the live recording as a file."""
        if not self.access.knows_token(request.query_params.get("token")):
            return _refusal("the token is missing or wrong", 403)
        kind = request.query_params.get("as", "")

        def work() -> Response:
            try:
                file = self.session.save(kind)
            except FootwayError as error:
                return _refusal(str(error), 400)
            except Exception as error:  # noqa: BLE001 - likewise
                return _refusal(fault_message(error), 500)
            headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
            if isinstance(file.content, bytes):
                return Response(file.content, media_type=file.kind, headers=headers)
            return OpenFile(file.content, kind=file.kind, headers=headers)

        answer: Response = await self._in_worker("drawing", work, _refusal("too much to do", 503))
        return answer

    # -- one client ----------------------------------------------------------------------------

    async def _watch(self, socket: WebSocket) -> None:
        """Serve one browser until it disconnects."""
        if not self._may_enter(socket):
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
            await self._listen(socket, client)
        finally:
            self.clients.all.discard(client)
            client.leave()
            sender.cancel()
            with suppress(asyncio.CancelledError):
                await sender
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.close()

    def _may_enter(self, socket: WebSocket) -> bool:
        headers, access = socket.headers, self.access
        return (
            len(headers.getlist("host")) == 1
            and access.knows_host(headers.get("host"))
            and access.knows_origin(headers.get("origin"), headers.get("host"))
            and access.knows_token(socket.query_params.get("token"))
        )

    async def _listen(self, socket: WebSocket, client: Client) -> None:
        """Answer the requests of a client until it disconnects, then cancel the pending ones."""
        tasks = set[asyncio.Task[None]]()
        try:
            async for text in _messages(socket, client):
                task = asyncio.create_task(self._answer(text, client))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
        finally:
            for task in tasks:
                task.cancel()

    async def _answer(self, text: str | bytes, client: Client) -> None:
        try:
            request = parse(text)
        except BadInput as error:
            client.put(refused(request_number(text), str(error), "bad-input"))
            return
        if client.pending >= _MAX_PENDING:
            client.put(refused(request.n, "too many requests at once; wait for answers", "busy"))
            return
        client.pending += 1
        try:
            client.put(await self.answer(request, client))
        finally:
            client.pending -= 1

    async def answer(self, request: Request, client: Client) -> Message:
        """Answer a request in the worker for its kind.

        Of the path requests of one client that wait, only the newest is answered: dragging a start
        point or a radius sends many, and only the last one matters.
        """
        busy = refused(request.n, "the server is busy with similar requests; try again", "busy")
        is_path, number = request.ask == "path", client.path + 1

        def work() -> Message:
            if is_path and client.path > number:
                return refused(request.n, "a newer request replaced it", "dropped")
            return self.session.answer(request)

        future = self._workers[worker_of(request)].do(work)
        if future is None:
            return busy  # the requests before it stay valid
        if is_path:
            client.path = number
        answer: Message = await asyncio.wrap_future(future)
        return answer

    async def _in_worker(self, worker: str, work: Callable[[], Any], refusal: Any) -> Any:
        future = self._workers[worker].do(work)
        return refusal if future is None else await asyncio.wrap_future(future)


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
    """Yield the messages of a client; refuse those over the rate limit."""
    rate, warnings = Rate(), 0
    timeout: float | None = _FIRST_MESSAGE  # afterwards a client may be silent
    while not client.is_gone and warnings <= _MAX_WARNINGS:
        try:
            async with asyncio.timeout(timeout):
                text = await _next_message(socket, client)
        except (WebSocketDisconnect, TimeoutError):
            return
        timeout = None
        if text is None:
            continue
        if rate.allows():
            yield text
        else:
            warnings += 1
            client.put(refused(request_number(text), "too many messages; slow down", "busy"))


async def _next_message(socket: WebSocket, client: Client) -> str | bytes | None:
    """Return the next message; None if it was refused."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect
    text: str | bytes | None = message.get("text")
    if text is None:
        client.put(refused(None, "not text; requests are JSON", "bad-input"))
        return None
    if len(text) > MAX_TEXT:
        client.put(refused(None, f"a message has at most {MAX_TEXT:,} bytes", "bad-input"))
        return None
    return text


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
    config = uvicorn.Config(
        studio.app,
        http=Connection,
        ws=SocketConnection,
        ws_max_size=MAX_SOCKET,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        limit_concurrency=256,
    )
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


async def index(_: HttpRequest) -> Response:
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
