"""The walk-through: a camera that goes where one clicks (voronoi-roadmaps-2004, section 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import cos, dist, sin
from footway.crowd.capacity import nearest_free
from footway.studio.wire import Answer

if TYPE_CHECKING:
    from footway.studio.documents import Document
    from footway.studio.requests import Walk

_AHEAD = 5.0  # m, of the point that the camera looks at when it sets out
_APART = 0.05  # m, below which two stops are one


def walk(document: Document, ask: Walk) -> Answer:
    """Return the camera's motion (n, 7): time, place, direction.

    It begins where the camera is, or at the nearest place where it fits, and looks along `heading`
    at first.

    Raises:
        BadInput: a stop in a wall.
        NoPath: no way there.

    """
    from footway import camera

    cmap = document.corridors
    start = nearest_free(cmap, np.array([ask.start]), np.array([ask.radius]))[0]
    x, y = start.tolist()
    stops = _apart([(x, y), *ask.stops])
    if len(stops) < 2:
        return Answer({"duration": 0.0, "length": 0.0}, {"camera": np.empty((0, 7))})
    first: tuple[float, float] | camera.Stop = stops[0]
    if ask.heading is not None:
        ahead = (x + _AHEAD * cos(ask.heading), y + _AHEAD * sin(ask.heading))
        first = camera.Stop((x, y), 0.0, ahead)
    made = camera.tour(
        cmap, [first, *stops[1:]], radius=ask.radius, speed=ask.speed, height=ask.eye_height
    )
    facts = {
        "duration": made.duration,
        "length": made.length,
        "clearance": made.clearance,
        "arrivals": made.arrivals.tolist(),
    }
    return Answer(facts, {"camera": made.table[:, :7]})


def _apart(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points without those that are where the last one is."""
    kept = points[:1]
    for point in points[1:]:
        if dist(point, kept[-1]) > _APART:
            kept.append(point)
    return kept
