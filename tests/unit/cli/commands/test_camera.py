import csv
import json

import numpy as np
import pytest

import footway as fw
from footway.camera import Stop
from footway.cli.commands.camera import make_stops
from footway.cli.options import places, seconds, targets
from tests.unit.plot.gltf_reading import read

STOPS = ("--stops", "1,1; 9,1; 9,7")
SHORT = ("--method", "short")


@pytest.fixture
def run(tmp_path, room):
    """A recording of five characters in the room."""
    cmap = fw.CorridorMap.build(fw.load(room))
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(5, radius=0.2)
    file = tmp_path / "run.parquet"
    crowd.run(seconds=4).save(file)
    return file


@pytest.mark.parametrize("method", [(), SHORT])
def test_says_what_the_camera_does(footway, room, method):
    out = footway("camera", room, *STOPS, "--dwell", "0;2;0", *method).printed
    for word in ("3 stops", "length", "duration", "Certified", "starts", "stays", "ends"):
        assert word in out


def test_json_is_one_object(footway, room):
    look = ("--look-at", "; 5,4,0.5;", "--dwell", "2.5")
    answer = footway("camera", room, *STOPS, *look, *SHORT, "--json").json
    assert answer["clearance"] >= 0.25 - 1e-6
    assert answer["top_speed"] <= 1.4
    assert [stop["dwell"] for stop in answer["stops"]] == [2.5, 2.5, 2.5]
    assert [stop["look_at"] for stop in answer["stops"]] == [None, [5.0, 4.0, 0.5], None]
    assert answer["stops"][-1]["departure"] == pytest.approx(answer["duration"])
    assert set(answer["times_ms"]) == {"load", "build", "tour"}


def test_the_order_is_optimised(footway, room):
    stops = ("--stops", "1,1; 9,7; 2,1; 9,1", *SHORT, "--json")
    kept = footway("camera", room, *stops).json
    best = footway("camera", room, *stops, "--order", "optimised").json
    assert [stop["stop"] for stop in kept["stops"]] == [0, 1, 2, 3]
    assert [stop["stop"] for stop in best["stops"]] == [0, 2, 3, 1]
    assert best["length"] < kept["length"]


def test_all_files_hold_the_same_motion(footway, room, tmp_path):
    files = [tmp_path / f"tour.{kind}" for kind in ("csv", "json", "glb", "gltf")]
    outputs = [part for file in files for part in ("-o", file)]
    plot = tmp_path / "tour.png"
    out = footway("camera", room, *STOPS, *SHORT, "--rate", "10", *outputs, "--plot", plot).printed
    assert all(f"Wrote {file}" in out for file in [*files, plot])
    assert plot.read_bytes().startswith(b"\x89PNG")
    with files[0].open(newline="") as lines:
        rows = np.array(list(csv.reader(lines))[1:], float)
    assert json.loads(files[1].read_text())["frames"] == rows.tolist()
    for file in files[2:]:
        document = read(file)
        for time, *numbers in rows[:, :7].tolist():
            position, look, _ = document.camera_at(time)
            assert np.allclose([*position, *look], numbers, atol=1e-4)


def test_bounds_of_the_motion(footway, room, tmp_path):
    file = tmp_path / "tour.csv"
    bounds = ("--speed", "2", "--acceleration", "0.7", "--deceleration", "0.3", "--height", "1.2")
    assert footway("camera", room, *STOPS, *SHORT, *bounds, "-o", file).code == 0
    table = np.loadtxt(file, delimiter=",", skiprows=1)
    gained = np.diff(table[:, 7]) / np.diff(table[:, 0])
    assert table[:, 7].max() <= 2.0
    assert gained.max() <= 0.7 + 1e-6
    assert gained.min() >= -0.3 - 1e-6
    assert (table[:, 3] == 1.2).all()


def test_a_saved_roadmap_keeps_its_radius(footway, room, tmp_path):
    saved = tmp_path / "room.fwmap"
    build = ("build", room, "--method", "voronoi_prm", "--radius", "0.4", "-o", saved)
    assert footway(*build).code == 0
    answer = footway("camera", saved, *STOPS, "--json").json
    assert answer["radius"] == 0.4
    assert answer["clearance"] >= 0.4 - 1e-6
    footway("camera", saved, *STOPS, *SHORT).refuses("saved", "--method")


def test_behind_a_character(footway, room, run, tmp_path):
    file, plot = tmp_path / "behind.glb", tmp_path / "behind.png"
    flight = ("camera", room, "--follow", run, "--character", "3", "-o", file, "--plot", plot)
    answer = footway(*flight, "--json").json
    assert answer["duration"] == pytest.approx(4.0)
    assert answer["clearance"] >= 0.2 - 1e-6
    assert plot.read_bytes().startswith(b"\x89PNG")
    read(file)
    said = footway("camera", room, "--follow", run, "--distance", "2").out
    assert "Certified" in said
    assert "behind character 0" in said
    assert footway(*flight, "--json").json["character"] == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--stops", "1,1"), "two stops"),
        (("--stops", ""), "not a place"),
        (("--stops", "1,1; here"), "'here' is not a place"),
        (("--stops", "1,1 9,1"), "not a place"),
        (("--stops", "1,1; 2,2,2"), "not a place"),
        (("--stops", "1,1;; 9,7"), "'' is not a place"),
        (("--stops", "1,1; nan,1"), "stop 2"),
        (("--stops", "1,1; 5,4; 9,7"), "stop 2"),
        (("--stops", "1,1; 90,4"), "stop 2"),
        (("--stops", "1,1; 1,1; 9,7"), "same place"),
        (("--stops", "1,1; 9,7", "--dwell", "1;2;3"), "--dwell has 3 parts"),
        (("--stops", "1,1; 9,7", "--dwell", "soon"), "'soon' is not a number"),
        (("--stops", "1,1; 9,7", "--dwell", "-1"), "dwell"),
        (("--stops", "1,1; 9,7", "--look-at", "1,2"), "--look-at has 1 part"),
        (("--stops", "1,1; 9,7", "--look-at", "1,2;up"), "'up' is not a place"),
        ((*STOPS, "--speed", "0"), "speed"),
        ((*STOPS, "--acceleration", "0"), "acceleration"),
        ((*STOPS, "--acceleration", "-1"), "acceleration"),
        ((*STOPS, "--deceleration", "nan"), "deceleration"),
        ((*STOPS, "--look-ahead", "-1"), "look"),
        ((*STOPS, "--turn-rate", "0"), "turn rate"),
        ((*STOPS, "--rate", "0"), "rate"),
        ((*STOPS, "--rate", "1e12"), "frames"),
        ((*STOPS, "--rate", "fast"), "'fast' is not a number"),
        ((*STOPS, "--clearance", "-1"), "radius"),
        ((*STOPS, "--clearance", "nan"), "radius"),
        ((*STOPS, "--order", "best"), "best"),
        ((*STOPS, "--distance", "3"), "--follow"),
        ((*STOPS, "--character", "3"), "--follow"),
        ((*STOPS, "-o", "tour.fbx"), ".glb"),
        ((*STOPS, "-o", "tour"), ".csv"),
        ((*STOPS, "-o", "no/tour.csv"), "no folder"),
        ((*STOPS, "--plot", "tour.bmp"), ".png"),
        ((), "--stops"),
        ((*STOPS, "--follow", "run.parquet"), "--stops"),
        (("--follow", "missing.parquet"), "missing.parquet"),
    ],
)
@pytest.mark.parametrize("method", [(), SHORT])
def test_bad_input_is_one_line(footway, room, arguments, words, method):
    more = () if "--follow" in arguments else method
    footway("camera", room, *arguments, *more).refuses(words)


@pytest.mark.parametrize("method", [(), SHORT])
def test_stops_in_different_rooms(footway, two_rooms, method):
    stops = ("--stops", "-5,4; -2,2; 5,4")
    footway("camera", two_rooms, *stops, *method).refuses("stop 2", "stop 3", code=3)


@pytest.mark.parametrize("method", [(), SHORT])
def test_where_it_is_too_narrow(footway, door, tmp_path, method):
    plot = tmp_path / "why.png"
    tour = ("camera", door, "--stops", "2,4; 8,4", "--clearance", "0.5", *method, "--plot", plot)
    footway(*tour).refuses("0.8", code=3, out=f"Wrote {plot}\n")
    assert plot.stat().st_size > 5000
    answer = footway(*tour, "--json").json
    assert answer["reason"] == "pinch"
    assert 4 <= answer["pinch"]["at"][0] <= 6


@pytest.mark.parametrize("method", [(), SHORT])
def test_a_clearance_wider_than_the_map(footway, room, method):
    result = footway("camera", room, *STOPS, "--clearance", "30", *method)
    assert result.code in {2, 3}
    assert len(result.err.splitlines()) == 1


def test_two_outputs_of_one_name(footway, room, tmp_path):
    twice = ("-o", tmp_path / "tour.csv", "-o", tmp_path / "tour.csv")
    footway("camera", room, *STOPS, *twice).refuses("two outputs")


@pytest.mark.parametrize("method", [(), SHORT])
def test_a_stop_on_a_wall(footway, room, method):
    result = footway("camera", room, "--stops", "1,1; 0,4; 9,7", *method)
    result.refuses("stop 2 (0.000, 4.000) lies on a wall: move it 0.25 m or more off")


def test_an_unknown_order(footway, room):
    result = footway("camera", room, *STOPS, "--order", "best")
    result.refuses("'best' is not one of 'kept', 'optimised'")
    assert "Value error" not in result.err


def test_nobody_has_this_id(footway, room, run):
    result = footway("camera", room, "--follow", run, "--character", "77")
    result.refuses("--character 77", "5 characters, from 0 to 4")


def test_the_recording_is_of_another_map(footway, run, tmp_path):
    other = tmp_path / "other.wkt"
    other.write_text("POLYGON ((20 20, 30 20, 30 30, 20 30, 20 20))")
    footway("camera", other, "--follow", run).refuses("not the map")


def test_a_tour_has_no_options_of_a_follower(footway, room, run):
    for option, value in (("--speed", "2"), ("--order", "kept"), ("--dwell", "3")):
        result = footway("camera", room, "--follow", run, option, value)
        result.refuses(option, "--follow")


def test_a_volume_is_refused(footway):
    footway("camera", "gallery:house", *STOPS).refuses("three-dimensional")


@pytest.mark.parametrize("end", ["", ";", " ; "])
def test_a_semicolon_may_end_the_last_part(end):
    """Of stops, of dwell times and of what is looked at."""
    found = make_stops(places(f"2,2; 3,4{end}"), seconds(f"1; 2.5{end}"), targets(f"; 5,6,1{end}"))
    assert found == [Stop((2.0, 2.0), 1.0), Stop((3.0, 4.0), 2.5, (5.0, 6.0, 1.0))]
