"""Influence regions: their weight falls with the distance (cmm-crowds-2008, section 7)."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.environment import TerrainRegion
from footway.environment.partition import RINGS
from footway.errors import BadGeometry, BadInput

FIRE = shapely.box(18, 9, 22, 11)
REACH = 6.0


@pytest.fixture(scope="module")
def env() -> fw.Environment:
    return fw.Environment.from_polygons(
        bounds=(0, 0, 40, 20),
        terrain=[("mud", [(0, 0), (20, 0), (20, 4), (0, 4)]), TerrainRegion("fire", FIRE, REACH)],
    )


def expected_weight(point, weights) -> float:
    """From the distance itself, by the definition; the middle of a ring counts."""
    mud = weights.get("mud", 1.0) if point[0] < 20 and point[1] < 4 else 1.0
    away = shapely.distance(FIRE, shapely.Point(point))
    fire = weights.get("fire", 1.0)
    if away == 0.0:
        return fire
    ring = min(RINGS, np.floor(away / (REACH / RINGS)))
    return mud * (1.0 + (fire - 1.0) * max(0.0, 1.0 - (ring + 0.5) / RINGS) * (ring < RINGS))


@pytest.mark.parametrize("weights", [{"fire": 20.0}, {"fire": 0.3, "mud": 5.0}])
def test_the_weight_is_that_of_the_distance(env, weights):
    """Except near the border of a ring, whose sides are chords of circles."""
    terrain = fw.Terrain.build(env, 0.25)
    given = terrain.weights(weights)
    points = np.random.default_rng(3).uniform((0.5, 0.5), (39.5, 19.5), (800, 2))
    kinds = terrain.mesh.kind[terrain.triangles_at(points)]
    checked = 0
    for point, weight in zip(points, given[kinds].tolist(), strict=True):
        away = shapely.distance(FIRE, shapely.Point(point)) / (REACH / RINGS)
        if 0.25 < away % 1.0 < 0.75 or away > RINGS + 0.3 or away == 0.0:
            checked += 1
            assert weight == pytest.approx(expected_weight(point, weights))
    assert checked > 300


def test_a_route_keeps_away_as_far_as_it_is_worth(env):
    ends = (2, 10), (38, 10)
    direct = fw.route(env, *ends)
    assert direct.length == pytest.approx(36.0)
    gaps = [
        shapely.distance(shapely.LineString(route.points), FIRE)
        for route in (fw.route(env, *ends, preferences={"fire": w}) for w in (1.05, 1.3, 100.0))
    ]
    assert gaps == sorted(gaps)
    assert gaps[0] < 1.0
    assert gaps[-1] > 4.0


def test_an_attractive_place_is_visited(env):
    ends = (2, 14), (38, 14)
    nice = fw.route(env, *ends, preferences={"fire": 0.2})
    apart = shapely.distance(shapely.LineString(nice.points), FIRE)
    assert apart < shapely.distance(shapely.LineString([*ends]), FIRE)


def test_measures_are_by_kind_of_terrain(env):
    terrain = fw.Terrain.build(env, 0.25)
    assert terrain.measure([(1, 10), (39, 10)]) == pytest.approx(
        {"ground": 34.0, "fire": 4.0, "mud": 0.0}
    )
    assert terrain.kind_at([(17, 10), (20, 10), (19, 3)]) == ["ground", "fire", "mud"]
    with pytest.raises(BadInput, match="it has ground, fire, mud"):
        terrain.weights({"fires": 2.0})


def test_two_influences_multiply():
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 10),
        terrain=[
            TerrainRegion("a", shapely.box(4, 4, 6, 6), 8.0),
            TerrainRegion("b", shapely.box(14, 4, 16, 6), 8.0),
        ],
    )
    terrain = fw.Terrain.build(env, 0.25)
    (at,) = terrain.triangles_at([(10, 5)]).tolist()
    weights = [terrain.weights(w)[terrain.mesh.kind[at]] for w in ({"a": 3.0}, {"b": 5.0})]
    both = terrain.weights({"a": 3.0, "b": 5.0})[terrain.mesh.kind[at]]
    assert min(weights) > 1.0
    assert both == pytest.approx(weights[0] * weights[1])


def test_maps_keep_the_reach(env, tmp_path):
    from footway.formats.environment_arrays import from_arrays, to_arrays
    from footway.formats.geojson import save_geojson

    save_geojson(env, tmp_path / "map.geojson")
    again = fw.load(tmp_path / "map.geojson")
    assert [region.reach for region in again.terrain] == [0.0, REACH]
    assert [region.reach for region in from_arrays(*to_arrays(env)).terrain] == [0.0, REACH]


@pytest.mark.parametrize("reach", [-1.0, "far", float("nan")])
def test_a_bad_reach_is_refused(reach):
    with pytest.raises(BadGeometry, match="reach of a terrain region"):
        TerrainRegion("fire", FIRE, reach)


def test_a_crowd_keeps_away(env):
    cmap = fw.CorridorMap.build(env)
    crowd = fw.Crowd(cmap, seed=1, environment=env)
    crowd.add(1, starts=[(2, 10)], goals=[(38, 10)], then="stay", preferences={"fire": 50.0})
    gaps = []
    for _ in range(45):
        crowd.step(10)
        gaps.append(shapely.distance(FIRE, shapely.Point(crowd.positions[0])))
    assert crowd.arrivals == 1
    assert min(gaps) > 3.0
