"""One model of crowds beside measured people, in a minute or two: repeat it after each change.

    python -m benchmarks.motion --model social_force headway=0.6 --step 0.1 --seeds 3

Doors, single files, corridors and one-way flow are scenes of `footway validate`, with its measured
spread. "room" is the time until 150 people have left a room of 10 m x 10 m by a door of 1.2 m, with
several time steps; its error is that of the mean over the seeds. "turn" is the turn rate of those
who walk faster than 0.35 m/s in that room, "detour" the walked length over the straight line.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from tests.oracle.crowd_motion import detours, door

from benchmarks.report import grid
from footway.crowd.models import with_parameters
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
STEPS = (0.02, 0.05, 0.1, 0.2)  # s


class Row(NamedTuple):
    """A measured quantity: where, ours, and what people do."""

    scene: str
    quantity: str
    x: float
    ours: float
    error: float  # of ours
    people: str
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


def beside_people(model: LocalModel, dt: float, seeds: int) -> Iterator[Row]:
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
        people, verdict = "-", "-"
        if known is not None:
            people = f"{known.mean:.2f} ({known.low:.2f} to {known.high:.2f})"
            verdict = "yes" if known.low <= ours <= known.high else "no"
        yield Row(name, quantity, x, ours, found[:, 1].std(), people, verdict)


def rooms(model: LocalModel, seeds: int) -> Iterator[Row]:
    """Measure the time until a room is empty, with several time steps."""
    usual = np.nan
    for dt in sorted(STEPS, key=lambda step: step != 0.1):
        films = [door(1.2, dt=dt, seed=seed, seconds=300.0, model=model) for seed in range(seeds)]
        times = np.array([film.seconds for film in films])
        ours, error = times.mean(), times.std(ddof=1) / np.sqrt(seeds)
        usual = ours if dt == 0.1 else usual
        left = sum(len(film.ids[-1]) for film in films)
        verdict = f"{ours / usual - 1:+.1%}" + f", {left} left" * (left > 0)
        yield Row("room, empty after", "s", dt, ours, error, "equal", verdict)
        if dt == 0.1:
            rates = np.concatenate([film.turn_rates(above=0.35) for film in films])
            for share in (0.99, 0.999):
                rate = float(np.quantile(rates, share))
                yield Row("room, turn", "rad/s", share, rate, np.nan, "3.14", "")
            walked = np.concatenate([detours(film) for film in films])
            for share in (0.5, 0.9):
                length = float(np.quantile(walked, share))
                yield Row("room, detour", "1", share, length, np.nan, "1.2 and 1.8", "")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.motion", description=__doc__)
    parser.add_argument("--model", default="social_force")
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE", help="of the model")
    parser.add_argument("--step", type=float, default=0.1, help="s, of the scenes beside people")
    parser.add_argument("--seeds", type=int, default=3, help="of these scenes")
    parser.add_argument("--rooms", type=int, default=12, help="seeds of the room; 0: not measured")
    options = parser.parse_intermixed_args()
    given = (one.split("=") for one in options.parameters)
    model = with_parameters(options.model, {name: float(value) for name, value in given})
    began = time.process_time()
    rows: list[Any] = []
    if options.seeds:
        rows += beside_people(model, options.step, options.seeds)
    if options.rooms:
        rows += rooms(model, options.rooms)
    columns = ("scene", "quantity", "at", "ours", "+-", "people", "inside")
    title = f"Motion of {model}, step {options.step} s"
    print("\n".join([f"**{title}**", "", *grid(columns, rows)]))
    print(f"CPU time: {time.process_time() - began:.0f} s")


if __name__ == "__main__":
    main()
