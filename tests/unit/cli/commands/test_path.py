import math

import pytest


def test_prints_the_certificate_in_words(footway, room):
    out = footway("path", room, "--start", "1,1", "--goal", "9,7", "--radius", "0.3").printed
    for word in ("length", "clearance", "turns", "time", "Certified", "0.3 m"):
        assert word in out


def test_json_holds_the_path(footway, room):
    answer = footway("path", room, "--start", "1,1", "--goal", "9,7", "--json").json
    assert answer["points"][0] == [1.0, 1.0]
    assert answer["points"][-1] == [9.0, 7.0]
    assert answer["length"] >= math.hypot(8, 6)
    assert answer["clearance"] >= 0.25 - 1e-6
    assert answer["bottleneck"]["radius"] >= 0.25
    assert set(answer["times_ms"]) == {"load", "build", "kernels", "query"}


@pytest.mark.parametrize("start", [("--start", "-8,1"), ("--start=-8,1",)])
def test_negative_coordinates(footway, two_rooms, start):
    answer = footway("path", two_rooms, *start, "--goal", "-2.5,7e0", "--json").json
    assert answer["start"] == [-8.0, 1.0]
    assert answer["goal"] == [-2.5, 7.0]


def test_start_is_goal(footway, room):
    answer = footway("path", room, "--start", "1,1", "--goal", "1,1", "--json").json
    assert answer["length"] == 0.0


def test_radius_zero(footway, room):
    result = footway("path", room, "--start", "1,1", "--goal", "9,7", "--radius", "0")
    assert result.code in {0, 2}
    assert len(result.err.splitlines()) == (result.code == 2)


def test_preferred_clearance(footway, room):
    query = ("path", room, "--start", "3,4", "--goal", "7,4")
    near, far = (footway(*query, *more, "--json").json for more in ((), ("--clearance", "1")))
    assert far["wanted_clearance"] == 1.0
    assert far["length"] >= near["length"]


def test_no_path_between_components(footway, two_rooms):
    query = ("path", two_rooms, "--start", "-5,4", "--goal", "5,4")
    footway(*query).refuses(code=3)
    answer = footway(*query, "--json").json
    assert answer["reason"] == "components"
    assert answer["kind"] == "NoPath"
    assert answer["pinch"] is None


def test_the_pinch_is_named(footway, door):
    query = ("path", door, "--start", "2,4", "--goal", "8,4", "--radius", "0.5")
    footway(*query).refuses("0.8", code=3)
    answer = footway(*query, "--json").json
    assert answer["reason"] == "pinch"
    assert answer["pinch"]["width"] == pytest.approx(0.8)
    assert 4 <= answer["pinch"]["at"][0] <= 6


@pytest.mark.parametrize("ends", [("0.3,4", "9,1"), ("9,1", "0.3,4")])
def test_an_end_that_is_the_limit_is_named(footway, room, ends):
    end = "start" if ends[0] == "0.3,4" else "goal"
    out = footway("path", room, "--start", ends[0], "--goal", ends[1]).out
    assert f"0.300 m gets through, which is the distance of the {end} to the wall" in out
    out = footway("path", room, "--start", "2,4", "--goal", "8,4").out
    assert "gets through, narrowest at (" in out


def test_the_reason_is_drawn(footway, door, tmp_path):
    plot = tmp_path / "why.png"
    query = ("path", door, "--start", "2,4", "--goal", "8,4", "--radius", "0.5")
    assert footway(*query, "--plot", plot).code == 3
    assert plot.stat().st_size > 5000


def test_draws_the_path(footway, room, tmp_path):
    plot = tmp_path / "path.png"
    result = footway("path", room, "--start", "1,1", "--goal", "9,7", "--plot", plot, "--json")
    assert result.json["plot"] == str(plot)
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--start", "5,4", "--goal", "9,7"), "nearest free point"),
        (("--start", "1,1", "--goal", "90,7"), "nearest free point"),
        (("--start", "nan,1", "--goal", "9,7"), "start"),
        (("--start", "1,1", "--goal", "inf,7"), "goal"),
        (("--start", "1,1", "--goal", "9,7", "--radius", "-1"), "radius"),
        (("--start", "1,1", "--goal", "9,7", "--radius", "nan"), "radius"),
        (("--start", "1,1", "--goal", "9,7", "--radius", "thin"), "'thin'"),
        (("--start", "1,1", "--goal", "9,7", "--clearance", "-1"), "clearance"),
        (("--start", "here", "--goal", "9,7"), "'here' is not a point"),
        (("--start", "1,2,3", "--goal", "9,7"), "'1,2,3' is not a point"),
        (("--start", "1,1"), "'--goal'"),
        (
            ("--start", "1,1", "--goal", "9,7", "--alternatives", "zero"),
            "'--alternatives': give a whole number, such as 3; see",
        ),
        (("--start", "1,1", "--goal", "9,7", "--scale", "0"), "scale"),
    ],
)
def test_bad_queries_are_one_line(footway, room, arguments, words):
    footway("path", room, *arguments).refuses(words)


def test_a_disc_wider_than_everything(footway, room):
    footway("path", room, "--start", "1,1", "--goal", "9,7", "--radius", "9.9").refuses(code=3)


def test_alternatives(footway, room, tmp_path):
    query = ("path", room, "--start", "1,1", "--goal", "9,7", "--alternatives", "3")
    answer = footway(*query, "--json").json
    lengths = [path["length"] for path in answer["paths"]]
    assert lengths == sorted(lengths)
    assert len(lengths) == 2
    picture = str(tmp_path / "paths.png")
    out = footway(*query, "--longer", "1", "--plot", picture).printed
    assert "2 paths in different corridors" in out
    assert "% longer" in out
    assert "no others" in out


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--longer", "0.2"), "give both"),
        (("--alternatives", "0"), "number of paths"),
        (("--different", "0.5"), "--different limits --alternatives"),
        (("--alternatives", "2", "--different", "2"), "share `different`"),
        (("--alternatives", "2", "--follow", "cmm"), "one walk"),
        (("--alternatives", "2", "--clearance", "1"), "leave it out"),
    ],
)
def test_alternatives_that_make_no_sense(footway, room, more, why):
    footway("path", room, "--start", "1,1", "--goal", "9,7", *more).refuses(why)
