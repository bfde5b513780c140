"""The size of the cells, and the passages that cells of a size close.

A cell is free if the object fits with its centre anywhere in it, so a passage is open only if it is
wider than the object by about a cell. In two dimensions the exact medial axis knows every passage:
one is closed if no free cells connect its two ends. Where the clearance exceeds the radius by more
than the diagonal of a cell, every cell on the axis is free, so only narrower parts of the axis are
examined, and the default size is the coarsest that keeps all passages open.

In three dimensions voxels have a fixed size and there is no exact axis. Two regions of free cells
are cut apart if the object gets from one to the other through the centres of voxels.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.environment.environment import Environment
from footway.environment.raster import boxes_are_free, usual_step, wall_tree
from footway.environment.volume import Volume, free_memory
from footway.errors import BadInput
from footway.roadmap.kernels.space import spread_regions
from footway.roadmap.lattice.space import Space, make_space
from footway.roadmap.roadmap import components
from footway.roadmap.voronoi.passages import (
    axis_points,
    chain_links,
    inner_points,
    without_dead_ends,
)
from footway.validation import extent_of
from footway.validation import radius as checked_radius

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints


FINER = 0.7  # ratio of the sizes of cells that are tried: each has about twice as many cells
MOST_CELLS = 400_000  # most cells of the default size. A roadmap of more takes minutes

BYTES_PER_CELL = 2000
"""bytes. Memory for a roadmap per cell, with which the default size must fit in half of what is
free."""

CLOSE = 1e-9  # cells. A point this close to the side of a cell belongs to both cells


class ClosedPassage(NamedTuple):
    """A passage that the object fits through, but that no free cells connect."""

    at: tuple[float, ...]  # m, its narrowest point
    width: float | None  # m, there; None in three dimensions


class NarrowAxis(NamedTuple):
    """The parts of the medial axis, where the disc fits, that cells of a size may close."""

    points: Floats  # (p, 2) m, at most half a cell apart
    clearance: Floats  # (p,) m
    links: Ints  # (l, 2) neighbours on the axis
    surely_free: Bools  # (p,) whether the cells there are free because of the clearance


class PlanCells:
    """Tests cells of a plan without building the whole grid."""

    def __init__(self, environment: Environment, radius: float) -> None:
        from footway.medial import medial_axis

        self._env, self.radius = environment, radius
        self._tree = wall_tree(environment)[1]
        axis = axis_points(medial_axis(environment.walls), radius=radius, desired=radius)
        fits = axis.clearance >= radius * (1 - CLOSE)
        links = axis.links[fits[axis.links].all(axis=1)]
        self._axis = without_dead_ends(axis._replace(links=links))

    def closed(self, step: float) -> list[ClosedPassage]:
        """Return the passages that cells of this side (m) close, the narrowest first."""
        narrow = self._narrow_axis(step)
        free = narrow.surely_free.copy()
        free[~free] = self._are_free(narrow.points[~free], step)
        narrowest = [
            inside[np.argmin(narrow.clearance[inside])]
            for inside, mouths in _closed_parts(narrow, free)
            if len(mouths) != 1 and not self._are_joined(inside, mouths, narrow, step)
        ]
        at = np.array(narrowest, np.int64)
        at = at[np.lexsort((*narrow.points[at].T, narrow.clearance[at]))]
        # A corridor between two junctions of the axis may close twice: keep its narrowest place.
        inner = np.bincount(narrow.links.ravel(), minlength=len(narrow.points)) < 3
        links = narrow.links[inner[narrow.links].all(axis=1)]
        _, first = np.unique(components(links, len(narrow.points))[at], return_index=True)
        return [
            ClosedPassage(tuple(narrow.points[k].tolist()), 2.0 * float(narrow.clearance[k]))
            for k in at[np.sort(first)]
        ]

    def _narrow_axis(self, step: float) -> NarrowAxis:
        """Return the links whose cells may not be free, cut into pieces of half a cell."""
        axis, wide = self._axis, self.radius + math.sqrt(2.0) * step
        links = axis.links[(axis.clearance[axis.links] < wide).any(axis=1)]
        used, ends = np.unique(links, return_inverse=True)
        ends = ends.reshape(-1, 2)
        points, clearance = axis.points[used], axis.clearance[used]
        along = np.linalg.norm(np.diff(points[ends], axis=1)[:, 0], axis=1)
        count = np.maximum(1, np.ceil(2.0 * along / step)).astype(np.int64)
        row, share = inner_points(count)
        a, b = ends[row].T
        inner = points[a] + share[:, None] * (points[b] - points[a])
        points = np.concatenate([points, inner])
        clearance = np.append(clearance, clearance[a] + share * (clearance[b] - clearance[a]))
        links = chain_links(ends, count, len(used))
        return NarrowAxis(points, clearance, links, clearance >= wide)

    def _are_free(self, points: Floats, step: float) -> Bools:
        """Return whether a cell that contains each point (n, 2) m is free."""
        free = self._are_free_cells(self._cells_of(points, step).reshape(-1, 2), step)
        return np.asarray(free.reshape(4, -1).any(axis=0))

    def _cells_of(self, points: Floats, step: float) -> Ints:
        """Return the up to four cells (4, n, 2), columns i, j, that contain each point."""
        at = (points - self._env.bounds[:2]) / step
        sides = np.array([(-CLOSE, -CLOSE), (CLOSE, -CLOSE), (-CLOSE, CLOSE), (CLOSE, CLOSE)])
        cells: Ints = np.floor(at + sides[:, None]).astype(np.int64)
        return cells

    def _are_free_cells(self, cells: Ints, step: float) -> Bools:
        """Return whether each cell (n, 2), columns i, j, is free."""
        different, which = np.unique(cells, axis=0, return_inverse=True)
        x0, y0 = self._env.bounds[:2]
        i, j = different.T
        # The same products and sums as in the raster: equal bits.
        boxes = (x0 + step * i, y0 + step * j, x0 + step * (i + 1), y0 + step * (j + 1))
        return boxes_are_free(self._env, self._tree, boxes, self.radius)[which.ravel()]

    def _are_joined(self, inside: Ints, mouths: Ints, narrow: NarrowAxis, step: float) -> bool:
        """Return whether free cells near a closed part of the axis connect all of its mouths.

        A part without mouths, a region of its own, is not joined to anything.
        """
        from scipy.ndimage import label

        if len(mouths) == 0:
            return False
        around = narrow.points[np.concatenate([inside, mouths])]
        margin = float(narrow.clearance[mouths].max()) + 2.0 * step
        low = self._cells_of(around.min(axis=0)[None] - margin, step).min(axis=(0, 1))
        high = self._cells_of(around.max(axis=0)[None] + margin, step).max(axis=(0, 1)) + 1
        window = np.mgrid[low[0] : high[0], low[1] : high[1]].reshape(2, -1).T
        free = self._are_free_cells(window, step).reshape(high - low)
        areas, _ = label(free, np.ones((3, 3)))
        own = self._cells_of(narrow.points[mouths], step) - low
        labels = areas[own[..., 0], own[..., 1]].max(axis=0)
        return bool((labels == labels[0]).all())


def _closed_parts(narrow: NarrowAxis, free: Bools) -> list[tuple[Ints, Ints]]:
    """Return the connected parts of the axis in cells that are not free, and their free ends."""
    a, b = narrow.links.T
    part = components(narrow.links[~free[narrow.links].any(axis=1)], len(free))
    mouths: dict[int, set[int]] = {}
    for u, v in ((a, b), (b, a)):
        border = ~free[u] & free[v]
        for number, mouth in zip(part[u[border]].tolist(), v[border].tolist(), strict=True):
            mouths.setdefault(number, set()).add(mouth)
    order = np.flatnonzero(~free)
    if len(order) == 0:
        return []
    order = order[np.argsort(part[order], kind="stable")]
    numbers, first = np.unique(part[order], return_index=True)
    return [
        (members, np.array(sorted(mouths.get(number, ())), np.int64))
        for number, members in zip(numbers.tolist(), np.split(order, first[1:]), strict=True)
    ]


class Lattice(NamedTuple):
    """The space that a roadmap is built in, and the passages that its cells close."""

    space: Space
    closed: tuple[ClosedPassage, ...]


def make_lattice(
    environment: Environment | Volume,
    *,
    resolution: float | None = None,
    radius: float = 0.25,
    size: tuple[float, float, float] | None = None,
) -> Lattice:
    """Return the space of an object, with cells that keep passages open unless a size is given.

    The default side of a cell is half a metre, or a 200th of the longer side of a large map. If
    this closes passages that the disc fits through, it is the coarsest of a series of finer sizes
    that keeps all of them open, or all that `MOST_CELLS` cells and the memory can keep open.

    Raises:
        BadInput: as `make_space`.

    Example:
        >>> from footway.environment import Environment
        >>> low, high = (4, 0, 4.2, 3.1), (4, 3.9, 4.2, 8)
        >>> walls = [[(x, y), (u, y), (u, v), (x, v)] for x, y, u, v in (low, high)]
        >>> rooms = Environment.from_polygons(bounds=(0, 0, 8, 8), obstacles=walls)
        >>> lattice = make_lattice(rooms)  # the door is 0.8 m wide
        >>> lattice.space.resolution, lattice.closed
        (0.24, ())
        >>> len(make_lattice(rooms, resolution=0.5).closed)
        1
    """
    if not isinstance(environment, Environment) or size is not None:
        space = make_space(environment, resolution=resolution, radius=radius, size=size)
        assert isinstance(environment, Volume)  # make_space refuses anything else
        return Lattice(space, _closed_in_volume(environment, space))
    r = checked_radius(radius, extent_of(environment.bounds), above=0.0, error=BadInput)
    cells = PlanCells(environment, r)
    if resolution is None:
        resolution = _best_resolution(environment, cells)
    space = make_space(environment, resolution=resolution, radius=radius)
    return Lattice(space, tuple(cells.closed(space.resolution)))


def _best_resolution(environment: Environment, cells: PlanCells) -> float:
    """Return the coarsest side of a cell (m) that opens all passages that can be opened."""
    step = usual_step(environment)
    x0, y0, x1, y1 = environment.bounds
    most = min(MOST_CELLS, 0.5 * (free_memory() or math.inf) / BYTES_PER_CELL)
    finest = math.sqrt((x1 - x0) * (y1 - y0) / max(most, 1.0))
    while (finer := float(f"{FINER * step:.2g}")) >= finest:
        # A passage is surely open if the diagonal of a cell is the excess of clearance over radius.
        excess = [(passage.width or 0.0) / 2.0 - cells.radius for passage in cells.closed(step)]
        if max(excess, default=0.0) < math.sqrt(2.0) * finest:
            break
        step = finer
    return step


# -- three dimensions ----------------------------------------------------------------------------


def _closed_in_volume(volume: Volume, space: Space) -> tuple[ClosedPassage, ...]:
    """Return where regions of free cells are cut apart, at the shortest gap between two of them.

    The object can move between the centres of neighbouring voxels if it fits at both: then it fits
    on the line between them, since voxels are aligned with that line.
    """
    from scipy.ndimage import label
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    regions, count = label(space.free, np.ones((3, 3, 3)), output=np.int32)
    if count < 2:
        return ()
    away = spread_regions(_fits_at_centres(volume, space), regions)
    gaps = []
    for axis in range(3):
        here = tuple(slice(-1) if a == axis else slice(None) for a in range(3))
        there = tuple(slice(1, None) if a == axis else slice(None) for a in range(3))
        a, b = regions[here], regions[there]
        meet = np.nonzero((a != b) & (a > 0) & (b > 0))
        pair = np.sort(np.column_stack([a[meet], b[meet]]), axis=1)
        gaps.append(np.column_stack([pair, away[here][meet] + away[there][meet] + 1, *meet]))
    found = np.unique(np.concatenate(gaps), axis=0)  # of each pair of regions the shortest first
    _, first = np.unique(found[:, :2], axis=0, return_index=True)
    found = found[first]
    joins = coo_array((found[:, 2], (found[:, 0], found[:, 1])), (count + 1, count + 1))
    tree = minimum_spanning_tree(joins.tocsr()).tocoo()
    where = {(a, b): at for a, b, _, *at in found.tolist()}
    return tuple(
        ClosedPassage(tuple(space.positions(np.array(where[a, b][::-1]) + 0.5).tolist()), None)
        for a, b in sorted(zip(tree.row.tolist(), tree.col.tolist(), strict=True))
    )


def _fits_at_centres(volume: Volume, space: Space) -> Bools:
    """Return the voxels (nz, ny, nx) in which the object fits with its centre in the middle."""
    from scipy.ndimage import maximum_filter1d

    solid = volume.solid.astype(np.uint8)
    if space.radius == 0.0:
        for axis, side in zip((2, 1, 0), space.size / space.resolution, strict=True):
            reach = math.ceil((side + 1.0) / 2.0 - CLOSE) - 1
            solid = maximum_filter1d(solid, 2 * reach + 1, axis=axis, mode="constant", cval=1)
        return np.asarray(solid == 0)
    r = float(space.radius) / space.resolution * (1.0 - CLOSE)
    reach = math.ceil(r + 0.5) - 1  # voxels at this offset along an axis meet the ball
    around = np.pad(solid, reach, constant_values=1)
    (nz, ny, nx), fits = solid.shape, ~volume.solid
    for dz, dy in np.ndindex(2 * reach + 1, 2 * reach + 1):
        across = sum(max(abs(d - reach) - 0.5, 0.0) ** 2 for d in (dz, dy))
        if across < r * r:
            far = math.ceil(math.sqrt(r * r - across) + 0.5) - 1
            rows = maximum_filter1d(around[dz : dz + nz, dy : dy + ny], 2 * far + 1, axis=2)
            fits &= rows[:, :, reach : reach + nx] == 0
    return fits
