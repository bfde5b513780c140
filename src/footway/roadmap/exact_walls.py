"""The exact map of a roadmap's walls, for queries that its lines and arcs cannot answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.constants import GRID, TOUCH
from footway.corridor.index import build_index
from footway.corridor.kernels.locate import locate_few
from footway.environment import Environment, Walls
from footway.medial import MedialAxis, medial_axis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Index
    from footway.roadmap import Roadmap

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_BY_EVENTS = (
    "events", "clearance", "left", "right", "piece_left", "piece_right", "piece_length",
)  # fmt: skip
_MARGIN = 1.0  # m, of free space added around the walls; its part of the map is dropped again


def exact_index(roadmap: Roadmap) -> Index:
    """Return the index of the exact map of the walls, without parts that the roadmap lacks."""
    index = build_index(_axis_of(roadmap.space.walls))
    known = np.concatenate([roadmap.nodes, _free_places(roadmap)])
    pieces, _ = locate_few(known, index.axis, index.grid, index.fans)
    component = _components(index.axis)
    edges = index.graph.edge_of[pieces[pieces >= 0]]
    served = np.isin(component, component[edges])
    return index if served.all() else build_index(_with_edges(index.axis, served))


def _axis_of(walls: Floats) -> MedialAxis:
    """Return the medial axis on both sides of the walls: roadmaps do not store which is free."""
    is_point = (walls[:, :2] == walls[:, 2:]).all(axis=1)
    given = Walls(walls[~is_point], np.ones((~is_point).sum(), bool), walls[is_point, :2])
    if np.abs(walls - np.rint(walls / GRID) * GRID).max() > TOUCH:
        given = _noded(given)  # fake obstacles are off the grid and may cross walls
    return medial_axis(given)


def _noded(walls: Walls) -> Walls:
    """Snap walls to the grid and split them where they cross."""
    corners = np.concatenate([walls.segments.reshape(-1, 2), walls.points])
    low, high = corners.min(axis=0) - _MARGIN, corners.max(axis=0) + _MARGIN
    env = Environment.from_polygons(
        bounds=(*low.tolist(), *high.tolist()),
        lines=walls.segments.reshape(-1, 2, 2),
        points=walls.points,
    )
    return env.walls


def _free_places(roadmap: Roadmap) -> Floats:
    """Return the centres of the free cells, (n, 2) m."""
    j, i = np.nonzero(roadmap.space.free[0])
    return roadmap.space.positions(np.column_stack([i + 0.5, j + 0.5, np.zeros(len(i))]))


def _components(axis: MedialAxis) -> Ints:
    """Return the connected component of each edge, (ne,)."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    n = len(axis.vertices)
    links = coo_array((np.ones(len(axis.edges)), tuple(axis.edges.T)), (n, n))
    _, label = connected_components(links, directed=False)
    return np.asarray(label[axis.edges[:, 0]], np.int64)


def _with_edges(axis: MedialAxis, kept: NDArray[np.bool_]) -> MedialAxis:
    """Return the axis with only the kept edges."""
    size = np.diff(axis.offsets)
    event = np.repeat(kept, size)
    used, edges = np.unique(axis.edges[kept], return_inverse=True)
    changed = {name: np.ascontiguousarray(getattr(axis, name)[event]) for name in _BY_EVENTS}
    return axis._replace(
        vertices=axis.vertices[used],
        edges=np.ascontiguousarray(edges.reshape(-1, 2)),
        offsets=np.concatenate([[0], np.cumsum(size[kept])]),
        **changed,
    )
