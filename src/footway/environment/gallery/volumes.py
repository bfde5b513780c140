"""House and Quake: the three-dimensional maps, of voxels of one metre.

Both are after the 2006 paper on reachability roadmaps (table I, where the height is the second
number).

House: twelve rooms on two floors, 57 x 40 m and 20 m high, for an object of 3 x 3 x 3 m. There are
two routes from one room to another: around the ground floor through hall, living room, dining room
and kitchen; and up the stairs and over the balcony of the living room. The outer walls are the
bounds.

Quake: a level of a shooter, 130 x 80 m and 25 m high, for an object of 1 x 1 x 1 m. That of the
paper was converted from the game; this one is new, with the same size and similar connectivity. An
open atrium with a gallery, bridges and ramps lies in the middle. Eight areas surround it, on two
levels, each joined to its neighbours by several doorways, stairs, shafts and tunnels.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from footway.environment import Volume

if TYPE_CHECKING:
    from footway.arrays import Bools

Block: TypeAlias = tuple[int, int, int, int, int, int]
"""x0, y0, z0, x1, y1, z1 in whole metres, with exclusive upper limits."""

Rise: TypeAlias = Literal["+x", "-x", "+y", "-y"]  # direction in which stairs rise


class Plan(NamedTuple):
    """Parts of a volume, in the order in which they are cut out of, or put into, solid voxels."""

    size: tuple[int, int, int]  # m, along x, y and z
    object: tuple[float, float, float]  # m, sides of the robot of table I
    areas: dict[str, Block]  # rooms by name, made free
    openings: tuple[Block, ...]  # doors and passages between them, made free
    solids: tuple[Block, ...]  # made solid
    stairs: tuple[tuple[Block, Rise], ...]  # blocks filled with steps
    holes: tuple[Block, ...] = ()  # openings through the solids


def house() -> Volume:
    """Return the house of 57 x 40 x 20 m: see the module."""
    return _build(HOUSE, "gallery:house")


def quake() -> Volume:
    """Return the level of 130 x 80 x 25 m: see the module."""
    return _build(QUAKE, "gallery:quake")


def _build(plan: Plan, name: str) -> Volume:
    solid = np.ones(plan.size[::-1], dtype=bool)
    for block in (*plan.areas.values(), *plan.openings):
        _part(solid, block)[...] = False
    for block in plan.solids:
        _part(solid, block)[...] = True
    for block, rise in plan.stairs:
        part = _part(solid, block)
        along = np.moveaxis(part, 2 if rise[1] == "x" else 1, 0)
        steps = along[::-1] if rise[0] == "-" else along
        for i, step in enumerate(steps):
            step[: -(-(i + 1) * len(part) // len(steps))] = True
    for block in plan.holes:
        _part(solid, block)[...] = False
    return Volume(solid, resolution=1.0, name=name)


def _part(solid: Bools, block: Block) -> Bools:
    x0, y0, z0, x1, y1, z1 = block
    nz, ny, nx = solid.shape
    assert 0 <= x0 < x1 <= nx, block
    assert 0 <= y0 < y1 <= ny, block
    assert 0 <= z0 < z1 <= nz, block
    return solid[z0:z1, y0:y1, x0:x1]


STAIRWELL: Final[Block] = (26, 8, 9, 38, 19, 10)  # opening between the floors of the house

HOUSE: Final = Plan(
    size=(57, 40, 20),
    object=(3.0, 3.0, 3.0),
    # Six rooms on the ground floor, of which the living room reaches up to the roof, and six above.
    areas={
        "hall": (19, 0, 0, 38, 22, 9),
        "living room": (39, 0, 0, 57, 23, 20),
        "dining room": (39, 24, 0, 57, 40, 9),
        "kitchen": (19, 23, 0, 38, 40, 9),
        "study": (0, 0, 0, 18, 18, 9),
        "workshop": (0, 19, 0, 18, 40, 9),
        "landing": (19, 0, 10, 38, 20, 20),
        "west bedroom": (0, 0, 10, 18, 22, 20),
        "north bedroom": (0, 23, 10, 18, 40, 20),
        "bathroom": (19, 21, 10, 38, 30, 20),
        "dressing room": (19, 31, 10, 38, 40, 20),
        "nursery": (39, 24, 10, 57, 40, 20),
    },
    # Doors are six metres wide and seven high: with cells that keep clear of every voxel the object
    # has two cells across and three above each other.
    openings=(
        (38, 4, 0, 39, 10, 7),  # hall, living room
        (45, 23, 0, 51, 24, 7),  # living room, dining room
        (38, 28, 0, 39, 34, 7),  # dining room, kitchen
        (20, 22, 0, 26, 23, 7),  # kitchen, hall
        (18, 5, 0, 19, 11, 7),  # hall, study
        (6, 18, 0, 12, 19, 7),  # study, workshop
        (18, 1, 10, 19, 7, 17),  # landing, west bedroom
        (38, 1, 10, 39, 7, 17),  # landing, a balcony over the living room
        (20, 20, 10, 26, 21, 17),  # landing, bathroom
        (6, 22, 10, 12, 23, 17),  # west bedroom, north bedroom
        (30, 30, 10, 36, 31, 17),  # bathroom, dressing room
        (38, 33, 10, 39, 39, 17),  # dressing room, nursery
        STAIRWELL,
    ),
    solids=(
        (54, 8, 0, 57, 15, 20),  # fireplace and chimney
        (42, 0, 0, 50, 2, 2),  # sofa
        (45, 31, 0, 51, 35, 2),  # dining table
        (28, 38, 0, 38, 40, 3),  # kitchen counter
        (0, 0, 0, 2, 8, 7),  # bookshelf
        (14, 28, 0, 18, 38, 2),  # workbench
        (0, 12, 10, 4, 18, 12),  # beds
        (12, 34, 10, 18, 40, 12),
        (51, 35, 10, 57, 40, 12),
        (31, 21, 10, 38, 24, 12),  # bath tub
        (19, 38, 10, 27, 40, 17),  # wardrobe
    ),
    stairs=(((30, 9, 0, 36, 18, 9), "-y"),),
)

QUAKE: Final = Plan(
    size=(130, 80, 25),
    object=(1.0, 1.0, 1.0),
    areas={
        "gatehouse": (2, 2, 1, 38, 26, 16),
        "spiral": (2, 30, 1, 28, 51, 24),
        "temple": (2, 55, 6, 40, 78, 24),
        "street": (42, 2, 1, 88, 20, 11),
        "street roof": (42, 2, 13, 88, 20, 24),
        "atrium": (44, 24, 1, 88, 58, 24),
        "crypt": (44, 62, 1, 88, 78, 11),
        "library": (44, 62, 13, 88, 78, 24),
        "pit": (92, 2, 1, 128, 34, 24),
        "east hall": (92, 38, 1, 128, 54, 11),
        "east gallery": (92, 38, 13, 128, 54, 23),
        "keep": (92, 58, 7, 128, 78, 24),
    },
    openings=(
        # Doorways along the south: gatehouse, street, pit.
        *((38, 5, 1, 42, 11, 8), (38, 16, 1, 42, 20, 6), (38, 8, 10, 42, 14, 16)),
        *((88, 4, 1, 92, 10, 8), (88, 8, 13, 92, 15, 20)),
        # Gatehouse, spiral, temple in the west.
        *((6, 26, 1, 12, 30, 8), (20, 26, 9, 25, 30, 15)),
        *((4, 51, 6, 10, 55, 12), (19, 51, 15, 25, 55, 21)),
        # Spiral and atrium: a low corridor with a bend, and a high one.
        *((28, 32, 1, 38, 37, 7), (34, 32, 1, 38, 46, 7), (34, 42, 1, 44, 46, 7)),
        (28, 44, 13, 44, 49, 19),
        # Gatehouse and atrium, a slanting passage cut in steps; temple and atrium.
        *((33, 22, 1, 40, 30, 7), (36, 25, 1, 43, 33, 7), (39, 28, 1, 44, 36, 7)),
        (38, 52, 13, 44, 57, 19),
        # Street and atrium, below and above.
        *((48, 20, 1, 54, 24, 8), (76, 20, 1, 82, 24, 8), (62, 20, 13, 70, 24, 20)),
        # Atrium and crypt, atrium and library.
        *((52, 58, 1, 58, 62, 8), (74, 58, 1, 80, 62, 8), (48, 58, 13, 53, 62, 19)),
        (80, 58, 13, 85, 62, 19),
        # Temple, crypt and library, keep in the north.
        *((40, 69, 6, 44, 75, 11), (40, 62, 13, 44, 67, 20)),
        *((88, 64, 13, 92, 70, 20), (88, 72, 7, 92, 76, 11)),
        # Atrium and the east, on both floors.
        *((88, 27, 1, 92, 32, 8), (88, 42, 1, 92, 48, 8), (88, 44, 13, 92, 50, 20)),
        # Pit, east hall and gallery, keep.
        *((96, 34, 1, 102, 38, 8), (120, 34, 1, 125, 38, 7), (108, 34, 13, 114, 38, 20)),
        *((98, 54, 13, 104, 58, 20), (118, 54, 7, 123, 58, 11)),
        # Shafts: street, crypt, east hall, each with the floor above; two wells from pit to tunnel.
        *((45, 13, 11, 51, 19, 13), (80, 3, 11, 87, 9, 13)),
        *((46, 70, 11, 52, 77, 13), (66, 64, 11, 72, 70, 13)),
        *((110, 42, 11, 118, 50, 13), (93, 39, 11, 97, 43, 13)),
    ),
    solids=(
        # Gatehouse: a wall walk along the north and the east, a gate with two towers.
        *((2, 21, 7, 38, 26, 8), (33, 2, 7, 38, 21, 8)),
        *((14, 2, 1, 18, 8, 16), (14, 15, 1, 18, 21, 16), (14, 8, 9, 18, 15, 16)),
        # Spiral: the core that the stairs wind around, and what carries them.
        *((11, 37, 1, 19, 44, 24), (4, 32, 1, 11, 37, 4), (4, 37, 1, 11, 44, 4)),
        *((2, 44, 1, 11, 51, 6), (11, 44, 1, 22, 51, 6), (22, 44, 1, 28, 51, 13)),
        # Temple: altar and its canopy.
        *((16, 62, 6, 26, 71, 8), (18, 64, 16, 24, 69, 17)),
        # Atrium: gallery around, bridges across, a block in the middle that carries them.
        *((44, 24, 11, 88, 29, 12), (44, 53, 11, 88, 58, 12)),
        *((44, 29, 11, 49, 53, 12), (83, 29, 11, 88, 53, 12)),
        *((49, 39, 11, 83, 43, 12), (64, 29, 11, 68, 53, 12)),
        # Street: houses, with alleys between them.
        *((55, 7, 1, 61, 14, 11), (66, 2, 1, 72, 9, 11)),
        *((66, 13, 1, 72, 20, 11), (77, 10, 1, 82, 15, 8)),
        *((54, 6, 13, 64, 9, 17), (72, 12, 13, 80, 16, 18)),
        # Crypt: tombs; library: shelves.
        *((x, y, 1, x + 3, y + 6, 4) for x, y in product((56, 62, 74, 80), (64, 71))),
        *((x, y, 13, x + 2, y + 5, 20) for x, y in product((56, 61, 75, 80), (63, 72))),
        # Pit: ledges along the sides, a tower with bridges to three of them, the rest open.
        *((92, 2, 5, 128, 7, 6), (92, 29, 5, 128, 34, 6)),
        *((97, 14, 1, 105, 22, 18), (92, 16, 11, 97, 20, 12)),
        *((99, 2, 11, 103, 14, 12), (99, 22, 11, 103, 34, 12)),
        # East hall: walls that leave a zigzag; gallery: crates.
        *((103, 38, 1, 105, 48, 11), (121, 43, 1, 123, 54, 11)),
        *((100, 48, 13, 104, 52, 16), (121, 40, 13, 125, 44, 17), (106, 39, 13, 108, 42, 15)),
        # Keep: an inner tower, open at the foot, and the walk around it.
        *((104, 63, 7, 117, 74, 24),),
        *((92, 58, 12, 128, 61, 13), (123, 61, 12, 128, 78, 13)),
        # Pillars, two metres thick: gatehouse, temple, atrium.
        *((x, y, 1, x + 2, y + 2, 16) for x, y in product((6, 24), (6, 14))),
        *((x, y, 6, x + 2, y + 2, 24) for x, y in product((8, 14, 26, 32), (59, 73))),
        *((x, y, 1, x + 2, y + 2, 24) for x, y in product((54, 76), (32, 49))),
    ),
    holes=(
        # Through what was built: the keep's tower is a shaft with doors below and above.
        *((106, 65, 7, 115, 72, 22), (104, 66, 7, 106, 71, 12), (115, 66, 15, 117, 71, 20)),
        # The tower in the pit stands on four legs.
        *((97, 16, 1, 105, 20, 7), (99, 14, 1, 103, 22, 7)),
        # A hatch in each of the floors of the keep's walk and of the wall walk.
        *((123, 58, 12, 128, 63, 13), (2, 21, 7, 6, 26, 8)),
    ),
    stairs=(
        ((27, 12, 1, 33, 16, 8), "+x"),  # gatehouse, to the wall walk
        # Spiral: three flights around the core, past the temple's door to the high corridor.
        *(
            ((11, 32, 1, 20, 37, 4), "-x"),
            ((4, 37, 4, 11, 44, 6), "+y"),
            ((11, 44, 6, 22, 51, 13), "+x"),
        ),
        # Atrium: two ramps from the floor to the bridge over the middle.
        *(((52, 36, 1, 64, 39, 12), "+x"), ((68, 43, 1, 80, 46, 12), "-x")),
        ((112, 7, 1, 116, 16, 6), "-y"),  # pit, to the ledges
        ((124, 20, 1, 128, 29, 6), "+y"),
        ((30, 62, 6, 40, 67, 13), "+x"),  # temple, to the library's door
        ((92, 64, 7, 98, 70, 13), "-x"),  # keep, to the library's other door
    ),
)
