"""Repair single polygons: duplicate points, self-intersections, slivers.

`merge` then resolves conflicts between polygons. All geometry here is in whole grid steps (see
`lattice`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import shapely

from footway._numba.portable_math import hypot
from footway.environment.lattice import polygon_parts, steps_per_metre, to_steps
from footway.environment.repairs import Repair

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.environment.input_geometry import Pieces


class RepairedPolygons(NamedTuple):
    """Valid polygons in whole steps, and the polygons that they come from.

    Attributes:
        shapes: (n,) object array of valid polygons in whole steps.
        source: (n,) int, index of the given polygon that each comes from.
        given: the given polygons, in metres.

    """

    shapes: NDArray[np.object_]
    source: NDArray[np.intp]
    given: Pieces

    def label(self, i: Any) -> str:
        """Return the label of polygon i."""
        return self.given.label(self.source[i])

    def original(self, which: NDArray[np.intp]) -> NDArray[np.object_]:
        """Return the given polygons, in metres, from which the repaired ones `which` come."""
        return self.given.shapes[self.source[which]]


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
    shapes = _object_array([p for several in parts.values() for p in several])
    return RepairedPolygons(shapes, source.astype(np.intp), given), repairs


def _object_array(shapes: list[Any]) -> NDArray[np.object_]:
    array = np.empty(len(shapes), dtype=object)
    array[:] = shapes
    return array


def _without_duplicate_points(
    rounded: NDArray[np.object_], given: Pieces, *, grid: float
) -> tuple[NDArray[np.object_], list[Repair]]:
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
            (float(xy[i, 0] / per_metre), float(xy[i, 1] / per_metre)),
            f"{given.label(polygon[ring[i]])}: two points in a row, {1000 * gap:.3g} mm apart; "
            "merged",
        )
        for i, gap in zip(double, apart, strict=True)
        if size[ring[i]] >= 4
    ]
    repairs += [
        Repair(
            "sliver",
            _first_point(rings[i], per_metre),
            f"{given.label(polygon[i])}: a ring narrower than the grid; dropped",
        )
        for i in np.flatnonzero(size < 4)
    ]
    return _rebuild(xy, ring, polygon, double=double, size=size, count=len(rounded)), repairs


def _rebuild(
    xy: NDArray[np.float64],
    ring: NDArray[np.int_],
    polygon: NDArray[np.int_],
    *,
    double: NDArray[np.int_],
    size: NDArray[np.int_],
    count: int,
) -> NDArray[np.object_]:
    """Return polygons from the rings that keep at least three corners; None if none does."""
    is_shell = np.r_[True, polygon[1:] != polygon[:-1]]
    shell_lives = (size >= 4)[np.flatnonzero(is_shell)]
    keep_ring = (size >= 4) & shell_lives[polygon]
    keep = keep_ring[ring]
    keep[double] = False
    kept = np.flatnonzero(keep_ring)
    repaired = np.empty(count, dtype=object)
    if len(kept):
        number = np.cumsum(keep_ring) - 1
        rings = shapely.linearrings(xy[keep], indices=number[ring[keep]])
        shapely.polygons(rings, indices=polygon[kept], out=repaired)
    return repaired


def _make_valid(
    polygon: Any, given: Pieces, i: Any, *, grid: float
) -> tuple[list[Any], list[Repair]]:
    """Return the valid parts of an invalid polygon, and the repairs."""
    per_metre = steps_per_metre(grid)
    shell, *holes = _filled_rings(shapely.get_rings(polygon))
    fixed = shapely.set_precision(shapely.difference(shell, shapely.union_all(holes)), 1)
    parts = list(polygon_parts(fixed))
    label = given.label(i)
    if not parts:
        place = _first_point(polygon, per_metre)
        return [], [Repair("sliver", place, f"{label}: narrower than the grid; dropped")]
    reason, at = _invalid_reason(polygon)
    if shapely.is_valid(given.shapes[i]):
        detail = f"{label}: a part narrower than the grid closes up; cut off there"
        return parts, [Repair("sliver", _to_metres(at, per_metre), detail)]
    kind = "self-intersection" if "elf-intersection" in reason else "overlap"
    places = _crossings(polygon, fixed) if kind == "self-intersection" else [at]
    detail = f"{label}: {reason.lower()}; rebuilt from its rings"
    return parts, [Repair(kind, _to_metres(place, per_metre), detail) for place in places or [at]]


def _filled_rings(rings: NDArray[np.object_]) -> Any:
    """Return the area inside each ring, valid.

    Each ring separately, because GEOS treats a hole outside its shell as another shell.
    """
    polygons = shapely.polygons(rings)
    return shapely.make_valid(polygons, method="structure", keep_collapsed=False)


def _invalid_reason(polygon: Any) -> tuple[str, tuple[float, float]]:
    """Return the reason that GEOS gives for an invalid polygon, and the position, in steps."""
    text, _, position = shapely.is_valid_reason(polygon).partition("[")
    numbers = position.rstrip("]").split()
    if len(numbers) >= 2:
        return text.strip(), (float(numbers[0]), float(numbers[1]))
    return text.strip(), tuple(shapely.get_coordinates(polygon)[0])


def _crossings(before: Any, after: Any) -> list[tuple[float, float]]:
    """Return the corners of a repaired polygon that the input does not have."""
    old = {tuple(p) for p in shapely.get_coordinates(before)}
    new = {tuple(p) for p in shapely.get_coordinates(after)}
    return sorted(new - old)


def _first_point(geometry: Any, per_metre: float) -> tuple[float, float]:
    """Return the first point of the geometry, in metres."""
    return _to_metres(tuple(shapely.get_coordinates(geometry)[0]), per_metre)


def _to_metres(at: tuple[float, float], per_metre: float) -> tuple[float, float]:
    return float(at[0] / per_metre), float(at[1] / per_metre)
