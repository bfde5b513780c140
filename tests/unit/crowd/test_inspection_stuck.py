"""Which characters are stuck, since when, and why."""

import numpy as np
import shapely

import footway as fw
from footway.crowd.inspection import PATIENCE
from tests.unit.crowd.maps import crowd

STEPS = round(PATIENCE / 0.1)


def held_back(*starts):
    """Characters that have not moved for longer than PATIENCE."""
    it = crowd("corridor")
    it.add(len(starts), starts=starts, goals=[(55, 2)] * len(starts), then="stay")
    it._simulation.steps = STEPS + 10
    return it


class TestNobody:
    def test_who_walks(self):
        it = crowd("hall", seed=1)
        it.add(30)
        for _ in range(5):
            it.step(100)
            assert it.stuck == []

    def test_who_has_arrived(self):
        it = crowd("hall")
        it.add(1, starts=[(2, 2)], goals=[(5, 2)], then="stay")
        it.step(2 * STEPS)
        assert it.stuck == []

    def test_who_waits_for_its_time(self):
        it = crowd("hall")
        it.add(1, starts=[(2, 2)], goals=[(25, 2)], premovement=100.0)
        it.step(2 * STEPS)
        assert it.stuck == []
        assert it.velocities.tolist() == [[0, 0]]

    def test_who_wanders(self):
        it = crowd("branch", seed=1)
        it.add(20, behaviour="wander")
        it.step(2 * STEPS)
        assert it.stuck == []

    def test_before_its_patience_is_over(self):
        it = held_back((5, 2))
        it._simulation.steps = STEPS - 1
        assert it.stuck == []


class TestCauses:
    def test_unreachable(self):
        """A character whose new goal is in another part of the map stays where it is."""
        it = crowd("rooms")
        it.add(2, starts=[(5.0, 5.0), (5.0, 8.0)], goals=[(8.0, 5.0), (8.0, 8.0)])
        it.set_goals([0], [(16.0, 5.0)])
        it.step(STEPS + 20)
        assert it.stuck == [(0, (5.0, 5.0), 0.0, "unreachable")]
        assert it.arrivals == 1

    def test_pinch(self):
        it = held_back((5, 2))
        (one,) = it.stuck
        assert one == (0, (5, 2), 0.0, "pinch")
        assert it.time - one.since >= PATIENCE

    def test_crowd(self):
        """A character close to another one is blocked by it."""
        starts = [(10, 2), (10.7, 2), (20, 2), (30, 2), (31.5, 2)]
        causes = ["crowd", "crowd", "pinch", "pinch", "pinch"]
        assert held_back(*starts).stuck == [
            (k, at, 0.0, cause) for k, (at, cause) in enumerate(zip(starts, causes, strict=True))
        ]

    def test_obstacle(self):
        """A character that touches an obstacle is blocked by it, those behind by the crowd."""
        it = held_back((10, 2), (10.7, 2), (30, 2))
        it.add_obstacle((9.2, 2), 0.5, appears=0.0)
        assert [one.cause for one in it.stuck] == ["obstacle", "crowd", "pinch"]
        it.add_obstacle((31, 2), 0.5, appears=1e6)
        assert it.stuck[2].cause == "pinch"

    def test_ends_when_it_moves_again(self):
        it = held_back((5, 2))
        assert len(it.stuck) == 1
        it.step(40)
        assert it.stuck == []
        it.step(600)
        assert it.arrivals == 1


def test_crowd_is_the_same_as_by_comparing_all_pairs():
    """Characters of different radii in a jam, some of them just within reach of another."""
    it = crowd("hall", seed=3)
    for radius in (0.15, 0.25, 0.6):
        it.add(40, radius=radius)
    it._simulation.steps = STEPS + 10
    away = np.hypot(*np.moveaxis(it.positions[:, None] - it.positions, 2, 0))
    gap = away - it.radii[:, None] - it.radii
    np.fill_diagonal(gap, np.inf)
    causes = np.where(gap.min(axis=1) < 0.3, "crowd", "pinch").tolist()
    assert {"crowd", "pinch"} == set(causes)
    assert [one.cause for one in it.stuck] == causes


def test_nobody_far_from_the_origin():
    """The office in metres of a national grid: as at the origin, nobody is stuck."""
    env = fw.load("gallery:office")
    far = shapely.transform(env.walkable, lambda xy: xy + np.array([5e5, 4.5e6]))
    it = fw.Crowd(fw.CorridorMap.build(fw.Environment.from_polygons(far)), seed=1)
    it.add(60)
    it.step(1_000)
    assert it.stuck == []
