"""Reconstruct an environment from the walls of a saved map, which has no polygons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from footway.environment.environment import Environment
from footway.environment.walls import segment_keys, segments_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from footway.arrays import Bools, Floats

_ASIDE: Final = ((0.0, 0.0), (1e-5, 0.0), (0.0, 1e-5))
"""m. Offsets of three points of a face: a wall without thickness does not contain all of them."""


def environment_from_walls(
    walls: Floats, is_free: Callable[[Floats], Bools], *, name: str = ""
) -> Environment:
    """Return the environment with these walls, without areas, terrain and repairs.

    Args:
        walls: (n, 4) m. Segments x0, y0, x1, y1; both ends of a point obstacle are equal. Those of
            obstacles that a designer added may cross others.
        is_free: returns whether each point (k, 2) is in free space. (k,).
        name: of the map.

    Example:
        >>> corners = np.array([(0, 0), (4, 0), (4, 3), (0, 3)], float)
        >>> ring = np.hstack([corners, np.roll(corners, -1, axis=0)])
        >>> environment_from_walls(ring, lambda at: at[:, 0] > 0).area
        12.0
    """
    ends = walls.reshape(-1, 2, 2)
    is_point = (ends[:, 0] == ends[:, 1]).all(axis=1)
    segments = shapely.linestrings(ends[~is_point])
    faces = shapely.get_parts(shapely.polygonize(segments))
    if not shapely.is_valid(faces).all():
        segments = shapely.get_parts(shapely.node(shapely.multilinestrings(segments)))
        faces = shapely.get_parts(shapely.polygonize(segments))
    inner = shapely.get_coordinates(shapely.point_on_surface(faces))
    free = np.zeros(len(faces), bool)
    for aside in _ASIDE if len(faces) else ():
        free |= is_free(inner + aside)
    parts = shapely.get_parts(shapely.union_all(faces[free]))
    walkable = shapely.multipolygons(shapely.orient_polygons(parts))
    # A wall around walkable space is a side of one free face. One with free space on both sides is
    # a side of two faces, or of none if it ends inside a face.
    sides = segments_of(shapely.get_rings(faces[free]))
    own = shapely.get_coordinates(segments).reshape(-1, 4)
    keys = segment_keys(np.concatenate([own, sides]))
    number = np.unique(keys, return_inverse=True)[1]
    count = np.bincount(number[len(segments) :], minlength=number.max(initial=0) + 1)
    return Environment(
        walkable,
        shapely.multilinestrings(segments[count[number[: len(segments)]] != 1]),
        shapely.multipoints(np.unique(ends[is_point, 0], axis=0)),
        name=name,
    )
