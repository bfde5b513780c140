"""Study: a scenario, what varies in it, how many runs, and what is measured. Read from TOML.

    scenario = "evacuation.toml"             # relative to the study, or demo:NAME
    seeds = 20                               # runs of each point at most

    [vary]                                   # all combinations; or [[vary]], point by point
    "population.students.count" = [100, 140]
    "profile.student.speed.mean" = { low = 1.0, high = 1.6, count = 4 }

    [measure]
    lines = { "west door" = [[0, 6], [0, 8]] }
    areas = ["seats"]

    [stop]                                   # enough runs of a point
    measure = "egress_time"
    within = 0.05                            # half width of the confidence interval over the mean

`docs/studies.md` documents every key.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import math
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from footway import validation
from footway._numba.random_stream import RandomStream
from footway.errors import BadFile, BadInput
from footway.formats.kinds import refuse_map, refuse_others
from footway.formats.registry import read_text
from footway.scenario.problems import Origin, kind_of, path_of
from footway.scenario.reading import key_lines, read_scenario, scenario_from_values
from footway.validation import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from footway.scenario import Scenario
    from footway.scenario.problems import Keys
    from footway.scenario.values import Point

    Line = tuple[Point, Point]

Sampling = Literal["latin", "random"]

MOST_RUNS: Final = 1_000_000
_MOST_SEEDS = 100_000
_TABLES = ("vary", "sample", "measure", "stop")
_KEYS = ("scenario", "title", "seeds", "first_seed", "points", "sampling", *_TABLES)
_KEYS_OF_RANGE = ("low", "high", "count")


@dataclass(frozen=True)
class StopRule:
    """A point has enough runs when the confidence interval of a measure is narrow.

    Attributes:
        measure: its name, such as "egress_time".
        within: half width of the interval, as a share of the mean.
        confidence: of the interval.
        least: runs of a point at least.

    """

    measure: str
    within: float
    confidence: float = 0.95
    least: int = 5


@dataclass(frozen=True)
class Measured:
    """What is measured in a run besides times of egress.

    Attributes:
        lines: lines by name, through which the flow is measured: two points (x, y), m; in a
            building (x, y, floor or link).
        areas: names of areas in which density and level of service are measured.
        every: s between two measurements in areas and of queues.

    """

    lines: Mapping[str, Line] = field(default_factory=dict)
    areas: tuple[str, ...] = ()
    every: float = 1.0


@dataclass(frozen=True)
class Study:
    """A scenario with values that vary: `fw.load_study` reads it from a TOML file.

    Attributes:
        title: for reports.
        scenario: values of the scenario file.
        base: name of that file, for messages, and the folder to which its paths are relative.
        points: values of the varied keys, one mapping per point.
        seeds: runs of each point at most.
        first_seed: seed of the first run of each point; the others follow.
        stop: when a point has enough runs; None: after `seeds`.
        measured: what is measured.
        origin: file of the study, for messages.

    """

    title: str
    scenario: Mapping[str, Any]
    base: tuple[str, str]
    points: tuple[Mapping[str, Any], ...]
    seeds: int
    first_seed: int = 0
    stop: StopRule | None = None
    measured: Measured = Measured()
    origin: Origin = field(default=Origin("study"), repr=False, compare=False)

    @property
    def maps(self) -> dict[str, str]:
        """SHA-256 of each map file, by its name in the scenario."""
        names = {str(values.get("map", "")) for values in (self.scenario, *self.points)}
        files = {name: Path(self.base[1]) / name for name in sorted(names)}
        return {
            name: hashlib.sha256(file.read_bytes()).hexdigest()
            for name, file in files.items() if file.is_file()
        }  # fmt: skip

    @property
    def digest(self) -> str:
        """Hash of everything that the results depend on, with the content of map files."""
        facts = [
            self.scenario, list(map(dict, self.points)), self.seeds, self.first_seed,
            None if self.stop is None else vars(self.stop), vars(self.measured), self.maps,
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

    @property
    def keys(self) -> tuple[str, ...]:
        """The varied keys."""
        return tuple(self.points[0])

    def values_at(self, point: int, seed: int) -> dict[str, Any]:
        """Return the values of the scenario of a run."""
        values = copy.deepcopy(dict(self.scenario))
        for key, value in sorted(self.points[point].items(), key=lambda one: len(_parts(one[0]))):
            _set(values, key, value)  # a table before its keys
        return values | {"seed": seed}

    def scenario_at(self, point: int, seed: int) -> Scenario:
        """Return the scenario of a run."""
        name, folder = self.base
        return scenario_from_values(self.values_at(point, seed), Origin(name), Path(folder))


def load_study(file: str | PathLike[str]) -> Study:
    """Return the study in a TOML file; every point is validated, but maps are not loaded.

    Raises:
        BadFile: missing, or not TOML.
        BadInput: an unknown key or a wrong value; the message gives line, key and what to do.

    """
    path = validation.file(file)
    try:
        refuse_map(path)
        text = read_text(path)
    except BadFile as error:
        raise BadFile(f"{file}: {error}") from None
    return parse_study(text, name=str(file), folder=path.parent)


def parse_study(text: str, *, name: str = "study", folder: str | PathLike[str] = "") -> Study:
    """Return the study in a TOML document; raises as `load_study` does.

    Args:
        text: the document.
        name: its name in messages.
        folder: folder to which the path of its scenario is relative.

    """
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise BadFile(f"{name}: is not TOML: {' '.join(str(error).split())}") from None
    try:
        refuse_others(values, "study")
    except BadFile as error:
        raise BadFile(f"{name}: {error}") from None
    study = _Reader(values, Origin(name, key_lines(text)), Path(folder)).study()
    for point in range(len(study.points)):
        try:
            study.scenario_at(point, study.first_seed)
        except BadInput as error:
            raise BadInput(f"{name}: {describe(study.points[point])}: {error}") from None
    return study


def describe(point: Mapping[str, Any]) -> str:
    """Return the values of a point, such as "population.students.count = 100"."""
    return ", ".join(f"{key} = {shown(value)}" for key, value in point.items()) or "the only point"


class _Reader:
    """Checks the values of a study file."""

    def __init__(self, values: dict[str, Any], origin: Origin, folder: Path) -> None:
        self._values, self._origin, self._folder = values, origin, folder

    def study(self) -> Study:
        self._check_keys((), self._values, _KEYS)
        for table in _TABLES:
            if table == "vary" and isinstance(self._values.get(table), list):
                continue  # a list of points
            if not isinstance(self._values.get(table, {}), dict):
                raise self._refuse((table,), f"is {kind_of(self._values[table])}; give a table")
        scenario, base = self._scenario()
        first = int(self._number(("first_seed",), default=0, low=0, whole=True))
        points = self._points(scenario, first)
        seeds = int(self._number(("seeds",), default=10, low=1, high=_MOST_SEEDS, whole=True))
        if len(points) * seeds > MOST_RUNS:
            many = f"{len(points):,} points with {seeds:,} seeds"
            raise self._refuse(("seeds",), f"there are {many}; at most {MOST_RUNS:,} runs")
        title = self._values.get("title", scenario.get("title", self._values["scenario"]))
        return Study(
            str(title), scenario, base, points, seeds, first, self._stop(seeds), self._measured(),
            self._origin,
        )  # fmt: skip

    def _refuse(self, keys: Keys, message: str) -> BadInput:
        return self._origin.refuse(keys, message)

    def _check_keys(self, keys: Keys, table: Mapping[str, Any], known: Sequence[str]) -> None:
        for key in table:
            if key not in known:
                where = f"[{path_of(keys)}]" if keys else "a study"
                raise self._refuse(
                    (*keys, key), f"is not a key of {where}; {did_you_mean(key, known)}"
                )

    def _number(
        self,
        keys: Keys,
        *,
        default: float | None = None,
        low: float = -math.inf,
        high: float = math.inf,
        whole: bool = False,
    ) -> float:
        value: Any = self._values
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if value is None:
            if default is None:
                raise self._refuse(keys, "is missing")
            return default
        kinds = int if whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
            what = "whole number" if whole else "number"
            limits = f" from {low:g}" * (low > -math.inf) + f" to {high:g}" * (high < math.inf)
            raise self._refuse(keys, f"is {shown(value)}; give a {what}{limits}")
        return float(value)

    def _scenario(self) -> tuple[dict[str, Any], tuple[str, str]]:
        given = self._values.get("scenario")
        if not isinstance(given, str):
            what = "is missing" if given is None else f"is {kind_of(given)}"
            raise self._refuse(("scenario",), f"{what}; give a scenario file, or demo:NAME")
        name = given if given.startswith("demo:") else str(self._folder / given)
        try:
            values, folder = read_scenario(name)
        except BadInput as error:
            raise self._refuse(("scenario",), str(error)) from None
        return values, (name, str(folder))

    def _points(self, scenario: dict[str, Any], seed: int) -> tuple[dict[str, Any], ...]:
        varied = self._values.get("vary", {})
        sampled = self._values.get("sample", {})
        grid = self._listed(scenario) if isinstance(varied, list) else self._combined(scenario)
        for key in sampled:
            self._check_path(("sample", key), scenario, key)
        both = sorted(set(grid[0]) & set(sampled))
        if both:
            raise self._refuse(("sample", both[0]), "is in [vary], too; leave one of them out")
        if not sampled:
            for key in ("points", "sampling"):
                if key in self._values:
                    raise self._refuse((key,), "is for values in [sample]; leave it out")
            return tuple(grid)
        count = int(self._number(("points",), low=1, high=MOST_RUNS, whole=True))
        method = self._values.get("sampling", "latin")
        if method not in ("latin", "random"):
            raise self._refuse(("sampling",), f"is {shown(method)}; give 'latin' or 'random'")
        columns = {}
        for k, key in enumerate(sampled):
            low, high = self._range(("sample", key), sampled[key])
            share = sample(method, count, RandomStream([seed, k]))
            columns[key] = [_rounded(v) for v in (low + (high - low) * share).tolist()]
            if isinstance(low, int) and isinstance(high, int):
                columns[key] = [min(high, int(low + (high - low + 1) * s)) for s in share.tolist()]
        drawn = [
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        ]
        return tuple(one | other for one in grid for other in drawn)

    def _combined(self, scenario: dict[str, Any]) -> list[dict[str, Any]]:
        """Return all combinations of the values in [vary]."""
        varied = self._values.get("vary", {})
        for key in varied:
            self._check_path(("vary", key), scenario, key)
        lists = [self._list(("vary", key), value) for key, value in varied.items()]
        if math.prod(map(len, lists)) > MOST_RUNS:
            raise self._refuse(("vary",), f"has more than {MOST_RUNS:,} combinations")
        return [dict(zip(varied, values, strict=True)) for values in itertools.product(*lists)]

    def _listed(self, scenario: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the points that are given one by one, as [[vary]]."""
        rows = self._values["vary"]
        for k, row in enumerate(rows):
            if not isinstance(row, dict):
                raise self._refuse(
                    ("vary",), "give [vary] with lists, or a [[vary]] for each point"
                )
            for key in row:
                self._check_path(("vary", k, key), scenario, key)
            other = sorted(set(row) ^ set(rows[0]))
            if other:
                message = f"is not in all of [[vary]]; give {other[0]} for each point"
                raise self._refuse(("vary", k, other[0]), message)
        if not rows:
            raise self._refuse(("vary",), "is empty; give the points to compare")
        return [{key: row[key] for key in rows[0]} for row in rows]

    def _check_path(self, keys: Keys, scenario: dict[str, Any], key: str) -> None:
        """Check that a varied key can be set in the scenario."""
        if key == "seed":
            raise self._refuse(keys, "is set by `seeds` and `first_seed`; leave it out")
        try:
            _set(copy.deepcopy(scenario), key, None)
        except KeyError as error:
            raise self._refuse(keys, str(error.args[0])) from None

    def _list(self, keys: Keys, value: Any) -> list[Any]:
        if isinstance(value, dict):
            low, high = self._range(keys, value)
            count = value.get("count")
            if not isinstance(count, int) or isinstance(count, bool) or not 2 <= count <= MOST_RUNS:
                what = "is missing" if count is None else f"is {shown(count)}"
                raise self._refuse((*keys, "count"), f"{what}; give 2 to {MOST_RUNS}")
            found = [low + (high - low) * k / (count - 1) for k in range(count)]
            is_whole = isinstance(low, int) and isinstance(high, int)
            return [round(one) if is_whole else _rounded(one) for one in found]
        if not isinstance(value, list):
            raise self._refuse(
                keys, f"is {kind_of(value)}; give a list, or {{low = ..., high = ..., count = ...}}"
            )
        if not value:
            raise self._refuse(keys, "is empty; give the values to compare")
        return value

    def _range(self, keys: Keys, value: Any) -> tuple[float, float]:
        if not isinstance(value, dict):
            raise self._refuse(keys, f"is {kind_of(value)}; give {{low = ..., high = ...}}")
        self._check_keys(keys, value, _KEYS_OF_RANGE)
        for end in ("low", "high"):
            if isinstance(value.get(end), bool) or not isinstance(value.get(end), int | float):
                raise self._refuse((*keys, end), f"is {shown(value.get(end))}; give a number")
        low, high = value["low"], value["high"]
        if not -math.inf < low < high < math.inf:
            raise self._refuse(keys, f"is an empty range, from {low:g} to {high:g}")
        return low, high

    def _stop(self, seeds: int) -> StopRule | None:
        table = self._values.get("stop")
        if table is None:
            return None
        self._check_keys(("stop",), table, ("measure", "within", "confidence", "least"))
        if not isinstance(table.get("measure"), str):
            raise self._refuse(("stop", "measure"), "is missing; give a measure: egress_time")
        least = int(self._number(("stop", "least"), default=min(5, seeds), low=2, whole=True))
        if least > seeds:
            message = (
                f"is {least}, more than the {seeds} seeds of a point; one contradicts the other"
            )
            raise self._refuse(("stop", "least"), message)
        within = self._number(("stop", "within"), low=1e-6, high=10.0)
        confidence = self._number(("stop", "confidence"), default=0.95, low=0.5, high=0.9999)
        return StopRule(table["measure"], within, confidence, least)

    def _measured(self) -> Measured:
        table = self._values.get("measure", {})
        self._check_keys(("measure",), table, ("lines", "areas", "every"))
        lines = table.get("lines", {})
        if not isinstance(lines, dict):
            raise self._refuse(("measure", "lines"), 'give { "NAME" = [[x, y], [x, y]] }')
        found: dict[str, Line] = {}
        for name, ends in lines.items():
            try:
                start, end = map(_end_of_line, ends)
            except (TypeError, ValueError):
                message = (
                    f"is {shown(ends)}; give two points, [[x, y], [x, y]], in a building with the "
                    "floor: [[x, y, '1'], [x, y, '1']]"
                )
                raise self._refuse(("measure", "lines", name), message) from None
            if start[2:] != end[2:]:
                message = "has its ends on different floors; give both on the same"
                raise self._refuse(("measure", "lines", name), message)
            found[name] = start, end
            if start == end:
                raise self._refuse(("measure", "lines", name), "has no length")
        areas = table.get("areas", [])
        if not isinstance(areas, list) or not all(isinstance(one, str) for one in areas):
            raise self._refuse(("measure", "areas"), 'give names of areas: ["hall", "door"]')
        every = self._number(("measure", "every"), default=1.0, low=0.01, high=3600.0)
        return Measured(found, tuple(areas), every)


def _end_of_line(point: Any) -> Point:
    """Return a point [x, y] or [x, y, floor]; raise ValueError or TypeError for another value."""
    x, y, *floor = point
    if not floor:
        return float(x), float(y)
    if len(floor) > 1 or not isinstance(floor[0], str):
        raise ValueError
    return float(x), float(y), floor[0]


def _rounded(value: float) -> float:
    """Return a number as a user would write it, not 1.1500000000000001."""
    return float(f"{value:.6g}")


def sample(method: Sampling, count: int, stream: RandomStream) -> Any:
    """Return numbers (count,) in [0, 1): one in each of `count` equal parts if "latin"."""
    drawn = stream.uniform(count)
    return drawn if method == "random" else (stream.permutation(count) + drawn) / count


def _set(values: dict[str, Any], key: str, value: Any) -> None:
    """Set a value in a scenario by its dotted key; tables of a list are found by name or number.

    Raises KeyError with a message if there is no such table.
    """
    *tables, last = _parts(key)
    if tables[:1] == ["model"] and not isinstance(values.get("model"), dict):
        values["model"] = {"name": values.get("model", "social_force")}
    at: Any = values
    for k, part in enumerate(tables):
        before = ".".join(tables[:k])
        if isinstance(at, list):
            at = at[_index(at, part, before)]
        elif part in at:
            at = at[part]
        else:
            known = [name for name, one in at.items() if isinstance(one, dict | list)]
            where = f"{before} of the scenario" if before else "the scenario"
            raise KeyError(f"there is no table {part!r} in {where}; {did_you_mean(part, known)}")
        if not isinstance(at, dict | list):
            raise KeyError(
                f"{'.'.join(tables[: k + 1])} of the scenario is {kind_of(at)}, no table"
            )
    if isinstance(at, list):
        raise KeyError(f"give a key of one {tables[-1]}, such as {'.'.join(tables)}.0.{last}")
    at[last] = value


def _parts(key: str) -> list[str]:
    """Return the parts of a dotted key; parts with dots or blanks may be quoted."""
    parts: list[str] = []
    rest = key
    while rest:
        if rest[0] in "\"'" and rest.find(rest[0], 1) > 0:
            end = rest.find(rest[0], 1)
            parts.append(rest[1:end])
            rest = rest[end + 1 :].removeprefix(".")
        else:
            part, _, rest = rest.partition(".")
            parts.append(part)
    return parts or [""]


def _index(tables: list[Any], part: str, before: str) -> int:
    """Return the number of a table in a list, given by name or number."""
    names = [one.get("name") for one in tables if isinstance(one, dict)]
    if part in names:
        return names.index(part)
    if part.isdecimal() and int(part) < len(tables):
        return int(part)
    known = [name for name in names if name] + [str(k) for k in range(len(tables))]
    raise KeyError(f"there is no {before} {part!r} in the scenario; {did_you_mean(part, known)}")
