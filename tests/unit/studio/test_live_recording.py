"""Recordings of the live crowd."""

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


def test_one_frame_per_step_with_all_characters(crowd):
    recorded = LiveRecording(crowd)
    expected = [crowd.positions]
    for k in range(6):
        crowd.step()
        if k == 1:
            crowd.add(4, name="second")
        if k == 2:
            crowd.remove([0, 1])
        if k == 3:
            crowd.add_obstacle((25.0, 10.0), 0.5)
        recorded.add(crowd)
        expected.append(crowd.positions)
    recorded.end()
    recording = fw.Recording.load(recorded.file)
    assert recording.complete
    assert recording.names == ("first", "second")
    assert len(recording.obstacles) == 1
    for k, positions in enumerate(expected):
        np.testing.assert_array_equal(recording.frame(k).positions, positions)
    assert recorded.facts() == {
        "running": False, "seconds": pytest.approx(0.6), "frames": 7, "ended": None,
        "megabytes": pytest.approx(recorded.bytes / 1e6, abs=0.1),
    }  # fmt: skip
    recorded.drop()
    assert not recorded.file.parent.exists()


def test_it_ends_before_it_is_too_large(crowd, monkeypatch):
    monkeypatch.setattr(live_recording, "MAX_BYTES", 10)
    recorded = LiveRecording(crowd)
    crowd.step()
    recorded.add(crowd)
    assert not recorded.is_running
    assert "cannot be longer" in recorded.ended
    frames = recorded.facts()["frames"]
    recorded.add(crowd)
    assert fw.Recording.load(recorded.file).n_frames == frames
    recorded.drop()


def test_an_empty_recording_ends_at_the_maximum_of_frames(monkeypatch):
    monkeypatch.setattr(live_recording, "MAX_FRAMES", 3)
    crowd = fw.Crowd(cmap("hall"))
    recorded = LiveRecording(crowd)
    for _ in range(5):
        crowd.step()
        recorded.add(crowd)
    assert recorded.ended == "it has 3 frames, and cannot be longer"
    assert fw.Recording.load(recorded.file).n_frames == 3
    recorded.drop()


def no_room(*_, **__):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("where", ["recorder", "folder"])
def test_a_recording_that_cannot_start_leaves_no_files(crowd, monkeypatch, tmp_path, where):
    monkeypatch.setattr(live_recording.tempfile, "tempdir", str(tmp_path))
    owner, name = {
        "recorder": (fw.Crowd, "recorder"),
        "folder": (live_recording.tempfile, "TemporaryDirectory"),
    }[where]
    with Stage(crowd) as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.do(crowd_thread.record)
        crowd_thread.do(crowd_thread.stop_recording)
        with monkeypatch.context() as full:
            full.setattr(owner, name, no_room)
            with pytest.raises(fw.BadInput, match="No space left"):
                crowd_thread.do(crowd_thread.record)
        assert crowd_thread.live_recording is None
        assert list(tmp_path.iterdir()) == []
        crowd_thread.do(crowd_thread.step)
        assert crowd_thread.status["recording"] is None
        crowd_thread.do(crowd_thread.record)
        assert crowd_thread.status["recording"]["running"]


def test_a_write_error_ends_the_recording_but_not_the_crowd(crowd, monkeypatch):
    recorded = LiveRecording(crowd)

    monkeypatch.setattr(crowd, "record", no_room)
    crowd.step()
    recorded.add(crowd)
    assert "No space left" in recorded.ended
    recorded.drop()


def test_the_live_crowd_records_its_steps():
    with Stage() as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.do(lambda: crowd_thread.crowd.add(10))
        crowd_thread.do(crowd_thread.record)
        for _ in range(3):
            crowd_thread.do(crowd_thread.step)
        assert crowd_thread.status["recording"]["frames"] == 4
        crowd_thread.do(crowd_thread.record)
        assert crowd_thread.status["recording"]["frames"] == 1
        crowd_thread.do(lambda: crowd_thread.replace(fw.Crowd(cmap("hall")), why="so it is"))
        assert crowd_thread.status["recording"]["ended"] == "so it is"
        crowd_thread.do(crowd_thread.step)
        assert crowd_thread.status["recording"]["frames"] == 1
        folder = crowd_thread.live_recording.file.parent
        assert folder.exists()
    assert not folder.exists()
