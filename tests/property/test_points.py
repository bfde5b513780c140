"""What the map says about single points, against brute force over all walls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from footway.corridor import CorridorMap
from footway.environment import Environment, gallery
from tests.effort import examples
from tests.oracle.clearance import clearance, distances, wall_segments
from tests.strategies import Scene, points_on_walls, scenes

EXACT = 1e-6
"""m. What the issue asks of every distance."""

SEEDS = st.integers(0, 2**32 - 1)


class Judged(NamedTuple):
    """Points with the truth about them."""

    points: np.ndarray  # (n, 2) m
    gap: np.ndarray  # (n,) m, distance to the nearest wall, on either side of it
    free: np.ndarray  # (n,) bool, inside the walkable area
    walls: np.ndarray  # (k, 4) m


def judged(env: Environment, points: np.ndarray) -> Judged:
    """Truth about those of the points that are not on a wall."""
    walls = wall_segments(env.walkable, lines=env.lines, points=env.points)
    gap = clearance(points, walls)
    points, gap = points[gap > EXACT], gap[gap > EXACT]
    shapely.prepare(env.walkable)
    free = shapely.contains_xy(env.walkable, points[:, 0], points[:, 1])
    return Judged(points, gap, free, walls)


def scattered(env: Environment, seed: int, *, count: int, margin: float = 0.2) -> np.ndarray:
    """Random points in the map's box and around it; some of them hug the walls."""
    rng = np.random.default_rng(seed)
    low, high = np.array(env.bounds).reshape(2, 2)
    rim = margin * (high - low)
    points = rng.uniform(low - rim, high + rim, (count, 2))
    corners = env.walls.segments[rng.integers(len(env.walls.segments), size=count)]
    near = corners[:, :2] + rng.random((count, 1)) * (corners[:, 2:] - corners[:, :2])
    return np.vstack([points, near + rng.normal(scale=10.0 ** rng.uniform(-5, 0), size=near.shape)])


class TestRandomScenes:
    @examples(40)
    @given(scenes(), SEEDS)
    def test_clearance(self, scene: Scene, seed: int):
        env = scene.environment()
        assert_clearance(scene.corridor_map(), judged(env, scattered(env, seed, count=150)))

    @examples(40)
    @given(scenes(), SEEDS)
    def test_nearest_obstacle(self, scene: Scene, seed: int):
        env = scene.environment()
        assert_nearest(scene.corridor_map(), judged(env, scattered(env, seed, count=150)))

    @examples(40)
    @given(scenes(), SEEDS)
    def test_retract(self, scene: Scene, seed: int):
        env = scene.environment()
        assert_retract(scene.corridor_map(), judged(env, scattered(env, seed, count=150)))

    @examples(30)
    @given(st.data(), scenes())
    def test_points_on_walls(self, data, scene: Scene):
        env = scene.environment()
        cmap = scene.corridor_map()
        spots = np.array([data.draw(points_on_walls(scene)) for _ in range(5)])
        # A repair may have moved the very wall that a point is on, so its gap need not be 0.
        gap = clearance(spots, wall_segments(env.walkable, lines=env.lines, points=env.points))
        assert np.abs(cmap.clearance(spots) - gap).max() < EXACT
        assert np.abs(np.hypot(*(cmap.nearest_obstacle(spots) - spots).T) - gap).max() < EXACT
        place = cmap.locate(spots)
        assert np.isfinite(place.position).all()
        assert (place.edge < cmap.n_edges).all()

    @examples(20)
    @given(scenes())
    def test_corners_of_the_axis_are_where_they_are(self, scene: Scene):
        env = scene.environment()
        cmap = scene.corridor_map()
        inside = judged(env, cmap.vertices).points
        assert np.hypot(*(cmap.retract(inside) - inside).T).max(initial=0) < EXACT

    @examples(20)
    @given(scenes(), SEEDS)
    def test_clearance_on_the_axis(self, scene: Scene, seed: int):
        env = scene.environment()
        cmap = scene.corridor_map()
        assert_clearance(cmap, judged(env, on_axis(cmap, seed)))


def on_axis(cmap: CorridorMap, seed: int) -> np.ndarray:
    """Points of the axis, exactly and by a hair beside it: on the borders of all cells."""
    points = cmap.axis(0.5).points
    return np.vstack(
        [points, points + 1e-9 * np.random.default_rng(seed).normal(size=points.shape)]
    )


class TestGallery:
    @pytest.mark.parametrize("name", ["game", "field", "office", "mckenna"])
    def test_clearance_on_the_axis(self, name: str):
        env = gallery.make(name)
        cmap = CorridorMap.build(env)
        on, beside = (judged(env, points) for points in np.split(on_axis(cmap, 1), 2))
        assert_clearance(cmap, on)
        assert_clearance(cmap, beside)
        assert np.hypot(*(cmap.retract(beside.points) - beside.points).T).max() < 10 * EXACT

    @pytest.mark.parametrize("name", ["game", "field", "office", "city", "mckenna"])
    def test_all(self, name: str):
        env = gallery.make(name)
        cmap = CorridorMap.build(env)
        points = judged(env, scattered(env, 7, count=1_000))
        assert_clearance(cmap, points)
        assert_nearest(cmap, points)
        assert_retract(cmap, points)


def assert_clearance(cmap: CorridorMap, it: Judged) -> None:
    found = cmap.clearance(it.points)
    assert found.shape == it.gap.shape
    np.testing.assert_array_equal(found[~it.free], 0.0)
    assert np.abs(found - it.gap)[it.free].max(initial=0) < EXACT


def assert_nearest(cmap: CorridorMap, it: Judged) -> None:
    """Also from inside an obstacle, where it is the nearest place to stand."""
    contact = cmap.nearest_obstacle(it.points)
    assert np.abs(np.hypot(*(contact - it.points).T) - it.gap).max(initial=0) < EXACT
    assert clearance(contact, it.walls).max(initial=0) < EXACT


def assert_retract(cmap: CorridorMap, it: Judged) -> None:
    place = cmap.locate(it.points)
    np.testing.assert_array_equal(place.edge >= 0, it.free)
    np.testing.assert_array_equal(place.piece >= 0, it.free)
    points, gap, goal = it.points[it.free], it.gap[it.free], place.position[it.free]
    np.testing.assert_array_equal(cmap.retract(points), goal)
    contact = cmap.nearest_obstacle(points)
    there = clearance(goal, it.walls)
    assert np.abs(there - place.clearance[it.free]).max(initial=0) < EXACT
    assert (there >= gap - EXACT).all()
    # x lies between its nearest obstacle point and its retraction, which has that point too.
    walked = np.hypot(*(goal - points).T)
    assert np.abs(gap + walked - np.hypot(*(goal - contact).T)).max(initial=0) < EXACT
    assert np.abs(gap + walked - there).max(initial=0) < EXACT
    assert_two_contacts(cmap, place.piece[it.free], goal, there)


def assert_two_contacts(cmap: CorridorMap, piece, goal, there) -> None:
    """Both sites of the piece are nearest to the place: this is what the axis is."""
    axis = cmap._index.axis
    rows = np.arange(len(goal))
    for sites in (axis.piece_left, axis.piece_right):
        assert (sites[piece] >= 0).all()
        gap = distances(goal, axis.sites[sites[piece]])[rows, rows] if len(goal) else there
        assert np.abs(gap - there).max(initial=0) < EXACT
