"""Widen a shortest path: keep a preferred clearance where the corridor is wide enough.

The taut path around circles of the disc's radius becomes the taut path around larger circles: each
corner of the corridor gets the preferred clearance, or less where the corridor is narrower
(miran-2013, section 3). The path stays in the same corridor.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from footway.corridor.kernels.path import polyline_clearance
from footway.corridor.kernels.widening import TOLERANCE, corners_along, taut_around

if TYPE_CHECKING:
    from footway.arrays import Ints
    from footway.corridor.kernels.layouts import Index
    from footway.corridor.path import TautPath


def widen(index: Index, path: TautPath, halves: Ints, wanted: float) -> TautPath:
    """Return the path with up to `wanted` metres of clearance; the path itself if that fails."""
    ends = np.array([*path.start, *path.goal])
    corners = corners_along(ends, path.radius, wanted, halves, index.axis, index.corners)
    pieces, length = taut_around(ends, path.radius, path.pieces, corners, index.grid)
    if len(pieces) == 0:
        return path
    wide = replace(path, length=length, pieces=pieces, method="widened")
    clearance = float(polyline_clearance(wide.points, index.grid))
    if clearance < path.clearance - TOLERANCE or length < path.length - TOLERANCE:
        return path  # a path shorter than the shortest one would cross a wall
    return replace(wide, clearance=clearance)
