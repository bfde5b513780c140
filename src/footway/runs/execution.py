"""Run a study: on the cores of this machine, or by any executor of `concurrent.futures`.

Each run is one simulation on one thread. The process that calls `study` builds each map once,
compiles the kernels by a first short run, and writes results as soon as runs end. A worker that
dies is replaced, and its run is repeated: runs depend on nothing but the scenario and the seed.
"""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import os
import signal
import threading
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from footway import __version__, validation
from footway.errors import BadInput, BadQuery, FootwayError
from footway.runs.results import StudyFolder, StudyResults, enough, select
from footway.runs.study import Measured, Study, describe, load_study
from footway.scenario.problems import Origin
from footway.scenario.reading import scenario_from_values
from footway.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor
    from os import PathLike

    from footway.runs.results import Measures
    from footway.scenario import Scenario
    from footway.scenario.building import ScenarioMap

    Progress = Callable[[int, int], None]
    """Called with the number of finished runs and of all runs that may be needed."""

KEPT: Final = ("median", "worst")
_MOST_DEATHS = 3  # of workers in a row, without a finished run


@dataclass(frozen=True)
class Task:
    """One run, for a worker."""

    point: int
    seed: int
    values: dict[str, Any]  # of the scenario
    base: tuple[str, str]
    measured: Measured
    built: str  # file of the corridor map
    recording: str | None = None
    seconds: float | None = None  # of the recording; by default the duration of the scenario
    version: str = __version__

    @property
    def scenario(self) -> Scenario:
        """The scenario of the run."""
        return scenario_from_values(self.values, Origin(self.base[0]), Path(self.base[1]))


def study(
    plan: str | PathLike[str] | Study,
    output: str | PathLike[str],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    shard: tuple[int, int] = (1, 1),
    keep: tuple[str, ...] = KEPT,
    progress: Progress | None = None,
) -> StudyResults:
    """Run a study, or continue it, and return its results.

    Args:
        plan: a file, see `load_study`, or its content.
        output: folder of the results. Runs that are there already are not repeated.
        workers: processes on this machine; by default one per core.
        executor: runs the simulations instead, for example `Client(...).get_executor()` of Dask.
        shard: (k, n) runs only each n-th point, from the k-th on; 1 is the first. All shards may
            use the same folder, or their folders `runs` are copied into one.
        keep: runs that are recorded at the end: "median" and "worst" by time of egress.
        progress: called after each run.

    Raises:
        BadInput: the study, a map or a point is invalid; the message says which.

    """
    made = plan if isinstance(plan, Study) else load_study(plan)
    numbers = [validation.whole(one, "shard", low=1) for one in validation.sequence(shard, "shard")]
    if len(numbers) != 2 or numbers[0] > numbers[1]:
        raise BadQuery(f"the shard is {shown(shard)}: give (k, n) with k from 1 to n")
    k, n = numbers
    count = os.cpu_count() or 1
    if workers is not None:
        count = validation.whole(workers, "number of workers", low=1, high=1024)
    for name in validation.sequence(keep, "runs to keep"):
        validation.one_of(name, "run to keep", KEPT)
    if executor is not None and not hasattr(executor, "submit"):
        raise BadQuery(f"the executor is {shown(executor)}: it must have the method `submit`")
    if progress is not None and not callable(progress):
        raise BadQuery(f"progress is {shown(progress)}: it must be a function")
    folder = StudyFolder(validation.file(output, "output"))
    folder.open(made)
    maps = _build_maps(made, folder)
    runner = _Runner(made, folder, maps, range(k - 1, len(made.points), n), progress)
    runner.run(count, executor)
    runs = select(runner.finished, len(made.points), runner.seeds, made.stop)
    results = StudyResults(made.title, tuple(map(dict, made.points)), runs, folder.path)
    if n == 1:
        for point, seed, name in _kept(results, keep):
            file = folder.path / "recordings" / f"{name}.parquet"
            file.parent.mkdir(exist_ok=True)
            seconds = runs[point, seed]["egress_time"]
            run_task(replace(runner.task(point, seed), recording=str(file), seconds=seconds))
    folder.write_table(results)
    return results


def _kept(results: StudyResults, keep: tuple[str, ...]) -> list[tuple[int, int, str]]:
    """Return point, seed and name of the runs to record, by time of egress.

    A run in which somebody is left is worse than all in which everybody left.
    """
    runs = sorted(
        results.runs,
        key=lambda run: (
            results.runs[run]["egress_time"] or math.inf, results.runs[run]["present"] or 0.0, run
        ),
    )  # fmt: skip
    if not runs or all(found["exited"] == 0.0 for found in results.runs.values()):
        return []
    places = {"median": runs[(len(runs) - 1) // 2], "worst": runs[-1]}
    return [(*places[name], name) for name in keep]


# -- maps ------------------------------------------------------------------------------------------


def _build_maps(plan: Study, folder: StudyFolder) -> dict[int, str]:
    """Build the map of each point once; return the file by point. Areas are checked, too."""
    from footway.scenario.building import open_map
    from footway.scenario.checks import Areas

    files: dict[str, str] = {}
    by_point = {}
    for point in range(len(plan.points)):
        scenario = plan.scenario_at(point, plan.first_seed)
        key = _map_key(scenario)
        if key not in files:
            file = folder.maps / f"{key}.fwmap"
            try:
                opened = open_map(scenario, file)
                areas = Areas(scenario, *opened)
                for name in plan.measured.areas:
                    areas.find(name, ("measure", "areas"))
            except FootwayError as error:
                raise BadInput(f"{describe(plan.points[point])}: {error}") from None
            if not file.exists() and not scenario.map.lower().endswith(".fwmap"):
                opened.corridors.save(file)
            files[key] = str(file)
        by_point[point] = files[key]
    return by_point


def _map_key(scenario: Scenario) -> str:
    """Return a hash of what the map of a scenario depends on; another file gives another map."""
    facts: list[Any] = [scenario.map, scenario.scale, [str(region) for region in scenario.terrain]]
    file = Path(scenario.map)
    if file.is_file():
        facts.append(hashlib.sha256(file.read_bytes()).hexdigest())
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


# -- workers ---------------------------------------------------------------------------------------


_opened: dict[tuple[str, ...], ScenarioMap] = {}  # the last map of this worker


def _open(scenario: Scenario, built: str) -> ScenarioMap:
    """Return the map of a run; a worker keeps the last one."""
    from footway.scenario.building import open_map

    key = (scenario.map, str(scenario.scale), str(scenario.terrain), built)
    opened = _opened.get(key)
    if opened is None:
        opened = open_map(scenario, Path(built))
        _opened.clear()
        _opened[key] = opened
    return opened


def run_task(task: Task) -> Measures:
    """Run one simulation to its end, or until everybody has left; return the measures."""
    from footway.runs.observer import Observer
    from footway.runs.run import prepare
    from footway.scenario.checks import Areas

    if task.version != __version__:
        raise BadInput(
            f"a worker has Footway {__version__}, the study {task.version}; install the same one"
        )
    scenario = task.scenario
    opened = _open(scenario, task.built)
    crowd = prepare(scenario, opened, threads=1).crowd
    named = Areas(scenario, *opened)
    areas = {name: named.find(name, ("measure", "areas")) for name in task.measured.areas}
    observer = Observer(crowd, task.measured.lines, areas, task.measured.every)
    observer.note()
    total = round(scenario.duration / crowd.dt)
    if task.recording is not None:
        crowd.run(
            seconds=task.seconds or scenario.duration, every=scenario.output.every,
            to=task.recording,
            progress=lambda *_: observer.note(),
        )  # fmt: skip
        return observer.measures()
    while crowd.steps < total and (len(crowd) or crowd.to_come):
        crowd.step()
        observer.note()
    return observer.measures()


def _prepare_worker() -> None:
    """Leave Ctrl-C to the process that started the worker, and end with it if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def end_with_parent() -> None:
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


def _context() -> Any:
    """Return how workers are started: from a process that has imported Footway, if possible."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["footway.runs.run", "footway.runs.observer", __name__])
    return context


def _end(pool: ProcessPoolExecutor, *, at_once: bool) -> None:
    """End a pool; at once if its runs are not needed."""
    workers = list((pool._processes or {}).values())  # noqa: SLF001 - public from Python 3.14 on
    pool.shutdown(wait=not at_once, cancel_futures=True)
    for worker in workers if at_once else ():
        worker.terminate()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let processes that are started inside use one thread of Numba each."""
    before = os.environ.get("NUMBA_NUM_THREADS")
    os.environ["NUMBA_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["NUMBA_NUM_THREADS"]
        else:
            os.environ["NUMBA_NUM_THREADS"] = before


# -- scheduling ------------------------------------------------------------------------------------


class _Runner:
    """Decides which runs are needed, has them run, and writes their results."""

    def __init__(
        self,
        plan: Study,
        folder: StudyFolder,
        maps: dict[int, str],
        points: range,
        progress: Progress | None,
    ) -> None:
        self._plan, self._folder, self._maps, self._points = plan, folder, maps, points
        self._progress = progress
        self.seeds = range(plan.first_seed, plan.first_seed + plan.seeds)
        self.finished = folder.finished()
        self.restart()

    def task(self, point: int, seed: int) -> Task:
        """Return the task of a run."""
        plan = self._plan
        values = plan.values_at(point, seed)
        return Task(point, seed, values, plan.base, plan.measured, self._maps[point])

    def restart(self) -> None:
        """Begin again with the first missing run of each point."""
        self._running: dict[Future[Measures], tuple[int, int]] = {}
        self._next = dict.fromkeys(self._points, 0)  # index of the next seed of open points

    def take(self, most: int, workers: int) -> list[tuple[int, int]]:
        """Return the next runs that are needed."""
        chosen: list[tuple[int, int]] = []
        ahead = -(-workers // max(1, len(self._next)))
        for point in list(self._next):
            needed = self._needed(point, ahead)
            while len(chosen) < most and self._next[point] < needed:
                run = (point, self.seeds[self._next[point]])
                self._next[point] += 1
                if run not in self.finished:
                    chosen.append(run)
            if len(chosen) == most:
                break
            if self._next[point] == len(self.seeds) or needed == 0:
                del self._next[point]
        return chosen

    def _needed(self, point: int, ahead: int) -> int:
        """Return how many runs a point needs as far as is known; 0 if it has enough.

        With a stop rule, some are begun before it is known whether they are needed, to keep all
        workers busy.
        """
        rule = self._plan.stop
        if rule is None:
            return len(self.seeds)
        done = []
        for seed in self.seeds:
            if (point, seed) not in self.finished:
                break
            done.append(self.finished[point, seed].get(rule.measure))
        if enough(done, rule) is not None:
            return 0
        return min(len(self.seeds), max(rule.least, len(done) + ahead))

    def run(self, workers: int, executor: Executor | None) -> None:
        """Run everything that is needed."""
        if executor is not None:
            self._run_on(executor, workers)
            return
        for run in self.take(1, 1):
            self._note(run, run_task(self.task(*run)))  # compiles the kernels, once
        deaths, is_complete = 0, False
        while not is_complete:
            before = len(self.finished)
            self.restart()
            with _one_thread_each():
                context = _context()
                pool = ProcessPoolExecutor(workers, context, _prepare_worker)
                try:
                    self._run_on(pool, workers)
                    is_complete = True
                except BrokenProcessPool:
                    deaths = deaths + 1 if len(self.finished) == before else 1
                finally:
                    _end(pool, at_once=not is_complete)
            if deaths == _MOST_DEATHS:
                raise BadInput(
                    f"workers died {deaths} times in a row, perhaps for lack of memory; use fewer "
                    "workers. Finished runs are kept"
                )

    def _run_on(self, executor: Executor, workers: int) -> None:
        while True:
            for run in self.take(2 * workers - len(self._running), workers):
                self._running[executor.submit(run_task, self.task(*run))] = run
            if not self._running:
                return
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=self._running.__getitem__):
                run = self._running[future]
                try:
                    measures = future.result()
                except FootwayError as error:
                    where = f"{describe(self._plan.points[run[0]])}, seed {run[1]}"
                    raise BadInput(f"{where}: {error}") from None
                except CancelledError:
                    raise BadInput(
                        "the executor was closed, or the scheduler of the cluster is gone; "
                        f"finished runs are in {self._folder.path}: run the study again to continue"
                    ) from None
                del self._running[future]
                self._note(run, measures)

    def _note(self, run: tuple[int, int], measures: Measures) -> None:
        self._check_rule(measures)
        self.finished[run] = measures
        self._folder.add(*run, measures)
        if self._progress is not None:
            done = sum(point in self._points for point, _ in self.finished)
            self._progress(done, len(self._points) * len(self.seeds))

    def _check_rule(self, measures: Measures) -> None:
        """Raise an error if the stop rule names a measure that runs do not have."""
        rule = self._plan.stop
        if rule is not None and rule.measure not in measures:
            from footway.validation import did_you_mean

            hint = did_you_mean(rule.measure, measures)
            raise BadInput(f"there is no measure {rule.measure!r} for the stop rule; {hint}")
