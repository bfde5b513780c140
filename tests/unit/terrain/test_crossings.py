"""Crossed sides, shortened to keep a margin from worse terrain."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway._numba.jit import kernel
from footway.terrain.kernels import crossings as chains


@kernel
def kept_off(t, k, p, margin, allowed, weights, mesh):
    return chains._near_worse(t, k, p, margin, allowed, weights, mesh)


def test_a_side_is_cut_where_it_is_as_far_off_worse_ground_as_the_margin_says():
    """At whatever angle it meets the border: not farther, not nearer."""
    rng = np.random.default_rng(2)
    blots = [
        rng.uniform((2, 2), (18, 13)) + rng.uniform(0.5, 1.5) * rng.normal(size=(3, 2))
        for _ in range(12)
    ]
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 15), terrain=[("mud", blot.tolist()) for blot in blots]
    )
    terrain = fw.Terrain.build(env, 0.0)
    mesh, weights, margin = terrain.mesh, terrain.weights({"mud": 3.0}), 1e-5
    points, triangles, is_worse = mesh.points, mesh.triangles, weights[mesh.kind] > 1.0
    cuts = []
    for t, k in zip(*np.nonzero(mesh.neighbours >= 0), strict=True):
        if is_worse[t] or is_worse[mesh.neighbours[t, k]]:
            continue
        p, q = triangles[t, k], triangles[t, (k + 1) % 3]
        off = kept_off(t, k, p, margin, 1.0, weights, mesh)
        around = triangles[(triangles == p).any(axis=1) & is_worse]
        if not len(around):
            assert off == 0.0
            continue
        cut = points[p] + off * (points[q] - points[p]) / np.linalg.norm(points[q] - points[p])
        worse = shapely.polygons(points[around])
        assert shapely.distance(worse, shapely.Point(cut)).min() == pytest.approx(margin, rel=1e-3)
        cuts.append(off / margin)
    assert len(cuts) > 50
    assert max(cuts) > 3.0
    assert min(cuts) == 1.0
