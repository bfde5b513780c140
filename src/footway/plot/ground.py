"""Draw the ground: obstacles, walkable space and walls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely
from matplotlib.collections import LineCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from footway.plot import palette
from footway.plot.free_area import Ground, ground_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.plot.sheet import Sheet

__all__ = ["Ground", "draw_ground", "ground_of", "outline"]


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
    """Return the holes of walkable space as polygons; islands in them are drawn on top."""
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
