"""Points on the sides of triangles to search over (Aleksandrov, Maheshwari and Sack, 2005).

Nodes are the corners of triangles and points between them on the sides; within a triangle every
node is joined to every other one by a straight line, whose cost is its length times the weight of
the triangle's terrain. So a path may follow a border on its better side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footway._numba.jit import inner, kernel
from footway.terrain.kernels.route import length


class Nodes(NamedTuple):
    """Nodes of a terrain: corners first, then points between them."""

    places: np.ndarray  # (n, 2) m
    corners: int  # number of corners
    offsets: np.ndarray  # (t + 1,) int32
    of_triangle: np.ndarray  # nodes on the border of each triangle: three corners, then the others
    first: np.ndarray  # (n + 1,) int32
    triangles: np.ndarray  # (..,) int32 triangles around each node
    links: int  # pairs of nodes that share a triangle, counted from both


@inner
def _name_corner(t, k, name, names, triangles, neighbours):
    """Assign a node to a corner of t and of all triangles connected to t around the corner.

    Walls that meet in a corner split it into several nodes, which are not connected.
    """
    p = triangles[t, k]
    for way in range(2):
        now = t
        while now >= 0:
            j = 0 if triangles[now, 0] == p else (1 if triangles[now, 1] == p else 2)
            if names[now, j] == name and now != t:
                return
            names[now, j] = name
            now = neighbours[now, j if way == 0 else (j + 2) % 3]
            if now == t:
                return


@inner
def _name_all(gap, most, names, begins, counts, ground):
    """Number all corners, and the points between them on all sides: (corners, nodes)."""
    points, triangles, neighbours = ground.points, ground.triangles, ground.neighbours
    corners = 0
    for t in range(len(triangles)):
        for k in range(3):
            if names[t, k] < 0:
                _name_corner(t, k, corners, names, triangles, neighbours)
                corners += 1
    nodes = corners
    for t in range(len(triangles)):
        for k in range(3):
            u = neighbours[t, k]
            if u < t:
                continue
            p, q = triangles[t, k], triangles[t, (k + 1) % 3]
            side = length(points[q, 0] - points[p, 0], points[q, 1] - points[p, 1])
            count = min(most, int(side / gap))
            j = 0 if neighbours[u, 0] == t else (1 if neighbours[u, 1] == t else 2)
            begins[t, k] = begins[u, j] = nodes
            counts[t, k] = counts[u, j] = count
            nodes += count
    return corners, nodes


@kernel
def make_nodes(gap, most, ground):
    """Create nodes: on each side one for every `gap` (m) of its length, at most `most`."""
    points, triangles = ground.points, ground.triangles
    size = len(triangles)
    names = np.full((size, 3), -1, np.int32)
    begins, counts = np.zeros((size, 3), np.int32), np.zeros((size, 3), np.int32)
    corners, nodes = _name_all(gap, most, names, begins, counts, ground)
    offsets = np.zeros(size + 1, np.int32)
    for t in range(size):
        offsets[t + 1] = offsets[t] + 3 + counts[t, 0] + counts[t, 1] + counts[t, 2]
    places = np.empty((nodes, 2))
    of_triangle = np.empty(offsets[-1], np.int32)
    first = np.zeros(nodes + 1, np.int32)
    links = 0
    for t in range(size):
        slot = offsets[t]
        links += (offsets[t + 1] - slot) ** 2
        for k in range(3):
            of_triangle[slot + k] = names[t, k]
            places[names[t, k]] = points[triangles[t, k]]
        slot += 3
        for k in range(3):
            a, b = points[triangles[t, k]], points[triangles[t, (k + 1) % 3]]
            for i in range(counts[t, k]):
                of_triangle[slot] = begins[t, k] + i
                share = (i + 1.0) / (counts[t, k] + 1.0)
                if ground.neighbours[t, k] > t:
                    places[begins[t, k] + i] = a + share * (b - a)
                slot += 1
    for node in of_triangle:
        first[node + 1] += 1
    first = np.cumsum(first).astype(np.int32)
    cursor = first[:-1].copy()
    around = np.empty(len(of_triangle), np.int32)
    for t in range(size):
        for slot in range(offsets[t], offsets[t + 1]):
            node = of_triangle[slot]
            around[cursor[node]] = t
            cursor[node] += 1
    return Nodes(places, corners, offsets, of_triangle, first, around, links)
