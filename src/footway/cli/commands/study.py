"""`footway study`: run a scenario many times, with values that vary."""

from __future__ import annotations

import logging
import re
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from footway.cli import reports
from footway.cli.interrupts import INTERRUPTED, Stopped, acknowledge
from footway.cli.options import JsonOption, argument, flag, option
from footway.cli.progress import timed_steps
from footway.errors import BadInput
from footway.extras import optional_imports

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from footway.runs.results import StudyResults
    from footway.runs.study import Study

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway study plan.toml -o plan\n\n"
    "  footway study plan.toml -o plan --workers 8\n\n"
    "  footway study plan.toml -o plan --scheduler tcp://host:8786\n\n"
    "  footway study plan.toml -o plan --shard 3/50\n\n"
    "The same command continues a study that was stopped. After all shards, run it without --shard."
)
_SHARD: Final = re.compile(r"(\d+)/(\d+)")
_MOST_ROWS = 40


def study(
    plan: Annotated[str, argument("STUDY", "A study file (.toml).")],
    *,
    output: Annotated[
        str | None,
        option(
            "Folder of the results.", "-o", "--output", unit="DIR", default="STUDY without .toml"
        ),
    ] = None,
    workers: Annotated[int | None, option("Processes; by default one per core.", unit="N")] = None,
    dask: Annotated[bool, flag("--dask", "Use a Dask cluster on this machine.")] = False,
    scheduler: Annotated[
        str | None, option("Use the Dask cluster of this scheduler.", unit="ADDRESS")
    ] = None,
    shard: Annotated[
        str | None,
        option("Run each N-th point only, from the K-th on, for job arrays.", unit="K/N"),
    ] = None,
    keep: Annotated[
        str,
        option(
            "Runs to record: median, worst (by time of egress), POINT-SEED such as 3-17, or none.",
            unit="RUN,...",
        ),
    ] = "median,worst",
    check: Annotated[
        bool, flag("--check", "Check the study, its maps and all points, and stop.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Run a scenario many times, with values that vary.

    Writes a row per run and measure to results.parquet in the folder, and recordings of the median
    and the worst run. Finished runs are kept if the command is stopped or killed; the same command
    continues. The results do not depend on the number of workers.
    """
    from footway.runs.execution import check as check_study
    from footway.runs.execution import study as run_study
    from footway.runs.results import StudyFolder
    from footway.runs.study import load_study

    part = _parse_shard(shard)
    if dask and scheduler is not None:
        raise BadInput("--dask starts a cluster, --scheduler uses another one; leave one out")
    kept = tuple(name.strip() for name in keep.split(",") if name.strip() != "none")
    folder = output or str(Path(plan).with_suffix(""))
    made = load_study(plan)
    if check:
        with timed_steps() as steps, steps.bar("check", "Checking") as bar:
            check_study(made, folder, progress=bar)
        _print_check(plan, made, json=json)
        return
    with timed_steps() as steps, _client(dask, scheduler, workers) as client:
        try:
            with steps.bar("study", "Running") as bar:
                results = run_study(
                    made, folder, workers=workers, executor=client, shard=part,
                    keep=kept, progress=bar,
                )  # fmt: skip
        except KeyboardInterrupt:
            acknowledge()
            done = reports.count(len(StudyFolder(folder).finished()), "finished run")
            message = f"after {done}, kept in {folder}; the same command continues"
            raise Stopped(INTERRUPTED - 128, message) from None
    if json:
        reports.print_json(_as_json(plan, results) | {"times_ms": steps.in_ms()})
    else:
        reports.print_lines(_as_text(results, range(part[0] - 1, len(made.points), part[1])))
        reports.print_written(str(results.folder / "results.parquet"))


def _parse_shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    found = _SHARD.fullmatch(text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise BadInput(f"--shard is {text}; give K/N with K from 1 to N, such as 3/50")
    return int(found[1]), int(found[2])


@contextmanager
def _client(dask: bool, scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """Yield a client of a Dask cluster; None for processes on this machine."""
    if not dask and scheduler is None:
        yield None
        return
    with optional_imports():
        import distributed
    dask_: Any = distributed  # it has no types
    logging.disable()  # a lost scheduler is reported in one line, by us
    with ExitStack() as stack:
        stack.callback(logging.disable, logging.NOTSET)
        address: Any = scheduler
        if dask:
            options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None}
            address = stack.enter_context(dask_.LocalCluster(n_workers=workers, **options))
        try:
            client = stack.enter_context(dask_.Client(address, timeout=10))
        except (OSError, TimeoutError, ValueError) as error:
            raise BadInput(
                f"--scheduler {scheduler}: does not answer ({' '.join(str(error).split())[:80]}); "
                "start it with: dask scheduler"
            ) from None
        if not client.nthreads():
            reports.say(f"{scheduler} has no workers yet; start them with: dask worker {scheduler}")
        yield client


def _print_check(plan: str, made: Study, *, json: bool) -> None:
    runs = len(made.points) * made.seeds
    if json:
        facts: dict[str, Any] = {"study": plan, "valid": True, "points": len(made.points)}
        reports.print_json(facts | {"seeds": made.seeds, "runs": runs, "keys": list(made.keys)})
        return
    most = "at most " if made.stop else ""
    size = f"{reports.count(len(made.points), 'point')}, {most}{reports.count(runs, 'run')}"
    reports.print_lines([f"{plan} is fine: {size}", f"  varies: {', '.join(made.keys) or 'seeds'}"])


def _as_json(plan: str, results: StudyResults) -> dict[str, Any]:
    points = [
        {
            "values": dict(values),
            "runs": sum(point == p for p, _ in results.runs),
            "uncertain": results.is_uncertain(point),
            "measures": {
                name: vars(results.statistics_at(point, name)) for name in results.measures
            },
        }
        for point, values in enumerate(results.points)
    ]
    return {"study": plan, "folder": str(results.folder), "points": _without_nan(points)}


def _without_nan(value: Any) -> Any:
    """Return JSON values; NaN becomes None."""
    if isinstance(value, dict):
        return {name: _without_nan(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124 - NaN


def _as_text(results: StudyResults, points: Sequence[int]) -> Iterator[str]:
    """Yield what was found at these points; a shard has some of them only."""
    from footway.runs.report import uncertain_text
    from footway.runs.study import describe

    finished = sum(point in points for point, _ in results.runs)
    part = "" if len(points) == len(results.points) else f"{len(points)} of "
    yield (
        f"{results.title}: {reports.count(finished, 'run')}, "
        f"{part}{reports.count(len(results.points), 'point')}"
    )
    measure = "egress_time"
    found = [results.statistics_at(point, measure) for point in points]
    if not any(one.n for one in found):
        measure = "arrivals"
        found = [results.statistics_at(point, measure) for point in points]
    unit = " s" if measure == "egress_time" else ""
    for point, one in list(zip(points, found, strict=True))[:_MOST_ROWS]:
        spread = f", 95 % confidence {one.low:.1f} to {one.high:.1f}" if one.n > 1 else ""
        text = f"{one.mean:.1f}{unit} on average{spread}, 95th percentile {one.p95:.1f}{unit}"
        text = text if one.n else "no run in which everybody left"
        left = results.not_out(point)
        runs = reports.count(sum(key[0] == point for key in results.runs), "run")
        warning = f"; in {left} of them somebody was still inside at the end" if left else ""
        yield f"  {describe(results.points[point])}: {measure} {text} ({runs}{warning})"
    uncertain = sum(map(results.is_uncertain, points))
    if results.stop is not None and uncertain:
        yield f"  {uncertain_text(results.stop, uncertain, len(points))}"
    if len(points) > _MOST_ROWS:
        yield f"  and {len(points) - _MOST_ROWS} more: --json lists them all"
