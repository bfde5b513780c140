"""Blends and paths over them in random scenes on random roadmaps, judged by Shapely."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

import footway as fw
from footway.roadmap import Roadmap, blends
from footway.roadmap.lattice.space import make_space
from footway.roadmap.roadmap import clearance_along
from tests.effort import examples
from tests.oracle import smooth
from tests.strategies import Scene, scenes

QUERIES = 8
NEIGHBOURS = 6
RADII = st.sampled_from([0.1, 0.25, 0.5])
NODES = st.integers(1, 40)
SEEDS = st.integers(0, 999)


def random_roadmap(
    env: fw.Environment, exact: fw.CorridorMap, radius: float, count: int, seed: int
) -> Roadmap | None:
    """Places where the disc fits, and straight edges that it can move along."""
    try:
        space = make_space(env, resolution=0.5, radius=radius)
    except fw.BadInput:  # no cell is free
        return None
    nodes = free_points(env, exact, radius, count, seed)
    if not len(nodes):
        return None
    _, near = cKDTree(nodes).query(nodes, k=min(NEIGHBOURS + 1, len(nodes)))
    near = near.reshape(len(nodes), -1)
    pairs = np.column_stack([np.repeat(np.arange(len(nodes)), near.shape[1]), near.ravel()])
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0).reshape(-1, 2)
    away = clearance_along(nodes[pairs[:, 0]], nodes[pairs[:, 1]], space._replace(radius=0.0))
    return Roadmap.make(nodes, pairs[away >= radius], space, method="voronoi_prm")


def free_points(
    env: fw.Environment, exact: fw.CorridorMap, radius: float, count: int, seed: int
) -> np.ndarray:
    low, high = np.array(env.bounds).reshape(2, 2)
    points = low + np.random.default_rng(seed).random((40 * count, 2)) * (high - low)
    return points[exact.clearance(points) >= radius][:count]


def walls_of(env: fw.Environment) -> shapely.Geometry:
    return shapely.union_all([env.walkable.boundary, env.lines, env.points])


@examples(25)
@given(scenes(), RADII, NODES, SEEDS)
def test_blends_are_the_largest_that_keep_their_clearance(
    scene: Scene, radius: float, count: int, seed: int
):
    env = scene.environment()
    roadmap = random_roadmap(env, scene.corridor_map(), radius, count, seed)
    assume(roadmap is not None)
    walls, found, halved = walls_of(env), blends(roadmap), blends(roadmap, method="halved")
    room = (roadmap.edge_clearance + radius)[found.edges].min(axis=1)
    half = 0.5 * roadmap.lengths[found.edges].min(axis=1)
    for row in np.flatnonzero((found.tangent > 0.0) & (found.radius < 100.0)):
        a, b = smooth.directions_of(roadmap, found, row)
        vertex, tangent = roadmap.nodes[found.vertex[row]], found.tangent[row]
        piece = smooth.blend(vertex, a, b, tangent)
        away = shapely.LineString(piece.points).distance(walls)
        fine = 1e-6 * (1.0 + found.radius[row])
        assert away == pytest.approx(found.clearance[row], abs=fine)
        assert found.clearance[row] >= min(2 * radius, room[row]) - 1e-6
        if tangent < half[row] - 0.03:
            larger = smooth.blend(vertex, a, b, tangent + 0.03)
            assert shapely.LineString(larger.points).distance(walls) < min(2 * radius, room[row])
    exact = dict(zip(zip(found.vertex, *found.edges.T, strict=True), found.tangent, strict=True))
    for key, tangent in zip(
        zip(halved.vertex, *halved.edges.T, strict=True), halved.tangent, strict=True
    ):
        assert tangent <= exact[key] + 1e-6


@examples(25)
@given(scenes(), RADII, NODES, SEEDS)
def test_a_smooth_path_is_found_wherever_there_is_one(
    scene: Scene, radius: float, count: int, seed: int
):
    env = scene.environment()
    exact = scene.corridor_map()
    roadmap = random_roadmap(env, exact, radius, count, seed)
    assume(roadmap is not None)
    blended, walls = fw.CorridorMap.from_roadmap(roadmap), walls_of(env)
    points = free_points(env, exact, radius, 2 * QUERIES, seed + 1)
    half = len(points) // 2
    for a, b in zip(points[:half], points[half : 2 * half], strict=True):
        served = all(in_a_free_cell(roadmap, point) for point in (a, b))
        best = path_or_none(exact, a, b, radius)
        path = path_or_none(blended, a, b, radius, may_refuse=not served)
        assert path is None or best is not None
        assert path is not None or best is None or not served
        if path is None:
            continue
        pieces = smooth.pieces_of(path.pieces)
        gap, bend = smooth.gaps_and_bends(pieces)
        assert gap < 1e-7
        assert bend < 1e-6
        assert path.clearance >= radius - 1e-6
        assert smooth.clearance(pieces, walls) == pytest.approx(path.clearance, abs=1e-4)
        assert shapely.LineString(path.points).distance(walls) >= path.clearance - 1e-6
        assert path.length >= best.length - 1e-6


def path_or_none(
    cmap: fw.CorridorMap,
    a: np.ndarray,
    b: np.ndarray,
    radius: float,
    *,
    may_refuse: bool = False,
) -> fw.Path | None:
    """The points are free: only a map that does not know their room may say that they are not."""
    try:
        return cmap.path(a, b, radius=radius)
    except fw.NoPath:
        return None
    except fw.BadQuery:
        if may_refuse:
            return None
        raise


def in_a_free_cell(roadmap: Roadmap, point: np.ndarray) -> bool:
    """Whether the lattice knows the point: rooms without a free cell may be unknown to a map."""
    i, j, _ = np.floor(roadmap.space.lattice(point[None])[0]).astype(int)
    _, ny, nx = roadmap.space.free.shape
    return bool(0 <= i < nx and 0 <= j < ny and roadmap.space.free[0, j, i])
