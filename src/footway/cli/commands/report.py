"""`footway report`: a page about a study, or about two of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import quote

from footway.cli import options as opt
from footway.cli import reports
from footway.cli.options import JsonOption, option
from footway.cli.progress import timed_steps
from footway.errors import BadInput
from footway.writing import whole_file

if TYPE_CHECKING:
    from footway.cli.progress import Steps
    from footway.runs.results import StudyResults

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway report plan -o plan.html\n\n"
    "  footway report plan -o flow.html --measure 'flow door'\n\n"
    "  footway report before after -o change.html"
)


def report(
    folders: Annotated[list[str], opt.argument("FOLDER...", "The folder of a study, or of two.")],
    *,
    output: Annotated[
        str | None,
        option(
            "The page, .html.", "-o", "--output", unit="FILE", default="FOLDER.html or A-and-B.html"
        ),
    ] = None,
    measure: Annotated[
        str | None,
        option(
            "What the charts are about, such as 'flow DOOR'.", unit="NAME", default="egress_time"
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write a page about a study, or compare two.

    The page has curves with confidence bands, the distribution of the runs, the influence of each
    varied key, pictures of the recorded runs, and everything needed to repeat the study. It needs
    no other file, but links to pages that replay the recorded runs, which are written beside the
    recordings. Two studies are compared point by point, with a test of each difference.
    """
    from footway.extras import optional_imports
    from footway.runs.analysis import main_measure
    from footway.runs.results import StudyResults

    if len(folders) > 2:
        raise BadInput(f"{len(folders)} folders are given; give one, or two to compare")
    if len({Path(folder).resolve() for folder in folders}) < len(folders):
        raise BadInput(f"{folders[1]}: is given twice; give another study to compare it with")
    names = [folders[0].rstrip("/"), *(Path(folder).resolve().name for folder in folders[1:])]
    file = output or f"{'-and-'.join(names)}.html"
    opt.check_output(file, (".html",), "a report")
    studies = [StudyResults.from_folder(folder) for folder in folders]
    for study in studies:
        if not study.runs:
            raise BadInput(f"{study.folder}: has no finished run; run footway study first")
    with optional_imports():
        import matplotlib as mpl  # noqa: F401 - pages have charts
    from footway.runs import report as pages

    measure = main_measure(*studies, chosen=measure)
    with timed_steps() as steps:
        if len(studies) == 2:
            text = pages.comparison_html(*studies, measure=measure)
        else:
            replays = _write_replays(studies[0], Path(file).parent, steps)
            with steps.step("page", f"Drawing {file}"):
                text = pages.report_html(studies[0], replays, measure=measure)
        with whole_file(file) as part:
            part.write_text(text, "utf-8")
    runs = sum(len(study.runs) for study in studies)
    if json:
        reports.print_json({"folders": folders, "output": file, "runs": runs, "measure": measure})
    else:
        reports.print_lines([f"{reports.count(runs, 'run')}, {measure}"])
        reports.print_written(file)


def _write_replays(study: StudyResults, beside: Path, steps: Steps) -> dict[str, str]:
    """Write a page that replays each recording, beside it; return links relative to a folder."""
    from footway.corridor import CorridorMap
    from footway.recording.recording import Recording
    from footway.studio.replay import write_page

    links = {}
    for name, (file, *_) in study.recordings.items():
        replay, recording = file.with_suffix(".html"), Recording.load(file)
        environment = recording.environment  # None of a building
        whole = recording.building or environment
        if whole is None:
            continue
        with steps.step(name, f"Writing {replay}"), whole_file(replay) as part:
            cmap = CorridorMap.build(whole)
            write_page(recording, part, cmap=cmap, environment=environment)
        links[name] = quote(Path(os.path.relpath(replay, beside)).as_posix())
    return links
