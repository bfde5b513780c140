"""What kind of people: body and habits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footway.errors import BadQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Spread = float | tuple[float, float]
"""A number, or mean and deviation of a normal distribution that is cut at two deviations."""

WIDEST, FASTEST = 5.0, 20.0  # m, m/s: above these it is another unit


@dataclass(frozen=True)
class Profile:
    """Body and habits of a population.

    Attributes:
        radius: of the disc, m; a number, or (mean, deviation).
        speed: wanted and greatest, m/s; a number, or (mean, deviation).
        lane: k of F_perp (cmm-crowds-2008, section 3); negative keeps right, positive left; a
            number, or (mean, deviation).
        noise: c_rand of F_rand, 0 to 1: how much a way varies from one character to the next.

    Example:
        >>> Profile(radius=0.2, speed=(1.34, 0.26)).lane
        (-0.4, 0.15)

    """

    radius: Spread = 0.25
    speed: Spread = 1.2
    lane: Spread = (-0.4, 0.15)
    noise: float = 0.0

    def __post_init__(self) -> None:
        check_spread("radius", self.radius, WIDEST, "m")
        check_spread("speed", self.speed, FASTEST, "m/s")
        lane = self.lane if isinstance(self.lane, (tuple, list)) else (self.lane,)
        if len(lane) > 2:
            raise BadQuery(f"the lane is {self.lane!r}: give a number, or (mean, deviation)")
        for name, value, least in (*(("lane", k, -2.0) for k in lane), ("noise", self.noise, 0.0)):
            if not isinstance(value, (int, float)) or not least <= value <= 2.0:
                raise BadQuery(f"the {name} is {value!r}: it must be between {least:g} and 2")


def check_spread(name: str, value: object, most: float, unit: str) -> tuple[float, float]:
    """Mean and deviation, or a clear error."""
    try:
        mean, deviation = value if isinstance(value, (tuple, list)) else (value, 0.0)
        mean, deviation = float(mean), float(deviation)
    except (TypeError, ValueError):
        raise BadQuery(
            f"the {name} is {value!r}: give a number, or (mean, deviation), in {unit}"
        ) from None
    if not 0.0 < mean <= most:
        raise BadQuery(f"the {name} is {mean:g} {unit}: it must be above 0 and at most {most:g}")
    if not 0.0 <= deviation < 0.5 * mean:
        raise BadQuery(
            f"the deviation of the {name} is {deviation:g} {unit}: "
            f"it must be between 0 and half of the mean, {mean:g}"
        )
    return mean, deviation


def drawn(value: Spread, count: int, rng: np.random.Generator) -> Floats:
    """Values of so many characters (count,): normal, cut at two deviations."""
    mean, deviation = value if isinstance(value, (tuple, list)) else (value, 0.0)
    if deviation == 0.0:
        return np.full(count, float(mean))
    found: Floats = mean + deviation * np.clip(rng.standard_normal(count), -2.0, 2.0)
    return found
