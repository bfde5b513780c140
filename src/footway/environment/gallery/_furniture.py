"""Furniture of the office: each function returns the footprints of a group of pieces, in metres.

Chairs touch their tables and cupboards touch their walls, so that no slits remain between them.
The caller leaves aisles between the groups.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from footway.environment.gallery import _convex as convex

if TYPE_CHECKING:
    from footway.environment.gallery._convex import Point, Ring

CHAIR: Final = 0.5
DESK: Final = (1.6, 0.8)
"""m. Side of a chair, width and depth of a desk."""


def chair(centre: Point) -> Ring:
    """One chair."""
    return convex.block(centre, (CHAIR, CHAIR))


def desk_for_one(centre: Point, *, facing: int) -> list[Ring]:
    """Return a desk and its chair, above it (facing = 1) or below it (-1)."""
    x, y = centre
    seat = facing * (DESK[1] / 2 + CHAIR / 2)
    return [convex.block(centre, DESK), chair((x, y + seat))]


def desks_for_four(centre: Point) -> list[Ring]:
    """Four desks pushed together and a chair at each: 3.2 x 2.6 m."""
    x, y = centre
    seats = product((-DESK[0] / 2, DESK[0] / 2), (-1, 1))
    reach = DESK[1] + CHAIR / 2
    table = convex.block(centre, (2 * DESK[0], 2 * DESK[1]))
    return [table, *(chair((x + dx, y + side * reach)) for dx, side in seats)]


def meeting_table(centre: Point, *, seats: int) -> list[Ring]:
    """Return a table of 1.4 m and `seats` chairs along either side, 0.9 m apart."""
    x, y = centre
    length = 0.9 * seats
    along = [x - length / 2 + 0.9 * (k + 0.5) for k in range(seats)]
    reach = 0.7 + CHAIR / 2
    chairs = [chair((u, y + side * reach)) for u in along for side in (-1, 1)]
    return [convex.block(centre, (length, 1.4)), *chairs]


def round_table(centre: Point) -> list[Ring]:
    """Return a round table and four chairs: 2.5 m across."""
    x, y = centre
    reach = 0.75 + CHAIR / 2
    places = ((reach, 0.0), (0.0, reach), (-reach, 0.0), (0.0, -reach))
    table = convex.regular(centre, 0.75, sides=12)
    return [table, *(chair((x + dx, y + dy)) for dx, dy in places)]


def shelves(first: Point, *, count: int, length: float, aisle: float) -> list[Ring]:
    """Rows of shelves 0.5 m deep with an `aisle` (m) between them, from the lower left `first`."""
    x, y = first
    step = 0.5 + aisle
    return [convex.rectangle(x + k * step, y, x + k * step + 0.5, y + length) for k in range(count)]


def plant(centre: Point) -> list[Ring]:
    """Return a plant in a round pot."""
    return [convex.regular(centre, 0.35, sides=8)]


def sofas(centre: Point) -> list[Ring]:
    """Two sofas with a low table between them: 2.2 x 4.2 m."""
    x, y = centre
    low = convex.block(centre, (1.2, 0.7))
    return [low, *(convex.block((x, y + side * 1.65), (2.2, 0.9)) for side in (-1, 1))]
