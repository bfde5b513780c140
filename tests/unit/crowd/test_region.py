"""Regions against Shapely: inside, area, bounds, depth; and what is no region."""

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.crowd import Region
from tests.effort import examples
from tests.strategies import scenes

DONUT = shapely.box(0, 0, 10, 10) - shapely.box(3, 3, 7, 7)
PAIR = shapely.MultiPolygon([DONUT, shapely.box(4, 4, 6, 6)])  # one in the other's hole


def points_about(shape, count=400, seed=1):
    x0, y0, x1, y1 = shape.bounds
    rng = np.random.default_rng(seed)
    return rng.uniform((x0 - 1, y0 - 1), (x1 + 1, y1 + 1), (count, 2))


def assert_as_shapely(shape):
    region, points = Region.of(shape), points_about(shape)
    assert region.bounds == pytest.approx(shape.bounds)
    far = shapely.distance(shape.boundary, shapely.points(points)) > 1e-9
    inside = shapely.contains_xy(shape, *points.T)
    np.testing.assert_array_equal(region.contains(points)[far], inside[far])
    depth = shapely.distance(shape.boundary, shapely.points(points))
    np.testing.assert_allclose(region.depth(points), depth, atol=1e-9)


class TestAgainstShapely:
    @pytest.mark.parametrize("shape", [shapely.box(1, 2, 3, 5), DONUT, PAIR])
    def test_by_hand(self, shape):
        assert_as_shapely(shape)
        assert Region.of(shape).area == pytest.approx(shape.area)

    @examples(60)
    @given(scenes("solid"))
    def test_with_holes_and_parts(self, scene):
        assert_as_shapely(scene.polygon)

    def test_area_of_parts_that_touch_in_a_corner(self):
        one = [(0, 0), (2, 0), (2, 2), (1, 2), (1, 1), (0, 1)]
        two = [(1, 1), (0, 2), (0, 1.5)]
        shape = shapely.MultiPolygon([shapely.Polygon(one), shapely.Polygon(two)])
        assert shape.is_valid
        assert Region.of(shape).area == pytest.approx(shape.area)

    @examples(60)
    @given(scenes("solid"))
    def test_area(self, scene):
        assert Region.of(scene.polygon).area == pytest.approx(scene.polygon.area, rel=1e-9)

    @examples(30)
    @given(st.integers(0, 2**32 - 1), st.integers(3, 12))
    def test_rings_in_either_direction(self, seed, count):
        rng = np.random.default_rng(seed)
        angle = np.sort(rng.uniform(0, 2 * np.pi, count))
        ring = rng.uniform(1, 5, (count, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])
        points = rng.uniform(-5, 5, (200, 2))
        there, back = Region.of(ring).contains(points), Region.of(ring[::-1]).contains(points)
        np.testing.assert_array_equal(there, back)
        closed = Region.of(np.vstack([ring, ring[:1]]))
        np.testing.assert_array_equal(there, closed.contains(points))


class TestKinds:
    def test_a_region_is_itself(self):
        region = Region.of(DONUT)
        assert Region.of(region) is region

    def test_an_area_of_the_environment(self):
        area = fw.Environment.from_polygons(
            shapely.box(0, 0, 10, 10), areas=[("exit", shapely.box(8, 0, 10, 10))]
        ).areas[0]
        assert Region.of(area).area == pytest.approx(20.0)

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
        ],
        ids=lambda shape: str(shape)[:30],
    )
    def test_what_is_none_says_so_in_one_line(self, shape):
        with pytest.raises(fw.BadQuery, match="area") as error:
            Region.of(shape)
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize("shape", [shapely.Polygon(), shapely.MultiPolygon()])
    def test_an_empty_polygon_is_none(self, shape):
        with pytest.raises(fw.BadQuery):
            Region.of(shape)
