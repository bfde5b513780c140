"""Profile: body and walking habits of a population."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from footway.errors import BadQuery
from footway.validation import as_float, number, one_of, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway._numba.random_stream import RandomStream

    Floats = NDArray[np.float64]

Spread = float | tuple[float, float]
"""A number, or mean and deviation of a normal distribution, clipped at two deviations."""

Follow = Literal["cmm", "miran", "irm"]
"""What characters follow: corridors, or routes over terrain by MIRAN or IRM (miran-2013)."""

WIDEST, FASTEST = 5.0, 20.0  # m, m/s: larger values are probably in another unit


@dataclass(frozen=True)
class Profile:
    """Body and habits of a population.

    Attributes:
        radius: of the disc, m; a number, or (mean, deviation).
        speed: preferred and greatest speed, m/s; a number, or (mean, deviation).
        lane: k of F_perp (cmm-crowds-2008, section 3); negative keeps right, positive left; a
            number, or (mean, deviation).
        noise: c_rand of F_rand, 0 to 1: how much paths vary between characters.
        preferences: weight of each kind of terrain: positive, 1 is neutral, more is worse.
        follow: "cmm" for corridors, "miran" or "irm" for a route over terrain (without lanes). If
            not given: "miran" with preferences, else "cmm".
        sigma: m, MIRAN's shortcut parameter: greatest part of the route that may be skipped.
        spacing: m, greatest distance between MIRAN's candidates along the route.
        look: m walked on a route between two updates of the attraction point.

    Example:
        >>> Profile(radius=0.2, speed=(1.34, 0.26)).lane
        (-0.4, 0.15)
        >>> Profile(preferences={"mud": 20.0, "path": 0.5}).follows
        'miran'

    """

    radius: Spread = 0.25
    speed: Spread = 1.2
    lane: Spread = (-0.4, 0.15)
    noise: float = 0.0
    preferences: Mapping[str, float] = field(default_factory=dict, hash=False)
    follow: Follow | None = None
    sigma: float = 30.0
    spacing: float = 3.0
    look: float = 1.0

    @property
    def follows(self) -> Follow:
        """The method in use: `follow`, or the default that fits the preferences."""
        return self.follow or ("miran" if self.preferences else "cmm")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Profile:
        """Make a profile from `dataclasses.asdict`, also if JSON turned its tuples into lists."""
        if not isinstance(values, Mapping):
            raise BadQuery(f"a profile is made from names and values, not from {shown(values)}")
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        unknown = set(plain) - {known.name for known in fields(cls)}
        if unknown:
            raise BadQuery(f"a profile has no {shown(unknown.pop())}: see `Profile`")
        return cls(**plain)

    def __post_init__(self) -> None:
        check_spread("radius", self.radius, WIDEST, "m")
        check_spread("speed", self.speed, FASTEST, "m/s")
        for value in mean_and_deviation(self.lane, "lane", ""):
            number(value, "lane", low=-2.0, high=2.0)
        number(self.noise, "noise", low=0.0, high=2.0)
        self._check_following()
        for name in ("radius", "speed", "lane", "noise", "sigma", "spacing", "look"):
            value = getattr(self, name)
            plain = tuple(map(float, value)) if isinstance(value, (tuple, list)) else float(value)
            object.__setattr__(self, name, plain)

    def _check_following(self) -> None:
        """Check preferences and the parameters of the followers."""
        given = _weights(self.preferences)
        object.__setattr__(self, "preferences", given)
        if self.follow is not None:
            one_of(self.follow, "follower", get_args(Follow))
        if self.follow == "cmm" and given:
            raise BadQuery(
                "those who follow corridors (cmm) have no use for preferences: take miran or irm"
            )
        for name in ("sigma", "spacing", "look"):
            number(getattr(self, name), name, "m", above=0.0, high=1e6)
        if self.sigma < self.spacing:
            raise BadQuery(
                f"sigma is {self.sigma:g} m and spacing {self.spacing:g} m: sigma, the most that "
                "may be skipped, must not be less than the distance between candidates"
            )


def _weights(preferences: Mapping[str, float]) -> dict[str, float]:
    """Return the checked weights of the kinds of terrain."""
    if isinstance(preferences, Mapping) and not preferences:
        return {}
    from footway.terrain.terrain import check_preferences  # loads Shapely

    return check_preferences(preferences)


def check_spread(name: str, value: object, most: float, unit: str) -> tuple[float, float]:
    """Return the mean and deviation of a positive quantity, or raise BadQuery."""
    mean, deviation = mean_and_deviation(value, name, unit)
    if not 0.0 < mean <= most:
        raise BadQuery(f"the {name} is {mean:g} {unit}: it must be above 0 and at most {most:g}")
    if not 0.0 <= deviation < 0.5 * mean:
        raise BadQuery(
            f"the deviation of the {name} is {deviation:g} {unit}: "
            f"it must be between 0 and half of the mean, {mean:g}"
        )
    return mean, deviation


def mean_and_deviation(value: object, name: str, unit: str) -> tuple[float, float]:
    """Return the mean and deviation of a spread, or raise BadQuery."""
    given = value if isinstance(value, (tuple, list)) else (value, 0.0)
    found = [as_float(item) for item in given]
    if len(found) != 2 or found[0] is None or found[1] is None:
        wanted = f"give a number, or (mean, deviation){unit and f', in {unit}'}"
        raise BadQuery(f"the {name} is {shown(value)}: {wanted}")
    return found[0], found[1]


def drawn(value: Spread, count: int, rng: RandomStream) -> Floats:
    """Draw values (count,) from a normal distribution, clipped at two deviations."""
    mean, deviation = mean_and_deviation(value, "spread", "")
    if deviation == 0.0:
        return np.full(count, mean)
    found: Floats = mean + deviation * np.clip(rng.normal(count), -2.0, 2.0)
    return found
