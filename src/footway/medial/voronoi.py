"""Compute the Voronoi diagram of walls with pyvoronoi and convert it to arrays."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyvoronoi

from footway.constants import GRID
from footway.errors import BadGeometry

if TYPE_CHECKING:
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
    vertices, start, cell, kinds = _construct(segments.astype(np.int64), points.astype(np.int64))
    sites, is_point, two_sided = _sites(kinds, segments, points, walls.two_sided)
    # One row for each pair of half-edges; a half-edge has its cell on the left.
    edges = np.column_stack([start.reshape(-1, 2), cell.reshape(-1, 2)])
    edges = edges[(edges[:, :2] >= 0).all(axis=1) & ~_at_wall_end(sites, is_point, edges[:, 2:])]
    shift = np.tile(origin, 2)
    return Diagram((vertices + origin) * grid, edges, (sites + shift) * grid, is_point, two_sided)


def _construct(segments: Ints, points: Ints) -> tuple[Floats, Ints, Ints, Ints]:
    """Run Boost.Polygon: vertices (n, 2), half-edges, and cells (n, 2) site and category.

    For each half-edge its start vertex (-1 at infinity) and its cell; 2 k and 2 k + 1 are twins.
    They are read from the cells, because one object per half-edge would take twice as long.
    """
    voronoi = pyvoronoi.Pyvoronoi(1)
    for point in points.tolist():
        voronoi.AddPoint(point)
    for x0, y0, x1, y1 in segments.tolist():
        voronoi.AddSegment([(x0, y0), (x1, y1)])
    voronoi.Construct()
    vertices, kinds, halves, starts = array("d"), array("q"), array("q"), array("q")
    for index in range(voronoi.CountVertices()):
        vertex = voronoi.GetVertex(index)
        vertices.extend((vertex.X, vertex.Y))
    for index in range(voronoi.CountCells()):
        cell = voronoi.GetCell(index)
        before = cell.vertices[:-1]
        if len(before) < len(cell.edges):  # neighbours that begin at infinity share one -1
            before = [voronoi.GetEdge(half).start for half in cell.edges]
        kinds.extend((cell.site, cell.source_category, len(before)))
        halves.extend(cell.edges)
        starts.extend(before)
    of_cell = np.array(kinds).reshape(-1, 3)
    start, cells = np.empty((2, len(halves)), np.int64)
    start[np.array(halves)] = starts
    cells[np.array(halves)] = np.repeat(np.arange(len(of_cell)), of_cell[:, 2])
    return np.array(vertices).reshape(-1, 2), start, cells, of_cell[:, :2]


def _at_wall_end(sites: Floats, is_point: Bools, pairs: Ints) -> Bools:
    """Return whether each pair of sites (n, 2) is a wall and its own end: no edge of the axis."""
    wall, point = np.where(is_point[pairs[:, :1]], pairs[:, ::-1], pairs).T
    ends, at = sites[wall], sites[point, :2]
    touches = (ends[:, :2] == at).all(axis=1) | (ends[:, 2:] == at).all(axis=1)
    result: Bools = touches & (is_point[point] != is_point[wall])
    return result


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
