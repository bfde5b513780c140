"""The Voronoi diagram of walls: its limits and side effects."""

from __future__ import annotations

import numpy as np
import pytest
import pyvoronoi

import footway as fw
from footway.environment.walls import Walls
from footway.medial.voronoi import diagram


def square(side: float) -> Walls:
    """Walls of a room from (0, 0), free inside."""
    corners = np.array([(0, 0), (side, 0), (side, side), (0, side)], dtype=float)
    segments = np.hstack([corners, np.roll(corners, -1, axis=0)])
    return Walls(segments, np.zeros(4, bool), np.empty((0, 2)))


def test_coordinates_beyond_32_bits_are_refused():
    side = 2 * (2**31 - 2) * 1e-3  # m, so that corners are 2**31 - 2 steps from the middle
    with pytest.raises(fw.BadGeometry, match="wider than 2147 km: cut it into parts"):
        diagram(square(side + 0.01))
    # The four bisectors of the corners meet in the middle.
    middle = diagram(square(side)).vertices
    assert np.abs(middle - side / 2).max(axis=1).min() < 1.0


def edges_of(walls: Walls) -> list[tuple[float, ...]]:
    """Finite primary edges by pyvoronoi's objects: ends in units of 1 mm, and both cells."""
    voronoi = pyvoronoi.Pyvoronoi(1)
    for x, y in np.rint(walls.points * 1000).tolist():
        voronoi.AddPoint([x, y])
    for x0, y0, x1, y1 in np.rint(walls.segments * 1000).tolist():
        voronoi.AddSegment([(x0, y0), (x1, y1)])
    voronoi.Construct()
    edges, vertices = voronoi.GetEdges(), voronoi.GetVertices()
    found = []
    for k, edge in enumerate(edges):
        if k < edge.twin and edge.is_primary and min(edge.start, edge.end) >= 0:
            ends = [(vertices[v].X, vertices[v].Y) for v in (edge.start, edge.end)]
            found.append((*ends[0], *ends[1], edge.cell, edges[edge.twin].cell))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_edges_are_those_of_pyvoronoi(seed):
    rng = np.random.default_rng(seed)
    places = rng.permutation(36)[: rng.integers(2, 14)]
    low = np.column_stack([places % 6, places // 6]).astype(float)  # one wall or point in a square
    ends = low[:, None] + rng.integers(0, 4, (len(low), 2, 2)) / 5
    is_wall = (ends[:, 0] != ends[:, 1]).any(axis=1)
    walls = Walls(ends[is_wall].reshape(-1, 4), np.ones(is_wall.sum(), bool), ends[~is_wall, 0])
    walls = Walls(np.vstack([walls.segments, [(9, 0, 9, 9), (9, 9, 12, 9)]]),
                  np.append(walls.two_sided, [False, False]), walls.points)  # fmt: skip
    made = diagram(walls)
    expected = np.array(edges_of(walls))
    assert (made.edges[:, 2:] == expected[:, 4:]).all()
    assert np.abs(made.vertices[made.edges[:, 0]] * 1000 - expected[:, :2]).max() < 1e-6
    assert np.abs(made.vertices[made.edges[:, 1]] * 1000 - expected[:, 2:4]).max() < 1e-6


def test_neighbouring_edges_without_ends():
    row = Walls(np.empty((0, 4)), np.empty(0, bool), np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]))
    assert len(diagram(row).edges) == 0


def test_points_and_single_line_walls_are_free_on_both_sides():
    room = square(4.0)
    line = np.array([(1.0, 1.0, 2.0, 1.0)])
    walls = Walls(
        np.vstack([room.segments, line]), np.array([False] * 4 + [True]), np.array([(3.0, 3.0)])
    )
    made = diagram(walls)
    assert made.two_sided[made.is_point].all()
    sites = map(tuple, made.sites.tolist())
    sides = dict(zip(sites, made.two_sided.tolist(), strict=True))
    assert sides[1.0, 1.0, 2.0, 1.0] is True
    assert sides[0.0, 0.0, 4.0, 0.0] is False
