"""A recording carries its map: in memory, in its file, in parts of a run, and in exports."""

import base64
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
import shapely

import footway as fw
from footway.errors import BadFile, BadInput
from footway.recording.jupedsim import save_jupedsim
from footway.recording.recorded_map import RecordedMap
from footway.recording.storage import ParquetRecorder
from footway.recording.trajectories import walkable_area
from tests.unit.recording.recordings import MEMORY, random_recording, walk_at_random


@pytest.fixture(scope="module")
def room():
    return fw.Environment.from_polygons(
        bounds=(0, 0, 10, 10),
        obstacles=[[(4, 2), (6, 2), (6, 8), (4, 8)]],
        lines=[[(1, 5), (3, 5)]],
        areas=[("exit", [(9, 4), (10, 4), (10, 6), (9, 6)])],
        terrain=[("grass", [(0, 0), (2, 0), (2, 2), (0, 2)])],
        name="room",
    )


def crowd_in(cmap, **more):
    crowd = fw.Crowd(cmap, seed=5, **more)
    crowd.add(6, radius=0.2)
    return crowd


def assert_same_map(found, expected):
    assert shapely.equals_exact(found.walkable, expected.walkable)
    assert found.lines.equals(expected.lines)
    assert [area.name for area in found.areas] == [area.name for area in expected.areas]
    assert [one.kind for one in found.terrain] == [one.kind for one in expected.terrain]


def geometry_in(file):
    with closing(sqlite3.connect(file)) as database:
        return shapely.from_wkt(database.execute("SELECT wkt FROM geometry").fetchone()[0])


def test_a_saved_recording_has_the_map_of_the_crowd(room, tmp_path):
    cmap = fw.CorridorMap.build(room)
    recording = crowd_in(cmap).run(seconds=0.5)
    assert recording.environment is room
    recording.save(tmp_path / "run.parquet")
    assert_same_map(fw.Recording.load(tmp_path / "run.parquet").environment, room)
    streamed = crowd_in(cmap).run(seconds=0.5, to=tmp_path / "streamed.parquet")
    assert streamed.replay_hash() == recording.replay_hash()
    assert_same_map(fw.Recording.load(tmp_path / "streamed.parquet").environment, room)


def test_a_crowd_on_a_saved_map_records_its_walkable_space(room, tmp_path):
    fw.CorridorMap.build(room).save(tmp_path / "room.fwmap")
    recording = crowd_in(fw.CorridorMap.load(tmp_path / "room.fwmap")).run(seconds=0.5)
    assert recording.environment.walkable.equals(room.walkable)
    assert recording.environment.lines.equals(room.lines)
    assert recording.environment.name == "room"


@pytest.mark.parametrize("name", ["game", "field", "office", "city", "mckenna"])
def test_the_environment_of_a_map_from_a_file_equals_the_original(name, tmp_path):
    env = fw.load(f"gallery:{name}")
    cmap = fw.CorridorMap.build(env)
    assert cmap.environment is env
    cmap.save(tmp_path / "saved.fwmap")
    found = fw.CorridorMap.load(tmp_path / "saved.fwmap").environment
    differing = found.walkable.symmetric_difference(env.walkable)  # slivers of rounding errors
    assert differing.buffer(-1e-9).is_empty
    assert found.holes == env.holes
    assert found.lines.hausdorff_distance(env.lines) < 1e-9 or env.lines.is_empty
    assert found.lines.is_empty == env.lines.is_empty
    assert np.array_equal(
        shapely.get_coordinates(found.points),
        np.unique(shapely.get_coordinates(env.points), axis=0),
    )


def test_parts_of_a_run_that_was_killed_have_the_map(room, tmp_path):
    file = tmp_path / "run.parquet"
    recorder = ParquetRecorder(file, **MEMORY, recorded_map=RecordedMap(room), rows_per_group=20)
    walk_at_random(recorder)
    recorder.flush()
    parts = sorted((tmp_path / "run.parquet.parts").glob("*.parquet"))
    assert len(parts) > 2
    assert [fw.Recording.load(part).environment is not None for part in parts] == [
        True, *[False] * (len(parts) - 1),
    ]  # fmt: skip
    assert_same_map(fw.Recording.load(file).environment, room)
    recorder.stop()
    assert_same_map(fw.Recording.load(file).environment, room)


def test_a_continued_run_keeps_the_map(room, tmp_path):
    file = tmp_path / "run.parquet"
    cmap = fw.CorridorMap.build(room)
    crowd = crowd_in(cmap)
    crowd.run(seconds=0.5, to=file)
    crowd.save(tmp_path / "at.npz")
    again = fw.Crowd.load(tmp_path / "at.npz", cmap)
    again.run(seconds=0.5, to=file)
    found = fw.Recording.load(file)
    assert found.n_frames == 11
    assert_same_map(found.environment, room)


def test_joined_recordings_have_the_map_and_one_map_only(room):
    a = replace(random_recording(), recorded_map=RecordedMap(room))
    b = replace(a, steps=a.steps + 100, times=a.times + 10.0, recorded_map=None)
    assert a.joined(b).environment is room
    other = RecordedMap(fw.Environment.from_polygons(bounds=(0, 0, 10, 10)))
    with pytest.raises(BadInput, match="walls of their maps differ"):
        a.joined(replace(b, recorded_map=other))
    assert a.compare(replace(a, recorded_map=other)).facts == {"walkable": (room.area, 100.0)}
    assert a.compare(replace(a, recorded_map=other)).equal


def test_the_exported_geometry_is_the_walkable_polygon(room, tmp_path):
    office = fw.load("gallery:office")
    recording = crowd_in(fw.CorridorMap.build(office)).run(seconds=0.5)
    recording.save(tmp_path / "run.parquet")
    save_jupedsim(fw.Recording.load(tmp_path / "run.parquet"), tmp_path / "run.sqlite")
    assert geometry_in(tmp_path / "run.sqlite").equals(office.walkable)


def test_a_file_without_a_map_opens_and_is_exported_with_a_box(tmp_path):
    recording = random_recording()
    recording.save(tmp_path / "old.parquet")
    old = fw.Recording.load(tmp_path / "old.parquet")
    assert old.environment is None
    box = walkable_area(old, None)
    assert shapely.equals(box, shapely.box(*box.bounds))


def test_cells_of_pedpy_respect_the_walls(tmp_path):
    """Two people on both sides of a thick wall: each Voronoi cell ends at the wall."""
    pedpy = pytest.importorskip("pedpy")
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 10, 4), obstacles=[[(4, 0), (5, 0), (5, 3), (4, 3)]]
    )
    crowd = fw.Crowd(fw.CorridorMap.build(env))
    crowd.add(2, starts=[(2, 1), (8, 1)], goals=[(2, 2), (8, 2)], radius=0.2)
    crowd.run(seconds=0.2, to=tmp_path / "run.parquet")
    save_jupedsim(fw.Recording.load(tmp_path / "run.parquet"), tmp_path / "run.sqlite")
    walkers = pedpy.load_trajectory_from_jupedsim_sqlite(trajectory_file=tmp_path / "run.sqlite")
    area = pedpy.load_walkable_area_from_jupedsim_sqlite(trajectory_file=tmp_path / "run.sqlite")
    cells = pedpy.compute_individual_voronoi_polygons(traj_data=walkers, walkable_area=area)
    wall = shapely.box(4, 0, 5, 3)
    assert max(cell.intersection(wall).area for cell in cells.polygon) < 1e-9
    total = cells.groupby("frame").polygon.agg(lambda found: shapely.union_all(found).area)
    assert total.to_numpy() == pytest.approx(env.area)


def damaged(text):
    raw = bytearray(base64.b64decode(text))
    raw[len(raw) // 2] ^= 0xFF
    return base64.b64encode(bytes(raw)).decode()


@pytest.mark.parametrize(
    "spoil",
    [
        damaged,
        lambda text: text[: len(text) // 8 * 4],
        lambda _: "nonsense",
        lambda _: base64.b64encode(zlib.compress(b"{}\n")).decode(),
        lambda _: base64.b64encode(zlib.compress(b"[1, 2")).decode(),
    ],
)
def test_a_damaged_map_is_one_clear_error(room, spoil):
    text = spoil(RecordedMap(room).text)
    with pytest.raises(BadFile, match="the map in the recording is damaged"):
        _ = RecordedMap(text=text).environment


def test_a_city_takes_little_space():
    text = RecordedMap(fw.load("gallery:city")).text
    assert len(text) < 100_000
    assert text.isascii()
