"""`footway reproduce`: the tables and figures of the papers, with the published numbers beside."""

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
"""Exit code where a walk was not as it must be: a fault of Footway."""


def reproduce(
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TABLE]...",
            help="What to reproduce, by name; all that there is without one.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Where the files go.")
    ] = "out/reproduce",
    quick: Annotated[
        bool, typer.Option("--quick", help="A small run: fewer queries and rounds.")
    ] = False,
    list_all: Annotated[bool, typer.Option("--list", help="Say what there is, and stop.")] = False,
    json: JsonOption = False,
) -> None:
    """Run the experiments of the papers again.

    Prints each table with the published number beside ours, and writes NAME.md, NAME.json and
    the figures as PNG. TABLE is cmm, crowds, miran, roadmaps or voronoi.

    A full run of a table takes minutes; --quick gives a first look at it.
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
        print_lines(_closing(reports, folder))
    _refuse_wrong(reports)


def _print_list(experiments: list[Experiment], *, json: bool) -> None:
    if json:
        print_json({"tables": [{"name": e.name, "title": e.title} for e in experiments]})
    else:
        print_lines(facts([(e.name, e.title) for e in experiments]))


def _write(report: Report, folder: Path) -> None:
    """Write the report to read and the report for programs, beside the pictures."""
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


def _closing(reports: list[Report], folder: Path) -> list[str]:
    return [f"Wrote {file}" for file in _files(reports, folder)]


def _files(reports: list[Report], folder: Path) -> list[str]:
    return [
        str(folder / name)
        for report in reports
        for name in (f"{report.name}.md", f"{report.name}.json", *report.files)
    ]


def _refuse_wrong(reports: list[Report]) -> None:
    """Leave with an exit code where an answer was wrong, whatever the times were."""
    wrong = [words for report in reports for words in report.wrong]
    for words in wrong:
        say(f"wrong answer: {words}")
    if wrong:
        raise typer.Exit(WRONG_ANSWER)
