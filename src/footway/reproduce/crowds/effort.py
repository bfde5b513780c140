"""Sizes of a full and a quick run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        crowds: numbers of characters in the city.
        beyond: the same in four cities side by side.
        warm: s of simulated time before the load is measured.
        measured: s of simulated time over which it is.
        wanderers: in the city.
        wandering: s that they are watched.
        two_ways: characters in each direction of the corridor.

    """

    crowds: tuple[int, ...] = (100, 300, 1_000, *range(2_000, 10_001, 2_000), 20_000, 30_000)
    beyond: tuple[int, ...] = (50_000, 100_000)
    warm: float = 32.0
    measured: int = 12
    wanderers: int = 3_000
    wandering: float = 600.0
    two_ways: int = 200


FULL: Final = Effort()

QUICK: Final = Effort(
    crowds=(100, 1_000, 3_000),
    beyond=(),
    warm=2.0,
    measured=2,
    wanderers=300,
    wandering=60.0,
    two_ways=40,
)
