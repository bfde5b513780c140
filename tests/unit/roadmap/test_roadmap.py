"""Roadmap: construction, measures, and input that is refused."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.roadmap import Roadmap
from footway.roadmap.lattice.space import Space, make_space, space_of_cells


@pytest.fixture(scope="module")
def space() -> Space:
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 12, 8), obstacles=[[(5, 2), (7, 2), (7, 6), (5, 6)]], points=[(2, 6)]
    )
    return make_space(env, resolution=0.5, radius=0.25)


@pytest.fixture(scope="module")
def square(space: Space) -> Roadmap:
    """A path around the obstacle, and an isolated node."""
    nodes = [(1, 1), (11, 1), (11, 7), (1, 7), (3, 4)]
    return Roadmap.make(nodes, [(0, 1), (1, 2), (2, 3), (3, 0)], space, method="rrm", name="block")


def straight_pairs(space: Space, seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Free corners and edges between random ones that see each other."""
    nodes = space.positions(space.corners)
    pairs = np.random.default_rng(seed).integers(0, len(nodes), (8 * count, 2))
    free = space.lines_are_free(nodes[pairs[:, 0]], nodes[pairs[:, 1]])
    return nodes, pairs[free & (pairs[:, 0] != pairs[:, 1])][:count]


class TestGraph:
    def test_sizes(self, square: Roadmap):
        assert (square.n_nodes, square.n_edges, square.n_components, square.n_cycles) == (
            5,
            4,
            2,
            1,
        )
        assert square.bounds == (0, 0, 12, 8)
        assert square.lengths.tolist() == [10, 6, 10, 6]
        assert repr(square) == "Roadmap('block', rrm, 2D, 5 nodes, 4 edges, 2 components)"

    def test_shortest_path(self, square: Roadmap):
        path = square.shortest_path(0, 2)
        assert path is not None
        assert path.length == 16
        assert path.nodes[[0, -1]].tolist() == [0, 2]
        assert len(path.edges) == 2
        assert square.shortest_path(0, 4) is None

    def test_distances(self, square: Roadmap):
        assert square.distances([0]).tolist() == [[0, 10, 16, 6, np.inf]]
        assert square.distances().shape == (5, 5)

    def test_weights_count(self, square: Roadmap):
        heavy = square.with_changes(weights=np.array([1, 1, 1, 9.0]))
        assert heavy.distances([0])[0, 3] == 26

    def test_of_parallel_edges_the_shortest(self, space: Space):
        bent = [(1, 1), (1, 0.5), (3, 1)]
        both = Roadmap.make(
            [(1, 1), (3, 1)], [(0, 1), (1, 0)], space, method="rrrm", paths=[bent, [(3, 1), (1, 1)]]
        )
        path = both.shortest_path(0, 1)
        assert path is not None
        assert (path.length, path.edges.tolist()) == (2, [1])

    def test_nothing(self, space: Space):
        none = Roadmap.make(np.empty((0, 2)), np.empty((0, 2), int), space, method="rrm")
        assert (none.n_components, len(none.lengths), len(none.edge_clearance)) == (0, 0, 0)
        assert len(none.samples().points) == 0


class TestClearance:
    def test_exact_in_the_plane(self, space: Space):
        nodes, edges = straight_pairs(space, 1, 300)
        roadmap = Roadmap.make(nodes, edges, space, method="rrm")
        walls = shapely.multilinestrings(list(shapely.linestrings(space.walls.reshape(-1, 2, 2))))
        lines = shapely.linestrings(nodes[edges])
        expected = np.maximum(0.0, shapely.distance(lines, walls) - 0.25)
        assert roadmap.edge_clearance == pytest.approx(expected, abs=1e-9)

    def test_in_three_dimensions(self):
        free = np.random.default_rng(2).random((8, 9, 10)) > 0.03
        space = space_of_cells(free)
        nodes, edges = straight_pairs(space, 3, 60)
        roadmap = Roadmap.make(nodes, edges, space, method="rrm")
        samples = roadmap.samples(0.01)
        least = np.full(len(edges), np.inf)
        np.minimum.at(least, samples.edge, samples.clearance)
        assert (roadmap.edge_clearance <= least + 1.1e-3).all()
        assert (roadmap.edge_clearance >= least - 0.006).all()

    def test_samples(self, square: Roadmap):
        samples = square.samples(0.3)
        assert samples is square.samples(0.3)
        assert samples.edge[0] == 0
        assert samples.edge[-1] == 3
        step = np.hypot(*np.diff(samples.points[samples.edge == 0], axis=0).T)
        assert step.max() <= 0.3 + 1e-9
        assert step.sum() == pytest.approx(10)
        assert samples.clearance.min() == pytest.approx(square.edge_clearance.min())

    @pytest.mark.parametrize("step", [0, -1, np.nan, np.inf])
    def test_bad_step(self, square: Roadmap, step: float):
        with pytest.raises(fw.BadQuery, match="step"):
            square.samples(step)


class TestRefused:
    @pytest.mark.parametrize(
        ("nodes", "edges", "more", "why"),
        [
            ([(0, 0, 0)], [], {}, r"\(n, 2\)"),
            ([(np.nan, 0)], [], {}, "finite"),
            ([(1, 1), (2, 1)], [(0, 2)], {}, "edge 0 joins"),
            ([(1, 1), (2, 1)], [(1, 1)], {}, "to itself"),
            ([(1, 1), (2, 1)], [(0, 1)], {"paths": [[(1, 1), (3, 1)]]}, "does not end at node 1"),
            ([(1, 1), (2, 1)], [(0, 1)], {"paths": []}, "0 local paths for 1 edges"),
            ([(1, 1), (2, 1)], [(0, 1)], {"weights": [0.0]}, "between"),
            ([(1, 1), (2, 1)], [(0, 1)], {"method": "magic"}, "magic"),
        ],
    )
    def test_arrays_that_do_not_fit(self, space: Space, nodes, edges, more, why):
        with pytest.raises(fw.BadInput, match=why):
            Roadmap.make(nodes, edges, space, **({"method": "rrm"} | more))

    def test_nodes_that_are_not_there(self, square: Roadmap):
        with pytest.raises(fw.BadQuery, match="0 to 4"):
            square.distances([5])
