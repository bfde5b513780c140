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
    out = footway("check", dirty).printed
    assert f"{len(repairs)} repairs" in out
    for repair in repairs:
        assert str(repair) in out


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
    out = footway("check", room).printed
    assert "No repairs" in out
    assert "1, all connected" in out


def test_names_the_door(footway, door):
    answer = footway("check", door, "--json").json
    assert answer["passages"][0]["width"] == pytest.approx(0.8)
    assert footway("check", door, "--passages", "0", "--json").json["passages"] == []


def test_needs_the_map_itself(footway, room, tmp_path):
    file = tmp_path / "room.fwmap"
    footway("build", room, "-o", file)
    footway("check", file).refuses("saved map")


def test_passages_are_real():
    """Both contacts of each passage are on walls, straight across, and no wall is nearer."""
    cmap = fw.CorridorMap.build(fw.load("gallery:mckenna"))
    passages = cmap.passages(10)
    assert [p.radius for p in passages] == sorted(p.radius for p in passages)
    for pinch in passages:
        assert cmap.clearance([pinch.at])[0] == pytest.approx(pinch.radius, abs=1e-6)
        contacts = [pinch.left, pinch.right]
        assert cmap.clearance(contacts) == pytest.approx([0.0, 0.0], abs=1e-6)


def plan(path, scale, kind="wall", doors=1):
    """A hall of 40 x 6 units, in which walls with doors of 1 unit stand."""
    rings = [("walkable", [[0, 0], [40, 0], [40, 6], [0, 6], [0, 0]])]
    for k in range(doors):
        x = 4 * (k + 1)
        for low, high in ((0, 2.5), (3.5, 6)):
            ring = [[x, low], [x + 0.2, low], [x + 0.2, high], [x, high], [x, low]]
            rings.append((kind, ring))
    features = [
        {
            "type": "Feature",
            "properties": {"kind": name},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[scale * x, scale * y] for x, y in ring]],
            },
        }
        for name, ring in rings
    ]
    meta = {"crs": "local metres"}
    path.write_text(json.dumps({"type": "FeatureCollection", "meta": meta, "features": features}))
    return path


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (1000.0, "the longer side of the map is 40,000 m"),
        (200.0, "the narrowest passage is 200 m wide"),
        (0.01, "the longer side of the map is 0.400 m"),
    ],
)
def test_doubts_the_unit(footway, tmp_path, scale, words):
    file = plan(tmp_path / "plan.geojson", scale)
    advice = "if the unit is not the metre, give --scale, such as 0.001 for millimetres"
    assert f"Looks wrong: {words}: {advice}" in footway("check", file).out
    assert footway("check", file, "--json").json["doubts"] == [f"{words}: {advice}"]
    assert footway("check", file, "--scale", 1 / scale, "--json").json["doubts"] == []


def test_counts_equal_passages_that_are_not_listed(footway, tmp_path):
    file = plan(tmp_path / "plan.geojson", 1.0, doors=8)
    out = footway("check", file).out
    assert out.count("1.000 m wide") == 5
    assert "  and 3 more of this width: --passages 8 lists them" in out
    out = footway("check", file, "--passages", 8).out
    assert out.count("1.000 m wide") == 8
    assert "more of this width" not in out


def test_a_misspelled_wall(footway, tmp_path):
    file = plan(tmp_path / "plan.geojson", 1.0, kind="wal")
    result = footway("check", file)
    assert "a polygon of kind 'wal'; taken as terrain: did you mean 'wall'?" in result.out
    assert "did you mean 'wall'?" in footway("build", file).err


def test_doubts_areas(footway, tmp_path):
    def feature(kind, x, **more):
        ring = [[x, 0], [x + 4, 0], [x + 4, 4], [x, 4], [x, 0]]
        shape = {"type": "Polygon", "coordinates": [ring]}
        return {"type": "Feature", "properties": {"kind": kind} | more, "geometry": shape}

    named = [feature("area", x, name=name) for x, name in ((0, "in"), (1, "in"), (9, "out"))]
    file = tmp_path / "plan.geojson"
    features = [feature("walkable", 0), *named]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    assert footway("check", file, "--json").json["doubts"] == [
        "the area 'out' is outside of the walkable space",
        "2 areas are called 'in': they are taken as one",
    ]
