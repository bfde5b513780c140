"""Triangulated walkable space: exact, valid for unclean input, later regions on top."""

import math

import numpy as np
import pytest
import shapely
import shapely.affinity

from footway.environment import Environment, gallery
from footway.environment.partition import partition, triangulation
from footway.errors import BadGeometry
from tests.oracle.terrain_mesh import areas_of, assert_sound

ROOM = (0.0, 0.0, 10.0, 8.0)


def square(x, y, side):
    return [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]


def area_by_kind(cut):
    areas = areas_of(cut)
    return {name: float(areas[cut.kind == i].sum()) for i, name in enumerate(cut.kinds)}


def test_an_empty_room_is_two_triangles():
    cut = partition(Environment.from_polygons(bounds=ROOM))
    assert cut.triangles.shape == (2, 3)
    assert cut.kinds == ("ground",)
    assert sorted(cut.neighbours.ravel().tolist()) == [-1, -1, -1, -1, 0, 1]
    dtypes = [array.dtype for array in cut[:4]]
    assert dtypes == [np.float64, np.int32, np.int32, np.int16]
    assert_sound(cut)


def test_the_later_region_lies_on_top():
    env = Environment.from_polygons(
        bounds=ROOM,
        terrain=[("mud", square(1, 1, 4)), ("road", square(3, 3, 4)), ("mud", square(6, 6, 1))],
    )
    cut = partition(env)
    assert area_by_kind(cut) == pytest.approx({"ground": 80 - 28, "mud": 13, "road": 15})
    assert_sound(cut)


def test_a_region_of_kind_ground_uncovers_it():
    env = Environment.from_polygons(
        bounds=ROOM, terrain=[("mud", square(1, 1, 4)), ("ground", square(2, 2, 2))]
    )
    cut = partition(env)
    assert cut.kinds == ("ground", "mud")
    assert area_by_kind(cut)["mud"] == pytest.approx(12)


def test_a_single_line_wall_has_triangles_on_both_sides_that_are_not_neighbours():
    env = Environment.from_polygons(bounds=ROOM, lines=[[(3, 2), (7, 6)]])
    cut = partition(env)
    assert areas_of(cut).sum() == pytest.approx(80)
    ends = cut.points[cut.triangles]
    slope = [
        (t, k)
        for t in range(len(cut.triangles))
        for k in range(3)
        if np.allclose(np.sort(ends[t, [k, (k + 1) % 3]], axis=0), [(3, 2), (7, 6)])
    ]
    assert len(slope) == 2
    assert [cut.neighbours[t, k] for t, k in slope] == [-1, -1]
    assert_sound(cut)


def test_a_region_across_a_single_line_wall():
    env = Environment.from_polygons(
        bounds=ROOM, lines=[[(3, 2), (7, 6)]], terrain=[("mud", square(4, 2, 3))]
    )
    cut = partition(env)
    assert area_by_kind(cut)["mud"] == pytest.approx(9)
    assert_sound(cut)


@pytest.mark.parametrize("radius", [0.1, 0.25, 1.0])
@pytest.mark.parametrize("name", ["mckenna-road", "field", "office"])
def test_a_disc_keeps_its_radius_and_loses_less_than_1_percent_of_it(name, radius):
    env = gallery.make(name)
    cut = partition(env, radius=radius)
    assert_sound(cut)
    walls = shapely.union_all(shapely.linestrings(env.walls.segments.reshape(-1, 2, 2)))
    # Corners of the outline are what comes nearest to the ends of walls; its sides are tangents.
    assert shapely.distance(shapely.points(cut.points), walls).min() >= radius - 1e-9
    filled = areas_of(cut).sum()
    assert filled <= env.walkable.buffer(-radius, quad_segs=128).area + 1e-3
    assert filled >= env.walkable.buffer(-1.01 * radius, quad_segs=128).area


def bent(rng):
    """A house whose walls have additional corners a few millimetres off, as in survey data."""
    shape = shapely.Polygon(
        [(0, 0), (30, 0), (30, 25), (18, 25), (18, 9), (9, 9), (9, 25), (0, 25)]
    )
    ring = shapely.get_coordinates(shapely.segmentize(shape.exterior, 7.0))[:-1]
    ring = ring + rng.choice([0, 0.001, -0.001, 0.003, -0.007], ring.shape)
    turned = shapely.affinity.rotate(shapely.Polygon(ring), rng.uniform(0, 360))
    return shapely.affinity.translate(turned, 20, 20)


@pytest.mark.parametrize("radius", [0.1, 0.25, 0.4])
@pytest.mark.parametrize("seed", range(12))
def test_walls_that_are_all_but_straight(seed, radius):
    house = bent(np.random.default_rng(seed))
    env = Environment.from_polygons(bounds=(-30, -30, 90, 90), obstacles=[house])
    cut = partition(env, radius=radius)
    assert_sound(cut)
    walls = shapely.union_all(shapely.linestrings(env.walls.segments.reshape(-1, 2, 2)))
    assert shapely.distance(shapely.points(cut.points), walls).min() >= radius - 1e-5
    middles = cut.points[cut.triangles].mean(axis=1)
    assert shapely.contains_xy(env.walkable, *middles.T).all()
    assert areas_of(cut).sum() >= env.walkable.buffer(-1.01 * radius, quad_segs=64).area


def test_a_disc_among_lines_and_points():
    env = Environment.from_polygons(bounds=ROOM, lines=[[(3, 4), (5, 4)]], points=[(8, 4)])
    cut = partition(env, radius=0.5)
    assert_sound(cut)
    taken = 9 * 7 - areas_of(cut).sum()
    exact = 2 * 1 + 2 * math.pi * 0.25
    assert exact < taken < exact * 1.02


def test_a_passage_as_wide_as_the_disc_is_open_and_a_narrower_one_is_not():
    walls = [shapely.box(0, 3, 4.7, 5), shapely.box(5.3, 3, 10, 5)]
    env = Environment.from_polygons(bounds=ROOM, obstacles=walls)
    for radius, parts in ((0.2999, 1), (0.3001, 2)):
        cut = partition(env, radius=radius)
        shape = shapely.union_all(shapely.polygons(cut.points[cut.triangles]))
        assert shapely.get_num_geometries(shapely.buffer(shape, -1e-6)) == parts


def test_a_disc_that_fits_nowhere():
    with pytest.raises(BadGeometry, match=r"radius 4.5 m fits nowhere.*smaller"):
        partition(Environment.from_polygons(bounds=ROOM), radius=4.5)


@pytest.mark.parametrize("seed", range(12))
def test_dirty_regions(seed):
    """Regions that nearly touch, share slanted sides, cross at tiny angles, repeat each other."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(1, 7, (3, 2))
    regions = []
    for k in range(14):
        corners = base + rng.choice([0.0, 0.001, -0.001, 0.0005, 3.0], (3, 2))
        regions.append((f"kind {k % 4}", corners.tolist()))
    env = Environment.from_polygons(
        bounds=(-10, -10, 20, 20), obstacles=[base - 1.0, base + 1e-3], terrain=regions
    )
    for radius in (0.0, 0.2):
        cut = partition(env, radius=radius)
        assert_sound(cut)
    assert areas_of(partition(env)).sum() == pytest.approx(env.area, abs=1e-3)


def test_a_map_far_from_the_origin():
    x, y = 691_000.123, 5_334_000.456
    env = Environment.from_polygons(
        bounds=(x, y, x + 50, y + 40), terrain=[("mud", square(x + 5, y + 5, 10))]
    )
    cut = partition(env, radius=0.3)
    assert area_by_kind(cut)["mud"] == pytest.approx(100, abs=1e-3)
    assert_sound(cut)


@pytest.mark.parametrize("side", [4, 30, 10**9])
def test_segments_that_cross_and_overlap(side):
    rng = np.random.default_rng(side)
    for _ in range(40):
        segments = rng.integers(0, side, (rng.integers(1, 30), 4))
        if (segments[:, :2] == segments[:, 2:]).all():
            continue
        cut = triangulation(segments, np.ones(len(segments), np.uint8))
        corners = cut.points[cut.triangles].astype(object)
        (ux, uy), (vx, vy) = ((corners[:, k] - corners[:, 0]).T for k in (1, 2))
        twice = ux * vy - uy * vx
        assert min(twice) > 0
        low, high = cut.points.min(axis=0).astype(object), cut.points.max(axis=0).astype(object)
        assert sum(twice) == 2 * (high[0] - low[0]) * (high[1] - low[1])
        marked = np.argwhere(cut.marks > 0)
        sides = np.stack(
            [cut.points[cut.triangles[t, (k + j) % 3]] for t, k in marked for j in (0, 1)]
        ).reshape(-1, 2, 2)
        drawn = shapely.multilinestrings(shapely.linestrings(sides.astype(float)))
        long = segments[(segments[:, :2] != segments[:, 2:]).any(axis=1)].reshape(-1, 2, 2)
        given = shapely.multilinestrings(shapely.linestrings(long.astype(float)))
        assert shapely.hausdorff_distance(drawn, given) < 1.5
        assert shapely.hausdorff_distance(given, drawn) < 1.5
