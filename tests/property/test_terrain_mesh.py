"""Terrain in random scenes: triangles are sound, lines are measured as Shapely measures them."""

from __future__ import annotations

import numpy as np
import shapely
from hypothesis import given
from hypothesis import strategies as st

from footway.environment.partition import partition
from footway.terrain import Terrain
from tests.effort import examples
from tests.oracle.terrain_mesh import TerrainOracle, areas_of, assert_sound
from tests.strategies import RADII, scenes

NEAR = 1e-5
"""m. Borders and walls bend by less than this where they cross between lattice points."""


@st.composite
def heterogeneous(draw):
    """A random scene with up to six regions on the same grid, many corners on walls or borders."""
    env = draw(scenes()).environment()
    corners = shapely.get_coordinates(env.walkable)
    x0, y0, x1, y1 = (round(1000 * v) for v in env.bounds)
    point = st.one_of(
        st.tuples(st.integers(x0, x1), st.integers(y0, y1)).map(lambda p: (p[0] / 1e3, p[1] / 1e3)),
        st.sampled_from(corners.tolist()).map(tuple),
    )
    shells = shapely.polygons(shapely.get_exterior_ring(shapely.get_parts(env.walkable)))
    inside = shapely.union_all(shells)  # a region that lies outside is refused
    for kind in draw(st.lists(st.sampled_from(["mud", "road", "view"]), max_size=6)):
        hull = shapely.MultiPoint(draw(st.lists(point, min_size=3, max_size=6))).convex_hull
        if hull.area > 0.01 and hull.intersection(inside).area > 0.001:
            env = env.with_terrain([(kind, hull)])
    return env, draw(st.lists(st.tuples(point, point), min_size=8, max_size=8))


@examples(15)
@given(heterogeneous(), RADII)
def test_triangles_are_sound_and_fill_the_space(drawn, radius):
    env, _ = drawn
    try:
        cut = partition(env, radius=radius)
    except ValueError:
        assert env.walkable.buffer(-1.01 * radius).area < 1e-3
        return
    assert_sound(cut)
    if radius == 0:
        assert abs(areas_of(cut).sum() - env.area) < NEAR * env.walkable.length + 1e-6
    tops = TerrainOracle(env).tops
    middles = cut.points[cut.triangles].mean(axis=1)
    for i, kind in enumerate(cut.kinds):
        here = shapely.points(middles[cut.kind == i])
        top = shapely.buffer(tops.get(kind, shapely.Polygon()), NEAR)
        assert shapely.intersects(top, here).all()


@examples(15)
@given(heterogeneous(), RADII)
def test_lines_are_measured_and_stopped_as_by_shapely(drawn, radius):
    env, lines = drawn
    oracle = TerrainOracle(env)
    try:
        terrain = Terrain.build(env, radius)
    except ValueError:
        return
    corners = terrain.mesh.points
    picks = np.linspace(0, len(corners) - 1, 8).astype(int)
    lines = [*lines, *zip(corners[picks].tolist(), corners[picks[::-1]].tolist(), strict=True)]
    for a, b in lines:
        clearance = oracle.clearance(a, b)
        sees = terrain.sees(a, b)
        assert sees == terrain.sees(b, a)
        if clearance > 1.01 * radius + NEAR:
            assert sees
        if not sees:
            continue
        assert clearance >= radius - NEAR
        found = terrain.measure([a, b])
        assert abs(sum(found.values()) - np.hypot(*np.subtract(b, a))) < 1e-9
        for kind, (least, most) in oracle.metres(a, b, NEAR).items():
            assert least - 1e-6 <= found.get(kind, 0.0) <= most + 1e-6
