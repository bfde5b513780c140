"""Write the results: results/<date>-<cpu>.json with all numbers, and RESULTS.md."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchmarks.report import Outcome, Section, Table, Target, section_markdown

if TYPE_CHECKING:
    from pathlib import Path

HEADER = """\
# Benchmarks

Run them again with `make bench`, or `python -m benchmarks` where the extra `bench` is installed.
Answers are checked before times are reported. Times are the minimum and the median of several
rounds; a round measures Footway and its peers one after the other, and ratios are taken within
the run.
"""


def write(
    folder: Path, machine: dict[str, Any], sections: list[Section], *, order: list[str], mark: str
) -> None:
    """Write both files.

    Sections that were not run are kept only from an earlier run on the same day and machine with
    the same versions. `mark` is appended to both file names, so that a quick run never replaces a
    full one.
    """
    (folder / "results").mkdir(parents=True, exist_ok=True)
    file = folder / "results" / f"{machine['date']}-{slug(machine['cpu'])}{mark}.json"
    merged = {section.name: section for section in [*_earlier(file, machine), *sections]}
    kept = [merged[name] for name in order if name in merged]
    document = {"machine": machine, "sections": [asdict(section) for section in kept]}
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    text = "\n".join([HEADER, _place(machine), *map(section_markdown, kept)])
    (folder / f"RESULTS{mark}.md").write_text(text.rstrip() + "\n", encoding="utf-8")


def slug(name: str) -> str:
    """Letters, digits and dashes of a processor's name."""
    plain = re.sub(r"\(r\)|\(tm\)", " ", name.lower())
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _earlier(file: Path, machine: dict[str, Any]) -> list[Section]:
    if not file.exists():
        return []
    document = json.loads(file.read_text(encoding="utf-8"))
    same = {key: value for key, value in machine.items() if key != "load_before"}
    if any(document["machine"].get(key) != value for key, value in same.items()):
        return []
    return [_section(plain) for plain in document["sections"]]


def _section(plain: dict[str, Any]) -> Section:
    outcome = plain.pop("outcome")
    return Section(**plain, outcome=_outcome(outcome) if outcome else None)


def _outcome(plain: dict[str, Any]) -> Outcome:
    tables = [
        Table(table["title"], tuple(table["columns"]), [tuple(row) for row in table["rows"]])
        for table in plain["tables"]
    ]
    targets = [Target(**target) for target in plain["targets"]]
    return Outcome(tables, plain["checked"], targets, plain["remarks"])


def _place(machine: dict[str, Any]) -> str:
    versions = ", ".join(
        f"{name} {version or '(not installed)'}" for name, version in machine["versions"].items()
    )
    load = machine["load_before"]
    return (
        f"{machine['date']}, {machine['cpu']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {machine['python']}; {versions}. "
        f"Load of the machine before the run: {'unknown' if load is None else load}.\n"
    )
