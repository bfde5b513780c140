"""`footway export`: recordings for other programs."""

import base64
import dataclasses
import gzip
import re
import sqlite3
from contextlib import closing

import numpy as np
import pytest
import shapely
from matplotlib.colors import to_rgba
from PIL import Image

import footway as fw
from footway.cli.commands.export import _chosen_frame
from footway.formats import save_geojson
from footway.plot import palette
from footway.recording.joining import until
from footway.recording.recording import Recorder, Recording
from footway.recording.storage import ParquetRecorder
from footway.studio import replay
from footway.studio.protocol.wire import unpacked
from tests.unit.recording.recordings import MEMORY, assert_same, random_recording, walk_at_random

HALL = "POLYGON ((0 0, 10 0, 10 8, 0 8, 0 0))"


@pytest.fixture(scope="module")
def recording():
    return random_recording(size=8.0)


@pytest.fixture
def run(recording, tmp_path):
    file = tmp_path / "run.parquet"
    recording.save(file)
    return file


@pytest.fixture
def cut_short(tmp_path):
    file = tmp_path / "cut.parquet"
    with ParquetRecorder(file, **MEMORY) as recorder:
        walk_at_random(recorder)
    return file


@pytest.fixture
def hall(tmp_path):
    """A map that contains all characters."""
    file = tmp_path / "hall.wkt"
    file.write_text(HALL)
    return file


def wkt(file):
    with closing(sqlite3.connect(file)) as database:
        return database.execute("SELECT wkt FROM geometry").fetchone()[0]


@pytest.mark.parametrize(
    ("name", "words"), [("run.sqlite", "JuPedSim"), ("run.TXT", "PedPy"), ("run.csv", "a table")]
)
def test_says_what_it_wrote(footway, run, tmp_path, name, words):
    result = footway("export", run, "-o", tmp_path / name)
    assert result.code == 0
    assert ("without walls: give the map" in result.err) == (name != "run.csv")
    assert "20 in 3.8 s" in result.out
    assert words in result.out
    assert (tmp_path / name).stat().st_size > 1000


def test_json(footway, run, recording, tmp_path):
    file = tmp_path / "run.csv"
    answer = footway("export", run, "-o", file, "--json").json
    assert answer["characters"] == 12
    assert answer["frames"] == 20
    assert answer["rows"] == len(recording.ids) == len(file.read_text().splitlines()) - 1
    assert answer["complete"] is True
    assert answer["output"] == str(file)
    assert set(answer["times_ms"]) == {"load", "export"}


def test_geometry_from_the_map(footway, run, hall, tmp_path):
    file = tmp_path / "run.sqlite"
    assert footway("export", run, "-o", file, "--map", hall).code == 0
    assert shapely.from_wkt(wkt(file)).equals(shapely.from_wkt(HALL))
    assert footway("export", run, "-o", tmp_path / "run.txt", "--map", hall).code == 0
    assert "# geometry: POLYGON ((0 8, 10 8, 10 0, 0 0, 0 8))" in (tmp_path / "run.txt").read_text()


def test_geometry_from_the_recording(footway, run, hall, room, tmp_path):
    """The map that the recording contains, without --map; added to an old file by --map."""
    new = tmp_path / "new.parquet"
    assert footway("export", run, "-o", new, "--map", hall).code == 0
    assert fw.Recording.load(new).replay_hash() == fw.Recording.load(run).replay_hash()
    expected = fw.load(hall).walkable
    for name in ("run.sqlite", "run.txt", "run.png", "again.parquet"):
        result = footway("export", new, "-o", tmp_path / name)
        assert (result.code, result.err) == (0, "")
    assert shapely.from_wkt(wkt(tmp_path / "run.sqlite")).equals(expected)
    text = (tmp_path / "run.txt").read_text().split("# geometry: ")[1].splitlines()[0]
    assert shapely.from_wkt(text).equals(expected)
    assert fw.Recording.load(tmp_path / "again.parquet").environment.walkable.equals(expected)


def test_scale_of_the_map(footway, run, hall, tmp_path):
    file = tmp_path / "run.sqlite"
    assert footway("export", run, "-o", file, "--map", hall, "--scale", "2").code == 0
    assert shapely.from_wkt(wkt(file)).bounds == (0, 0, 20, 16)


def test_another_map(footway, run, hall, room, two_rooms, tmp_path):
    """Characters are in an obstacle of the map, or outside."""
    for name in ("run.sqlite", "run.txt", "run.png"):
        for other in (room, two_rooms):
            result = footway("export", run, "-o", tmp_path / name, "--map", other)
            result.refuses(f"{other}: is not the map of the recording", "character")
    small = footway("export", run, "-o", tmp_path / "run.txt", "--map", hall, "--scale", "0.5")
    small.refuses("in the same scale")
    saved = tmp_path / "room.fwmap"
    footway("build", room, "-o", saved)
    result = footway("export", run, "-o", tmp_path / "run.png", "--map", saved)
    result.refuses("is not the map")


@pytest.mark.parametrize("name", ["run.png", "run.gif", "run.webp"])
def test_pictures(footway, run, hall, tmp_path, name):
    for options in ((), ("--map", hall)):
        result = footway("export", run, "-o", tmp_path / name, *options)
        assert result.code == 0
        assert f"Wrote {tmp_path / name}: a" in result.out
        with Image.open(tmp_path / name) as shown:
            assert (getattr(shown, "n_frames", 1) > 1) == (name != "run.png")
            shown.load()


def page_facts(file):
    data = re.search(r'octet-stream">([^<]+)<', file.read_text())
    return unpacked(gzip.decompress(base64.b64decode(data[1])))[0]["document"]


def test_a_page_has_the_built_in_map_that_the_recording_names(footway, run, tmp_path, monkeypatch):
    (tmp_path / "player.html").write_text(replay.PLACEHOLDER)
    monkeypatch.setattr(replay, "STATIC", tmp_path)
    field = fw.load("gallery:field")
    crowd = fw.Crowd(fw.CorridorMap.build(field))
    crowd.add(5)
    crowd.run(seconds=1, to=tmp_path / "field.parquet")
    page = tmp_path / "run.html"
    assert footway("export", tmp_path / "field.parquet", "-o", page).code == 0
    facts = page_facts(page)
    assert (facts["holes"], facts["boxed"]) == (field.holes, False)
    assert facts["area"] == pytest.approx(field.area)
    assert footway("export", run, "-o", page).code == 0
    assert page_facts(page)["boxed"]


def test_the_speed_of_an_animation(footway, run, tmp_path):
    file = tmp_path / "run.gif"
    assert footway("export", run, "-o", file, "--speed", "4").code == 0
    with Image.open(file) as film:
        assert film.n_frames == 14  # 3.8 s, four times as fast, 15 in a second
    footway("export", run, "-o", file, "--speed", "0").refuses("--animate-speed is 0")
    footway("export", run, "-o", tmp_path / "a.txt", "--speed", "2").refuses("animations")


def test_the_time_of_a_picture(footway, run, tmp_path):
    file = tmp_path / "run.png"
    assert footway("export", run, "-o", file, "--at", "1.5").code == 0
    footway("export", run, "-o", file, "--at", "9").refuses("from 0 to 3.8 s")
    footway("export", run, "-o", tmp_path / "a.txt", "--at", "1").refuses("pictures")


def test_parts_are_joined(footway, recording, tmp_path):
    parts = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    until(recording, 20).save(parts[0])
    recording.save(parts[1])
    file = tmp_path / "all.parquet"
    answer = footway("export", *parts[::-1], "-o", file, "--json").json
    assert answer["runs"] == [str(part) for part in parts[::-1]]
    assert answer["frames"] == 20
    assert_same(Recording.load(file), recording)


def test_parts_of_other_runs(footway, run, tmp_path):
    other = tmp_path / "other.parquet"
    with ParquetRecorder(other, **(MEMORY | {"seed": 8})) as recorder:
        walk_at_random(recorder)
    result = footway("export", run, other, "-o", tmp_path / "all.parquet")
    result.refuses("not of one run: their seeds are 7 and 8")


def test_a_run_that_was_cut_short(footway, cut_short, tmp_path):
    result = footway("export", cut_short, "-o", tmp_path / "run.txt", "--json")
    assert result.code == 0
    assert result.json["complete"] is False
    assert "interrupted" in result.err


def test_other_suffixes(footway, run, tmp_path):
    for name in ("run.xlsx", "run"):
        footway("export", run, "-o", tmp_path / name).refuses(".sqlite", ".txt", ".csv")


def test_a_table_has_no_geometry(footway, run, room, tmp_path):
    result = footway("export", run, "-o", tmp_path / "run.csv", "--map", room)
    result.refuses("--map")


def test_recordings_that_are_none(footway, room, tmp_path):
    out = tmp_path / "run.txt"
    footway("export", tmp_path / "no.parquet", "-o", out).refuses("does not exist")
    footway("export", room, "-o", out).refuses("not a Parquet file")
    footway("export", tmp_path, "-o", out).refuses("directory")
    assert not out.exists()


def test_output_that_cannot_be_written(footway, run, tmp_path):
    footway("export", run, "-o", tmp_path / "no" / "run.txt").refuses("no folder")


def test_maps_that_are_none(footway, run, tmp_path):
    out = tmp_path / "run.txt"
    footway("export", run, "-o", out, "--map", "gallery:atlantis").refuses()
    footway("export", run, "-o", out, "--map", "saved.fwmap").refuses("map file")


def test_wrong_usage(footway, run):
    footway("export", run).refuses("--output")


@pytest.mark.parametrize(
    "name", ["run.txt", "run.sqlite", "run.csv", "run.parquet", "run.png", "run.gif"]
)
def test_nobody(footway, tmp_path, name):
    file = tmp_path / "empty.parquet"
    ParquetRecorder(file, **MEMORY).close()
    result = footway("export", file, "-o", tmp_path / name)
    result.refuses(f"{file}: the recording has no characters")
    assert not (tmp_path / name).exists()


def test_the_last_frame_up_to_a_time():
    """A recording of 20 frames, one in 0.2 s."""
    recording = random_recording()
    times = [0.0, 0.19, 0.2, 0.3, 3.79, 3.8, 3.9]
    assert [_chosen_frame(recording, at) for at in times] == [0, 0, 1, 1, 18, 19, 19]
    for at in (-0.01, 3.91):
        with pytest.raises(fw.BadInput, match=r"the recording is from 0 to 3\.8 s"):
            _chosen_frame(recording, at)


@pytest.mark.parametrize("kind", ["csv", "parquet", "txt"])
def test_frames_without_anybody_are_refused(footway, tmp_path, kind):
    recorder, file = Recorder(**MEMORY), tmp_path / "empty.parquet"
    for k in range(3):
        recorder.add_frame(k, 0.1 * k, [], np.empty((0, 2)), np.empty((0, 2)))
    recorder.close().save(file)
    out = tmp_path / f"out.{kind}"
    footway("export", file, "-o", out).refuses(f"{file}: the recording has no characters")
    assert not out.exists()


def test_two_runs_with_other_characters(footway, run, tmp_path):
    """They have the same seed, step and map, and only the first was written."""
    other = tmp_path / "other.parquet"
    hall = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 9, 9)))
    files = [run.with_name("one.parquet"), other]
    for file, start in zip(files, ((1, 1), (2, 2)), strict=True):
        crowd = fw.Crowd(hall, seed=3)
        crowd.add(1, starts=[start], goals=[(8, 8)])
        crowd.run(seconds=1.0, to=file)
    result = footway("export", *files, "-o", tmp_path / "all.parquet")
    result.refuses("not of one run: their characters differ after 0 s; export them one by")


def test_floors_of_a_building_are_exported_one_by_one(footway, tmp_path):
    recorder = Recorder(**MEMORY, floor_names=("0", "1", "stairs"))
    recorder.add_characters([0, 1], [0.2, 0.2], [0, 0])
    for k in range(3):
        places, up = np.array([[1.0 + k, 1.0], [5.0, 5.0]]), k > 1
        recorder.add_frame(k, 0.1 * k, [0, 1], places, 0.0 * places, [0, up], [0.0, 3.0 * up])
    run, out = tmp_path / "run.parquet", tmp_path / "out.csv"
    recorder.close().save(run)
    assert "choose with --floor: '0', '1', 'stairs'" in footway("export", run, "-o", out).err
    footway("export", run, "-o", out, "--floor", "1")
    assert out.read_text().splitlines()[1:] == ["2,0.2,1,5,5,0,0"]
    refused = footway("export", run, "-o", out, "--floor", "stairs")
    assert "nobody was on 'stairs'" in refused.err
    footway("export", run, "-o", tmp_path / "all.parquet")
    assert Recording.load(tmp_path / "all.parquet").floors_at(-1)[0] == ["0", "1"]


def two_floors():
    hole = [(6, 3), (7.2, 3), (7.2, 7), (6, 7)]
    floor = fw.Environment.from_polygons(bounds=(0, 0, 10, 8), obstacles=[hole])
    stairs = fw.Stairs("west", ("0", (6, 3), (7.2, 3)), ("1", (6, 7), (7.2, 7)))
    return fw.Building([fw.Floor("0", floor), fw.Floor("1", floor, 3.0)], [stairs])


def test_a_page_replays_a_whole_building(footway, tmp_path, monkeypatch):
    (tmp_path / "player.html").write_text(replay.PLACEHOLDER)
    monkeypatch.setattr(replay, "STATIC", tmp_path)
    crowd = fw.Crowd(fw.CorridorMap.build(two_floors()), seed=1)
    crowd.add(3, area="1", radius=0.2)
    recording, run, page = crowd.run(seconds=0.5), tmp_path / "run.parquet", tmp_path / "run.html"
    recording.save(run)
    assert "a page that replays it" in footway("export", run, "-o", page).out
    written = page.read_text()
    assert "footway-recording" in written
    save_geojson(two_floors(), tmp_path / "halls.geojson")
    dataclasses.replace(recording, recorded_map=None).save(run)
    refused = footway("export", run, "-o", page)
    refused.refuses("choose with --floor: '0', '1', 'west'")
    footway("export", run, "-o", page, "--map", tmp_path / "halls.geojson")
    assert len(page.read_text()) == pytest.approx(len(written), rel=0.05)
    refused = footway("export", run, "-o", page, "--map", "gallery:field")
    refused.refuses("is a plan, and the recording is of a building")
    refused = footway("export", run, "-o", page, "--map", "gallery:rimea8")
    refused.refuses("is not the building of the recording")


def test_links_are_drawn_on_the_picture_of_a_floor(footway, tmp_path, monkeypatch):
    cmap = fw.CorridorMap.build(two_floors())
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(3, area="1", radius=0.2)
    crowd.run(seconds=0.5, to=tmp_path / "run.parquet")
    drawn = []
    monkeypatch.setattr("footway.plot.save_picture", lambda figure, _: drawn.append(figure))
    footway("export", tmp_path / "run.parquet", "-o", tmp_path / "up.png", "--floor", "1")
    axes = drawn[0].axes[0]
    (name,) = [text for text in axes.texts if text.get_text() == "west"]
    assert 6 < name.get_position()[0] < 7.2
    assert 3 < name.get_position()[1] < 7
    fills = [patch for patch in axes.patches if patch.get_facecolor() == to_rgba(palette.LINK)]
    fills += [c for c in axes.collections if to_rgba(palette.LINK) in map(tuple, c.get_facecolor())]
    assert len(fills) == 1
