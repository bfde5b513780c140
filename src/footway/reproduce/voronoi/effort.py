"""Sizes of a full and a quick run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        environments: two-dimensional maps of the gallery.
        builds: rounds of building all roadmaps.
        queries: random queries on a roadmap.
        rounds: of all queries.

    """

    environments: tuple[str, ...] = (
        "field", "game", "mckenna", "mckenna-road", "office", "forest", "city",
    )  # fmt: skip
    builds: int = 5
    queries: int = 1_000
    rounds: int = 7


FULL: Final = Effort()

QUICK: Final = Effort(environments=("field", "office"), builds=1, queries=40, rounds=2)
