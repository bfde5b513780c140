"""Table III: clearance gained by retraction to the medial axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from footway.reproduce.report import Section, Table, ratio
from footway.reproduce.roadmaps.setup import SETTINGS, roadmaps_of
from footway.roadmap.measures import clearance_statistics

if TYPE_CHECKING:
    from pathlib import Path

    from footway.reproduce.report import Cell
    from footway.reproduce.roadmaps.setup import Built, Effort

SOURCE: Final = "rrm-roadmaps-2006, section V.B.3 and table III"


class Published(NamedTuple):
    """A row of table III, m."""

    least: float
    average: float
    most: float
    seconds: float | None = None  # of the retraction


PUBLISHED: Final = {
    "field": {"RRM*": Published(0.03, 2.71, 6.44), "RRRM": Published(0.34, 3.08, 6.46, 24)},
    "office": {"RRM*": Published(0.00, 1.60, 6.82), "RRRM": Published(0.01, 1.77, 7.53, 320)},
    "house": {"RRM*": Published(0.00, 2.17, 5.64), "RRRM": Published(0.13, 3.33, 10.41, 49)},
    "quake": {"RRM*": Published(0.00, 2.90, 9.45), "RRRM": Published(0.05, 3.28, 9.75, 343)},
}

COLUMNS: Final = (
    *("", "min, paper", "ours", "average, paper", "ours", "max, paper", "ours"),
    *("retraction, paper, s", "ours, s", "paper / ours"),
)


def run(effort: Effort, folder: Path) -> Section:
    """Compare RRM* and RRRM in all environments."""
    del folder  # no pictures
    built = [roadmaps_of(SETTINGS[name]) for name in effort.environments]
    wrong = [words for b in built for words in _less(b)]
    return Section(
        "Table III: clearance of RRM* and of the retracted roadmap",
        SOURCE,
        [Table(b.name, COLUMNS, _rows(b), _note(b)) for b in built],
        checked="no edge has less clearance after the retraction than before.",
        wrong=wrong,
    )


def _rows(built: Built) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    retraction = built.seconds["RRRM"] - built.seconds["RRM*"]
    for method, paper in PUBLISHED[built.setting.name].items():
        ours = clearance_statistics(built.roadmaps[method])
        seconds = None if paper.seconds is None else retraction
        cells = [f"{value:.2f}" for pair in zip(paper[:3], ours, strict=True) for value in pair]
        gain = None if paper.seconds is None else ratio(paper.seconds, retraction)
        rows.append((method, *cells, paper.seconds, seconds, gain))
    return rows


def _note(built: Built) -> str:
    before, after = (clearance_statistics(built.roadmaps[m]).average for m in ("RRM*", "RRRM"))
    published = PUBLISHED[built.setting.name]
    paper = published["RRRM"].average / published["RRM*"].average - 1.0
    exact = (
        "Exact distances to the walls, less the radius."
        if built.setting.size is None
        else "Distances to the cells in which the object does not fit."
    )
    return (
        f"The average grows by {after / before - 1.0:.0%}, in the paper by {paper:.0%}. Clearance "
        f"is of the object, in metres. {exact}"
    )


def _less(built: Built) -> list[str]:
    """Return which statistics of the retracted roadmap are less than before."""
    before, after = (clearance_statistics(built.roadmaps[m]) for m in ("RRM*", "RRRM"))
    return [
        f"{built.name}: {name} clearance is {b:.3f} m after the retraction, {a:.3f} m before"
        for name, a, b in zip(("least", "average", "most"), before, after, strict=True)
        if b < a - 1e-6
    ]
