"""Office: one floor of 80 x 80 m with rooms on four sides and an open plan in the middle.

After the Office of the 2006 paper on reachability roadmaps (table I: 80 x 80, more than 80 pieces
of furniture): large open spaces, many narrow passages, many alternative routes. Chairs touch their
tables and cupboards touch their walls, so that no slits remain between them.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import shapely

from footway.environment import Area, Environment
from footway.environment.gallery import _convex as convex
from footway.environment.gallery._convex import polygons

if TYPE_CHECKING:
    from footway.environment.gallery._convex import Point, Ring

SIDE: Final = 80.0
WALL: Final = 0.2
"""m. Thickness of the walls between rooms; the outer walls are the bounds."""

CHAIR: Final = 0.5
DESK: Final = (1.6, 0.8)
"""m. Side of a chair, width and depth of a desk."""

Doors = tuple[tuple[float, float], ...]  # middle of each door along its wall and its width, m

NORTH_DOORS: Final[Doors] = (
    *((16.5, 1.0), (22.5, 0.9), (37.5, 0.9), (42.5, 0.9), (57.5, 0.9), (64.0, 1.2)),
)
ALONG_X: Final[tuple[tuple[float, float, float, Doors], ...]] = (
    # y of the wall, from x, to x, doors: rooms in the south, north and on the sides.
    (13.0, 0.0, 26.0, ((16.0, 1.2), (23.0, 0.9))),
    (13.0, 54.0, 80.0, ((56.5, 1.2), (64.0, 1.2))),
    (67.0, 0.0, 80.0, NORTH_DOORS),
    *((y, 0.0, 13.0, doors) for y, doors in ((22.0, ()), (31.0, ((11.6, 0.9),)), (40.0, ()))),
    *((y, 0.0, 13.0, doors) for y, doors in ((49.0, ((11.6, 0.9),)), (58.0, ()))),
    *((y, 67.0, 80.0, doors) for y, doors in ((31.0, ((68.4, 1.0),)), (40.0, ()))),
    *((y, 67.0, 80.0, doors) for y, doors in ((49.0, ((68.4, 0.9),)), (58.0, ()))),
    # The block in the middle.
    (33.0, 33.0, 47.0, ((36.0, 1.0), (44.0, 1.0))),
    (40.0, 33.0, 47.0, ((40.0, 0.9),)),
    (47.0, 33.0, 47.0, ((36.0, 1.0), (44.0, 1.0))),
)
ALONG_Y: Final[tuple[tuple[float, float, float, Doors], ...]] = (
    # x of the wall, from y, to y, doors.
    (13.0, 13.0, 67.0, tuple((y, 0.9) for y in (15.0, 24.0, 33.0, 42.0, 51.0, 60.0))),
    (67.0, 13.0, 67.0, ((16.0, 1.1), (28.0, 1.1), *((y, 0.9) for y in (33.0, 42.0, 51.0, 60.0)))),
    (26.0, 0.0, 13.0, ((6.5, 1.2),)),
    (54.0, 0.0, 13.0, ((6.5, 1.2),)),
    *((x, 67.0, 80.0, doors) for x, doors in ((20.0, ()), (30.0, ((68.4, 0.9),)), (40.0, ()))),
    *((x, 67.0, 80.0, doors) for x, doors in ((50.0, ((68.4, 0.9),)), (60.0, ()))),
    (33.0, 33.0, 47.0, ((38.0, 0.9), (43.5, 1.1))),
    (47.0, 33.0, 47.0, ((36.5, 1.1), (42.0, 0.9))),
)

PILLARS: Final = tuple(product((23.0, 57.0), (23.0, 40.0, 57.0)))
"""x and y (m) of the columns that carry the open plan."""


def office() -> Environment:
    """Return the office of 80 x 80 m: see the module."""
    return Environment.from_polygons(
        bounds=(0.0, 0.0, SIDE, SIDE),
        obstacles=[*_walls(), *polygons(_furniture())],
        areas=(
            Area("entrance", shapely.box(36.0, 0.5, 44.0, 2.5)),
            Area("canteen", shapely.box(65.0, 5.0, 69.0, 8.0)),
        ),
        name="gallery:office",
    )


def _walls() -> list[shapely.Polygon]:
    """Walls joined where they meet: pieces between doors, each one polygon."""
    half = WALL / 2
    boxes = [
        (start, y - half, end, y + half)
        for y, x0, x1, doors in ALONG_X
        for start, end in _pieces(x0, x1, doors)
    ]
    boxes += [
        (x - half, start, x + half, end)
        for x, y0, y1, doors in ALONG_Y
        for start, end in _pieces(y0, y1, doors)
    ]
    union = shapely.union_all(polygons([convex.rectangle(*box) for box in boxes]))
    return list(shapely.get_parts(shapely.normalize(shapely.simplify(union, 0.0))))


def _pieces(start: float, end: float, doors: Doors) -> list[tuple[float, float]]:
    """Parts of a wall between its doors; an inner end covers the corner of the wall it meets."""
    low = start - WALL / 2 if start > 0 else start
    high = end + WALL / 2 if end < SIDE else end
    jambs = [jamb for at, width in doors for jamb in (at - width / 2, at + width / 2)]
    ends = [low, *jambs, high]
    return list(zip(ends[::2], ends[1::2], strict=True))


def _furniture() -> list[Ring]:
    """All pieces, as corners in metres."""
    rings = _offices()
    # Training room: rows of narrow tables with chairs behind them, and a lectern.
    rings.append(convex.rectangle(2.0, 5.8, 2.8, 7.2))
    for column, y in product(range(6), (2.6, 6.5, 10.4)):
        x = 6.5 + 2.6 * column
        rings.append(convex.block((x, y), (0.6, 2.8)))
        rings += [_chair((x + 0.55, y + dy)) for dy in (-0.8, 0.8)]
    # Canteen: a counter along the outer wall and round tables.
    rings.append(convex.rectangle(78.6, 2.0, 79.4, 10.0))
    for x, y in product((58.4, 62.8, 71.6, 75.4), (2.8, 9.8)):
        rings += _round_table((x, y))
    # Library: shelves 0.5 m deep with aisles of 1 m, and reading tables.
    shelves = [1.2 + 1.5 * k for k in range(7)]
    rings += [convex.rectangle(x, 70.0, x + 0.5, 70.0 + 8.2) for x in shelves]
    rings += _round_table((16.0, 75.5)) + _round_table((16.0, 70.8))
    # Board room: one long table, sideboards and plants.
    rings += _meeting_table((70.5, 73.5), seats=12)
    rings += [convex.rectangle(64.0, 79.4, 69.0, 80.0), convex.rectangle(72.0, 79.4, 77.0, 80.0)]
    rings += [_plant((61.5, 78.5)), _plant((78.6, 78.4))]
    # Workshop in the east: benches, stools between them and a rack.
    rings += [convex.rectangle(71.0, y, 77.0, y + 1.0) for y in (15.6, 18.7, 21.8, 24.9, 28.0)]
    rings += [_chair((x, y)) for x, y in product((72.5, 75.5), (16.85, 19.95, 23.05, 26.15))]
    rings.append(convex.rectangle(79.4, 15.0, 80.0, 29.0))
    # Lobby, mostly open space: a desk that faces the entrance, seats, plants.
    rings += [convex.rectangle(37.0, 9.0, 43.0, 10.0), *_sofas((30.5, 5.0)), *_sofas((49.5, 5.0))]
    rings += [_chair((38.5, 10.25)), _chair((41.5, 10.25)), _plant((27.5, 11.8))]
    rings.append(_plant((52.5, 11.8)))
    # Open plan: desks in three wings, close together in the west; columns, screens and plants.
    groups = [
        *product((18.6, 27.4), (20.0, 24.2, 28.4, 32.6, 36.8, 43.2, 47.4, 51.6, 55.8)),
        *product((53.0, 60.6), (27.0, 33.6, 46.4, 53.0)),
        *product((34.6, 39.9, 45.2), (54.0, 60.8)),
    ]
    rings += [ring for centre in groups for ring in _desks_for_four(centre)]
    rings += [convex.block(centre, (0.6, 0.6)) for centre in PILLARS]
    rings += [convex.rectangle(32.5, 57.3, 47.3, 57.4), convex.rectangle(56.7, 47.0, 56.8, 52.5)]
    rings += [_plant((x, 64.0)) for x in (16.0, 31.0, 49.0, 64.0)]
    # Two meeting rooms back to back in the middle.
    rings += _meeting_table((40.0, 36.5), seats=5) + _meeting_table((40.0, 43.6), seats=5)
    return [*rings, _plant((34.0, 46.0)), _plant((46.0, 34.0))]


def _offices() -> list[Ring]:
    """Offices for two in the west, east and north: two desks, a guest chair, a cupboard."""
    rings = []
    for row in range(6):
        y = 13.1 + 9.0 * row
        rings += _desk_for_one((3.0, y + 2.6), facing=-1)
        rings += _desk_for_one((3.0, y + 6.2), facing=1)
        rings += [convex.rectangle(6.5, y + 8.3, 9.5, y + 8.8), _chair((7.5, y + 3.6))]
    for row in range(4):
        y = 31.1 + 9.0 * row
        rings += _desk_for_one((77.0, y + 2.6), facing=-1)
        rings += _desk_for_one((77.0, y + 6.2), facing=1)
        rings += [convex.rectangle(70.5, y + 8.3, 73.5, y + 8.8), _chair((72.5, y + 3.6))]
    for column in range(4):
        x = 20.0 + 10.0 * column
        rings += _desk_for_one((x + 2.6, 76.4), facing=1)
        rings += _desk_for_one((x + 7.4, 76.4), facing=1)
        rings += [convex.rectangle(x + 3.6, 79.5, x + 6.4, 80.0), _chair((x + 5.0, 73.0))]
    return rings


# -- furniture: the footprints of groups of pieces, in metres ----------------------------------


def _chair(centre: Point) -> Ring:
    """One chair."""
    return convex.block(centre, (CHAIR, CHAIR))


def _desk_for_one(centre: Point, *, facing: int) -> list[Ring]:
    """Return a desk and its chair, above it (facing = 1) or below it (-1)."""
    x, y = centre
    seat = facing * (DESK[1] / 2 + CHAIR / 2)
    return [convex.block(centre, DESK), _chair((x, y + seat))]


def _desks_for_four(centre: Point) -> list[Ring]:
    """Four desks pushed together and a chair at each: 3.2 x 2.6 m."""
    x, y = centre
    seats = product((-DESK[0] / 2, DESK[0] / 2), (-1, 1))
    reach = DESK[1] + CHAIR / 2
    table = convex.block(centre, (2 * DESK[0], 2 * DESK[1]))
    return [table, *(_chair((x + dx, y + side * reach)) for dx, side in seats)]


def _meeting_table(centre: Point, *, seats: int) -> list[Ring]:
    """Return a table of 1.4 m and `seats` chairs along either side, 0.9 m apart."""
    x, y = centre
    length = 0.9 * seats
    along = [x - length / 2 + 0.9 * (k + 0.5) for k in range(seats)]
    reach = 0.7 + CHAIR / 2
    chairs = [_chair((u, y + side * reach)) for u in along for side in (-1, 1)]
    return [convex.block(centre, (length, 1.4)), *chairs]


def _round_table(centre: Point) -> list[Ring]:
    """Return a round table and four chairs: 2.5 m across."""
    x, y = centre
    reach = 0.75 + CHAIR / 2
    places = ((reach, 0.0), (0.0, reach), (-reach, 0.0), (0.0, -reach))
    table = convex.regular(centre, 0.75, sides=12)
    return [table, *(_chair((x + dx, y + dy)) for dx, dy in places)]


def _plant(centre: Point) -> Ring:
    """Return a plant in a round pot."""
    return convex.regular(centre, 0.35, sides=8)


def _sofas(centre: Point) -> list[Ring]:
    """Two sofas with a low table between them: 2.2 x 4.2 m."""
    x, y = centre
    low = convex.block(centre, (1.2, 0.7))
    return [low, *(convex.block((x, y + side * 1.65), (2.2, 0.9)) for side in (-1, 1))]
