"""Landmarks: exact distances, and searches that give the same paths with fewer nodes."""

from __future__ import annotations

import time

import numpy as np
import pytest

import footway as fw
from footway.corridor import search
from footway.corridor.kernels.distances import measure_distances, sweep_from
from footway.corridor.kernels.layouts import FOUND, NOWHERE
from footway.corridor.kernels.path import RADIUS, SWEEP
from footway.corridor.kernels.query import THIN
from footway.corridor.kernels.search import FEW, N_NODES
from footway.corridor.landmarks import COUNT, NO_LANDMARKS, measure_landmarks
from footway.corridor.search import Solver, _make_workspace
from tests.corpus import frozen
from tests.oracle.shortest import ShortestOracle

SCENES = [("obstacles", 13), ("touching", 9), ("mazes", 11), ("solid", 11), ("acute", 19)]


@pytest.fixture(scope="module")
def office() -> fw.CorridorMap:
    return fw.CorridorMap.build(fw.load("gallery:office"))


def prepared(cmap: fw.CorridorMap) -> Solver:
    """Return a solver of the same map that uses landmarks from the first node on."""
    solver = Solver(cmap.solver.index)
    solver.measure_landmarks()
    solver.workspace.count[FEW] = 0
    return solver


def unprepared(cmap: fw.CorridorMap) -> Solver:
    """Return a solver of the same map that never uses landmarks."""
    solver = Solver(cmap.solver.index)
    solver.uses_landmarks = False
    return solver


def assert_same_paths(cmap: fw.CorridorMap, queries: int, radii: tuple[float, ...]) -> None:
    """With and without landmarks, between random points."""
    plain, other = unprepared(cmap), prepared(cmap)
    for radius in radii:
        points = cmap.random_points(queries, radius=radius, seed=8)
        for a, b in zip(points, np.roll(points, 1, axis=0), strict=True):
            one, two = plain.solve(a, b, radius), other.solve(a, b, radius)
            assert (one.status, one.crossed) == (two.status, two.crossed)
            assert (one.length, one.clearance) == (two.length, two.clearance)
            assert np.array_equal(one.pieces, two.pieces)
    assert plain.landmarks is NO_LANDMARKS


def test_paths_in_the_office_are_the_same_to_the_last_bit(office):
    assert_same_paths(office, 300, (0.0, 0.25, 0.4))


def test_paths_along_corners_in_line_are_the_same_to_the_last_bit():
    """Walls of this map are on a lattice."""
    assert_same_paths(fw.CorridorMap.build(fw.load("gallery:game")), 150, (0.0, 0.25))


@pytest.mark.parametrize(("kind", "number"), SCENES)
def test_paths_in_random_scenes_are_the_same_to_the_last_bit(kind, number):
    assert_same_paths(frozen(kind)[number].corridor_map(), 100, (0.0, 0.2))


def test_paths_of_the_same_length_are_the_same_to_the_last_bit():
    """Squares in rows: most queries between crossings have several shortest paths."""
    squares = [
        [(x, y), (x + 2, y), (x + 2, y + 2), (x, y + 2)] for x in (2, 6, 10) for y in (2, 6, 10)
    ]
    cmap = fw.CorridorMap.build(
        fw.Environment.from_polygons(bounds=(0, 0, 14, 14), obstacles=squares)
    )
    plain, other = unprepared(cmap), prepared(cmap)
    crossings = [np.array([x, y], float) for x in (1, 5, 9, 13) for y in (1, 5, 9, 13)]
    for a in crossings:
        for b in crossings:
            one, two = plain.solve(a, b, 0.25), other.solve(a, b, 0.25)
            assert np.array_equal(one.pieces, two.pieces), (a, b)


THIN_WALLS = [("touching", 6), ("mazes", 7), ("mazes", 9)]  # with contacts that are easily missed


@pytest.mark.parametrize(("kind", "number"), [*SCENES, *THIN_WALLS])
def test_distances_are_exact(kind, number):
    """From the places of the landmarks to places beside the points, as the oracle says."""
    scene = frozen(kind)[number]
    index = scene.corridor_map().solver.index
    oracle = scene.oracle(ShortestOracle, THIN)
    found = measure_landmarks(index, _make_workspace)
    axis, corners, compared = index.axis, index.corners, 0
    events = np.random.default_rng(3).permutation(np.flatnonzero(axis.clearance > 1e-3))
    for event in events[:60]:
        for point in (corners.at_left[event], corners.at_right[event]):
            away = axis.events[event] - corners.xy[point]
            beside = corners.xy[point] + 4.0 * THIN * away / np.hypot(*away)
            for k in (0, found.distances.shape[1] - 1):
                if point >= 0 and np.isfinite(found.distances[point, k]):
                    compared += 1
                    optimum = oracle.length(found.places[k], beside)
                    assert found.distances[point, k] == pytest.approx(optimum, abs=found.error)
    assert compared > 5


@pytest.mark.parametrize(("kind", "number"), [*SCENES, *THIN_WALLS])
def test_one_search_for_many_distances(kind, number):
    """Between thin walls, too, it finds what single searches find, or leaves it to them."""
    cmap = frozen(kind)[number].corridor_map()
    left = 0
    for radius in (0.0, 0.1):
        start, *points = cmap.random_points(61, seed=number, radius=radius)
        found, statuses = cmap.solver.measure_distances(start, np.array(points), radius, threads=1)
        for point, length, status in zip(points, found, statuses, strict=True):
            solution = cmap.solver.solve(point, start, radius)
            if status == NOWHERE:
                left += 1
            elif solution.status == FOUND:
                assert length == pytest.approx(solution.length, abs=1e-7)
            else:
                assert length == np.inf
    assert left <= 2


def test_a_search_of_the_whole_map_forgets_what_it_does_not_need(office):
    """In a small workspace the same distances and the same paths, to the last bit."""
    start, *points = office.random_points(40, radius=0.25, seed=3)
    index, found, nodes = office.solver.index, [], []
    for share in (1.0, 0.6, 0.4):
        size = int(share * nodes[0]) if nodes else 16 * len(index.graph.out)
        back, ws = _make_workspace(index, size), _make_workspace(index, 1 << 14)
        assert sweep_from(*start, 0.25, back, index)
        lengths, statuses = np.empty(len(points)), np.empty(len(points), np.int64)
        measure_distances(*start, np.array(points), 0.25, lengths, statuses, ws, back, index)
        found.append((back.bounds[:, 0].tobytes(), lengths.tobytes(), statuses.tobytes()))
        nodes.append(int(back.count[N_NODES]))
    assert found[0] == found[1] == found[2]
    assert max(nodes[1:]) < 0.6 * nodes[0]


def test_searches_have_fewer_nodes():
    cmap = fw.CorridorMap.build(fw.load("gallery:city"))
    points = cmap.random_points(100, radius=0.25, seed=1)
    nodes = []
    for solver in (unprepared(cmap), prepared(cmap)):
        count = 0
        for a, b in zip(points, np.roll(points, 1, axis=0), strict=True):
            solver.solve(a, b, 0.25, shortcut=False)
            count += int(solver.workspace.count[N_NODES])
        nodes.append(count)
    assert nodes[1] < 0.6 * nodes[0]
    cmap.prepare()
    assert cmap.solver.landmarks.distances.shape[1] == COUNT


def test_a_thread_measures_landmarks_after_many_searches(cmap, monkeypatch):
    solver = Solver(cmap.solver.index)
    monkeypatch.setattr(search, "_NODES_BEFORE_LANDMARKS", 0)
    a, b = np.array([2.0, 5.0]), np.array([15.0, 5.0])
    before = solver.solve(a, b, 0.25)
    until = time.monotonic() + 300.0
    while solver.landmarks is NO_LANDMARKS and time.monotonic() < until:
        time.sleep(0.01)
    assert solver.landmarks is not NO_LANDMARKS
    assert np.array_equal(solver.solve(a, b, 0.25).pieces, before.pieces)
    assert solver.workspace.landmarks is solver.landmarks.distances


def test_landmarks_of_a_large_map_are_measured_on_request_only(cmap, monkeypatch):
    solver = Solver(cmap.solver.index)
    monkeypatch.setattr(search, "_NODES_BEFORE_LANDMARKS", 0)
    monkeypatch.setattr(search, "_LARGEST_WITHOUT_ASKING", 3)
    started = []
    monkeypatch.setattr(search.threading, "Thread", lambda **how: started.append(how))
    solver.solve(np.array([2.0, 5.0]), np.array([15.0, 5.0]), 0.25)
    assert started == []
    solver.measure_landmarks()
    assert solver.landmarks is not NO_LANDMARKS


def test_a_map_without_corners_has_no_landmarks():
    env = fw.Environment.from_polygons(bounds=(0, 0, 4, 3))
    cmap = fw.CorridorMap.build(env)
    cmap.prepare()
    assert cmap.path((1, 1), (3, 2), radius=0.5).length == pytest.approx(np.sqrt(5))


def test_a_path_has_no_pieces_at_corners_where_it_goes_straight_on():
    """Four blocks in line: the path along them turns at the first and the last corner only."""
    blocks = [[(x, 2), (x + 1, 2), (x + 1, 4), (x, 4)] for x in (2, 4, 6, 8)]
    cmap = fw.CorridorMap.build(
        fw.Environment.from_polygons(bounds=(0, 0, 11, 4), obstacles=blocks)
    )
    path = cmap.path((1, 3.5), (10, 3.5), radius=0.25)
    arcs = path.pieces[path.pieces[:, RADIUS] > 0.0]
    assert len(path.pieces) == 5
    assert np.abs(arcs[:, SWEEP]).min() > 0.1
