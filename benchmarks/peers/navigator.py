"""Interface of libraries that answer path queries, and the area that they get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import shapely

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from footway import Environment

    Point = tuple[float, float]


class NotInstalled(Exception):
    """The peer is absent; the message says how to get it."""


class Navigator(Protocol):
    """Answers queries. Only `ask` is timed."""

    name: str

    def ask(self, start: Point, goal: Point) -> Any:
        """Answer in the library's own type."""

    def polyline(self, answer: Any, start: Point, goal: Point) -> NDArray[np.float64] | None:
        """(n, 2) points of an answer in metres; None for no path."""


def inset(env: Environment, radius: float) -> shapely.Polygon:
    """Return the walkable area inset by the radius, for libraries without radii.

    Mitred corners, because round ones would give the peers four times as many vertices, make them
    three times slower, and let their chords come closer to the corners than the radius.
    """
    area = shapely.buffer(env.walkable, -radius, join_style="mitre")
    assert area.geom_type == "Polygon", "the benchmark map falls apart at this radius"
    return area
