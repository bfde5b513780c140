"""Cells in which an object fits, and its clearance at their corners: what roadmaps are built on.

A cell is free when the object fits wherever in the closed cell its centre is. A straight line
through free cells is therefore free in the real world, not only at samples. Touching an obstacle
is allowed, running into it is not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely

from footway.environment.environment import Environment
from footway.environment.memory import cells_along, check_memory, round_up
from footway.environment.volume import Volume
from footway.errors import BadInput
from footway.validation import FARTHEST, extent_of, number, point
from footway.validation import radius as checked_radius

if TYPE_CHECKING:
    from numpy.typing import NDArray

FINEST: Final = 0.5
"""m. Side of a cell where the caller does not say: that of the Field and the Office in table I."""

MOST_CELLS: Final = 200
"""Cells along the longer side of a large map where the caller does not say."""

TOUCHING: Final = 1 - 1e-9
"""Share of a radius that must be kept: a disc that just touches a wall is not in it, and the last
bits of a distance do not matter."""

_CHUNK: Final = 200_000
"""Cells that are boxes of Shapely at one time: they take a thousand bytes each."""


class Raster(NamedTuple):
    """The space of an object that translates, discretised.

    Attributes:
        free: (nz, ny, nx) bool, cells in which the object fits; nz = 1 in two dimensions.
        clearance: at the corners of the cells, m: distance between the object and the nearest
            obstacle, 0 at the least. (1, ny + 1, nx + 1) in two dimensions, where it is exact:
            the distance to the walls less the radius. (nz + 1, ny + 1, nx + 1) in three: the
            distance to the nearest cell that is not free, or that would lie outside.
        origin: (3,) lower corner, m.
        resolution: m, side of a cell.
        dimension: 2 or 3.
        walls: (n, 4) x0, y0, x1, y1 of the walls, m; a point obstacle has both ends in one place.
            (0, 4) in three dimensions.
        radius: of the disc or ball, m; 0 for a box.
        size: (3,) m, the object's box.

    """

    free: NDArray[np.bool_]
    clearance: NDArray[np.float64]
    origin: NDArray[np.float64]
    resolution: float
    dimension: int
    walls: NDArray[np.float64]
    radius: float
    size: NDArray[np.float64]


def rasterise(
    environment: Environment | Volume,
    *,
    resolution: float | None = None,
    radius: float = 0.25,
    size: tuple[float, float, float] | None = None,
) -> Raster:
    """Return the cells in which an object fits (rrm-roadmaps-2006, section V.A and table I).

    Args:
        environment: in two dimensions the object is a disc; in three (a Volume) a ball or a box.
        resolution: m, side of a cell. By default 0.5 m, or more for maps wider than 100 m; for a
            Volume its own, and no other.
        radius: m, of the disc or the ball.
        size: (x, y, z) of a box that translates, m; a Volume only, in place of the radius.

    Raises:
        BadInput: lengths that are none, a resolution so fine that memory would not suffice, or
            no cell in which the object fits.

    Example:
        >>> from footway.environment import gallery
        >>> raster = rasterise(gallery.make("field"), resolution=0.5, radius=0.5)
        >>> raster.free.shape, int(raster.free.sum())
        ((1, 94, 94), 7531)

    """
    if isinstance(environment, Volume):
        raster = _volume_raster(environment, resolution, radius, size)
    elif isinstance(environment, Environment):
        raster = _plane_raster(environment, resolution, radius, size)
    else:
        kind = type(environment).__name__
        raise BadInput(f"a {kind} is no map; give an Environment or a Volume")
    if not raster.free.any():
        raise BadInput(_no_room(raster, environment.name))
    return raster


def _no_room(raster: Raster, name: str) -> str:
    cell = f"cell of {raster.resolution:g} m"
    if raster.dimension == 2:
        thing = f"a disc of radius {raster.radius:g} m"
    elif raster.radius:
        thing = f"a ball of radius {raster.radius:g} m"
    else:
        thing = f"a box of {' x '.join(f'{side:g}' for side in raster.size)} m"
    where = f"{name}: " if name else ""
    cells = raster.free.shape[::-1][: raster.dimension]
    size = " x ".join(f"{count * raster.resolution:.4g}" for count in cells)
    return (
        f"{where}{thing} fits in no {cell}; take a finer resolution or a smaller object, or "
        f"another scale if the map is not {size} m large"
    )


def _length(value: Any, what: str) -> float:
    return number(value, what, "m", above=0.0, high=FARTHEST, error=BadInput)


# Two dimensions ----------------------------------------------------------------------------------


def _plane_raster(env: Environment, resolution: Any, radius: Any, size: Any) -> Raster:
    if size is not None:
        raise BadInput("in two dimensions the object is a disc: give its radius, not a size")
    x0, y0, x1, y1 = env.bounds
    r = checked_radius(radius, extent_of(env.bounds), above=0.0, error=BadInput)
    if resolution is None:
        step = round_up(max(FINEST, max(x1 - x0, y1 - y0) / MOST_CELLS))
    else:
        step = _length(resolution, "resolution")
    nx, ny = cells_along((x1 - x0, y1 - y0), step)
    walls = np.concatenate([env.walls.segments, np.tile(env.walls.points, 2)])
    tree = shapely.STRtree(shapely.linestrings(walls.reshape(-1, 2, 2)))
    shapely.prepare(env.walkable)
    x = np.array([x0 + step * i for i in range(nx + 1)])
    y = np.array([y0 + step * j for j in range(ny + 1)])
    return Raster(
        free=_free_cells(env, tree, x, y, r)[np.newaxis],
        clearance=_corner_clearance(env, tree, x, y, r)[np.newaxis],
        origin=np.array([x0, y0, 0.0]),
        resolution=step,
        dimension=2,
        walls=walls,
        radius=r,
        size=np.array([2 * r, 2 * r, 0.0]),
    )


def _free_cells(
    env: Environment, tree: Any, x: NDArray[np.float64], y: NDArray[np.float64], radius: float
) -> NDArray[np.bool_]:
    """(ny, nx) cells inside walkable space that keep the radius from every wall.

    A cell without a wall in it lies wholly inside or wholly outside: its middle tells.
    """
    ny, nx = len(y) - 1, len(x) - 1
    middle_x, middle_y = np.meshgrid((x[1:] + x[:-1]) / 2, (y[1:] + y[:-1]) / 2)
    middles = (middle_x.ravel(), middle_y.ravel())
    free: NDArray[np.bool_] = shapely.contains_xy(env.walkable, *middles)
    inside = np.flatnonzero(free)
    for first in range(0, len(inside), _CHUNK):
        part = inside[first : first + _CHUNK]
        j, i = np.divmod(part, nx)
        cells = shapely.box(x[i], y[j], x[i + 1], y[j + 1])
        near, _ = tree.query(cells, predicate="dwithin", distance=radius * TOUCHING)
        free[part[near]] = False
    return free.reshape(ny, nx)


def _corner_clearance(
    env: Environment, tree: Any, x: NDArray[np.float64], y: NDArray[np.float64], radius: float
) -> NDArray[np.float64]:
    """(ny + 1, nx + 1) distance to the walls less the radius, m; 0 at the least."""
    corner_x, corner_y = (side.ravel() for side in np.meshgrid(x, y))
    clearance = np.zeros(len(corner_x))
    inside = np.flatnonzero(shapely.contains_xy(env.walkable, corner_x, corner_y))
    points = shapely.points(corner_x[inside], corner_y[inside])
    (asked, _), distance = tree.query_nearest(points, return_distance=True, all_matches=False)
    clearance[inside[asked]] = np.maximum(distance - radius, 0.0)
    return clearance.reshape(len(y), len(x))


# Three dimensions --------------------------------------------------------------------------------


def _volume_raster(volume: Volume, resolution: Any, radius: Any, size: Any) -> Raster:
    step = volume.resolution
    if resolution is not None:
        asked = _length(resolution, "resolution")
        if not math.isclose(asked, step):
            raise BadInput(
                f"the voxels of {volume.name or 'the volume'} are {step:g} m wide, not {asked:g}; "
                "leave out the resolution, or load the volume again at another one"
            )
    check_memory(volume.solid.size, resolution=step, dimension=3)
    extent = extent_of(volume.bounds)
    r = 0.0
    if size is None:
        r = checked_radius(radius, extent, above=0.0, error=BadInput)
    box = np.full(3, 2 * r) if size is None else _box_of(size, extent)
    free = _free_for_box(volume, box) if size is not None else _free_for_ball(volume, r)
    return Raster(
        free=free,
        clearance=distance_to(~free) * step,
        origin=np.array(volume.origin),
        resolution=step,
        dimension=3,
        walls=np.empty((0, 4)),
        radius=r,
        size=box,
    )


def _box_of(size: Any, extent: float) -> NDArray[np.float64]:
    sides = point(size, "size", 3, error=BadInput)
    for side in sides.tolist():
        checked_radius(side, extent, name="side of the box", above=0.0, error=BadInput)
    return sides


def _free_for_box(volume: Volume, box: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Cells over which the box can be swept without meeting a solid voxel: exact.

    Along each axis the open interval that is swept over cell i reaches from i - h to i + 1 + h,
    where h is half the box in voxels, and meets the voxels i - ceil(h) to i + ceil(h).
    """
    from scipy.ndimage import maximum_filter1d

    met = volume.solid.astype(np.uint8)
    for axis, side in zip((2, 1, 0), box, strict=True):
        reach = math.ceil(side / (2 * volume.resolution) - 1e-9)
        met = maximum_filter1d(met, 2 * reach + 1, axis=axis, mode="constant", cval=1)
    free: NDArray[np.bool_] = met == 0
    return free


def _free_for_ball(volume: Volume, radius: float) -> NDArray[np.bool_]:
    """Cells that keep the radius from every solid voxel: exact.

    Two boxes of one lattice are nearest to each other at two of their corners.
    """
    distance = distance_to(volume.solid) * volume.resolution
    for axis in range(3):
        along = np.moveaxis(distance, axis, 0)
        distance = np.moveaxis(np.minimum(along[1:], along[:-1]), 0, axis)
    free: NDArray[np.bool_] = np.ascontiguousarray(distance >= radius * TOUCHING)
    return free


def distance_to(cells: NDArray[np.bool_], dimension: int = 3) -> NDArray[np.float64]:
    """(nz + 1, ny + 1, nx + 1) distance of each corner to the nearest of these cells, in cells.

    In two dimensions (1, ny + 1, nx + 1). What lies outside counts as such a cell. Exact: the point
    of a box of the lattice that is nearest to a corner is a corner of that box.

    Example:
        >>> distance_to(np.array([[[False, False], [False, False]]]), 2)[0].tolist()
        [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]

    """
    from scipy.ndimage import distance_transform_edt

    axes = range(3 - dimension, 3)
    around = np.pad(cells, [(int(axis in axes),) * 2 for axis in range(3)], constant_values=True)
    for axis in axes:
        along = np.moveaxis(around, axis, 0)
        around = np.moveaxis(along[1:] | along[:-1], 0, axis)
    distance: NDArray[np.float64] = distance_transform_edt(np.ascontiguousarray(~around))
    return distance
