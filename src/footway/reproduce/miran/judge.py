"""Checks of walks along routes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from footway.follow import RouteWalk
    from footway.reproduce.miran.scenes import Row

_CLOSE: Final = 1e-6
"""m. Rounding, for distances of up to a kilometre."""


def faults(walks: Mapping[Row, RouteWalk]) -> list[str]:
    """Return which walks do not arrive, touch a wall, skip too much or are measured wrongly."""
    return [f"{_named(row)}: {words}" for row, walk in walks.items() for words in _of(row, walk)]


def _named(row: Row) -> str:
    return row.name if row.sigma is None else f"{row.name}, sigma {row.sigma:g}"


def _of(row: Row, walk: RouteWalk) -> Iterator[str]:
    missing = math.dist(walk.goal, walk.route.goal)
    if missing > _CLOSE:
        yield f"stops {missing:.3g} m before its goal"
    if walk.clearance < walk.radius - _CLOSE:
        yield f"{walk.clearance:.4f} m from a wall, with a radius of {walk.radius:g} m"
    ahead = float((walk.attractions - walk.references).max())
    if row.sigma is not None and ahead > row.sigma + _CLOSE:
        yield f"is drawn to a point {ahead:.2f} m ahead on the route"
    if np.diff(walk.references).min() < -_CLOSE:
        yield "its reference point moves back"
    off = abs(sum(walk.measure().values()) - walk.length)
    if off > _CLOSE * max(1.0, walk.length):
        yield f"metres by kind of ground are {off:.2g} m off its length"
    if not _is_free(walk):
        yield "crosses an obstacle, by Shapely"


def _is_free(walk: RouteWalk) -> bool:
    """Whether the walk is in walkable space by Shapely; it may run along walls."""
    line = shapely.linestrings(walk.points)
    walkable = shapely.buffer(walk.route.terrain.environment.walkable, 10.0 * _CLOSE)
    return bool(shapely.covers(walkable, line))


def verdict(walks: Sequence[RouteWalk]) -> str:
    """Describe how many walks arrive, and their other properties."""
    return (
        f"{len(walks)} walks arrive, by Shapely none crosses an obstacle, no reference point moves "
        "back, none is drawn to a point more than sigma ahead, and metres by kind of ground add up"
    )
