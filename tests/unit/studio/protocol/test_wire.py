"""Envelopes, values that JSON cannot represent, and maps far from zero."""

import json
import struct

import numpy as np
import pytest
import shapely

import footway as fw
from footway.formats.geojson import save_geojson
from footway.studio import paths
from footway.studio.documents import open_built_in, open_document
from footway.studio.files.saving import as_geojson
from footway.studio.protocol.replies import Answer, Compiling, RefusalFacts, Walk
from footway.studio.protocol.requests import parse
from footway.studio.protocol.wire import (
    ZERO_ORIGIN,
    event,
    origin_of,
    packed,
    refused,
    reply,
    to_map,
    unpacked,
)
from footway.studio.replay import envelope
from footway.studio.session import Session
from tests.unit.studio.serving import wait_until

ARRAYS = {
    "f4": np.arange(6, dtype=np.float32).reshape(3, 2),
    "i4": np.array([1, -2, 3], np.int32),
    "u4": np.array([2**32 - 1], np.uint32),
    "u2": np.array([65535, 1, 2], np.uint16),
    "i2": np.array([[-32768, 5]], np.int16),
    "u1": np.array([255], np.uint8),
    "empty": np.empty((0, 2), np.float32),
}


def test_arrays_round_trip():
    header, arrays = unpacked(packed({"n": 1}, ARRAYS))
    assert header["n"] == 1
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)


def test_everything_is_aligned():
    message = packed({"n": 1, "ok": {"a": "é"}}, ARRAYS)
    (length,) = struct.unpack_from("<I", message)
    assert (4 + length) % 8 == 0
    for row in json.loads(message[4 : 4 + length])["arrays"]:
        assert row["at"] % 8 == 0


def test_doubles_and_long_integers_become_short():
    _, arrays = unpacked(
        packed({}, {"a": np.array([1.5]), "b": np.array([7]), "c": np.ones(2, bool)})
    )
    assert [arrays[name].dtype.str[1:] for name in "abc"] == ["f4", "i4", "u1"]


def test_an_array_that_cannot_be_sent():
    with pytest.raises(AssertionError, match="no array of"):
        packed({}, {"a": np.array(["x"])})


def test_without_arrays_it_is_text():
    walk = Walk(duration=np.float64(2.0), length=np.inf, arrivals=[1.0])
    answer = Answer(walk, {"camera": np.empty((0, 7))})
    header, _ = unpacked(reply(4, answer, version=2))
    assert header["ok"] == {"duration": 2.0, "length": None, "clearance": None, "arrivals": [1.0]}
    assert (header["n"], header["version"]) == (4, 2)
    assert event("compiling", Answer(Compiling(what=None)), version=3) == (
        '{"event":"compiling","version":3,"facts":{"what":null}}'
    )


def test_only_declared_arrays_of_the_declared_kind_are_sent():
    with pytest.raises(AssertionError, match="declares no"):
        Answer(Compiling(what=None), {"at": np.zeros((2, 2))})
    with pytest.raises(AssertionError, match="needs"):
        Answer(Walk(duration=0.0, length=0.0))
    with pytest.raises(AssertionError, match="camera is sent as i4"):
        Answer(Walk(duration=0.0, length=0.0), {"camera": np.zeros((2, 7), int)})


def test_a_refusal_is_one_line():
    assert json.loads(refused(None, "a\n  b", "busy", RefusalFacts(reason="x"))) == {
        "n": None, "error": "a b", "kind": "busy", "reason": "x",
    }  # fmt: skip


FAR = np.array([500_120.0, 5_000_250.0])


ZERO = np.array([500_000.0, 5_000_000.0])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A yard of 30 m with a house in the middle and mud, in national coordinates."""
    x, y = FAR

    def ring(x0, y0, x1, y1):
        return shapely.box(x + x0, y + y0, x + x1, y + y1)

    env = fw.Environment.from_polygons(
        ring(0, 0, 30, 20),
        obstacles=[ring(12, 6.125, 18, 14)],
        terrain=[("mud", ring(2, 2, 5, 5))],
    )
    path = tmp_path_factory.mktemp("far") / "yard.geojson"
    save_geojson(env, path)
    return path


@pytest.fixture(scope="module")
def session(file):
    frames = []
    made = Session(open_document(str(file)), send_frame=frames.append)
    made.frames = frames
    yield made
    made.end()


def send(session, kind, /, **facts):
    return unpacked(session.answer(parse(json.dumps({"n": 1, "type": kind, **facts}))))


def near(x, y):
    """A point of the yard in the page's coordinates."""
    return (FAR - ZERO + (x, y)).tolist()


def test_origins():
    assert origin_of((-9000.0, 0.0, 9000.0, 5.0)) == ZERO_ORIGIN
    assert origin_of((-70_500.0, 200.0, -70_000.0, 900.0)) == (-71_000.0, 0.0)


def test_the_page_gets_coordinates_near_zero(session):
    header, _ = send(session, "hello")
    facts = header["ok"]["document"]
    assert facts["origin"] == ZERO.tolist()
    assert facts["bounds"] == [*near(0, 0), *near(30, 20)]
    _, arrays = send(session, "ground")
    points = arrays["points"].tolist()
    assert near(12, 6.125) in points
    assert near(5, 5) in arrays["terrain_points"].tolist()


def test_paths_have_coordinates_near_zero(session):
    start, goal = near(5, 10), near(25, 10)
    for method in ("short", "cmm", "miran"):
        header, arrays = send(session, "path", start=start, goal=goal, method=method)
        assert "ok" in header, header
        path = arrays["path"].astype(float)
        np.testing.assert_allclose(path[0], start, atol=1e-3)
        steps = np.hypot(*np.diff(path, axis=0).T)
        assert steps.sum() == pytest.approx(header["ok"]["length"], rel=1e-3)
        assert abs(arrays["backbone"]).max() < 1000


def test_refusals_have_coordinates_near_zero(session):
    header, _ = send(session, "path", start=near(15, 10), goal=near(25, 10))
    assert header["kind"] == "bad-input"
    assert np.hypot(*np.subtract(header["nearest"], near(15, 10))) < 5


def test_characters_and_obstacles_have_coordinates_near_zero(session):
    send(session, "population", do="add", count=5, goal=near(28, 18))
    send(session, "obstacle", do="add", at=near(3, 3), radius=0.5)
    crowd = session.crowd_thread.crowd
    assert crowd.obstacles[0].tolist() == [*(FAR + 3), 0.5]
    header, _ = send(session, "character", id=0)
    assert header["ok"]["goal"] == near(28, 18)
    np.testing.assert_allclose(header["ok"]["position"], crowd.positions[0] - ZERO, atol=1e-6)
    send(session, "crowd", do="step")
    wait_until(lambda: unpacked(session.frames[-1])[0]["facts"]["step"] == 1)
    _, arrays = unpacked(session.frames[-1])
    np.testing.assert_allclose(arrays["at"], crowd.positions - ZERO, atol=1e-4)


def test_edits_are_saved_in_map_coordinates(session):
    corners = [near(22, 2), near(26, 2), near(26, 4), near(22, 4)]
    header, _ = send(session, "edit", do="add", what="area", name="square", polygon=corners)
    assert header["ok"]["origin"] == ZERO.tolist()
    (area,) = session.document.environment.areas
    x, y = FAR
    assert area.polygon.bounds == (x + 22, y + 2, x + 26, y + 4)
    saved = json.loads(as_geojson(session.document).content)
    assert "500142" in json.dumps(saved)


def test_a_walk(session):
    header, arrays = send(session, "walk", start=near(5, 10), stops=[near(25, 10)])
    assert "ok" in header, header
    np.testing.assert_allclose(arrays["camera"][0, 1:3], near(5, 10), atol=1e-3)


def test_a_page_of_a_recording(file):
    env = fw.load(file)
    cmap = fw.CorridorMap.build(env)
    crowd = fw.Crowd(cmap)
    crowd.add(4)
    document = open_document(str(file))
    shared = type(document)(
        "run", "recording", env, cmap, recording=crowd.run(seconds=1), origin=document.origin
    )
    header, arrays = unpacked(envelope(shared))
    assert header["origin"] == near(0, 0)
    assert near(12, 6.125) in arrays["ground_points"].tolist()


def test_requests_near_zero_are_unchanged():
    request = parse('{"n":1,"type":"path","start":[1,2],"goal":[3,4]}')
    assert to_map(request, ZERO_ORIGIN) is request
    named = parse('{"n":1,"type":"population","do":"add","goal":"door"}')
    assert to_map(named, (5.0, 5.0)).goal == "door"


def test_a_request_and_its_reply_have_one_origin(file, monkeypatch):
    session, find = Session(open_document(str(file))), paths.path

    def find_and_open(*arguments):
        found = find(*arguments)
        session.open(open_built_in("gallery:field"))
        return found

    monkeypatch.setattr(paths, "path", find_and_open)
    start, goal = near(5, 10), near(25, 10)
    _, arrays = send(session, "path", start=start, goal=goal)
    session.end()
    np.testing.assert_allclose(arrays["path"][[0, -1]], [start, goal], atol=0.01)
