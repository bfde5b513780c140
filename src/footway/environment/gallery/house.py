"""House: twelve rooms on two floors, 57 x 40 m and 20 m high, for an object of 3 x 3 x 3 m.

After the House of the 2006 paper on reachability roadmaps (table I, where the height is the second
number): few alternative routes from one room to another. There are two here: around the ground
floor through hall, living room, dining room and kitchen; and up the stairs and over the balcony
of the living room. The outer walls are the bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from footway.environment import Volume
from footway.environment.gallery import _blocks as blocks

if TYPE_CHECKING:
    from footway.environment.gallery._blocks import Block

SIZE: Final = (57, 40, 20)
"""m, along x, y and z."""

OBJECT: Final = (3.0, 3.0, 3.0)
"""m. The robot of table I."""

ROOMS: Final[dict[str, Block]] = {
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
}
"""Six on the ground floor, of which the living room reaches up to the roof, and six above."""

DOORS: Final[tuple[Block, ...]] = (
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
)
"""Six metres wide and seven high: with cells that keep clear of every voxel the object has two
cells across and three above each other."""

STAIRWELL: Final[Block] = (26, 8, 9, 38, 19, 10)
STAIRS: Final[Block] = (30, 9, 0, 36, 18, 9)

FURNITURE: Final[tuple[Block, ...]] = (
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
)


def house() -> Volume:
    """Return the house of 57 x 40 x 20 m: see the module."""
    solid = blocks.space(*SIZE, solid=True)
    blocks.dig(solid, ROOMS.values())
    blocks.dig(solid, (*DOORS, STAIRWELL))
    blocks.fill(solid, FURNITURE)
    blocks.stairs(solid, STAIRS, "-y")
    return Volume(solid, resolution=1.0, name="gallery:house")
