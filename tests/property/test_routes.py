"""Indicative routes in random scenes: as good as plain searches, and where a disc can go."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import footway as fw
from tests.effort import examples
from tests.oracle.routes import dense_length, dual_length
from tests.oracle.terrain_mesh import TerrainOracle
from tests.property.test_terrain_mesh import NEAR, heterogeneous
from tests.strategies import RADII

WEIGHTS = st.sampled_from([0.1, 0.5, 1.0, 3.0, 30.0])


@st.composite
def queries(draw):
    """A terrain of several kinds, preferences, and two of its points, often on walls or corners."""
    env, lines = draw(heterogeneous())
    try:
        terrain = fw.Terrain.build(env, draw(RADII))
    except fw.BadInput:
        assume(False)
    corners = terrain.mesh.points
    pick = st.integers(0, len(corners) - 1)
    ends = [*lines, (corners[draw(pick)], corners[draw(pick)])]
    held = [(a, b) for a, b in ends if (terrain.triangles_at([a, b]) >= 0).all()]
    start, goal = (np.array(end, float) for end in draw(st.sampled_from(held)))
    assume((start != goal).any())
    return terrain, start, goal, {kind: draw(WEIGHTS) for kind in terrain.kinds}


def found(terrain, start, goal, preferences, **how):
    """The route, or None where there is none."""
    try:
        return fw.route(terrain, start, goal, preferences=preferences, **how)
    except fw.NoPath:
        return None


@examples(30)
@given(queries())
def test_over_triangles_it_is_the_best_route_of_the_dual_graph(query):
    terrain, start, goal, preferences = query
    best = dual_length(terrain, start, goal, terrain.weights(preferences))
    route = found(*query, improve=False)
    assert (route is None) == (best == np.inf)
    if route is not None:
        # A line along a border counts as the better side: it may weigh less than on the graph.
        assert route.weighted_length <= best * (1 + 1e-9) + 1e-9


@examples(30)
@given(queries())
def test_improved_it_is_as_good_as_over_many_points_on_all_sides(query):
    terrain, start, goal, preferences = query
    route = found(*query, margin=0.0)
    best = dense_length(terrain, start, goal, terrain.weights(preferences))
    assert (route is None) == (best == np.inf)
    if route is not None:
        assert route.weighted_length <= best * 1.01 + 1e-9
        assert route.weighted_length <= route.weighted_length_before
        assert route.start == tuple(start)
        assert route.goal == tuple(goal)


@examples(30)
@given(queries(), st.sampled_from([0.05, 0.75, 5.0]))
def test_a_margin_costs_little(query, margin):
    route, best = found(*query, margin=margin), found(*query, margin=0.0)
    assert (route is None) == (best is None)
    if route is not None:
        assert route.weighted_length <= route.weighted_length_before
        assert route.weighted_length <= 1.05 * best.weighted_length + 1e-9
        assert route.weighted_length >= best.weighted_length / 1.01 - 1e-9, "the best is not best"
        assert (route.start, route.goal) == (best.start, best.goal) == tuple(map(tuple, query[1:3]))


@examples(30)
@given(queries(), st.sampled_from(["triangles", "grid"]), st.booleans())
def test_a_disc_can_go_along_it(query, method, improve):
    terrain, _, _, _ = query
    route = found(*query, method=method, improve=improve)
    assume(route is not None)
    oracle = TerrainOracle(terrain.environment)
    for a, b in zip(route.points[:-1], route.points[1:], strict=True):
        assert terrain.sees(a, b)
        assert oracle.clearance(a, b) >= terrain.radius - NEAR
    assert sum(route.measure().values()) == pytest.approx(route.length, abs=1e-6)
    drawn = fw.IndicativeRoute.from_points(terrain, route.points, route.preferences)
    assert drawn.weighted_length == route.weighted_length
