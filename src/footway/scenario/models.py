"""The scenario model: validated content of a scenario file, with defaults.

    map = "gallery:city"

    [[population]]
    count = 1000

is a complete scenario. `docs/scenarios.md` documents every key.
"""

from __future__ import annotations

import math
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    create_model,
    field_validator,
    model_validator,
)

from footway.crowd.models import MODELS
from footway.crowd.profile import PROPERTIES, Profile
from footway.scenario.problems import Fault, Origin, kind_of
from footway.scenario.values import (
    Destinations,
    Goal,
    Model,
    Name,
    Named,
    Number,
    Place,
    Shape,
    Slope,
    SpawnArea,
    Spread,
    Unit,
    Varied,
    Velocity,
)

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from footway.crowd.profile import Property
    from footway.scenario.building import PreparedCrowd

MOST_PEOPLE = 5_000_000
"""Maximum number of characters of one population; more exceed the memory of typical machines."""

_WEEK = 604_800.0  # s
Seconds: TypeAlias = Annotated[float, Number("s", low=0.0, high=_WEEK)]
Delay: TypeAlias = Annotated[float | Spread, Varied("s", low=0.0, high=_WEEK)]
Count: TypeAlias = Annotated[int, Number(low=0, high=MOST_PEOPLE)]
Length: TypeAlias = Annotated[float, Number("m", above=0.0, high=1e6)]
Weight: TypeAlias = Annotated[float, Number(low=0.0, high=1e6)]


class _Table(BaseModel):
    """A table of the file: frozen, and unknown keys are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def _annotation(declared: Property) -> Any:
    """Return the type of a property of characters."""
    if declared.kind == "choice":
        return Literal[declared.choices] | None
    limits = (declared.unit, declared.low, declared.above, declared.high)
    if declared.varies:
        return Annotated[float | Spread, Varied(*limits)]
    number = Annotated[float, Number(*limits)]
    return Named[number] if declared.kind == "weights" else number


def _field(name: str, declared: Property) -> Any:
    """Return default and meaning of a property of characters."""
    value = getattr(Profile(), name)
    if declared.kind == "weights":
        return Field(default_factory=lambda: MappingProxyType({}), description=declared.help)
    default = Spread(*value) if isinstance(value, tuple) else value
    meaning = declared.help + (" A number, or {mean, deviation}." if declared.varies else "")
    return Field(default=default, description=meaning)


_PROPERTIES: dict[str, Any] = {
    name: (_annotation(declared), _field(name, declared)) for name, declared in PROPERTIES.items()
}
_OVERRIDES: dict[str, Any] = {
    name: (
        _annotation(declared) | None,
        Field(default=None, description="Overrides the value of the profile."),
    )
    for name, declared in PROPERTIES.items()
    if declared.column is not None
}

if TYPE_CHECKING:

    class ProfileTable(_Table):
        """The properties of characters, as declared in `crowd.profile`."""

        def __getattr__(self, name: str) -> Any: ...

    class _Overrides(_Table):
        def __getattr__(self, name: str) -> Any: ...

else:
    ProfileTable = create_model(
        "ProfileTable",
        __base__=_Table,
        __doc__="Body and walking parameters of a kind of character: `[profile.NAME]`.",
        **_PROPERTIES,
    )
    _Overrides = create_model("_Overrides", __base__=_Table, **_OVERRIDES)


class _Walkers(_Overrides):
    """Keys common to populations, sources and groups."""

    name: Name | None = None
    """Name in reports and recordings; by default kind and number, such as "population 1"."""
    profile: Name | None = None
    """Name of a `[profile.NAME]`; by default the default values of that table."""
    then: Literal["repeat", "stay", "exit"] = "repeat"
    """After the last destination: start over, or with random goals choose a new one ("repeat"), \
stay there ("stay"), or leave the simulation ("exit")."""


class _Crowd(_Walkers):
    """Keys common to populations and sources, whose characters walk individually."""

    behaviour: Literal["goals", "wander"] = "goals"
    """Walk to destinations, or wander at random."""
    area: SpawnArea | None = None
    """Area where they appear: a name, a rectangle or a polygon; by default the whole map."""
    destinations: Destinations = ()
    """Areas or points, visited in this order; by default random goals. A list inside the list is \
a choice: each character takes the one with the shortest path."""
    premovement: Delay = 0.0
    """Time that they wait before they walk; a number, or {mean, deviation}."""
    within: Annotated[float, Number("m", above=0.0, endless=True)] = math.inf
    """Maximum straight-line distance of random goals, and of goals chosen in areas."""
    preference: Named[Weight] = Field(default_factory=lambda: MappingProxyType({}))
    """For wanderers: weight of areas by name, in a building of floors and links, too; 1 is the \
default, 0 is never entered."""

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
    """Characters that are present from the start: `[[population]]`."""

    count: Count | None = None
    """Number of characters; optional if `starts` is given."""
    starts: tuple[Place, ...] | None = None
    """Start of each character, instead of `area`: [x, y], in a building [x, y, "2"]."""
    goals: tuple[Place, ...] | None = None
    """Goal of each character, instead of `destinations`: [x, y], in a building [x, y, "2"]."""

    @model_validator(mode="after")
    def _has_a_number(self) -> Self:
        if self.count is None and self.starts is None:
            raise Fault("is missing; give a number, such as count = 100", inside=("count",))
        if self.starts is not None and self.area is not None:
            raise Fault("cannot be combined with area; leave one of them out", inside=("starts",))
        if self.goals is not None and self.destinations:
            raise Fault(
                "cannot be combined with destinations; leave one of them out", inside=("goals",)
            )
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

    area: SpawnArea
    """Area where they appear: a name, a rectangle or a polygon."""
    count: Count | None = None
    """Total number; by default `rate` applies until the end."""
    rate: Annotated[float, Number("/s", above=0.0, high=1000.0)] | None = None
    """Number of characters per second."""
    start: Seconds = 0.0
    """Time at which the first one appears."""
    schedule: tuple[tuple[Seconds, Count], ...] | None = None
    """Instead of `rate`: [time, count] pairs, the number that appears at each time."""

    @field_validator("schedule", mode="before")
    @classmethod
    def _has_pairs(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise Fault(f"is {kind_of(value)}; give [[time, count], ...], as in [[0, 20], [60, 5]]")
        for i, pair in enumerate(value):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise Fault(f"is {kind_of(pair)}; give [time, count]", inside=(i,))
        return value

    @field_validator("schedule")
    @classmethod
    def _ascends(cls, value: tuple[tuple[float, int], ...]) -> tuple[tuple[float, int], ...]:
        for i, (before, after) in enumerate(pairwise(value), start=1):
            if after[0] <= before[0]:
                raise Fault(
                    f"is at {after[0]:g} s, after {before[0]:g} s; times must ascend", inside=(i,)
                )
        return value

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
                raise Fault(
                    "cannot be combined with schedule; leave one of them out", inside=(key,)
                )
        return self

    def size(self, duration: float) -> int:
        """Return the number of characters that appear within `duration` (s)."""
        if self.schedule is not None:
            return sum(count for _, count in self.schedule)
        assert self.rate is not None
        left = max(0.0, duration - self.start)
        endless = math.floor(self.rate * left + 1e-9) + 1 if left > 0.0 else 0
        return min(endless, MOST_PEOPLE) if self.count is None else self.count


class Group(_Walkers):
    """Characters that stay together: `[[group]]`."""

    count: Annotated[int, Number(low=1, high=MOST_PEOPLE)]
    """Number of characters."""
    start: Goal
    """Start: a point, or an area, in which the point with the most clearance is used."""
    goal: Goal | None = None
    """Goal: a point or an area, as for `start`; by default a new random goal after each arrival."""
    width: Length | None = None
    """Maximum distance to either side of their path."""
    group_area: Annotated[float, Number("m2", above=0.0, high=1e9)] | None = None
    """g_A of the paper: maximum area that the group occupies; the front waits for the others."""
    lateral: Length | None = None
    """Maximum extent of the group across its path: twice `width`."""
    longitudinal: Length | None = None
    """Maximum extent of the group along its path, from the first to the last."""


class Region(_Table):
    """A terrain region: `[[terrain]]`."""

    kind: Name
    """Name of the kind, such as "road" or "mud"; "ground" is the terrain without a region."""
    polygon: Shape
    """[xmin, ymin, xmax, ymax], or corners [x, y]; parts outside the map are cut off."""
    reach: Annotated[float, Number("m", low=0.0, high=1e6)] = 0.0
    """Distance around the region at which its weight has fallen to 1: an influence region."""
    slope: Slope | None = None
    """Metres of height gained by a metre along x and along y. A region of kind "slope" gives only \
this and leaves the kind of terrain as it is."""


class RoadmapTable(_Table):
    """A roadmap on which characters walk, instead of the exact map: `[roadmap]`.

    The keys are the options of `footway build` and of the functions in `footway.roadmap`; those
    that are left out have the defaults of the method.
    """

    method: Literal["grid", "rrm", "rrm_star", "rrrm", "voronoi_prm"]
    """How the roadmap is built."""
    radius: Annotated[float, Number("m", low=0.0, high=1e6)] | None = None
    """Radius of the disc that it is built for: no character may be wider."""
    resolution: Length | None = None
    """Size of a cell: grid, rrm, rrm_star, rrrm."""
    usefulness: Annotated[float, Number(low=1.0, high=1e6)] | None = None
    """Least factor by which an edge shortens a path: rrm_star, rrrm, voronoi_prm."""
    useful_nodes: Literal["shortening", "published"] | None = None
    """Nodes that shorten paths most, or algorithm 1 as published: rrm_star, rrrm."""
    clearance: Length | None = None
    """Preferred distance to walls: voronoi_prm."""
    samples: Annotated[int, Number(low=1, high=10_000_000)] | None = None
    """Number of random samples: voronoi_prm."""
    every_passage: bool | None = None
    """Whether every passage gets an edge that the samples miss: voronoi_prm."""
    blends: Literal["exact", "halved"] | None = None
    """Arcs of paths: of the largest radius, or halved as published: voronoi_prm."""
    seed: Annotated[int, Number(low=0, high=2**31 - 1)] | None = None
    """Seed of random choices: all but grid."""


class Obstacle(_Table):
    """A dynamic obstacle, a disc: `[[obstacle]]`."""

    at: Place
    """Centre of the disc when it appears."""
    radius: Annotated[float, Number("m", above=0.0, high=1000.0)]
    """Radius of the disc."""
    velocity: Velocity = (0.0, 0.0)
    """Velocity of the disc."""
    appears: Seconds = 0.0
    """Time at which it appears."""
    vanishes: Annotated[float, Number("s", low=0.0, endless=True)] = math.inf
    """Time at which it vanishes; by default never."""

    @model_validator(mode="after")
    def _vanishes_later(self) -> Self:
        if self.vanishes <= self.appears:
            raise Fault(
                f"is {self.vanishes:g} s, before it appears at {self.appears:g} s",
                inside=("vanishes",),
            )
        return self

    def box(self, duration: float) -> tuple[float, float, float, float]:
        """Return xmin, ymin, xmax, ymax of its positions in a run of `duration` (s), m."""
        lasts = max(0.0, min(self.vanishes, duration) - self.appears)
        ends = [(at, at + lasts * v) for at, v in zip(self.at[:2], self.velocity, strict=True)]
        (x0, x1), (y0, y1) = ((min(e) - self.radius, max(e) + self.radius) for e in ends)
        return x0, y0, x1, y1


class Closure(_Table):
    """A link of a building that is out of service for some time: `[[closure]]`."""

    link: Name
    """Name of stairs or another link."""
    start: Seconds = 0.0
    """Time from which nobody enters it; those on it leave it."""
    end: Annotated[float, Number("s", low=0.0, endless=True)] = math.inf
    """Time at which it opens again; by default never."""


class Output(_Table):
    """Output files: `[output]`."""

    recording: Name | None = None
    """Recording file (.parquet), relative to the scenario; the option -o overrides it."""
    every: Annotated[int, Number("steps", low=1, high=1_000_000)] = 1
    """Steps between two frames of the recording."""


class Scenario(_Table):
    """A map, its populations and run settings: `fw.load_scenario` reads it from a TOML file."""

    title: Name | None = None
    """Title for lists and reports."""
    map: Name
    """Map file, relative to the scenario, or gallery:NAME."""
    scale: Annotated[float, Number("m", above=0.0)] | None = None
    """Metres per cell of a grid, per pixel of a PNG, per unit of GeoJSON and WKT."""
    seed: Annotated[int, Number(low=0, high=2**31 - 1)] = 0
    """Seed of the random numbers; the same seed gives bit-identical results."""
    duration: Annotated[float, Number("s", above=0.0, high=604_800.0)] = 60.0
    """Simulated time."""
    step: Annotated[float, Number("s", low=0.001, high=1.0)] = 0.1
    """Time between two steps."""
    model: Model = MODELS["social_force"]
    """Local model, by which characters avoid each other: a name, or a table with its name and \
parameters; see "Local models" in docs/crowds.md."""
    profile: Named[ProfileTable] = Field(default_factory=lambda: MappingProxyType({}))
    """Kinds of characters: `[profile.NAME]`."""
    area: Named[Shape] = Field(default_factory=lambda: MappingProxyType({}))
    """Named areas besides those of the map: [xmin, ymin, xmax, ymax], or corners [x, y]; in a \
building with the floor at the end: [xmin, ymin, xmax, ymax, "2"], or corners [x, y, "2"]."""
    floor: Named[Name] = Field(default_factory=lambda: MappingProxyType({}))
    """In a building: floor of each area of `[area]` whose corners do not give it. The name of a \
floor is an area, too."""
    terrain: tuple[Region, ...] = ()
    """Terrain regions on top of those of the map, later ones on top: `[[terrain]]`."""
    roadmap: RoadmapTable | None = None
    """Roadmap on which characters walk: `[roadmap]`; by default they walk on the exact map."""
    population: tuple[Population, ...] = ()
    """Characters that are present from the start: `[[population]]`."""
    source: tuple[Source, ...] = ()
    """Characters that appear during the run: `[[source]]`."""
    group: tuple[Group, ...] = ()
    """Characters that stay together: `[[group]]`."""
    obstacle: tuple[Obstacle, ...] = ()
    """Dynamic obstacles: `[[obstacle]]`."""
    closure: tuple[Closure, ...] = ()
    """Links of a building that are out of service: `[[closure]]`."""
    output: Output = Output()
    """Output files: `[output]`."""

    _origin: Origin = PrivateAttr(default_factory=Origin)

    def __init__(self, /, **values: Any) -> None:
        """Validate the keys of a scenario; raise BadInput with the first wrong one."""
        from footway.scenario.reading import first_error

        try:
            super().__init__(**values)
        except ValidationError as error:
            raise first_error(error, Origin()) from None

    @property
    def origin(self) -> Origin:
        """The source file, for messages."""
        return self._origin

    def prepare(self, *, threads: int | None = None) -> PreparedCrowd:
        """Load the map, check the scenario against it, and build the crowd.

        Raises:
            BadInput: an unknown area or too little space; the message gives file, line and key.
            NoPath: a goal that cannot be reached, likewise.
        """
        from footway.scenario.building import prepare_crowd

        return prepare_crowd(self, threads=threads)


# JSON Schema --------------------------------------------------------------------------------------

TABLES: dict[str, type[BaseModel]] = {
    "": Scenario,
    "[profile.NAME]": ProfileTable,
    "[[terrain]]": Region,
    "[roadmap]": RoadmapTable,
    "[[population]]": Population,
    "[[source]]": Source,
    "[[group]]": Group,
    "[[obstacle]]": Obstacle,
    "[[closure]]": Closure,
    "[output]": Output,
}
"""The tables of a file by header; "" is the top level."""


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a scenario file, for editors.

    Descriptions end with the unit. TOML has no null: optional keys are omitted instead.
    """
    schema: dict[str, Any] = _without_null(Scenario.model_json_schema())
    for model in TABLES.values():
        table = schema if model is Scenario else schema["$defs"][model.__name__]
        for name, field in model.model_fields.items():
            item, unit = table["properties"][name], unit_of(field)
            meaning = (field.description or "").strip().replace("`", "")
            item["description"] = f"{meaning.rstrip('.')}. Unit: {unit}." if unit else meaning
            item["title"] = name
            if isinstance(item.get("default"), dict) or item.get("default") == math.inf:
                del item["default"]  # JSON has no infinity
    schema["title"] = "Footway scenario"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def unit_of(field: FieldInfo) -> str:
    """Return the unit of a key; "" for none."""
    marks = [*field.metadata, field.annotation]
    while marks:
        mark = marks.pop(0)
        if isinstance(mark, Number | Unit):
            return mark.unit
        marks[:0] = [*getattr(mark, "__metadata__", ()), *get_args(mark)]
    return ""


def _without_null(schema: Any) -> Any:
    """Return the schema without null, which represents an omitted key."""
    if isinstance(schema, list):
        return [_without_null(item) for item in schema if item != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    # A list of three points is a polygon and a choice: both notations may match.
    names = {"oneOf": "anyOf"}
    found = {names.get(key, key): _without_null(item) for key, item in schema.items()}
    if "default" in found and found["default"] is None:
        del found["default"]
    if len(found.get("anyOf", ())) == 1:
        found = {**found.pop("anyOf")[0], **found}
    return found
