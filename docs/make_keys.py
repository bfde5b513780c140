# ruff: noqa: INP001 - a script, not a package
"""Write the tables of keys into docs/scenarios.md again: `python docs/make_keys.py`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from footway.crowd.models import LocalModel
from footway.scenario.models import TABLES, unit_of
from footway.scenario.values import Spread

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

DOCUMENT: Final = Path(__file__).resolve().parent / "scenarios.md"
BEGIN: Final = "<!-- keys: written by docs/make_keys.py -->\n"
END: Final = "<!-- end of keys -->\n"
FIRST: Final = ("title", "map", "name", "count", "profile")
"""Keys that come first in their table."""


def with_keys(document: str) -> str:
    """Return the document with its tables made from the models."""
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    tables = "\n\n".join(table_of(header, model) for header, model in TABLES.items())
    return f"{before}{BEGIN}\n{tables}\n\n{END}{after}"


def table_of(header: str, model: type[BaseModel]) -> str:
    """Return the keys of a table of the file as a Markdown table."""
    lines = [f"### `{header}`" if header else "### At the top", ""]
    lines += ["| key | unit | default | meaning |", "|---|---|---|---|"]
    fields = list(model.model_fields.items())
    fields.sort(key=lambda item: FIRST.index(item[0]) if item[0] in FIRST else len(FIRST))
    for name, field in fields:
        default = "must be given" if field.is_required() else default_of(field)
        lines.append(f"| `{name}` | {unit_of(field)} | {default} | {field.description} |")
    return "\n".join(lines)


def default_of(field: FieldInfo) -> str:
    """Return the default as written in TOML; "" if there is none."""
    value = field.default
    if value is PydanticUndefined or value in (None, ()) or isinstance(value, BaseModel):
        return ""
    if isinstance(value, LocalModel):
        return f'`"{value.name}"`'
    if isinstance(value, Spread):
        return f"`{{mean = {value.mean:g}, deviation = {value.deviation:g}}}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(f'{item:g}' for item in value)}]`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value:g}`"


if __name__ == "__main__":
    DOCUMENT.write_text(with_keys(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
