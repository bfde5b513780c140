"""Tables I, II and III: environments, sizes and path lengths, clearance."""

from __future__ import annotations

import time
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway.environment import Environment
from footway.reproduce.claims import Claim, apart, explained, less, less_time, more, stated
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
from footway.roadmap.lattice.grid import grid_distances
from footway.roadmap.lattice.rrm import rrm
from footway.roadmap.lattice.rrm_star import rrm_star
from footway.roadmap.lattice.rrrm import retract
from footway.roadmap.measures import clearance_statistics, shortest_path_factor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from footway.reproduce.report import Cell
    from footway.reproduce.roadmaps.setup import Built, Effort
    from footway.roadmap import Roadmap
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


def run_sizes(effort: Effort, folder: Path) -> Section:
    """Measure all environments."""
    del folder  # no pictures
    tables: list[Table] = []
    wrong: list[str] = []
    claims: list[Claim] = []
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
        printed = as_printed(built)
        tables.append(_table(built, times, straight, printed))
        claims += _claims(built, times, printed)
        wrong += faults(built)
    checked = (
        "every free corner of the lattice sees a node, nodes are joined if there is a path "
        f"(definitions 1 and 2), no edge collides, {count:,} random queries have an answer that "
        "keeps the object out of the walls."
    )
    return Section(
        "Table II: sizes, path lengths and query times", SOURCE, tables,
        checked=checked, wrong=wrong, claims=claims,
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
                begin = time.process_time()
                call()
                times.append(1000.0 * (time.process_time() - begin))
    each = [median(times) for times in taken]
    return QueryTimes(100.0 * sum(each) / len(each), median(each))


def _table(built: Built, times: dict[str, QueryTimes], straight: float, printed: Roadmap) -> Table:
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
    return Table(built.name, COLUMNS, rows, _note(built, straight, printed))


def _three(factor: float | None) -> str | None:
    """Format the factor with three decimals, as in the paper."""
    return None if factor is None else f"{factor:.3f}"


def _note(built: Built, straight: float, printed: Roadmap) -> str:
    star = shortest_path_factor(built.roadmaps["RRM*"])
    slowest = max(built.seconds.values())
    kept = "within" if slowest <= LIMIT else "above"
    factor = shortest_path_factor(printed).factor
    return (
        f"With useful nodes by algorithm 1 as it is printed, RRM* has {printed.n_nodes} nodes, "
        f"{printed.n_edges} edges and an SPF of {factor:.3f}. "
        f"{_apart(built.roadmaps['RRM*'].n_components, star)} Slowest method: "
        f"{slowest:.1f} s, {kept} our target of {LIMIT:g} s; times include those of the "
        f"methods that it builds on. Queries: {straight:.0%} are answered by a straight line, "
        "which we try first and the paper does not."
    )


def as_printed(built: Built) -> Roadmap:
    """Return the RRM* with the useful nodes of algorithm 1."""
    return rrm_star(
        built.roadmaps["RRM"], usefulness=USEFULNESS, useful_nodes="published", seed=SEED
    )


JOINED: Final = 0.95
"""Share of the pairs of nodes that a roadmap must join for its SPF to be compared."""


def _claims(built: Built, times: dict[str, QueryTimes], printed: Roadmap) -> list[Claim]:
    where, name = "rrm-roadmaps-2006, table II", built.name
    paper, star = PUBLISHED[built.setting.name]["RRM*"], built.roadmaps["RRM*"]
    factor = shortest_path_factor(star)
    joined = factor.pairs / (factor.pairs + factor.apart)
    spf = f"{name}: SPF of RRM*"
    other = shortest_path_factor(printed).factor
    if joined < JOINED:
        why = f"{star.n_components} components join {joined:.0%} of the pairs of nodes"
        return [apart(where, spf, paper.factor, factor.factor, printed=other, why=why)]
    sizes = f"{paper.nodes}, {paper.edges}", f"{star.n_nodes}, {star.n_edges}"
    size = apart(
        where, f"{name}: nodes, edges of RRM*", *sizes, why="other obstacles",
        printed=f"{printed.n_nodes}, {printed.n_edges}",
    )  # fmt: skip
    return [
        less(where, spf, paper.factor, factor.factor, printed=other),
        explained(
            less(where, f"{name}: SPF of RRM", PUBLISHED[built.setting.name]["RRM"].factor,
                 shortest_path_factor(built.roadmaps["RRM"]).factor),
            "a tree, whose detours depend on obstacles; ours are not the paper's",
        ),
        explained(
            less_time(where, f"{name}: RRM* built, s", paper.seconds, built.seconds["RRM*"]),
            "6 times as many cells as in the paper",
        ),
        less_time(
            where, f"{name}: 100 queries on RRM*, s", paper.queries, times["RRM*"].hundred / 1000.0
        ),
        size,
    ]  # fmt: skip


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


# Table I -----------------------------------------------------------------------------------------

ENVIRONMENTS_SOURCE: Final = "rrm-roadmaps-2006, section V.A and table I"


class PublishedEnvironment(NamedTuple):
    """PublishedEnvironment facts about an environment."""

    bounds: str
    robot: str
    cells: str
    objects: int  # geometric primitives


PUBLISHED_ENVIRONMENTS: Final = {
    "field": PublishedEnvironment("47 x 47", "1 x 1", "94 x 94", 16_000),
    "office": PublishedEnvironment("80 x 80", "1 x 1 x 4", "160 x 160", 79_000),
    "house": PublishedEnvironment("57 x 20 x 40", "3 x 3 x 3", "57 x 20 x 40", 1_000),
    "quake": PublishedEnvironment("130 x 25 x 80", "1 x 1 x 1", "130 x 25 x 80", 4_000),
}
"""The second of three lengths is the height."""

DIFFERENCES: Final = {
    "field": "ten cones, two fences and four trees, as in the paper, in places of our own; the "
    "object is a disc of 1 m across",
    "office": "203 obstacles, desks counted with their chairs (the paper: more than 80 pieces of "
    "furniture), and doors of 0.9 to 1.2 m, so the object is a disc of 0.5 m across and not a box "
    "of 1 m",
    "office-fine": "the same with finer cells than the paper's, which leave all doors open",
    "house": "twelve rooms on two floors, as in the paper, in an arrangement of our own, with half "
    "as many free corners (GRM in table II): the paper's house is more open",
    "quake": "a level of our own with an atrium, bridges, ramps, shafts and eight areas around it, "
    "not the level of the game",
}


def run_environments(effort: Effort, folder: Path) -> Section:
    """Describe the environments."""
    del folder  # no pictures
    built = [roadmaps_of(SETTINGS[name]) for name in effort.environments]
    columns = (
        *("", "size, paper", "size, ours, m", "object, paper", "object, ours, m"),
        *("cells, paper", "cells, ours", "free, ours, %", "primitives, paper", "ours"),
    )
    note = "What differs. " + " ".join(f"{b.name}: {DIFFERENCES[b.setting.slug]}." for b in built)
    note += " Sizes are x, y and z here; the paper gives the height second."
    return Section(
        "Table I: the environments",
        ENVIRONMENTS_SOURCE,
        [Table("Environments and objects", columns, [_environment_row(b) for b in built], note)],
    )


def _environment_row(built: Built) -> tuple[Cell, ...]:
    published, setting = PUBLISHED_ENVIRONMENTS[built.setting.name], built.setting
    space = built.roadmaps["GRM"].space
    bounds = built.environment.bounds
    half = len(bounds) // 2
    sides = [b - a for a, b in zip(bounds[:half], bounds[half:], strict=True)]
    box = " x ".join(f"{side:g}" for side in setting.size or ())
    cells = space.free.shape[::-1][:half]
    return (
        *(built.name, published.bounds, " x ".join(f"{side:g}" for side in sides)),
        *(published.robot, box or f"disc, {2 * setting.radius:g}"),
        *(published.cells, " x ".join(str(count) for count in cells)),
        100.0 * float(np.mean(space.free)),
        *(published.objects, _primitives(built)),
    )


def _primitives(built: Built) -> str:
    environment = built.environment
    if isinstance(environment, Environment):
        return f"{len(environment.walls.segments):,} walls"
    return f"{np.count_nonzero(environment.solid):,} voxels"


# Table III ---------------------------------------------------------------------------------------

CLEARANCE_SOURCE: Final = "rrm-roadmaps-2006, section V.B.3 and table III"


class PublishedClearance(NamedTuple):
    """A row of table III, m."""

    least: float
    average: float
    most: float
    seconds: float | None = None  # of the retraction


PUBLISHED_CLEARANCE: Final = {
    "field": {
        "RRM*": PublishedClearance(0.03, 2.71, 6.44),
        "RRRM": PublishedClearance(0.34, 3.08, 6.46, 24),
    },
    "office": {
        "RRM*": PublishedClearance(0.00, 1.60, 6.82),
        "RRRM": PublishedClearance(0.01, 1.77, 7.53, 320),
    },
    "house": {
        "RRM*": PublishedClearance(0.00, 2.17, 5.64),
        "RRRM": PublishedClearance(0.13, 3.33, 10.41, 49),
    },
    "quake": {
        "RRM*": PublishedClearance(0.00, 2.90, 9.45),
        "RRRM": PublishedClearance(0.05, 3.28, 9.75, 343),
    },
}

CLEARANCE_COLUMNS: Final = (
    *("", "min, paper", "ours", "average, paper", "ours", "max, paper", "ours"),
    *("retraction, paper, s", "ours, s", "paper / ours"),
)


class RunMeans(NamedTuple):
    """Clearance of both roadmaps, and time of the retraction, means over runs with other seeds."""

    runs: int
    before: tuple[float, ...]  # RRM*: least, average, most, m
    after: tuple[float, ...]  # RRRM
    seconds: float


def run_clearance(effort: Effort, folder: Path) -> Section:
    """Compare RRM* and RRRM in all environments, over many runs as in the paper."""
    del folder  # no pictures
    built = [roadmaps_of(SETTINGS[name]) for name in effort.environments]
    means = {b.setting.slug: mean_clearance(b, effort.runs[b.setting.slug]) for b in built}
    return Section(
        "Table III: clearance of RRM* and of the retracted roadmap",
        CLEARANCE_SOURCE,
        [_clearance_table(b, means[b.setting.slug]) for b in built],
        checked="no edge has less clearance after the retraction than before.",
        wrong=[words for b in built for words in _less(b)],
        claims=[
            claim
            for b in built
            if not b.setting.fine
            for claim in _clearance_claims(b, means[b.setting.slug])
        ],
    )


def mean_clearance(built: Built, runs: int) -> RunMeans:
    """Build and retract roadmaps with `runs` seeds, the first of them that of the other tables."""
    found = [(built.roadmaps["RRM*"], built.roadmaps["RRRM"])]
    seconds = [built.seconds["RRRM"] - built.seconds["RRM*"]]
    before, after = [], []
    for run in range(runs):
        if run:
            rough = rrm(built.environment, seed=SEED + run, **built.setting.options)
            star = rrm_star(rough, usefulness=USEFULNESS, seed=SEED + run)
            begin = time.process_time()
            found = [(star, retract(star))]
            seconds.append(time.process_time() - begin)
        before.append(clearance_statistics(found[0][0]))
        after.append(clearance_statistics(found[0][1]))
    return RunMeans(
        runs, tuple(np.mean(before, axis=0)), tuple(np.mean(after, axis=0)), median(seconds)
    )


def _clearance_table(built: Built, means: RunMeans) -> Table:
    rows: list[tuple[Cell, ...]] = []
    published = PUBLISHED_CLEARANCE[built.setting.name]
    for (method, paper), ours in zip(published.items(), (means.before, means.after), strict=True):
        cells = [f"{value:.2f}" for pair in zip(paper[:3], ours, strict=True) for value in pair]
        seconds = None if paper.seconds is None else means.seconds
        gain = None if seconds is None else ratio(paper.seconds or 0.0, seconds)
        rows.append((method, *cells, paper.seconds, seconds, gain))
    grows, paper_grows = _growth(built, means)
    exact = (
        "Exact distances to the walls, less the radius."
        if built.setting.size is None
        else "Distances to the cells in which the object does not fit."
    )
    note = (
        f"Means over {means.runs} runs with other seeds; in the paper 100. The average grows by "
        f"{grows:.0%}, in the paper by {paper_grows:.0%}. Clearance is of the object, in metres. "
        f"{exact}"
    )
    return Table(built.name, CLEARANCE_COLUMNS, rows, note)


def _growth(built: Built, means: RunMeans) -> tuple[float, float]:
    """Return by how much retraction increases the average clearance: ours, and the paper's."""
    paper = PUBLISHED_CLEARANCE[built.setting.name]
    published = paper["RRRM"].average / paper["RRM*"].average - 1.0
    return means.after[1] / means.before[1] - 1.0, published


def _clearance_claims(built: Built, means: RunMeans) -> list[Claim]:
    where = "rrm-roadmaps-2006, table III"
    paper = PUBLISHED_CLEARANCE[built.setting.name]["RRRM"]
    grows, published = _growth(built, means)
    numbers = ", ".join(
        f"{a:.2f} to {b:.2f}" for a, b in zip(means.before, means.after, strict=True)
    )
    better = all(b > a for a, b in zip(means.before, means.after, strict=True))
    before = PUBLISHED_CLEARANCE[built.setting.name]["RRM*"].average
    return [
        stated(where, f"{built.name}: min, average and max clearance improve", f"{numbers} m",
               held=better),
        explained(
            more(where, f"{built.name}: growth of the average, %", 100.0 * published,
                 100.0 * grows),
            f"another house: {means.before[1]:.2f} m before, {before:.2f} m in the paper",
        ),
        less_time(where, f"{built.name}: retraction, s", paper.seconds or 0.0, means.seconds),
    ]  # fmt: skip


def _less(built: Built) -> list[str]:
    """Return which statistics of the retracted roadmap are less than before."""
    before, after = (clearance_statistics(built.roadmaps[m]) for m in ("RRM*", "RRRM"))
    return [
        f"{built.name}: {name} clearance is {b:.3f} m after the retraction, {a:.3f} m before"
        for name, a, b in zip(("least", "average", "most"), before, after, strict=True)
        if b < a - 1e-6
    ]
