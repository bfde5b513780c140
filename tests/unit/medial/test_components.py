"""Connected components, compared with SciPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from footway.medial.kernels.graph import components


@given(st.integers(1, 30), st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29))))
def test_components(size, links):
    links = np.array(links, np.int64).reshape(-1, 2) % size
    count, label = components(links, size)
    matrix = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), (size, size))
    expected_count, expected = connected_components(matrix, directed=False)
    assert count == expected_count
    assert label.tolist() == expected.tolist()


def test_nothing():
    count, label = components(np.empty((0, 2), np.int64), 0)
    assert count == 0
    assert label.shape == (0,)
