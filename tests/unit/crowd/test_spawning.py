"""Sources: when and where characters appear, and what they do then."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.crowd.kernels.layouts import FIRST_STEP, SINCE
from footway.crowd.spawning import spawn_due, spawn_times
from tests.effort import examples
from tests.oracle.crowd import assert_clear, neighbours
from tests.oracle.nearest import NearestWall
from tests.unit.crowd.maps import SHAPES, box, crowd, env

AREA = box(1, 1, 5, 5)


class TestTimes:
    def test_by_rate(self):
        assert spawn_times(4, 2.0, 1.0, None).tolist() == [1.0, 1.5, 2.0, 2.5]

    def test_by_schedule(self):
        assert spawn_times(3, None, 0.0, [(1.0, 2), (4.0, 0), (5.0, 1)]).tolist() == [1.0, 1.0, 5.0]

    @pytest.mark.parametrize(
        ("options", "word"),
        [
            ({}, "rate"),
            ({"rate": 0.0}, "rate"),
            ({"rate": -1.0}, "rate"),
            ({"rate": np.nan}, "rate"),
            ({"rate": np.inf}, "rate"),
            ({"rate": 1.0, "start": -1.0}, "start"),
            ({"rate": 1.0, "start": np.nan}, "start"),
            ({"schedule": [(1.0, 1)]}, "schedule"),
            ({"schedule": [(2.0, 1), (1.0, 1)]}, "ascend"),
            ({"schedule": [(-1.0, 2)]}, "0 or later"),
            ({"schedule": [(0.0, 3), (1.0, -1)]}, "schedule"),
        ],
        ids=str,
    )
    def test_one_clear_line(self, options, word):
        it = crowd("hall")
        with pytest.raises(fw.BadQuery, match=word) as error:
            it.add_source(2, area=AREA, **options)
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize(
        "options",
        [{"rate": "often"}, {"rate": 1.0, "start": "now"}, {"schedule": 5}, {"schedule": [(1.0,)]},
         {"schedule": [("soon", 2)]}],
        ids=str,
    )  # fmt: skip
    def test_one_clear_line_for_other_kinds(self, options):
        with pytest.raises(fw.BadQuery):
            crowd("hall").add_source(2, area=AREA, **options)


class TestAppearing:
    @pytest.mark.parametrize("rate", [0.5, 3.0])
    def test_as_many_as_are_due(self, rate):
        it = crowd("hall", seed=2)
        ids = it.add_source(30, area=AREA, rate=rate, start=2.0, destinations=[(28.0, 18.0)])
        assert ids.tolist() == list(range(30))
        assert len(it) == 0
        for _ in range(120):
            before = it.time
            it.step()
            due = np.searchsorted(2.0 + np.arange(30) / rate, before + 1e-6)
            assert len(it) == due
            assert it.ids.tolist() == list(range(due))

    @examples(6)
    @given(st.integers(0, 2**32 - 1))
    def test_apart_and_clear(self, seed):
        it = crowd("hall", seed=seed)
        it.add(40, radius=(0.25, 0.05))
        it.add_source(40, area=AREA, schedule=[(0.0, 10), (0.5, 30)], radius=(0.3, 0.05))
        walls, seen = NearestWall(env("hall")), 40
        for _ in range(14):
            spawn_due(it._simulation)  # as at the begin of a step
            close = neighbours(it.positions, it.radii, -1e-9)
            assert not {(i, j) for i, j in close if max(i, j) >= seen}
            it.step()
            seen = len(it)
            assert_clear(walls, SHAPES["hall"], it)

    def test_a_character_without_space_appears_later(self):
        """A source of 4 m2 for 60 characters: they appear as others leave the area."""
        it = crowd("hall", seed=1)
        it.add_source(
            60, area=box(1, 1, 3, 3), schedule=[(0.0, 60)], destinations=[(28.0, 18.0)],
            then="exit",
        )  # fmt: skip
        it.step()
        assert 3 < len(it) < 40
        grown = [len(it)]
        for _ in range(60):
            it.step(10)
            grown.append(len(it) + it.exited)
        assert grown == sorted(grown)
        assert grown[-1] == 60

    def test_in_the_area(self):
        it = crowd("hall", seed=1)
        it.add_source(20, area=AREA, schedule=[(0.0, 20)], premovement=60.0)
        spawn_due(it._simulation)
        assert ((it.positions > 1) & (it.positions < 5)).all()
        assert len(it) == 20

    def test_of_wanderers(self):
        it = crowd("branch", seed=1)
        it.add_source(10, area=box(0, 0, 30, 4), rate=5.0, behaviour="wander")
        it.step(300)
        assert len(it) == 10
        assert (np.hypot(*it.velocities.T) > 0.1).sum() >= 8

    def test_of_nobody(self):
        it = crowd("hall")
        assert it.add_source(0, area=AREA, rate=1.0).tolist() == []
        it.step(5)
        assert len(it) == 0


class TestPremovement:
    def test_counts_from_when_it_appears(self):
        """Characters that had to wait for free space have the same premovement."""
        it = crowd("hall", seed=1)
        it.add_source(
            40, area=box(1, 1, 3, 3), schedule=[(0.0, 40)], premovement=2.0,
            destinations=[(28.0, 18.0)], then="exit",
        )  # fmt: skip
        begin = []
        for _ in range(600):
            spawn_due(it._simulation)
            journey = it._simulation.characters.state.journey[
                it._simulation.characters.slots(it.ids)
            ]
            new = journey[:, SINCE] == it.steps
            begin += (
                (journey[new, FIRST_STEP] - it.steps).tolist() if it.steps else [20] * new.sum()
            )
            it.step()
        assert len(begin) >= 40
        assert set(begin) == {20}

    def test_counts_from_when_it_is_due(self):
        it = crowd("hall")
        it.add_source(1, area=AREA, rate=1.0, start=1.0, premovement=2.0)
        assert starts_walking(it) == pytest.approx(3.1, abs=0.21)

    def test_of_a_source_that_is_added_later(self):
        it = crowd("hall")
        it.step(100)
        it.add_source(1, area=AREA, rate=1.0, premovement=1.0)
        assert starts_walking(it) == pytest.approx(11.1, abs=0.21)

    @pytest.mark.parametrize("case", ["no room", "queue", "long step"])
    def test_is_over_when_it_appears(self, case):
        it = crowd("hall", seed=1, step=1.0 if case == "long step" else 0.1)
        count = {"no room": 30, "long step": 2, "queue": 40}[case]
        area = box(1, 1, 3, 3) if case == "no room" else box(1, 1, 9, 19)
        it.add_source(count, area=area, schedule=[(0.05, count)], premovement=0.1)
        for _ in range(20):
            it.step()
            assert np.isfinite(it.positions).all()


def starts_walking(it):
    """Time at which the first character of a crowd moves."""
    for _ in range(400):
        it.step()
        if len(it) and np.abs(it.velocities).max() > 0:
            return it.time
    return np.inf


def test_unreachable_goals_are_refused():
    with pytest.raises(fw.NoPath):
        crowd("rooms").add_source(2, area=box(1, 1, 9, 9), rate=1.0, destinations=[(15.0, 5.0)])
