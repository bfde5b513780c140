"""Results of a study: a folder with one file per finished run, and the table of all of them.

    study.json         what the study is, and the version of Footway
    runs/3-17.json     measures of point 3 with seed 17; written as soon as the run has ended
    maps/              corridor maps, built once
    results.parquet    a row per run and measure
    recordings/        the runs that are kept

A run that is listed in the folder is not repeated. So a study that was stopped continues with the
same command, and parts that were computed elsewhere can be copied into `runs/`.
"""

from __future__ import annotations

import json
import math
import platform
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway import __version__
from footway.errors import BadFile, BadInput
from footway.writing import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    import pyarrow as pa

    from footway.runs.study import StopRule, Study

    Measures = dict[str, float | None]

FORMAT: Final = "footway-study"
KEPT: Final = ("median", "worst")
"""Runs that are recorded, by time of egress."""

MACHINE: Final = f"{platform.system()} {platform.machine()}"


def run_of(name: str) -> tuple[int, int] | None:
    """Return point and seed of a run that is given as "POINT-SEED"; None for another name."""
    found = re.fullmatch(r"(\d{1,9})-(\d{1,18})", name)
    return None if found is None else (int(found[1]), int(found[2]))


class StudyFolder:
    """Files of a study."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.path = Path(folder)
        self.runs, self.maps = self.path / "runs", self.path / "maps"
        self.table = self.path / "results.parquet"

    def check(self, study: Study) -> None:
        """Raise an error if the folder belongs to something else than this study and version."""
        if (self.path / "study.json").exists():
            known = self.facts()
            if not any(self.runs.glob("*-*.json")):
                return  # such as after a mistake in the study: there is nothing to lose
            if known.get("version") != __version__:
                raise BadInput(
                    f"{self.path}: was begun with Footway {known.get('version')}, this is "
                    f"{__version__}; give another folder"
                )
            if known.get("digest") != study.digest:
                raise BadInput(
                    f"{self.path}: belongs to another study, or a map has changed since; give "
                    "another folder"
                )
        elif self.path.exists() and (not self.path.is_dir() or self._has_other_files()):
            raise BadInput(f"{self.path}: exists and is no study; give another folder")

    def _has_other_files(self) -> bool:
        """Return whether there is anything but the description, which a shard may write now."""
        return any(not file.name.startswith(".study.") for file in self.path.iterdir())

    def open(self, study: Study) -> None:
        """Create the folder, or check that it belongs to this study and version."""
        self.check(study)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file, facts = self.path / "study.json", describe_study(study)
            if not file.exists() or self.facts() != json.loads(json.dumps(facts)):
                self._write(file, facts)
            for folder in (self.runs, self.maps):
                folder.mkdir(exist_ok=True)
        except OSError as error:
            raise BadFile(f"{self.path}: cannot be written: {error.strerror}") from None

    def facts(self) -> dict[str, Any]:
        """Return what the study is; raise BadFile if the folder has none."""
        file = self.path / "study.json"
        try:
            facts = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError):
            raise BadFile(
                f"{self.path}: is not the folder of a study; run `footway study` first"
            ) from None
        if not isinstance(facts, dict) or facts.get("format") != FORMAT:
            raise BadFile(f"{file}: is not the description of a study")
        return facts

    def finished(self) -> dict[tuple[int, int], Measures]:
        """Return the measures of finished runs by point and seed; damaged files are left out."""
        found: dict[tuple[int, int], Measures] = {}
        for file in sorted(self.runs.glob("*-*.json")):
            try:
                values = json.loads(file.read_text("utf-8"))
                found[values["point"], values["seed"]] = values["measures"]
            except (OSError, ValueError, KeyError, TypeError):
                continue  # it is computed again
        return found

    def add(self, point: int, seed: int, measures: Measures) -> None:
        """Write the measures of a run that has ended."""
        values = {"point": point, "seed": seed, "version": __version__, "machine": MACHINE}
        self._write(self.runs / f"{point}-{seed}.json", values | {"measures": measures})

    def write_table(self, results: StudyResults) -> None:
        """Write the table of all runs as Parquet."""
        from pyarrow import parquet

        with whole_file(self.table) as part:
            parquet.write_table(results.to_arrow(), part, compression="zstd")

    def _write(self, file: Path, values: dict[str, Any]) -> None:
        with whole_file(file) as part:
            part.write_text(json.dumps(values, indent=1, allow_nan=False), "utf-8")


def describe_study(study: Study) -> dict[str, Any]:
    """Return everything that is needed to repeat a study, for its folder and for reports."""
    return {
        "format": FORMAT,
        "version": __version__,
        "digest": study.digest,
        "title": study.title,
        "scenario": json.loads(json.dumps(study.scenario, default=str)),
        "base": list(study.base),
        "maps": study.maps,
        "points": [dict(point) for point in study.points],
        "seeds": study.seeds,
        "first_seed": study.first_seed,
        "stop": None if study.stop is None else vars(study.stop),
        "measure": vars(study.measured),
    }


@dataclass(frozen=True)
class Statistics:
    """Statistics of one measure at one point.

    Attributes:
        n: number of runs that have a value.
        mean: of these.
        deviation: standard deviation; NaN for one run.
        low: lower end of the confidence interval of the mean, Student's t.
        high: upper end.
        median: 50th percentile.
        p95: 95th percentile, the smallest value that is not exceeded by 95 % of the runs.
        least: minimum.
        most: maximum.

    """

    n: int
    mean: float
    deviation: float
    low: float
    high: float
    median: float
    p95: float
    least: float
    most: float


def statistics(values: Sequence[float | None], confidence: float = 0.95) -> Statistics:
    """Return statistics of the values that are known."""
    known = np.sort([value for value in values if value is not None])
    n = len(known)
    if n == 0:
        return Statistics(0, *(math.nan,) * 8)
    mean = float(known.mean())
    deviation = float(known.std(ddof=1)) if n > 1 else math.nan
    half = half_width(n, deviation, confidence)
    rank = math.ceil(0.95 * n) - 1
    return Statistics(
        n, mean, deviation, mean - half, mean + half, float(np.median(known)), float(known[rank]),
        float(known[0]), float(known[-1]),
    )  # fmt: skip


def half_width(n: int, deviation: float, confidence: float) -> float:
    """Return half of the confidence interval of a mean; NaN for one value."""
    from scipy.special import stdtrit

    if n < 2:
        return math.nan
    return float(stdtrit(n - 1, 0.5 + 0.5 * confidence)) * deviation / math.sqrt(n)


def enough(values: Sequence[float | None], rule: StopRule) -> int | None:
    """Return how many of the first runs are enough; None if more are needed.

    The number follows from the values in the order of seeds, not from the order in which runs end.
    A rule for a measure without a value in some run is never satisfied.
    """
    for n in range(rule.least, len(values) + 1):
        known = [value for value in values[:n] if value is not None]
        if len(known) == n:
            deviation = float(np.std(known, ddof=1))
            half = half_width(n, deviation, rule.confidence)
            if half <= rule.within * abs(float(np.mean(known))):
                return n
    return None


@dataclass(frozen=True)
class StudyResults:
    """Measures of all runs of a study.

    Attributes:
        title: of the study.
        points: values of the varied keys by point.
        runs: measures by point and seed; in the order of points and seeds.
        folder: of the study.
        stop: when a point has enough runs; None: after all seeds.

    """

    title: str
    points: tuple[dict[str, Any], ...]
    runs: dict[tuple[int, int], Measures]
    folder: Path
    stop: StopRule | None = None

    @classmethod
    def from_folder(cls, folder: str | PathLike[str]) -> StudyResults:
        """Return the results in the folder of a study, also of one that is not finished."""
        from footway.runs.study import StopRule

        files = StudyFolder(folder)
        facts = files.facts()
        rule = None if facts["stop"] is None else StopRule(**facts["stop"])
        points = tuple(facts["points"])
        seeds = range(facts["first_seed"], facts["first_seed"] + facts["seeds"])
        runs = select(files.finished(), len(points), seeds, rule)
        return cls(facts["title"], points, runs, files.path, rule)

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of all measures."""
        return tuple(dict.fromkeys(name for found in self.runs.values() for name in found))

    def values(self, point: int, measure: str) -> list[float | None]:
        """Return a measure in all runs of a point, in the order of seeds."""
        return [found.get(measure) for found in self._by_point.get(point, ())]

    @cached_property
    def recorded(self) -> dict[str, tuple[int, int]]:
        """Point and seed of the median and the worst run by time of egress; {} if nobody leaves.

        A run in which somebody is left is worse than all in which everybody left.
        """

        def badness(run: tuple[int, int]) -> tuple[float, float, tuple[int, int]]:
            found = self.runs[run]
            return found.get("egress_time") or math.inf, found.get("present") or 0.0, run

        runs = sorted(self.runs, key=badness)
        if not any(found.get("exited") for found in self.runs.values()):
            return {}
        return dict(zip(KEPT, (runs[(len(runs) - 1) // 2], runs[-1]), strict=True))

    @cached_property
    def recordings(self) -> dict[str, tuple[Path, int, int]]:
        """File, point and seed of each recorded run: "median", "worst", and those asked for."""
        folder = self.folder / "recordings"
        others = sorted(found for file in folder.glob("*.parquet") if (found := run_of(file.stem)))
        runs = self.recorded | {f"{point}-{seed}": (point, seed) for point, seed in others}
        files = {name: (folder / f"{name}.parquet", *run) for name, run in runs.items()}
        return {name: found for name, found in files.items() if found[0].is_file()}

    @cached_property
    def _by_point(self) -> dict[int, list[Measures]]:
        found: dict[int, list[Measures]] = {}
        for (point, _), measures in self.runs.items():
            found.setdefault(point, []).append(measures)
        return found

    def statistics_at(self, point: int, measure: str, confidence: float = 0.95) -> Statistics:
        """Return statistics of a measure at a point."""
        return statistics(self.values(point, measure), confidence)

    def is_uncertain(self, point: int) -> bool:
        """Return whether all seeds of a point were not enough for its stop rule."""
        if self.stop is None or point not in self._by_point:
            return False
        return enough(self.values(point, self.stop.measure), self.stop) is None

    def not_out(self, point: int) -> int:
        """Return the number of runs of a point at whose end people with an exit were still present.

        0 if nobody has an exit.
        """
        found = self._by_point.get(point, ())
        if not any(measures.get("exited") for measures in found):
            return 0
        return sum(measures.get("egress_time") is None for measures in found)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row per run and measure: point, seed, parameters, measure, value, version."""
        for (point, seed), found in self.runs.items():
            for measure, value in found.items():
                yield {"point": point, "seed": seed, **self.points[point], "measure": measure} | {
                    "value": value, "version": __version__, "machine": MACHINE,
                }  # fmt: skip

    def to_arrow(self) -> pa.Table:
        """Return a row per run and measure, with seed and parameters."""
        import pyarrow as pa

        keys = tuple(self.points[0])
        kinds = {key: _arrow_type([point[key] for point in self.points]) for key in keys}
        columns = [("point", pa.int32()), ("seed", pa.int64()), *kinds.items()]
        columns += [("measure", pa.string()), ("value", pa.float64())]
        schema = pa.schema([*columns, ("version", pa.string()), ("machine", pa.string())])
        rows = [
            row | {key: row[key] if isinstance(row[key], bool | int | float | str) else
                   json.dumps(row[key]) for key in keys}
            for row in self.rows()
        ]  # fmt: skip
        return pa.Table.from_pylist(rows, schema)

    def to_pandas(self) -> Any:
        """Return the same as a pandas DataFrame; needs pandas."""
        table = self.to_arrow()
        try:
            return table.to_pandas()
        except ModuleNotFoundError:
            raise BadInput("a data frame needs pandas: pip install pandas") from None


def _arrow_type(values: Sequence[Any]) -> Any:
    import pyarrow as pa

    if all(isinstance(value, bool) for value in values):
        return pa.bool_()
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return pa.int64()
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return pa.float64()
    return pa.string()


def select(
    finished: dict[tuple[int, int], Measures], points: int, seeds: range, rule: StopRule | None
) -> dict[tuple[int, int], Measures]:
    """Return the runs that count, in order: those up to the first missing seed of each point.

    With a stop rule, runs after the last one that was needed do not count.
    """
    chosen: dict[tuple[int, int], Measures] = {}
    for point in range(points):
        done = []
        for seed in seeds:
            if (point, seed) not in finished:
                break
            done.append((seed, finished[point, seed]))
        if rule is not None:
            n = enough([found.get(rule.measure) for _, found in done], rule)
            done = done[:n]
        chosen |= {(point, seed): found for seed, found in done}
    return chosen
