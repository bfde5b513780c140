"""What is seen of a route, against one straight line at a time (tests/oracle/miran.py)."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway._numba.jit import kernel
from footway.follow.kernels import visibility as sight
from footway.follow.kernels.layouts import Surroundings
from footway.terrain.cut_route import CutRoute, cut_route
from footway.terrain.kernels.triangles import locate
from footway.terrain.terrain import Terrain
from tests.oracle import miran as oracle


@kernel
def see(x, y, low, high, around):
    k, lengths = 0, around.route.lengths
    while k + 2 < len(lengths) and lengths[k + 1] <= low:
        k += 1
    return sight.see(x, y, locate(x, y, around.mesh), low, high, k, around)[0]


def seen(
    x: tuple[float, float], cut: CutRoute, terrain: Terrain, low: float = 0.0, high: float = 1e9
) -> list[tuple[float, float]]:
    workspace = sight.make_workspace(len(terrain.mesh.triangles), len(cut.pieces))
    at = float(x[0]), float(x[1])  # kernels are compiled anew for whole numbers
    around = Surroundings(cut, terrain.mesh, np.ones(len(terrain.kinds)), workspace)
    count = see(*at, low, float(min(high, cut.length)), around)
    return [(a, b) for a, b in workspace.intervals[:count].tolist()]


@pytest.fixture(scope="module")
def pillars() -> Terrain:
    """A hall of 20 x 10 m with two pillars of 2 x 2 m."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 10),
        obstacles=[
            [(6, 2), (8, 2), (8, 4), (6, 4)],
            [(12, 6), (14, 6), (14, 8), (12, 8)],
        ],
    )
    return Terrain.build(env, radius=0.0)


@pytest.fixture(scope="module")
def screen() -> Terrain:
    """A room with a wall of no thickness that ends in the middle."""
    env = fw.Environment.from_polygons(bounds=(0, 0, 10, 10), lines=[[(5, 0), (5, 5)]])
    return Terrain.build(env, radius=0.0)


class TestSeen:
    def test_is_all_in_an_empty_room(self):
        terrain = Terrain.build(fw.Environment.from_polygons(bounds=(0, 0, 9, 9)), radius=0.0)
        cut = cut_route(np.array([[1.0, 1], [8, 1], [8, 8], [1, 8], [5, 3]]), terrain.mesh)
        assert seen((3, 4), cut, terrain) == [(0.0, pytest.approx(cut.length))]

    def test_is_what_no_pillar_hides(self, pillars):
        cut = cut_route(np.array([[10.0, 0.5], [10, 9.5]]), pillars.mesh)
        # From (4, 3) the pillar hides the cone between its near corners, slopes -1/2 and 1/2.
        assert seen((4, 3), cut, pillars) == [(pytest.approx(5.5), pytest.approx(9.0))]

    def test_begins_and_ends_with_the_window(self, pillars):
        cut = cut_route(np.array([[1.0, 5], [19, 5]]), pillars.mesh)
        assert seen((1, 5), cut, pillars, 3.0, 7.0) == [(pytest.approx(3), pytest.approx(7))]

    def test_goes_along_a_wall(self, pillars):
        cut = cut_route(np.array([[5.0, 4], [19, 4]]), pillars.mesh)
        assert seen((2, 4), cut, pillars) == [(pytest.approx(0.0), pytest.approx(14.0))]

    def test_stops_at_a_wall_without_thickness(self, screen):
        cut = cut_route(np.array([[6.0, 0.5], [6, 9.5]]), screen.mesh)
        assert seen((4, 4), cut, screen) == [(pytest.approx(5.5), pytest.approx(9.0))]

    def test_from_the_wall_itself(self, screen):
        cut = cut_route(np.array([[6.0, 1], [6, 9]]), screen.mesh)
        assert seen((5, 5), cut, screen) == [(pytest.approx(0.0), pytest.approx(8.0))]

    def test_of_a_route_that_crosses_itself(self, pillars):
        points = np.array([[1.0, 1], [10, 9], [10, 1], [4, 1], [4, 9], [11, 4], [16, 4], [18, 9]])
        cut = cut_route(points, pillars.mesh)
        world = oracle.World.of(pillars.mesh, np.ones(1))
        route = oracle.Route(points)
        for x in ((2.0, 5.0), (9.0, 5.0), (16.0, 2.0), (19.5, 9.5)):
            expected = oracle.visible_intervals(np.array(x), route, 0.0, route.length, world)
            np.testing.assert_allclose(seen(x, cut, pillars), expected, atol=1e-6)

    def test_says_when_memory_is_too_small(self, pillars):
        cut = cut_route(np.array([[1.0, 1], [19, 9]]), pillars.mesh)
        small = sight.make_workspace(1, 0)._replace(intervals=np.empty((4, 2)))
        around = Surroundings(cut, pillars.mesh, np.ones(1), small)
        count = see(1.0, 1.0, 0.0, cut.length, around)
        assert count in (sight.TOO_MUCH, 1)
