"""Building the crowd of a scenario on its map, and the errors before a run."""

import numpy as np
import pytest

import footway as fw
from footway.scenario import load_scenario, parse_scenario
from footway.scenario.building import open_map, prepare_crowd
from footway.scenario.checks import Areas

WALL_BUDGET = "POLYGON ((0 0, 10 0, 10 8, 0 8, 0 0), (4 3, 6 3, 6 5, 4 5, 4 3))"
TWO_ROOMS = "MULTIPOLYGON (((-9 0, -1 0, -1 8, -9 8, -9 0)), ((1 0, 9 0, 9 8, 1 8, 1 0)))"
DOOR = "POLYGON ((0 0, 4 0, 4 3.6, 6 3.6, 6 0, 10 0, 10 8, 6 8, 6 4.4, 4 4.4, 4 8, 0 8, 0 0))"
DOORS = (
    "POLYGON ((0 0, 3 0, 3 3.6, 4 3.6, 4 0, 8 0, 8 3.7, 9 3.7, 9 0, 12 0, 12 8, 9 8, 9 4.3, 8 4.3, "
    "8 8, 4 8, 4 4.4, 3 4.4, 3 8, 0 8, 0 0))"
)
"""Three rooms in a row; the western door is 0.8 m wide, the eastern one 0.6 m."""
MAPS = {"room": WALL_BUDGET, "two": TWO_ROOMS, "door": DOOR, "doors": DOORS}


@pytest.fixture
def prepared(tmp_path):
    """Prepares a scenario on one of the maps."""
    for name, text in MAPS.items():
        (tmp_path / f"{name}.wkt").write_text(text)

    def run(text, map_name="room"):
        text = f'map = "{map_name}.wkt"\n{text}'
        return parse_scenario(text, name="a.toml", folder=tmp_path).prepare()

    return run


@pytest.fixture
def refusal(prepared):
    """The message for a scenario that cannot be prepared."""

    def run(text, map_name="room", kind=fw.BadInput):
        with pytest.raises(kind) as caught:
            prepared(text, map_name)
        message = str(caught.value)
        assert message.startswith("a.toml: ")
        assert "\n" not in message
        return message

    return run


def test_a_population_is_in_its_area(prepared):
    crowd = prepared('[area]\nwest = [0, 0, 3, 8]\n[[population]]\ncount = 20\narea = "west"').crowd
    assert len(crowd) == 20
    assert (crowd.positions[:, 0] < 3).all()
    assert crowd.names == ["population 1"]


def test_own_values_take_precedence_over_the_profile(prepared):
    text = (
        "[profile.child]\nradius = 0.15\nspeed = 1.0\nlane = 0.5\n"
        '[[population]]\ncount = 2\nprofile = "child"\nradius = 0.2\n'
        '[[population]]\ncount = 1\nprofile = "child"\n[[population]]\ncount = 1\n'
    )
    assert prepared(text).crowd.radii == pytest.approx([0.2, 0.2, 0.15, 0.25])


def test_starts_and_goals(prepared):
    text = "[[population]]\nstarts = [[1, 1], [2, 1]]\ngoals = [[9, 7], [8, 7]]\nname = 'two'"
    crowd = prepared(text).crowd
    assert crowd.positions.tolist() == [[1, 1], [2, 1]]
    assert crowd.goals.tolist() == [[9, 7], [8, 7]]
    assert crowd.names == ["two"]


def test_no_characters_are_valid_for_the_crowd(prepared):
    assert len(prepared("[[population]]\ncount = 0").crowd) == 0


def test_a_source_lets_them_appear(prepared):
    text = "[[source]]\narea = [0, 0, 3, 8]\nschedule = [[0.5, 3], [1, 2]]\ndestinations = [[9, 4]]"
    crowd = prepared(text).crowd
    assert len(crowd) == 0
    crowd.step(8)
    assert len(crowd) == 3
    crowd.step(8)
    assert len(crowd) == 5


def test_a_group_starts_in_the_middle_of_an_area(prepared):
    text = (
        "[area]\nwest = [0, 0, 4, 8]\n[[group]]\ncount = 5\nstart = 'west'\ngoal = [9, 4]\n"
        "width = 1\ngroup_area = 20\nradius = 0.2"
    )
    crowd = prepared(text).crowd
    assert np.hypot(*(crowd.positions - (2, 4)).T).max() < 3
    assert crowd.groups[0].bounds.width == 1


def test_obstacles_come_and_go(prepared):
    text = (
        "[[population]]\ncount = 1\n"
        "[[obstacle]]\nat = [2, 6]\nradius = 0.5\nappears = 1\nvanishes = 2"
    )
    crowd = prepared(text).crowd
    seen = []
    for _ in range(3):
        seen.append(len(crowd.obstacles))
        crowd.step(10)
    assert seen == [0, 1, 0]


def test_an_obstacle_may_come_from_outside(prepared):
    moving = "[[population]]\ncount=1\n[[obstacle]]\nat=[20, 4]\nradius=1\nvelocity=[-1, 0]\n"
    crowd = prepared(moving).crowd
    crowd.step(100)
    assert crowd.obstacles == pytest.approx(np.array([(10.0, 4.0, 1.0)]))


def test_everybody_leaves_by_the_exit(prepared):
    text = (
        "[[population]]\ncount = 5\narea = [0, 0, 3, 8]\ndestinations = [[8, 1, 9, 2]]\n"
        "then = 'exit'\npremovement = 1"
    )
    crowd = prepared(text).crowd
    before = crowd.positions
    crowd.step(5)
    assert np.abs(crowd.positions - before).max() < 0.2  # they give way, and do not walk
    crowd.step(395)
    assert (len(crowd), crowd.exited) == (0, 5)


def test_the_same_file_gives_the_same_crowd(prepared):
    text = "seed = 3\n[[population]]\ncount = 20\nspeed = {mean = 1.2, deviation = 0.2}"
    runs = [prepared(text).crowd for _ in range(2)]
    for crowd in runs:
        crowd.step(20)
    assert (runs[0].positions == runs[1].positions).all()


def test_preferences_become_weights_of_edges(prepared, tmp_path):
    """Wanderers with weight 0 for the west stay in the east."""
    text = (
        "[area]\nwest = [0, 0, 4.5, 8]\n[[population]]\ncount = 6\nbehaviour = 'wander'\n"
        "radius = 0.2\narea = [6.5, 0, 10, 8]\npreference = {west = 0}"
    )
    crowd = prepared(text).crowd
    least = np.inf
    for _ in range(30):
        crowd.step(10)
        least = min(least, crowd.positions[:, 0].min())
    assert least > 3.0


def test_a_saved_map_has_no_areas_but_works(prepared, tmp_path):
    ground = prepared("[[population]]\ncount = 1")
    ground.corridors.save(tmp_path / "room.fwmap")
    text = 'map = "room.fwmap"\n[[population]]\ncount = 3\narea = [0, 0, 3, 3]'
    found = parse_scenario(text, folder=tmp_path).prepare()
    assert len(found.crowd) == 3
    assert found.environment is None
    with pytest.raises(fw.BadInput, match=r"map: .* is in metres already"):
        parse_scenario(f"scale = 2\n{text}", folder=tmp_path).prepare()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "[area]\nhall = [0, 0, 3, 3]\n[[population]]\ncount = 1\narea = 'hal'",
            "line 6: population[0].area: there is no area 'hal'; did you mean 'hall'?",
        ),
        (
            "[[population]]\ncount = 1\ndestinations = ['exit']",
            "population[0].destinations[0]: there is no area 'exit'; add it to [area]",
        ),
        (
            "[[population]]\ncount = 1\nbehaviour = 'wander'\npreference = {park = 2}",
            "population[0].preference.park: there is no area 'park'",
        ),
        (
            "[[population]]\ncount = 1\n[area]\nx = [50, 50, 60, 60]",
            "line 5: area.x: lies outside the map, which has x from 0 to 10, y from 0 to 8 m",
        ),
        (
            "[[population]]\ncount = 1\n[area]\nx = [4.2, 3.2, 5, 4]",
            "area.x: lies entirely in obstacles",
        ),
        ("[[population]]\ncount = 1\narea = [90, 0, 99, 9]", "population[0].area: lies outside"),
        (
            "[[population]]\ncount = 1\n[area]\nx = [[0, 0], [2, 2], [2, 0], [0, 3]]",
            "area.x: crosses or touches itself at (1.2, 1.2); give its corners in order",
        ),
        ("[[population]]\ncount = 1\n[area]\nx = [[0, 0], [2, 2], [3, 3]]", "area.x: has no area"),
        (
            "[[population]]\ncount = 1000\narea = [0, 0, 3, 3]",
            "population[0].area: the area is too small for 1,000 characters of radius 0.25 m",
        ),
        ("[[population]]\ncount = 9999", "population[0].count: the map is too small for 9,999"),
        (
            "[[population]]\ncount = 1\nradius = 0.4\narea = [0, 0, 0.3, 8]",
            "population[0].area: is too narrow for a radius of 0.4 m",
        ),
        (
            "[[population]]\ncount = 1\nradius = 0.5\ndestinations = [[0.2, 4]]",
            "population[0].destinations[0]: is (0.2, 4), but a radius of 0.5 m does not fit",
        ),
        ("[[population]]\ncount = 1\ndestinations = [[5, 4]]", "it is in an obstacle or outside"),
        (
            "[[population]]\nstarts = [[1, 1], [99, 1]]",
            "population[0].starts[1]: is (99, 1), but it is in an obstacle or outside",
        ),
        (
            "[[population]]\nstarts = [[1, 1]]\ngoals = [[5, 4]]",
            "population[0].goals[0]: is (5, 4), but",
        ),
        (
            "[[group]]\ncount = 30\nstart = [2, 2]\ngoal = [9, 7]\ngroup_area = 1",
            "group[0]: the group area is 1 m2",
        ),
        ("[[group]]\ncount = 3\nstart = [2, 2]\ngoal = [5, 4]", "group[0].goal: is (5, 4)"),
        ("[[population]]\nstarts = [[5, 4]]", ") is free"),
        (
            "[[population]]\ncount = 1\n[[obstacle]]\nat = [20, 4]\nradius = 1",
            "line 5: obstacle[0].at: never reaches the map, which has x from 0 to 10",
        ),
        (
            "[[population]]\ncount=1\n[[obstacle]]\nat=[14,4]\nradius=1\nvelocity=[-1,0]\nvanishes=2",
            "never reaches the map",
        ),
        (
            (
                "[[population]]\ncount=1\n[[obstacle]]\nat=[14,4]\nradius=1\nvelocity=[-1,0]\n"
                "appears=8\nvanishes=10"
            ),
            "never reaches the map",
        ),
        *(
            (
                f"[[population]]\ncount = 1\n[[obstacle]]\nat = {at}\nradius = 1",
                "never reaches the map, which has x from 0 to 10, y from 0 to 8 m",
            )
            for at in ("[-1.1, 4]", "[5, 9.1]", "[5, -1.1]")
        ),
    ],
)
def test_refused_before_anything_runs(refusal, text, words):
    assert words in refusal(text)


def test_rooms_without_a_door_between_them(refusal):
    text = "[[population]]\ncount = 3\narea = [-8, 1, -2, 7]\ndestinations = [[2, 1, 8, 7]]"
    message = refusal(text, "two", fw.NoPath)
    assert "population[0].destinations[0]: the area cannot be reached from the area" in message
    assert "different parts of the map" in message


def test_a_door_that_is_too_narrow(refusal):
    text = (
        "[area]\nwest = [1, 1, 3, 7]\neast = [7, 1, 9, 7]\n"
        "[[population]]\ncount = 3\narea = 'west'\nradius = 0.5\ndestinations = ['east']"
    )
    message = refusal(text, "door", fw.NoPath)
    assert "area 'east' cannot be reached from area 'west'" in message
    assert "0.800 m wide at" in message
    assert "needs 1 m" in message


def test_the_widest_of_a_spread_must_fit(refusal):
    text = "[[population]]\ncount = 3\nradius = {mean = 0.35, deviation = 0.05}\n"
    journey = "area = [1, 1, 3, 7]\ndestinations = [[8, 4]]"
    assert "a radius of 0.45 m needs 0.9 m" in refusal(text + journey, "door", fw.NoPath)


def test_every_leg_of_a_journey_is_checked(refusal):
    text = "[[population]]\ncount = 3\nradius = 0.5\narea = [7, 1, 9, 7]\n"
    there = "destinations = [[8, 2], [8, 6], [2, 4]]"
    message = refusal(text + there, "door", fw.NoPath)
    assert "destinations[2]: (2, 4) cannot be reached from (8, 6)" in message
    text = "[[population]]\nradius = 0.5\nstarts = [[8, 2], [2, 2]]\ngoals = [[8, 6], [8, 4]]"
    assert "goals[1]: (8, 4) cannot be reached from (2, 2)" in refusal(text, "door", fw.NoPath)


def test_the_nearest_of_several_destinations(prepared):
    text = (
        "[area]\nwest = [0.5, 3, 1.5, 5]\neast = [8.5, 3, 9.5, 5]\n"
        "[[population]]\nstarts = [[3, 4], [7, 4]]\ndestinations = [['west', 'east']]\n"
        "then = 'exit'"
    )
    crowd = prepared(text).crowd
    assert (crowd.goals[:, 0] < 5).tolist() == [True, False]


def test_one_of_several_destinations_must_be_reached(prepared, refusal):
    text = "[[population]]\ncount = 3\narea = [-8, 1, -2, 7]\nthen = 'exit'\n"
    some = "destinations = [[[8, 4], [-8, 4]], [[8, 6], [-8, 6], [2, 1, 8, 3]]]"
    assert (prepared(text + some, "two").crowd.goals[:, 0] < 0).all()
    message = refusal(text + "destinations = [[[8, 4], [2, 1, 8, 3]]]", "two", fw.NoPath)
    assert "population[0].destinations[0]: (8, 4) cannot be reached from the area" in message
    assert "nor any other of the 2" in message


def test_the_nearest_miss_of_several_destinations_is_named(refusal):
    text = "[[population]]\ncount = 3\nradius = 0.5\narea = [5, 1, 7, 7]\n"
    for some in ("[11, 4], [1, 4]", "[1, 4], [11, 4]"):
        message = refusal(text + f"destinations = [[{some}]]", "doors", fw.NoPath)
        assert "destinations[0]: (1, 4) cannot be reached from the area" in message
        assert "0.800 m wide" in message


def test_the_path_back_to_the_first_destination(refusal):
    """The second destination has points in both rooms, so only the return is unreachable."""
    text = (
        "[[population]]\ncount = 3\narea = [-8, 1, -2, 7]\n"
        "destinations = [[-5, 4], [-8, 1, 8, 7], [5, 4]]\n"
    )
    message = refusal(text, "two", fw.NoPath)
    assert "destinations[0]: (-5, 4) cannot be reached from (5, 4)" in message


def test_groups_keep_no_side_by_default(prepared):
    """Lanes of a group vary around 0, unless it or its profile gives another value."""
    group = "[[group]]\ncount = 2\nradius = 0.2\nstart = [2, {}]\ngoal = [9, 7]\n"
    crowd = prepared(
        "[profile.left]\nlane = 0.5\n[profile.fast]\nspeed = 2\n"
        + group.format(1)
        + group.format(3) + "profile = 'left'\n"
        + group.format(5) + "profile = 'fast'\n"
        + group.format(7) + "profile = 'left'\nlane = -1\n"
    ).crowd  # fmt: skip
    assert [profile.lane for profile in crowd.profiles] == [(0.0, 0.4), 0.5, (0.0, 0.4), -1.0]


def test_an_edge_into_forbidden_terrain_has_weight_zero(prepared):
    text = (
        "[area]\nwest = [0, 0, 4.5, 8]\n[[population]]\ncount = 1\nbehaviour = 'wander'\n"
        "area = [6.5, 0, 10, 8]\npreference = {west = 0}"
    )
    made = prepared(text)
    axis = made.corridors.axis(1.0)
    inside = (axis.points[:, 0] < 4.5) & (axis.points[:, 0] > 0.0)
    some = np.logical_or.reduceat(inside, axis.offsets[:-1])
    every = np.logical_and.reduceat(inside, axis.offsets[:-1])
    assert (some & ~every).any()
    cast = made.crowd._simulation
    weights = cast.tracks.weights[cast.populations[0].row]
    assert (weights[some] == 0.0).all()
    assert (weights[~some] > 0.0).any()


def test_maps_that_are_not_there(tmp_path):
    text = "[[population]]\ncount = 1"
    for name, words in (("no.wkt", "does not exist"), ("gallery:atlantis", "no map 'atlantis'")):
        scenario = parse_scenario(f'map = "{name}"\n{text}', name="a.toml", folder=tmp_path)
        with pytest.raises(fw.BadInput, match=words) as caught:
            scenario.prepare()
        assert str(caught.value).startswith("a.toml: line 1: map: ")


def test_areas_of_the_map_and_of_the_scenario():
    scenario = load_scenario("demo:evacuation")
    ground = open_map(scenario)
    areas = Areas(scenario, *ground)
    assert areas.find("entrance", ()).bounds == (36.0, 0.5, 44.0, 2.5)
    assert areas.find("open plan", ()).bounds == (14.0, 18.0, 66.0, 66.0)
    text = 'map = "gallery:office"\n[area]\nentrance = [0, 0, 9, 9]\n[[population]]\ncount = 1'
    with pytest.raises(fw.BadInput, match=r"area\.entrance: is also an area of the map"):
        prepare_crowd(parse_scenario(text), ground)


def test_the_reported_capacity_fits(prepared):
    text = "[[population]]\ncount = {}\nradius = 0.3\narea = [0, 0, 3.5, 8]"
    with pytest.raises(fw.BadInput, match="about") as caught:
        prepared(text.format(5000))
    fit = int(str(caught.value).split("about ")[1].split()[0])
    assert len(prepared(text.format(int(0.85 * fit))).crowd) == int(0.85 * fit)


TERRAIN = """
[[terrain]]
kind = "mud"
polygon = [0, 0, 3, 3]

[[terrain]]
kind = "road"
polygon = [[2, 2], [4, 2], [4, 3]]

[profile.hiker]
preferences = {mud = 4.0, ground = 2}

[[population]]
count = 3
profile = "hiker"
"""


def test_terrain_of_a_scenario_lies_on_top_of_the_map(prepared):
    environment = prepared(TERRAIN).environment
    assert [(t.kind, t.polygon.area) for t in environment.terrain] == [("mud", 9), ("road", 1)]


def test_preferences_are_read(tmp_path):
    scenario = parse_scenario(f'map = "gallery:field"\n{TERRAIN}', name="a.toml", folder=tmp_path)
    assert dict(scenario.profile["hiker"].preferences) == {"mud": 4.0, "ground": 2.0}


def test_preferences_are_what_a_crowd_follows(prepared):
    keys = "sigma = 8.0\nlook = 0.5\nclearance = 0.2\nsteering = 2\nboundary = 1.5"
    made = prepared(TERRAIN.replace("[profile.hiker]", f"[profile.hiker]\n{keys}"))
    (style,) = made.crowd._simulation.routes.styles
    assert style == ("miran", 8.0, 3.0, 0.5, 0.2, 2.0, 1.5, 0.25, {"mud": 4.0, "ground": 2.0})
    made.crowd.step(5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("count = 3", 'count = 3\nbehaviour = "wander"'), "a wanderer follows corridors"),
        (("[[population]]\ncount = 3", "[[group]]\ncount = 3\nstart = [5, 1]"), "a group follows"),
        (("preferences", 'follow = "cmm"\npreferences'), "ignore preferences"),
        (("preferences", "sigma = 1\npreferences"), "sigma is 1 m and spacing 3 m"),
        (("preferences", 'follow = "by"\npreferences'), "profile.hiker.follow"),
    ],
)
def test_following_that_is_refused(refusal, change, words):
    assert words in refusal(TERRAIN.replace(*change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("mud = 4.0", "mudd = 4.0"), "there is no terrain of kind 'mudd' on this map; did you"),
        (
            ("[0, 0, 3, 3]", "[50, 50, 53, 53]"),
            "terrain[0].polygon: terrain 'mud' at (50, 50) lies",
        ),
        (("mud = 4.0", "mud = 0"), "preferences.mud: is 0; it must be more than 0"),
        (("mud = 4.0", "mud = nan"), "preferences.mud: is nan; give a finite number"),
        (("[0, 0, 3, 3]", "[0, 0, 3]"), "terrain[0].polygon"),
        (('kind = "mud"', 'kind = ""'), "terrain[0].kind"),
    ],
)
def test_terrain_that_is_refused(refusal, change, words):
    message = refusal(TERRAIN.replace(*change))
    assert words in message
    assert message.count(": line ") == 1, "the place is given once"
