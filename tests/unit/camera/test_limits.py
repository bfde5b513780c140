"""Greatest speeds: by the radius of arcs, eased where a turn is small (section 4.1)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footway.camera.blending import blended, with_halts
from footway.camera.course import course_of_points
from footway.camera.limits import Limits, Pace, _without_short_peaks, speed_limits

PACE = Pace(speed=1.4, acceleration=0.5, deceleration=0.5, turn_rate=0.8, look_ahead=1.0)


def bend(angle, radius, *, leg=10.0):
    """Course of a line, an arc and a line."""
    turned = np.array([math.cos(angle), math.sin(angle)])
    points = np.array([(0.0, 0.0), (leg, 0.0), (leg, 0.0) + leg * turned])
    tangent = radius * math.tan(0.5 * angle)
    return blended(course_of_points(points), np.array([0.0, tangent, 0.0]))[0]


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
        course = with_halts(course_of_points(polygon(1.0, sides)))
        limits = speed_limits(course, PACE)
        inner = limits.breaks[len(limits.breaks) // 3 : -(len(limits.breaks) // 3)]
        assert inner == pytest.approx(0.8, rel=0.15)
        assert np.ptp(inner) < 0.1

    def test_a_corner_stands_for_an_arc_between_the_middles_of_its_lines(self):
        """With a low turn rate no speed is gentle: its own limit holds."""
        corner = np.array([(-2, 0), (0, 0), (4 * math.cos(0.3), 4 * math.sin(0.3))])
        limits = speed_limits(course_of_points(corner), PACE._replace(turn_rate=0.05))
        assert limits.breaks[1] == pytest.approx(0.05 * 3.0 / 0.3)

    def test_halts_are_zero(self):
        course = with_halts(course_of_points(np.array([(0, 0), (2, 0), (2, 2)], float)))
        assert speed_limits(course, PACE).breaks.tolist() == [np.inf, 0.0, np.inf]


class TestShortPeaks:
    def zigzag(self, gap):
        """Two turns of 90 degrees, radius 1 m, with a gap between them."""
        side = 2.0 + gap
        points = np.array([(0, 0), (10, 0), (10, side), (20, side)], float)
        return blended(course_of_points(points), np.array([0.0, 1.0, 1.0, 0.0]))[0]

    def test_are_levelled(self):
        limits = speed_limits(self.zigzag(0.3), PACE)
        assert limits.pieces[1:4] == pytest.approx(0.8)

    def test_long_ones_are_not(self):
        assert speed_limits(self.zigzag(3.0), PACE).pieces[2] == 1.4

    def test_a_stretch_is_short_if_it_takes_less_than_the_look_ahead(self):
        """At the speed of its neighbours, here 0.5 m/s."""
        for length, speed in ((0.49, 0.5), (0.51, 1.4)):
            limits = Limits(np.array([0.5, 1.4, 0.5]), np.full(4, np.inf))
            lengths = np.array([3.0, length, 3.0])
            levelled = _without_short_peaks(limits, lengths, look_ahead=1.0)
            assert levelled.pieces.tolist() == [0.5, speed, 0.5]
