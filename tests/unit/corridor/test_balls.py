"""Sampled balls: the stated coverage is correct."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.environment import gallery
from tests.oracle.nearest import NearestWall


@pytest.fixture(scope="module")
def balls(cmap):
    return cmap.balls(0.95)


def union_share(env, balls) -> float:
    """Share of the walkable area under the balls, by polygon arithmetic (a little too low)."""
    discs = shapely.buffer(shapely.points(balls.centres), balls.radii, quad_segs=32)
    return float(shapely.union_all(discs).intersection(env.walkable).area / env.area)


@pytest.mark.parametrize("coverage", [0.5, 0.97])
def test_they_cover_the_requested_share(env, cmap, coverage):
    balls = cmap.balls(coverage)
    truth = union_share(env, balls)
    assert balls.coverage >= coverage
    assert truth == pytest.approx(balls.coverage, abs=0.006)


def test_they_cover_the_gallery():
    env = gallery.make("field")
    balls = fw.CorridorMap.build(env).balls(0.97)
    assert union_share(env, balls) >= 0.97 - 0.006


def test_fresh_random_points_agree(env, balls):
    rng = np.random.default_rng(99)
    points = rng.uniform((0, 0), (20, 10), (20_000, 2))
    points = points[shapely.contains_xy(env.walkable, points[:, 0], points[:, 1])]
    gap = np.hypot(*(points[:, None] - balls.centres).transpose(2, 0, 1))
    share = (gap <= balls.radii).any(axis=1).mean()
    assert share == pytest.approx(balls.coverage, abs=0.006)


def test_no_ball_reaches_into_a_wall(env, balls):
    assert np.abs(NearestWall(env).distance(balls.centres) - balls.radii).max() < 1e-6
    assert shapely.contains_xy(env.walkable, balls.centres[:, 0], balls.centres[:, 1]).all()


def test_more_coverage_takes_more_balls(cmap, balls):
    assert len(balls.radii) < len(cmap.balls(0.99).radii)


def test_each_ball_knows_its_edge(cmap, balls):
    assert balls.edges.shape == balls.radii.shape
    place = cmap.locate(balls.centres)
    assert np.hypot(*(place.position - balls.centres).T).max() < 1e-6
    ends = cmap.edges[balls.edges]
    own = cmap.edges[place.edge]
    # A ball in a vertex may be located on any edge there, so edges agree in a vertex at least.
    assert ((balls.edges == place.edge) | (ends[:, :, None] == own[:, None]).any(axis=(1, 2))).all()
    assert (balls.edges == place.edge).mean() > 0.5


def test_narrow_places_have_balls_too(cmap):
    """All but those below 5 cm, which cover a negligible area."""
    radii = cmap.balls(0.99).radii
    assert 0.05 < radii.min() < 0.1


def test_they_are_as_few_as_it_takes():
    """The sparsest balls that cover enough are returned."""
    room = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 20, 10)))
    few, many = room.balls(0.9), room.balls(0.985)
    assert len(few.radii) < 0.6 * len(many.radii)
    assert many.coverage < 0.995


def test_same_balls_every_time(cmap, balls):
    np.testing.assert_array_equal(cmap.balls(0.95).centres, balls.centres)


@pytest.mark.parametrize("coverage", [0, 1, -0.5, 2, float("nan")])
def test_shares_that_make_no_sense(cmap, coverage):
    with pytest.raises(fw.BadQuery, match="coverage"):
        cmap.balls(coverage)


def test_more_than_the_smallest_balls_can_cover(cmap):
    with pytest.raises(fw.BadQuery, match="at most"):
        cmap.balls(0.999999)
