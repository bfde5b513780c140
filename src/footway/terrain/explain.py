"""Explain why there is no route, by a query of the corridor map."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from footway.corridor import CorridorMap
from footway.errors import BadQuery, NoPath
from footway.validation import as_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from footway.environment import Environment
    from footway.terrain.terrain import Terrain

    Floats = NDArray[np.float64]

_kept: WeakKeyDictionary[Environment, CorridorMap] = WeakKeyDictionary()


def refusal(terrain: Terrain, start: Floats, goal: Floats, *, grid: bool) -> BadQuery | NoPath:
    """Return the error that explains why there is no route from start to goal.

    Builds the corridor map of the environment on the first call.
    """
    cmap = _kept.get(terrain.environment) or CorridorMap.build(terrain.environment)
    _kept[terrain.environment] = cmap
    try:
        cmap.path(start, goal, radius=terrain.radius)
    except (BadQuery, NoPath) as error:
        return error
    if grid:
        return NoPath(
            f"no path over the grid from {as_text(start)} to {as_text(goal)}, though a disc of "
            f"radius {terrain.radius:g} m gets there: take a finer resolution, or "
            "method='triangles'",
            reason="pinch",  # a passage that is too narrow for the cells
        )
    # Triangles replace arcs around corners by tangents, which takes less than 1 % of the radius.
    return NoPath(
        f"a disc of radius {terrain.radius:g} m fits too tightly to get from {as_text(start)} to "
        f"{as_text(goal)}: take a radius that is 1 % smaller",
        reason="pinch",
    )
