"""The server: routes, sockets, and how it starts and ends."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket as sockets
import sys
import threading
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.websockets import WebSocketDisconnect

from footway.errors import BadInput, FootwayError
from footway.studio import uploads
from footway.studio.access import MOST_SOCKET, MOST_TEXT, MOST_UPLOAD, MOST_WATCHERS, Rate
from footway.studio.clients import Client, Clients
from footway.studio.connections import Connection, SocketConnection
from footway.studio.loading import Loader
from footway.studio.pages import BuiltFiles, Guard, OpenFile, index
from footway.studio.requests import number_of, parsed
from footway.studio.session import LANES, ROADMAPS, Session, broken, lane_of
from footway.studio.wire import packed, refused
from footway.studio.workers import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from types import FrameType

    from starlette.requests import Request as HttpRequest
    from starlette.types import ASGIApp
    from starlette.websockets import WebSocket

    from footway.studio.access import Access
    from footway.studio.documents import Document
    from footway.studio.requests import Request
    from footway.studio.wire import Message

_HELLO: Final = 20.0  # s for the first message of a watcher
_PATIENCE: Final = 30.0  # s for one message to go out, before a watcher counts as gone
_UNANSWERED: Final = 64  # asks of one watcher at a time
_SCOLDED: Final = 1000  # messages too many, before a watcher is sent away
_WAITING: Final = 256  # asks in a lane
_ROADMAPS: Final = 4  # likewise, of those for roadmaps and discs
_LOADING: Final = "loading"  # the thread that waits for files to be loaded, one at a time
_UPLOADS: Final = 4  # at the same time: each may take as much memory as a file may have
_ENDING: Final = 5.0  # s for an orderly end
_PORTS: Final = 50  # that are tried, from the wanted one on


class Studio:
    """A desk that browsers sit around.

    Args:
        document: that is open at first.
        gate: who may come in.
        loader: loads the files that are sent; it is closed with the server.

    """

    def __init__(self, document: Document, gate: Access, loader: Loader | None = None) -> None:
        self.gate = gate
        self.loader = loader or Loader()
        self.audience = Clients()
        self.desk = Session(document, say=self.audience.say, show=self.audience.show)
        self._lanes = {name: Worker(name, most=_WAITING) for name in sorted(set(LANES.values()))}
        self._lanes[ROADMAPS] = Worker(ROADMAPS, most=_ROADMAPS)
        self._lanes[_LOADING] = Worker(_LOADING, most=_UPLOADS)
        self._early = Worker("early", most=1)  # makes kernels before somebody waits for them
        self._uploads = 0  # that are coming in
        self.has_stopped = True  # whether the crowd stopped in time, at the end

    @property
    def app(self) -> ASGIApp:
        """The application, for an ASGI server."""
        routes = [
            Route("/", index),
            Route("/upload", self._upload, methods=["POST"]),
            Route("/save", self._save),
            WebSocketRoute("/ws", self._watch),
            Mount("/", BuiltFiles()),
        ]
        return Guard(Starlette(routes=routes, lifespan=self._life), self.gate)

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        self.audience.begin()
        first = self._lanes[LANES["path"]].do(self.desk.warm)
        if first is not None:
            first.add_done_callback(lambda _: self._early.do(self._prepare))
        yield
        self.end()

    def _prepare(self) -> None:
        """Make ready what may be needed later; the loader last, which needs the same kernels."""
        self.desk.warm_rest()
        self.loader.prepare()

    def end(self) -> None:
        """Stop the crowd and the loader."""
        self.loader.close()
        self.has_stopped = self.desk.end()

    # -- files ---------------------------------------------------------------------------------

    async def _upload(self, request: HttpRequest) -> Response:
        """Open a file that a browser sends."""
        headers = request.headers
        if not self.gate.knows_origin(headers.get("origin"), headers.get("host")):
            return _refusal("this file does not come from the page", 403)
        if not self.gate.knows_token(request.query_params.get("token")):
            return _refusal("the token is missing or wrong", 403)
        if self._uploads >= _UPLOADS:
            return _refusal("too many files at once; wait for the others", 503)
        self._uploads += 1
        try:
            return await self._open_sent(request)
        finally:
            self._uploads -= 1

    async def _open_sent(self, request: HttpRequest) -> Response:
        name, scale = request.query_params.get("name", ""), request.query_params.get("scale")
        try:
            uploads.clean_name(name)
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
        """Load a file while other asks are answered, then put it on the desk."""

        def load() -> Document:
            with self.desk.preparing.elsewhere("maps") as compiling:
                return uploads.opened(
                    name, content, self.loader, scale=scale, is_wanted=is_wanted,
                    compiling=compiling,
                )  # fmt: skip

        busy = _refusal("too much to do", 503)
        try:
            document = await self._in_lane(_LOADING, load, None)
            if document is None:
                return busy
            facts = await self._in_lane(LANES["edit"], lambda: self.desk.open(document), None)
        except FootwayError as error:
            return _refusal(str(error), 400)
        except Exception as error:  # noqa: BLE001 - a file must never take the server down
            return _refusal(broken(error), 500)
        if facts is None:
            return busy
        return Response(packed({"ok": facts}, {}), media_type="application/json")

    async def _save(self, request: HttpRequest) -> Response:
        """Send the document, or what was recorded, as a file."""
        if not self.gate.knows_token(request.query_params.get("token")):
            return _refusal("the token is missing or wrong", 403)
        kind = request.query_params.get("as", "")

        def work() -> Response:
            try:
                file = self.desk.save(kind)
            except FootwayError as error:
                return _refusal(str(error), 400)
            except Exception as error:  # noqa: BLE001 - likewise
                return _refusal(broken(error), 500)
            headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
            if isinstance(file.content, bytes):
                return Response(file.content, media_type=file.kind, headers=headers)
            return OpenFile(file.content, kind=file.kind, headers=headers)

        answer: Response = await self._in_lane("drawing", work, _refusal("too much to do", 503))
        return answer

    # -- one watcher ---------------------------------------------------------------------------

    async def _watch(self, socket: WebSocket) -> None:
        """Talk with one browser until it leaves."""
        if not self._may_enter(socket):
            await socket.close(1008)
            return
        await socket.accept()
        if len(self.audience.all) >= MOST_WATCHERS:
            words = f"{MOST_WATCHERS} browsers are watching already; close one of them"
            await socket.send_text(refused(None, words, "busy"))
            await socket.close(1013)
            return
        watcher = Client()
        self.audience.join(watcher)
        sender = asyncio.create_task(_send(socket, watcher))
        try:
            await self._listen(socket, watcher)
        finally:
            self.audience.all.discard(watcher)
            watcher.leave()
            sender.cancel()
            with suppress(asyncio.CancelledError):
                await sender
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.close()

    def _may_enter(self, socket: WebSocket) -> bool:
        headers, gate = socket.headers, self.gate
        return (
            len(headers.getlist("host")) == 1
            and gate.knows_host(headers.get("host"))
            and gate.knows_origin(headers.get("origin"), headers.get("host"))
            and gate.knows_token(socket.query_params.get("token"))
        )

    async def _listen(self, socket: WebSocket, watcher: Client) -> None:
        """Take what a watcher asks, until it leaves; nobody works on what it asked then."""
        tasks = set[asyncio.Task[None]]()
        try:
            async for text in _messages(socket, watcher):
                task = asyncio.create_task(self._answer(text, watcher))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
        finally:
            for task in tasks:
                task.cancel()

    async def _answer(self, text: str | bytes, watcher: Client) -> None:
        try:
            request = parsed(text)
        except BadInput as error:
            watcher.put(refused(number_of(text), str(error), "bad-input"))
            return
        if watcher.asked >= _UNANSWERED:
            watcher.put(refused(request.n, "too many asks at once; wait for answers", "busy"))
            return
        watcher.asked += 1
        try:
            watcher.put(await self.ask(request, watcher))
        finally:
            watcher.asked -= 1

    async def ask(self, request: Request, watcher: Client) -> Message:
        """Return the answer of the desk, given in the thread for its kind.

        Of the paths that wait for one watcher only the newest is found: who drags a start or a
        radius wants to see the last of them.
        """
        busy = refused(request.n, "the server is busy with others like this; ask again", "busy")
        is_path, number = request.ask == "path", watcher.path + 1

        def work() -> Message:
            if is_path and watcher.path > number:
                return refused(request.n, "a newer ask took its place", "dropped")
            return self.desk.answer(request)

        future = self._lanes[lane_of(request)].do(work)
        if future is None:
            return busy  # and those before it are still wanted
        if is_path:
            watcher.path = number
        answer: Message = await asyncio.wrap_future(future)
        return answer

    async def _in_lane(self, lane: str, work: Callable[[], Any], refusal: Any) -> Any:
        future = self._lanes[lane].do(work)
        return refusal if future is None else await asyncio.wrap_future(future)


def _refusal(words: str, code: int) -> Response:
    return JSONResponse({"error": " ".join(words.split())}, status_code=code)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput(f"the scale is {text[:40]!r}; give metres per pixel or unit") from None


async def _body(request: HttpRequest) -> bytes:
    """Return what was sent, unless it is too much."""
    too_much = BadInput(f"the file has more than {MOST_UPLOAD // 1_000_000} MB; cut out a part")
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > MOST_UPLOAD:
        raise too_much
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > MOST_UPLOAD:
                raise too_much
            parts.append(part)
    except ClientDisconnect:
        raise BadInput("the file broke off; send it again") from None
    return b"".join(parts)


async def _disconnect(request: HttpRequest) -> None:
    """Wait until a browser that has sent everything goes away."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _messages(socket: WebSocket, watcher: Client) -> AsyncIterator[str | bytes]:
    """Messages of a watcher, as long as it is there; those that are too many are refused."""
    rate, scolded = Rate(), 0
    patience: float | None = _HELLO  # the page asks at once, and then may be silent for ever
    while not watcher.is_gone and scolded <= _SCOLDED:
        try:
            async with asyncio.timeout(patience):
                text = await _next_message(socket, watcher)
        except (WebSocketDisconnect, TimeoutError):
            return
        patience = None
        if text is None:
            continue
        if rate.allows():
            yield text
        else:
            scolded += 1
            watcher.put(refused(number_of(text), "too many messages; slow down", "busy"))


async def _next_message(socket: WebSocket, watcher: Client) -> str | bytes | None:
    """Return the next message; None where it was refused."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect
    text: str | bytes | None = message.get("text")
    if text is None:
        watcher.put(refused(None, "not text; asks are JSON", "bad-input"))
        return None
    if len(text) > MOST_TEXT:
        watcher.put(refused(None, f"a message has at most {MOST_TEXT:,} bytes", "bad-input"))
        return None
    return text


async def _send(socket: WebSocket, watcher: Client) -> None:
    """Send what waits for a watcher, as fast as it reads."""
    with suppress(OSError, RuntimeError, WebSocketDisconnect, TimeoutError):
        while (message := await watcher.next()) is not None:
            async with asyncio.timeout(_PATIENCE):
                if isinstance(message, str):
                    await socket.send_text(message)
                else:
                    await socket.send_bytes(message)
    watcher.leave()
    with suppress(OSError, RuntimeError, WebSocketDisconnect):
        await socket.close(1008)


# -- starting and ending -----------------------------------------------------------------------


def bind(host: str, port: int, *, exact: bool) -> sockets.socket:
    """Return a socket that listens on a port, or on the next free one where it need not be exact.

    Raises:
        BadInput: the host is not one of this machine's, or there is no free port.

    """
    ports = [port] if exact or port == 0 else range(port, min(port + _PORTS, 65536))
    family = sockets.AF_INET6 if ":" in host else sockets.AF_INET
    problem = "no port is free"
    for one in ports:
        made = sockets.socket(family, sockets.SOCK_STREAM)
        try:
            made.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
            made.bind((host, one))
            made.listen(128)
        except OSError as error:
            made.close()
            problem = error.strerror or str(error)
        else:
            return made
    raise BadInput(f"cannot listen on {host}:{port}: {problem}; give another --port or --host")


class Server(uvicorn.Server):
    """A server that ends when it is told to, whatever its threads and processes are doing.

    The first Ctrl-C or SIGTERM ends it in order; after a few seconds, or at the second one, it is
    ended without waiting for anything.
    """

    def __init__(self, config: uvicorn.Config, studio: Studio) -> None:
        super().__init__(config)
        self._studio = studio
        self.last_resort: threading.Timer | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end, or end at once."""
        if self.should_exit:
            self.give_up(sig)
        super().handle_exit(sig, frame)
        self.last_resort = threading.Timer(_ENDING, self.give_up, (sig,))
        self.last_resort.daemon = True
        self.last_resort.start()

    def give_up(self, sig: int) -> NoReturn:
        """End the process, and those that load files, now."""
        with suppress(Exception):
            self._studio.loader.close()
        with suppress(Exception):
            take = self._studio.desk.live.take
            if take is not None:
                take.remove_file()
        with suppress(Exception):
            print("footway: studio ended without waiting", file=sys.stderr, flush=True)  # noqa: T201
        os._exit(128 + sig)


def server_of(studio: Studio) -> Server:
    """Return a server that prints nothing; `run` serves until Ctrl-C, SIGTERM or `should_exit`."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "websockets"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [logging.NullHandler()], False
    config = uvicorn.Config(
        studio.app,
        http=Connection,
        ws=SocketConnection,
        ws_max_size=MOST_SOCKET,
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
    server = server_of(studio)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    if not studio.has_stopped:
        server.give_up(signal.SIGINT)  # the interpreter might wait for what has not stopped
    if server.last_resort is not None:
        server.last_resort.cancel()
