"""Zones without walls, and the weight of lines in them, against straight lines one at a time."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway._numba.jit import kernel
from footway.follow.kernels import free_zone as zones
from footway.follow.kernels import miran as weighing
from footway.follow.kernels.layouts import Surroundings
from footway.follow.kernels.visibility import make_workspace
from footway.terrain.cut_route import CutRoute, cut_route
from footway.terrain.kernels.triangles import locate
from footway.terrain.terrain import Terrain

SIGMA = 10.0
NONE = zones.FreeZone()


@kernel
def renewed(x, y, low, high, sigma, around, zone):
    t = locate(x, y, around.mesh)
    return zones.renewed(x, y, t, low, high, 0, sigma, around, zone)


@kernel
def is_open(x, y, low, high, zone):
    return zones.is_open(x, y, low, high, zone)


@kernel
def weigh(lines, limit, least, weights, mesh, out):
    for i in range(len(lines)):
        ax, ay, bx, by = lines[i]
        t = locate(ax, ay, mesh)
        out[i] = weighing.line_cost(ax, ay, bx, by, t, limit, least, weights, mesh)


def made(
    terrain: Terrain,
    cut: CutRoute,
    x: tuple[float, float],
    zone: zones.FreeZone = NONE,
) -> zones.FreeZone:
    mesh = terrain.mesh
    workspace = make_workspace(len(mesh.triangles), len(cut.pieces))
    around = Surroundings(cut, mesh, np.ones(len(terrain.kinds)), workspace)
    return renewed(*x, 0.0, SIGMA, SIGMA, around, zone)


@pytest.fixture(scope="module")
def hall() -> Terrain:
    """A hall of 60 x 40 m with a pillar, and with mud that has corners on whole metres."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 60, 40),
        obstacles=[[(6, 2), (8, 2), (8, 4), (6, 4)]],
        terrain=[("mud", [(20, 10), (30, 10), (30, 20), (25, 14), (20, 20)])],
    )
    return Terrain.build(env, radius=0.0)


class TestZone:
    def test_all_in_it_see_each_other(self, hall):
        cut = cut_route(np.array([[20.0, 20], [30, 22], [34, 30], [20, 34]]), hall.mesh)
        zone = made(hall, cut, (19.0, 21.0))
        end = zone.end
        assert SIGMA < end < cut.length
        random = np.random.default_rng(1)
        places = [tuple(p) for p in random.uniform((10, 10), (45, 38), (1000, 2)).tolist()]
        inside = [p for p in places if is_open(*p, 0.0, end, zone)]
        assert len(inside) > 10
        on_route = [tuple(cut.at(s).tolist()) for s in np.linspace(0.0, end, 20)]
        assert all(hall.sees(p, q) for p in inside for q in on_route)

    def test_holds_what_it_is_made_for_and_no_more_of_the_route(self, hall):
        cut = cut_route(np.array([[20.0, 20], [30, 22], [34, 30], [20, 34]]), hall.mesh)
        zone = made(hall, cut, (19.0, 21.0))
        end = zone.end
        assert is_open(19.0, 21.0, 0.0, SIGMA, zone)
        assert not is_open(19.0, 21.0, 0.0, end + 0.1, zone)
        assert not is_open(59.0, 1.0, 0.0, SIGMA, zone)

    @pytest.mark.parametrize("x", [(5.0, 3.0), (5.0, 1.0), (4.0, 0.1)])
    def test_there_is_none_with_a_wall_in_it(self, hall, x):
        cut = cut_route(np.array([[5.0, 1], [9, 1], [9, 5], [5, 5], [5, 9]]), hall.mesh)
        assert made(hall, cut, x).begin == np.inf

    def test_is_not_tried_again_at_once(self, hall):
        cut = cut_route(np.array([[20.0, 20], [30, 22], [34, 30]]), hall.mesh)
        zone = made(hall, cut, (19.0, 21.0))
        assert zone.begin < np.inf
        zone = made(hall, cut, (19.0, 21.0), zone)
        assert zone.begin == np.inf
        assert not is_open(19.0, 21.0, 0.0, SIGMA, zone)


class TestWeight:
    WEIGHTS = np.array([1.0, 7.0])

    def lines(self, hall: Terrain, count: int = 300) -> np.ndarray:
        """Free lines between whole metres: many go through corners and along sides."""
        random = np.random.default_rng(2)
        ends = random.integers((10, 5, 10, 5), (40, 25, 40, 25), (count, 4)).astype(float)
        return np.ascontiguousarray(ends[hall.trace(ends, self.WEIGHTS)[2] == 2.0])

    def test_is_that_of_the_ground(self, hall):
        lines = self.lines(hall)
        assert len(lines) > 200
        out = np.empty(len(lines))
        weigh(lines, np.inf, 1.0, self.WEIGHTS, hall.mesh, out)
        expected = [hall.weighted_length(line.reshape(2, 2), {"mud": 7.0}) for line in lines]
        np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)

    def test_is_more_than_the_limit_or_exact(self, hall):
        lines = self.lines(hall)
        exact, out = np.empty((2, len(lines)))
        weigh(lines, np.inf, 1.0, self.WEIGHTS, hall.mesh, exact)
        weigh(lines, 25.0, 1.0, self.WEIGHTS, hall.mesh, out)
        over = exact > 25.0
        assert 0 < over.sum() < len(lines)
        assert (out[over] > 25.0).all()
        np.testing.assert_array_equal(out[~over], exact[~over])
