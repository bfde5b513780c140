"""Attacks on the studio: bad files, half-sent requests, and signals."""

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from footway.studio.documents import open_built_in
from footway.studio.files.loading import Limits, Loader
from footway.studio.files.saving import as_geojson
from footway.studio.web import connections, server
from footway.studio.web.access import Access
from tests.system.test_studio import get, upload
from tests.unit.studio.files.test_loading import is_running
from tests.unit.studio.hostile_process import COMMAND
from tests.unit.studio.serving import Page, serving, wait_until

FIELD = as_geojson(open_built_in("gallery:field")).content


@contextlib.contextmanager
def running(*arguments, **environment):
    """Start a hostile studio; yield the process and its access once it listens."""
    process = start(*arguments, **environment)
    try:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line + process.stderr.read()
        yield process, Access("127.0.0.1", int(found[1]), None)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=300)


def start(*arguments, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.system.hostile_studio", *map(str, arguments)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# -- files -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def studio():
    """A studio with harmful files (by name)."""
    loader = Loader(Limits(seconds=300.0, megabytes=500.0), ahead=False, command=COMMAND)
    with serving(open_built_in("gallery:field"), loader=loader) as made:
        yield made


def test_others_are_answered_while_a_file_takes_for_ever(studio):
    messages = []
    sender = threading.Thread(
        target=lambda: messages.append(upload(studio.access, "hold.geojson", FIELD).json())
    )
    with Page(studio.access) as page:
        sender.start()
        wait_until(lambda: studio.loader._all)
        assert "ok" in page.request("hello")[0]
        assert "ok" in page.request("path", start=[3, 3], goal=[44, 40])[0]
        box = [[20, 20], [21, 20], [21, 21], [20, 21]]
        assert "ok" in page.request("edit", do="add", what="obstacle", polygon=box)[0]
        assert "ok" in page.request("open", name="gallery:field")[0]
        assert get(studio.access, "/save?as=geojson").status_code == 200
        assert sender.is_alive()
        (loading,) = studio.loader._all
        loading.end()  # on a busy machine perhaps before it has begun to load
        sender.join(timeout=300)
    assert messages[0]["error"].startswith("hold.geojson: the process that loads ")


@pytest.mark.parametrize("name", ["crash", "fill", "fault"])
def test_a_bad_file_is_refused_in_one_line_and_changes_nothing(studio, name):
    with Page(studio.access) as page:
        before = page.request("hello")[0]["ok"]["document"]["version"]
        answer = upload(studio.access, f"{name}.geojson", FIELD)
        assert answer.status_code == 400
        assert answer.json()["error"].startswith(f"{name}.geojson: ")
        assert page.request("hello")[0]["ok"]["document"]["version"] == before


def test_loading_is_cancelled_if_the_browser_disconnects():
    loader = Loader(Limits(seconds=3000.0), ahead=False, command=COMMAND)
    with serving(open_built_in("gallery:field"), loader=loader) as studio:
        with send_half(studio.access, "hold.geojson", FIELD):
            wait_until(lambda: loader._all)
        wait_until(lambda: not loader._all and studio.uploads == 0, seconds=150.0)
        assert upload(studio.access, "good.geojson", FIELD).status_code == 200


def test_a_file_at_the_start_is_stopped_with_a_message(tmp_path):
    file = tmp_path / "hold.geojson"
    file.write_bytes(FIELD)
    process = start(file, "--load-seconds", 1)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 2
    assert out == ""
    assert err == (
        f"footway: {file}: took more than 1 s to load and was stopped; cut out a part, or start "
        "`footway studio --load-seconds 2`\n"
    )
    assert not is_running(int(file.with_suffix(".pid").read_text()))


def test_ctrl_c_ends_the_loading_at_the_start(tmp_path):
    file = tmp_path / "hold.geojson"
    file.write_bytes(FIELD)
    process = start(file)
    wait_until(lambda: file.with_suffix(".pid").exists())
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert err == "footway: interrupted\n"
    wait_until(lambda: not is_running(int(file.with_suffix(".pid").read_text())))


def test_what_was_changed_last_is_done_after_the_browser_disconnects(studio):
    with Page(studio.access) as watching:
        with Page(studio.access) as page:
            n = page.request("obstacle", do="add", at=[20.0, 20.0], radius=0.5)[0]["ok"]["id"]
            page.send("population", do="add", count=500)  # the moves wait until it is done
            for k in range(30):
                page.send("obstacle", do="move", id=n, at=[20.0, 20.0 + 0.2 * (k + 1)])
        arrays = watching.until(lambda header: header.get("event") == "obstacles")[1]
        while abs(arrays["discs"].reshape(-1, 3)[-1, 1] - 26.0) > 1e-3:
            arrays = watching.event("obstacles")[1]
        watching.request("obstacle", do="remove", id=n)
        watching.request("crowd", do="reset")
        wait_until(lambda: not studio.answering)


# -- signals -----------------------------------------------------------------------------------


SLOW_INT = pytest.param(signal.SIGINT, marks=pytest.mark.slow)
SLOW_TERM = pytest.param(signal.SIGTERM, marks=pytest.mark.slow)


@pytest.mark.parametrize("which", [signal.SIGTERM, SLOW_INT])
def test_a_signal_ends_the_server_while_a_file_is_loaded(tmp_path, which):
    (tmp_path / "good.geojson").write_bytes(FIELD)
    (tmp_path / "temporary").mkdir()
    environment = {"TMPDIR": str(tmp_path / "temporary")}
    with running(tmp_path / "good.geojson", "--port", 0, **environment) as (process, access):
        left = {int((tmp_path / "good.pid").read_text())}
        raw = send_half(access, "hold.geojson", FIELD)
        with raw, Page(access) as page:
            wait_until(lambda: children(process.pid) - left)
            loading = children(process.pid)
            assert "ok" in page.request("hello")[0]
            process.send_signal(which)
            _, err = process.communicate(timeout=300)
        assert process.returncode in (0, -which, 128 + which)
        assert "Traceback" not in err
        wait_until(lambda: not any(map(is_running, loading)))
    assert list((tmp_path / "temporary").iterdir()) == []  # nothing is left


@pytest.mark.parametrize("which", [SLOW_TERM, signal.SIGINT])
def test_a_signal_ends_the_server_while_a_step_of_the_crowd_does_not_end(which):
    with running("stuck-crowd", "gallery:field", "--port", 0) as (process, access):
        with Page(access) as page:
            page.request("population", do="add", count=3)
            page.send("crowd", do="step")
            assert process.stderr.readline() == "stuck\n"
            assert "ok" in page.request("hello")[0]  # others are answered
            process.send_signal(which)
            process.communicate(timeout=300)
        assert process.returncode in (-which, 128 + which)


def test_a_second_signal_ends_the_server_at_once():
    with running("stuck-crowd", "gallery:field", "--port", 0) as (process, access):
        with Page(access) as page:
            page.send("crowd", do="step")
            assert process.stderr.readline() == "stuck\n"
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=300)
        assert process.returncode == 130
        assert err.endswith("studio ended without waiting\n")


def children(pid):
    """Processes that a process has started."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(one) for file in threads for one in file.read_text(encoding="ascii").split()}


def send_half(access, name, content):
    """Send a file, and do not wait for the answer."""
    raw = socket.create_connection(("127.0.0.1", access.port))
    host = f"127.0.0.1:{access.port}"
    raw.sendall(
        f"POST /upload?name={name} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
        f"Content-Length: {len(content)}\r\n\r\n".encode()
        + content
    )
    return raw


# -- requests that are not sent or read --------------------------------------------------------


@pytest.fixture
def hurried(monkeypatch):
    """Set all time limits for clients to two seconds, which a test needs on a busy machine."""
    for state in connections._ALLOWED:
        monkeypatch.setitem(connections._ALLOWED, state, 2.0)
    monkeypatch.setattr(server, "_FIRST_MESSAGE", 2.0)


def drips(raw, letter):
    """Send a letter ten times a second; return whether the server closes the connection."""
    for _ in range(300):
        try:
            raw.sendall(letter)
        except ConnectionError:
            return True
        time.sleep(0.1)
    return False


def test_three_hundred_half_sent_requests_lock_nobody_out(studio):
    host = f"127.0.0.1:{studio.access.port}"
    upload_head = f"POST /upload?name=a.wkt HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
    halves = (
        f"GET / HTTP/1.1\r\nHost: {host}\r\n",
        "",
        f"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\nx",
        f"{upload_head}Content-Length: 1000\r\n\r\nx",
    )
    with contextlib.ExitStack() as stack:
        for k in range(300):
            raw = socket.create_connection(("127.0.0.1", studio.access.port))
            stack.enter_context(raw)
            with contextlib.suppress(ConnectionError):
                raw.sendall(halves[k % 4].encode())
        assert get(studio.access, "/save?as=geojson").status_code == 200
        with Page(studio.access) as page:
            assert "ok" in page.request("hello")[0]
    wait_until(lambda: studio.uploads == 0)


def test_the_oldest_idle_connections_are_closed(studio):
    """More connections than the limit: the server answers others, and closes the oldest."""
    with contextlib.ExitStack() as stack:
        idle = [
            stack.enter_context(socket.create_connection(("127.0.0.1", studio.access.port)))
            for _ in range(300)
        ]
        assert get(studio.access, "/save?as=geojson").status_code == 200
        wait_until(lambda: len(select.select(idle, [], [], 0)[0]) >= 300 - connections.MAX_IDLE)
        closed = select.select(idle, [], [], 0)[0]
        assert set(closed) <= set(idle[: -connections.MAX_IDLE + 1])


def test_a_slow_head_is_refused(studio, hurried):
    with socket.create_connection(("127.0.0.1", studio.access.port)) as raw:
        assert drips(raw, b"G")


def test_a_slow_second_head_is_refused(studio, hurried):
    host = f"127.0.0.1:{studio.access.port}"
    with socket.create_connection(("127.0.0.1", studio.access.port)) as raw:
        raw.sendall(f"GET /nothing HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert b" 404 " in raw.recv(65536)
        assert drips(raw, b"G")


@pytest.mark.parametrize("path", ["/upload?name=a.wkt", "/nothing"])
def test_a_slow_body_is_refused(studio, hurried, path):
    host = f"127.0.0.1:{studio.access.port}"
    with socket.create_connection(("127.0.0.1", studio.access.port)) as raw:
        raw.sendall(
            f"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            "Content-Length: 1000000\r\n\r\n".encode()
        )
        assert drips(raw, b"x")
    wait_until(lambda: studio.uploads == 0)


def test_a_steady_body_is_accepted(studio, hurried):
    """Three seconds where two are allowed: each 20 kB add another second, 20 of them at once."""

    def steadily():
        yield b"x" * 400_000
        for _ in range(30):
            time.sleep(0.1)
            yield b"x"

    answer = upload(studio.access, "good.wkt", steadily())
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("good.wkt: ")


def test_a_socket_without_a_first_message_is_closed(studio, hurried):
    with Page(studio.access) as silent, pytest.raises(ConnectionClosed):
        silent.until(lambda _: False)
    wait_until(lambda: not studio.clients.all)


def test_a_socket_may_be_silent_after_its_first_message(studio, hurried):
    with Page(studio.access) as page:
        page.request("hello")
        time.sleep(3.0)
        assert "ok" in page.request("hello")[0]


def test_many_requests_on_one_connection(studio, hurried):
    with httpx.Client(trust_env=False) as client:
        for _ in range(8):
            answer = client.get(f"http://127.0.0.1:{studio.access.port}/save?as=geojson")
            assert answer.status_code == 200
            time.sleep(0.3)  # all of them take more than two seconds


# -- clients that do not read ------------------------------------------------------------------


@contextlib.contextmanager
def flooding():
    """A server that sends more than buffers hold; yield its port and connections."""
    import uvicorn

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            for _ in range(1000):
                await send({"type": "websocket.send", "bytes": bytes(100_000)})
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(1000):
            await send({"type": "http.response.body", "body": bytes(100_000), "more_body": True})

    config = uvicorn.Config(
        app, http=connections.Connection, ws=connections.SocketConnection, log_config=None,
        lifespan="off", timeout_graceful_shutdown=1,
    )  # fmt: skip
    made = uvicorn.Server(config)
    with server.bind("127.0.0.1", 0, exact=True) as listening:
        thread = threading.Thread(target=made.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        wait_until(lambda: made.started)
        try:
            yield listening.getsockname()[1], made.server_state.connections
        finally:
            made.should_exit = made.force_exit = True
            thread.join(timeout=300)


@pytest.mark.parametrize("upgrade", ["", "Upgrade: websocket\r\nConnection: Upgrade\r\n"])
def test_a_client_that_does_not_read_is_disconnected(monkeypatch, upgrade):
    monkeypatch.setitem(connections._ALLOWED, "stalled", 1.0)
    monkeypatch.setattr(connections, "READ_SECONDS", 1.0)
    with flooding() as (port, open_now), socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", port))
        deaf.sendall(
            f"GET / HTTP/1.1\r\nHost: x\r\n{upgrade}Sec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        assert select.select([deaf], [], [], 300)[0]
        wait_until(lambda: not open_now)


# -- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize("hosts", [("{}", "evil.example"), ("evil.example", "{}"), ("{}", "{}")])
def test_a_socket_with_two_names_is_refused(studio, hosts):
    """Both the HTTP server and the studio itself refuse it."""
    host = f"127.0.0.1:{studio.access.port}"
    names = [name.format(host) for name in hosts]
    lines = "".join(f"Host: {name}\r\n" for name in names)
    with socket.create_connection(("127.0.0.1", studio.access.port)) as raw:
        raw.sendall(
            f"GET /ws HTTP/1.1\r\n{lines}Origin: http://{host}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        assert re.match(rb"HTTP/1.1 4\d\d ", raw.recv(65536))
    assert entered(studio, [host])
    assert not entered(studio, names)


def entered(studio, names):
    """Return whether the studio accepts a socket with these Host headers."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    sent = []

    async def receive():
        if sent and sent[0]["type"] == "websocket.accept":
            return {"type": "websocket.disconnect", "code": 1000}
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    origin = f"http://127.0.0.1:{studio.access.port}"
    scope = {
        "type": "websocket",
        "path": "/ws",
        "query_string": b"",
        "headers": [(b"host", name.encode()) for name in names] + [(b"origin", origin.encode())],
    }
    with ThreadPoolExecutor(1) as pool:  # browser tests leave an event loop in the main thread
        pool.submit(asyncio.run, studio.app(scope, receive, send)).result()
    return sent[0]["type"] == "websocket.accept"
