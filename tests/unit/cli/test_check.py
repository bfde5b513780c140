import json

import pytest

import footway as fw


@pytest.fixture
def dirty(tmp_path):
    """A hall whose ring is open, with a self-intersecting obstacle, and an island beside it."""
    rings = {
        "walkable": [
            [[0, 0], [30, 0], [30, 20], [0, 20]],
            [[32, 5], [38, 5], [38, 12], [32, 12], [32, 5]],
        ],
        "obstacle": [[[4, 4], [9, 9], [9, 4], [4, 9], [4, 4]]],
    }
    features = [
        {
            "type": "Feature",
            "properties": {"kind": kind},
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        }
        for kind, some in rings.items()
        for ring in some
    ]
    file = tmp_path / "dirty.geojson"
    meta = {"crs": "local metres"}
    file.write_text(json.dumps({"type": "FeatureCollection", "meta": meta, "features": features}))
    return file


def test_lists_every_repair_with_its_place(footway, dirty):
    repairs = fw.load(dirty).repairs
    result = footway("check", dirty)
    assert result.code == 0
    assert f"{len(repairs)} repairs" in result.out
    for repair in repairs:
        assert str(repair) in result.out


def test_many_that_change_no_shape_are_one_line(footway, tmp_path):
    rings = [[[x, 0], [x, 4], [x + 4, 4], [x + 4, 0], [x, 0]] for x in range(0, 80, 10)]
    features = [
        {
            "type": "Feature",
            "properties": {"kind": "walkable"},
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        }
        for ring in rings
    ]
    file = tmp_path / "turned.geojson"
    meta = {"crs": "local metres"}
    file.write_text(json.dumps({"type": "FeatureCollection", "meta": meta, "features": features}))
    lines = [line for line in footway("check", file).out.splitlines() if "orientation" in line]
    assert len(lines) == 1
    assert "and 7 more of this kind: --json lists them all" in lines[0]
    kinds = [repair["kind"] for repair in footway("check", file, "--json").json["repairs"]]
    assert kinds.count("orientation") == 8


def test_json_lists_them_too(footway, dirty):
    answer = footway("check", dirty, "--json").json
    kinds = {repair["kind"] for repair in answer["repairs"]}
    assert {"unclosed ring", "self-intersection", "island"} <= kinds
    assert answer["components"] == 2
    assert answer["parts"][1] == pytest.approx(42.0)
    assert all(len(repair["at"]) == 2 for repair in answer["repairs"])


def test_draws_them(footway, dirty, tmp_path):
    plot = tmp_path / "check.png"
    assert footway("check", dirty, "--plot", plot).code == 0
    assert plot.stat().st_size > 5000


def test_a_clean_map(footway, room):
    result = footway("check", room)
    assert result.code == 0
    assert "No repairs" in result.out
    assert "1, all connected" in result.out


def test_names_the_door(footway, door):
    answer = footway("check", door, "--json").json
    assert answer["passages"][0]["width"] == pytest.approx(0.8)
    assert footway("check", door, "--passages", "0", "--json").json["passages"] == []


def test_wants_the_map_itself(footway, room, tmp_path):
    file = tmp_path / "room.fwmap"
    footway("build", room, "-o", file)
    result = footway("check", file)
    assert result.code == 2
    assert "saved map" in result.err


def test_passages_are_real():
    """Both contacts of each passage are on walls, straight across, and no wall is nearer."""
    cmap = fw.CorridorMap.build(fw.load("gallery:mckenna"))
    passages = cmap.passages(10)
    assert [p.radius for p in passages] == sorted(p.radius for p in passages)
    for pinch in passages:
        assert cmap.clearance([pinch.at])[0] == pytest.approx(pinch.radius, abs=1e-6)
        contacts = [pinch.left, pinch.right]
        assert cmap.clearance(contacts) == pytest.approx([0.0, 0.0], abs=1e-6)
