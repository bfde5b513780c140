"""How much room there is: how many discs fit, and where the next free place is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.region import Region

    Floats = NDArray[np.float64]

PACKED: Final = 0.55
"""Share of the ground that discs thrown at random can cover: 0.547 is where they jam."""

_ENOUGH: Final = 2000  # places inside a region, for its free ground to one or two per cent
_MOST: Final = 100_000  # places that are tried, for the thinnest of regions
_ANGLES: Final = 64  # directions in which a free place is looked for
_NEAREST: Final = 0.1  # m, at which that begins
_FURTHER: Final = 1.15  # times as far away, in each round


class Free(NamedTuple):
    """Places of a region, in a regular grid, and what room they have."""

    points: Floats  # (n, 2) m, inside the region
    clearance: Floats  # (n,) m; 0 in obstacles and outside the map
    cell: tuple[float, float]  # m, between two of them

    def centres(self, radius: float) -> Floats:
        """Places where the centre of a disc may be, (k, 2) m."""
        return self.points[self.clearance > radius]

    def capacity(self, radius: float) -> int:
        """How many discs fit, thrown at random: about."""
        centres = self.centres(radius)
        if not len(centres):
            return 0
        ground = _dilated(centres, radius, self.cell)
        return max(1, int(PACKED * ground / (np.pi * radius**2)))

    def roomiest(self, region: Region) -> tuple[float, float]:
        """The place with the most room to walls and to the edge of the region, m."""
        room = np.minimum(self.clearance, region.depth(self.points))
        x, y = self.points[int(room.argmax())]
        return float(x), float(y)


def free_of(cmap: CorridorMap, region: Region | None) -> Free:
    """Places of a region or of the map, in a grid that is fine enough to have many inside."""
    x0, y0, x1, y1 = cmap.bounds if region is None else region.bounds
    tried = _ENOUGH
    while True:
        rows = max(1, round(np.sqrt(tried * (y1 - y0) / (x1 - x0))))
        columns = max(1, round(tried / rows))
        cell = (x1 - x0) / columns, (y1 - y0) / rows
        xs = x0 + cell[0] * (np.arange(columns) + 0.5)
        ys = y0 + cell[1] * (np.arange(rows) + 0.5)
        points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        if region is not None:
            points = np.ascontiguousarray(points[region.contains(points)])
        clearance = cmap.clearance(points)
        if (clearance > 0.0).sum() >= _ENOUGH // 4 or tried >= _MOST:
            return Free(points, clearance, cell)
        tried *= 8


def free_place(cmap: CorridorMap, at: tuple[float, float], radius: float) -> str:
    """Words that name the nearest place (nearly) where a disc fits; "" where there is none."""
    low, high = np.array(cmap.bounds[:2]), np.array(cmap.bounds[2:])
    centre = np.clip(at, low, high)  # of what is outside: the next place of the map
    angle = np.linspace(0.0, 2.0 * np.pi, _ANGLES, endpoint=False)
    directions = np.column_stack([np.cos(angle), np.sin(angle)])
    away = _NEAREST
    while away < float(np.hypot(*(high - low))):
        points = np.round(centre + away * directions, 2)
        room = cmap.clearance(points)
        if (room >= radius).any():
            x, y = points[int(room.argmax())].tolist()
            return f"({x:.10g}, {y:.10g}) is free"
        away *= _FURTHER
    return ""


def _dilated(centres: Floats, radius: float, cell: tuple[float, float]) -> float:
    """Ground that discs with their centres in these cells may cover, m2, about."""
    tree = cKDTree(centres)
    low, high = centres.min(axis=0) - radius, centres.max(axis=0) + radius
    steps = np.maximum(1, np.minimum(400, np.ceil((high - low) / (0.5 * np.array(cell)))))
    size = (high - low) / steps
    xs, ys = (low[i] + size[i] * (np.arange(int(steps[i])) + 0.5) for i in (0, 1))
    points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    reach = max(radius, 0.5 * float(np.hypot(*cell)))
    near, _ = tree.query(points, distance_upper_bound=reach)
    covered = np.isfinite(near).sum()
    return float(covered * size.prod())
