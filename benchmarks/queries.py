"""Random path queries in the city for a disc of radius 0.25 m, as called from Python.

Everybody gets the same queries, with starts and goals anywhere in the area inset by the radius.
Footway plans on its one map for every radius and certifies each path; its peers plan for a point
in that inset area, which was made for them by hand. Footway's map has its landmarks, as after some
hundreds of searches; the row "without landmarks" is a map that never has them, and "prepared" one
with a table for the radius (`cmap.prepare(radius=0.25)`); "1 m preferred" keeps a clearance of 1 m
where the corridor is wide enough, so its paths are longer. `cmap.path` returns a path whose
polyline is made when it is first asked for, so a row with `.points` stands beside it. A round asks
all queries one by one, each call timed by itself. "min" is the quantile of each query's fastest
round, "med" the median over the rounds of each round's quantile: on a busy machine the system takes
the core away for some milliseconds from one call in a hundred, which is no property of a library.
Ratios are those of "min", for the same queries. Batches are one call of `cmap.paths`, divided by
the number of queries, and compared with the mean of a peer that has no batch. Length and clearance
are measured on the polylines that each library returns: length against the optimum (a visibility
graph of tangents and arcs, by brute force), clearance against all walls with Shapely.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from tests.oracle.shortest import ShortestOracle

from benchmarks.checks import Quality, WallTree, WrongAnswer, judge, polyline_length
from benchmarks.peers.corridor_map import (
    Footway,
    FootwayPoints,
    Preferred,
    Prepared,
    WithoutLandmarks,
)
from benchmarks.peers.grid_search import GridSearch
from benchmarks.peers.navigator import Navigator, NotInstalled, inset
from benchmarks.peers.routing_engine import RoutingEngine
from benchmarks.questions import queries_in
from benchmarks.report import Outcome, Table, Target
from benchmarks.timing import Spread, in_turn, spread, stopwatch
from footway import CorridorMap
from footway.environment import gallery

if TYPE_CHECKING:
    import shapely
    from numpy.typing import NDArray

    from benchmarks.effort import Effort
    from benchmarks.questions import Query
    from footway import Environment, Path

    Floats = NDArray[np.float64]
    Laps = dict[str, list[Floats]]  # by navigator: for each round, (queries,) s

RADIUS = 0.25
PEERS = (RoutingEngine, GridSearch)


def run(effort: Effort) -> Outcome:
    """Check the answers of all libraries, then time them in turn, then batches."""
    env = gallery.make("city")
    cmap, bare, ready = (CorridorMap.build(env) for _ in range(3))
    bare.solver.uses_landmarks = False
    landmarks, _ = stopwatch(cmap.prepare)
    ready.prepare()
    table, _ = stopwatch(partial(ready.prepare, radius=RADIUS))
    area = inset(env, RADIUS)
    batch = queries_in(area, effort.batch, seed=5)
    queries = batch[: effort.queries]
    peers, remarks = _peers(area)
    compared = queries_in(area, effort.compared, seed=9)
    same = min(_require_same(cmap, bare, compared), _require_same(ready, bare, compared))
    navigators = [
        Footway(cmap, RADIUS), Prepared(ready, RADIUS), FootwayPoints(cmap, RADIUS),
        WithoutLandmarks(bare, RADIUS), Preferred(cmap, RADIUS), *peers,
    ]  # fmt: skip
    shares = {n.name: queries[: _share(n, effort)] for n in navigators}
    qualities = _judged(env, navigators, shares)
    laps = _laps(navigators, shares, repeats=effort.repeats)
    batches = _batches({"": cmap, "prepared, ": ready}, env, batch, repeats=effort.repeats)
    checked = (
        f"of {len(queries):,} single queries and {len(batch):,} in the batch Footway answered all "
        "that have an answer, from start to goal, none closer to a wall than the radius (to "
        f"1e-6 m), none shorter than the optimum; least clearance "
        f"{qualities[Footway.name].least_clearance:.6f} m. {same:,} paths were the same to the "
        "last bit with and without landmarks, and with and without a table."
    )
    remarks.append(
        f"Landmarks took {1e3 * landmarks:.0f} ms; the table for the radius took {table:.1f} s and "
        f"takes {ready.prepared[RADIUS] / 1e6:.1f} MB."
    )
    tables = [_time_table(laps), _quality_table(qualities, shares), _batch_table(batches, laps)]
    return Outcome(tables, checked, _targets(laps, batches, qualities[Footway.name]), remarks)


def _peers(area: shapely.Polygon) -> tuple[list[Navigator], list[str]]:
    """Return the installed peers, and messages about those that are absent."""
    peers: list[Navigator] = []
    absent = []
    for peer in PEERS:
        try:
            peers.append(peer(area))
        except NotInstalled as error:
            absent.append(str(error))
    return peers, absent


def _share(navigator: Navigator, effort: Effort) -> int:
    return effort.grid_queries if isinstance(navigator, GridSearch) else effort.queries


# -- answers ---------------------------------------------------------------------------------


def _judged(
    env: Environment, navigators: list[Navigator], shares: dict[str, list[Query]]
) -> dict[str, Quality]:
    """Return the quality of all answers; Footway's must be right. Also a warm-up."""
    walls = WallTree(env)
    oracle = ShortestOracle(env.walkable, RADIUS, lines=env.lines, points=env.points)
    optimum = np.array([oracle.length(*query) for query in shares[Footway.name]])
    qualities = {}
    for navigator in navigators:
        share = shares[navigator.name]
        lines = [navigator.polyline(navigator.ask(*query), *query) for query in share]
        best = optimum[: len(share)]
        qualities[navigator.name] = judge(lines, share, best, walls=walls, radius=RADIUS)
    qualities[Footway.name].require(Footway.name)
    return qualities


def _require_same(cmap: CorridorMap, bare: CorridorMap, queries: list[Query]) -> int:
    """Compare all paths of two maps bit by bit; return how many there are."""
    starts, goals = np.array(queries).swapaxes(0, 1)
    pairs = zip(
        cmap.paths(starts, goals, radius=RADIUS), bare.paths(starts, goals, radius=RADIUS),
        strict=True,
    )  # fmt: skip
    found = 0
    for one, two in pairs:
        if one is None and two is None:
            continue
        if one is None or two is None or one.pieces.tobytes() != two.pieces.tobytes():
            raise WrongAnswer("landmarks or a table changed a path")
        found += 1
    return found


def _quality_table(qualities: dict[str, Quality], shares: dict[str, list[Query]]) -> Table:
    columns = (
        "paths of", "queries", "not found", "closer than the radius", "least clearance, m",
        "longer than optimal: mean, %", "p99, %", "max, %",
    )  # fmt: skip
    rows = []
    for name, quality in qualities.items():
        if name in (Prepared.name, FootwayPoints.name, WithoutLandmarks.name):
            continue
        excess = 100 * quality.excess
        worst = (float(excess.mean()), float(np.quantile(excess, 0.99)), float(excess.max()))
        faults = (quality.missed, quality.too_close, quality.least_clearance)
        rows.append((name, len(shares[name]), *faults, *worst))
    return Table("Answers", columns, rows)


# -- single queries --------------------------------------------------------------------------


def _laps(navigators: list[Navigator], shares: dict[str, list[Query]], *, repeats: int) -> Laps:
    """Time all libraries in turn, round by round."""
    laps: Laps = {navigator.name: [] for navigator in navigators}
    for _ in range(repeats):
        for navigator in navigators:
            laps[navigator.name].append(_lap(navigator, shares[navigator.name]))
    return laps


def _lap(navigator: Navigator, queries: list[Query]) -> Floats:
    """Return the duration of each call, s."""
    clock, ask = time.perf_counter, navigator.ask
    seconds = np.empty(len(queries))
    for i, (start, goal) in enumerate(queries):
        begin = clock()
        ask(start, goal)
        seconds[i] = clock() - begin
    return seconds


class Quantile(NamedTuple):
    """A quantile over the queries, us."""

    minimum: float  # of each query's fastest round: as on an idle machine
    median: float  # over the rounds, of the quantile of a round


def quantile(laps: list[Floats], share: float) -> Quantile:
    """Return a quantile over the queries, from all rounds."""
    fastest = np.quantile(np.min(laps, axis=0), share)
    return Quantile(1e6 * fastest, 1e6 * np.median([np.quantile(lap, share) for lap in laps]))


def mean(laps: list[Floats]) -> Spread:
    """Return the mean of each round, us."""
    return spread(1e6 * lap.mean() for lap in laps)


def _time_table(laps: Laps) -> Table:
    marks = {"median": 0.5, "p90": 0.9, "p99": 0.99}
    columns = ("one query", *(f"{mark} {which}, us" for mark in marks for which in ("min", "med")))
    rows: list[tuple[str | float, ...]] = []
    for name, lap in laps.items():
        times = [value for share in marks.values() for value in quantile(lap, share)]
        ratios = [_ratio(laps, name, share) for share in (0.5, 0.99)]
        rows.append((name, *times, *ratios))
    return Table("Time", (*columns, "median: ratio to Footway", "p99: ratio"), rows)


def _ratio(laps: Laps, name: str, share: float) -> float:
    """Return the quantile of a library relative to Footway's for the same queries."""
    theirs = laps[name]
    ours = [lap[: len(theirs[0])] for lap in laps[Footway.name]]
    return quantile(theirs, share).minimum / quantile(ours, share).minimum


# -- batches ---------------------------------------------------------------------------------


def _batches(
    maps: dict[str, CorridorMap], env: Environment, queries: list[Query], *, repeats: int
) -> dict[str, Spread]:
    """Return the time per query by map and number of threads, us."""
    starts, goals = np.array(queries).swapaxes(0, 1)
    calls = {
        f"{name}threads={threads}": partial(
            cmap.paths, starts, goals, radius=RADIUS, threads=threads
        )
        for name, cmap in maps.items()
        for threads in (1, 2)
    }
    _check_batches(maps[""], env, queries, [call() for call in calls.values()])
    seconds = in_turn(calls, repeats=repeats)
    return {name: seconds[name].scaled(1e6 / len(queries)) for name in calls}


def _check_batches(
    cmap: CorridorMap, env: Environment, queries: list[Query], batches: list[list[Path | None]]
) -> None:
    """Clearance of all against the walls; lengths against `path`, which the optimum has judged."""
    walls, alone = WallTree(env), Footway(cmap, RADIUS)
    single = [alone.polyline(alone.ask(*query), *query) for query in queries]
    length = np.array([np.inf if p is None else polyline_length(p) for p in single])
    for batch in batches:
        lines = [None if path is None else path.points for path in batch]
        quality = judge(lines, queries, length, walls=walls, radius=RADIUS)
        quality.require("paths")
        if (np.abs(quality.excess) > 1e-9).any():
            raise WrongAnswer("`paths` and `path` differ in length")


def _batch_table(batches: dict[str, Spread], laps: Laps) -> Table:
    peer = laps.get(RoutingEngine.name)
    columns = ("`cmap.paths`", "min, us", "median, us", "times faster than JuPedSim's mean")
    rows = [
        (name, s.minimum, s.median, mean(peer).median / s.median if peer else None)
        for name, s in batches.items()
    ]
    return Table("Batch, time per query", columns, rows)


# -- targets ---------------------------------------------------------------------------------


def _targets(laps: Laps, batches: dict[str, Spread], quality: Quality) -> list[Target]:
    median, p99 = (quantile(laps[Footway.name], share) for share in (0.5, 0.99))
    ready_median, ready_p99 = (quantile(laps[Prepared.name], share) for share in (0.5, 0.99))
    excess = 100 * quality.excess
    longer = float(excess.mean())
    preferred = quantile(laps[Preferred.name], 0.5)
    ratios = preferred.median / median.median, preferred.minimum / median.minimum
    return [
        _at_most("`cmap.path`, median", 50, median),
        _at_most("`cmap.path`, p99", 350, p99),
        _at_most("prepared, median", 15, ready_median),
        _at_most("prepared, p99", 60, ready_p99),
        _at_most("`cmap.paths` of 10,000, two cores, each", 25, batches["threads=2"]),
        _at_most("the same, prepared", 25, batches["prepared, threads=2"]),
        Target("a preferred clearance, median, over `cmap.path`", 3, "x", *ratios),
        Target("longer than optimal, mean", 0.3, "%", longer),
        Target("longer than optimal, p99", 2, "%", float(np.quantile(excess, 0.99))),
        _at_most("stretch: median, below Detour's", 57, median),
        _at_most("stretch: p99, below Detour's", 360, p99),
        Target("stretch: longer than optimal, mean", 0.1, "%", longer),
    ]


def _at_most(what: str, limit: float, us: Spread | Quantile) -> Target:
    return Target(what, limit, "us", us.median, us.minimum)
