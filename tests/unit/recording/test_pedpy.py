import csv

import numpy as np
import pytest

import footway as fw
from footway.recording.pedpy import save_csv, save_pedpy
from footway.recording.recording import Recorder
from tests.unit.recording.recordings import MEMORY, random_recording


@pytest.fixture(scope="module")
def recording():
    return random_recording()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.txt"


def test_pedpy_reads_it(recording, file):
    pedpy = pytest.importorskip("pedpy")
    save_pedpy(recording, file)
    found = pedpy.load_trajectory_from_txt(trajectory_file=file)
    assert found.frame_rate == 5.0
    assert found.data.id.to_list() == recording.ids.tolist()
    assert np.allclose(found.data[["x", "y"]], recording.positions, rtol=0, atol=1e-12)
    assert found.data.frame.is_monotonic_increasing


def test_the_geometry_is_in_the_header(recording, file):
    pedpy = pytest.importorskip("pedpy")
    env = fw.Environment.from_polygons(bounds=(0, 0, 10, 10), obstacles=[[(4, 0), (6, 0), (5, 1)]])
    save_pedpy(recording, file, environment=env)
    assert pedpy.load_trajectory_from_txt(trajectory_file=file).frame_rate == 5.0
    line = next(line for line in file.read_text().splitlines() if line.startswith("# geometry: "))
    assert pedpy.WalkableArea(line.removeprefix("# geometry: ")).area == env.area


def test_the_text_itself(file):
    recorder = Recorder(**MEMORY)
    recorder.add_characters([4], [0.25], [0])
    for number, x in ((0, 0.1 + 0.2), (4, 1e-7)):
        recorder.add_frame(number, number * 0.1, [4], [(x, -2.0)], [(0, 0)])
    save_pedpy(recorder.close(), file)
    lines = file.read_text().splitlines()
    assert lines[1] == "# framerate: 2.5"
    assert lines[3] == "# id frame x/m y/m z/m"
    assert [[float(n) for n in line.split()] for line in lines[4:]] == [
        [4, 0, 0.1 + 0.2, -2, 0],
        [4, 1, 1e-7, -2, 0],
    ]


def test_csv_has_every_bit(recording, tmp_path):
    file = tmp_path / "run.csv"
    save_csv(recording, file)
    with file.open(newline="") as lines:
        head, *found = csv.reader(lines)
    assert head == ["step", "time", "id", "x", "y", "vx", "vy"]
    table = np.array(found, float)
    assert np.array_equal(table[:, 2], recording.ids)
    assert np.array_equal(table[:, 3:5], recording.positions)
    assert np.array_equal(table[:, 5:].astype(np.float32), recording.velocities)
    assert np.array_equal(np.unique(table[:, 1]), recording.times[:-1])
    sizes = np.diff(recording.offsets)
    assert np.array_equal(table[:, 0], np.repeat(recording.steps, sizes))
    assert np.array_equal(table[:, 1], np.repeat(recording.times, sizes))


def test_many_rows_come_in_batches(tmp_path, monkeypatch, recording):
    whole, pieces = tmp_path / "whole.txt", tmp_path / "pieces.txt"
    save_pedpy(recording, whole)
    monkeypatch.setattr("footway.recording.trajectories._BATCH", 25)
    save_pedpy(recording, pieces)
    assert whole.read_text() == pieces.read_text()


@pytest.mark.parametrize("save", [save_pedpy, save_csv])
def test_a_file_that_cannot_be_written(recording, tmp_path, save):
    with pytest.raises(fw.BadFile, match="cannot be written"):
        save(recording, tmp_path / "no" / "run.txt")
    with pytest.raises(fw.BadFile, match="cannot be written"):
        save(recording, tmp_path)


def test_nobody(file):
    with pytest.raises(fw.BadInput, match="no characters"):
        save_pedpy(Recorder(**MEMORY).close(), file)
