"""Searches over links find what `search_nodes` finds, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway._numba.jit import kernel
from footway.terrain.improvement import network_of
from footway.terrain.kernels.links import (
    distances_from,
    make_bounds,
    make_link_workspace,
    make_links,
    read_links,
    search_links,
)
from footway.terrain.kernels.search import TerrainGraph, least_weight, search_nodes

MUD = [(4, 0), (22, 0), (22, 16), (4, 16)]
SAND = [(22, 10), (40, 10), (40, 30), (22, 30)]
WALLS = [[(7, 4), (9, 4), (9, 8), (7, 8)], [(20, 14), (30, 14), (30, 16), (20, 16)]]


@kernel
def found(starts, goals, weights, mesh, nodes, away, links, bounds, paths, sizes, costs):
    """Search all paths with one workspace: nodes and triangles (n, m), their numbers, costs."""
    graph = TerrainGraph(mesh, weights, least_weight(weights, mesh.kind), nodes, away)
    work = make_link_workspace(graph)
    for q in range(len(starts)):
        last, final, costs[q] = search_links(starts[q], goals[q], links, bounds, graph, work)
        if final < 0:
            continue
        steps = read_links(last, final, work)
        sizes[q] = steps + 1
        paths[q, 0, :steps], paths[q, 1, : steps + 1] = work.path[:steps], work.passed[: steps + 1]


@pytest.fixture(scope="module")
def ground():
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 40, 30), obstacles=WALLS, terrain=[("mud", MUD), ("sand", SAND)]
    )
    terrain = fw.Terrain.build(env, 0.25)
    return terrain, network_of(terrain, 3), terrain.weights({"mud": 3.0, "sand": 1.7})


def pairs(count, goals=None):
    rng = np.random.default_rng(4)
    ends = rng.uniform((0.3, 0.3), (39.7, 29.7), (2, count, 2))
    ends[0, 0], ends[0, 1], ends[1, 1] = (8.0, 6.0), ends[1, 2], ends[1, 2]  # wall; equal ends
    return ends[0], ends[1] if goals is None else np.tile(goals, (count, 1))


def check(ground, starts, goals, away):
    terrain, network, weights = ground
    mesh, nodes = terrain.mesh, network.nodes
    links = make_links(weights, mesh, nodes)
    paths = np.zeros((len(starts), 2, 2000), np.int32)
    sizes, costs = np.zeros(len(starts), np.int64), np.zeros(len(starts))
    bounds = make_bounds(away)
    found(starts, goals, weights, mesh, nodes, away, links, bounds, paths, sizes, costs)
    lost = 0
    for q, (start, goal) in enumerate(zip(starts, goals, strict=True)):
        path, through, cost = search_nodes(
            start, goal, weights, mesh, nodes, network.landmarks(weights)
        )
        assert sizes[q] == len(through)
        lost += len(through) == 0
        if len(through):
            assert costs[q] == cost
            assert paths[q, 0, : len(path)].tolist() == path.tolist()
            assert paths[q, 1, : sizes[q]].tolist() == through.tolist()
    assert 0 < lost < len(starts) // 2


def test_same_paths_with_landmarks(ground):
    _, network, weights = ground
    check(ground, *pairs(200), network.landmarks(weights))


def test_same_paths_with_the_distances_from_the_goal(ground):
    terrain, network, weights = ground
    goal = np.array([37.0, 25.0])
    links = make_links(weights, terrain.mesh, network.nodes)
    away = distances_from(goal, weights, terrain.mesh, network.nodes, links)
    assert away.shape == (len(network.nodes.places), 1)
    check(ground, *pairs(200, goal), away)


def test_costlier_links_are_left_out(ground):
    """On a border the cheaper of two triangles is left; each pair of nodes is linked once or so."""
    terrain, network, weights = ground
    links = make_links(weights, terrain.mesh, network.nodes)
    before = np.repeat(np.arange(len(links.first) - 1), np.diff(links.first))
    places = network.nodes.places
    length = np.hypot(*(places[links.to] - places[before]).T)
    assert np.allclose(links.cost, length * weights[terrain.mesh.kind[links.through]])
    assert len(np.unique(np.stack([before, links.to]), axis=1).T) == len(links.to)
    assert len(links.to) < network.nodes.links - len(places)
