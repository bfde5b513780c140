"""Many points at a time, on several threads, are located as a few of them are."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw


@pytest.mark.parametrize("count", [0, 1, 1024, 1025, 5000])
def test_many_points_are_located_as_few_are(count):
    cmap = fw.CorridorMap.build(fw.load("gallery:field"))
    points = np.random.default_rng(1).uniform((0, 0), (50, 50), (count, 2))
    clearance, location = cmap.clearance(points), cmap.locate(points)
    assert clearance.shape == location.piece.shape == (count,)
    for first in range(0, count, 100):
        some = slice(first, first + 100)
        assert np.array_equal(clearance[some], cmap.clearance(points[some]))
        for many, few in zip(location, cmap.locate(points[some]), strict=True):
            assert np.array_equal(many[some], few, equal_nan=True)
