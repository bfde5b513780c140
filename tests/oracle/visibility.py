"""Plain visibility graph on a polygon: a judge for the judge, for small scenes only."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def shortest_in_polygon(free: shapely.Geometry, start: ArrayLike, goal: ArrayLike) -> float:
    """Length in metres of a point's shortest path inside a closed polygon; infinite for none."""
    ends = np.array([start, goal], dtype=float)
    if not shapely.intersects_xy(free, ends[:, 0], ends[:, 1]).all():
        return math.inf
    corners = np.unique(shapely.get_coordinates(free), axis=0)
    nodes = np.vstack([ends, corners])
    pairs = np.array(list(itertools.combinations(range(len(nodes)), 2)))
    shapely.prepare(free)
    visible = pairs[shapely.covers(free, shapely.linestrings(nodes[pairs]))]
    lengths = np.hypot(*(nodes[visible[:, 0]] - nodes[visible[:, 1]]).T)
    graph = coo_array((lengths, visible.T), shape=(len(nodes), len(nodes))).tocsr()
    return float(dijkstra(graph, directed=False, indices=[0])[0, 1])
