"""Distances to the walls of an environment by Shapely's tree: a judge that is fast on big maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from footway.environment import Environment


class NearestWall:
    """Walls of one environment in a tree."""

    def __init__(self, env: Environment) -> None:
        chains = [*shapely.get_rings(shapely.get_parts(env.walkable)), *env.lines.geoms]
        pairs = [_segments(shapely.get_coordinates(chain)) for chain in chains]
        self._tree = shapely.STRtree([*np.concatenate(pairs), *env.points.geoms])

    def distance(self, points: ArrayLike) -> NDArray[np.float64]:
        """Distance in metres of each of (n, 2) points to the nearest wall; (n,)."""
        return self.of(shapely.points(np.asarray(points, dtype=float).reshape(-1, 2)))

    def of(self, geometries: ArrayLike) -> NDArray[np.float64]:
        """Distance in metres of each of (n,) Shapely geometries to the nearest wall; (n,)."""
        _, found = self._tree.query_nearest(geometries, return_distance=True, all_matches=False)
        return np.asarray(found)


def _segments(xy: NDArray[np.float64]) -> NDArray[np.object_]:
    return np.asarray(shapely.linestrings(np.stack([xy[:-1], xy[1:]], axis=1)))
