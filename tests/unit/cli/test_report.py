"""`footway report`: pages about studies."""

import json
from pathlib import Path

import pytest

from footway.cli import main

SCENARIO = """
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
    monkeypatch.chdir(tmp_path)
    Path("walk.toml").write_text(SCENARIO)
    Path("plan.toml").write_text('scenario = "walk.toml"\nseeds = 1\n')
    return "plan.toml"


def test_of_one_study_and_of_two(plan, capsys):
    for folder in ("a", "b"):
        assert main(["study", plan, "-o", folder]) == 0
    assert main(["report", "a"]) == 0
    assert main(["report", "a", "b", "-o", "both.html", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out.splitlines()[-1])["output"] == "both.html"
    assert "The worst run" in Path("a.html").read_text()
    assert "data:image/png" in Path("a.html").read_text()


def test_bad_input(plan, capsys):
    assert main(["report", "walk.toml"]) == 2
    assert "is not the folder of a study" in capsys.readouterr().err
    assert main(["report", ".", "-o", "x.pdf"]) == 2
    assert main(["report", "a", "b", "c"]) == 2
    assert "give one, or two to compare" in capsys.readouterr().err
