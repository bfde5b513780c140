"""Recordings of the crowd as it lives."""

import numpy as np
import pytest

import footway as fw
from footway.studio import live_recording
from footway.studio.live_recording import LiveRecording
from tests.unit.crowd.maps import cmap
from tests.unit.studio.test_crowd_thread import Stage


@pytest.fixture
def crowd():
    made = fw.Crowd(cmap("hall"), seed=2)
    made.add(10, name="first")
    return made


def test_a_frame_for_each_step_and_everybody_in_it(crowd):
    take = LiveRecording(crowd)
    expected = [crowd.positions]
    for k in range(6):
        crowd.step()
        if k == 1:
            crowd.add(4, name="second")
        if k == 2:
            crowd.remove([0, 1])
        if k == 3:
            crowd.add_obstacle((25.0, 10.0), 0.5)
        take.add(crowd)
        expected.append(crowd.positions)
    take.end()
    recording = fw.Recording.load(take.file)
    assert recording.complete
    assert recording.names == ("first", "second")
    assert len(recording.obstacles) == 1
    for k, positions in enumerate(expected):
        np.testing.assert_array_equal(recording.frame(k).positions, positions)
    assert take.facts() == {
        "running": False, "seconds": pytest.approx(0.6), "frames": 7, "ended": None,
        "megabytes": pytest.approx(take.bytes / 1e6, abs=0.1),
    }  # fmt: skip
    take.drop()
    assert not take.file.parent.exists()


def test_it_ends_before_it_is_too_large(crowd, monkeypatch):
    monkeypatch.setattr(live_recording, "MOST_BYTES", 10)
    take = LiveRecording(crowd)
    crowd.step()
    take.add(crowd)
    assert not take.is_running
    assert "cannot be longer" in take.ended
    frames = take.facts()["frames"]
    take.add(crowd)
    assert fw.Recording.load(take.file).n_frames == frames
    take.drop()


def test_it_ends_though_nobody_is_there(monkeypatch):
    monkeypatch.setattr(live_recording, "MOST_FRAMES", 3)
    crowd = fw.Crowd(cmap("hall"))
    take = LiveRecording(crowd)
    for _ in range(5):
        crowd.step()
        take.add(crowd)
    assert take.ended == "it has 3 frames, and cannot be longer"
    assert fw.Recording.load(take.file).n_frames == 3
    take.drop()


def no_room(*_, **__):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("where", ["recorder", "folder"])
def test_one_that_cannot_begin_leaves_nothing(crowd, monkeypatch, tmp_path, where):
    monkeypatch.setattr(live_recording.tempfile, "tempdir", str(tmp_path))
    owner, name = {
        "recorder": (fw.Crowd, "recorder"),
        "folder": (live_recording.tempfile, "TemporaryDirectory"),
    }[where]
    with Stage(crowd) as stage:
        live = stage.live
        live.do(live.record)
        live.do(live.stop_recording)
        with monkeypatch.context() as full:
            full.setattr(owner, name, no_room)
            with pytest.raises(fw.BadInput, match="No space left"):
                live.do(live.record)
        assert live.take is None
        assert list(tmp_path.iterdir()) == []
        live.do(live.step)
        assert live.status["recording"] is None
        live.do(live.record)
        assert live.status["recording"]["running"]


def test_what_cannot_be_written_ends_it_and_not_the_crowd(crowd, monkeypatch):
    take = LiveRecording(crowd)

    monkeypatch.setattr(crowd, "record", no_room)
    crowd.step()
    take.add(crowd)
    assert "No space left" in take.ended
    take.drop()


def test_the_live_crowd_records_its_steps():
    with Stage() as stage:
        live = stage.live
        live.do(lambda: live.crowd.add(10))
        live.do(live.record)
        for _ in range(3):
            live.do(live.step)
        assert live.status["recording"]["frames"] == 4
        live.do(live.record)
        assert live.status["recording"]["frames"] == 1
        live.do(lambda: live.replace(fw.Crowd(cmap("hall")), why="so it is"))
        assert live.status["recording"]["ended"] == "so it is"
        live.do(live.step)
        assert live.status["recording"]["frames"] == 1
        folder = live.take.file.parent
        assert folder.exists()
    assert not folder.exists()
