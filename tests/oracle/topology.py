"""Parts and holes of the free space, counted on whole grid steps where predicates are exact.

The free space is open: the inside of the walkable polygons without line walls and points. What is
not free is closed, and by Alexander duality the free space has one hole less than the rest of the
sphere has connected parts. So walls that touch each other count once, a line that is attached to
the boundary adds no hole, and a free-standing line or point adds one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from footway.environment import Environment


def holes(env: Environment) -> int:
    """Number of holes of the free space, over all its parts."""
    area = on_grid(env.walkable, env)
    x0, y0, x1, y1 = area.bounds
    frame = shapely.box(x0 - 1, y0 - 1, x1 + 1, y1 + 1)
    closed = [frame.difference(area), on_grid(env.lines, env), on_grid(env.points, env)]
    parts = shapely.get_parts(shapely.get_parts(closed))
    a, b = shapely.STRtree(parts).query(parts, predicate="intersects")
    links = coo_array((np.ones(len(a)), (a, b)), (len(parts), len(parts)))
    return int(connected_components(links, directed=False)[0]) - 1


def components(env: Environment) -> int:
    """Number of parts of the free space with no path between them, even for a point."""
    steps = np.rint(env.walls.segments / env.grid).reshape(-1, 2, 2)
    faces = shapely.get_parts(shapely.polygonize(shapely.linestrings(steps)))
    inside = shapely.contains(on_grid(env.walkable, env), shapely.point_on_surface(faces))
    return int(inside.sum())


def on_grid(geometry: shapely.Geometry, env: Environment) -> shapely.Geometry:
    """Geometry in whole grid steps."""
    return shapely.transform(geometry, lambda xy: np.rint(xy / env.grid))
