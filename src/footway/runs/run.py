"""Run a scenario and summarise it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footway.crowd import Crowd
from footway.crowd.crowd import run_steps
from footway.runs.summary import StepLog, Summary, summarise
from footway.scenario.building import PreparedCrowd, open_map, prepare_crowd, with_areas

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from footway.recording.recording import Recording
    from footway.scenario import Scenario
    from footway.scenario.building import ScenarioMap

    File = str | PathLike[str]
    Progress = Callable[[int, int], None]
    """Called with the number of finished steps and of all steps."""


def prepare(
    scenario: Scenario,
    opened: ScenarioMap | None = None,
    *,
    resume: File | None = None,
    threads: int | None = None,
) -> PreparedCrowd:
    """Return the crowd of a scenario on its map, ready to run.

    Args:
        scenario: as returned by `load_scenario`.
        opened: its map, if it is loaded already.
        resume: checkpoint (.npz) to continue from, instead of placing the crowd.
        threads: number of threads of the crowd; by default all cores.

    Raises:
        BadInput: the scenario does not fit its map; the message gives file, line and key.
        NoPath: a goal that cannot be reached, likewise.
    """
    opened = opened or open_map(scenario)
    if resume is None:
        return prepare_crowd(scenario, opened, threads=threads)
    environment = with_areas(scenario, opened.environment)
    crowd = Crowd.load(resume, opened.corridors, threads=threads, environment=environment)
    return PreparedCrowd(crowd, *opened)


def run(
    scenario: Scenario,
    output: File | None = None,
    *,
    prepared: PreparedCrowd | None = None,
    keep: bool = False,
    checkpoint: File | None = None,
    checkpoint_every: float | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Run a scenario from the current time of its crowd to the scenario's duration.

    Args:
        scenario: as returned by `load_scenario`.
        output: file of the recording (.parquet), written during the run. If it already contains
            this run up to the current step, recording continues in it; otherwise it is replaced.
        prepared: the crowd, as returned by `prepare`; by default it is prepared here.
        keep: record the run even without `output`, in memory; see `Summary.recording`.
        checkpoint: file (.npz) of the crowd's state, written at the end.
        checkpoint_every: s of simulated time between further checkpoints during the run.
        progress: called after each step. If it raises KeyboardInterrupt, the run ends there: files
            are completed as at the end, and `Summary.is_complete` is False.

    Raises:
        KeyboardInterrupt: during a step; the state of the crowd is inconsistent then, and no
            checkpoint is written. The recording is readable.

    Example:
        >>> from footway.scenario import load_scenario
        >>> scenario = load_scenario("demo:bottleneck").model_copy(update={"duration": 1.0})
        >>> summary = run(scenario)
        >>> summary.steps, summary.characters, summary.is_complete
        (10, 150, True)
    """
    prepared = prepared or prepare(scenario)
    crowd, log = prepared.crowd, StepLog()
    is_between_steps = False

    def after_step(done: int, total: int) -> None:
        nonlocal is_between_steps
        log.note(crowd)
        if progress is not None:
            is_between_steps = True
            progress(done, total)
            is_between_steps = False

    seconds = max(0.0, scenario.duration - crowd.time)
    saved = checkpoint if checkpoint_every is not None else None
    recording: Recording | None = None
    is_complete = True
    log.note(crowd)
    try:
        if output is not None or keep:
            recording = crowd.run(
                seconds=seconds, to=output, every=scenario.output.every, progress=after_step,
                checkpoint=saved, checkpoint_every=checkpoint_every,
            )  # fmt: skip
        else:  # a recording would fill memory
            due = max(1, round((checkpoint_every or seconds) / crowd.dt))
            total = round(seconds / crowd.dt)
            run_steps(crowd, total, checkpoint=saved, due=due, progress=after_step)
    except KeyboardInterrupt:
        if not is_between_steps:
            raise
        is_complete = False
    if checkpoint is not None:
        crowd.save(checkpoint)
    return summarise(scenario, crowd, log, recording, is_complete=is_complete)
