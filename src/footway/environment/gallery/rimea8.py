"""The three-storey plan of RiMEA's test 8: 112 rooms, one stairwell, one exit.

RiMEA gives rooms of 2 m x 3 m with doors of 1 m, corridors of 1 m, rows of 9, 8, 8 and 11 rooms on
the ground floor and 11, 8, 8 and 11 above. Height of the storeys, stairs and hall are ours.
"""

from __future__ import annotations

from typing import Any, Final

import shapely

from footway.environment.building import Building, Floor
from footway.environment.environment import Area, Environment
from footway.environment.gallery.tower import FLIGHT, LANDING, RUN, dog_leg

HEIGHT: Final = 3.0  # m, of a storey
ROOM: Final = (2.0, 3.0)  # m
DOOR: Final = 1.0  # m
CORRIDOR: Final = 1.0  # m, width
LONGEST: Final = 11  # rooms of a row
_WELL: Final = (18.2, 4.8)  # lower left corner of the stairwell


def rimea8() -> Building:
    """Return the building: floors "0", "1" and "2", and stairs "A0" and "A1"."""
    floors = [Floor(str(k), plan_of(k), k * HEIGHT) for k in range(3)]
    stairs = [dog_leg(f"A{k}", _WELL, (str(k), str(k + 1))) for k in range(2)]
    return Building(floors, stairs, name="gallery:rimea8")


def plan_of(floor: int) -> Environment:
    """Return a floor: rows of rooms, named areas "room 1" and so on, and the hall."""
    width, depth = ROOM
    base = [0.0, depth + CORRIDOR, 2 * depth + CORRIDOR, 3 * depth + 2 * CORRIDOR]
    rows = [(9 if floor == 0 else LONGEST, base[3], False), (8, base[2], True),
            (8, base[1], False), (LONGEST, base[0], True)]  # fmt: skip
    walls: list[Any] = []
    areas: list[Area] = []
    for count, y, has_door_above in rows:
        door, back = (y + depth, y) if has_door_above else (y, y + depth)
        for k in range(count):
            x = k * width
            gap = x + 0.5 * (width - DOOR)
            walls += [[(x, door), (gap, door)], [(gap + DOOR, door), (x + width, door)]]
            walls += [[(x, back), (x + width, back)], [(x + width, y), (x + width, y + depth)]]
            room = shapely.box(x, y, x + width, y + depth)
            areas.append(Area(f"room {len(areas) + 1}", room))
    if floor == 0:
        areas.append(Area("exit", shapely.box(19.5, base[3] + 2.2, 20.5, base[3] + depth)))
    x, y = _WELL
    return Environment.from_polygons(
        bounds=(0.0, 0.0, LONGEST * width, base[3] + depth),
        obstacles=[shapely.box(x, y, x + 2 * FLIGHT + 0.2, y + RUN + LANDING)],
        lines=walls, areas=areas, name=f"gallery:rimea8, floor {floor}",
    )  # fmt: skip
