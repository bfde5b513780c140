"""The kind of a TOML document: a scenario, a study or a building; and which command takes it.

Each reader refuses the documents of the others, and maps, with the command that takes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from footway.errors import BadFile
from footway.formats.registry import content_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Kind = Literal["scenario", "study", "building"]

_ADVICE: Final = {
    "scenario": "is a scenario: use `footway simulate`",
    "study": "is a study: use `footway study`",
    "building": "is a building, a map: use `footway check`, `build` or `path`; a scenario names it "
    "with `map`",
    "map": "is a map: use `footway check`, `build` or `path`; a scenario names it with `map`",
}


def kind_of_document(values: Mapping[str, Any]) -> Kind | None:
    """Return the kind of a TOML document; None if it could be any.

    Example:
        >>> kind_of_document({"map": "plan.geojson", "population": []})
        'scenario'
    """
    if isinstance(values.get("scenario"), str):
        return "study"
    if "map" in values:
        return "scenario"
    return "building" if isinstance(values.get("floor"), list) else None


def refuse_others(values: Mapping[str, Any], wanted: Kind) -> None:
    """Raise BadFile if a document is of another kind than the one wanted."""
    kind = kind_of_document(values)
    if kind is not None and kind != wanted:
        raise BadFile(_ADVICE[kind])


def refuse_map(file: Path) -> None:
    """Raise BadFile if a file, by its name, is a map where a scenario or a study is wanted."""
    if file.suffix.lower() != ".toml" and content_of(file.name) and file.is_file():
        raise BadFile(_ADVICE["map"])
