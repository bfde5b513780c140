"""Corners on the medial axis of the lattice: candidates for guards and useful nodes.

This follows the integer medial axis of a feature transform: the axis runs between two neighbouring
corners whose nearest obstacle points lie apart, and the corner nearer to it belongs to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.roadmap.space import corners_where

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

APART = 1.5
"""cells. Along a flat wall the nearest points of neighbouring corners are one cell apart."""


def medial_corners(space: Space) -> Ints:
    """Return the free corners (n, 3), columns i, j, k, on the medial axis.

    From the axis, the nearest obstacle points on its two sides are 60 degrees or more apart, so
    that ripples of a wall cause no branches. A passage one cell wide has no corner on the axis.

    Example:
        >>> from footway.roadmap.space import space_of_cells
        >>> medial_corners(space_of_cells([[True] * 6] * 2))[:, :2].tolist()
        [[1, 1], [2, 1], [3, 1], [4, 1], [5, 1]]

    """
    near = _nearest_obstacles(space)
    where = np.stack(np.meshgrid(*map(np.arange, space.is_node.shape), indexing="ij"), axis=-1)
    place = where[..., ::-1].astype(np.float64)
    on_axis = np.zeros(space.is_node.shape, bool)
    for axis in range(3 - space.dimension, 3):
        _mark(axis, place, near, space, on_axis)
    return corners_where(on_axis & space.is_node)


def _nearest_obstacles(space: Space) -> Floats:
    """Return the nearest obstacle point of each corner, lattice units; NaN if not free."""
    near = np.full((*space.is_node.shape, 3), np.nan)
    corners = space.corners
    _, points = space.clearance(space.positions(corners))
    i, j, k = corners.T
    near[k, j, i] = space.lattice(points)
    return near


def _mark(axis: int, place: Floats, near: Floats, space: Space, on_axis: Bools) -> None:
    """Mark corners on the medial axis, for neighbours along one axis of the arrays."""
    here = tuple(slice(None, -1) if a == axis else slice(None) for a in range(3))
    there = tuple(slice(1, None) if a == axis else slice(None) for a in range(3))
    apart = np.linalg.norm(near[here] - near[there], axis=-1)
    clearance = space.corner_clearance / space.resolution
    # In 2D, nearest points are on the real walls and the radius is subtracted from the clearance.
    # In 3D, both refer to the cells in which the object does not fit.
    radius = space.radius / space.resolution if space.dimension == 2 else 0.0
    reach = np.minimum(clearance[here], clearance[there]) + radius
    between = 0.5 * (place[here] + place[there])
    from_here = np.linalg.norm(between - near[here], axis=-1)
    from_there = np.linalg.norm(between - near[there], axis=-1)
    found = (apart > APART) & (apart >= reach)
    on_axis[here] |= found & (from_there <= from_here)
    on_axis[there] |= found & (from_here <= from_there)
