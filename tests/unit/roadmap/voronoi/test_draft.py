"""Overlapping edges (figure 6 of voronoi-roadmaps-2004), bypassed vertices and straight roads."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from footway.environment import Environment
from footway.roadmap.lattice.space import make_space
from footway.roadmap.voronoi.draft import (
    Draft,
    _crossing,
    bypass_vertices,
    drop_dead_ends,
    drop_useless_chains,
    join_crossings,
    join_overlaps,
    straighten_roads,
    unite_vertices,
)

RADIUS, DESIRED = 0.25, 0.5


def draft_of(
    points: list[tuple[float, float]],
    edges: list[tuple[int, int]],
    *,
    obstacles: tuple[tuple[float, float, float, float], ...] = (),
) -> Draft:
    """A draft roadmap in a hall of 40 by 4 m with boxes in it."""
    env = Environment.from_polygons(
        bounds=(0, 0, 40, 4), obstacles=[shapely.box(*box) for box in obstacles]
    )
    draft = Draft(make_space(env)._replace(radius=0.0), radius=RADIUS, desired=DESIRED)
    draft.add_vertices(np.array(points, float))
    draft.add_edges(np.array(edges), is_passage=False)
    return draft


def roads(draft: Draft) -> set[frozenset[int]]:
    return {frozenset(edge) for edge in draft.edges.tolist()}


class TestFigure6:
    """Edge 0-1 is the long one; the other lies 0.1 m beside it."""

    def test_a_one_edge_lies_within_the_other(self):
        draft = draft_of([(5, 2), (35, 2), (15, 2.1), (25, 2.1)], [(0, 1), (2, 3)])
        join_overlaps(draft)
        assert roads(draft) == {frozenset(pair) for pair in [(0, 2), (2, 3), (3, 1)]}

    def test_b_each_ends_beside_the_other(self):
        draft = draft_of([(5, 2), (25, 2), (15, 2.1), (35, 2.1)], [(0, 1), (2, 3)])
        join_overlaps(draft)
        assert roads(draft) == {frozenset(pair) for pair in [(0, 2), (2, 1), (1, 3)]}

    def test_c_they_share_a_vertex(self):
        draft = draft_of([(5, 2), (35, 2), (20, 2.1)], [(0, 1), (0, 2)])
        join_overlaps(draft)
        assert roads(draft) == {frozenset(pair) for pair in [(0, 2), (2, 1)]}

    def test_d_both_ends_are_the_same_but_for_a_little(self):
        draft = draft_of([(5, 2), (35, 2), (5.1, 2.1), (34.9, 2.1)], [(0, 1), (2, 3)])
        join_overlaps(draft)
        ((a, b),) = draft.edges.tolist()
        assert (a in (0, 2), b in (1, 3)) == (True, True), "one vertex of each pair is left"
        assert (draft.at[a], draft.at[b]) == ((5.0, 2.0), (35.0, 2.0)), "where they were"
        assert draft.degree(2 - a) == draft.degree(4 - b) == 0

    def test_edges_far_apart_stay_two(self):
        draft = draft_of([(5, 1), (35, 1), (5, 3), (35, 3)], [(0, 1), (2, 3)])
        join_overlaps(draft)
        assert len(roads(draft)) == 2

    def test_an_obstacle_between_them_keeps_them_apart(self):
        post = (19.99, 1.99, 20.01, 2.01)
        points = [(5.0, 2.0), (35.0, 2.0), (20.0, 1.45), (20.0, 2.55)]
        edges = [(0, 2), (2, 1), (0, 3), (3, 1)]
        draft = draft_of(points, edges, obstacles=(post,))
        join_overlaps(draft)
        assert len(roads(draft)) == 4

    def test_clearance_is_kept(self):
        pillars = (
            (14, 0, 16, 1.45),
            (14, 2.55, 16, 4),
        )  # a gate of 1.1 m: the desired clearance just fits
        draft = draft_of([(5, 2), (35, 2), (10, 2.2)], [(0, 1), (0, 2)], obstacles=pillars)
        join_overlaps(draft)
        away = [draft._measure([(draft.at[a], draft.at[b])])[0] for a, b in draft.edges.tolist()]
        assert min(away) >= DESIRED - 1e-6


def test_crossing_roads_get_a_junction():
    draft = draft_of([(5, 1), (15, 3), (5, 3), (15, 1)], [(0, 1), (2, 3)])
    join_crossings(draft)
    assert draft.at[4] == pytest.approx((10, 2))
    assert draft.degree(4) == 4


class TestBypass:
    def test_a_vertex_on_a_straight_road_is_removed(self):
        draft = draft_of([(5, 2), (20, 2.3), (35, 2)], [(0, 1), (1, 2)])
        bypass_vertices(draft)
        assert roads(draft) == {frozenset((0, 2))}

    def test_not_where_clearance_would_be_lost(self):
        draft = draft_of(
            [(5, 1), (20, 2.6), (35, 1)], [(0, 1), (1, 2)], obstacles=((19, 0, 21, 2),)
        )
        bypass_vertices(draft)
        assert len(roads(draft)) == 2

    def test_not_to_the_other_side_of_an_obstacle(self):
        post = (19.99, 1.69, 20.01, 1.71)
        draft = draft_of([(5, 1), (20, 2.3), (35, 1)], [(0, 1), (1, 2)], obstacles=(post,))
        bypass_vertices(draft)
        assert len(roads(draft)) == 2


def test_a_junction_moves_onto_the_road():
    draft = draft_of([(5, 2), (20, 1.6), (35, 2), (20, 3.4)], [(0, 1), (1, 2), (1, 3)])
    straighten_roads(draft)
    assert draft.at[1] == pytest.approx((20, 2))


def test_dead_ends_into_corners_go_and_others_stay():
    draft = draft_of([(2, 2), (20, 2), (38, 2), (39.4, 3.4)], [(0, 1), (1, 2), (2, 3)])
    drop_dead_ends(draft, 1 / 3, all_of_them=False)
    assert roads(draft) == {frozenset((0, 1)), frozenset((1, 2))}
    drop_dead_ends(draft, 1 / 3, all_of_them=True)
    assert roads(draft) == set()


def test_only_chains_that_save_much_are_kept():
    around = [(5.0, 2.0), (20.0, 3.5), (35.0, 2.0)]
    draft = draft_of([*around, (20.0, 1.0), (2.0, 2.0), (38.0, 2.0)], [(4, 0), (2, 5)])
    draft.add_edges(np.array([(0, 1), (1, 2)]), is_passage=True)
    draft.add_edges(np.array([(0, 3), (3, 2)]), is_passage=False)
    drop_useless_chains(draft, 1.0 - 1e-3)
    assert len(roads(draft)) == 6
    drop_useless_chains(draft, 1.5)
    assert frozenset((0, 3)) not in roads(draft)
    assert {frozenset((0, 1)), frozenset((4, 0)), frozenset((2, 5))} <= roads(draft)


@pytest.mark.parametrize(("y", "united"), [(1.56, 1), (1.5, 0)])
def test_vertices_are_close_if_each_is_close_to_the_other(y, united):
    """At (10, 2) 0.6 m is close, at (10, 1.5) 0.45 m: 0.5 m is not."""
    draft = draft_of([(10, 2), (30, 2), (10, y), (30, 0.5)], [(0, 1), (2, 3)])
    assert unite_vertices(draft, set()) == united


@pytest.mark.parametrize("seed", range(5))
def test_where_two_lines_cross(seed):
    a, b, c, d = ends = np.random.default_rng(seed).uniform(0, 4, (4, 2))
    along = [shapely.LineString([p - 99 * (q - p), q + 99 * (q - p)]) for p, q in ((a, b), (c, d))]
    expected = shapely.get_coordinates(shapely.intersection(*along))
    assert _crossing(*ends) == pytest.approx(expected[0], abs=1e-9)
