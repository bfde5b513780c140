"""Run the command in this process: starting Python anew costs a second each time."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from footway.cli import main

ROOM = "POLYGON ((0 0, 10 0, 10 8, 0 8, 0 0), (4 3, 6 3, 6 5, 4 5, 4 3))"
TWO_ROOMS = "MULTIPOLYGON (((-9 0, -1 0, -1 8, -9 8, -9 0)), ((1 0, 9 0, 9 8, 1 8, 1 0)))"
DOOR = "POLYGON ((0 0, 4 0, 4 3.6, 6 3.6, 6 0, 10 0, 10 8, 6 8, 6 4.4, 4 4.4, 4 8, 0 8, 0 0))"


COMPILING = "footway: compiling kernels"


class Result(NamedTuple):
    """Output of a command; `err` without the line that kernels are being compiled."""

    code: int
    out: str
    err: str

    @property
    def printed(self) -> str:
        """Standard output of a command that did what it was to do."""
        assert self.code == 0, self.err
        return self.out

    @property
    def json(self) -> Any:
        """The one JSON object on standard output."""
        assert self.out.count("\n") == 1
        return json.loads(self.out)

    def refuses(self, *words: str, code: int = 2, out: str = "") -> None:
        """Assert that the command printed one error message with these words, and else `out`."""
        assert (self.code, self.out) == (code, out)
        (line,) = self.err.splitlines()
        assert line.startswith("footway: ")
        for word in words:
            assert word in line


@pytest.fixture
def footway(capsys):
    """The command, as a function of its arguments."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, _without_compilation(captured.err))

    return run


@pytest.fixture
def room(tmp_path):
    """A room of 10 x 8 m with a block in the middle."""
    return _written(tmp_path / "room.wkt", ROOM)


@pytest.fixture
def two_rooms(tmp_path):
    """Two rooms with a wall between them; the left one has negative coordinates."""
    return _written(tmp_path / "two.wkt", TWO_ROOMS)


@pytest.fixture
def door(tmp_path):
    """Two rooms with a door of 0.8 m between them."""
    return _written(tmp_path / "door.wkt", DOOR)


def _without_compilation(err):
    """Remove the message about compilation, which any command may print if it is the first one."""
    lines = err.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(COMPILING))


def _written(file, text):
    file.write_text(text)
    return file


STUDIED = """
map = "gallery:field"
duration = 20
[[population]]
count = 2
starts = [[2, 3], [3, 3]]
goals = [[6, 3], [6, 4]]
then = "exit"
"""


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """A study of one run, in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("walk.toml").write_text(STUDIED)
    Path("plan.toml").write_text('scenario = "walk.toml"\nseeds = 1\n')
    return "plan.toml"
