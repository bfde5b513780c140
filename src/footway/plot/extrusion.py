"""Extrude a plan to a scene: raised walls, and roofs over solid parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from footway.environment.walls import segments_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_POST: Final = 0.1
"""m. Side of the square post that shows a point obstacle."""

_MARGIN: Final = 0.02
"""Of the longer side of the map: how far the ground goes beyond it."""


class Surface(NamedTuple):
    """Triangles in space, each counterclockwise as seen from its front.

    Corners shared by two faces are duplicated with the normal of each face, so that edges look
    sharp.
    """

    corners: Floats  # (n, 3) m, z up
    normals: Floats  # (n, 3) unit
    triangles: Ints  # (k, 3) corners


def raise_walls(
    walkable: shapely.MultiPolygon, segments: Floats, points: Floats, *, height: float
) -> Surface:
    """Return walls of a height (m) around walkable space, and roofs over the rest.

    Args:
        walkable: walkable space, m.
        segments: (n, 4) walls x0, y0, x1, y1; their fronts are on the left.
        points: (m, 2) point obstacles, which become posts of 0.1 m.
        height: of the walls, m.

    """
    posts = shapely.box(*(points - 0.5 * _POST).T, *(points + 0.5 * _POST).T, ccw=False)
    sides = _raised(np.concatenate([segments, segments_of(shapely.get_rings(posts))]), height)
    filled = shapely.polygons([part.exterior for part in shapely.get_parts(walkable)])
    solid = shapely.difference(shapely.union_all(filled), walkable)
    return _joined(sides, _roofs(np.append(shapely.get_parts(solid), posts), height))


def lay_ground(bounds: tuple[float, float, float, float]) -> Surface:
    """Return one large square under a map, at height 0."""
    margin = _MARGIN * max(bounds[2] - bounds[0], bounds[3] - bounds[1])
    x0, y0, x1, y1 = np.array(bounds) + margin * np.array([-1, -1, 1, 1])
    corners = np.array([(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)])
    return Surface(corners, np.tile([0.0, 0.0, 1.0], (4, 1)), np.array([(0, 1, 2), (0, 2, 3)]))


def _raised(segments: Floats, height: float) -> Surface:
    """Return a rectangle on each segment, with its front on the left."""
    count = len(segments)
    first, last = segments[:, :2], segments[:, 2:]
    corners = np.zeros((count, 4, 3))
    corners[:, :, :2] = np.stack([last, first, first, last], axis=1)
    corners[:, 2:, 2] = height
    along = last - first
    left = np.column_stack([-along[:, 1], along[:, 0], np.zeros(count)])
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    fan = np.array([(0, 1, 2), (0, 2, 3)])
    triangles = (4 * np.arange(count)[:, None, None] + fan).reshape(-1, 3)
    return Surface(corners.reshape(-1, 3), np.repeat(left, 4, axis=0), triangles)


def _roofs(solids: NDArray[np.object_], height: float) -> Surface:
    """Return flat roofs over polygons."""
    solids = solids[shapely.get_type_id(solids) == shapely.GeometryType.POLYGON]
    cut = shapely.get_parts(shapely.constrained_delaunay_triangles(solids))
    rings = shapely.get_exterior_ring(shapely.orient_polygons(cut))
    corners = shapely.get_coordinates(rings).reshape(-1, 4, 2)[:, :3].reshape(-1, 2)
    count = len(corners)
    return Surface(
        np.column_stack([corners, np.full(count, height)]),
        np.tile([0.0, 0.0, 1.0], (count, 1)),
        np.arange(count).reshape(-1, 3),
    )


def _joined(first: Surface, second: Surface) -> Surface:
    return Surface(
        np.concatenate([first.corners, second.corners]),
        np.concatenate([first.normals, second.normals]),
        np.concatenate([first.triangles, second.triangles + len(first.corners)]),
    )
