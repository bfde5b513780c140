"""Footway, with the interface of its peers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footway import NoPath

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchmarks.peers.navigator import Point
    from footway import CorridorMap, Path


class Footway:
    """Paths of a disc on the corridor map, which serves every radius."""

    name = "Footway"

    def __init__(self, cmap: CorridorMap, radius: float) -> None:
        self._cmap = cmap
        self._radius = radius

    def ask(self, start: Point, goal: Point) -> Path | None:
        """Path with its certificate."""
        try:
            return self._cmap.path(start, goal, radius=self._radius)
        except NoPath:
            return None

    def polyline(
        self,
        answer: Path | None,
        start: Point,  # noqa: ARG002 - the path has its ends
        goal: Point,  # noqa: ARG002
    ) -> NDArray[np.float64] | None:
        """(n, 2) m."""
        return None if answer is None else answer.points


class WithoutLandmarks(Footway):
    """The same on a map without landmarks."""

    name = "Footway, without landmarks"


class Prepared(Footway):
    """The same on a map with a table for the radius."""

    name = "Footway, prepared"


class FootwayPoints(Footway):
    """The same with the polyline of each path, which `Path.points` computes on first use."""

    name = "Footway, with `.points`"

    def ask(self, start: Point, goal: Point) -> Path | None:
        """Return a path with its polyline computed."""
        path = super().ask(start, goal)
        if path is not None:
            path.points  # noqa: B018 - computed here
        return path


class Preferred(Footway):
    """Paths with a preferred clearance of 1 m."""

    name = "Footway, 1 m preferred"

    def ask(self, start: Point, goal: Point) -> Path | None:
        """Path that keeps the preferred clearance where the corridor is wide enough."""
        try:
            return self._cmap.path(start, goal, radius=self._radius, clearance=1.0)
        except NoPath:
            return None
