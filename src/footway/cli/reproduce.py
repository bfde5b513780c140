"""`footway reproduce`: reproduce tables and figures of the papers."""

from __future__ import annotations

import json as json_format
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway.cli.files import prepare_folder
from footway.cli.maps import JsonOption  # noqa: TC001 - Typer reads it at run time
from footway.cli.output import (
    Steps,
    announced_compilation,
    facts,
    print_json,
    print_lines,
    say,
)
from footway.writing import whole_file

if TYPE_CHECKING:
    from pathlib import Path

    from footway.reproduce import Experiment
    from footway.reproduce.report import Report

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway reproduce --list\n\n"
    "  footway reproduce cmm\n\n"
    "  footway reproduce roadmaps --quick\n\n"
    "  footway reproduce cmm --quick -o somewhere --json"
)

WRONG_ANSWER: Final = 1
"""Exit code if a result violates a check: a defect of Footway."""


def reproduce(
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TABLE]...",
            help="Names of tables to reproduce; by default all.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Folder for the files.")
    ] = "out/reproduce",
    quick: Annotated[
        bool, typer.Option("--quick", help="A small run: fewer queries and rounds.")
    ] = False,
    list_all: Annotated[bool, typer.Option("--list", help="List the tables, and stop.")] = False,
    json: JsonOption = False,
) -> None:
    """Run the experiments of the papers again.

    Prints each table with published and measured numbers, and writes NAME.md, NAME.json and the
    figures as PNG. TABLE is cmm, crowds, miran, roadmaps or voronoi.

    A full run of a table takes minutes; --quick takes less.
    """
    from footway.reproduce import EXPERIMENTS, choose

    chosen = choose(tables or [])
    if list_all:
        _print_list(list(EXPERIMENTS.values()), json=json)
        return
    folder = prepare_folder(output)
    steps = Steps()
    reports = []
    with announced_compilation():
        for experiment in chosen:
            report = experiment.run(folder, quick=quick, step=steps.step)
            _write(report, folder)
            reports.append(report)
            if not json:
                print_lines([report.to_markdown(pictures=False)])
    if json:
        print_json(_as_json(reports, folder, steps))
    else:
        print_lines(f"Wrote {file}" for file in _files(reports, folder))
    _refuse_wrong(reports)


def _print_list(experiments: list[Experiment], *, json: bool) -> None:
    if json:
        print_json({"tables": [{"name": e.name, "title": e.title} for e in experiments]})
    else:
        print_lines(facts([(e.name, e.title) for e in experiments]))


def _write(report: Report, folder: Path) -> None:
    """Write the report as Markdown and JSON, beside the pictures."""
    document = json_format.dumps(report.to_dict(), indent=1, allow_nan=False)
    texts = {".md": report.to_markdown(), ".json": f"{document}\n"}
    for suffix, text in texts.items():
        with whole_file(folder / f"{report.name}{suffix}") as part:
            part.write_text(text, encoding="utf-8")


def _as_json(reports: list[Report], folder: Path, steps: Steps) -> dict[str, Any]:
    return {
        "tables": [report.to_dict() for report in reports],
        "written": _files(reports, folder),
        "times_ms": steps.in_ms(),
    }


def _files(reports: list[Report], folder: Path) -> list[str]:
    return [
        str(folder / name)
        for report in reports
        for name in (f"{report.name}.md", f"{report.name}.json", *report.files)
    ]


def _refuse_wrong(reports: list[Report]) -> None:
    """Print wrong results, and exit with an error code if there are any."""
    wrong = [words for report in reports for words in report.wrong]
    for words in wrong:
        say(f"wrong answer: {words}")
    if wrong:
        raise typer.Exit(WRONG_ANSWER)
