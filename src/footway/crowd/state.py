"""Characters: the arrays of all characters, by slot, with access by id.

A character has an id for its whole life and a slot in the arrays, which changes when the slots are
sorted by cells. `slots` returns the slots of ids; the columns are read and written by slots:

    slots = characters.slots(ids)
    characters.mode[slots] = WALKING
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway.crowd.kernels import layouts as col
from footway.crowd.kernels.layouts import ARRIVED, GONE, WAITING, WALKING, State, make_state
from footway.errors import BadQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints

    Slots = NDArray[np.int32]


class _Column:
    """A view of one or several columns of an array of the state. (slots,) or (slots, k)."""

    def __init__(self, array: str, column: int | slice) -> None:
        self._array, self._column = array, column

    def __get__(self, characters: Characters, _: type) -> NDArray[Any]:
        rows: NDArray[Any] = getattr(characters.state, self._array)
        return rows[:, self._column]


class Characters:
    """The characters of a crowd.

    Attributes:
        state: arrays for kernels; rows are slots.
        n: number of slots in use, including those of removed characters.
        slot_of: slot by id; -1 if the character is not present.

    """

    position = _Column("place", slice(col.X, col.GOAL_X))  # m
    goal_point = _Column("place", slice(col.GOAL_X, col.GOAL_Y + 1))  # m; NaN: no goal
    velocity = _Column("body", slice(col.VX, col.RADIUS))  # m/s
    radius = _Column("body", col.RADIUS)  # m
    speed = _Column("body", col.SPEED)  # m/s, preferred
    wall_budget = _Column("body", col.WALL_BUDGET)  # m
    reach = _Column("body", col.REACH)  # m
    sample = _Column("cursor", col.AT)
    mode = _Column("cursor", col.MODE)
    id = _Column("cursor", col.ID)
    group = _Column("cursor", col.GROUP)
    follows = _Column("cursor", col.FOLLOWS)
    weights_row = _Column("cursor", col.WEIGHTS_ROW)  # of a wanderer: row of edge weights
    population = _Column("journey", col.POPULATION)
    stage = _Column("journey", col.STAGE)
    goal = _Column("journey", col.GOAL)
    drawn = _Column("journey", col.DRAWN)
    since = _Column("journey", col.SINCE)
    sheet = _Column("sheet", col.SHEET)  # of a building, from 1; 0 in the plane
    goal_sheet = _Column("sheet", col.GOAL_SHEET)

    def __init__(self) -> None:
        self.state, self._spare = make_state(0), make_state(0)
        self.n = 0
        self.slot_of = np.empty(0, np.int32)

    @property
    def ids(self) -> Ints:
        """Ids of all characters present, ascending."""
        return np.flatnonzero(self.slot_of >= 0)

    @property
    def discs(self) -> Floats:
        """(n, 3) x, y, radius of all characters present, m, by ascending id."""
        slots = self.slots(self.ids)
        return np.column_stack([self.position[slots], self.radius[slots]])

    def slots(self, ids: Any) -> Any:
        """Return the slots of characters that are present, or of one."""
        return self.slot_of[ids]

    def present_slots(self, ids: Ints) -> Slots:
        """Return the slots of those characters that are present."""
        slots = self.slot_of[ids]
        return slots[slots >= 0]

    def checked_slots(self, ids: Ints) -> Slots:
        """Return the slots of characters; raise BadQuery if one is not present."""
        is_known = (ids >= 0) & (ids < len(self.slot_of))
        is_present = is_known.copy()
        is_present[is_known] = self.slot_of[ids[is_known]] >= 0
        if not is_present.all():
            raise BadQuery(f"there is no character {int(ids[~is_present][0])}: see `ids`")
        return self.slot_of[ids]

    def members(self, population: int) -> Ints:
        """Return the ids of the characters of a population that are present."""
        ids = self.ids
        is_member = self.population[self.slots(ids)] == population
        return ids[np.flatnonzero(is_member)]

    def radii(self, slots: Slots) -> Floats:
        """Return radii in 64 bits, m. (n,)."""
        return self.radius[slots].astype(np.float64)

    def set_goals(self, slots: Slots, goals: Ints, points: Floats) -> None:
        """Set the goals of characters: numbers in the table and points (n, 2), m."""
        self.goal[slots] = goals
        self.goal_point[slots] = points

    def move_to(self, slots: Slots, points: Floats) -> None:
        """Put characters at other points (n, 2), m."""
        self.position[slots] = points
        self.state.progress[slots] = points

    def set_body(self, slots: Slots, column: int, values: Floats) -> None:
        """Set one column of the bodies of characters; see `PROPERTIES` of profiles."""
        self.state.body[slots, column] = values

    def put_on_edge(self, slots: Slots, edge: int, samples: range) -> None:
        """Put characters on an edge of the tracks, to walk over these samples to the last."""
        cursor = self.state.cursor
        cursor[slots, col.HALF] = 2 * edge
        cursor[slots, col.END] = cursor[slots, col.FINAL] = samples[-1]

    def enter_corridor(self, slots: Slots, group: int, edge: int, samples: range) -> None:
        """Put the members of a group at the beginning of its corridor; arrived ones walk again."""
        self.put_on_edge(slots, edge, samples)
        self.sample[slots], self.group[slots] = samples[0], group
        self.follows[slots], self.state.cursor[slots, col.LEFT] = col.ON_PATH, 0
        mode = self.mode[slots]
        self.mode[slots] = np.where(mode == ARRIVED, WALKING, mode)

    def follow_route(self, slot: int, guide: int) -> None:
        """Let a character follow the route of a guide (row of `Guides`) instead of a path."""
        cursor = self.state.cursor
        cursor[slot, [col.FOLLOWS, col.LEFT, col.GUIDE]] = col.ON_ROUTE, 0, guide

    def hold_until_planned(self, ids: Ints) -> None:
        """Let characters stand until a path is planned; those in premovement keep waiting."""
        slots = self.slots(ids)
        self.mode[slots] = np.where(self.mode[slots] == WAITING, WAITING, ARRIVED)

    # -- memory ------------------------------------------------------------------------------

    def append(self, ids: Ints, **rows: NDArray[Any]) -> Slots:
        """Add characters and return their slots; `rows` are rows of the state's arrays by name."""
        first, end = self.n, self.n + len(ids)
        if end > len(self.state.place):
            capacity = max(end, 2 * len(self.state.place))
            before, self.state, self._spare = self.state, make_state(capacity), make_state(capacity)
            for name, old in before._asdict().items():
                getattr(self.state, name)[: len(old)] = old
        for name, values in rows.items():
            getattr(self.state, name)[first:end] = values
        self.n = end
        if len(ids) and ids.max() >= len(self.slot_of):
            more = np.full(max(int(ids.max()) + 1, 2 * len(self.slot_of)), -1, np.int32)
            more[: len(self.slot_of)] = self.slot_of
            self.slot_of = more
        self.slot_of[ids] = np.arange(first, end)
        return np.arange(first, end, dtype=np.int32)

    def remove(self, ids: Ints) -> None:
        """Remove characters; their slots are reused after the next sort."""
        self.mode[self.slots(ids)] = GONE
        self.slot_of[ids] = -1

    def reorder(self, order: Slots) -> None:
        """Sort the slots, and drop those that are not in `order`."""
        self.n = len(order)
        for name, old in self.state._asdict().items():
            np.take(old, order, axis=0, out=getattr(self._spare, name)[: self.n], mode="clip")
        self.state, self._spare = self._spare, self.state
        self.slot_of[self.id[: self.n]] = np.arange(self.n)

    def restore(self, state: State, last_id: int) -> None:
        """Restore the arrays of a checkpoint; `last_id` is the greatest id in use."""
        self.state, self._spare = state, make_state(len(state.place))
        self.n, self.slot_of = len(state.place), np.full(last_id + 1, -1, np.int32)
        slots = np.flatnonzero(self.mode != GONE)
        self.slot_of[self.id[slots]] = slots
