"""Links between the floors of a building: stairs, ramps, escalators and lifts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np
import shapely

from footway.environment.input_geometry import Shape, pieces
from footway.errors import BadGeometry
from footway.validation import flag, number, point, sequence, shown, text

if TYPE_CHECKING:
    from collections.abc import Sequence

STAIRS_UP: Final = 0.610
"""m/s in plan. Mean speed up stairs (Weidmann 1993, Transporttechnik der Fussgaenger)."""
STAIRS_DOWN: Final = 0.694
"""m/s in plan. Mean speed down stairs, likewise."""
WALKING: Final = 1.34
"""m/s. Mean speed on the level, likewise."""
BELT: Final = 0.5
"""m/s along the slope. Usual speed of an escalator's belt (EN 115-1)."""


class Portal(NamedTuple):
    """Where a link joins a floor: a straight line on a border of the floor."""

    floor: str
    a: tuple[float, float]  # m
    b: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Link:
    """A walkable piece between a lower and an upper floor.

    Attributes:
        name: unique among the links of a building.
        lower: portal to the lower floor: (floor, (ax, ay), (bx, by)).
        upper: portal to the upper floor.
        flights: polygons of the sloping parts, from the lower floor to the upper one; without
            any, the quadrilateral between the two portals.
        landings: polygons of the level parts between them, one fewer than flights.
        speed_up: m/s in plan, of a person who walks up; None: as on the level.
        speed_down: m/s in plan, of a person who walks down.
    """

    name: str
    lower: Portal | Sequence[object]
    upper: Portal | Sequence[object]
    flights: Sequence[Shape] = ()
    landings: Sequence[Shape] = ()
    speed_up: float | None = None
    speed_down: float | None = None
    kind: ClassVar[str] = "link"
    needs_height: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _set(self, name=_name(self.name, self.kind))
        _set(self, lower=portal(self.lower, self), upper=portal(self.upper, self))
        flights = _polygons(self.flights, self, "flight")
        if not flights:
            flights = (_between(self.lower, self.upper, self),)
        _set(self, flights=flights, landings=_polygons(self.landings, self, "landing"))
        if len(self.landings) != len(self.flights) - 1:
            raise BadGeometry(
                f"{self} has {len(self.flights)} flights and {len(self.landings)} landings: "
                "between two flights there is one landing"
            )
        for field in ("speed_up", "speed_down"):
            if getattr(self, field) is not None:
                _set(self, **{field: _speed(getattr(self, field), self, field)})

    @property
    def portals(self) -> tuple[Portal, ...]:
        """Portals to floors, the lowest first."""
        return (self.lower, self.upper)  # type: ignore[return-value]

    @property
    def parts(self) -> tuple[shapely.Polygon, ...]:
        """Polygons from the lower floor to the upper one: flights and landings alternately."""
        parts = [self.flights[0]]
        for landing, flight in zip(self.landings, self.flights[1:], strict=True):
            parts += [landing, flight]
        return tuple(parts)

    def allows(self, *, upward: bool) -> bool:  # noqa: ARG002  # one-way links differ by it
        """Whether people may use it in this direction."""
        return True

    def seconds_per_metre(self, slope: float, walking: float, *, upward: bool) -> float:
        """Time for a metre in plan, s/m; `slope` is the length along it for a metre in plan."""
        speed = self.speed_up if upward else self.speed_down
        return 1.0 / speed if speed is not None else slope / walking

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}"


@dataclass(frozen=True, eq=False)
class Stairs(Link):
    """Stairs: flights with a landing between two of them.

    Speeds are those of Weidmann (1993) unless given.

    Example:
        >>> Stairs("A", ("0", (0, 0), (1.2, 0)), ("1", (0, 4), (1.2, 4))).flights[0].area
        4.8
    """

    speed_up: float | None = STAIRS_UP
    speed_down: float | None = STAIRS_DOWN
    kind: ClassVar[str] = "stairs"


@dataclass(frozen=True, eq=False)
class Ramp(Link):
    """A ramp, or a passage between two floors of the same elevation.

    Example:
        >>> Ramp("north", ("0", (0, 0), (2, 0)), ("1", (0, 40), (2, 40))).flights[0].area
        80.0
    """

    kind: ClassVar[str] = "ramp"
    needs_height: ClassVar[bool] = False


@dataclass(frozen=True, eq=False)
class Escalator(Link):
    """An escalator.

    Attributes:
        direction: "up" or "down".
        belt: speed of its belt along the slope, m/s.
        walking: whether people walk on it, at its `speed_up` or `speed_down`, or stand.

    Example:
        >>> Escalator("E1", ("0", (0, 0), (1, 0)), ("1", (0, 8), (1, 8)), direction="up").belt
        0.5
    """

    direction: str = "up"
    belt: float = BELT
    walking: bool = False
    kind: ClassVar[str] = "escalator"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.direction, str) or self.direction not in ("up", "down"):
            raise BadGeometry(f"{self} has the direction {shown(self.direction)}: use up or down")
        _set(self, belt=_speed(self.belt, self, "belt"))
        flag(self.walking, f"key `walking` of {self}", error=BadGeometry)

    def allows(self, *, upward: bool) -> bool:
        """Whether it runs in this direction."""
        return upward == (self.direction == "up")

    def seconds_per_metre(self, slope: float, walking: float, *, upward: bool) -> float:
        """Time for a metre in plan, s/m, carried by the belt and perhaps walking."""
        own = super().seconds_per_metre(slope, walking, upward=upward) if self.walking else np.inf
        return 1.0 / (self.belt / slope + 1.0 / own)


@dataclass(frozen=True, eq=False)
class Lift:
    """A lift.

    Attributes:
        name: unique among the links of a building.
        cabin: polygon, m, in plan the same at all floors.
        doors: a portal for each floor at which it stops, on a side of the cabin.
        capacity: people.
        speed: of the cabin, m/s.
        door_time: s, to open or to close the doors.
        wait: s, for the cabin, on average.

    Example:
        >>> Lift("L", [(0, 0), (2, 0), (2, 2), (0, 2)],
        ...      [("0", (0.5, 0), (1.5, 0)), ("1", (0.5, 0), (1.5, 0))]).capacity
        8
    """

    name: str
    cabin: Shape
    doors: Sequence[Portal | Sequence[object]]
    capacity: int = 8
    speed: float = 1.0
    door_time: float = 2.0
    wait: float = 15.0
    kind: ClassVar[str] = "lift"
    needs_height: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _set(self, name=_name(self.name, self.kind))
        doors = sequence(self.doors, f"doors of {self}", error=BadGeometry)
        _set(self, doors=tuple(portal(door, self) for door in doors))
        stops = [door.floor for door in self.portals]
        if len(set(stops)) < 2 or len(set(stops)) < len(stops):
            raise BadGeometry(
                f"{self} stops at {', '.join(map(repr, stops)) or 'no floor'}: give one door for "
                "each of at least two floors"
            )
        (cabin,) = _polygons([self.cabin], self, "cabin")
        _set(self, cabin=cabin, speed=_speed(self.speed, self, "speed"))
        for field in ("door_time", "wait"):
            value = number(
                getattr(self, field), f"{field} of {self}", "s", low=0.0, error=BadGeometry
            )
            _set(self, **{field: value})
        count = number(self.capacity, f"capacity of {self}", "people", low=1, error=BadGeometry)
        _set(self, capacity=int(count))

    @property
    def portals(self) -> tuple[Portal, ...]:
        """Its doors."""
        return self.doors  # type: ignore[return-value]

    def seconds(self, height: float) -> float:
        """Time to ride over a height, s: waiting, doors, travel."""
        return self.wait + 2.0 * self.door_time + abs(height) / self.speed

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}"


def portal(given: object, link: object) -> Portal:
    """Return a checked portal of a link."""
    parts = tuple(given) if isinstance(given, (tuple, list)) else ()
    if len(parts) != 3 or not isinstance(parts[0], (str, int)) or isinstance(parts[0], bool):
        raise BadGeometry(
            f"a portal of {link} is {shown(given)}: give (floor, (x, y), (x, y)), on a border"
        )
    ends = [point(end, f"portal of {link}", error=BadGeometry).tolist() for end in parts[1:]]
    if ends[0] == ends[1]:
        raise BadGeometry(f"a portal of {link} has no width: its ends are equal")
    return Portal(str(parts[0]), tuple(ends[0]), tuple(ends[1]))


def _set(link: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(link, name, value)


def _name(value: object, kind: str) -> str:
    name = text(
        str(value) if isinstance(value, int) else value, f"name of {kind}", error=BadGeometry
    )
    if not name.strip():
        raise BadGeometry(f"{kind} without a name: give it one")
    return name


def _speed(value: object, link: object, field: str) -> float:
    return number(value, f"{field} of {link}", "m/s", above=0.0, high=100.0, error=BadGeometry)


def _polygons(shapes: object, link: object, what: str) -> tuple[shapely.Polygon, ...]:
    found = []
    for shape in sequence(shapes, f"{what}s of {link}", error=BadGeometry):
        given = pieces(shape, f"{what} of {link}").shapes
        polygon = given[0] if len(given) == 1 else None
        if not isinstance(polygon, shapely.Polygon) or not polygon.is_valid or polygon.area == 0.0:
            raise BadGeometry(
                f"a {what} of {link} is not a simple polygon: give its corners in order"
            )
        found.append(polygon)
    return tuple(found)


def _between(lower: object, upper: object, link: Link) -> shapely.Polygon:
    """Return the quadrilateral between two portals."""
    (_, a, b), (_, c, d) = portal(lower, link), portal(upper, link)
    for corners in ([a, b, d, c], [a, b, c, d]):
        polygon = shapely.Polygon(corners)
        if polygon.is_valid and polygon.area > 0.0:
            return polygon
    raise BadGeometry(f"the portals of {link} leave no space between them: give its flights")
