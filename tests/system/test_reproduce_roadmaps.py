"""`footway reproduce roadmaps` as a user runs it, small."""

import json
import subprocess
import sys

import pytest
from PIL import Image

pytestmark = pytest.mark.slow  # tests/unit/experiments has its parts

PICTURES = [
    "roadmaps-figure-3.png",
    "roadmaps-figure-5-field.png",
    "roadmaps-figure-5-house.png",
    "roadmaps-figure-6-field.png",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reproduce") / "roadmaps"


@pytest.fixture(scope="module")
def answer(folder):
    """One run for all tests."""
    command = [sys.executable, "-m", "footway", "reproduce", "roadmaps", "--quick", "--json"]
    done = subprocess.run(
        [*command, "-o", str(folder)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def sections(answer):
    return answer["tables"][0]["sections"]


def test_no_answer_is_wrong(answer):
    assert all(section["wrong"] == [] for section in sections(answer))


def test_shortest_path_factors_are_no_worse_than_published(answer):
    (table_ii,) = (s for s in sections(answer) if s["title"].startswith("Table II:"))
    for table in table_ii["tables"]:
        star = next(row for row in table["rows"] if row[0] == "RRM*")
        assert float(star[8]) <= float(star[7]), table["title"]


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_show_something(answer, folder, name):
    assert str(folder / name) in answer["written"]
    with Image.open(folder / name) as image:
        assert image.width == 1600
        assert image.height > 600
        assert len(image.convert("RGB").getcolors(1 << 24)) > 100
