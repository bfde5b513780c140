"""`footway reproduce crowds` as a user runs it, small."""

import json
import subprocess
import sys

import pytest
from PIL import Image

pytestmark = pytest.mark.slow  # tests/unit/experiments has its parts

PICTURES = [
    "crowds-figure-4.png",
    "crowds-figure-5.png",
    "crowds-groups-figure-10.png",
    "crowds-wandering.png",
    "crowds-lanes.png",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reproduce") / "crowds"


@pytest.fixture(scope="module")
def answer(folder):
    """One run for all tests."""
    command = [sys.executable, "-m", "footway", "reproduce", "crowds", "--quick", "--json", "-o"]
    done = subprocess.run(
        [*command, str(folder)], capture_output=True, text=True, timeout=300, check=False
    )
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


def test_every_crowd_has_a_load(answer):
    found = rows(answer, "CPU load by")
    assert [row[0] for row in found] == ["100", "1,000", "3,000"]
    assert all(row[4] > 0.0 for row in found)
    assert all(0.5 < row[7] <= 1.2 for row in found)


def test_groups_of_both_papers_are_there(answer):
    assert [row[0] for row in rows(answer, "Dispersion by g_w")] == [
        "(a) g_w = 30, g_A = 1000",
        "(b) g_w = 3, g_A = 1000",
        "(c) g_w = 3, g_A = 60",
    ]
    assert len(rows(answer, "Dispersion by its bounds")) == 4
    assert [row[:2] for row in rows(answer, "CPU load of one group")] == [
        ["50", 1.0],
        ["75", 1.0],
        ["100", 1.0],
    ]


def test_all_arrive_in_lanes(answer):
    names, *columns = zip(*rows(answer, "A corridor 4 m wide"), strict=True)
    for column in columns:
        found = dict(zip(names, column, strict=True))
        assert found["all arrived after, s"] is not None
        assert found["order of lanes, mean"] > found["the same by chance"]


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_show_something(answer, folder, name):
    assert str(folder / name) in answer["written"]
    with Image.open(folder / name) as image:
        assert image.width == 1600
        assert image.height > 800
        assert len(image.convert("RGB").getcolors(1 << 24)) > 100


def test_reports_are_written(answer, folder):
    text = (folder / "crowds.md").read_text()
    assert all(f"({name})" in text for name in PICTURES)
    assert json.loads((folder / "crowds.json").read_text()) == answer["tables"][0]
