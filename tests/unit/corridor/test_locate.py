"""Retraction of points onto the medial axis, where it is most sensitive to rounding."""

from __future__ import annotations

import numpy as np

import footway as fw
from tests.oracle.clearance import clearance


def test_a_point_next_to_a_corner_retracts_to_the_axis():
    """The corner's part of the axis ends 25 m away, in the direction of the wall's normal.

    From there on a direction that is off by a millionth of a radian, as rounding makes it next to
    the corner, would lead metres past its end.
    """
    walls = np.array([[(0, 50.001), (49.999, 50)], [(50, 50), (100, 50.001)]])
    room = fw.Environment.from_polygons(bounds=(0, 0, 100, 100), lines=walls.tolist())
    corner, along = walls[0, 1], walls[0, 1] - walls[0, 0]
    normal = np.array([-along[1], along[0]]) / np.linalg.norm(along)
    rng = np.random.default_rng(1)
    distance, aside = 10.0 ** rng.uniform(-8.9, -5.0, 1000), rng.normal(size=1000) * 1e-7
    sides = normal + aside[:, None] * along / np.linalg.norm(along)
    found = fw.CorridorMap.build(room).locate(corner + distance[:, None] * sides)
    assert (found.piece >= 0).all()
    frame = [(0, 0, 100, 0), (100, 0, 100, 100), (100, 100, 0, 100), (0, 100, 0, 0)]
    truth = clearance(found.position, np.concatenate([walls.reshape(-1, 4), frame]))
    np.testing.assert_allclose(found.clearance, truth, atol=1e-6)
