"""Verify coverage, connectivity and collisions of a roadmap at every free corner and edge."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.parallel import in_parts
from footway.roadmap.kernels.graph import mark_seen
from footway.roadmap.kernels.space import ON_PLANE
from footway.roadmap.roadmap import a_roadmap, clearance_along, has_next

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap.roadmap import Roadmap
    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

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
        >>> from footway.roadmap.rrm import rrm
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
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b = np.delete(roadmap.edges, colliding, axis=0).T
    n = roadmap.n_nodes
    _, part = connected_components(coo_array((np.ones(len(a)), (a, b)), (n, n)), directed=False)
    inside = np.flatnonzero(area > 0)
    _, first = np.unique(np.column_stack([area, part])[inside], axis=0, return_index=True)
    chosen = inside[first]  # one node of each component in each area, by area
    same = area[chosen[1:]] == area[chosen[:-1]]
    return np.column_stack([chosen[:-1][same], chosen[1:][same]])
