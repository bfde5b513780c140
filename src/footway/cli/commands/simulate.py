"""`footway simulate`: run the crowd of a scenario file."""

from __future__ import annotations

import json as json_format
import shlex
import signal
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from footway import plot as pictures
from footway.cli import options as opt
from footway.cli import reports
from footway.cli.interrupts import Stopped
from footway.cli.progress import Steps, StopSignals, timed_steps
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from footway.crowd import Crowd, Stuck
    from footway.crowd.models import LocalModel
    from footway.crowd.start_space import StartSpace
    from footway.runs import Summary
    from footway.scenario import Scenario
    from footway.scenario.building import PreparedCrowd

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway simulate --list\n\n"
    "  footway simulate demo:evacuation --plot evacuation.png\n\n"
    "  footway simulate plaza.toml -o plaza.parquet --animate plaza.webp\n\n"
    "  footway simulate plaza.toml --check\n\n"
    "  footway simulate plaza.toml --model orca,time_horizon=3\n\n"
    "  footway simulate plaza.toml -o plaza.parquet --checkpoint plaza.npz --seconds 600\n\n"
    "  footway simulate plaza.toml -o plaza.parquet --resume plaza.npz --seconds 1200\n\n"
    "  footway simulate plaza.toml -o run.parquet --checkpoint run.npz --checkpoint-every 60\n\n"
    "  footway simulate --schema > scenario.schema.json\n\n"
    "docs/scenarios.md has every key of a scenario file."
)

_LONGEST: Final = 604_800.0  # s, of simulated time: a week
_MOST_STUCK: Final = 5  # listed characters
_MOST_NAMES: Final = 6  # listed populations
_FILES: Final = "Files"


def _file(words: str, *names: str) -> Any:
    return opt.option(words, *names, unit="FILE", panel=_FILES)


@dataclass(frozen=True)
class Options:
    """Options of a run besides the scenario."""

    output: str | None
    plot: str | None
    animation: str | None
    speed: float | None
    checkpoint: str | None
    every: float | None  # s between two checkpoints
    resume: str | None

    def check(self) -> None:
        """Check the options and that all files can be written, before the run."""
        from footway.crowd import checkpoint
        from footway.recording import storage

        if self.output is not None:
            storage.check_name(self.output)
        if self.checkpoint is not None:
            checkpoint.check_name(self.checkpoint)
        if self.every is not None:
            if self.checkpoint is None:
                raise BadInput("--checkpoint-every needs --checkpoint FILE, where to save it")
            _check_seconds(self.every, "--checkpoint-every")
        opt.check_plot(self.plot)
        opt.check_animation(self.animation, self.speed)
        files = (self.output, self.plot, self.animation, self.checkpoint)
        opt.check_different(files)
        for file in files:
            if file is not None:
                opt.check_writable(file)

    def check_start(self, crowd: Crowd, scenario: Scenario) -> None:
        """Check that time is left, and that -o may be continued from the checkpoint."""
        from footway.recording.storage import unfinished_parts

        if scenario.duration <= crowd.time:
            raise BadInput(
                f"the checkpoint is at {crowd.time:g} s, and the run ends at "
                f"{scenario.duration:g} s; give more --seconds"
            )
        file = self.output
        if file is None or self.resume is None:
            return
        if not Path(file).exists() and not unfinished_parts(Path(file)):
            reports.say(
                f"{file}: is new, and begins at {crowd.time:g} s, the time of the checkpoint"
            )
        elif not crowd.continues(file, every=scenario.output.every):
            raise BadInput(
                f"{file}: already exists, and is not the recording of this run up to the "
                f"checkpoint, at {crowd.time:g} s; give another -o"
            )


def simulate(
    scenario_name: Annotated[
        str | None, opt.argument("SCENARIO", "A scenario file (TOML), or demo:NAME.")
    ] = None,
    *,
    seconds: Annotated[
        float | None,
        opt.quantity(
            "SECONDS", "Simulated time at which the run ends, instead of the scenario's duration."
        ),
    ] = None,
    seed: Annotated[
        int | None, opt.option("Seed instead of the scenario's.", unit="INTEGER", min=0)
    ] = None,
    model: Annotated[
        str | None,
        opt.option(
            "Local model instead of the scenario's, such as orca or orca,time_horizon=3.",
            unit="NAME[,KEY=VALUE...]",
        ),
    ] = None,
    threads: Annotated[
        int | None, opt.option("Threads; by default all cores.", unit="N", min=1)
    ] = None,
    check: Annotated[
        bool, opt.flag("--check", "Check the scenario against its map, and stop.")
    ] = False,
    schema: Annotated[
        bool, opt.flag("--schema", "Print the JSON Schema of a scenario, and stop.")
    ] = False,
    list_all: Annotated[bool, opt.flag("--list", "List the built-in scenarios, and stop.")] = False,
    output: Annotated[
        str | None,
        _file("Save the recording (.parquet); written during the run.", "-o", "--output"),
    ] = None,
    checkpoint: Annotated[
        str | None, _file("Save the state of the crowd at the end, or at Ctrl-C (.npz).")
    ] = None,
    checkpoint_every: Annotated[
        float | None,
        opt.quantity(
            "SECONDS",
            "Save the checkpoint at this interval of simulated time, so that a run that was "
            "killed or crashed can be continued.",
            panel=_FILES,
        ),
    ] = None,
    resume: Annotated[
        str | None,
        _file(
            "Continue from a checkpoint. If -o names the recording of that run, it is continued."
        ),
    ] = None,
    plot: opt.PlotOption = None,
    animate: Annotated[str | None, _file("Save an animation: .webp, .gif or .mp4.")] = None,
    animate_speed: Annotated[
        float | None,
        opt.quantity(
            "TIMES",
            "Speed of the animation: 4 is four times real time. By default 1 to 8, by length.",
            panel=_FILES,
        ),
    ] = None,
    json: opt.JsonOption = False,
) -> None:
    """Run the crowd of a scenario file.

    Prints the time per step, arrivals, exits, and stuck characters with the cause. Records the run
    with -o, and draws it with --plot and --animate. Ctrl-C stops the run and leaves a readable
    recording. With --checkpoint, --resume continues the run, in the same recording if -o names it.
    With --checkpoint-every, a run that was killed or crashed can be continued, too.

    An error in the file is reported with its line and key before anything runs.
    """
    if schema:
        from footway.scenario import json_schema

        reports.print_lines([json_format.dumps(json_schema(), indent=2, allow_nan=False)])
        return
    if list_all:
        from footway.scenario.reading import demo_names, load_scenario

        titles = {f"demo:{name}": load_scenario(f"demo:{name}").title for name in demo_names()}
        reports.print_titles("scenarios", titles, json=json)
        return
    if scenario_name is None:
        raise BadInput("no scenario is given; give a file or demo:NAME, see --list")
    from footway.runs import prepare
    from footway.scenario import load_scenario
    from footway.scenario.building import open_map

    files = (plot, animate, animate_speed, checkpoint, checkpoint_every, resume)
    options = Options(output, *files)
    options.check()
    scenario = load_scenario(scenario_name)
    if output is None and scenario.output.recording is not None:
        options = Options(scenario.output.recording, *files)
        options.check()
    changes = opt.given(seed=seed, model=None if model is None else _model(model))
    if changes and resume is not None:
        name = next(iter(changes))
        raise BadInput(
            f"--{name} cannot be used with --resume: the checkpoint has its own {name}; "
            "leave it out"
        )
    if seconds is not None:
        _check_seconds(seconds, "--seconds")
        changes["duration"] = seconds
    scenario = scenario.model_copy(update=changes)
    with timed_steps() as steps:
        with steps.step("map", f"Loading {scenario.map}"):
            opened = open_map(scenario)
        reports.warn_of_ignored(scenario.map, opened.environment)
        with steps.step("crowd", "Placing the crowd"):
            prepared = prepare(scenario, opened, resume=resume, threads=threads)
        if hasattr(prepared.corridors, "building") and animate is not None:
            raise BadInput(
                "--animate is for maps of one floor: --plot draws all floors; or write a recording "
                "with -o, and animate one floor with footway export --floor"
            )
        for space in prepared.crowd.start_spaces:
            if space.warning:
                reports.say(space.warning)
        if check:
            _print_check(scenario_name, scenario, prepared, steps, json=json)
            return
        options.check_start(prepared.crowd, scenario)
        summary, stopped = _run(scenario, prepared, options, steps)
    if summary is not None:
        _print_run(scenario_name, summary, prepared.crowd, options, steps, json=json)
    if stopped:
        crowd, is_partial = prepared.crowd, summary is None
        message = _stopped_line(scenario_name, scenario, crowd, options, is_partial=is_partial)
        raise Stopped(stopped, message)


def _check_seconds(given: float, typed: str) -> None:
    if not 0.0 < given <= _LONGEST:
        raise BadInput(f"{typed} is {given:g}; give more than 0 and at most {_LONGEST:g}")


def _model(typed: str) -> LocalModel:
    """Return the local model of the option --model."""
    from footway.crowd.models import with_parameters

    name, *rest = typed.split(",")
    parameters = {}
    for part in rest:
        key, equals, value = part.partition("=")
        try:
            parameters[key] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise BadInput(
                f"--model has {part!r}; give KEY=NUMBER, as in --model orca,time_horizon=3"
            )
    try:
        return with_parameters(name, parameters)
    except BadInput as error:
        raise BadInput(f"--model: {error}") from None


def _run(
    scenario: Scenario, prepared: PreparedCrowd, options: Options, steps: Steps
) -> tuple[Summary | None, int]:
    """Run to the end or to Ctrl-C and write all files; no pictures after Ctrl-C.

    Returns the summary, None if the run was stopped within a step, and the number of the signal
    that stopped it, or 0.
    """
    from footway.runs import run

    with steps.bar("run", "Walking") as bar:
        signals = StopSignals(bar)
        try:
            with signals.handled():
                summary = run(
                    scenario,
                    options.output,
                    prepared=prepared,
                    keep=options.plot is not None or options.animation is not None,
                    checkpoint=options.checkpoint,
                    checkpoint_every=options.every,
                    progress=signals.after_step,
                )
        except KeyboardInterrupt:
            return None, signals.received or signal.SIGINT
    recording = summary.recording
    if not summary.is_complete or recording is None:
        return summary, 0 if summary.is_complete else signals.received or signal.SIGINT
    cmap, environment, title = prepared.corridors, prepared.environment, scenario.title or ""

    def moment() -> Figure:
        frame = pictures.representative_frame(recording)
        if recording.floor_names:
            return reports.draw_floors(cmap, recording, frame, title=title)
        return pictures.draw_moment(cmap, recording, frame, title=title, environment=environment)

    reports.draw(moment, options.plot, steps)
    if options.animation is not None:
        with steps.step("animation", f"Drawing {options.animation}"):
            pictures.animate(
                cmap, recording, options.animation, speed=options.speed, title=title,
                environment=environment,
            )  # fmt: skip
    return summary, 0


# -- reports -------------------------------------------------------------------------------------


def _print_check(
    name: str, scenario: Scenario, prepared: PreparedCrowd, steps: Steps, *, json: bool
) -> None:
    """Print that the scenario is valid; errors were raised before."""
    from footway.runs.summary import count_by_population

    crowd = prepared.crowd
    if json:
        answer = {"scenario": name, "title": scenario.title, "map": scenario.map, "valid": True}
        counts = {"characters": len(crowd), "start_spaces": _start_spaces(crowd)}
        reports.print_json(answer | counts | {"times_ms": steps.in_ms()})
        return
    named = [f"{each} {size:,}" for each, size in count_by_population(crowd).items()]
    rows = [
        ("map", f"{scenario.map}, {prepared.corridors.n_edges:,} edges"),
        ("duration", f"{scenario.duration:g} s in steps of {scenario.step:g} s"),
        ("populations", ", ".join(named)),
        *((f"space of {space.name}", _describe(space)) for space in crowd.start_spaces),
    ]
    count = reports.count(len(crowd), "character")
    reports.print_lines([f"{name} is fine: {count} at the start", *reports.facts(rows)])


def _describe(space: StartSpace) -> str:
    """Return how many characters fit where a population starts."""
    used = [part for part in space.parts if part.starts]
    fits = sum(part.capacity for part in used)
    parts = f", in {len(used)} of {reports.count(len(space.parts), 'part')}"
    return f"about {fits:,} of radius {space.radius:g} m fit" + parts * (len(space.parts) > 1)


def _start_spaces(crowd: Crowd) -> list[dict[str, Any]]:
    """Return where populations start, and how many characters fit there, for JSON."""
    return [
        {
            "population": space.name,
            "radius": space.radius,
            "parts": [part._asdict() for part in space.parts],
        }
        for space in crowd.start_spaces
    ]


def _print_run(
    name: str, summary: Summary, crowd: Crowd, options: Options, steps: Steps, *, json: bool
) -> None:
    if not json:
        reports.print_lines(_as_text(name, summary, steps))
        drawn = (options.plot, options.animation) if summary.is_complete else ()
        reports.print_written(options.output, options.checkpoint, *drawn)
    elif summary.is_complete:  # an interrupted command prints its own object
        answer = {"scenario": name, **summary.to_dict(), "start_spaces": _start_spaces(crowd)}
        answer |= {
            "output": options.output, "plot": options.plot, "animation": options.animation,
            "checkpoint": options.checkpoint, "times_ms": steps.in_ms(),
        }  # fmt: skip
        reports.print_json(answer)


def _as_text(name: str, summary: Summary, steps: Steps) -> Iterator[str]:
    mean, longest, rate = summary.cost
    factor = f"{1.0 / max(summary.share_of_real_time, 1e-9):,.1f}"
    there = sum(summary.present.values())
    yield f"{summary.title or name}: {summary.time:,.1f} s in {summary.steps:,} steps"
    rows = [
        ("characters", f"{summary.characters:,}, {there:,} of them present at the end"),
        ("a step", f"{reports.milliseconds(mean)}, longest {reports.milliseconds(longest)}"),
        ("speed", f"{rate / 1e6:.2f} million character-steps per second, {factor} times real time"),
        ("arrivals", f"{summary.arrivals:,}"),
    ]
    if summary.exited:
        exits, empty_at = f"{summary.exited:,}", summary.evacuation_time
        if empty_at is not None:
            exits += f", the last one after {empty_at:.1f} s: everybody is out"
        rows.append(("exits", exits))
        if len(summary.present) > 1 and summary.last_exits:
            rows.append(("last of", _last_exits(summary.last_exits)))
    causes = Counter(one.cause for one in summary.stuck)
    by_cause = ", ".join(f"{cause} {size:,}" for cause, size in causes.most_common())
    rows.append(("stuck", f"{causes.total():,} ({by_cause})" if causes else "nobody"))
    for group in summary.groups:
        size = f"{group.lateral:.1f} m wide, {group.longitudinal:.1f} m long"
        rows.append((group.name, f"{size}, on {group.area:.0f} m2"))
    yield from reports.facts([*rows, ("time", steps.as_text())])
    yield from _stuck_lines(summary.stuck)


def _last_exits(left_at: dict[str, float]) -> str:
    """Return when the last character of each population left."""
    listed = [f"{name} {when:.1f} s" for name, when in left_at.items()]
    more = f" and {len(listed) - _MOST_NAMES} more" if len(listed) > _MOST_NAMES else ""
    return ", ".join(listed[:_MOST_NAMES]) + more


def _stuck_lines(stuck: Sequence[Stuck]) -> Iterator[str]:
    for one in stuck[:_MOST_STUCK]:
        at = reports.place(one.position)
        yield f"  character {one.id} is stuck at {at} since {one.since:.1f} s: {one.cause}"
    if len(stuck) > _MOST_STUCK:
        yield f"  and {len(stuck) - _MOST_STUCK:,} more: --json lists them all"


def _stopped_line(
    name: str, scenario: Scenario, crowd: Crowd, options: Options, *, is_partial: bool
) -> str:
    """Return the message of a stopped run: when, which files, and how to continue."""
    parts = [f"at {crowd.time:.1f} s of {scenario.duration:g} s"]
    if options.output is not None:
        parts.append(f"{options.output} has the frames up to then")
    if options.plot is not None or options.animation is not None:
        parts.append("there are no pictures")
    if options.checkpoint is not None and is_partial:
        parts.append("no checkpoint was saved: the run stopped in the middle of a step")
    elif options.checkpoint is not None:
        words = ["footway", "simulate", name, "--resume", options.checkpoint]
        for typed, value in (
            ("--seconds", scenario.duration),
            ("-o", options.output),
            ("--plot", options.plot),
            ("--animate", options.animation),
            ("--checkpoint", options.checkpoint),
            ("--animate-speed", options.speed),
            ("--checkpoint-every", options.every),
        ):
            if value is not None:
                words += [typed, value if isinstance(value, str) else f"{value:g}"]
        parts.append(f"continue with: {shlex.join(words)}")
    return "; ".join(parts)
