"""`footway studio` in its own process, and a real server seen from outside."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager, suppress

import httpx
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

import footway as fw
from footway.cli import main
from footway.studio.documents import open_built_in
from footway.studio.files.saving import as_geojson
from footway.studio.protocol.wire import unpacked
from footway.studio.web import server
from footway.studio.web.access import MAX_CLIENTS, MAX_TEXT, MAX_UPLOAD, Access
from tests.unit.studio.serving import InThisProcess, Page, serving, wait_until

COMMAND = [sys.executable, "-m", "footway", "studio"]


@contextmanager
def running(*arguments):
    """Start the command; yield the process and its access once it listens."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        found = re.search(r"http://([^:]+):(\d+)/(?:\?token=(\S+))?", line)
        assert found, line + process.stderr.read()
        yield process, Access(found[1], int(found[2]), found[3])
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=300)


def get(access, path="/", **headers):
    address = f"http://127.0.0.1:{access.port}{path}"
    return httpx.get(address, headers=headers, trust_env=False, timeout=300)


def upload(access, name, content, **headers):
    address = f"http://127.0.0.1:{access.port}"
    return httpx.post(
        f"{address}/upload",
        params={"name": name} | ({"token": access.token} if access.token else {}),
        content=content,
        headers={"Origin": address} | headers,
        trust_env=False,
        timeout=300,
    )


# -- the command -------------------------------------------------------------------------------


def test_it_starts_prints_its_address_and_ends_at_ctrl_c():
    with running("gallery:field", "--port", 0) as (process, access):
        with Page(access) as page:
            assert page.request("hello")[0]["ok"]["document"]["name"] == "gallery:field"
            page.request("population", do="add", count=10)
            page.request("crowd", do="start")
            page.until(lambda header: header.get("facts", {}).get("step", 0) > 1)
            process.send_signal(signal.SIGINT)  # the first step loads kernels, which takes long
            out, err = process.communicate(timeout=300)
        assert process.returncode == 0
        assert "Traceback" not in out + err
        assert err.splitlines() in ([], ["footway: studio ended"]) or err.endswith("studio ended\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.geojson"], "missing.geojson: does not exist"),
        (["gallery:nowhere"], "no map 'nowhere'"),
        (["gallery:house"], "--between"),
        (["missing.parquet"], "missing.parquet"),
        (["gallery:field", "--host", "203.0.113.7"], "cannot listen"),
        (["gallery:field", "--port", "70000"], "--port"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments, words, capsys):
    assert main(["studio", *arguments, "--no-browser"]) == 2
    done = capsys.readouterr()
    assert done.out == ""
    lines = [line for line in done.err.splitlines() if "compiling" not in line]
    assert len(lines) == 1
    assert words in lines[0]


def test_a_busy_port_is_an_error_if_it_was_given(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["studio", "gallery:field", "--no-browser", "--port", str(port)]) == 2
    assert f"cannot listen on 127.0.0.1:{port}" in capsys.readouterr().err


def test_the_next_free_port_is_used_if_none_was_given():
    with running("gallery:field") as (_, first), running("gallery:field") as (_, second):
        assert first.port != second.port
        assert get(second).status_code in (200, 503)


def test_another_host_needs_the_token():
    with running("gallery:field", "--host", "0.0.0.0", "--port", 0) as (_, access):
        assert access.token
        assert len(access.token) > 20
        with pytest.raises(InvalidStatus):
            Page(Access("127.0.0.1", access.port))
        with pytest.raises(InvalidStatus):
            Page(Access("127.0.0.1", access.port, "wrong"))
        assert get(access, "/save?as=geojson").status_code == 403
        assert get(access, f"/save?as=geojson&token={access.token}").status_code == 200
        assert upload(Access("x", access.port), "a.wkt", b"").status_code == 403
        with Page(Access("127.0.0.1", access.port, access.token)) as page:
            assert "ok" in page.request("hello")[0]


# -- access ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def studio():
    with serving(open_built_in("gallery:field"), loader=InThisProcess()) as made:
        yield made


def test_headers_let_the_page_load_nothing_from_elsewhere(studio):
    for path in ("/", "/nothing", "/assets/nothing.js", "/save?as=geojson"):
        headers = get(studio.access, path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    assert get(studio.access).headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path", ["/../server.py", "/%2e%2e/server.py", "/..%2fserver.py", "//etc/passwd"]
)
def test_no_file_outside_of_the_page(studio, path):
    with socket.create_connection(("127.0.0.1", studio.access.port)) as raw:
        host = f"127.0.0.1:{studio.access.port}"
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    assert b" 404 " in answer.splitlines()[0]


def test_other_names_of_this_machine_are_refused(studio):
    assert get(studio.access, Host="evil.example").status_code == 400
    assert get(studio.access, Host=f"evil.example:{studio.access.port}").status_code == 400
    with pytest.raises(InvalidStatus):
        Page(studio.access, additional_headers={"Host": f"evil.example:{studio.access.port}"})


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1"])
def test_other_pages_are_refused(studio, origin):
    with pytest.raises(InvalidStatus):
        Page(studio.access, origin=origin)
    if origin is not None:
        assert upload(studio.access, "a.geojson", b"{}", Origin=origin).status_code == 403


def test_the_number_of_clients_is_limited(studio):
    pages = [Page(studio.access) for _ in range(MAX_CLIENTS)]
    try:
        one_more = Page(studio.access)
        assert one_more.until(lambda header: "error" in header)[0]["kind"] == "busy"
        with pytest.raises(ConnectionClosed):
            one_more.request("hello")
    finally:
        for page in pages:
            page.close()
    wait_until(lambda: not studio.clients.all)
    with Page(studio.access) as page:
        assert "ok" in page.request("hello")[0]


def test_too_many_messages_are_refused_and_then_close_the_socket(studio):
    with Page(studio.access) as flood, Page(studio.access) as other:
        with suppress(ConnectionClosed):
            for _ in range(5000):
                flood.send("hello")
        wait_until(lambda: len(studio.clients.all) == 1)
        assert "ok" in other.request("hello")[0]


def test_the_number_of_pending_requests_is_limited(studio, monkeypatch):
    """64 requests of one browser may wait for replies; one more is refused at once."""
    go, answer = threading.Event(), studio.session.answer
    monkeypatch.setattr(
        studio.session, "answer", lambda *call: answer(*call) if go.wait(300) else None
    )
    with Page(studio.access) as page:
        numbers = [page.send("hello") for _ in range(65)]
        try:
            refusal = page.until(lambda header: header.get("n") == numbers[-1])[0]
        finally:
            go.set()
        assert (refusal["kind"], refusal["error"]) == (
            "busy",
            "too many requests at once; wait for answers",
        )
        assert all("ok" in page.answer(n)[0] for n in numbers[:-1])


def test_a_message_that_is_too_long_is_refused(studio):
    with Page(studio.access) as page:
        for size, words in ((MAX_TEXT, "JSON"), (MAX_TEXT + 1, "more than 1,000,000 bytes")):
            page.socket.send("x" * size)
            header = page.until(lambda header: "error" in header)[0]
            assert header["kind"] == "bad-input"
            assert words in header["error"]
        assert "ok" in page.request("hello")[0]


def test_a_message_that_is_much_too_long_closes_the_socket(studio):
    with Page(studio.access) as page:
        with suppress(ConnectionClosed):
            page.socket.send("x" * 5_000_000)
        with pytest.raises(ConnectionClosed):
            page.until(lambda header: "n" in header)
    with Page(studio.access) as page:
        assert "ok" in page.request("hello")[0]


# -- files -------------------------------------------------------------------------------------


def test_upload_and_save(studio):
    content = as_geojson(open_built_in("gallery:office")).content
    with Page(studio.access) as page:
        page.request("hello")  # a client that is silent at first is closed
        answer = upload(studio.access, "my office.geojson", content)
        assert answer.status_code == 200
        assert answer.json()["ok"]["name"] == "my office.geojson"
        assert page.event("document")[0]["facts"]["name"] == "my office.geojson"
        saved = get(studio.access, "/save?as=geojson")
        assert 'filename="my-office.geojson"' in saved.headers["content-disposition"]
        assert json.loads(saved.content)["features"]
        refusal = upload(studio.access, "broken.geojson", b"{")
        assert refusal.status_code == 400
        assert refusal.json()["error"].startswith("broken.geojson: ")
        assert page.request("hello")[0]["ok"]["document"]["name"] == "my office.geojson"


def test_successive_uploads_are_not_limited(studio):
    answers = [upload(studio.access, "a.exe", b"") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [400] * 6


def test_too_large_an_upload_is_refused_before_it_is_read(studio):
    address = f"http://127.0.0.1:{studio.access.port}"
    with socket.create_connection(("127.0.0.1", studio.access.port)) as raw:
        raw.sendall(
            f"POST /upload?name=a.geojson HTTP/1.1\r\nHost: {address[7:]}\r\nOrigin: {address}\r\n"
            f"Content-Length: {MAX_UPLOAD + 1}\r\n\r\n".encode()
        )
        assert b" 400 " in raw.recv(65536)
    with Page(studio.access) as page:
        assert "ok" in page.request("hello")[0]


def test_a_chunked_upload_has_the_same_limit(studio, monkeypatch):
    """A valid file of the maximum size is opened; one byte more is refused."""
    most = 1_000_000
    monkeypatch.setattr(server, "MAX_UPLOAD", most)
    content = as_geojson(open_built_in("gallery:field")).content
    whole = content + b" " * (most - len(content))

    def pieces(content):
        for k in range(0, len(content), 100_000):
            yield content[k : k + 100_000]

    assert upload(studio.access, "good.geojson", pieces(whole)).status_code == 200
    refused = upload(studio.access, "good.geojson", pieces(whole + b" "))
    assert refused.status_code == 400
    assert refused.json()["error"] == "the file has more than 1 MB; cut out a part"


def test_a_recording_is_uploaded_and_replayed(studio, tmp_path):
    crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
    crowd.add(10)
    recording = crowd.run(seconds=2, to=tmp_path / "run.parquet")
    with Page(studio.access) as page:
        answer = upload(studio.access, "run.parquet", (tmp_path / "run.parquet").read_bytes())
        assert answer.json()["ok"]["what"] == "recording"
        header, arrays = page.request("replay")
        assert header["ok"]["frames"] == recording.n_frames
        assert (arrays["present"] == 10).all()
        _, arrays = page.request("replay", frame=7)
        np.testing.assert_allclose(arrays["at"], recording.frame(7).positions, atol=1e-4)
        page.request("open", name="gallery:field")


# -- the crowd ---------------------------------------------------------------------------------


def test_the_crowd_is_recorded_and_sent(studio, tmp_path):
    with Page(studio.access) as page:
        page.request("open", name="gallery:field")
        page.request("population", do="add", count=30)
        page.request("crowd", do="record")
        assert get(studio.access, "/save?as=live-recording").status_code == 400
        for _ in range(5):
            page.request("crowd", do="step")
        page.request("crowd", do="stop-record")
        assert get(studio.access, "/save?as=recording").status_code == 400
        answer = get(studio.access, "/save?as=live-recording")
        assert answer.status_code == 200
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert 'filename="field.parquet"' in answer.headers["content-disposition"]
        (tmp_path / "run.parquet").write_bytes(answer.content)
        assert fw.Recording.load(tmp_path / "run.parquet").n_frames == 6
        facts = upload(studio.access, "run.parquet", answer.content).json()["ok"]
        assert facts["what"] == "recording"
        assert page.request("replay")[0]["ok"]["frames"] == 6


def test_a_recording_may_start_while_another_is_sent(studio, monkeypatch, tmp_path):
    with Page(studio.access) as page:
        page.request("open", name="gallery:field")
        page.request("crowd", do="record")
        page.request("crowd", do="stop-record")
        save = studio.session.save

        def save_and_record(kind):
            made = save(kind)
            studio.session.crowd_thread.between_steps(studio.session.crowd_thread.record)
            return made

        monkeypatch.setattr(studio.session, "save", save_and_record)
        answer = get(studio.access, "/save?as=live-recording")
        assert answer.status_code == 200
        (tmp_path / "run.parquet").write_bytes(answer.content)
        assert fw.Recording.load(tmp_path / "run.parquet").n_frames == 1


@contextmanager
def held(studio, most=None):
    """Block the queue for paths meanwhile, and limit it to `most`."""
    queue, go = studio.queues["path"], threading.Event()
    before, queue.capacity = queue.capacity, most or queue.capacity
    asyncio.run_coroutine_threadsafe(queue.run(go.wait), studio.clients._loop)
    wait_until(lambda: queue.count == 1)
    try:
        yield
    finally:
        go.set()
        queue.capacity = before


def request_paths(page, count):
    return [page.send("path", start=[3, 3], goal=[44, 40 + 0.1 * k]) for k in range(count)]


def test_only_the_newest_waiting_path_is_computed(studio):
    with Page(studio.access) as page:
        page.request("open", name="gallery:field")
        with held(studio):
            numbers = request_paths(page, 30)
            wait_until(lambda: [one.path for one in studio.clients.all] == [30])
        answers = [page.answer(n)[0] for n in numbers]
        assert [answer.get("kind") for answer in answers] == [*29 * ["dropped"], None]
        assert answers[-1]["ok"]["length"] > 50.0


def test_a_refused_path_does_not_replace_others(studio):
    with Page(studio.access) as page:
        page.request("open", name="gallery:field")
        with held(studio, most=3):
            *numbers, refused = request_paths(page, 3)
            assert page.answer(refused)[0]["kind"] == "busy"
        answers = [page.answer(n)[0] for n in numbers]
        assert [answer.get("kind") for answer in answers] == ["dropped", None]


def test_ten_thousand_characters_take_at_most_40_bytes_each():
    with serving(open_built_in("gallery:city")) as studio, Page(studio.access) as page:
        assert page.request("population", do="add", count=10_000)[0]["ok"]["characters"] == 10_000
        page.request("crowd", do="start")
        sizes, steps = [], set()
        while len(steps) < 5:
            message = page.socket.recv(timeout=300)
            header, arrays = unpacked(message)
            if header.get("event") == "frame" and len(arrays["id"]) == 10_000:
                sizes.append(len(message))
                steps.add(header["facts"]["step"])
        assert max(sizes) <= 40 * 10_000
        assert max(sizes) <= 20 * 10_000  # 19 and a header


def test_a_browser_that_never_reads_slows_nobody():
    with serving(open_built_in("gallery:city")) as studio:
        crowd_thread = studio.session.crowd_thread
        with Page(studio.access) as page:
            page.request("population", do="add", count=5000)
            page.request("crowd", do="step")
        with socket.create_connection(("127.0.0.1", studio.access.port)) as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            host = f"127.0.0.1:{studio.access.port}"
            deaf.sendall(
                f"GET /ws HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
            )
            wait_until(lambda: len(studio.clients.all) == 1)
            with Page(studio.access) as page:
                page.request("crowd", do="start", speed=2)
                seen = set()
                while len(seen) < 20:
                    seen.add(page.event("frame")[0]["facts"]["step"])
                deafest = max(studio.clients.all, key=lambda w: w._frame is not None)
                assert len(deafest._waiting) < 100  # events wait, frames do not
        wait_until(lambda: not studio.clients.all)
        then = crowd_thread.crowd.steps
        wait_until(lambda: crowd_thread.crowd.steps > then + 5)


def test_two_browsers_watch_the_same_run(studio):
    with Page(studio.access) as one, Page(studio.access) as two:
        one.request("open", name="gallery:field")
        one.request("population", do="add", count=30)
        assert two.event("document")[0]["facts"]["name"] == "gallery:field"
        two.request("crowd", do="start", speed=4)
        frames = []
        for page in (one, two):
            found = {}
            while len(found) < 30:
                header, arrays = page.event("frame")
                found[header["facts"]["step"]] = arrays["at"]
            frames.append(found)
        common = frames[0].keys() & frames[1].keys()
        assert len(common) > 3
        for step in common:
            np.testing.assert_array_equal(frames[0][step], frames[1][step])
        assert not two.request("crowd", do="pause")[0]["ok"]["running"]
        assert one.request("hello")[0]["ok"]["crowd"]["running"] is False


def test_a_vanished_browser_leaves_nothing_behind(studio):
    page = Page(studio.access)
    page.request("crowd", do="start")
    page.socket.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    page.socket.socket.close()  # a reset, without a closing handshake
    wait_until(lambda: not studio.clients.all)
    with Page(studio.access) as other:
        assert "ok" in other.request("crowd", do="pause")[0]


def test_a_slow_roadmap_does_not_delay_others():
    with serving(open_built_in("gallery:office")) as studio, Page(studio.access) as page:
        numbers = [page.send("layer", name="roadmap", method="rrm", resolution=0.25 + 0.01 * k)
                 for k in range(6)]  # fmt: skip
        assert "ok" in page.request("hello")[0]
        assert "ok" in page.request("layer", name="axis")[0]
        page.request("open", name="gallery:field")  # ends them
        answers = [answer_of(page, n) for n in numbers]
        assert "busy" in {answer.get("kind") for answer in answers}  # no more than four wait
        done = [answer for answer in answers if answer.get("kind") != "busy"]
        assert all("ok" in answer or "changed" in answer["error"] for answer in done)


def answer_of(page, n):
    """Return the header of a reply that may have arrived already."""
    come = [header for header, _ in page.events if header.get("n") == n]
    return come[0] if come else page.answer(n)[0]


def test_a_reply_may_be_followed_by_the_next_request_at_once():
    with serving(open_built_in("gallery:field")) as studio, Page(studio.access) as page:
        for k in range(12):
            header, _ = page.request(
                "layer", name="roadmap", method="grid", resolution=2.0 + 0.1 * k
            )
            assert "ok" in header, header


def test_requests_of_a_vanished_browser_are_dropped():
    with serving(open_built_in("gallery:office")) as studio:
        with Page(studio.access) as page:
            for k in range(4):
                page.send("layer", name="roadmap", method="rrm", resolution=0.2 + 0.01 * k)
            wait_until(lambda: studio.queues["slow layers"].count == 4)
        wait_until(lambda: studio.queues["slow layers"].count <= 1)
        with Page(studio.access) as page:
            page.request("open", name="gallery:field")


def test_concurrent_uploads_are_limited(studio):
    address = f"127.0.0.1:{studio.access.port}"
    head = (
        f"POST /upload?name=a.wkt HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n"
        "Content-Length: 1000\r\n\r\n"
    )
    with ExitStack() as stack:
        for _ in range(4):
            slow = stack.enter_context(socket.create_connection(("127.0.0.1", studio.access.port)))
            slow.sendall(head.encode())
        wait_until(lambda: studio.uploads == 4)
        assert upload(studio.access, "a.wkt", b"x").status_code == 503
    wait_until(lambda: studio.uploads == 0)
    assert upload(studio.access, "a.wkt", b"x").status_code == 400
