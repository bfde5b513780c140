"""The walls of an environment as arrays of segments, the input of `medial`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import shapely

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Walls(NamedTuple):
    """Noded walls in metres, every coordinate on the grid.

    Segments meet at end points only; there are no duplicates and none has length zero.

    Attributes:
        segments: (n, 4) float64, x0, y0, x1, y1.
        two_sided: (n,) bool. True: a single-line wall with free space on both sides.
            False: free space lies only on the left of the direction from (x0, y0) to (x1, y1).
        points: (m, 2) float64, point obstacles that lie on no segment.

    """

    segments: NDArray[np.float64]
    two_sided: NDArray[np.bool_]
    points: NDArray[np.float64]


def walls_of(
    walkable: shapely.MultiPolygon, lines: shapely.MultiLineString, points: shapely.MultiPoint
) -> Walls:
    """Return the walls around walkable space and the lines and points inside it.

    Polygons must be oriented (exterior counterclockwise, holes clockwise) and everything noded,
    as `assemble` guarantees.
    """
    around = segments_of(shapely.get_rings(shapely.get_parts(walkable)))
    inside = segments_of(shapely.get_parts(lines))
    return Walls(
        segments=np.concatenate([around, inside]),
        two_sided=np.arange(len(around) + len(inside)) >= len(around),
        points=shapely.get_coordinates(points),
    )


def segments_of(curves: Any) -> NDArray[np.float64]:
    """Return the (n, 4) segments x0, y0, x1, y1 of rings or linestrings, in their order."""
    xy, owner = shapely.get_coordinates(curves, return_index=True)
    same = owner[1:] == owner[:-1]
    return np.hstack([xy[:-1][same], xy[1:][same]])
