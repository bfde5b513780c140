"""Questions about many points at once: distances, reachability, sight, random points."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

import footway as fw
from footway import plot
from footway.corridor.kernels.layouts import NOWHERE
from tests.oracle.shortest import ShortestOracle

START = (1.0, 5.0)
LINES = [(13, 2), (13, 6)], [(17, 0), (17, 3), (20, 3)]  # of the fixture `env`


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(11)
    return rng.uniform((-1.0, -1.0), (21.0, 11.0), (150, 2))


@pytest.mark.parametrize("radius", [0.1, 0.3, 0.5])
def test_distances_are_those_of_the_visibility_graph(cmap, env, points, radius):
    oracle = ShortestOracle(
        shapely.union_all(np.atleast_1d(env.walkable)), radius,
        lines=[shapely.LineString(line) for line in LINES],
        points=[shapely.Point(7.5, 8)],
    )  # fmt: skip
    found = cmap.distances(START, points, radius=radius)
    truth = [oracle.length(START, point) if oracle.fits(point) else math.inf for point in points]
    assert found == pytest.approx(np.array(truth), abs=1e-6)
    assert (np.isfinite(found) == cmap.is_reachable(START, points, radius=radius)).all()
    assert np.isfinite(found).any()
    assert np.isinf(found).any()
    one = cmap.distances(START, points, radius=radius, threads=1)
    assert (one == found).all()


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.5])
def test_one_search_for_many_points_finds_the_same_distances(cmap, points, radius):
    more = np.random.default_rng(5).uniform((-1.0, -1.0), (21.0, 11.0), (400, 2))
    points = np.concatenate([points, more])
    found = cmap.distances(START, points, radius=radius)
    parts = [cmap.distances(START, points[k : k + 50], radius=radius) for k in range(0, 550, 50)]
    assert found == pytest.approx(np.concatenate(parts), abs=1e-9)
    assert np.isfinite(found).sum() > 200
    one = cmap.distances(START, points, radius=radius, threads=1)
    assert (one == found).all()
    measured, statuses = cmap.solver.measure_distances(np.array(START), points, radius, threads=1)
    assert not (statuses == NOWHERE).any()  # all by the search of the whole map
    assert (measured == found).all()


@pytest.mark.parametrize("name", ["office", "city", "field"])
def test_distances_in_large_maps_are_those_of_paths(name):
    """Behind furniture, where paths turn first at corners at which no other path turns."""
    cmap = fw.CorridorMap.build(fw.load(f"gallery:{name}"))
    for radius in (0.0, 0.2):
        start, *points = cmap.random_points(401, seed=3, radius=radius)
        found, statuses = cmap.solver.measure_distances(start, np.array(points), radius, threads=1)
        paths = cmap.paths(np.tile(start, (400, 1)), points, radius=radius)
        truth = [math.inf if path is None else path.length for path in paths]
        assert found == pytest.approx(np.array(truth), abs=1e-9)
        assert not (statuses == NOWHERE).any()


def test_a_start_in_a_wall_is_refused(cmap):
    for method in (cmap.distances, cmap.is_reachable):
        with pytest.raises(fw.BadQuery, match="inside an obstacle"):
            method((5, 5), [(1, 1)])
        with pytest.raises(fw.NoPath, match="does not fit"):
            method((0.1, 5), [(1, 1)], radius=0.25)


def test_a_door_that_is_too_narrow_separates(cmap):
    beyond = [(15.0, 8.0)]
    assert cmap.is_reachable(START, beyond, radius=0.5).all()
    assert not cmap.is_reachable(START, beyond, radius=0.501).any()
    assert cmap.distances(START, beyond, radius=0.501).tolist() == [math.inf]


@pytest.mark.parametrize("radius", [0.0, 0.25])
def test_sight_is_a_free_line(cmap, env, points, radius):
    a, b = points[:75], points[75:]
    walls = shapely.linestrings(cmap.walls.reshape(-1, 2, 2))
    free = shapely.union_all(np.atleast_1d(env.walkable))
    truth = [
        bool(shapely.distance(walls, line).min() > radius) and bool(free.contains(line))
        for line in shapely.linestrings(np.stack([a, b], axis=1))
    ]
    seen = cmap.line_of_sight(a, b, radius=radius)
    assert seen.tolist() == truth
    assert cmap.line_of_sight(b, a, radius=radius).tolist() == truth
    assert 3 < seen.sum() < 60


def test_random_points_are_reachable_uniform_and_the_same_again(cmap):
    found = cmap.random_points(2000, radius=0.3, seed=4, reachable_from=START)
    assert found.shape == (2000, 2)
    assert (cmap.clearance(found) > 0.3).all()
    assert cmap.is_reachable(START, found, radius=0.3).all()
    assert (found == cmap.random_points(2000, radius=0.3, seed=4, reachable_from=START)).all()
    left = (found[:, 0] < 10.0).mean()
    assert 0.4 < left < 0.6
    everywhere = cmap.random_points(2000, radius=0.3, seed=4)
    cell = (everywhere[:, 0] > 17.0) & (everywhere[:, 1] < 3.0)  # closed by walls
    assert cell.any()
    assert cmap.random_points(0).shape == (0, 2)
    with pytest.raises(fw.BadQuery, match="nowhere"):
        cmap.random_points(1, radius=6.0)


def test_contours_are_drawn(cmap, env, tmp_path, monkeypatch):
    monkeypatch.setattr("footway.plot.figures._GRID_POINTS", 40)
    figure = plot.draw_distances(cmap, START, radius=0.3, environment=env)
    plot.save_picture(figure, tmp_path / "distances.png")
    assert any("from the start" in text.get_text() for text in figure.texts)
