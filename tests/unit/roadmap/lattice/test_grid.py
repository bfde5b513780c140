"""The grid roadmap and its shortest paths."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footway.environment import gallery
from footway.environment.volume import Volume
from footway.roadmap.lattice.grid import grid, grid_distances, grid_of_space
from footway.roadmap.lattice.space import space_of_cells


def test_one_square():
    roadmap = grid_of_space(space_of_cells([[True]]))
    assert (roadmap.n_nodes, roadmap.n_edges) == (4, 6)


def test_one_cube():
    roadmap = grid_of_space(space_of_cells([[[True]]]))
    assert (roadmap.n_nodes, roadmap.n_edges) == (8, 28)
    assert sorted(set(np.round(roadmap.lengths, 6))) == [1.0, 1.414214, 1.732051]


def test_cells_that_meet_in_a_corner_are_joined():
    roadmap = grid_of_space(space_of_cells([[True, False], [False, True]]))
    assert (roadmap.n_nodes, roadmap.n_edges, roadmap.n_components) == (7, 12, 1)


def test_field_is_about_as_large_as_the_papers():
    """Table II: 7,350 nodes and 27,741 edges; the cones and trees stand elsewhere."""
    roadmap = grid(gallery.make("field"), resolution=0.5, radius=0.5)
    assert roadmap.name == "gallery:field"
    assert 6500 < roadmap.n_nodes < 8500
    assert 3.5 < roadmap.n_edges / roadmap.n_nodes < 4.0
    assert set(roadmap.seconds) == {"space", "edges"}


def test_a_box_in_a_volume():
    volume = Volume.from_boxes(
        bounds=(0, 0, 0, 11, 5, 4), boxes=[(5, 0, 0, 6, 5, 4)], resolution=1.0
    )
    roadmap = grid(volume, size=(1, 1, 1))
    assert roadmap.dimension == 3
    assert roadmap.n_components == 2
    assert roadmap.parameters["size"] == (1.0, 1.0, 1.0)


def test_progress_reaches_the_end():
    calls: list[tuple[int, int]] = []
    grid_of_space(space_of_cells([[True]]), progress=lambda *call: calls.append(call))
    assert calls[-1] == (13, 13)


class TestDistances:
    def test_around_a_wall(self):
        free = np.ones((3, 5), bool)
        free[:2, 2] = False
        space = space_of_cells(free, resolution=2.0)
        found = grid_distances(space, np.array([[1, 0, 0]]), np.array([[4, 0, 0], [1, 0, 0]]))
        assert found.tolist() == [[pytest.approx(2 * (3 + 2 * math.sqrt(2))), 0.0]]

    def test_no_path(self):
        space = space_of_cells([[True, False, True]])
        found = grid_distances(space, np.array([[0, 0, 0]]), np.array([[3, 0, 0]]))
        assert found.tolist() == [[math.inf]]

    def test_same_as_on_the_roadmap(self):
        rng = np.random.default_rng(5)
        space = space_of_cells(rng.random((6, 9, 12)) < 0.7)
        corners = space.corners
        sources = rng.integers(0, len(corners), 4)
        expected = grid_of_space(space).distances(sources)
        found = grid_distances(space, corners[sources], corners)
        np.testing.assert_allclose(found, expected)
