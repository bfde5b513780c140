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
