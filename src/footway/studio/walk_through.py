"""The walk-through: a camera that moves to clicked points (voronoi-roadmaps-2004, section 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import cos, dist, sin
from footway.crowd.capacity import nearest_free
from footway.studio.wire import Answer

if TYPE_CHECKING:
    from footway.studio.documents import Document
    from footway.studio.requests import Walk

_AHEAD = 5.0  # m, distance of the point that the camera looks at first
_APART = 0.05  # m, minimum distance of two stops


def walk(document: Document, request: Walk) -> Answer:
    """Return the camera's motion (n, 7): time, position, direction.

    It starts at the camera's position, or at the nearest free one, and looks along `heading` first.

    Raises:
        BadInput: a stop in a wall.
        NoPath: a stop cannot be reached.

    """
    from footway import camera

    cmap = document.corridors
    start = nearest_free(cmap, np.array([request.start]), np.array([request.radius]))[0]
    x, y = start.tolist()
    stops = _apart([(x, y), *request.stops])
    if len(stops) < 2:
        return Answer({"duration": 0.0, "length": 0.0}, {"camera": np.empty((0, 7))})
    first: tuple[float, float] | camera.Stop = stops[0]
    if request.heading is not None:
        ahead = (x + _AHEAD * cos(request.heading), y + _AHEAD * sin(request.heading))
        first = camera.Stop((x, y), 0.0, ahead)
    made = camera.tour(
        cmap,
        [first, *stops[1:]],
        radius=request.radius,
        speed=request.speed,
        height=request.eye_height,
    )
    facts = {
        "duration": made.duration,
        "length": made.length,
        "clearance": made.clearance,
        "arrivals": made.arrivals.tolist(),
    }
    return Answer(facts, {"camera": made.table[:, :7]})


def _apart(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Remove points that are closer than `_APART` to the one before."""
    kept = points[:1]
    for point in points[1:]:
        if dist(point, kept[-1]) > _APART:
            kept.append(point)
    return kept
