"""Free space on the floors of a building: the nearest place where a disc fits.

The plane has the same in `free_space`. A place is a point in plan and its sheet. The nearest free
place is on the same sheet; only if a disc fits nowhere there, as on stairs that are too narrow for
it, it is on the next sheet behind the portals. Nobody is put into a lift, and nobody out of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points
from footway.corridor.building.nearest import nearest_fitting
from footway.crowd.free_space import apart_in
from footway.crowd.kernels.floors import DOORS, OPEN

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints
    from footway.crowd.floors import Floors

_INSIDE = 1e-6  # m between disc and wall, so that rounding does not make them overlap


class FloorSpace:
    """Where discs fit on the sheets of a building.

    Doors of lifts are walls for places where people stay (`shut` is False), and for people
    themselves only while they are shut: those in an open door are on their way.
    """

    def __init__(self, floors: Floors) -> None:
        self._floors, self._solver = floors, floors.map.solver
        sheets = floors.map.solver.edge_sheet
        edge_of = floors.map.solver.index.graph.edge_of
        is_cabin = floors.slopes[:, DOORS] > 0.0
        clearance = floors.map.solver.index.axis.clearance
        self._widest = np.zeros(len(floors))
        np.maximum.at(self._widest, sheets[edge_of], clearance)
        self._widest[is_cabin] = 0.0
        self._is_cabin = is_cabin

    def fits_somewhere(self, radius: float) -> bool:
        """Return whether a disc of this radius, m, fits anywhere outside lifts."""
        return bool(self._widest.max(initial=0.0) >= radius + _INSIDE)

    def clearances(self, points: Floats, sheets: Ints, *, shut: bool = False) -> Floats:
        """Return distances of points (n, 2) on sheets (n,) to walls and doors in plan, (n,) m."""
        clearance = self._solver.clearances(points, sheets)
        for sheet in np.unique(sheets).tolist():
            on = np.flatnonzero(sheets == sheet)
            for door in self._doors_of(sheet, shut=shut):
                clearance[on] = np.minimum(clearance[on], _distance(points[on], door))
        return clearance

    def _doors_of(self, sheet: int, *, shut: bool) -> Floats:
        """Return the doors of lifts (n, 4) on a floor, or of a cabin at a stop."""
        doors = []
        for shaft in self._floors.shafts:
            for stop, cabin in enumerate(shaft.cabins):
                if sheet not in (cabin, shaft.floors[stop]):
                    continue
                if not shut or self._floors.slopes[cabin, DOORS] != OPEN:
                    doors.append(shaft.doors[stop])
        return np.array(doors).reshape(-1, 4)

    def nearest_free(
        self, points: Floats, sheets: Ints, radii: Floats, *, shut: bool = False
    ) -> tuple[Floats, Ints]:
        """Return points (n, 2) and sheets (n,), moving discs that do not fit to where they do.

        A disc that fits nowhere stays where it is. All in m.
        """
        found, on = points.copy(), np.array(sheets, np.int64)
        if not len(points):
            return found, on
        tight = self.clearances(points, on, shut=shut) < radii
        for k in np.flatnonzero(tight).tolist():
            place = self._nearest(points[k], int(on[k]), float(radii[k]), shut=shut)
            if place is not None:
                found[k], on[k] = place
        return found, on

    def does_not_fit(self, points: Floats, sheets: Ints, radii: Floats) -> Bools:
        """Return which discs (n,) on sheets (n,) of lifts fit nowhere in their cabin."""
        found = np.zeros(len(points), bool)
        for k in np.flatnonzero(self._is_cabin[sheets]).tolist():
            found[k] = self._nearest(points[k], int(sheets[k]), float(radii[k]), shut=True) is None
        return found

    def _nearest(
        self, point: Floats, sheet: int, radius: float, *, shut: bool
    ) -> tuple[Floats, int] | None:
        """Return the nearest place of the sheet or, if there is none, of those behind portals.

        The distance of a place behind a portal is that by the nearest point of the portal.
        """
        reached, seen = [(0.0, sheet, point)], {sheet}
        while reached:
            found = []
            for away, one, at in reached:
                doors = self._doors_of(one, shut=shut)
                place = nearest_fitting(at, one, radius, self._solver, doors=doors)
                if place is not None:
                    found.append((away + float(hypot(*(place - at))), one, place))
            if found:
                _, one, place = min(found, key=lambda some: some[:2])
                return place, one
            if self._is_cabin[sheet]:
                return None
            reached = self._behind(reached, seen)
        return None

    def _behind(
        self, reached: list[tuple[float, int, Floats]], seen: set[int]
    ) -> list[tuple[float, int, Floats]]:
        """Return distance, sheet and point of arrival behind the portals of sheets; mark them."""
        behind: dict[int, tuple[float, int, Floats]] = {}
        for away, one, at in reached:
            for portal, beyond in self._floors.portals_beyond(one):
                if beyond in seen or self._is_cabin[beyond]:
                    continue
                foot = closest_points(at[None], portal[None])[0]
                further = away + float(hypot(*(foot - at)))
                if beyond not in behind or further < behind[beyond][0]:
                    behind[beyond] = further, beyond, foot
        seen.update(behind)
        return [behind[k] for k in sorted(behind)]

    def apart(self, points: Floats, sheets: Ints, radii: Floats) -> Floats:
        """Return points (n, 2), spreading discs that are at nearly the same place around it, m."""
        found = points.copy()
        for sheet in np.unique(sheets).tolist():
            here = np.flatnonzero(sheets == sheet)

            def clearance(some: Floats, sheet: int = sheet) -> Floats:
                return self.clearances(some, np.full(len(some), sheet), shut=True)

            grid = self._floors.grid_of(sheet)
            found[here] = apart_in(points[here], radii[here], clearance, grid)
        return found


def _distance(points: Floats, door: Floats) -> Floats:
    """Return the distances of points (n, 2) from a door (4,), m."""
    feet = closest_points(points, np.tile(door, (len(points), 1)))
    found: Floats = hypot(*(points - feet).T)
    return found
