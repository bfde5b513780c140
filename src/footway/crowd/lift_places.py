"""Places of people who wait for a lift: before its door, beside the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from footway._numba.portable_math import hypot
from footway.corridor.kernels.surface import surface_distances

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats
    from footway.crowd.floors import Floors
    from footway.environment.shafts import Shaft

_REACH: Final = 8.0  # m from a door, within which people queue
_MOST: Final = 64  # places before a door
_GAP: Final = 0.15  # m between people in a queue
_WAY_OUT: Final = 2.5  # m, length of the way out of other doors and links that is left free
_WALL: Final = 0.05  # m between people in a queue and walls


def queue_places(shaft: Shaft, stop: int, radius: float, floors: Floors) -> Floats:
    """Return places (n, 2), m, before a door for discs of a radius, the nearest first.

    They leave the way out free, also those of other doors and links on the floor, and see the door.
    Those beside which others get past along walls are before those that are closer to walls.
    """
    along, out, half = shaft.outward(stop)
    sheet, front = shaft.floors[stop], shaft.front(stop, radius)
    gap = 2.0 * radius + _GAP
    far = np.arange(radius + _WALL + 0.02, _REACH, gap)
    beside = np.arange(half + radius + 0.3, _REACH, gap)
    a, b = (grid.ravel() for grid in np.meshgrid(far, np.concatenate([-beside[::-1], beside])))
    middle = 0.5 * (shaft.doors[stop, :2] + shaft.doors[stop, 2:])
    points = middle + a[:, None] * out + b[:, None] * along
    sheets = np.full(len(points), sheet)
    clearance = floors.clearances(points, sheets)
    keep = clearance >= radius + _WALL
    for portal in floors.portals_of(sheet):
        keep &= ~_is_in_the_way(points, portal, radius)
    points, is_close = np.ascontiguousarray(points[keep]), clearance[keep] < 3.0 * radius + 0.1
    seen = np.empty(len(points))
    layers = np.full(len(points), sheet)
    starts = np.ascontiguousarray(np.tile(front, (len(points), 1)))
    surface_distances(starts, layers, points, layers, floors.index.grid, seen)
    points, is_close = points[seen >= 0.5 * radius], is_close[seen >= 0.5 * radius]
    order = np.lexsort((np.round(hypot(*(points - middle).T), 6), is_close))
    return np.ascontiguousarray(points[order][:_MOST])


def _is_in_the_way(points: Floats, portal: Floats, radius: float) -> Bools:
    """Return whether discs at points (n, 2) are in front of a portal."""
    step = portal[2:] - portal[:2]
    width = float(hypot(*step))
    away = points - portal[:2]
    along = (away * step).sum(axis=1) / width
    out = (step[0] * away[:, 1] - step[1] * away[:, 0]) / width
    beside = (along > -radius - 0.1) & (along < width + radius + 0.1)
    found: Bools = beside & (out > -radius) & (out < _WAY_OUT)
    return found


def first_free(places: Floats, taken: Floats, apart: float) -> Floats | None:
    """Return the first of places (n, 2) that is this far from all others (m, 2)."""
    for place in places:
        if not len(taken) or hypot(*(taken - place).T).min() >= apart:
            found: Floats = place
            return found
    return None
