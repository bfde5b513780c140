"""`footway reproduce` as a user runs it, small."""

import json
import subprocess
import sys

import pytest
from PIL import Image

PICTURES = [
    *(f"cmm-figure-{number}.png" for number in (8, 9, 10, 11, 12, 13)),
    "cmm-crowds-figure-3.png",
]


def footway(*arguments):
    command = [sys.executable, "-m", "footway", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reproduce") / "cmm"


@pytest.fixture(scope="module")
def done(folder):
    """One run for all tests."""
    return footway("reproduce", "cmm", "--quick", "--json", "-o", folder)


@pytest.fixture(scope="module")
def answer(done):
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def rows(answer, title):
    """Rows of the first table whose title begins so."""
    sections = answer["tables"][0]["sections"]
    tables = [table for section in sections for table in section["tables"]]
    return next(table for table in tables if table["title"].startswith(title))["rows"]


def test_no_answer_is_wrong(answer):
    assert all(section["wrong"] == [] for section in answer["tables"][0]["sections"])


def test_nothing_else_is_printed(done):
    assert "Traceback" not in done.stderr
    assert "Batch" not in done.stderr  # progress is for terminals


def test_published_numbers_stand_beside_ours(answer):
    assert [row[1] for row in rows(answer, "Game")][:4] == [274.0, None, 1051.0, 0.26]
    assert [row[1] for row in rows(answer, "Field")][:4] == [74.0, None, 285.0, 0.26]
    ranges = {row[0]: row[1] for row in rows(answer, "Range of query times")}
    assert list(ranges.values()) == ["11 to 12", "5 to 8", "25 to 32", "10 to 66"]
    assert [row[1] for row in rows(answer, "City")][:5] == [1.19, 1.8, None, 260.0, 0.00069]
    for name in ("Game: one long query", "Field: one long query"):
        assert [row[5] for row in rows(answer, name)] == ["1x", "", "2x", "", "", "12x"]


def test_shortcuts_make_paths_shorter(answer):
    for name in ("Game: one long query", "Field: one long query"):
        lengths = [row[1] for row in rows(answer, name)]
        assert lengths[-1] < lengths[0]


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_show_something(answer, folder, name):
    assert str(folder / name) in answer["written"]
    with Image.open(folder / name) as image:
        assert image.width == 1600
        assert image.height > 800
        assert len(image.convert("RGB").getcolors(1 << 24)) > 100


def test_reports_are_written(answer, folder):
    text = (folder / "cmm.md").read_text()
    assert all(f"({name})" in text for name in PICTURES)
    assert json.loads((folder / "cmm.json").read_text()) == answer["tables"][0]


def test_an_unknown_table_is_one_line_and_exit_code_2(tmp_path):
    done = footway("reproduce", "cmm", "nope", "-o", tmp_path / "none")
    assert done.returncode == 2
    assert done.stdout == ""
    tables = "cmm, crowds, roadmaps, voronoi"
    assert done.stderr == f"footway: there is no table 'nope' to reproduce; there is: {tables}\n"
    assert not (tmp_path / "none").exists()


def test_the_list_names_every_table():
    done = footway("reproduce", "--list")
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names == ["cmm", "crowds", "roadmaps", "voronoi"]
