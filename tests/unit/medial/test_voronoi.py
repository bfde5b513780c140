"""The Voronoi diagram of walls: its limits and side effects."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import footway as fw
from footway.environment.walls import Walls
from footway.medial.voronoi import diagram


def square(side: float) -> Walls:
    """Walls of a room from (0, 0), free inside."""
    corners = np.array([(0, 0), (side, 0), (side, side), (0, side)], dtype=float)
    segments = np.hstack([corners, np.roll(corners, -1, axis=0)])
    return Walls(segments, np.zeros(4, bool), np.empty((0, 2)))


def test_coordinates_beyond_32_bits_are_refused():
    side = 2 * (2**31 - 2) * 1e-3  # m, so that corners are 2**31 - 2 steps from the middle
    with pytest.raises(fw.BadGeometry, match="wider than 2147 km: cut it into parts"):
        diagram(square(side + 0.01))
    # The four bisectors of the corners meet in the middle.
    middle = diagram(square(side)).vertices
    assert np.abs(middle - side / 2).max(axis=1).min() < 1.0


@pytest.mark.parametrize("is_on", [True, False])
def test_the_garbage_collector_is_left_as_it_was(is_on):
    before = gc.isenabled()
    try:
        (gc.enable if is_on else gc.disable)()
        diagram(square(4.0))
        assert gc.isenabled() == is_on
    finally:
        (gc.enable if before else gc.disable)()


def test_points_and_single_line_walls_are_free_on_both_sides():
    room = square(4.0)
    line = np.array([(1.0, 1.0, 2.0, 1.0)])
    walls = Walls(
        np.vstack([room.segments, line]), np.array([False] * 4 + [True]), np.array([(3.0, 3.0)])
    )
    made = diagram(walls)
    assert made.two_sided[made.is_point].all()
    sites = map(tuple, made.sites.tolist())
    sides = dict(zip(sites, made.two_sided.tolist(), strict=True))
    assert sides[1.0, 1.0, 2.0, 1.0] is True
    assert sides[0.0, 0.0, 4.0, 0.0] is False
