"""Opening documents."""

import numpy as np
import pytest

import footway as fw
from footway.formats.geojson import save_geojson
from footway.recording.recording import Recorder
from footway.studio.documents import built_in, open_built_in, open_document
from tests.unit.crowd.maps import cmap, env
from tests.unit.recording.recordings import random_recording


def test_every_built_in_document_opens():
    for name in built_in():
        facts = open_built_in(name).facts()
        assert facts["name"] == name
        assert facts["largest_radius"] > 0.25


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


def test_a_map_file(tmp_path):
    save_geojson(env("hall"), tmp_path / "hall.geojson")
    document = open_document(str(tmp_path / "hall.geojson"))
    assert (document.name, document.what, document.editable) == ("hall.geojson", "map", True)
    assert document.facts()["area"] == 500.0


def test_a_saved_corridor_map_cannot_be_drawn_on(tmp_path):
    cmap("hall").save(tmp_path / "hall.fwmap")
    document = open_document(str(tmp_path / "hall.fwmap"))
    assert not document.editable
    assert document.facts()["holes"] == 1


def test_areas_of_a_scenario_are_areas_of_the_map():
    document = open_built_in("demo:evacuation")
    assert document.what == "scenario"
    assert {"entrance", "open plan"} <= {area["name"] for area in document.facts()["areas"]}


def test_a_recording_on_a_map_of_the_gallery(tmp_path):
    crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
    crowd.add(10)
    crowd.run(seconds=1, to=tmp_path / "run.parquet")
    document = open_document(str(tmp_path / "run.parquet"))
    assert document.what == "recording"
    assert document.environment.holes == fw.load("gallery:field").holes
    assert not document.facts()["boxed"]


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
    assert not document.editable
    assert document.facts()["boxed"]


def test_a_recording_on_the_wrong_map(tmp_path):
    random_recording(size=100.0).save(tmp_path / "run.parquet")
    save_geojson(env("square"), tmp_path / "square.geojson")
    with pytest.raises(fw.BadInput, match="is not the map"):
        open_document(str(tmp_path / "run.parquet"), map_name=str(tmp_path / "square.geojson"))


def test_a_map_of_a_map():
    with pytest.raises(fw.BadInput, match="no recording"):
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
