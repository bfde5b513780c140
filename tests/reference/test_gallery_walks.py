"""What the issue promises about walks: 1,000 random queries in each of game, field and city.

Smooth, clear of walls and discs, and all of them arrive; with and without everything that can be
switched on. Shapely is the judge of distances.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

import footway as fw
from tests.oracle.backbone import ShortestBackbone
from tests.oracle.follow import (
    assert_stops_without_circling,
    assert_walk,
    comes_within,
    gap_to_discs,
    gap_to_walls,
)
from tests.reference.test_gallery_paths import free_points, site

GALLERY = ["field", *(pytest.param(name, marks=pytest.mark.slow) for name in ("game", "city"))]
COUNT = 1_000
RADIUS = 0.25

HABITS: dict[str, dict[str, Any]] = {
    "plain": {},
    "noise": {"noise": 0.5, "seed": 7},
    "left": {"lane": 0.5},
    "right": {"lane": -0.5},
    "tight": {"corner": 0.5},
    "wide": {"corner": -0.5},
    "short": {"shortcut": 0.1},
    "shortest": {"shortcut": 1.0},
    "all": {"noise": 0.5, "lane": -0.3, "corner": 0.5, "shortcut": 0.2, "seed": 3},
}


@cache
def queries(name: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts and goals (n, 2) each, that have a path."""
    it = site(name)
    starts, goals = free_points(it.env, seed=21, count=3 * count).reshape(2, -1, 2)
    paths = it.cmap.paths(starts, goals, radius=RADIUS)
    has_path = np.array([path is not None for path in paths])
    assert has_path.sum() >= count
    return starts[has_path][:count], goals[has_path][:count]


@lru_cache(maxsize=2)  # those of the city take 100 MB
def walks(name: str, habit: str = "plain", count: int = COUNT) -> list[fw.follow.Walk]:
    """Walks of all queries, none of which may fail to arrive."""
    starts, goals = queries(name, count)
    found = fw.follow.cmm_batch(site(name).cmap, starts, goals, radius=RADIUS, **HABITS[habit])
    lost = [k for k, walk in enumerate(found) if walk is None]
    assert not lost, f"{len(lost)} do not arrive, such as {starts[lost[0]]} to {goals[lost[0]]}"
    return [walk for walk in found if walk is not None]


@pytest.mark.parametrize("name", GALLERY)
class TestEveryQuery:
    @pytest.mark.parametrize("habit", HABITS)
    def test_is_smooth_clear_and_arrives(self, name: str, habit: str):
        walls = site(name).walls
        for walk in walks(name, habit):
            assert_walk(walk)
            tight = float(walk.corridor.radii.min()) < RADIUS + 1e-6
            least = RADIUS - (1e-6 if tight else 1e-9)
            assert not comes_within(walls, walk.points, least), f"{walk} from {walk.start}"

    def test_stops_without_circling(self, name: str):
        for walk in walks(name):
            assert_stops_without_circling(walk)

    def test_claims_the_clearance_that_it_has(self, name: str):
        walls = site(name).walls
        for walk in walks(name)[:100]:
            assert walk.clearance == pytest.approx(gap_to_walls(walls, walk.points), abs=1e-9)

    def test_follows_the_shortest_backbone(self, name: str):
        it = site(name)
        oracle = ShortestBackbone(it.cmap, RADIUS)
        for walk in walks(name)[:100]:
            ends = walk.start, walk.goal
            along = oracle.length_along(walk.corridor.edges, *ends)
            assert along == pytest.approx(oracle.length(*ends), rel=1e-6)

    @pytest.mark.parametrize("avoid", ["forces", "corridor"])
    def test_is_clear_of_discs(self, name: str, avoid: str):
        it, arrived = site(name), 0
        rng = np.random.default_rng(4)
        for walk in walks(name)[:300]:
            discs = some_discs(walk.corridor, rng, count=5)
            other = ask(walk.corridor, discs, avoid)
            if isinstance(other, fw.NoPath):
                assert other.reason == "blocked"
                assert other.obstacles
                continue
            arrived += 1
            assert_walk(other)
            assert not comes_within(it.walls, other.points, RADIUS - 1e-6)
            rest = [((x, y), size) for x, y, size in discs]
            assert gap_to_discs(other.points, RADIUS, rest) >= -1e-9
        assert arrived > 200, "small discs seldom close a corridor"


@pytest.mark.parametrize("name", GALLERY)
class TestHabits:
    def test_longer_shortcuts_give_shorter_walks(self, name: str):
        """Figure 13 of cmm-2007, on average over the queries."""
        lengths = [total(name, habit) for habit in ("plain", "short", "shortest")]
        assert lengths[0] > lengths[1] > lengths[2]

    def test_longest_shortcuts_come_near_the_shortest_path(self, name: str):
        starts, goals = queries(name, COUNT)
        paths = site(name).cmap.paths(starts, goals, radius=RADIUS)
        shortest = sum(path.length for path in paths if path is not None)
        # The shortest backbone is not always around the shortest path.
        assert shortest <= total(name, "shortest") <= 1.1 * shortest

    def test_walks_are_not_longer_than_backbones(self, name: str):
        backbones = sum(walk.corridor.length for walk in walks(name))
        assert total(name, "plain") < backbones

    def test_tight_corners_are_shorter_than_wide_ones(self, name: str):
        assert total(name, "tight") < total(name, "plain") < total(name, "wide")

    def test_lanes_are_apart(self, name: str):
        """Left is left: how far the two lanes are apart, in the mean along the backbone."""
        left, right = (
            [lateral(walk) for walk in walks(name, lane)[:300] if walk.corridor.length > 10]
            for lane in ("left", "right")
        )
        apart = np.array(left) - np.array(right)
        assert apart.mean() > 0.5
        assert np.quantile(apart, 0.05) > 0.0


@pytest.mark.parametrize("name", GALLERY)
def test_batches_are_single_walks(name: str):
    starts, goals = queries(name, COUNT)
    for k in range(0, COUNT, 10):
        corridor = site(name).cmap.corridor(starts[k], goals[k], radius=RADIUS)
        habits = HABITS["all"] | {"seed": HABITS["all"]["seed"] + k}
        single = fw.follow.cmm(corridor, **habits)
        np.testing.assert_array_equal(single.points, walks(name, "all")[k].points)


@pytest.mark.parametrize("name", GALLERY)
def test_batches_do_not_depend_on_threads(name: str):
    starts, goals = queries(name, COUNT)
    one, two = (
        fw.follow.cmm_batch(
            site(name).cmap, starts, goals, radius=RADIUS, threads=threads, **HABITS["all"]
        )
        for threads in (1, 2)
    )
    for a, b in zip(one, two, strict=True):
        assert a is not None
        assert b is not None
        np.testing.assert_array_equal(a.points, b.points)


@cache
def total(name: str, habit: str) -> float:
    """Summed length of all walks, m."""
    return sum(walk.length for walk in walks(name, habit))


def ask(
    corridor: fw.Corridor, discs: list[tuple[float, float, float]], avoid: str
) -> fw.follow.Walk | fw.NoPath:
    """A walk, or the reason why there is none."""
    try:
        return fw.follow.cmm(corridor, obstacles=discs, avoid=avoid)
    except fw.NoPath as refusal:
        return refusal


def lateral(walk: fw.follow.Walk) -> float:
    """Mean offset of a walk from its backbone, to the left, m: each ball has its nearest point."""
    backbone = walk.corridor.backbone[2:-2]
    along = np.gradient(backbone, axis=0)
    left = np.column_stack([-along[:, 1], along[:, 0]])
    left /= np.maximum(np.hypot(*left.T), 1e-12)[:, None]
    nearest = walk.points[cKDTree(walk.points).query(backbone)[1]]
    return float(((nearest - backbone) * left).sum(axis=1).mean())


def some_discs(
    corridor: fw.Corridor, rng: np.random.Generator, *, count: int
) -> list[tuple[float, float, float]]:
    """Discs of 0.1 to 0.4 m in the corridor's balls, clear of its ends."""
    discs: list[tuple[float, float, float]] = []
    for _ in range(10 * count):
        k = int(rng.integers(len(corridor.radii)))
        angle, share = rng.uniform(0, 2 * math.pi), rng.uniform(0.0, 0.9)
        reach = share * corridor.radii[k]
        x, y = corridor.backbone[k] + reach * np.array([math.cos(angle), math.sin(angle)])
        size = float(rng.uniform(0.1, 0.4))
        ends = [math.dist((x, y), end) for end in (corridor.start, corridor.goal)]
        if min(ends) > size + RADIUS + 0.1:
            discs.append((float(x), float(y), size))
        if len(discs) == count:
            break
    return discs
