"""Build the geometry of an environment from raw input, in this order of repairs.

Round to the grid, repair each polygon, merge the polygons of each role, subtract the obstacles,
insert lines and points, list disconnected parts. Each step lists its changes.

Geometry is in whole grid steps here (see `lattice`), for which GEOS decides exactly whether a point
lies on a segment. In the result, walls meet at end points only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely

from footway._numba.portable_math import hypot
from footway.constants import MARGIN
from footway.environment.lattice import check_coordinates, polygon_parts, to_metres, to_steps
from footway.environment.repair import Repair, merge, repair_polygons
from footway.environment.walls import segment_keys, segments_of
from footway.errors import BadGeometry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Bools, Shapes
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
    roles = (given.bounds, given.walkable, given.obstacles, given.lines, given.points)
    labels = [label for role in roles for label in role.labels]
    check_coordinates(np.concatenate([role.shapes for role in roles]), labels, grid=grid)
    try:
        return _assemble(given, grid=grid)
    except shapely.errors.GEOSException as error:
        raise BadGeometry(f"the polygons cannot be put together: {error}") from error


def _assemble(given: InputGeometry, *, grid: float) -> Assembled:
    base, repairs = _base(given, grid=grid)
    obstacles, found = _merged(given.obstacles, grid=grid)
    tree = shapely.STRtree(to_steps(given.obstacles.shapes, grid))
    touched = np.zeros(len(given.obstacles), dtype=bool)
    touched[tree.query(base, predicate="intersects")[1]] = True
    repairs += found + [
        given.obstacles.repair(i, "outside", "lies outside walkable space; no effect")
        for i in np.flatnonzero(~touched)
    ]
    space = _without_slivers(_subtract(base, obstacles), repairs, grid=grid)
    if len(space):
        space, lines = _insert_lines(given.lines, _node_rings(space), repairs, grid=grid)
    if not len(space):
        raise BadGeometry(_nothing_walkable_message(base, grid=grid))
    points = _insert_points(given.points, space, lines, repairs, grid=grid)
    repairs += _islands(space, grid=grid)
    walkable = shapely.orient_polygons(space, exterior_cw=False)
    return Assembled(
        walkable=shapely.multipolygons(to_metres(walkable, grid)),
        lines=shapely.multilinestrings(to_metres(lines, grid)),
        points=shapely.multipoints(to_metres(points, grid)),
        repairs=tuple(repairs),
    )


# -- walkable space ----------------------------------------------------------------------------


def _merged(given: Pieces, *, grid: float) -> tuple[Shapes, list[Repair]]:
    """Return the polygons of one role in grid steps, repaired and merged, and the repairs."""
    if given.apart:
        return to_steps(given.shapes, grid), []
    repaired, repairs = repair_polygons(given, grid=grid)
    shapes, found = merge(repaired, grid=grid)
    return shapes, repairs + found


def _base(given: InputGeometry, *, grid: float) -> tuple[Shapes, list[Repair]]:
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


def _bounds_from_obstacles(given: InputGeometry, *, grid: float) -> tuple[Shapes, list[Repair]]:
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


def _subtract(base: Shapes, obstacles: Shapes) -> Shapes:
    """Return the polygons of base without the obstacles.

    Both are arrays of valid polygons that share at most points. A free-standing obstacle inside
    one polygon becomes a hole by adding its ring, which is exact and cheap; only the others (at
    the edge, touching each other, with courtyards) need an overlay.
    """
    a, b = shapely.STRtree(obstacles).query(obstacles, predicate="intersects")
    free: Bools = shapely.get_num_interior_rings(obstacles) == 0
    free[a[a != b]] = False
    while True:
        # A smaller base may no longer contain an obstacle.
        free &= _containing_polygon(base, obstacles) >= 0
        if free.all():
            break
        touching = shapely.multipolygons(obstacles[~free])
        base = polygon_parts(shapely.difference(shapely.multipolygons(base), touching, grid_size=1))
        obstacles = obstacles[free]
        free = free[free]
    if not len(obstacles):
        return base
    rings, owner = shapely.get_rings(base, return_index=True)
    rings = np.concatenate([rings, shapely.get_exterior_ring(obstacles)])
    owner = np.concatenate([owner, _containing_polygon(base, obstacles)])
    # A stable sort keeps the shell of each polygon first, as `polygons` expects.
    order = np.argsort(owner, kind="stable")
    holed: Shapes = shapely.polygons(rings[order], indices=owner[order])
    return holed


def _containing_polygon(base: Shapes, obstacles: Shapes) -> NDArray[np.intp]:
    """Return (n,) the polygon of base that properly contains each obstacle, -1 for none."""
    home = np.full(len(obstacles), -1)
    of_base, of_obstacle = shapely.STRtree(obstacles).query(base, predicate="contains_properly")
    home[of_obstacle] = of_base
    return home


def _without_slivers(space: Shapes, repairs: list[Repair], *, grid: float) -> Shapes:
    """Return the parts whose mean width exceeds one grid step, and list the others."""
    sliver = 2 * shapely.area(space) <= shapely.length(space)
    for part in to_metres(space[sliver], grid):
        size = f"{shapely.length(part) / 2:.3g} m long"
        detail = f"a walkable part {size} and no wider than the grid; dropped"
        repairs.append(Repair("sliver", _first_point(part), detail))
    wide: Shapes = space[~sliver]
    return wide


def _nothing_walkable_message(base: Shapes, *, grid: float) -> str:
    if not len(base):
        return (
            "nothing is walkable: every walkable polygon is narrower than the grid or out of bounds"
        )
    x0, y0, x1, y1 = shapely.total_bounds(to_metres(base, grid))
    return (
        f"nothing is walkable: obstacles cover all of ({x0:g}, {y0:g}) to ({x1:g}, {y1:g}); "
        "check which polygons are obstacles and which are walkable"
    )


def _node_rings(polygons: Shapes) -> Shapes:
    """Return the polygons with a corner wherever a corner of any ring touches an edge.

    A hole may touch its shell, or a polygon its neighbour, in the middle of an edge. That is
    valid for GEOS, but walls must meet at end points. No point moves.
    """
    rings, owner = shapely.get_rings(polygons, return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    starts = np.flatnonzero(ring[1:] == ring[:-1])
    segments = np.stack([xy[starts], xy[starts + 1]], axis=1)
    # Rings are closed, so every corner is the start of a segment.
    tree = shapely.STRtree(shapely.linestrings(segments))
    point, edge = tree.query(shapely.points(segments[:, 0]), predicate="intersects")
    at = segments[point, 0]
    inner = (at != segments[edge, 0]).any(axis=1) & (at != segments[edge, 1]).any(axis=1)
    edge, at = edge[inner], at[inner]
    if not len(edge):
        return polygons
    # Insert the points of one edge in their order along the edge.
    along = hypot(*(at - segments[edge, 0]).T)
    order = np.lexsort((along, edge))
    place = starts[edge[order]] + 1
    xy = np.insert(xy, place, at[order], axis=0)
    ring = np.insert(ring, place, ring[starts[edge[order]]])
    fresh = np.r_[True, (xy[1:] != xy[:-1]).any(axis=1) | (ring[1:] != ring[:-1])]
    noded = shapely.linearrings(xy[fresh], indices=ring[fresh])
    result: Shapes = shapely.polygons(noded, indices=owner)
    return result


def _islands(space: Shapes, *, grid: float) -> list[Repair]:
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


# -- lines and points --------------------------------------------------------------------------


def _insert_lines(
    given: Pieces, space: Shapes, repairs: list[Repair], *, grid: float
) -> tuple[Shapes, Shapes]:
    """Return walkable space and the single-line walls in it, noded together, in steps.

    A line that ends on a slanted edge ends between grid points; rounding that point moves the
    edge too. Therefore boundary and lines are noded together, the faces between them are
    recomputed, and walkable space is the union of the faces that were walkable.
    """
    if not len(given):
        return space, np.empty(0, dtype=object)
    lines = to_steps(given.shapes, grid)
    useful = _lines_inside(given, lines, space, repairs, grid=grid)
    if not useful.any():
        return space, np.empty(0, dtype=object)
    walls = np.concatenate([shapely.boundary(space), lines[useful]])
    edges = shapely.get_parts(shapely.union_all(walls, grid_size=1))
    faces = shapely.get_parts(shapely.polygonize(edges))
    walkable = _within(shapely.point_on_surface(faces), space)
    space = polygon_parts(shapely.coverage_union_all(faces[walkable]))
    segments = segments_of(edges)
    keys = segment_keys(segments)
    fresh = np.sort(np.unique(keys, return_index=True)[1])
    segments, keys = segments[fresh], keys[fresh]
    around = segment_keys(segments_of(shapely.get_rings(space)))
    segments = segments[~np.isin(keys, around)]
    middles = shapely.points((segments[:, :2] + segments[:, 2:]) / 2)
    segments = segments[_within(middles, space)]
    return _node_rings(space), shapely.linestrings(segments.reshape(-1, 2, 2))


def _lines_inside(
    given: Pieces, lines: Shapes, space: Shapes, repairs: list[Repair], *, grid: float
) -> Bools:
    """Return (n,) bool: part of the line is inside; list the lines that are cut or dropped."""
    whole = shapely.multipolygons(space)
    inner = shapely.intersection(lines, whole)
    on_wall = shapely.intersection(inner, shapely.boundary(whole))
    # Tolerance of two steps: rounding moves the end of a line off a slanted wall.
    inside: Bools = shapely.length(inner) > shapely.length(on_wall) + 2
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


def _within(points: Any, polygons: Shapes) -> Bools:
    """Return (n,) bool: the point lies inside one of the polygons."""
    inside = np.zeros(len(points), dtype=bool)
    inside[shapely.STRtree(points).query(polygons, predicate="contains")[1]] = True
    return inside


def _insert_points(
    given: Pieces, space: Shapes, lines: Shapes, repairs: list[Repair], *, grid: float
) -> Shapes:
    """Return the point obstacles inside walkable space that touch no wall, in steps."""
    points = to_steps(given.shapes, grid)
    keep = np.zeros(len(points), dtype=bool)
    tree = shapely.STRtree(points)
    keep[tree.query(space, predicate="contains_properly")[1]] = True
    keep[tree.query(lines, predicate="intersects")[1]] = False
    kind, what = _ELSEWHERE
    repairs += [given.repair(i, kind, f"{what}; dropped") for i in np.flatnonzero(~keep)]
    distinct = np.unique(shapely.get_coordinates(points[keep]), axis=0)
    placed: Shapes = shapely.points(distinct)
    return placed
