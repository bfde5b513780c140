"""Requests of a browser: one model for each kind; anything else is refused."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import from_json

from footway.constants import RoadmapMethod  # noqa: TC001, pydantic reads it
from footway.crowd.models import MODELS
from footway.crowd.profile import PROPERTIES
from footway.errors import BadInput
from footway.studio.protocol.replies import Place

if TYPE_CHECKING:
    from footway.crowd.profile import Property

_FAR: Final = 2e5  # m from the origin of the map, see `wire.origin_of`


def _near(place: Place) -> Place:
    if not max(map(abs, place)) <= _FAR:  # also if it is not a number
        raise ValueError(f"is more than {_FAR / 1000:g} km away")
    return place


Point: TypeAlias = Annotated[Place, AfterValidator(_near)]
Resolution: TypeAlias = Annotated[float, Field(ge=0.05, le=100.0)]
Radius: TypeAlias = Annotated[float, Field(gt=0.0, le=1000.0)]
Speed: TypeAlias = Annotated[float, Field(gt=0.0, le=50.0)]
Weight: TypeAlias = Annotated[float, Field(gt=0.0, le=1e6)]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
Preferences: TypeAlias = Annotated[dict[Name, Weight], Field(max_length=64)]
Number: TypeAlias = Annotated[int, Field(ge=0, le=2**53)]


class Request(BaseModel):
    """Fields of every request: its number, chosen by the browser, and its kind."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    n: Number
    type: str


class Hello(Request):
    """Request the open document and the status of the crowd."""

    type: Literal["hello"]


class Open(Request):
    """Open a built-in map or scenario, or a document that was open before."""

    type: Literal["open"]
    name: Annotated[
        str,
        Field(max_length=120, pattern=r"^((gallery|demo):[a-z0-9:_-]+|recent:[A-Za-z0-9_@-]+)$"),
    ]


class Ground(Request):
    """Request the walkable space, terrain and areas."""

    type: Literal["ground"]


class Layer(Request):
    """Request a layer to draw over the map."""

    type: Literal["layer"]
    name: Name
    method: RoadmapMethod | None = None
    resolution: Resolution | None = None
    radius: Radius = 0.25


class Path(Request):
    """Request a path and its corridor; in a building with the floors or links of its ends."""

    type: Literal["path"]
    start: Point
    goal: Point
    floors: tuple[Name, Name] | None = None
    by: Literal["length", "time"] = "length"
    radius: Radius = 0.25
    method: Literal["short", "cmm", "irm", "miran"] = "short"
    clearance: Annotated[float, Field(ge=0.0, le=1000.0)] | None = None
    speed: Speed = 1.2
    preferences: Preferences = Field(default_factory=dict)
    sigma: Annotated[float, Field(gt=0.0, le=1e4)] = 30.0
    spacing: Annotated[float, Field(ge=0.1, le=1e4)] = 1.0


class Crowd(Request):
    """Start, stop, reset or record the crowd, or set its speed or its local model."""

    type: Literal["crowd"]
    do: Literal[
        "start", "pause", "step", "reset", "faster", "status", "record", "stop-record", "model"
    ]  # fmt: skip
    speed: Annotated[float, Field(ge=0.25, le=16.0)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    model: Literal[tuple(MODELS)] = "social_force"  # type: ignore[valid-type]


def _type_of(declared: Property) -> Any:
    """Return the type of a property of characters in requests, which set means only."""
    if declared.kind == "choice":
        return Literal[declared.choices]
    if declared.kind == "weights":
        return Preferences
    limits = {"ge": declared.low, "gt": declared.above, "le": declared.high}
    finite: dict[str, Any] = {name: limit for name, limit in limits.items() if math.isfinite(limit)}
    return Annotated[float, Field(**finite)]


if TYPE_CHECKING:

    class _WithProperties(Request):
        def __getattr__(self, name: str) -> Any: ...

else:
    _WithProperties = create_model(
        "_WithProperties",
        __base__=Request,
        **{name: (_type_of(declared) | None, None) for name, declared in PROPERTIES.items()},
    )


class Population(_WithProperties):
    """Add, remove or change characters.

    In a building `floor` and `goal_floor` are the floors of `area` and `goal`; alone they mean all
    of that floor.
    """

    type: Literal["population"]
    do: Literal["add", "remove", "change"]
    name: Name | None = None
    count: Annotated[int, Field(ge=1, le=100_000)] = 100
    behaviour: Literal["goals", "wander"] = "goals"
    area: Name | None = None
    floor: Name | None = None
    goal: Name | Point | None = None
    goal_floor: Name | None = None
    then: Literal["repeat", "stay", "exit"] = "repeat"
    index: Annotated[int, Field(ge=0, le=100_000)] | None = None

    @model_validator(mode="after")
    def _has_an_index(self) -> Population:
        if self.do != "add" and self.index is None:
            raise ValueError("give the index of the population")
        return self


class Character(Request):
    """Request the state of one character."""

    type: Literal["character"]
    id: Annotated[int, Field(ge=0, le=2**31 - 1)]


class Obstacle(Request):
    """Add, move or remove a dynamic obstacle (a disc); `floor` is that of `at` in a building."""

    type: Literal["obstacle"]
    do: Literal["add", "move", "remove"]
    id: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    at: Point | None = None
    floor: Name | None = None
    radius: Annotated[float, Field(gt=0.0, le=100.0)] = 1.0
    velocity: tuple[
        Annotated[float, Field(ge=-20.0, le=20.0)], Annotated[float, Field(ge=-20.0, le=20.0)]
    ] = (0.0, 0.0)

    @model_validator(mode="after")
    def _is_whole(self) -> Obstacle:
        if self.do != "remove" and self.at is None:
            raise ValueError("give the position of the obstacle: at")
        if self.do != "add" and self.id is None:
            raise ValueError("give the number of the obstacle: id")
        return self


class Walk(Request):
    """Request a camera motion from stop to stop; in a building with the floors of all of them."""

    type: Literal["walk"]
    start: Point
    heading: Annotated[float, Field(ge=-100.0, le=100.0)] | None = None
    stops: Annotated[list[Point], Field(min_length=1, max_length=100)]
    floors: Annotated[list[Name], Field(min_length=2, max_length=101)] | None = None
    radius: Radius = 0.25
    eye_height: Annotated[float, Field(ge=0.1, le=100.0)] = 1.7
    speed: Annotated[float, Field(gt=0.0, le=20.0)] = 1.4

    @model_validator(mode="after")
    def _is_whole(self) -> Walk:
        if self.floors is not None and len(self.floors) != 1 + len(self.stops):
            raise ValueError("give the floor of the start and of each stop")
        return self


class Edit(Request):
    """Draw on the map; move, change or delete the topmost item at a point; undo, redo.

    In a building on a `floor`; its links are items, too, which are drawn to the `other` floor, and
    closed and opened.
    """

    type: Literal["edit"]
    do: Literal["add", "move", "change", "delete", "close-link", "open-link", "undo", "redo"]
    what: Literal[
        "obstacle", "walkable", "terrain", "area", "stairs", "ramp", "escalator", "lift"
    ] = "obstacle"
    kind: Name | None = None
    name: Name | None = None
    role: Literal["spawn", "exit", "goal"] | None = None
    polygon: Annotated[list[Point], Field(min_length=2, max_length=2000)] | None = None
    at: Point | None = None
    to: Point | None = None
    floor: Name | None = None
    link: Name | None = None
    other: Name | None = None

    @property
    def is_link(self) -> bool:
        """Whether a link is added."""
        return self.do == "add" and self.what in ("stairs", "ramp", "escalator", "lift")

    @model_validator(mode="after")
    def _is_whole(self) -> Edit:
        if self.is_link and self.other is None:
            raise ValueError("name the other floor of the link: other")
        if self.do in ("close-link", "open-link") and self.link is None:
            raise ValueError("name the link")
        if self.do == "add" and len(self.polygon or ()) < 3:
            raise ValueError("draw a polygon")
        if self.do == "add" and self.what == "terrain" and self.kind is None:
            raise ValueError("name the kind of terrain")
        if self.do in ("move", "change", "delete") and self.at is None:
            raise ValueError("give a position: at")
        if self.do == "move" and self.to is None:
            raise ValueError("give the new position: to")
        return self


class Item(Request):
    """Request the topmost item at a point of the map, in a building of a floor."""

    type: Literal["item"]
    at: Point
    floor: Name | None = None


class Roadmap(Request):
    """Edit a roadmap that is shown as a layer; `state` is the number of edits that the page saw."""

    type: Literal["roadmap"]
    do: Literal[
        "add-node", "move-node", "remove-node", "add-edge", "remove-edge", "set-weight", "close",
        "open", "undo", "redo",
    ]  # fmt: skip
    method: RoadmapMethod
    resolution: Resolution | None = None
    radius: Radius = 0.25
    state: Number
    node: Number | None = None
    other: Number | None = None
    edge: Number | None = None
    at: Point | None = None
    weight: Annotated[float, Field(ge=0.001, le=1000.0)] = 1.0
    polygon: Annotated[list[Point], Field(min_length=3, max_length=2000)] | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> Roadmap:
        needed = {
            "add-node": ("at",), "move-node": ("node", "at"), "remove-node": ("node",),
            "add-edge": ("node", "other"), "remove-edge": ("edge",), "set-weight": ("edge",),
            "close": ("polygon",), "open": ("at",),
        }  # fmt: skip
        for name in needed.get(self.do, ()):
            if getattr(self, name) is None:
                raise ValueError(f"{self.do} needs {name}")
        return self


class Cancel(Request):
    """Stop the computation of a layer; `of` is the number of its request."""

    type: Literal["cancel"]
    of: Number


class Replay(Request):
    """Request a recording as a whole, or one frame of it."""

    type: Literal["replay"]
    frame: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None


class Trails(Request):
    """Request trajectories between two frames of a recording."""

    type: Literal["trails"]
    first: Annotated[int, Field(ge=0, le=2**31 - 1)]
    last: Annotated[int, Field(ge=0, le=2**31 - 1)]


_Any: TypeAlias = (
    Hello | Open | Ground | Layer | Path | Crowd | Population | Character | Obstacle | Walk | Edit
    | Replay | Trails | Cancel | Item | Roadmap
)  # fmt: skip
ALL: Final[tuple[type[Request], ...]] = get_args(_Any)
"""All kinds of requests."""

_models: TypeAdapter[Any] = TypeAdapter(Annotated[_Any, Field(discriminator="type")])


def parse(text: str | bytes) -> Request:
    """Return the request in a message.

    Raises:
        BadInput: what is wrong with it, on one line.

    Example:
        >>> parse('{"n": 1, "type": "path", "start": [1, 2], "goal": [3, 4]}').radius
        0.25
    """
    try:
        request: Request = _models.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(key)[:40] for key in first["loc"]) or "not a request"
        message = first["msg"].removeprefix("Value error, ")
        raise BadInput(f"{where}: {message}"[:300]) from None
    return request


def request_number(text: str | bytes) -> int | None:
    """Return the number of an invalid request; None if it has none."""
    try:
        value = from_json(text)
    except ValueError:
        return None
    number = value.get("n") if isinstance(value, dict) else None
    is_valid = isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= 2**53
    return number if is_valid else None
