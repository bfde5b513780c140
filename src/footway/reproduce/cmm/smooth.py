"""Batch 1: time of 100 random queries, from the query to the smooth path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from footway.follow import cmm
from footway.reproduce.cmm.setup import RADIUS, faults, scene, verdict
from footway.reproduce.questions import random_questions
from footway.reproduce.report import Section, Table, ratio
from footway.reproduce.timing import in_turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from footway.follow import Walk
    from footway.reproduce.cmm.setup import Effort, Scene
    from footway.reproduce.questions import Question
    from footway.reproduce.report import Cell
    from footway.reproduce.timing import Timing

SOURCE: Final = (
    'cmm-2007, "Experimental Results", "Measuring the Performance of Creating Smooth Paths"'
)


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

SEED: Final = 2007


def run(effort: Effort, folder: Path) -> Section:
    """Measure both environments."""
    del folder  # no pictures
    tables, walks, wrong = [], [], []
    for name, published in (("game", GAME), ("field", FIELD)):
        place = scene(name)
        questions = random_questions(place.cmap, effort.queries, radius=RADIUS, seed=SEED)
        answers = walk_all(place, questions)
        timing = in_turn({name: lambda: walk_all(place, questions)}, rounds=effort.rounds)[name]  # noqa: B023 - called at once
        tables.append(_table(place, published, timing, answers))
        walks += answers
        wrong += faults(answers, name)
    return Section(
        "Batch 1: 100 random queries", SOURCE, tables, checked=f"{verdict(walks)}.", wrong=wrong
    )


def walk_all(place: Scene, questions: Sequence[Question], *, shortcut: float = 0.0) -> list[Walk]:
    """Answer queries one after the other: corridor and walk."""
    return [cmm(place.corridor(question), shortcut=shortcut) for question in questions]


def _table(place: Scene, published: Published, timing: Timing, walks: Sequence[Walk]) -> Table:
    """Compare one environment; fewer queries are scaled to the paper's number."""
    scale = QUERIES / len(walks)
    seconds = scale * sum(walk.duration for walk in walks)
    ms, best, cpu = (1000.0 * scale * value for value in timing)
    x0, _, x1, _ = place.cmap.bounds
    cell = (x1 - x0) / CELLS
    cells = scale * sum(walk.length for walk in walks) / cell
    rows: tuple[tuple[Cell, ...], ...] = (
        _row("100 queries, ms", published.milliseconds, ms, best),
        ("100 queries, CPU ms", None, cpu, None, ratio(published.milliseconds, cpu)),
        ("walked by all characters, s", published.seconds, seconds, None, None),
        _row("CPU ms per second walked", published.load, cpu / seconds),
        _row("CPU load of a character, %", published.percent, cpu / (10.0 * seconds)),
        _row(
            "CPU ms per 100 cells walked",
            published.milliseconds * 100.0 / (published.seconds * published.speed),
            cpu * 100.0 / cells,
        ),
    )
    note = (
        f"A cell is {cell:g} m wide. Characters of the paper move {published.speed:g} cells/s, "
        f"ours {1.2 / cell:.2g}: the last row does not depend on it."
    )
    if len(walks) != QUERIES:
        note += f" A quick run: {len(walks)} queries, scaled to 100."
    columns = ("", "paper", "ours", "ours, best", "paper / ours")
    return Table(place.name.capitalize(), columns, rows, note)


def _row(name: str, published: float, ours: float, best: float | None = None) -> tuple[Cell, ...]:
    return name, published, ours, best, ratio(published, ours)
