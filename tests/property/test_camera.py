"""Cameras on random paths and tours: within bounds, time-optimal, clear of walls, gentle."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import footway as fw
from footway.camera import SpeedDiagram
from tests.effort import examples
from tests.oracle.clearance import path_clearance
from tests.oracle.speed import Bounds, fastest_search, highest_speeds
from tests.property.test_paths import Asked, path_or_none, questions

if TYPE_CHECKING:
    from footway.camera.curve import Curve
    from footway.environment import Environment

EXACT = 1e-6
"""m. What the issue asks of clearances."""

LOOSE = 1e-9
"""Relative rounding of speeds and accelerations."""

INSTANT = 1e-6
"""s. Over which rates of the view are measured."""

WILD = 7.0
"""Times the turn rate that a view may turn with any options: strong accelerations out of a slow
turn swing the place ahead around faster than the camera turns. The worst of 3500 was 5.6."""

SOLID = st.sampled_from([0.1, 0.25, 0.5])
PACES = st.fixed_dictionaries(
    {
        "speed": st.sampled_from([0.5, 1.4, 5.0]),
        "acceleration": st.sampled_from([0.1, 0.5, 3.0]),
        "deceleration": st.sampled_from([0.2, 0.5, 2.0]),
        "turn_rate": st.sampled_from([0.3, 0.8, 2.0]),
        "look_ahead": st.sampled_from([0.3, 1.0, 2.0]),
    }
)


@st.composite
def bounds(draw: st.DrawFn) -> Bounds:
    """Draw lengths and limits of pieces over several orders of magnitude."""
    size = st.sampled_from([1e-3, 0.1, 0.5, 1.0, 3.0, 20.0])
    limit = st.sampled_from([0.01, 0.2, 0.5, 1.0, 1.4, 5.0])
    pieces = draw(st.lists(st.tuples(size, limit), min_size=1, max_size=8))
    rates = st.sampled_from([0.05, 0.5, 1.0, 4.0])
    breaks = np.concatenate([[0.0], np.cumsum([length for length, _ in pieces])])
    return Bounds(breaks, np.array([most for _, most in pieces]), draw(rates), draw(rates))


def diagram_of(it: Bounds) -> SpeedDiagram:
    return SpeedDiagram(
        it.breaks, it.limits, acceleration=it.acceleration, deceleration=it.deceleration
    )


class TestSpeedDiagram:
    @examples(150)
    @given(bounds())
    def test_keeps_its_bounds(self, it: Bounds):
        assert_within_bounds(diagram_of(it))

    @examples(60)
    @given(bounds())
    def test_no_motion_is_faster_anywhere(self, it: Bounds):
        """A linear programme finds the greatest speed at every place at once."""
        places = it.places(12)
        assert diagram_of(it).speed_at(places) == pytest.approx(
            highest_speeds(it, places), abs=1e-5, rel=1e-6
        )

    @examples(40)
    @given(bounds())
    def test_no_motion_takes_less_time(self, it: Bounds):
        """A search over places and speeds finds nothing quicker, and comes near."""
        diagram = diagram_of(it)
        best = fastest_search(it, it.places(24), 80)
        assert diagram.duration <= best * (1 + 1e-9)

    @examples(60)
    @given(bounds())
    def test_time_and_place_are_inverse(self, it: Bounds):
        diagram = diagram_of(it)
        s = np.linspace(0.0, diagram.length, 500)
        assert np.abs(diagram.distance_at(diagram.time_at(s)) - s).max() < 1e-7


def test_the_search_comes_near_where_its_grid_is_fine():
    """That it finds nothing quicker would say little if it found nothing."""
    it = Bounds(np.array([0.0, 6.0, 7.0, 12.0]), np.array([2.0, 1.0, 2.0]), 1.0, 1.0)
    best = fastest_search(it, it.places(64), 513)
    assert diagram_of(it).duration <= best <= 1.02 * diagram_of(it).duration


class TestMotions:
    @examples(40)
    @given(questions(SOLID), PACES)
    def test_of_short_paths(self, it: Asked, pace: dict[str, float]):
        for a, b in it.pairs:
            path = path_or_none(it.cmap, a, b, it.radius)
            if path is None or path.length < EXACT:
                continue
            flight = fw.camera.motion(path, **pace, rate=10)
            assert_within_bounds(flight.diagram)
            assert_slow_in_bends(flight)
            assert flight.diagram.speeds.max() <= pace["speed"]
            assert flight.length == pytest.approx(path.length)
            assert_clear(it.env, flight.curve, it.radius)
            assert_gentle(flight, WILD)

    @examples(25)
    @given(questions(SOLID), PACES, st.sampled_from([0.0, 0.5, 1.0]))
    def test_of_walks(self, it: Asked, pace: dict[str, float], noise: float):
        a, b = it.pairs[0]
        assume(path_or_none(it.cmap, a, b, it.radius) is not None)
        walk = fw.follow.cmm(it.cmap.corridor(a, b, radius=it.radius), noise=noise)
        assume(walk.length > EXACT)
        flight = fw.camera.motion(walk, **pace, rate=10)
        assert_within_bounds(flight.diagram)
        assert_clear(it.env, flight.curve, min(it.radius, walk.clearance))
        assert flight.clearance <= walk.clearance + EXACT
        assert_gentle(flight, WILD)

    @examples(60)
    @given(
        st.lists(
            st.tuples(*[st.integers(0, 40).map(lambda k: 0.25 * k)] * 3), min_size=2, max_size=8
        ),
        st.sampled_from([2, 3]),
        PACES,
    )
    def test_of_polylines(self, places, dimension: int, pace: dict[str, float]):
        points = np.array(places)[:, :dimension]
        assume(np.ptp(points, axis=0).any())
        flight = fw.camera.motion(points, **pace, rate=10)
        assert_within_bounds(flight.diagram)
        assert_slow_in_bends(flight)
        assert np.isfinite(flight.table).all()
        assert_gentle(flight, WILD)
        assert flight.positions[-1][:dimension].tolist() == points[-1].tolist()
        # It leaves the corners by no more than it may, and its halts are on them.
        here = flight.curve.position(np.linspace(0, flight.curve.length, 400))
        assert distance_to_polyline(here, points).max() <= 0.25 + 1e-9

    @examples(40)
    @given(questions(SOLID))
    def test_turn_gently_with_the_defaults(self, it: Asked):
        for a, b in it.pairs:
            path = path_or_none(it.cmap, a, b, it.radius)
            if path is not None and path.length > EXACT:
                assert_gentle(fw.camera.motion(path), 2.0)


class TestTours:
    @examples(40)
    @given(questions(SOLID), PACES, st.sampled_from([0.1, 0.5, 1.5]), st.booleans())
    def test_keep_clear_and_visit_all(self, it: Asked, pace, miss: float, rests: bool):
        places = [it.pairs[0][0], *(b for _, b in it.pairs)]
        stops = [fw.camera.Stop(at, float(rests and k == 2)) for k, at in enumerate(places)]
        legs = list(pairwise(places))
        assume(all(math.dist(a, b) > 0.01 for a, b in legs))
        # There is a tour where there are paths, and nowhere else.
        assume(all(path_or_none(it.cmap, a, b, it.radius) is not None for a, b in legs))
        trip = fw.camera.tour(it.cmap, stops, radius=it.radius, miss=miss, rate=10, **pace)
        assert_within_bounds(trip.diagram)
        assert_slow_in_bends(trip)
        assert_clear(it.env, trip.curve, it.radius)
        assert (trip.misses <= miss + 1e-9).all()
        assert (np.diff(trip.arrivals) > 0.0).all()
        assert (trip.departures >= trip.arrivals).all()
        for stop, time, far in zip(trip.stops, trip.arrivals, trip.misses, strict=True):
            assert math.dist(trip.at(time).position[:2], stop.at) == pytest.approx(far, abs=1e-6)
        assert_gentle(trip, WILD)


def assert_within_bounds(diagram: SpeedDiagram) -> None:
    """Speed and accelerations at many arc lengths and times, by differences."""
    s = np.unique(np.concatenate([np.linspace(0.0, diagram.length, 2000), diagram.knots]))
    speed = diagram.speed_at(s)
    assert (speed <= diagram.limit_at(s) * (1 + LOOSE)).all()
    assert speed[0] == speed[-1] == 0.0
    rise = np.diff(speed**2)  # twice the acceleration times the distance
    most = 2.0 * np.diff(s) * (1 + 1e-6) + 1e-12 * max(1.0, float(speed.max()) ** 2)
    assert (rise <= diagram.acceleration * most + 1e-12).all()
    assert (-rise <= diagram.deceleration * most + 1e-12).all()
    assert diagram.accelerations.max() <= diagram.acceleration
    assert diagram.accelerations.min() >= -diagram.deceleration
    assert (np.diff(diagram.times) >= 0.0).all()


def assert_slow_in_bends(flight: fw.camera.CameraMotion) -> None:
    """An arc is passed at turn rate times radius, or it turns by little in the time looked ahead.

    By sampled tangents of the curve, and not by the limits that the code itself found.
    """
    curve, pace = flight.curve, flight.source.pace
    for k in np.flatnonzero(curve.curvatures):
        first, last = curve.breaks[k], curve.breaks[k + 1]
        speed = float(flight.diagram.speed_at(np.linspace(first, last, 50)).max())
        if speed <= pace.turn_rate / curve.curvatures[k] * (1 + LOOSE):
            continue
        window = speed * pace.look_ahead * (1 - 1e-6)
        middle = 0.5 * (first + last)
        turned = max(
            turn_within(curve, first, first + window),
            turn_within(curve, last - window, last),
            turn_within(curve, middle - 0.5 * window, middle + 0.5 * window),
        )
        hidden = 2.0 * math.atan(0.5 * pace.turn_rate * pace.look_ahead)
        change = min(pace.acceleration, pace.deceleration) * pace.look_ahead
        assert turned <= min(hidden, change / speed) + 1e-6


def turn_within(curve: Curve, first: float, last: float) -> float:
    """Angle by which a curve turns between two arc lengths, rad, less the turns at halts."""
    first, last = max(0.0, first), min(curve.length, last)
    inside = curve.breaks[(curve.breaks > first) & (curve.breaks < last)]
    ends = np.unique(np.concatenate([[first], inside, [last]]))
    parts = [np.linspace(a, b - min(1e-9, 0.5 * (b - a)), 40) for a, b in pairwise(ends)]
    bends = [np.abs(turns_of(curve.tangent(part))).sum() for part in parts]
    corners = [curve.corners[curve.breaks == s] for s in inside if not is_halt(curve, s)]
    return float(sum(bends) + sum(float(corner.sum()) for corner in corners))


def turns_of(tangents):
    """Angles (n - 1,) between neighbouring unit vectors (n, d)."""
    return 2.0 * np.arcsin(np.clip(0.5 * np.linalg.norm(np.diff(tangents, axis=0), axis=1), 0, 1))


def is_halt(curve: Curve, s: float) -> bool:
    return bool(curve.halts[curve.breaks == s].any())


def assert_clear(env: Environment, curve: Curve, radius: float) -> None:
    """Shapely measures the curve; samples on arcs are 1 mrad apart, their chords 1e-7 m off."""
    count = np.maximum(1, np.ceil(curve.curvatures * curve.lengths / 1e-3)).astype(int)
    parts = [
        np.linspace(a, b, n, endpoint=False)
        for a, b, n in zip(curve.breaks, curve.breaks[1:], count, strict=False)
    ]
    points = curve.position(np.append(np.concatenate(parts), curve.length))
    assert path_clearance(points, env) >= radius - EXACT


def assert_gentle(flight: fw.camera.CameraMotion, times: float) -> None:
    """Directions are unit vectors; they turn `times` the turn rate at most, with a C1 rotation.

    The rate is measured on both sides of every moment at which the camera, or the place that it
    looks at, comes to the end of a piece or of a phase. A corner without a halt, as a walk has them
    where there is no room for an arc, is no C1 curve to begin with: it is left out, when the camera
    passes it and when it looks at it.
    """
    every = np.linspace(0.0, flight.duration, 5_001)
    directions = flight.source.at(every).directions
    assert np.linalg.norm(directions, axis=1) == pytest.approx(1.0, abs=1e-9)
    rate = np.linalg.norm(np.diff(directions, axis=0), axis=1) / every[1]
    turn_rate, look_ahead = flight.source.pace.turn_rate, flight.source.pace.look_ahead
    assert rate.max() <= times * turn_rate
    events = np.concatenate(
        [
            [flight.source.time_of(s) for s in flight.curve.breaks],
            [flight.source.time_of(s) for s in flight.diagram.knots],
            flight.source.departures,
        ]
    )
    events = np.concatenate([events, events - look_ahead])
    events = events[(events > INSTANT) & (events < flight.duration - INSTANT)]
    passed = (flight.curve.corners > 0.0) & ~flight.curve.halts
    corners = np.array([flight.source.time_of(s) for s in flight.curve.breaks[passed]])
    corners = np.concatenate([corners, corners - look_ahead])
    near = np.abs(events[:, None] - corners).min(axis=1, initial=np.inf) < 3 * INSTANT
    events = events[~near]
    before, here, after = (
        flight.source.at(events + shift).directions for shift in (-INSTANT, 0.0, INSTANT)
    )
    jumps = np.linalg.norm(after - 2.0 * here + before, axis=1) / INSTANT
    assert jumps.max(initial=0.0) <= 0.02 * max(1.0, float(rate.max()))


def distance_to_polyline(places, points):
    """Distance (n,) of places to a polyline, m."""
    a, along = points[:-1], np.diff(points, axis=0)
    offset = places[:, None] - a
    share = (offset * along).sum(axis=2) / np.maximum((along**2).sum(axis=1), 1e-300)
    return np.linalg.norm(offset - np.clip(share, 0, 1)[..., None] * along, axis=2).min(axis=1)
