"""Legs: the parts of a path in a building on which a character follows a route over terrain.

A leg is on one floor. It ends at the goal, or where the path leaves the floor through a portal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway.crowd.kernels import layouts as col
from footway.errors import BadInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.crowd.floors import Floors
    from footway.crowd.simulation import Simulation
    from footway.crowd.terrain_following import FollowingStyle


_AT_PORTAL: Final = 0.5  # m from a portal's middle, at which a leg ends, at least
_SHORTEST: Final = 1.0  # m: shorter legs are walked along the path


class Legs(NamedTuple):
    """The next legs of characters."""

    floors: Ints  # (n,) -1: none
    ends: Floats  # (n, 2) m
    reach: Floats  # (n,) m, within which the end counts as reached


def legs_of(ids: Ints, slots: NDArray[np.int32], simulation: Simulation) -> Legs:
    """Return the legs with which the paths of characters (n,) begin.

    There are none on links and close to portals, and for those who wait for a lift or enter it.
    """
    floors, characters = simulation.floors, simulation.characters
    assert floors is not None
    n_floors = len(floors.building.floors)
    on = simulation.sheets_of(slots)
    legs = Legs(
        np.full(len(ids), -1), characters.goal_point[slots].copy(),
        characters.reach[slots].astype(np.float64),
    )  # fmt: skip
    lifts = simulation.lifts
    for k, (number, slot) in enumerate(zip(ids.tolist(), slots.tolist(), strict=True)):
        if on[k] >= n_floors or (lifts is not None and lifts.is_at_door(number)):
            continue
        vertex = _way_out(slot, int(on[k]), simulation)
        if vertex < 0:
            if characters.goal_sheet[slot] == on[k] + 1:
                legs.floors[k] = on[k]
            continue
        end, clearance = floors.vertex(vertex)
        reach = max(_AT_PORTAL, clearance)
        if float(hypot(*(characters.position[slot] - end))) > reach + _SHORTEST:
            legs.floors[k], legs.ends[k], legs.reach[k] = on[k], end, reach
    return legs


def _way_out(slot: int, sheet: int, simulation: Simulation) -> int:
    """Return the vertex of the map at which a path leaves a sheet; -1 if it does not."""
    cursor, floors = simulation.characters.state.cursor[slot], simulation.floors
    assert floors is not None
    begin, left = int(cursor[col.NEXT]), int(cursor[col.LEFT])
    ahead = simulation.planner.pool.halves[begin : begin + left]
    halves = np.concatenate([cursor[[col.HALF]], ahead]).astype(np.int64)
    other = np.flatnonzero(floors.edge_sheets[halves >> 1] != sheet)
    if not len(other):
        return -1
    half = int(halves[other[0]])
    return int(floors.index.graph.edges[half >> 1, half & 1])


def check_floors(style: FollowingStyle, floors: Floors) -> None:
    """Raise BadInput if a weight is invalid, or all floors lack a kind of terrain."""
    from footway.terrain.terrain import check_preferences  # loads Shapely

    plans = [floor.environment for floor in floors.building.floors]
    kinds = dict.fromkeys(kind for plan in plans for kind in plan.terrain_kinds)
    for kind in check_preferences(style.preferences):
        if kind not in kinds:
            raise BadInput(
                f"no terrain of kind {kind!r} on any floor; there are {', '.join(kinds)}"
            )
