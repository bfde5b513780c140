"""The ground of a picture: walkable space and walls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

from footway.corridor import CorridorMap
from footway.roadmap import Roadmap
from footway.roadmap.space import corners_where

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.environment import Environment


class Ground(NamedTuple):
    """Walkable space and the walls around it."""

    walkable: shapely.MultiPolygon
    walls: NDArray[np.float64]  # (n, 4) x0, y0, x1, y1 in metres
    points: NDArray[np.float64]  # (m, 2) point obstacles


def ground_of(source: CorridorMap | Environment | Roadmap) -> Ground:
    """Return the ground of an environment, or of a saved map, which has only walls."""
    if isinstance(source, CorridorMap):
        return _ground_from_walls(source.walls, lambda faces: _has_clearance(source, faces))
    if isinstance(source, Roadmap):
        return _ground_of_roadmap(source)
    return Ground(source.walkable, source.walls.segments, source.walls.points)


def _ground_of_roadmap(roadmap: Roadmap) -> Ground:
    """Return the faces between the walls in which the object fits somewhere."""
    space = roadmap.space
    free = space.positions(corners_where(space.is_node & (space.corner_clearance > 0)))
    points = shapely.points(free)

    def has_free(faces: NDArray[np.object_]) -> NDArray[np.bool_]:
        found = np.zeros(len(faces), bool)
        found[shapely.STRtree(faces).query(points, predicate="within")[1]] = True
        return found

    return _ground_from_walls(space.walls, has_free)


def _ground_from_walls(
    walls: NDArray[np.float64], is_free: Callable[[NDArray[np.object_]], NDArray[np.bool_]]
) -> Ground:
    """Return the faces between the walls that are free space."""
    ends = walls.reshape(-1, 2, 2)
    is_point = (ends[:, 0] == ends[:, 1]).all(axis=1)
    faces = shapely.get_parts(shapely.polygonize(shapely.linestrings(ends[~is_point])))
    free = is_free(faces) if len(faces) else np.empty(0, bool)
    walkable = shapely.multipolygons(shapely.orient_polygons(faces[free]))
    return Ground(walkable, walls[~is_point], ends[is_point, 0])


def _has_clearance(cmap: CorridorMap, faces: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Return for each face whether it has clearance inside."""
    inner = shapely.get_coordinates(shapely.point_on_surface(faces))
    return cmap.clearance(inner) > 0
