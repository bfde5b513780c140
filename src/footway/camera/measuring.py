"""Measure the distance of a camera to walls, also between its sample points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from footway.corridor import CorridorMap
from footway.corridor.kernels.path import polyline_clearance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.camera.course import Course
    from footway.roadmap.space_map import SpaceMap

    Floats = NDArray[np.float64]

_SAGITTA = 1e-6  # m. Distance between an arc and its chords; subtracted from the clearance
_STEP = 0.01  # m. Distance of samples in 3D; half of it is subtracted from the clearance
_MOST = 200_000  # most samples


def course_clearance(course: Course, cmap: CorridorMap | SpaceMap) -> float:
    """Return a lower bound of the distance of a course to any wall, m; 0 if it meets one."""
    if isinstance(cmap, CorridorMap):
        return max(0.0, polyline_distance(_chords(course), cmap) - _SAGITTA)
    count = min(_MOST, math.ceil(course.length / _STEP))
    places = course.position(np.linspace(0.0, course.length, count + 1))
    # Every point is within half a step of a sample, and clearance changes by no more than that.
    return max(0.0, float(cmap.clearance(places).min()) - 0.5 * course.length / count)


def polyline_distance(points: Floats, cmap: CorridorMap) -> float:
    """Return the least distance of a polyline (n, 2) to any wall, m; 0 if it meets one."""
    # A polyline that starts outside obstacles and crosses no wall stays outside.
    least = min(
        float(cmap.clearance(points).min()),
        float(polyline_clearance(np.ascontiguousarray(points), cmap.solver.index.grid)),
    )
    return max(0.0, least)


def _chords(course: Course) -> Floats:
    """Return points (n, 2) on a course: ends of its lines, and of chords of its arcs."""
    # The sagitta of a chord that turns by a is radius * a^2 / 8.
    widest = np.sqrt(8.0 * _SAGITTA * np.maximum(course.curvatures, 1e-12))
    counts = np.ceil(course.curvatures * course.lengths / widest).astype(int)
    parts = [
        np.linspace(first, last, max(1, count), endpoint=False)
        for first, last, count in zip(course.breaks, course.breaks[1:], counts, strict=False)
    ]
    return course.position(np.append(np.concatenate(parts), course.length))
