"""What a corridor of balls holds: every ball is tested, nothing clever.

Balls are an (n, d + 1) array of centres and radii in metres, in two or three dimensions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import shapely

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    import footway as fw

    Floats = NDArray[np.float64]
    Disc = tuple[float, float, float]

QUAD_SEGS = 64
"""Chords per quarter circle: a chord lies 0.008 % of the radius inside its arc."""


def balls_of(corridor: fw.Corridor) -> Floats:
    """Centres and radii, (n, d + 1) m."""
    return np.column_stack([corridor.backbone, corridor.radii])


def depth(points: ArrayLike, balls: Floats, radius: float) -> Floats:
    """How deep discs of this radius are inside some ball; (m,) m, negative outside of all."""
    xs = np.asarray(points, dtype=float)
    gap = xs[:, None, :] - balls[:, :-1]
    return np.asarray((balls[:, -1] - radius - np.linalg.norm(gap, axis=2)).max(axis=1))


def line_depth(a: ArrayLike, b: ArrayLike, balls: Floats, radius: float, *, count: int) -> float:
    """Least depth of a disc that moves straight from a to b, at `count` + 1 places of it."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    share = np.linspace(0.0, 1.0, count + 1)[:, None]
    return float(depth(a + share * (b - a), balls, radius).min())


def room(corridor: fw.Corridor, radius: float) -> shapely.Geometry:
    """Where the centre of a disc may be in a corridor of the plane: the union of shrunken balls."""
    inside = corridor.radii > radius
    centres = shapely.points(corridor.backbone[inside])
    return shapely.union_all(
        shapely.buffer(centres, corridor.radii[inside] - radius, quad_segs=QUAD_SEGS)
    )


def is_open(
    corridor: fw.Corridor, discs: Iterable[Disc], radius: float, *, margin: float = 0.0
) -> bool:
    """Whether a disc gets from start to goal between other discs, without leaving the corridor.

    With a margin in metres both the corridor and the gaps must be that much wider on either side.
    """
    free = room(corridor, radius + margin)
    for x, y, size in discs:
        free = free.difference(
            shapely.Point(x, y).buffer(
                (size + radius + margin) / math.cos(math.pi / 256), quad_segs=QUAD_SEGS
            )
        )
    ends = [shapely.Point(corridor.start), shapely.Point(corridor.goal)]
    # An end that is tighter than the margin counts as the nearest place that is not.
    return any(
        all(part.distance(end) <= 2 * margin + 1e-6 for end in ends)
        for part in shapely.get_parts(free)
    )
