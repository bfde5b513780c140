"""Parts of the tiled city with the area that a crowd needs for a fixed density."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely

import footway as fw
from benchmarks.checks import WrongAnswer
from benchmarks.timing import stopwatch
from footway.environment import Environment, gallery

if TYPE_CHECKING:
    from footway import CorridorMap

DENSITY = 0.1
"""Characters for each free m2."""

TILE = 500.0
TILE_FREE = 134_900.0
"""m and m2. Side and free ground of one city."""

STREET = 4.0
"""m. Free ground along the bounds, as the city has it."""


@dataclass(frozen=True)
class Scene:
    """A square part of the tiled city."""

    count: int  # characters
    env: Environment
    area: shapely.Polygon  # the free ground in one piece
    cmap: CorridorMap
    seconds: float  # to build the map

    @property
    def side(self) -> float:
        """Width and depth, m."""
        return self.env.bounds[2]


def scene_for(count: int) -> Scene:
    """Return a square part of the tiled city with enough free space for a crowd.

    Houses across its border are left out, so that no street becomes a dead end.

    Raises:
        WrongAnswer: the free ground is not in one piece.
    """
    tiles = math.ceil(math.sqrt(1.1 * count / DENSITY / TILE_FREE))
    houses = _houses(gallery.make(f"city:{tiles}x{tiles}"))
    side, kept = _fitting(houses, count / DENSITY)
    env = Environment.from_polygons(
        bounds=(0.0, 0.0, side, side), obstacles=kept, name=f"{side:.0f} m of the city"
    )
    parts = shapely.get_parts(env.walkable)
    if len(parts) != 1:
        raise WrongAnswer(f"the free ground for {count:,} characters is in {len(parts)} pieces")
    seconds, cmap = stopwatch(lambda: fw.CorridorMap.build(env))
    return Scene(count, env, parts[0], cmap, seconds)


def _houses(env: Environment) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """Return everything that is not free space; courtyards are part of their house."""
    ground = max(shapely.get_parts(env.walkable), key=shapely.area)
    return shapely.polygons(list(ground.interiors))


def _fitting(
    houses: np.ndarray[tuple[int], np.dtype[np.object_]], free: float
) -> tuple[float, list[shapely.Polygon]]:
    """Return the side (m) of the smallest square with this free area (m2), and its houses."""
    far = shapely.bounds(houses)[:, 2:].max(axis=1)
    order = np.argsort(far)
    built = np.concatenate([[0.0], np.cumsum(shapely.area(houses[order]))])
    sides = np.arange(20.0, far.max() + STREET, 0.25)
    within = np.searchsorted(far[order], sides - STREET, side="right")
    fits = np.flatnonzero(sides**2 - built[within] >= free)[0]
    return float(sides[fits]), list(houses[order[: within[fits]]])
