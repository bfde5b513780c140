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

CELLS = 512  # along the map's longer side, where no resolution is given
MOST_CELLS = 2**24  # of one grid: 1 GB


def over_cells(
    terrain: Terrain, start: Floats, goal: Floats, weights: Floats, resolution: float | None
) -> Floats | None:
    """Points (n, 2) of the best way over cells of side `resolution` (m); None: there is none.

    A cell has the kind of ground of its middle, and is free if the disc fits there. Straight runs
    are one line each.

    Raises:
        BadQuery: a resolution that is not a positive number, or is too fine for the map.

    """
    x0, y0, x1, y1 = terrain.environment.bounds
    size = _checked(resolution, x1 - x0, y1 - y0)
    nx, ny = math.ceil((x1 - x0) / size), math.ceil((y1 - y0) / size)
    corner = np.array([x0, y0])
    way = search_cells(start, goal, corner, size, nx, ny, weights, terrain.ground)
    return _without_middles(way) if len(way) else None


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


def _without_middles(way: Floats) -> Floats:
    """The same way without cells between two others in line, which all are equally far apart."""
    if len(way) < 5:
        return way
    turns = np.abs(way[1:-3] - 2.0 * way[2:-2] + way[3:-1]).max(axis=1) > 1e-9
    return np.ascontiguousarray(way[np.r_[True, True, turns, True, True]])
