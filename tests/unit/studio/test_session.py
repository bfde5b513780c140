"""A session without a server."""

import json
import math
import time

import numpy as np
import pytest

from footway.crowd import Recording
from footway.errors import BadInput
from footway.scenario import parse_scenario
from footway.studio import crowd_requests, session
from footway.studio.documents import Document, open_built_in, open_document
from footway.studio.protocol.requests import parse
from footway.studio.protocol.wire import unpacked
from footway.studio.session import Session
from tests.unit.crowd.maps import cmap, env
from tests.unit.recording.recordings import random_recording
from tests.unit.studio.serving import wait_until


class SessionClient:
    """A session, a function to send requests, and the events and frames that were sent."""

    def __init__(self, document):
        self.events_sent, self.frames_sent = [], []
        self.session = Session(
            document, send_event=self.events_sent.append, send_frame=self.frames_sent.append
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session.end()

    def request(self, kind, /, **facts):
        request = parse(json.dumps({"n": 5, "type": kind, **facts}))
        header, arrays = unpacked(self.session.answer(request))
        assert header["n"] == 5
        return header, arrays

    def ok(self, kind, /, **facts):
        header, _ = self.request(kind, **facts)
        assert "ok" in header, header
        return header["ok"]

    def error(self, kind, /, **facts):
        header, _ = self.request(kind, **facts)
        assert "\n" not in header["error"]
        return header

    def events(self, name):
        return [one for one in map(unpacked, list(self.events_sent)) if one[0]["event"] == name]


@pytest.fixture
def client():
    with SessionClient(Document("hall", "map", env("hall"), cmap("hall"))) as made:
        yield made


def box(x0, y0, x1, y1):
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def test_hello(client):
    facts = client.ok("hello")
    assert facts["document"]["name"] == "hall"
    assert facts["document"]["undo"] == 0
    assert facts["crowd"]["characters"] == 0
    assert "gallery:city" in facts["document"]["gallery"]


def test_a_new_client_gets_the_obstacles(client):
    client.ok("obstacle", do="add", at=[5, 5])
    wait_until(lambda: any(len(arrays["ids"]) for _, arrays in client.events("obstacles")))
    count = len(client.events("obstacles"))
    client.ok("hello")
    wait_until(lambda: len(client.events("obstacles")) == count + 1, seconds=60.0)
    assert client.events("obstacles")[-1][1]["discs"].tolist() == [[5.0, 5.0, 1.0]]


def test_an_opened_document_is_sent_to_all_clients(client):
    client.ok("population", do="add", count=5)
    facts = client.ok("open", name="demo:evacuation")
    assert facts["what"] == "scenario"
    assert client.events("document")[-1][0]["facts"] == facts
    assert facts["opened"] == facts["version"] == client.ok("hello")["document"]["version"]
    # The status of its crowd came just before: a page never has one with the people of the other.
    headers = [unpacked(one)[0] for one in client.events_sent]
    (at,) = [k for k, one in enumerate(headers) if one["event"] == "document"]
    before = headers[at - 1]
    assert (before["event"], before["version"]) == ("status", facts["version"])
    assert before["facts"]["characters"] == len(client.session.crowd_thread.crowd) != 5
    # So have its frames.
    client.ok("crowd", do="step")
    wait_until(lambda: unpacked(client.frames_sent[-1])[0]["version"] == facts["version"])
    assert client.ok("hello")["crowd"]["characters"] == 300
    assert client.error("open", name="gallery:nowhere")["kind"] == "bad-input"
    assert client.ok("hello")["document"]["name"] == "demo:evacuation"


def test_opening_a_document_clears_the_edit_history(client):
    assert client.ok("edit", do="add", polygon=box(2, 2, 3, 3))["undo"] == 1
    facts = client.ok("open", name="gallery:field")
    assert (facts["undo"], facts["redo"], facts["edited"]) == (0, 0, False)
    client.error("edit", do="undo")
    assert client.ok("hello")["document"]["name"] == "gallery:field"


def test_time_runs_sixteen_times_as_fast_at_most(client):
    speeds = [client.ok("crowd", do="faster")["speed"] for _ in range(6)]
    assert speeds == [2.0, 4.0, 8.0, 16.0, 16.0, 16.0]


def test_paths_and_refusals(client):
    assert client.ok("path", start=[2, 2], goal=[28, 2])["length"] == pytest.approx(26.0)
    refusal = client.error("path", start=[15, 10], goal=[28, 2])
    assert (refusal["kind"], refusal["end"]) == ("bad-input", "start")
    refusal = client.error("path", start=[2, 10], goal=[28, 10], radius=2.6)
    assert (refusal["kind"], refusal["reason"]) == ("no-path", "no room")


def test_layers_are_cached_for_each_map(client):
    _, first = client.request("layer", name="axis")
    _, again = client.request("layer", name="axis")
    np.testing.assert_array_equal(first["points"], again["points"])
    client.ok("edit", do="add", polygon=box(2, 2, 3, 3))
    _, other = client.request("layer", name="axis")
    assert len(other["points"]) != len(first["points"])


def test_the_crowd_starts_steps_and_resets(client):
    assert client.ok("population", do="add", count=20, speed=1.5)["characters"] == 20
    assert client.ok("crowd", do="step")["time"] == pytest.approx(0.1)
    assert client.ok("crowd", do="start", speed=4)["running"]
    assert client.ok("crowd", do="faster")["speed"] == 8.0
    wait_until(lambda: client.session.crowd_thread.crowd.time > 1.0)
    assert not client.ok("crowd", do="pause")["running"]
    begun = client.ok("crowd", do="reset", seed=3)
    assert (begun["time"], begun["characters"], begun["seed"]) == (0.0, 20, 3)


def test_the_same_seed_gives_the_same_start(client):
    client.ok("population", do="add", count=20)
    client.ok("crowd", do="reset", seed=3)
    first = client.session.crowd_thread.crowd.positions
    client.ok("crowd", do="step")
    client.ok("crowd", do="reset")
    np.testing.assert_array_equal(first, client.session.crowd_thread.crowd.positions)


def test_populations_are_added_changed_and_removed(client):
    client.ok("population", do="add", count=5, name="first", goal=[28, 18])
    status = client.ok("population", do="add", count=6, behaviour="wander")
    assert [one["count"] for one in status["populations"]] == [5, 6]
    assert client.error("population", do="add", count=1, name="first")["kind"] == "bad-input"
    assert client.error("population", do="remove", index=7)["kind"] == "bad-input"
    assert client.error("population", do="add", count=5, area="nowhere")["kind"] == "bad-input"
    assert (
        client.error("population", do="add", count=99_999)["kind"] == "bad-input"
    )  # not enough space
    assert client.error("population", do="add", count=1, goal=[15, 10])["kind"] == "bad-input"
    client.ok("population", do="change", index=0, speed=0.7)
    assert client.ok("character", id=0)["speed"] == pytest.approx(0.7)
    assert client.ok("population", do="remove", index=1)["characters"] == 5
    (one,) = client.ok("crowd", do="reset")["populations"]
    assert (one["name"], one["count"], one["speed"]) == ("first", 5, 0.7)
    assert client.ok("character", id=0)["speed"] == pytest.approx(0.7)


def test_populations_and_obstacles_are_limited(client, monkeypatch):
    monkeypatch.setattr(crowd_requests, "MAX_POPULATIONS", 2)
    monkeypatch.setattr(crowd_requests, "MAX_OBSTACLES", 1)
    for k in range(2):
        client.ok("population", do="add", count=1)
        client.ok("population", do="remove", index=k)
    assert "reset" in client.error("population", do="add", count=1)["error"]
    client.ok("crowd", do="reset")
    assert client.ok("population", do="add", count=1)["characters"] == 1
    client.ok("obstacle", do="add", at=[5, 5])
    assert client.error("obstacle", do="add", at=[8, 5])["kind"] == "bad-input"


def test_an_edit_that_the_crowd_cannot_follow_changes_nothing(client, monkeypatch):
    client.ok("edit", do="add", polygon=box(2, 2, 3, 3))
    monkeypatch.setattr(client.session.crowd_thread.crowd, "moved_to", lambda *_: 1 / 0)
    assert client.error("edit", do="add", polygon=box(4, 2, 5, 3))["kind"] == "broken"
    facts = client.ok("hello")["document"]
    assert (facts["version"], facts["undo"], facts["redo"]) == (1, 1, 0)
    assert client.error("edit", do="undo")["kind"] == "broken"
    assert client.ok("hello")["document"]["undo"] == 1


def test_the_layer_cache_is_limited(client, monkeypatch):
    monkeypatch.setattr(session, "_MAX_LAYERS", 2)
    for radius in (0.1, 0.2, 0.3, 0.4):
        client.ok("layer", name="axis", radius=radius)
    assert len(client.session._opened.layers) == 2


def test_a_character_is_inspected(client):
    client.ok("population", do="add", count=10, goal=[28, 18])
    client.ok("crowd", do="step")
    header, arrays = client.request("character", id=4)
    facts = header["ok"]
    assert facts["goal"] == [28.0, 18.0]
    assert facts["mode"] == "walking"
    forces = client.session.crowd_thread.crowd.character(4).forces
    assert facts["forces"] == list(forces)
    np.testing.assert_allclose(arrays["forces"], list(forces.values()), rtol=1e-6)
    assert arrays["points"].shape == (len(arrays["radii"]), 2)
    assert arrays["attraction"].shape == (1, 2)
    assert client.error("character", id=999)["kind"] == "bad-input"


def test_obstacles_are_added_moved_and_removed(client):
    number = client.ok("obstacle", do="add", at=[5, 2], radius=0.5)["id"]
    client.ok("obstacle", do="move", id=number, at=[6, 2])
    assert client.session.crowd_thread.crowd.obstacles.tolist() == [[6.0, 2.0, 0.5]]
    client.ok("crowd", do="reset")
    assert client.session.crowd_thread.crowd.obstacles.tolist() == [[6.0, 2.0, 0.5]]
    client.ok("obstacle", do="remove", id=0)
    assert client.error("obstacle", do="remove", id=0)["kind"] == "bad-input"


TIMED = """
map = "gallery:field"
[[population]]
count = 3
[[obstacle]]
at = [20, 20]
radius = 1
velocity = [0.5, 0]
appears = 0.2
vanishes = 9
[[obstacle]]
at = [30, 30]
radius = 0.5
"""


def test_a_reset_and_saving_keep_timed_obstacles(tmp_path):
    """Each is there once, with its times and velocity, whenever the scenario is reset or saved."""
    (tmp_path / "timed.toml").write_text(TIMED)
    with SessionClient(open_document(str(tmp_path / "timed.toml"))) as client:
        crowd_thread = client.session.crowd_thread
        client.ok("obstacle", do="add", at=[10, 10], velocity=[1, 0])
        for _ in range(2):
            for _ in range(4):
                client.ok("crowd", do="step")
            later = [[20.1, 20.0, 1.0], [30.0, 30.0, 0.5], [10.4, 10.0, 1.0]]
            assert crowd_thread.crowd.obstacles == pytest.approx(np.array(later))
            client.ok("crowd", do="reset")
            assert crowd_thread.crowd.obstacles.tolist() == [[30.0, 30.0, 0.5], [10.0, 10.0, 1.0]]
        assert client.ok("obstacle", do="add", at=[5, 5])["id"] == 3
        client.ok("obstacle", do="remove", id=1)
        client.ok("obstacle", do="move", id=0, at=[21, 20], velocity=[0.5, 0])
        saved = parse_scenario(client.session.save("scenario").content.decode())
        moving, added, another = saved.obstacle
        assert (moving.at, moving.velocity) == ((21.0, 20.0), (0.5, 0.0))
        assert (moving.appears, moving.vanishes) == (0.2, 9.0)
        assert (added.at, added.velocity, added.vanishes) == ((10.0, 10.0), (1.0, 0.0), math.inf)
        assert another.at == (5.0, 5.0)
        # One that was moved later starts there.
        for _ in range(4):
            client.ok("crowd", do="step")
        client.ok("obstacle", do="move", id=2, at=[12, 10], velocity=[1, 0])
        client.ok("crowd", do="reset")
        assert [12.0, 10.0, 1.0] in crowd_thread.crowd.obstacles.tolist()


def test_the_crowd_continues_during_edits(client):
    client.ok("population", do="add", count=100)
    client.ok("crowd", do="start", speed=2)
    wait_until(lambda: client.session.crowd_thread.crowd.time > 0.5)
    ids = client.session.crowd_thread.crowd.ids.tolist()
    client.ok("edit", do="add", polygon=box(2, 2, 6, 6))
    now = client.session.crowd_thread.crowd.time
    assert client.session.crowd_thread.crowd.ids.tolist() == ids
    assert now > 0.5
    wait_until(lambda: client.session.crowd_thread.crowd.time > now + 1.0)
    client.ok("crowd", do="pause")
    crowd = client.session.crowd_thread.crowd
    assert (crowd.map.clearance(crowd.positions) >= crowd.radii - 1e-6).all()
    assert crowd.map is client.session.document.corridors
    facts = client.ok("edit", do="undo")
    assert (facts["undo"], facts["redo"], facts["edited"]) == (0, 1, False)
    assert client.session.crowd_thread.crowd.map is client.session.document.corridors
    assert len(client.events("document")) == 2


def test_populations_with_terrain_preferences(client):
    assert "mud" in client.error("population", do="add", count=2, preferences={"mud": 9})["error"]
    client.ok("edit", do="add", what="terrain", kind="mud", polygon=box(5, 0, 25, 3))
    client.ok("population", do="add", count=6, preferences={"mud": 9}, goal=[28, 2], name="clean")
    client.ok("population", do="add", count=6, follow="irm", goal=[2, 18])
    client.ok("crowd", do="step")
    header, arrays = client.request("character", id=2)
    assert header["ok"]["mode"] == "walking"
    assert arrays["points"].shape[0] > 1
    assert np.allclose(arrays["points"][-1], [28, 2], atol=0.01)
    client.ok("crowd", do="start", speed=8)
    now = client.session.crowd_thread.crowd.time
    wait_until(lambda: client.session.crowd_thread.crowd.time > now + 1)
    client.ok("edit", do="add", polygon=box(2, 8, 3, 9))
    client.ok("edit", do="add", what="terrain", kind="grass", polygon=box(5, 16, 25, 20))
    client.ok("edit", do="undo")
    client.ok("edit", do="undo")
    client.ok("edit", do="undo")  # and the mud is gone, too
    assert client.ok("hello")["document"]["kinds"] == []
    now = client.session.crowd_thread.crowd.time
    wait_until(lambda: client.session.crowd_thread.crowd.time > now + 1)
    assert client.session.crowd_thread.fault is None
    assert client.ok("crowd", do="pause")["characters"] == 12


def test_walks(client):
    header, arrays = client.request("walk", start=[2, 2], heading=0.0, stops=[[28, 2], [28, 18]])
    camera = arrays["camera"]
    assert camera.shape[1] == 7
    np.testing.assert_allclose(camera[0, 1:3], [2, 2], atol=1e-3)
    np.testing.assert_allclose(camera[-1, 1:3], [28, 18], atol=1e-3)
    np.testing.assert_allclose(camera[0, 4:], [1, 0, 0], atol=1e-3)
    assert (camera[:, 3] == np.float32(1.7)).all()
    assert header["ok"]["duration"] == pytest.approx(camera[-1, 0], abs=1e-3)
    assert client.error("walk", start=[2, 2], stops=[[15, 10]])["kind"] == "bad-input"
    assert client.request("walk", start=[2, 2], stops=[[2, 2]])[1]["camera"].shape == (0, 7)
    _, arrays = client.request("walk", start=[15, 10], stops=[[28, 2]])  # begins in a wall
    assert cmap("hall").clearance(arrays["camera"][:1, 1:3])[0] > 0.2


def test_saving(client):
    client.ok("population", do="add", count=5)
    assert b"[[population]]" in client.session.save("scenario").content
    assert b"FeatureCollection" in client.session.save("geojson").content
    for kind in ("recording", "live-recording", "", "exe"):
        with pytest.raises(BadInput):
            client.session.save(kind)


def test_an_internal_error_is_reported_and_harmless(client):
    client.session._opened = client.session._opened._replace(history=None)  # must not happen
    refusal = client.error("edit", do="undo")
    assert refusal["kind"] == "broken"
    assert "fault in Footway" in refusal["error"]
    assert client.ok("path", start=[2, 2], goal=[28, 2])["length"] == pytest.approx(26.0)


def test_a_recording_has_no_crowd(tmp_path):
    random_recording().save(tmp_path / "run.parquet")
    with SessionClient(open_document(str(tmp_path / "run.parquet"))) as client:
        assert client.ok("replay")["frames"] == 20
        assert client.ok("replay", frame=3)["frame"] == 3
        assert client.request("trails", first=0, last=5)[1]["ids"].shape == (11,)
        assert client.error("population", do="add", count=3)["kind"] == "bad-input"
        assert client.error("edit", do="undo")["kind"] == "bad-input"


def test_a_scenario_runs_and_is_edited():
    with SessionClient(open_built_in("demo:evacuation")) as client:
        client.ok("crowd", do="start", speed=16)
        wait_until(lambda: client.session.crowd_thread.crowd.time > 2.0)
        client.ok("edit", do="add", polygon=box(30, 30, 31, 31))
        time.sleep(0.2)
        status = client.ok("crowd", do="pause")
        assert status["characters"] + status["exited"] == 300
        assert client.ok("crowd", do="reset")["characters"] == 300
        assert b"destinations" in client.session.save("scenario").content


def test_a_population_changes_while_it_runs(client):
    client.ok("population", do="add", count=20, radius=0.2, name="first")
    client.ok("crowd", do="start", speed=8)
    status = client.ok(
        "population", do="change", index=0, radius=0.4, speed=0.9, lane=-0.1, noise=0.2, count=30
    )
    (one,) = status["populations"]
    assert {key: one[key] for key in ("count", "radius", "speed", "lane", "noise", "follow")} == {
        "count": 30, "radius": 0.4, "speed": 0.9, "lane": -0.1, "noise": 0.2, "follow": "cmm",
    }  # fmt: skip
    crowd = client.session.crowd_thread.crowd
    wait_until(lambda: crowd.time > 2.0)
    client.ok("crowd", do="pause")
    assert (crowd.map.clearance(crowd.positions) >= crowd.radii).all()
    assert client.ok("population", do="change", index=0, count=5)["characters"] == 5
    assert crowd.ids.tolist() == [0, 1, 2, 3, 4]
    (one,) = client.ok("crowd", do="reset")["populations"]
    assert (one["count"], one["radius"], one["lane"]) == (5, 0.4, -0.1)


def test_the_follow_method_changes(client):
    client.ok("edit", do="add", what="terrain", kind="mud", polygon=box(2, 2, 5, 5))
    client.ok("population", do="add", count=5)

    def change(**options):
        (one,) = client.ok("population", do="change", index=0, **options)["populations"]
        client.ok("crowd", do="step")
        return one["follow"], one["preferences"]

    assert change(preferences={"mud": 4.0}) == ("miran", {"mud": 4.0})
    assert change(follow="irm") == ("irm", {"mud": 4.0})
    assert change(follow="cmm") == ("cmm", {})
    assert change(preferences={"mud": 2.0}) == ("miran", {"mud": 2.0})
    assert change(preferences={}) == ("cmm", {})
    text = client.session.save("scenario").content.decode()
    assert "mud" not in text


@pytest.mark.parametrize(
    "options",
    [
        {"radius": 0.3, "count": 100_000},
        {"preferences": {"lava": 2.0}, "speed": 2.0, "count": 40},
    ],
    ids=str,
)
def test_an_impossible_change_changes_nothing(client, options):
    client.ok("population", do="add", count=20)
    crowd = client.session.crowd_thread.crowd
    before, facts = crowd.positions, client.ok("crowd", do="status")["populations"]
    assert client.error("population", do="change", index=0, **options)["kind"] == "bad-input"
    np.testing.assert_array_equal(crowd.positions, before)
    assert client.ok("crowd", do="status")["populations"] == facts
    assert client.error("population", do="change", index=4, speed=1.0)["kind"] == "bad-input"


def test_a_change_keeps_the_spread_of_a_scenario_population():
    with SessionClient(open_built_in("demo:evacuation")) as client:
        crowd = client.session.crowd_thread.crowd
        client.ok("population", do="change", index=0, speed=1.0, radius=0.2)
        mean, deviation = crowd.profiles[0].speed
        assert mean == 1.0
        assert len(set(crowd.speeds[crowd.populations == 0])) > 10
        assert 0.0 < deviation < 0.5
        count = client.ok("crowd", do="status")["populations"][0]["count"]
        status = client.ok("population", do="change", index=0, count=count + 5)
        assert status["populations"][0]["count"] == count + 5


def test_the_size_of_a_group_is_fixed(client):
    crowd = client.session.crowd_thread.crowd
    client.session.crowd_thread.between_steps(lambda: crowd.add_group(4, start=(3, 3)))
    assert client.ok("crowd", do="status")["populations"][0]["grouped"]
    for count in (2, 9):
        assert "group" in client.error("population", do="change", index=0, count=count)["error"]
    assert client.ok("population", do="change", index=0, count=4, speed=1.0)["characters"] == 4


def saved_recording(client, folder):
    """The live recording, saved under its name."""
    made = client.session.save("live-recording")
    with made.content:
        (folder / made.name).write_bytes(made.content.read())
    return Recording.load(folder / made.name)


def test_the_crowd_is_recorded(client, tmp_path):
    assert "nothing" in client.error("crowd", do="stop-record")["error"]
    client.ok("population", do="add", count=20)
    assert client.ok("crowd", do="record")["recording"]["running"]
    for _ in range(3):
        client.ok("crowd", do="step")
    client.ok("population", do="change", index=0, speed=2.0)
    client.ok("obstacle", do="add", at=[5, 5])
    client.ok("population", do="add", count=3)
    status = client.ok("crowd", do="step")
    assert (status["recording"]["frames"], status["recording"]["ended"]) == (5, None)
    with pytest.raises(BadInput, match="stop"):
        client.session.save("live-recording")
    assert not client.ok("crowd", do="stop-record")["recording"]["running"]
    recording = saved_recording(client, tmp_path)
    assert (recording.n_frames, len(recording.characters.ids)) == (5, 23)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"type": "edit", "do": "add", "polygon": [[2, 2], [3, 2], [3, 3]]}, "map"),
        ({"type": "population", "do": "change", "index": 0, "radius": 0.3}, "radius"),
        ({"type": "crowd", "do": "reset"}, "reset"),
        ({"type": "open", "name": "gallery:field"}, "document"),
    ],
    ids=str,
)
def test_what_ends_a_recording(client, tmp_path, fields, word):
    client.ok("population", do="add", count=20)
    client.ok("crowd", do="record")
    client.ok("crowd", do="step")
    client.ok(fields["type"], **{k: v for k, v in fields.items() if k != "type"})
    found = client.ok("crowd", do="step")["recording"]
    assert (found["running"], found["frames"]) == (False, 2)
    assert word in found["ended"]
    assert saved_recording(client, tmp_path).n_frames == 2


def test_the_live_recording_is_not_the_open_recording(client, tmp_path):
    client.ok("population", do="add", count=3)
    client.ok("crowd", do="record")
    client.ok("crowd", do="stop-record")
    with pytest.raises(BadInput, match="not a recording"):
        client.session.save("recording")
    random_recording().save(tmp_path / "run.parquet")
    client.session.open(open_document(str(tmp_path / "run.parquet")))
    assert len(saved_recording(client, tmp_path).characters.ids) == 3
    assert (tmp_path / "hall.parquet").exists()  # the name of the map that they walked on
    made = client.session.save("recording")
    assert made.name == "run.parquet"
    (tmp_path / "again.parquet").write_bytes(made.content)
    assert Recording.load(tmp_path / "again.parquet").n_frames == 20


def test_an_edit_that_moves_no_wall_ends_no_recording(client):
    client.ok("population", do="add", count=2)
    client.ok("crowd", do="record")
    client.ok("edit", do="add", what="area", role="goal", polygon=box(2, 2, 3, 3))
    assert client.ok("crowd", do="step")["recording"]["running"]
