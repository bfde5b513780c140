"""Reachability Roadmap Method (RRM): a small roadmap that covers and connects the whole lattice.

    guards -----> connectors -----> prune -----> edges
    see every     join what is      drop what    shortest forest
    free corner   connected         is not needed

rrm-roadmaps-2006, section II. The reachability region of a node is the set of free corners that a
straight free line connects to it ("that it sees").
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.parallel import in_parts
from footway._numba.random_stream import RandomStream
from footway.environment.volume import check_memory
from footway.errors import BadInput
from footway.roadmap.kernels.graph import can_go, greedy_rows, joins_nothing
from footway.roadmap.kernels.regions import mark_region, nearest_in_layers, nearest_over_layers
from footway.roadmap.lattice.grid import lattice_links
from footway.roadmap.lattice.resolution import make_lattice
from footway.roadmap.lattice.space import Space, corners_where
from footway.roadmap.roadmap import Roadmap
from footway.validation import function
from footway.validation import seed as checked_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.spatial import cKDTree

    from footway.arrays import Bools, Floats, Ints
    from footway.environment import Environment
    from footway.environment.volume import Volume
    from footway.roadmap.roadmap import Progress

    Bytes = NDArray[np.uint8]

BYTES_PER_CORNER = 1000
"""bytes. Memory per free corner: neighbours, medial axis, and the nodes that see it."""

MOST_CANDIDATES = 2000
"""Candidates for guards per round; a larger axis is sampled near and far from uncovered corners."""

MOST_SAMPLES = 1000
"""Uncovered corners with which candidates are ranked per round; more are sampled at random."""

ENOUGH = 0.25
"""Share of the sample that may stay uncovered before the next is drawn; few corners rank poorly."""

BLIND = 0.1
"""If axis corners see less than this share of a sample, guards are chosen among all corners."""


class Reach(NamedTuple):
    """Nodes and their reachability regions."""

    nodes: Ints  # (n,) indices of free corners
    seen: Bytes  # (n, m / 8) whether each node sees each of the m free corners, in bits

    def seen_by(self, some: Ints) -> Bools:
        """Return whether each node sees some of the free corners (k,): (n, k)."""
        bits = self.seen[:, some >> 3] >> (7 - (some & 7)).astype(np.uint8)
        return (bits & 1).astype(bool)


def rrm(
    environment: Environment | Volume,
    *,
    resolution: float | None = None,
    radius: float = 0.25,
    size: tuple[float, float, float] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Roadmap:
    """Return a small roadmap that covers and connects the free space (section II).

    Every free corner of the lattice sees a node along a straight free line (definition 1), and
    nodes are connected if a path exists between them (definition 2). `verify` checks both
    exhaustively.

    Args:
        environment: 2D map, or a volume of voxels.
        resolution: m, side of a cell; None: half a metre, more for large maps, and less if that
            would close passages (see `Roadmap.closed`); a volume's own.
        radius: m, of the disc or ball that moves.
        size: m, of a box that moves without turning, in a volume.
        seed: of the random samples; the same seed gives the same roadmap.
        progress: called with the number of covered corners and of all corners.

    Raises:
        BadInput: invalid numbers, too many cells for the memory, or no free cell.

    Example:
        >>> from footway.environment import gallery
        >>> roadmap = rrm(gallery.make("field"), resolution=1.0, radius=0.5)
        >>> roadmap.n_components, roadmap.n_cycles
        (1, 0)
    """
    checked_seed(seed, error=BadInput)
    function(progress, "progress")
    start = time.perf_counter()
    lattice = make_lattice(environment, resolution=resolution, radius=radius, size=size)
    seconds = {"space": time.perf_counter() - start}
    made = rrm_of_space(lattice.space, seed=seed, progress=progress)
    return made.with_changes(
        name=environment.name, seconds={**seconds, **made.seconds}, closed=lattice.closed
    )


def rrm_of_space(space: Space, *, seed: int = 0, progress: Progress | None = None) -> Roadmap:
    """Return the RRM of an existing lattice."""
    check_memory(
        int(space.is_node.sum()), resolution=space.resolution, dimension=space.dimension,
        each=BYTES_PER_CORNER,
    )  # fmt: skip
    corners = space.corners
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    reach = find_guards(space, corners, seed, progress)
    seconds["guards"] = time.perf_counter() - start
    reach = add_connectors(space, corners, reach)
    seconds["connectors"] = time.perf_counter() - start - sum(seconds.values())
    reach = prune(reach)
    seconds["prune"] = time.perf_counter() - start - sum(seconds.values())
    return Roadmap.make(
        space.positions(corners[reach.nodes]),
        spanning_forest(corners[reach.nodes], reach.seen_by(reach.nodes)),
        space,
        method="rrm",
        parameters={**space.parameters, "seed": seed},
        seconds=seconds,
    )


def find_guards(space: Space, corners: Ints, seed: int, progress: Progress | None = None) -> Reach:
    """Return guards that see all corners (m, 3), on the medial axis where possible.

    Greedy: the next guard is the candidate that sees most uncovered corners, or most of a sample of
    them if there are many.
    """
    from scipy.spatial import cKDTree

    rng = RandomStream(seed)
    i, j, k = medial_corners(space).T
    axis = (np.cumsum(space.is_node.ravel()).reshape(space.is_node.shape) - 1)[k, j, i]
    covered, near = np.zeros(len(corners), bool), cKDTree(corners[axis])
    found: list[Reach] = []
    while not covered.all():
        open_ = np.flatnonzero(~covered)
        sample = _at_most(MOST_SAMPLES, open_, rng)
        enough = int(ENOUGH * len(sample)) if len(sample) < len(open_) else 0
        candidates = _candidates(sample, axis, near, space, corners, rng)
        seen = space.sees(corners[candidates], corners[sample])
        rows = greedy_rows(seen, enough)
        if seen[rows].any(axis=0).mean() < BLIND:
            axis = np.arange(len(corners))  # the axis sees hardly any of the remaining corners
            near = cKDTree(corners)
            continue
        picks = candidates[rows]
        found.append(Reach(picks, reachability_regions(space, corners[picks])))
        covered |= unpacked(np.bitwise_or.reduce(found[-1].seen), len(corners))
        if progress is not None:
            progress(int(covered.sum()), len(corners))
    return _join(found)


def _at_most(count: int, some: Ints, rng: RandomStream) -> Ints:
    return some if len(some) <= count else np.sort(some[rng.permutation(len(some))[:count]])


def _candidates(
    sample: Ints, some: Ints, tree: cKDTree, space: Space, corners: Ints, rng: RandomStream
) -> Ints:
    """Return candidate corners by decreasing clearance, which decides between equal candidates.

    From a large set, only a random sample is taken, to see far corners, and the corners near
    uncovered ones, which may be visible from nowhere else. `tree` holds the corners of the set.
    """
    if len(some) > MOST_CANDIDATES:
        _, near = tree.query(corners[sample], -(-MOST_SAMPLES // len(sample)))
        some = np.union1d(_at_most(MOST_CANDIDATES, some, rng), some[near.ravel()])
    i, j, k = corners[some].T
    return some[np.argsort(-space.corner_clearance[k, j, i], kind="stable")]


def _join(found: list[Reach]) -> Reach:
    return Reach(
        np.concatenate([reach.nodes for reach in found]),
        np.concatenate([reach.seen for reach in found]),
    )


def add_connectors(space: Space, corners: Ints, guards: Reach) -> Reach:
    """Return the guards and connectors, which connect all that can be connected (definition 2).

    Connectors are corners seen from different components: those that join most components first,
    then those of most clearance. If there are none, two neighbouring corners that are seen from
    different components become connectors.
    """
    from scipy.sparse.csgraph import connected_components

    i, j, k = corners.T
    clearance, parts = space.corner_clearance[k, j, i], [guards]
    # The corners that each component of mutually visible nodes sees, in bits, and by how many
    # components each corner is seen.
    count, label = connected_components(guards.seen_by(guards.nodes), directed=False)
    cover = [np.bitwise_or.reduce(guards.seen[label == component]) for component in range(count)]
    overlap = np.zeros(len(corners), np.int32)
    for row in cover:
        overlap += unpacked(row, len(corners))
    while True:
        most = overlap.max()
        if most > 1:
            best = np.flatnonzero(overlap == most)
            new = best[[np.argmax(clearance[best])]]
        else:
            new = _across(cover, space, clearance) if len(cover) > 1 else np.empty(0, np.int64)
        if len(new) == 0:
            return _join(parts)
        parts.append(Reach(new, reachability_regions(space, corners[new])))
        cover = _merge(cover, parts[-1], overlap)


def _merge(cover: list[Bytes], new: Reach, overlap: NDArray[np.int32]) -> list[Bytes]:
    """Merge the components that new, mutually visible nodes join; update the count `overlap`."""
    merged = np.bitwise_or.reduce(new.seen)
    rest = []
    for row in cover:
        if Reach(new.nodes, row[None]).seen_by(new.nodes).any():
            overlap -= unpacked(row, len(overlap))
            merged |= row
        else:
            rest.append(row)
    overlap += unpacked(merged, len(overlap))
    return [*rest, merged]


def _across(cover: list[Bytes], space: Space, clearance: Floats) -> Ints:
    """Return the two neighbours of most clearance seen from different components, or none."""
    component = np.zeros(len(clearance), np.int32)
    for number, row in enumerate(cover):
        component[unpacked(row, len(clearance))] = number
    widest, best = np.empty(0, np.int64), -1.0
    for pairs in lattice_links(space):
        a, b = pairs[component[pairs[:, 0]] != component[pairs[:, 1]]].T
        if len(a):
            width = np.minimum(clearance[a], clearance[b])
            first = int(np.argmax(width))
            if width[first] > best:
                widest, best = np.array([a[first], b[first]]), float(width[first])
    return widest


def prune(reach: Reach) -> Reach:
    """Return the nodes without those that are redundant for coverage and connectivity.

    Nodes that see least are tried first. This is repeated, since the removal of a node may make
    the node that connected it redundant.
    """
    count = np.zeros(8 * reach.seen.shape[1], np.int32)
    size = np.empty(len(reach.nodes), np.int64)
    for node, row in enumerate(reach.seen):
        seen = unpacked(row, len(count))
        count += seen
        size[node] = seen.sum()
    sight = reach.seen_by(reach.nodes)
    kept = np.ones(len(reach.nodes), bool)
    order = np.argsort(size, kind="stable")
    before = -1
    while before != kept.sum():
        before = kept.sum()
        for node in order[kept[order]]:
            if can_go(reach.seen[node], count) and joins_nothing(node, sight, kept):
                kept[node] = False
                count -= unpacked(reach.seen[node], len(count))
    return Reach(reach.nodes[kept], reach.seen[kept])


def spanning_forest(corners: Ints, sight: Bools) -> Ints:
    """Return the minimum spanning forest (m, 2) of nodes at corners (n, 3) that see each other."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    a, b = np.nonzero(np.triu(sight, 1))
    length = np.linalg.norm(corners[a] - corners[b], axis=1)
    places = a.astype(np.int32), b.astype(np.int32)  # SciPy before 1.17.1 needs 32-bit indices
    tree = minimum_spanning_tree(coo_array((length, places), sight.shape).tocsr()).tocoo()
    edges = np.sort(np.column_stack([tree.row, tree.col]).astype(np.int64), axis=1)
    return edges[np.lexsort(edges.T[::-1])]


def reachability_regions(space: Space, sources: Ints) -> Bytes:
    """Return which free corners each corner (n, 3) sees: (n, m / 8), the m corners in bits."""
    table = np.zeros(np.array(space.free.shape) + 1, np.int32)
    table[1:, 1:, 1:] = space.free
    for axis in range(3):
        np.cumsum(table, axis=axis, out=table)
    rows = np.empty((len(sources), -(-int(space.is_node.sum()) // 8)), np.uint8)

    def mark(part: slice) -> None:
        seen = np.zeros(space.is_node.shape, bool)
        mark_region(sources[part.start].astype(float), space.jump, table, space.is_node, seen)
        rows[part.start] = np.packbits(seen[space.is_node])

    in_parts(len(sources), 1, mark)
    return rows


def unpacked(row: Bytes, count: int) -> Bools:
    """Return the first `count` bits of a row as booleans."""
    return np.unpackbits(row, count=count).view(bool)


# -- the medial axis of the lattice --------------------------------------------------------------


SLAB = 16  # heights of the lattice that are examined at a time

APART = 1.5
"""cells. Along a flat wall the nearest points of neighbouring corners are one cell apart."""


def medial_corners(space: Space) -> Ints:
    """Return the free corners (n, 3), columns i, j, k, on the medial axis.

    From the axis, the nearest obstacle points on its two sides are 60 degrees or more apart, so
    that ripples of a wall cause no branches. A passage one cell wide has no corner on the axis.

    Example:
        >>> from footway.roadmap.lattice.space import space_of_cells
        >>> medial_corners(space_of_cells([[True] * 6] * 2))[:, :2].tolist()
        [[1, 1], [2, 1], [3, 1], [4, 1], [5, 1]]
    """
    on_axis = np.zeros(space.is_node.shape, bool)
    if space.dimension == 2:
        near = np.full((*space.is_node.shape, 3), np.nan)  # nearest obstacle points, lattice units
        i, j, k = space.corners.T
        near[k, j, i] = space.lattice(space.clearance(space.positions(space.corners))[1])
        for axis in (1, 2):
            _mark(axis, 0, near, space.corner_clearance, space, on_axis)
        return corners_where(on_axis & space.is_node)
    near, heights = _nearest_obstacles(space), space.is_node.shape[0]
    for first in range(0, heights, SLAB):
        part = slice(first, min(first + SLAB + 1, heights))  # with the first height of the next
        some = np.where(space.is_node[part, ..., None], near[part].astype(np.float64), np.nan)
        for axis in range(3):
            _mark(axis, first, some, space.corner_clearance[part], space, on_axis[part])
    return corners_where(on_axis & space.is_node)


def _nearest_obstacles(space: Space) -> NDArray[np.int16]:
    """Return the nearest point of a cell that is not free, of each corner in three dimensions.

    Shape (nz + 1, ny + 1, nx + 1, 3), columns x, y, z in lattice units.
    """
    blocked = np.pad(~space.free, 1, constant_values=True)
    nz, ny, nx = space.free.shape
    squared = np.empty((nz + 2, ny + 1, nx + 1), np.int32)
    cell = np.empty((*squared.shape, 2), np.int16)
    near = np.empty((nz + 1, ny + 1, nx + 1, 3), np.int16)
    in_parts(nz + 2, SLAB, lambda p: nearest_in_layers(blocked, p.start, p.stop, squared, cell))
    in_parts(nz + 1, SLAB, lambda p: nearest_over_layers(squared, cell, p.start, p.stop, near))
    return near


def _mark(
    axis: int, first: int, near: Floats, clearance: Floats, space: Space, on_axis: Bools
) -> None:
    """Mark corners on the medial axis, for neighbours along one axis of the arrays.

    The arrays are of the heights of the lattice from the `first` on.
    """
    here = tuple(slice(None, -1) if a == axis else slice(None) for a in range(3))
    there = tuple(slice(1, None) if a == axis else slice(None) for a in range(3))
    place = np.moveaxis(np.indices(on_axis.shape)[::-1], 0, -1).astype(np.float64, "C")
    place[..., 2] += first
    apart = np.linalg.norm(near[here] - near[there], axis=-1)
    clearance = clearance / space.resolution
    # In 2D, nearest points are on the real walls and the radius is subtracted from the clearance.
    # In 3D, both refer to the cells in which the object does not fit.
    radius = space.radius / space.resolution if space.dimension == 2 else 0.0
    reach = np.minimum(clearance[here], clearance[there]) + radius
    between = 0.5 * (place[here] + place[there])
    from_here = np.linalg.norm(between - near[here], axis=-1)
    from_there = np.linalg.norm(between - near[there], axis=-1)
    found = (apart > APART) & (apart >= reach)
    on_axis[here] |= found & (from_there <= from_here)
    on_axis[there] |= found & (from_here <= from_there)
