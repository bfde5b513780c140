"""Drawing on the map: obstacles, ground, areas; and back again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import shapely

from footway.environment import Area, Environment
from footway.environment.environment import GROUND
from footway.errors import BadGeometry, BadInput

if TYPE_CHECKING:
    from footway.studio.documents import Document
    from footway.studio.requests import Edit, Point

_MOST_UNDONE: Final = 50  # steps back that are kept
_NEAR_LINE: Final = 0.5  # m, within which a click means a wall without thickness
_RESERVED: Final = ("walkable", "obstacle", "building", "wall", "bounds", "area", GROUND)
_MOST_AREAS: Final = 500


@dataclass
class Sheet:
    """The documents that came before, and those that were taken back."""

    before: list[Document] = field(default_factory=list)
    after: list[Document] = field(default_factory=list)

    def edit(self, document: Document, ask: Edit) -> Document:
        """Return the document after an edit.

        Raises:
            BadInput: what cannot be drawn, deleted or undone, and why.

        """
        if not document.editable:
            raise BadInput(f"{document.name}: cannot be edited; open a map or a scenario")
        if ask.do == "undo":
            return self._step(self.before, self.after, document, "undo")
        if ask.do == "redo":
            return self._step(self.after, self.before, document, "redo")
        assert document.environment is not None
        drawn = _added if ask.do == "add" else _deleted
        made = on(document, drawn(document.environment, ask))
        self.before = [*self.before, document][-_MOST_UNDONE:]
        self.after.clear()
        return made

    def _step(
        self, source: list[Document], target: list[Document], document: Document, word: str
    ) -> Document:
        if not source:
            raise BadInput(f"there is nothing to {word}")
        target.append(document)
        return source.pop()


def on(document: Document, environment: Environment) -> Document:
    """Return a document with another map; its corridors are built anew where the walls moved."""
    old = document.environment
    if old is not None and environment.walkable is old.walkable and environment.lines is old.lines:
        return replace(document, environment=environment, is_edited=True)
    return replace(document.on(environment), is_edited=True)


def _added(env: Environment, ask: Edit) -> Environment:
    assert ask.polygon is not None
    shape = _polygon(ask.polygon)
    if ask.what == "terrain":
        return env.with_terrain([(_kind(ask.kind), shape)])
    if ask.what == "area":
        return _with_area(env, shape, ask)
    if ask.what == "obstacle":
        return _rebuilt(env, env.walkable, obstacles=[shape])
    return _rebuilt(env, shapely.union_all([env.walkable, shape]))


def _rebuilt(env: Environment, walkable: Any, **more: Any) -> Environment:
    """Return the map with other walls; walls without thickness and names stay."""
    made = Environment.from_polygons(
        walkable, lines=env.lines, points=env.points, areas=env.areas, name=env.name,
        grid=env.grid, terrain=_left(env, walkable, more.get("obstacles", ())), **more,
    )  # fmt: skip
    return replace(made, repairs=env.repairs)


def _left(env: Environment, walkable: Any, obstacles: Any) -> list[Any]:
    """Regions of terrain that something is left of: a whole one may be built over."""
    free = shapely.difference(walkable, shapely.union_all(list(obstacles)))
    return [region for region in env.terrain if shapely.intersects(free, region.polygon)]


def _polygon(points: list[Point]) -> shapely.Polygon:
    shape = shapely.make_valid(shapely.Polygon(points))
    parts = [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"]
    parts += [
        one
        for part in shapely.get_parts(shape)
        if part.geom_type == "MultiPolygon"
        for one in part.geoms
    ]
    if not parts or sum(part.area for part in parts) < 1e-4:
        raise BadGeometry("the polygon has no inside; draw three corners or more around a place")
    return parts[0] if len(parts) == 1 else shapely.union_all(parts)


def _kind(kind: str | None) -> str:
    assert kind is not None
    if kind.strip().lower() in _RESERVED:
        raise BadInput(f"{kind!r} cannot be a kind of terrain; take another word, such as 'grass'")
    return kind.strip()


def _with_area(env: Environment, shape: Any, ask: Edit) -> Environment:
    if len(env.areas) >= _MOST_AREAS:
        raise BadInput(f"there are {_MOST_AREAS} areas already; delete one")
    taken = {area.name for area in env.areas}
    role = ask.role or "area"
    name = ask.name or next(
        f"{role} {k}" for k in range(1, _MOST_AREAS + 2) if f"{role} {k}" not in taken
    )
    if name in taken:
        raise BadInput(f"there is an area {name!r} already; give another name"[:300])
    properties = {} if ask.role is None else {"role": ask.role}
    return replace(env, areas=(*env.areas, Area(name, shape, properties)))


def _deleted(env: Environment, ask: Edit) -> Environment:
    """Return the map without what lies on top at a point: area, terrain, wall, obstacle."""
    point = shapely.Point(ask.at)
    for k in reversed(range(len(env.areas))):
        if shapely.intersects(env.areas[k].polygon, point):
            return replace(env, areas=env.areas[:k] + env.areas[k + 1 :])
    for k in reversed(range(len(env.terrain))):
        if shapely.intersects(env.terrain[k].polygon, point):
            return replace(env, terrain=env.terrain[:k] + env.terrain[k + 1 :])
    hole = _hole(env, point)
    if hole is not None:
        return _rebuilt(env, shapely.union_all([env.walkable, hole]))
    near = [line for line in env.lines.geoms if shapely.distance(line, point) <= _NEAR_LINE]
    if near:
        rest = [line for line in env.lines.geoms if line is not near[0] and line != near[0]]
        return _rebuilt(replace(env, lines=shapely.MultiLineString(rest)), env.walkable)
    raise BadInput("there is nothing here to delete; click on an obstacle, terrain or an area")


def _hole(env: Environment, point: Any) -> Any:
    """The smallest hole of the walkable space around a point, filled; None: there is none."""
    rings = [ring for polygon in env.walkable.geoms for ring in polygon.interiors]
    around = [
        hole for hole in map(shapely.Polygon, rings)
        if shapely.intersects(hole, point) and not shapely.contains(env.walkable, point)
    ]  # fmt: skip
    return min(around, key=lambda hole: float(hole.area), default=None)
