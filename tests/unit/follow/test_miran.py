"""MIRAN: the paper's examples, effects of its parameters, obstacles and the path back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import footway as fw
from footway._numba.jit import kernel
from footway.environment.gallery import forest
from footway.follow.kernels import miran as _miran_kernels
from footway.follow.kernels.layouts import Guide, Settings
from footway.follow.walker import RouteWalker
from footway.terrain.cut_route import CutRoute
from footway.terrain.route import IndicativeRoute
from footway.terrain.terrain import Terrain
from tests.oracle import miran as oracle
from tests.oracle.follow import gap_to_moving, gap_to_walls, worst_turn
from tests.oracle.nearest import NearestWall

LOOP = [(2, 2), (10, 2), (18, 2), (18, 14), (24, 18), (30, 13), (18, 7), (30, 2), (38, 2)]


def hall(**more: Any) -> fw.Environment:
    """A hall of 40 x 20 m with two blocks."""
    return fw.Environment.from_polygons(
        bounds=(0, 0, 40, 20),
        obstacles=[
            [(10, 4), (14, 4), (14, 12), (10, 12)],
            [(22.5, 12.5), (25.5, 12.5), (25.5, 15), (22.5, 15)],
        ],
        **more,
    )


def muddy() -> fw.Environment:
    return hall(
        terrain=[
            ("mud", [(14, 0), (20, 0), (20, 3), (14, 3)]),
            ("path", [(0, 0), (14, 0), (14, 3), (0, 3)]),
        ]
    )


@pytest.fixture(scope="module")
def route() -> IndicativeRoute:
    return IndicativeRoute.from_points(Terrain.build(hall(), radius=0.25), LOOP)


def body(route: IndicativeRoute, **changes: Any) -> Settings:
    """Straight toward each attraction point, half a metre at a time."""
    plain = Settings(
        radius=route.terrain.radius, speed=0.5, step=1.0, turn_rate=10.0, sigma=15.0, spacing=2.0,
        look=0.0, clearance=0.0, steering=1.0, boundary=0.0, repulsion=0.0, smooth=False,
    )  # fmt: skip
    return plain._replace(**changes)


def off(walk: fw.follow.RouteWalk) -> float:
    """Greatest distance of the walk from its route, m."""
    import shapely

    line = shapely.LineString(walk.route.points)
    return float(shapely.distance(shapely.points(walk.points), line).max())


class TestAlgorithm:
    @pytest.mark.parametrize("sigma", [3.0, 15.0, 60.0])
    def test_is_that_of_the_paper_step_by_step(self, sigma):
        terrain = Terrain.build(muddy(), radius=0.0)
        route = IndicativeRoute.from_points(terrain, LOOP, {"mud": 10.0, "path": 0.5})
        walk = RouteWalker(route, None, body(route, sigma=sigma), (), replan=False).walk()
        world = oracle.World.of(terrain.mesh, terrain.weights(route.preferences))
        expected = oracle.walk(
            oracle.Route(route.points), world, sigma=sigma, spacing=2.0, stride=0.5
        )
        np.testing.assert_allclose(walk.points, [step.x for step in expected], atol=1e-6)
        ours, theirs = walk.references[:-1], [step.reference for step in expected[:-1]]
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
        ours, theirs = walk.attractions[:-1], [step.attraction for step in expected[:-1]]
        np.testing.assert_allclose(ours, theirs, atol=1e-6)

    @pytest.mark.parametrize("sigma", [8.0, 16.0, 30.0])
    def test_a_route_that_comes_back_to_where_the_character_stands_is_no_trap(self, sigma):
        terrain = Terrain.build(hall(), radius=0.25)
        loop = [(30, 6), (34, 6), (34, 10), (30, 10), (30, 6), (26, 6)]
        route = IndicativeRoute.from_points(terrain, loop)
        walk = fw.follow.miran(route, sigma=sigma, spacing=4.0)
        assert walk.goal == route.goal
        assert np.diff(walk.references).max() <= sigma

    def test_of_equal_weights_takes_the_farthest(self):
        terrain = Terrain.build(hall(), radius=0.0)
        route = IndicativeRoute.from_points(terrain, [(1, 1), (39, 1)])
        walk = fw.follow.miran(route, sigma=12.0, spacing=3.0)
        assert walk.attractions[0] == pytest.approx(12.0)

    def test_heeds_the_terrain(self):
        terrain = Terrain.build(muddy(), radius=0.0)
        around = [(2, 1), (12, 1.5), (13.5, 3.3), (20.5, 3.3), (22, 1), (38, 1)]
        route = IndicativeRoute.from_points(terrain, around)
        through = fw.follow.miran(route, sigma=20.0, spacing=1.0)
        dry = fw.follow.miran(route, sigma=20.0, spacing=1.0, preferences={"mud": 40.0})
        assert through.measure()["mud"] > 4.0
        assert dry.measure()["mud"] < 0.3
        assert dry.weighted_length < terrain.weighted_length(through.points, {"mud": 40.0})

    def test_is_the_same_every_time(self, route):
        one, other = (fw.follow.miran(route) for _ in range(2))
        assert np.array_equal(one.points, other.points)


class TestSigma:
    def test_decides_how_much_of_a_loop_is_skipped(self, route):
        lengths = [
            fw.follow.miran(route, sigma=sigma, spacing=1.0).length for sigma in (2, 10, 30, 80)
        ]
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[0] > 0.9 * route.length
        assert lengths[-1] < 0.7 * route.length

    def test_keeps_near_the_route_where_it_is_small(self, route):
        near, far = (fw.follow.miran(route, sigma=s, spacing=0.5) for s in (1.5, 30.0))
        assert off(near) < 0.5 < off(far)

    @pytest.mark.parametrize("sigma", [3.0, 12.0, 50.0])
    def test_bounds_what_is_skipped_at_once(self, route, sigma):
        walk = fw.follow.miran(route, sigma=sigma)
        assert np.diff(walk.references).max() <= sigma
        assert (walk.attractions - walk.references).max() <= sigma + 1e-9


class TestWalk:
    def test_begins_and_ends_on_the_route(self, route):
        walk = fw.follow.miran(route)
        assert (walk.start, walk.goal) == (route.start, route.goal)
        assert not walk.velocities[-1].any()
        assert walk.references[-1] == route.length
        np.testing.assert_allclose(
            walk.points[:-1] + walk.velocities[:-1] * walk.step, walk.points[1:], atol=1e-12
        )

    @pytest.mark.parametrize("look", [0.0, 0.5, 2.0])
    def test_is_smooth(self, route, look):
        walk = fw.follow.miran(route, look=look, turn_rate=2.0)
        assert worst_turn(walk.points) <= 2.0 * walk.step + 1e-9
        assert np.linalg.norm(walk.velocities, axis=1).max() <= walk.speed + 1e-12

    @pytest.mark.parametrize("radius", [0.0, 0.25, 0.5, 1.0])
    def test_of_a_disc_keeps_its_radius_from_walls(self, radius):
        terrain = Terrain.build(hall(), radius=radius)
        walk = fw.follow.miran(IndicativeRoute.from_points(terrain, LOOP), sigma=60.0)
        gap = gap_to_walls(NearestWall(hall()), walk.points)
        assert gap >= radius - 1e-9
        assert walk.clearance == pytest.approx(gap, abs=1e-9)

    def test_keeps_a_wanted_clearance(self, route):
        near, wide = (fw.follow.miran(route, sigma=60.0, clearance=c) for c in (0.0, 1.0))
        assert near.clearance < 0.3
        assert wide.clearance > 0.25 + 0.5

    def test_in_the_middle_of_a_passage_that_is_too_narrow_no_wall_pushes(self):
        """Both walls are nearer than is wanted: what they ask for cancels out."""
        env = fw.Environment.from_polygons(bounds=(0, 0, 20, 2))
        route = IndicativeRoute.from_points(Terrain.build(env, radius=0.25), [(1, 1), (19, 1)])
        walk = fw.follow.miran(route, clearance=2.0, boundary=3.0)
        assert np.abs(walk.points[:, 1] - 1.0).max() < 1e-6

    def test_goes_through_a_door_that_is_narrower_than_the_wanted_clearance(self):
        env = fw.Environment.from_polygons(
            bounds=(0, 0, 20, 10), lines=[[(10, 0), (10, 4.5)], [(10, 5.5), (10, 10)]]
        )
        route = IndicativeRoute.from_points(
            Terrain.build(env, radius=0.25), [(2, 2), (9, 5), (11, 5), (18, 2)]
        )
        walk = fw.follow.miran(route, clearance=2.0)
        assert walk.goal == route.goal

    def test_measures_the_ground(self):
        terrain = Terrain.build(muddy(), radius=0.25)
        walk = fw.follow.miran(IndicativeRoute.from_points(terrain, LOOP, {"mud": 4.0}))
        metres = walk.measure()
        assert sum(metres.values()) == pytest.approx(walk.length)
        assert walk.weighted_length == pytest.approx(walk.length + 3.0 * metres["mud"])

    def test_as_plain_values(self, route):
        plain = fw.follow.miran(route).to_dict()
        assert plain["replanned"] == 0
        assert plain["ground"]["ground"] == pytest.approx(plain["length"])
        assert "RouteWalk" in repr(fw.follow.miran(route))

    def test_has_no_corridor(self, route):
        with pytest.raises(fw.BadInput, match="route"):
            _ = fw.follow.miran(route).corridor

    @pytest.mark.parametrize("step", [0.02, 0.5, 1.0])
    def test_at_any_step(self, route, step):
        walk = fw.follow.miran(route, step=step)
        assert walk.goal == route.goal
        assert walk.clearance >= 0.25 - 1e-9

    def test_starts_and_ends_on_a_wall(self):
        terrain = Terrain.build(hall(), radius=0.0)
        route = IndicativeRoute.from_points(terrain, [(0, 0), (10, 4), (10, 12), (40, 20)])
        walk = fw.follow.miran(route)
        assert walk.goal == (40.0, 20.0)
        assert (
            walk.duration < 2.0 * route.length / walk.speed
        )  # the boundary force does not hold it

    def test_keeps_away_from_walls_by_default(self, route):
        touching, walk = fw.follow.miran(route, clearance=0.0), fw.follow.miran(route)
        assert touching.clearance < 0.25 + 0.05
        assert walk.clearance > 0.25 + 0.15

    def test_goes_on_without_a_boundary_force_that_holds_it(self):
        post = hall(points=[(30, 1.0)])
        route = IndicativeRoute.from_points(
            Terrain.build(post, radius=0.25), [(20, 0.5), (38, 0.5)]
        )
        walk = fw.follow.miran(route, sigma=0.3, spacing=0.3, clearance=2.0, boundary=200.0)
        assert walk.goal == (38.0, 0.5)
        assert walk.duration > 1.5 * route.length / walk.speed  # it was held


@pytest.fixture(scope="module")
def walks() -> dict[str, fw.follow.RouteWalk]:
    terrain = Terrain.build(forest.forest(), radius=0.25)
    ends = (forest.START, forest.GOAL)
    return {
        name: fw.follow.miran(
            fw.route(terrain, *ends, preferences=weights, margin=5.0), sigma=sigma, spacing=20.0
        )
        for name, weights, sigma in (
            ("adult", forest.ADULT, 80.0),
            ("child", forest.CHILD, 100.0),
        )
    }


class TestForest:
    """Figure 1 of miran-2013, with its weights, sigma and d: two characters, two paths."""

    def test_the_adult_keeps_to_the_path_and_looks_at_the_view(self, walks):
        metres = walks["adult"].measure()
        assert metres["view"] > 40.0
        assert metres["path"] > 700.0
        assert metres["puddle"] + metres["tree"] + metres["forest"] < 1.0
        assert walks["adult"].points[:, 1].max() > 500.0

    def test_the_child_goes_through_puddles_and_over_trees(self, walks):
        metres = walks["child"].measure()
        assert metres["puddle"] > 100.0
        assert metres["tree"] > 20.0
        assert metres["view"] == 0.0
        assert metres["forest"] < 5.0
        assert walks["child"].points[:, 1].min() < 250.0


class TestObstacles:
    def test_that_stand_are_passed(self, route):
        discs = [(8.0, 2.05, 0.5), (17.9, 9.0, 0.6), (34.0, 2.0, 0.7)]
        walk = fw.follow.miran(route, sigma=8.0, obstacles=discs)
        assert walk.gap > 0.05
        assert walk.goal == route.goal

    def test_that_stand_exactly_in_the_way_are_passed(self, route):
        walk = fw.follow.miran(route, sigma=8.0, obstacles=[(6.0, 2.0, 0.5)])
        assert walk.gap > 0.05

    def test_beside_a_wall_are_passed_on_the_free_side(self):
        terrain = Terrain.build(hall(), radius=0.25)
        route = IndicativeRoute.from_points(terrain, [(2, 0.8), (38, 0.8)])
        walk = fw.follow.miran(route, obstacles=[(20.0, 0.85, 0.5)])
        assert walk.gap > 0.0
        assert walk.points[:, 1].max() > 1.6

    def test_that_move_are_avoided(self, route):
        cart = fw.follow.Disc((14.0, 2.0), 0.4, velocity=(-0.8, 0.0))
        walk = fw.follow.miran(route, sigma=8.0, obstacles=[cart])
        assert gap_to_moving(walk.points, walk.times, 0.25, [(cart.at, 0.4, cart.velocity)]) > 0.05

    def test_that_close_the_way_are_named(self):
        env = fw.Environment.from_polygons(bounds=(0, 0, 20, 2))
        route = IndicativeRoute.from_points(Terrain.build(env, radius=0.25), [(1, 1), (19, 1)])
        with pytest.raises(fw.NoPath, match="obstacles hold it") as error:
            fw.follow.miran(route, sigma=5.0, obstacles=[(10, 0.5, 0.45), (10, 1.5, 0.45)])
        assert error.value.reason == "blocked"
        assert error.value.obstacles == (0, 1)

    @pytest.mark.parametrize(("place", "what"), [((2.1, 2.0), "start"), ((37.8, 2.0), "goal")])
    def test_on_an_end_are_refused(self, route, place, what):
        with pytest.raises(fw.BadInput, match=f"lies on the {what}"):
            fw.follow.miran(route, obstacles=[(*place, 0.4)])


class TestWayBack:
    """A character that was pushed behind a block, where it sees nothing of its route."""

    def pushed(self, route: IndicativeRoute, *, replan: bool) -> RouteWalker:
        walker = RouteWalker(route, None, body(route, smooth=True, speed=1.2, step=0.1), (),
                             replan=replan)  # fmt: skip
        triangle = int(route.terrain.triangles_at((12.0, 13.0))[0])
        there = walker.state.body._replace(x=12.0, y=13.0, triangle=triangle)
        walker.state = walker.state._replace(body=there)
        return walker

    @pytest.fixture
    def below(self) -> IndicativeRoute:
        return IndicativeRoute.from_points(
            Terrain.build(hall(), radius=0.25), [(11, 1), (13, 1), (38, 1)]
        )

    def test_is_planned(self, below):
        walk = self.pushed(below, replan=True).walk()
        assert walk.replanned == 1
        assert walk.goal == below.goal
        assert (np.diff(walk.references) >= 0.0).all()
        assert walk.references[0] == 0.0  # the way back counts as no advance
        assert walk.attractions.min() >= 0.0
        assert walk.references[-1] == pytest.approx(below.length)
        assert gap_to_walls(NearestWall(hall()), walk.points) >= 0.25 - 1e-9

    def test_is_not_planned_where_nobody_wants_it(self, below):
        with pytest.raises(fw.NoPath, match="out of sight"):
            self.pushed(below, replan=False).walk()


def test_turns_slowly_where_it_must(route: IndicativeRoute) -> None:
    walk = fw.follow.miran(route, sigma=3.0, turn_rate=0.4)
    assert worst_turn(walk.points) <= 0.4 * walk.step + 1e-9
    assert walk.duration < 6.0 * route.length / walk.speed
    assert math.isfinite(walk.length)


@kernel
def reference_point(x, y, guide, cut):
    return _miran_kernels.reference_point(x, y, guide, cut)


class TestReferencePoint:
    """A route there and back, 4 m apart; the character is in the middle of both."""

    lengths = np.array([0.0, 10, 14, 24])
    cut = CutRoute(
        np.array([(0.0, 0), (10, 0), (10, 4), (0, 4)]), lengths, np.empty((0, 4)),
        np.empty((0, 2)), np.empty(0, np.int32), np.zeros(1, np.int32),
    )  # fmt: skip

    @pytest.mark.parametrize(
        ("y", "low", "high", "expected"),
        [
            (2.0, 0.0, 24.0, 5.0),  # of two that are as near, the first
            (2.0, 6.0, 24.0, 19.0),  # behind `low` is the past
            (2.0, 0.0, 15.0, 5.0),
            (3.0, 0.0, 24.0, 19.0),
            (3.0, 0.0, 14.5, 5.0),  # beyond `high` is not seen
            (4.0, 0.0, 19.0, 19.0),  # it stands on its attraction point
        ],
    )
    def test_is_the_first_closest_in_between(self, y, low, high, expected):
        line = int(np.searchsorted(self.lengths, low, side="right")) - 1
        guide = Guide(low, line, high, 0.0, 0.0)
        s, k = reference_point(5.0, y, guide, self.cut)
        assert s == pytest.approx(expected)
        assert self.lengths[k] <= s <= self.lengths[k + 1]
