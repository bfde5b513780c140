"""Repair polygons, first each by itself, then where they meet.

`repair_polygons` removes duplicate points, self-intersections and slivers. `merge` resolves
overlaps, shared edges and gaps smaller than the grid between the polygons of one role. Geometry is
in whole grid steps here (see `lattice`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely

from footway._numba.portable_math import hypot
from footway.environment.lattice import polygon_parts, steps_per_metre, to_metres, to_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.arrays import Bools, Shapes
    from footway.environment.input_geometry import Pieces

COSMETIC: Final = ("orientation", "duplicate point", "unclosed ring")
"""Kinds of repairs that do not change any shape."""

_MOST_ALIKE: Final = 5  # repairs of one cosmetic kind that are listed individually

_REACH: Final = 2.5
"""Steps. Polygons less than one step apart before rounding are less than 1 + sqrt(2) after it."""

_SHARE_POINTS_ONLY: Final = "FF*F0****"
"""DE-9IM: disjoint interiors, boundaries share points but no edge. Such pairs are not merged."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair of, assumption about, or omission from the input.

    Attributes:
        kind: one of
            "unclosed ring", "orientation", "duplicate point", "self-intersection", "sliver",
            "gap", "overlap", "open mesh" (geometry repaired, or used unchanged);
            "bounds", "projection", "kind" (assumptions where the input is silent);
            "spelling" (terrain whose kind is nearly the name of something else);
            "outside", "ignored" (input without effect);
            "island" (a walkable part not connected to the largest one; it is kept).
        at: (x, y) in metres, in the environment's coordinates.
        detail: what was found and what was done, in one line.
    """

    kind: str
    at: tuple[float, float]
    detail: str

    def __str__(self) -> str:
        """Return kind, position and detail on one line."""
        return f"{self.kind} at ({self.at[0]:.3f}, {self.at[1]:.3f}): {self.detail}"


def repairs_to_list(repairs: Sequence[Repair]) -> dict[int, int]:
    """Select the repairs to list: index of each, and the number of repairs that it represents.

    Each represents itself (1), but if more than five repairs of one cosmetic kind exist, only
    the first is listed and represents all of them.
    """
    listed: dict[int, int] = {}
    counts = {kind: sum(r.kind == kind for r in repairs) for kind in COSMETIC}
    seen = set()
    for k, repair in enumerate(repairs):
        number = counts.get(repair.kind, 1)
        if number <= _MOST_ALIKE:
            listed[k] = 1
        elif repair.kind not in seen:
            seen.add(repair.kind)
            listed[k] = number
    return listed


# -- single polygons ---------------------------------------------------------------------------


class RepairedPolygons(NamedTuple):
    """Valid polygons in whole steps, and the polygons that they come from."""

    shapes: Shapes  # (n,) object array of valid polygons in whole steps
    source: NDArray[np.intp]  # (n,) int, index of the given polygon that each comes from
    given: Pieces  # the given polygons, in metres

    def label(self, i: Any) -> str:
        """Return the label of polygon i."""
        return self.given.label(self.source[i])


def repair_polygons(given: Pieces, *, grid: float) -> tuple[RepairedPolygons, list[Repair]]:
    """Return valid polygons in whole steps for polygons in metres, and the repairs.

    A polygon may be split into several, or vanish.
    """
    source = np.arange(len(given))
    if not len(given):
        return RepairedPolygons(given.shapes, source, given), []
    rounded = to_steps(given.shapes, grid)
    rounded, repairs = _without_duplicate_points(rounded, given, grid=grid)
    gone = shapely.is_missing(rounded)
    invalid = np.flatnonzero(~gone & ~shapely.is_valid(rounded))
    if not gone.any() and not len(invalid):
        return RepairedPolygons(rounded, source, given), repairs
    parts = {i: [rounded[i]] for i in np.flatnonzero(~gone)}
    for i in invalid:
        parts[i], found = _make_valid(rounded[i], given, i, grid=grid)
        repairs += found
    source = np.repeat(list(parts), [len(p) for p in parts.values()])
    shapes = np.empty(len(source), dtype=object)
    shapes[:] = [p for several in parts.values() for p in several]
    return RepairedPolygons(shapes, source.astype(np.intp), given), repairs


def _without_duplicate_points(
    rounded: Shapes, given: Pieces, *, grid: float
) -> tuple[Shapes, list[Repair]]:
    """Drop points equal to their predecessor; None for polygons that collapse."""
    rings, polygon = shapely.get_rings(rounded, return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    double = np.flatnonzero((ring[1:] == ring[:-1]) & (xy[1:] == xy[:-1]).all(axis=1)) + 1
    if not len(double):
        return rounded, []
    per_metre = steps_per_metre(grid)
    original = shapely.get_coordinates(given.shapes)
    # A ring that collapses to a point is reported as one sliver, not as duplicate points.
    size = np.bincount(np.delete(ring, double), minlength=len(rings))
    apart = hypot(*(original[double] - original[double - 1]).T)
    repairs = [
        Repair(
            "duplicate point",
            _in_metres(xy[i], per_metre),
            f"{given.label(polygon[ring[i]])}: two points in a row, {1000 * gap:.3g} mm apart; "
            "merged",
        )
        for i, gap in zip(double, apart, strict=True)
        if size[ring[i]] >= 4
    ]
    repairs += [
        Repair(
            "sliver",
            _in_metres(shapely.get_coordinates(rings[i])[0], per_metre),
            f"{given.label(polygon[i])}: a ring narrower than the grid; dropped",
        )
        for i in np.flatnonzero(size < 4)
    ]
    is_shell = np.r_[True, polygon[1:] != polygon[:-1]]
    shell_lives = (size >= 4)[np.flatnonzero(is_shell)]
    keep_ring = (size >= 4) & shell_lives[polygon]
    keep = keep_ring[ring]
    keep[double] = False
    repaired = np.empty(len(rounded), dtype=object)
    if keep_ring.any():
        number = np.cumsum(keep_ring) - 1
        kept = shapely.linearrings(xy[keep], indices=number[ring[keep]])
        shapely.polygons(kept, indices=polygon[keep_ring], out=repaired)
    return repaired, repairs


def _make_valid(
    polygon: Any, given: Pieces, i: Any, *, grid: float
) -> tuple[list[Any], list[Repair]]:
    """Return the valid parts of an invalid polygon, and the repairs."""
    per_metre = steps_per_metre(grid)
    # Each ring separately, because GEOS treats a hole outside its shell as another shell.
    shell, *holes = shapely.make_valid(
        shapely.polygons(shapely.get_rings(polygon)), method="structure", keep_collapsed=False
    )
    fixed = shapely.set_precision(shapely.difference(shell, shapely.union_all(holes)), 1)
    parts = list(polygon_parts(fixed))
    label = given.label(i)
    first = shapely.get_coordinates(polygon)[0]
    if not parts:
        detail = f"{label}: narrower than the grid; dropped"
        return [], [Repair("sliver", _in_metres(first, per_metre), detail)]
    # GEOS gives the reason as text, with the position in brackets.
    reason, _, position = shapely.is_valid_reason(polygon).partition("[")
    numbers = position.rstrip("]").split()
    at = tuple(map(float, numbers[:2])) if len(numbers) >= 2 else tuple(first)
    if shapely.is_valid(given.shapes[i]):
        detail = f"{label}: a part narrower than the grid closes up; cut off there"
        return parts, [Repair("sliver", _in_metres(at, per_metre), detail)]
    places = [at]
    kind = "overlap"
    if "elf-intersection" in reason:
        kind = "self-intersection"
        old = {tuple(p) for p in shapely.get_coordinates(polygon)}
        places = sorted({tuple(p) for p in shapely.get_coordinates(fixed)} - old) or [at]
    detail = f"{label}: {reason.strip().lower()}; rebuilt from its rings"
    return parts, [Repair(kind, _in_metres(place, per_metre), detail) for place in places]


def _in_metres(at: Any, per_metre: float) -> tuple[float, float]:
    return float(at[0] / per_metre), float(at[1] / per_metre)


# -- polygons that meet ------------------------------------------------------------------------


class _Pairs(NamedTuple):
    """Pairs of polygons closer than `_REACH`: (k,) index of each, and whether they intersect."""

    a: NDArray[np.int_]
    b: NDArray[np.int_]
    meet: Bools


def merge(repaired: RepairedPolygons, *, grid: float) -> tuple[Shapes, list[Repair]]:
    """Return polygons in steps that share at most points and cover the same area.

    Only polygons that meet are united: a union of all polygons costs a hundred times as much as
    finding that none meet.
    """
    shapes = repaired.shapes
    a, b = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=_REACH)
    a, b = a[a < b], b[a < b]
    pairs = _Pairs(a, b, shapely.intersects(shapes[a], shapes[b]))
    if not len(a):
        return shapes, []
    repairs = _overlaps(repaired, pairs, grid=grid)
    shapes, gaps = _close_gaps(repaired, pairs, grid=grid)
    return _dissolve(shapes), repairs + gaps


def _dissolve(shapes: Shapes) -> Shapes:
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
        # Imported here because importing SciPy takes longer than processing a clean city.
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        links = (np.ones(joined.sum()), (a[joined], b[joined]))
        graph = coo_array(links, shape=(len(shapes), len(shapes)))
        group = connected_components(graph, directed=False)[1]
        order = np.argsort(group, kind="stable")
        members = np.split(shapes[order], np.flatnonzero(np.diff(group[order])) + 1)
        united = [m[0] if len(m) == 1 else shapely.union_all(m, grid_size=1) for m in members]
        shapes = polygon_parts(np.array(united, dtype=object))


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
) -> tuple[Shapes, list[Repair]]:
    """Join polygons that were less than one step apart, and list the positions."""
    shapes = repaired.shapes.copy()
    before_a, before_b = (
        repaired.given.shapes[repaired.source[which]] for which in (pairs.a, pairs.b)
    )
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
