"""`footway simulate`: run the crowd of a scenario file."""

from __future__ import annotations

import json as json_format
import shlex
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from footway.cli.crowd_report import as_json, as_text, by_population
from footway.cli.files import check_different, check_plot, check_writable, write_plot
from footway.cli.interrupts import Stopped
from footway.cli.maps import (
    JsonOption,
    PlotOption,
    warn_of_ignored,
)
from footway.cli.output import (
    Steps,
    announced_compilation,
    count,
    facts,
    print_json,
    print_lines,
    say,
)
from footway.cli.parsing import check_speed, parse_number
from footway.cli.progress import Run, progress_bar, stopped_between_steps, walk
from footway.errors import BadInput

if TYPE_CHECKING:
    from footway.crowd import Recording
    from footway.scenario import Scenario
    from footway.scenario.building import Stage

EXAMPLES: Final = (
    "[bold]Examples[/bold]\n\n"
    "  footway simulate --list\n\n"
    "  footway simulate demo:evacuation --plot evacuation.png\n\n"
    "  footway simulate plaza.toml -o plaza.parquet --animate plaza.webp\n\n"
    "  footway simulate plaza.toml --check\n\n"
    "  footway simulate plaza.toml -o plaza.parquet --checkpoint plaza.npz --seconds 600\n\n"
    "  footway simulate plaza.toml -o plaza.parquet --resume plaza.npz --seconds 1200\n\n"
    "  footway simulate plaza.toml -o run.parquet --checkpoint run.npz --checkpoint-every 60\n\n"
    "  footway simulate --schema > scenario.schema.json\n\n"
    "docs/scenarios.md has every key of a scenario file."
)

_LONGEST: Final = 604_800.0  # s, of simulated time: a week
_FILES: Final = "Files"

SecondsOption = Annotated[
    str | None,
    typer.Option(
        metavar="SECONDS",
        help="Simulated time at which the run ends, instead of the scenario's duration.",
        show_default=False,
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        metavar="INTEGER", min=0, help="Seed instead of the scenario's.", show_default=False
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Threads; by default all cores.", show_default=False),
]


def _file(words: str, *names: str) -> Any:
    return typer.Option(
        *names, metavar="FILE", help=words, show_default=False, rich_help_panel=_FILES
    )


OutputOption = Annotated[
    str | None, _file("Save the recording (.parquet); written during the run.", "-o", "--output")
]
AnimateOption = Annotated[str | None, _file("Save an animation: .webp, .gif or .mp4.")]
SpeedOption = Annotated[
    str | None,
    typer.Option(
        metavar="TIMES",
        help="Speed of the animation: 4 is four times real time. By default 1 to 8, by length.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
CheckpointOption = Annotated[
    str | None, _file("Save the state of the crowd at the end, or at Ctrl-C (.npz).")
]
EveryOption = Annotated[
    str | None,
    typer.Option(
        metavar="SECONDS",
        help="Save --checkpoint every so many seconds of simulated time, so that a run can be "
        "continued after a kill or a crash.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
ResumeOption = Annotated[
    str | None,
    _file("Continue from a checkpoint. If -o names the recording of that run, it is continued."),
]


@dataclass
class Options:
    """Options of the command besides the scenario."""

    output: str | None
    plot: str | None
    animation: str | None
    speed: float | None
    checkpoint: str | None
    every: float | None  # s between two checkpoints
    resume: str | None
    threads: int | None

    @property
    def recorded(self) -> bool:
        """Whether an output needs a recording."""
        return any((self.output, self.plot, self.animation))

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
            if not 0.0 < self.every <= _LONGEST:
                raise BadInput(
                    f"--checkpoint-every is {self.every:g}; give more than 0 and at most "
                    f"{_LONGEST:g}"
                )
        check_plot(self.plot)
        if self.animation is not None:
            from footway.plot import check_animation_file

            check_animation_file(self.animation)
        check_speed(self.speed, "--animate-speed")
        check_different(self.files)
        for file in self.files:
            check_writable(file)

    @property
    def files(self) -> list[str]:
        """Names of all output files."""
        some = (self.output, self.plot, self.animation, self.checkpoint)
        return [file for file in some if file is not None]


def simulate(
    scenario_name: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENARIO",
            help="A scenario file (TOML), or demo:NAME.",
            show_default=False,
        ),
    ] = None,
    *,
    seconds: SecondsOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    check: Annotated[
        bool, typer.Option("--check", help="Check the scenario against its map, and stop.")
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of a scenario, and stop.")
    ] = False,
    list_all: Annotated[
        bool, typer.Option("--list", help="List the built-in scenarios, and stop.")
    ] = False,
    output: OutputOption = None,
    checkpoint: CheckpointOption = None,
    checkpoint_every: EveryOption = None,
    resume: ResumeOption = None,
    plot: PlotOption = None,
    animate: AnimateOption = None,
    animate_speed: SpeedOption = None,
    json: JsonOption = False,
) -> None:
    """Run the crowd of a scenario file.

    Prints the cost of a step, arrivals, exits, and stuck characters with the cause. Records the run
    with -o, and draws it with --plot and --animate. Ctrl-C stops the run and leaves a readable
    recording. With --checkpoint, --resume continues the run, in the same recording if -o names it.
    With --checkpoint-every, a run can also be continued after a kill or a crash.

    An error in the file is reported with its line and key before anything runs.
    """
    if schema:
        print_lines([_schema_text()])
    elif list_all:
        _print_list(json=json)
    elif scenario_name is None:
        raise BadInput("no scenario is given; give a file or demo:NAME, see --list")
    else:
        speed = parse_number(animate_speed, "--animate-speed")
        every = parse_number(checkpoint_every, "--checkpoint-every")
        options = Options(output, plot, animate, speed, checkpoint, every, resume, threads)
        options.check()
        scenario = _load(scenario_name, seconds, seed, options)
        steps = Steps()
        with announced_compilation():
            staged = _stage(scenario, options, steps)
            if check:
                _print_check(scenario_name, scenario, staged, steps, json=json)
                return
            run = _run(scenario, staged, options, steps)
        _print_run(scenario_name, run, options, steps, json=json)
        if run.stopped:
            raise Stopped(run.stopped, _stopped_line(scenario_name, run, options))


def _schema_text() -> str:
    from footway.scenario import json_schema

    return json_format.dumps(json_schema(), indent=2, allow_nan=False)


def _print_list(*, json: bool) -> None:
    from footway.scenario import load_scenario
    from footway.scenario.reading import demo_names

    titles = {f"demo:{name}": load_scenario(f"demo:{name}").title for name in demo_names()}
    if json:
        rows = [{"name": name, "title": title} for name, title in titles.items()]
        print_json({"scenarios": rows})
    else:
        print_lines(facts((name, title or "") for name, title in titles.items()))


def _load(name: str, seconds: str | None, seed: int | None, options: Options) -> Scenario:
    """Load the scenario and apply the options; its own output file is used without -o."""
    from footway.scenario import load_scenario

    scenario = load_scenario(name)
    changes: dict[str, Any] = {}
    if seed is not None:
        if options.resume is not None:
            raise BadInput("--seed is given beside --resume; a checkpoint has a seed: leave it out")
        changes["seed"] = seed
    duration = parse_number(seconds, "--seconds")
    if duration is not None:
        if not 0.0 < duration <= _LONGEST:
            raise BadInput(f"--seconds is {duration:g}; give more than 0 and at most {_LONGEST:g}")
        changes["duration"] = duration
    if options.output is None and scenario.output.recording is not None:
        options.output = scenario.output.recording
        options.check()
    return scenario.model_copy(update=changes)


def _stage(scenario: Scenario, options: Options, steps: Steps) -> Stage:
    """Load the map, and create the crowd or load it from a checkpoint."""
    from footway.crowd import Crowd
    from footway.scenario.building import Stage, open_map, stage

    with steps.step("map", f"Loading {scenario.map}"):
        ground = open_map(scenario)
    warn_of_ignored(scenario.map, ground.environment)
    with steps.step("crowd", "Placing the crowd"):
        if options.resume is None:
            return stage(scenario, ground, threads=options.threads)
        crowd = Crowd.load(
            options.resume,
            ground.corridors,
            threads=options.threads,
            environment=ground.environment,
        )
        return Stage(crowd, *ground)


def _run(scenario: Scenario, staged: Stage, options: Options, steps: Steps) -> Run:
    """Run to the end or to Ctrl-C, and write the outputs; no pictures after Ctrl-C."""
    run = Run(scenario, staged.crowd)
    recording = _record(run, options, steps)
    if options.checkpoint is not None and not run.is_partial:
        staged.crowd.save(options.checkpoint)
    if run.stopped:
        return run
    if recording is not None and options.plot is not None:
        with steps.step("plot", f"Drawing {options.plot}"):
            _draw(recording, run, staged, options.plot)
    if recording is not None and options.animation is not None:
        with steps.step("animation", f"Drawing {options.animation}"):
            _animate(recording, run, staged, options)
    return run


def _record(run: Run, options: Options, steps: Steps) -> Recording | None:
    """Run, and return the recording; None if the run was stopped or needs no recording."""
    crowd, scenario = run.crowd, run.scenario
    left = scenario.duration - crowd.time
    if left <= 0.0:
        raise BadInput(
            f"the checkpoint is at {crowd.time:g} s, and the run ends at {scenario.duration:g} s; "
            "give more --seconds"
        )
    _check_continues(run, options)
    crowd.each_step(run.clock.tick)
    begin = time.perf_counter()
    with progress_bar("Walking") as bar:
        try:
            with stopped_between_steps(run, bar) as progress:
                autosave: dict[str, Any] = {}
                if options.every is not None:
                    autosave = {"checkpoint": options.checkpoint, "checkpoint_every": options.every}
                if not options.recorded:
                    walk(crowd, left, progress, **autosave)
                    return None
                return crowd.run(
                    seconds=left,
                    every=scenario.output.every,
                    to=options.output,
                    progress=progress,
                    **autosave,
                )
        except KeyboardInterrupt:
            run.stopped = run.stopped or signal.SIGINT
            return None
        finally:
            if not run.is_partial:
                run.clock.stop(crowd)
            steps.seconds["run"] = time.perf_counter() - begin


def _check_continues(run: Run, options: Options) -> None:
    """Refuse to overwrite a file that is not the recording of this run up to the checkpoint."""
    from footway.recording.storage import unfinished_parts

    file, crowd = options.output, run.crowd
    if file is None or options.resume is None:
        return
    if not Path(file).exists() and not unfinished_parts(Path(file)):
        say(f"{file}: is new, and begins at {crowd.time:g} s, the time of the checkpoint")
        return
    if not crowd.goes_on_in(file, every=run.scenario.output.every):
        raise BadInput(
            f"{file}: is there already, and is not the recording of this run up to the checkpoint, "
            f"at {crowd.time:g} s; give another -o"
        )


def _draw(recording: Recording, run: Run, staged: Stage, file: str) -> None:
    from footway.plot import draw_moment, telling_frame

    figure = draw_moment(
        staged.corridors,
        recording,
        telling_frame(recording),
        title=run.scenario.title or "",
        environment=staged.environment,
    )
    write_plot(figure, file)


def _animate(recording: Recording, run: Run, staged: Stage, options: Options) -> None:
    from footway.plot import animate

    assert options.animation is not None
    animate(
        staged.corridors,
        recording,
        options.animation,
        speed=options.speed,
        title=run.scenario.title or "",
        environment=staged.environment,
    )


# -- output ----------------------------------------------------------------------------------


def _print_check(name: str, scenario: Scenario, staged: Stage, steps: Steps, *, json: bool) -> None:
    """Print that the scenario is valid; errors were raised before."""
    crowd = staged.crowd
    if json:
        answer = {"scenario": name, "title": scenario.title, "map": scenario.map, "valid": True}
        print_json(answer | {"characters": len(crowd), "times_ms": steps.in_ms()})
        return
    named = [f"{name} {number:,}" for name, number in by_population(crowd).items()]
    print_lines([f"{name} is fine: {count(len(crowd), 'character')} at the start"])
    print_lines(
        facts(
            [
                ("map", f"{scenario.map}, {staged.corridors.n_edges:,} edges"),
                ("duration", f"{scenario.duration:g} s in steps of {scenario.step:g} s"),
                ("populations", ", ".join(named)),
            ]
        )
    )


def _print_run(name: str, run: Run, options: Options, steps: Steps, *, json: bool) -> None:
    if run.is_partial:
        return  # the state of the crowd is inconsistent
    if json and not run.stopped:  # an interrupted command prints its own object
        print_json({"scenario": name, **as_json(run), **_files(options), "times_ms": steps.in_ms()})
    elif not json:
        print_lines(as_text(name, run, steps))
        print_lines(f"Wrote {file}" for file in _written(run, options))


def _files(options: Options) -> dict[str, Any]:
    return {
        "output": options.output,
        "plot": options.plot,
        "animation": options.animation,
        "checkpoint": options.checkpoint,
    }


def _written(run: Run, options: Options) -> list[str]:
    """Return the files that were written; a stopped run leaves no pictures."""
    pictures = () if run.stopped else (options.plot, options.animation)
    return [file for file in (options.output, options.checkpoint, *pictures) if file is not None]


def _stopped_line(name: str, run: Run, options: Options) -> str:
    """Return the message of a stopped run: when, which files, and how to continue."""
    parts = [f"at {run.crowd.time:.1f} s of {run.scenario.duration:g} s"]
    if options.output is not None:
        parts.append(f"{options.output} has the frames up to then")
    if options.plot is not None or options.animation is not None:
        parts.append("there are no pictures")
    if options.checkpoint is not None:
        parts.append(
            "no checkpoint: it was in the middle of a step"
            if run.is_partial
            else f"continue with: {_resume_command(name, run, options)}"
        )
    return "; ".join(parts)


def _resume_command(name: str, run: Run, options: Options) -> str:
    """Return the command that continues a stopped run."""
    assert options.checkpoint is not None
    seconds = f"{run.scenario.duration:g}"
    words = ["footway", "simulate", name, "--resume", options.checkpoint, "--seconds", seconds]
    for option, file in (
        ("-o", options.output),
        ("--plot", options.plot),
        ("--animate", options.animation),
        ("--checkpoint", options.checkpoint),
    ):
        words += [option, file] if file is not None else []
    for option, number in (
        ("--animate-speed", options.speed),
        ("--checkpoint-every", options.every),
    ):
        words += [option, f"{number:g}"] if number is not None else []
    return shlex.join(words)
