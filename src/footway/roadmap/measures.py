"""Measure a roadmap: path lengths, size, clearance and coverage.

rrm-roadmaps-2006, section V: table II, table III and figure 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from footway.errors import BadInput
from footway.roadmap.grid import grid_distances
from footway.roadmap.roadmap import a_roadmap
from footway.validation import one_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from footway.roadmap.roadmap import Roadmap

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

By = Literal["nodes", "edges", "paths"]

MOST_NODES = 5000
"""Largest number of nodes for the shortest path factor, which needs all pairwise distances."""


class ShortestPathFactor(NamedTuple):
    """How much longer the paths of a roadmap are than those of the grid (definition 5)."""

    factor: float  # sum of path lengths in the roadmap over their sum in the grid
    pairs: int  # of nodes that the roadmap joins
    apart: int  # pairs that it does not join; they are left out


class Sizes(NamedTuple):
    """Size of a roadmap."""

    nodes: int
    edges: int
    components: int
    cycles: int
    configurations: int  # on all local paths, at most one cell apart
    length: float  # m, of all local paths


class ClearanceStatistics(NamedTuple):
    """Distance between the object and the nearest obstacle, over all configurations, m."""

    least: float
    average: float
    most: float


def shortest_path_factor(roadmap: Roadmap) -> ShortestPathFactor:
    """Return how much longer the shortest paths between nodes are than those in the grid.

    The sum of the shortest path lengths between all pairs of nodes that the roadmap joins, divided
    by the same sum in the grid roadmap (definition 5). Weights are ignored. A node that is not a
    corner of the lattice is represented by the nearest free corner in the grid. The factor is 1
    for the grid itself and for a roadmap in which no two nodes are joined.

    Raises:
        BadInput: more than 5,000 nodes, except in a grid roadmap.

    Example:
        >>> from footway.environment import gallery
        >>> from footway.roadmap.rrm_star import rrm_star
        >>> roadmap = rrm_star(gallery.make("field"), resolution=1.0, radius=0.5)
        >>> 1.0 < shortest_path_factor(roadmap).factor < 1.137
        True

    """
    a_roadmap(roadmap)
    n = roadmap.n_nodes
    if roadmap.method == "grid" and not roadmap.parameters.get("edited"):
        sizes = np.bincount(roadmap.component)
        joined = int((sizes * (sizes - 1) // 2).sum())
        return ShortestPathFactor(1.0, joined, n * (n - 1) // 2 - joined)
    if n > MOST_NODES:
        raise BadInput(f"{n} nodes are too many to compare all paths: at most {MOST_NODES}")
    lengths = roadmap.with_changes(weights=np.ones(roadmap.n_edges)).distances()
    first, last = np.triu_indices(n, 1)
    joined_pairs = np.isfinite(lengths[first, last])
    corners = _free_corners(roadmap)
    shortest = grid_distances(roadmap.space, corners, corners)[first, last][joined_pairs].sum()
    total = lengths[first, last][joined_pairs].sum()
    pairs = int(joined_pairs.sum())
    factor = float(total / shortest) if shortest > 0.0 else 1.0
    return ShortestPathFactor(factor, pairs, len(first) - pairs)


def _free_corners(roadmap: Roadmap) -> NDArray[np.int64]:
    """Return the free corner nearest to each node, (n, 3)."""
    space = roadmap.space
    corners = space.corners_of(roadmap.nodes)
    i, j, k = corners.T
    for node in np.flatnonzero(~space.is_node[k, j, i]):
        away = np.linalg.norm(space.corners - space.lattice(roadmap.nodes[node]), axis=1)
        corners[node] = space.corners[np.argmin(away)]
    return corners


def sizes(roadmap: Roadmap) -> Sizes:
    """Return the numbers of nodes, edges, components, cycles, configurations, and the length.

    Example:
        >>> from footway.environment import Environment
        >>> from footway.roadmap.grid import grid
        >>> sizes(grid(Environment.from_polygons(bounds=(0, 0, 4, 3)), resolution=1))[:4]
        (6, 11, 1, 6)

    """
    a_roadmap(roadmap)
    return Sizes(
        roadmap.n_nodes,
        roadmap.n_edges,
        roadmap.n_components,
        roadmap.n_cycles,
        len(roadmap.samples().points),
        float(roadmap.lengths.sum()),
    )


def clearance_statistics(roadmap: Roadmap) -> ClearanceStatistics:
    """Return the least, average and most clearance of the roadmap's configurations (table III).

    Configurations are nodes and samples of local paths, at most one cell apart.

    Example:
        >>> from footway.environment import Environment
        >>> from footway.roadmap.rrm import rrm
        >>> hall = rrm(Environment.from_polygons(bounds=(0, 0, 10, 8)), radius=0.5)
        >>> clearance_statistics(hall).most
        3.5

    """
    a_roadmap(roadmap)
    clearance = np.concatenate([roadmap.node_clearance, roadmap.samples().clearance])
    return ClearanceStatistics(
        float(clearance.min()), float(clearance.mean()), float(clearance.max())
    )


def coverage(roadmap: Roadmap, by: By = "paths") -> float:
    """Return the share of the free space in which a query needs no collision check (figure 6).

    A configuration is covered if it lies in the ball around a configuration of the roadmap whose
    radius is the clearance there; it and the line to the ball's centre are then free
    (section V.B.2). The free space is counted in free corners of the lattice.

    Args:
        roadmap: with straight or retracted local paths.
        by: which balls are used: "nodes"; "edges", nodes and all configurations of each edge with
            the edge's least clearance; or "paths", every configuration with its own clearance.

    Example:
        >>> from footway.environment import gallery
        >>> from footway.roadmap.rrm_star import rrm_star
        >>> roadmap = rrm_star(gallery.make("field"), resolution=1.0, radius=0.5)
        >>> coverage(roadmap, "nodes") < coverage(roadmap, "edges") < coverage(roadmap, "paths")
        True

    """
    a_roadmap(roadmap)
    one_of(by, "coverage by", get_args(By), error=BadInput)
    space = roadmap.space
    covered = np.zeros(space.is_node.shape, bool)
    for points, clearance in _balls(roadmap, by):
        for centre, radius in zip(space.lattice(points), clearance / space.resolution, strict=True):
            _mark(covered, centre, float(radius))
    return float((covered & space.is_node).sum() / space.is_node.sum())


def _balls(roadmap: Roadmap, by: By) -> Iterator[tuple[Floats, Floats]]:
    """Yield centres and radii of balls, m."""
    yield roadmap.nodes, roadmap.node_clearance
    samples = roadmap.samples()
    if by == "edges":
        yield samples.points, roadmap.edge_clearance[samples.edge]
    if by == "paths":
        yield samples.points, samples.clearance


def _mark(covered: Bools, centre: Floats, radius: float) -> None:
    """Mark the corners inside an open ball in lattice units."""
    size = np.array(covered.shape[::-1])
    low = np.clip(np.ceil(centre - radius), 0, size).astype(int)
    high = np.clip(np.floor(centre + radius) + 1, 0, size).astype(int)
    x, y, z = ((np.arange(a, b) - c) ** 2 for a, b, c in zip(low, high, centre, strict=True))
    inside = z[:, None, None] + y[:, None] + x < radius * radius
    covered[low[2] : high[2], low[1] : high[1], low[0] : high[0]] |= inside
