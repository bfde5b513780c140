"""Coherent noise: between -1 and 1, smooth, another one for each seed."""

from __future__ import annotations

import numpy as np
import pytest

from footway._numba.jit import kernel
from footway.follow.kernels import forces as noise


@kernel
def along(seed, x, y):
    """Noise at the points (x[k], y[k])."""
    out = np.empty(len(x))
    for k in range(len(x)):
        out[k] = noise.coherent_noise(seed, x[k], y[k])
    return out


@pytest.mark.parametrize("seed", [0, 1, 99, 2**40])
def test_uses_most_of_its_range(seed):
    x, y = np.random.default_rng(1).uniform(-50, 50, (2, 20_000))
    values = along(seed, x, y)
    assert -1 <= values.min() < -0.8
    assert 0.8 < values.max() <= 1
    assert abs(values.mean()) < 0.05
    assert 0.2 < values.std() < 0.5


@pytest.mark.parametrize("seed", range(4))
def test_has_neither_jumps_nor_kinks(seed):
    """Slopes change by as little across the lines of the lattice as elsewhere."""
    gap = 1e-3
    line, still = np.arange(0, 8, gap), np.full(8000, 0.37)
    for values in (along(seed, line, still), along(seed, still, line)):
        slope = np.diff(values) / gap
        assert np.abs(slope).max() < 5
        assert np.abs(np.diff(slope)).max() < 30 * gap


def test_another_seed_gives_other_noise():
    x, y = np.random.default_rng(2).uniform(-50, 50, (2, 2000))
    values = np.array([along(seed, x, y) for seed in range(6)])
    assert np.abs(np.corrcoef(values) - np.eye(6)).max() < 0.15
