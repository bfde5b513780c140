"""Checks of walks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from footway.follow import Walk

_CLOSE: Final = 1e-6
"""m. Rounding, for distances of up to a kilometre."""


def faults(walks: Iterable[Walk], what: str) -> list[str]:
    """Return which walks do not arrive, touch a wall or touch a dynamic obstacle."""
    return [f"{what}, walk {k}: {words}" for k, walk in enumerate(walks) for words in _of(walk)]


def _of(walk: Walk) -> Iterator[str]:
    missing = math.dist(walk.points[-1].tolist(), walk.corridor.goal)
    if missing > _CLOSE:
        yield f"stops {missing:.3g} m before its goal"
    if walk.clearance < walk.radius - _CLOSE:
        yield f"{walk.clearance:.4f} m from a wall, with a radius of {walk.radius:g} m"
    if walk.gap < -_CLOSE:
        yield f"{-walk.gap:.4f} m into a dynamic obstacle"


def verdict(walks: Sequence[Walk]) -> str:
    """Describe how many walks arrive, and the least distances of their discs."""
    clearance = min(walk.clearance - walk.radius for walk in walks)
    words = f"{len(walks):,} walks arrive, {clearance:.3f} m or more between disc and wall"
    gap = min(walk.gap for walk in walks)
    return f"{words}, {gap:.3f} m or more between disc and obstacle" if gap < math.inf else words
