"""Discretised configuration space of an object: free cells and free corners.

One lattice serves two and three dimensions. Cells have side `resolution`; a cell is free if the
object fits with its centre anywhere in the closed cell. Configurations are the corners of cells, as
in the paper's grid roadmap (section V); a corner is free if it belongs to a free cell. A straight
line through free cells is collision-free everywhere, not only at samples.

In two dimensions there is one layer of cells, and corners lie in the plane z = 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway._numba.parallel import in_parts
from footway.roadmap.kernels.graph import sight
from footway.roadmap.kernels.space import FREE, clearances_at, first_hits, near_walls

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from footway.arrays import Bools, Floats, Ints
    from footway.environment import Environment
    from footway.environment.raster import Raster
    from footway.environment.volume import Volume


WALL_BLOCK = 16  # cells per side of the blocks of the first level of the wall grid

LINES_AT_A_TIME = 1 << 16  # lines per call of a thread: about ten milliseconds of work


class Space(NamedTuple):
    """The lattice, as kernels use it. Array axes are z, y, x; corners have columns i, j, k."""

    free: Bools  # (nz, ny, nx) cells in which the object fits; nz = 1 in two dimensions
    jump: NDArray[np.int16]  # (nz, ny, nx) cells to the nearest non-free cell; 0: not free
    corner_clearance: Floats  # (nz + 1, ny + 1, nx + 1), in two dimensions (1, ny + 1, nx + 1), m
    is_node: Bools  # as corner_clearance: free corners
    origin: Floats  # (3,) m, lower corner
    resolution: float  # m, side of a cell
    dimension: int  # 2 or 3
    walls: Floats  # (n, 4) wall segments in two dimensions, m; none in three
    wall_offsets: Ints  # (ny nx + 1,) rows of wall_members: walls nearest to any point of a cell
    wall_members: NDArray[np.int32]
    radius: float  # m, of the disc or ball; 0 for a box
    size: Floats  # (3,) m, bounding box of the object

    @property
    def corners(self) -> Ints:
        """All free corners (n, 3), columns i, j, k: sorted by k, then j, then i."""
        return corners_where(self.is_node)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the lattice: resolution, radius, and size of a box (otherwise None)."""
        box = self.dimension == 3 and self.radius == 0.0
        size = tuple(self.size.tolist()) if box else None
        return {"resolution": self.resolution, "radius": self.radius, "size": size}

    def positions(self, corners: ArrayLike) -> Floats:
        """Convert corners or points (n, 3) in lattice units to metres, (n, dimension)."""
        lattice = np.asarray(corners, dtype=np.float64)
        return (self.origin + lattice * self.resolution)[..., : self.dimension]

    def lattice(self, points: ArrayLike) -> Floats:
        """Convert points (n, dimension) in metres to lattice units, (n, 3); z is 0 in 2D."""
        return (self.with_z(points) - self.origin) / self.resolution

    def corners_of(self, points: ArrayLike) -> Ints:
        """Return the nearest corner (n, 3), free or not, of each point (n, dimension), m."""
        top = np.array(self.is_node.shape[::-1]) - 1
        return np.clip(np.rint(self.lattice(points)), 0, top).astype(np.int64)

    def first_hits(self, starts: ArrayLike, ends: ArrayLike) -> Floats:
        """Return the share (n,) of each line, (n, dimension) m, at which it leaves the free cells.

        2.0 for a line that is free.
        """
        a, b = np.atleast_2d(self.lattice(starts)), np.atleast_2d(self.lattice(ends))
        out = np.empty(len(a))
        first_hits(np.ascontiguousarray(a), np.ascontiguousarray(b), self, out)
        return out

    def lines_are_free(self, starts: ArrayLike, ends: ArrayLike) -> Bools:
        """Return whether each line (n, dimension) m lies in the free cells: the local planner."""
        free: Bools = self.first_hits(starts, ends) == FREE
        return free

    def sees(self, sources: Ints, targets: Ints) -> Bools:
        """Return which corners (n, 3) see which corners (m, 3) along a straight free line: (n, m).

        If all free corners are targets, rows are the reachability regions of the sources.
        """
        a, b = np.ascontiguousarray(sources), np.ascontiguousarray(targets)
        out = np.empty((len(a), len(b)), bool)
        in_parts(
            out.size,
            LINES_AT_A_TIME,
            lambda part: sight(a, b, self.jump, part.start, part.stop, out),
        )
        return out

    def clearance(self, points: ArrayLike) -> tuple[Floats, Floats]:
        """Return the clearance (n,) of the object at points (n, dimension), and nearest obstacles.

        Exact distance to the walls in two dimensions; distance to the nearest non-free cell in
        three. Everything in metres; the second array holds the nearest obstacle points.
        """
        there = np.ascontiguousarray(np.atleast_2d(self.with_z(points)))
        out = np.empty((len(there), 4))
        clearances_at(there, self, out)
        return out[:, 0].copy(), out[:, 1 : 1 + self.dimension].copy()

    def with_z(self, points: ArrayLike) -> Floats:
        """Return points with three columns, m; 2D points get the z of the lattice."""
        given = np.asarray(points, dtype=np.float64)
        if given.shape[-1] == 3:
            return given
        return np.concatenate([given, np.full((*given.shape[:-1], 1), self.origin[2])], axis=-1)


def make_space(
    environment: Environment | Volume,
    *,
    resolution: float | None = None,
    radius: float = 0.25,
    size: tuple[float, float, float] | None = None,
) -> Space:
    """Return the lattice of a disc on a map, or of a ball or a box (`size`) in a volume.

    Args:
        environment: 2D map, or a volume of voxels.
        resolution: m, side of a cell; None: half a metre, or a 200th of the longest side if that
            is more. A volume has its own.
        radius: m, of the disc or ball.
        size: m, box of an object that moves without turning, in three dimensions.

    Raises:
        BadInput: invalid numbers, too many cells for the memory, or no free cell.

    Example:
        >>> from footway.environment import Environment
        >>> space = make_space(Environment.from_polygons(bounds=(0, 0, 4, 3)), resolution=1)
        >>> int(space.free.sum()), len(space.corners)
        (2, 6)
    """
    from footway.environment.raster import rasterise

    return space_of_raster(rasterise(environment, resolution=resolution, radius=radius, size=size))


def space_of_raster(raster: Raster) -> Space:
    """Return the lattice of a raster."""
    free = np.ascontiguousarray(raster.free)
    walls = np.ascontiguousarray(raster.walls, dtype=np.float64)
    offsets, members = _walls_of_cells(walls, raster.origin, raster.resolution, free.shape)
    return Space(
        free=free, jump=_jump(free, raster.dimension),
        corner_clearance=np.ascontiguousarray(raster.clearance),
        is_node=_free_corners(free, raster.dimension),
        origin=np.ascontiguousarray(raster.origin, dtype=np.float64),
        resolution=float(raster.resolution), dimension=int(raster.dimension), walls=walls,
        wall_offsets=offsets, wall_members=members, radius=float(raster.radius),
        size=np.ascontiguousarray(raster.size, dtype=np.float64),
    )  # fmt: skip


def space_of_cells(free: ArrayLike, resolution: float = 1.0) -> Space:
    """Return the lattice of a point object in cells, free (ny, nx) or (nz, ny, nx), origin 0.

    In two dimensions the walls are the sides between a free and a non-free cell.

    Example:
        >>> space = space_of_cells([[True, True], [True, False]])
        >>> len(space.corners), float(space.corner_clearance.max())
        (8, 0.0)
    """
    from footway.environment.raster import Raster, distance_to

    cells = np.asarray(free, dtype=bool)
    dimension = cells.ndim
    walls = _sides(cells) * resolution if dimension == 2 else np.zeros((0, 4))
    cells = np.ascontiguousarray(cells[None] if dimension == 2 else cells)
    return space_of_raster(
        Raster(
            free=cells, clearance=distance_to(~cells, dimension) * resolution, origin=np.zeros(3),
            resolution=resolution, dimension=dimension, walls=walls, radius=0.0, size=np.zeros(3),
        )
    )  # fmt: skip


def corners_where(mask: Bools) -> Ints:
    """Return the corners (n, 3), columns i, j, k, at which a mask of corners is true."""
    return np.ascontiguousarray(np.argwhere(mask)[:, ::-1])


def _axes(dimension: int) -> tuple[tuple[int, int], ...]:
    """Return the padding by one cell along each axis of the arrays; none along z in 2D."""
    return ((1, 1), (1, 1), (1, 1)) if dimension == 3 else ((0, 0), (1, 1), (1, 1))


def _jump(free: Bools, dimension: int) -> NDArray[np.int16]:
    """Return the Chebyshev distance (cells) to the nearest cell that is not free or is outside."""
    from scipy.ndimage import distance_transform_cdt

    padded: Any = np.pad(free, _axes(dimension))
    flat = padded[0] if dimension == 2 else padded
    rings = distance_transform_cdt(flat, metric="chessboard").reshape(padded.shape)
    inner = rings[:, 1:-1, 1:-1] if dimension == 2 else rings[1:-1, 1:-1, 1:-1]
    return np.ascontiguousarray(inner, dtype=np.int16)


def _free_corners(free: Bools, dimension: int) -> Bools:
    """Return which corners belong to a free cell."""
    cells = np.pad(free, _axes(dimension))
    found = cells[:, :-1, :-1] | cells[:, 1:, :-1] | cells[:, :-1, 1:] | cells[:, 1:, 1:]
    return np.ascontiguousarray(found[:-1] | found[1:] if dimension == 3 else found)


def _sides(free: Bools) -> Floats:
    """Return the sides (n, 4) between free and non-free cells, in cells."""
    padded = np.pad(free, 1)
    j, i = np.nonzero(padded[1:-1, 1:] != padded[1:-1, :-1])
    upright = np.column_stack([i, j, i, j + 1])
    j, i = np.nonzero(padded[1:, 1:-1] != padded[:-1, 1:-1])
    return np.vstack([upright, np.column_stack([i, j, i + 1, j])]).astype(np.float64)


def _walls_of_cells(
    walls: Floats, origin: Floats, side: float, shape: tuple[int, ...]
) -> tuple[Ints, NDArray[np.int32]]:
    """Return, for each cell, the walls nearest to any of its points: by blocks, then by cells."""
    if len(walls) == 0:
        return np.zeros(1, np.int64), np.zeros(0, np.int32)
    _, ny, nx = shape
    x0, y0 = float(origin[0]), float(origin[1])
    wide, high = -(-nx // WALL_BLOCK), -(-ny // WALL_BLOCK)
    whole, members = np.array([0, len(walls)]), np.arange(len(walls), dtype=np.int32)
    top = max(wide, high)
    blocks, members = near_walls(walls, whole, members, top, x0, y0, side * WALL_BLOCK, wide, high)
    rows, members = near_walls(walls, blocks, members, WALL_BLOCK, x0, y0, side, nx, ny)
    return rows, members
