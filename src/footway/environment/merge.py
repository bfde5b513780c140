"""Merge the polygons of one role: overlaps, shared edges, gaps smaller than the grid.

All geometry here is in whole grid steps (see `lattice`). Only polygons that meet are united: a
union of all polygons costs a hundred times as much as finding that none meet.
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

_SHARE_POINTS_ONLY: Final = "FF*F0****"
"""DE-9IM: disjoint interiors, boundaries share points but no edge. Such pairs are not merged."""


class _Pairs(NamedTuple):
    """Pairs of polygons closer than `_REACH`: (k,) index of each, and whether they intersect."""

    a: NDArray[np.int_]
    b: NDArray[np.int_]
    meet: NDArray[np.bool_]


def merge(repaired: RepairedPolygons, *, grid: float) -> tuple[NDArray[np.object_], list[Repair]]:
    """Return polygons in steps that share at most points and cover the same area."""
    shapes = repaired.shapes
    a, b = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=_REACH)
    a, b = a[a < b], b[a < b]
    pairs = _Pairs(a, b, shapely.intersects(shapes[a], shapes[b]))
    if not len(a):
        return shapes, []
    repairs = _overlaps(repaired, pairs, grid=grid)
    shapes, gaps = _close_gaps(repaired, pairs, grid=grid)
    return dissolve(shapes), repairs + gaps


def dissolve(shapes: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the union of valid polygons as polygons that share at most points.

    Repeated until nothing changes, because rounding the new corners of a union can make it meet
    a neighbour; each round leaves fewer polygons.
    """
    while True:
        a, b = shapely.STRtree(shapes).query(shapes, predicate="intersects")
        a, b = a[a < b], b[a < b]
        joined = ~shapely.relate_pattern(shapes[a], shapes[b], _SHARE_POINTS_ONLY)
        if not joined.any():
            return shapes
        shapes = _union_groups(shapes, a[joined], b[joined])


def _union_groups(
    shapes: NDArray[np.object_], a: NDArray[np.int_], b: NDArray[np.int_]
) -> NDArray[np.object_]:
    """Replace every group of shapes that the pairs (a, b) connect by its union."""
    # Imported here because importing SciPy takes longer than processing a clean city.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(shapes)
    links = coo_array((np.ones(len(a)), (a, b)), shape=(n, n))
    group = connected_components(links, directed=False)[1]
    order = np.argsort(group, kind="stable")
    members = np.split(shapes[order], np.flatnonzero(np.diff(group[order])) + 1)
    united = [m[0] if len(m) == 1 else shapely.union_all(m, grid_size=1) for m in members]
    return polygon_parts(np.array(united, dtype=object))


def _overlaps(repaired: RepairedPolygons, pairs: _Pairs, *, grid: float) -> list[Repair]:
    """List the pairs whose interiors overlap, each with a point in the overlap."""
    shapes, a, b = repaired.shapes, pairs.a[pairs.meet], pairs.b[pairs.meet]
    deep = shapely.relate_pattern(shapes[a], shapes[b], "T********")
    a, b = a[deep], b[deep]
    common = shapely.intersection(shapes[a], shapes[b])
    inside = to_metres(shapely.point_on_surface(common), grid)
    return [
        Repair(
            "overlap",
            (point.x, point.y),
            f"{repaired.label(i)} and {repaired.label(j)} overlap by "
            f"{shapely.area(part) * grid**2:.3g} m2; merged",
        )
        for i, j, part, point in zip(a, b, common, inside, strict=True)
    ]


def _close_gaps(
    repaired: RepairedPolygons, pairs: _Pairs, *, grid: float
) -> tuple[NDArray[np.object_], list[Repair]]:
    """Join polygons that were less than one step apart, and list the positions."""
    shapes = repaired.shapes.copy()
    before_a, before_b = repaired.original(pairs.a), repaired.original(pairs.b)
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
            f"{repaired.label(pairs.a[k])} and {repaired.label(pairs.b[k])} are "
            f"{1000 * gap[k]:.2g} mm apart, less than the grid; joined",
        )
        for k, (x, y) in zip(apart, places, strict=True)
    ]


def _snapped(polygon: Any, target: Any) -> Any:
    """Return the polygon with corners and edges snapped to a target within `_REACH`."""
    snapped = shapely.make_valid(
        shapely.snap(polygon, target, _REACH), method="structure", keep_collapsed=False
    )
    return snapped if shapely.get_dimensions(snapped) == 2 else polygon
