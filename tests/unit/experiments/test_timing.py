import gc

from footway.experiments.timing import in_turn, undisturbed


def test_every_round_makes_all_calls_and_the_first_does_not_count():
    made = []
    times = in_turn({name: lambda n=name: made.append(n) for name in "abc"}, rounds=4)
    rounds = [made[k : k + 3] for k in range(0, len(made), 3)]
    assert len(rounds) == 5
    assert all(sorted(names) == ["a", "b", "c"] for names in rounds)
    assert len({tuple(names) for names in rounds}) > 1
    assert set(times) == {"a", "b", "c"}
    assert all(0.0 < timing.minimum <= timing.median for timing in times.values())


def test_the_garbage_collector_rests_and_comes_back():
    with undisturbed():
        assert not gc.isenabled()
    assert gc.isenabled()
