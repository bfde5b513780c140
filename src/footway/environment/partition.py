"""Partition walkable space into triangles, each of one kind of terrain (miran-2013, sections 2, 4).

The bounding box of the map is triangulated with the walls, offset by the radius of the disc, and
the borders of the terrain regions as constraints. These bound faces; the faces in which the disc
fits are kept, each with the kind of its topmost region.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely

from footway.environment.environment import SLOPE
from footway.environment.kernels.triangulation import faces_of, triangulate
from footway.environment.lattice import steps_per_metre
from footway.environment.walls import is_in_wedge, offset_lines, segments_of, wedges
from footway.errors import BadGeometry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Bools, Floats, Ints
    from footway.environment.environment import Environment, TerrainRegion

FINEST: Final = 9
"""Corners lie on a lattice of at least 2 ** -9 grid steps (2 micrometres): fine enough that walls
do not move, coarse enough that no triangle is smaller than 1e-12 m2."""

MOST_STEPS: Final = 2**28
"""Maximum number of lattice steps along the longer side of the map if the lattice is finer than the
grid: products of two differences stay well within 64 bits."""

MOST_KINDS: Final = 32767

RINGS: Final = 8
"""Rings around an influence region, of equal width and of one weight each."""
_QUARTER: Final = 4  # sides of a ring in a quarter of a circle

_BORDER, _WALL = 1, 2  # marks of sides


class Partition(NamedTuple):
    """Triangles that fill the walkable space of a disc; neighbours share whole sides."""

    points: Floats  # (p, 2) float64, m
    triangles: NDArray[np.int32]  # (t, 3) int32, corners in points, counterclockwise
    neighbours: NDArray[np.int32]  # (t, 3) int32, across side k, to corner k + 1; -1 at a wall
    kind: NDArray[np.int16]  # (t,) int16, index in kinds
    kinds: tuple[str, ...]  # names; the first is always "ground", which no region covers
    slopes: Floats  # (kinds, 2) rise per metre along x and y


def partition(environment: Environment, *, radius: float = 0.0) -> Partition:
    """Return the walkable space of a disc of `radius` (m) as triangles with kinds of terrain.

    Where regions overlap, the later one in `environment.terrain` counts. A disc with its centre
    in a triangle touches no wall: arcs around corners are replaced by tangents, which removes
    less than 1 % of the radius. (In a passage exactly as wide as the disc, or at an almost
    straight corner, it may be 10 micrometres nearer.) With radius 0, a single-line wall has
    triangles on both sides that are not neighbours, and point obstacles are ignored.

    Raises:
        BadGeometry: the disc fits nowhere.

    Example:
        >>> from footway.environment import Environment
        >>> room = Environment.from_polygons(
        ...     bounds=(0, 0, 4, 2), terrain=[("mud", [(0, 0), (2, 0), (2, 2), (0, 2)])]
        ... )
        >>> cut = partition(room)
        >>> cut.kinds, sorted(cut.kind.tolist())
        (('ground', 'mud'), [0, 0, 1, 1])
    """
    # Lattice steps: grid steps, halved as often as the size of the map allows.
    x0, y0, x1, y1 = environment.bounds
    coarse = steps_per_metre(environment.grid)
    halvings = math.frexp(MOST_STEPS / (max(x1 - x0, y1 - y0) * coarse))[1] - 1
    per_metre = coarse * 2.0 ** min(max(halvings, 0), FINEST)
    # Rounding to the lattice moves a line by less than two steps: keep it off the wall.
    reach = radius + 2 / per_metre if radius > 0 else 0.0
    walls = environment.walls.segments if reach == 0.0 else offset_lines(environment.walls, reach)
    regions = np.array([region.polygon for region in environment.terrain], dtype=object)
    regions = np.append(regions, _rings(environment))
    borders = segments_of(shapely.get_rings(shapely.get_parts(regions)))
    marks = np.repeat(np.array([_WALL, _BORDER], np.uint8), [len(walls), len(borders)])
    steps = np.rint(np.concatenate([walls, borders]) * per_metre).astype(np.int64)
    cut = triangulation(steps, marks)
    samples = _inside_faces(cut) / per_metre
    fits = _fits(environment, samples, radius, reach)
    if not fits.any():
        raise BadGeometry(
            f"a disc of radius {radius:g} m fits nowhere on this map; take a smaller radius"
        )
    kinds, kind = _kinds(environment, samples)
    kinds, kind, slopes = _with_slopes(environment, samples, kinds, kind)
    chosen = np.flatnonzero(fits[cut.face])
    points, triangles, neighbours = _select(cut, chosen)
    return Partition(
        points / per_metre, triangles, neighbours, kind[cut.face[chosen]], kinds, slopes
    )


def _inside_faces(cut: Triangulation) -> Floats:
    """Return a point inside each face, (f, 2) lattice steps: the centroid of its largest triangle.

    The lines around offset walls also divide the space inside the offset, but no face is partly
    free.
    """
    corners = cut.points[cut.triangles].astype(np.float64)
    (ux, uy), (vx, vy) = (corners[:, k].T - corners[:, 0].T for k in (1, 2))
    order = np.lexsort((-(ux * vy - uy * vx), cut.face))
    first = np.r_[True, np.diff(cut.face[order]) != 0]
    middle: Floats = corners[order[first]].mean(axis=1)
    return middle


def _fits(environment: Environment, samples: Floats, radius: float, reach: float) -> Bools:
    """Return (n,) bool: a disc at the point is inside walkable space and touches no wall."""
    shapely.prepare(environment.walkable)
    fits: Bools = shapely.contains_xy(environment.walkable, *samples.T)
    if radius == 0.0:
        return fits
    inside = np.flatnonzero(fits)
    walls = environment.walls
    lines = shapely.linestrings(walls.segments.reshape(-1, 2, 2))
    tree = shapely.STRtree(np.concatenate([lines, shapely.points(walls.points)]))
    (at, _), distance = tree.query_nearest(
        shapely.points(samples[inside]), all_matches=False, return_distance=True
    )
    clearance = np.empty(len(inside))
    clearance[at] = distance
    fits[inside] = clearance >= radius
    # A point may be outside the circles but inside the tangents around them.
    doubtful = inside[(clearance >= radius) & (clearance < 1.01 * reach)]
    around = wedges(walls)
    tree = shapely.STRtree(shapely.points(around.tips))
    here, which = tree.query(
        shapely.points(samples[doubtful]), predicate="dwithin", distance=1.01 * reach
    )
    hit = is_in_wedge(samples[doubtful[here]], around, which, reach)
    fits[doubtful[here[hit]]] = False
    return fits


def _kinds(environment: Environment, samples: Floats) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    """Return the names of the kinds, and the index of the topmost kind at each point."""
    regions = [region for region in environment.terrain if region.kind != SLOPE]
    kinds = environment.terrain_kinds
    # Index -1, of a point that no region covers, reads the last entry: ground.
    number = np.array([*(kinds.index(region.kind) for region in regions), 0])
    names = np.array(kinds, object)[number[_topmost(regions, samples)]]
    return _numbered(_with_influences(environment, samples, names), kinds)


def _topmost(regions: list[TerrainRegion], samples: Floats) -> NDArray[np.intp]:
    """Return the index of the last region that contains each point; -1: none."""
    tree = shapely.STRtree([region.polygon for region in regions])
    at, region = tree.query(shapely.points(samples), predicate="within")
    top = np.full(len(samples), -1)
    np.maximum.at(top, at, region)
    return top


def _numbered(
    names: NDArray[Any], first: tuple[str, ...]
) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    """Return distinct names, those in `first` before the others, and the index of each name."""
    found = (*first, *sorted(set(names.tolist()) - set(first)))
    if len(found) > MOST_KINDS:
        raise BadGeometry(f"{len(found)} kinds of terrain are more than {MOST_KINDS}")
    number = {name: k for k, name in enumerate(found)}
    return found, np.array([number[name] for name in names.tolist()], np.int16)


def _with_slopes(
    environment: Environment, samples: Floats, kinds: tuple[str, ...], kind: NDArray[np.int16]
) -> tuple[tuple[str, ...], NDArray[np.int16], Floats]:
    """Return kinds with one more for each combination of kind and slope, and all slopes."""
    sloping = [region for region in environment.terrain if region.slope is not None]
    if not sloping:
        return kinds, kind, np.zeros((len(kinds), 2))
    slopes = np.array([*(region.slope for region in sloping), (0.0, 0.0)])
    of_sample = slopes[_topmost(sloping, samples)]
    names = np.array(kinds, object)[kind]
    steep = np.flatnonzero(of_sample.any(axis=1))
    names[steep] += [f"@slope {x!r} {y!r}" for x, y in of_sample[steep].tolist()]
    found, number = _numbered(names, kinds)
    by_kind = np.zeros((len(found), 2))
    by_kind[number] = of_sample
    return found, number, by_kind


def _rings(environment: Environment) -> list[shapely.Polygon | shapely.MultiPolygon]:
    """Return the region and its surroundings up to the end of each ring of influence regions."""
    inside = shapely.box(*environment.bounds)
    return [
        shapely.intersection(
            shapely.buffer(region.polygon, region.reach * k / RINGS, quad_segs=_QUARTER), inside
        )
        for region in environment.terrain
        if region.reach > 0.0
        for k in range(1, RINGS + 1)
    ]


def _with_influences(
    environment: Environment, samples: Floats, names: NDArray[Any]
) -> NDArray[Any]:
    """Return names of kinds with the rings around the points, such as "mud@fire 3/8".

    Ring 1 is the nearest. The rings are those of `_rings`, whose corners lie on circles.
    """
    rings = _rings(environment)
    sources = [region for region in environment.terrain if region.reach > 0.0]
    for i, region in enumerate(sources):
        ring = np.full(len(samples), RINGS + 1)
        for k in range(RINGS, 0, -1):
            ring[shapely.contains_xy(rings[i * RINGS + k - 1], *samples.T)] = k
        ring[shapely.contains_xy(region.polygon, *samples.T)] = RINGS + 1
        near = ring <= RINGS
        names[near] += np.array([f"@{region.kind} {k}/{RINGS}" for k in range(RINGS + 2)], object)[
            ring[near]
        ]
    return names


def _select(
    cut: Triangulation, chosen: NDArray[np.intp]
) -> tuple[Ints, NDArray[np.int32], NDArray[np.int32]]:
    """Return points, triangles and neighbours of the chosen triangles, separated at walls."""
    number = np.full(len(cut.triangles) + 1, -1, dtype=np.int32)  # the last is for neighbour -1
    number[chosen] = np.arange(len(chosen))
    neighbours = number[cut.neighbours[chosen]]
    neighbours[cut.marks[chosen] == _WALL] = -1
    used, triangles = np.unique(cut.triangles[chosen], return_inverse=True)
    return cut.points[used], triangles.reshape(-1, 3).astype(np.int32), neighbours


class Triangulation(NamedTuple):
    """Triangles of a box around segments, on an integer lattice."""

    points: Ints  # (p, 2) int64 lattice steps
    triangles: NDArray[np.int32]  # (t, 3) int32 corners, counterclockwise; none is flat
    neighbours: NDArray[np.int32]  # (t, 3) across side k, to corner k + 1; -1 at the border
    marks: NDArray[np.uint8]  # (t, 3) mark of the segments that the side belongs to; 0: none
    face: NDArray[np.int32]  # (t,) int32 index of the face: triangles with no segment between them


def triangulation(segments: Ints, marks: NDArray[np.uint8]) -> Triangulation:
    """Return the constrained Delaunay triangulation of segments in a box around them.

    Args:
        segments: (n, 4) x0, y0, x1, y1 in lattice steps, the longer side of their box at most
            2,000,000,000; they may cross, overlap and end on each other.
        marks: (n,) above 0; where segments overlap, the greater mark counts.

    Example:
        >>> cross = np.array([[0, 5, 10, 5], [5, 0, 5, 10]])
        >>> cut = triangulation(cross, np.ones(2, np.uint8))
        >>> [5, 5] in cut.points.tolist(), len(cut.triangles)
        (True, 12)
    """
    distinct, ends = _distinct(segments.reshape(-1, 2))
    ends = ends.reshape(-1, 2) + 4
    long = ends[:, 0] != ends[:, 1]
    marked = np.column_stack([ends, marks])[long].astype(np.int32)
    low, high = distinct.min(axis=0), distinct.max(axis=0)
    margin = int((high - low).max()) // 256 + 8
    (x0, y0), (x1, y1) = low - margin, high + margin
    points = np.concatenate([np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]), distinct])
    order = _spatial_order(distinct) + 4
    capacity = 64 + len(distinct)
    while True:
        xy, triangles, neighbours, sides = triangulate(points, order, marked, capacity)
        if len(xy):
            face = faces_of(triangles, neighbours, sides)
            return Triangulation(xy, triangles, neighbours, sides, face)
        capacity *= 4


def _distinct(points: Ints) -> tuple[Ints, NDArray[np.intp]]:
    """Return the distinct points, sorted by x, then y, and the row of each given point.

    Both coordinates fit in one 64-bit number, which is sorted ten times as fast as rows.
    """
    low = points.min(axis=0)
    across = int((points[:, 1] - low[1]).max()) + 1
    keys, rows = np.unique(
        (points[:, 0] - low[0]) * across + points[:, 1] - low[1], return_inverse=True
    )
    return np.column_stack([keys // across, keys % across]) + low, rows


def _spatial_order(distinct: Ints) -> Ints:
    """Return an order in which successive points are near: columns of cells, up and down."""
    low = distinct.min(axis=0)
    across = int((distinct.max(axis=0) - low).max()) + 1
    columns = max(1, int(np.sqrt(len(distinct) / 2)))
    column, row = ((distinct - low) * (columns / across)).astype(np.int64).T
    return np.lexsort((np.where(column % 2 == 0, row, -row), column))
