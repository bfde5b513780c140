"""Grid Roadmap Method (GRM): every free corner is a node. Baseline of the shortest path factor."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.jit import thread_count
from footway.environment.volume import check_memory
from footway.roadmap.kernels.grid import STEPS, find_links, lattice_distances
from footway.roadmap.lattice.resolution import make_lattice
from footway.roadmap.roadmap import Roadmap
from footway.validation import function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.environment import Environment
    from footway.environment.volume import Volume
    from footway.roadmap.lattice.space import Space
    from footway.roadmap.roadmap import Progress


BYTES_PER_CORNER = {2: 500, 3: 1300}
"""bytes, by dimension. Memory per node with its edges and local paths during construction."""

FORWARD = 13
"""Half of the 26 steps from a corner lead to later corners, so that each edge is found once."""


def grid(
    environment: Environment | Volume,
    *,
    resolution: float | None = None,
    radius: float = 0.25,
    size: tuple[float, float, float] | None = None,
    progress: Progress | None = None,
) -> Roadmap:
    """Return the grid roadmap: a node on each corner of each free cell (section V).

    Edges run along each side and each diagonal of a free cell: 8 neighbours in two dimensions, 26
    in three.

    Args:
        environment: 2D map, or a volume of voxels.
        resolution: m, side of a cell; None: half a metre, more for large maps, and less if that
            would close passages (see `Roadmap.closed`); a volume's own.
        radius: m, of the disc or ball that moves.
        size: m, of a box that moves without turning, in a volume.
        progress: called with the number of directions done and their total number.

    Raises:
        BadInput: invalid numbers, too many cells for the memory, or no free cell.

    Example:
        >>> from footway.environment import Environment
        >>> room = Environment.from_polygons(bounds=(0, 0, 4, 3))
        >>> grid(room, resolution=1)
        Roadmap('', grid, 2D, 6 nodes, 11 edges, 1 components)
    """
    function(progress, "progress")
    start = time.perf_counter()
    lattice = make_lattice(environment, resolution=resolution, radius=radius, size=size)
    seconds = {"space": time.perf_counter() - start}
    made = grid_of_space(lattice.space, progress=progress)
    return made.with_changes(
        name=environment.name, seconds={**seconds, **made.seconds}, closed=lattice.closed
    )


def grid_of_space(space: Space, *, progress: Progress | None = None) -> Roadmap:
    """Return the grid roadmap of an existing lattice."""
    start = time.perf_counter()
    check_memory(
        int(space.is_node.sum()), resolution=space.resolution, dimension=space.dimension,
        each=BYTES_PER_CORNER[space.dimension],
    )  # fmt: skip
    edges = lattice_edges(space, progress=progress)
    seconds = {"edges": time.perf_counter() - start}
    return Roadmap.make(
        space.positions(space.corners),
        edges,
        space,
        method="grid",
        parameters=space.parameters,
        seconds=seconds,
    )


def lattice_edges(space: Space, *, progress: Progress | None = None) -> Ints:
    """Return all edges (m, 2) between free corners, numbered as in `space.corners`."""
    parts = []
    for links in lattice_links(space):
        parts.append(links)
        if progress is not None:
            progress(len(parts), FORWARD)
    return np.concatenate(parts)


def lattice_links(space: Space) -> Iterator[Ints]:
    """Yield the edges (m, 2) of `lattice_edges` in each of the 13 directions."""
    links, strides = _links_and_strides(space)
    number = np.cumsum(space.is_node.ravel()) - 1
    for b in np.flatnonzero(strides > 0):
        here = np.flatnonzero((links >> np.uint32(b)) & 1)
        yield np.column_stack([number[here], number[here + strides[b]]])


def grid_distances(space: Space, sources: Ints, targets: Ints) -> Floats:
    """Return lengths of shortest paths on the grid between corners (n, 3) and (m, 3): (n, m) m.

    Infinite if there is no path. This is the denominator of the shortest path factor
    (definition 5). Only the lattice is searched; no grid roadmap is built.

    Example:
        >>> from footway.roadmap.lattice.space import space_of_cells
        >>> space = space_of_cells([[True, True, True]])
        >>> grid_distances(space, space.corners[:1], space.corners[-1:]).round(3).tolist()
        [[3.414]]
    """
    links, strides = _links_and_strides(space)
    starts, ends = (
        np.ravel_multi_index(tuple(np.asarray(corners).T[::-1]), space.is_node.shape)
        for corners in (sources, targets)
    )

    def from_source(source: int) -> Floats:
        n = len(links)
        found: Floats = lattice_distances(
            source, ends, links, strides,
            np.empty(n), np.empty((3, n), np.int64), np.empty(n, np.int64),
        )  # fmt: skip
        return found

    with ThreadPoolExecutor(thread_count()) as pool:
        rows = list(pool.map(from_source, starts.tolist()))
    return np.array(rows).reshape(len(starts), len(ends)) * space.resolution


def _links_and_strides(space: Space) -> tuple[NDArray[np.uint32], Ints]:
    """Return the links of each corner as bits (see kernels/grid), and index offsets to neighbours.

    Both are for flat arrays of corners.
    """
    _, ny, nx = space.is_node.shape
    links = np.zeros(space.is_node.shape, np.uint32)
    find_links(space.free, space.is_node, links)
    return links.ravel(), STEPS @ np.array([1, nx, nx * ny])
