"""Shorter paths (cmm-2007, "Creating shorter paths"): the second attraction point."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import footway as fw
from tests.oracle.corridor import balls_of
from tests.oracle.follow import assert_stops_without_circling, assert_walk, least_depth

RADIUS = 0.25
STEPS = (0.0, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)


@pytest.fixture(scope="module")
def game() -> fw.CorridorMap:
    return fw.CorridorMap.build(fw.load("gallery:game"))


QUERIES = [((3, 75), (97, 72)), ((3, 12), (97, 62)), ((97, 72), (3, 12))]


@pytest.mark.parametrize(("start", "goal"), QUERIES)
class TestShortcut:
    @pytest.mark.parametrize("dt", STEPS)
    def test_keeps_every_promise(self, game, start, goal, dt):
        walk = fw.follow.cmm(game.corridor(start, goal, radius=RADIUS), shortcut=dt)
        assert_walk(walk)
        assert_stops_without_circling(walk)
        assert walk.clearance >= RADIUS - 1e-9
        assert least_depth(walk.points, balls_of(walk.corridor), RADIUS) >= -1e-9

    def test_larger_ones_are_not_longer(self, game, start, goal):
        """Figure 13: the length falls with dt, and most of it falls early."""
        corridor = game.corridor(start, goal, radius=RADIUS)
        lengths = [fw.follow.cmm(corridor, shortcut=dt).length for dt in STEPS]
        for longer, shorter in itertools.pairwise(lengths):
            assert shorter <= longer * 1.005
        assert lengths[-1] < 0.98 * lengths[0]

    def test_the_longest_is_near_the_shortest_path(self, game, start, goal):
        corridor = game.corridor(start, goal, radius=RADIUS, around="path")
        walk = fw.follow.cmm(corridor, shortcut=1.0)
        path = game.path(start, goal, radius=RADIUS)
        assert path.length * (1 - 1e-9) <= walk.length <= 1.1 * path.length


def test_zero_is_the_plain_method(game):
    corridor = game.corridor(*QUERIES[0], radius=RADIUS)
    plain, zero = fw.follow.cmm(corridor), fw.follow.cmm(corridor, shortcut=0.0)
    np.testing.assert_array_equal(plain.points, zero.points)


def test_goes_straight_where_it_can():
    """In an empty room the whole path is visible."""
    env = fw.Environment.from_polygons(bounds=(0, 0, 30, 20))
    corridor = fw.CorridorMap.build(env).corridor((3, 3), (27, 16), radius=RADIUS)
    walk = fw.follow.cmm(corridor, shortcut=1.0)
    assert walk.length <= 1.03 * np.hypot(24, 13)
    assert walk.length < fw.follow.cmm(corridor).length


def test_shortens_the_second_half_as_it_does_the_first():
    """A corridor of equal bends: dt counts from where the character is, not from the start."""
    x = np.linspace(0, 40, 401)
    bends = np.column_stack([x, np.sin(x * np.pi / 4)])
    corridor = fw.Corridor.from_balls(bends, np.full(401, 1.5), radius=RADIUS)
    plain, short = (fw.follow.cmm(corridor, shortcut=dt) for dt in (0.0, 0.3))
    for low, high in ((4, 20), (20, 36)):
        before, after = (
            np.abs(np.diff(walk.points[(walk.points[:, 0] > low) & (walk.points[:, 0] < high), 1]))
            for walk in (plain, short)
        )
        assert after.sum() < 0.8 * before.sum()


def test_works_with_a_swayed_corridor():
    """The paper's reason for sub-corridors: the path can be shortened afterwards."""
    env = fw.Environment.from_polygons(bounds=(0, 0, 40, 8))
    corridor = fw.CorridorMap.build(env).corridor((3, 4), (37, 4), radius=RADIUS)
    discs = [(12, 4.3, 0.5), (20, 3.5, 0.5), (28, 4.2, 0.5)]
    around = fw.follow.cmm(corridor, obstacles=discs, avoid="corridor")
    short = fw.follow.cmm(corridor, obstacles=discs, avoid="corridor", shortcut=1.0)
    for walk in (around, short):
        assert_walk(walk)
        assert walk.gap >= -1e-9
    assert short.length <= around.length
