"""Recordings of the crowd as it lives."""

import numpy as np
import pytest

import footway as fw
from footway.studio import takes
from footway.studio.takes import Take
from tests.unit.crowd.maps import cmap
from tests.unit.studio.test_live import Stage


@pytest.fixture
def crowd():
    made = fw.Crowd(cmap("hall"), seed=2)
    made.add(10, name="first")
    return made


def test_a_frame_for_each_step_and_everybody_in_it(crowd):
    take = Take(crowd)
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
    monkeypatch.setattr(takes, "MOST_BYTES", 10)
    take = Take(crowd)
    crowd.step()
    take.add(crowd)
    assert not take.is_running
    assert "cannot be longer" in take.ended
    frames = take.facts()["frames"]
    take.add(crowd)
    assert fw.Recording.load(take.file).n_frames == frames
    take.drop()


def test_what_cannot_be_written_ends_it_and_not_the_crowd(crowd, monkeypatch):
    take = Take(crowd)

    def fails(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(crowd, "record", fails)
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
