"""What is measured of a finished walk, compared with samples in between."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footway.follow.kernels.discs import least_depth, least_gap


@pytest.mark.parametrize("seed", range(20))
def test_least_gap_to_discs_that_move(seed):
    """Both move at constant velocity between samples: the least is found between them too."""
    rng = np.random.default_rng(seed)
    step, n, m = 0.4, 8, 3
    points = np.cumsum(rng.normal(0, 0.5, (n, 3)), axis=0)
    discs = np.hstack([rng.uniform(-3, 3, (m, 3)), rng.uniform(0.1, 0.5, (m, 1))])
    discs = np.hstack([discs, rng.normal(0, 1, (m, 3))])
    times = np.linspace(0, (n - 1) * step, (n - 1) * 2000 + 1)
    way = np.column_stack([np.interp(times, np.arange(n) * step, points[:, k]) for k in range(3)])
    at = discs[:, None, :3] + times[None, :, None] * discs[:, None, 4:]
    expected = (np.linalg.norm(way - at, axis=2) - discs[:, 3:4]).min()
    assert least_gap(points, step, discs) == pytest.approx(expected, abs=2e-3)


def test_least_gap_by_hand():
    points = np.array([(0.0, 0, 0), (1, 0, 0), (2, 0, 0)])
    passed = np.array([[0.5, 1.0, 0, 0.3, 0, 0, 0]])  # beside the middle of a step
    assert least_gap(points, 0.5, passed) == pytest.approx(0.7)
    follows = np.array([[0.0, 1.0, 0, 0.3, 2, 0, 0]])  # walks beside it all the way
    assert least_gap(points, 0.5, follows) == pytest.approx(0.7)
    meets = np.array([[2.0, 0.0, 0, 0.3, -2, 0, 0]])  # comes the other way
    assert least_gap(points, 0.5, meets) == pytest.approx(-0.3)
    assert least_gap(points, 0.5, np.empty((0, 7))) == math.inf
    alone = points[:1]
    assert least_gap(alone, 0.5, passed) == pytest.approx(math.hypot(0.5, 1.0) - 0.3)


def test_least_room_is_that_of_the_worst_sample_in_its_best_ball():
    balls = np.array([(0.0, 0, 0, 1.0), (1.0, 0, 0, 1.5)])
    points = np.array([(0.0, 0, 0), (0.5, 0, 0), (1, 0, 1.2)])
    assert least_depth(points[:1], balls) == pytest.approx(1.0)
    assert least_depth(points, balls) == pytest.approx(0.3)
    assert least_depth(np.array([(0.0, 3.0, 0)]), balls) == pytest.approx(1.5 - math.sqrt(10))
