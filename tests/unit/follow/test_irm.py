"""The Indicative Route Method, and how it differs from MIRAN."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway._numba.jit import kernel
from footway.follow.kernels import irm
from footway.terrain.route import IndicativeRoute
from footway.terrain.terrain import Terrain
from tests.oracle.follow import gap_to_walls, worst_turn
from tests.oracle.nearest import NearestWall

ZIGZAG = [(2, 10), (6, 14), (10, 6), (14, 14), (18, 6), (22, 14), (26, 6), (30, 14), (38, 10)]


@kernel
def furthest_in_disc(cx, cy, radius, points, lengths):
    return irm.furthest_in_disc(cx, cy, radius, points, lengths)


@pytest.fixture(scope="module")
def square() -> fw.Environment:
    return fw.Environment.from_polygons(
        bounds=(0, 0, 40, 20),
        obstacles=[[(19, 0), (21, 0), (21, 5), (19, 5)]],
        terrain=[("mud", [(10, 8), (30, 8), (30, 12), (10, 12)])],
    )


@pytest.fixture(scope="module")
def cmap(square: fw.Environment) -> fw.CorridorMap:
    return fw.CorridorMap.build(square)


@pytest.fixture(scope="module")
def route(square: fw.Environment) -> IndicativeRoute:
    return IndicativeRoute.from_points(Terrain.build(square), ZIGZAG, {"mud": 8.0})


class TestFurthestInDisc:
    POINTS = np.array([[0.0, 0], [10, 0], [10, 10], [0, 10]])
    LENGTHS = np.array([0.0, 10.0, 20.0, 30.0])

    @pytest.mark.parametrize(
        ("disc", "expected"),
        [
            ((0, 0, 3), 3.0),
            ((5, 0, 2), 7.0),
            ((10, 0, 4), 14.0),
            ((0, 10, 1), 30.0),
            ((5, 5, 5.5), 20.0 + 5.0 + np.sqrt(5.5**2 - 25.0)),
            ((5, 5, 2), -1.0),
        ],
    )
    def test_is_the_last_point_inside(self, disc, expected):
        found = furthest_in_disc(*(float(c) for c in disc), self.POINTS, self.LENGTHS)
        assert found == pytest.approx(expected)


class TestWalks:
    def test_reach_the_goal(self, square, cmap, route):
        walk = fw.follow.irm(route, cmap)
        assert walk.goal == route.goal
        assert gap_to_walls(NearestWall(square), walk.points) >= 0.25 - 1e-9
        assert worst_turn(walk.points) <= np.pi * walk.step + 1e-9
        assert (np.diff(walk.references) >= 0.0).all()

    def test_skip_more_than_miran_where_there_is_room(self, cmap, route):
        skipping = fw.follow.irm(route, cmap)
        heeding = fw.follow.miran(route, sigma=10.0, spacing=1.0)
        assert (skipping.attractions - skipping.references).max() > 15.0
        assert skipping.length < heeding.length

    def test_do_not_know_the_terrain(self, cmap, route):
        one = fw.follow.irm(route, cmap)
        other = fw.follow.irm(route, cmap, preferences={"mud": 100.0})
        assert np.array_equal(one.points, other.points)
        assert other.weighted_length > one.weighted_length

    def test_attraction_points_are_the_last_in_the_clearance_disc(self, cmap, route):
        walk = fw.follow.irm(route, cmap)
        discs = cmap.locate(walk.points)
        along = np.linspace(0.0, route.length, 5_000)
        places = np.array([route.point_at(s) for s in along])
        expected = 0.0
        for k in range(len(walk.points) - 1):
            apart = np.linalg.norm(places - discs.position[k], axis=1)
            inside = along[apart <= discs.clearance[k] - walk.radius]
            expected = max(expected, inside.max(initial=0.0))  # it never falls back
            assert walk.attractions[k] == pytest.approx(expected, abs=2.0 * along[1])

    def test_avoid_obstacles(self, cmap, route):
        walk = fw.follow.irm(route, cmap, obstacles=[(20.0, 10.0, 0.8)])
        assert walk.gap > 0.05

    def test_need_a_map(self, route):
        with pytest.raises(fw.BadInput, match="corridor map"):
            fw.follow.irm(route, None)

    def test_need_a_medial_axis(self, square, route):
        roadmap = fw.roadmap.rrm(square, resolution=0.5, radius=0.25)
        with pytest.raises(fw.BadInput, match="has no clearance discs"):
            fw.follow.irm(route, fw.CorridorMap.from_roadmap(roadmap))

    def test_need_the_map_of_the_same_place(self, route):
        other = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 41, 20)))
        with pytest.raises(fw.BadInput, match="is not of the route's environment"):
            fw.follow.irm(route, other)


def test_beside_miran_on_the_road():
    """Figure 8 of miran-2013: MIRAN respects the terrain, IRM skips the end of the route."""
    from footway.environment.gallery.mckenna_road import PEDESTRIAN, ROUTE

    env = fw.load("gallery:mckenna-road")
    route = IndicativeRoute.from_points(Terrain.build(env, radius=0.0), ROUTE, PEDESTRIAN)
    mindful = fw.follow.miran(route, sigma=40, spacing=10)
    careless = fw.follow.irm(route, fw.CorridorMap.build(env))
    metres, other = mindful.measure(), careless.measure()
    assert metres["mud"] == 0.0
    assert other["mud"] > 5.0
    assert metres["sidewalk"] > other["sidewalk"] + 3.0
    assert mindful.weighted_length < 0.5 * careless.weighted_length
    assert np.diff(mindful.references).max() <= 40.0
    skips = np.diff(careless.references)
    assert skips.max() > 50.0
    assert careless.references[skips.argmax() + 1] > 0.95 * route.length  # the last part of it
