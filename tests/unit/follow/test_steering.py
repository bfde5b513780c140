"""Steps that meet a wall go on along it."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway._numba.jit import kernel
from footway.follow.kernels import steering as sliding
from footway.terrain.kernels.triangles import FREE, locate
from footway.terrain.terrain import Terrain


@kernel
def slide(x, y, to_x, to_y, weights, mesh):
    return sliding.slide(x, y, to_x, to_y, locate(x, y, mesh), weights, mesh)


@pytest.fixture(scope="module")
def room() -> Terrain:
    return Terrain.build(fw.Environment.from_polygons(bounds=(0, 0, 10, 8)), radius=0.0)


@pytest.mark.parametrize("seed", range(10))
def test_ends_where_the_step_ends_beside_the_wall(room, seed):
    """In a room whose two triangles have two walls each, also near its corners."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        start = rng.uniform((0.2, 0.2), (9.8, 7.8))
        step = rng.uniform(-3, 3, 2)
        end = start + step
        out = np.array([not 0 < end[0] < 10, not 0 < end[1] < 8])
        if out.all():
            continue  # a second wall ends the step
        *at, _, met = slide(*start, *end, np.ones(1), room.mesh)
        expected = np.clip(end, 0, (10, 8))
        assert at == pytest.approx(expected, abs=1e-6)
        wall = np.where(step > 0, (10, 8), (0, 0))
        share = ((wall - start) / step)[out]
        assert met == pytest.approx(share[0] if out.any() else FREE, abs=1e-6)
        assert (np.array(at) >= 0).all()
        assert (np.array(at) <= (10, 8)).all()
