"""Uploaded files."""

import pytest

import footway as fw
from footway.studio.documents import Document
from footway.studio.saving import as_geojson
from footway.studio.uploads import clean_name
from footway.studio.uploads import open_upload as opened_by
from tests.unit.crowd.maps import cmap, env
from tests.unit.recording.recordings import random_recording
from tests.unit.studio.serving import InThisProcess

HALL = as_geojson(Document("hall", "map", env("hall"), cmap("hall"))).content


def open_upload(name, content):
    return opened_by(name, content, InThisProcess())


@pytest.mark.parametrize(
    ("given", "plain"),
    [("plan.geojson", "plan.geojson"), ("../../etc/plan.GEOJSON", "plan.GEOJSON"),
     ("C:\\maps\\plan.png", "plan.png"), ("a\x00b\n.toml", "ab.toml"),
     ("x" * 500 + ".wkt", "x" * 96 + ".wkt")],
)  # fmt: skip
def test_names_are_plain(given, plain):
    assert clean_name(given) == plain


@pytest.mark.parametrize(
    "name", ["", ".", "..", "plan", "plan.exe", "plan.yaml", "plan.obj", ".toml", "x/.."]
)
def test_names_that_cannot_be_uploaded(name):
    with pytest.raises(fw.BadInput, match="cannot be uploaded"):
        clean_name(name)


def test_a_map():
    document = open_upload("hall.geojson", HALL)
    assert (document.name, document.what) == ("hall.geojson", "map")
    assert document.environment.area == 500.0


def test_a_recording_does_not_need_its_uploaded_file(tmp_path):
    recording = random_recording()
    recording.save(tmp_path / "run.parquet")
    document = open_upload("run.parquet", (tmp_path / "run.parquet").read_bytes())
    assert document.recording.frame(5).positions.tolist() == recording.frame(5).positions.tolist()


def test_a_scenario_of_the_gallery():
    text = b'map = "gallery:field"\n[[population]]\ncount = 5\n'
    assert open_upload("plaza.toml", text).scenario.population[0].count == 5


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret.geojson", "secret.fwmap"])
def test_a_scenario_must_not_name_a_file_of_this_machine(name):
    text = f'map = "{name}"\n[[population]]\ncount = 5\n'.encode()
    with pytest.raises(fw.BadInput, match="its map is a file"):
        open_upload("plaza.toml", text)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.geojson", b"{"), ("a.geojson", b""), ("a.png", HALL), ("a.parquet", HALL),
     ("a.fwmap", HALL),
     ("a.toml", HALL), ("a.map", b"type octile\nheight 99999\nwidth 99999\nmap\n"),
     ("a.wkt", b"\xff\xfe")],
)  # fmt: skip
def test_damaged_files_are_refused_in_one_line_without_folders(name, content):
    with pytest.raises(fw.BadInput) as caught:
        open_upload(name, content)
    assert "\n" not in str(caught.value)
    assert "/tmp" not in str(caught.value)
    assert "upload" not in str(caught.value)
