"""`footway fit`: choose parameters of a local model by measured trajectories or curves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from footway.cli import options as opt
from footway.cli import reports
from footway.cli.maps import load_environment
from footway.cli.progress import timed_steps
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.cli.progress import Steps
    from footway.validate.fitting import Fit
    from footway.validate.trajectories import Replay

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway fit social_force v0=0.5,5 sigma=0.1,0.6 --check bottleneck\n\n"
    "  footway fit orca time_horizon=0.5,5 --to fundamental --curve mine.csv --trials 60\n\n"
    "  footway fit social_force v0=0.5,5 --to day1.sqlite --check day2.sqlite --area 0,0,4,2\n\n"
    "  footway fit social_force v0=0.5,5 --to people.txt,plan.geojson --line 0,3,2,3 --rate 25"
)


def fit(
    model: Annotated[str, opt.argument("MODEL", "A local model.")],
    parameters: Annotated[
        list[str], opt.argument("NAME=LOW,HIGH...", "Parameters with their limits.")
    ],
    *,
    to: Annotated[
        list[str] | None,
        opt.option(
            "An experiment, or a file of measured trajectories (.parquet, .sqlite, .txt, .csv; "
            "FILE,MAP if it has no geometry) to fit to. May be repeated. By default "
            "fundamental.",
            unit="DATA",
        ),
    ] = None,
    check: Annotated[
        list[str] | None,
        opt.option(
            "Experiments or trajectories that are held out to judge the result; as for --to.",
            unit="DATA",
        ),
    ] = None,
    curve: Annotated[
        str | None,
        opt.option(
            "Your own measured curve (CSV: x, y, deviation) for the only experiment of --to.",
            unit="FILE",
        ),
    ] = None,
    area: Annotated[
        opt.Numbers | None,
        opt.option(
            "Of trajectories: compare density and speed in this box.",
            unit="X0,Y0,X1,Y1",
            parser=opt.two_points,
        ),
    ] = None,
    line: Annotated[
        opt.Numbers | None,
        opt.option(
            "Of trajectories: compare the flow over this line.",
            unit="X0,Y0,X1,Y1",
            parser=opt.two_points,
        ),
    ] = None,
    speed: Annotated[
        opt.Numbers | None,
        opt.option(
            "Of trajectories: free speed of the people, m/s.",
            unit="MEAN,DEVIATION",
            default="1.34,0.26",
            parser=opt.mean_and_deviation,
        ),
    ] = None,
    rate: Annotated[
        float | None, opt.quantity("HZ", "Frames per second of files that do not say it.")
    ] = None,
    unit: Annotated[
        float | None,
        opt.quantity("METRES", "Unit of the coordinates of files that do not say it; 0.01: cm."),
    ] = None,
    step: Annotated[float, opt.option("Time step.", unit="SECONDS", parser=opt.number)] = 0.1,
    trials: Annotated[int, opt.option("Trials at most.", unit="N")] = 40,
    json: opt.JsonOption = False,
) -> None:
    """Choose parameters of a local model so that it matches measured people.

    Each trial simulates the experiments, or the people of the trajectories in their geometry: they
    enter where and when they were measured. Prints the distance to the measured data before and
    after, and to data that were held out: a fit that is worse there does not carry over to others.
    """
    from footway.validate.fitting import fit as run_fit
    from footway.validate.fitting import with_curve

    opt.check_time_step(step)
    if not 2 <= trials <= 100_000:
        raise BadInput(f"--trials is {trials}; give 2 to 100000")
    chosen = list(to or ("fundamental",))
    if curve is not None and len(chosen) != 1:
        raise BadInput("--curve is for one experiment; give --to once")
    limits = dict(map(_parse, parameters))
    with timed_steps() as steps:
        given: dict[str, Any] = {"area": area, "line": line, "rate": rate, "unit": unit}
        given |= {} if speed is None else {"speed": speed}
        targets: list[Any] = [_load(one, steps, **given) for one in chosen]
        held_out = [_load(one, steps, **given) for one in check or ()]
        if curve is not None:
            targets = [with_curve(chosen[0], curve)]
        with steps.bar("fit", "Fitting") as bar:
            found = run_fit(
                model, limits, targets, check=held_out, step=step, trials=trials, progress=bar
            )
    if json:
        reports.print_json(found.to_dict() | {"times_ms": steps.in_ms()})
    else:
        reports.print_lines(_as_text(found))


def _load(
    text: str,
    steps: Steps,
    *,
    area: Any,
    line: Any,
    rate: float | None,
    unit: float | None,
    **more: Any,
) -> str | Replay:
    """Return the name of an experiment, or the people of a file of trajectories, FILE[,MAP]."""
    from footway.validate.scenes import box
    from footway.validate.trajectories import SUFFIXES, load_trajectories, replay

    file, _, map_name = text.partition(",")
    if Path(file).suffix.lower() not in SUFFIXES:
        return text
    environment = load_environment(opt.Source(map_name), steps) if map_name else None
    with steps.step("load", f"Reading {file}"):
        people = load_trajectories(file, rate=rate, unit=unit, environment=environment)
        ring, ends = area and box(*area), line and (line[:2], line[2:])
        return replay(people, file, area=ring, line=ends, **more)


def _parse(text: str) -> tuple[str, tuple[float, float]]:
    name, _, rest = text.partition("=")
    try:
        low, high = map(float, rest.split(","))
    except ValueError:
        raise BadInput(f"{text!r} is not valid; give NAME=LOW,HIGH, such as v0=0.5,5") from None
    return name, (low, high)


def _as_text(found: Fit) -> Iterator[str]:
    yield f"{found.model}: {reports.count(len(found.trials), 'trial')}"
    rows = [
        (name, f"{value:.4g} (default {found.before.parameters[name]:.4g})")
        for name, value in found.best.parameters.items()
    ]
    distances = f"{found.best.distance:.1%} (default {found.before.distance:.1%})"
    rows.append(("distance", distances))
    if found.check_best is not None and found.check_before is not None:
        verdict = "carries over" if found.carries_over else "does NOT carry over to these data"
        text = f"{found.check_best:.1%} (default {found.check_before:.1%}): {verdict}"
        rows.append(("held out", text))
    yield from reports.facts(rows)
