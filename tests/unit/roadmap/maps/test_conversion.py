"""A corridor map from a roadmap in the plane: queries, followers and crowds work unchanged."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.roadmap import Roadmap, grid, rrm, rrm_star, rrrm
from footway.roadmap.lattice.space import Space, make_space

RADIUS = 0.25


@pytest.fixture(scope="module")
def space(env) -> Space:
    return make_space(env, resolution=0.25, radius=RADIUS)


@pytest.fixture(scope="module", params=[grid, rrm, rrm_star, rrrm])
def roads(request, env) -> fw.CorridorMap:
    make = request.param
    return fw.CorridorMap.from_roadmap(make(env, resolution=0.25, radius=RADIUS))


def points_in_free_cells(space: Space, count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    cells = np.argwhere(space.free[0])[:, ::-1]
    chosen = cells[rng.integers(0, len(cells), count)] + rng.random((count, 2))
    return space.positions(np.column_stack([chosen, np.zeros(count)]))


class TestPoints:
    def test_every_free_corner_joins_a_road(self):
        """Also corners that lie in a cell that is not free itself."""
        roadmap = rrm_star(fw.load("gallery:field"), resolution=0.5, radius=0.5, seed=2006)
        corners = roadmap.space.positions(roadmap.space.corners)
        goals = np.repeat(roadmap.nodes[:1], len(corners), axis=0)
        paths = fw.CorridorMap.from_roadmap(roadmap).paths(corners, goals, radius=0.5)
        assert len(corners) > 2000
        assert all(path is not None for path in paths)

    def test_clearance_is_exact_wherever_the_object_fits(self, roads, space, walls):
        points = points_in_free_cells(space, 2000, 1)
        clearance = roads.clearance(points)
        expected = shapely.distance(shapely.points(points), walls)
        found = clearance > 0
        assert found.mean() > 0.998
        assert clearance[found] == pytest.approx(expected[found], abs=1e-9)

    def test_nothing_inside_obstacles(self, roads):
        assert roads.clearance([(5, 5), (10, 2), (-1, 5), (10, 9.9)]).tolist() == [0, 0, 0, 0]

    def test_places_are_on_the_roads(self, roads, space, walls):
        points = points_in_free_cells(space, 300, 2)
        found = roads.locate(points)
        at = found.piece >= 0
        assert at.mean() > 0.99
        lines = shapely.linestrings(np.stack([points, found.position], axis=1))
        assert not shapely.intersects(lines[at], walls).any()
        expected = shapely.distance(shapely.points(found.position), walls)
        assert found.clearance[at] == pytest.approx(expected[at], abs=1e-9)


class TestPaths:
    def test_the_judge_of_the_exact_map(self, roads, cmap, space, walls):
        starts, goals = (points_in_free_cells(space, 60, seed) for seed in (3, 4))
        found = roads.paths(starts, goals, radius=RADIUS)
        for a, b, path in zip(starts, goals, found, strict=True):
            if path is None:
                continue
            line = shapely.LineString(path.points)
            assert line.distance(walls) >= RADIUS - 1e-6
            assert path.clearance == pytest.approx(line.distance(walls), abs=1e-6)
            assert path.length == pytest.approx(line.length, abs=1e-6)
            assert path.length >= cmap.path(a, b, radius=RADIUS).length - 1e-6
            assert np.allclose(path.points[[0, -1]], [a, b])
        assert sum(path is not None for path in found) > 30

    def test_through_the_door(self, roads):
        path = roads.path((2, 5), (12, 5), radius=RADIUS)
        door = path.points[np.abs(path.points[:, 0] - 10).argmin()]
        assert 4.5 < door[1] < 5.5

    def test_a_free_straight_line_is_returned(self, roads):
        assert len(roads.path((1, 1), (8, 1.5), radius=RADIUS).points) == 2

    def test_preferred_clearance_is_no_less(self, roads):
        plain = roads.path((2, 5), (12, 5), radius=RADIUS)
        wide = roads.path((2, 5), (12, 5), radius=RADIUS, clearance=0.45)
        assert wide.clearance >= min(plain.clearance, RADIUS)

    def test_start_is_goal(self, roads):
        path = roads.path((2, 2), (2, 2), radius=RADIUS)
        assert path.length == 0
        assert len(path.points) == 2


@pytest.fixture(scope="module")
def field() -> fw.CorridorMap:
    retracted = rrrm(fw.load("gallery:field"), resolution=0.5, radius=0.5)
    return fw.CorridorMap.from_roadmap(retracted)


class TestDetours:
    @pytest.mark.parametrize("turned", [False, True])
    def test_a_path_does_not_pass_its_ends(self, field, turned):
        """The goal is joined to one of two roads to a dead end; the path arrives on the other."""
        ends = np.array([(20.79, 35.81), (23.54, 9.25)])
        start, goal = ends[::-1] if turned else ends
        path = field.path(start, goal, radius=0.5)
        for end, along in ((start, path.arc_lengths), (goal, path.length - path.arc_lengths)):
            near = np.hypot(*(path.points - end).T) < 1.0
            assert along[near].max() < 2.0

    def test_the_clearance_is_that_of_the_path_without_its_detours(self, field):
        env = fw.load("gallery:field")
        path = field.path((20.79, 35.81), (23.54, 9.25), radius=0.5)
        line = shapely.LineString(path.points)
        assert line.distance(env.walkable.boundary) == pytest.approx(path.clearance, abs=1e-9)
        assert path.length == pytest.approx(line.length)

    def test_angles_between_lines_are_turns(self, field):
        path = field.path((20.79, 35.81), (23.54, 9.25), radius=0.5)
        assert path.turns > 0


# Around a pocket off a room: an alley of 0.6 m that turns to the north at its end.
POCKET = [
    (6, 0), (10, 0), (10, 6), (6, 6), (6, 3.4),
    (7.6, 3.4), (7.6, 4.6), (8.2, 4.6), (8.2, 2.8), (6, 2.8),
]  # fmt: skip


@pytest.fixture(scope="module")
def pocket() -> fw.CorridorMap:
    env = fw.Environment.from_polygons(bounds=(0, 0, 10, 6), obstacles=[POCKET])
    return fw.CorridorMap.from_roadmap(rrm(env, resolution=0.5, radius=0.25))


class TestRefusals:
    def test_in_a_wall(self, roads):
        with pytest.raises(fw.BadQuery, match=r"the start \(5.000, 5.000\) is inside an obstacle"):
            roads.path((5, 5), (1, 1))

    def test_components(self, roads):
        with pytest.raises(fw.NoPath) as error:
            roads.path((1, 1), (19, 1), radius=RADIUS)
        assert error.value.reason == "components"
        assert "no path between them" in str(error.value)

    def test_too_narrow(self, roads):
        with pytest.raises(fw.NoPath) as error:
            roads.path((2, 2), (15, 8), radius=0.6)
        assert error.value.reason == "pinch"
        assert error.value.pinch.radius <= 0.5 + 1e-9

    def test_no_room(self, roads):
        with pytest.raises(fw.NoPath) as error:
            roads.path((0.3, 0.3), (8, 8), radius=0.4)
        assert error.value.reason == "no room"

    @pytest.mark.parametrize("goal", [(7.9, 4.3), (7.9, 4.45), (7.9, 3.9)])
    def test_a_free_place_that_sees_no_road(self, pocket, goal):
        with pytest.raises(
            fw.NoPath, match=r"is free, but no part of the roadmap is visible"
        ) as error:
            pocket.path((1, 1), goal, radius=0.1)
        assert error.value.reason == "no room"
        with pytest.raises(fw.NoPath, match=r"does not fit at the start") as error:
            pocket.corridor(goal, (1, 1), radius=0.32)
        assert error.value.reason == "no room"
        with pytest.raises(fw.NoPath, match="is free, but"):
            pocket.bottleneck((1, 1), goal)

    def test_no_place_in_an_obstacle_is_called_free(self, pocket):
        env = fw.Environment.from_polygons(bounds=(0, 0, 10, 6), obstacles=[POCKET])
        points = np.random.default_rng(5).random((300, 2)) * (14, 10) - (2, 2)
        for point in points[~shapely.contains_xy(env.walkable, *points.T)]:
            with pytest.raises(fw.BadQuery, match="inside an obstacle, outside the map, or"):
                pocket.path((1, 1), point, radius=0.1)

    def test_in_a_fake_obstacle(self, env):
        editor = fw.roadmap.Editor(rrrm(env, resolution=0.25, radius=RADIUS))
        editor.add_fake_obstacle(disc=((2, 8), 0.8))
        closed = fw.CorridorMap.from_roadmap(editor.roadmap)
        with pytest.raises(fw.BadQuery, match=r"\(2.000, 8.100\) is inside fake obstacle 0"):
            closed.path((2, 8.1), (8, 2))

    def test_empty_and_other_things(self, space):
        none = Roadmap.make(np.empty((0, 2)), np.empty((0, 2), int), space, method="rrm")
        with pytest.raises(fw.BadInput, match="no nodes"):
            fw.CorridorMap.from_roadmap(none)
        with pytest.raises(fw.BadInput, match="a Roadmap is needed"):
            fw.CorridorMap.from_roadmap("roadmap")


class TestCorridors:
    def test_balls_are_free_and_overlap(self, roads, walls):
        corridor = roads.corridor((2, 5), (15, 8), radius=RADIUS)
        room = shapely.distance(shapely.points(corridor.backbone), walls)
        assert (corridor.radii <= room + 1e-9).all()
        assert corridor.narrowest >= RADIUS - 1e-6
        assert corridor.left.shape == corridor.right.shape == corridor.backbone.shape

    def test_a_walk(self, roads, walls):
        # Roads touch walls with the disc that they were made for: a smaller one has room to turn.
        corridor = roads.corridor((2, 5), (15, 8), radius=RADIUS)
        walk = fw.follow.cmm(corridor, radius=0.2, speed=1.4)
        assert shapely.LineString(walk.points).distance(walls) >= 0.2 - 1e-6
        assert np.hypot(*(walk.points[-1] - (15, 8))) < 0.5

    def test_bottleneck(self, roads, cmap):
        exact = cmap.bottleneck((2, 5), (15, 8))
        assert roads.bottleneck((2, 5), (15, 8)).radius <= exact.radius + 1e-9


def test_a_node_without_edges_serves_its_surroundings():
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 9, 4), obstacles=[[(4, 0), (5, 0), (5, 4), (4, 4)]]
    )
    space = make_space(env, resolution=0.5, radius=RADIUS)
    roadmap = Roadmap.make([(2, 2), (6, 1), (8, 3)], [(1, 2)], space, method="rrm")
    cmap = fw.CorridorMap.from_roadmap(roadmap)
    assert cmap.n_components == 2
    assert cmap.path((0.5, 0.5), (3.5, 3.5), radius=RADIUS).length > 0
    assert cmap.corridor((0.5, 0.5), (3.5, 3.5), radius=RADIUS).narrowest >= RADIUS
    with pytest.raises(fw.NoPath, match="no path between"):
        cmap.path((0.5, 0.5), (8, 3), radius=RADIUS)


def test_a_crowd_of_goals_and_wanderers_stays_off_walls(roads, walls):
    crowd = fw.Crowd(roads, seed=5)
    crowd.add(40, radius=RADIUS, speed=1.3, behaviour="goals")
    crowd.add(10, radius=RADIUS, speed=1.3, behaviour="wander")
    before, walked = crowd.positions.copy(), np.zeros(50)
    for _ in range(300):
        crowd.step()
        walked += np.hypot(*(crowd.positions - before).T)
        before = crowd.positions.copy()
        assert shapely.distance(shapely.points(before), walls).min() >= RADIUS - 1e-6
    assert np.median(walked) > 10


def test_one_signature_serves_both_kinds_of_map(roads, cmap):
    from footway.corridor.kernels import backbone, locate

    for one in (roads, cmap):
        one.corridor((2, 5), (15, 8), radius=RADIUS)
        one.clearance([(1, 1)])
    assert len(backbone.extract.signatures) <= 1
    assert len(locate.measure_clearances.signatures) <= 1


def test_a_map_knows_the_radius_that_its_roadmap_was_made_for(env, roads):
    assert roads.solver.made_for == RADIUS
    assert fw.CorridorMap.build(env).solver.made_for is None
