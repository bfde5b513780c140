"""Scenarios in buildings: areas on floors, destinations across floors, and the errors."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import footway as fw
from footway.formats import save_geojson
from footway.scenario import parse_scenario

TWO = """
duration = 40
map = "two.geojson"
[area]
corner = [0.5, 0.5, 3, 3]
[floor]
corner = "0"
[[population]]
count = 6
area = "1"
destinations = [["corner"]]
then = "exit"
"""
PAIR = TWO.replace("count = 6\n", "").replace('area = "1"', 'starts = [[1, 1, "1"], [9, 7, "0"]]')


@pytest.fixture
def prepared(tmp_path):
    floor = fw.Environment.from_polygons(
        bounds=(0, 0, 10, 8), obstacles=[[(6, 3), (7.2, 3), (7.2, 7), (6, 7)]]
    )
    stairs = fw.Stairs("A", ("0", (6, 3), (7.2, 3)), ("1", (6, 7), (7.2, 7)))
    building = fw.Building([fw.Floor("0", floor), fw.Floor("1", floor, 3.0)], [stairs])
    save_geojson(building, tmp_path / "two.geojson")

    def run(text):
        return parse_scenario(text, name="a.toml", folder=tmp_path).prepare()

    return run


def test_people_leave_from_above(prepared):
    crowd = prepared(TWO).crowd
    assert crowd.floors == ["1"] * 6
    crowd.run(seconds=40)
    assert crowd.exited == 6


def test_destinations_are_areas_and_floors(prepared):
    text = TWO.replace('destinations = [["corner"]]', 'destinations = ["corner", "1"]')
    crowd = prepared(text.replace('then = "exit"', 'then = "stay"')).crowd
    crowd.step(700)
    assert crowd.arrivals >= 6
    assert crowd.floors == ["1"] * 6


def test_points_have_floors(prepared):
    text = PAIR
    crowd = prepared(text.replace('[["corner"]]', '[[5, 1, "1"], [8.5, 1, "0"]]')).crowd
    assert crowd.floors == ["1", "0"]
    assert crowd.positions.tolist() == [[1, 1], [9, 7]]
    crowd.run(seconds=60)
    assert (crowd.exited, crowd.arrivals) == (2, 4)


def test_everybody_has_an_own_goal_on_a_floor(prepared):
    text = PAIR
    text = text.replace('destinations = [["corner"]]', 'goals = [[9, 7, "0"], [1, 1, "1"]]')
    crowd = prepared(text.replace('then = "exit"', "")).crowd
    crowd.step(600)
    assert crowd.floors == ["0", "1"]
    assert abs(crowd.positions - [[9, 7], [1, 1]]).max() < 0.6


def test_areas_in_place_have_floors(prepared):
    """As rectangles and polygons; a choice has areas, floors and points."""
    text = TWO.replace('area = "1"', 'area = [[8, 1, "1"], [9.5, 1, "1"], [9.5, 3, "1"]]')
    text = text.replace('[["corner"]]', '[["corner", "1", [9, 7, "0"]], [0.5, 6, 2, 7.5, "0"]]')
    crowd = prepared(text).crowd
    assert crowd.floors == ["1"] * 6
    assert (crowd.positions > [8, 1]).all()
    assert (crowd.positions < [9.5, 3]).all()
    crowd.run(seconds=60)
    assert (crowd.exited, crowd.arrivals) == (6, 12)


def test_areas_may_have_their_floor_in_place(prepared):
    text = TWO.replace('[floor]\ncorner = "0"\n', "")
    crowd = prepared(text.replace("[0.5, 0.5, 3, 3]", '[0.5, 0.5, 3, 3, "0"]')).crowd
    crowd.run(seconds=40)
    assert crowd.exited == 6


def floors_of_wanderers(prepared, preference):
    wanders = f'behaviour = "wander"\npreference = {{ {preference} }}'
    crowd = prepared(TWO.replace('destinations = [["corner"]]\nthen = "exit"', wanders)).crowd
    seen = set()
    for _ in range(120):
        crowd.step(10)
        seen |= set(crowd.floors)
    return seen


def test_wanderers_weigh_areas_floors_and_links(prepared):
    assert floors_of_wanderers(prepared, "") == {"0", "1", "A"}
    assert floors_of_wanderers(prepared, "corner = 5") == {"0", "1", "A"}
    assert "0" not in floors_of_wanderers(prepared, "A = 0")
    assert floors_of_wanderers(prepared, '"0" = 0') >= {"1", "A"}


def test_sources_have_areas_on_floors(prepared):
    text = TWO.replace("[[population]]\ncount = 6", "[[source]]\nrate = 0.5\ncount = 6")
    crowd = prepared(text).crowd
    crowd.step(40)
    assert 1 <= len(crowd) <= 3
    crowd.step(460)
    assert crowd.exited == 6


def test_links_are_closed_for_some_time(prepared):
    crowd = prepared(TWO + '[[closure]]\nlink = "A"\nend = 30\n').crowd
    crowd.step(250)
    assert crowd.floors == ["1"] * 6
    crowd.step(350)
    assert crowd.exited == 6


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('[floor]\ncorner = "0"\n', "", "area.corner: is in a building: say on which floor"),
        ('corner = "0"', 'corner = "7"', "floor.corner: there is no floor '7'"),
        ('corner = "0"', 'corner = "0"\nhall = "1"', "floor.hall: there is no area 'hall'"),
        ('area = "1"', 'area = "corne"', "there is no area or floor 'corne'; did you mean"),
        ('area = "1"', "area = [0, 0, 1, 1]",
         r'area: is in a building: say on which floor, as in \[xmin, ymin, xmax, ymax, "0"\]'),
        ('area = "1"', 'area = [0, 0, 1, 1, "4"]',
         r"\.area: there is no floor '4'; there are '0', '1'"),
        ('area = "1"', 'area = [20, 0, 21, 1, "1"]',
         "lies outside floor '1', which has x from 0 to 10, y from 0 to 8 m"),
        ('area = "1"', 'area = [6.2, 3.2, 7, 6.8, "1"]', "lies entirely in obstacles of floor '1'"),
        ('area = "1"', 'area = [[0, 0, "1"], [1, 0, "1"], [2, 0, "1"]]', "has no area"),
        ('area = "1"', 'area = [[0, 0, "1"], [1, 0, "0"], [2, 2, "1"]]',
         r"area\[1\]: is on floor '0', the first corner on floor '1'; give the same"),
        ('area = "1"', 'area = [[0, 0, "1"], [1, 0], [2, 2, "1"]]',
         r"area\[1\]: is on no floor, the first corner on floor '1'; give the same"),
        ('area = "1"', 'area = [1, 1, "1"]', r"area: is a list of 3; give a name, \[xmin"),
        ('area = "1"', "starts = [[1, 1]]\ncount = 1",
         r'starts\[0\]: is in a building: say on which floor, as in \[x, y, "0"\]'),
        ('area = "1"', "starts = [[1, 1, 1]]\ncount = 1",
         r'starts\[0\]: is a list of 3; give .* the floor in quotes, as in \[1, 1, "1"\]'),
        ('area = "1"', 'starts = [[1, 1, "one"]]\ncount = 1',
         r"starts\[0\]: there is no floor 'one'; there are '0', '1', 'A'"),
        ('area = "1"', 'starts = [[1, 1, "1"], [6.5, 5, "1"]]\ncount = 2',
         r"starts\[1\]: is \(6.5, 5\) on '1', but it is in an obstacle .* is free"),
        ('area = "1"', 'starts = [[1, 1, "1"], [0.1, 5, "1"]]\ncount = 2',
         r"a radius of 0.25 m does not fit there: 0.100 m to the wall; \(0.26, 5.00\) is free"),
        ('area = "1"', 'starts = [[1, 1, "1"]]\nradius = 4.5',
         "a disc of radius 4.51 m fits nowhere on floor '1'"),
        ("destinations = [", 'destinations = [[1, 1, "2"], ',
         r"destinations\[0\]: there is no floor '2'"),
        ('[["corner"]]', '[["corner", [1, 1]]]',
         r"destinations\[0\]\[1\]: is in a building: say on which floor"),
        ('[["corner"]]', '[1, 1, "0"]', r"a point is a list of its own: \[\[1, 1, '0'\]\]"),
        ("[0.5, 0.5, 3, 3]", '[0.5, 0.5, 3, 3, "0"]',
         r"floor.corner: has its floor in \[area\], too; leave one of them out"),
        ('destinations = [["corner"]]\nthen = "exit"',
         'behaviour = "wander"\npreference = { corn = 2 }',
         r"population\[0\].preference.corn: there is no area or floor 'corn'; did you mean"),
        ('destinations = [["corner"]]\nthen = "exit"',
         'behaviour = "wander"\npreference = { "0" = 0, "1" = 0, A = 0 }',
         r"population\[0\]: the preference is 0 for every edge"),
        ("[area]\n", '[area]\n"1" = [0, 0, 1, 1]\n', "is also the name of a floor"),
        ("[[population]]", "[[obstacle]]\nat = [1, 1]\nradius = 0.3\n[[population]]",
         r"obstacle\[0\].at: is in a building: say on which floor"),
        ("[[population]]", '[[obstacle]]\nat = [99, 1, "1"]\nradius = 0.3\n[[population]]',
         r"obstacle\[0\].at: never reaches the map, which has x from 0 to 10"),
        ("[[population]]", '[[group]]\ncount = 2\nstart = [6.5, 5, "1"]\n[[population]]',
         r"group\[0\].start: is \(6.5, 5\) on '1', but it is in an obstacle"),
        ("[[population]]", '[[group]]\ncount = 2\nstart = "attic"\n[[population]]',
         r"group\[0\].start: there is no area or floor 'attic'"),
        ("[[population]]",
         '[[terrain]]\nkind = "mud"\npolygon = [1, 1, 3, 3, "0"]\n[[population]]',
         "is for maps of one floor; .* is a building"),
        ("duration", "scale = 2\nduration", "scale"),
        ("[[population]]", '[[closure]]\nlink = "B"\n[[population]]', "there is no link 'B'"),
        ("count = 6", "count = 600", "found free space"),
        ("count = 6", 'count = 6\nbehaviour = "wander"', "behaviour = 'goals'"),
    ],
)  # fmt: skip
def test_errors_say_where(prepared, old, new, message):
    text = TWO.replace("count = 6\n", "", 1) if "starts" in new else TWO
    with pytest.raises(fw.BadInput, match=message):
        prepared(text.replace(old, new, 1))


def test_the_building_of_the_guide():
    guide = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text()
    (text,) = re.findall(r"```toml\n(map = \"gallery:tower\".*?)```", guide, re.DOTALL)
    crowd = parse_scenario(text).prepare().crowd
    assert crowd.floors == ["5", "11", *["2"] * 5]


def test_groups_and_obstacles_of_a_building(prepared):
    more = """[[group]]
count = 3
start = "1"
goal = "corner"
radius = 0.2
longitudinal = 3
then = "stay"

[[group]]
count = 2
start = [9, 1, "0"]

[[obstacle]]
at = [1.5, 7, "1"]
radius = 0.4
velocity = [0, -0.1]
appears = 1
vanishes = 5

[[population]]"""
    crowd = prepared(TWO.replace("[[population]]", more, 1)).crowd
    assert crowd.floors[:5] == ["1"] * 3 + ["0"] * 2
    assert np.hypot(*(crowd.positions[3:5] - (9, 1)).T).max() < 1.0
    assert crowd.obstacle_floors == []
    crowd.step(20)
    assert crowd.obstacle_floors == ["1"]
    assert crowd.obstacles[0] == pytest.approx((1.5, 6.9, 0.4))
    crowd.step(600)
    assert crowd.floors[:3] == ["0"] * 3  # the first group has come down the stairs
    assert crowd.obstacle_floors == []


def test_closures_are_for_buildings():
    text = 'map = "gallery:field"\n[[closure]]\nlink = "A"\n[[population]]\ncount = 1\n'
    with pytest.raises(fw.BadInput, match=r"closure\[0\]: is for buildings"):
        parse_scenario(text, name="a.toml").prepare()


def test_floors_are_for_buildings():
    text = 'map = "gallery:field"\n[floor]\nhall = "0"\n[area]\nhall = [1, 1, 3, 3]\n'
    with pytest.raises(fw.BadInput, match=r"floor\.hall: is for buildings; leave it out"):
        parse_scenario(text + "[[population]]\ncount = 1\n", name="a.toml").prepare()


ON_A_FLOOR = r"is on floor '0', but the map has one floor; leave it out"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('starts = [[1, 1], [2, 2, "0"]]', r"population\[0\].starts\[1\]"),
        ('count = 1\ngoals = [[2, 2, "0"]]', r"population\[0\].goals\[0\]"),
        ('count = 1\narea = [1, 1, 3, 3, "0"]', r"population\[0\].area"),
        ('count = 1\ndestinations = [[2, 2, "0"]]', r"population\[0\].destinations\[0\]"),
        ('count = 1\n[area]\nhall = [1, 1, 3, 3, "0"]', r"area.hall"),
        ('count = 1\n[[group]]\ncount = 2\nstart = [2, 2, "0"]', r"group\[0\].start"),
        ('count = 1\n[[obstacle]]\nat = [2, 2, "0"]\nradius = 1', r"obstacle\[0\].at"),
        ('count = 1\n[[terrain]]\nkind = "mud"\npolygon = [1, 1, 3, 3, "0"]',
         r"terrain\[0\].polygon"),
    ],
)  # fmt: skip
def test_places_on_one_floor_have_none(text, where):
    text = f'map = "gallery:field"\n[[population]]\n{text}\n'
    with pytest.raises(fw.BadInput, match=f"{where}: {ON_A_FLOOR}"):
        parse_scenario(text, name="a.toml").prepare()
