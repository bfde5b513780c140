"""The map of a building: paths over floors and links, and why there is none."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.corridor.building.map import BuildingMap

HOLE = [(6, 3), (7.2, 3), (7.2, 7), (6, 7)]
CABIN = [(0, 6), (2, 6), (2, 8), (0, 8)]
LIFT = fw.Lift("L", CABIN, [("0", (0.5, 6), (1.5, 6)), ("1", (0.5, 6), (1.5, 6))], wait=10.0)
STAIRS = fw.Stairs("A", ("0", (6, 3), (7.2, 3)), ("1", (6, 7), (7.2, 7)))


def building(*links, cabin=True):
    """Two floors above each other, 10 x 8 m, with a stairwell and a shaft."""
    obstacles = [HOLE, CABIN] if cabin else [HOLE]
    floor = fw.Environment.from_polygons(bounds=(0, 0, 10, 8), obstacles=obstacles)
    return fw.Building([fw.Floor("0", floor), fw.Floor("1", floor, 3.0)], links)


@pytest.fixture(scope="module")
def both():
    return fw.CorridorMap.build(building(STAIRS, LIFT))


@pytest.fixture(scope="module")
def stairs_only():
    return fw.CorridorMap.build(building(STAIRS))


def test_the_path_climbs_the_stairs(stairs_only):
    path = stairs_only.path((6.6, 1, "0"), (6.6, 7.6, "1"), radius=0.25)
    assert path.plan_length == pytest.approx(6.6)
    assert path.length == pytest.approx(2.0 + 5.0 + 0.6)  # 4 m in plan and 3 m up
    assert (path.floors, path.links) == (("0", "1"), ("A",))
    assert path.points[0].tolist() == [6.6, 1.0, 0.0]
    assert path.points[-1].tolist() == [6.6, 7.6, 3.0]
    assert path.clearance == pytest.approx(0.4)
    assert path.seconds == pytest.approx(2.6 / 1.34 + 4.0 / 0.61)


def test_the_way_down_is_faster(stairs_only):
    up = stairs_only.path((6.6, 1, "0"), (6.6, 7.6, "1"), by="time")
    down = stairs_only.path((6.6, 7.6, "1"), (6.6, 1, "0"), by="time")
    assert down.seconds == pytest.approx(2.6 / 1.34 + 4.0 / 0.694)
    assert down.length == pytest.approx(up.length)


def test_floors_above_each_other_do_not_mix(stairs_only):
    """Start and goal are at the same place in plan."""
    path = stairs_only.path((9, 1, "0"), (9, 1, "1"), radius=0.25)
    assert path.plan_length > 10.0
    there = stairs_only.path((9, 1, "0"), (9, 1, "0"), radius=0.25)
    assert (there.length, there.floors, there.links) == (0.0, ("0",), ())


def test_length_and_time_choose_different_links(both):
    by_length = both.path((1, 5, "0"), (1, 5, "1"), radius=0.25)
    by_time = both.path((1, 5, "0"), (1, 5, "1"), radius=0.25, by="time")
    assert (by_length.links, by_time.links) == (("L",), ("A",))
    assert by_length.length == pytest.approx(2.0 + 3.0 + 2.0)  # to the middle of the cabin, up
    assert by_length.seconds == pytest.approx(4.0 / 1.34 + 10.0 + 4.0 + 3.0)
    assert by_time.seconds < by_length.seconds
    assert (np.diff(by_length.points[:, 2]) >= 0).all()


def test_escalators_run_in_one_direction():
    up = fw.Escalator("E", ("0", (6, 3), (7.2, 3)), ("1", (6, 7), (7.2, 7)))
    cmap = fw.CorridorMap.build(building(up))
    path = cmap.path((6.6, 1, "0"), (6.6, 7.6, "1"), by="time")
    assert path.seconds == pytest.approx(2.6 / 1.34 + 5.0 / 0.5)
    with pytest.raises(fw.NoPath, match="against the direction of escalator 'E'"):
        cmap.path((6.6, 7.6, "1"), (6.6, 1, "0"))


def test_why_there_is_no_path(stairs_only):
    with pytest.raises(fw.NoPath, match=r"1.000 m wide at .* on floor '1'") as caught:
        stairs_only.path((9, 1, "0"), (9, 1, "1"), radius=0.55)
    assert caught.value.pinch.where == "floor '1'"
    apart = fw.CorridorMap.build(building())
    with pytest.raises(fw.NoPath, match=r"on floor '0' and .* on floor '1' are in parts"):
        apart.path((9, 1, "0"), (9, 1, "1"))


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ((6.5, 4, "0"), r"\(6.500, 4.000\) on floor '0' is inside an obstacle"),
        ((6.5, 3.1, "0"), "on floor '0' is inside an obstacle"),  # just behind the portal
        ((40, 4, "0"), "outside the map"),
        ((1, 1, "2"), "there is no floor '2'"),
        ((1, 1), r"must be \(x, y, floor\)"),
        ((1, float("nan"), "0"), "must be finite"),
        (7, "must be"),
    ],
)
def test_bad_points_are_refused(stairs_only, start, message):
    with pytest.raises(fw.BadQuery, match=message):
        stairs_only.path(start, (9, 1, "1"))


def test_points_on_links_have_the_name_of_the_link(stairs_only):
    path = stairs_only.path((6.6, 5, "A"), (9, 1, "0"), radius=0.25)
    assert path.points[0, 2] == pytest.approx(1.5)
    assert path.links == ("A",)


def test_clearance_sees_through_portals_and_not_through_ceilings(stairs_only):
    at = [(6.6, 2.9, "0"), (6.6, 2.9, "1"), (6.6, 5, "A"), (6.6, 5, "0")]
    assert stairs_only.clearance(at) == pytest.approx([np.hypot(0.6, 0.1), 0.1, 0.6, 0.0])
    assert stairs_only.clearance([(1, 1), (9, 4)], floor="1") == pytest.approx([1, 1])
    assert stairs_only.nearest_obstacle([(6.6, 2.9, "1")]).tolist() == [[6.6, 3.0]]


def test_the_bottleneck_goes_by_lift_if_that_is_wider():
    lift_only = fw.CorridorMap.build(building(LIFT))
    pinch = lift_only.bottleneck((5, 5, "0"), (5, 5, "1"))
    assert (pinch.width, pinch.where) == (pytest.approx(1.0), "floor '0'")
    path = lift_only.path((5, 5, "0"), (5, 5, "1"), radius=0.45)
    assert path.links == ("L",)
    assert lift_only.is_reachable((5, 5, "0"), [(5, 5, "1"), (1, 7, "0")]).tolist() == [True, False]


def test_batches_and_distances(both):
    points = both.random_points(12, seed=3)
    paths = both.paths(points[:6], [*points[6:11], (6.5, 4, "0")], threads=2)
    assert [path is None for path in paths] == [False] * 5 + [True]
    for a, b, path in zip(points[:5], points[6:11], paths, strict=False):
        assert path.length == both.path(a, b).length
    lengths = both.distances(points[0], [*points[6:8], (6.5, 4, "0")])
    assert lengths[0] == paths[0].length
    assert lengths[2] == np.inf


def test_landmarks_change_no_path():
    cmap = fw.CorridorMap.build(fw.load("gallery:station"))
    points = cmap.random_points(20, seed=5)
    before = [path.length for path in cmap.paths(points[:10], points[10:])]
    cmap.prepare()
    assert len(cmap.solver.landmarks.places)
    assert [path.length for path in cmap.paths(points[:10], points[10:])] == before


def test_a_saved_map_answers_the_same(both, tmp_path):
    both.save(tmp_path / "b.fwmap")
    again = fw.CorridorMap.load(tmp_path / "b.fwmap")
    assert isinstance(again, BuildingMap)
    for name in ("vertices", "edges", "edge_clearance"):
        assert np.array_equal(getattr(again, name), getattr(both, name))
    query = (1, 5, "0"), (9, 1, "1")
    assert again.path(*query).length == both.path(*query).length


def test_passages_say_where_they_are(both):
    assert {pinch.where for pinch in both.passages(4)} >= {"floor '0'", "floor '1'"}


def test_balls_are_those_of_a_plan(both):
    with pytest.raises(fw.BadQuery, match="balls is not available on the map of a building"):
        both.balls()


def test_a_straight_line_through_links_is_not_the_path_on_one_floor():
    """Down and up again leads straight to the other room; the corridor upstairs is shorter."""
    ring = [(0, 0), (6, 0), (6, 6), (4, 6), (4, 7), (32, 7), (32, 6), (30, 6), (30, 0), (36, 0),
            (36, 6), (34, 6), (34, 9), (2, 9), (2, 6), (0, 6)]  # fmt: skip
    low = fw.Environment.from_polygons(bounds=(10, 2, 26, 4))
    floors = [fw.Floor("0", low), fw.Floor("1", fw.Environment.from_polygons([ring]), 8.0)]
    down = fw.Stairs("A", ("0", (10, 2), (10, 4)), ("1", (6, 2), (6, 4)))
    up = fw.Stairs("B", ("0", (26, 2), (26, 4)), ("1", (30, 2), (30, 4)))
    cmap = fw.CorridorMap.build(fw.Building(floors, [down, up]))
    alone = fw.CorridorMap.build(fw.Building(floors[1:], []))
    ends = (3, 3, "1"), (33, 3, "1")
    paths = cmap.paths_between(*ends, k=3, radius=0.2)
    assert [path.links for path in paths] == [(), ("A", "B")]
    assert paths[0].length == pytest.approx(alone.path(*ends, radius=0.2).length, abs=1e-9)
    assert paths[1].plan_length == pytest.approx(30, abs=1e-9)
    assert cmap.path(*ends, radius=0.2).links == ()


def test_paths_between_use_different_links(both):
    paths = both.paths_between((1, 5, "0"), (1, 5, "1"), k=5)
    assert [path.links for path in paths[:2]] == [("L",), ("A",)]
    assert [path.length for path in paths] == sorted(path.length for path in paths)
    by_time = both.paths_between((1, 5, "0"), (1, 5, "1"), k=2, by="time")
    assert [path.links for path in by_time] == [("A",), ("L",)]
    near = both.paths_between((1, 5, "0"), (1, 5, "1"), longer=0.1)
    assert [path.links for path in near] == [("L",)]


def test_the_nearest_free_place_is_on_the_same_floor(both):
    """The point behind the portal is free on the stairs, but not on the floor."""
    found = both.nearest_free([(6.6, 3.5, "0"), (6.6, 5, "A"), (-1, 1, "1"), (6.1, 1, "0")])
    assert found[0] == (pytest.approx(6.6), pytest.approx(3.0), "0")
    assert found[1] == (pytest.approx(6.6), pytest.approx(5.0), "A")
    assert found[2] == (pytest.approx(0.25), pytest.approx(1.0), "1")
    assert found[3] == (6.1, 1.0, "0")
    assert both.path(found[0], found[2], radius=0.25).links
    with pytest.raises(fw.BadQuery, match="fits nowhere on stairs 'A'"):
        both.nearest_free([(6.6, 5, "A")], radius=0.7)


@pytest.mark.parametrize("radius", [0.0, 0.25, 0.55])
def test_no_sample_is_nearer_than_the_nearest_free_place(both, radius):
    random = np.random.default_rng(3)
    samples = random.uniform((0, 0), (10, 8), (20000, 2))
    free = samples[both.clearance(samples, floor="0") >= radius]
    for x, y in random.uniform((0, 0), (10, 8), (12, 2)):
        ((nx, ny, _),) = both.nearest_free([(x, y)], "0", radius=radius)
        away = np.hypot(nx - x, ny - y)
        assert away <= np.hypot(*(free - (x, y)).T).min() + 1e-9
        assert both.clearance([(nx, ny)], floor="0")[0] >= radius - 1e-6


def test_path_toward_ends_as_near_as_it_gets(both):
    path, remaining = both.path_toward((9, 1, "0"), (6.6, 5, "1"), radius=0.25)
    assert path.floors == ("0", "1")
    assert remaining == pytest.approx(0.85)
    assert both.path_toward((9, 1, "0"), (1, 1, "1")).remaining == 0.0
    apart = fw.CorridorMap.build(building())
    with pytest.raises(fw.NoPath, match="to no place on floor '1'"):
        apart.path_toward((9, 1, "0"), (1, 1, "1"))


def test_lines_of_sight_lead_through_portals_and_not_through_ceilings(both):
    a = [(6.6, 1, "0"), (6.6, 1, "0"), (6.6, 1, "0"), (6.6, 1, "0"), (1, 1, "0"), (6.6, 7.5, "1")]
    b = [(6.6, 5, "A"), (6.6, 7.5, "1"), (6.6, 7.5, "0"), (6.6, 2, "1"), (9, 1, "0"), (6.6, 1, "0")]
    assert both.line_of_sight(a, b).tolist() == [True, True, False, False, True, True]
    assert both.line_of_sight(a, b, radius=0.5).tolist() == [True, True, False, False, True, True]
    assert not both.line_of_sight(a[:2], b[:2], radius=0.61).any()


def test_a_wide_stair_sees_the_floor_behind_it():
    """Its run is shorter than half its width: a halo passes two seams."""
    lower = fw.Environment.from_polygons(bounds=(0, 0, 12, 8))
    upper = fw.Environment.from_polygons(
        bounds=(0, 10, 12, 18), obstacles=[[(5, 11), (7, 11), (6, 12)]]
    )
    links = [fw.Stairs("wide", ("0", (1, 8), (11, 8)), ("1", (1, 10), (11, 10)))]
    cmap = fw.CorridorMap.build(
        fw.Building([fw.Floor("0", lower), fw.Floor("1", upper, 1.2)], links)
    )
    flat = fw.CorridorMap.build(
        fw.Environment.from_polygons(
            shapely.union_all([lower.walkable, upper.walkable, shapely.box(1, 8, 11, 10)])
        )
    )
    at = np.random.default_rng(1).uniform((1, 4), (11, 8), (50, 2))
    assert cmap.clearance(at, floor="0") == pytest.approx(flat.clearance(at), abs=1e-9)
    assert cmap.n_cycles == flat.n_cycles == 1


def test_batches_of_walks_take_one_floor(both):
    with pytest.raises(fw.BadQuery, match="CorridorMap"):
        fw.follow.cmm_batch(both, [(1, 1)], [(2, 2)])
    with pytest.raises(fw.BadQuery):
        fw.camera.tour(both, [(1, 1), (2, 2)])


def test_the_free_point_of_a_message_is_on_the_same_floor_and_fits(both):
    with pytest.raises(fw.BadQuery, match="on floor '1' is inside an obstacle") as refusal:
        both.path((1, 1, "0"), (6.1, 5, "1"), radius=0.3)
    assert str(refusal.value).endswith(
        "the nearest free point for a radius of 0.3 m is 0.401 m away at (5.699, 5.000)"
    )
    assert both.path((1, 1, "0"), (5.699, 5.0, "1"), radius=0.3).clearance >= 0.3
