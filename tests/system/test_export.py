"""A recording that was written, exported and read by other programs, each in its own process."""

import json
import subprocess
import sys

import pytest

from tests.unit.recording.recordings import random_recording


def footway(*arguments):
    command = [sys.executable, "-m", "footway", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("suffix", [".sqlite", ".txt", ".csv"])
def test_export(tmp_path, suffix):
    run, file = tmp_path / "run.parquet", tmp_path / f"run{suffix}"
    recording = random_recording(characters=300, frames=50)
    recording.save(run)
    done = footway("export", run, "-o", file, "--json")
    assert done.returncode == 0, done.stderr
    assert ("without walls: give the map" in done.stderr) == (suffix == ".sqlite")
    assert json.loads(done.stdout)["rows"] == len(recording.ids)
    assert file.stat().st_size > 100_000


def test_a_bad_recording_is_one_line(tmp_path):
    (tmp_path / "run.parquet").write_bytes(b"PAR1")
    done = footway("export", tmp_path / "run.parquet", "-o", tmp_path / "run.txt")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
