"""`footway route` and `footway path --follow miran|irm`: terrain from the terminal."""

import inspect
import json
import math

import numpy as np
import pytest
from matplotlib.text import Text

import footway as fw
from footway.cli.commands import path
from footway.cli.reports import draw_refusal

BOX = [[0, 0], [20, 0], [20, 12], [0, 12], [0, 0]]
MUD = [[8, 0], [12, 0], [12, 8], [8, 8], [8, 0]]
POST = [[9, 9], [11, 9], [11, 10], [9, 10], [9, 9]]
OUTSIDE = [[40, 0], [44, 0], [44, 4], [40, 4], [40, 0]]
ENDS = ("--start", "2,2", "--goal", "18,2")
AROUND = [(2, 2), (7, 8.5), (13, 8.5), (18, 2)]


@pytest.fixture
def yard(tmp_path):
    """A yard of 20 x 12 m with mud across its southern part, and a post north of it."""
    return written(tmp_path / "yard.geojson", walkable=BOX, mud=MUD, obstacle=POST)


@pytest.fixture
def bare(tmp_path):
    """The same without mud."""
    return written(tmp_path / "bare.geojson", walkable=BOX, obstacle=POST)


@pytest.fixture
def drawn(tmp_path):
    """A route by hand around the mud."""
    return line(tmp_path / "drawn.geojson", AROUND)


def written(file, **rings):
    features = [
        {
            "type": "Feature",
            "properties": {"kind": kind},
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        }
        for kind, ring in rings.items()
    ]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return file


def line(file, points):
    file.write_text(json.dumps({"type": "LineString", "coordinates": points}))
    return file


def answered(footway, *arguments):
    result = footway(*arguments, "--json")
    assert result.code == 0, result.err
    return result.json


class TestRoute:
    def test_words(self, footway, yard):
        out = footway("route", yard, *ENDS, "--prefer", "mud=30").printed
        for word in ("Route from", "length", "before it was improved", "ground", "points"):
            assert word in out
        assert "mud" not in out

    def test_json(self, footway, yard):
        answer = answered(footway, "route", yard, *ENDS, "--prefer", "mud=30")
        assert answer["points"][0] == [2.0, 2.0]
        assert answer["points"][-1] == [18.0, 2.0]
        assert answer["preferences"] == {"mud": 30.0}
        assert answer["ground"]["mud"] == 0.0
        assert answer["ground"]["ground"] == pytest.approx(answer["length"])
        assert answer["weighted_length"] <= answer["weighted_length_before"]
        assert set(answer["times_ms"]) == {"load", "terrain", "kernels", "route"}

    def test_preferences_decide(self, footway, yard):
        through = answered(footway, "route", yard, *ENDS)
        assert through["length"] == pytest.approx(16.0)
        assert through["ground"]["mud"] == pytest.approx(4.0)
        assert answered(footway, "route", yard, *ENDS, "--prefer", "mud=30")["length"] > 17.0

    @pytest.mark.parametrize(
        "options", [("--prefer", "mud=5,ground=2"), ("--prefer", "mud=5", "--prefer", " ground=2")]
    )
    def test_several_preferences(self, footway, yard, options):
        answer = answered(footway, "route", yard, *ENDS, *options)
        assert answer["preferences"] == {"mud": 5.0, "ground": 2.0}

    def test_grid_and_no_improvement(self, footway, yard):
        grid = ("--method", "grid", "--resolution", "0.5")
        rough = answered(footway, "route", yard, *ENDS, "--prefer", "mud=30", *grid, "--no-improve")
        assert rough["method"] == "grid"
        assert not rough["is_improved"]
        assert rough["weighted_length"] == rough["weighted_length_before"]
        tight = ("--margin", "0")  # a margin to the mud may make the route a little longer
        better = answered(footway, "route", yard, *ENDS, "--prefer", "mud=30", *grid, *tight)
        assert better["weighted_length"] < rough["weighted_length"]

    def test_margin(self, footway, yard):
        near, far = (
            np.array(
                answered(footway, "route", yard, *ENDS, "--prefer", "mud=30", "--margin", m)[
                    "points"
                ]
            )
            for m in ("0", "0.4")
        )
        assert near[:, 1].max() == pytest.approx(8.0, abs=0.01)
        assert far[:, 1].max() > 8.3

    def test_a_map_without_terrain_is_ground(self, footway, bare):
        answer = answered(footway, "route", bare, *ENDS, "--prefer", "ground=2")
        assert list(answer["ground"]) == ["ground"]
        assert answer["weighted_length"] == pytest.approx(2.0 * answer["length"])

    @pytest.mark.parametrize("name", ["route.geojson", "route.csv"])
    def test_a_saved_route_can_be_followed(self, footway, yard, tmp_path, name):
        file = tmp_path / name
        route = answered(footway, "route", yard, *ENDS, "--prefer", "mud=30", "-o", file)
        assert route["output"] == str(file)
        walk = answered(footway, "path", yard, "--route", file, "--follow", "miran")
        assert walk["route"]["points"] == route["points"]
        assert walk["route"]["method"] == "drawn"
        kept = {"mud": 30.0} if name.endswith("geojson") else {}
        assert walk["route"]["preferences"] == kept

    def test_plot(self, footway, yard, tmp_path):
        plot = tmp_path / "route.png"
        result = footway("route", yard, *ENDS, "--plot", plot)
        assert f"Wrote {plot}" in result.out
        assert plot.read_bytes().startswith(b"\x89PNG")

    def test_no_path(self, footway, two_rooms, tmp_path):
        plot = tmp_path / "why.png"
        query = ("route", two_rooms, "--start", "-5,4", "--goal", "5,4")
        footway(*query).refuses("no path between them", code=3)
        assert footway(*query, "--json").json["reason"] == "components"
        assert footway(*query, "--plot", plot).code == 3
        assert plot.stat().st_size > 5000

    def test_too_narrow(self, footway, door):
        query = ("route", door, "--start", "2,4", "--goal", "8,4", "--radius", "0.5")
        footway(*query).refuses("0.8", code=3)
        assert footway(*query, "--json").json["reason"] == "pinch"

    def test_a_coarse_grid_misses_the_door(self, footway, door):
        grid = ("--method", "grid", "--resolution", "1.5")
        result = footway("route", door, "--start", "2,3", "--goal", "8,3", *grid)
        result.refuses("finer resolution, or triangles instead of the grid", code=3)


class TestWalk:
    def test_words(self, footway, yard):
        out = footway("path", yard, *ENDS, "--follow", "miran", "--prefer", "mud=30").printed
        for word in ("Walk from", "weighted", "ground", "route", "clearance", "Certified"):
            assert word in out

    def test_json(self, footway, yard):
        options = ("--sigma", "4", "--spacing", "1", "--look", "0.5")
        answer = answered(
            footway, "path", yard, *ENDS, "--follow", "miran", "--prefer", "mud=30", *options
        )
        assert answer["follow"] == {"method": "miran", "sigma": 4.0, "spacing": 1.0, "look": 0.5}
        assert answer["points"][-1] == pytest.approx([18.0, 2.0])
        assert sum(answer["ground"].values()) == pytest.approx(answer["length"])
        assert answer["route"]["weighted_length_before"] >= answer["route"]["weighted_length"]
        assert set(answer["times_ms"]) == {"load", "terrain", "kernels", "route", "walk"}

    def test_the_irm_does_not_look_at_the_ground(self, footway, yard, drawn):
        walks = {
            name: answered(
                footway, "path", yard, "--route", drawn, "--follow", name, "--prefer", "mud=30"
            )
            for name in ("miran", "irm")
        }
        assert walks["miran"]["weighted_length"] <= walks["irm"]["weighted_length"]
        assert walks["irm"]["follow"] == {"method": "irm"}
        steps = {"load", "terrain", "build", "kernels", "route", "walk"}
        assert set(walks["irm"]["times_ms"]) == steps

    def test_a_route_by_hand_has_its_own_ends(self, footway, yard, drawn):
        answer = answered(footway, "path", yard, "--route", drawn, "--follow", "miran")
        assert answer["start"] == [2.0, 2.0]
        assert answer["goal"] == pytest.approx([18.0, 2.0])
        assert answer["route"]["points"] == [list(map(float, point)) for point in AROUND]

    def test_other_ends_are_joined(self, footway, yard, drawn):
        ends = ("--start", "1,11", "--goal", "19,11")
        answer = answered(footway, "path", yard, "--route", drawn, *ends, "--follow", "miran")
        points = answer["route"]["points"]
        assert points[0] == [1.0, 11.0]
        assert points[-1] == [19.0, 11.0]
        assert [7.0, 8.5] in points

    def test_clearance_is_requested_for_the_centre(self, footway, bare):
        query = ("path", bare, "--start", "8,9.5", "--goal", "12,9.5", "--follow", "miran")
        near, far = (answered(footway, *query, *o) for o in ((), ("--clearance", "0.8")))
        assert far["clearance"] > near["clearance"]

    def test_obstacles_and_output(self, footway, yard, tmp_path):
        file = tmp_path / "walk.csv"
        disc = ("--obstacle", "5,2,0.3")
        answer = answered(footway, "path", yard, *ENDS, "--follow", "miran", *disc, "-o", file)
        assert answer["gap"] >= 0.0
        assert len(file.read_text().splitlines()) == len(answer["points"]) + 1

    def test_what_blocks_the_path(self, footway, door, tmp_path):
        plot = tmp_path / "why.png"
        query = ("path", door, "--start", "2,4", "--goal", "8,4", "--follow", "miran")
        result = footway(*query, "--obstacle", "5,4,0.3")
        result.refuses("obstacles hold it", code=3)
        assert "NoPath" not in result.err
        assert footway(*query, "--obstacle", "5,4,0.3", "--plot", plot).code == 3
        assert plot.stat().st_size > 5000

    def test_plot(self, footway, yard, drawn, tmp_path):
        plot = tmp_path / "walk.png"
        answer = answered(footway, "path", yard, *ENDS, "--follow", "miran", "--plot", plot)
        assert answer["plot"] == str(plot)
        assert plot.read_bytes().startswith(b"\x89PNG")

    def test_the_help_gives_the_defaults(self):
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(fw.follow.miran).parameters.items()
        }
        shown = inspect.get_annotations(path.path, eval_str=True)
        for name in ("sigma", "spacing", "look", "speed", "step", "turn_rate"):
            words = shown[name].__metadata__[0].show_default
            assert float(words) == pytest.approx(defaults[name], abs=0.005)


@pytest.mark.parametrize("command", [("route",), ("path", "--follow", "miran")], ids="-".join)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--prefer", "mud=0"), "the weight of 'mud' is 0.0; give a positive number"),
        (("--prefer", "mud=-2"), "the weight of 'mud' is -2.0; give a positive number"),
        (("--prefer", "mud=nan"), "the weight of 'mud' is nan; give a positive number"),
        (("--prefer", "mud=inf"), "the weight of 'mud' is inf; give a positive number"),
        (("--prefer", "swamp=2"), "no terrain of kind 'swamp' on this map; it has ground, mud"),
        (("--prefer", "mud"), "'mud' is not a preference"),
        (("--prefer", "=3"), "'=3' is not a preference"),
        (("--prefer", "mud=much"), "'mud=much' is not a preference"),
        (("--prefer", "mud=2,mud=3"), "'mud' has two weights"),
        (("--margin", "-1"), "the margin is -1 m"),
        (("--margin", "wide"), "'wide' is not a number"),
        (("--margin", "1", "--no-improve"), "--margin is for an improved route"),
        (("--radius", "-1"), "radius"),
        (("--radius", "nan"), "radius"),
        (("--goal", "10,9.5"), "nearest free point"),
        (("--goal", "2,2"), "the start (2.000, 2.000) is the goal"),
        (("--goal", "here"), "'here' is not a point"),
        (("--plot", "route.bmp"), "must end in .png, .svg or .pdf"),
    ],
)
def test_bad_requests_are_one_line(footway, yard, command, options, words):
    name, *rest = command
    footway(name, yard, *rest, *ENDS, *options).refuses(words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--resolution", "0.5"), "--resolution is for --method grid"),
        (("--method", "grid", "--resolution", "0"), "resolution"),
        (("-o", "route.txt"), "must end in .geojson, .json or .csv"),
        (("-o", "no/folder/route.csv"), "no folder"),
    ],
)
def test_bad_routes_are_one_line(footway, yard, options, words):
    footway("route", yard, *ENDS, *options).refuses(words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--follow", "miran", "--sigma", "2", "--spacing", "3"), "sigma is 2 m and spacing 3 m"),
        (("--follow", "miran", "--sigma", "0"), "sigma"),
        (("--follow", "miran", "--spacing", "nan"), "spacing"),
        (("--follow", "miran", "--look", "-1"), "look"),
        (("--follow", "miran", "--clearance", "-1"), "the clearance is -1 m"),
        (("--follow", "cmm", "--sigma", "3"), "--sigma is for --follow miran; leave it out"),
        (("--follow", "irm", "--spacing", "3"), "--spacing is for --follow miran"),
        (("--follow", "cmm", "--prefer", "mud=3"), "--prefer is for --follow miran or irm"),
        (("--follow", "miran", "--lane", "1"), "--lane is for --follow cmm"),
        (("--sigma", "3"), "--sigma is for a walk; add --follow miran"),
        (("--no-improve",), "--no-improve is for a walk; add --follow miran"),
        (
            ("--lane", "1", "--sigma", "3"),
            "--lane, --sigma are for a walk, but no follower accepts all",
        ),
        (("--follow", "miran", "--route", "nowhere.csv"), "nowhere.csv: does not exist"),
        (("--follow", "miran", "--route", "route.txt"), "must end in .geojson, .json or .csv"),
    ],
)
def test_bad_walks_are_one_line(footway, yard, options, words):
    footway("path", yard, *ENDS, *options).refuses(words)


@pytest.mark.parametrize("option", ["--no-improve", "--route-method=grid", "--margin=1"])
def test_a_drawn_route_is_not_searched(footway, yard, drawn, option):
    query = ("path", yard, "--route", drawn, "--follow", "miran", option)
    footway(*query).refuses(f"{option.split('=')[0]} is for a route that is searched")


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([(2, 2), (2, 9.5), (18, 9.5)], "the route leaves the free space at (8.750, 9.500)"),
        ([(2, 2), (30, 2)], "the route leaves the free space at (19.750, 2.000)"),
        ([(2, 2)], "a route needs at least two different points"),
        ([(2, 2), (2, 2)], "a route needs at least two different points"),
        ([], "route"),
        (
            [(2, 2), (math.nan, 3)],
            "row 1 of the points of a route is [nan, 3.0]: coordinates must be finite",
        ),
    ],
)
def test_bad_routes_by_hand_are_one_line(footway, yard, tmp_path, points, words):
    file = line(tmp_path / "drawn.json", points)
    footway("path", yard, "--route", file, "--follow", "miran").refuses(words)


def test_a_file_that_is_no_route(footway, yard, tmp_path):
    file = tmp_path / "drawn.csv"
    file.write_text("x,y\n1,2,3\n")
    result = footway("path", yard, "--route", file, "--follow", "miran")
    result.refuses("drawn.csv: is not a table of x and y: line 2 has 3 columns")


def test_preferences_of_a_file_that_the_map_lacks(footway, yard, tmp_path):
    file = tmp_path / "saved.geojson"
    line = {"type": "LineString", "coordinates": AROUND}
    about = {"preferences": {"snow": 3.0}}
    file.write_text(json.dumps({"type": "Feature", "properties": about, "geometry": line}))
    result = footway("path", yard, "--route", file, "--follow", "miran")
    result.refuses("saved.geojson: no terrain of kind 'snow' on this map")
    answered(footway, "path", yard, "--route", file, "--follow", "miran", "--prefer", "mud=2")


def test_a_region_outside_the_map(footway, tmp_path):
    file = written(tmp_path / "outside.geojson", walkable=BOX, mud=OUTSIDE)
    footway("route", file, *ENDS).refuses("outside")
    footway("path", file, *ENDS, "--follow", "miran").refuses("outside")


def test_ends_are_needed(footway, yard):
    footway("route", yard, "--start", "2,2").refuses("'--goal'")
    query = ("path", yard, "--goal", "2,2", "--follow", "miran")
    footway(*query).refuses("Missing option '--start'")


def test_a_saved_map_has_no_terrain(footway, yard, tmp_path):
    file = tmp_path / "yard.fwmap"
    footway("build", yard, "-o", file)
    for command in (("route", file, *ENDS), ("path", file, *ENDS, "--follow", "irm")):
        footway(*command).refuses("give the map file that it was built from")


def test_the_walk_is_that_of_the_library(footway, yard):
    room = fw.load(str(yard))
    route = fw.route(room, (2, 2), (18, 2), preferences={"mud": 30.0})
    walk = fw.follow.miran(route, sigma=4.0)
    answer = answered(
        footway, "path", yard, *ENDS, "--follow", "miran", "--prefer", "mud=30", "--sigma", "4"
    )
    assert np.array(answer["points"]) == pytest.approx(walk.points)


@pytest.mark.parametrize(
    ("obstacles", "words"),
    [((0,), "dynamic obstacles block the path"), ((), "the walk gets no further")],
)
def test_a_picture_blames_only_obstacles_that_there_are(bare, obstacles, words):
    room = fw.load(str(bare))
    refusal = fw.NoPath("held", reason="blocked", obstacles=obstacles)
    figure = draw_refusal(fw.CorridorMap.build(room), room, (2, 2), (18, 2), refusal)
    assert any(words in text.get_text() for text in figure.findobj(Text))
