"""Studies on processes, shards and a Dask cluster give the same table, also if workers die."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

import footway as fw
from footway.errors import BadFile, BadInput
from footway.runs import execution
from footway.runs.execution import check, study
from footway.runs.report import report_html
from footway.runs.results import StudyResults
from footway.runs.study import load_study

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
STOP = 'seeds = 3\nstop = {{ measure = "{}", within = 0.1, least = 2 }}'
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
            assert execution._workers_of(executor) == 3
            study(plan, plan.parent / "threads", executor=executor, keep=())
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


def test_other_runs_are_recorded_on_request(plan):
    out = plan.parent / "out"
    results = study(plan, out, executor=Here(), keep=("worst", "1-2"))
    assert {file.name for file in (out / "recordings").iterdir()} == {
        "worst.parquet",
        "1-2.parquet",
    }
    file, point, seed = results.recordings["1-2"]
    assert (point, seed) == (1, 2)
    recording = fw.Recording.load(file)
    assert recording.times[-1] <= results.runs[1, 2]["egress_time"] + 1e-9
    assert len(recording.frame(0).ids) == 8
    assert "<h2>Run 1-2</h2>" in report_html(results)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("best", "the run to keep is 'best': give 'median', 'worst' or 'POINT-SEED'"),
        ("2-0", "the study has no run 2-0: points are 0 to 1, seeds 0 to 2"),
        ("1-3", "the study has no run 1-3: points are 0 to 1"),
        (3, "the run to keep is 3: give"),
    ],
)
def test_runs_that_cannot_be_kept(plan, name, message):
    with pytest.raises(BadInput, match=message):
        study(plan, plan.parent / "out", keep=(name,))
    assert not (plan.parent / "out").exists()


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
        with pytest.raises(
            BadInput, match="belongs to another study, or a map has changed since; give"
        ):
            study(plan, plan.parent / "out", executor=Here())
        with pytest.raises(BadInput, match="exists and is no study"):
            study(plan, plan.parent, executor=Here())

    def test_a_map_that_has_changed(self, plan):
        study(plan, plan.parent / "out", executor=Here(), keep=())
        hall = plan.parent / "hall.geojson"
        hall.write_text(hall.read_text().replace("[20, 4]", "[20, 3.9]"))
        with pytest.raises(BadInput, match="or a map has changed since"):
            study(plan, plan.parent / "out", executor=Here())

    def test_a_map_that_does_not_load(self, plan):
        plan.write_text('scenario = "hall.toml"\n[vary]\nmap = ["hall.geojson", "none.geojson"]\n')
        with pytest.raises(BadInput, match=r"map = 'none.geojson': .*none.geojson"):
            study(plan, plan.parent / "out", executor=Here())

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (
                '["hall"]',
                '["hal"]',
                "plan.toml: line 9: measure.areas: there is no area 'hal'; did",
            ),
            ("[[10, 0], [10, 4]]", "[[10, 5], [10, 9]]", "the line 'middle' does not cross the"),
            (
                "seeds = 3",
                STOP.format("egress_tim"),
                "stop.measure: there is no measure 'egress_tim'; did",
            ),
            ("seeds = 3", STOP.format("flow midle"), "did you mean 'flow middle'?"),
        ],
    )
    def test_found_before_a_run(self, plan, old, new, message):
        text = PLAN.replace(old, new)
        plan.write_text(text)
        for run in (study, lambda plan, out, **_: check(load_study(plan), out)):
            with pytest.raises(BadInput) as caught:
                run(plan, plan.parent / "out", executor=Here())
            assert message in str(caught.value)
            assert "\n" not in str(caught.value)
        assert not list((plan.parent / "out").glob("runs/*"))
        plan.write_text(PLAN)  # corrected: nothing of the first one is in the folder
        assert len(study(plan, plan.parent / "out", executor=Here(), keep=()).runs) == 6

    def test_a_point_that_does_not_fit(self, plan):
        plan.write_text(PLAN.replace("[5, 8]", "[5, 5000]"))
        with pytest.raises(BadInput, match=r"population.people.count = 5000: .* is too small for"):
            check(load_study(plan))
        with pytest.raises(BadInput, match=r"population.people.count = 5000, seed 0: "):
            study(plan, plan.parent / "out", executor=Here())

    def test_a_check_writes_nothing(self, plan):
        before = set(plan.parent.iterdir())
        check(load_study(plan), plan.parent / "out")
        assert set(plan.parent.iterdir()) == before

    def test_a_check_of_the_folder(self, plan):
        with pytest.raises(BadInput, match="exists and is no study; give another folder"):
            check(load_study(plan), plan.parent)

    def test_a_worker_with_another_version(self, plan, monkeypatch):
        monkeypatch.setattr(execution, "__version__", "9.9")
        with pytest.raises(BadInput, match=r"a worker has Footway 9.9, the study 0"):
            study(plan, plan.parent / "out", executor=Here())


def test_a_full_disk(plan, expected, small_disk):
    out = small_disk / "out"

    def fill(done, _total):
        if done == 2:
            with suppress(OSError), (small_disk / "filler").open("wb", buffering=0) as filler:
                while True:
                    filler.write(bytes(4096))

    with pytest.raises(BadFile, match=r"out/runs/.*: cannot be written: No space left on device"):
        study(plan, out, executor=Here(), keep=(), progress=fill)
    assert len(StudyResults.from_folder(out).runs) == 2
    (small_disk / "filler").unlink()
    study(plan, out, executor=Here(), keep=())
    assert table(out) == expected


def test_an_executor_that_is_closed(plan):
    class Closed(Here):
        def submit(self, *_):
            future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    message = "the scheduler of the cluster is gone; finished runs are in"
    with pytest.raises(BadInput, match=message):
        study(plan, plan.parent / "out", executor=Closed())
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(BadInput, match=message):
        study(plan, plan.parent / "out", executor=executor)


def test_a_worker_without_footway(plan):
    class Bare(Here):
        def submit(self, *_):
            return super().submit(__import__, "nofootway")

    with pytest.raises(BadInput, match="seed 0: a worker failed: ModuleNotFoundError: No module"):
        study(plan, plan.parent / "out", executor=Bare())


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


@pytest.mark.slow
def test_ctrl_c_says_what_was_finished(plan, expected):
    """Ctrl-C on a terminal reaches all processes of the command; one line is printed."""
    out = plan.parent / "out"
    command = [sys.executable, "-m", "footway", "study", str(plan), "-o", str(out)]
    process = subprocess.Popen(
        [*command, "--workers", "2"], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_until(lambda: len(list((out / "runs").glob("*.json"))) >= 2)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    (line,) = (line for line in errors.splitlines() if "compiling" not in line)
    found = re.fullmatch(r"footway: interrupted after (\d) finished runs?, kept in .*", line)
    assert int(found[1]) == len(list((out / "runs").glob("*.json"))) < 6
    assert line.endswith("; the same command continues")
    assert subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0
    assert table(out) == expected


def wait_until(is_so, seconds=300.0):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


class Processes:
    """A scheduler of Dask and its workers, each a process of its own."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        wait_until(self.file.exists)
        self.workers = []

    def add_worker(self, **environment):
        options = ("--nthreads", "1", "--no-nanny")
        self.workers.append(self._start("worker", *options, **environment))

    def _start(self, what, *options, **environment):
        module = f"distributed.cli.dask_{what}"
        command = [sys.executable, "-m", module, "--scheduler-file", str(self.file), *options]
        return subprocess.Popen(
            [*command, "--no-dashboard"], env=os.environ | environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def close(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def processes(tmp_path):
    pytest.importorskip("distributed")
    made = Processes(tmp_path)
    yield made
    made.close()


@pytest.mark.slow
def test_on_a_dask_cluster_of_which_a_worker_is_killed(plan, expected, processes):
    from distributed import Client

    with Client(scheduler_file=str(processes.file)) as client:
        for _ in range(3):
            processes.add_worker()
        client.wait_for_workers(3)
        assert execution._workers_of(client.get_executor()) == 3

        def kill(done, _total):
            if done == 2:
                processes.workers[0].kill()

        study(plan, plan.parent / "dask", executor=client, keep=(), progress=kill)
        wait_until(lambda: len(client.nthreads()) == 2)
    assert processes.workers[0].poll() == -signal.SIGKILL
    assert table(plan.parent / "dask") == expected


@pytest.mark.slow
def test_a_worker_of_another_version_and_a_scheduler_that_is_killed(plan, expected, processes):
    from distributed import Client

    out, other = plan.parent / "out", plan.parent / "other"
    shutil.copytree(Path(fw.__file__).parent, other / "footway")
    init = other / "footway" / "__init__.py"
    init.write_text(init.read_text() + '__version__ = "9.9"\n')
    with Client(scheduler_file=str(processes.file)) as client:
        processes.add_worker(PYTHONPATH=str(other))
        client.wait_for_workers(1)
        with pytest.raises(BadInput, match=r"seed 0: a worker has Footway 9.9, the study 0"):
            study(plan, out, executor=client)
        processes.workers[0].kill()
        processes.add_worker()

        def kill(done, _total):
            if done == 2:
                processes.scheduler.kill()

        with pytest.raises(BadInput, match="the scheduler of the cluster is gone; finished runs"):
            study(plan, out, executor=client, progress=kill)
    assert 2 <= len(list((out / "runs").glob("*.json"))) < 6
    study(plan, out, executor=Here(), keep=())
    assert table(out) == expected


JOBS = """
import sys

from dask_jobqueue.local import LocalCluster
from distributed import Client

import footway as fw
from footway.cli import main

if __name__ == "__main__":
    with LocalCluster(cores=1, processes=1, memory="1GB", interface="lo") as cluster:
        cluster.scale(jobs=2)
        with Client(cluster) as client:
            fw.study("plan.toml", "jobs", executor=client, keep=())
        sys.exit(main(["study", "plan.toml", "--scheduler", cluster.scheduler_address]))
"""


@pytest.mark.slow
def test_on_a_cluster_of_dask_jobqueue(plan, expected):
    """Its LocalCluster writes job scripts, as that of SLURM does, and gives them to a shell."""
    pytest.importorskip("dask_jobqueue")
    subprocess.run([sys.executable, "-c", JOBS], cwd=plan.parent, check=True, capture_output=True)
    for folder in ("jobs", "plan"):
        assert table(plan.parent / folder) == expected


SLURM = """
from dask_jobqueue import SLURMCluster
from distributed import Client

import footway as fw

if __name__ == "__main__":
    options = {"cores": 1, "processes": 1, "memory": "1GB", "interface": "lo"}
    with SLURMCluster(walltime="00:10:00", **options) as cluster, Client(cluster) as client:
        cluster.scale(jobs=2)
        fw.study("plan.toml", "jobs", executor=client, keep=())
"""
ARRAY = f"""#!/bin/bash
#SBATCH --array=1-2 --cpus-per-task=1 --time=00:10:00
{sys.executable} -m footway study plan.toml -o array --workers 1 --shard $SLURM_ARRAY_TASK_ID/2
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sbatch") is None, reason="needs SLURM, see CONTRIBUTING.md")
def test_on_slurm(plan, expected):
    """Workers of dask-jobqueue, and a job array that a job after it collects."""
    pytest.importorskip("dask_jobqueue")
    folder = plan.parent

    def run(*command):
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    run(sys.executable, "-c", SLURM)
    assert table(folder / "jobs") == expected
    (folder / "array.sh").write_text(ARRAY)
    after = "afterok:" + run("sbatch", "--parsable", "array.sh")
    collect = f"{sys.executable} -m footway study plan.toml -o array --keep none"
    last = ("--dependency", after, "--kill-on-invalid-dep=yes", "--wrap", collect)
    run("sbatch", "--wait", *last)
    assert len(list((folder / "array" / "runs").glob("*.json"))) == 6
    assert table(folder / "array") == expected


@pytest.mark.slow
def test_a_job_array_of_shards(plan, expected):
    """Each shard is a command of its own, all at the same time in one folder."""
    out = plan.parent / "array"
    command = [sys.executable, "-m", "footway", "study", str(plan), "-o", str(out)]
    jobs = [
        subprocess.Popen(
            [*command, "--workers", "1", "--shard", f"{k}/2"], stdout=subprocess.DEVNULL
        )
        for k in (1, 2)
    ]
    assert [job.wait() for job in jobs] == [0, 0]
    assert len(list((out / "runs").glob("*.json"))) == 6
    assert subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0
    assert table(out) == expected
