"""Table 1: computing time of a walk."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from footway.reproduce.claims import less_time
from footway.reproduce.miran.setup import (
    CLEARANCE,
    DISC,
    FINE,
    METRE,
    PAPER,
    POINT,
    ROWS,
    faults,
    route_of,
    verdict,
    walk,
)
from footway.reproduce.report import Section, Table, ratio
from footway.reproduce.timing import in_turn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from footway.follow import RouteWalk
    from footway.reproduce.miran.setup import Effort, Row
    from footway.reproduce.report import Cell
    from footway.reproduce.timing import Timing

SOURCE: Final = f"{PAPER}, section 5 and table 1"

WANTED: Final = 10.0
"""Target: so many times faster than the paper, in every row."""

SETTINGS: Final = {
    "a point, 1 m": (POINT, METRE, 0.0, CLEARANCE),
    "without F_b": (POINT, METRE, 0.0, 0.0),
    "a point, 1 m, looks every d / 4": (POINT, METRE, 0.25, CLEARANCE),
    "a point, 0.12 m": (POINT, FINE, 0.0, CLEARANCE),
    "a disc, 0.12 m": (DISC, FINE, 0.0, CLEARANCE),
}
"""Radius (m), step (s), share of d between two updates, clearance (m); the first is table 1's."""


def run(effort: Effort, folder: Path) -> Section:
    """Check all walks, then time the nine rows in each setting."""
    del folder  # the pictures have sections of their own
    walks, times, wrong = {}, {}, []
    for name, (radius, step, look, clearance) in SETTINGS.items():
        call = partial(walk, radius=radius, step=step, look=look, clearance=clearance)
        calls = {row: partial(call, row) for row in ROWS}
        walks[name] = {row: call() for row, call in calls.items()}
        wrong += [f"{name}: {words}" for words in faults(walks[name])]
        times[name] = in_turn(calls, rounds=effort.rounds)
    first = next(iter(SETTINGS))
    return Section(
        "Table 1: computation times",
        SOURCE,
        [_table(walks[first], times[first], effort.rounds), _settings_table(times)],
        checked=f"{verdict([each for found in walks.values() for each in found.values()])}.",
        wrong=wrong,
        claims=[
            less_time(f"{PAPER}, table 1",
                      f"{row.name} {_number(row.sigma)}".rstrip() + ": walk, ms",
                      row.published, 1000.0 * times[first][row].cpu)
            for row in ROWS
        ],
    )  # fmt: skip


def _table(walks: Mapping[Row, RouteWalk], times: Mapping[Row, Timing], rounds: int) -> Table:
    """Return the nine rows for a point that updates its target after every metre."""
    rows: list[tuple[Cell, ...]] = [
        (
            row.name,
            _number(row.sigma),
            _number(row.spacing),
            f"{route_of(row.scene, POINT).length:.0f}",
            f"{walks[row].length:.0f}",
            row.published,
            1000.0 * times[row].median,
            1000.0 * times[row].minimum,
            1000.0 * times[row].cpu,
            ratio(row.published, 1000.0 * times[row].median),
        )
        for row in ROWS
    ]
    columns = (
        "", "sigma", "d", "route, m", "walk, m", "paper, ms", "ours, ms", "ours, best ms",
        "ours, CPU ms", "paper / ours",
    )  # fmt: skip
    note = (
        f"{missed(times)} Medians and minima of {rounds} walks after a warm-up; routes are given, "
        "as in the paper, and each walk cuts its route at the borders of the terrain. The paper "
        "does not give the length of a step: ours update the attraction point after every metre, "
        f"a unit of its maps. The boundary force keeps {CLEARANCE:g} m from walls."
    )
    return Table("Table 1", columns, rows, note)


def missed(times: Mapping[Row, Timing]) -> str:
    """Return which rows are less than ten times faster than the paper's."""
    slow = [
        f"{row.name} {_number(row.sigma)} ({gain:.1f}x)".replace("  ", " ")
        for row in times
        if (gain := row.published / (1000.0 * times[row].median)) < WANTED
    ]
    if not slow:
        return f"Target: {WANTED:g} times faster in every row; reached."
    return f"Target: {WANTED:g} times faster in every row; missed by {', '.join(slow)}."


def _settings_table(times: Mapping[str, Mapping[Row, Timing]]) -> Table:
    """Return the rows for a disc, and with shorter steps."""
    columns = ("", "sigma", *(f"{name}, ms" for name in times), "paper / ours")
    rows: list[tuple[Cell, ...]] = [
        (
            row.name,
            _number(row.sigma),
            *(1000.0 * times[name][row].median for name in times),
            ", ".join(
                f"{row.published / (1000.0 * times[name][row].median):.0f}" for name in times
            ),
        )
        for row in ROWS
    ]
    note = (
        "Metres are the distance between two samples: 0.12 m are 0.1 s at 1.2 m/s, the step of a "
        "crowd. The attraction point is updated at each sample unless stated otherwise. A disc has "
        f"a radius of {DISC:g} m. The last column has all ratios."
    )
    return Table("Other steps, and a disc instead of a point", columns, rows, note)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
