"""The crowd in its own thread."""

import threading
import time
from itertools import pairwise

import pytest

import footway as fw
from footway.studio.crowd_thread import CrowdThread
from footway.studio.wire import unpacked
from tests.unit.crowd.maps import cmap
from tests.unit.studio.serving import wait_until


class Stage:
    """A live crowd, and what it said and showed."""

    def __init__(self, crowd=None, show=None):
        self.said, self.shown = [], []
        self.live = CrowdThread(
            crowd or fw.Crowd(cmap("hall")), say=self.said.append, show=show or self.shown.append
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.live.end()

    def events(self, name):
        return [one for one in map(unpacked, list(self.said)) if one[0]["event"] == name]


def test_nothing_moves_before_it_starts():
    with Stage() as stage:
        stage.live.do(lambda: stage.live.crowd.add(10))
        time.sleep(0.3)
        assert stage.live.status["time"] == 0.0
        assert stage.live.status["characters"] == 10


def test_time_runs_and_stops():
    with Stage() as stage:
        live = stage.live
        live.do(lambda: live.crowd.add(10))
        live.do(live.start)
        wait_until(lambda: live.crowd.time > 0.5)
        live.do(live.pause)
        then = live.crowd.steps
        time.sleep(0.3)
        assert live.crowd.steps == then
        assert not live.status["running"]
        assert len(stage.shown) >= 2


def test_it_keeps_real_time_times_the_speed():
    with Stage() as stage:
        live = stage.live
        live.do(lambda: live.crowd.add(5))
        live.do(live.step)  # loads the kernels
        live.speed = 8.0
        begin, first = time.monotonic(), live.crowd.time
        live.do(live.start)
        wait_until(lambda: live.crowd.time > first + 8.0)
        assert time.monotonic() - begin > 0.8  # never faster than asked for; slower is allowed


@pytest.mark.parametrize(
    ("late", "speed", "still_late"),
    [(10.0, 1.0, 0.0), (0.2, 1.0, 0.2 - 0.1), (0.2, 4.0, 0.2 - 0.1 / 4.0)],
)
def test_much_time_that_was_lost_is_not_caught_up(late, speed, still_late):
    """After a pause of the machine the crowd does not hurry; a few steps late it does."""
    with Stage() as stage:
        live = stage.live
        live.do(live.step)  # loads the kernels
        live.speed = speed

        def advance():
            begin = time.monotonic()
            live._due = begin - late
            live._advance()
            return begin - live._due, time.monotonic() - begin

        behind, lasted = live.do(advance)
        assert still_late - lasted - 1e-6 <= behind <= still_late + 1e-6


def test_a_command_is_done_between_steps_and_its_error_comes_back():
    with Stage() as stage:
        live = stage.live
        live.do(live.start)
        assert live.do(threading.current_thread).name == "studio-crowd"
        with pytest.raises(fw.BadQuery, match="no obstacle 7"):
            live.do(lambda: live.crowd.remove_obstacle(7))
        assert live.status["running"]


def test_the_status_is_that_of_after_the_command():
    with Stage() as stage:
        for k in range(1, 20):
            stage.live.do(lambda: stage.live.crowd.add(3))
            assert stage.live.status["characters"] == 3 * k


def test_frames_show_everybody():
    with Stage() as stage:
        live = stage.live
        live.do(lambda: live.crowd.add(30, radius=0.3))
        wait_until(lambda: stage.shown and unpacked(stage.shown[-1])[0]["facts"]["n"] == 30)
        _, arrays = unpacked(stage.shown[-1])
        assert arrays["id"].tolist() == list(range(30))
        assert abs(arrays["at"] - live.crowd.positions).max() < 1e-5
        assert (arrays["radius"] == 300).all()


def test_at_most_thirty_frames_a_second():
    moments = []
    with Stage(show=lambda _: moments.append(time.monotonic())) as stage:
        live = stage.live
        live.do(lambda: live.crowd.add(5))
        live.speed = 16.0
        live.do(live.start)
        wait_until(lambda: len(moments) > 20)
    assert min(b - a for a, b in pairwise(moments)) > 0.03


def test_obstacles_are_told_when_they_move_and_not_otherwise():
    with Stage() as stage:
        live = stage.live
        number = live.do(lambda: live.crowd.add_obstacle((5.0, 5.0), 1.0))
        wait_until(lambda: len(stage.events("obstacles")) == 2)  # none, then one
        _, arrays = stage.events("obstacles")[-1]
        assert arrays["discs"].tolist() == [[5.0, 5.0, 1.0]]
        assert arrays["ids"].tolist() == [number]
        live.do(live.start)
        time.sleep(0.5)
        assert len(stage.events("obstacles")) == 2
        live.do(lambda: live.crowd.remove_obstacle(number))
        wait_until(lambda: len(stage.events("obstacles")) == 3)
        assert len(stage.events("obstacles")[-1][1]["ids"]) == 0


def test_a_fault_in_a_step_stops_the_time_and_is_told():
    crowd = fw.Crowd(cmap("hall"))
    crowd.add(3)

    def fail(_):
        raise ZeroDivisionError("on purpose")

    with Stage(crowd) as stage:
        live = stage.live
        live.do(lambda: crowd.each_step(fail))
        live.do(live.start)
        wait_until(lambda: live.fault is not None)
        assert not live.is_running
        assert "ZeroDivisionError" in live.fault
        live.do(lambda: crowd.remove_function(fail))
        live.do(live.start)
        wait_until(lambda: crowd.time > 0.3)
        assert live.fault is None


def test_a_fault_in_a_frame_stops_the_time_and_the_thread_goes_on():
    def fail(_):
        raise ZeroDivisionError("on\npurpose")

    with Stage(show=fail) as stage:
        live = stage.live
        live.do(live.start)
        wait_until(lambda: any(e[0]["facts"]["fault"] for e in stage.events("status")))
        assert live.fault == "the crowd stopped: ZeroDivisionError: on purpose"
        assert live.do(lambda: len(live.crowd.add(3))) == 3


def test_a_fault_in_the_status_comes_back_to_who_asked(monkeypatch):
    with Stage() as stage:
        live = stage.live
        monkeypatch.setattr(live, "_update_status", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            live.do(live.step)
        monkeypatch.undo()
        live.do(live.step)
        assert live.crowd.steps == 2


def test_status_is_told_about_twice_a_second():
    with Stage() as stage:
        stage.live.do(stage.live.start)
        wait_until(lambda: len(stage.events("status")) >= 4)
        facts = stage.events("status")[-1][0]["facts"]
        assert facts["running"] is True
        assert facts["steps_per_second"] > 0


def test_another_crowd_takes_over():
    with Stage() as stage:
        live = stage.live
        live.do(lambda: live.crowd.add(8))
        other = fw.Crowd(cmap("room"))
        other.add(3)
        live.do(lambda: live.replace(other))
        assert live.status["characters"] == 3
