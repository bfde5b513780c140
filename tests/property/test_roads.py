"""Maps of roadmaps in random scenes and volumes, judged by Shapely and by the lattice."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import label

import footway as fw
from footway.roadmap import grid, rrm
from footway.roadmap.lattice.rrm import rrm_of_space
from footway.roadmap.lattice.space import Space, space_of_cells
from tests.effort import examples
from tests.strategies import Scene, scenes

QUERIES = 6
EXACT = 1e-6


def points_in_free_cells(space: Space, seed: int) -> np.ndarray:
    """Random points where the object fits."""
    rng = np.random.default_rng(seed)
    cells = np.argwhere(space.free)[:, ::-1]
    places = cells[rng.integers(0, len(cells), 2 * QUERIES)] + rng.random((2 * QUERIES, 3))
    if space.dimension == 2:
        places[:, 2] = 0.0
    return space.positions(places)


def area_of(point: np.ndarray, space: Space) -> int:
    """Connected part of the free cells that a point is in, where cells that touch are joined."""
    areas, _ = label(space.free, np.ones((3, 3, 3)))
    i, j, k = np.floor(space.lattice(point)).astype(int)
    return int(areas[k, j, i])


@examples(25)
@given(
    scenes(), st.sampled_from([rrm, grid]), st.sampled_from([0.1, 0.25, 0.5]), st.integers(0, 99)
)
def test_paths_keep_their_clearance(scene: Scene, make, radius: float, seed: int):
    env = scene.environment()
    try:
        roadmap = make(env, resolution=0.5, radius=radius)
    except fw.BadInput:  # no cell is free
        return
    roads, exact = fw.CorridorMap.from_roadmap(roadmap), scene.corridor_map()
    walls = shapely.union_all([env.walkable.boundary, env.lines, env.points])
    points = points_in_free_cells(roadmap.space, seed)
    for a, b in zip(points[:QUERIES], points[QUERIES:], strict=True):
        try:
            path = roads.path(a, b, radius=radius)
        except fw.NoPath:
            assert area_of(a, roadmap.space) != area_of(b, roadmap.space)
            continue
        away = shapely.LineString(path.points).distance(walls)
        assert away >= radius - EXACT
        assert path.clearance == pytest.approx(away, abs=EXACT)
        assert path.length >= exact.path(a, b, radius=radius).length - EXACT


@examples(25)
@given(scenes(), st.integers(0, 99))
def test_points_are_free_only_where_they_are(scene: Scene, seed: int):
    env = scene.environment()
    try:
        roadmap = rrm(env, resolution=0.5, radius=0.25)
    except fw.BadInput:
        return
    roads, exact = fw.CorridorMap.from_roadmap(roadmap), scene.corridor_map()
    low, high = np.array(roads.bounds).reshape(2, 2)
    points = low + np.random.default_rng(seed).random((200, 2)) * (high - low)
    found, expected = roads.clearance(points), exact.clearance(points)
    assert ((found == 0) | (np.abs(found - expected) < EXACT)).all()


@examples(15)
@given(st.integers(0, 9999), st.sampled_from([0.02, 0.1, 0.25]))
def test_every_free_point_is_served_in_space(seed: int, share: float):
    free = np.random.default_rng(seed).random((5, 6, 7)) > share
    space = space_of_cells(free)
    roadmap = rrm_of_space(space)
    smap = fw.CorridorMap.from_roadmap(roadmap)
    points = points_in_free_cells(space, seed)
    for a, b in zip(points[:QUERIES], points[QUERIES:], strict=True):
        try:
            path = smap.path(a, b)
        except fw.NoPath:
            assert area_of(a, space) != area_of(b, space)
            continue
        assert space.lines_are_free(path.points[:-1], path.points[1:]).all()
