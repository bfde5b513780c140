"""Environments as JSON and arrays."""

import json

import numpy as np
import pytest
import shapely
from hypothesis import given

import footway as fw
from footway.environment import Area, Environment
from footway.formats.environment_arrays import from_arrays, to_arrays
from tests.effort import examples
from tests.strategies import scenes


def there_and_back(env):
    facts, arrays = to_arrays(env)
    return from_arrays(json.loads(json.dumps(facts)), arrays)


def assert_same(a, b):
    """Compare two environments to the last bit."""
    for name in ("walkable", "lines", "points"):
        assert shapely.to_wkb(getattr(a, name)) == shapely.to_wkb(getattr(b, name))
    assert [(one.name, dict(one.properties)) for one in a.areas] == [
        (one.name, dict(one.properties)) for one in b.areas
    ]
    assert [one.kind for one in a.terrain] == [one.kind for one in b.terrain]
    for one, two in zip((*a.areas, *a.terrain), (*b.areas, *b.terrain), strict=True):
        assert shapely.to_wkb(one.polygon) == shapely.to_wkb(two.polygon)
    assert (a.repairs, a.name, a.grid) == (b.repairs, b.name, b.grid)


@examples(40)
@given(scenes())
def test_any_scene(scene):
    env = scene.environment()
    assert_same(there_and_back(env), env)


@pytest.mark.parametrize("name", ["field", "office", "city", "forest"])
def test_the_gallery(name):
    env = fw.load(f"gallery:{name}")
    assert_same(there_and_back(env), env)


def test_areas_terrain_and_repairs():
    square = [(1, 1), (3, 1), (3, 3), (1, 3)]
    env = Environment.from_polygons(
        bounds=(0, 0, 10, 8),
        obstacles=[[(4, 3), (6, 3), (6, 5), (4, 5), (4, 5)]],
        areas=[Area("exit", shapely.Polygon(square), {"role": "exit", "doors": [1, {"é": None}]})],
        terrain=[("mud", [(0, 0), (4, 0), (4, 20), (0, 20)])],
        name="room",
    )
    assert env.repairs
    assert_same(there_and_back(env), env)


def damage(facts, arrays, what):
    match what:
        case "a polygon is missing":
            arrays["shape_ends"] = arrays["shape_ends"][:-1]
        case "bytes are missing":
            arrays["shapes"] = arrays["shapes"][:-9]
        case "an area too many":
            facts["areas"].append({"name": "x", "properties": {}})
        case "other types":
            arrays.update(to_arrays(Environment.from_polygons(bounds=(0, 0, 1, 1)))[1])
        case "nothing walkable":
            wkb = np.frombuffer(shapely.to_wkb(shapely.MultiPolygon()), np.uint8)
            first = arrays["shape_ends"][0]
            arrays["shapes"] = np.concatenate([wkb, arrays["shapes"][first:]])
            arrays["shape_ends"] = arrays["shape_ends"] - first + len(wkb)
        case "not a number":
            raw = arrays["shapes"].tobytes()
            nine, nan = np.float64(9).tobytes(), np.float64(np.nan).tobytes()
            arrays["shapes"] = np.frombuffer(raw.replace(nine, nan, 1), np.uint8)
        case "not finite":
            raw = arrays["shapes"].tobytes()
            nine, inf = np.float64(9).tobytes(), np.float64(np.inf).tobytes()
            arrays["shapes"] = np.frombuffer(raw.replace(nine, inf), np.uint8)
        case "no name":
            del facts["name"]
        case "a repair of another kind":
            facts["repairs"] = [3]
        case "another kind of terrain":
            facts["terrain"] = ["obstacle"]


@pytest.mark.parametrize(
    "what",
    ["a polygon is missing", "bytes are missing", "an area too many", "other types", "no name",
     "nothing walkable", "not a number", "not finite", "a repair of another kind",
     "another kind of terrain"],
)  # fmt: skip
def test_damage_is_reported(what):
    square = [(1, 1), (3, 1), (3, 3), (1, 3)]
    env = Environment.from_polygons(bounds=(0, 0, 9, 9), terrain=[("mud", square)])
    facts, arrays = to_arrays(env)
    damage(facts, arrays, what)
    with pytest.raises(fw.BadInput):
        from_arrays(facts, arrays)
