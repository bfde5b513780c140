"""Saved files can be opened again."""

import json
import tomllib
from dataclasses import replace

import numpy as np
import pytest

import footway as fw
from footway.crowd.models import MODELS
from footway.crowd.obstacles import Obstacle, obstacles_at_start
from footway.scenario import load_scenario, parse_scenario
from footway.studio.crowd_thread import LiveRecording
from footway.studio.documents import Document, open_built_in, open_document
from footway.studio.edits import EditHistory
from footway.studio.files.saving import (
    as_geojson,
    as_live_recording,
    as_recording,
    as_scenario,
    stem,
    toml,
)
from footway.studio.protocol.requests import Edit, Population, parse
from tests.unit.crowd.maps import cmap, env
from tests.unit.recording.recordings import assert_same, random_recording

HALL = Document("my hall.geojson", "map", env("hall"), cmap("hall"))


def edited(document, what, **more):
    polygon = [(2.0, 2.0), (4.0, 2.0), (4.0, 4.0), (2.0, 4.0)]
    return EditHistory().edit(
        document, Edit(n=1, type="edit", do="add", what=what, polygon=polygon, **more)
    )


def people(**options):
    return Population(n=1, type="population", do="add", **options)


def test_geojson_is_the_map(tmp_path):
    document = edited(edited(HALL, "area", name="door", role="exit"), "obstacle")
    file = as_geojson(document)
    assert file.name == "my-hall.geojson"
    (tmp_path / file.name).write_bytes(file.content)
    again = fw.load(tmp_path / file.name)
    assert again.area == pytest.approx(document.environment.area)
    assert again.areas[0].name == "door"
    assert again.areas[0].properties["role"] == "exit"


def test_a_scenario_of_an_edited_map_runs_beside_its_geojson(tmp_path):
    document = edited(HALL, "area", name='the "door"')
    roster = [
        people(name="a", count=7, radius=0.2, speed=1.0, goal='the "door"', then="exit"),
        people(name="é\x7f\\", count=5, behaviour="wander"),
        people(name="b", count=3, goal=(25.0, 3.0)),
    ]
    scenario = as_scenario(document, roster, seed=9, obstacles=[Obstacle((27.0, 10.0), 0.5)])
    for file in (scenario, as_geojson(document)):
        (tmp_path / file.name).write_bytes(file.content)
    read = load_scenario(tmp_path / scenario.name)
    assert read.seed == 9
    crowd = read.prepare().crowd
    assert crowd.names == ["a", "é\x7f\\", "b"]
    assert np.bincount(crowd.populations).tolist() == [7, 5, 3]
    assert crowd.obstacles.tolist() == [[27.0, 10.0, 0.5]]


def test_preferences_are_saved_as_a_profile(tmp_path):
    document = edited(HALL, "terrain", kind="mud")
    roster = [
        people(name="a", count=3, preferences={"mud": 7.0}),
        people(name="b", count=2, follow="irm"),
    ]
    scenario = as_scenario(document, roster, seed=0, obstacles=())
    for file in (scenario, as_geojson(document)):
        (tmp_path / file.name).write_bytes(file.content)
    read = load_scenario(tmp_path / scenario.name)
    assert read.profile[read.population[0].profile].preferences == {"mud": 7.0}
    assert read.profile[read.population[1].profile].follow == "irm"
    assert len(read.prepare().crowd) == 5


@pytest.mark.parametrize("name", ["evacuation", "corridor", "bottleneck", "city"])
def test_a_built_in_scenario_saves_as_itself(name):
    document = open_built_in(f"demo:{name}")
    obstacles = obstacles_at_start(document.scenario.prepare().crowd).values()
    file = as_scenario(document, [], seed=document.scenario.seed, obstacles=obstacles)
    again = parse_scenario(file.content.decode())
    ours, theirs = again.model_dump(), document.scenario.model_dump()
    for key in ours.keys() - {"title"}:
        assert ours[key] == theirs[key], key


def test_an_empty_crowd_cannot_be_saved_as_a_scenario():
    with pytest.raises(fw.BadInput, match="empty"):
        as_scenario(HALL, [], seed=0, obstacles=())


def test_a_recording_is_saved_as_it_is(tmp_path):
    recording = random_recording()
    file = as_recording(replace(HALL, recording=recording))
    (tmp_path / file.name).write_bytes(file.content)
    assert_same(fw.Recording.load(tmp_path / file.name), recording)


def test_a_map_is_no_recording():
    with pytest.raises(fw.BadInput, match="is not a recording"):
        as_recording(HALL)


def test_a_live_recording_is_saved_after_it_has_ended(tmp_path):
    crowd = fw.Crowd(HALL.corridors)
    crowd.add(3)
    live_recording = LiveRecording(crowd, stem(HALL))
    with pytest.raises(fw.BadInput, match="stop it"):
        as_live_recording(live_recording)
    live_recording.end()
    file = as_live_recording(live_recording)
    assert file.name == "my-hall.parquet"
    live_recording.drop()  # by the next recording, before this one has been sent
    with file.content:
        (tmp_path / file.name).write_bytes(file.content.read())
    assert fw.Recording.load(tmp_path / file.name).n_frames == 1
    assert not live_recording.file.exists()
    with pytest.raises(fw.BadInput, match="was deleted"):
        as_live_recording(live_recording)
    with pytest.raises(fw.BadInput, match="nothing is recorded"):
        as_live_recording(None)


def test_a_saved_corridor_map_has_no_geojson():
    with pytest.raises(fw.BadInput, match="cannot become"):
        as_geojson(replace(HALL, environment=None))


def test_toml_of_everything():
    import tomllib

    values = {
        "a": 1, "b": 1.5, "c": True, "d": 'x"\n\\\x7f\x00é\U0001f600', "e": [1, [2.0, "z"]],
        "table": {"x y": [1], "flag": False}, "deep": {"one": {"k": {"mean": 1.0}}, "two": {}},
        "population": [{"n": 1}, {"n": 2, "inf": float("inf")}],
    }  # fmt: skip
    assert tomllib.loads(toml(values)) == values


def test_geojson_is_json():
    assert json.loads(as_geojson(HALL).content)["meta"]["crs"] == "local metres"


def test_a_scenario_of_an_edited_map_has_no_scale():
    """Its map is saved in metres, with its areas."""
    made = open_built_in("demo:evacuation")
    scenario = made.scenario.model_copy(update={"scale": 0.5, "area": {"x": ((0, 0), (1, 0))}})
    for is_edited, kept in ((False, {"scale", "area"}), (True, set())):
        document = replace(made, scenario=scenario, is_edited=is_edited)
        content = as_scenario(document, [], seed=1, obstacles=[]).content
        assert tomllib.loads(content.decode()).keys() & {"scale", "area", "terrain"} == kept


@pytest.mark.parametrize("model", ["social_force", "orca", "helbing_molnar"])
def test_a_scenario_has_the_local_model(model):
    content = as_scenario(
        open_built_in("demo:corridor"), [], seed=1, obstacles=[], model=MODELS[model]
    ).content
    assert parse_scenario(content.decode()).model == MODELS[model]
    assert ("model" in tomllib.loads(content.decode())) == (model != "social_force")


def test_items_are_saved_one_by_one_with_their_names(tmp_path):
    """A floor over part of an obstacle is kept although files have no order."""
    features = [
        ("walkable", {}, [(0, 0), (20, 0), (20, 12), (0, 12)]),
        ("obstacle", {"name": "shelf"}, [(0, 4), (6, 4), (6, 5), (0, 5)]),
        ("building", {"name": "house"}, [(5, 4.5), (9, 4.5), (9, 6), (5, 6)]),
    ]
    collection = {
        "type": "FeatureCollection",
        "meta": {"crs": "local metres"},
        "features": [
            {
                "type": "Feature",
                "properties": {"kind": kind, **more},
                "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]},
            }
            for kind, more, ring in features
        ],
    }
    (tmp_path / "shop.geojson").write_text(json.dumps(collection))
    document = open_document(str(tmp_path / "shop.geojson"))
    door = {"do": "add", "what": "walkable", "polygon": [(7, 4), (8, 4), (8, 7), (7, 7)]}
    request = parse(json.dumps({"n": 1, "type": "edit", **door}))
    edited = EditHistory().edit(document, request)
    (tmp_path / "saved.geojson").write_bytes(as_geojson(edited).content)
    saved = json.loads((tmp_path / "saved.geojson").read_text())["features"]
    named = [one["properties"].get("name") for one in saved]
    assert named == [None, "shelf", "house", None]
    again = fw.load(tmp_path / "saved.geojson")
    assert again.walkable.equals(edited.environment.walkable)
    assert edited.environment.area == document.environment.area + 1.5
