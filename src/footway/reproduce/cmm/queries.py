"""Batch 1 of cmm-2007 and the city of cmm-crowds-2008: maps, corridors, paths, their times."""

from __future__ import annotations

import time
from functools import partial
from statistics import fmean, median
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from footway.corridor import CorridorMap
from footway.follow import cmm
from footway.reproduce.claims import Claim, apart, less_time, stated
from footway.reproduce.cmm.setup import LONG, RADIUS, faults, scene, verdict
from footway.reproduce.questions import random_questions
from footway.reproduce.report import Section, Table, ratio
from footway.reproduce.timing import in_turn, undisturbed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from footway.corridor import Corridor
    from footway.follow import Walk
    from footway.follow.cmm import Attraction
    from footway.reproduce.cmm.setup import Effort, Scene
    from footway.reproduce.questions import Question
    from footway.reproduce.report import Cell
    from footway.reproduce.timing import Timing

SOURCE: Final = 'cmm-2007, theorem 1 and "Measuring the Performance of Creating Smooth Paths"'


class Published(NamedTuple):
    """Published numbers for 100 queries in one environment."""

    milliseconds: float
    """for all of them"""
    seconds: float
    """that all characters walk together"""
    load: float
    """CPU milliseconds for each second that a character walks"""
    percent: float
    """of one CPU, for one character"""
    speed: float
    """of a character, cells/s"""


GAME: Final = Published(274.0, 1051.0, 0.26, 0.026, 6.3)
FIELD: Final = Published(74.0, 285.0, 0.26, 0.026, 29.0)

QUERIES: Final = 100
CELLS: Final = 100
"""Cells along each side of both environments ("Experimental Setup")."""

ATTRACTIONS: Final[tuple[Attraction, Attraction]] = ("bounded", "published")
"""F_0 by default, and as printed."""

STEPS: Final = (0.1, 0.05, 0.025, 0.0125)
"""s. Steps at which the continuity of the velocity is measured."""

SEED: Final = 2007


def run_batch(effort: Effort, folder: Path) -> Section:
    """Measure both environments."""
    del folder  # no pictures
    tables: list[Table] = []
    walks: list[Walk] = []
    wrong: list[str] = []
    claims: list[Claim] = []
    for name, published in (("game", GAME), ("field", FIELD)):
        place = scene(name)
        questions = random_questions(place.cmap, effort.queries, radius=RADIUS, seed=SEED)
        answers = walk_all(place, questions)
        timings = in_turn(
            {kind: partial(walk_all, place, questions, attraction=kind) for kind in ATTRACTIONS},
            rounds=effort.rounds,
        )
        table, found = _batch_table(place, published, timings, answers)
        tables.append(table)
        claims += found
        walks += answers
        wrong += faults(answers, name)
        as_printed = walk_all(place, questions, attraction="published")
        wrong += faults(as_printed, f"{name}, F_0 as printed")
        walks += as_printed
    jumps, printed = velocity_jumps(), velocity_jumps("published")
    claims.append(
        stated(
            "cmm-2007, theorem 1",
            "the path is C1",
            f"velocity jumps by {jumps[0]:.2f} to {jumps[-1]:.3f} m/s at steps of "
            f"{STEPS[0]:g} to {STEPS[-1]:g} s",
            held=_shrink(jumps),
            printed=f"{printed[0]:.2f} to {printed[-1]:.3f} m/s",
            why="" if _shrink(printed) else "as printed not: F_0 is unbounded at the rim of a ball",
        )
    )
    return Section(
        "Batch 1: 100 random queries", SOURCE, [*tables, _continuity_table(jumps, printed)],
        checked=f"{verdict(walks)}.", wrong=wrong, claims=claims,
    )  # fmt: skip


def walk_all(
    place: Scene,
    questions: Sequence[Question],
    *,
    shortcut: float = 0.0,
    attraction: Attraction = "bounded",
) -> list[Walk]:
    """Answer queries one after the other: corridor and walk."""
    return [
        cmm(place.corridor(question), shortcut=shortcut, attraction=attraction)
        for question in questions
    ]


def velocity_jumps(attraction: Attraction = "bounded") -> list[float]:
    """Return the greatest change of velocity between samples, m/s, by step; C1: it goes to 0."""
    corridors = [scene(name).corridor(question) for name, question in LONG.items()]

    def jump(corridor: Corridor, step: float) -> float:
        walk = cmm(corridor, step=step, attraction=attraction)
        return float(np.hypot(*np.diff(walk.velocities, axis=0).T).max())

    return [max(jump(corridor, step) for corridor in corridors) for step in STEPS]


def _shrink(jumps: Sequence[float]) -> bool:
    """Return whether jumps of the velocity shrink with the step, up to a factor of 2."""
    return jumps[-1] <= 2.0 * jumps[0] * STEPS[-1] / STEPS[0]


def _continuity_table(jumps: Sequence[float], printed: Sequence[float]) -> Table:
    note = (
        "Of the long queries in both environments. A C1 path has no jump: it shrinks with the step."
    )
    rows = [(f"{step:g}", a, b) for step, a, b in zip(STEPS, jumps, printed, strict=True)]
    columns = (
        "step, s",
        "greatest change of velocity between samples, m/s",
        "with F_0 and its integration as printed",
    )
    return Table("Continuity of the velocity", columns, rows, note)


def _batch_table(
    place: Scene, published: Published, timings: Mapping[Attraction, Timing], walks: Sequence[Walk]
) -> tuple[Table, list[Claim]]:
    """Compare one environment; fewer queries are scaled to the paper's number."""
    scale = QUERIES / len(walks)
    seconds = scale * sum(walk.duration for walk in walks)
    ms, best, cpu = (1000.0 * scale * value for value in timings["bounded"])
    printed = 1000.0 * scale * timings["published"].cpu
    x0, _, x1, _ = place.cmap.bounds
    cell = (x1 - x0) / CELLS
    cells = scale * sum(walk.length for walk in walks) / cell
    paper_cells = published.milliseconds * 100.0 / (published.seconds * published.speed)
    rows: tuple[tuple[Cell, ...], ...] = (
        _row("100 queries, ms", published.milliseconds, ms, best),
        ("100 queries, CPU ms", None, cpu, None, ratio(published.milliseconds, cpu)),
        ("as printed, CPU ms", None, printed, None, ratio(published.milliseconds, printed)),
        ("walked by all characters, s", published.seconds, seconds, None, None),
        _row("CPU ms per second walked", published.load, cpu / seconds),
        _row("CPU load of a character, %", published.percent, cpu / (10.0 * seconds)),
        _row("CPU ms per 100 cells walked", paper_cells, cpu * 100.0 / cells),
    )
    note = (
        f"A cell is {cell:g} m wide. Characters of the paper move {published.speed:g} cells/s, "
        f"ours {1.2 / cell:.2g}: the last row does not depend on it."
    )
    if len(walks) != QUERIES:
        note += f" A quick run: {len(walks)} queries, scaled to 100."
    columns = ("", "paper", "ours", "ours, best", "paper / ours")
    name = place.name.capitalize()
    where = "cmm-2007, batch 1"
    speeds = "ours walk 1.2 m/s, the paper's characters run; the row per cell does not depend on it"
    claims = [
        less_time(where, f"{name}: 100 queries, ms", published.milliseconds, cpu, printed=printed),
        less_time(where, f"{name}: CPU ms per 100 cells walked", paper_cells, cpu * 100.0 / cells),
        apart(where, f"{name}: CPU ms per second", published.load, cpu / seconds, why=speeds),
    ]
    return Table(name, columns, rows, note), claims


def _row(name: str, published: float, ours: float, best: float | None = None) -> tuple[Cell, ...]:
    return name, published, ours, best, ratio(published, ours)


# The city ----------------------------------------------------------------------------------------

CITY_SOURCE: Final = "cmm-crowds-2008, sections 2.1 (map), 2.2 (corridor) and 2.3 (path, CPU load)"

CITY_MAP: Final = {"seconds": 0.64, "vertices": 1_434, "edges": 1_606, "samples": 25_863}
"""The map of the paper's city (section 2.1)."""
EXTRACTION_MS: Final = 0.87
"""Average of 10,000 random corridors, without the search and without connecting (section 2.2)."""
SHARES: Final = {"Dijkstra": 138.2, "A*": 11.5, "linear search": 59.7, "kd-tree": 1.0}
"""%. By how much each way to search and to connect increases that time (section 2.2)."""
CORRIDOR_MS: Final = 1.19
"""With A* and a kd-tree (section 2.2)."""
PATH_MS: Final = 1.8
"""Average of 10,000 random paths, with their corridors (section 2.3)."""
WALKED: Final = 260.0
"""s. Average time that a character walks at 1.2 m/s (section 2.3)."""
LOAD: Final = 0.00069
"""%. CPU time / time walked, for one character (section 2.3)."""

CITY_SEED: Final = 2008


class Times(NamedTuple):
    """Time of each query, ms, and CPU time of all, ms."""

    corridor: Sequence[float]
    path: Sequence[float]
    cpu: float


def run_city(effort: Effort, folder: Path) -> Section:
    """Measure the map, and random queries in the city."""
    del folder  # no pictures
    place = scene("city")
    questions = random_questions(place.cmap, effort.city_queries, radius=RADIUS, seed=CITY_SEED)
    walks = [cmm(place.corridor(question)) for question in questions]
    times = _typical([_measure(place, questions) for _ in range(min(effort.rounds, 5))])
    map_table, map_claims = _map_table(place, effort)
    parts_table, parts_claims = _parts_table(place, questions)
    table, claims = _city_table(times, [walk.duration for walk in walks])
    return Section(
        "The city: its map, corridors and paths",
        CITY_SOURCE,
        [map_table, parts_table, table],
        checked=f"{verdict(walks)}.",
        wrong=faults(walks, "city"),
        claims=[*map_claims, *parts_claims, *claims],
    )


def _map_table(place: Scene, effort: Effort) -> tuple[Table, list[Claim]]:
    """Compare the map; samples are the balls that cover as much as the paper's number of balls."""
    build = partial(CorridorMap.build, place.environment)
    seconds = in_turn({"build": build}, rounds=min(effort.rounds, 3))["build"].cpu
    core = place.cmap.solver.index.graph.is_core
    vertices = len(np.unique(place.cmap.edges[core]))
    balls = {share: place.cmap.balls(share) for share in (0.9, 0.95)}
    ours = {"seconds": seconds, "vertices": vertices, "edges": int(core.sum())}
    rows: list[tuple[Cell, ...]] = [(name, CITY_MAP[name], value) for name, value in ours.items()]
    rows += [
        (
            f"samples that cover {100.0 * found.coverage:.1f} %",
            CITY_MAP["samples"],
            len(found.radii),
        )
        for found in balls.values()
    ]
    note = (
        f"Without the {int((~core).sum()):,} dead ends into corners. The paper does not say what "
        "share of the free space its samples cover; ours are optional: the map is exact without."
    )
    where = "cmm-crowds-2008, section 2.1"
    why = "another city of the same size"
    claims = [less_time(where, "city: map built, s", CITY_MAP["seconds"], seconds)]
    claims += [
        apart(where, f"city: {name}", CITY_MAP[name], ours[name], why=why)
        for name in ("vertices", "edges")
    ]
    samples = len(balls[0.95].radii)
    claims.append(
        apart(where, "city: samples", CITY_MAP["samples"], samples, why=f"{why}; 95 % covered")
    )
    return Table("The map of the city", ("", "paper", "ours"), rows, note), claims


def _parts_table(place: Scene, questions: Sequence[Question]) -> tuple[Table, list[Claim]]:
    """Measure connecting, searching and extracting a corridor apart from each other."""
    solver = place.cmap.solver
    starts, goals = (np.array(ends) for ends in zip(*questions, strict=True))
    found = [solver.corridor(a, b, RADIUS) for a, b in zip(starts, goals, strict=True)]
    halves = [each.halves for each in found]
    balls = place.cmap.balls(0.95)
    graph = solver.index.graph
    ends, length = place.cmap.edges, place.cmap.edge_length
    lengths = coo_array(
        (length, (ends[:, 0], ends[:, 1])), shape=(place.cmap.n_vertices,) * 2
    ).tocsr()
    first = graph.edges[[each.halves[0] // 2 for each in found], 0]

    def linear(k: int) -> None:
        for end in (starts[k], goals[k]):
            np.argmax(balls.radii - np.hypot(*(balls.centres - end).T))

    calls: dict[str, Callable[[int], object]] = {
        "extraction": lambda k: solver.corridor_along(starts[k], goals[k], halves[k], RADIUS),
        "A*": lambda k: solver.corridor(starts[k], goals[k], RADIUS),
        "kd-tree": lambda k: solver.locate(starts[k], goals[k]),
        "linear search": linear,
        "Dijkstra": lambda k: dijkstra(lengths, directed=False, indices=first[k]),
    }
    means = {
        name: min(_mean_ms(call, len(questions)) for _ in range(3)) for name, call in calls.items()
    }
    means["A*"] = max(means["A*"] - means["extraction"], 0.0)
    base = means["extraction"] = means["extraction"] - means["kd-tree"]
    rows: list[tuple[Cell, ...]] = [("extraction alone", EXTRACTION_MS, base, None, None)]
    rows += [
        (name, EXTRACTION_MS * share / 100.0, means[name], share, 100.0 * means[name] / base)
        for name, share in SHARES.items()
    ]
    note = (
        f"Means over {len(questions):,} random queries, CPU time, best of three rounds. Ours: `A*` "
        "with landmarks, the difference of a query with and without it; `Dijkstra` is SciPy's, "
        "over the whole graph; `kd-tree` is our grid of candidates, exact; `linear search` is over "
        "all samples of the map, by NumPy."
    )
    columns = ("part of a corridor query", "paper, ms", "ours, ms", "paper, + %", "ours, + %")
    where = "cmm-crowds-2008, section 2.2"
    claims = [
        less_time(where, "city: extraction of a corridor, ms", EXTRACTION_MS, base),
        stated(where, "A* is cheaper than Dijkstra", f"{means['A*']:.3f} and "
               f"{means['Dijkstra']:.3f} ms", held=means["A*"] < means["Dijkstra"], timed=True),
        stated(where, "a search structure is cheaper than linear search",
               f"{means['kd-tree']:.3f} and {means['linear search']:.3f} ms",
               held=means["kd-tree"] < means["linear search"], timed=True),
    ]  # fmt: skip
    return Table("Parts of a query", columns, rows, note), claims


def _mean_ms(call: Callable[[int], object], count: int) -> float:
    """Return the mean time of a call with 0, 1, ..., ms."""
    call(0)
    with undisturbed():
        begin = time.process_time()
        for k in range(count):
            call(k)
        return 1000.0 * (time.process_time() - begin) / count


def _measure(place: Scene, questions: Sequence[Question]) -> Times:
    """Run all queries once; the time of a path includes its corridor, as in the paper."""
    corridors, paths = [], []
    with undisturbed():
        begin_cpu = time.process_time()
        for question in questions:
            begin = time.process_time()
            corridor = place.corridor(question)
            found = time.process_time()
            cmm(corridor)
            paths.append(1000.0 * (time.process_time() - begin))
            corridors.append(1000.0 * (found - begin))
        cpu = 1000.0 * (time.process_time() - begin_cpu)
    return Times(corridors, paths, cpu)


def _typical(rounds: Sequence[Times]) -> Times:
    """Return the median of each query over the rounds."""
    return Times(
        [median(values) for values in zip(*(r.corridor for r in rounds), strict=True)],
        [median(values) for values in zip(*(r.path for r in rounds), strict=True)],
        median(r.cpu for r in rounds),
    )


def _city_table(times: Times, seconds: Sequence[float]) -> tuple[Table, list[Claim]]:
    load = 100.0 * times.cpu / (1000.0 * sum(seconds))
    cpu = times.cpu / len(seconds)
    corridor, path = (fmean(values) for values in (times.corridor, times.path))
    rows = (
        ("corridor, ms", CORRIDOR_MS, median(times.corridor), corridor, CORRIDOR_MS / corridor),
        ("corridor and path, ms", PATH_MS, median(times.path), path, PATH_MS / path),
        ("corridor and path, CPU ms", None, None, cpu, ratio(PATH_MS, cpu)),
        ("walked, s", WALKED, median(seconds), fmean(seconds), None),
        ("CPU load of a character, %", LOAD, None, load, ratio(LOAD, load)),
        ("CPU ms per second walked", 10.0 * LOAD, None, 10.0 * load, ratio(LOAD, load)),
    )
    columns = ("", "paper, mean", "ours, median", "ours, mean", "paper / ours (means)")
    note = (
        f"{len(seconds):,} random queries between points all over the city, walked at 1.2 m/s. "
        "The CPU load is the CPU time over the time walked."
    )
    where = "cmm-crowds-2008, section 2"
    claims = [
        less_time(f"{where}.2", "city: a corridor, ms", CORRIDOR_MS, corridor),
        less_time(f"{where}.3", "city: a path, ms", PATH_MS, cpu),
        less_time(f"{where}.3", "city: CPU load of a character, %", LOAD, load),
    ]
    return Table("City", columns, rows, note), claims
