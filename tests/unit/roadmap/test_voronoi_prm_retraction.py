"""Samples and edges retracted to the Voronoi diagram, compared with the slow oracle and by hand."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from footway.environment import Environment, gallery
from footway.roadmap.space import Space, make_space
from footway.roadmap.voronoi_prm import (
    free_samples,
    retract_edges,
    retract_to_axis,
    useful_neighbours,
)
from tests.oracle.voronoi_retraction import retracted


def bare(env: Environment, radius: float = 0.25) -> Space:
    """The space of an environment, whose clearance is the distance to the walls."""
    return make_space(env, radius=radius)._replace(radius=0.0)


@pytest.fixture(scope="module")
def field() -> Environment:
    return gallery.make("field")


def test_points_agree_with_the_slow_oracle(field):
    walls = bare(field)
    points = free_samples(field, walls, radius=0.25, count=60, seed=3)
    found, _ = retract_to_axis(points, walls)
    slow = [retracted(tuple(p), field.walkable.boundary, epsilon=1e-7) for p in points.tolist()]
    assert found == pytest.approx(np.array(slow), abs=1e-5)


def test_retracted_points_have_two_nearest_walls(field):
    walls = bare(field)
    points, clearance = retract_to_axis(
        free_samples(field, walls, radius=0.25, count=100, seed=5), walls
    )
    segments = shapely.linestrings(field.walls.segments.reshape(-1, 2, 2))
    for point, away in zip(shapely.points(points), clearance, strict=True):
        near = segments[shapely.distance(segments, point) <= away + 1e-5]
        feet = np.array([shapely.shortest_line(point, wall).coords[1] for wall in near])
        assert np.hypot(*(feet - feet[0]).T).max() > 1e-3


def test_samples_are_where_the_disc_fits(field):
    points = free_samples(field, bare(field), radius=0.5, count=500, seed=1)
    assert len(points) == 500
    assert shapely.contains_xy(field.walkable, *points.T).all()
    assert shapely.distance(shapely.points(points), field.walkable.boundary).min() >= 0.5


def test_an_edge_is_retracted_to_the_middle_of_a_corridor():
    env = Environment.from_polygons(
        bounds=(0, 0, 20, 10), obstacles=[shapely.box(8, 0, 12, 4), shapely.box(8, 6, 12, 10)]
    )
    walls = bare(env)
    (chain,) = retract_edges(
        np.array([[4.0, 4.6]]),
        np.array([[16.0, 4.6]]),
        walls,
        radius=0.25,
        desired=0.9,
        shortest=0.25,
    )
    inside = chain[(chain[:, 0] > 8) & (chain[:, 0] < 12)]
    assert inside[:, 1] == pytest.approx(np.full(len(inside), 5.0), abs=0.01)
    assert chain[0].tolist() == [4.0, 4.6]
    assert chain[-1].tolist() == [16.0, 4.6]
    assert shapely.LineString(chain).distance(env.walkable.boundary) >= 0.9 - 1e-6


def test_an_edge_with_clearance_stays_and_a_blocked_one_fails():
    env = Environment.from_polygons(bounds=(0, 0, 20, 10), obstacles=[shapely.box(9, 0, 11, 9.8)])
    starts, ends = np.array([[2.0, 2.0], [5.0, 5.0]]), np.array([[7.0, 7.0], [15.0, 5.0]])
    kept, failed = retract_edges(starts, ends, bare(env), radius=0.25, desired=0.5, shortest=0.25)
    assert kept.tolist() == [[2.0, 2.0], [7.0, 7.0]]
    assert failed.shape == (0, 2)


def test_no_edges_give_no_chains(field):
    none = np.empty((0, 2))
    assert retract_edges(none, none, bare(field), radius=0.25, desired=0.5, shortest=0.25) == []


def test_useful_edges_close_a_cycle_when_the_way_around_is_long():
    env = Environment.from_polygons(bounds=(0, 0, 20, 20), obstacles=[shapely.box(5, 5, 15, 15)])
    places = np.array([(2.5, 2.5), (17.5, 2.5), (17.5, 17.5), (2.5, 17.5)])
    known = np.array([(0, 1), (1, 2), (2, 3)])
    make = {"radius": 0.25, "distance": 30.0}
    closing = useful_neighbours(places, known, bare(env), usefulness=1.5, **make)
    assert closing.tolist() == [[0, 3]]
    assert len(useful_neighbours(places, known, bare(env), usefulness=4.0, **make)) == 0
    too_little = useful_neighbours(places, known, bare(env), usefulness=1.5, saving=31.0, **make)
    assert len(too_little) == 0
