"""Plan routes over terrain in the layout of the crowd's pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.crowd.kernels.terrain_routes import plan_routes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.crowd.terrain_following import Footing

    Floats = NDArray[np.float64]

MARGIN = 0.75  # m between routes and worse terrain if possible: other characters push sideways


class Route(NamedTuple):
    """A route in the layout of the pool."""

    points: Floats  # (n, 4) x, y, m along it, cost up to there
    pieces: Floats  # (m, 4) m along it at both ends, triangle (see `spread`), 0


def plan(starts: Floats, goals: Floats, footing: Footing) -> list[Route | None]:
    """Plan routes from starts to goals (n, 2), m, for one following style; None: no route.

    Each result is independent of the others. There is no route from or to NaN.
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
