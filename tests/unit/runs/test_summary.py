"""Summaries: what the steps cost, when everybody had left, and numbers by hand."""

import numpy as np
import pytest

from footway.crowd.crowd import run_steps
from footway.runs.summary import StepLog, summarise
from footway.scenario import Scenario
from tests.unit.crowd.maps import box, crowd


class TestCost:
    def test_leaves_out_the_first_step(self):
        """Of steps of 5, 2 and 1 s, with 10, 20 and 30 characters."""
        cost = StepLog(moments=[0.0, 5.0, 7.0, 8.0], present=[10, 20, 30, 5]).cost
        assert cost == (pytest.approx(1.5), pytest.approx(2.0), pytest.approx(50 / 3))

    def test_of_a_single_step(self):
        assert StepLog(moments=[0.0, 4.0], present=[10, 9]).cost == (4.0, 4.0, 2.5)

    def test_of_no_step(self):
        assert StepLog().cost == (0.0, 0.0, 0.0)


class Script:
    """A crowd of two populations of which everything is written down."""

    names = ("walkers", "runners")
    dt = 0.1

    def __init__(self):
        self.populations, self.time, self.exited, self.steps = np.empty(0, int), 0.0, 0, 0
        self.saved = []

    def __len__(self):
        return len(self.populations)

    def step(self):
        self.steps += 1

    def save(self, _file):
        self.saved.append(self.steps)


def test_when_each_population_had_left():
    crowd, log = Script(), StepLog()
    moments = [
        ([0, 1], None, {}),
        ([1], None, {"walkers": 1.0}),
        ([], 2.0, {"walkers": 1.0, "runners": 2.0}),
        ([], 2.0, {"walkers": 1.0, "runners": 2.0}),
        ([0], None, {"runners": 2.0}),  # a source brings another one
        ([], 5.0, {"walkers": 5.0, "runners": 2.0}),
    ]
    for time, (there, empty_at, left_at) in enumerate(moments):
        crowd.exited += max(0, len(crowd) - len(there))
        crowd.populations, crowd.time = np.array(there, int), float(time)
        log.note(crowd)
        assert (log.empty_at, log.left_at) == (empty_at, left_at)
    assert log.present == [2, 1, 0, 0, 1, 0]


def test_a_character_that_appears_and_leaves_in_one_step_has_left_last():
    crowd, log = Script(), StepLog()
    log.note(crowd)
    crowd.time, crowd.exited = 4.0, 1
    log.note(crowd)
    assert log.empty_at == 4.0


def test_nobody_has_left_where_nobody_was():
    crowd, log = Script(), StepLog()
    log.note(crowd)
    log.note(crowd)
    assert (log.empty_at, log.left_at, log.present) == (None, {}, [0, 0])


def test_checkpoints_are_at_the_same_steps_in_a_run_that_is_resumed():
    crowd, calls = Script(), []
    crowd.steps = 3
    run_steps(crowd, 10, checkpoint="a", due=5, progress=lambda *done: calls.append(done))
    assert crowd.saved == [5, 10]
    assert calls == [(k, 10) for k in range(1, 11)]


def test_to_dict():
    it = crowd("corridor")
    it.add(2, starts=[(20, 2), (40, 2)], destinations=[box(22, 0, 26, 4)], then="exit")
    it.step(70)
    log = StepLog(moments=[0.0, 5.0, 5.002, 5.006], present=[2, 2, 1, 1])
    answer = summarise(Scenario(title="t", map="m"), it, log).to_dict()
    assert (answer["characters"], answer["exited"]) == (2, 1)
    assert answer["present"] == {it.names[0]: 1}
    assert answer["ms_per_step"] == pytest.approx(3.0)
    assert answer["longest_step_ms"] == pytest.approx(4.0)
    assert answer["share_of_real_time"] == pytest.approx(0.03)
    assert answer["character_steps_per_second"] == pytest.approx(3 / 0.006)
