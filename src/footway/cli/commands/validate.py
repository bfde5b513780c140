"""`footway validate`: compare simulated crowds with experiments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from footway.cli import options as opt
from footway.cli.progress import timed_steps
from footway.cli.reports import facts, print_json, print_lines, print_titles, print_written
from footway.errors import BadInput
from footway.extras import optional_imports
from footway.writing import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.validate import Validation

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway validate -o validation.html\n\n"
    "  footway validate --list\n\n"
    "  footway validate bottleneck single-file --quick\n\n"
    "  footway validate --model social_force --step 0.02 --step 0.1 --json"
)


def validate(
    experiments: Annotated[
        list[str] | None,
        opt.argument(
            "[EXPERIMENT]...",
            "fundamental, corridor, bottleneck, two-way, single-file, corner; by default all.",
        ),
    ] = None,
    *,
    output: Annotated[
        str | None,
        opt.option("One page with charts and trajectories (.html).", "-o", "--output", unit="FILE"),
    ] = None,
    model: Annotated[
        list[str] | None,
        opt.option(
            "A local model, or a model of JuPedSim. May be repeated. By default "
            "all, with those of JuPedSim if it is installed.",
            unit="NAME",
        ),
    ] = None,
    step: Annotated[
        list[float] | None,
        opt.option(
            "Time step of Footway's models. May be repeated. By default 0.05 and 0.1.",
            unit="SECONDS",
            parser=opt.number,
        ),
    ] = None,
    trajectories: Annotated[
        str | None,
        opt.option(
            "Folder with trajectories of the experiments, to draw them beside ours.", unit="DIR"
        ),
    ] = None,
    quick: Annotated[
        bool, opt.flag("--quick", "A small run: few scenes, one seed, no JuPedSim.")
    ] = False,
    list_all: Annotated[bool, opt.flag("--list", "List the experiments, and stop.")] = False,
    json: opt.JsonOption = False,
) -> None:
    """Compare simulated crowds with measured people.

    Runs the scenes of experiments with each model and prints how far the results are from the
    measured ones: speed by density in one-way and two-way flow and in a single file, flow through
    bottlenecks, motion around a corner. A full run takes minutes.
    """
    if list_all:
        from footway.validate.experiments import EXPERIMENTS

        titles = {name: one.title for name, one in EXPERIMENTS.items()}
        print_titles("experiments", titles, json=json)
        return
    steps_of_time = tuple(step or (0.05, 0.1))
    for one in steps_of_time:
        opt.check_time_step(one)
    opt.check_output(output, (".html",), "a report")
    folder = None if trajectories is None else Path(trajectories)
    if folder is not None and not folder.is_dir():
        raise BadInput(f"{trajectories}: is not a folder; give the one with the trajectories")
    from footway.crowd.models import MODELS
    from footway.validate import validate as run

    if output is not None:
        with optional_imports():
            from footway.validate.page import to_html

    chosen = tuple(model or (MODELS if quick else ()))
    with timed_steps() as steps:
        with steps.bar("run", "Running the experiments") as progress:
            names = experiments or ()
            found = run(names, models=chosen, steps=steps_of_time, quick=quick, progress=progress)
        if output is not None:
            with steps.step("page", f"Drawing {output}"), whole_file(output) as part:
                part.write_text(to_html(found, trajectories=folder), encoding="utf-8")
    if json:
        print_json(found.to_dict() | {"output": output, "times_ms": steps.in_ms()})
        return
    print_lines(_as_text(found))
    print_written(output)


def _as_text(found: Validation) -> Iterator[str]:
    """Return distances and points in the measured spread, by experiment and model."""
    for experiment in found.experiments:
        yield experiment.title
        rows = []
        for curve in found.curves[experiment.name]:
            inside, known = curve.inside
            words = f"{inside} of {known} points in the measured spread" if known else ""
            if curve.distance is not None:
                words = f"distance {100.0 * curve.distance:.0f} %, {words}"
            elif curve.points and not known:
                words = ", ".join(f"{point.y:.2f} at {point.x:g}" for point in curve.points)
            left = sum(point.left for point in curve.points)
            words += f", {left} people had not left at the end" if left else ""
            words += f", failed in {len(curve.failures)} scenes" if curve.failures else ""
            rows.append((f"{curve.engine}, dt {curve.dt:g} s", words.lstrip(", ")))
        yield from facts(rows)
