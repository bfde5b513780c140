"""The crowd in its own thread, and its recordings."""

import tempfile
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import footway as fw
from footway.studio import crowd_thread
from footway.studio.crowd_thread import CrowdThread, LiveRecording
from footway.studio.protocol.wire import unpacked
from tests.unit.crowd.maps import cmap
from tests.unit.studio.serving import wait_until


class Stage:
    """A crowd thread, and the events and frames that it sent."""

    def __init__(self, crowd=None, send_frame=None):
        self.sent, self.frames = [], []
        self.crowd_thread = CrowdThread(
            crowd or fw.Crowd(cmap("hall")),
            send_event=self.sent.append,
            send_frame=send_frame or self.frames.append,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.crowd_thread.end()

    def events(self, name):
        return [one for one in map(unpacked, list(self.sent)) if one[0]["event"] == name]


def test_nothing_moves_before_it_starts():
    with Stage() as stage:
        stage.crowd_thread.between_steps(lambda: stage.crowd_thread.crowd.add(10))
        time.sleep(0.3)
        assert stage.crowd_thread.status.time == 0.0
        assert stage.crowd_thread.status.characters == 10


def test_time_runs_and_stops():
    with Stage() as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.between_steps(lambda: crowd_thread.crowd.add(10))
        crowd_thread.between_steps(crowd_thread.start)
        wait_until(lambda: crowd_thread.crowd.time > 0.5)
        crowd_thread.between_steps(crowd_thread.pause)
        then = crowd_thread.crowd.steps
        time.sleep(0.3)
        assert crowd_thread.crowd.steps == then
        assert not crowd_thread.status.running
        assert len(stage.frames) >= 2


def test_it_keeps_real_time_times_the_speed():
    with Stage() as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.between_steps(lambda: crowd_thread.crowd.add(5))
        crowd_thread.between_steps(crowd_thread.step)  # loads the kernels
        crowd_thread.speed = 8.0
        begin, first = time.monotonic(), crowd_thread.crowd.time
        crowd_thread.between_steps(crowd_thread.start)
        wait_until(lambda: crowd_thread.crowd.time > first + 8.0)
        assert time.monotonic() - begin > 0.8  # never faster than asked for; slower is allowed


@pytest.mark.parametrize(
    ("late", "speed", "still_late"),
    [(10.0, 1.0, 0.0), (0.2, 1.0, 0.2 - 0.1), (0.2, 4.0, 0.2 - 0.1 / 4.0)],
)
def test_long_delays_are_not_caught_up(late, speed, still_late):
    """The crowd catches up with a short delay, but not with a long one."""
    with Stage() as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.between_steps(crowd_thread.step)  # loads the kernels
        crowd_thread.speed = speed

        def advance():
            begin = time.monotonic()
            crowd_thread._due = begin - late
            crowd_thread._advance()
            return begin - crowd_thread._due, time.monotonic() - begin

        behind, lasted = crowd_thread.between_steps(advance)
        assert still_late - lasted - 1e-6 <= behind <= still_late + 1e-6


def test_a_command_runs_between_steps_and_its_error_is_raised():
    with Stage() as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.between_steps(crowd_thread.start)
        assert crowd_thread.between_steps(threading.current_thread).name == "studio-crowd"
        with pytest.raises(fw.BadQuery, match="no obstacle 7"):
            crowd_thread.between_steps(lambda: crowd_thread.crowd.remove_obstacle(7))
        assert crowd_thread.status.running


def test_the_status_is_updated_after_a_command():
    with Stage() as stage:
        for k in range(1, 20):
            stage.crowd_thread.between_steps(lambda: stage.crowd_thread.crowd.add(3))
            assert stage.crowd_thread.status.characters == 3 * k


def test_frames_have_all_characters():
    with Stage() as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.between_steps(lambda: crowd_thread.crowd.add(30, radius=0.3))
        wait_until(lambda: stage.frames and unpacked(stage.frames[-1])[0]["facts"]["n"] == 30)
        _, arrays = unpacked(stage.frames[-1])
        assert arrays["id"].tolist() == list(range(30))
        assert abs(arrays["at"] - crowd_thread.crowd.positions).max() < 1e-5
        assert (arrays["radius"] == 300).all()


def test_at_most_thirty_frames_a_second(monkeypatch):
    """With a clock of our own: a second of milliseconds, a second at a time, milliseconds again."""
    sent, now = [], [0.0]
    clock = [*np.arange(0.0, 1.0, 0.001), 2.0, 3.0, *np.arange(3.001, 4.0, 0.001)]
    with Stage(send_frame=lambda _: sent.append(now[0])) as stage:

        def publish():
            own = SimpleNamespace(monotonic=lambda: now[0])
            with monkeypatch.context() as patch:
                patch.setattr(crowd_thread, "time", own)
                stage.crowd_thread._frame_at = -1.0
                sent.clear()
                for now[0] in clock:
                    stage.crowd_thread._is_changed = True
                    stage.crowd_thread._publish()
            return list(sent)

        moments = stage.crowd_thread.between_steps(publish)
    assert np.diff(moments).min() >= 1 / 30
    assert len(moments) == pytest.approx(60, abs=3)


def test_obstacles_are_sent_only_when_they_change():
    with Stage() as stage:
        crowd_thread = stage.crowd_thread
        number = crowd_thread.between_steps(
            lambda: crowd_thread.crowd.add_obstacle((5.0, 5.0), 1.0)
        )
        wait_until(lambda: len(stage.events("obstacles")) == 2)  # none, then one
        _, arrays = stage.events("obstacles")[-1]
        assert arrays["discs"].tolist() == [[5.0, 5.0, 1.0]]
        assert arrays["ids"].tolist() == [number]
        crowd_thread.between_steps(crowd_thread.start)
        time.sleep(0.5)
        assert len(stage.events("obstacles")) == 2
        crowd_thread.between_steps(lambda: crowd_thread.crowd.remove_obstacle(number))
        wait_until(lambda: len(stage.events("obstacles")) == 3)
        assert len(stage.events("obstacles")[-1][1]["ids"]) == 0
        crowd_thread.send_again()  # for a client that was not there before
        wait_until(lambda: len(stage.events("obstacles")) == 4)


def test_an_error_in_a_step_pauses_the_crowd_and_is_reported():
    crowd = fw.Crowd(cmap("hall"))
    crowd.add(3)

    def fail(_):
        raise ZeroDivisionError("on purpose")

    with Stage(crowd) as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.between_steps(lambda: crowd.each_step(fail))
        crowd_thread.between_steps(crowd_thread.start)
        wait_until(lambda: crowd_thread.fault is not None)
        assert not crowd_thread.is_running
        assert "ZeroDivisionError" in crowd_thread.fault
        crowd_thread.between_steps(lambda: crowd.remove_function(fail))
        crowd_thread.between_steps(crowd_thread.start)
        wait_until(lambda: crowd.time > 0.3)
        assert crowd_thread.fault is None


def test_an_error_in_a_frame_pauses_the_crowd_but_not_the_thread():
    def fail(_):
        raise ZeroDivisionError("on\npurpose")

    with Stage(send_frame=fail) as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.between_steps(crowd_thread.start)
        wait_until(lambda: any(e[0]["facts"]["fault"] for e in stage.events("status")))
        assert crowd_thread.fault == "the crowd stopped: ZeroDivisionError: on purpose"
        assert crowd_thread.between_steps(lambda: len(crowd_thread.crowd.add(3))) == 3


def test_an_error_in_the_status_is_raised_by_the_command(monkeypatch):
    with Stage() as stage:
        crowd_thread = stage.crowd_thread
        monkeypatch.setattr(crowd_thread, "update_status", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            crowd_thread.between_steps(crowd_thread.step)
        monkeypatch.undo()
        crowd_thread.between_steps(crowd_thread.step)
        assert crowd_thread.crowd.steps == 2


def test_status_is_sent_twice_a_second():
    with Stage() as stage:
        stage.crowd_thread.between_steps(stage.crowd_thread.start)
        wait_until(lambda: len(stage.events("status")) >= 4)
        facts = stage.events("status")[-1][0]["facts"]
        assert facts["running"] is True
        assert facts["steps_per_second"] > 0


def test_another_crowd_takes_over():
    with Stage() as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.between_steps(lambda: crowd_thread.crowd.add(8))
        other = fw.Crowd(cmap("room"))
        other.add(3)
        crowd_thread.between_steps(lambda: crowd_thread.replace(other))
        assert crowd_thread.status.characters == 3


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
    assert recorded.facts().model_dump() == {
        "running": False, "seconds": pytest.approx(0.6), "frames": 7, "ended": None,
        "megabytes": pytest.approx(recorded.bytes / 1e6, abs=0.1),
    }  # fmt: skip
    recorded.drop()
    assert not recorded.file.parent.exists()


def test_it_ends_before_it_is_too_large(crowd, monkeypatch):
    monkeypatch.setattr(crowd_thread, "MAX_BYTES", 10)
    recorded = LiveRecording(crowd)
    crowd.step()
    recorded.add(crowd)
    assert not recorded.is_running
    assert "cannot be longer" in recorded.ended
    frames = recorded.facts().frames
    recorded.add(crowd)
    assert fw.Recording.load(recorded.file).n_frames == frames
    recorded.drop()


def test_an_empty_recording_ends_at_the_maximum_of_frames(monkeypatch):
    monkeypatch.setattr(crowd_thread, "MAX_FRAMES", 3)
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
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    owner, name = {
        "recorder": (fw.Crowd, "recorder"),
        "folder": (tempfile, "TemporaryDirectory"),
    }[where]
    with Stage(crowd) as stage:
        crowd_thread = stage.crowd_thread
        crowd_thread.between_steps(crowd_thread.record)
        crowd_thread.between_steps(crowd_thread.stop_recording)
        with monkeypatch.context() as full:
            full.setattr(owner, name, no_room)
            with pytest.raises(fw.BadInput, match="No space left"):
                crowd_thread.between_steps(crowd_thread.record)
        assert crowd_thread.live_recording is None
        assert list(tmp_path.iterdir()) == []
        crowd_thread.between_steps(crowd_thread.step)
        assert crowd_thread.status.recording is None
        crowd_thread.between_steps(crowd_thread.record)
        assert crowd_thread.status.recording.running


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
        crowd_thread.between_steps(lambda: crowd_thread.crowd.add(10))
        crowd_thread.between_steps(crowd_thread.record)
        for _ in range(3):
            crowd_thread.between_steps(crowd_thread.step)
        assert crowd_thread.status.recording.frames == 4
        crowd_thread.between_steps(crowd_thread.record)
        assert crowd_thread.status.recording.frames == 1
        crowd_thread.between_steps(
            lambda: crowd_thread.replace(fw.Crowd(cmap("hall")), why="so it is")
        )
        assert crowd_thread.status.recording.ended == "so it is"
        crowd_thread.between_steps(crowd_thread.step)
        assert crowd_thread.status.recording.frames == 1
        folder = crowd_thread.live_recording.file.parent
        assert folder.exists()
    assert not folder.exists()
