"""Geometry of a scenario: points, areas by name or by corners, and destinations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic_core import core_schema

from footway.scenario.problems import Fault, each, kind_of, show
from footway.scenario.quantities import Number

Point: TypeAlias = tuple[float, float]
Ring: TypeAlias = tuple[Point, ...]


class Choice(NamedTuple):
    """Alternative destinations: each character takes the nearest."""

    of: tuple[str | Ring | Point, ...]


MOST_METRES: Final = 2_000_000.0
"""m. Largest absolute coordinate; the limit of maps is the same."""

_COORDINATE = Number("m", low=-MOST_METRES, high=MOST_METRES)
_CORNERS: Final = "[xmin, ymin, xmax, ymax] or a list of points [x, y]"
_POINT_SCHEMA: Final = {
    "type": "array",
    "items": {"type": "number"},
    "minItems": 2,
    "maxItems": 2,
    "description": "Point [x, y], m.",
}
_RECTANGLE_SCHEMA: Final = {
    "type": "array",
    "items": {"type": "number"},
    "minItems": 4,
    "maxItems": 4,
    "description": "Rectangle [xmin, ymin, xmax, ymax], m.",
}
_POLYGON_SCHEMA: Final = {
    "type": "array",
    "items": _POINT_SCHEMA,
    "minItems": 3,
    "description": "Polygon: its corners [x, y] in order, m.",
}
_NAME_SCHEMA: Final = {
    "type": "string",
    "minLength": 1,
    "description": "Name of an area of the scenario or of the map.",
}


class _Place:
    """Base of the place types that pydantic uses in `Annotated`."""

    def check(self, value: Any) -> Any:
        """Return the place, or raise a Fault."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of all notations."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, *_: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, *_: Any) -> dict[str, Any]:
        return self.schema()


@dataclass(frozen=True)
class PointOf(_Place):
    """A point or vector [x, y]."""

    unit: str = "m"

    def check(self, value: Any) -> Point:
        """Return the point."""
        if not _is_list(value) or len(value) != 2:
            raise Fault(f"is {_what(value)}; give two numbers [x, y] in {self.unit}")
        return as_point(value)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a point."""
        return {**_POINT_SCHEMA, "description": f"[x, y], {self.unit}."}


@dataclass(frozen=True)
class Shape(_Place):
    """Corners of an area; a rectangle becomes four corners."""

    def check(self, value: Any) -> Ring:
        """Return the corners of the polygon."""
        if isinstance(value, str):
            raise Fault(f"is the text {show(value)}; give {_CORNERS}")
        return as_ring(value, wanted=_CORNERS)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of both notations."""
        return {"anyOf": [_RECTANGLE_SCHEMA, _POLYGON_SCHEMA]}


@dataclass(frozen=True)
class AreaOf(_Place):
    """An area: its name, or its corners."""

    def check(self, value: Any) -> str | Ring:
        """Return the name or the corners."""
        return (
            _as_name(value)
            if isinstance(value, str)
            else as_ring(value, wanted=f"a name, {_CORNERS}")
        )

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the three notations."""
        return {"anyOf": [_NAME_SCHEMA, _RECTANGLE_SCHEMA, _POLYGON_SCHEMA]}


@dataclass(frozen=True)
class Target(_Place):
    """An area or a point."""

    def check(self, value: Any) -> str | Ring | Point:
        """Return the name, the corners or the point."""
        if isinstance(value, str):
            return _as_name(value)
        if _is_list(value) and len(value) == 2 and not _is_list(value[0]):
            return as_point(value)
        return as_ring(value, wanted=f"a name, a point [x, y], {_CORNERS}")

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the four notations."""
        return {"anyOf": [_NAME_SCHEMA, _POINT_SCHEMA, _RECTANGLE_SCHEMA, _POLYGON_SCHEMA]}


@dataclass(frozen=True)
class Targets(_Place):
    """Destinations in sequence; a single name needs no list."""

    def check(self, value: Any) -> tuple[str | Ring | Point | Choice, ...]:
        """Return all destinations."""
        if isinstance(value, str):
            return (_as_name(value),)
        if not _is_list(value):
            raise Fault(f"is {kind_of(value)}; give a list of area names and points [x, y]")
        if value and all(isinstance(one, int | float) for one in value):
            raise Fault(f"is a list of numbers; a point is a list of its own: [{show(value)}]")
        return each(value, _as_destination)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of one name or a list."""
        target = Target().schema()["anyOf"]
        choice = {
            "type": "array",
            "items": {"anyOf": target},
            "minItems": 1,
            "description": "Areas or points of which each character takes the nearest.",
        }
        return {"anyOf": [_NAME_SCHEMA, {"type": "array", "items": {"anyOf": [*target, choice]}}]}

    def __get_pydantic_core_schema__(self, *_: Any) -> core_schema.CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(_as_written)
        return core_schema.no_info_plain_validator_function(self.check, serialization=written)


def _as_written(value: tuple[str | Ring | Point | Choice, ...]) -> list[Any]:
    """Return destinations as written in a file."""
    return [one.of if isinstance(one, Choice) else one for one in value]


def _as_destination(value: Any) -> str | Ring | Point | Choice:
    """Return a place, or a choice of places."""
    return Choice(each(value, Target().check)) if _is_choice(value) else Target().check(value)


def _is_choice(value: Any) -> bool:
    """Whether a list contains a name or an area, or only one or two points (more are a polygon)."""
    if not _is_list(value) or not all(isinstance(one, str) or _is_list(one) for one in value):
        return False
    return 0 < len(value) < 3 or any(isinstance(one, str) or _is_deep(one) for one in value)


def _is_deep(value: Any) -> bool:
    """Whether a list is, or is meant as, a rectangle or a polygon."""
    return len(value) == 4 or any(_is_list(one) for one in value)


def as_point(value: Any) -> Point:
    """Return two finite coordinates, m."""
    x, y = each(value, _COORDINATE.check)
    return x, y


def as_ring(value: Any, *, wanted: str) -> Ring:
    """Return the corners of a rectangle [xmin, ymin, xmax, ymax] or of a polygon, m.

    `wanted` describes the accepted notations, for the message.
    """
    if not _is_list(value) or not value:
        raise Fault(f"is {_what(value)}; give {wanted}")
    if len(value) == 4 and not any(_is_list(one) for one in value):
        return _rectangle(value)
    for i, one in enumerate(value):
        if not _is_list(one) or len(one) != 2:
            raise Fault(f"is {_what(one)}; give {wanted}", inside=(i,))
    if len(value) < 3:
        raise Fault(f"has {len(value)} corners; a polygon needs three or more")
    return each(value, as_point)


def _rectangle(value: Any) -> Ring:
    x0, y0, x1, y1 = each(value, _COORDINATE.check)
    if not (x0 < x1 and y0 < y1):
        raise Fault(
            f"is [{x0:g}, {y0:g}, {x1:g}, {y1:g}], which is empty; "
            "give [xmin, ymin, xmax, ymax] with xmin < xmax and ymin < ymax"
        )
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)


def _as_name(value: str) -> str:
    if not value.strip():
        raise Fault("is empty; give the name of an area")
    return value


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _what(value: Any) -> str:
    return f"a list of {len(value)}" if _is_list(value) else kind_of(value)
