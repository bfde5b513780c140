"""Buildings on the command line: a folder of plans, paths and walks over floors, what is wrong."""

import json

import pytest

HOLED = "POLYGON ((0 0, 10 0, 10 8, 0 8, 0 0), (6 3, 6 7, 7.2 7, 7.2 3, 6 3))"
FLOORS = """
[[floor]]
name = "0"
plan = "plan.wkt"
[[floor]]
name = "1"
plan = "plan.wkt"
elevation = 3.0
"""
STAIRS = """
[[stairs]]
name = "A"
lower = ["0", [6, 3], [7.2, 3]]
upper = ["1", [6, 7], [7.2, 7]]
"""
QUERY = ("--start", "9,1,0", "--goal", "1,1,1")


@pytest.fixture
def house(tmp_path):
    """Write a building of two floors and some links; return its file."""

    def write(links=STAIRS, floors=FLOORS):
        (tmp_path / "plan.wkt").write_text(HOLED)
        file = tmp_path / "house.toml"
        file.write_text(floors + links)
        return file

    return write


def test_a_walk_climbs_the_stairs(footway, house, tmp_path):
    result = footway("path", house(), *QUERY, "--follow", "cmm", "-o", tmp_path / "w.csv",
                     "--plot", tmp_path / "w.png")  # fmt: skip
    assert result.code == 0, result.err
    assert "Certified: a disc of radius 0.25 m on this walk never touches a wall" in result.out
    last = (tmp_path / "w.csv").read_text().splitlines()[-1].split(",")
    assert float(last[3]) == pytest.approx(3.0)
    assert (tmp_path / "w.png").stat().st_size > 5000


def test_the_path_says_which_links_it_uses(footway, house):
    answer = footway("path", house(), *QUERY, "--json").json
    assert (answer["floors"], answer["links"]) == (["0", "1"], ["A"])
    assert answer["length"] > answer["plan_length"]


def test_the_end_that_limits_the_widest_path_is_named(footway, house):
    near = footway("path", house(), "--start", "0.3,0.3,0", "--goal", "1,1,1")
    assert "a radius of 0.300 m gets through, which is the distance of the start" in near.out
    above = footway("path", house(), "--start", "0.3,1,0", "--goal", "0.3,1,1")
    assert "the distance of the start or goal to the wall" in above.out
    far = footway("path", house(), "--start", "1,1,0", "--goal", "1,1,1")
    assert "a radius of 0.500 m gets through, narrowest at" in far.out


def test_alternatives_use_other_links(footway, house):
    cabin = "cabin = [[0, 8], [2, 8], [2, 10], [0, 10]]\ndoors = "
    doors = '[["0", [0.5, 8], [1.5, 8]], ["1", [0.5, 8], [1.5, 8]]]'
    file = house(STAIRS + f"[[lift]]\nname = 'L'\n{cabin}{doors}")
    result = footway("path", file, *QUERY, "--alternatives", "2")
    assert result.code == 0, result.err
    assert "by the links L" in result.out
    refused = footway("path", file, *QUERY, "--alternatives", "2", "--different", "0.3")
    assert (refused.code, refused.err.count("\n")) == (2, 1)


def test_check_lists_floors_and_links(footway, house):
    result = footway("check", house())
    assert result.code == 0
    assert "stairs 'A': floors '0', '1', 1.20 m wide" in result.out


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (STAIRS.replace('"1"', '"7"'), "touches no floor: there is no floor '7'"),
        (STAIRS.replace("[6, 3]", "[6, 2]"), "make an obstacle of the space of stairs 'A'"),
        (STAIRS.replace("[7.2, 3]", "[6, 7]"), "two portals of stairs 'A' meet at (6, 7)"),
        (STAIRS.replace("[7.2, 3]", "[7.2, 7]"), "both ends must lie on one straight wall"),
        (STAIRS + STAIRS, "there are 2 links named 'A'"),
        ("[[lift]]\nname = 'L'\ncabin = [[6,3],[7.2,3],[7.2,7],[6,7]]\ndoors = []",
         "stops at no floor"),
        (STAIRS.replace('lower = ["0", [6, 3], [7.2, 3]]\n', ""), "the key 'lower' is missing"),
        (STAIRS.replace("[[stairs]]", "[[stair]]"), "'stair' is unknown"),
        ("[[stairs]\n", "is not TOML"),
    ],
)  # fmt: skip
def test_bad_links_are_refused_in_one_line(footway, house, links, message):
    result = footway("check", house(links))
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("floors", "message"),
    [
        (FLOORS.replace('"1"', '"0"'), "2 floors named '0'"),
        (FLOORS.replace("elevation = 3.0", ""), "has no height"),
        (FLOORS.replace("elevation = 3.0", "elevation = -3.0"), "exchange the two portals"),
        (FLOORS.replace("elevation = 3.0", 'plan = "no.wkt"', 1).replace('plan = "plan.wkt"\nplan',
         "plan"), "no.wkt"),
        ("", "without floors"),
    ],
)  # fmt: skip
def test_bad_floors_are_refused_in_one_line(footway, house, floors, message):
    result = footway("check", house(floors=floors))
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_traps_are_reported_with_the_place(footway, house):
    result = footway("check", house(STAIRS.replace("stairs", "escalator")), "--json")
    assert result.code == 0
    (trap,) = json.loads(result.out)["traps"]
    assert trap == "floor '1' can be entered but not left: escalator 'A' at (6, 7) leads only there"


def test_a_floor_that_cannot_be_reached(footway, house):
    footway("path", house(links=""), *QUERY).refuses("on floor '0'", "on floor '1'", code=3)


def test_a_camera_climbs(footway, house, tmp_path):
    stops = ("--stops", "9,1,0; 1,1,1; 9,7,0")
    result = footway("camera", house(), *stops, "-o", tmp_path / "c.csv",
                     "--plot", tmp_path / "c.png")  # fmt: skip
    assert result.code == 0, result.err
    assert "stop 2 (1.00, 1.00, 1): stays" in result.out
    heights = [float(row.split(",")[3]) for row in (tmp_path / "c.csv").read_text().split()[1:]]
    assert (min(heights), max(heights)) == (pytest.approx(1.7), pytest.approx(4.7))
    assert (tmp_path / "c.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--stops", "9,1; 1,1,1"), "the map is a building; give X,Y,FLOOR with one of 0, 1"),
        (("--stops", "9,1,0; 1,1,5"), "there is no floor '5'"),
        (("--stops", "9,1,0; 1,1,1", "--method", "voronoi_prm"), "leave --method out"),
    ],
)
def test_bad_stops_are_refused_in_one_line(footway, house, options, message):
    result = footway("camera", house(), *options)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1
