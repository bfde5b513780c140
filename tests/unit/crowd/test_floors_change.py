"""The same crowd in an edited building: floors and links keep their names."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.crowd import simulation as running
from footway.crowd.lift_passengers import ABOARD
from footway.errors import BadQuery
from tests.unit.crowd import maps, test_lifts
from tests.unit.crowd.test_floors import BACK, ENDS, HOLE, Judge, two_ways
from tests.unit.crowd.test_floors_profiles import assert_clear

BLOCK = [(8.2, 1.0), (9.4, 1.0), (9.4, 2.2), (8.2, 2.2)]


def build(*links, blocks=((), ()), elevation=3.0, names="01"):
    holes = [HOLE, [(1, 3), (2.2, 3), (2.2, 7), (1, 7)]]
    plans = [fw.Environment.from_polygons(bounds=(0, 0, 10, 8), obstacles=[*holes, *more])
             for more in blocks]  # fmt: skip
    heights = (0.0, elevation)
    floors = [fw.Floor(name, plan, z) for name, plan, z in zip(names, plans, heights, strict=True)]
    return fw.CorridorMap.build(fw.Building(floors, links))


STAIRS = fw.Stairs("A", *ENDS)
OTHER = fw.Stairs("S", *BACK)


@pytest.fixture(scope="module")
def cmap():
    return build(STAIRS, OTHER)


def end(crowd, steps=1200):
    """Go on until nobody walks; nobody is ever in a wall."""
    judge = Judge(crowd)
    for _ in range(steps):
        crowd.step()
        judge.check()
        if not crowd.is_walking.any() and not crowd.to_come:
            break


def test_everybody_keeps_id_body_floor_goal_and_clock(cmap):
    crowd = two_ways(cmap, seed=3)
    crowd.step(50)
    crowd.remove([7])
    moved = crowd.moved_to(build(STAIRS, OTHER, blocks=([BLOCK], ()), elevation=3.4))
    assert moved.ids.tolist() == crowd.ids.tolist()
    assert (moved.time, moved.steps, moved.floors) == (crowd.time, crowd.steps, crowd.floors)
    np.testing.assert_array_equal(moved.radii, crowd.radii)
    there = [(*at, floor) for at, floor in zip(crowd.positions, crowd.floors, strict=True)]
    free = moved.map.clearance(there) >= crowd.radii
    np.testing.assert_array_equal(moved.positions[free], crowd.positions[free])
    assert moved.heights.max() > 3.0
    assert_clear(moved)
    end(moved)
    assert moved.exited == 6
    assert moved.floors.count("1") == len(moved) == 23


def test_who_is_in_a_new_wall_moves_on_its_floor(cmap):
    crowd = fw.Crowd(cmap)
    starts = [(8.3, 1.6, "0"), (8.3, 1.6, "1")]
    crowd.add(2, radius=0.2, starts=starts, goals=[(9.0, 1.2, "1"), (3, 5, "1")])
    moved = crowd.moved_to(build(STAIRS, OTHER, blocks=([BLOCK], ())))
    assert moved.floors == ["0", "1"]
    np.testing.assert_allclose(moved.positions, [(8.0, 1.6), (8.3, 1.6)], atol=1e-4)
    moved = crowd.moved_to(build(STAIRS, OTHER, blocks=((), [BLOCK])))
    np.testing.assert_allclose(moved.positions, [(8.3, 1.6), (8.0, 1.6)], atol=1e-4)
    end(moved)
    assert np.hypot(*(moved.positions[0] - (9.0, 0.8))) < 0.6  # its goal moved, too


def test_stairs_that_are_gone_are_left_to_the_nearest_floor(cmap):
    crowd = fw.Crowd(cmap)
    starts = [(6.6, 3.6, "A"), (6.6, 6.6, "A"), (1.6, 5.0, "S")]
    crowd.add(3, radius=0.2, starts=starts, goals=[(9, 2, "1"), (9, 2, "0"), (3, 5, "1")])
    moved = crowd.moved_to(build(OTHER))
    assert moved.floors == ["0", "1", "S"]
    assert_clear(moved)
    end(moved)
    assert moved.floors == ["1", "0", "1"]


def test_a_floor_that_is_gone(cmap):
    """Who was there stands on the floor that is left, where the stairs ended; so do goals."""
    crowd = fw.Crowd(cmap)
    crowd.add(3, radius=0.2, starts=[(9, 2, "1"), (8, 2, "1"), (9, 5, "0")],
              goals=[(3, 5, "1"), (3, 6, "0"), (9, 3, "1")])  # fmt: skip
    crowd.add_source(4, area="1", rate=1.0, radius=0.2, destinations=["0"], then="stay")
    crowd.add_obstacle((5, 1, "1"), 0.3)
    crowd.add_obstacle((5, 1, "0"), 0.3)
    crowd.close_link("A", start=200.0)
    crowd.close_link("S", start=200.0)
    stairs = fw.Stairs("A", ENDS[0], ("2", *ENDS[1][1:]))
    moved = crowd.moved_to(build(stairs, names="02"))
    assert moved.floors == ["0"] * 3
    assert moved.obstacle_floors == ["0"]
    assert [one.link for one in moved._simulation.floors.closures] == ["A"]
    assert_clear(moved)
    moved.step(200)
    assert set(moved.floors) == {"0"}
    assert len(moved) == 7


def test_groups_wanderers_and_sources_come_along(cmap):
    crowd = fw.Crowd(cmap, seed=2)
    group = crowd.add_group(4, start=(8.5, 6, "0"), goal=(9, 5, "1"), radius=0.2, then="stay")
    crowd.add(4, behaviour="wander", radius=0.2)
    crowd.add_source(5, area=([(3, 0), (5, 0), (5, 2), (3, 2)], "0"), rate=0.5, radius=0.2,
                     destinations=["1"], then="exit")  # fmt: skip
    crowd.step(70)
    came = len(crowd)
    moved = crowd.moved_to(build(STAIRS, OTHER, blocks=([BLOCK], [BLOCK])))
    assert (len(moved), moved.to_come) == (came, crowd.to_come)
    judge = Judge(moved)
    for _ in range(1200):
        moved.step()
        judge.check()
    names = dict(zip(moved.ids.tolist(), moved.floors, strict=True))
    assert [names[number] for number in group.ids.tolist()] == ["1"] * 4
    assert moved.groups[0].arrived == 1
    assert (moved.to_come, moved.exited) == (0, 5)


class TestLifts:
    def riding(self, **options):
        crowd = fw.Crowd(test_lifts.build(4, stairs=True), seed=1)
        crowd.add(5, area="0", radius=0.2, destinations=["3"], then="stay")
        while (
            not any(p.stage == ABOARD for p in crowd._simulation.lifts.passengers.values())
            or crowd.heights.max() < 1.0
        ):
            crowd.step()
        return crowd

    def test_who_is_inside_rides_on(self):
        crowd = self.riding()
        inside = crowd.floors.count("L")
        moved = crowd.moved_to(test_lifts.build(4, stairs=True))
        assert moved.floors == crowd.floors
        np.testing.assert_array_equal(moved.heights, crowd.heights)
        judge = test_lifts.Judge(moved)
        seen = []
        for _ in range(1500):
            moved.step()
            judge.check(pairs=False)
            seen.append(moved.floors.count("L"))
        assert max(seen[:20]) == inside > 0
        assert judge.rides > 0
        assert moved.floors == ["3"] * 5

    def test_they_are_on_the_floor_if_it_is_gone_or_another_one(self):
        for after in (test_lifts.build(4, stairs=True, back=(0, 1, 2, 3)),):
            crowd = self.riding()
            moved = crowd.moved_to(after)
            assert "L" not in moved.floors
            assert_clear(moved)
            moved.step(1800)
            assert moved.floors == ["3"] * 5

    def test_a_checkpoint_of_the_new_crowd_continues_with_the_same_bits(self, tmp_path):
        after = test_lifts.build(4, stairs=True)
        moved = self.riding().moved_to(after)
        moved.step(5)
        moved.save(tmp_path / "crowd.npz")
        again = fw.Crowd.load(tmp_path / "crowd.npz", after)
        for one in (moved, again):
            one.step(300)
        assert (again.positions == moved.positions).all()


def test_threads_do_not_change_a_bit(cmap, monkeypatch):
    monkeypatch.setattr(running, "_FEW", 1)
    found = []
    after = build(STAIRS, OTHER, blocks=([BLOCK], [BLOCK]))
    for threads in (1, 3):
        crowd = two_ways(cmap, threads=threads)
        crowd.step(50)
        moved = crowd.moved_to(after)
        moved.step(60)
        found.append((moved.positions.tobytes(), moved.floors))
    assert found[0] == found[1]


def test_plans_and_buildings_are_distinguished(cmap):
    with pytest.raises(BadQuery, match="on the map of a building and cannot move to that of a pl"):
        fw.Crowd(cmap).moved_to(maps.cmap("hall"))
    with pytest.raises(BadQuery, match="on the map of a plan and cannot move to that of a build"):
        maps.crowd("hall").moved_to(cmap)
