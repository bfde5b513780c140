"""Drawing on the map: obstacles, ground, areas; and back again."""

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

_MOST_UNDONE: Final = 50  # steps back that are kept
_RESERVED: Final = ("walkable", "obstacle", "building", "wall", "bounds", "area", GROUND)
_MOST_AREAS: Final = 500


@dataclass
class EditHistory:
    """The documents that came before, and those that were taken back."""

    before: list[Document] = field(default_factory=list)
    after: list[Document] = field(default_factory=list)

    def copy(self) -> EditHistory:
        """Return one with the same documents."""
        return EditHistory([*self.before], [*self.after])

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
    if ask.what == "terrain":
        return editing.with_terrain(env, _kind(ask.kind), ask.polygon)
    if ask.what == "area":
        properties = {} if ask.role is None else {"role": ask.role}
        return editing.with_area(env, _area_name(env, ask), ask.polygon, properties)
    if ask.what == "obstacle":
        return editing.with_obstacle(env, ask.polygon)
    return editing.with_floor(env, ask.polygon)


def _kind(kind: str | None) -> str:
    assert kind is not None
    if kind.strip().lower() in _RESERVED:
        raise BadInput(f"{kind!r} cannot be a kind of terrain; take another word, such as 'grass'")
    return kind.strip()


def _area_name(env: Environment, ask: Edit) -> str:
    if len(env.areas) >= _MOST_AREAS:
        raise BadInput(f"there are {_MOST_AREAS} areas already; delete one")
    taken = {area.name for area in env.areas}
    role = ask.role or "area"
    name = ask.name or next(
        f"{role} {k}" for k in range(1, _MOST_AREAS + 2) if f"{role} {k}" not in taken
    )
    if name in taken:
        raise BadInput(f"there is an area {name!r} already; give another name"[:300])
    return name


def _deleted(env: Environment, ask: Edit) -> Environment:
    assert ask.at is not None
    return editing.without(env, ask.at)
