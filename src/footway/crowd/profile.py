"""Profile: the properties of the characters of a population, each declared once.

The fields of `Profile` are the declarations. Keyword arguments of `Crowd.add` and of similar
methods, keys of scenario files and their JSON Schema, requests of the studio, the form of its page
and the schema of checkpoints are derived from them, by `PROPERTIES`. `Properties` repeats names and
types for type checkers.
"""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, TypeVar, get_args

import numpy as np

from footway.crowd.kernels.layouts import CORNER, LANE, NOISE, RADIUS, SHORTCUT, SPEED
from footway.errors import BadQuery
from footway.validation import as_float, number, one_of, shown, similar

if TYPE_CHECKING:
    from footway._numba.random_stream import RandomStream
    from footway.arrays import Floats


F = TypeVar("F", bound=Callable[..., Any])
Spread = float | tuple[float, float]
"""A number, or mean and deviation of a normal distribution, cut at two deviations."""

Follow = Literal["cmm", "miran", "irm"]
"""What characters follow: corridors, or routes over terrain by MIRAN or IRM (miran-2013)."""


@dataclass(frozen=True, kw_only=True)
class Property:
    """Declaration of a property of characters.

    Attributes:
        help: its meaning, in one or two sentences.
        kind: type of its values; "weights" are numbers by kind of terrain.
        unit: such as "m"; "" for none.
        low: minimum of a number.
        above: exclusive minimum.
        high: maximum; larger values are probably in another unit.
        varies: whether characters may differ, by (mean, deviation).
        column: of the array `State.body`, for values that are stored for each character; other
            properties are those of a population.
        slider: minimum, maximum and step of the slider on the studio's page; None for no slider.
        label: name of the slider; the name of the property if not given.
        choices: allowed texts of a "choice".

    """

    help: str
    kind: Literal["number", "choice", "weights"] = "number"
    unit: str = ""
    low: float = -math.inf
    above: float = -math.inf
    high: float = math.inf
    varies: bool = False
    column: int | None = None
    slider: tuple[float, float, float] | None = None
    label: str = ""
    choices: tuple[str, ...] = ()

    def number(self, value: object, name: str) -> float:
        """Return a checked number, or raise BadQuery."""
        return number(value, name, self.unit, low=self.low, above=self.above, high=self.high)

    def spread(self, value: object, name: str) -> Spread:
        """Return a checked number or (mean, deviation), or raise BadQuery."""
        if not self.varies:
            return self.number(value, name)
        mean, deviation = mean_and_deviation(value, name, self.unit)
        self.number(mean, name)
        number(deviation, f"deviation of the {name}", self.unit, low=0.0, high=self.high)
        if self.above == 0.0 and deviation >= 0.5 * mean:
            raise BadQuery(
                f"the deviation of the {name} is {deviation:g} {self.unit}: "
                f"it must be less than half of the mean, {mean:g}"
            )
        return (mean, deviation) if isinstance(value, (tuple, list)) else mean


def _declare(**declaration: Any) -> dict[str, Property]:
    """Return the declaration of a property, as metadata of a field."""
    return {"property": Property(**declaration)}


@dataclass(frozen=True)
class Profile:
    """Body and walking parameters of a population.

    `lane` is k of F_perp and `noise` c_rand of F_rand (cmm-crowds-2008, section 3); `sigma` and
    `spacing` are parameters of MIRAN (miran-2013), as of `follow.miran`.

    Attributes:
        {attributes}

    Example:
        >>> Profile(radius=0.2, speed=(1.34, 0.26)).lane
        (-0.15, 0.6)
        >>> Profile(preferences={"mud": 20.0, "path": 0.5}).follows
        'miran'

    """

    radius: Spread = field(default=0.25, metadata=_declare(
        unit="m", above=0.0, high=5.0, varies=True, column=RADIUS,
        slider=(0.1, 1.0, 0.01),
        help="Radius of the body, a disc; the local models are fitted to people of 0.2 m.",
    ))  # fmt: skip
    speed: Spread = field(default=1.2, metadata=_declare(
        unit="m/s", above=0.0, high=20.0, varies=True, column=SPEED,
        slider=(0.2, 4.0, 0.1), help="Preferred and greatest speed.",
    ))  # fmt: skip
    lane: Spread = field(default=(-0.15, 0.6), metadata=_declare(
        low=-2.0, high=2.0, varies=True, column=LANE,
        slider=(-1.0, 1.0, 0.05), label="Lane (− right, + left)",  # noqa: RUF001 - on the page
        help="Place across the corridor: -1 is the right side, 0 the middle, 1 the left side. "
        "The default of groups is 0 with a deviation of 0.4.",
    ))  # fmt: skip
    noise: float = field(default=0.0, metadata=_declare(
        low=0.0, high=2.0, column=NOISE, slider=(0.0, 1.0, 0.05),
        help="Strength of the random deviation from the path, 0 to about 1.",
    ))  # fmt: skip
    shortcut: Spread = field(default=15.0, metadata=_declare(
        unit="m", low=0.0, high=1e3, varies=True, column=SHORTCUT,
        help="Distance that characters look ahead: they walk straight through all of the corridor "
        "that is visible within it. Larger values make paths shorter. 0: as published, they walk "
        "to the attraction point of their corridor.",
    ))  # fmt: skip
    corner: Spread = field(default=(0.0, 0.5), metadata=_declare(
        low=-10.0, high=1.0, varies=True, column=CORNER,
        slider=(-3.0, 1.0, 0.1), label="Corners (− wide, + tight)",  # noqa: RUF001 - on the page
        help="How tight characters take corners: 1 passes them within the radius, 0 at a distance "
        "of 0.2 m more, -1 at 0.4 m more, and so on.",
    ))  # fmt: skip
    preferences: Mapping[str, float] = field(default_factory=dict, hash=False, metadata=_declare(
        kind="weights", above=0.0, high=1e6,
        help="Cost per metre on each kind of terrain; 1 is neutral, more is avoided.",
    ))  # fmt: skip
    follow: Follow | None = field(default=None, metadata=_declare(
        kind="choice", choices=get_args(Follow),
        help='Follow corridors ("cmm"), or a route over terrain by "miran" or "irm", which ignore '
        'the lane. If not given: "miran" with preferences, else "cmm".',
    ))  # fmt: skip
    sigma: float = field(default=30.0, metadata=_declare(
        unit="m", above=0.0, high=1e6,
        help="Maximum length of the route that MIRAN may skip at once.",
    ))  # fmt: skip
    spacing: float = field(default=3.0, metadata=_declare(
        unit="m", above=0.0, high=1e6,
        help="Maximum distance between the candidates of MIRAN along the route. With 1 m, the "
        "default of a single walk, characters pass closer to terrain with a high cost, and others "
        "push them onto it.",
    ))  # fmt: skip
    look: float = field(default=1.0, metadata=_declare(
        unit="m", low=0.0, high=1e6,
        help="Distance walked on a route between two updates of the attraction point. 0 is at each "
        "step, as in a single walk by default; that takes a crowd about three times as long.",
    ))  # fmt: skip
    clearance: float = field(default=0.5, metadata=_declare(
        unit="m", low=0.0, high=100.0,
        help="Distance beyond the radius within which walls push characters on a route away "
        "(F_b of miran-2013). 0: they may touch walls.",
    ))  # fmt: skip
    steering: float = field(default=1.0, metadata=_declare(
        above=0.0, high=1e3,
        help="c_s: strength of the force toward the attraction point on a route.",
    ))  # fmt: skip
    boundary: float = field(default=3.0, metadata=_declare(
        low=0.0, high=1e3,
        help="c_b: strength of F_b at the wall. Against the direction of walking it is at most "
        "half of c_s, so that it stops nobody.",
    ))  # fmt: skip
    congestion: float = field(default=0.0, metadata=_declare(
        low=0.0, high=10.0, slider=(0.0, 2.0, 0.1), label="Avoid congestion",
        help="Weight of the expected wait at crowded passages in the choice of path and of "
        "destination: 0 takes the shortest path, 1 the fastest.",
    ))  # fmt: skip
    habit: float = field(default=0.2, metadata=_declare(
        low=0.0, high=1.0,
        help="Share of the remaining cost that another path must save before a character changes "
        "to it because of congestion; with 1 it never changes.",
    ))  # fmt: skip

    @property
    def follows(self) -> Follow:
        """The method in use: `follow`, or the default that fits the preferences."""
        return self.follow or ("miran" if self.preferences else "cmm")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Profile:
        """Make a profile from `dataclasses.asdict`, also if JSON turned its tuples into lists."""
        if not isinstance(values, Mapping):
            raise BadQuery(f"a profile is made from names and values, not from {shown(values)}")
        unknown = set(values) - PROPERTIES.keys()
        if unknown:
            raise BadQuery(f"a profile has no {shown(unknown.pop())}: see `Profile`")
        return cls(**values)

    def __post_init__(self) -> None:
        for name, declared in PROPERTIES.items():
            if declared.kind == "number":
                object.__setattr__(self, name, declared.spread(getattr(self, name), name))
        weights: Mapping[str, float] = {}
        if not isinstance(self.preferences, Mapping) or self.preferences:
            from footway.terrain.terrain import check_preferences  # loads Shapely

            weights = check_preferences(self.preferences)
        object.__setattr__(self, "preferences", weights)
        if self.follow is not None:
            one_of(self.follow, "follower", get_args(Follow))
        if self.follow == "cmm" and self.preferences:
            raise BadQuery(
                "characters that follow corridors (cmm) ignore preferences: use miran or irm"
            )
        if self.sigma < self.spacing:
            raise BadQuery(
                f"sigma is {self.sigma:g} m and spacing {self.spacing:g} m: sigma, the longest "
                "part that may be skipped, must not be less than the distance between candidates"
            )


class Properties(TypedDict, total=False):
    """Keyword arguments that set properties of characters; None is not given. See `Profile`."""

    radius: Spread | None
    speed: Spread | None
    lane: Spread | None
    noise: float | None
    shortcut: Spread | None
    corner: Spread | None
    preferences: Mapping[str, float] | None
    follow: Follow | None
    sigma: float | None
    spacing: float | None
    look: float | None
    clearance: float | None
    steering: float | None
    boundary: float | None
    congestion: float | None
    habit: float | None


PROPERTIES: Final[Mapping[str, Property]] = MappingProxyType(
    {item.name: item.metadata["property"] for item in fields(Profile)}
)
"""The declaration of each property, by name."""


def _attributes() -> str:
    """Return the "Attributes" of the docstring of `Profile`."""
    lines = []
    for name, declared in PROPERTIES.items():
        unit = f" ({declared.unit})" if declared.unit else ""
        kind = " A number, or (mean, deviation)." if declared.varies else ""
        text = f"{name}{unit}: {declared.help}{kind}"
        lines += textwrap.wrap(text, 92, subsequent_indent="    ")
    return "\n        ".join(lines)


if Profile.__doc__:  # there are no docstrings in python -OO
    Profile.__doc__ = Profile.__doc__.replace("{attributes}", _attributes())


def accepts_properties(method: F) -> F:
    """Show the properties as keyword arguments in `help` and `inspect.signature`.

    The method takes them as `**properties: Unpack[Properties]`.
    """
    signature = inspect.signature(method)
    own = [p for p in signature.parameters.values() if p.kind != p.VAR_KEYWORD]
    keywords = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind.__forward_arg__
        )
        for name, kind in Properties.__annotations__.items()
    ]
    shown_as = signature.replace(parameters=[*own, *keywords])
    method.__signature__ = shown_as  # type: ignore[attr-defined]
    return method


def with_properties(profile: Profile | None, default: Profile, properties: Properties) -> Profile:
    """Return the profile, or else the default one, with the given properties."""
    if profile is not None and not isinstance(profile, Profile):
        raise BadQuery(f"the profile is {shown(profile)}: it must be a fw.Profile")
    for name in properties:
        if name not in PROPERTIES:
            near = similar(name, PROPERTIES)
            hint = f"did you mean {near!r}?" if near else "see `fw.Profile`"
            raise TypeError(f"unexpected keyword argument {name!r}: {hint}")
    given: dict[str, Any] = {k: value for k, value in properties.items() if value is not None}
    return replace(default if profile is None else profile, **given)


def mean_and_deviation(value: object, name: str = "spread", unit: str = "") -> tuple[float, float]:
    """Return the mean and deviation of a spread, or raise BadQuery."""
    given = value if isinstance(value, (tuple, list)) else (value, 0.0)
    found = [as_float(item) for item in given]
    if len(found) != 2 or found[0] is None or found[1] is None:
        wanted = f"give a number, or (mean, deviation){unit and f', in {unit}'}"
        raise BadQuery(f"the {name} is {shown(value)}: {wanted}")
    return found[0], found[1]


def greatest(value: Spread) -> float:
    """Return the greatest value that a character may have, rounded to 32 bits as in bodies."""
    mean, deviation = mean_and_deviation(value)
    return float(np.float32(mean + 2.0 * deviation))


def drawn(value: Spread, count: int, rng: RandomStream) -> Floats:
    """Draw values (count,) from a normal distribution, cut at two deviations."""
    mean, deviation = mean_and_deviation(value)
    if deviation == 0.0:
        return np.full(count, mean)
    found: Floats = mean + deviation * np.clip(rng.normal(count), -2.0, 2.0)
    return found


GROUP_PROFILE: Final = Profile(lane=(0.0, 0.4))
"""Profile of groups if none is given: they spread over their corridor."""
