"""The clock of a run: what its steps cost, and when everybody had left."""

import numpy as np
import pytest

from footway.cli.progress import Clock, walk


class TestCost:
    def test_leaves_out_the_first_step(self):
        """Of steps of 5, 2 and 1 s, with 10, 20 and 30 characters."""
        cost = Clock(moments=[0.0, 5.0, 7.0, 8.0], present=[10, 20, 30]).cost
        assert cost == (pytest.approx(1.5), pytest.approx(2.0), pytest.approx(50 / 3))

    def test_of_a_single_step(self):
        assert Clock(moments=[0.0, 4.0], present=[10]).cost == (4.0, 4.0, 2.5)

    def test_of_no_step(self):
        assert Clock().cost == (0.0, 0.0, 0.0)


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
    crowd, clock = Script(), Clock()
    story = [
        ([0, 1], None, {}),
        ([1], None, {"walkers": 1.0}),
        ([], 2.0, {"walkers": 1.0, "runners": 2.0}),
        ([], 2.0, {"walkers": 1.0, "runners": 2.0}),
        ([0], None, {"runners": 2.0}),  # a source brings another one
        ([], 5.0, {"walkers": 5.0, "runners": 2.0}),
    ]
    for time, (there, empty_at, left_at) in enumerate(story):
        crowd.exited += max(0, len(crowd) - len(there))
        crowd.populations, crowd.time = np.array(there, int), float(time)
        clock.tick(crowd)
        assert (clock.empty_at, clock.left_at) == (empty_at, left_at)
    assert clock.present == [2, 1, 0, 0, 1, 0]


def test_nobody_has_left_where_nobody_was():
    crowd, clock = Script(), Clock()
    clock.tick(crowd)
    clock.stop(crowd)
    assert (clock.empty_at, clock.left_at, clock.present) == (None, {}, [0])


def test_checkpoints_are_at_the_same_steps_in_a_run_that_is_resumed():
    crowd, told = Script(), []
    crowd.steps = 3
    walk(crowd, 1.0, lambda *done: told.append(done), checkpoint="a", checkpoint_every=0.5)
    assert crowd.saved == [5, 10]
    assert told == [(k, 10) for k in range(1, 11)]
