"""Sizes of a full and a quick run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        rounds: of a batch of queries.
        single_rounds: of a single query, which takes less than a millisecond.
        queries: random queries of batch 1.
        discs: numbers of dynamic obstacles of batch 2.
        placements: of ten dynamic obstacles, to count how often a walk gets through.
        city_queries: random queries in the city.
        variations: random walks through one corridor.

    """

    rounds: int = 9
    single_rounds: int = 51
    queries: int = 100
    discs: tuple[int, ...] = tuple(range(11))
    placements: int = 40
    city_queries: int = 1_000
    variations: int = 100


FULL: Final = Effort()

QUICK: Final = Effort(
    rounds=1,
    single_rounds=3,
    queries=10,
    discs=(0, 5, 10),
    placements=4,
    city_queries=30,
    variations=20,
)
