"""Places of people at lifts: in the queue before a door, beside the way out, and in the cabin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from footway._numba.portable_math import hypot
from footway.corridor.kernels.surface import surface_distances

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.crowd.floors import Floors
    from footway.crowd.lift_graph import Shaft

_REACH: Final = 8.0  # m from a door, within which people queue
_MOST: Final = 64  # places before a door
_GAP: Final = 0.15  # m between people in a queue
_WAY_OUT: Final = 2.5  # m, length of the way out of other doors and links that is left free
_WALL: Final = 0.05  # m between people in a queue and walls
_INSET: Final = 0.02  # m between people in a cabin and its sides
_TIGHT, _LOOSE = 0.03, 0.5  # m, least and greatest gap between people in a cabin


def queue_places(shaft: Shaft, stop: int, radius: float, floors: Floors) -> Floats:
    """Return places (n, 2), m, before a door for discs of a radius, the nearest first.

    They leave the way out free, also those of other doors and links on the floor, and see the door.
    """
    along, out, half = shaft.outward(stop)
    sheet, front = shaft.floors[stop], shaft.front(stop, radius)
    gap = 2.0 * radius + _GAP
    far = np.arange(radius + _WALL + 0.02, _REACH, gap)
    beside = np.arange(half + radius + 0.2, _REACH, gap)
    a, b = (grid.ravel() for grid in np.meshgrid(far, np.concatenate([-beside[::-1], beside])))
    middle = 0.5 * (shaft.doors[stop, :2] + shaft.doors[stop, 2:])
    points = middle + a[:, None] * out + b[:, None] * along
    sheets = np.full(len(points), sheet)
    keep = floors.clearances(points, sheets) >= radius + _WALL
    for portal in floors.portals_of(sheet):
        keep &= ~_is_in_the_way(points, portal, radius)
    points = np.ascontiguousarray(points[keep])
    seen = np.empty(len(points))
    layers = np.full(len(points), sheet)
    starts = np.ascontiguousarray(np.tile(front, (len(points), 1)))
    surface_distances(starts, layers, points, layers, floors.index.grid, seen)
    points = points[seen >= 0.5 * radius]
    order = np.argsort(np.round(hypot(*(points - middle).T), 6), kind="stable")
    return np.ascontiguousarray(points[order][:_MOST])


def _is_in_the_way(points: Floats, portal: Floats, radius: float) -> np.ndarray:
    """Return whether discs at points (n, 2) are in front of a portal."""
    step = portal[2:] - portal[:2]
    width = float(hypot(*step))
    away = points - portal[:2]
    along = (away * step).sum(axis=1) / width
    out = (step[0] * away[:, 1] - step[1] * away[:, 0]) / width
    beside = (along > -radius - 0.1) & (along < width + radius + 0.1)
    return beside & (out > -radius) & (out < _WAY_OUT)


def cabin_places(shaft: Shaft, stop: int, radius: float) -> Floats:
    """Return places (n, 2), m, in the cabin for discs of a radius, the farthest from the door first.

    They are as far apart as the capacity allows; if the cabin is small, they are fewer. There is
    at least one.
    """
    cabin = shapely.Polygon(shaft.lift.cabin)
    free = cabin.buffer(-radius - _INSET)
    middle = np.array([[cabin.centroid.x, cabin.centroid.y]])
    best = middle
    for gap in np.arange(_LOOSE, _TIGHT - 1e-9, -0.01).tolist():
        points = _lattice(shaft, free, 2.0 * radius + gap)
        if len(points) > len(best):
            best = points
        if len(best) >= shaft.lift.capacity:
            break
    away = np.round(shaft.distance(stop, best), 6)
    return np.ascontiguousarray(best[np.argsort(-away, kind="stable")])


def _lattice(shaft: Shaft, free: shapely.Geometry, apart: float) -> Floats:
    """Return points (n, 2) of a lattice along the first door, in the middle of a free space."""
    along, out, _ = shaft.outward(0)
    corners = shapely.get_coordinates(free)
    if not len(corners):
        return np.empty((0, 2))
    lines = []
    for axis in (along, out):
        values = corners @ axis
        low, high = float(values.min()), float(values.max())
        count = int((high - low) / apart + 1e-9) + 1
        rest = (high - low) / (count - 1) if count > 1 else 0.0
        lines.append(low + rest * np.arange(count) if count > 1 else np.array([0.5 * (low + high)]))
    u, v = (grid.ravel() for grid in np.meshgrid(*lines))
    points = u[:, None] * along + v[:, None] * out
    return points[shapely.dwithin(shapely.points(points), free, 1e-9)]
