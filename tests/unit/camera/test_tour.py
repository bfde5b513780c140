"""Tours: past stops and at stops, in which order, and what is refused."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

import footway as fw
from footway.camera import Stop, motion, tour
from footway.camera.tour import EXACT, _improved, shortest_order
from footway.environment import Environment

STANDS = 1e-9
RESTING = [(2, 2), Stop((8, 2), dwell=3.0, look_at=(8, 6, 1.7)), (8, 8)]


@pytest.fixture(scope="module")
def cmap() -> fw.CorridorMap:
    """Two rooms with a door of 1 m at (10, 5), a pillar in the left one, and a closed cell."""
    env = Environment.from_polygons(
        bounds=(0, 0, 20, 10),
        obstacles=[
            [(9.9, 0), (10.1, 0), (10.1, 4.5), (9.9, 4.5)],
            [(9.9, 5.5), (10.1, 5.5), (10.1, 10), (9.9, 10)],
            [(4, 4), (6, 4), (6, 6), (4, 6)],
        ],
        lines=[[(17, 0), (17, 3), (20, 3)]],
    )
    return fw.CorridorMap.build(env)


def angles(directions):
    return np.unwrap(np.arctan2(directions[:, 1], directions[:, 0]))


class TestPastStops:
    def test_does_not_stop(self, cmap):
        trip = tour(cmap, [(2, 2), (8, 2), (8, 8), (2, 8)])
        inside = (trip.times > 2) & (trip.times < trip.duration - 2)
        assert trip.speeds[inside].min() > 0.3
        assert not trip.curve.halts.any()
        assert trip.arrivals.tolist() == trip.departures.tolist()

    @pytest.mark.parametrize("miss", [0.2, 0.5, 1.0])
    def test_comes_as_near_as_it_says(self, cmap, miss):
        trip = tour(cmap, [(2, 2), (8, 2), (8, 8)], miss=miss)
        assert trip.misses.tolist() == pytest.approx([0, miss, 0], abs=1e-6)
        nearest = np.linalg.norm(trip.positions[:, :2] - (8, 2), axis=1).min()
        assert nearest == pytest.approx(miss, abs=0.02)
        view = trip.at(trip.arrivals[1])
        assert np.hypot(*(view.position[:2] - (8, 2))) == pytest.approx(trip.misses[1])

    @pytest.mark.parametrize("gap", [0.5, 0.1])
    def test_keeps_its_distance_from_a_post_beyond_the_arc(self, gap):
        """The arc of 5 m miss would be `gap` from the post, between two places it is measured at.

        With 0.5 m its clearance is no more than that; 0.1 m is too near, and it takes another.
        """
        radius = 5.0 / math.tan(math.pi / 8)
        centre, angle = np.array([19 - radius, 1 + radius]), math.pi / 4 - math.pi / 256
        post = np.round(centre + (radius + gap) * np.array([math.cos(angle), -math.sin(angle)]), 3)
        square = [tuple(post + corner) for corner in ((0, 0), (0, -0.2), (0.2, -0.2), (0.2, 0))]
        env = Environment.from_polygons(bounds=(0, 0, 20, 20), obstacles=[square])
        trip = tour(fw.CorridorMap.build(env), [(1, 1), (19, 1), (19, 19)], miss=5.0)
        true = float(np.hypot(*(post - centre))) - radius
        if gap == 0.5:
            assert trip.misses[1] == pytest.approx(5.0)
            assert true - 0.002 < trip.clearance <= true
        else:
            assert trip.misses[1] < 4.9
            assert trip.clearance >= 0.25
            away = np.hypot(*(trip.positions[:, :2] - post).T)
            assert away.min() >= trip.clearance

    def test_stops_where_it_must_miss_nothing(self, cmap):
        trip = tour(cmap, [(2, 2), (8, 2), (8, 8)], miss=0.0)
        assert trip.misses.tolist() == [0, 0, 0]
        assert trip.departures[1] > trip.arrivals[1]
        assert trip.at(trip.arrivals[1] + 0.1).speed == 0.0

    def test_stops_and_turns_where_it_goes_back(self, cmap):
        trip = tour(cmap, [(2, 2), (8, 2), (2, 2)])
        assert trip.misses[1] == 0.0
        turned = angles(trip.directions)
        assert abs(turned[-1] - turned[0]) == pytest.approx(math.pi, abs=1e-6)
        assert np.abs(np.diff(turned)).max() * 30 <= 0.81

    def test_stops_straight_ahead_are_passed_at_full_speed(self, cmap):
        trip = tour(cmap, [(1, 2), (4, 2), (8, 2)])
        direct = tour(cmap, [(1, 2), (8, 2)])
        assert trip.duration == pytest.approx(direct.duration)
        assert trip.misses.max() < STANDS

    def test_arcs_keep_the_radius(self, cmap):
        """A stop in the door, where an arc has little clearance."""
        trip = tour(cmap, [(2, 2), (10, 5), (18, 8)], radius=0.4)
        s = np.linspace(0, trip.curve.length, 20000)
        clear = cmap.clearance(trip.curve.position(s)).min()
        assert clear >= 0.4 - 1e-6
        assert 0.4 - 1e-6 <= trip.clearance <= clear + 1e-6

    def test_is_continuous(self, cmap):
        trip = tour(cmap, [(2, 2), Stop((8, 2), 1.0, (8, 6)), (8, 8), (18, 8), (12, 1)])
        t = np.linspace(0, trip.duration, 100_001)
        moments = trip.source.at(t)
        step = t[1]
        assert np.linalg.norm(np.diff(moments.positions, axis=0), axis=1).max() <= 1.4001 * step
        rate = np.diff(angles(moments.directions)) / step
        assert np.abs(rate).max() < 1.0
        assert np.abs(np.diff(rate)).max() < 50 * step  # C1
        assert np.abs(np.diff(moments.speeds)).max() <= 0.5001 * step


class TestAtStops:
    def test_rests_and_looks(self, cmap):
        trip = tour(cmap, RESTING)
        still = np.flatnonzero(trip.speeds[1:-1] == 0.0) + 1
        assert trip.positions[still, :2] == pytest.approx(np.tile((8.0, 2.0), (len(still), 1)))
        looks = np.linalg.norm(trip.directions - (0, 1, 0), axis=1) < STANDS
        assert looks.sum() >= 3.0 * 30  # it dwells, and turning comes on top
        assert trip.departures[1] - trip.arrivals[1] > 3.0
        assert trip.misses[1] == 0.0

    def test_turns_no_faster_than_it_may(self, cmap):
        trip = tour(cmap, RESTING, turn_rate=0.4)
        rate = np.abs(np.diff(angles(trip.directions))) * 30
        assert rate.max() < 0.5

    def test_looks_up_and_down(self, cmap):
        trip = tour(cmap, [(2, 2), Stop((8, 2), 1.0, (8, 4, 3.7))])
        assert trip.directions[-1] == pytest.approx([0, math.sqrt(0.5), math.sqrt(0.5)])

    def test_looks_at_the_eyes_height_where_none_is_given(self, cmap):
        trip = tour(cmap, [(2, 2), Stop((8, 2), 1.0, (8, 4))], height=3.0)
        assert trip.directions[-1] == pytest.approx([0, 1, 0])

    def test_rests_first_and_last(self, cmap):
        trip = tour(cmap, [Stop((2, 2), 2.0, (2, 9)), Stop((8, 2), 4.0)])
        assert trip.directions[0] == pytest.approx([0, 1, 0])
        assert trip.arrivals[0] == 0.0
        assert trip.departures[0] > 2.0
        assert trip.duration - trip.arrivals[1] == pytest.approx(4.0)
        assert trip.departures[1] == pytest.approx(trip.duration)

    def test_a_dwell_time_without_a_thing_to_look_at(self, cmap):
        trip = tour(cmap, [Stop((2, 2), 2.0), Stop((8, 2), 2.0), (8, 8)])
        assert trip.at(1.0).direction == pytest.approx([1, 0, 0])
        assert trip.departures[0] == pytest.approx(2.0)
        assert trip.at(trip.arrivals[1] + 1.0).direction == pytest.approx([1, 0, 0])

    def test_a_glance(self, cmap):
        """With a target but no dwell time, the camera stops, looks there, and continues."""
        trip = tour(cmap, [(2, 2), Stop((8, 2), 0.0, (8, 0.5)), (8, 8)])
        assert np.linalg.norm(trip.directions - (0, -1, 0), axis=1).min() < 0.01


class TestOrder:
    STOPS = ((2, 2), (18, 8), (2, 8), (12, 1), (8, 8))

    def test_is_kept(self, cmap):
        assert tour(cmap, self.STOPS).order == (0, 1, 2, 3, 4)

    def test_is_optimised(self, cmap):
        trip = tour(cmap, self.STOPS, order="optimised")
        assert trip.order == (0, 2, 4, 1, 3) or trip.order == (0, 2, 4, 3, 1)  # noqa: PLR1714
        assert trip.length < tour(cmap, self.STOPS).length
        assert [stop.at for stop in trip.stops] == [self.STOPS[k] for k in trip.order]

    def test_dwell_times_go_with_their_stops(self, cmap):
        stops = [self.STOPS[0], Stop((18, 8), 2.0), *self.STOPS[2:]]
        trip = tour(cmap, stops, order="optimised")
        k = trip.order.index(1)
        assert trip.departures[k] - trip.arrivals[k] >= 2.0

    def test_has_two_names(self, cmap):
        assert "order" in refusal(cmap, self.STOPS, order="best")


class TestResult:
    def test_to_dict_is_json(self, cmap):
        values = json.loads(json.dumps(tour(cmap, RESTING).to_dict(), allow_nan=False))
        assert [stop["stop"] for stop in values["stops"]] == [0, 1, 2]
        assert values["stops"][1]["look_at"] == [8, 6, 1.7]

    def test_a_preferred_clearance_makes_wider_turns(self, cmap):
        stops = [(5, 2), (5, 8)]
        near, far = tour(cmap, stops), tour(cmap, stops, clearance=1.0)
        assert far.curve.curvatures.max() < near.curve.curvatures.max()
        assert far.clearance > near.clearance

    def test_on_a_roadmap(self):
        roadmap = fw.roadmap.rrm(fw.load("gallery:field"), resolution=0.5, radius=0.5)
        cmap = fw.CorridorMap.from_roadmap(roadmap)
        trip = tour(cmap, [(2, 2), (44, 40), (2, 44)], radius=0.5)
        s = np.linspace(0, trip.curve.length, 5000)
        assert cmap.clearance(trip.curve.position(s)).min() >= 0.5 - 1e-6


class TestBadInput:
    def test_one_stop_only(self, cmap):
        assert "two stops or more, not 1" in refusal(cmap, [(2, 2)])
        assert "two stops or more, not 0" in refusal(cmap, [])

    def test_a_stop_in_a_wall(self, cmap):
        message = refusal(cmap, [(2, 2), (5, 5), (8, 8)])
        assert "stop 2 (5.000, 5.000) is inside an obstacle" in message
        assert "the nearest free point for a radius of" in message
        assert "stop 1 (-3.000, 5.000)" in refusal(cmap, [(-3, 5), (2, 2)])

    def test_a_stop_too_near_to_a_wall(self, cmap):
        with pytest.raises(fw.NoPath, match=r"does not fit at stop 2 \(0.100, 5.000\)"):
            tour(cmap, [(2, 2), (0.1, 5)])

    @pytest.mark.parametrize("order", ["kept", "optimised"])
    def test_stops_in_different_components(self, cmap, order):
        with pytest.raises(fw.NoPath, match=r"from stop [12] to stop 3: ") as no:
            tour(cmap, [(2, 2), (8, 8), (18.5, 1.5)], order=order)
        assert no.value.reason == "components"

    @pytest.mark.parametrize("order", ["kept", "optimised"])
    def test_a_clearance_wider_than_the_map_allows(self, cmap, order):
        with pytest.raises(fw.NoPath) as no:
            tour(cmap, [(2, 2), (8, 8), (14, 7)], radius=0.6, order=order)
        message = str(no.value)
        assert "to stop 3" in message
        assert "1.000 m wide at" in message  # where it is too narrow
        assert no.value.pinch.radius == pytest.approx(0.5)
        assert "\n" not in message

    def test_the_same_stop_twice_in_a_row(self, cmap):
        assert "stops 2 and 3 are the same place" in refusal(cmap, [(2, 2), (8, 2), (8, 2)])

    @pytest.mark.parametrize("bad", [(1,), (1, 2, 3), "ab", None, 7, (math.nan, 1), (1, math.inf)])
    def test_a_stop_is_two_numbers(self, cmap, bad):
        assert "stop 2" in refusal(cmap, [(2, 2), bad])

    @pytest.mark.parametrize("bad", [-1, math.nan, math.inf, "long", None])
    def test_a_dwell_time_is_a_number(self, cmap, bad):
        assert "dwell time of stop 2" in refusal(cmap, [(2, 2), Stop((8, 2), bad)])

    @pytest.mark.parametrize("bad", [(1,), "up", 3, (math.nan, 1), (1, 2, 3, 4), (8, 2)])
    def test_a_thing_to_look_at_is_a_place(self, cmap, bad):
        assert "stop 2 looks at" in refusal(cmap, [(2, 2), Stop((8, 2), 1.0, bad)])

    @pytest.mark.parametrize(
        "name",
        ["speed", "acceleration", "deceleration", "turn_rate", "look_ahead", "rate", "radius"],
    )
    @pytest.mark.parametrize("bad", [-1, math.nan, "much"])
    def test_options_are_numbers(self, cmap, name, bad):
        assert name.replace("_", " ") in refusal(cmap, RESTING, **{name: bad}).replace("-", " ")

    def test_zero_accelerations(self, cmap):
        assert "more than 0" in refusal(cmap, RESTING, acceleration=0)
        assert "more than 0" in refusal(cmap, RESTING, deceleration=0)

    @pytest.mark.parametrize("bad", [None, "2,2; 8,8", 5])
    def test_stops_are_a_list(self, cmap, bad):
        assert "give a list of them" in refusal(cmap, bad)

    def test_a_map_in_space(self):
        space = fw.Volume.from_boxes((0, 0, 0, 8, 6, 4), [(3, 0, 0, 4, 3, 4)], resolution=1.0)
        smap = fw.CorridorMap.from_roadmap(fw.roadmap.rrm(space, size=(1, 1, 1)))
        assert "CorridorMap in the plane" in refusal(smap, [(1, 1, 1), (7, 1, 1)])


def refusal(cmap, stops, **options) -> str:
    """The message of `tour` for invalid input."""
    with pytest.raises(fw.BadInput) as error:
        tour(cmap, stops, **options)
    message = str(error.value)
    assert "\n" not in message
    assert 20 < len(message) < 300
    return message


def test_something_to_look_at_from_the_first_stop(cmap):
    """Even without a dwell time, the camera looks there before it leaves."""
    flight = tour(cmap, [Stop((2, 2), look_at=(2, 8, 1.7)), (8, 8)])
    assert flight.directions[0] == pytest.approx((0, 1, 0), abs=1e-9)
    assert flight.departures[0] > 0.0


def test_a_path_that_begins_with_an_arc_is_left_at_once(cmap):
    path = cmap.path((2, 2), (8, 8), radius=0.25)
    around = np.array([[0, 0, 1, 1, 0, 1, 1, 0.5 * np.pi, 0], [1, 1, 1, 3, 0, 0, 0, 0, 0]], float)
    bent = type(path)((0.0, 0.0), (1.0, 3.0), 0.25, 2.0 + 0.5 * np.pi, 0.25, around)
    flight = motion(bent)
    assert flight.duration == pytest.approx(flight.diagram.time_at(flight.length))
    assert flight.speeds[1] > 0.0


def order_length(lengths, order):
    return float(lengths[order[:-1], order[1:]].sum())


def lengths_of(count, seed):
    places = np.random.default_rng(seed).uniform(0, 100, (count, 2))
    return np.linalg.norm(places[:, None] - places[None], axis=2)


def length_of_the_best(lengths):
    """Of all orders that begin at place 0, m."""
    every = np.array([[0, *rest] for rest in itertools.permutations(range(1, len(lengths)))])
    return lengths[every[:, :-1], every[:, 1:]].sum(axis=1).min()


def assert_an_order(found, count):
    assert found[0] == 0
    assert sorted(found) == list(range(count))


def changes(order):
    """Every order that one reversal, or one move of up to three places in a row, gives."""
    n = len(order)
    for i, j in itertools.combinations(range(1, n), 2):
        yield [*order[:i], *reversed(order[i : j + 1]), *order[j + 1 :]]
    for size, i in itertools.product((1, 2, 3), range(1, n)):
        moved, rest = order[i : i + size], order[:i] + order[i + size :]
        if len(moved) == size:
            for k in range(1, len(rest) + 1):
                yield [*rest[:k], *moved, *rest[k:]]


@pytest.mark.parametrize("count", range(2, 10))
@pytest.mark.parametrize("seed", range(3))
def test_few_are_exact(count, seed):
    lengths = lengths_of(count, seed)
    found = shortest_order(lengths)
    assert_an_order(found, count)
    assert order_length(lengths, found) == pytest.approx(length_of_the_best(lengths))


@pytest.mark.parametrize("seed", range(3))
def test_as_many_as_are_exact(seed):
    """No change makes it shorter, and each half of it is the shortest path between its ends."""
    lengths = lengths_of(EXACT, seed)
    found = shortest_order(lengths)
    assert_an_order(found, EXACT)
    assert all(
        order_length(lengths, other) >= order_length(lengths, found) - 1e-9
        for other in changes(found)
    )
    for part in (found[-9:], found[:9][::-1]):
        inner = np.array(
            [[part[0], *rest, part[-1]] for rest in itertools.permutations(part[1:-1])]
        )
        best = lengths[inner[:, :-1], inner[:, 1:]].sum(axis=1).min()
        assert order_length(lengths, part) == pytest.approx(best)


@pytest.mark.parametrize("count", [EXACT + 1, 30])
@pytest.mark.parametrize("seed", range(3))
def test_many_are_made_shorter_by_no_reversal_and_no_move(count, seed):
    lengths = lengths_of(count, seed)
    found = shortest_order(lengths)
    assert_an_order(found, count)
    length = order_length(lengths, found)
    assert length < order_length(lengths, list(range(count)))
    assert all(order_length(lengths, other) >= length - 1e-9 for other in changes(found))


def test_a_move_is_found_where_no_reversal_helps():
    """From some starting orders no reversal is an improvement, but a move is."""
    moved = 0
    for seed in range(20):
        lengths = lengths_of(EXACT + 1, seed)
        order = list(range(EXACT + 1))
        while True:  # reversals only
            n = len(order)
            turns = [
                [*order[:i], *reversed(order[i : j + 1]), *order[j + 1 :]]
                for i, j in itertools.combinations(range(1, n), 2)
            ]
            best = min(turns, key=lambda other: order_length(lengths, other))
            if order_length(lengths, best) >= order_length(lengths, order) - 1e-9:
                break
            order = best
        found = _improved(lengths, order)
        assert_an_order(found, n)
        moved += order_length(lengths, found) < order_length(lengths, order) - 1e-9
    assert moved > 0


def test_hundreds_of_places_take_no_hundreds_of_lists():
    lengths = lengths_of(200, 5)
    found = shortest_order(lengths)
    assert_an_order(found, 200)
    assert order_length(lengths, found) < 0.76 * np.sqrt(200 * 100.0**2) * 1.25  # of a random tour


def test_places_on_a_line_come_in_their_order():
    places = np.array([0.0, 7.0, 3.0, 5.0, 1.0])
    assert shortest_order(np.abs(places[:, None] - places[None])) == [0, 4, 2, 3, 1]
