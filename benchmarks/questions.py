"""Random points and queries, the same in every run and for every library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Query = tuple[tuple[float, float], tuple[float, float]]


def points_in(area: shapely.Geometry, count: int, *, seed: int) -> Floats:
    """Return uniform random points in an area, (count, 2) m."""
    rng = np.random.default_rng(seed)
    xmin, ymin, xmax, ymax = area.bounds
    shapely.prepare(area)
    kept: list[Floats] = []
    while sum(map(len, kept)) < count:
        xy = rng.uniform((xmin, ymin), (xmax, ymax), size=(count + 100, 2))
        kept.append(xy[shapely.contains_xy(area, xy)])
    return np.ascontiguousarray(np.vstack(kept)[:count])


def queries_in(area: shapely.Geometry, count: int, *, seed: int) -> list[Query]:
    """Return pairs of start and goal; a smaller number gives a prefix of a larger one."""
    starts = points_in(area, count, seed=seed).tolist()
    goals = points_in(area, count, seed=seed + 1).tolist()
    return [(tuple(start), tuple(goal)) for start, goal in zip(starts, goals, strict=True)]
