"""Scenarios in buildings: areas on floors, destinations across floors, and the errors."""

from __future__ import annotations

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
        ('area = "1"', "area = [0, 0, 1, 1]", "give the name of an area or of a floor"),
        ('area = "1"', "starts = [[1, 1]]\ncount = 1", "has no floors"),
        ('area = "1"', 'starts = [[1, 1, "1"]]\ncount = 1',
         r"starts\[0\]: is a point with a floor; .* and \[floor\] desk = '1'"),
        ("destinations = [", 'destinations = [[1, 1, "0"], ',
         r"destinations\[0\]: is a point with a floor; give the name of an area around it"),
        ("[area]\n", '[area]\n"1" = [0, 0, 1, 1]\n', "is also the name of a floor"),
        ("[[population]]", "[[obstacle]]\nat = [1, 1]\nradius = 0.3\n[[population]]",
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


def test_closures_are_for_buildings():
    text = 'map = "gallery:field"\n[[closure]]\nlink = "A"\n[[population]]\ncount = 1\n'
    with pytest.raises(fw.BadInput, match=r"closure\[0\]: is for buildings"):
        parse_scenario(text, name="a.toml").prepare()


def test_floors_are_for_buildings():
    text = 'map = "gallery:field"\n[floor]\nhall = "0"\n[area]\nhall = [1, 1, 3, 3]\n'
    with pytest.raises(fw.BadInput, match=r"floor\.hall: is for buildings; leave it out"):
        parse_scenario(text + "[[population]]\ncount = 1\n", name="a.toml").prepare()
