"""Run a study: on the cores of this machine, or by any executor of `concurrent.futures`.

Each run is one simulation on one thread. The process that calls `study` builds each map once and
writes results as soon as runs end. The first run is alone: it compiles the kernels, which all
workers share. A worker that dies is replaced, and its run is repeated: runs depend on nothing but
the scenario and the seed.
"""

from __future__ import annotations

import hashlib
import json
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
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import __version__, validation
from footway.errors import BadInput, BadQuery, FootwayError
from footway.formats.registry import is_saved
from footway.runs.results import KEPT, StudyFolder, StudyResults, enough, run_of, select
from footway.runs.study import Measured, Study, describe, load_study
from footway.scenario.problems import Origin
from footway.scenario.reading import scenario_from_values
from footway.scenario.values import floor_of
from footway.validation import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor
    from os import PathLike

    from footway.corridor import CorridorMap
    from footway.crowd import Crowd
    from footway.runs.observer import Observer
    from footway.runs.results import Measures
    from footway.scenario import Scenario
    from footway.scenario.building import ScenarioMap
    from footway.scenario.values import Point

    Progress = Callable[[int, int], None]
    """Called with the number of finished runs and of all runs that may be needed."""

_LINE_POINTS = 1000  # of a line, of which one must be in free space
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
    executor: Any = None,
    shard: tuple[int, int] = (1, 1),
    keep: Sequence[str] = KEPT,
    progress: Progress | None = None,
) -> StudyResults:
    """Run a study, or continue it, and return its results.

    Args:
        plan: a file, see `load_study`, or its content.
        output: folder of the results. Runs that are there already are not repeated.
        workers: processes on this machine; by default one per core.
        executor: runs the simulations instead: a Dask client, or any executor of
            `concurrent.futures`; `workers` is the number of its workers, if it does not report it.
        shard: (k, n) runs only each n-th point, from the k-th on; 1 is the first. All shards may
            use the same folder, or their folders `runs` are copied into one.
        keep: runs that are recorded at the end: "median" and "worst" by time of egress, and
            others as "POINT-SEED", such as "3-17".
        progress: called after each run.

    Raises:
        BadInput: the study, a map or a point is invalid; the message says which.

    """
    made = plan if isinstance(plan, Study) else load_study(plan)
    numbers = [validation.whole(one, "shard", low=1) for one in validation.sequence(shard, "shard")]
    if len(numbers) != 2 or numbers[0] > numbers[1]:
        raise BadQuery(f"the shard is {shown(shard)}: give (k, n) with k from 1 to n")
    k, n = numbers
    if workers is not None:
        workers = validation.whole(workers, "number of workers", low=1, high=1024)
    _check_kept(made, keep)
    if executor is not None and not hasattr(executor, "submit"):
        raise BadQuery(f"the executor is {shown(executor)}: it must have the method `submit`")
    if progress is not None and not callable(progress):
        raise BadQuery(f"progress is {shown(progress)}: it must be a function")
    folder = StudyFolder(validation.file(output, "output"))
    folder.open(made)
    maps = _build_maps(made, folder)
    runner = _Runner(made, folder, maps, range(k - 1, len(made.points), n), progress)
    runner.run(workers, executor)
    runs = select(runner.finished, len(made.points), runner.seeds, made.stop)
    results = StudyResults(made.title, tuple(map(dict, made.points)), runs, folder.path, made.stop)
    if n == 1:
        for name in keep:
            _record(results, name, runner)
    folder.write_table(results)
    return results


def _check_kept(plan: Study, keep: Sequence[str]) -> None:
    """Check the names of runs to record."""
    for name in validation.sequence(keep, "runs to keep"):
        found = run_of(name) if isinstance(name, str) else None
        if found is None and name not in KEPT:
            known = ", ".join(map(repr, KEPT))
            raise BadQuery(f"the run to keep is {shown(name)}: give {known} or 'POINT-SEED'")
        last = plan.first_seed + plan.seeds - 1
        if found and not (found[0] < len(plan.points) and plan.first_seed <= found[1] <= last):
            points = len(plan.points) - 1
            raise BadQuery(
                f"the study has no run {name}: points are 0 to {points}, seeds {plan.first_seed} "
                f"to {last}"
            )


def _record(results: StudyResults, name: str, runner: _Runner) -> None:
    """Run one of the finished runs again, and record it."""
    run = run_of(name) or results.recorded.get(name)
    if run is None:
        return  # nobody leaves, so there is no median
    file = results.folder / "recordings" / f"{name}.parquet"
    file.parent.mkdir(exist_ok=True)
    seconds = results.runs.get(run, {}).get("egress_time")
    run_task(replace(runner.task(*run), recording=str(file), seconds=seconds))


# -- checks and maps -------------------------------------------------------------------------------


def check(
    plan: Study, output: str | PathLike[str] | None = None, *, progress: Progress | None = None
) -> None:
    """Check everything that can be checked without a run, and write nothing.

    Maps are built, and the crowd of each point is placed: areas, lines, goals and the stop rule.

    Raises:
        BadInput: the study, a map, a point or the folder is invalid; the message says which.

    """
    if output is not None:
        StudyFolder(output).check(plan)
    for point in range(len(plan.points)):
        _check_point(plan, point, None)
        if progress is not None:
            progress(point + 1, len(plan.points))


def _check_point(plan: Study, point: int, built: Path | None) -> ScenarioMap:
    """Check that a point fits its map, with areas, lines and the stop rule; return the map."""
    try:
        task = Task(point, plan.first_seed, plan.values_at(point, plan.first_seed), plan.base,
                    plan.measured, "" if built is None else str(built))  # fmt: skip
        crowd = _place_crowd(task)
        opened = _open(task.scenario, task.built)
    except FootwayError as error:
        raise BadInput(f"{describe(plan.points[point])}: {error}") from None
    refuse = plan.origin.refuse
    for name, (start, end) in plan.measured.lines.items():
        _check_line(opened.corridors, name, start, end, plan.origin)
    observer = _observe(task, crowd, plan.origin)
    rule, known = plan.stop, observer.measures()
    if rule is not None and rule.measure not in known:
        hint = did_you_mean(rule.measure, known)
        raise refuse(("stop", "measure"), f"there is no measure {rule.measure!r}; {hint}")
    return opened


def _check_line(cmap: CorridorMap, name: str, start: Point, end: Point, origin: Origin) -> None:
    """Raise BadInput for a line that is not on the map, or without a floor in a building."""
    keys = ("measure", "lines", name)
    building = getattr(cmap, "building", None)
    floor = floor_of(start)
    if (floor is None) != (building is None):
        message = f"is on floor {shown(floor)}, but the map has one floor; leave it out"
        if building is not None:
            message = "is in a building: give the floor of both ends, as in [[x, y, '1'], ...]"
        raise origin.refuse(keys, message)
    along: Any = np.linspace(start[:2], end[:2], _LINE_POINTS)
    if building is not None:
        known = [one.name for one in (*building.floors, *building.links)]
        if floor not in known:
            hint = did_you_mean(str(floor), known)
            raise origin.refuse(keys, f"there is no floor {shown(floor)}; {hint}")
        along = [(x, y, floor) for x, y in along.tolist()]
    if cmap.clearance(along).max() <= 0.0:
        message = f"the line {name!r} does not cross the free space of the map"
        raise origin.refuse(keys, message)


def _build_maps(plan: Study, folder: StudyFolder) -> dict[int, str]:
    """Build the map of each point once; return the file by point. The first of each is checked."""
    files: dict[str, str] = {}
    by_point = {}
    for point in range(len(plan.points)):
        scenario = plan.scenario_at(point, plan.first_seed)
        key = _map_key(scenario)
        if key not in files:
            file = folder.maps / f"{key}.fwmap"
            opened = _check_point(plan, point, file)
            # A building is built by each worker: a saved one takes as long to load.
            is_plan = not hasattr(opened.corridors, "building")
            if is_plan and not file.exists() and not is_saved(scenario.map):
                opened.corridors.save(file)
            files[key] = str(file)
        by_point[point] = files[key]
    return by_point


def _map_key(scenario: Scenario) -> str:
    """Return a hash of what the map of a scenario depends on; another file gives another map."""
    facts: list[Any] = [scenario.map, scenario.scale, [str(region) for region in scenario.terrain]]
    if scenario.roadmap is not None:
        facts.append(str(scenario.roadmap))
    file = Path(scenario.map)
    if file.is_file():
        facts.append(hashlib.sha256(file.read_bytes()).hexdigest())
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


# -- workers ---------------------------------------------------------------------------------------


_opened: dict[tuple[str, ...], ScenarioMap] = {}  # the last map of this worker


def _open(scenario: Scenario, built: str) -> ScenarioMap:
    """Return the map of a run; a worker keeps the last one."""
    from footway.scenario.building import open_map

    given = scenario.scale, scenario.terrain, scenario.roadmap
    key = (scenario.map, *map(str, given), built)
    opened = _opened.get(key)
    if opened is None:
        opened = open_map(scenario, Path(built) if built else None)
        _opened.clear()
        _opened[key] = opened
    return opened


def _begin(task: Task) -> tuple[Crowd, Observer]:
    """Return the crowd of a run, and what measures it."""
    crowd = _place_crowd(task)
    return crowd, _observe(task, crowd, Origin("study"))


def _place_crowd(task: Task) -> Crowd:
    from footway.runs.run import prepare

    return prepare(task.scenario, _open(task.scenario, task.built), threads=1).crowd


def _observe(task: Task, crowd: Crowd, study: Origin) -> Observer:
    """Return what measures a run; its areas are keys of the study's file."""
    from footway.runs.observer import Observer
    from footway.scenario.checks import Areas
    from footway.scenario.floors import FloorAreas

    opened = _open(task.scenario, task.built)
    building = getattr(opened.corridors, "building", None)
    named: Any
    if building is None:
        named = Areas(task.scenario, *opened, origin=study)
    else:
        named = FloorAreas(task.scenario, building, origin=study)
    areas = {name: named.find(name, ("measure", "areas")) for name in task.measured.areas}
    observer = Observer(crowd, task.measured.lines, areas, task.measured.every)
    observer.note()
    return observer


def run_task(task: Task) -> Measures:
    """Run one simulation to its end, or until everybody has left; return the measures."""
    if task.version != __version__:
        raise BadInput(
            f"a worker has Footway {__version__}, the study {task.version}; install the same one"
        )
    scenario = task.scenario
    crowd, observer = _begin(task)
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
    from multiprocessing import forkserver, resource_tracker

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["footway.runs.run", "footway.runs.observer", __name__])
    resource_tracker.ensure_running()  # it would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # for that process, too
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return context


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C: a worker whose start is interrupted would be lost, and report errors."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *signal_and_frame: came.append(signal_and_frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came and callable(before):
        before(*came[0])


def _end(pool: ProcessPoolExecutor, *, at_once: bool) -> None:
    """End a pool; at once if its runs are not needed."""
    workers = list((pool._processes or {}).values())  # noqa: SLF001 - public from Python 3.14 on
    for worker in workers if at_once else ():
        worker.terminate()
    pool.shutdown(cancel_futures=True)


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


def _workers_of(executor: Any) -> int:
    """Return how many runs an executor has at a time; the workers of a cluster come and go."""
    client = getattr(executor, "_client", None)  # of Dask
    if client is not None:
        return int(max(1, sum(client.nthreads().values())))
    return int(getattr(executor, "_max_workers", None) or os.cpu_count() or 1)


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

    def run(self, workers: int | None, executor: Any) -> None:
        """Run everything that is needed."""
        if executor is not None:
            if hasattr(executor, "get_executor"):  # a Dask client
                executor = executor.get_executor(pure=False)  # no result of a study before
            self._run_on(executor, workers)
            return
        count = workers or os.cpu_count() or 1
        deaths, is_complete = 0, False
        while not is_complete:
            before = len(self.finished)
            self.restart()
            with _one_thread_each():
                context = _context()
                pool = ProcessPoolExecutor(count, context, _prepare_worker)
                try:
                    self._run_on(pool, count)
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

    def _run_on(self, executor: Executor, workers: int | None) -> None:
        is_first = True
        while True:
            try:
                count = workers or _workers_of(executor)
                for run in self.take(1 if is_first else 2 * count - len(self._running), count):
                    with _uninterrupted():
                        self._running[executor.submit(run_task, self.task(*run))] = run
            except BrokenProcessPool:
                raise
            except (OSError, RuntimeError):  # the errors of Dask and of executors
                raise self._lost() from None
            if not self._running:
                return
            is_first = False
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=self._running.__getitem__):
                run = self._running.pop(future)
                self._note(run, self._measures(run, future))

    def _measures(self, run: tuple[int, int], future: Future[Measures]) -> Measures:
        """Return the result of a run; an error says which run failed, and why."""
        where = f"{describe(self._plan.points[run[0]])}, seed {run[1]}"
        try:
            return future.result()
        except BrokenProcessPool:
            raise
        except CancelledError:
            raise self._lost() from None
        except FootwayError as error:
            raise BadInput(f"{where}: {error}") from None
        except Exception as error:  # such as a worker without Footway, or one that died repeatedly
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise BadInput(f"{where}: a worker failed: {reason}") from error

    def _lost(self) -> BadInput:
        return BadInput(
            "the executor was closed, or the scheduler of the cluster is gone; finished runs are "
            f"in {self._folder.path}: run the study again to continue"
        )

    def _note(self, run: tuple[int, int], measures: Measures) -> None:
        self.finished[run] = measures
        self._folder.add(*run, measures)
        if self._progress is not None:
            done = sum(point in self._points for point, _ in self.finished)
            self._progress(done, len(self._points) * len(self.seeds))
