"""The same crowd on another map."""

import numpy as np
import pytest
import shapely

import footway as fw
from footway.crowd.free_space import nearest_free
from tests.unit.crowd.maps import SHAPES, cmap, env


def with_block(name, *box):
    return fw.CorridorMap.build(
        fw.Environment.from_polygons(SHAPES[name], obstacles=[shapely.box(*box)])
    )


def test_everybody_keeps_id_body_goal_and_clock():
    crowd = fw.Crowd(cmap("hall"), seed=3)
    crowd.add(60, radius=(0.25, 0.05), speed=(1.2, 0.2), name="a")
    crowd.add(10, behaviour="wander", name="b")
    crowd.step(20)
    crowd.remove([7])
    moved = crowd.moved_to(with_block("hall", 2, 2, 5, 5))
    assert moved.ids.tolist() == crowd.ids.tolist()
    assert (moved.time, moved.steps, moved.names) == (crowd.time, crowd.steps, crowd.names)
    np.testing.assert_array_equal(moved.radii, crowd.radii)
    np.testing.assert_array_equal(moved.populations, crowd.populations)
    free = moved.map.clearance(crowd.positions) >= crowd.radii
    assert 0 < (~free).sum() < 30
    np.testing.assert_array_equal(moved.positions[free], crowd.positions[free])
    assert (moved.map.clearance(moved.positions) >= moved.radii).all()


def test_they_go_on_and_arrive():
    crowd = fw.Crowd(cmap("bend"), seed=1)
    crowd.add(
        12, starts=[(1 + 0.6 * k, 2.0) for k in range(12)], goals=[(2.0, 28.0)] * 12, then="exit"
    )
    crowd.step(100)
    moved = crowd.moved_to(with_block("bend", 27, 12, 28, 14))
    for _ in range(900):
        moved.step()
        assert (moved.map.clearance(moved.positions) >= moved.radii - 1e-6).all()
        if not len(moved):
            break
    assert moved.exited == 12


def test_goals_in_new_walls_go_to_the_nearest_free_place():
    crowd = fw.Crowd(cmap("room"))
    crowd.add(1, starts=[(2.0, 2.0)], goals=[(15.0, 10.0)])
    moved = crowd.moved_to(with_block("room", 14, 9, 16, 11))
    moved.step(200)
    assert moved.arrivals == 1
    assert np.hypot(*(moved.positions[0] - (15.0, 10.0))) < 2.5


def test_who_waits_and_who_stays_does_so_on():
    crowd = fw.Crowd(cmap("room"))
    crowd.add(1, starts=[(2.0, 2.0)], goals=[(10.0, 10.0)], premovement=5.0)
    crowd.add(1, starts=[(12.0, 12.0)], goals=[(12.1, 12.0)])
    crowd.step(10)
    modes = [crowd.character(k).mode for k in (0, 1)]
    assert modes == ["waiting", "staying"]
    moved = crowd.moved_to(with_block("room", 5, 2, 6, 3))
    assert [moved.character(k).mode for k in (0, 1)] == modes
    moved.step(30)
    assert moved.character(0).mode == "waiting"
    moved.step(200)
    assert moved.arrivals - crowd.arrivals == 1


def test_a_path_that_is_closed():
    crowd = fw.Crowd(cmap("door"))
    crowd.add(5, area=[(1, 1), (8, 1), (8, 9), (1, 9)], destinations=[(18.0, 5.0)])
    crowd.step(5)
    shut = fw.CorridorMap.build(env("rooms"))
    moved = crowd.moved_to(shut)
    moved.step(50)
    assert (moved.map.clearance(moved.positions) >= moved.radii - 1e-6).all()
    assert {moved.character(int(k)).mode for k in moved.ids} == {"unreachable"}
    again = moved.moved_to(cmap("door"))
    again.step(400)
    assert again.arrivals >= 5


def test_groups_sources_and_obstacles_come_along():
    crowd = fw.Crowd(cmap("hall"))
    group = crowd.add_group(6, start=(3.0, 3.0), goal=(27.0, 17.0), then="stay")
    crowd.add_source(20, area=[(1, 15), (5, 15), (5, 19), (1, 19)], rate=2.0, then="exit")
    number = crowd.add_obstacle((15.0, 2.0), 0.5)
    crowd.step(20)
    moved = crowd.moved_to(with_block("hall", 24, 2, 26, 3))
    assert moved.to_come == crowd.to_come
    assert moved.obstacle_ids == [number]
    moved.step(600)
    assert moved.to_come == 0
    assert moved.groups[0].ids.tolist() == group.ids.tolist()
    assert moved.groups[0].arrived == 1


def meadow(*, kinds=("mud", "grass"), obstacles=()):
    regions = {"mud": shapely.box(8, 0, 12, 14), "grass": shapely.box(0, 16, 20, 20)}
    return fw.Environment.from_polygons(
        bounds=(0, 0, 20, 20),
        obstacles=obstacles,
        terrain=[(kind, regions[kind]) for kind in kinds],
    )


def walk_around_the_mud(crowd):
    """Greatest depth in the mud of a character that walks from left to right, m."""
    deepest = np.inf
    while crowd.arrivals == 0 and crowd.time < 60:
        crowd.step()
        x, y = crowd.positions[0]
        if 8 < x < 12:
            deepest = min(deepest, y)
    assert crowd.arrivals == 1
    return deepest


@pytest.mark.parametrize("kinds", [("mud", "grass"), ("mud",)])
def test_preferences_for_terrain_hold_on_the_new_map(kinds):
    first = meadow()
    crowd = fw.Crowd(fw.CorridorMap.build(first), environment=first)
    dry = fw.Profile(radius=0.25, speed=1.5, preferences={"mud": 20.0, "grass": 1.2})
    crowd.add(1, profile=dry, starts=[(2, 5)], goals=[(18, 5)])
    crowd.step(2)
    other = meadow(kinds=kinds, obstacles=[shapely.box(3, 8, 4, 9)])
    moved = crowd.moved_to(fw.CorridorMap.build(other), other)
    assert walk_around_the_mud(moved) > 13.5


def test_arrivals_of_groups_are_counted_on():
    crowd = fw.Crowd(cmap("hall"), seed=1)
    crowd.add_group(4, start=(3, 10), goal=(8, 3), then="stay")
    crowd.step(300)
    assert [group.arrived for group in crowd.groups] == [1]
    moved = crowd.moved_to(with_block("hall", 22, 2, 25, 5))
    assert [group.arrived for group in moved.groups] == [1]


def test_without_ground_all_follow_corridors():
    first = meadow()
    crowd = fw.Crowd(fw.CorridorMap.build(first), environment=first)
    crowd.add(1, preferences={"mud": 20.0}, starts=[(2, 5)], goals=[(18, 5)])
    moved = crowd.moved_to(fw.CorridorMap.build(meadow()))
    assert walk_around_the_mud(moved) < 13.5


def test_nobody():
    moved = fw.Crowd(cmap("hall")).moved_to(cmap("room"))
    moved.step(3)
    assert len(moved) == 0


def test_the_nearest_free_place():
    points = np.array([(15.0, 6.0), (2.0, 2.0), (-3.0, 10.0)])
    found = nearest_free(cmap("hall"), points, np.full(3, 0.5))
    np.testing.assert_allclose(found, [(15, 4.5), (2, 2), (0.5, 10)], atol=0.05)
    nowhere = nearest_free(cmap("corridor"), np.array([(3.0, 3.9)]), np.array([9.0]))
    assert cmap("corridor").clearance(nowhere)[0] == pytest.approx(2.0)
