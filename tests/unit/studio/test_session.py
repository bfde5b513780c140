"""A session without a server."""

import json
import time

import numpy as np
import pytest

from footway.crowd import Recording
from footway.errors import BadInput
from footway.studio import crowd_requests, session
from footway.studio.documents import Document, open_built_in, open_document
from footway.studio.requests import parse
from footway.studio.session import Session
from footway.studio.wire import unpacked
from tests.unit.crowd.maps import cmap, env
from tests.unit.recording.recordings import random_recording
from tests.unit.studio.serving import wait_until


class Table:
    """A session, a function to send requests, and the events and frames that were sent."""

    def __init__(self, document):
        self.said, self.shown = [], []
        self.session = Session(document, send_event=self.said.append, send_frame=self.shown.append)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session.end()

    def ask(self, ask, **facts):
        request = parse(json.dumps({"n": 5, "ask": ask, **facts}))
        header, arrays = unpacked(self.session.answer(request))
        assert header["n"] == 5
        return header, arrays

    def ok(self, ask, **facts):
        header, _ = self.ask(ask, **facts)
        assert "ok" in header, header
        return header["ok"]

    def error(self, ask, **facts):
        header, _ = self.ask(ask, **facts)
        assert "\n" not in header["error"]
        return header

    def events(self, name):
        return [one for one in map(unpacked, list(self.said)) if one[0]["event"] == name]


@pytest.fixture
def table():
    with Table(Document("hall", "map", env("hall"), cmap("hall"))) as made:
        yield made


def box(x0, y0, x1, y1):
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def test_hello(table):
    facts = table.ok("hello")
    assert facts["document"]["name"] == "hall"
    assert facts["document"]["undo"] == 0
    assert facts["crowd"]["characters"] == 0
    assert "gallery:city" in facts["document"]["gallery"]


def test_an_opened_document_is_sent_to_all_clients(table):
    table.ok("population", do="add", count=5)
    facts = table.ok("open", name="demo:evacuation")
    assert facts["what"] == "scenario"
    assert table.events("document")[-1][0]["facts"] == facts
    assert table.ok("hello")["crowd"]["characters"] == 300
    assert table.error("open", name="gallery:nowhere")["kind"] == "bad-input"
    assert table.ok("hello")["document"]["name"] == "demo:evacuation"


def test_opening_a_document_clears_the_edit_history(table):
    assert table.ok("edit", do="add", polygon=box(2, 2, 3, 3))["undo"] == 1
    facts = table.ok("open", name="gallery:field")
    assert (facts["undo"], facts["redo"], facts["edited"]) == (0, 0, False)
    table.error("edit", do="undo")
    assert table.ok("hello")["document"]["name"] == "gallery:field"


def test_time_runs_sixteen_times_as_fast_at_most(table):
    speeds = [table.ok("crowd", do="faster")["speed"] for _ in range(6)]
    assert speeds == [2.0, 4.0, 8.0, 16.0, 16.0, 16.0]


def test_paths_and_refusals(table):
    assert table.ok("path", start=[2, 2], goal=[28, 2])["length"] == pytest.approx(26.0)
    refusal = table.error("path", start=[15, 10], goal=[28, 2])
    assert (refusal["kind"], refusal["end"]) == ("bad-input", "start")
    refusal = table.error("path", start=[2, 10], goal=[28, 10], radius=2.6)
    assert (refusal["kind"], refusal["reason"]) == ("no-path", "no room")


def test_layers_are_cached_for_each_map(table):
    _, first = table.ask("layer", name="axis")
    _, again = table.ask("layer", name="axis")
    np.testing.assert_array_equal(first["points"], again["points"])
    table.ok("edit", do="add", polygon=box(2, 2, 3, 3))
    _, other = table.ask("layer", name="axis")
    assert len(other["points"]) != len(first["points"])


def test_the_crowd_starts_steps_and_resets(table):
    assert table.ok("population", do="add", count=20, speed=1.5)["characters"] == 20
    assert table.ok("crowd", do="step")["time"] == pytest.approx(0.1)
    assert table.ok("crowd", do="start", speed=4)["running"]
    assert table.ok("crowd", do="faster")["speed"] == 8.0
    wait_until(lambda: table.session.crowd_thread.crowd.time > 1.0)
    assert not table.ok("crowd", do="pause")["running"]
    begun = table.ok("crowd", do="reset", seed=3)
    assert (begun["time"], begun["characters"], begun["seed"]) == (0.0, 20, 3)


def test_the_same_seed_gives_the_same_start(table):
    table.ok("population", do="add", count=20)
    table.ok("crowd", do="reset", seed=3)
    first = table.session.crowd_thread.crowd.positions
    table.ok("crowd", do="step")
    table.ok("crowd", do="reset")
    np.testing.assert_array_equal(first, table.session.crowd_thread.crowd.positions)


def test_populations_are_added_changed_and_removed(table):
    table.ok("population", do="add", count=5, name="first", goal=[28, 18])
    status = table.ok("population", do="add", count=6, behaviour="wander")
    assert [one["count"] for one in status["populations"]] == [5, 6]
    assert table.error("population", do="add", count=1, name="first")["kind"] == "bad-input"
    assert table.error("population", do="remove", index=7)["kind"] == "bad-input"
    assert table.error("population", do="add", count=5, area="nowhere")["kind"] == "bad-input"
    assert (
        table.error("population", do="add", count=99_999)["kind"] == "bad-input"
    )  # not enough space
    assert table.error("population", do="add", count=1, goal=[15, 10])["kind"] == "bad-input"
    table.ok("population", do="change", index=0, speed=0.7)
    assert table.ok("character", id=0)["speed"] == pytest.approx(0.7)
    assert table.ok("population", do="remove", index=1)["characters"] == 5
    (one,) = table.ok("crowd", do="reset")["populations"]
    assert (one["name"], one["count"], one["speed"]) == ("first", 5, 0.7)
    assert table.ok("character", id=0)["speed"] == pytest.approx(0.7)


def test_populations_and_obstacles_are_limited(table, monkeypatch):
    monkeypatch.setattr(crowd_requests, "MAX_POPULATIONS", 2)
    monkeypatch.setattr(crowd_requests, "MAX_OBSTACLES", 1)
    for k in range(2):
        table.ok("population", do="add", count=1)
        table.ok("population", do="remove", index=k)
    assert "reset" in table.error("population", do="add", count=1)["error"]
    table.ok("crowd", do="reset")
    assert table.ok("population", do="add", count=1)["characters"] == 1
    table.ok("obstacle", do="add", at=[5, 5])
    assert table.error("obstacle", do="add", at=[8, 5])["kind"] == "bad-input"


def test_an_edit_that_the_crowd_cannot_follow_changes_nothing(table, monkeypatch):
    table.ok("edit", do="add", polygon=box(2, 2, 3, 3))
    monkeypatch.setattr(table.session.crowd_thread.crowd, "moved_to", lambda *_: 1 / 0)
    assert table.error("edit", do="add", polygon=box(4, 2, 5, 3))["kind"] == "broken"
    facts = table.ok("hello")["document"]
    assert (facts["version"], facts["undo"], facts["redo"]) == (1, 1, 0)
    assert table.error("edit", do="undo")["kind"] == "broken"
    assert table.ok("hello")["document"]["undo"] == 1


def test_the_layer_cache_is_limited(table, monkeypatch):
    monkeypatch.setattr(session, "_MAX_LAYERS", 2)
    for radius in (0.1, 0.2, 0.3, 0.4):
        table.ok("layer", name="axis", radius=radius)
    assert len(table.session._layers) == 2


def test_a_character_is_inspected(table):
    table.ok("population", do="add", count=10, goal=[28, 18])
    table.ok("crowd", do="step")
    header, arrays = table.ask("character", id=4)
    facts = header["ok"]
    assert facts["goal"] == [28.0, 18.0]
    assert facts["mode"] == "walking"
    assert facts["forces"] == ["steering", "lane", "avoidance", "obstacles"]
    assert arrays["forces"].shape == (4, 2)
    assert arrays["points"].shape == (len(arrays["radii"]), 2)
    assert arrays["attraction"].shape == (1, 2)
    assert table.error("character", id=999)["kind"] == "bad-input"


def test_obstacles_are_added_moved_and_removed(table):
    number = table.ok("obstacle", do="add", at=[5, 2], radius=0.5)["id"]
    table.ok("obstacle", do="move", id=number, at=[6, 2])
    assert table.session.crowd_thread.crowd.obstacles.tolist() == [[6.0, 2.0, 0.5]]
    table.ok("crowd", do="reset")
    assert table.session.crowd_thread.crowd.obstacles.tolist() == [[6.0, 2.0, 0.5]]
    table.ok("obstacle", do="remove", id=0)
    assert table.error("obstacle", do="remove", id=0)["kind"] == "bad-input"


def test_the_crowd_continues_during_edits(table):
    table.ok("population", do="add", count=100)
    table.ok("crowd", do="start", speed=2)
    wait_until(lambda: table.session.crowd_thread.crowd.time > 0.5)
    ids = table.session.crowd_thread.crowd.ids.tolist()
    table.ok("edit", do="add", polygon=box(2, 2, 6, 6))
    now = table.session.crowd_thread.crowd.time
    assert table.session.crowd_thread.crowd.ids.tolist() == ids
    assert now > 0.5
    wait_until(lambda: table.session.crowd_thread.crowd.time > now + 1.0)
    table.ok("crowd", do="pause")
    crowd = table.session.crowd_thread.crowd
    assert (crowd.map.clearance(crowd.positions) >= crowd.radii - 1e-6).all()
    assert crowd.map is table.session.document.corridors
    facts = table.ok("edit", do="undo")
    assert (facts["undo"], facts["redo"], facts["edited"]) == (0, 1, False)
    assert table.session.crowd_thread.crowd.map is table.session.document.corridors
    assert len(table.events("document")) == 2


def test_populations_with_terrain_preferences(table):
    assert "mud" in table.error("population", do="add", count=2, preferences={"mud": 9})["error"]
    table.ok("edit", do="add", what="terrain", kind="mud", polygon=box(5, 0, 25, 3))
    table.ok("population", do="add", count=6, preferences={"mud": 9}, goal=[28, 2], name="clean")
    table.ok("population", do="add", count=6, follow="irm", goal=[2, 18])
    table.ok("crowd", do="step")
    header, arrays = table.ask("character", id=2)
    assert header["ok"]["mode"] == "walking"
    assert arrays["points"].shape[0] > 1
    assert np.allclose(arrays["points"][-1], [28, 2], atol=0.01)
    table.ok("crowd", do="start", speed=8)
    now = table.session.crowd_thread.crowd.time
    wait_until(lambda: table.session.crowd_thread.crowd.time > now + 1)
    table.ok("edit", do="add", polygon=box(2, 8, 3, 9))
    table.ok("edit", do="add", what="terrain", kind="grass", polygon=box(5, 16, 25, 20))
    table.ok("edit", do="undo")
    table.ok("edit", do="undo")
    table.ok("edit", do="undo")  # and the mud is gone, too
    assert table.ok("hello")["document"]["kinds"] == []
    now = table.session.crowd_thread.crowd.time
    wait_until(lambda: table.session.crowd_thread.crowd.time > now + 1)
    assert table.session.crowd_thread.fault is None
    assert table.ok("crowd", do="pause")["characters"] == 12


def test_walks(table):
    header, arrays = table.ask("walk", start=[2, 2], heading=0.0, stops=[[28, 2], [28, 18]])
    camera = arrays["camera"]
    assert camera.shape[1] == 7
    np.testing.assert_allclose(camera[0, 1:3], [2, 2], atol=1e-3)
    np.testing.assert_allclose(camera[-1, 1:3], [28, 18], atol=1e-3)
    np.testing.assert_allclose(camera[0, 4:], [1, 0, 0], atol=1e-3)
    assert (camera[:, 3] == np.float32(1.7)).all()
    assert header["ok"]["duration"] == pytest.approx(camera[-1, 0], abs=1e-3)
    assert table.error("walk", start=[2, 2], stops=[[15, 10]])["kind"] == "bad-input"
    assert table.ask("walk", start=[2, 2], stops=[[2, 2]])[1]["camera"].shape == (0, 7)
    _, arrays = table.ask("walk", start=[15, 10], stops=[[28, 2]])  # begins in a wall
    assert cmap("hall").clearance(arrays["camera"][:1, 1:3])[0] > 0.2


def test_saving(table):
    table.ok("population", do="add", count=5)
    assert b"[[population]]" in table.session.save("scenario").content
    assert b"FeatureCollection" in table.session.save("geojson").content
    for kind in ("recording", "take", "", "exe"):
        with pytest.raises(BadInput):
            table.session.save(kind)


def test_an_internal_error_is_reported_and_harmless(table):
    table.session._edit_history = None  # what must not happen
    refusal = table.error("edit", do="undo")
    assert refusal["kind"] == "broken"
    assert "fault in Footway" in refusal["error"]
    assert table.ok("path", start=[2, 2], goal=[28, 2])["length"] == pytest.approx(26.0)


def test_a_recording_has_no_crowd(tmp_path):
    random_recording().save(tmp_path / "run.parquet")
    with Table(open_document(str(tmp_path / "run.parquet"))) as table:
        assert table.ok("replay")["frames"] == 20
        assert table.ok("replay", frame=3)["frame"] == 3
        assert table.ask("trails", first=0, last=5)[1]["ids"].shape == (11,)
        assert table.error("population", do="add", count=3)["kind"] == "bad-input"
        assert table.error("edit", do="undo")["kind"] == "bad-input"


def test_a_scenario_runs_and_is_edited():
    with Table(open_built_in("demo:evacuation")) as table:
        table.ok("crowd", do="start", speed=16)
        wait_until(lambda: table.session.crowd_thread.crowd.time > 2.0)
        table.ok("edit", do="add", polygon=box(30, 30, 31, 31))
        time.sleep(0.2)
        status = table.ok("crowd", do="pause")
        assert status["characters"] + status["exited"] == 300
        assert table.ok("crowd", do="reset")["characters"] == 300
        assert b"destinations" in table.session.save("scenario").content


def test_a_population_changes_while_it_runs(table):
    table.ok("population", do="add", count=20, radius=0.2, name="first")
    table.ok("crowd", do="start", speed=8)
    status = table.ok(
        "population", do="change", index=0, radius=0.4, speed=0.9, lane=-0.1, noise=0.2, count=30
    )
    (one,) = status["populations"]
    assert {key: one[key] for key in ("count", "radius", "speed", "lane", "noise", "follow")} == {
        "count": 30, "radius": 0.4, "speed": 0.9, "lane": -0.1, "noise": 0.2, "follow": "cmm",
    }  # fmt: skip
    crowd = table.session.crowd_thread.crowd
    wait_until(lambda: crowd.time > 2.0)
    table.ok("crowd", do="pause")
    assert (crowd.map.clearance(crowd.positions) >= crowd.radii).all()
    assert table.ok("population", do="change", index=0, count=5)["characters"] == 5
    assert crowd.ids.tolist() == [0, 1, 2, 3, 4]
    (one,) = table.ok("crowd", do="reset")["populations"]
    assert (one["count"], one["radius"], one["lane"]) == (5, 0.4, -0.1)


def test_the_follow_method_changes(table):
    table.ok("edit", do="add", what="terrain", kind="mud", polygon=box(2, 2, 5, 5))
    table.ok("population", do="add", count=5)

    def change(**options):
        (one,) = table.ok("population", do="change", index=0, **options)["populations"]
        table.ok("crowd", do="step")
        return one["follow"], one["preferences"]

    assert change(preferences={"mud": 4.0}) == ("miran", {"mud": 4.0})
    assert change(follow="irm") == ("irm", {"mud": 4.0})
    assert change(follow="cmm") == ("cmm", {})
    assert change(preferences={"mud": 2.0}) == ("miran", {"mud": 2.0})
    assert change(preferences={}) == ("cmm", {})
    text = table.session.save("scenario").content.decode()
    assert "mud" not in text


@pytest.mark.parametrize(
    "options",
    [
        {"radius": 0.3, "count": 100_000},
        {"preferences": {"lava": 2.0}, "speed": 2.0, "count": 40},
    ],
    ids=str,
)
def test_an_impossible_change_changes_nothing(table, options):
    table.ok("population", do="add", count=20)
    crowd = table.session.crowd_thread.crowd
    before, facts = crowd.positions, table.ok("crowd", do="status")["populations"]
    assert table.error("population", do="change", index=0, **options)["kind"] == "bad-input"
    np.testing.assert_array_equal(crowd.positions, before)
    assert table.ok("crowd", do="status")["populations"] == facts
    assert table.error("population", do="change", index=4, speed=1.0)["kind"] == "bad-input"


def test_a_change_keeps_the_spread_of_a_scenario_population():
    with Table(open_built_in("demo:evacuation")) as table:
        crowd = table.session.crowd_thread.crowd
        table.ok("population", do="change", index=0, speed=1.0, radius=0.2)
        mean, deviation = crowd.profiles[0].speed
        assert mean == 1.0
        assert len(set(crowd.speeds[crowd.populations == 0])) > 10
        assert 0.0 < deviation < 0.5
        count = table.ok("crowd", do="status")["populations"][0]["count"]
        status = table.ok("population", do="change", index=0, count=count + 5)
        assert status["populations"][0]["count"] == count + 5


def test_the_size_of_a_group_is_fixed(table):
    crowd = table.session.crowd_thread.crowd
    table.session.crowd_thread.do(lambda: crowd.add_group(4, start=(3, 3)))
    assert table.ok("crowd", do="status")["populations"][0]["grouped"]
    for count in (2, 9):
        assert "group" in table.error("population", do="change", index=0, count=count)["error"]
    assert table.ok("population", do="change", index=0, count=4, speed=1.0)["characters"] == 4


def saved_take(table, folder):
    """The live recording, saved under its name."""
    made = table.session.save("take")
    with made.content:
        (folder / made.name).write_bytes(made.content.read())
    return Recording.load(folder / made.name)


def test_the_crowd_is_recorded(table, tmp_path):
    assert "nothing" in table.error("crowd", do="stop-record")["error"]
    table.ok("population", do="add", count=20)
    assert table.ok("crowd", do="record")["recording"]["running"]
    for _ in range(3):
        table.ok("crowd", do="step")
    table.ok("population", do="change", index=0, speed=2.0)
    table.ok("obstacle", do="add", at=[5, 5])
    table.ok("population", do="add", count=3)
    status = table.ok("crowd", do="step")
    assert (status["recording"]["frames"], status["recording"]["ended"]) == (5, None)
    with pytest.raises(BadInput, match="stop"):
        table.session.save("take")
    assert not table.ok("crowd", do="stop-record")["recording"]["running"]
    recording = saved_take(table, tmp_path)
    assert (recording.n_frames, len(recording.characters.ids)) == (5, 23)


@pytest.mark.parametrize(
    ("ask", "word"),
    [
        ({"ask": "edit", "do": "add", "polygon": [[2, 2], [3, 2], [3, 3]]}, "map"),
        ({"ask": "population", "do": "change", "index": 0, "radius": 0.3}, "radius"),
        ({"ask": "crowd", "do": "reset"}, "reset"),
        ({"ask": "open", "name": "gallery:field"}, "document"),
    ],
    ids=str,
)
def test_what_ends_a_recording(table, tmp_path, ask, word):
    table.ok("population", do="add", count=20)
    table.ok("crowd", do="record")
    table.ok("crowd", do="step")
    table.ok(**ask)
    said = table.ok("crowd", do="step")["recording"]
    assert (said["running"], said["frames"]) == (False, 2)
    assert word in said["ended"]
    assert saved_take(table, tmp_path).n_frames == 2


def test_the_live_recording_is_not_the_open_recording(table, tmp_path):
    table.ok("population", do="add", count=3)
    table.ok("crowd", do="record")
    table.ok("crowd", do="stop-record")
    with pytest.raises(BadInput, match="not a recording"):
        table.session.save("recording")
    random_recording().save(tmp_path / "run.parquet")
    table.session.open(open_document(str(tmp_path / "run.parquet")))
    assert len(saved_take(table, tmp_path).characters.ids) == 3
    assert (tmp_path / "hall.parquet").exists()  # the name of the map that they walked on
    made = table.session.save("recording")
    assert made.name == "run.parquet"
    (tmp_path / "again.parquet").write_bytes(made.content)
    assert Recording.load(tmp_path / "again.parquet").n_frames == 20


def test_an_edit_that_moves_no_wall_ends_no_recording(table):
    table.ok("population", do="add", count=2)
    table.ok("crowd", do="record")
    table.ok("edit", do="add", what="area", role="goal", polygon=box(2, 2, 3, 3))
    assert table.ok("crowd", do="step")["recording"]["running"]
