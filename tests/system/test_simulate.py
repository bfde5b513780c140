"""`footway simulate` in its own process: what a shell, a pipe and Ctrl-C see of it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from footway.cli import main
from footway.crowd import Recording

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_run(file, tmp_path, capsys):
    run = tmp_path / "run.parquet"
    assert main(["simulate", str(file), "--seconds", "3", "-o", str(run), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["characters"] > 100
    assert answer["stuck"] == []
    assert Recording.load(run).n_frames > 10


def test_there_are_examples():
    assert [file.stem for file in EXAMPLES] == ["evacuation", "plaza", "tower"]


def test_a_mistake_is_one_line_and_exit_code_2(tmp_path, capsys):
    file = tmp_path / "plaza.toml"
    file.write_text('map = "gallery:field"\n\n[[population]]\ncount = 5\nspeed = 120\n')
    assert main(["simulate", str(file)]) == 2
    done = capsys.readouterr()
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert line.startswith(f"footway: {file}: line 5: population[0].speed: is 120 m/s")


def test_schema_into_a_file(capsys):
    assert main(["simulate", "--schema"]) == 0
    done = capsys.readouterr()
    assert json.loads(done.out)["properties"]["map"]["description"]
    assert done.err == ""


def test_ctrl_c_leaves_a_recording_that_can_be_read(tmp_path):
    file = tmp_path / "run.parquet"
    command = [sys.executable, "-m", "footway", "simulate", "demo:corridor", "--seconds", "100000"]
    process = subprocess.Popen(
        [*command, "-o", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _wait_for(file.with_name("run.parquet.parts"))
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert [line for line in err.splitlines() if "compiling" not in line] == [err.splitlines()[-1]]
    assert err.splitlines()[-1].startswith("footway: interrupted at ")
    assert err.endswith(f" s of 100000 s; {file} has the frames up to then\n")
    assert f"Wrote {file}" in out
    until = float(err.splitlines()[-1].split()[3])  # s; on a busy machine, only a moment
    assert until - 1.0 < Recording.load(file).duration <= until + 1e-6


def _wait_for(file, seconds=240.0):
    """Until a run has begun: kernels may have to be compiled first."""
    end = time.monotonic() + seconds
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert file.exists()


STUDY = """
scenario = "demo:bottleneck"
seeds = 3
[vary]
duration = [5]
"""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
@pytest.mark.parametrize(
    ("arguments", "doing"),
    [
        (["simulate", "demo:bottleneck", "--seconds", "20"], "Walking"),
        (["study", "plan.toml", "--workers", "1", "--keep", "none"], "Running"),
    ],
    ids=["simulate", "study"],
)
def test_a_terminal_shows_a_bar_with_the_time_left(arguments, doing, tmp_path):
    (tmp_path / "plan.toml").write_text(STUDY)
    out, shown = on_terminal([sys.executable, "-m", "footway", *arguments], tmp_path)
    assert doing in shown
    assert "100%" in shown
    assert re.search(r"\d:\d\d:\d\d", shown)
    assert doing not in out


def on_terminal(command, folder):
    """Return standard output, and what a terminal as standard error was sent.

    The terminal is read while the command runs: it would stop when some kilobytes wait.
    """
    leader, follower = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}  # one that can show a bar
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=follower, text=True
    ) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                shown += os.read(leader, 1 << 16)
            except OSError:  # closed by the command
                break
        out = process.stdout.read()
    os.close(leader)
    assert process.returncode == 0
    return out, shown.decode()
