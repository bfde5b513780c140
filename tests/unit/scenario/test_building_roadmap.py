"""Scenarios on roadmaps: the options of `footway build`, under the same names."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest

import footway as fw
from footway import roadmap
from footway.cli.commands.build import build
from footway.corridor import CorridorMap
from footway.scenario.building import open_map
from footway.scenario.models import RoadmapTable

SCENE = """
map = "gallery:field"
duration = 10
[roadmap]
method = "{method}"
{options}
[[population]]
count = 5
behaviour = "goals"
"""


def scenario(tmp_path, method="voronoi_prm", options=""):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(method=method, options=options))
    return fw.load_scenario(file)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("voronoi_prm", {"clearance": 0.8, "blends": "halved", "samples": 400}),
        ("rrm_star", {"useful_nodes": "published", "usefulness": 2.0, "resolution": 1.0}),
        ("grid", {"resolution": 2.0}),
    ],
)
def test_the_map_is_that_of_the_roadmap(tmp_path, method, options):
    lines = "\n".join(
        f"{key} = {value!r}" if isinstance(value, str) else f"{key} = {value}"
        for key, value in options.items()
    )
    given = scenario(tmp_path, method, lines)
    found = open_map(given).corridors
    same = CorridorMap.from_roadmap(getattr(roadmap, method)(fw.load("gallery:field"), **options))
    assert found.roadmap.parameters == same.roadmap.parameters
    assert np.array_equal(found.roadmap.nodes, same.roadmap.nodes)
    assert np.array_equal(found.edge_length, same.edge_length)
    crowd = given.prepare().crowd
    crowd.step(20)
    assert crowd.map.roadmap is not None
    assert (crowd.map.clearance(crowd.positions) >= 0.25 - 1e-9).all()


def test_options_are_those_of_the_command_and_of_python():
    methods = RoadmapTable.model_fields["method"].annotation.__args__
    of_methods = {
        name for method in methods for name in signature(getattr(roadmap, method)).parameters
    }
    of_command = set(signature(build).parameters) - {"size"}  # of a box, in three dimensions
    assert set(RoadmapTable.model_fields) - {"method"} == of_methods & of_command


def test_options_of_another_method_are_refused(tmp_path):
    with pytest.raises(fw.BadInput, match=r"scene.toml: line 6: .*blends.*not for .*'grid'"):
        scenario(tmp_path, "grid", 'blends = "halved"').prepare()
    with pytest.raises(fw.BadInput, match=r"line 5: roadmap\.method"):
        scenario(tmp_path, "prm")


def test_a_saved_map_is_not_built_again(tmp_path):
    fw.CorridorMap.build(fw.load("gallery:field")).save(tmp_path / "field.fwmap")
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(method="grid", options="").replace("gallery:field", "field.fwmap"))
    with pytest.raises(fw.BadInput, match="built already"):
        fw.load_scenario(file).prepare()
