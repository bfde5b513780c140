"""The motion of crowds beside its targets: what people do, and what the guards promise.

    python -m benchmarks.motion --model social_force headway=0.6 --parts people steps --seeds 3
    python -m benchmarks.motion --model all --parts walls

`people`: doors, single files, corridors and one-way flow are scenes of `footway validate`, with its
measured spread. `steps`: the time until 150 people have left a room of 10 m x 10 m by a door of
1.2 m, and speeds in one-way flow, with several time steps, compared with 0.1 s. `discs`: turn rates
of those who walk faster than 0.35 m/s, the walked length over the straight line, overlaps, and two
who meet in a passage of 0.6 m. `walls`: 10,000 characters in the city, each of 600 steps judged by
Shapely. `cost`: CPU time of a step there, on one thread.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import shapely
from tests.oracle.crowd_motion import Film, crowd_in, detours, door, run, street

import footway as fw
from benchmarks.local_models import city_step
from benchmarks.report import grid
from footway.crowd.models import MODELS, with_parameters
from footway.validate import scenes
from footway.validate.engines import Footway
from footway.validate.experiments import BOTTLENECK, CORRIDOR, FUNDAMENTAL, SINGLE_FILE, TWO_WAY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from footway.crowd.models import LocalModel
    from footway.validate.experiments import Experiment
    from footway.validate.scenes import Scene

DOORS = (0.5, 0.8, 1.0, 1.2, 2.4)  # m
FILES = (28, 44, 54)  # people on the oval: 1.1, 1.7 and 2.1 per m
DENSITIES = (0.5, 1.0, 2.0, 3.0, 4.0)  # per m2
CORRIDORS = ((0.7, 1.8, 111, 1.38), (1.8, 1.2, 170, 3.0), (1.8, 0.95, 159, 3.0))
STEPS = {0.02: 0.03, 0.05: 0.03, 0.2: 0.06}  # s, and by how much they may differ from 0.1 s
WALKING = 0.35  # m/s
BOUND = np.pi + 0.01  # rad/s


class Row(NamedTuple):
    """A measured quantity: where, ours, and the target."""

    scene: str
    quantity: str
    x: float | None
    ours: float | str
    error: float | None  # of ours
    target: str
    verdict: str


def scenes_of() -> Iterator[tuple[Experiment, str, Callable[[int], Scene]]]:
    """Return the scenes, their experiments and the measured quantities."""
    for width in DOORS:
        yield BOTTLENECK, "flow, 1/s", partial(scenes.bottleneck, width)
    for persons in FILES:
        yield SINGLE_FILE, "speed, m/s", partial(scenes.single_file, persons)
    for settings in CORRIDORS:
        yield CORRIDOR, "speed, m/s", partial(scenes.corridor, *settings)
    for density in DENSITIES:
        yield FUNDAMENTAL, "speed, m/s", partial(scenes.one_way, density)
    yield TWO_WAY, "speed, m/s", partial(scenes.two_way, 1.85)


def people(model: LocalModel, dt: float, seeds: int) -> Iterator[Row]:
    """Measure each scene with several seeds; the error is the deviation of the seeds' means."""
    for experiment, quantity, make in scenes_of():
        found = np.array([
            np.nanmean(
                experiment.samples(make(seed), Footway(model, dt).run(make(seed), seed)), axis=0
            )
            for seed in range(seeds)
        ])  # fmt: skip
        (x, ours), name = found.mean(axis=0), make(0).name
        known = experiment.reference(name, x)
        target, verdict = "-", "-"
        if known is not None:
            target = f"{known.mean:.2f} ({known.low:.2f} to {known.high:.2f})"
            verdict = _met(known.low <= ours <= known.high)
        yield Row(name, quantity, x, ours, found[:, 1].std(), target, verdict)


def steps(model: LocalModel, seeds: int) -> Iterator[Row]:
    """Compare time steps: a room that empties (four times the seeds), and one-way flow (twice)."""
    yield from _compared("room, empty after", "s", partial(_emptied, model, 4 * seeds))
    for density in DENSITIES:
        name = f"one-way {density:g} per m2"
        yield from _compared(name, "speed, m/s", partial(_one_way, model, 2 * seeds, density))


def _compared(name: str, quantity: str, measure: Callable[[float], Any]) -> Iterator[Row]:
    """Measure with 0.1 s and with each other step; pairs of the same seed are compared."""
    usual = measure(0.1)
    for dt, most in STEPS.items():
        found = measure(dt)
        change = found.mean() / usual.mean() - 1.0
        error = (found / usual).std(ddof=1) / np.sqrt(len(usual))
        ours = f"{found.mean():.2f}: {change:+.1%}"
        target = f"{usual.mean():.2f} within {most:.0%}"
        yield Row(name, quantity, dt, ours, error, target, _met(abs(change) < most))


def _emptied(model: LocalModel, seeds: int, dt: float) -> Any:
    films = [door(1.2, dt=dt, seed=seed, seconds=300.0, model=model) for seed in range(seeds)]
    return np.array([film.seconds for film in films])


def _one_way(model: LocalModel, seeds: int, density: float, dt: float) -> Any:
    found = []
    for seed in range(seeds):
        scene = scenes.one_way(density, seed)
        recording = Footway(model, dt).run(scene, seed)
        found.append(np.nanmean(FUNDAMENTAL.samples(scene, recording)[:, 1]))
    return np.array(found)


def discs(model: LocalModel, seeds: int) -> Iterator[Row]:
    """Measure turn rates, detours and overlaps."""
    films: dict[str, list[Film]] = {
        "door of 1.2 m": [door(1.2, seed=k, seconds=120.0, model=model) for k in range(seeds)],
        "door of 0.5 m": [
            door(0.5, n=80, seed=k, seconds=120.0, model=model) for k in range(seeds)
        ],
    }
    for density in (1.0, 4.0):
        for two_way in (False, True):
            name = f"{'two-way' if two_way else 'one-way'} {density:g} per m2"
            films[name] = [
                street(density, two_way=two_way, seed=k, model=model)[0] for k in range(seeds)
            ]
    for name, runs in films.items():
        rates = np.concatenate([film.turn_rates(above=WALKING) for film in runs])
        kept = float((rates <= BOUND).mean()) if len(rates) else np.nan
        yield Row(name, "turn rate up to pi rad/s, share", None, f"{kept:.4%}", None,
                  "99.9 %", _met(kept >= 0.999))  # fmt: skip
        deep = float(np.mean([film.overlaps(deeper=0.05, every=2) for film in runs]))
        yield Row(name, "overlap over 5 % of r, share", None, f"{deep:.3%}", None,
                  "less than 0.1 %", _met(deep < 0.001))  # fmt: skip
    walked = np.concatenate([detours(film) for film in films["door of 1.2 m"]])
    for share, most in ((0.5, 1.2), (0.9, 1.8)):
        length = float(np.quantile(walked, share))
        yield Row("door of 1.2 m", "walked over straight", share, length, None,
                  f"{most} (JuPedSim)", _met(length <= most))  # fmt: skip
    for width in (0.5, 0.6, 0.7):
        named = _who_meet(width, model)
        yield Row("two who meet in a passage", "named by `stuck`", width, named, None, "2",
                  _met(named == 2))  # fmt: skip


def _who_meet(width: float, model: LocalModel) -> int:
    """Return how many of two who cannot pass each other are named by `stuck` after a minute."""
    crowd = crowd_in(shapely.box(0, 0, 12, width), model=model)
    ends = [(2.0, width / 2), (10.0, width / 2)]
    crowd.add(2, starts=ends, goals=ends[::-1], radius=0.2, speed=1.34)
    run(crowd, 60.0)
    return len(crowd.stuck)


def walls(model: LocalModel, characters: int = 10_000, count: int = 600) -> Iterator[Row]:
    """Judge each step by Shapely: whether each disc is in the free space, to a micrometre."""
    env = fw.load("gallery:city")
    crowd = fw.Crowd(fw.CorridorMap.build(env), seed=1, model=model)
    crowd.add(characters, speed=(1.34, 0.26))
    ground, outline = env.walkable, env.walkable.boundary
    shapely.prepare(ground)
    shapely.prepare(outline)
    inside, judged = 0, 0
    for _ in range(count):
        crowd.step()
        points = shapely.points(crowd.positions)
        bad = shapely.dwithin(outline, points, crowd.radii - 1e-6) | ~shapely.contains(
            ground, points
        )
        inside, judged = inside + int(bad.sum()), judged + len(points)
    yield Row(f"city, {characters} characters", "positions in a wall", count, inside, None,
              f"0 of {judged}", _met(inside == 0))  # fmt: skip


def cost(model: LocalModel) -> Iterator[Row]:
    """Measure a step of 10,000 characters in the city."""
    ours = city_step(model, rounds=5)
    yield Row("city, 10000 characters", "step, ns per character", None, ours, None, "-", "-")


def _met(condition: bool) -> str:
    return "yes" if condition else "**no**"


PARTS: dict[str, Callable[[LocalModel, float, int], Iterator[Row]]] = {
    "people": people,
    "steps": lambda model, _, seeds: steps(model, seeds),
    "discs": lambda model, _, seeds: discs(model, seeds),
    "walls": lambda model, *_: walls(model),
    "cost": lambda model, *_: cost(model),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.motion", description=__doc__)
    parser.add_argument("--model", default="social_force", choices=[*MODELS, "all"])
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE", help="of the model")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--step", type=float, default=0.1, help="s, of the scenes beside people")
    parser.add_argument("--seeds", type=int, default=3, help="of each scene")
    options = parser.parse_intermixed_args()
    given = {name: float(value) for name, value in (one.split("=") for one in options.parameters)}
    columns = ("model", "scene", "quantity", "at", "ours", "+-", "target", "met")
    for name in MODELS if options.model == "all" else [options.model]:
        model, rows = with_parameters(name, given), []
        for part in options.parts:
            began = time.process_time()
            rows += [(name, *row) for row in PARTS[part](model, options.step, options.seeds)]
            print(f"{name}, {part}: CPU time {time.process_time() - began:.0f} s", flush=True)
        print("\n".join(["", *grid(columns, rows), ""]), flush=True)


if __name__ == "__main__":
    main()
