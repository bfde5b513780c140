"""Local models of crowds compared, with JuPedSim's models as peers.

The scenes are those of `footway validate`, radius 0.2 m, recorded every 0.1 s. "flow" is that of
150 people through a door of 1.2 m, from the 20th to the 120th (experiments: about 2.3 per s); those
who are "left" never pass it. "v at n" is the mean speed along a corridor 3 m wide with n people per
m2, all in one direction (Weidmann: 1.30, 1.06, 0.61, 0.33 and 0.16 m/s at 0.5, 1, 2, 3 and 4).
"two-way" is the mean speed along a corridor 4 m wide into which 1.5 people per second come at each
end. "overlaps" is the share of positions in these scenes at which a disc overlaps another by more
than 5 % of its radius, and "turn" the mean change of direction in 0.1 s of those who walk in the
two-way corridor. CPU time is per character and simulated second, in the scene of the door, with
recording; the last column is a step of 10,000 characters in the city, per character, on one thread.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import shapely
from scipy.spatial import cKDTree

import footway as fw
from benchmarks.checks import WrongAnswer
from benchmarks.effort import FULL
from benchmarks.report import Outcome, Table
from footway.crowd.models import MODELS
from footway.validate import scenes
from footway.validate.engines import Footway, engines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.effort import Effort
    from footway import Recording
    from footway.crowd.models import LocalModel
    from footway.validate.engines import Engine
    from footway.validate.scenes import Scene

    Floats = NDArray[np.float64]

DENSITIES = (0.5, 1.0, 2.0, 3.0, 4.0)
WIDTH = 1.2
STREAM = 1.5
FIRST, LAST = 20, 120
DEEP = 0.05
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Result:
    """Measurements of one model."""

    name: str
    flow: float  # per s
    left: int  # people who never pass the door
    speeds: tuple[float, ...]  # m/s, by density
    two_way: float  # m/s
    overlaps: float  # share of positions
    turn: float  # degrees in 0.1 s
    cpu: float  # us per character and simulated second
    step: float | None  # ns per character-step


def run(effort: Effort) -> Outcome:
    """Check that nobody is in a wall, and compare all models."""
    results, remarks = measure(effort)
    columns = (
        "model", "flow, 1/s", "left", *(f"v at {n:g}, m/s" for n in DENSITIES), "two-way, m/s",
        "overlaps, %", "turn, deg", "CPU, us", "step, ns",
    )  # fmt: skip
    rows = [
        (
            r.name, r.flow, r.left, *r.speeds, r.two_way, 100.0 * r.overlaps, r.turn, r.cpu, r.step,
        )
        for r in results
    ]  # fmt: skip
    checked = (
        f"with each of Footway's {len(MODELS)} models nobody is in a wall in any frame, judged by "
        "Shapely."
    )
    return Outcome([Table("Local models", columns, rows)], checked, remarks=remarks)


def measure(effort: Effort) -> tuple[list[Result], list[str]]:
    """Measure all models of Footway, and those of JuPedSim if it is installed; and remarks."""
    results, remarks = [], []
    for engine in engines(None, (0.1,)):
        try:
            results.append(_measure(engine, effort))
        except RuntimeError as error:  # of JuPedSim
            remarks.append(f"{engine.name} stopped: {error}.")
    if len(results) + len(remarks) == len(MODELS):
        remarks.append("JuPedSim is not installed: pip install jupedsim.")
    return results, remarks


def _measure(engine: Engine, effort: Effort) -> Result:
    print(f"  {engine.name} ...", file=sys.stderr, flush=True)
    is_ours = isinstance(engine, Footway)
    if is_ours:
        engine.run(scenes.bottleneck(WIDTH, 1, persons=10), 1)  # compiles
    door = scenes.bottleneck(WIDTH, 1)
    began = time.process_time()
    at_door = engine.run(door, 1)
    cpu = time.process_time() - began
    stream = scenes.two_way(STREAM, 1, seconds=60.0)
    in_stream = engine.run(stream, 1)
    one_way = [scenes.one_way(density, 1) for density in DENSITIES]
    corridors = [engine.run(scene, 1) for scene in one_way]
    all_runs = [(door, at_door), (stream, in_stream), *zip(one_way, corridors, strict=True)]
    if is_ours:
        for scene, recording in all_runs:
            _require_free_space(engine.name, scene, recording)
    crossed = _crossing_times(at_door)
    flow = math.nan
    if len(crossed) >= LAST:
        flow = (LAST - FIRST) / (crossed[LAST - 1] - crossed[FIRST - 1])
    positions = sum(len(at_door.frame(k).ids) for k in range(at_door.n_frames))
    return Result(
        name=engine.name,
        flow=flow,
        left=150 - len(crossed),
        speeds=tuple(_speed_along(recording) for recording in corridors),
        two_way=_pace(in_stream),
        overlaps=float(np.mean(np.concatenate([_overlaps(r) for _, r in all_runs]))),
        turn=_turn(in_stream),
        cpu=1e6 * cpu / (0.1 * positions),
        step=city_step(engine.name, max(3, effort.repeats)) if is_ours else None,
    )


def _require_free_space(name: str, scene: Scene, recording: Recording) -> None:
    """Raise WrongAnswer if a disc is in a wall."""
    ground = scene.environment.walkable
    shapely.prepare(ground)
    for k in range(recording.n_frames):
        points = shapely.points(recording.frame(k).positions)
        depth = scenes.RADIUS - shapely.distance(points, ground.boundary)
        if len(points) and not (shapely.contains(ground, points).all() and depth.max() < TOLERANCE):
            raise WrongAnswer(f"{name}: somebody is in a wall of {scene.name!r}, frame {k}")


def _crossing_times(recording: Recording) -> list[float]:
    """Return the times at which people have passed the door at y = 0, ascending, s."""
    times: dict[int, float] = {}
    for k in range(recording.n_frames):
        frame = recording.frame(k)
        for one in frame.ids[frame.positions[:, 1] < 0.0].tolist():
            times.setdefault(one, frame.time)
    return sorted(times.values())


def _speed_along(recording: Recording) -> float:
    """Return the mean speed along the corridor in 4 to 8 s, of those in its middle at 4 s, m/s."""
    before, after = (recording.frame(round(t / 0.1)) for t in (4.0, 8.0))
    inside = (before.positions[:, 0] > 8.0) & (before.positions[:, 0] < 30.0)
    at = dict(zip(after.ids.tolist(), after.positions[:, 0].tolist(), strict=True))
    walked = [
        at[one] - x
        for one, x in zip(
            before.ids[inside].tolist(), before.positions[inside, 0].tolist(), strict=True
        )
        if one in at
    ]
    return float(np.mean(walked)) / 4.0


def _displacements(recording: Recording, first: int) -> list[tuple[Floats, Floats]]:
    """Return the steps of everybody present in three frames: before and after, m. (n, 2)."""
    found = []
    for k in range(first, recording.n_frames - 2):
        frames = [recording.frame(k + j) for j in range(3)]
        both = np.intersect1d(np.intersect1d(frames[0].ids, frames[1].ids), frames[2].ids)
        order = [np.argsort(frame.ids) for frame in frames]
        at = [
            frame.positions[k][np.searchsorted(frame.ids[k], both)]
            for frame, k in zip(frames, order, strict=True)
        ]
        found.append((at[1] - at[0], at[2] - at[1]))
    return found


def _pace(recording: Recording) -> float:
    """Return the mean speed along the two-way corridor after 20 s, m/s."""
    steps = _displacements(recording, 200)
    return float(np.mean([np.abs(after[:, 0]).mean() for _, after in steps if len(after)])) / 0.1


def _turn(recording: Recording) -> float:
    """Return the mean change of direction in 0.1 s of those faster than 0.3 m/s, degrees."""
    before, after = map(np.concatenate, zip(*_displacements(recording, 100), strict=True))
    walks = (np.hypot(*before.T) > 0.03) & (np.hypot(*after.T) > 0.03)
    cross = before[walks, 0] * after[walks, 1] - before[walks, 1] * after[walks, 0]
    dot = (before[walks] * after[walks]).sum(axis=1)
    return float(np.degrees(np.abs(np.arctan2(cross, dot))).mean())


def _overlaps(recording: Recording) -> NDArray[np.bool_]:
    """Return for each position whether the disc overlaps another one by more than DEEP."""
    found = []
    for k in range(recording.n_frames):
        points = recording.frame(k).positions
        near = np.zeros(len(points), bool)
        if len(points) > 1:
            apart = (2.0 - DEEP) * scenes.RADIUS
            near[np.unique(cKDTree(points).query_pairs(apart, output_type="ndarray"))] = True
        found.append(near)
    return np.concatenate(found)


def city_step(model: str | LocalModel, rounds: int) -> float:
    """Return the CPU time of a step in the city, the least of several rounds, ns per character."""
    crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:city")), seed=1, threads=1, model=model)
    crowd.add(10_000)
    crowd.step(64)
    times = []
    for _ in range(rounds):
        began = time.process_time()
        crowd.step(32)
        times.append(time.process_time() - began)
    return 1e9 * min(times) / 32 / len(crowd)


# -- picture -----------------------------------------------------------------------------------


def draw(results: list[Result], file: Path) -> None:
    """Draw the comparison: fundamental diagram, flow, overlaps and smoothness, CPU time."""
    from matplotlib.figure import Figure

    figure = Figure((13, 8.5), layout="constrained")
    axes = figure.subplots(2, 2)
    colours = [f"C{k % 10}" for k in range(len(results))]
    density = np.linspace(0.2, 5.0, 100)
    weidmann = 1.34 * (1.0 - np.exp(-1.913 * (1.0 / density - 1.0 / 5.4)))
    diagram = axes[0, 0]
    diagram.plot(density, weidmann, color="0.6", linewidth=4, label="Weidmann (1993)", zorder=0)
    for result, colour in zip(results, colours, strict=True):
        style = "o-" if result.step is not None else "s:"
        diagram.plot(DENSITIES, result.speeds, style, color=colour, label=result.name)
    diagram.set(xlabel="density, 1/m²", ylabel="speed, m/s", title="One-way corridor, 3 m wide")
    diagram.legend(fontsize=8, loc="lower left", ncols=2)
    diagram.set(ylim=(-0.45, 1.45), yticks=np.arange(0.0, 1.41, 0.2))
    names = [result.name for result in results]
    flow = axes[0, 1]
    flow.barh(names, [0.0 if math.isnan(r.flow) else r.flow for r in results], color=colours)
    flow.axvline(2.3, color="0.4", linestyle="--")
    flow.set(xlabel="flow, 1/s (dashed: experiments)", title="Door of 1.2 m, 150 people")
    for k, result in enumerate(results):
        if result.left:
            flow.text(0.05, k, f"{result.left} never pass", va="center")
    quality = axes[1, 0]
    quality.barh(names, [result.turn for result in results], color=colours)
    quality.set(xlabel="mean turn in 0.1 s, degrees", title="Smoothness, and overlaps")
    for k, result in enumerate(results):
        quality.text(0.1, k, f"{100.0 * result.overlaps:.2g} % of positions overlap", va="center")
    cpu = axes[1, 1]
    cpu.barh(names, [result.cpu for result in results], color=colours)
    cpu.set(xlabel="µs per character and simulated second", title="CPU time, door of 1.2 m")
    for axis in (flow, quality, cpu):
        axis.invert_yaxis()
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    found, said = measure(FULL)
    print("\n".join([*map(str, found), *said]))
    draw(found, Path(sys.argv[1]))
