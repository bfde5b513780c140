"""`footway reproduce`: reproduce tables and figures of the papers."""

from __future__ import annotations

import json as json_format
from typing import Annotated, Final

import typer

from footway.cli.options import JsonOption, prepare_folder
from footway.cli.progress import timed_steps
from footway.cli.reports import facts, print_json, print_lines, print_written, say
from footway.writing import whole_file

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
        titles = {each.name: each.title for each in EXPERIMENTS.values()}
        if json:
            rows = [{"name": name, "title": title} for name, title in titles.items()]
            print_json({"tables": rows})
        else:
            print_lines(facts(titles.items()))
        return
    folder = prepare_folder(output)
    reports, written = [], []
    with timed_steps() as steps:
        for experiment in chosen:
            report = experiment.run(folder, quick=quick, step=steps.step)
            document = json_format.dumps(report.to_dict(), indent=1, allow_nan=False)
            texts = {".md": report.to_markdown(), ".json": f"{document}\n"}
            for suffix, text in texts.items():
                with whole_file(folder / f"{report.name}{suffix}") as part:
                    part.write_text(text, encoding="utf-8")
            reports.append(report)
            names = (f"{report.name}.md", f"{report.name}.json", *report.files)
            written += [str(folder / name) for name in names]
            if not json:
                print_lines([report.to_markdown(pictures=False)])
    if json:
        found = [report.to_dict() for report in reports]
        print_json({"tables": found, "written": written, "times_ms": steps.in_ms()})
    else:
        print_written(*written)
    wrong = [words for report in reports for words in report.wrong]
    for words in wrong:
        say(f"wrong answer: {words}")
    if wrong:
        raise typer.Exit(WRONG_ANSWER)
