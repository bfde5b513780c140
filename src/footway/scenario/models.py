"""A scenario as a value: what stands in the file, checked, with its defaults.

    map = "gallery:city"

    [[population]]
    count = 1000

is a whole scenario. `docs/scenarios.md` has every key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PrivateAttr,
    StringConstraints,
    field_validator,
    model_validator,
)

from footway.crowd.profile import FASTEST, WIDEST, Profile
from footway.scenario.problems import Fault, Origin, each, inside, kind_of
from footway.scenario.quantities import Number, Spread, Varied, Whole
from footway.scenario.shapes import (
    AreaOf,
    Choice,
    Point,
    PointOf,
    Ring,
    Shape,
    Target,
    Targets,
)

if TYPE_CHECKING:
    from footway.scenario.crowd_building import Stage

T = TypeVar("T")

_USUAL: Any = {
    name: Spread(*value) if isinstance(value, tuple) else value
    for name, value in asdict(Profile()).items()
}

MOST_PEOPLE = 5_000_000
"""Characters of one population; more do not fit in the memory of a usual machine."""

Radius: TypeAlias = Annotated[float | Spread, Varied("m", above=0.0, high=WIDEST)]
Speed: TypeAlias = Annotated[float | Spread, Varied("m/s", above=0.0, high=FASTEST)]
Lane: TypeAlias = Annotated[float | Spread, Varied(low=-2.0, high=2.0)]
Noise: TypeAlias = Annotated[float, Number(low=0.0, high=2.0)]
Seconds: TypeAlias = Annotated[float, Number("s", low=0.0, high=604_800.0)]
Delay: TypeAlias = Annotated[float | Spread, Varied("s", low=0.0, high=604_800.0)]
Count: TypeAlias = Annotated[int, Whole(low=0, high=MOST_PEOPLE)]
Length: TypeAlias = Annotated[float, Number("m", above=0.0, high=1e6)]
Weight: TypeAlias = Annotated[float, Number(low=0.0, high=1e6)]
Preference: TypeAlias = Annotated[float, Number(above=0.0, high=1e6)]
Place: TypeAlias = Annotated[Point, PointOf()]
Velocity: TypeAlias = Annotated[Point, PointOf("m/s")]
SpawnArea: TypeAlias = Annotated[str | Ring, AreaOf()]
Goal: TypeAlias = Annotated[str | Ring | Point, Target()]
Then: TypeAlias = Literal["repeat", "stay", "exit"]
Name: TypeAlias = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=200)]
Named: TypeAlias = Annotated[
    Mapping[Name, T],
    AfterValidator(lambda found: MappingProxyType(dict(found))),
    PlainSerializer(dict),
]


class _Table(BaseModel):
    """A table of the file: no key but those that are listed, and no change after reading."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ProfileTable(_Table):
    """How a kind of character is built and walks: `[profile.NAME]`."""

    radius: Radius = _USUAL["radius"]
    """Of its disc; a number, or {mean, deviation}."""
    speed: Speed = _USUAL["speed"]
    """That it likes to walk at; a number, or {mean, deviation}."""
    lane: Lane = _USUAL["lane"]
    """Keeps to the right (negative) or left (positive); 0 does not care, 2 is close to the wall. \
A number, or {mean, deviation}. Groups have {0, 0.4} where nothing is given."""
    noise: Noise = _USUAL["noise"]
    """How much it strays, 0 to about 1."""
    preferences: Named[Preference] = Field(default_factory=lambda: MappingProxyType({}))
    """Weight of a metre on each kind of ground, as in {road = 4.0, sidewalk = 0.5}; 1 is neutral, \
more is worse."""
    follow: Literal["cmm", "miran", "irm"] | None = None
    """Corridors ("cmm"), or a route over terrain by "miran" or "irm", which keeps no lane; \
where it is not given "miran" for those with preferences, else "cmm"."""
    sigma: Length = _USUAL["sigma"]
    """Most of its route that MIRAN may skip at once."""
    spacing: Length = _USUAL["spacing"]
    """Farthest distance between MIRAN's candidates along the route."""
    look: Length = _USUAL["look"]
    """Walked on a route between two looks for what to go to next."""


class _Walkers(_Table):
    """Keys of everybody who walks."""

    name: Name | None = None
    """In reports and recordings; by default its kind and number, as in "population 1"."""
    profile: Name | None = None
    """Name of a `[profile.NAME]`; without one it has the defaults of that table."""
    radius: Radius | None = None
    """Instead of that of the profile."""
    speed: Speed | None = None
    """Instead of that of the profile."""
    lane: Lane | None = None
    """Instead of that of the profile."""
    noise: Noise | None = None
    """Instead of that of the profile."""
    then: Then = "repeat"
    """After the last destination: start over, or with random goals take a new one ("repeat"), \
stand there ("stay"), or leave the simulation ("exit")."""


class _Crowd(_Walkers):
    """Keys of those who walk each on their own."""

    behaviour: Literal["goals", "wander"] = "goals"
    """Walk to destinations, or wander at random."""
    area: SpawnArea | None = None
    """Where they appear: a name, a rectangle or a polygon; by default anywhere on the map."""
    destinations: Annotated[tuple[str | Ring | Point | Choice, ...], Targets()] = ()
    """Areas or points, visited in this order; by default random goals. A list inside the list is \
a choice: each takes the nearest of it, by path."""
    premovement: Delay = 0.0
    """They stand still for so long at first; a number, or {mean, deviation}."""
    within: Annotated[float, Number("m", above=0.0, endless=True)] = math.inf
    """Random goals, and places in areas to go to, are at most this far away in a straight line."""
    preference: Named[Weight] = Field(default_factory=lambda: MappingProxyType({}))
    """Of wanderers: weight of areas by name; 1 is everywhere else, 0 is never entered."""

    @model_validator(mode="after")
    def _fits_behaviour(self) -> Self:
        if self.behaviour == "wander":
            for key in ("destinations", "within", "then"):
                if key in self.model_fields_set:
                    raise Fault("is for behaviour = 'goals'; leave it out", inside=(key,))
        elif self.preference:
            raise Fault("is for behaviour = 'wander'; leave it out", inside=("preference",))
        return self


class Population(_Crowd):
    """Characters that are there from the start: `[[population]]`."""

    count: Count | None = None
    """How many; may be left out where `starts` has them."""
    starts: tuple[Place, ...] | None = None
    """Where each of them starts, instead of `area`."""
    goals: tuple[Place, ...] | None = None
    """Where each of them goes, instead of `destinations`."""

    @model_validator(mode="after")
    def _has_a_number(self) -> Self:
        if self.count is None and self.starts is None:
            raise Fault("is missing; say how many, such as count = 100", inside=("count",))
        if self.starts is not None and self.area is not None:
            raise Fault("is given beside area; leave one of them out", inside=("starts",))
        if self.goals is not None and self.destinations:
            raise Fault("is given beside destinations; leave one of them out", inside=("goals",))
        for key in ("starts", "goals"):
            points = getattr(self, key)
            if points is not None and len(points) != self.size:
                raise Fault(f"has {len(points)} points for {self.size} characters", inside=(key,))
        if self.goals is not None and self.behaviour == "wander":
            raise Fault("is for behaviour = 'goals'; leave it out", inside=("goals",))
        return self

    @property
    def size(self) -> int:
        """Number of characters."""
        return len(self.starts or ()) if self.count is None else self.count


class Source(_Crowd):
    """Characters that appear while the simulation runs: `[[source]]`."""

    area: Annotated[str | Ring, AreaOf()]
    """Where they appear: a name, a rectangle or a polygon."""
    count: Count | None = None
    """How many in all; by default `rate` goes on to the end."""
    rate: Annotated[float, Number("/s", above=0.0, high=1000.0)] | None = None
    """How many appear each second."""
    start: Seconds = 0.0
    """When the first one appears."""
    schedule: tuple[tuple[float, int], ...] | None = None
    """Instead of `rate`: [time, count] pairs; so many appear at that time, s."""

    @field_validator("schedule", mode="before")
    @classmethod
    def _ascends(cls, value: Any) -> Any:
        """Pairs of time (s) and count, in the order of time."""
        if not isinstance(value, list | tuple):
            raise Fault(f"is {kind_of(value)}; give [[time, count], ...], as in [[0, 20], [60, 5]]")
        pairs = each(value, _as_arrival)
        for i, (before, after) in enumerate(pairwise(pairs), start=1):
            if after[0] <= before[0]:
                raise Fault(
                    f"is at {after[0]:g} s, after {before[0]:g} s; times must ascend", inside=(i,)
                )
        return pairs

    @model_validator(mode="after")
    def _has_a_rhythm(self) -> Self:
        if self.schedule is None:
            if self.rate is None:
                raise Fault(
                    "is missing; give rate = 1 (per second) or a schedule", inside=("rate",)
                )
            return self
        for key in ("rate", "start", "count"):
            if key in self.model_fields_set:
                raise Fault("is given beside schedule; leave one of them out", inside=(key,))
        return self

    def size(self, duration: float) -> int:
        """Number of characters that appear in so many seconds."""
        if self.schedule is not None:
            return sum(count for _, count in self.schedule)
        assert self.rate is not None
        left = max(0.0, duration - self.start)
        endless = math.floor(self.rate * left + 1e-9) + 1 if left > 0.0 else 0
        return min(endless, MOST_PEOPLE) if self.count is None else self.count


class Group(_Walkers):
    """Characters that stay together: `[[group]]`."""

    count: Annotated[int, Whole(low=1, high=MOST_PEOPLE)]
    """How many."""
    start: Goal
    """Where they start: a point, or the roomiest place of an area."""
    goal: Goal | None = None
    """Where they go, likewise; by default random goals, a new one when all have arrived."""
    width: Length | None = None
    """g_w of the paper: how far they spread to either side of their way, at most."""
    group_area: Annotated[float, Number("m2", above=0.0, high=1e9)] | None = None
    """g_A of the paper: the ground that they take up; those in front wait for the others."""
    lateral: Length | None = None
    """How wide the group may be, across its way: twice what `width` says."""
    longitudinal: Length | None = None
    """How long the group may be, along its way, from the first to the last."""


class Region(_Table):
    """Ground of one kind: `[[terrain]]`."""

    kind: Name
    """Name of the kind, as in "road" or "mud"; "ground" is what no region covers."""
    polygon: Annotated[Ring, Shape()]
    """[xmin, ymin, xmax, ymax], or corners [x, y]; what is beyond the map is cut off."""


class Obstacle(_Table):
    """A disc that is in the way for a while: `[[obstacle]]`."""

    at: Place
    """Its centre when it appears."""
    radius: Annotated[float, Number("m", above=0.0, high=1000.0)]
    """Of the disc."""
    velocity: Velocity = (0.0, 0.0)
    """How it moves."""
    appears: Seconds = 0.0
    """When it appears."""
    vanishes: Annotated[float, Number("s", low=0.0, endless=True)] = math.inf
    """When it vanishes; by default never."""

    @model_validator(mode="after")
    def _vanishes_later(self) -> Self:
        if self.vanishes <= self.appears:
            raise Fault(
                f"is {self.vanishes:g} s, before it appears at {self.appears:g} s",
                inside=("vanishes",),
            )
        return self

    def box(self, duration: float) -> tuple[float, float, float, float]:
        """xmin, ymin, xmax, ymax of where it is in a run of so many seconds, m."""
        lasts = max(0.0, min(self.vanishes, duration) - self.appears)
        ends = [(at, at + lasts * v) for at, v in zip(self.at, self.velocity, strict=True)]
        (x0, x1), (y0, y1) = ((min(e) - self.radius, max(e) + self.radius) for e in ends)
        return x0, y0, x1, y1


class Output(_Table):
    """What is written: `[output]`."""

    recording: Name | None = None
    """File of the recording (.parquet), beside the scenario; -o of the command goes before it."""
    every: Annotated[int, Whole("steps", low=1, high=1_000_000)] = 1
    """Steps between two frames of the recording."""


class Scenario(_Table):
    """A map, who walks on it, and for how long: `fw.load_scenario` reads it from a TOML file."""

    title: Name | None = None
    """In words, for lists and reports."""
    map: Name
    """Map file, beside the scenario, or gallery:NAME."""
    scale: Annotated[float, Number("m", above=0.0)] | None = None
    """Metres per cell of a grid, per pixel of a PNG, per unit of GeoJSON and WKT."""
    seed: Annotated[int, Whole(low=0, high=2**31 - 1)] = 0
    """Another seed gives another crowd; the same one gives the same to the last bit."""
    duration: Annotated[float, Number("s", above=0.0, high=604_800.0)] = 60.0
    """Simulated time."""
    step: Annotated[float, Number("s", low=0.001, high=1.0)] = 0.1
    """Time between two steps."""
    profile: Named[ProfileTable] = Field(default_factory=lambda: MappingProxyType({}))
    """Kinds of characters: `[profile.NAME]`."""
    area: Named[Annotated[Ring, Shape()]] = Field(default_factory=lambda: MappingProxyType({}))
    """Named places, beside those of the map: [xmin, ymin, xmax, ymax], or corners [x, y]."""
    terrain: tuple[Region, ...] = ()
    """Kinds of ground, on top of those of the map, the later ones on top: `[[terrain]]`."""
    population: tuple[Population, ...] = ()
    """Characters that are there from the start: `[[population]]`."""
    source: tuple[Source, ...] = ()
    """Characters that appear while it runs: `[[source]]`."""
    group: tuple[Group, ...] = ()
    """Characters that stay together: `[[group]]`."""
    obstacle: tuple[Obstacle, ...] = ()
    """Discs that are in the way for a while: `[[obstacle]]`."""
    output: Output = Output()
    """What is written: `[output]`."""

    _origin: Origin = PrivateAttr(default_factory=Origin)

    @property
    def origin(self) -> Origin:
        """The file that it came from, for messages."""
        return self._origin

    def stage(self, *, threads: int | None = None) -> Stage:
        """Load the map, check everything against it, and put the crowd on it.

        Raises:
            BadInput: an area that is not there, no room; with the file, line and key.
            NoPath: a goal that cannot be reached, likewise.

        """
        from footway.scenario.crowd_building import stage

        return stage(self, threads=threads)


def _as_arrival(value: Any) -> tuple[float, int]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise Fault(f"is {kind_of(value)}; give [time, count]")
    with inside(0):
        time: float = Number("s", low=0.0, high=604_800.0).check(value[0])
    with inside(1):
        return time, Whole(low=0, high=MOST_PEOPLE).check(value[1])
