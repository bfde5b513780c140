"""All about one character, and small changes to some of them."""

import numpy as np
import pytest

import footway as fw
from tests.unit.crowd.maps import cmap
from tests.unit.crowd.test_terrain_following import HIKER, MUD, walkers


def assert_forces_are_those_of_the_step(crowd, steps):
    """Compare the forces on everybody with the change of the velocity in the next step."""
    seen = set()
    for _ in range(steps):
        before = [crowd.character(k) for k in crowd.ids.tolist()]
        crowd.step()
        for k, character in enumerate(before):
            if character.id not in crowd.ids:
                continue
            change = (crowd.velocities[k] - character.velocity) / crowd.dt
            total = sum(character.forces.values())
            assert np.abs(change - total).max() < 1e-3, (crowd.time, character)
            seen |= {name for name, force in character.forces.items() if np.abs(force).max() > 0.01}
    return seen


def test_forces_of_a_crowd_are_those_of_the_step():
    """Lanes, noise, dense characters, a moving and a standing obstacle, a user's force, walls."""
    crowd = fw.Crowd(cmap("hall"), seed=3)
    crowd.add(25, noise=0.5, area=[(1, 1), (9, 1), (9, 9), (1, 9)])
    crowd.add(10, lane=0.8, destinations=[[(25, 15), (25, 5)], (2, 10)], premovement=(1.0, 0.3))
    crowd.add(10, behaviour="wander", radius=0.3)
    crowd.add_obstacle((12.0, 3.0), 0.5)
    crowd.add_obstacle((5.0, 12.0), 0.4, velocity=(0.3, -0.2), appears=0.5)
    crowd.each_step(lambda crowd: np.tile([0.3, -0.1], (len(crowd), 1)))
    crowd.step()
    names = {"steering", "lane", "noise", "avoidance", "obstacles", "user", "guard"}
    assert assert_forces_are_those_of_the_step(crowd, 40) == names


def test_forces_without_a_guard_are_those_of_the_papers():
    """Alone, a character is drawn to its attraction point and beside it, and nothing else acts."""
    crowd = fw.Crowd(cmap("plain"))
    crowd.add(1, starts=[(5.0, 12.0)], goals=[(95, 12)], lane=-0.5)
    crowd.step(20)
    seen = crowd.character(0)
    toward = np.subtract(seen.attraction, seen.position)
    toward /= np.hypot(*toward)
    expected = (seen.speed * toward - seen.velocity) * (1.0 - np.exp(-crowd.dt / 0.5)) / crowd.dt
    np.testing.assert_allclose(seen.forces["steering"], expected, atol=1e-3)
    assert seen.attraction[1] < 11.0  # to the right
    others = ("lane", "noise", "avoidance", "obstacles", "user")
    assert not np.any([seen.forces[name] for name in others])


def test_forces_of_a_group_and_on_terrain_are_those_of_the_step():
    crowd = fw.Crowd(cmap("hall"), seed=1)
    crowd.add_group(6, start=(3, 3), goal=(27, 17), width=2.0, group_area=8.0)
    assert_forces_are_those_of_the_step(crowd, 30)
    on_terrain = walkers(3, profile=HIKER)
    walkers(2, on_terrain, profile=fw.Profile(preferences=MUD, follow="irm"))
    assert_forces_are_those_of_the_step(on_terrain, 30)


def test_inspecting_changes_nothing():
    one, other = (fw.Crowd(cmap("hall"), seed=5) for _ in range(2))
    for crowd in (one, other):
        crowd.add(30, noise=0.3)
        crowd.add_group(4, start=(3, 3), width=2.0, group_area=8.0)
        crowd.add_obstacle((15.0, 3.0), 1.0, appears=1.0)
    for _ in range(20):
        for k in one.ids.tolist():
            one.character(k)
        one.step()
        other.step()
    assert one.positions.tobytes() == other.positions.tobytes()
    assert one.velocities.tobytes() == other.velocities.tobytes()


def test_the_corridor_leads_from_the_attraction_point_to_the_goal():
    crowd = fw.Crowd(cmap("hall"))
    crowd.add(1, starts=[(2.0, 10.0)], goals=[(28.0, 10.0)])
    crowd.step(10)
    seen = crowd.character(0)
    assert np.hypot(*(seen.corridor[0, :2] - seen.position)) < seen.corridor[0, 2]
    gaps = np.hypot(*np.diff(seen.corridor[:, :2], axis=0).T)
    assert gaps.max() < 1.5
    x, y, room = seen.corridor[-1]
    assert np.hypot(x - 28.0, y - 10.0) < room + 1.5


def test_wanderers_have_a_corridor_but_no_goal():
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


def test_removing_a_population_that_is_still_spawned():
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


def test_a_group_continues_without_one_of_them():
    crowd = fw.Crowd(cmap("hall"))
    group = crowd.add_group(5, start=(3.0, 3.0), goal=(27.0, 17.0), then="stay")
    crowd.step(20)
    crowd.remove(group.ids[:1])
    crowd.step(600)
    assert group.arrived == 1
