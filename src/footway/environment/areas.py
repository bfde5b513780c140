"""Areas that a caller gives, and walkable parts, as Shapely polygons; where points lie in them."""

from __future__ import annotations

import re
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import shapely

from footway.environment.lattice import polygon_parts
from footway.errors import BadFile, BadQuery
from footway.validation import FARTHEST, did_you_mean, floats, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Bools, Floats
    from footway.environment.environment import Environment

Polygon: TypeAlias = "shapely.Polygon | shapely.MultiPolygon"


def as_polygon(shape: Any) -> Polygon:
    """Return the polygon of a ring (k, 2), an Area, or an object with `__geo_interface__`.

    Rings that cross or overlap follow the even-odd rule: what lies in two of them is outside.

    Raises:
        BadQuery: the shape is not a polygon, or it is empty.

    Example:
        >>> as_polygon([(0, 0), (2, 0), (2, 2), (0, 2)]).area
        4.0
    """
    shape = getattr(shape, "polygon", shape)  # of an Area
    if not hasattr(shape, "__geo_interface__"):
        return _even_odd(shapely.Polygon(_ring(shape)))
    geometry = shape.__geo_interface__
    kind, coordinates = geometry.get("type"), geometry.get("coordinates", ())
    if kind not in {"Polygon", "MultiPolygon"}:
        raise BadQuery(f"an area is a polygon, not a {kind}")
    polygons = [coordinates] if kind == "Polygon" else coordinates
    parts = [[_ring(ring) for ring in rings if len(ring)] for rings in polygons]
    made = [shapely.Polygon(rings[0], rings[1:]) for rings in parts if rings]
    if not made:
        raise BadQuery("the area is empty: give a polygon with an interior")
    return _even_odd(made[0] if len(made) == 1 else shapely.MultiPolygon(made))


def area_of(environment: Environment, name: str) -> Polygon:
    """Return the polygon of the areas of a map with this name.

    Raises:
        BadQuery: there is none.
    """
    named = [area.polygon for area in environment.areas if area.name == name]
    if not named:
        hint = did_you_mean(name, {area.name for area in environment.areas})
        hint = hint or "the map has none: give a polygon, or the crowd the `environment` with areas"
        raise BadQuery(f"there is no area {shown(name)}; {hint}")
    return as_polygon(union(named))


def ring_problem(ring: Sequence[tuple[float, float]]) -> str:
    """Return what is wrong with the corners of an area, and what to do; empty if nothing is."""
    polygon = shapely.Polygon(ring)
    if shapely.convex_hull(polygon).area <= 0.0:
        return "has no area; give corners that are not on one line"
    if not polygon.is_valid:
        # Shapely writes "Self-intersection[4.5 2]".
        found = re.search(r"\[(\S+) (\S+)\]", shapely.is_valid_reason(polygon))
        where = f" at ({float(found[1]):g}, {float(found[2]):g})" if found else ""
        return f"crosses or touches itself{where}; give its corners in order"
    return ""


def box(low: Floats, high: Floats) -> shapely.Polygon:
    """Return a rectangle with these opposite corners (2,), m."""
    return shapely.box(*low, *high)


def union(polygons: Sequence[Polygon]) -> Polygon:
    """Return the union of polygons."""
    return shapely.union_all(polygons)


def walkable_parts(environment: Environment) -> list[shapely.Polygon]:
    """Return the connected parts; walls without thickness become slits of two grid steps."""
    walls = shapely.union_all([environment.lines, environment.points])
    slits = shapely.buffer(walls, environment.grid, quad_segs=2)
    parts: list[shapely.Polygon] = shapely.get_parts(
        shapely.difference(environment.walkable, slits)
    ).tolist()
    return parts


def to_wkt(polygon: Polygon) -> str:
    """Return the polygon as well-known text, with all digits."""
    text: str = shapely.to_wkt(polygon, rounding_precision=-1)
    return text


def from_wkt(text: str) -> Polygon:
    """Return the polygon, or the polygons, in well-known text; raise BadFile if it has none."""
    found: Polygon = shapely.from_wkt(text, on_invalid="ignore")
    if found is None or shapely.get_dimensions(found) != 2:
        raise BadFile(f"{shown(text)} is no polygon")
    return found


def contains(polygon: Polygon, points: Floats) -> Bools:
    """Return whether each point (n, 2) lies inside. (n,)."""
    found: Bools = shapely.contains_xy(polygon, points[:, 0], points[:, 1])
    return found


def covers(polygon: Polygon, points: Floats) -> Bools:
    """Return whether each point (n, 2) lies inside or on the boundary. (n,)."""
    shapely.prepare(polygon)
    found: Bools = shapely.intersects_xy(polygon, points[:, 0], points[:, 1])
    return found


def depth(polygon: Polygon, points: Floats) -> Floats:
    """Return the distance of each point (n, 2) to the boundary, m. (n,)."""
    found: Floats = shapely.distance(polygon.boundary, shapely.points(points))
    return found


def voronoi_shares(
    points: Floats, walkable: Polygon, area: Polygon, cut_off: float | None = None
) -> Floats:
    """Return the share of the Voronoi cell of each point (n, 2) that lies in an area. (n,).

    Cells end at the walls of the walkable polygon. If walls divide a cell, only the part with the
    point counts. `cut_off` is the greatest distance from the point, m.

    Example:
        >>> room, left = shapely.box(0, 0, 4, 1), shapely.box(0, 0, 1, 1)
        >>> voronoi_shares(np.array([(1.0, 0.5), (3.0, 0.5)]), room, left).tolist()
        [0.5, 0.0]
    """
    if not len(points):
        return np.empty(0)
    shapely.prepare(walkable)
    centres = shapely.points(points)
    cells = np.array([walkable])
    if len(points) > 1:
        diagram = shapely.voronoi_polygons(
            shapely.multipoints(points), extend_to=walkable, ordered=True
        )
        cells = shapely.intersection(shapely.get_parts(diagram), walkable)
    for k in np.flatnonzero(shapely.get_num_geometries(cells) > 1):
        parts = shapely.get_parts(cells[k])
        cells[k] = parts[shapely.distance(parts, centres[k]).argmin()]
    if cut_off is not None:
        cells = shapely.intersection(cells, shapely.buffer(centres, cut_off, quad_segs=3))
    size = shapely.area(cells)
    shared = shapely.area(shapely.intersection(cells, area))
    found: Floats = np.divide(shared, size, out=np.zeros(len(points)), where=size > 0.0)
    return found


def _ring(shape: Any) -> Floats:
    """Return corners (k, 2) of a ring, or raise BadQuery."""
    ring = floats(shape, "(n, 2)", name="the corners of an area")
    is_far = ring.size > 0 and not (np.abs(ring) <= FARTHEST).all()
    if ring.ndim != 2 or ring.shape[1] < 2 or len(ring) < 3 or is_far:
        raise BadQuery(f"an area is a ring of three or more finite (x, y), not {shown(shape)}")
    return ring[:, :2]


def _even_odd(polygon: Polygon) -> Polygon:
    """Return a valid polygon with the same rings; one without an interior stays as it is."""
    if not polygon.is_valid:
        rings = shapely.polygons(shapely.get_rings(shapely.get_parts(polygon)))
        parts = polygon_parts(reduce(shapely.symmetric_difference, shapely.make_valid(rings)))
        polygon = shapely.multipolygons(parts) if len(parts) else polygon
    shapely.prepare(polygon)
    return polygon
