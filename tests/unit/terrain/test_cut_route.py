"""A route cut at the triangles of the ground: order of its pieces, and holes between them."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.terrain.cut_route import CutRoute, first_hole, make_course


def test_pieces_are_sorted_by_triangle_and_curve_length():
    """A route that comes back to the same triangles again and again."""
    room = fw.Environment.from_polygons(bounds=(0, 0, 10, 8), obstacles=[shapely.box(4, 3, 6, 5)])
    ground = fw.Terrain.build(room, 0.0).ground
    there = [(1, 1), (9, 2), (9, 7), (1, 6)]
    course = make_course(np.array(there * 4, float), ground)
    assert (np.diff(course.triangle) >= 0).all()
    for t in range(len(ground.triangles)):
        own = slice(course.offsets[t], course.offsets[t + 1])
        assert (course.triangle[own] == t).all()
        assert (np.diff(course.along[own, 0]) > 0).all()
    assert np.bincount(course.triangle).max() >= 4
    for piece, along in zip(course.pieces, course.along, strict=True):
        assert piece[:2] == pytest.approx(course.at(along[0]))
        assert piece[2:] == pytest.approx(course.at(along[1]))


def test_pieces_shorter_than_a_millimetre_count():
    """A strip of mud as narrow as the grid, in triangles that are narrower still."""
    strip = ("mud", shapely.box(5, 0, 5.001, 8))
    room = fw.Environment.from_polygons(bounds=(0, 0, 10, 8), terrain=[strip])
    terrain = fw.Terrain.build(room, 0.25)
    route = fw.IndicativeRoute.from_points(terrain, [(1, 4), (9, 4.5)])
    assert first_hole(route.course) is None
    assert route.measure()["mud"] == pytest.approx(0.001, abs=1e-5)


@pytest.mark.parametrize(
    ("along", "hole"),
    [
        ([(0, 4), (4, 9)], None),
        ([(0, 5), (1, 2), (5, 9)], None),  # a piece beside another one
        ([(4, 9), (0, 4)], None),
        ([(0, 4), (4 + 1e-9, 9)], None),  # rounding
        ([(0, 2), (2.001, 9)], 2.0),
        ([(0, 5), (1, 2), (6, 9)], 5.0),
        ([(1, 9)], 0.0),
        ([(0, 8)], 8.0),
    ],
)
def test_the_first_hole(along, hole):
    points = np.array([(0.0, 0.0), (9.0, 0.0)])
    course = CutRoute(
        points, np.array([0.0, 9.0]), np.empty((len(along), 4)), np.array(along, float),
        np.zeros(len(along), np.int32), np.array([0, len(along)], np.int32),
    )  # fmt: skip
    assert first_hole(course) == hole
