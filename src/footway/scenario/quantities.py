"""Numbers of a scenario, validated by unit and limits."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pydantic_core import core_schema

from footway.scenario.problems import Fault, inside, kind_of, show

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


class Spread(NamedTuple):
    """A normal distribution, truncated at two standard deviations."""

    mean: float
    deviation: float


@dataclass(frozen=True)
class Number:
    """A number with a unit, for `Annotated` types of pydantic.

    Attributes:
        unit: "" for none.
        low: minimum.
        above: exclusive minimum.
        high: maximum; larger values are probably in another unit.
        endless: whether `inf` is allowed.

    """

    unit: str = ""
    low: float = -math.inf
    above: float = -math.inf
    high: float = math.inf
    endless: bool = False

    def check(self, value: Any) -> Any:
        """Return the number, or raise a Fault with the limit."""
        number = self._as_float(value)
        if math.isnan(number) or (math.isinf(number) and not (self.endless and number > 0)):
            raise Fault(f"is {number:g}; give a finite number{self._in_unit()}")
        if number > self.high:
            raise Fault(
                f"is {self._with_unit(number)}, more than {self._with_unit(self.high)}; "
                f"{'is it in another unit?' if self.unit else 'give less'}"
            )
        if number < self.low or number <= self.above:
            limit, more = (
                (self.above, "more than ") if self.above >= self.low else (self.low, "at least ")
            )
            raise Fault(f"is {self._with_unit(number)}; it must be {more}{self._with_unit(limit)}")
        return number

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the number."""
        limits = {
            "minimum": self.low,
            "exclusiveMinimum": self.above,
            "maximum": self.high,
        }
        found = {name: limit for name, limit in limits.items() if math.isfinite(limit)}
        return {"type": "number", **found}

    def _as_float(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Fault(self._not_a_number(value))
        try:
            return float(value)
        except OverflowError:
            return math.inf

    def _not_a_number(self, value: Any) -> str:
        if not isinstance(value, str):
            return f"is {kind_of(value)}; give a number{self._in_unit()}"
        number = self._read(value)
        such = "" if number is None else f": {number:.4g}"
        return f"is the text {show(value)}; give a number{self._in_unit()} without quotes{such}"

    def _read(self, text: str) -> float | None:
        """Return the value of a text such as "5 km/h" in our unit, or None."""
        found = _TEXT.fullmatch(text[:40])
        if found is None:
            return None
        factor = _UNITS.get(self.unit, {}).get(found[2], None if found[2] else 1.0)
        return None if factor is None else float(found[1]) * factor

    def _in_unit(self) -> str:
        return f" in {self.unit}" if self.unit and not self.unit.startswith("/") else ""

    def _with_unit(self, number: float) -> str:
        between = "" if self.unit.startswith("/") else " "
        return f"{number:g}{between}{self.unit}".strip()

    def __get_pydantic_core_schema__(self, *_: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, *_: Any) -> dict[str, Any]:
        return self.schema()


@dataclass(frozen=True)
class Whole(Number):
    """A whole number."""

    def check(self, value: Any) -> int:
        """Return the whole number, or raise a Fault."""
        number = super().check(value)
        if number != int(number):
            raise Fault(f"is {number:g}; give a whole number")
        return int(value)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the number."""
        found = super().schema()
        return {name: int(limit) for name, limit in found.items() if name != "type"} | {
            "type": "integer"
        }


@dataclass(frozen=True)
class Varied(Number):
    """One number for all characters, or mean and deviation of individual numbers."""

    def check(self, value: Any) -> float | Spread:
        """Return the number or the spread, or raise a Fault."""
        if isinstance(value, list) and len(value) == 2:
            mean, deviation = (show(item) for item in value)
            raise Fault(f"is a list; write {{ mean = {mean}, deviation = {deviation} }}")
        if not isinstance(value, dict | Spread):
            number: float = super().check(value)
            return number
        return self._as_spread(value._asdict() if isinstance(value, Spread) else value)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of both notations."""
        number = super().schema()
        deviation = {"type": "number", "minimum": 0}
        spread = {
            "type": "object",
            "description": "Normal distribution, cut at two deviations.",
            "properties": {"mean": number, "deviation": deviation},
            "required": ["mean", "deviation"],
            "additionalProperties": False,
        }
        return {"anyOf": [number, spread]}

    def __get_pydantic_core_schema__(self, *_: Any) -> core_schema.CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(_as_written)
        return core_schema.no_info_plain_validator_function(self.check, serialization=written)

    def _as_spread(self, value: dict[str, Any]) -> Spread:
        for name in ("mean", "deviation"):
            if name not in value:
                raise Fault("is missing; write {mean = ..., deviation = ...}", inside=(name,))
        for name in value:
            if name not in ("mean", "deviation"):
                raise Fault("is no key; write {mean = ..., deviation = ...}", inside=(name,))
        with inside("mean"):
            mean: float = Number.check(self, value["mean"])
        with inside("deviation"):
            deviation: float = Number(self.unit, low=0.0).check(value["deviation"])
            self._check_ends(mean, deviation)
        return Spread(mean, deviation)

    def _check_ends(self, mean: float, deviation: float) -> None:
        """Raise a Fault if the mean plus or minus two deviations is out of range."""
        least = mean - 2.0 * deviation
        if least < self.low or least <= self.above:
            raise Fault(
                f"is {self._with_unit(deviation)}: two deviations below the mean is "
                f"{self._with_unit(least)}; give a smaller one"
            )
        Number.check(self, mean + 2.0 * deviation)


def _as_written(value: float | Spread) -> Any:
    """Return a number or a spread as written in a file."""
    return value._asdict() if isinstance(value, Spread) else value
