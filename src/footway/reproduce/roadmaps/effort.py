"""Sizes of a full and a quick run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        environments: keys of SETTINGS: the four, in the paper's order, the office twice.
        queries: random queries on each roadmap.
        grid_queries: the same on the grid roadmap, which is slow.
        rounds: of all queries.
        tries: random queries of figure 3.

    """

    environments: tuple[str, ...] = ("field", "office", "office-fine", "house", "quake")
    queries: int = 100
    grid_queries: int = 20
    rounds: int = 9
    tries: int = 400


FULL: Final = Effort()

QUICK: Final = Effort(
    environments=("field", "house"), queries=10, grid_queries=2, rounds=1, tries=40
)
