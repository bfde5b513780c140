"""Whatever a browser sends, the server answers, and the crowd goes on."""

from __future__ import annotations

import json
import struct
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from footway.errors import BadInput
from footway.studio.documents import open_built_in
from footway.studio.files.loading import open_upload
from footway.studio.protocol import requests
from tests.effort import examples
from tests.unit.studio.protocol.test_requests import GOOD
from tests.unit.studio.serving import InThisProcess, Page, serving

ASKS = [
    "hello", "open", "ground", "layer", "path", "crowd", "population", "character", "obstacle",
    "walk", "edit", "replay", "trails",
]  # fmt: skip
KEYS = sorted({name for model in requests.Request.__subclasses__() for name in model.model_fields})
WORDS = [
    "add", "remove", "change", "move", "delete", "undo", "redo", "start", "step", "pause", "status",
    "record", "stop-record",
    "axis", "obstacle", "area", "terrain", "short", "cmm", "miran", "irm", "wander", "goals", "mud",
    "gallery:field", "gallery:../x", "demo:", "spawn", "", "\x00", "é", "ﷺ" * 40,
]  # fmt: skip

numbers = st.one_of(
    st.integers(-5, 60),
    st.integers(),
    st.floats(0, 50),
    st.floats(),
    st.sampled_from([0.25, 1e308, -1e308, 5e-324, 2**53, 1e7, -1e7]),
)
plain = st.one_of(st.none(), st.booleans(), numbers, st.sampled_from(WORDS), st.text(max_size=8))
points = st.lists(st.floats(-10, 60), min_size=2, max_size=2)
values = st.one_of(
    plain,
    points,
    st.lists(points, max_size=8),
    st.recursive(plain, lambda inner: st.lists(inner, max_size=4), max_leaves=8),
    st.dictionaries(st.sampled_from(WORDS), numbers, max_size=3),
)


@st.composite
def numbers(draw: Any) -> str:
    """An request with keys and values of numbers, in any mixture."""
    message = json.loads(draw(st.sampled_from(GOOD)))
    if draw(st.booleans()):
        message["type"] = draw(st.sampled_from(ASKS))
    keys = st.one_of(st.sampled_from(KEYS), st.text(max_size=4))
    message |= draw(st.dictionaries(keys, values, max_size=4))
    if message.get("type") == "open":
        message["name"] = draw(st.sampled_from(["gallery:field", "gallery:nowhere", "x", 3]))
    if message.get("type") == "layer":
        message["name"] = "axis"  # roadmaps take their time
    if isinstance(message.get("count"), int):
        message["count"] = min(message["count"], 50)
    return json.dumps(message)


@st.composite
def damaged(draw: Any) -> str:
    """An request with letters cut out and put in."""
    text = draw(numbers())
    for _ in range(draw(st.integers(1, 3))):
        at, cut = draw(st.integers(0, len(text))), draw(st.integers(0, 9))
        piece = draw(st.one_of(st.sampled_from(["{", "]", '"', ",", "NaN", "1e999"]), st.text()))
        text = text[:at] + piece + text[at + cut :]
    return text


@pytest.fixture(scope="module")
def studio():
    with serving(open_built_in("gallery:field")) as made:
        yield made


@pytest.fixture(scope="module")
def page(studio):
    with Page(studio.access) as made:
        yield made


def is_alive(studio, page) -> None:
    """The server answers others, and the crowd walks."""
    header, _ = page.request("crowd", do="start", speed=16)
    assert header["ok"]["running"], header
    assert studio.session.crowd_thread.fault is None
    before = studio.session.crowd_thread.crowd.steps
    header, _ = page.request("crowd", do="step")
    assert header["ok"]["time"] > 0 or before == 0


def survives(studio, page, text: str | bytes) -> None:
    """Send a message; there is one answer, of one line where it is a refusal."""
    page.socket.send(text)
    header, _ = page.until(lambda header: "event" not in header)
    page.events.clear()
    if "error" in header:
        assert header["kind"] in ("bad-input", "no-path", "busy"), header
        assert "\n" not in header["error"]
        assert len(header["error"]) < 1000
    else:
        assert "ok" in header


@examples(250)
@given(numbers())
@example('{"n":1,"type":"edit","do":"add","polygon":[[0,0],[0,0],[0,0]]}')
@example('{"n":1,"type":"edit","do":"add","polygon":[[-1e7,-1e7],[1e7,-1e7],[1e7,1e7],[-1e7,1e7]]}')
@example('{"n":1,"type":"edit","do":"add","what":"walkable","polygon":[[-1e7,0],[1e7,0],[0,1e7]]}')
@example('{"n":1,"type":"edit","do":"add","what":"area","name":"a","polygon":[[9,9],[9,9],[8,8]]}')
@example('{"n":1,"type":"population","do":"add","count":50,"radius":5.0}')
@example('{"n":1,"type":"population","do":"add","count":3,"radius":1e-300,"speed":1e-300}')
@example('{"n":1,"type":"obstacle","do":"add","at":[20,20],"radius":100}')
@example('{"n":1,"type":"obstacle","do":"add","at":[1e7,-1e7],"radius":1e-300,"velocity":[20,20]}')
@example('{"n":1,"type":"walk","start":[20,20],"stops":[[20,20.0001]],"radius":1e-300}')
@example('{"n":1,"type":"path","start":[5,5],"goal":[5,5],"method":"miran"}')
@example('{"n":1,"type":"path","start":[5,5],"goal":[40,40],"method":"cmm","speed":1e-300}')
@example('{"n":1,"type":"path","start":[5,5],"goal":[40,40],"method":"irm","speed":1e-300}')
@example('{"n":1,"type":"path","start":[5,5],"goal":[40,40],"radius":1e-300,"method":"miran"}')
def test_asks_of_all_kinds(studio, page, text):
    survives(studio, page, text)
    is_alive(studio, page)


@examples(200)
@given(damaged())
@example("[" * 100_000)
@example('{"n":' + "9" * 5000 + ',"type":"hello"}')
@example('{"n":1,"type":"' + "x" * 900_000 + '"}')
@example(" " * 1_500_000)
def test_damaged_messages(studio, page, text):
    survives(studio, page, text)


@examples(50)
@given(st.binary(max_size=200))
@example(b"")
@example(bytes(1_500_000))
def test_binary_messages(studio, page, content):
    survives(studio, page, content)


@examples(40)
@given(st.binary(max_size=120))
def test_broken_frames_of_the_socket_itself(studio, content):
    """Raw bytes where a WebSocket frame should be: that browser is gone, others are not."""
    with Page(studio.access) as one:
        raw = one.socket.socket
        raw.sendall(struct.pack("BB", 0x81, 0xFF) + content)
    with Page(studio.access) as other:
        assert "ok" in other.request("hello")[0]


@examples(60)
@given(
    st.sampled_from(["a.geojson", "a.wkt", "a.map", "a.toml", "a.png", "a.parquet", "a.fwmap"]),
    st.one_of(
        st.binary(max_size=300),
        st.sampled_from(
            [b"\x89PNG\r\n\x1a\n", b"PAR1", b"PK\x03\x04", b"type octile\n", b"{"]
        ).flatmap(lambda start: st.binary(max_size=100).map(lambda rest: start + rest)),
    ),
)
def test_uploads_are_opened_or_refused_in_one_line(name, content):
    try:
        open_upload(name, content, InThisProcess())
    except BadInput as error:
        assert "\n" not in str(error)  # noqa: PT017


@examples(60)
@given(
    st.text(st.characters(codec="latin-1", exclude_characters="\r\n\x00"), max_size=40),
    st.text(max_size=20),
)
def test_uploads_over_http(studio, name, token):
    address = f"http://127.0.0.1:{studio.access.port}"
    answer = httpx.post(
        f"{address}/upload",
        params={"name": name, "token": token},
        content=b"{",
        headers={"Origin": address},
        trust_env=False,
    )
    assert answer.status_code == 400
    assert "\n" not in answer.json()["error"]
