"""Edit a map: add, move, change and remove obstacles, floors, walls, terrain and areas.

Each edit returns a new map, with the plan that it is drawn with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import shapely

from footway.environment.environment import Area, Environment
from footway.environment.plan import ON_WALL, Item, Plan, corners, reshaped, translated
from footway.errors import BadGeometry, BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Ring = Sequence[tuple[float, float]]
    Point = tuple[float, float]

Kind = Literal["area", "terrain", "obstacle", "wall", "floor"]
_SMALLEST: Final = 1e-4  # m2, minimum area of a drawn polygon


class Found(NamedTuple):
    """The topmost item at a point.

    Attributes:
        kind: what it is.
        number: its number among the areas, the terrain or the items of the plan.
        name: its name, or the kind of terrain.
        shape: Shapely geometry, metres.
    """

    kind: Kind
    number: int
    name: str
    shape: Any

    @property
    def corners(self) -> list[Point]:
        """Its corners, if it is one polygon without holes or a line; else none."""
        return corners(self.shape)


@dataclass(frozen=True, eq=False)
class Drawing:
    """A map and the plan that it is drawn with.

    Example:
        >>> import footway as fw
        >>> room = Drawing.of(fw.Environment.from_polygons(bounds=(0, 0, 5, 5)))
        >>> more = room.with_obstacle([(1, 1), (2, 1), (2, 5), (1, 5)], name="shelf")
        >>> more.environment.area, more.item_at((1.5, 3)).name
        (21.0, 'shelf')
        >>> more.moved((1.5, 3), by=(2, -1)).without((3.5, 2)).environment.area
        25.0
    """

    environment: Environment
    plan: Plan

    @classmethod
    def of(cls, env: Environment, plan: Plan | None = None) -> Drawing:
        """Return a map with its plan, or with one that follows from its walkable space."""
        return cls(env, Plan.of(env) if plan is None else plan)

    def with_obstacle(self, ring: Ring, name: str = "") -> Drawing:
        """Return the map with another obstacle, given by its corners (m)."""
        return self.with_plan(self.plan.with_item(Item("obstacle", polygon_of(ring), name)))

    def with_floor(self, ring: Ring) -> Drawing:
        """Return the map with more walkable space."""
        return self.with_plan(self.plan.with_item(Item("floor", polygon_of(ring))))

    def with_terrain(self, kind: str, ring: Ring) -> Drawing:
        """Return the map with another region of terrain, on top of all others."""
        env = self.environment.with_terrain([(kind, polygon_of(ring))])
        return replace(self, environment=env)

    def with_area(
        self, name: str, ring: Ring, properties: Mapping[str, Any] | None = None
    ) -> Drawing:
        """Return the map with another named area."""
        return replace(self, environment=with_area(self.environment, name, ring, properties))

    def item_at(self, at: Point) -> Found:
        """Return the item at a point.

        That is a wall close by, else the smallest of the topmost area, terrain and obstacle (so
        that a desk in a large area can be selected, and a small area on a roof), else a wall not
        far away, else the floor.

        Raises:
            BadInput: there is no item.
        """
        env, point = self.environment, shapely.Point(at)
        areas = [Found("area", k, one.name, one.polygon) for k, one in enumerate(env.areas)]
        terrain = [Found("terrain", k, one.kind, one.polygon) for k, one in enumerate(env.terrain)]
        found = [
            next((one for one in reversed(some) if shapely.intersects(one.shape, point)), None)
            for some in (areas, terrain)
        ]
        number = self.plan.item_at(at)
        if number is not None:
            item = self.plan.items[number]
            drawn = Found(item.kind, number, item.name, item.shape)
            if item.kind == "wall" and shapely.distance(item.shape, point) <= ON_WALL:
                return drawn
            if item.kind == "obstacle" or not any(found):
                found.append(drawn)
        there: list[Found] = [one for one in found if one is not None]
        if not there:
            raise BadInput("there is nothing here; click an obstacle, a wall, terrain or an area")
        return min(there, key=lambda one: float(one.shape.area))

    def without(self, at: Point) -> Drawing:
        """Return the map without the topmost item at a point; the floor stays.

        Raises:
            BadInput: there is no item.
        """
        found = self.item_at(at)
        if found.kind == "floor":
            raise BadInput("there is nothing here; click an obstacle, a wall, terrain or an area")
        return self._with(found, None)

    def moved(self, at: Point, by: Point) -> Drawing:
        """Return the map with the topmost item at a point moved."""
        found = self.item_at(at)
        return self._with(found, found._replace(shape=translated(found.shape, by)))

    def changed(self, at: Point, points: Ring | None = None, name: str | None = None) -> Drawing:
        """Return the map with other corners or another name of the topmost item at a point."""
        found = self.item_at(at)
        shape = found.shape if points is None else reshaped(found.shape, points)
        return self._with(found, found._replace(shape=shape, name=name or found.name))

    def _with(self, found: Found, other: Found | None) -> Drawing:
        """Return the map with another item in the place of one, or without it (None)."""
        env, k = self.environment, found.number
        if found.kind == "area":
            areas = [] if other is None else [_area(other, env.areas[k])]
            return replace(
                self, environment=replace(env, areas=(*env.areas[:k], *areas, *env.areas[k + 1 :]))
            )
        if found.kind == "terrain":
            regions = []
            if other is not None:
                regions = [replace(env.terrain[k], kind=other.name, polygon=other.shape)]
            kept = (*env.terrain[:k], *regions, *env.terrain[k + 1 :])
            # Regions outside the map are refused.
            made = replace(env, terrain=()).with_terrain(kept) if kept else replace(env, terrain=())
            return replace(self, environment=made)
        if other is None:
            return self.with_plan(self.plan.without(k))
        item = replace(self.plan.items[k], shape=other.shape, name=other.name)
        return self.with_plan(self.plan.with_changed(k, item))

    def with_plan(self, plan: Plan) -> Drawing:
        """Return the map with another plan."""
        return Drawing(plan.applied_to(self.environment), plan)


def with_area(
    env: Environment, name: str, ring: Ring, properties: Mapping[str, Any] | None = None
) -> Environment:
    """Return the map with another named area."""
    return replace(env, areas=(*env.areas, Area(name, polygon_of(ring), dict(properties or {}))))


def _area(found: Found, before: Area) -> Area:
    return replace(before, name=found.name, polygon=found.shape)


def polygon_of(ring: Ring) -> Any:
    """Return the repaired polygon of these corners; it may have several parts."""
    shape = shapely.make_valid(shapely.Polygon(ring))
    parts = shapely.get_parts(shapely.get_parts(shape))
    shape = shapely.union_all(parts[shapely.get_dimensions(parts) == 2])
    if shape.area < _SMALLEST:
        raise BadGeometry("the polygon has no interior; draw three corners or more")
    return shape
