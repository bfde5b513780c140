"""Characters that walk through the city, radius 0.25 m: the Corridor Map Method.

The same queries as in the section `queries`. "corridor" is `cmap.corridor`: both ends joined to the
axis, A* over the map, balls along the shortest backbone. "corridor and walk" is that and
`follow.cmm`, from start to goal at 1.2 m/s with a sample every 0.1 s. The papers' figures are
averages over random queries in their own city of 500 x 500 m, on one core of a 2.4 GHz Core 2
(cmm-crowds-2008, sections 2.2 and 2.3) and on a 2.66 GHz Pentium 4 (cmm-2007): other machines and
other maps, so a ratio to them says how far one is from them, not which program is better. CPU time
per second travelled is the whole time over the duration of all walks. What shortcuts cost is
compared within this run, as the paper does it: the whole query with alpha(x, dt) over the whole
query without. Batches are one call of `follow.cmm_batch`. A peer that also walks is JuPedSim, a
crowd simulator, with one agent alone in the map and the same step: its paths are found anew at
every step, which a crowd may need and a single walk does not. "min", "med" and ratios are as in
`queries`: ratios are those of each query's fastest round.
"""

from __future__ import annotations

import math
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import footway as fw
from benchmarks.checks import TOLERANCE, WallTree, WrongAnswer
from benchmarks.peers.navigator import NotInstalled, inset
from benchmarks.peers.walking_agent import WalkingAgent
from benchmarks.queries import Quantile, quantile
from benchmarks.questions import queries_in
from benchmarks.report import Outcome, Table, Target
from benchmarks.timing import Spread, in_turn
from footway.environment import gallery

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from benchmarks.effort import Effort
    from benchmarks.peers.walking_agent import Trip
    from benchmarks.questions import Query
    from footway import Corridor, CorridorMap, Environment
    from footway.follow import Walk

    Floats = NDArray[np.float64]
    Laps = dict[str, list[Floats]]  # by job: for each round, (queries,) s

RADIUS = 0.25
SPEED = 1.2
STEP = 0.1
SHORTCUTS = (0.1, 1.0)
PAPER_COST = {0.1: 2.0, 1.0: 12.0}  # cmm-2007, "Short paths"
GOAL_COST = {0.1: 1.5, 1.0: 3.0}

CORRIDOR, WHOLE = "corridor", "corridor and walk"
PAPER_MS = {CORRIDOR: 1.19, WHOLE: 1.8}  # cmm-crowds-2008, sections 2.2 and 2.3
PAPER_LOAD = {
    "cmm-2007, Game and Field, Pentium 4": 0.26,
    "cmm-crowds-2008, City, Core 2: 1.8 ms for 260 s": 1.8 / 260,
}

JUDGED = 200  # walks that Shapely measures, a second for 70 of them
TRIPS = 10  # of the peer, which takes seconds for each
DETOUR = 1.1  # a walk may be this much longer than its backbone


def run(effort: Effort) -> Outcome:
    """Check the walks, then time corridors, walks, shortcuts, batches and the peer."""
    env = gallery.make("city")
    cmap = fw.CorridorMap.build(env)
    batch = queries_in(inset(env, RADIUS), effort.batch, seed=5)
    queries = batch[: effort.queries]
    walks, checked = _checked(env, cmap, queries)
    laps = _laps(cmap, queries, repeats=effort.repeats)
    trips, remarks = _trips(env, queries[: min(TRIPS, effort.grid_queries)])
    batches, memory = _batches(cmap, batch, walks, repeats=min(effort.repeats, 3))
    duration = np.array([walk.duration for walk in walks[0.0]])
    tables = [
        _time_table(laps),
        _load_table(laps, duration, trips),
        _shortcut_table(laps, walks, _shortest(cmap, queries)),
        _batch_table(batches, memory),
    ]
    return Outcome(tables, checked, _targets(laps, duration, batches), remarks)


def _whole(cmap: CorridorMap, shortcut: float, start: Any, goal: Any) -> Walk:
    """Find the corridor and walk through it."""
    corridor = cmap.corridor(start, goal, radius=RADIUS)
    return fw.follow.cmm(corridor, speed=SPEED, step=STEP, shortcut=shortcut)


# -- answers ---------------------------------------------------------------------------------


def _checked(
    env: Environment, cmap: CorridorMap, queries: list[Query]
) -> tuple[dict[float, list[Walk]], str]:
    """Return the checked walks by shortcut; this also loads all kernels."""
    corridors = [cmap.corridor(*query, radius=RADIUS) for query in queries]
    best = _shortest(cmap, queries)
    walls, walks, least = WallTree(env), {}, np.inf
    for shortcut in (0.0, *SHORTCUTS):
        walks[shortcut] = [_whole(cmap, shortcut, *query) for query in queries]
        for walk, corridor, optimum in zip(walks[shortcut], corridors, best, strict=True):
            _require(walk, corridor, optimum)
        least = min(least, _require_clearance(walks[shortcut][:JUDGED], walls))
    return walks, (
        f"{len(queries):,} walks with each of {len(walks)} shortcuts arrive, turn no faster than "
        f"they may, are no shorter than the shortest path and at most {DETOUR - 1:.0%} longer than "
        f"the backbone; the first {min(JUDGED, len(queries))} of each keep {least:.6f} m or more "
        "from every wall by Shapely's measure."
    )


def _require(walk: Walk, corridor: Corridor, optimum: float) -> None:
    """Check one walk.

    Raises:
        WrongAnswer: it does not lead from start to goal, its velocities do not match its points,
            it turns too fast, or its length is impossible.
    """
    query = f"from {walk.start} to {walk.goal}"
    if not np.allclose(walk.points[[0, -1]], (walk.start, walk.goal), rtol=0, atol=TOLERANCE):
        raise WrongAnswer(f"a walk {query} ends elsewhere")
    moved = np.diff(walk.points, axis=0) - walk.velocities[:-1] * np.diff(walk.times)[:, None]
    if np.abs(moved).max(initial=0) > TOLERANCE:
        raise WrongAnswer(f"a walk {query} has velocities other than its points say")
    if np.hypot(*walk.velocities.T).max() > SPEED + TOLERANCE:
        raise WrongAnswer(f"a walk {query} is too fast")
    turned = np.abs(np.angle(np.exp(1j * np.diff(walk.headings))))
    if turned.max(initial=0) > math.pi * STEP + TOLERANCE:
        raise WrongAnswer(f"a walk {query} turns by {turned.max():.3f} rad in a step")
    if not optimum - TOLERANCE <= walk.length <= DETOUR * corridor.length + RADIUS:
        raise WrongAnswer(
            f"a walk {query} is {walk.length:.2f} m long; its backbone {corridor.length:.2f} m, "
            f"the shortest path {optimum:.2f} m"
        )


def _require_clearance(walks: Sequence[Walk], walls: WallTree) -> float:
    """Return the least distance to a wall by Shapely, m.

    Raises:
        WrongAnswer: it is below the radius.
    """
    least = float(walls.path_clearance([walk.points for walk in walks]).min())
    if least < RADIUS - TOLERANCE:
        raise WrongAnswer(f"a walk comes to {least:.6f} m from a wall")
    return least


def _shortest(cmap: CorridorMap, queries: list[Query]) -> Floats:
    """Return the length of the shortest path of each query, (n,) m."""
    return np.array([cmap.path(*query, radius=RADIUS).length for query in queries])


# -- single queries --------------------------------------------------------------------------


def _laps(cmap: CorridorMap, queries: list[Query], *, repeats: int) -> Laps:
    """Time each query of each job in turn, round by round, s."""
    jobs: dict[str, Callable[..., Any]] = {
        CORRIDOR: partial(cmap.corridor, radius=RADIUS),
        WHOLE: partial(_whole, cmap, 0.0),
        **{_with(shortcut): partial(_whole, cmap, shortcut) for shortcut in SHORTCUTS},
    }
    laps: Laps = {name: [] for name in jobs}
    for _ in range(repeats):
        for name, job in jobs.items():
            laps[name].append(_lap(job, queries))
    return laps


def _lap(job: Callable[..., Any], queries: list[Query]) -> Floats:
    clock = time.perf_counter
    seconds = np.empty(len(queries))
    for i, (start, goal) in enumerate(queries):
        begin = clock()
        job(start, goal)
        seconds[i] = clock() - begin
    return seconds


def _with(shortcut: float) -> str:
    return f"{WHOLE}, dt = {shortcut:g}"


def _time_table(laps: Laps) -> Table:
    columns = (
        "one query", "median min, us", "median med, us", "p99 min, us", "p99 med, us",
        "mean min, us", "paper's mean, us", "paper / our median", "paper / our mean",
    )  # fmt: skip
    rows = []
    for name, paper in PAPER_MS.items():
        half, most = (quantile(laps[name], share) for share in (0.5, 0.99))
        mean = _total(laps[name]).minimum / len(laps[name][0])
        ratios = (1e3 * paper / half.minimum, 1e3 * paper / mean)
        rows.append((name, *half, *most, mean, 1e3 * paper, *ratios))
    return Table("Corridor and walk", columns, rows)


def _total(laps: list[Floats]) -> Quantile:
    """Return the time of all queries, us: the sum of fastest rounds, and the median round."""
    median = np.median([lap.sum() for lap in laps])
    return Quantile(1e6 * float(np.min(laps, axis=0).sum()), 1e6 * float(median))


# -- CPU time per second travelled -----------------------------------------------------------


def _trips(env: Environment, queries: list[Query]) -> tuple[list[Trip], list[str]]:
    """Return the faster of two runs of the peer, or why it is absent."""
    try:
        peer = WalkingAgent(env.walkable, radius=RADIUS, speed=SPEED, step=STEP)
    except NotInstalled as absent:
        return [], [str(absent)]
    return [min(peer.walk(*query), peer.walk(*query)) for query in queries], []


def _load_table(laps: Laps, duration: Floats, trips: list[Trip]) -> Table:
    columns = (
        "who", "queries", "min, ms per second travelled", "med", "ratio to Footway, same queries",
    )  # fmt: skip
    ours = _load(laps[WHOLE], duration)
    rows: list[tuple[str | float | None, ...]] = [
        ("Footway, corridor and walk", len(duration), *ours, 1.0)
    ]
    if trips:
        theirs = 1e3 * sum(t.seconds for t in trips) / sum(t.travelled for t in trips)
        same = _load([lap[: len(trips)] for lap in laps[WHOLE]], duration[: len(trips)])
        name = f"{WalkingAgent.name} ({sum(trip.arrived for trip in trips)} arrive)"
        rows.append((name, len(trips), theirs, None, theirs / same.minimum))
    rows += [(paper, None, None, load, load / ours.minimum) for paper, load in PAPER_LOAD.items()]
    return Table("CPU time of a character", columns, rows)


def _load(laps: list[Floats], duration: Floats) -> Quantile:
    """Return CPU ms per second travelled."""
    total = _total(laps)
    return Quantile(*(1e-3 * us / float(duration.sum()) for us in total))


# -- shortcuts -------------------------------------------------------------------------------


def _shortcut_table(laps: Laps, walks: dict[float, list[Walk]], best: Floats) -> Table:
    columns = (
        "shortcut", "mean min, us", "ratio to dt = 0", "walk alone", "paper's ratio",
        "longer than the shortest path, %",
    )  # fmt: skip
    rows: list[tuple[str | float | None, ...]] = []
    for shortcut, walked in walks.items():
        name = _with(shortcut) if shortcut else WHOLE
        longer = 100 * (np.array([walk.length for walk in walked]).sum() / best.sum() - 1)
        ratios = (_cost(laps, name).minimum, _cost(laps, name, without=CORRIDOR).minimum)
        paper = PAPER_COST.get(shortcut, 1.0)
        mean = _total(laps[name]).minimum / len(best)
        rows.append((f"dt = {shortcut:g}", mean, *ratios, paper, float(longer)))
    return Table("Shorter paths", columns, rows)


def _cost(laps: Laps, name: str, *, without: str | None = None) -> Quantile:
    """Return the time of all queries of a job relative to that without shortcuts."""
    job, plain = _total(laps[name]), _total(laps[WHOLE])
    part = _total(laps[without]) if without else Quantile(0.0, 0.0)
    return Quantile(*((a - c) / (b - c) for a, b, c in zip(job, plain, part, strict=True)))


# -- batches ---------------------------------------------------------------------------------


class Memory(NamedTuple):
    """Memory of the walks of a batch."""

    megabytes: float
    samples: int


def _batches(
    cmap: CorridorMap, queries: list[Query], walks: dict[float, list[Walk]], *, repeats: int
) -> tuple[dict[int, Spread], Memory]:
    """Return the time per query by number of threads, us, and the memory of one batch."""
    starts, goals = np.array(queries).swapaxes(0, 1)
    calls = {
        threads: partial(
            fw.follow.cmm_batch, cmap, starts, goals, radius=RADIUS, speed=SPEED, step=STEP,
            threads=threads,
        )
        for threads in (1, 2)
    }  # fmt: skip
    memory = [_check_batch(call(), walks[0.0]) for call in calls.values()]
    seconds = in_turn({str(threads): call for threads, call in calls.items()}, repeats=repeats)
    each = {threads: seconds[str(threads)].scaled(1e6 / len(queries)) for threads in calls}
    return each, memory[0]


def _check_batch(batch: list[Walk | None], alone: list[Walk]) -> Memory:
    """Require a walk for every query, with the same bits as single walks."""
    found = [walk for walk in batch if walk is not None]
    if len(found) < len(batch):
        raise WrongAnswer(f"`cmm_batch` leaves {len(batch) - len(found)} queries without a walk")
    for walk, single in zip(found, alone, strict=False):
        if not np.array_equal(walk.points, single.points):
            raise WrongAnswer(f"`cmm_batch` and `cmm` differ from {walk.start} to {walk.goal}")
    for walk in found:
        if not np.allclose(walk.points[-1], walk.goal, rtol=0, atol=TOLERANCE):
            raise WrongAnswer(f"a walk from {walk.start} to {walk.goal} ends elsewhere")
    held = sum(w.points.nbytes + w.velocities.nbytes + w.times.nbytes for w in found)
    return Memory(held / 2**20, sum(len(walk.points) for walk in found))


def _batch_table(batches: dict[int, Spread], memory: Memory) -> Table:
    columns = ("`cmm_batch`", "min, us", "median, us", "times as fast as one thread", "walks, MB")
    rows = [
        (f"threads={n}", s.minimum, s.median, batches[1].median / s.median, memory.megabytes)
        for n, s in batches.items()
    ]
    return Table(f"Batch, time per query ({memory.samples:,} samples)", columns, rows)


# -- targets ---------------------------------------------------------------------------------


def _targets(laps: Laps, duration: Floats, batches: dict[int, Spread]) -> list[Target]:
    load, slow = _load(laps[WHOLE], duration), PAPER_LOAD["cmm-2007, Game and Field, Pentium 4"]
    return [
        *(_tenth(name, laps[name]) for name in PAPER_MS),
        Target("CPU per second travelled", slow / 10, "ms", load.median, load.minimum),
        *(
            Target(
                f"cost of dt = {shortcut:g}", GOAL_COST[shortcut], "x", cost.median, cost.minimum
            )
            for shortcut in SHORTCUTS
            for cost in [_cost(laps, _with(shortcut))]
        ),
        Target(
            "`cmm_batch`, two threads faster than one",
            1.7,
            "x",
            batches[1].median / batches[2].median,
            batches[1].minimum / batches[2].minimum,
            at_least=True,
        ),
    ]


def _tenth(name: str, laps: list[Floats]) -> Target:
    """Ten times below the paper's figure."""
    half = quantile(laps, 0.5)
    return Target(f"{name}, median", 1e3 * PAPER_MS[name] / 10, "us", half.median, half.minimum)
