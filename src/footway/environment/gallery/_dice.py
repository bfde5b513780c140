"""Random numbers of the gallery: a fixed stream of uniform numbers."""

from __future__ import annotations

import numpy as np


class Dice:
    """A reproducible stream of uniform numbers.

    Only raw 64-bit numbers of PCG64 are used: NumPy guarantees that stream across versions, but
    not `Generator` and its distributions.
    """

    def __init__(self, seed: int) -> None:
        self._stream = np.random.PCG64(seed)

    def between(self, low: float, high: float) -> float:
        """Uniform number in [low, high)."""
        share = (int(self._stream.random_raw()) >> 11) * 2.0**-53
        return low + (high - low) * share
