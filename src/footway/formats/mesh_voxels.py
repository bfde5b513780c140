"""Conservative voxelisation of a surface: free voxels contain no part of the mesh.

A voxel is solid if the surface passes through its interior, if its centre lies inside a solid body,
or if there are rooms and its centre lies outside them. A face in the plane between two voxels
belongs to the body behind it; a face of an open body makes both voxels solid.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from footway.constants import TOUCH
from footway.environment import Volume
from footway.environment.volume import check_memory
from footway.errors import BadGeometry, BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from footway.arrays import Bools, Floats, Ints
    from footway.formats.mesh_bodies import Surface

_PAIRS: Final = 200_000
"""Pairs of a face and a column near it that are processed together: about 200 MB."""

_OFFSET: Final = np.array([0.618033988749895, 0.324717957244746]) * 1e-7
"""Voxels. Offset of the vertical test lines from the voxel centres, so that they miss the edges of
meshes with round coordinates."""


def voxelise(surface: Surface, *, resolution: float, name: str) -> Volume:
    """Return the volume of a surface, within its box, rounded up to whole voxels.

    Raises:
        BadGeometry: no voxel is free, or there is only one voxel.
        BadInput: the resolution is too fine for the available memory.
    """
    low = surface.vertices.min(axis=0)
    # A flat mesh has one layer of voxels.
    sides = np.maximum(surface.vertices.max(axis=0) - low, resolution) / resolution
    x, y, z = (math.ceil(side - 1e-9) for side in sides.tolist())
    # One voxel, or more than fit in memory: the unit is probably wrong.
    voxels = x * y * z
    units = "if that is wrong, give scale= in metres per unit of the mesh"
    if voxels == 1:
        raise BadGeometry(
            f"is {surface.size}, no more than one voxel of {resolution:g} m: {units}; else take a "
            "finer resolution"
        )
    try:
        check_memory(voxels, resolution=resolution, dimension=3)
    except BadInput as error:
        raise BadInput(f"{error}; the mesh is {surface.size}: {units}") from error
    solid = np.zeros((z, y, x), dtype=bool)
    corners = (surface.corners - low) / resolution
    slack = TOUCH / resolution
    _mark(solid, corners[surface.closed], 0.5 - slack)
    _mark(solid, corners[~surface.closed], 0.5 + slack)
    solid |= _winding(corners[surface.closed & ~surface.room], solid.shape) > 0
    if surface.room.any():
        solid |= _winding(corners[surface.room], solid.shape) == 0
    if solid.all():
        found = "".join(f"; {repair.detail}" for repair in surface.repairs)
        raise BadGeometry(
            f"leaves none of the {solid.size:,} voxels of {resolution:g} m in its box of "
            f"{surface.size} free; take a finer resolution, or a mesh that has space around it"
            f"{found}"
        )
    return Volume(solid, resolution, tuple(low.tolist()), name, surface.repairs)


def _mark(solid: Bools, corners: Floats, half: float) -> None:
    """Mark the voxels that triangles meet as solid; a voxel extends `half` to all sides.

    A triangle is processed along the axis most parallel to its normal, so that it passes through
    few voxels of each column, however large it is.
    """
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = np.argmax(np.abs(across), axis=1)
    for axis in range(3):
        turned = ((axis + 1) % 3, (axis + 2) % 3, axis)
        voxels = solid.transpose([2 - k for k in turned])
        _mark_columns(voxels, corners[facing == axis][:, :, turned], half)


def _mark_columns(voxels: Bools, corners: Floats, half: float) -> None:
    """Mark (nx, ny, nz) voxels that triangles meet whose normal is closest to z."""
    limit = np.array(voxels.shape)
    slack = half - 0.5
    low = np.floor(corners.min(axis=1) - slack).astype(np.int64).clip(0, limit)
    high = np.floor(corners.max(axis=1) + slack + 1).astype(np.int64).clip(0, limit)
    for face, column in _cells_of_boxes(low[:, :2], high[:, :2]):
        # Lowest and highest z of the plane of the triangle over the square.
        origin = corners[face, 0]
        across = np.cross(corners[face, 1] - origin, corners[face, 2] - origin)
        slope = across[:, :2] / across[:, 2:]
        z = origin[:, 2] - (slope * (column + 0.5 - origin[:, :2])).sum(axis=1)
        reach = np.abs(slope).sum(axis=1) / 2
        bottom, top = z - reach - 2 * abs(slack), z + reach + 2 * abs(slack)
        first = np.maximum(np.floor(bottom), low[face, 2]).astype(np.int64)
        last = np.minimum(np.floor(top) + 1, high[face, 2]).astype(np.int64)
        for which, level in _cells_of_boxes(first[:, np.newaxis], last[:, np.newaxis]):
            voxel = np.hstack([column[which], level])
            met = _meets(corners[face[which]] - (voxel + 0.5)[:, np.newaxis], half)
            voxels[tuple(voxel[met].T)] = True


def _cells_of_boxes(low: Ints, high: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield (n,) faces and (n, d) cells of their boxes [low, high) in batches."""
    size = np.maximum(high - low, 0)
    count = size.prod(axis=1)
    end = np.cumsum(count)
    for first in range(0, int(end[-1]) if len(end) else 0, _PAIRS):
        pair = np.arange(first, min(first + _PAIRS, int(end[-1])))
        face = np.searchsorted(end, pair, side="right")
        rest = pair - (end - count)[face]
        cell = np.empty((len(pair), size.shape[1]), dtype=np.int64)
        for axis in range(size.shape[1]):
            rest, at = np.divmod(rest, size[face, axis])
            cell[:, axis] = low[face, axis] + at
        yield face, cell


def _meets(corners: Floats, half: float) -> Bools:
    """Return which triangles (n, 3, 3) meet the interior of the cube around 0.

    Separating axes: those of the cube, the normal of the triangle, and the cross products of
    their edges, which are tested only if the others, which are cheap, do not separate them.
    """
    meets: Bools = (corners.min(axis=1) < half).all(axis=1)
    meets &= (corners.max(axis=1) > -half).all(axis=1)
    left = np.flatnonzero(meets)
    corners = corners[left]
    edges = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(edges[:, 0], edges[:, 1])
    near = np.abs((normal * corners[:, 0]).sum(axis=1)) < half * np.abs(normal).sum(axis=1)
    meets[left[~near]] = False
    left = left[near]
    corners, edges = corners[near], edges[near]
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for k in range(3):
            du, dv = edges[:, k, u, np.newaxis], edges[:, k, v, np.newaxis]
            along = du * corners[:, :, v] - dv * corners[:, :, u]
            reach = half * (np.abs(du) + np.abs(dv))[:, 0]
            apart = (along.min(axis=1) >= reach) | (along.max(axis=1) <= -reach)
            # An edge parallel to this axis has no cross product with it.
            meets[left[apart & (reach > 0)]] = False
    return meets


def _winding(corners: Floats, shape: tuple[int, ...]) -> NDArray[np.int32]:
    """Return the winding number of closed bodies around the centre of each voxel.

    Along the vertical line through each column of voxels, every face crossed changes the
    winding number of all centres below it.
    """
    nz, ny, nx = shape
    change = np.zeros((nz + 1, ny, nx), dtype=np.int32)
    flat = corners[:, :, :2] - 0.5 - _OFFSET
    limit = np.array([nx, ny])
    low = np.ceil(flat.min(axis=1)).astype(np.int64).clip(0, limit)
    high = np.floor(flat.max(axis=1) + 1).astype(np.int64).clip(0, limit)
    for face, column in _cells_of_boxes(low, high):
        area, height = _crossing(flat[face] - column[:, np.newaxis], corners[face][:, :, 2])
        hit = area != 0
        x, y = column[hit].T
        below = np.ceil(height[hit] - 0.5).clip(0, nz).astype(np.int64)
        np.add.at(change, (below, y, x), np.sign(area[hit]).astype(np.int32))
    # change[k] belongs to all voxels below k.
    return np.cumsum(change[::-1], axis=0, dtype=np.int32)[::-1][1:]


def _crossing(flat: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Return twice the signed area of triangles that contain (0, 0), else 0, and the height there.

    Shared edges are computed from the same end in both triangles, so that a line between two
    faces crosses exactly one of them.
    """
    turns = np.stack([_turn(flat[:, k], flat[:, (k + 1) % 3]) for k in range(3)], axis=1)
    holds = (turns > 0).all(axis=1) | (turns < 0).all(axis=1)
    area = np.where(holds, turns.sum(axis=1), 0.0)
    weights = turns[:, [1, 2, 0]] / np.where(holds, area, 1.0)[:, np.newaxis]
    return area, (weights * z).sum(axis=1)


def _turn(start: Floats, end: Floats) -> Floats:
    """Return twice the signed area of (0, 0), start, end."""
    swap = (start[:, 0] > end[:, 0]) | ((start[:, 0] == end[:, 0]) & (start[:, 1] > end[:, 1]))
    a = np.where(swap[:, np.newaxis], end, start)
    b = np.where(swap[:, np.newaxis], start, end)
    area: Floats = np.where(swap, -1.0, 1.0) * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    return area
