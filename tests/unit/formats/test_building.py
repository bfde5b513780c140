"""Files of buildings: GeoJSON with floors, TOML that joins plans."""

from __future__ import annotations

import json

import pytest

import footway as fw
from footway.formats import save_geojson

TOML = """
name = "small"
[[floor]]
name = "0"
plan = "hall.wkt"
[[floor]]
name = "1"
plan = "upper.wkt"
elevation = 3
[[stairs]]
name = "A"
lower = ["0", [4, 8], [6, 8]]
upper = ["1", [4, 12], [6, 12]]
[[lift]]
name = "L"
cabin = [[0, 8], [2, 8], [2, 12], [0, 12]]
doors = [["0", [0.5, 8], [1.5, 8]], ["1", [0.5, 12], [1.5, 12]]]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hall.wkt").write_text("POLYGON ((0 0, 10 0, 10 8, 0 8, 0 0))")
    (tmp_path / "upper.wkt").write_text("POLYGON ((0 12, 10 12, 10 16, 0 16, 0 12))")
    return tmp_path


def test_toml_joins_plans(folder):
    (folder / "b.toml").write_text(TOML)
    made = fw.load(folder / "b.toml")
    assert (made.name, len(made.floors), len(made.links)) == ("small", 2, 2)
    assert made.floors[1].elevation == 3.0


@pytest.mark.parametrize("name", ["station", "stadium", "tower"])
def test_geojson_gives_the_same_building(tmp_path, name):
    made = fw.load(f"gallery:{name}")
    save_geojson(made, tmp_path / "b.geojson")
    again = fw.load(tmp_path / "b.geojson")
    assert again.layers == made.layers
    assert again.seams == made.seams
    for one, two in zip(again.sheets, made.sheets, strict=True):
        assert one.polygon.equals(two.polygon)
    for one, two in zip(again.links, made.links, strict=True):
        assert one.portals == two.portals
        assert type(one) is type(two)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[[stairs]]", "[[stair]]"), "key 'stair' is unknown: did you mean 'stairs'"),
        (('plan = "hall.wkt"', 'plan = "all.wkt"'), "does not exist"),
        (('plan = "hall.wkt"', ""), "floor 1: give the file of its plan"),
        (("elevation = 3", "elevatio = 3"), "key 'elevatio' is unknown"),
        (('lower = ["0", [4, 8], [6, 8]]', ""), "stairs 1: the key 'lower' is missing"),
        (("[[floor]]", "[floor"), "is not TOML"),
        (("[[floor]]", "[[floor.a]]"), "'floor' must be a list of tables"),
        (("elevation = 3", "elevation = 0"), "has no height"),
    ],
)
def test_errors_in_toml_are_one_line(folder, change, message):
    (folder / "b.toml").write_text(TOML.replace(*change))
    with pytest.raises(fw.BadInput, match=message) as caught:
        fw.load(folder / "b.toml")
    assert "b.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def feature(ring, **properties):
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]},
    }


def collection(*features):
    return json.dumps({"type": "FeatureCollection", "features": features})


HALL = [(0, 0), (10, 0), (10, 8), (0, 8)]
UPPER = [(0, 12), (10, 12), (10, 16), (0, 16)]
STAIRS = [(4, 8), (6, 8), (6, 12), (4, 12)]
PORTALS = {"lower": ["0", [4, 8], [6, 8]], "upper": ["1", [4, 12], [6, 12]]}


def test_geojson_with_floors_and_stairs(tmp_path):
    file = tmp_path / "b.geojson"
    file.write_text(
        collection(
            feature(HALL, kind="walkable", floor="0", elevation=0),
            feature(UPPER, kind="walkable", floor=1, elevation=3),
            feature(STAIRS, kind="stairs", name="A", **PORTALS),
        )
    )
    made = fw.load(file)
    assert [floor.name for floor in made.floors] == ["0", "1"]
    assert made.links[0].flights[0].area == 8.0


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([feature(HALL, floor="0"), feature(UPPER)], "feature 1: is on no floor"),
        (
            [feature(HALL, floor="0", elevation=0), feature(UPPER, floor="0", elevation=1)],
            "the elevation of floor '0'",
        ),
        (
            [feature(HALL, floor="0"), feature(STAIRS, kind="stairs", **PORTALS)],
            "the key 'name' is missing",
        ),
        (
            [feature(HALL, floor="0"), feature(STAIRS, kind="stairs", name="A", **PORTALS)],
            "touches no floor: there is no floor '1'",
        ),
    ],
)
def test_errors_in_geojson_are_one_line(tmp_path, features, message):
    file = tmp_path / "b.geojson"
    file.write_text(collection(*features))
    with pytest.raises(fw.BadInput, match=message):
        fw.load(file)
