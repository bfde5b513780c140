"""Measure and verify a roadmap: path lengths, size, clearance, coverage, connectivity, collisions.

rrm-roadmaps-2006, section V: table II, table III and figure 6.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from footway._numba.parallel import in_parts
from footway.errors import BadInput
from footway.roadmap.kernels.graph import mark_seen
from footway.roadmap.kernels.space import ON_PLANE
from footway.roadmap.lattice.grid import grid_distances
from footway.roadmap.roadmap import a_roadmap, clearance_along, components, has_next
from footway.validation import one_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.arrays import Bools, Floats, Ints
    from footway.roadmap.lattice.space import Space
    from footway.roadmap.roadmap import Roadmap


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
        >>> from footway.roadmap.lattice.rrm_star import rrm_star
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


def _free_corners(roadmap: Roadmap) -> Ints:
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
        >>> from footway.roadmap.lattice.grid import grid
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
        >>> from footway.roadmap.lattice.rrm import rrm
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
        >>> from footway.roadmap.lattice.rrm_star import rrm_star
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


# -- verification --------------------------------------------------------------------------------


CORNERS_AT_A_TIME = 2048  # corners per call of a thread


@dataclass(frozen=True, eq=False)
class Verification:
    """Violations found, over all free corners of the lattice.

    Attributes:
        corners: number of free corners.
        uncovered: (n, 3) corners, columns i, j, k, that see no node (definition 1).
        apart: (n, 2) nodes connected in the free space but not in the roadmap (definition 2); one
            pair for each missing connection.
        colliding: (n,) edges whose local path leaves the free space.
        outside: (n,) nodes that are not in a free cell.
    """

    corners: int
    uncovered: Ints
    apart: Ints
    colliding: Ints
    outside: Ints

    @property
    def covered(self) -> bool:
        """Whether every free corner sees a node along a straight free line."""
        return len(self.uncovered) == 0

    @property
    def connected(self) -> bool:
        """Whether all nodes that are connected in the free space are connected in the roadmap."""
        return len(self.apart) == 0

    @property
    def holds(self) -> bool:
        """Whether no violation was found."""
        found = (self.uncovered, self.apart, self.colliding, self.outside)
        return all(len(what) == 0 for what in found)

    def __str__(self) -> str:
        if self.holds:
            return f"covers and connects all {self.corners} corners"
        return (
            f"{len(self.uncovered)} of {self.corners} corners uncovered, {len(self.apart)} joins "
            f"missing, {len(self.colliding)} edges collide, {len(self.outside)} nodes outside"
        )


def verify(roadmap: Roadmap) -> Verification:
    """Check exhaustively whether a roadmap covers and connects its space (definitions 1 and 2).

    Coverage is tested from every free corner of the lattice, connectivity between all nodes, and
    collisions along every edge. A colliding edge connects nothing. In two dimensions a path may
    leave the free cells, which are conservative, if its exact clearance shows that it is free.

    Example:
        >>> from footway.environment import gallery
        >>> from footway.roadmap.lattice.rrm import rrm
        >>> print(verify(rrm(gallery.make("field"), resolution=1.0, radius=0.5)))
        covers and connects all 1950 corners
    """
    a_roadmap(roadmap)
    space = roadmap.space
    corners, places = space.corners, np.ascontiguousarray(space.lattice(roadmap.nodes))
    covered = _corners_with_node(places, corners, space)
    in_parts(
        len(corners),
        CORNERS_AT_A_TIME,
        lambda part: mark_seen(places, corners, space.jump, part.start, part.stop, covered),
    )
    area, colliding = _area_of_places(places, space), _colliding(roadmap)
    return Verification(
        corners=len(corners),
        uncovered=corners[~covered],
        apart=_apart(roadmap, area, colliding),
        colliding=colliding,
        outside=np.flatnonzero(area == 0),
    )


def _corners_with_node(places: Floats, corners: Ints, space: Space) -> Bools:
    """Return which corners have a node; in a grid roadmap all of them."""
    whole = np.rint(places).astype(np.int64)
    top = np.array(space.is_node.shape[::-1])
    on_lattice = ((places == whole) & (whole >= 0) & (whole < top)).all(axis=1)
    taken = np.zeros(space.is_node.shape, bool)
    i, j, k = whole[on_lattice].T
    taken[k, j, i] = True
    i, j, k = corners.T
    found: Bools = taken[k, j, i]
    return found


def _colliding(roadmap: Roadmap) -> Ints:
    """Return the edges whose local path has a segment that is not free."""
    first = np.flatnonzero(has_next(roadmap.path_offsets))
    starts, ends = roadmap.path_points[first], roadmap.path_points[first + 1]
    hit = np.flatnonzero(~roadmap.space.lines_are_free(starts, ends)) if len(first) else first
    if roadmap.dimension == 2 and len(hit):
        hit = hit[clearance_along(starts[hit], ends[hit], roadmap.space) <= 0.0]
    return np.unique(np.searchsorted(roadmap.path_offsets, first[hit], side="right") - 1)


def _area_of_places(at: Floats, space: Space) -> Ints:
    """Return the connected area of free cells, counted from 1, of places (n, 3); 0 if outside."""
    from scipy.ndimage import label

    areas, _ = label(space.free, np.ones((3, 3, 3)))
    padded = np.pad(areas, 1)
    found = np.zeros(len(at), np.int64)
    for side in itertools.product((-ON_PLANE, ON_PLANE), repeat=3):
        cell = np.clip(
            np.floor(at + side).astype(np.int64) + 1, 0, np.array(padded.shape[::-1]) - 1
        )
        found = np.maximum(found, padded[cell[:, 2], cell[:, 1], cell[:, 0]])
    return found


def _apart(roadmap: Roadmap, area: Ints, colliding: Ints) -> Ints:
    """Return pairs of nodes in the same area but in different components of the roadmap."""
    part = components(np.delete(roadmap.edges, colliding, axis=0), roadmap.n_nodes)
    inside = np.flatnonzero(area > 0)
    _, first = np.unique(np.column_stack([area, part])[inside], axis=0, return_index=True)
    chosen = inside[first]  # one node of each component in each area, by area
    same = area[chosen[1:]] == area[chosen[:-1]]
    return np.column_stack([chosen[:-1][same], chosen[1:][same]])
