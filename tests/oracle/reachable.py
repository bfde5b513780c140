"""Where a disc fits and what it can reach, by cutting every wall's capsule out of the plane.

Each wall is widened on its own and the union is cut from the walkable polygon. One
`polygon.buffer(-radius)` would be shorter, but GEOS first drops dents shallower than 1 % of the
distance, which is more than the band in which we decline to answer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import shapely

from tests.oracle.clearance import wall_segments

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tests.oracle.clearance import Geometries

QUAD_SEGS = 32
"""Chords per quarter circle: a chord lies 0.03 % of the radius inside its arc."""

SMALLEST = 1e-6
"""m. Radius that stands for zero: a line wall is no wall to polygon operations otherwise."""


class Reachable:
    """Three-valued answers for a disc: True, False, or None where it is too close to call.

    A disc of `radius * (1 + eps)` that fits proves True, one of `radius * (1 - eps)` that does
    not proves False.
    """

    def __init__(
        self,
        polygon: shapely.Geometry,
        radius: float,
        *,
        lines: Geometries = (),
        points: Geometries = (),
        eps: float = 1e-3,
    ) -> None:
        walls = wall_segments(polygon, lines=lines, points=points)
        self._polygon = polygon
        self._a_point = radius * (1 - eps) < SMALLEST
        chord = math.cos(math.pi / (4 * QUAD_SEGS))
        small = max(radius * (1 - eps), SMALLEST)
        large = max(radius * (1 + eps) / chord, 10 * SMALLEST)
        self.surely_free = Components(_eroded(polygon, walls, large))
        self.maybe_free = Components(_eroded(polygon, walls, small))

    def fits(self, point: ArrayLike) -> bool | None:
        """Whether the disc's centre can be at the point."""
        if self.surely_free.of(point) >= 0:
            return True
        if self.maybe_free.of(point) >= 0:
            return None
        # A disc of radius 0 may stand on a wall, which no polygon that we made covers.
        on_wall = self._a_point and self._polygon.intersects(shapely.Point(point))
        return None if on_wall else False

    def connected(self, a: ArrayLike, b: ArrayLike) -> bool | None:
        """Whether the disc can move from a to b."""
        sure = self.surely_free.of(a), self.surely_free.of(b)
        if min(sure) >= 0 and sure[0] == sure[1]:
            return True
        if False in (self.fits(a), self.fits(b)):
            return False
        maybe = self.maybe_free.of(a), self.maybe_free.of(b)
        return None if min(maybe) < 0 or maybe[0] == maybe[1] else False


class Components:
    """The polygons of an area, each a connected component."""

    def __init__(self, area: shapely.Geometry) -> None:
        self.polygons = [part for part in shapely.get_parts(area) if part.geom_type == "Polygon"]
        self._tree = shapely.STRtree(self.polygons)

    def of(self, point: ArrayLike) -> int:
        """Number of the component that covers the point, -1 for none."""
        xy = np.asarray(point, dtype=float)
        hits = self._tree.query(shapely.Point(xy), predicate="intersects")
        return int(hits[0]) if len(hits) else -1


def _eroded(
    polygon: shapely.Geometry, walls: NDArray[np.float64], radius: float
) -> shapely.Geometry:
    """Part of the polygon that is farther than the radius from every wall."""
    dots = (walls[:, :2] == walls[:, 2:]).all(axis=1)
    cores = [
        *shapely.linestrings(walls[~dots].reshape(-1, 2, 2)),
        *shapely.points(walls[dots, :2]),
    ]
    capsules = shapely.buffer(cores, radius, quad_segs=QUAD_SEGS)
    return polygon.difference(shapely.unary_union(capsules))
