"""The plan of a volume between two heights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.errors import BadInput
from footway.formats.grid_tracing import from_grid
from footway.formats.solid.footprint import heights

if TYPE_CHECKING:
    from footway.environment import Environment, Volume


def cut_plan(volume: Volume, between: tuple[float, float]) -> Environment:
    """Return the plan of a volume: the columns that are free between two heights are walkable.

    Args:
        volume: voxels.
        between: low and high, m, e.g. just above the floor and body height.

    Raises:
        BadInput: invalid heights, or heights outside the volume.
        BadGeometry: no column is free between them.

    Example:
        >>> from footway.environment import gallery
        >>> cut_plan(gallery.make("house"), (0.2, 2)).area
        1990.0

    """
    low, high = heights(between)
    bottom = volume.origin[2]
    if low < bottom or high > bottom + volume.size[2]:
        raise BadInput(
            f"between {low:g} and {high:g} m lies outside the volume, which reaches from "
            f"{bottom:g} to {bottom + volume.size[2]:g} m; give heights within it"
        )
    first = int(np.floor((low - bottom) / volume.resolution + 1e-9))
    last = int(np.ceil((high - bottom) / volume.resolution - 1e-9))
    blocked = np.logical_or.reduce(volume.solid[first:last], axis=0)
    x, y, _ = volume.origin
    return from_grid(~blocked[::-1], scale=volume.resolution, origin=(x, y, 0.0), name=volume.name)
