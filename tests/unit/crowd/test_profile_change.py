"""Another profile for a population while it walks."""

import numpy as np
import pytest
import shapely
from scipy.spatial.distance import pdist

import footway as fw
from footway.crowd.kernels.layouts import GOAL, RADIUS
from tests.oracle.crowd import assert_same
from tests.unit.crowd import maps
from tests.unit.crowd.maps import SHAPES, box
from tests.unit.crowd.test_terrain_following import CHILD, HIKER, MUD, yard
from tests.unit.crowd.test_terrain_following import cmap as yard_map
from tests.unit.crowd.test_terrain_following import crowd as yard_crowd

AREA = box(1, 1, 5, 5)


def assert_clear(it, space):
    """Nobody overlaps a wall, by Shapely."""
    walls = space.boundary
    shapely.prepare(walls)
    points = shapely.points(it.positions)
    assert shapely.contains_properly(space, points).all()
    assert (shapely.distance(points, walls) >= it.radii - 1e-9).all()


def everything(it):
    """All that a change may touch."""
    who = (it.ids, it.positions, it.velocities, it.radii, it.speeds, it.goals, it.populations)
    return [array.tobytes() for array in who], it.profiles, it.to_come


class TestBodies:
    def test_present_and_later_characters(self):
        it = maps.crowd("hall", seed=2)
        it.add_source(40, area=AREA, rate=2.0, radius=0.2, speed=1.0, name="source")
        it.add(10, name="others")
        it.step(50)
        assert 0 < (it.populations == 0).sum() < 40
        it.set_profile(0, radius=0.3, speed=1.5, lane=-0.2, noise=0.1)
        for _ in range(40):
            it.step(5)
            assert_clear(it, SHAPES["hall"])
        mine = it.populations == 0
        assert mine.sum() == 40
        np.testing.assert_allclose(it.radii[mine], 0.3)
        np.testing.assert_allclose(it.speeds[mine], 1.5)
        assert set(it.radii[~mine].round(3)) == {0.25}
        assert it.profiles[0] == fw.Profile(radius=0.3, speed=1.5, lane=-0.2, noise=0.1)

    def test_only_what_changes_is_drawn_again(self):
        it = maps.crowd("hall")
        ids = it.add(50, radius=(0.25, 0.03), speed=(1.2, 0.2))
        it.set_speed(ids[:3], 0.5)
        radii = it.radii
        it.set_profile(0, noise=0.3)
        assert it.speeds[:3].tolist() == [0.5] * 3
        it.set_profile(0, speed=(1.5, 0.2))
        np.testing.assert_array_equal(it.radii, radii)
        assert it.speeds.min() > 1.0
        assert len(set(it.speeds)) > 30

    def test_who_was_the_widest_stays_so(self):
        it = maps.crowd("hall")
        it.add(50, radius=0.2)
        it.set_profile(0, radius=(0.2, 0.02))
        order = np.argsort(it.radii)
        it.step(20)
        it.set_profile(0, radius=(0.3, 0.05))
        np.testing.assert_array_equal(np.argsort(it.radii), order)

    def test_so_it_does_the_first_time_for_present_and_later_characters(self):
        it = maps.crowd("hall", seed=3)
        it.add(50, radius=(0.2, 0.02), speed=(1.2, 0.2))
        it.add_source(20, area=AREA, rate=2.0, radius=(0.2, 0.02))
        it.step(50)
        before = [it.radii, it._simulation.sources[0].rows["body"][:, RADIUS].copy()]
        speeds = it.speeds
        for number in (0, 1):
            it.set_profile(number, radius=(0.3, 0.05))
        after = [it.radii, it._simulation.sources[0].rows["body"][:, RADIUS]]
        for old, new in zip(before, after, strict=True):
            np.testing.assert_allclose((new - 0.3) / 0.05, (old - 0.2) / 0.02, atol=1e-4)
        np.testing.assert_array_equal(it.speeds, speeds)

    @pytest.mark.parametrize("speed", [1.2, (1.2, 0.2)])
    def test_a_speed_that_is_named_reaches_those_who_had_another(self, speed):
        it = maps.crowd("hall")
        ids = it.add(50, speed=speed)
        before = it.speeds
        it.set_speed(ids[:20], 0.3)
        it.set_profile(0, fw.Profile(speed=speed))
        assert it.speeds[:20].round(3).tolist() == [0.3] * 20
        it.set_profile(0, speed=speed)
        np.testing.assert_allclose(it.speeds[20:], before[20:], atol=1e-6)
        assert it.speeds.min() >= 0.8 - 1e-6
        assert len(set(it.speeds[:20])) == (1 if speed == 1.2 else 20)

    def test_the_profile_as_a_whole(self):
        it = maps.crowd("hall")
        it.add(5, speed=2.0)
        it.set_profile(0, fw.Profile(radius=0.2), noise=0.2)
        assert it.profiles == [fw.Profile(radius=0.2, noise=0.2)]
        assert it.speeds.round(3).tolist() == [1.2] * 5

    def test_nobody_is_there(self):
        it = maps.crowd("hall")
        it.add(0, name="nobody")
        it.set_profile(0, radius=0.5)
        it.add_to(0, 3)
        it.step(20)
        assert it.radii.tolist() == [0.5] * 3


class TestRoom:
    @pytest.mark.parametrize("name", ["hall", "door", "cells", "bend", "branch"])
    @pytest.mark.parametrize("behaviour", ["goals", "wander"])
    def test_wider_and_narrower(self, name, behaviour):
        it = maps.crowd(name, seed=5)
        it.add(12, radius=0.15, behaviour=behaviour)
        it.step(60)
        for radius in (0.35, 0.2, (0.3, 0.05), 0.45, 0.1):
            it.set_profile(0, radius=radius)
            assert_clear(it, SHAPES[name])
            for _ in range(30):
                it.step(5)
                assert_clear(it, SHAPES[name])

    def test_who_does_not_fit_goes_to_the_nearest_free_place(self):
        it = maps.crowd("room")
        it.add(2, radius=0.2, starts=[(10.0, 0.3), (5.0, 7.0)], then="stay", goals=[(3, 3), (3, 6)])
        it.set_profile(0, radius=1.0)
        np.testing.assert_allclose(it.positions, [(10.0, 1.0), (5.0, 7.0)], atol=1e-4)

    def test_those_who_come_out_of_an_alley_stand_side_by_side(self):
        it = maps.crowd("door")
        starts = [(10.05 + 0.45 * k, 5.0) for k in range(3)]
        it.add(3, radius=0.2, starts=starts, goals=[(2, 2), (2, 5), (2, 8)])
        it.set_profile(0, radius=0.6)
        assert_clear(it, SHAPES["door"])
        assert pdist(it.positions).min() >= 1.2

    @pytest.mark.parametrize("name", ["hall", "door"])
    def test_who_fits_keeps_its_goal(self, name):
        it = maps.crowd(name, seed=1)
        ids = it.add(200, radius=0.2)
        it.set_goals(ids[:5], [(5, y) for y in (3, 4, 5, 6, 7)])
        it.step(20)
        before = it.goals
        it.set_profile(0, radius=0.21)
        kept = (it.goals == before).all(axis=1)
        assert kept.mean() > 0.95
        assert kept[:5].all()

    def test_goals_that_nobody_has_are_forgotten(self):
        it = maps.crowd("hall", seed=1)
        it.add(30, radius=0.2)
        it.add(5, radius=0.25, destinations=[AREA, (25, 10)])
        ids = it.add(5, goals=[(5, y) for y in (3, 4, 5, 6, 7)])
        for k in range(30):
            it.set_profile(k % 2, radius=0.26 + 0.005 * k)
            it.step(5)
        places = it._simulation.goals.table
        assert len(it._simulation.random_goals) == 1
        assert len(places.pieces) < 3 * 4096
        assert it.goals[it.ids >= ids[0]].round(6).tolist() == [[5, y] for y in (3, 4, 5, 6, 7)]
        goals = it._simulation.characters.state.journey[
            it._simulation.characters.slots(it.ids), GOAL
        ]
        np.testing.assert_array_equal(places.located[goals, :2], it.goals)
        it.step(300)
        assert_clear(it, SHAPES["hall"])

    def test_goals_that_are_too_tight_move_too(self):
        it = maps.crowd("room")
        it.add(1, starts=[(10.0, 7.0)], goals=[(2.0, 0.3)])
        it.set_profile(0, radius=1.0)
        assert it.goals[0, 1] >= 1.0
        it.step(300)
        assert it.arrivals == 1

    def test_and_so_do_goals_that_were_given_later(self):
        it = maps.crowd("room")
        ids = it.add(1, starts=[(10.0, 7.0)], destinations=[box(15, 5, 19, 10)])
        it.set_goals(ids, [(2.0, 0.3)])
        it.step(2)
        it.set_profile(0, radius=1.0)
        np.testing.assert_allclose(it.goals, [(2.0, 1.0)], atol=0.05)
        it.step(400)
        assert it.arrivals == 2

    def test_destinations_are_visited_in_their_order(self):
        it = maps.crowd("hall", seed=1)
        it.add(20, radius=0.2, destinations=[box(1, 1, 4, 4), box(26, 16, 29.9, 19.9)], then="exit")
        it.step(60)
        it.set_profile(0, radius=0.45)
        it.step(700)
        assert (it.exited, it.arrivals, len(it)) == (20, 40, 0)

    def test_a_door_that_is_too_narrow_now(self):
        it = maps.crowd("door", seed=1)
        it.add(6, radius=0.2, area=box(1, 1, 9, 9), destinations=[box(12, 1, 20, 9)], then="stay")
        it.step(10)
        it.set_profile(0, radius=0.45)
        it.step(150)
        assert it.positions[:, 0].max() < 10.0
        assert it.arrivals == 0
        it.set_profile(0, radius=0.2)
        it.step(400)
        assert it.arrivals == 6

    def test_random_goals_are_where_one_can_go(self):
        it = maps.crowd("door", seed=1)
        it.add(6, radius=0.2, area=box(1, 1, 9, 9))
        it.set_profile(0, radius=0.45)
        it.step(400)
        assert it.arrivals > 6
        assert it.positions[:, 0].max() < 10.0

    def test_sources_put_them_where_they_fit(self):
        it = maps.crowd("door", seed=1)
        it.add_source(20, area=box(0, 0, 9, 9), rate=5.0, radius=0.1)
        it.set_profile(0, radius=0.8)
        for _ in range(20):
            it.step(5)
            assert_clear(it, SHAPES["door"])

    def test_groups(self):
        it = maps.crowd("hall", seed=1)
        group = it.add_group(6, start=(5, 2), goal=(25, 18), radius=0.2, width=1.0, then="stay")
        it.step(30)
        it.set_profile(0, radius=0.4, speed=1.5)
        for _ in range(180):
            it.step(5)
            assert_clear(it, SHAPES["hall"])
        assert group.arrived == 1
        with pytest.raises(fw.BadQuery, match="width"):
            it.set_profile(0, radius=0.9)

    def test_who_of_a_group_is_at_the_goal_is_counted_once(self):
        it = maps.crowd("hall", seed=1)
        group = it.add_group(6, start=(4, 2), goal=(12, 2), radius=0.2, then="stay")
        while not it.arrivals:
            it.step(1)
        assert it.arrivals < 6
        for radius in (0.25, 0.3):
            it.set_profile(0, radius=radius)
            it.step(1)
        it.step(200)
        assert (it.arrivals, group.arrived) == (6, 1)


class TestRoutes:
    def test_from_corridors_to_routes_and_back(self):
        it = yard_crowd(seed=3)
        it.add(30, radius=0.2)
        it.step(40)
        for options in (
            {"preferences": MUD}, {"radius": 0.35}, {"follow": "irm"},
            {"follow": "cmm", "preferences": {}}, {"follow": "miran"},
            {"radius": 0.15},
        ):  # fmt: skip
            it.set_profile(0, **options)
            for _ in range(20):
                it.step(5)
                assert_clear(it, yard().walkable)
        assert it.arrivals > 30

    def test_they_keep_out_of_the_mud_then(self):
        def on_mud(preferences):
            it = yard_crowd(seed=1)
            it.add(8, area=box(2, 2, 14, 10), destinations=[box(44, 2, 58, 10)], then="stay")
            it.step(10)
            it.set_profile(0, preferences=preferences)
            count = 0
            for _ in range(80):
                it.step(10)
                x, y = it.positions.T
                count += int(((x > 26) & (x < 34) & (y < 24)).sum())
            assert it.arrivals == 8
            return count

        assert on_mud(MUD) < 0.2 * on_mud({})

    def test_ground_of_manners_that_nobody_follows_is_forgotten(self):
        it = yard_crowd(seed=1)
        it.add(4, profile=HIKER)
        it.add(4, profile=CHILD)
        for k in range(12):
            it.set_profile(0, preferences={"mud": 2.0 + k})
            it.step(5)
        assert len(it._simulation.routes.styles) <= 4
        it.step(50)
        simulation = it._simulation
        radii = {simulation.routes.styles[p.style].radius for p in simulation.populations}
        assert radii == {float(np.float32(0.29)), float(np.float32(0.18))}

    def test_on_a_map_without_the_ground_a_change_of_speed_is_still_one(self):
        it = yard_crowd(seed=1)
        it.add(4, profile=HIKER)
        it = it.moved_to(yard_map())
        assert it.profiles[0].follows == "cmm"
        it.set_profile(0, speed=1.0)
        it.step(5)


class TestSameBits:
    def mixed(self, threads=1):
        it = yard_crowd(seed=4, threads=threads)
        it.add(30, profile=HIKER)
        it.add(30)
        it.add(5, behaviour="wander")
        it.add_group(4, start=(40, 20))
        it.add_source(30, area=box(2, 2, 10, 10), rate=2.0, destinations=[(50, 10)], then="exit")
        return it

    def go(self, it):
        it.step(20)
        it.set_profile(0, radius=(0.3, 0.05))
        it.set_profile(1, preferences=MUD)
        it.step(10)
        for k in (2, 3, 4):
            it.set_profile(k, radius=0.4, speed=(1.0, 0.1), lane=(-0.2, 0.1))
        it.add_to(1, 5)
        it.step(30)
        it.set_profile(0, follow="cmm", preferences={}, speed=0.8)

    def test_on_any_number_of_threads(self, monkeypatch):
        for name in ("simulation", "terrain_following"):
            monkeypatch.setattr(f"footway.crowd.{name}._FEW", 1)
        one, two = self.mixed(1), self.mixed(2)
        for it in (one, two):
            self.go(it)
            it.step(80)
        assert_same(one, two)

    def test_after_a_checkpoint(self, tmp_path):
        one = self.mixed()
        self.go(one)
        one.save(tmp_path / "a.npz")
        other = fw.Crowd.load(tmp_path / "a.npz", yard_map(), environment=yard())
        assert other.profiles == one.profiles
        for _ in range(3):
            one.step(40)
            other.step(40)
            assert_same(one, other)
            for it in (one, other):
                it.set_profile(1, radius=0.3)

    def test_after_a_checkpoint_of_those_who_were_faster_once(self, tmp_path):
        one = maps.crowd("corridor", seed=1)
        one.add(100, speed=10.0)
        one.set_profile(0, speed=1.2)
        one.save(tmp_path / "a.npz")
        other = fw.Crowd.load(tmp_path / "a.npz", maps.cmap("corridor"))
        one.step(60)
        other.step(60)
        assert_same(one, other)


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "word"),
        [
            ({"radius": 0.0}, "radius"),
            ({"radius": 4.9}, "fits nowhere"),
            ({"speed": float("nan")}, "speed"),
            ({"speed": "fast"}, "speed"),
            ({"lane": 9.0}, "lane"),
            ({"noise": -1.0}, "noise"),
            ({"follow": "bus"}, "follow"),
            ({"follow": "miran"}, "terrain"),
            ({"preferences": {"mud": 2.0}}, "terrain"),
            ({"profile": 5}, "profile"),
        ],
        ids=str,
    )
    def test_one_line_and_nothing_changed(self, options, word):
        it = maps.crowd("corridor")
        it.add(20)
        it.add_source(20, area=[*AREA[:2], (5, 3), (1, 3)], rate=1.0)
        it.step(5)
        before = everything(it)
        with pytest.raises(fw.FootwayError, match=word) as error:
            it.set_profile(0, **options)
        assert "\n" not in str(error.value)
        assert everything(it) == before

    def test_where_it_fits_at_one_point_of_each_room_there_are_no_random_goals(self):
        it = maps.crowd("door")
        it.add(20)
        it.step(5)
        before = everything(it)
        with pytest.raises(fw.BadQuery, match="there is no position on the map"):
            it.set_profile(0, radius=4.999)
        assert everything(it) == before

    @pytest.mark.parametrize("population", [-1, 2, 1.5, None])
    def test_populations_that_are_not_there(self, population):
        it = maps.crowd("hall")
        it.add(3)
        with pytest.raises(fw.BadQuery, match="population"):
            it.set_profile(population, speed=1.0)

    def test_a_kind_of_ground_that_is_not_there(self):
        it = yard_crowd()
        it.add(3)
        with pytest.raises(fw.BadInput, match="lava"):
            it.set_profile(0, preferences={"lava": 2.0})
        assert it.profiles == [fw.Profile()]

    def test_wanderers_and_groups_follow_corridors(self):
        it = yard_crowd()
        it.add(3, behaviour="wander")
        it.add_group(3, start=(5, 5))
        for k, word in enumerate(("wanderer", "group")):
            with pytest.raises(fw.BadQuery, match=word):
                it.set_profile(k, follow="miran")


class TestMore:
    def test_they_are_like_the_others(self):
        it = maps.crowd("hall", seed=1)
        it.add(3, radius=0.3, destinations=[AREA], then="exit", name="a")
        it.add(3, name="b")
        ids = it.add_to(0, 4, area=box(24, 1, 29, 8))
        assert ids.tolist() == [6, 7, 8, 9]
        assert (it.positions[6:, 0] > 24).all()
        assert it.populations.tolist() == [0] * 3 + [1] * 3 + [0] * 4
        it.step(600)
        assert it.exited == 7

    def test_wanderers(self):
        it = maps.crowd("hall", seed=1)
        it.add(3, behaviour="wander")
        it.add_to(0, 4)
        before = it.positions
        it.step(50)
        assert (np.hypot(*(it.positions - before).T) > 1.0).all()

    def test_where_each_has_a_goal(self):
        it = maps.crowd("hall")
        it.add(1, goals=[(2, 2)])
        with pytest.raises(fw.BadQuery, match="its own goal"):
            it.add_to(0, 1)

    def test_groups(self):
        it = maps.crowd("hall")
        it.add_group(2, start=(2, 2))
        with pytest.raises(fw.BadQuery, match="group"):
            it.add_to(0, 1)

    def test_no_room(self):
        it = maps.crowd("hall")
        it.add(2)
        with pytest.raises(fw.BadQuery):
            it.add_to(0, 100_000)
        assert len(it) == 2
        assert it.add(1).tolist() == [2]
