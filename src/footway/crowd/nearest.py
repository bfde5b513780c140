"""Choose the nearest of several destinations by the length of the shortest path."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.jit import one_parallel_kernel
from footway._numba.portable_math import hypot
from footway.corridor.kernels.layouts import FOUND
from footway.corridor.kernels.locate import locate_points
from footway.crowd.kernels.placement import are_connected
from footway.crowd.state import RADIUS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.kernels.layouts import Index
    from footway.corridor.search import Solver
    from footway.crowd.goals import Alternatives
    from footway.crowd.places import GoalRange, Places
    from footway.crowd.planning import Planner
    from footway.crowd.stepping import Engine

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_BATCH = 16  # characters per task of a thread


class _ClosestPlace(NamedTuple):
    """The place of a destination that is closest to a character in a straight line."""

    distance: float  # m; infinite if the destination cannot be reached
    place: int


class _Walker(NamedTuple):
    """A character that chooses."""

    at: Floats  # (2,) m
    piece: int  # of the medial axis
    radius: float  # m


class Nearest:
    """Chooses among destinations; choices are independent, so threads do not change them."""

    def __init__(self, engine: Engine, solver: Solver, places: Places, planner: Planner) -> None:
        self._engine, self._solver, self._places = engine, solver, places
        self._planner = planner  # its index has the edges that obstacles close

    def choose(self, ids: Ints, alternatives: Alternatives) -> Ints:
        """Return first place and number of places of the nearest destination. (n, 2).

        The distance of a destination is the length of the shortest path to its closest place in a
        straight line. Paths that obstacles close do not count, unless all are closed.
        """
        walkers = self._walkers(ids)
        parts = [walkers[k : k + _BATCH] for k in range(0, len(walkers), _BATCH)]

        def choose(part: list[_Walker]) -> list[int]:
            return [self._choice(walker, alternatives) for walker in part]

        several = len(parts) > 1 and self._engine.threads > 1
        answers = self._engine.workers.map(choose, parts) if several else map(choose, parts)
        chosen = [k for answer in answers for k in answer]
        return np.array(alternatives, np.int64)[np.array(chosen, np.int64)]

    def _walkers(self, ids: Ints) -> list[_Walker]:
        state, slots = self._engine.state, self._engine.slot_of[ids]
        index, at = self._solver.index, np.ascontiguousarray(state.place[slots, :2])
        with one_parallel_kernel:
            pieces, _ = locate_points(at, index.axis, index.grid, index.boundaries)
        radii = state.body[slots, RADIUS].astype(np.float64)
        return [_Walker(*one) for one in zip(at, pieces.tolist(), radii.tolist(), strict=True)]

    def _choice(self, walker: _Walker, alternatives: Alternatives) -> int:
        """Return the number of the nearest destination; the first of equal ones."""
        closest = [self._closest_place(walker, pool) for pool in alternatives]
        order = sorted(range(len(alternatives)), key=lambda k: closest[k].distance)
        for index in (self._planner.index, self._solver.index):
            best, least = order[0], math.inf
            for k in order:
                if closest[k].distance >= least:
                    break  # no path is shorter than the straight line
                length = self._length(walker, closest[k].place, index)
                if length < least:
                    best, least = k, length
            if least < math.inf:
                break
        return best

    def _closest_place(self, walker: _Walker, pool: GoalRange) -> _ClosestPlace:
        places = self._places
        rows = slice(pool.first, pool.first + pool.size)
        away = hypot(*(places.located[rows, :2] - walker.at).T)
        joined = are_connected(walker.piece, places.pieces[rows], walker.radius, self._solver.index)
        away[~joined] = math.inf
        return _ClosestPlace(float(away.min()), pool.first + int(away.argmin()))

    def _length(self, walker: _Walker, place: int, index: Index) -> float:
        """Return the length of the shortest path, m; infinite if there is none."""
        solver, goal = self._solver, self._places.located[place, :2]
        closed = index is not solver.index
        if closed and self._is_closed(place, walker.radius, index):
            return math.inf
        # The search for the shortest path would visit everything before it gives up.
        if closed and solver.corridor(walker.at, goal, walker.radius, index=index).status != FOUND:
            return math.inf
        found = solver.solve(walker.at, goal, walker.radius, shortcut=not closed, index=index)
        return found.length if found.status == FOUND else math.inf

    def _is_closed(self, place: int, radius: float, index: Index) -> bool:
        """Return whether obstacles close the edge of a place, which searches do not check."""
        edge = index.graph.edge_of[self._places.pieces[place]]
        before = self._solver.index.graph.clearance[edge]
        return bool(index.graph.clearance[edge] < min(radius, before))
