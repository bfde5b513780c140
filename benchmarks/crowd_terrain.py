"""Crowds on terrain: what a step costs those who follow routes over preferred terrain.

The same characters, with a radius of 0.25 m and 1.2 m/s, walk from goal to goal in the city with a
hundred regions of four kinds: by corridors ("cmm", the plain crowd), by routes with MIRAN, with and
without its boundary force F_b, and by routes with IRM, each with its default numbers. They move in
turn, round by round, on one thread. A step is one call of `crowd.step`, with all looks and with the
routes of those who arrive. Looks and routes are timed by the profiler in steps of their own. "each
metre weighs" is the mean weight of the terrain under their feet, for the preferences of those who
have them.
"""

from __future__ import annotations

import cProfile
import pstats
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import footway as fw
from benchmarks.checks import WrongAnswer
from benchmarks.crowd_checks import require_same, watched
from benchmarks.report import Outcome, Table, Target
from benchmarks.timing import Spread, in_turn, stopwatch
from footway.reproduce.miran import setup as scenes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.crowd_checks import Observed
    from benchmarks.effort import Effort
    from benchmarks.report import Cell

MOST = 10_000  # characters
RADIUS, SPEED, WITHIN, SEED = 0.25, 1.2, 500.0, 1
WATCHED, PROFILED = 64, 32  # steps
FEW = 300  # characters of the crowds that are compared on one and two threads
PLAIN = "cmm"
MANNERS: Mapping[str, dict[str, Any]] = {
    PLAIN: {},
    "miran": {"preferences": scenes.CITIZEN},
    "miran without F_b": {"preferences": scenes.CITIZEN, "clearance": 0.0},
    "irm": {"preferences": scenes.CITIZEN, "follow": "irm"},
}
PARTS = {
    "looks": ("terrain_following.py", "update_attraction_points"),
    "routes": ("terrain_following.py", "follow"),
}
TIMES = 5.0  # times the plain step that MIRAN's may take


class Walked(NamedTuple):
    """One crowd and its measurements."""

    crowd: fw.Crowd
    add: float  # s
    observed: Observed
    weight: float  # of a metre, in the mean


def run(effort: Effort) -> Outcome:
    """Fill three crowds, check them, and time them in turn."""
    count = min(MOST, max(effort.crowds))
    env = scenes.city()
    cmap = fw.CorridorMap.build(env)
    _require_same_bits(env, cmap)
    walked = {name: _walked(env, cmap, count, name) for name in MANNERS}
    if walked["miran"].weight >= walked[PLAIN].weight:
        raise WrongAnswer("those who follow MIRAN walk on worse terrain than those who do not look")
    calls = {name: partial(one.crowd.step, effort.crowd_steps) for name, one in walked.items()}
    laps = in_turn(calls, repeats=effort.repeats)
    each = {name: lap.scaled(1e6 / effort.crowd_steps / count) for name, lap in laps.items()}
    least = min(one.observed.clearance for one in walked.values())
    checked = (
        f"nobody of {count:,} overlaps a wall in {WATCHED} steps (nearest {least:.6f} m); those "
        f"who follow MIRAN walk on better terrain; {FEW} of each, on one thread and on two, are "
        "the same bits."
    )
    return Outcome([_table(count, walked, each)], checked, _targets(each))


def _filled(
    env: fw.Environment, cmap: fw.CorridorMap, count: int, name: str, threads: int = 1
) -> tuple[float, fw.Crowd]:
    crowd = fw.Crowd(cmap, seed=SEED, threads=threads, environment=env)
    call = partial(crowd.add, count, radius=RADIUS, speed=SPEED, within=WITHIN, **MANNERS[name])
    return stopwatch(call)[0], crowd


def _require_same_bits(env: fw.Environment, cmap: fw.CorridorMap) -> None:
    for name in MANNERS:
        crowds = [_filled(env, cmap, FEW, name, threads)[1] for threads in (1, 2)]
        for crowd in crowds:
            crowd.step(WATCHED)
        require_same(crowds)


def _walked(env: fw.Environment, cmap: fw.CorridorMap, count: int, name: str) -> Walked:
    """Return a checked crowd, and the mean weight of the terrain it walked on."""
    seconds, crowd = _filled(env, cmap, count, name)
    before = crowd.positions
    observed = watched(crowd, radius=RADIUS, steps=WATCHED, every=8)
    terrain = fw.Terrain.build(env, 0.5 * RADIUS)  # smaller: every character is on it
    lines = np.hstack([before, crowd.positions])
    metres, costs, _ = terrain.trace(lines, terrain.weights(scenes.CITIZEN))
    return Walked(crowd, seconds, observed, float(costs.sum() / metres.sum()))


def _parts(crowd: fw.Crowd) -> dict[str, float]:
    """Return the time of a step per character by part, us."""
    profile = cProfile.Profile()
    profile.runcall(crowd.step, PROFILED)
    stats: Any = pstats.Stats(profile)
    times = {(Path(file).name, name): row[3] for (file, _, name), row in stats.stats.items()}
    scale = 1e6 / PROFILED / len(crowd)
    return {part: scale * times.get(key, 0.0) for part, key in PARTS.items()}


def _table(count: int, walked: dict[str, Walked], each: dict[str, Spread]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, one in walked.items():
        parts = _parts(one.crowd)
        spread, plain = each[name], each[PLAIN]
        ratio = spread.minimum / plain.minimum
        rows.append(
            (name, spread.minimum, spread.median, ratio, parts["looks"], parts["routes"], one.add,
             one.weight, one.observed.speed, len(one.crowd.stuck))
        )  # fmt: skip
    columns = (
        "follows", "min, us per character-step", "median, us per character-step", "ratio to cmm",
        "looks, us", "routes, us", "`add`, s", "each metre weighs", "mean speed, m/s", "stuck",
    )  # fmt: skip
    return Table(f"A step of {count:,} characters, one thread", columns, rows)


def _targets(each: dict[str, Spread]) -> list[Target]:
    plain = each[PLAIN]
    return [
        Target(
            f"a character-step of {name} over that of cmm",
            TIMES,
            "x",
            each[name].median / plain.median,
            each[name].minimum / plain.minimum,
        )
        for name in MANNERS
        if name != PLAIN
    ]
