"""The experiments: scenes to run, quantities to measure, and the measured data to compare with."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway import measure
from footway.validate import scenes
from footway.validate.tables import SPREAD, Bins, Interval, load_table, weidmann

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from footway.arrays import Floats
    from footway.recording.recording import Recording
    from footway.validate.engines import Engine
    from footway.validate.scenes import Scene


_LAW: Final = 0.2  # share of 1.9 b: two deviations of blocks of ten persons in the measured runs


class Point(NamedTuple):
    """A measured value of a simulated scene."""

    scene: str
    x: float
    y: float
    deviation: float  # of y
    reference: Interval | None  # measured y and its spread at this x; None: nothing was measured
    left: int  # people who had not arrived at the end; 0 where nobody can

    @property
    def inside(self) -> bool | None:
        """Whether y lies in the measured spread; None if nothing was measured there."""
        known = self.reference
        return None if known is None else known.low <= self.y <= known.high

    @property
    def error(self) -> float | None:
        """Relative difference to the measured mean."""
        known = self.reference
        return None if known is None else (self.y - known.mean) / known.mean


@dataclass(frozen=True)
class Curve:
    """Results of one engine in one experiment."""

    engine: str
    dt: float
    points: list[Point]
    failures: list[str]  # scenes that raised an error, with the reason
    pictures: dict[str, Recording] = field(default_factory=dict, repr=False)  # by scene

    @property
    def distance(self) -> float | None:
        """Root mean square of the relative errors; None without measured values."""
        errors = [point.error for point in self.points if point.error is not None]
        errors = [error for error in errors if math.isfinite(error)]
        return math.sqrt(sum(e * e for e in errors) / len(errors)) if errors else None

    @property
    def inside(self) -> tuple[int, int]:
        """Number of points in the measured spread, and number of points with measured values."""
        known = [point.inside for point in self.points if point.inside is not None]
        return sum(known), len(known)


class Drawn(NamedTuple):
    """How trajectories of a scene are drawn, beside those of an experiment."""

    view: tuple[float, float, float, float]  # m: xmin, ymin, xmax, ymax; s of time if `is_timed`
    file: str  # of the experiment, in the folder of trajectories; "" if there is none
    rate: float = 25.0  # frames per second of the file
    unit: float = 1.0  # m, of its coordinates
    is_timed: bool = False  # the distance along the oval over time, instead of a map


class Reference(NamedTuple):
    """Measured data in the picture of an experiment."""

    label: str
    role: str  # "fit": for choosing parameters; "check": held out to judge the result
    x: Floats
    y: Floats
    deviation: Floats | None
    is_line: bool
    source: str

    @classmethod
    def from_table(cls, label: str, role: str, table: str, experiment: str = "") -> Reference:
        """Return the samples of a table, or of one of its experiments."""
        known = load_table(table)
        rows = known.of(experiment) if experiment else known.values
        return cls(label, role, rows[:, 1], rows[:, 2], None, False, known.comments[1])


@dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes:
        name: on the command line.
        title: in the report.
        about: what is simulated and measured, in one or two sentences.
        axes: labels of x and y.
        scenes: returns functions from a seed to a scene, fewer of them for a quick run.
        samples: returns what was measured in a run, (n, 2): samples of x and y.
        reference: returns the measured y at a scene and x.
        references: measured data for the picture.
        drawn: how the trajectories of some scenes are shown, by name.
        must_end: whether everybody should have left when a scene ends.
    """

    name: str
    title: str
    about: str
    axes: tuple[str, str]
    scenes: Callable[[bool], Iterator[Callable[[int], Scene]]]
    samples: Callable[[Scene, Recording], Floats]
    reference: Callable[[str, float], Interval | None]
    references: Callable[[], list[Reference]]
    drawn: dict[str, Drawn]
    must_end: bool = False

    def run(self, engine: Engine, *, quick: bool, seeds: int, ran: Callable[[], Any]) -> Curve:
        """Run all scenes with an engine; `ran` is called after each run."""
        points, failures, pictures = [], [], {}
        for make in self.scenes(quick):
            found, left, name = [], 0, make(0).name
            for seed in range(seeds):
                scene = make(seed)
                try:
                    recording = engine.run(scene, seed)
                except RuntimeError as error:  # JuPedSim: somebody was pushed through a wall
                    failures.append(f"{name}: {error}")
                    break
                finally:
                    ran()
                found.append(self.samples(scene, recording))
                left += len(recording.frame(-1).ids) if self.must_end else 0
                if name in self.drawn and seed == 0:
                    pictures[name] = recording
            values = np.concatenate([np.empty((0, 2)), *found])
            values = values[np.isfinite(values).all(axis=1)]
            if len(found) < seeds or not len(values):
                continue
            x, y = values.mean(axis=0).tolist()
            deviation = float(values[:, 1].std())
            points.append(Point(name, x, y, deviation, self.reference(name, x), left))
        return Curve(engine.name, engine.dt, points, failures, pictures)


def _density_and_speed(
    area: Any, first: float, last: float
) -> Callable[[Scene, Recording], Floats]:
    """Return a function that samples density and mean speed every 0.5 s in a part of a run.

    `first` and `last` are shares of the run, or times in s if above 1.
    """

    def samples(_: Scene, recording: Recording) -> Floats:
        end = float(recording.times[-1])
        begin, stop = (t if t > 1.0 else t * end for t in (first, last))
        speed = measure.mean_speed(recording, area)[::5]
        density = measure.voronoi_density(recording, area, every=5)
        times = recording.times[::5]
        chosen = (times >= begin) & (times <= stop)
        return np.column_stack([density, speed])[chosen]

    return samples


# -- fundamental diagram -------------------------------------------------------------------------


@cache
def _corridor_bins() -> Bins:
    return Bins.from_samples(*load_table("corridor").values[:, 1:].T)


def _fundamental_reference(_: str, density: float) -> Interval:
    """Return the spread of the corridor experiments, widened to include Weidmann's curve.

    Outside their densities it is Weidmann's curve with the relative spread of the nearest bin.
    """
    bins, curve = _corridor_bins(), weidmann(density)
    known = bins.interval(density)
    if known is None:
        k = 0 if density < bins.centres[0] else -1
        share = SPREAD * float(bins.deviations[k] / bins.means[k])
        return Interval((1.0 - share) * curve, curve, (1.0 + share) * curve)
    return Interval(min(known.low, curve), known.mean, max(known.high, curve))


def _corridor_references() -> list[Reference]:
    bins, density = _corridor_bins(), np.linspace(0.05, 5.4, 100)
    curve = np.array([weidmann(d) for d in density])
    spread, source = SPREAD * bins.deviations, load_table("corridor").comments[1]
    return [
        Reference.from_table("Jülich corridors", "check", "corridor"),
        Reference("their mean and spread", "check", bins.centres, bins.means, spread, True, source),
        Reference("Weidmann (1993)", "fit", density, curve, None, True, "Weidmann (1993), ETH"),
    ]


FUNDAMENTAL = Experiment(
    "fundamental",
    "Fundamental diagram, one-way flow",
    "A corridor 52 m long and 3 m wide, 40 m of it filled with people at 0.3 to 4 per m2 who all "
    "walk to its end. Voronoi density and mean speed in 6 m x 3 m in its middle, from 3 to 12 s.",
    ("density, persons per m2", "speed, m/s"),
    lambda quick: (
        partial(scenes.one_way, density)
        for density in (
            (0.6, 1.0, 2.0, 3.0) if quick else (0.3, 0.6, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
        )
    ),
    _density_and_speed(scenes.box(18.0, 0.0, 24.0, 3.0), 3.0, 12.0),
    _fundamental_reference,
    _corridor_references,
    {"one-way 2 per m2": Drawn((16.0, 0.0, 40.0, 3.0), "")},
)


# -- the corridor of the experiments -------------------------------------------------------------

_HERMES: Final = {
    "uo-070-180-180": (0.7, 1.8, 111, 1.38),
    "uo-180-180-120": (1.8, 1.2, 170, 3.0),
    "uo-180-180-095": (1.8, 0.95, 159, 3.0),
}
"""Widths of entrance and exit (m), persons, and rate at which they come (per s)."""


def _hermes_reference(name: str, _: float) -> Interval:
    return Interval.from_samples(load_table("corridor").of(name)[:, 2])


CORRIDOR = Experiment(
    "corridor",
    "One-way flow in a corridor of 1.8 m with a narrow exit",
    "The geometry of the HERMES experiments (2009) uo-ENTRANCE-CORRIDOR-EXIT: the same number of "
    "people, with the free speed of the participants (1.55 ± 0.18 m/s, Zhang et al. 2011), the "
    "same measurement area and the middle 60 % of the time.",
    ("density, persons per m2", "speed, m/s"),
    lambda quick: (
        partial(scenes.corridor, *settings) for settings in list(_HERMES.values())[quick:]
    ),
    _density_and_speed(scenes.box(0.0, -2.0, 1.8, 0.0), 0.2, 0.8),
    _hermes_reference,
    lambda: [Reference.from_table(name, "check", "corridor", name) for name in _HERMES],
    {"uo-180-180-095": Drawn((-1.2, -7.0, 3.0, 8.0), "uo-180-180-095.txt", 16.0, 0.01)},
    must_end=True,
)


# -- bottleneck ----------------------------------------------------------------------------------


def _flow_samples(scene: Scene, recording: Recording) -> Floats:
    """Return width and flow of blocks of ten persons, without the first and the last tenth."""
    width = float(scene.name.split()[1])
    found = measure.crossings(recording, ((-4.0, -0.25), (4.0, -0.25)))
    _, first = np.unique(found.ids, return_index=True)
    times = np.sort(found.times[first])
    cut = len(times) // 10
    times = times[cut : len(times) - cut]
    if len(times) < 21:
        return np.array([[width, 0.0]])  # it is blocked
    blocks = 10.0 / (times[10::10] - times[:-10:10])
    return np.column_stack([np.full(len(blocks), width), blocks])


def _flow_reference(_: str, width: float) -> Interval:
    for known, flow, deviation, _persons in load_table("bottleneck").values.tolist():
        if abs(known - width) < 1e-6:
            return Interval(flow - SPREAD * deviation, flow, flow + SPREAD * deviation)
    return Interval((1.0 - _LAW) * 1.9 * width, 1.9 * width, (1.0 + _LAW) * 1.9 * width)


def _flow_references() -> list[Reference]:
    table, width = load_table("bottleneck"), np.linspace(0.5, 2.4, 20)
    x, y, deviation, _ = table.values.T
    law = "Seyfried et al. (2009), Transportation Science 43(3); spread as in blocks of ten persons"
    return [
        Reference("1.9 per m and s", "fit", width, 1.9 * width, _LAW * 1.9 * width, True, law),
        Reference(
            "Jülich, with spread", "check", x, y, SPREAD * deviation, False, table.comments[1]
        ),
    ]


BOTTLENECK = Experiment(
    "bottleneck",
    "Flow through a bottleneck by its width",
    "150 people in a hall 8 m wide, at 3 per m2, leave by a passage 0.5 m long. Flow of blocks of "
    "ten persons, without the first and the last tenth of the people.",
    ("width, m", "flow, persons per s"),
    lambda quick: (
        partial(scenes.bottleneck, width)
        for width in ((0.5, 1.2, 2.4) if quick else (0.5, 0.7, 0.95, 1.2, 1.6, 2.0, 2.4))
    ),
    _flow_samples,
    _flow_reference,
    _flow_references,
    {
        "bottleneck 0.5 m": Drawn((-3.2, -2.0, 3.2, 6.5), "bottleneck_040_c_56_h.txt"),
        "bottleneck 1.2 m": Drawn((-4.2, -2.0, 4.2, 8.0), ""),
    },
    must_end=True,
)


# -- two-way flow --------------------------------------------------------------------------------


@cache
def _two_way_bins() -> Bins:
    return Bins.from_samples(*load_table("two_way").values[:, 1:].T)


def _two_way_reference(name: str, density: float) -> Interval | None:
    """Return the spread at the density; in the experiment's own scene, that of all its samples."""
    if name != "two-way 1.85 per s and side":
        return _two_way_bins().interval(density)
    return Interval.from_samples(load_table("two_way").values[:, 2])


TWO_WAY = Experiment(
    "two-way",
    "Two-way flow in a corridor of 4 m",
    "People come from both ends at 1, 1.85 (the experiment's) and 2.5 per s and side for 90 s. "
    "Voronoi density and mean speed in the middle 4 m x 4 m, from 30 to 80 s.",
    ("density, persons per m2", "speed, m/s"),
    lambda quick: (
        partial(scenes.two_way, rate) for rate in ((1.85,) if quick else (1.0, 1.85, 2.5))
    ),
    _density_and_speed(scenes.box(-2.0, 0.0, 2.0, 4.0), 30.0, 80.0),
    _two_way_reference,
    lambda: [Reference.from_table("Jülich, bi_corr_400_b_03", "check", "two_way")],
    {
        "two-way 1.85 per s and side": Drawn(
            (-6.0, -0.3, 5.0, 4.4), "bi_corr_400_b_03.txt", unit=0.01
        )
    },
)


# -- single file ---------------------------------------------------------------------------------


@cache
def _single_bins() -> Bins:
    return Bins.from_samples(*load_table("single_file").values[:, 1:].T)


def _single_file_samples(_: Scene, recording: Recording) -> Floats:
    """Return density and speed of persons on the straight parts, every 2 s from 20 s on."""
    speed, found = measure.speeds(recording), []
    for k in range(200, recording.n_frames - 2, 20):
        rows = slice(int(recording.offsets[k]), int(recording.offsets[k + 1]))
        at = recording.positions[rows]
        along = scenes.along_oval(at)
        order = np.argsort(along)
        gaps = np.diff(np.append(along[order], along[order[0]] + scenes.OVAL))
        size = 0.5 * (gaps + np.roll(gaps, 1))
        straight = (at[order, 0] > 0.5) & (at[order, 0] < scenes.STRAIGHT - 0.5) & (size > 0.1)
        found.append(np.column_stack([1.0 / size[straight], speed[rows][order][straight]]))
    return np.concatenate([np.empty((0, 2)), *found])


SINGLE_FILE = Experiment(
    "single-file",
    "Single file on an oval",
    "People walk around an oval of 25.7 m, 0.7 m wide. Density 1 / d, where d is half of the "
    "distance between the persons in front and behind, and speed on the straight parts, from 20 to "
    "60 s.",
    ("density, persons per m", "speed, m/s"),
    lambda quick: (
        partial(scenes.single_file, persons)
        for persons in ((34, 53) if quick else (13, 20, 26, 34, 43, 53, 60))
    ),
    _single_file_samples,
    lambda _, density: _single_bins().interval(density),
    lambda: [
        Reference.from_table("Jülich, 34 persons", "fit", "single_file", "single_file_n34_cam2"),
        Reference.from_table("Jülich, 56 persons", "check", "single_file", "single_file_n56_cam1"),
    ],
    {
        "single file of 53": Drawn(
            (20.0, -1.0, 60.0, 2.0), "single_file_n56_cam1.csv", is_timed=True
        )
    },
)


# -- corner --------------------------------------------------------------------------------------


def _corner_samples(scene: Scene, recording: Recording) -> Floats:
    """Return the number of persons and the least distance of each to the inner corner."""
    persons = len(scene.streams[0].times) if scene.streams[0].times is not None else 0
    away = np.hypot(*(recording.positions - (8.0, 2.0)).T)
    least = np.full(int(recording.ids.max()) + 1, np.inf)
    np.minimum.at(least, recording.ids, away)
    least = least[least < 3.0]
    return np.column_stack([np.full(len(least), float(persons)), least])


CORNER = Experiment(
    "corner",
    "Around a corner",
    "People walk around a right-angled corner of corridors 2 m wide: the least distance of their "
    "centres to the inner corner. No measured data of a corner are at hand: compare the models.",
    ("persons (1.5 per s)", "distance to the inner corner, m"),
    lambda quick: (
        partial(scenes.corner, persons) for persons in ((60,) if quick else (1, 20, 60))
    ),
    _corner_samples,
    lambda _name, _x: None,
    list,
    {"corner, 60 persons": Drawn((0.0, 0.0, 10.0, 10.0), "")},
    must_end=True,
)

EXPERIMENTS: Final = {
    one.name: one for one in (FUNDAMENTAL, CORRIDOR, BOTTLENECK, TWO_WAY, SINGLE_FILE, CORNER)
}
