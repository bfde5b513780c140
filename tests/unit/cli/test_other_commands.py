import json

import pytest

import footway as fw
from footway.cli.journeys import ways_home
from footway.environment import gallery


def test_gallery_lists_every_map(footway):
    result = footway("gallery")
    assert result.code == 0
    for name in gallery.names():
        assert f"gallery:{name}" in result.out
    rows = footway("gallery", "--json").json["maps"]
    assert [row["name"] for row in rows] == [f"gallery:{name}" for name in gallery.names()]


def test_warmup_says_how_long_it_took(footway):
    answer = footway("warmup", "--json").json
    assert answer["times_ms"]["warmup"] > 0
    result = footway("warmup")
    assert result.code == 0
    assert "ms" in result.out


def test_demo_leaves_files_that_work(footway, tmp_path):
    folder = tmp_path / "made" / "here"
    result = footway("demo", "-o", folder)
    assert result.code == 0
    assert "100 paths" in result.out
    assert (folder / "city.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / "city.geojson").read_text())["type"] == "FeatureCollection"
    next_command = result.out.splitlines()[-1].removeprefix("Next: footway ").split()
    next_command[-1] = str(folder / "path.png")
    assert footway(*next_command).code == 0


def test_demo_into_a_file_is_refused(footway, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    result = footway("demo", "-o", file)
    assert result.code == 2
    assert len(result.err.splitlines()) == 1


def test_ways_home_are_free_and_repeat():
    cmap = fw.CorridorMap.build(fw.load("gallery:mckenna"))
    starts, goals = ways_home(cmap, 20, room=1.0, seed=1)
    assert starts.shape == goals.shape == (20, 2)
    assert (cmap.clearance(goals) >= 1.0).all()
    assert (ways_home(cmap, 20, room=1.0, seed=1)[1] == goals).all()


def test_version_and_help(footway):
    assert footway("--version").out == f"footway {fw.__version__}\n"
    for arguments in ((), ("--help",), ("-h",)):
        result = footway(*arguments)
        assert result.code == 0
        assert "Usage: footway" in result.out


@pytest.mark.parametrize("command", ["build", "path", "check", "demo", "gallery", "warmup"])
def test_every_command_has_help(footway, command):
    result = footway(command, "--help")
    assert result.code == 0
    assert f"Usage: footway {command}" in result.out
