"""GeoJSON: kinds, longitude and latitude, invalid rings, damaged files."""

from __future__ import annotations

import json

import numpy as np
import pytest
import shapely

import footway as fw
from footway.formats import save_geojson
from footway.formats.lonlat import is_lonlat, project
from tests.oracle.noded import assert_noded
from tests.shared_data import shared
from tests.unit.environment.test_environment import city
from tests.unit.formats.files import SQUARE, box, collection, feature


@pytest.fixture
def load(tmp_path):
    def load_text(text, **arguments):
        path = tmp_path / "plan.geojson"
        path.write_text(text)
        return fw.load(path, **arguments)

    return load_text


def kinds(env):
    return [r.kind for r in env.repairs]


def test_every_kind_has_its_role(load):
    env = load(
        collection(
            feature([SQUARE], "bounds"),
            feature(box(1, 1, 2, 2), "obstacle"),
            feature(box(3, 1, 4, 2), "building"),
            feature(box(5, 1, 6, 2), None, building="yes"),
            feature(box(7, 1, 8, 2), None, building=["apartments"]),
            feature([[1, 5], [5, 5]], "wall", "LineString"),
            feature([[[1, 6], [5, 6]], [[1, 7], [5, 7]]], "obstacle", "MultiLineString"),
            feature([8, 8], "obstacle", "Point"),
            feature(box(7, 3, 9, 4), "area", name="exit", capacity=5),
            feature([box(0, 8, 1, 9), box(2, 8, 3, 9)], "grass", "MultiPolygon"),
        )
    )
    assert env.area == 100 - 4
    assert env.holes == 4
    assert env.walls.two_sided.sum() == 3
    assert env.walls.points.tolist() == [[8, 8]]
    (area,) = env.areas
    assert (area.name, area.polygon.area, dict(area.properties)) == ("exit", 2, {"capacity": 5})
    (ground,) = env.terrain
    assert (ground.kind, ground.polygon.area) == ("grass", 2)
    assert env.repairs == ()
    assert_noded(env)


def test_an_area_without_a_name_is_called_by_its_id_or_number(load):
    places = [feature(box(1, 1, 2, 2), "area", id="gate 7"), feature(box(3, 3, 4, 4), "area")]
    places += [feature(box(5, 1, 6, 2), "area", name=name) for name in ("", None, " ")]
    env = load(collection(feature([SQUARE]), *places))
    names = ["gate 7", "area 2", "area 3", "area 4", "area 5"]
    assert [area.name for area in env.areas] == names


def test_walkable_and_obstacle(load):
    env = load(collection(feature([SQUARE]), feature(box(4, 4, 6, 6), "obstacle")))
    assert env.area == 96
    assert env.repairs == ()


def test_obstacles_only_get_bounds_and_say_so(load):
    env = load(collection(feature(box(0, 0, 20, 10), "building")))
    assert env.bounds == (-2, -2, 22, 12)
    assert kinds(env) == ["bounds"]


def test_no_kind_is_walkable_unless_there_are_bounds(load):
    env = load(collection(feature([SQUARE], None)))
    assert env.area == 100
    assert kinds(env) == ["kind"]
    env = load(collection(feature([SQUARE], None), feature(box(0, 0, 20, 20), "bounds")))
    assert env.area == 400
    assert kinds(env) == ["ignored"]


def test_what_has_no_meaning_is_left_out_and_listed(load):
    env = load(
        collection(
            feature([SQUARE]),
            feature([5, 5], "area", "Point"),
            feature([[1, 1], [2, 2]], "path", "LineString"),
            {"type": "Feature", "properties": None, "geometry": None},
        )
    )
    assert kinds(env) == ["ignored", "ignored"]
    assert [r.at for r in env.repairs] == [(5, 5), (1, 1)]


@pytest.mark.parametrize(
    "document",
    [
        feature([SQUARE], None),
        {"type": "Polygon", "coordinates": [SQUARE]},
        {"type": "MultiPolygon", "coordinates": [[SQUARE]]},
        {
            "type": "GeometryCollection",
            "geometries": [{"type": "Polygon", "coordinates": [SQUARE]}],
        },
    ],
)
def test_bare_feature_or_geometry(load, document):
    assert load(json.dumps(document)).area == 100


def test_height_is_dropped_also_where_only_some_have_it(load):
    ring = [[0, 0, 5], [10, 0], [10, 10, 5], [0, 10], [0, 0, 5]]
    assert load(collection(feature([ring]))).area == 100
    assert load(collection(feature([[[*p, 1.5] for p in SQUARE]]))).area == 100


def test_rings_against_the_standard_are_listed(load):
    hole = box(4, 4, 6, 6)[0]
    env = load(collection(feature([SQUARE[::-1], hole[:-1]])))
    assert env.area == 96
    assert kinds(env) == ["unclosed ring", "orientation", "orientation"]
    assert env.repairs[0].at == (4, 4)
    assert_noded(env)


def test_rings_too_short_to_be_rings(load):
    env = load(
        collection(
            feature([SQUARE, [[1, 1], [2, 2], [1, 1]]]),
            feature([[[5, 5]]], "obstacle"),
            feature([[[5, 5], [6, 6]], box(0, 0, 9, 9)[0]], "obstacle"),
            feature([[]], "obstacle"),
            feature([[5, 5]], "wall", "LineString"),
        )
    )
    assert env.area == 100
    assert kinds(env) == ["sliver"] * 4
    short = "a ring of fewer than three points; dropped"
    assert sorted(r.detail for r in env.repairs) == [
        *(f"feature {i}: {short}" for i in range(3)),
        "feature 4: a line of fewer than two points; dropped",
    ]


def test_longitude_and_latitude_become_metres(load):
    # Munich: one thousandth of a degree is 111.2 m north and 74.4 m east (WGS 84 at 48.14).
    env = load(collection(feature(box(11.57, 48.1393, 11.571, 48.1403))))
    x0, y0, x1, y1 = env.bounds
    assert x1 - x0 == pytest.approx(74.43, abs=0.02)
    assert y1 - y0 == pytest.approx(111.20, abs=0.02)
    assert x0 + x1 == pytest.approx(0, abs=0.01)
    assert kinds(env) == ["projection"]
    assert "lat 48.139800" in env.repairs[0].detail


def test_longitudes_are_up_to_180_and_latitudes_up_to_90(load):
    tokyo = load(collection(feature(box(139.7001, 35.6001, 139.7101, 35.6101))))
    assert kinds(tokyo) == ["projection"]
    assert tokyo.bounds[3] - tokyo.bounds[1] == pytest.approx(1109.5, abs=0.5)
    beyond = load(collection(feature(box(35.6001, 139.7001, 36.0001, 140.1001))))
    assert "projection" not in kinds(beyond)
    assert beyond.area == pytest.approx(0.16)


@pytest.mark.parametrize(
    ("coordinates", "more"),
    [
        (box(0, 0, 10, 10), {}),
        (box(0.123456, 0.123456, 3.2, 2.3), {}),
        (box(0.25, 0.25, 0.75, 0.75), {}),
        (box(11.57, 48.1393, 11.971, 48.5403), {"meta": {"crs": "local metres"}}),
        (box(11.57, 48.1393, 11.581, 48.1503), {"crs": "EPSG:25832"}),
    ],
)
def test_local_metres_are_not_taken_for_degrees(load, coordinates, more):
    env = load(collection(feature(coordinates), **more))
    assert env.area == pytest.approx(shapely.Polygon(coordinates[0]).area, abs=0.01)
    assert "projection" not in kinds(env)


def test_crs_that_cannot_be(load):
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
    with pytest.raises(fw.BadGeometry, match="crs declares longitude and latitude"):
        load(collection(feature([SQUARE]), crs=crs))
    assert is_lonlat(np.array([(0.5, 0.5), (0.6, 0.6)]), {"crs": crs})


def test_projection_keeps_distances_from_the_middle():
    rng = np.random.default_rng(1)
    lonlat = rng.uniform((11, 48), (11.9, 48.9), (50, 2))
    lonlat = np.vstack([lonlat, (11, 48), (11.9, 48.9)])
    flat, _ = project(lonlat)
    expected = _vincenty(np.array([11.45, 48.45]), lonlat)
    assert np.hypot(*flat.T) == pytest.approx(expected, rel=2e-6)


def _vincenty(a, b):
    """Return geodesic distances in metres on WGS 84, after Vincenty (1975)."""
    major, flat = 6378137.0, 1 / 298.257223563
    minor = major * (1 - flat)
    u1, u2 = (np.arctan((1 - flat) * np.tan(np.radians(p))) for p in (a[1], b[:, 1]))
    lon = np.radians(b[:, 0] - a[0])
    lam = lon
    for _ in range(50):
        s, c = np.sin(lam), np.cos(lam)
        cross = np.cos(u1) * np.sin(u2) - np.sin(u1) * np.cos(u2) * c
        sin_sigma = np.hypot(np.cos(u2) * s, cross)
        cos_sigma = np.sin(u1) * np.sin(u2) + np.cos(u1) * np.cos(u2) * c
        sigma = np.arctan2(sin_sigma, cos_sigma)
        sin_alpha = np.cos(u1) * np.cos(u2) * s / sin_sigma
        cos2 = 1 - sin_alpha**2
        mid = cos_sigma - 2 * np.sin(u1) * np.sin(u2) / cos2
        k = flat / 16 * cos2 * (4 + flat * (4 - 3 * cos2))
        inner = mid + k * cos_sigma * (2 * mid**2 - 1)
        lam = lon + (1 - k) * flat * sin_alpha * (sigma + k * sin_sigma * inner)
    u = cos2 * (major**2 - minor**2) / minor**2
    big_a = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)))
    big_b = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
    term = cos_sigma * (2 * mid**2 - 1)
    term -= big_b / 6 * mid * (4 * sin_sigma**2 - 3) * (4 * mid**2 - 3)
    return minor * big_a * (sigma - big_b * sin_sigma * (mid + big_b / 4 * term))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"type": "FeatureCollection", "features": [', "line 1, column .* is not JSON"),
        ("[1]", "the top is a list"),
        ('{"a": 1}', "'type' is None"),
        ('{"type": "FeatureCollection"}', "'features' is not a list"),
        ('{"type": "FeatureCollection", "features": [7]}', "feature 0: is a number"),
        ("[" * 100_000, "nested too deeply"),
        ('{"type":"GeometryCollection","geometries":[' * 900, "JSON|nested too deeply"),
        (collection(feature([SQUARE]), feature(5)), "feature 1: expected a list"),
        (collection(feature([5])), "feature 0: expected a list"),
        (collection(feature([[5]])), "feature 0, position 0"),
        (collection(feature([[[0, 0], [1, "x"], [2, 2]]])), "feature 0, position 1.*'x'"),
        (collection(feature([[["0", "0"], ["9", "0"], ["9", "9"]]])), "feature 0, position 0"),
        (collection(feature([[[0, 0], [None, 1], [2, 2]]])), "feature 0, position 1"),
        (collection(feature([SQUARE], of="Blob")), "feature 0: geometry type 'Blob'"),
        (collection(feature([SQUARE], 5)), "feature 0: property 'kind' is 5"),
        (collection({"properties": [], "geometry": None}), "feature 0: 'properties' is a list"),
        (collection({"properties": {"kind": ["x"]}}), r"feature 0: property 'kind' is \['x'\]"),
        (collection({"geometry": 5}), "feature 0: 'geometry' is 5"),
    ],
)
def test_damaged_files_say_where(load, text, message):
    with pytest.raises(fw.BadFile, match=message):
        load(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (collection(feature([[[0, 0], [float("nan"), 1], [2, 2]]])), r"feature 0.*\(nan, 1\)"),
        (collection(feature([[[0, 0], [float("inf"), 1], [2, 2]]])), r"feature 0.*\(inf, 1\)"),
        (
            collection(feature([SQUARE]), feature([[[float("nan"), 1], [2, 2], [3, 1]]])),
            r"feature 1.*\(nan, 1\)",
        ),
        (collection(feature([[[0, 0], [10**400, 1], [2, 2]]])), "feature 0, position 1"),
        (collection(feature([[[0, 0], [1e300, 1], [2, 2]]])), "feature 0.*too far"),
        (collection(feature([SQUARE]), feature([1e8, 0], "wall", "Point")), "feature 1.*km wide"),
        (collection(), "nothing is walkable"),
        (collection(feature([SQUARE], "grass")), "nothing is walkable"),
        (collection(feature([SQUARE]), feature(box(-1, -1, 11, 11), "wall")), "obstacles cover"),
    ],
)
def test_geometry_that_cannot_be_used(load, text, message):
    with pytest.raises(fw.BadGeometry, match=message):
        load(text)


def test_not_utf8(tmp_path):
    path = tmp_path / "a.geojson"
    path.write_bytes(b'{"type": "\xff\xfe"}')
    with pytest.raises(fw.BadFile, match="not JSON"):
        fw.load(path)


def test_saved_and_loaded_again(tmp_path):
    env = fw.Environment.from_polygons(
        [shapely.box(0, 0, 0.9, 0.7001), shapely.box(2, 0, 3, 1)],
        obstacles=[shapely.box(0.2, 0.2, 0.3, 0.3)],
        lines=[[(0.5, 0.1), (0.6, 0.5), (0.7, 0.1)]],
        points=[(0.1, 0.1)],
        areas=[("exit", shapely.box(0, 0, 0.1, 0.1))],
        terrain=[("grass", shapely.box(0, 0, 1, 1))],
        name="plan",
    )
    save_geojson(env, tmp_path / "plan.geojson")
    again = fw.load(tmp_path / "plan.geojson")
    assert shapely.equals_identical(again.walkable.normalize(), env.walkable.normalize())
    assert shapely.equals_identical(again.points, env.points)
    assert again.lines.normalize() == env.lines.normalize()
    assert (again.areas[0].name, again.terrain[0].kind, again.name) == ("exit", "grass", "plan")
    assert {r.kind for r in again.repairs} == {"island"}


def test_save_where_it_cannot(tmp_path):
    env = fw.Environment.from_polygons(shapely.box(0, 0, 1, 1))
    with pytest.raises(fw.BadFile, match="cannot be written"):
        save_geojson(env, tmp_path / "none" / "a.geojson")


def test_city_from_file(load):
    text = collection(
        feature(box(0, 0, 500, 500), "bounds"),
        *(
            feature(shapely.geometry.mapping(shapely.orient_polygons(h))["coordinates"], "building")
            for h in city()
        ),
    )
    env = load(text)
    walls = env.walls
    assert env.holes == 626
    assert len(walls.segments) == 4 * 627


def test_real_city():
    env = fw.load(shared("city/munich_muenchner_freiheit.geojson"))
    assert 480 < env.bounds[2] - env.bounds[0] < 600
    assert {t.kind for t in env.terrain} == {"green", "pedestrian_area", "parking", "water"}
    assert env.repairs[0].kind == "orientation"
    assert [r.kind for r in env.repairs].count("bounds") == 1
    assert_noded(env)


@pytest.mark.parametrize(
    ("kind", "meant"),
    [("wal", "wall"), ("Walls", "wall"), ("obstacel", "obstacle"), ("bound", "bounds")],
)
def test_a_kind_that_is_nearly_a_known_one(tmp_path, kind, meant):
    file = tmp_path / "a.geojson"
    inner = [[1, 1], [2, 1], [2, 2], [1, 2], [1, 1]]
    file.write_text(collection(feature([SQUARE]), feature([inner], kind=kind)))
    env = fw.load(file)
    assert [region.kind for region in env.terrain] == [kind]
    assert [r.detail.split(": ")[-1] for r in env.repairs] == [f"did you mean {meant!r}?"]


@pytest.mark.parametrize("kind", ["mud", "road", "path", "hall", "wald", "sidewalk", "ground"])
def test_a_kind_of_terrain_is_no_mistake(tmp_path, kind):
    file = tmp_path / "a.geojson"
    inner = [[1, 1], [2, 1], [2, 2], [1, 2], [1, 1]]
    file.write_text(collection(feature([SQUARE]), feature([inner], kind=kind)))
    assert fw.load(file).repairs == ()
