"""Who is there: everything about the characters, as arrays in the order of their cells.

A row belongs to a slot. Slots are put in the order of the grid's cells every now and then, so that
neighbours are neighbours in memory; `slot_of` finds a character by its number (its id).

    place     (n, 4) f64   what must be exact: position and goal, m
    body      (n, 8) f32   hot: velocity, radius, speed, habits, room to the next wall
    track     (n, 10) i32  hot: where on which directed edge the attraction point is
    story     (n, 8) i32   cold: population, stage of the journey, clocks, route
    anchor    (n, 2) f64   cold: where it was when it last came on, m
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.integer[Any]]

# Columns of `place`.
X, Y, GOAL_X, GOAL_Y = range(4)
# Columns of `body`: m/s, m/s, m, m/s, k of F_perp, c_rand, m, m.
VX, VY, RADIUS, SPEED, LANE, NOISE, ROOM, REACH = range(8)
# Columns of `track`: sample of the attraction point, last sample of the half-edge, half-edge,
# place of the next one in the pool of routes, half-edges left (-1: wanders), last sample of the
# route (wanderers: row of edge weights), mode, id, group (-1: none), steps without coming on.
AT, END, HALF, NEXT, LEFT, FINAL, MODE, ID, GROUP, IDLE = range(10)
# Columns of `story`: population, destinations reached, first step in which it may walk, place of
# the goal, route in the pool and its length, goals drawn so far, step of the anchor.
POPULATION, STAGE, BEGIN, GOAL, ROUTE, ROUTE_SIZE, DRAWN, SINCE = range(8)

GONE, WAITING, WALKING, ARRIVED, STAYING, UNREACHABLE = range(6)
"""Modes: removed; stands until its time; on its way; wants a new goal; done; has no way."""

GUIDED = -2  # in LEFT: follows a route over terrain, that of the guide whose row is in FINAL

# Columns of a guide's `marks`: what draws the character, m; reference and attraction point, m along
# the route; where it last looked, m; how far it walks until it looks again, m; the route's length.
AIM_X, AIM_Y, REFERENCE, ATTRACTION, SEEN_X, SEEN_Y, STRIDE, LENGTH = range(8)
# Columns of a guide's `notes`: id (-1: the row is free), manner, route in the pool, its points and
# pieces, line of the reference point, step of the last look (-1: none yet), what it saw.
WHO, MANNER, RECORD, POINTS, PIECES, LINE, LOOKED, SIGHT = range(8)

ON_ROUTE, GOAL_AHEAD, NO_SIGHT = range(3)
"""What a look saw: a part of the route, its end, nothing of it."""


class State(NamedTuple):
    """Arrays of all characters; the first `n` rows are in use."""

    place: NDArray[np.float64]
    body: NDArray[np.float32]
    track: NDArray[np.int32]
    story: NDArray[np.int32]
    anchor: NDArray[np.float64]


class Blocks(NamedTuple):
    """Dynamic obstacles, listed by the cells where they matter."""

    discs: NDArray[np.float32]  # (m, 5) as bodies: x, y, velocity, radius
    offsets: NDArray[np.int32]  # (cells + 1,) empty where there are none
    rows: NDArray[np.int32]  # of `discs`


class Guides(NamedTuple):
    """Routes over terrain, and how far those who follow them have come."""

    marks: NDArray[np.float64]  # (g, 8)
    notes: NDArray[np.int32]  # (g, 8)
    pool: NDArray[np.float64]  # (p, 4) points of a route: x, y, m along it and their cost; then its
    #     pieces: m along it at both ends, and the triangle that holds them


class Window(NamedTuple):
    """Memory of one thread for the part of a route that is near: a course, as followers take it."""

    points: NDArray[np.float64]  # (n, 2) m
    lengths: NDArray[np.float64]  # (n,) m along the route
    costs: NDArray[np.float64]  # (n,) m along the route, each times the weight of its ground
    pieces: NDArray[np.float64]  # (m, 4) m, both ends
    along: NDArray[np.float64]  # (m, 2) m along the route
    offsets: NDArray[np.int32]  # (t + 1,) 0 for triangles without pieces


class Habit(NamedTuple):
    """Numbers of a manner to follow routes, as kernels take them."""

    sigma: float  # m, shortcut parameter of MIRAN; 0: IRM
    spacing: float  # m, between candidates
    look: float  # m, walked between two looks
    least: float  # weight of the best ground
    most: float  # weight of the worst


NO_GUIDES = Guides(np.empty((0, 8)), np.empty((0, 8), np.int32), np.empty((0, 4)))

NO_BLOCKS = Blocks(np.empty((0, 5), np.float32), np.empty(0, np.int32), np.empty(0, np.int32))

_COLUMNS = {"place": 4, "body": 8, "track": 10, "story": 8, "anchor": 2}
_KINDS = {
    "place": np.float64, "body": np.float32, "track": np.int32, "story": np.int32,
    "anchor": np.float64,
}  # fmt: skip


def make_state(capacity: int) -> State:
    """Room for so many characters."""
    return State(
        **{name: np.zeros((capacity, width), _KINDS[name]) for name, width in _COLUMNS.items()}
    )


def grown(state: State, capacity: int) -> State:
    """The same characters with room for more."""
    more = make_state(capacity)
    for name, rows in state._asdict().items():
        getattr(more, name)[: len(rows)] = rows
    return more


def reordered(state: State, order: Ints, spare: State) -> tuple[State, State]:
    """Characters in a new order of slots, and the memory that has become free."""
    for name, rows in state._asdict().items():
        np.take(rows, order, axis=0, out=getattr(spare, name)[: len(order)], mode="clip")
    return spare, state
