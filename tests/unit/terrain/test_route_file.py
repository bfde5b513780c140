"""Routes drawn by hand and in files: GeoJSON and CSV there and back, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import footway as fw

DRAWN = [(1, 1), (4, 1), (4, 5), (1, 1.5)]


@pytest.fixture(scope="module")
def terrain() -> fw.Terrain:
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 10, 8),
        obstacles=[[(6, 2), (7, 2), (7, 6), (6, 6)]],
        terrain=[("mud", [(3, 0), (5, 0), (5, 3), (3, 3)])],
    )
    return fw.Terrain.build(env)


class TestDrawn:
    def test_is_what_was_drawn(self, terrain):
        route = fw.IndicativeRoute.from_points(terrain, DRAWN, {"mud": 2.0})
        assert route.points.tolist() == [list(map(float, point)) for point in DRAWN]
        assert (route.start, route.goal, route.method) == ((1.0, 1.0), (1.0, 1.5), "drawn")
        assert route.point_at(3.5).tolist() == [4.0, 1.5]
        assert route.weighted_length == pytest.approx(route.length + route.measure()["mud"])
        assert route.before is route

    def test_refused(self, terrain):
        for points, says in [
            ([(1, 1)], "two different points"),
            ([(1, 1), (1, 1)], "two different points"),
            ([(1, 1), (2, np.nan)], "row 1 of the points of a route"),
            ([1, 2, 3], r"\(n, 2\)"),
            ([(1, 4), (9, 4)], r"leaves the free space at \(5.750, 4.000\)"),
            ([(1, 1), (1, 20)], r"leaves the free space at \(1.000, 7.750\)"),
        ]:
            with pytest.raises(fw.BadQuery, match=says):
                fw.IndicativeRoute.from_points(terrain, points)
        with pytest.raises(fw.BadInput, match="no terrain of kind 'ice'"):
            fw.IndicativeRoute.from_points(terrain, DRAWN, {"ice": 2.0})


class TestFiles:
    @pytest.mark.parametrize("suffix", ["geojson", "json", "csv"])
    def test_there_and_back(self, terrain, tmp_path, suffix):
        file = tmp_path / f"route.{suffix}"
        route = fw.route(terrain, (1, 4), (9, 4.5), preferences={"mud": 3.0})
        route.save(file)
        again = fw.IndicativeRoute.load(file, terrain)
        np.testing.assert_array_equal(again.points, route.points)
        assert again.preferences == ({} if suffix == "csv" else {"mud": 3.0})

    def test_geojson_says_all_about_it(self, terrain, tmp_path):
        route = fw.route(terrain, (1, 4), (9, 4.5), preferences={"mud": 3.0})
        route.save(tmp_path / "route.geojson")
        about = json.loads((tmp_path / "route.geojson").read_text())["properties"]
        assert about == {k: v for k, v in route.to_dict().items() if k != "points"}
        assert about["weighted_length"] < about["weighted_length_before"]

    def test_lines_of_others(self, terrain, tmp_path):
        line = {"type": "LineString", "coordinates": [[1, 1, 5], [4, 1, 5]]}
        feature = {"type": "Feature", "properties": None, "geometry": line}
        spot = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 1]}}
        many = {"type": "FeatureCollection", "features": [spot, feature]}
        for document in (line, feature, many):
            (tmp_path / "a.json").write_text(json.dumps(document))
            route = fw.IndicativeRoute.load(tmp_path / "a.json", terrain, {"mud": 2.0})
            assert (route.length, route.preferences) == (3.0, {"mud": 2.0})
        (tmp_path / "a.csv").write_text("1,1\n4,1\n")
        assert fw.IndicativeRoute.load(tmp_path / "a.csv", terrain).length == 3.0

    @pytest.mark.parametrize(
        ("name", "content", "says"),
        [
            ("a.csv", "x,y\n1,2,3\n", "line 2 has 3 columns"),
            ("a.csv", "x,y\n\n1,b\n", "line 3 has 'b', which is not a number"),
            ("a.csv", "", "it holds no points"),
            ("a.csv", "x,y\n", "it holds no points"),
            ("a.json", "{", "not a GeoJSON LineString"),
            ("a.json", "[]", "it holds a value without a type"),
            ("a.json", '{"type": "Polygon", "coordinates": []}', "it holds a Polygon"),
            ("a.json", '{"type": "FeatureCollection", "features": []}', "no LineString"),
            ("a.json", '{"type": "FeatureCollection", "features": [null, 3]}', "no LineString"),
            ("a.json", '{"type": "FeatureCollection"}', "it has no list of features"),
            ("a.json", '{"type": "Feature", "geometry": null}', "a value without a type"),
            ("a.json", '{"type": "LineString"}', "it has no list of coordinates"),
            ("a.json", '{"type": "LineString", "coordinates": 3}', "no list of coordinates"),
            ("a.json", '{"type": "LineString", "coordinates": []}', "not a list of points"),
            ("a.json", '{"type": "LineString", "coordinates": [3]}', "not a list of points"),
            ("a.txt", "1 2", "must end in .geojson, .json or .csv"),
        ],
    )
    def test_bad_files(self, terrain, tmp_path, name, content, says):
        (tmp_path / name).write_text(content)
        with pytest.raises(fw.BadFile, match=says):
            fw.IndicativeRoute.load(tmp_path / name, terrain)

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ('"mud"', "preferences must map kinds of terrain to weights, not 'mud'"),
            ('{"mud": -3}', "the weight of 'mud' is -3"),
            ('{"mud": "much"}', "the weight of 'mud' is 'much'"),
        ],
    )
    def test_bad_preferences(self, terrain, tmp_path, given, says):
        file = tmp_path / "a.json"
        line = json.dumps({"type": "LineString", "coordinates": DRAWN})
        file.write_text(
            f'{{"type": "Feature", "properties": {{"preferences": {given}}}, "geometry": {line}}}'
        )
        with pytest.raises(fw.BadFile, match=f"a.json: {says}"):
            fw.IndicativeRoute.load(file, terrain)

    def test_missing_and_not_text(self, terrain, tmp_path):
        with pytest.raises(fw.BadFile, match="does not exist"):
            fw.IndicativeRoute.load(tmp_path / "none.csv", terrain)
        with (tmp_path / "large.csv").open("wb") as file:
            file.truncate(65 * 2**20)  # sparse: takes no space
        with pytest.raises(fw.BadFile, match="more than 64 MiB: too large for a route"):
            fw.IndicativeRoute.load(tmp_path / "large.csv", terrain)
        (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(fw.BadFile, match="is not text"):
            fw.IndicativeRoute.load(tmp_path / "a.csv", terrain)
        route = fw.IndicativeRoute.from_points(terrain, DRAWN)
        with pytest.raises(fw.BadFile, match="cannot be written"):
            route.save(tmp_path / "nowhere" / "a.csv")
