"""Buildings in the studio: sheets, paths over floors, and what is refused in one line."""

import itertools
import json

import numpy as np
import pytest
import shapely

import footway as fw
from footway.formats import save_geojson
from footway.scenario.building import prepare_crowd
from footway.studio.documents import Document, built_in, open_built_in, open_document
from footway.studio.files import handover
from footway.studio.files.loading_process import rehearse
from footway.studio.layers import ground, layer
from footway.studio.protocol.requests import parse
from footway.studio.protocol.wire import crowd_frame, unpacked
from footway.studio.session import Session

ROOM = open_built_in("gallery:rimea8")


def two_halls():
    """Two floors above each other with a hall each, and an exit below, joined by stairs."""
    hole = [(6, 3), (7.2, 3), (7.2, 7), (6, 7)]
    hall = ("hall", [(1, 1), (5, 1), (5, 5), (1, 5)])
    out = ("exit", [(8, 1), (9.5, 1), (9.5, 3), (8, 3)])
    floors = [
        fw.Environment.from_polygons(bounds=(0, 0, 10, 8), obstacles=[hole], areas=areas)
        for areas in ([hall, out], [hall])
    ]
    stairs = fw.Stairs("A", ("0", (6, 3), (7.2, 3)), ("1", (6, 7), (7.2, 7)))
    return fw.Building([fw.Floor("0", floors[0]), fw.Floor("1", floors[1], 3.0)], [stairs])


HALLS = Document("two halls", "map", None, fw.CorridorMap.build(two_halls()))
START, GOAL = (5.0, 6.6), (5.0, 10.4)


@pytest.fixture
def session():
    made = Session(ROOM)
    yield made
    assert made.end()


def ask(session, kind, /, **fields):
    return unpacked(session.answer(parse(json.dumps({"n": 1, "type": kind, **fields}))))


def test_the_list_of_maps_has_all_buildings():
    assert {"gallery:tower", "gallery:station", "gallery:stadium", "gallery:rimea8"} <= {
        *built_in()
    }


def test_facts_name_floors_and_links():
    facts, building = ROOM.facts(), ROOM.building
    assert [(f.name, f.elevation) for f in facts.floors] == [("0", 0.0), ("1", 3.0), ("2", 6.0)]
    assert [(link.name, link.kind, link.floors) for link in facts.links] == [
        ("A0", "stairs", ["0", "1"]),
        ("A1", "stairs", ["1", "2"]),
    ]
    assert facts.area == building.area
    assert facts.bounds == building.bounds
    assert facts.locked == "roadmaps and editing are for maps of one floor"
    station = open_built_in("gallery:station").facts().links
    assert {link.direction for link in station if link.kind == "escalator"} == {"up", "down"}


@pytest.mark.parametrize("name", ["rimea8", "station"])
def test_sheets_are_those_of_the_building(name):
    building = fw.load(f"gallery:{name}")
    answer = ground(open_built_in(f"gallery:{name}"))
    facts, arrays = answer.facts, answer.arrays
    assert [sheet.name for sheet in facts.sheets] == [one.name for one in building.layers]
    rings, starts = arrays["rings"], arrays["polygons"]
    area = np.zeros(len(facts.sheets))
    for k, (first, last) in enumerate(itertools.pairwise(starts)):
        parts = [
            arrays["points"][a:b]
            for a, b in zip(rings[first:last], rings[first + 1 :], strict=False)
        ]
        area[arrays["polygon_sheets"][k]] += shapely.Polygon(parts[0], parts[1:]).area
    np.testing.assert_allclose(area, [sheet.polygon.area for sheet in building.sheets])
    walls = [arrays["lines"][arrays["line_sheets"] == k] for k in range(len(facts.sheets))]
    for found, sheet in zip(walls, building.sheets, strict=True):
        np.testing.assert_array_equal(found, sheet.walls.segments)
    for k, (sheet, own) in enumerate(zip(facts.sheets, building.layers, strict=True)):
        np.testing.assert_allclose(
            own.heights(np.array(sheet.sides)), np.repeat([sheet.low, sheet.high], 2)
        )
        assert all(k in facts.sheets[other].joined for other in sheet.joined)


def test_areas_are_on_their_floors():
    facts = ground(ROOM).facts
    names = [{a.name for a in floor.environment.areas} for floor in ROOM.building.floors]
    assert [{a.name for a in facts.areas if a.floor == k} for k in range(3)] == names


@pytest.mark.parametrize("by", ["length", "time"])
def test_a_path_is_that_of_the_map(session, by):
    header, arrays = ask(session, "path", start=START, goal=GOAL, floors=["2", "0"], by=by)
    path = ROOM.building_map.path((*START, "2"), (*GOAL, "0"), radius=0.25, by=by)
    facts = header["ok"]
    assert (facts["length"], facts["duration"]) == (path.length, path.seconds)
    assert (facts["floors"], facts["links"]) == (["2", "1", "0"], ["A1", "A0"])
    drawn = np.column_stack([arrays["path"], arrays["heights"]])
    np.testing.assert_allclose(drawn, path.points, atol=1e-5)
    np.testing.assert_array_equal(arrays["sheets"], path.sheets)
    assert len(arrays["disc_sheets"]) == len(arrays["disc_heights"]) == len(arrays["backbone"])


def test_a_path_that_does_not_fit_says_on_which_floor(session):
    hall = (17.1, 7.0)
    header, _ = ask(session, "path", start=hall, goal=hall, floors=["2", "0"], radius=0.65)
    assert header["reason"] == "pinch"
    assert header["pinch"]["where"] in {one.name for one in ROOM.building.layers}


def test_an_end_in_a_wall_gets_the_nearest_place_of_its_floor(session):
    header, _ = ask(session, "path", start=START, goal=(5.0, -1.0), floors=["2", "0"])
    assert header["end"] == "goal"
    x, y = header["nearest"]
    assert ROOM.building_map.clearance([(x, y, "0")])[0] >= 0.25


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("path", {"start": START, "goal": GOAL}, "give the floors"),
        ("path", {"start": START, "goal": GOAL, "floors": ["0", "9"]}, "no floor '9'"),
        (
            "path",
            {"start": START, "goal": GOAL, "floors": ["0", "1"], "method": "irm"},
            "one floor",
        ),
        ("population", {"do": "add", "floor": "9"}, "no floor '9'"),
        ("population", {"do": "add", "area": "hall"}, "no area 'hall'; there are "),
        ("population", {"do": "add", "area": "room 1"}, "on several floors: 0, 1, 2; give"),
        ("population", {"do": "add", "goal": GOAL}, "give the floor of the goal"),
        ("population", {"do": "add", "behaviour": "wander", "goal_floor": "1"}, "have no goal"),
        ("population", {"do": "add", "behaviour": "wander"}, "wander"),
        ("obstacle", {"do": "add", "at": START}, "not available in a building"),
        ("layer", {"name": "discs"}, "one floor"),
        ("layer", {"name": "roadmap", "method": "grid"}, "roadmap"),
        ("edit", {"do": "delete", "at": START}, "cannot be edited"),
    ],
)
def test_what_is_for_plans_is_refused_in_one_line(session, kind, fields, words):
    header, _ = ask(session, kind, **fields)
    assert header["kind"] == "bad-input", header
    assert words in header["error"]


def test_the_axis_has_the_clearance_of_each_floor():
    request = parse('{"n": 1, "type": "layer", "name": "axis"}')
    arrays = layer(ROOM, request, lambda *_: None).arrays
    sheet = np.repeat(arrays["sheets"], np.diff(arrays["offsets"]))
    assert set(sheet) == set(range(len(ROOM.building.layers)))
    for k, floor in enumerate(ROOM.building.floors):
        own = sheet == k
        np.testing.assert_array_equal(arrays["heights"][own], floor.elevation)
        inside = ROOM.building.contains(k, arrays["points"])  # ends on portals are just outside
        assert (own & ~inside).sum() < 5
        own &= inside
        found = ROOM.building_map.clearance(arrays["points"][own], floor=floor.name)
        np.testing.assert_allclose(found, arrays["clearance"][own], atol=1e-6)


def test_a_building_is_saved_as_geojson(session, tmp_path):
    file = session.save("geojson")
    (tmp_path / file.name).write_bytes(file.content)
    again = fw.load(tmp_path / file.name)
    assert [sheet.polygon.area for sheet in again.sheets] == [
        sheet.polygon.area for sheet in ROOM.building.sheets
    ]


def test_files_of_buildings_are_opened(tmp_path):
    file = tmp_path / "house.geojson"
    save_geojson(ROOM.building, file)
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
    document = open_document(str(file))
    rehearse(document)
    handover.pack(document, tmp_path / "a", file=str(file))
    again = handover.unpack(tmp_path / "a", file=str(file))
    assert again.facts() == document.facts()
    plan = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
    save_geojson(plan, tmp_path / "plan.geojson")
    toml = tmp_path / "house.toml"
    toml.write_text('[[floor]]\nname = "0"\nplan = "plan.geojson"\n')
    assert [floor.name for floor in open_document(str(toml)).building.floors] == ["0"]


class TestCrowd:
    """People in a building: added on floors, drawn at their heights, inspected on their way."""

    @pytest.fixture
    def session(self):
        made = Session(HALLS)
        yield made
        assert made.end()

    def test_frames_have_height_and_sheet(self, session):
        header, _ = ask(session, "population", do="add", count=20, area="hall", floor="1")
        assert header["ok"]["characters"] == 20
        crowd = session.crowd_thread.crowd
        assert set(crowd.floors) == {"1"}
        for _ in range(60):
            ask(session, "crowd", do="step")
        header, arrays = unpacked(session.crowd_thread.between_steps(lambda: crowd_frame(crowd)))
        layers = [HALLS.building.layers[k] for k in arrays["sheet"]]
        assert len({own.link for own in layers}) == 2  # some are on the stairs
        for own, at, height in zip(layers, arrays["at"], arrays["height"], strict=True):
            assert own.heights(at[None])[0] == pytest.approx(height, abs=1e-4)
        assert header["facts"]["n"] == len(arrays["height"]) == 20

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"goal": "hall", "goal_floor": "0"}, "0"),
            ({"goal_floor": "1"}, "1"),
            ({"goal": "1"}, "1"),
            ({"goal": "exit"}, "0"),
            ({"goal": [2.0, 2.0], "goal_floor": "0"}, "0"),
        ],
    )
    def test_goals_are_on_floors(self, session, fields, expected):
        ask(session, "population", do="add", count=3, floor="1", then="stay", **fields)
        header, arrays = ask(session, "character", id=0)
        facts = header["ok"]
        assert (facts["floor"], facts["goal_floor"]) == ("1", expected)
        assert len(arrays["sheets"]) == len(arrays["heights"]) == len(arrays["radii"])
        layers = HALLS.building.layers
        assert layers[arrays["sheets"][0]].floor == 1
        if expected == "0":  # down the stairs
            assert np.diff(arrays["heights"]).max() <= 1e-4
            assert arrays["heights"][-1] == 0.0

    def test_more_of_a_population_start_on_its_floor(self, session):
        ask(session, "population", do="add", count=2, floor="0")
        header, _ = ask(session, "population", do="change", index=0, count=9)
        assert header["ok"]["characters"] == 9
        assert session.crowd_thread.crowd.floors == ["0"] * 9
        ask(session, "crowd", do="reset")
        assert session.crowd_thread.crowd.floors == ["0"] * 9
        header, _ = ask(session, "population", do="change", index=0, speed=1.0)
        assert "not available in a building" in header["error"]

    def test_it_is_saved_as_a_scenario_that_runs(self, session, tmp_path):
        ask(session, "population", do="add", count=4, area="hall", floor="1", goal="exit")
        ask(session, "population", do="add", count=2, area="hall", floor="0", goal_floor="1")
        for kind in ("scenario", "geojson"):
            file = session.save(kind)
            (tmp_path / file.name).write_bytes(file.content)
        crowd = prepare_crowd(fw.load_scenario(tmp_path / "two-halls.toml")).crowd
        assert crowd.floors == ["1"] * 4 + ["0"] * 2
        assert crowd.character(0).goal_floor == "0"
        assert crowd.character(5).goal_floor == "1"
        ask(session, "population", do="add", count=1, goal=[2.0, 2.0], goal_floor="0")
        with pytest.raises(fw.BadInput, match="no goal at a point"):
            session.save("scenario")

    def test_a_floor_is_refused_on_a_plan(self):
        session = Session(open_built_in("gallery:field"))
        header, _ = ask(session, "population", do="add", floor="0")
        assert session.end()
        assert "one floor only" in header["error"]


def test_crowds_in_buildings_are_refused_in_one_line(tmp_path):
    scenario = tmp_path / "fire.toml"
    scenario.write_text('map = "gallery:rimea8"\nduration = 10\n[[population]]\ncount = 2\n')
    with pytest.raises(fw.BadInput, match=r"in a building.*simulate`, and open gallery:rimea8"):
        open_document(str(scenario))
    crowd = fw.Crowd(ROOM.building_map)
    crowd.add(1)
    recording = crowd.run(seconds=0.2)
    recording.save(tmp_path / "run.parquet")
    with pytest.raises(fw.BadInput, match=r"recorded in a building.*on_floor\('0'\)"):
        open_document(str(tmp_path / "run.parquet"))
    recording.on_floor("0").save(tmp_path / "floor.parquet")
    assert open_document(str(tmp_path / "floor.parquet")).building is None
    with pytest.raises(fw.BadInput, match=r"gallery:rimea8: is a building.*leave --map out"):
        open_document(str(tmp_path / "floor.parquet"), map_name="gallery:rimea8")


def test_a_walk_climbs_the_stairs(session):
    start, stop = (5.0, 6.6), (5.0, 10.4)
    header, arrays = ask(
        session, "walk", start=start, heading=0.0, stops=[GOAL, stop], floors=["0", "2", "1"]
    )
    x, y, z = arrays["camera"][:, 1:4].T
    arrived = np.searchsorted(arrays["camera"][:, 0], header["ok"]["arrivals"])
    places = np.column_stack([x, y, z])[np.minimum(arrived, len(x) - 1)]
    expected = [(*start, 1.7), (*GOAL, 7.7), (*stop, 4.7)]
    np.testing.assert_allclose(places, expected, atol=0.01)
    assert np.abs(np.diff(z)).max() < 0.1  # it never jumps
    assert header["ok"]["length"] > 2 * 12


def test_a_walk_begins_where_the_camera_fits(session):
    _, arrays = ask(session, "walk", start=(-1.0, 6.6), stops=[GOAL], floors=["0", "0"])
    at = arrays["camera"][0, 1:3]
    assert ROOM.building_map.clearance([(*at.tolist(), "0")])[0] >= 0.25 - 1e-4
    header, _ = ask(session, "walk", start=GOAL, stops=[GOAL])
    assert "give the floors" in header["error"]
    with pytest.raises(fw.BadInput, match="floor of the start and of each stop"):
        parse(
            json.dumps(
                {"n": 1, "type": "walk", "start": [1, 1], "stops": [[2, 2]], "floors": ["0"] * 3}
            )
        )
