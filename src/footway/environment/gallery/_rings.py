"""Convert rings of corners to Shapely polygons on the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.environment.gallery._convex import Ring

DECIMALS: Final = 3
"""Coordinates are whole millimetres (`constants.GRID`), so that the last bit of a sine, which may
differ between platforms, never reaches the map."""


def polygons(rings: Sequence[Ring]) -> Any:
    """Polygons as an array (n,), corners rounded to 1 mm."""
    corners = on_grid([corner for ring in rings for corner in ring])
    owner = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    return shapely.polygons(shapely.linearrings(corners, indices=owner))


def on_grid(coordinates: Any) -> Any:
    """Coordinates (..., 2) in metres, rounded to 1 mm."""
    return np.round(np.asarray(coordinates, dtype=np.float64), DECIMALS)
