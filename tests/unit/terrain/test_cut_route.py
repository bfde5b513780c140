"""A route cut at the triangles of the terrain: order of its pieces, and holes between them."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.terrain.cut_route import CutRoute, cut_route, first_hole


def test_pieces_are_sorted_by_triangle_and_curve_length():
    """A route that comes back to the same triangles again and again."""
    room = fw.Environment.from_polygons(bounds=(0, 0, 10, 8), obstacles=[shapely.box(4, 3, 6, 5)])
    mesh = fw.Terrain.build(room, 0.0).mesh
    there = [(1, 1), (9, 2), (9, 7), (1, 6)]
    cut = cut_route(np.array(there * 4, float), mesh)
    assert (np.diff(cut.triangle) >= 0).all()
    for t in range(len(mesh.triangles)):
        own = slice(cut.offsets[t], cut.offsets[t + 1])
        assert (cut.triangle[own] == t).all()
        assert (np.diff(cut.along[own, 0]) > 0).all()
    assert np.bincount(cut.triangle).max() >= 4
    for piece, along in zip(cut.pieces, cut.along, strict=True):
        assert piece[:2] == pytest.approx(cut.at(along[0]))
        assert piece[2:] == pytest.approx(cut.at(along[1]))


def test_pieces_shorter_than_a_millimetre_count():
    """A strip of mud as narrow as the grid, in triangles that are narrower still."""
    strip = ("mud", shapely.box(5, 0, 5.001, 8))
    room = fw.Environment.from_polygons(bounds=(0, 0, 10, 8), terrain=[strip])
    terrain = fw.Terrain.build(room, 0.25)
    route = fw.IndicativeRoute.from_points(terrain, [(1, 4), (9, 4.5)])
    assert first_hole(route.cut) is None
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
    cut = CutRoute(
        points, np.array([0.0, 9.0]), np.empty((len(along), 4)), np.array(along, float),
        np.zeros(len(along), np.int32), np.array([0, len(along)], np.int32),
    )  # fmt: skip
    assert first_hole(cut) == hole


@pytest.fixture(scope="module")
def pillars() -> fw.Terrain:
    """A hall of 20 x 10 m with two pillars of 2 x 2 m."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 10),
        obstacles=[
            [(6, 2), (8, 2), (8, 4), (6, 4)],
            [(12, 6), (14, 6), (14, 8), (12, 8)],
        ],
    )
    return fw.Terrain.build(env, radius=0.0)


class TestCourse:
    def test_covers_the_route(self, pillars):
        cut = cut_route(np.array([[1.0, 1], [5, 5], [19, 5]]), pillars.mesh)
        assert first_hole(cut) is None
        assert cut.along[:, 0].min() == 0.0
        assert cut.along[:, 1].max() == pytest.approx(cut.length)

    def test_has_a_hole_in_a_pillar(self, pillars):
        cut = cut_route(np.array([[1.0, 3], [19, 3]]), pillars.mesh)
        assert first_hole(cut) == pytest.approx(5.0)

    def test_has_a_hole_at_its_end(self, pillars):
        cut = cut_route(np.array([[1.0, 3], [7, 3]]), pillars.mesh)
        assert first_hole(cut) == pytest.approx(5.0)

    def test_goes_along_walls_and_through_corners(self, pillars):
        points = np.array([[0.0, 0], [6, 4], [8, 4], [20, 4], [20, 10]])
        cut = cut_route(points, pillars.mesh)
        assert first_hole(cut) is None

    def test_leaves_out_points_that_repeat(self, pillars):
        cut = cut_route(np.array([[1.0, 1], [1, 1], [5, 1], [5, 1]]), pillars.mesh)
        assert cut.points.tolist() == [[1.0, 1.0], [5.0, 1.0]]

    def test_pieces_lie_in_their_triangles(self, pillars):
        cut = cut_route(np.array([[1.0, 1], [5, 5], [19, 5], [10, 1]]), pillars.mesh)
        for t, (x0, y0, x1, y1) in zip(cut.triangle, cut.pieces, strict=True):
            a, b, c = pillars.mesh.points[pillars.mesh.triangles[t]]
            for x, y in ((x0, y0), (x1, y1)):
                sides = ((a, b), (b, c), (c, a))
                left = [(q - p)[0] * (y - p[1]) - (q - p)[1] * (x - p[0]) for p, q in sides]
                assert min(left) >= -1e-6
