"""Conversion between metres and whole grid steps.

Geometry is repaired in whole grid steps (millimetres by default), stored as float64. GEOS computes
orientations of such coordinates exactly, so that "touches" and "crosses" are exact too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from footway.errors import BadGeometry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Shapes

MAX_STEPS: Final = 2_000_000_000
"""Grid steps. The Voronoi diagram uses 32-bit coordinates relative to the corner of the bounding
box: 2,000 km at one millimetre."""


def steps_per_metre(grid: float) -> float:
    """Return the number of grid steps per metre, a whole number if the grid divides the metre.

    Dividing whole steps by a whole number gives the float64 nearest to the decimal that a person
    would write (1.1, not 1.1000000000000001), which multiplying by the grid does not.
    """
    steps = 1.0 / grid
    return round(steps) if abs(steps - round(steps)) < 1e-9 * steps else steps


def to_steps(geometry: Any, grid: float) -> Any:
    """Return geometry (one or an array) in metres as 2D geometry rounded to whole steps."""
    per_metre = steps_per_metre(grid)
    return shapely.transform(geometry, lambda xy: np.rint(xy * per_metre))


def to_metres(geometry: Any, grid: float) -> Any:
    """Return geometry (one or an array) in whole steps as geometry in metres."""
    per_metre = steps_per_metre(grid)
    return shapely.transform(geometry, lambda xy: xy / per_metre)


def polygon_parts(geometry: Any) -> Shapes:
    """Return the non-empty polygons in geometry (one or an array, as of overlays)."""
    parts = shapely.get_parts(shapely.get_parts(geometry))
    polygonal = shapely.get_type_id(parts) == shapely.GeometryType.POLYGON
    polygons: Shapes = parts[polygonal & ~shapely.is_empty(parts)]
    return polygons


def check_coordinates(geometries: Shapes, labels: Sequence[str], *, grid: float) -> None:
    """Raise an error if coordinates in metres do not fit on a 32-bit grid.

    Raises:
        BadGeometry: a coordinate is NaN or infinite, too far from the origin for float64 to
            resolve grid steps, or the bounding box is wider than 2,000,000,000 steps.
    """
    xy, owner = shapely.get_coordinates(geometries, return_index=True)
    if not len(xy):
        return
    finite = np.isfinite(xy).all(axis=1)
    if not finite.all():
        first = int(np.argmin(finite))
        x, y = xy[first]
        raise BadGeometry(
            f"{labels[owner[first]]}: coordinate ({x:g}, {y:g}) is not a finite number; "
            "remove or correct it"
        )
    largest = np.abs(xy).max(axis=1)
    worst = int(np.argmax(largest))
    place = f"{labels[owner[worst]]}, coordinate ({xy[worst, 0]:g}, {xy[worst, 1]:g})"
    if np.spacing(largest[worst]) > grid / 4:
        raise BadGeometry(
            f"{place} is too far from the origin to keep {grid:g} m; "
            "move the map towards (0, 0), and check that its unit is metres"
        )
    extent = float(np.ptp(xy, axis=0).max())
    if extent / grid >= MAX_STEPS:
        raise BadGeometry(
            f"{place} makes the map {extent / 1000:,.0f} km wide, more than the "
            f"{MAX_STEPS * grid / 1000:,.0f} km that a grid of {grid:g} m can hold; "
            "check that its unit is metres"
        )
