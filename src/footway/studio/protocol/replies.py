"""Replies and events: one model for each kind, with its arrays; anything else cannot be sent.

`web/make_protocol.py` writes the same types in TypeScript. A position is a `Place`, and each array
declares which of its columns are coordinates: `wire` subtracts the origin of the map from these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Strict, create_model

from footway.crowd.profile import PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from footway.crowd.profile import Property

Kind: TypeAlias = Literal["f4", "i4", "u4", "u2", "i2", "u1"]
"""Type and bytes of the numbers of an array."""


class Place(NamedTuple):
    """A position on the map, m."""

    x: Annotated[float, Strict()]
    y: Annotated[float, Strict()]


def sent_as(array: NDArray[Any]) -> str:
    """Return the kind of numbers that an array is sent as: 64 bits become 32."""
    kind = array.dtype.str[1:]
    return {"f8": "f4", "i8": "i4", "b1": "u1"}.get(kind, kind)


@dataclass(frozen=True)
class Array:
    """Declaration of an array: its numbers, and which columns are coordinates x, y, x, y..."""

    kind: Kind
    places: tuple[int, ...]
    is_optional: bool = False


_NUMBERS: Final = Array("f4", ())
_INDICES: Final = Array("i4", ())
_POINTS: Final = Array("f4", (0, 1))
_DISCS: Final = Array("f4", (0, 1))
_SOME_NUMBERS: Final = Array("f4", (), is_optional=True)
_SOME_POINTS: Final = Array("f4", (0, 1), is_optional=True)
_SOME_DISCS: Final = Array("f4", (0, 1), is_optional=True)
_SOME_INDICES: Final = Array("i4", (), is_optional=True)


class Facts(BaseModel):
    """The facts of a reply or an event; `arrays` declares what comes with them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    arrays: ClassVar[Mapping[str, Array]] = {}


@dataclass(frozen=True, eq=False)
class Answer:
    """Facts and arrays of a reply or an event."""

    facts: Facts
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        declared = self.facts.arrays
        needed = {name for name, array in declared.items() if not array.is_optional}
        kind = type(self.facts).__name__
        assert self.arrays.keys() <= declared.keys(), f"{kind} declares no {self.arrays.keys()}"
        assert needed <= self.arrays.keys(), f"{kind} needs {needed - self.arrays.keys()}"
        for name, array in self.arrays.items():
            sent = sent_as(array)
            assert sent == declared[name].kind, f"{kind}: {name} is sent as {sent}"


class AreaFacts(Facts):
    """An area of the map, in a building on a floor."""

    name: str
    index: int
    role: str
    floor: str | None = None


class RecentFacts(Facts):
    """A document that was open before; `key` opens it again."""

    key: str
    name: str
    about: str


class FloorFacts(Facts):
    """A floor of a building."""

    name: str
    elevation: float
    area: float


class LinkFacts(Facts):
    """A link of a building; `floors` from the lowest to the highest; `closed` by an edit."""

    name: str
    kind: str
    floors: list[str]
    direction: str | None = None
    closed: bool = False


class Document(Facts):
    """The open document; a building has floors and links.

    `bounds` are relative to `origin`; `opened` is its first version.
    """

    name: str
    version: int
    opened: int
    what: Literal["map", "scenario", "recording"]
    origin: tuple[float, float]
    bounds: tuple[float, float, float, float]
    area: float | None
    holes: int
    kinds: list[str]
    areas: list[AreaFacts]
    repairs: list[str]
    largest_radius: float
    count_to_add: int
    gallery: list[str]
    recent: list[RecentFacts]
    locked: str | None
    boxed: bool
    edited: bool
    undo: int
    redo: int
    floors: list[FloorFacts] = []
    links: list[LinkFacts] = []


class RecordingFacts(Facts):
    """The recording of the live crowd."""

    running: bool
    seconds: float
    frames: int
    megabytes: float
    ended: str | None


def _type_of(declared: Property) -> Any:
    if declared.kind == "choice":
        return Literal[declared.choices]
    return dict[str, float] if declared.kind == "weights" else float


if TYPE_CHECKING:

    class _Profile(Facts):
        def __getattr__(self, name: str) -> Any: ...

else:
    _Profile = create_model(
        "_Profile",
        __base__=Facts,
        **{name: (_type_of(declared), ...) for name, declared in PROPERTIES.items()},
    )


class PopulationFacts(_Profile):
    """Size and profile of a population; the means of properties that vary."""

    index: int
    name: str
    count: int
    to_come: int
    behaviour: str
    grouped: bool


class Status(Facts):
    """The live crowd; `touched` if it is not the one that the document describes.

    In a building with the links that are closed now.
    """

    running: bool
    touched: bool
    time: float
    characters: int
    to_come: int
    speed: float
    arrivals: int
    exited: int
    stuck: int
    seed: int
    model: str | None
    fault: str | None
    recording: RecordingFacts | None
    closed: list[str] = []
    populations: list[PopulationFacts]
    steps_per_second: float
    milliseconds_per_step: float


class PropertyFacts(Facts):
    """The declaration of a property of characters, for forms."""

    name: str
    label: str
    help: str
    kind: Literal["number", "choice", "weights"]
    unit: str
    slider: tuple[float, float, float] | None
    choices: list[str]
    default: float | str | dict[str, float]


class ModelFacts(Facts):
    """A local model."""

    name: str
    label: str


class Hello(Facts):
    """What a page needs first; `server` tells a restarted server from the one before."""

    document: Document
    crowd: Status | None
    properties: list[PropertyFacts] = []
    models: list[ModelFacts] = []
    version: str = ""
    server: str = ""
    compiling: str | None = None


class TerrainFacts(Facts):
    """One polygon of terrain, on a floor of a building."""

    kind: str
    floor: int = 0


class AreaPolygon(Facts):
    """One polygon of an area, on a floor of a building."""

    name: str
    role: str
    floor: int = 0


class SheetFacts(Facts):
    """A floor of a building, or a part of a link, of which the index is -1 for the other.

    A slope rises from `low` to `high` between two sides; `sides` are their ends: low a, low b,
    high a, high b. `joined` are the sheets behind its portals.
    """

    name: str
    floor: int
    link: int
    low: float
    high: float
    sides: list[Place]
    joined: list[int]


def _rings(prefix: str) -> dict[str, Array]:
    return {
        f"{prefix}points": _POINTS,
        f"{prefix}rings": _INDICES,
        f"{prefix}polygons": _INDICES,
    }


class Ground(Facts):
    """Walkable space, terrain and areas.

    In a building each polygon and line is on a sheet.
    """

    terrain: list[TerrainFacts]
    areas: list[AreaPolygon]
    sheets: list[SheetFacts] = []
    arrays = {
        **_rings(""),
        "lines": Array("f4", (0, 1, 2, 3)),
        "polygon_sheets": _SOME_INDICES,
        "line_sheets": _SOME_INDICES,
        **_rings("terrain_"),
        **_rings("area_"),
    }


class AxisLayer(Facts):
    """The medial axis; in a building with heights and the sheet of each edge."""

    arrays = {
        "points": _POINTS,
        "clearance": _NUMBERS,
        "offsets": _INDICES,
        "heights": _SOME_NUMBERS,
        "sheets": _SOME_INDICES,
    }


class DiscsLayer(Facts):
    """Discs of the corridor map."""

    coverage: float
    arrays = {"discs": _DISCS}


class RoadmapLayer(Facts):
    """A roadmap; local paths that are not straight come as points and offsets.

    `state` is the number of edits, `closed` are the regions that paths avoid.
    """

    method: str
    nodes: int
    edges: int
    components: int
    cycles: int
    resolution: float | None
    seconds: float
    state: int
    undo: bool
    redo: bool
    closed: list[list[Place]]
    arrays = {
        "vertices": _POINTS,
        "edges": _INDICES,
        "weights": _NUMBERS,
        "open": Array("u1", ()),
        "points": _SOME_POINTS,
        "offsets": _SOME_INDICES,
    }


class Path(Facts):
    """A path, and backbone, radii and walls of its corridor.

    In a building: with heights, the sheet of each step, and that of each disc of the corridor.
    """

    length: float
    clearance: float
    milliseconds: float
    method: str
    turns: float | None = None
    duration: float | None = None
    weighted_length: float | None = None
    ground: dict[str, float] | None = None
    floors: list[str] = []
    links: list[str] = []
    arrays = {
        "path": _POINTS,
        "heights": _SOME_NUMBERS,
        "sheets": _SOME_INDICES,
        "disc_heights": _SOME_NUMBERS,
        "disc_sheets": _SOME_INDICES,
        "times": _SOME_NUMBERS,
        "route": _SOME_POINTS,
        "backbone": _SOME_POINTS,
        "radii": _SOME_NUMBERS,
        "left": _SOME_POINTS,
        "right": _SOME_POINTS,
    }


class Walk(Facts):
    """A camera motion (n, 7): time, position, direction."""

    duration: float
    length: float
    clearance: float | None = None
    arrivals: list[float] = []
    arrays = {"camera": Array("f4", (1, 2))}


class Character(Facts):
    """The state of a character; `forces` are the names of the rows of the array, m/s2.

    In a building: with the floors or links of position and goal, and places of its corridor.
    """

    id: int
    position: Place
    velocity: tuple[float, float]
    goal: Place | None
    radius: float
    speed: float
    population: int
    mode: str
    forces: list[str]
    time: float
    floor: str | None = None
    goal_floor: str | None = None
    arrays = {
        "points": _POINTS,
        "radii": _NUMBERS,
        "heights": _SOME_NUMBERS,
        "sheets": _SOME_INDICES,
        "attraction": _POINTS,
        "forces": _NUMBERS,
    }


class Obstacle(Facts):
    """The number of an obstacle."""

    id: int


class Frame(Facts):
    """Positions of the crowd: ids, m, mm/s, mm, populations; obstacles in recordings.

    In a building also the height of the floor under each character, m, its sheet, and the sheets of
    the obstacles.
    """

    time: float
    step: int
    n: int
    frame: int | None = None
    arrays = {
        "id": Array("u4", ()),
        "at": _POINTS,
        "velocity": Array("i2", ()),
        "radius": Array("u2", ()),
        "population": Array("u1", ()),
        "height": _SOME_NUMBERS,
        "sheet": Array("u2", (), is_optional=True),
        "discs": _SOME_DISCS,
        "disc_sheets": Array("u2", (), is_optional=True),
    }


class Replay(Facts):
    """A recording as a whole, with its measures over time: see `replay.plots`."""

    frames: int
    duration: float
    characters: int
    names: list[str]
    complete: bool
    step: float
    arrays = {
        "times": _NUMBERS,
        "frames": _INDICES,
        "frame_times": _NUMBERS,
        "present": _INDICES,
        "density": _NUMBERS,
        "speed": _NUMBERS,
        "flow": _NUMBERS,
    }


class Trails(Facts):
    """Trajectories: points, offsets of characters, ids."""

    every: int
    arrays = {"points": _POINTS, "offsets": _INDICES, "ids": Array("u4", ())}


class Obstacles(Facts):
    """Dynamic obstacles of the crowd; in a building with the sheet of each."""

    arrays = {
        "discs": _DISCS,
        "ids": Array("u4", ()),
        "sheets": Array("u2", (), is_optional=True),
    }


class Compiling(Facts):
    """Label of the kernels that are being compiled; None if none are."""

    what: str | None


class Cancelled(Facts):
    """A layer is no longer wanted."""


class Progress(Facts):
    """Progress of a layer; `of` is the number of its request."""

    of: int
    done: int
    total: int


class ItemFacts(Facts):
    """An item of the map; it has no corners if it has holes or several parts."""

    kind: Literal["area", "terrain", "obstacle", "wall", "floor", "link"]
    name: str
    arrays = {"corners": _POINTS}


class RoadmapEdited(Facts):
    """A roadmap was edited."""

    method: str
    state: int


class PinchFacts(Facts):
    """The narrowest point of the widest path; in a building with the sheet that it is on."""

    at: Place
    width: float
    walls: tuple[Place, Place]
    where: str | None = None


class RefusalFacts(Facts):
    """What the page can show about a refusal."""

    reason: str | None = None
    pinch: PinchFacts | None = None
    end: Literal["start", "goal"] | None = None
    nearest: Place | None = None


REPLIES: Final[dict[str, tuple[type[Facts], ...]]] = {
    "hello": (Hello,),
    "open": (Document,),
    "ground": (Ground,),
    "layer": (AxisLayer, DiscsLayer, RoadmapLayer),
    "path": (Path,),
    "crowd": (Status,),
    "population": (Status,),
    "character": (Character,),
    "obstacle": (Obstacle,),
    "walk": (Walk,),
    "edit": (Document,),
    "replay": (Replay, Frame),
    "trails": (Trails,),
    "cancel": (Cancelled,),
    "item": (ItemFacts,),
    "roadmap": (RoadmapLayer,),
}
"""Possible replies to each type of request."""

EVENTS: Final[dict[str, type[Facts]]] = {
    "document": Document,
    "frame": Frame,
    "status": Status,
    "obstacles": Obstacles,
    "compiling": Compiling,
    "progress": Progress,
    "roadmap": RoadmapEdited,
}
"""Events by name."""
