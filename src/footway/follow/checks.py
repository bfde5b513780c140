"""Values that make no sense are refused here, with their limit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from footway.errors import BadQuery, NoPath

if TYPE_CHECKING:
    from footway.corridor import Corridor
    from footway.follow.settings import Settings

SLACK = 1e-6  # m, by which a radius may exceed the narrowest ball: rounding of the map


def number(
    value: float,
    name: str,
    unit: str,
    *,
    low: float = -math.inf,
    above: float = -math.inf,
    high: float = math.inf,
) -> float:
    """A finite number between its limits, or one clear line."""
    unit = f" {unit}" if unit else ""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadQuery(f"the {name} is {value!r}: it must be a number") from None
    if not math.isfinite(number):
        raise BadQuery(f"the {name} is {number:g}{unit}: it must be finite")
    if number <= above:
        raise BadQuery(f"the {name} is {number:g}{unit}: it must be more than {above:g}{unit}")
    if number < low or number > high:
        limit = f"{low:g}{unit} or more" if number < low else f"{high:g}{unit} or less"
        raise BadQuery(f"the {name} is {number:g}{unit}: it must be {limit}")
    return number


def check_character(corridor: Corridor, settings: Settings) -> None:
    """Refuse a character that does not fit its corridor."""
    narrowest = corridor.narrowest
    if settings.radius > narrowest + SLACK:
        k = int(corridor.radii.argmin())
        place = tuple(round(float(c), 3) for c in corridor.backbone[k])
        raise NoPath(
            f"a radius of {settings.radius:g} m does not fit the corridor: it is narrowest at "
            f"{place}, where {narrowest:.3f} m fits; use a smaller radius or another corridor",
            reason="pinch",
        )
