"""Read a scenario from TOML; errors give line and key on one line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin

from pydantic import BaseModel, ValidationError

from footway.errors import BadFile, BadInput
from footway.formats.registry import read_text
from footway.scenario.models import Scenario
from footway.scenario.positions import key_lines
from footway.scenario.problems import Fault, Origin, did_you_mean, kind_of, show, similar
from footway.scenario.schema import TABLES
from footway.validation import file as checked_file
from footway.validation import text as checked_text

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails

    from footway.scenario.problems import Keys

_WHERE = re.compile(r" \(at (line \d+, column \d+|end of document)\)$")
_ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "seconds": "duration",
        "time": "duration",
        "dt": "step",
        "time_step": "step",
        "timestep": "step",
        "random_seed": "seed",
        "agents": "population",
        "agent": "population",
        "pedestrians": "population",
        "number": "count",
        "n": "count",
        "size": "count",
        "velocity": "speed",
        "behavior": "behaviour",
        "spawn": "area",
        "spawn_area": "area",
        "exit": "destinations",
        "target": "destinations",
        "delay": "premovement",
        "pre_movement": "premovement",
        "position": "at",
        "fps": "every",
        "file": "recording",
    }
)
"""Names used by other programs, and the corresponding key here."""
_TABLE_OF: Final[Mapping[str, str]] = MappingProxyType(
    {
        key: header
        for header, table in reversed(list(TABLES.items()))
        for key in table.model_fields
        if header
    }
    | dict.fromkeys(Scenario.model_fields, "the top of the file")
)
"""The table to which each key belongs."""
_DISTINCT: Final = ("preferences",)
"""Keys similar to one of another table (such as `preference`) but with another meaning."""
_WANTED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "string_type": "text in quotes",
        "dict_type": "a table",
        "mapping_type": "a table",
        "model_type": "a table",
        "tuple_type": "a list",
        "list_type": "a list",
    }
)


def load_scenario(file: str | os.PathLike[str]) -> Scenario:
    """Return the scenario in a TOML file; its paths are relative to the file.

    The map is not loaded: `Scenario.stage` does that.

    Raises:
        BadFile: missing, or not TOML; the message gives line and column.
        BadInput: an unknown key or a wrong value; the message gives line, key and what to do.

    Example:
        >>> scenario = load_scenario("demo:corridor")
        >>> [population.count for population in scenario.population]
        [200, 200]

    """
    from footway.scenario.demos import demo_file, is_demo

    path = demo_file(str(file)) if is_demo(file) else checked_file(file)
    name = str(file)
    try:
        text = read_text(path)
    except BadFile as error:
        message = str(error).replace("a map file", "a scenario file")
        raise BadFile(f"{name}: {message}") from error
    return parse_scenario(text, name=name, folder=path.parent)


def parse_scenario(
    text: str, *, name: str = "scenario", folder: str | os.PathLike[str] = ""
) -> Scenario:
    """Return the scenario in a TOML document; raises as `load_scenario` does.

    Args:
        text: the document.
        name: its name in messages.
        folder: folder to which its paths are relative.

    """
    checked_text(text, "scenario")
    checked_text(name, "name")
    is_here = isinstance(folder, str) and not folder
    place = Path() if is_here else checked_file(folder, "folder")
    values = _parse(text, name)
    return _with_paths(validated(values, Origin(name, key_lines(text))), place)


def validated(values: dict[str, Any], origin: Origin) -> Scenario:
    """Return the scenario of parsed TOML values; `origin` is the file, for messages."""
    try:
        scenario = Scenario.model_validate(values)
    except ValidationError as error:
        raise _first_error(error, origin) from None
    scenario._origin = origin  # noqa: SLF001 - it is no key of the file
    check_names(scenario)
    return scenario


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = _WHERE.search(str(error))
        words = _WHERE.sub("", str(error))
        place = f"{where[1]}: " if where else ""
        raise BadFile(f"{name}: {place}is not TOML: {_lower_first(words)}") from error
    except RecursionError as error:
        raise BadFile(f"{name}: is nested too deeply; this is not a scenario") from error
    except ValueError as error:
        raise BadFile(f"{name}: has a number that is too long or not a date") from error


def _with_paths(scenario: Scenario, folder: Path) -> Scenario:
    """Return the scenario with its paths relative to the working directory."""
    changes: dict[str, Any] = {}
    if not scenario.map.startswith("gallery:"):
        changes["map"] = str(folder / scenario.map)
    if scenario.output.recording is not None:
        recording = str(folder / scenario.output.recording)
        changes["output"] = scenario.output.model_copy(update={"recording": recording})
    return scenario.model_copy(update=changes)


def check_names(scenario: Scenario) -> None:
    """Raise an error for unknown profiles and duplicate names; the map is not needed."""
    if not (scenario.population or scenario.source or scenario.group):
        raise scenario.origin.refuse((), "has nobody in it; add [[population]] with count = 100")
    taken: set[str] = set()
    for kind in ("population", "source", "group"):
        for i, walkers in enumerate(getattr(scenario, kind)):
            keys = (kind, i)
            if walkers.profile is not None and walkers.profile not in scenario.profile:
                hint = did_you_mean(walkers.profile, scenario.profile)
                hint = hint or f"add [profile.{walkers.profile}]"
                message = f"there is no profile {show(walkers.profile)}; {hint}"
                raise scenario.origin.refuse((*keys, "profile"), message)
            if walkers.name in taken:
                message = f"{show(walkers.name)} is taken; give each its own name"
                raise scenario.origin.refuse((*keys, "name"), message)
            taken |= {walkers.name} - {None}


def _first_error(error: ValidationError, origin: Origin) -> BadInput:
    """Return the first error; unknown keys come before keys that are missing because of them."""
    errors = error.errors(include_url=False)
    first = min(errors, key=lambda one: (one["type"] != "extra_forbidden", _line(one, origin)))
    keys, message = _explain(first)
    more = f" ({len(errors) - 1} more after this)" if len(errors) > 1 else ""
    return origin.refuse(keys, message + more)


def _line(error: ErrorDetails, origin: Origin) -> int:
    return origin.line_of(_explain(error)[0])


def _explain(error: ErrorDetails) -> tuple[Keys, str]:
    """Return the key path of an error, and a message that says what to do."""
    keys: Keys = tuple(key for key in error["loc"] if key != "[key]")
    kind, given = error["type"], error["input"]
    fault = error.get("ctx", {}).get("error")
    if isinstance(fault, Fault):
        return keys + fault.inside, str(fault)
    if kind == "extra_forbidden":
        return keys, _unknown(keys)
    if kind == "missing":
        return keys, f"is missing: {_description(keys)}"
    if kind == "literal_error":
        return keys, _no_choice(given, error.get("ctx", {}).get("expected", ""))
    if kind in ("string_too_short", "string_too_long"):
        return keys, f"has {len(given)} letters; give 1 to 200"
    if len(keys) == 1 and kind in ("tuple_type", "dict_type", "mapping_type", "model_type"):
        return keys, _brackets(str(keys[0]), given)
    return keys, f"is {kind_of(given)}; give {_WANTED.get(kind, error['msg'])}"


def _unknown(keys: Keys) -> str:
    name = str(keys[-1])
    table = _table_at(keys[:-1])
    known = list(table.model_fields)
    meant = _ALIASES.get(name.lower().replace("-", "_"))
    if meant in known:
        hint = f"did you mean {meant!r}?"
    elif name in _TABLE_OF and (name in _DISTINCT or not similar(name, known, at_least=0.8)):
        hint = f"it belongs in {_TABLE_OF[name]}"
    else:
        hint = did_you_mean(name, known)
    return f"is no key of {'a scenario' if len(keys) == 1 else 'this table'}; {hint}"


def _no_choice(given: Any, expected: str) -> str:
    choices = re.findall(r"'([^']*)'", expected)
    if not isinstance(given, str):
        return f"is {kind_of(given)}; give {expected}"
    return f"is {show(given)}; {did_you_mean(given, choices)}"


def _brackets(key: str, given: Any) -> str:
    """Return the message for the common mistake of one bracket instead of two."""
    many = key in ("population", "source", "group", "obstacle")
    wanted = f"[[{key}]]" if many else f"[{key}]" if key in ("output", "area") else f"[{key}.NAME]"
    single = f"[{key}] with one bracket" if isinstance(given, dict) else kind_of(given)
    return f"is {single}; write {wanted}"


def _description(keys: Keys) -> str:
    text = _table_at(keys[:-1]).model_fields[str(keys[-1])].description or ""
    return _lower_first(text).rstrip(".")


def _table_at(keys: Keys) -> type[BaseModel]:
    """Return the model of the table at a key path."""
    table: type[BaseModel] = Scenario
    for key in keys:
        if isinstance(key, str) and key in table.model_fields:
            table = _model_in(table.model_fields[key].annotation) or table
    return table


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model inside an annotation: a list, a mapping or an optional value."""
    if isinstance(annotation, type) and not get_origin(annotation):
        return annotation if issubclass(annotation, BaseModel) else None
    found = (_model_in(one) for one in get_args(annotation))
    return next((one for one in found if one is not None), None)


def _lower_first(words: str) -> str:
    return f"{words[:1].lower()}{words[1:]}"
