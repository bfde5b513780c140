"""Motions along every kind of path, their frames, and what is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import footway as fw
from footway.camera.curve import SHARP
from footway.camera.motion import COLUMNS, Flight, checked_pace, plan_curve

NOT_NUMBERS = [math.nan, math.inf, -math.inf, "fast", None, [1, 2], 1j]
OPTIONS = ["speed", "acceleration", "deceleration", "turn_rate", "look_ahead", "rate"]


@pytest.fixture(scope="module")
def cmap() -> fw.CorridorMap:
    return fw.CorridorMap.build(fw.load("gallery:field"))


@pytest.fixture(scope="module")
def block() -> fw.CorridorMap:
    """A corridor of 3 m around two sides of an obstacle with a corner at (3, 3)."""
    ring = [(3, 3), (11, 3), (11, 11), (3, 11)]
    return fw.CorridorMap.build(
        fw.Environment.from_polygons(bounds=(0, 0, 12, 12), obstacles=[ring])
    )


@pytest.fixture(scope="module")
def path(cmap) -> fw.Path:
    return cmap.path((2, 2), (44, 40), radius=0.25)


@pytest.fixture(scope="module")
def flight(path) -> fw.camera.CameraMotion:
    return fw.camera.motion(path)


class TestFrames:
    def test_are_as_many_as_the_rate_says(self, flight):
        step = np.diff(flight.times)
        assert step[:-1] == pytest.approx(1 / 30)
        assert 0 < step[-1] <= 1 / 30 + 1e-6
        assert flight.times[0] == 0.0
        assert flight.times[-1] == flight.duration

    def test_begin_and_end_exactly_on_the_path(self, flight, path):
        assert flight.positions[0].tolist() == [*path.start, 1.7]
        assert flight.positions[-1].tolist() == [*path.goal, 1.7]
        assert flight.speeds[[0, -1]].tolist() == [0.0, 0.0]
        assert flight.length == pytest.approx(path.length)

    def test_directions_are_unit_vectors(self, flight):
        assert np.linalg.norm(flight.directions, axis=1) == pytest.approx(1.0, abs=1e-12)

    def test_table(self, flight):
        assert len(COLUMNS) == flight.table.shape[1]
        assert flight.table[:, 0].tolist() == flight.times.tolist()
        assert flight.table[:, 7].tolist() == flight.speeds.tolist()

    def test_at_a_time_of_a_frame(self, flight):
        view = flight.at(flight.times[100])
        assert view.position.tolist() == flight.positions[100].tolist()
        assert view.direction.tolist() == flight.directions[100].tolist()
        assert view.speed == flight.speeds[100]
        assert view.arc_length == flight.arc_lengths[100]

    def test_at_a_time_before_and_after(self, flight):
        assert flight.at(-5).position.tolist() == flight.positions[0].tolist()
        assert flight.at(1e9).position.tolist() == flight.positions[-1].tolist()

    def test_speed_is_how_fast_it_moves(self, flight):
        t = np.linspace(0.1, flight.duration - 0.1, 500)
        moved = flight.source.at(t + 1e-6).positions - flight.source.at(t - 1e-6).positions
        assert np.linalg.norm(moved, axis=1) / 2e-6 == pytest.approx(
            flight.source.at(t).speeds, abs=1e-5
        )

    def test_to_dict_is_json(self, flight):
        values = json.loads(json.dumps(flight.to_dict(), allow_nan=False))
        assert len(values["frames"]) == len(flight.times)
        assert values["clearance"] == pytest.approx(0.25)

    def test_repr(self, flight):
        assert repr(flight).startswith("CameraMotion(")

    def test_the_same_bits_again(self, flight, path):
        assert fw.camera.motion(path).table.tobytes() == flight.table.tobytes()

    def test_a_very_short_path(self):
        flight = fw.camera.motion([(1.0, 2.0), (1.0, 2.0 + 1e-6)])
        assert flight.directions[-1].tolist() == pytest.approx([0, 1, 0])
        assert len(flight.times) == 2


class TestPaths:
    def test_a_walk(self, cmap):
        walk = fw.follow.cmm(cmap.corridor((2, 2), (44, 40), radius=0.25), noise=0.5)
        flight = fw.camera.motion(walk)
        assert flight.length == pytest.approx(walk.length, rel=1e-3)
        assert not flight.curve.halts.any()
        assert flight.clearance >= walk.radius
        assert flight.speeds[flight.times > 4][:-200].min() > 0.3  # no stop and go

    def test_a_walk_that_touches_walls_keeps_its_radius(self):
        env = fw.Environment.from_polygons(
            bounds=(0, 0, 20, 20), obstacles=[[(0, 5), (10, 5), (10, 20), (0, 20)]]
        )
        cmap = fw.CorridorMap.build(env)
        corridor = cmap.corridor((2, 2), (15, 15), radius=0.5)
        walk = fw.follow.cmm(corridor, shortcut=1.0, corner=2.0)
        for flight in (fw.camera.motion(walk), fw.camera.motion(walk, cmap=cmap)):
            s = np.linspace(0, flight.curve.length, 20000)
            clear = cmap.clearance(flight.curve.position(s)).min()
            assert clear >= 0.5 - 1e-6
            assert flight.clearance <= clear + 1e-6

    def test_a_roadmap_path_with_corners(self):
        roadmap = fw.roadmap.rrm(fw.load("gallery:field"), resolution=0.5, radius=0.5)
        cmap = fw.CorridorMap.from_roadmap(roadmap)
        path = cmap.path((2, 2), (44, 40), radius=0.5)
        flight = fw.camera.motion(path, cmap=cmap)
        s = np.linspace(0, flight.curve.length, 5000)
        assert cmap.clearance(flight.curve.position(s)).min() >= 0.5 - 1e-6
        assert flight.curve.halts.sum() <= fw.camera.motion(path).curve.halts.sum()

    def test_a_path_in_space(self):
        space = fw.Volume.from_boxes((0, 0, 0, 8, 6, 4), [(3, 0, 0, 4, 3, 4)], resolution=1.0)
        smap = fw.CorridorMap.from_roadmap(fw.roadmap.rrm(space, size=(1, 1, 1)))
        path = smap.path((1, 1, 1), (7, 1, 3))
        flight = fw.camera.motion(path, cmap=smap)
        assert flight.positions[0].tolist() == [1, 1, 1]
        assert flight.positions[-1].tolist() == [7, 1, 3]
        s = np.linspace(0, flight.curve.length, 2000)
        assert smap.clearance(flight.curve.position(s)).min() >= path.radius - 1e-6

    @pytest.mark.parametrize(
        ("name", "start", "goal", "halts"),
        [("block", (2, 10), (10, 2), 1), ("cmap", (2, 2), (44, 40), 0)],
    )
    def test_a_path_of_a_point_turns_standing(self, request, name, start, goal, halts):
        """A path of radius 0 turns at corners of walls, where no arc fits."""
        path = request.getfixturevalue(name).path(start, goal, radius=0.0)
        curve = fw.camera.motion(path).curve
        assert curve.length == pytest.approx(path.length, abs=1e-9)
        assert np.abs(np.vstack([curve.starts, curve.goal]) - path.points).max() < 1e-9
        steps = np.diff(path.points, axis=0)
        turns = np.abs(np.diff(np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))))
        assert len(turns) > 0
        assert (turns > SHARP).sum() == halts
        assert curve.halts.tolist() == [False, *(turns > SHARP), False]

    def test_an_array_keeps_clear_of_the_walls_of_a_map(self, block):
        """An arc of the whole rounding would cut the corner of the block at (3, 3)."""
        flight = fw.camera.motion([(2.9, 9), (2.9, 2.9), (9, 2.9)], cmap=block)
        s = np.linspace(0, flight.curve.length, 20001)
        clear = block.clearance(flight.curve.position(s)).min()
        assert clear > 0.05
        assert clear - 1e-4 < flight.clearance <= clear
        assert not flight.curve.halts.any()

    def test_an_array_with_room_is_rounded_as_without_a_map(self, block):
        points = [(1, 11), (1.5, 1.5), (11, 1.5)]
        with_map, without = fw.camera.motion(points, cmap=block), fw.camera.motion(points)
        assert with_map.length == pytest.approx(without.length)
        assert with_map.clearance == pytest.approx(1.0, abs=1e-5)

    def test_an_array_through_a_wall_says_so(self, block):
        assert fw.camera.motion([(1, 1), (11.5, 11.5)], cmap=block).clearance == 0.0
        assert fw.camera.motion([(5, 5), (9, 9)], cmap=block).clearance == 0.0

    def test_an_array_in_space_is_measured(self):
        space = fw.Volume.from_boxes((0, 0, 0, 8, 6, 4), [(3, 0, 0, 4, 3, 4)], resolution=1.0)
        smap = fw.CorridorMap.from_roadmap(fw.roadmap.rrm(space, size=(1, 1, 1)))
        flight = fw.camera.motion([(1, 1, 1), (2, 5, 2), (6, 5, 2)], cmap=smap)
        s = np.linspace(0, flight.curve.length, 3000)
        clear = smap.clearance(flight.curve.position(s)).min()
        assert clear - 0.006 < flight.clearance <= clear

    def test_a_polyline_that_goes_back_turns_standing(self):
        flight = fw.camera.motion([(0, 0), (5, 0), (0, 0.0)])
        (halt,) = np.flatnonzero(flight.curve.halts)
        assert flight.curve.breaks[halt] == pytest.approx(5.0)
        angle = np.unwrap(np.arctan2(flight.directions[:, 1], flight.directions[:, 0]))
        assert abs(angle[-1] - angle[0]) == pytest.approx(math.pi)
        assert np.abs(np.diff(angle)).max() * 30 <= 0.8 + 1e-6

    def test_of_points_has_no_clearance(self):
        flight = fw.camera.motion([(0, 0, 0), (5, 0, 0), (5, 5, 2)])
        assert math.isnan(flight.clearance)
        assert flight.to_dict()["clearance"] is None
        away = np.linalg.norm(flight.positions - [5, 0, 0], axis=1).min()
        assert away == pytest.approx(0.25, abs=0.01)

    def test_rounding_nothing(self):
        assert fw.camera.motion([(0, 0), (5, 0), (5, 5)], rounding=0.0).curve.halts.any()


class TestBadInput:
    @pytest.mark.parametrize("name", OPTIONS)
    @pytest.mark.parametrize("bad", [*NOT_NUMBERS, 0, -1], ids=repr)
    def test_numbers_are_positive(self, path, name, bad):
        assert name.replace("_", " ") in refusal(path, **{name: bad}).replace("-", " ")

    @pytest.mark.parametrize("name", [name for name in OPTIONS if name != "rate"])
    @pytest.mark.parametrize("bad", [1e-300, 1e-7, 1e7, 1e200, 1e308])
    def test_numbers_are_sane(self, path, name, bad):
        message = refusal(path, **{name: bad}).replace("-", " ")
        assert name.replace("_", " ") in message
        assert "1e 06" in message or "1e+06" in message

    @pytest.mark.parametrize("low", OPTIONS[:4])
    @pytest.mark.parametrize("high", OPTIONS[:4])
    def test_the_least_and_the_greatest_numbers_work_together(self, low, high):
        curve, _ = plan_curve([(0, 0), (5, 0), (5, 5), (0, 0)], 0.25, None)
        pace = {"speed": 1.4, "acceleration": 0.5, "deceleration": 0.5, "turn_rate": 0.8}
        pace |= {low: 1e-6} | {high: 1e6}
        flight = Flight(curve, checked_pace(**pace, look_ahead=1.0), height=1.7, requests={})
        moments = flight.at(np.linspace(0, flight.duration, 500))
        assert all(np.isfinite(values).all() for values in moments)
        assert moments.speeds.max() <= pace["speed"] * (1 + 1e-9)
        assert (np.diff(moments.arc_lengths) >= 0.0).all()

    def test_an_array_fits_its_map(self, block):
        assert "3 coordinates" in refusal([(1, 1, 1), (2, 2, 2)], cmap=block)

    @pytest.mark.parametrize("bad", NOT_NUMBERS, ids=repr)
    def test_height_is_a_number(self, path, bad):
        assert "height" in refusal(path, height=bad)

    @pytest.mark.parametrize("bad", [*NOT_NUMBERS, -1], ids=repr)
    def test_rounding_is_not_negative(self, path, bad):
        assert "rounding" in refusal(path, rounding=bad)

    @pytest.mark.parametrize(
        "bad", [[], [(1, 2)], [(1, 2, 3, 4)] * 2, "abc", None, 5, [[1, 2], [3]]], ids=repr
    )
    def test_a_path_is_a_path(self, bad):
        assert "a camera path" in refusal(bad)

    def test_places_are_finite(self):
        assert "row 1 of the positions" in refusal([(0, 0), (math.nan, 1)])

    def test_a_path_of_no_length(self, cmap):
        assert "no length" in refusal([(1, 1), (1, 1)])
        assert "no length" in refusal(cmap.path((2, 2), (2, 2), radius=0.25))

    def test_too_many_frames(self, path):
        assert "frames" in refusal(path, rate=1e9)

    @pytest.mark.parametrize("bad", [math.nan, "now", None])
    def test_a_time_is_a_number(self, flight, bad):
        with pytest.raises(fw.BadQuery, match="the time is"):
            flight.at(bad)


def refusal(path, **options) -> str:
    """The message of `motion` for invalid input."""
    with pytest.raises(fw.BadInput) as error:
        fw.camera.motion(path, **options)
    message = str(error.value)
    assert "\n" not in message
    assert 20 < len(message) < 300
    return message
