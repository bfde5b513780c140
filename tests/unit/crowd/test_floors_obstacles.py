"""Obstacles on floors of a building: they act there, through portals, never through ceilings."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.crowd import simulation as running
from footway.errors import BadQuery
from tests.unit.crowd import test_lifts
from tests.unit.crowd.test_floors import BACK, ENDS, PORTALS, Judge, build, two_ways


@pytest.fixture(scope="module")
def cmap():
    return build(fw.Stairs("A", *ENDS))


@pytest.fixture(scope="module")
def two_stairs():
    return build(fw.Stairs("A", *ENDS), fw.Stairs("S", *BACK))


def gap(crowd):
    """Least distance between a person and an obstacle of its floor, m."""
    found = [
        np.hypot(*(at - disc[:2])) - radius - disc[2]
        for disc, floor in zip(crowd.obstacles, crowd.obstacle_floors, strict=True)
        for at, radius, name in zip(crowd.positions, crowd.radii, crowd.floors, strict=True)
        if name == floor
    ]
    return min(found, default=np.inf)


def test_who_is_above_or_below_does_not_notice_it(cmap):
    """The bits of a walk on floor 1 are the same with and without obstacles on floor 0."""
    places = []
    for floor in (None, "0", "1"):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(1, starts=[(9, 1, "1")], goals=[(9, 7, "1")])
        if floor:
            crowd.add_obstacle((9.0, 4.0, floor), 0.4)
            crowd.add_obstacle((8.0, 2.0, floor), 0.3, velocity=(0.2, 0.4))
        walked = []
        for _ in range(60):
            crowd.step()
            walked.append(crowd.positions[0])
        places.append(np.array(walked))
    assert (places[0] == places[1]).all()
    assert np.abs(places[0] - places[2]).max() > 0.2


def test_it_is_walked_around_on_its_floor(cmap):
    crowd = two_ways(cmap, seed=2)
    crowd.add_obstacle((8.6, 2.0, "0"), 0.3)
    crowd.add_obstacle((8.5, 5.0, "1"), 0.4)
    judge = Judge(crowd)
    for _ in range(600):
        crowd.step()
        judge.check()
        assert gap(crowd) > -1e-3
    assert crowd.exited == 6
    assert crowd.floors.count("1") > 16


@pytest.mark.parametrize(("x", "y", "floor"), [(6.2, 2.8, "0"), (7.0, 7.2, "1"), (6.3, 3.2, "A")])
def test_beside_a_portal_people_on_the_other_side_keep_off_it(cmap, x, y, floor):
    """Half of it is on the stairs; on a line through the portal it is in the way."""
    crowd = fw.Crowd(cmap, seed=3)
    crowd.add(8, area="0", radius=0.2, destinations=["1"], then="exit")
    crowd.add_obstacle((x, y, floor), 0.25)
    sheet = {"0": 0, "1": 1, "A": 2}[floor]
    least, across = np.inf, 0
    for _ in range(900):
        crowd.step()
        for at, radius, on in zip(crowd.positions, crowd.radii, crowd.sheets, strict=True):
            pair = tuple(sorted((sheet, int(on))))
            line = shapely.LineString([at, (x, y)])
            if on != sheet and (
                pair not in PORTALS or not line.intersects(shapely.LineString(PORTALS[pair]))
            ):
                continue
            least = min(least, line.length - radius - 0.25)
            across += on != sheet and line.length < 1.0
    assert across > 20
    assert -1e-3 < least < 0.2
    assert crowd.exited == 8


def test_one_on_the_floor_above_the_stairs_does_not_close_them(cmap):
    """In plan it is in the middle of the stairs."""
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add_obstacle((5.9, 5.0, "1"), 0.6)
    crowd.add(4, area="0", radius=0.2, destinations=["1"], then="stay")
    crowd.step(400)
    assert crowd.floors == ["1"] * 4


class TestClosedWays:
    def test_other_stairs_are_used(self, two_stairs):
        crowd = fw.Crowd(two_stairs, seed=1)
        foot, end = [(5, 0), (8, 0), (8, 2.7), (5, 2.7)], [(8, 4), (10, 4), (10, 8), (8, 8)]
        crowd.add(8, area=(foot, "0"), radius=0.2, destinations=[(end, "1")], then="stay")
        crowd.add_obstacle((6.6, 5.0, "A"), 0.5, appears=1.0)
        used = set()
        for _ in range(900):
            crowd.step()
            used |= {name for at, name in zip(crowd.positions, crowd.floors, strict=True)
                     if name not in "01" and 4.0 < at[1] < 6.0}  # fmt: skip
            assert gap(crowd) > -1e-3
        assert used == {"S"}
        assert crowd.floors == ["1"] * 8

    def test_without_another_path_they_wait_until_it_vanishes(self, cmap):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(3, area="0", radius=0.2, destinations=["1"], then="stay")
        crowd.add_obstacle((6.6, 5.0, "A"), 0.5, vanishes=60.0)
        crowd.step(590)
        assert "1" not in crowd.floors
        assert {stuck.cause for stuck in crowd.stuck} <= {"obstacle", "crowd"}
        assert "obstacle" in {stuck.cause for stuck in crowd.stuck}
        crowd.step(400)
        assert crowd.floors == ["1"] * 3

    def test_closed_links_stay_closed_beside_obstacles(self, two_stairs):
        """Whichever came first, and when one of them is gone."""
        for first in ("link", "obstacle"):
            crowd = fw.Crowd(two_stairs, seed=1)
            if first == "link":
                crowd.close_link("A")
            else:
                crowd.add_obstacle((1.6, 5.0, "S"), 0.5, vanishes=40.0)
            crowd.step()
            if first == "link":
                crowd.add_obstacle((1.6, 5.0, "S"), 0.5, vanishes=40.0)
            else:
                crowd.close_link("A")
            crowd.step()
            crowd.add(4, area="0", radius=0.2, destinations=["1"], then="stay")
            crowd.step(380)
            assert "1" not in crowd.floors
            assert "A" not in crowd.floors
            used = set()
            for _ in range(500):
                crowd.step()
                used |= set(crowd.floors)
            assert "A" not in used
            assert crowd.floors == ["1"] * 4

    def test_lifts_are_used_when_stairs_are_closed(self):
        cmap = test_lifts.build(2, stairs=True)
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add_obstacle((8.6, 5.0, "S0"), 0.5)
        crowd.add(4, area="0", radius=0.2, destinations=["1"], then="stay")
        used = set()
        for _ in range(900):
            crowd.step()
            used |= set(crowd.floors)
        assert used == {"0", "L", "1"}
        assert crowd.floors == ["1"] * 4


class TestMoving:
    def test_goes_up_the_stairs_and_on(self, cmap):
        """A straight line through both portals; people are pushed along."""
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(1, starts=[(6.6, 4.4, "A")], goals=[(6.6, 2.0, "0")], radius=0.2)
        number = crowd.add_obstacle((6.6, 2.0, "0"), 0.2, velocity=(0.0, 0.5))
        seen = []
        for _ in range(108):
            seen += crowd.obstacle_floors
            crowd.step()
        order = [a for k, a in enumerate(seen) if k == 0 or a != seen[k - 1]]
        assert order == ["0", "A", "1"]
        assert crowd.obstacles[0, 1] == pytest.approx(7.4)
        crowd.move_obstacle(number, (2.0, 2.0, "1"))
        assert (crowd.obstacle_floors, crowd.obstacles[0].tolist()) == (["1"], [2.0, 2.0, 0.2])

    def test_stays_on_its_floor_beside_the_stairs_and_before_lifts(self, cmap):
        crowd = fw.Crowd(cmap)
        crowd.add_obstacle((5.0, 5.0, "1"), 0.2, velocity=(0.5, 0.0))  # across the stairwell
        crowd.step(100)
        assert crowd.obstacle_floors == ["1"]
        lifts = fw.Crowd(test_lifts.build(2))
        lifts.add_obstacle((5.0, 3.0, "0"), 0.2, velocity=(0.0, 0.5))
        lifts.step(40)
        assert lifts.obstacle_floors == ["0"]

    def test_sweeps_through_a_crowd(self, cmap):
        crowd = two_ways(cmap, seed=4)
        crowd.add_obstacle((0.0, 1.5, "0"), 0.3, velocity=(0.6, 0.0))
        crowd.add_obstacle((9.0, 8.0, "1"), 0.3, velocity=(0.0, -0.5))
        judge = Judge(crowd)
        for _ in range(150):
            crowd.step()
            judge.check()


class TestNobodyAppearsInside:
    def test_at_random_and_from_sources(self, cmap):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add_obstacle((8.5, 2.0, "1"), 1.2)
        crowd.add(10, area="1", radius=0.2, behaviour="wander")
        assert gap(crowd) > 0.0
        crowd.add_source(6, area=([(7, 0), (10, 0), (10, 4), (7, 4)], "1"), rate=2.0, radius=0.2)
        known = set(crowd.ids.tolist())
        for _ in range(60):
            crowd.step()
            for number, at in zip(crowd.ids.tolist(), crowd.positions, strict=True):
                if number not in known:
                    known.add(number)
                    assert np.hypot(*(at - (8.5, 2.0))) > 1.2
        assert len(known) == 16

    def test_the_same_place_on_another_floor_is_free(self, cmap):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add_obstacle((8.5, 2.0, "1"), 1.0)
        with pytest.raises(BadQuery, match=r"start 0 at \(8.5, 2.2\) is in an obstacle"):
            crowd.add(1, starts=[(8.5, 2.2, "1")])
        crowd.add(1, starts=[(8.5, 2.2, "0")])
        crowd.add_obstacle((6.6, 2.7, "0"), 0.3)  # before the stairs
        with pytest.raises(BadQuery, match="is in an obstacle"):
            crowd.add(1, starts=[(6.6, 3.2, "A")])


def run(cmap, *, threads=1):
    crowd = two_ways(cmap, threads=threads)
    crowd.add_obstacle((8.5, 2.0, "0"), 0.4, appears=3.0, vanishes=12.0)
    crowd.add_obstacle((6.2, 1.0, "0"), 0.2, velocity=(0.0, 0.4))
    crowd.add_obstacle((9.0, 7.5, "1"), 0.4, velocity=(0.0, -0.4))
    crowd.close_link("A", start=8.0, end=9.0)
    crowd.step(60)
    return crowd


def test_threads_do_not_change_a_bit(cmap, monkeypatch):
    monkeypatch.setattr(running, "_FEW", 1)
    found = []
    for threads in (1, 3):
        crowd = run(cmap, threads=threads)
        crowd.step(60)
        found.append((crowd.positions.tobytes(), crowd.floors, crowd.obstacle_floors))
    assert found[0] == found[1]


def test_a_checkpoint_continues_with_the_same_bits(cmap, tmp_path):
    crowd = run(cmap)
    crowd.save(tmp_path / "crowd.npz")
    again = fw.Crowd.load(tmp_path / "crowd.npz", cmap)
    assert again.obstacle_floors == crowd.obstacle_floors
    for one in (crowd, again):
        one.step(90)
    assert (again.positions == crowd.positions).all()
    assert again.obstacle_floors == crowd.obstacle_floors


def test_recordings_have_their_floors(cmap, tmp_path):
    crowd = run(cmap)
    recording = crowd.run(seconds=4, every=5, to=tmp_path / "run.parquet")
    assert recording.obstacle_floors_at(-1) == crowd.obstacle_floors
    again = fw.Recording.load(tmp_path / "run.parquet")
    for k in range(again.n_frames):
        assert again.obstacle_floors_at(k) == recording.obstacle_floors_at(k)
        on = np.array(again.obstacle_floors_at(k))
        for name in ("0", "A", "1"):
            assert (again.on_floor(name).obstacles_at(k) == again.obstacles_at(k)[on == name]).all()
    assert set(again.obstacle_floors_at(0)) == {"0", "A", "1"}


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ((1, 1), "must be \\(x, y, floor\\)"),
        ((1, 1, "7"), "there is no floor '7'"),
        ((5, 5, "L"), "would be in a cabin: put it on a floor"),
    ],
)
def test_one_clear_line(at, message):
    crowd = fw.Crowd(test_lifts.build(2))
    with pytest.raises(BadQuery, match=message):
        crowd.add_obstacle(at, 0.3)
