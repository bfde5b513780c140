"""Routes over preferred terrain, and walks along them: a disc of radius 0.25 m.

Routes: the city with a hundred regions of four kinds (weights 0.6 to 10, elsewhere 1). "dual
graph" is `fw.route(..., improve=False)`: A* over the weighted dual graph of the triangulation
(miran-2013, section 4). Beside it SciPy's Dijkstra searches the same graph; so that both have the
same answer, queries lead from the middle of one triangle to the middle of another, and SciPy is
spared the search for these triangles. "improved" is `fw.route`, which goes on to the best weighted
route. What many reach for first is A* of `pathfinding` on a grid of 1 m with the same weights, in
pure Python; only the first queries are asked of it.

Walks: the rows of table 1 of the paper for a point that looks around after every metre. Machines
and maps are not the paper's, so a ratio to it says how far one is from it, not which program is
better. No library on PyPI walks by MIRAN; the peer is one agent of JuPedSim in the same village,
with the same step of 0.1 s, which knows no terrain and plans its path anew in every step. "min",
"med" and ratios are as in `queries`: ratios are those of each query's fastest round.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import footway as fw
from benchmarks.checks import TOLERANCE, WallTree, WrongAnswer
from benchmarks.peers.grid_search import GridSearch
from benchmarks.peers.navigator import NotInstalled, inset
from benchmarks.peers.walking_agent import WalkingAgent
from benchmarks.queries import quantile
from benchmarks.report import Outcome, Table, Target
from footway.reproduce.miran import setup as scenes
from footway.reproduce.miran.setup import faults
from footway.reproduce.timing import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.effort import Effort
    from benchmarks.questions import Query
    from footway import Environment, IndicativeRoute, Terrain
    from footway.reproduce.timing import Timing

    Floats = NDArray[np.float64]
    Laps = dict[str, list[Floats]]  # by job: for each round, (queries,) s

RADIUS = scenes.DISC
DUAL, IMPROVED, SCIPY = "dual graph", "improved", "SciPy's Dijkstra, the same dual graph"
GOAL_MS = 5.0
TENTH = 10.0  # times faster than the paper

CLOSE = 1e-9  # share of a weighted length: rounding of sums


class Dual(NamedTuple):
    """The weighted dual graph of a terrain, for SciPy."""

    graph: Any  # (t, t) sparse: weights of edges between the middles of triangles
    middles: Floats  # (t, 2) m


def run(effort: Effort) -> Outcome:
    """Check routes and walks, then time them and their peers."""
    env = scenes.city()
    terrain = fw.Terrain.build(env, RADIUS)
    dual = _dual(terrain)
    ends, queries = _queries(dual, effort.queries)
    routes, checked = _checked(env, terrain, dual, ends, queries)
    laps = _laps(terrain, dual, ends, queries, repeats=effort.repeats)
    rows, remarks = _grid_rows(env, terrain, routes, queries[: effort.grid_queries])
    walks, wrong = _walks(effort.repeats)
    if wrong:
        raise WrongAnswer("; ".join(wrong))
    agent, absent = _agent_row()
    tables = [
        _route_table(laps, routes, rows, effort.grid_queries),
        _gain_table(routes),
        _walk_table(walks, agent),
    ]
    return Outcome(tables, checked, _targets(laps, walks), [*remarks, *absent])


# -- the dual graph --------------------------------------------------------------------------


def _dual(terrain: Terrain) -> Dual:
    """Build the graph of section 4 by NumPy alone."""
    mesh, weights = terrain.mesh, terrain.weights(scenes.CITIZEN)
    corners = mesh.points[mesh.triangles]
    middles = corners.mean(axis=1)
    first, side = np.nonzero(mesh.neighbours >= 0)
    second = mesh.neighbours[first, side]
    gate = 0.5 * (corners[first, side] + corners[first, (side + 1) % 3])
    cost = weights[mesh.kind[first]] * np.hypot(*(gate - middles[first]).T)
    cost += weights[mesh.kind[second]] * np.hypot(*(gate - middles[second]).T)
    shape = (len(middles), len(middles))
    return Dual(coo_array((cost, (first, second)), shape).tocsr(), middles)


def _queries(dual: Dual, count: int) -> tuple[NDArray[np.int64], list[Query]]:
    """Return random pairs of connected triangles, and their centres."""
    random = np.random.default_rng(7)
    reach = np.isfinite(dijkstra(dual.graph, indices=0)).nonzero()[0]
    ends = random.choice(reach, (count, 2))
    pairs = [tuple(map(tuple, dual.middles[pair].tolist())) for pair in ends]
    return ends, pairs


def _ask_scipy(dual: Dual, first: int, last: int) -> tuple[float, list[int]]:
    cost, before = dijkstra(dual.graph, indices=first, return_predecessors=True)
    path = [last]
    while path[-1] != first:
        path.append(int(before[path[-1]]))
    return float(cost[last]), path


# -- answers ---------------------------------------------------------------------------------


def _checked(
    env: Environment, terrain: Terrain, dual: Dual, ends: NDArray[np.int64], queries: list[Query]
) -> tuple[dict[str, list[IndicativeRoute]], str]:
    """Return the checked routes; this also loads all kernels."""
    routes = {name: [_ask(terrain, name)(*query) for query in queries] for name in (DUAL, IMPROVED)}
    best = np.array([_ask_scipy(dual, *pair)[0] for pair in ends.tolist()])
    found = np.array([route.weighted_length for route in routes[DUAL]])
    off = np.abs(found / best - 1.0).max()
    if off > CLOSE:
        raise WrongAnswer(f"a route over the dual graph weighs {off:.1e} more or less than SciPy's")
    better = np.array([route.weighted_length for route in routes[IMPROVED]])
    if (better > found * (1.0 + CLOSE)).any():
        raise WrongAnswer("an improved route weighs more than before")
    worst = max(_require_measure(env, route) for route in routes[DUAL][:50])
    least = _require_clearance(env, [route for found in routes.values() for route in found])
    return routes, (
        f"{len(queries):,} routes over the dual graph weigh what SciPy's Dijkstra finds on it "
        f"(to {off:.0e}), and the first 50 of them what Shapely measures (to {worst:.0e} m); none "
        f"weighs more improved, and all keep {least:.6f} m or more from every wall. The walks "
        "arrive, touch no wall, and are drawn to no point more than sigma ahead."
    )


def _ask(terrain: Terrain, name: str) -> Callable[..., IndicativeRoute]:
    return partial(fw.route, terrain, preferences=scenes.CITIZEN, improve=name == IMPROVED)


def _require_measure(env: Environment, route: IndicativeRoute) -> float:
    """Return the difference to Shapely's weighted length, m.

    Raises:
        WrongAnswer: it is another one.
    """
    off = abs(_weigh(env, route.points) - route.weighted_length)
    if off > 1e-3:
        raise WrongAnswer(f"{route!r} weighs {route.weighted_length:.4f} m; Shapely is {off:g} off")
    return off


def _require_clearance(env: Environment, routes: list[IndicativeRoute]) -> float:
    """Return the least distance to a wall by Shapely, m.

    Raises:
        WrongAnswer: it is below the radius.
    """
    least = float(WallTree(env).path_clearance([route.points for route in routes]).min())
    if least < RADIUS - TOLERANCE:
        raise WrongAnswer(f"a route comes to {least:.6f} m from a wall")
    return least


# -- routes ----------------------------------------------------------------------------------


def _laps(
    terrain: Terrain, dual: Dual, ends: NDArray[np.int64], queries: list[Query], *, repeats: int
) -> Laps:
    """Time each query of each job in turn, round by round, s."""
    pairs = ends.tolist()
    jobs: dict[str, tuple[Callable[..., Any], list[Any]]] = {
        DUAL: (_ask(terrain, DUAL), queries),
        IMPROVED: (_ask(terrain, IMPROVED), queries),
        SCIPY: (partial(_ask_scipy, dual), pairs),
    }
    laps: Laps = {name: [] for name in jobs}
    for _ in range(repeats):
        for name, (job, asked) in jobs.items():
            laps[name].append(_lap(job, asked))
    return laps


def _lap(job: Callable[..., Any], asked: list[Any]) -> Floats:
    seconds = np.empty(len(asked))
    for k, pair in enumerate(asked):
        begin = time.perf_counter()
        job(*pair)
        seconds[k] = time.perf_counter() - begin
    return seconds


def _grid_rows(
    env: Environment,
    terrain: Terrain,
    routes: dict[str, list[IndicativeRoute]],
    queries: list[Query],
) -> tuple[dict[str, tuple[Floats, float]], list[str]]:
    """Return the durations of grid searches, s, and their weighted length over the improved one."""
    weights, least = terrain.weights(scenes.CITIZEN), min(scenes.CITIZEN.values())

    def weigh(centres: Floats) -> Floats:
        found = terrain.triangles_at(centres)
        return weights[terrain.mesh.kind[found]] / least

    try:
        grid = GridSearch(inset(env, RADIUS), weigh)
    except NotInstalled as absent:
        return {}, [str(absent)]
    seconds, more = _lap(grid.ask, queries), []
    for query, route in zip(queries, routes[IMPROVED], strict=False):
        points = grid.polyline(grid.ask(*query), *query)
        if points is not None:
            more.append(_weigh(env, points) / route.weighted_length)
    return {f"{grid.name}, weighted": (seconds, float(np.mean(more)))}, []


def _weigh(env: Environment, points: Floats) -> float:
    """Return the weighted length by Shapely, m; on a border the upper region counts."""
    weighed, rest = 0.0, shapely.linestrings(points)
    for region in reversed(env.terrain):  # the last lies on top
        weighed += scenes.CITIZEN[region.kind] * shapely.intersection(rest, region.polygon).length
        rest = shapely.difference(rest, region.polygon)
    return float(weighed + rest.length)


def _route_table(
    laps: Laps,
    routes: dict[str, list[IndicativeRoute]],
    rows: dict[str, tuple[Floats, float]],
    asked: int,
) -> Table:
    marks = {"median": 0.5, "p99": 0.99}
    columns = (
        "one route",
        *(f"{mark} {which}, us" for mark in marks for which in ("min", "med")),
        "median: ratio to the dual graph",
        "weighs, of the improved",
    )
    mean = {
        name: np.mean([route.weighted_length for route in found]) for name, found in routes.items()
    }
    relative = {
        DUAL: mean[DUAL] / mean[IMPROVED],
        IMPROVED: 1.0,
        SCIPY: mean[DUAL] / mean[IMPROVED],
    }
    ours = quantile(laps[DUAL], 0.5).minimum
    table: list[tuple[str | float, ...]] = []
    for name, lap in laps.items():
        times = [value for share in marks.values() for value in quantile(lap, share)]
        table.append((name, *times, times[0] / ours, float(relative[name])))
    for name, (seconds, more) in rows.items():
        times = [value for share in marks.values() for value in quantile([seconds], share)]
        same = quantile([lap[:asked] for lap in laps[DUAL]], 0.5).minimum
        table.append((f"{name} ({len(seconds)} queries)", *times, times[0] / same, more))
    return Table("Weighted routes in the city, 100 regions", columns, table)


def _gain_table(routes: dict[str, list[IndicativeRoute]]) -> Table:
    before, after = (
        np.array([route.weighted_length for route in routes[name]]) for name in (DUAL, IMPROVED)
    )
    share = after / before
    columns = ("improved / before", "median", "least", "most", "of all")
    row = (np.median(share), share.min(), share.max(), after.sum() / before.sum())
    return Table("What improvement gains", columns, [("weighted length", *map(float, row))])


# -- walks -----------------------------------------------------------------------------------


def _walks(repeats: int) -> tuple[dict[scenes.Row, Timing], list[str]]:
    """Return the times of the rows of table 1, and errors of its walks."""
    wrong = faults({row: scenes.walk(row) for row in scenes.ROWS})
    calls = {row: partial(scenes.walk, row) for row in scenes.ROWS}
    return in_turn(calls, rounds=10 * repeats), wrong


def _agent_row() -> tuple[list[tuple[str, float, float]], list[str]]:
    """Return CPU ms per second travelled of MIRAN and the peer, with the same step and body."""
    row = scenes.rows_of(scenes.ROAD)[0]
    walk = partial(scenes.walk, row, radius=RADIUS, step=scenes.FINE)
    ours = in_turn({row: walk}, rounds=20)[row].minimum
    mine = ("MIRAN, McKenna + Road, 0.1 s", 1e3 * ours / walk().duration, 1.0)
    try:
        area = scenes.environment_of(scenes.ROAD).walkable
        peer = WalkingAgent(area, radius=RADIUS, speed=scenes.SPEED, step=scenes.FINE)
    except NotInstalled as absent:
        return [mine], [str(absent)]
    route = scenes.route_of(scenes.ROAD, RADIUS)
    trip = min(peer.walk(route.start, route.goal), peer.walk(route.start, route.goal))
    load = 1e3 * trip.seconds / trip.travelled
    return [mine, (WalkingAgent.name, load, load / mine[1])], []


def _walk_table(walks: dict[scenes.Row, Timing], agents: list[tuple[str, float, float]]) -> Table:
    columns = ("one walk", "min, ms", "med, ms", "paper, ms", "paper / our median", "peer / ours")
    rows: list[tuple[str | float | None, ...]] = []
    for row, times in walks.items():
        name = row.name if row.sigma is None else f"{row.name}, sigma {row.sigma:g}"
        low, middle = 1e3 * times.minimum, 1e3 * times.median
        rows.append((name, low, middle, row.published, row.published / middle, None))
    for name, load, ratio in agents:
        rows.append((f"{name}, ms per second walked", load, None, None, None, ratio))
    return Table("Walks along a route, a metre per sample", columns, rows)


def _targets(laps: Laps, walks: dict[scenes.Row, Timing]) -> list[Target]:
    half = quantile(laps[IMPROVED], 0.5)
    gains = [
        (row.published / (1e3 * times.median), row.published / (1e3 * times.minimum))
        for row, times in walks.items()
    ]
    slowest = min(gains)
    return [
        Target("improved route, median", 1e3 * GOAL_MS, "us", half.median, half.minimum),
        Target(
            "faster than the paper, slowest row", TENTH, "x", slowest[0], slowest[1], at_least=True
        ),
    ]
