"""Brute-force clearance: every point against every wall, nothing clever.

Walls are an (n, 4) array of x0, y0, x1, y1 in metres. A point obstacle is a wall of length zero,
so one formula serves both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import shapely

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from footway.environment import Environment

    Geometries: TypeAlias = shapely.Geometry | Iterable[Any]

CHUNK = 50_000
"""Pairs of point and wall at once: as many as stay in the processor's cache."""


def wall_segments(
    polygon: shapely.Geometry, *, lines: Geometries = (), points: Geometries = ()
) -> NDArray[np.float64]:
    """All walls as an (n, 4) array in metres: rings, line walls, then points of length zero."""
    chains = [*rings(polygon), *parts(lines)]
    pieces = [np.empty((0, 4))]
    for chain in chains:
        xy = shapely.get_coordinates(chain)
        pieces.append(np.hstack([xy[:-1], xy[1:]]))
    dots = point_coordinates(points)
    pieces.append(np.hstack([dots, dots]))
    walls = np.vstack(pieces)
    zero = (walls[:, :2] == walls[:, 2:]).all(axis=1)
    zero[len(walls) - len(dots) :] = False
    return np.ascontiguousarray(walls[~zero])


def clearance(points: ArrayLike, walls: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance in metres of each of (m, 2) points to the nearest of (n, 4) walls; (m,)."""
    xy = np.asarray(points, dtype=float).reshape(-1, 2)
    if not len(walls):
        return np.full(len(xy), np.inf)
    rows = max(1, CHUNK // len(walls))
    chunks = [distances(xy[i : i + rows], walls).min(axis=1) for i in range(0, len(xy), rows)]
    return np.concatenate([np.empty(0), *chunks])


def distances(points: NDArray[np.float64], walls: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance in metres of each point to each wall; (m, n)."""
    x0, y0 = walls[:, 0], walls[:, 1]
    across, up = walls[:, 2] - x0, walls[:, 3] - y0
    squared = across**2 + up**2
    x, y = points[:, :1], points[:, 1:]
    share = ((x - x0) * across + (y - y0) * up) / np.where(squared > 0, squared, 1.0)
    np.clip(share, 0.0, 1.0, out=share)
    return np.asarray(np.hypot(x - (x0 + share * across), y - (y0 + share * up)))


def path_clearance(points: ArrayLike, env: Environment) -> float:
    """Smallest distance in metres of a polyline (n, 2) to any wall, by Shapely.

    Negative when the polyline leaves the walkable area: minus how far it gets outside.
    """
    xy = np.asarray(points, dtype=float).reshape(-1, 2)
    path = shapely.LineString(xy) if len(xy) > 1 else shapely.Point(xy[0])
    outside = shapely.difference(path, env.walkable)
    if not outside.is_empty:
        # The ends of what is outside lie on the border: look between them, too.
        outside = shapely.segmentize(outside, max(outside.length / 64, 1e-9))
        depth = shapely.distance(shapely.points(shapely.get_coordinates(outside)), env.walkable)
        if depth.max() > 0:
            return -float(depth.max())
    walls = shapely.GeometryCollection([env.walkable.boundary, env.lines, env.points])
    return float(path.distance(walls))


def rings(polygon: shapely.Geometry) -> list[shapely.LinearRing]:
    """Outer and inner rings of a polygon or multipolygon."""
    return list(shapely.get_rings(shapely.get_parts(polygon)))


def parts(geometries: Geometries) -> list[shapely.Geometry]:
    """Single geometries of a collection, or of an iterable of collections."""
    if isinstance(geometries, shapely.Geometry):
        geometries = [geometries]
    found = [shapely.get_parts(as_line(one)) for one in geometries]
    return [part for group in found for part in group if not part.is_empty]


def as_line(geometry: Any) -> shapely.Geometry:
    """Geometry as it is; coordinates (n, 2) as a line."""
    return geometry if isinstance(geometry, shapely.Geometry) else shapely.LineString(geometry)


def point_coordinates(points: Geometries) -> NDArray[np.float64]:
    """(k, 2) coordinates of points, multipoints or bare pairs."""
    if isinstance(points, shapely.Geometry):
        return np.asarray(shapely.get_coordinates(points))
    rows = [
        shapely.get_coordinates(one)
        if isinstance(one, shapely.Geometry)
        else np.asarray(one, dtype=float).reshape(1, 2)
        for one in points
    ]
    return np.vstack([np.empty((0, 2)), *rows])
