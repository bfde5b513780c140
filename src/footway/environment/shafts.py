"""The shafts of lifts: stops, doors, and places of people in the cabin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from footway._numba.portable_math import hypot

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.environment.building import Building
    from footway.environment.links import Lift

_INSET: Final = 0.02  # m between people in a cabin and its sides
_SILL: Final = 0.08  # m, likewise and its doors
_TIGHT, _LOOSE = 0.03, 0.5  # m, least and greatest gap between people in a cabin


class Shaft(NamedTuple):
    """A lift, with its stops from the lowest to the highest."""

    lift: Lift
    cabins: list[int]  # sheet of the cabin at each stop
    floors: list[int]  # sheet of the floor
    heights: list[float]  # m
    doors: Floats  # (stops, 4) m, with the floor on the left

    def distance(self, stop: int, points: Floats) -> Floats:
        """Return the distances of points (n, 2) from the door of a stop, m."""
        a, b = self.doors[stop, :2], self.doors[stop, 2:]
        step = b - a
        t = np.clip(((points - a) * step).sum(axis=1) / float((step * step).sum()), 0.0, 1.0)
        found: Floats = hypot(*(points - a - t[:, None] * step).T)
        return found

    def outward(self, stop: int) -> tuple[Floats, Floats, float]:
        """Return unit vectors along a door and out of the cabin, and half the width of the door."""
        step = self.doors[stop, 2:] - self.doors[stop, :2]
        width = float(hypot(*step))
        along = step / width
        return along, np.array([-along[1], along[0]]), 0.5 * width

    @property
    def is_convex(self) -> bool:
        """Whether a straight line in the cabin leads from everywhere to the door."""
        cabin = shapely.Polygon(self.lift.cabin)
        return bool(cabin.convex_hull.area < cabin.area + 1e-6)

    def way_out(self, stop: int, points: Floats, radii: Floats) -> Floats:
        """Return the points (n, 2) to which discs in the cabin walk to get out of a door, m."""
        along, out, half = self.outward(stop)
        middle = 0.5 * (self.doors[stop, :2] + self.doors[stop, 2:])
        beside, room = (points - middle) @ along, np.maximum(0.0, half - radii - 0.05)
        to = np.clip(beside, -room, room)
        depth = np.clip((middle - points) @ out, 0.0, radii + 0.05)
        fits = np.abs(beside) <= half - radii - 0.005
        to = np.where(fits, beside, to)
        ahead = np.where(fits, 0.5 + radii, -depth)
        found: Floats = middle + to[:, None] * along + ahead[:, None] * out
        return found

    def abreast(self, stop: int, radius: float) -> int:
        """Return how many people with a radius pass a door side by side."""
        return max(1, int(self.outward(stop)[2] / (1.1 * radius)))

    def front(self, stop: int, radius: float) -> Floats:
        """Return the point in front of a door where a disc stands, (2,) m."""
        _, out, _ = self.outward(stop)
        middle: Floats = 0.5 * (self.doors[stop, :2] + self.doors[stop, 2:])
        return middle + (radius + 0.05) * out


def shafts_of(building: Building) -> list[Shaft]:
    """Return the lifts of a building."""
    found = []
    for number, sheets in enumerate(building.rides):
        if not sheets:
            continue
        order = sorted(sheets, key=lambda k: (building.layers[k].low, k))
        seams = {seam.right: seam for seam in building.seams if seam.right in sheets}
        found.append(
            Shaft(
                building.links[number],  # type: ignore[arg-type]
                order,
                [seams[k].left for k in order],
                [building.layers[k].low for k in order],
                np.array([seams[k].ends for k in order]),
            )
        )
    return found


def cabin_places(shaft: Shaft, stop: int, radius: float) -> Floats:
    """Return places (n, 2), m, in a cabin for discs of a radius, the farthest from the door first.

    They are as far apart as the capacity allows; a small cabin has fewer, at least one. From the
    last one a character can walk straight out, then from the one before it, and so on.
    """
    cabin = shapely.Polygon(shaft.lift.cabin)
    doors = shapely.multilinestrings(shaft.doors.reshape(-1, 2, 2))
    free = cabin.buffer(-radius - _INSET).difference(doors.buffer(radius + _SILL))
    best = np.array([[cabin.centroid.x, cabin.centroid.y]])
    for gap in np.arange(_LOOSE, _TIGHT - 1e-9, -0.01).tolist():
        points = _lattice(shaft, free, 2.0 * radius + gap)
        away = np.round(shaft.distance(stop, points), 6)
        points = _that_let_out(shaft, stop, points[np.argsort(-away, kind="stable")], radius)
        if len(points) > len(best):
            best = points
        if len(best) >= shaft.lift.capacity:
            break
    return np.ascontiguousarray(best)


def _that_let_out(shaft: Shaft, stop: int, points: Floats, radius: float) -> Floats:
    """Return those of places (n, 2) from which a disc gets out past all places before it."""
    kept: list[Floats] = []
    radii = np.array([radius])
    for point in points:
        turn = shaft.way_out(stop, point[None], radii)
        out = shaft.way_out(stop, turn, radii)
        line = shapely.LineString(np.concatenate([point[None], turn, out]))
        if not kept or (line.distance(shapely.points(kept)) >= 2.0 * radius + 0.01).all():
            kept.append(point)
    return np.array(kept).reshape(-1, 2)


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
    found: Floats = points[shapely.dwithin(shapely.points(points), free, 1e-9)]
    return found
