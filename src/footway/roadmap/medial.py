"""Corners on the medial axis of the lattice: where guards and useful nodes stand best.

After the integer medial axis of a feature transform: between two neighbouring corners whose
nearest obstacle points lie apart runs the axis, and the corner on its nearer side belongs to it.
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
"""Cells. Along one flat wall the nearest points of neighbouring corners are one cell apart."""


def medial_corners(space: Space) -> Ints:
    """Return the free corners (n, 3), columns i, j, k, on the medial axis.

    The nearest obstacle points on either side of the axis are seen at 60 degrees or more from it:
    ripples of a wall leave no branches. A passage that is one cell wide has no corner on the axis.

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
    """Nearest obstacle point of each free corner, in lattice units: shape of the corners + (3,)."""
    near = np.full((*space.is_node.shape, 3), np.nan)
    corners = space.corners
    _, points = space.clearance(space.positions(corners))
    i, j, k = corners.T
    near[k, j, i] = space.lattice(points)
    return near


def _mark(axis: int, place: Floats, near: Floats, space: Space, on_axis: Bools) -> None:
    """Mark the corners on the axis between neighbours along one axis of the arrays."""
    here = tuple(slice(None, -1) if a == axis else slice(None) for a in range(3))
    there = tuple(slice(1, None) if a == axis else slice(None) for a in range(3))
    apart = np.linalg.norm(near[here] - near[there], axis=-1)
    clearance = space.corner_clearance / space.resolution
    # In a plane, obstacles are real walls and the clearance is less by the radius; in a volume
    # both are of the cells in which the object does not fit.
    radius = space.radius / space.resolution if space.dimension == 2 else 0.0
    reach = np.minimum(clearance[here], clearance[there]) + radius
    between = 0.5 * (place[here] + place[there])
    from_here = np.linalg.norm(between - near[here], axis=-1)
    from_there = np.linalg.norm(between - near[there], axis=-1)
    found = (apart > APART) & (apart >= reach)
    on_axis[here] |= found & (from_there <= from_here)
    on_axis[there] |= found & (from_here <= from_there)
