"""Chains between branches (a ring without a branch is cut once), and connected components."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from footway.medial.kernels.graph import chain_pieces, components


def chains(ends, n_vertices):
    """Vertices along each chain."""
    order, forward, starts = chain_pieces(np.array(ends), n_vertices)
    found = []
    for first, last in pairwise(starts):
        pieces = zip(order[first:last], forward[first:last], strict=True)
        path = [tuple(ends[k]) if ahead else tuple(ends[k])[::-1] for k, ahead in pieces]
        assert all(a[1] == b[0] for a, b in pairwise(path))
        found.append([path[0][0], *(piece[1] for piece in path)])
    return found


def test_chains_end_where_the_degree_is_not_two():
    found = chains([(1, 0), (1, 2), (3, 2), (2, 4)], 5)  # 0 - 1 - 2, and 3 and 4 at 2
    assert sorted(sorted((path[0], path[-1])) for path in found) == [[0, 2], [2, 3], [2, 4]]
    assert [0, 1, 2] in found or [2, 1, 0] in found


def test_a_ring_is_one_chain():
    (ring,) = chains([(0, 1), (2, 1), (2, 3), (3, 0)], 4)
    assert ring[0] == ring[-1]
    assert sorted(ring[:-1]) == [0, 1, 2, 3]


def test_a_ring_beside_chains():
    found = chains([(0, 1), (2, 3), (3, 4), (4, 2)], 5)
    assert sorted(map(len, found)) == [2, 4]


@given(st.integers(1, 30), st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29))))
def test_components(size, links):
    """The same as SciPy's."""
    links = np.array(links, np.int64).reshape(-1, 2) % size
    count, label = components(links, size)
    matrix = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), (size, size))
    expected_count, expected = connected_components(matrix, directed=False)
    assert count == expected_count
    assert label.tolist() == expected.tolist()


def test_components_of_nothing():
    count, label = components(np.empty((0, 2), np.int64), 0)
    assert count == 0
    assert label.shape == (0,)
