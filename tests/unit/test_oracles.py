"""The oracles judge everything else, so they are judged here: by hand and by each other."""

from __future__ import annotations

import math
import time
from types import SimpleNamespace

import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shapely import affinity

from tests.oracle.clearance import clearance, path_clearance, wall_segments
from tests.oracle.reachable import Reachable
from tests.oracle.shortest import ShortestOracle
from tests.oracle.visibility import shortest_in_polygon
from tests.strategies import (
    Scene,
    obstacle_scenes,
    points_inside,
    points_on_walls,
    scenes,
)

ROOM = shapely.box(0, 0, 10, 10)
PILLAR = ROOM.difference(shapely.box(4, 4, 6, 6))
FEW = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
STEP = 0.03


def shortest_of(scene: Scene, radius: float) -> ShortestOracle:
    return ShortestOracle(scene.polygon, radius, lines=scene.lines, points=scene.points)


def polyline_length(points: np.ndarray) -> float:
    return float(np.hypot(*np.diff(points, axis=0).T).sum())


class TestShortestByHand:
    @pytest.mark.parametrize("radius", [0.0, 0.1, 0.5, 1.0])
    def test_around_a_square(self, radius):
        tangent = math.sqrt(3**2 + 1 - radius**2)
        turn = math.atan2(1, 3) + math.asin(radius / math.hypot(3, 1))
        expected = 2 * tangent + 2 + 2 * radius * turn
        assert ShortestOracle(PILLAR, radius).length((1, 5), (9, 5)) == pytest.approx(expected)

    @pytest.mark.parametrize("radius", [0.0, 0.1, 0.25, 1.0])
    def test_between_two_line_walls(self, radius):
        walls = [shapely.LineString([(3, 0), (3, 7)]), shapely.LineString([(7, 3), (7, 10)])]
        up = math.pi / 4 + math.asin(radius / math.sqrt(8))
        down = math.pi / 4 + math.asin(2 * radius / math.sqrt(32))
        straight = 2 * math.sqrt(8 - radius**2) + math.sqrt(32 - 4 * radius**2)
        oracle = ShortestOracle(ROOM, radius, lines=walls)
        assert oracle.length((1, 5), (9, 5)) == pytest.approx(straight + 2 * radius * (up + down))

    def test_around_a_point_obstacle(self):
        oracle = ShortestOracle(ROOM, 1.0, points=[(5, 5)])
        expected = 2 * math.sqrt(16 - 1) + 2 * math.asin(1 / 4)
        assert oracle.length((1, 5), (9, 5)) == pytest.approx(expected)

    def test_around_the_end_of_a_line_wall(self):
        oracle = ShortestOracle(ROOM, 0.5, lines=shapely.LineString([(5, 0), (5, 6)]))
        assert oracle.length((4.5, 3), (5.5, 3)) == pytest.approx(6 + 0.5 * math.pi)

    def test_nothing_in_the_way(self):
        assert ShortestOracle(PILLAR, 0.25).length((1, 1), (9, 2)) == pytest.approx(math.sqrt(65))

    def test_start_is_goal(self):
        assert ShortestOracle(PILLAR, 0.25).length((1, 1), (1, 1)) == 0

    @pytest.mark.parametrize(("radius", "passes"), [(0.25, True), (0.2501, False)])
    @pytest.mark.parametrize("degrees", [0, 31])
    def test_slit_of_half_a_metre(self, radius, passes, degrees):
        area = ROOM.difference(shapely.box(4, 0, 6, 5)).difference(shapely.box(4, 5.5, 6, 10))
        ends = shapely.MultiPoint([(2, 5.25), (8, 5.25)])
        area, ends = (affinity.rotate(one, degrees, origin=(5, 5)) for one in (area, ends))
        length = ShortestOracle(area, radius).length(*shapely.get_coordinates(ends))
        assert length == (pytest.approx(6) if passes else math.inf)

    def test_gap_between_point_obstacles(self):
        points = [(5, y) for y in np.arange(0.5, 10, 1)]
        assert ShortestOracle(ROOM, 0.5, points=points).length((1, 5), (9, 5)) == pytest.approx(8)
        assert ShortestOracle(ROOM, 0.51, points=points).length((1, 5), (9, 5)) == math.inf

    def test_a_point_does_not_slip_between_touching_boxes(self):
        blocks = shapely.union(shapely.box(0, 5, 5, 10), shapely.box(5, 0, 10, 5))
        oracle = ShortestOracle(ROOM.difference(blocks), 0.0)
        assert oracle.length((1, 1), (9, 9)) == math.inf
        assert oracle.length((1, 1), (4, 4)) == pytest.approx(3 * math.sqrt(2))

    def test_a_point_may_start_on_a_wall(self):
        assert ShortestOracle(PILLAR, 0.0).length((4, 5), (6, 5)) == pytest.approx(4)
        assert ShortestOracle(PILLAR, 0.0).length((4, 4), (6, 6)) == pytest.approx(4)
        split = ShortestOracle(ROOM, 0.0, lines=[[(5, 0), (5, 6)]])
        assert split.length((5, 3), (1, 3)) == pytest.approx(4)
        assert split.length((5, 3), (9, 3)) == pytest.approx(4)

    def test_no_space_for_the_disc(self):
        oracle = ShortestOracle(PILLAR, 0.25)
        assert not oracle.fits((0.2, 5))
        assert oracle.length((0.2, 5), (9, 5)) == math.inf
        assert oracle.length((5, 5), (9, 5)) == math.inf
        assert oracle.path((5, 5), (9, 5)).shape == (0, 2)

    def test_arcs_that_other_walls_block(self):
        # The line over the wall's end would do but for the point that hangs above it.
        wall = shapely.LineString([(5, 0), (5, 6)])
        free = ShortestOracle(ROOM, 0.5, lines=wall, points=[(5, 7.01)])
        tight = ShortestOracle(ROOM, 0.5, lines=wall, points=[(5, 6.99)])
        assert free.length((4, 3), (6, 3)) < tight.length((4, 3), (6, 3)) < math.inf


class TestShortestAgainstBruteForce:
    @FEW
    @given(st.data(), obstacle_scenes(most=2), st.sampled_from([0.1, 0.25, 0.5]))
    def test_discs(self, data, scene, radius):
        start, goal = data.draw(points_inside(scene)), data.draw(points_inside(scene))
        reachable = Reachable(scene.polygon, radius, lines=scene.lines, points=scene.points)
        if reachable.connected(start, goal) is None or not reachable.fits(start):
            return
        thin = shapely.union_all([*scene.lines, *scene.points])
        thick = thin.buffer(radius, quad_segs=16)
        eroded = scene.polygon.buffer(-radius, quad_segs=16).difference(thick)
        expected = shortest_in_polygon(eroded, start, goal)
        assert shortest_of(scene, radius).length(start, goal) == pytest.approx(expected, rel=1e-3)

    def test_a_fine_circle(self):
        scene = Scene(ROOM.difference(affinity.rotate(shapely.box(3, 3, 7, 6), 20)))
        eroded = scene.polygon.buffer(-1, quad_segs=64)
        expected = shortest_in_polygon(eroded, (1.2, 4), (8.7, 5))
        found = shortest_of(scene, 1.0).length((1.2, 4), (8.7, 5))
        assert expected * (1 - 1e-6) <= found <= expected * (1 + 1e-4)

    @FEW
    @given(st.data(), obstacle_scenes(walls=False))
    def test_points(self, data, scene):
        start, goal = data.draw(points_inside(scene)), data.draw(points_inside(scene))
        if clearance([start, goal], wall_segments(scene.polygon)).min() < 1e-5:
            return
        expected = shortest_in_polygon(scene.polygon, start, goal)
        found = shortest_of(scene, 0.0).length(start, goal)
        # The closed polygon lets a point slip between walls that touch; the oracle does not.
        if Reachable(scene.polygon, 0.0).connected(start, goal):
            assert found >= expected * (1 - 1e-9)
            assert found == pytest.approx(expected, rel=1e-9) or touches_itself(scene.polygon)


def touches_itself(polygon: shapely.Geometry) -> bool:
    """Whether two rings, or two parts, share a vertex."""
    vertices = np.vstack(
        [
            shapely.get_coordinates(ring)[1:]
            for ring in shapely.get_rings(shapely.get_parts(polygon))
        ]
    )
    return len(np.unique(vertices, axis=0)) < len(vertices)


class TestShortestProperties:
    @FEW
    @given(st.data(), scenes(), st.sampled_from([0.0, 0.1, 0.25, 1.0]))
    def test_finite_where_reachable(self, data, scene, radius):
        reachable = Reachable(scene.polygon, radius, lines=scene.lines, points=scene.points)
        oracle = shortest_of(scene, radius)
        start, goal = data.draw(points_inside(scene)), data.draw(points_inside(scene))
        connected = reachable.connected(start, goal)
        assert connected is None or connected == math.isfinite(oracle.length(start, goal))
        assert reachable.fits(start) in (None, oracle.fits(start))

    @FEW
    @given(st.data(), scenes(), st.sampled_from([0.0, 0.1, 0.25, 1.0]))
    def test_sampled_path_is_as_long_and_as_clear(self, data, scene, radius):
        oracle = shortest_of(scene, radius)
        start, goal = data.draw(points_inside(scene)), data.draw(points_inside(scene))
        path = oracle.path(start, goal, step=STEP)
        length = oracle.length(start, goal)
        if math.isinf(length):
            assert len(path) == 0
            return
        assert polyline_length(path) == pytest.approx(length, rel=STEP**2 / 20, abs=1e-9)
        lines, points = shapely.MultiLineString(scene.lines), shapely.MultiPoint(scene.points)
        env = SimpleNamespace(walkable=scene.polygon, lines=lines, points=points)
        assert path_clearance(path, env) >= radius * math.cos(STEP / 2) - 2e-9

    @FEW
    @given(st.data(), scenes(), st.sampled_from([0.0, 0.25]))
    def test_a_metric(self, data, scene, radius):
        oracle = shortest_of(scene, radius)
        a, b, c = (data.draw(points_inside(scene)) for _ in range(3))
        there = oracle.length(a, b)
        assert there == pytest.approx(oracle.length(b, a))
        assert there >= math.dist(a, b) - 1e-9
        assert there <= oracle.length(a, c) + oracle.length(c, b) + 1e-6


class TestReachable:
    DOORS = ROOM.difference(shapely.box(4, 0, 6, 4.5)).difference(shapely.box(4, 5.5, 6, 10))

    @pytest.mark.parametrize(("radius", "expected"), [(0.49, True), (0.5, None), (0.51, False)])
    def test_a_door_of_one_metre(self, radius, expected):
        assert Reachable(self.DOORS, radius).connected((2, 5), (8, 5)) is expected

    @pytest.mark.parametrize(("radius", "expected"), [(0.99, True), (1.0, None), (1.01, False)])
    def test_beside_a_wall(self, radius, expected):
        assert Reachable(ROOM, radius).fits((1, 5)) is expected

    def test_lines_and_points_are_walls(self):
        line = shapely.LineString([(5, 0), (5, 10)])
        assert Reachable(ROOM, 0.0, lines=[line]).connected((2, 5), (8, 5)) is False
        points = [(5, y) for y in range(11)]
        assert Reachable(ROOM, 0.45, points=points).connected((2, 5), (8, 5)) is True
        assert Reachable(ROOM, 0.55, points=points).connected((2, 5), (8, 5)) is False

    def test_a_point_may_or_may_not_stand_on_a_wall(self):
        assert Reachable(PILLAR, 0.0).fits((4, 5)) is None
        assert Reachable(PILLAR, 0.0).connected((4, 5), (1, 1)) is None

    def test_outside(self):
        assert Reachable(ROOM, 0.1).fits((11, 5)) is False
        assert Reachable(ROOM, 0.1).connected((11, 5), (5, 5)) is False


class TestClearance:
    @FEW
    @given(st.data(), scenes())
    def test_agrees_with_shapely(self, data, scene):
        walls = wall_segments(scene.polygon, lines=scene.lines, points=scene.points)
        points = [data.draw(points_inside(scene)) for _ in range(5)]
        bounds = shapely.GeometryCollection(
            [scene.polygon.boundary, *scene.lines, *scene.points],
        )
        expected = shapely.distance(shapely.points(points), bounds)
        np.testing.assert_allclose(clearance(points, walls), expected, atol=1e-12)

    @FEW
    @given(st.data(), scenes())
    def test_is_zero_on_walls(self, data, scene):
        walls = wall_segments(scene.polygon, lines=scene.lines)
        assert clearance([data.draw(points_on_walls(scene))], walls)[0] < 1e-12

    def test_of_a_path(self):
        env = SimpleNamespace(
            walkable=PILLAR, lines=shapely.MultiLineString(), points=shapely.MultiPoint([(1, 2)])
        )
        assert path_clearance([(1, 3), (9, 3)], env) == 1
        assert path_clearance([(2, 3), (9, 3.5)], env) == pytest.approx(10 / math.sqrt(197))
        assert path_clearance([(1, 5), (9, 5)], env) == -1  # 1 m deep in the obstacle
        assert path_clearance([(1, 5), (11, 5)], env) == -1
        assert path_clearance([(1, 3)], env) == 1


def city_of_boxes(count: int, *, side: float, seed: int) -> shapely.Polygon:
    """Square with rotated boxes that keep 0.6 m from each other."""
    rng = np.random.default_rng(seed)
    boxes: list[shapely.Polygon] = []
    while len(boxes) < count:
        (width, height), (x, y) = rng.uniform(6, 22, 2), rng.uniform(15, side - 15, 2)
        box = shapely.box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        box = affinity.rotate(box, rng.uniform(0, 90))
        if not boxes or not shapely.dwithin(box, np.array(boxes), 0.6).any():
            boxes.append(box)
    return shapely.box(0, 0, side, side).difference(shapely.union_all(boxes))


@pytest.mark.slow
def test_a_city_is_quick_enough_to_judge_a_thousand_queries():
    oracle = ShortestOracle(city_of_boxes(620, side=500, seed=1), 0.25)
    points = [p for p in np.random.default_rng(2).uniform(1, 499, (300, 2)) if oracle.fits(p)]
    oracle.length(points[0], points[1])
    begin = time.process_time()
    lengths = [oracle.length(a, b) for a, b in zip(points[::2], points[1::2], strict=False)]
    assert (time.process_time() - begin) / len(lengths) < 0.05
    assert np.isfinite(lengths).all()
