"""The forces of the Corridor Map Method, in the papers' notation, and coherent noise.

Vectors are tuples of three numbers; in two dimensions the third is 0. `e` is the unit vector from
the character to its attraction point, `d` the distance between them, R the radius of the attraction
point's ball and r that of the character. Forces have no unit in the papers; F_0 is at most 1, and
the others are relative to it.

The noise is that of Perlin (SIGGRAPH 1985), from a counter-based hash: no tables, any seed.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner
from footway._numba.math import hypot, sincos
from footway.follow.kernels.layouts import INSIDE
from footway.follow.kernels.vectors import dot, minus, moved, scaled, size, unit

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


NEAREST = 1e-3  # m, gap to a disc below which its force is constant


@inner
def attraction(e, d, R, r):
    """F_0 (cmm-2007, after definition 5): f = 1 / (R - r - d) - 1 / (R - r), at most 1.

    The attraction point is the furthest one whose ball holds the character, so the character is
    always near the rim of that ball, where f depends on the sampling of the backbone. The clamp
    makes the sum independent of the sampling.
    """
    rim, reach = R - r - d, R - r
    f = 1.0
    if d < rim * reach:  # f < 1, without a division
        f = 1.0 / rim - 1.0 / reach
    return scaled(e, f)


@inner
def published_attraction(e, d, R, r):
    """F_0 as published: infinite at the rim of the ball."""
    return scaled(e, 1.0 / max(R - r - d, INSIDE) - 1.0 / (R - r))


@inner
def shortening(x, target):
    """F_s (cmm-2007, creating shorter paths): a unit pull toward alpha(x, dt)."""
    return unit(minus(target, x))


@inner
def random_bias(e, alpha, c_rand, wavelength, seed):
    """F_rand (cmm-crowds-2008, section 3): e rotated by coherent noise at the attraction point."""
    z = alpha[2]
    value = coherent_noise(seed, (alpha[0] + z) / wavelength, (alpha[1] + z) / wavelength)
    sine, cosine = sincos(0.5 * math.pi * value)
    return moved(scaled(e, c_rand * cosine), c_rand * sine, left_of(e))


@inner
def lane_bias(e, d, R, r, k):
    """F_perp (cmm-crowds-2008, section 3): c_perp = k (R - 2 r) / d to the left of e."""
    return scaled(left_of(e), k * max(0.0, R - 2.0 * r) / max(d, NEAREST))


@inner
def corner_bias(e, ahead, c):
    """Anticipate a corner: the component of the backbone's direction ahead across e.

    cmm-crowds-2008, section 3, third method: a positive c cuts corners, a negative one takes them
    wide.
    """
    return scaled(minus(ahead, scaled(e, dot(ahead, e))), c)


@inner
def repulsion(x, o, o_radius, r, k):
    """F_i (cmm-2007, adding forces): f = k / (d_i - r_i - r) away from a disc."""
    away = minus(x, o)
    distance = size(away)
    if distance == 0.0:
        return 0.0, 0.0, 0.0
    return scaled(away, k / max(distance - o_radius - r, NEAREST) / distance)


@inner
def left_of(e):
    """Unit vector to the left of e in the plane; horizontal in 3D."""
    across = hypot(e[0], e[1])
    if across < 1e-12:
        return 1.0, 0.0, 0.0
    return -e[1] / across, e[0] / across, 0.0
