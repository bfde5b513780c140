"""State of all characters, as arrays in the order of their grid cells.

A row belongs to a slot. Slots are sorted by grid cell from time to time, so that neighbours in
space are neighbours in memory; `slot_of` maps the id of a character to its slot.

    place     (n, 4) f64   exact values: position and goal, m
    body      (n, 8) f32   hot: velocity, radius, speed, habits, distance budget to walls
    track     (n, 10) i32  hot: directed edge and sample of the attraction point
    story     (n, 8) i32   cold: population, stage of the journey, clocks, path
    anchor    (n, 2) f64   cold: position at the last progress, m
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.integer[Any]]

# Columns of `place`.
X, Y, GOAL_X, GOAL_Y = range(4)
# Columns of `body`: velocity, m/s; radius, m; preferred speed, m/s; k of F_perp; c_rand; distance
# that the character may move before a wall can be near, m; arrival distance of the goal, m.
VX, VY, RADIUS, SPEED, LANE, NOISE, ROOM, REACH = range(8)
BODY_COLUMNS = 8
# Columns of `track`: sample of the attraction point, last sample of the half-edge, half-edge,
# index of the next one in the path pool, half-edges left (-1: wanders), last sample of the path
# (wanderers: row of edge weights), mode, id, group (-1: none), steps without progress.
AT, END, HALF, NEXT, LEFT, FINAL, MODE, ID, GROUP, IDLE = range(10)
# Columns of `story`: population, destinations reached, first step in which it may walk, place of
# the goal, index of the path in the pool and log2 of its block, goals drawn, step of the anchor.
POPULATION, STAGE, BEGIN, GOAL, ROUTE, ROUTE_SIZE, DRAWN, SINCE = range(8)

GONE, WAITING, WALKING, ARRIVED, STAYING, UNREACHABLE = range(6)
"""Modes: removed; premovement; walking; needs a new goal; stays at its goal; has no path."""

GUIDED = -2  # in LEFT: follows a route over terrain; FINAL is the row of its guide

# Columns of a guide's `marks`: point to walk to, m; reference and attraction point, m along the
# route; position at the last update, m; distance until the next update, m; length of the route, m.
AIM_X, AIM_Y, REFERENCE, ATTRACTION, SEEN_X, SEEN_Y, STRIDE, LENGTH = range(8)
# Columns of a guide's `notes`: id (-1: the row is free), following style, index of the route in the
# pool, number of its points and pieces, line of the reference point, step of the last update
# (-1: none yet), its result.
WHO, MANNER, RECORD, POINTS, PIECES, LINE, LOOKED, SIGHT = range(8)

ON_ROUTE, GOAL_AHEAD, NO_SIGHT = range(3)
"""Result of an update: part of the route is visible, its end is, nothing is."""


class State(NamedTuple):
    """Arrays of all characters; the first `n` rows are in use."""

    place: NDArray[np.float64]
    body: NDArray[np.float32]
    track: NDArray[np.int32]
    story: NDArray[np.int32]
    anchor: NDArray[np.float64]


class Blocks(NamedTuple):
    """Dynamic obstacles, listed by the cells in which they affect characters."""

    discs: NDArray[np.float32]  # (m, 5) as bodies: x, y, velocity, radius
    offsets: NDArray[np.int32]  # (cells + 1,) empty without obstacles
    rows: NDArray[np.int32]  # of `discs`


class Guides(NamedTuple):
    """Routes over terrain, and the progress of the characters on them."""

    marks: NDArray[np.float64]  # (g, 8)
    notes: NDArray[np.int32]  # (g, 8)
    pool: NDArray[np.float64]  # (p, 4) points of a route: x, y, m along it, cost up to there;
    #     then its pieces: m along it at both ends, and their triangle


class Window(NamedTuple):
    """Workspace of one thread: the nearby part of a route, in the layout of the followers."""

    points: NDArray[np.float64]  # (n, 2) m
    lengths: NDArray[np.float64]  # (n,) m along the route
    costs: NDArray[np.float64]  # (n,) cost along the route: m times weight of the terrain
    pieces: NDArray[np.float64]  # (m, 4) m, both ends
    along: NDArray[np.float64]  # (m, 2) m along the route
    offsets: NDArray[np.int32]  # (t + 1,) 0 for triangles without pieces


class Habit(NamedTuple):
    """Parameters of a terrain following style, for kernels."""

    sigma: float  # m, shortcut parameter of MIRAN; 0: IRM
    spacing: float  # m, between candidates
    look: float  # m, walked between two updates
    least: float  # least weight of the terrain
    most: float  # greatest weight


NO_GUIDES = Guides(np.empty((0, 8)), np.empty((0, 8), np.int32), np.empty((0, 4)))

NO_BLOCKS = Blocks(np.empty((0, 5), np.float32), np.empty(0, np.int32), np.empty(0, np.int32))

_COLUMNS = {"place": 4, "body": BODY_COLUMNS, "track": 10, "story": 8, "anchor": 2}
_KINDS = {
    "place": np.float64, "body": np.float32, "track": np.int32, "story": np.int32,
    "anchor": np.float64,
}  # fmt: skip


def make_state(capacity: int) -> State:
    """Return arrays for so many characters."""
    return State(
        **{name: np.zeros((capacity, width), _KINDS[name]) for name, width in _COLUMNS.items()}
    )


def grown(state: State, capacity: int) -> State:
    """Return a copy of the state with a greater capacity."""
    more = make_state(capacity)
    for name, rows in state._asdict().items():
        getattr(more, name)[: len(rows)] = rows
    return more


def reordered(state: State, order: Ints, spare: State) -> tuple[State, State]:
    """Return the state in a new order of slots, and the arrays that are now free."""
    for name, rows in state._asdict().items():
        np.take(rows, order, axis=0, out=getattr(spare, name)[: len(order)], mode="clip")
    return spare, state
