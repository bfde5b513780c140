"""Dynamic discs: predicted positions and steps that stop before them, checked by sampling."""

from __future__ import annotations

import numpy as np
import pytest

from footway._numba.jit import kernel
from footway.follow.kernels import discs as ways

SAMPLES = np.linspace(0, 1, 20_001)


@kernel
def position_to_avoid(x, v, time, i, discs):
    return ways.position_to_avoid(x, v, time, i, discs)


@kernel
def until_disc(x, to, r, time, discs):
    return ways.until_disc(x, to, r, time, discs)


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
    way = np.array(x[:2]) + SAMPLES[:, None] * (np.array(to) - x)[:2]
    gaps = np.linalg.norm(way[:, None] - at, axis=2) - discs[:, 3] - r
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
    later = ways.FORESIGHT * SAMPLES[:, None]
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
