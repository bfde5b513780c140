"""Coherent noise (Perlin, SIGGRAPH 1985), from a counter-based hash: no tables, any seed."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner

STEEPEST = 0.70710678  # greatest value of two-dimensional noise with unit gradients
SLOPES = np.array([
    (0.9950041652780258, 0.09983341664682815), (0.8810593885167033, 0.4730056594868321),
    (0.6329813066769582, 0.7741670784769464), (0.2885375588854799, 0.9574685776109878),
    (-0.09983341664682815, 0.9950041652780258), (-0.4730056594868321, 0.8810593885167033),
    (-0.7741670784769464, 0.6329813066769582), (-0.9574685776109878, 0.2885375588854799),
    (-0.9950041652780258, -0.09983341664682815), (-0.8810593885167033, -0.4730056594868321),
    (-0.6329813066769582, -0.7741670784769464), (-0.2885375588854799, -0.9574685776109878),
    (0.09983341664682815, -0.9950041652780258), (0.4730056594868321, -0.8810593885167033),
    (0.7741670784769464, -0.6329813066769582), (0.9574685776109878, -0.2885375588854799),
])  # fmt: skip
"""Unit gradients to choose from: cosine and sine of 0.1 + k pi / 8."""


@inner
def mix(seed, i, j):
    """Hash a seed and two integers to 64 bits (splitmix64)."""
    z = (
        np.uint64(seed)
        + np.uint64(i) * np.uint64(0x9E3779B97F4A7C15)
        + np.uint64(j) * np.uint64(0xC2B2AE3D27D4EB4F)
    )
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inner
def _pull(seed, i, j, dx, dy):
    """Contribution of lattice point (i, j) at an offset from it."""
    k = mix(seed, i, j) >> np.uint64(60)
    return SLOPES[k, 0] * dx + SLOPES[k, 1] * dy


@inner
def _fade(t):
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0)


@inner
def coherent_noise(seed, x, y):
    """Smooth noise between -1 and 1; features are about one unit wide.

    The lattice points, where the noise is 0, are shifted for each seed.
    """
    x += (mix(seed, 0, 1) >> np.uint64(40)) / 16777216.0
    y += (mix(seed, 1, 0) >> np.uint64(40)) / 16777216.0
    fx, fy = math.floor(x), math.floor(y)
    i, j, dx, dy = np.int64(fx), np.int64(fy), x - fx, y - fy
    u, v = _fade(dx), _fade(dy)
    low = _pull(seed, i, j, dx, dy)
    low += u * (_pull(seed, i + 1, j, dx - 1.0, dy) - low)
    high = _pull(seed, i, j + 1, dx, dy - 1.0)
    high += u * (_pull(seed, i + 1, j + 1, dx - 1.0, dy - 1.0) - high)
    return min(1.0, max(-1.0, (low + v * (high - low)) / STEEPEST))
