"""Files of compiled kernels: shared by processes, checked when read, removed when old."""

from __future__ import annotations

import os
import time
from multiprocessing import get_context
from pathlib import Path

import pytest

from footway._numba import files


@pytest.fixture(autouse=True)
def _told_nothing_yet():
    for function in (files.report_damage, files._warn, files._prune_once):
        function.cache_clear()


class TestDirectory:
    def test_in_the_users_cache(self, monkeypatch, tmp_path):
        monkeypatch.delenv("FOOTWAY_JIT_CACHE", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert files.choose_directory() == tmp_path / "footway" / "kernels"
        assert list(tmp_path.iterdir()) == [], "made when something is kept"

    def test_elsewhere(self, monkeypatch, tmp_path):
        monkeypatch.setenv("FOOTWAY_JIT_CACHE", str(tmp_path))
        assert files.choose_directory() == tmp_path / "kernels"

    def test_off(self, monkeypatch):
        monkeypatch.setenv("FOOTWAY_JIT_CACHE", "0")
        assert files.choose_directory() is None

    def test_a_user_without_a_home_folder_has_no_cache(self, monkeypatch):
        monkeypatch.delenv("FOOTWAY_JIT_CACHE", raising=False)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
        assert files.choose_directory() is None


def test_what_was_saved_is_loaded(tmp_path):
    folder = tmp_path / "new" / "kernels"
    assert files.load(folder, "one") is None
    files.save(folder, "one", b"data")
    files.save(folder, "two", b"")
    assert files.load(folder, "one") == b"data"
    assert files.load(folder, "two") == b""
    assert sorted(path.name for path in folder.iterdir()) == ["one.kernel", "two.kernel"]


@pytest.mark.parametrize("cut", [0, 1, 31, 32, 40, 1031])
def test_a_truncated_file_is_reported_once(cut, tmp_path, capsys):
    for name in ("one", "two"):
        files.save(tmp_path, name, b"x" * 1000)
        path = tmp_path / f"{name}.kernel"
        path.write_bytes(path.read_bytes()[:cut])
        assert files.load(tmp_path, name) is None
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert message == f"footway: damaged kernels in {tmp_path} are compiled again\n"
    files.save(tmp_path, "one", b"again")
    assert files.load(tmp_path, "one") == b"again"


def test_a_changed_byte_is_noticed(tmp_path, capsys):
    files.save(tmp_path, "one", b"x" * 1000)
    path = tmp_path / "one.kernel"
    content = bytearray(path.read_bytes())
    content[500] ^= 1
    path.write_bytes(content)
    assert files.load(tmp_path, "one") is None
    assert "damaged" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_to(tmp_path, capsys):
    """A file where the folder should be: not even root can write to it."""
    (tmp_path / "blocked").write_text("a file")
    for name in ("one", "two"):
        files.save(tmp_path / "blocked" / "kernels", name, b"data")
        assert files.load(tmp_path / "blocked" / "kernels", name) is None
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "FOOTWAY_JIT_CACHE" in message


class TestPrune:
    def test_what_was_not_used_for_long(self, tmp_path):
        _make(tmp_path / "old.kernel", days=31)
        _make(tmp_path / "newer.kernel", days=29)
        _make(tmp_path / "not_ours.txt", days=100)
        _make(tmp_path / "left.tmp", days=2)
        _make(tmp_path / "being_written.tmp", days=0)
        files.prune(tmp_path)
        left = {path.name for path in tmp_path.iterdir()}
        assert left == {"newer.kernel", "not_ours.txt", "being_written.tmp"}

    def test_a_used_file_stays(self, tmp_path):
        files.save(tmp_path, "one", b"data")
        _age(tmp_path / "one.kernel", days=29)
        assert files.load(tmp_path, "one") == b"data"
        assert time.time() - (tmp_path / "one.kernel").stat().st_mtime < 3600

    def test_the_least_recently_used_of_too_many(self, tmp_path, monkeypatch):
        monkeypatch.setattr(files, "LARGEST", 250)
        for days in range(1, 6):
            _make(tmp_path / f"{days}.kernel", days=days, size=100)
        files.prune(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {"1.kernel", "2.kernel"}

    def test_when_the_first_is_saved(self, tmp_path):
        _make(tmp_path / "old.kernel", days=31)
        files.save(tmp_path, "one", b"data")
        assert [path.name for path in tmp_path.iterdir()] == ["one.kernel"]

    def test_a_failure_does_not_keep_the_first_from_being_saved(self, tmp_path, capsys):
        (tmp_path / ("0a1b" * 4)).write_bytes(b"a file with the name of a folder")
        files.save(tmp_path / "kernels", "one", b"data")
        assert files.load(tmp_path / "kernels", "one") == b"data"
        assert capsys.readouterr().err == ""

    def test_folders_of_earlier_versions(self, tmp_path):
        old, recent, other = (tmp_path / (name * 4) for name in ("0a1b", "2c3d", "4e5f"))
        for folder, name in ((old, "a.nbi"), (recent, "a.nbi"), (other, "a.txt")):
            _make(folder / "corridor_1" / name, days=90)
        for folder in (old, other):
            _age(folder / "corridor_1", days=90)
            _age(folder, days=90)
        (tmp_path / "kernels").mkdir()
        files.prune(tmp_path / "kernels")
        assert set(tmp_path.iterdir()) == {recent, other, tmp_path / "kernels"}


def _make(path, *, days, size=10):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    _age(path, days=days)


def _age(path, *, days):
    then = time.time() - days * 86400
    os.utime(path, (then, then))


def test_processes_write_the_same_file(tmp_path):
    """A reader gets one complete file."""
    contents = [bytes([number]) * 200_000 for number in range(3)]
    context = get_context("spawn")
    writers = [context.Process(target=_write, args=(tmp_path, data)) for data in contents]
    for writer in writers:
        writer.start()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        seen.add(files.load(tmp_path, "one"))
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert seen <= {None, *contents}
    assert [path.name for path in tmp_path.iterdir()] == ["one.kernel"]


def _write(folder, data):
    for _ in range(100):
        files.save(folder, "one", data)
