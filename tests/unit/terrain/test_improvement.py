"""Searches over nodes with and without landmarks, and paths that are pulled taut."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import footway as fw
from footway.environment.gallery import forest, mckenna_road
from footway.terrain import improvement
from footway.terrain.improvement import network_of
from footway.terrain.kernels.improvement import pull_taut
from footway.terrain.kernels.search import search_nodes
from footway.terrain.route import route


def checkered(n: int = 6) -> fw.Environment:
    """Blocks and regions in rows: many paths are equally long."""
    squares = [
        [(x, y), (x + 4, y), (x + 4, y + 4), (x, y + 4)]
        for x in range(4, 8 * n, 8)
        for y in range(4, 8 * n, 8)
    ]
    return fw.Environment.from_polygons(
        bounds=(0, 0, 8 * n + 4, 8 * n + 4),
        obstacles=squares[::3],
        terrain=[("mud", square) for square in squares[1::3]],
    )


SCENES = {
    "checkered": (checkered(), {"mud": 2.0}),
    "forest": (forest.forest(), forest.CHILD),
    "road": (mckenna_road.mckenna_road(), mckenna_road.PEDESTRIAN),
}


def places(terrain: fw.Terrain, count: int) -> np.ndarray:
    """Random places of the terrain (count, 2), and some of its corners."""
    x0, y0, x1, y1 = terrain.environment.bounds
    found = np.random.default_rng(3).uniform((x0, y0), (x1, y1), (20 * count, 2))
    found = found[terrain.triangles_at(found) >= 0]
    corners = terrain.mesh.points[:: max(1, len(terrain.mesh.points) // 10)]
    return np.concatenate([corners, found])[:count]


@pytest.mark.parametrize("name", SCENES)
def test_a_short_route_within_a_triangle_is_straight(name):
    """To the sides and back is farther, however good the terrain is there."""
    env, preferences = SCENES[name]
    terrain = fw.Terrain.build(env)
    weights, mesh, nodes = terrain.weights(preferences), terrain.mesh, network_of(terrain).nodes
    none = np.empty((len(nodes.places), 0), np.float32)
    for t in range(0, len(mesh.triangles), 7):
        a, b, c = mesh.points[mesh.triangles[t]]
        middle = (a + b + c) / 3
        start, goal = middle + 0.1 * (a - middle), middle + 0.1 * (b - middle)
        inside = min(
            abs((q[0] - p[0]) * (end[1] - p[1]) - (q[1] - p[1]) * (end[0] - p[0])) / math.dist(p, q)
            for p, q in ((a, b), (b, c), (c, a))
            for end in (start, goal)
        )
        goal = start + (goal - start) * min(1.0, inside / math.dist(start, goal))
        path, through, cost = search_nodes(start, goal, weights, mesh, nodes, none)
        assert (path.tolist(), through.tolist()) == ([], [t])
        assert cost == pytest.approx(weights[mesh.kind[t]] * math.dist(start, goal))


class TestRelease:
    """A path on the worse side of a corner is moved to the other side."""

    @pytest.mark.parametrize("weight", [3.0, 5.0, 20.0])
    @pytest.mark.parametrize("is_back", [False, True])
    def test_a_route_crosses_a_border_beyond_a_corner(self, weight, is_back):
        """The straight line passes the corner on its left, the best path on its right."""
        muds = [
            (kind, [(x, 0), (x + 10, 0), (x + 10, 6), (x, 6)]) for kind, x in (("a", 0), ("b", 10))
        ]
        terrain = fw.Terrain.build(
            fw.Environment.from_polygons(bounds=(0, 0, 20, 12), terrain=muds), radius=0.0
        )
        nodes, ends = network_of(terrain).nodes, np.array([(9.4, 6.2), (10.3, 5.4)])
        ends = ends[::-1] if is_back else ends
        corner = np.flatnonzero((nodes.places == (10, 6)).all(axis=1)).astype(np.int32)
        through = terrain.triangles_at(ends).astype(np.int32)
        weights = terrain.weights({"a": weight, "b": weight})
        points, cost = pull_taut(
            corner, through, ends.ravel(), weights, 0.0, terrain.mesh, nodes,
            network_of(terrain).rates_around(weights),
        )  # fmt: skip

        def length(x: float) -> float:
            return math.dist((9.4, 6.2), (x, 6)) + weight * math.dist((x, 6), (10.3, 5.4))

        best = minimize_scalar(length, bounds=(9, 11), method="bounded", options={"xatol": 1e-9})
        assert best.x > 10.01
        assert cost == pytest.approx(best.fun, rel=1e-9)
        assert points[1].tolist() == pytest.approx([best.x, 6.0], abs=1e-4)


class TestLandmarks:
    @pytest.mark.parametrize("name", SCENES)
    def test_make_no_difference_to_a_bit(self, name):
        env, preferences = SCENES[name]
        terrain = fw.Terrain.build(env)
        weights, mesh = terrain.weights(preferences), terrain.mesh
        network = network_of(terrain, 3)
        away = network.landmarks(weights)
        ends = places(terrain, 60)
        for start, goal in zip(ends[::2], ends[1::2], strict=True):
            paths = [
                search_nodes(start, goal, weights, mesh, network.nodes, some)
                for some in (away[:, :0], away, np.ascontiguousarray(away[:, 5:7]))
            ]
            for path in paths[1:]:
                assert all(map(np.array_equal, path, paths[0]))

    def test_know_the_best_routes(self):
        env, preferences = SCENES["checkered"]
        terrain = fw.Terrain.build(env)
        weights, mesh, network = terrain.weights(preferences), terrain.mesh, network_of(terrain)
        nodes, away = network.nodes, network.landmarks(weights)
        for column in away.T[:3]:
            start = nodes.places[int(column.argmin())]
            for node in (0, len(nodes.places) // 2, len(nodes.places) - 1):
                goal = nodes.places[node]
                _, _, cost = search_nodes(start, goal, weights, mesh, nodes, away[:, :0])
                assert np.isclose(column[node], cost, atol=1e-3)

    def test_come_with_the_queries(self):
        terrain = fw.Terrain.build(checkered())
        routes = [
            route(terrain, (1, 1), (45, 47), preferences={"mud": 3.0}).points
            for _ in range(improvement.OFTEN + 1)
        ]
        assert all(np.array_equal(points, routes[0]) for points in routes)
        assert network_of(terrain).landmarks(terrain.weights({"mud": 3.0}), 99).shape[1] > 0

    def test_of_few_weights_are_kept(self):
        terrain = fw.Terrain.build(checkered())
        network = network_of(terrain)
        first = network.landmarks(np.array([1.0, 7.0]))
        assert network.landmarks(np.array([1.0, 7.0])) is first
        for weight in range(improvement.KEPT):
            network.landmarks(np.array([1.0, 10.0 + weight]), often=2)
        assert network.landmarks(np.array([1.0, 7.0]), often=2).shape[1] == 0
