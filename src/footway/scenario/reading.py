"""Read a scenario from TOML; errors give line and key on one line.

text --tomllib--> values --pydantic--> Scenario
  '--key_lines--> line of each key, for messages
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin

from pydantic import BaseModel, ValidationError

from footway.errors import BadFile, BadInput
from footway.formats.kinds import refuse_map, refuse_others
from footway.formats.registry import read_text
from footway.scenario.models import TABLES, Scenario
from footway.scenario.problems import Fault, Origin, kind_of
from footway.scenario.values import NO_PLACE, SPREAD, what_is
from footway.validation import did_you_mean, meant_built_in, shown, similar
from footway.validation import file as checked_file
from footway.validation import text as checked_text

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails

    from footway.scenario.problems import Keys

DEMO: Final = "demo:"  # prefix of the names of built-in scenarios

_DEMOS: Final = Path(__file__).parent / "gallery"
_WHERE = re.compile(r" \(at (line \d+, column \d+|end of document)\)$")
_ALIASES: Final[Mapping[str, str]] = {
    alias: key
    for key, aliases in {
        "duration": "seconds time",
        "step": "dt time_step timestep",
        "seed": "random_seed",
        "population": "agents agent pedestrians",
        "count": "number n size",
        "speed": "velocity",
        "behaviour": "behavior",
        "area": "spawn spawn_area",
        "destinations": "exit target",
        "premovement": "delay pre_movement",
        "at": "position",
        "every": "fps",
        "recording": "file",
    }.items()
    for alias in aliases.split()
}
"""Names used by other programs, and the corresponding key here."""
_TABLE_OF: Final[Mapping[str, str]] = {
    key: header for header in reversed(TABLES) if header for key in TABLES[header].model_fields
} | dict.fromkeys(Scenario.model_fields, "the top of the file")
"""The table to which each key belongs."""
_DISTINCT: Final = ("preferences",)
"""Keys similar to one of another table (such as `preference`) but with another meaning."""
_TABLE_TYPES: Final = ("dict_type", "mapping_type", "model_type")
_LIST_TYPES: Final = ("tuple_type", "list_type")


def load_scenario(file: str | os.PathLike[str]) -> Scenario:
    """Return the scenario in a TOML file; its paths are relative to the file.

    The map is not loaded: `Scenario.prepare` does that.

    Raises:
        BadFile: missing, or not TOML; the message gives line and column.
        BadInput: an unknown key or a wrong value; the message gives line, key and what to do.

    Example:
        >>> scenario = load_scenario("demo:corridor")
        >>> [population.count for population in scenario.population]
        [200, 200]
    """
    values, origin, folder = _read(file)
    return scenario_from_values(values, origin, folder)


def read_scenario(file: str | os.PathLike[str]) -> tuple[dict[str, Any], Path]:
    """Return the values in a scenario file, and the folder to which its paths are relative."""
    values, _, folder = _read(file)
    return values, folder


def _read(file: str | os.PathLike[str]) -> tuple[dict[str, Any], Origin, Path]:
    name = str(file)
    is_demo = isinstance(file, str) and name.startswith(DEMO)
    if is_demo:
        demo = name.removeprefix(DEMO)
        if demo not in demo_names():
            raise BadInput(f"no built-in scenario {demo!r}; {did_you_mean(demo, demo_names())}")
    path = _DEMOS / f"{demo}.toml" if is_demo else checked_file(file)
    try:
        refuse_map(path)
        text = read_text(path)
    except BadFile as error:
        if meant := meant_built_in(path, "demo"):
            raise BadFile(f"{name}: does not exist; did you mean {meant!r}?") from None
        raise BadFile(f"{name}: {error}") from error
    return _parse(text, name), Origin(name, key_lines(text)), path.parent


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
    return scenario_from_values(_parse(text, name), Origin(name, key_lines(text)), place)


def scenario_from_values(values: dict[str, Any], origin: Origin, folder: Path) -> Scenario:
    """Return the scenario of parsed TOML values, with paths relative to a folder."""
    scenario = validated(values, origin)
    changes: dict[str, Any] = {}
    if not scenario.map.startswith("gallery:"):
        changes["map"] = str(folder / scenario.map)
    if scenario.output.recording is not None:
        recording = str(folder / scenario.output.recording)
        changes["output"] = scenario.output.model_copy(update={"recording": recording})
    return scenario.model_copy(update=changes)


def demo_names() -> tuple[str, ...]:
    """Return the names of the built-in scenarios, in alphabetical order."""
    return tuple(sorted(file.stem for file in _DEMOS.glob("*.toml")))


def validated(values: dict[str, Any], origin: Origin) -> Scenario:
    """Return the scenario of parsed TOML values; `origin` is the file, for messages."""
    scenario = Scenario.__new__(Scenario)
    try:
        BaseModel.__init__(scenario, **values)  # `Scenario(...)` does not know the origin
    except ValidationError as error:
        raise first_error(error, origin) from None
    scenario._origin = origin  # noqa: SLF001 - it is not a key of the file
    check_names(scenario)
    return scenario


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = _WHERE.search(str(error))
        words = _WHERE.sub("", str(error))
        place = f"{where[1]}: " if where else ""
        raise BadFile(f"{name}: {place}is not TOML: {_lower_first(words)}") from error
    except RecursionError as error:
        raise BadFile(f"{name}: is nested too deeply; this is not a scenario") from error
    except ValueError as error:
        raise BadFile(f"{name}: has a number that is too long or not a date") from error
    try:
        refuse_others(values, "scenario")
    except BadFile as error:
        raise BadFile(f"{name}: {error}") from None
    return values


def check_names(scenario: Scenario) -> None:
    """Raise an error for unknown profiles and duplicate names; the map is not needed."""
    if not (scenario.population or scenario.source or scenario.group):
        raise scenario.origin.refuse((), "has no characters; add [[population]] with count = 100")
    taken: set[str] = set()
    for kind in ("population", "source", "group"):
        for i, walkers in enumerate(getattr(scenario, kind)):
            keys = (kind, i)
            if walkers.profile is not None and walkers.profile not in scenario.profile:
                hint = did_you_mean(walkers.profile, scenario.profile)
                hint = hint or f"add [profile.{walkers.profile}]"
                message = f"there is no profile {shown(walkers.profile)}; {hint}"
                raise scenario.origin.refuse((*keys, "profile"), message)
            if walkers.name in taken:
                message = f"{shown(walkers.name)} is used twice; give each its own name"
                raise scenario.origin.refuse((*keys, "name"), message)
            taken |= {walkers.name} - {None}


def first_error(error: ValidationError, origin: Origin) -> BadInput:
    """Return the first error; unknown keys come before keys that are missing because of them."""
    errors = error.errors(include_url=False)
    explained = [(one["type"] != "extra_forbidden", *_explain(one)) for one in errors]
    _, keys, message = min(explained, key=lambda one: (one[0], origin.line_of(one[1])))
    more = f" ({len(errors) - 1} more after this)" if len(errors) > 1 else ""
    return origin.refuse(keys, message + more)


def _explain(error: ErrorDetails) -> tuple[Keys, str]:
    """Return the key path of an error, and a message that says what to do."""
    # pydantic adds tags such as "[key]" and "[polygon]" to the path.
    keys: Keys = tuple(key for key in error["loc"] if not str(key).startswith("["))
    kind, given, context = error["type"], error["input"], error.get("ctx", {})
    fault = context.get("error")
    if isinstance(fault, Fault):
        return keys + fault.inside, str(fault)
    if SPREAD in error["loc"]:
        what = "missing" if kind == "missing" else "not a key"
        return keys, f"is {what}; write {{mean = ..., deviation = ...}}"
    if kind == "extra_forbidden":
        name = str(keys[-1])
        known = list(_table_at(keys[:-1]).model_fields)
        meant = _ALIASES.get(name.lower().replace("-", "_"))
        if meant in known:
            hint = f"did you mean {meant!r}?"
        elif name in _TABLE_OF and (name in _DISTINCT or not similar(name, known, at_least=0.8)):
            hint = f"it belongs in {_TABLE_OF[name]}"
        else:
            hint = did_you_mean(name, known)
        return keys, (f"is not a key of {'a scenario' if len(keys) == 1 else 'this table'}; {hint}")
    if kind == "missing":
        meaning = _table_at(keys[:-1]).model_fields[str(keys[-1])].description or ""
        return keys, f"is missing: {_lower_first(meaning).rstrip('.')}"
    if kind == NO_PLACE:
        what = f"the text {shown(given)}" if isinstance(given, str) else what_is(given)
        return keys, f"is {what}; give {error['msg']}"
    if kind == "literal_error":
        if not isinstance(given, str):
            return keys, f"is {kind_of(given)}; give {context['expected']}"
        choices = re.findall(r"'([^']*)'", context["expected"])
        return keys, f"is {shown(given)}; {did_you_mean(given, choices)}"
    if kind in ("string_too_short", "string_too_long"):
        return keys, f"has {len(given)} letters; give 1 to 200"
    if len(keys) == 1 and kind in (*_TABLE_TYPES, "tuple_type"):
        # One bracket instead of two, or the reverse.
        key = str(keys[0])
        lists = ("terrain", "population", "source", "group", "obstacle")
        single = f"[{key}]" if key in ("output", "area") else f"[{key}.NAME]"
        what = f"[{key}] with one bracket" if isinstance(given, dict) else kind_of(given)
        return keys, f"is {what}; write {f'[[{key}]]' if key in lists else single}"
    wanted = "text in quotes" if kind == "string_type" else error["msg"]
    wanted = "a table" if kind in _TABLE_TYPES else "a list" if kind in _LIST_TYPES else wanted
    return keys, f"is {kind_of(given)}; give {wanted}"


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


# Lines of keys ------------------------------------------------------------------------------------

_PART = r"(?:[A-Za-z0-9_-]+|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*')"
_KEY: Final = re.compile(rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*")
_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_TOKEN: Final = re.compile(
    r"\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}"  # strings of many lines
    r"|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'"
    r"|#[^\n]*|[\[\]{}\n]|[^\[\]{}\n\"'#]+",
    re.DOTALL,
)


def key_lines(text: str) -> dict[Keys, int]:
    """Return the line (from 1) of each key and table of a valid TOML document.

    `tomllib` does not report it. Keys inside inline tables and lists are not included, only their
    outer key.
    """
    lines: dict[Keys, int] = {}
    sizes: dict[Keys, int] = {}  # of the arrays of tables
    table: Keys = ()
    at = _end(_BLANK, text, 0)
    while at < len(text):  # one header or `key = value` after the other
        line = text.count("\n", 0, at) + 1
        brackets = 2 if text.startswith("[[", at) else int(text[at] == "[")
        at = _end(_BLANK, text, at + brackets)
        found = _KEY.match(text, at)
        if found is None:
            break
        keys = _parts_of(found[0])
        if brackets:
            table = ()
            for i, key in enumerate(keys):
                table = (*table, key)
                if brackets == 2 and i == len(keys) - 1:
                    sizes[table] = sizes.get(table, 0) + 1
                if table in sizes:
                    table = (*table, sizes[table] - 1)
            keys = table
        else:
            keys = (*table, *keys)
        for length in range(1, len(keys) + 1):  # also tables without a header
            lines.setdefault(keys[:length], line)
        # Skip to the end of the line on which all brackets and strings are closed.
        at, depth = found.end(), 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                return lines
            at = token.end()
            if token[0] == "\n" and depth <= 0:
                break
            depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        at = _end(_BLANK, text, at)
    return lines


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _parts_of(key: str) -> Keys:
    """Return the parts of a dotted key, unquoted."""
    found: Any = tomllib.loads(f"{key} = 0")
    keys: list[str] = []
    while isinstance(found, dict):
        keys.append(next(iter(found)))
        found = found[keys[-1]]
    return tuple(keys)
