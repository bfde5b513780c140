"""The lattice: free cells, visibility and clearance."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.environment import Environment
from footway.roadmap.lattice.space import Space, make_space, space_of_cells
from tests.oracle.nearest import NearestWall

ROOM = Environment.from_polygons(
    bounds=(0, 0, 12, 8), obstacles=[[(4, 3), (6, 3), (6, 5), (4, 5)]], lines=[[(9, 2), (9, 6)]]
)


@pytest.fixture(scope="module")
def room() -> Space:
    return make_space(ROOM, resolution=0.5, radius=0.5)


class TestPlaces:
    def test_there_and_back(self, room: Space):
        corners = room.corners
        points = room.positions(corners)
        assert points.shape == (len(corners), 2)
        assert (room.corners_of(points) == corners).all()
        assert (room.lattice(points) == corners).all()

    def test_nearest_corner_of_points_outside(self, room: Space):
        assert room.corners_of([(-3, 99)]).tolist() == [[0, 16, 0]]

    def test_three_dimensions(self):
        space = space_of_cells(np.ones((2, 3, 4), bool), resolution=0.5)
        assert space.positions([(4, 3, 2)]).tolist() == [[2.0, 1.5, 1.0]]
        assert len(space.corners) == 3 * 4 * 5
        assert space.corners[1].tolist() == [1, 0, 0]


class TestClearance:
    def test_exact_in_the_plane(self, room: Space):
        judge = NearestWall(ROOM)
        rng = np.random.default_rng(1)
        corners = room.corners
        points = room.positions(corners[rng.integers(0, len(corners), 500)])
        points += rng.uniform(-0.25, 0.25, points.shape)
        found, nearest = room.clearance(points)
        assert found == pytest.approx(np.maximum(0, judge.distance(points) - 0.5), abs=1e-9)
        apart = np.linalg.norm(nearest - points, axis=1)
        assert apart == pytest.approx(judge.distance(points), abs=1e-9)

    def test_agrees_with_the_raster_at_corners(self, room: Space):
        i, j, k = room.corners.T
        found, _ = room.clearance(room.positions(room.corners))
        assert found == pytest.approx(room.corner_clearance[k, j, i], abs=1e-9)

    def test_outside_the_map_all_walls_count(self, room: Space):
        found, nearest = room.clearance([(-3.0, 4.0)])
        assert found.tolist() == [2.5]
        assert nearest.tolist() == [[0.0, 4.0]]

    def test_in_a_volume(self):
        free = np.ones((9, 9, 9), bool)
        free[4, 4, 4] = False
        space = space_of_cells(free, resolution=2.0)
        found, nearest = space.clearance([(9.0, 9.0, 6.5), (1.0, 9.0, 9.0), (9.0, 9.0, 9.0)])
        assert found.tolist() == [1.5, 1.0, 0.0]
        assert nearest.tolist() == [[9.0, 9.0, 8.0], [0.0, 9.0, 9.0], [9.0, 9.0, 9.0]]


class TestLines:
    def test_a_wall_is_hit_where_it_stands(self):
        space = space_of_cells([[True, True, False, True]])
        hits = space.first_hits([(0, 0.5), (0, 0.5), (4, 0.5)], [(4, 0.5), (2, 0.5), (0, 0.5)])
        assert hits == pytest.approx([0.5, 2.0, 0.25])

    def test_between_cells_that_meet_in_a_corner(self):
        space = space_of_cells([[True, False], [False, True]])
        assert space.lines_are_free([(0, 0)], [(2, 2)]).tolist() == [True]
        assert space.lines_are_free([(0, 2)], [(2, 0)]).tolist() == [False]

    def test_along_the_side_of_a_blocked_cell(self):
        space = space_of_cells([[True, True], [False, False]])
        assert space.lines_are_free([(0, 1), (0, 2)], [(2, 1), (2, 2)]).tolist() == [True, False]

    def test_from_outside_the_lattice(self):
        space = space_of_cells(np.ones((3, 3), bool))
        assert space.first_hits([(-1, 1)], [(2, 1)]).tolist() == [0.0]
        assert space.first_hits([(1, 1)], [(4, 1)]) == pytest.approx([2 / 3])

    def test_regions_are_free_lines(self, room: Space):
        corners = room.corners
        points = room.positions(corners)
        for row, eye in zip(room.sees(corners[::97], corners), points[::97], strict=True):
            free = room.lines_are_free(np.broadcast_to(eye, points.shape), points)
            assert (free == row).all()

    def test_no_corners_see_nothing(self, room: Space):
        assert room.sees(room.corners[:0], room.corners).shape == (0, len(room.corners))

    def test_free_lines_keep_the_disc_off_the_walls(self, room: Space):
        import shapely

        rng = np.random.default_rng(2)
        points = room.positions(room.corners)
        a, b = (points[rng.integers(0, len(points), 2000)] for _ in range(2))
        free = room.lines_are_free(a, b)
        lines = shapely.linestrings(np.stack([a, b], axis=1)[free])
        assert 200 < free.sum() < 1800
        assert NearestWall(ROOM).of(lines).min() > 0.5 - 1e-9


def test_too_large_an_object_is_refused():
    with pytest.raises(fw.BadInput, match="fits in no cell"):
        make_space(ROOM, resolution=0.5, radius=5.0)
