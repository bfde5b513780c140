"""`footway fit`: choose parameters of a local model by measured curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from footway.cli import options as opt
from footway.cli import reports
from footway.cli.progress import timed_steps
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.validate.fitting import Fit

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway fit social_force v0=0.5,5 sigma=0.1,0.6 --check bottleneck\n\n"
    "  footway fit orca time_horizon=0.5,5 --to fundamental --curve mine.csv --trials 60"
)


def fit(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A local model.", show_default=False)
    ],
    parameters: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=LOW,HIGH...", help="Parameters with their limits.", show_default=False
        ),
    ],
    *,
    to: Annotated[
        list[str] | None,
        opt.option(
            "An experiment to fit to; give it several times for several. By default fundamental.",
            unit="EXPERIMENT",
        ),
    ] = None,
    check: Annotated[
        list[str] | None,
        opt.option(
            "An experiment that is held out to judge the result; several times for several.",
            unit="EXPERIMENT",
        ),
    ] = None,
    curve: Annotated[
        str | None,
        opt.option(
            "Your own measured curve (CSV: x, y, deviation) for the only experiment of --to.",
            unit="FILE",
        ),
    ] = None,
    dt: Annotated[float, opt.option("Time step.", unit="SECONDS", parser=opt.number)] = 0.1,
    trials: Annotated[int, opt.option("Trials at most.", unit="N")] = 40,
    json: opt.JsonOption = False,
) -> None:
    """Choose parameters of a local model so that it matches measured curves.

    Each trial simulates the scenes of the experiments. Prints the distance to the measured curves
    before and after, and that to curves that were held out: a fit that is worse there does not
    carry over.
    """
    from footway.validate.fitting import fit as run_fit
    from footway.validate.fitting import with_curve

    if not 0.001 <= dt <= 0.2:
        raise BadInput(f"--dt is {dt:g}; give 0.001 to 0.2 s")
    if not 2 <= trials <= 100_000:
        raise BadInput(f"--trials is {trials}; give 2 to 100000")
    chosen = list(to or ("fundamental",))
    if curve is not None and len(chosen) != 1:
        raise BadInput("--curve is for one experiment; give --to once")
    targets = [with_curve(chosen[0], curve)] if curve is not None else chosen
    limits = dict(map(_parse, parameters))
    with timed_steps() as steps, steps.bar("fit", "Fitting") as bar:
        found = run_fit(
            model, limits, targets, check=check or (), dt=dt, trials=trials, progress=bar
        )
    if json:
        reports.print_json(found.to_dict() | {"times_ms": steps.in_ms()})
    else:
        reports.print_lines(_as_text(found))


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
