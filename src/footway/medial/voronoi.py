"""Compute the Voronoi diagram of walls with pyvoronoi and convert it to arrays."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyvoronoi

from footway.constants import GRID
from footway.errors import BadGeometry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.arrays import Bools, Floats, Ints
    from footway.environment import Walls

_START, _END = 1, 2  # Boost.Polygon's names for the cell of a segment's end point
_SEGMENT = 3  # and 4: the segment itself, in either direction
_LARGEST = 2**31 - 2  # Boost.Polygon's predicates are exact for 32-bit integers


class Diagram(NamedTuple):
    """Finite primary edges of the Voronoi diagram of points and open segments, in metres.

    A site is an open wall segment or a point (a wall's end, or a point obstacle).
    """

    vertices: Floats  # (nv, 2)
    edges: Ints  # (ne, 4) start vertex, end vertex, site on the left, on the right
    sites: Floats  # (ns, 4) x0, y0, x1, y1; a point has both ends the same
    is_point: Bools  # (ns,)
    two_sided: Bools  # (ns,) free space on both sides: single-line walls and points


def diagram(walls: Walls, *, grid: float = GRID) -> Diagram:
    """Voronoi diagram of `walls`; exact predicates on integers in units of `grid` metres."""
    ends = np.rint(walls.segments.reshape(-1, 2) / grid)
    points = np.rint(walls.points / grid)
    origin = np.floor(np.vstack([ends, points]).mean(axis=0))
    ends, points = ends - origin, points - origin
    if max(np.abs(ends).max(initial=0), np.abs(points).max(initial=0)) > _LARGEST:
        raise BadGeometry(
            f"the map is wider than {_LARGEST * grid / 1000:.0f} km: cut it into parts"
        )
    segments = ends.reshape(-1, 4)
    vertices, halves, cells = _construct(segments.astype(np.int64), points.astype(np.int64))
    sites, is_point, two_sided = _sites(cells, segments, points, walls.two_sided)
    # One row for each pair of twins; a half-edge has its cell on the left.
    start, end, cell, twin, primary = halves.T
    once = twin > np.arange(len(halves))
    keep = once & (primary == 1) & (start >= 0) & (end >= 0)
    edges = np.column_stack([start[keep], end[keep], cell[keep], cell[twin[keep]]])
    shift = np.tile(origin, 2)
    return Diagram((vertices + origin) * grid, edges, (sites + shift) * grid, is_point, two_sided)


def _construct(segments: Ints, points: Ints) -> tuple[Floats, Ints, Ints]:
    """Run Boost.Polygon: vertices (n, 2), half-edges (n, 5), cells (n, 2) site and category."""
    voronoi = pyvoronoi.Pyvoronoi(1)
    for point in points.tolist():
        voronoi.AddPoint(point)
    for x0, y0, x1, y1 in segments.tolist():
        voronoi.AddSegment([(x0, y0), (x1, y1)])
    with _no_garbage_collection():
        voronoi.Construct()
        vertices = np.array([(v.X, v.Y) for v in voronoi.GetVertices()], dtype=np.float64)
        halves = np.array(
            [(e.start, e.end, e.cell, e.twin, e.is_primary) for e in voronoi.GetEdges()],
            dtype=np.int64,
        )
        cells = np.array([(c.site, c.source_category) for c in voronoi.GetCells()], dtype=np.int64)
    return vertices.reshape(-1, 2), halves.reshape(-1, 5), cells.reshape(-1, 2)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Pause the collector, which would scan a hundred thousand new objects repeatedly."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _sites(
    cells: Ints, segments: Floats, points: Floats, two_sided: Bools
) -> tuple[Floats, Bools, Bools]:
    site, category = cells.T
    is_point = category < _SEGMENT
    of_wall = site >= len(points)
    wall = np.where(of_wall, site - len(points), 0)
    coordinates = np.empty((len(cells), 4))
    if len(segments):
        coordinates[:] = segments[wall]
    start, end = category == _START, category == _END
    coordinates[start] = np.tile(coordinates[start, :2], 2)
    coordinates[end] = np.tile(coordinates[end, 2:], 2)
    if len(points):
        coordinates[~of_wall] = np.tile(points[site[~of_wall]], 2)
    both = is_point | two_sided[wall] if len(segments) else is_point
    return coordinates, is_point, both
