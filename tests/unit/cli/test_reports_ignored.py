"""Parts of a map that have no meaning may be walls: every command says that they are left out."""

from __future__ import annotations

import json

import pytest

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


def test_path_says_that_a_polygon_is_left_out(footway, plan):
    result = footway("path", plan, "--start", "1,5", "--goal", "19,5", "--json")
    assert WARNING in result.err
    assert result.json["length"] == pytest.approx(18.0)


def test_simulate_says_that_a_polygon_is_left_out(footway, plan):
    scenario = plan.with_name("run.toml")
    scenario.write_text('map = "plan.geojson"\n[[population]]\ncount = 2\n')
    result = footway("simulate", scenario, "--check")
    assert result.code == 0
    assert WARNING in result.err


def test_a_map_without_such_parts_says_nothing(footway):
    result = footway("path", "gallery:field", "--start", "2,3", "--goal", "44,44")
    assert result.code == 0
    assert "left out" not in result.err
