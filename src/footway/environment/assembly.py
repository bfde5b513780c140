"""Build the geometry of an environment from raw input, in this order of repairs.

Round to the grid, repair each polygon, merge the polygons of each role, subtract the obstacles,
insert lines and points, list disconnected parts. Each step lists its changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely

from footway.constants import MARGIN
from footway.environment.carve import carve
from footway.environment.lattice import check_coordinates, polygon_parts, to_metres, to_steps
from footway.environment.merge import merge
from footway.environment.noding import node_rings, place_lines
from footway.environment.repair_polygons import repair_polygons
from footway.environment.repairs import Repair
from footway.errors import BadGeometry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.environment.input_geometry import InputGeometry, Pieces

_ELSEWHERE: Final = ("outside", "lies on a wall or outside walkable space")


class Assembled(NamedTuple):
    """The geometry of an environment, in metres, and the repairs made."""

    walkable: shapely.MultiPolygon
    lines: shapely.MultiLineString
    points: shapely.MultiPoint
    repairs: tuple[Repair, ...]


def assemble(given: InputGeometry, *, grid: float) -> Assembled:
    """Return valid, noded geometry on the grid for raw input, and every repair.

    Raises:
        BadGeometry: coordinates do not fit on the grid, or no walkable space is left.

    """
    _check(given, grid=grid)
    try:
        return _assemble(given, grid=grid)
    except shapely.errors.GEOSException as error:
        raise BadGeometry(f"the polygons cannot be put together: {error}") from error


def _assemble(given: InputGeometry, *, grid: float) -> Assembled:
    base, repairs = _base(given, grid=grid)
    obstacles, found = _merged(given.obstacles, grid=grid)
    repairs += found + _list_outside(given.obstacles, base, grid=grid)
    space = _without_slivers(carve(base, obstacles), repairs, grid=grid)
    if len(space):
        space, lines = _place_lines(given.lines, node_rings(space), repairs, grid=grid)
    if not len(space):
        raise BadGeometry(_nothing_walkable_message(base, grid=grid))
    points = _place_points(given.points, space, lines, repairs, grid=grid)
    repairs += _islands(space, grid=grid)
    walkable = shapely.orient_polygons(space, exterior_cw=False)
    return Assembled(
        walkable=shapely.multipolygons(to_metres(walkable, grid)),
        lines=shapely.multilinestrings(to_metres(lines, grid)),
        points=shapely.multipoints(to_metres(points, grid)),
        repairs=tuple(repairs),
    )


def _check(given: InputGeometry, *, grid: float) -> None:
    """Raise an error if the coordinates of all roles together do not fit on the grid."""
    roles = (given.bounds, given.walkable, given.obstacles, given.lines, given.points)
    shapes = np.concatenate([role.shapes for role in roles])
    labels = [label for role in roles for label in role.labels]
    check_coordinates(shapes, labels, grid=grid)


def _merged(given: Pieces, *, grid: float) -> tuple[NDArray[np.object_], list[Repair]]:
    """Return the polygons of one role in grid steps, repaired and merged, and the repairs."""
    if given.apart:
        return to_steps(given.shapes, grid), []
    repaired, repairs = repair_polygons(given, grid=grid)
    shapes, found = merge(repaired, grid=grid)
    return shapes, repairs + found


def _base(given: InputGeometry, *, grid: float) -> tuple[NDArray[np.object_], list[Repair]]:
    """Return walkable space before obstacles: walkable polygons within bounds, or the bounds."""
    if not len(given.walkable) and not len(given.bounds):
        return _bounds_from_obstacles(given, grid=grid)
    walkable, repairs = _merged(given.walkable, grid=grid)
    bounds, found = _merged(given.bounds, grid=grid)
    repairs += found
    if not len(given.bounds):
        return walkable, repairs
    if not len(given.walkable):
        return bounds, repairs
    common = shapely.intersection(
        shapely.multipolygons(walkable), shapely.multipolygons(bounds), grid_size=1
    )
    return polygon_parts(common), repairs


def _bounds_from_obstacles(
    given: InputGeometry, *, grid: float
) -> tuple[NDArray[np.object_], list[Repair]]:
    """Return the bounding box of all obstacles plus a margin, for input without bounds."""
    roles = (given.obstacles, given.lines, given.points)
    shapes = np.concatenate([role.shapes for role in roles])
    if not len(shapes):
        raise BadGeometry(
            "nothing is walkable: give walkable polygons, bounds, or at least one obstacle"
        )
    x0, y0, x1, y1 = shapely.total_bounds(shapes)
    # A single point has no extent: use a margin of 1 m instead of an empty map.
    margin = MARGIN * max(x1 - x0, y1 - y0) or 1.0
    box = shapely.box(x0 - margin, y0 - margin, x1 + margin, y1 + margin)
    repair = Repair(
        "bounds",
        (float(x0 - margin), float(y0 - margin)),
        f"no bounds and no walkable polygon given; took the obstacles' box and {margin:.3g} m "
        f"around it, {x1 - x0 + 2 * margin:.6g} x {y1 - y0 + 2 * margin:.6g} m",
    )
    return to_steps(np.array([box], dtype=object), grid), [repair]


def _list_outside(given: Pieces, base: NDArray[np.object_], *, grid: float) -> list[Repair]:
    """List the obstacles outside walkable space."""
    tree = shapely.STRtree(to_steps(given.shapes, grid))
    touched = np.zeros(len(given), dtype=bool)
    touched[tree.query(base, predicate="intersects")[1]] = True
    return [
        given.repair(i, "outside", "lies outside walkable space; no effect")
        for i in np.flatnonzero(~touched)
    ]


def _without_slivers(
    space: NDArray[np.object_], repairs: list[Repair], *, grid: float
) -> NDArray[np.object_]:
    """Return the parts whose mean width exceeds one grid step, and list the others."""
    sliver = 2 * shapely.area(space) <= shapely.length(space)
    for part in to_metres(space[sliver], grid):
        size = f"{shapely.length(part) / 2:.3g} m long"
        detail = f"a walkable part {size} and no wider than the grid; dropped"
        repairs.append(Repair("sliver", _first_point(part), detail))
    wide: NDArray[np.object_] = space[~sliver]
    return wide


def _nothing_walkable_message(base: NDArray[np.object_], *, grid: float) -> str:
    if not len(base):
        return (
            "nothing is walkable: every walkable polygon is narrower than the grid or out of bounds"
        )
    x0, y0, x1, y1 = shapely.total_bounds(to_metres(base, grid))
    return (
        f"nothing is walkable: obstacles cover all of ({x0:g}, {y0:g}) to ({x1:g}, {y1:g}); "
        "check which polygons are obstacles and which are walkable"
    )


def _place_lines(
    given: Pieces, space: NDArray[np.object_], repairs: list[Repair], *, grid: float
) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """Return walkable space and the single-line walls in it, noded together, in steps."""
    if not len(given):
        return space, np.empty(0, dtype=object)
    lines = to_steps(given.shapes, grid)
    useful = _inside(given, lines, space, repairs, grid=grid)
    if not useful.any():
        return space, np.empty(0, dtype=object)
    space, segments = place_lines(space, lines[useful])
    return node_rings(space), shapely.linestrings(segments.reshape(-1, 2, 2))


def _inside(
    given: Pieces,
    lines: NDArray[np.object_],
    space: NDArray[np.object_],
    repairs: list[Repair],
    *,
    grid: float,
) -> NDArray[np.bool_]:
    """Return (n,) bool: part of the line is inside; list the lines that are cut or dropped."""
    whole = shapely.multipolygons(space)
    inner = shapely.intersection(lines, whole)
    on_wall = shapely.intersection(inner, shapely.boundary(whole))
    # Tolerance of two steps: rounding moves the end of a line off a slanted wall.
    inside: NDArray[np.bool_] = shapely.length(inner) > shapely.length(on_wall) + 2
    beyond = shapely.difference(lines, whole)
    cut = shapely.length(beyond) > 2
    beyond = to_metres(beyond, grid)
    for i in np.flatnonzero(inside & cut):
        detail = f"{given.label(i)}: reaches beyond walkable space; cut off there"
        repairs.append(Repair("outside", _first_point(beyond[i]), detail))
    for i in np.flatnonzero(~inside):
        short = shapely.length(lines[i]) <= 2
        kind, what = ("sliver", "is no longer than the grid") if short else _ELSEWHERE
        repairs.append(given.repair(i, kind, f"{what}; dropped"))
    return inside


def _place_points(
    given: Pieces,
    space: NDArray[np.object_],
    lines: NDArray[np.object_],
    repairs: list[Repair],
    *,
    grid: float,
) -> NDArray[np.object_]:
    """Return the point obstacles inside walkable space that touch no wall, in steps."""
    points = to_steps(given.shapes, grid)
    keep = np.zeros(len(points), dtype=bool)
    tree = shapely.STRtree(points)
    keep[tree.query(space, predicate="contains_properly")[1]] = True
    keep[tree.query(lines, predicate="intersects")[1]] = False
    kind, what = _ELSEWHERE
    repairs += [given.repair(i, kind, f"{what}; dropped") for i in np.flatnonzero(~keep)]
    distinct = np.unique(shapely.get_coordinates(points[keep]), axis=0)
    placed: NDArray[np.object_] = shapely.points(distinct)
    return placed


def _islands(space: NDArray[np.object_], *, grid: float) -> list[Repair]:
    """List all walkable parts except the largest."""
    areas = shapely.area(space) * grid**2
    largest = int(np.argmax(areas))
    inside = to_metres(shapely.point_on_surface(space), grid)
    return [
        Repair(
            "island",
            (inside[i].x, inside[i].y),
            f"a walkable part of {areas[i]:.4g} m2 is not connected to the largest part of "
            f"{areas[largest]:.4g} m2; kept",
        )
        for i in range(len(space))
        if i != largest
    ]


def _first_point(geometry: Any) -> tuple[float, float]:
    x, y = shapely.get_coordinates(geometry)[0]
    return float(x), float(y)
