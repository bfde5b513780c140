"""Trace exact polygons around the free cells of a grid.

Boundary edges have free space on their left. Straight runs of edges are found by row and by
column; each run is followed by the one that starts at its end, the left one if there are two. So
cells that touch at a corner only are not connected.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import shapely
from scipy import ndimage

from footway._numba.portable_math import cos, sin
from footway.constants import GRID
from footway.environment import Environment, InputGeometry, Pieces
from footway.errors import BadGeometry, BadInput, BadQuery
from footway.validation import pair, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Bools, Floats, Ints, Shapes
    from footway.environment import TerrainRegion, Volume


class _Runs(NamedTuple):
    """Straight boundary runs: (n, 2) start and end corner, (n, 2) a free cell, (n,) direction.

    Directions are 0 east, 1 north, 2 west, 3 south.
    """

    start: Ints
    end: Ints
    cell: Ints
    direction: Ints


def trace(free: Bools) -> Shapes:
    """Return polygons in cells around the free cells, one per 4-connected part.

    Args:
        free: (height, width) bool, row 0 on top, as in images.

    Returns:
        (n,) valid polygons; cell (row, column) is the square [column, column + 1] x
        [height - 1 - row, height - row], so that y points up. They share at most corners.
    """
    padded = np.pad(free[::-1], 1)
    above, below = padded[1:], padded[:-1]
    right, left = padded[:, 1:].T, padded[:, :-1].T
    several = [
        _straight(above & ~below, direction=0),
        _straight(left & ~right, direction=1),
        _straight(below & ~above, direction=2),
        _straight(right & ~left, direction=3),
    ]
    runs = _Runs(*(np.concatenate(columns) for columns in zip(*several, strict=True)))
    if not len(runs.direction):
        return np.empty(0, dtype=object)
    loops = _loops(runs)
    size = [len(loop) for loop in loops]
    first = [loop[0] for loop in loops]
    corners = runs.start[np.concatenate(loops)].astype(np.float64) - 1
    rings = shapely.linearrings(corners, indices=np.repeat(np.arange(len(loops)), size))
    parts = ndimage.label(padded)[0]
    x, y = runs.cell[first].T
    part = parts[y, x] - 1
    # Sorted by part, the shell first: only shells run counterclockwise.
    order = np.lexsort((~shapely.is_ccw(rings), part))
    polygons: Shapes = shapely.polygons(rings[order], indices=part[order])
    return polygons


def place(polygons: Any, *, scale: float, origin: tuple[float, float, float] = (0, 0, 0)) -> Any:
    """Return polygons in cells as polygons in metres.

    Args:
        polygons: array of polygons.
        scale: metres per cell.
        origin: x, y in metres of the lower left corner of the grid, and the angle in radians by
            which the grid is rotated about it, counterclockwise.
    """
    x, y, angle = origin
    along, across = np.array([cos(angle), sin(angle)]), np.array([-sin(angle), cos(angle)])

    def placed(cells: Floats) -> Floats:
        metres = cells * scale
        found: Floats = metres[:, :1] * along + metres[:, 1:] * across + (x, y)
        return found

    return shapely.transform(polygons, placed)


def _straight(edges: Bools, *, direction: int) -> _Runs:
    """Return maximal runs of edges along the rows; row i separates line i from line i + 1."""
    fence = np.pad(edges, ((0, 0), (1, 1)))
    line, begin = np.nonzero(fence[:, 1:] & ~fence[:, :-1])
    finish = np.nonzero(fence[:, :-1] & ~fence[:, 1:])[1]
    across = line + 1
    # The free cell is beyond the line for east and south, before it for north and west.
    beside = across if direction in {0, 3} else line
    low = np.stack([begin, across], axis=1)
    high = np.stack([finish, across], axis=1)
    cell = np.stack([begin, beside], axis=1)
    if direction in {1, 3}:
        low, high, cell = low[:, ::-1], high[:, ::-1], cell[:, ::-1]
    if direction in {2, 3}:
        low, high = high, low
    return _Runs(low, high, cell, np.full(len(line), direction))


def _loops(runs: _Runs) -> list[list[int]]:
    """Return closed loops of runs; none visits a corner twice."""
    follower, corner = _followers(runs)
    loops = []
    done = [False] * len(follower)
    for begin in range(len(follower)):
        if done[begin]:
            continue
        loop: list[int] = []
        position: dict[int, int] = {}
        run = begin
        while not done[run]:
            done[run] = True
            at = corner[run]
            if at in position:
                # The part since the last visit is a separate loop: a hole that touches the
                # rest at this corner. Valid polygons need a separate ring.
                back = position[at]
                loops.append(loop[back:])
                for gone in loop[back + 1 :]:
                    del position[corner[gone]]
                del loop[back:]
            position[at] = len(loop)
            loop.append(run)
            run = follower[run]
        loops.append(loop)
    return loops


def _followers(runs: _Runs) -> tuple[list[int], list[int]]:
    """Return for each run its successor and the index of its start corner."""
    width = int(max(runs.start[:, 0].max(), runs.end[:, 0].max())) + 1
    begin = runs.start[:, 1] * width + runs.start[:, 0]
    finish = runs.end[:, 1] * width + runs.end[:, 0]
    keys = begin * 4 + runs.direction
    order = np.argsort(keys)
    keys = keys[order]
    left = finish * 4 + (runs.direction + 1) % 4
    found = np.searchsorted(keys, left)
    turns_left = keys[np.minimum(found, len(keys) - 1)] == left
    right = finish * 4 + (runs.direction + 3) % 4
    chosen = np.where(turns_left, found, np.searchsorted(keys, right))
    return order[chosen].tolist(), begin.tolist()


def from_grid(
    free: Bools,
    *,
    scale: float,
    origin: tuple[float, float, float] = (0, 0, 0),
    terrain: Sequence[TerrainRegion] = (),
    name: str,
) -> Environment:
    """Return the environment of a grid; arguments as for `trace` and `place`.

    Raises:
        BadGeometry: no cell is free.
    """
    polygons = trace(free)
    if not len(polygons):
        raise BadGeometry("nothing is walkable: no cell is free; check colours and thresholds")
    shapes = place(polygons, scale=scale, origin=origin)
    labels = [f"part {i}" for i in range(len(shapes))]
    # With cells of four grid steps, corners stay off other edges for any rotation.
    walkable = Pieces(shapes, labels, apart=scale >= 4 * GRID)
    return Environment.from_input_geometry(
        InputGeometry(walkable=walkable), terrain=terrain, name=name
    )


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


def heights(between: Any) -> tuple[float, float]:
    """Return two validated heights, m."""
    try:
        low, high = pair(between, "heights")
    except BadQuery:
        low = high = math.nan
    if not low < high:
        raise BadInput(
            f"between is {shown(between)}; give two heights in metres, the lower one first"
        )
    return low, high
