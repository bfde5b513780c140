"""Files appear whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import footway as fw
from footway.writing import whole_file
from tests.unit.crowd.maps import cmap, env


def interrupted(part):
    part.write_text("half")
    raise KeyboardInterrupt


def test_what_is_interrupted_leaves_the_old_file(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_file(file) as part:
        interrupted(part)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("save", ["map", "roadmap", "crowd"])
def test_files_of_ours_are_written_so(save, tmp_path, monkeypatch):
    def stop(out, **_arrays):
        out.write(b"half")
        raise KeyboardInterrupt

    file = tmp_path / "a.npz"
    file.write_text("old")
    made = {
        "map": cmap("room"),
        "roadmap": fw.roadmap.grid(env("room"), resolution=2.0),
        "crowd": fw.Crowd(cmap("room")),
    }[save]
    monkeypatch.setattr(np, "savez", stop)
    monkeypatch.setattr(np, "savez_compressed", stop)
    with pytest.raises(KeyboardInterrupt):
        made.save(file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_two_at_once_do_not_mix(tmp_path):
    file = tmp_path / "a.txt"
    with whole_file(file) as one:
        one.write_text("one")
        with whole_file(file) as other:
            other.write_text("other")
        assert file.read_text() == "other"
    assert file.read_text() == "one"
    assert list(tmp_path.iterdir()) == [file]


KILLED = """
import os, signal, sys
from footway.writing import whole_file

with whole_file(sys.argv[1]) as part:
    part.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    file, others = tmp_path / "a[1].txt", tmp_path / ".b.01234567.part.txt"
    others.touch()
    subprocess.run([sys.executable, "-c", KILLED, file], check=False)
    assert [one.read_text() for one in tmp_path.glob(".a*")] == ["half"]
    with whole_file(file) as part:
        assert list(tmp_path.glob(".a*")) == [part]
        part.write_text("new")
    assert sorted(tmp_path.iterdir()) == [others, file]
    assert file.read_text() == "new"


def test_many_at_once_do_not_remove_what_others_write(tmp_path):
    file = tmp_path / "a.txt"

    def write(number):
        for _ in range(40):
            with whole_file(file) as part:
                part.write_text(str(number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert file.read_text() in map(str, range(8))
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_followed_and_permissions_stay(tmp_path):
    file, link = tmp_path / "a.txt", tmp_path / "link.txt"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    with whole_file(link) as part:
        part.write_text("new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_pipe_is_written_directly(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with whole_file(pipe) as part:
            part.write_text("new")
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["no/a.txt", "", "a\0b"])
def test_one_line_says_why_not(tmp_path, name):
    with (
        pytest.raises(fw.BadFile, match=r"cannot be written|give its name"),
        whole_file(f"{tmp_path}/{name}") as p,
    ):
        p.write_text("new")
