"""Whatever goes wrong is one line on standard error and an exit code, never a traceback."""

import os
from pathlib import Path

import pytest

from footway.cli import app
from footway.cli.app import BROKEN_PIPE, INTERRUPTED


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.geojson", b""),
        ("truncated.geojson", b'{"type": "FeatureCollection", "features": [{"type": '),
        ("wrong.geojson", b"POLYGON ((0 0, 1 0, 1 1, 0 0))"),
        ("other.geojson", b'{"type": "Topology"}'),
        ("nan.wkt", b"POLYGON ((0 0, nan 0, 1 1, 0 0))"),
        ("infinite.geojson", b'{"type":"Polygon","coordinates":[[[0,0],[1e999,0],[1,1],[0,0]]]}'),
        ("flat.wkt", b"POLYGON ((0 0, 1 0, 2 0, 0 0))"),
        ("points.wkt", b"POINT (1 1)"),
        ("binary.map", bytes(range(256))),
        ("truncated.map", b"type octile\nheight 9\nwidth 9\nmap\n...\n"),
        ("picture.png", b"\x89PNG\r\n\x1a\n"),
        ("unknown.xyz", b"hello"),
        ("broken.yaml", b"image: [\n"),
        ("none.fwmap", b"not a map"),
    ],
)
def test_bad_files(footway, tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content)
    footway("build", file).refuses(name)
    answer = footway("build", file, "--json").json
    assert name in answer["error"]
    assert answer["exit_code"] == 2


@pytest.mark.parametrize("name", ["missing.geojson", "missing.fwmap", ".", "gallery:atlantis"])
def test_missing_maps(footway, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    footway("path", name, "--start", "0,0", "--goal", "1,1").refuses()


@pytest.mark.parametrize(
    "arguments",
    [("fly",), ("build",), ("build", "--fast", "x"), ("build", "a", "b"), ("--verson",)],
)
def test_wrong_usage(footway, arguments):
    footway(*arguments).refuses("--help")
    assert footway(*arguments, "--json").json["kind"] == "Usage"


@pytest.mark.parametrize("command", ["build", "check"])
def test_a_picture_that_cannot_be_written(footway, room, tmp_path, command):
    for plot in (tmp_path / "no" / "folder.png", tmp_path / "photo.jpg", tmp_path / "photo"):
        footway(command, room, "--plot", plot).refuses(plot.name)
    (tmp_path / "folder.png").mkdir()
    footway(command, room, "--plot", tmp_path / "folder.png").refuses("directory")


def test_a_map_that_cannot_be_written(footway, room, tmp_path):
    footway("build", room, "-o", tmp_path / "no" / "room.fwmap").refuses("no folder")
    footway("build", room, "-o", f"{tmp_path}/nul\0.fwmap").refuses()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(footway, room, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    footway("build", room, "-o", folder / "room.fwmap").refuses("not writable")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk(footway, room, tmp_path):
    link = tmp_path / "full.png"
    link.symlink_to("/dev/full")
    footway("build", room, "--plot", link).refuses("full.png")


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [(KeyboardInterrupt(), INTERRUPTED, "interrupted"), (MemoryError(), 2, "out of memory")],
)
def test_interruptions(footway, monkeypatch, error, code, words):
    def raise_it(*_, **__):
        raise error

    monkeypatch.setattr(app, "_command_tree", lambda: raise_it)
    result = footway("build", "x", "--json")
    assert result.code == code
    assert words in result.err
    assert words in result.json["error"]


def test_a_closed_pipe(footway, monkeypatch):
    def raise_it(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr(app, "_command_tree", lambda: raise_it)
    monkeypatch.setattr(app, "_mute_stdout", lambda: None)
    result = footway("gallery")
    assert result.code == BROKEN_PIPE
    assert result.err == ""
