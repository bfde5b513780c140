"""Corridors and paths in the city: time of each, and CPU load of a walk."""

from __future__ import annotations

import time
from statistics import fmean, median
from typing import TYPE_CHECKING, Final, NamedTuple

from footway.follow import cmm
from footway.reproduce.cmm.setup import RADIUS, faults, scene, verdict
from footway.reproduce.questions import random_questions
from footway.reproduce.report import Section, Table, ratio
from footway.reproduce.timing import undisturbed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from footway.reproduce.cmm.setup import Effort, Scene
    from footway.reproduce.questions import Question

SOURCE: Final = "cmm-crowds-2008, sections 2.2 (corridor) and 2.3 (path, CPU load)"

CORRIDOR_MS: Final = 1.19
"""Average of 10,000 random corridors, with A* and a kd-tree (section 2.2)."""
PATH_MS: Final = 1.8
"""Average of 10,000 random paths, with their corridors (section 2.3)."""
WALKED: Final = 260.0
"""s. Average time that a character walks at 1.2 m/s (section 2.3)."""
LOAD: Final = 0.00069
"""%. CPU time / time walked, for one character (section 2.3)."""

SEED: Final = 2008


class Times(NamedTuple):
    """Time of each query, ms, and CPU time of all, ms."""

    corridor: Sequence[float]
    path: Sequence[float]
    cpu: float


def run(effort: Effort, folder: Path) -> Section:
    """Measure random queries in the city."""
    del folder  # no pictures
    place = scene("city")
    questions = random_questions(place.cmap, effort.city_queries, radius=RADIUS, seed=SEED)
    walks = [cmm(place.corridor(question)) for question in questions]
    times = _typical([_measure(place, questions) for _ in range(min(effort.rounds, 5))])
    seconds = [walk.duration for walk in walks]
    return Section(
        "Corridors and paths in the city",
        SOURCE,
        [_table(times, seconds)],
        checked=f"{verdict(walks)}.",
        wrong=faults(walks, "city"),
    )


def _measure(place: Scene, questions: Sequence[Question]) -> Times:
    """Run all queries once; the time of a path includes its corridor, as in the paper."""
    corridors, paths = [], []
    with undisturbed():
        begin_cpu = time.process_time()
        for question in questions:
            begin = time.perf_counter()
            corridor = place.corridor(question)
            found = time.perf_counter()
            cmm(corridor)
            paths.append(1000.0 * (time.perf_counter() - begin))
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


def _table(times: Times, seconds: Sequence[float]) -> Table:
    load = 100.0 * times.cpu / (1000.0 * sum(seconds))
    cpu = times.cpu / len(seconds)
    rows = (
        ("corridor, ms", CORRIDOR_MS, *_both(times.corridor), _gain(CORRIDOR_MS, times.corridor)),
        ("corridor and path, ms", PATH_MS, *_both(times.path), _gain(PATH_MS, times.path)),
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
    return Table("City", columns, rows, note)


def _both(values: Sequence[float]) -> tuple[float, float]:
    return median(values), fmean(values)


def _gain(published: float, ours: Sequence[float]) -> float | None:
    return ratio(published, fmean(ours))
