"""Crowds on terrain: who follows a route, over which terrain, and memory of guides."""

from functools import cache

import numpy as np
import pytest
import shapely
import shapely.ops

import footway as fw
from footway.crowd.kernels.layouts import (
    FOLLOWS,
    GUIDE,
    LENGTH,
    ON_ROUTE,
    PUSH_X,
    PUSH_Y,
    ROUTE_VISIBLE,
    UPDATED,
    VISIBILITY,
    WALL_BUDGET,
)
from footway.crowd.kernels.terrain_following import nearest_on_terrain
from footway.crowd.terrain_following import FollowingStyle, StyleTerrain, doubled_triangles, plan
from footway.terrain.kernels.cut_route import cut
from tests.oracle.crowd import assert_same
from tests.unit.crowd import maps
from tests.unit.crowd.maps import box

MUD = {"mud": 40.0}
HIKER = fw.Profile(radius=(0.25, 0.02), speed=(1.3, 0.1), preferences=MUD)
CHILD = fw.Profile(radius=0.18, preferences={"mud": 0.2})


@cache
def yard():
    """A wall and then mud, both with a path around them. 60 x 30 m."""
    return fw.Environment.from_polygons(
        bounds=(0, 0, 60, 30),
        obstacles=[box(18, 0, 20, 12)],
        terrain=[("mud", box(26, 0, 34, 24))],
        name="yard",
    )


@cache
def cmap():
    return fw.CorridorMap.build(yard())


def crowd(**options):
    return fw.Crowd(cmap(), environment=yard(), **options)


def walkers(count, it=None, **options):
    """A crowd in which some walk from the left of the mud to its right, and stay there."""
    it = crowd(seed=1) if it is None else it
    it.add(count, area=box(2, 2, 14, 14), destinations=[box(44, 2, 58, 14)], then="stay", **options)
    return it


def metres(recording, kind="mud"):
    """Metres that each character of a recording walked on a kind of terrain. (n,)."""
    terrain = fw.Terrain.build(yard(), 0.01)
    frames = np.array([recording.frame(k).positions for k in range(recording.n_frames)])
    lines = np.concatenate([frames[:-1], frames[1:]], axis=2)
    found = terrain.trace(lines.reshape(-1, 4), np.ones(2))[0][:, terrain.kinds.index(kind)]
    return found.reshape(lines.shape[:2]).sum(axis=0)


def assert_clear(it):
    assert (it.map.clearance(it.positions) >= it.radii).all()


class TestGround:
    def test_one_walks_around_what_it_dislikes(self):
        it = walkers(1, profile=HIKER)
        assert metres(it.run(seconds=70)).max() == 0.0
        assert it.arrivals == 1

    def test_a_crowd_nearly_keeps_out_of_it(self):
        plain = walkers(25)
        assert np.median(metres(plain.run(seconds=80))) > 7.0
        heeding = [walkers(25, crowd(seed=seed), profile=HIKER) for seed in (1, 2, 3)]
        mud = np.concatenate([metres(it.run(seconds=80)) for it in heeding])
        assert np.median(mud) < 0.5
        assert mud.mean() < 1.0
        assert {it.arrivals for it in (plain, *heeding)} == {25}

    def test_adults_and_children_in_one_crowd(self):
        it = walkers(12, profile=HIKER, name="adults")
        walkers(12, it, profile=CHILD, name="children")
        mud = metres(it.run(seconds=80))
        assert np.median(mud[:12]) < 0.5
        assert mud[12:].min() > 7.0
        assert it.arrivals == 24

    def test_updates_at_each_step_of_those_whose_look_is_0(self, tmp_path):
        """As in a single walk: the attraction point is updated, however little they walked."""
        it = walkers(10, profile=HIKER, look=0.0)
        it.step(20)
        facts = it._simulation.routes.guides.facts
        assert (facts[: len(it), UPDATED] == it.steps - 1).all()
        it.save(tmp_path / "crowd.npz")
        again = fw.Crowd.load(tmp_path / "crowd.npz", cmap(), environment=yard())
        assert again.profiles[0].look == 0.0

    def test_irm_does_not_look_at_the_ground(self):
        it = walkers(10, preferences=MUD, follow="irm")
        assert metres(it.run(seconds=80)).min() > 3.0
        assert it.arrivals == 10

    def test_without_preferences_it_is_the_shortest_path(self):
        one, other = (walkers(1, speed=1.2, follow=follow) for follow in ("miran", "cmm"))
        times = [next(k for k in range(900) if it.arrivals or it.step()) for it in (one, other)]
        assert times[0] <= times[1]

    @pytest.mark.parametrize("follow", ["miran", "irm"])
    def test_nobody_touches_a_wall(self, follow):
        it = walkers(40, radius=(0.3, 0.1), preferences=MUD, follow=follow)
        for _ in range(40):
            it.step(10)
            assert_clear(it)


class TestEverythingElse:
    """Characters on routes support all features of crowds."""

    def mixed(self, threads=1):
        it = crowd(seed=4, threads=threads)
        it.add(30, profile=HIKER)
        it.add(20, profile=CHILD, destinations=[box(2, 20, 14, 28), (50.0, 4.0)])
        it.add(20, preferences=MUD, follow="irm", premovement=(2.0, 1.0))
        it.add(20)
        it.add(5, behaviour="wander")
        it.add_group(4, start=(40, 20))
        it.add_source(
            20, area=box(2, 2, 10, 10), rate=2.0, profile=HIKER, destinations=[(50, 10)],
            then="exit",
        )  # fmt: skip
        it.add_obstacle((30, 26), 0.8)
        it.add_obstacle((10, 20), 0.5, velocity=(0.3, 0.0))
        return it

    def test_threads_make_no_difference(self, monkeypatch):
        for name in ("simulation", "terrain_following"):
            monkeypatch.setattr(f"footway.crowd.{name}._FEW", 1)
        ones = [self.mixed(threads) for threads in (1, 2, 3)]
        for it in ones:
            it.step(150)
        assert_same(ones[0], ones[1])
        assert_same(ones[0], ones[2])

    @pytest.mark.parametrize("after", [0, 1, 40, 333])
    def test_resumed_it_is_the_same(self, after, tmp_path):
        one = self.mixed()
        one.step(after)
        one.save(tmp_path / "a.npz")
        other = fw.Crowd.load(tmp_path / "a.npz", cmap(), environment=yard())
        for _ in range(3):
            one.step(50)
            other.step(50)
            assert_same(one, other)

    def test_a_checkpoint_needs_the_ground(self, tmp_path):
        walkers(2, profile=HIKER).save(tmp_path / "a.npz")
        with pytest.raises(fw.BadFile, match="give the environment, too"):
            fw.Crowd.load(tmp_path / "a.npz", cmap())

    def test_memory_of_those_who_leave_is_used_again(self):
        it = crowd(seed=2)
        for _ in range(3):
            it.add(10, area=box(2, 2, 14, 14), destinations=[(14.0, 20.0)], then="exit",
                   profile=HIKER)  # fmt: skip
            it.step(400)
        assert it.exited == 30
        assert len(it._simulation.routes.guides.progress) == 64
        assert it._simulation.routes._used_rows <= 12

    @pytest.mark.parametrize("follow", ["miran", "irm"])
    def test_one_whom_others_push_out_of_sight_of_its_route_gets_another(self, follow):
        it = fw.Crowd(maps.cmap("bend"), environment=maps.env("bend"))
        it.add(1, starts=[(2, 2)], goals=[(20, 2)], follow=follow)
        it.step(20)
        state, routes = it._simulation.characters.state, it._simulation.routes
        before = routes.guides.progress[0, LENGTH]
        state.place[0, :2] = 10.0, 28.0  # around two corners
        state.body[0, WALL_BUDGET] = 0.0
        it.step(40)
        assert routes.guides.progress[0, LENGTH] > before + 20.0
        assert routes.guides.facts[0, VISIBILITY] == ROUTE_VISIBLE
        it.step(600)
        assert it.arrivals == 1

    def test_where_an_obstacle_closes_the_route_it_takes_its_path_on_the_map(self):
        env = fw.Environment.from_polygons(
            shapely.box(0, 0, 30, 20) - shapely.box(10, 3, 20, 17), name="ring"
        )
        it = fw.Crowd(fw.CorridorMap.build(env), environment=env)
        it.add_obstacle((15, 1.5), 1.4)
        it.step()
        it.add(1, starts=[(5, 9)], goals=[(25, 9)], follow="miran")
        assert it._simulation.characters.state.cursor[0, FOLLOWS] != ON_ROUTE
        it.step(500)
        assert it.arrivals == 1

    @pytest.mark.parametrize("follow", ["miran", "irm"])
    @pytest.mark.parametrize("choice", [False, True])
    def test_where_an_obstacle_closes_the_route_later_it_takes_another(self, follow, choice):
        env = fw.Environment.from_polygons(
            shapely.box(0, 0, 30, 20) - shapely.box(10, 3, 20, 17), name="ring"
        )
        it = fw.Crowd(fw.CorridorMap.build(env), environment=env)
        where = (
            {"destinations": [[box(24, 8, 26, 10), box(27, 8, 29, 10)]], "then": "stay"}
            if choice
            else {"goals": [(25, 8.5)]}
        )
        it.add(1, starts=[(5, 8.5)], follow=follow, **where)
        state = it._simulation.characters.state
        it.step(20)
        assert state.cursor[0, FOLLOWS] == ON_ROUTE
        assert it.positions[0, 1] < 8.5  # on its way through the lower passage
        it.add_obstacle((15, 1.5), 1.4)
        highest = 0.0
        for _ in range(60):
            it.step(10)
            highest = max(highest, float(it.positions[0, 1]))
        assert it.arrivals == 1
        assert highest > 17.0  # around, through the upper passage

    def test_an_obstacle_behind_it_does_not_send_it_around(self):
        env = fw.Environment.from_polygons(
            shapely.box(0, 0, 30, 20) - shapely.box(10, 3, 20, 17), name="ring"
        )
        it = fw.Crowd(fw.CorridorMap.build(env), environment=env)
        it.add(1, starts=[(5, 8.5)], goals=[(25, 8.5)], follow="miran")
        while it.positions[0, 0] < 21.0:
            it.step()
        it.add_obstacle((15, 1.5), 1.4)
        for _ in range(20):
            it.step(10)
            assert it.positions[0, 0] > 20.0
        assert it.arrivals == 1

    def test_new_goals(self):
        it = crowd(seed=1)
        it.add(5, area=box(2, 2, 14, 14), goals=[(50.0, 5.0)] * 5, profile=HIKER)
        it.step(20)
        it.set_goals(it.ids, [(5.0, 25.0)] * 5)
        it.step(400)
        assert (np.hypot(*(it.positions - (5.0, 25.0)).T) < 3.0).all()


class TestRefused:
    @pytest.mark.parametrize(
        ("how", "words"),
        [
            (
                {"preferences": {"mudd": 2.0}},
                "no terrain of kind 'mudd' on this map; it has ground",
            ),
            ({"preferences": {"mud": 0.0}}, "the weight of 'mud' is 0.0; give a positive number"),
            ({"preferences": {"mud": -1}}, "the weight of 'mud' is -1.0; give a positive number"),
            ({"preferences": {"mud": np.nan}}, "the weight of 'mud' is nan"),
            ({"preferences": 3}, "preferences must map kinds of terrain to weights, not 3"),
            ({"preferences": MUD, "follow": "cmm"}, r"follow corridors \(cmm\) ignore"),
            ({"follow": "along"}, "the follower is 'along': it must be one of cmm"),
            ({"follow": "irm", "behaviour": "wander"}, "a wanderer follows corridors"),
        ],
    )
    def test_options(self, how, words):
        it = crowd()
        with pytest.raises(fw.FootwayError, match=words):
            it.add(1, **how)
        assert len(it) == len(it.names) == 0

    @pytest.mark.parametrize(
        ("how", "words"),
        [
            ({"sigma": 2.0}, "sigma is 2 m and spacing 3 m"),
            ({"sigma": np.nan}, "sigma is nan m: it must be finite"),
            ({"spacing": 0.0}, "spacing is 0 m: it must be more than 0"),
            ({"look": -1.0}, "look is -1 m: it must be 0 m or more"),
        ],
    )
    def test_numbers(self, how, words):
        with pytest.raises(fw.BadQuery, match=words):
            fw.Profile(follow="miran", **how)

    def test_groups(self):
        with pytest.raises(fw.BadQuery, match="a group follows corridors"):
            crowd().add_group(3, start=(5, 5), profile=HIKER)

    def test_no_ground(self):
        with pytest.raises(fw.BadQuery, match=r"Crowd\(map, environment=...\)"):
            fw.Crowd(cmap()).add(1, profile=HIKER)

    def test_another_ground(self):
        with pytest.raises(fw.BadQuery, match="give the one that the map was built from"):
            fw.Crowd(cmap(), environment=fw.load("gallery:field"))
        with pytest.raises(fw.BadQuery, match="give the Environment that the map was built from"):
            fw.Crowd(cmap(), environment="yard.wkt")  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("walls", "words"),
        [
            (
                [box(18, 0, 20, 13)],
                r"'other' has a wall at \(19.00, 13.00\) where the map has none",
            ),
            ([], "has 180.00 m of walls and the map 204.00 m: give the one"),
        ],
    )
    def test_other_walls(self, walls, words):
        env = fw.Environment.from_polygons(bounds=(0, 0, 60, 30), obstacles=walls, name="other")
        with pytest.raises(fw.BadQuery, match=words):
            fw.Crowd(cmap(), environment=env)


class TestParts:
    def test_routes_do_not_depend_on_each_other(self):
        terrain_data = StyleTerrain.build(
            FollowingStyle("miran", 30.0, 3.0, 1.0, 0.5, 1.0, 3.0, 0.25, MUD), yard()
        )
        rng = np.random.default_rng(5)
        starts, goals = (
            rng.uniform((1, 1), (17, 29), (20, 2)),
            rng.uniform((36, 1), (59, 29), (20, 2)),
        )
        goals[3], goals[4] = np.nan, starts[4]  # nowhere, and nothing to walk
        together = plan(starts, goals, terrain_data)
        assert [k for k, route in enumerate(together) if route is None] == [3, 4]
        for k in (0, 7, 19):
            (alone,) = plan(starts[k : k + 1], goals[k : k + 1], terrain_data)
            assert all(map(np.array_equal, alone, together[k]))

    def test_routes_to_one_goal_are_those_to_each(self):
        """Many of them share a search of the whole terrain, for its bounds."""
        terrain_data = StyleTerrain.build(
            FollowingStyle("miran", 30.0, 3.0, 1.0, 0.5, 1.0, 3.0, 0.25, MUD), yard()
        )
        starts = np.random.default_rng(6).uniform((1, 1), (17, 29), (60, 2))
        goals = np.tile([50.0, 20.0], (60, 1))
        together = plan(starts, goals, terrain_data)
        for k in range(60):
            (alone,) = plan(starts[k : k + 1], goals[k : k + 1], terrain_data)
            assert alone is not None
            assert all(map(np.array_equal, alone, together[k]))

    def test_places_on_the_terrain(self):
        terrain = fw.Terrain.build(yard(), 0.5)
        corners = terrain.mesh.points[terrain.mesh.triangles]
        space = shapely.union_all([shapely.Polygon(c) for c in corners])
        points = np.random.default_rng(0).uniform((-1, -1), (61, 31), (300, 2))
        places, away = np.empty_like(points), np.empty(len(points))
        index = cmap().solver.index
        nearest_on_terrain(points, doubled_triangles(terrain.mesh), index.grid, places, away)
        there = np.isfinite(away)  # others are behind a wall
        assert there.sum() > 200
        exact = shapely.distance(space, shapely.points(points))
        assert np.abs(away - exact)[there].max() < 1e-6
        moved = np.hypot(*(places - points).T)
        assert np.abs(moved - away)[there].max() < 1e-4
        assert (terrain.triangles_at(places[there]) >= 0).all()

    def test_a_route_costs_what_its_ground_weighs(self):
        terrain_data = StyleTerrain.build(
            FollowingStyle("miran", 30.0, 3.0, 1.0, 0.5, 1.0, 3.0, 0.25, {"mud": 1.5}), yard()
        )
        terrain = terrain_data.terrain
        for start, goal in (((5, 5), (50, 5)), ((5, 20), (30, 10)), ((40, 28), (30, 28))):
            (route,) = plan(np.array([start], float), np.array([goal], float), terrain_data)
            points, lengths, costs = route.points[:, :2], route.points[:, 2], route.points[:, 3]
            assert np.allclose(np.diff(lengths), np.hypot(*np.diff(points, axis=0).T))
            assert np.isclose(costs[-1], terrain.weighted_length(points, {"mud": 1.5}))
            triangle, along, _ = cut(points, lengths, terrain.mesh)
            assert set((2 * triangle).tolist()) == set(route.pieces[:, 2].astype(int).tolist())
            assert np.isclose(along.max(), route.pieces[:, 1].max())
            best = fw.route(terrain, start, goal, preferences={"mud": 1.5}).weighted_length
            assert best - 1e-9 <= costs[-1] <= 1.1 * best

    def test_bends_keep_off_what_is_disliked(self):
        terrain_data = StyleTerrain.build(
            FollowingStyle("miran", 30.0, 3.0, 1.0, 0.5, 1.0, 3.0, 0.25, MUD), yard()
        )
        (route,) = plan(np.array([[5.0, 5.0]]), np.array([[50.0, 5.0]]), terrain_data)
        bends = shapely.points(route.points[1:-1, :2])
        assert shapely.distance(shapely.Polygon(box(26, 0, 34, 24)), bends).min() > 0.2


class TestBoundaryForce:
    """F_b of miran-2013, section 3.4, as in single walks."""

    def test_is_that_of_the_paper_near_a_wall(self):
        """Away from the nearest wall: c_b / c_s at the wall, 0 at the preferred clearance."""
        it = crowd(seed=2)
        it.add(60, preferences=MUD, clearance=1.5, boundary=4.0, steering=2.0)
        walls = shapely.union_all(
            [shapely.LineString(w.reshape(2, 2)) for w in cmap().solver.index.grid.walls]
        )
        near = 0
        for _ in range(60):
            before = it.positions.copy()
            it.step(1)
            guides, state = it._simulation.routes.guides, it._simulation.characters.state
            for number in range(len(it)):
                slot = int(it._simulation.characters.slots(number))
                if state.cursor[slot, FOLLOWS] != ON_ROUTE:
                    continue
                push = guides.progress[state.cursor[slot, GUIDE], PUSH_X : PUSH_Y + 1]
                at = shapely.Point(before[number])
                foot = shapely.ops.nearest_points(walls, at)[0]
                away = np.array([at.x - foot.x, at.y - foot.y])
                gap = np.linalg.norm(away) - 0.25
                strength = 2.0 * max(0.0, 1.5 - max(gap, 0.0)) / 1.5
                near += gap < 1.5
                np.testing.assert_allclose(push, strength * away / np.linalg.norm(away), atol=1e-6)
        assert near > 50

    def test_keeps_walkers_off_the_walls(self):
        """One passes the corner of a wall; only without the force does it touch it."""
        env = fw.Environment.from_polygons(
            bounds=(0, 0, 30, 12),
            obstacles=[box(14, 0, 16, 7)],
            terrain=[("mud", box(0, 11, 1, 12))],
        )
        gaps = []
        for clearance in (0.0, 0.5):
            it = fw.Crowd(fw.CorridorMap.build(env), seed=1, environment=env)
            it.add(1, area=box(1, 1, 3, 3), destinations=[box(25, 1, 29, 4)], then="stay",
                   preferences=MUD, clearance=clearance)  # fmt: skip
            recording = it.run(seconds=40)
            frames = [recording.frame(k).positions for k in range(recording.n_frames)]
            gaps.append(it.map.clearance(np.concatenate(frames)).min() - 0.25)
            assert it.arrivals == 1
        assert gaps[0] < 0.05
        assert gaps[1] > 0.1

    @pytest.mark.parametrize("width", [0.56, 0.8, 1.4])
    def test_holds_nobody_before_a_door(self, width):
        """The force of one door post pushes back; half of the steering force leads on."""
        env = fw.Environment.from_polygons(
            bounds=(0, 0, 20, 8),
            obstacles=[box(9, 0, 9.5, 4 - width / 2), box(9, 4 + width / 2, 9.5, 8)],
            terrain=[("mud", box(1, 7, 2, 8))],
        )
        it = fw.Crowd(fw.CorridorMap.build(env), seed=1, environment=env)
        it.add(
            3, area=box(1, 1, 6, 6), destinations=[box(14, 1, 19, 7)], then="stay",
            preferences=MUD, boundary=10.0,
        )  # fmt: skip
        it.step(600)
        assert it.arrivals == 3
        assert_clear(it)
