"""Indicative routes: Snell's law, detours around bad terrain, methods, drawn routes, bad input."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import footway as fw
from footway.environment.gallery import forest, mckenna_road
from footway.terrain.kernels.search import Cells, search_cells
from tests.oracle import routes

SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
MUD = ("mud", [(0, 0), (40, 0), (40, 10), (0, 10)])


@pytest.fixture(scope="module")
def halves() -> fw.Terrain:
    """Mud below y = 10, good terrain above."""
    return fw.Terrain.build(fw.Environment.from_polygons(bounds=(0, 0, 40, 20), terrain=[MUD]))


@pytest.fixture(scope="module")
def rooms() -> fw.Environment:
    """Two rooms with a door of 1 m between them, and a room without a door."""
    return fw.Environment.from_polygons(
        bounds=(0, 0, 30, 10),
        obstacles=[
            [(9, 0), (10, 0), (10, 4), (9, 4)],
            [(9, 5), (10, 5), (10, 10), (9, 10)],
            [(20, 0), (21, 0), (21, 10), (20, 10)],
        ],
        terrain=[("mud", [(3, 3), (6, 3), (6, 10), (3, 10)])],
        name="rooms",
    )


@pytest.fixture(scope="module")
def pond() -> fw.Terrain:
    """A pond in the middle of a field, with a wall 1 m north of it."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 60, 40),
        obstacles=[[(20, 25), (40, 25), (40, 27), (20, 27)]],
        terrain=[("water", [(20, 14), (40, 14), (40, 24), (20, 24)])],
    )
    return fw.Terrain.build(env, radius=0.0)


class TestImproved:
    @pytest.mark.parametrize("weight", [0.2, 1.0, 2.0, 10.0])
    @pytest.mark.parametrize("goal", [(30.0, 2.0), (6.0, 2.0), (38.0, 5.0)])
    def test_bends_by_snells_law_where_the_ground_changes(self, halves, weight, goal):
        start = (5.0, 17.0)

        def length(x: float) -> float:
            return math.dist(start, (x, 10)) + weight * math.dist((x, 10), goal)

        best = minimize_scalar(length, bounds=(0, 40), method="bounded", options={"xatol": 1e-10})
        route = fw.route(halves, start, goal, preferences={"mud": weight}, margin=0.0)
        assert route.weighted_length == pytest.approx(best.fun, rel=1e-9)
        assert len(route.points) == (2 if weight == 1.0 else 3)

    def test_follows_a_border_on_its_better_side(self, halves):
        """Both ends are in the mud: it leaves at the critical angle, and comes back likewise."""
        route = fw.route(halves, (5, 8), (35, 8), preferences={"mud": 5.0}, margin=0.0)
        angle = math.asin(1 / 5)
        best = 2 * 5 * 2 / math.cos(angle) + 30 - 2 * 2 * math.tan(angle)
        assert route.weighted_length == pytest.approx(best, rel=1e-9)
        assert route.points[1:3, 1].tolist() == pytest.approx([10, 10], abs=1e-6)

    def test_is_straight_where_it_can_be(self, rooms):
        route = fw.route(rooms, (11, 1), (19, 9))
        assert route.points.tolist() == [[11, 1], [19, 9]]

    def test_goes_around_bad_ground_or_through_it(self, rooms):
        around = fw.route(rooms, (1, 8), (8, 8), preferences={"mud": 20.0})
        through = fw.route(rooms, (1, 8), (8, 8), preferences={"mud": 1.1})
        assert around.measure()["mud"] < 1e-6
        assert through.measure()["mud"] == pytest.approx(3.0)

    def test_reports_what_it_gained(self, rooms):
        route = fw.route(rooms, (1, 8), (19, 8), preferences={"mud": 3.0})
        assert route.is_improved
        assert route.before.method == "triangles"
        assert route.weighted_length < route.weighted_length_before
        assert route.before.weighted_length == route.weighted_length_before
        assert route.before.before is route.before

    def test_starts_on_corners_and_sides(self, halves):
        corners = halves.mesh.points
        for a in corners:
            for b in corners:
                if (a != b).any():
                    route = fw.route(halves, a, b, preferences={"mud": 4.0}, margin=0.0)
                    assert route.weighted_length <= halves.weighted_length([a, b], {"mud": 4.0})


class TestMargin:
    """The margin from worse terrain is kept where it fits and costs little."""

    @pytest.mark.parametrize("margin", [0.25, 0.75, 2.0])
    def test_is_kept_where_there_is_room(self, pond, margin):
        import shapely

        ends, weights = ((10, 17), (50, 17)), {"water": 20.0}
        route = fw.route(pond, *ends, preferences=weights, margin=margin)
        taut = fw.route(pond, *ends, preferences=weights, margin=0.0)
        water = pond.environment.terrain[0].polygon
        # The path around a corner is not an arc: its middle is closer to the corner.
        assert 0.5 * margin < shapely.LineString(route.points).distance(water) <= margin + 1e-6
        assert shapely.LineString(taut.points).distance(water) < 1e-6
        assert taut.weighted_length < route.weighted_length < 1.05 * taut.weighted_length

    def test_is_less_where_there_is_none(self, pond):
        """Between the water and the wall there is 1 m."""
        route = fw.route(pond, (18, 24.5), (42, 24.5), preferences={"water": 20.0}, margin=0.75)
        assert route.measure()["water"] == 0.0
        assert route.length == pytest.approx(24.0, abs=0.5)

    def test_is_none_of_terrain_that_the_route_leads_into(self, pond):
        route = fw.route(pond, (10, 20), (30, 20), preferences={"water": 1.2})
        assert route.points.tolist() == [[10, 20], [30, 20]]

    def test_that_costs_too_much_is_halved(self):
        import shapely

        mud = [(5, 5), (35, 5), (35, 15), (5, 15)]
        yard = fw.Environment.from_polygons(bounds=(0, 0, 40, 20), terrain=[("mud", mud)])
        ends, weights = ((36, 6), (2, 10)), {"mud": 20.0}
        far = fw.route(yard, *ends, preferences=weights, margin=4.0)
        taut = fw.route(yard, *ends, preferences=weights, margin=0.0)
        assert far.weighted_length <= 1.05 * taut.weighted_length
        assert 0.25 < shapely.LineString(far.points).distance(shapely.Polygon(mud)) <= 2.0
        assert fw.follow.miran(far, sigma=6).measure()["mud"] == 0.0

    @pytest.mark.parametrize("resolution", [0.5, None])
    def test_is_kept_where_a_rough_path_costs_a_trifle_less(self, resolution):
        """The grid leads nearly straight along the mud: 0.1 to 0.4 % cheaper than the margin."""
        env = fw.Environment.from_polygons(
            bounds=(0, 0, 20, 12), terrain=[("mud", [(8, 0), (12, 0), (12, 6), (8, 6)])]
        )
        ends, terrain, preferences = (
            ((2, 6.05), (18, 6.05)),
            fw.Terrain.build(env, 0.0),
            {"mud": 5.0},
        )
        rough, route = (
            fw.route(
                terrain, *ends, preferences=preferences, method="grid", resolution=resolution,
                improve=improve,
            )
            for improve in (False, True)
        )  # fmt: skip
        assert rough.weighted_length < route.weighted_length < 1.05 * rough.weighted_length
        assert route.points[1:-1, 1].min() > 6.7

    def test_is_given_up_where_a_rough_path_costs_much_less(self, halves, monkeypatch):
        """As if the search over nodes had found a path on the wrong side of worse terrain."""
        from footway.terrain import route as module

        straight = np.array([(5.0, 12.0), (35.0, 12.0)])

        def detour(terrain, start, goal, weights, margin):
            return (np.array([start, (20.0, 19.0), goal]), 34.0) if margin else (straight, 30.0)

        monkeypatch.setattr(module, "best_path", detour)
        route = fw.route(halves, *straight, preferences={"mud": 5.0}, method="grid")
        assert route.points.tolist() == straight.tolist()

    def test_keeps_followers_out_of_worse_ground(self):
        terrain = fw.Terrain.build(mckenna_road.mckenna_road())
        ends, weights = ((107.3, 187.4), (25.2, 83.0)), mckenna_road.PEDESTRIAN
        mud = {
            margin: fw.follow.miran(
                fw.route(terrain, *ends, preferences=weights, margin=margin)
            ).measure()["mud"]
            for margin in (0.0, 0.75)
        }
        assert mud[0.0] > 10.0
        assert mud[0.75] < 0.5

    @pytest.mark.parametrize("margin", [-1.0, math.nan, math.inf, "wide"])
    def test_that_makes_no_sense_is_refused(self, pond, margin):
        with pytest.raises(fw.BadQuery, match="the margin is"):
            fw.route(pond, (1, 1), (2, 2), margin=margin)


class TestMethods:
    @pytest.mark.parametrize("method", ["triangles", "grid"])
    @pytest.mark.parametrize("improve", [True, False])
    def test_each_gets_through_the_door(self, rooms, method, improve):
        route = fw.route(rooms, (1, 8), (19, 8), method=method, improve=improve)
        assert (route.method, route.is_improved) == (method, improve)
        assert (route.start, route.goal) == ((1.0, 8.0), (19.0, 8.0))
        assert 19.2 < route.length < 40.0

    def test_a_grid_goes_from_middle_to_middle_in_eight_directions(self, rooms):
        points = fw.route(
            rooms, (1, 8), (19, 8), method="grid", resolution=0.4, improve=False
        ).points
        cells = points[1:-1] / 0.4 - 0.5
        np.testing.assert_allclose(cells, np.round(cells), atol=1e-9)
        dx, dy = np.abs(np.diff(np.round(cells), axis=0)).T
        assert ((dx == 0) | (dy == 0) | (dx == dy)).all()

    @pytest.mark.parametrize("seed", range(12))
    def test_a_grid_gives_the_best_route_over_its_cells(self, seed):
        """Minimum over all joins and all king's moves between them, in an empty room."""
        size, reach = 0.5, 2
        room = fw.Environment.from_polygons(bounds=(0, 0, 6, 5))
        ends = np.random.default_rng(seed).uniform((0.1, 0.1), (5.9, 4.9), (2, 2))
        cells = np.array([(i, j) for j in range(10) for i in range(12)])
        near = [cells[(np.abs(cells - np.floor(end / size)) <= reach).all(axis=1)] for end in ends]
        joins = [np.hypot(*((c + 0.5) * size - e).T) for c, e in zip(near, ends, strict=True)]
        gaps = np.sort(np.abs(near[0][:, None] - near[1][None]), axis=2)
        between = size * (gaps[..., 1] + (math.sqrt(2) - 1) * gaps[..., 0])
        best = (joins[0][:, None] + between + joins[1][None]).min()
        terrain = fw.Terrain.build(room, 0.0)
        route = fw.route(terrain, *ends, method="grid", resolution=size, improve=False)
        assert route.length == pytest.approx(best)

    @pytest.mark.parametrize("seed", range(12))
    def test_a_grid_gives_the_best_route_over_cells_of_different_terrain(self, seed):
        """The goal is on the worst terrain, the start on any."""
        rng = np.random.default_rng(seed)
        mud, sand = ((rng.uniform((2, 1), (5, 4)) + s * SQUARE).tolist() for s in (1.0, 1.5))
        env = fw.Environment.from_polygons(
            bounds=(0, 0, 7, 6), terrain=[("sand", sand), ("mud", mud)]
        )
        terrain, preferences = fw.Terrain.build(env, 0.0), {"mud": 6.0, "sand": 2.0}
        start, goal = rng.uniform((0.1, 0.1), (6.9, 5.9)), np.mean(mud, axis=0)
        cells = Cells(0.0, 0.0, 0.5, 14, 12)
        passed = search_cells(start, goal, cells, terrain.weights(preferences), terrain.mesh)
        i, j = np.round(passed[1:-1] / 0.5 - 0.5).astype(int).T
        moves = routes.grid_moves(terrain, start, goal, 0.5, preferences)
        cost = sum(moves[move] for move in pairwise([-1, *(14 * j + i).tolist(), -2]))
        assert cost == pytest.approx(routes.best_of_moves(moves))

    def test_a_grid_considers_the_terrain_and_is_improved(self, halves):
        ends, weights = ((5, 9), (35, 9)), {"mud": 8.0}
        rough, fine = (
            fw.route(halves, *ends, preferences=weights, method="grid", improve=improve)
            for improve in (False, True)
        )
        best = fw.route(halves, *ends, preferences=weights)
        assert rough.measure()["mud"] < 5.0
        assert fine.weighted_length == pytest.approx(best.weighted_length)
        assert fine.weighted_length < rough.weighted_length
        assert fine.weighted_length_before == rough.weighted_length

    def test_a_thin_wall_is_seen_by_a_coarse_grid(self):
        env = fw.Environment.from_polygons(bounds=(0, 0, 10, 10), lines=[[(5, 0), (5, 8)]])
        terrain = fw.Terrain.build(env, radius=0.0)
        route = fw.route(terrain, (1, 1), (9, 1), method="grid", resolution=1.0, improve=False)
        assert route.points[:, 1].max() >= 8.0

    def test_a_grid_that_is_too_coarse_says_so(self, rooms):
        with pytest.raises(fw.NoPath, match="finer resolution"):
            fw.route(rooms, (1, 8), (19, 8), method="grid", resolution=3.3)

    def test_a_terrain_and_its_map_are_the_same(self, rooms):
        terrain = fw.Terrain.build(rooms, radius=0.4)
        one = fw.route(terrain, (1, 8), (19, 8))
        other = fw.route(rooms, (1, 8), (19, 8), radius=0.4)
        np.testing.assert_array_equal(one.points, other.points)


class TestGallery:
    def test_adult_and_child_take_different_routes(self):
        """As in figure 1 of miran-2013: the adult past the view, the child through puddles."""
        terrain = fw.Terrain.build(forest.forest())
        adult, child = (
            fw.route(terrain, forest.START, forest.GOAL, preferences=weights)
            for weights in (forest.ADULT, forest.CHILD)
        )
        assert adult.measure()["view"] > 50.0
        assert adult.measure()["puddle"] < 1e-6
        assert child.measure()["view"] == 0.0
        assert child.measure()["puddle"] > 200.0
        assert child.measure()["tree"] > 30.0
        assert adult.points[:, 1].mean() > 400.0 > child.points[:, 1].mean()

    def test_a_pedestrian_keeps_to_the_sidewalk(self):
        terrain = fw.Terrain.build(mckenna_road.mckenna_road())
        route = fw.route(terrain, (10, 10), (190, 190), preferences=mckenna_road.PEDESTRIAN)
        metres = route.measure()
        assert metres["sidewalk"] > 170.0
        assert metres["mud"] < 1e-6
        assert metres["road"] < 10.0

    @pytest.mark.parametrize("name", ["gallery:office", "gallery:mckenna"])
    def test_without_preferences_it_is_the_shortest_path(self, name):
        env = fw.load(name)
        terrain, cmap = fw.Terrain.build(env, radius=0.3), fw.CorridorMap.build(env)
        x0, y0, x1, y1 = env.bounds
        places = np.random.default_rng(1).uniform((x0, y0), (x1, y1), (400, 2))
        places = places[terrain.triangles_at(places) >= 0][:40]
        pairs = list(zip(places[::2], places[1::2], strict=True))
        best = np.array([cmap.path(a, b, radius=0.3).length for a, b in pairs])
        excess = np.array([fw.route(terrain, a, b).length for a, b in pairs]) / best - 1.0
        # Tangents stand for arcs around corners; and a few routes pass on the second best side.
        assert excess.min() >= -1e-9
        assert np.median(excess) < 1e-3
        assert excess.max() < 0.03


class TestBadInput:
    def test_points(self, rooms):
        with pytest.raises(fw.BadQuery, match=r"the start .* inside an obstacle"):
            fw.route(rooms, (9.5, 1), (1, 1))
        with pytest.raises(fw.BadQuery, match=r"the goal .* outside the map"):
            fw.route(rooms, (1, 1), (99, 1))
        with pytest.raises(fw.BadQuery, match="finite"):
            fw.route(rooms, (1, math.nan), (2, 1))
        with pytest.raises(fw.BadQuery, match="two different points"):
            fw.route(rooms, (1, 1), (1, 1))

    @pytest.mark.parametrize("improve", [True, False])
    def test_no_path(self, rooms, improve):
        with pytest.raises(fw.NoPath, match="does not fit at the goal") as tight:
            fw.route(rooms, (1, 1), (8.9, 1), improve=improve)
        assert tight.value.reason == "no room"
        with pytest.raises(fw.NoPath, match=r"1\.000 m wide") as narrow:
            fw.route(rooms, (1, 8), (19, 8), radius=0.6, improve=improve)
        assert narrow.value.reason == "pinch"
        with pytest.raises(fw.NoPath, match="no path between them") as apart:
            fw.route(rooms, (1, 8), (25, 8), improve=improve)
        assert apart.value.reason == "components"

    def test_preferences(self, rooms):
        for weight in (0, -1, math.nan, math.inf):
            with pytest.raises(fw.BadInput, match="give a positive number"):
                fw.route(rooms, (1, 1), (8, 1), preferences={"mud": weight})
        with pytest.raises(fw.BadInput, match="no terrain of kind 'lava' on this map; it has"):
            fw.route(rooms, (1, 1), (8, 1), preferences={"lava": 2.0})

    def test_options(self, rooms):
        with pytest.raises(fw.BadQuery, match="the method is 'hexagons'"):
            fw.route(rooms, (1, 1), (8, 1), method="hexagons")
        with pytest.raises(fw.BadQuery, match="method='grid'"):
            fw.route(rooms, (1, 1), (8, 1), resolution=1.0)
        for resolution, says in ((0.0, "more than 0"), (math.nan, "finite"), ("a", "a number")):
            with pytest.raises(fw.BadQuery, match=says):
                fw.route(rooms, (1, 1), (8, 1), method="grid", resolution=resolution)
        with pytest.raises(fw.BadQuery, match="or more"):
            fw.route(rooms, (1, 1), (8, 1), method="grid", resolution=1e-4)
        with pytest.raises(fw.BadQuery, match="a Terrain or an Environment"):
            fw.route("rooms", (1, 1), (8, 1))
        with pytest.raises(fw.BadQuery, match=r"Terrain.build\(map, radius=0.3\)"):
            fw.route(fw.Terrain.build(rooms), (1, 1), (8, 1), radius=0.3)
