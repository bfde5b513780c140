"""Report of an experiment, as Markdown and JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.reproduce.claims import Claim

Cell: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Rows of numbers, with units in the names of columns or rows, and a note."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def lines(self) -> list[str]:
        """Return the table as lines of Markdown, with a blank line at the end."""
        note = [self.note, ""] if self.note else []
        return [f"**{self.title}**", "", *_grid(self.columns, self.rows), "", *note]


@dataclass(frozen=True)
class Picture:
    """A file in the output folder and its caption."""

    file: str
    caption: str


@dataclass(frozen=True)
class Section:
    """One experiment of a paper.

    Attributes:
        title: the question of the experiment.
        source: source of the published numbers.
        tables: published and measured numbers.
        pictures: reproduced figures.
        checked: properties of the results that were verified.
        wrong: results that violate a check; empty unless Footway has a defect.
        claims: what the paper says, and what we find.
    """

    title: str
    source: str
    tables: Sequence[Table]
    pictures: Sequence[Picture] = ()
    checked: str = ""
    wrong: Sequence[str] = ()
    claims: Sequence[Claim] = ()


@dataclass(frozen=True)
class Report:
    """Results of an experiment, and the machine."""

    name: str
    title: str
    machine: dict[str, str]
    sections: Sequence[Section]
    remarks: Sequence[str] = ()

    @property
    def wrong(self) -> list[str]:
        """Results that violate a check."""
        return [words for section in self.sections for words in section.wrong]

    @property
    def files(self) -> list[str]:
        """Files of the pictures, in the order of the sections."""
        return [picture.file for section in self.sections for picture in section.pictures]

    @property
    def claims(self) -> list[Claim]:
        """All claims, each with the file that shows it: a figure, or this report."""
        return [
            claim if claim.file else replace(claim, file=_file_of(section, f"{self.name}.md"))
            for section in self.sections
            for claim in section.claims
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        found = asdict(self)
        return found | {"claims": [asdict(claim) for claim in self.claims]}

    def to_markdown(self, *, pictures: bool = True) -> str:
        """Return the report as Markdown; without pictures it suits a terminal."""
        machine = ", ".join(f"{name} {value}".strip() for name, value in self.machine.items())
        remarks = [f"- {remark}" for remark in (*self.remarks, f"Measured: {machine}.")]
        lines = [f"# {self.title}", "", *remarks, ""]
        for section in self.sections:
            lines += _section_lines(section, pictures=pictures)
        return "\n".join(lines).rstrip() + "\n"


def _file_of(section: Section, report: str) -> str:
    return section.pictures[0].file if section.pictures else report


def ratio(published: float, ours: float) -> float | None:
    """Return the published number divided by ours; None if it is undefined."""
    return published / ours if ours > 0 else None


def _section_lines(section: Section, *, pictures: bool) -> list[str]:
    lines = [f"## {section.title}", "", f"{section.source}.", ""]
    lines += [f"Checked: {section.checked}", ""] if section.checked else []
    for words in section.wrong:
        lines += [f"**Wrong: {words}**", ""]
    for table in section.tables:
        lines += table.lines()
    for picture in section.pictures if pictures else ():
        lines += [f"![{picture.caption}]({picture.file})", "", f"*{picture.caption}*", ""]
    return lines


def _grid(columns: tuple[str, ...], rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the lines of a Markdown table; text is aligned left, numbers right."""
    body = [list(columns), *([as_text(cell) for cell in row] for row in rows)]
    widths = [max(3, *(len(line[k]) for line in body)) for k in range(len(columns))]
    first, *others = widths
    rule = ["-" * first, *(f"{'-' * (width - 1)}:" for width in others)]
    return [
        f"| {line[0]:<{first}} | "
        + " | ".join(f"{cell:>{width}}" for cell, width in zip(line[1:], others, strict=True))
        + " |"
        for line in (body[0], rule, *body[1:])
    ]


def as_text(cell: Cell) -> str:
    """Format a number with three significant digits."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) or abs(cell) >= 100:
        return f"{cell:,.0f}"
    return f"{cell:#.3g}".rstrip(".") if abs(cell) >= 1e-4 else f"{cell:.2g}"
