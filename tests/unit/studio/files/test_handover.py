"""Writing documents into a folder and reading them back."""

import zipfile

import numpy as np
import pytest

import footway as fw
from footway import archive
from footway.formats.geojson import save_geojson
from footway.studio.documents import open_built_in, open_document
from footway.studio.files import handover
from tests.unit.crowd.maps import cmap, env
from tests.unit.formats.test_environment_arrays import assert_same
from tests.unit.recording.recordings import assert_same as assert_same_recording
from tests.unit.recording.recordings import random_recording


def handed_over(document, folder, file="x"):
    handover.pack(document, folder, file=file)
    return handover.unpack(folder, file=file)


def test_a_map(tmp_path):
    document = open_built_in("gallery:office")
    made = handed_over(document, tmp_path)
    assert made.facts() == document.facts()
    assert_same(made.environment, document.environment)
    for field, given in document.corridors._index.axis._asdict().items():
        np.testing.assert_array_equal(getattr(made.corridors._index.axis, field), given)


def test_a_map_far_from_zero_has_its_origin(tmp_path):
    far = fw.Environment.from_polygons(bounds=(500_000, 5_000_000, 500_040, 5_000_030))
    save_geojson(far, tmp_path / "far.geojson")
    document = open_document(str(tmp_path / "far.geojson"))
    assert document.origin != (0.0, 0.0)
    assert handed_over(document, tmp_path).origin == document.origin


def test_a_saved_corridor_map_and_one_of_a_roadmap(tmp_path):
    cmap("hall").save(tmp_path / "hall.fwmap")
    made = handed_over(open_document(str(tmp_path / "hall.fwmap")), tmp_path)
    assert made.environment is None
    assert made.facts().holes == 1
    roadmap = fw.roadmap.rrm(env("hall"), resolution=0.5, radius=0.5)
    fw.CorridorMap.from_roadmap(roadmap).save(tmp_path / "roads.fwmap")
    made = handed_over(open_document(str(tmp_path / "roads.fwmap")), tmp_path)
    assert len(made.corridors.roadmap.nodes) == len(roadmap.nodes)


def test_a_scenario_beside_its_map(tmp_path):
    save_geojson(env("hall"), tmp_path / "hall.geojson")
    file = tmp_path / "run.toml"
    file.write_text(
        'map = "hall.geojson"\n[area]\ncorner = [[1, 1], [3, 1], [3, 3], [1, 3]]\n'
        '[[population]]\ncount = 5\narea = "corner"\n',
        encoding="utf-8",
    )
    folder = tmp_path / "folder"
    folder.mkdir()
    document = open_document(str(file))
    made = handed_over(document, folder, str(file))
    assert made.scenario.model_dump() == document.scenario.model_dump()
    assert made.scenario.map == str(tmp_path / "hall.geojson")
    assert made.facts() == document.facts()
    assert "corner" in {area.name for area in made.environment.areas}


def test_a_recording_does_not_need_its_file_afterwards(tmp_path):
    recording = random_recording()
    recording.save(tmp_path / "run.parquet")
    file = str(tmp_path / "run.parquet")
    document = open_document(file)
    handover.pack(document, tmp_path, file=file)
    (tmp_path / "run.parquet").unlink()
    made = handover.unpack(tmp_path, file=file)
    assert made.is_boxed
    assert_same_recording(made.recording, recording)


def test_a_very_long_recording_stays_in_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr(handover, "MAX_ROWS", 10)
    recording = random_recording()
    recording.save(tmp_path / "run.parquet")
    made = handed_over(
        open_document(str(tmp_path / "run.parquet")), tmp_path, str(tmp_path / "run.parquet")
    )
    assert not (tmp_path / "recording.npz").exists()
    assert_same_recording(made.recording, recording)


def test_a_full_disk_is_reported(tmp_path):
    with pytest.raises(fw.BadFile, match="free some space"):
        handover.pack(open_built_in("gallery:field"), tmp_path / "missing", file="x")


WRONG = {
    "times": lambda a: a[:-1],
    "offsets": lambda a: a + 1,
    "steps": lambda a: a.astype(float),
    "ids": lambda a: a + 1000,
    "positions": lambda a: a[:-1],
    "velocities": lambda a: a.astype("f8"),
    "population": lambda a: a + 7,
    "radius": lambda a: a[1:],
    "character_ids": lambda a: a.astype(bool),
    "obstacles": lambda a: np.zeros((2, 3)),
    "header": lambda _: np.frombuffer(b"[]", np.uint8),
    "shapes": lambda a: a[:20],
}


@pytest.mark.parametrize("name", WRONG)
def test_inconsistent_arrays_are_refused(tmp_path, name):
    random_recording().save(tmp_path / "run.parquet")
    file = str(tmp_path / "run.parquet")
    handover.pack(open_document(file), tmp_path, file=file)
    archived = tmp_path / ("document.npz" if name == "shapes" else "recording.npz")
    with np.load(archived) as found:
        arrays = {key: array for key, array in found.items() if key != "digest"}
    arrays[name] = WRONG[name](arrays[name])
    header = arrays.pop("header").tobytes()
    np.savez(archived, **archive.sealed(header, arrays))  # with a digest that is right
    with pytest.raises(fw.BadFile, match="the result of loading is damaged"):
        handover.unpack(tmp_path, file=file)


@pytest.mark.parametrize("name", ["document.npz", "map.fwmap"])
@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04", b"\x93NUMPY"])
def test_missing_and_wrong_files_are_refused(tmp_path, name, content):
    handover.pack(open_built_in("gallery:field"), tmp_path, file="x")
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(fw.BadFile, match="the result of loading is damaged"):
        handover.unpack(tmp_path, file="x")


def test_a_compressed_archive_is_refused(tmp_path):
    handover.pack(open_built_in("gallery:field"), tmp_path, file="x")
    with zipfile.ZipFile(tmp_path / "document.npz", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("more.npy", bytes(1_000_000))
    with pytest.raises(fw.BadFile, match="compressed"):
        handover.unpack(tmp_path, file="x")


@pytest.mark.parametrize("name", ["document.npz", "map.fwmap", "recording.npz"])
def test_compressed_files_that_are_right_otherwise_are_refused(tmp_path, name):
    random_recording().save(tmp_path / "run.parquet")
    file = str(tmp_path / "run.parquet")
    handover.pack(open_document(file), tmp_path, file=file)
    with np.load(tmp_path / name) as found:
        members = dict(found)
    with (tmp_path / name).open("wb") as stream:
        np.savez_compressed(stream, **members)
    with pytest.raises(fw.BadFile, match="compressed"):
        handover.unpack(tmp_path, file=file)


def test_an_array_that_claims_to_be_huge_is_refused(tmp_path):
    handover.pack(open_built_in("gallery:field"), tmp_path, file="x")
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000,), }"
    head += b" " * (117 - len(head)) + b"\n"
    with zipfile.ZipFile(tmp_path / "document.npz", "a") as archive:
        archive.writestr("more.npy", b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
    with pytest.raises(fw.BadFile, match="the result of loading is damaged"):
        handover.unpack(tmp_path, file="x")
