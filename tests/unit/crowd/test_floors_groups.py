"""Coherent groups in buildings: one corridor over floors and links, and the front waits."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.crowd import simulation as running
from footway.errors import BadQuery, NoPath
from tests.unit.crowd import test_lifts
from tests.unit.crowd.test_floors import BACK, ENDS, Judge, build


@pytest.fixture(scope="module")
def cmap():
    return build(fw.Stairs("A", *ENDS))


@pytest.fixture(scope="module")
def two_stairs():
    return build(fw.Stairs("A", *ENDS), fw.Stairs("S", *BACK))


def climb(cmap, *, seed=1, count=6, threads=1, then="stay", **bounds):
    crowd = fw.Crowd(cmap, seed=seed, threads=threads)
    group = crowd.add_group(count, start=(8.5, 1.5, "0"), goal=(8.7, 5.0, "1"), radius=0.2,
                            then=then, **bounds)  # fmt: skip
    return crowd, group


def length_between(crowd, group):
    """Length in plan of the walk from the last to the first member: the shortest path."""
    points = [
        (*at, floor) for at, floor in zip(crowd.positions.tolist(), crowd.floors, strict=True)
    ]
    samples = crowd._simulation.characters.sample[crowd._slots]
    last, first = points[int(samples.argmin())], points[int(samples.argmax())]
    return crowd.map.path(last, first, radius=0.15).plan_length


class TestTogether:
    @pytest.mark.parametrize("seed", range(3))
    def test_all_arrive_on_the_other_floor(self, cmap, seed):
        crowd, group = climb(cmap, seed=seed)
        judge = Judge(crowd)
        for _ in range(700):
            crowd.step()
            judge.check()
            if not crowd.is_walking.any():
                break
        assert crowd.floors == ["1"] * 6
        assert judge.changes >= 12
        assert crowd.arrivals == 6
        assert group.arrived == 1

    def test_the_front_waits_for_the_last_by_the_length_of_the_walk(self, cmap):
        """Somebody is slow. In plan the front above is near to it, the walk between is long."""
        most = {}
        for bound in (2.5, None):
            crowd, group = climb(cmap, longitudinal=bound)
            crowd.set_speed(group.ids[:1], 0.4)
            longest = 0.0
            for k in range(900):
                crowd.step()
                if k > 30 and k % 5 == 0 and crowd.is_walking.all():
                    longest = max(longest, length_between(crowd, group))
            assert crowd.floors == ["1"] * 6
            most[bound] = longest
        assert most[2.5] < 4.0  # attraction points are ahead of those who follow them
        assert most[None] > most[2.5] + 1.5

    def test_a_group_area_holds_over_floors(self, cmap):
        areas = {}
        for bound in (4.0, None):
            crowd, group = climb(cmap, group_area=bound)
            crowd.set_speed(group.ids[:1], 0.4)
            measured = []
            while crowd.is_walking.all() and crowd.time < 120.0:
                crowd.step()
                measured.append(group.dispersion.area)
            assert "1" in crowd.floors
            areas[bound] = np.mean(measured)
        assert areas[4.0] < 1.2 * 4.0
        assert areas[4.0] < 0.7 * areas[None]

    def test_dispersion_is_along_the_walk(self, cmap):
        """Two above each other in plan, one below the other."""
        crowd, group = climb(cmap, count=2)
        crowd.step(5)
        simulation, slots = crowd._simulation, crowd._slots
        simulation.characters.move_to(slots, np.array([(8.5, 5.0), (8.5, 5.0)]))
        simulation.characters.sheet[slots[1]] = 2
        balls = group.backbone
        length = np.hypot(*np.diff(balls[:, :2], axis=0).T).sum()
        assert 8.0 < group.dispersion.longitudinal <= length
        simulation.characters.sheet[slots[1]] = 1
        assert group.dispersion.longitudinal < 0.1

    def test_several_in_opposite_directions_and_others(self, cmap):
        crowd = fw.Crowd(cmap, seed=2)
        groups = [
            crowd.add_group(3, start=(8.5, 1.5, "0"), goal=(2, 2, "1"), radius=0.18, then="exit"),
            crowd.add_group(3, start=(2.0, 6.0, "1"), goal=(3, 6, "0"), radius=0.18, then="exit"),
        ]
        crowd.add(6, radius=0.18, area="0", destinations=["1"], then="exit")
        judge = Judge(crowd)
        for _ in range(1500):
            crowd.step()
            judge.check()
            if not len(crowd):
                break
        assert len(crowd) == 0
        assert [group.arrived for group in groups] == [1, 1]

    def test_goes_on_to_random_goals_on_all_floors(self, cmap):
        crowd = fw.Crowd(cmap, seed=4)
        group = crowd.add_group(4, start=(8.5, 1.5, "0"), radius=0.2)
        seen = set()
        for _ in range(2500):
            crowd.step()
            seen |= set(crowd.floors)
        assert group.arrived >= 3
        assert seen == {"0", "A", "1"}


class TestLinks:
    @pytest.mark.parametrize("bounds", [{}, {"longitudinal": 2.0}, {"group_area": 3.0}])
    def test_nobody_waits_on_an_escalator(self, bounds):
        cmap = build(fw.Escalator("E", *ENDS), fw.Stairs("S", *BACK))
        crowd, group = climb(cmap, **bounds)
        crowd.set_speed(group.ids[:1], 0.5)
        used, riding = set(), np.zeros(6)
        for _ in range(1500):
            crowd.step()
            used |= set(crowd.floors)
            upper = (crowd.positions[:, 1] > 5.0) & np.array([f == "E" for f in crowd.floors])
            riding += 0.1 * upper
            if crowd.floors == ["1"] * 6:
                break
        assert used == {"0", "E", "1"}
        assert crowd.floors == ["1"] * 6
        assert 4.0 < riding.max() < 8.0  # s on the upper half, where standing people take 5

    def test_takes_the_stairs_beside_a_lift(self):
        cmap = test_lifts.build(3, stairs=True)
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add_group(4, start=(2, 2, "0"), goal=(2, 2, "2"), radius=0.2, then="stay")
        used = set()
        for _ in range(1500):
            crowd.step()
            used |= set(crowd.floors)
        assert "L" not in used
        assert crowd.floors == ["2"] * 4

    def test_other_stairs_if_a_link_closes_or_an_obstacle_blocks(self, two_stairs):
        for what in ("link", "obstacle"):
            crowd, _ = climb(two_stairs)
            crowd.step(20)
            if what == "link":
                crowd.close_link("A")
            else:
                crowd.add_obstacle((6.6, 5.0, "A"), 0.55)
            judge = Judge(crowd)
            for _ in range(1500):
                crowd.step()
                judge.check()
                if not crowd.is_walking.any():
                    break
            assert crowd.floors == ["1"] * 6, what

    def test_waits_before_closed_stairs_until_they_open(self, cmap):
        crowd, _ = climb(cmap)
        crowd.close_link("A", end=40.0)
        crowd.step(390)
        assert "1" not in crowd.floors
        crowd.step(500)
        assert crowd.floors == ["1"] * 6


class TestLost:
    def test_who_is_put_onto_another_floor_is_fetched(self, cmap):
        """The group gets a corridor that begins at this member; the others wait for it."""
        crowd, group = climb(cmap, longitudinal=3.0)
        crowd.step(150)
        simulation, slots = crowd._simulation, crowd._slots
        simulation.characters.move_to(slots[:1], np.array([(3.0, 6.0)]))
        simulation.characters.sheet[slots[0]] = 1
        for _ in range(1500):
            crowd.step()
            if not crowd.is_walking.any():
                break
        assert crowd.floors == ["1"] * 6
        assert group.arrived == 1

    def test_who_stays_and_is_pushed_away_comes_back(self, cmap):
        crowd, group = climb(cmap, count=3)
        while crowd.is_walking.any():
            crowd.step()
        simulation, slots = crowd._simulation, crowd._slots
        simulation.characters.move_to(slots[:1], np.array([(6.6, 5.0)]))
        simulation.characters.sheet[slots[0]] = 3
        crowd.step(300)
        assert crowd.floors == ["1"] * 3
        assert (crowd.arrivals, group.arrived) == (3, 1)
        assert not crowd.is_walking.any()

    def test_wider_members_get_another_corridor(self, cmap):
        crowd, group = climb(cmap, count=3)
        crowd.step(60)
        crowd.set_profile(0, radius=0.3)
        crowd.step(700)
        assert crowd.floors == ["1"] * 3
        assert group.arrived == 1


def test_threads_do_not_change_a_bit(cmap, monkeypatch):
    monkeypatch.setattr(running, "_FEW", 1)
    found = []
    for threads in (1, 3):
        crowd, _ = climb(cmap, threads=threads, longitudinal=2.5)
        crowd.step(150)
        found.append((crowd.positions.tobytes(), crowd.floors))
    assert found[0] == found[1]


@pytest.mark.parametrize("moment", [5, 80, 140, 400])
def test_a_checkpoint_continues_with_the_same_bits(cmap, tmp_path, moment):
    crowd, _ = climb(cmap, longitudinal=2.5)
    crowd.step(moment)
    crowd.save(tmp_path / "crowd.npz")
    again = fw.Crowd.load(tmp_path / "crowd.npz", cmap)
    for one in (crowd, again):
        one.step(150)
    assert (again.positions == crowd.positions).all()
    assert again.floors == crowd.floors
    assert again.groups[0].dispersion == crowd.groups[0].dispersion


@pytest.mark.parametrize(
    ("wishes", "error", "message"),
    [
        ({"start": (1, 1)}, BadQuery, "must be \\(x, y, floor\\)"),
        ({"start": (6.6, 5, "0")}, BadQuery, "in an obstacle or outside"),
        ({"start": (1, 1, "0"), "goal": (6.6, 5, "1")}, BadQuery, "goal"),
        ({"start": (1, 1, "0"), "goal": (9, 1, "1"), "radius": 0.7}, NoPath, "radius"),
        ({"start": (1, 1, "0"), "count": 200}, BadQuery, "no free space for a group of 200"),
    ],
)
def test_one_clear_line(cmap, wishes, error, message):
    crowd = fw.Crowd(cmap)
    with pytest.raises(error, match=message):
        crowd.add_group(**({"count": 2, "radius": 0.2} | wishes))
    assert len(crowd) == 0
    assert crowd.groups == []
