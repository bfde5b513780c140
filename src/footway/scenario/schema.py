"""JSON Schema of a scenario file, for editors, and tables of its keys, for the documentation."""

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
from footway.scenario.values import Number, Spread, Unit

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
"""The tables of a file by header; "" is the top level."""


class Key(NamedTuple):
    """Description of a key of the file."""

    name: str
    unit: str  # "" for none
    default: str  # as written; "" if required or if the default is not a value
    required: bool
    meaning: str


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a scenario file.

    Descriptions end with the unit. TOML has no null: optional keys are omitted instead.
    """
    schema: dict[str, Any] = _without_null(Scenario.model_json_schema())
    for model in TABLES.values():
        table = schema if model is Scenario else schema["$defs"][model.__name__]
        for name, field in model.model_fields.items():
            _describe(table["properties"][name], _key(name, field))
    schema["title"] = "Footway scenario"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def keys() -> Iterator[tuple[str, list[Key]]]:
    """Yield each table of the file with its keys, in the usual order."""
    for header, model in TABLES.items():
        yield header, [_key(name, field) for name, field in _ordered(model)]


def _ordered(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """Return the fields with title, map, name and count first."""
    first = ("title", "map", "name", "count")
    fields = list(model.model_fields.items())
    return sorted(fields, key=lambda one: first.index(one[0]) if one[0] in first else len(first))


def _key(name: str, field: FieldInfo) -> Key:
    return Key(
        name, _unit(field), _default(field), field.is_required(), (field.description or "").strip()
    )


def _unit(field: FieldInfo) -> str:
    for mark in (*field.metadata, *_marks(field.annotation)):
        if isinstance(mark, Number | Unit):
            return mark.unit
    return ""


def _marks(annotation: Any) -> Iterator[Any]:
    """Yield everything nested in an annotation."""
    for one in (*getattr(annotation, "__metadata__", ()), *get_args(annotation)):
        yield one
        yield from _marks(one)


def _default(field: FieldInfo) -> str:
    """Return the default as written in TOML; "" if there is none."""
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
    """Add the unit to the description, and remove defaults that JSON cannot represent."""
    meaning = key.meaning.replace("`", "")
    item["description"] = f"{meaning.rstrip('.')}. Unit: {key.unit}." if key.unit else meaning
    item["title"] = key.name
    default = item.get("default")
    if isinstance(default, dict) or (isinstance(default, float) and not math.isfinite(default)):
        del item["default"]


def _without_null(schema: Any) -> Any:
    """Return the schema without null, which represents an omitted key."""
    if isinstance(schema, list):
        return [_without_null(one) for one in schema if one != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    # A list of three points is a polygon and a choice: both notations may match.
    names = {"oneOf": "anyOf"}
    found = {names.get(key, key): _without_null(one) for key, one in schema.items()}
    if "default" in found and found["default"] is None:
        del found["default"]
    choices = found.get("anyOf", ())
    if len(choices) == 1:
        del found["anyOf"]
        found = {**choices[0], **found}
    return found


def markdown() -> str:
    """Return the keys of every table as Markdown tables."""
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
