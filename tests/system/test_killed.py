"""Runs that are killed at any moment: every file is readable, and the rest gives the same bits."""

import random
import signal
import subprocess
import sys
import time

import pytest

from footway.recording.recording import Recording
from tests.unit.recording.recordings import random_recording

pq = pytest.importorskip("pyarrow.parquet")

SCENARIO = """
map = "gallery:field"
duration = 40
seed = 3

[[population]]
name = "some"
count = 20

[[obstacle]]
at = [22, 20]
radius = 0.5
velocity = [0.1, 0.0]

[output]
every = 3
"""


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    file = tmp_path_factory.mktemp("scenario") / "field.toml"
    file.write_text(SCENARIO)
    return file


def command(scenario, folder):
    """A run that saves checkpoints all the time, or the rest of it."""
    saved = folder / "run.npz"
    words = [sys.executable, "-m", "footway", "simulate", scenario, "-o", folder / "run.parquet"]
    words += ["--checkpoint", saved, "--checkpoint-every", "0.5"]
    words += ["--resume", saved] if saved.exists() else []
    return list(map(str, words))


@pytest.fixture(scope="module")
def whole(scenario, tmp_path_factory):
    """The run in one go."""
    folder = tmp_path_factory.mktemp("whole")
    subprocess.run(command(scenario, folder), check=True, timeout=300, capture_output=True)
    return folder


def kill_after(process, folder, seconds):
    """Kill a run some time after its first file is there, unless it has ended by then."""
    end = time.monotonic() + 300
    while process.poll() is None and time.monotonic() < end and not list(folder.iterdir()):
        time.sleep(0.002)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=300)
    return process.returncode


def assert_readable(folder):
    """Everything that has the name of a Parquet file is one, for everybody."""
    for file in folder.rglob("*.parquet"):
        if file.is_file():
            pq.read_table(file, use_threads=False)


def killed_again_and_again(scenario, folder, moments):
    """Kill a run at some moments after its start, resume it each time, and let it end."""
    for seconds in moments:
        words = command(scenario, folder)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        code = kill_after(process, folder, seconds)
        assert_readable(folder)
        if code == 0:
            return
        assert code == -signal.SIGKILL
    done = subprocess.run(
        command(scenario, folder), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0 or "give more --seconds" in done.stderr, done.stderr


def assert_the_same_run(folder, whole):
    made, expected = (Recording.load(one / "run.parquet") for one in (folder, whole))
    assert made.complete
    assert made.compare(expected) == ({}, None)
    assert made.replay_hash() == expected.replay_hash()
    assert (folder / "run.parquet").read_bytes() == (whole / "run.parquet").read_bytes()
    assert sorted(file.name for file in folder.iterdir()) == ["run.npz", "run.parquet"]


def test_killed_and_resumed(scenario, whole, tmp_path):
    moments = [random.Random(1).uniform(0.0, 0.5) for _ in range(2)]
    killed_again_and_again(scenario, tmp_path, moments)
    assert_the_same_run(tmp_path, whole)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_killed_at_many_moments(scenario, whole, tmp_path, seed):
    moments = [random.Random(seed).uniform(0.0, 1.0) for _ in range(4)]
    killed_again_and_again(scenario, tmp_path, moments)
    assert_the_same_run(tmp_path, whole)


RECORD = """
import os, signal, sys
from pathlib import Path
from tests.unit.recording.recordings import MEMORY, random_recording, walk_at_random
from footway.recording.storage import ParquetRecorder

random_recording(seed=8).save(sys.argv[2])
moment, moments = int(sys.argv[1]), 0


def counted(function):
    def called(*arguments, **options):
        count()
        answer = function(*arguments, **options)
        count()
        return answer

    return called


def count():
    global moments
    moments += 1
    if moments == moment:
        os.kill(os.getpid(), signal.SIGKILL)


os.fsync, os.open, os.close = counted(os.fsync), counted(os.open), counted(os.close)
for name in ("replace", "unlink", "mkdir", "rmdir", "open"):
    setattr(Path, name, counted(getattr(Path, name)))
walk_at_random(ParquetRecorder(sys.argv[2], rows_per_group=60, **MEMORY)).close()
print(moments)
"""


def killed_at(moment, file):
    """A run over an old output that is killed at its so-manieth call of the system."""
    words = [sys.executable, "-c", RECORD, str(moment), str(file)]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)


def assert_old_or_new(file):
    """What is there is the old output, the new one, or the beginning of the new one."""
    found, new = Recording.load(file), random_recording()
    if found.complete and found.compare(random_recording(seed=8)).equal:
        return
    assert found.compare(new).first is None
    assert 0 < found.n_frames <= new.n_frames
    assert found.n_frames == new.n_frames or not found.complete


MOMENTS = 120
"""More than there are; a run that is not killed says how many."""


def test_there_are_no_more_moments(tmp_path):
    done = killed_at(0, tmp_path / "run.parquet")
    assert 50 < int(done.stdout) < MOMENTS, done.stdout + done.stderr


@pytest.mark.parametrize(
    "moment",
    [pytest.param(k, marks=[] if k % 15 == 7 else [pytest.mark.slow]) for k in range(1, MOMENTS)],
)
def test_killed_at_every_call(tmp_path, moment):
    file = tmp_path / "run.parquet"
    done = killed_at(moment, file)
    assert done.returncode in (0, -signal.SIGKILL)
    assert_readable(tmp_path)
    assert_old_or_new(file)
    random_recording(seed=9).save(file)
    assert Recording.load(file).compare(random_recording(seed=9)).equal
    assert list(tmp_path.iterdir()) == [file]
