"""`footway fit`: arguments and output."""

from pathlib import Path

import pytest


def test_output(footway):
    arguments = ("fit", "social_force", "v0=0.5,5", "--to", "two-way", "--trials", "2")
    assert "v0" in footway(*arguments).printed
    assert footway(*arguments, "--json").json["model"] == "social_force"


TRACKS = """# framerate: 2 fps
# id frame x/m y/m
""" + "".join(
    f"{n} {n + k} {0.6 * k + 0.5} {1 + 0.5 * (n % 2)}\n" for n in range(30) for k in range(20)
)


def test_trajectories(footway, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.txt").write_text(TRACKS)
    plan = "POLYGON ((0 0, 13 0, 13 2.5, 0 2.5, 0 0))"
    Path("plan.wkt").write_text(plan)
    Path("other.txt").write_text(f"# geometry: {plan}\n{TRACKS}")
    arguments = ["fit", "social_force", "v0=0.5,5", "--to", "people.txt,plan.wkt", "--trials", "2"]
    more = ["--area", "4,0,8,2.5", "--line", "6,0,6,2.5", "--speed", "1.2,0.1"]
    answer = footway(*arguments, *more, "--check", "other.txt", "--json").json
    assert 0.0 < answer["distance"] == answer["check_distance"] < 0.5
    footway(*arguments).refuses("people.txt: say where to compare")
    bad = footway(*arguments, "--to", "other.txt", "--line", "6,0")
    bad.refuses("'6,0' is not valid; give numbers with commas")
    missing = footway(*arguments, *more, "--to", "none.sqlite")
    assert (missing.code, missing.err) == (2, "footway: none.sqlite: does not exist\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["v0"], "'v0' is not valid; give NAME=LOW,HIGH, such as v0=0.5,5"),
        (["v0=1,2,3"], "is not valid"),
        (["v0=0.5,5", "--step", "9"], "--step is 9; give 0.001 to 0.2 s"),
        (["v0=0.5,5", "--trials", "1"], "--trials is 1; give 2 to 100000"),
        (["v0=0.5,5", "--to", "x"], "there is no experiment 'x'"),
        (["v0=0.5,5", "--curve", "none.csv"], "none.csv"),
        (["v0=0.5,5", "--to", "a", "--to", "b", "--curve", "x"], "give --to once"),
    ],
)
def test_bad_input(footway, arguments, message):
    footway("fit", "social_force", *arguments).refuses(message)
