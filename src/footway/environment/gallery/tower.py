"""A tower of twelve floors with two stairwells and two lifts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import shapely

from footway.environment.building import Building, Floor
from footway.environment.environment import Area, Environment
from footway.environment.links import Lift, Stairs

if TYPE_CHECKING:
    from footway.environment.links import Portal

FLOORS: Final = 12
HEIGHT: Final = 3.3  # m, of a storey
WIDTH, DEPTH = 36.0, 22.0  # m
WELLS: Final = ((8.0, 9.0), (25.4, 9.0))  # lower left corners of the stairwells
SHAFTS: Final = ((15.0, 11.0), (19.0, 11.0))  # of the lifts
FLIGHT: Final = 1.2  # m, width of a flight; 0.2 m between the two flights of a storey
RUN, LANDING = 3.4, 1.3  # m
_WALL: Final = 0.2  # m, thickness of walls


def tower() -> Building:
    """Return the tower: offices north and south of a core, 36 x 22 m, and a lobby on floor 0."""
    floors = [
        Floor(str(k), plan_of(k), round(k * HEIGHT, 3))
        for k in range(FLOORS)
    ]  # fmt: skip
    stairs = [
        dog_leg(f"{'AB'[w]}{k}", well, (str(k), str(k + 1)))
        for w, well in enumerate(WELLS)
        for k in range(FLOORS - 1)
    ]
    lifts = [_lift(f"L{n + 1}", shaft) for n, shaft in enumerate(SHAFTS)]
    return Building(floors, [*stairs, *lifts], name="gallery:tower")


def dog_leg(name: str, corner: tuple[float, float], floors: tuple[str, str]) -> Stairs:
    """Return two flights side by side with a landing, entered from the south."""
    x, y = corner
    first, second = (x, x + FLIGHT), (x + FLIGHT + 0.2, x + 2 * FLIGHT + 0.2)
    lower: Portal | tuple[object, ...] = (floors[0], (first[0], y), (first[1], y))
    upper = (floors[1], (second[0], y), (second[1], y))
    flights = [shapely.box(a, y, b, y + RUN) for a, b in (first, second)]
    landing = shapely.box(x, y + RUN, second[1], y + RUN + LANDING)
    return Stairs(name, lower, upper, flights=flights, landings=[landing])


def _lift(name: str, corner: tuple[float, float]) -> Lift:
    x, y = corner
    doors = [(str(k), (x + 0.4, y), (x + 1.6, y)) for k in range(FLOORS)]
    return Lift(name, shapely.box(x, y, x + 2.0, y + 2.2), doors, capacity=12, speed=1.6)


def plan_of(floor: int) -> Environment:
    """Return a floor: the core, rooms north and south, or the lobby with exits."""
    core = [shapely.box(x, y, x + 2 * FLIGHT + 0.2, y + RUN + LANDING) for x, y in WELLS] + [
        shapely.box(x, y, x + 2.0, y + 2.2) for x, y in SHAFTS
    ]
    rooms = [] if floor == 0 else _rooms()
    areas = [Area("exit", shapely.box(16, 0, 20, 0.8))] if floor == 0 else []
    return Environment.from_polygons(
        bounds=(0, 0, WIDTH, DEPTH), obstacles=[*core, *rooms], areas=areas,
        name=f"gallery:tower, floor {floor}",
    )  # fmt: skip


def _rooms() -> list[shapely.Polygon]:
    """Walls of six rooms on either side; each has a door of 0.9 m to the hall."""
    walls = []
    for south, (low, high) in ((True, (0.0, 5.0)), (False, (16.0, DEPTH))):
        border = high if south else low
        for k in range(6):
            x = 6.0 * k
            if k:
                walls.append(shapely.box(x - _WALL / 2, low, x + _WALL / 2, high))
            for a, b in ((x, x + 2.6), (x + 3.5, x + 6.0)):
                walls.append(shapely.box(a, border - _WALL / 2, b, border + _WALL / 2))
    return walls
