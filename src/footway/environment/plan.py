"""The floors, obstacles and walls that a map is drawn with, one after the other.

An environment has one walkable space, in which obstacles that touch have become one. A plan keeps
them apart, with their names, so that each can be moved, changed and deleted.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Literal

import shapely
from shapely import affinity

from footway.environment.environment import Environment
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Kind = Literal["floor", "obstacle", "wall"]
_NEAR: Final = 0.5  # m, distance at which a point selects a wall without thickness
ON_WALL: Final = 0.2  # m, distance at which it does so although something else is there, too
_SAME: Final = 1e-6  # part of the area by which a plan may differ from its environment


@dataclass(frozen=True, eq=False)
class Item:
    """A floor, an obstacle or a wall without thickness.

    Attributes:
        kind: what it is.
        shape: Shapely polygon or multipolygon, or line, metres.
        name: as in the map; may be empty.
    """

    kind: Kind
    shape: Any
    name: str = ""


@dataclass(frozen=True, eq=False)
class Plan:
    """Items in the order in which they are drawn: later ones are above earlier ones.

    Example:
        >>> import footway as fw
        >>> room = fw.Environment.from_polygons(bounds=(0, 0, 5, 5))
        >>> plan = Plan.of(room).with_item(Item("obstacle", shapely.box(1, 1, 2, 5)))
        >>> plan.applied_to(room).area
        21.0
        >>> plan.without(plan.item_at((1.5, 4.5))).applied_to(room).area
        25.0
    """

    items: tuple[Item, ...]

    @classmethod
    def of(cls, env: Environment) -> Plan:
        """Return the plan of a map: its floors, the obstacles inside them, and its thin walls."""
        shells = [shapely.Polygon(part.exterior) for part in env.walkable.geoms]
        order = sorted(range(len(shells)), key=lambda k: -float(shells[k].area))
        items = []
        for k in order:
            items.append(Item("floor", shells[k]))
            rings = env.walkable.geoms[k].interiors
            items += [Item("obstacle", shapely.Polygon(ring)) for ring in rings]
        items += [Item("wall", line) for line in env.lines.geoms]
        return cls(tuple(items))

    @classmethod
    def matching(cls, items: Iterable[Item], env: Environment) -> Plan | None:
        """Return the plan of these items; None if the map is not made of them."""
        plan = cls(tuple(items))
        apart = shapely.symmetric_difference(plan.walkable, env.walkable).area
        return plan if apart <= _SAME * env.area else None

    @property
    def walkable(self) -> Any:
        """The walkable space, a Shapely polygon or multipolygon."""
        space = shapely.Polygon()
        solid = [item for item in self.items if item.kind != "wall"]
        for kind, group in groupby(solid, key=lambda item: item.kind):
            shapes = shapely.union_all([item.shape for item in group])
            join = shapely.union if kind == "floor" else shapely.difference
            space = join(space, shapes)
        return space

    def applied_to(self, env: Environment) -> Environment:
        """Return a map with these floors, obstacles and walls; all else is kept.

        Terrain regions that obstacles cover completely are dropped.

        Raises:
            BadGeometry: no walkable space is left.
        """
        space = self.walkable
        made = Environment.from_polygons(
            space, lines=[item.shape for item in self.items if item.kind == "wall"],
            points=env.points, areas=env.areas, name=env.name, grid=env.grid,
            terrain=[r for r in env.terrain if shapely.intersects(space, r.polygon)],
        )  # fmt: skip
        return replace(made, repairs=env.repairs)

    def item_at(self, at: tuple[float, float]) -> int | None:
        """Return the number of the nearest wall or topmost obstacle at a point, or of the floor."""
        point = shapely.Point(at)
        found: list[tuple[float, int]] = []  # the least comes first
        for k, item in enumerate(self.items):
            away = float(shapely.distance(item.shape, point))
            if item.kind == "wall" and away <= _NEAR:
                found.append((away, -k))
            elif item.kind != "wall" and away == 0.0:
                found.append((ON_WALL if item.kind == "obstacle" else math.inf, -k))
        return -min(found)[1] if found else None

    def with_item(self, item: Item) -> Plan:
        """Return the plan with another item on top."""
        return Plan((*self.items, item))

    def without(self, k: int | None) -> Plan:
        """Return the plan without an item."""
        assert k is not None
        return Plan(self.items[:k] + self.items[k + 1 :])

    def with_changed(self, k: int, item: Item) -> Plan:
        """Return the plan with another item in the place of item k."""
        return Plan((*self.items[:k], item, *self.items[k + 1 :]))

    def drawn(self) -> list[Item]:
        """Return items that mean the same in any order: obstacles without the floors above them."""
        found, above = [], shapely.Polygon()
        for item in reversed(self.items):
            if item.kind == "floor":
                above = shapely.union(above, item.shape)
            shape = item.shape
            if item.kind == "obstacle" and shapely.intersects(shape, above):
                shape = shapely.difference(shape, above)
            if not shape.is_empty:
                found.append(replace(item, shape=shape))
        return found[::-1]

    def to_text(self) -> str:
        """Return the plan as JSON."""
        rows = [[item.kind, item.name, shapely.to_wkb(item.shape, hex=True)] for item in self.items]
        return json.dumps(rows)

    @classmethod
    def from_text(cls, text: str) -> Plan:
        """Return the plan that `to_text` wrote."""
        rows = [
            (kind, str(name), shapely.from_wkb(shape)) for kind, name, shape in json.loads(text)
        ]
        if not all(kind in ("floor", "obstacle", "wall") for kind, _, _ in rows):
            raise ValueError("an item of an unknown kind")
        return cls(tuple(Item(kind, shape, name) for kind, name, shape in rows))


def translated(shape: Any, by: tuple[float, float]) -> Any:
    """Return a shape at another place."""
    return affinity.translate(shape, *by)


def corners(shape: Any) -> list[tuple[float, float]]:
    """Return the corners of a polygon without holes, or the points of a line; else none."""
    parts = list(getattr(shape, "geoms", [shape]))
    if len(parts) != 1 or (hasattr(parts[0], "interiors") and parts[0].interiors):
        return []
    ring = parts[0].exterior.coords[:-1] if hasattr(parts[0], "exterior") else parts[0].coords
    return [(float(x), float(y)) for x, y, *_ in ring]


def reshaped(shape: Any, points: Sequence[tuple[float, float]]) -> Any:
    """Return a shape of the same dimension with other corners.

    Raises:
        BadInput: the corners make no polygon.
    """
    if shapely.get_dimensions(shape) == 1:
        return shapely.LineString(points)
    made = shapely.Polygon(points)
    if not made.is_valid or made.area <= 0.0:
        raise BadInput("the corners make no polygon: its sides must not cross")
    return made
