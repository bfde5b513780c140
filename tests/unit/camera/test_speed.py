"""The speed diagram: by hand, against its own inverse, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import footway as fw
from footway.camera import SpeedDiagram


class TestByHand:
    def test_a_long_line(self):
        diagram = SpeedDiagram([0, 20], [2.0], acceleration=1.0, deceleration=0.5)
        # 2 s and 2 m to speed up, 4 s and 4 m to slow down, 14 m at 2 m/s
        assert diagram.duration == pytest.approx(2 + 7 + 4)
        assert diagram.knots.tolist() == pytest.approx([0, 2, 16, 20])
        assert diagram.accelerations.tolist() == [1.0, 0.0, -0.5]

    def test_a_short_line_has_a_peak(self):
        diagram = SpeedDiagram([0, 3], [10.0], acceleration=1.0, deceleration=0.5)
        # v^2 = 2 s up to 1 m, where v^2 = 2, then down
        assert diagram.knots.tolist() == pytest.approx([0, 1, 3])
        assert diagram.speed_at(1.0) == pytest.approx(math.sqrt(2))
        assert diagram.duration == pytest.approx(3 * math.sqrt(2))

    def test_slows_before_an_arc_and_not_on_it(self):
        diagram = SpeedDiagram([0, 10, 12, 22], [2.0, 0.5, 2.0], acceleration=1, deceleration=1)
        assert diagram.speed_at([10, 11, 12]).tolist() == pytest.approx([0.5, 0.5, 0.5])
        assert diagram.speed_at(10 - 1.875) == pytest.approx(2.0)
        assert diagram.speed_at(10 - 1.0) == pytest.approx(1.5)

    def test_two_limits_that_braking_joins(self):
        """A far limit that is low bounds a near one that is high."""
        diagram = SpeedDiagram([0, 5, 6, 7], [3, 2, 0.1], acceleration=9, deceleration=0.5)
        assert float(diagram.speed_at(6)) == pytest.approx(0.1)
        assert float(diagram.speed_at(5)) == pytest.approx(math.sqrt(0.01 + 1.0))

    def test_speeding_up_goes_on_beyond_a_break(self):
        diagram = SpeedDiagram([0, 1, 40], [10, 10], acceleration=2.0, deceleration=0.5)
        assert float(diagram.speed_at(1)) == pytest.approx(2.0)

    def test_stands_at_a_break(self):
        diagram = SpeedDiagram([0, 4, 8], [2.0, 2.0], break_limits=[np.inf, 0.0, np.inf])
        assert float(diagram.speed_at(4)) == 0.0
        assert float(diagram.limit_at(4)) == 0.0
        assert diagram.duration == pytest.approx(2 * SpeedDiagram([0, 4], [2.0]).duration)

    def test_starts_and_ends_moving(self):
        diagram = SpeedDiagram([0, 5], [1.0], start_speed=1.0, end_speed=5.0)
        assert diagram.duration == pytest.approx(5.0)
        assert float(diagram.speed_at(5)) == 1.0

    def test_the_least_of_both_sides_at_a_break(self):
        diagram = SpeedDiagram([0, 1, 2], [1.0, 3.0])
        assert diagram.limit_at([0, 0.5, 1, 1.5, 2]).tolist() == [1, 1, 1, 3, 3]


class TestFunctions:
    @pytest.fixture
    def diagram(self) -> SpeedDiagram:
        return SpeedDiagram(
            [0, 3, 3.2, 9, 9.0001, 30], [1.4, 0.3, 1.0, 0.01, 1.4], acceleration=0.7
        )

    def test_time_and_distance_are_inverse(self, diagram):
        s = np.linspace(0, diagram.length, 5000)
        assert np.abs(diagram.distance_at(diagram.time_at(s)) - s).max() < 1e-9
        t = np.linspace(0, diagram.duration, 5000)
        assert np.abs(diagram.time_at(diagram.distance_at(t)) - t).max() < 1e-7

    def test_speed_by_time_and_by_place_are_the_same(self, diagram):
        t = np.linspace(0, diagram.duration, 5000)
        s = diagram.distance_at(t)
        assert np.abs(diagram.speed_after(t) - diagram.speed_at(s)).max() < 1e-6

    def test_ends_are_exact(self, diagram):
        assert float(diagram.distance_at(diagram.duration)) == diagram.length
        assert float(diagram.time_at(diagram.length)) == diagram.duration
        assert float(diagram.speed_at(0)) == float(diagram.speed_at(diagram.length)) == 0.0

    def test_beyond_the_ends_are_the_ends(self, diagram):
        assert diagram.distance_at([-1, diagram.duration + 9]).tolist() == [0, diagram.length]
        assert diagram.speed_after([-1, diagram.duration + 9]).tolist() == [0, 0]

    def test_to_dict(self, diagram):
        assert set(diagram.to_dict()) >= {"breaks", "limits", "knots", "speeds", "times"}


class TestBadInput:
    @pytest.mark.parametrize("name", ["acceleration", "deceleration"])
    @pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, "fast", None])
    def test_bounds_are_positive(self, name, bad):
        with pytest.raises(fw.BadQuery, match=f"the {name} is"):
            SpeedDiagram([0, 1], [1], **{name: bad})

    @pytest.mark.parametrize(
        ("breaks", "limits"),
        [
            ([0], []),
            ([0, 1], [1, 2]),
            ([0, 0], [1]),
            ([1, 2], [1]),
            ([0, math.nan], [1]),
            ([0, 1], [0]),
            ([0, 1], [-1]),
            ([0, 1], [math.inf]),
            ("ab", [1]),
        ],
    )
    def test_breaks_and_limits_fit(self, breaks, limits):
        with pytest.raises(fw.BadQuery) as refusal:
            SpeedDiagram(breaks, limits)
        assert "\n" not in str(refusal.value)
