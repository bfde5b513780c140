"""Input geometry of an environment, sorted by role, with a label for each piece.

Repairs and error messages refer to the input by these labels ("obstacle 3", "feature 12").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from footway.environment.repair import Repair
from footway.errors import BadGeometry, BadQuery
from footway.validation import floats, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from footway.arrays import Shapes

Shape: TypeAlias = shapely.Geometry | ArrayLike
"""A Shapely geometry, or an (n, 2) array of coordinates in metres."""

_DIMENSION = {"polygon": 2, "line": 1, "point": 0}
_MAKE = {"polygon": shapely.polygons, "line": shapely.linestrings, "point": shapely.points}
_COLLECTIONS = [t for t in shapely.GeometryType if t.name.startswith(("MULTI", "GEOMETRYC"))]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Simple geometries of one role (polygons, linestrings or points) and their labels.

    Attributes:
        shapes: (n,) object array of Shapely geometries.
        labels: n labels; the parts of one multi-geometry share theirs.
        apart: True if the polygons are known to be valid and to share at most points, also
            after rounding to the grid (polygons traced from cells are); merging is skipped.
    """

    shapes: Shapes
    labels: Sequence[str]
    apart: bool = False

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.shapes)

    def label(self, i: Any) -> str:
        """Return the label of piece i."""
        return self.labels[int(i)]

    def repair(self, i: Any, kind: str, what: str) -> Repair:
        """Return a repair record for piece i, positioned at its first point."""
        x, y = shapely.get_coordinates(self.shapes[i])[0]
        return Repair(kind, (float(x), float(y)), f"{self.label(i)}: {what}")


def no_pieces() -> Pieces:
    """Return an empty set of pieces."""
    return Pieces(np.empty(0, dtype=object), ())


@dataclass(frozen=True, eq=False)
class InputGeometry:
    """Unrepaired geometry of an environment by role, in metres."""

    walkable: Pieces = field(default_factory=no_pieces)
    bounds: Pieces = field(default_factory=no_pieces)
    obstacles: Pieces = field(default_factory=no_pieces)
    lines: Pieces = field(default_factory=no_pieces)
    points: Pieces = field(default_factory=no_pieces)


def pieces(given: Shape | Iterable[Shape] | None, role: str, *, of: str = "polygon") -> Pieces:
    """Return the geometry given for one role as simple geometries.

    Args:
        given: one Shapely geometry or coordinate array, or several of them.
        role: label ("obstacle"); a number is appended if there are several.
        of: type of the geometries: "polygon", "line" or "point".

    Raises:
        BadGeometry: an item is not a geometry, or has another type.
    """
    shapes = _as_list(given, role, of=of)
    labels = [role] if len(shapes) == 1 else [f"{role} {i}" for i in range(len(shapes))]
    made = [_as_geometry(s, label, of=of) for s, label in zip(shapes, labels, strict=True)]
    return explode(made, labels, of=of)


def explode(shapes: Sequence[Any], labels: Sequence[str], *, of: str) -> Pieces:
    """Return the simple parts of Shapely geometries; each part keeps its geometry's label.

    Raises:
        BadGeometry: a part has another dimension than `of`.
    """
    parts, owner = simple_parts(shapes)
    keep = ~shapely.is_empty(parts)
    parts, owner = shapely.force_2d(parts[keep]), owner[keep]
    curved = shapely.get_type_id(parts) > shapely.GeometryType.GEOMETRYCOLLECTION
    wrong = np.flatnonzero(curved | (shapely.get_dimensions(parts) != _DIMENSION[of]))
    if len(wrong):
        found = parts[wrong[0]].geom_type
        raise BadGeometry(f"{labels[owner[wrong[0]]]}: expected a {of}, found a {found}")
    return Pieces(parts, [labels[i] for i in owner])


def simple_parts(shapes: Sequence[Any]) -> tuple[Shapes, NDArray[np.intp]]:
    """Return the simple parts of (nested) geometries and the index of each part's geometry."""
    parts = np.empty(len(shapes), dtype=object)
    parts[:] = list(shapes)
    owner = np.arange(len(parts))
    while np.isin(shapely.get_type_id(parts), _COLLECTIONS).any():
        parts, index = shapely.get_parts(parts, return_index=True)
        owner = owner[index]
    return parts, owner


def _as_list(given: Shape | Iterable[Shape] | None, role: str, *, of: str) -> list[Any]:
    """Return one or several shapes as a list; an (n, 2) array is one shape."""
    if given is None:
        return []
    if isinstance(given, shapely.Geometry):
        return [given]
    items: list[Any]
    try:
        items = list(given)  # type: ignore[arg-type]
    except TypeError:  # not iterable
        raise BadGeometry(_expected(role, of, given)) from None
    if isinstance(given, str):
        raise BadGeometry(_expected(role, of, given))
    if items and of != "point" and _depth(items) == 2:
        return [items]
    return items


def _depth(value: Any) -> int:
    """Return the nesting depth of lists: 2 for the corners of a ring."""
    depth = 0
    while isinstance(value, (list, tuple)) and value:
        value, depth = value[0], depth + 1
    return depth + np.ndim(value) if isinstance(value, np.ndarray) else depth


def _as_geometry(shape: Any, label: str, *, of: str) -> Any:
    """Return a Shapely geometry from a geometry or from coordinates."""
    if isinstance(shape, shapely.Geometry):
        return shape
    if _depth(shape) > 2:
        raise BadGeometry(
            f"{_expected(label, of, shape)}; give a polygon with holes as "
            "shapely.Polygon(exterior, holes)"
        )
    try:
        xy = floats(shape, "(n, 2)", name=label)
    except BadQuery:
        raise BadGeometry(_expected(label, of, shape)) from None
    if xy.ndim != (1 if of == "point" else 2) or xy.shape[-1] not in (2, 3):
        raise BadGeometry(_expected(label, of, shape))
    try:
        with np.errstate(invalid="ignore"):  # NaN is rejected later, with its position
            return _MAKE[of](xy)
    except (ValueError, shapely.errors.GEOSException) as error:
        raise BadGeometry(f"{label}: is not a {of}: {' '.join(str(error).split())}") from error


def _expected(label: str, of: str, found: object) -> str:
    shape = "x, y" if of == "point" else "an (n, 2) array of coordinates"
    return f"{label}: expected a Shapely {of} or {shape}, not {shown(found)}"
