"""Convert GeoJSON geometries to Shapely, with all coordinates in one array.

A city has thousands of rings; one call per ring would take longer than the rest of loading.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import shapely

from footway.environment import Repair
from footway.errors import BadFile, BadGeometry
from footway.formats.lonlat import is_lonlat, project
from footway.validation import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Part(NamedTuple):
    """A simple geometry: index of its feature, dimension (0, 1, 2) and Shapely shape."""

    feature: int
    dimension: int
    shape: Any


@dataclass
class Curves:
    """Unconverted lists of positions, and the parts and features that they belong to.

    Attributes:
        positions: one list per curve: a ring, a line, or a single point.
        part: per curve, the simple geometry that it belongs to; a polygon's shell comes first.
        feature: per part, the feature that it belongs to.
        dimension: per part, 0 for points, 1 for lines, 2 for polygons.

    """

    positions: list[Any] = field(default_factory=list)
    part: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    dimension: list[int] = field(default_factory=list)

    def add(self, feature: int, dimension: int, curves: list[Any]) -> None:
        """Add one simple geometry made of curves; an empty one is ignored."""
        if not curves or curves[0] == []:
            return
        if [] in curves:
            curves = [c for c in curves if c != []]
        number = len(self.feature)
        before = len(self.positions)
        self.positions.extend(curves)
        self.part.extend([number] * (len(self.positions) - before))
        self.feature.append(feature)
        self.dimension.append(dimension)


def collect(features: list[dict[str, Any]]) -> Curves:
    """Return the curves of all features; coordinates are not checked yet.

    Raises:
        BadFile: a geometry of an unknown type, or wrongly nested lists.

    """
    curves = Curves()
    for i, feature in enumerate(features):
        geometry = feature.get("geometry")
        if geometry is not None:
            _collect(geometry, i, curves)
    return curves


def _collect(geometry: Any, feature: int, curves: Curves) -> None:
    if not isinstance(geometry, dict):
        raise BadFile(f"feature {feature}: 'geometry' is {geometry!r:.40}, not an object")
    kind = geometry.get("type")
    if kind == "GeometryCollection":
        for member in _list(geometry.get("geometries"), feature, "'geometries'"):
            _collect(member, feature, curves)
        return
    coordinates = _list(geometry.get("coordinates"), feature, "'coordinates'")
    if not coordinates:
        return
    match kind:
        case "Polygon":
            curves.add(feature, 2, coordinates)
        case "MultiPolygon":
            for rings in coordinates:
                curves.add(feature, 2, _list(rings, feature, "a polygon"))
        case "LineString":
            curves.add(feature, 1, [coordinates])
        case "MultiLineString":
            for line in coordinates:
                curves.add(feature, 1, [line])
        case "Point":
            curves.add(feature, 0, [[coordinates]])
        case "MultiPoint":
            for point in coordinates:
                curves.add(feature, 0, [[point]])
        case _:
            raise BadFile(
                f"feature {feature}: geometry type {kind!r:.40} is unknown; "
                "expected Polygon, LineString, Point, their Multi forms or GeometryCollection"
            )


def _list(value: Any, feature: int, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadFile(f"feature {feature}: expected a list for {what}, found {value!r:.40}")
    return value


def parts_of(
    curves: Curves, document: dict[str, Any], *, scale: float | None
) -> tuple[list[Part], list[Repair]]:
    """Return Shapely geometry in metres for all curves, and the repairs.

    Raises:
        BadFile: a position is not two or three numbers; the message identifies it.
        BadGeometry: a coordinate is not finite.

    """
    xy, repairs = _in_metres(_coordinates(curves), curves, document, scale=scale)
    size = np.array([len(c) for c in curves.positions], dtype=np.intp)
    part = np.array(curves.part, dtype=np.intp)
    dimension = np.array(curves.dimension, dtype=np.intp)
    shapes = np.empty(len(dimension), dtype=object)
    table = _Table(xy, size, np.cumsum(size) - size, part, dimension[part] if len(part) else part)
    repairs += _points_and_lines(table, shapes, curves)
    repairs += _polygons(table, shapes, curves)
    built = np.flatnonzero(~shapely.is_missing(shapes))
    return [Part(curves.feature[i], curves.dimension[i], shapes[i]) for i in built], repairs


class _Table(NamedTuple):
    """All positions (n, 2), and per curve: size, first position, part, dimension."""

    xy: NDArray[np.float64]
    size: NDArray[np.intp]
    first: NDArray[np.intp]
    part: NDArray[np.intp]
    dimension: NDArray[np.intp]

    def positions(self, chosen: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return the positions of chosen curves, and which of the chosen each belongs to."""
        number = np.full(len(self.size), -1)
        number[chosen] = np.arange(len(chosen))
        owner = np.repeat(number, self.size)
        return self.xy[owner >= 0], owner[owner >= 0]


def _coordinates(curves: Curves) -> NDArray[np.float64]:
    """Return (n, 2) coordinates of all positions, in one conversion if possible."""
    try:
        values = np.array(list(chain.from_iterable(curves.positions)))
    except (TypeError, ValueError, OverflowError):
        values = np.empty(0, dtype=object)
    if values.dtype.kind in "iuf" and values.ndim == 2 and values.shape[1] in {2, 3}:
        return values[:, :2].astype(np.float64)
    # Mixed dimensions or an error: check each position, to report where.
    rows = [
        _position(position, f"feature {curves.feature[part]}, position {k}")
        for curve, part in zip(curves.positions, curves.part, strict=True)
        for k, position in enumerate(_list(curve, curves.feature[part], "the positions"))
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


def _position(position: Any, where: str) -> tuple[float, float]:
    """Return x and y of one position."""
    good = (
        isinstance(position, list)
        and len(position) >= 2
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in position[:2])
    )
    if not good:
        raise BadFile(f"{where}: expected [x, y] as numbers, found {shown(position)}")
    try:
        return float(position[0]), float(position[1])
    except OverflowError as error:
        raise BadGeometry(f"{where}: the number is too large for a coordinate") from error


def _in_metres(
    xy: NDArray[np.float64], curves: Curves, document: dict[str, Any], *, scale: float | None
) -> tuple[NDArray[np.float64], list[Repair]]:
    """Return coordinates in metres: unchanged, scaled or projected."""
    bad = np.flatnonzero(~np.isfinite(xy).all(axis=1))
    if len(bad):
        size = [len(c) for c in curves.positions]
        curve = int(np.searchsorted(np.cumsum(size), bad[0], side="right"))
        feature = curves.feature[curves.part[curve]]
        x, y = xy[bad[0]]
        raise BadGeometry(
            f"feature {feature}: coordinate ({x:g}, {y:g}) is not a finite number; "
            "remove or correct it"
        )
    if scale is not None:
        return xy * scale, []
    if is_lonlat(xy, document):
        flat, note = project(xy)
        return flat, [note]
    return xy, []


def _points_and_lines(table: _Table, shapes: NDArray[np.object_], curves: Curves) -> list[Repair]:
    """Create points and linestrings; list lines of a single position."""
    points = np.flatnonzero(table.dimension == 0)
    shapes[table.part[points]] = shapely.points(table.xy[table.first[points]])
    lines = np.flatnonzero((table.dimension == 1) & (table.size >= 2))
    if len(lines):
        xy, owner = table.positions(lines)
        shapes[table.part[lines]] = shapely.linestrings(xy, indices=owner)
    short = np.flatnonzero((table.dimension == 1) & (table.size < 2))
    return [
        _repair(table, k, curves, kind="sliver", what="a line of fewer than two points; dropped")
        for k in short
    ]


def _polygons(table: _Table, shapes: NDArray[np.object_], curves: Curves) -> list[Repair]:
    """Create polygons; list rings that are open, too short or wrongly oriented."""
    chosen = np.flatnonzero(table.dimension == 2)
    if not len(chosen):
        return []
    shell = np.r_[True, np.diff(table.part[chosen]) != 0]
    size, first = table.size[chosen], table.first[chosen]
    closed = (table.xy[first] == table.xy[first + size - 1]).all(axis=1)
    enough = size - closed >= 3
    alive = enough & _of_shell(enough, shell)
    repairs = [
        _repair(
            table, k, curves, kind="unclosed ring", what="the last point is not the first; closed"
        )
        for k in chosen[alive & ~closed]
    ]
    repairs += [
        _repair(table, k, curves, kind="sliver", what="a ring of fewer than three points; dropped")
        for k in chosen[~enough]
    ]
    if not alive.any():
        return repairs
    xy, owner = table.positions(chosen[alive])
    rings = shapely.linearrings(xy, indices=owner)
    parts = table.part[chosen[alive]]
    shapely.polygons(rings, indices=parts, out=shapes)
    return repairs + _orientation(table, rings, chosen[alive], shell[alive], curves)


def _of_shell(flag: NDArray[np.bool_], shell: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each ring the flag of its polygon's shell."""
    value: NDArray[np.bool_] = flag[np.flatnonzero(shell)][np.cumsum(shell) - 1]
    return value


def _orientation(
    table: _Table,
    rings: NDArray[np.object_],
    chosen: NDArray[np.intp],
    shell: NDArray[np.bool_],
    curves: Curves,
) -> list[Repair]:
    """List rings that violate RFC 7946: exteriors run counterclockwise, holes clockwise."""
    wrong = (shapely.is_ccw(rings) != shell) & (shapely.area(shapely.polygons(rings)) > 0)
    return [
        _repair(table, k, curves, kind="orientation", what="a ring runs the wrong way; reversed")
        for k in chosen[wrong]
    ]


def _repair(table: _Table, curve: Any, curves: Curves, *, kind: str, what: str) -> Repair:
    at = table.xy[table.first[curve]]
    feature = curves.feature[curves.part[curve]]
    return Repair(kind, (float(at[0]), float(at[1])), f"feature {feature}: {what}")
