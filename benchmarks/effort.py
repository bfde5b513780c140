"""Sizes of a full and a quick run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        repeats: rounds, of which the minimum and the median are reported.
        queries: random queries in the city.
        grid_queries: the first of them, for the grid search, which takes a tenth of a second each.
        batch: queries of one call of `paths`; begins with the same ones.
        compared: random queries that are asked with and without landmarks, which must not matter.
        points: whose clearance is asked in one call.
        sample: the first of them, for Shapely; its times are scaled.
        tilings: maps of the scaling table, smallest first.
        district: columns and rows of the real district, tiled, in the same table.
        district_queries: paths on it.
        crowds: characters, smallest crowd first.
        crowd_steps: of a crowd in a round; a multiple of 32, in which its memory is put in order.
        crowd_peers: largest crowd that peers move too; JuPedSim takes minutes to fill.
    """

    repeats: int = 5
    queries: int = 1_000
    grid_queries: int = 50
    batch: int = 10_000
    compared: int = 20_000
    points: int = 1_000_000
    sample: int = 5_000
    tilings: tuple[str, ...] = ("city", "city:3x3", "city:6x6")
    district: tuple[int, int] = (14, 15)
    district_queries: int = 200
    crowds: tuple[int, ...] = (1_000, 10_000, 100_000, 500_000, 1_000_000)
    crowd_steps: int = 96
    crowd_peers: int = 10_000


FULL = Effort()

QUICK = Effort(
    repeats=2, queries=50, grid_queries=2, batch=500, compared=500, points=50_000, sample=1_000,
    tilings=("city", "city:2x2"), district=(2, 2), district_queries=20, crowds=(300, 3_000),
    crowd_steps=32, crowd_peers=300,
)  # fmt: skip
