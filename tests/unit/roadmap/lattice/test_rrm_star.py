"""Useful nodes, useful edges, and the resulting roadmap."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footway.environment import gallery
from footway.errors import BadInput
from footway.roadmap import Roadmap
from footway.roadmap.lattice.grid import grid
from footway.roadmap.lattice.rrm import rrm, rrm_of_space
from footway.roadmap.lattice.rrm_star import (
    ShortestPaths,
    _best_bypass,
    add_useful_nodes,
    find_useful_nodes,
    paths_along,
    paths_in_sight,
    reconnect,
    rrm_star,
)
from footway.roadmap.lattice.space import Space, space_of_cells
from footway.roadmap.measures import shortest_path_factor, verify

RING = np.ones((24, 24), bool)
RING[6:18, 6:18] = False
"""Cells around an obstacle, in two dimensions."""

GALLERY = {
    "field": {"resolution": 0.5, "radius": 0.5},
    "office": {"resolution": 0.5, "radius": 0.5},
    "house": {"size": (3, 3, 3)},
}

PUBLISHED = {"field": 1.137, "office": 1.181, "house": 1.224}
"""Shortest path factor of the RRM* in table II."""


def tree(corners: list[tuple[int, int]], edges: list[tuple[int, int]], space: Space) -> Roadmap:
    return Roadmap.make(corners, edges, space, method="rrm")


def stairs() -> Space:
    """Two long floors joined at the far end, and by a narrow, winding passage near the start."""
    cells = np.zeros((15, 60), bool)
    cells[0:4] = cells[11:15] = True
    cells[4:11, 54:60] = True
    cells[4:8, 6:8] = cells[7:9, 6:14] = cells[8:11, 12:14] = True
    return space_of_cells(cells)


class TestReconnect:
    SQUARE = np.array([(1.0, 1.0, 0.0), (9.0, 1.0, 0.0), (9.0, 9.0, 0.0), (1.0, 9.0, 0.0)])

    def test_a_square_keeps_its_sides_and_loses_its_diagonals(self):
        edges = reconnect(self.SQUARE, 1.5, space_of_cells(np.ones((10, 10), bool)))
        assert sorted(map(tuple, edges.tolist())) == [(0, 1), (0, 3), (1, 2), (2, 3)]

    def test_up_to_one_every_free_line_is_an_edge(self):
        assert len(reconnect(self.SQUARE, 1.0, space_of_cells(np.ones((10, 10), bool)))) == 6

    def test_infinite_leaves_a_tree(self):
        edges = reconnect(self.SQUARE, math.inf, space_of_cells(np.ones((10, 10), bool)))
        assert len(edges) == 3

    def test_walls_are_respected(self):
        cells = np.ones((10, 10), bool)
        cells[3:7, 3:7] = False
        edges = reconnect(self.SQUARE, 1.0, space_of_cells(cells))
        assert len(edges) == 4


class TestUsefulNodes:
    def test_an_open_room_needs_none(self):
        space = space_of_cells(np.ones((20, 20), bool))
        nodes = np.array([(5.0, 10.0, 0.0), (15.0, 10.0, 0.0)])
        assert len(find_useful_nodes(nodes, 1.5, space)) == 0

    def test_the_missing_side_of_a_ring_is_found(self):
        """No path between nodes gets shorter, but paths between places on the axis do."""
        space = space_of_cells(RING)
        nodes = np.array([(3.0, 3.0, 0.0), (21.0, 3.0, 0.0), (21.0, 21.0, 0.0)])
        found = find_useful_nodes(nodes, 1.5, space)
        paths = paths_in_sight(np.concatenate([nodes, found]), space)
        assert np.hypot(*(found[:, :2] - (3, 21)).T).min() <= 4.0
        assert np.isfinite(paths.length).all()

    def test_a_stair_that_takes_several_in_a_row_is_found(self):
        space = stairs()
        nodes = np.array([(7, 2, 0), (57, 2, 0), (57, 13, 0), (13, 13, 0)], float)
        before = paths_in_sight(nodes, space).length[0, 3]
        found = find_useful_nodes(nodes, 1.5, space)
        after = paths_in_sight(np.concatenate([nodes, found]), space).length[0, 3]
        assert before > 90
        assert after < 25

    def test_paths_along_edges(self):
        places = np.array([(0.0, 0.0, 0.0), (3.0, 4.0, 0.0), (3.0, 5.0, 0.0), (9.0, 9.0, 0.0)])
        paths = paths_along(np.array([(0, 1), (1, 2)]), places)
        assert paths.length[0].tolist() == [0.0, 5.0, 6.0, math.inf]
        assert paths.before[0, 2] == 1


class TestRrmStar:
    def test_a_cycle_around_the_block(self):
        made = rrm_star(rrm_of_space(space_of_cells(RING)))
        assert made.method == "rrm_star"
        assert made.n_cycles >= 1

    def test_the_nodes_of_the_rrm_come_first(self):
        before = rrm(gallery.make("field"), resolution=1.0, radius=0.5)
        after = rrm_star(before)
        n = after.parameters["rrm_nodes"]
        assert n == before.n_nodes
        assert after.nodes[:n].tolist() == before.nodes.tolist()
        assert after.parameters["usefulness"] == 1.5
        assert {"guards", "useful nodes", "reconnecting"} <= set(after.seconds)

    def test_useful_nodes_are_on_cycles_or_paths(self):
        made = rrm_star(gallery.make("field"), resolution=1.0, radius=0.5)
        degree = np.bincount(made.edges.ravel(), minlength=made.n_nodes)
        assert degree[made.parameters["rrm_nodes"] :].min() >= 2

    def test_it_still_covers_and_connects(self):
        made = rrm_star(gallery.make("field"), resolution=1.0, radius=0.5)
        assert verify(made).holds

    def test_the_same_seed_gives_the_same_roadmap(self):
        one, two = (
            rrm_star(gallery.make("field"), resolution=1.0, radius=0.5, seed=3) for _ in range(2)
        )
        assert one.nodes.tolist() == two.nodes.tolist()
        assert one.edges.tolist() == two.edges.tolist()

    def test_edges_that_would_be_missed_are_put_back(self):
        """Shortest first drops the long edge of a triangle: the total path length would grow."""
        space = space_of_cells(np.ones((12, 30), bool))
        corners = [(2, 2), (15, 8), (28, 2)]
        before = tree(corners, [(0, 2), (0, 1)], space)
        after = rrm_star(before, usefulness=1e6)
        assert after.distances()[:3, :3].sum() <= before.distances().sum() + 1e-9

    def test_infinite_means_no_cycle_at_all(self):
        made = rrm_star(gallery.make("field"), resolution=1.0, radius=0.5, usefulness=math.inf)
        assert made.n_cycles == 0
        assert verify(made).holds

    @pytest.mark.parametrize("useful_nodes", ["shortening", "published"])
    def test_progress_goes_through_all_phases(self, useful_nodes: str):
        seen: list[tuple[int, int]] = []
        rrm_star(
            gallery.make("field"), resolution=1.0, radius=0.5, useful_nodes=useful_nodes,
            progress=lambda *call: seen.append(call),
        )  # fmt: skip
        done = [part for part, _ in seen]
        assert {whole for _, whole in seen} == {1000}
        assert done[-1] == 1000
        assert min(done) < 500 < sorted(done)[-2] < 1000
        assert done == sorted(done)

    def test_parameters_are_kept_with_the_roadmap(self):
        made = rrm_star(rrm_of_space(space_of_cells(RING)), useful_nodes="published", seed=3)
        parameters = made.parameters
        assert (parameters["useful_nodes"], parameters["usefulness"], parameters["seed"]) == (
            "published",
            1.5,
            3,
        )

    def test_algorithm_1_gives_each_useful_node_its_two_closest_visible_nodes(self):
        space = space_of_cells(RING)
        before = rrm_of_space(space)
        made = add_useful_nodes(before, seed=3)
        n = before.n_nodes
        assert made.n_nodes > n
        assert (made.nodes[:n] == before.nodes).all()
        assert (made.edges[: before.n_edges] == before.edges).all()
        paths = paths_along(made.edges, made.nodes)
        for node in range(n, made.n_nodes):
            joined = made.edges[(made.edges == node).any(axis=1)]
            assert (joined.max(axis=1) == node).all()  # to nodes of the input graph only
            away = np.linalg.norm(made.nodes[:n] - made.nodes[node], axis=1)
            here = np.repeat(made.nodes[[node]], n, axis=0)
            away[~space.lines_are_free(here, made.nodes[:n])] = np.inf
            closest = np.sort(away)[:2]
            assert np.sort(away[joined.min(axis=1)]).tolist() == closest.tolist()
        assert np.isfinite(paths.length).all()

    def test_the_published_rrm_star_reconnects_algorithm_1(self):
        before = rrm(gallery.make("field"), resolution=1.0, radius=0.5)
        stage = add_useful_nodes(before, seed=2)
        whole = rrm_star(before, useful_nodes="published", seed=2)
        assert set(map(tuple, whole.nodes.tolist())) <= set(map(tuple, stage.nodes.tolist()))
        assert stage.parameters["reconnected"] is False

    @pytest.mark.parametrize("name", GALLERY)
    def test_no_worse_than_published(self, name: str):
        made = rrm_star(gallery.make(name), **GALLERY[name])
        assert shortest_path_factor(made).factor <= PUBLISHED[name]


class TestErrors:
    @pytest.mark.parametrize("seed", [-1, 1.5, "x", None, True])
    def test_seed(self, seed: object):
        for method in (rrm, rrm_star):
            with pytest.raises(BadInput, match=r"the seed is .*: it must be a whole number"):
                method(gallery.make("field"), seed=seed)

    def test_useful_nodes(self):
        with pytest.raises(BadInput, match="one of shortening, published"):
            rrm_star(gallery.make("field"), useful_nodes="best")

    @pytest.mark.parametrize(
        "other", [{"resolution": 2}, {"radius": 0.3}, {"size": (1, 1, 1)}, {"resolution": "x"}]
    )
    def test_a_roadmap_has_its_cells_and_its_object(self, other):
        made = rrm(gallery.make("field"), resolution=1.0, radius=0.5)
        with pytest.raises(BadInput, match=rf"the {next(iter(other))} is .* leave it out"):
            rrm_star(made, **other)
        assert rrm_star(made, resolution=1, radius=0.5).method == "rrm_star"

    def test_a_grid_has_too_many_nodes(self):
        with pytest.raises(BadInput, match="too many for useful cycles"):
            rrm_star(grid(gallery.make("field"), resolution=0.5, radius=0.5))

    @pytest.mark.parametrize("usefulness", [0.0, -1.5, math.nan, "much", None])
    def test_usefulness(self, usefulness: object):
        with pytest.raises(BadInput, match="usefulness K"):
            rrm_star(gallery.make("field"), usefulness=usefulness)

    def test_an_edited_roadmap(self):
        space = space_of_cells(np.ones((6, 6), bool))
        edited = tree([(1, 1), (5, 5)], [(0, 1)], space).with_changes(weights=np.array([2.0]))
        with pytest.raises(BadInput, match="add cycles first, then edit"):
            rrm_star(edited)


@pytest.mark.parametrize(("length", "found"), [(6.6, [1, 0]), (6.7, [])])
def test_a_bypass_is_so_many_times_shorter_than_the_detour(length, found):
    """Between two nodes with a path of 10 cells, via two candidates."""
    around = np.array([[0.0, 10.0], [10.0, 0.0]])
    lengths = np.array([[0, length, 2, 4], [length, 0, 4, 2], [2, 4, 0, 2], [4, 2, 2, 0]], float)
    before = np.array([[-9, 3, 0, 2], [2, -9, 3, 1], [2, 3, -9, 2], [2, 3, 3, -9]])
    assert _best_bypass(ShortestPaths(lengths, before), 2, 1.5, around) == found
