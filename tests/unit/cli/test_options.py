"""Options: parsed values, and output files that are checked before work is done for them."""

import inspect

import pytest
import typer

import footway as fw
from footway.cli import options
from footway.cli.commands import build, camera, check, export, path, route
from footway.cli.options import check_different


def test_two_names_of_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.png").symlink_to("a.png")
    for other in ("a.png", "./a.png", "no/../a.png", str(tmp_path / "a.png"), "link.png"):
        with pytest.raises(fw.BadInput, match="two outputs have this name") as error:
            check_different(["b.png", "a.png", other])
        assert str(error.value).startswith(f"{other}: ")


def test_different_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_different([])
    check_different(["a.png", "a.gif", "no/a.png", "nul\0.png"])


@pytest.mark.parametrize(
    ("parser", "text", "value"),
    [
        (options.number, "1e-3", 0.001),
        (options.point, "2,3.5", (2.0, 3.5)),
        (options.position, "-2,3.5,1", (-2.0, 3.5, 1.0)),
        (options.place, "-2,3.5,1", (-2.0, 3.5, "1")),
        (options.heights, "0.2,1.8", (0.2, 1.8)),
        (options.obstacle, "5,2,0.3", (5.0, 2.0, 0.3, 0.0, 0.0)),
        (options.obstacle, "5,2,0.3,-1,0.5", (5.0, 2.0, 0.3, -1.0, 0.5)),
        (options.weights, " mud=40,long name=0.5", [("mud", 40.0), ("long name", 0.5)]),
        (options.places, "1,2; 3,4;", [(1.0, 2.0), (3.0, 4.0)]),
        (options.targets, "; 1,2,3 ; 4,5", [None, (1.0, 2.0, 3.0), (4.0, 5.0)]),
        (options.seconds, "3;;5", [3.0, None, 5.0]),
    ],
)
def test_values(parser, text, value):
    assert parser(text) == value


@pytest.mark.parametrize(
    ("parser", "texts"),
    [
        (options.number, ("", "wide", "1,2")),
        (options.point, ("1", "1,2,3", "1;2", "a,b")),
        (options.position, ("1", "1,2,3,4", "1,2,a")),
        (options.place, ("1", "a,b", "")),
        (options.heights, ("1", "1,2,3")),
        (options.box_size, ("1,1", "1,1,x")),
        (options.obstacle, ("1,1", "1,1,1,1")),
        (options.weights, ("mud", "=3", "mud=much", "mud=1,")),
        (options.places, ("1,2; 3", "")),
        (options.targets, ("1;2",)),
        (options.seconds, ("1; soon",)),
    ],
)
def test_values_that_are_none_are_quoted(parser, texts):
    for text in texts:
        with pytest.raises(typer.BadParameter, match="give") as error:
            parser(text)
        assert "'" in str(error.value)


def test_options_of_maps_are_the_same_in_every_command():
    commands = (build, camera, check, export, path, route)
    for command in commands:
        shown = inspect.get_annotations(getattr(command, command.__name__.rpartition(".")[2]))
        assert {"scale", "between", "up"} <= set(shown)


def test_a_plan_of_a_map_in_three_dimensions(footway):
    answer = footway("check", "gallery:house", "--between", "0.2,1.8", "--json").json
    assert answer["area"] > 0


def test_old_spellings(footway, room, tmp_path):
    tour = ("camera", room, "--stops", "1,1; 9,1", "--method", "short", "--json")
    old, new = (footway(*tour, name, "0.4").json for name in ("--clearance", "--radius"))
    assert old["radius"] == new["radius"] == 0.4
    run = tmp_path / "run.parquet"
    crowd = fw.Crowd(fw.CorridorMap.build(fw.load(room)))
    crowd.add(2, radius=0.2)
    crowd.run(seconds=1, to=run)
    for name in ("--speed", "--animate-speed"):
        result = footway("export", run, "-o", tmp_path / "run.gif", name, "0")
        assert "--animate-speed is 0" in result.err
    for command in ("camera", "export"):
        assert "Old name" not in footway(command, "--help").out
