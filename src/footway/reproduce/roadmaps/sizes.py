"""Table II: construction times, sizes, the shortest path factor, and 100 random queries."""

from __future__ import annotations

import time
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway.reproduce.report import Section, Table, ratio
from footway.reproduce.roadmaps.setup import (
    SEED,
    SETTINGS,
    USEFULNESS,
    corridors_of,
    faults,
    find_path,
    path_faults,
    random_pairs,
    roadmaps_of,
)
from footway.reproduce.timing import undisturbed
from footway.roadmap.grid import grid_distances
from footway.roadmap.measures import shortest_path_factor
from footway.roadmap.rrm_star import rrm_star

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from footway.reproduce.report import Cell
    from footway.reproduce.roadmaps.setup import Built, Effort
    from footway.roadmap.measures import ShortestPathFactor

SOURCE: Final = "rrm-roadmaps-2006, section V.B.1 and table II"


class Published(NamedTuple):
    """A row of table II."""

    seconds: float  # of construction
    nodes: int
    edges: int
    factor: float  # shortest path factor, SPF
    queries: float  # s, 100 of them


PUBLISHED: Final = {
    "field": {
        "GRM": Published(0.88, 7_350, 27_741, 1.000, 1.36),
        "RRM": Published(0.75, 29, 18, 1.570, 0.43),
        "RRM*": Published(0.91, 43, 47, 1.137, 0.23),
    },
    "office": {
        "GRM": Published(0.89, 16_917, 62_297, 1.000, 3.42),
        "RRM": Published(1.10, 154, 147, 1.812, 0.38),
        "RRM*": Published(2.70, 167, 180, 1.181, 0.36),
    },
    "house": {
        "GRM": Published(12.91, 40_088, 454_250, 1.000, 13.48),
        "RRM": Published(11.67, 34, 33, 1.225, 0.82),
        "RRM*": Published(18.68, 34, 34, 1.224, 0.82),
    },
    "quake": {
        "GRM": Published(210.16, 134_492, 1_511_241, 1.000, 63.54),
        "RRM": Published(306.44, 71, 65, 2.068, 2.71),
        "RRM*": Published(384.90, 132, 216, 1.194, 4.15),
    },
}

LIMIT: Final = 20.0
"""s. Target for any environment and method, including retraction."""

COLUMNS: Final = (
    *("", "time, paper, s", "ours, s", "nodes, paper", "ours", "edges, paper", "ours"),
    *("SPF, paper", "ours", "100 queries, paper, ms", "ours, ms", "paper / ours"),
    "one query, median, ms",
)


class QueryTimes(NamedTuple):
    """Times of the queries."""

    hundred: float  # ms, for 100 of them
    one: float  # ms, median


def run(effort: Effort, folder: Path) -> Section:
    """Measure all environments."""
    del folder  # no pictures
    tables: list[Table] = []
    wrong: list[str] = []
    count = 0
    for name in effort.environments:
        built = roadmaps_of(SETTINGS[name])
        pairs = random_pairs(built.roadmaps["GRM"], effort.queries)
        times: dict[str, QueryTimes] = {"GRM": _time_grid(built, pairs[: effort.grid_queries])}
        straight = float(np.mean(built.roadmaps["GRM"].space.lines_are_free(*_ends(pairs))))
        for method in ("RRM", "RRM*", "RRRM"):
            corridors = corridors_of(built.roadmaps[method])
            wrong += path_faults(corridors, built.setting, pairs, f"{built.name}, {method}")
            count += len(pairs)
            times[method] = _time_queries(corridors, built, pairs, effort.rounds)
        tables.append(_table(built, times, straight))
        wrong += faults(built)
    checked = (
        "every free corner of the lattice sees a node, nodes are joined if there is a path "
        f"(definitions 1 and 2), no edge collides, {count:,} random queries have an answer that "
        "keeps the object out of the walls."
    )
    return Section(
        "Table II: sizes, path lengths and query times", SOURCE, tables,
        checked=checked, wrong=wrong,
    )  # fmt: skip


def _ends(pairs: Sequence[Any]) -> tuple[Any, Any]:
    """Return starts and goals, (n, d) each."""
    starts, goals = np.array(pairs).transpose(1, 0, 2)
    return starts, goals


def _time_grid(built: Built, pairs: Sequence[Any]) -> QueryTimes:
    """Time the search on the lattice, without locating the ends, as in the paper."""
    space = built.roadmaps["GRM"].space
    ends = [(space.corners_of(a[None]), space.corners_of(b[None])) for a, b in pairs]
    return _timed([partial(grid_distances, space, *end) for end in ends], 1)


def _time_queries(corridors: Any, built: Built, pairs: Sequence[Any], rounds: int) -> QueryTimes:
    return _timed([partial(find_path, corridors, built.setting, pair) for pair in pairs], rounds)


def _timed(calls: Sequence[Callable[[], object]], rounds: int) -> QueryTimes:
    """Return the median time of each call over the rounds, after a warm-up round."""
    taken: list[list[float]] = [[] for _ in calls]
    calls[0]()
    with undisturbed():
        for _ in range(rounds):
            for call, times in zip(calls, taken, strict=True):
                begin = time.perf_counter()
                call()
                times.append(1000.0 * (time.perf_counter() - begin))
    each = [median(times) for times in taken]
    return QueryTimes(100.0 * sum(each) / len(each), median(each))


def _table(built: Built, times: dict[str, QueryTimes], straight: float) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for method, roadmap in built.roadmaps.items():
        paper = PUBLISHED[built.setting.name].get(method)
        ours = times[method]
        factor = shortest_path_factor(roadmap)
        seconds, nodes, edges, spf, queries = paper or (None,) * 5
        published_ms = None if queries is None else 1000.0 * queries
        rows.append(
            (
                *(method, seconds, built.seconds[method], nodes, roadmap.n_nodes),
                *(edges, roadmap.n_edges, _three(spf), _three(factor.factor)),
                *(published_ms, ours.hundred),
                None if published_ms is None else ratio(published_ms, ours.hundred),
                ours.one,
            )
        )
    return Table(built.name, COLUMNS, rows, _note(built, straight))


def _three(factor: float | None) -> str | None:
    """Format the factor with three decimals, as in the paper."""
    return None if factor is None else f"{factor:.3f}"


def _note(built: Built, straight: float) -> str:
    paper = PUBLISHED[built.setting.name]
    found = {method: shortest_path_factor(built.roadmaps[method]) for method in ("RRM", "RRM*")}
    verdicts = " ".join(
        f"SPF of {method}: {_than(each.factor, paper[method].factor)} published."
        for method, each in found.items()
    )
    star = found["RRM*"]
    slowest = max(built.seconds.values())
    kept = "within" if slowest <= LIMIT else "above"
    return (
        f"{verdicts} {_as_printed(built)} "
        f"{_apart(built.roadmaps['RRM*'].n_components, star)} Slowest method: "
        f"{slowest:.1f} s, {kept} our target of {LIMIT:g} s; times include those of the "
        f"methods that it builds on. Queries: {straight:.0%} are answered by a straight line, "
        "which we try first and the paper does not."
    )


def _as_printed(built: Built) -> str:
    """Describe the result of algorithm 1 as printed in the paper."""
    printed = rrm_star(
        built.roadmaps["RRM"], usefulness=USEFULNESS, useful_nodes="published", seed=SEED
    )
    factor = shortest_path_factor(printed).factor
    return (
        f"With useful nodes by algorithm 1 as it is printed, RRM* has {printed.n_nodes} nodes, "
        f"{printed.n_edges} edges and an SPF of {factor:.3f}."
    )


def _than(ours: float, published: float) -> str:
    return "no worse than" if ours <= published + 0.0005 else "worse than"


def _apart(components: int, factor: ShortestPathFactor) -> str:
    """Describe which pairs of nodes the factor does not cover."""
    if components == 1:
        return "All nodes are joined."
    share = factor.apart / (factor.pairs + factor.apart)
    return (
        f"Cells close passages that are hardly wider than the object: there are {components} "
        f"components, and the factor leaves out {share:.0%} of the pairs of nodes, which are in "
        "different ones."
    )
