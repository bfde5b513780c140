"""Queries on a roadmap of lines and arcs with 1,000 vertices, as in voronoi-roadmaps-2004.

Section 2.5 has "less than 10 ms on a Pentium IV 2.4 GHz" for the shortest path in a roadmap of
1,000 vertices and 3,000 edges. Here 1,000 random places of the McKenna map, a metre off all walls,
are joined by those edges of their Delaunay triangulation that a disc of radius 0.25 m can move
along. A query is `cmap.path` from Python: joints of start and goal, search over lines and arcs,
exact length and clearance. Beside it SciPy's Dijkstra, which searches the same graph without
blends from the vertex nearest to the start to the one nearest to the goal, and the exact map, whose
paths are the shortest. A round asks all queries one by one; "min" and "med" are as in `queries`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import Delaunay, cKDTree

from benchmarks.checks import WallTree, judge
from benchmarks.peers.navigator import inset
from benchmarks.queries import quantile
from benchmarks.questions import points_in, queries_in
from benchmarks.report import Outcome, Table, Target
from footway import CorridorMap
from footway.environment import gallery
from footway.roadmap import Roadmap
from footway.roadmap.lattice.space import make_space
from footway.roadmap.roadmap import clearance_along

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.effort import Effort
    from benchmarks.questions import Query
    from footway import Environment

    Floats = NDArray[np.float64]

RADIUS = 0.25
VERTICES = 1_000
BLENDED, EXACT, DIJKSTRA = "lines and arcs", "exact map", "SciPy's Dijkstra, vertices only"


def run(effort: Effort) -> Outcome:
    """Check the paths, then time them."""
    env = gallery.make("mckenna")
    roadmap = _roadmap(env)
    blended, exact = CorridorMap.from_roadmap(roadmap), CorridorMap.build(env)
    queries = queries_in(inset(env, RADIUS), effort.queries, seed=7)
    paths = [blended.path(*query, radius=RADIUS) for query in queries]
    best = np.array([exact.path(*query, radius=RADIUS).length for query in queries])
    quality = judge(
        [path.points for path in paths], queries, best, walls=WallTree(env), radius=RADIUS
    )
    quality.require("paths over lines and arcs")
    asked: dict[str, Callable[[Query], Any]] = {
        BLENDED: lambda query: blended.path(*query, radius=RADIUS),
        EXACT: lambda query: exact.path(*query, radius=RADIUS),
        DIJKSTRA: _dijkstra(roadmap),
    }
    laps: dict[str, list[Floats]] = {name: [] for name in asked}
    for _ in range(effort.repeats):
        for name, ask in asked.items():
            laps[name].append(_lap(ask, queries))
    checked = (
        f"{len(queries):,} paths lead from start to goal, none is closer to a wall than the radius "
        f"(least {quality.least_clearance:.6f} m) nor shorter than the optimum; they are "
        f"{100 * quality.excess.mean():.1f} % longer on average."
    )
    middle, rare = (quantile(laps[BLENDED], share) for share in (0.5, 0.99))
    targets = [
        Target("a query, median", 200, "us", middle.median, middle.minimum),
        Target("a query, p99, below the paper's", 10_000, "us", rare.median, rare.minimum),
    ]
    return Outcome([_table(roadmap, laps)], checked, targets)


def _roadmap(env: Environment) -> Roadmap:
    nodes = points_in(inset(env, 1.0), VERTICES, seed=1)
    corners = Delaunay(nodes).simplices
    sides = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    pairs = np.unique(np.sort(sides, axis=1), axis=0)
    space = make_space(env, radius=RADIUS)
    away = clearance_along(nodes[pairs[:, 0]], nodes[pairs[:, 1]], space._replace(radius=0.0))
    return Roadmap.make(nodes, pairs[away >= RADIUS], space, method="voronoi_prm")


def _dijkstra(roadmap: Roadmap) -> Callable[[Query], Any]:
    """Find the nearest vertices of start and goal, and the path between them."""
    shape = (roadmap.n_nodes, roadmap.n_nodes)
    graph = coo_array((roadmap.lengths, tuple(roadmap.edges.T)), shape).tocsr()
    tree = cKDTree(roadmap.nodes)

    def ask(query: Query) -> Any:
        _, (first, last) = tree.query(query)
        _, before = dijkstra(graph, directed=False, indices=first, return_predecessors=True)
        path = [last]
        while path[-1] != first and before[path[-1]] >= 0:
            path.append(before[path[-1]])
        return path

    return ask


def _lap(ask: Callable[[Query], Any], queries: list[Query]) -> Floats:
    """Return the duration of each call, s."""
    seconds = np.empty(len(queries))
    for k, query in enumerate(queries):
        begin = time.perf_counter()
        ask(query)
        seconds[k] = time.perf_counter() - begin
    return seconds


def _table(roadmap: Roadmap, laps: dict[str, list[Floats]]) -> Table:
    marks = {"median": 0.5, "p90": 0.9, "p99": 0.99}
    columns = ("one query", *(f"{mark} {which}, us" for mark in marks for which in ("min", "med")))
    ours = quantile(laps[BLENDED], 0.5).minimum
    rows: list[tuple[str | float, ...]] = []
    for name, lap in laps.items():
        times = [value for share in marks.values() for value in quantile(lap, share)]
        rows.append((name, *times, quantile(lap, 0.5).minimum / ours))
    rows.append(("the paper, less than", *[10_000.0] * 6, 10_000.0 / ours))
    title = f"Time, {roadmap.n_nodes:,} vertices and {roadmap.n_edges:,} edges"
    return Table(title, (*columns, "median: ratio to ours"), rows)
