"""Edits of the map of a document, with undo; in a building of one of its floors and links."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from footway.environment import Building, link_editing
from footway.environment.editing import Drawing
from footway.environment.environment import GROUND
from footway.errors import BadInput
from footway.studio import buildings

if TYPE_CHECKING:
    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.environment.links import Lift, Link
    from footway.studio.documents import Document
    from footway.studio.protocol.requests import Edit

_MAX_UNDONE: Final = 50  # edits that can be undone
_RESERVED: Final = ("walkable", "obstacle", "building", "wall", "bounds", "area", GROUND)
_MAX_AREAS: Final = 500


@dataclass
class EditHistory:
    """Documents before each edit (for undo), and undone documents (for redo)."""

    before: list[Document] = field(default_factory=list)
    after: list[Document] = field(default_factory=list)

    def copy(self) -> EditHistory:
        """Return a copy."""
        return EditHistory([*self.before], [*self.after])

    def edit(self, document: Document, request: Edit) -> Document:
        """Return the document after an edit.

        Raises:
            BadInput: the edit is not possible.
        """
        if document.locked is not None:
            raise BadInput(f"{document.name}: cannot be edited: {document.locked}")
        if request.do in ("undo", "redo"):
            source, target = self.before, self.after
            if request.do == "redo":
                source, target = target, source
            if not source:
                raise BadInput(f"there is nothing to {request.do}")
            target.append(document)
            return source.pop()
        made = _made(document, request)
        self.before = [*self.before, document][-_MAX_UNDONE:]
        self.after.clear()
        return made


def _made(document: Document, request: Edit) -> Document:
    if document.building is not None:
        if request.do in ("close-link", "open-link"):
            return _with_link(document, request)
        if request.is_link:
            return _with_drawn_link(document, request)
        link = None if request.at is None else link_at(document, request.floor, request.at)
        return _on_floor(document, request) if link is None else _on_link(document, link, request)
    if request.do in ("close-link", "open-link") or request.is_link:
        raise BadInput(f"{document.name}: has one floor only, and no links")
    env = document.environment
    assert env is not None
    drawing = _edited(drawing_of(document, request.floor), request)
    return replace(
        document,
        environment=drawing.environment,
        corridors=_rebuilt(document, env, drawing.environment),
        plan=drawing.plan,
        is_edited=True,
    )


def _rebuilt(document: Document, before: Environment, after: Environment) -> CorridorMap:
    """Return the map of an edited plan; areas and terrain leave it as it is."""
    from footway.corridor import CorridorMap

    is_same = after.walkable is before.walkable and after.lines is before.lines
    return document.corridors if is_same else CorridorMap.build(after)


def _on_floor(document: Document, request: Edit) -> Document:
    """Return the document after an edit of a floor of its building."""
    cmap = document.building_map
    assert cmap is not None
    drawing = drawing_of(document, request.floor)
    k = cmap.building.floor_index(request.floor)
    if request.what == "terrain":
        raise BadInput("terrain is for maps of one floor")
    names = [floor.name for floor in cmap.building.floors]
    if request.name in names:
        raise BadInput(f"there is a floor {request.name!r}; give the area another name"[:300])
    made = _edited(drawing, request)
    corridors = buildings.with_floor(cmap, k, made.environment)
    plans = {**document.floor_plans, k: made.plan}
    return replace(document, corridors=corridors, floor_plans=plans, is_edited=True)


def drawing_of(document: Document, floor: str | None) -> Drawing:
    """Return the drawing of a map, or of a floor of a building."""
    env, building = document.environment, document.building
    if building is None:
        assert env is not None
        _check_plane(document, floor)
        return Drawing.of(env, document.plan)
    if floor is None:
        raise BadInput("the map is a building: give the floor")
    return _drawing(document, building.floor_index(floor))


def _check_plane(document: Document, floor: str | None) -> None:
    if floor is not None:
        raise BadInput(f"{document.name}: has one floor only; leave the floor out")


def link_at(document: Document, floor: str | None, at: tuple[float, float]) -> Link | Lift | None:
    """Return the link at a point of a floor; None if there is none, or on a plan."""
    building = document.building
    if building is None or floor is None:
        return None
    return buildings.link_at(building, building.floor_index(floor), at)


def _with_drawn_link(document: Document, request: Edit) -> Document:
    """Return the document with another link, and its hole in the plans of both floors."""
    building = document.building
    assert building is not None
    assert request.polygon is not None
    assert request.floor is None or request.other is not None
    if request.floor is None:
        raise BadInput("the map is a building: give the floor")
    here, other = (building.floors[building.floor_index(one)]
                   for one in (request.floor, request.other))  # fmt: skip
    taken = {one.name for one in (*building.floors, *building.links)}
    free = (f"{request.what} {k}" for k in range(1, len(taken) + 2))
    name = request.name or next(one for one in free if one not in taken)
    if name in taken:
        raise BadInput(f"there is a floor or link {name!r} already; give another name"[:300])
    corners = [(at.x, at.y) for at in request.polygon]
    link = link_editing.drawn_link(request.what, name, corners, here, other, building.floors)
    plans = {
        k: link_editing.with_hole(_drawing(document, k), link_editing.outline(link))
        for k in link_editing.floors_of(link, building.floors)
    }
    return _with_links(document, (*building.links, link), plans)


def _on_link(document: Document, link: Link | Lift, request: Edit) -> Document:
    """Return the document with a link moved, renamed or deleted."""
    building = document.building
    assert building is not None
    if request.do == "change":
        if request.name is None:
            raise BadInput(f"the corners of {link} cannot be changed: delete it and draw another")
        if request.name in {one.name for one in (*building.floors, *building.links)}:
            raise BadInput(f"there is a floor or link {request.name!r} already"[:300])
        made = replace(link, name=request.name)
        links = tuple(made if one is link else one for one in building.links)
        return _with_links(document, links, {}, renamed={link.name: request.name})
    others = [one for one in building.links if one is not link]
    plans, by, at, to = {}, (0.0, 0.0), request.at, request.to
    if request.do == "move":
        assert at is not None
        assert to is not None
        by = to.x - at.x, to.y - at.y
    for k in link_editing.floors_of(link, building.floors):
        names = {building.floors[k].name}
        here = [one for one in others if names & {portal.floor for portal in one.portals}]
        drawing, hole = link_editing.without_hole(_drawing(document, k), link, here)
        if request.do == "move":
            drawing = link_editing.with_hole(drawing, link_editing.shifted(hole, by))
        plans[k] = drawing
    if request.do == "delete":
        return _with_links(document, tuple(others), plans)
    moved = link_editing.moved_link(link, by)
    return _with_links(
        document, tuple(moved if one is link else one for one in building.links), plans
    )


def _with_links(
    document: Document,
    links: tuple[Link | Lift, ...],
    plans: dict[int, Drawing],
    renamed: dict[str, str] | None = None,
) -> Document:
    """Return the document with other links, and other plans of some floors."""
    from footway.corridor import CorridorMap

    building = document.building
    assert building is not None
    floors = [*building.floors]
    for k, drawing in plans.items():
        floors[k] = replace(floors[k], environment=drawing.environment)
    corridors = CorridorMap.build(Building(floors, links, building.name))
    names = {link.name for link in links}
    closed = frozenset((renamed or {}).get(name, name) for name in document.closed) & names
    floor_plans = {**document.floor_plans, **{k: one.plan for k, one in plans.items()}}
    return replace(
        document, corridors=corridors, floor_plans=floor_plans, closed=closed, is_edited=True
    )


def _drawing(document: Document, k: int) -> Drawing:
    """Return the drawing of floor k."""
    building = document.building
    assert building is not None
    return Drawing.of(building.floors[k].environment, document.floor_plans.get(k))


def _with_link(document: Document, request: Edit) -> Document:
    """Return the document with a link closed or opened."""
    building, name = document.building, request.link
    assert building is not None
    assert name is not None
    buildings.check_link(building, name)
    is_closed, closes = name in document.closed, request.do == "close-link"
    if is_closed == closes:
        raise BadInput(f"the link {name!r} is {'closed' if closes else 'open'} already"[:300])
    closed = document.closed | {name} if closes else document.closed - {name}
    return replace(document, closed=closed)


def _edited(drawing: Drawing, request: Edit) -> Drawing:
    if request.do == "add":
        return _added(drawing, request)
    assert request.at is not None
    if request.do == "delete":
        return drawing.without(request.at)
    if request.do == "move":
        assert request.to is not None
        by = request.to.x - request.at.x, request.to.y - request.at.y
        return drawing.moved(request.at, by)
    if request.name is not None and drawing.item_at(request.at).kind == "area":
        _check_area_name(drawing.environment, request.name)
    return drawing.changed(request.at, request.polygon, request.name)


def _added(drawing: Drawing, request: Edit) -> Drawing:
    assert request.polygon is not None
    if request.what == "terrain":
        kind = (request.kind or "").strip()
        if kind.lower() in _RESERVED:
            raise BadInput(
                f"{request.kind!r} cannot be a kind of terrain; use another word, such as 'grass'"
            )
        return drawing.with_terrain(kind, request.polygon)
    if request.what == "area":
        properties = {} if request.role is None else {"role": request.role}
        name = _area_name(drawing.environment, request)
        return drawing.with_area(name, request.polygon, properties)
    if request.what == "obstacle":
        return drawing.with_obstacle(request.polygon, request.name or "")
    return drawing.with_floor(request.polygon)


def _area_name(env: Environment, request: Edit) -> str:
    if len(env.areas) >= _MAX_AREAS:
        raise BadInput(f"there are {_MAX_AREAS} areas already; delete one")
    taken = {area.name for area in env.areas}
    role = request.role or "area"
    name = request.name or next(
        f"{role} {k}" for k in range(1, _MAX_AREAS + 2) if f"{role} {k}" not in taken
    )
    _check_area_name(env, name)
    return name


def _check_area_name(env: Environment, name: str) -> None:
    if name in {area.name for area in env.areas}:
        raise BadInput(f"there is an area {name!r} already; give another name"[:300])
