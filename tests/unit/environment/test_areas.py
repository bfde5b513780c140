"""Areas: what is accepted as a polygon, the even-odd rule, inside and depth."""

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.environment.areas import area_of, as_polygon, contains, depth
from tests.effort import examples

DONUT = shapely.box(0, 0, 10, 10) - shapely.box(3, 3, 7, 7)
PAIR = shapely.MultiPolygon([DONUT, shapely.box(4, 4, 6, 6)])  # one in the other's hole


def is_inside(rings, points):
    """Count crossings of a ray to the right with the sides of all rings."""
    x, y = points.T
    inside = np.zeros(len(points), bool)
    for ring in rings:
        for (ax, ay), (bx, by) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            if ay != by:
                inside ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return inside


class TestInside:
    @pytest.mark.parametrize("shape", [shapely.box(1, 2, 3, 5), DONUT, PAIR])
    def test_with_holes_and_parts(self, shape):
        points = np.random.default_rng(1).uniform(-1, 11, (400, 2))
        parts = shapely.get_rings(shapely.get_parts(shape))
        rings = [shapely.get_coordinates(ring)[:-1] for ring in parts]
        np.testing.assert_array_equal(contains(as_polygon(shape), points), is_inside(rings, points))
        assert as_polygon(shape).area == pytest.approx(shape.area)

    @examples(60)
    @given(st.integers(0, 2**32 - 1), st.integers(3, 12))
    def test_any_ring_in_either_direction(self, seed, count):
        """Also rings that cross themselves."""
        rng = np.random.default_rng(seed)
        ring, points = rng.uniform(-5, 5, (count, 2)), rng.uniform(-5, 5, (200, 2))
        expected = is_inside([ring], points)
        for same in (ring, ring[::-1], np.vstack([ring, ring[:1]])):
            np.testing.assert_array_equal(contains(as_polygon(same), points), expected)

    def test_what_lies_in_two_parts_is_outside(self):
        both = shapely.MultiPolygon([shapely.box(0, 0, 2, 2), shapely.box(1, 0, 3, 2)])
        points = np.array([(0.5, 1.0), (1.5, 1.0), (2.5, 1.0)])
        assert contains(as_polygon(both), points).tolist() == [True, False, True]

    def test_depth_is_the_distance_to_the_nearest_ring(self):
        points = np.array([(1.0, 5.0), (5.0, 5.0), (-2.0, 5.0), (2.5, 2.5), (11.0, 11.0)])
        expected = [1.0, 2.0, 2.0, np.hypot(0.5, 0.5), np.sqrt(2)]
        assert depth(as_polygon(DONUT), points) == pytest.approx(expected)


class TestKinds:
    def test_an_area_of_the_environment(self):
        area = fw.Environment.from_polygons(
            shapely.box(0, 0, 10, 10), areas=[("exit", shapely.box(8, 0, 10, 10))]
        ).areas[0]
        assert as_polygon(area).area == pytest.approx(20.0)

    @pytest.mark.parametrize(
        "shape",
        [
            [(0, 0), (1, 1)],
            [(0, 0), (1, 1), (np.nan, 1)],
            [(0, 0, 0)],
            "a ring",
            5.0,
            None,
            [[(0, 0), (1, 0)], [(0, 1)]],
            shapely.Point(0, 0),
            shapely.LineString([(0, 0), (1, 1)]),
            shapely.GeometryCollection([DONUT]),
            shapely.Polygon(),
            shapely.MultiPolygon(),
        ],
        ids=lambda shape: str(shape)[:30],
    )
    def test_other_shapes_are_refused_in_one_line(self, shape):
        with pytest.raises(fw.BadQuery, match="area") as error:
            as_polygon(shape)
        assert "\n" not in str(error.value)

    def test_a_ring_without_an_interior_contains_nothing(self):
        line = as_polygon([(0, 0), (1, 1), (2, 2)])
        assert line.bounds == (0, 0, 2, 2)
        assert not contains(line, np.array([(1.0, 1.0), (0.5, 0.4)])).any()


def test_areas_by_name_are_joined():
    squares = [("hall", shapely.box(0, 0, 1, 1)), ("hall", shapely.box(2, 0, 3, 1))]
    env = fw.Environment.from_polygons(bounds=(0, 0, 9, 9), areas=squares)
    assert area_of(env, "hall").area == pytest.approx(2.0)
    with pytest.raises(fw.BadQuery, match="there is no area 'hal'; did you mean 'hall'"):
        area_of(env, "hal")
    bare = fw.Environment.from_polygons(bounds=(0, 0, 9, 9))
    with pytest.raises(fw.BadQuery, match="the map has none: give a polygon"):
        area_of(bare, "hall")
