"""All about one character, and small changes to some of them."""

import numpy as np
import pytest

import footway as fw
from tests.unit.crowd.maps import cmap


def test_forces_are_those_of_the_step():
    crowd = fw.Crowd(cmap("plain"))
    crowd.add(3, starts=[(5.0, 12.0), (9.0, 12.4), (8.0, 10.5)], goals=[(95, 12), (2, 12), (95, 8)])
    crowd.add_obstacle((30.0, 12.0), 1.0)
    for _ in range(40):
        before = {k: crowd.character(k) for k in range(3)}
        crowd.step()
        for k, seen in before.items():
            expected = np.array(seen.velocity) + crowd.dt * sum(seen.forces.values())
            expected *= min(1.0, seen.speed / np.hypot(*expected))
            now = crowd.velocities[k]
            assert np.hypot(*(now - expected)) < 0.12, (k, crowd.time, seen)


def test_the_corridor_leads_from_the_attraction_point_to_the_goal():
    crowd = fw.Crowd(cmap("hall"))
    crowd.add(1, starts=[(2.0, 10.0)], goals=[(28.0, 10.0)])
    crowd.step(10)
    seen = crowd.character(0)
    assert np.allclose(seen.corridor[0, :2], seen.attraction)
    gaps = np.hypot(*np.diff(seen.corridor[:, :2], axis=0).T)
    assert gaps.max() < 1.5
    x, y, room = seen.corridor[-1]
    assert np.hypot(x - 28.0, y - 10.0) < room + 1.5


def test_wanderers_have_a_way_but_no_goal():
    crowd = fw.Crowd(cmap("hall"))
    crowd.add(2, behaviour="wander")
    crowd.step(5)
    seen = crowd.character(1)
    assert seen.goal is None
    assert len(seen.corridor) > 0


def test_a_character_that_is_not_there():
    with pytest.raises(fw.BadQuery, match="no character 3"):
        fw.Crowd(cmap("hall")).character(3)


def test_speed():
    crowd = fw.Crowd(cmap("plain"))
    crowd.add(2, starts=[(5.0, 6.0), (5.0, 18.0)], goals=[(95, 6), (95, 18)], speed=1.0)
    crowd.set_speed([1], 3.0)
    crowd.step(100)
    pace = np.hypot(*crowd.velocities.T)
    assert pace[0] == pytest.approx(1.0, abs=0.1)
    assert pace[1] == pytest.approx(3.0, abs=0.2)
    for bad in (0.0, -1.0, np.nan, 1e6):
        with pytest.raises(fw.BadQuery, match="speed"):
            crowd.set_speed([1], bad)
    with pytest.raises(fw.BadQuery, match="no character"):
        crowd.set_speed([9], 1.0)


def test_removing():
    crowd = fw.Crowd(cmap("hall"))
    crowd.add(10)
    crowd.step(3)
    crowd.remove([2, 5, 5])
    assert crowd.ids.tolist() == [0, 1, 3, 4, 6, 7, 8, 9]
    crowd.step(100)
    assert len(crowd) == 8
    assert crowd.exited == 0
    with pytest.raises(fw.BadQuery, match="no character 5"):
        crowd.remove([5])


def test_removing_a_population_with_those_to_come():
    crowd = fw.Crowd(cmap("hall"))
    crowd.add_source(50, area=[(1, 1), (5, 1), (5, 4), (1, 4)], rate=1.0, name="source")
    crowd.add(4, name="others")
    crowd.step(35)
    assert crowd.to_come > 0
    crowd.remove_population(0)
    assert (len(crowd), crowd.to_come) == (4, 0)
    crowd.step(30)
    assert len(crowd) == 4
    with pytest.raises(fw.BadQuery, match="population"):
        crowd.remove_population(2)


def test_a_group_goes_on_without_one_of_them():
    crowd = fw.Crowd(cmap("hall"))
    group = crowd.add_group(5, start=(3.0, 3.0), goal=(27.0, 17.0), then="stay")
    crowd.step(20)
    crowd.remove(group.ids[:1])
    crowd.step(600)
    assert group.arrived == 1
