"""`footway export`: recordings for other programs."""

import sqlite3
from contextlib import closing

import pytest
import shapely

from footway.crowd.storage import ParquetRecorder
from tests.unit.cli.conftest import ROOM
from tests.unit.crowd.recordings import MEMORY, random_recording, walk_at_random


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


def wkt(file):
    with closing(sqlite3.connect(file)) as database:
        return database.execute("SELECT wkt FROM geometry").fetchone()[0]


@pytest.mark.parametrize(
    ("name", "words"),
    [("run.sqlite", "JuPedSim"), ("run.TXT", "PedPy"), ("run.csv", "a table")],
)
def test_says_what_it_wrote(footway, run, tmp_path, name, words):
    result = footway("export", run, "-o", tmp_path / name)
    assert result.code == 0
    assert result.err == ""
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


def test_geometry_from_the_map(footway, run, room, tmp_path):
    file = tmp_path / "run.sqlite"
    assert footway("export", run, "-o", file, "--map", room).code == 0
    assert shapely.from_wkt(wkt(file)).equals(shapely.from_wkt(ROOM))
    assert footway("export", run, "-o", tmp_path / "run.txt", "--map", room).code == 0
    assert (
        "# geometry: POLYGON ((0 8, 10 8, 10 0, 0 0, 0 8), (6 3, 6 5"
        in (tmp_path / "run.txt").read_text()
    )


def test_scale_of_the_map(footway, run, room, tmp_path):
    file = tmp_path / "run.sqlite"
    assert footway("export", run, "-o", file, "--map", room, "--scale", "2").code == 0
    assert shapely.from_wkt(wkt(file)).bounds == (0, 0, 20, 16)


def test_a_run_that_was_cut_short(footway, cut_short, tmp_path):
    result = footway("export", cut_short, "-o", tmp_path / "run.txt", "--json")
    assert result.code == 0
    assert result.json["complete"] is False
    assert "cut short" in result.err


def assert_one_line(result, *words):
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("footway: ")
    assert len(result.err.splitlines()) == 1
    for word in words:
        assert word in result.err


def test_other_suffixes(footway, run, tmp_path):
    for name in ("run.xlsx", "run", "run.parquet"):
        assert_one_line(footway("export", run, "-o", tmp_path / name), ".sqlite", ".txt", ".csv")


def test_a_table_has_no_geometry(footway, run, room, tmp_path):
    result = footway("export", run, "-o", tmp_path / "run.csv", "--map", room)
    assert_one_line(result, "--map")


def test_recordings_that_are_none(footway, room, tmp_path):
    out = tmp_path / "run.txt"
    assert_one_line(footway("export", tmp_path / "no.parquet", "-o", out), "no such file")
    assert_one_line(footway("export", room, "-o", out), "not a Parquet file")
    assert_one_line(footway("export", tmp_path, "-o", out), "directory")
    assert not out.exists()


def test_output_that_cannot_be_written(footway, run, tmp_path):
    assert_one_line(footway("export", run, "-o", tmp_path / "no" / "run.txt"), "no folder")


def test_maps_that_are_none(footway, run, tmp_path):
    out = tmp_path / "run.txt"
    assert_one_line(footway("export", run, "-o", out, "--map", "gallery:atlantis"))
    assert_one_line(footway("export", run, "-o", out, "--map", "saved.fwmap"), "map file")


def test_wrong_usage(footway, run):
    assert_one_line(footway("export", run), "--output")


def test_nobody(footway, tmp_path):
    file = tmp_path / "empty.parquet"
    ParquetRecorder(file, **MEMORY).close()
    assert_one_line(footway("export", file, "-o", tmp_path / "run.txt"), "nobody")
    assert footway("export", file, "-o", tmp_path / "run.csv").code == 0
