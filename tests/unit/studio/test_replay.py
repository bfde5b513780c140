"""Requests about recordings, and recordings inside a page."""

import base64
import gzip
import re
from dataclasses import replace

import numpy as np
import pytest

import footway as fw
from footway.errors import BadFile
from footway.recording.recording import Recorder
from footway.studio import replay
from footway.studio.documents import Document
from footway.studio.protocol.wire import unpacked
from footway.studio.replay import frame, overview, trails
from tests.unit.crowd.maps import cmap, env
from tests.unit.recording.recordings import random_recording

ROOM = Document("room", "recording", env("room"), cmap("room"))


@pytest.fixture
def run():
    return replace(ROOM, recording=random_recording())


def test_plots_measure_what_is_there():
    recorder = Recorder(step=0.1, seed=0, map_name="room", names=("a",))
    recorder.add_characters([0, 1, 2], [0.2, 0.2, 0.2], [0, 0, 0])
    at, velocity = [(1, 1), (1.5, 1.5), (10, 10)], [(1, 0), (0, 1), (0, 0)]
    recorder.add_frame(0, 0.0, [0, 1, 2], at, velocity)
    recorder.add_frame(1, 0.1, [2], at[2:], [(0, 2)])
    recorder.add_frame(2, 0.2, [], np.empty((0, 2)), np.empty((0, 2)))
    answer = overview(replace(ROOM, recording=recorder.close()))
    arrays = answer.arrays
    assert arrays["present"].tolist() == [3, 1, 0]
    # two of them share a cell of 4 m2, the third has one of its own
    np.testing.assert_allclose(arrays["density"], [(0.5 + 0.5 + 0.25) / 3, 0.25, 0.0])
    np.testing.assert_allclose(arrays["speed"], [2 / 3, 2.0, 0.0])
    np.testing.assert_allclose(arrays["flow"], arrays["density"] * arrays["speed"])
    np.testing.assert_allclose(arrays["times"], [0.0, 0.1, 0.2])
    assert answer.facts.frames == 3


def test_a_cell_at_a_wall_has_less_walkable_area():
    recorder = Recorder(step=0.1, seed=0, map_name="door", names=("a",))
    recorder.add_characters([0], [0.2], [0])
    recorder.add_frame(0, 0.0, [0], [(9.5, 4.5)], [(0, 0)])
    document = Document("door", "recording", env("door"), cmap("door"), recording=recorder.close())
    density = overview(document).arrays["density"][0]
    assert density == pytest.approx(1 / 4.0)  # x from 8 to 10: all free
    recorder = Recorder(step=0.1, seed=0, map_name="door", names=("a",))
    recorder.add_characters([0], [0.2], [0])
    recorder.add_frame(0, 0.0, [0], [(11.5, 8.5)], [(0, 0)])
    document = replace(document, recording=recorder.close())
    density = overview(document).arrays["density"][0]
    assert density == pytest.approx(1 / 2.0)  # x from 10 to 12: half of it is a wall


def test_one_person_in_a_narrow_cell_is_no_crowd():
    passage = fw.Environment.from_polygons(bounds=(0, 0, 20, 0.5))
    recorder = Recorder(step=0.1, seed=0, map_name="", names=("a",))
    recorder.add_characters([0], [0.2], [0])
    recorder.add_frame(0, 0.0, [0], [(3.0, 0.25)], [(1.5, 0)])
    recorder.add_frame(1, 0.1, [0], [(19.9, 0.25)], [(1.5, 0)])
    corridors = fw.CorridorMap.build(passage)
    document = Document("", "recording", passage, corridors, recording=recorder.close())
    np.testing.assert_allclose(overview(document).arrays["density"], [1.0, 1.0])


def test_frames(run):
    answer = frame(run, 3)
    recorded = run.recording.frame(3)
    assert answer.arrays["id"].tolist() == recorded.ids.tolist()
    np.testing.assert_allclose(answer.arrays["at"], recorded.positions, atol=1e-5)
    np.testing.assert_allclose(answer.arrays["velocity"] / 1000, recorded.velocities, atol=6e-4)
    with pytest.raises(fw.BadInput, match="no frame 999"):
        frame(run, 999)


def test_an_empty_frame(run):
    assert frame(run, run.recording.n_frames - 1).facts.n == 0


def test_trails_are_trajectories(run):
    answer = trails(run, 0, 10_000)
    offsets = answer.arrays["offsets"]
    for k, who in enumerate(answer.arrays["ids"].tolist()):
        _, track = run.recording.trajectory(who)
        np.testing.assert_allclose(answer.arrays["points"][offsets[k] : offsets[k + 1]], track)
    with pytest.raises(fw.BadInput, match="earlier one first"):
        trails(run, 9, 2)


@pytest.mark.parametrize(("most", "every"), [(1000, 1), (210, 1), (209, 2), (105, 2), (70, 3)])
def test_long_trails_leave_out_frames(run, monkeypatch, most, every):
    """As few as it takes: there are 210 rows."""
    assert run.recording.offsets[-1] == 210
    monkeypatch.setattr(replay, "_MAX_ROWS", most)
    answer = trails(run, 0, 10_000)
    assert answer.facts.every == every
    kept = [len(run.recording.frame(k).ids) for k in range(0, run.recording.n_frames, every)]
    assert len(answer.arrays["points"]) == sum(kept)


def test_a_map_is_no_recording():
    with pytest.raises(fw.BadInput, match="not a recording"):
        overview(ROOM)


DATA = re.compile(r'<script id="footway-recording" type="application/octet-stream">([^<]+)<')


@pytest.fixture(scope="module")
def field_map():
    return fw.CorridorMap.build(fw.load("gallery:field"))


@pytest.fixture(scope="module")
def recording(field_map):
    crowd = fw.Crowd(field_map, seed=3)
    crowd.add(40, radius=(0.25, 0.03), speed=(1.3, 0.2))
    return crowd.run(seconds=20, every=5)


def placed(header, arrays):
    """Positions by frame and id, decoded as in the page."""
    found, at = {}, 0
    for row, first, count in arrays["runs"].tolist():
        steps = arrays["steps"][at : at + count].astype(np.int64)
        places = np.cumsum(steps, axis=0) % 65_536 * header["scale"] + header["origin"]
        for k, place in enumerate(places):
            found[first + k, int(arrays["people_id"][row])] = place
        at += count
    return found


def assert_same(recording, header, arrays):
    found = placed(header, arrays)
    assert len(found) == recording.offsets[-1]
    for k in range(recording.n_frames):
        frame = recording.frame(k)
        for number, place in zip(frame.ids.tolist(), frame.positions, strict=True):
            assert np.abs(found[k, number] - place).max() <= 0.51 * header["scale"]


class TestEnvelope:
    def test_places_come_back(self, recording, field_map):
        document = Document("field", "recording", None, field_map, recording=recording)
        header, arrays = unpacked(replay.envelope(document))
        assert_same(recording, header, arrays)
        assert np.allclose(arrays["times"], recording.times)
        assert np.allclose(arrays["people_radius"] / 1000, recording.characters.radius, atol=6e-4)

    def test_someone_who_leaves_and_comes_back(self, field_map):
        recorder = Recorder(step=0.1, seed=0, map_name="", names=["all"])
        recorder.add_characters([0, 1], [0.2, 0.3], [0, 0])
        for k, there in enumerate([[0, 1], [1], [0, 1], [0]]):
            at = np.array([[2.0 + k, 30.0 - i] for i in there])
            recorder.add_frame(k, 0.1 * k, there, at, np.zeros_like(at))
        recording = recorder.close()
        document = Document("field", "recording", None, field_map, recording=recording)
        header, arrays = unpacked(replay.envelope(document))
        assert_same(recording, header, arrays)
        assert arrays["runs"].tolist() == [[0, 0, 1], [0, 2, 2], [1, 0, 3]]


class TestPage:
    @pytest.fixture
    def built(self, tmp_path, monkeypatch):
        """A minimal player; the real one is tested in a browser."""
        (tmp_path / "player.html").write_text(f"<html><body>{replay.PLACEHOLDER}</body></html>")
        monkeypatch.setattr(replay, "STATIC", tmp_path)

    @pytest.mark.usefixtures("built")
    def test_holds_the_recording(self, recording, field_map, tmp_path):
        file = tmp_path / "run.html"
        replay.write_page(recording, file, cmap=field_map)
        data = base64.b64decode(DATA.search(file.read_text()).group(1))
        assert_same(recording, *unpacked(gzip.decompress(data)))

    @pytest.mark.usefixtures("built")
    def test_is_the_same_every_time(self, recording, field_map, tmp_path):
        for name in ("a.html", "b.html"):
            replay.write_page(recording, tmp_path / name, cmap=field_map)
        assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()

    @pytest.mark.usefixtures("built")
    def test_where_it_cannot_be_written(self, recording, field_map, tmp_path):
        with pytest.raises(BadFile, match="cannot be written"):
            replay.write_page(recording, tmp_path / "no" / "run.html", cmap=field_map)

    def test_without_a_player(self, recording, field_map, tmp_path, monkeypatch):
        monkeypatch.setattr(replay, "STATIC", tmp_path)
        with pytest.raises(BadFile, match="not been built"):
            replay.write_page(recording, tmp_path / "run.html", cmap=field_map)
