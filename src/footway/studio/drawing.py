"""Edit the map: add obstacles, floor, terrain and areas; delete, undo, redo."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from footway.environment import editing
from footway.environment.environment import GROUND
from footway.errors import BadInput

if TYPE_CHECKING:
    from footway.environment import Environment
    from footway.studio.documents import Document
    from footway.studio.requests import Edit

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
        if not document.editable:
            raise BadInput(f"{document.name}: cannot be edited; open a map or a scenario")
        if request.do == "undo":
            return self._step(self.before, self.after, document, "undo")
        if request.do == "redo":
            return self._step(self.after, self.before, document, "redo")
        assert document.environment is not None
        if request.do == "add":
            edited = _added(document.environment, request)
        else:
            assert request.at is not None
            edited = editing.without(document.environment, request.at)
        made = on(document, edited)
        self.before = [*self.before, document][-_MAX_UNDONE:]
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
    """Return a document with another map; rebuild the corridor map if the walls changed."""
    old = document.environment
    if old is not None and environment.walkable is old.walkable and environment.lines is old.lines:
        return replace(document, environment=environment, is_edited=True)
    return replace(document.on(environment), is_edited=True)


def _added(env: Environment, request: Edit) -> Environment:
    assert request.polygon is not None
    if request.what == "terrain":
        return editing.with_terrain(env, _kind(request.kind), request.polygon)
    if request.what == "area":
        properties = {} if request.role is None else {"role": request.role}
        return editing.with_area(env, _area_name(env, request), request.polygon, properties)
    if request.what == "obstacle":
        return editing.with_obstacle(env, request.polygon)
    return editing.with_floor(env, request.polygon)


def _kind(kind: str | None) -> str:
    assert kind is not None
    if kind.strip().lower() in _RESERVED:
        raise BadInput(f"{kind!r} cannot be a kind of terrain; use another word, such as 'grass'")
    return kind.strip()


def _area_name(env: Environment, request: Edit) -> str:
    if len(env.areas) >= _MAX_AREAS:
        raise BadInput(f"there are {_MAX_AREAS} areas already; delete one")
    taken = {area.name for area in env.areas}
    role = request.role or "area"
    name = request.name or next(
        f"{role} {k}" for k in range(1, _MAX_AREAS + 2) if f"{role} {k}" not in taken
    )
    if name in taken:
        raise BadInput(f"there is an area {name!r} already; give another name"[:300])
    return name
