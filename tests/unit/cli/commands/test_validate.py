"""`footway validate`."""

import json


def test_prints_distances_and_writes_a_page(footway, tmp_path):
    page = tmp_path / "validation.html"
    out = footway(
        "validate", "two-way", "--quick", "--model", "social_force", "--step", "0.1", "-o", page
    ).printed
    assert "Two-way flow in a corridor of 4 m" in out
    assert "social_force, dt 0.1 s" in out
    assert "points in the measured spread" in out
    assert page.read_text().startswith("<!doctype html>")


def test_json(footway):
    result = footway(
        "validate", "corner", "--quick", "--json", "--model", "social_force", "--step", "0.1"
    )
    (experiment,) = json.loads(result.out)["experiments"]
    (curve,) = experiment["curves"]
    assert (curve["model"], curve["dt"]) == ("social_force", 0.1)
    assert 0.2 < curve["points"][0]["y"] < 2.0


def test_list(footway):
    names = [line.split()[0] for line in footway("validate", "--list").out.splitlines()]
    assert names == ["fundamental", "corridor", "bottleneck", "two-way", "single-file", "corner"]
    rows = footway("validate", "--list", "--json").json["experiments"]
    assert [row["name"] for row in rows] == names
    assert all(row["title"] for row in rows)


def test_bad_arguments(footway, tmp_path):
    footway("validate", "doors").refuses("there is no experiment 'doors'")
    footway("validate", "--step", "3").refuses("--step is 3")
    footway("validate", "-o", tmp_path / "a.pdf").refuses("must end in .html")
    footway("validate", "--model", "none").refuses("there is no model 'none'")
    footway("validate", "--trajectories", tmp_path / "no").refuses("is not a folder")
