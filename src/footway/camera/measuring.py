"""How near to walls a camera comes, between the places it is planned at too."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from footway.corridor import CorridorMap
from footway.corridor.kernels.path import polyline_clearance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.camera.course import Course
    from footway.corridor.space_map import SpaceMap

    Floats = NDArray[np.float64]

_SAGITTA = 1e-6  # m. How far chords that stand for an arc leave it; counts as lost clearance
_STEP = 0.01  # m. Of samples in space; half of it counts as lost clearance
_MOST = 200_000  # samples


def course_clearance(course: Course, cmap: CorridorMap | SpaceMap) -> float:
    """Least distance of a course to any wall, m: a lower bound; 0 where it meets one."""
    if isinstance(cmap, CorridorMap):
        return max(0.0, polyline_room(_chords(course), cmap) - _SAGITTA)
    count = min(_MOST, math.ceil(course.length / _STEP))
    places = course.position(np.linspace(0.0, course.length, count + 1))
    # A distance changes by no more than one moves, and no place is further from a sample than this.
    return max(0.0, float(cmap.clearance(places).min()) - 0.5 * course.length / count)


def polyline_room(points: Floats, cmap: CorridorMap) -> float:
    """Least distance of a polyline (n, 2) to any wall, m; 0 where it meets one."""
    # Who starts outside of obstacles and crosses no wall stays outside.
    least = min(
        float(cmap.clearance(points).min()),
        float(polyline_clearance(np.ascontiguousarray(points), cmap.solver.index.grid)),
    )
    return max(0.0, least)


def _chords(course: Course) -> Floats:
    """Places (n, 2) on a course: the ends of its lines, and chords of its arcs."""
    # The sagitta of a chord that turns by a is radius * a^2 / 8.
    widest = np.sqrt(8.0 * _SAGITTA * np.maximum(course.curvatures, 1e-12))
    counts = np.ceil(course.curvatures * course.lengths / widest).astype(int)
    parts = [
        np.linspace(first, last, max(1, count), endpoint=False)
        for first, last, count in zip(course.breaks, course.breaks[1:], counts, strict=False)
    ]
    return course.position(np.append(np.concatenate(parts), course.length))
