import gc

import pytest

from footway.reproduce import timing
from footway.reproduce.timing import in_turn, undisturbed


def test_every_round_makes_all_calls_and_the_first_does_not_count():
    made = []
    times = in_turn({name: lambda n=name: made.append(n) for name in "abc"}, rounds=4)
    rounds = [made[k : k + 3] for k in range(0, len(made), 3)]
    assert len(rounds) == 5
    assert all(sorted(names) == ["a", "b", "c"] for names in rounds)
    assert len({tuple(names) for names in rounds}) > 1
    assert set(times) == {"a", "b", "c"}
    assert all(0.0 < one.minimum <= one.median for one in times.values())


def test_medians_and_the_minimum(monkeypatch):
    """By clocks that are moved by hand: the warm-up of 9 s does not count."""
    wall, cpu = iter([9.0, 4.0, 1.0, 2.0]), iter([0.9, 0.1, 0.4, 0.3])
    now = {"wall": 0.0, "cpu": 0.0}

    def call():
        now["wall"] += next(wall)
        now["cpu"] += next(cpu)

    monkeypatch.setattr(timing.time, "perf_counter", lambda: now["wall"])
    monkeypatch.setattr(timing.time, "process_time", lambda: now["cpu"])
    assert in_turn({"a": call}, rounds=3)["a"] == pytest.approx((2.0, 1.0, 0.3))


def test_the_garbage_collector_rests_and_comes_back():
    with undisturbed():
        assert not gc.isenabled()
    assert gc.isenabled()
