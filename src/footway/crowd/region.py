"""Regions of the plane where characters start, go to and leave: polygons as rings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from footway._numba.portable_math import hypot
from footway.errors import BadQuery
from footway.validation import FARTHEST, floats, shown
from footway.validation import points as checked_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Region:
    """Polygons with holes: a point is inside if it lies in an odd number of rings.

    Example:
        >>> square = Region.of([(0, 0), (2, 0), (2, 2), (0, 2)])
        >>> square.contains(np.array([(1.0, 1.0), (3.0, 1.0)])).tolist()
        [True, False]

    """

    rings: tuple[Floats, ...]  # (k, 2) each, m, open

    @classmethod
    def of(cls, shape: Any) -> Region:
        """Make a region from a Region, a ring (k, 2), or an object with `__geo_interface__`."""
        if isinstance(shape, Region):
            return shape
        if hasattr(shape, "polygon"):  # an Area of the environment
            shape = shape.polygon
        if hasattr(shape, "__geo_interface__"):
            rings = _rings(shape.__geo_interface__)
            if not rings:
                raise BadQuery("the area is empty: give a polygon with an interior")
            return cls(tuple(rings))
        return cls((_ring(shape),))

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """(xmin, ymin, xmax, ymax), m."""
        points = np.concatenate(self.rings)
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        return float(x0), float(y0), float(x1), float(y1)

    @property
    def area(self) -> float:
        """Area, m2; overlapping rings count as holes."""
        signed = [
            0.5 * float(np.sum(a[:, 0] * np.roll(a[:, 1], -1) - np.roll(a[:, 0], -1) * a[:, 1]))
            for a in self.rings
        ]
        # Test the middle of a side: rings may touch in a corner, but not there.
        middles = [a[:2].mean(axis=0, keepdims=True) for a in self.rings]
        inner = [bool(self._without(k).contains(m)[0]) for k, m in enumerate(middles)]
        return float(sum(-abs(s) if h else abs(s) for s, h in zip(signed, inner, strict=True)))

    def _without(self, k: int) -> Region:
        return Region(self.rings[:k] + self.rings[k + 1 :])

    def contains(self, points: Floats) -> NDArray[np.bool_]:
        """Return whether each point (n, 2) lies inside. (n,)."""
        points = checked_points(points)
        inside = np.zeros(len(points), bool)
        x, y = points[:, 0], points[:, 1]
        for ring in self.rings:
            for (ax, ay), (bx, by) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
                if ay == by:
                    continue
                crosses = (ay > y) != (by > y)
                inside ^= crosses & (x < ax + (y - ay) * (bx - ax) / (by - ay))
        return inside

    def depth(self, points: Floats) -> Floats:
        """Return the distance of each point to the nearest ring, m. (n,)."""
        points = checked_points(points)
        best = np.full(len(points), np.inf)
        for ring in self.rings:
            for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
                along = b - a
                squared = max(float((along * along).sum()), 1e-300)
                t = np.clip(((points - a) * along).sum(axis=1) / squared, 0.0, 1.0)
                best = np.minimum(best, hypot(*(points - a - t[:, None] * along).T))
        return best


def _ring(shape: Any) -> Floats:
    ring = floats(shape, "(n, 2)", name="the corners of an area")
    far = ring.size > 0 and not (np.abs(ring) <= FARTHEST).all()
    if ring.ndim != 2 or ring.shape[1] < 2 or len(ring) < 3 or far:
        raise BadQuery(f"an area is a ring of three or more finite (x, y), not {shown(shape)}")
    ring = ring[:, :2]
    return ring[:-1] if np.array_equal(ring[0], ring[-1]) else ring


def _rings(geometry: Any) -> list[Floats]:
    kind, coordinates = geometry.get("type"), geometry.get("coordinates", ())
    if kind == "Polygon":
        return [_ring(ring) for ring in coordinates if len(ring)]
    if kind == "MultiPolygon":
        return [_ring(ring) for polygon in coordinates for ring in polygon if len(ring)]
    raise BadQuery(f"an area is a polygon, not a {kind}")
