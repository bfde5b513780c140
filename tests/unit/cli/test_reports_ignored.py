"""Parts of a map that have no meaning may be walls: every command says that they are left out."""

from __future__ import annotations

import json

import pytest

from footway.cli import main

WARNING = "feature 1: a polygon without the property 'kind' has no meaning here; left out: set"


@pytest.fixture
def plan(tmp_path):
    """A hall with a wall that lost its kind."""
    file = tmp_path / "plan.geojson"
    rings = {"bounds": [(0, 0), (20, 0), (20, 10), (0, 10)], None: [(9, 2), (11, 2), (11, 8)]}
    features = [
        {
            "type": "Feature",
            "properties": {"kind": kind} if kind else {},
            "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]},
        }
        for kind, ring in rings.items()
    ]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return file


def test_path_says_that_a_polygon_is_left_out(plan, capsys):
    assert main(["path", str(plan), "--start", "1,5", "--goal", "19,5", "--json"]) == 0
    said = capsys.readouterr()
    assert WARNING in said.err
    assert json.loads(said.out)["length"] == pytest.approx(18.0)


def test_simulate_says_that_a_polygon_is_left_out(plan, capsys):
    scenario = plan.with_name("run.toml")
    scenario.write_text('map = "plan.geojson"\n[[population]]\ncount = 2\n')
    assert main(["simulate", str(scenario), "--check"]) == 0
    assert WARNING in capsys.readouterr().err


def test_a_map_without_such_parts_says_nothing(capsys):
    assert main(["path", "gallery:field", "--start", "2,3", "--goal", "44,44"]) == 0
    assert "left out" not in capsys.readouterr().err
