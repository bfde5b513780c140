"""Values of a scenario: numbers with units and limits, points, areas and destinations.

Each is a pydantic type, from which validation and JSON Schema follow. Errors are `Fault`s that say
what to write instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import ErrorDetails, core_schema

from footway.crowd.models import MODELS, LocalModel, describe_model, with_parameters
from footway.scenario.problems import Fault, kind_of
from footway.validation import did_you_mean, shown

T = TypeVar("T")

SPREAD: Final = "[spread]"
"""Tag of {mean, deviation} in the key path of pydantic; tags are removed from messages."""

_TEXT = re.compile(r"\s*([-+]?[0-9][0-9_]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?)\s*([a-zA-Z/]*)\s*")
_UNITS: Final = MappingProxyType(
    {
        "m": {"m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0, "ft": 0.3048, "in": 0.0254},
        "m/s": {"m/s": 1.0, "km/h": 1 / 3.6, "kmh": 1 / 3.6, "mph": 0.44704, "cm/s": 0.01},
        "s": {"s": 1.0, "sec": 1.0, "ms": 0.001, "min": 60.0, "h": 3600.0},
        "/s": {"/s": 1.0, "/min": 1 / 60.0, "/h": 1 / 3600.0},
    }
)
"""Other spellings and units that users write, with the factor to our unit."""

# Numbers ------------------------------------------------------------------------------------------


class Spread(NamedTuple):
    """A normal distribution, cut at two standard deviations."""

    mean: float
    deviation: float


@dataclass(frozen=True)
class Number:
    """A number with unit and limits, for `Annotated` types; whole for `Annotated[int, ...]`."""

    unit: str = ""  # "" for none
    low: float = -math.inf  # minimum
    above: float = -math.inf  # exclusive minimum
    high: float = math.inf  # maximum; larger values are probably in another unit
    endless: bool = False  # whether `inf` is allowed

    def __get_pydantic_core_schema__(self, kind: Any, _: Any) -> core_schema.CoreSchema:
        limits: dict[str, Any] = {"ge": self.low, "gt": self.above, "le": self.high}
        given = {name: limit for name, limit in limits.items() if math.isfinite(limit)}
        if kind is int:
            whole: dict[str, Any] = {name: int(limit) for name, limit in given.items()}
            checked: core_schema.CoreSchema = core_schema.int_schema(**whole)
        else:
            checked = core_schema.float_schema(allow_inf_nan=self.endless, **given)
        return core_schema.no_info_wrap_validator_function(self._check, checked)

    def _check(self, value: Any, validate: Callable[[Any], Any]) -> Any:
        """Return the number, or raise a Fault with what to write."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Fault(self._not_a_number(value))
        try:
            return validate(value)
        except ValidationError as error:
            raise Fault(self._explain(value, error.errors()[0])) from None

    def _explain(self, value: float, error: ErrorDetails) -> str:
        kind, limits = error["type"], error.get("ctx", {})
        given = self.with_unit(value)
        if kind == "less_than_equal":
            hint = "is it in another unit?" if self.unit else "give less"
            return f"is {given}, more than {self.with_unit(limits['le'])}; {hint}"
        if kind == "greater_than":
            return f"is {given}; it must be more than {self.with_unit(limits['gt'])}"
        if kind == "greater_than_equal":
            return f"is {given}; it must be at least {self.with_unit(limits['ge'])}"
        if math.isfinite(_as_float(value)):
            return f"is {value:g}; give a whole number"
        return f"is {_as_float(value):g}; give a finite number{self._in_unit()}"

    def _not_a_number(self, value: Any) -> str:
        if not isinstance(value, str):
            return f"is {kind_of(value)}; give a number{self._in_unit()}"
        found = _TEXT.fullmatch(value[:40])  # such as "5 km/h"
        factor = None
        if found is not None:
            factor = _UNITS.get(self.unit, {}).get(found[2], None if found[2] else 1.0)
        such = "" if found is None or factor is None else f": {float(found[1]) * factor:.4g}"
        return f"is the text {shown(value)}; give a number{self._in_unit()} without quotes{such}"

    def _in_unit(self) -> str:
        return f" in {self.unit}" if self.unit and not self.unit.startswith("/") else ""

    def with_unit(self, number: float) -> str:
        """Return a number with its unit, for messages."""
        between = "" if self.unit.startswith("/") else " "
        return f"{_as_float(number):g}{between}{self.unit}".strip()


@dataclass(frozen=True)
class Varied(Number):
    """One number for all characters, or {mean, deviation} of individual numbers."""

    def __get_pydantic_core_schema__(self, kind: Any, handler: Any) -> core_schema.CoreSchema:
        number = super().__get_pydantic_core_schema__(float, handler)
        deviation = Number(self.unit, low=0.0).__get_pydantic_core_schema__(float, handler)
        keys = {"mean": number, "deviation": deviation}
        fields = {name: core_schema.typed_dict_field(item) for name, item in keys.items()}
        table = core_schema.typed_dict_schema(fields, extra_behavior="forbid")
        spread = core_schema.no_info_after_validator_function(self._as_spread, table)
        either = core_schema.tagged_union_schema(
            {"[number]": number, SPREAD: spread},
            discriminator=lambda value: SPREAD if isinstance(value, dict) else "[number]",
        )
        written = core_schema.plain_serializer_function_ser_schema(_as_table)
        return core_schema.no_info_before_validator_function(
            _as_table, either, serialization=written
        )

    def _as_spread(self, table: dict[str, float]) -> Spread:
        """Return the spread; raise a Fault if two deviations from the mean are out of limits."""
        mean, deviation = table["mean"], table["deviation"]
        least, most = mean - 2.0 * deviation, mean + 2.0 * deviation
        if least < self.low or least <= self.above:
            words = f"is {self.with_unit(deviation)}: two deviations below the mean is"
            message = f"{words} {self.with_unit(least)}; give a smaller one"
            raise Fault(message, inside=("deviation",))
        if most > self.high:
            words = f"is {self.with_unit(most)}, more than {self.with_unit(self.high)}"
            message = f"{words}, two deviations above the mean; give a smaller one"
            raise Fault(message, inside=("deviation",))
        return Spread(mean, deviation)


def _as_table(value: Any) -> Any:
    """Return a spread as it is written in a file, and other values as they are."""
    if isinstance(value, Spread):
        return value._asdict()
    if isinstance(value, list) and len(value) == 2:
        mean, deviation = map(shown, value)
        raise Fault(f"is a list; write {{ mean = {mean}, deviation = {deviation} }}")
    return value


def _as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


# Names --------------------------------------------------------------------------------------------

Name: TypeAlias = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=200)]
Named: TypeAlias = Annotated[
    Mapping[Name, T],
    AfterValidator(lambda found: MappingProxyType(dict(found))),
    PlainSerializer(dict),
]

# Local models -------------------------------------------------------------------------------------


class _Model:
    """A local model, for `Annotated` types: its name, or a table with name and parameters."""

    @staticmethod
    def _check(value: Any) -> LocalModel:
        if isinstance(value, LocalModel):
            return value
        table = {"name": value} if isinstance(value, str) else value
        wanted = 'give a name, as in model = "orca", or a table {name = "orca", ...}'
        if not isinstance(table, Mapping):
            raise Fault(f"is {kind_of(value)}; {wanted}")
        inside = () if isinstance(value, str) else ("name",)
        if "name" not in table:
            raise Fault(f"is missing; {wanted}", inside=("name",))
        name = table["name"]
        if not isinstance(name, str):
            raise Fault(f"is {kind_of(name)}; give the name of a model", inside=inside)
        if name not in MODELS:
            message = f"there is no model {shown(name)}; {did_you_mean(name, MODELS)}"
            raise Fault(message, inside=inside)
        declared, parameters = MODELS[name].declarations(), dict(table)
        del parameters["name"]
        for key, given in parameters.items():
            if key not in declared:
                message = f"is not a parameter of {name}; {did_you_mean(key, declared)}"
                raise Fault(message, inside=(key,))
            limits = declared[key]
            number = Number(limits.unit, limits.low, limits.above, limits.high)
            try:
                parameters[key] = TypeAdapter(Annotated[float, number]).validate_python(given)
            except ValidationError as error:
                message = str(error.errors()[0]["ctx"]["error"])
                raise Fault(message, inside=(key,)) from None
        return with_parameters(name, parameters)

    def __get_pydantic_core_schema__(self, _kind: Any, _handler: Any) -> core_schema.CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(describe_model)
        return core_schema.no_info_plain_validator_function(self._check, serialization=written)

    def __get_pydantic_json_schema__(self, _schema: Any, _handler: Any) -> dict[str, Any]:
        names = {"type": "string", "enum": list(MODELS)}
        return {"anyOf": [names, *(self._table(name, MODELS[name]) for name in MODELS)]}

    @staticmethod
    def _table(name: str, model: LocalModel) -> dict[str, Any]:
        keys: dict[str, Any] = {"name": {"type": "string", "enum": [name]}}
        for key, declared in model.declarations().items():
            unit = f" Unit: {declared.unit}." if declared.unit else ""
            limits = {
                "minimum": declared.low, "exclusiveMinimum": declared.above,
                "maximum": declared.high,
            }  # fmt: skip
            keys[key] = {
                "type": "number", "description": declared.help + unit,
                "default": getattr(model, key),
                **{word: limit for word, limit in limits.items() if math.isfinite(limit)},
            }  # fmt: skip
        return {
            "type": "object", "description": model.idea, "properties": keys,
            "required": ["name"], "additionalProperties": False,
        }  # fmt: skip


Model: TypeAlias = Annotated[LocalModel, _Model()]

# Places -------------------------------------------------------------------------------------------

Point: TypeAlias = tuple[float, float] | tuple[float, float, str]
"""x, y; in a building with the name of the floor."""
Ring: TypeAlias = tuple[Point, ...]
"""The corners of an area, all on the same floor."""

MOST_METRES: Final = 2_000_000.0  # m. Largest absolute coordinate; the limit of maps is the same

_CORNERS: Final = "[xmin, ymin, xmax, ymax] or a list of points [x, y]"


class Choice(NamedTuple):
    """Alternative destinations: each character takes the nearest."""

    of: tuple[str | Ring | Point, ...]


@dataclass(frozen=True)
class Unit:
    """The unit of a point or vector, for the documentation."""

    unit: str


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def what_is(value: Any) -> str:
    """Return the type of a value, with the length of a list."""
    return f"a list of {len(value)}" if _is_list(value) else kind_of(value)


def _has_floor(value: Any) -> bool:
    """Return whether a value is a point [x, y, "floor"] or a rectangle [..., "floor"]."""
    if not _is_list(value) or len(value) not in (3, 5) or not isinstance(value[-1], str):
        return False
    return not any(isinstance(item, str) or _is_list(item) for item in value[:-1])


def floor_of(place: Point | Ring) -> str | None:
    """Return the floor of a point or of the corners of an area; None if it has none."""
    point: Any = place[0] if isinstance(place[0], tuple) else place
    return point[2] if len(point) == 3 else None


def in_plan(ring: Ring) -> tuple[tuple[float, float], ...]:
    """Return the corners of an area without their floor."""
    return tuple((corner[0], corner[1]) for corner in ring)


def _check_pair(unit: str, value: Any) -> Any:
    if not _is_list(value) or len(value) != 2:
        raise Fault(f"is {what_is(value)}; give two numbers [x, y] in {unit}")
    return value


def _check_point(value: Any) -> Any:
    if _is_list(value) and len(value) == 3 and not any(map(_is_list, value)):
        x, y, floor = map(shown, value)
        raise Fault(
            f"is a list of 3; give two numbers [x, y] in m, and in a building the name of the "
            f'floor in quotes, as in [{x}, {y}, "{floor}"]'
        )
    return _check_pair("m", value)


def _check_polygon(value: Any) -> Any:
    for i, corner in enumerate(value):
        if not _is_list(corner) or (len(corner) != 2 and not _has_floor(corner)):
            raise Fault(f"is {what_is(corner)}; give {_CORNERS}", inside=(i,))
    if len(value) < 3:
        raise Fault(f"has {len(value)} corners; a polygon needs three or more")
    for i, corner in enumerate(value):
        if len(corner) != len(value[0]) or corner[2:] != value[0][2:]:
            first = _named_floor(value[0])
            message = f"is on {_named_floor(corner)}, the first corner on {first}; give the same"
            raise Fault(message, inside=(i,))
    return value


def _named_floor(corner: Any) -> str:
    return f"floor {shown(corner[2])}" if len(corner) == 3 else "no floor"


def _corners_of(box: tuple[Any, ...]) -> Ring:
    """Return the corners of a rectangle xmin, ymin, xmax, ymax, and perhaps a floor."""
    x0, y0, x1, y1, *floor = box
    if not (x0 < x1 and y0 < y1):
        raise Fault(
            f"is [{x0:g}, {y0:g}, {x1:g}, {y1:g}], which is empty; "
            "give [xmin, ymin, xmax, ymax] with xmin < xmax and ymin < ymax"
        )
    corners = (x0, y0), (x1, y0), (x1, y1), (x0, y1)
    return tuple((*corner, *floor) for corner in corners)


def _check_name(value: str) -> str:
    if not value.strip():
        raise Fault("is empty; give the name of an area")
    return value


def _area_notation(value: Any) -> str | None:
    """Return the tag of the notation in which an area is written."""
    if isinstance(value, str):
        return "[name]"
    if not _is_list(value) or not value:
        return None
    if _has_floor(value):
        return "[rectangle on a floor]" if len(value) == 5 else None
    return "[polygon]" if len(value) != 4 or any(map(_is_list, value)) else "[rectangle]"


def _point_notation(value: Any) -> str:
    """Return the tag of the notation in which a point is written."""
    return "[point on a floor]" if _has_floor(value) and len(value) == 3 else "[point]"


def _notation(value: Any) -> str | None:
    """Return the tag of the notation in which an area, a point or a choice is written.

    A choice is a list with a name or an area, or of one or two points: more are a polygon.
    """
    if isinstance(value, Choice):
        return "[choice]"
    if not _is_list(value) or not all(isinstance(item, str) or _is_list(item) for item in value):
        is_point = _is_list(value) and (len(value) == 2 or (_has_floor(value) and len(value) == 3))
        return _point_notation(value) if is_point else _area_notation(value)
    if any(isinstance(item, str) or len(item) in (4, 5) or any(map(_is_list, item))
           for item in value):  # fmt: skip
        return "[choice]"
    return "[choice]" if 0 < len(value) < 3 else _area_notation(value)


@dataclass(frozen=True)
class _Notations:
    """A place in one of several notations, for `Annotated` types."""

    find: Callable[[Any], str | None]  # the tag of a value
    tags: tuple[str, ...]
    wanted: str  # for messages

    def __get_pydantic_core_schema__(self, _: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.tagged_union_schema(
            {tag: handler.generate_schema(_NOTATIONS[tag]) for tag in self.tags},
            discriminator=self.find,
            custom_error_type=NO_PLACE,
            custom_error_message=self.wanted,
        )


NO_PLACE: Final = "no_place"
"""Type of the error for a value that is in none of the notations; its message names these."""

_COORDINATE = Annotated[float, Number("m", low=-MOST_METRES, high=MOST_METRES)]
_SPEED = Annotated[float, Number("m/s", low=-MOST_METRES, high=MOST_METRES)]
_GRADE = Annotated[float, Number("m of height per m", low=-1.0, high=1.0)]
_POINTS = ("[point]", "[point on a floor]")
_AREAS = ("[rectangle]", "[rectangle on a floor]", "[polygon]")
Place: TypeAlias = Annotated[
    Point, _Notations(_point_notation, _POINTS, "a point [x, y]"), Unit("m")
]
Velocity: TypeAlias = Annotated[
    tuple[_SPEED, _SPEED], BeforeValidator(partial(_check_pair, "m/s")), Unit("m/s")
]
Slope: TypeAlias = Annotated[
    tuple[_GRADE, _GRADE],
    BeforeValidator(partial(_check_pair, "m of height per m")),
    Unit("m of height per m"),
]
Shape: TypeAlias = Annotated[Ring, _Notations(_area_notation, _AREAS, _CORNERS)]
SpawnArea: TypeAlias = Annotated[
    str | Ring, _Notations(_area_notation, ("[name]", *_AREAS), f"a name, {_CORNERS}")
]
_TARGETS = ("[name]", *_POINTS, *_AREAS)
_ANY_TARGET = f"a name, a point [x, y], {_CORNERS}"
Goal: TypeAlias = Annotated[str | Ring | Point, _Notations(_notation, _TARGETS, _ANY_TARGET)]
Destination: TypeAlias = Annotated[
    str | Ring | Point | Choice, _Notations(_notation, (*_TARGETS, "[choice]"), _ANY_TARGET)
]

_NOTATIONS: Final[Mapping[str, Any]] = {
    "[name]": Annotated[
        str,
        StringConstraints(strict=True, min_length=1),
        BeforeValidator(_check_name),
        Field(description="Name of an area of the scenario or of the map."),
    ],
    "[point]": Annotated[
        tuple[_COORDINATE, _COORDINATE],
        BeforeValidator(_check_point),
        Field(description="Point [x, y], m."),
    ],
    "[point on a floor]": Annotated[
        tuple[_COORDINATE, _COORDINATE, Name],
        Field(description="Point [x, y, floor] in a building, m."),
    ],
    "[rectangle]": Annotated[
        tuple[_COORDINATE, _COORDINATE, _COORDINATE, _COORDINATE],
        AfterValidator(_corners_of),
        Field(description="Rectangle [xmin, ymin, xmax, ymax], m."),
    ],
    "[rectangle on a floor]": Annotated[
        tuple[_COORDINATE, _COORDINATE, _COORDINATE, _COORDINATE, Name],
        AfterValidator(_corners_of),
        Field(description="Rectangle [xmin, ymin, xmax, ymax, floor] in a building, m."),
    ],
    "[polygon]": Annotated[
        tuple[Place, ...],
        BeforeValidator(_check_polygon),
        Field(
            description="Polygon: its corners [x, y] or [x, y, floor] in order, m.", min_length=3
        ),
    ],
    "[choice]": Annotated[
        tuple[Goal, ...],
        AfterValidator(Choice),
        PlainSerializer(lambda choice: choice.of),
        Field(description="Areas or points of which each character takes the nearest."),
    ],
}


class _Destinations:
    """A list of destinations, for `Annotated` types; a single name needs no list."""

    @staticmethod
    def _as_list(value: Any) -> Any:
        if isinstance(value, str):
            return [value]
        if not _is_list(value):
            raise Fault(f"is {kind_of(value)}; give a list of area names and points [x, y]")
        if value and (_has_floor(value) or all(isinstance(item, int | float) for item in value)):
            raise Fault(f"is one place; a point is a list of its own: [{shown(value)}]")
        return value

    def __get_pydantic_core_schema__(self, kind: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_before_validator_function(self._as_list, handler(kind))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {"anyOf": [{"type": "string", "minLength": 1}, handler(schema)]}


Destinations: TypeAlias = Annotated[tuple[Destination, ...], _Destinations()]
