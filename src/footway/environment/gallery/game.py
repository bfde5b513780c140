"""Game: a maze-like level on 100 x 100 m, with halls, loops, narrow passages and dead ends.

After the Game of cmm-2007 (figure 6a: a level of an adventure game, 306 obstacle triangles).

The level is a maze of rooms and walls on a raster whose lines are unevenly spaced. A spanning
tree connects all rooms; further openings add cycles; some walls are replaced by halls with pillars;
corners are blunted so that the walls look like cliffs.
"""

from __future__ import annotations

from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from footway._numba.random_stream import RandomStream
from footway.environment import Area, Environment
from footway.environment.gallery import _convex as convex
from footway.environment.gallery._convex import polygons

if TYPE_CHECKING:
    from footway.environment.gallery._convex import Point, Ring

SIDE: Final = 100.0
SEED: Final = 72
"""One of the seeds that give the 306 triangles of the paper."""

ROOMS: Final = 11
"""Rooms in each direction; walls lie between them, so the raster has 2 * ROOMS - 1 cells."""

ROOM_WIDTH: Final = (2.2, 5.8)  # m. Width of the passages between walls
LOOPS: Final = 0.14  # fraction of the walls outside the spanning tree that are opened

HALLS: Final = (
    ((8, 8, 13, 13), ((-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5))),
    *(((0, 16, 5, 19), ((0.0, 0.0),)), ((16, 2, 19, 7), ((0.0, 0.0),))),
    *(((16, 16, 19, 19), ((0.0, 0.0),)), ((4, 2, 7, 5), ((0.0, 0.0),))),
)
"""Raster cells that are cleared, from column and row to column and row (exclusive), and where
pillars stand, in metres from the middle. They begin and end with rooms: no two walls are left
that touch at a corner only."""

PILLAR_RADIUS: Final = 1.3
BEVEL: Final = 1.0
"""m. Length that is cut off at a corner."""

Node = tuple[int, int]  # column line and row line of the raster


def game() -> Environment:
    """Return the level of 100 x 100 m: see the module."""
    columns, rows, walls = _level()
    cliffs = [[(columns[c], rows[r]) for c, r in outline] for outline in _outlines(walls)]
    return Environment.from_polygons(
        bounds=(0.0, 0.0, SIDE, SIDE),
        obstacles=list(polygons([*map(_blunted, cliffs), *_pillars(columns, rows)])),
        areas=(
            Area("start", shapely.box(0.0, 0.0, columns[1], rows[1])),
            Area("treasure", shapely.box(columns[-2], rows[-2], SIDE, SIDE)),
        ),
        name="gallery:game",
    )


def _level() -> tuple[list[float], list[float], Any]:
    """Column lines and row lines (m), and the raster (rows, columns), True for wall."""
    dice = RandomStream(SEED)
    columns, rows = _lines(dice), _lines(dice)
    walls = _maze(dice)
    for (left, low, right, high), _ in HALLS:
        walls[low:high, left:right] = False
    return columns, rows, walls


def _lines(dice: RandomStream) -> list[float]:
    """Positions (m) of the raster's lines: rooms first, and walls share what is left."""
    rooms = [dice.between(*ROOM_WIDTH) for _ in range(ROOMS)]
    shares = [dice.between(0.6, 1.4) for _ in range(ROOMS - 1)]
    scale = (SIDE - sum(rooms)) / sum(shares)
    walls = [scale * share for share in shares]
    widths = chain.from_iterable(zip(rooms, walls, strict=False))
    return [0.0, *(round(x, 1) for x in accumulate(widths)), SIDE]


def _maze(dice: RandomStream) -> Any:
    """Raster (rows, columns), True for wall: a random spanning tree of rooms, and loops."""
    size = 2 * ROOMS - 1
    walls = np.ones((size, size), dtype=bool)
    walls[::2, ::2] = False
    group = {(r, c): (r, c) for r in range(0, size, 2) for c in range(0, size, 2)}
    openings = [(r, c) for r in range(size) for c in range(size) if (r + c) % 2]
    openings.sort(key=lambda _: dice.between(0, 1))
    for r, c in openings:
        a, b = _root(group, (r - r % 2, c - c % 2)), _root(group, (r + r % 2, c + c % 2))
        if a != b or dice.between(0, 1) < LOOPS:
            group[a] = b
            walls[r, c] = False
    return walls


def _root(group: dict[Node, Node], room: Node) -> Node:
    """Return the representative of the rooms connected to `room`."""
    while group[room] != room:
        room = group[room]
    return room


def _outlines(walls: Any) -> list[list[Node]]:
    """Corners of each group of wall cells, counterclockwise."""
    successor = _boundary(walls)
    rings = []
    while successor:
        start = next(iter(successor))
        ring, node = [start], successor.pop(start)
        while node != start:
            ring.append(node)
            node = successor.pop(node)
        around = zip(ring[-1:] + ring[:-1], ring, ring[1:] + ring[:1], strict=True)
        rings.append([q for p, q, r in around if _turn(p, q, r) != 0])
    return rings


def _boundary(walls: Any) -> dict[Node, Node]:
    """Sides of wall cells that face free ones, from node to node, the wall on the left."""
    padded = np.pad(walls, 1)
    successor: dict[Node, Node] = {}
    for r, c in np.argwhere(walls).tolist():
        corners = ((c, r), (c + 1, r), (c + 1, r + 1), (c, r + 1))
        beyond = ((r, c + 1), (r + 1, c + 2), (r + 2, c + 1), (r + 1, c))
        for k in range(4):
            if not padded[beyond[k]]:
                assert corners[k] not in successor, "two walls touch at a corner"
                successor[corners[k]] = corners[(k + 1) % 4]
    return successor


def _turn(p: Point, q: Point, r: Point) -> float:
    """Positive where p, q, r turn left, 0 where they are on a line."""
    return (q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0])


def _blunted(ring: Ring) -> Ring:
    """Cut off outer corners, except on the bounds."""
    result: Ring = []
    for p, q, r in zip(ring[-1:] + ring[:-1], ring, ring[1:] + ring[:1], strict=True):
        if _turn(p, q, r) > 0 and not {0.0, SIDE} & {*q}:
            result += [convex.along(q, p, BEVEL), convex.along(q, r, BEVEL)]
        else:
            result.append(q)
    return result


def _pillars(columns: list[float], rows: list[float]) -> list[Ring]:
    """Return the octagons that carry the halls."""
    rings = []
    for (left, low, right, high), offsets in HALLS:
        x, y = (columns[left] + columns[right]) / 2, (rows[low] + rows[high]) / 2
        rings += [
            convex.regular((x + dx, y + dy), PILLAR_RADIUS, sides=8, angle=np.pi / 8)
            for dx, dy in offsets
        ]
    return rings
