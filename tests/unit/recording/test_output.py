"""One writer at a time for each output, and no lock that outlives its process."""

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import footway as fw
from footway.recording import output
from footway.recording.output import Output, _try_to_lock, parts_in
from footway.recording.recording import Recording
from footway.recording.storage import ParquetRecorder
from tests.unit.recording.recordings import MEMORY, random_recording, walk_at_random
from tests.unit.recording.test_recording import ENDLESS_RUN


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.parquet"


@pytest.fixture
def writer(file):
    """A process that is writing the file."""
    process = subprocess.Popen([sys.executable, "-c", ENDLESS_RUN, str(file)])
    lock, end = file.parent / "run.parquet.parts" / "lock", time.monotonic() + 300
    while time.monotonic() < end and not (lock.exists() and lock.read_text()):
        time.sleep(0.01)
    yield process
    process.kill()
    process.wait(timeout=300)


def assert_refused(file, holder):
    for write in (random_recording().save, lambda file: ParquetRecorder(file, **MEMORY)):
        with pytest.raises(fw.BadFile) as error:
            write(file)
        assert str(error.value).startswith(f"{file}: is being written by process {holder} on ")
        assert "give another name" in str(error.value)


def test_in_one_process(file):
    first = walk_at_random(ParquetRecorder(file, **MEMORY))
    assert_refused(file, os.getpid())
    first.close()
    walk_at_random(ParquetRecorder(file, **MEMORY), seed=9).close()
    assert list(file.parent.iterdir()) == [file]


def test_also_by_another_name(file, tmp_path):
    link = tmp_path / "link.parquet"
    link.symlink_to(file)
    first = walk_at_random(ParquetRecorder(link, **MEMORY))
    assert_refused(file, os.getpid())
    assert first.close().n_frames == Recording.load(file).n_frames == 20
    assert link.is_symlink()


def test_another_process_and_after_it_was_killed(file, writer):
    assert_refused(file, writer.pid)
    writer.send_signal(signal.SIGKILL)
    writer.wait(timeout=300)
    assert (file.parent / "run.parquet.parts" / "lock").exists()
    random_recording().save(file)
    assert list(file.parent.iterdir()) == [file]


def test_a_recorder_that_is_forgotten_locks_nothing(file):
    recorder = ParquetRecorder(file, **MEMORY)
    del recorder
    gc.collect()
    random_recording().save(file)


def test_a_failed_start_locks_nothing(file, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("footway.recording.storage.write_parquet", fail)
    for write in (random_recording().save, lambda file: ParquetRecorder(file, **MEMORY)):
        with pytest.raises(fw.BadFile, match="No space left on device"):
            write(file)
    assert list(file.parent.iterdir()) == []
    Output(file).release()


def test_a_lock_that_was_removed_meanwhile_is_taken_again(file, monkeypatch):
    """The previous writer removes its lock file after we have opened it: it locks nothing."""
    lock, tries = file.parent / "run.parquet.parts" / "lock", []

    def try_to_lock(descriptor):
        tries.append(descriptor)
        if len(tries) == 1:
            lock.unlink()
            lock.parent.rmdir()
        return _try_to_lock(descriptor)

    monkeypatch.setattr(output, "_try_to_lock", try_to_lock)
    held = Output(file)
    assert len(tries) == 2
    assert lock.exists()
    monkeypatch.undo()
    assert_refused(file, os.getpid())
    held.release()


class TestParts:
    def test_are_in_the_order_of_their_numbers(self, tmp_path):
        names = [f"{k:05d}.parquet" for k in (9, 10, 11, 2, 100_000, 99_999)]
        for name in (*names, "lock", "00003.parquet.new", "other.parquet"):
            (tmp_path / name).touch()
        found = [int(one.stem) for one in parts_in(tmp_path)]
        assert found == [2, 9, 10, 11, 99_999, 100_000]
        assert parts_in(tmp_path / "none") == []

    def test_the_first_parts_remain_if_clearing_is_interrupted(self, file, monkeypatch):
        held, gone, remove = Output(file), [], Path.unlink
        for k in range(4):
            held.part(k).touch()

        def unlink(path, **_):
            if len(gone) == 2:
                raise OSError(5, "Input/output error")
            gone.append(path)
            remove(path)

        monkeypatch.setattr(Path, "unlink", unlink)
        with pytest.raises(fw.BadFile, match="Input/output error"):
            held.clear()
        monkeypatch.undo()
        assert held.parts == [held.part(0), held.part(1)]
        held.clear()
        held.release()


def test_writers_one_after_the_other(file):
    """Each writer removes its lock file, and the next one must not lock a removed file."""
    code = (
        "import sys\nimport footway as fw\n"
        "from tests.unit.recording.recordings import random_recording\n"
        "made, done = random_recording(), 0\n"
        "while done < 30:\n"
        "    try:\n        made.save(sys.argv[1])\n        done += 1\n"
        "    except fw.BadFile as error:\n        assert 'is being written' in str(error)\n"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(file)], stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in both:
        assert process.communicate(timeout=300)[1] == ""
        assert process.returncode == 0
    assert Recording.load(file).n_frames == 20
    assert list(file.parent.iterdir()) == [file]
