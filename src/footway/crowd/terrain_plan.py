"""Routes over terrain, as the pool of a crowd keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.crowd.kernels.terrain_routes import plan_routes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.crowd.terrain_following import Footing

    Floats = NDArray[np.float64]

MARGIN = 0.75  # m that routes keep off worse ground, where there is room: others push one about


class Route(NamedTuple):
    """A route as the pool keeps it."""

    points: Floats  # (n, 4) x, y, m along it, and the cost up to there
    pieces: Floats  # (m, 4) m along it at both ends, the triangle of the spread ground, and 0


def plan(starts: Floats, goals: Floats, footing: Footing) -> list[Route | None]:
    """Good routes from starts to goals (n, 2), m, of those who share their ground; None: no way.

    The answer for one does not depend on the others. NaN is nowhere.
    """
    routes: list[Route | None] = [None] * len(starts)
    asked = np.flatnonzero(np.isfinite(starts + goals).all(axis=1) & (starts != goals).any(axis=1))
    rows, sizes = plan_routes(
        starts[asked], goals[asked], MARGIN, footing.weights, footing.terrain.ground,
        footing.nodes, footing.away,
    )  # fmt: skip
    first = 0
    for one, (points, pieces) in zip(asked.tolist(), sizes.tolist(), strict=True):
        bend, end = first + points, first + points + pieces
        if pieces:
            routes[one] = Route(rows[first:bend], rows[bend:end])
        first = end
    return routes
