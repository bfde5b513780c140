"""Voxels and plans of random meshes, against points that are judged one by one."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

import footway as fw
from tests.effort import examples
from tests.unit.formats.meshes import box, write_obj

pytest.importorskip("trimesh")

NUMBERS = st.integers(0, 40).map(lambda tenths: tenths / 10)
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2, 3) boxes within 4 m, and the triangles of all, turned about the z axis."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        low, high = (np.array([draw(NUMBERS) for _ in range(3)]) for _ in range(2))
        low, high = np.minimum(low, high), np.maximum(low, high) + 0.1
        found.append((low, high))
    return np.array(found), np.concatenate([box(*one) for one in found])


def turned(points: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])


def loaded(triangles: np.ndarray, **options):
    # Two far corners make the box of the mesh the same for all.
    frame = np.concatenate([box((-9, -9, -1), (-8.9, -8.9, -0.9)), box((9, 9, 5), (9.1, 9.1, 5.1))])
    with tempfile.TemporaryDirectory() as folder:
        file = write_obj(Path(folder) / "a.obj", triangles, frame)
        try:
            return fw.load(file, up="z", **options)
        except fw.BadGeometry:
            return assume(condition=False)


@examples(30)
@given(bodies(), st.floats(0, 6), st.sampled_from([0.3, 0.5, 1.0]), SEEDS)
def test_whatever_is_in_a_body_is_in_a_solid_voxel(given_bodies, angle, step, seed):
    boxes, triangles = given_bodies
    volume = loaded(turned(triangles, angle), resolution=step)
    rng = np.random.default_rng(seed)
    pick = boxes[rng.integers(len(boxes), size=500)]
    within = rng.random((500, 3)) * 0.96 + 0.02
    inside = turned(pick[:, 0] + within * (pick[:, 1] - pick[:, 0]), angle)
    # Corners move by up to a millimetre to the grid; the margin above is larger.
    x, y, z = ((inside - volume.origin) // step).astype(int).T
    assert volume.solid[z, y, x].all()


@examples(30)
@given(bodies(), st.floats(0, 6), st.sampled_from([0.3, 0.5, 1.0]))
def test_no_voxel_is_solid_without_a_reason(given_bodies, angle, step):
    boxes, triangles = given_bodies
    volume = loaded(turned(triangles, angle), resolution=step)
    k, j, i = np.nonzero(volume.solid)
    middle = np.array(volume.origin) + (np.stack([i, j, k], axis=1) + 0.5) * step
    back = turned(middle, -angle)
    gap = np.maximum(boxes[:, np.newaxis, 0] - back, back - boxes[:, np.newaxis, 1])
    nearest = np.linalg.norm(gap.clip(0), axis=2).min(axis=0)
    framed = (np.abs(middle) > 8).any(axis=1)
    assert (nearest[~framed] <= step * np.sqrt(3) / 2 + 0.002).all()


@examples(30)
@given(bodies(), st.floats(0, 6), st.tuples(NUMBERS, NUMBERS))
def test_plans_are_the_shadows_of_what_stands_between(given_bodies, angle, heights):
    boxes, triangles = given_bodies
    low, high = min(heights) + 0.033, max(heights) + 0.077
    env = loaded(turned(triangles, angle), between=(low, high))
    shadows = [
        shapely.Polygon(
            turned(np.array([(a, b, 0), (c, b, 0), (c, d, 0), (a, d, 0)]), angle)[:, :2]
        )
        for (a, b, bottom), (c, d, top) in boxes
        if bottom < high and top > low
    ]
    solid = shapely.union_all(shadows)
    frame = shapely.box(-9, -9, 9.1, 9.1)
    assert env.walkable.symmetric_difference(frame.difference(solid)).area < 0.2
    deep = solid.buffer(-0.005)
    assert env.walkable.intersection(deep).area < 1e-9
    assert frame.buffer(-0.2).difference(solid.buffer(0.005)).difference(env.walkable).area < 1e-9
