"""Studies on processes, shards and a Dask cluster give the same table, also if workers die."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor

import psutil
import pytest

import footway as fw
from footway.errors import BadInput
from footway.runs import execution
from footway.runs.execution import study
from footway.runs.results import StudyResults

PLAN = """
scenario = "hall.toml"
seeds = 3

[vary]
"population.people.count" = [5, 8]

[measure]
areas = ["hall"]
lines = { middle = [[10, 0], [10, 4]] }
"""
SCENARIO = """
map = "hall.geojson"
duration = 30

[area]
hall = [1, 0.5, 8, 3.5]
door = [18, 1, 19.5, 3]

[[population]]
name = "people"
count = 5
area = "hall"
destinations = ["door"]
then = "exit"
"""
HALL = (
    '{"type": "Polygon", "coordinates": [[[0, 0], [20, 0], [20, 4], [0, 4], [0, 0]]],'
    ' "kind": "walkable"}'
)


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "hall.geojson").write_text(
        f'{{"type": "Feature", "geometry": {HALL}, "properties": {{"kind": "walkable"}}}}'
    )
    (tmp_path / "hall.toml").write_text(SCENARIO)
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


class Here:
    """An executor that runs everything at once, in this process."""

    def submit(self, function, *arguments):
        future = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:  # noqa: BLE001 - as executors do
            future.set_exception(error)
        return future


@pytest.fixture
def expected(plan):
    study(plan, plan.parent / "expected", executor=Here(), keep=())
    return (plan.parent / "expected" / "results.parquet").read_bytes()


def table(folder):
    return (folder / "results.parquet").read_bytes()


class TestSameTable:
    def test_on_a_process_that_is_killed(self, plan, expected):
        out = plan.parent / "pool"
        killed = []

        def kill(done, _total):
            processes = psutil.Process().children(recursive=True)
            workers = [p for p in processes if p.ppid() != os.getpid()]  # of the fork server
            if workers and not killed and done < 6:
                killed.append(workers[0].pid)
                os.kill(workers[0].pid, signal.SIGKILL)

        results = study(plan, out, workers=1, keep=(), progress=kill)
        assert killed
        assert table(out) == expected
        assert len(results.runs) == 6

    def test_in_shards(self, plan, expected):
        out = plan.parent / "shards"
        for k in (2, 1):
            study(plan, out, executor=Here(), shard=(k, 2))
        study(plan, out, executor=Here(), keep=())
        assert table(out) == expected

    def test_after_it_was_stopped(self, plan, expected):
        out = plan.parent / "stopped"

        def stop(done, _total):
            if done == 4:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            study(plan, out, executor=Here(), progress=stop)
        assert len(list((out / "runs").glob("*.json"))) == 4
        assert len(StudyResults.from_folder(out).runs) == 4
        (out / "runs" / "0-1.json").write_text('{"point": 0')  # damaged: it is repeated
        ran = []
        study(plan, out, executor=Here(), keep=(), progress=lambda done, _: ran.append(done))
        assert len(ran) == 3
        assert table(out) == expected

    def test_on_threads(self, plan, expected):
        with ThreadPoolExecutor(3) as executor:
            study(plan, plan.parent / "threads", executor=executor, workers=3, keep=())
        assert table(plan.parent / "threads") == expected


def test_maps_are_built_once(plan, monkeypatch):
    built = []
    original = fw.CorridorMap.build

    def build(*arguments, **options):
        built.append(1)
        return original(*arguments, **options)

    monkeypatch.setattr(fw.CorridorMap, "build", build)
    execution._opened.clear()
    study(plan, plan.parent / "out", executor=Here(), keep=())
    assert len(built) == 1


def test_median_and_worst_run_are_recorded(plan):
    out = plan.parent / "out"
    results = study(plan, out, executor=Here())
    times = sorted(found["egress_time"] for found in results.runs.values())
    for name, last in (("median", times[2]), ("worst", times[-1])):
        recording = fw.Recording.load(out / "recordings" / f"{name}.parquet")
        present = [
            recording.frame(k).time
            for k in range(recording.n_frames)
            if len(recording.frame(k).ids)
        ]
        assert present[-1] < last <= present[-1] + 0.2 + 1e-9


def test_a_stop_rule_ends_easy_points_early(plan):
    rule = '[stop]\nmeasure = "egress_time"\nwithin = 0.5\nleast = 2\n'
    plan.write_text(PLAN.replace("seeds = 3", "seeds = 40") + rule)
    results = study(plan, plan.parent / "out", executor=Here(), keep=())
    assert 4 <= len(results.runs) < 30
    assert table(plan.parent / "out") == study_table_of(results)


def study_table_of(results):
    """Return the table of the folder, written again from its files."""
    from footway.runs.results import StudyFolder

    folder = StudyFolder(results.folder)
    folder.write_table(StudyResults.from_folder(results.folder))
    return folder.table.read_bytes()


class TestBadInput:
    def test_the_folder_of_another_study(self, plan):
        study(plan, plan.parent / "out", executor=Here(), keep=())
        plan.write_text(PLAN.replace("[5, 8]", "[5, 9]"))
        with pytest.raises(BadInput, match="belongs to another study; give another folder"):
            study(plan, plan.parent / "out", executor=Here())
        with pytest.raises(BadInput, match="exists and is no study"):
            study(plan, plan.parent, executor=Here())

    def test_a_map_that_does_not_load(self, plan):
        plan.write_text('scenario = "hall.toml"\n[vary]\nmap = ["hall.geojson", "none.geojson"]\n')
        with pytest.raises(BadInput, match=r"map = 'none.geojson': .*none.geojson"):
            study(plan, plan.parent / "out", executor=Here())

    def test_an_unknown_area(self, plan):
        plan.write_text(PLAN.replace('["hall"]', '["hal"]'))
        with pytest.raises(BadInput, match="did you mean 'hall'"):
            study(plan, plan.parent / "out", executor=Here())

    def test_a_point_that_does_not_fit(self, plan):
        plan.write_text(PLAN.replace("[5, 8]", "[5, 5000]"))
        with pytest.raises(BadInput, match=r"population.people.count = 5000, seed 0: "):
            study(plan, plan.parent / "out", executor=Here())

    def test_an_unknown_measure_of_the_stop_rule(self, plan):
        plan.write_text(PLAN + '[stop]\nmeasure = "egress_tim"\nwithin = 0.1\nleast = 2\n')
        with pytest.raises(BadInput, match="did you mean 'egress_time'"):
            study(plan, plan.parent / "out", executor=Here())

    def test_a_worker_with_another_version(self, plan, monkeypatch):
        monkeypatch.setattr(execution, "__version__", "9.9")
        with pytest.raises(BadInput, match=r"a worker has Footway 9.9, the study 0"):
            study(plan, plan.parent / "out", executor=Here())


def test_an_executor_that_is_closed(plan):
    class Closed(Here):
        def submit(self, *_):
            future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(
        BadInput, match="the scheduler of the cluster is gone; finished runs are in"
    ):
        study(plan, plan.parent / "out", executor=Closed())


@pytest.mark.slow
def test_a_command_that_is_killed_leaves_no_worker_and_continues(plan, expected):
    out = plan.parent / "killed"
    command = [
        sys.executable,
        "-m",
        "footway",
        "study",
        str(plan),
        "-o",
        str(out),
        "--workers",
        "2",
    ]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(list((out / "runs").glob("*.json"))) >= 2)
    workers = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    wait_until(lambda: not any(w.is_running() and w.status() != "zombie" for w in workers))
    assert workers
    assert len(list((out / "runs").glob("*.json"))) < 6
    study(plan, out, executor=Here(), keep=())
    assert table(out) == expected


def wait_until(is_so, seconds=120.0):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
def test_on_a_dask_cluster_of_which_a_worker_is_killed(plan, expected):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        killed = []

        def kill(done, _total):
            if done == 1:
                pid = next(iter(cluster.workers.values())).pid
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

        out = plan.parent / "dask"
        study(plan, out, executor=client.get_executor(), workers=3, keep=(), progress=kill)
    assert killed
    assert table(out) == expected
