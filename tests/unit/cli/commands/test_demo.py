"""The demo, with a small crowd and for seconds."""

import json

import numpy as np
import pytest
from PIL import Image

import footway as fw
from footway.cli.commands.demo import fill, least_gap

FILES = ["city.fwmap", "city.geojson", "crowd.gif", "crowd.parquet", "crowd.png"]


def test_it_leaves_files_that_work(footway, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = footway("demo", "--count", 300, "--seconds", 2).printed
    assert "300 characters" in out
    assert "nobody walked into a wall" in out
    assert len(out.splitlines()) < 24
    folder = tmp_path / "out"
    assert sorted(file.name for file in folder.iterdir()) == FILES
    assert json.loads((folder / "city.geojson").read_text())["type"] == "FeatureCollection"
    recording = fw.Recording.load(folder / "crowd.parquet")
    assert recording.n_frames == 5
    assert len(recording.characters.ids) == 300
    for picture in ("crowd.png", "crowd.gif"):
        with Image.open(folder / picture) as image:
            image.load()
            assert min(image.size) > 500
    _check_what_is_next(footway, out)


def _check_what_is_next(footway, out):
    """The commands that the demo suggests work."""
    commands = [line.split()[1:] for line in out.splitlines() if line.startswith("  footway ")]
    assert [command[0] for command in commands] == ["path", "export", "simulate"]
    for command in commands[:2]:
        assert footway(*command).code == 0
    assert footway(*commands[2][:2], "--check").code == 0


def test_json(footway, tmp_path):
    folder = tmp_path / "made" / "here"
    answer = footway("demo", "-o", folder, "--count", 250, "--seconds", 1, "--json").json
    assert sorted(file.name for file in folder.iterdir()) == FILES
    assert answer["characters"] == sum(answer["populations"].values()) == 250
    assert answer["steps"] == 10
    assert answer["longest_step_ms"] >= answer["median_step_ms"] > 0
    assert answer["least_gap"] >= 0
    assert answer["stuck"] == []
    assert len(answer["written"]) == len(FILES)


@pytest.mark.parametrize("given", [("--count", 249), ("--seconds", 0), ("--count", "many")])
def test_numbers_that_make_no_sense(footway, tmp_path, given):
    footway("demo", "-o", tmp_path, *given).refuses()


def test_into_a_file_is_refused(footway, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    footway("demo", "-o", file).refuses()


def test_the_crowd_is_complete_and_reproducible():
    city = fw.load("gallery:city")
    cmap = fw.CorridorMap.build(city)
    crowds = [fw.Crowd(cmap, seed=3) for _ in range(2)]
    for crowd in crowds:
        fill(crowd, city, 777)
    one, other = crowds
    assert len(one) == len(one.ids) == 777
    assert len(set(one.names)) == len(one.names) == 6
    one.step(2)
    one.step()
    recording = other.run(seconds=0.3)
    assert (recording.frame(-1).positions == one.positions).all()
    found = min(
        float((cmap.clearance(recording.frame(k).positions) - other.radii).min()) for k in range(4)
    )
    assert np.isclose(least_gap(recording, cmap), found, rtol=0.0, atol=1e-12)
