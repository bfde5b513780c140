"""`footway path --follow`: walks from the terminal."""

import csv
import inspect
import math
from pathlib import Path

import numpy as np
import pytest

import footway as fw
from footway.cli.commands import path

QUERY = ("--start", "1,1", "--goal", "9,7", "--follow", "cmm")
DOOR_QUERY = ("--start", "2,4", "--goal", "8,4", "--follow", "cmm")


def walked(footway, room, *options):
    result = footway("path", room, *QUERY, *options, "--json")
    assert result.code == 0, result.err
    return result.json


def test_prints_the_walk_in_words(footway, room):
    out = footway("path", room, *QUERY).printed
    for word in ("Walk from", "duration", "length", "mean speed", "clearance", "Certified"):
        assert word in out
    assert "gap" not in out


def test_json_holds_the_trajectory(footway, room):
    answer = walked(footway, room)
    points, velocities, times = (
        np.array(answer[name]) for name in ("points", "velocities", "times")
    )
    assert len(points) == len(velocities) == len(times)
    assert points[0].tolist() == [1.0, 1.0]
    assert points[-1] == pytest.approx([9.0, 7.0])
    assert np.diff(points, axis=0) == pytest.approx(
        velocities[:-1] * np.diff(times)[:, None], abs=1e-9
    )
    assert answer["duration"] == times[-1]
    assert answer["length"] >= math.hypot(8, 6)
    assert answer["clearance"] >= 0.25 - 1e-6
    assert answer["gap"] is None
    assert answer["follow"] == {"method": "cmm"}
    assert set(answer["times_ms"]) == {"load", "build", "kernels", "corridor", "walk"}


def test_speed_and_step(footway, room):
    slow, fast = (walked(footway, room, "--speed", speed) for speed in ("1", "2"))
    assert fast["duration"] < 0.7 * slow["duration"]
    assert fast["mean_speed"] <= 2.0 + 1e-9
    assert np.diff(walked(footway, room, "--step", "0.25")["times"])[:-1] == pytest.approx(0.25)


def test_options_reach_the_follower(footway, room):
    plain = walked(footway, room)
    for name, value in (("shortcut", "1"), ("lane", "0.8"), ("corner", "1"), ("noise", "0.9")):
        other = walked(footway, room, f"--{name}", value)
        assert other["follow"] == {"method": "cmm", name: float(value)}
        assert other["points"] != plain["points"]
    seeds = [walked(footway, room, "--noise", "0.9", "--seed", seed) for seed in ("1", "2", "1")]
    assert seeds[0]["points"] == seeds[2]["points"]
    assert seeds[0]["points"] != seeds[1]["points"]


def test_the_help_gives_the_defaults_of_the_follower(footway):
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(fw.follow.cmm).parameters.items()
    }
    shown = {
        name: annotation.__metadata__[0].show_default
        for name, annotation in inspect.get_annotations(path.path, eval_str=True).items()
        if name in defaults and name not in {"radius", "obstacles"}
    }
    assert set(shown) >= {"speed", "step", "turn_rate", "shortcut", "lane", "seed", "avoid"}
    for name, words in shown.items():
        default = defaults[name]
        is_text = isinstance(default, str)
        assert words == default if is_text else float(words) == pytest.approx(default, abs=0.005)


@pytest.mark.parametrize("avoid", ["forces", "corridor"])
def test_obstacles(footway, room, avoid):
    answer = walked(footway, room, "--obstacle", "5,1.5,0.3", "--avoid", avoid)
    assert answer["gap"] >= 0.0
    assert answer["follow"] == {"method": "cmm", "avoid": avoid}
    (disc,) = answer["obstacles"]
    assert disc["at"] == [5.0, 1.5]
    assert disc["radius"] == 0.3
    result = footway("path", room, *QUERY, "--obstacle", "5,1.5,0.3", "--obstacle", "2,7,0.1")
    assert "nearest of 2 dynamic obstacles" in result.out


def test_moving_obstacles_may_come_from_below_zero(footway, room):
    answer = walked(footway, room, "--obstacle", "-3,1.5,0.3,1,0")
    assert answer["obstacles"][0]["velocity"] == [1.0, 0.0]
    assert answer["gap"] >= 0.0


@pytest.mark.parametrize("avoid", ["forces", "corridor"])
def test_what_blocks_the_path_is_named(footway, door, tmp_path, avoid):
    plot = tmp_path / "why.png"
    query = ("path", door, *DOOR_QUERY, "--avoid", avoid)
    blocked = ("--obstacle", "1,7,0.1", "--obstacle", "5,4,0.3", "--plot", plot)
    result = footway(*query, *blocked)
    result.refuses("(5.00, 4.00)", code=3, out=f"Wrote {plot}\n")
    assert "(1.00, 7.00)" not in result.err
    assert plot.stat().st_size > 5000
    answer = footway(*query, *blocked, "--json").json
    assert (answer["reason"], answer["obstacles"]) == ("blocked", [1])
    assert answer["exit_code"] == 3


def test_the_trajectory_file(footway, room, tmp_path):
    file = tmp_path / "walk.csv"
    answer = walked(footway, room, "-o", file)
    assert answer["output"] == str(file)
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == ["time", "x", "y", "vx", "vy"]
    assert [[float(row["x"]), float(row["y"])] for row in rows] == answer["points"]
    assert [float(row["time"]) for row in rows] == pytest.approx(answer["times"], abs=1e-8)
    assert f"Wrote {file}" in footway("path", room, *QUERY, "-o", file).out


def test_draws_the_walk(footway, room, tmp_path):
    plot = tmp_path / "walk.png"
    answer = walked(footway, room, "--obstacle", "5,1.5,0.3", "--plot", plot)
    assert answer["plot"] == str(plot)
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_a_saved_map_is_walked_too(footway, room, tmp_path):
    file = tmp_path / "room.fwmap"
    footway("build", room, "-o", file)
    assert walked(footway, file)["points"] == walked(footway, room)["points"]


def test_start_is_goal(footway, room):
    query = ("--start", "1,1", "--goal", "1,1", "--follow", "cmm")
    answer = footway("path", room, *query, "--json").json
    assert answer["length"] == answer["mean_speed"] == 0.0
    assert answer["duration"] <= answer["step"]
    assert footway("path", room, *query).code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--speed", "2"), "--speed is for a walk; add --follow cmm"),
        (("--turn-rate", "2", "--obstacle", "1,1,1"), "--turn-rate, --obstacle are for a walk"),
        (("-o", "walk.csv"), "--output is for a walk"),
        (("--seed", "1"), "--seed"),
        (("--avoid", "forces"), "--avoid"),
    ],
)
def test_options_of_a_walk_need_follow(footway, room, options, words):
    footway("path", room, "--start", "1,1", "--goal", "9,7", *options).refuses(words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--speed", "-1"), "speed"),
        (("--speed", "nan"), "speed"),
        (("--speed", "fast"), "'fast'"),
        (("--step", "0"), "step"),
        (("--turn-rate", "-1"), "turn"),
        (("--shortcut", "1.5"), "shortcut"),
        (("--noise", "nan"), "noise"),
        (("--lane", "inf"), "lane"),
        (("--corner", "nan"), "corner"),
        (("--seed", "x"), "'--seed'"),
        (("--avoid", "magic"), "'magic'"),
        (("--obstacle", "1,2"), "'1,2' is not a disc"),
        (("--obstacle", "1,2,3,4"), "'1,2,3,4' is not a disc"),
        (("--obstacle", "here"), "'here' is not a disc"),
        (("--obstacle", "5,1.5,-1"), "radius"),
        (("--obstacle", "nan,1.5,1"), "nan"),
        (("--obstacle", "1,1,0.3"), "start"),
        (("--clearance", "1"), "--clearance"),
        (("-o", "walk.txt"), "must end in .csv"),
        (("-o", "no/folder/walk.csv"), "no folder"),
        (("--follow", "magic"), "'magic'"),
        (("--radius", "nan"), "radius"),
    ],
)
def test_bad_walks_are_one_line(footway, room, options, words):
    footway("path", room, *QUERY, *options).refuses(words)


def test_a_full_disk(footway, room, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    result = footway("path", room, *QUERY, "-o", tmp_path / "walk.csv")
    result.refuses("No space left")


def test_no_path_is_the_same_refusal(footway, door):
    footway("path", door, *DOOR_QUERY, "--radius", "0.5").refuses("0.8", code=3)


def test_strengths_of_the_forces(footway, room):
    query = ("path", room, "--start", "1,1", "--goal", "9,7", "--follow", "miran", "--json")
    plain = footway(*query, "--clearance", "0.5").json
    strong = footway(
        *query, "--clearance", "0.5", "--boundary", "9", "--steering", "0.5", "--repulsion", "0.2"
    ).json
    assert strong["follow"] == plain["follow"] | {
        "boundary": 9.0, "steering": 0.5, "repulsion": 0.2
    }  # fmt: skip
    assert strong["points"] != plain["points"]
