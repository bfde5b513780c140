"""Closest points, feet and lengths of parabolas, compared with Shapely and with sums."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from footway._numba.segments import (
    closest_points,
    cross,
    dot,
    foot_parameter,
    parabola_length,
)


def test_closest_points_are_those_of_shapely():
    rng = np.random.default_rng(0)
    points, segments = rng.uniform(-5, 5, (500, 2)), rng.uniform(-5, 5, (500, 4))
    segments[:20, 2:] = segments[:20, :2]  # some have no length
    found = closest_points(points, segments)
    lines = shapely.linestrings(segments.reshape(-1, 2, 2))
    apart = shapely.distance(shapely.points(points), lines)
    assert np.hypot(*(points - found).T) == pytest.approx(apart, abs=1e-12)
    assert shapely.distance(shapely.points(found), lines).max() < 1e-12


def test_products_and_feet_by_hand():
    a, b = np.array([(2.0, 0.0), (1.0, 2.0)]), np.array([(3.0, 4.0), (-2.0, 1.0)])
    assert dot(a, b).tolist() == [6, 0]
    assert cross(a, b).tolist() == [8, 5]
    segments = np.array([(1.0, 1.0, 1.0, 5.0), (1.0, 1.0, 1.0, 5.0), (2.0, 2.0, 2.0, 2.0)])
    feet = foot_parameter(np.array([(9.0, 4.0), (-9.0, -2.0), (7.0, 7.0)]), segments)
    assert feet.tolist() == [3, -3, 0]


@pytest.mark.parametrize("focal", [0.1, 1.0, 7.0])
@pytest.mark.parametrize(("start", "end"), [(0, 3), (-2, 3), (3, -2), (1, 1)])
def test_length_of_a_parabola(focal, start, end):
    x = np.linspace(start, end, 100_001)
    y = x**2 / (2 * focal) + focal / 2
    expected = np.hypot(np.diff(x), np.diff(y)).sum()
    found = parabola_length(np.array([focal]), np.array([float(start)]), np.array([float(end)]))
    assert found[0] == pytest.approx(expected, rel=1e-8, abs=1e-12)
