"""Explain why there is no path on a roadmap, in the plane and in three dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway.constants import TOUCH
from footway.corridor.kernels.wall_grid import line_distances
from footway.errors import BadQuery, NoPath
from footway.roadmap.space_margin import nearest_free
from footway.validation import as_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Grid
    from footway.roadmap import Roadmap
    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

_FINER, _STEPS = 8, 64  # steps per cell, and in each direction, of the search for a free cell


def out_of_reach(
    roadmap: Roadmap, grid: Grid, what: str, point: Floats, contact: Floats, radius: float
) -> BadQuery | NoPath:
    """Return the error for a start or goal that joins no road; `contact`: nearest wall point.

    A point in free space is a valid query without a path: the roadmap does not reach it.
    """
    distance = float(hypot(*(point - contact)))
    where = f"the nearest wall is {distance:.3f} m away at {as_text(contact)}"
    for number, fake in enumerate(roadmap.fake_obstacles):
        if fake.contains(point[None])[0]:
            return BadQuery(
                f"the {what} {as_text(point)} is inside fake obstacle {number} of the roadmap: "
                "move it, or remove the obstacle"
            )
    if not _is_walkable(point, grid, roadmap.in_effect.space):
        return BadQuery(
            f"the {what} {as_text(point)} is inside an obstacle, outside the map, or sees nothing "
            f"of the roadmap: {where}"
        )
    if distance < radius:
        return NoPath(
            f"a disc of radius {radius:g} m does not fit at the {what} {as_text(point)}: {where}; "
            "move it or use a smaller radius",
            reason="no room",
        )
    return NoPath(
        f"the {what} {as_text(point)} is free but sees nothing of the roadmap: {where}; build the "
        "roadmap with a finer resolution or a smaller radius",
        reason="no room",
    )


def _is_walkable(point: Floats, grid: Grid, space: Space) -> bool:
    """Return whether short steps that meet no wall lead from a point to a free cell nearby.

    Walls separate walkable from other space, so the point is walkable then. The steps follow a
    lattice centred on the point.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components  # slow to import

    side = np.arange(-_STEPS, _STEPS + 1) * (space.resolution / _FINER)
    x, y = np.meshgrid(point[0] + side, point[1] + side)
    places, number = np.stack([x.ravel(), y.ravel()], axis=1), np.arange(x.size).reshape(x.shape)
    steps = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:])]
    a, b = (np.concatenate([step[end].ravel() for step in steps]) for end in (0, 1))
    away = np.empty(len(a))
    line_distances(places[a], places[b], grid, away)
    a, b = a[away > TOUCH], b[away > TOUCH]
    graph = coo_array((np.ones(len(a), bool), (a, b)), (x.size, x.size))
    part = connected_components(graph, directed=False)[1]
    return bool((part[_in_free_cell(places, space)] == part[number[_STEPS, _STEPS]]).any())


def _in_free_cell(points: Floats, space: Space) -> Bools:
    """Return which points (n, 2) are in a free cell."""
    shape = np.array(space.free.shape[:0:-1])
    cells = np.floor(space.lattice(points)[:, :2]).astype(np.int64)
    inside = ((cells >= 0) & (cells < shape)).all(axis=1)
    i, j = np.clip(cells, 0, shape - 1).T
    free: Bools = inside & space.free[0, j, i]
    return free


# -- three dimensions --------------------------------------------------------------------


def body_of(roadmap: Roadmap, radius: float) -> str:
    """Describe the moving object with the requested radius or clearance."""
    space = roadmap.space
    if space.radius > 0.0:
        return f"a ball of radius {radius:g} m"
    box = f"a box of {' x '.join(f'{side:g}' for side in space.size)} m"
    return f"{box} with {radius:g} m around it" if radius > 0.0 else box


def in_obstacle(roadmap: Roadmap, what: str, point: Floats) -> BadQuery:
    """Return the error for a start or a goal in no free cell, with the nearest free place."""
    low, high = roadmap.bounds[:3], roadmap.bounds[3:]
    nearest = as_text(nearest_free(point, roadmap.in_effect.space))
    body = body_of(roadmap, float(roadmap.space.radius))
    if not all(a <= x <= b for a, x, b in zip(low, point, high, strict=True)):
        why = f"is outside the map, which reaches from {as_text(low)} to {as_text(high)}"
    elif roadmap.fake_obstacles and roadmap.space.lines_are_free(point[None], point[None])[0]:
        why = f"is inside a fake obstacle, or too near to one for {body}"
    else:
        why = f"is inside an obstacle, or too near to one for {body}"
    return BadQuery(f"the {what} {as_text(point)} {why}: the nearest free place is {nearest}")


def tight(roadmap: Roadmap, what: str, point: Floats, radius: float, clear: float) -> NoPath:
    """Return the error for a radius above the clearance between an end and the roadmap."""
    return NoPath(
        f"{body_of(roadmap, radius)} does not get from the {what} {as_text(point)} to the roadmap: "
        f"the way has a clearance of {clear:.3f} m",
        reason="no room",
    )


def too_narrow(roadmap: Roadmap, a: Floats, b: Floats, radius: float) -> NoPath:
    """Return the error for a radius that is too large for some edge of every path."""
    return NoPath(
        f"{body_of(roadmap, radius)} does not get from {as_text(a)} to {as_text(b)} along the "
        "roadmap: an edge on every way is too narrow; see bottleneck",
        reason="pinch",
    )


def apart(a: Floats, b: Floats) -> NoPath:
    """Return the error for ends in two components."""
    return NoPath(
        f"{as_text(a)} and {as_text(b)} are in parts of the roadmap with no way between them",
        reason="components",
    )
