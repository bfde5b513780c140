"""Reachability regions block by block, against one line for each corner."""

from __future__ import annotations

import numpy as np
import pytest

from footway.roadmap.lattice.rrm import _nearest_obstacles, reachability_regions, unpacked
from footway.roadmap.lattice.space import Space, space_of_cells


def noise(seed: int, shape: tuple[int, ...], share: float) -> Space:
    return space_of_cells(np.random.default_rng(seed).random(shape) > share)


def boxes(seed: int, shape: tuple[int, ...], count: int) -> Space:
    random, free = np.random.default_rng(seed), np.ones(shape, bool)
    for _ in range(count):
        low = random.integers(0, shape)
        high = low + random.integers(1, 12, len(shape))
        free[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] = False
    return space_of_cells(free)


SPACES = {
    "noise in the plane": lambda seed: noise(seed, (31, 38), 0.1),
    "noise": lambda seed: noise(seed, (14, 17, 21), 0.04),
    "dense noise": lambda seed: noise(seed, (9, 18, 18), 0.3),
    "boxes in the plane": lambda seed: boxes(seed, (50, 60), 12),
    "boxes": lambda seed: boxes(seed, (36, 24, 40), 12),
    "no obstacle": lambda _: space_of_cells(np.ones((18, 20, 22), bool)),
}


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("seed", range(3))
def test_a_region_is_what_lines_reach(name, seed):
    space = SPACES[name](seed)
    corners = space.corners
    sources = corners[np.random.default_rng(seed).integers(0, len(corners), 6)]
    lines = space.sees(sources, corners)
    for row, want in zip(reachability_regions(space, sources), lines, strict=True):
        assert (unpacked(row, len(corners)) == want).all()


@pytest.mark.parametrize("name", ["noise", "dense noise", "boxes", "no obstacle"])
def test_nearest_obstacles_of_corners_are_those_of_points(name):
    space = SPACES[name](1)
    i, j, k = space.corners.T
    want = space.lattice(space.clearance(space.positions(space.corners))[1])
    assert (_nearest_obstacles(space)[k, j, i] == want).all()
