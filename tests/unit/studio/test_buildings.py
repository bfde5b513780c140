"""Buildings in the studio: sheets, paths over floors, and what is refused in one line."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
import shapely

import footway as fw
from footway.formats import save_geojson
from footway.recording.recording import Recorder
from footway.scenario import parse_scenario
from footway.scenario.building import prepare_crowd
from footway.studio import replay
from footway.studio.documents import Document, built_in, open_built_in, open_document
from footway.studio.files import handover, saving
from footway.studio.files.loading_process import rehearse
from footway.studio.layers import ground, layer
from footway.studio.protocol.requests import parse
from footway.studio.protocol.wire import crowd_frame, crowd_obstacles, event, unpacked
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
BOX = [[1.0, 5.5], [2.0, 5.5], [2.0, 7.5], [1.0, 7.5]]


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
    assert facts.locked is None
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
        ("obstacle", {"do": "add", "at": START}, "must be (x, y, floor) in a building"),
        ("obstacle", {"do": "add", "at": START, "floor": "9"}, "no floor '9'"),
        ("layer", {"name": "discs"}, "one floor"),
        ("layer", {"name": "roadmap", "method": "grid"}, "roadmap"),
        ("edit", {"do": "delete", "at": START}, "give the floor"),
        ("edit", {"do": "close-link", "link": "B"}, "no link 'B'; there are A0, A1"),
        ("edit", {"do": "open-link", "link": "A0"}, "'A0' is open already"),
        (
            "edit",
            {"do": "add", "what": "terrain", "kind": "mud", "polygon": BOX, "floor": "0"},
            "one floor",
        ),
        (
            "edit",
            {"do": "add", "what": "area", "name": "1", "polygon": BOX, "floor": "0"},
            "there is a floor '1'; give the area another name",
        ),
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
        assert header["ok"]["populations"][0]["speed"] == 1.0
        ask(session, "crowd", do="reset")
        assert set(session.crowd_thread.crowd.speeds) == {1.0}

    def test_an_obstacle_of_the_crowd_is_saved_with_its_floor(self, session):
        header, _ = ask(session, "obstacle", do="add", at=(2.0, 3.0), floor="1", radius=0.5)
        moved = {"do": "move", "id": header["ok"]["id"], "at": (6.6, 5.0), "floor": "A"}
        ask(session, "obstacle", **moved)
        ask(session, "population", do="add", count=1, floor="0")
        (obstacle,) = parse_scenario(session.save("scenario").content.decode()).obstacle
        assert (obstacle.at, obstacle.radius) == ((6.6, 5.0, "A"), 0.5)
        crowd = session.crowd_thread.crowd
        _, arrays = unpacked(event("obstacles", crowd_obstacles(crowd)))
        assert crowd.sheets.max() == 0
        assert HALLS.building.name_of(int(arrays["sheets"][0])) == "A"

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
        (tmp_path / "two-halls.toml").write_bytes(session.save("scenario").content)
        crowd = prepare_crowd(fw.load_scenario(tmp_path / "two-halls.toml")).crowd
        assert crowd.character(6).goal == (2.0, 2.0)
        assert crowd.character(6).goal_floor == "0"

    def test_a_floor_is_refused_on_a_plan(self):
        session = Session(open_built_in("gallery:field"))
        header, _ = ask(session, "population", do="add", floor="0")
        assert session.end()
        assert "one floor only" in header["error"]


class TestEdits:
    """Floors are drawn on, links closed and opened; both can be undone."""

    @pytest.fixture
    def session(self):
        made = Session(HALLS)
        yield made
        assert made.end()

    def edit(self, session, do, **fields):
        header, _ = ask(session, "edit", do=do, **fields)
        return header["ok"] if "ok" in header else header["error"]

    def area(self, session, floor):
        return session.document.building.floors[floor].environment.area

    def test_an_obstacle_is_on_its_floor_only(self, session):
        before = self.area(session, 0)
        facts = self.edit(session, "add", polygon=BOX, floor="1", name="desk")
        assert (facts["undo"], facts["edited"]) == (1, True)
        assert (self.area(session, 0), self.area(session, 1)) == (before, before - 2.0)
        cmap = session.document.building_map
        assert cmap.clearance([(1.5, 6.5, "1"), (1.5, 6.5, "0")]).round(3).tolist() == [0.0, 1.5]
        header, arrays = ask(session, "item", at=(1.5, 6.5), floor="1")
        assert (header["ok"]["kind"], header["ok"]["name"]) == ("obstacle", "desk")
        assert len(arrays["corners"]) == 4
        self.edit(session, "move", at=(1.5, 6.5), to=(3.5, 6.5), floor="1")
        cmap = session.document.building_map
        assert cmap.clearance([(1.5, 6.5, "1"), (3.5, 6.5, "1")]).round(3).tolist() == [1.5, 0.0]
        self.edit(session, "delete", at=(3.5, 6.5), floor="1")
        assert self.area(session, 1) == before
        for _ in range(3):
            self.edit(session, "undo")
        assert session.document is HALLS
        assert self.edit(session, "redo")["redo"] == 2

    def test_people_walk_on_in_the_changed_building(self, session):
        ask(session, "population", do="add", count=5, area="hall", floor="1", goal="exit")
        for _ in range(20):
            ask(session, "crowd", do="step")
        before = session.crowd_thread.crowd.positions
        self.edit(session, "add", polygon=BOX, floor="1")
        crowd = session.crowd_thread.crowd
        assert (crowd.time, crowd.floors) == (pytest.approx(2.0), ["1"] * 5)
        assert np.abs(crowd.positions - before).max() < 1e-6  # nobody was in the box
        assert crowd.map is session.document.building_map
        blocked = [[-0.5, -0.5], [5.0, -0.5], [5.0, 5.2], [-0.5, 5.2]]
        self.edit(session, "add", polygon=blocked, floor="1")
        crowd = session.crowd_thread.crowd
        places = [(*at, "1") for at in crowd.positions.tolist()]
        assert (crowd.map.clearance(places) >= 0.25 - 1e-6).all()  # moved aside
        for _ in range(400):
            ask(session, "crowd", do="step")
        assert session.crowd_thread.crowd.arrivals == 5

    def test_people_leave_stairs_that_are_deleted_and_use_new_ones(self, session):
        ask(session, "population", do="add", count=5, area="hall", floor="1", goal="exit")
        while "A" not in session.crowd_thread.crowd.floors:
            ask(session, "crowd", do="step")
        time = session.crowd_thread.crowd.time
        self.edit(session, "close-link", link="A")
        self.edit(session, "delete", at=(6.6, 5.0), floor="0")
        crowd = session.crowd_thread.crowd
        assert crowd.time == pytest.approx(time)
        assert set(crowd.floors) <= {"0", "1"}
        assert crowd.closed_links == []
        self.edit(session, "add", what="stairs", name="new", polygon=self.NEW, floor="1", other="0")
        for _ in range(600):
            ask(session, "crowd", do="step")
        assert session.crowd_thread.crowd.arrivals == 5

    def test_a_new_area_leaves_the_crowd_alone(self, session):
        ask(session, "population", do="add", count=5, area="hall", floor="1", goal="exit")
        ask(session, "crowd", do="step")
        fields = {"what": "area", "name": "corner", "role": "goal", "polygon": BOX}
        facts = self.edit(session, "add", floor="1", **fields)
        assert ("corner", "1") in [(a["name"], a["floor"]) for a in facts["areas"]]
        assert session.crowd_thread.crowd.time == pytest.approx(0.1)
        ask(session, "population", do="add", count=1, area="corner", goal="exit")
        assert session.crowd_thread.crowd.floors == ["1"] * 6

    def test_a_link_without_a_name(self, session):
        with pytest.raises(fw.BadInput, match="name the link"):
            self.edit(session, "close-link")

    def test_stairs_keep_their_place(self, session):
        over = [[5.5, 2.5], [7.0, 2.5], [7.0, 3.5], [5.5, 3.5]]
        assert "stairs 'A'" in self.edit(session, "add", polygon=over, floor="0")
        assert session.document is HALLS

    NEW = ((1.0, 2.6), (2.2, 2.6), (2.2, 6.0), (1.0, 6.0))  # stairs: on at y = 2.6, off at y = 6

    def path(self, session, start, goal, floors):
        header, _ = ask(session, "path", start=start, goal=goal, floors=floors)
        return header["ok"]["links"] if "ok" in header else header["error"]

    def test_stairs_are_drawn_and_used(self, session):
        areas = self.area(session, 0), self.area(session, 1)
        facts = self.edit(session, "add", what="stairs", polygon=self.NEW, floor="0", other="1")
        assert [(one["name"], one["kind"], one["floors"]) for one in facts["links"]] == [
            ("A", "stairs", ["0", "1"]), ("stairs 1", "stairs", ["0", "1"]),
        ]  # fmt: skip
        hole = 1.2 * 3.4
        assert self.area(session, 0) == pytest.approx(areas[0] - hole)
        assert self.area(session, 1) == pytest.approx(areas[1] - hole)
        assert self.path(session, (1.5, 1.0), (1.5, 7.5), ["0", "1"]) == ["stairs 1"]
        header, arrays = ask(session, "item", at=(1.5, 4.0), floor="1")
        assert (header["ok"]["kind"], header["ok"]["name"]) == ("link", "stairs 1")
        assert len(arrays["corners"]) == 4
        self.edit(session, "undo")
        assert session.document is HALLS

    def test_stairs_down_an_escalator_a_ramp_and_a_lift_are_drawn(self, session):
        for kind in ("stairs", "ramp", "escalator", "lift"):
            facts = self.edit(
                session, "add", what=kind, name="new", polygon=self.NEW, floor="1", other="0"
            )
            link = session.document.building.links[1]
            assert (link.name, link.kind) == ("new", kind)
            assert [one["name"] for one in facts["links"]] == ["A", "new"]
            assert [portal.floor for portal in link.portals] == ["0", "1"]
            y = {portal.floor: portal.a[1] for portal in link.portals}
            assert y == {"1": 2.6, "0": 2.6 if kind == "lift" else 6.0}
            self.edit(session, "undo")

    def test_a_link_is_moved_with_its_hole(self, session):
        area = self.area(session, 0)
        before = session.document.building.links[0].portals[0]
        self.edit(session, "move", at=(6.6, 5.0), to=(5.6, 4.5), floor="1")
        after = session.document.building.links[0].portals[0]
        assert after.a == pytest.approx((before.a[0] - 1.0, before.a[1] - 0.5))
        assert self.area(session, 0) == pytest.approx(area)
        cmap = session.document.building_map
        assert cmap.clearance([(6.9, 5.0, "0"), (5.6, 5.0, "0")]).round(3).tolist() == [0.7, 0.0]
        assert self.path(session, (5.5, 1.0), (5.5, 7.5), ["0", "1"]) == ["A"]
        self.edit(session, "move", at=(5.6, 4.5), to=(6.6, 5.0), floor="0")
        assert self.area(session, 1) == pytest.approx(area)

    def test_a_link_is_deleted_with_its_hole(self, session):
        area = self.area(session, 0)
        self.edit(session, "close-link", link="A")
        facts = self.edit(session, "delete", at=(6.6, 5.0), floor="0")
        assert facts["links"] == []
        assert session.document.closed == frozenset()
        assert self.area(session, 0) == pytest.approx(area + 1.2 * 4)
        assert "no path between them" in self.path(session, (1.0, 1.0), (1.0, 7.0), ["0", "1"])
        facts = self.edit(session, "undo")
        assert [link["closed"] for link in facts["links"]] == [True]

    def test_a_link_is_renamed(self, session):
        self.edit(session, "close-link", link="A")
        facts = self.edit(session, "change", at=(6.6, 5.0), floor="0", name="north")
        assert [(link["name"], link["closed"]) for link in facts["links"]] == [("north", True)]

    def test_stairs_that_share_their_shaft_leave_the_hole_to_the_others(self):
        session = Session(open_built_in("gallery:tower"))
        areas = [floor.environment.area for floor in session.document.building.floors]
        x, y = 8.6, 10.0  # on A0
        facts = self.edit(session, "delete", at=(x, y), floor="0")
        assert "A0" not in [link["name"] for link in facts["links"]]
        after = [floor.environment.area for floor in session.document.building.floors]
        assert after[1:] == areas[1:]
        assert after[0] > areas[0]
        assert session.end()

    @pytest.mark.parametrize(
        ("do", "fields", "message"),
        [
            ("add", {"what": "stairs", "polygon": NEW, "floor": "0", "other": "0"},
             "a link leads to another floor than '0': choose it"),
            ("add", {"what": "stairs", "polygon": NEW, "floor": "0", "other": "7"},
             "there is no floor '7'"),
            ("add", {"what": "stairs", "polygon": NEW[:3], "floor": "0", "other": "1"},
             "a link has four corners, not 3: draw a box"),
            ("add", {"what": "lift", "polygon": NEW, "floor": "0", "other": "1", "name": "A"},
             "there is a floor or link 'A' already; give another name"),
            ("add", {"what": "stairs", "polygon": [[6.5, 4], [7, 4], [7, 6], [6.5, 6]],
                     "floor": "0", "other": "1"}, "stairs 'stairs 1'"),
            ("move", {"at": (6.6, 5.0), "to": (60.0, 5.0), "floor": "0"}, "stairs 'A'"),
            ("change", {"at": (6.6, 5.0), "floor": "0", "name": "1"},
             "there is a floor or link '1' already"),
            ("change", {"at": (6.6, 5.0), "floor": "0", "polygon": NEW},
             "the corners of stairs 'A' cannot be changed: delete it and draw another"),
        ],
    )  # fmt: skip
    def test_impossible_links_are_refused(self, session, do, fields, message):
        assert message in self.edit(session, do, **fields)
        assert session.document is HALLS

    def test_links_need_a_building_and_another_floor(self, session):
        with pytest.raises(fw.BadInput, match="name the other floor of the link"):
            self.edit(session, "add", what="stairs", polygon=self.NEW, floor="0")
        plan = Session(open_built_in("gallery:field"))
        error = self.edit(plan, "add", what="stairs", polygon=self.NEW, other="1")
        assert "has one floor only, and no links" in error
        assert plan.end()

    def test_a_closed_link_is_avoided_by_paths_and_people(self, session):
        path = {"start": (1.0, 6.0), "goal": (9.0, 6.0), "floors": ["1", "0"]}
        before, arrays = ask(session, "path", **path)
        ask(session, "population", do="add", count=3, area="hall", floor="1", goal="exit")
        facts = self.edit(session, "close-link", link="A")
        assert [link["closed"] for link in facts["links"]] == [True]
        assert not facts["edited"]
        header, _ = ask(session, "crowd", do="step")
        assert header["ok"]["closed"] == ["A"]
        header, _ = ask(session, "path", **path)
        assert header["kind"] == "no-path"
        assert header["error"].endswith(". Closed links: A.")
        header, _ = ask(session, "path", **(path | {"floors": ["1", "A"]}))
        assert "'A' is closed" in header["error"]
        for _ in range(300):
            ask(session, "crowd", do="step")
        assert session.crowd_thread.crowd.floors == ["1"] * 3
        ask(session, "crowd", do="reset")
        assert session.crowd_thread.crowd.closed_links == ["A"]
        assert '[[closure]]\nlink = "A"' in session.save("scenario").content.decode()
        self.edit(session, "undo")
        assert session.crowd_thread.crowd.closed_links == []
        header, again = ask(session, "path", **path)
        assert header["ok"]["length"] == before["ok"]["length"]
        np.testing.assert_array_equal(again["sheets"], arrays["sheets"])

    def test_paths_beside_a_closed_link_have_the_sheets_of_the_whole_building(self):
        session = Session(open_built_in("gallery:station"))
        links = session.document.building.links
        closed = next(one for one in links if one.kind == "stairs").name
        self.edit(session, "close-link", link=closed)
        ends = session.document.building_map.random_points(40, radius=0.3, seed=1)
        start = next(one for one in ends if one[2] == "street")
        goal = next(one for one in ends if one[2].startswith("platform"))
        header, arrays = ask(
            session, "path", start=start[:2], goal=goal[:2], floors=[start[2], goal[2]]
        )
        layers = session.document.building.layers
        used = [layers[k].link for k in arrays["sheets"] if layers[k].link >= 0]
        assert {links[k].name for k in used} == {*header["ok"]["links"]}
        assert closed not in header["ok"]["links"]
        heights = session.document.building.heights(arrays["sheets"], arrays["path"][1:])
        np.testing.assert_allclose(heights, arrays["heights"][1:], atol=1e-3)
        assert session.end()


@pytest.fixture(scope="module")
def recording():
    """Three people who walk from the upper hall to the exit, and two who stay below."""
    crowd = fw.Crowd(HALLS.corridors, seed=2)
    crowd.add(3, area="1", destinations=[([(8, 1), (9.5, 1), (9.5, 3), (8, 3)], "0")], then="stay")
    crowd.add(2, area="0", destinations=["0"], then="stay")
    return crowd.run(seconds=30, every=5)


class TestRecording:
    """Recordings of buildings: opened, handed over, and written as one page."""

    def opened(self, recording, folder, **options):
        recording.save(folder / "run.parquet")
        document = open_document(str(folder / "run.parquet"), **options)
        rehearse(document)
        handover.pack(document, folder, file=str(folder / "run.parquet"))
        return handover.unpack(folder, file=str(folder / "run.parquet"))

    def test_frames_have_height_and_sheet(self, recording, tmp_path):
        document = self.opened(recording, tmp_path)
        assert (document.what, len(document.building.floors)) == ("recording", 2)
        assert "recording" in document.locked
        layers, seen = document.building.layers, set()
        for k in range(0, recording.n_frames, 5):
            arrays = replay.frame(document, k).arrays
            names, heights = recording.floors_at(k)
            for sheet, name in zip(arrays["sheet"], names, strict=True):
                assert layers[sheet].name.endswith(f"'{name}'")
                seen.add(name)
            np.testing.assert_allclose(arrays["height"], heights)
        assert seen == {"0", "1", "A"}

    def test_it_is_saved_with_its_building(self, recording, tmp_path):
        file = saving.as_recording(self.opened(recording, tmp_path))
        (tmp_path / "again.parquet").write_bytes(file.content)
        again = fw.Recording.load(tmp_path / "again.parquet")
        assert again.replay_hash() == recording.replay_hash()
        assert [floor.name for floor in again.building.floors] == ["0", "1"]

    def test_density_is_that_of_each_floor(self):
        recorder = Recorder(
            step=0.1, seed=0, map_name="", names=["all"], floor_names=["0", "1", "A"]
        )
        recorder.add_characters(range(4), [0.2] * 4, [0] * 4)
        at = np.array([[2.9, 2.9], [3.1, 3.1], [3.0, 2.8], [3.2, 2.9]])
        recorder.add_frame(0, 0.0, range(4), at, 0 * at, [0, 0, 0, 0], [0.0] * 4)
        recorder.add_frame(1, 0.1, range(4), at, 0 * at, [0, 1, 0, 1], [0.0, 3.0] * 2)
        arrays = replay.plots(recorder.close(), HALLS.corridors).arrays
        assert arrays["density"].tolist() == [1.0, 0.5]

    def test_a_page_has_all_places_and_heights(self, recording):
        document = Document("halls", "recording", None, HALLS.corridors, recording=recording)
        header, arrays = unpacked(replay.envelope(document))
        found, at = {}, 0
        for (row, first, count), sheet in zip(
            arrays["runs"].tolist(), arrays["run_sheets"].tolist(), strict=True
        ):
            climbs = np.cumsum(arrays["climbs"][at : at + count].astype(np.int64)) % 65_536
            for k, climb in enumerate(climbs.tolist()):
                found[first + k, row] = sheet, header["lowest"] + 0.01 * climb
            at += count
        assert len(found) == recording.offsets[-1]
        for k in range(recording.n_frames):
            names, heights = recording.floors_at(k)
            ids = recording.frame(k).ids.tolist()
            for number, name, height in zip(ids, names, heights, strict=True):
                sheet, own = found[k, number]
                assert HALLS.building.layers[sheet].name.endswith(f"'{name}'")
                assert own == pytest.approx(height, abs=0.006)

    def test_maps_that_are_not_of_it_are_refused_in_one_line(self, recording, tmp_path):
        save_geojson(HALLS.building, tmp_path / "halls.geojson")
        map_name = str(tmp_path / "halls.geojson")
        assert self.opened(recording, tmp_path, map_name=map_name).building is not None
        with pytest.raises(
            fw.BadInput, match="not the building of the recording, which has 0, 1, A"
        ):
            self.opened(recording, tmp_path, map_name="gallery:rimea8")
        with pytest.raises(fw.BadInput, match="plan of one floor, and the recording is of a build"):
            self.opened(recording, tmp_path, map_name="gallery:field")
        with pytest.raises(fw.BadInput, match=r"run.parquet: has no map.* --map FILE"):
            self.opened(replace(recording, recorded_map=None), tmp_path)
        floor = recording.on_floor("0")
        assert self.opened(floor, tmp_path).building is None
        with pytest.raises(fw.BadInput, match="recording is of one floor: give its plan"):
            self.opened(floor, tmp_path, map_name=map_name)

    def test_a_hostile_handover_is_refused(self, recording, tmp_path):
        document = self.opened(recording, tmp_path)
        HALL = open_built_in("gallery:field")
        handover.pack(
            replace(HALL, what="recording", recording=document.recording), tmp_path, file="x"
        )
        with pytest.raises(fw.BadInput, match="a recording of a building on a plan"):
            handover.unpack(tmp_path, file="x")


class TestScenario:
    """Scenarios in buildings: opened with their areas, run, reset and saved."""

    TEXT = """
map = "halls.geojson"
duration = 60
[area]
landing = [1, 6, 3, 7.5]
[floor]
landing = "1"
[[closure]]
link = "A"
start = 50
[[population]]
name = "guests"
count = 3
area = "landing"
destinations = ["exit"]
then = "exit"
"""

    @pytest.fixture
    def document(self, tmp_path):
        save_geojson(HALLS.building, tmp_path / "halls.geojson")
        file = tmp_path / "fire.toml"
        file.write_text(self.TEXT)
        opened = open_document(str(file))
        rehearse(opened)
        (tmp_path / "folder").mkdir()
        handover.pack(opened, tmp_path / "folder", file=str(file))
        return handover.unpack(tmp_path / "folder", file=str(file))

    def test_its_people_walk_and_start_again(self, document, tmp_path):
        assert ("landing", "1") in [(a.name, a.floor) for a in document.facts().areas]
        session = Session(document)
        crowd = session.crowd_thread.crowd
        assert (crowd.floors, crowd.names) == (["1"] * 3, ["guests"])
        ask(session, "population", do="add", count=2, area="landing", goal="exit")
        for _ in range(250):
            ask(session, "crowd", do="step")
        assert "0" in crowd.floors or crowd.exited
        header, _ = ask(session, "crowd", do="reset")
        assert header["ok"]["characters"] == 5
        for kind in ("scenario", "geojson"):
            file = session.save(kind)
            (tmp_path / file.name).write_bytes(file.content)
        assert session.end()
        again = prepare_crowd(fw.load_scenario(tmp_path / "fire.toml")).crowd
        assert again.floors == ["1"] * 5
        assert again.character(4).goal_floor == "0"

    def test_a_built_in_tower(self):
        document = open_document("examples/tower.toml")
        assert (document.what, len(document.building.floors)) == ("scenario", 12)
        assert [area.name for area, floor in document.areas if floor == "0"][-2:] == [
            "west",
            "east",
        ]


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
