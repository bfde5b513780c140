"""Corridors of balls in space, made by hand: the same function, and the same promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from tests.effort import examples
from tests.oracle.corridor import balls_of
from tests.oracle.follow import (
    assert_stops_without_circling,
    assert_walk,
    gap_to_discs,
    least_depth,
)

RADIUS = 0.25


def helix(*, turns: float = 2.0, size: float = 5.0, rise: float = 3.0, wide: float = 1.2):
    """A spiral staircase of balls that breathes: radii from 0.8 to 1.2 times `wide`."""
    angle = np.linspace(0, 2 * math.pi * turns, int(80 * turns))
    centres = np.column_stack(
        [size * np.cos(angle), size * np.sin(angle), rise * angle / (2 * math.pi)]
    )
    return fw.Corridor.from_balls(centres, wide * (1 + 0.2 * np.sin(3 * angle)), radius=RADIUS)


def tube(seed: int, dimension: int, *, balls: int) -> fw.Corridor:
    """A corridor that wanders about, each centre well inside its neighbours."""
    rng = np.random.default_rng(seed)
    heading, size = rng.normal(size=dimension), rng.uniform(0.5, 2.0)
    centres, radii = [np.zeros(dimension)], [size]
    for _ in range(balls):
        heading += 0.3 * rng.normal(size=dimension)
        heading /= np.linalg.norm(heading)
        step = rng.uniform(0.1, 0.4) * (size - RADIUS)
        size = float(np.clip(size + rng.uniform(-0.5, 0.5) * step, 0.35, 3.0))
        centres.append(centres[-1] + step * heading)
        radii.append(size)
    return fw.Corridor.from_balls(centres, radii, radius=RADIUS)


@st.composite
def tubes(draw: st.DrawFn) -> fw.Corridor:
    """Draw a corridor in space."""
    return tube(draw(st.integers(0, 2**32 - 1)), 3, balls=draw(st.integers(1, 150)))


HABITS = [
    {},
    {"shortcut": 0.1},
    {"shortcut": 1.0},
    {"noise": 0.5, "seed": 5},
    {"lane": 0.5},
    {"lane": -0.5},
    {"corner": 0.5},
    {"corner": -0.5},
]


class TestHelix:
    @pytest.mark.parametrize("habit", HABITS, ids=str)
    def test_keeps_every_promise(self, habit):
        corridor = helix()
        walk = fw.follow.cmm(corridor, **habit)
        assert walk.dimension == 3
        assert walk.points.shape[1] == 3
        assert_walk(walk)
        assert least_depth(walk.points, balls_of(corridor), RADIUS) >= -1e-9
        assert walk.clearance >= RADIUS - 1e-9

    def test_stops_without_circling(self):
        assert_stops_without_circling(fw.follow.cmm(helix()))

    def test_shortcuts_shorten(self):
        lengths = [fw.follow.cmm(helix(), shortcut=dt).length for dt in (0.0, 0.05, 0.3)]
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[-1] < 0.97 * lengths[0]

    @pytest.mark.parametrize("avoid", ["forces", "corridor"])
    def test_goes_around_balls(self, avoid):
        corridor = helix()
        balls = [(corridor.backbone[k] + (0.2, 0.1, -0.1), 0.3) for k in (40, 80, 120)]
        discs = [fw.follow.Disc(at=tuple(at), radius=size) for at, size in balls]
        walk = fw.follow.cmm(corridor, obstacles=discs, avoid=avoid)
        assert_walk(walk)
        assert least_depth(walk.points, balls_of(corridor), RADIUS) >= -1e-6
        gap = gap_to_discs(walk.points, RADIUS, balls)
        assert gap >= -1e-9
        assert walk.gap == pytest.approx(gap, abs=1e-6)

    @pytest.mark.parametrize("avoid", ["forces", "corridor"])
    def test_is_closed_by_a_ball_that_fills_it(self, avoid):
        corridor = helix()
        plug = fw.follow.Disc(at=tuple(corridor.backbone[80]), radius=1.2)
        crumb = fw.follow.Disc(at=tuple(corridor.backbone[30]), radius=0.05)
        with pytest.raises(fw.NoPath) as refusal:
            fw.follow.cmm(corridor, obstacles=[crumb, plug], avoid=avoid)
        assert refusal.value.reason == "blocked"
        assert refusal.value.obstacles == (1,)

    def test_same_seed_same_bits(self):
        one, two, other = (fw.follow.cmm(helix(), noise=0.5, seed=seed) for seed in (1, 1, 2))
        np.testing.assert_array_equal(one.points, two.points)
        assert not np.array_equal(one.points, other.points)


class TestTubes:
    @pytest.mark.parametrize("dimension", [2, 3])
    @pytest.mark.parametrize("habit", HABITS, ids=str)
    def test_are_walked_to_their_end(self, dimension, habit):
        """Sharp bends of a passage that is not much wider than the character."""
        lost = []
        for seed in range(100):
            corridor = tube(seed, dimension, balls=20 + seed)
            try:
                assert_walk(fw.follow.cmm(corridor, **habit))
            except fw.NoPath:
                lost.append(seed)
        assert not lost

    @examples(80)
    @given(tubes(), st.sampled_from(HABITS))
    def test_keep_every_promise(self, corridor, habit):
        walk = fw.follow.cmm(corridor, **habit)
        assert_walk(walk)
        assert least_depth(walk.points, balls_of(corridor), RADIUS) >= -1e-9

    @examples(40)
    @given(tubes(), st.floats(0.3, 3.0), st.integers(0, 2))
    def test_do_not_care_which_way_is_up(self, corridor, angle, axis):
        """Turned and moved, the walk is turned and moved with it."""
        turn = np.roll(np.roll(rotation(angle), axis, axis=0), axis, axis=1)
        moved = fw.Corridor.from_balls(
            corridor.backbone @ turn.T + (1.0, -2.0, 3.0), corridor.radii, radius=RADIUS
        )
        walk, other = fw.follow.cmm(corridor), fw.follow.cmm(moved)
        assert other.length == pytest.approx(walk.length, rel=1e-6)


class TestFlat:
    @pytest.mark.parametrize("habit", HABITS, ids=str)
    def test_a_level_corridor_is_one_of_the_plane(self, habit):
        cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        flat = cmap.corridor((2, 2), (44, 40), radius=RADIUS)
        level = np.column_stack([flat.backbone, np.zeros(len(flat.radii))])
        walk, space = (
            fw.follow.cmm(fw.Corridor.from_balls(centres, flat.radii, radius=RADIUS), **habit)
            for centres in (flat.backbone, level)
        )
        assert not space.points[:, 2].any()
        assert not space.velocities[:, 2].any()
        np.testing.assert_array_equal(space.points[:, :2], walk.points)
        np.testing.assert_array_equal(space.times, walk.times)

    @pytest.mark.parametrize("habit", HABITS, ids=str)
    def test_one_made_by_hand_is_nearly_that_of_the_map(self, habit):
        """More balls are put between those of a corridor made by hand: millimetres, no more."""
        cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        own = cmap.corridor((2, 2), (44, 40), radius=RADIUS)
        hand = fw.Corridor.from_balls(own.backbone, own.radii, radius=RADIUS)
        one, other = (fw.follow.cmm(corridor, **habit).length for corridor in (own, hand))
        assert other == pytest.approx(one, rel=1e-3)

    def test_has_no_walls(self):
        with pytest.raises(fw.BadQuery, match="hand"):
            _ = helix().left


def rotation(angle: float) -> np.ndarray:
    """About the z-axis, (3, 3)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
