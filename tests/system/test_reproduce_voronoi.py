"""`footway reproduce voronoi` as a user runs it, small."""

import json
import subprocess
import sys

import pytest
from PIL import Image

pytestmark = pytest.mark.slow  # tests/unit/experiments has its parts

PICTURES = [
    *(f"voronoi-figure-{number}.png" for number in (1, 3, 5, 7, 8, 9, 11)),
    "voronoi-looking-ahead.png",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reproduce") / "voronoi"


@pytest.fixture(scope="module")
def answer(folder):
    """One run for all tests."""
    command = [sys.executable, "-m", "footway", "reproduce", "voronoi", "--quick", "--json"]
    done = subprocess.run(
        [*command, "-o", str(folder)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def table(answer, title):
    sections = answer["tables"][0]["sections"]
    tables = [each for section in sections for each in section["tables"]]
    return next(each for each in tables if each["title"].startswith(title))


def test_no_answer_is_wrong(answer):
    sections = answer["tables"][0]["sections"]
    assert len(sections) == 7
    assert all(section["wrong"] == [] for section in sections)


def test_published_times_stand_beside_ours(answer):
    building = table(answer, "Building a smooth roadmap")
    assert building["columns"][2:4] == ["paper, s", "ours, s"]
    assert [row[2] for row in building["rows"]] == [1.0, 1.0]
    first = table(answer, "Query times")["rows"][0]
    assert first[1:4] == [1000, 3000, "< 10"]


def test_roadmaps_are_smooth_and_far_from_walls(answer):
    for row in table(answer, "Building a smooth roadmap")["rows"]:
        *_, cycles, holes, edges, blends, corner = row
        assert cycles >= holes
        assert float(edges) >= 0.25
        assert float(blends) >= 0.25
        assert float(corner) <= 1e-6


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_show_something(answer, folder, name):
    assert str(folder / name) in answer["written"]
    with Image.open(folder / name) as image:
        assert image.width == 1600
        assert image.height > 600
        assert len(image.convert("RGB").getcolors(1 << 24)) > 100


def test_the_report_shows_every_picture(answer, folder):
    text = (folder / "voronoi.md").read_text()
    assert all(f"({name})" in text for name in PICTURES)
    assert json.loads((folder / "voronoi.json").read_text()) == answer["tables"][0]
