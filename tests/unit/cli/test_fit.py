"""`footway fit`: arguments and output."""

import json

import pytest

from footway.cli import main


def test_output(capsys):
    arguments = ["fit", "social_force", "v0=0.5,5", "--to", "corner", "--trials", "2"]
    assert main(arguments) == 0
    assert "v0" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "social_force"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["v0"], "'v0' is not valid; give NAME=LOW,HIGH, such as v0=0.5,5"),
        (["v0=1,2,3"], "is not valid"),
        (["v0=0.5,5", "--dt", "9"], "--dt is 9; give 0.001 to 0.2 s"),
        (["v0=0.5,5", "--trials", "1"], "--trials is 1; give 2 to 100000"),
        (["v0=0.5,5", "--to", "x"], "there is no experiment 'x'"),
        (["v0=0.5,5", "--curve", "none.csv"], "none.csv"),
        (["v0=0.5,5", "--to", "a", "--to", "b", "--curve", "x"], "give --to once"),
    ],
)
def test_bad_input(arguments, message, capsys):
    assert main(["fit", "social_force", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert not captured.out
