"""Sizes of a full and a quick run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        rounds: of each row of table 1.
        queries: random routes in the city.
        laps: of all these queries.

    """

    rounds: int = 50
    queries: int = 300
    laps: int = 5


FULL: Final = Effort()

QUICK: Final = Effort(rounds=3, queries=20, laps=2)
