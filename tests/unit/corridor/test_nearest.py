"""The nearest point at which a disc fits, judged by Shapely."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw

ARCS = 128  # segments of a quarter circle of the judge
POST = (7.5, 8.0)  # of the fixture `env`


def space_for_centres(env, cmap, radius):
    """Where the centre of a disc may be; arcs are polygons inside the true ones."""
    shapes = [*shapely.linestrings(cmap.walls.reshape(-1, 2, 2)), shapely.Point(POST)]
    walls = shapely.union_all(shapely.buffer(shapes, radius, quad_segs=ARCS))
    return shapely.union_all(np.atleast_1d(env.walkable)).difference(walls)


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(3)
    return rng.uniform((-2.0, -2.0), (22.0, 12.0), (400, 2))


@pytest.mark.parametrize("radius", [0.0, 0.1, 0.3, 0.45, 0.8, 1.3, 1.6])
def test_it_is_that_of_shapely(cmap, env, points, radius):
    found = cmap.nearest_free(points, radius=radius)
    away = np.hypot(*(found - points).T)
    truth = shapely.distance(space_for_centres(env, cmap, radius), shapely.points(points))
    flat = radius * (1.0 - np.cos(np.pi / (4 * ARCS)))  # by which arcs of the judge are too near
    assert (away - truth).max() < 6e-6 + 3.0 * flat
    assert (away - truth).min() > -1e-9
    assert (cmap.clearance(found) >= radius - 1e-9).all()
    free = cmap.clearance(points) >= max(radius, 1e-9)
    assert (found[free] == points[free]).all()
    assert 40 < free.sum() < 350


@pytest.mark.parametrize("name", ["gallery:mckenna", "gallery:game"])
def test_no_random_free_point_is_nearer(name):
    cmap = fw.CorridorMap.build(fw.load(name))
    rng = np.random.default_rng(5)
    low, high = np.reshape(cmap.bounds, (2, 2))
    points = rng.uniform(low - 1.0, high + 1.0, (200, 2))
    found = cmap.nearest_free(points, radius=0.7)
    away = np.hypot(*(found - points).T)
    tight = np.flatnonzero(away > 0.0)
    assert len(tight) > 20
    assert (cmap.clearance(found) >= 0.7 - 1e-9).all()
    for k in tight:
        angle, share = rng.uniform(0.0, 2.0 * np.pi, 4000), np.sqrt(rng.uniform(0.0, 1.0, 4000))
        steps = np.column_stack([np.cos(angle), np.sin(angle)])
        nearer = points[k] + 0.9999 * away[k] * share[:, None] * steps
        assert not (cmap.clearance(nearer) >= 0.7).any()


@pytest.mark.parametrize(
    ("point", "radius", "distance"),
    [
        ((10.0, 5.0), 0.5, 0.0),  # a door that the disc just fits through
        ((10.0, 4.9), 0.5, 0.1),
        ((9.9, 4.5), 0.3, 0.3),  # a corner: all points of an arc are equally near
        (POST, 0.4, 0.4),
        ((13.0, 4.0), 0.25, 0.25),  # on a wall with free space on both sides
        ((0.0, 0.0), 0.5, np.sqrt(0.5)),
        ((-30.0, 5.0), 1.0, 31.0),
        ((5.0, 5.0), 0.0, 1.0),  # the middle of a pillar
    ],
)
def test_special_positions(cmap, point, radius, distance):
    (found,) = cmap.nearest_free([point], radius=radius)
    assert np.hypot(*(found - point)) == pytest.approx(distance, abs=5e-6)
    assert cmap.path(found, found, radius=radius).clearance >= radius - 1e-9


def test_a_corridor_of_the_width_of_the_disc_counts():
    env = fw.Environment.from_polygons(bounds=(0, 0, 10, 1))
    cmap = fw.CorridorMap.build(env)
    found = cmap.nearest_free([(4.0, 0.2), (-1.0, 0.5)], radius=0.5)
    assert found[1] == pytest.approx((0.5, 0.5), abs=1e-9)
    assert found[0] == pytest.approx((4.0, 0.5), abs=1e-9)


def test_no_points(cmap):
    assert cmap.nearest_free(np.empty((0, 2))).shape == (0, 2)


def test_a_disc_that_fits_nowhere_is_refused(cmap):
    with pytest.raises(fw.BadQuery, match=r"radius 9 m fits nowhere on the map"):
        cmap.nearest_free([(1, 1)], radius=9.0)


def test_a_map_of_a_roadmap_is_refused():
    cmap = fw.CorridorMap.from_roadmap(fw.roadmap.grid(fw.load("gallery:field"), resolution=1.0))
    with pytest.raises(fw.BadQuery, match=r"needs the exact map"):
        cmap.nearest_free([(1, 1)])


class TestToward:
    """Paths to the reachable point nearest to the goal."""

    @pytest.mark.parametrize("radius", [0.2, 0.55])
    def test_it_ends_at_the_nearest_reachable_point(self, cmap, env, points, radius):
        start = (1.0, 5.0)
        space = space_for_centres(env, cmap, radius)
        (part,) = (one for one in space.geoms if one.covers(shapely.Point(start)))
        goals = points[:150]
        short = 0
        for goal, truth in zip(goals, shapely.distance(part, shapely.points(goals)), strict=True):
            path, remaining = cmap.path_toward(start, goal, radius=radius)
            assert remaining == pytest.approx(truth, abs=5e-5)
            assert remaining == pytest.approx(np.hypot(*(np.array(path.goal) - goal)), abs=1e-12)
            assert path.clearance >= radius - 1e-6
            assert path.length == cmap.path(start, path.goal, radius=radius).length
            short += remaining > 0.0
        assert 30 < short < 150

    def test_a_goal_that_is_reached(self, cmap):
        path, remaining = cmap.path_toward((1, 5), (15, 8))
        assert remaining == 0.0
        assert path.goal == (15.0, 8.0)
        assert path.length == cmap.path((1, 5), (15, 8)).length

    def test_behind_a_pinch(self, cmap):
        path, remaining = cmap.path_toward((1, 5), (10.6, 5), radius=0.6)
        gap = np.sqrt(0.6**2 - 0.5**2)  # the disc touches both corners of the door
        assert path.goal == pytest.approx((9.9 - gap, 5.0), abs=5e-6)
        assert remaining == pytest.approx(0.7 + gap, abs=5e-6)

    def test_into_a_closed_cell(self, cmap):
        path, remaining = cmap.path_toward((1, 5), (18.5, 1.5), radius=0.25)
        assert not cmap.is_reachable((1, 5), [(18.5, 1.5)]).any()
        assert path.goal == pytest.approx((16.75, 1.5), abs=5e-6) or path.goal == pytest.approx(
            (18.5, 3.25), abs=5e-6
        )
        assert remaining == pytest.approx(1.75, abs=5e-6)

    def test_a_start_in_a_wall_is_refused(self, cmap):
        with pytest.raises(fw.BadQuery, match="inside an obstacle"):
            cmap.path_toward((5, 5), (1, 1))
        with pytest.raises(fw.NoPath, match="does not fit"):
            cmap.path_toward((0.1, 5), (1, 1))
