"""The speed diagram: compared with values by hand and its inverse; refused input."""

from __future__ import annotations

import math

import numpy as np
import pytest

import footway as fw
from footway.camera import SpeedDiagram
from footway.camera.curve import Curve, blended, with_halts
from footway.camera.speed import Limits, Pace, _without_short_peaks, speed_limits


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


PACE = Pace(speed=1.4, acceleration=0.5, deceleration=0.5, turn_rate=0.8, look_ahead=1.0)


def bend(angle, radius, *, leg=10.0):
    """Curve of a line, an arc and a line."""
    turned = np.array([math.cos(angle), math.sin(angle)])
    points = np.array([(0.0, 0.0), (leg, 0.0), (leg, 0.0) + leg * turned])
    tangent = radius * math.tan(0.5 * angle)
    return blended(Curve.from_points(points), np.array([0.0, tangent, 0.0]))[0]


def polygon(radius, sides, part=0.5):
    """Points on a part of a circle."""
    angles = np.linspace(0, part * math.tau, sides)
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


class TestArcs:
    @pytest.mark.parametrize("radius", [0.1, 0.25, 1.0, 1.5])
    @pytest.mark.parametrize("angle", [1.0, 1.5, 2.5])
    def test_a_real_turn_is_limited_by_its_radius(self, angle, radius):
        limits = speed_limits(bend(angle, radius, leg=30.0), PACE)
        assert limits.pieces[1] == pytest.approx(0.8 * radius)

    @pytest.mark.parametrize("radius", [0.05, 0.25])
    def test_a_small_turn_is_not_limited(self, radius):
        assert speed_limits(bend(0.2, radius), PACE).pieces.tolist() == [1.4, 1.4, 1.4]

    def test_more_turn_is_never_faster(self):
        limits = [speed_limits(bend(angle, 0.25), PACE).pieces[1] for angle in np.linspace(0.1, 2)]
        assert (np.diff(limits) <= 1e-9).all()
        assert min(limits) == pytest.approx(0.2)

    def test_velocity_changes_by_no_more_than_the_acceleration_allows(self):
        limit = speed_limits(bend(0.6, 0.1), PACE).pieces[1]
        assert limit * 0.6 == pytest.approx(0.5, rel=1e-2)

    def test_never_slower_than_the_paper(self):
        for angle in np.linspace(0.1, 2.5, 30):
            for radius in (0.1, 0.5, 1.0, 5.0):
                limits = speed_limits(bend(angle, radius, leg=30.0), PACE)
                assert limits.pieces[1] >= min(1.4, 0.8 * radius) - 1e-9


class TestSampledCurves:
    @pytest.mark.parametrize("sides", [30, 100, 1000])
    def test_are_limited_like_the_curve(self, sides):
        """Corners of a polygon stand for the circle, whether they are rounded or not."""
        curve = with_halts(Curve.from_points(polygon(1.0, sides)))
        limits = speed_limits(curve, PACE)
        inner = limits.breaks[len(limits.breaks) // 3 : -(len(limits.breaks) // 3)]
        assert inner == pytest.approx(0.8, rel=0.15)
        assert np.ptp(inner) < 0.1

    def test_a_corner_stands_for_an_arc_between_the_middles_of_its_lines(self):
        """With a low turn rate no speed is gentle: its own limit holds."""
        corner = np.array([(-2, 0), (0, 0), (4 * math.cos(0.3), 4 * math.sin(0.3))])
        limits = speed_limits(Curve.from_points(corner), PACE._replace(turn_rate=0.05))
        assert limits.breaks[1] == pytest.approx(0.05 * 3.0 / 0.3)

    def test_halts_are_zero(self):
        curve = with_halts(Curve.from_points(np.array([(0, 0), (2, 0), (2, 2)], float)))
        assert speed_limits(curve, PACE).breaks.tolist() == [np.inf, 0.0, np.inf]


class TestShortPeaks:
    def zigzag(self, gap):
        """Two turns of 90 degrees, radius 1 m, with a gap between them."""
        side = 2.0 + gap
        points = np.array([(0, 0), (10, 0), (10, side), (20, side)], float)
        return blended(Curve.from_points(points), np.array([0.0, 1.0, 1.0, 0.0]))[0]

    def test_are_levelled(self):
        limits = speed_limits(self.zigzag(0.3), PACE)
        assert limits.pieces[1:4] == pytest.approx(0.8)

    def test_long_peaks_are_not_levelled(self):
        assert speed_limits(self.zigzag(3.0), PACE).pieces[2] == 1.4

    def test_a_stretch_is_short_if_it_takes_less_than_the_look_ahead(self):
        """At the speed of its neighbours, here 0.5 m/s."""
        for length, speed in ((0.49, 0.5), (0.51, 1.4)):
            limits = Limits(np.array([0.5, 1.4, 0.5]), np.full(4, np.inf))
            lengths = np.array([3.0, length, 3.0])
            levelled = _without_short_peaks(limits, lengths, look_ahead=1.0)
            assert levelled.pieces.tolist() == [0.5, speed, 0.5]


def test_strict_arcs_keep_the_limit_of_the_paper():
    cmap = fw.CorridorMap.build(fw.load("gallery:office"))
    path = cmap.path((9.6, 19.8), (58.9, 60.8), radius=0.25)
    curve = Curve.from_pieces(path.pieces)
    arcs = curve.curvatures > 0.0
    allowed = PACE.turn_rate / curve.curvatures[arcs]
    strict = speed_limits(curve, PACE._replace(arcs="strict")).pieces[arcs]
    eased = speed_limits(curve, PACE).pieces[arcs]
    assert (strict <= allowed * (1.0 + 1e-12)).all()
    assert (eased > allowed).any()
    slow, fast = (fw.camera.motion(path, arcs=how) for how in ("strict", "eased"))
    assert slow.duration > fast.duration
    with pytest.raises(fw.BadQuery, match="speed on arcs"):
        fw.camera.motion(path, arcs="fast")
