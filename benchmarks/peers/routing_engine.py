"""JuPedSim's RoutingEngine: C++, triangulates the area and pulls a string along A*'s triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peers.navigator import NotInstalled

if TYPE_CHECKING:
    import shapely
    from numpy.typing import NDArray

    from benchmarks.peers.navigator import Point


class RoutingEngine:
    """Paths of a point in an area that is inset by the radius."""

    name = "JuPedSim RoutingEngine"

    def __init__(self, area: shapely.Polygon) -> None:
        self._engine = _library().RoutingEngine(area)

    def ask(self, start: Point, goal: Point) -> Any:
        """List of waypoints."""
        return self._engine.compute_waypoints(start, goal)

    def polyline(self, answer: Any, start: Point, goal: Point) -> NDArray[np.float64] | None:  # noqa: ARG002 - the answer has its ends
        """(n, 2) m."""
        return np.array(answer) if len(answer) > 1 else None


def _library() -> Any:
    try:
        import jupedsim
    except ImportError:
        raise NotInstalled("JuPedSim is not installed: pip install jupedsim") from None
    return jupedsim
