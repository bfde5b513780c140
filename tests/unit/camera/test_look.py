"""Looking ahead turns C1 where the tangent's rate jumps; turns on the spot are eased."""

from __future__ import annotations

import math

import numpy as np
import pytest

import footway as fw
from footway.camera.look import Gaze, as_directions, as_gaze, turn_between

STEP = 1e-4
"""s. Rates are measured over this time; a continuous one changes by little in it."""


@pytest.fixture(scope="module")
def bend() -> fw.camera.CameraMotion:
    """A line, an arc of 1 m over 90 degrees, and a line."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 20), obstacles=[[(0, 6), (10, 6), (10, 20), (0, 20)]]
    )
    path = fw.CorridorMap.build(env).path((2, 5), (11, 15), radius=1.0)
    assert path.turns == 1
    return fw.camera.motion(path)


def headings(directions):
    return np.unwrap(np.arctan2(directions[:, 1], directions[:, 0]))


def rate_jump(angle_at, t):
    """How much a rate changes at a time: from the right less from the left, rad/s."""
    before, here, after = angle_at(np.array([t - STEP, t, t + STEP]))
    return abs((after - here) - (here - before)) / STEP


class TestAtTheStartOfAnArc:
    def test_the_tangent_jumps_and_the_view_does_not(self, bend):
        diagram, curve = bend.diagram, bend.curve
        along = lambda t: headings(curve.tangent(diagram.distance_at(t)))  # noqa: E731
        view = lambda t: headings(bend.source.at(t).directions)  # noqa: E731
        for s in curve.breaks[1:3]:  # the arc begins and ends
            t = float(diagram.time_at(s))
            jump = float(diagram.speed_at(s)) * 1.0  # speed times curvature
            assert rate_jump(along, t) == pytest.approx(jump, rel=0.01)
            assert jump > 0.7
            assert rate_jump(view, t) < 20 * STEP
            assert rate_jump(view, t - 1.0) < 20 * STEP  # when it sees the arc

    def test_the_rate_is_continuous_everywhere(self, bend):
        t = np.arange(0, bend.duration, STEP)
        rate = np.diff(headings(bend.source.at(t).directions)) / STEP
        assert np.abs(np.diff(rate)).max() < 20 * STEP
        assert np.abs(rate).max() < 0.85  # the turn rate is 0.8
        along = headings(bend.curve.tangent(bend.diagram.distance_at(t)))
        assert np.abs(np.diff(np.diff(along))).max() / STEP > 0.4 > 100 * 20 * STEP

    def test_looks_where_it_will_be_in_a_second(self, bend):
        for t in (0.0, 3.0, 7.7, 10.0):
            here, there = bend.at(t), bend.at(t + 1.0)
            toward = there.position - here.position
            assert here.direction == pytest.approx(toward / np.linalg.norm(toward))


class TestAtTheEnd:
    def test_looks_along_the_last_tangent(self, bend):
        last = bend.curve.tangent(bend.curve.length)
        assert bend.directions[-1] == pytest.approx([*last, 0.0])
        for early in (1e-3, 1e-6, 1e-9):
            assert bend.at(bend.duration - early).direction == pytest.approx([*last, 0.0], abs=1e-3)

    def test_also_on_an_arc(self):
        angles = np.linspace(0, 1.0, 40)
        circle = 3 * np.column_stack([np.sin(angles), 1 - np.cos(angles)])
        flight = fw.camera.motion(circle)
        late = flight.source.at(flight.duration - np.array([1e-2, 1e-4, 1e-6, 0.0])).directions
        last = flight.curve.tangent(flight.curve.length)
        assert np.linalg.norm(late[:, :2] - last, axis=1) == pytest.approx(0.0, abs=1e-3)


class TestTurns:
    @pytest.mark.parametrize("angle", [0.01, 0.5, 1.5, 3.0, -2.0])
    @pytest.mark.parametrize("end_rate", [0.0, 0.4])
    def test_are_eased_and_bounded(self, angle, end_rate):
        turn = turn_between(Gaze(0.0, 0.0), Gaze(angle, 0.1, end_rate), 0.8)
        t = np.linspace(0, turn.duration, 20001)
        directions = turn.directions(t)
        step = t[1]
        rate = np.diff(headings(directions)) / step
        assert np.abs(np.diff(rate)).max() < 10 * step * (1 + end_rate / turn.duration)
        assert abs(rate[0]) < 0.01
        assert rate[-1] == pytest.approx(end_rate, abs=0.01)
        assert np.abs(rate).max() < 0.8 + end_rate
        assert directions[-1] == pytest.approx(as_directions(np.array([angle]), np.array([0.1]))[0])

    @pytest.mark.parametrize(("heading_rate", "pitch_rate"), [(0.4, 0.0), (0.0, -0.4)])
    def test_without_an_angle_still_reach_the_rate_gently(self, heading_rate, pitch_rate):
        """The rate changes by no more than the turn rate in a second on average."""
        last = Gaze(1.0, 0.2, heading_rate, pitch_rate)
        assert turn_between(Gaze(1.0, 0.2), last, 0.8).duration == pytest.approx(0.4 / 0.8)

    def test_take_the_shorter_turn(self):
        turn = turn_between(Gaze(3.0, 0.0), Gaze(-3.0, 0.0), 0.8)
        assert turn.last.heading == pytest.approx(math.tau - 3.0)

    def test_keep_the_horizon_level(self):
        turn = turn_between(Gaze(0.0, 0.0), Gaze(math.pi, 0.0), 0.8)
        assert turn.directions(np.linspace(0, turn.duration, 50))[:, 2] == pytest.approx(0.0)

    def test_a_vertical_gaze_keeps_the_heading(self):
        assert as_gaze(np.array([0.0, 0.0, -2.0]), heading=1.2) == Gaze(1.2, -0.5 * math.pi)

    def test_rates_of_a_gaze(self):
        x, rate = np.array([1.0, 2.0, 0.5]), np.array([-0.3, 0.1, 0.2])
        gaze, later = as_gaze(x, rate), as_gaze(x + 1e-6 * rate)
        assert gaze.heading_rate == pytest.approx((later.heading - gaze.heading) / 1e-6, rel=1e-4)
        assert gaze.pitch_rate == pytest.approx((later.pitch - gaze.pitch) / 1e-6, rel=1e-4)
