"""A minimal JSON Schema validator: the part of the standard that the scenario schema uses."""

from __future__ import annotations

from typing import Any

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}
WORDS = frozenset(
    [
        *("$schema", "$defs", "$ref", "title", "description", "default", "type", "anyOf", "enum"),
        *("properties", "required", "additionalProperties", "propertyNames"),
        *("items", "prefixItems", "minItems", "maxItems", "minLength", "maxLength"),
        *("minimum", "exclusiveMinimum", "maximum"),
    ]
)


def problems(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "") -> list[str]:
    """Return the positions at which a value violates the schema."""
    if not set(schema) <= WORDS:
        raise AssertionError(f"words that this check does not know: {set(schema) - WORDS}")
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return problems(value, root["$defs"][name], root, at)
    if "anyOf" in schema and all(problems(value, one, root, at) for one in schema["anyOf"]):
        return [f"{at}: fits none of the choices"]
    if "type" in schema and (
        not isinstance(value, TYPES[schema["type"]])
        or (isinstance(value, bool) and schema["type"] != "boolean")
    ):
        return [f"{at}: is not of type {schema['type']}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{at}: is not in {schema['enum']}"]
    if isinstance(value, dict):
        return list(_in_table(value, schema, root, at))
    if isinstance(value, list):
        return list(_in_list(value, schema, root, at))
    if isinstance(value, int | float):
        return list(_in_number(value, schema, at))
    return []


def _in_table(value, schema, root, at):
    known, other = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{at}.{key}: is missing"
    for key, one in value.items():
        if key in known:
            yield from problems(one, known[key], root, f"{at}.{key}")
        elif other is False:
            yield f"{at}.{key}: is no key"
        elif isinstance(other, dict):
            yield from problems(one, other, root, f"{at}.{key}")


def _in_list(value, schema, root, at):
    first = schema.get("prefixItems", [])
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{at}: has {len(value)} items"
    for i, one in enumerate(value):
        item = first[i] if i < len(first) else schema.get("items", {})
        yield from problems(one, item, root, f"{at}[{i}]")


def _in_number(value, schema, at):
    if value < schema.get("minimum", value) or value > schema.get("maximum", value):
        yield f"{at}: is out of its limits"
    if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        yield f"{at}: is too small"
