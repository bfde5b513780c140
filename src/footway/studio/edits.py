"""Edits of the map of a document, with undo; in a building of one of its floors and links."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from footway.environment.editing import Drawing
from footway.environment.environment import GROUND
from footway.errors import BadInput
from footway.studio import buildings

if TYPE_CHECKING:
    from footway.corridor import CorridorMap
    from footway.environment import Environment
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
        return _on_floor(document, request)
    if request.do in ("close-link", "open-link"):
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
    if request.at is not None:
        check_no_link(document, request.floor, request.at)
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
    k = building.floor_index(floor)
    return Drawing.of(building.floors[k].environment, document.floor_plans.get(k))


def _check_plane(document: Document, floor: str | None) -> None:
    if floor is not None:
        raise BadInput(f"{document.name}: has one floor only; leave the floor out")


def check_no_link(document: Document, floor: str | None, at: tuple[float, float]) -> None:
    """Refuse to edit what is below a link of a building: it stays where it is."""
    building = document.building
    if building is None or floor is None:
        return
    link = buildings.link_at(building, building.floor_index(floor), at)
    if link is not None:
        raise BadInput(
            f"{link} is here: links cannot be moved or deleted, but closed and opened in the list "
            "of links"
        )


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
