"""Pieces are joined into chains between branches; a ring without a branch is cut once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from footway.medial.kernels.graph import chain_pieces


def chains(ends, n_vertices):
    """Vertices along each chain."""
    order, forward, starts = chain_pieces(np.array(ends), n_vertices)
    found = []
    for first, last in pairwise(starts):
        pieces = zip(order[first:last], forward[first:last], strict=True)
        way = [tuple(ends[k]) if ahead else tuple(ends[k])[::-1] for k, ahead in pieces]
        assert all(a[1] == b[0] for a, b in pairwise(way))
        found.append([way[0][0], *(piece[1] for piece in way)])
    return found


def test_chains_end_where_the_degree_is_not_two():
    found = chains([(1, 0), (1, 2), (3, 2), (2, 4)], 5)  # 0 - 1 - 2, and 3 and 4 at 2
    assert sorted(sorted((way[0], way[-1])) for way in found) == [[0, 2], [2, 3], [2, 4]]
    assert [0, 1, 2] in found or [2, 1, 0] in found


def test_a_ring_is_one_chain():
    (ring,) = chains([(0, 1), (2, 1), (2, 3), (3, 0)], 4)
    assert ring[0] == ring[-1]
    assert sorted(ring[:-1]) == [0, 1, 2, 3]


def test_a_ring_beside_chains():
    found = chains([(0, 1), (2, 3), (3, 4), (4, 2)], 5)
    assert sorted(map(len, found)) == [2, 4]
