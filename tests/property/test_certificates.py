"""Certificates among acute, slim and star-shaped obstacles, from points to thin discs.

Touching and crossing a wall both have distance 0: what a path crosses is measured by Shapely.
"""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.terrain import Terrain
from tests.effort import examples
from tests.oracle.clearance import path_clearance
from tests.oracle.shortest import ShortestOracle
from tests.strategies import Scene, points_inside, points_on_walls, scenes

THIN_RADII = (0.0, 1e-9, 1e-7, 1e-6, 1e-3)
"""m. Where rounding, tolerances and radii are of one size."""

DEPTH = 2e-7
"""m. A path may cut a corner by this much: twice what the search takes for touching."""

EXACT = 1e-6
"""m, and of a length."""

QUERIES = 8

Point = tuple[float, float]
Pairs = list[tuple[Point, Point]]


@st.composite
def questions(draw: st.DrawFn, *, on_walls: bool = False) -> tuple[Scene, Pairs]:
    """Draw a scene with acute obstacles and pairs of points, the first on a wall if asked for."""
    scene = draw(scenes("acute"))
    inside = points_inside(scene)
    first = points_on_walls(scene) if on_walls else inside
    pair = st.tuples(first, inside)
    return scene, draw(st.lists(pair, min_size=QUERIES, max_size=QUERIES))


def metres_in_walls(points: np.ndarray, walkable: shapely.Geometry) -> float:
    """Length of a polyline (n, 2) that lies deeper in obstacles than DEPTH."""
    free = shapely.buffer(walkable, DEPTH, join_style="mitre")
    return float(shapely.difference(shapely.LineString(points), free).length)


def answers(cmap: fw.CorridorMap, pairs: Pairs, radius: float) -> list[fw.Path | None]:
    """Answers of `paths`, which are those of `path`."""
    starts, goals = np.array(pairs).transpose(1, 0, 2)
    found = cmap.paths(starts, goals, radius=radius, threads=1)
    for (a, b), path in zip(pairs, found, strict=True):
        if path is None:
            with pytest.raises((fw.NoPath, fw.BadQuery)):
                cmap.path(a, b, radius=radius)
        else:
            assert cmap.path(a, b, radius=radius).length == path.length
    return found


@examples(60)
@given(questions())
def test_paths_are_contained_clear_and_shortest(it: tuple[Scene, Pairs]):
    scene, pairs = it
    env = scene.environment()
    cmap = scene.corridor_map()
    for radius in THIN_RADII:
        oracle = scene.oracle(ShortestOracle, radius)
        for (a, b), path in zip(pairs, answers(cmap, pairs, radius), strict=True):
            on_wall = path_clearance([a], env) < EXACT or path_clearance([b], env) < EXACT
            if path is None:
                assert on_wall or not np.isfinite(oracle.length(a, b)), "missed"
                continue
            assert metres_in_walls(path.points, env.walkable) == 0.0
            truth = path_clearance(path.points, env)
            assert truth >= radius - EXACT
            assert path.clearance <= truth + EXACT
            assert path.method == "shortest"
            if not on_wall:  # there the oracle may take the point for one in the wall
                assert path.length == pytest.approx(oracle.length(a, b), rel=EXACT, abs=EXACT)


@examples(60)
@given(questions(on_walls=True))
def test_paths_from_walls_and_corners_are_contained(it: tuple[Scene, Pairs]):
    scene, pairs = it
    env = scene.environment()
    cmap = scene.corridor_map()
    for radius in THIN_RADII[:2]:
        for path in answers(cmap, pairs, radius):
            if path is not None:
                assert metres_in_walls(path.points, env.walkable) == 0.0
                assert path_clearance(path.points, env) >= radius - EXACT


@examples(25)
@given(st.data(), scenes(), st.sampled_from([0.0, 1e-7, 1e-3, 0.1, 0.25, 0.5]))
def test_a_terrain_measures_every_path_of_the_map(data: st.DataObject, scene: Scene, radius: float):
    spot = points_inside(scene)
    pairs = data.draw(st.lists(st.tuples(spot, spot), min_size=QUERIES, max_size=QUERIES))
    env = scene.environment()
    starts, goals = np.array(pairs).transpose(1, 0, 2)
    paths = scene.corridor_map().paths(starts, goals, radius=radius, threads=1)
    try:
        terrain = Terrain.build(env, radius)
    except fw.BadGeometry:
        assert all(path is None or path.length < EXACT for path in paths)
        return
    for path in paths:
        if path is not None:
            metres = sum(terrain.measure(path.points).values())
            assert metres == pytest.approx(float(path.arc_lengths[-1]), abs=EXACT)


@examples(25)
@given(st.data(), scenes(), st.sampled_from([0.0, 0.1, 0.25, 0.5]))
def test_a_terrain_refuses_lines_that_cross_a_wall(
    data: st.DataObject, scene: Scene, radius: float
):
    spot = points_inside(scene)
    pairs = data.draw(st.lists(st.tuples(spot, spot), min_size=QUERIES, max_size=QUERIES))
    env = scene.environment()
    walls = shapely.union_all([env.walkable.boundary, env.lines])
    try:
        terrain = Terrain.build(env, radius)
    except fw.BadGeometry:
        return
    for pair in pairs:
        crosses = metres_in_walls(np.array(pair), env.walkable) > EXACT
        near = radius > 0 and shapely.distance(shapely.LineString(pair), walls) < radius - 2 * EXACT
        if crosses or near:
            with pytest.raises(fw.BadQuery):
                terrain.measure(pair)
