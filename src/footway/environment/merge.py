"""Merge the polygons of one role: overlaps, shared edges, gaps below the grid.

Second half of the geometry doctor. All geometry here is in whole grid steps (see `lattice`).
Only polygons that really meet go through a union: a union of everything costs a hundred times
the check that finds nothing to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely

from footway.environment.lattice import polygon_parts, to_metres
from footway.environment.repairs import Repair

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.environment.repair_polygons import RepairedPolygons

_REACH: Final = 2.5
"""Steps. Polygons less than one step apart before rounding are less than 1 + sqrt(2) after it."""

_POINTS_ONLY: Final = "FF*F0****"
"""DE-9IM: interiors apart, boundaries share points but no edge. Such polygons stay as they are."""


class _Pairs(NamedTuple):
    """Pairs of polygons closer than `_REACH`: (k,) index of each, and whether they intersect."""

    a: NDArray[np.int_]
    b: NDArray[np.int_]
    meet: NDArray[np.bool_]


def merge(healed: RepairedPolygons, *, grid: float) -> tuple[NDArray[np.object_], list[Repair]]:
    """Return polygons in steps that share points at most, covering what the healed ones cover."""
    pairs = _close_pairs(healed.shapes)
    if not len(pairs.a):
        return healed.shapes, []
    repairs = _overlaps(healed, pairs, grid=grid)
    shapes, gaps = _close_gaps(healed, pairs, grid=grid)
    return dissolve(shapes), repairs + gaps


def dissolve(shapes: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the union of valid polygons as polygons that share points at most.

    Again and again, because rounding the new corners of a union can make it meet a neighbour;
    each round leaves fewer polygons than the one before.
    """
    while True:
        a, b = shapely.STRtree(shapes).query(shapes, predicate="intersects")
        a, b = a[a < b], b[a < b]
        joined = ~shapely.relate_pattern(shapes[a], shapes[b], _POINTS_ONLY)
        if not joined.any():
            return shapes
        shapes = _union_groups(shapes, a[joined], b[joined])


def _union_groups(
    shapes: NDArray[np.object_], a: NDArray[np.int_], b: NDArray[np.int_]
) -> NDArray[np.object_]:
    """Return the shapes with every group that the pairs (a, b) connect replaced by its union."""
    # Loading SciPy takes longer than a whole city does; a clean one never comes here.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(shapes)
    links = coo_array((np.ones(len(a)), (a, b)), shape=(n, n))
    group = connected_components(links, directed=False)[1]
    order = np.argsort(group, kind="stable")
    members = np.split(shapes[order], np.flatnonzero(np.diff(group[order])) + 1)
    united = [m[0] if len(m) == 1 else shapely.union_all(m, grid_size=1) for m in members]
    return polygon_parts(np.array(united, dtype=object))


def _close_pairs(shapes: NDArray[np.object_]) -> _Pairs:
    a, b = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=_REACH)
    a, b = a[a < b], b[a < b]
    return _Pairs(a, b, shapely.intersects(shapes[a], shapes[b]))


def _overlaps(healed: RepairedPolygons, pairs: _Pairs, *, grid: float) -> list[Repair]:
    """List the pairs whose interiors overlap, with a point inside the overlap."""
    shapes, a, b = healed.shapes, pairs.a[pairs.meet], pairs.b[pairs.meet]
    deep = shapely.relate_pattern(shapes[a], shapes[b], "T********")
    a, b = a[deep], b[deep]
    common = shapely.intersection(shapes[a], shapes[b])
    inside = to_metres(shapely.point_on_surface(common), grid)
    return [
        Repair(
            "overlap",
            (point.x, point.y),
            f"{healed.label(i)} and {healed.label(j)} overlap by "
            f"{shapely.area(part) * grid**2:.3g} m2; merged",
        )
        for i, j, part, point in zip(a, b, common, inside, strict=True)
    ]


def _close_gaps(
    healed: RepairedPolygons, pairs: _Pairs, *, grid: float
) -> tuple[NDArray[np.object_], list[Repair]]:
    """Pull polygons together that were less than one step apart, and list the places."""
    shapes = healed.shapes.copy()
    before_a, before_b = healed.original(pairs.a), healed.original(pairs.b)
    with np.errstate(all="ignore"):  # GEOS sets flags where squares of tiny coordinates underflow
        gap = shapely.distance(before_a, before_b)
    apart = np.flatnonzero((gap > 0) & (gap < grid))
    for k in apart[~pairs.meet[apart]]:
        i, j = pairs.a[k], pairs.b[k]
        shapes[j] = _snapped(shapes[j], shapes[i])
        shapes[i] = _snapped(shapes[i], shapes[j])
    places = shapely.get_coordinates(shapely.shortest_line(before_a[apart], before_b[apart]))[::2]
    return shapes, [
        Repair(
            "gap",
            (float(x), float(y)),
            f"{healed.label(pairs.a[k])} and {healed.label(pairs.b[k])} are "
            f"{1000 * gap[k]:.2g} mm apart, less than the grid; joined",
        )
        for k, (x, y) in zip(apart, places, strict=True)
    ]


def _snapped(polygon: Any, target: Any) -> Any:
    """Return the polygon with corners and edges moved onto a target within reach."""
    snapped = shapely.make_valid(
        shapely.snap(polygon, target, _REACH), method="structure", keep_collapsed=False
    )
    return snapped if shapely.get_dimensions(snapped) == 2 else polygon
