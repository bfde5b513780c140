"""Opening and editing documents."""

import numpy as np
import pytest

import footway as fw
from footway.formats.geojson import save_geojson
from footway.recording.recording import Recorder
from footway.studio.documents import Document, built_in, open_built_in, open_document
from footway.studio.edits import EditHistory
from footway.studio.protocol.requests import Edit
from tests.unit.crowd.maps import cmap, env
from tests.unit.recording.recordings import random_recording


def test_every_built_in_document_opens():
    for name in built_in():
        facts = open_built_in(name).facts()
        assert facts.name == name
        assert facts.largest_radius > 0.25


@pytest.mark.parametrize(
    "name", ["gallery:nowhere", "demo:nothing", "gallery:city:9x9", "plan.geojson"]
)
def test_what_is_not_built_in(name):
    with pytest.raises(fw.BadInput):
        open_built_in(name)


def test_a_volume_needs_heights():
    with pytest.raises(fw.BadInput, match="--between"):
        open_document("gallery:house")
    assert open_document("gallery:house", between=(0.2, 2.0)).environment.holes > 0


def test_options_of_a_mesh_apply_to_the_map_of_a_recording_too(tmp_path):
    mesh = pytest.importorskip("trimesh")
    pillar = mesh.creation.box((1.0, 2.0, 4.0))
    ring = mesh.creation.annulus(r_min=8.0, r_max=9.0, height=4.0)
    mesh.util.concatenate([pillar, ring]).export(tmp_path / "yard.obj")
    yard = str(tmp_path / "yard.obj")
    upright = open_document(yard, between=(-1.0, 1.0), up="z").environment
    assert upright.bounds == pytest.approx((-9.0, -9.0, 9.0, 9.0))  # lying, it is 4 m wide
    crowd = fw.Crowd(fw.CorridorMap.build(upright))
    crowd.add(3, radius=0.1)
    crowd.run(seconds=0.5, to=tmp_path / "run.parquet")
    on_yard = open_document(
        str(tmp_path / "run.parquet"), map_name=yard, between=(-1.0, 1.0), up="z"
    )
    assert on_yard.environment.walkable.equals(upright.walkable)


def test_a_map_file(tmp_path):
    save_geojson(env("hall"), tmp_path / "hall.geojson")
    document = open_document(str(tmp_path / "hall.geojson"))
    assert (document.name, document.what, document.locked) == ("hall.geojson", "map", None)
    assert document.facts().area == 500.0


def test_a_saved_corridor_map_cannot_be_drawn_on(tmp_path):
    cmap("hall").save(tmp_path / "hall.fwmap")
    document = open_document(str(tmp_path / "hall.fwmap"))
    assert document.locked.startswith("a saved corridor map has no plan")
    assert document.facts().holes == 1


def test_areas_of_a_scenario_are_areas_of_the_map():
    document = open_built_in("demo:evacuation")
    assert document.what == "scenario"
    assert {"entrance", "open plan"} <= {area.name for area in document.facts().areas}


def test_a_recording_on_a_map_of_the_gallery(tmp_path):
    crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
    crowd.add(10)
    crowd.run(seconds=1, to=tmp_path / "run.parquet")
    document = open_document(str(tmp_path / "run.parquet"))
    assert document.what == "recording"
    assert document.environment.holes == fw.load("gallery:field").holes
    assert not document.facts().boxed


def test_a_recording_is_replayed_on_the_map_that_it_contains(tmp_path):
    room = fw.Environment.from_polygons(
        bounds=(0, 0, 10, 8),
        obstacles=[[(4, 3), (6, 3), (6, 5), (4, 5)]],
        areas=[("exit", [(9, 3), (10, 3), (10, 5), (9, 5)])],
        name="nowhere",
    )
    crowd = fw.Crowd(fw.CorridorMap.build(room))
    crowd.add(5)
    crowd.run(seconds=1, to=tmp_path / "run.parquet")
    document = open_document(str(tmp_path / "run.parquet"))
    assert document.environment.walkable.equals(room.walkable)
    assert [area.name for area in document.facts().areas] == ["exit"]
    assert not document.facts().boxed


def test_a_recording_on_a_tiled_city_and_on_an_unknown_map(tmp_path):
    tiles = fw.load("gallery:city:2x2")
    for name, boxed in ((tiles.name, False), ("gallery:nowhere", True)):
        recorder = Recorder(step=0.1, seed=0, map_name=name, names=["all"])
        recorder.add_characters([0], [0.2], [0])
        at = tiles.walkable.representative_point()
        recorder.add_frame(0, 0.0, [0], np.array([[at.x, at.y]]), np.zeros((1, 2)))
        recorder.close().save(tmp_path / "run.parquet")
        assert open_document(str(tmp_path / "run.parquet")).is_boxed == boxed


def test_a_recording_on_an_unknown_map_has_a_box(tmp_path):
    random_recording().save(tmp_path / "run.parquet")
    document = open_document(str(tmp_path / "run.parquet"))
    assert document.environment.holes == 0
    assert document.locked.startswith("it is a recording")
    assert document.facts().boxed


def test_a_recording_on_the_wrong_map(tmp_path):
    random_recording(size=100.0).save(tmp_path / "run.parquet")
    save_geojson(env("square"), tmp_path / "square.geojson")
    with pytest.raises(fw.BadInput, match="is not the map"):
        open_document(str(tmp_path / "run.parquet"), map_name=str(tmp_path / "square.geojson"))


def test_a_map_of_a_map():
    with pytest.raises(fw.BadInput, match="not a recording"):
        open_document("gallery:field", map_name="gallery:field")


@pytest.mark.parametrize(
    "name", ["missing.geojson", "missing.toml", "missing.parquet", "missing.fwmap"]
)
def test_missing_files(name):
    with pytest.raises(fw.BadFile, match="missing"):
        open_document(name)


def test_a_map_too_large_for_a_page_is_refused(tmp_path):
    file = tmp_path / "land.wkt"
    file.write_text("POLYGON ((0 0, 200000 0, 200000 9, 0 9, 0 0))")
    with pytest.raises(fw.BadInput, match="100 km"):
        open_document(str(file))


@pytest.mark.parametrize("name", ["square", "cells", "rooms", "corridor", "room", "plain"])
def test_the_characters_that_are_added_by_default_fit(name):
    count = Document(name, "map", env(name), cmap(name)).facts().count_to_add
    assert (count == 500) == (name == "plain")
    for seed in range(3):
        assert len(fw.Crowd(cmap(name), seed=seed).add(count)) == count


@pytest.fixture
def hall():
    return Document("hall", "map", env("hall"), cmap("hall"))


def box(x0, y0, x1, y1):
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def add(what, corners, **more):
    return Edit(n=1, type="edit", do="add", what=what, polygon=box(*corners), **more)


def delete(x, y):
    return Edit(n=1, type="edit", do="delete", at=(x, y))


UNDO = Edit(n=1, type="edit", do="undo")


REDO = Edit(n=1, type="edit", do="redo")


def test_an_obstacle_takes_walkable_space(hall):
    made = EditHistory().edit(hall, add("obstacle", (2.0, 2.0, 4.0, 4.0)))
    assert made.environment.area == pytest.approx(496.0)
    assert made.environment.holes == 2
    assert made.corridors.n_cycles == 2
    assert made.is_edited
    assert not hall.is_edited


def test_walkable_space_grows(hall):
    made = EditHistory().edit(hall, add("walkable", (29.0, 5.0, 40.0, 9.0)))
    assert made.environment.area == pytest.approx(540.0)
    assert made.environment.bounds == (0.0, 0.0, 40.0, 20.0)


def test_deleting_an_obstacle_fills_its_hole(hall):
    made = EditHistory().edit(hall, delete(15.0, 10.0))
    assert (made.environment.area, made.environment.holes) == (600.0, 0)


def test_terrain_and_areas_leave_the_corridors_alone(hall):
    edit_history = EditHistory()
    muddy = edit_history.edit(hall, add("terrain", (0.0, 0.0, 8.0, 4.0), kind="mud"))
    assert muddy.kinds == ["mud"]
    assert muddy.corridors is hall.corridors
    named = edit_history.edit(muddy, add("area", (0.0, 0.0, 3.0, 3.0), role="spawn"))
    assert named.corridors is hall.corridors
    assert [area.name for area in named.environment.areas] == ["spawn 1"]
    assert named.environment.areas[0].properties["role"] == "spawn"


def test_the_topmost_is_deleted_first(hall):
    edit_history, one = EditHistory(), hall
    one = edit_history.edit(one, add("terrain", (0.0, 0.0, 8.0, 4.0), kind="mud"))
    one = edit_history.edit(one, add("area", (0.0, 0.0, 3.0, 3.0), name="here"))
    one = edit_history.edit(one, delete(1.0, 1.0))
    assert (len(one.environment.areas), len(one.environment.terrain)) == (0, 1)
    one = edit_history.edit(one, delete(1.0, 1.0))
    assert len(one.environment.terrain) == 0
    with pytest.raises(fw.BadInput, match="nothing here"):
        edit_history.edit(one, delete(1.0, 1.0))


def test_walls_without_thickness_can_be_deleted():
    made = fw.Environment.from_polygons(
        bounds=(0, 0, 9, 9), lines=[[(1, 1), (4, 4)], [(6, 1), (6, 5)]]
    )
    one = Document("x", "map", made, fw.CorridorMap.build(made))
    one = EditHistory().edit(one, delete(2.1, 2.0))
    assert len(one.environment.lines.geoms) == 1


def test_undo_and_redo(hall):
    edit_history = EditHistory()
    first = edit_history.edit(hall, add("obstacle", (2.0, 2.0, 4.0, 4.0)))
    second = edit_history.edit(first, add("obstacle", (25.0, 2.0, 27.0, 4.0)))
    assert edit_history.edit(second, UNDO) is first
    assert edit_history.edit(first, UNDO) is hall
    with pytest.raises(fw.BadInput, match="nothing to undo"):
        edit_history.edit(hall, UNDO)
    assert edit_history.edit(hall, REDO) is first
    other = edit_history.edit(first, delete(15.0, 10.0))
    with pytest.raises(fw.BadInput, match="nothing to redo"):
        edit_history.edit(other, REDO)
    assert edit_history.edit(other, UNDO) is first


@pytest.mark.parametrize(
    "edit",
    [
        add("obstacle", (-1.0, -1.0, 40.0, 30.0)),  # nothing is left
        Edit(n=1, type="edit", do="add", polygon=[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]),  # a line
        add("terrain", (0.0, 0.0, 3.0, 3.0), kind="walkable"),
        add("terrain", (500.0, 0.0, 503.0, 3.0), kind="mud"),  # outside
        delete(500.0, 500.0),
    ],
)
def test_what_cannot_be_done_changes_nothing(hall, edit):
    edit_history = EditHistory()
    with pytest.raises(fw.BadInput):
        edit_history.edit(hall, edit)
    assert (edit_history.before, edit_history.after) == ([], [])


def test_names_of_areas_are_unique(hall):
    edit_history = EditHistory()
    one = edit_history.edit(hall, add("area", (0.0, 0.0, 3.0, 3.0), name="door"))
    with pytest.raises(fw.BadInput, match="already"):
        edit_history.edit(one, add("area", (5.0, 0.0, 8.0, 3.0), name="door"))


def test_a_bow_tie_becomes_two_triangles(hall):
    bow = [(2.0, 1.0), (4.0, 3.0), (4.0, 1.0), (2.0, 3.0)]
    made = EditHistory().edit(hall, Edit(n=1, type="edit", do="add", polygon=bow))
    assert made.environment.area == pytest.approx(498.0)


def test_terrain_that_is_built_over_is_gone(hall):
    edit_history = EditHistory()
    one = edit_history.edit(hall, add("terrain", (2.0, 2.0, 3.0, 3.0), kind="mud"))
    one = edit_history.edit(one, add("obstacle", (1.0, 1.0, 4.0, 4.0)))
    assert one.kinds == []


def test_a_recording_cannot_be_drawn_on(hall):
    from dataclasses import replace

    from tests.unit.recording.recordings import random_recording

    with pytest.raises(fw.BadInput, match="cannot be edited"):
        EditHistory().edit(replace(hall, recording=random_recording()), delete(15.0, 10.0))
