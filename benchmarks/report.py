"""Report of a section: tables, targets and remarks, as Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Rows of numbers; a column's name ends with its unit."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Target:
    """A limit that was set before the measurement, and the measured value, in `unit`.

    `ours` is the median of the rounds, which decides, and `best` the minimum, which distinguishes
    a slow program from a busy machine. `at_least`: the limit is a lower bound (a ratio to a peer)
    instead of an upper bound (a time).
    """

    what: str
    limit: float
    unit: str
    ours: float | None
    best: float | None = None
    at_least: bool = False

    @property
    def verdict(self) -> str:
        """Whether the target was met, or by how much it was missed."""
        if self.ours is None:
            return "not measured"
        if self._holds(self.ours):
            return "met"
        missed = f"missed by {abs(self.ours / self.limit - 1):.0%}"
        return f"{missed}, met at best" if self._holds(self.best) else missed

    def _holds(self, value: float | None) -> bool:
        if value is None:
            return False
        return value >= self.limit if self.at_least else value <= self.limit


@dataclass(frozen=True)
class Outcome:
    """Results of a section; `checked` describes which answers were verified, and how."""

    tables: list[Table]
    checked: str
    targets: list[Target] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Section:
    """One benchmark: its outcome, or the wrong answer that prevented the measurement."""

    name: str
    story: str
    revision: str
    outcome: Outcome | None = None
    wrong: str = ""


def section_markdown(section: Section) -> str:
    """Return a section as Markdown."""
    lines = [f"## {section.name}", "", section.story, ""]
    if section.revision:
        lines += [f"Measured at revision `{section.revision}`.", ""]
    if section.outcome is None:
        return "\n".join([*lines, f"**Wrong answer, so no times: {section.wrong}**", ""])
    lines += [f"Checked first: {section.outcome.checked}", ""]
    for table in section.outcome.tables:
        lines += [f"**{table.title}**", "", *grid(table.columns, table.rows), ""]
    if section.outcome.targets:
        lines += ["**Targets** (judged by the median of the rounds)", ""]
        lines += [*grid(("target", "limit", "median", "min", ""), target_rows(section.outcome)), ""]
    return "\n".join([*lines, *(f"- {remark}" for remark in section.outcome.remarks), ""])


def target_rows(outcome: Outcome) -> list[tuple[Cell, ...]]:
    """Return a row for each target: name, limit, median, minimum and verdict."""
    return [
        (
            target.what,
            f"{'>=' if target.at_least else '<='} {_text(target.limit)} {target.unit}",
            *("" if x is None else f"{_text(x)} {target.unit}" for x in (target.ours, target.best)),
            target.verdict,
        )
        for target in outcome.targets
    ]


def grid(columns: tuple[str, ...], rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Return a table as lines of Markdown."""
    rules = ["---", *["---:"] * (len(columns) - 1)]
    body = [[_text(cell) for cell in row] for row in rows]
    return [f"| {' | '.join(line)} |" for line in [list(columns), rules, *body]]


def _text(cell: Cell) -> str:
    """Format a number with four significant digits."""
    if cell is None:
        return ""
    if isinstance(cell, float) and abs(cell) < 1000:
        return f"{cell:.3g}" if abs(cell) < 100 else f"{cell:.0f}"
    return cell if isinstance(cell, str) else f"{cell:,.0f}"
