"""Locate points on a map and measure their clearance, many of them on several threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.parallel import in_parts
from footway.corridor.kernels.locate import N_VALUES, locate_points, measure_clearances

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Index


_BATCH = 1024  # points of one call


def locate(points: Floats, index: Index) -> tuple[Ints, Floats]:
    """Return pieces (n,) and values (n, 6) of points (n, 2); columns as in kernels/locate."""
    pieces, values = np.empty(len(points), np.int64), np.empty((len(points), N_VALUES))

    def work(part: slice) -> None:
        some = points[part], index.axis, index.grid, index.boundaries
        locate_points(*some, pieces[part], values[part])

    in_parts(len(points), _BATCH, work)
    return pieces, values


def clearances(points: Floats, index: Index) -> Floats:
    """Return distances of points (n, 2) to the nearest wall, (n,) m; 0 inside obstacles."""
    out = np.empty(len(points))

    def work(part: slice) -> None:
        measure_clearances(points[part], index.grid, index.boundaries, out[part])

    in_parts(len(points), _BATCH, work)
    return out
