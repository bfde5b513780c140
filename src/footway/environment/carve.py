"""Subtract obstacles from walkable space.

All geometry here is in whole grid steps (see `lattice`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from footway.environment.lattice import polygon_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray


def carve(base: NDArray[np.object_], obstacles: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the polygons of base without the obstacles.

    Both are arrays of valid polygons that share at most points. A free-standing obstacle inside
    one polygon becomes a hole by adding its ring, which is exact and cheap; only the others (at
    the edge, touching each other, with courtyards) need an overlay.
    """
    free = _free_standing(obstacles)
    while True:
        free &= _containing_polygon(base, obstacles) >= 0
        if free.all():
            break
        touching = shapely.multipolygons(obstacles[~free])
        base = polygon_parts(shapely.difference(shapely.multipolygons(base), touching, grid_size=1))
        obstacles = obstacles[free]
        free = free[free]
    return _with_holes(base, obstacles, _containing_polygon(base, obstacles))


def _free_standing(obstacles: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Return (n,) bool: the obstacle has no courtyard and touches no other obstacle."""
    a, b = shapely.STRtree(obstacles).query(obstacles, predicate="intersects")
    free: NDArray[np.bool_] = shapely.get_num_interior_rings(obstacles) == 0
    free[a[a != b]] = False
    return free


def _containing_polygon(
    base: NDArray[np.object_], obstacles: NDArray[np.object_]
) -> NDArray[np.intp]:
    """Return (n,) the polygon of base that properly contains each obstacle, -1 for none."""
    home = np.full(len(obstacles), -1)
    of_base, of_obstacle = shapely.STRtree(obstacles).query(base, predicate="contains_properly")
    home[of_obstacle] = of_base
    return home


def _with_holes(
    base: NDArray[np.object_], obstacles: NDArray[np.object_], home: NDArray[np.intp]
) -> NDArray[np.object_]:
    """Return base with the exterior of each obstacle as a hole in its home polygon."""
    if not len(obstacles):
        return base
    rings, owner = shapely.get_rings(base, return_index=True)
    rings = np.concatenate([rings, shapely.get_exterior_ring(obstacles)])
    owner = np.concatenate([owner, home])
    # A stable sort keeps the shell of each polygon first, as `polygons` expects.
    order = np.argsort(owner, kind="stable")
    holed: NDArray[np.object_] = shapely.polygons(rings[order], indices=owner[order])
    return holed
