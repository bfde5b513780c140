"""The names that users type. A change here is a change of the contract: say so in CHANGELOG."""

from __future__ import annotations

import importlib.metadata

import pytest

import footway as fw

NAMES = [
    "BadFile",
    "BadGeometry",
    "BadInput",
    "BadQuery",
    "Building",
    "Corridor",
    "CorridorMap",
    "Crowd",
    "Environment",
    "Escalator",
    "Floor",
    "FootwayError",
    "IndicativeRoute",
    "Lift",
    "NoPath",
    "Path",
    "Pinch",
    "Profile",
    "Ramp",
    "Recording",
    "Roadmap",
    "Scenario",
    "Stairs",
    "Terrain",
    "Volume",
    "__version__",
    "camera",
    "crowd",
    "follow",
    "load",
    "load_scenario",
    "load_study",
    "roadmap",
    "route",
    "study",
]

MAP = [
    "axis",
    "balls",
    "bottleneck",
    "bounds",
    "build",
    "clearance",
    "corridor",
    "distances",
    "edge_clearance",
    "edge_length",
    "edges",
    "environment",
    "from_roadmap",
    "is_reachable",
    "line_of_sight",
    "load",
    "locate",
    "n_components",
    "n_cycles",
    "n_edges",
    "n_vertices",
    "nearest_free",
    "nearest_obstacle",
    "passages",
    "path",
    "path_toward",
    "paths",
    "paths_between",
    "prepare",
    "prepared",
    "random_points",
    "retract",
    "save",
    "vertices",
    "walls",
]

CROWD = [
    "add",
    "add_group",
    "add_obstacle",
    "add_source",
    "add_to",
    "arrivals",
    "behaviours",
    "character",
    "close_link",
    "closed_links",
    "continues",
    "dt",
    "each_step",
    "exited",
    "floors",
    "from_simulation",
    "goals",
    "groups",
    "heights",
    "ids",
    "is_walking",
    "load",
    "map",
    "model",
    "move_obstacle",
    "moved_to",
    "names",
    "obstacle_floors",
    "obstacle_ids",
    "obstacle_sheets",
    "obstacles",
    "open_link",
    "populations",
    "positions",
    "profiles",
    "radii",
    "record",
    "recorder",
    "remove",
    "remove_function",
    "remove_obstacle",
    "remove_population",
    "run",
    "save",
    "seed",
    "set_goals",
    "set_profile",
    "set_speed",
    "sheets",
    "speeds",
    "start_spaces",
    "step",
    "steps",
    "stuck",
    "time",
    "to_come",
    "to_come_of",
    "velocities",
]


def test_names():
    assert sorted(fw.__all__) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_name_is_there(name):
    assert getattr(fw, name) is not None
    assert name in dir(fw)


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="nonsense"):
        _ = fw.nonsense


@pytest.mark.parametrize(("thing", "names"), [(fw.CorridorMap, MAP), (fw.Crowd, CROWD)])
def test_names_of_the_map_and_of_the_crowd(thing, names):
    assert [name for name in dir(thing) if not name.startswith("_")] == names


def test_every_public_thing_says_what_it_is():
    parts = {f"CorridorMap.{one}" for one in MAP} | {f"Crowd.{one}" for one in CROWD}
    for name in (set(NAMES) | parts) - {"__version__"}:
        thing = fw
        for part in name.split("."):
            thing = getattr(thing, part)
        assert thing.__doc__, name


def test_exit_codes():
    assert fw.BadInput.exit_code == fw.BadFile.exit_code == fw.BadQuery.exit_code == 2
    assert fw.NoPath.exit_code == 3
    assert issubclass(fw.BadQuery, ValueError)
    assert not issubclass(fw.NoPath, ValueError)


def test_version_is_that_of_the_package():
    assert fw.__version__ == importlib.metadata.version("footway")
