"""Cameras through buildings: over stairs, in lifts, from stop to stop."""

import numpy as np
import pytest

import footway as fw

HOLE = [(6, 3), (7.2, 3), (7.2, 7), (6, 7)]
CABIN = [(0, 6), (2, 6), (2, 8), (0, 8)]
STAIRS = fw.Stairs("A", ("0", (6, 3), (7.2, 3)), ("1", (6, 7), (7.2, 7)))
LIFT = fw.Lift("L", CABIN, [("0", (0.5, 6), (1.5, 6)), ("1", (0.5, 6), (1.5, 6))], wait=10.0)


@pytest.fixture(scope="module")
def cmap():
    floor = fw.Environment.from_polygons(bounds=(0, 0, 10, 8), obstacles=[HOLE, CABIN])
    return fw.CorridorMap.build(
        fw.Building([fw.Floor("0", floor), fw.Floor("1", floor, 3.0)], [STAIRS, LIFT])
    )


@pytest.fixture(scope="module")
def climb(cmap):
    return fw.camera.motion(cmap.path((9, 1, "0"), (1, 1, "1"), radius=0.25), rate=50)


def test_the_eye_is_above_floors_and_stairs(cmap, climb):
    path = cmap.path((9, 1, "0"), (1, 1, "1"), radius=0.25)
    ground = np.interp(climb.arc_lengths, path.arc_lengths, path.points[:, 2])
    above = climb.positions[:, 2] - ground
    assert climb.positions[0] == pytest.approx([9, 1, 1.7])
    assert climb.positions[-1] == pytest.approx([1, 1, 4.7])
    assert above.min() > 1.6
    assert above.max() < 1.8
    assert (np.diff(climb.positions[:, 2]) >= -1e-9).all()
    assert climb.length == pytest.approx(path.length, rel=1e-3)


def test_speed_along_the_slope_keeps_its_bound(climb):
    step = np.linalg.norm(np.diff(climb.positions, axis=0), axis=1) * 50
    assert step.max() <= 1.4 + 1e-3
    assert climb.speeds.max() <= 1.4 + 1e-3
    assert np.abs(np.diff(step[:-1])).max() <= 0.05  # no jumps, also where the stairs begin


def test_the_view_is_smooth_and_rises_on_stairs(climb):
    z = climb.directions[:, 2]
    assert np.linalg.norm(climb.directions, axis=1) == pytest.approx(1.0)
    turn = np.linalg.norm(np.diff(climb.directions, axis=0), axis=1) * 50
    assert turn.max() < 1.2
    assert z.max() == pytest.approx(3 / 5, abs=0.02)  # 3 m up in 5 m along the slope
    assert z[0] == pytest.approx(0.0, abs=1e-9)
    assert abs(z[-1]) < 1e-9


def test_a_ride_takes_its_time_and_the_camera_turns_in_it(cmap):
    path = cmap.path((1, 5, "0"), (1, 5, "1"), radius=0.25)
    assert path.links == ("L",)
    ride = fw.camera.motion(path)
    still = (np.abs(np.diff(ride.positions[:, :2], axis=0)) < 1e-12).all(axis=1)
    assert still.sum() / 30 == pytest.approx(10.0 + 4.0 + 3.0, abs=1.0)
    assert ride.positions[:, 2].min() == pytest.approx(1.7)
    assert ride.positions[:, 2].max() == pytest.approx(4.7)
    inside, outside = ride.directions[ride.times < 1.0], ride.directions[-1]
    assert inside[-1] == pytest.approx([0, 1, 0], abs=1e-6)
    assert outside == pytest.approx([0, -1, 0], abs=1e-6)
    assert ride.at(ride.duration / 2).position[2] == pytest.approx(3.2, abs=0.2)


def test_a_tour_stops_on_every_floor(cmap):
    stops = [(9, 1, "0"), fw.camera.Stop((9, 7, "1"), dwell=2.0, look_at=(1, 1, 3.5)), (9, 1, "0")]
    trip = fw.camera.tour(cmap, stops, radius=0.25)
    assert trip.departures[1] - trip.arrivals[1] >= 2.0
    at = trip.at(float(trip.arrivals[1] + trip.departures[1]) / 2)
    assert at.position == pytest.approx([9, 7, 4.7])
    towards = np.array([1, 1, 3.5]) - at.position
    assert at.direction == pytest.approx(towards / np.linalg.norm(towards), abs=1e-6)
    assert trip.to_dict()["stops"][1]["at"] == [9.0, 7.0, "1"]
    assert trip.clearance >= 0.25 - 1e-6
    assert trip.positions[-1] == pytest.approx([9, 1, 1.7])
    short = fw.camera.tour(cmap, [(9, 1, "0"), (9, 7, "1"), (8, 2, "0")], order="optimised")
    assert short.order == (0, 2, 1)


@pytest.mark.parametrize(
    ("stops", "message"),
    [
        ([(9, 1, "0")], "two stops or more"),
        ([(9, 1, "0"), (9, 1, "0")], "same place"),
        ([(9, 1), (1, 1)], r"must be \(x, y, floor\)"),
        ([(9, 1, "0"), (1, 1, "7")], "there is no floor '7'"),
        ([(9, 1, "0"), (6.5, 5, "1")], "stop|inside an obstacle"),
    ],
)
def test_bad_stops_are_refused(cmap, stops, message):
    with pytest.raises(fw.BadQuery, match=message):
        fw.camera.tour(cmap, stops)


def test_a_camera_needs_a_path_with_a_length(cmap):
    with pytest.raises(fw.BadQuery, match="no length"):
        fw.camera.motion(cmap.path((9, 1, "0"), (9, 1, "0")))
    with pytest.raises(fw.BadQuery, match="not a walk"):
        fw.camera.motion(fw.follow.cmm(cmap.corridor((9, 1, "0"), (1, 1, "1"))))
