"""Path requests."""

import numpy as np
import pytest
import shapely

import footway as fw
from footway.studio.documents import Document
from footway.studio.paths import MAX_TERRAINS, TerrainCache, path, refusal_facts, warm_up
from footway.studio.protocol.replies import RefusalFacts
from footway.studio.protocol.requests import Path
from tests.unit.crowd.maps import cmap, env

YARD = fw.Environment.from_polygons(
    bounds=(0, 0, 30, 10), terrain=[("mud", [(10, 0), (20, 0), (20, 6), (10, 6)])]
)


def document(name):
    return Document(name, "map", env(name), cmap(name))


def request(start, goal, **options):
    return Path(n=1, type="path", start=start, goal=goal, **options)


@pytest.mark.parametrize("method", ["short", "cmm", "irm", "miran"])
def test_every_method_leads_from_start_to_goal(method):
    answer = path(
        document("hall"), request((2.0, 10.0), (28.0, 10.0), method=method), TerrainCache()
    )
    points = answer.arrays["path"]
    np.testing.assert_allclose(points[[0, -1]], [(2, 10), (28, 10)], atol=0.1)
    length = np.hypot(*np.diff(points, axis=0).T).sum()
    assert answer.facts.length == pytest.approx(length, rel=1e-3)
    assert answer.facts.clearance >= 0.25 - 1e-6
    assert answer.facts.milliseconds > 0.0
    assert (cmap("hall").clearance(points) >= 0.25 - 1e-6).all()
    assert ("times" in answer.arrays) == (method != "short")
    assert ("route" in answer.arrays) == (method in ("irm", "miran"))


def test_the_corridor_has_walls_on_either_side():
    arrays = path(document("hall"), request((2.0, 10.0), (28.0, 10.0)), TerrainCache()).arrays
    backbone, radii = arrays["backbone"], arrays["radii"]
    for side in (arrays["left"], arrays["right"]):
        assert side.shape == backbone.shape
        walls = shapely.boundary(env("hall").walkable)
        assert (shapely.distance(walls, shapely.points(side)) < 1e-6).all()
    assert (radii <= cmap("hall").clearance(backbone) + 1e-6).all()


def test_clearance_is_never_below_the_radius():
    near = path(document("hall"), request((2.0, 10.0), (28.0, 10.0), radius=0.5), TerrainCache())
    wide = path(
        document("hall"),
        request((2.0, 10.0), (28.0, 10.0), radius=0.5, clearance=1.5),
        TerrainCache(),
    )
    same = path(
        document("hall"),
        request((2.0, 10.0), (28.0, 10.0), radius=0.5, clearance=0.0),
        TerrainCache(),
    )
    assert wide.facts.clearance > near.facts.clearance == same.facts.clearance


def test_preferences_lead_around_the_mud():
    yard = Document("yard", "map", YARD, fw.CorridorMap.build(YARD))
    options = {"method": "miran", "preferences": {"mud": 20.0}}
    straight = path(yard, request((2.0, 2.0), (28.0, 2.0), method="miran"), TerrainCache())
    around = path(yard, request((2.0, 2.0), (28.0, 2.0), **options), TerrainCache())
    assert straight.arrays["path"][:, 1].max() < 2.1
    assert around.arrays["path"][:, 1].max() > 5.0
    assert around.facts.ground.keys() == {"ground", "mud"}
    assert sum(around.facts.ground.values()) == pytest.approx(around.facts.length)
    assert around.facts.weighted_length >= around.facts.length - 1e-9
    with pytest.raises(fw.BadInput, match="lava"):
        path(
            yard,
            request((2.0, 2.0), (28.0, 2.0), method="miran", preferences={"lava": 2.0}),
            TerrainCache(),
        )


@pytest.mark.parametrize("method", ["irm", "miran"])
def test_weighted_length_uses_the_given_preferences(method):
    yard = Document("yard", "map", YARD, fw.CorridorMap.build(YARD))
    wanted = request((2.0, 2.0), (28.0, 2.0), method=method, preferences={"mud": 1.1})
    facts = path(yard, wanted, TerrainCache()).facts
    assert facts.ground["mud"] > 9.0
    more = 0.1 * facts.ground["mud"]
    assert facts.weighted_length == pytest.approx(facts.length + more, rel=1e-6)


def test_a_path_over_terrain_outside_the_corridor_has_no_corridor():
    sunk = fw.Environment.from_polygons(
        bounds=(0, 0, 30, 20),
        obstacles=[[(10, 5), (20, 5), (20, 16), (10, 16)]],
        terrain=[("mud", [(12, 0), (18, 0), (18, 5), (12, 5)])],
    )
    yard = Document("yard", "map", sunk, fw.CorridorMap.build(sunk))
    near = request((5.0, 6.0), (25.0, 6.0), method="miran")
    far = request((5.0, 6.0), (25.0, 6.0), method="miran", preferences={"mud": 50.0})
    assert {"left", "right", "backbone"} <= path(yard, near, TerrainCache()).arrays.keys()
    around = path(yard, far, TerrainCache()).arrays
    assert around["path"][:, 1].max() > 16.0
    assert around.keys() == {"path", "times", "route"}


def test_a_pinch_has_its_walls():
    wanted = request((5.0, 5.0), (16.0, 5.0), radius=0.6)
    with pytest.raises(fw.NoPath) as caught:
        path(document("door"), wanted, TerrainCache())
    facts = refusal_facts(document("door"), wanted, caught.value)
    assert facts.reason == "pinch"
    assert facts.pinch.width == pytest.approx(0.8)
    assert len(facts.pinch.walls) == 2
    assert "nearest" not in facts


@pytest.mark.parametrize(
    ("start", "goal", "end"),
    [
        ((15.0, 10.0), (2.0, 2.0), "start"),
        ((2.0, 2.0), (900.0, 3.0), "goal"),
        ((2.0, 2.0), (29.9, 19.9), "goal"),
    ],
)
def test_an_end_in_a_wall_gets_the_nearest_free_position(start, goal, end):
    wanted = request(start, goal, radius=0.4)
    with pytest.raises((fw.BadQuery, fw.NoPath)) as caught:
        path(document("hall"), wanted, TerrainCache())
    facts = refusal_facts(document("hall"), wanted, caught.value)
    assert facts.end == end
    assert cmap("hall").clearance([facts.nearest])[0] >= 0.4
    other = {"start": goal, "goal": start}[end]
    again = {"start": request(tuple(facts.nearest), other, radius=0.4),
             "goal": request(other, tuple(facts.nearest), radius=0.4)}[end]  # fmt: skip
    assert path(document("hall"), again, TerrainCache()).facts.length > 0.0


def test_disconnected_space_has_no_path():
    wanted = request((5.0, 5.0), (16.0, 5.0))
    with pytest.raises(fw.NoPath) as caught:
        path(document("rooms"), wanted, TerrainCache())
    assert refusal_facts(document("rooms"), wanted, caught.value) == RefusalFacts(
        reason="components"
    )


def test_a_saved_map_has_no_terrain(tmp_path):
    bare = Document("hall.fwmap", "map", None, cmap("hall"))
    with pytest.raises(fw.BadInput, match="needs the map itself"):
        path(bare, request((2.0, 2.0), (28.0, 2.0), method="irm"), TerrainCache())
    assert (
        path(bare, request((2.0, 2.0), (28.0, 2.0), method="cmm"), TerrainCache()).facts.length > 25
    )


def test_terrains_are_kept_for_a_few_radii_only():
    terrains = TerrainCache()
    first = terrains.get(YARD, 0.25)
    assert terrains.get(YARD, 0.25) is first
    for k in range(MAX_TERRAINS):
        terrains.get(YARD, 0.3 + 0.01 * k)
    assert terrains.get(YARD, 0.25) is not first
    terrains.get(env("hall"), 0.25)
    assert terrains.get(env("hall"), 0.25).environment is env("hall")


def test_warming_up_needs_no_path():
    warm_up(document("rooms"))
    warm_up(document("hall"))
