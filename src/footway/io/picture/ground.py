"""The ground: where one can walk, and what stands in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely
from matplotlib.collections import LineCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from footway.corridor import CorridorMap
from footway.io.picture import palette
from footway.roadmap import Roadmap
from footway.roadmap.space import corners_where

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.environment import Environment
    from footway.io.picture.sheet import Sheet


class Ground(NamedTuple):
    """Where one can walk, ready for drawing."""

    walkable: shapely.MultiPolygon
    walls: NDArray[np.float64]  # (n, 4) x0, y0, x1, y1 in metres
    points: NDArray[np.float64]  # (m, 2) point obstacles


def ground_of(source: CorridorMap | Environment | Roadmap) -> Ground:
    """Return the ground of an environment, or of a map from a file, which has only its walls."""
    if isinstance(source, CorridorMap):
        return _ground_from_walls(source.walls, lambda faces: _has_clearance(source, faces))
    if isinstance(source, Roadmap):
        return _ground_of_roadmap(source)
    return Ground(source.walkable, source.walls.segments, source.walls.points)


def draw_ground(sheet: Sheet, ground: Ground) -> None:
    """Fill obstacles and walkable space, and draw the walls as thin lines."""
    holes = _holes(ground.walkable)
    line = min(0.6, 0.12 / sheet.metres_per_point + 0.15)
    for shapes, colour, level in (
        (holes, palette.OBSTACLE, 1.0),
        (shapely.get_parts(ground.walkable), palette.GROUND, 1.1),
    ):
        if len(shapes):
            patch = PathPatch(outline(shapes), facecolor=colour, edgecolor="none", zorder=level)
            sheet.axes.add_patch(patch)
    walls = ground.walls.reshape(-1, 2, 2)
    sheet.axes.add_collection(
        LineCollection(list(walls), colors=palette.WALL, linewidths=line, zorder=1.2),
        autolim=False,
    )
    if len(ground.points):
        sheet.axes.plot(*ground.points.T, ".", color=palette.WALL, ms=2.5, zorder=1.2)


def _holes(walkable: shapely.MultiPolygon) -> NDArray[np.object_]:
    """Holes of walkable space as polygons; islands in them are drawn over them."""
    rings = [ring for part in shapely.get_parts(walkable) for ring in part.interiors]
    return np.array([shapely.Polygon(ring) for ring in rings], dtype=object)


def outline(polygons: NDArray[np.object_]) -> Outline:
    """Return polygons with holes as one compound outline; holes must run the other way round."""
    rings = [
        shapely.get_coordinates(ring)
        for part in polygons
        for ring in (part.exterior, *part.interiors)
    ]
    codes = [_ring_codes(len(ring)) for ring in rings]
    return Outline(np.vstack(rings), np.concatenate(codes))


def _ring_codes(count: int) -> NDArray[np.uint8]:
    codes = np.full(count, Outline.LINETO, dtype=np.uint8)
    codes[0], codes[-1] = Outline.MOVETO, Outline.CLOSEPOLY
    return codes


def _ground_of_roadmap(roadmap: Roadmap) -> Ground:
    """Faces between the walls in which the object fits somewhere are walkable."""
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
    """Of the faces between the walls those that are free are walkable, the others are not."""
    ends = walls.reshape(-1, 2, 2)
    is_point = (ends[:, 0] == ends[:, 1]).all(axis=1)
    faces = shapely.get_parts(shapely.polygonize(shapely.linestrings(ends[~is_point])))
    free = is_free(faces) if len(faces) else np.empty(0, bool)
    walkable = shapely.multipolygons(shapely.orient_polygons(faces[free]))
    return Ground(walkable, walls[~is_point], ends[is_point, 0])


def _has_clearance(cmap: CorridorMap, faces: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Whether there is clearance inside of each face."""
    inner = shapely.get_coordinates(shapely.point_on_surface(faces))
    return cmap.clearance(inner) > 0
