"""A small run of `footway reproduce`, and what holds for every one of them."""

import json
import subprocess
import sys
from typing import Any, NamedTuple

import pytest
from PIL import Image

WIDTH, LEAST_HEIGHT = 1600, 600  # pixels


class Made(NamedTuple):
    """What a run left behind."""

    name: str
    folder: Any
    errors: str  # what was printed beside the answer
    answer: dict

    @property
    def sections(self):
        return self.answer["tables"][0]["sections"]

    def table(self, title):
        """The first table whose title begins so."""
        tables = [table for section in self.sections for table in section["tables"]]
        return next(table for table in tables if table["title"].startswith(title))

    def rows(self, title):
        return self.table(title)["rows"]


def footway(*arguments):
    command = [sys.executable, "-m", "footway", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def run_once(name):
    """Fixture of a module: one quick run of a table for all of its tests."""

    @pytest.fixture(scope="module")
    def made(tmp_path_factory):
        folder = tmp_path_factory.mktemp("reproduce") / name
        done = footway("reproduce", name, "--quick", "--json", "-o", folder)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("\n") == 1
        return Made(name, folder, done.stderr, json.loads(done.stdout))

    return made


class Reproduced:
    """Tests of every table: a module has a subclass with its pictures, and `made = run_once()`."""

    pictures: tuple[str, ...] = ()

    def test_no_answer_is_wrong(self, made):
        assert made.sections
        assert all(section["wrong"] == [] for section in made.sections)

    def test_nothing_else_is_printed(self, made):
        assert "Traceback" not in made.errors
        assert "Figure" not in made.errors  # progress is for terminals

    def test_pictures_show_something(self, made):
        for name in self.pictures:
            assert str(made.folder / name) in made.answer["written"]
            with Image.open(made.folder / name) as image:
                assert image.width == WIDTH, name
                assert image.height > LEAST_HEIGHT, name
                assert len(image.convert("RGB").getcolors(1 << 24)) > 100, name

    def test_reports_show_every_picture(self, made):
        text = (made.folder / f"{made.name}.md").read_text()
        assert all(f"({name})" in text for name in self.pictures)
        document = json.loads((made.folder / f"{made.name}.json").read_text())
        assert document == made.answer["tables"][0]
        shown = [picture["file"] for section in made.sections for picture in section["pictures"]]
        assert set(self.pictures) <= set(shown)
