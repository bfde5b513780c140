"""Indicative routes over a grid of cells (miran-2013, section 4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from footway.errors import BadQuery
from footway.terrain.kernels.grid_route import search_cells
from footway.validation import FARTHEST, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.terrain.terrain import Terrain

    Floats = NDArray[np.float64]

CELLS = 512  # along the map's longer side, by default
MOST_CELLS = 2**24  # per grid: 1 GB


def over_cells(
    terrain: Terrain, start: Floats, goal: Floats, weights: Floats, resolution: float | None
) -> Floats | None:
    """Return points (n, 2) of the cheapest path over cells of side `resolution` (m), or None.

    A cell has the kind of terrain of its centre, and is free if the disc fits there. Collinear
    points are removed.

    Raises:
        BadQuery: the resolution is not a positive number, or is too fine for the map.

    """
    x0, y0, x1, y1 = terrain.environment.bounds
    size = _checked(resolution, x1 - x0, y1 - y0)
    nx, ny = math.ceil((x1 - x0) / size), math.ceil((y1 - y0) / size)
    corner = np.array([x0, y0])
    path = search_cells(start, goal, corner, size, nx, ny, weights, terrain.ground)
    return _without_collinear(path) if len(path) else None


def _checked(resolution: float | None, width: float, height: float) -> float:
    if resolution is None:
        return max(width, height) / CELLS
    size = number(resolution, "resolution", "m", above=0.0, high=FARTHEST)
    if width * height > MOST_CELLS * size * size:
        least = math.sqrt(width * height / MOST_CELLS)
        raise BadQuery(
            f"a resolution of {size:g} m makes more than {MOST_CELLS} cells on this map: "
            f"give {least:.3g} m or more"
        )
    return size


def _without_collinear(path: Floats) -> Floats:
    """Remove cells in line with their neighbours, which are equally far apart."""
    if len(path) < 5:
        return path
    turns = np.abs(path[1:-3] - 2.0 * path[2:-2] + path[3:-1]).max(axis=1) > 1e-9
    return np.ascontiguousarray(path[np.r_[True, True, turns, True, True]])
