"""Write src/protocol.ts: requests, replies and events of the studio, as TypeScript.

The types come from the JSON Schema of the modules in `footway.studio.protocol`; the limits of
numbers become the constant LIMITS. Run it with `python web/make_protocol.py` after a change of
these modules; a test fails if the file is out of date.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from footway.studio.protocol import replies, requests

FILE = Path(__file__).parent / "src" / "protocol.ts"
HEAD = """/** Written by web/make_protocol.py from the models of footway.studio: do not edit. */
"""
KINDS = {
    "f4": "Float32Array", "i4": "Int32Array", "u4": "Uint32Array",
    "u2": "Uint16Array", "i2": "Int16Array", "u1": "Uint8Array",
}  # fmt: skip
BOUNDS = {"minimum": "min", "exclusiveMinimum": "min", "maximum": "max"}


def source() -> str:
    """Return the content of the file."""
    models = list(dict.fromkeys([*sum(replies.REPLIES.values(), ()), *replies.EVENTS.values()]))
    answers = models_json_schema(
        [(model, "serialization") for model in [*models, replies.RefusalFacts]],
        ref_template="{model}",
    )[1]["$defs"]
    asked = {get_args(model.model_fields["type"].annotation)[0]: model for model in requests.ALL}
    forms = {
        kind: TypeAdapter(model).json_schema(ref_template="{model}")
        for kind, model in asked.items()
    }
    parts = [HEAD, *(interface(name, schema) for name, schema in sorted(answers.items()))]
    parts += [arrays(model) for model in models if model.arrays]
    parts += [interface(f"{model.__name__}Fields", forms[kind]) for kind, model in asked.items()]
    parts.append(table("Requests", {k: f"{model.__name__}Fields" for k, model in asked.items()}))
    found = {
        kind: " | ".join(pair(model) for model in some) for kind, some in replies.REPLIES.items()
    }
    parts.append(table("Replies", found))
    parts.append(table("Events", {name: pair(model) for name, model in replies.EVENTS.items()}))
    limits = {kind: limits_of(schema) for kind, schema in forms.items()}
    text = json.dumps({kind: some for kind, some in limits.items() if some}, indent=2)
    parts.append(
        f"/** Limits of the numbers in requests. */\nexport const LIMITS = {text} as const;\n"
    )
    return "\n".join(parts)


def pair(model: type[replies.Facts]) -> str:
    """Return the type of facts and arrays of a model."""
    name = model.__name__
    return f"{{ ok: {name}; arrays: {f'{name}Arrays' if model.arrays else '{}'} }}"


def interface(name: str, schema: dict[str, Any]) -> str:
    """Return an interface with the properties of a schema, without number and type of a request."""
    needed = schema.get("required", [])
    is_reply = not name.endswith("Fields")
    rows = [
        f"  {key}{'' if is_reply or key in needed else '?'}: {type_of(value)};"
        for key, value in schema.get("properties", {}).items()
        if is_reply or key not in ("n", "type")
    ]
    about = schema.get("description", name).splitlines()[0]
    if "properties" not in schema and schema["type"] != "object":
        return f"/** {about} */\nexport type {name} = {type_of(schema)};\n"
    return block(name, rows, f"/** {about} */")


def arrays(model: type[replies.Facts]) -> str:
    """Return an interface of the arrays of a model."""
    rows = [
        f"  {name}{'?' if array.is_optional else ''}: {KINDS[array.kind]};"
        for name, array in model.arrays.items()
    ]
    return block(f"{model.__name__}Arrays", rows, f"/** Arrays of {model.__name__}. */")


def table(name: str, rows: dict[str, str]) -> str:
    """Return an interface that maps kinds of messages to types."""
    lines = [f"  {key}: {value};" for key, value in rows.items()]
    return block(name, lines, f"/** {name} by their kind. */")


def block(name: str, rows: list[str], about: str) -> str:
    """Return an interface with some rows."""
    return "\n".join([about, f"export interface {name} {{", *rows, "}"]) + "\n"


def type_of(schema: dict[str, Any]) -> str:
    """Return the TypeScript type of a JSON Schema."""
    if "$ref" in schema:
        return str(schema["$ref"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(part) for part in schema["anyOf"]))
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    if kind == "array" and "prefixItems" in schema:
        return f"[{', '.join(type_of(part) for part in schema['prefixItems'])}]"
    if kind == "array":
        return f"Array<{type_of(schema['items'])}>"
    if kind == "object":
        return f"Record<string, {type_of(schema['additionalProperties'])}>"
    return {"integer": "number", "null": "null"}.get(str(kind), str(kind))


def limits_of(schema: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return minimum and maximum of the numbers of a request."""
    found: dict[str, dict[str, float]] = {}
    for key, value in schema["properties"].items():
        number = next((part for part in value.get("anyOf", [value]) if "maximum" in part), None)
        if number is not None and key != "n":
            found[key] = {BOUNDS[b]: number[b] for b in BOUNDS if b in number}
    return found


if __name__ == "__main__":
    FILE.write_text(source(), encoding="utf-8")
