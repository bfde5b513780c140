"""Variation (cmm-crowds-2008, section 3): noise, lanes, corners, and how much they spread."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import footway as fw
from footway._numba.jit import kernel
from footway.follow.kernels import forces as noise
from footway.follow.variation import diversity
from tests.oracle.follow import assert_stops_without_circling, assert_walk

RADIUS = 0.25


@kernel
def coherent_noise(seed, x, y):
    return noise.coherent_noise(seed, x, y)


@pytest.fixture(scope="module")
def street() -> fw.Corridor:
    """A straight street of 60 m, 6 m wide."""
    env = fw.Environment.from_polygons(bounds=(0, 0, 60, 6))
    return fw.CorridorMap.build(env).corridor((3, 3), (57, 3), radius=RADIUS)


@pytest.fixture(scope="module")
def corners() -> fw.Corridor:
    """A street of 4 m with four right-angled corners."""
    env = fw.Environment.from_polygons(
        [(0, 0), (20, 0), (20, 16), (40, 16), (40, 20), (16, 20), (16, 4), (0, 4)]
    )
    return fw.CorridorMap.build(env).corridor((1.5, 2), (38, 18), radius=RADIUS)


class TestNoise:
    @pytest.mark.parametrize("strength", [0.1, 0.5, 1.0, 5.0])
    def test_keeps_every_promise(self, corners, strength):
        for seed in range(10):
            walk = fw.follow.cmm(corners, noise=strength, seed=seed)
            assert_walk(walk)
            assert_stops_without_circling(walk)
            assert walk.clearance >= RADIUS - 1e-9

    def test_same_seed_same_bits_other_seed_other_walk(self, street):
        one, two, other = (fw.follow.cmm(street, noise=0.5, seed=seed) for seed in (3, 3, 4))
        np.testing.assert_array_equal(one.points, two.points)
        assert len(one.points) != len(other.points) or not np.array_equal(one.points, other.points)

    def test_none_without_strength(self, street):
        walks = [fw.follow.cmm(street, noise=0.0, seed=seed) for seed in (1, 2)]
        np.testing.assert_array_equal(walks[0].points, walks[1].points)

    def test_length_and_clearance_are_almost_the_same(self, corners):
        """Section 3.1: as those of the smooth path of the original method."""
        plain = fw.follow.cmm(corners)
        lengths = [fw.follow.cmm(corners, noise=0.5, seed=seed).length for seed in range(20)]
        assert np.mean(lengths) == pytest.approx(plain.length, rel=0.05)

    def test_is_coherent(self):
        """Between -1 and 1, smooth, and without a lattice that shows."""
        xs = np.linspace(-50, 50, 20_001)
        values = np.array([coherent_noise(9, float(x), 0.37 * float(x)) for x in xs])
        assert np.abs(values).max() <= 1.0
        assert np.abs(np.diff(values)).max() < 0.05
        assert abs(values.mean()) < 0.1
        assert values.std() > 0.2

    def test_seeds_are_unrelated(self):
        at = np.random.default_rng(1).uniform(-100, 100, (2_000, 2))
        a, b = (np.array([coherent_noise(s, float(x), float(y)) for x, y in at]) for s in (0, 1))
        assert abs(np.corrcoef(a, b)[0, 1]) < 0.1


class TestLanes:
    def test_lie_on_their_sides(self, street):
        left, right = (fw.follow.cmm(street, lane=k) for k in (0.5, -0.5))
        for walk in (left, right):
            assert_walk(walk)
            assert_stops_without_circling(walk)
            assert walk.clearance >= RADIUS - 1e-9
        assert middle(left) > 3.0 + 0.4
        assert middle(right) < 3.0 - 0.4
        assert middle(left) - 3.0 == pytest.approx(3.0 - middle(right), abs=0.05)

    def test_are_further_out_for_larger_k(self, street):
        """Different paths "by varying the value of the constant k"."""
        offsets = [middle(fw.follow.cmm(street, lane=k)) for k in (0.0, 0.1, 0.3, 1.0)]
        assert offsets == sorted(offsets)
        assert offsets[0] == pytest.approx(3.0, abs=1e-6)
        assert offsets[-1] > offsets[1] + 0.2

    def test_are_in_the_way_one_walks(self, street):
        """In the opposite direction, left is the other side."""
        back = fw.Corridor.from_balls(street.backbone[::-1], street.radii[::-1], radius=RADIUS)
        assert middle(fw.follow.cmm(back, lane=0.5)) < 3.0 - 0.4

    @pytest.mark.parametrize("k", [-10.0, -5.0, 5.0, 10.0])
    def test_may_be_pushed_hard(self, corners, k):
        walk = fw.follow.cmm(corners, lane=k)
        assert_walk(walk)
        assert walk.clearance >= RADIUS - 1e-9

    def test_are_not_much_longer(self, street):
        plain, lane = fw.follow.cmm(street), fw.follow.cmm(street, lane=0.5)
        assert lane.length == pytest.approx(plain.length, rel=0.05)


class TestCorners:
    def test_tight_ones_are_shorter(self, corners):
        tight, plain, wide = (fw.follow.cmm(corners, corner=c) for c in (0.5, 0.0, -0.5))
        for walk in (tight, plain, wide):
            assert_walk(walk)
            assert walk.clearance >= RADIUS - 1e-9
        assert tight.length < plain.length < wide.length

    def test_tight_ones_pass_nearer_to_the_inner_corner(self, corners):
        """The first corner turns left around (16, 4), the second right around (20, 16)."""
        tight, wide = (fw.follow.cmm(corners, corner=c) for c in (0.5, -0.5))
        for corner in ((16, 4), (20, 16)):
            near = [np.hypot(*(walk.points - corner).T).min() for walk in (tight, wide)]
            assert near[0] < near[1]

    def test_straight_walks_have_none(self, street):
        walk = fw.follow.cmm(street, corner=0.5)
        np.testing.assert_allclose(walk.points[:, 1], 3.0, atol=1e-6)


class TestVariations:
    def test_come_with_their_diversity(self, street):
        batch = fw.follow.variations(street, 30, seed=1, noise=0.5)
        assert len(batch.walks) == 30
        assert 0.0 < batch.diversity < 1.0
        for walk in batch.walks:
            assert_walk(walk)
            assert walk.clearance >= RADIUS - 1e-9

    def test_are_all_different(self, street):
        batch = fw.follow.variations(street, 10, seed=1)
        ends = {walk.points[len(walk.points) // 2].tobytes() for walk in batch.walks}
        assert len(ends) == 10

    def test_more_noise_spreads_more(self, street):
        spread = [fw.follow.variations(street, 30, noise=c).diversity for c in (0.1, 0.4, 1.0)]
        assert spread == sorted(spread)

    def test_no_noise_no_diversity(self, street):
        assert fw.follow.variations(street, 5, noise=0.0).diversity == pytest.approx(0, abs=1e-9)

    def test_diversity_is_that_of_the_definition(self, street):
        """Band of the middle 90 % of the paths, relative to 2 (R - r): on a straight street it is
        plain to compute."""
        batch = fw.follow.variations(street, 40, seed=2, noise=0.8)
        xs = np.linspace(8, 52, 200)
        ys = np.array([np.interp(xs, walk.points[:, 0], walk.points[:, 1]) for walk in batch.walks])
        low, high = np.quantile(ys, [0.05, 0.95], axis=0)
        band = (high - low).mean() / (6.0 - 2 * RADIUS)
        assert batch.diversity == pytest.approx(band, rel=0.3)

    def test_same_seed_same_bits(self, corners):
        one, two, other = (fw.follow.variations(corners, 6, seed=seed) for seed in (5, 5, 6))
        assert one.diversity == two.diversity != other.diversity
        for a, b in zip(one.walks, two.walks, strict=True):
            np.testing.assert_array_equal(a.points, b.points)

    @pytest.mark.parametrize("bad", [0, -1, 1.5, "many", None, math.nan])
    def test_are_counted_in_whole_numbers(self, street, bad):
        with pytest.raises(fw.BadQuery) as error:
            fw.follow.variations(street, bad)
        assert "\n" not in str(error.value)
        assert "count" in str(error.value)


def middle(walk: fw.follow.Walk) -> float:
    """Mean y over the middle half of a walk, m."""
    quarter = len(walk.points) // 4
    return float(walk.points[quarter:-quarter, 1].mean())


def test_walks_spread_evenly_take_up_nine_tenths_of_the_usable_width():
    x = np.linspace(0, 10, 41)
    hall = fw.Corridor.from_balls(np.column_stack([x, 0 * x]), np.full(41, 1.25), radius=0.25)
    for widest, expected in ((1.0, 0.9), (0.5, 0.45), (0.0, 0.0), (3.0, 1.0)):
        walks = [
            SimpleNamespace(points=np.column_stack([x, np.full(41, y)]), radius=0.25)
            for y in np.linspace(-widest, widest, 101)
        ]
        assert diversity(hall, walks) == pytest.approx(expected)
