"""Random queries that have an answer, the same in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.errors import NoPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.corridor import CorridorMap


MARGIN = 0.05
"""m. Margin of the disc at the start, at the goal and at the narrowest place, so that rounding
errors never decide whether a query has an answer."""


class Question(NamedTuple):
    """Start and goal, in metres."""

    start: tuple[float, float]
    goal: tuple[float, float]


def random_questions(cmap: CorridorMap, count: int, *, radius: float, seed: int) -> list[Question]:
    """Return random queries on the whole map that have a path for the disc."""
    found: list[Question] = []
    for start, goal in _pairs(cmap, radius + MARGIN, np.random.default_rng(seed)):
        if _connected(cmap, start, goal, radius + MARGIN):
            found.append(Question(start, goal))
        if len(found) == count:
            break
    return found


def _pairs(cmap: CorridorMap, clearance: float, random: np.random.Generator) -> Iterator[Question]:
    """Yield an endless sequence of pairs of points with at least this clearance."""
    x0, y0, x1, y1 = cmap.bounds
    while True:
        points = random.uniform((x0, y0), (x1, y1), (256, 2))
        free = points[cmap.clearance(points) >= clearance].tolist()
        for a, b in zip(free[::2], free[1::2], strict=False):
            yield Question((a[0], a[1]), (b[0], b[1]))


def _connected(
    cmap: CorridorMap, start: tuple[float, float], goal: tuple[float, float], radius: float
) -> bool:
    try:
        return cmap.bottleneck(start, goal).radius >= radius
    except NoPath:
        return False
