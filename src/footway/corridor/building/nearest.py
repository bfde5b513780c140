"""The nearest points of a floor or link at which a disc fits, exact.

As on a plan (`corridor.nearest`), the space for the centre of the disc is bounded by lines beside
walls and arcs around their ends. A sheet also ends at its portals, where the disc may stand: so
candidates on the portals are added, and all others must lie in the sheet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points, dot
from footway.corridor.building.index import sheet_grid
from footway.corridor.kernels.locate import BEYOND
from footway.corridor.kernels.query import POINT, THIN, are_connected
from footway.corridor.kernels.tangents import SLACK
from footway.corridor.nearest import with_clearance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Bools, Floats
    from footway.corridor.building.solver import BuildingSolver

_BLOCK = 64  # candidates that are examined at once, the nearest first
NO_DOORS = np.empty((0, 4))


def nearest_fitting(
    point: Floats,
    sheet: int,
    radius: float,
    solver: BuildingSolver,
    pieces: Sequence[int] = (),
    doors: Floats = NO_DOORS,
) -> Floats | None:
    """Return the nearest point (x, y) of a sheet at which a disc fits; None if it fits nowhere.

    With `pieces` of the axis, the disc gets there from one of them. With `doors` (n, 4), m, it
    keeps off these, too; beside a door and a wall, or two doors, another point may be nearer.
    """

    def fit(some: Floats) -> Bools:
        on = np.full(len(some), sheet)
        found: Bools = solver.clearances(some, on) >= radius - SLACK
        found &= solver.building.contains(sheet, some)
        for door in doors:
            feet = closest_points(some, np.tile(door, (len(some), 1)))
            found &= hypot(*(some - feet).T) >= radius - SLACK
        if len(pieces):
            there, _ = solver.locate_on(some, on)
            joined = [are_connected(k, there, max(radius, POINT), solver.index) for k in pieces]
            found &= np.any(joined, axis=0)
        return found

    offsets = np.maximum([radius, radius + THIN], 4.0 * BEYOND)
    walls = sheet_grid(solver.index.grid.layers, sheet).walls
    portals = np.array(
        [seam.ends for seam in solver.building.seams if sheet in (seam.left, seam.right)]
    ).reshape(-1, 4)
    walls = np.concatenate([walls, doors])
    candidates = [
        point[None],
        _beside(point, walls, offsets),
        _on_portals(point, portals, walls, offsets),
    ]
    candidates += [with_clearance(solver.index.axis, value) for value in offsets]
    if len(doors):
        candidates.append(solver.index.axis.events)
    found = np.concatenate(candidates)
    away = hypot(*(found - point).T)
    order = np.argsort(away, kind="stable")
    for begin in range(0, len(order), _BLOCK):
        some = np.ascontiguousarray(found[order[begin : begin + _BLOCK]])
        good = np.flatnonzero(fit(some))
        if len(good):
            nearest: Floats = some[good[0]]
            return nearest
    return None


def _beside(point: Floats, walls: Floats, offsets: Floats) -> Floats:
    """Return the points beside walls, on both sides, and around their ends, nearest to a point."""
    feet = closest_points(np.tile(point, (len(walls), 1)), walls)
    step = walls[:, 2:] - walls[:, :2]
    size = hypot(*step.T)
    unit = step / np.where(size > 0.0, size, 1.0)[:, None]
    across = np.column_stack([-unit[:, 1], unit[:, 0]])
    found = []
    for offset in offsets:
        found += [feet + offset * across, feet - offset * across]
        for end in (walls[:, :2], walls[:, 2:]):
            away = point - end
            distance = hypot(*away.T)
            away = np.where(distance[:, None] > 0.0, away, (1.0, 0.0))
            found.append(end + offset * away / np.where(distance > 0.0, distance, 1.0)[:, None])
    return np.concatenate(found)


def _on_portals(point: Floats, portals: Floats, walls: Floats, offsets: Floats) -> Floats:
    """Return the points of portals (m, 4) nearest to a point, and those at `offsets` from walls."""
    found = [closest_points(np.tile(point, (len(portals), 1)), portals)]
    for portal in portals:
        start, step = portal[:2], portal[2:] - portal[:2]
        width = float(hypot(*step))
        unit = step / width
        along: list[Floats] = []
        for offset in offsets:
            for end in (walls[:, :2], walls[:, 2:]):  # where the portal meets a circle
                middle = _dot(end - start, unit)
                off = unit[0] * (end[:, 1] - start[1]) - unit[1] * (end[:, 0] - start[0])
                half = np.sqrt(np.maximum(0.0, offset * offset - off * off))
                along += [middle - half, middle + half]
            direction = walls[:, 2:] - walls[:, :2]
            size = hypot(*direction.T)
            normal = np.column_stack([-direction[:, 1], direction[:, 0]])
            normal /= np.where(size > 0.0, size, 1.0)[:, None]
            slope = _dot(normal, unit)
            gap = dot(walls[:, :2] - start, normal)
            for side in (offset, -offset):  # where it meets a line beside a wall
                crossing = np.abs(slope) > 1e-12
                along.append((gap + side)[crossing] / slope[crossing])
        at = np.concatenate(along)
        at = at[(at >= 0.0) & (at <= width)]
        found.append(start + at[:, None] * unit)
    return np.concatenate(found)


def _dot(vectors: Floats, unit: Floats) -> Floats:
    """Return the lengths of vectors (n, 2) along a unit vector; the same bits on every machine."""
    product: Floats = vectors[:, 0] * unit[0] + vectors[:, 1] * unit[1]
    return product
