"""Rasters against judges that know nothing of cells: Shapely in the plane, brute force in space."""

from __future__ import annotations

import numpy as np
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import footway as fw
from footway.environment import Environment, Volume, gallery, rasterise
from tests.effort import examples
from tests.oracle.clearance import clearance, wall_segments
from tests.strategies import Scene, scenes

SEEDS = st.integers(0, 2**32 - 1)
EXACT = 1e-6
"""m."""


def free_or_skip(environment, **object_):
    try:
        return rasterise(environment, **object_)
    except fw.BadInput as error:
        assert any(words in str(error) for words in ("fits in no cell", "and the map only"))  # noqa: PT017  nothing else may be wrong
        return assume(condition=False)


def points_in_free_cells(raster, seed: int, count: int) -> np.ndarray:
    """Random points, some of them on the sides and corners of cells."""
    rng = np.random.default_rng(seed)
    cells = np.argwhere(raster.free)[:, ::-1]
    within = rng.random((count, 3)).round(rng.integers(0, 4))
    return (
        raster.origin + (cells[rng.integers(len(cells), size=count)] + within) * raster.resolution
    )


def judge_plane(env: Environment, raster, seed: int) -> None:
    walls = wall_segments(env.walkable, lines=env.lines, points=env.points)
    points = points_in_free_cells(raster, seed, 300)[:, :2]
    assert clearance(points, walls).min() >= raster.radius - EXACT
    assert shapely.intersects_xy(env.walkable, points[:, 0], points[:, 1]).all()
    # Cells that are not free are not: their square is nearer than the radius, or is not walkable.
    j, i = np.nonzero(~raster.free[0])
    x, y = raster.origin[0] + i * raster.resolution, raster.origin[1] + j * raster.resolution
    squares = shapely.box(x, y, x + raster.resolution, y + raster.resolution)
    solid = shapely.union_all([env.walkable.boundary, env.lines, env.points])
    near = shapely.distance(squares, solid) < raster.radius + EXACT
    assert (near | ~shapely.intersects(env.walkable, squares)).all()


def judge_corners(env: Environment, raster, seed: int) -> None:
    walls = wall_segments(env.walkable, lines=env.lines, points=env.points)
    rng = np.random.default_rng(seed)
    _, ny, nx = raster.clearance.shape
    j, i = rng.integers(ny, size=200), rng.integers(nx, size=200)
    points = raster.origin[:2] + np.stack([i, j], axis=1) * raster.resolution
    inside = shapely.contains_xy(env.walkable, points[:, 0], points[:, 1])
    expected = np.where(inside, np.maximum(clearance(points, walls) - raster.radius, 0), 0)
    assert np.abs(raster.clearance[0, j, i] - expected).max() < EXACT


@examples(40)
@given(scenes(), st.sampled_from([0.3, 0.5, 0.77, 1.0]), st.sampled_from([0.1, 0.25, 0.5]), SEEDS)
def test_discs_keep_their_radius_from_all_walls(scene: Scene, step: float, radius: float, seed):
    env = scene.environment()
    raster = free_or_skip(env, resolution=step, radius=radius)
    judge_plane(env, raster, seed)
    judge_corners(env, raster, seed)


def test_discs_in_the_field_and_in_the_office():
    for name in ("field", "office"):
        env = gallery.make(name)
        raster = rasterise(env, resolution=0.5, radius=0.5)
        judge_plane(env, raster, 1)
        judge_corners(env, raster, 2)


def volumes() -> st.SearchStrategy[Volume]:
    """Few solid voxels in a small volume, of any step and place."""
    shapes = st.tuples(*(st.integers(3, 9) for _ in range(3)))
    solid = shapes.flatmap(
        lambda shape: arrays(bool, shape, elements=st.integers(0, 9).map(lambda roll: roll == 0))
    )
    places = st.tuples(*(st.sampled_from([0.0, -3.7, 12.25]) for _ in range(3)))
    return st.builds(Volume, solid, st.sampled_from([0.25, 0.5, 1.0]), places)


def solid_boxes(volume: Volume) -> np.ndarray:
    """(n, 2, 3) corners of all solid voxels, m, and of six slabs around the volume."""
    cells = np.argwhere(volume.solid)[:, ::-1]
    low = np.array(volume.origin) + cells * volume.resolution
    bounds = np.array(volume.bounds).reshape(2, 3)
    slabs = np.tile([[-1e3] * 3, [1e3] * 3], (6, 1, 1))
    for axis in range(3):
        slabs[axis, 1, axis] = bounds[0, axis]
        slabs[3 + axis, 0, axis] = bounds[1, axis]
    return np.concatenate([np.stack([low, low + volume.resolution], axis=1), slabs])


@examples(30)
@given(volumes(), st.tuples(*(st.sampled_from([0.2, 0.5, 1.0, 1.3]) for _ in range(3))))
def test_a_box_swept_over_a_free_cell_meets_nothing(volume: Volume, size):
    raster = free_or_skip(volume, size=size)
    solids = solid_boxes(volume)
    half = np.array(size) / 2
    for k, j, i in np.ndindex(raster.free.shape):
        low = raster.origin + np.array([i, j, k]) * raster.resolution - half
        high = low + raster.resolution + 2 * half
        deep = (np.minimum(solids[:, 1], high) - np.maximum(solids[:, 0], low)).min(axis=1)
        assert raster.free[k, j, i] == (deep.max() < EXACT)


@examples(30)
@given(volumes(), st.sampled_from([0.1, 0.25, 0.4, 0.5, 0.9]))
def test_a_ball_in_a_free_cell_keeps_its_radius(volume: Volume, radius: float):
    raster = free_or_skip(volume, radius=radius)
    solids = solid_boxes(volume)
    for k, j, i in np.ndindex(raster.free.shape):
        low = raster.origin + np.array([i, j, k]) * raster.resolution
        gap = np.maximum(solids[:, 0] - (low + raster.resolution), low - solids[:, 1]).clip(0)
        assert raster.free[k, j, i] == (np.linalg.norm(gap, axis=1).min() > radius - EXACT)


@examples(20)
@given(volumes(), st.sampled_from([0.2, 0.6]))
def test_clearance_is_the_distance_to_the_nearest_cell_that_is_not_free(volume: Volume, radius):
    raster = free_or_skip(volume, radius=radius)
    blocked = solid_boxes(Volume(~raster.free, resolution=raster.resolution, origin=volume.origin))
    for k, j, i in np.ndindex(raster.clearance.shape):
        at = raster.origin + np.array([i, j, k]) * raster.resolution
        gap = np.maximum(blocked[:, 0] - at, at - blocked[:, 1]).clip(0)
        expected = np.linalg.norm(gap, axis=1).min()
        assert abs(raster.clearance[k, j, i] - expected) < EXACT
