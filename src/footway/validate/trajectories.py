"""Measured trajectories: read them, and simulate the same people in the same geometry.

The people of a file enter at their measured places and times and walk to where they were last
seen. What is compared is measured in the same way on both sides, by `footway.measure`.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway import measure, validation
from footway.corridor import CorridorMap
from footway.environment import Environment
from footway.environment.areas import covers, from_wkt
from footway.errors import BadFile, BadInput
from footway.formats.registry import read_text
from footway.recording.recorded_map import RecordedMap
from footway.recording.recording import Recorder, Recording
from footway.validate.experiments import Curve, Point
from footway.validate.scenes import RADIUS, WEIDMANN_SPEED, Scene, Stream, box
from footway.validate.tables import Interval

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from pathlib import Path

    from footway.arrays import Floats, Ints
    from footway.validate.engines import Engine


SUFFIXES: Final = (".parquet", ".sqlite", ".txt", ".csv")
_WINDOW: Final = 10.0  # s, over which values are averaged, about
_BUSY: Final = 0.5
"""Share of the mean density or flow below which a window is left out, at the beginning and the end:
relative errors are arbitrary where nobody is."""

_OUTSIDE: Final = 0.02  # share of the measured positions that may be outside the walkable space
_MOST_FRAMES: Final = 10_000_000  # 100 hours at 25 per second
_REACH: Final = 0.5  # m: people appear and leave in a square of twice this size


def load_trajectories(
    file: str | PathLike[str],
    *,
    rate: float | None = None,
    unit: float | None = None,
    environment: Environment | None = None,
) -> Recording:
    """Return measured trajectories as a recording; radii and velocities are 0 if not known.

    Args:
        file: a recording of Footway (.parquet), trajectories of JuPedSim (.sqlite), lines
            `id frame x y ...` (.txt, as in the Pedestrian Dynamics Data Archive and PedPy), or a
            table ID,Frame,x,y,... (.csv).
        rate: frames per second, if the file does not give it.
        unit: m, of the coordinates, if the file does not give it; 1 by default.
        environment: the walkable space, instead of that in the file.

    Raises:
        BadFile: the file cannot be read, or does not say how many frames a second has.
    """
    path = validation.file(file)
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise BadFile(f"{file}: the suffix must be {', '.join(SUFFIXES)}")
    try:
        if kind == ".parquet":
            known = Recording.load(path)
            mapped = known.recorded_map if environment is None else RecordedMap(environment)
            return replace(known, recorded_map=mapped)
        rows, header = _read_sqlite(path) if kind == ".sqlite" else _read_table(path)
        if environment is None and "wkt" in header:
            environment = Environment.from_polygons(from_wkt(header["wkt"]), name=path.stem)
        rows[:, 2:] *= header.get("unit", unit or 1.0)
        mapped = None if environment is None else RecordedMap(environment)
        return _record(rows, header.get("rate", rate), path.stem, mapped)
    except BadFile as error:
        raise BadFile(f"{file}: {str(error).removeprefix(f'{file}: ')}") from None


def _read_table(path: Path) -> tuple[Floats, dict[str, Any]]:
    """Return rows id, frame, x, y of a text, and what its header gives: rate, unit, WKT."""
    lines = read_text(path).splitlines()
    is_table = path.suffix.lower() == ".csv"
    comments = "\n".join(line for line in lines if line.startswith("#"))
    try:
        rows = np.loadtxt(lines, delimiter="," if is_table else None, skiprows=int(is_table))
        rows = rows.reshape(-1, rows.shape[-1])[:, :4]
    except (ValueError, IndexError) as error:
        raise BadFile(f"has no trajectories: {error}") from None
    if rows.shape[1] < 4 or not len(rows):
        raise BadFile("has no trajectories: give lines `id frame x y`")
    header: dict[str, Any] = {}
    if found := re.search(r"framerate:\s*([\d.]+)", comments):
        header["rate"] = float(found[1])
    if found := re.search(r"\bx\s*/\s*(cm|mm|m)\b", comments):
        header["unit"] = {"m": 1.0, "cm": 0.01, "mm": 0.001}[found[1]]
    if found := re.search(r"geometry:\s*(.*POLYGON.*)", comments):
        header["wkt"] = found[1]
    return rows, header


def _read_sqlite(path: Path) -> tuple[Floats, dict[str, Any]]:
    """Return rows id, frame, x, y of JuPedSim's trajectories, their rate and geometry."""
    if not path.is_file():
        raise BadFile("does not exist")
    try:
        with closing(sqlite3.connect(path)) as database:
            found = database.execute("SELECT id, frame, pos_x, pos_y FROM trajectory_data")
            rows = np.array(found.fetchall(), float).reshape(-1, 4)
            (rate,) = database.execute("SELECT value FROM metadata WHERE key = 'fps'").fetchone()
            shapes = database.execute("SELECT wkt FROM geometry").fetchall()
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise BadFile(f"is no database of JuPedSim's trajectories: {error}") from None
    if not len(rows):
        raise BadFile("has no trajectories")
    if len(shapes) != 1:
        raise BadFile(
            f"has {len(shapes)} geometries; give trajectories in one that does not change"
        )
    return rows, {"rate": float(rate), "unit": 1.0, "wkt": shapes[0][0]}


def _record(
    rows: Floats, rate: float | None, name: str, recorded_map: RecordedMap | None
) -> Recording:
    """Return rows id, frame, x, y as a recording; frames without people are part of it."""
    if rate is None:
        raise BadFile("does not say how many frames a second has; give it (--rate)")
    rows = rows[np.lexsort((rows[:, 0], rows[:, 1]))]
    _, ids = np.unique(rows[:, 0].astype(np.int64), return_inverse=True)
    frame = rows[:, 1].astype(np.int64)
    every = int(np.gcd.reduce(np.diff(frame))) or 1
    if (frame[-1] - frame[0]) // every > _MOST_FRAMES:
        raise BadFile(f"has frames {frame[0]} to {frame[-1]}; that is no measurement of people")
    recorder = Recorder(
        step=1.0 / rate, seed=0, map_name=name, names=["people"], recorded_map=recorded_map
    )
    people = np.zeros(int(ids.max()) + 1)
    recorder.add_characters(np.arange(len(people)), people, people)
    frames = np.arange(frame[0], frame[-1] + 1, every)
    for k, part in zip(
        frames.tolist(), np.searchsorted(frame, [frames, frames + 1]).T, strict=True
    ):
        at = rows[slice(*part), 2:4]
        recorder.add_frame(k, k / rate, ids[slice(*part)], at, np.zeros_like(at))
    return recorder.close()


@dataclass(frozen=True)
class Replay:
    """People of an experiment, simulated again: they enter at their measured places and times.

    Attributes:
        name: in messages.
        scene: the walkable space and the people.
        area: ring in which density and speed are measured, m; None: they are not.
        line: ends of a line over which the flow is measured, m; None: it is not.
        edges: limits of the windows of time, s.
        measured: values of the experiment in each window by quantity, with their deviation.
    """

    name: str
    scene: Scene
    area: Any
    line: Any
    edges: Floats
    measured: dict[str, tuple[Floats, Floats]]

    def run(self, engine: Engine, *, quick: bool, seeds: int, ran: Callable[[], Any]) -> Curve:
        """Simulate the people; return a point for each quantity and window of time."""
        del quick
        found = []
        for seed in range(seeds):
            recording = engine.run(self.scene, seed)
            found.append(_by_window(recording, self.area, self.line, self.edges))
            ran()
        middles = 0.5 * (self.edges[:-1] + self.edges[1:])
        points = []
        for name, (means, deviations) in self.measured.items():
            for k in np.flatnonzero(np.isfinite(means)).tolist():
                y = float(np.mean([one[name][0][k] for one in found]))
                mean, spread = float(means[k]), 2.0 * float(deviations[k])
                known = Interval(mean - spread, mean, mean + spread)
                points.append(Point(name, float(middles[k]), y, 0.0, known, 0))
        return Curve(engine.name, engine.dt, points, [])


def replay(
    recording: Recording,
    name: str,
    *,
    area: Any = None,
    line: Any = None,
    speed: tuple[float, float] = WEIDMANN_SPEED,
) -> Replay:
    """Return an experiment for `fit` that is given by its trajectories.

    Args:
        recording: of `load_trajectories`, with its walkable space.
        name: in messages.
        area: ring in which density and mean speed are compared, m.
        line: its ends ((x0, y0), (x1, y1)), m; the flow over it is compared.
        speed: mean and deviation of the free speeds, m/s; trajectories in a jam do not tell them.

    Raises:
        BadInput: the walkable space is missing or does not fit, or nothing can be measured.
    """
    environment = recording.environment
    if environment is None:
        raise BadInput(f"{name}: has no walkable space; give its map (FILE,MAP)")
    if area is None and line is None:
        raise BadInput(f"{name}: say where to compare, in an area or over a line (--area, --line)")
    outside = 1.0 - float(covers(environment.walkable, recording.positions).mean())
    if outside > _OUTSIDE:
        raise BadInput(
            f"{name}: {outside:.0%} of the positions are outside the walkable space; check the map "
            "and the unit of the coordinates (--unit)"
        )
    recording = replace(recording, times=recording.times - recording.times[0])
    duration = float(recording.times[-1])
    edges = np.linspace(0.0, duration, max(3, round(duration / _WINDOW)) + 1)
    measured = _by_window(recording, area, line, edges)
    is_busy = {name: value > _BUSY * value.mean() for name, (value, _) in measured.items()}
    for quantity, (means, _) in measured.items():
        means[~is_busy["density" if quantity == "speed" else quantity]] = np.nan
    if not any(np.isfinite(means).any() for means, _ in measured.values()):
        raise BadInput(f"{name}: nothing can be measured there; check the area and the line")
    scene = Scene(name, environment, _people(recording, environment, speed), duration)
    return Replay(name, scene, area, line, edges, measured)


def _people(
    recording: Recording, environment: Environment, speed: tuple[float, float]
) -> tuple[Stream, ...]:
    """Return one stream for each person: from the first place, at its time, to the last one."""
    cmap = CorridorMap.build(environment)
    frame = np.repeat(np.arange(recording.n_frames), np.diff(recording.offsets))
    ids = recording.ids
    _, first = np.unique(ids, return_index=True)  # rows are sorted by frames
    last = len(ids) - 1 - np.unique(ids[::-1], return_index=True)[1]
    starts, ends = (
        cmap.nearest_free(recording.positions[rows], radius=RADIUS) for rows in (first, last)
    )
    times = recording.times[frame[first]]
    squares = ([box(*(at - _REACH), *(at + _REACH)) for at in some] for some in (starts, ends))
    return tuple(
        Stream((goal,), speed, times=np.array([time]), area=start)
        for start, goal, time in zip(*squares, times, strict=True)
    )


def _by_window(
    recording: Recording, area: Any, line: Any, edges: Floats
) -> dict[str, tuple[Floats, Floats]]:
    """Return mean and deviation of each quantity by window of time; NaN: nobody was there."""
    found, n = {}, len(edges) - 1
    if area is not None:
        every = max(1, round(0.5 * (recording.n_frames - 1) / float(np.ptp(recording.times))))
        window = np.searchsorted(edges, recording.times[::every], side="right") - 1
        speed = measure.mean_speed(recording, area)[::every]
        density = measure.voronoi_density(recording, area, every=every)
        found["speed"] = _averages(speed, window, n)
        mean, deviation = _averages(density, window, n)
        found["density"] = np.nan_to_num(mean), deviation
    if line is not None:
        crossed = measure.crossings(recording, line)
        _, first = np.unique(crossed.ids, return_index=True)
        counts, _ = np.histogram(crossed.times[first], edges)
        found["flow"] = counts / np.diff(edges), np.sqrt(counts) / np.diff(edges)
    return found


def _averages(values: Floats, window: Ints, n: int) -> tuple[Floats, Floats]:
    """Return mean and deviation of the known values in each of n windows."""
    parts = [values[(window == k) & np.isfinite(values)] for k in range(n)]
    pairs = [(part.mean(), part.std()) if len(part) else (np.nan, np.nan) for part in parts]
    mean, deviation = np.array(pairs).T
    return mean, deviation
