"""`footway diff` and `footway replay-hash`."""

import json
from dataclasses import replace

import numpy as np
import pytest

from footway.recording.joining import until
from footway.recording.storage import ParquetRecorder
from tests.unit.recording.recordings import MEMORY, random_recording, walk_at_random
from tests.unit.recording.test_comparing import changed


@pytest.fixture
def saved(tmp_path):
    """Saves recordings as files."""

    def save(name, recording):
        file = tmp_path / f"{name}.parquet"
        recording.save(file)
        return file

    return save


def test_hashes(footway, saved):
    recording = random_recording()
    file = saved("run", recording)
    result = footway("replay-hash", file)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert len(lines) == 22
    assert lines[-1] == f"replay {recording.replay_hash()} (20 frames)"
    answer = footway("replay-hash", file, "--json").json
    assert answer["hash"] == recording.replay_hash()
    assert answer["complete"]
    assert [frame["hash"] for frame in answer["frames"]] == [
        line.split()[-1] for line in lines[1:-1]
    ]
    assert set(answer["frames"][3]) == {"frame", "step", "time", "characters", "hash"}


def test_a_run_that_was_killed(footway, tmp_path):
    recorder = walk_at_random(ParquetRecorder(tmp_path / "run.parquet", **MEMORY))
    recorder.flush()
    result = footway("replay-hash", tmp_path / "run.parquet")
    assert result.code == 0
    assert result.err == (
        f"footway: {tmp_path / 'run.parquet'}: the run was interrupted or is not finished; "
        f"it has 20 frames, in {tmp_path / 'run.parquet.parts'}\n"
    )
    assert random_recording().replay_hash() in result.out
    recorder.close()
    assert footway("replay-hash", tmp_path / "run.parquet").err == ""


def test_equal(footway, saved):
    a, b = saved("a", random_recording()), saved("b", replace(random_recording(), seed=9))
    out = footway("diff", a, b).printed
    assert out.splitlines()[0] == f"{a} and {b} are equal"
    assert "7 in A, 9 in B" in out
    assert "the first 20 frames" in out
    answer = footway("diff", a, b, "--json").json
    assert answer["equal"]
    assert answer["facts"] == {"seed": [7, 9]}
    assert answer["first"] is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda it: changed(it, 30, positions=(1.0, 2.0)), "position: ("),
        (lambda it: changed(it, 30, positions=(np.nan, 2.0)), "(nan, 2.0) in B, nan m apart"),
        (lambda it: changed(it, 30, velocities=(np.inf, 2.0)), "velocity: ("),
        (lambda it: until(it, 10), "20 in A, 6 in B"),
        (lambda it: replace(it, step=0.2), "0.1 s in A, 0.2 s in B"),
        (lambda it: replace(it, times=it.times + 1), "time: 0.0 in A, 1.0 in B, 1 s apart"),
    ],
)
def test_different(footway, saved, change, words):
    a, b = saved("a", random_recording()), saved("b", change(random_recording()))
    result = footway("diff", a, b)
    assert result.code == 1
    assert result.out.startswith(f"{a} and {b} differ\n")
    assert words in result.out
    answer = footway("diff", a, b, "--json")
    assert answer.code == 1
    assert not answer.json["equal"]


def test_the_character_and_the_difference_are_printed(footway, saved):
    recording = random_recording()
    row = int(recording.offsets[6]) + 4
    other = changed(recording, row, positions=recording.positions[row] + np.array([3.0, 4.0]))
    answer = footway("diff", saved("a", recording), saved("b", other), "--json").json
    first = answer["first"]
    assert (first["frame"], first["step"], first["character"]) == (6, 12, recording.ids[row])
    assert (first["what"], first["amount"]) == ("position", pytest.approx(5.0))
    text = footway("diff", saved("a", recording), saved("b", other)).out
    assert "frame 6: step 12, 1.2 s" in text
    assert "5 m apart" in text
    assert " more" not in text
    rows = row + np.arange(3)
    several = changed(recording, rows, positions=recording.positions[rows] + 1.0)
    text = footway("diff", saved("a", recording), saved("b", several)).out
    assert f"{recording.ids[rows].min()} and 2 more\n" in text


def test_bad_input_is_one_line(footway, saved, tmp_path):
    a = saved("a", random_recording())
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    for bad in ("missing.parquet", tmp_path / "bad.parquet", tmp_path):
        for arguments in (("diff", a, bad), ("diff", bad, a), ("replay-hash", bad)):
            footway(*arguments).refuses(str(bad))
    assert footway("diff", a).code == 2
    assert json.loads(footway("diff", a, "no.parquet", "--json").out)["kind"] == "BadFile"
