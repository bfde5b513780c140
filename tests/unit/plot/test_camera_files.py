"""Tables of camera motions."""

import csv
import json

import numpy as np
import pytest

import footway as fw
from footway.camera.motion import COLUMNS
from footway.plot.camera_files import save_camera
from tests.unit.plot.gltf_reading import read


@pytest.fixture(scope="module")
def motion():
    block = [(4, 3), (6, 3), (6, 5), (4, 5)]
    env = fw.Environment.from_polygons(bounds=(0, 0, 12, 8), obstacles=[block])
    path = fw.CorridorMap.build(env).path((1, 4), (11, 4), radius=0.25)
    return fw.camera.motion(path, rate=10, height=1.5)


def test_csv_has_every_bit(motion, tmp_path):
    save_camera(motion, tmp_path / "tour.csv")
    with (tmp_path / "tour.csv").open(newline="") as lines:
        head, *rows = csv.reader(lines)
    assert head == ["time", "x", "y", "z", "dx", "dy", "dz", "speed"]
    table = np.array(rows, float)
    assert np.array_equal(table[:, 0], motion.times)
    assert np.array_equal(table[:, 1:4], motion.positions)
    assert np.array_equal(table[:, 4:7], motion.directions)
    assert np.array_equal(table[:, 7], motion.speeds)
    assert (table[:, 3] == 1.5).all()


def test_json_has_the_same_and_more(motion, tmp_path):
    save_camera(motion, tmp_path / "tour.json")
    found = json.loads((tmp_path / "tour.json").read_text())
    assert tuple(found["columns"]) == COLUMNS
    assert len(found["frames"]) == len(motion.times)
    assert found["frames"][-1][:3] == pytest.approx([motion.duration, 11, 4])
    assert found["clearance"] >= found["radius"] - 1e-6


def test_the_suffix_decides(motion, tmp_path):
    for name in ("tour.glb", "tour.GLTF"):
        save_camera(motion, tmp_path / name)
    read(tmp_path / "tour.glb")
    assert json.loads((tmp_path / "tour.GLTF").read_text())["asset"]["version"] == "2.0"


@pytest.mark.parametrize("name", ["tour", "tour.fbx", "no/tour.csv", "no/tour.json"])
def test_bad_files(motion, tmp_path, name):
    with pytest.raises(fw.BadInput, match="tour") as error:
        save_camera(motion, tmp_path / name)
    assert "\n" not in str(error.value)
