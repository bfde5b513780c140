"""Random numbers that are the same on every machine and with every version of NumPy.

NumPy guarantees that a seed always gives the same raw 64-bit numbers of PCG64. There is no such
guarantee for `Generator` and its distributions, some of which call the C library's exp and log. So
only raw numbers come from NumPy, and everything else is computed from them here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import cos, log, sin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Floats, Ints


class RandomStream:
    """Random numbers in the order in which they are drawn, the same for the same seed.

    Args:
        seed: a non-negative integer, or several.

    Example:
        >>> RandomStream(7).uniform(2)
        array([0.62509547, 0.8972138 ])
    """

    def __init__(self, seed: int | Sequence[int]) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed))

    def uniform(self, *shape: int) -> Floats:
        """Return numbers in [0, 1), in an array of this shape."""
        raw = self._bits.random_raw(math.prod(shape)) >> np.uint64(11)
        numbers: Floats = raw.astype(np.float64) * 2.0**-53
        return numbers.reshape(shape)

    def between(self, low: float, high: float) -> float:
        """Return a number in [low, high)."""
        return low + (high - low) * float(self.uniform(1)[0])

    def normal(self, count: int) -> Floats:
        """Return standard normal numbers (count,), by the method of Box and Muller."""
        pairs = (count + 1) // 2
        first, second = self.uniform(2, pairs)
        radius = np.sqrt(-2.0 * log(1.0 - first))
        angle = 2.0 * math.pi * second
        return np.concatenate([radius * cos(angle), radius * sin(angle)])[:count]

    def integers(self, bound: int, count: int) -> Ints:
        """Return integers (count,) from 0 to bound - 1."""
        return np.floor(self.uniform(count) * bound).astype(np.int64)

    def permutation(self, count: int) -> Ints:
        """Return the numbers 0 to count - 1 in random order, (count,)."""
        return np.argsort(self._bits.random_raw(count), kind="stable").astype(np.int64)
