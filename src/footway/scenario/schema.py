"""JSON Schema of a scenario file, for editors, and the table of its keys, for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from footway.scenario.models import (
    Group,
    Obstacle,
    Output,
    Population,
    ProfileTable,
    Region,
    Scenario,
    Source,
)
from footway.scenario.quantities import Number, Spread
from footway.scenario.shapes import PointOf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic.fields import FieldInfo

TABLES: Mapping[str, type[BaseModel]] = {
    "": Scenario,
    "[profile.NAME]": ProfileTable,
    "[[terrain]]": Region,
    "[[population]]": Population,
    "[[source]]": Source,
    "[[group]]": Group,
    "[[obstacle]]": Obstacle,
    "[output]": Output,
}
"""The tables of a file, as their headers are written; "" is the top."""


class Key(NamedTuple):
    """A key of the file, in words."""

    name: str
    unit: str  # "" where it has none
    default: str  # as it is typed; "" where it must be given or where leaving it out is special
    required: bool
    meaning: str


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a scenario file.

    Descriptions end in the unit. TOML has no null, so keys are left out instead.
    """
    schema: dict[str, Any] = _without_null(Scenario.model_json_schema())
    for model in TABLES.values():
        table = schema if model is Scenario else schema["$defs"][model.__name__]
        for name, field in model.model_fields.items():
            _describe(table["properties"][name], _key(name, field))
    schema["title"] = "Footway scenario"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def keys() -> Iterator[tuple[str, list[Key]]]:
    """Each table of the file with its keys, in the order in which one types them."""
    for header, model in TABLES.items():
        yield header, [_key(name, field) for name, field in _ordered(model)]


def _ordered(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """Required keys first, and `count` and `name` before habits."""
    first = ("title", "map", "name", "count")
    fields = list(model.model_fields.items())
    return sorted(fields, key=lambda one: first.index(one[0]) if one[0] in first else len(first))


def _key(name: str, field: FieldInfo) -> Key:
    return Key(
        name, _unit(field), _default(field), field.is_required(), (field.description or "").strip()
    )


def _unit(field: FieldInfo) -> str:
    for mark in (*field.metadata, *_marks(field.annotation)):
        if isinstance(mark, Number | PointOf):
            return mark.unit
    return ""


def _marks(annotation: Any) -> Iterator[Any]:
    """Everything that is in an annotation."""
    for one in (*getattr(annotation, "__metadata__", ()), *get_args(annotation)):
        yield one
        yield from _marks(one)


def _default(field: FieldInfo) -> str:
    """The default as one types it; "" where there is nothing to type."""
    value = field.default
    if value is PydanticUndefined or value is None or isinstance(value, BaseModel):
        return ""
    if isinstance(value, tuple) and not isinstance(value, Spread):
        return f"[{', '.join(f'{one:g}' for one in value)}]" if value else ""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Spread):
        return f"{{mean = {value.mean:g}, deviation = {value.deviation:g}}}"
    return f"{value:g}"


def _describe(item: dict[str, Any], key: Key) -> None:
    """Put the unit into the description, and leave out defaults that JSON has no number for."""
    meaning = key.meaning.replace("`", "")
    item["description"] = f"{meaning.rstrip('.')}. Unit: {key.unit}." if key.unit else meaning
    item["title"] = key.name
    default = item.get("default")
    if isinstance(default, dict) or (isinstance(default, float) and not math.isfinite(default)):
        del item["default"]


def _without_null(schema: Any) -> Any:
    """The schema without the value null, which stands for a key that is left out."""
    if isinstance(schema, list):
        return [_without_null(one) for one in schema if one != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    found = {key: _without_null(one) for key, one in schema.items()}
    if "default" in found and found["default"] is None:
        del found["default"]
    choices = found.get("anyOf", ())
    if len(choices) == 1:
        del found["anyOf"]
        found = {**choices[0], **found}
    return found


def markdown() -> str:
    """The keys of every table as Markdown tables, for the documentation."""
    return "\n\n".join(_markdown_table(header, some) for header, some in keys())


def _markdown_table(header: str, some: list[Key]) -> str:
    lines = [
        f"### `{header}`" if header else "### At the top",
        "",
        "| key | unit | default | meaning |",
        "|---|---|---|---|",
    ]
    for key in some:
        default = "must be given" if key.required else f"`{key.default}`" if key.default else ""
        lines.append(f"| `{key.name}` | {key.unit} | {default} | {key.meaning} |")
    return "\n".join(lines)
