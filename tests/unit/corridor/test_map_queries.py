"""Questions about many points at once: distances, reachability, sight, random points."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

import footway as fw
from footway import plot
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
