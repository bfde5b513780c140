"""`footway reproduce`: reproduce tables and figures of the papers."""

from __future__ import annotations

import json as json_format
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from footway.cli.options import JsonOption, argument, flag, prepare_folder
from footway.cli.progress import timed_steps
from footway.cli.reports import print_json, print_lines, print_titles, print_written, say
from footway.writing import whole_file

if TYPE_CHECKING:
    from footway.reproduce.claims import Claim

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway reproduce --list\n\n"
    "  footway reproduce cmm\n\n"
    "  footway reproduce roadmaps --quick\n\n"
    "  footway reproduce cmm --quick -o somewhere --json\n\n"
    "  footway reproduce --claims"
)

WRONG_ANSWER: Final = 1
"""Exit code if a result violates a check, or a claim of a paper no longer holds."""


def reproduce(
    tables: Annotated[
        list[str] | None, argument("[TABLE]...", "Names of tables to reproduce; by default all.")
    ] = None,
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Folder for the files.")
    ] = "out/reproduce",
    quick: Annotated[bool, flag("--quick", "A small run: fewer queries and rounds.")] = False,
    list_all: Annotated[bool, flag("--list", "List the tables, and stop.")] = False,
    last_claims: Annotated[
        bool, flag("--claims", "Print all claims with the verdicts of the last run, and stop.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Run the experiments of the papers again.

    Prints each table with published and measured numbers, and writes NAME.md, NAME.json and the
    figures as PNG. TABLE is cmm, crowds, miran, roadmaps or voronoi. At the end comes one table of
    all claims of the papers, with a verdict for each (claims.md).

    A full run of a table takes minutes; --quick takes less, and judges no times.
    Fails if a claim no longer holds.
    """
    from footway.reproduce import EXPERIMENTS, choose
    from footway.reproduce.claims import broken, read_claims, table_of

    chosen = choose(tables or [])
    if list_all:
        titles = {each.name: each.title for each in EXPERIMENTS.values()}
        print_titles("tables", titles, json=json)
        return
    if last_claims:
        _print_claims(read_claims(Path(output)), json=json)
        return
    folder = prepare_folder(output)
    reports, written = [], []
    with timed_steps() as steps:
        for experiment in chosen:
            report = experiment.run(folder, quick=quick, step=steps.step)
            document = json_format.dumps(report.to_dict(), indent=1, allow_nan=False)
            texts = {".md": report.to_markdown(), ".json": f"{document}\n"}
            written += [_write(folder / f"{report.name}{kind}", texts[kind]) for kind in texts]
            written += [str(folder / name) for name in report.files]
            reports.append(report)
            if not json:
                print_lines([report.to_markdown(pictures=False)])
    claims = [claim for report in reports for claim in report.claims]
    written.append(_write(folder / "claims.md", "\n".join(table_of(claims).lines())))
    if json:
        found = [report.to_dict() for report in reports]
        print_json({"tables": found, "written": written, "times_ms": steps.in_ms()})
    else:
        print_written(*written)
        _print_claims(claims, json=False)
    wrong = [f"wrong answer: {words}" for report in reports for words in report.wrong]
    for report in reports:
        lost = broken(report.name, report.claims, whole=not quick)
        wrong += [f"claim no longer holds: {words}" for words in lost]
    for words in wrong:
        say(words)
    if wrong:
        raise typer.Exit(WRONG_ANSWER)


def _write(file: Path, text: str) -> str:
    """Write a text, and return the name of its file."""
    with whole_file(file) as part:
        part.write_text(text, encoding="utf-8")
    return str(file)


def _print_claims(claims: list[Claim], *, json: bool) -> None:
    from footway.reproduce.claims import table_of

    if json:
        print_json({"claims": [asdict(claim) for claim in claims]})
    else:
        print_lines(["", *table_of(claims).lines()])
