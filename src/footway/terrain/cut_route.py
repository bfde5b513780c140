"""A route for followers: cut at the sides of the terrain's triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.terrain.kernels.cut_route import pieces_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats
    from footway.terrain.terrain import TerrainMesh

HOLE = 1e-6  # m of a route outside all triangles: more than rounding errors


class CutRoute(NamedTuple):
    """A route and its pieces in each triangle; positions on it are curve lengths from its start.

    A piece along a side is listed for the triangles on both sides, so pieces overlap.
    """

    points: Floats  # (n, 2) m, the route; no two neighbours are equal
    lengths: Floats  # (n,) m, curve length up to each point
    pieces: Floats  # (m, 4) x and y of both ends, m, sorted by triangle
    along: Floats  # (m, 2) curve length at both ends, m
    triangle: NDArray[np.int32]  # (m,) triangle that contains the piece
    offsets: NDArray[np.int32]  # (t + 1,) triangle t has pieces offsets[t] to offsets[t + 1] - 1

    @property
    def length(self) -> float:
        """Curve length of the route, m."""
        return float(self.lengths[-1])

    def at(self, s: float) -> Floats:
        """Return the point at a curve length, (2,) m."""
        return np.array([np.interp(s, self.lengths, self.points[:, k]) for k in (0, 1)])


def cut_route(points: Floats, mesh: TerrainMesh) -> CutRoute:
    """Cut a route (n, 2) at the triangles of a terrain; parts outside of them have no pieces.

    Example:
        >>> import footway as fw
        >>> from footway.terrain.terrain import Terrain
        >>> room = fw.Environment.from_polygons(bounds=(0, 0, 4, 4))
        >>> cut = cut_route(np.array([[1, 1], [3, 2.0]]), Terrain.build(room).mesh)
        >>> round(cut.length, 3), first_hole(cut)
        (2.236, None)
    """
    points = without_repeats(points)
    squares = np.diff(points, axis=0) ** 2
    lengths = np.zeros(len(points))
    np.cumsum(np.sqrt(squares[:, 0] + squares[:, 1]), out=lengths[1:])
    triangle, along, ends, offsets = pieces_of(points, lengths, mesh)
    return CutRoute(points, lengths, ends, along, triangle, offsets)


def without_repeats(points: Floats) -> Floats:
    """Return a polyline without consecutive duplicate points."""
    points = np.ascontiguousarray(points, np.float64)
    stays = (points[1:] == points[:-1]).all(axis=1)
    return np.ascontiguousarray(points[~np.append(False, stays)]) if stays.any() else points


def first_hole(cut: CutRoute) -> float | None:
    """Return the curve length at which the route first leaves the terrain, m; None: never."""
    order = np.argsort(cut.along[:, 0], kind="stable")
    begins = np.append(cut.along[order, 0], cut.length)
    reached = np.append(0.0, np.maximum.accumulate(cut.along[order, 1]))
    holes = np.flatnonzero(begins > reached + HOLE)
    return float(reached[holes[0]]) if len(holes) else None
