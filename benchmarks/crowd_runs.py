"""Measure one crowd: check it, time it in rounds with its peers, and profile it."""

from __future__ import annotations

import cProfile
import pstats
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import footway as fw
from benchmarks.crowd_checks import require_free, require_same, watched
from benchmarks.crowd_peers import FootwayCrowd, Start, peers_of
from benchmarks.crowd_scene import scene_for
from benchmarks.timing import Spread, spread, stopwatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.crowd_checks import Observed
    from benchmarks.crowd_peers import Runner
    from benchmarks.crowd_scene import Scene
    from benchmarks.effort import Effort

    Floats = NDArray[np.float64]
    Laps = dict[str, list[Floats]]  # by who: for each round, seconds of each step

RADIUS = 0.25
SPEED = 1.2
STEP = 0.1
WITHIN = 500.0
SEED = 1
THREADS = (1, 2)

WATCHED = 64  # steps before the measurement in which all characters are checked
LOOKS = 1_000_000  # character-steps or so; large crowds are looked at after every few steps
LARGE = 100_000  # characters: the rounds of larger crowds are long and steady
LARGE_ROUNDS = 3
PROFILED = 32  # steps
FEW = 10  # characters: the memory of this crowd is that of the map

PARTS = {
    "order by cells": ("simulation.py", "sort_by_cells"),
    "memory in that order": ("state.py", "reorder"),
    "move": ("simulation.py", "move"),
    "handle requests": ("simulation.py", "handle_requests"),
    "plan": ("planning.py", "plan_within_budget"),
}
REST = "Python between"
_STEP = ("crowd.py", "step")


@dataclass(frozen=True)
class Memory:
    """Bytes for each character."""

    arrays: float  # that grow with the crowd
    resident: float | None  # growth of the process; None where the system does not tell


@dataclass(frozen=True)
class Measured:
    """Measurements of one size of crowd."""

    count: int
    side: float  # m, of the map
    build: float  # s, of the map
    add: dict[int, float]  # s, by threads
    memory: Memory
    observed: Observed
    nearest: float  # m, to a wall at the end by Shapely's measure
    stuck: list[str]  # the causes
    laps: Laps
    speeds: dict[str, float]  # m/s, by peer: along the straight line, over all rounds
    parts: dict[int, dict[str, float]]  # s of a step, by threads
    absent: list[str]  # peers

    def mean_step(self, who: str) -> Spread:
        """Mean step of each round, ms."""
        return spread(1e3 * lap.mean() for lap in self.laps[who])

    def median_step(self, who: str) -> Spread:
        """Median step of each round, ms."""
        return spread(1e3 * np.median(lap) for lap in self.laps[who])

    def longest(self, who: str) -> Spread:
        """Longest step of each round, in median steps of that round."""
        return spread(lap.max() / np.median(lap) for lap in self.laps[who])


def named(threads: int) -> str:
    """Return the name of Footway with this number of threads."""
    return f"Footway, {threads} thread{'s' * (threads > 1)}"


def measure(count: int, effort: Effort) -> Measured:
    """Fill the map, check the crowd, time it, and profile a step.

    Raises:
        WrongAnswer: a character is in a wall or does not move, or results depend on threads.
    """
    scene = scene_for(count)
    crowds, add, memory, start = _filled(scene)
    first = crowds[1]
    observed = watched(first, radius=RADIUS, steps=WATCHED, every=_stride(count))
    for crowd in list(crowds.values())[1:]:
        crowd.step(WATCHED)
    runners: list[Runner] = [
        FootwayCrowd(named(threads), crowd, effort.crowd_steps) for threads, crowd in crowds.items()
    ]
    peers, absent = peers_of(scene, start) if count <= effort.crowd_peers else ([], [])
    rounds = min(effort.repeats, LARGE_ROUNDS) if count > LARGE else effort.repeats
    for peer in peers:
        peer.lap()  # peers begin at rest, Footway's crowds have walked already
    laps, speeds = _rounds([*runners, *peers], rounds)
    require_same(list(crowds.values()))
    return Measured(
        count=count, side=scene.side, build=scene.seconds, add=add, memory=memory,
        observed=observed, nearest=require_free(scene, first.positions, RADIUS),
        stuck=[one.cause for one in first.stuck], laps=laps, speeds=speeds,
        parts={threads: parts_of(crowd) for threads, crowd in crowds.items()}, absent=absent,
    )  # fmt: skip


def filled(cmap: fw.CorridorMap, count: int, threads: int) -> tuple[float, fw.Crowd]:
    """Return the duration of `add`, s, and the crowd."""
    crowd = fw.Crowd(cmap, seed=SEED, step=STEP, threads=threads)
    call = partial(crowd.add, count, radius=RADIUS, speed=SPEED, within=WITHIN)
    return stopwatch(call)[0], crowd


def _filled(scene: Scene) -> tuple[dict[int, fw.Crowd], dict[int, float], Memory, Start]:
    """The same crowd for each number of threads after one step, and what the peers start with."""
    _, few = filled(scene.cmap, FEW, 1)  # caches of the map are filled now
    before = _resident()
    both = {threads: filled(scene.cmap, scene.count, threads) for threads in THREADS}
    crowds = {threads: crowd for threads, (_, crowd) in both.items()}
    first = crowds[1]
    start = Start(first.positions, first.velocities, first.goals, RADIUS, SPEED, STEP)
    for crowd in crowds.values():  # memory is resident only after its first use
        crowd.step()
    after = _resident()
    total = len(crowds) * scene.count
    grown = None if before is None or after is None else (after - before) / total
    more = _array_bytes(first) - _array_bytes(few)
    memory = Memory(more / (scene.count - FEW), grown)
    return crowds, {threads: seconds for threads, (seconds, _) in both.items()}, memory, start


def _stride(count: int) -> int:
    """Return the number of steps between two checks."""
    return min(16, max(1, count * WATCHED // (4 * LOOKS)))


def _rounds(runners: list[Runner], rounds: int) -> tuple[Laps, dict[str, float]]:
    """Time all runners in turn, round by round; return also their mean progress, m/s."""
    laps: Laps = {}
    before = [runner.positions for runner in runners]
    for _ in range(rounds):
        for runner in runners:
            for who, seconds in runner.lap().items():
                laps.setdefault(who, []).append(seconds)
    speeds = {
        runner.name: float(np.hypot(*(runner.positions - begin).T).mean())
        / (STEP * rounds * runner.steps)
        for runner, begin in zip(runners, before, strict=True)
    }
    return laps, speeds


# -- parts and memory ------------------------------------------------------------------------


def parts_of(crowd: fw.Crowd) -> dict[str, float]:
    """Return the duration of each part of a step by the profiler, s."""
    profile = cProfile.Profile()
    profile.runcall(crowd.step, PROFILED)
    stats: dict[tuple[str, int, str], tuple[Any, ...]] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    seconds = {
        (Path(file).name, function): cumulative
        for (file, _, function), (_, _, _, cumulative, _) in stats.items()
        if Path(file).parent.name == "crowd"
    }
    gone = set(PARTS.values()) - set(seconds)
    assert not gone, f"the engine has been rewritten: there is no {gone}, see PARTS"
    parts = {part: seconds[function] / PROFILED for part, function in PARTS.items()}
    parts["move"] -= parts["order by cells"] + parts["memory in that order"]  # which it calls
    return parts | {REST: seconds[_STEP] / PROFILED - sum(parts.values())}


def _array_bytes(crowd: fw.Crowd) -> int:
    """Return the size of all arrays of a crowd and its map, bytes."""
    total, seen, rest = 0, set(), [crowd]
    while rest:
        value: Any = rest.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            total += value.nbytes
        elif isinstance(value, dict):
            rest += value.values()
        elif isinstance(value, tuple | list):
            rest += value
        elif type(value).__module__.startswith("footway."):
            rest += vars(value).values()
    return total


def _resident() -> int | None:
    """Return the resident memory of this process, bytes; None if unknown."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return 1024 * int(line.split()[1])
