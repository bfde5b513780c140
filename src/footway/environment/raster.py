"""Rasterise free space into cells in which an object fits, with the clearance at their corners.

A cell is free if the object fits for every position of its centre in the closed cell. A straight
line through free cells is therefore collision-free everywhere, not only at samples. Touching an
obstacle is allowed. Roadmaps are built on these cells.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely

from footway.environment.environment import Environment
from footway.environment.volume import Volume, cells_along, check_memory, round_up
from footway.errors import BadInput
from footway.validation import FARTHEST, extent_of, number, point
from footway.validation import radius as checked_radius

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats

FINEST: Final = 0.5  # m. Default side of a cell: that of the Field and the Office in table I
MOST_CELLS: Final = 200  # default number of cells along the longer side of a large map

TOUCHING: Final = 1 - 1e-9
"""Fraction of the radius that must be kept: a disc may touch a wall, and rounding errors of the
distance must not matter."""

_CHUNK: Final = 200_000  # cells converted to Shapely boxes at a time: each takes a thousand bytes


class Raster(NamedTuple):
    """Discretised free space of a translating object.

    Attributes:
        free: (nz, ny, nx) bool, cells in which the object fits; nz = 1 in two dimensions.
        clearance: at the corners of the cells, m: distance between the object and the nearest
            obstacle, at least 0. In two dimensions (1, ny + 1, nx + 1), exact: the distance to
            the walls minus the radius. In three (nz + 1, ny + 1, nx + 1): the distance to the
            nearest cell that is not free or lies outside.
        origin: (3,) lower corner, m.
        resolution: m, side of a cell.
        dimension: 2 or 3.
        walls: (n, 4) x0, y0, x1, y1 of the walls, m; a point obstacle has both ends in one place.
            (0, 4) in three dimensions.
        radius: of the disc or ball, m; 0 for a box.
        size: (3,) m, bounding box of the object.
    """

    free: Bools
    clearance: Floats
    origin: Floats
    resolution: float
    dimension: int
    walls: Floats
    radius: float
    size: Floats


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
        resolution: m, side of a cell. By default 0.5 m, or more for maps wider than 100 m. A
            Volume has a fixed resolution, and no other is accepted.
        radius: m, of the disc or the ball.
        size: (x, y, z) of a translating box, m; only for a Volume, instead of the radius.

    Raises:
        BadInput: invalid lengths, a resolution too fine for the available memory, or no cell in
            which the object fits.

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
        raise BadInput(f"a {kind} is not a map; give an Environment or a Volume")
    if raster.free.any():
        return raster
    thing = f"a {'disc' if raster.dimension == 2 else 'ball'} of radius {raster.radius:g} m"
    if not raster.radius:
        thing = f"a box of {' x '.join(f'{side:g}' for side in raster.size)} m"
    where = f"{environment.name}: " if environment.name else ""
    cells = raster.free.shape[::-1][: raster.dimension]
    sides = " x ".join(f"{count * raster.resolution:.4g}" for count in cells)
    raise BadInput(
        f"{where}{thing} fits in no cell of {raster.resolution:g} m; take a finer resolution or a "
        f"smaller object, or another scale if the map is not {sides} m large"
    )


def _length(value: Any, what: str) -> float:
    return number(value, what, "m", above=0.0, high=FARTHEST, error=BadInput)


# Two dimensions ----------------------------------------------------------------------------------


def _plane_raster(env: Environment, resolution: Any, radius: Any, size: Any) -> Raster:
    if size is not None:
        raise BadInput("in two dimensions the object is a disc: give its radius, not a size")
    x0, y0, x1, y1 = env.bounds
    r = checked_radius(radius, extent_of(env.bounds), above=0.0, error=BadInput)
    step = usual_step(env) if resolution is None else _length(resolution, "resolution")
    nx, ny = cells_along((x1 - x0, y1 - y0), step)
    walls, tree = wall_tree(env)
    x = np.array([x0 + step * i for i in range(nx + 1)])
    y = np.array([y0 + step * j for j in range(ny + 1)])
    j, i = np.divmod(np.arange(ny * nx), nx)
    free = boxes_are_free(env, tree, (x[i], y[j], x[i + 1], y[j + 1]), r)
    return Raster(
        free=free.reshape(1, ny, nx), clearance=_corner_clearance(env, tree, x, y, r)[np.newaxis],
        origin=np.array([x0, y0, 0.0]), resolution=step, dimension=2, walls=walls, radius=r,
        size=np.array([2 * r, 2 * r, 0.0]),
    )  # fmt: skip


def usual_step(env: Environment) -> float:
    """Return the usual side of a cell, m: 0.5, or more for maps wider than 100 m."""
    x0, y0, x1, y1 = env.bounds
    return round_up(max(FINEST, max(x1 - x0, y1 - y0) / MOST_CELLS))


def wall_tree(env: Environment) -> tuple[Floats, Any]:
    """Return the walls (n, 4) m, and a tree of them for queries by distance."""
    walls = np.concatenate([env.walls.segments, np.tile(env.walls.points, 2)])
    shapely.prepare(env.walkable)
    return walls, shapely.STRtree(shapely.linestrings(walls.reshape(-1, 2, 2)))


def boxes_are_free(env: Environment, tree: Any, boxes: tuple[Floats, ...], radius: float) -> Bools:
    """Return which boxes x0, y0, x1, y1, (n,) m each, are at least the radius from all walls.

    A box without walls lies completely inside or outside walkable space: its centre is tested.
    """
    x0, y0, x1, y1 = boxes
    free: Bools = shapely.contains_xy(env.walkable, (x0 + x1) / 2, (y0 + y1) / 2)
    inside = np.flatnonzero(free)
    for first in range(0, len(inside), _CHUNK):
        part = inside[first : first + _CHUNK]
        cells = shapely.box(x0[part], y0[part], x1[part], y1[part])
        near, _ = tree.query(cells, predicate="dwithin", distance=radius * TOUCHING)
        free[part[near]] = False
    return free


def _corner_clearance(env: Environment, tree: Any, x: Floats, y: Floats, radius: float) -> Floats:
    """Return (ny + 1, nx + 1) distance to the walls minus the radius, m, at least 0."""
    corner_x, corner_y = (side.ravel() for side in np.meshgrid(x, y))
    clearance = np.zeros(len(corner_x))
    inside = np.flatnonzero(shapely.contains_xy(env.walkable, corner_x, corner_y))
    points = shapely.points(corner_x[inside], corner_y[inside])
    (found, _), distance = tree.query_nearest(points, return_distance=True, all_matches=False)
    clearance[inside[found]] = np.maximum(distance - radius, 0.0)
    return clearance.reshape(len(y), len(x))


# Three dimensions --------------------------------------------------------------------------------


def _volume_raster(volume: Volume, resolution: Any, radius: Any, size: Any) -> Raster:
    step = volume.resolution
    if resolution is not None:
        wanted = _length(resolution, "resolution")
        if not math.isclose(wanted, step):
            raise BadInput(
                f"the voxels of {volume.name or 'the volume'} are {step:g} m wide, not {wanted:g}; "
                "leave out the resolution, or load the volume again at another one"
            )
    check_memory(volume.solid.size, resolution=step, dimension=3)
    extent = extent_of(volume.bounds)
    if size is None:
        r = checked_radius(radius, extent, above=0.0, error=BadInput)
        box, free = np.full(3, 2 * r), _free_for_ball(volume, r)
    else:
        r, box = 0.0, point(size, "size", 3, error=BadInput)
        for side in box.tolist():
            checked_radius(side, extent, name="side of the box", above=0.0, error=BadInput)
        free = _free_for_box(volume, box)
    return Raster(
        free=free, clearance=distance_to(~free) * step, origin=np.array(volume.origin),
        resolution=step, dimension=3, walls=np.empty((0, 4)), radius=r, size=box,
    )  # fmt: skip


def _free_for_box(volume: Volume, box: Floats) -> Bools:
    """Return the cells over which the box can be swept without meeting a solid voxel (exact).

    Along each axis the open interval swept over cell i reaches from i - h to i + 1 + h, where h
    is half the box in voxels. It meets the voxels i - ceil(h) to i + ceil(h).
    """
    from scipy.ndimage import maximum_filter1d

    met = volume.solid.astype(np.uint8)
    for axis, side in zip((2, 1, 0), box, strict=True):
        reach = math.ceil(side / (2 * volume.resolution) - 1e-9)
        met = maximum_filter1d(met, 2 * reach + 1, axis=axis, mode="constant", cval=1)
    free: Bools = met == 0
    return free


def _free_for_ball(volume: Volume, radius: float) -> Bools:
    """Return the cells at least the radius away from every solid voxel (exact).

    The distance between two boxes of one lattice is attained at two of their corners.
    """
    distance = distance_to(volume.solid) * volume.resolution
    for axis in range(3):
        along = np.moveaxis(distance, axis, 0)
        distance = np.moveaxis(np.minimum(along[1:], along[:-1]), 0, axis)
    return np.ascontiguousarray(distance >= radius * TOUCHING)


def distance_to(cells: Bools, dimension: int = 3) -> Floats:
    """Return the distance of each corner to the nearest True cell, in cells.

    The shape is (nz + 1, ny + 1, nx + 1), or (1, ny + 1, nx + 1) in two dimensions. Cells outside
    count as True. Exact: the point of a lattice box nearest to a corner is a corner of that box.

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
    distance: Floats = distance_transform_edt(np.ascontiguousarray(~around))
    return distance
