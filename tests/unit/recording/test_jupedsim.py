import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import shapely

import footway as fw
from footway.recording.jupedsim import save_jupedsim
from footway.recording.recording import Recorder
from tests.unit.recording.recordings import MEMORY, random_recording


@pytest.fixture(scope="module")
def recording():
    return random_recording()


@pytest.fixture(scope="module")
def env():
    return fw.Environment.from_polygons(bounds=(0, 0, 10, 10), obstacles=[[(4, 0), (6, 0), (5, 1)]])


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.sqlite"


def rows(file, query):
    with closing(sqlite3.connect(file)) as database:
        return database.execute(query).fetchall()


def recorded(*frames, step=0.1):
    """Return a recording of one character: (step number, position, velocity) for each frame."""
    recorder = Recorder(**MEMORY | {"step": step})
    recorder.add_characters([0], [0.25], [0])
    for number, at, velocity in frames:
        recorder.add_frame(number, number * step, [0], [at], [velocity])
    return recorder.close()


def test_pedpy_reads_it(recording, env, file):
    pedpy = pytest.importorskip("pedpy")
    save_jupedsim(recording, file, environment=env)
    found = pedpy.load_trajectory_from_jupedsim_sqlite(trajectory_file=file)
    assert found.frame_rate == 5.0
    assert found.data.id.to_list() == recording.ids.tolist()
    assert np.array_equal(found.data[["x", "y"]], recording.positions)
    assert found.frame_range == (0, 18)  # nobody is in frame 19
    area = pedpy.load_walkable_area_from_jupedsim_sqlite(trajectory_file=file)
    assert area.area == env.area


def test_jupedsim_reads_it(recording, env, file):
    jupedsim = pytest.importorskip("jupedsim")
    save_jupedsim(recording, file, environment=env)
    found = jupedsim.Recording(str(file))
    with closing(found.db):
        assert found.num_frames == recording.n_frames
        assert found.fps == 5.0
        assert found.bounds().xmax == 10.0
        assert found.geometry().equals(env.walkable)
        agents = found.frame(12).agents
        found.geometry_id_for_frame(19)
    assert [agent.id for agent in agents] == recording.frame(12).ids.tolist()
    assert [agent.position for agent in agents] == [
        tuple(at) for at in recording.frame(12).positions.tolist()
    ]


def test_tables_are_those_of_jupedsim(recording, env, file, tmp_path):
    jupedsim = pytest.importorskip("jupedsim")
    writer = jupedsim.SqliteTrajectoryWriter(output_file=tmp_path / "theirs.sqlite")
    jupedsim.Simulation(
        model=jupedsim.CollisionFreeSpeedModel(),
        geometry=env.walkable.geoms[0],
        trajectory_writer=writer,
    ).iterate()
    writer.close()
    save_jupedsim(recording, file)
    query = "SELECT name FROM sqlite_master ORDER BY name"
    assert rows(file, query) == rows(tmp_path / "theirs.sqlite", query)
    for table in ("trajectory_data", "metadata", "geometry", "frame_data"):
        query = f"SELECT name, type, \"notnull\" FROM pragma_table_info('{table}')"
        assert rows(file, query) == rows(tmp_path / "theirs.sqlite", query)
    query = "SELECT key FROM metadata ORDER BY key"
    assert rows(file, query) == rows(tmp_path / "theirs.sqlite", query)


def test_directions(file):
    stands, walks = (0.0, 0.0), (0.0, 2.0)
    save_jupedsim(recorded((0, (0, 0), stands), (1, (0, 0), walks), (2, (0, 0.2), stands)), file)
    found = rows(file, "SELECT ori_x, ori_y FROM trajectory_data")
    assert found == [(1.0, 0.0), (0.0, 1.0), (0.0, 1.0)]


@pytest.mark.parametrize(
    ("numbers", "frames", "rate"),
    [
        ([0, 5, 10, 12], [0, 1, 2], 2.0),
        ([3, 4, 5], [0, 1, 2], 10.0),
        ([0, 2, 6], [0, 1, 3], 5.0),
        ([7], [0], 10.0),
    ],
)
def test_frames_are_even(file, numbers, frames, rate):
    still = ((0.0, 0.0), (0.0, 0.0))
    save_jupedsim(recorded(*((number, *still) for number in numbers)), file)
    assert [row[0] for row in rows(file, "SELECT frame FROM trajectory_data")] == frames
    assert float(rows(file, "SELECT value FROM metadata WHERE key = 'fps'")[0][0]) == rate


def test_without_a_map_there_is_a_box(recording, file):
    save_jupedsim(recording, file)
    box = shapely.from_wkt(rows(file, "SELECT wkt FROM geometry")[0][0])
    assert box.buffer(1e-9).covers(shapely.MultiPoint(recording.positions).buffer(0.5))


def test_parts_without_anybody_are_left_out(recording, file):
    room, other = shapely.box(0, 0, 10, 10), shapely.box(20, 0, 30, 10)
    save_jupedsim(recording, file, environment=fw.Environment.from_polygons([other, room]))
    assert shapely.from_wkt(rows(file, "SELECT wkt FROM geometry")[0][0]).equals(room)


def test_thin_walls_are_slits(recording, file):
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 10, 10), lines=[[(2, 2), (5, 2)]], points=[(8, 8)]
    )
    save_jupedsim(recording, file, environment=env)
    ground = shapely.from_wkt(rows(file, "SELECT wkt FROM geometry")[0][0])
    assert len(ground.interiors) == 2
    assert ground.area == pytest.approx(100.0, abs=0.01)


def test_a_file_of_before_is_replaced(recording, file):
    file.write_text("something else")
    save_jupedsim(recording, file)
    assert len(rows(file, "SELECT * FROM trajectory_data")) == len(recording.ids)
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("name", ["no/folder.sqlite", "."])
def test_a_file_that_cannot_be_written(recording, tmp_path, name):
    with pytest.raises(fw.BadFile, match="cannot be written") as error:
        save_jupedsim(recording, tmp_path / Path(name))
    assert "\n" not in str(error.value)


def test_nobody(file):
    with pytest.raises(fw.BadInput, match="no characters"):
        save_jupedsim(Recorder(**MEMORY).close(), file)
    assert not file.exists()


def test_everybody_keeps_a_direction_of_its_own(file):
    """Standing characters keep their last direction, for any ids."""
    ids, velocities = [10, 20, 31], np.array([(3.0, 4.0), (0.0, -2.0), (-1.0, 0.0)])
    recorder = Recorder(**MEMORY)
    recorder.add_characters(ids, 0.25, 0)
    recorder.add_frame(0, 0.0, ids, np.ones((3, 2)), velocities)
    recorder.add_frame(1, 0.1, ids, np.ones((3, 2)), np.zeros((3, 2)))
    save_jupedsim(recorder.close(), file)
    found = rows(file, "SELECT id, ori_x, ori_y FROM trajectory_data ORDER BY frame, id")
    looks = [(10, 0.6, 0.8), (20, 0.0, -1.0), (31, -1.0, 0.0)]
    assert np.array(found) == pytest.approx(np.array(2 * looks), abs=1e-6)
