"""`footway report`: a page about a study, or about two of them."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from footway.cli import options as opt
from footway.cli import reports
from footway.cli.options import JsonOption, option
from footway.errors import BadInput
from footway.writing import whole_file

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway report plan -o plan.html\n\n"
    "  footway report before after -o change.html"
)


def report(
    folders: Annotated[
        list[str],
        typer.Argument(
            metavar="FOLDER...", help="The folder of a study, or of two.", show_default=False
        ),
    ],
    *,
    output: Annotated[
        str | None, option("The page, .html.", "-o", unit="FILE", default="FOLDER.html")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write a page about a study, or compare two.

    The page has curves with confidence bands, the distribution of the runs, the influence of each
    varied key, pictures of the recorded runs, and everything needed to repeat the study. It needs
    no other file. Two studies are compared point by point, with a test of each difference.
    """
    from footway.extras import optional_imports
    from footway.runs.results import StudyResults

    if len(folders) > 2:
        raise BadInput(f"{len(folders)} folders are given; give one, or two to compare")
    file = output or f"{folders[0].rstrip('/')}.html"
    opt.check_output(file, (".html",), "a report")
    studies = [StudyResults.from_folder(folder) for folder in folders]
    for study in studies:
        if not study.runs:
            raise BadInput(f"{study.folder}: has no finished run; run footway study first")
    with optional_imports():
        import matplotlib as mpl  # noqa: F401 - pages have charts
    from footway.runs import report as pages

    measure = pages.main_measure(*studies)
    text = pages.comparison_html(*studies) if len(studies) == 2 else pages.report_html(studies[0])
    with whole_file(file) as part:
        part.write_text(text, "utf-8")
    runs = sum(len(study.runs) for study in studies)
    if json:
        reports.print_json({"folders": folders, "output": file, "runs": runs, "measure": measure})
    else:
        reports.print_lines([f"{reports.count(runs, 'run')}, {measure}"])
        reports.print_written(file)
