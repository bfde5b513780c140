"""Edit a map: add or remove obstacles, floor, terrain and areas. Each edit returns a new map."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import shapely

from footway.environment.environment import Area, Environment
from footway.errors import BadGeometry, BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Ring = Sequence[tuple[float, float]]

_SMALLEST: Final = 1e-4  # m2, minimum area of a drawn polygon
_NEAR_LINE: Final = 0.5  # m, distance at which a click selects a wall without thickness


def with_obstacle(env: Environment, ring: Ring) -> Environment:
    """Return the map with another obstacle, given by its corners (m).

    Example:
        >>> import footway as fw
        >>> room = fw.Environment.from_polygons(bounds=(0, 0, 5, 5))
        >>> with_obstacle(room, [(1, 1), (2, 1), (2, 2)]).area
        24.5
    """
    return _rebuilt(env, env.walkable, obstacles=[_polygon(ring)])


def with_floor(env: Environment, ring: Ring) -> Environment:
    """Return the map with more walkable space."""
    return _rebuilt(env, shapely.union_all([env.walkable, _polygon(ring)]))


def with_terrain(env: Environment, kind: str, ring: Ring) -> Environment:
    """Return the map with another region of terrain, on top of all others."""
    return env.with_terrain([(kind, _polygon(ring))])


def with_area(
    env: Environment, name: str, ring: Ring, properties: Mapping[str, Any] | None = None
) -> Environment:
    """Return the map with another named area."""
    return replace(env, areas=(*env.areas, Area(name, _polygon(ring), dict(properties or {}))))


def without(env: Environment, at: tuple[float, float]) -> Environment:
    """Return the map without the topmost object at a point: area, terrain, obstacle or thin wall.

    Raises:
        BadInput: there is no object.
    """
    point = shapely.Point(at)
    for k in reversed(range(len(env.areas))):
        if shapely.intersects(env.areas[k].polygon, point):
            return replace(env, areas=env.areas[:k] + env.areas[k + 1 :])
    for k in reversed(range(len(env.terrain))):
        if shapely.intersects(env.terrain[k].polygon, point):
            return replace(env, terrain=env.terrain[:k] + env.terrain[k + 1 :])
    rings = [ring for polygon in env.walkable.geoms for ring in polygon.interiors]
    holes = [hole for hole in map(shapely.Polygon, rings) if shapely.intersects(hole, point)]
    if holes and not shapely.contains(env.walkable, point):
        smallest = min(holes, key=lambda hole: float(hole.area))
        return _rebuilt(env, shapely.union_all([env.walkable, smallest]))
    near = [line for line in env.lines.geoms if shapely.distance(line, point) <= _NEAR_LINE]
    if near:
        rest = [line for line in env.lines.geoms if line is not near[0] and line != near[0]]
        return _rebuilt(replace(env, lines=shapely.MultiLineString(rest)), env.walkable)
    raise BadInput("there is nothing here to delete; click on an obstacle, terrain or an area")


def _rebuilt(env: Environment, walkable: Any, **more: Any) -> Environment:
    """Return the map with other walkable space; thin walls, areas and names are kept.

    Terrain regions that obstacles cover completely are dropped.
    """
    free = shapely.difference(walkable, shapely.union_all(list(more.get("obstacles", ()))))
    made = Environment.from_polygons(
        walkable, lines=env.lines, points=env.points, areas=env.areas, name=env.name,
        grid=env.grid, terrain=[r for r in env.terrain if shapely.intersects(free, r.polygon)],
        **more,
    )  # fmt: skip
    return replace(made, repairs=env.repairs)


def _polygon(ring: Ring) -> Any:
    """Return the repaired polygon of these corners; it may have several parts."""
    shape = shapely.make_valid(shapely.Polygon(ring))
    parts = shapely.get_parts(shapely.get_parts(shape))
    shape = shapely.union_all(parts[shapely.get_dimensions(parts) == 2])
    if shape.area < _SMALLEST:
        raise BadGeometry("the polygon has no interior; draw three corners or more")
    return shape
