"""Dynamic discs: predicted positions, steps that stop before them, gaps; checked by sampling."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footway._numba.jit import kernel
from footway.follow.kernels import discs as kernels
from footway.follow.kernels.discs import least_depth, least_gap

SAMPLES = np.linspace(0, 1, 20_001)


@kernel
def position_to_avoid(x, v, time, i, discs):
    return kernels.position_to_avoid(x, v, time, i, discs)


@kernel
def until_disc(x, to, r, time, discs):
    return kernels.until_disc(x, to, r, time, discs)


def some(rng, count, speed):
    """Discs (m, 7) around the origin."""
    discs = np.zeros((count, 7))
    discs[:, :2], discs[:, 3] = rng.uniform(-2, 2, (count, 2)), rng.uniform(0.05, 0.3, count)
    discs[:, 4:6] = rng.normal(0, speed, (count, 2))
    return discs


@pytest.mark.parametrize("seed", range(30))
def test_a_step_stops_where_it_touches_a_disc(seed):
    rng = np.random.default_rng(seed)
    x, to = (tuple(rng.uniform(-2, 2, 3) * (1, 1, 0)) for _ in range(2))
    discs, r, time = some(rng, 4, 0.5), 0.2, 0.7
    at = discs[:, :2] + time * discs[:, 4:6]
    line = np.array(x[:2]) + SAMPLES[:, None] * (np.array(to) - x)[:2]
    gaps = np.linalg.norm(line[:, None] - at, axis=2) - discs[:, 3] - r
    comes_nearer = np.einsum("ij,j->i", np.array(x[:2]) - at, (np.array(to) - x)[:2]) < 0
    touched = SAMPLES[(gaps[:, comes_nearer] < 0).any(axis=1)]
    expected = touched[0] if len(touched) else 1.0
    assert until_disc(x, to, r, time, discs) == pytest.approx(expected, abs=1e-4)


def test_a_step_away_from_a_disc_is_free():
    disc = np.array([[0.0, 0, 0, 0.3, 0, 0, 0]])
    assert until_disc((0.4, 0.0, 0.0), (1.0, 0.0, 0.0), 0.25, 0.0, disc) == 1.0
    toward = until_disc((0.6, 0.0, 0.0), (0.0, 0.0, 0.0), 0.25, 0.0, disc)
    assert toward == pytest.approx(0.05 / 0.6)


@pytest.mark.parametrize("seed", range(30))
def test_a_disc_that_moves_counts_where_it_comes_closest_within_a_while(seed):
    rng = np.random.default_rng(seed)
    x, v = (tuple(rng.normal(0, 1, 3) * (1, 1, 0)) for _ in range(2))
    discs, time = some(rng, 1, 1.0), 0.4
    later = kernels.FORESIGHT * SAMPLES[:, None]
    there = discs[0, :2] + (time + later) * discs[0, 4:6]
    vectors = np.array(x[:2]) + later * np.array(v[:2]) - there  # from the disc to the character
    closest = vectors[np.linalg.norm(vectors, axis=1).argmin()]
    met = np.array(position_to_avoid(x, v, time, 0, discs))
    assert (np.array(x) - met)[:2] == pytest.approx(closest, abs=1e-3)
    gap = np.linalg.norm(closest)
    assert np.linalg.norm(np.array(x) - met) == pytest.approx(gap, abs=1e-6)


def test_the_position_to_avoid_is_relative_to_the_character():
    """A disc crosses before a character that walks: it passes behind the disc, not before it."""
    crossing = np.array([[1.0, 1.0, 0, 0.3, 0, -1.0, 0]])  # both meet at (1, 0) after a second
    met = position_to_avoid((0.0, 0.1, 0.0), (1.0, 0.0, 0.0), 0.0, 0, crossing)
    at_meeting = np.array((0.95, 0.1)) - (1.0, 0.05)  # after 0.95 s they are closest
    assert np.array((0.0, 0.1)) - met[:2] == pytest.approx(at_meeting)


def test_a_disc_that_stands_counts_where_it_is():
    disc = np.array([[2.0, 1.0, 0, 0.3, 0, 0, 0]])
    assert position_to_avoid((0.0, 0.0, 0.0), (1.0, 0.5, 0.0), 3.0, 0, disc) == (2.0, 1.0, 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_least_gap_to_discs_that_move(seed):
    """Both move at constant velocity between samples: the least is found between them too."""
    rng = np.random.default_rng(seed)
    step, n, m = 0.4, 8, 3
    points = np.cumsum(rng.normal(0, 0.5, (n, 3)), axis=0)
    discs = np.hstack([rng.uniform(-3, 3, (m, 3)), rng.uniform(0.1, 0.5, (m, 1))])
    discs = np.hstack([discs, rng.normal(0, 1, (m, 3))])
    times = np.linspace(0, (n - 1) * step, (n - 1) * 2000 + 1)
    line = np.column_stack([np.interp(times, np.arange(n) * step, points[:, k]) for k in range(3)])
    at = discs[:, None, :3] + times[None, :, None] * discs[:, None, 4:]
    expected = (np.linalg.norm(line - at, axis=2) - discs[:, 3:4]).min()
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


def test_least_depth_is_that_of_the_worst_sample_in_its_best_ball():
    balls = np.array([(0.0, 0, 0, 1.0), (1.0, 0, 0, 1.5)])
    points = np.array([(0.0, 0, 0), (0.5, 0, 0), (1, 0, 1.2)])
    assert least_depth(points[:1], balls) == pytest.approx(1.0)
    assert least_depth(points, balls) == pytest.approx(0.3)
    assert least_depth(np.array([(0.0, 3.0, 0)]), balls) == pytest.approx(1.5 - math.sqrt(10))
