"""Constrained triangulation of a box with segments that may cross, overlap and touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.environment.kernels.triangulation import faces_of, triangulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


class Triangulation(NamedTuple):
    """Triangles of a box around segments, on an integer lattice.

    Attributes:
        points: (p, 2) int64 lattice steps.
        triangles: (t, 3) int32 corners, counterclockwise; none is flat.
        neighbours: (t, 3) int32 across the side from corner k to corner k + 1; -1 at the border.
        marks: (t, 3) uint8 mark of the segments that the side belongs to; 0 for none.
        face: (t,) int32 index of the face: triangles with no segment between them.

    """

    points: Ints
    triangles: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    marks: NDArray[np.uint8]
    face: NDArray[np.int32]


def triangulation(segments: Ints, marks: NDArray[np.uint8]) -> Triangulation:
    """Return the constrained Delaunay triangulation of segments in a box around them.

    Args:
        segments: (n, 4) x0, y0, x1, y1 in lattice steps, the longer side of their box at most
            2,000,000,000; they may cross, overlap and end on each other.
        marks: (n,) above 0; where segments overlap, the greater mark counts.

    Example:
        >>> cross = np.array([[0, 5, 10, 5], [5, 0, 5, 10]])
        >>> cut = triangulation(cross, np.ones(2, np.uint8))
        >>> [5, 5] in cut.points.tolist(), len(cut.triangles)
        (True, 12)

    """
    distinct, ends = _distinct(segments.reshape(-1, 2))
    ends = ends.reshape(-1, 2) + 4
    long = ends[:, 0] != ends[:, 1]
    marked = np.column_stack([ends, marks])[long].astype(np.int32)
    points = np.concatenate([_box(distinct), distinct])
    order = _spatial_order(distinct) + 4
    capacity = 64 + len(distinct)
    while True:
        xy, triangles, neighbours, sides = triangulate(points, order, marked, capacity)
        if len(xy):
            face = faces_of(triangles, neighbours, sides)
            return Triangulation(xy, triangles, neighbours, sides, face)
        capacity *= 4


def _distinct(points: Ints) -> tuple[Ints, NDArray[np.intp]]:
    """Return the distinct points, sorted by x, then y, and the row of each given point.

    Both coordinates fit in one 64-bit number, which is sorted ten times as fast as rows.
    """
    low = points.min(axis=0)
    across = int((points[:, 1] - low[1]).max()) + 1
    keys, rows = np.unique(
        (points[:, 0] - low[0]) * across + points[:, 1] - low[1], return_inverse=True
    )
    return np.column_stack([keys // across, keys % across]) + low, rows


def _box(distinct: Ints) -> Ints:
    """Return the corners of a box around all points, counterclockwise."""
    low, high = distinct.min(axis=0), distinct.max(axis=0)
    margin = int((high - low).max()) // 256 + 8
    (x0, y0), (x1, y1) = low - margin, high + margin
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def _spatial_order(distinct: Ints) -> Ints:
    """Return an order in which successive points are near: columns of cells, up and down."""
    low = distinct.min(axis=0)
    across = int((distinct.max(axis=0) - low).max()) + 1
    columns = max(1, int(np.sqrt(len(distinct) / 2)))
    column, row = ((distinct - low) * (columns / across)).astype(np.int64).T
    return np.lexsort((np.where(column % 2 == 0, row, -row), column))
