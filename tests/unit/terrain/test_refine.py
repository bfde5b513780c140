"""Searches over nodes: landmarks, which only save time, and what is kept of them."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.environment.gallery import forest, mckenna_road
from footway.terrain import refine
from footway.terrain._search_kernels import search_nodes
from footway.terrain.refine import network_of
from footway.terrain.route import route


def checkered(n: int = 6) -> fw.Environment:
    """Blocks and regions in rows: many ways are equally long."""
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
    """Random places of the ground (count, 2), and some of its corners."""
    x0, y0, x1, y1 = terrain.environment.bounds
    found = np.random.default_rng(3).uniform((x0, y0), (x1, y1), (20 * count, 2))
    found = found[terrain.triangles_at(found) >= 0]
    corners = terrain.ground.points[:: max(1, len(terrain.ground.points) // 10)]
    return np.concatenate([corners, found])[:count]


class TestLandmarks:
    @pytest.mark.parametrize("name", SCENES)
    def test_make_no_difference_to_a_bit(self, name):
        env, preferences = SCENES[name]
        terrain = fw.Terrain.build(env)
        weights, ground = terrain.weights(preferences), terrain.ground
        network = network_of(terrain, 3)
        away = network.landmarks(weights)
        ends = places(terrain, 60)
        for start, goal in zip(ends[::2], ends[1::2], strict=True):
            ways = [
                search_nodes(start, goal, weights, ground, network.nodes, some)
                for some in (away[:, :0], away, np.ascontiguousarray(away[:, 5:7]))
            ]
            for way in ways[1:]:
                assert all(map(np.array_equal, way, ways[0]))

    def test_know_the_best_ways(self):
        env, preferences = SCENES["checkered"]
        terrain = fw.Terrain.build(env)
        weights, ground, network = terrain.weights(preferences), terrain.ground, network_of(terrain)
        nodes, away = network.nodes, network.landmarks(weights)
        for column in away.T[:3]:
            start = nodes.places[int(column.argmin())]
            for node in (0, len(nodes.places) // 2, len(nodes.places) - 1):
                goal = nodes.places[node]
                _, _, cost = search_nodes(start, goal, weights, ground, nodes, away[:, :0])
                assert np.isclose(column[node], cost, atol=1e-3)

    def test_come_with_the_queries(self):
        terrain = fw.Terrain.build(checkered())
        routes = [
            route(terrain, (1, 1), (45, 47), preferences={"mud": 3.0}).points
            for _ in range(refine.OFTEN + 1)
        ]
        assert all(np.array_equal(points, routes[0]) for points in routes)
        assert network_of(terrain).landmarks(terrain.weights({"mud": 3.0}), 99).shape[1] > 0

    def test_of_few_weights_are_kept(self):
        terrain = fw.Terrain.build(checkered())
        network = network_of(terrain)
        first = network.landmarks(np.array([1.0, 7.0]))
        assert network.landmarks(np.array([1.0, 7.0])) is first
        for weight in range(refine.KEPT):
            network.landmarks(np.array([1.0, 10.0 + weight]), often=2)
        assert network.landmarks(np.array([1.0, 7.0]), often=2).shape[1] == 0
