"""Node walls, so that they meet at end points only, and insert single-line walls.

All geometry here is in whole grid steps (see `lattice`), for which GEOS decides exactly whether a
point lies on a segment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from footway._numba.portable_math import hypot
from footway.environment.lattice import polygon_parts
from footway.environment.walls import segments_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def node_rings(polygons: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the polygons with a corner wherever a corner of any ring touches an edge.

    A hole may touch its shell, or a polygon its neighbour, in the middle of an edge. That is
    valid for GEOS, but walls must meet at end points. No point moves.
    """
    rings, owner = shapely.get_rings(polygons, return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    starts = np.flatnonzero(ring[1:] == ring[:-1])
    segments = np.stack([xy[starts], xy[starts + 1]], axis=1)
    edge, point = _touches(segments)
    if not len(edge):
        return polygons
    # Insert the points of one edge in their order along the edge.
    at = segments[point, 0]
    along = hypot(*(at - segments[edge, 0]).T)
    order = np.lexsort((along, edge))
    place = starts[edge[order]] + 1
    xy = np.insert(xy, place, at[order], axis=0)
    ring = np.insert(ring, place, ring[starts[edge[order]]])
    fresh = np.r_[True, (xy[1:] != xy[:-1]).any(axis=1) | (ring[1:] != ring[:-1])]
    noded = shapely.linearrings(xy[fresh], indices=ring[fresh])
    result: NDArray[np.object_] = shapely.polygons(noded, indices=owner)
    return result


def _touches(
    segments: NDArray[np.float64],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return (edge, segment) pairs where the start of a segment lies inside an edge.

    Args:
        segments: (n, 2, 2), closed rings, so that every corner is the start of a segment.

    """
    tree = shapely.STRtree(shapely.linestrings(segments))
    point, edge = tree.query(shapely.points(segments[:, 0]), predicate="intersects")
    at = segments[point, 0]
    inner = (at != segments[edge, 0]).any(axis=1) & (at != segments[edge, 1]).any(axis=1)
    return edge[inner], point[inner]


def place_lines(
    polygons: NDArray[np.object_], lines: NDArray[np.object_]
) -> tuple[NDArray[np.object_], NDArray[np.float64]]:
    """Node single-line walls with the boundary, and keep the parts inside.

    A line that ends on a slanted edge ends between grid points; rounding that point moves the
    edge too. Therefore boundary and lines are noded together, the faces between them are
    recomputed, and walkable space is the union of the faces that were walkable.

    Args:
        polygons: valid polygons that share at most points.
        lines: linestrings, anywhere.

    Returns:
        The polygons, with a corner wherever a line ends on them, and the (n, 4) segments of the
        lines inside; those on a boundary are left out.

    """
    noded = shapely.union_all(np.concatenate([shapely.boundary(polygons), lines]), grid_size=1)
    edges = shapely.get_parts(noded)
    faces = shapely.get_parts(shapely.polygonize(edges))
    inside = _within(shapely.point_on_surface(faces), polygons)
    placed = polygon_parts(shapely.coverage_union_all(faces[inside]))
    boundary = _keys(segments_of(shapely.get_rings(placed)))
    segments = _unique(segments_of(edges))
    segments = segments[~np.isin(_keys(segments), boundary)]
    middles = shapely.points((segments[:, :2] + segments[:, 2:]) / 2)
    return placed, segments[_within(middles, placed)]


def _within(points: Any, polygons: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Return (n,) bool: the point lies inside one of the polygons."""
    inside = np.zeros(len(points), dtype=bool)
    inside[shapely.STRtree(points).query(polygons, predicate="contains")[1]] = True
    return inside


def _unique(segments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the segments without duplicates, in either direction."""
    first = np.unique(_keys(segments), return_index=True)[1]
    return segments[np.sort(first)]


def _keys(segments: NDArray[np.float64]) -> NDArray[np.void]:
    """Return (n,) keys that are equal for equal segments, regardless of direction."""
    ends = segments.reshape(-1, 2, 2)
    swap = (ends[:, 0, 0] > ends[:, 1, 0]) | (
        (ends[:, 0, 0] == ends[:, 1, 0]) & (ends[:, 0, 1] > ends[:, 1, 1])
    )
    ordered = np.where(swap[:, None, None], ends[:, ::-1], ends).reshape(-1, 4) + 0.0
    return np.ascontiguousarray(ordered).view([("", np.float64)] * 4).ravel()
