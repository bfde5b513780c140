"""Measures of roadmaps, compared with numbers found by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footway.environment import gallery
from footway.errors import BadInput
from footway.roadmap import Roadmap
from footway.roadmap.lattice.grid import grid_of_space
from footway.roadmap.lattice.rrm_star import rrm_star
from footway.roadmap.lattice.rrrm import retract
from footway.roadmap.lattice.space import space_of_cells
from footway.roadmap.measures import (
    ClearanceStatistics,
    clearance_statistics,
    coverage,
    shortest_path_factor,
    sizes,
)
from tests.oracle import cycles

ROOM = space_of_cells(np.ones((10, 10), bool))
NO_EDGES = np.empty((0, 2), int)


def roadmap(nodes: list[tuple[float, float]], edges: list[tuple[int, int]]) -> Roadmap:
    return Roadmap.make(nodes, edges or NO_EDGES, ROOM, method="rrm")


class TestShortestPathFactor:
    def test_a_straight_edge_along_the_grid(self):
        assert shortest_path_factor(roadmap([(1, 1), (9, 1)], [(0, 1)])) == (1.0, 1, 0)

    def test_a_straight_edge_is_shorter_than_the_grid(self):
        found = shortest_path_factor(roadmap([(1, 1), (9, 5)], [(0, 1)])).factor
        assert found == pytest.approx(math.hypot(8, 4) / (4 + 4 * math.sqrt(2)))

    def test_a_detour(self):
        found = shortest_path_factor(roadmap([(1, 1), (9, 1), (9, 9)], [(0, 1), (1, 2)]))
        assert found.factor == pytest.approx((8 + 8 + 16) / (8 + 8 + 8 * math.sqrt(2)))
        assert found.pairs == 3

    def test_pairs_without_a_path_are_left_out_and_counted(self):
        found = shortest_path_factor(roadmap([(1, 1), (9, 1), (9, 9)], [(0, 1)]))
        assert found == (1.0, 1, 2)

    def test_weights_do_not_count(self):
        heavy = roadmap([(1, 1), (9, 1)], [(0, 1)]).with_changes(weights=np.array([3.0]))
        assert shortest_path_factor(heavy).factor == 1.0

    def test_a_node_off_the_lattice_counts_from_the_nearest_corner(self):
        assert shortest_path_factor(roadmap([(1.2, 1), (8.8, 1)], [(0, 1)])).factor == (
            pytest.approx(7.6 / 8)
        )

    def test_the_factor_of_the_grid_is_one(self):
        assert shortest_path_factor(grid_of_space(ROOM)) == (1.0, 121 * 120 // 2, 0)

    def test_no_pairs(self):
        assert shortest_path_factor(roadmap([(1, 1)], [])) == (1.0, 0, 0)

    def test_too_many_nodes(self):
        many = Roadmap.make(np.ones((5001, 2)), NO_EDGES, ROOM, method="rrm")
        with pytest.raises(BadInput, match="5001 nodes are too many"):
            shortest_path_factor(many)


class TestSizes:
    def test_a_triangle(self):
        found = sizes(roadmap([(1, 1), (4, 1), (4, 5)], [(0, 1), (1, 2), (2, 0)]))
        assert found[:4] == (3, 3, 1, 1)
        assert found.configurations == 4 + 5 + 6
        assert found.length == 12.0


class TestClearance:
    def test_along_a_wall(self):
        found = clearance_statistics(roadmap([(2, 1), (4, 1)], [(0, 1)]))
        assert found == ClearanceStatistics(1.0, 1.0, 1.0)

    def test_least_average_and_most(self):
        found = clearance_statistics(roadmap([(1, 5), (4, 5)], [(0, 1)]))
        assert (found.least, found.most) == (1.0, 4.0)
        assert found.average == pytest.approx((1 + 4 + 1 + 2 + 3 + 4) / 6)


class TestCoverage:
    def test_one_disc(self):
        """Of 121 corners, those less than 5 from the middle."""
        inside = sum(x * x + y * y < 25 for x in range(-5, 6) for y in range(-5, 6))
        assert coverage(roadmap([(5, 5)], []), "nodes") == inside / 121

    @pytest.mark.parametrize("by", ["nodes", "edges", "paths"])
    def test_against_all_distances(self, by: str):
        made = roadmap([(2, 2), (7, 4), (4, 8)], [(0, 1), (1, 2)])
        samples = made.samples()
        centres, radii = made.nodes, made.node_clearance
        more = made.edge_clearance[samples.edge] if by == "edges" else samples.clearance
        if by != "nodes":
            centres = np.concatenate([centres, samples.points])
            radii = np.concatenate([radii, more])
        corners = ROOM.positions(ROOM.corners)
        assert coverage(made, by) == cycles.share_in_balls(corners, centres, radii)

    def test_in_order_and_best_when_retracted(self):
        made = rrm_star(gallery.make("field"), resolution=0.5, radius=0.5)
        found = [coverage(made, by) for by in ("nodes", "edges", "paths")]
        assert found == sorted(found)
        assert coverage(retract(made)) > found[-1]

    def test_coverage_by_something_unknown_is_refused(self):
        with pytest.raises(BadInput, match="must be one of nodes, edges, paths"):
            coverage(roadmap([(5, 5)], []), "corners")
